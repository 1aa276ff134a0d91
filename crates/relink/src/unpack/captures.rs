//! The captures of web archives: which one of each URL becomes a file, and which URLs lead to it.
//!
//! One pass over the archives indexes the records. Of several captures of a URL the newest counts,
//! or the one at a time. Redirects are followed, and a `revisit` record leads to the capture that
//! it repeats (WARC 1.1, section 6.7).

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::Read;

use rewrite::Resolver;
use urlcore::Dialect;
use warc::{HttpResponse, Reader, Record, RecordHeader, RecordType};

use super::targets::key;

/// The number of octets of a block by which its media type is found.
const HEAD: usize = 16 << 10;

/// The maximum number of redirects from a URL to a file.
const MOST_REDIRECTS: usize = 20;

/// The place of a record: the position of its archive, and its number among the records in it.
pub(crate) type Place = (usize, u64);

/// A capture that becomes a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// Its URL.
    pub(crate) url: String,
    /// The time of the capture, as digits.
    pub(crate) time: String,
    /// Its media type, in lower case; `None` if the record gives none.
    pub(crate) media_type: Option<String>,
    pub(crate) charset: Option<String>,
    /// The record that has its content.
    pub(crate) place: Place,
    /// The digest of the content, if the record has it.
    pub(crate) digest: Option<String>,
}

/// A capture in the index.
#[derive(Debug)]
struct Capture {
    page: Page,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// The record has the content.
    Content,
    /// The key of the URL to which it redirects.
    Redirect(String),
    /// It repeats another capture: its key and time, if the record names it.
    Revisit(Option<(String, String)>),
}

/// The captures of all archives.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The best capture of each URL, by the keys of the URLs.
    captures: HashMap<String, Capture>,
    /// The records with content, by their digests, and by their URLs and times.
    by_digest: HashMap<String, Page>,
    by_time: HashMap<(String, String), Page>,
    /// The time at which the site is wanted, as digits.
    at: Option<String>,
    /// Number of responses that are errors of the server.
    pub(crate) n_errors: usize,
}

/// What an index gives.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// The captures that become files, in the order of the keys of their URLs.
    pub(crate) pages: Vec<Page>,
    /// The positions in `pages`, by the keys of all URLs that lead to them.
    pub(crate) by_key: HashMap<String, usize>,
    /// URLs whose content is in none of the archives.
    pub(crate) missing: Vec<String>,
}

impl Index {
    /// Creates an index of the newest captures, or of those at a time.
    pub(crate) fn new(at: Option<&str>) -> Self {
        Index { at: at.map(digits), ..Index::default() }
    }

    /// Adds the records of an archive. `broken` receives the offset of each record that cannot be
    /// read, and the reason.
    pub(crate) fn add<R: Read>(
        &mut self,
        archive: usize,
        reader: R,
        mut broken: impl FnMut(u64, String),
    ) {
        let mut reader = Reader::new(reader);
        let mut number = 0;
        while let Some(record) = reader.next_record() {
            let added =
                record.and_then(|mut record| self.add_record(&mut record, (archive, number)));
            if let Err(error) = added {
                broken(error.offset, error.kind.to_string());
            }
            number += 1;
        }
    }

    fn add_record<R: Read>(
        &mut self,
        record: &mut Record<'_, R>,
        place: Place,
    ) -> Result<(), warc::Error> {
        let header = record.header();
        let record_type = header.record_type;
        let Some(url) = header.target_uri().map(str::to_owned) else { return Ok(()) };
        let is_whole = !header.is_segmented() && header.truncated().is_none();
        let time = digits(header.date().unwrap_or_default());
        let digest = header.payload_digest().map(str::to_owned);
        let mut page = Page { url, time, media_type: None, charset: None, place, digest };
        match record_type {
            RecordType::Response if header.is_http_response() && is_whole => {
                let Ok(response) = HttpResponse::read(record.peek(HEAD)?) else { return Ok(()) };
                match response.status() {
                    200..300 => {
                        describe(&mut page, &response);
                        self.add_content(page);
                    }
                    300..400 => {
                        let to = response.location().and_then(|to| resolved(&page.url, &to));
                        if let Some(to) = to {
                            self.add_capture(Capture { page, kind: Kind::Redirect(key(&to)) });
                        }
                    }
                    _ => self.n_errors += 1,
                }
            }
            RecordType::Resource if is_whole => {
                page.media_type = header.content_type().map(media_type_of);
                self.add_content(page);
            }
            RecordType::Revisit => {
                let original = repeated(header);
                if let Ok(response) = HttpResponse::read(record.peek(HEAD)?) {
                    describe(&mut page, &response);
                }
                self.add_capture(Capture { page, kind: Kind::Revisit(original) });
            }
            _ => {}
        }
        Ok(())
    }

    fn add_content(&mut self, page: Page) {
        if let Some(digest) = &page.digest {
            self.by_digest.entry(digest.clone()).or_insert_with(|| page.clone());
        }
        let by_time = (key(&page.url), page.time.clone());
        self.by_time.entry(by_time).or_insert_with(|| page.clone());
        self.add_capture(Capture { page, kind: Kind::Content });
    }

    fn add_capture(&mut self, capture: Capture) {
        let key = key(&capture.page.url);
        let is_better = self
            .captures
            .get(&key)
            .is_none_or(|other| self.rank(&capture.page.time) > self.rank(&other.page.time));
        if is_better {
            self.captures.insert(key, capture);
        }
    }

    /// Returns the rank of a time: the newest counts, or the last one until the wanted time, or
    /// else the first one after it.
    fn rank<'t>(&self, time: &'t str) -> (bool, &'t str, Reverse<&'t str>) {
        match &self.at {
            Some(at) if until(at, time) => (true, time, Reverse("")),
            Some(_) => (false, "", Reverse(time)),
            None => (true, time, Reverse("")),
        }
    }

    /// Chooses the captures that become files.
    pub(crate) fn choose(self) -> Chosen {
        let mut keys: Vec<&String> = self.captures.keys().collect();
        keys.sort();
        let mut chosen = Chosen::default();
        let mut redirects = Vec::new();
        for key in keys {
            let Capture { page, kind } = &self.captures[key];
            let content = match kind {
                Kind::Content => Some(page.clone()),
                Kind::Revisit(original) => self.original(page, original.as_ref()),
                Kind::Redirect(_) => {
                    redirects.push(key);
                    continue;
                }
            };
            match content {
                Some(page) => {
                    chosen.by_key.insert(key.clone(), chosen.pages.len());
                    chosen.pages.push(page);
                }
                None => chosen.missing.push(page.url.clone()),
            }
        }
        for key in redirects {
            let mut at = key;
            for _ in 0..MOST_REDIRECTS {
                let Some(Capture { kind: Kind::Redirect(to), .. }) = self.captures.get(at) else {
                    break;
                };
                at = to;
            }
            if let Some(idx) = chosen.by_key.get(at).copied() {
                chosen.by_key.insert(key.clone(), idx);
            }
        }
        chosen
    }

    /// Returns a capture with the content of the one that it repeats.
    fn original(&self, page: &Page, named: Option<&(String, String)>) -> Option<Page> {
        let found = named.and_then(|named| self.by_time.get(named));
        let found = found.or_else(|| self.by_digest.get(page.digest.as_ref()?))?;
        Some(Page {
            media_type: page.media_type.clone().or_else(|| found.media_type.clone()),
            charset: page.charset.clone().or_else(|| found.charset.clone()),
            place: found.place,
            ..page.clone()
        })
    }
}

/// Sets media type and charset by the header section of a response.
fn describe(page: &mut Page, response: &HttpResponse<'_>) {
    page.media_type = response.media_type();
    page.charset = response.charset();
}

/// Returns the key and the time of the capture that a `revisit` record repeats.
fn repeated(header: &RecordHeader) -> Option<(String, String)> {
    let url = header.refers_to_target_uri().or(header.target_uri())?;
    Some((key(url), digits(header.refers_to_date()?)))
}

fn resolved(base: &str, to: &str) -> Option<String> {
    Resolver::new(base, Dialect::Web).ok()?.resolve(to).ok()?.url()
}

/// Returns a media type in lower case without its parameters.
fn media_type_of(text: &str) -> String {
    text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Returns the digits of a time: `2026-11-24T13:05:00Z` and `20261124130500` are the same.
fn digits(time: &str) -> String {
    time.chars().filter(char::is_ascii_digit).collect()
}

/// Returns true if a time is not after another one, which may be a part of one: all of the day
/// `20261124` counts.
fn until(at: &str, time: &str) -> bool {
    time[..time.len().min(at.len())] <= *at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: &str, url: &str, time: &str, more: &str, block: &str) -> String {
        let n = block.len();
        format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {time}\r\n{more}\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {n}\r\n\r\n{block}\r\n\r\n"
        )
    }

    fn chosen(records: &[String], at: Option<&str>) -> Chosen {
        let mut index = Index::new(at);
        index.add(0, records.concat().as_bytes(), |offset, reason| panic!("{offset}: {reason}"));
        index.choose()
    }

    const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>";

    #[test]
    fn the_newest_capture_counts_or_the_one_at_a_time() {
        let times = ["2020-01-01T00:00:00Z", "2022-01-01T00:00:00Z", "2021-01-01T12:00:00Z"];
        let records = times.map(|time| record("response", "http://h/", time, "", PAGE));
        let number = |at| chosen(&records, at).pages[0].place.1;
        assert_eq!(number(None), 1);
        assert_eq!(number(Some("2021-06-01")), 2);
        assert_eq!(number(Some("2021-01-01")), 2);
        assert_eq!(number(Some("2021-01-01T11:59:59Z")), 0);
        assert_eq!(number(Some("1999")), 0);
    }

    #[test]
    fn redirects_and_revisits_lead_to_the_content() {
        let time = "2020-01-01T00:00:00Z";
        let to = |to: &str| format!("HTTP/1.1 301 Moved\r\nLocation: {to}\r\n\r\n");
        let digest = "WARC-Payload-Digest: sha1:A\r\n";
        let records = [
            record("response", "http://h/a", time, "", &to("/b")),
            record("response", "http://h/b", time, "", &to("https://h/c")),
            record("response", "https://h/c", time, digest, PAGE),
            record("response", "http://h/loop", time, "", &to("/loop")),
            record("response", "http://h/404", time, "", "HTTP/1.1 404 No\r\n\r\n"),
            record("revisit", "http://h/d", "2021-01-01T00:00:00Z", digest, ""),
            record(
                "revisit",
                "https://h/c",
                "2022-01-01T00:00:00Z",
                "WARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n",
                "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n\r\n",
            ),
            record("revisit", "http://h/gone", time, "WARC-Payload-Digest: sha1:B\r\n", ""),
        ];
        let chosen = chosen(&records, None);
        let urls: Vec<&str> = chosen.pages.iter().map(|page| &*page.url).collect();
        assert_eq!(urls, ["http://h/d", "https://h/c"]);
        assert!(chosen.pages.iter().all(|page| page.place == (0, 2)));
        let types: Vec<_> = chosen.pages.iter().map(|page| page.media_type.as_deref()).collect();
        assert_eq!(types, [Some("text/html"), Some("text/css")]);
        assert_eq!(chosen.missing, ["http://h/gone"]);
        for (url, idx) in
            [("http://h/a", Some(1)), ("http://h/b", Some(1)), ("http://h/loop", None)]
        {
            assert_eq!(chosen.by_key.get(url).copied(), idx, "{url}");
        }
    }
}
