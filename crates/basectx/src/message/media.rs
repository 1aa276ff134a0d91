//! The media type and the transfer encoding of a body (RFC 2045 5 and 6).

use std::borrow::Cow;

use layers::{base64, quoted_printable, uuencode};

use super::field::{self, Field};

/// A media type, with the parameters that are needed to read a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentType {
    /// Type and subtype, in lower case: `text/html`.
    pub media_type: String,
    /// True if it is the default, since no field gives a valid one.
    pub is_default: bool,
    /// The charset, as spelled.
    pub charset: Option<String>,
    /// The boundary of a multipart, without white space at its end.
    pub boundary: Option<String>,
    /// The `Content-ID` of the root of a `multipart/related` (RFC 2387 3.2).
    pub start: Option<String>,
    /// True if the text has flowed lines (`format=flowed`, RFC 3676 3.1).
    pub is_flowed: bool,
    /// True if the space at the end of a flowed line is not part of the text (`DelSp=yes`, RFC 3676
    /// 3.1).
    pub deletes_space: bool,
}

impl ContentType {
    /// Returns a media type without parameters.
    fn new(media_type: &str) -> Self {
        ContentType {
            media_type: media_type.to_owned(),
            is_default: false,
            charset: None,
            boundary: None,
            start: None,
            is_flowed: false,
            deletes_space: false,
        }
    }

    /// Reads the media type of a field; without one, returns the default: `text/plain`, in a digest
    /// `message/rfc822` (RFC 2045 5.2; RFC 2046 5.1.5).
    pub(super) fn read(field: Option<&Field>, bytes: &[u8], is_in_digest: bool) -> Self {
        if let Some(plain) = field.and_then(|field| ContentType::plain(field.short_value(bytes)?)) {
            return plain;
        }
        ContentType::read_any(field, bytes, is_in_digest)
    }

    /// Reads a value that is written in the most usual form: a media type with a charset or without
    /// parameters, without comments, quotes and encoded words.
    fn plain(value: &[u8]) -> Option<Self> {
        let is_token = |text: &str| {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._+".contains(&byte);
            !text.is_empty() && text.bytes().all(is_plain)
        };
        let value = std::str::from_utf8(value).ok()?;
        let (media_type, params) = value.split_once(';').unwrap_or((value, ""));
        let (kind, subtype) = media_type.split_once('/')?;
        let charset = match params.trim_matches(' ') {
            "" if params.is_empty() => None,
            param => {
                let (name, charset) = param.split_once('=')?;
                (name.eq_ignore_ascii_case("charset") && is_token(charset)).then_some(charset)?;
                Some(charset.to_owned())
            }
        };
        let is_plain = is_token(kind) && is_token(subtype);
        let media_type = media_type.to_ascii_lowercase();
        is_plain.then(|| ContentType { charset, ..ContentType::new(&media_type) })
    }

    /// Reads any value.
    fn read_any(field: Option<&Field>, bytes: &[u8], is_in_digest: bool) -> Self {
        let text = field.map(|field| without_comments(&field.text(bytes))).unwrap_or_default();
        let (media_type, params) = field::with_params(&text);
        let media_type = media_type.trim().to_ascii_lowercase();
        let is_valid = media_type.split_once('/').is_some_and(|(kind, subtype)| {
            !kind.is_empty() && !subtype.is_empty() && !media_type.contains(char::is_whitespace)
        });
        if text.trim().is_empty() || !is_valid {
            let default = if is_in_digest { "message/rfc822" } else { "text/plain" };
            return ContentType { is_default: true, ..ContentType::new(default) };
        }
        let says = |name: &str, word: &str| {
            params.get(name).is_some_and(|value| value.trim().eq_ignore_ascii_case(word))
        };
        let param = |name: &str| params.get(name).filter(|value| !value.is_empty()).cloned();
        ContentType {
            media_type,
            is_default: false,
            charset: param("charset"),
            boundary: param("boundary").map(|boundary| boundary.trim_end().to_owned()),
            start: param("start"),
            is_flowed: says("format", "flowed"),
            deletes_space: says("delsp", "yes"),
        }
    }

    /// Returns true if the type is a `multipart/…`.
    pub fn is_multipart(&self) -> bool {
        self.media_type.starts_with("multipart/")
    }

    /// Returns true if the type is that of a message with a header section.
    pub fn is_message(&self) -> bool {
        matches!(&*self.media_type, "message/rfc822" | "message/global" | "message/news")
    }

    /// Returns the boundary, if it is not empty. RFC 2046 5.1.1 allows 70 characters; longer ones
    /// occur, and cost nothing.
    pub(super) fn usable_boundary(&self) -> Option<&str> {
        self.boundary.as_deref().filter(|boundary| !boundary.is_empty())
    }
}

/// A content transfer encoding (RFC 2045 6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// `7bit`, `8bit`, `binary`, or none: the body is not encoded.
    Identity,
    /// `quoted-printable`.
    QuotedPrintable,
    /// `base64`.
    Base64,
    /// `x-uuencode`, which no RFC describes.
    Uuencode,
    /// Another encoding, which is not supported, by its name in lower case; empty if the field is
    /// too long.
    Unknown(String),
}

impl Encoding {
    /// Reads the encoding of a field.
    pub(super) fn read(field: Option<&Field>, bytes: &[u8]) -> Self {
        if field.is_some_and(|field| field.short_value(bytes).is_none()) {
            return Encoding::Unknown(String::new());
        }
        let text = field.map(|field| without_comments(&field.text(bytes))).unwrap_or_default();
        let name = text.trim().to_ascii_lowercase();
        match &*name {
            "" | "7bit" | "8bit" | "binary" => Encoding::Identity,
            "quoted-printable" => Encoding::QuotedPrintable,
            "base64" => Encoding::Base64,
            "x-uuencode" | "uuencode" | "x-uue" | "uue" => Encoding::Uuencode,
            _ => Encoding::Unknown(name),
        }
    }

    /// Returns a decoded body. One in an encoding that is not supported is returned as it is, and
    /// so is one that is not what its encoding says.
    pub fn decode<'b>(&self, raw: &'b [u8]) -> Cow<'b, [u8]> {
        self.decode_all(raw).0
    }

    /// Returns a decoded body, and what of it is not decoded.
    ///
    /// # Examples
    ///
    /// ```
    /// use basectx::message::{Encoding, Undecoded};
    ///
    /// let (bytes, undecoded) = Encoding::Base64.decode_all(b"PGE=\n____\nlist\n");
    /// assert_eq!((&*bytes, undecoded), (&b"<a"[..], Some(Undecoded::Rest(5))));
    /// ```
    pub fn decode_all<'b>(&self, raw: &'b [u8]) -> (Cow<'b, [u8]>, Option<Undecoded>) {
        match self {
            Encoding::Identity => (raw.into(), None),
            Encoding::QuotedPrintable => (quoted_printable::decode(raw).bytes, None),
            Encoding::Base64 => {
                let body = base64::decode(raw);
                let rest = body.rest().map(Undecoded::Rest);
                (body.bytes.into(), rest)
            }
            Encoding::Uuencode => match uuencode::decode(raw) {
                Some(body) => {
                    let rest = body.rest().map(Undecoded::Rest);
                    (body.bytes.into(), rest)
                }
                None => (raw.into(), Some(Undecoded::Invalid)),
            },
            Encoding::Unknown(_) => (raw.into(), Some(Undecoded::Unsupported)),
        }
    }
}

/// What of a body is not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecoded {
    /// The text from this offset on, which is after the data.
    Rest(usize),
    /// All of it: it is not in the encoding that its header section names.
    Invalid,
    /// All of it: the encoding is not supported.
    Unsupported,
}

/// Returns a value without its comments: texts in parentheses, possibly nested, outside quotes (RFC
/// 822 3.4.3).
///
/// # Examples
///
/// ```
/// use basectx::message::without_comments;
/// assert_eq!(without_comments("(the logo (new)) <a@b> \"(c)\"").trim(), "<a@b> \"(c)\"");
/// ```
pub fn without_comments(value: &str) -> String {
    if !value.contains('(') {
        return value.to_owned();
    }
    let (mut depth, mut is_quoted, mut is_escaped) = (0_usize, false, false);
    value
        .chars()
        .filter(|c| {
            let was_inside = depth > 0;
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' if is_quoted || depth > 0 => is_escaped = true,
                '"' if depth == 0 => is_quoted = !is_quoted,
                '(' if !is_quoted => depth += 1,
                ')' if !is_quoted => depth = depth.saturating_sub(1),
                _ => {}
            }
            !was_inside && depth == 0
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plain_form_is_read_as_any_other() {
        let read = |text: &str| {
            let bytes = format!("Content-Type: {text}\n\n").into_bytes();
            let fields = field::read(&bytes, 0, usize::MAX, |_| false).fields;
            let plain = ContentType::plain(fields[0].value.slice(&bytes));
            (plain, ContentType::read_any(fields.first(), &bytes, false))
        };
        for text in [
            "text/html",
            "Text/HTML",
            "text/html;",
            "text/html; ",
            "text/html;charset=utf-8",
            "text/html; charset=UTF-8",
            "application/xhtml+xml;  Charset=iso-8859-1 ",
            "image/svg+xml; CHARSET=us_ascii",
            "a.b/c-d; charset=koi8-r",
        ] {
            let (plain, any) = read(text);
            assert_eq!(plain, Some(any), "{text}");
        }
        for text in [
            "text",
            "text/",
            "/html",
            "text /html",
            "text/html; charset=",
            "text/html; charset=\"utf-8\"",
            "text/html; charset =utf-8",
            "text/html; charset*=utf-8''x",
            "text/html; charset=utf-8; x=y",
            "text/html (charset=utf-8)",
            "text/html; name=x",
            "=?utf-8?q?text/html?=",
            "text/h\u{E4}ml",
        ] {
            assert_eq!(read(text).0, None, "{text}");
        }
    }
}
