//! The manifest that a run with `--in-place` keeps next to PATH: `.NAME.relink-manifest`. In a work
//! tree of git, which would see it, it is in `.git/relink`.
//!
//! Its last line identifies the file and the PATHs on this machine. Only if they are the very same,
//! it is trusted: one that was copied or unpacked with a tree is not an instruction of this user.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::Manifest;
use super::tree::ListedTree;
use crate::events::{Event, Events};
use crate::files::git;
use crate::files::own_files::{JOURNAL, MANIFEST};
use crate::os::command_line;
use crate::os::digest::{ContentHash, Short};
use crate::os::dirs::{Dirs, beside};
use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::paths::{self, Root};
use crate::plan::destination::manifest::is_manifest;
use crate::plan::exit::Error;
use crate::recovery::journal::contents::JournalContents;
use crate::recovery::journal::lock;
use crate::recovery::journal::recover::state;
use crate::recovery::open_document::DocumentState;
use crate::recovery::records::identity::{Distrust, Identity, Kept};
use crate::recovery::records::list::place_hash;
use crate::recovery::records::{Recorded, ReplacedRecord};

/// The directory in `.git` with the manifests of PATHs in its work tree.
const IN_GIT: &str = "relink";

/// The maximum length of the name of a file, in bytes, on most systems.
const LONGEST_NAME: usize = 255;

/// Returns the place of the manifest of a run: that of its journal, with another suffix, or the one
/// where git does not see it, whose directory is created.
pub fn place(journal: &Path) -> PathBuf {
    let name = journal.file_name().unwrap_or_default().as_encoded_bytes();
    let stem = name.strip_suffix(JOURNAL.as_bytes()).unwrap_or(name);
    let name = [stem, MANIFEST.as_bytes()].concat();
    let beside = journal.with_file_name(paths::os_str(&name).unwrap_or(MANIFEST.as_ref()));
    let hidden = in_git(&beside).filter(|hidden| {
        let directory = hidden.parent().unwrap_or(hidden);
        directory.is_dir() || fs::create_dir(directory).is_ok()
    });
    hidden.unwrap_or(beside)
}

/// Returns the place in `.git` for the manifest at a path in a work tree: its name is the path
/// below the top, with escaped slashes. Links are not followed, and a `.git` that is a file, which
/// may name any directory, is not used.
fn in_git(beside: &Path) -> Option<PathBuf> {
    let top = git::top(beside.parent()?)?;
    let directory = top.join(".git").join(IN_GIT);
    let is_other = |path: &Path| path.symlink_metadata().is_ok_and(|found| !found.is_dir());
    if directory.ancestors().take(2).any(is_other) {
        return None;
    }
    let below = String::from_utf8(paths::bytes(beside.strip_prefix(top).ok()?)).ok()?;
    let name = below.replace('%', "%25").replace('/', "%2F");
    (name.len() <= LONGEST_NAME).then(|| directory.join(name))
}

/// Returns the manifests in `.git` of a directory, and of files and directories in it, with these
/// PATHs.
fn in_git_of(directory: &Path) -> Vec<(PathBuf, PathBuf)> {
    let Some(top) = directory.canonicalize().ok().and_then(|real| {
        let top = git::top(&real)?.to_owned();
        Some((real, top))
    }) else {
        return Vec::new();
    };
    let (real, top) = top;
    let found = top.join(".git").join(IN_GIT).read_dir().into_iter().flatten().flatten();
    let subject = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let beside = top.join(name.replace("%2F", "/").replace("%25", "%"));
        let subject = beside.file_name()?.to_str()?.strip_suffix(MANIFEST)?.strip_prefix('.')?;
        let path = beside.with_file_name(subject);
        let subject = path.strip_prefix(&real).ok()?;
        let is_here = in_git(&beside).is_some_and(|place| place == entry.path());
        let subject = if subject.as_os_str().is_empty() { Path::new(".") } else { subject };
        let is_near = subject.components().count() == 1 && is_here && is_manifest(&entry.path());
        is_near.then(|| (entry.path(), subject.to_owned()))
    };
    found.filter_map(subject).collect()
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

/// Returns what identifies a manifest and its PATHs, and what undo needs besides it.
pub(super) fn kept(
    manifest: &File,
    roots: &[&Path],
    records: &JournalContents,
) -> io::Result<Kept> {
    let mut kept = Kept::new(manifest, roots)?;
    let times = records.directories.iter().map(|old| old.state.modified.unwrap_or_default());
    kept.times.extend(times);
    kept.replaced.extend(records.replaced.iter().map(ReplacedRecord::new));
    Ok(kept)
}

/// Returns true if the manifest at a path, which a run replaces, is of an earlier run that has not
/// been reverted: before this run, a document had the content that the earlier one has written.
/// `records` are those of this run, in a log; `roots` are its PATHs, and `dirs` their directories.
///
/// # Errors
///
/// Those of reading the log.
pub fn is_of_earlier_run(
    path: &Path,
    (log, records): (&File, &JournalContents),
    roots: &[&Path],
    dirs: &Dirs,
) -> io::Result<bool> {
    let Ok(earlier) = open(path) else { return Ok(false) };
    // The content of each document before the run.
    let mut first: HashMap<Short, ContentHash> = HashMap::new();
    for recorded in records.documents.iter(log) {
        let document = recorded?.document;
        first.entry(place_hash(document.root, &document.below)).or_insert(document.old);
    }
    let places: Vec<Option<PathBuf>> =
        earlier.kept.iter().flat_map(Kept::roots).map(Identity::path).collect();
    Ok(earlier.changed().filter_map(Result::ok).any(|listed| {
        let (root, below) = (listed.document.root, listed.document.path());
        let place = places.get(root).and_then(Option::as_deref);
        if place.is_none() || place != roots.get(root).copied() {
            return false;
        }
        match first.get(&place_hash(root, &below)) {
            Some(old) => *old == listed.document.new,
            None => dirs
                .locate(root, &below, &below)
                .is_ok_and(|at| state(&at, &listed.document) == DocumentState::New),
        }
    }))
}

/// Opens a kept manifest. A link is not followed.
fn open(path: &Path) -> Result<Manifest, Error> {
    let failed = Failure::to("cannot use this manifest", path);
    let (file, metadata) = beside(path).and_then(|at| at.open()).map_err(&failed)?;
    lock::check_own(&metadata).map_err(&failed)?;
    Manifest::read(path, file)
}

/// Finds the manifest that the last run over these PATHs has kept; without a PATH, that of the last
/// run over the current directory, or over a file or directory in it. Returns it with all PATHs of
/// that run: the first one is enough to find it.
///
/// # Errors
///
/// [`Error::Path`] if it is not trusted or damaged, or if there are several.
pub fn find(
    roots: &[Root],
    is_trusted: bool,
    events: &mut dyn Events,
) -> Result<Option<(Manifest, Vec<PathBuf>)>, Error> {
    let mut paths: Vec<PathBuf> = roots.iter().filter_map(Root::path).map(Path::to_owned).collect();
    let Some(path) = (match paths.first() {
        Some(first) => place_of(first)?,
        None => match here()? {
            Some((path, subject)) => {
                paths.push(subject);
                Some(path)
            }
            None => None,
        },
    }) else {
        return Ok(None);
    };
    let manifest = open(&path)?;
    let others = manifest.kept.iter().flat_map(Kept::roots).skip(paths.len());
    paths.extend(others.filter_map(Identity::path));
    let roots: Vec<Root> = paths.iter().cloned().map(Root::new).collect();
    if let Some(distrust) = distrust(&manifest, &roots).filter(|_| !is_trusted) {
        let changed = manifest.changed();
        let changed = changed.map(|listed| Ok(listed?.document.path().into_owned()));
        let others = manifest.replaced().into_iter().map(|file| Ok(file.path));
        for changed in changed.chain(others) {
            let text = format!("records changes in {}", changed.map_err(Error::File)?.display());
            events.error(&messages::of_path(&path, &text));
        }
        let reason = format!(
            "cannot undo; the manifest is not trusted: {distrust}; if the lines above are right, use `relink undo --trust`, else remove the manifest"
        );
        return Err(Error::at(&path, reason));
    }
    Ok(Some((manifest, paths)))
}

/// Returns the path of the manifest that a run over a PATH has kept.
fn place_of(path: &Path) -> Result<Option<PathBuf>, Error> {
    let places = lock::places_with(path, MANIFEST).map_err(Failure::reading(path))?;
    let mut places = places.into_iter().flat_map(|place| [in_git(&place), Some(place)]).flatten();
    Ok(places.find(|place| place.symlink_metadata().is_ok()))
}

/// Returns the path of the manifest of the current directory, or of a file or directory in it, and
/// that PATH.
fn here() -> Result<Option<(PathBuf, PathBuf)>, Error> {
    let directory = Path::new(".");
    let failed = Failure::reading(directory);
    let mut found = in_git_of(directory);
    if found.iter().all(|(_, subject)| subject != directory) {
        found.extend(place_of(directory)?.map(|place| (place, directory.to_owned())));
    }
    for entry in directory.read_dir().map_err(&failed)? {
        let name = entry.map_err(&failed)?.file_name();
        let subject = name.as_encoded_bytes().strip_suffix(MANIFEST.as_bytes());
        let subject = subject.and_then(|name| paths::os_str(name.strip_prefix(b".")?));
        if let Some(subject) = subject
            && is_manifest(&directory.join(&name))
        {
            found.push((name.clone().into(), subject.into()));
        }
    }
    found.sort_unstable();
    match found.len() {
        0 | 1 => Ok(found.pop()),
        _ => {
            let names = found.iter().map(|(_, path)| command_line::quoted(path.as_os_str()));
            let names: Vec<String> = names.collect();
            let reason = format!(
                "several runs found that can be reverted; use one of their PATHs: {}",
                names.join(", ")
            );
            Err(Error::at(directory, reason))
        }
    }
}

/// Returns the directory around a path whose last run has changed something there, if its manifest
/// was kept.
pub fn around(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    let is_of = |directory: &&Path| {
        let Some(manifest) = place_of(directory).ok().flatten().and_then(|at| open(&at).ok())
        else {
            return false;
        };
        let below = path.strip_prefix(directory).unwrap_or(&path);
        manifest
            .changed()
            .filter_map(Result::ok)
            .any(|listed| listed.document.root == 0 && listed.document.path().starts_with(below))
    };
    path.ancestors().skip(1).find(is_of).map(Path::to_owned)
}

/// Returns the reason why a kept manifest is not trusted, if it is not.
fn distrust(manifest: &Manifest, roots: &[Root]) -> Option<Distrust> {
    let Some(kept) = &manifest.kept else { return Some(Distrust::Copied) };
    let real: Vec<Option<PathBuf>> =
        roots.iter().map(|root| root.real().map(Path::to_owned)).collect();
    kept.distrust(manifest.file(), &real)
}

/// Removes the kept manifest of a run that was interrupted after it had been written, and is
/// reverted. That of an earlier run stays.
///
/// # Errors
///
/// [`Failure`] with its path, if it cannot be removed.
pub fn remove_reverted(root: &Path, is_trusted: bool) -> Result<(), Failure> {
    let roots = [Root::new(root.to_owned())];
    let Ok(Some((manifest, paths))) = find(&roots, is_trusted, &mut |_: Event<'_>| Ok(())) else {
        return Ok(());
    };
    let Ok(tree) = ListedTree::open(&manifest, &paths) else { return Ok(()) };
    let is_old =
        |listed: &Recorded| tree.find(listed).is_ok_and(|found| found.state == DocumentState::Old);
    let is_reverted = manifest.changed().all(|listed| listed.is_ok_and(|it| is_old(&it)));
    if is_reverted { remove(&manifest) } else { Ok(()) }
}

/// Removes a kept manifest.
///
/// # Errors
///
/// [`Failure`] with its path.
pub fn remove(manifest: &Manifest) -> Result<(), Failure> {
    lock::remove(&manifest.path).map_err(Failure::removing(&manifest.path))
}
