//! The lines of a manifest: one JSON object each (RFC 8259), with its kind in `record`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use layers::base64;
use serde::{Deserialize, Serialize};
use urlcore::escape::percent_decode;

use crate::os::attributes::DirectoryState;
use crate::os::digest::N_DIGITS;
use crate::os::paths;
use crate::recovery::write::old_directories::OldDirectory;
use crate::recovery::write::replaced::Replaced;

/// The version of the format.
pub(super) const VERSION: u32 = 2;

/// The version in which files stay in their directories. It is written if no file is renamed.
pub(super) const VERSION_BESIDE: u32 = 1;

/// A line of a manifest.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub(super) enum Line {
    /// The first line.
    RelinkManifest(Header),
    /// A directory before files were renamed.
    Directory(Directory),
    /// A file; its edits follow.
    File(File),
    /// The record of moves of a PATH; its edits follow.
    Moves(Moves),
    /// An edit that restores old octets.
    Edit(Edit),
    /// A symbolic link of the output.
    Link(Link),
    /// The end.
    End(End),
    /// The place of a manifest that is kept next to PATH; it comes after the end.
    Kept(Kept),
}

/// What the manifest is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub(super) version: u32,
    /// The version of this program.
    pub(super) relink: String,
    /// The command of the run, without the options that do not change what is written.
    pub(super) command: String,
    /// The number of PATHs for which it is used.
    pub(super) roots: usize,
    pub(super) files: Extent,
}

/// The files that a manifest lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// All files of the output.
    All,
    /// Those that the run has changed.
    Changed,
}

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Content {
    pub(super) sha256: String,
    /// In octets.
    pub(super) length: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) root: usize,
    /// Its path after the run.
    pub(super) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path_bytes: Option<String>,
    /// Its path before the run, if the run changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path_before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path_before_bytes: Option<String>,
    /// The path of the copy of the old file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) backup: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) backup_bytes: Option<String>,
    pub(super) before: Content,
    pub(super) after: Content,
    /// The number of its edits.
    pub(super) edits: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Directory {
    pub(super) root: usize,
    /// Its path before the run; empty for the PATH itself.
    pub(super) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path_bytes: Option<String>,
    /// Its rights, in octal digits.
    pub(super) mode: String,
    /// The numbers of its owner and its group.
    pub(super) owner: (u32, u32),
    /// Its extended attributes and access lists, in base64.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) attributes: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Moves {
    pub(super) root: usize,
    pub(super) before: Content,
    pub(super) after: Content,
    pub(super) edits: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    /// The offset in the new file.
    pub(super) at: u64,
    /// The number of octets there that replaced the old ones.
    pub(super) length: u64,
    /// The old octets, if they are UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) old: Option<String>,
    /// The old octets otherwise, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) old_base64: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Link {
    pub(super) root: usize,
    pub(super) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path_bytes: Option<String>,
    /// Its path before the run, if the run changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path_before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path_before_bytes: Option<String>,
    pub(super) target: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target_bytes: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct End {
    pub(super) files: usize,
    pub(super) edits: usize,
    /// The checksum of all lines before.
    pub(super) sha256: String,
}

/// The identities of a kept manifest and of the PATHs of its run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    #[serde(rename = "self")]
    pub(super) own: Place,
    pub(super) roots: Vec<Place>,
    /// When the entries of the directories were changed before the run, in their order: seconds and
    /// nanoseconds since 1970.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) times: Vec<(i64, u32)>,
    /// The files outside of the PATHs that the run has replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) replaced: Vec<Other>,
}

/// A file outside of the PATHs before the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Other {
    pub(super) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path_bytes: Option<String>,
    /// What it contained, in base64; nothing if it did not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<String>,
    /// The digest of what the run has written.
    pub(super) after: String,
}

/// The identity of a file or directory on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Place {
    /// The path; not of the manifest itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path_bytes: Option<String>,
    /// `file` or `directory`.
    pub(super) kind: String,
    pub(super) device: String,
    pub(super) inode: String,
    /// The boot of the system: devices get new numbers then.
    pub(super) boot: String,
}

impl Line {
    /// Parses a line.
    pub(super) fn read(line: &str) -> Option<Line> {
        serde_json::from_str(line).ok()
    }
}

impl Header {
    /// Returns the version in the first line of a manifest, whatever the rest of the line is.
    pub(super) fn version_of(line: &str) -> Option<u32> {
        #[derive(Deserialize)]
        struct Versioned {
            record: String,
            version: u32,
        }
        let line: Versioned = serde_json::from_str(line).ok()?;
        (line.record == "relink-manifest").then_some(line.version)
    }
}

impl Content {
    pub(super) fn new(sha256: &str, length: u64) -> Self {
        Content { sha256: sha256.to_owned(), length }
    }

    /// Returns true if the digest has its form.
    pub(super) fn is_valid(&self) -> bool {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        self.sha256.len() == N_DIGITS && self.sha256.bytes().all(is_digit)
    }
}

impl Edit {
    pub(super) fn new(at: u64, length: u64, old: &[u8]) -> Self {
        let (old, old_base64) = match std::str::from_utf8(old) {
            Ok(old) => (Some(old.to_owned()), None),
            Err(_) => (None, Some(in_base64(old))),
        };
        Edit { at, length, old, old_base64 }
    }

    /// Returns the old octets.
    pub(super) fn old(&self) -> Option<Vec<u8>> {
        match (&self.old, &self.old_base64) {
            (Some(old), None) => Some(old.as_bytes().to_vec()),
            (None, Some(old)) => Some(base64::decode(old.as_bytes()).bytes),
            _ => None,
        }
    }
}

fn in_base64(bytes: &[u8]) -> String {
    base64::encode(bytes).into_iter().map(char::from).collect()
}

impl Other {
    pub(super) fn new(file: &Replaced) -> Self {
        let (path, path_bytes) = paths::text(&file.path);
        let before = file.old.as_deref().map(in_base64);
        Other { path, path_bytes, before, after: file.new.clone() }
    }

    /// Returns the file.
    pub(super) fn replaced(&self) -> Option<Replaced> {
        let path = path_from_root(&self.path, self.path_bytes.as_ref())?;
        let old = self.before.as_ref().map(|old| base64::decode(old.as_bytes()).bytes);
        Some(Replaced { path, old, new: self.after.clone() })
    }
}

impl Directory {
    pub(super) fn new(old: &OldDirectory) -> Self {
        let OldDirectory { root, below, state } = old;
        let (path, path_bytes) = paths::text(below);
        let attributes = state.attributes.iter();
        Directory {
            root: *root,
            path,
            path_bytes,
            mode: format!("{:o}", state.mode),
            owner: state.owner,
            attributes: attributes.map(|(name, value)| (name.clone(), in_base64(value))).collect(),
        }
    }

    /// Returns the directory.
    pub(super) fn old(self) -> Option<OldDirectory> {
        let below = match self.path.is_empty() {
            true => PathBuf::new(),
            false => path(&self.path, self.path_bytes.as_ref())?,
        };
        let attributes = self.attributes.into_iter();
        let state = DirectoryState {
            mode: u32::from_str_radix(&self.mode, 8).ok()?,
            owner: self.owner,
            modified: None,
            attributes: attributes
                .map(|(name, value)| (name, base64::decode(value.as_bytes()).bytes))
                .collect(),
        };
        Some(OldDirectory { root: self.root, below, state })
    }
}

impl Link {
    pub(super) fn new(root: usize, below: &Path, before: Option<&Path>, target: &Path) -> Self {
        let (path, path_bytes) = paths::text(below);
        let (path_before, path_before_bytes) = optional(before);
        let target = target.as_os_str();
        let (target, target_bytes) = match target.to_str() {
            Some(target) => (target.to_owned(), None),
            None => (
                target.to_string_lossy().into_owned(),
                Some(paths::encoded(target.as_encoded_bytes())),
            ),
        };
        Link { root, path, path_bytes, path_before, path_before_bytes, target, target_bytes }
    }

    /// Returns the target.
    pub(super) fn target(&self) -> Option<PathBuf> {
        let encoded = self.target_bytes.as_ref().map(|encoded| percent_decode(encoded));
        let bytes = encoded.unwrap_or(self.target.as_bytes().into());
        paths::os_str(&bytes).map(OsStr::to_owned).map(PathBuf::from)
    }
}

/// Returns the two keys of a path that may be missing.
pub(super) fn optional(path: Option<&Path>) -> (Option<String>, Option<String>) {
    let texts = path.map(paths::text);
    texts.map_or((None, None), |(text, encoded)| (Some(text), encoded))
}

/// Returns the path that two keys of a line give, if it stays below the directory that it is
/// joined to.
pub(super) fn path(text: &str, encoded: Option<&String>) -> Option<PathBuf> {
    match encoded {
        Some(encoded) => paths::from_bytes(&percent_decode(encoded)),
        None => paths::from_bytes(text.as_bytes()),
    }
}

/// Returns the path that two keys of a line give, wherever it leads.
pub(super) fn path_from_root(text: &str, encoded: Option<&String>) -> Option<PathBuf> {
    match encoded {
        Some(encoded) => paths::os_str(&percent_decode(encoded)).map(PathBuf::from),
        None => Some(PathBuf::from(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(line: &Line) -> String {
        let mut out = Vec::new();
        crate::os::messages::write_json(&mut out, line).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_are_read_as_they_were_written() {
        for (line, expected) in [
            (
                Line::Edit(Edit::new(3, 2, "\"é\u{7f}".as_bytes())),
                "{\"record\":\"edit\",\"at\":3,\"length\":2,\"old\":\"\\\"é\\u007f\"}\n",
            ),
            (
                Line::Edit(Edit::new(0, 0, b"\xff")),
                "{\"record\":\"edit\",\"at\":0,\"length\":0,\"old_base64\":\"/w==\"}\n",
            ),
            (
                Line::Link(Link::new(0, Path::new("a"), None, Path::new("../b"))),
                "{\"record\":\"link\",\"root\":0,\"path\":\"a\",\"target\":\"../b\"}\n",
            ),
        ] {
            assert_eq!(json(&line), expected);
            assert_eq!(Line::read(&expected[..expected.len() - 1]), Some(line));
        }
        for wrong in ["", "{}", "{\"record\":\"edit\",\"at\":3,\"length\":2,\"old\":\"\",\"x\":1}"]
        {
            assert_eq!(Line::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn paths_that_lead_out_of_the_tree_are_refused() {
        assert_eq!(path("a/b", None), Some("a/b".into()));
        for wrong in ["..", "a/../../b", "/etc/passwd", "", ".", "a\0"] {
            assert_eq!(path(wrong, None), None, "{wrong}");
        }
        assert_eq!(path("a", Some(&"b%2F..%2F..%2Fc".to_owned())), None);
    }
}
