//! The fields of a line of a journal.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::os::paths;

/// Returns a line of fields.
pub(super) fn line(name: &str, fields: &[&[u8]]) -> String {
    let mut line = name.to_owned();
    for field in fields {
        line.push('\t');
        escape(field, &mut line);
    }
    line.push('\n');
    line
}

/// Adds a field to a line: everything but plain ASCII is percent-escaped.
pub(super) fn escape(field: &[u8], out: &mut String) {
    for byte in field {
        match byte {
            b'%' | 0..b' ' | 0x7f.. => out.push_str(&format!("%{byte:02X}")),
            byte => out.push(char::from(*byte)),
        }
    }
}

/// Returns the octets of a field.
pub(super) fn unescaped(field: &str) -> Vec<u8> {
    urlcore::escape::percent_decode(field).into_owned()
}

/// Returns a word of the system.
pub(super) fn word(field: &str) -> Option<OsString> {
    paths::os_str(&unescaped(field)).map(OsStr::to_owned)
}

/// Returns a path, if it stays below the directory that it is joined to.
pub(super) fn path_below(field: &str) -> Option<PathBuf> {
    paths::from_bytes(&unescaped(field))
}

/// Returns a name in the same directory; `Some(None)` if the field is empty.
pub(super) fn name(field: &str) -> Option<Option<OsString>> {
    if field.is_empty() {
        return Some(None);
    }
    let path = path_below(field)?;
    (path.components().count() == 1).then(|| Some(path.into()))
}
