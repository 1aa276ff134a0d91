//! The Markdown files that `check`, `mv` and `move --from-git` read without `--also markdown`:
//! those that git tracks, and new ones that it would: a file that was just moved is one. Where it
//! tracks nothing, all of a tree without pages. The files of dependencies are not read, since
//! nobody can correct them.

use std::path::Path;
use std::sync::OnceLock;

use rewrite::Media;

use crate::files::git::WorkTree;
use crate::files::ignored::Ignored;
use crate::files::media::{FileType, Types};
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::paths::{self, Root};

/// The directories into which programs put dependencies.
const DEPENDENCIES: [&str; 3] = ["node_modules", "vendor", ".venv"];

/// The Markdown files of a run. What depends on the tree is read when the first of them is found.
#[derive(Debug)]
pub struct MarkdownFiles {
    roots: Vec<OfRoot>,
    /// Read when there is a file that git does not track.
    ignored: OnceLock<Ignored>,
}

#[derive(Debug, Default)]
struct OfRoot {
    work_tree: OnceLock<Option<WorkTree>>,
    has_pages: OnceLock<bool>,
}

impl MarkdownFiles {
    /// Creates the Markdown files of some PATHs.
    pub fn new(roots: &[Root]) -> Self {
        let of_roots = roots.iter().map(|_| OfRoot::default()).collect();
        MarkdownFiles { roots: of_roots, ignored: OnceLock::new() }
    }

    /// Returns true if a Markdown file is read. `allows` returns true for the documents that the
    /// options select.
    pub fn has(
        &self,
        entry: &Entry,
        roots: &[Root],
        types: &Types,
        allows: impl Fn(&Entry) -> bool,
    ) -> bool {
        if entry.is_single || is_listed(entry, roots) {
            return true;
        }
        if is_of_dependency(&entry.below) {
            return false;
        }
        match (self.work_tree(entry.root, roots), roots[entry.root].real()) {
            (Some(work_tree), Some(real)) if work_tree.tracks(real) => {
                !self.is_ignored(entry, roots)
            }
            _ => {
                let has_pages = || has_pages(&roots[entry.root], types, allows);
                !*self.roots[entry.root].has_pages.get_or_init(has_pages)
            }
        }
    }

    /// Returns true for a file that nobody corrects here: one of a dependency, or that git ignores.
    pub fn is_foreign(&self, entry: &Entry, roots: &[Root]) -> bool {
        is_of_dependency(&entry.below) || self.is_ignored(entry, roots)
    }

    /// Returns true for a file that git neither tracks nor would, in a PATH with files that it
    /// tracks.
    fn is_ignored(&self, entry: &Entry, roots: &[Root]) -> bool {
        let real = roots[entry.root].real().zip(self.work_tree(entry.root, roots));
        real.is_some_and(|(real, work_tree)| {
            work_tree.tracks(real)
                && !work_tree.tracks(&real.join(&entry.below))
                && self.ignored.get_or_init(|| Ignored::read(roots)).contains(entry)
        })
    }

    /// Returns the work tree of git that contains a PATH.
    pub fn work_tree(&self, root: usize, roots: &[Root]) -> Option<&WorkTree> {
        let read = || {
            let root =
                roots.get(root).filter(|root| root.store().is_some_and(|it| it.is_disk()))?;
            WorkTree::around(&paths::directory_of(root.real()?))
        };
        self.roots.get(root)?.work_tree.get_or_init(read).as_ref()
    }
}

/// Returns true for a path in a directory of dependencies.
pub fn is_of_dependency(below: &Path) -> bool {
    below.components().any(|name| DEPENDENCIES.iter().any(|other| name.as_os_str() == *other))
}

/// Returns true if a list of the user names the file.
fn is_listed(entry: &Entry, roots: &[Root]) -> bool {
    let files = roots[entry.root].files();
    files.is_some_and(|files| files.binary_search(&entry.below).is_ok())
}

/// Returns true if a PATH contains a page, judging by the names of its files.
fn has_pages(root: &Root, types: &Types, allows: impl Fn(&Entry) -> bool) -> bool {
    let is_page = |entry: Entry| {
        entry.kind == EntryKind::File
            && types.of_path(&entry.path) == FileType::Document(Media::HTML)
            && !is_of_dependency(&entry.below)
            && allows(&entry)
    };
    walk::entries(std::slice::from_ref(root)).filter_map(Result::ok).any(is_page)
}
