//! The character classes of bytes, and the byte that an escape represents.

/// The class of the bytes of schemes: letters, digits, `+`, `-` and `.` (RFC 3986 3.1).
pub(crate) const SCHEME: u8 = 1;

/// The classes of each byte, as a bit set.
pub(crate) static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut octet = 0_u8;
    while octet < 128 {
        classes[octet as usize] = match octet {
            b'+' | b'-' | b'.' => SCHEME,
            _ if octet.is_ascii_alphanumeric() => SCHEME,
            _ => 0,
        };
        octet += 1;
    }
    classes
};

/// Returns the byte that the two hexadecimal digits at the start represent (RFC 3986 2.1).
pub(crate) fn escaped_octet(digits: &[u8]) -> Option<u8> {
    let digit = |i: usize| digits.get(i).and_then(|&byte| char::from(byte).to_digit(16));
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}
