//! The directories of the output, the files of the input that are not written there, and those that
//! `--delete` removes.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::run::Run;
use crate::events::Events;
use crate::events::summary::Summary;
use crate::files::walk::{Entry, EntryKind};
use crate::os::command_line::CommandLine;
use crate::os::dirs::{Dirs, Location};
use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::paths::real_parent;
use crate::os::temp_names;
use crate::plan::destination::Output;
use crate::plan::exit::Error;
use crate::plan::{Action, Convert};
use crate::recovery::journal::building::{self, Building};
use crate::recovery::write::WriteOptions;

/// Begins the output, if it is a new directory that can be created under another name.
///
/// # Errors
///
/// As those of [`Building::begin`].
pub(super) fn begin(config: &mut Convert, line: &CommandLine) -> Result<Option<Building>, Error> {
    if let Output::File(out) = &config.output {
        building::check_place(out)?;
    }
    let Some(out) = directory(config) else { return Ok(None) };
    let building = Building::begin(out, line, config.is_durable)?;
    if let Some(building) = &building {
        config.is_unfinished = !building.goes_on();
        // A file that an interrupted run has written may not be on the disk.
        config.is_update = building.goes_on() && !config.is_durable;
        // What the input does not contain any more is no part of the output.
        config.deletes |= building.goes_on() && !building.is_complete();
    }
    Ok(building)
}

/// Returns OUT, if it is a directory.
pub(super) fn directory(config: &Convert) -> Option<&Path> {
    match &config.output {
        Output::Below(outputs) => match &outputs[..] {
            [out] => Some(out),
            // Several PATHs have their own directories in it.
            outputs => outputs.first()?.parent(),
        },
        _ => None,
    }
}

/// Returns the directories of the output, by the numbers of the roots. Creates the directories
/// around them.
pub(super) fn output_dirs(config: &Convert, building: Option<&Building>) -> Result<Dirs, Error> {
    let mut dirs = Dirs::new();
    fn failed(path: &Path) -> impl Fn(io::Error) -> Error {
        let path = path.to_owned();
        move |error| Failure::writing(&path)(error).into()
    }
    match &config.output {
        Output::Nowhere | Output::Stdout | Output::InPlace(_) => {}
        Output::File(path) => dirs.add_file(&real_parent(path).map_err(failed(path))?, None),
        Output::Below(outputs) => {
            for (root, output) in config.tree.roots.iter().zip(outputs) {
                if let Some(parent) = output.parent().filter(|_| building.is_none()) {
                    fs::create_dir_all(parent).map_err(failed(parent))?;
                }
                let (real, id) = match building {
                    Some(building) if outputs.len() == 1 => (building.path(), Some(building.id())),
                    Some(building) => {
                        (building.path().join(output.file_name().unwrap_or_default()), None)
                    }
                    None => (real_parent(output).map_err(failed(output))?, None),
                };
                if root.real().is_some_and(Path::is_dir) {
                    dirs.add_directory(real, id)
                } else {
                    dirs.add_file(&real, None)
                }
            }
        }
    }
    Ok(dirs)
}

/// Returns true if an entry is a temporary file of any run.
pub(super) fn is_left(entry: &Entry) -> bool {
    let is_file = entry.kind == EntryKind::File && !entry.is_single;
    is_file && entry.path.file_name().is_some_and(temp_names::is_temporary)
}

/// Returns the path to which an entry is written, if it is written to a file.
pub(super) fn target(config: &Convert, entry: &Entry) -> Option<PathBuf> {
    match &config.output {
        Output::Nowhere | Output::Stdout | Output::InPlace(_) => None,
        Output::File(path) => Some(path.clone()),
        Output::Below(roots) if entry.is_single => Some(roots[entry.root].clone()),
        Output::Below(roots) if entry.below.as_os_str().is_empty() => {
            Some(roots[entry.root].clone())
        }
        Output::Below(roots) => {
            Some(roots[entry.root].join(config.output_path(entry.root, &entry.below)))
        }
    }
}

/// Returns the location where an entry is written, if it is written to a file. With `--delete`,
/// removes a directory in its place.
pub(super) fn location(run: &Run<'_>, entry: &Entry) -> Result<Option<Location>, Failure> {
    let Some(shown) = target(run.config, entry) else { return Ok(None) };
    let root = match &run.config.output {
        Output::File(_) => 0,
        _ => entry.root,
    };
    let below = run.config.output_path(entry.root, &entry.below);
    if let Some(expected) = &run.expected {
        expected.add(root, below);
        expected.make_way(&run.out, root, below, &shown, false)?;
    }
    run.out.locate(root, below, &shown).map(Some).map_err(Failure::writing(&shown))
}

/// Returns how files of the output are written. They keep the URLs that were recorded for them in a
/// mirror that does not move.
pub(super) fn options(config: &Convert) -> WriteOptions {
    WriteOptions {
        keeps_origin: config.tree.mirror.is_some() && !matches!(config.action, Action::Move(_)),
        is_durable: config.is_durable,
        is_update: config.is_update,
        is_unfinished: config.is_unfinished,
        is_private: false,
    }
}

/// Returns the name under which the old document will be kept, unless a file has it already.
pub(super) fn kept(config: &Convert, at: &Location) -> Option<OsString> {
    let Output::InPlace(replacing) = &config.output else { return None };
    let kept = replacing.kept(at.name())?;
    at.sibling(&kept).is_free().then_some(kept)
}

/// With `--delete`, removes from the output what the input does not contain, if the output has
/// everything else.
pub(super) fn remove_others(
    run: &Run<'_>,
    has_all: bool,
    summary: &mut Summary,
    events: &mut dyn Events,
) {
    let (Some(expected), Output::Below(outputs)) = (&run.expected, &run.config.output) else {
        return;
    };
    if !has_all {
        events.note("note: nothing was removed from OUT; the run is incomplete");
        return;
    }
    for (root, shown) in outputs.iter().enumerate().filter(|(root, _)| !run.out.is_single(*root)) {
        let (removed, failures) = expected.remove_others(&run.out, root, shown);
        summary.n_removed += removed.len();
        for path in removed.iter().filter(|_| run.config.tree.is_verbose) {
            events.note(&messages::of_path(path, "removed; PATH does not contain it"));
        }
        summary.n_failed += failures.len();
        failures.iter().for_each(|failure| events.error(&failure.to_string()));
    }
}
