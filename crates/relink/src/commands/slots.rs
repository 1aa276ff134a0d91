//! `relink slots`: the table of slots.

use std::io::{self, Write};

use rewrite::{Kind, SLOTS};
use serde::Serialize;

use crate::cli::{Format, SlotsArgs};
use crate::exit::{Error, Status};

/// One slot in JSON.
#[derive(Serialize)]
struct Line {
    slot: &'static str,
    kind: &'static str,
    /// Whether `#name` there means the document itself.
    local: bool,
    /// Whether an empty value is a reference there.
    empty: bool,
}

/// Runs the command.
///
/// # Errors
///
/// [`Error`] if standard output fails.
pub fn run(args: &SlotsArgs) -> Result<Status, Error> {
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    let width = SLOTS.iter().map(|slot| slot.name.len()).max().unwrap_or_default();
    for slot in SLOTS {
        match args.format {
            Format::Json => {
                let line = Line {
                    slot: slot.name,
                    kind: slot.kind.name(),
                    local: slot.is_local,
                    empty: slot.may_be_empty,
                };
                serde_json::to_writer(&mut stdout, &line).map_err(io::Error::from)?;
                writeln!(stdout)?;
            }
            Format::Text => {
                let kind = match slot.kind {
                    Kind::Embedded => "embedded document",
                    Kind::Url if slot.is_local => "url, local if it begins with #",
                    kind => kind.name(),
                };
                writeln!(stdout, "{:width$}  {kind}", slot.name)?;
            }
        }
    }
    stdout.flush()?;
    Ok(Status::Done)
}
