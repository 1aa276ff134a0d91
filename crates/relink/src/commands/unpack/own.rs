//! The files that runs have written into an output: a list in it, by which `--delete` knows them.
//! What somebody else has put there stays.
//!
//! The list is written before the first file, so that what a run that was killed has written is in
//! it. A file that was there before the first run is in the list only when it is written over, and
//! one that has been removed since is not any more.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use urlcore::escape::{ascii_web, percent_decode};

use crate::files::own_files::{self, LONGEST_LINE, UNPACKED, UNPACKED_START};
use crate::files::walk;
use crate::os::dirs::{Dirs, Location};
use crate::os::failure::Failure;
use crate::os::{paths, portable};
use crate::recovery::write::{StreamedFile, WriteOptions};

/// The list is written in pieces of this number of bytes.
const PIECE: usize = 64 << 10;

/// The files in an output that are of this program.
#[derive(Debug, Default)]
pub(super) struct OwnFiles {
    /// True if the output has a list.
    has_list: bool,
    /// Those that the list names, that are there, and that this run does not write.
    old: BTreeSet<PathBuf>,
    /// The URLs of those that are pages.
    old_urls: HashMap<PathBuf, String>,
    /// Directories of files that the list names and that are gone: a run that was killed may have
    /// removed the files, and not yet their directory. The list has them with a slash at the end.
    emptied: BTreeSet<PathBuf>,
    /// True if the list has what it is to have.
    is_current: bool,
    /// Those that this run writes, and their directories, if it removes the others.
    new: HashSet<PathBuf>,
    /// Those of earlier runs that were in the way of new ones, and were removed.
    made_way: Vec<PathBuf>,
    /// Those of others that are to be written over, and have not been.
    foreign: Mutex<HashSet<PathBuf>>,
}

/// Returns the URL of a page by its position among the files that a run writes; `None` for a file
/// that is no page, or whose URL is not known.
pub(super) type PageUrls<'u> = dyn Fn(usize) -> Option<String> + 'u;

/// What `--delete` has done.
#[derive(Debug, Default)]
pub(super) struct Removed {
    /// Files and directories that were removed.
    pub(super) paths: Vec<PathBuf>,
    pub(super) failures: Vec<Failure>,
    /// The number of files of others.
    pub(super) n_others: usize,
    /// The files that could not be removed.
    left: BTreeSet<PathBuf>,
}

impl OwnFiles {
    /// Reads the list of an output, if it has one.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path; also if it is a file of somebody else.
    pub(super) fn read(dirs: &Dirs, out: &Path) -> Result<Self, Failure> {
        let shown = out.join(UNPACKED);
        let opened = dirs.locate(0, Path::new(UNPACKED), &shown).and_then(|at| at.open());
        let file = match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            opened => opened.map_err(Failure::to("cannot read", &shown))?.0,
        };
        let mut lines = BufReader::new(file);
        let mut line = Vec::new();
        let mut next = |line: &mut Vec<u8>| {
            line.clear();
            (&mut lines).take(LONGEST_LINE).read_until(b'\n', line).map(|n| n > 0)
        };
        let failed = Failure::to("cannot read", &shown);
        // One that was just created is empty.
        if next(&mut line).map_err(&failed)? && line != UNPACKED_START {
            return Err(Failure::because(&shown, "it is no list of files of relink; remove it"));
        }
        let mut own = OwnFiles { has_list: true, is_current: true, ..OwnFiles::default() };
        while next(&mut line).map_err(&failed)? {
            let line = line.strip_suffix(b"\n").and_then(|line| str::from_utf8(line).ok());
            let (path, url) = match line.and_then(|line| line.split_once(' ')) {
                Some((path, url)) => (Some(path), Some(url)),
                None => (line, None),
            };
            let name = path.map(|path| path.strip_suffix('/').unwrap_or(path));
            let is_directory = name != path;
            let Some(path) = name.and_then(|path| paths::from_bytes(&percent_decode(path))) else {
                own.is_current = false;
                continue;
            };
            match is_there(dirs, out, &path) {
                true if is_directory => _ = own.emptied.insert(path),
                true => {
                    own.old_urls.extend(url.map(|url| (path.clone(), url.to_owned())));
                    own.old.insert(path);
                }
                // What was removed since is a file of whoever creates it again.
                false => {
                    own.is_current = false;
                    let directory = path.parent().filter(|path| !path.as_os_str().is_empty());
                    let directory = directory.filter(|path| is_there(dirs, out, path));
                    own.emptied.extend(directory.map(Path::to_owned));
                }
            }
        }
        Ok(own)
    }

    /// Writes the list before the first file: those that are in the output already, and those of
    /// this run. `removes` is true if others will be removed.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path.
    pub(super) fn begin<'p>(
        &mut self,
        new: impl Iterator<Item = Cow<'p, Path>> + Clone,
        urls: &PageUrls<'_>,
        removes: bool,
        (dirs, out): (&Dirs, &Path),
        options: WriteOptions,
    ) -> Result<(), Failure> {
        let root = dirs.directory(0, Path::new("")).and_then(|root| root.entries());
        let is_empty = root.is_ok_and(|entries| entries.is_empty());
        let mut foreign = HashSet::new();
        for path in new.clone() {
            if !self.is_old(&path) {
                if !is_empty && is_there(dirs, out, &path) {
                    _ = foreign.insert(path.to_path_buf())
                } else {
                    self.is_current = false
                }
            }
            if !self.emptied.is_empty() {
                path.ancestors().skip(1).for_each(|path| _ = self.emptied.remove(path));
            }
            if removes {
                self.new.extend(path.ancestors().skip(1).map(Path::to_owned));
                self.new.insert(path.into_owned());
            }
        }
        // Several captures may have one file.
        new.clone().for_each(|path| _ = self.old.remove(&*path));
        if !self.is_current {
            let new = new.enumerate().filter(|(_, path)| !foreign.contains(&**path));
            self.write(new, urls, (dirs, out), options)?;
        }
        self.is_current = foreign.is_empty();
        self.foreign = Mutex::new(foreign);
        Ok(())
    }

    /// Returns true if a file is of an earlier run, and this one does not write it.
    pub(super) fn is_old(&self, below: &Path) -> bool {
        self.old.contains(below)
    }

    /// Notes that this run has written a file.
    pub(super) fn note_written(&self, below: &Path) {
        self.foreign().remove(below);
    }

    fn foreign(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.foreign.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the file of an earlier run in the place of a directory, or those in the directory in
    /// the place of a file.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub(super) fn make_way(
        &mut self,
        dirs: &Dirs,
        below: &Path,
        shown: &Path,
        is_directory: bool,
    ) -> Result<(), Failure> {
        let Ok(at) = dirs.locate(0, below, shown) else { return Ok(()) };
        let Ok(status) = at.status() else { return Ok(()) };
        if status.is_directory == is_directory {
            return Ok(());
        }
        let from = self.old.range(below.to_owned()..).take_while(|path| path.starts_with(below));
        let in_the_way: Vec<PathBuf> = from.cloned().collect();
        let mut removed = Removed::default();
        remove(dirs, in_the_way.iter(), (below, shown), |_| false, &mut removed);
        in_the_way.iter().for_each(|path| _ = self.old.remove(path));
        self.is_current = false;
        self.made_way.append(&mut removed.paths);
        removed.failures.into_iter().next().map_or(Ok(()), Err)
    }

    /// The files that were removed because they were in the way.
    pub(super) fn made_way(&self) -> &[PathBuf] {
        &self.made_way
    }

    /// True if the output had a list before this run.
    pub(super) fn has_list(&self) -> bool {
        self.has_list
    }

    /// Removes the files of earlier runs that this one has not written, and directories that are
    /// empty then.
    pub(super) fn remove_others(&mut self, dirs: &Dirs, out: &Path) -> Removed {
        let mut removed = Removed::default();
        let same = self.same_file(dirs, out);
        let keeps = |path: &Path| self.new.contains(path);
        let others = self.old.iter().filter(|path| !same.contains(*path));
        let root = (Path::new(""), out);
        remove(dirs, others, root, keeps, &mut removed);
        for directory in self.emptied.iter().rev() {
            remove_empty(dirs, directory, root, keeps, &mut removed);
        }
        for entry in dirs.path(0).into_iter().flat_map(walk::contents_first) {
            let Ok((path, is_directory)) = entry else { continue };
            let below = dirs.path(0).and_then(|real| path.strip_prefix(real).ok());
            let Some(below) = below.filter(|_| !is_directory) else { continue };
            let is_known = keeps(below) || removed.left.contains(below) || same.contains(below);
            removed.n_others += usize::from(!is_known && !own_files::is_note(&path));
        }
        self.is_current &= self.old.is_empty() && self.emptied.is_empty();
        self.emptied.clear();
        self.old = std::mem::take(&mut removed.left);
        removed
    }

    /// Returns the files of earlier runs that this one has written under another letter case, where
    /// that makes no other file.
    fn same_file(&self, dirs: &Dirs, out: &Path) -> HashSet<PathBuf> {
        if self.old.is_empty() {
            return HashSet::new();
        }
        let folded = |path: &Path| portable::folded(&path.to_string_lossy());
        let new: HashMap<String, &PathBuf> =
            self.new.iter().map(|path| (folded(path), path)).collect();
        let at = |path: &Path| dirs.locate(0, path, &out.join(path)).ok();
        let is_same = |path: &&PathBuf| {
            let new = new.get(&folded(path)).and_then(|path| at(path));
            new.zip(at(path)).is_some_and(|(new, old): (Location, _)| new.is_same_file(&old))
        };
        self.old.iter().filter(is_same).cloned().collect()
    }

    /// Writes the list at the end of a run that was not interrupted: what it has written, and what
    /// is left of earlier ones.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path.
    pub(super) fn end<'p>(
        &self,
        new: impl Iterator<Item = Cow<'p, Path>>,
        urls: &PageUrls<'_>,
        (dirs, out): (&Dirs, &Path),
        options: WriteOptions,
    ) -> Result<(), Failure> {
        if self.is_current {
            return Ok(());
        }
        let foreign = self.foreign();
        let new = new.enumerate().filter(|(_, path)| !foreign.contains(&**path));
        self.write(new, urls, (dirs, out), options)
    }

    /// Writes the list, with these new files. An output without files has none.
    fn write<'p>(
        &self,
        new: impl Iterator<Item = (usize, Cow<'p, Path>)>,
        urls: &PageUrls<'_>,
        (dirs, out): (&Dirs, &Path),
        options: WriteOptions,
    ) -> Result<(), Failure> {
        let shown = out.join(UNPACKED);
        let at = dirs.locate(0, Path::new(UNPACKED), &shown).map_err(Failure::writing(&shown))?;
        let mut new = new.peekable();
        if self.old.is_empty() && self.emptied.is_empty() && new.peek().is_none() {
            return at.remove().map_err(Failure::removing(&shown));
        }
        let mut stream = StreamedFile::new(&at, None, options)?;
        stream.write(UNPACKED_START)?;
        let mut text = String::new();
        let mut add = |path: &Path, end: &str, url: Option<&str>| {
            text.push_str(&own_files::listed(path));
            text.push_str(end);
            let url =
                url.map(ascii_web).filter(|url| url.bytes().all(|byte| byte.is_ascii_graphic()));
            text.extend(url.iter().flat_map(|url| [" ", url]));
            text.push('\n');
            if text.len() < PIECE {
                return Ok(());
            }
            stream.write(std::mem::take(&mut text).as_bytes())
        };
        new.try_for_each(|(idx, path)| add(&path, "", urls(idx).as_deref()))?;
        let url = |path: &Path| self.old_urls.get(path).map(String::as_str);
        self.old.iter().try_for_each(|path| add(path, "", url(path)))?;
        self.emptied.iter().try_for_each(|path| add(path, "/", None))?;
        stream.write(text.as_bytes())?;
        stream.finish().map(drop)
    }
}

/// Returns false if nothing has this path. What cannot be looked at may be there.
fn is_there(dirs: &Dirs, out: &Path, path: &Path) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    let status = dirs.locate(0, path, &out.join(path)).and_then(|at| at.status());
    !status.is_err_and(|error| [NotFound, NotADirectory].contains(&error.kind()))
}

/// Removes files, and directories below `directory` that are empty then.
fn remove<'p>(
    dirs: &Dirs,
    paths: impl DoubleEndedIterator<Item = &'p PathBuf>,
    (directory, root): (&Path, &Path),
    keeps: impl Fn(&Path) -> bool,
    removed: &mut Removed,
) {
    // They are in the order of their names: what is in a directory comes before it.
    for path in paths.rev() {
        let shown = shown_as(path, (directory, root));
        let at = dirs.locate(0, path, &shown);
        let result = at.and_then(|at| match at.status() {
            Ok(status) if !status.is_directory => at.remove().map(|()| true),
            Ok(_) => Ok(false),
            Err(error) => Err(error),
        });
        match result {
            Ok(is_removed) => removed.paths.extend(is_removed.then_some(shown)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                removed.left.insert(path.clone());
                removed.failures.push(Failure::removing(&shown)(error));
                continue;
            }
        }
        if let Some(around) = path.parent() {
            remove_empty(dirs, around, (directory, root), &keeps, removed);
        }
    }
}

/// Removes a directory and those around it below `directory`, as long as they are empty.
fn remove_empty(
    dirs: &Dirs,
    path: &Path,
    (directory, root): (&Path, &Path),
    keeps: impl Fn(&Path) -> bool,
    removed: &mut Removed,
) {
    for path in path.ancestors() {
        if path.as_os_str().is_empty() || !path.starts_with(directory) || keeps(path) {
            break;
        }
        let shown = shown_as(path, (directory, root));
        let is_empty = dirs.locate(0, path, &shown).and_then(|at| at.remove_directory());
        if is_empty.is_err() {
            break;
        }
        removed.paths.push(shown);
    }
}

/// Returns the path that messages name, given that of a directory above it.
fn shown_as(path: &Path, (directory, root): (&Path, &Path)) -> PathBuf {
    match path.strip_prefix(directory) {
        Ok(rest) if !rest.as_os_str().is_empty() => root.join(rest),
        _ => root.to_owned(),
    }
}
