//! The formats of documents and the syntaxes of values: lists, image candidates, refreshes, style
//! sheets, JSON. Each is one function from text to values.

mod bases;
mod css;
pub(crate) mod extra;
mod field_code;
pub(crate) mod found;
mod hls;
pub(crate) mod html;
mod include;
pub(crate) mod json;
mod line_files;
mod lists;
mod markdown;
mod module;
pub(crate) mod spec;
mod text;
mod vtt;
mod xml;

pub(crate) use lists::url;
pub use spec::is_feed;
pub use xml::xml_elements;

use crate::format::found::Found;
use crate::format::spec::{FormatSpec, FoundIn};
use crate::options::{AvailableMemory, Options};
use crate::slots::{SlotId, Syntax};

/// Every format of documents. Content is compared with the rows in this order.
pub const FORMATS: &[FormatSpec] = &[
    html::FORMAT,
    css::FORMAT,
    xml::FORMAT,
    module::FORMAT,
    text::FIXED,
    text::FLOWED,
    text::FLOWED_WITHOUT_SPACE,
    markdown::FORMAT,
    json::MANIFEST,
    json::IMPORT_MAP,
    json::SPECULATION_RULES,
    json::LINKED_DATA,
    json::FEED,
    json::SOURCE_MAP,
    vtt::FORMAT,
    hls::FORMAT,
    line_files::ROBOTS,
    line_files::REDIRECTS,
    line_files::HEADERS,
    line_files::SHORTCUT,
];

/// Finds the values in a text of this syntax, in source order, as many as `memory` allows. HTML is
/// not supported here, because it needs the tree.
///
/// # Errors
///
/// Returns the reason why the text is not read, and the offset of the cause.
pub(crate) fn find(
    syntax: Syntax,
    text: &str,
    slot: SlotId,
    options: &Options,
    memory: AvailableMemory,
) -> FoundIn {
    let mut found = Found::within(memory.bytes());
    let values = &mut found.values;
    match syntax {
        Syntax::SpaceList => lists::space_list(text, slot, values),
        Syntax::CommaList => lists::comma_list(text, slot, values),
        Syntax::SemicolonList => lists::semicolon_list(text, slot, values),
        Syntax::Candidates => lists::candidates(text, slot, values),
        Syntax::CandidateSets => lists::candidate_sets(text, slot, values),
        Syntax::Refresh => lists::refresh(text, slot, values),
        Syntax::Task => lists::task(text, slot, values),
        Syntax::Stylesheet | Syntax::Declarations => drop(css::find(text, values)),
        Syntax::SchemaPairs => lists::schema_pairs(text, slot, values),
        Syntax::Links => lists::links(text, slot, values),
        Syntax::Include => include::find(text, &mut found),
        Syntax::FieldCode => field_code::find(text, slot, &mut found),
        Syntax::Formula => lists::formula(text, slot, values),
        Syntax::Module => return module::find(text, options, memory),
        Syntax::PlainText => text::find(text, values),
        Syntax::Json(format) => json::find(text, format, Some(slot), values)?,
        Syntax::Url | Syntax::Html | Syntax::HtmlFragment => {}
    }
    Ok(found)
}
