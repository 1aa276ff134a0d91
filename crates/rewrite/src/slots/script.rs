//! The slots that are read only if they are asked for and that programs, not browsers alone, read: server-side includes, modules.
//!
//! Apache HTTP Server 2.4, mod_include; ECMA-262, sections 13.3.10 and 16.2; HTML standard, section 8.1.6.

use super::{Format, Kind, Slot, Syntax, row};

/// Server-side includes in comments of HTML.
#[rustfmt::skip]
pub(super) const SSI: [Slot; 2] = [
    row(Format::Ssi, "ssi file", Kind::File, Syntax::Url).enabled_by("ssi"),
    row(Format::Ssi, "ssi virtual", Kind::Url, Syntax::Url).path().enabled_by("ssi"),
];

/// Specifiers of modules, and the elements of HTML that hold modules.
#[rustfmt::skip]
pub(super) const MODULES: [Slot; 4] = [
    row(Format::Script, "js export", Kind::Url, Syntax::Url).local().enabled_by("js-modules"),
    row(Format::Script, "js import", Kind::Url, Syntax::Url).local().enabled_by("js-modules"),
    row(Format::Script, "js import()", Kind::Url, Syntax::Url).local().enabled_by("js-modules"),
    row(Format::Script, "script module", Kind::Embedded, Syntax::Module).enabled_by("js-modules"),
];
