//! Why a document is left as it is, and why the fast engine leaves one to the other.

use std::fmt;

/// Why a document is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Undone {
    /// Elements, blocks or embedded documents nest deeper than is read in linear time.
    TooDeep,
    /// A tag has more attributes than are read in linear time.
    TooManyAttributes,
    /// A tag could not be found in the bytes with certainty.
    Unanchored,
    /// The charset cannot be edited yet.
    Charset,
    /// A style sheet in SVG that is broken up by comments, elements or sections of `CDATA`.
    BrokenStyle,
    /// The decoded documents inside are larger than the limit.
    TooLarge,
    /// A reference can only be made relative if the document's own URL is known.
    NoUrl,
    /// Only the fast engine was to read it, and it declined.
    Declined(Declined),
}

impl fmt::Display for Undone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Undone::Declined(reason) => return write!(f, "declined by the fast engine: {reason}"),
            Undone::TooDeep => "too deep",
            Undone::TooManyAttributes => "too many attributes in one tag",
            Undone::Unanchored => "unanchored",
            Undone::NoUrl => "its own URL is not known",
            Undone::Charset => "charset not yet supported",
            Undone::BrokenStyle => {
                "a style sheet in SVG that comments, elements or CDATA sections break up"
            }
            Undone::TooLarge => "embedded documents too large",
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
