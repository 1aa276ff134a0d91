//! The files of a tree that can be renamed, and their types, by which they get names.

use std::io::Read;

use rewrite::Media;

use crate::files::media::{FileType, SNIFFED};
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::failure::Failure;
use crate::os::paths;
use crate::os::temp_names;
use crate::tree::Tree;
use crate::tree::units::Units;
use crate::urls::mirror::style_sheets;
use crate::urls::renames::RenameError;
use crate::urls::renames::files::TreeFile;
use crate::urls::renames::naming::{self, CSS, Extensions, HTML, SCRIPT, SVG, Unnamed, XML};

/// Returns the files and links of a tree, for each PATH in path order.
///
/// # Errors
///
/// [`Failure`] if a directory cannot be read: what is in it would keep its name.
pub fn files(tree: &Tree) -> Result<Vec<Vec<TreeFile>>, Failure> {
    let of_root = |root: usize| {
        let mut files = Vec::new();
        for entry in walk::entries(&tree.roots[root..=root]) {
            let Entry { below, kind, .. } = entry?;
            let is_file = matches!(kind, EntryKind::File | EntryKind::Link)
                && (tree.has_version_control || !walk::is_version_control(&below))
                // What an interrupted run has left is removed.
                && !below.file_name().is_some_and(temp_names::is_temporary);
            if !is_file {
                continue;
            }
            let mirror = tree.mirror.as_ref();
            let recorded =
                mirror.and_then(|mirror| mirror.recorded_url(root, &paths::bytes(&below)));
            let directory = tree.roots[root].path().map(paths::directory_of);
            let url = || tree.places.url_of(&directory?.join(&below)).map(|(url, _)| url);
            let url = recorded.map(str::to_owned).or_else(url);
            files.push(TreeFile { below, url });
        }
        Ok(files)
    };
    (0..tree.roots.len()).map(of_root).collect()
}

/// Returns the files and links of a tree with the extensions of their types, for each PATH.
///
/// # Errors
///
/// [`RenameError`] if a directory cannot be read.
pub(super) fn unnamed(tree: &Tree) -> Result<Vec<Vec<Unnamed>>, RenameError> {
    let scripts = tree.mirror.as_ref().map(|mirror| {
        style_sheets::find_scripts(&tree.roots, mirror, &tree.types, &tree.options, tree.jobs)
    });
    let scripts = scripts.unwrap_or_default();
    let units = Units::new(tree, std::iter::empty());
    let of_root = |(root, files): (usize, Vec<TreeFile>)| {
        let typed = tree.roots[root].path().map(paths::directory_of).unwrap_or_default();
        let file = |TreeFile { below, .. }| {
            let (path, kind) = (typed.join(&below), EntryKind::File);
            let (is_single, sidecar) = (false, None);
            let entry = Entry { root, path, below, kind, is_single, sidecar };
            let is_script = scripts.contains(&(root, paths::bytes(&entry.below)));
            let is_known = || tree.types.of_path(&entry.below) == FileType::Other;
            let file_type = units.type_at(&entry).unwrap_or(FileType::Other);
            let extensions: Option<Extensions> = match file_type {
                FileType::Document(Media::HTML) => Some(HTML),
                FileType::Document(Media::CSS) => Some(CSS),
                FileType::Document(Media::XML) if is_svg(&head(tree, &entry)) => Some(SVG),
                FileType::Document(Media::XML) => Some(XML),
                FileType::Other | FileType::Unknown if is_script => Some(SCRIPT),
                FileType::Other | FileType::Unknown if !is_known() => {
                    naming::sniff(&head(tree, &entry))
                }
                _ => None,
            };
            Unnamed { below: entry.below, extensions }
        };
        files.into_iter().map(file).collect()
    };
    let files = files(tree).map_err(RenameError::Unreadable)?;
    Ok(files.into_iter().enumerate().map(of_root).collect())
}

/// Returns the first bytes of a file; none, if it cannot be read.
fn head(tree: &Tree, entry: &Entry) -> Vec<u8> {
    let mut head = Vec::new();
    if let Some((file, _)) = tree.locate(entry).ok().and_then(|at| at.open().ok()) {
        drop(file.take(SNIFFED as u64).read_to_end(&mut head));
    }
    head
}

/// Returns true if the first element of XML is that of a picture.
fn is_svg(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let is_name = |char: char| !char.is_whitespace() && !"<>/".contains(char);
    let elements = text.split('<').skip(1);
    let mut names =
        elements.map(|rest| rest.split(|char| !is_name(char)).next().unwrap_or_default());
    let first = names.find(|name| !name.starts_with(['?', '!']) && !name.is_empty());
    first.is_some_and(|name| name == "svg" || name.ends_with(":svg"))
}
