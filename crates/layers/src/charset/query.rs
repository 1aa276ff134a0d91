//! The query of a URL, whose characters are escaped in the charset of the document.

use std::borrow::Cow;

use crate::charset::iso2022::Shifting;
use crate::charset::{Charset, Kind, encode_japanese};

impl Charset {
    /// Returns the URL with the non-ASCII characters of its query escaped as by a browser in a
    /// document of this charset: by their bytes in it, or as a numeric character reference (WHATWG
    /// URL, "percent-encode after encoding"). Queries in documents in UTF-16 are escaped in UTF-8
    /// (Encoding standard, "get an output encoding"), as are those in charsets that browsers do not
    /// support.
    ///
    /// # Examples
    ///
    /// ```
    /// use layers::Charset;
    /// assert_eq!(Charset::WINDOWS_1252.escape_query("é?é#é"), "é?%E9#é");
    /// assert!(matches!(Charset::UTF_8.escape_query("?é"), std::borrow::Cow::Borrowed("?é")));
    /// ```
    pub fn escape_query(self, url: &str) -> Cow<'_, str> {
        let end = url.find('#').unwrap_or(url.len());
        let query = url[..end].find('?').map_or("", |start| &url[start..end]);
        let is_utf_8 = match self.0 {
            Kind::Wide(_) => true,
            Kind::Shifting(shifting) => shifting != Shifting::Iso2022Jp,
            _ => self == Charset::UTF_8,
        };
        if is_utf_8 || query.is_ascii() {
            return Cow::Borrowed(url);
        }
        let mut escaped = url[..end - query.len()].to_owned();
        if self.shifting().is_some() {
            escape_shifting(query, &mut escaped);
            escaped.push_str(&url[end..]);
            return Cow::Owned(escaped);
        }
        for char in query.chars() {
            let mut bytes = Vec::new();
            match self.encode(char.encode_utf8(&mut [0; 4]), &mut bytes) {
                _ if char.is_ascii() => escaped.push(char),
                Ok(()) => escaped.extend(bytes.iter().map(|byte| format!("%{byte:02X}"))),
                Err(_) => escaped.push_str(&format!("%26%23{}%3B", u32::from(char))),
            }
        }
        escaped.push_str(&url[end..]);
        Cow::Owned(escaped)
    }
}

/// Escapes a query in ISO-2022-JP, whose encoder keeps its state from one character to the next and
/// ends in ASCII.
fn escape_shifting(query: &str, escaped: &mut String) {
    let end = encode_japanese(query, |char, bytes, has| match bytes.split_last() {
        // The last byte of an ASCII character is the character.
        Some((_, shift)) if char.is_ascii() && has => {
            push_escaped(shift, escaped);
            escaped.push(char);
        }
        _ => {
            push_escaped(bytes, escaped);
            if !has {
                escaped.push_str(&format!("%26%23{}%3B", u32::from(char)));
            }
        }
    });
    push_escaped(&end, escaped);
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
