//! What has moved, where a second run would move it again: a file beside each PATH, `.NAME.relink-moves`.
//!
//! One JSON value a line: first the roots, then each document before it is written over, with the hash of what it is to be, at last that the
//! run came to its end. A run that was broken off is taken up by the same command: what has its hash is done.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::exit::Error;
use crate::failure::Failure;
use crate::files;
use crate::places;
use crate::walk::{Entry, Root};

/// One line of the file.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    /// From each root to another: what is moved.
    Moves(Vec<(String, String)>),
    /// A document: its path below PATH, in percent-escapes, and the hash of what it becomes.
    Document(String, String),
    /// All is done.
    Done,
}

/// What is noted beside one PATH.
#[derive(Debug)]
struct Noted {
    pairs: Vec<(String, String)>,
    documents: Vec<(String, String)>,
    is_done: bool,
}

/// The files beside the PATHs.
#[derive(Debug)]
pub struct Journal {
    files: Vec<(PathBuf, Mutex<File>)>,
    /// What an earlier run has moved, by its path.
    finished: HashSet<PathBuf>,
}

impl Journal {
    /// Opens the files. With `again` what was done is to be done once more.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if the trees were moved so before, or if another move of them was broken off.
    pub fn open(roots: &[Root], pairs: &[(String, String)], again: bool) -> Result<Self, Error> {
        let mut journal = Journal { files: Vec::new(), finished: HashSet::new() };
        let wrong =
            |path: &Path, reason: &str| Err(Error::Usage(format!("{}: {reason}", path.display())));
        let mut open = Vec::new();
        for root in roots {
            let Root::Path(root) = root else { continue };
            let path = beside(root)?;
            let noted = read(&path).map_err(|failure| Error::Usage(failure.to_string()))?;
            let goes_on = match noted {
                None => false,
                Some(noted) if noted.is_done => {
                    if noted.pairs == pairs && !again {
                        let reason = format!(
                            "{} was moved so already; --again moves it once more",
                            root.display()
                        );
                        return wrong(&path, &reason);
                    }
                    false
                }
                Some(noted) if noted.pairs == pairs && !again => {
                    journal.finished.extend(finished(root, &noted.documents));
                    true
                }
                Some(noted) => {
                    let moves = noted.pairs.iter();
                    let moves: Vec<String> =
                        moves.map(|(from, to)| format!("--from {from} --to {to}")).collect();
                    let reason = format!(
                        "a move of {} was broken off; finish it first, with {}",
                        root.display(),
                        moves.join(" ")
                    );
                    return wrong(&path, &reason);
                }
            };
            open.push((path, goes_on));
        }
        // All are looked at before any is written.
        for (path, goes_on) in open {
            let begin = || {
                let mut options = OpenOptions::new();
                options.create(true).append(goes_on).write(true).truncate(!goes_on);
                let mut file = options.open(&path)?;
                // A line that was broken off has no end.
                if goes_on {
                    file.write_all(b"\n")
                } else {
                    write(&mut file, &Line::Moves(pairs.to_vec()))
                }?;
                Ok(file)
            };
            let file = begin().map_err(|error: io::Error| {
                let failure = Failure::at(&path)(error);
                Error::Usage(format!(
                    "{failure}; what is moved cannot be noted, -o OUT needs no notes"
                ))
            })?;
            journal.files.push((path, Mutex::new(file)));
        }
        Ok(journal)
    }

    /// The documents that an earlier run has moved.
    pub fn finished(&self) -> HashSet<PathBuf> {
        self.finished.clone()
    }

    /// Where it is noted.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(path, _)| &**path)
    }

    /// Notes what a document is to become, before it is written over. `names` are those under which it may stand then.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the notes: the document must stay then.
    pub fn note(&self, entry: &Entry, names: &[&Path], hash: &str) -> Result<(), Failure> {
        let Some((path, file)) = self.files.get(entry.root) else { return Ok(()) };
        let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for name in names {
            let line = Line::Document(escaped(name), hash.to_owned());
            write(&mut file, &line).map_err(Failure::at(path))?;
        }
        Ok(())
    }

    /// Notes that all is done.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path of the notes.
    pub fn finish(&self) -> Result<(), Failure> {
        for (path, file) in &self.files {
            let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            write(&mut file, &Line::Done).map_err(Failure::at(path))?;
        }
        Ok(())
    }
}

/// The file beside a PATH.
fn beside(root: &Path) -> Result<PathBuf, Error> {
    let path = places::absolute(root);
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => {
            let mut notes = OsString::from(".");
            notes.push(name);
            notes.push(".relink-moves");
            Ok(parent.join(notes))
        }
        _ => Err(Error::Usage(format!(
            "{}: nothing is beside it where what is moved could be noted; give -o OUT",
            root.display()
        ))),
    }
}

fn write(file: &mut File, line: &Line) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    file.write_all(&text)
}

/// What is noted in a file, if it is there.
fn read(path: &Path) -> Result<Option<Noted>, Failure> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::at(path)(error)),
    };
    let mut noted: Option<Noted> = None;
    for line in BufReader::new(file).lines() {
        let line = line.map_err(Failure::at(path))?;
        match (serde_json::from_str(&line), &mut noted) {
            (Ok(Line::Moves(pairs)), None) => {
                noted = Some(Noted { pairs, documents: Vec::new(), is_done: false });
            }
            (Ok(Line::Document(name, hash)), Some(noted)) => noted.documents.push((name, hash)),
            (Ok(Line::Done), Some(noted)) => noted.is_done = true,
            (_, None) => {
                let reason = "this does not tell what was moved; remove it if that is known";
                return Err(Failure::at(path)(io::Error::other(reason)));
            }
            // A line that was broken off: its document was not written over.
            _ => {}
        }
    }
    Ok(noted)
}

/// The documents that are what they were to become.
fn finished(root: &Path, documents: &[(String, String)]) -> Vec<PathBuf> {
    let is_folder = root.is_dir();
    let path = |name: &String| {
        let name = urlcore::escape::percent_decode(name);
        let name = match name {
            std::borrow::Cow::Borrowed(name) => name.to_vec(),
            std::borrow::Cow::Owned(name) => name,
        };
        match is_folder {
            true => Some(root.join(files::path(&name)?)),
            false => Some(root.with_file_name(files::path(&name)?)),
        }
    };
    let is_it = |(name, hash): &(String, String)| {
        let path = path(name)?;
        let file = File::open(&path).ok()?;
        (hash_of(file).ok()? == *hash).then_some(path)
    };
    documents.iter().filter_map(is_it).collect()
}

/// The path below PATH, in text.
fn escaped(path: &Path) -> String {
    let mut text = String::new();
    for (idx, name) in files::bytes(path).split(|byte| *byte == b'/').enumerate() {
        if idx > 0 {
            text.push('/');
        }
        urlcore::escape::encode_path_segment(name, &mut text);
    }
    text
}

/// The hash of what is read, in hexadecimal digits (FIPS 180-4, SHA-256).
///
/// # Errors
///
/// Those of the reader.
pub fn hash_of(mut reader: impl Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => hasher.update(&buffer[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
