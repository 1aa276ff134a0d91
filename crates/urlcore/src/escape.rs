//! Percent-escapes: encoding data in the components of references, and decoding it.
//!
//! Invariant: a byte that is escaped already is never changed, so nothing is escaped twice.
//! Sections: RFC 3986 2.1 to 2.3; 1996 2.3; WHATWG URL 1.3 (percent-encode sets).

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::dialect::Dialect;
use crate::grammar::{ALPHANUM, CharacterSet};
use crate::scan::escaped_byte;
use crate::scheme_kind::SchemeKind;
use crate::split::{Reference, clean};

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
    const PCHAR: CharacterSet = ALPHANUM.or(CharacterSet::new("-._~!$&'()*+,;=:@"));
    push_data(name, PCHAR, path);
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
    push_data(data, set.without(delimiters), text);
}

/// Appends data with the bytes escaped that are not in a set.
fn push_data(data: &[u8], kept: CharacterSet, text: &mut String) {
    for run in data.chunk_by(|a, b| kept.has(*a) == kept.has(*b)) {
        match core::str::from_utf8(run) {
            Ok(plain) if kept.has(run[0]) => text.push_str(plain),
            _ => run.iter().for_each(|byte| push_escape(*byte, text)),
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
        b'%' => escaped_byte(&bytes[at + 1..]).is_some(),
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

// The components of a reference that hold data, and the characters that each may contain.
//
// Invariant: what is a delimiter in a component is never data in it. Sections: RFC 3986 2.2; 1996
// 2.3.2.

/// A component of a reference, or a part of one, that holds data.
///
/// # Examples
///
/// ```
/// use urlcore::Dialect;
/// use urlcore::escape::{Component, encode};
///
/// let mut query = String::from("?q=");
/// encode(b"a&b=c", Component::Query, Dialect::Rfc3986, &mut query);
/// assert_eq!(query, "?q=a%26b%3Dc");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Component {
    /// A user, or a password.
    User,
    /// A segment of a path, or the name in it before its parameters.
    Segment,
    /// A path: slashes are kept.
    Path,
    /// A query, or the name or value of one: `&`, `=`, `+` and `;` are escaped.
    Query,
    /// A fragment.
    Fragment,
}

impl Component {
    /// All components, with their names on command lines.
    pub const ALL: [(&'static str, Component); 5] = [
        ("user", Component::User),
        ("segment", Component::Segment),
        ("path", Component::Path),
        ("query", Component::Query),
        ("fragment", Component::Fragment),
    ];

    /// Returns the bytes that are delimiters in the component, which data must not contain
    /// unescaped.
    pub(crate) fn delimiters(self) -> &'static [u8] {
        match self {
            Component::User | Component::Fragment => b"",
            Component::Segment => b"/;=?",
            Component::Path => b";=?",
            Component::Query => b"&=+;",
        }
    }

    /// Returns the characters that the grammar of a dialect allows in the component, and those of
    /// them that are delimiters, which data must not contain unescaped.
    pub(crate) fn sets(self, dialect: Dialect) -> (CharacterSet, CharacterSet) {
        let grammar = dialect.grammar();
        // The grammar of 1993 allows spaces and quotes, which "imperfect gateways" corrupt.
        let frail = CharacterSet::new(" \"");
        let set = match self {
            Component::User => grammar.unreserved,
            Component::Segment | Component::Path => grammar.path.set,
            Component::Query => grammar.query.set,
            Component::Fragment => grammar.fragment.set,
        };
        (set, CharacterSet::from_bytes(self.delimiters()).or(frail))
    }
}

// The decoding of escapes: of any text, and of the data in a component, where that loses nothing.
//
// Invariant: [`decode`] is the inverse of [`encode`](crate::escape::encode). Section: 1996 2.3.2:
// "a URL must be separated into its components before the escaped characters within those
// components can be safely decoded".

/// Returns the bytes that a text with percent-escapes represents (RFC 3986 2.1). A `%` without two
/// hexadecimal digits after it is kept.
///
/// # Examples
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
        if let (b'%', Some(byte)) = (byte, escaped_byte(after)) {
            decoded.push(byte);
            rest = &after[2..];
        } else {
            decoded.push(byte);
            rest = after;
        }
    }
    Cow::Owned(decoded)
}

/// The reason why escapes cannot be decoded, with the offset of the escape in bytes.
///
/// # Examples
///
/// ```
/// use urlcore::escape::{Component, decode};
///
/// let error = decode("a%2Fb", Component::Path).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "byte 1: '%2F' is data, and '/' a delimiter here; split the component first"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnescapeError {
    /// A `%` without two hexadecimal digits after it.
    NoEscape {
        /// The offset of the `%`, in bytes.
        at: usize,
    },
    /// An escaped delimiter in a component that also has unescaped delimiters: decoded, the two
    /// would be the same.
    Delimiter {
        /// The offset of the escape, in bytes.
        at: usize,
        /// The escaped byte.
        byte: u8,
    },
}

impl fmt::Display for UnescapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            UnescapeError::NoEscape { at } => {
                write!(f, "byte {at}: '%' without two hexadecimal digits; data have '%25' for it")
            }
            UnescapeError::Delimiter { at, byte } => write!(
                f,
                "byte {at}: '%{byte:02X}' is data, and '{}' a delimiter here; split the component first",
                char::from(byte)
            ),
        }
    }
}

impl core::error::Error for UnescapeError {}

/// Returns the bytes that a component, or a part of one, represents.
///
/// # Errors
///
/// [`UnescapeError`] if a `%` begins no escape, and if an escape represents a delimiter of the
/// component while the text also has unescaped delimiters: `a=b%26c` and `a=b&c` are not the same
/// query. An escaped slash in a [`Component::Path`] is always an error.
///
/// # Examples
///
/// ```
/// use urlcore::escape::{Component, decode};
///
/// assert_eq!(decode("50%25%20%C3%A9", Component::Segment).unwrap(), "50% é".as_bytes());
/// assert_eq!(decode("b%26c", Component::Query).unwrap(), b"b&c");
/// assert!(decode("a=b%26c", Component::Query).is_err());
/// assert!(decode("100%", Component::Segment).is_err());
/// ```
pub fn decode(text: &str, component: Component) -> Result<Vec<u8>, UnescapeError> {
    let bytes = text.as_bytes();
    let delimiters = component.delimiters();
    let has_delimiters = bytes.iter().any(|byte| delimiters.contains(byte));
    let is_lost = |byte: u8| match (component, byte) {
        (Component::Path, b'/') => true,
        _ => has_delimiters && delimiters.contains(&byte),
    };
    let mut data = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte != b'%' {
            data.push(byte);
            at += 1;
            continue;
        }
        let byte = escaped_byte(&bytes[at + 1..]).ok_or(UnescapeError::NoEscape { at })?;
        if is_lost(byte) {
            return Err(UnescapeError::Delimiter { at, byte });
        }
        data.push(byte);
        at += 3;
    }
    Ok(data)
}
