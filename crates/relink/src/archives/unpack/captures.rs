//! The captures of web archives: which one of each URL becomes a file, and which URLs lead to it.
//!
//! One pass over the archives indexes the records, and `ranking.rs` chooses. Bodies are decoded in
//! this pass where a URL has several captures: one that is damaged hides no other.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Read;

use rewrite::{Limit, Limits};
use warc::{DecodeLimits, Error, Reader, Record, RecordHeader};

use super::captured_pages::{CaptureTime, Pages, Place, RecordSource};
use super::keys::id;
use super::ranking::{Best, MOST_REDIRECTS, Originals, RankedCapture, best, others};
use super::record::{
    Capture, CaptureKind, Class, Ids, RecordUse, Request, digits, found, is_whole, moment,
};
use crate::files::container::Fault;
use crate::files::container::archive::fault_of;
use crate::os::digest::Short;
use crate::os::failure::Failure;

/// Counts the records of an archive, whether their blocks are read or not. Those whose header
/// sections are broken do not count: where they are noticed depends on what is read of them.
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

/// A record that is not what it says.
#[derive(Debug)]
pub(crate) struct RecordDefect {
    pub(crate) archive: u32,
    /// The offset of the record.
    pub(crate) offset: u64,
    pub(crate) fault: Fault,
    /// The position of its capture, if it has content.
    capture: Option<u32>,
}

/// The captures of all archives.
#[derive(Debug)]
pub(crate) struct Index {
    captures: Pages,
    /// What is known of each capture.
    rows: Vec<RankedCapture>,
    /// The identifiers of their URLs.
    seen: HashSet<Short>,
    /// The fragments that redirects add, by position.
    fragments: HashMap<u32, String>,
    /// The identifiers of the twins of the URLs to which captures redirect, by position.
    twins: Vec<(u32, Vec<Short>)>,
    requests: Requests,
    defects: Vec<RecordDefect>,
    /// The first URL without a scheme in each archive that has some, and their number.
    bare: BTreeMap<u32, (String, usize)>,
    /// The time at which the site is wanted, as digits.
    at: Option<String>,
    limits: DecodeLimits,
}

/// The classes of responses to requests with other methods than GET.
#[derive(Debug, Default)]
struct Requests {
    /// By the identifiers of the requests.
    by_request: HashMap<Short, Class>,
    /// By the identifiers of the responses.
    by_response: HashMap<Short, Class>,
    /// By the [`moment`]s of the requests that name no response.
    by_moment: HashMap<Short, Class>,
    /// The captures that name several records of their exchange, with those after the first.
    others: Vec<(u32, Short)>,
}

impl Requests {
    fn add(&mut self, Request { class, own, others, moment }: Request) {
        self.by_request.extend(own.map(|id| (id, class)));
        if others.is_empty() {
            self.by_moment.extend(moment.map(|moment| (moment, class)));
        }
        self.by_response.extend(others.into_iter().map(|id| (id, class)));
    }

    fn is_empty(&self) -> bool {
        self.by_request.is_empty() && self.by_response.is_empty() && self.by_moment.is_empty()
    }

    /// Returns the class of a response, if its request was no GET.
    fn class(&self, Ids { own, other }: Ids, moment: impl FnOnce() -> Short) -> Option<Class> {
        let of_response = own.and_then(|id| self.by_response.get(&id));
        let found = of_response.or_else(|| match other {
            Some(id) => self.by_request.get(&id),
            None => self.by_moment.get(&moment()),
        });
        found.copied()
    }
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
    /// The times of the other captures of the URLs of `pages` that have content, by position there.
    pub(crate) others: HashMap<u32, Vec<CaptureTime>>,
    /// URLs whose content is in none of the archives, sorted.
    pub(crate) missing: Vec<String>,
    /// The records with defects that make no file.
    pub(crate) defects: Vec<RecordDefect>,
}

impl Index {
    /// Creates an index of the newest captures, or of those at a time.
    pub(crate) fn new(at: Option<&str>, limits: &Limits) -> Self {
        let [most, ratio] =
            [Limit::DocumentSize, Limit::CompressionRatio].map(|limit| limits.get(limit));
        Index {
            captures: Pages::default(),
            rows: Vec::new(),
            seen: HashSet::new(),
            fragments: HashMap::new(),
            twins: Vec::new(),
            requests: Requests::default(),
            defects: Vec::new(),
            bare: BTreeMap::new(),
            at: at.map(digits),
            limits: DecodeLimits { most, ratio },
        }
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
                let offset = record.header().offset;
                match found(&mut record, place)? {
                    RecordUse::Capture(capture) => {
                        return self.finish(record, *capture);
                    }
                    RecordUse::Request(request) => self.requests.add(request),
                    RecordUse::Broken(reason) => broken(offset, reason),
                    RecordUse::Nothing => {}
                }
                record.finish().map(drop)
            });
            if let Err(error) = read {
                if error.kind.is_incomplete() {
                    self.defects.push(RecordDefect {
                        archive,
                        offset: error.offset,
                        fault: fault_of(&error.kind),
                        capture: None,
                    })
                } else {
                    broken(error.offset, error.kind.to_string())
                }
            }
        }
    }

    /// Adds a capture, whose record has been read up to its header section.
    fn finish<R: Read>(
        &mut self,
        record: Record<'_, R>,
        mut capture: Capture,
    ) -> Result<(), Error> {
        let id = id(&capture.page.url);
        let is_decoded = !capture.is_checked && self.seen.contains(&id);
        let defect = if is_decoded || capture.is_cut {
            let read = record.read_available(self.limits.most)?;
            if is_decoded {
                capture.is_checked = true;
                if !is_whole(&read.block, &self.limits) {
                    capture.class = Class::Incomplete;
                }
            }
            read.defect
        } else {
            record.finish().err()
        };
        if let Some(error) = defect {
            if !error.kind.is_incomplete() {
                return Err(error);
            }
            capture.class = Class::Incomplete;
            let content = u32::try_from(self.captures.len()).ok();
            self.defects.push(RecordDefect {
                archive: capture.page.source.archive,
                offset: error.offset,
                fault: fault_of(&error.kind),
                capture: content.filter(|_| matches!(capture.kind, CaptureKind::Content)),
            });
        }
        // An index of that size does not fit into memory.
        let Ok(idx) = u32::try_from(self.captures.len()) else { return Ok(()) };
        let Capture { page, kind, class, is_checked, fragment, twins, names, others, .. } = capture;
        self.requests.others.extend(others.into_iter().map(|other| (idx, other)));
        if capture.has_completed_url {
            let bare = self.bare.entry(page.source.archive);
            bare.or_insert_with(|| (page.url.clone(), 0)).1 += 1;
        }
        self.seen.insert(id);
        self.captures.push(&page);
        self.rows.push(RankedCapture { id, kind, class, is_checked, names });
        self.fragments.extend(fragment.map(|fragment| (idx, fragment)));
        if !twins.is_empty() {
            self.twins.push((idx, twins));
        }
        Ok(())
    }

    /// Ends the index, to which all archives were added: gives captures the classes of their
    /// requests. With `has_twins`, redirects that lead to no file lead to a twin of their target.
    pub(crate) fn end(&mut self, has_twins: bool) {
        if !self.requests.is_empty() {
            for (idx, row) in self.rows.iter_mut().enumerate() {
                let moment = || moment(row.id, &self.captures.time(idx));
                if let Some(class) = self.requests.class(row.names, moment) {
                    row.class = row.class.max(class);
                }
            }
            for (idx, other) in &self.requests.others {
                if let Some(class) = self.requests.by_request.get(other) {
                    let row = &mut self.rows[*idx as usize];
                    row.class = row.class.max(*class);
                }
            }
        }
        if has_twins {
            self.lead_to_twins();
        }
    }

    /// Lets the redirects of URLs that lead to no file lead to the first twin of their target that
    /// leads to one. Where a target, or a nearer twin, may lead to one by another such redirect,
    /// that one is first.
    fn lead_to_twins(&mut self) {
        let mut twins = std::mem::take(&mut self.twins);
        twins.retain(|(_, ids)| ids.iter().any(|id| self.seen.contains(id)));
        // False where they wait for each other.
        let mut waits = true;
        // Of a chain of such redirects, each round finds one.
        for _ in 0..2 * MOST_REDIRECTS {
            if twins.is_empty() {
                break;
            }
            let found = self.best(&Originals::new(&self.rows, &self.captures)).by_id;
            twins.retain(|(idx, _)| !found.contains_key(&self.rows[*idx as usize].id));
            let twin = |ids: &[Short]| ids.iter().position(|id| found.contains_key(id));
            let open = self.leading_to(
                twins
                    .iter()
                    .filter_map(|(idx, ids)| twin(ids).map(|_| self.rows[*idx as usize].id)),
            );
            let n_before = twins.len();
            twins.retain(|(idx, ids)| {
                let row = &mut self.rows[*idx as usize];
                let Some((CaptureKind::Redirect(to), position)) = Some(row.kind).zip(twin(ids))
                else {
                    return true;
                };
                let nearer = ids[..position].iter().chain([&to]);
                if waits && nearer.filter(|id| **id != row.id).any(|id| open.contains(id)) {
                    return true;
                }
                row.kind = CaptureKind::Redirect(ids[position]);
                false
            });
            match twins.len() == n_before {
                true if !waits => break,
                is_stuck => waits = !is_stuck,
            }
        }
    }

    /// Returns these URLs, and all that redirect to them.
    fn leading_to(&self, ids: impl Iterator<Item = Short>) -> HashSet<Short> {
        let mut found: HashSet<Short> = ids.collect();
        let mut redirects: HashMap<Short, Vec<Short>> = HashMap::new();
        for row in &self.rows {
            if let CaptureKind::Redirect(to) = row.kind {
                redirects.entry(to).or_default().push(row.id);
            }
        }
        let mut open: Vec<Short> = found.iter().copied().collect();
        while let Some(id) = open.pop() {
            let from = redirects.remove(&id).unwrap_or_default();
            open.extend(from.into_iter().filter(|id| found.insert(*id)));
        }
        found
    }

    /// Returns the captures that should be checked: they would count, and the first one of a URL
    /// has not been decoded.
    pub(crate) fn doubtful(&self) -> Vec<(u32, RecordSource)> {
        let doubtful = self.best(&Originals::new(&self.rows, &self.captures)).doubtful;
        doubtful.into_iter().map(|idx| (idx, *self.captures.source(idx as usize))).collect()
    }

    /// Returns the archives with URLs without a scheme: the first of these, completed, and their
    /// number.
    pub(crate) fn bare(&self) -> impl Iterator<Item = (u32, &str, usize)> {
        self.bare.iter().map(|(archive, (url, n))| (*archive, &**url, *n))
    }

    /// Checks the block of a capture, if it could be read.
    pub(crate) fn check(&mut self, idx: usize, block: Option<&[u8]>) {
        let row = &mut self.rows[idx];
        row.is_checked = true;
        if !block.is_some_and(|block| is_whole(block, &self.limits)) {
            row.class = row.class.max(Class::Incomplete);
        }
    }

    fn best(&self, originals: &Originals) -> Best {
        best(&self.rows, &self.captures, originals, self.at.as_deref())
    }

    /// Chooses the captures that become files.
    ///
    /// # Errors
    ///
    /// Those of [`Pages::check`].
    pub(crate) fn choose(self) -> Result<Chosen, Failure> {
        let originals = Originals::new(&self.rows, &self.captures);
        let Best { by_id: best, missing, .. } = self.best(&originals);
        let Index { captures: mut pages, rows, fragments, mut defects, .. } = self;
        // The positions of the best captures, and of those with their content.
        let mut chosen: Vec<(u32, u32)> = Vec::with_capacity(best.len());
        let mut order: Vec<u32> = best.values().copied().collect();
        order.sort_unstable();
        for idx in order {
            match rows[idx as usize].kind {
                CaptureKind::Content => chosen.push((idx, idx)),
                CaptureKind::Redirect(_) => {}
                CaptureKind::Revisit(named) => {
                    let original = originals.get(named, pages.source(idx as usize).digest);
                    chosen.extend(original.map(|original| (idx, original.capture)));
                }
            }
        }
        let mut missing: Vec<String> =
            missing.into_iter().map(|idx| pages.get(idx as usize).url).collect();
        missing.sort_unstable();
        let position_of = |idx: &u32| chosen.binary_search_by_key(idx, |(idx, _)| *idx);
        let mut added: HashMap<Short, String> = HashMap::new();
        let mut page_of = |id: Short, mut idx: u32| {
            let mut fragment = None;
            for _ in 0..MOST_REDIRECTS {
                let CaptureKind::Redirect(to) = rows[idx as usize].kind else { break };
                fragment = fragments.get(&idx).or(fragment);
                idx = *best.get(&to)?;
            }
            added.extend(fragment.map(|fragment| (id, fragment.clone())));
            u32::try_from(position_of(&idx).ok()?).ok()
        };
        let by_id = best.iter().filter_map(|(id, idx)| Some((*id, page_of(*id, *idx)?))).collect();
        let read: HashSet<u32> = chosen.iter().map(|(_, content)| *content).collect();
        defects.retain(|defect| defect.capture.is_none_or(|capture| !read.contains(&capture)));
        let others = others(&rows, &best, &pages, |best| position_of(best).ok()?.try_into().ok());
        pages.choose(&chosen);
        pages.check()?;
        Ok(Chosen { pages, by_id, fragments: added, others, missing, defects })
    }
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
        let mut index = Index::new(at, &Limits::default());
        index.add(0, records.concat().as_bytes(), |offset, reason| panic!("{offset}: {reason}"));
        index.end(true);
        assert!(index.doubtful().is_empty());
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
        let pages: Vec<_> = chosen.pages.iter().collect();
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
