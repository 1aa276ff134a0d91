//! The slots of plain text and of Markdown, which are off by default.
//!
//! RFC 3986, appendix C; CommonMark 0.31, sections 4.6, 4.7, 6.3 to 6.6.

use super::{Format, Kind, Slot, Syntax, row};

/// Returns the row of a slot of Markdown.
const fn markdown(name: &'static str, kind: Kind, syntax: Syntax) -> Slot {
    row(Format::Markdown, name, kind, syntax).enabled_by("markdown")
}

/// Plain text.
pub(super) const TEXT: [Slot; 1] =
    [row(Format::Text, "text URL", Kind::Url, Syntax::Url).absolute().enabled_by("text")];

/// Slots of Markdown.
#[rustfmt::skip]
pub(super) const MARKDOWN: [Slot; 5] = [
    markdown("markdown autolink", Kind::Url, Syntax::Url).absolute(),
    markdown("markdown definition", Kind::Url, Syntax::Url),
    markdown("markdown html", Kind::Embedded, Syntax::HtmlFragment),
    markdown("markdown image", Kind::Url, Syntax::Url),
    markdown("markdown link", Kind::Url, Syntax::Url),
];
