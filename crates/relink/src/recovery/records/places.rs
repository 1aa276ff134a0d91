//! Records of what is no document: directories, links, and files that are renamed or replaced.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use layers::base64;
use serde::{Deserialize, Serialize};

use super::LogRecord;
use super::lines::{
    MOST, from_root, in_base64, optional, optional_path, path, path_from_root, path_or_root,
};
use crate::os::attributes::DirectoryState;
use crate::os::digest::ContentHash;
use crate::os::failure::Failure;
use crate::os::paths;
use crate::recovery::write::Step;
use crate::recovery::write::old_directories::OldDirectory;
use crate::recovery::write::replaced::Replaced;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::recovery) struct DirectoryRecord {
    root: usize,
    /// Its path before the run; empty for the PATH itself.
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    /// Its rights, in octal digits.
    mode: String,
    /// The numbers of its owner and its group.
    owner: (u32, u32),
    /// When its entries were changed, in a journal: seconds and nanoseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::recovery) modified: Option<(i64, u32)>,
    /// Its extended attributes and access lists, in base64.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    attributes: BTreeMap<String, String>,
}

/// A place in a PATH.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::recovery) struct PlaceRecord {
    root: usize,
    /// Its path; empty for the PATH itself.
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::recovery) struct RenameRecord {
    root: usize,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    path_before: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_before_bytes: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::recovery) struct LinkRecord {
    pub(in crate::recovery) root: usize,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    /// Its path before the run, if the run changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_before_bytes: Option<String>,
    target: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_bytes: Option<String>,
}

/// The reason why a file is not replaced that would be longer than a line of a log.
const TOO_LONG: &str = "not replaced; it is too long to be recorded, and `relink undo` could not restore it; move it away";

/// A file outside of the PATHs before the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::recovery) struct ReplacedRecord {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    /// What it contained, in base64; nothing if it did not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// The digest of what the run has written.
    after: ContentHash,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::recovery) struct MovedRecord {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    /// The digest of its new content.
    sha256: ContentHash,
}

impl ReplacedRecord {
    /// Returns the line of a file.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path, if the line would be too long to be read.
    pub(in crate::recovery) fn line(file: &Replaced) -> Result<Vec<u8>, Failure> {
        let line = LogRecord::lines([LogRecord::Replaced(ReplacedRecord::new(file))]);
        if line.len() <= MOST { Ok(line) } else { Err(Failure::because(&file.path, TOO_LONG)) }
    }

    pub(in crate::recovery) fn new(file: &Replaced) -> Self {
        let (path, path_bytes) = from_root(&file.path);
        let before = file.old.as_deref().map(in_base64);
        ReplacedRecord { path, path_bytes, before, after: file.new }
    }

    /// Returns the file.
    pub(in crate::recovery) fn replaced(&self) -> Option<Replaced> {
        let path = path_from_root(&self.path, self.path_bytes.as_ref())?;
        let old = self.before.as_ref().map(|old| base64::decode(old.as_bytes()).bytes);
        Some(Replaced { path, old, new: self.after })
    }
}

impl DirectoryRecord {
    pub(in crate::recovery) fn new(old: &OldDirectory) -> Self {
        let OldDirectory { root, below, state } = old;
        let (path, path_bytes) = paths::text(below);
        let attributes = state.attributes.iter();
        DirectoryRecord {
            root: *root,
            path,
            path_bytes,
            mode: format!("{:o}", state.mode),
            owner: state.owner,
            modified: state.modified,
            attributes: attributes.map(|(name, value)| (name.clone(), in_base64(value))).collect(),
        }
    }

    /// Returns the directory.
    pub(in crate::recovery) fn old(self) -> Option<OldDirectory> {
        let below = path_or_root(&self.path, self.path_bytes.as_ref())?;
        let attributes = self.attributes.into_iter();
        let state = DirectoryState {
            mode: u32::from_str_radix(&self.mode, 8).ok()?,
            owner: self.owner,
            modified: self.modified,
            attributes: attributes
                .map(|(name, value)| (name, base64::decode(value.as_bytes()).bytes))
                .collect(),
        };
        Some(OldDirectory { root: self.root, below, state })
    }
}

impl PlaceRecord {
    pub(in crate::recovery) fn new(root: usize, below: &Path) -> Self {
        let (path, path_bytes) = paths::text(below);
        PlaceRecord { root, path, path_bytes }
    }

    /// Returns the number of the PATH, and the path below it.
    pub(in crate::recovery) fn place(&self) -> Option<(usize, PathBuf)> {
        Some((self.root, path_or_root(&self.path, self.path_bytes.as_ref())?))
    }
}

impl RenameRecord {
    pub(in crate::recovery) fn new((root, old, new): &Step) -> Self {
        let (path, path_bytes) = paths::text(new);
        let (path_before, path_before_bytes) = paths::text(old);
        RenameRecord { root: *root, path, path_bytes, path_before, path_before_bytes }
    }

    /// Returns the step.
    pub(in crate::recovery) fn step(&self) -> Option<Step> {
        let old = path(&self.path_before, self.path_before_bytes.as_ref())?;
        Some((self.root, old, path(&self.path, self.path_bytes.as_ref())?))
    }
}

impl LinkRecord {
    pub(in crate::recovery) fn new(
        root: usize,
        below: &Path,
        before: Option<&Path>,
        target: &Path,
    ) -> Self {
        let (path, path_bytes) = paths::text(below);
        let (path_before, path_before_bytes) = optional(before);
        let (target, target_bytes) = from_root(target);
        LinkRecord { root, path, path_bytes, path_before, path_before_bytes, target, target_bytes }
    }

    /// Returns its paths after and before the run, and the target.
    pub(in crate::recovery) fn paths(&self) -> Option<(PathBuf, Option<PathBuf>, PathBuf)> {
        let below = path(&self.path, self.path_bytes.as_ref())?;
        let before = optional_path(&self.path_before, &self.path_before_bytes)?;
        Some((below, before, path_from_root(&self.target, self.target_bytes.as_ref())?))
    }
}

impl MovedRecord {
    pub(in crate::recovery) fn new(below: &Path, sha256: ContentHash) -> Self {
        let (path, path_bytes) = paths::text(below);
        MovedRecord { path, path_bytes, sha256 }
    }

    /// Returns its path and digest.
    pub(in crate::recovery) fn document(self) -> Option<(PathBuf, ContentHash)> {
        let below = path(&self.path, self.path_bytes.as_ref())?;
        Some((below, self.sha256))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::digest;

    #[test]
    fn what_is_too_long_to_be_recorded_is_not_replaced() {
        let new = digest::of_bytes(b"");
        let file = |len: usize| Replaced { path: "/a".into(), old: Some(vec![0; len]), new };
        assert!(ReplacedRecord::line(&file(16 << 20)).is_ok());
        assert!(ReplacedRecord::line(&file(MOST / 4 * 3)).is_err());
    }
}
