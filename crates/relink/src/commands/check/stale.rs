//! What `check` finds by URLs alone: old URLs of the tree (`--stale`), in references and in other
//! text, and URLs that the web archives of a run lack (`--missing-urls`).

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use layers::{Span, base64};
use urlcore::escape::percent_decode;

use super::super::{LineCounter, place_of_file};
use super::checked::{Checked, Subject, snippet_of};
use crate::archives::unpack::keys::id;
use crate::events::detail::{Finding, ReferenceDetail};
use crate::events::problem::Problem;
use crate::files::container::ContainerForm;
use crate::files::media::FileType;
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::digest::Short;
use crate::plan::Check;
use crate::tree::Tree;
use crate::tree::units::Units;
use crate::urls::twins::{host_of, twins};

/// The number of encodings in each other in which an old URL is searched for, with none of them as
/// the first: a URL may be a parameter of a parameter of another one.
const MOST_LAYERS: usize = 5;

/// The slot that is reported for text.
const TEXT: &str = "text";

/// Returns the old URL of the tree that contains a target, unless the target is at its current one.
pub(super) fn stale(config: &Check, target: &str) -> Option<String> {
    let roots = config.stale.as_ref()?;
    let place = |url: &str| roots.find(url).map(|(root, rest)| (root, rest.len()));
    let (root, rest) = place(target).or_else(|| twins(target).find_map(|twin| place(&twin)))?;
    let is_inner = config.locator.rest(target).is_none_or(|now| rest < now.len());
    is_inner.then(|| format!("{}/", roots.url(root)))
}

/// Returns the old URL of the tree that a reference to something else contains: in a query, in
/// code, or in the content of a `data:` URL. `text` is the reference, decoded.
pub(super) fn inside(config: &Check, text: &str) -> Option<String> {
    let search = config.stale_text.as_ref()?;
    let mut text = Cow::Borrowed(text.as_bytes());
    for _ in 0..MOST_LAYERS {
        let mut found = None;
        search.find("", &text, |_, url| found = found.take().or_else(|| stale(config, url)));
        if found.is_some() {
            return found;
        }
        text = Cow::Owned(without_layer(&text)?);
    }
    None
}

/// Returns a text without its outermost encoding: base64 of a `data:` URL, or escapes. `None` if it
/// has none.
fn without_layer(text: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(text);
    if let Some((parameters, content)) = text.split_once(',') {
        let parameters = parameters.to_ascii_lowercase();
        if parameters.starts_with("data:") && parameters.trim_end().ends_with(";base64") {
            return Some(base64::decode(&percent_decode(content)).bytes);
        }
    }
    match percent_decode(&text) {
        Cow::Owned(decoded) => Some(decoded),
        Cow::Borrowed(_) => None,
    }
}

/// Reports each line with an old URL outside of the spans of references, which are in `covered`.
pub(super) fn report(
    config: &Check,
    entry: &Entry,
    bytes: &[u8],
    lines: &mut LineCounter<'_>,
    mut covered: Vec<[usize; 2]>,
    checked: &mut Checked,
) {
    let Some(search) = &config.stale_text else { return };
    covered.sort_unstable();
    let mut found: Vec<(Range<usize>, String, String)> = Vec::new();
    let name = entry.below.file_name().unwrap_or_default().to_string_lossy();
    search.find(&name, bytes, |span, url| {
        let next = covered.partition_point(|[start, _]| *start <= span.start);
        let is_covered = next.checked_sub(1).is_some_and(|idx| covered[idx][1] > span.start);
        if !is_covered && let Some(old) = stale(config, url) {
            found.push((span, url.to_owned(), old));
        }
    });
    found.sort_unstable_by_key(|(span, _, _)| span.start);
    let of_file = place_of_file(entry);
    let mut last = None;
    for (span, url, old) in found {
        let place = lines.position(span.start);
        // One report for each line is enough to find them.
        if last.replace(place.0) == Some(place.0) {
            continue;
        }
        let subject = Subject { config, entry, place: &of_file };
        let reference = ReferenceDetail::at(place, Span::new(span.start, span.end), TEXT, &url);
        let snippet = snippet_of(config, lines, &reference);
        let finding = Finding::Problem { problem: Problem::StaleText(old), file: None };
        checked.print(subject, &ReferenceDetail { finding, ..reference }, &snippet);
    }
}

// The URLs that the web archives of a run have: `--missing-urls` lists those that they lack.
//
// A URL that was captured again without its content (`revisit`), or under a twin, is there. Memory
// is some 50 bytes for each URL. What cannot be read is reported when the documents are read.

/// The URLs of captures.
#[derive(Debug, Default)]
pub(super) struct CapturedUrls {
    ids: HashSet<Short>,
    /// Their hosts, without `www.`.
    hosts: HashSet<String>,
}

impl CapturedUrls {
    /// Reads the URLs of all web archives of a tree.
    pub(super) fn read(tree: &Tree) -> Self {
        let mut urls = CapturedUrls::default();
        let units = Units::new(tree, std::iter::empty()).with_records(true);
        let is_file = |entry: &Entry| entry.kind == EntryKind::File;
        for entry in walk::entries(&tree.roots).filter_map(Result::ok).filter(is_file) {
            let Ok(FileType::Container(container, _)) = units.type_at(&entry) else { continue };
            let container = container.get();
            if container.spec().form != ContainerForm::Records {
                continue;
            }
            let file = tree.file_at(&entry).ok().and_then(|at| at.open().ok());
            if let Some(mut file) = file {
                container.captured_urls(&mut *file, &mut |url| urls.add(url));
            }
        }
        urls
    }

    fn add(&mut self, url: &str) {
        if let Some(host) = host_of(url) {
            if !self.hosts.contains(&host) {
                self.hosts.insert(host);
            }
            self.ids.insert(id(url));
        }
    }

    /// Returns true if no capture has this URL, and one is of its host.
    pub(super) fn lack(&self, url: &str) -> bool {
        let has = |url: &str| self.ids.contains(&id(url));
        host_of(url).is_some_and(|host| self.hosts.contains(&host))
            && !has(url)
            && !twins(url).any(|twin| has(&twin))
    }
}
