//! A reference with its outcome, for runs that list all of them.

use std::sync::Arc;

use basectx::BaseSource;
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
