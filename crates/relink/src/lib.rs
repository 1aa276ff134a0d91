//! The program `relink`: command line, walking, parallelism, reading and writing files safely, reports.
//!
//! What is done to a document is the crate `rewrite`, a pure function; everything that touches files, threads and terminals is here.
//! Data flows one way: [`cli`] (what was typed), [`config`] (what it means), [`walk`] (files), [`units`] (messages in
//! them, [`container`]), [`hints`] (where documents were from), [`ordered`] (in parallel, told in order),
//! [`commands`] (what is done with a file), [`mod@write`] (safely), [`messages`] and [`summary`] (what is told).

pub mod anchors;
pub mod attributes;
pub mod boxes;
pub mod cli;
pub mod commands;
pub mod config;
pub mod container;
pub mod destination;
pub mod diff;
pub mod exit;
pub mod external;
pub mod failure;
pub mod files;
pub mod globs;
pub mod hints;
pub mod input;
pub mod journal;
pub mod layout;
pub mod locate;
pub mod media;
pub mod messages;
pub mod moving;
pub mod ordered;
pub mod places;
pub mod problem;
pub mod sidecar;
pub mod summary;
pub mod units;
pub mod walk;
pub mod write;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};
use crate::exit::Status;

/// Lets the allocator of the GNU C library keep what is freed, up to 64 MiB a thread, and not give it back to the system after each file to
/// ask for it again: it learns that from the first large block that is freed. Others do not mind.
fn keep_memory() {
    const LARGEST_LESSON: usize = (32 << 20) - (64 << 10);
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGEST_LESSON)));
}

/// Runs the program with the arguments of a command line, its own name first.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    keep_memory();
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors, and go to standard output.
            let status = if error.use_stderr() { Status::Failed } else { Status::Done };
            drop(error.print());
            return status.into();
        }
    };
    commands::hold_panics();
    let result = match cli.command {
        Command::Absolutize(args) => {
            config::absolutize(args).and_then(|config| commands::convert::run(&config))
        }
        Command::Relativize(args) => {
            config::relativize(args).and_then(|config| commands::convert::run(&config))
        }
        Command::Move(args) => {
            config::relocate(args).and_then(|config| commands::convert::run(&config))
        }
        Command::Refs(args) => config::refs(args).and_then(|config| commands::refs::run(&config)),
        Command::Bases(args) => {
            config::bases(args).and_then(|config| commands::bases::run(&config))
        }
        Command::Check(args) => {
            config::check(args).and_then(|config| commands::check::run(&config))
        }
        Command::Slots(args) => commands::slots::run(&args),
        Command::Url { command } => commands::url::run(&command),
    };
    match result {
        Ok(status) => status.into(),
        Err(error) if error.is_broken_pipe() => Status::Done.into(),
        Err(error) => {
            messages::print(&error.to_string());
            Status::Failed.into()
        }
    }
}
