//! What this machine has for the tests: programs, and data of other projects. A test that needs
//! something else is skipped, with a message; with `RELINK_REQUIRE_ALL=1` it fails. With
//! `RELINK_TOOLS=none` nothing of all that is found.
//!
//! The executables of all crates include this file, so that there is one rule.

#![allow(dead_code, reason = "each executable needs a part of it")]

mod skips;
mod waiting;

use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

#[allow(unused_imports, reason = "as above")]
pub(crate) use self::skips::skipped;
#[allow(unused_imports, reason = "as above")]
pub(crate) use self::waiting::{pause, wait_for, wait_until};

/// What a machine has on which Rust programs are built: these programs count as present with
/// `RELINK_TOOLS=none`. (`kill` is no program there, but a command of `sh`.)
const ON_EVERY_MACHINE: &[&str] = &[
    "cargo", "cat", "chmod", "cp", "du", "env", "git", "mkfifo", "mknod", "rustc", "sh", "true",
    "truncate",
];

/// Returns true if the tests run as on a machine with none of the programs and data that they can
/// use: `RELINK_TOOLS=none`. It shows what such a machine skips, and that the rest passes there.
fn has_no_tools() -> bool {
    std::env::var("RELINK_TOOLS").is_ok_and(|value| value == "none")
}

/// Appends the package, the executable and the name of the running test to the file that
/// `RELINK_TOOLS_LOG` names: such a test is another one on a machine without tools.
fn log_a_look() {
    let Some(log) = std::env::var_os("RELINK_TOOLS_LOG") else { return };
    let thread = std::thread::current();
    let (package, executable) = (env!("CARGO_PKG_NAME"), env!("CARGO_CRATE_NAME"));
    let line = format!("{package} {executable} {}\n", thread.name().unwrap_or("main"));
    let file = std::fs::File::options().append(true).create(true).open(log);
    file.expect("the log can be opened").write_all(line.as_bytes()).expect("a log");
}

/// Returns true if the program starts and exits with 0.
///
/// That the program starts is not enough: the command of a version manager without a version, or
/// of a package that only says what to install, starts and fails.
pub(crate) fn runs(program: &str, args: &[&str]) -> bool {
    if !ON_EVERY_MACHINE.contains(&program) {
        log_a_look();
        if has_no_tools() {
            return false;
        }
    }
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Returns true if the program runs, as [`runs`] does; otherwise the test is [`skipped`].
#[track_caller]
pub(crate) fn has(program: &str, args: &[&str]) -> bool {
    let runs = runs(program, args);
    if !runs {
        skipped(format_args!("{program} does not run here"));
    }
    runs
}

/// Reports what a script skipped: each line `skipped: …` of its output. Returns true if there is
/// one.
#[track_caller]
pub(crate) fn skipped_by(output: &[u8]) -> bool {
    let output = String::from_utf8_lossy(output);
    let reasons = output.lines().filter_map(|line| line.strip_prefix("skipped: "));
    reasons.map(skipped).count() > 0
}

/// Runs a Python script of this checkout, which must exit with 0.
#[track_caller]
pub(crate) fn passes(script: &str) {
    if !has("python3", &["--version"]) {
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
    let output = Command::new("python3").arg(path).output().expect("python3 starts");
    let report = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{script}: {}{}", report[0], report[1]);
    skipped_by(&output.stdout);
}

/// Returns a Python with a module: that of the system, or of the environment with this name that
/// `.ci/run --install` makes. Without one the test is [`skipped`].
#[track_caller]
pub(crate) fn python_with(environment: &str, module: &str) -> Option<PathBuf> {
    let own = installed(environment).join("venv/bin/python");
    let import = format!("import {module}");
    let has_it =
        |python: &&PathBuf| python.to_str().is_some_and(|python| runs(python, &["-c", &import]));
    let python = [PathBuf::from("python3"), own].iter().find(has_it).cloned();
    if python.is_none() {
        skipped(format_args!("{module} is not installed"));
    }
    python
}

/// Returns a program of a package of npm that `.ci/run --install` installs in the environment with
/// this name. Without it the test is [`skipped`].
#[track_caller]
pub(crate) fn node_program(environment: &str, name: &str) -> Option<PathBuf> {
    let program = others(installed(environment).join("node_modules/.bin").join(name));
    let runs = program.to_str().is_some_and(|program| runs(program, &["--version"]));
    if !runs {
        skipped(format_args!("{name} is not installed"));
    }
    runs.then_some(program)
}

/// Returns the directory of an environment that `.ci/run --install` makes.
pub(crate) fn installed(environment: &str) -> PathBuf {
    let root = checkout().unwrap_or_default();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    target.join(environment)
}

/// Returns the directory of the checkout.
pub(crate) fn checkout() -> Option<PathBuf> {
    let mut directories = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    directories.find(|directory| directory.join("Cargo.lock").exists()).map(Path::to_owned)
}

/// Returns the path of test data of other projects: below the directory that `RELINK_SHARED_DATA`
/// names, or below `shared/data` next to the checkout. If it does not exist, the test is
/// [`skipped`].
#[track_caller]
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let directory = std::env::var_os("RELINK_SHARED_DATA")
        .map(PathBuf::from)
        .or_else(|| Some(checkout()?.parent()?.join("shared/data")));
    let path = directory.map(|directory| others(directory.join(name)));
    let path = path.filter(|path| path.exists());
    if path.is_none() {
        skipped(format_args!("{name} is not in the directory of RELINK_SHARED_DATA"));
    }
    path
}

/// Returns the path of something that another project has installed or that was downloaded: the
/// path itself, or, with `RELINK_TOOLS=none`, one that does not exist.
pub(crate) fn others(path: impl Into<PathBuf>) -> PathBuf {
    let path = path.into();
    log_a_look();
    if !has_no_tools() {
        return path;
    }
    let names = path.components().filter(|part| matches!(part, Component::Normal(_)));
    Path::new("/nonexistent").join(names.collect::<PathBuf>())
}

/// Returns the directory with the documentation of Rust, which is an optional part of a toolchain.
pub(crate) fn rust_documentation() -> PathBuf {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output();
    let sysroot = String::from_utf8(sysroot.expect("rustc starts").stdout).expect("UTF-8");
    others(Path::new(sysroot.trim()).join("share/doc"))
}

/// Sends a signal to a process by its name, such as `INT`. Returns true if there was the process.
pub(crate) fn send(signal: &str, process: u32) -> bool {
    runs("sh", &["-c", &format!("kill -{signal} {process}")])
}
