//! The directories of a run that have URLs, found on the way to a path in one pass.

use std::collections::HashMap;

/// The numbers of directories by their paths: a trie of names, whose first nodes are the PATHs.
#[derive(Debug, Default)]
pub struct DirectoryIndex {
    nodes: Vec<Node>,
}

#[derive(Debug, Default)]
struct Node {
    /// The nodes of the directories in this one, by name.
    inner: HashMap<Box<[u8]>, usize>,
    /// The number of this directory, if it has a URL.
    directory: Option<usize>,
}

impl DirectoryIndex {
    /// Creates the index of so many PATHs.
    pub fn new(n_roots: usize) -> Self {
        DirectoryIndex { nodes: (0..n_roots).map(|_| Node::default()).collect() }
    }

    /// Adds the directory at `path` below a PATH: empty, or with a slash at its end.
    pub fn add(&mut self, root: usize, path: &[u8], directory: usize) {
        let mut at = root;
        for name in directories(path) {
            at = match self.nodes[at].inner.get(name) {
                Some(next) => *next,
                None => {
                    let next = self.nodes.len();
                    self.nodes.push(Node::default());
                    self.nodes[at].inner.insert(name.into(), next);
                    next
                }
            };
        }
        self.nodes[at].directory = Some(directory);
    }

    /// Returns the number of the directory at `path`, which ends with a slash.
    pub fn get(&self, root: usize, path: &[u8]) -> Option<usize> {
        self.innermost(root, path)
            .filter(|(_, len)| *len == path.len())
            .map(|(directory, _)| directory)
    }

    /// Returns the number of the innermost directory that contains `path`, and the length of its
    /// own path.
    pub fn innermost(&self, root: usize, path: &[u8]) -> Option<(usize, usize)> {
        let (mut at, mut len) = (root, 0);
        let mut found = self.nodes[at].directory.map(|directory| (directory, 0));
        for name in directories(path) {
            let Some(next) = self.nodes[at].inner.get(name) else { break };
            at = *next;
            len += name.len() + 1;
            found = self.nodes[at].directory.map(|directory| (directory, len)).or(found);
        }
        found
    }
}

/// Returns the names of a path that are followed by a slash.
fn directories(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = path.iter().rposition(|byte| *byte == b'/');
    path[..end.unwrap_or(0)].split(|byte| *byte == b'/').filter(move |_| end.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_directory_is_found() {
        let mut index = DirectoryIndex::new(2);
        index.add(0, b"", 0);
        index.add(0, b"a/b/", 1);
        index.add(1, b"c/", 2);
        assert_eq!(index.innermost(0, b"x"), Some((0, 0)));
        assert_eq!(index.innermost(0, b"a/b"), Some((0, 0)));
        assert_eq!(index.innermost(0, b"a/b/c/d"), Some((1, 4)));
        assert_eq!(index.innermost(0, b"a//b/c"), Some((0, 0)));
        assert_eq!(index.innermost(1, b"/c/x"), None);
        assert_eq!(index.innermost(1, b"c/"), Some((2, 2)));
        assert_eq!(index.get(0, b"a/"), None);
        assert_eq!(index.get(0, b"a/b/"), Some(1));
    }
}
