//! Escapes in the strings of ECMAScript.
//!
//! Invariant: a unit's raw bytes are exactly one escape (two, if they are the halves of one
//! character) or one line continuation. ECMA-262, section 12.9.4 ("String Literals"), without the
//! octal escapes, which modules do not have.

use memchr::memchr;

use crate::Span;
use crate::map::{Builder, Decoded};

/// The quotes of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsQuote {
    /// `"x"`
    Double,
    /// `'x'`
    Single,
}

impl JsQuote {
    /// Returns the quote character.
    pub const fn byte(self) -> u8 {
        match self {
            JsQuote::Double => b'"',
            JsQuote::Single => b'\'',
        }
    }
}

/// The text that an escape represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escaped {
    Char(char),
    /// Half of a character: a surrogate of UTF-16.
    Half(u16),
    /// Nothing: a line continuation.
    Nothing,
}

/// Decodes the inside of a string; borrows it if nothing is escaped. A surrogate without its other
/// half is U+FFFD, as in a URL.
///
/// # Examples
///
/// ```
/// use relink_layers::js;
/// assert_eq!(js::decode(r"\x2E/\u0061\u{62}.js").text, "./ab.js");
/// ```
pub fn decode(raw: &str) -> Decoded<'_> {
    let bytes = raw.as_bytes();
    if memchr(b'\\', bytes).is_none() {
        return Decoded::plain(raw);
    }
    let mut builder = Builder::with_capacity(raw.len());
    let mut at = 0;
    while let Some(next) = memchr(b'\\', &bytes[at..]).map(|idx| at + idx) {
        builder.plain(&raw[at..next]);
        // A backslash that begins no escape is kept, so that nothing of an invalid string is lost.
        let (mut len, escaped) = escape(&raw[next..]).unwrap_or((1, Escaped::Char('\\')));
        let char = match escaped {
            Escaped::Char(char) => Some(char),
            Escaped::Nothing => None,
            Escaped::Half(high) => {
                let char = match escape(&raw[next + len..]) {
                    Some((more, Escaped::Half(low))) => {
                        let both = char::decode_utf16([high, low]).next().and_then(Result::ok);
                        len += if both.is_some() { more } else { 0 };
                        both
                    }
                    _ => None,
                };
                Some(char.unwrap_or('\u{FFFD}'))
            }
        };
        let mut buffer = [0; 4];
        let text = char.map(|char| &*char.encode_utf8(&mut buffer)).unwrap_or_default();
        builder.unit(Span::new(next, next + len), text);
        at = next + len;
    }
    builder.plain(&raw[at..]);
    builder.finish()
}

/// Returns true if every backslash of the inside of a string begins an escape that modules have.
///
/// # Examples
///
/// ```
/// use relink_layers::js;
/// assert!(js::is_well_formed(r"a\n\0\u{1F600}"));
/// assert!([r"\01", r"\x4", r"\8"].iter().all(|raw| !js::is_well_formed(raw)));
/// ```
pub fn is_well_formed(raw: &str) -> bool {
    let mut at = 0;
    while let Some(next) = memchr(b'\\', &raw.as_bytes()[at..]).map(|idx| at + idx) {
        match escape(&raw[next..]) {
            Some((len, _)) => at = next + len,
            None => return false,
        }
    }
    true
}

/// Returns the length of the escape at the start of `raw`, and the text that it represents. `None`
/// if there is none.
fn escape(raw: &str) -> Option<(usize, Escaped)> {
    let bytes = raw.strip_prefix('\\')?.as_bytes();
    let hex = |digits: &[u8]| {
        let is_hex = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
        let digits = std::str::from_utf8(digits).ok().filter(|_| is_hex)?;
        u32::from_str_radix(digits, 16).ok()
    };
    let of_number = |number: u32| match (char::from_u32(number), u16::try_from(number)) {
        (Some(char), _) => Some(Escaped::Char(char)),
        (None, Ok(half)) => Some(Escaped::Half(half)),
        (None, Err(_)) => None,
    };
    let single = |char| Some((2, Escaped::Char(char)));
    match *bytes.first()? {
        b'\r' if bytes.get(1) == Some(&b'\n') => Some((3, Escaped::Nothing)),
        b'\r' | b'\n' => Some((2, Escaped::Nothing)),
        b'b' => single('\x08'),
        b't' => single('\t'),
        b'n' => single('\n'),
        b'v' => single('\x0B'),
        b'f' => single('\x0C'),
        b'r' => single('\r'),
        b'0' if !bytes.get(1).is_some_and(u8::is_ascii_digit) => single('\0'),
        b'0'..=b'9' => None,
        b'x' => Some((4, of_number(hex(bytes.get(1..3)?)?)?)),
        b'u' if bytes.get(1) == Some(&b'{') => {
            let digits = bytes[2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            if bytes.get(2 + digits) != Some(&b'}') {
                return None;
            }
            // There may be any number of leading zeros.
            let zeros = bytes[2..2 + digits].iter().take_while(|byte| **byte == b'0').count();
            let number =
                if zeros == digits && digits > 0 { 0 } else { hex(&bytes[2 + zeros..2 + digits])? };
            Some((4 + digits, of_number(number)?))
        }
        b'u' => Some((6, of_number(hex(bytes.get(1..5)?)?)?)),
        _ => match raw[1..].chars().next()? {
            char @ ('\u{2028}' | '\u{2029}') => Some((1 + char.len_utf8(), Escaped::Nothing)),
            char => Some((1 + char.len_utf8(), Escaped::Char(char))),
        },
    }
}

/// Returns the offset at which an edit at `at` must begin so that texts that it brings together are
/// not read as one: a digit after `\0`, and the second half of a character after a first.
pub(crate) fn joins(raw: &[u8], decoded: &Decoded<'_>, at: usize) -> usize {
    let is_open = |raw: &[u8], text: &str| raw == b"\\0" || text == "\u{FFFD}";
    match decoded.map.unit_ending_at(at) {
        Some(unit)
            if is_open(
                unit.raw.slice(raw),
                &decoded.text[unit.decoded.start..unit.decoded.end],
            ) =>
        {
            unit.raw.start
        }
        _ => at,
    }
}

/// Writes `text` so that it is read unchanged between these quotes.
pub(crate) fn encode(text: &str, quote: JsQuote, out: &mut String) {
    for char in text.chars() {
        match char {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\0'..='\x1F' | '\x7F' => out.push_str(&format!("\\x{:02x}", u32::from(char))),
            // Unescaped, they end a line before ECMAScript 2019.
            '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(char))),
            _ => {
                if u32::from(char) == u32::from(quote.byte()) {
                    out.push('\\');
                }
                out.push(char);
            }
        }
    }
}
