//! Why a document is left as it is, and why the fast engine leaves one to the other.

use std::fmt;

use crate::options::limits::Met;

/// Why a document is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SkipReason {
    /// A limit is met.
    Limit(Met),
    /// A tag could not be found in the bytes with certainty.
    Unanchored,
    /// The destination of a link of Markdown could not be found in the bytes with certainty.
    Unlocated,
    /// The charset cannot be edited.
    Charset,
    /// A style sheet in SVG that is broken up by comments, elements or sections of `CDATA`.
    BrokenStyle,
    /// A text in XML that is broken up by comments, elements or sections of `CDATA`.
    BrokenText,
    /// A text in XML that an entity is part of, which the document or another file declares.
    Entity,
    /// JSON in an attribute that `--also` names.
    JsonValue,
    /// A server-side include that may be read in more than one way.
    Include,
    /// A script whose tokens cannot be told with certainty.
    Script,
    /// A base in XML that an entity is part of, which the document or another file declares, or one that the document type gives to elements.
    BaseEntity,
    /// Linked data in JSON whose `@base` is relative.
    ContextBase,
    /// A reference can only be made relative if the document's own URL is known.
    NoUrl,
    /// Nobody here can read the transfer encoding of the part.
    Encoding,
    /// The boundary of a multipart never occurs, so that its parts are not known.
    NoDelimiter,
    /// The part is encrypted, or wrapped in a signature.
    Opaque,
    /// The part is signed.
    Signed,
    /// The message has a signature of DKIM or ARC, and those are to be kept.
    Dkim,
    /// The part has a checksum.
    Checksum,
    /// The body of the response has a content coding: it is compressed.
    Coded,
    /// The body of the response is still in chunks.
    Chunked,
    /// The body of the response is a piece of a document.
    Partial,
    /// What should be a response does not begin with a status line.
    NoResponse,
    /// It is not well-formed, and readers refuse it.
    Malformed(SyntaxError),
    /// Only the fast engine was to read it, and it declined.
    Declined(Declined),
}

impl SkipReason {
    /// Whether what is left for this reason is read all the same.
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
            SkipReason::Unlocated => "the destination of a link cannot be told in the bytes",
            SkipReason::NoUrl => "its own URL is not known",
            SkipReason::Charset => "its charset cannot be edited",
            SkipReason::BrokenStyle => {
                "a style sheet in SVG that comments, elements or CDATA sections break up"
            }
            SkipReason::BrokenText => "a text that comments, elements or CDATA sections break up",
            SkipReason::Entity => "an entity is part of it",
            SkipReason::JsonValue => "JSON in an attribute, which is not read",
            SkipReason::Include => "a server-side include that is no plain path",
            SkipReason::Script => "a script whose tokens cannot be told with certainty",
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

/// Why the fast engine does not read a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Declined {
    /// A `base` with `href` that may not be the first in tree order: it stands after the head has ended.
    Base,
    /// An HTML element inside SVG or MathML closes what is open there.
    Breakout,
    /// Elements inside an element of SVG or MathML that holds HTML (`foreignObject`, `desc`, `mi` …).
    IntegrationPoint,
    /// An end tag inside SVG or MathML that closes nothing there.
    ForeignEndTag,
    /// Raw text or foreign content after `frameset`, which may be ignored.
    Frameset,
    /// Raw text or foreign content inside `select`, where browsers differ.
    Select,
    /// Raw text or foreign content after a `col` in a `template`, which may be ignored.
    TemplateColumn,
    /// Elements nest deeper than the reference engine reads.
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

/// Why a document is not well-formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SyntaxError {
    /// What is no JSON.
    Json,
    /// A tag, a comment, a section of CDATA or another piece of XML that does not end.
    Unclosed,
    /// An end tag that closes another element than the one that is open.
    EndTag,
    /// An element without an end tag.
    NoEndTag,
    /// A tag whose name is none.
    Tag,
    /// An attribute without a value or quotes, or one that holds `<`.
    Attribute,
    /// An attribute that stands twice in a tag.
    Duplicate,
    /// An `&` that begins no reference.
    Ampersand,
    /// A reference to an entity that nothing declares.
    Entity,
    /// A comment that holds `--`.
    Comment,
    /// A character that no document may hold.
    Character,
    /// `]]>` in a text.
    SectionEnd,
    /// A processing instruction whose name is none.
    Instruction,
    /// A document type declaration that is none, or stands where none may.
    Doctype,
    /// An XML declaration that is none, or does not stand at the start.
    Declaration,
    /// Text, or a second element, outside the only one.
    Outside,
    /// No element at all.
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
