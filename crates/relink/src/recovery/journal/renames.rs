//! The lines of a journal about files that are renamed after all documents are written.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::fields::{line, path_below, unescaped, word};
use super::record::Contents;
use crate::os::attributes::DirectoryState;
use crate::os::paths;
use crate::recovery::write::old_directories::OldDirectory;
use crate::recovery::write::replaced::Replaced;

/// Returns the lines of the files that are renamed.
pub(super) fn renames(steps: &[(usize, PathBuf, PathBuf)]) -> String {
    let mut lines = String::new();
    for (root, old, new) in steps {
        let root = root.to_string();
        lines += &line("rename", &[root.as_bytes(), &paths::bytes(old), &paths::bytes(new)]);
    }
    lines + &line("renames", &[steps.len().to_string().as_bytes()])
}

/// Returns the line of a directory as it is before files are renamed.
pub(super) fn directory(old: &OldDirectory) -> String {
    let OldDirectory { root, below, state } = old;
    let DirectoryState { mode, owner, modified, attributes } = state;
    let (seconds, nanoseconds) = modified.unwrap_or_default();
    let numbers = [
        root.to_string(),
        format!("{mode:o}"),
        owner.0.to_string(),
        owner.1.to_string(),
        seconds.to_string(),
        nanoseconds.to_string(),
    ];
    let mut fields: Vec<&[u8]> = numbers.iter().map(String::as_bytes).collect();
    let below = paths::bytes(below);
    fields.push(&below);
    fields.extend(attributes.iter().flat_map(|(name, value)| [name.as_bytes(), &**value]));
    line("directory", &fields)
}

/// Reads the line of a directory.
pub(super) fn read_directory(fields: &[&str]) -> Option<OldDirectory> {
    let [root, mode, user, group, seconds, nanoseconds, below, attributes @ ..] = fields else {
        return None;
    };
    let below = path_or_root(below)?;
    let (pairs, rest) = attributes.as_chunks();
    let attribute = |[name, value]: &[&str; 2]| {
        Some((String::from_utf8(unescaped(name)).ok()?, unescaped(value)))
    };
    let state = DirectoryState {
        mode: u32::from_str_radix(mode, 8).ok()?,
        owner: (user.parse().ok()?, group.parse().ok()?),
        modified: Some((seconds.parse().ok()?, nanoseconds.parse().ok()?)),
        attributes: pairs.iter().map(attribute).collect::<Option<_>>()?,
    };
    rest.is_empty().then_some(OldDirectory { root: root.parse().ok()?, below, state })
}

/// Returns the lines of directories that are created again.
pub(super) fn made(places: &[(usize, PathBuf)]) -> String {
    let of = |(root, below): &(usize, PathBuf)| {
        line("made", &[root.to_string().as_bytes(), &paths::bytes(below)])
    };
    places.iter().map(of).collect()
}

/// Reads the line of a directory that is created again.
pub(super) fn read_made(root: &str, below: &str) -> Option<(usize, PathBuf)> {
    Some((root.parse().ok()?, path_or_root(below)?))
}

/// Returns the path of a directory below a PATH; the PATH itself has an empty one.
fn path_or_root(field: &str) -> Option<PathBuf> {
    if field.is_empty() { Some(PathBuf::new()) } else { path_below(field) }
}

/// Returns the line of a file that is replaced.
pub(super) fn replaced(file: &Replaced) -> String {
    let Replaced { path, old, new } = file;
    let (is, old) = match old {
        Some(old) => (&b"was"[..], &old[..]),
        None => (&b"absent"[..], &b""[..]),
    };
    line("replaced", &[path.as_os_str().as_encoded_bytes(), new.as_bytes(), is, old])
}

/// Reads the line of a file that is replaced.
pub(super) fn read_replaced(fields: &[&str]) -> Option<Replaced> {
    let [path, new, is, old] = fields else { return None };
    let old = match *is {
        "was" => Some(unescaped(old)),
        "absent" => None,
        _ => return None,
    };
    Some(Replaced { path: word(path)?.into(), old, new: (*new).to_owned() })
}

/// The lines that were read so far.
#[derive(Debug, Default)]
pub(super) struct Recorded(Vec<(usize, PathBuf, PathBuf)>);

impl Recorded {
    /// Reads a line; the last one completes `all`.
    pub(super) fn take(&mut self, fields: &[&str], all: &mut Vec<(usize, PathBuf, PathBuf)>) {
        match fields {
            ["rename", root, old, new] => {
                if let (Ok(root), Some(old), Some(new)) =
                    (root.parse(), path_below(old), path_below(new))
                {
                    self.0.push((root, old, new));
                }
            }
            ["renames", n] => {
                let n = n.parse().unwrap_or(usize::MAX);
                // Those of a run that was interrupted before it had recorded all may come first.
                if let Some(first) = self.0.len().checked_sub(n) {
                    *all = self.0.split_off(first);
                }
                self.0.clear();
            }
            _ => {}
        }
    }
}

impl Contents {
    /// Returns the new paths of the files that are renamed after all documents are written, by
    /// their numbers of the root and their old paths.
    pub fn renamed(&self) -> BTreeMap<(usize, PathBuf), PathBuf> {
        let mut old: BTreeMap<(usize, PathBuf), PathBuf> = BTreeMap::new();
        for (root, from, to) in &self.renames {
            // The second step of a file begins where the first has ended.
            let first = old.remove(&(*root, from.clone())).unwrap_or_else(|| from.clone());
            old.insert((*root, to.clone()), first);
        }
        old.into_iter().map(|((root, new), old)| ((root, old), new)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::recovery::journal::record::{START, read};

    #[test]
    fn only_a_complete_list_counts() {
        let step = |old: &str, new: &str| (0, PathBuf::from(old), PathBuf::from(new));
        let steps =
            [step("a", ".relink-rename-0"), step("b\tc", "é/%"), step(".relink-rename-0", "a/b")];
        let text = START.to_owned() + &renames(&steps);
        let contents = read(Cursor::new(&text)).unwrap().unwrap();
        assert_eq!(contents.renames, steps);
        let renamed = contents.renamed();
        assert_eq!(renamed.len(), 2);
        assert_eq!(renamed[&(0, PathBuf::from("a"))], PathBuf::from("a/b"));
        for end in START.len()..text.len() {
            let broken = &text[..end];
            assert!(read(Cursor::new(broken)).unwrap().unwrap().renames.is_empty(), "{broken}");
            // The run that continues records all of them again.
            let both = format!("{broken}\n{}", &text[START.len()..]);
            assert_eq!(read(Cursor::new(&both)).unwrap().unwrap().renames, steps, "{both}");
        }
    }
}
