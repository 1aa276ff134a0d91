//! The program `relink`: command line, walking, parallelism, reading and writing files safely,
//! reports.
//!
//! The crate `rewrite`, a pure function, edits a document; everything that touches files, threads
//! and terminals is here. Data flows one way: [`cli`] (the command line as typed), [`config`] (its
//! meaning), [`walk`] (files), [`units`] (messages in them, [`container`]), [`hints`] (provenance
//! metadata), [`parallel`] (in parallel, reported in order), [`commands`] (the work on a file),
//! [`mod@write`] (safely), [`messages`] and [`summary`] (the report).

pub mod anchors;
pub mod attributes;
pub mod base;
pub mod boxes;
pub mod cli;
pub mod commands;
pub mod config;
pub mod container;
pub mod descriptors;
pub mod destination;
pub mod diff;
pub mod digest;
pub mod dirs;
pub mod exit;
pub mod external;
pub mod failure;
pub mod files;
pub mod globs;
pub mod hints;
pub mod input;
pub mod interrupt;
pub mod journal;
pub mod layout;
pub mod locate;
pub mod media;
pub mod messages;
pub mod move_log;
pub mod move_plan;
pub mod own_files;
pub mod parallel;
pub mod paths;
pub mod portable;
pub mod problem;
pub mod sidecar;
pub mod spool;
pub mod streams;
pub mod summary;
pub mod temp_names;
pub mod tree;
pub mod units;
pub mod url_mapping;
pub mod walk;
pub mod write;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};
use crate::config::Convert;
use crate::destination::Output;
use crate::exit::{Error, Status};
use crate::journal::record::CommandLine;

/// Makes the allocator of the GNU C library keep freed memory, up to 64 MiB per thread, instead of
/// returning it to the system after each file and requesting it again: it learns that from the
/// first large block that is freed. Other allocators are not affected.
fn keep_memory() {
    const LARGEST_LESSON: usize = (32 << 20) - (64 << 10);
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGEST_LESSON)));
}

/// Runs the program with the arguments of a command line, its own name first.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    keep_memory();
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are not errors, and go to standard output.
            if !error.use_stderr() {
                return end(print_help(&error));
            }
            let text = error.to_string();
            // The arguments may be names of files that a shell inserted. The text above is without
            // anything that looks like colours in them.
            let drives =
                |arg: &OsString| arg.to_string_lossy().chars().any(messages::drives_terminal);
            match args.iter().any(drives) {
                true => text.lines().for_each(messages::print),
                false => drop(error.print()),
            }
            return Status::Failed.into();
        }
    };
    commands::hold_panics();
    let line = CommandLine {
        directory: std::env::current_dir().unwrap_or_default(),
        words: args.into_iter().skip(1).collect(),
    };
    end(match cli.command {
        Command::Resume(args) => {
            commands::resume::command(&args).and_then(|(command, line)| act(command, &line))
        }
        mut command => base::settle(&mut command).and_then(|()| {
            let line = base::recorded(line, &mut command);
            act(command, &line)
        }),
    })
}

/// Prints the help or the version.
fn print_help(help: &clap::Error) -> Result<Status, Error> {
    streams::check_stdout()?;
    help.print()?;
    io::stdout().flush()?;
    Ok(Status::Done)
}

/// Returns the exit status of a run, and prints its error.
fn end(result: Result<Status, Error>) -> ExitCode {
    match result {
        Ok(status) => status.into(),
        Err(error) if error.is_broken_pipe() => Status::Done.into(),
        Err(error) => {
            messages::print(&error.to_string());
            Status::Failed.into()
        }
    }
}

/// Executes a command line.
fn act(command: Command, line: &CommandLine) -> Result<Status, Error> {
    let writes = matches!(
        command,
        Command::Absolutize(_) | Command::Relativize(_) | Command::Move(_) | Command::Undo(_)
    );
    if !writes {
        streams::check_stdout()?;
    }
    match command {
        Command::Absolutize(args) => convert(config::absolutize(args)?, line),
        Command::Relativize(args) => convert(config::relativize(args)?, line),
        Command::Move(args) => convert(config::relocate(args)?, line),
        Command::Resume(_) => Err(Error::Usage("a journal holds no resume".to_owned())),
        Command::Undo(args) => commands::undo::run(&args),
        Command::Refs(args) => commands::refs::run(&config::refs(args)?),
        Command::Bases(args) => commands::bases::run(&config::bases(args)?),
        Command::Check(args) => commands::check::run(&config::check(args)?),
        Command::Slots(args) => commands::slots::run(&args),
        Command::Url { command } => commands::url::run(&command),
    }
}

/// Converts, if standard output can be written.
fn convert(config: Convert, line: &CommandLine) -> Result<Status, Error> {
    if config.shows_diff || config.output == Output::Stdout {
        streams::check_stdout()?;
    }
    commands::convert::run(config, line)
}
