//! A reference as the walk shows it, and those to whom it is shown.

use std::fmt;

use basectx::Context;
use layers::{Quote, Span, Unliftable};
use urlcore::{Dialect, Resolver};

use crate::format::found::Delimiters;
use crate::report::Note;
use crate::slots::{Fetch, Format, Kind, SlotId};
use crate::unit::Media;
use crate::walk::frame::Frame;

/// A reference, where it stands, and what it is resolved against.
#[derive(Clone, Copy)]
pub struct Site<'s> {
    /// The number of the reference in its unit, from 0, in source order.
    pub id: usize,
    /// The kind of place.
    pub slot: SlotId,
    /// What the reference is to its document.
    pub kind: Kind,
    /// The reference, decoded, without white space around it.
    pub text: &'s str,
    /// What gives the base.
    pub context: &'s Context<'s>,
    /// The rules by which it is read.
    pub dialect: Dialect,
    /// The URL of the document that it stands in, and the one that this will have.
    pub(crate) own_url: Option<&'s str>,
    pub(crate) new_url: Option<&'s str>,
    /// The URL that the tree will have, if that is another.
    pub(crate) new_root: Option<&'s str>,
    /// Why it is not edited, wherever it points.
    pub(crate) keep: Option<KeepReason>,
    /// Whether its document is read elsewhere, so that nothing in it is to be relative.
    pub(crate) is_read_elsewhere: bool,
    /// Whether other parts of the message show its document by an identifier, under which nothing is relative.
    pub(crate) is_shown_by_id: bool,
    /// The base, split once; `None` if there is none.
    pub resolver: Option<&'s Resolver<'s>>,
    /// The base that the output will have, which differs where a `<base>` is emptied.
    pub(crate) new_resolver: Option<&'s Resolver<'s>>,
    /// Whether that is the URL of the document itself.
    pub(crate) is_new_base_own: bool,
    /// Whether the base is the URL of the document itself.
    pub is_base_own: bool,
    /// Whether the base is told by a `<base>` that the output has not any more.
    pub(crate) is_base_emptied: bool,
    /// Whether the base is the `codebase` beside the reference.
    pub is_on_codebase: bool,
    /// Whether it is a whole list, which a template in it keeps from being cut.
    pub(crate) is_whole_list: bool,
    /// Characters that would end the reference where it stands.
    pub(crate) delimiters: Delimiters,
    /// How it is fetched, where its slot alone does not tell.
    pub(crate) fetch: Option<Fetch>,
    /// Where the reference stands in the text of `frame`.
    pub span: Span,
    /// The layers around it.
    pub frame: &'s Frame<'s>,
}

impl Site<'_> {
    /// Whether the tree moves. What cannot follow it is left then, and leads where it leads.
    pub(crate) fn is_moved(&self) -> bool {
        self.new_root.is_some()
    }

    /// Whether it can be read in two ways, so that nobody knows where it leads.
    pub fn is_ambiguous(&self) -> bool {
        self.keep == Some(KeepReason::Ambiguous)
    }

    /// Returns true if an entity of the document type is part of the reference. Entities are never
    /// expanded, so nobody knows where it leads; its text is what is written.
    pub fn has_entity(&self) -> bool {
        self.keep == Some(KeepReason::Entity)
    }

    /// Returns true if its slot holds lists.
    pub(crate) fn is_of_list(&self) -> bool {
        self.is_whole_list || self.slot.row().is_ok_and(|slot| slot.syntax.is_list())
    }

    /// Whether it stands in the HTML of Markdown.
    pub(crate) fn is_in_markdown(&self) -> bool {
        self.frame.is_in(SlotId::MARKDOWN_HTML)
    }

    /// Whether it leads to a file that was saved with the document, beside it: on the disk, wherever the document was from.
    pub fn is_beside(&self) -> bool {
        self.keep == Some(KeepReason::SavedResources)
    }

    /// Whether, and as what, a browser that shows the document fetches it. What stands in a feed is shown elsewhere.
    pub fn fetch(&self) -> Fetch {
        let is_of_feed = |slot: SlotId| {
            slot.row().is_ok_and(|slot| {
                matches!(slot.format, Format::Atom | Format::Feed | Format::Markdown | Format::Rss)
            })
        };
        let is_shown_elsewhere = self.is_read_elsewhere
            || self.frame.embedded().iter().any(|(slot, _)| is_of_feed(*slot));
        match is_shown_elsewhere {
            true => Fetch::Never,
            false => self.fetch.unwrap_or_else(|| self.slot.fetch()),
        }
    }

    /// Whether the output has another base there than the input.
    pub(crate) fn is_base_changed(&self) -> bool {
        self.resolver.map(Resolver::base) != self.new_resolver.map(Resolver::base)
    }
}

/// Why an answer was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The bytes around cannot hold it.
    Layer(Unliftable),
    /// The list or value that it stands in would read it as more than one.
    Delimiter,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Layer(reason) => reason.fmt(f),
            Refused::Delimiter => {
                f.write_str("the new text holds a character that ends a reference there")
            }
        }
    }
}

/// Why a reference stays as it is, wherever it points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeepReason {
    /// It stands in what must not change: in a signed part.
    Sealed,
    /// It names another part of its message by a location that stays as it is.
    Part,
    /// It is a `<base>` that the profile does not count, and that browsers would count if it were absolute.
    Base,
    /// It can be read in two ways.
    Ambiguous,
    /// An entity is part of it, and is not expanded.
    Entity,
    /// It leads to a file that was saved with the document, beside it.
    SavedResources,
}

/// A document that the walk enters: a file, a part of a message, or what stands in a `srcdoc`.
pub struct DocumentSite<'s> {
    /// What it is.
    pub media: Media,
    /// What gives its base.
    pub context: &'s Context<'s>,
    /// The contexts of the elements with a `codebase` or `xml:base` of their own, in source order of each.
    pub scopes: &'s [&'s Context<'s>],
    /// Its own URL, if that is known.
    pub own_url: Option<&'s str>,
    /// The layers around it.
    pub frame: &'s Frame<'s>,
}

impl DocumentSite<'_> {
    /// Whether it is the body of a part of a message.
    pub(crate) fn is_part(&self) -> bool {
        self.frame.part().is_some() && self.frame.embedded().is_empty()
    }
}

/// What a walk is made for.
pub(crate) trait Visitor {
    /// Whether it is shown what stands outside of references.
    const SEES_OUTSIDE: bool = false;
    /// Bytes outside of references, decoded as far as references beside them are; in source order with them.
    fn outside(&mut self, _: &[u8]) {}
    /// What follows is an attribute value of HTML, delimited so.
    fn quoted(&mut self, _: Quote) {}
    /// A reference; the answer, if any, is the text to stand there instead.
    fn reference(&mut self, site: &Site<'_>) -> Option<&str>;
    /// What an `xml:base`, written as `text` and leading to `base`, leads to in the output where the tree stays, if that is another spelling
    /// of it. `under` is the base around it there.
    fn respelled(&mut self, text: &str, base: &str, under: &Resolver<'_>) -> Option<String> {
        let _ = (text, base, under);
        None
    }
    /// The answer to reference `id` was not taken.
    fn refused(&mut self, id: usize, reason: Refused);
    /// A document begins; its references follow.
    fn document(&mut self, _: &DocumentSite<'_>) {}
    /// What is to be told of the documents.
    fn note(&mut self, note: Note);
}
