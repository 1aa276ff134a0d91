//! The slots that are no markup: fields of headings, style sheets.
//!
//! RFC 2557 4; RFC 2369; RFC 5064; RFC 8288; RFC 2017; CSS Values level 4, section 4.5.

use super::{Format, Kind, Slot, Syntax, row};

/// A field of a heading, by its name after the first word.
const fn header(name: &'static str, kind: Kind) -> Slot {
    row(Format::Heading, name, kind, Syntax::Url)
}

/// Fields of headings.
#[rustfmt::skip]
pub(super) const HEADERS: [Slot; 15] = [
    header("header Archived-At", Kind::Url).absolute(),
    header("header Base", Kind::Url).absolute(),
    header("header Content-Base", Kind::Url).absolute(),
    header("header Content-Location", Kind::Url).absolute(),
    header("header Content-Type", Kind::Url).absolute(),
    header("header Link", Kind::List),
    header("header List-Archive", Kind::List).absolute(),
    header("header List-Help", Kind::List).absolute(),
    header("header List-Owner", Kind::List).absolute(),
    header("header List-Post", Kind::List).absolute(),
    header("header List-Subscribe", Kind::List).absolute(),
    header("header List-Unsubscribe", Kind::List).absolute(),
    header("header Refresh", Kind::Url).empty(),
    header("header Snapshot-Content-Location", Kind::Url).absolute(),
    header("header X-URL", Kind::Url).absolute(),
];

/// Places in style sheets.
#[rustfmt::skip]
pub(super) const CSS: [Slot; 4] = [
    row(Format::Css, "css @import", Kind::Url, Syntax::Url).local(),
    row(Format::Css, "css image-set()", Kind::Url, Syntax::Url).local(),
    row(Format::Css, "css src()", Kind::Url, Syntax::Url).local(),
    row(Format::Css, "css url()", Kind::Url, Syntax::Url).local(),
];
