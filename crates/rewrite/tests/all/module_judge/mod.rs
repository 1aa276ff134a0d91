//! The specifiers that V8 reads in a script, by Node: it shares no code with the program.

pub(crate) mod generate;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Returns the specifiers of the static imports and exports of each script, or `None` for a script
/// that is not a module. Without Node the test is skipped.
pub(crate) fn specifiers(scripts: &[String]) -> Option<Vec<Option<BTreeSet<String>>>> {
    let modules = "--experimental-vm-modules";
    let has_modules = "new (require('vm').SourceTextModule)('')";
    if !crate::tools::has("node", &[modules, "--no-warnings", "-e", has_modules]) {
        return None;
    }
    let judge = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/module_judge/judge.mjs");
    let mut input = String::new();
    for script in scripts {
        script.bytes().for_each(|byte| write!(input, "{byte:02x}").expect("a string"));
        input.push('\n');
    }
    let mut node = Command::new("node")
        .args([modules, "--no-warnings", judge])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("Node starts");
    // It reads all input before it writes anything.
    node.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("Node reads");
    let output = node.wait_with_output().expect("Node ends");
    let output = String::from_utf8(output.stdout).expect("UTF-8");
    let of_hex = |hex: &str| {
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits");
        let bytes = (0..hex.len()).step_by(2).map(byte).collect();
        String::from_utf8(bytes).expect("it is UTF-8")
    };
    let answer = |line: &str| match line {
        "error" => None,
        "none" => Some(BTreeSet::new()),
        names => Some(names.split(',').map(of_hex).collect()),
    };
    let answers: Vec<_> = output.lines().map(answer).collect();
    assert_eq!(answers.len(), scripts.len(), "an answer for each script");
    Some(answers)
}
