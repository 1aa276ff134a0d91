//! Reads a manifest, and checks all of it before anything of it is used.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::os::digest::Hasher;
use crate::os::failure::Failure;
use crate::os::messages;
use crate::plan::exit::Error;
use crate::recovery::records::identity::Kept;
use crate::recovery::records::lines::{self, Beginning, MANIFEST_VERSION_BESIDE, MANIFESTS};
use crate::recovery::records::list::{self, DocumentList};
use crate::recovery::records::{
    EditLine, End, LogRecord, ManifestExtent, ManifestHead, Recorded, RecordedDocument,
    ReplacedRecord,
};
use crate::recovery::write::Step;
use crate::recovery::write::old_directories::OldDirectory;
use crate::recovery::write::replaced::Replaced;

/// The number of bytes that are hashed at once.
const AT_ONCE: usize = 1 << 16;

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
    files: DocumentList,
    /// The symbolic links: the number of the root, the path below it, the target.
    pub links: Vec<(usize, PathBuf, PathBuf)>,
    /// The files and links that were renamed: the number of the root, and the paths below it before
    /// and after.
    pub renames: Vec<Step>,
    /// The directories around them before the run, by root and path.
    pub directories: Vec<OldDirectory>,
    /// The records of moves; the paths in them are empty.
    pub moves: Vec<Recorded>,
    /// Its place, if a run has kept it next to PATH.
    pub(super) kept: Option<Kept>,
}

/// The reason why a file is not used as a manifest.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
enum ManifestFault {
    /// It is not one.
    #[error(
        "cannot use the manifest; its first line is not that of a manifest of relink; use the file that `--manifest` has written"
    )]
    Other,
    /// Another version of this program wrote it.
    #[error("cannot use the manifest; {}", messages::of_other_version(.0))]
    Version(u32),
    /// Its last line is missing.
    #[error(
        "cannot use the manifest; it is damaged: it was truncated, its last line is missing; restore it from a copy"
    )]
    Cut,
    /// A line cannot be read, or does not belong where it is; its number.
    #[error(
        "cannot use the manifest; it is damaged: line {0} is not what relink writes there; restore it from a copy"
    )]
    Line(usize),
    /// The checksum is another one.
    #[error(
        "cannot use the manifest; it is damaged: its lines do not have the checksum in its last line; restore it from a copy"
    )]
    Checksum,
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
            return Err(Error::at(path, ManifestFault::Other.to_string()));
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
        let mut reader = ManifestReader::default();
        let mut fault = None;
        let beginning = lines::read(&file, &MANIFESTS, |at, text| {
            reader.n_lines += 1;
            fault = reader.take(at, text).err();
            fault.is_none()
        });
        let fault = fault.or(match beginning.map_err(Failure::reading(path))? {
            Beginning::None | Beginning::Other => Some(ManifestFault::Other),
            Beginning::Version(version) => Some(ManifestFault::Version(version)),
            Beginning::Log { .. } if !reader.has_end => Some(ManifestFault::Cut),
            Beginning::Log { is_cut: true } => Some(ManifestFault::Line(reader.n_lines + 1)),
            Beginning::Log { is_cut: false } => None,
        });
        match (fault, reader.header) {
            (None, Some(header)) => Ok(Manifest {
                path: path.to_owned(),
                file,
                n_roots: header.roots,
                is_all: header.files == ManifestExtent::All,
                files: reader.files,
                links: reader.links,
                renames: reader.renames,
                directories: reader.directories,
                moves: reader.moves,
                kept: reader.kept,
            }),
            (fault, _) => Err(Error::at(path, fault.unwrap_or(ManifestFault::Other).to_string())),
        }
    }

    /// Returns the files outside of the PATHs that the run has replaced. Only of a manifest that is
    /// trusted they are restored: they can be anywhere.
    pub fn replaced(&self) -> Vec<Replaced> {
        self.kept
            .iter()
            .flat_map(|kept| &kept.replaced)
            .filter_map(ReplacedRecord::replaced)
            .collect()
    }

    /// Reads the files, in path order.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path for a file whose record cannot be read any more.
    pub fn files(&self) -> impl Iterator<Item = Result<Recorded, Failure>> {
        self.files.iter(&self.file).map(|file| file.map_err(Failure::reading(&self.path)))
    }

    /// Reads the files whose content or name the run has changed, in path order.
    ///
    /// # Errors
    ///
    /// As those of [`Manifest::files`].
    pub fn changed(&self) -> impl Iterator<Item = Result<Recorded, Failure>> {
        let is_changed = |file: &Recorded| file.document.is_changed();
        self.files().filter(move |file| file.as_ref().map_or(true, is_changed))
    }

    /// Returns the number of files, and of those that the run has changed.
    pub fn n_files(&self) -> (usize, usize) {
        (self.files.len(), self.files.n_changed())
    }

    /// Returns the open file.
    pub fn file(&self) -> &File {
        &self.file
    }
}

/// What was read so far.
#[derive(Default)]
struct ManifestReader {
    n_lines: usize,
    header: Option<ManifestHead>,
    hasher: Hasher,
    /// The last lines of the checksum: many are hashed at once.
    unhashed: Vec<u8>,
    files: DocumentList,
    links: Vec<(usize, PathBuf, PathBuf)>,
    renames: Vec<Step>,
    directories: Vec<OldDirectory>,
    moves: Vec<Recorded>,
    /// The record (false), or the file or link (true) of the last line that is no edit: each is
    /// greater than those before it.
    last: Option<(bool, usize, PathBuf)>,
    /// The file or record whose edits are read.
    open: Option<RemainingEdits>,
    n_edits: usize,
    has_end: bool,
    kept: Option<Kept>,
}

/// A file whose edits are read.
struct RemainingEdits {
    /// The number of edits that are missing.
    n_left: usize,
    /// The end of the last edit, in the new file.
    end: u64,
    /// The length of the new file.
    len: u64,
    /// The number of bytes of the new file that edits replace, and of those that replace them.
    n_new: u64,
    n_old: u64,
    /// The length of the old file.
    old_len: u64,
}

impl RemainingEdits {
    fn new(recorded: &Recorded) -> Self {
        let [old_len, len] = recorded.document.lens;
        RemainingEdits { n_left: recorded.n_edits(), end: 0, len, n_new: 0, n_old: 0, old_len }
    }

    fn is_complete(&self) -> bool {
        self.n_left == 0
            && (self.len.checked_sub(self.n_new)).and_then(|len| len.checked_add(self.n_old))
                == Some(self.old_len)
    }
}

impl ManifestReader {
    /// Reads a line, which is at an offset.
    fn take(&mut self, at: u64, text: &str) -> Result<(), ManifestFault> {
        let wrong = ManifestFault::Line(self.n_lines);
        if let Some(edit) = EditLine::read(text).filter(|_| !self.has_end) {
            self.take_edit(edit.at, edit.length, edit.old.len()).ok_or(wrong)?;
            return self.add(text);
        }
        let line = LogRecord::read(text).ok_or(wrong)?;
        if self.header.is_none() {
            let LogRecord::RelinkManifest(header) = line else { return Err(wrong) };
            if header.roots == 0 {
                return Err(wrong);
            }
            self.files = DocumentList::new(header.version != MANIFEST_VERSION_BESIDE);
            self.header = Some(header);
            return self.add(text);
        }
        match (line, self.has_end) {
            (LogRecord::Kept(kept), true) if self.kept.is_none() => {
                for (old, time) in self.directories.iter_mut().zip(&kept.times) {
                    old.state.modified = Some(*time);
                }
                self.kept = Some(kept);
                Ok(())
            }
            (LogRecord::Kept(_), _) | (_, true) => Err(wrong),
            (line, false) => self.take_record(line, at, text),
        }
    }

    /// Reads a line between the first and the last.
    fn take_record(&mut self, line: LogRecord, at: u64, text: &str) -> Result<(), ManifestFault> {
        let wrong = ManifestFault::Line(self.n_lines);
        if let LogRecord::Edit(edit) = line {
            let (at, length) = (edit.at, edit.length);
            let n_old = edit.old().ok_or(wrong)?.len();
            self.take_edit(at, length, n_old).ok_or(wrong)?;
            return self.add(text);
        }
        if self.open.take().is_some_and(|open| !open.is_complete()) {
            return Err(wrong);
        }
        if let LogRecord::End(end) = line {
            return self.end(&end);
        }
        self.add_record(line, at, text).ok_or(wrong)?;
        self.add(text)
    }

    /// Counts an edit that replaced this number of bytes. Returns `None` if it does not belong
    /// there.
    fn take_edit(&mut self, at: u64, length: u64, n_old: usize) -> Option<()> {
        let open = self.open.as_mut().filter(|open| open.n_left > 0)?;
        let end = at.checked_add(length)?;
        (at >= open.end && end <= open.len).then_some(())?;
        open.n_left -= 1;
        open.end = end;
        open.n_new += length;
        open.n_old += n_old as u64;
        self.n_edits += 1;
        Some(())
    }

    /// Adds a record, whose line is at an offset. Returns `None` if it does not belong there.
    fn add_record(&mut self, record: LogRecord, at: u64, line: &str) -> Option<()> {
        let header = self.header.as_ref()?;
        let may_move = header.version != MANIFEST_VERSION_BESIDE;
        match record {
            // These and the directories come before all files.
            LogRecord::Moves(moves) => {
                self.follows(moves.root, Path::new(""))?;
                // The edits come after this line.
                let recorded = moves.recorded(at + line.len() as u64 + 1)?;
                self.open = Some(RemainingEdits::new(&recorded));
                self.moves.push(recorded);
            }
            LogRecord::Directory(directory) => {
                let old = directory.old()?;
                let place = |old: &OldDirectory| (old.root, old.below.clone());
                let is_next = self.directories.last().is_none_or(|last| place(last) < place(&old));
                let is_first = self.files.is_empty() && self.links.is_empty();
                let has_time = old.state.modified.is_some();
                (old.root < header.roots && is_next && is_first && !has_time).then_some(())?;
                self.directories.push(old);
            }
            LogRecord::File(file) => {
                let recorded = list::recorded(file, at, line, may_move)?;
                let RecordedDocument { root, below, moved, .. } = &recorded.document;
                self.follows(*root, &recorded.document.path())?;
                self.renames.extend(moved.clone().map(|moved| (*root, below.clone(), moved)));
                self.open = Some(RemainingEdits::new(&recorded));
                self.files.push(at, &recorded);
            }
            LogRecord::Link(link) => {
                let (path, before, target) = link.paths()?;
                self.follows(link.root, &path)?;
                self.renames.extend(before.map(|before| (link.root, before, path.clone())));
                self.links.push((link.root, path, target));
            }
            _ => return None,
        }
        Some(())
    }

    /// Adds a line to the checksum.
    fn add(&mut self, text: &str) -> Result<(), ManifestFault> {
        self.unhashed.extend_from_slice(text.as_bytes());
        self.unhashed.push(b'\n');
        if self.unhashed.len() < AT_ONCE { Ok(()) } else { self.hash() }
    }

    /// Hashes the lines that were added.
    fn hash(&mut self) -> Result<(), ManifestFault> {
        let hashed = self.hasher.write_all(&self.unhashed);
        self.unhashed.clear();
        hashed.map_err(|_| ManifestFault::Checksum)
    }

    /// Compares the last line with what was read.
    fn end(&mut self, end: &End) -> Result<(), ManifestFault> {
        self.hash()?;
        let sha256 = std::mem::take(&mut self.hasher).finish();
        let files = self.files.len() + self.links.len();
        if *end != (End { files, edits: self.n_edits, sha256 }) {
            return Err(ManifestFault::Checksum);
        }
        self.has_end = true;
        Ok(())
    }

    /// Checks that a path comes after all others.
    fn follows(&mut self, root: usize, path: &Path) -> Option<()> {
        let here = (!path.as_os_str().is_empty(), root, path.to_owned());
        let is_root = self.header.as_ref().is_some_and(|header| root < header.roots);
        let is_next = is_root && self.last.as_ref().is_none_or(|last| *last < here);
        self.last = Some(here);
        is_next.then_some(())
    }
}
