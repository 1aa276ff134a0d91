//! What a command line means: every option checked, before the first file is opened.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use basectx::RetrievalUrl;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use rewrite::{BaseElement, Extras, Filter, MoveMap, Options, Relative};
use urlcore::Style;

use crate::cli::{
    CheckArgs, Color, ConvertArgs, Format, MemberArgs, RefsArgs, RelativizeArgs, TreeArgs,
};
use crate::exit::Error;
use crate::layout::Layout;
use crate::locate::Locator;
use crate::media::Types;
use crate::messages;
use crate::places::{self, Places};
use crate::walk::Root;

/// Which files, where they belong, and how they are read.
pub struct Tree {
    /// Folders and files to walk.
    pub roots: Vec<Root>,
    /// Their URLs.
    pub places: Places,
    /// Their media types.
    pub types: Types,
    /// Which documents are handled.
    pub globs: Globs,
    /// What is asked of each document.
    pub options: Options,
    /// Number of threads, if told.
    pub jobs: Option<u16>,
    /// Whether a reference that could not be handled makes the exit status 1.
    pub is_strict: bool,
    /// Whether only errors are told.
    pub is_quiet: bool,
    /// Whether each reference that could not be handled is told.
    pub is_verbose: bool,
}

/// Where the result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Nowhere.
    Nowhere,
    /// To standard output.
    Stdout,
    /// The only input is a file or standard input, and this is the file to write.
    File(PathBuf),
    /// Over the documents themselves; the old ones are kept under names with this suffix.
    InPlace(Option<OsString>),
    /// Each root has its own folder or file, in the order of the roots.
    Below(Vec<PathBuf>),
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
}

/// A run of `absolutize` or `relativize`.
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
}

/// A run of `refs`.
pub struct Refs {
    /// Files.
    pub tree: Tree,
    /// How references are written.
    pub format: Format,
}

/// A run of `check`.
pub struct Check {
    /// Files.
    pub tree: Tree,
    /// What finds the files that references lead to.
    pub locator: Locator,
    /// Whether names in documents are looked for.
    pub checks_fragments: bool,
    /// How broken references are written.
    pub format: Format,
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
    convert(args, |tree| {
        if tree.places.is_empty() {
            return Err(usage("where does the tree belong? give --base URL, or --map PATH=URL"));
        }
        tree.places.check_overlaps().map_err(usage)?;
        let same_as = same_as(&member)?;
        let relative = Relative { style: style.0, base_element, missing, ..Relative::default() };
        if target.is_none() {
            let map = Arc::new(tree.places.roots(&same_as));
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
        let locator = Arc::new(locator(tree, &member, &same_as, false));
        let map: Arc<dyn MoveMap> = locator.clone();
        Ok(Action::ForFile(Relative { map, ..relative }, locator))
    })
}

/// The URLs of `--same-as`, as URLs of folders.
fn same_as(member: &MemberArgs) -> Result<Vec<String>, Error> {
    let url = |url: &String| {
        let url = RetrievalUrl::of_folder(url)
            .map_err(|error| usage(format!("--same-as {url}: {error}")))?;
        Ok(url.as_str().to_owned())
    };
    member.same_as.iter().map(url).collect()
}

fn locator(tree: &Tree, member: &MemberArgs, same_as: &[String], folds_case: bool) -> Locator {
    let mut indexes = member.index.clone();
    if !indexes.iter().any(|name| name == "index.html") {
        indexes.push("index.html".to_owned());
    }
    Locator::new(&tree.roots, &tree.places, &tree.types, indexes, same_as, folds_case)
}

fn convert(
    args: ConvertArgs,
    action: impl FnOnce(&Tree) -> Result<Action, Error>,
) -> Result<Convert, Error> {
    if args.backup.is_some() && !args.in_place {
        return Err(usage("--backup goes with --in-place"));
    }
    let is_dry = args.dry_run || (args.diff && args.output.is_none() && !args.in_place);
    let mut tree = tree(args.tree)?;
    tree.options.verify = args.verify;
    tree.options.lists_incidents = tree.is_verbose;
    let action = action(&tree)?;
    let is_stdin = tree.roots.contains(&Root::Stdin);
    let output = match args.output {
        _ if is_dry => Output::Nowhere,
        None if args.in_place => in_place(&mut tree, args.backup)?,
        Some(out) => output(&tree.roots, &out, args.force)?,
        None if is_stdin => output(&tree.roots, Path::new("-"), args.force)?,
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
    })
}

/// Whether the documents can be written over. Those that an earlier run kept are no documents of this one.
fn in_place(tree: &mut Tree, backup: Option<OsString>) -> Result<Output, Error> {
    for root in &tree.roots {
        let Root::Path(path) = root else {
            return Err(usage("standard input cannot be written over"));
        };
        let is_link = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        if is_link && !path.is_dir() {
            return Err(usage(format!(
                "{}: a link is not written through; name the file that it leads to",
                path.display()
            )));
        }
    }
    if let Some(suffix) = &backup {
        let bytes = suffix.as_encoded_bytes();
        if bytes.is_empty() || bytes.contains(&b'/') {
            return Err(usage(format!(
                "--backup={}: expected the end of a file name, such as .orig",
                suffix.display()
            )));
        }
        tree.globs.kept = Some(suffix.clone());
    }
    Ok(Output::InPlace(backup))
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
    if tree.places.is_empty() {
        tree.places = Places::of_disk(&tree.roots);
    }
    tree.places.check_overlaps().map_err(usage)?;
    let locator = locator(&tree, &args.member, &same_as(&args.member)?, true);
    Ok(Check { tree, locator, checks_fragments: args.fragments, format: args.format })
}

fn usage(reason: impl Into<String>) -> Error {
    Error::Usage(reason.into())
}

fn tree(args: TreeArgs) -> Result<Tree, Error> {
    if args.layout == Layout::Plain && args.scheme.is_some() {
        return Err(usage("--scheme goes with --layout wget or --layout httrack"));
    }
    let (places, notes) = match args.layout {
        Layout::Plain => Places::new(&args.paths, args.base.as_deref(), &args.map),
        layout => {
            let scheme = args.scheme.as_deref().unwrap_or("http");
            Places::of_hosts(&args.paths, layout, scheme).map(|places| (places, vec![]))
        }
    }
    .map_err(usage)?;
    if !args.quiet {
        notes.iter().for_each(|note| messages::print(note));
    }
    let mut options = Options { dialect: args.dialect, engine: args.engine, ..Options::default() };
    for name in &args.also {
        match name.as_str() {
            "ids" => options.also_ids = true,
            "templates" => options.also_templates = true,
            _ if is_attribute(name) => options.extras.add(name),
            _ => {
                return Err(usage(format!(
                    "--also {name}: expected ids, templates, or the name of an attribute, data-src or img[data-src]"
                )));
            }
        }
    }
    options.filter = filter(args.only, args.skip, &options.extras)?;
    let roots: Vec<Root> = args.paths.into_iter().map(Root::new).collect();
    if roots.len() > 1 && roots.contains(&Root::Stdin) {
        return Err(usage("standard input (-) cannot be read together with other paths"));
    }
    Ok(Tree {
        roots,
        places,
        types: Types::new(&args.types).map_err(usage)?,
        globs: Globs::new(&args.include, &args.exclude)?,
        options,
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

/// Where the roots go when the output is `out`, and whether that can be.
fn output(roots: &[Root], out: &Path, is_forced: bool) -> Result<Output, Error> {
    let is_stream = out.as_os_str() == "-";
    let outputs = match roots {
        [Root::Stdin] if is_stream => return Ok(Output::Stdout),
        [Root::Stdin] => return file(out, is_forced),
        [Root::Path(path)] if !path.is_dir() => {
            if is_stream {
                return Ok(Output::Stdout);
            }
            if resolved(path) == resolved(out) {
                return Err(usage(format!("{}: the output is the input", out.display())));
            }
            return file(out, is_forced);
        }
        [_] if is_stream => return Err(usage("a folder cannot be written to standard output")),
        _ if is_stream => return Err(usage("several paths cannot be written to standard output")),
        [_] => vec![out.to_owned()],
        _ => below(roots, out)?,
    };
    for root in roots {
        let Root::Path(path) = root else { continue };
        let (path, out_path) = (resolved(path), resolved(out));
        if out_path.starts_with(&path) {
            return Err(usage(format!("{}: the output lies inside the input", out.display())));
        }
        if path.starts_with(&out_path) {
            return Err(usage(format!("{}: the input lies inside the output", out.display())));
        }
    }
    if out.symlink_metadata().is_ok() && !out.is_dir() {
        return Err(usage(format!("{}: the output is not a folder", out.display())));
    }
    let is_empty =
        out.read_dir().is_ok_and(|mut entries| entries.next().is_none()) || !out.exists();
    if !is_empty && !is_forced {
        return Err(usage(format!(
            "{}: the output folder is not empty; --force writes into it",
            out.display()
        )));
    }
    Ok(Output::Below(outputs))
}

fn file(out: &Path, is_forced: bool) -> Result<Output, Error> {
    let wrong = |reason: &str| Err(usage(format!("{}: {reason}", out.display())));
    match out.metadata() {
        Ok(metadata) if metadata.is_dir() => wrong("the output is a folder, the input a file"),
        Ok(metadata) if !metadata.is_file() => wrong("the output is neither a file nor a folder"),
        Ok(_) if !is_forced => wrong("the output exists; --force writes over it"),
        Err(_)
            if out.parent().is_some_and(|parent| {
                !parent.as_os_str().is_empty() && parent.metadata().is_err()
            }) =>
        {
            wrong("the output's folder does not exist")
        }
        _ => Ok(Output::File(out.to_owned())),
    }
}

/// `OUT/basename` for each of several roots.
fn below(roots: &[Root], out: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut outputs: Vec<PathBuf> = Vec::with_capacity(roots.len());
    for root in roots {
        let Root::Path(path) = root else { continue };
        let name = root.name();
        if name.as_os_str().is_empty() {
            return Err(usage(format!(
                "{}: a path without a name cannot be one of several",
                path.display()
            )));
        };
        let output = out.join(name);
        if outputs.contains(&output) {
            return Err(usage(format!(
                "{}: two paths would both be written to {}",
                path.display(),
                output.display()
            )));
        }
        outputs.push(output);
    }
    Ok(outputs)
}

/// The path with all links resolved, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let path = places::absolute(path);
    for ancestor in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (ancestor.canonicalize(), path.strip_prefix(ancestor)) {
            return real.join(rest);
        }
    }
    path
}

/// Which documents are handled, by their path below the root.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
    /// The suffix of documents that are kept as they were.
    kept: Option<OsString>,
}

impl Globs {
    fn new(include: &[String], exclude: &[String]) -> Result<Self, Error> {
        Ok(Globs {
            include: globs("--include", include)?,
            exclude: globs("--exclude", exclude)?,
            kept: None,
        })
    }

    /// Whether the document at this path below its root is handled.
    pub fn allow(&self, path: &Path) -> bool {
        self.include.as_ref().is_none_or(|globs| globs.is_match(path))
            && !self.exclude.as_ref().is_some_and(|globs| globs.is_match(path))
            && !self.kept.as_ref().is_some_and(|suffix| {
                path.as_os_str().as_encoded_bytes().ends_with(suffix.as_encoded_bytes())
            })
    }
}

/// A pattern without `/` fits names at any depth; `*` does not cross a `/`, `**` does.
fn globs(option: &str, patterns: &[String]) -> Result<Option<GlobSet>, Error> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let wrong = |pattern: &str, error: &globset::Error| {
        usage(format!("{option} {pattern}: {}", error.kind()))
    };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let anywhere = if pattern.contains('/') { "" } else { "**/" };
        let glob = GlobBuilder::new(&format!("{anywhere}{}", pattern.trim_start_matches('/')))
            .literal_separator(true)
            .build()
            .map_err(|error| wrong(pattern, &error))?;
        set.add(glob);
    }
    set.build().map(Some).map_err(|error| usage(format!("{option}: {}", error.kind())))
}
