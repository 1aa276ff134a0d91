//! The directory that a run writes, with the records of what it contains: for the manifest, and for
//! `--delete` (`own.rs`).

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use layers::Edits;
use rewrite::Limit;

use super::own::{OwnFiles, PageUrls, Removed};
use crate::events::Events;
use crate::events::summary::n;
use crate::files::own_files::UNPACKED;
use crate::os::digest::{self, ContentHash, Short, short};
use crate::os::dirs::{Dirs, Location, beside};
use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::paths;
use crate::os::undo_log::Changes;
use crate::plan::Unpack;
use crate::recovery::journal::log::Log;
use crate::recovery::manifest::write::{
    self as manifest, ManifestPlace, ManifestSubject, Unrecorded,
};
use crate::recovery::records::RecordedDocument;
use crate::recovery::write::{self, FileWrite, StreamedFile, WriteOptions};

/// What a file is made of: the decoded body in the archive, and the edits of its references. A file
/// that is not in the archive has none.
pub(super) type FileOrigin<'o> = Option<(&'o [u8], &'o Edits)>;

/// The reason why a directory cannot be created.
const HAS_FILE: &str = "cannot create the directory; there is a file";

/// The same, if that is of an earlier run.
const HAS_OLD_FILE: &str = "cannot create the directory; there is a file of an earlier run; use `--update --delete` to remove it";

/// The output of a run. A dry run has none.
pub(super) struct Out<'r> {
    run: &'r Unpack,
    dirs: Option<Dirs>,
    /// The records for the manifest.
    log: Option<Log>,
    /// The files in it that are of this program.
    own: OwnFiles,
    /// The number of bytes that may be written, and that of those of all files until now.
    most: u64,
    n_bytes: AtomicU64,
    /// The first file of each large content; `None` if files cannot share storage.
    large: Mutex<Option<HashMap<Short, PathBuf>>>,
}

/// The number of bytes that the limit of the ratio does not count.
const FREE: u64 = 256 << 20;

/// The number of bytes from which on equal files share storage, if the file system can do that.
const LARGE: usize = 1 << 20;

impl<'r> Out<'r> {
    /// Returns the output of a dry run, given the number of bytes of the archives.
    pub(super) fn nowhere(run: &'r Unpack, n_bytes: u64) -> Self {
        let ratio = run.tree.options.limits.get(Limit::OutputRatio) as u64;
        let most = n_bytes.saturating_mul(ratio).saturating_add(FREE);
        let (n_bytes, large) = (AtomicU64::new(0), Mutex::new(Some(HashMap::new())));
        Out { run, dirs: None, log: None, own: OwnFiles::default(), most, n_bytes, large }
    }

    /// Returns the output in a directory.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the records for a manifest cannot be created.
    pub(super) fn new(
        run: &'r Unpack,
        n_bytes: u64,
        dirs: Dirs,
        own: OwnFiles,
    ) -> Result<Self, Failure> {
        let manifest = run.options.manifest.as_ref();
        let log = manifest.map(|path| Log::temporary(&paths::from_root(path))).transpose()?;
        Ok(Out { dirs: Some(dirs), log, own, ..Out::nowhere(run, n_bytes) })
    }

    /// Creates the directory of the output, and opens it.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path.
    pub(super) fn open(out: &Path) -> Result<Dirs, Failure> {
        let failed = Failure::to("cannot create the directory", out);
        fs::create_dir_all(out).map_err(&failed)?;
        let mut dirs = Dirs::new();
        dirs.add_directory(paths::from_root(out).canonicalize().map_err(&failed)?, None);
        Ok(dirs)
    }

    /// Lists the files that are to be written, whose paths are given, and creates their
    /// directories. With `--delete`, files of earlier runs that are in the way are removed.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the list, or of a directory.
    pub(super) fn prepare<'p>(
        &mut self,
        paths: impl Iterator<Item = Cow<'p, Path>> + Clone,
        urls: &PageUrls<'_>,
    ) -> Result<(), Failure> {
        let options = self.options();
        let Some(dirs) = &self.dirs else { return Ok(()) };
        let (out, removes) = (self.run.out(), self.run.options.delete);
        self.own.begin(paths.clone(), urls, removes, (dirs, out), options)?;
        let mut directories: BTreeSet<PathBuf> = BTreeSet::new();
        for path in paths.clone() {
            for directory in path.ancestors().skip(1) {
                // A directory that is known has directories that are.
                if directory.as_os_str().is_empty() || directories.contains(directory) {
                    break;
                }
                directories.insert(directory.to_owned());
            }
        }
        // The outer directories come first.
        for below in &directories {
            let shown = out.join(below);
            if removes {
                self.own.make_way(dirs, below, &shown, true)?;
            }
            let failed = Failure::to("cannot create the directory", &shown);
            let is_file = || fs::symlink_metadata(&shown).is_ok_and(|metadata| metadata.is_file());
            dirs.make(0, below).map_err(|error| match self.run.options.update && is_file() {
                // The archive has grown, and needs a directory there.
                true if self.own.is_old(below) => Failure::because(&shown, HAS_OLD_FILE),
                true => Failure::because(&shown, HAS_FILE),
                false => failed(error),
            })?;
        }
        for below in paths.filter(|_| removes) {
            self.own.make_way(dirs, &below, &out.join(&below), false)?;
        }
        Ok(())
    }

    /// Writes a file, unless the run writes nothing.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path.
    pub(super) fn write(
        &self,
        path: &Path,
        bytes: &[u8],
        origin: FileOrigin<'_>,
    ) -> Result<FileWrite, Failure> {
        let to = self.locate(path)?;
        let content = (bytes.len() >= LARGE && to.is_some()).then(|| short(bytes));
        let first = content.and_then(|content| self.large().as_ref()?.get(&content).cloned());
        if let (Some(to), Some(first)) = (&to, first)
            && let Some(written) = self.share(&first, to, bytes)?
        {
            self.own.note_written(path);
            self.note(path, bytes, origin)?;
            return Ok(written);
        }
        self.count(path, bytes.len())?;
        let Some(to) = to else { return Ok(FileWrite::New) };
        let written = write::bytes(&to, bytes, None, self.options())?;
        if let (Some(content), Some(large)) = (content, &mut *self.large()) {
            large.entry(content).or_insert_with(|| path.to_owned());
        }
        self.own.note_written(path);
        self.note(path, bytes, origin)?;
        Ok(written)
    }

    /// Writes a file that shares the storage of an equal one, which was written before. Returns
    /// `None` if it must be written as any other.
    fn share(
        &self,
        first: &Path,
        to: &Location,
        bytes: &[u8],
    ) -> Result<Option<FileWrite>, Failure> {
        let Some(from) = self.locate(first)? else { return Ok(None) };
        let written = write::share(&from, to, bytes, self.options())?;
        if written.is_none() {
            *self.large() = None;
        }
        Ok(written)
    }

    fn large(&self) -> MutexGuard<'_, Option<HashMap<Short, PathBuf>>> {
        self.large.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the bytes of a file.
    ///
    /// # Errors
    ///
    /// [`Failure`] if all files together exceed the limit.
    fn count(&self, path: &Path, n_bytes: usize) -> Result<(), Failure> {
        let n_bytes = n_bytes as u64;
        let n_before = self.n_bytes.fetch_add(n_bytes, Ordering::Relaxed);
        if n_before.saturating_add(n_bytes) <= self.most {
            return Ok(());
        }
        // A smaller file may fit.
        self.n_bytes.fetch_sub(n_bytes, Ordering::Relaxed);
        let limit = self.run.tree.options.limits.met(Limit::OutputRatio);
        Err(Failure::because(&self.run.out().join(path), format!("not written; {limit}")))
    }

    /// Writes a file that is not in the archive piece by piece, unless the run writes nothing.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path, or that of `write`, which passes the pieces on.
    pub(super) fn write_pieces(
        &self,
        path: &Path,
        write: impl FnOnce(&mut dyn FnMut(&str) -> Result<(), Failure>) -> Result<(), Failure>,
    ) -> Result<FileWrite, Failure> {
        let Some(to) = self.locate(path)? else {
            return write(&mut |_| Ok(())).map(|()| FileWrite::New);
        };
        let mut stream = StreamedFile::new(&to, None, self.options())?;
        write(&mut |piece| stream.write(piece.as_bytes()))?;
        let len = stream.len();
        let hash = self.log.as_ref().map(|_| stream.hash()).transpose()?;
        let written = stream.finish()?;
        self.own.note_written(path);
        if let Some(hash) = hash {
            self.record(path, [(hash, len), (hash, len)], &Changes::default())?;
        }
        Ok(written)
    }

    /// Returns the place of a file; `None` if the run writes nothing.
    fn locate(&self, path: &Path) -> Result<Option<Location>, Failure> {
        let Some(dirs) = &self.dirs else { return Ok(None) };
        let shown = self.run.out().join(path);
        dirs.locate(0, path, &shown).map(Some).map_err(Failure::writing(&shown))
    }

    fn options(&self) -> WriteOptions {
        WriteOptions {
            keeps_origin: false,
            is_durable: self.run.options.durable,
            is_update: self.run.options.update,
            is_unfinished: false,
            is_private: false,
        }
    }

    /// Records a file for the manifest.
    fn note(&self, path: &Path, bytes: &[u8], origin: FileOrigin<'_>) -> Result<(), Failure> {
        if self.log.is_none() {
            return Ok(());
        }
        let new = (digest::of_bytes(bytes), bytes.len() as u64);
        let (old, changes) = match origin.filter(|(before, _)| *before != bytes) {
            Some((before, edits)) => {
                let changes = Changes::new(before, bytes, edits);
                ((digest::of_bytes(before), before.len() as u64), changes)
            }
            None => (new, Changes::default()),
        };
        self.record(path, [old, new], &changes)
    }

    /// Records a file for the manifest, given the digests and lengths of what it is made of, and
    /// of what is written.
    fn record(
        &self,
        path: &Path,
        [old, new]: [(ContentHash, u64); 2],
        changes: &Changes,
    ) -> Result<(), Failure> {
        let Some(log) = &self.log else { return Ok(()) };
        let document = RecordedDocument::new(0, path.to_owned(), [old, new]);
        log.note(&document, changes)?;
        log.set_written(0, path);
        Ok(())
    }

    /// Writes the manifest of a complete run, if it has one.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path.
    pub(super) fn write_manifest(&self) -> Result<(), Failure> {
        let (Some(path), Some(log)) = (&self.run.options.manifest, &self.log) else {
            return Ok(());
        };
        let head =
            ManifestSubject { command: self.run.line.in_manifest(), n_roots: 1, is_all: true };
        let to = beside(&paths::from_root(path)).map_err(Failure::writing(path))?;
        let options = WriteOptions::durable(self.run.options.durable);
        let records = (log, &log.contents()?);
        manifest::write(&to, &head, records, Unrecorded::default(), ManifestPlace::Wanted, options)
    }

    /// Removes the files of earlier runs that this one has not written, if `--delete` is used and
    /// the output has all that it is to have. Returns the number of what was removed, and of
    /// failures.
    pub(super) fn remove_others(
        &mut self,
        has_all: bool,
        events: &mut dyn Events,
    ) -> (usize, usize) {
        let Some(dirs) = self.dirs.as_ref().filter(|_| self.run.options.delete) else {
            return (0, 0);
        };
        let out = self.run.out();
        let Removed { paths, failures, n_others, .. } =
            if has_all { self.own.remove_others(dirs, out) } else { Removed::default() };
        let made_way = self.own.made_way();
        for path in made_way.iter().chain(&paths).filter(|_| self.run.tree.is_verbose) {
            events.note(&messages::of_path(path, "removed; PATH does not contain it"));
        }
        failures.iter().for_each(|failure| events.error(&failure.to_string()));
        if !has_all {
            let nothing = if made_way.is_empty() { "nothing" } else { "nothing else" };
            events.note(&format!("note: {nothing} was removed from OUT; the run is incomplete"));
        }
        if n_others > 0 {
            let (has, it) = if n_others == 1 { ("stays", "it") } else { ("stay", "them") };
            let files = n(n_others, "file");
            events.note(&if self.own.has_list() {
                format!("note: {files} in OUT that relink has not written {has}")
            } else {
                format!(
                    "note: {files} in OUT {has}; no run has listed {it} in {UNPACKED} as its own"
                )
            });
        }
        (made_way.len() + paths.len(), failures.len())
    }

    /// Writes the list of the files in the output, if the run was not interrupted. The paths of all
    /// its files are given.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the list.
    pub(super) fn end_list<'p>(
        &self,
        paths: impl Iterator<Item = Cow<'p, Path>>,
        urls: &PageUrls<'_>,
    ) -> Result<(), Failure> {
        let Some(dirs) = &self.dirs else { return Ok(()) };
        self.own.end(paths, urls, (dirs, self.run.out()), self.options())
    }
}
