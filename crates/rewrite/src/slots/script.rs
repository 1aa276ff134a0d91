//! The slots that are off by default and are read by programs other than browsers too: server-side
//! includes, modules, templates in scripts.
//!
//! Apache HTTP Server 2.4, mod_include; ECMA-262, sections 13.3.10 and 16.2; HTML standard, section
//! 8.1.6.

use super::{Format, Kind, Slot, Syntax, row};

/// Server-side includes in HTML comments.
#[rustfmt::skip]
pub(super) const SSI: [Slot; 2] = [
    row(Format::SSI, "ssi file", Kind::File, Syntax::Url).enabled_by("ssi"),
    row(Format::SSI, "ssi virtual", Kind::Url, Syntax::Url).path().enabled_by("ssi"),
];

/// Templates of HTML, which scripts fill in and insert.
#[rustfmt::skip]
pub(super) const TEMPLATES: [Slot; 1] = [
    row(Format::HTML, "script template", Kind::Embedded, Syntax::HtmlFragment).enabled_by("script-templates"),
];

/// Module specifiers, and the HTML elements that contain modules.
#[rustfmt::skip]
pub(super) const MODULES: [Slot; 5] = [
    row(Format::SCRIPT, "js export", Kind::Url, Syntax::Url).local().enabled_by("js-modules"),
    row(Format::SCRIPT, "js import", Kind::Url, Syntax::Url).local().enabled_by("js-modules"),
    row(Format::SCRIPT, "js import()", Kind::Url, Syntax::Url).local().enabled_by("js-modules"),
    row(Format::SCRIPT, "js sourceMappingURL", Kind::Url, Syntax::Url).enabled_by("js-modules"),
    row(Format::SCRIPT, "script module", Kind::Embedded, Syntax::Module).parsed().enabled_by("js-modules"),
];
