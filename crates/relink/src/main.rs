//! The `relink` program: it reads the command line, runs, and gives the exit status.

use std::process::ExitCode;

fn main() -> ExitCode {
    relink::run(std::env::args_os())
}
