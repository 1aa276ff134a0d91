//! Parts that Apple Mail keeps in files next to the directory of their message.

use std::io::{self, Read};
use std::path::Path;

use rewrite::Limit;

use crate::files::walk::Entry;
use crate::os::dirs::Directory;
use crate::tree::Tree;

/// Returns the content of a part of the message in a file, `N.partial.emlx`: that of
/// `../Attachments/N/PART/NAME`, or of the only file there.
pub(super) fn attachment(
    tree: &Tree,
    entry: &Entry,
    part: &str,
    name: Option<&str>,
) -> Option<Vec<u8>> {
    let number = entry.path.file_name()?.to_str()?.strip_suffix(".partial.emlx")?;
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let directory = attachments(tree, entry).ok()?;
    let directory = directory.directory(number.as_ref()).ok()?.directory(part.as_ref()).ok()?;
    let mut files = directory.entries().ok()?;
    files.retain(|(_, is_file)| *is_file);
    let named = files.iter().find(|(file, _)| name.is_some_and(|name| file == name));
    let (file, _) = named.or(match &files[..] {
        [only] => Some(only),
        _ => None,
    })?;
    let most = tree.options.limits.get(Limit::DocumentSize);
    let mut bytes = Vec::new();
    let file = directory.file(file).ok()?.0;
    file.take((most as u64).saturating_add(1)).read_to_end(&mut bytes).ok()?;
    (bytes.len() <= most).then_some(bytes)
}

/// Opens the directory of the attachments, which is next to the one that contains a file.
fn attachments(tree: &Tree, entry: &Entry) -> io::Result<Directory> {
    let name = "Attachments".as_ref();
    let directory = entry.below.parent().filter(|_| !entry.is_single);
    if let Some(outer) = directory.and_then(Path::parent) {
        return tree.dirs.directory(entry.root, outer)?.directory(name);
    }
    let directory = tree.dirs.directory(entry.root, Path::new(""))?;
    let outer = directory.path().parent().ok_or(io::ErrorKind::NotFound)?;
    Directory::open(outer)?.directory(name)
}
