//! The captures of web archives: which one of each URL becomes a file, and which URLs lead to it.
//!
//! One pass over the archives indexes the records. Of several captures of a URL the newest counts,
//! or the one at a time. Redirects are followed, and a `revisit` record leads to the capture that
//! it repeats (WARC 1.1, section 6.7).

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::Read;

use warc::{Reader, RecordHeader};

use super::captured_pages::{Page, Pages};
use super::record::{Found, Kind, digits, found, moment};
use super::targets::id;
use crate::digest::Short;
use crate::failure::Failure;

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

/// The captures of all archives.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// All captures but those that only repeat others and are not the best ones.
    captures: Pages,
    kinds: Vec<Kind>,
    /// The fragments that redirects add, by position.
    fragments: HashMap<u32, String>,
    /// The position of the best capture of each URL, by the identifiers of the URLs.
    best: HashMap<Short, u32>,
    /// The time at which the site is wanted, as digits.
    at: Option<String>,
}

/// What an index gives.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// The captures that become files, in the order of the archives.
    pub(crate) pages: Pages,
    /// The positions in `pages`, by the identifiers of all URLs that lead to them.
    pub(crate) by_id: HashMap<Short, u32>,
    /// The fragments that redirects add, by the identifiers of the URLs that lead to them.
    pub(crate) fragments: HashMap<Short, String>,
    /// URLs whose content is in none of the archives, sorted.
    pub(crate) missing: Vec<String>,
}

/// The rank of a time.
type Time<'t> = (bool, &'t str, Reverse<&'t str>);

impl Index {
    /// Creates an index of the newest captures, or of those at a time.
    pub(crate) fn new(at: Option<&str>) -> Self {
        Index { at: at.map(digits), ..Index::default() }
    }

    /// Adds the records of an archive. `broken` receives the offset of each record that cannot be
    /// read, and the reason.
    pub(crate) fn add<R: Read>(
        &mut self,
        archive: u32,
        reader: R,
        mut broken: impl FnMut(u64, String),
    ) {
        let mut reader = Reader::new(reader);
        let mut places = Places::default();
        while let Some(record) = reader.next_record() {
            let read = record.and_then(|mut record| {
                let place = (archive, places.next(record.header()));
                let found = found(&mut record, place)?;
                // A record that proves to be broken does not hide an older capture.
                record.finish().map(|(header, _)| (header.offset, found))
            });
            match read {
                Ok((_, Found::Capture(page, kind, fragment))) => {
                    self.add_capture(&page, kind, fragment);
                }
                Ok((offset, Found::Incomplete(reason))) => broken(offset, reason),
                Ok((_, Found::Nothing)) => {}
                Err(error) => broken(error.offset, error.kind.to_string()),
            }
        }
    }

    fn add_capture(&mut self, page: &Page, kind: Kind, fragment: Option<String>) {
        // An index of that size does not fit into memory.
        let Ok(idx) = u32::try_from(self.captures.len()) else { return };
        let id = id(&page.url);
        let is_better = self.is_better((kind, &page.time), self.best.get(&id).copied());
        if is_better {
            self.best.insert(id, idx);
        }
        if is_better || !matches!(kind, Kind::Revisit(_)) {
            self.captures.push(page);
            self.kinds.push(kind);
            self.fragments.extend(fragment.map(|fragment| (idx, fragment)));
        }
    }

    /// Returns true if a capture is better than another one.
    fn is_better(&self, (kind, time): (Kind, &str), other: Option<u32>) -> bool {
        other.map(|idx| idx as usize).is_none_or(|idx| {
            let other = self.captures.time(idx);
            let (found, other) = (self.rank(kind, time), self.rank(self.kinds[idx], &other));
            found > other
        })
    }

    /// Returns the rank of a capture: the newest counts, or the last one until the wanted time, or
    /// else the first one after it; a part only if there is nothing else. Of a redirect and the
    /// content in the same second, the content counts: a server has tried whether it gets a cookie.
    fn rank<'t>(&self, kind: Kind, time: &'t str) -> (bool, Time<'t>, bool) {
        let time = match &self.at {
            Some(at) if until(at, time) => (true, time, Reverse("")),
            Some(_) => (false, "", Reverse(time)),
            None => (true, time, Reverse("")),
        };
        (!matches!(kind, Kind::Part), time, matches!(kind, Kind::Content))
    }

    /// Replaces the best captures that lead to no content: those that repeat a capture that no
    /// archive has, and redirects that come back. Another capture of the URL counts then.
    fn replace_empty(&mut self, originals: &Originals) {
        let empty = |(id, idx): (&Short, &u32)| {
            let is_revisit = match self.kinds[*idx as usize] {
                Kind::Revisit(named) => {
                    let digest = self.captures.source(*idx as usize).digest;
                    originals.get(named, digest).is_none().then_some(true)
                }
                Kind::Redirect(to) => self.comes_back(*id, to).then_some(false),
                Kind::Content | Kind::Part => None,
            };
            Some((*id, (is_revisit?, None)))
        };
        let mut others: HashMap<Short, (bool, Option<u32>)> =
            self.best.iter().filter_map(empty).collect();
        if others.is_empty() {
            return;
        }
        for (idx, page) in (0..).zip(self.captures.iter()) {
            let kind = self.kinds[idx as usize];
            let Some((is_revisit, other)) = others.get_mut(&id(&page.url)) else { continue };
            let has_content = match kind {
                Kind::Content | Kind::Part => true,
                // A revisit may repeat a redirect.
                Kind::Redirect(_) => *is_revisit,
                Kind::Revisit(_) => false,
            };
            if has_content && self.is_better((kind, &page.time), *other) {
                *other = Some(idx);
            }
        }
        let found = others.into_iter().filter_map(|(id, (_, other))| Some((id, other?)));
        self.best.extend(found);
    }

    /// Returns true if redirects from a URL to another one come back to the first one.
    fn comes_back(&self, from: Short, to: Short) -> bool {
        let mut at = to;
        for _ in 0..MOST_REDIRECTS {
            if at == from {
                return true;
            }
            let Some(idx) = self.best.get(&at) else { return false };
            let Kind::Redirect(to) = self.kinds[*idx as usize] else { return false };
            at = to;
        }
        false
    }

    /// Chooses the captures that become files.
    ///
    /// # Errors
    ///
    /// Those of [`Pages::check`].
    pub(crate) fn choose(mut self) -> Result<Chosen, Failure> {
        let originals = Originals::new(&self);
        self.replace_empty(&originals);
        let Index { captures: mut pages, kinds, fragments, best, .. } = self;
        // The positions of the best captures, and of those with their content.
        let mut chosen: Vec<(u32, u32)> = Vec::with_capacity(best.len());
        let mut missing = Vec::new();
        let mut order: Vec<u32> = best.values().copied().collect();
        order.sort_unstable();
        for idx in order {
            match kinds[idx as usize] {
                Kind::Content | Kind::Part => chosen.push((idx, idx)),
                Kind::Redirect(_) => {}
                Kind::Revisit(named) => {
                    match originals.get(named, pages.source(idx as usize).digest) {
                        Some(original) => chosen.push((idx, original)),
                        None => missing.push(pages.get(idx as usize).url),
                    }
                }
            }
        }
        missing.sort_unstable();
        let mut added: HashMap<Short, String> = HashMap::new();
        let mut page_of = |id: Short, mut idx: u32| {
            let mut fragment = None;
            for _ in 0..MOST_REDIRECTS {
                let Kind::Redirect(to) = kinds[idx as usize] else { break };
                fragment = fragments.get(&idx).or(fragment);
                idx = *best.get(&to)?;
            }
            added.extend(fragment.map(|fragment| (id, fragment.clone())));
            let found = chosen.binary_search_by_key(&idx, |(idx, _)| *idx);
            u32::try_from(found.ok()?).ok()
        };
        let by_id = best.iter().filter_map(|(id, idx)| Some((*id, page_of(*id, *idx)?))).collect();
        pages.choose(&chosen);
        pages.check()?;
        Ok(Chosen { pages, by_id, fragments: added, missing })
    }
}

/// The captures with the content that others repeat, by their digests, and by their [`moment`]s.
#[derive(Debug, Default)]
struct Originals {
    by_digest: HashMap<Short, Option<u32>>,
    by_moment: HashMap<Short, Option<u32>>,
}

impl Originals {
    fn new(Index { captures, kinds, best, .. }: &Index) -> Self {
        let mut found = Originals::default();
        for idx in best.values().map(|idx| *idx as usize) {
            if let Kind::Revisit(named) = kinds[idx] {
                found.by_moment.extend(named.map(|moment| (moment, None)));
                found.by_digest.extend(captures.source(idx).digest.map(|digest| (digest, None)));
            }
        }
        let Originals { by_digest, by_moment } = &mut found;
        let has_content = |(_, kind): &(u32, &Kind)| matches!(kind, Kind::Content | Kind::Part);
        for (idx, _) in (0..).zip(kinds).filter(has_content) {
            if let Some(digest) = captures.source(idx as usize).digest
                && let Some(original) = by_digest.get_mut(&digest)
            {
                original.get_or_insert(idx);
            }
            if !by_moment.is_empty() {
                let Page { url, time, .. } = captures.get(idx as usize);
                if let Some(original) = by_moment.get_mut(&moment(id(&url), &time)) {
                    original.get_or_insert(idx);
                }
            }
        }
        found
    }

    /// Returns the position of the capture with a moment, or else of the first one with a digest.
    fn get(&self, moment: Option<Short>, digest: Option<Short>) -> Option<u32> {
        let named = moment.and_then(|moment| self.by_moment.get(&moment).copied().flatten());
        named.or_else(|| self.by_digest.get(&digest?).copied().flatten())
    }
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
        index.choose().unwrap()
    }

    const PAGE: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>";

    #[test]
    fn the_newest_capture_counts_or_the_one_at_a_time() {
        let times = ["2020-01-01T00:00:00Z", "2022-01-01T00:00:00Z", "2021-01-01T12:00:00Z"];
        let records = times.map(|time| record("response", "http://h/", time, "", PAGE));
        let number = |at| chosen(&records, at).pages.source(0).place.0 / records[0].len() as u64;
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
            record("response", "http://h/loop", time, "", &to("/round")),
            record("response", "http://h/round", time, "", &to("/loop")),
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
        let pages: Vec<Page> = chosen.pages.iter().collect();
        let urls: Vec<&str> = pages.iter().map(|page| &*page.url).collect();
        assert_eq!(urls, ["http://h/d", "https://h/c"]);
        assert!(pages.iter().all(|page| page.source.place == (third, 0)));
        let types: Vec<_> = pages.iter().map(|page| page.media_type.as_deref()).collect();
        assert_eq!(types, [Some("text/html"), Some("text/css")]);
        assert_eq!(chosen.missing, ["http://h/gone"]);
        for (url, idx) in
            [("http://h/a", Some(1)), ("http://h/b", Some(1)), ("http://h/loop", None)]
        {
            assert_eq!(chosen.by_id.get(&id(url)).copied(), idx, "{url}");
        }
    }

    #[test]
    fn what_leads_to_no_content_hides_none() {
        let [old, new] = ["2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"];
        let of = |url: &str, time: &str, more: &str| {
            let block = format!("HTTP/1.1 {more}\r\nContent-Type: text/html\r\n\r\n<p>");
            record("response", url, time, "", &block)
        };
        let a = "http://h/a";
        let is = |records: &[String], number: usize, missing: usize| {
            let chosen = chosen(records, None);
            assert_eq!(chosen.missing.len(), missing);
            let place = records[..number].iter().map(String::len).sum::<usize>() as u64;
            let idx = chosen.by_id[&id(a)] as usize;
            assert_eq!(chosen.pages.source(idx).place.0, place, "{records:#?}");
        };
        let page = of(a, old, "200 OK");
        for time in [old, new] {
            for hiding in [
                "302 Found\r\nLocation: /a",
                "302 Found\r\nLocation: /b",
                "304 Not Modified\r\nLocation: /c",
                "204 No Content",
                "206 Partial Content\r\nContent-Range: bytes 0-2/9",
            ] {
                let back = of("http://h/b", time, "302 Found\r\nLocation: /a");
                is(&[of(a, time, hiding), back.clone(), page.clone()], 2, 0);
                is(&[page.clone(), back, of(a, time, hiding)], 0, 0);
            }
        }
        let repeats = record("revisit", a, new, "WARC-Payload-Digest: sha1:NO\r\n", "");
        is(&[repeats.clone(), page.clone()], 1, 0);
        let to = of(a, old, "301 Moved\r\nLocation: /b");
        is(&[repeats, to, of("http://h/b", old, "200 OK")], 2, 0);
        is(&[page.clone(), of(a, new, "206 Partial Content\r\nContent-Range: bytes 0-2/3")], 1, 0);
        is(&[of(a, new, "206 Partial Content\r\nContent-Range: bytes 0-2/9")], 0, 0);
    }
}
