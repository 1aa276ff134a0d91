//! Renames: a map from the old to the new URLs of pages and directories.
//!
//! A list has rows for pages and directories, and rules ([`row`], [`rule`]). For a URL, the row of
//! the page itself counts first, then that of the longest directory that contains it, then the
//! first rule that matches. All renames take place at once: the result of one is not renamed again.
//! `files.rs` has what follows for the files of a tree, `urls.rs` for the targets of references,
//! `redirects.rs` for a server. `naming.rs` has names for files that no list names.

mod error;
pub mod files;
mod names;
pub mod naming;
mod options;
pub mod redirects;
pub mod row;
mod rule;
mod urls;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use rewrite::FixedRoots;
use urlcore::escape::{encode_path_segment, percent_decode};

pub use self::error::RenameError;
use self::error::RenamePlace;
use self::names::{Name, RenamedTree};
pub use self::options::RenameOptions;
use self::row::Row;
use self::rule::Rule;
pub use self::urls::{FromRoot, KnownUrls, RenamedUrls};
use crate::files::container;
use crate::os::paths::Root;
use crate::urls::url_mapping::UrlMapping;

/// A page or directory that is renamed.
#[derive(Debug)]
struct Rename {
    /// The old name as written.
    old: String,
    /// The new URL; of a directory, without its final slash.
    new: String,
    place: RenamePlace,
}

/// The renames of a run, checked.
#[derive(Debug)]
pub struct Renames {
    roots: FixedRoots,
    /// The renames of pages, by their old URLs, with their queries.
    pages: HashMap<String, usize>,
    /// The renames of directories, by their old URLs without final slashes.
    directories: HashMap<String, usize>,
    renames: Vec<Rename>,
    rules: Vec<Rule>,
    /// The names of index files.
    indexes: Vec<String>,
    /// The renames of pages whose directory is a file of the tree.
    in_files: HashSet<usize>,
    /// For each rename, then for each rule: true if it applied to a reference or a file.
    used: Vec<AtomicBool>,
}

/// The new name of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewName {
    /// The new URL, without a fragment.
    pub url: String,
    /// If a directory around it was renamed: its new URL without its final slash, and the number of
    /// segments of the path after it.
    pub directory: Option<(String, usize)>,
    /// The number of the rename or rule.
    by: usize,
}

impl Renames {
    /// Reads and checks renames. `moves` has the old and new URLs of directories that move after
    /// the renames.
    ///
    /// # Errors
    ///
    /// [`RenameError`] if a list cannot be read, or if the renames contradict each other.
    pub fn new(
        options: &RenameOptions,
        roots: &[Root],
        places: &UrlMapping,
        urls: FixedRoots,
        moves: &[(String, String)],
        indexes: Vec<String>,
    ) -> Result<Self, RenameError> {
        let mut renames = Renames {
            roots: urls.clone(),
            pages: HashMap::new(),
            directories: HashMap::new(),
            renames: Vec::new(),
            rules: Vec::new(),
            indexes,
            in_files: HashSet::new(),
            used: Vec::new(),
        };
        let names = RenamedTree::new(roots, places, &urls, moves);
        for (old, new) in &options.pairs {
            let place = RenamePlace::Argument(old.display().to_string());
            let (from, to) = names.pair(old, new, options.are_pairs_done, &place)?;
            renames.add(old.display().to_string(), from, &new.display().to_string(), to, place)?;
        }
        for row in options.rows()? {
            match row {
                Row::Rule { text, place } => renames.rules.push(Rule::parse(&text, &place)?),
                Row::Rename { old, new, place } => {
                    let (from, to) = (names.old(&old, &place)?, names.new_name(&new, &place)?);
                    renames.add(old, from, &new, to, place)?;
                }
            }
        }
        renames.check()?;
        let n_all = renames.renames.len() + renames.rules.len();
        renames.used = (0..n_all).map(|_| AtomicBool::new(false)).collect();
        Ok(renames)
    }

    /// Sets the URLs of the files of the tree: none of them is a directory whose final slash is
    /// missing.
    pub fn set_files<'u>(&mut self, urls: impl Iterator<Item = &'u str>) {
        let is_index = |key: &String| self.indexes.iter().any(|index| key.ends_with(&**index));
        if !self.pages.keys().any(is_index) {
            return;
        }
        let index_in = |url: &str| {
            let key = self.key(url);
            let index = |name| self.pages.get(&format!("{key}/{name}")).copied();
            self.indexes.iter().filter_map(index).collect::<Vec<usize>>()
        };
        self.in_files = urls.flat_map(index_in).collect();
    }

    fn add(
        &mut self,
        old: String,
        from: Name,
        new: &str,
        mut to: Name,
        place: RenamePlace,
    ) -> Result<(), RenameError> {
        // What a directory becomes is a directory, however it is written.
        if from.is_directory && !to.is_directory {
            if to.url.contains('?') || has_extension(&to.url) {
                return Err(RenameError::Kinds { place, old, new: new.to_owned() });
            }
            to.is_directory = true;
        }
        // A page that becomes a directory is its index page.
        if !from.is_directory && to.is_directory {
            to.url.push('/');
        }
        let key = self.key(&from.url);
        let map = if from.is_directory { &mut self.directories } else { &mut self.pages };
        if let Some(number) = map.get(&key).copied() {
            let first = &self.renames[number];
            return if first.new == to.url {
                Ok(())
            } else {
                let new = [(first.new.clone(), first.place.clone()), (to.url, place)];
                Err(RenameError::Contradiction { old, new: Box::new(new) })
            };
        }
        map.insert(key.clone(), self.renames.len());
        // What is below the URL of a zip file are its members.
        if !from.is_directory && !to.is_directory && has_members(&key) {
            self.directories.entry(key).or_insert(self.renames.len());
        }
        self.renames.push(Rename { old, new: to.url, place });
        Ok(())
    }

    /// Checks that the renames of pages, and those of directories, have different new names, and
    /// that they are no cycle. What follows from rules, and from both kinds together, is checked
    /// with the files of the tree.
    fn check(&self) -> Result<(), RenameError> {
        let mut new: HashMap<String, &Rename> = HashMap::new();
        for rename in self.sorted(&self.pages) {
            let Some(other) = new.insert(rename.new.to_lowercase(), rename) else { continue };
            let at = |rename: &Rename| Some(rename.place.clone());
            return Err(if other.new == rename.new {
                RenameError::TwoSources {
                    new: rename.new.clone(),
                    old: [(other.old.clone(), at(other)), (rename.old.clone(), at(rename))].into(),
                }
            } else {
                RenameError::LetterCase {
                    new: [(other.new.clone(), at(other)), (rename.new.clone(), at(rename))].into(),
                }
            });
        }
        self.check_cycles(&self.pages)?;
        self.check_cycles(&self.directories)
    }

    fn check_cycles(&self, map: &HashMap<String, usize>) -> Result<(), RenameError> {
        let mut is_checked = vec![false; self.renames.len()];
        for start in self.sorted_numbers(map) {
            let mut chain = vec![start];
            let next = |last: &usize| map.get(&self.key(&self.renames[*last].new));
            while let Some(next) = chain.last().and_then(next) {
                if let Some(at) = chain.iter().position(|number| number == next) {
                    let name = |number: &usize| {
                        let rename = &self.renames[*number];
                        (rename.old.clone(), rename.place.clone())
                    };
                    // A page that keeps its name is none.
                    if chain.len() - at == 1 {
                        break;
                    }
                    return Err(RenameError::Cycle {
                        names: chain[at..].iter().map(name).collect(),
                    });
                }
                if is_checked[*next] {
                    break;
                }
                chain.push(*next);
            }
            chain.into_iter().for_each(|number| is_checked[number] = true);
        }
        Ok(())
    }

    /// Returns the numbers of renames, in the order of the rows.
    fn sorted_numbers(&self, map: &HashMap<String, usize>) -> Vec<usize> {
        let mut numbers: Vec<usize> = map.values().copied().collect();
        numbers.sort_unstable();
        numbers
    }

    fn sorted(&self, map: &HashMap<String, usize>) -> impl Iterator<Item = &Rename> {
        self.sorted_numbers(map).into_iter().map(|number| &self.renames[number])
    }

    /// Returns the new URL of a page, or of a directory whose URL ends with a slash; `None` if it
    /// keeps its own. `is_directory` is true if the directory itself is meant, and not the page
    /// that a server shows for it.
    pub fn find(&self, url: &str, is_directory: bool) -> Option<NewName> {
        let found = self.look_up(url, is_directory)?;
        self.used[found.by].store(true, Ordering::Relaxed);
        Some(found)
    }

    /// Returns true if a page, or a directory around it, is renamed.
    pub fn is_renamed(&self, url: &str) -> bool {
        self.look_up(url, false).is_some()
    }

    /// As [`Renames::find`], for a URL that nothing in the tree has or points to.
    fn look_up(&self, url: &str, is_directory: bool) -> Option<NewName> {
        let url = url.split('#').next().unwrap_or_default();
        let page = if is_directory { None } else { self.find_page(url) };
        page.or_else(|| self.find_directory(url))
            .or_else(|| if is_directory { None } else { self.find_by_rule(url) })
    }

    /// Returns the URLs of the files of a tree before and after the renames, and those of their
    /// directories.
    pub fn known<'u>(&self, urls: impl Iterator<Item = &'u str>) -> KnownUrls {
        let mut known = KnownUrls::default();
        for old in urls {
            let found = self.look_up(old, false).map(|found| found.url);
            let new = found.as_deref().unwrap_or(old);
            for (url, all) in [(old, &mut known.old), (new, &mut known.new)] {
                let url = self.key(url);
                let mut end = url.len();
                while let Some(slash) = url[..end].rfind('/').filter(|at| *at > 2) {
                    if !all.insert(url[..=slash].to_owned()) {
                        break;
                    }
                    end = slash;
                }
                all.insert(url);
            }
        }
        known
    }

    /// Returns the new URL of a page that has a row of its own.
    fn find_page(&self, url: &str) -> Option<NewName> {
        if self.pages.is_empty() {
            return None;
        }
        let found = |by: usize, url: String| Some(NewName { url, directory: None, by });
        let key = self.key(url);
        if let Some(number) = self.pages.get(&key) {
            return found(*number, self.renames[*number].new.clone());
        }
        let (path, query) = key.split_at(key.find('?').unwrap_or(key.len()));
        let with_query =
            |new: &str| if new.contains('?') { new.to_owned() } else { format!("{new}{query}") };
        if let Some(number) = self.pages.get(path) {
            return found(*number, with_query(&self.renames[*number].new));
        }
        // The page that a server shows for a directory, by its own name: in a layout in which its
        // URL is that of the directory.
        let is_index = |name: &String| {
            path.strip_suffix(name.as_str()).is_some_and(|folder| folder.ends_with('/'))
        };
        if let Some(number) = self
            .indexes
            .iter()
            .find(|name| is_index(name))
            .and_then(|name| self.pages.get(path.strip_suffix(name.as_str())?))
        {
            return found(*number, with_query(&self.renames[*number].new));
        }
        // The page that a server shows for a directory, also if the final slash is missing.
        let slash = if path.ends_with('/') { "" } else { "/" };
        let (name, number) = self
            .indexes
            .iter()
            .find_map(|name| Some((name, *self.pages.get(&format!("{path}{slash}{name}"))?)))
            .filter(|(_, number)| slash.is_empty() || !self.in_files.contains(number))?;
        let new = &self.renames[number].new;
        let directory = new.strip_suffix(name.as_str()).filter(|new| new.ends_with('/'));
        found(number, with_query(directory.unwrap_or(new)))
    }

    /// Returns the new URL by the row of the longest directory.
    fn find_directory(&self, url: &str) -> Option<NewName> {
        if self.directories.is_empty() {
            return None;
        }
        let (mut key, rest) = match self.roots.find(url) {
            Some((number, rest)) => (self.key(self.roots.url(number)), rest),
            None => rewrite::site(url)?,
        };
        let path = &rest[..rest.find('?').unwrap_or(rest.len())];
        let ends = path.match_indices('/').map(|(at, _)| at).chain(std::iter::once(path.len()));
        let (mut longest, mut start) = (None, 0);
        for end in ends {
            key.push_str(&escaped_alike(&path[start..end]));
            if let Some(number) = self.directories.get(&key) {
                longest = Some((*number, end));
            }
            start = end;
        }
        let (by, end) = longest?;
        let new = &self.renames[by].new;
        let n_segments = path[end..].matches('/').count();
        let directory = Some((new.clone(), n_segments));
        Some(NewName { url: format!("{new}{}", &rest[end..]), directory, by })
    }

    /// Returns the new URL by the first rule that matches.
    fn find_by_rule(&self, url: &str) -> Option<NewName> {
        if self.rules.is_empty() || self.roots.find(url).is_none() {
            return None;
        }
        let (site, rest) =
            rewrite::site(&self.key(url)).map(|(site, rest)| (site, rest.to_owned()))?;
        let path = if rest.starts_with('/') { rest } else { format!("/{rest}") };
        let (number, new) = self
            .rules
            .iter()
            .enumerate()
            .find_map(|(number, rule)| Some((number, rule.apply(&path)?)))?;
        let is_absolute = rewrite::site(&new).is_some();
        let slash = if new.starts_with('/') { "" } else { "/" };
        let url = if is_absolute { new } else { format!("{site}{slash}{new}") };
        Some(NewName { url, directory: None, by: self.renames.len() + number })
    }

    /// Returns a URL in the spelling in which URLs are compared: two URLs of one file are equal,
    /// whatever is escaped in their paths.
    fn key(&self, url: &str) -> String {
        let canonical = self.roots.canonical(url);
        let Some((site, rest)) = rewrite::site(&canonical) else { return canonical };
        let (path, query) = rest.split_at(rest.find('?').unwrap_or(rest.len()));
        format!("{site}{}{query}", escaped_alike(path))
    }

    /// Returns the place of a rename or rule.
    pub fn place(&self, found: &NewName) -> &RenamePlace {
        match self.renames.get(found.by) {
            Some(rename) => &rename.place,
            None => &self.rules[found.by - self.renames.len()].place,
        }
    }

    /// Returns a line for each rename and rule that applied to nothing.
    pub fn unused(&self) -> Vec<String> {
        let names = self.renames.iter().map(|rename| (&rename.place, &*rename.old));
        let rules = self.rules.iter().map(|rule| (&rule.place, "the rule"));
        let is_used = |number: usize| self.used[number].load(Ordering::Relaxed);
        names
            .chain(rules)
            .enumerate()
            .filter(|(number, _)| !is_used(*number))
            .map(|(_, (place, name))| {
                format!("{place}: {name} was never met; no file and no reference has this name")
            })
            .collect()
    }

    /// Returns the old and new URLs of pages that have rows of their own.
    pub fn pages(&self) -> BTreeMap<&str, &str> {
        let new = |number: &usize| self.renames[*number].new.as_str();
        self.pages.iter().map(|(old, number)| (old.as_str(), new(number))).collect()
    }

    /// Returns true if a second run of the same renames may rename again.
    pub fn may_rename_twice(&self) -> bool {
        let is_old = |new: &str| self.look_up(new, false).is_some_and(|found| found.url != new);
        !self.rules.is_empty() || self.renames.iter().any(|rename| is_old(&rename.new))
    }
}

/// Returns a path with the escapes that the URLs of files have. An escaped slash stays one.
fn escaped_alike(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for (number, segment) in path.split('/').enumerate() {
        if number > 0 {
            text.push('/');
        }
        encode_path_segment(&percent_decode(segment), &mut text);
    }
    text
}

/// Returns true if a URL has the extension of a container of members.
fn has_members(url: &str) -> bool {
    let extension = url.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let container = extension.and_then(|extension| container::of_extension(&extension));
    container.is_some_and(|container| container.spec().form.has_members_below())
}

/// Returns true if the last segment of a URL has an extension.
fn has_extension(url: &str) -> bool {
    let name = url.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && !extension.bytes().all(|byte| byte.is_ascii_digit())
    })
}
