//! The decoding of the data in a component, where that loses nothing.
//!
//! Invariant: [`decode`] is the inverse of [`encode`](crate::escape::encode). Section: 1996 2.3.2:
//! "a URL must be separated into its components before the escaped characters within those
//! components can be safely decoded".

use alloc::vec::Vec;
use core::fmt;

use crate::classes::escaped_octet;
use crate::escape::Component;

/// The reason why escapes cannot be decoded, with the offset of the escape in octets.
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
pub enum DecodeError {
    /// A `%` without two hexadecimal digits after it.
    NoEscape {
        /// The offset of the `%`, in octets.
        at: usize,
    },
    /// An escaped delimiter in a component that also has unescaped delimiters: decoded, the two
    /// would be the same.
    Delimiter {
        /// The offset of the escape, in octets.
        at: usize,
        /// The escaped octet.
        octet: u8,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            DecodeError::NoEscape { at } => {
                write!(f, "byte {at}: '%' without two hexadecimal digits; data have '%25' for it")
            }
            DecodeError::Delimiter { at, octet } => write!(
                f,
                "byte {at}: '%{octet:02X}' is data, and '{}' a delimiter here; split the component first",
                char::from(octet)
            ),
        }
    }
}

impl core::error::Error for DecodeError {}

/// Returns the octets that a component, or a part of one, represents.
///
/// # Errors
///
/// [`DecodeError`] if a `%` begins no escape, and if an escape represents a delimiter of the
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
pub fn decode(text: &str, component: Component) -> Result<Vec<u8>, DecodeError> {
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
        let octet = escaped_octet(&bytes[at + 1..]).ok_or(DecodeError::NoEscape { at })?;
        if is_lost(octet) {
            return Err(DecodeError::Delimiter { at, octet });
        }
        data.push(octet);
        at += 3;
    }
    Ok(data)
}
