//! Saved HTTP responses: status line, header section, body (RFC 9112 2; RFC 9110 6), one or several
//! in sequence.
//!
//! `wget --save-headers` and `curl -i` write one; `curl -iL` writes the header sections of the
//! redirects before it, without their bodies. Invariant: as for other messages nothing is refused
//! or copied, and the time is linear.

use layers::Span;

use super::field::{self, Field, after_line_end, line_end};
use super::media::{ContentType, Encoding};
use super::walk::MessageLimits;
use crate::message::{Diagnostic, Entity, Message};

/// The number of bytes that are read to decide whether a text is a response.
const HEAD: usize = 1024;
/// The number of defects that are reported of a response, and of those that leave something unread.
const MOST_DEFECTS: usize = 100;
/// The number of header sections without fields that are skipped to see whether a response follows.
const MOST_EMPTY: usize = 8;
/// The number of responses in a file. Any others are part of the body of the last.
const MOST: usize = 1000;

/// One response in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status code; `None` if there is no status line.
    pub status: Option<u16>,
    /// The header section and the body. HTTP has no transfer encodings of mail (RFC 9110 B; RFC
    /// 2616 19.4.5), and bodies are not split into parts.
    pub message: Message,
    /// The form of the body in the file.
    pub body: Body,
}

/// The form of a response's body in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// The body itself.
    Plain,
    /// The body with a content coding (RFC 9110 8.4).
    Coded,
    /// The body in chunks (RFC 9112 7.1).
    Chunked,
    /// A range of the body (RFC 9110 14.4, 15.3.7).
    Partial,
}

impl Response {
    /// Returns the entity: the header section and the body.
    pub fn entity(&self) -> &Entity {
        &self.message.entities[0]
    }

    /// Returns true if the response is a redirect (RFC 9110 15.4), so that the next one is from
    /// another URL.
    pub fn is_redirect(&self) -> bool {
        matches!(self.status, Some(301 | 302 | 303 | 307 | 308))
    }

    /// Returns true if the response has a media type.
    pub fn has_media_type(&self, bytes: &[u8]) -> bool {
        let field = self.entity().field("Content-Type", bytes);
        field.is_some_and(|field| memchr::memchr(b'/', field.value.slice(bytes)).is_some())
    }

    /// Reads the response that begins at an offset, up to the end of its header section. The whole
    /// rest is its body.
    fn read(bytes: &[u8], start: usize, longest: usize) -> Response {
        let status = status(&bytes[start..]);
        let from = if status.is_some() { line_end(bytes, start) } else { start };
        let headers = field::read(bytes, from, longest, |_| false);
        let content_type = field::named(&headers.fields, "Content-Type", bytes);
        let entity = Entity {
            parent: None,
            ordinal: 0,
            headers: Span::new(start, headers.end),
            content_type: ContentType::read(content_type, bytes, false),
            fields: headers.fields,
            body: Span::new(headers.end, bytes.len()),
            encoding: Encoding::Identity,
            children: Vec::new(),
        };
        let of_entity = |(at, defect)| Diagnostic { entity: 0, at, defect };
        // A header section may end at the end of the file: there is no body then.
        let defects = headers.defects.into_iter().filter(|(at, _)| *at < bytes.len());
        let mut n_reported = [0; 2];
        let defects = defects.filter(|(_, defect)| {
            let n_reported = &mut n_reported[usize::from(defect.leaves_unread())];
            *n_reported += 1;
            *n_reported <= MOST_DEFECTS
        });
        let diagnostics = defects.map(of_entity).collect();
        let message = Message { entities: vec![entity], diagnostics };
        Response { status, message, body: Body::Plain }
    }

    /// Ends the body before an offset, and determines its form.
    fn end(&mut self, bytes: &[u8], end: usize) {
        let start = self.entity().headers.end;
        if let Some(entity) = self.message.entities.first_mut() {
            entity.body = Span::new(start, end);
        }
        let entity = self.entity();
        let body = entity.body.slice(bytes);
        self.body = match () {
            () if body.is_empty() => Body::Plain,
            () if is_chunked(entity, body, bytes) => Body::Chunked,
            () if is_coded(entity, body, bytes) => Body::Coded,
            () if self.status == Some(206) || entity.field("Content-Range", bytes).is_some() => {
                Body::Partial
            }
            () => Body::Plain,
        };
    }
}

/// Returns true if a text begins with a response: a status line, and then fields up to an empty
/// line. Only the first 1,024 bytes are read. Without any field it is a response only if another
/// one follows (`100 Continue`).
///
/// # Examples
///
/// ```
/// use basectx::message::http::is_response;
/// assert!(is_response(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"));
/// assert!(!is_response(b"HTTP/1.1 200 OK is what a server says."));
/// ```
pub fn is_response(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    for _ in 0..MOST_EMPTY {
        if status(rest).is_none() {
            return false;
        }
        let start = line_end(rest, 0);
        match after_line_end(rest, start) {
            Some(after) => rest = &rest[after..],
            None => return is_header_section(rest, start),
        }
    }
    false
}

/// Returns true if a file consists of header sections: fields, with or without a status line before
/// them, once or several times.
///
/// # Examples
///
/// ```
/// use basectx::message::http::is_header_file;
/// assert!(is_header_file(b"Content-Base: http://h/\nLink: <a>; rel=next\n"));
/// assert!(!is_header_file(b"Content-Base: http://h/\n\n<p>"));
/// ```
pub fn is_header_file(bytes: &[u8]) -> bool {
    let is_begun = is_response(bytes) || is_header_section(bytes, 0);
    let last = responses(bytes).pop();
    is_begun && last.is_some_and(|last| last.entity().body.slice(bytes).trim_ascii().is_empty())
}

/// Returns the responses in a file, in order; the last has the whole rest. A file without a status
/// line is one header section and its body.
///
/// # Examples
///
/// ```
/// use basectx::message::http::responses;
/// let bytes =
///     b"HTTP/1.1 301 Moved\r\nLocation: /b\r\n\r\nHTTP/1.1 200 OK\r\nAge: 1\r\n\r\n<p>";
/// let all: Vec<_> =
///     responses(bytes).iter().map(|one| (one.status, one.entity().body.len())).collect();
/// assert_eq!(all, [(Some(301), 0), (Some(200), 3)]);
/// ```
pub fn responses(bytes: &[u8]) -> Vec<Response> {
    responses_within(bytes, MessageLimits::default())
}

/// Returns the responses in a file as [`responses`] does, with another limit of the length of
/// fields.
///
/// # Examples
///
/// ```
/// use basectx::message::MessageLimits;
/// use basectx::message::http::responses_within;
///
/// let bytes = b"HTTP/1.1 200 OK\r\nLocation: /abcdef\r\n\r\n";
/// let limits = MessageLimits { field: 4, ..MessageLimits::default() };
/// let all = responses_within(bytes, limits);
/// let field = all[0].entity().field("Location", bytes).unwrap();
/// assert_eq!(field.short_value(bytes), None);
/// ```
pub fn responses_within(bytes: &[u8], limits: MessageLimits) -> Vec<Response> {
    let mut responses = Vec::new();
    let mut start = 0;
    loop {
        let mut response = Response::read(bytes, start, limits.field);
        let next = if responses.len() + 1 < MOST { next(&response, bytes) } else { None };
        response.end(bytes, next.unwrap_or(bytes.len()));
        responses.push(response);
        match next {
            Some(next) => start = next,
            None => return responses,
        }
    }
}

/// Returns the offset of the next response: right after the header section, since most programs
/// omit the bodies of redirects, or at the end of the body by `Content-Length`.
fn next(response: &Response, bytes: &[u8]) -> Option<usize> {
    response.status?;
    let entity = response.entity();
    let body = entity.body;
    let length = entity.field("Content-Length", bytes).and_then(|field| length(field, bytes));
    // A body that is itself a response is not the next response if `Content-Length` covers it.
    let is_all = length == Some(body.len()) && !response.is_redirect();
    if is_all {
        return None;
    }
    let after = length.and_then(|length| body.start.checked_add(length));
    [Some(body.start), after]
        .into_iter()
        .flatten()
        .find(|at| bytes.get(*at..).is_some_and(is_response))
}

/// Returns the number in the value of a field, if it has only digits.
///
/// # Examples
///
/// ```
/// use basectx::message::http::{length, responses};
///
/// let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nAge: -1\r\n\r\n<p>";
/// let all = responses(bytes);
/// let number = |name| length(all[0].entity().field(name, bytes).unwrap(), bytes);
/// assert_eq!((number("Content-Length"), number("Age")), (Some(3), None));
/// ```
pub fn length(field: &Field, bytes: &[u8]) -> Option<usize> {
    let digits = std::str::from_utf8(field.value.slice(bytes)).ok()?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// Returns the status code of a status line: `HTTP/1.1 200 OK`, `HTTP/2 200` (RFC 9112 4).
fn status(bytes: &[u8]) -> Option<u16> {
    let rest = bytes.strip_prefix(b"HTTP/")?;
    let (major, rest) = rest.split_first()?;
    let rest = match rest {
        [b'.', minor, rest @ ..] if minor.is_ascii_digit() => rest,
        rest => rest,
    };
    let [b' ', code @ ..] = rest else { return None };
    let (code, rest) = code.split_first_chunk::<3>()?;
    let is_code = major.is_ascii_digit()
        && code.iter().all(u8::is_ascii_digit)
        && matches!(rest.first(), None | Some(b' ' | b'\r' | b'\n'));
    is_code.then(|| code.iter().fold(0, |code, digit| code * 10 + u16::from(digit - b'0')))
}

/// Returns true if the lines from an offset on are fields, at least one, up to an empty line or the
/// end of the bytes that are read.
fn is_header_section(bytes: &[u8], start: usize) -> bool {
    let window = &bytes[..bytes.len().min(start.saturating_add(HEAD))];
    let mut at = start;
    while at < window.len() {
        if after_line_end(window, at).is_some() {
            break;
        }
        let end = line_end(window, at);
        let line = &window[at..end];
        let is_fold = matches!(line[0], b' ' | b'\t') && at > start;
        let is_cut = end == window.len() && window.len() < bytes.len();
        if !is_fold && !is_field(line, is_cut && at > start) {
            return false;
        }
        at = end;
    }
    at > start
}

/// Returns true if a line is a field: a token and a colon (RFC 9112 5). A truncated line may lack
/// the colon.
fn is_field(line: &[u8], is_cut: bool) -> bool {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    match memchr::memchr(b':', line) {
        Some(0) => false,
        Some(colon) => line[..colon].iter().all(is_token),
        None => is_cut && line.iter().all(is_token),
    }
}

/// Returns true if the list in a field contains a word, ignoring case.
fn lists(entity: &Entity, name: &str, word: &str, bytes: &[u8]) -> bool {
    let fields = entity.fields.iter().filter(|field| field.is_named(name, bytes));
    fields.flat_map(|field| field.value.slice(bytes).split(|byte| *byte == b',')).any(|item| {
        let item = item.split(|byte| *byte == b';').next().unwrap_or_default();
        item.trim_ascii().eq_ignore_ascii_case(word.as_bytes())
    })
}

/// Returns true if a body is still in chunks. Most programs concatenate them, but keep the header
/// field.
fn is_chunked(entity: &Entity, body: &[u8], bytes: &[u8]) -> bool {
    if !lists(entity, "Transfer-Encoding", "chunked", bytes) {
        return false;
    }
    let line = &body[..memchr::memchr(b'\n', body).map_or(body.len(), |end| end + 1)];
    let size = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    !size.is_empty() && size.len() <= 16 && size.iter().all(u8::is_ascii_hexdigit)
}

/// Returns true if a body has a content coding. Some programs decode it, but keep the header field:
/// a body that is declared as gzip (RFC 1952 2.3.1) or Zstandard (RFC 8878 3.1.1) but does not
/// begin like it has no coding.
fn is_coded(entity: &Entity, body: &[u8], bytes: &[u8]) -> bool {
    let codings: Vec<Vec<u8>> = entity
        .fields
        .iter()
        .filter(|field| field.is_named("Content-Encoding", bytes))
        .flat_map(|field| field.value.slice(bytes).split(|byte| *byte == b','))
        .map(|coding| coding.trim_ascii().to_ascii_lowercase())
        .filter(|coding| !coding.is_empty() && coding != b"identity")
        .take(2)
        .collect();
    match codings.iter().map(Vec::as_slice).collect::<Vec<_>>()[..] {
        [] => false,
        [b"gzip" | b"x-gzip"] => body.starts_with(b"\x1F\x8B"),
        [b"zstd"] => body.starts_with(b"\x28\xB5\x2F\xFD"),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the status, the number of fields and the body of each response.
    fn read(text: &str) -> Vec<(Option<u16>, usize, &str)> {
        let one = |response: &Response| {
            let entity = response.entity();
            (response.status, entity.fields.len(), &text[entity.body.start..entity.body.end])
        };
        responses(text.as_bytes()).iter().map(one).collect()
    }

    #[test]
    fn a_response_begins_with_a_status_line_and_fields() {
        for text in [
            "HTTP/1.1 200 OK\r\nA: b\r\n\r\n",
            "HTTP/1.0 404 Not Found\nA: b\n c\n\n",
            "HTTP/2 200 \r\na: b\r\n\r\n",
            "HTTP/3 200\nA: b",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\nA: b\n\n",
        ] {
            assert!(is_response(text.as_bytes()), "{text:?}");
        }
        for text in [
            "",
            "HTTP/1.1 200 OK",
            "HTTP/1.1 200 OK\n",
            "HTTP/1.1 200 OK\n\n",
            "HTTP/1.1 200 OK, it says\n\n<p>",
            "HTTP/1.1 200 OK\nis what it says: yes\n\n",
            "HTTP/1.1 200 OK\n a: b\n\n",
            "HTTP/1.1 200 OK\n: b\n\n",
            "HTTP/1.1 2000\nA: b\n\n",
            "HTTP/1.1 20\nA: b\n\n",
            "HTTP/1.1  200 OK\nA: b\n\n",
            "HTTP/x 200 OK\nA: b\n\n",
            "HTTP/1. 200 OK\nA: b\n\n",
            "GET / HTTP/1.1\nHost: h\n\n",
            " HTTP/1.1 200 OK\nA: b\n\n",
        ] {
            assert!(!is_response(text.as_bytes()), "{text:?}");
        }
        let long = format!("HTTP/1.1 200 OK\nA: {}\nB", "c".repeat(HEAD - 5));
        assert!(is_response(format!("{long}d: e\n\n").as_bytes()));
    }

    #[test]
    fn responses_follow_each_other() {
        let (moved, ok) = ("HTTP/1.1 301 Moved\nLocation: b\n", "HTTP/1.1 200 OK\nA: b\n");
        assert_eq!(read(&format!("{moved}\n{ok}\nc")), [(Some(301), 1, ""), (Some(200), 1, "c")]);
        // The length is that of a body that was omitted, or of one that is present.
        let moved_3 = format!("{moved}Content-Length: 3\n\n");
        assert_eq!(read(&format!("{moved_3}{ok}\nc")), [(Some(301), 2, ""), (Some(200), 1, "c")]);
        assert_eq!(
            read(&format!("{moved_3}x\ny{ok}\nc")),
            [(Some(301), 2, "x\ny"), (Some(200), 1, "c")]
        );
        assert_eq!(read(&format!("{moved_3}xy\nz{ok}\n")).len(), 1);
        // A body that is a response.
        let body = format!("{ok}\nc");
        let all = format!("HTTP/1.1 200 OK\nContent-Length: {}\n\n{body}", body.len());
        assert_eq!(read(&all), [(Some(200), 1, &*body)]);
        assert_eq!(read("A: b\n\nc"), [(None, 1, "c")]);
        assert_eq!(read(""), [(None, 0, "")]);
        let many = "HTTP/1.1 200 OK\nA: b\n\n".repeat(MOST + 5);
        assert_eq!(responses(many.as_bytes()).len(), MOST);
        let proxy = format!("HTTP/1.1 200 Connection established\n\n{ok}\nc");
        assert_eq!(read(&proxy), [(Some(200), 0, ""), (Some(200), 1, "c")]);
    }

    #[test]
    fn bodies_in_other_forms() {
        let body = |text: &str| {
            responses(format!("HTTP/1.1 200 OK\r\n{text}").as_bytes()).pop().map(|last| last.body)
        };
        assert_eq!(body("A: b\r\n\r\n<p>"), Some(Body::Plain));
        assert_eq!(body("Content-Encoding: identity\r\n\r\n<p>"), Some(Body::Plain));
        assert_eq!(body("Content-Encoding: br\r\n\r\n<p>"), Some(Body::Coded));
        assert_eq!(body("Content-Encoding: br\r\n\r\n"), Some(Body::Plain));
        assert_eq!(body("Content-Encoding: gzip\r\n\r\n<p>"), Some(Body::Plain));
        assert_eq!(body("Content-Encoding: GZIP\r\n\r\n\u{1F}"), Some(Body::Plain));
        assert_eq!(body("Content-Encoding: gzip, br\r\n\r\n<p>"), Some(Body::Coded));
        let gzip = b"HTTP/1.1 200 OK\nContent-Encoding: gzip\n\n\x1F\x8B\x08";
        assert_eq!(responses(gzip).pop().map(|last| last.body), Some(Body::Coded));
        let chunked = "Transfer-Encoding: gzip, Chunked\r\n\r\n";
        assert_eq!(body(&format!("{chunked}3;a=b\r\n<p>\r\n0\r\n\r\n")), Some(Body::Chunked));
        assert_eq!(body(&format!("{chunked}<p>")), Some(Body::Plain));
        assert_eq!(body("Content-Range: bytes 0-2/9\r\n\r\n<p>"), Some(Body::Partial));
    }

    #[test]
    fn files_of_header_sections() {
        assert!(is_header_file(b"HTTP/1.1 200 OK\nA: b\n\n"));
        assert!(is_header_file(b"HTTP/1.1 301 Moved\nA: b\n\nHTTP/1.1 200 OK\nA: b\n\n"));
        assert!(is_header_file(b"A: b\r\nC: d"));
        for text in ["", "\n", "#?RADIANCE\nA: b\n", "A: b\n\nc", "A b\n", "HTTP/1.1 200 OK\n\nc"] {
            assert!(!is_header_file(text.as_bytes()), "{text:?}");
        }
    }
}
