//! The `relink` program: reads the command line, runs, and returns the exit status.

use std::process::ExitCode;

/// That of musl makes a run take twice the time.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    relink::run(std::env::args_os())
}
