//! HTML: the values of a document and their spans. Two engines implement one function.

mod attributes;
mod charset;
mod collect;
pub(crate) mod conditions;
mod fast;
mod index;
mod lex;
mod link_elements;
mod metadata;
mod reference;

use crate::format::found::Found;
use crate::format::spec as by_content;
use crate::format::spec::{CharsetRule, FormatReader, FormatSpec};
use crate::options::AvailableMemory;
use crate::options::extras::Extras;
use crate::options::limits::Limits;
use crate::options::{Engine, Integrity, Options};
use crate::report::ReadBy;
use crate::report::skip::SkipReason;

pub(crate) use attributes::{
    cdata, is_codebase, is_css_type, may_hold_url, passes, script_of, slot_of,
};
pub(crate) use charset::{declared_charset, sniff};
pub(crate) use conditions::{decided_by_tag, is_loaded_later};
pub(crate) use index::Key;
pub use link_elements::LinkElements;
pub use metadata::{HeadItem, HeadItemKind, HeadMetadata};

/// HTML.
pub(super) const FORMAT: FormatSpec = FormatSpec {
    media_types: &["text/html"],
    extensions: &["html", "htm", "shtml", "shtm"],
    file_names: &[],
    opt_in: None,
    sniff: Some(by_content::is_html),
    dialect: None,
    has_relative: true,
    charset: CharsetRule::Html,
    reader: FormatReader::Html,
};

/// Options for parsing content that is off by default.
#[derive(Clone, Copy)]
pub(crate) struct ParseOptions<'o> {
    /// Attributes named by the user.
    extras: &'o Extras,
    /// True if server-side includes are read.
    reads_includes: bool,
    /// True if modules are read.
    reads_modules: bool,
    /// True if templates in scripts are read.
    reads_templates: bool,
    /// The treatment of the conditions on what is loaded.
    integrity: Integrity,
    limits: &'o Limits,
}

impl<'o> ParseOptions<'o> {
    /// Returns the parse options of a run. A server processes the file, but not the content of a
    /// `srcdoc`.
    pub(crate) fn new(options: &'o Options, is_in_srcdoc: bool) -> Self {
        ParseOptions {
            extras: &options.extras,
            reads_includes: options.opt_in.ssi && !is_in_srcdoc,
            reads_modules: options.opt_in.js_modules,
            reads_templates: options.opt_in.script_templates,
            integrity: options.integrity,
            limits: &options.limits,
        }
    }
}

/// Finds the values of an HTML document without its byte order mark, as many as `memory` allows.
/// Returns the engine that read it, too.
pub(crate) fn find(
    input: &[u8],
    is_srcdoc: bool,
    options: ParseOptions<'_>,
    engine: Engine,
    memory: AvailableMemory,
) -> (Result<Found, SkipReason>, ReadBy) {
    let reference = || reference::find(input, is_srcdoc, options, memory);
    match engine {
        Engine::Reference => (reference(), ReadBy::Requested),
        Engine::Auto | Engine::Fast => match fast::find(input, options, memory) {
            Ok(found) => (Ok(found), ReadBy::Fast),
            Err(reason) if engine == Engine::Fast => {
                (Err(SkipReason::Declined(reason)), ReadBy::Fast)
            }
            Err(reason) => (reference(), ReadBy::Reference(reason)),
        },
    }
}
