//! Field codes of word processors: `HYPERLINK "a.docx" \l "part"` (ISO/IEC 29500-1, 17.16.5).
//!
//! A part of a code is skipped and reported: another field in it gives the rest of its argument.

use layers::{Layer, Span};

use crate::format::found::{Against, Delimiters, Found, Value, ValueEncoding};
use crate::report::skip::SkipReason;
use crate::slots::SlotId;

/// The fields with a file or URL: the number of the argument, and the switches with an argument of
/// their own, besides those of all fields.
const FIELDS: [(&str, usize, &str); 7] = [
    ("HYPERLINK", 0, "lot"),
    ("INCLUDEPICTURE", 0, "c"),
    ("INCLUDETEXT", 0, "cntx"),
    ("INCLUDE", 0, "c"),
    ("IMPORT", 0, "c"),
    ("LINK", 1, "f"),
    ("RD", 0, ""),
];

/// The switches of all fields, which have an argument.
const COMMON: &str = "*#@";

/// Finds the file or URL of a field.
pub(crate) fn find(text: &str, slot: SlotId, found: &mut Found) {
    let mut words = Words { text, at: 0 };
    let Some(name) = words.next() else { return };
    let name = name.map_or("", |name| &text[name.start..name.end]);
    let field = FIELDS.iter().find(|(field, ..)| field.eq_ignore_ascii_case(name));
    let Some((field, number, switches)) = field else {
        // The words of another field mean something else. What has no name is a part of a code.
        let has_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic());
        if !has_name && words.any(|word| word.is_none()) {
            found.skipped.push((SkipReason::FieldCode, 0));
        }
        return;
    };
    let (mut n_arguments, mut is_local) = (0, false);
    while let Some(word) = words.next() {
        let Some(word) = word else {
            is_local = false;
            break;
        };
        let raw = &text[word.start..word.end];
        let is_quoted = text[..word.start].ends_with('"');
        if let Some(switch) = raw.strip_prefix('\\').filter(|rest| !is_quoted && rest.len() == 1) {
            is_local |= switch.eq_ignore_ascii_case("l");
            if switches.contains(&switch.to_ascii_lowercase()) || COMMON.contains(switch) {
                words.next();
            }
            continue;
        }
        if n_arguments == *number {
            let delimiters = if is_quoted { Delimiters::None } else { Delimiters::Space };
            let written = ValueEncoding::In(Layer::FieldCode);
            let is_hyperlink = *field == FIELDS[0].0;
            let against = if is_hyperlink { Against::Hyperlinks } else { Against::Base };
            let value = Value::item(word, slot, delimiters);
            found.values.push(Value { written, against, ..value });
            return;
        }
        n_arguments += 1;
    }
    // That of a place in the document needs no URL.
    if !(is_local && *number == 0) {
        found.skipped.push((SkipReason::FieldCode, text.len()));
    }
}

/// The words of a code, without their quotes; `None` for one whose quote does not end.
struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Words<'_> {
    type Item = Option<Span>;

    fn next(&mut self) -> Option<Option<Span>> {
        let rest = &self.text[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        let rest = &self.text[start..];
        let Some(quoted) = rest.strip_prefix('"') else {
            let end = rest.find(|char: char| char.is_whitespace() || char == '"');
            self.at = start + end.unwrap_or(rest.len());
            return (self.at > start).then_some(Some(Span::new(start, self.at)));
        };
        let mut is_escaped = false;
        let end = quoted.bytes().position(|byte| {
            let is_end = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        });
        let inner = end.map(|len| Span::new(start + 1, start + 1 + len));
        self.at = inner.map_or(self.text.len(), |inner| inner.end + 1);
        Some(inner)
    }
}
