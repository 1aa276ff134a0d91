//! The options of a conversion as values, and their checks.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::{FixedRoots, Integrity, Mail, Move, MoveStyle, Verify};

use super::site_root;
use super::{
    Action, Convert, NotesMoves, Plan, PlanError, RelativizeOptions, Renaming, TreeOptions, Work,
    aliases, fixes, mentions, relativize, renaming,
};
use crate::events::Events;
use crate::files::diff::{Diff, Look};
use crate::os::command_line::CommandLine;
use crate::os::digest;
use crate::os::interrupt::Interrupt;
use crate::os::messages;
use crate::os::paths::{self, Root};
use crate::plan::destination::{self, Output, Replacing};
use crate::plan::move_plan::{self, MoveOptions, Moving};
use crate::plan::other_names::OtherNames;
use crate::tree::Tree;
use crate::tree::error_pages::ErrorPages;
use crate::tree::loads::Loads;
use crate::tree::units;
use crate::urls::renames::{RenameError, RenameOptions};

/// The hint for a mirror that is not converted for a browser.
const FOR_SERVER: &str = "hint: the references will be those of a web server; use `--for file` if the mirror is opened from a disk";

/// The kind of a conversion.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Absolutize,
    Relativize(RelativizeOptions),
    Move(MoveOptions),
}

/// The options of a conversion. Each method sets what the option of the command line with its name
/// sets; nothing is checked before [`PlanBuilder::build`].
#[derive(Clone, Debug)]
#[must_use]
pub struct PlanBuilder {
    tree: TreeOptions,
    kind: Kind,
    output: Option<PathBuf>,
    is_forced: bool,
    is_update: bool,
    deletes: bool,
    is_in_place: bool,
    backup: Option<OsString>,
    breaks_hardlinks: bool,
    is_dry: bool,
    diff: Option<Diff>,
    verify: Verify,
    mail: Mail,
    has_portable_names: bool,
    is_durable: bool,
    lists_details: bool,
    manifest: Option<PathBuf>,
    keeps_manifest: bool,
    error_pages: Vec<String>,
    has_no_error_pages: bool,
    line: Option<CommandLine>,
}

impl PlanBuilder {
    pub(super) fn new(tree: TreeOptions, kind: Kind) -> Self {
        PlanBuilder {
            tree,
            kind,
            output: None,
            is_forced: false,
            is_update: false,
            deletes: false,
            is_in_place: false,
            backup: None,
            breaks_hardlinks: false,
            is_dry: false,
            diff: None,
            verify: Verify::default(),
            mail: Mail::default(),
            has_portable_names: false,
            is_durable: false,
            lists_details: false,
            manifest: None,
            keeps_manifest: false,
            error_pages: Vec::new(),
            has_no_error_pages: false,
            line: None,
        }
    }

    /// Writes to this path: a new or empty directory, or a file if the input is one. With `-`, a
    /// document is sent as [`Event::Output`](crate::Event::Output).
    pub fn output(mut self, path: impl Into<PathBuf>) -> Self {
        self.output = Some(path.into());
        self
    }

    /// Writes into the output even if it is not empty.
    pub fn force(mut self) -> Self {
        self.is_forced = true;
        self
    }

    /// Writes into the output of an earlier run, and only the files that differ from those there.
    pub fn update(mut self) -> Self {
        self.is_update = true;
        self
    }

    /// With [`PlanBuilder::update`], removes from the output what the input does not contain. If a
    /// file fails or the run is interrupted, nothing is removed.
    pub fn delete(mut self) -> Self {
        self.deletes = true;
        self
    }

    /// Writes over the documents themselves. A journal next to the tree has the way back, as
    /// [`undo`](crate::undo) reads it.
    pub fn in_place(mut self) -> Self {
        self.is_in_place = true;
        self
    }

    /// Keeps the old documents under their names with this suffix.
    pub fn backup(mut self, suffix: impl Into<OsString>) -> Self {
        self.backup = Some(suffix.into());
        self
    }

    /// Writes over hard-linked documents too: each becomes a separate file.
    pub fn break_hardlinks(mut self) -> Self {
        self.breaks_hardlinks = true;
        self
    }

    /// Writes nothing; the events say what would be done.
    pub fn dry_run(mut self) -> Self {
        self.is_dry = true;
        self
    }

    /// Sends the changes as a diff. Without an output, nothing is written.
    pub fn diff(mut self, diff: impl Into<Diff>) -> Self {
        self.diff = Some(diff.into());
        self
    }

    /// Sets how documents are checked before they are written.
    pub fn verify(mut self, verify: Verify) -> Self {
        self.verify = verify;
        self
    }

    /// Edits signed parts of messages too (S/MIME, OpenPGP).
    pub fn break_signatures(mut self) -> Self {
        self.mail.breaks_signatures = true;
        self
    }

    /// Skips messages with a DKIM or ARC signature.
    pub fn keep_dkim(mut self) -> Self {
        self.mail.keeps_dkim = true;
        self
    }

    /// Edits parts of messages with a checksum too, and updates it.
    pub fn update_checksums(mut self) -> Self {
        self.mail.updates_checksums = true;
        self
    }

    /// Skips files with names that Windows does not allow.
    pub fn portable_names(mut self) -> Self {
        self.has_portable_names = true;
        self
    }

    /// Converts pages whose path below its PATH matches as error pages, which a server sends for
    /// other URLs too; besides those that are recognized.
    pub fn error_page(mut self, glob: impl Into<String>) -> Self {
        self.error_pages.push(glob.into());
        self
    }

    /// Converts error pages like all others.
    pub fn no_error_pages(mut self) -> Self {
        self.has_no_error_pages = true;
        self
    }

    /// Waits until each file is on the disk before going on.
    pub fn durable(mut self) -> Self {
        self.is_durable = true;
        self
    }

    /// Sends each reference, each base and everything that is skipped as an event of its own:
    /// [`Event::Reference`](crate::Event::Reference) and so on.
    pub fn list_details(mut self) -> Self {
        self.lists_details = true;
        self
    }

    /// Keeps the manifest of a run in place next to PATH, `.NAME.relink-manifest`, where
    /// [`undo`](crate::undo()) finds it.
    pub fn keep_manifest(mut self) -> Self {
        self.keeps_manifest = true;
        self
    }

    /// Writes a manifest of the run to this path: every file that is written, with its digest
    /// before and after, and the edits that restore the old content.
    pub fn manifest(mut self, path: impl Into<PathBuf>) -> Self {
        self.manifest = Some(path.into());
        self
    }

    /// Sets the command that `relink resume` executes in `directory` to continue the run, if it is
    /// interrupted while it writes in place. Without one, the same plan continues it.
    pub fn command_line(mut self, directory: PathBuf, words: Vec<OsString>) -> Self {
        self.line = Some(CommandLine { directory, words });
        self
    }

    /// Checks the options, and reads the names of the files of the tree. Notes about how the
    /// options are read go to `events`.
    ///
    /// # Errors
    ///
    /// [`PlanError`] for options that are invalid, or that exclude each other.
    pub fn build(mut self, events: &mut dyn Events) -> Result<Plan, PlanError> {
        let mut line = self.line.clone().unwrap_or_else(|| CommandLine {
            directory: std::env::current_dir().unwrap_or_default(),
            words: vec!["plan".into(), self.digest().into()],
        });
        let command = format!("relink {}", line.shown());
        if let Some(layout) = self.tree.choose_layout(events) {
            // A run that continues this one does not choose again.
            let option = format!("--layout={}", layout.name());
            line.words.insert(line.words.len().min(1), option.into());
        }
        if let Some(digest) = self.renames().map_or(Ok(None), RenameOptions::digest_of_lists)? {
            match self.renames().and_then(|renames| renames.digest.as_deref()) {
                Some(expected) if expected != digest => return Err(RenameError::Changed.into()),
                Some(_) => {}
                // A run that continues this one checks that the lists are the same.
                None => line.words.push(format!("--renames-digest={digest}").into()),
            }
        }
        let mut config = match self.kind.clone() {
            Kind::Absolutize => self.check(events, |_| Ok(Action::Absolutize.into())),
            Kind::Relativize(options) => {
                let has_output = self.output.is_some();
                self.check(events, |tree| relativize::relativize(tree, &options, has_output))
            }
            Kind::Move(options) => self.relocate(&options, events),
        }?;
        if matches!(config.action, Action::Relativize(_)) && config.tree.places.layout().has_hosts()
        {
            events.hint(FOR_SERVER);
        }
        config.command = command;
        Ok(Plan { config, line, interrupt: Interrupt::default() })
    }

    /// Returns the renames of the run.
    fn renames(&self) -> Option<&RenameOptions> {
        match &self.kind {
            Kind::Absolutize => None,
            Kind::Relativize(options) => Some(&options.renames),
            Kind::Move(options) => Some(options.renamed()),
        }
    }

    /// Returns the aliases of the URL of the tree.
    fn aliases(&self) -> Vec<String> {
        match &self.kind {
            Kind::Absolutize => Vec::new(),
            Kind::Relativize(options) => options.aliases().to_vec(),
            Kind::Move(options) => options.aliases().to_vec(),
        }
    }

    /// Returns true if URLs are also searched for under another scheme or host.
    fn has_twins(&self) -> bool {
        matches!(&self.kind, Kind::Relativize(options) if options.has_twins())
    }

    /// Returns the digest of all options that change what is written, by which a plan without a
    /// command is known.
    fn digest(&self) -> String {
        let mut options = self.clone();
        options.tree = options.tree.without_jobs();
        (options.output, options.manifest) = (None, None);
        (options.is_forced, options.is_update, options.deletes) = (false, false, false);
        options.is_durable = false;
        digest::of_bytes(format!("{options:?}").as_bytes())
    }

    /// Checks the options of a move, then the others.
    fn relocate(
        mut self,
        options: &MoveOptions,
        events: &mut dyn Events,
    ) -> Result<Convert, PlanError> {
        let Moving { moves, pairs, same_as, notes } = Moving::new(options)?;
        let mut guessed = None;
        if let ([path], false) = (&*self.tree.paths, self.tree.has_url())
            && let Some((url, note)) = move_plan::place(&pairs, path)
        {
            guessed = Some((note, path.is_file()));
            self.tree.base = Some(url);
        }
        notes.iter().for_each(|(severity, note)| events.message(*severity, note));
        if options.is_again() && !self.is_in_place {
            return Err(PlanError::AgainNotInPlace);
        }
        // If trees come together, a relative path from one to another leads elsewhere in the old
        // place.
        let style = options.written_style();
        let joins_trees = style == MoveStyle::Relative && pairs.len() > 1;
        let is_noted = moves.may_move_twice() || joins_trees;
        let has_renames = !options.renamed().is_empty();
        let is_once = is_noted || has_renames || options.is_fix();
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
        let in_place = self.is_in_place;
        let moves_pages = has_renames && pairs.is_empty();
        to = to.with_keeps_root(moves_pages);
        let mut config = self.check(events, |tree| {
            tree.places.check_overlaps()?;
            let has_url = !tree.places.is_empty();
            let site_root = renaming::read_as_before(tree, options.renamed())?;
            if options.is_fix() {
                let action = Action::Move(to.with_map(fixes(tree, options)?));
                return Ok(Work { action, renames: None, other_names, note: None });
            }
            if !has_renames {
                let action = Action::Move(to);
                return Ok(Work { action, renames: None, other_names, note: None });
            }
            let names = if moves_pages { aliases(options.aliases(), tree)? } else { Vec::new() };
            let mut urls = tree.places.roots(&tree.roots, &names);
            for (idx, (from, _)) in pairs.iter().enumerate() {
                urls.add(from, if idx == 0 { same_as.clone() } else { Vec::new() });
            }
            let then = if moves_pages { Arc::new(urls.clone()) } else { to.map };
            let renames = options.renamed();
            let then = (then, &*pairs);
            let renaming = Renaming::new(tree, renames, urls.clone(), then, options.indexes())?;
            to.map = site_root.map(tree, renaming.map());
            // The URLs of `--from` have their own map already.
            let other_names = other_names.filter(|_| has_url).unwrap_or_else(|| {
                let names = match has_url {
                    true => OtherNames::new(Arc::clone(&to.map), urls, false),
                    false => OtherNames::of_renamed(Arc::clone(&to.map), site_root::names(renames)),
                };
                to.map = names.clone();
                names
            });
            let (renames, note) = (Some(renaming), site_root.note().map(str::to_owned));
            Ok(Work { action: Action::Move(to), renames, other_names: Some(other_names), note })
        })?;
        if let Some((note, is_file)) = guessed {
            config.tree.places.guess();
            if !(is_file && units::has_messages(&config.tree)) {
                events.note(&note);
            }
        }
        // A dry run reports what the run itself would report.
        let again = options.is_again();
        config.notes_moves = (is_noted && in_place).then_some(NotesMoves { pairs, again });
        Ok(config)
    }

    /// Checks the options that all conversions have; `action` checks those of one kind.
    fn check(
        self,
        events: &mut dyn Events,
        action: impl FnOnce(&mut Tree) -> Result<Work, PlanError>,
    ) -> Result<Convert, PlanError> {
        if self.backup.is_some() && !self.is_in_place {
            return Err(PlanError::BackupNotInPlace);
        }
        if self.breaks_hardlinks && !self.is_in_place {
            return Err(PlanError::BreakHardlinksNotInPlace);
        }
        if self.is_in_place && self.output.is_some() {
            return Err(PlanError::TwoOutputs);
        }
        if self.is_update && self.output.is_none() {
            return Err(PlanError::UpdateWithoutOutput);
        }
        if self.deletes && !self.is_update {
            return Err(PlanError::DeleteWithoutUpdate);
        }
        let shows_diff = self.diff.is_some();
        let is_dry = self.is_dry || (shows_diff && self.output.is_none() && !self.is_in_place);
        let loads = Loads::new(self.aliases(), self.has_twins());
        let mut tree = self.tree.check(events)?;
        tree.options.verify = self.verify;
        let profile = tree.options.mail.profile;
        tree.options.mail = self.mail;
        tree.options.mail.profile = profile;
        tree.options.lists_incidents = tree.is_verbose;
        tree.options.lists_references = self.lists_details;
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
        if !self.has_no_error_pages && !is_for_disk {
            tree.error_pages = ErrorPages::read(&tree.roots, &tree.places, &self.error_pages)?;
            for (root, path, reason) in tree.error_pages.found() {
                let name = tree.roots[root].path().map_or(path.to_owned(), |root| root.join(path));
                let text = format!(
                    "converted as an error page; {reason}; use `--no-error-pages` if it has one URL"
                );
                events.note(&format!("note: {}", messages::of_path(&name, &text)));
            }
        }
        let is_stdin = tree.roots.contains(&Root::Stdin);
        let may_exist = self.is_forced || self.is_update;
        let output = match self.output {
            _ if is_dry => Output::Nowhere,
            None if self.is_in_place => {
                let (backup, breaks_hardlinks) = (self.backup, self.breaks_hardlinks);
                destination::in_place(&mut tree, Replacing { backup, breaks_hardlinks })?
            }
            Some(out) => destination::output(&tree.roots, &out, may_exist)?,
            None if is_stdin => destination::output(&tree.roots, Path::new("-"), self.is_forced)?,
            None => return Err(PlanError::NoOutput),
        };
        if let Some(manifest) = &self.manifest {
            check_manifest(manifest, &tree, &output, may_exist)?;
        }
        Ok(Convert {
            manifest: self.manifest.filter(|_| !is_dry),
            keeps_manifest: self.keeps_manifest,
            command: String::new(),
            tree,
            action,
            output,
            shows_diff,
            diff: self.diff.unwrap_or(Look::Exact.into()),
            has_portable_names: self.has_portable_names,
            is_durable: self.is_durable,
            is_update: self.is_update,
            is_unfinished: false,
            deletes: self.deletes,
            lists_details: self.lists_details,
            notes_moves: None,
            renames,
            loads,
            other_names,
        })
    }
}

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
