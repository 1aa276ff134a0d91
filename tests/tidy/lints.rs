//! Rules that clippy checks (`clippy.toml`, `crates/clippy.toml`): who may make an exception, and
//! the sleeps that clippy does not see.

use std::fs;
use std::path::Path;

/// The files of the program that print, or look at the streams of the process.
const PRINTERS: &[&str] = &[
    // Prints the events of a run.
    "crates/relink/src/cli/terminal/mod.rs",
    "crates/relink/src/cli/terminal/progress_bar.rs",
    "crates/relink/src/cli/terminal/style.rs",
    // Prints help, and errors of the command line.
    "crates/relink/src/cli/program.rs",
    // Looks at standard output before a run.
];

/// Other files that do what clippy refuses elsewhere.
const EXCEPTIONS: &[&str] = &[
    "crates/rewrite/src/options/clock.rs",
    // Opens the archives that a caller names.
    "crates/python/src/source.rs",
    // Runs the whole program.
    "crates/python/src/tree.rs",
    // Waits for the clock of a file system.
    "crates/relink/src/recovery/stamps.rs",
];

/// The lints of the two files, and those of `Cargo.toml` about the same things.
const LINTS: &[&str] = &["disallowed_", "print_std", "exit,", "exit)"];

/// The files in which a test in Python waits: the others call the function that is there.
const WAITING: &[&str] = &["crates/python/tests/waiting.py"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns true if a line of Rust allows what clippy refuses.
fn is_exception(line: &str) -> bool {
    let lints = line.split("clippy::").skip(1);
    let mut lints = lints.map(|rest| rest.trim_start());
    lints.any(|rest| LINTS.iter().any(|lint| rest.starts_with(lint)))
}

#[test]
fn only_listed_files_of_the_program_are_exempt_from_clippy() {
    let mut exempt: Vec<String> = (super::sources().iter())
        .filter(|(path, _)| path.components().any(|component| component.as_os_str() == "src"))
        // Its tasks are not part of the program.
        .filter(|(path, _)| !path.starts_with("crates/xtask"))
        .filter(|(_, text)| text.lines().any(is_exception))
        .map(|(path, _)| path.display().to_string())
        .collect();
    exempt.sort();
    let mut listed = [PRINTERS, EXCEPTIONS].concat();
    listed.sort_unstable();
    assert_eq!(exempt, listed);
}

#[test]
fn exceptions_are_found() {
    assert!(is_exception("#![allow(clippy::disallowed_methods, reason = \"it prints\")]"));
    assert!(is_exception("#[expect(clippy::panic, clippy::print_stderr)]"));
    assert!(is_exception("#[allow(clippy::exit)]"));
    assert!(!is_exception("#[allow(clippy::panic, reason = \"its purpose\")]"));
}

/// Without that line a crate has no rules.
#[test]
fn all_crates_have_the_lints_of_the_workspace() {
    let manifest = |path: &Path| fs::read_to_string(path.join("Cargo.toml")).expect("a manifest");
    let workspace = manifest(root());
    let members = workspace.lines().find_map(|line| line.strip_prefix("members = ["));
    let members: Vec<&str> = members.expect("members").split('"').skip(1).step_by(2).collect();
    assert!(members.len() > 5, "{members:?}");
    for member in [&[""][..], &members].concat() {
        let has_lints = manifest(&root().join(member)).contains("[lints]\nworkspace = true\n");
        assert!(has_lints, "{member} has other lints than the workspace");
    }
}

/// Clippy reads one configuration for a crate: the file in `crates` replaces that of the root.
#[test]
fn what_no_crate_may_call_is_in_both_configurations() {
    let paths = |name: &str| -> Vec<String> {
        let text = fs::read_to_string(root().join(name)).expect("a configuration");
        let quoted = text.lines().filter_map(|line| Some(line.split_once("std::")?.1.to_owned()));
        quoted.map(|rest| rest.split('"').next().unwrap_or_default().to_owned()).collect()
    };
    let (all, library) = (paths("clippy.toml"), paths("crates/clippy.toml"));
    assert!(all.len() > 2 && library.len() > 50, "{all:?} {library:?}");
    for path in all {
        assert!(library.contains(&path), "std::{path} is not in crates/clippy.toml");
    }
}

/// Returns the lines of a script that sleep, or import what sleeps.
fn sleeping(text: &str, comment: &str) -> Vec<String> {
    let is_sleep = |code: &str| {
        code.match_indices("sleep").any(|(at, word)| {
            let is_name = |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric());
            let (before, after) = (code[..at].chars().next_back(), &code[at + word.len()..]);
            let is_called = after.trim_start().starts_with('(') || code.contains("import ");
            !is_name(before) && before != Some('_') && is_called && !after.starts_with('_')
        })
    };
    let code = text
        .lines()
        .enumerate()
        .map(|(idx, line)| (idx + 1, line.split(comment).next().unwrap_or_default()));
    code.filter(|(_, code)| is_sleep(code))
        .map(|(line, code)| format!("{line}: {}", code.trim()))
        .collect()
}

/// What a pause is long enough for depends on the machine: a test waits for an event.
#[test]
fn tests_in_python_wait_for_events() {
    let directories = ["tests", "crates/python/tests"].map(|name| root().join(name));
    let entries = directories.iter().flat_map(|directory| {
        walkdir::WalkDir::new(directory).sort_by_file_name().into_iter().map(Result::unwrap)
    });
    let (mut n_scripts, mut faults) = (0, Vec::new());
    for entry in entries {
        let path = entry.path();
        let name = path.strip_prefix(root()).expect("below").to_str().expect("UTF-8");
        if path.extension().is_none_or(|extension| extension != "py") {
            continue;
        }
        n_scripts += 1;
        if !WAITING.contains(&name.replace('\\', "/").as_str()) {
            let text = fs::read_to_string(path).expect("a script");
            faults.extend(sleeping(&text, "#").iter().map(|line| format!("{name}:{line}")));
        }
    }
    assert!(n_scripts > 20, "{n_scripts} scripts");
    super::none("tests that sleep", &faults);
}

/// Clippy holds this for the tests of the program. Those of the library crates may call what the
/// crates may not, so clippy accepts a sleep there.
#[test]
fn tests_of_library_crates_wait_for_events() {
    let sources = super::sources();
    let is_library = |path: &Path| path.starts_with("crates") && !path.starts_with("crates/relink");
    let sources = sources.iter().filter(|(path, _)| is_library(path));
    let faults = sources.flat_map(|(path, text)| {
        let lines = sleeping(text, "//");
        lines.into_iter().map(move |line| format!("{}:{line}", path.display()))
    });
    super::none("code that sleeps", &faults.collect::<Vec<_>>());
}

#[test]
fn sleeps_are_found() {
    let python = |line: &str| !sleeping(line, "#").is_empty();
    for line in
        ["    time.sleep(0.1)", "sleep(1)", "from time import sleep", "await asyncio.sleep (1)"]
    {
        assert!(python(line), "{line}");
    }
    for line in
        ["# time.sleep(1)", "asleep(1)", "sleep_until(event)", "a = 1  # sleep(1)", "sleeper()"]
    {
        assert!(!python(line), "{line}");
    }
    let rust = |line: &str| !sleeping(line, "//").is_empty();
    assert!(rust("std::thread::sleep(TIME);") && !rust("// thread::sleep(TIME)"));
    assert_eq!(sleeping("a\nsleep(1)\n", "#"), ["2: sleep(1)"]);
}
