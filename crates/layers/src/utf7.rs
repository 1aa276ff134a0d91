//! UTF-7 (RFC 2152), a charset of old mail that browsers do not read.

/// The character for what is not UTF-7.
const REPLACEMENT: char = '\u{FFFD}';

/// Returns true for a label of UTF-7.
///
/// # Examples
///
/// ```
/// assert!(relink_layers::utf7::is_label("unicode-1-1-UTF-7"));
/// assert!(!relink_layers::utf7::is_label("utf-8"));
/// ```
pub fn is_label(label: &str) -> bool {
    label.to_ascii_lowercase().contains("utf-7")
}

/// Decodes a text. What is not UTF-7 becomes U+FFFD.
///
/// # Examples
///
/// ```
/// use relink_layers::utf7::decode;
/// assert_eq!(decode(b"Hi Mom +Jjo-! 1 +- 1 +ADw-a+AD4"), "Hi Mom \u{263A}! 1 + 1 <a>");
/// assert_eq!(decode(b"+2D3eAA \xFF +2D0-"), "\u{1F600} \u{FFFD} \u{FFFD}");
/// ```
pub fn decode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'+' {
            out.push(if first.is_ascii() { char::from(*first) } else { REPLACEMENT });
            continue;
        }
        let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        let n_digits = rest.iter().take_while(|byte| is_digit(byte)).count();
        let (digits, after) = rest.split_at(n_digits);
        rest = after.strip_prefix(b"-").unwrap_or(after);
        if digits.is_empty() {
            out.push(if rest.len() < after.len() { '+' } else { REPLACEMENT });
            continue;
        }
        let bytes = crate::base64::decode(digits).bytes;
        let units = bytes.chunks_exact(2).map(|unit| u16::from_be_bytes([unit[0], unit[1]]));
        out.extend(char::decode_utf16(units).map(|char| char.unwrap_or(REPLACEMENT)));
    }
    out
}
