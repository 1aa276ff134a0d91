//! Tests that are skipped: one function reports it, and it fails where all tests are required.

use std::process::{Command, Output};

use crate::tools;

/// The start of the message, in two pieces, so that this file does not contain it.
const MESSAGE: &str = concat!("skip", "ped: ");

/// The variable that makes [`NAME`] skip.
const INNER: &str = "RELINK_TIDY_SKIPS";

const NAME: &str = "skips::a_skip_is_a_failure_where_all_are_required";

/// The last line of an executable with a skipped test.
const COUNT: &str = "1 test of relink tidy was skipped; README.md says how to run all\n";

/// Runs [`NAME`] again, which is skipped there.
fn with_a_skip(require_all: Option<&str>) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this executable"));
    command.args(["--exact", NAME]);
    command.env(INNER, "1").env_remove("RELINK_REQUIRE_ALL").env_remove("RUST_BACKTRACE");
    // With it a failure would be on standard error too.
    command.env_remove("RUST_TEST_NOCAPTURE");
    if let Some(value) = require_all {
        command.env("RELINK_REQUIRE_ALL", value);
    }
    command.output().expect("this executable starts")
}

#[test]
fn a_skip_is_a_failure_where_all_are_required() {
    if std::env::var_os(INNER).is_some() {
        tools::skipped("this is a test of the message");
        return tools::skipped("there are two of them");
    }
    let reasons = ["this is a test of the message", "there are two of them"];
    let lines = reasons.map(|reason| format!("{MESSAGE}relink tidy {NAME}: {reason}\n"));
    for (require_all, is_failure) in [(None, false), (Some("0"), false), (Some("1"), true)] {
        let output = with_a_skip(require_all);
        let [stdout, stderr] =
            [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        assert_eq!(output.status.success(), !is_failure, "{require_all:?}: {stdout}");
        // Both are seen though the output of the test is not.
        let expected =
            if is_failure { lines[0].clone() } else { format!("{}{}{COUNT}", lines[0], lines[1]) };
        assert_eq!(stderr, expected, "{require_all:?}");
    }
}

/// A message that is printed otherwise is not a failure, and `.ci/run` does not find its test.
#[test]
fn tests_are_skipped_by_one_function() {
    let message = format!("\"{MESSAGE}");
    let faults: Vec<String> = (crate::sources().iter())
        .filter(|(path, _)| path.components().any(|part| part.as_os_str() == "tests"))
        .filter(|(path, _)| !path.starts_with("tests/tools"))
        .filter(|(_, text)| text.contains(&message))
        .map(|(path, _)| path.display().to_string())
        .collect();
    crate::none("files that print that a test is skipped, without `tools::skipped`", &faults);
}
