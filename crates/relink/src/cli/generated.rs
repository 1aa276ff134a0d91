//! `relink completions` and `relink man`: files about the program itself.

use std::fs;
use std::io::Write;
use std::path::Path;

use clap_complete::aot;
use clap_complete_nushell::Nushell;
use clap_mangen::Man;

use crate::cli::args::{self, CompletionsArgs, ManArgs, Shell};
use crate::events::{self, Events, Status};
use crate::os::failure::Failure;
use crate::plan::exit::Error;

/// Prints the completions of a shell.
///
/// # Errors
///
/// [`Error`] if standard output fails.
pub fn completions(args: &CompletionsArgs, events: &mut dyn Events) -> Result<Status, Error> {
    let (mut command, mut script) = (args::command(), Vec::new());
    let (command, out) = (&mut command, &mut script);
    match args.shell {
        Shell::Bash => aot::generate(aot::Bash, command, NAME, out),
        Shell::Zsh => aot::generate(aot::Zsh, command, NAME, out),
        Shell::Fish => aot::generate(aot::Fish, command, NAME, out),
        Shell::Pwsh => aot::generate(aot::PowerShell, command, NAME, out),
        Shell::Nushell => aot::generate(Nushell, command, NAME, out),
    }
    let mut out = events::OutputWriter(events);
    out.write_all(&script)?;
    out.flush()?;
    Ok(Status::Done)
}

/// The name of the program.
const NAME: &str = "relink";

/// Writes a manual page for the program and for each of its commands.
///
/// # Errors
///
/// [`Error`] if a page cannot be written.
pub fn man(args: &ManArgs) -> Result<Status, Error> {
    let directory = &args.directory;
    fs::create_dir_all(directory).map_err(Failure::writing(directory))?;
    let mut command = with_all_options(args::command()).disable_help_subcommand(true);
    command.build();
    write_pages(command, directory)?;
    Ok(Status::Done)
}

/// Returns a command of whose options none is left out of the short help: a page would have their
/// names without a text.
fn with_all_options(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| arg.hide_short_help(false)).mut_subcommands(with_all_options)
}

/// Writes the pages of a command and of those in it.
fn write_pages(command: clap::Command, directory: &Path) -> Result<(), Failure> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        write_pages(inner.clone(), directory)?;
    }
    let (page, mut text) = (Man::new(command), Vec::new());
    let path = directory.join(page.get_filename());
    // What follows the options begins with examples: man-pages(7), "Sections".
    page.render(&mut text)
        .map(|()| String::from_utf8_lossy(&text).replace(EXTRA, ".SH EXAMPLES\n"))
        .and_then(|text| fs::write(&path, text))
        .map_err(Failure::writing(&path))
}

/// The heading of what follows the options, and the line before the examples.
const EXTRA: &str = ".SH EXTRA\nExamples:\n";
