//! Ten times the input takes at most eleven times the work, whatever the input, from bytes to
//! proof.
//!
//!     cargo bench --bench growth                    instructions for 10 KB and 100 KB, by valgrind
//!     cargo bench --bench growth -- --sample        every eightieth shape
//!     cargo bench --bench growth -- --times         processor time for 10 KB, 100 KB and 1 MB
//!     cargo bench --bench growth -- --full          times for 1, 10 and 100 MB, or more files
//!     cargo bench --bench growth -- --full base     only shapes whose names contain `base`
//!     cargo bench --bench growth -- --memory        only memory: at most 16 bytes for each byte
//!
//! The whole program is measured, from its arguments to what it writes. Instructions are the same
//! in each run, so that they are counted once; they do not have what the kernel does. The table of
//! times has milliseconds, their ratios, and the most memory that the largest needed. It ends with
//! failure if a ratio is above eleven. Where times are above that the instructions decide, if
//! valgrind can count them: a larger input misses the caches of the machine more often, and that is
//! no growth of the work.

#![cfg_attr(
    not(unix),
    allow(unused_imports, dead_code, reason = "helpers of tests that are not built")
)]
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench stops where it cannot go on, and says what it measured"
)]

mod archives;
mod asked;
mod cases;
mod gzip;
mod html;
mod http;
mod json;
mod judge;
mod lines;
mod mail;
mod measure;
mod text;
mod trees;
mod vocabularies;
mod xml;

use std::process::ExitCode;

use cases::Case;

/// A document of about so many bytes.
type Shape = (&'static str, fn(usize) -> Vec<u8>);

/// `unit` again and again.
fn flood(unit: &str, n: usize) -> Vec<u8> {
    unit.as_bytes().repeat(n / unit.len())
}

fn between(start: &str, unit: &str, end: &str, n: usize) -> Vec<u8> {
    [start.as_bytes(), &flood(unit, n), end.as_bytes()].concat()
}

/// What `piece` writes for 0, 1, 2 … up to `n` bytes.
fn counted(start: &str, piece: fn(usize) -> String, end: &str, n: usize) -> Vec<u8> {
    let mut out = start.as_bytes().to_vec();
    for idx in 0.. {
        if out.len() >= n {
            break;
        }
        out.extend(piece(idx).bytes());
    }
    out.extend(end.bytes());
    out
}

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    if args.next_if(|arg| arg == measure::MEASURE).is_some() {
        measure::measure(args);
        return ExitCode::SUCCESS;
    }
    let (mut is_full, mut is_timed, mut is_memory) = (false, false, false);
    let (mut step, mut wanted) = (1, Vec::new());
    for arg in args.filter_map(|arg| arg.into_string().ok()) {
        match &*arg {
            "--full" => is_full = true,
            "--times" => is_timed = true,
            "--memory" => is_memory = true,
            "--sample" => step = 80,
            // Cargo says so.
            "--bench" => {}
            _ => wanted.push(arg),
        }
    }
    let is_wanted =
        |case: &Case| wanted.is_empty() || wanted.iter().any(|wanted| case.name.contains(wanted));
    let cases = cases::all().into_iter().filter(is_wanted).step_by(step);
    if is_memory {
        return judge::memory(cases);
    }
    match (is_full, is_timed) {
        (true, _) => judge::table(cases, &[1_000_000, 10_000_000, 100_000_000]),
        (false, true) => judge::table(cases, &[10_000, 100_000, 1_000_000]),
        (false, false) => judge::instructions(cases),
    }
}
