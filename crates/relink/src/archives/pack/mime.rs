//! Writing a message: header fields, and bodies in quoted-printable or base64.
//!
//! Invariant: decoding a body gives its bytes, whatever they are, and the same parts give the same
//! message. No line is longer than 76 bytes, except the URLs of parts, which are never folded.

use std::time::{SystemTime, UNIX_EPOCH};

use super::PackedFile;
use crate::os::digest;

/// The maximum length of a line of a body, without its end (RFC 2045 6.7 and 6.8).
const COLUMNS: usize = 76;

/// The maximum length of an encoded word (RFC 2047 2).
const WORD: usize = 75;

/// The header section of a message, without its content type.
pub struct Heading<'h> {
    /// The title of the page.
    pub subject: &'h str,
    /// The time at which the page was changed.
    pub date: Option<SystemTime>,
    /// The URL from which the page is, unless the program has made it up.
    pub snapshot: Option<&'h str>,
}

/// Writes a message of these parts, the page first (RFC 2557 and RFC 2387).
pub fn message(heading: &Heading<'_>, parts: &[PackedFile]) -> Vec<u8> {
    let bodies: Vec<Encoded> = parts.iter().map(Encoded::new).collect();
    let boundary = boundary(parts, &bodies);
    let mut out = String::from("From: <Saved by relink>\r\n");
    if let Some(url) = heading.snapshot {
        field(&mut out, "Snapshot-Content-Location", url);
    }
    field(&mut out, "Subject", &subject(heading.subject));
    if let Some(date) = heading.date {
        field(&mut out, "Date", &date_of(date));
    }
    field(&mut out, "MIME-Version", "1.0");
    let root = parts.first().map_or("text/html", |part| &*part.media_type);
    let related = format!("multipart/related;\r\n\ttype=\"{root}\";\r\n\tboundary=\"{boundary}\"");
    field(&mut out, "Content-Type", &related);
    let mut out = out.into_bytes();
    for (part, body) in parts.iter().zip(&bodies) {
        let mut headers = format!("\r\n--{boundary}\r\n");
        let charset = part.charset.map(|charset| format!("; charset=\"{charset}\""));
        let media_type = format!("{}{}", part.media_type, charset.unwrap_or_default());
        field(&mut headers, "Content-Type", &media_type);
        field(&mut headers, "Content-Transfer-Encoding", body.encoding);
        field(&mut headers, "Content-Location", &part.url);
        headers.push_str("\r\n");
        out.extend_from_slice(headers.as_bytes());
        out.extend_from_slice(&body.bytes);
    }
    out.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    out
}

fn field(out: &mut String, name: &str, value: &str) {
    out.push_str(&format!("{name}: {value}\r\n"));
}

/// An encoded body.
struct Encoded {
    encoding: &'static str,
    bytes: Vec<u8>,
}

impl Encoded {
    /// Encodes a text in quoted-printable unless base64 is shorter, and anything else in base64.
    fn new(part: &PackedFile) -> Self {
        let body = part.body();
        let base64 = body.len().div_ceil(57) * (COLUMNS + 2);
        if part.is_text {
            let bytes = quoted_printable(body);
            if bytes.len() <= base64 {
                return Encoded { encoding: "quoted-printable", bytes };
            }
        }
        Encoded { encoding: "base64", bytes: in_lines(&layers::base64::encode(body)) }
    }
}

/// Returns base64 in lines, without an end after the last one.
fn in_lines(characters: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = characters.chunks(COLUMNS).collect();
    lines.join(&b"\r\n"[..])
}

/// Encodes bytes in quoted-printable (RFC 2045 6.7). CRLF is a line end; LF and CR alone are
/// escaped, because mail programs may write any line end as CRLF.
pub fn quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 8);
    let (mut at, mut column) = (0, 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"\r\n") {
            out.extend_from_slice(b"\r\n");
            (at, column) = (at + 2, 0);
            continue;
        }
        let is_line_end = rest.len() == 1 || rest[1..].starts_with(b"\r\n");
        // A line that begins with `From ` would be the separator of a mailbox, and a dot alone the
        // end of a message that is sent.
        let is_separator = column == 0 && (rest.starts_with(b"From ") || rest[0] == b'.');
        let is_plain = match rest[0] {
            b' ' | b'\t' => !is_line_end,
            b'=' => false,
            byte => byte.is_ascii_graphic() && !is_separator,
        };
        let width = if is_plain { 1 } else { 3 };
        // The last column is that of `=`, unless the line ends there.
        let needs_break = !is_line_end || (rest[0] == b'\n' && rest.len() > 1);
        if column + width > COLUMNS - usize::from(needs_break) {
            out.extend_from_slice(b"=\r\n");
            column = 0;
            continue;
        }
        if is_plain {
            out.push(rest[0])
        } else {
            out.extend_from_slice(format!("={:02X}", rest[0]).as_bytes())
        }
        (at, column) = (at + 1, column + width);
        // The lines of the text are those of the message.
        if rest[0] == b'\n' && at < bytes.len() {
            out.extend_from_slice(b"=\r\n");
            column = 0;
        }
    }
    out
}

/// Returns a boundary that occurs in no part; the same parts have the same one. It contains `=_`,
/// which occurs neither in quoted-printable nor in base64 (RFC 2045 6.7).
fn boundary(parts: &[PackedFile], bodies: &[Encoded]) -> String {
    let mut names = String::new();
    for part in parts {
        names.push_str(&part.url);
        names.push('\n');
        names.push_str(&digest::of_bytes(part.body()).to_string());
    }
    loop {
        let hash = digest::of_bytes(names.as_bytes()).to_string();
        let boundary = format!("----=_relink_{}", &hash[..32]);
        let is_in = |bytes: &[u8]| memchr::memmem::find(bytes, boundary.as_bytes()).is_some();
        let mut texts = parts.iter().map(|part| part.url.as_bytes());
        if !texts.any(is_in) && !bodies.iter().any(|body| is_in(&body.bytes)) {
            return boundary;
        }
        names.push('\n');
    }
}

/// Returns a title as the value of a field: as it is, if it is ASCII, or in encoded words (RFC
/// 2047) of UTF-8, each on a line of its own.
fn subject(title: &str) -> String {
    let fits = title.len() <= 900 && !title.contains("=?");
    if fits && title.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        return title.to_owned();
    }
    const START: &str = "=?utf-8?Q?";
    let mut words = vec![START.to_owned()];
    for char in title.chars() {
        let mut utf8 = [0; 4];
        let mut text = String::new();
        for byte in char.encode_utf8(&mut utf8).bytes() {
            match byte {
                b' ' => text.push('_'),
                byte if byte.is_ascii_alphanumeric() => text.push(char),
                byte => text.push_str(&format!("={byte:02X}")),
            }
        }
        let is_full = words.last().is_some_and(|word| word.len() + text.len() + 2 > WORD);
        if is_full {
            words.push(START.to_owned());
        }
        words.iter_mut().last().into_iter().for_each(|word| word.push_str(&text));
    }
    let words: Vec<String> = words.into_iter().map(|word| format!("{word}?=")).collect();
    words.join("\r\n ")
}

/// Returns a time as RFC 5322 3.3 writes it, in UTC.
fn date_of(time: SystemTime) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let (days, seconds) = (seconds / 86_400, seconds % 86_400);
    let (mut year, mut day) = (1970, days);
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= lengths[month] {
        day -= lengths[month];
        month += 1;
    }
    let name = DAYS[usize::try_from(days % 7).unwrap_or_default()];
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let (day, month) = (day + 1, MONTHS[month]);
    format!("{name}, {day:02} {month} {year} {hour:02}:{minute:02}:{second:02} +0000")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn quoted_printable_is_decoded_to_the_same_bytes() {
        let all: Vec<u8> = (0..=255).collect();
        let long = "x".repeat(500);
        for text in [
            &b""[..],
            b"a",
            b"a\r\nb",
            b"a\r\n",
            b"a\n",
            b"a\r",
            b"a \r\n\t\r\n ",
            b"=3D\r\n.\r\nFrom me\r\n\r\r\n\n\r",
            long.as_bytes(),
            &[long.as_bytes(), b"\xC3\xA4", long.as_bytes()].concat(),
            &all,
        ] {
            let encoded = quoted_printable(text);
            assert_eq!(&*layers::quoted_printable::decode(&encoded).bytes, text);
            let encoded = String::from_utf8(encoded).unwrap();
            for line in encoded.split("\r\n") {
                assert!(line.len() <= COLUMNS && !line.ends_with([' ', '\t']), "{line:?}");
                assert!(!line.starts_with("From ") && !line.starts_with('.'), "{line:?}");
                assert!(line.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte)));
            }
        }
        assert_eq!(quoted_printable(b"a\nb\n"), b"a=0A=\r\nb=0A");
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        let date = |seconds| date_of(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(date(0), "Thu, 01 Jan 1970 00:00:00 +0000");
        assert_eq!(date(951_782_400), "Tue, 29 Feb 2000 00:00:00 +0000");
        assert_eq!(date(1_735_689_599), "Tue, 31 Dec 2024 23:59:59 +0000");
        assert_eq!(date(4_107_542_399), "Sun, 28 Feb 2100 23:59:59 +0000");
        assert_eq!(date(4_107_542_400), "Mon, 01 Mar 2100 00:00:00 +0000");
    }

    #[test]
    fn titles_are_ascii_in_short_lines() {
        assert_eq!(subject("A & B"), "A & B");
        assert_eq!(subject("Ä =?"), "=?utf-8?Q?=C3=84_=3D=3F?=");
        let long = subject(&"日本".repeat(60));
        assert!(long.split("\r\n ").all(|word| word.len() <= WORD && word.ends_with("?=")));
    }
}
