//! The identity of a file or directory as a journal records it, and whether a journal is trusted.
//!
//! A journal is an instruction to write: `undo` and `resume` follow it. It is trusted only if it is
//! the very file that the run wrote, and each PATH the very directory of the run. A journal that
//! was copied, unpacked or restored is not; it may belong to another tree, or to another person.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::fields;
use super::record::Contents;
use crate::os::dirs::FileId;

/// The device and inode of a file, and the boot of the system at that time: devices get new numbers
/// at each boot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    id: FileId,
    boot: String,
}

/// The directory whose identity is recorded for a PATH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The PATH is a directory.
    Directory,
    /// The PATH is a file: its inode changes when it is written over, that of its directory does
    /// not.
    File,
}

/// The reason why a journal is not trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distrust {
    /// It is not the file that the run wrote.
    Copied,
    /// A PATH of the run is another directory now, or does not exist.
    OtherRoot(PathBuf),
    /// A path in it is relative.
    Relative(PathBuf),
}

impl fmt::Display for Distrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distrust::Copied => f.write_str("it was copied, unpacked or restored"),
            Distrust::OtherRoot(path) => {
                write!(f, "{} is not the directory of the run", path.display())
            }
            Distrust::Relative(path) => {
                write!(f, "it contains the relative path {}", path.display())
            }
        }
    }
}

impl Kind {
    /// Returns the kind with this name.
    pub fn read(name: &str) -> Option<Self> {
        [Kind::Directory, Kind::File].into_iter().find(|kind| kind.name() == name)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Directory => "directory",
            Kind::File => "file",
        }
    }

    /// Returns the directory whose identity is recorded for a PATH.
    pub fn directory(self, path: &Path) -> &Path {
        match self {
            Kind::Directory => path,
            Kind::File => path.parent().unwrap_or(Path::new("/")),
        }
    }
}

impl Identity {
    /// Returns the identity of an open file.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn of_file(file: &File) -> io::Result<Self> {
        Ok(Identity { id: FileId::from_metadata(&file.metadata()?), boot: boot().to_owned() })
    }

    /// Returns the identity of the directory of a PATH, and its kind.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn of_root(path: &Path) -> io::Result<(Self, Kind)> {
        let kind = if path.is_dir() { Kind::Directory } else { Kind::File };
        let id = FileId::from_metadata(&kind.directory(path).metadata()?);
        Ok((Identity { id, boot: boot().to_owned() }, kind))
    }

    /// Reads the fields of an identity: device, inode and boot.
    pub fn read(fields: &[&str]) -> Option<Self> {
        let [device, inode, boot] = fields else { return None };
        let id = FileId { device: Some(device.parse().ok()?), inode: inode.parse().ok()? };
        Some(Identity { id, boot: (*boot).to_owned() })
    }

    /// Returns the fields that [`Identity::read`] reads.
    pub fn fields(&self) -> [String; 3] {
        let device = self.id.device.unwrap_or_default().to_string();
        [device, self.id.inode.to_string(), self.boot.clone()]
    }

    /// Returns true if an open file is the one of this identity.
    pub fn is_of_file(&self, file: &File) -> bool {
        file.metadata().is_ok_and(|now| self.id().is_same(FileId::from_metadata(&now)))
    }

    /// Returns true if the directory of a PATH is the one of this identity.
    pub fn is_of_root(&self, kind: Kind, path: &Path) -> bool {
        let now = kind.directory(path).metadata();
        now.is_ok_and(|now| now.is_dir() && self.id().is_same(FileId::from_metadata(&now)))
    }

    /// Returns the device and inode: the device only if the system was not rebooted since.
    pub fn id(&self) -> FileId {
        let is_this_boot = !self.boot.is_empty() && self.boot == boot();
        FileId { device: self.id.device.filter(|_| is_this_boot), inode: self.id.inode }
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

/// Returns the lines with the identities of a journal and of its PATHs, by their numbers.
///
/// # Errors
///
/// Those of the system, for the journal. A PATH that does not exist has no line.
pub(super) fn lines<'r>(
    journal: &File,
    roots: impl Iterator<Item = (usize, &'r Path)>,
) -> io::Result<String> {
    let own = Identity::of_file(journal)?.fields();
    let mut text = fields::line("self", &own.each_ref().map(|field| field.as_bytes()));
    for (number, root) in roots {
        let Ok((identity, kind)) = Identity::of_root(root) else { continue };
        let [device, inode, boot] = identity.fields();
        let fields = [&*number.to_string(), &*device, &*inode, &*boot, kind.name()];
        text += &fields::line("id", &fields.map(str::as_bytes));
    }
    Ok(text)
}

/// Returns the reason why a journal is not trusted, if it is not. `roots` are the current paths of
/// its PATHs.
pub(super) fn distrust(
    journal: &File,
    contents: &Contents,
    roots: &[Option<PathBuf>],
) -> Option<Distrust> {
    let directory = contents.line.as_ref().map(|line| &line.directory);
    let mut paths = contents.roots.iter().chain(directory);
    if let Some(relative) = paths.find(|path| !path.is_absolute()) {
        return Some(Distrust::Relative(relative.clone()));
    }
    if !contents.own.as_ref().is_some_and(|own| own.is_of_file(journal)) {
        return Some(Distrust::Copied);
    }
    for (number, was) in contents.roots.iter().enumerate() {
        let is = roots.get(number).cloned().flatten();
        let is_same = |path: &PathBuf| is_root(contents, number, path);
        if !is.as_ref().is_some_and(is_same) {
            return Some(Distrust::OtherRoot(is.unwrap_or_else(|| was.clone())));
        }
    }
    None
}

/// Returns true if a PATH of a journal is at `path` now.
pub fn is_root(contents: &Contents, number: usize, path: &Path) -> bool {
    let recorded = contents.ids.get(&number);
    recorded.is_some_and(|(identity, kind)| identity.is_of_root(*kind, path))
}
