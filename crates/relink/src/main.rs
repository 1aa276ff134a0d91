//! The `relink` program: reads the command line, runs, and returns the exit status.

use std::process::ExitCode;

fn main() -> ExitCode {
    relink::run(std::env::args_os())
}
