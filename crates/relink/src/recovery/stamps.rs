//! What a run with `--update` has read and written, next to OUT: if nothing has changed on either
//! side, the next one opens no file.
//!
//! A tree is as it was if the names, kinds, modes, sizes, times and inodes of all its entries are.
//! What a document becomes may depend on any other file (their names, their digests, error pages),
//! so one change on either side is a reason to convert all of them again. A stamp is not trusted if
//! a file could have changed after that without another stamp: if its time is not older than the
//! moment at which it was read, as git does it (`Documentation/technical/racy-git.adoc`).

use std::ffi::OsString;
use std::fs::Metadata;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::events::Severity;
use crate::events::summary::Summary;
use crate::files::own_files::{self, STAMPS};
use crate::files::walk::{self, EntryKind};
use crate::os::digest::{self, ContentHash, Hasher};
use crate::os::dirs::{self, Location};
use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::paths::Root;
use crate::recovery::journal::lock;
use crate::recovery::write::{self, WriteOptions};

/// The kind of the record.
const RECORD: &str = "relink-stamps";

/// The version of the format.
const VERSION: u32 = 1;

/// The longest index, in bytes, and the largest number of messages in it.
const LONGEST: u64 = 16 << 20;
const MOST_MESSAGES: usize = 10_000;

/// What a run was, and what it has found.
#[derive(Debug, Serialize, Deserialize)]
pub struct Stamps<S = Summary> {
    record: String,
    version: u32,
    /// The digest of the version of this program, the command and its options.
    run: ContentHash,
    /// The digest of the stamps of the input.
    input: ContentHash,
    /// That of the output.
    output: ContentHash,
    /// The messages of the run, and the number of those before its sums.
    pub messages: Vec<(Severity, String)>,
    /// The number of messages before the sums.
    pub n_before: usize,
    /// The sums.
    pub summary: S,
}

/// The place of the stamps of an output, and what the run that is about to begin would find.
pub struct StampsPlace {
    at: Location,
    run: ContentHash,
    input: ContentHash,
    outputs: Vec<Root>,
}

impl StampsPlace {
    /// Looks at the input of a run. Returns `None` if its stamps do not say that it is as it was.
    pub fn of(run: &str, roots: &[Root], out: &Path, outputs: &[PathBuf]) -> Option<Self> {
        let mut name = OsString::from(".");
        name.push(out.file_name()?);
        name.push(STAMPS);
        let path = out.with_file_name(name);
        if path.symlink_metadata().is_ok() && !own_files::is_note(&path) {
            return None;
        }
        let at = dirs::beside(&path).ok()?;
        let input = digest_before_now(roots, &at)?;
        let run = digest::of_bytes(format!("{} {run}", env!("CARGO_PKG_VERSION")).as_bytes());
        let outputs = outputs.iter().map(|out| Root::new(out.clone())).collect();
        Some(StampsPlace { at, run, input, outputs })
    }

    /// Returns the stamps of the last run, if that was the same and nothing has changed since.
    pub fn earlier(&self) -> Option<Stamps> {
        let (file, metadata) = self.at.open().ok()?;
        lock::check_own(&metadata).ok()?;
        let mut text = Vec::new();
        file.take(LONGEST + 1).read_to_end(&mut text).ok()?;
        let earlier: Stamps = serde_json::from_slice(&text).ok()?;
        let is_same = earlier.record == RECORD
            && earlier.version == VERSION
            && (&earlier.run, &earlier.input) == (&self.run, &self.input);
        let written = metadata.modified().ok()?;
        let is_same = is_same && of_trees(&self.outputs, written)?.ok()? == earlier.output;
        is_same.then_some(earlier)
    }

    /// Removes the stamps, before anything is written into the output.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub fn remove(&self) -> Result<(), Failure> {
        match self.at.remove() {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Failure::removing(self.at.path())(error))
            }
            _ => Ok(()),
        }
    }

    /// Keeps the stamps of a run that is complete, if the next one can trust them.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub fn keep(
        self,
        messages: Vec<(Severity, String)>,
        n_before: usize,
        summary: &Summary,
    ) -> Result<(), Failure> {
        if messages.len() > MOST_MESSAGES {
            return Ok(());
        }
        let output = digest_before_now(&self.outputs, &self.at);
        let Some(output) = output else { return Ok(()) };
        let StampsPlace { at, run, input, .. } = self;
        let record = RECORD.to_owned();
        let stamps =
            Stamps { record, version: VERSION, run, input, output, messages, n_before, summary };
        let mut text = Vec::new();
        // Writing to memory does not fail.
        drop(messages::write_json(&mut text, &stamps));
        let options = WriteOptions::durable(false).private();
        write::bytes(&at, &text, None, options).map(drop)
    }
}

/// Returns the digest of the stamps of trees, if all of them are older than the clock of the file
/// system next to OUT. The last files may be as young as that: until its next step.
#[expect(clippy::disallowed_methods, reason = "a clock of a file system sends no event")]
fn digest_before_now(roots: &[Root], at: &Location) -> Option<ContentHash> {
    for n_waits in 0..8u32 {
        thread::sleep(Duration::from_millis(4) * n_waits);
        let now = at.temporary(0o600).and_then(|temp| temp.file().metadata()?.modified());
        if let Ok(digest) = of_trees(roots, now.ok()?)? {
            return Some(digest);
        }
    }
    None
}

/// A file is not older than the clock.
struct Young;

/// Returns the digest of the stamps of trees, if all of them are older than `clock`. Returns `None`
/// if stamps cannot say that nothing has changed, as with a link to a directory.
fn of_trees(roots: &[Root], clock: SystemTime) -> Option<Result<ContentHash, Young>> {
    let mut hasher = Hasher::default();
    for entry in walk::entries(roots) {
        let entry = entry.ok()?;
        let path = entry.path.as_path();
        let is_link = entry.kind == EntryKind::Link;
        if !is_link && !matches!(entry.kind, EntryKind::File | EntryKind::Directory) {
            return None;
        }
        let followed = match is_link.then(|| path.metadata()) {
            Some(Ok(found)) if found.is_dir() => return None,
            Some(Ok(found)) => Some(found),
            _ => None,
        };
        let found = path.symlink_metadata().ok()?;
        let below = entry.below.as_os_str().as_encoded_bytes();
        let mut add = |number: u64| hasher.write_all(&number.to_le_bytes()).ok();
        add(entry.root as u64)?;
        add(below.len() as u64)?;
        for found in followed.iter().chain([&found]) {
            let (numbers, changed) = stamp(found)?;
            if changed >= clock {
                return Some(Err(Young));
            }
            numbers.into_iter().try_for_each(&mut add)?;
        }
        hasher.write_all(below).ok()?;
    }
    Some(Ok(hasher.finish()))
}

/// Returns the stamp of a file, and the time of its last change, also one of its mode or name.
#[cfg(unix)]
fn stamp(found: &Metadata) -> Option<([u64; 8], SystemTime)> {
    use std::os::unix::fs::MetadataExt;

    let seconds = u64::try_from(found.ctime()).ok()?;
    let nanoseconds = u32::try_from(found.ctime_nsec()).ok()?;
    let numbers = [
        found.dev(),
        found.ino(),
        found.mode().into(),
        found.size(),
        found.mtime().cast_unsigned(),
        found.mtime_nsec().cast_unsigned(),
        seconds,
        nanoseconds.into(),
    ];
    Some((numbers, SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds)))
}

/// Elsewhere a file can change without another stamp.
#[cfg(not(unix))]
fn stamp(_: &Metadata) -> Option<([u64; 8], SystemTime)> {
    None
}
