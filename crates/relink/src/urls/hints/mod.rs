//! Provenance metadata: the URL where a document was saved, as recorded in the file or next to it.
//!
//! A hint is used only if nothing else gives the URL of a document, and its use is reported. The
//! sources are read in the order of [`HintSource`], from those about these very bytes to those in
//! which a page describes itself; the first absolute hierarchical URL wins.
//!
//! Invariant: of a document that is in memory only the head is read again, 64 KiB at most; no hint
//! is taken as certain.

mod comment;
mod saved;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use basectx::{BaseUrl, Context, RetrievalUrl};
use layers::{Charset, Span};
use rewrite::{HeadItem, HeadItemKind, HeadMetadata, Media};
use serde::{Deserialize, Serialize};

use self::saved::Saved;
use crate::os::origin;
use crate::os::store::{OpenFile, Store};
use crate::urls::layout::without_scheme;
use crate::urls::origins::{of_attribute, trusted};

/// The number of bytes of a document that are searched. The Internet Archive puts scripts of some
/// kilobytes before its comment.
const HEAD: usize = 64 * 1024;

/// The source of a hint, in the order of trust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum HintSource {
    /// The extended attribute that `wget --xattr`, `curl --xattr` and browsers set on the files
    /// that they fetch.
    Attribute,
    /// The header field in which Blink records the URL of the page.
    Snapshot,
    /// The comment of browsers that save a page: `<!-- saved from url=(0014)http://h.example/ -->`.
    SavedFrom,
    /// The comment of SingleFile.
    SingleFile,
    /// The comment of HTTrack: `<!-- Mirrored from h.example/ by HTTrack Website Copier/3.x …`.
    Httrack,
    /// A script of the Wayback Machine that contains the archived URL: the URL of the page is one
    /// of the archive.
    Wayback,
    /// `<link rel=canonical>`, only with `--trust-canonical`.
    Canonical,
    /// `<meta property="og:url">`, only with `--trust-canonical`.
    OpenGraph,
}

/// The kind of place that contains a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HintKind {
    /// An extended attribute of the file.
    Attribute,
    /// A header field of a message.
    Field,
    /// A comment.
    Comment,
    /// A script.
    Script,
    /// An element.
    Element,
}

impl HintSource {
    /// Returns its name in reports, and the specification that defines it.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            HintSource::Attribute => (origin::ATTRIBUTE, "XDG extended attributes"),
            HintSource::Snapshot => (comment::FIELD, "MHTML by Blink"),
            HintSource::SavedFrom => ("saved from url", "Mark of the Web"),
            HintSource::SingleFile => ("Page saved with SingleFile", "SingleFile"),
            HintSource::Httrack => ("Mirrored from", "HTTrack"),
            HintSource::Wayback => ("__wm.wombat", "Wayback Machine"),
            HintSource::Canonical => ("link[canonical]", "RFC 6596 3"),
            HintSource::OpenGraph => ("meta[og:url]", "Open Graph protocol"),
        }
    }

    /// Returns the kind of place that contains it.
    pub const fn kind(self) -> HintKind {
        match self {
            HintSource::Attribute => HintKind::Attribute,
            HintSource::Snapshot => HintKind::Field,
            HintSource::SavedFrom | HintSource::SingleFile | HintSource::Httrack => {
                HintKind::Comment
            }
            HintSource::Wayback => HintKind::Script,
            HintSource::Canonical | HintSource::OpenGraph => HintKind::Element,
        }
    }
}

/// A hint for the URL of a document.
#[derive(Clone, Debug)]
pub struct Hint {
    /// Its source.
    pub source: HintSource,
    /// The URL, without a fragment.
    pub url: BaseUrl,
    /// Its span in the unit.
    span: Option<Span>,
    /// The names of the resources that were saved with the document, next to it.
    saved_resources: Option<Arc<HashSet<Vec<u8>>>>,
}

impl Hint {
    /// Returns the hint of a source, if it is a possible URL of a document: absolute and
    /// hierarchical. Programs write other URLs if they have none (`about:blank`, `blob:…`); for
    /// those the result is `None`.
    fn new(source: HintSource, url: &str, span: Option<Span>) -> Option<Self> {
        const MADE_UP: [&str; 7] =
            ["about", "blob", "cid", "data", "filesystem", "javascript", "view-source"];
        let url = url.trim();
        let scheme = url.split(':').next().unwrap_or_default();
        if MADE_UP.iter().any(|made_up| scheme.eq_ignore_ascii_case(made_up))
            || url.contains(char::is_control)
        {
            return None;
        }
        let url = RetrievalUrl::from_file(url).ok()?.as_str().parse().ok()?;
        Some(Hint { source, url, span, saved_resources: None })
    }

    /// Returns the hint in a mirror whose directories give the URL `given` to the document: it
    /// counts only if its host is the same, or if it is in an attribute and `is_known` as the URL
    /// of a host of the mirror. Other references are read as in any document of the mirror,
    /// whatever was saved with this one.
    pub fn in_mirror(mut self, given: &str, is_known: impl Fn(&str) -> bool) -> Option<Self> {
        let url = self.url.as_str();
        let url = match self.source {
            HintSource::Attribute => of_attribute(url, given, is_known)?,
            HintSource::Httrack => trusted(without_scheme(url), given)?,
            _ => trusted(url, given)?,
        };
        self.url = url.parse().ok()?;
        self.saved_resources = None;
        Some(self)
    }

    /// Returns the context that it opens.
    pub fn context(&self) -> Context<'static> {
        let (origin, section) = self.source.words();
        let mut context = Context::hint(self.url.clone(), origin, section);
        if let Some(span) = self.span {
            context = context.at(span.start, span.end);
        }
        match &self.saved_resources {
            Some(names) => context.with_saved_beside(Arc::clone(names)),
            None => context,
        }
    }
}

/// The hints that a run uses.
#[derive(Debug, Default)]
pub struct Hints {
    /// True if it uses none.
    pub is_off: bool,
    /// True if it trusts the URLs that pages declare as their own.
    pub trusts_canonical: bool,
    saved: Saved,
}

impl Hints {
    /// Creates the hints of a run, on or off.
    pub fn new(is_on: bool, trusts_canonical: bool) -> Self {
        Hints { is_off: !is_on, trusts_canonical, saved: Saved::default() }
    }

    /// Returns the hint for a document. `file` is its path, its file and what has it, if the
    /// document is all of it.
    pub fn find(
        &self,
        media: Media,
        bytes: &[u8],
        file: Option<(&Path, &dyn OpenFile, &dyn Store)>,
    ) -> Option<Hint> {
        if self.is_off {
            return None;
        }
        let attribute = file
            .and_then(|(_, file, _)| file.origin())
            .and_then(|url| Hint::new(HintSource::Attribute, &url, None));
        let noted = match media {
            Media::HTML | Media::XML => self.in_head(bytes),
            Media::Message(_) => comment::snapshot_location(bytes),
            _ => None,
        };
        let is_saved = noted.as_ref().is_some_and(|hint| hint.source == HintSource::SavedFrom);
        let mut hint = attribute.or(noted)?;
        if let Some((path, _, store)) = file
            && matches!(media, Media::HTML | Media::XML)
            && (is_saved || hint.source == HintSource::Attribute)
        {
            hint.saved_resources = self.saved.beside(store, path, is_saved);
        }
        if hint.source == HintSource::Httrack {
            // It writes references for the disk, where other hosts are directories next to this
            // one's.
            hint.saved_resources = Some(Arc::new(HashSet::from([b"..".to_vec()])));
        }
        Some(hint)
    }

    /// Returns the hint in the head of a page.
    fn in_head(&self, bytes: &[u8]) -> Option<Hint> {
        let (charset, bom) = Charset::for_bom(bytes).unwrap_or((Charset::UTF_8, 0));
        let raw = &bytes[bom..bytes.len().min(bom + HEAD)];
        if !charset.reads_as_whole() {
            return self.in_text(raw, |span| span.shifted(bom));
        }
        let decoded = charset.decode(raw);
        self.in_text(decoded.text.as_bytes(), |span| decoded.map.widen(span).raw.shifted(bom))
    }

    fn in_text(&self, text: &[u8], raw: impl Fn(Span) -> Span) -> Option<Hint> {
        let mut best: Option<Hint> = None;
        for item in HeadMetadata::new(text) {
            let found = self.in_head_item(item, text, &raw);
            // Of two of a kind, the first counts.
            best = match (best, found) {
                (Some(best), Some(found)) if found.source < best.source => Some(found),
                (best, found) => best.or(found),
            };
            if best.as_ref().is_some_and(|hint| hint.source == HintSource::SavedFrom) {
                break;
            }
        }
        best
    }

    fn in_head_item(
        &self,
        item: HeadItem,
        text: &[u8],
        raw: impl Fn(Span) -> Span,
    ) -> Option<Hint> {
        let inside = item.span.slice(text);
        let (source, noted) = match item.kind {
            HeadItemKind::Comment => comment::parse(inside)?,
            HeadItemKind::Script => (HintSource::Wayback, comment::archived(inside)?),
            HeadItemKind::Title => return None,
            HeadItemKind::Canonical | HeadItemKind::OpenGraph if !self.trusts_canonical => {
                return None;
            }
            kind => {
                let source = match kind {
                    HeadItemKind::Canonical => HintSource::Canonical,
                    _ => HintSource::OpenGraph,
                };
                let url = item.layer.decode(inside, Charset::UTF_8).text.into_owned();
                (source, Noted { url, span: Span::new(0, inside.len()) })
            }
        };
        let span = raw(noted.span.shifted(item.span.start));
        Hint::new(source, &noted.url, Some(span))
    }
}

/// Returns the URL of a page in the Wayback Machine, by the script that this puts before the page.
pub fn in_wayback(page: &[u8]) -> Option<String> {
    comment::archived(&page[..page.len().min(HEAD)]).map(|noted| noted.url)
}

/// A URL in a text.
#[derive(Debug, PartialEq, Eq)]
struct Noted {
    url: String,
    /// Its span in the text.
    span: Span,
}

impl Noted {
    /// Creates it from a slice of `text`.
    fn within(url: &str, text: &[u8]) -> Self {
        let start = url.as_ptr() as usize - text.as_ptr() as usize;
        Noted { url: url.to_owned(), span: Span::new(start, start + url.len()) }
    }
}

/// The documents of a run whose URLs are hints, by source.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tally(BTreeMap<HintSource, usize>);

impl Tally {
    /// Counts a document.
    pub(crate) fn add(&mut self, hint: Option<HintSource>) {
        if let Some(source) = hint {
            *self.0.entry(source).or_default() += 1;
        }
    }

    /// Returns the numbers in words, if there are any.
    pub fn words(&self) -> Option<String> {
        let mut words = match self.0.values().sum() {
            0 => return None,
            1 => "the URL of 1 document comes from provenance metadata: ".to_owned(),
            n => format!("the URLs of {n} documents come from provenance metadata: "),
        };
        for (idx, (source, n)) in self.0.iter().enumerate() {
            let separator = if idx > 0 { ", " } else { "" };
            let (one, more) = nouns(*source);
            words.push_str(&format!("{separator}{n} {}", if *n == 1 { one } else { more }));
        }
        Some(words)
    }
}

const fn nouns(source: HintSource) -> (&'static str, &'static str) {
    match source {
        HintSource::Attribute => ("extended attribute", "extended attributes"),
        HintSource::Snapshot => ("Snapshot-Content-Location", "Snapshot-Content-Locations"),
        HintSource::SavedFrom => ("saved-from comment", "saved-from comments"),
        HintSource::SingleFile => ("comment of SingleFile", "comments of SingleFile"),
        HintSource::Httrack => ("comment of HTTrack", "comments of HTTrack"),
        HintSource::Wayback => ("script of the Wayback Machine", "scripts of the Wayback Machine"),
        HintSource::Canonical => ("canonical link", "canonical links"),
        HintSource::OpenGraph => ("og:url", "og:url"),
    }
}
