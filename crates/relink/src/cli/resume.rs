//! `relink resume`: continues an interrupted run, with the command line in its journal.

use std::env;
use std::path::{Path, PathBuf};

use crate::cli::args::{Command, ResumeArgs, UndoArgs};
use crate::cli::{base, file_list};
use crate::commands::undo::UNDO;
use crate::events::Events;
use crate::os::command_line::CommandLine;
use crate::os::failure::Failure;
use crate::plan::exit::Error;
use crate::plan::options::{ConvertOptions, TreeOptions};
use crate::recovery::journal::discover::{NOT_FOUND, find};
use crate::recovery::journal::lock;
use crate::recovery::move_log;

/// The reason why a run is not continued whose OUT is elsewhere.
const OUT_MOVED: &str = "cannot resume; the directory was moved since the interrupted run; move it back, or remove it and the journal";

/// Returns the interrupted command. It runs in the directory in which it was typed, which becomes
/// the current one.
///
/// # Errors
///
/// [`Error::Path`] if there is no journal, or if paths in it do not exist any more.
pub fn command(
    args: &ResumeArgs,
    events: &mut dyn Events,
) -> Result<(Command, CommandLine), Error> {
    // The lock is released at the end, and taken again by the run itself.
    let mut found = find(args.path.as_deref())?
        .ok_or_else(|| Error::at(args.path.as_deref().unwrap_or(Path::new(".")), NOT_FOUND))?;
    if args.trust {
        found.trust()?
    } else {
        found.check_trusted("resume", events)?
    }
    let path = &found.path;
    let wrong = |reason: &str| Error::at(path, reason);
    if found.contents.line.as_ref().is_some_and(|line| line.command == UNDO) {
        return Err(wrong(
            "cannot resume; the interrupted command is an undo; use `relink undo` to continue it",
        ));
    }
    let line =
        found.contents.line.clone().ok_or_else(|| wrong("cannot resume; the journal does not contain the command of the run; use `relink undo` to revert the run"))?;
    env::set_current_dir(&line.directory)
        .map_err(Failure::to("cannot enter the directory of the run", &line.directory))?;
    let mut command = Command::of(&line)
        .ok_or_else(|| wrong("cannot resume; this version of relink does not know the recorded command; use the version that started the run, or `relink undo` to revert it"))?;
    base::read_again(&mut command, &line.directory)?;
    file_list::read(&mut command)?;
    // The tree may have been moved, and another one put in its place.
    let is_its_own = |root: &PathBuf| lock::places(root).is_ok_and(|places| places.contains(path));
    if let Command::Unpack(unpack) = &mut command {
        if unpack.tree.paths.iter().any(|path| path.as_os_str() == "-") {
            return Err(wrong(
                "cannot resume; the interrupted command reads standard input; use the same command with `--update` to continue it",
            ));
        }
        if !unpack.options.output.as_ref().is_some_and(is_its_own) {
            return Err(wrong(OUT_MOVED));
        }
        unpack.options.update = true;
        set_messages(&mut unpack.tree, args);
        return Ok((command, line));
    }
    if found.contents.builds.is_some() {
        let convert =
            command.conversion().filter(|convert| convert.output.as_ref().is_some_and(is_its_own));
        let Some(convert) = convert else { return Err(wrong(OUT_MOVED)) };
        if found.built().is_none() && found.out().is_some_and(|out| out.exists()) {
            // Only its end is missing: it exists, and its files are current.
            (convert.force, convert.update) = (true, true);
        }
        convert.format.format = args.format.unwrap_or(convert.format.format);
        set_messages(&mut convert.tree, args);
        return Ok((command, line));
    }
    let is_here = |convert: &&mut ConvertOptions| {
        convert.in_place && convert.tree.paths.first().is_some_and(is_its_own)
    };
    let convert = command.conversion().filter(is_here);
    let Some(convert) = convert else {
        return Err(wrong(
            "cannot resume; the tree was moved since the interrupted run; move it back, or use `relink undo` to revert the run",
        ));
    };
    convert.format.format = args.format.unwrap_or(convert.format.format);
    set_messages(&mut convert.tree, args);
    let roots = found.contents.roots.iter().map(PathBuf::as_path).enumerate();
    move_log::restore_all(roots, &found.file, &found.contents)?;
    Ok((command, line))
}

/// Returns the arguments that complete a run instead of reverting it: its new OUT is complete, and
/// only its manifest is missing.
pub fn instead_of_undo(args: &UndoArgs) -> Option<ResumeArgs> {
    let UndoArgs { paths, manifest: None, backup: None, quiet, format, color, trust } = args else {
        return None;
    };
    let path = paths.first().cloned();
    let found = find(path.as_deref()).ok()??;
    let is_complete = found.contents.builds.is_some() && found.built().is_none();
    let mut command = Command::of(found.contents.line.as_ref()?)?;
    let has_manifest = command.conversion().is_some_and(|convert| convert.manifest.is_some());
    let is_there = found.out().is_some_and(|out| out.exists());
    let (format, color) = (Some(format.format), *color);
    (is_complete && has_manifest && is_there).then_some(ResumeArgs {
        path,
        trust: *trust,
        quiet: *quiet,
        format,
        color,
    })
}

/// Sets the options of `resume` about messages.
fn set_messages(tree: &mut TreeOptions, args: &ResumeArgs) {
    tree.color = args.color;
    tree.quiet |= args.quiet;
    tree.verbose &= !args.quiet;
}
