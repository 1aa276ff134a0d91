//! The files that runs have written into an output: a list in it, by which `--delete` knows them.
//! What somebody else has put there stays.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use urlcore::escape::{encode_path_segment, percent_decode};

use crate::dirs::Dirs;
use crate::failure::Failure;
use crate::own_files::{self, UNPACKED, UNPACKED_START};
use crate::write::{Stream, WriteOptions};
use crate::{files, lists, paths, walk};

/// The files in an output that are of this program.
#[derive(Debug, Default)]
pub(super) struct OwnFiles {
    /// Those that the list names and this run does not write.
    old: HashSet<PathBuf>,
    /// Those that this run writes, and their directories, if it removes the others.
    new: HashSet<PathBuf>,
}

/// What `--delete` has done.
#[derive(Debug, Default)]
pub(super) struct Removed {
    /// Files and directories that were removed.
    pub(super) paths: Vec<PathBuf>,
    pub(super) failures: Vec<Failure>,
    /// The number of files of others.
    pub(super) n_others: usize,
}

impl OwnFiles {
    /// Reads the list of an output, if it has one.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path; also if it is a file of somebody else.
    pub(super) fn read(dirs: &Dirs, out: &Path) -> Result<Self, Failure> {
        let shown = out.join(UNPACKED);
        let failed = Failure::to("cannot read", &shown);
        let opened = dirs.locate(0, Path::new(UNPACKED), &shown).and_then(|at| at.open());
        let bytes = match opened {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            opened => opened.and_then(|(file, _)| lists::read(file)).map_err(&failed)?,
        };
        let Some(lines) = bytes.strip_prefix(UNPACKED_START) else {
            return Err(Failure::because(&shown, "it is no list of files of relink; remove it"));
        };
        let lines = lines.split(|byte| *byte == b'\n').filter_map(|line| str::from_utf8(line).ok());
        let old = lines.filter_map(|line| files::path(&percent_decode(line))).collect();
        Ok(OwnFiles { old, new: HashSet::new() })
    }

    /// Writes the list before the first file: those that are in the output already, and those of
    /// this run. `removes` is true if others will be removed.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path.
    pub(super) fn list<'p>(
        &mut self,
        new: impl Iterator<Item = Cow<'p, Path>>,
        removes: bool,
        (dirs, out): (&Dirs, &Path),
        options: WriteOptions,
    ) -> Result<(), Failure> {
        let mut stream = begin(dirs, out, options)?;
        for path in new {
            add(&mut stream, &path)?;
            self.old.remove(&*path);
            if removes {
                let directories = path.ancestors().skip(1).map(Path::to_owned);
                self.new.extend(directories);
                self.new.insert(path.into_owned());
            }
        }
        let mut old: Vec<&PathBuf> = self.old.iter().collect();
        old.sort_unstable();
        old.into_iter().try_for_each(|path| add(&mut stream, path))?;
        stream.finish().map(drop)
    }

    /// Returns true if a file is of an earlier run, and this one does not write it.
    pub(super) fn is_old(&self, below: &Path) -> bool {
        self.old.contains(below)
    }

    /// Removes the file of an earlier run in the place of a directory, or those in the directory in
    /// the place of a file.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub(super) fn make_way(
        &self,
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
        if is_directory {
            return match self.is_old(below) {
                true => at.remove().map_err(Failure::removing(shown)),
                false => Ok(()),
            };
        }
        let of_directory = self.old.iter().filter(|path| path.starts_with(below));
        let mut removed = Removed::default();
        remove(dirs, of_directory, (below, shown), |_| false, &mut removed);
        removed.failures.into_iter().next().map_or(Ok(()), Err)
    }

    /// Removes the files of earlier runs that this one has not written, and directories that are
    /// empty then, and writes the list of what is left.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the list.
    pub(super) fn remove_others<'p>(
        &self,
        new: impl Iterator<Item = Cow<'p, Path>>,
        (dirs, out): (&Dirs, &Path),
        options: WriteOptions,
    ) -> Result<Removed, Failure> {
        let mut removed = Removed::default();
        let keeps = |path: &Path| self.new.contains(path);
        remove(dirs, self.old.iter(), (Path::new(""), out), keeps, &mut removed);
        let Some(real) = dirs.path(0) else { return Ok(removed) };
        for entry in walk::contents_first(real) {
            let Ok((path, is_directory)) = entry else { continue };
            let Ok(below) = path.strip_prefix(real) else { continue };
            if !is_directory && !keeps(below) && !own_files::is_note(&path) {
                removed.n_others += 1;
            }
        }
        let mut stream = begin(dirs, out, options)?;
        for path in new {
            add(&mut stream, &path)?;
        }
        stream.finish()?;
        Ok(removed)
    }
}

/// Removes files, and directories below `directory` that are empty then.
fn remove<'p>(
    dirs: &Dirs,
    paths: impl Iterator<Item = &'p PathBuf>,
    (directory, shown): (&Path, &Path),
    keeps: impl Fn(&Path) -> bool,
    removed: &mut Removed,
) {
    let mut paths: Vec<&PathBuf> = paths.collect();
    // What is in a directory comes before it.
    paths.sort_unstable_by(|a, b| b.cmp(a));
    for path in paths {
        let shown_as = |below: &Path| match below.strip_prefix(directory) {
            Ok(rest) if !rest.as_os_str().is_empty() => shown.join(rest),
            _ => shown.to_owned(),
        };
        let shown = shown_as(path);
        let Ok(at) = dirs.locate(0, path, &shown) else { continue };
        if at.status().is_ok_and(|status| !status.is_directory) {
            match at.remove() {
                Ok(()) => removed.paths.push(shown),
                Err(error) => removed.failures.push(Failure::removing(&shown)(error)),
            }
        }
        for above in path.ancestors().skip(1) {
            if above.as_os_str().is_empty() || !above.starts_with(directory) || keeps(above) {
                break;
            }
            let shown = shown_as(above);
            let is_empty = dirs.locate(0, above, &shown).and_then(|at| at.remove_directory());
            if is_empty.is_err() {
                break;
            }
            removed.paths.push(shown);
        }
    }
}

fn begin(dirs: &Dirs, out: &Path, options: WriteOptions) -> Result<Stream, Failure> {
    let shown = out.join(UNPACKED);
    let at = dirs.locate(0, Path::new(UNPACKED), &shown).map_err(Failure::writing(&shown))?;
    let mut stream = Stream::new(&at, None, options)?;
    stream.write(UNPACKED_START)?;
    Ok(stream)
}

/// Adds the path of a file to a list, as that of a URL.
fn add(stream: &mut Stream, path: &Path) -> Result<(), Failure> {
    let mut line = String::new();
    for (idx, name) in path.iter().enumerate() {
        if idx > 0 {
            line.push('/');
        }
        encode_path_segment(&paths::bytes(Path::new(name)), &mut line);
    }
    line.push('\n');
    stream.write(line.as_bytes())
}
