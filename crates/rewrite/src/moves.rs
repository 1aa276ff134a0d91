//! The move map of the law (DESIGN section 2): where the targets of references are when the output is in its place.

use std::fmt;

use urlcore::{Dialect, below};

/// Where a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// In the tree, at the URL that is told.
    Inside,
    /// Nowhere: the tree should hold it, at the URL that is told, and does not.
    Missing,
    /// Out of the tree, where it was.
    Outside,
}

/// Tells of each target where it is in the output.
pub trait MoveMap: fmt::Debug + Send + Sync {
    /// Where `target`, an absolute URL, is. Its new URL is left in `new`, which is empty before; what is out of the tree has none.
    /// `is_folder` tells that a folder is meant and not the document that a server shows for it.
    fn moved(&self, target: &str, is_folder: bool, new: &mut String) -> Moved;

    /// Whether `new`, a URL in the output, is that of something in the tree. Asked of a reference whose target is missing: another program,
    /// or an earlier run, may have written it for the place that the output has.
    fn holds(&self, new: &str) -> bool {
        let _ = new;
        false
    }
}

/// Trees that stay where they are.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    roots: Vec<Root>,
}

/// A folder, and all URLs that it goes by; the first is its own.
#[derive(Clone, Debug)]
struct Root {
    names: Vec<String>,
}

impl Roots {
    /// Adds the folder at `url`, which also goes by the URLs `same_as`. Returns its number.
    pub fn add(&mut self, url: String, same_as: impl IntoIterator<Item = String>) -> usize {
        self.roots.push(Root { names: std::iter::once(url).chain(same_as).collect() });
        self.roots.len() - 1
    }

    /// The number of the innermost folder that a URL is in, and what follows the folder's name in it, from its final slash on.
    ///
    /// ```
    /// use rewrite::Roots;
    /// let mut roots = Roots::default();
    /// roots.add("http://h/".into(), ["https://h/".into()]);
    /// roots.add("http://h/a/".into(), []);
    /// assert_eq!(roots.find("https://h/a/b?c"), Some((0, "/a/b?c")));
    /// assert_eq!(roots.find("http://h/a/b?c"), Some((1, "/b?c")));
    /// assert_eq!(roots.find("http://i/"), None);
    /// ```
    pub fn find<'t>(&self, target: &'t str) -> Option<(usize, &'t str)> {
        let found = self.roots.iter().enumerate().filter_map(|(idx, root)| {
            let rests = root.names.iter().filter_map(|name| below(name, target, Dialect::Web));
            rests.min_by_key(|rest| rest.len()).map(|rest| (idx, rest))
        });
        // What remains is the shortest below the innermost.
        found.min_by_key(|(_, rest)| rest.len())
    }

    /// The folder's own URL, without its final slash.
    pub fn url(&self, root: usize) -> &str {
        let url = self.roots[root].names[0].as_str();
        url.strip_suffix('/').unwrap_or(url)
    }
}

impl MoveMap for Roots {
    /// Without any folder all of the site is in the tree.
    fn moved(&self, target: &str, _: bool, new: &mut String) -> Moved {
        if self.roots.is_empty() {
            new.push_str(target);
            return Moved::Inside;
        }
        let Some((root, rest)) = self.find(target) else { return Moved::Outside };
        new.push_str(self.url(root));
        new.push_str(rest);
        Moved::Inside
    }
}
