//! Files that are being written, by their names: a run that was killed leaves them behind.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::{digest, walk};

/// How the names of files begin that are being written: `.relink-RUN-XXXXXX`.
const TEMPORARY: &str = ".relink-";

/// How many letters and digits tell the run.
const N_OF_RUN: usize = 8;

/// And how many the file.
pub const N_OF_FILE: usize = 6;

/// What tells this run from others in the names of half-written files.
pub fn run_id() -> &'static str {
    static ID: LazyLock<String> = LazyLock::new(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
        let mut id = digest::of_bytes(format!("{} {now}", std::process::id()).as_bytes());
        id.truncate(N_OF_RUN);
        id
    });
    &ID
}

/// The run that was writing a file, by the name of that.
fn run_of(path: &Path) -> Option<&str> {
    let rest = path.file_name().and_then(OsStr::to_str)?.strip_prefix(TEMPORARY)?;
    let (run, file) = rest.split_once('-')?;
    let is_id =
        |id: &str, n: usize| id.len() == n && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_id(run, N_OF_RUN) && is_id(file, N_OF_FILE)).then_some(run)
}

/// Whether a file is named as one that is being written: a run that was killed leaves it behind, half-written.
pub fn is_temporary(path: &Path) -> bool {
    run_of(path).is_some()
}

/// Whether one of these runs was writing a file.
fn is_left_by(path: &Path, runs: &[String]) -> bool {
    run_of(path).is_some_and(|run| runs.iter().any(|id| id == run))
}

/// How the names of the files begin that this run writes.
pub fn prefix() -> String {
    format!("{TEMPORARY}{}-", run_id())
}

/// The half-written files of these runs: in a PATH, and beside it, where a single file and the notes of what has moved are written.
pub fn left_by<'r>(root: &Path, runs: &'r [String]) -> impl Iterator<Item = PathBuf> + use<'r> {
    // By whatever links it is named, what is beside it is there.
    let folder = root.canonicalize().ok().and_then(|path| path.parent().map(Path::to_owned));
    let beside = folder.map(fs::read_dir).and_then(io::Result::ok);
    let beside = beside.into_iter().flatten().flatten().map(|entry| entry.path());
    let within = root.is_dir().then(|| walk::own_files(root)).into_iter().flatten();
    beside.chain(within).filter(|path| is_left_by(path, runs))
}
