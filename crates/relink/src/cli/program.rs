//! The program: a command line becomes a run, whose events are printed, and an exit status.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::FromArgMatches;
use clap::error::{ContextKind, ContextValue};
use rewrite::Media;

use crate::cli::args::{
    self, CheckArgs, Cli, Command, MoveArgs, RefsArgs, RelativizeArgs, UndoArgs, VerifyArgs,
};
use crate::cli::receivers::Receivers;
use crate::cli::records::Run;
use crate::cli::report::{self, ReportWriter};
use crate::cli::terminal::{self, MessageStyle, Terminal, TerminalOptions};
use crate::cli::{base, config, file_list, settings, topics};
use crate::cli::{generated, mv, resume, slots, url};
use crate::commands;
use crate::commands::undo::Undo;
use crate::events::summary::Summary;
use crate::events::{Events, Status};
use crate::files::container::ContainerForm;
use crate::files::media::{self, FileType, Types};
use crate::os::command_line::CommandLine;
use crate::os::format::Format;
use crate::os::interrupt::Interrupt;
use crate::os::paths::Root;
use crate::os::{command_line, messages};
use crate::plan::destination::Output;
use crate::plan::exit::Error;
use crate::plan::{Bases, Pack, Plan, Refs};

/// The message of a run with records whose output goes to standard output too.
const RECORDS_WITH_OUTPUT: &str = "cannot use --format json with a document or a diff on standard output; it has the records; use `-o OUT` to name a file or directory, and remove --diff";

/// Makes the allocator of the GNU C library keep freed memory, up to 64 MiB per thread, instead of
/// returning it to the system after each file and requesting it again: it learns that from the
/// first large block that is freed. Other allocators are not affected.
fn keep_memory() {
    const LARGEST_LESSON: usize = (32 << 20) - (64 << 10);
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGEST_LESSON)));
}

/// Runs the program with the arguments of a command line, its own name first. It prints, handles
/// signals, and returns the exit status.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    status_of(args).into()
}

/// Runs the program as [`run`] does, for a caller that needs the status as a number:
/// [`Status::code`].
pub fn status_of(args: impl IntoIterator<Item = OsString>) -> Status {
    keep_memory();
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(recipe) = topics::recipe(&args) {
        return end(print_recipe(&recipe), MessageStyle::default());
    }
    let mut root = args::command();
    let cli = match root.try_get_matches_from_mut(&args) {
        Ok(typed) => match settings::merge(&mut root, &args, typed) {
            Ok(matches) => Cli::from_arg_matches(&matches),
            Err(error) => return end(Err(error), MessageStyle::default()),
        },
        Err(error) => Err(error),
    };
    let mut cli = match cli {
        Ok(cli) => cli,
        Err(mut error) => {
            // Help and version are not errors, and go to standard output.
            if !error.use_stderr() {
                return end(print_help(&error), MessageStyle::default());
            }
            let hint = corrected(&mut error, &root, &args);
            let text = error.to_string();
            // The arguments may be names of files that a shell inserted. The text above is without
            // anything that looks like colours in them.
            let drives =
                |arg: &OsString| arg.to_string_lossy().chars().any(messages::drives_terminal);
            if args.iter().any(drives) {
                text.lines().for_each(terminal::print)
            } else {
                drop(error.print())
            }
            hint.iter().for_each(|hint| terminal::print(hint));
            return Status::Failed;
        }
    };
    commands::hold_panics();
    let style = MessageStyle::of_stderr(cli.command.color());
    end(start(cli.command, &args), style)
}

/// Corrects the suggestions of an error of the command line: for the start of a command only those
/// that begin so. Returns a hint about a path where a command is expected, and about `--json`.
fn corrected(error: &mut clap::Error, root: &clap::Command, args: &[OsString]) -> Option<String> {
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) {
        if Path::new(word).exists() {
            let command = if is_archive(Path::new(word)) { "unpack" } else { "check" };
            let path = command_line::quoted(word.as_ref());
            return Some(format!(
                "hint: {path} is a path; put a command before it, such as `relink {command} {path}`"
            ));
        }
        let names = root.get_subcommands().map(clap::Command::get_name);
        let names: Vec<String> =
            names.filter(|name| name.starts_with(&**word)).map(str::to_owned).collect();
        if !names.is_empty() {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(names));
        }
        return None;
    }
    let is_json = matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(arg)) if arg == "--json");
    let command = args.iter().skip(1).find_map(|arg| root.find_subcommand(arg))?;
    if !is_json || !command.get_arguments().any(|arg| arg.get_id() == "format") {
        return None;
    }
    error.remove(ContextKind::Suggested);
    Some("hint: use `--format json` for JSON".to_owned())
}

/// Returns true for a message, a mailbox or a web archive.
fn is_archive(path: &Path) -> bool {
    let mut head = Vec::new();
    let file = File::open(path).map(|file| file.take(media::SNIFFED as u64));
    // What cannot be read is reported by the command.
    drop(file.and_then(|mut file| file.read_to_end(&mut head)));
    let found = match Types::default().of_path(path) {
        FileType::Unknown => media::of_content(path, &head),
        found => found,
    };
    match found {
        FileType::Container(container, _) => {
            matches!(container.get().spec().form, ContainerForm::Many | ContainerForm::Records)
        }
        found => matches!(found, FileType::Document(Media::Message(_))),
    }
}

/// The note of an `undo` that completes a run.
const COMPLETE: &str =
    "note: the run had completed its output, which stays; its manifest is written now";

/// Executes a command line, or the one that an interrupted run has recorded.
fn start(mut command: Command, words: &[OsString]) -> Result<Status, Error> {
    let mut is_complete = false;
    if let Command::Undo(args) = &command
        && let Some(args) = resume::instead_of_undo(args)
    {
        is_complete = true;
        command = Command::Resume(args);
    }
    if let Command::Resume(args) = &command {
        let mut terminal = Terminal::new(TerminalOptions {
            is_quiet: args.quiet,
            color: args.color.color,
            ..TerminalOptions::default()
        });
        if is_complete {
            let events: &mut dyn Events = &mut terminal;
            events.note(COMPLETE);
        }
        let (command, line) = resume::command(args, &mut terminal)?;
        return act(command, Some(line));
    }
    let options = TerminalOptions { progress: None, ..terminal_options(&mut command) };
    let terminal = &mut Terminal::new(options);
    file_list::set_default(&mut command)?;
    if let Command::Refs(RefsArgs { ignored, tree, .. })
    | Command::Check(CheckArgs { ignored, tree, .. }) = &mut command
    {
        tree.skips_ignored = !ignored.no_ignore;
    }
    let Some(mut command) = mv::as_move(command, terminal)? else { return Ok(Status::Done) };
    base::read(&mut command, terminal)?;
    file_list::check_paths(&mut command, words)?;
    file_list::read(&mut command)?;
    act(command, None)
}

/// Returns what a command prints.
fn terminal_options(command: &mut Command) -> TerminalOptions {
    let is_buffered = has_records(command)
        || !matches!(
            command,
            Command::Absolutize(_)
                | Command::Relativize(_)
                | Command::Move(_)
                | Command::Undo(_)
                | Command::Unpack(_)
        );
    let is_list = matches!(command, Command::Refs(_) | Command::Bases(_) | Command::Explain(_));
    let options = TerminalOptions { is_buffered, ..TerminalOptions::default() };
    match command {
        // The journal has the number of its files.
        Command::Undo(args) => TerminalOptions {
            is_quiet: args.quiet,
            color: args.color.color,
            progress: Some(Vec::new()),
            ..options
        },
        Command::Verify(args) => TerminalOptions {
            is_quiet: args.quiet,
            color: args.color.color,
            progress: Some(Vec::new()),
            ..options
        },
        Command::Pack(args) => TerminalOptions {
            is_quiet: args.quiet,
            is_verbose: args.verbose,
            color: args.color.color,
            progress: args.tree.clone().map(|tree| vec![tree]),
            ..options
        },
        Command::Slots(args) => TerminalOptions { color: args.color.color, ..options },
        Command::Url { color, .. } => TerminalOptions { color: color.color, ..options },
        command => match command.tree() {
            Some(args) => TerminalOptions {
                is_quiet: args.quiet,
                is_verbose: args.verbose,
                color: args.color.color,
                // A list that is printed on the terminal shows how far it is.
                progress: (!is_list || !terminal::is_stdout())
                    .then(|| args.files.as_ref().unwrap_or(&args.paths).clone()),
                ..options
            },
            None => options,
        },
    }
}

/// Prints the help or the version.
#[expect(clippy::disallowed_methods, reason = "the command line prints")]
fn print_help(help: &clap::Error) -> Result<Status, Error> {
    help.print()?;
    io::stdout().flush()?;
    Ok(Status::Done)
}

/// Prints a recipe.
#[expect(clippy::disallowed_methods, reason = "the command line prints")]
fn print_recipe(recipe: &str) -> Result<Status, Error> {
    io::stdout().write_all(recipe.as_bytes())?;
    Ok(Status::Done)
}

/// Returns the exit status of a run, and prints its error.
fn end(result: Result<Status, Error>, style: MessageStyle) -> Status {
    match result {
        Ok(status) => status,
        Err(error) if error.is_broken_pipe() => Status::Done,
        Err(error) => {
            style.print(&format!("{error:#}"));
            Status::Failed
        }
    }
}

/// Executes a command; `continued` is that of the interrupted run that it continues.
fn act(mut command: Command, continued: Option<CommandLine>) -> Result<Status, Error> {
    let is_strict = command.tree().is_some_and(|args| args.strict);
    let terminal = &mut Terminal::new(terminal_options(&mut command));
    let run = described(&mut command);
    let has_records = has_records(&mut command);
    match command {
        Command::Absolutize(ref args)
        | Command::Relativize(RelativizeArgs { convert: ref args, .. })
        | Command::Move(MoveArgs { convert: ref args, .. }) => {
            let (fails_on_change, report) = (args.exit_code, args.report.clone());
            let receivers = &mut Receivers::new(run.clone(), has_records, terminal);
            let result = config::conversion(command, continued, receivers).and_then(|plan| {
                let (roots, output) = (&plan.config.tree.roots, &plan.config.output);
                receivers.add_report(new_report(report, roots, Some(output), run)?);
                convert(plan, has_records, receivers)
            });
            Ok(receivers.end(result)?.status(is_strict, fails_on_change))
        }
        Command::Mv(_) | Command::Resume(_) => {
            Err(Error::Usage("cannot run this command from a journal".to_owned()))
        }
        Command::Undo(args) => {
            let receivers = &mut Receivers::new(run, has_records, terminal);
            let UndoArgs { paths, manifest, backup, trust: is_trusted, .. } = args;
            let undo = Undo { paths, manifest, backup, is_trusted };
            let result = commands::undo::undo(&undo, receivers);
            Ok(receivers.end(result)?.status())
        }
        Command::Verify(args) => {
            let VerifyArgs { manifest, paths, format, .. } = args;
            Ok(commands::verify::verify(&manifest, &paths, format, terminal)?.status())
        }
        Command::Refs(args) => {
            Ok(Refs::new(args.tree, args.format.format, terminal)?.run(terminal)?.status(is_strict))
        }
        Command::Bases(args) => Ok(Bases::new(args.tree, args.format.format, terminal)?
            .width(terminal::stdout_width())
            .run(terminal)?
            .status(is_strict)),
        Command::Unpack(args) => {
            let unpack = config::unpack(args, continued, terminal)?;
            let unpack = unpack.interrupt(Interrupt::hold().map_err(Error::Signals)?);
            let summary = unpack.run(terminal)?;
            summary.page.iter().for_each(|page| terminal.print_page(page));
            Ok(summary.status(is_strict))
        }
        Command::Explain(args) => {
            let receivers = &mut Receivers::new(run, has_records, terminal);
            let result = config::explain(args, receivers).and_then(|plan| plan.run(receivers));
            Ok(receivers.end(result)?.status(is_strict))
        }
        Command::Check(CheckArgs { explain: Some(problem), .. }) => {
            commands::check::print_explanation(&problem, terminal)
        }
        Command::Check(args) => {
            let report = args.report.clone();
            let receivers = &mut Receivers::new(run.clone(), has_records, terminal);
            let result = config::check(args, receivers).and_then(|check| {
                receivers.add_report(new_report(report, &check.tree.roots, None, run)?);
                check.run(receivers)
            });
            Ok(receivers.end(result)?.status(is_strict))
        }
        Command::Pack(args) => {
            let (is_strict, is_named) = (args.strict, args.output.is_some());
            let mut pack = Pack::new(args, terminal)?;
            if pack.has_output() && !is_named && terminal::is_stdout() {
                return Err(Error::Usage(ON_TERMINAL.to_owned()));
            }
            if pack.writes_files() {
                pack = pack.interrupt(Interrupt::hold().map_err(Error::Signals)?);
            }
            Ok(pack.run(terminal)?.status(is_strict))
        }
        Command::Slots(args) => slots::run(&args, terminal),
        Command::Completions(args) => generated::completions(&args, terminal),
        Command::Man(args) => generated::man(&args),
        Command::Url { command, .. } => url::run(&command, terminal),
    }
}

/// The message of `pack` without an output, whose message nobody could read.
const ON_TERMINAL: &str = "no output is set, and nobody reads a packed page on a terminal; use `-o PAGE.mhtml`, `-o PAGE.html` for a page with all that it loads, or `-o -` for standard output";

/// Returns what the first record of a run says of it.
fn described(command: &mut Command) -> Run {
    let name = command.name();
    match command {
        Command::Undo(UndoArgs { paths, .. }) => Run::new(name, paths),
        command => Run::new(name, command.tree().map_or(&[][..], |args| &args.paths)),
    }
}

/// Returns true if a command prints the records of its run.
fn has_records(command: &mut Command) -> bool {
    let format = match command {
        Command::Undo(args) => Some(args.format.format),
        Command::Explain(args) => Some(args.format.format),
        other => other.conversion().map(|convert| convert.format.format),
    };
    format == Some(Format::Json)
}

/// Returns the report of a run, if it is to make one.
fn new_report(
    path: Option<PathBuf>,
    roots: &[Root],
    output: Option<&Output>,
    run: Run,
) -> Result<Option<ReportWriter>, Error> {
    let Some(path) = path else { return Ok(None) };
    let form = report::check(&path, roots, output)?;
    Ok(Some(ReportWriter::new(path, form, run)))
}

/// Converts.
fn convert(plan: Plan, has_records: bool, events: &mut dyn Events) -> Result<Summary, Error> {
    if plan.has_output() && has_records {
        return Err(Error::Usage(RECORDS_WITH_OUTPUT.to_owned()));
    }
    // A run that writes nothing has nothing to finish.
    let plan = if plan.writes_files() {
        plan.interrupt(Interrupt::hold().map_err(Error::Signals)?)
    } else {
        plan
    };
    plan.run(events)
}
