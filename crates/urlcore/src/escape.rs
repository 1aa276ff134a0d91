//! Percent-escapes: encoding data with them, and the public path of their decoding.
//!
//! Invariant: a byte that is escaped already is never changed, so nothing is escaped twice.
//! Sections: RFC 3986 2.1 to 2.3; 1996 2.3; WHATWG URL 1.3 (percent-encode sets).

use alloc::borrow::Cow;
use alloc::string::String;

use crate::classes::escaped_octet;
use crate::clean::clean;
use crate::dialect::Dialect;
use crate::scheme_kind::SchemeKind;
use crate::split::Reference;

pub use crate::component::Component;
pub use crate::unescape::{UnescapeError, decode, percent_decode};

/// The digits of RFC 3986 2.1: upper case.
const DIGITS: &[u8; 16] = b"0123456789ABCDEF";

/// Appends the bytes of a file name as one segment of a path (RFC 3986 3.3 `pchar`): letters,
/// digits and ``-._~!$&'()*+,;=:@`` unchanged, everything else as `%XX`. A name that is a dot
/// segment is not escaped, since browsers read `%2E` as `.` too.
///
/// # Examples
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

/// Appends data as a component, or a part of one: characters that its grammar allows and that are
/// no delimiters are written unchanged, everything else is escaped, `%` too. [`percent_decode`] is
/// the inverse. For text that has escapes already use [`complete`].
///
/// # Examples
///
/// ```
/// use urlcore::Dialect;
/// use urlcore::escape::{Component, encode};
///
/// let encoded = |data: &str, dialect| {
///     let mut text = String::new();
///     encode(data.as_bytes(), Component::Segment, dialect, &mut text);
///     text
/// };
/// assert_eq!(encoded("50% ~a/b;c", Dialect::Rfc3986), "50%25%20~a%2Fb%3Bc");
/// assert_eq!(encoded("50% ~a/b;c", Dialect::Rfc1808), "50%25%20%7Ea%2Fb%3Bc");
/// ```
pub fn encode(data: &[u8], component: Component, dialect: Dialect, text: &mut String) {
    let (set, delimiters) = component.sets(dialect);
    for &byte in data {
        if set.has(byte) && !delimiters.has(byte) {
            text.push(char::from(byte));
        } else {
            push_escape(byte, text);
        }
    }
}

/// Returns the text of a component with the characters that its grammar does not allow escaped.
/// Existing escapes are kept, so nothing is escaped twice; a `%` that begins none is escaped.
///
/// # Examples
///
/// ```
/// use urlcore::Dialect;
/// use urlcore::escape::{Component, complete};
///
/// assert_eq!(complete("/a%20b c/100%", Component::Path, Dialect::Rfc3986), "/a%20b%20c/100%25");
/// assert_eq!(complete("/{a}", Component::Path, Dialect::Rfc1808Draft05), "/{a}");
/// ```
#[must_use]
pub fn complete(text: &str, component: Component, dialect: Dialect) -> Cow<'_, str> {
    let (set, _) = component.sets(dialect);
    let bytes = text.as_bytes();
    let is_kept = |at: usize| match bytes[at] {
        b'%' => escaped_octet(&bytes[at + 1..]).is_some(),
        byte => set.has(byte),
    };
    if (0..bytes.len()).all(is_kept) {
        return Cow::Borrowed(text);
    }
    let mut completed = String::with_capacity(text.len() + 16);
    for (at, &byte) in bytes.iter().enumerate() {
        if is_kept(at) {
            completed.push(char::from(byte));
        } else {
            push_escape(byte, &mut completed);
        }
    }
    Cow::Owned(completed)
}

/// Returns the same URL reference in ASCII only, as a browser would write it: it escapes every
/// character that a browser itself would percent-encode in that component (WHATWG URL 1.3), and no
/// other; in the host those above ASCII. The reference is [cleaned](clean) for the web first; a
/// relative one is read as with an `http` base.
///
/// # Examples
///
/// ```
/// use urlcore::escape::ascii_web;
///
/// let ascii = ascii_web("http://é/é {b}?{é}#<é>");
/// assert_eq!(ascii, "http://%C3%A9/%C3%A9%20%7Bb%7D?{%C3%A9}#%3C%C3%A9%3E");
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

/// Returns [`ascii_web`] of a cleaned text; `None` if nothing changes.
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

/// Appends a component with the bytes of a set escaped.
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

/// Returns true for the C0 control percent-encode set.
fn is_in_control_set(byte: u8) -> bool {
    !(b' '..=b'~').contains(&byte)
}

/// Returns true for the query percent-encode set without `#`, which a query cannot contain.
fn is_in_query_set(byte: u8) -> bool {
    is_in_control_set(byte) || matches!(byte, b' ' | b'"' | b'<' | b'>')
}

/// Returns true for the fragment percent-encode set.
fn is_in_fragment_set(byte: u8) -> bool {
    is_in_control_set(byte) || matches!(byte, b' ' | b'"' | b'<' | b'>' | b'`')
}

/// Returns true for the path percent-encode set without `#` and `?`, which a path cannot contain.
fn is_in_path_set(byte: u8) -> bool {
    // `^` is in the set only since 2024: unescaped, old and new browsers read it as before.
    is_in_query_set(byte) || matches!(byte, b'`' | b'{' | b'}')
}

/// Returns true for the userinfo percent-encode set without the delimiters, whose meaning an escape
/// would change.
fn is_in_userinfo_set(byte: u8) -> bool {
    is_in_path_set(byte)
}

/// Appends a byte as `%XX`.
pub(crate) fn push_escape(byte: u8, text: &mut String) {
    text.push('%');
    text.push(char::from(DIGITS[usize::from(byte >> 4)]));
    text.push(char::from(DIGITS[usize::from(byte & 0xF)]));
}
