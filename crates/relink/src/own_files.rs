//! The files that this program makes for itself in a tree: journals, notes of moves, temporary files.
//!
//! A user's own file may have such a name. A journal or a note is known by its first bytes, and a
//! temporary file by the run in its name, which is in the journal of that run.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::digest;
use crate::dirs::{Directory, beside};

/// The suffix of the names of journals.
pub const JOURNAL: &str = ".relink-journal";

/// The suffix of the names of the files that note what has moved.
pub const MOVES: &str = ".relink-moves";

/// What the file at each of these suffixes begins with, if it is one of this program.
const STARTS: [(&str, &[u8]); 2] = [(JOURNAL, b"relink-journal\t"), (MOVES, b"moves\t")];

/// The names of temporary files begin with this: `.relink-RUN-NUMBER`.
const TEMPORARY: &str = ".relink-";

/// How many characters the run has in such a name.
const N_OF_RUN: usize = 8;

/// How many the number has.
const N_OF_NUMBER: usize = 6;

/// Returns the identifier of this run, which is in the names of its temporary files.
pub fn run_id() -> &'static str {
    static ID: LazyLock<String> = LazyLock::new(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
        let mut id = digest::of_bytes(format!("{} {now}", std::process::id()).as_bytes());
        id.truncate(N_OF_RUN);
        id
    });
    &ID
}

/// Returns the name of a temporary file of this run.
pub fn temporary_name(number: u64) -> OsString {
    const DIGITS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut digits = [b'0'; N_OF_NUMBER];
    let mut rest = number;
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[usize::try_from(rest % 36).unwrap_or_default()];
        rest /= 36;
    }
    OsString::from(format!("{TEMPORARY}{}-{}", run_id(), String::from_utf8_lossy(&digits)))
}

/// Returns the run whose temporary file has this name, if it is the name of one.
pub fn run_of(name: &OsStr) -> Option<&str> {
    let rest = name.to_str()?.strip_prefix(TEMPORARY)?;
    let (run, number) = rest.split_once('-')?;
    let is_id =
        |id: &str, n: usize| id.len() == n && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_id(run, N_OF_RUN) && is_id(number, N_OF_NUMBER)).then_some(run)
}

/// Returns true if a file in a tree is a journal or a note of moves: by its name and its first bytes. A file
/// that cannot be read is taken for one.
pub fn is_note(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let has_suffix = |(suffix, _): &&(&str, &[u8])| name.ends_with(suffix.as_bytes());
    let Some((_, start)) = STARTS.iter().find(has_suffix).filter(|_| name.starts_with(b".")) else {
        return false;
    };
    let mut head = Vec::new();
    let read = beside(path).and_then(|location| location.open()).and_then(|(file, _)| {
        // A journal that was just made is empty.
        file.take(start.len() as u64).read_to_end(&mut head)
    });
    read.is_err() || head.is_empty() || head == *start
}

/// Returns the names in a directory of the temporary files of these runs.
pub fn left_in(directory: &Directory, runs: &[String]) -> Vec<OsString> {
    let entries = directory.entries().unwrap_or_default().into_iter();
    let is_left = |name: &OsStr| run_of(name).is_some_and(|run| runs.iter().any(|id| id == run));
    entries.filter(|(name, is_file)| *is_file && is_left(name)).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_temporary_file_contains_its_run() {
        for number in [0, 35, 36, u64::MAX] {
            assert_eq!(run_of(&temporary_name(number)), Some(run_id()));
        }
        assert_ne!(temporary_name(35), temporary_name(36));
        for name in [".relink-abc-000000", "relink-01234567-000000", ".relink-01234567-00000/"] {
            assert_eq!(run_of(OsStr::new(name)), None);
        }
    }
}
