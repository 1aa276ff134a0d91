//! The records of what a run writes, of which its manifest is made: those of the journal, or, if
//! the run writes elsewhere, those of a temporary file.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::run::Run;
use crate::events::Events;
use crate::files::walk::Entry;
use crate::os::digest;
use crate::os::dirs::{self, Location};
use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::paths::{self, Root};
use crate::os::undo_log::Changes;
use crate::plan::Convert;
use crate::plan::destination::{Output, manifest as manifest_path};
use crate::plan::exit::Error;
use crate::recovery::journal::Journal;
use crate::recovery::journal::contents::JournalContents;
use crate::recovery::journal::log::{EditSpool, Log};
use crate::recovery::journal::recover::place;
use crate::recovery::manifest::kept;
use crate::recovery::manifest::write::{
    self as manifest, ChangedMoves, ManifestPlace, ManifestSubject, Renamed, Unrecorded,
};
use crate::recovery::move_log;
use crate::recovery::records::RecordedDocument;
use crate::recovery::write::Step;
use crate::recovery::write::old_directories;
use crate::recovery::write::{StreamedFile, WriteOptions};
use crate::tree::containers::Opened;

/// The note about the manifest of an earlier run.
const REPLACED: &str = "note: the run before this one cannot be reverted any more; its manifest was replaced; use `--manifest FILE` to keep one of each run";

/// The new name of a document, and the name of its copy.
#[derive(Default)]
pub(super) struct DocumentNames<'n> {
    pub(super) renamed: Option<&'n OsStr>,
    pub(super) kept: Option<OsString>,
}

/// Creates the records of a run without a journal, if it writes a manifest.
pub(super) fn begin(config: &Convert, journal: Option<&Journal>) -> Result<Option<Log>, Error> {
    let Some(path) = &config.manifest else { return Ok(None) };
    match journal {
        // A run that continues has perhaps written it.
        Some(journal) if journal.has_changes() => Ok(None),
        Some(_) => {
            let checked = manifest_path::check(path, [], false);
            checked.map(|()| None).map_err(|error| Error::Plan(error.into()))
        }
        None => {
            let log = Log::temporary(&paths::from_root(path))?;
            let steps = renamed_in_output(config);
            if !steps.is_empty() {
                log.note_renames(&steps)?;
            }
            Ok(Some(log))
        }
    }
}

/// Returns the files with new names in an output: in the order of renaming, by their places in OUT.
fn renamed_in_output(config: &Convert) -> Vec<Step> {
    let Some(files) = config.file_renames() else { return Vec::new() };
    let roots = 0..config.tree.roots.len();
    let place = |root: usize, below: &Path| match &config.output {
        // Several roots have their own directories in OUT.
        Output::Below(outputs) if outputs.len() > 1 => {
            (0, Path::new(outputs[root].file_name().unwrap_or_default()).join(below))
        }
        _ => (0, below.to_owned()),
    };
    let step = |root: usize, (old, new): &(PathBuf, PathBuf)| {
        let ((number, old), (_, new)) = (place(root, old), place(root, new));
        (number, old, new)
    };
    roots.flat_map(|root| files.steps(root).iter().map(move |pair| step(root, pair))).collect()
}

impl Run<'_> {
    /// Returns the records of the run, if it has some.
    pub(super) fn log(&self) -> Option<&Log> {
        self.journal.as_ref().map(Journal::log).or(self.log.as_ref())
    }

    /// Returns the records, if they are of files that are written elsewhere.
    fn elsewhere(&self) -> Option<&Log> {
        self.log.as_ref()
    }

    /// Returns the number of the root under which a file is recorded, and its path there.
    fn place(&self, entry: &Entry) -> (usize, PathBuf) {
        match (&self.config.output, &self.config.tree.roots[..]) {
            (Output::InPlace(_), _) => (entry.root, entry.below.clone()),
            // Several roots have their own directories in OUT.
            (Output::Below(outputs), [_, _, ..]) => {
                let name = outputs[entry.root].file_name().unwrap_or_default();
                if entry.is_single {
                    (0, PathBuf::from(name))
                } else {
                    (0, Path::new(name).join(&entry.below))
                }
            }
            (Output::File(path), _) => (0, path.file_name().map(PathBuf::from).unwrap_or_default()),
            _ => (0, entry.below.clone()),
        }
    }

    /// Records the directory around a document.
    fn note_around(&self, log: &Log, root: usize, below: &Path) -> Result<(), Failure> {
        let dirs = &self.config.tree.dirs;
        log.note_around(root, below, |around| old_directories::of(dirs, root, around.to_owned()))
    }

    /// Records what a document becomes, before it is written.
    pub(super) fn note(
        &self,
        entry: &Entry,
        names: DocumentNames<'_>,
        before: &[u8],
        after: &[u8],
        changes: &Changes,
    ) -> Result<(), Failure> {
        let Some(log) = self.log() else { return Ok(()) };
        let (root, below) = self.place(entry);
        self.note_around(log, root, &below)?;
        let contents = [before, after].map(|it| (digest::of_bytes(it), it.len() as u64));
        let (renamed, kept) = (names.renamed.map(OsStr::to_owned), names.kept);
        let document =
            RecordedDocument { renamed, kept, ..RecordedDocument::new(root, below, contents) };
        log.note(&document, changes)
    }

    /// Records what a container becomes, before it is written.
    pub(super) fn note_container(
        &self,
        opened: &Opened,
        stream: &mut StreamedFile,
        mut spool: EditSpool,
        kept: Option<OsString>,
    ) -> Result<(), Failure> {
        let Some(log) = self.log() else { return Ok(()) };
        let entry = &opened.entry;
        let (old, metadata) = self
            .config
            .tree
            .locate(entry)?
            .open()
            .and_then(|(file, metadata)| Ok((digest::of_reader(file)?, metadata)))
            .map_err(Failure::reading(&entry.path))?;
        let (root, below) = self.place(entry);
        self.note_around(log, root, &below)?;
        let contents = [(old, metadata.len()), (stream.hash()?, stream.len())];
        let document = RecordedDocument { kept, ..RecordedDocument::new(root, below, contents) };
        log.note_spooled(&document, &mut spool)
    }

    /// Records that a document was written.
    pub(super) fn set_written(&self, entry: &Entry) {
        if let Some(log) = self.log() {
            let (root, below) = self.place(entry);
            log.set_written(root, &below);
        }
    }

    /// Records a file that was written elsewhere as it is.
    pub(super) fn note_copy(&self, entry: &Entry, to: &Location) -> Result<(), Failure> {
        let Some(log) = self.elsewhere() else { return Ok(()) };
        let (root, below) = self.place(entry);
        let content = to
            .open()
            .and_then(|(file, metadata)| Ok((digest::of_reader(file)?, metadata.len())))
            .map_err(Failure::reading(to.path()))?;
        log.note(&RecordedDocument::new(root, below, [content, content]), &Changes::default())?;
        self.set_written(entry);
        Ok(())
    }

    /// Records a symbolic link that was written elsewhere.
    pub(super) fn note_link(&self, entry: &Entry, to: &Location) -> Result<(), Failure> {
        let Some(log) = self.elsewhere() else { return Ok(()) };
        let (root, below) = self.place(entry);
        let target = to.directory().read_link(to.name()).map_err(Failure::reading(to.path()))?;
        log.note_link(root, &below, &target)
    }
}

/// Writes the manifest of a run that is complete: to the path of `--manifest`, or of a run with a
/// journal, next to it. Returns true if it is written next to the journal.
pub(super) fn write(
    config: &Convert,
    journal: Option<&Journal>,
    log: &Log,
    events: &mut dyn Events,
) -> Result<bool, Failure> {
    let kept = journal.filter(|_| config.keeps_manifest).map(|journal| kept::place(journal.path()));
    let is_kept = config.manifest.is_none();
    let Some(path) = config.manifest.as_ref().or(kept.as_ref()) else { return Ok(false) };
    let contents = log.contents()?;
    let moves = moves(config, log, &contents)?;
    if is_kept {
        // A run that changes nothing does not replace the manifest of the one before.
        if moves.is_empty() && !log.has_changes() {
            return Ok(false);
        }
        if let Some(reason) = kept::obstacle(path) {
            events
                .warning(&messages::of_path(path, &format!("the manifest is not kept; {reason}")));
            return Ok(false);
        }
    }
    let is_all = !matches!(config.output, Output::InPlace(_));
    let n_roots = if is_all { 1 } else { config.tree.roots.len() };
    let head = ManifestSubject { command: config.command.clone(), n_roots, is_all };
    let to = dirs::beside(&paths::from_root(path)).map_err(Failure::writing(path))?;
    let options = WriteOptions::durable(config.is_durable);
    let roots: Vec<&Path> = config.tree.roots.iter().filter_map(Root::real).collect();
    let place = match is_kept {
        true => ManifestPlace::Kept(&roots),
        false if journal.is_some() => ManifestPlace::Recorded,
        false => ManifestPlace::Wanted,
    };
    let unrecorded = Unrecorded { renamed: renamed(config, log, &contents)?, moves };
    let is_of_earlier_run = || {
        kept::is_of_earlier_run(path, (&log.file()?, &contents), &roots, &config.tree.dirs)
            .map_err(Failure::reading(path))
    };
    let replaces = is_kept && is_of_earlier_run()?;
    manifest::write(&to, &head, (log, &contents), unrecorded, place, options)?;
    if replaces {
        events.note(REPLACED);
    }
    Ok(is_kept)
}

/// Returns the files and links that the run in place has renamed, and not changed.
fn renamed(
    config: &Convert,
    log: &Log,
    contents: &JournalContents,
) -> Result<Vec<Renamed>, Failure> {
    let Output::InPlace(_) = config.output else { return Ok(Vec::new()) };
    let mut others = contents.renamed();
    if others.is_empty() {
        return Ok(Vec::new());
    }
    for recorded in contents.documents.iter(&log.file()?) {
        let document = recorded.map_err(Failure::reading(log.path()))?.document;
        others.remove(&(document.root, document.path().into_owned()));
    }
    let entry = |((root, old), new): ((usize, PathBuf), PathBuf)| {
        let typed = config.tree.roots.get(root).and_then(Root::path).unwrap_or(Path::new(""));
        let shown = place(typed, &new);
        let failed = Failure::reading(&shown);
        let at = config.tree.dirs.locate(root, &new, &shown).map_err(&failed)?;
        if at.status().is_ok_and(|found| found.is_link) {
            let target = at.directory().read_link(at.name()).map_err(&failed)?;
            return Ok(Renamed::Link(root, old, new, target));
        }
        let (file, metadata) = at.open().map_err(&failed)?;
        let content = (digest::of_reader(file).map_err(&failed)?, metadata.len());
        let document = RecordedDocument::new(root, old, [content, content]);
        Ok(Renamed::File(RecordedDocument { moved: Some(new), ..document }))
    };
    others.into_iter().map(entry).collect()
}

/// Returns the records of moves that the run has written.
fn moves(
    config: &Convert,
    log: &Log,
    contents: &JournalContents,
) -> Result<Vec<ChangedMoves>, Failure> {
    let journal = log.file()?;
    let mut moves = Vec::new();
    for (root, path) in config.tree.roots.iter().enumerate() {
        let changed = contents.moves_of(root);
        let record = path.real().and_then(|real| move_log::beside(real).ok());
        if let Some(record) = record.filter(|_| !changed.is_empty()) {
            let after = move_log::bytes(&record)?;
            let before = move_log::before(&record, &after, &changed, &journal)?;
            moves.push(ChangedMoves { root, before, after });
        }
    }
    Ok(moves)
}
