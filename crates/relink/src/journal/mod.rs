//! The journal of a run that writes over documents: what each was and what it becomes, noted before it is written over.
//!
//! It lies beside PATH and is gone when all is done. A run that was broken off left it: `relink resume` goes on, `relink undo` puts back what
//! stood there. Whether a document was written over is not noted: its hash tells. As long as a run lasts it holds the journal's lock
//! ([`held`]); what stands in it is in [`record`].

pub mod changes;
pub mod earlier;
pub mod found;
pub mod held;
pub mod record;

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use self::changes::Changes;
use self::earlier::Earlier;
use self::held::Held;
use self::record::{CommandLine, Contents, Document, Noted};
use crate::exit::Error;
use crate::failure::Failure;
use crate::half_written;
use crate::messages;
use crate::walk::{self, Root};
use crate::write;

/// How many octets of edits of one container are held in memory.
const SPOOLED: usize = 1 << 20;

/// The journal of a run.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<Lines>,
    /// The files at further PATHs that tell of the journal, and so lock those.
    further: Vec<PathBuf>,
    is_durable: bool,
    /// Whether documents are noted, of this run or of one that was broken off.
    has_noted: AtomicBool,
}

/// The end of a journal.
#[derive(Debug)]
struct Lines {
    file: File,
    /// Whether the last line was broken off.
    is_torn: bool,
}

/// The edits of a container, which come one message after another.
#[derive(Debug, Default)]
pub struct Spool {
    text: String,
    /// What came before that.
    file: Option<File>,
    n_edits: usize,
}

impl Journal {
    /// Makes the journal of a run over `roots`, or takes up that of the same command, where one was broken off.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if another run is at work in a tree, if one with another command was broken off there, or if no journal can be made.
    pub fn begin(
        roots: &[Root],
        line: &CommandLine,
        is_durable: bool,
    ) -> Result<(Self, Earlier), Error> {
        let paths: Vec<&Path> = roots.iter().filter_map(Root::path).collect();
        let Some(first) = paths.first() else { return Err(usage("nothing is written over")) };
        check_apart(&paths)?;
        let places = held::places(first).map_err(at(first))?;
        // What is refused is refused before anything is made. Another run may do the same at this moment: below it is looked at again.
        let own = places.iter().find(|place| place.symlink_metadata().is_ok());
        for root in &paths {
            check_around(root, own.map_or(Path::new(""), |own| own))?;
        }
        let (path, file) = open(first, &places)?;
        let contents = contents(&path, &file)?;
        let goes_on = match &contents.see {
            Some(journal) => {
                check_seen(first, journal)?;
                false
            }
            None if !contents.has_noted() => false,
            None if contents.line.as_ref() == Some(line) => true,
            None => return Err(broken_off(first, &contents)),
        };
        // If nothing comes of it, what was made is removed again.
        let mut journal = Journal {
            path,
            file: Mutex::new(Lines { file, is_torn: false }),
            further: Vec::new(),
            is_durable,
            has_noted: AtomicBool::new(goes_on),
        };
        for root in &paths[1..] {
            let places = held::further_places(root).map_err(at(root))?;
            if !places.iter().any(|place| journal.further.contains(place)) {
                let further = lock_further(root, &places, &journal.path)?;
                journal.further.extend(further);
            }
        }
        for root in &paths {
            check_around(root, &journal.path)?;
            check_within(root)?;
            for left in half_written::left_by(root, &contents.runs) {
                held::remove(&left).map_err(at(&left))?;
            }
        }
        journal.start(&paths, line, goes_on).map_err(at(&journal.path))?;
        let earlier = Earlier::of(&contents, roots);
        Ok((journal, earlier))
    }

    /// Writes what the run is.
    fn start(&self, paths: &[&Path], line: &CommandLine, goes_on: bool) -> io::Result<()> {
        let file = &mut self.lines().file;
        let start = match goes_on {
            // What was broken off ends here.
            true => "\n".to_owned(),
            false => {
                file.set_len(0)?;
                let roots = paths.iter().map(|root| {
                    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
                    record::line("root", &[root.as_os_str().as_encoded_bytes()])
                });
                format!("{}{}", record::START, roots.collect::<String>())
            }
        };
        let CommandLine { folder, words } = line;
        let words = words.iter().map(|word| word.as_encoded_bytes());
        let id = [half_written::run_id().as_bytes(), folder.as_os_str().as_encoded_bytes()];
        let fields: Vec<&[u8]> = id.into_iter().chain(words).collect();
        let text = start + &record::line("run", &fields);
        file.write_all(text.as_bytes())?;
        match self.is_durable {
            true => file.sync_data().and_then(|()| write::sync_folder(&self.path)),
            false => Ok(()),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether any document may have been written over.
    pub fn has_noted(&self) -> bool {
        self.has_noted.load(Ordering::Relaxed)
    }

    /// Notes what a document is to become, before it is written over.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the journal: the document must stay then.
    pub fn note(&self, document: &Document, changes: &Changes) -> Result<(), Failure> {
        let mut text = record::document(document, changes.len());
        record::edits(changes, 0, &mut text);
        text.push_str(record::END);
        self.add(|file| file.write_all(text.as_bytes()))
    }

    /// Notes what a container is to become.
    ///
    /// # Errors
    ///
    /// As those of [`Journal::note`].
    pub fn note_spooled(&self, document: &Document, spool: &mut Spool) -> Result<(), Failure> {
        self.add(|file| {
            file.write_all(record::document(document, spool.n_edits).as_bytes())?;
            if let Some(spooled) = &mut spool.file {
                spooled.rewind()?;
                io::copy(spooled, file)?;
            }
            file.write_all(spool.text.as_bytes())?;
            file.write_all(record::END.as_bytes())
        })
    }

    /// Notes what was noted of earlier moves of a PATH, before this one is noted there.
    ///
    /// # Errors
    ///
    /// As those of [`Journal::note`].
    pub fn note_moves(&self, root: usize, earlier: &[u8]) -> Result<(), Failure> {
        let text = record::notes(root, earlier);
        self.add(|file| file.write_all(text.as_bytes()))
    }

    /// Adds edits to those of a container; what it became begins at `at` in the new file.
    ///
    /// # Errors
    ///
    /// [`Failure`] if they cannot be kept beside the journal.
    pub fn spool(&self, spool: &mut Spool, changes: &Changes, at: u64) -> Result<(), Failure> {
        record::edits(changes, at, &mut spool.text);
        spool.n_edits += changes.len();
        if spool.text.len() < SPOOLED {
            return Ok(());
        }
        let mut write = || {
            let folder = self.path.parent().unwrap_or(Path::new("/"));
            let file = match &mut spool.file {
                Some(file) => file,
                none => none.insert(tempfile::tempfile_in(folder)?),
            };
            file.write_all(spool.text.as_bytes())?;
            spool.text.clear();
            Ok(())
        };
        write().map_err(Failure::at(&self.path))
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), Failure> {
        let mut lines = self.lines();
        let is_torn = std::mem::replace(&mut lines.is_torn, true);
        let write = || {
            if is_torn {
                lines.file.write_all(b"\n")?;
            }
            write(&mut lines.file)?;
            match self.is_durable {
                true => lines.file.sync_data(),
                false => Ok(()),
            }
        };
        write().map_err(Failure::at(&self.path))?;
        lines.is_torn = false;
        self.has_noted.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The documents that are noted.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path, if it cannot be read.
    pub fn documents(&self) -> Result<Vec<Noted>, Failure> {
        let contents = record::read(&self.lines().file).map_err(Failure::at(&self.path))?;
        Ok(contents.unwrap_or_default().documents)
    }

    /// Removes it: all is done.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of what could not be removed.
    pub fn finish(self) -> Result<(), Failure> {
        self.remove()
    }

    fn remove(&self) -> Result<(), Failure> {
        // It comes last: as long as it is there, the run can go on to its end.
        for path in self.further.iter().chain(std::iter::once(&self.path)) {
            held::remove(path).map_err(Failure::at(path))?;
        }
        match self.is_durable {
            true => write::sync_folder(&self.path).map_err(Failure::at(&self.path)),
            false => Ok(()),
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if !self.has_noted() {
            // Nothing was written over. One that stays is empty, and does no harm.
            drop(self.remove());
        }
    }
}

fn usage(reason: impl Into<String>) -> Error {
    Error::Usage(reason.into())
}

fn at(path: &Path) -> impl Fn(io::Error) -> Error {
    move |error| usage(Failure::at(path)(error).to_string())
}

fn contents(path: &Path, file: &File) -> Result<Contents, Error> {
    record::read(file)
        .map_err(at(path))?
        .ok_or_else(|| usage(messages::of_path(path, "this is no journal of relink; move it away")))
}

/// Opens and locks the journal of a PATH: the one that is there, or a new one in the first of these places where one can be.
fn open(root: &Path, places: &[PathBuf]) -> Result<(PathBuf, File), Error> {
    let ours = |held: Held, path: &Path| match held {
        Held::Ours(file) => Ok((path.to_owned(), file)),
        Held::Busy => Err(busy(root)),
    };
    for path in places {
        if let Some(held) = held::take(path).map_err(at(path))? {
            return ours(held, path);
        }
    }
    let mut refused = None;
    for path in places {
        match held::make(path) {
            Ok(held) => return ours(held, path),
            Err(error) => refused = refused.or(Some((path, error))),
        }
    }
    Err(match refused {
        Some((path, error)) => usage(format!(
            "{}: no journal can be made ({}), and without one nothing is written over: {}",
            root.display(),
            path.display(),
            messages::reason(&error)
        )),
        None => usage(messages::of_path(root, "there is no place for a journal")),
    })
}

/// Locks a further PATH of the run: whoever finds the file looks whether the journal that it tells of is locked. `None` if nothing can be
/// written over there.
fn lock_further(root: &Path, places: &[PathBuf], journal: &Path) -> Result<Option<PathBuf>, Error> {
    // A file can only be replaced where one can be made.
    let is_shut = |place: &PathBuf| {
        let reason = held::make(place).map_err(|error| error.kind());
        matches!(reason, Err(io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem))
    };
    if !root.is_dir() && places.iter().all(is_shut) {
        return Ok(None);
    }
    let (path, mut file) = open(root, places)?;
    let contents = contents(&path, &file)?;
    if contents.has_noted() {
        return Err(broken_off(root, &contents));
    }
    match &contents.see {
        // A run that goes on leaves it whole: without it the journal is not found from here.
        Some(other) if other == journal => return Ok(Some(path)),
        Some(other) => check_seen(root, other)?,
        None => {}
    }
    let see = record::line("see", &[journal.as_os_str().as_encoded_bytes()]);
    let write = |file: &mut File| {
        file.set_len(0)?;
        file.write_all(format!("{}{see}", record::START).as_bytes())
    };
    if let Err(error) = write(&mut file) {
        drop(held::remove(&path));
        return Err(at(&path)(error));
    }
    Ok(Some(path))
}

/// Checks that a journal is not there, or that it notes nothing, and that nobody holds it; or that it tells of `own`.
fn check_free(root: &Path, journal: &Path, own: &Path) -> Result<(), Error> {
    match held::take(journal).map_err(at(journal))? {
        None => Ok(()),
        Some(Held::Busy) => Err(busy(root)),
        Some(Held::Ours(file)) => match contents(journal, &file)? {
            Contents { see: Some(see), .. } if see == own => Ok(()),
            Contents { see: Some(see), .. } => check_seen(root, &see),
            contents if contents.has_noted() => Err(broken_off(root, &contents)),
            _ => Ok(()),
        },
    }
}

/// The same of a journal that the file at a further PATH tells of.
fn check_seen(root: &Path, journal: &Path) -> Result<(), Error> {
    match held::take(journal).map_err(at(journal))? {
        None => Ok(()),
        Some(Held::Busy) => Err(busy(root)),
        Some(Held::Ours(file)) => match contents(journal, &file)? {
            contents if contents.has_noted() => Err(broken_off(root, &contents)),
            _ => Ok(()),
        },
    }
}

/// What is to be told of a tree that is read and not written over, if a run over it was broken off: half of it may have been written over.
pub fn left_at(root: &Path) -> Option<String> {
    let places = held::places(root).ok()?;
    let is_left = places.iter().filter_map(|path| found::look(path)).any(|found| found.has_noted());
    is_left.then(|| {
        let reason = "a run was broken off here, or is at work; what it has written over is read as it is now";
        messages::of_path(root, reason)
    })
}

/// Checks that nothing is to be written over twice.
fn check_apart(roots: &[&Path]) -> Result<(), Error> {
    let mut paths = Vec::with_capacity(roots.len());
    for root in roots {
        paths.push((root.canonicalize().map_err(at(root))?, root));
    }
    paths.sort_unstable();
    // What lies in a folder comes right after it, or after others that do.
    for pair in paths.windows(2) {
        let [(outer, around), (inner, within)] = pair else { continue };
        if inner.starts_with(outer) {
            return Err(usage(match inner == outer {
                true => messages::of_path(within, "it is named twice"),
                false => format!(
                    "{}: it lies in {}, which is named too",
                    within.display(),
                    around.display()
                ),
            }));
        }
    }
    Ok(())
}

/// Checks that no run over a folder around a PATH is at work, or was broken off.
fn check_around(root: &Path, own: &Path) -> Result<(), Error> {
    let path = root.canonicalize().map_err(at(root))?;
    for folder in path.ancestors().skip(1) {
        for journal in held::places(folder).map_err(at(folder))? {
            // Of the folder's own places the one inside may be in a folder that cannot be read.
            if journal.symlink_metadata().is_ok() {
                check_free(folder, &journal, own)?;
            }
        }
    }
    Ok(())
}

/// Checks that no run over something in a PATH is at work, or was broken off.
fn check_within(root: &Path) -> Result<(), Error> {
    if !root.is_dir() {
        return Ok(());
    }
    let own = held::places(root).map_err(at(root))?;
    for path in walk::own_files(root) {
        if let Some(subject) = held::subject(&path)
            && !path.canonicalize().is_ok_and(|path| own.contains(&path))
        {
            check_free(&subject, &path, Path::new(""))?;
        }
    }
    Ok(())
}

fn busy(root: &Path) -> Error {
    usage(messages::of_path(root, "another run is at work here; wait until it has ended"))
}

fn broken_off(root: &Path, contents: &Contents) -> Error {
    // Of a further PATH: its journal tells what the command was.
    let command = contents.line.as_ref().map(|line| {
        let words: Vec<String> = line.words.iter().map(|word| record::quoted(word)).collect();
        format!(" (relink {})", words.join(" "))
    });
    let name = record::quoted(root.as_os_str());
    usage(format!(
        "{}: a run was broken off here{}; `relink resume {name}` goes on with it, `relink undo {name}` puts back what it changed",
        root.display(),
        command.unwrap_or_default()
    ))
}
