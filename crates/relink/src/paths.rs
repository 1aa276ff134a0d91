//! Paths: the roots of a run, and how paths are made absolute, compared and read as bytes.

use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

/// The current folder, which this program never changes: asked for once, and not for every file.
static CURRENT: LazyLock<PathBuf> = LazyLock::new(|| std::env::current_dir().unwrap_or_default());

/// One PATH of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// `-`
    Stdin,
    /// A directory or file.
    Path {
        /// As it was typed: what messages show, and what URLs are worked out from.
        typed: PathBuf,
        /// With all links resolved when the run began: what is read and written. If a link in the
        /// typed path changes during the run, this does not.
        real: PathBuf,
    },
}

impl Root {
    /// The root that a word of the command line names.
    pub fn new(path: PathBuf) -> Self {
        if path.as_os_str() == "-" {
            return Root::Stdin;
        }
        let real = path.canonicalize().unwrap_or_else(|_| absolute(&path));
        Root::Path { typed: path, real }
    }

    /// Returns its path as it was typed, if it has one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Root::Stdin => None,
            Root::Path { typed, .. } => Some(typed),
        }
    }

    /// Returns its path with all links resolved, if it has one.
    pub fn real(&self) -> Option<&Path> {
        match self {
            Root::Stdin => None,
            Root::Path { real, .. } => Some(real),
        }
    }

    /// What the root is called: the last part of its path.
    pub fn name(&self) -> PathBuf {
        match self {
            Root::Stdin => PathBuf::from("-"),
            Root::Path { typed, .. } => {
                absolute(typed).file_name().map(PathBuf::from).unwrap_or_default()
            }
        }
    }
}

/// The folder of a PATH: itself, or the one that a file is in.
pub fn folder_of(path: &Path) -> PathBuf {
    let path = absolute(path);
    match path.is_dir() {
        true => path,
        false => path.parent().map_or_else(|| path.clone(), Path::to_owned),
    }
}

/// The path from the root of the file system, which the system reads as it reads `path`: after a
/// link `..` leads elsewhere than its text says.
pub fn from_root(path: &Path) -> PathBuf {
    match path.is_relative() {
        true => CURRENT.join(path),
        false => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
    }
}

/// The path from the root of the file system, without `.` and `..`; links are not looked at.
pub fn absolute(path: &Path) -> PathBuf {
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

/// The bytes of a path below a root, with `/` between names.
pub fn bytes(below: &Path) -> Vec<u8> {
    let names: Vec<&[u8]> =
        below.components().map(|name| name.as_os_str().as_encoded_bytes()).collect();
    names.join(&b'/')
}
