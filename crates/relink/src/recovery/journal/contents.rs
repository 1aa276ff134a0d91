//! The contents of a journal.
//!
//! Its first line says if the run only creates files, and in which directory a new OUT is built.
//! Then come the identities of the journal and of its PATHs (`kept`), the command (`run`), and what
//! the run is about to change: directories and files outside of the tree, each document with its
//! edits (`file`), the files that are renamed, and records of moves (`moves`). The file at a
//! further PATH has one line, with the path of the journal.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use crate::os::command_line::CommandLine;
use crate::os::messages;
use crate::recovery::records::identity::{Identity, Kept};
use crate::recovery::records::lines::{self, Beginning, JOURNAL_VERSION, JOURNALS};
use crate::recovery::records::list::{self, DocumentList};
use crate::recovery::records::{JournalHead, LogRecord, PlaceRecord, Recorded, RecordedDocument};
use crate::recovery::write::Step;
use crate::recovery::write::old_directories::OldDirectory;
use crate::recovery::write::renames::new_paths;
use crate::recovery::write::replaced::Replaced;

/// The contents of a journal.
#[derive(Debug, Default)]
pub struct JournalContents {
    /// The identities of the journal and of its PATHs.
    pub kept: Option<Kept>,
    /// Each PATH.
    pub roots: Vec<PathBuf>,
    /// The command.
    pub line: Option<CommandLine>,
    /// True if the run only creates files.
    creates: bool,
    /// The name of the directory in which a new output is built.
    pub builds: Option<OsString>,
    /// The documents that may be written over.
    pub documents: DocumentList,
    /// The documents whose records are incomplete: they were not written over, unless the journal
    /// was truncated since.
    pub torn: Vec<RecordedDocument>,
    /// True if the last line is incomplete.
    pub is_cut: bool,
    /// The records of moves that the run changes, in this order.
    pub moves: Vec<Recorded>,
    /// The files that are renamed after all documents are written, in this order. Empty until all
    /// of them are recorded.
    pub renames: Vec<Step>,
    /// The directories around those files before the run, by root and path.
    pub directories: Vec<OldDirectory>,
    /// Those of them that an undo has created, or was about to.
    pub made: BTreeSet<(usize, PathBuf)>,
    /// The files outside of the tree that are replaced, in this order.
    pub replaced: Vec<Replaced>,
    /// The symbolic links of the output: the number of the root, the path below it, the target.
    pub links: Vec<(usize, PathBuf, PathBuf)>,
    /// The journal itself, if this is the file at a further PATH.
    pub see: Option<PathBuf>,
}

/// A record of which parts are missing.
struct Incomplete {
    record: Partial,
    n_left: usize,
}

enum Partial {
    /// A document, and the offset of its line.
    Document(u64, Recorded),
    Moves(Recorded),
    Renames(Vec<Step>),
}

/// The kind of a run, in the first line of its journal.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose<'p> {
    /// It writes over documents.
    InPlace,
    /// It creates files.
    Creates,
    /// It creates a new output, in a directory with this name.
    Builds(&'p OsStr),
    /// The file only names the journal of a run over other PATHs too.
    See(&'p Path),
}

/// Returns the first line of a journal.
pub(super) fn head(purpose: Purpose<'_>) -> Vec<u8> {
    let (creates, builds, see) = match purpose {
        Purpose::InPlace => (false, None, None),
        Purpose::Creates => (true, None, None),
        Purpose::Builds(name) => (true, Some(name.to_owned()), None),
        Purpose::See(journal) => (false, None, Some(journal.to_owned())),
    };
    let head = JournalHead { version: JOURNAL_VERSION, creates, builds, see };
    LogRecord::lines([LogRecord::RelinkJournal(head)])
}

/// Returns the line of a command.
pub(super) fn run(line: &CommandLine) -> Vec<u8> {
    LogRecord::lines([LogRecord::Run(line.clone())])
}

/// Returns the lines of directories that are created again.
pub(super) fn made(places: &[(usize, PathBuf)]) -> Vec<u8> {
    let record = |(root, below): &(usize, PathBuf)| LogRecord::Made(PlaceRecord::new(*root, below));
    LogRecord::lines(places.iter().map(record))
}

/// Reads a journal; returns `None` if the file is not one.
///
/// # Errors
///
/// Those of the reader, and an error for a journal of another version.
pub fn read(journal: impl Read + Seek) -> io::Result<Option<JournalContents>> {
    let mut contents = JournalContents::default();
    let mut open = None;
    let beginning = lines::read(journal, &JOURNALS, |at, line| {
        contents.take(&mut open, at, line);
        true
    })?;
    // A record that is complete is closed.
    contents.close(open, 0);
    match beginning {
        Beginning::Other => return Ok(None),
        Beginning::Version(version) => {
            return Err(io::Error::other(messages::of_other_version(version)));
        }
        // A journal is created first, and then written.
        Beginning::None => {}
        Beginning::Log { is_cut } => contents.is_cut = is_cut,
    }
    contents
        .directories
        .sort_by(|one, other| (one.root, &one.below).cmp(&(other.root, &other.below)));
    // If a run that continued recorded one again, it was as before.
    contents
        .directories
        .dedup_by(|one, other| (one.root, &one.below) == (other.root, &other.below));
    Ok(Some(contents))
}

impl JournalContents {
    /// Returns true if any document may have been written over, or if files may have been created
    /// by a run that only does that.
    pub fn has_changes(&self) -> bool {
        let has_steps = !self.renames.is_empty() || !self.made.is_empty();
        let has_files = !self.documents.is_empty() || !self.replaced.is_empty();
        has_files || has_steps || self.is_creation()
    }

    /// Returns true if the run does the same as a command.
    pub fn does(&self, line: &CommandLine) -> bool {
        self.line.as_ref().is_some_and(|own| own.does_the_same(line))
    }

    /// Returns true if the run only creates files, and has recorded its command.
    pub fn is_creation(&self) -> bool {
        self.creates && self.line.is_some()
    }

    /// Returns the identity of a PATH, by its number.
    pub fn identity(&self, number: usize) -> Option<&Identity> {
        self.kept.as_ref()?.roots().get(number)
    }

    /// Returns true if a PATH of the journal is at `path` now.
    pub fn is_root(&self, number: usize, path: &Path) -> bool {
        self.identity(number).is_some_and(|identity| identity.is_of_root(path))
    }

    /// Returns the changes of the record of moves of a PATH, in their order.
    pub fn moves_of(&self, root: usize) -> Vec<&Recorded> {
        self.moves.iter().filter(|recorded| recorded.document.root == root).collect()
    }

    /// Returns the new paths of the files that are renamed after all documents are written, by
    /// their numbers of the root and their old paths.
    pub fn renamed(&self) -> BTreeMap<(usize, PathBuf), PathBuf> {
        new_paths(&self.renames)
    }

    /// Reads a line, which is at an offset.
    fn take(&mut self, open: &mut Option<Incomplete>, at: u64, line: &str) {
        let is_edit = LogRecord::is_edit(line);
        let record = if is_edit { None } else { LogRecord::read(line) };
        match (open.as_mut(), record) {
            (
                Some(Incomplete { record: Partial::Document(..) | Partial::Moves(_), n_left }),
                None,
            ) if is_edit => {
                *n_left -= 1;
            }
            (
                Some(Incomplete { record: Partial::Renames(steps), n_left }),
                Some(LogRecord::Rename(rename)),
            ) => match rename.step() {
                Some(step) => {
                    steps.push(step);
                    *n_left -= 1;
                }
                None => *open = None,
            },
            (_, record) => {
                // A record that was open is incomplete, and so is a line that cannot be read.
                self.close(open.take(), at);
                *open = record.and_then(|record| self.take_record(record, at, line));
            }
        }
        if open.as_ref().is_some_and(|open| open.n_left == 0) {
            self.close(open.take(), at + line.len() as u64 + 1);
        }
    }

    /// Reads a record that is no part of another one, and whose line is at an offset. Returns it if
    /// it has parts.
    fn take_record(&mut self, record: LogRecord, at: u64, line: &str) -> Option<Incomplete> {
        match record {
            LogRecord::RelinkJournal(head) => {
                self.creates = head.creates;
                self.builds = head.builds.filter(is_name);
                self.see = head.see;
            }
            LogRecord::Kept(kept) => {
                let roots = kept.roots().iter().map(Identity::path);
                self.roots = roots.map(Option::unwrap_or_default).collect();
                self.kept = Some(kept);
            }
            LogRecord::Run(line) => self.line = Some(line),
            LogRecord::Directory(directory) => self.directories.extend(directory.old()),
            LogRecord::Made(made) => self.made.extend(made.place()),
            LogRecord::Replaced(file) => self.replaced.extend(file.replaced()),
            LogRecord::Link(link) => {
                let root = link.root;
                self.links.extend(link.paths().map(|(below, _, target)| (root, below, target)));
            }
            LogRecord::File(file) => {
                let n_left = file.edits;
                let recorded = list::recorded(file, at, line, false)?;
                return Some(Incomplete { record: Partial::Document(at, recorded), n_left });
            }
            LogRecord::Moves(moves) => {
                // The edits come after this line.
                let recorded = moves.recorded(at + line.len() as u64 + 1)?;
                let n_left = recorded.n_edits();
                return Some(Incomplete { record: Partial::Moves(recorded), n_left });
            }
            LogRecord::Renames { renames: n_left } => {
                return Some(Incomplete { record: Partial::Renames(Vec::new()), n_left });
            }
            _ => {}
        }
        None
    }

    /// Adds a record that is complete, or of which the parts have not come; `end` is the offset
    /// after it.
    fn close(&mut self, open: Option<Incomplete>, end: u64) {
        let Some(Incomplete { record, n_left }) = open else { return };
        match record {
            Partial::Document(_, recorded) if n_left > 0 => self.torn.push(recorded.document),
            _ if n_left > 0 => {}
            Partial::Document(at, recorded) => {
                self.documents.push(at, &recorded);
                self.documents.set_end(end);
            }
            Partial::Moves(recorded) => self.moves.push(recorded),
            Partial::Renames(steps) => self.renames = steps,
        }
    }
}

/// Returns true if a text is the name of a file.
fn is_name(name: &OsString) -> bool {
    Path::new(name).file_name() == Some(name)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::os::digest;
    use crate::os::undo_log::Changes;
    use crate::recovery::journal::log;
    use crate::recovery::records::lines::LineReader;
    use crate::recovery::records::{FileRecord, write_edits};

    fn sample(n_edits: usize) -> RecordedDocument {
        RecordedDocument {
            root: 1,
            below: PathBuf::from("a\tb/100%/é.html"),
            old: digest::of_bytes(b"0"),
            new: digest::of_bytes(b"1"),
            renamed: None,
            moved: None,
            kept: Some(OsString::from("é.html.orig")),
            lens: [7, n_edits as u64],
        }
    }

    fn text() -> Vec<u8> {
        let mut changes = Changes::default();
        changes.push(3, 2, b"\n\xff%41");
        changes.push(9, 0, b"}x}\"}\\\"}");
        let mut text = head(Purpose::InPlace);
        text.extend(run(&CommandLine::named("move")));
        LogRecord::File(FileRecord::new(&sample(2), 2)).write(&mut text);
        write_edits(&changes, 100, &mut text);
        text
    }

    fn document(contents: &JournalContents, text: &[u8]) -> Recorded {
        let lines = LineReader::new(Cursor::new(text)).unwrap();
        contents.documents.reader(lines).get(0).unwrap()
    }

    fn of(text: &[u8]) -> JournalContents {
        read(Cursor::new(text)).unwrap().unwrap()
    }

    #[test]
    fn what_was_written_is_read() {
        let text = text();
        let contents = of(&text);
        assert_eq!(contents.line, Some(CommandLine::named("move")));
        assert_eq!(contents.documents.len(), 1);
        assert_eq!(document(&contents, &text).document, sample(2));
        let changes = document(&contents, &text).changes(Cursor::new(&text)).unwrap();
        let changes: Vec<_> = changes.iter().map(|(span, old)| (span, old.to_vec())).collect();
        assert_eq!(
            changes,
            [(103..105, b"\n\xff%41".to_vec()), (109..109, b"}x}\"}\\\"}".to_vec())]
        );
    }

    #[test]
    fn what_was_broken_off_does_not_count() {
        let text = text();
        let start = head(Purpose::InPlace).len();
        // If only the last line end is missing, the run that continues adds it.
        for end in start..text.len() - 1 {
            let broken = &text[..end];
            assert!(of(broken).documents.is_empty(), "{end}");
            // The run that continues begins a new line, and its own documents count.
            let both = [broken, b"\n", &text[start..]].concat();
            let contents = of(&both);
            assert_eq!(contents.documents.len(), 1, "{end}");
            let changes = document(&contents, &both).changes(Cursor::new(&both));
            assert_eq!(changes.unwrap().len(), 2);
        }
        assert!(read(Cursor::new("mine\n")).unwrap().is_none());
        assert!(read(Cursor::new("")).unwrap().is_some());
    }

    #[test]
    fn only_a_complete_list_of_renames_counts() {
        let step = |old: &str, new: &str| (0, PathBuf::from(old), PathBuf::from(new));
        let steps =
            [step("a", ".relink-rename-0"), step("b\tc", "d/%"), step(".relink-rename-0", "a/b")];
        let start = head(Purpose::InPlace);
        let text = [start.clone(), log::renames(&steps)].concat();
        let contents = of(&text);
        assert_eq!(contents.renames, steps);
        let renamed = contents.renamed();
        assert_eq!(renamed.len(), 2);
        assert_eq!(renamed[&(0, PathBuf::from("a"))], PathBuf::from("a/b"));
        for end in start.len()..text.len() {
            let broken = &text[..end];
            assert!(of(broken).renames.is_empty(), "{end}");
            // The run that continues records all of them again.
            let both = [broken, b"\n", &text[start.len()..]].concat();
            assert_eq!(of(&both).renames, steps, "{end}");
        }
    }
}
