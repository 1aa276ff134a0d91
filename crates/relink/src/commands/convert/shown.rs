//! The diff of a changed document, in the format that the run has.

use std::path::{Path, PathBuf};

use layers::Edits;

use super::result::OutputBytes;
use crate::files;
use crate::files::container::ContentError;
use crate::files::diff::git::{self, Contents};
use crate::files::diff::{self, Diff, Subject};
use crate::files::walk::Entry;
use crate::os::format::DiffFormat;
use crate::plan::Convert;
use crate::tree::input::Document;

/// Returns the diff of a document. `decoded` is the new document, if it is encoded in its piece.
///
/// # Errors
///
/// [`ContentError`] if there is not enough memory.
pub(super) fn diff(
    config: &Convert,
    entry: &Entry,
    document: &Document,
    after: &OutputBytes,
    decoded: Option<&[u8]>,
    edits: &Edits,
) -> Result<Vec<u8>, ContentError> {
    let Diff { format, look } = config.diff;
    if format == DiffFormat::Git && document.is_member() {
        return Err(ContentError::Patch);
    }
    let shown = Entry { below: document.shown_below(entry), ..entry.clone() };
    let in_repository = || in_repository(config, &shown).filter(|_| format == DiffFormat::Git);
    let path = in_repository().unwrap_or_else(|| shown_path(config, &shown));
    let piece = document.piece();
    let unified = || {
        let n_lines = piece.map_or(0, |placed| placed.n_lines);
        let n_lines = usize::try_from(n_lines).unwrap_or_default();
        let subject = Subject { path: &path, n_lines, at: document.span().start };
        diff::unified(subject, &document.bytes, decoded.unwrap_or(&after.bytes), edits, look)
    };
    match format {
        DiffFormat::Unified => Ok(unified()),
        DiffFormat::Git => {
            let contents = match piece.map(|placed| placed.encoded.as_deref()) {
                None => Contents::File([&document.bytes, &after.bytes]),
                Some(Some(before)) => Contents::Encoded([before, &after.bytes]),
                Some(None) => Contents::Piece,
            };
            git::patch(&path, contents, look, unified)
        }
    }
}

/// Returns the path below the top of the work tree of git, if a file is in one: git applies a patch
/// there, also in a directory of it.
fn in_repository(config: &Convert, entry: &Entry) -> Option<PathBuf> {
    let real = config.tree.roots[entry.root].real()?;
    let path = if entry.is_single { real.to_owned() } else { real.join(&entry.below) };
    path.strip_prefix(files::git::top(real)?).ok().map(Path::to_owned)
}

/// Returns the path in a diff: below the root, and with several roots, below the name of the root.
pub(super) fn shown_path(config: &Convert, entry: &Entry) -> PathBuf {
    match &config.tree.roots[..] {
        [_] => entry.below.clone(),
        _ if entry.is_single => entry.below.clone(),
        roots => roots[entry.root].name().join(&entry.below),
    }
}
