//! Files outside of a tree that a run replaces as a whole, such as its redirects: what was there
//! before is recorded, so that `undo` restores it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::WriteOptions;
use crate::os::digest::{self, ContentHash};
use crate::os::dirs;
use crate::os::failure::Failure;
use crate::os::paths;

/// The reason why a file stays that is not as the run has written it.
const CHANGED: &str = "not restored; the file was changed since the run";

/// The longest manifest, in bytes, that is recorded when another one takes its place.
const LONGEST: u64 = 16 << 20;

/// A file that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// Its path, from the root of the file system.
    pub path: PathBuf,
    /// What it contained; `None` if it did not exist.
    pub old: Option<Vec<u8>>,
    /// The hash of what it contains then.
    pub new: ContentHash,
}

impl Replaced {
    /// Returns what is at a path, before `new` is written there.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path, if it cannot be read.
    pub fn before(path: &Path, new: &[u8]) -> Result<Self, Failure> {
        let path = paths::absolute(path);
        let old = read(&path)?;
        Ok(Replaced { path, old, new: digest::of_bytes(new) })
    }

    /// The same, given the hash of what will be there. Returns `None` if what is there is too long
    /// to be recorded.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path, if it cannot be read.
    pub fn before_hash(path: &Path, new: ContentHash) -> Result<Option<Self>, Failure> {
        let path = paths::absolute(path);
        if fs::metadata(&path).is_ok_and(|metadata| metadata.len() > LONGEST) {
            return Ok(None);
        }
        let old = read(&path)?;
        Ok(Some(Replaced { path, old, new }))
    }
}

/// Restores what files contained before the first of their records. Returns a failure for each that
/// has other content than the run has written, and stays.
pub fn restore(all: &[Replaced]) -> Vec<Failure> {
    let mut by_path: BTreeMap<&Path, (Option<&[u8]>, Vec<ContentHash>)> = BTreeMap::new();
    for Replaced { path, old, new } in all {
        by_path.entry(path).or_insert((old.as_deref(), Vec::new())).1.push(*new);
    }
    let restored = by_path.into_iter().map(|(path, (old, new))| {
        let now = read(path)?;
        if now.as_deref() == old {
            return Ok(());
        }
        let is_ours = now.is_none_or(|now| new.contains(&digest::of_bytes(&now)));
        if !is_ours {
            return Err(Failure::because(path, CHANGED));
        }
        let at = dirs::beside(path).map_err(Failure::writing(path))?;
        match old {
            Some(old) => super::bytes(&at, old, None, WriteOptions::durable(false)).map(drop),
            None => at.remove().map_err(Failure::removing(path)),
        }
    });
    restored.filter_map(Result::err).collect()
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::reading(path)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_record_counts_and_what_others_wrote_stays() {
        let temp = tempfile::tempdir().unwrap();
        let path = |name: &str| temp.path().join(name);
        let replace = |name: &str, new: &str| {
            let replaced = Replaced::before(&path(name), new.as_bytes()).unwrap();
            fs::write(path(name), new).unwrap();
            replaced
        };
        fs::write(path("a"), "old").unwrap();
        // A run that was continued has written each twice.
        let all =
            [replace("a", "new"), replace("a", "newer"), replace("b", "x"), replace("c", "x")];
        fs::write(path("c"), "mine").unwrap();
        let failures = restore(&all);
        assert_eq!(fs::read_to_string(path("a")).unwrap(), "old");
        assert!(!path("b").exists());
        assert_eq!(fs::read_to_string(path("c")).unwrap(), "mine");
        assert_eq!(failures.len(), 1);
        // Again, nothing is left to do.
        assert_eq!(restore(&all[..3]).len(), 0);
    }
}
