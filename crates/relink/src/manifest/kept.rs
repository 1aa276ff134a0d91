//! The manifest that a run with `--in-place` keeps next to PATH: `.NAME.relink-manifest`.
//!
//! Its last line identifies the file and the PATHs on this machine. Only if they are the very same,
//! it is trusted: one that was copied or unpacked with a tree is not an instruction of this user.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::Manifest;
use super::line::{Kept, Line, Place};
use crate::destination::manifest::is_manifest;
use crate::dirs::beside;
use crate::events::Events;
use crate::exit::Error;
use crate::failure::Failure;
use crate::files;
use crate::journal::identity::{Distrust, Identity, Kind};
use crate::journal::lock;
use crate::messages;
use crate::own_files::{JOURNAL, MANIFEST};
use crate::paths::Root;

/// Returns the place of the manifest of a run: that of its journal, with another suffix.
pub fn place(journal: &Path) -> PathBuf {
    let name = journal.file_name().unwrap_or_default().as_encoded_bytes();
    let stem = name.strip_suffix(JOURNAL.as_bytes()).unwrap_or(name);
    let name = [stem, MANIFEST.as_bytes()].concat();
    journal.with_file_name(files::os_str(&name).unwrap_or(MANIFEST.as_ref()))
}

/// Returns the reason why a manifest cannot be kept at a path, if there is one.
pub fn obstacle(path: &Path) -> Option<&'static str> {
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() || !is_manifest(path) => {
            Some("a file with this name exists, and is not a manifest; move it away")
        }
        _ => None,
    }
}

/// Returns the line that identifies a manifest and its PATHs.
pub(super) fn line(manifest: &File, roots: &[&Path]) -> io::Result<Line> {
    let place = |(identity, kind): (Identity, Kind)| {
        let [device, inode, boot] = identity.fields();
        Place { kind: kind.name().to_owned(), device, inode, boot }
    };
    let roots =
        roots.iter().map(|root| Identity::of_root(root).map(place)).collect::<Result<_, _>>()?;
    let own = place((Identity::of_file(manifest)?, Kind::File));
    Ok(Line::Kept(Kept { own, roots }))
}

/// Finds the manifest that the last run over these PATHs has kept.
///
/// # Errors
///
/// [`Error::Path`] if it is not trusted, or damaged.
pub fn find(
    roots: &[Root],
    is_trusted: bool,
    events: &mut dyn Events,
) -> Result<Option<Manifest>, Error> {
    let Some(first) = roots.first().and_then(Root::path) else { return Ok(None) };
    let places = lock::places_with(first, MANIFEST).map_err(Failure::reading(first))?;
    let Some(path) = places.into_iter().find(|path| path.symlink_metadata().is_ok()) else {
        return Ok(None);
    };
    let failed = Failure::to("cannot use this manifest", &path);
    // A link is not followed.
    let (file, metadata) = beside(&path).and_then(|at| at.open()).map_err(&failed)?;
    lock::check_own(&metadata).map_err(&failed)?;
    let manifest = Manifest::read(&path, file)?;
    if let Some(distrust) = distrust(&manifest, roots).filter(|_| !is_trusted) {
        for listed in manifest.files.iter().filter(|listed| listed.is_changed()) {
            let text = format!("records changes in {}", listed.document.path().display());
            events.error(&messages::of_path(&path, &text));
        }
        let reason = format!(
            "cannot undo; the manifest is not trusted: {distrust}; if the lines above are right, use `relink undo --trust`, else remove the manifest"
        );
        return Err(Error::at(&path, reason));
    }
    Ok(Some(manifest))
}

fn distrust(manifest: &Manifest, roots: &[Root]) -> Option<Distrust> {
    let identity = |place: &Place| Identity::read(&[&place.device, &place.inode, &place.boot]);
    let Some(kept) = &manifest.kept else { return Some(Distrust::Copied) };
    if !identity(&kept.own).is_some_and(|own| own.is_of_file(manifest.file())) {
        return Some(Distrust::Copied);
    }
    let is_place = |(place, root): &(&Place, &Root)| {
        let real = root.real().unwrap_or(Path::new(""));
        let kind = Kind::read(&place.kind);
        identity(place).zip(kind).is_some_and(|(is, kind)| is.is_of_root(kind, real))
    };
    let other = kept.roots.iter().zip(roots).find(|pair| !is_place(pair));
    other.map(|(_, root)| Distrust::OtherRoot(root.path().unwrap_or(Path::new("")).to_owned()))
}

/// Removes a kept manifest.
///
/// # Errors
///
/// [`Failure`] with its path.
pub fn remove(manifest: &Manifest) -> Result<(), Failure> {
    lock::remove(&manifest.path).map_err(Failure::removing(&manifest.path))
}
