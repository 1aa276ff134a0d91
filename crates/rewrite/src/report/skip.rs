//! The reasons why a document is skipped, and why the fast engine declines one.

use std::fmt;

use crate::options::limits::Met;

/// The reason why a document is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SkipReason {
    /// A limit was met.
    Limit(Met),
    /// A tag could not be located in the bytes with certainty.
    Unanchored,
    /// The destination of a Markdown link could not be located in the bytes with certainty.
    Unlocated,
    /// The charset cannot be edited.
    Charset,
    /// A style sheet in SVG is split by comments, elements or `CDATA` sections.
    BrokenStyle,
    /// A text in XML is split by comments, elements or `CDATA` sections.
    BrokenText,
    /// A text in XML contains an entity that the document or another file declares.
    Entity,
    /// JSON is in an attribute that `--also` names.
    JsonValue,
    /// A server-side include has more than one reading.
    Include,
    /// A field code is split into several runs.
    FieldCode,
    /// The tokens of a script cannot be determined with certainty.
    Script,
    /// A base in XML contains an entity that the document or another file declares, or the document
    /// type gives elements a default base.
    BaseEntity,
    /// Linked data in JSON has a relative `@base`.
    ContextBase,
    /// It has a base in a form that is not supported.
    OtherBase,
    /// It is in a `srcdoc`, and browsers differ in its base: a `<base>` comes after it.
    TwoBases,
    /// A reference can only be made relative if the document's own URL is known.
    NoUrl,
    /// The transfer encoding of the part is unsupported.
    Encoding,
    /// The boundary of a multipart never occurs, so its parts are unknown.
    NoDelimiter,
    /// The part is encrypted, or enclosed in a signature.
    Opaque,
    /// The part is signed.
    Signed,
    /// The message has a DKIM or ARC signature, and those must stay valid.
    Dkim,
    /// The part has a checksum.
    Checksum,
    /// The body of the response has a content coding: it is compressed.
    Coded,
    /// The body of the response is still chunked.
    Chunked,
    /// The body of the response is a fragment of a document.
    Partial,
    /// The response does not begin with a status line.
    NoResponse,
    /// The document is not well-formed, and its readers refuse it.
    Malformed(SyntaxError),
    /// Only the fast engine was allowed, and it declined.
    Declined(Declined),
}

impl SkipReason {
    /// Returns true if a document skipped for this reason is read nevertheless.
    pub(crate) fn is_read(self) -> bool {
        matches!(
            self,
            SkipReason::Signed | SkipReason::Dkim | SkipReason::Checksum | SkipReason::NoUrl
        )
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SkipReason::Declined(reason) => {
                return write!(
                    f,
                    "the fast engine declined it ({reason}); use `--engine auto` to read it"
                );
            }
            SkipReason::Malformed(error) => return write!(f, "not well-formed: {error}"),
            SkipReason::Limit(met) => return met.fmt(f),
            SkipReason::Unanchored => "a tag cannot be located with certainty",
            SkipReason::Unlocated => "the destination of a link cannot be located with certainty",
            SkipReason::NoUrl => "its URL is unknown",
            SkipReason::Charset => "unsupported charset",
            SkipReason::BrokenStyle => {
                "the style sheet is split by comments, elements or CDATA sections"
            }
            SkipReason::BrokenText => "the text is split by comments, elements or CDATA sections",
            SkipReason::Entity => "it contains an entity, which is not expanded",
            SkipReason::JsonValue => "JSON in attributes is unsupported",
            SkipReason::Include => "the server-side include is ambiguous",
            SkipReason::FieldCode => {
                "the field code is not complete: it contains another field, or something else"
            }
            SkipReason::Script => "the tokens of the script cannot be determined with certainty",
            SkipReason::BaseEntity => {
                "its base contains an entity, or is a default of its document type"
            }
            SkipReason::ContextBase => "its @base is relative; only absolute ones are supported",
            SkipReason::OtherBase => "its base is in an unsupported form",
            SkipReason::TwoBases => "a <base> gives it another base in some browsers",
            SkipReason::Encoding => "unsupported or invalid transfer encoding",
            SkipReason::NoDelimiter => "its boundary does not occur",
            SkipReason::Opaque => "it is encrypted, or enclosed in a signature",
            SkipReason::Signed => "it is signed; use `--break-signatures` to edit it",
            SkipReason::Dkim => "it is signed by DKIM or ARC; remove `--keep-dkim` to edit it",
            SkipReason::Checksum => "it has a checksum, which an edit would make wrong",
            SkipReason::Coded => "it is compressed",
            SkipReason::Chunked => "it is chunked",
            SkipReason::Partial => "it is a partial response",
            SkipReason::NoResponse => "it does not begin with a status line",
        })
    }
}

/// The reason why the fast engine declines a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Declined {
    /// A `base` with `href` may not be the first in tree order: it comes after the end of the head.
    Base,
    /// An HTML element inside SVG or MathML closes the elements open there.
    Breakout,
    /// Elements are inside an SVG or MathML element that contains HTML (`foreignObject`, `desc`,
    /// `mi` …).
    IntegrationPoint,
    /// An end tag inside SVG or MathML closes nothing there.
    ForeignEndTag,
    /// Raw text or foreign content follows `frameset`, and may be ignored.
    Frameset,
    /// Raw text or foreign content is inside `select`, where browsers differ.
    Select,
    /// Raw text or foreign content follows a `col` in a `template`, and may be ignored.
    TemplateColumn,
    /// Elements are nested deeper than the reference engine reads.
    Deep,
}

impl fmt::Display for Declined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Declined::Base => "a <base> after the head",
            Declined::Breakout => "HTML inside SVG or MathML",
            Declined::IntegrationPoint => "an element of SVG or MathML that contains HTML",
            Declined::ForeignEndTag => "an end tag inside SVG or MathML that closes nothing there",
            Declined::Frameset => "raw text after <frameset>",
            Declined::Select => "raw text inside <select>",
            Declined::TemplateColumn => "raw text after a <col> in a <template>",
            Declined::Deep => "deep SVG or MathML",
        })
    }
}

/// The reason why a document is not well-formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SyntaxError {
    /// The text is not JSON.
    Json,
    /// A tag, a comment, a CDATA section or another XML construct does not end.
    Unclosed,
    /// An end tag does not match the open element.
    EndTag,
    /// An element has no end tag.
    NoEndTag,
    /// The name of a tag is not valid.
    Tag,
    /// An attribute has no value or no quotes, or contains `<`.
    Attribute,
    /// An attribute occurs twice in a tag.
    Duplicate,
    /// An `&` does not begin a reference.
    Ampersand,
    /// A referenced entity is not declared.
    Entity,
    /// A comment contains `--`.
    Comment,
    /// A character is not allowed in any document.
    Character,
    /// `]]>` is in a text.
    SectionEnd,
    /// The name of a processing instruction is not valid.
    Instruction,
    /// A document type declaration is malformed or misplaced.
    Doctype,
    /// An XML declaration is malformed, or not at the start.
    Declaration,
    /// Text or a second element is outside of the root element.
    Outside,
    /// There is no element.
    NoRoot,
}

impl From<SyntaxError> for SkipReason {
    fn from(error: SyntaxError) -> SkipReason {
        SkipReason::Malformed(error)
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SyntaxError::Json => "invalid JSON",
            SyntaxError::Unclosed => "unclosed tag, comment or section",
            SyntaxError::EndTag => "end tag without a matching start tag",
            SyntaxError::NoEndTag => "element without an end tag",
            SyntaxError::Tag => "tag without a valid name",
            SyntaxError::Attribute => "attribute without a quoted value, or with < in it",
            SyntaxError::Duplicate => "duplicate attribute",
            SyntaxError::Ampersand => "unescaped &",
            SyntaxError::Entity => "undeclared entity",
            SyntaxError::Comment => "-- inside a comment",
            SyntaxError::Character => "character not allowed in XML 1.0",
            SyntaxError::SectionEnd => "]]> outside a CDATA section",
            SyntaxError::Instruction => "processing instruction without a valid name",
            SyntaxError::Doctype => "malformed document type declaration",
            SyntaxError::Declaration => "malformed or misplaced XML declaration",
            SyntaxError::Outside => "text or element outside the root element",
            SyntaxError::NoRoot => "no element",
        })
    }
}

/// The reason why verification rejected an output.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError {
    /// A byte outside of the edits differs.
    #[error("bytes outside of references would change")]
    Locality,
    /// The output has other references than the input.
    #[error("the output would contain other references: '{found}' at byte {at}")]
    Sequence {
        /// The offset in the output of the first that differs.
        at: usize,
        /// The reference found there.
        found: String,
    },
    /// A document that was read in the input is not read in the output, or not by the verifying
    /// engine.
    #[error("the output cannot be read: {0}")]
    Unread(SkipReason),
    /// A reference that must stay unchanged depends on a base that was to be emptied.
    #[error("a reference that must stay unchanged depends on the base")]
    Base,
    /// A reference has another target.
    #[error(
        "'{reference}' at byte {at} of the output should point to {expected}, but {}",
        pointed(found.as_deref())
    )]
    Target {
        /// The offset of the reference in the output.
        at: usize,
        /// The reference as written.
        reference: String,
        /// The expected target.
        expected: String,
        /// The actual target, if it has one.
        found: Option<String>,
    },
}

/// Returns the end of the message about a target.
fn pointed(found: Option<&str>) -> String {
    found.map_or("has no target".to_owned(), |found| format!("points to {found}"))
}
