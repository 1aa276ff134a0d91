//! References with their outcomes, and documents with their contexts, for runs that list them.

use std::sync::Arc;

use basectx::{BaseSource, Context};
use layers::Span;

use super::Outcome;
use crate::slots::{Kind, SlotId};

/// A reference with its outcome, if the run lists references.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedReference {
    /// Its span in the unit.
    pub span: Span,
    /// False if the span contains more than the reference, as in base64.
    pub is_exact: bool,
    /// The part of the message that contains it.
    pub part: Option<Arc<str>>,
    /// The embedded documents that contain it, outermost first.
    pub embedded: Vec<(SlotId, Span)>,
    /// Its slot.
    pub slot: SlotId,
    /// Its role in the document.
    pub kind: Kind,
    /// The reference, decoded.
    pub text: String,
    /// The reference in the output, if it was replaced.
    pub new_text: Option<String>,
    /// The URL that it points to in the input, if that is known.
    pub target: Option<String>,
    /// Its base in the input, if that is known.
    pub base: Option<Arc<str>>,
    /// The kind of context that gives the base.
    pub base_source: BaseSource,
    /// Its outcome.
    pub outcome: Outcome,
    /// True if the tree has no file for it, and it was made absolute for that reason.
    pub is_missing: bool,
    /// The reason why its new text cannot be written, if it is [`Outcome::Unwritable`].
    pub refused: Option<String>,
}

/// A document of a unit, and the contexts that give its base.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedDocument {
    /// The name of its media type.
    pub media_type: &'static str,
    /// The part of the message that it is in.
    pub part: Option<String>,
    /// The embedded documents that contain it, outermost first, and itself if it is one.
    pub embedded: Vec<(SlotId, Span)>,
    /// The contexts, innermost first.
    pub chain: Vec<ListedContext>,
    /// The contexts of the elements with a base of their own, as in
    /// [`DocumentSite::scopes`](crate::DocumentSite::scopes), with those around each.
    pub scopes: Vec<Vec<ListedContext>>,
}

/// A copy of a [`Context`], without the contexts around it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedContext {
    /// Its source.
    pub source: BaseSource,
    /// The element, header field or option that declares it.
    pub origin: String,
    /// The name of the header section that declares it.
    pub part: Option<String>,
    /// The bytes of the file that declare it, if they are known.
    pub span: Option<Span>,
    /// The URL that it declares, if it does.
    pub url: Option<String>,
    /// True if it declares the base, or that the base is unknown.
    pub decides: bool,
    /// The section of the specification that gives it its place in the chain.
    pub section: &'static str,
}

impl ListedContext {
    /// Returns copies of a context and of those around it, innermost first.
    pub fn chain(context: &Context<'_>) -> Vec<ListedContext> {
        let copy = |context: &Context<'_>| ListedContext {
            source: context.source(),
            origin: context.origin().to_owned(),
            part: context.part().map(str::to_owned),
            span: context.span().map(|(start, end)| Span::new(start, end)),
            url: context.url().map(str::to_owned),
            decides: context.decides(),
            section: context.section(),
        };
        context.chain().map(copy).collect()
    }

    /// Returns the context of a chain that decides, if it declares the base.
    pub fn of_base(chain: &[ListedContext]) -> Option<&ListedContext> {
        chain.iter().find(|context| context.decides).filter(|context| context.url.is_some())
    }
}
