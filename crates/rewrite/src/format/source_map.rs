//! The comment that names the source map of a script or style sheet (ECMA-426, section 11.1.2.1).

use layers::Span;

use crate::format::found::{Delimiters, Value};
use crate::slots::SlotId;

const JS: SlotId = SlotId::named("js sourceMappingURL");

/// Returns the URL in a comment, which starts at `start`, without its delimiters.
pub(super) fn in_comment(comment: &str, start: usize) -> Option<Span> {
    let rest = comment.strip_prefix(['#', '@'])?.trim_start();
    let url = rest.strip_prefix("sourceMappingURL=")?;
    let at = start + comment.len() - url.len();
    let url = url.trim_end();
    let is_one = !url.is_empty() && !url.contains(char::is_whitespace);
    is_one.then(|| Span::new(at, at + url.len()))
}

/// Returns the URL of the source map of a script: it is in the last line, or only comments follow
/// its line. A comment after code in one line is not read, because the code may contain it.
pub(super) fn of_script(script: &str) -> Option<Value> {
    let mut rest = script;
    loop {
        rest = rest.trim_end();
        let start = rest.rfind(['\n', '\r', '\u{2028}', '\u{2029}']);
        let start = start.map_or(0, |at| at + rest[at..].chars().next().map_or(1, char::len_utf8));
        let line = rest[start..].trim_start();
        let comment = line.strip_prefix("//")?;
        if let Some(span) = in_comment(comment, rest.len() - comment.len()) {
            return Some(Value::item(span, JS, Delimiters::Space));
        }
        rest = &rest[..start];
    }
}
