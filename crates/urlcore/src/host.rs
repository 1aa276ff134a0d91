//! The check that a browser accepts an authority.
//!
//! Invariant: nothing is normalized and there are no tables for internationalized names: a host
//! that only such a table forbids is accepted. Sections: WHATWG URL 3.5 (host parser) and 4.4
//! ("authority state", "port state").
//!
//! Hosts that are addresses: IPv4 with its many old spellings, and IPv6.
//!
//! Invariant: the answer is that of a browser; no address is computed. Section: WHATWG URL 3.5
//! ("ends-in-a-number checker", "IPv4 parser", "IPv6 parser").

use core::fmt;

use crate::dialect::Dialect;
use crate::escape::percent_decode;
use crate::scheme_kind::SchemeKind;

/// The reason why no browser accepts an authority.
///
/// # Examples
///
/// ```
/// use urlcore::{HostErrorKind, is_valid_host};
///
/// let error = is_valid_host("u@a b", "http").unwrap_err();
/// assert_eq!((error.kind(), error.index()), (HostErrorKind::ForbiddenCharacter, 3));
/// assert_eq!(error.to_string(), "forbidden character in host at byte 3 of the authority");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostError {
    kind: HostErrorKind,
    index: usize,
}

/// The kind of error in an authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HostErrorKind {
    /// The host is empty, but the URL needs one.
    Empty,
    /// The host has a character that no host may have, possibly percent-encoded. The index is that
    /// of the host if that of the character is not known.
    ForbiddenCharacter,
    /// The host begins with `[` and is not an IPv6 address in brackets.
    InvalidIpv6,
    /// The last label of the host is a number, but the host is not an IPv4 address.
    InvalidIpv4,
    /// The port is not a number, or is above 65,535.
    InvalidPort,
}

impl HostError {
    /// Returns the kind of error.
    #[must_use]
    pub fn kind(&self) -> HostErrorKind {
        self.kind
    }

    /// Returns the index of a byte of the authority at which the error is.
    #[must_use]
    pub fn index(&self) -> usize {
        self.index
    }
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            HostErrorKind::Empty => "missing host",
            HostErrorKind::ForbiddenCharacter => "forbidden character in host",
            HostErrorKind::InvalidIpv6 => "invalid ipv6 address",
            HostErrorKind::InvalidIpv4 => "invalid ipv4 address",
            HostErrorKind::InvalidPort => "invalid port",
        };
        write!(f, "{what} at byte {} of the authority", self.index)
    }
}

impl core::error::Error for HostError {}

/// Checks that a browser accepts an authority, with userinfo and port, in a URL with this scheme
/// (WHATWG URL 3.5).
///
/// # Errors
///
/// [`HostError`] with the index of a byte of the authority. Names that only the tables of UTS 46
/// forbid are accepted.
///
/// # Examples
///
/// ```
/// use urlcore::is_valid_host;
///
/// assert!(is_valid_host("user@example.org:8080", "http").is_ok());
/// assert!(is_valid_host("", "http").is_err());
/// assert!(is_valid_host("", "file").is_ok());
/// assert!(is_valid_host("256.0.0.1", "http").is_err());
/// assert!(is_valid_host("256.0.0.1", "foo").is_ok());
/// assert!(is_valid_host("[::1", "foo").is_err());
/// ```
pub fn is_valid_host(authority: &str, scheme: &str) -> Result<(), HostError> {
    check(authority, Dialect::Web.rules().kind_of(scheme))
}

/// Checks as [`is_valid_host`] does, for a kind of scheme.
#[inline]
pub(crate) fn check(authority: &str, kind: SchemeKind) -> Result<(), HostError> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    let label = authority.bytes().rposition(|byte| byte == b'.').map_or(0, |dot| dot + 1);
    let is_word = authority.as_bytes().get(label).is_some_and(u8::is_ascii_alphabetic);
    if is_word && authority.bytes().all(is_name) {
        // This is true of most hosts: they have no forbidden character and do not end in a number.
        return Ok(());
    }
    check_parts(authority, kind)
}

/// Checks the parts of an authority. In a `file` URL all of it is the host.
fn check_parts(authority: &str, kind: SchemeKind) -> Result<(), HostError> {
    if kind == SchemeKind::File {
        return if authority.is_empty() { Ok(()) } else { check_host(authority, 0, kind) };
    }
    let start = authority.rfind('@').map_or(0, |at| at + 1);
    let rest = &authority[start..];
    let end = host_length(rest);
    let host = &rest[..end];
    let port = rest.get(end + 1..);
    if host.is_empty() {
        let needed = kind == SchemeKind::Special || start > 0 || port.is_some();
        return if needed {
            Err(HostError { kind: HostErrorKind::Empty, index: start })
        } else {
            Ok(())
        };
    }
    check_host(host, start, kind)?;
    match port {
        Some(port) if !is_port(port) => {
            Err(HostError { kind: HostErrorKind::InvalidPort, index: start + end + 1 })
        }
        _ => Ok(()),
    }
}

/// Returns the length of the host in bytes, up to the first `:` outside brackets.
fn host_length(host: &str) -> usize {
    let mut bracketed = false;
    for (i, byte) in host.bytes().enumerate() {
        match byte {
            b'[' => bracketed = true,
            b']' => bracketed = false,
            b':' if !bracketed => return i,
            _ => {}
        }
    }
    host.len()
}

/// Returns true for a port number, and for an empty one.
fn is_port(port: &str) -> bool {
    let digits = port.bytes().all(|byte| byte.is_ascii_digit());
    digits
        && (port.is_empty()
            || port.trim_start_matches('0').len() < 5
            || port.parse::<u32>().is_ok_and(|n| n <= 65_535))
}

/// Checks a host that is not empty; `start` is its index in the authority.
fn check_host(host: &str, start: usize, kind: SchemeKind) -> Result<(), HostError> {
    let error = |kind, index| Err(HostError { kind, index: start + index });
    if let Some(inner) = host.strip_prefix('[') {
        let valid = inner.strip_suffix(']').is_some_and(is_ipv6);
        return if valid { Ok(()) } else { error(HostErrorKind::InvalidIpv6, 0) };
    }
    if kind == SchemeKind::Other {
        let forbidden = host.bytes().position(is_forbidden_in_host);
        return forbidden.map_or(Ok(()), |index| error(HostErrorKind::ForbiddenCharacter, index));
    }
    let decoded = percent_decode(host);
    if let Some(index) = decoded.iter().position(|&byte| is_forbidden_in_domain(byte)) {
        let index = if decoded.len() == host.len() { index } else { 0 };
        return error(HostErrorKind::ForbiddenCharacter, index);
    }
    match core::str::from_utf8(&decoded) {
        Ok(domain) if ends_in_number(domain) && !is_ipv4(domain) => {
            error(HostErrorKind::InvalidIpv4, 0)
        }
        Ok(_) => Ok(()),
        // Decoding yields U+FFFD, which no domain may contain.
        Err(_) => error(HostErrorKind::ForbiddenCharacter, 0),
    }
}

/// Returns true for the forbidden host code points of WHATWG URL 3.2.
fn is_forbidden_in_host(byte: u8) -> bool {
    matches!(
        byte,
        0 | b'\t' | b'\n' | b'\r' | b' ' | b'#' | b'/' | b':' | b'<' | b'>' | b'?' | b'@'
    ) || matches!(byte, b'[' | b'\\' | b']' | b'^' | b'|')
}

/// Returns true for the forbidden domain code points of WHATWG URL 3.2.
fn is_forbidden_in_domain(byte: u8) -> bool {
    is_forbidden_in_host(byte) || byte < b' ' || byte == b'%' || byte == 0x7F
}

/// Returns true if the last label of the domain is a number. An empty label after it is ignored.
pub(crate) fn ends_in_number(domain: &str) -> bool {
    let domain = domain.strip_suffix('.').unwrap_or(domain);
    let last = domain.rsplit('.').next().unwrap_or(domain);
    let digits = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    digits || number(last).is_some()
}

/// Returns true if the domain, which ends in a number, is an IPv4 address.
pub(crate) fn is_ipv4(domain: &str) -> bool {
    let domain = domain.strip_suffix('.').unwrap_or(domain);
    let parts = domain.split('.').count();
    if parts > 4 {
        return false;
    }
    domain.split('.').enumerate().all(|(i, part)| {
        // The last number fills the remaining ones of the four bytes.
        let bytes = if i + 1 == parts { 5 - parts } else { 1 };
        number(part).is_some_and(|value| value < 256_u64.pow(u32::try_from(bytes).unwrap_or(1)))
    })
}

/// Returns the value of a decimal, octal (`0…`) or hexadecimal (`0x…`) number; `u64::MAX` if it is
/// larger.
fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.as_bytes() {
        [] => return None,
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    digits.chars().try_fold(0_u64, |value, c| {
        let digit = c.to_digit(radix)?;
        Some(value.saturating_mul(u64::from(radix)).saturating_add(u64::from(digit)))
    })
}

/// Returns true if the text, without its brackets, is an IPv6 address.
pub(crate) fn is_ipv6(text: &str) -> bool {
    let (head, tail) = match text.split_once("::") {
        Some((head, tail)) => (head, Some(tail)),
        None => (text, None),
    };
    match tail {
        // A second `::` leaves an empty piece, which is invalid.
        Some(tail) => match (pieces(head, false), pieces(tail, true)) {
            (Some(before), Some(after)) => before + after <= 7,
            _ => false,
        },
        None => !head.is_empty() && pieces(head, true) == Some(8),
    }
}

/// Returns the number of 16-bit pieces in a text without `::`; the last may be an IPv4 address,
/// which counts as two. `None` if a piece is invalid.
fn pieces(text: &str, ends: bool) -> Option<usize> {
    if text.is_empty() {
        return Some(0);
    }
    let mut n_pieces = 0;
    let mut parts = text.split(':').peekable();
    while let Some(part) = parts.next() {
        let hexadecimal = part.bytes().all(|byte| byte.is_ascii_hexdigit());
        n_pieces += match part.len() {
            1..=4 if hexadecimal => 1,
            _ if ends && parts.peek().is_none() && is_dotted_quad(part) => 2,
            _ => return None,
        };
    }
    Some(n_pieces)
}

/// Returns true for four decimal numbers up to 255 without leading zeros.
fn is_dotted_quad(text: &str) -> bool {
    let is_byte = |part: &str| {
        let digits = part.bytes().all(|byte| byte.is_ascii_digit());
        digits && (part == "0" || !part.starts_with('0')) && part.parse::<u8>().is_ok()
    };
    text.split('.').count() == 4 && text.split('.').all(is_byte)
}

/// Returns true for the address of a future version in an IP literal (RFC 3986 3.2.2, `IPvFuture`):
/// `v`, hexadecimal digits, `.`, characters.
pub(crate) fn is_future(text: &str) -> bool {
    let Some((version, address)) = text.split_once('.') else { return false };
    let digits = version.strip_prefix(['v', 'V']).unwrap_or_default();
    let is_character =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:".contains(&byte);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        && !address.is_empty()
        && address.bytes().all(is_character)
}
