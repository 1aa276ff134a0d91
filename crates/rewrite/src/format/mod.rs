//! The syntaxes of values and documents: lists, image candidates, refreshes, style sheets, JSON.
//! Each is one function from text to values.

mod candidates;
mod css;
pub(crate) mod extra;
pub(crate) mod found;
pub(crate) mod html;
mod include;
mod json;
mod lists;
mod markdown;
mod module;
mod refresh;
mod text;
mod xml;

use crate::format::found::Found;
use crate::options::Options;
use crate::options::room::Room;
use crate::report::skip::SkipReason;
use crate::slots::{SlotId, Syntax};

pub(crate) use candidates::{are_candidates, is_descriptor};
pub(crate) use include::is_path as is_include_path;
pub(crate) use lists::url;

/// Finds the values in a text of this syntax, in source order, as many as `room` allows. HTML is
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
    room: Room,
) -> Result<Found, (SkipReason, usize)> {
    let mut found = Found::within(room.octets());
    let values = &mut found.values;
    match syntax {
        Syntax::SpaceList => lists::space_list(text, slot, values),
        Syntax::CommaList => lists::comma_list(text, slot, values),
        Syntax::Candidates => candidates::candidates(text, slot, values),
        Syntax::CandidateSets => candidates::candidate_sets(text, slot, values),
        Syntax::Refresh => refresh::refresh(text, slot, values),
        Syntax::Task => lists::task(text, slot, values),
        Syntax::Stylesheet | Syntax::Declarations => css::find(text, values),
        Syntax::SchemaPairs => lists::schema_pairs(text, slot, values),
        Syntax::Xml => return xml::find(text, options, room),
        Syntax::Include => include::find(text, &mut found),
        Syntax::Module => module::find(text, values).map_err(|at| (SkipReason::Script, at))?,
        Syntax::PlainText => text::find(text, values),
        Syntax::Markdown => return markdown::find(text, &options.limits, room),
        Syntax::Json(format) => json::find(text, format, slot, values)?,
        Syntax::Url | Syntax::Html | Syntax::HtmlFragment => {}
    }
    Ok(found)
}
