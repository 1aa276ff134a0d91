//! The details of a run, which it sends if its plan lists them: references, bases, skipped
//! documents, problems.

use std::borrow::Cow;

use basectx::BaseSource;
use layers::Span;
use rewrite::{Kind, Outcome};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

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
    /// Its slot.
    pub slot: String,
    /// Its kind.
    pub kind: Kind,
    /// Its text, decoded.
    pub text: String,
    /// The URL that it points to in the input, if that is known.
    pub target: Option<String>,
    /// Its base, if that is known.
    pub base: Option<String>,
    /// The source of its base.
    pub base_source: BaseSource,
    /// What was found out.
    pub finding: Finding,
}

impl ReferenceDetail {
    /// Creates a reference of which no more is known.
    pub(crate) fn at((line, column): (usize, usize), span: Span, slot: &str, text: &str) -> Self {
        ReferenceDetail {
            part: None,
            embedded: Vec::new(),
            line,
            column,
            span,
            is_exact: true,
            slot: slot.to_owned(),
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
        file: Option<(usize, String)>,
    },
}

impl Finding {
    /// Returns the keys of a reference in JSON, as [`Keyed`] has them.
    const fn keys(&self) -> &'static str {
        match self {
            Finding::Listed { .. } => {
                "part embedded line column span span_exact? slot kind text base base_source target other_target? reading?"
            }
            Finding::Converted { .. } => {
                "part embedded line column span span_exact? slot kind text new_text target base base_source outcome reason failed"
            }
            Finding::Problem { .. } => "line column span slot text target file problem reason",
        }
    }
}

impl Serialize for ReferenceDetail {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Keyed { place: None, reference: self, keys: self.finding.keys() }.serialize(serializer)
    }
}

/// A reference in JSON, with these keys of `docs/json.md`, in this order. A key that ends with `?`
/// is left out if it has no value.
pub(crate) struct Keyed<'k> {
    pub(crate) place: Option<&'k DocumentPlace>,
    pub(crate) reference: &'k ReferenceDetail,
    pub(crate) keys: &'static str,
}

impl Serialize for Keyed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.keys.split(' ').try_for_each(|key| self.write(&mut map, key))?;
        map.end()
    }
}

impl Keyed<'_> {
    fn write<M: SerializeMap>(&self, map: &mut M, key: &str) -> Result<(), M::Error> {
        let (it, place) = (self.reference, self.place);
        match (key.trim_end_matches('?'), &it.finding) {
            ("root", _) => put(map, key, place.map(|place| place.root)),
            ("path", _) => put(map, key, place.map(|place| &place.path)),
            ("path_bytes", _) => put(map, key, place.and_then(|it| it.path_bytes.as_ref())),
            ("record", _) => put(map, key, place.and_then(|it| it.record.as_ref())),
            ("part", _) => put(map, key, it.part.as_ref()),
            ("embedded", _) => put(map, key, Some(&it.embedded)),
            ("line", _) => put(map, key, Some(it.line)),
            ("column", _) => put(map, key, Some(it.column)),
            ("span", _) => put(map, key, Some([it.span.start, it.span.end])),
            ("span_exact", _) => put(map, key, (!it.is_exact).then_some(false)),
            ("slot", _) => put(map, key, Some(&it.slot)),
            ("kind", _) => put(map, key, Some(it.kind.name())),
            ("text", _) => put(map, key, Some(&it.text)),
            ("target", _) => put(map, key, it.target.as_ref()),
            ("base", _) => put(map, key, it.base.as_ref()),
            ("base_source", _) => put(map, key, Some(it.base_source.name())),
            ("other_target", Finding::Listed { other_target, .. }) => {
                put(map, key, other_target.as_ref())
            }
            ("reading", Finding::Listed { reading, .. }) => put(map, key, *reading),
            ("new_text", Finding::Converted { new_text, .. }) => put(map, key, new_text.as_ref()),
            ("outcome", Finding::Converted { outcome, .. }) => put(map, key, Some(outcome.name())),
            ("reason", Finding::Converted { reason, .. }) => put(map, key, reason.as_ref()),
            ("failed", Finding::Converted { outcome, .. }) => {
                put(map, key, Some(outcome.is_failure()))
            }
            ("problem", Finding::Problem { problem, .. }) => {
                put(map, key, Some(problem.kind().name))
            }
            ("reason", Finding::Problem { problem, .. }) => {
                put(map, key, Some(problem.to_string()))
            }
            ("source", Finding::Problem { problem, .. }) => put(map, key, problem.kind().source),
            ("file", Finding::Problem { file, .. }) => {
                put(map, key, file.as_ref().map(|(_, path)| path))
            }
            _ => Ok(()),
        }
    }
}

/// Writes the value of a key, unless that is left out.
fn put<M: SerializeMap>(
    map: &mut M,
    key: &str,
    value: Option<impl Serialize>,
) -> Result<(), M::Error> {
    match key.strip_suffix('?') {
        Some(_) if value.is_none() => Ok(()),
        name => map.serialize_entry(name.unwrap_or(key), &value),
    }
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
