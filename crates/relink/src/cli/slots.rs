//! `relink slots`: the table of slots.

use std::io::Write;

use rewrite::{Kind, Moment, SLOTS, Slot};
use serde::Serialize;

use crate::cli::args::SlotsArgs;
use crate::events::{self, Events, Status};
use crate::os::format::Format;
use crate::os::messages;
use crate::plan::exit::Error;

/// One slot in JSON.
#[derive(Serialize)]
struct SlotRecord {
    slot: &'static str,
    /// The format of the documents that have it.
    format: &'static str,
    kind: &'static str,
    /// True if `#name` there means the document itself.
    local: bool,
    /// True if an empty value is a reference there.
    empty: bool,
    /// True if `relativize` makes it absolute.
    absolute: bool,
    /// The moment whose base counts, if a `<base>` comes after it.
    base_when: &'static str,
    /// The name with which `--also` adds it, if it is optional.
    also: Option<&'static str>,
}

/// Runs the command.
///
/// # Errors
///
/// [`Error`] if standard output fails.
pub fn run(args: &SlotsArgs, events: &mut dyn Events) -> Result<Status, Error> {
    let mut out = events::OutputWriter(events);
    match args.format.format {
        Format::Json => {
            for slot in SLOTS {
                messages::write_json(&mut out, &line(slot))?;
            }
        }
        Format::Text => out.write_all(text().as_bytes())?,
    }
    out.flush()?;
    Ok(Status::Done)
}

/// Returns the name that adds an optional slot. For identifiers, which are listed anyway, it is
/// that of all of them.
fn opt_in_name(slot: &Slot) -> Option<&'static str> {
    slot.opt_in_name.or((slot.kind == Kind::Id).then_some("ids"))
}

fn line(slot: &'static Slot) -> SlotRecord {
    SlotRecord {
        slot: slot.name,
        format: slot.format.name(),
        kind: slot.kind.name(),
        local: slot.is_local,
        empty: slot.may_be_empty,
        absolute: slot.is_always_absolute,
        base_when: slot.moment.name(),
        also: opt_in_name(slot),
    }
}

fn text() -> String {
    let widest = |column: fn(&Slot) -> &str| {
        SLOTS.iter().map(|slot| column(slot).len()).max().unwrap_or_default()
    };
    let name_width = widest(|slot| slot.name);
    let format_width = widest(|slot| slot.format.name());
    let line = |slot: &Slot| {
        let (name, format) = (slot.name, slot.format.name());
        format!("{name:name_width$}  {format:format_width$}  {}\n", words(slot))
    };
    SLOTS.iter().map(line).collect()
}

fn words(slot: &Slot) -> String {
    let mut words = match slot.kind {
        Kind::Embedded => "embedded document",
        Kind::Url if slot.is_local => "url, local if it begins with #",
        Kind::List if slot.is_local => "list, local if one begins with #",
        kind => kind.name(),
    }
    .to_owned();
    words.push_str(match slot.moment {
        Moment::Final => "",
        Moment::Parsed => ", without a later <base>",
        Moment::Either => ", with or without a later <base>",
    });
    if slot.is_always_absolute {
        words.push_str(", never made relative");
    }
    if slot.is_path_only {
        words.push_str(", never made absolute");
    }
    if let Some(name) = opt_in_name(slot) {
        words.push_str(&format!(", only with --also {name}"));
    }
    words
}
