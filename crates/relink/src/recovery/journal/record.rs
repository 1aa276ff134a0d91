//! The records of a journal: lines of fields that are separated by tabs; in fields, everything but
//! plain ASCII is percent-escaped.
//!
//! ```text
//! relink-journal  5
//! self      DEVICE  INODE  BOOT                     the journal itself, and the start of the system when it was written
//! root      PATH                                    each PATH, from the root of the file system
//! id        ROOT  DEVICE  INODE  KIND               the identity of a PATH: of a directory, or of the one that a file is in
//! run       ID  COMMAND                             its command, as JSON: its name, its options, where it began
//! document  ROOT  PATH  OLD  NEW  N  RENAMED  KEPT  OLD-LEN  NEW-LEN
//!                                                   the hashes and lengths of what it is and of what it becomes
//! edit      AT  LEN  TEXT                           N times: so many octets of the new one stand where TEXT stood in the old one
//! end
//! link      ROOT  PATH  TARGET                      a symbolic link of the output, only where there is no journal
//! creates                                           the run only creates files: there is nothing to revert
//! builds    NAME                                    the directory beside it in which OUT is created
//! directory ROOT  MODE  USER  GROUP  SECONDS  NANOSECONDS  PATH  NAME  VALUE …
//!                                                   a directory before files are renamed, with its attributes
//! made      ROOT  PATH                               a directory that does not exist, and that an undo creates again
//! replaced  PATH  NEW  IS  TEXT                     a file outside of the tree that is replaced: the hash of what it becomes, and what it `was`, or `absent`
//! rename    ROOT  PATH  NEW                         a file that is renamed after the documents
//! renames   N                                       all N of them are recorded
//! notes     ROOT  TEXT  end                         what was noted of earlier moves of that PATH, before this one is noted there too
//! ```
//!
//! Of several lines `self`, and of several lines `id` of one PATH, the last counts. A document
//! without its end was not written over. The file at a further PATH has one line, `see` and the
//! path of the journal. A journal of another version is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::fields::{self, escape, line, name, path_below, unescaped, word};
use super::identity::{Identity, Kind};
use super::lines;
use super::renames::{Recorded, read_directory, read_made, read_replaced};
use crate::os::command_line::CommandLine;
use crate::os::digest::N_DIGITS;
use crate::os::messages;
use crate::os::paths;
use crate::os::undo_log::{Changes, PIECE};
use crate::recovery::write::old_directories::OldDirectory;
use crate::recovery::write::replaced::Replaced;

/// The beginning of a journal: its name and the version of the format.
pub(super) const START: &str = "relink-journal\t5\n";

/// The beginning of all versions.
const NAME: &str = "relink-journal\t";

/// A document that is written over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Index of its PATH.
    pub root: usize,
    /// Its path below the PATH; the name of a single file.
    pub below: PathBuf,
    /// The hash of its old content.
    pub old: String,
    /// The hash of its new content.
    pub new: String,
    /// Its new name, if it changes.
    pub renamed: Option<OsString>,
    /// Its path below the PATH after the run, if it is renamed after all documents are written.
    /// Journals list such files apart.
    pub moved: Option<PathBuf>,
    /// The name under which the old document is kept, if it is kept.
    pub kept: Option<OsString>,
    /// The lengths of its old and new content, in bytes.
    pub lens: [u64; 2],
}

impl Document {
    /// Returns its path below the PATH after the run.
    pub fn path(&self) -> PathBuf {
        match (&self.moved, &self.renamed) {
            (Some(moved), _) => moved.clone(),
            (None, Some(name)) => self.below.with_file_name(name),
            (None, None) => self.below.clone(),
        }
    }
}

/// A document in a journal.
#[derive(Debug)]
pub struct Noted {
    /// Its path and hashes.
    pub document: Document,
    /// The offset of its edits in the journal, and their number.
    edits: (u64, usize),
}

/// The contents of a journal.
#[derive(Debug, Default)]
pub struct Contents {
    /// Each PATH.
    pub roots: Vec<PathBuf>,
    /// The identity of the journal when it was written.
    pub own: Option<Identity>,
    /// The identities of the PATHs, by their numbers.
    pub ids: BTreeMap<usize, (Identity, Kind)>,
    /// The command.
    pub line: Option<CommandLine>,
    /// True if the run only creates files.
    creates: bool,
    /// The name of the directory in which a new output is built.
    pub builds: Option<OsString>,
    /// The documents that may be written over.
    pub documents: Vec<Noted>,
    /// The documents whose records are incomplete: they were not written over, unless the journal
    /// was truncated since.
    pub torn: Vec<Document>,
    /// True if the last line is incomplete.
    pub is_cut: bool,
    /// The record of earlier moves of each PATH, before this one.
    pub notes: Vec<(usize, Vec<u8>)>,
    /// The files that are renamed after all documents are written, in this order: the number of the
    /// root, and the paths below it before and after. Empty until all of them are recorded.
    pub renames: Vec<(usize, PathBuf, PathBuf)>,
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

/// Returns the line of a run.
pub(super) fn run(id: &str, line: &CommandLine) -> String {
    fields::line("run", &[id.as_bytes(), line.to_json().as_bytes()])
}

/// Returns the first line of a document with this number of edits.
pub(super) fn document(document: &Document, n_edits: usize) -> String {
    fn name(name: &Option<OsString>) -> &[u8] {
        name.as_deref().map_or(b"", OsStr::as_encoded_bytes)
    }
    let [old_len, new_len] = document.lens;
    line(
        "document",
        &[
            document.root.to_string().as_bytes(),
            &paths::bytes(&document.below),
            document.old.as_bytes(),
            document.new.as_bytes(),
            n_edits.to_string().as_bytes(),
            name(&document.renamed),
            name(&document.kept),
            old_len.to_string().as_bytes(),
            new_len.to_string().as_bytes(),
        ],
    )
}

/// Returns the line of a symbolic link.
pub(super) fn link(root: usize, below: &Path, target: &Path) -> String {
    let target = target.as_os_str().as_encoded_bytes();
    line("link", &[root.to_string().as_bytes(), &paths::bytes(below), target])
}

/// Returns the lines with the record of earlier moves of a PATH, in pieces. Without the last one
/// they do not count.
pub(super) fn notes(root: usize, text: &[u8]) -> String {
    let root = root.to_string();
    let mut pieces = text.chunks(PIECE).peekable();
    let mut lines = String::new();
    while let Some(piece) = pieces.next() {
        let end: &[u8] = if pieces.peek().is_some() { b"more" } else { b"end" };
        lines += &line("notes", &[root.as_bytes(), piece, end]);
    }
    if text.is_empty() {
        lines = line("notes", &[root.as_bytes(), b"", b"end"]);
    }
    lines
}

/// Writes the lines of edits whose document begins at `at` in the new file. Returns their number: a
/// long edit is written as several, of which all but the first insert.
pub(super) fn edits(changes: &Changes, at: u64, out: &mut String) -> usize {
    let mut n_lines = 0;
    for (span, old) in changes.pieces() {
        out.push_str(&format!("edit\t{}\t{}\t", at + span.start, span.end - span.start));
        escape(old, out);
        out.push('\n');
        n_lines += 1;
    }
    n_lines
}

/// The last line of a document.
pub(super) const END: &str = "end\n";

fn read_document(fields: &[&str]) -> Option<(Document, usize)> {
    let [root, below, old, new, n_edits, renamed, kept, old_len, new_len] = fields else {
        return None;
    };
    if old.len() != N_DIGITS || new.len() != N_DIGITS {
        return None;
    }
    let document = Document {
        root: root.parse().ok()?,
        below: path_below(below)?,
        old: (*old).to_owned(),
        new: (*new).to_owned(),
        renamed: name(renamed)?,
        moved: None,
        kept: name(kept)?,
        lens: [old_len.parse().ok()?, new_len.parse().ok()?],
    };
    Some((document, n_edits.parse().ok()?))
}

/// Reads a journal; returns `None` if the file is not one.
///
/// # Errors
///
/// Those of the reader, and an error for a journal of another version.
pub fn read(mut journal: impl Read + Seek) -> io::Result<Option<Contents>> {
    let len = journal.seek(SeekFrom::End(0))?;
    if len > lines::MOST_OF_FILE {
        return Err(io::Error::other("it is too large for a journal; move it away"));
    }
    journal.seek(SeekFrom::Start(0))?;
    let mut journal = BufReader::new(journal);
    // A file with another beginning, however long it is, is not read.
    let head = journal.fill_buf()?;
    let is_ours =
        head.iter().zip(START.as_bytes()).take(NAME.len()).all(|(one, other)| one == other);
    if !is_ours {
        return Ok(None);
    }
    let mut contents = Contents::default();
    let (mut notes, mut renames) = (Vec::new(), Recorded::default());
    let mut version = None;
    // A document whose end has not come, and the number of its remaining edits.
    let mut open: Option<(Noted, usize)> = None;
    let is_cut = lines::each(journal, 0, lines::MOST, |at, line| {
        if at == 0 {
            let line = line.unwrap_or_default();
            version = Some(line.strip_prefix(NAME).unwrap_or_default().to_owned());
            return line == START.trim_end();
        }
        let line = line.unwrap_or_default();
        let fields: Vec<&str> = line.split('\t').collect();
        match (&*fields, &mut open) {
            (["edit", ..], Some((noted, n_left))) if *n_left > 0 => {
                if *n_left == noted.edits.1 {
                    noted.edits.0 = at;
                }
                *n_left -= 1;
                return true;
            }
            (["end"], Some((_, 0))) => {
                contents.documents.extend(open.take().map(|(noted, _)| noted));
            }
            (["document", fields @ ..], _) => {
                contents.torn.extend(open.take().map(|(noted, _)| noted.document));
                open = read_document(fields)
                    .map(|(document, n_edits)| (Noted { document, edits: (at, n_edits) }, n_edits));
            }
            (_, open) => {
                // An incomplete line and its document, or a line of another kind.
                contents.torn.extend(open.take().map(|(noted, _)| noted.document));
                contents.take(&fields, &mut notes, &mut renames);
            }
        }
        true
    })?;
    contents.torn.extend(open.map(|(noted, _)| noted.document));
    contents.is_cut = is_cut;
    contents
        .directories
        .sort_by(|one, other| (one.root, &one.below).cmp(&(other.root, &other.below)));
    // If a run that continued recorded one again, it was as before.
    contents
        .directories
        .dedup_by(|one, other| (one.root, &one.below) == (other.root, &other.below));
    match version {
        Some(version) if START != format!("{NAME}{version}\n") => {
            Err(io::Error::other(messages::of_other_version(version)))
        }
        // A journal is created first, and then written.
        _ => Ok(Some(contents)),
    }
}

impl Contents {
    /// Returns true if any document may have been written over, or if files may have been created
    /// by a run that only does that.
    pub fn has_noted(&self) -> bool {
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

    /// Reads a line that does not belong to a document.
    fn take(&mut self, fields: &[&str], notes: &mut Vec<u8>, renames: &mut Recorded) {
        match fields {
            ["rename" | "renames", ..] => renames.take(fields, &mut self.renames),
            ["directory", fields @ ..] => self.directories.extend(read_directory(fields)),
            ["replaced", fields @ ..] => self.replaced.extend(read_replaced(fields)),
            ["made", root, below] => self.made.extend(read_made(root, below)),
            ["creates"] => self.creates = true,
            ["builds", directory] => self.builds = name(directory).flatten(),
            ["root", root] => self.roots.extend(word(root).map(PathBuf::from)),
            ["self", id @ ..] => self.own = Identity::read(id),
            ["id", root, id @ .., kind] => {
                if let (Ok(root), Some(id), Some(kind)) =
                    (root.parse(), Identity::read(id), Kind::read(kind))
                {
                    self.ids.insert(root, (id, kind));
                }
            }
            ["notes", _, text, "more"] => notes.extend(unescaped(text)),
            ["notes", root, text, "end"] => {
                notes.extend(unescaped(text));
                let notes = std::mem::take(notes);
                let Ok(root) = root.parse() else { return };
                self.notes.push((root, notes));
            }
            ["link", root, below, target] => {
                if let (Ok(root), Some(below), Some(target)) =
                    (root.parse(), path_below(below), word(target))
                {
                    self.links.push((root, below, target.into()));
                }
            }
            ["see", journal] => self.see = word(journal).map(PathBuf::from),
            ["run", _, command] => self.line = CommandLine::of_json(&unescaped(command)),
            _ => {}
        }
    }
}

impl Noted {
    /// Returns the edits of the document, read from the journal again.
    ///
    /// # Errors
    ///
    /// Those of the reader, and an error if they do not exist any more.
    pub fn changes(&self, journal: impl Read + Seek) -> io::Result<Changes> {
        let mut changes = Changes::default();
        self.each_edit(&mut lines::Reader::new(journal)?, |at, len, old| {
            changes.push(at, len, old);
            Ok(())
        })?;
        Ok(changes)
    }

    /// Returns the number of its edits.
    pub fn n_edits(&self) -> usize {
        self.edits.1
    }

    /// Reads the edits of the document again, one by one: their place and length in the new file,
    /// and the old bytes.
    ///
    /// # Errors
    ///
    /// Those of the reader and of `take`, and an error if they do not exist any more.
    pub fn each_edit(
        &self,
        journal: &mut lines::Reader<impl Read + Seek>,
        mut take: impl FnMut(u64, u64, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let (at, n_edits) = self.edits;
        if n_edits == 0 {
            return Ok(());
        }
        journal.go_to(at)?;
        let (mut n_read, mut taken) = (0, Ok(()));
        lines::each(journal, at, lines::MOST, |_, line| {
            let line = line.unwrap_or_default();
            let fields: Vec<&str> = line.split('\t').collect();
            if let ["edit", at, len, old] = *fields
                && let (Ok(at), Ok(len)) = (at.parse(), len.parse())
            {
                taken = take(at, len, &unescaped(old));
                n_read += 1;
                return taken.is_ok() && n_read < n_edits;
            }
            false
        })?;
        taken?;
        match n_read == n_edits {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn sample() -> Document {
        Document {
            root: 1,
            below: PathBuf::from("a\tb/100%/é.html"),
            old: "0".repeat(N_DIGITS),
            new: "1".repeat(N_DIGITS),
            renamed: None,
            moved: None,
            kept: Some(OsString::from("é.html.orig")),
            lens: [7, 8],
        }
    }

    fn command() -> CommandLine {
        let mut command = CommandLine::named("move");
        command.options.insert("to".to_owned(), "x\ty".into());
        command
    }

    fn text() -> String {
        let mut changes = Changes::default();
        changes.push(3, 2, b"\n\xff%41");
        changes.push(9, 0, b"x");
        let mut text = START.to_owned();
        text += &line("root", &[b"/a b"]);
        text += &run("id", &command());
        text += &document(&sample(), 2);
        edits(&changes, 100, &mut text);
        text + END
    }

    #[test]
    fn what_was_written_is_read() {
        let text = text();
        let contents = read(Cursor::new(&text)).unwrap().unwrap();
        assert_eq!(contents.roots, [Path::new("/a b")]);
        assert_eq!(contents.line, Some(command()));
        assert_eq!(contents.documents.len(), 1);
        assert_eq!(contents.documents[0].document, sample());
        let changes = contents.documents[0].changes(Cursor::new(&text)).unwrap();
        let changes: Vec<_> = changes.iter().map(|(span, old)| (span, old.to_vec())).collect();
        assert_eq!(changes, [(103..105, b"\n\xff%41".to_vec()), (109..109, b"x".to_vec())]);
    }

    #[test]
    fn what_was_broken_off_does_not_count() {
        let text = text();
        // The end may be incomplete: a document that was written over is recognized by its hash.
        for end in START.len()..text.len() - END.len() {
            let broken = &text[..end];
            assert!(read(Cursor::new(broken)).unwrap().unwrap().documents.is_empty(), "{broken}");
            // The run that continues begins a new line, and its own documents count.
            let both = format!("{broken}\n{}", &text[START.len()..]);
            let contents = read(Cursor::new(&both)).unwrap().unwrap();
            assert_eq!(contents.documents.len(), 1, "{both}");
            assert_eq!(contents.documents[0].changes(Cursor::new(&both)).unwrap().len(), 2);
        }
        assert!(read(Cursor::new("mine\n")).unwrap().is_none());
        assert!(read(Cursor::new("")).unwrap().is_some());
    }

    #[test]
    fn paths_that_lead_out_of_the_tree_are_not_read() {
        for below in ["..", "a/../../b", "/etc/passwd", ".", "", "a%00b"] {
            let hash = "0".repeat(N_DIGITS);
            let line = ["0", below, &hash, &hash, "0", "", "", "7", "8"];
            assert_eq!(read_document(&line), None, "{below}");
            let line = ["0", "x", &hash, &hash, "0", below, "", "7", "8"];
            assert!(below.is_empty() || read_document(&line).is_none(), "{below}");
        }
        let hash = "0".repeat(N_DIGITS);
        let read = |kept: &str, len: &str| {
            read_document(&["0", "x", &hash, &hash, "0", "", kept, "7", len]).is_some()
        };
        assert!(read("b", "8") && !read("a/b", "8") && !read("b", ""));
    }
}
