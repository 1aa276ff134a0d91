//! The directories of an output: created before their files, and completed after them.

use std::path::{Path, PathBuf};

use crate::files::properties::Properties;
use crate::os::dirs::Dirs;
use crate::os::failure::Failure;

/// Directories that were created, whose modes and times are set when everything is written.
#[derive(Debug)]
pub struct MadeDirectories<'d> {
    dirs: &'d Dirs,
    made: Vec<MadeDirectory>,
    /// True if each is flushed to the disk at last.
    is_durable: bool,
}

#[derive(Debug)]
struct MadeDirectory {
    root: usize,
    below: PathBuf,
    shown: PathBuf,
    properties: Properties,
}

impl<'d> MadeDirectories<'d> {
    /// Creates an empty list for `dirs`. With `is_durable`, each directory is flushed to the disk
    /// at last.
    pub fn new(dirs: &'d Dirs, is_durable: bool) -> Self {
        MadeDirectories { dirs, made: Vec::new(), is_durable }
    }

    /// Creates a directory below a root, unless it exists, that gets the mode and times in
    /// `properties`. A link is not accepted in its place. `shown` is the path that messages name.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub fn make(
        &mut self,
        root: usize,
        below: &Path,
        shown: &Path,
        properties: Properties,
    ) -> Result<(), Failure> {
        self.dirs.make(root, below).map_err(Failure::to("cannot create the directory", shown))?;
        let (below, shown) = (below.to_owned(), shown.to_owned());
        self.made.push(MadeDirectory { root, below, shown, properties });
        Ok(())
    }

    /// Sets the modes and times, the innermost directories first. Values that cannot be set stay.
    /// Returns a failure for each directory that is not the one that was created, or that cannot be
    /// flushed.
    pub fn finish(self) -> Vec<Failure> {
        let mut failures = Vec::new();
        for MadeDirectory { root, below, shown, properties } in self.made.into_iter().rev() {
            let directory = self.dirs.directory(root, &below);
            let checked =
                directory.and_then(|directory| directory.check_path().map(|()| directory));
            let finished = checked.and_then(|directory| match directory.as_file() {
                Ok(file) => {
                    drop(file.set_times(properties.times()));
                    drop(file.set_permissions(properties.permissions));
                    if self.is_durable { file.sync_all() } else { Ok(()) }
                }
                Err(error) if self.is_durable => Err(error),
                Err(_) => Ok(()),
            });
            if let Err(error) = finished {
                failures.push(Failure::to("cannot set the mode and the times", &shown)(error));
            }
        }
        failures.reverse();
        failures
    }
}
