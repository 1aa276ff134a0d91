//! Which capture of each URL counts: the newest of the first class that has one.
//!
//! A redirect is in the class of what it leads to, and a `revisit` in that of what it repeats, if
//! their own is not worse. One that leads to nothing, or comes back to its own URL, does not count.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use super::captured_pages::{CaptureTime, Page, Pages, capture_time};
use super::record::{CaptureKind, Class, Ids, moment};
use crate::os::digest::Short;

/// The maximum number of redirects from a URL to a file.
pub(super) const MOST_REDIRECTS: usize = 20;

/// What the index knows of a capture besides its texts.
#[derive(Clone, Copy, Debug)]
pub(super) struct RankedCapture {
    /// The identifier of its URL.
    pub(super) id: Short,
    pub(super) kind: CaptureKind,
    pub(super) class: Class,
    /// See [`Capture::is_checked`](super::record::Capture::is_checked).
    pub(super) is_checked: bool,
    pub(super) names: Ids,
}

/// The captures that count, by URL.
#[derive(Debug, Default)]
pub(super) struct Best {
    /// The positions of the captures, by the identifiers of the URLs.
    pub(super) by_id: HashMap<Short, u32>,
    /// Those of captures that repeat what no archive has, of URLs that have nothing else.
    pub(super) missing: Vec<u32>,
    /// Those of captures that count, although other ones of their URLs may do instead, and whose
    /// bodies have not been decoded.
    pub(super) doubtful: Vec<u32>,
}

/// Returns which captures count, or which do at a time.
pub(super) fn best(
    rows: &[RankedCapture],
    pages: &Pages,
    originals: &Originals,
    at: Option<&str>,
) -> Best {
    let mut ranking = Ranking::new(rows, pages, originals, at);
    for class in [Class::Whole, Class::Posted, Class::Incomplete] {
        ranking.add(class);
    }
    ranking.finish()
}

/// The number of a URL.
type UrlNumber = u32;

/// A capture of a URL that may count.
#[derive(Clone, Copy)]
struct Candidate {
    /// Its position.
    capture: u32,
    /// Its class; `None` if it repeats what no archive has.
    class: Option<Class>,
    /// True if it redirects, and the URL to which it does so, if that has captures.
    is_redirect: bool,
    to: Option<UrlNumber>,
    /// The capture that it repeats.
    original: Option<Original>,
}

struct Ranking<'r> {
    rows: &'r [RankedCapture],
    /// The candidates of all URLs, those of one URL in the order of their ranks.
    candidates: Vec<Candidate>,
    urls: Vec<Range<usize>>,
    /// The redirects: to a URL, from another one, by the candidate with this index.
    redirects: Vec<(UrlNumber, UrlNumber, usize)>,
    /// The index of the candidate that was chosen for each URL.
    chosen: Vec<Option<usize>>,
}

impl<'r> Ranking<'r> {
    fn new(
        rows: &'r [RankedCapture],
        pages: &Pages,
        originals: &Originals,
        at: Option<&str>,
    ) -> Self {
        let mut order: Vec<u32> = (0..)
            .zip(rows)
            .filter(|(_, row)| row.class != Class::Other)
            .map(|(idx, _)| idx)
            .collect();
        order.sort_unstable_by_key(|idx| (rows[*idx as usize].id, *idx));
        let id = |idx: &u32| rows[*idx as usize].id;
        let (mut urls, mut numbers) = (Vec::new(), HashMap::new());
        let (mut start, mut number): (usize, UrlNumber) = (0, 0);
        for same in order.chunk_by_mut(|a, b| id(a) == id(b)) {
            numbers.insert(id(&same[0]), number);
            number += 1;
            urls.push(start..start + same.len());
            start += same.len();
            if same.len() > 1 {
                let is_content =
                    |idx: u32| !matches!(rows[idx as usize].kind, CaptureKind::Redirect(_));
                same.sort_by_cached_key(|idx| {
                    let time = pages.time(*idx as usize);
                    Reverse((rank(time, at), is_content(*idx)))
                });
            }
        }
        let candidate = |capture: u32| {
            let RankedCapture { kind, class, .. } = rows[capture as usize];
            let is_redirect = matches!(kind, CaptureKind::Redirect(_));
            let (class, to, original) = match kind {
                CaptureKind::Content => (Some(class), None, None),
                CaptureKind::Revisit(named) => {
                    let original = originals.get(named, pages.source(capture as usize).digest);
                    let class_of = |of: Original| class.max(rows[of.capture as usize].class);
                    (original.map(class_of), None, original)
                }
                CaptureKind::Redirect(to) => (Some(class), numbers.get(&to).copied(), None),
            };
            Candidate { capture, class, is_redirect, to, original }
        };
        let candidates: Vec<Candidate> = order.into_iter().map(candidate).collect();
        let mut redirects = Vec::new();
        for (number, url) in (0..).zip(&urls) {
            let of_url = url.clone().filter_map(|idx| Some((candidates[idx].to?, number, idx)));
            redirects.extend(of_url);
        }
        redirects.sort_unstable();
        let chosen = vec![None; urls.len()];
        Ranking { rows, candidates, urls, redirects, chosen }
    }

    /// Chooses captures of a class for the URLs that have none of a better one.
    fn add(&mut self, class: Class) {
        let paths = self.paths(class);
        let leads =
            |to: UrlNumber| self.chosen[to as usize].is_some() || paths[to as usize].is_some();
        let counts = |candidate: &Candidate| {
            let is_there = match candidate.to {
                Some(to) => leads(to),
                None => !candidate.is_redirect,
            };
            is_there && candidate.class.is_some_and(|own| own <= class)
        };
        let mut new = Vec::new();
        for (number, path) in (0..).zip(&paths) {
            let Some(path) = *path else { continue };
            let counting =
                self.urls[number as usize].clone().filter(|idx| counts(&self.candidates[*idx]));
            new.push((number, path, counting.collect::<Vec<_>>()));
        }
        for (url, path, counting) in &new {
            self.chosen[*url as usize] = Some(*counting.first().unwrap_or(path));
        }
        // Instead of a redirect that comes back, the next one counts that does not.
        for _ in 0..MOST_REDIRECTS {
            let comes_back = |url: UrlNumber| self.follow(url).any(|to| to == url);
            let next = |(url, _, counting): &(UrlNumber, usize, Vec<usize>)| {
                let chosen = self.chosen[*url as usize];
                let is_sound = |idx: &&usize| match self.candidates[**idx].to {
                    Some(to) => to != *url && !self.follow(to).any(|to| to == *url),
                    None => true,
                };
                let rest = counting.iter().skip_while(|idx| Some(**idx) != chosen).skip(1);
                rest.clone().find(is_sound).map(|idx| (*url, *idx))
            };
            let back = new.iter().filter(|(url, ..)| comes_back(*url));
            let changes: Vec<_> = back.filter_map(next).collect();
            if changes.is_empty() {
                break;
            }
            for (url, idx) in changes {
                self.chosen[url as usize] = Some(idx);
            }
        }
        // What is left is a chain that is too long.
        let is_endless = |url: UrlNumber| self.follow(url).count() == MOST_REDIRECTS;
        let endless: Vec<_> = new.iter().filter(|(url, ..)| is_endless(*url)).collect();
        for (url, path, _) in endless {
            self.chosen[*url as usize] = Some(*path);
        }
    }

    /// Returns a candidate for each URL that has content of a class, or leads to it: following
    /// these, no URL comes twice.
    fn paths(&self, class: Class) -> Vec<Option<usize>> {
        let mut paths = vec![None; self.urls.len()];
        let mut reached: Vec<UrlNumber> = Vec::new();
        for (number, url) in (0..).zip(&self.urls) {
            if self.chosen[number as usize].is_some() {
                reached.push(number);
                continue;
            }
            let has_content = |idx: &usize| {
                let Candidate { class: own, is_redirect, .. } = self.candidates[*idx];
                !is_redirect && own.is_some_and(|own| own <= class)
            };
            let path = url.clone().find(has_content);
            paths[number as usize] = path;
            if path.is_some() {
                reached.push(number);
            }
        }
        let mut at = 0;
        while let Some(to) = reached.get(at).copied() {
            at += 1;
            let start = self.redirects.partition_point(|(other, ..)| *other < to);
            let redirects = self.redirects[start..].iter().take_while(|(other, ..)| *other == to);
            for (_, from, idx) in redirects {
                let is_open =
                    self.chosen[*from as usize].is_none() && paths[*from as usize].is_none();
                if is_open && self.candidates[*idx].class.is_some_and(|own| own <= class) {
                    paths[*from as usize] = Some(*idx);
                    reached.push(*from);
                }
            }
        }
        paths
    }

    /// Returns the URLs to which the chosen captures redirect, one after another.
    fn follow(&self, url: UrlNumber) -> impl Iterator<Item = UrlNumber> {
        let mut at = url;
        let next = move || {
            at = self.candidates[self.chosen[at as usize]?].to?;
            Some(at)
        };
        std::iter::from_fn(next).take(MOST_REDIRECTS)
    }

    fn finish(self) -> Best {
        let mut best = Best::default();
        // URLs that have several captures, and those to which the captures of such redirect.
        let mut has_others: Vec<bool> = self.urls.iter().map(|url| url.len() > 1).collect();
        for (number, url) in (0..).zip(&self.urls) {
            if url.len() > 1 {
                self.follow(number).for_each(|to| has_others[to as usize] = true);
            }
        }
        for ((url, chosen), has_others) in self.urls.iter().zip(&self.chosen).zip(has_others) {
            match chosen.map(|idx| self.candidates[idx]) {
                Some(Candidate { capture, original, .. }) => {
                    best.by_id.insert(self.rows[capture as usize].id, capture);
                    // Instead of it, or of what it repeats, another one may do.
                    let has_others = has_others || original.is_some_and(|one| one.has_others);
                    let content = original.map_or(capture, |original| original.capture);
                    if has_others && !self.rows[content as usize].is_checked {
                        best.doubtful.push(content);
                    }
                }
                None => {
                    let of_url = &self.candidates[url.clone()];
                    let missing = of_url.iter().find(|candidate| candidate.class.is_none());
                    best.missing.extend(missing.map(|candidate| candidate.capture));
                }
            }
        }
        // Several captures may repeat one.
        best.doubtful.sort_unstable();
        best.doubtful.dedup();
        best
    }
}

/// The rank of a time.
type Rank = (bool, String, Reverse<String>);

/// Returns the rank of a time: the newest counts, or the last one until the wanted time, or else
/// the first one after it.
fn rank(time: String, at: Option<&str>) -> Rank {
    match at {
        Some(at) if !until(at, &time) => (false, String::new(), Reverse(time)),
        _ => (true, time, Reverse(String::new())),
    }
}

/// Returns true if a time is not after another one, which may be a part of one: all of the day
/// `20261124` counts.
fn until(at: &str, time: &str) -> bool {
    time[..time.len().min(at.len())] <= *at
}

// The captures that others repeat (`revisit` records; WARC 1.1, section 6.7).

/// The captures with the content that others repeat, by their digests, and by their [`moment`]s or
/// the hashes of their identifiers.
#[derive(Debug, Default)]
pub(super) struct Originals {
    by_digest: HashMap<Short, Option<Original>>,
    by_moment: HashMap<Short, Option<Original>>,
}

/// A capture that others repeat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Original {
    /// Its position.
    pub(super) capture: u32,
    /// True if there are others that may do instead.
    pub(super) has_others: bool,
}

impl Originals {
    pub(super) fn new(rows: &[RankedCapture], pages: &Pages) -> Self {
        let mut found = Originals::default();
        for (idx, row) in rows.iter().enumerate() {
            if let CaptureKind::Revisit(named) = row.kind {
                found.by_moment.extend(named.map(|moment| (moment, None)));
                found.by_digest.extend(pages.source(idx).digest.map(|digest| (digest, None)));
            }
        }
        let Originals { by_digest, by_moment } = &mut found;
        if by_digest.is_empty() && by_moment.is_empty() {
            return found;
        }
        let class = |idx: u32| rows[idx as usize].class;
        // The first one of the best class.
        let set = |original: &mut Option<Original>, idx: u32| {
            let has_others = original.is_some();
            let other = original.filter(|other| class(other.capture) <= class(idx));
            let capture = other.map_or(idx, |other| other.capture);
            *original = Some(Original { capture, has_others });
        };
        let has_content = |(_, row): &(u32, &RankedCapture)| {
            matches!(row.kind, CaptureKind::Content) && row.class != Class::Other
        };
        for (idx, row) in (0..).zip(rows).filter(has_content) {
            if let Some(digest) = pages.source(idx as usize).digest
                && let Some(original) = by_digest.get_mut(&digest)
            {
                set(original, idx);
            }
            if !by_moment.is_empty() {
                if let Some(original) = row.names.own.and_then(|own| by_moment.get_mut(&own)) {
                    set(original, idx);
                }
                let Page { time, .. } = pages.get(idx as usize);
                if let Some(original) = by_moment.get_mut(&moment(row.id, &time)) {
                    set(original, idx);
                }
            }
        }
        found
    }

    /// Returns the capture with a moment, or else the first one with a digest.
    pub(super) fn get(&self, moment: Option<Short>, digest: Option<Short>) -> Option<Original> {
        let named = moment.and_then(|moment| self.by_moment.get(&moment).copied().flatten());
        named.or_else(|| self.by_digest.get(&digest?).copied().flatten())
    }
}
/// Returns the times of the whole captures with content that are not the best ones of their URLs,
/// by the positions of the latter, which `position_of` returns.
pub(super) fn others(
    rows: &[RankedCapture],
    best: &HashMap<Short, u32>,
    captures: &Pages,
    position_of: impl Fn(&u32) -> Option<u32>,
) -> HashMap<u32, Vec<CaptureTime>> {
    let mut others: HashMap<u32, Vec<CaptureTime>> = HashMap::new();
    for (idx, row) in (0..).zip(rows) {
        let has_content = !matches!(row.kind, CaptureKind::Redirect(_));
        let best = best.get(&row.id).filter(|best| **best != idx && has_content);
        let position = best.filter(|_| row.class == Class::Whole).and_then(&position_of);
        if let Some(position) = position {
            let time = capture_time(&captures.time(idx as usize));
            others.entry(position).or_default().push(time);
        }
    }
    others
}
