//! The files that a plan reads, their URLs, and how they are read: as values, and checked.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use rewrite::{Engine, Filter, Options, Profile, XmlBase};
use urlcore::Dialect;

use super::PlanError;
use crate::events::Events;
use crate::events::leftovers::Leftovers;
use crate::files::globs::Globs;
use crate::files::ignored::Ignored;
use crate::files::media::Types;
use crate::files::walk;
use crate::os::messages;
use crate::os::paths::{self, Root};
use crate::tree::Tree;
use crate::tree::error_pages::ErrorPages;
use crate::tree::integrity::Integrity;
use crate::tree::not_read::NotRead;
use crate::urls::hints::Hints;
use crate::urls::layout::{Layout, httrack};
use crate::urls::locate::Locator;
use crate::urls::mirror::{self, Mirror, appended, style_sheets};
use crate::urls::url_mapping::{MapOption, UrlMapping, page};

/// The names that a configuration in a tree would have.
const CONFIGURATIONS: [&str; 2] = ["relink.toml", ".relink.toml"];

/// The hint for a mirror by HTTrack without what HTTrack leaves in one.
const NO_HTTRACK: &str =
    "hint: no notes of HTTrack found; use `--layout wget` if another program made the mirror";

/// The files of a plan, their URLs, and how they are read. Each method sets what the option of the
/// command line with its name sets; nothing is checked before the plan is built.
#[derive(Clone, Debug)]
pub struct TreeOptions {
    pub(crate) paths: Vec<PathBuf>,
    pub(super) files: Option<Vec<PathBuf>>,
    has_ignore_files: bool,
    pub(super) base: Option<String>,
    pub(super) maps: Vec<MapOption>,
    pub(super) layout: Option<Layout>,
    pub(super) scheme: Option<String>,
    pub(super) has_no_hints: bool,
    trusts_canonical: bool,
    has_version_control: bool,
    include: Vec<String>,
    exclude: Vec<String>,
    pub(super) types: Vec<String>,
    jobs: Option<u16>,
    pub(super) dialect: Dialect,
    xml_base: XmlBase,
    engine: Engine,
    profile: Profile,
    only: Vec<String>,
    skip: Vec<String>,
    also: Vec<String>,
    limits: Vec<String>,
    is_verbose: bool,
}

impl TreeOptions {
    /// Creates the options for some directories and files; `-` is standard input.
    pub fn new<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>) -> Self {
        TreeOptions {
            paths: paths.into_iter().map(Into::into).collect(),
            files: None,
            has_ignore_files: false,
            base: None,
            maps: Vec::new(),
            layout: None,
            scheme: None,
            has_no_hints: false,
            trusts_canonical: false,
            has_version_control: false,
            include: Vec::new(),
            exclude: Vec::new(),
            types: Vec::new(),
            jobs: None,
            dialect: Dialect::Web,
            xml_base: XmlBase::default(),
            engine: Engine::default(),
            profile: Profile::default(),
            only: Vec::new(),
            skip: Vec::new(),
            also: Vec::new(),
            limits: Vec::new(),
            is_verbose: false,
        }
    }

    /// Replaces the directories and files.
    pub(super) fn roots<P: Into<PathBuf>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.paths = paths.into_iter().map(Into::into).collect();
        self
    }

    /// Reads only these files and directories of the only path, by their paths below it.
    #[must_use]
    pub fn files<P: Into<PathBuf>>(mut self, files: impl IntoIterator<Item = P>) -> Self {
        self.files = Some(files.into_iter().map(Into::into).collect());
        self
    }

    /// Skips documents that `.gitignore`, `.ignore` and `.git/info/exclude` exclude.
    #[must_use]
    pub fn ignore_files(mut self) -> Self {
        self.has_ignore_files = true;
        self
    }

    /// Sets the URL of the only path.
    #[must_use]
    pub fn base(mut self, url: impl Into<String>) -> Self {
        self.base = Some(url.into());
        self
    }

    /// Sets the URL of a directory or file in the tree; of several, the longest path counts.
    #[must_use]
    pub fn map(self, path: impl Into<PathBuf>, url: impl Into<String>) -> Self {
        self.map_option(MapOption::new(path.into(), url.into()))
    }

    /// Sets the URL of a directory or file in the tree, as typed.
    pub(crate) fn map_option(mut self, map: MapOption) -> Self {
        self.maps.push(map);
        self
    }

    /// Sets the layout of the tree. By default, a mirror of several hosts is recognized.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = Some(layout);
        self
    }

    /// Sets the scheme of the hosts of a mirror: `http`, `https` or `ftp`.
    #[must_use]
    pub fn scheme(mut self, scheme: impl Into<String>) -> Self {
        self.scheme = Some(scheme.into());
        self
    }

    /// Ignores provenance metadata in documents.
    #[must_use]
    pub fn no_hints(mut self) -> Self {
        self.has_no_hints = true;
        self
    }

    /// Uses `link rel=canonical` and `og:url` as provenance metadata too.
    #[must_use]
    pub fn trust_canonical(mut self) -> Self {
        self.trusts_canonical = true;
        self
    }

    /// Processes documents in the directories of version-control systems too.
    #[must_use]
    pub fn version_control(mut self) -> Self {
        self.has_version_control = true;
        self
    }

    /// Processes only documents whose path below its PATH matches this or another such pattern.
    #[must_use]
    pub fn include(mut self, glob: impl Into<String>) -> Self {
        self.include.push(glob.into());
        self
    }

    /// Skips documents whose path below its PATH matches.
    #[must_use]
    pub fn exclude(mut self, glob: impl Into<String>) -> Self {
        self.exclude.push(glob.into());
        self
    }

    /// Sets the media type of files with an extension, `EXT=MEDIA/TYPE`, or of standard input,
    /// `MEDIA/TYPE`.
    #[must_use]
    pub fn media_type(mut self, media_type: impl Into<String>) -> Self {
        self.types.push(media_type.into());
        self
    }

    /// Sets the number of threads. The default is one for each core.
    #[must_use]
    pub fn jobs(mut self, jobs: u16) -> Self {
        self.jobs = Some(jobs.max(1));
        self
    }

    /// Returns the options without the number of threads, which changes no output.
    pub(super) fn without_jobs(mut self) -> Self {
        self.jobs = None;
        self
    }

    /// Sets the rules by which references are read and resolved.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Sets where `xml:base` applies.
    #[must_use]
    pub fn xml_base(mut self, xml_base: XmlBase) -> Self {
        self.xml_base = xml_base;
        self
    }

    /// Sets the engine that reads HTML.
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }

    /// Sets the precedence rules for base URLs in messages and in saved HTTP responses.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Processes only references in this slot, or in another one given so.
    #[must_use]
    pub fn only(mut self, slot: impl Into<String>) -> Self {
        self.only.push(slot.into());
        self
    }

    /// Skips references in this slot.
    #[must_use]
    pub fn skip(mut self, slot: impl Into<String>) -> Self {
        self.skip.push(slot.into());
        self
    }

    /// Processes an optional format or slot too.
    #[must_use]
    pub fn also(mut self, name: impl Into<String>) -> Self {
        self.also.push(name.into());
        self
    }

    /// Sets a limit, `NAME=VALUE`; `docs/limits.md` lists them.
    #[must_use]
    pub fn limit(mut self, limit: impl Into<String>) -> Self {
        self.limits.push(limit.into());
        self
    }

    /// Sends a message for each reference that could not be handled, not only the numbers of them.
    #[must_use]
    pub fn verbose(mut self, is_verbose: bool) -> Self {
        self.is_verbose = is_verbose;
        self
    }

    /// Returns true if an option gives the URL of a file of the tree.
    pub(super) fn has_url(&self) -> bool {
        self.base.is_some() || !self.maps.is_empty() || self.chosen_layout().has_hosts()
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
        let hosts = || UrlMapping::of_hosts(&self.paths, layout, scheme);
        let has_hosts = layout.has_hosts() && self.base.is_none();
        let (mut places, notes) = match self.maps.is_empty() {
            true if has_hosts => (hosts()?, Vec::new()),
            _ => UrlMapping::new(&self.paths, self.base.as_deref(), &self.maps, layout)?,
        };
        if has_hosts && let Ok(hosts) = hosts() {
            places.complete(hosts);
        }
        notes.iter().for_each(|note| events.note(note));
        if let ([path], Some(base)) = (&*self.paths, &self.base)
            && let Some(hint) = page::slash_hint(path, base)
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
        let ignored = match self.has_ignore_files {
            true => Ignored::read(&roots),
            false => Ignored::default(),
        };
        if roots.len() > 1 && roots.contains(&Root::Stdin) {
            return Err(PlanError::StdinWithOthers);
        }
        let mut mirror = mirror_of(&roots, &mut places, &types, self.has_no_hints, events);
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
            hints: Hints::new(!self.has_no_hints, self.trusts_canonical),
            types,
            globs: Globs::new(&self.include, &self.exclude)?,
            has_version_control: self.has_version_control,
            ignored,
            options,
            not_read: NotRead::default(),
            leftovers: Leftovers::default(),
            markdown: None,
            mentions: None,
            error_pages: ErrorPages::default(),
            integrity: Integrity::default(),
            finished: HashSet::new(),
            changed: HashSet::new(),
            jobs: self.jobs,
            is_verbose: self.is_verbose,
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
        for limit in &self.limits {
            let (name, value) = limit.split_once('=').unwrap_or((limit, ""));
            let result = options.limits.set(name, value);
            result.map_err(|error| PlanError::Limit { limit: limit.clone(), error })?;
        }
        options.filter = Filter::new(self.only.clone(), self.skip.clone(), &options.extras)?;
        Ok(options)
    }
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
    let indexes = vec!["index.html".to_owned()];
    let mut locator = Locator::new(roots, places, types, indexes.clone(), &[], false, false);
    let has_cache = || roots.iter().filter_map(Root::path).any(httrack::has_notes);
    if places.layout() == Layout::Httrack && !locator.has_origins() && !has_cache() {
        events.hint(NO_HTTRACK);
    }
    if has_no_hints {
        locator.forget_origins();
    }
    if mirror::is_adjusted(roots, &locator.files, places.layout()) {
        places.adjust();
    }
    Some(Arc::new(Mirror::new(roots, places, types, locator, indexes)))
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
