//! Reads a manifest, and checks all of it before anything of it is used.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::line::{self, Content, End, Extent, Header, Kept, Line, Other, VERSION, VERSION_BESIDE};
use crate::os::digest::Hasher;
use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::undo_log::Changes;
use crate::plan::exit::Error;
use crate::recovery::journal::lines;
use crate::recovery::journal::record::Document;
use crate::recovery::write::old_directories::OldDirectory;
use crate::recovery::write::replaced::Replaced;

/// A manifest whose checksum is right.
#[derive(Debug)]
pub struct Manifest {
    /// Its path.
    pub path: PathBuf,
    file: File,
    /// The number of PATHs for which it is used.
    pub n_roots: usize,
    /// True if it lists all files of the output.
    pub is_all: bool,
    /// The files, in path order.
    pub files: Vec<Listed>,
    /// The symbolic links: the number of the root, the path below it, the target.
    pub links: Vec<(usize, PathBuf, PathBuf)>,
    /// The files and links that were renamed: the number of the root, and the paths below it before
    /// and after.
    pub renames: Vec<(usize, PathBuf, PathBuf)>,
    /// The directories around them before the run, by root and path.
    pub directories: Vec<OldDirectory>,
    /// The records of moves; the paths in them are empty.
    pub moves: Vec<Listed>,
    /// Its place, if a run has kept it next to PATH.
    pub(super) kept: Option<Kept>,
}

/// A file in a manifest.
#[derive(Debug)]
pub struct Listed {
    /// Its paths and digests.
    pub document: Document,
    /// The offset of its edits in the manifest, and their number.
    edits: (u64, usize),
}

/// The reason why a file is not used as a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// It is not one.
    Other,
    /// Another version of this program wrote it.
    Version(u32),
    /// Its last line is missing.
    Cut,
    /// A line cannot be read, or does not belong where it is; its number.
    Line(usize),
    /// The checksum is another one.
    Checksum,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot use the manifest; ")?;
        match self {
            Fault::Other => f.write_str(
                "its first line is not that of a manifest of relink; use the file that `--manifest` has written",
            ),
            Fault::Version(version) => f.write_str(&messages::of_other_version(version)),
            Fault::Cut => f.write_str(
                "it is damaged: it was truncated, its last line is missing; restore it from a copy",
            ),
            Fault::Line(number) => write!(
                f,
                "it is damaged: line {number} is not what relink writes there; restore it from a copy"
            ),
            Fault::Checksum => f.write_str(
                "it is damaged: its lines do not have the checksum in its last line; restore it from a copy",
            ),
        }
    }
}

impl Manifest {
    /// Reads a manifest, and checks its checksum and its lines.
    ///
    /// # Errors
    ///
    /// [`Error::File`] if it cannot be read; [`Error::Path`] if it is not a manifest, or damaged.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let failed = Failure::reading(path);
        // A pipe is not waited for.
        let is_file = path.metadata().map_err(&failed)?.is_file();
        if !is_file {
            return Err(Error::at(path, Fault::Other.to_string()));
        }
        let file = File::open(path).map_err(&failed)?;
        Manifest::read(path, file)
    }

    /// Reads an open manifest.
    ///
    /// # Errors
    ///
    /// As those of [`Manifest::open`].
    pub fn read(path: &Path, file: File) -> Result<Self, Error> {
        let failed = Failure::reading(path);
        if file.metadata().map_err(&failed)?.len() > lines::MOST_OF_FILE {
            return Err(Error::at(path, Fault::Other.to_string()));
        }
        let mut reader = Reader::default();
        (&file).seek(SeekFrom::Start(0)).map_err(&failed)?;
        let mut fault = None;
        let is_cut = lines::each(BufReader::new(&file), 0, lines::MOST, |at, text| {
            reader.n_lines += 1;
            // An empty line is one that is not UTF-8, too.
            fault = reader.take(at, text.unwrap_or_default()).err();
            fault.is_none()
        });
        let is_cut = is_cut.map_err(&failed)?;
        let fault = match (fault, &reader.header) {
            (Some(fault), _) => Some(fault),
            (None, None) => Some(Fault::Other),
            (None, Some(_)) if is_cut && reader.checksum.is_some() => {
                Some(Fault::Line(reader.n_lines + 1))
            }
            (None, Some(_)) if reader.checksum.is_none() => Some(Fault::Cut),
            (None, Some(_)) => None,
        };
        match (fault, reader.header) {
            (None, Some(header)) => Ok(Manifest {
                path: path.to_owned(),
                file,
                n_roots: header.roots,
                is_all: header.files == Extent::All,
                files: reader.files,
                links: reader.links,
                renames: reader.renames,
                directories: reader.directories,
                moves: reader.moves,
                kept: reader.kept,
            }),
            (fault, _) => Err(Error::at(path, fault.unwrap_or(Fault::Other).to_string())),
        }
    }

    /// Returns the files outside of the PATHs that the run has replaced. Only of a manifest that is
    /// trusted they are restored: they can be anywhere.
    pub fn replaced(&self) -> Vec<Replaced> {
        self.kept.iter().flat_map(|kept| &kept.replaced).filter_map(Other::replaced).collect()
    }

    /// Returns the open file.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Reads the edits that restore the old content of a file.
    ///
    /// # Errors
    ///
    /// Those of reading, and an error if the manifest has changed since it was checked.
    pub fn changes(&self, listed: &Listed) -> io::Result<Changes> {
        let (at, n_edits) = listed.edits;
        let mut changes = Changes::default();
        if n_edits == 0 {
            return Ok(changes);
        }
        (&self.file).seek(SeekFrom::Start(at))?;
        lines::each(BufReader::new(&self.file), at, lines::MOST, |_, text| {
            if let Some(Line::Edit(edit)) = Line::read(text.unwrap_or_default())
                && let Some(old) = edit.old()
            {
                changes.push(edit.at, edit.length, &old);
                return changes.len() < n_edits;
            }
            false
        })?;
        match changes.len() == n_edits {
            true => Ok(changes),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl Listed {
    /// Returns the number of its edits.
    pub fn n_edits(&self) -> usize {
        self.edits.1
    }

    /// Returns true if the run changed the file.
    pub fn is_changed(&self) -> bool {
        let Document { old, new, renamed, moved, .. } = &self.document;
        old != new || renamed.is_some() || moved.is_some()
    }
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    n_lines: usize,
    header: Option<Header>,
    hasher: Hasher,
    files: Vec<Listed>,
    links: Vec<(usize, PathBuf, PathBuf)>,
    renames: Vec<(usize, PathBuf, PathBuf)>,
    directories: Vec<OldDirectory>,
    moves: Vec<Listed>,
    /// The record (false), or the file or link (true) of the last line that is no edit: each is
    /// greater than those before it.
    last: Option<(bool, usize, PathBuf)>,
    /// The file or record whose edits are read.
    open: Option<Open>,
    n_edits: usize,
    checksum: Option<String>,
    kept: Option<Kept>,
}

/// A file whose edits are read.
struct Open {
    /// The number of edits that are missing.
    n_left: usize,
    /// The end of the last edit, in the new file.
    end: u64,
    /// The length of the new file.
    len: u64,
    /// The number of octets of the new file that edits replace, and of those that replace them.
    n_new: u64,
    n_old: u64,
    /// The length of the old file.
    old_len: u64,
}

impl Open {
    fn is_complete(&self) -> bool {
        self.n_left == 0
            && (self.len.checked_sub(self.n_new)).and_then(|len| len.checked_add(self.n_old))
                == Some(self.old_len)
    }
}

impl Reader {
    /// Reads a line, which is at an offset.
    fn take(&mut self, at: u64, text: &str) -> Result<(), Fault> {
        let wrong = Fault::Line(self.n_lines);
        if self.header.is_none() {
            let version = Header::version_of(text).ok_or(Fault::Other)?;
            if ![VERSION_BESIDE, VERSION].contains(&version) {
                return Err(Fault::Version(version));
            }
            let Some(Line::RelinkManifest(header)) = Line::read(text) else { return Err(wrong) };
            if header.roots == 0 {
                return Err(wrong);
            }
            self.header = Some(header);
            return self.add(text);
        }
        let line = Line::read(text).ok_or(wrong)?;
        match (line, self.checksum.is_some()) {
            (Line::Kept(kept), true) if self.kept.is_none() => {
                for (old, time) in self.directories.iter_mut().zip(&kept.times) {
                    old.state.modified = Some(*time);
                }
                self.kept = Some(kept);
                Ok(())
            }
            (Line::Kept(_), _) | (_, true) => Err(wrong),
            (line, false) => self.take_record(line, at, text),
        }
    }

    /// Reads a line between the first and the last.
    fn take_record(&mut self, line: Line, at: u64, text: &str) -> Result<(), Fault> {
        let wrong = Fault::Line(self.n_lines);
        if let Line::Edit(edit) = &line {
            let open = self.open.as_mut().filter(|open| open.n_left > 0).ok_or(wrong)?;
            let old = edit.old().ok_or(wrong)?;
            let end = edit.at.checked_add(edit.length).ok_or(wrong)?;
            if edit.at < open.end || end > open.len {
                return Err(wrong);
            }
            open.n_left -= 1;
            open.end = end;
            open.n_new += edit.length;
            open.n_old += old.len() as u64;
            self.n_edits += 1;
            return self.add(text);
        }
        if self.open.take().is_some_and(|open| !open.is_complete()) {
            return Err(wrong);
        }
        // The edits come after this line.
        let next = at + text.len() as u64 + 1;
        match line {
            Line::Edit(_) | Line::RelinkManifest(_) | Line::Kept(_) => return Err(wrong),
            Line::Moves(moves) => {
                // They come before all files.
                let line::Moves { root, before, after, edits } = moves;
                self.follows(root, Path::new("")).then_some(()).ok_or(wrong)?;
                let listed = self.listed(root, PathBuf::new(), [before, after], next, edits);
                self.moves.push(listed.ok_or(wrong)?);
            }
            Line::Directory(directory) => {
                let old = directory.old().ok_or(wrong)?;
                let is_root = self.header.as_ref().is_some_and(|header| old.root < header.roots);
                let place = |old: &OldDirectory| (old.root, old.below.clone());
                let is_next = self.directories.last().is_none_or(|last| place(last) < place(&old));
                // They come before all files.
                let is_first = self.files.is_empty() && self.links.is_empty();
                (is_root && is_next && is_first).then_some(()).ok_or(wrong)?;
                self.directories.push(old);
            }
            Line::File(file) => {
                let path = line::path(&file.path, file.path_bytes.as_ref()).ok_or(wrong)?;
                let other = |text: &Option<String>, encoded: &Option<String>| {
                    let Some(text) = text else { return Ok(None) };
                    line::path(text, encoded.as_ref()).ok_or(wrong).map(Some)
                };
                let before = other(&file.path_before, &file.path_before_bytes)?;
                let backup = other(&file.backup, &file.backup_bytes)?;
                let is_beside =
                    |one: &Option<PathBuf>, path: &Path| match one.as_deref().map(Path::parent) {
                        Some(parent) => parent == path.parent(),
                        None => true,
                    };
                // A copy is next to the old file.
                let old = before.as_deref().unwrap_or(&path);
                let stays =
                    self.header.as_ref().is_some_and(|header| header.version == VERSION_BESIDE);
                if !is_beside(&backup, old) || (stays && !is_beside(&before, &path)) {
                    return Err(wrong);
                }
                let contents = [file.before, file.after];
                self.follows(file.root, &path).then_some(()).ok_or(wrong)?;
                let listed = self.listed(file.root, path.clone(), contents, next, file.edits);
                let mut listed = listed.ok_or(wrong)?;
                if let Some(before) = before {
                    match stays {
                        true => {
                            listed.document.renamed = path.file_name().map(ToOwned::to_owned);
                        }
                        false => {
                            self.renames.push((file.root, before.clone(), path.clone()));
                            listed.document.moved = Some(path.clone());
                        }
                    }
                    listed.document.below = before;
                }
                let backup = backup.and_then(|backup| Some(backup.file_name()?.to_owned()));
                listed.document.kept = backup;
                self.files.push(listed);
            }
            Line::Link(link) => {
                let path = line::path(&link.path, link.path_bytes.as_ref()).ok_or(wrong)?;
                let target = link.target().ok_or(wrong)?;
                self.follows(link.root, &path).then_some(()).ok_or(wrong)?;
                if let Some(before) = &link.path_before {
                    let before =
                        line::path(before, link.path_before_bytes.as_ref()).ok_or(wrong)?;
                    self.renames.push((link.root, before, path.clone()));
                }
                self.links.push((link.root, path, target));
            }
            Line::End(end) => return self.end(&end),
        }
        self.add(text)
    }

    /// Adds a line to the checksum.
    fn add(&mut self, text: &str) -> Result<(), Fault> {
        let result = self.hasher.write_all(text.as_bytes());
        let result = result.and_then(|()| self.hasher.write_all(b"\n"));
        result.map_err(|_| Fault::Checksum)
    }

    /// Compares the last line with what was read.
    fn end(&mut self, end: &End) -> Result<(), Fault> {
        let sha256 = std::mem::take(&mut self.hasher).finish();
        let files = self.files.len() + self.links.len();
        if *end != (End { files, edits: self.n_edits, sha256 }) {
            return Err(Fault::Checksum);
        }
        self.checksum = Some(end.sha256.clone());
        Ok(())
    }

    /// Returns true if a path comes after all others, as it must.
    fn follows(&mut self, root: usize, path: &Path) -> bool {
        let here = (!path.as_os_str().is_empty(), root, path.to_owned());
        let is_root = self.header.as_ref().is_some_and(|header| root < header.roots);
        let is_next = is_root && self.last.as_ref().is_none_or(|last| *last < here);
        self.last = Some(here);
        is_next
    }

    /// Returns a file of which the edits come next.
    fn listed(
        &mut self,
        root: usize,
        below: PathBuf,
        contents: [Content; 2],
        at: u64,
        n_edits: usize,
    ) -> Option<Listed> {
        if !contents.iter().all(Content::is_valid) {
            return None;
        }
        let [before, after] = contents;
        self.open = Some(Open {
            n_left: n_edits,
            end: 0,
            len: after.length,
            n_new: 0,
            n_old: 0,
            old_len: before.length,
        });
        Some(Listed {
            document: Document {
                root,
                below,
                old: before.sha256,
                new: after.sha256,
                renamed: None,
                moved: None,
                kept: None,
                lens: [before.length, after.length],
            },
            edits: (at, n_edits),
        })
    }
}
