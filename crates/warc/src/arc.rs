//! The line with which a record of an ARC file begins
//! (<https://archive.org/web/researcher/ArcFileFormat.php>).
//!
//! Version 1 has `URL IP-address date media-type length`, version 2 five more words before the
//! length. A URL may contain spaces where the program that wrote it did not escape them.

use crate::fields::{Fields, RecordType};

/// The number of words of version 1 and of version 2.
const VERSION_1: usize = 5;
const VERSION_2: usize = 10;
/// The maximum length of the scheme of a URL.
const MAX_SCHEME: usize = 32;
/// The number of digits of a date: year to second.
const DATE: usize = 14;

/// What the line of a record says.
pub(crate) struct ArcLine {
    pub(crate) record_type: RecordType,
    pub(crate) fields: Fields,
    pub(crate) length: u64,
}

/// Returns true if a text begins as a record of ARC does: with a line that [`read`] accepts. A
/// line that continues after the text is not accepted.
pub(crate) fn is_start(text: &[u8]) -> bool {
    let end = if has_scheme(text) { memchr::memchr(b'\n', text) } else { None };
    end.is_some_and(|end| read(&text[..end]).is_some())
}

/// Returns true if a text begins with the scheme of a URL.
fn has_scheme(text: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let n_scheme = text.iter().take(MAX_SCHEME + 1).take_while(|byte| is_name(byte)).count();
    let is_scheme = (2..=MAX_SCHEME).contains(&n_scheme);
    is_scheme && text.get(n_scheme) == Some(&b':')
}

/// Reads the line of a record, without its line end.
pub(crate) fn read(line: &[u8]) -> Option<ArcLine> {
    if !has_scheme(line) {
        return None;
    }
    let text = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
    let words: Vec<&str> = text.split(' ').collect();
    let is_digits = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    // The date is the word that identifies the version.
    let with_version = |n_words: usize| {
        let date = words.len().checked_sub(n_words)? + 2;
        let is_date = words[date].len() == DATE && is_digits(words[date]);
        is_date.then_some(date)
    };
    let date = with_version(VERSION_1).or_else(|| with_version(VERSION_2))?;
    let length = words.last().filter(|word| is_digits(word))?.parse().ok()?;
    let url = words[..date - 1].join(" ");
    let (address, media_type) = (words[date - 1], words[date + 1]);
    let (scheme, _) = url.split_once(':')?;
    let of_scheme = |schemes: &[&str]| schemes.iter().any(|one| scheme.eq_ignore_ascii_case(one));
    let record_type = match () {
        () if of_scheme(&["filedesc"]) => RecordType::Warcinfo,
        () if of_scheme(&["http", "https"]) => RecordType::Response,
        () => RecordType::Resource,
    };
    let content_type = match record_type {
        RecordType::Response => "application/http; msgtype=response",
        _ => media_type,
    };
    let mut fields = Fields::with_capacity(2 * line.len());
    let mut add = |name: &str, value: &str| fields.push(name.as_bytes(), value.as_bytes());
    add("WARC-Type", record_type.name());
    add("WARC-Target-URI", &url);
    add("WARC-Date", &iso_date(words[date]));
    add("WARC-IP-Address", address);
    add("Content-Type", content_type);
    if record_type == RecordType::Response {
        add("WARC-Identified-Payload-Type", media_type);
    }
    Some(ArcLine { record_type, fields, length })
}

/// Returns a date of 14 digits in the form of WARC.
fn iso_date(digits: &str) -> String {
    let part = |start: usize, end: usize| digits.get(start..end).unwrap_or_default();
    format!(
        "{}-{}-{}T{}:{}:{}Z",
        part(0, 4),
        part(4, 6),
        part(6, 8),
        part(8, 10),
        part(10, 12),
        part(12, 14)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url_and_length(line: &str) -> Option<(String, u64)> {
        let line = read(line.as_bytes())?;
        Some((line.fields.iter().nth(1)?.value.to_owned(), line.length))
    }

    #[test]
    fn both_versions_and_urls_with_spaces_are_read() {
        for (line, expected) in [
            ("http://h/ 10.0.0.1 19960928120001 text/html 202", Some(("http://h/", 202))),
            ("http://h/a b 10.0.0.1 19960928120001 text/html 202", Some(("http://h/a b", 202))),
            (
                "http://h/ 1.2.3.4 19960928120001 text/html 200 - - 0 a.arc 7",
                Some(("http://h/", 7)),
            ),
            ("http://h/ 10.0.0.1 1996092812000 text/html 202", None),
            ("http://h/ 10.0.0.1 19960928120001 text/html x", None),
            ("19960928120001 text/html 3", None),
            ("", None),
        ] {
            let read = url_and_length(line);
            assert_eq!(read.as_ref().map(|(url, n)| (&**url, *n)), expected, "{line}");
            assert_eq!(is_start(format!("{line}\n").as_bytes()), expected.is_some(), "{line}");
        }
        assert!(!is_start(b"http://h/ 10.0.0.1 19960928120001 text/html 202"));
        assert_eq!(iso_date("19960928120001"), "1996-09-28T12:00:01Z");
    }
}
