//! The captures of web archives: which one of each URL becomes a file, and which URLs lead to it.
//!
//! One pass over the archives indexes the records. Of several captures of a URL the newest counts,
//! or the one at a time. Redirects are followed, and a `revisit` record leads to the capture that
//! it repeats (WARC 1.1, section 6.7).

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::mem::take;
use std::sync::Arc;

use rewrite::Resolver;
use urlcore::Dialect;
use warc::{HttpResponse, Reader, Record, RecordHeader, RecordType};

use super::targets::{id, key};
use crate::container::archive::incomplete;
use crate::digest::{Short, short};

/// The number of octets of a block by which its media type is found.
const HEAD: usize = 16 << 10;

/// The maximum number of redirects from a URL to a file.
const MOST_REDIRECTS: usize = 20;

/// The place of a record in its archive: its offset, and its number among the records with that
/// offset, such as those of one gzip member.
pub(crate) type Place = (u64, u64);

/// Counts the records of an archive, whether their blocks are read or not. Broken ones do not
/// count: where they are noticed depends on what is read of them.
#[derive(Debug, Default)]
pub(crate) struct Places {
    last: Option<Place>,
}

impl Places {
    /// Returns the place of the next record.
    pub(crate) fn next(&mut self, header: &RecordHeader) -> Place {
        let same = self.last.filter(|(offset, _)| *offset == header.offset);
        *self.last.insert((header.offset, same.map_or(0, |(_, number)| number + 1)))
    }
}

/// A capture that becomes a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// Its URL.
    pub(crate) url: Box<str>,
    /// The time of the capture, as digits.
    pub(crate) time: Arc<str>,
    /// Its media type, in lower case; `None` if the record gives none.
    pub(crate) media_type: Option<Arc<str>>,
    pub(crate) charset: Option<Arc<str>>,
    /// The position of the archive that has its content, and the record in it.
    pub(crate) archive: usize,
    pub(crate) place: Place,
    /// The hash of the digest of the content, if the record has it.
    pub(crate) digest: Option<Short>,
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
    /// The identifier of the URL to which it redirects.
    Redirect(Short),
    /// It repeats another capture: the [`moment`] of that, if the record names it.
    Revisit(Option<Short>),
}

/// Texts that many records have: each is stored once.
#[derive(Debug, Default)]
struct Words(HashSet<Arc<str>>);

impl Words {
    fn share(&mut self, text: &str) -> Arc<str> {
        if let Some(word) = self.0.get(text) {
            return Arc::clone(word);
        }
        let word: Arc<str> = text.into();
        self.0.insert(Arc::clone(&word));
        word
    }
}

/// The captures of all archives.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// All captures but those that are neither the best ones nor have content.
    captures: Vec<Capture>,
    /// The position of the best capture of each URL, by the identifiers of the URLs.
    best: HashMap<Short, usize>,
    /// The positions of those with content, by their digests, and by their [`moment`]s.
    by_digest: HashMap<Short, usize>,
    by_moment: HashMap<Short, usize>,
    words: Words,
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
    /// The positions in `pages`, by the identifiers of all URLs that lead to them.
    pub(crate) by_id: HashMap<Short, usize>,
    /// URLs whose content is in none of the archives.
    pub(crate) missing: Vec<Box<str>>,
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
        let mut places = Places::default();
        while let Some(record) = reader.next_record() {
            let read = record.and_then(|mut record| {
                let place = (archive, places.next(record.header()));
                let found = found(&mut record, place, &mut self.words)?;
                // A record that proves to be broken does not hide an older capture.
                record.finish().map(|(header, _)| (header.offset, found))
            });
            match read {
                Ok((_, Found::Capture(capture))) => self.add_capture(capture),
                Ok((_, Found::ServerError)) => self.n_errors += 1,
                Ok((offset, Found::Incomplete(reason))) => broken(offset, reason),
                Ok((_, Found::Nothing)) => {}
                Err(error) => broken(error.offset, error.kind.to_string()),
            }
        }
    }

    fn add_capture(&mut self, capture: Capture) {
        let Capture { page, kind } = &capture;
        let (idx, id) = (self.captures.len(), id(&page.url));
        let is_content = matches!(kind, Kind::Content);
        if is_content {
            if let Some(digest) = page.digest {
                self.by_digest.entry(digest).or_insert(idx);
            }
            self.by_moment.entry(moment(id, &page.time)).or_insert(idx);
        }
        let other = self.best.get(&id).map(|idx| &self.captures[*idx].page.time);
        let is_better = other.is_none_or(|other| self.rank(&page.time) > self.rank(other));
        if is_better {
            self.best.insert(id, idx);
        }
        if is_better || is_content {
            self.captures.push(capture);
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
    pub(crate) fn choose(mut self) -> Chosen {
        let mut best: Vec<(Short, usize)> = self.best.iter().map(|(id, idx)| (*id, *idx)).collect();
        best.sort_by_cached_key(|(_, idx)| key(&self.captures[*idx].page.url));
        let mut chosen = Chosen::default();
        for (id, idx) in &best {
            let content = match self.captures[*idx].kind {
                Kind::Content => Some(*idx),
                Kind::Revisit(original) => self.original(*idx, original),
                Kind::Redirect(_) => continue,
            };
            match content {
                Some(content) => {
                    chosen.by_id.insert(*id, chosen.pages.len());
                    chosen.pages.push(self.take(*idx, content));
                }
                None => chosen.missing.push(take(&mut self.captures[*idx].page.url)),
            }
        }
        for (id, idx) in best {
            let (mut at, mut idx) = (id, Some(idx));
            for _ in 0..MOST_REDIRECTS {
                let Some(Kind::Redirect(to)) = idx.map(|idx| &self.captures[idx].kind) else {
                    break;
                };
                at = *to;
                idx = self.best.get(to).copied();
            }
            if let Some(page) = chosen.by_id.get(&at).copied() {
                chosen.by_id.insert(id, page);
            }
        }
        chosen
    }

    /// Returns the position of the capture that another one repeats.
    fn original(&self, idx: usize, named: Option<Short>) -> Option<usize> {
        let found = named.and_then(|named| self.by_moment.get(&named));
        found.or_else(|| self.by_digest.get(&self.captures[idx].page.digest?)).copied()
    }

    /// Takes a capture, with the content of another one, or its own.
    fn take(&mut self, idx: usize, content: usize) -> Page {
        let url = take(&mut self.captures[idx].page.url);
        let [page, content] = [idx, content].map(|idx| &self.captures[idx].page);
        Page {
            url,
            time: Arc::clone(&page.time),
            media_type: page.media_type.as_ref().or(content.media_type.as_ref()).cloned(),
            charset: page.charset.as_ref().or(content.charset.as_ref()).cloned(),
            archive: content.archive,
            place: content.place,
            digest: page.digest,
        }
    }
}

/// What a record is for the index.
enum Found {
    Capture(Capture),
    /// A response that is an error of the server.
    ServerError,
    /// A part of a capture; the reason.
    Incomplete(String),
    Nothing,
}

/// Returns what a record is.
fn found<R: Read>(
    record: &mut Record<'_, R>,
    (archive, place): (usize, Place),
    words: &mut Words,
) -> Result<Found, warc::Error> {
    let header = record.header();
    let record_type = header.record_type;
    let is_content = match record_type {
        RecordType::Response => header.is_http_response(),
        RecordType::Resource => true,
        _ => false,
    };
    let Some(url) = header.target_uri().map(Into::into) else { return Ok(Found::Nothing) };
    if let (true, Some(reason)) = (is_content, incomplete(header)) {
        return Ok(Found::Incomplete(reason));
    }
    let time = words.share(&digits(header.date().unwrap_or_default()));
    let digest = header.payload_digest().map(|digest| short(digest.as_bytes()));
    let mut page = Page { url, time, media_type: None, charset: None, archive, place, digest };
    let kind = match record_type {
        RecordType::Response if is_content => {
            let Ok(response) = HttpResponse::read(record.peek(HEAD)?) else {
                return Ok(Found::Nothing);
            };
            match response.status() {
                200..300 => {
                    describe(&mut page, &response, words);
                    Kind::Content
                }
                300..400 => match redirect(&page, &response) {
                    Some(redirect) => redirect,
                    None => return Ok(Found::Nothing),
                },
                _ => return Ok(Found::ServerError),
            }
        }
        RecordType::Resource => {
            page.media_type = header.content_type().map(|name| words.share(&media_type_of(name)));
            Kind::Content
        }
        RecordType::Revisit => {
            let original = repeated(header);
            let response = HttpResponse::read(record.peek(HEAD)?).ok();
            // It may repeat a redirect, or an error.
            if response.as_ref().is_some_and(|response| response.status() >= 400) {
                return Ok(Found::ServerError);
            }
            response.iter().for_each(|response| describe(&mut page, response, words));
            let redirect = response.and_then(|response| redirect(&page, &response));
            redirect.unwrap_or(Kind::Revisit(original))
        }
        _ => return Ok(Found::Nothing),
    };
    Ok(Found::Capture(Capture { page, kind }))
}

/// Returns what a response is that redirects.
fn redirect(page: &Page, response: &HttpResponse<'_>) -> Option<Kind> {
    let to = response.location().filter(|_| (300..400).contains(&response.status()))?;
    Some(Kind::Redirect(id(&resolved(&page.url, &to)?)))
}

/// Sets media type and charset by the header section of a response.
fn describe(page: &mut Page, response: &HttpResponse<'_>, words: &mut Words) {
    page.media_type = response.media_type().map(|name| words.share(&name));
    page.charset = response.charset().map(|name| words.share(&name));
}

/// Returns the [`moment`] of the capture that a `revisit` record repeats.
fn repeated(header: &RecordHeader) -> Option<Short> {
    let url = header.refers_to_target_uri().or(header.target_uri())?;
    Some(moment(id(url), &digits(header.refers_to_date()?)))
}

/// Returns the hash of the identifier of a URL and the time of a capture, as digits.
fn moment(id: Short, time: &str) -> Short {
    short(&[&id, time.as_bytes()].concat())
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
        let number = |at| chosen(&records, at).pages[0].place.0 / records[0].len() as u64;
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
            record("revisit", "http://h/a", "2021-01-01T00:00:00Z", digest, &to("/b")),
            record("revisit", "http://h/no", time, digest, "HTTP/1.1 404 No\r\n\r\n"),
            record("revisit", "http://h/gone", time, "WARC-Payload-Digest: sha1:B\r\n", ""),
        ];
        let third = (records[0].len() + records[1].len()) as u64;
        let chosen = chosen(&records, None);
        let urls: Vec<&str> = chosen.pages.iter().map(|page| &*page.url).collect();
        assert_eq!(urls, ["http://h/d", "https://h/c"]);
        assert!(chosen.pages.iter().all(|page| page.place == (third, 0)));
        let types: Vec<_> = chosen.pages.iter().map(|page| page.media_type.as_deref()).collect();
        assert_eq!(types, [Some("text/html"), Some("text/css")]);
        assert_eq!(chosen.missing, ["http://h/gone".into()]);
        for (url, idx) in
            [("http://h/a", Some(1)), ("http://h/b", Some(1)), ("http://h/loop", None)]
        {
            assert_eq!(chosen.by_id.get(&id(url)).copied(), idx, "{url}");
        }
    }
}
