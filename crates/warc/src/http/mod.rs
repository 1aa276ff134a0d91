//! The HTTP response in the block of a record (RFC 9112).

mod chunked;
mod coding;

use std::borrow::Cow;
use std::ops::Range;

use self::coding::Coding;
pub use self::coding::{DecodeError, DecodeLimits};
use crate::limits::{MAX_CODINGS, MAX_HTTP_HEADER};

/// The maximum number of interim responses before the final one.
const MAX_INTERIM: usize = 16;

/// A field of the header section of a response: spans of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpField {
    /// The span of its name.
    pub name: Range<usize>,
    /// The span of its value, without the white space around it; lines that continue it belong to
    /// it.
    pub value: Range<usize>,
}

/// An HTTP response: the block of a `response` record whose media type is `application/http`.
///
/// # Examples
///
/// ```
/// use relink_warc::HttpResponse;
///
/// let block = b"HTTP/1.1 301 Moved\r\nLocation: /b\r\nContent-Type: text/html; charset=\"koi8-r\"\r\n\r\n<p>";
/// let response = HttpResponse::read(block)?;
/// assert_eq!((response.status(), response.body()), (301, &b"<p>"[..]));
/// assert_eq!(response.location().as_deref(), Some("/b"));
/// assert_eq!(response.media_type().as_deref(), Some("text/html"));
/// assert_eq!(response.charset().as_deref(), Some("koi8-r"));
/// # Ok::<(), relink_warc::NoResponse>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpResponse<'b> {
    block: &'b [u8],
    /// The start of the status line.
    start: usize,
    status: u16,
    fields: Vec<HttpField>,
    /// The start of the body.
    body: usize,
    /// True if an empty line ends the header section.
    is_ended: bool,
}

/// The reason why a block is not a response.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoResponse {
    /// It does not begin with a status line.
    #[error("it does not begin with a status line")]
    StatusLine,
    /// It has more than 16 interim responses.
    #[error("it has too many interim responses")]
    Interim,
    /// Its header section is longer than [`MAX_HTTP_HEADER`](crate::MAX_HTTP_HEADER).
    #[error("its header section is too long")]
    Header,
}

impl<'b> HttpResponse<'b> {
    /// Splits a block. Interim responses (`100 Continue`) before the final one are passed over, and
    /// so are lines of the header section without a colon. The header section ends at the first
    /// empty line; without one, the body is empty.
    ///
    /// # Errors
    ///
    /// [`NoResponse`] if the block does not begin with a status line, or is too long.
    pub fn read(block: &'b [u8]) -> Result<Self, NoResponse> {
        let mut start = 0;
        for _ in 0..MAX_INTERIM {
            let response = HttpResponse::read_at(block, start)?;
            let is_interim = matches!(response.status, 100 | 102..=199);
            if !is_interim || status(response.body()).is_none() {
                return Ok(response);
            }
            start = response.body;
        }
        Err(NoResponse::Interim)
    }

    fn read_at(block: &'b [u8], start: usize) -> Result<Self, NoResponse> {
        let status = status(&block[start..]).ok_or(NoResponse::StatusLine)?;
        let end = block.len().min(start + MAX_HTTP_HEADER);
        let line_end =
            |at: usize| memchr::memchr(b'\n', &block[at..end]).map_or(end, |found| at + found + 1);
        let mut fields: Vec<HttpField> = Vec::new();
        let mut at = line_end(start);
        while at < end {
            let next = line_end(at);
            let line = trimmed(block, at..next);
            if line.is_empty() && block[at..next].ends_with(b"\n") {
                let is_ended = true;
                return Ok(HttpResponse { block, start, status, fields, body: next, is_ended });
            }
            match (fields.last_mut(), block[at]) {
                (Some(last), b' ' | b'\t') => last.value.end = line.end.max(last.value.end),
                _ => {
                    if let Some(colon) = memchr::memchr(b':', &block[line.clone()]) {
                        let colon = line.start + colon;
                        let name = trimmed(block, line.start..colon);
                        fields.push(HttpField { name, value: trimmed(block, colon + 1..line.end) });
                    }
                }
            }
            at = next;
        }
        if end < block.len() {
            Err(NoResponse::Header)
        } else {
            let is_ended = false;
            Ok(HttpResponse { block, start, status, fields, body: end, is_ended })
        }
    }

    /// Returns true if an empty line ends the header section. Without it the block may be cut off.
    pub fn has_header_end(&self) -> bool {
        self.is_ended
    }

    /// Returns the status code.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// Returns the block from the status line on, without interim responses.
    pub fn message(&self) -> &'b [u8] {
        &self.block[self.start..]
    }

    /// Returns the status line and the fields, with the empty line after them.
    pub fn header_section(&self) -> &'b [u8] {
        &self.block[self.start..self.body]
    }

    /// Returns the fields, in order. Their spans are those of the block.
    pub fn fields(&self) -> &[HttpField] {
        &self.fields
    }

    /// Returns the values of all fields with this name, ignoring case.
    pub fn values<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'b [u8]> + 's {
        let block = self.block;
        self.named(name).map(move |field| &block[field.value.clone()])
    }

    fn named<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s HttpField> + 's {
        let is_named = move |field: &&HttpField| {
            self.block[field.name.clone()].eq_ignore_ascii_case(name.as_bytes())
        };
        self.fields.iter().filter(is_named)
    }

    /// Returns the value of the first field with this name, as text.
    fn text(&self, name: &str) -> Option<Cow<'b, str>> {
        self.values(name).next().map(String::from_utf8_lossy)
    }

    /// Returns `Location`, as it is written.
    pub fn location(&self) -> Option<Cow<'b, str>> {
        self.text("Location")
    }

    /// Returns `Content-Location`, as it is written.
    pub fn content_location(&self) -> Option<Cow<'b, str>> {
        self.text("Content-Location")
    }

    /// Returns the media type in lower case, without its parameters.
    pub fn media_type(&self) -> Option<String> {
        let value = self.text("Content-Type")?;
        let media_type = value.split(';').next().unwrap_or_default().trim();
        Some(media_type.to_ascii_lowercase()).filter(|media_type| !media_type.is_empty())
    }

    /// Returns the parameter `charset` of the media type, without quotes.
    pub fn charset(&self) -> Option<String> {
        let value = self.text("Content-Type")?;
        let charset = value.split(';').skip(1).find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
        });
        charset.filter(|charset| !charset.is_empty()).map(str::to_owned)
    }

    /// Returns the length of the body that the server declared, in bytes.
    pub fn content_length(&self) -> Option<u64> {
        self.text("Content-Length")?.parse().ok()
    }

    /// Returns true if the body has a transfer coding or a content coding: only decoding shows
    /// whether it is complete.
    pub fn has_coding(&self) -> bool {
        ["Transfer-Encoding", "Content-Encoding"]
            .iter()
            .any(|name| self.values(name).next().is_some())
    }

    /// Returns the body as it is in the record, with all its codings.
    pub fn body(&self) -> &'b [u8] {
        &self.block[self.body..]
    }

    /// Returns false if the body ends too early: it is chunked and its last chunk is not there, or
    /// it is shorter than `Content-Length`. The length of a body with a content coding is not
    /// compared: some programs save it decoded.
    pub fn is_complete(&self) -> bool {
        let codings = self.words("Transfer-Encoding");
        if let Some(outer) = codings.last() {
            let is_chunked = outer.eq_ignore_ascii_case("chunked");
            return !is_chunked || chunked::is_chunked(self.body()).unwrap_or(true);
        }
        let length = self.content_length();
        let is_coded = !self.words("Content-Encoding").is_empty();
        is_coded || length.is_none_or(|length| length <= self.body().len() as u64)
    }

    /// Returns true if the body is only a part of the content: the status is 206, and the range is
    /// not all of it (RFC 9110, sections 14.4 and 15.3.7).
    ///
    /// ```
    /// use relink_warc::HttpResponse;
    ///
    /// let is_partial = |range| {
    ///     let block = format!("HTTP/1.1 206 OK\r\nContent-Range: bytes {range}\r\n\r\n");
    ///     HttpResponse::read(block.as_bytes()).unwrap().is_partial()
    /// };
    /// assert!(is_partial("0-2/9") && is_partial("0-2/*") && is_partial("6-8/9"));
    /// assert!(!is_partial("0-8/9"));
    /// ```
    pub fn is_partial(&self) -> bool {
        let range = self.text("Content-Range");
        let is_whole = range.as_deref().and_then(|range| {
            let range = range.trim_start_matches(|letter: char| !letter.is_ascii_digit());
            let (range, length) = range.split_once('/')?;
            let (start, end) = range.split_once('-')?;
            let number = |text: &str| text.trim().parse::<u64>().ok();
            Some(number(start)? == 0 && number(end)?.checked_add(1)? == number(length)?)
        });
        self.status == 206 && is_whole != Some(true)
    }

    /// Returns the length of the range that the body is, in bytes, if it is one.
    pub fn range_length(&self) -> Option<u64> {
        let range = self.text("Content-Range").filter(|_| self.status == 206)?;
        let range = range.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let (start, end) = range.split_once('/')?.0.split_once('-')?;
        let number = |text: &str| text.trim().parse::<u64>().ok();
        number(end)?.checked_sub(number(start)?)?.checked_add(1)
    }

    /// Returns the words of the lists in the fields with this name.
    fn words(&self, name: &str) -> Vec<String> {
        let values = self.values(name).flat_map(|value| value.split(|byte| *byte == b','));
        let words = values.map(|word| {
            let word = word.split(|byte| *byte == b';').next().unwrap_or_default();
            String::from_utf8_lossy(word.trim_ascii()).into_owned()
        });
        words.filter(|word| !word.is_empty()).take(MAX_CODINGS + 1).collect()
    }

    /// Returns the payload: the body without its transfer codings, with its content codings. This
    /// is what `WARC-Payload-Digest` is about (WARC 1.1, section 5.8).
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if it has a transfer coding besides `chunked` that cannot be decoded.
    pub fn payload(&self, limits: &DecodeLimits) -> Result<Cow<'b, [u8]>, DecodeError> {
        self.transferred(limits).map_err(|(error, _)| error)
    }

    fn transferred(&self, limits: &DecodeLimits) -> Result<Cow<'b, [u8]>, UndecodedBody<'b>> {
        let mut body = Cow::Borrowed(self.body());
        let words = self.words("Transfer-Encoding");
        for word in limited(&words)?.iter().rev() {
            if word.eq_ignore_ascii_case("chunked") {
                body = match body {
                    Cow::Borrowed(body) => chunked::decode(body).0,
                    Cow::Owned(body) => Cow::Owned(chunked::decode(&body).0.into_owned()),
                };
            } else if let Some(coding) = Coding::from_name(word) {
                body = decode(coding, body, limits)?;
            }
        }
        Ok(body)
    }

    /// Returns the body without any coding: first without the transfer codings, then without the
    /// content codings, the last of each first. `gzip`, `x-gzip`, `deflate` (with or without the
    /// header of zlib), `br` and `zstd` are decoded.
    ///
    /// A body that does not have the coding that is declared was decoded when it was saved, and is
    /// returned as it is: one that cannot be read as a whole as `chunked`, that does not begin as
    /// `gzip` or `zstd`, or that is a text and no `deflate` or `br`. A name that is no coding is
    /// ignored.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if a limit is exceeded, a coding is unknown, or the body does not conform to
    /// it.
    pub fn decoded_body(&self, limits: &DecodeLimits) -> Result<Cow<'b, [u8]>, DecodeError> {
        self.decoded(limits).map_err(|(error, _)| error)
    }

    /// Returns the body without any coding, or what could be decoded of one that does not conform
    /// to a coding, and the error.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] if a limit is exceeded, or a coding is unknown.
    pub fn available_body(
        &self,
        limits: &DecodeLimits,
    ) -> Result<(Cow<'b, [u8]>, Option<DecodeError>), DecodeError> {
        match self.decoded(limits) {
            Ok(body) => Ok((body, None)),
            Err((error @ DecodeError::Damaged(..), body)) => Ok((body, Some(error))),
            Err((error, _)) => Err(error),
        }
    }

    fn decoded(&self, limits: &DecodeLimits) -> Result<Cow<'b, [u8]>, UndecodedBody<'b>> {
        let mut body = self.transferred(limits)?;
        let words = self.words("Content-Encoding");
        for word in limited(&words)?.iter().rev() {
            if body.is_empty() || word.eq_ignore_ascii_case("identity") {
                continue;
            }
            match Coding::from_name(word) {
                Some(coding) => body = decode(coding, body, limits)?,
                None if coding::has_no_decoder(word) => {
                    return Err(DecodeError::Unknown(word.clone()).into());
                }
                // Browsers ignore a name that is no coding, such as that of a charset.
                None => {}
            }
        }
        if body.len() > limits.most {
            return Err(DecodeError::TooLarge(limits.most).into());
        }
        Ok(body)
    }

    /// Returns the response with its body decoded, from the status line on. The values of
    /// `Transfer-Encoding`, `Content-Encoding` and `Content-Length`, which do not hold any more,
    /// are replaced with as many spaces, so that all other bytes of the header section keep their
    /// offsets. A response without codings is returned as it is.
    ///
    /// # Errors
    ///
    /// Those of [`HttpResponse::decoded_body`].
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_warc::{DecodeLimits, HttpResponse};
    ///
    /// let block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n0\r\n\r\n";
    /// let response = HttpResponse::read(block).unwrap();
    /// let message = response.decoded_message(&DecodeLimits::default()).unwrap();
    /// assert_eq!(&*message, b"HTTP/1.1 200 OK\r\nTransfer-Encoding:        \r\n\r\n<p>");
    /// ```
    pub fn decoded_message(&self, limits: &DecodeLimits) -> Result<Cow<'b, [u8]>, DecodeError> {
        let has = |name: &str| self.named(name).next().is_some();
        let body = self.decoded_body(limits)?;
        if !has("Transfer-Encoding") && !has("Content-Encoding") {
            return Ok(Cow::Borrowed(self.message()));
        }
        let mut message = Vec::new();
        let header = self.header_section();
        message.try_reserve(header.len() + body.len()).map_err(|_| DecodeError::Memory)?;
        message.extend_from_slice(header);
        for name in ["Transfer-Encoding", "Content-Encoding", "Content-Length"] {
            for field in self.named(name) {
                let value = field.value.start - self.start..field.value.end - self.start;
                let is_of_line = |byte: &&mut u8| !matches!(**byte, b'\r' | b'\n');
                message[value].iter_mut().filter(is_of_line).for_each(|byte| *byte = b' ');
            }
        }
        message.extend_from_slice(&body);
        Ok(Cow::Owned(message))
    }
}

/// The reason why a body cannot be decoded, and what could be decoded.
type UndecodedBody<'b> = (DecodeError, Cow<'b, [u8]>);

impl From<DecodeError> for UndecodedBody<'_> {
    fn from(error: DecodeError) -> Self {
        (error, Cow::default())
    }
}

/// Decodes one coding of a body, if the body has it.
fn decode<'b>(
    coding: Coding,
    body: Cow<'b, [u8]>,
    limits: &DecodeLimits,
) -> Result<Cow<'b, [u8]>, UndecodedBody<'b>> {
    if !coding.may_be_of(&body) {
        return Ok(body);
    }
    match coding.decode(&body, limits) {
        Ok(text) => Ok(Cow::Owned(text)),
        Err((DecodeError::Damaged(..), _))
            if !coding.has_signature() && chunked::is_plain(&body) =>
        {
            Ok(body)
        }
        Err((error, text)) => Err((error, Cow::Owned(text))),
    }
}

/// Returns the codings, unless there are too many.
fn limited(words: &[String]) -> Result<&[String], DecodeError> {
    if words.len() > MAX_CODINGS { Err(DecodeError::Codings) } else { Ok(words) }
}

/// Returns a span without the white space around it.
fn trimmed(block: &[u8], span: Range<usize>) -> Range<usize> {
    let text = &block[span.clone()];
    let start = span.start + (text.len() - text.trim_ascii_start().len());
    start..start + text.trim_ascii().len()
}

/// Returns the status code of a status line: `HTTP/1.1 200 OK`, `HTTP/2 200`, `HTTP/1.1 200`.
fn status(text: &[u8]) -> Option<u16> {
    let text = &text[..text.len().min(64)];
    let line = text.strip_prefix(b"HTTP/")?;
    let line = line.split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
    let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let is_version = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    words.next().filter(|version| version.iter().all(is_version))?;
    let code = words.next().filter(|code| code.len() == 3)?;
    std::str::from_utf8(code).ok()?.parse().ok()
}
