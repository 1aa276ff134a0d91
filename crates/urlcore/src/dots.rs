//! The removal of dot segments while a path is appended to one that has none.
//!
//! Invariant: the target from the root on is a path without removable dot segments that is empty or
//! ends with a slash, or is the `/C:` of a `file` URL; so each segment is read once. Sections: RFC
//! 1808 4 step 6; RFC 3986 5.2.4; WHATWG URL 4.4 ("path state", "shorten a url's path").

use alloc::string::String;

use crate::rules::{Excess, Rules};
use crate::scheme_kind::SchemeKind;

/// A path in a target that is being written.
#[derive(Clone, Copy)]
pub(crate) struct OpenPath<'r> {
    pub(crate) rules: &'r Rules,
    pub(crate) kind: SchemeKind,
    /// The offset of the path in the target, in bytes.
    pub(crate) root: usize,
    /// True if the path, before any removal, begins with a slash.
    pub(crate) rooted: bool,
}

/// The two kinds of dot segments (RFC 3986 3.3).
enum Dots {
    Single,
    Double,
}

impl OpenPath<'_> {
    /// Appends a path. `plain_from` is that of `Offsets`: from there on there is nothing to remove.
    #[inline]
    pub(crate) fn append(&self, target: &mut String, path: &str, plain_from: usize) {
        if self.kind == SchemeKind::File {
            // The first segment may be a drive letter.
            self.append_segments(target, path, path.len());
        } else if plain_from > 0 {
            self.append_segments(target, path, plain_from);
        } else {
            target.push_str(path);
        }
    }

    /// Appends a path segment by segment, up to `plain_from`, and then the rest unchanged.
    fn append_segments(&self, target: &mut String, path: &str, plain_from: usize) {
        let bytes = path.as_bytes();
        let is_slash = |byte: &u8| self.kind.is_slash(*byte);
        let mut start = 0;
        if bytes.first().is_some_and(is_slash) {
            target.push('/');
            start = 1;
        }
        while start < plain_from {
            let end = bytes[start..].iter().position(is_slash).map(|length| start + length);
            let segment = &path[start..end.unwrap_or(path.len())];
            match dots(segment, self.rules.escaped_dots) {
                Some(Dots::Single) if end.is_none() && !self.rules.final_dots_leave_slash => {
                    if target[self.root..].ends_with('/') {
                        _ = target.pop()
                    } else {
                        target.push('.')
                    }
                }
                Some(Dots::Single) => {}
                Some(Dots::Double) => self.climb(target, end.is_some()),
                None => {
                    self.push_segment(target, segment);
                    if end.is_some() {
                        target.push('/');
                    }
                }
            }
            let Some(end) = end else { return };
            start = end + 1;
        }
        target.push_str(&path[start..]);
    }

    /// Appends one segment; the first of a `file` path may be a drive letter, which is written with
    /// `:`.
    fn push_segment(&self, target: &mut String, segment: &str) {
        let first = target.len() == self.root + 1;
        if self.kind == SchemeKind::File && first && is_letter(segment.as_bytes()) {
            target.push_str(&segment[..1]);
            target.push(':');
        } else {
            target.push_str(segment);
        }
    }

    /// Removes the last segment, or applies the dialect's rule if there is none.
    fn climb(&self, target: &mut String, more: bool) {
        let path = &target[self.root..];
        if self.kind == SchemeKind::File && path.len() == 4 && root_length(path) == 3 {
            return;
        }
        // The path is empty or ends with a slash.
        let Some(inner) = path.strip_suffix('/').filter(|inner| !(inner.is_empty() && self.rooted))
        else {
            return self.exceed(target, more);
        };
        let slash = inner.bytes().rposition(|byte| byte == b'/');
        let last = slash.map_or(inner, |slash| &inner[slash + 1..]);
        let stays = match last {
            ".." => matches!(self.rules.excess, Excess::Kept | Excess::Refused),
            "" => !self.rules.climbs_empty_segments,
            _ => false,
        };
        if stays {
            return self.exceed(target, more);
        }
        match slash {
            Some(slash) => {
                let is_kept = more || self.rules.final_dots_leave_slash;
                target.truncate(self.root + slash + usize::from(is_kept));
            }
            None => {
                target.truncate(self.root);
                if self.rules.rootless_climb_leaves_slash {
                    target.push('/');
                }
            }
        }
    }

    /// Writes or drops a `..` that has no segment to remove.
    fn exceed(&self, target: &mut String, more: bool) {
        if self.rules.excess != Excess::Dropped {
            target.push_str(if more { "../" } else { ".." });
        }
    }
}

/// Returns the number of `../` at the start of a path.
#[inline]
pub(crate) fn n_leading_climbs(path: &[u8]) -> usize {
    path.chunks_exact(3).take_while(|segment| segment == b"../").count()
}

/// Returns true if the path has segments that could be removed.
pub(crate) fn has_dot_segments(path: &str, rules: &Rules) -> bool {
    path.split(['/', '\\']).any(|segment| dots(segment, rules.escaped_dots).is_some())
}

/// Returns the kind of dot segment, or `None` for any other segment.
fn dots(segment: &str, escaped: bool) -> Option<Dots> {
    match segment {
        "." => return Some(Dots::Single),
        ".." => return Some(Dots::Double),
        _ => {}
    }
    if !escaped || segment.len() < 3 || segment.len() > 6 {
        return None;
    }
    let first = after_dot(segment)?;
    if first.is_empty() {
        return Some(Dots::Single);
    }
    after_dot(first)?.is_empty().then_some(Dots::Double)
}

/// Returns the text after the dot, escaped or not, with which it begins.
fn after_dot(text: &str) -> Option<&str> {
    text.strip_prefix('.').or_else(|| text.strip_prefix("%2e")).or_else(|| text.strip_prefix("%2E"))
}

// Windows drive letters in `file` URLs of [`Dialect::Web`](crate::Dialect::Web).
//
// Invariant: a drive letter is two bytes, a letter and `:` or `|`; the normalized one has `:`.
// Section: WHATWG URL 4.2 ("Windows drive letter", "starts with a Windows drive letter").

/// Returns true if the bytes are a drive letter, `C:` or `C|`, and nothing else.
pub(crate) fn is_letter(segment: &[u8]) -> bool {
    matches!(segment, [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

/// Returns true if the bytes begin with a drive letter that is a whole segment.
pub(crate) fn begins(text: &[u8]) -> bool {
    text.get(..2).is_some_and(is_letter)
        && matches!(text.get(2), None | Some(b'/' | b'\\' | b'?' | b'#'))
}

/// Returns the length of the slash and drive letter at the start of a `file` path from the root, 3
/// or 0 bytes.
pub(crate) fn root_length(path: &str) -> usize {
    match path.as_bytes() {
        [b'/', rest @ ..] if begins(rest) => 3,
        _ => 0,
    }
}
