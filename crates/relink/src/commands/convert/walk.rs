//! The walk over the input of a run, in the thread of the caller: the directory of the output is
//! made before anything is written into it.

use std::path::PathBuf;

use super::full_disk::FullDisk;
use super::make::Directories;
use super::output::is_left;
use super::run::Run;
use super::shown::shown_path;
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::failure::Failure;
use crate::os::portable::NamesOfPath;

/// The entries of the input that a run processes. Directories are made, and are not among them.
pub(super) struct Walk<'w, 'r> {
    run: &'r Run<'r>,
    entries: Box<dyn Iterator<Item = Result<Entry, Failure>> + 'r>,
    directories: &'w mut Directories<'r>,
    disk: &'r FullDisk,
    /// The names of the output, if all of them must be portable.
    names: NamesOfPath,
    /// A directory that could not be made: one message reports it, and its contents are left out.
    unmade: Option<PathBuf>,
}

impl<'w, 'r> Walk<'w, 'r> {
    pub(super) fn new(
        run: &'r Run<'r>,
        directories: &'w mut Directories<'r>,
        disk: &'r FullDisk,
    ) -> Self {
        let entries = Box::new(walk::entries(&run.config.tree.roots));
        Walk { run, entries, directories, disk, names: NamesOfPath::default(), unmade: None }
    }

    /// Makes a directory. Returns an entry that is processed, or the failure that is reported.
    fn take(&mut self, entry: Entry) -> Option<Result<Entry, Failure>> {
        let is_unmade = |directory: &PathBuf| entry.path.starts_with(directory);
        if self.unmade.as_ref().is_some_and(is_unmade) || is_left(&entry) {
            return None;
        }
        let made = self.check_name(&entry).and_then(|()| match entry.kind {
            EntryKind::Directory => self.directories.make(&entry),
            _ => Ok(()),
        });
        match made {
            Ok(()) => (entry.kind != EntryKind::Directory).then_some(Ok(entry)),
            Err(failure) => {
                self.unmade = Some(entry.path);
                if failure.is_disk_full() {
                    self.disk.set_full(&failure);
                    return None;
                }
                Some(Err(failure))
            }
        }
    }

    /// Checks that Windows allows the name of an entry, for `--portable-names`.
    fn check_name(&mut self, entry: &Entry) -> Result<(), Failure> {
        let config = self.run.config;
        let has_name = config.tree.roots.len() > 1
            || (!entry.is_single && !entry.below.as_os_str().is_empty());
        if !config.has_portable_names || !has_name {
            return Ok(());
        }
        self.names.fault(&shown_path(config, entry)).map_or(Ok(()), |reason| {
            let text = format!("skipped for --portable-names; {reason}; rename it");
            Err(Failure::because(&entry.path, text))
        })
    }
}

impl Iterator for Walk<'_, '_> {
    type Item = Result<Entry, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.entries.next()? {
                // The rest is only counted, and a directory does not count.
                Ok(entry) if self.disk.is_full() => {
                    if entry.kind != EntryKind::Directory {
                        return Some(Ok(entry));
                    }
                }
                Err(failure) => return Some(Err(failure)),
                Ok(entry) => {
                    if let Some(entry) = self.take(entry) {
                        return Some(entry);
                    }
                }
            }
        }
    }
}
