//! What a command line means: every option checked, before the first file is opened.

use std::collections::HashSet;
use std::env;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use basectx::RetrievalUrl;

use rewrite::{
    Also, BaseElement, Extras, Filter, Mail, Move, MoveMap, MoveStyle, Options, Relative,
};
use urlcore::Style;

use crate::boxes::Boxes;
use crate::cli::{
    BasesArgs, CheckArgs, Color, ConvertArgs, Format, MemberArgs, MoveArgs, RefsArgs,
    RelativizeArgs, TreeArgs,
};
use crate::destination::{self, Output, Replacing};
use crate::exit::Error;
use crate::globs::Globs;
use crate::hints::Hints;
use crate::journal::Journal;
use crate::layout::Layout;
use crate::locate::Locator;
use crate::media::Types;
use crate::messages;
use crate::moving::{self, Moving};
use crate::places::Places;
use crate::summary;
use crate::units;
use crate::walk::Root;

/// Which files, where they belong, and how they are read.
pub struct Tree {
    /// Folders and files to walk.
    pub roots: Vec<Root>,
    /// Their URLs.
    pub places: Places,
    /// Where documents were from, if nothing tells their URLs.
    pub hints: Hints,
    /// Their media types.
    pub types: Types,
    /// Which documents are handled.
    pub globs: Globs,
    /// What is asked of each document.
    pub options: Options,
    /// Documents that an earlier run has done, and that stay.
    pub finished: HashSet<PathBuf>,
    /// Number of threads, if told.
    pub jobs: Option<u16>,
    /// Whether a reference that could not be handled makes the exit status 1.
    pub is_strict: bool,
    /// Whether only errors are told.
    pub is_quiet: bool,
    /// Whether each reference that could not be handled is told.
    pub is_verbose: bool,
}

/// What is done to references.
#[derive(Clone, Debug)]
pub enum Action {
    /// They are made absolute.
    Absolutize,
    /// They are made relative.
    Relativize(Relative),
    /// They are made relative, and lead to the files themselves.
    ForFile(Relative, Arc<Locator>),
    /// They are made right for the place where the tree moves to.
    Move(Move),
}

/// A run of `absolutize`, `relativize` or `move`.
pub struct Convert {
    /// Files.
    pub tree: Tree,
    /// What is done.
    pub action: Action,
    /// Where they go.
    pub output: Output,
    /// Whether the changes are shown.
    pub shows_diff: bool,
    /// Whether those have colours.
    pub has_color: bool,
    /// Whether files may be written over.
    pub is_forced: bool,
    /// Whether a change makes the exit status 1.
    pub tells_changes: bool,
    /// Whether what is written is on the disk before the run goes on.
    pub is_durable: bool,
    /// Where it is noted what has moved, if a second run would move it again.
    pub journal: Option<Journal>,
}

/// A run of `refs`.
pub struct Refs {
    /// Files.
    pub tree: Tree,
    /// How references are written.
    pub format: Format,
}

/// A run of `bases`.
pub struct Bases {
    /// Files.
    pub tree: Tree,
    /// How bases are written.
    pub format: Format,
    /// How boxes are drawn.
    pub boxes: Boxes,
}

/// A run of `check`.
pub struct Check {
    /// Files.
    pub tree: Tree,
    /// What finds the files that references lead to.
    pub locator: Locator,
    /// Whether names in documents are looked for.
    pub checks_fragments: bool,
    /// Where the tree was before, if that is told.
    pub stale: Option<rewrite::Roots>,
    /// Whether the URLs out of the tree are listed, and not what is broken.
    pub lists_external: bool,
    /// Whether nothing tells where the tree belongs.
    pub is_on_disk: bool,
    /// How broken references are written.
    pub format: Format,
}

impl Check {
    /// Whether messages are read: only for what needs no files.
    pub fn reads_messages(&self) -> bool {
        self.stale.is_some() || self.lists_external
    }
}

/// Checks the arguments of `absolutize`.
///
/// # Errors
///
/// [`Error::Usage`] for what cannot be.
pub fn absolutize(args: ConvertArgs) -> Result<Convert, Error> {
    convert(args, |_| Ok(Action::Absolutize))
}

/// Checks the arguments of `relativize`.
///
/// # Errors
///
/// [`Error::Usage`] for what cannot be, and if no URL is told at all.
pub fn relativize(args: RelativizeArgs) -> Result<Convert, Error> {
    let RelativizeArgs { convert: args, style, base_element, member, target, missing } = args;
    let has_output = args.output.is_some();
    convert(args, |tree| {
        // The parts of messages may tell where they belong.
        if tree.places.is_empty() && !units::has_messages(tree) {
            // Which files there are for which URLs, no document tells.
            if target.is_some() || tree.hints.is_off {
                return Err(usage(WHERE));
            }
            if !units::has_hints(tree) {
                return Err(usage(format!("{WHERE}; no document notes where it was saved from")));
            }
        }
        tree.places.check_overlaps().map_err(usage)?;
        let same_as = same_as(&member, tree)?;
        let relative = Relative { style: style.0, base_element, missing, ..Relative::default() };
        if target.is_none() {
            let map = Arc::new(tree.places.roots(&tree.roots, &same_as));
            return Ok(Action::Relativize(Relative { map, ..relative }));
        }
        if style.0 != Style::Relative || base_element != BaseElement::Empty {
            return Err(usage(
                "--for file writes relative paths and empties bases: it goes with no other --style or --base-element",
            ));
        }
        if tree.roots.contains(&Root::Stdin) {
            return Err(usage(
                "--for file needs to know which files there are: it cannot read standard input",
            ));
        }
        let locator = Arc::new(locator(tree, &member, &same_as, false, has_output));
        let map: Arc<dyn MoveMap> = locator.clone();
        Ok(Action::ForFile(Relative { map, ..relative }, locator))
    })
}

/// Checks the arguments of `move`.
///
/// # Errors
///
/// [`Error::Usage`] for what cannot be.
pub fn relocate(mut args: MoveArgs) -> Result<Convert, Error> {
    let Moving { moves, pairs, notes } = Moving::new(&args).map_err(usage)?;
    let tree = &mut args.convert.tree;
    let is_told = tree.base.is_some() || !tree.map.is_empty() || tree.layout != Layout::Plain;
    let mut guessed = None;
    if let ([path], false) = (&*tree.paths, is_told)
        && let Some((url, note)) = moving::place(&pairs, path)
    {
        tree.base = Some(url);
        guessed = Some((note, path.is_file()));
    }
    if !tree.quiet {
        notes.iter().for_each(|note| messages::print(note));
    }
    if args.again && !args.convert.in_place {
        return Err(usage("--again goes with --in-place: nothing is noted of other runs"));
    }
    // Where trees come together a relative path from one to another leads elsewhere in the old place.
    let joins_trees = args.style == MoveStyle::Relative && pairs.len() > 1;
    let is_noted = moves.may_move_twice() || joins_trees;
    let to = Move { map: Arc::new(moves), style: args.style, is_once: is_noted };
    let in_place = args.convert.in_place;
    let mut config = convert(args.convert, |tree| {
        tree.places.check_overlaps().map_err(usage)?;
        Ok(Action::Move(to))
    })?;
    if let Some((note, is_file)) = guessed {
        config.tree.places.guess();
        let is_message = is_file && units::has_messages(&config.tree);
        if !config.tree.is_quiet && !is_message {
            messages::print(&note);
        }
    }
    // A dry run tells what the run itself would.
    if is_noted && in_place {
        let journal = Journal::open(&config.tree.roots, &pairs, args.again)?;
        config.tree.finished = journal.finished();
        if !config.tree.finished.is_empty() && !config.tree.is_quiet {
            let n = summary::n(config.tree.finished.len(), "document");
            messages::print(&format!("{n} moved by an earlier run; the others follow"));
        }
        config.journal = Some(journal);
    }
    Ok(config)
}

/// What is asked where nothing tells the URL of any document.
const WHERE: &str = "where does the tree belong? give --base URL, or --map PATH=URL";

/// A note, where a tree is read as plain and looks like a mirror.
fn forgotten_layout(args: &TreeArgs) -> Option<String> {
    let base = args.base.as_deref().filter(|_| args.layout == Layout::Plain)?;
    let host = urlcore::Reference::split(base, args.dialect).authority()?;
    let folder = args.paths.first()?.join(host);
    (!host.is_empty() && folder.is_dir()).then(|| {
        format!(
            "{} is named like the host of --base; if this is a mirror, give --layout wget instead",
            folder.display()
        )
    })
}

/// The URLs of `--same-as`, as URLs of folders.
fn same_as(member: &MemberArgs, tree: &Tree) -> Result<Vec<String>, Error> {
    if !member.same_as.is_empty() && !tree.places.has_base() {
        return Err(usage("--same-as is another URL of the tree at --base: give that too"));
    }
    let url = |url: &String| {
        let url = RetrievalUrl::of_folder(url)
            .map_err(|error| usage(format!("--same-as {url}: {error}")))?;
        Ok(url.as_str().to_owned())
    };
    member.same_as.iter().map(url).collect()
}

fn locator(
    tree: &Tree,
    member: &MemberArgs,
    same_as: &[String],
    folds_case: bool,
    has_output: bool,
) -> Locator {
    let mut indexes = member.index.clone();
    if !indexes.iter().any(|name| name == "index.html") {
        indexes.push("index.html".to_owned());
    }
    Locator::new(&tree.roots, &tree.places, &tree.types, indexes, same_as, folds_case, has_output)
}

fn convert(
    args: ConvertArgs,
    action: impl FnOnce(&Tree) -> Result<Action, Error>,
) -> Result<Convert, Error> {
    if args.backup.is_some() && !args.in_place {
        return Err(usage("--backup goes with --in-place"));
    }
    if args.break_hardlinks && !args.in_place {
        return Err(usage("--break-hardlinks goes with --in-place"));
    }
    let is_dry = args.dry_run || (args.diff && args.output.is_none() && !args.in_place);
    let mut tree = tree(args.tree)?;
    tree.options.verify = args.verify;
    tree.options.mail = Mail {
        breaks_signatures: args.mail.break_signatures,
        keeps_dkim: args.mail.keep_dkim,
        updates_checksums: args.mail.update_checksums,
        ..tree.options.mail
    };
    tree.options.lists_incidents = tree.is_verbose;
    let action = action(&tree)?;
    let is_stdin = tree.roots.contains(&Root::Stdin);
    let output = match args.output {
        _ if is_dry => Output::Nowhere,
        None if args.in_place => {
            let (backup, breaks_hardlinks) = (args.backup, args.break_hardlinks);
            destination::in_place(&mut tree, Replacing { backup, breaks_hardlinks })?
        }
        Some(out) => destination::output(&tree.roots, &out, args.force)?,
        None if is_stdin => destination::output(&tree.roots, Path::new("-"), args.force)?,
        None => {
            return Err(usage(
                "where to write? give -o OUT or --in-place, or --dry-run or --diff to write nothing",
            ));
        }
    };
    Ok(Convert {
        tree,
        action,
        output,
        shows_diff: args.diff,
        has_color: has_color(args.color),
        is_forced: args.force,
        tells_changes: args.exit_code,
        is_durable: args.durable,
        journal: None,
    })
}

fn has_color(color: Color) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        // https://no-color.org
        Color::Auto => {
            io::stdout().is_terminal()
                && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                && env::var_os("TERM").is_none_or(|term| term != "dumb")
        }
    }
}

/// Checks the arguments of `refs`.
///
/// # Errors
///
/// [`Error::Usage`] for what cannot be.
pub fn refs(args: RefsArgs) -> Result<Refs, Error> {
    Ok(Refs { tree: tree(args.tree)?, format: args.format })
}

/// Checks the arguments of `bases`.
///
/// # Errors
///
/// [`Error::Usage`] for what cannot be.
pub fn bases(args: BasesArgs) -> Result<Bases, Error> {
    Ok(Bases { tree: tree(args.tree)?, format: args.format, boxes: Boxes::of_locale() })
}

/// Checks the arguments of `check`. A tree without a URL is where it is.
///
/// # Errors
///
/// [`Error::Usage`] for what cannot be.
pub fn check(args: CheckArgs) -> Result<Check, Error> {
    let mut tree = tree(args.tree)?;
    if tree.roots.contains(&Root::Stdin) {
        return Err(usage(
            "check needs to know which files there are: it cannot read standard input",
        ));
    }
    if !args.member.same_as.is_empty() && !tree.places.has_base() {
        same_as(&args.member, &tree)?;
    }
    let is_on_disk = tree.places.is_empty();
    if is_on_disk {
        tree.places = Places::of_disk(&tree.roots);
        tree.hints.is_off = true;
    }
    tree.places.check_overlaps().map_err(usage)?;
    let same_as = same_as(&args.member, &tree)?;
    let locator = locator(&tree, &args.member, &same_as, true, false);
    Ok(Check {
        stale: stale(&args.stale, &tree, &locator)?,
        tree,
        locator,
        checks_fragments: args.fragments,
        lists_external: args.list_external,
        is_on_disk,
        format: args.format,
    })
}

/// The folders of `--stale`.
fn stale(urls: &[String], tree: &Tree, locator: &Locator) -> Result<Option<rewrite::Roots>, Error> {
    let mut roots = rewrite::Roots::default();
    for url in urls {
        let folder = RetrievalUrl::of_folder(url)
            .map_err(|error| usage(format!("--stale {url}: {error}")))?;
        let folder_url = folder.as_str();
        if locator.rest(folder_url).is_some_and(|rest| matches!(rest, "" | "/")) {
            return Err(usage(format!("--stale {url}: this is where the tree is")));
        }
        if folder.is_slash_added() && !tree.is_quiet {
            messages::print(&format!("--stale {url} is taken as the folder {folder_url}"));
        }
        roots.add(folder_url, []);
    }
    Ok((!urls.is_empty()).then_some(roots))
}

fn usage(reason: impl Into<String>) -> Error {
    Error::Usage(reason.into())
}

fn tree(args: TreeArgs) -> Result<Tree, Error> {
    let is_url = |path: &&PathBuf| {
        let path = path.to_str().unwrap_or_default();
        ["http://", "https://", "ftp://"].iter().any(|scheme| path.starts_with(scheme))
    };
    if let Some(url) = args.paths.iter().find(is_url).filter(|path| !path.exists()) {
        let reason = "this is a URL; relink reads files, and fetches nothing";
        return Err(usage(format!("{}: {reason}", url.display())));
    }
    if args.scheme.is_some() && (args.layout == Layout::Plain || args.base.is_some()) {
        return Err(usage(
            "--scheme goes with --layout wget or --layout httrack, and not with --base",
        ));
    }
    let is_of_one_host = args.base.is_some() || !args.map.is_empty();
    let (places, notes) = match args.layout {
        layout if layout == Layout::Plain || is_of_one_host => {
            Places::new(&args.paths, args.base.as_deref(), &args.map, layout)
        }
        layout => {
            let scheme = args.scheme.as_deref().unwrap_or("http");
            Places::of_hosts(&args.paths, layout, scheme).map(|places| (places, vec![]))
        }
    }
    .map_err(usage)?;
    let notes = notes.into_iter().chain(forgotten_layout(&args));
    if !args.quiet {
        notes.for_each(|note| messages::print(&note));
    }
    let mut options = Options { dialect: args.dialect, engine: args.engine, ..Options::default() };
    options.mail.profile = args.profile;
    for name in &args.also {
        match name.as_str() {
            name if options.also.ask(name) => {}
            _ if is_attribute(name) => options.extras.add(name),
            _ => {
                return Err(usage(format!(
                    "--also {name}: expected {}, or the name of an attribute, data-src or img[data-src]",
                    Also::NAMES.join(", ")
                )));
            }
        }
    }
    options.filter = filter(args.only, args.skip, &options.extras)?;
    let types = Types::new(&args.types, &options.also).map_err(usage)?;
    let roots: Vec<Root> = args.paths.into_iter().map(Root::new).collect();
    if roots.len() > 1 && roots.contains(&Root::Stdin) {
        return Err(usage("standard input (-) cannot be read together with other paths"));
    }
    Ok(Tree {
        roots,
        places,
        hints: Hints::new(!args.no_hints, args.trust_canonical),
        types,
        globs: Globs::new(&args.include, &args.exclude)?,
        options,
        finished: HashSet::new(),
        jobs: args.jobs,
        is_strict: args.strict,
        is_quiet: args.quiet,
        is_verbose: args.verbose,
    })
}

fn filter(only: Vec<String>, skip: Vec<String>, extras: &Extras) -> Result<Filter, Error> {
    Filter::new(only, skip, extras).map_err(|error| usage(error.to_string()))
}

fn is_attribute(name: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.contains(|char: char| {
                char.is_ascii_whitespace() || "\"'<>/=[]".contains(char) || char.is_control()
            })
    };
    match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        Some((element, attribute)) => is_name(element) && is_name(attribute),
        None => is_name(name),
    }
}
