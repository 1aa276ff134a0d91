//! The records of a log: of a [journal](super::journal), of a [manifest](super::manifest), of a
//! [record of moves](super::move_log).
//!
//! A log is JSON Lines (RFC 8259): an object in each line, with its kind in `record`. The first
//! line has the kind of the log and the version of its format; a log of another version is refused.
//! A line without its end does not count. A record with parts, such as a file with its edits, is
//! followed by them, has their number, and counts when all of them have come.
//!
//! A manifest is a finished log: the files of a journal in path order, and a checksum. It depends
//! only on the input and the command; docs/manifest.md describes it.

pub mod document;
pub mod identity;
pub mod lines;
pub mod list;
mod places;

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub(super) use self::document::{
    ContentRecord, EditLine, EditRecord, FileRecord, MovesRecord, write_edits,
};
pub use self::document::{Recorded, RecordedDocument};
use self::identity::Kept;
pub(super) use self::places::{
    DirectoryRecord, LinkRecord, MovedRecord, PlaceRecord, RenameRecord, ReplacedRecord,
};
use crate::os::command_line::CommandLine;
use crate::os::digest::ContentHash;
use crate::os::{messages, stored};

/// A line of a log.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub(super) enum LogRecord {
    /// The first line of a manifest.
    RelinkManifest(ManifestHead),
    /// The first line of a journal.
    RelinkJournal(JournalHead),
    /// The first line of a record of moves.
    RelinkMoves(MovesHead),
    /// The command of a journal; of several ones, the last counts.
    Run(CommandLine),
    /// A directory before files were renamed.
    Directory(DirectoryRecord),
    /// A directory that does not exist, and that an undo creates again.
    Made(PlaceRecord),
    /// A file; its edits follow.
    File(FileRecord),
    /// The record of moves of a PATH; its edits follow.
    Moves(MovesRecord),
    /// An edit that restores old bytes.
    Edit(EditRecord),
    /// A symbolic link of the output.
    Link(LinkRecord),
    /// The number of files that are renamed after the documents; they follow.
    Renames {
        /// Their number.
        renames: usize,
    },
    /// A file that is renamed.
    Rename(RenameRecord),
    /// A file outside of the PATHs that is replaced.
    Replaced(ReplacedRecord),
    /// A document in a record of moves: it has its new content.
    Moved(MovedRecord),
    /// The end of a record of moves: the move is complete.
    Done,
    /// The end of a manifest.
    End(End),
    /// The identities of the log and of the PATHs: in a journal, where the last ones count, and at
    /// the end of a manifest that is kept next to PATH.
    Kept(Kept),
}

/// The beginning of the line of an edit, as this program writes it.
const EDIT_START: &str = "{\"record\":\"edit\",";

/// The beginning of the line of a file, as this program writes it.
const FILE_START: &str = "{\"record\":\"file\",";

/// What a manifest is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ManifestHead {
    pub(super) version: u32,
    /// The version of this program.
    pub(super) relink: String,
    /// The command of the run, without the options that do not change what is written.
    pub(super) command: String,
    /// The number of PATHs for which it is used.
    pub(super) roots: usize,
    pub(super) files: ManifestExtent,
}

/// The files that a manifest lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ManifestExtent {
    /// All files of the output.
    All,
    /// Those that the run has changed.
    Changed,
}

/// What a journal is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JournalHead {
    pub(super) version: u32,
    /// True if the run only creates files: there is nothing to revert.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) creates: bool,
    /// The name of the directory next to the journal in which a new output is built.
    #[serde(default, with = "stored", skip_serializing_if = "Option::is_none")]
    pub(super) builds: Option<OsString>,
    /// The path of the journal itself, if this is the file at a further PATH.
    #[serde(default, with = "stored", skip_serializing_if = "Option::is_none")]
    pub(super) see: Option<PathBuf>,
}

/// What a record of moves is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MovesHead {
    pub(super) version: u32,
    /// The old and new URLs of the PATHs.
    pub(super) moves: Vec<(String, String)>,
}

/// The end of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct End {
    pub(super) files: usize,
    pub(super) edits: usize,
    /// The checksum of all lines before.
    pub(super) sha256: ContentHash,
}

impl LogRecord {
    /// Returns the version in the first line of a log, whatever the rest of the line is.
    fn version_of(line: &str) -> Option<u32> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        serde_json::from_str(line).ok().map(|Versioned { version }| version)
    }

    /// Parses a line. Edits and files are many, and mostly of one form.
    pub(super) fn read(line: &str) -> Option<LogRecord> {
        EditLine::read(line)
            .map(|edit| LogRecord::Edit(edit.into()))
            .or_else(|| LogRecord::read_file(line))
            .or_else(|| serde_json::from_str(line).ok())
    }

    /// Parses the line of a file as this program writes it: where the kind is known first, the rest
    /// need not be kept until it is. Returns `None` for any other line.
    fn read_file(line: &str) -> Option<LogRecord> {
        let file = line.starts_with(FILE_START).then(|| serde_json::from_str(line).ok());
        file.flatten().map(LogRecord::File)
    }

    /// Returns true if a line, which this program has written, is that of an edit, and complete.
    /// Edits are many, and only counted until they are needed.
    pub(super) fn is_edit(line: &str) -> bool {
        let rest = line.strip_prefix(EDIT_START).and_then(|rest| rest.strip_suffix("\"}"));
        // The quote is the end of the old text: it is neither escaped nor the beginning.
        rest.is_some_and(|rest| {
            let n_escapes = rest.bytes().rev().take_while(|byte| *byte == b'\\').count();
            n_escapes.is_multiple_of(2) && !rest.ends_with("\"old\":")
        })
    }

    /// Adds the line to a text.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        // A vector takes all that is written.
        drop(messages::append_json(out, self));
        out.push(b'\n');
    }

    /// Returns the lines of records.
    pub(super) fn lines(records: impl IntoIterator<Item = LogRecord>) -> Vec<u8> {
        let mut out = Vec::new();
        records.into_iter().for_each(|record| record.write(&mut out));
        out
    }
}

fn is_false(is: &bool) -> bool {
    !is
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn json(record: &LogRecord) -> String {
        let mut out = Vec::new();
        record.write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_are_read_as_they_were_written() {
        for (record, expected) in [
            (
                LogRecord::Edit(EditRecord::new(3, 2, "\"é\u{7f}".as_bytes())),
                "{\"record\":\"edit\",\"at\":3,\"length\":2,\"old\":\"\\\"é\\u007f\"}\n",
            ),
            (
                LogRecord::Edit(EditRecord::new(0, 0, b"\xff")),
                "{\"record\":\"edit\",\"at\":0,\"length\":0,\"old_base64\":\"/w==\"}\n",
            ),
            (
                LogRecord::Link(LinkRecord::new(0, Path::new("a"), None, Path::new("../b"))),
                "{\"record\":\"link\",\"root\":0,\"path\":\"a\",\"target\":\"../b\"}\n",
            ),
            (
                LogRecord::Rename(RenameRecord::new(&(0, "b\tc".into(), "é/%".into()))),
                "{\"record\":\"rename\",\"root\":0,\"path\":\"é/%\",\"path_before\":\"b\\tc\"}\n",
            ),
            (LogRecord::Renames { renames: 2 }, "{\"record\":\"renames\",\"renames\":2}\n"),
            (LogRecord::Done, "{\"record\":\"done\"}\n"),
        ] {
            assert_eq!(json(&record), expected);
            let line = expected.trim_end();
            let is_plain = line.contains("\"old\":");
            assert_eq!(EditLine::read(line).is_some(), is_plain);
            assert_eq!(LogRecord::is_edit(line), matches!(record, LogRecord::Edit(_)));
            assert_eq!(LogRecord::read(line), Some(record));
        }
        for wrong in ["", "{}", "{\"record\":\"edit\",\"at\":3,\"length\":2,\"old\":\"\",\"x\":1}"]
        {
            assert_eq!(LogRecord::read(wrong), None, "{wrong}");
        }
        for number in ["01", "-1", "+1", "1.0", "18446744073709551616", ""] {
            let line = format!("{EDIT_START}\"at\":{number},\"length\":0,\"old\":\"\"}}");
            assert_eq!(LogRecord::read(&line), None, "{line}");
        }
        for old in ["\"", "\"a", "\"a\"b\"", "\"\t\"", "\"\\\"", "a"] {
            let line = format!("{EDIT_START}\"at\":0,\"length\":0,\"old\":{old}}}");
            assert_eq!(LogRecord::read(&line), None, "{line}");
        }
    }

    #[test]
    fn a_command_is_read_as_it_was_written() {
        let mut line = CommandLine::named("move");
        line.options.insert("to".to_owned(), "x\ty".into());
        let record = LogRecord::Run(line);
        assert_eq!(
            json(&record),
            "{\"record\":\"run\",\"directory\":\"/\",\"command\":\"move\",\"options\":{\"to\":\"x\\ty\"}}\n"
        );
        assert_eq!(LogRecord::read(&json(&record)), Some(record));
    }
}
