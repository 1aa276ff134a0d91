//! Paths: the roots of a run, and how paths are made absolute, compared and read as bytes.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, LazyLock};

pub use crate::os::portable::os_str;
use crate::os::store::SharedStore;
#[cfg(not(target_family = "wasm"))]
use crate::os::store::disk::disk;

/// The current directory, which this program never changes: requested once, not for every file.
static CURRENT: LazyLock<PathBuf> = LazyLock::new(|| std::env::current_dir().unwrap_or_default());

/// One PATH of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// `-`
    Stdin,
    /// A directory or file.
    Path {
        /// The path as typed: messages show it, and URLs are derived from it.
        typed: PathBuf,
        /// The path with all links resolved when the run began: it is read and written. It does not
        /// change if a link in the typed path changes during the run.
        real: PathBuf,
        /// Of a directory of which only some files are in the run: their paths below it, sorted,
        /// none inside another.
        files: Option<Arc<[PathBuf]>>,
        /// What it is read from.
        store: SharedStore,
    },
}

impl Root {
    /// Returns the root for an argument of the command line.
    #[cfg(not(target_family = "wasm"))]
    pub fn new(path: PathBuf) -> Self {
        if path.as_os_str() == "-" { Root::Stdin } else { Root::in_store(&disk(), path) }
    }

    /// Returns the root for a path of a store.
    pub fn in_store(store: &SharedStore, path: PathBuf) -> Self {
        let real = store.canonical(&path).unwrap_or_else(|_| absolute(&path));
        Root::Path { typed: path, real, files: None, store: store.clone() }
    }

    /// Returns the root for some files of a directory, by their paths below it.
    ///
    /// # Errors
    ///
    /// The first path that is not below the directory.
    #[cfg(not(target_family = "wasm"))]
    pub fn of_files(directory: PathBuf, listed: Vec<PathBuf>) -> Result<Self, PathBuf> {
        let mut files = Vec::with_capacity(listed.len());
        for path in listed {
            let mut clean = PathBuf::new();
            for component in path.components() {
                match component {
                    Component::Normal(name) => clean.push(name),
                    Component::CurDir => {}
                    _ => return Err(path),
                }
            }
            files.push(clean);
        }
        files.sort_unstable();
        // A path that contains another one comes before it.
        files.dedup_by(|path, outer| path.starts_with(outer));
        let real = directory.canonicalize().unwrap_or_else(|_| absolute(&directory));
        Ok(Root::Path { typed: directory, real, files: Some(files.into()), store: disk() })
    }

    /// Returns the paths of the only files of the root that are in the run.
    pub fn files(&self) -> Option<&[PathBuf]> {
        match self {
            Root::Path { files, .. } => files.as_deref(),
            Root::Stdin => None,
        }
    }

    /// Returns the path as typed, if there is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Root::Stdin => None,
            Root::Path { typed, .. } => Some(typed),
        }
    }

    /// Returns the path with all links resolved, if there is one.
    pub fn real(&self) -> Option<&Path> {
        match self {
            Root::Stdin => None,
            Root::Path { real, .. } => Some(real),
        }
    }

    /// Returns what it is read from, unless that is standard input.
    pub fn store(&self) -> Option<&SharedStore> {
        match self {
            Root::Stdin => None,
            Root::Path { store, .. } => Some(store),
        }
    }

    /// Returns the directory of its path as typed: itself, or the one that contains the file.
    pub fn directory(&self) -> Option<PathBuf> {
        let path = absolute(self.path()?);
        let is_directory = self.store()?.is_directory(&path);
        Some(if is_directory { path } else { path.parent().unwrap_or(&path).to_owned() })
    }

    /// Returns the name of the root: the last component of its path.
    pub fn name(&self) -> PathBuf {
        match self {
            Root::Stdin => PathBuf::from("-"),
            Root::Path { typed, .. } => {
                absolute(typed).file_name().map(PathBuf::from).unwrap_or_default()
            }
        }
    }
}

/// Returns true if a PATH is a URL.
pub fn is_url(path: &Path) -> bool {
    let path = path.to_str().unwrap_or_default();
    ["http://", "https://", "ftp://"].iter().any(|scheme| path.starts_with(scheme))
}

/// Returns the directory of a path of the disk: itself, or the directory that contains the file.
pub fn directory_of(path: &Path) -> PathBuf {
    let path = absolute(path);
    if path.is_dir() { path } else { path.parent().map_or_else(|| path.clone(), Path::to_owned) }
}

/// Returns the path from the root of the file system that the system reads as `path`. It keeps
/// `..`, because after a link `..` leads elsewhere than its text suggests.
pub fn from_root(path: &Path) -> PathBuf {
    if path.is_relative() {
        CURRENT.join(path)
    } else {
        std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
    }
}

/// Returns the path from the root of the file system, without `.` and `..`; links are not resolved.
pub fn absolute(path: &Path) -> PathBuf {
    let text = path.as_os_str().as_encoded_bytes();
    let is_clean = |pair: &[u8]| pair[0] != b'/' || !b"/.".contains(&pair[1]);
    // Most paths need no other look.
    if text.starts_with(b"/") && !text.ends_with(b"/") && text.windows(2).all(is_clean) {
        return path.to_owned();
    }
    let mut clean = PathBuf::new();
    for component in from_root(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(clean.pop()),
            _ => clean.push(component),
        }
    }
    clean
}

/// Returns the rest of a path that begins with a directory, as `strip_prefix` does. There are many.
pub fn below<'p>(path: &'p Path, directory: &Path) -> Option<&'p Path> {
    let start = directory.as_os_str().as_encoded_bytes();
    let rest = || {
        let rest = path.as_os_str().as_encoded_bytes().strip_prefix(start)?.strip_prefix(b"/")?;
        // It needs no other look, as a path that has been walked to.
        let is_name = |byte: &u8| *byte > b'/';
        let is_clean = start.last().is_some_and(is_name) && rest.first().is_some_and(is_name);
        os_str(rest).filter(|_| is_clean).map(Path::new)
    };
    rest().or_else(|| path.strip_prefix(directory).ok())
}

/// Returns the path with these bytes, if it stays below its start.
pub fn from_bytes(below: &[u8]) -> Option<PathBuf> {
    let is_name = |name: &[u8]| !matches!(name, b"" | b"." | b"..") && !name.contains(&0);
    let names: Option<Vec<&OsStr>> = below
        .split(|byte| *byte == b'/')
        .map(|name| os_str(name).filter(|_| is_name(name)))
        .collect();
    names.map(|names| names.into_iter().collect())
}

/// Returns a path below a root for display: bytes that are not UTF-8 are percent-escaped.
pub fn shown(below: &[u8]) -> String {
    if let Ok(text) = str::from_utf8(below) {
        return text.to_owned();
    }
    let mut text = String::new();
    for chunk in below.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("%{byte:02X}")));
    }
    text
}

/// Returns the bytes of a path below a root, or of one from the root of the file system, with `/`
/// between names.
pub fn bytes(below: &Path) -> Vec<u8> {
    let name = |name| match name {
        Component::RootDir => b"",
        name => name.as_os_str().as_encoded_bytes(),
    };
    below.components().map(name).collect::<Vec<&[u8]>>().join(&b'/')
}

/// Returns a path below a root as text, with `/` between names; and percent-encoded, if it is not
/// valid Unicode.
pub fn text(below: &Path) -> (String, Option<String>) {
    let bytes = bytes(below);
    match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let bytes = error.as_bytes();
            (String::from_utf8_lossy(bytes).into_owned(), Some(encoded(bytes)))
        }
    }
}

/// Returns the bytes of a path, percent-encoded.
pub fn encoded(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (idx, name) in bytes.split(|byte| *byte == b'/').enumerate() {
        if idx > 0 {
            text.push('/');
        }
        urlcore::escape::encode_path_segment(name, &mut text);
    }
    text
}
/// Returns the path with all links in its directory resolved.
///
/// # Errors
///
/// If the directory does not exist.
pub fn real_parent(path: &Path) -> io::Result<PathBuf> {
    let path = from_root(path);
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(parent.canonicalize()?.join(name)),
        _ => path.canonicalize(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_a_directory_is_what_its_prefix_leaves() {
        let directories = ["/", "/a", "/a/", "/a/b", "a", ""];
        for path in ["/", "/a", "/a/", "/a/b", "/a//b/c", "/a/./b", "/a/.b", "/ab", "a/b", "/a/b/c"]
        {
            for directory in directories {
                let [path, directory] = [path, directory].map(Path::new);
                assert_eq!(below(path, directory), path.strip_prefix(directory).ok(), "{path:?}");
            }
        }
    }
}
