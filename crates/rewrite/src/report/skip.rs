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
    /// The tokens of a script cannot be determined with certainty.
    Script,
    /// A base in XML contains an entity that the document or another file declares, or the document
    /// type gives elements a default base.
    BaseEntity,
    /// Linked data in JSON has a relative `@base`.
    ContextBase,
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
                return write!(f, "declined by the fast engine: {reason}");
            }
            SkipReason::Malformed(error) => return write!(f, "not well-formed: {error}"),
            SkipReason::Limit(met) => return met.fmt(f),
            SkipReason::Unanchored => "unanchored",
            SkipReason::Unlocated => "the destination of a link cannot be located with certainty",
            SkipReason::NoUrl => "its own URL is not known",
            SkipReason::Charset => "its charset cannot be edited",
            SkipReason::BrokenStyle => {
                "a style sheet in SVG that comments, elements or CDATA sections break up"
            }
            SkipReason::BrokenText => "a text that comments, elements or CDATA sections break up",
            SkipReason::Entity => "an entity is part of it",
            SkipReason::JsonValue => "JSON in an attribute, which is not read",
            SkipReason::Include => "a server-side include that is no plain path",
            SkipReason::Script => "a script whose tokens are not certain",
            SkipReason::BaseEntity => {
                "an entity is part of its base, or its document type gives it one"
            }
            SkipReason::ContextBase => "its @base is relative; only absolute ones are supported",
            SkipReason::Encoding => "unknown transfer encoding",
            SkipReason::NoDelimiter => "its boundary never occurs",
            SkipReason::Opaque => "encrypted, or wrapped in a signature",
            SkipReason::Signed => "signed; --break-signatures edits it all the same",
            SkipReason::Dkim => "signed by DKIM or ARC, which --keep-dkim keeps",
            SkipReason::Checksum => "it has a checksum; --update-checksums makes that right",
            SkipReason::Coded => "it is compressed",
            SkipReason::Chunked => "it is in chunks",
            SkipReason::Partial => "it is a piece of a document",
            SkipReason::NoResponse => "it does not begin with a status line",
        })
    }
}

/// The reason why the fast engine declines a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
            Declined::IntegrationPoint => "an element of SVG or MathML that holds HTML",
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
            SyntaxError::Json => "this is not JSON",
            SyntaxError::Unclosed => "what begins here does not end",
            SyntaxError::EndTag => "an end tag that fits no start tag",
            SyntaxError::NoEndTag => "an element without an end tag",
            SyntaxError::Tag => "a tag without a name",
            SyntaxError::Attribute => "an attribute without a value, or with < in it",
            SyntaxError::Duplicate => "an attribute that is there twice",
            SyntaxError::Ampersand => "an & that is not written &amp;",
            SyntaxError::Entity => "an entity that nothing declares",
            SyntaxError::Comment => "-- inside a comment",
            SyntaxError::Character => "a character that XML has not",
            SyntaxError::SectionEnd => "]]> outside of a section of CDATA",
            SyntaxError::Instruction => "a processing instruction without a name",
            SyntaxError::Doctype => "a faulty document type",
            SyntaxError::Declaration => "a faulty XML declaration, or one that does not come first",
            SyntaxError::Outside => "text or an element after the end, or before the beginning",
            SyntaxError::NoRoot => "there is no element",
        })
    }
}
