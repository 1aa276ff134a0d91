//! Windows drive letters in `file` URLs of [`Dialect::Web`](crate::Dialect::Web).
//!
//! Invariant: a drive letter is two bytes, a letter and `:` or `|`; the normalized one has `:`.
//! Section: WHATWG URL 4.2 ("Windows drive letter", "starts with a Windows drive letter").

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
