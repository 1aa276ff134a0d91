//! Percent-escapes: reading them, and writing what needs them.
//!
//! Invariant: an octet that is escaped already is never touched, so nothing is escaped twice. Sections: RFC 3986
//! 2.1 to 2.3; WHATWG URL 1.3 (percent-encode sets).

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::clean::clean;
use crate::dialect::Dialect;
use crate::scheme::SchemeKind;
use crate::split::Reference;

/// The digits of RFC 3986 2.1: upper case.
const DIGITS: &[u8; 16] = b"0123456789ABCDEF";

/// The octets that a text with percent-escapes stands for (RFC 3986 2.1). A `%` without two hexadecimal digits
/// after it stands for itself.
///
/// ```
/// use urlcore::escape::percent_decode;
///
/// assert_eq!(&*percent_decode("a%2Fb%c3%A9%"), "a/bé%".as_bytes());
/// ```
#[must_use]
pub fn percent_decode(text: &str) -> Cow<'_, [u8]> {
    let bytes = text.as_bytes();
    let Some(first) = bytes.iter().position(|&byte| byte == b'%') else {
        return Cow::Borrowed(bytes);
    };
    let mut decoded = Vec::with_capacity(bytes.len());
    decoded.extend_from_slice(&bytes[..first]);
    let mut rest = &bytes[first..];
    while let Some((&byte, after)) = rest.split_first() {
        if let (b'%', Some(octet)) = (byte, octet(after)) {
            decoded.push(octet);
            rest = &after[2..];
        } else {
            decoded.push(byte);
            rest = after;
        }
    }
    Cow::Owned(decoded)
}

/// Appends the octets of a file name as one segment of a path (RFC 3986 3.3 `pchar`): letters, digits and
/// ``-._~!$&'()*+,;=:@`` as they are, everything else as `%XX`. A name that is a dot segment stays one, since
/// browsers read `%2E` as `.`.
///
/// ```
/// use urlcore::escape::encode_path_segment;
///
/// let mut path = String::from("/");
/// encode_path_segment("100% é?.html".as_bytes(), &mut path);
/// assert_eq!(path, "/100%25%20%C3%A9%3F.html");
/// ```
pub fn encode_path_segment(name: &[u8], path: &mut String) {
    for &byte in name {
        let unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if unreserved || b"!$&'()*+,;=:@".contains(&byte) {
            path.push(char::from(byte));
        } else {
            push_escape(byte, path);
        }
    }
}

/// The same URL reference in ASCII only, as a browser would write it: every character that the browser itself
/// would percent-encode in that component is (WHATWG URL 1.3), and no other; in the host those above ASCII. The
/// reference is [cleaned](clean) for the web first; a relative one is read as under an `http` base.
///
/// ```
/// use urlcore::escape::ascii_web;
///
/// assert_eq!(ascii_web("http://é/é {b}?{é}#<é>"), "http://%C3%A9/%C3%A9%20%7Bb%7D?{%C3%A9}#%3C%C3%A9%3E");
/// assert_eq!(ascii_web("a%20b%c3%a9"), "a%20b%c3%a9");
/// assert_eq!(ascii_web("javascript:a < b"), "javascript:a < b");
/// ```
#[must_use]
pub fn ascii_web(text: &str) -> Cow<'_, str> {
    let text = clean(text, Dialect::Web);
    match ascii_components(&text) {
        Some(ascii) => Cow::Owned(ascii),
        None => text,
    }
}

/// [`ascii_web`] of a cleaned text; `None` if it is the same.
fn ascii_components(text: &str) -> Option<String> {
    if !text.bytes().any(is_in_userinfo_set) {
        return None;
    }
    let r = Reference::split(text, Dialect::Web);
    let (start, end) = r.at.authority.unwrap_or((r.at.path_start, r.at.path_start));
    let host = text[start..end].rfind('@').map_or(start, |at| start + at);
    let is_opaque =
        r.is_absolute() && r.kind() == SchemeKind::Other && start == end && !r.is_rooted();
    let mut ascii = String::with_capacity(text.len() + 16);
    // The scheme and the slashes have nothing to escape.
    ascii.push_str(&text[..start]);
    push(&text[start..host], is_in_userinfo_set, &mut ascii);
    push(&text[host..end], |byte| byte > 0x7F, &mut ascii);
    push(r.path(), if is_opaque { is_in_control_set } else { is_in_path_set }, &mut ascii);
    push(&text[r.at.params_end..r.at.query_end], is_in_query_set, &mut ascii);
    push(&text[r.at.query_end..], is_in_fragment_set, &mut ascii);
    (ascii != text).then_some(ascii)
}

/// Appends a component with the octets of a set escaped.
fn push(component: &str, is_escaped: fn(u8) -> bool, ascii: &mut String) {
    for c in component.chars() {
        let mut buffer = [0; 4];
        for &byte in c.encode_utf8(&mut buffer).as_bytes() {
            if is_escaped(byte) {
                push_escape(byte, ascii);
            } else {
                ascii.push(char::from(byte));
            }
        }
    }
}

/// The C0 control percent-encode set.
fn is_in_control_set(byte: u8) -> bool {
    !(b' '..=b'~').contains(&byte)
}

/// The query percent-encode set without `#`, which cannot stand in a query.
fn is_in_query_set(byte: u8) -> bool {
    is_in_control_set(byte) || matches!(byte, b' ' | b'"' | b'<' | b'>')
}

/// The fragment percent-encode set.
fn is_in_fragment_set(byte: u8) -> bool {
    is_in_control_set(byte) || matches!(byte, b' ' | b'"' | b'<' | b'>' | b'`')
}

/// The path percent-encode set without `#` and `?`, which cannot stand in a path.
fn is_in_path_set(byte: u8) -> bool {
    // `^` is in the set since 2024 only: as it stands, old and new browsers read it as they would have.
    is_in_query_set(byte) || matches!(byte, b'`' | b'{' | b'}')
}

/// The userinfo percent-encode set without the delimiters, whose meaning an escape would change.
fn is_in_userinfo_set(byte: u8) -> bool {
    is_in_path_set(byte)
}

/// Appends an octet as `%XX`.
fn push_escape(byte: u8, text: &mut String) {
    text.push('%');
    text.push(char::from(DIGITS[usize::from(byte >> 4)]));
    text.push(char::from(DIGITS[usize::from(byte & 0xF)]));
}

/// The octet that the two hexadecimal digits stand for with which the octets begin.
fn octet(digits: &[u8]) -> Option<u8> {
    let digit = |i: usize| digits.get(i).and_then(|&byte| char::from(byte).to_digit(16));
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}
