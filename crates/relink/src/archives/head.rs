//! The start of a page: where something can be inserted that must be the first of its head.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memmem};

/// The byte order mark of UTF-8.
pub(super) const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns bytes with a text at an offset.
pub(super) fn inserted(bytes: &[u8], at: usize, text: &[u8]) -> Cow<'static, [u8]> {
    [&bytes[..at], text, &bytes[at..]].concat().into()
}

/// Returns the span of the XML declaration of a document, which is empty if it has none.
pub(super) fn declaration(bytes: &[u8]) -> Range<usize> {
    const START: &[u8] = b"<?xml";
    let start = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
    let length = bytes[start..]
        .strip_prefix(START)
        .filter(|rest| rest.first().is_some_and(u8::is_ascii_whitespace))
        .and_then(|rest| memmem::find(rest, b"?>"))
        .map_or(0, |end| START.len() + end + "?>".len());
    start..start + length
}

/// Returns the offset at which a `<meta>` is the first element of the head, and changes nothing
/// else: after the tags that are there already.
pub(super) fn start_of_head(bytes: &[u8]) -> usize {
    HeadTags::of(bytes).start
}

/// The tags at the start of a page.
pub(super) struct HeadTags {
    /// The span of the `<html>` tag.
    pub(super) html: Option<Range<usize>>,
    /// The offset before the `<head>` tag, or where it would be.
    pub(super) before: usize,
    /// The offset of the first element in the head.
    pub(super) start: usize,
}

impl HeadTags {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut at = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
        at += bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let mut html = None;
        loop {
            let rest = &bytes[at..];
            let is_tag = |name: &[u8]| {
                rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
                    && rest.get(name.len()).is_some_and(|byte| !byte.is_ascii_alphanumeric())
            };
            let n = if rest.starts_with(b"<!--") {
                memmem::find(rest, b"-->").map(|end| end + 3)
            } else if rest.starts_with(b"<?") {
                // A comment, which ends at its first `>`.
                memchr(b'>', rest).map(|end| end + 1)
            } else if is_tag(b"<!doctype") || is_tag(b"<html") || is_tag(b"<head") {
                end_of_tag(rest)
            } else {
                None
            };
            let Some(n) = n else { return HeadTags { html, before: at, start: at } };
            if is_tag(b"<head") {
                return HeadTags { html, before: at, start: at + n };
            }
            if is_tag(b"<html") {
                html = Some(at..at + n);
            }
            at += n;
            let n_blank = bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            // What follows the blanks may be text, which begins the body.
            match bytes.get(at + n_blank) {
                Some(b'<') => at += n_blank,
                _ => return HeadTags { html, before: at, start: at },
            }
        }
    }
}

/// Returns the length of the tag at the start of some bytes.
fn end_of_tag(bytes: &[u8]) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in bytes.iter().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(*byte),
            (Some(open), byte) if open == *byte => quote = None,
            _ => {}
        }
    }
    None
}
