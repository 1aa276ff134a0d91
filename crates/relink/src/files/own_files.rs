//! The files that this program creates for itself in a tree: journals, records of moves, manifests,
//! stamps, lists of what was unpacked, temporary files, and reports, which a user may put there.
//!
//! A user's own file may have such a name. All but the last are recognized by their first bytes,
//! and a temporary file by the checksum in its name.

use std::ffi::{OsStr, OsString};
use std::io::Read;
#[cfg(not(target_family = "wasm"))]
use std::io::{BufRead, BufReader};
use std::path::Path;

use urlcore::escape::encode_path_segment;

use crate::os::paths;
use crate::os::store::Store;
#[cfg(not(target_family = "wasm"))]
use crate::os::store::disk::disk;
use crate::os::temp_names::finished_name;

/// The suffix of the names of journals.
pub const JOURNAL: &str = ".relink-journal";

/// The suffix of the names of the records of moves.
pub const MOVES: &str = ".relink-moves";

/// The suffix of the names of manifests that are kept next to a PATH.
pub const MANIFEST: &str = ".relink-manifest";

/// The suffix of the names of the stamps of an output.
pub const STAMPS: &str = ".relink-stamps";

/// The name of the list of the files that runs have written into an output: their paths, a line
/// each, escaped as in URLs; those of directories that may be empty now end with a slash. After the
/// path of a page, a space and its URL say where it comes from: its references are local, so that
/// this is no base.
pub const UNPACKED: &str = ".relink-unpacked";

/// The first line of such a list.
pub const UNPACKED_START: &[u8] = b"relink-unpacked\t1\n";

/// A longer line of such a list is none of this program, in bytes.
pub const LONGEST_LINE: u64 = 64 << 10;

/// The first bytes of a journal, whatever the version of its format.
pub const JOURNAL_START: &[u8] = b"{\"record\":\"relink-journal\",";

/// The first bytes of a record of moves.
pub const MOVES_START: &[u8] = b"{\"record\":\"relink-moves\",";

/// The first bytes of a manifest, whatever its name.
pub const MANIFEST_START: &[u8] = b"{\"record\":\"relink-manifest\",";

/// The first bytes of stamps, whatever the version of their format.
const STAMPS_START: &[u8] = b"{\"record\":\"relink-stamps\",";

/// The first bytes of the files with these suffixes, if they are of this program.
const STARTS: [(&str, &[u8]); 5] = [
    (JOURNAL, JOURNAL_START),
    (MOVES, MOVES_START),
    (MANIFEST, MANIFEST_START),
    (STAMPS, STAMPS_START),
    (UNPACKED, UNPACKED_START),
];

/// Returns a path below an output as the list of its files has it.
pub fn listed(path: &Path) -> String {
    let mut text = String::new();
    for (idx, name) in path.iter().enumerate() {
        if idx > 0 {
            text.push('/');
        }
        encode_path_segment(&paths::bytes(Path::new(name)), &mut text);
    }
    text
}

/// Returns the URL that the list of an output has for a page in it.
#[cfg(not(target_family = "wasm"))]
pub fn origin_of(page: &Path) -> Option<String> {
    let page = paths::absolute(page);
    page.ancestors().skip(1).find_map(|out| {
        let mut list = BufReader::new(disk().open(&out.join(UNPACKED)).ok()?);
        let start = listed(page.strip_prefix(out).ok()?) + " ";
        let mut line = Vec::new();
        loop {
            line.clear();
            (&mut list).take(LONGEST_LINE).read_until(b'\n', &mut line).ok().filter(|n| *n > 0)?;
            if let Some(url) = line.strip_prefix(start.as_bytes()) {
                let url = str::from_utf8(url.trim_ascii_end()).ok()?;
                // Anyone may have written such a list.
                let is_url = url.contains(':') && url.bytes().all(|byte| byte.is_ascii_graphic());
                return is_url.then(|| url.to_owned());
            }
        }
    })
}

/// Returns true for a name that such a file may have.
pub fn has_name(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let has_suffix = |(suffix, _): &(&str, &[u8])| name.ends_with(suffix.as_bytes());
    name.starts_with(b".") && STARTS.iter().any(has_suffix)
}

/// Returns true if a file in a tree is a journal, a record of moves, a manifest, stamps or a list:
/// by its name and its first bytes. Returns true for a file that cannot be read.
pub fn is_note_in(store: &dyn Store, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let has_suffix = |(suffix, _): &&(&str, &[u8])| name.ends_with(suffix.as_bytes());
    let Some((_, start)) = STARTS.iter().find(has_suffix).filter(|_| name.starts_with(b".")) else {
        return false;
    };
    let mut head = Vec::new();
    let read = store.open(path).and_then(|file| {
        // A new journal is empty.
        file.take(start.len() as u64).read_to_end(&mut head)
    });
    read.is_err() || head.is_empty() || head == *start
}

/// Returns the same for a file of the disk.
#[cfg(not(target_family = "wasm"))]
pub fn is_note(path: &Path) -> bool {
    is_note_in(&*disk(), path)
}

/// Returns the name of the journal of a file or directory, which is next to it.
pub fn journal_name(of: &OsStr) -> OsString {
    let mut name = OsString::from(".");
    name.push(of);
    name.push(JOURNAL);
    name
}

/// Returns true if a directory has the journal of a run, next to it or in it.
#[cfg(not(target_family = "wasm"))]
pub fn has_journal(directory: &Path) -> bool {
    let Ok(directory) = directory.canonicalize() else { return false };
    let beside = directory.file_name().map(|name| directory.with_file_name(journal_name(name)));
    let places = beside.into_iter().chain([directory.join(JOURNAL)]);
    places.into_iter().any(|place| place.symlink_metadata().is_ok() && is_note(&place))
}

/// Returns true if a directory in a tree is an output that is not complete: by its name, and the
/// journal next to it.
pub fn is_unfinished(store: &dyn Store, path: &Path) -> bool {
    let out = path.file_name().and_then(finished_name);
    out.is_some_and(|out| {
        let journal = path.with_file_name(journal_name(&out));
        store.kind(&journal).is_ok() && is_note_in(store, &journal)
    })
}

/// The first bytes of reports: a page, or its data.
const REPORTS: [&[u8]; 2] = [
    b"<!DOCTYPE html>\n<html lang=\"en\" data-report-of=\"relink\">",
    b"{\"type\":\"report\",\"format\":\"relink\",",
];

/// The number of bytes by which a report is recognized.
pub const REPORT_START: usize = 64;

/// Returns true if a file that begins with these bytes is a report of this program. It may be in a
/// tree, and is not a document there.
pub fn is_report(head: &[u8]) -> bool {
    REPORTS.iter().any(|start| head.starts_with(start))
}
