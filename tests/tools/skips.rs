//! Tests that are skipped: each says so at once, and their number is printed when the executable
//! has ended.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

/// The variable that makes [`skipped_tests_are_counted`] the counter of another process.
const COUNTS: &str = "RELINK_COUNTS_SKIPS";

/// The input of the counter, which this executable is too. Rust has nothing that runs when the last
/// test has ended; this pipe is closed then, however it ends. `None` where there is no process.
static COUNTER: LazyLock<Option<Mutex<ChildStdin>>> = LazyLock::new(|| counter().map(Mutex::new));

/// Prints that the running test, or a part of it, is skipped, and why. `.ci/run` reads that line:
/// the package, the executable and the name of the test, which is the name of its thread.
///
/// # Panics
///
/// Panics if `RELINK_REQUIRE_ALL` is 1.
#[track_caller]
pub(crate) fn skipped(reason: impl Display) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("main");
    let line = format!("{} {} {test}: {reason}", env!("CARGO_PKG_NAME"), env!("CARGO_CRATE_NAME"));
    print(&format!("skipped: {line}\n"));
    let is_required = std::env::var("RELINK_REQUIRE_ALL").is_ok_and(|value| value == "1");
    assert!(!is_required, "RELINK_REQUIRE_ALL=1, and this was skipped: {line}");
    if let Some(counter) = &*COUNTER {
        let mut counter = counter.lock().unwrap_or_else(PoisonError::into_inner);
        // If nobody counts, each line is printed all the same.
        drop(counter.write_all(format!("{test}\n").as_bytes()));
    }
}

/// Writes a text to standard error by one call. `eprint!` would be captured: nobody sees what a
/// test that passes has printed.
#[allow(clippy::disallowed_methods, reason = "the only print of the tests that is not captured")]
fn print(text: &str) {
    drop(io::stderr().write_all(text.as_bytes()));
}

/// Starts this executable as the counter.
#[allow(clippy::zombie_processes, reason = "it ends after this process")]
fn counter() -> Option<ChildStdin> {
    // Miri starts no process.
    if cfg!(miri) {
        return None;
    }
    let (_, module) = module_path!().split_once("::")?;
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.args(["--exact", &format!("{module}::skipped_tests_are_counted"), "--nocapture"]);
    command.env(COUNTS, "1").stdin(Stdio::piped()).stdout(Stdio::null());
    command.spawn().ok()?.stdin
}

/// Returns how many tests are named, each on a line, perhaps several times; `None` if none.
fn count(names: impl BufRead) -> Option<String> {
    let names: BTreeSet<String> = names.lines().map_while(Result::ok).collect();
    let (package, executable) = (env!("CARGO_PKG_NAME"), env!("CARGO_CRATE_NAME"));
    let tests = match names.len() {
        0 => return None,
        1 => "1 test".to_owned(),
        n => format!("{n} tests"),
    };
    let verb = if names.len() == 1 { "was" } else { "were" };
    Some(format!(
        "{tests} of {package} {executable} {verb} skipped; README.md says how to run all\n"
    ))
}

#[test]
fn skipped_tests_are_counted() {
    if std::env::var_os(COUNTS).is_some() {
        if let Some(line) = count(io::stdin().lock()) {
            print(&line);
        }
        return;
    }
    let line = |names: &str| count(names.as_bytes()).unwrap_or_default();
    assert_eq!(line(""), "");
    assert!(line("a::b\na::b\n").starts_with("1 test of "), "{}", line("a::b\na::b\n"));
    let three = line("a::b\nc\na::b\na::d\n");
    assert!(three.starts_with("3 tests of ") && three.contains(" were skipped; README"), "{three}");
}
