//! Where a document was from, as far as whoever saved it noted that in the file or beside it.
//!
//! A hint counts only where nothing else tells the URL of a document, and is told wherever it
//! counts. The sources are asked in the order of [`Source`], from what says where these very bytes
//! were from to what a page says of itself; the first that tells an absolute URL with a hierarchy
//! wins.
//!
//! Invariant: of a document that is in memory only the head is read again, 64 KiB at most; nothing
//! here is taken for certain.

mod comment;
mod saved;
mod snapshot;
mod tally;
mod wayback;

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use basectx::{Context, RetrievalUrl};
use layers::{Charset, Span};
use rewrite::{HeadItem, HeadItemKind, HeadMetadata, Media};

use self::saved::Saved;
pub use self::tally::Tally;
use crate::attributes;

/// How much of a document is looked at. The Internet Archive puts scripts of some kilobytes before
/// its note.
const HEAD: usize = 64 * 1024;

/// What tells a hint, in the order of trust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The extended attribute that `wget --xattr`, `curl --xattr` and browsers give to what they
    /// fetch.
    Attribute,
    /// The field of a message in which Blink notes the URL of the page.
    Snapshot,
    /// The comment of browsers that save a page: `<!-- saved from url=(0014)http://h.example/ -->`.
    SavedFrom,
    /// The comment of SingleFile.
    SingleFile,
    /// The comment of HTTrack: `<!-- Mirrored from h.example/ by HTTrack Website Copier/3.x …`.
    Httrack,
    /// A script of the Wayback Machine, in which the archived URL stands: the page has a URL of the
    /// archive.
    Wayback,
    /// `<link rel=canonical>`, only if that is asked for.
    Canonical,
    /// `<meta property="og:url">`, only if that is asked for.
    OpenGraph,
}

/// What kind of thing a hint stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An extended attribute of the file.
    Attribute,
    /// A field of a message.
    Field,
    /// A comment.
    Comment,
    /// A script.
    Script,
    /// An element.
    Element,
}

impl Source {
    /// What it is called in reports, and where it is defined.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Source::Attribute => (attributes::ORIGIN, "XDG extended attributes"),
            Source::Snapshot => (snapshot::FIELD, "MHTML by Blink"),
            Source::SavedFrom => ("saved from url", "Mark of the Web"),
            Source::SingleFile => ("Page saved with SingleFile", "SingleFile"),
            Source::Httrack => ("Mirrored from", "HTTrack"),
            Source::Wayback => ("__wm.wombat", "Wayback Machine"),
            Source::Canonical => ("link[canonical]", "RFC 6596 3"),
            Source::OpenGraph => ("meta[og:url]", "Open Graph protocol"),
        }
    }

    /// What it stands in.
    pub const fn kind(self) -> Kind {
        match self {
            Source::Attribute => Kind::Attribute,
            Source::Snapshot => Kind::Field,
            Source::SavedFrom | Source::SingleFile | Source::Httrack => Kind::Comment,
            Source::Wayback => Kind::Script,
            Source::Canonical | Source::OpenGraph => Kind::Element,
        }
    }
}

/// Where a document was from.
#[derive(Clone, Debug)]
pub struct Hint {
    /// What tells it.
    pub source: Source,
    /// The URL, absolute, without a fragment.
    pub url: String,
    /// Where it stands in the unit.
    span: Option<Span>,
    /// What was saved with the document, beside it.
    saved_beside: Option<Arc<HashSet<Vec<u8>>>>,
}

impl Hint {
    /// The hint that a source tells, if it is a URL that a document can be from: absolute, with a
    /// hierarchy. Of what a program makes up for want of one (`about:blank`, `blob:…`) there is
    /// none.
    fn new(source: Source, url: &str, span: Option<Span>) -> Option<Self> {
        const MADE_UP: [&str; 7] =
            ["about", "blob", "cid", "data", "filesystem", "javascript", "view-source"];
        let url = url.trim();
        let scheme = url.split(':').next().unwrap_or_default();
        if MADE_UP.iter().any(|made_up| scheme.eq_ignore_ascii_case(made_up))
            || url.contains(char::is_control)
        {
            return None;
        }
        let url = RetrievalUrl::from_file(url).ok()?.as_str().to_owned();
        Some(Hint { source, url, span, saved_beside: None })
    }

    /// The context that it opens.
    pub fn context(&self) -> Context<'static> {
        let (origin, section) = self.source.words();
        let mut context = Context::hint(&self.url, origin, section);
        if let Some(span) = self.span {
            context = context.at(span.start, span.end);
        }
        match &self.saved_beside {
            Some(names) => context.with_saved_beside(Arc::clone(names)),
            None => context,
        }
    }
}

/// Which hints a run uses.
#[derive(Debug, Default)]
pub struct Hints {
    /// True if it uses none.
    pub is_off: bool,
    /// True if it believes what pages say of their URLs.
    pub trusts_canonical: bool,
    saved: Saved,
}

impl Hints {
    /// Hints, if the run uses any.
    pub fn new(is_on: bool, trusts_canonical: bool) -> Self {
        Hints { is_off: !is_on, trusts_canonical, saved: Saved::default() }
    }

    /// Where a document was from. `file` is the file that all of it is.
    pub fn of(&self, media: Media, bytes: &[u8], file: Option<(&Path, &File)>) -> Option<Hint> {
        if self.is_off {
            return None;
        }
        let attribute = file
            .and_then(|(_, file)| attributes::origin(file))
            .and_then(|url| Hint::new(Source::Attribute, &url, None));
        let noted = match media {
            Media::Html | Media::Xml => self.in_head(bytes),
            Media::Message(_) => snapshot::of(bytes),
            _ => None,
        };
        let is_saved = noted.as_ref().is_some_and(|hint| hint.source == Source::SavedFrom);
        let mut hint = attribute.or(noted)?;
        if let Some((path, _)) = file
            && matches!(media, Media::Html | Media::Xml)
            && (is_saved || hint.source == Source::Attribute)
        {
            hint.saved_beside = self.saved.beside(path, is_saved);
        }
        if hint.source == Source::Httrack {
            // It writes references for the disk, where other hosts are folders beside this one's.
            hint.saved_beside = Some(Arc::new(HashSet::from([b"..".to_vec()])));
        }
        Some(hint)
    }

    /// What the head of a page says.
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
            // Of two of a kind the first counts.
            best = match (best, found) {
                (Some(best), Some(found)) if found.source < best.source => Some(found),
                (best, found) => best.or(found),
            };
            if best.as_ref().is_some_and(|hint| hint.source == Source::SavedFrom) {
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
        let inside = item.span.of(text);
        let (source, noted) = match item.kind {
            HeadItemKind::Comment => comment::of(inside)?,
            HeadItemKind::Script => (Source::Wayback, wayback::of(inside)?),
            HeadItemKind::Canonical | HeadItemKind::OpenGraph if !self.trusts_canonical => {
                return None;
            }
            kind => {
                let source = match kind {
                    HeadItemKind::Canonical => Source::Canonical,
                    _ => Source::OpenGraph,
                };
                let url = item.layer.decode(inside, Charset::UTF_8).text.into_owned();
                (source, Noted { url, span: Span::new(0, inside.len()) })
            }
        };
        let span = raw(noted.span.shifted(item.span.start));
        Hint::new(source, &noted.url, Some(span))
    }
}

/// A URL that stands in a text.
#[derive(Debug, PartialEq, Eq)]
struct Noted {
    url: String,
    /// Where it stands there.
    span: Span,
}

impl Noted {
    /// A URL that is a piece of `text`, as it is written there.
    fn within(url: &str, text: &[u8]) -> Self {
        let start = url.as_ptr() as usize - text.as_ptr() as usize;
        Noted { url: url.to_owned(), span: Span::new(start, start + url.len()) }
    }
}
