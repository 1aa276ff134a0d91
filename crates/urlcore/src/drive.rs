//! Windows drive letters in `file` URLs of the web.
//!
//! Invariant: a drive letter is two octets, a letter and `:` or `|`; it is normal with `:`. Section: WHATWG URL 4.2
//! ("Windows drive letter", "starts with a Windows drive letter").

/// True if the octets are a drive letter, `C:` or `C|`, and nothing else.
pub(crate) fn is_letter(segment: &[u8]) -> bool {
    matches!(segment, [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

/// True if the octets begin with a drive letter that is a whole segment.
pub(crate) fn begins(text: &[u8]) -> bool {
    text.get(..2).is_some_and(is_letter)
        && matches!(text.get(2), None | Some(b'/' | b'\\' | b'?' | b'#'))
}

/// The length of the slash and drive letter with which a `file` path from the root begins, 3 or 0.
pub(crate) fn root_length(path: &str) -> usize {
    match path.as_bytes() {
        [b'/', rest @ ..] if begins(rest) => 3,
        _ => 0,
    }
}
