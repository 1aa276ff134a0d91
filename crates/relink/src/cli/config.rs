//! From the options of the command line to plans.

use std::path::PathBuf;

use crate::cli::args::{CheckArgs, Command, ExplainArgs, UnpackArgs};
use crate::cli::terminal;
use crate::events::Events;
use crate::events::prepared::Prepares;
use crate::files::diff::Look;
use crate::os::command_line::CommandLine;
use crate::os::format::{Color, Format};
use crate::plan::exit::Error;
use crate::plan::{Check, Conversion, Explain, Plan, PlanBuilder, PlanError, Unpack, Which};
use crate::recovery::journal::building;
use crate::urls::renames::RenameOptions;

/// The rule for the options of a move.
const PAIRS: &str = "each --from needs one --to, in the same order";

/// Returns the plan of a conversion; `continued` is the command of the interrupted run that it
/// continues.
///
/// # Errors
///
/// [`Error::Usage`] and [`Error::Plan`] for invalid arguments, and if no URL is known at all.
pub fn conversion(
    command: Command,
    continued: Option<CommandLine>,
    events: &mut dyn Events,
) -> Result<Plan, Error> {
    let mut plan = match command {
        Command::Absolutize(args) => PlanBuilder::of(args, Conversion::Absolutize),
        Command::Relativize(args) => {
            check_renames(&args.options.renames)?;
            PlanBuilder::of(args.convert, Conversion::Relativize(args.options))
        }
        Command::Move(args) => {
            check_pairs(&args.options.from, &args.options.to)?;
            check_renames(&args.options.renames)?;
            PlanBuilder::of(args.convert, Conversion::Move(args.options))
        }
        _ => return Err(Error::Usage("cannot convert with this command".to_owned())),
    };
    let line = continued.clone().unwrap_or_else(|| plan.recorded());
    let options = &mut plan.options;
    let prepares =
        Prepares { records: options.format.format == Format::Json, rows: options.report.is_some() };
    (options.lists_details, options.prepares) = (prepares != Prepares::default(), prepares);
    options.keeps_manifest = options.manifest.is_none() && !options.no_manifest;
    options.look = look(options.tree.color.color);
    // Another run of the same command completes it.
    options.force |=
        options.output.as_ref().is_some_and(|out| building::only_end_is_missing(out, &line));
    plan.line = continued;
    Ok(plan.build(events)?)
}

/// Checks that renamed files have names.
fn check_renames(options: &RenameOptions) -> Result<(), Error> {
    if options.is_empty() && options.rename_files {
        return Err(PlanError::RenameFilesWithoutRenames.into());
    }
    Ok(())
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
                return Err(Error::Usage(if path.exists() {
                    format!(
                        "no reference is named; use `relink explain {text}:LINE`, or give the text of the reference after the file"
                    )
                } else {
                    format!(
                        "'{text}' is no file; a reference is explained where it is written; use `relink explain FILE '{text}'`, or `relink url resolve BASE '{text}'`"
                    )
                }));
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
    let explain = Explain::new(args.tree, which, args.all_dialects, events)?;
    Ok(explain.format(args.format.format).width(terminal::stdout_width()))
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
    let mut options = args.options;
    options.lists_details = args.report.is_some();
    Ok(Check::new(args.tree, &options, events)?)
}

/// Returns the plan of `unpack`; `continued` is the command of the interrupted run that it
/// continues.
///
/// # Errors
///
/// [`Error::Plan`] for invalid arguments.
pub fn unpack(
    args: UnpackArgs,
    continued: Option<CommandLine>,
    events: &mut dyn Events,
) -> Result<Unpack, Error> {
    let mut unpack = Unpack::new(args.tree, args.options, events)?;
    unpack.line = continued.unwrap_or(unpack.line);
    Ok(unpack)
}
