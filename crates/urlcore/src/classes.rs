//! What each octet can be, looked up, and what an escape stands for.

/// A letter, a digit, `+`, `-` or `.`, which schemes are made of.
pub(crate) const SCHEME: u8 = 1;

/// What each octet can be.
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

/// The octet that the two hexadecimal digits stand for with which the octets begin.
pub(crate) fn escaped_octet(digits: &[u8]) -> Option<u8> {
    let digit = |i: usize| digits.get(i).and_then(|&byte| char::from(byte).to_digit(16));
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}
