//! `relink completions` and `relink man`: files about the program itself.

use std::fs;
use std::io::Write;

use clap_complete::aot;
use clap_complete_nushell::Nushell;

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
    clap_mangen::generate_to(args::command(), directory).map_err(Failure::writing(directory))?;
    Ok(Status::Done)
}
