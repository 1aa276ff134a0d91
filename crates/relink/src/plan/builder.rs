//! The options of a conversion as values, and their checks.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::{FixedRoots, Integrity, Move, MoveStyle, Verify};

use super::options::{excludes, setters};
use super::{
    Action, Convert, ConvertOptions, MoveOptions, NotesMoves, Plan, PlanError, RelativizeOptions,
    Renaming, TreeOptions, Work, aliases, fixes, mentions, relativize, renaming,
};
use super::{options, shares, site_root};
use crate::events::Events;
use crate::files::diff::Diff;
use crate::os::command_line::{CommandLine, OptionValues, options_of};
use crate::os::interrupt::Interrupt;
use crate::os::messages;
use crate::os::paths::{self, Root};
use crate::plan::destination::{self, Output, Replacing};
use crate::plan::move_plan::{self, Moving};
use crate::plan::other_names::OtherNames;
use crate::tree::Tree;
use crate::tree::error_pages::ErrorPages;
use crate::tree::integrity::Loads;
use crate::tree::units;
use crate::urls::renames::{RenameError, RenameOptions};

/// The hint for a mirror that is not converted for a browser.
const FOR_SERVER: &str = "hint: the references will be those of a web server; use `--for file` if the mirror is opened from a disk";

/// The kind of a conversion, with its own options.
#[derive(Clone, Debug)]
pub(crate) enum Conversion {
    Absolutize,
    Relativize(RelativizeOptions),
    Move(MoveOptions),
}

/// The options of a conversion. Each method sets what the option of the command line with its name
/// sets; nothing is checked before [`PlanBuilder::build`].
#[derive(Clone, Debug)]
#[must_use]
pub struct PlanBuilder {
    pub(crate) options: ConvertOptions,
    kind: Conversion,
    /// The command of the interrupted run that is continued.
    pub(crate) line: Option<CommandLine>,
}

impl PlanBuilder {
    pub(super) fn new(tree: TreeOptions, kind: Conversion) -> Self {
        PlanBuilder::of(ConvertOptions { tree, ..ConvertOptions::default() }, kind)
    }

    pub(crate) fn of(options: ConvertOptions, kind: Conversion) -> Self {
        PlanBuilder { options, kind, line: None }
    }

    /// Sends the changes as a diff. Without an output, nothing is written.
    pub fn diff(mut self, diff: impl Into<Diff>) -> Self {
        let Diff { format, look } = diff.into();
        (self.options.diff, self.options.look) = (Some(format), look);
        self
    }

    /// Returns the record of the run, by which another one continues it.
    pub(crate) fn recorded(&self) -> CommandLine {
        let (command, own) = match &self.kind {
            Conversion::Absolutize => ("absolutize", OptionValues::default()),
            Conversion::Relativize(options) => ("relativize", options_of(options)),
            Conversion::Move(options) => ("move", options_of(options)),
        };
        let mut line = self.options.tree.recorded(command);
        let defaults = TreeOptions::default();
        let rest = ConvertOptions { tree: defaults, ..self.options.clone() };
        line.options.extend(options_of(&rest));
        line.options.extend(own);
        line
    }

    /// Checks the options, and reads the names of the files of the tree. Notes about how the
    /// options are read go to `events`.
    ///
    /// # Errors
    ///
    /// [`PlanError`] for options that are invalid, or that exclude each other.
    pub fn build(mut self, events: &mut dyn Events) -> Result<Plan, PlanError> {
        // A run that continues this one does not choose again, and checks that the lists are the
        // same.
        self.options.tree.choose_layout(events);
        if let Some(renames) = self.renames()
            && let Some(digest) = renames.digest_of_lists()?
            && *renames.renames_digest.get_or_insert_with(|| digest.clone()) != digest
        {
            return Err(RenameError::Changed.into());
        }
        let line = self.line.take().unwrap_or_else(|| self.recorded());
        excludes::check(&line.options)?;
        let command = line.in_manifest();
        let mut config = match self.kind.clone() {
            Conversion::Absolutize => self.check(events, |_| Ok(Action::Absolutize.into())),
            Conversion::Relativize(options) => {
                let has_output = self.options.output.is_some();
                self.check(events, |tree| relativize::relativize(tree, &options, has_output))
            }
            Conversion::Move(options) => self.relocate(&options, events),
        }?;
        if matches!(config.action, Action::Relativize(_)) && config.tree.places.layout().has_hosts()
        {
            events.hint(FOR_SERVER);
        }
        config.command = command;
        Ok(Plan { config, line, interrupt: Interrupt::default() })
    }

    /// Returns the renames of the run.
    fn renames(&mut self) -> Option<&mut RenameOptions> {
        match &mut self.kind {
            Conversion::Absolutize => None,
            Conversion::Relativize(options) => Some(&mut options.renames),
            Conversion::Move(options) => Some(&mut options.renames),
        }
    }

    /// Returns the aliases of the URL of the tree.
    fn aliases(&self) -> Vec<String> {
        match &self.kind {
            Conversion::Absolutize => Vec::new(),
            Conversion::Relativize(options) => options::aliases(&options.member.same_as),
            Conversion::Move(options) => options::aliases(&options.same_as),
        }
    }

    /// Returns true if URLs are also searched for under another scheme or host.
    fn has_twins(&self) -> bool {
        matches!(&self.kind, Conversion::Relativize(options) if options.has_twins())
    }

    /// Checks the options of a move, then the others.
    fn relocate(
        mut self,
        options: &MoveOptions,
        events: &mut dyn Events,
    ) -> Result<Convert, PlanError> {
        let Moving { moves, pairs, same_as, notes } = Moving::new(options)?;
        let mut guessed = None;
        if let ([path], false) = (&*self.options.tree.paths, self.options.tree.has_url())
            && let Some((url, note)) = move_plan::place(&pairs, path)
        {
            guessed = Some((note, path.is_file()));
            self.options.tree.base = Some(url);
        }
        notes.iter().for_each(|(severity, note)| events.message(*severity, note));
        if options.again && !self.options.in_place {
            return Err(PlanError::AgainNotInPlace);
        }
        // If trees come together, a relative path from one to another leads elsewhere in the old
        // place.
        let style = options.style;
        let joins_trees = style == MoveStyle::Relative && pairs.len() > 1;
        let is_noted = moves.may_move_twice() || joins_trees;
        let has_renames = !options.renames.is_empty();
        let is_once = is_noted || has_renames || options.fix;
        let mut to = Move::by(moves).with_style(style).with_is_once(is_once);
        let is_file = |url: &str| url.starts_with("file:");
        let is_from_disk = pairs.iter().any(|(from, to)| is_file(from) && !is_file(to));
        let other_names = (!pairs.is_empty()).then(|| {
            let mut roots = FixedRoots::default();
            for (idx, (from, _)) in pairs.iter().enumerate() {
                roots.add(from, if idx == 0 { same_as.clone() } else { Vec::new() });
            }
            OtherNames::new(Arc::clone(&to.map), roots, is_from_disk)
        });
        if let Some(names) = &other_names {
            to.map = names.clone();
        }
        let in_place = self.options.in_place;
        let moves_pages = has_renames && pairs.is_empty();
        to = to.with_keeps_root(moves_pages);
        let mut config = self.check(events, |tree| {
            tree.places.check_overlaps()?;
            let has_url = !tree.places.is_empty();
            let (site_root, searched) =
                renaming::read_as_before(tree, &options.renames, &options.index)?;
            if options.fix {
                let action = Action::Move(to.with_map(fixes(tree, options)?));
                return Ok(Work { action, renames: None, other_names, note: None });
            }
            if !has_renames {
                let action = Action::Move(to);
                return Ok(Work { action, renames: None, other_names, note: None });
            }
            let names = if moves_pages { aliases(&options.same_as, tree)? } else { Vec::new() };
            let mut urls = tree.places.roots(&tree.roots, &names);
            for (idx, (from, _)) in pairs.iter().enumerate() {
                urls.add(from, if idx == 0 { same_as.clone() } else { Vec::new() });
            }
            let then = if moves_pages { Arc::new(urls.clone()) } else { to.map };
            let renames = &options.renames;
            let then = (then, &*pairs);
            let renaming = Renaming::new(tree, renames, urls.clone(), then, &options.index)?;
            to.map = site_root.map(tree, renaming.map());
            // The URLs of `--from` have their own map already.
            let other_names = other_names.filter(|_| has_url).unwrap_or_else(|| {
                let names = if has_url {
                    OtherNames::new(Arc::clone(&to.map), urls, false)
                } else {
                    OtherNames::of_renamed(Arc::clone(&to.map), site_root::paths_of(renames))
                };
                to.map = names.clone();
                names
            });
            let renames = Some(renaming.with_names(searched));
            let note = site_root.note().map(str::to_owned);
            Ok(Work { action: Action::Move(to), renames, other_names: Some(other_names), note })
        })?;
        if let Action::Move(to) = &config.action {
            shares::look(&config.tree, to, events);
        }
        if let Some((note, is_file)) = guessed {
            config.tree.places.guess();
            if !(is_file && units::has_messages(&config.tree)) {
                events.note(&note);
            }
        }
        // A dry run reports what the run itself would report.
        let again = options.again;
        config.notes_moves = (is_noted && in_place).then_some(NotesMoves { pairs, again });
        Ok(config)
    }

    /// Checks the options that all conversions have; `action` checks those of one kind.
    fn check(
        self,
        events: &mut dyn Events,
        action: impl FnOnce(&mut Tree) -> Result<Work, PlanError>,
    ) -> Result<Convert, PlanError> {
        let loads = Loads::new(self.aliases(), self.has_twins());
        let options = self.options;
        let shows_diff = options.diff.is_some();
        let is_nowhere = options.output.is_none() && !options.in_place;
        let is_dry = options.dry_run || (shows_diff && is_nowhere);
        let is_stdin = options.tree.paths.iter().any(|path| path.as_os_str() == "-");
        if options.backup.is_some() && !options.in_place {
            return Err(PlanError::BackupNotInPlace);
        }
        if options.break_hardlinks && !options.in_place {
            return Err(PlanError::BreakHardlinksNotInPlace);
        }
        if options.update && options.output.is_none() {
            return Err(PlanError::UpdateWithoutOutput);
        }
        if options.delete && !options.update {
            return Err(PlanError::DeleteWithoutUpdate);
        }
        if is_nowhere && !is_dry && !is_stdin {
            return Err(PlanError::NoOutput);
        }
        let mut tree = options.tree.check(events)?;
        if let Some(path) = units::only_web_archive(&tree) {
            return Err(PlanError::WebArchive(path));
        }
        tree.options.verify = options.verify;
        let mail = &mut tree.options.mail;
        mail.breaks_signatures = options.mail.break_signatures;
        mail.keeps_dkim = options.mail.keep_dkim;
        tree.options.lists_incidents = tree.is_verbose;
        tree.options.lists_references = options.lists_details;
        let Work { action, renames, other_names, note } = action(&mut tree)?;
        note.iter().for_each(|note| events.note(note));
        tree.mentions = mentions(&action, renames.as_ref(), other_names.as_deref());
        let is_for_disk = matches!(&action, Action::ForFile(_, locator) if !locator.has_server());
        tree.options.integrity = match action {
            // The pages load the files of the site, which are not edited.
            Action::Absolutize => Integrity::Keep,
            _ if is_for_disk => Integrity::Remove,
            _ => Integrity::Renew,
        };
        if !options.no_error_pages && !is_for_disk {
            tree.error_pages = ErrorPages::read(&tree.roots, &tree.places, &options.error_page)?;
            for (root, path, reason) in tree.error_pages.found() {
                let name = tree.roots[root].path().map_or(path.to_owned(), |root| root.join(path));
                let text = format!(
                    "converted as an error page; {reason}; use `--no-error-pages` if it has one URL"
                );
                events.note(&format!("note: {}", messages::of_path(&name, &text)));
            }
        }
        let may_exist = options.force || options.update;
        let output = match options.output {
            _ if is_dry => Output::Nowhere,
            None if options.in_place => {
                let (backup, breaks_hardlinks) = (options.backup, options.break_hardlinks);
                destination::in_place(&mut tree, Replacing { backup, breaks_hardlinks })?
            }
            Some(out) => destination::output(&tree.roots, &out, may_exist)?,
            None => destination::output(&tree.roots, Path::new("-"), options.force)?,
        };
        if let Some(manifest) = &options.manifest {
            check_manifest(manifest, &tree, &output, may_exist)?;
        }
        Ok(Convert {
            manifest: options.manifest.filter(|_| !is_dry),
            keeps_manifest: options.keeps_manifest,
            command: String::new(),
            tree,
            action: action.remembering(),
            output,
            shows_diff,
            diff: Diff { format: options.diff.unwrap_or_default(), look: options.look },
            has_portable_names: options.portable_names,
            is_durable: options.durable,
            is_update: options.update,
            is_checksum: options.checksum,
            is_unfinished: false,
            deletes: options.delete,
            lists_details: options.lists_details,
            prepares: options.prepares,
            notes_moves: None,
            renames,
            loads,
            other_names,
        })
    }
}

setters!(PlanBuilder {
    /// Writes to this path: a new or empty directory, or a file if the input is one. With `-`,
    /// a document is sent as [`Event::Output`](crate::Event::Output).
    output: Option<PathBuf> => options.output;
    /// Writes into the output even if it is not empty.
    force: true => options.force;
    /// Writes into the output of an earlier run, and only the files that differ from those
    /// there. If nothing has changed since the last such run, no document is read, and there is no
    /// [`Event::Document`](crate::Event::Document).
    update: true => options.update;
    /// With [`PlanBuilder::update`], reads all documents even if nothing seems to have changed.
    checksum: true => options.checksum;
    /// With [`PlanBuilder::update`], removes from the output what the input does not contain.
    /// If a file fails or the run is interrupted, nothing is removed.
    delete: true => options.delete;
    /// Writes over the documents themselves. A journal next to the tree has the way back, as
    /// [`undo`](crate::undo) reads it.
    in_place: true => options.in_place;
    /// Keeps the old documents under their names with this suffix.
    backup: Option<OsString> => options.backup;
    /// Writes over hard-linked documents too: each becomes a separate file.
    break_hardlinks: true => options.break_hardlinks;
    /// Writes nothing; the events say what would be done.
    dry_run: true => options.dry_run;
    /// Sets how documents are checked before they are written.
    verify: Verify => options.verify;
    /// Edits signed parts of messages too (S/MIME, OpenPGP).
    break_signatures: true => options.mail.break_signatures;
    /// Skips messages with a DKIM or ARC signature.
    keep_dkim: true => options.mail.keep_dkim;
    /// Skips files with names that Windows does not allow.
    portable_names: true => options.portable_names;
    /// Converts error pages like all others.
    no_error_pages: true => options.no_error_pages;
    /// Waits until each file is on the disk before going on.
    durable: true => options.durable;
    /// Sends each reference, each base and everything that is skipped as an event of its own:
    /// [`Event::Reference`](crate::Event::Reference) and so on.
    list_details: true => options.lists_details;
    /// Keeps the manifest of a run in place next to PATH, `.NAME.relink-manifest`, where
    /// [`undo`](crate::undo()) finds it.
    keep_manifest: true => options.keeps_manifest;
    /// Writes a manifest of the run to this path: every file that is written, with its digest
    /// before and after, and the edits that restore the old content.
    manifest: Option<PathBuf> => options.manifest;
    /// Converts pages whose path below its PATH matches as error pages, which a server sends for
    /// other URLs too; besides those that are recognized.
    error_page: Vec<String> => options.error_page;
});

/// Checks that the manifest of a run can be written. Of a run in place, an existing one is checked
/// when it is known whether the run continues another one.
fn check_manifest(
    path: &Path,
    tree: &Tree,
    output: &Output,
    replaces: bool,
) -> Result<(), PlanError> {
    let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| paths::absolute(path));
    let (outputs, replaces) = match output {
        Output::Nowhere => return Ok(()),
        Output::Stdout => return Err(PlanError::ManifestOfStdout),
        Output::InPlace(_) => (Vec::new(), true),
        Output::File(path) => (vec![real(path)], replaces),
        Output::Below(outputs) => (outputs.iter().map(real).collect(), replaces),
    };
    let trees =
        tree.roots.iter().filter_map(Root::real).chain(outputs.iter().map(PathBuf::as_path));
    Ok(destination::manifest::check(path, trees, replaces)?)
}
