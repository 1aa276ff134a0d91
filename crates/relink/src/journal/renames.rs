//! The lines of a journal about files that are renamed after all documents are written.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::record::{Contents, line, path_below};
use crate::paths;

/// Returns the lines of the files that are renamed.
pub(super) fn renames(steps: &[(usize, PathBuf, PathBuf)]) -> String {
    let mut lines = String::new();
    for (root, old, new) in steps {
        let root = root.to_string();
        lines += &line("rename", &[root.as_bytes(), &paths::bytes(old), &paths::bytes(new)]);
    }
    lines + &line("renames", &[steps.len().to_string().as_bytes()])
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
    use crate::journal::record::{START, read};

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
