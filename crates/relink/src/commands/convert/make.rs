//! The directories of an output: made during the walk, and completed after everything is written
//! into them.

use std::path::Path;

use super::output::target;
use super::run::Run;
use crate::files::properties::Properties;
use crate::files::walk::Entry;
use crate::os::failure::Failure;
use crate::recovery::write::MadeDirectories;

/// The directories of the output of a run.
pub(super) struct Directories<'r> {
    run: &'r Run<'r>,
    made: MadeDirectories<'r>,
}

impl<'r> Directories<'r> {
    pub(super) fn new(run: &'r Run<'r>) -> Self {
        let is_flushed = run.config.is_durable && run.building.is_some();
        Directories { run, made: MadeDirectories::new(&run.out, is_flushed) }
    }

    /// Makes the directory of the output for one of the input, unless it gets another name.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path that it is about.
    pub(super) fn make(&mut self, entry: &Entry) -> Result<(), Failure> {
        let Run { config, .. } = self.run;
        let is_root = entry.below.as_os_str().is_empty();
        let Some(shown) = target(config, entry) else { return Ok(()) };
        let is_kept = |root, below: &Path| {
            config.file_renames().is_none_or(|renames| renames.keeps_directory(root, below))
        };
        if !is_root && !is_kept(entry.root, &entry.below) {
            return Ok(());
        }
        let directory = config.tree.dirs.directory(entry.root, &entry.below);
        let properties = directory
            .and_then(|directory| Properties::of_directory(&directory))
            .map_err(Failure::reading(&entry.path))?;
        self.make_way(entry.root, &entry.below, &shown)?;
        self.made.make(entry.root, &entry.below, &shown, properties)?;
        if is_root { self.make_for_renames(entry.root, &shown) } else { Ok(()) }
    }

    /// Makes the directories into which files are renamed: the walk may come to such a file first,
    /// and does not come to directories that the input does not have. These get the mode and times
    /// of those that they replace.
    fn make_for_renames(&mut self, root: usize, shown: &Path) -> Result<(), Failure> {
        let Run { config, out, .. } = self.run;
        let Some(files) = config.file_renames() else { return Ok(()) };
        let input = |directory: &Path| config.tree.dirs.directory(root, directory);
        for (directory, replaced) in files.directories_of_renamed(root) {
            let shown = shown.join(directory);
            self.make_way(root, directory, &shown)?;
            let replaced = replaced.filter(|_| input(directory).is_err());
            let properties =
                replaced.and_then(|old| Properties::of_directory(&*input(old).ok()?).ok());
            match properties {
                Some(properties) => self.made.make(root, directory, &shown, properties)?,
                None => drop(
                    out.make(root, directory)
                        .map_err(Failure::to("cannot create the directory", &shown))?,
                ),
            }
        }
        Ok(())
    }

    /// With `--delete`, removes a file in the place of a directory.
    fn make_way(&self, root: usize, below: &Path, shown: &Path) -> Result<(), Failure> {
        let Some(expected) = &self.run.expected else { return Ok(()) };
        expected.add(root, below);
        expected.make_way(&self.run.out, root, below, shown, true)
    }

    /// Sets the modes and times. Returns a failure for each directory that cannot be completed.
    pub(super) fn finish(self) -> Vec<Failure> {
        self.made.finish()
    }
}
