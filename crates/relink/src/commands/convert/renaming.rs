//! The files that get new names: in an output, or, in place, after all documents are written.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::Media;

use super::run::Run;
use crate::events::Events;
use crate::events::summary::{Summary, n};
use crate::files::walk::Entry;
use crate::os::dirs;
use crate::os::failure::Failure;
use crate::os::paths::{self, Root};
use crate::plan::exit::Error;
use crate::plan::naming::files;
use crate::plan::{Action, Convert, PlanError, Renaming};
use crate::recovery::journal::Journal;
use crate::recovery::journal::contents::JournalContents;
use crate::recovery::journal::recover::place;
use crate::recovery::write::Step;
use crate::recovery::write::old_directories::{self, OldDirectory};
use crate::recovery::write::renames::{Steps, new_paths};
use crate::recovery::write::replaced::Replaced;
use crate::recovery::write::{self, WriteOptions};
use crate::tree::input::Document;
use crate::urls::renames::files::{FileRenames, TreeFile};
use crate::urls::renames::naming::HTML;
use crate::urls::renames::redirects::Redirects;
use crate::urls::renames::row::list;

/// The warning for references in place that a second run would rename again.
const TWICE: &str = "warning: a second run of this command renames references again; the new names of some pages are old names of others, or rules may match them";

/// The number of renames that apply to nothing and are listed without `-v`.
const MOST_UNUSED: usize = 10;

/// The files that a run in place renames.
#[derive(Debug, Default)]
pub(super) struct Pending {
    steps: Vec<Step>,
    /// The directories around them, before anything was written.
    directories: Vec<OldDirectory>,
    /// The number of steps that an interrupted run has taken, if it has begun to take them.
    n_complete: Option<usize>,
}

impl Pending {
    /// Returns true if an interrupted run has written all documents, and has begun to rename them.
    pub(super) fn has_begun(&self) -> bool {
        self.n_complete.is_some()
    }
}

/// Checks the renames of a run, and returns the steps that it takes in place: those that an
/// interrupted run has recorded, if it has begun to take them.
///
/// # Errors
///
/// [`Error::Plan`] if files cannot have their new names; all reasons but the last are sent to the
/// receiver.
pub(super) fn begin(
    config: &Convert,
    journal: Option<&Journal>,
    events: &mut dyn Events,
) -> Result<Pending, Error> {
    let Some(renaming) = &config.renames else { return Ok(Pending::default()) };
    let mut directories = Vec::new();
    if let Some(journal) = journal {
        let JournalContents { renames: recorded, directories: around, .. } =
            journal.log().contents()?;
        directories = around;
        let begun = with_steps(config, &recorded, &directories, |steps| {
            steps.has_begun().then(|| steps.n_complete())
        });
        if let Some(n_complete) = begun {
            return Ok(Pending { steps: recorded, directories, n_complete: Some(n_complete) });
        }
    }
    if let Some(target) = renaming.redirects.iter().find(|target| !target.may_be_written()) {
        let reason = "cannot write redirects here; a file exists that relink has not written; use another name";
        return Err(Error::at(&target.path, reason));
    }
    if let Some(path) = renaming.map.as_ref().filter(|path| !may_be_list(path)) {
        let reason = "cannot write the names here; a file exists that relink has not written; use another name";
        return Err(Error::at(path, reason));
    }
    if let Some((last, others)) = renaming.files.errors.split_last() {
        others.iter().for_each(|error| events.error(&format!("{error:#}")));
        return Err(Error::Plan(PlanError::Names(Arc::clone(last))));
    }
    let Some((files, journal)) = config.file_renames().zip(journal) else {
        if journal.is_some() && renaming.urls.may_rename_twice() {
            events.warning(TWICE);
        }
        return Ok(Pending::default());
    };
    let roots = 0..config.tree.roots.len();
    let steps = roots.flat_map(|root| {
        files.steps(root).iter().map(move |(old, new)| (root, old.clone(), new.clone()))
    });
    let steps: Vec<Step> = steps.collect();
    // Those of a run that was interrupted: it may have written files in them.
    if !directories.is_empty() {
        journal.log().set_directories(&directories);
    } else if !steps.is_empty() {
        directories = old_directories::read(&config.tree.dirs, &steps)?;
        journal.log().note_directories(&directories)?;
    }
    Ok(Pending { steps, directories, n_complete: None })
}

/// Returns the path that messages name.
fn shown(config: &Convert, root: usize, below: &Path) -> PathBuf {
    place(config.tree.roots.get(root).and_then(Root::path).unwrap_or(Path::new("")), below)
}

/// Calls `act` with steps in the tree of a run.
fn with_steps<T>(
    config: &Convert,
    steps: &[Step],
    directories: &[OldDirectory],
    act: impl FnOnce(&Steps<'_>) -> T,
) -> T {
    let shown = |root: usize, below: &Path| shown(config, root, below);
    let (dirs, is_durable) = (&config.tree.dirs, config.is_durable);
    act(&Steps { dirs, steps, directories, shown: &shown, is_durable })
}

/// Renames the files of a tree, after all documents are written. What cannot be renamed leaves the
/// journal, as what cannot be written does.
pub(super) fn finish(
    run: &Run<'_>,
    pending: &Pending,
    summary: &mut Summary,
    events: &mut dyn Events,
) {
    let (config, Pending { steps, directories, n_complete }) = (run.config, pending);
    // Of what has its new name already, nothing need be found.
    let is_searched = |renaming: &&Renaming| !pending.has_begun() && renaming.known.is_none();
    if let Some(renaming) = config.renames.as_ref().filter(is_searched) {
        summary.n_unseen += report_unused(config, renaming, events);
    }
    let Some(journal) = run.journal.as_ref() else {
        summary.n_renamed = config.file_renames().map_or(0, FileRenames::n_files);
        return;
    };
    if steps.is_empty() {
        return;
    }
    let take = || {
        if n_complete.is_none() {
            journal.log().note_renames(steps)?;
        }
        with_steps(config, steps, directories, |steps| steps.take(n_complete.unwrap_or_default()))
    };
    match take() {
        Ok(()) => summary.n_renamed = new_paths(steps).len(),
        Err(failure) => {
            events.error(&failure.to_string());
            summary.n_failed += 1;
            summary.is_of_disk = true;
        }
    }
}

/// Records a file outside of the tree before it is replaced, if the run has a journal.
pub(super) type RecordReplaced<'n> = &'n mut dyn FnMut(&Replaced) -> Result<(), Failure>;

/// Writes the redirects of a run.
///
/// # Errors
///
/// [`Failure`] with the path of the file that cannot be written.
pub(super) fn write_redirects(config: &Convert, note: RecordReplaced<'_>) -> Result<(), Failure> {
    let Some(renaming) = config.renames.as_ref().filter(|all| !all.redirects.is_empty()) else {
        return Ok(());
    };
    let new_of = |old: &str| match renaming.urls.find(old, false) {
        Some(found) => renaming.then.url(&found.url),
        None => renaming.then.url(old),
    };
    let mut redirects = Redirects::default();
    for (root, files) in files(&config.tree)?.into_iter().enumerate() {
        let directory = config.tree.roots[root].path().map(paths::directory_of).unwrap_or_default();
        for TreeFile { below, url } in files {
            let Some(old) = url else { continue };
            let path = config.output_path(root, &below);
            let by_name = || config.tree.places.url_by_path(&directory.join(path));
            let new = match new_of(&old) {
                // Files that get names by their types have no rows.
                new if new == old && path != below => by_name().map_or(new, |(url, _)| url),
                new => new,
            };
            redirects.add(&old, &new);
            // The server shows it for the directory too.
            let folder = old.strip_suffix("index.html").filter(|url| url.ends_with('/'));
            if let Some(folder) = folder {
                redirects.add(folder, &new_of(folder));
            }
        }
    }
    // Then, those that no file has.
    for (old, new) in renaming.urls.pages() {
        redirects.add(old, &renaming.then.url(new));
    }
    for target in &renaming.redirects {
        replace(config, note, &target.path, redirects.text(target).as_bytes())?;
    }
    Ok(())
}

/// Writes a file outside of the tree, after what it was has been recorded.
fn replace(
    config: &Convert,
    note: RecordReplaced<'_>,
    path: &Path,
    text: &[u8],
) -> Result<(), Failure> {
    let to = dirs::beside(&paths::from_root(path)).map_err(Failure::writing(path))?;
    note(&Replaced::before(path, text)?)?;
    write::bytes(&to, text, None, WriteOptions::durable(config.is_durable)).map(drop)
}

/// The first line of a list of new names.
const MAP: &str = "# Names by relink, for --renames\n";

/// Writes the list of the new names of files.
///
/// # Errors
///
/// [`Failure`] with the path of the list, if it cannot be written.
pub(super) fn write_map(config: &Convert, note: RecordReplaced<'_>) -> Result<(), Failure> {
    let Some((path, files)) =
        config.renames.as_ref().and_then(|all| all.map.as_ref()).zip(config.file_renames())
    else {
        return Ok(());
    };
    let pairs = (0..config.tree.roots.len()).flat_map(|root| files.pairs(root));
    let text = MAP.to_owned() + &list(path, pairs);
    replace(config, note, path, text.as_bytes())
}

/// Returns true if nothing is lost when a list is written.
fn may_be_list(path: &Path) -> bool {
    // A pipe is not waited for.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return false;
    }
    let mut head = vec![0; MAP.len()];
    match File::open(path) {
        Ok(mut file) => file.read_exact(&mut head).is_ok() && head == MAP.as_bytes(),
        Err(_) => !path.exists(),
    }
}

/// Reports renames and rules that applied to nothing. Returns their number.
fn report_unused(config: &Convert, renaming: &Renaming, events: &mut dyn Events) -> usize {
    let unused = renaming.urls.unused();
    let n_shown = if config.tree.is_verbose { unused.len() } else { MOST_UNUSED };
    unused.iter().take(n_shown).for_each(|text| events.warning(text));
    if unused.len() > n_shown {
        let n_more = n(unused.len() - n_shown, "more rename");
        events.warning(&format!("{n_more} never met; use `-n -v` to list them"));
    }
    unused.len()
}

/// Returns true if a page for a disk or for a static host has a name that is not that of one.
pub(super) fn is_shown_as_text(config: &Convert, entry: &Entry, document: &Document) -> bool {
    let is_page = document.media == Media::HTML && document.piece().is_none() && !entry.is_single;
    let name = config.output_path(entry.root, &entry.below).extension();
    let is_of_page = |known: &&str| name.is_some_and(|name| name.eq_ignore_ascii_case(known));
    matches!(config.action, Action::ForFile(..)) && is_page && !HTML.iter().any(is_of_page)
}
