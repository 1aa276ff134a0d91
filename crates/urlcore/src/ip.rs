//! Hosts that are addresses: IPv4 with its many old spellings, and IPv6.
//!
//! Invariant: the answer is that of a browser; no address is computed. Section: WHATWG URL 3.5
//! ("ends-in-a-number checker", "IPv4 parser", "IPv6 parser").

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
        // The last number fills the remaining ones of the four octets.
        let octets = if i + 1 == parts { 5 - parts } else { 1 };
        number(part).is_some_and(|value| value < 256_u64.pow(u32::try_from(octets).unwrap_or(1)))
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
    let is_octet = |part: &str| {
        let digits = part.bytes().all(|byte| byte.is_ascii_digit());
        digits && (part == "0" || !part.starts_with('0')) && part.parse::<u8>().is_ok()
    };
    text.split('.').count() == 4 && text.split('.').all(is_octet)
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
