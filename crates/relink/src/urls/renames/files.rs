//! The new names of the files of a tree, and the order in which they are given.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::FixedRoots;

use super::error::RenameError;
use super::error::RenamePlace;
use super::naming::{self, Unnamed};
use super::{NewName, Renames};
use crate::files::sidecar;
use crate::os::paths::{self, Root};
use crate::urls::layout::Layout;
use crate::urls::url_mapping::UrlMapping;

/// A step of renaming: the file at the first path below its PATH gets the second. Nothing has the
/// second path when its turn comes.
pub type RenameStep = (PathBuf, PathBuf);

/// The new names of the files of a tree.
#[derive(Debug, Default)]
pub struct FileRenames {
    roots: Vec<RootRenames>,
    /// What is wrong with them.
    pub errors: Vec<Arc<RenameError>>,
}

#[derive(Debug, Default)]
struct RootRenames {
    /// The new paths of files below the PATH, by the old ones.
    files: BTreeMap<PathBuf, (PathBuf, RenamePlace)>,
    /// The old paths, by the new ones.
    old: HashMap<PathBuf, PathBuf>,
    /// The directories of files that exist before.
    old_directories: BTreeSet<PathBuf>,
    /// The directories of files that exist after.
    new_directories: BTreeSet<PathBuf>,
    /// The order of the renames.
    steps: Vec<RenameStep>,
}

/// A file of a tree.
#[derive(Clone, Debug)]
pub struct TreeFile {
    /// Its path below its PATH.
    pub below: PathBuf,
    /// Its URL, if it is known.
    pub url: Option<String>,
}

impl FileRenames {
    /// Finds the new name of each file of a tree, given the files of each PATH.
    pub fn new(
        files: &[Vec<TreeFile>],
        directories: &UrlDirectories,
        layout: Layout,
        renames: &Renames,
    ) -> Self {
        let mut found = FileRenames::default();
        for (idx, files) in files.iter().enumerate() {
            let mut renamed = BTreeMap::new();
            for TreeFile { below, url } in files {
                let Some(url) = url else { continue };
                let Some(new) = renames.find(url, false).filter(|new| new.url != *url) else {
                    continue;
                };
                let place = renames.place(&new).clone();
                match directories.path_of(idx, below, &new, layout) {
                    Ok(path) if path == *below => {}
                    Ok(path) => drop(renamed.insert(below.clone(), (path, place))),
                    Err(reason) => {
                        let (old, url) = (below.display().to_string(), new.url);
                        found.errors.push(RenameError::NoPath { old, url, place, reason }.into());
                    }
                }
            }
            let entries: Vec<PathBuf> = files.iter().map(|file| file.below.clone()).collect();
            with_sidecars(&entries, &mut renamed);
            found.roots.push(RootRenames::new(&entries, renamed, &mut found.errors));
        }
        found
    }

    /// Gives files names that say what they are, given the files of each PATH. Directories that are
    /// hosts keep their names, which are those of the hosts.
    pub fn named(files: &[Vec<Unnamed>], layout: Layout) -> Self {
        let mut found = FileRenames::default();
        for files in files {
            let place = RenamePlace::Option("--rename");
            let pairs = files.iter().zip(naming::new_paths(files)).map(|(file, new)| {
                (file, if layout.has_hosts() { with_host(&file.below, new) } else { new })
            });
            let pairs = pairs.filter(|(file, new)| file.below != *new);
            let mut renamed = pairs
                .map(|(file, new)| (file.below.clone(), (new, place.clone())))
                .collect::<BTreeMap<_, _>>();
            let entries: Vec<PathBuf> = files.iter().map(|file| file.below.clone()).collect();
            // The name of a header section follows that of its page.
            let pages: HashSet<&PathBuf> = entries.iter().collect();
            renamed.retain(|below, _| {
                !sidecar::has_name(below) || !pages.contains(&sidecar::page_of(below))
            });
            with_sidecars(&entries, &mut renamed);
            found.roots.push(RootRenames::new(&entries, renamed, &mut found.errors));
        }
        found
    }

    /// Returns the renamed files of a PATH: their old and new paths, in path order.
    pub fn pairs(&self, root: usize) -> impl Iterator<Item = (&Path, &Path)> {
        let files = self.roots.get(root).map(|root| root.files.iter());
        files.into_iter().flatten().map(|(old, (new, _))| (old.as_path(), new.as_path()))
    }

    /// Returns the old paths of the renamed files of all PATHs.
    pub fn old_paths(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().flat_map(|root| root.files.keys().map(PathBuf::as_path))
    }

    /// Returns the directories that do not exist any more after the renames.
    pub fn lost_directories(&self) -> impl Iterator<Item = &Path> {
        self.roots.iter().flat_map(|root| {
            root.old_directories.difference(&root.new_directories).map(PathBuf::as_path)
        })
    }

    /// Returns true if no file is renamed.
    pub fn is_empty(&self) -> bool {
        self.roots.iter().all(|root| root.files.is_empty())
    }

    /// Returns the path below its PATH that a file has after the renames.
    pub fn new_path<'p>(&'p self, root: usize, below: &'p Path) -> &'p Path {
        let renamed = self.roots.get(root).and_then(|root| root.files.get(below));
        renamed.map_or(below, |(new, _)| new)
    }

    /// Returns the path that a file with a new name has before the renames.
    pub fn old_path(&self, root: usize, new: &Path) -> Option<&Path> {
        self.roots.get(root)?.old.get(new).map(PathBuf::as_path)
    }

    /// Returns true if a directory below a PATH exists after the renames.
    pub fn keeps_directory(&self, root: usize, below: &Path) -> bool {
        self.roots.get(root).is_none_or(|root| {
            root.new_directories.contains(below) || !root.old_directories.contains(below)
        })
    }

    /// Returns the directories around the new paths of renamed files, the outer ones first, each
    /// with the directory around the old path that it replaces, if there is one.
    pub fn directories_of_renamed(&self, root: usize) -> BTreeMap<&Path, Option<&Path>> {
        let mut directories: BTreeMap<&Path, Option<&Path>> = BTreeMap::new();
        for (old, new) in self.pairs(root) {
            let outer = |path: &Path| path.components().count().saturating_sub(1);
            let n_old = outer(old);
            for (depth, directory) in new.ancestors().skip(1).take(outer(new)).enumerate() {
                let replaced = old.ancestors().skip(1).take(n_old).nth(depth);
                let known = directories.entry(directory).or_default();
                *known = known.or(replaced);
            }
        }
        directories
    }

    /// Returns the steps of a PATH, in their order.
    pub fn steps(&self, root: usize) -> &[RenameStep] {
        self.roots.get(root).map_or(&[], |root| &root.steps)
    }

    /// Returns the number of files that are renamed.
    pub fn n_files(&self) -> usize {
        self.roots.iter().map(|root| root.files.len()).sum()
    }
}

/// The directories of a tree that have URLs.
pub struct UrlDirectories {
    urls: FixedRoots,
    /// By the number of the URL: the number of the PATH, and the path of the directory below it.
    places: Vec<(usize, PathBuf)>,
}

impl UrlDirectories {
    /// Finds the directories of a tree.
    pub fn new(roots: &[Root], places: &UrlMapping) -> Self {
        let mut directories = UrlDirectories { urls: FixedRoots::default(), places: Vec::new() };
        for (path, url) in places.directories(roots) {
            for (idx, root) in roots.iter().enumerate() {
                let Some(root) = root.directory() else { continue };
                let Ok(below) = path.strip_prefix(&root) else { continue };
                directories.urls.add(url.as_str(), places.other_names(&url, &[]));
                directories.places.push((idx, below.to_owned()));
            }
        }
        directories
    }

    /// Returns the path below its PATH of the file with a new name.
    fn path_of(
        &self,
        root: usize,
        below: &Path,
        new: &NewName,
        layout: Layout,
    ) -> Result<PathBuf, &'static str> {
        let outside = "it is outside of the tree; use a name in the tree";
        if let Some((directory, n_segments)) = &new.directory {
            // The names in the directory stay as they are.
            let names: Vec<_> = below.components().collect();
            let kept = names.get(names.len().saturating_sub(*n_segments)..).unwrap_or_default();
            let mut path = self.path(root, directory, None).ok_or(outside)?;
            path.extend(kept);
            return Ok(path);
        }
        let (path, query) = match new.url.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (&*new.url, None),
        };
        if query.is_some() && !layout.has_queries() {
            return Err("a file cannot have a query; use a name without one");
        }
        match path.strip_suffix('/') {
            Some(directory) => {
                let path = self.path(root, directory, None).ok_or(outside)?;
                Ok(path.join("index.html"))
            }
            None => self.path(root, path, query).ok_or(outside),
        }
    }

    fn path(&self, root: usize, url: &str, query: Option<&str>) -> Option<PathBuf> {
        let (number, rest) = self.urls.find(url)?;
        let (root_of_directory, directory) = &self.places[number];
        if *root_of_directory != root {
            return None;
        }
        let mut name = crate::urls::layout::decoded(rest.strip_prefix('/').unwrap_or(rest));
        if let Some(query) = query {
            name.push(b'?');
            name.extend_from_slice(query.as_bytes());
        }
        if name.is_empty() {
            Some(directory.clone())
        } else {
            Some(directory.join(paths::from_bytes(&name)?))
        }
    }
}

/// Returns a new path in the directory of the host that the old path is in.
fn with_host(old: &Path, new: PathBuf) -> PathBuf {
    let mut names = new.components();
    match (old.components().next(), names.next()) {
        (Some(host), Some(_)) if !names.as_path().as_os_str().is_empty() => {
            Path::new(&host).join(names.as_path())
        }
        _ => new,
    }
}

/// Adds the header sections next to renamed files.
fn with_sidecars(entries: &[PathBuf], files: &mut BTreeMap<PathBuf, (PathBuf, RenamePlace)>) {
    for below in entries.iter().filter(|below| sidecar::has_name(below)) {
        let Some((page, place)) = files.get(&sidecar::page_of(below)).cloned() else { continue };
        let mut name = page.into_os_string();
        name.push(".");
        name.push(below.extension().unwrap_or_default());
        files.entry(below.clone()).or_insert((name.into(), place));
    }
}

/// Returns the directories around paths.
fn around<'p>(paths: impl Iterator<Item = &'p Path>) -> BTreeSet<PathBuf> {
    let mut directories = BTreeSet::new();
    for path in paths {
        for directory in path.ancestors().skip(1) {
            if !directories.insert(directory.to_owned()) {
                break;
            }
        }
    }
    directories
}

impl RootRenames {
    fn new(
        entries: &[PathBuf],
        files: BTreeMap<PathBuf, (PathBuf, RenamePlace)>,
        errors: &mut Vec<Arc<RenameError>>,
    ) -> Self {
        let new_path = |below: &'_ PathBuf| files.get(below).map_or(below, |(new, _)| new).clone();
        let old_directories = around(entries.iter().map(PathBuf::as_path));
        let new_paths: Vec<PathBuf> = entries.iter().map(new_path).collect();
        let new_directories = around(new_paths.iter().map(PathBuf::as_path));
        check(entries, &new_paths, &files, &new_directories, errors);
        let pairs: Vec<RenameStep> =
            files.iter().map(|(old, (new, _))| (old.clone(), new.clone())).collect();
        let steps = if errors.is_empty() {
            steps(&pairs, &old_directories, entries).unwrap_or_else(|cycle| {
                let place = |old: &PathBuf| {
                    let place = files.get(old).map(|(_, place)| place.clone());
                    (
                        old.display().to_string(),
                        place.unwrap_or_else(|| RenamePlace::Argument(String::new())),
                    )
                };
                errors.push(RenameError::Cycle { names: cycle.iter().map(place).collect() }.into());
                Vec::new()
            })
        } else {
            Vec::new()
        };
        let old = files.iter().map(|(old, (new, _))| (new.clone(), old.clone())).collect();
        RootRenames { files, old, old_directories, new_directories, steps }
    }
}

/// Checks that no two files get one name, not even in other letter case, and that no file is also a
/// directory.
fn check(
    entries: &[PathBuf],
    new_paths: &[PathBuf],
    files: &BTreeMap<PathBuf, (PathBuf, RenamePlace)>,
    new_directories: &BTreeSet<PathBuf>,
    errors: &mut Vec<Arc<RenameError>>,
) {
    if files.is_empty() {
        return;
    }
    let place = |old: &PathBuf| files.get(old).map(|(_, place)| place.clone());
    let shown = |path: &Path| path.display().to_string();
    let mut folded: HashMap<String, (&PathBuf, &PathBuf)> = HashMap::new();
    // Of two files with names that differ in letter case, at least one is renamed to its own.
    let (renamed, kept): (Vec<_>, Vec<_>) =
        entries.iter().zip(new_paths).partition(|(old, _)| files.contains_key(*old));
    for (old, new) in kept {
        // A file that is renamed would be inside of one that keeps its name.
        if new_directories.contains(new)
            && let Some((_, place)) = files.values().find(|(other, _)| other.starts_with(new))
        {
            let (new, place) = (shown(new), place.clone());
            errors.push(RenameError::FileAndDirectory { new, place }.into());
            continue;
        }
        folded.insert(new.to_string_lossy().to_lowercase(), (old, new));
    }
    for (old, new) in renamed {
        let Some(place_of_new) = place(old) else { continue };
        if new_directories.contains(new) {
            let (new, place) = (shown(new), place_of_new);
            errors.push(RenameError::FileAndDirectory { new, place }.into());
            continue;
        }
        let Some((other_old, other)) =
            folded.insert(new.to_string_lossy().to_lowercase(), (old, new))
        else {
            continue;
        };
        let other_place = place(other_old);
        errors.push(Arc::new(match (other == new, other_place) {
            (true, None) => {
                RenameError::Taken { old: shown(old), new: shown(new), place: place_of_new }
            }
            (true, other_place) => RenameError::TwoSources {
                new: shown(new),
                old: [(shown(other_old), other_place), (shown(old), Some(place_of_new))].into(),
            },
            (false, other_place) => RenameError::LetterCase {
                new: [(shown(other), other_place), (shown(new), Some(place_of_new))].into(),
            },
        }));
    }
}

/// Returns an order in which the files of `pairs` can be renamed one by one, each to a name that is
/// free. A file whose new name is inside of what is a file, or is a directory now, gets another
/// name in between.
///
/// # Errors
///
/// The old paths of a cycle.
pub fn steps(
    pairs: &[RenameStep],
    directories: &BTreeSet<PathBuf>,
    entries: &[PathBuf],
) -> Result<Vec<RenameStep>, Vec<PathBuf>> {
    let old: HashMap<&Path, usize> =
        pairs.iter().enumerate().map(|(idx, (old, _))| (old.as_path(), idx)).collect();
    let all: HashSet<&Path> = entries.iter().map(PathBuf::as_path).collect();
    let is_blocked = |new: &Path| {
        directories.contains(new) || new.ancestors().skip(1).any(|outer| all.contains(outer))
    };
    let mut out: Vec<RenameStep> = Vec::new();
    let mut last: Vec<RenameStep> = Vec::new();
    let mut n_temporary = 0;
    let mut is_done = vec![false; pairs.len()];
    for (idx, (path, new)) in pairs.iter().enumerate() {
        if !is_blocked(new) {
            continue;
        }
        let temporary = loop {
            let name = PathBuf::from(format!(".relink-rename-{n_temporary}"));
            n_temporary += 1;
            if !all.contains(name.as_path()) && !directories.contains(&name) {
                break name;
            }
        };
        out.push((path.clone(), temporary.clone()));
        last.push((temporary, new.clone()));
        is_done[idx] = true;
    }
    for start in 0..pairs.len() {
        let mut chain = Vec::new();
        let mut next = Some(start).filter(|start| !is_done[*start]);
        while let Some(idx) = next {
            chain.push(idx);
            is_done[idx] = true;
            next = match old.get(pairs[idx].1.as_path()) {
                Some(blocking) if chain.contains(blocking) => {
                    return Err(chain.into_iter().map(|idx| pairs[idx].0.clone()).collect());
                }
                Some(blocking) if !is_done[*blocking] => Some(*blocking),
                _ => None,
            };
        }
        out.extend(chain.into_iter().rev().map(|idx| pairs[idx].clone()));
    }
    out.extend(last);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(pairs: &[(&str, &str)], others: &[&str]) -> Result<Vec<String>, Vec<PathBuf>> {
        let pairs: Vec<RenameStep> =
            pairs.iter().map(|(old, new)| (PathBuf::from(old), PathBuf::from(new))).collect();
        let mut entries: Vec<PathBuf> = pairs.iter().map(|(old, _)| old.clone()).collect();
        entries.extend(others.iter().map(PathBuf::from));
        let directories = around(entries.iter().map(PathBuf::as_path));
        let steps = steps(&pairs, &directories, &entries)?;
        Ok(steps.iter().map(|(old, new)| format!("{} {}", old.display(), new.display())).collect())
    }

    #[test]
    fn a_name_is_free_when_its_turn_comes() {
        assert_eq!(
            order(&[("a", "b"), ("b", "c"), ("x", "y")], &[]).unwrap(),
            ["b c", "a b", "x y"]
        );
        assert_eq!(
            order(&[("c", "d"), ("b", "c"), ("a", "b")], &[]).unwrap(),
            ["c d", "b c", "a b"]
        );
        assert_eq!(order(&[("a", "b"), ("b", "a")], &[]).unwrap_err().len(), 2);
    }

    #[test]
    fn files_that_become_directories_and_the_reverse() {
        let steps = order(&[("about", "about/index.html")], &[]).unwrap();
        assert_eq!(steps, ["about .relink-rename-0", ".relink-rename-0 about/index.html"]);
        let steps = order(&[("about/index.html", "about")], &[".relink-rename-0"]).unwrap();
        assert_eq!(steps, ["about/index.html .relink-rename-1", ".relink-rename-1 about"]);
        let steps = order(&[("a", "b/a"), ("b", "c")], &[]).unwrap();
        assert_eq!(steps, ["a .relink-rename-0", "b c", ".relink-rename-0 b/a"]);
    }
}
