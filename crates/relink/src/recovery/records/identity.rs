//! The identity of a file or directory as a log records it, and whether the log is trusted.
//!
//! A journal is an instruction to write: `undo` and `resume` follow it. It is trusted only if it is
//! the very file that the run wrote, and each PATH the very directory of the run. A journal that
//! was copied, unpacked or restored is not; it may belong to another tree, or to another person.
//! The same holds for a manifest that is kept next to PATH.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::ReplacedRecord;
use super::lines::{from_root, path_from_root};
use crate::os::dirs::FileId;

/// The device and inode of a file, and the boot of the system at that time: devices get new numbers
/// at each boot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The path of a PATH; not of the log itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    kind: IdentityKind,
    #[serde(with = "decimal")]
    device: u64,
    #[serde(with = "decimal")]
    inode: u64,
    boot: String,
}

/// The file or directory whose identity is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdentityKind {
    /// A directory.
    Directory,
    /// A file. Of a PATH, the identity is that of its directory: its own inode changes when it is
    /// written over, that of its directory does not.
    File,
}

/// The identities of a log and of the PATHs of its run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    #[serde(rename = "self")]
    own: Identity,
    roots: Vec<Identity>,
    /// In a manifest, when the entries of the directories were changed before the run, in their
    /// order: seconds and nanoseconds since 1970.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::recovery) times: Vec<(i64, u32)>,
    /// In a manifest, the files outside of the PATHs that the run has replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::recovery) replaced: Vec<ReplacedRecord>,
}

/// The reason why a log is not trusted.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum Distrust {
    /// It is not the file that the run wrote.
    #[error("it was copied, unpacked or restored")]
    Copied,
    /// A PATH of the run is another directory now, or does not exist.
    #[error("{} is not the directory of the run", .0.display())]
    OtherRoot(PathBuf),
    /// A path in it is relative.
    #[error("it contains the relative path {}", .0.display())]
    Relative(PathBuf),
}

impl IdentityKind {
    /// Returns the directory whose identity is recorded for a PATH.
    fn directory(self, path: &Path) -> &Path {
        match self {
            IdentityKind::Directory => path,
            IdentityKind::File => path.parent().unwrap_or(Path::new("/")),
        }
    }
}

impl Identity {
    fn new(path: Option<&Path>, kind: IdentityKind, id: FileId) -> Self {
        let (path, path_bytes) = match path.map(from_root) {
            Some((text, encoded)) => (Some(text), encoded),
            None => (None, None),
        };
        let (device, boot) = (id.device.unwrap_or_default(), boot().to_owned());
        Identity { path, path_bytes, kind, device, inode: id.inode, boot }
    }

    /// Returns the identity of an open file.
    fn of_file(file: &File) -> io::Result<Self> {
        let id = FileId::from_metadata(&file.metadata()?);
        Ok(Identity::new(None, IdentityKind::File, id))
    }

    /// Returns the identity of the directory of a PATH.
    fn of_root(path: &Path) -> io::Result<Self> {
        let kind = if path.is_dir() { IdentityKind::Directory } else { IdentityKind::File };
        let id = FileId::from_metadata(&kind.directory(path).metadata()?);
        Ok(Identity::new(Some(path), kind, id))
    }

    /// Returns true if the directory of a PATH is the one of this identity.
    pub fn is_of_root(&self, path: &Path) -> bool {
        let now = self.kind.directory(path).metadata();
        now.is_ok_and(|now| now.is_dir() && self.id().is_same(FileId::from_metadata(&now)))
    }

    /// Returns the device and inode: the device only if the system was not rebooted since.
    pub fn id(&self) -> FileId {
        let is_this_boot = !self.boot.is_empty() && self.boot == boot();
        FileId { device: is_this_boot.then_some(self.device), inode: self.inode }
    }

    /// Returns the path of a PATH.
    pub fn path(&self) -> Option<PathBuf> {
        path_from_root(self.path.as_ref()?, self.path_bytes.as_ref())
    }
}

impl Kept {
    /// Returns the identities of a log and of its PATHs.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn new(log: &File, roots: &[&Path]) -> io::Result<Self> {
        let own = Identity::of_file(log)?;
        let roots = roots.iter().map(|root| Identity::of_root(root)).collect::<io::Result<_>>()?;
        Ok(Kept { own, roots, times: Vec::new(), replaced: Vec::new() })
    }

    /// Returns the same paths with the identities that the log and the PATHs, which may be
    /// elsewhere, have now. A PATH that is not known keeps its own.
    ///
    /// # Errors
    ///
    /// Those of the system, for the log.
    pub fn renewed(&self, log: &File, roots: &[Option<PathBuf>]) -> io::Result<Self> {
        let mut kept = Kept { own: Identity::of_file(log)?, ..self.clone() };
        for (was, root) in kept.roots.iter_mut().zip(roots) {
            if let Some(Ok(is)) = root.as_deref().map(Identity::of_root) {
                let (path, path_bytes) = (was.path.take(), was.path_bytes.take());
                *was = Identity { path, path_bytes, ..is };
            }
        }
        Ok(kept)
    }

    /// Returns the PATHs when the log was written.
    pub fn roots(&self) -> &[Identity] {
        &self.roots
    }

    /// Returns the reason why the log is not trusted, if it is not. `roots` are the current paths
    /// of its PATHs.
    pub fn distrust(&self, log: &File, roots: &[Option<PathBuf>]) -> Option<Distrust> {
        let is_of_file = |now| self.own.id().is_same(FileId::from_metadata(&now));
        if !log.metadata().is_ok_and(is_of_file) {
            return Some(Distrust::Copied);
        }
        for (number, was) in self.roots.iter().enumerate() {
            let is = roots.get(number).cloned().flatten();
            if !is.as_ref().is_some_and(|is| was.is_of_root(is)) {
                return Some(Distrust::OtherRoot(is.or_else(|| was.path()).unwrap_or_default()));
            }
        }
        None
    }
}

/// Returns an identifier of the current boot; empty if it is not known.
fn boot() -> &'static str {
    static BOOT: LazyLock<String> = LazyLock::new(|| {
        let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        id.trim().to_owned()
    });
    &BOOT
}

/// Numbers in decimal digits: those of JSON are exact up to 2^53 only.
mod decimal {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(number: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<u64, D::Error> {
        String::deserialize(from)?.parse().map_err(Error::custom)
    }
}
