//! Messages in a Maildir, each a file, and the sizes in their names (Maildir++; Dovecot).
//!
//! Invariant: an incorrect number in a name stays unchanged, and so does everything else in the
//! name.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rewrite::{Media, MessageFraming};

use super::length::rewritten;
use super::{Container, ContainerForm, ContainerSpec, sniff};

/// A message that is a file of its own; in a Maildir, its name contains its size.
#[derive(Clone, Copy, Debug)]
pub struct Maildir;

static SPEC: ContainerSpec = ContainerSpec {
    media_types: &["multipart/related", "application/x-mimearchive"],
    extensions: &["mht", "mhtml", "eml", "nws"],
    is_content: Some(sniff::is_message),
    is_place: Some(|path, is_directory| is_message_where(path, is_directory)),
    ..ContainerSpec::new(
        "message",
        ContainerForm::WholeFile,
        Some(Media::Message(MessageFraming::None)),
    )
};

impl Container for Maildir {
    fn spec(&self) -> &'static ContainerSpec {
        &SPEC
    }

    fn renamed(&self, name: &OsStr, before: &[u8], after: &[u8]) -> Option<OsString> {
        renamed(name, Sizes::measure(before), Sizes::measure(after))
    }
}

/// The sizes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The number of its bytes: the field `S=` of a name.
    pub bytes: usize,
    /// The number of bytes if all its lines ended with CRLF: the field `W=`.
    pub with_crlf: usize,
}

impl Sizes {
    /// The sizes of a message.
    ///
    /// ```
    /// use relink::container::maildir::Sizes;
    ///
    /// assert_eq!(Sizes::measure(b"A: b\r\n\nc\n"), Sizes { bytes: 9, with_crlf: 11 });
    /// ```
    pub fn measure(message: &[u8]) -> Self {
        let n_lines = memchr::memchr_iter(b'\n', message).count();
        let n_crlfs = if memchr::memchr(b'\r', message).is_some() {
            memchr::memmem::find_iter(message, b"\r\n").count()
        } else {
            0
        };
        Sizes { bytes: message.len(), with_crlf: message.len() + n_lines - n_crlfs }
    }
}

/// Returns true if a path is that of a message: in a directory `cur` or `new` next to which are the
/// other one and `tmp`. Examines the directories, not the file.
pub fn is_message(path: &Path) -> bool {
    is_message_where(path, Path::is_dir)
}

/// The same, where `is_directory` decides which paths are directories. It is called for paths of
/// directories only, so its answers can be kept for the next file.
pub fn is_message_where(path: &Path, is_directory: impl Fn(&Path) -> bool) -> bool {
    let (Some(name), Some(directory)) = (path.file_name(), path.parent()) else { return false };
    // Programs that deliver ignore such names.
    if name.as_encoded_bytes().starts_with(b".") {
        return false;
    }
    let is_box =
        matches!(directory.file_name().map(OsStr::as_encoded_bytes), Some(b"cur" | b"new"));
    is_box && ["cur", "new", "tmp"].iter().all(|name| is_directory(&beside(directory, name)))
}

/// Returns the path with this name next to another.
fn beside(directory: &Path, name: &str) -> PathBuf {
    directory.with_file_name(name)
}

/// The name of a message whose size has changed: the fields `S=` and `W=` are right again, if they
/// were right before. `None` if the name stays as it is.
///
/// ```
/// use std::ffi::OsStr;
/// use relink::container::maildir::{renamed, Sizes};
///
/// let old = Sizes { bytes: 98, with_crlf: 99 };
/// let new = Sizes { bytes: 123, with_crlf: 125 };
/// let name = OsStr::new("1.M2P3.host,S=98,W=99:2,S");
/// assert_eq!(renamed(name, old, new).unwrap(), "1.M2P3.host,S=123,W=125:2,S");
/// ```
pub fn renamed(name: &OsStr, old: Sizes, new: Sizes) -> Option<OsString> {
    let bytes = name.as_encoded_bytes();
    let (fields, flags) = bytes.split_at(flags_start(bytes));
    let mut out = Vec::with_capacity(bytes.len() + 8);
    let mut is_changed = false;
    for (idx, field) in fields.split(|byte| *byte == b',').enumerate() {
        if idx > 0 {
            out.push(b',');
        }
        let sizes = match field.split_at_checked(2) {
            // The text before the first comma is not a field.
            Some((b"S=", digits)) if idx > 0 => Some((digits, old.bytes, new.bytes)),
            Some((b"W=", digits)) if idx > 0 => Some((digits, old.with_crlf, new.with_crlf)),
            _ => None,
        };
        let digits = sizes.and_then(|(digits, old, new)| {
            let is_bare = digits.iter().all(u8::is_ascii_digit);
            rewritten(digits, old, new).filter(|new| is_bare && new != digits)
        });
        if let Some(digits) = digits {
            out.extend_from_slice(&field[..2]);
            out.extend_from_slice(&digits);
            is_changed = true;
        } else {
            out.extend_from_slice(field);
        }
    }
    out.extend_from_slice(flags);
    if is_changed { os_string(out) } else { None }
}

/// Returns the start of the flags of a name, `:2,` and letters. If the file system allows no colon
/// in names, it is replaced by `;` or `!`.
fn flags_start(name: &[u8]) -> usize {
    let colon = memchr::memchr(b':', name);
    let other =
        name.windows(3).rposition(|three| matches!(three, [b';' | b'!', b'1' | b'2', b',']));
    colon.or(other).unwrap_or(name.len())
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "elsewhere not all bytes are a name")]
fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}
