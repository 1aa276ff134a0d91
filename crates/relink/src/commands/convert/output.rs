//! The directories of the output, and the files of the input that are not written there.

use std::fs;
use std::io;
use std::path::Path;

use crate::files::walk::{Entry, EntryKind};
use crate::os::command_line::CommandLine;
use crate::os::dirs::Dirs;
use crate::os::failure::Failure;
use crate::os::paths::real_parent;
use crate::os::temp_names;
use crate::plan::Convert;
use crate::plan::destination::Output;
use crate::plan::exit::Error;
use crate::recovery::journal::building::{self, Building};

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
