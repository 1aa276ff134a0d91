//! The columns of the references in web archives.

use relink::{ArchiveDocument, RecordPlace};
use rewrite::{LinkElements, Site};
use urlcore::surt_key;

use crate::columns::{Cell, number};
use crate::errors::Failure;
use crate::urls;

/// A column of references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Page,
    Slot,
    Text,
    Target,
    RecordId,
    Offset,
    BaseSource,
    Archive,
    Date,
    Status,
    Media,
    Charset,
    Normalized,
    Surt,
    Rel,
    Anchor,
}

impl Link {
    /// All columns with their names; the first of them are those that a caller gets by default.
    const ALL: [(&'static str, Link); 16] = [
        ("page", Link::Page),
        ("slot", Link::Slot),
        ("text", Link::Text),
        ("target", Link::Target),
        ("record_id", Link::RecordId),
        ("offset", Link::Offset),
        ("base_source", Link::BaseSource),
        ("archive", Link::Archive),
        ("date", Link::Date),
        ("status", Link::Status),
        ("media", Link::Media),
        ("charset", Link::Charset),
        ("normalized", Link::Normalized),
        ("surt", Link::Surt),
        ("rel", Link::Rel),
        ("anchor", Link::Anchor),
    ];
    const N_DEFAULT: usize = 7;

    /// Returns the columns with these names.
    ///
    /// # Errors
    ///
    /// [`Failure::Option`] for a name that is not that of a column.
    pub(crate) fn read(names: Option<Vec<String>>) -> Result<Vec<(&'static str, Link)>, Failure> {
        let Some(names) = names else { return Ok(Link::ALL[..Link::N_DEFAULT].to_vec()) };
        let found = names.iter().map(|name| {
            let found = Link::ALL.into_iter().find(|(own, _)| own == name);
            found.ok_or_else(|| {
                let names = Link::ALL.map(|(name, _)| name).join(", ");
                Failure::Option(format!("unknown column '{name}'; expected one of {names}"))
            })
        });
        found.collect()
    }
}

/// A document of an archive, with the facts that all its references have.
pub(crate) struct Captured<'d> {
    place: &'d RecordPlace,
    archive: &'d str,
    status: Option<u16>,
    media: Option<String>,
    charset: Option<String>,
    is_normalized: bool,
    has_surt: bool,
    has_rel: bool,
    has_anchor: bool,
    /// The elements of a page, if a column needs them.
    elements: Option<LinkElements<'d>>,
    /// What each reference has.
    target: String,
    normalized: String,
    surt: Option<String>,
    rel: Option<String>,
    anchor: Option<String>,
}

impl<'d> Captured<'d> {
    /// Reads what these columns need.
    pub(crate) fn new(document: &'d ArchiveDocument, archive: &'d str, columns: &[Link]) -> Self {
        let wants = |wanted: &[Link]| columns.iter().any(|column| wanted.contains(column));
        let status = if wants(&[Link::Status]) { document.status() } else { None };
        let (media, charset) = if wants(&[Link::Media, Link::Charset]) {
            document.content_type()
        } else {
            (None, None)
        };
        let (has_rel, has_anchor) = (wants(&[Link::Rel]), wants(&[Link::Anchor]));
        Captured {
            place: document.place(),
            archive,
            status,
            media,
            charset,
            is_normalized: wants(&[Link::Normalized, Link::Surt]),
            has_surt: wants(&[Link::Surt]),
            has_rel,
            has_anchor,
            elements: if has_rel || has_anchor { document.link_elements() } else { None },
            target: String::new(),
            normalized: String::new(),
            surt: None,
            rel: None,
            anchor: None,
        }
    }

    /// Returns a reference of the document.
    pub(crate) fn link<'c>(&'c mut self, site: &'c Site<'_>, slot: &'c str) -> Row<'c> {
        let has_target = site.target_into(&mut self.target).is_some();
        if has_target && self.is_normalized {
            self.normalized = urls::normalized(&self.target, rewrite::Dialect::Web);
            if self.has_surt {
                self.surt = surt_key(&self.normalized);
            }
        }
        if let Some(elements) = &mut self.elements {
            // The elements are those of the page, not those of a document in it.
            let is_of_page = site.frame.embedded().is_empty();
            let offset = site.frame.raw(site.span).start;
            let (has_rel, has_anchor) = (is_of_page && self.has_rel, is_of_page && self.has_anchor);
            self.rel = if has_rel { elements.rel(offset).map(str::to_owned) } else { None };
            self.anchor = if has_anchor { elements.text(offset).map(str::to_owned) } else { None };
        }
        Row { site, slot, has_target, captured: self }
    }
}

/// The row of a reference.
pub(crate) struct Row<'c> {
    site: &'c Site<'c>,
    slot: &'c str,
    has_target: bool,
    captured: &'c Captured<'c>,
}

impl<'c> Row<'c> {
    /// Returns the value of a column.
    pub(crate) fn cell(&self, column: Link) -> Cell<'c> {
        let Captured { place, .. } = self.captured;
        let of_target = |text: &'c str| Cell::Text(self.has_target.then_some(text));
        match column {
            Link::Page => Cell::Text(place.url.as_deref()),
            Link::Slot => Cell::Text(Some(self.slot)),
            Link::Text => Cell::Text(Some(self.site.text)),
            Link::Target => of_target(&self.captured.target),
            Link::RecordId => Cell::Text(place.id.as_deref()),
            Link::Offset => number(place.offset),
            Link::BaseSource => Cell::Text(Some(self.site.context.base_source().name())),
            Link::Archive => Cell::Text(Some(self.captured.archive)),
            Link::Date => Cell::Text(place.date.as_deref()),
            Link::Status => self.captured.status.map_or(Cell::Text(None), number),
            Link::Media => Cell::Text(self.captured.media.as_deref()),
            Link::Charset => Cell::Text(self.captured.charset.as_deref()),
            Link::Normalized => of_target(&self.captured.normalized),
            Link::Surt => Cell::Text(self.captured.surt.as_deref().filter(|_| self.has_target)),
            Link::Rel => Cell::Text(self.captured.rel.as_deref()),
            Link::Anchor => Cell::Text(self.captured.anchor.as_deref()),
        }
    }
}
