//! From the command line as typed to plans: each option becomes a call of a builder.

mod archives;

use std::ffi::OsString;
use std::path::PathBuf;

pub use self::archives::{pack, unpack};
use crate::cli::args::{
    BasesArgs, CheckArgs, ConvertArgs, ExplainArgs, MoveArgs, RefsArgs, RelativizeArgs, RenameArgs,
    Target, TreeArgs, canonical,
};
use crate::cli::terminal::{self, Color};
use crate::events::Events;
use crate::files::diff::{Diff, Look};
use crate::os::command_line::CommandLine;
use crate::os::format::Format;
use crate::plan::exit::Error;
use crate::plan::move_plan::MoveOptions;
use crate::plan::{
    Bases, Check, CheckOptions, Explain, Plan, PlanBuilder, PlanError, Refs, RelativizeOptions,
    TreeOptions, Which,
};
use crate::recovery::journal::building;
use crate::urls::renames::{RenameOptions, redirects};
use crate::urls::url_mapping::MapOption;

/// The rule for the options of a move.
const PAIRS: &str = "each --from needs one --to, in the same order";

/// Returns the plan of `absolutize`.
///
/// # Errors
///
/// [`Error::Plan`] for invalid arguments.
pub fn absolutize(
    args: ConvertArgs,
    line: &CommandLine,
    events: &mut dyn Events,
) -> Result<Plan, Error> {
    let (tree, options) = convert(args);
    Ok(named(options.apply(Plan::absolutize(tree), line).build(events)?))
}

/// Returns the plan of `relativize`.
///
/// # Errors
///
/// [`Error::Plan`] for invalid arguments, and if no URL is known at all.
pub fn relativize(
    args: RelativizeArgs,
    line: &CommandLine,
    events: &mut dyn Events,
) -> Result<Plan, Error> {
    let RelativizeArgs {
        convert: args,
        style,
        base_element,
        member,
        target,
        missing,
        rename,
        rename_map,
        renames,
    } = args;
    let mut relativize =
        RelativizeOptions::new().style(style.0).base_element(base_element).missing(missing);
    relativize = match target {
        None => relativize,
        Some(Target::File) => relativize.for_files(),
        Some(Target::StaticHost) => relativize.for_static_host(),
    };
    if rename {
        relativize = relativize.name_files();
    }
    relativize = member.same_as.into_iter().fold(relativize, RelativizeOptions::same_as);
    relativize = member.index.into_iter().fold(relativize, RelativizeOptions::index);
    if member.clean_urls {
        relativize = relativize.clean_urls();
    }
    if member.no_twins {
        relativize = relativize.no_twins();
    }
    let options = RenameOptions { map: rename_map, ..rename_options(renames, false)? };
    relativize = relativize.renames(options);
    let (tree, options) = convert(args);
    Ok(named(options.apply(Plan::relativize(tree, relativize), line).build(events)?))
}

/// Returns the plan of `move`.
///
/// # Errors
///
/// [`Error::Usage`] and [`Error::Plan`] for invalid arguments.
pub fn relocate(
    args: MoveArgs,
    line: &CommandLine,
    events: &mut dyn Events,
) -> Result<Plan, Error> {
    let MoveArgs {
        from,
        to,
        same_as,
        style,
        index,
        unwrap,
        again,
        // They are in `pair` now.
        from_git: _,
        pair,
        fix,
        clean_urls,
        pairs_done,
        renames,
        convert: args,
    } = args;
    check_pairs(&from, &to)?;
    let mut moves = MoveOptions::new().style(style);
    moves = from.into_iter().zip(to).fold(moves, |moves, (from, to)| moves.pair(from, to));
    moves = same_as.into_iter().fold(moves, MoveOptions::same_as);
    moves = index.into_iter().fold(moves, MoveOptions::index);
    if unwrap.is_some() {
        moves = moves.unwrap_wayback();
    }
    if again {
        moves = moves.again();
    }
    let mut options = rename_options(renames, !pair.is_empty())?;
    options.pairs = pair.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
    options.are_pairs_done = pairs_done;
    if fix {
        moves = moves.fix();
    }
    if clean_urls {
        moves = moves.clean_urls();
    }
    moves = moves.renames(options);
    let (tree, options) = convert(args);
    Ok(named(options.apply(Plan::relocate(tree, moves), line).build(events)?))
}

/// Returns the renames of a run; `has_pairs` is true if files are renamed that no option lists.
fn rename_options(args: RenameArgs, has_pairs: bool) -> Result<RenameOptions, Error> {
    let RenameArgs { renames, rule, rename_files, redirects, renames_digest } = args;
    let redirects: Result<_, _> =
        redirects.iter().map(|text| redirects::Target::parse(text)).collect();
    let options = RenameOptions {
        lists: renames,
        rules: rule,
        renames_files: rename_files,
        redirects: redirects.map_err(PlanError::from)?,
        digest: renames_digest,
        ..RenameOptions::default()
    };
    if options.is_empty() && rename_files && !has_pairs {
        return Err(PlanError::RenameFilesWithoutRenames.into());
    }
    Ok(options)
}

/// Sets the command in the manifest of a plan.
fn named(mut plan: Plan) -> Plan {
    if let Some(command) = canonical::command(&plan.line.words) {
        plan.config.command = command;
    }
    plan
}

/// Checks that each `--from` has its `--to`.
fn check_pairs(from: &[String], to: &[String]) -> Result<(), Error> {
    let reason = match (from, to) {
        ([], [to, ..]) => {
            format!("--to {to} has no --from; {PAIRS}; use `--from URL` to set the old URL")
        }
        ([from, ..], []) => {
            format!("--from {from} has no --to; {PAIRS}; use `--to URL` to set the new URL")
        }
        _ if from.len() != to.len() => format!(
            "the numbers of --from ({}) and --to ({}) differ; {PAIRS}",
            from.len(),
            to.len()
        ),
        _ => return Ok(()),
    };
    Err(Error::Usage(reason))
}

/// What an option without a value does.
type Switch = fn(PlanBuilder) -> PlanBuilder;

/// The options that all conversions have.
struct Options {
    output: Option<PathBuf>,
    backup: Option<OsString>,
    manifest: Option<PathBuf>,
    diff: Option<Diff>,
    error_page: Vec<String>,
    /// Options without a value, and what they set.
    set: Vec<Switch>,
    verify: rewrite::Verify,
}

/// Returns the tree and the other options.
fn convert(args: ConvertArgs) -> (TreeOptions, Options) {
    let ConvertArgs {
        output,
        force,
        update,
        delete,
        in_place,
        backup,
        dry_run,
        diff,
        verify,
        portable_names,
        break_hardlinks,
        durable,
        manifest,
        no_manifest,
        error_page,
        no_error_pages,
        tree: tree_args,
        mail,
        exit_code: _,
        format,
        report,
    } = args;
    let lists_details = format == Format::Json || report.is_some();
    let keeps_manifest = manifest.is_none() && !no_manifest;
    let switches: [(bool, Switch); 14] = [
        (force, PlanBuilder::force),
        (update, PlanBuilder::update),
        (delete, PlanBuilder::delete),
        (in_place, PlanBuilder::in_place),
        (dry_run, PlanBuilder::dry_run),
        (portable_names, PlanBuilder::portable_names),
        (break_hardlinks, PlanBuilder::break_hardlinks),
        (durable, PlanBuilder::durable),
        (keeps_manifest, PlanBuilder::keep_manifest),
        (lists_details, PlanBuilder::list_details),
        (no_error_pages, PlanBuilder::no_error_pages),
        (mail.break_signatures, PlanBuilder::break_signatures),
        (mail.keep_dkim, PlanBuilder::keep_dkim),
        (mail.update_checksums, PlanBuilder::update_checksums),
    ];
    let set = switches.into_iter().filter(|(is_set, _)| *is_set).map(|(_, set)| set).collect();
    let diff = diff.map(|format| Diff { format, look: look(tree_args.color.color) });
    (tree(tree_args), Options { output, backup, manifest, diff, error_page, set, verify })
}

impl Options {
    fn apply(self, plan: PlanBuilder, line: &CommandLine) -> PlanBuilder {
        let mut plan = plan.verify(self.verify);
        plan = plan.command_line(line.directory.clone(), line.words.clone());
        plan = self.set.into_iter().fold(plan, |plan, set| set(plan));
        if self.output.as_ref().is_some_and(|out| building::only_end_is_missing(out, line)) {
            plan = plan.force();
        }
        plan = self.output.into_iter().fold(plan, PlanBuilder::output);
        plan = self.backup.into_iter().fold(plan, PlanBuilder::backup);
        plan = self.error_page.into_iter().fold(plan, PlanBuilder::error_page);
        plan = self.manifest.into_iter().fold(plan, PlanBuilder::manifest);
        self.diff.into_iter().fold(plan, PlanBuilder::diff)
    }
}

/// Returns the appearance of a diff.
fn look(color: Color) -> Look {
    let is_terminal = terminal::is_stdout();
    let has_color = color.is_on_stdout();
    match (has_color, is_terminal) {
        (true, _) => Look::Coloured,
        (false, true) => Look::Shown,
        (false, false) => Look::Exact,
    }
}

/// Returns the tree of a command.
fn tree(args: TreeArgs) -> TreeOptions {
    let TreeArgs {
        paths,
        files,
        // They are in `files` now.
        files_from: _,
        null: _,
        ignore_files,
        base,
        // They are in `base` now, and in the journal.
        base_file: _,
        base_hash: _,
        map,
        layout,
        scheme,
        no_hints,
        trust_canonical,
        include,
        exclude,
        hidden_vcs,
        types,
        jobs,
        dialect,
        xml_base,
        engine,
        profile,
        only,
        skip,
        also,
        limit,
        // They are about the exit status and the terminal.
        strict: _,
        quiet: _,
        color: _,
        verbose,
    } = args;
    let mut tree = TreeOptions::new(paths)
        .dialect(dialect)
        .xml_base(xml_base)
        .engine(engine)
        .profile(profile)
        .verbose(verbose);
    tree = files.into_iter().fold(tree, TreeOptions::files);
    if ignore_files {
        tree = tree.ignore_files();
    }
    tree = layout.given().into_iter().fold(tree, TreeOptions::layout);
    if no_hints {
        tree = tree.no_hints();
    }
    if trust_canonical {
        tree = tree.trust_canonical();
    }
    if hidden_vcs {
        tree = tree.version_control();
    }
    tree = base.into_iter().fold(tree, TreeOptions::base);
    tree = map.into_iter().map(MapOption::from_text).fold(tree, TreeOptions::map_option);
    tree = scheme.into_iter().fold(tree, TreeOptions::scheme);
    tree = jobs.into_iter().fold(tree, TreeOptions::jobs);
    tree = include.into_iter().fold(tree, TreeOptions::include);
    tree = exclude.into_iter().fold(tree, TreeOptions::exclude);
    tree = types.into_iter().fold(tree, TreeOptions::media_type);
    tree = only.into_iter().fold(tree, TreeOptions::only);
    tree = skip.into_iter().fold(tree, TreeOptions::skip);
    tree = also.into_iter().fold(tree, TreeOptions::also);
    limit.into_iter().fold(tree, TreeOptions::limit)
}

/// Returns the list of `refs`.
///
/// # Errors
///
/// [`Error::Plan`] for invalid arguments.
pub fn refs(args: RefsArgs, events: &mut dyn Events) -> Result<Refs, Error> {
    Ok(Refs::new(tree(args.tree), args.format, events)?)
}

/// Returns the list of `bases`.
///
/// # Errors
///
/// [`Error::Plan`] for invalid arguments.
pub fn bases(args: BasesArgs, events: &mut dyn Events) -> Result<Bases, Error> {
    Ok(Bases::new(tree(args.tree), args.format, events)?.width(terminal::stdout_width()))
}

/// Returns the explanation of `explain`.
///
/// # Errors
///
/// [`Error::Usage`] if no reference is named, and [`Error::Plan`] for invalid arguments.
pub fn explain(mut args: ExplainArgs, events: &mut dyn Events) -> Result<Explain, Error> {
    let which = match &mut *args.tree.paths {
        [path] => {
            let text = path.to_string_lossy().into_owned();
            let Some((file, which)) = place(&text) else {
                return Err(Error::Usage(format!(
                    "no reference is named; use `relink explain {text}:LINE`, or give the text of the reference after the file"
                )));
            };
            *path = PathBuf::from(file);
            which
        }
        [_, reference] => {
            let which = Which::Text(reference.to_string_lossy().into_owned());
            args.tree.paths.truncate(1);
            which
        }
        _ => {
            return Err(Error::Usage(
                "one file and one reference can be explained; use one run for each".to_owned(),
            ));
        }
    };
    let explain = Explain::new(tree(args.tree), which, args.all_dialects, events)?;
    Ok(explain.format(args.format).width(terminal::stdout_width()))
}

/// Returns the file and the place in `FILE:LINE` and `FILE:LINE:COLUMN`, as messages name it.
fn place(text: &str) -> Option<(&str, Which)> {
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0);
    let (rest, last) = text.trim_end_matches(':').rsplit_once(':')?;
    let last = number(last)?;
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?))) {
        Some((file, line)) => Some((file, Which::Place(line, last))),
        None => Some((rest, Which::Line(last))),
    }
}

/// Returns the search of `check`.
///
/// # Errors
///
/// [`Error::Plan`] for invalid arguments.
pub fn check(args: CheckArgs, events: &mut dyn Events) -> Result<Check, Error> {
    let CheckArgs {
        fragments,
        lint,
        stale,
        list_external,
        missing_urls,
        top,
        format,
        // Nothing is checked then.
        explain: _,
        // It is a `move` then.
        fix: _,
        output: _,
        in_place: _,
        diff: _,
        dry_run: _,
        report,
        tree: tree_args,
        member,
    } = args;
    let mut options = CheckOptions::new().format(format);
    if report.is_some() {
        options = options.list_details();
    }
    if fragments {
        options = options.fragments();
    }
    if lint {
        options = options.lint();
    }
    if list_external {
        options = options.list_external();
    }
    if missing_urls {
        options = options.missing_urls();
    }
    options = top.into_iter().fold(options, CheckOptions::top);
    options = stale.into_iter().fold(options, CheckOptions::stale);
    options = member.same_as.into_iter().fold(options, CheckOptions::same_as);
    options = member.index.into_iter().fold(options, CheckOptions::index);
    if member.clean_urls {
        options = options.clean_urls();
    }
    if member.no_twins {
        options = options.no_twins();
    }
    Ok(Check::new(tree(tree_args), &options, events)?)
}
