//! The decoding of escapes: of any text, and of the data in a component, where that loses nothing.
//!
//! Invariant: [`decode`] is the inverse of [`encode`](crate::escape::encode). Section: 1996 2.3.2:
//! "a URL must be separated into its components before the escaped characters within those
//! components can be safely decoded".

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use crate::classes::escaped_octet;
use crate::component::Component;

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
        if let (b'%', Some(octet)) = (byte, escaped_octet(after)) {
            decoded.push(octet);
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
        octet: u8,
    },
}

impl fmt::Display for UnescapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            UnescapeError::NoEscape { at } => {
                write!(f, "byte {at}: '%' without two hexadecimal digits; data have '%25' for it")
            }
            UnescapeError::Delimiter { at, octet } => write!(
                f,
                "byte {at}: '%{octet:02X}' is data, and '{}' a delimiter here; split the component first",
                char::from(octet)
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
    let is_lost = |octet: u8| match (component, octet) {
        (Component::Path, b'/') => true,
        _ => has_delimiters && delimiters.contains(&octet),
    };
    let mut data = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte != b'%' {
            data.push(byte);
            at += 1;
            continue;
        }
        let octet = escaped_octet(&bytes[at + 1..]).ok_or(UnescapeError::NoEscape { at })?;
        if is_lost(octet) {
            return Err(UnescapeError::Delimiter { at, octet });
        }
        data.push(octet);
        at += 3;
    }
    Ok(data)
}
