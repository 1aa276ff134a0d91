//! Removes a new output that an interrupted run has not completed.

use std::path::Path;

use super::UndoSummary;
use crate::events::Events;
use crate::files::walk;
use crate::os::dirs::{Dirs, beside};
use crate::os::failure::Failure;
use crate::os::messages;
use crate::plan::exit::Error;
use crate::recovery::journal::discover::FoundJournal;
use crate::recovery::journal::{self, lock};
use crate::recovery::records::identity::Identity;
use crate::recovery::write::replaced;

/// Removes the directory in which the output was built, restores the files outside of it, and
/// removes the journal. An output that was completed stays, with those files. A journal that was
/// copied, unpacked or restored is used only if `is_trusted`.
///
/// # Errors
///
/// [`Error::Path`] if the journal is not trusted, [`Error::File`] if something cannot be removed.
pub(super) fn undo(
    found: FoundJournal,
    is_trusted: bool,
    events: &mut dyn Events,
) -> Result<UndoSummary, Error> {
    let built = found.built();
    let is_complete = built.is_none() && found.out().is_some_and(|out| out.exists());
    let replaced = &found.contents.replaced;
    if !is_trusted && (built.is_some() || is_complete || !replaced.is_empty()) {
        found.check_trusted("undo", events)?;
    }
    let mut summary = UndoSummary::default();
    if !is_complete {
        let failures = replaced::restore(replaced);
        failures.iter().for_each(|failure| events.error(&failure.to_string()));
        summary.n_failed = failures.len();
        journal::remove_left_beside(&found.contents)?;
    }
    let report = match (&built, found.out()) {
        (Some(built), _) => {
            remove(&found, built)?;
            messages::of_path(built, "removed; the run had not completed its output")
        }
        (None, Some(out)) if out.exists() => {
            remove_left(&out)?;
            messages::of_path(&out, "not changed; the run had completed it")
        }
        (None, _) => messages::of_path(&found.path, "removed; the output of its run is gone"),
    };
    // Last: as long as it exists, all of this can be repeated.
    lock::remove(&found.path).map_err(Failure::removing(&found.path))?;
    events.report(&report);
    Ok(summary)
}

/// Removes the temporary files that the run has left in a complete output, and around it.
fn remove_left(out: &Path) -> Result<(), Failure> {
    let mut dirs = Dirs::new();
    dirs.add_directory(out.to_owned(), None);
    journal::remove_left(&dirs, 0)
}

/// Removes a directory and what is in it, if it is the one that the journal has recorded.
fn remove(found: &FoundJournal, built: &Path) -> Result<(), Failure> {
    let failed = Failure::removing(built);
    let id = found.contents.identity(0).map(Identity::id);
    let mut dirs = Dirs::new();
    dirs.add_directory(built.to_owned(), id.filter(|_| found.distrust().is_none()));
    for below in walk::directories(built) {
        // The run may have given it the mode of a directory that is only read.
        make_writable(&dirs, &below);
    }
    for entry in walk::contents_first(built) {
        let (path, is_directory) = entry.map_err(&failed)?;
        let below = path.strip_prefix(built).unwrap_or(Path::new(""));
        let removed = match (below.as_os_str().is_empty(), is_directory) {
            (true, _) => beside(built).and_then(|at| at.remove_directory()),
            (false, true) => dirs.locate(0, below, &path).and_then(|at| at.remove_directory()),
            (false, false) => dirs.locate(0, below, &path).and_then(|at| at.remove()),
        };
        removed.map_err(Failure::removing(&path))?;
    }
    Ok(())
}

/// Makes a directory writable for its owner, if that is possible.
#[cfg(unix)]
fn make_writable(dirs: &Dirs, below: &Path) {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let Ok(file) = dirs.directory(0, below).and_then(|directory| directory.as_file()) else {
        return;
    };
    if let Ok(metadata) = file.metadata()
        && metadata.mode() & 0o200 == 0
    {
        drop(file.set_permissions(Permissions::from_mode(metadata.mode() & 0o7777 | 0o700)));
    }
}

/// Does nothing: directories have no modes here.
#[cfg(not(unix))]
fn make_writable(_: &Dirs, _: &Path) {}
