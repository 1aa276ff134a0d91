//! A reference as the walk shows it, and those to whom it is shown.

use std::fmt;

use basectx::{BadBase, Context};
use layers::{Span, Unliftable};
use urlcore::Resolver;

use crate::frame::Frame;
use crate::html::ReadBy;
use crate::slots::{Kind, SlotId};
use crate::undone::Undone;
use crate::unit::Media;

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
    /// Where the reference stands in the text of `frame`.
    pub span: Span,
    /// The layers around it.
    pub frame: &'s Frame<'s>,
}

impl Site<'_> {
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

/// A document that the walk enters: a file, or what stands in a `srcdoc`.
pub struct DocumentSite<'s> {
    /// What it is.
    pub media: Media,
    /// What gives its base.
    pub context: &'s Context<'s>,
    /// The contexts of the elements with a `codebase` of their own, in source order.
    pub codebases: &'s [Context<'s>],
    /// The layers around it.
    pub frame: &'s Frame<'s>,
}

/// What a walk is made for.
pub(crate) trait Receiver {
    /// A reference; the answer, if any, is the text to stand there instead.
    fn reference(&mut self, site: &Site<'_>) -> Option<&str>;
    /// The answer to reference `id` was not taken.
    fn refused(&mut self, id: usize, reason: Refused);
    /// A document begins; its references follow.
    fn document(&mut self, _: &DocumentSite<'_>) {}
    /// A document was left; `at` is its offset in the file, and `is_embedded` whether it stands in another.
    fn left(&mut self, reason: Undone, at: usize, is_embedded: bool);
    /// An HTML document is read by this engine.
    fn read_by(&mut self, engine: ReadBy);
    /// A `<base href>` at offset `at` gives no base.
    fn bad_base(&mut self, reason: BadBase, at: usize);
}
