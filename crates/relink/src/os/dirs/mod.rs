//! Directory handles: every file of a tree is opened, created, renamed and removed relative to one.
//!
//! A path can change its meaning during a run: a directory inside the tree may be replaced by a
//! symbolic link. Therefore a directory is opened component by component from its root, without
//! following links, and its identity (device and inode) is remembered; a directory that has another
//! identity later is reported, and its files fail. Handles are cached, a bounded number of them.
//!
//! Invariant: below a root no path is ever resolved by the system as a whole.

#[cfg(unix)]
mod handle;
#[cfg(not(unix))]
#[path = "handle_by_path.rs"]
mod handle;
mod location;
mod locked;
mod temp;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use self::handle::{Directory, FileId, Status};
pub use self::location::{Location, beside};
pub use self::locked::{is_at, is_kept, lock};
pub use self::temp::{Temp, remove_abandoned, remove_left};

/// The maximum number of directory handles that are kept open for later use.
const MOST_CACHED: usize = 64;

/// The directories of some roots.
#[derive(Debug)]
pub struct Dirs {
    roots: Vec<RootDirectory>,
    cache: Mutex<Cache>,
    most_cached: usize,
}

/// A root: a directory, or one file in a directory.
#[derive(Debug)]
struct RootDirectory {
    /// The directory, with all links resolved.
    directory: PathBuf,
    /// The name of the only file that belongs to the root.
    only: Option<OsString>,
    /// The identity that the directory must have, if that was recorded before this run.
    recorded: Option<FileId>,
}

/// A directory below a root: the index of the root, and the path below it.
type DirectoryKey = (usize, OsString);

#[derive(Debug, Default)]
struct Cache {
    /// The open directories, the one that was used last first.
    open: Vec<(DirectoryKey, Arc<Directory>)>,
    /// The identity of each directory that has ever been opened.
    ids: BTreeMap<DirectoryKey, FileId>,
}

impl Dirs {
    /// Returns directories without a root.
    pub fn new() -> Self {
        let most_cached = most_cached();
        Dirs { roots: Vec::new(), cache: Mutex::default(), most_cached }
    }

    /// Adds a root that is a directory. `path` contains no links. If `recorded` is given, the root
    /// must have that identity.
    pub fn add_directory(&mut self, path: PathBuf, recorded: Option<FileId>) {
        self.roots.push(RootDirectory { directory: path, only: None, recorded });
    }

    /// Adds a root that is one file. The directory in `path` contains no links. If `recorded` is
    /// given, that directory must have that identity.
    pub fn add_file(&mut self, path: &Path, recorded: Option<FileId>) {
        let directory = path.parent().map_or_else(|| PathBuf::from("/"), Path::to_owned);
        let only = Some(path.file_name().unwrap_or_default().to_owned());
        self.roots.push(RootDirectory { directory, only, recorded });
    }

    /// Returns the path of a root, with all links resolved.
    pub fn path(&self, root: usize) -> Option<&Path> {
        self.roots.get(root).map(|root| &*root.directory)
    }

    /// Returns true if a root is one file.
    pub fn is_single(&self, root: usize) -> bool {
        self.roots.get(root).is_some_and(|root| root.only.is_some())
    }

    /// Returns the location of a file. `below` is its path below the root; it is ignored if the
    /// root is one file. `shown` is the path that messages name.
    ///
    /// # Errors
    ///
    /// Those of the system; also if a directory of the path is a link, or was replaced.
    pub fn locate(&self, root: usize, below: &Path, shown: &Path) -> io::Result<Location> {
        let name = match self.roots.get(root).and_then(|root| root.only.as_deref()) {
            Some(only) => only,
            None => below.file_name().ok_or(io::ErrorKind::InvalidInput)?,
        };
        let parent = match self.roots.get(root) {
            Some(RootDirectory { only: None, .. }) => below.parent().unwrap_or(Path::new("")),
            _ => Path::new(""),
        };
        Ok(Location::new(self.directory(root, parent)?, name, shown))
    }

    /// Opens a directory below a root, or the root itself if `below` is empty.
    ///
    /// # Errors
    ///
    /// Those of the system; also if a directory of the path is a link, or was replaced.
    pub fn directory(&self, root: usize, below: &Path) -> io::Result<Arc<Directory>> {
        let mut cache = self.lock();
        if let Some(found) = cache.used(root, below) {
            return Ok(found);
        }
        // The nearest directory on the path that is open; the root is opened if there is none.
        let mut rest: Vec<&OsStr> = Vec::new();
        let mut at = below;
        let mut directory = loop {
            if at.as_os_str().is_empty() {
                break self.root(&mut cache, root)?;
            }
            rest.push(at.file_name().ok_or(io::ErrorKind::InvalidInput)?);
            at = at.parent().unwrap_or(Path::new(""));
            if let Some(found) = cache.used(root, at) {
                break found;
            }
        };
        let mut at = at.to_owned();
        for name in rest.into_iter().rev() {
            at.push(name);
            let opened = directory.directory(name)?;
            directory = self.keep(&mut cache, (root, at.as_os_str().to_owned()), opened)?;
        }
        Ok(directory)
    }

    /// Creates a directory below a root, or the root itself if `below` is empty, unless it exists,
    /// and returns true if it was created. A link is not accepted in its place.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn make(&self, root: usize, below: &Path) -> io::Result<bool> {
        let is_new = match (below.file_name(), self.roots.get(root)) {
            (Some(name), _) => {
                let parent = self.directory(root, below.parent().unwrap_or(Path::new("")))?;
                parent.make_directory(name)?
            }
            (None, Some(RootDirectory { directory, .. })) => {
                let at = beside(directory)?;
                at.directory().make_directory(at.name())?
            }
            (None, None) => return Ok(false),
        };
        self.directory(root, below)?;
        Ok(is_new)
    }

    /// Remembers that a directory was renamed, with those in it: they keep their identities.
    pub fn set_renamed(&self, root: usize, old: &Path, new: &Path) {
        let mut cache = self.lock();
        // Their handles have the old paths.
        cache.open.retain(|((of, below), _)| *of != root || !Path::new(below).starts_with(old));
        cache.take_ids(root, new);
        for (below, id) in cache.take_ids(root, old) {
            let below: PathBuf = new.join(below).components().collect();
            cache.ids.insert((root, below.into_os_string()), id);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn root(&self, cache: &mut Cache, root: usize) -> io::Result<Arc<Directory>> {
        if let Some(found) = cache.used(root, Path::new("")) {
            return Ok(found);
        }
        let RootDirectory { directory, recorded, .. } =
            self.roots.get(root).ok_or(io::ErrorKind::NotFound)?;
        let opened = Directory::open(directory)?;
        if recorded.is_some_and(|recorded| !recorded.is_same(opened.id())) {
            return Err(replaced(directory));
        }
        self.keep(cache, (root, OsString::new()), opened)
    }

    /// Keeps a directory open, if it is the one that was at this path before.
    fn keep(
        &self,
        cache: &mut Cache,
        key: DirectoryKey,
        opened: Directory,
    ) -> io::Result<Arc<Directory>> {
        let known = *cache.ids.entry(key.clone()).or_insert(opened.id());
        if known != opened.id() {
            return Err(replaced(opened.path()));
        }
        cache.open.truncate(self.most_cached.saturating_sub(1));
        let opened = Arc::new(opened);
        cache.open.insert(0, (key, Arc::clone(&opened)));
        Ok(opened)
    }
}

impl Default for Dirs {
    fn default() -> Self {
        Dirs::new()
    }
}

impl Cache {
    fn used(&mut self, root: usize, below: &Path) -> Option<Arc<Directory>> {
        let is_it = |((of, path), _): &(DirectoryKey, _)| *of == root && path == below.as_os_str();
        let idx = self.open.iter().position(is_it)?;
        self.open[..=idx].rotate_right(1);
        self.open.first().map(|(_, directory)| Arc::clone(directory))
    }

    /// Removes the identities of a directory and of those in it, and returns them, each with the
    /// path below the directory.
    fn take_ids(&mut self, root: usize, outer: &Path) -> Vec<(PathBuf, FileId)> {
        let start = outer.as_os_str().as_encoded_bytes();
        let all = self.ids.range((root, outer.as_os_str().to_owned())..);
        let all = all
            .map(|(key, _)| key)
            .take_while(|(of, below)| *of == root && below.as_encoded_bytes().starts_with(start));
        let keys: Vec<DirectoryKey> =
            all.filter(|key| Path::new(&key.1).starts_with(outer)).cloned().collect();
        let take = |key: DirectoryKey| {
            let below = Path::new(&key.1).strip_prefix(outer).ok()?.to_owned();
            Some((below, self.ids.remove(&key)?))
        };
        keys.into_iter().filter_map(take).collect()
    }
}

/// Returns the error for a directory that was replaced by another.
fn replaced(path: &Path) -> io::Error {
    io::Error::other(format!(
        "the directory {} was replaced during the run; run the command again",
        path.display()
    ))
}

/// Returns the number of directories that may be kept open: fewer if the system allows few open
/// files.
#[cfg(unix)]
fn most_cached() -> usize {
    use rustix::process::{Resource, getrlimit};
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(limit / 16).unwrap_or(MOST_CACHED).clamp(1, MOST_CACHED)
}

#[cfg(not(unix))]
fn most_cached() -> usize {
    MOST_CACHED
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn tree() -> (tempfile::TempDir, Dirs) {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir_all(temp.path().join("root/a/b")).unwrap();
        fs::create_dir_all(temp.path().join("outside/b")).unwrap();
        fs::write(temp.path().join("root/a/b/x"), "in").unwrap();
        fs::write(temp.path().join("outside/b/x"), "out").unwrap();
        let mut dirs = Dirs::new();
        dirs.add_directory(temp.path().join("root").canonicalize().unwrap(), None);
        (temp, dirs)
    }

    fn text(dirs: &Dirs) -> io::Result<String> {
        let location = dirs.locate(0, Path::new("a/b/x"), Path::new("x"))?;
        io::read_to_string(location.open()?.0)
    }

    #[test]
    fn a_directory_that_becomes_a_link_is_not_followed() {
        let (temp, dirs) = tree();
        fs::rename(temp.path().join("root/a"), temp.path().join("a")).unwrap();
        symlink(temp.path().join("outside"), temp.path().join("root/a")).unwrap();
        let error = text(&dirs).unwrap_err().to_string();
        assert!(error.contains("symbolic link"), "{error}");
    }

    #[test]
    fn an_open_directory_is_the_same_directory_wherever_it_goes() {
        let (temp, dirs) = tree();
        assert_eq!(text(&dirs).unwrap(), "in");
        fs::rename(temp.path().join("root/a"), temp.path().join("a")).unwrap();
        symlink(temp.path().join("outside"), temp.path().join("root/a")).unwrap();
        assert_eq!(text(&dirs).unwrap(), "in");
        let location = dirs.locate(0, Path::new("a/b/x"), Path::new("x")).unwrap();
        let error = location.check_directory().unwrap_err().to_string();
        assert!(error.contains("was replaced"), "{error}");
    }

    #[test]
    fn a_directory_that_was_closed_and_replaced_is_an_error() {
        let (temp, dirs) = tree();
        assert_eq!(text(&dirs).unwrap(), "in");
        dirs.lock().open.clear();
        fs::rename(temp.path().join("root/a"), temp.path().join("a")).unwrap();
        fs::create_dir_all(temp.path().join("root/a/b")).unwrap();
        fs::write(temp.path().join("root/a/b/x"), "other").unwrap();
        let error = text(&dirs).unwrap_err().to_string();
        assert!(error.contains("was replaced"), "{error}");
    }

    #[test]
    fn a_name_that_is_taken_is_not_replaced() {
        let (temp, dirs) = tree();
        let root = dirs.directory(0, Path::new("")).unwrap();
        let rename = |new: &str| root.rename_new("a".as_ref(), &root, new.as_ref());
        fs::create_dir(temp.path().join("root/empty")).unwrap();
        fs::write(temp.path().join("root/file"), "mine").unwrap();
        for new in ["empty", "file"] {
            let kind = rename(new).unwrap_err().kind();
            assert_eq!(kind, io::ErrorKind::AlreadyExists, "{new}");
        }
        rename("new").unwrap();
        assert!(temp.path().join("root/new/b/x").exists());
    }

    #[test]
    fn only_so_many_directories_stay_open() {
        let (temp, mut dirs) = tree();
        dirs.most_cached = 3;
        for n in 0..20 {
            fs::create_dir(temp.path().join(format!("root/{n}"))).unwrap();
            dirs.directory(0, Path::new(&n.to_string())).unwrap();
        }
        assert!(dirs.lock().open.len() <= 3);
        assert_eq!(text(&dirs).unwrap(), "in");
    }
}
