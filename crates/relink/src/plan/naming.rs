//! The types of the files of a tree, by which they get names.

use std::io::Read;

use rewrite::Media;

use super::renaming::files;
use crate::media::{FileType, SNIFFED};
use crate::mirror::style_sheets;
use crate::paths;
use crate::renames::RenameError;
use crate::renames::files::TreeFile;
use crate::renames::naming::{self, CSS, Extensions, HTML, SCRIPT, SVG, Unnamed, XML};
use crate::tree::Tree;
use crate::units::Units;
use crate::walk::{Entry, EntryKind};

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
