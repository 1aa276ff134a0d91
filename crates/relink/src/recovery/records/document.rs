//! A document in a log, and its edits, which are read from the log when they are needed.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use layers::base64;
use serde::{Deserialize, Serialize};

use super::lines::{self, LineReader, in_base64, optional, optional_path, path};
use super::{EDIT_START, FILE_START, LogRecord};
use crate::os::digest::ContentHash;
use crate::os::messages::{self, Digits};
use crate::os::paths;
use crate::os::undo_log::Changes;

/// The usual number of bytes of a line with an edit.
const LINE: usize = 1 << 7;

/// The number of bytes of a log that are read at once for one document, at least.
const LEAST_AT_ONCE: usize = 1 << 12;

/// The number of bytes of a log that are read at once for one document, at most.
const MOST_AT_ONCE: usize = 1 << 16;

/// A document that is written over, or a file that is renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedDocument {
    /// Index of its PATH.
    pub root: usize,
    /// Its path below the PATH; the name of a single file.
    pub below: PathBuf,
    /// The hash of its old content.
    pub old: ContentHash,
    /// The hash of its new content.
    pub new: ContentHash,
    /// Its new name, if it changes.
    pub renamed: Option<OsString>,
    /// Its path below the PATH after the run, if it is renamed after all documents are written.
    /// Journals list such files apart.
    pub moved: Option<PathBuf>,
    /// The name under which the old document is kept, if it is kept.
    pub kept: Option<OsString>,
    /// The lengths of its old and new content, in bytes.
    pub lens: [u64; 2],
}

impl RecordedDocument {
    /// Creates a document that keeps its name; `contents` are the hashes and lengths of its old and
    /// its new content.
    pub fn new(root: usize, below: PathBuf, contents: [(ContentHash, u64); 2]) -> Self {
        let [(old, old_len), (new, new_len)] = contents;
        let lens = [old_len, new_len];
        RecordedDocument { root, below, old, new, renamed: None, moved: None, kept: None, lens }
    }

    /// Returns its path below the PATH after the run.
    pub fn path(&self) -> Cow<'_, Path> {
        match (&self.moved, &self.renamed) {
            (Some(moved), _) => moved.into(),
            (None, Some(name)) => self.below.with_file_name(name).into(),
            (None, None) => (&self.below).into(),
        }
    }

    /// Returns true if the run changed its content or its name.
    pub fn is_changed(&self) -> bool {
        self.old != self.new || self.renamed.is_some() || self.moved.is_some()
    }
}

/// A document of which the edits are in a log.
#[derive(Debug)]
pub struct Recorded {
    /// Its path and hashes.
    pub document: RecordedDocument,
    /// The offset of its edits in the log, and their number.
    edits: (u64, usize),
}

impl Recorded {
    pub(in crate::recovery) fn new(document: RecordedDocument, at: u64, n_edits: usize) -> Self {
        Recorded { document, edits: (at, n_edits) }
    }

    /// Returns the number of its edits.
    pub fn n_edits(&self) -> usize {
        self.edits.1
    }

    /// Reads the edits of the document.
    ///
    /// # Errors
    ///
    /// Those of the reader, and an error if they do not exist any more.
    pub fn changes(&self, log: impl Read + Seek) -> io::Result<Changes> {
        let mut changes = Changes::default();
        let capacity = (LINE * self.n_edits()).clamp(LEAST_AT_ONCE, MOST_AT_ONCE);
        self.each_edit(&mut LineReader::with_capacity(capacity, log)?, |line| {
            if let Some(EditLine { at, length, old }) = EditLine::read(line) {
                changes.push(at, length, old.as_bytes());
                return Ok(());
            }
            if let Some(LogRecord::Edit(edit)) = LogRecord::read(line) {
                let (at, length) = (edit.at, edit.length);
                if let Some(old) = edit.old() {
                    changes.push(at, length, &old);
                    return Ok(());
                }
            }
            Err(io::ErrorKind::InvalidData.into())
        })?;
        Ok(changes)
    }

    /// Reads the lines of the edits of the document one by one.
    ///
    /// # Errors
    ///
    /// Those of the reader and of `take`, and an error if they do not exist any more.
    pub(in crate::recovery) fn each_edit(
        &self,
        log: &mut LineReader<impl Read + Seek>,
        mut take: impl FnMut(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        let (at, n_edits) = self.edits;
        if n_edits == 0 {
            return Ok(());
        }
        log.go_to(at)?;
        let (mut n_read, mut taken) = (0, Ok(()));
        lines::each(log, at, |_, line| {
            if !LogRecord::is_edit(line) {
                return false;
            }
            taken = take(line);
            n_read += 1;
            taken.is_ok() && n_read < n_edits
        })?;
        taken?;
        if n_read == n_edits { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::recovery) struct ContentRecord {
    pub(in crate::recovery) sha256: ContentHash,
    /// In bytes.
    pub(in crate::recovery) length: u64,
}

/// The kind of the record of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FileKind {
    #[default]
    File,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::recovery) struct FileRecord {
    /// Its kind, if the line is read as one of a file.
    #[serde(default, skip_serializing)]
    record: FileKind,
    pub(in crate::recovery) root: usize,
    /// Its path after the run.
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    /// Its path before the run, if the run changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_before_bytes: Option<String>,
    /// The path of the copy of the old file.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup_bytes: Option<String>,
    before: ContentRecord,
    after: ContentRecord,
    /// The number of its edits.
    pub(in crate::recovery) edits: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::recovery) struct MovesRecord {
    pub(in crate::recovery) root: usize,
    before: ContentRecord,
    after: ContentRecord,
    edits: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::recovery) struct EditRecord {
    /// The offset in the new file.
    pub(in crate::recovery) at: u64,
    /// The number of bytes there that replaced the old ones.
    pub(in crate::recovery) length: u64,
    /// The old bytes, if they are UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<String>,
    /// The old bytes otherwise, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_base64: Option<String>,
}

/// The line of an edit as this program writes it, of which there are many: an old text in which
/// nothing is escaped is not copied.
#[derive(Debug)]
pub(in crate::recovery) struct EditLine<'l> {
    pub(in crate::recovery) at: u64,
    pub(in crate::recovery) length: u64,
    pub(in crate::recovery) old: Cow<'l, str>,
}

impl<'l> EditLine<'l> {
    /// Parses a line. Returns `None` for any other line.
    pub(in crate::recovery) fn read(line: &'l str) -> Option<Self> {
        let rest = line.strip_prefix(EDIT_START)?.strip_prefix("\"at\":")?;
        let (at, rest) = number(rest)?;
        let (length, rest) = number(rest.strip_prefix(",\"length\":")?)?;
        let json = rest.strip_prefix(",\"old\":")?.strip_suffix('}')?;
        let text = json.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let old = match text.filter(|text| messages::is_copied_to_json(text.as_bytes())) {
            Some(old) => Cow::Borrowed(old),
            None => Cow::Owned(serde_json::from_str(json).ok()?),
        };
        Some(EditLine { at, length, old })
    }
}

/// Splits a text after the number of JSON that it begins with.
fn number(text: &str) -> Option<(u64, &str)> {
    let n_digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(n_digits);
    let is_plain = digits == "0" || !digits.starts_with('0');
    digits.parse().ok().filter(|_| is_plain).map(|number| (number, rest))
}

impl From<EditLine<'_>> for EditRecord {
    fn from(EditLine { at, length, old }: EditLine<'_>) -> Self {
        EditRecord { at, length, old: Some(old.into_owned()), old_base64: None }
    }
}

impl ContentRecord {
    pub(in crate::recovery) fn new(sha256: ContentHash, length: u64) -> Self {
        ContentRecord { sha256, length }
    }

    fn parts(self) -> (ContentHash, u64) {
        (self.sha256, self.length)
    }
}

impl EditRecord {
    pub(in crate::recovery) fn new(at: u64, length: u64, old: &[u8]) -> Self {
        match std::str::from_utf8(old) {
            Ok(old) => EditLine { at, length, old: old.into() }.into(),
            Err(_) => EditRecord { at, length, old: None, old_base64: Some(in_base64(old)) },
        }
    }

    /// Returns the old bytes.
    pub(in crate::recovery) fn old(self) -> Option<Vec<u8>> {
        match (self.old, self.old_base64) {
            (Some(old), None) => Some(old.into_bytes()),
            (None, Some(old)) => Some(base64::decode(old.as_bytes()).bytes),
            _ => None,
        }
    }
}

/// Writes the edits of a document that begins at `at` in the new file. Returns their number: a long
/// one is written as several, of which all but the first insert.
pub(in crate::recovery) fn write_edits(changes: &Changes, at: u64, out: &mut Vec<u8>) -> usize {
    let mut n_edits = 0;
    for (span, old) in changes.pieces() {
        write_edit(at + span.start, span.end - span.start, old, out);
        n_edits += 1;
    }
    n_edits
}

/// Writes an edit, as [`LogRecord::write`] does. There are many.
fn write_edit(at: u64, length: u64, old: &[u8], out: &mut Vec<u8>) {
    let Ok(text) = std::str::from_utf8(old) else {
        return LogRecord::Edit(EditRecord::new(at, length, old)).write(out);
    };
    out.extend_from_slice(EDIT_START.as_bytes());
    out.extend_from_slice(b"\"at\":");
    out.extend_from_slice(Digits::default().write(at, b",\"length\":"));
    out.extend_from_slice(Digits::default().write(length, b",\"old\":"));
    messages::append_json_text(out, text);
    out.extend_from_slice(b"}\n");
}

impl FileRecord {
    pub(in crate::recovery) fn new(document: &RecordedDocument, n_edits: usize) -> Self {
        let RecordedDocument { root, below, old, new, renamed, moved, kept, lens } = document;
        let (path, path_bytes) = paths::text(&document.path());
        let is_renamed = renamed.is_some() || moved.is_some();
        let (path_before, path_before_bytes) = optional(is_renamed.then_some(&**below));
        let copy = kept.as_ref().map(|name| below.with_file_name(name));
        let (backup, backup_bytes) = optional(copy.as_deref());
        FileRecord {
            record: FileKind::File,
            root: *root,
            path,
            path_bytes,
            path_before,
            path_before_bytes,
            backup,
            backup_bytes,
            before: ContentRecord::new(*old, lens[0]),
            after: ContentRecord::new(*new, lens[1]),
            edits: n_edits,
        }
    }

    /// Returns the number of edits that the line of a file says, as this program writes it.
    pub(super) fn n_edits_of(line: &str) -> Option<usize> {
        let (_, end) = line.strip_prefix(FILE_START)?.rsplit_once(",\"edits\":")?;
        end.strip_suffix('}')?.parse().ok()
    }

    /// Returns the document. Its new name is in the same directory, unless files are renamed after
    /// all documents are written (`may_move`); its copy is always next to the old file.
    pub(in crate::recovery) fn document(self, may_move: bool) -> Option<RecordedDocument> {
        let path = path(&self.path, self.path_bytes.as_ref())?;
        let before = optional_path(&self.path_before, &self.path_before_bytes)?;
        let copy = optional_path(&self.backup, &self.backup_bytes)?;
        let (below, new) = match before {
            Some(before) => (before, Some(path)),
            None => (path, None),
        };
        let is_beside = |other: &PathBuf| other.parent() == below.parent();
        if !copy.as_ref().is_none_or(is_beside) || !(may_move || new.as_ref().is_none_or(is_beside))
        {
            return None;
        }
        let name = |path: PathBuf| path.file_name().map(OsStr::to_owned);
        let (renamed, moved) = if may_move { (None, new) } else { (new.and_then(name), None) };
        let kept = copy.and_then(name);
        let contents = [self.before.parts(), self.after.parts()];
        Some(RecordedDocument {
            renamed,
            moved,
            kept,
            ..RecordedDocument::new(self.root, below, contents)
        })
    }
}

impl MovesRecord {
    pub(in crate::recovery) fn new(
        root: usize,
        before: ContentRecord,
        after: ContentRecord,
        n_edits: usize,
    ) -> Self {
        MovesRecord { root, before, after, edits: n_edits }
    }

    /// Returns the record of moves as a document without a path, with its edits at an offset.
    pub(in crate::recovery) fn recorded(self, at: u64) -> Option<Recorded> {
        let contents = [self.before.parts(), self.after.parts()];
        let document = RecordedDocument::new(self.root, PathBuf::new(), contents);
        Some(Recorded::new(document, at, self.edits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::digest;

    #[test]
    fn edits_are_written_as_all_records_are() {
        for old in ["", "a/b?c", "\"\\", "é\u{7f}\u{2028}", "0123456789abcde\n"] {
            let mut changes = Changes::default();
            changes.push(u64::MAX - 9, 7, old.as_bytes());
            let mut out = Vec::new();
            assert_eq!(write_edits(&changes, 2, &mut out), 1);
            let record = LogRecord::Edit(EditRecord::new(u64::MAX - 7, 7, old.as_bytes()));
            assert_eq!(out, LogRecord::lines([record]), "{old}");
        }
    }

    #[test]
    fn a_new_name_and_a_copy_are_next_to_the_old_file() {
        let document =
            |renamed: Option<&str>, moved: Option<&str>, kept: Option<&str>| RecordedDocument {
                root: 1,
                below: "a\tb/100%/é.html".into(),
                old: digest::of_bytes(b"0"),
                new: digest::of_bytes(b"1"),
                renamed: renamed.map(OsString::from),
                moved: moved.map(PathBuf::from),
                kept: kept.map(OsString::from),
                lens: [7, 8],
            };
        let read = |document: &RecordedDocument, may_move: bool| {
            FileRecord::new(document, 2).document(may_move).as_ref() == Some(document)
        };
        assert!(read(&document(None, None, Some("é.html.orig")), false));
        assert!(read(&document(Some("x"), None, None), false));
        assert!(read(&document(None, Some("x/y"), None), true));
        for (renamed, kept) in [("..", "b"), ("a/b", "b"), ("b", ".."), ("b", "a/b"), ("", "b")] {
            let wrong = document(Some(renamed), None, Some(kept));
            assert_eq!(FileRecord::new(&wrong, 2).document(false), None, "{renamed} {kept}");
        }
    }
}
