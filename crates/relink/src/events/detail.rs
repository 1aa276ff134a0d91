//! The details of a run, which it sends if its plan lists them: references, bases, skipped
//! documents, problems.

use std::borrow::Cow;
use std::sync::Arc;

use basectx::BaseSource;
use layers::Span;
use rewrite::{Kind, Outcome};
use serde::Serialize;

use crate::events::problem::Problem;
pub use crate::files::container::RecordPlace;

/// The document that a detail is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DocumentPlace {
    /// The index of its PATH, from 0.
    pub root: usize,
    /// The path of its file below that PATH.
    pub path: String,
    /// The same path, percent-encoded, if it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_bytes: Option<String>,
    /// The number of the message in a mailbox, from 1.
    pub unit: Option<usize>,
    /// The record of a web archive that contains it. Positions are those in the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordPlace>,
}

/// A detail and its document.
#[derive(Serialize)]
pub(crate) struct OfDocument<'d, T> {
    #[serde(flatten)]
    pub(crate) place: &'d DocumentPlace,
    #[serde(flatten)]
    pub(crate) detail: &'d T,
}

/// An embedded document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EmbeddedPlace {
    /// Its slot.
    pub slot: String,
    /// Its span in the file.
    pub span: [usize; 2],
}

/// A reference of a document, and what a run found out about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReferenceDetail {
    /// The part of the message that contains it.
    pub part: Option<String>,
    /// The embedded documents that contain it, outermost first.
    pub embedded: Vec<EmbeddedPlace>,
    /// Its line in the file, from 1.
    pub line: usize,
    /// Its column, from 1, in bytes.
    pub column: usize,
    /// Its span in the file.
    pub span: Span,
    /// False if the span contains more than the reference: in base64, three bytes are written as
    /// one group.
    pub is_exact: bool,
    /// Its slot. That of an attribute named by the user is a copy.
    pub slot: Cow<'static, str>,
    /// Its kind.
    pub kind: Kind,
    /// Its text, decoded.
    pub text: String,
    /// The URL that it points to in the input, if that is known.
    pub target: Option<String>,
    /// Its base, if that is known. Most references of a document have it in common.
    pub base: Option<Arc<str>>,
    /// The source of its base.
    pub base_source: BaseSource,
    /// What was found out.
    pub finding: Finding,
}

impl Default for ReferenceDetail {
    fn default() -> Self {
        ReferenceDetail::at((1, 1), Span::default(), "", "")
    }
}

impl ReferenceDetail {
    /// Creates a reference of which no more is known.
    pub(crate) fn at(
        (line, column): (usize, usize),
        span: Span,
        slot: impl Into<Cow<'static, str>>,
        text: &str,
    ) -> Self {
        ReferenceDetail {
            part: None,
            embedded: Vec::new(),
            line,
            column,
            span,
            is_exact: true,
            slot: slot.into(),
            kind: Kind::Url,
            text: text.to_owned(),
            target: None,
            base: None,
            base_source: BaseSource::None,
            finding: Finding::Listed { other_target: None, reading: None },
        }
    }
}

/// What a run found out about a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// Nothing else: it is one of a list.
    Listed {
        /// The other URL that it points to, if a `<base>` comes after it.
        other_target: Option<String>,
        /// How the relative references of its document are read, if that is one of a mirror.
        reading: Option<&'static str>,
    },
    /// It was converted, or would be.
    Converted {
        /// Its text in the output, if it was replaced.
        new_text: Option<String>,
        /// Its outcome.
        outcome: Outcome,
        /// The reason why it could not be handled, or why it is absolute.
        reason: Option<Cow<'static, str>>,
    },
    /// A check found a problem, also at what only should be a reference.
    Problem {
        /// The problem.
        problem: Problem,
        /// The file that the tree should contain there and does not: the index of its PATH, and
        /// its path below that.
        file: Option<(usize, Arc<str>)>,
    },
}

/// A document, a part of a message, or a header field that was skipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SkippedDetail {
    /// The part of the message.
    pub part: Option<String>,
    /// Its line in the file, from 1.
    pub line: usize,
    /// Its column, from 1, in bytes.
    pub column: usize,
    /// What was skipped: `document`, `part`, `field` or `embedded`; `list` if references
    /// were converted and are not listed.
    pub extent: &'static str,
    /// The reason.
    pub reason: String,
    /// True if it counts as a failure.
    pub failed: bool,
}

/// The base of a document or of an embedded document, with its reasons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BaseDetail {
    /// The part of the message that it is.
    pub part: Option<String>,
    /// The embedded documents that contain it, and itself if it is one.
    pub embedded: Vec<EmbeddedPlace>,
    /// Its media type.
    pub media_type: &'static str,
    /// Its base, if that is known.
    pub base: Option<String>,
    /// The source of its base.
    pub base_source: &'static str,
    /// The contexts, innermost first.
    pub chain: Vec<ContextDetail>,
    /// The elements with a base of their own.
    pub scopes: Vec<ScopeDetail>,
    /// How the relative references of a document of a mirror are read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<&'static str>,
}

/// A context of RFC 1808, section 3.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ContextDetail {
    /// Its source.
    pub source: &'static str,
    /// The place that sets the base.
    pub r#where: ContextPlace,
    /// The base that it sets, if it sets one.
    pub url: Option<String>,
    /// The section of the specification.
    pub section: &'static str,
    /// True if it is the one that decides.
    pub decides: bool,
    /// The place and what it sets, in words.
    pub words: String,
}

/// The place that sets a base.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ContextPlace {
    /// The part of the message.
    pub part: Option<String>,
    /// The header field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The element and attribute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
    /// The option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// The attribute or other source of a hint, if it is none of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attribute: Option<String>,
    /// The comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The script.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// The span in the file.
    pub span: Option<[usize; 2]>,
}

/// An element with a base of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ScopeDetail {
    /// The span of the bytes that set it.
    pub span: Option<[usize; 2]>,
    /// The line and column of these bytes, from 1.
    #[serde(skip)]
    pub(crate) position: (usize, usize),
    /// The name of what sets it.
    #[serde(skip)]
    pub(crate) origin: String,
    /// Its base, if that is known.
    #[serde(skip)]
    pub(crate) base: Option<String>,
    /// The contexts, innermost first.
    pub chain: Vec<ContextDetail>,
}

/// A document that `undo` has examined.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndoneDetail {
    /// Its path.
    pub path: String,
    /// True if its old content was restored; false if the run had not changed it.
    pub is_restored: bool,
}
