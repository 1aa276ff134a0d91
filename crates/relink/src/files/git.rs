//! The files that git tracks, read from the index of a work tree: git itself is not run, because
//! the settings of a tree could make it start other programs.
//!
//! The format is that of gitformat-index(5), versions 2 to 4. Invariant: what cannot be read with
//! certainty counts as no work tree, and memory is bounded by `MAX_BYTES`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::os::paths;

/// The most bytes of an index, and of all paths in it, that are read.
const MAX_BYTES: usize = 1 << 28;

/// The most bytes of a path.
const MAX_PATH: usize = 4096;

/// The length of the checksum at the end of an index, and of each object: SHA-1, then SHA-256.
const HASHES: [usize; 2] = [20, 32];

/// The bytes of an entry before its hash: times, device, inode, mode, owner, size.
const STATUS: usize = 40;

/// A work tree, and the files in it that git tracks.
#[derive(Debug)]
pub struct WorkTree {
    top: PathBuf,
    /// Their paths below the top, with `/` between names, sorted.
    files: Vec<Vec<u8>>,
}

/// Returns the top of the work tree that contains a directory.
pub fn top(directory: &Path) -> Option<&Path> {
    directory.ancestors().find(|path| path.join(".git").exists())
}

impl WorkTree {
    /// Reads the work tree around a directory, whose path has no links. A new one has no index.
    pub fn around(directory: &Path) -> Option<Self> {
        let top = top(directory)?;
        let git_directory = git_directory(top)?;
        let index = git_directory.join("index");
        if !index.exists() && git_directory.join("HEAD").exists() {
            return Some(WorkTree { top: top.to_owned(), files: Vec::new() });
        }
        let metadata = index.metadata().ok()?;
        if !metadata.is_file() || metadata.len() > MAX_BYTES as u64 {
            return None;
        }
        let bytes = fs::read(index).ok()?;
        let mut files = HASHES.iter().find_map(|len| files(&bytes, *len))?;
        // A file in conflict has several entries.
        files.sort_unstable();
        files.dedup();
        Some(WorkTree { top: top.to_owned(), files })
    }

    /// Returns the top directory.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Returns true if git tracks a file at this path, or files in a directory there. The path has
    /// no links above its last name.
    pub fn tracks(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.top) else { return false };
        let name = paths::bytes(below);
        if name.is_empty() {
            return !self.files.is_empty();
        }
        let directory = [&*name, b"/"].concat();
        let first = self.files.partition_point(|file| *file < directory);
        self.files.binary_search(&name).is_ok()
            || self.files.get(first).is_some_and(|file| file.starts_with(&directory))
    }
}

/// Returns the directory of the data of git for a work tree: it is elsewhere for a linked work tree
/// and for a submodule, where `.git` is a file that names it.
fn git_directory(top: &Path) -> Option<PathBuf> {
    let path = top.join(".git");
    let metadata = path.metadata().ok()?;
    if metadata.is_dir() {
        return Some(path);
    }
    if !metadata.is_file() || metadata.len() > MAX_PATH as u64 {
        return None;
    }
    let text = fs::read_to_string(&path).ok()?;
    Some(top.join(text.strip_prefix("gitdir: ")?.trim_end_matches(['\r', '\n'])))
}

/// Returns the paths in an index whose hashes have this length; `None` if it is not one, or if a
/// part of it is in another file.
fn files(index: &[u8], hash_len: usize) -> Option<Vec<Vec<u8>>> {
    let number = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    let version = number(4).filter(|version| (2..=4).contains(version))?;
    if !index.starts_with(b"DIRC") {
        return None;
    }
    let end = index.len().checked_sub(hash_len)?;
    let (mut at, mut n_bytes) = (12, 0);
    let mut files: Vec<Vec<u8>> = Vec::new();
    for _ in 0..number(8)? {
        let start = at;
        at += STATUS + hash_len;
        let flags = u16::from_be_bytes(index.get(at..at + 2)?.try_into().ok()?);
        // From version 3 on, an entry may have more flags.
        at += if flags & 0x4000 != 0 && version > 2 { 4 } else { 2 };
        let mut file = Vec::new();
        if version == 4 {
            // A path continues the one before, without this number of bytes at its end.
            let n_removed = varint(index, &mut at)?;
            let last = files.last().map_or(&[][..], Vec::as_slice);
            file.extend_from_slice(&last[..last.len().checked_sub(n_removed)?]);
        }
        let rest = index.get(at..end)?;
        let len = rest.iter().take(MAX_PATH).position(|byte| *byte == 0)?;
        file.extend_from_slice(&rest[..len]);
        n_bytes += file.len();
        // Lengths from 0xFFF on are not in the flags.
        let len_in_flags = usize::from(flags & 0xFFF);
        let is_right = file.len().min(0xFFF) == len_in_flags && !file.is_empty();
        if !is_right || file.len() > MAX_PATH || n_bytes > MAX_BYTES {
            return None;
        }
        at += len;
        // An entry ends with 1 to 8 zeros, so that its length is a multiple of 8.
        at = if version == 4 { at + 1 } else { start + (at - start + 8) / 8 * 8 };
        files.push(file);
    }
    // Extensions follow. One in lower case changes the list: `link` has a part elsewhere.
    while at + 8 <= end {
        let name = &index[at..at + 4];
        if name.first().is_none_or(|first| !first.is_ascii_uppercase()) && name != b"sdir" {
            return None;
        }
        at = at.checked_add(8)?.checked_add(usize::try_from(number(at + 4)?).ok()?)?;
    }
    (at == end).then_some(files)
}

/// Reads a number as in the offsets of packs: seven bits in each byte, the first the highest.
fn varint(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut value = 0usize;
    loop {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= usize::from(byte & 0x7F);
        if byte & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?.checked_mul(128).filter(|value| *value <= MAX_BYTES)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry of version 2 with this path.
    fn entry(path: &str) -> Vec<u8> {
        let mut entry = vec![0; STATUS + HASHES[0]];
        entry.extend(u16::try_from(path.len()).unwrap().to_be_bytes());
        entry.extend(path.as_bytes());
        let len = (entry.len() + 8) / 8 * 8;
        entry.resize(len, 0);
        entry
    }

    fn index(n: u32, entries: &[u8], rest: &[u8]) -> Vec<u8> {
        let n = n.to_be_bytes();
        [&b"DIRC\0\0\0\x02"[..], &n, entries, rest, &[0; HASHES[0]]].concat()
    }

    #[test]
    fn what_is_no_index_is_not_read() {
        let entries = [entry("a.md"), entry("docs/b.md")].concat();
        let whole = index(2, &entries, b"TREE\0\0\0\x02xy");
        let names = files(&whole, HASHES[0]).unwrap();
        assert_eq!(names, [b"a.md".to_vec(), b"docs/b.md".to_vec()]);
        // An incomplete one gives no other answer.
        for len in 0..whole.len() {
            let found = files(&whole[..len], HASHES[0]);
            assert!(found.is_none_or(|found| found == names), "{len}");
        }
        assert_eq!(files(&whole, HASHES[1]), None);
        assert_eq!(files(&index(3, &entries, b""), HASHES[0]), None);
        assert_eq!(files(&index(2, &entries, b"link\0\0\0\x02xy"), HASHES[0]), None);
        assert_eq!(files(&index(u32::MAX, &entries, b""), HASHES[0]), None);
    }

    #[test]
    fn directories_of_tracked_files_are_tracked() {
        let files = ["a.md", "d-e/x", "d/f/g", "d0"].map(|name| name.as_bytes().to_vec());
        let tree = WorkTree { top: PathBuf::from("/r"), files: files.to_vec() };
        for path in ["/r", "/r/a.md", "/r/d", "/r/d/f", "/r/d/f/g", "/r/d-e"] {
            assert!(tree.tracks(Path::new(path)), "{path}");
        }
        for path in ["/", "/r/a", "/r/d/f/g/h", "/r/d/x", "/r/b", "/ra.md"] {
            assert!(!tree.tracks(Path::new(path)), "{path}");
        }
    }
}
