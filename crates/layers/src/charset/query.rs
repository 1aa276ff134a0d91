//! The query of a URL, whose characters are escaped in the charset of the document.

use std::borrow::Cow;

use encoding_rs::{EncoderResult, Encoding, ISO_2022_JP, UTF_8};

use crate::charset::{Charset, CharsetKind};

impl Charset {
    /// Returns the URL with the non-ASCII characters of its query escaped as by a browser in a
    /// document of this charset: by their bytes in it, or as a numeric character reference (WHATWG
    /// URL, "percent-encode after encoding"). Queries in documents in UTF-16 are escaped in UTF-8
    /// (Encoding standard, "get an output encoding"), as are those in charsets that browsers do not
    /// support, and those of URLs with another scheme than `http`, `https`, `ftp` and `file`
    /// ("query state"). A relative reference is taken for one to such a scheme.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_layers::Charset;
    /// assert_eq!(Charset::WINDOWS_1252.escape_query("é?é#é"), "é?%E9#é");
    /// assert_eq!(Charset::WINDOWS_1252.escape_query("mailto:a@h?é"), "mailto:a@h?é");
    /// assert!(matches!(Charset::UTF_8.escape_query("?é"), std::borrow::Cow::Borrowed("?é")));
    /// ```
    pub fn escape_query(self, url: &str) -> Cow<'_, str> {
        let end = url.find('#').unwrap_or(url.len());
        let query = url[..end].find('?').map_or("", |start| &url[start..end]);
        let encoding = match self.0 {
            CharsetKind::Named(encoding) => encoding.output_encoding(),
            CharsetKind::Iso2022Jp => ISO_2022_JP,
            _ => UTF_8,
        };
        if encoding == UTF_8 || query.is_ascii() || !is_special(url) {
            return Cow::Borrowed(url);
        }
        let mut escaped = url[..end - query.len()].to_owned();
        let last = encode_each(encoding, query, |char, bytes, has| match bytes.split_last() {
            // The last byte of an ASCII character is the character.
            Some((_, shift)) if char.is_ascii() && has => {
                push_escaped(shift, &mut escaped);
                escaped.push(char);
            }
            _ => {
                push_escaped(bytes, &mut escaped);
                if !has {
                    escaped.push_str(&format!("%26%23{}%3B", u32::from(char)));
                }
            }
        });
        push_escaped(&last, &mut escaped);
        escaped.push_str(&url[end..]);
        Cow::Owned(escaped)
    }
}

/// Returns true if the query of a URL is sent in the charset of the document (URL Standard, "query
/// state").
fn is_special(url: &str) -> bool {
    let end = url.find([':', '/', '?', '#']).filter(|end| url[*end..].starts_with(':'));
    let is = |scheme: &str| {
        ["http", "https", "ftp", "file"].iter().any(|name| scheme.eq_ignore_ascii_case(name))
    };
    end.is_none_or(|end| is(&url[..end]))
}

/// Passes to `show` each character of `text`, the bytes that an encoder writes for it, and true if
/// the encoding has the character. The encoder of ISO-2022-JP keeps its state from one character to
/// the next, and its bytes include escapes. Returns the bytes that it writes to end in ASCII.
fn encode_each(
    encoding: &'static Encoding,
    text: &str,
    mut show: impl FnMut(char, &[u8], bool),
) -> Vec<u8> {
    let mut encoder = encoding.new_encoder();
    let (mut buffer, mut utf8) = ([0; 32], [0; 4]);
    for char in text.chars() {
        let char_text = &*char.encode_utf8(&mut utf8);
        let (result, _, len) =
            encoder.encode_from_utf8_without_replacement(char_text, &mut buffer, false);
        show(char, &buffer[..len], result == EncoderResult::InputEmpty);
    }
    let (_, _, len) = encoder.encode_from_utf8_without_replacement("", &mut buffer, true);
    buffer[..len].to_vec()
}

/// Appends bytes with the escapes of the query percent-encode set (WHATWG URL, section 1.3), and
/// with the single quote escaped, as in special URLs.
fn push_escaped(bytes: &[u8], escaped: &mut String) {
    for byte in bytes {
        match byte {
            b'"' | b'#' | b'<' | b'>' | b'\'' => escaped.push_str(&format!("%{byte:02X}")),
            0x21..=0x7E => escaped.push(char::from(*byte)),
            _ => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
}
