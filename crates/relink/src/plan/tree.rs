//! The files that a plan reads, their URLs, and how they are read: as values, and checked.

use std::collections::HashSet;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::{Filter, Options};

use super::{PlanError, TreeOptions};
use crate::events::Events;
use crate::events::problem::Leftovers;
use crate::files::globs::Globs;
use crate::files::ignored::Ignored;
use crate::files::media::{FileType, Types};
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::command_line::{CommandLine, options_of};
use crate::os::paths::{self, Root};
use crate::os::store::disk::disk;
use crate::os::{digest, messages, parallel};
use crate::plan::move_plan::has_password;
use crate::tree::Tree;
use crate::tree::error_pages::ErrorPages;
use crate::tree::input::{self, Document, Input, Item};
use crate::tree::integrity::DigestNames;
use crate::tree::not_read::NotRead;
use crate::tree::units::Units;
use crate::urls::hints::Hints;
use crate::urls::layout::{Layout, httrack};
use crate::urls::locate::{Locator, LocatorOptions};
use crate::urls::mirror::{self, Mirror, appended, style_sheets};
use crate::urls::url_mapping::{UrlMapping, page};

/// The names that a configuration in a tree would have.
const CONFIGURATIONS: [&str; 2] = ["relink.toml", ".relink.toml"];

/// The length up to which a list of files is recorded as it is, in bytes. That of a command line is
/// shorter.
const MOST_RECORDED: usize = 4 << 20;

/// The hint for a mirror by HTTrack without what HTTrack leaves in one.
const NO_HTTRACK: &str =
    "hint: no notes of HTTrack found; use `--layout wget` if another program made the mirror";

impl TreeOptions {
    /// Returns the record of a command with these options. A URL with a password, or one that is
    /// not from the command line, is replaced by its hash: `resume` asks for it again.
    pub(crate) fn recorded(&self, command: &str) -> CommandLine {
        let directory = std::env::current_dir().unwrap_or_default();
        let mut options = options_of(self);
        if let Some(base) =
            self.base.as_ref().filter(|base| self.is_base_secret || has_password(base))
        {
            options.remove("base");
            options.insert("base_hash".to_owned(), hash_of(base, &directory).into());
        }
        // The list is read again.
        if self.files_from.is_some() {
            options.remove("files");
        }
        // A list of a caller may be of any length: a long one is only compared.
        let files = options.get("files").map(ToString::to_string);
        if let Some(files) = files.filter(|files| files.len() > MOST_RECORDED) {
            options.remove("files");
            options.insert(
                "files_hash".to_owned(),
                digest::of_bytes(files.as_bytes()).to_string().into(),
            );
        }
        CommandLine { directory, command: command.to_owned(), options }
    }

    /// Returns true if an option gives the URL of a file of the tree.
    pub(super) fn has_url(&self) -> bool {
        self.base.is_some() || !self.map.is_empty() || self.chosen_layout().has_hosts()
    }

    /// Checks the options.
    pub(super) fn check(self, events: &mut dyn Events) -> Result<Tree, PlanError> {
        let url = self.paths.iter().find(|path| paths::is_url(path));
        if let Some(url) = url.filter(|path| !path.exists()) {
            return Err(PlanError::UrlAsPath(url.clone()));
        }
        self.hint_at_configuration(events);
        if self.scheme.is_some() && (!self.chosen_layout().has_hosts() || self.base.is_some()) {
            return Err(PlanError::SchemeWithoutHosts);
        }
        let scheme = self.scheme.as_deref().unwrap_or("http");
        let layout = self.chosen_layout();
        let hosts = || UrlMapping::of_hosts(&disk(), &self.paths, layout, scheme);
        let has_hosts = layout.has_hosts() && self.base.is_none();
        let (mut places, notes) = match self.map.is_empty() {
            true if has_hosts => (hosts()?, Vec::new()),
            _ => UrlMapping::new(&disk(), &self.paths, self.base.as_deref(), &self.map, layout)?,
        };
        if has_hosts && let Ok(hosts) = hosts() {
            places.complete(hosts);
        }
        notes.iter().for_each(|note| events.note(note));
        if let ([path], Some(base)) = (&*self.paths, &self.base)
            && let Some(hint) = page::slash_hint(&*disk(), path, base)
        {
            events.hint(&hint);
        }
        let options = self.document_options()?;
        let types = Types::new(&self.types, &options.opt_in)?;
        let roots = match (self.files, &*self.paths) {
            (None, _) => self.paths.into_iter().map(Root::new).collect(),
            (Some(files), [path]) => {
                vec![Root::of_files(path.clone(), files).map_err(PlanError::FileNotBelow)?]
            }
            (Some(_), _) => return Err(PlanError::FilesOfSeveral),
        };
        let ignored = match (self.ignore_files, self.skips_ignored) {
            (true, _) => Ignored::read(&roots),
            (false, true) => Ignored::by_git(&roots),
            (false, false) => Ignored::default(),
        };
        if roots.len() > 1 && roots.contains(&Root::Stdin) {
            return Err(PlanError::StdinWithOthers);
        }
        let mut mirror = mirror_of(&roots, &mut places, &types, self.no_hints, events);
        if let Some(mirror) = &mut mirror {
            let appended = appended::find(&roots, mirror, &types, &options, self.jobs);
            Arc::get_mut(mirror).into_iter().for_each(|it| it.set_appended(&appended, &mut places));
        }
        let style_sheets = mirror
            .as_ref()
            .map(|mirror| style_sheets::find(&roots, mirror, &types, &options, self.jobs));
        Ok(Tree {
            dirs: walk::dirs(&roots),
            mirror,
            style_sheets: style_sheets.unwrap_or_default(),
            roots,
            places,
            hints: Hints::new(!self.no_hints, self.trust_canonical),
            types,
            globs: Globs::new(&self.include, &self.exclude)?,
            has_version_control: self.hidden_vcs,
            ignored,
            options,
            not_read: NotRead::default(),
            leftovers: Leftovers::default(),
            markdown: None,
            mentions: None,
            error_pages: ErrorPages::default(),
            integrity: DigestNames::default(),
            finished: HashSet::new(),
            changed: HashSet::new(),
            jobs: self.jobs,
            is_verbose: self.verbose,
        })
    }

    /// Reports a file that looks like a configuration: a tree must not set options.
    fn hint_at_configuration(&self, events: &mut dyn Events) {
        let candidates =
            self.paths.iter().flat_map(|path| CONFIGURATIONS.map(|name| path.join(name)));
        if let Some(path) = candidates.into_iter().find(|path| path.is_file()) {
            let text = format!(
                "not read as a configuration; use `--config {}` if its options are yours",
                path.display()
            );
            events.hint(&format!("hint: {}", messages::of_path(&path, &text)));
        }
    }

    /// Returns the options for each document.
    pub(super) fn document_options(&self) -> Result<Options, PlanError> {
        let mut options = Options::default().with_dialect(self.dialect).with_engine(self.engine);
        options.mail.profile = self.profile;
        options.xml_base = self.xml_base;
        for name in &self.also {
            match name.as_str() {
                name if options.opt_in.enable(name) || options.extras.add_preset(name) => {}
                // A word of its own is a mistyped name rather than an attribute.
                _ if is_attribute(name) && name.contains(['-', '[', ':']) => {
                    options.extras.add(name);
                }
                _ => return Err(PlanError::Also(name.clone())),
            }
        }
        for limit in &self.limit {
            let (name, value) = limit.split_once('=').unwrap_or((limit, ""));
            let result = options.limits.set(name, value);
            result.map_err(|error| PlanError::Limit { limit: limit.clone(), error })?;
        }
        options.filter = Filter::new(self.only.clone(), self.skip.clone(), &options.extras)?;
        Ok(options)
    }
}

/// Returns the hash of a URL; it differs between directories.
pub(crate) fn hash_of(base: &str, directory: &Path) -> String {
    let text = [directory.as_os_str().as_encoded_bytes(), b"\0", base.as_bytes()].concat();
    digest::of_bytes(&text).to_string()
}

/// Returns the files of a tree that is a mirror.
fn mirror_of(
    roots: &[Root],
    places: &mut UrlMapping,
    types: &Types,
    has_no_hints: bool,
    events: &mut dyn Events,
) -> Option<Arc<Mirror>> {
    if places.layout() == Layout::Plain || roots.contains(&Root::Stdin) {
        return None;
    }
    let mut locator = Locator::new(roots, places, types, LocatorOptions::default());
    let has_cache = || roots.iter().any(httrack::has_notes);
    if places.layout() == Layout::Httrack && !locator.has_origins() && !has_cache() {
        events.hint(NO_HTTRACK);
    }
    if has_no_hints {
        locator.forget_origins();
    }
    if mirror::is_adjusted(roots, &locator.files, places.layout()) {
        places.adjust();
    }
    Some(Arc::new(Mirror::new(roots, places, types, locator)))
}

fn is_attribute(name: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.contains(|char: char| {
                char.is_ascii_whitespace() || "\"'<>/=[]".contains(char) || char.is_control()
            })
    };
    match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((element, attribute)) => {
            (element.is_empty() || is_name(element)) && is_name(attribute)
        }
        None => is_name(name),
    }
}

// What all documents of a tree have, read before a run.

/// Calls `find` for each document of a tree, in several threads, and `add` with the path of its
/// file below its PATH and with what it returns, in path order. Of what cannot be read, or is no
/// document after all, there is nothing: the run reports it.
pub(super) fn of_each<T: Send>(
    tree: &Tree,
    find: impl Fn(&Entry, &Document) -> T + Sync,
    mut add: impl FnMut(PathBuf, Option<T>),
) {
    let is_read = |item: &Item| match item {
        Item::Entry(entry, FileType::Document(_)) => entry.kind == EntryKind::File,
        Item::Piece(..) => true,
        _ => false,
    };
    let items = Units::new(tree, walk::entries(&tree.roots)).filter(is_read);
    let work = |item: Item| {
        let below = match &item {
            Item::Entry(entry, _) => entry.below.clone(),
            _ => PathBuf::new(),
        };
        let found = match input::read(tree, item) {
            Ok((entry, Input::Document(document))) => Some(find(&entry, &document)),
            _ => None,
        };
        (below, found)
    };
    let Ok(pool) = parallel::pool(tree.jobs) else { return };
    let read = parallel::for_each(&pool, items, Item::weight, work, |(below, found)| {
        add(below, found);
        Ok::<(), Infallible>(())
    });
    read.unwrap_or_else(|never| match never {});
}
