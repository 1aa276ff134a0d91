//! Standard output that is closed, discarded, full, or left by its reader.

use std::fs::OpenOptions;
use std::process::Stdio;

use crate::dir::{Run, TestDir};

const PAGE: &str = "<p><a href=x>";

/// Commands whose result goes to standard output.
const PRINTING: [&str; 19] = [
    "absolutize a.html --base http://h/ -o - -q",
    "absolutize a.html --base http://h/ --diff -q",
    "absolutize site --base http://h/ --diff -o out -q",
    "absolutize site --base http://h/ --diff --in-place -q",
    "relativize a.html --base http://h/ -o - -q",
    "move a.html --from http://h/ --to http://i/ -o - -q",
    "refs a.html --base http://h/",
    "bases a.html --base http://h/",
    "check site",
    "slots",
    "url resolve http://h/ x",
    "url parse http://h/",
    "url find http://h/",
    "url table http://h/ x",
    "url from-path /a --system unix",
    "url escape a",
    "--help",
    "--version",
    "refs --help",
];

fn dir() -> TestDir {
    TestDir::with(&[("a.html", PAGE), ("site/a.html", PAGE)])
}

/// Runs a command by a shell that redirects standard output.
fn redirected(dir: &TestDir, to: &str, line: &str) -> Run {
    dir.relink_by(&["sh", "-c", &format!("exec \"$0\" \"$@\" {to}")], line)
}

/// A closed descriptor is to the program what a `/dev/null` is that its parent has opened for
/// reading and writing.
#[cfg(target_os = "linux")]
#[test]
fn what_a_closed_standard_output_gets_is_discarded() {
    for line in PRINTING.iter().chain(&[
        "absolutize site --base http://h/ -o out",
        "absolutize site --base http://h/ --in-place",
        "absolutize site --base http://h/ --dry-run",
    ]) {
        redirected(&dir(), ">&-", line).exits(i32::from(*line == "check site"));
    }
}

#[test]
fn output_that_is_discarded_is_no_error() {
    for line in PRINTING {
        let status = i32::from(line == "check site");
        redirected(&dir(), ">/dev/null", line).exits(status).prints("");
        // The way of Rust's library.
        let dir = dir();
        let mut command = dir.command(&[]);
        command
            .args(line.split(' '))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        assert_eq!(command.status().unwrap().code(), Some(status), "{line}");
    }
}

/// Python discards output by a `/dev/null` that is open for reading and writing, and so may a
/// parent with a program between.
#[cfg(target_os = "linux")]
#[test]
fn output_that_a_parent_discards_is_no_error() {
    let dir = dir();
    for before in ["", "exec timeout 60 ", "exec nice "] {
        let line = format!("{before}\"$0\" \"$@\" 1<>/dev/null");
        dir.relink_by(&["sh", "-c", &line], "refs a.html").exits(0).reports("");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_an_error() {
    for line in PRINTING {
        let dir = dir();
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = dir.command(&[]);
        let output =
            command.args(line.split(' ')).stdin(Stdio::null()).stdout(full).output().unwrap();
        let report = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {report}");
        assert!(report.contains("standard output"), "{line}: {report}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_gone_is_no_error() {
    let dir = dir();
    dir.file("many.html", PAGE.repeat(100_000));
    for line in ["refs many.html --base http://h/", "slots", "--help"] {
        let words = ["sh", "-c", "{ \"$0\" \"$@\"; echo $? >&2; } | head -c 1"];
        let run = dir.relink_by(&words, line);
        assert_eq!(run.stderr, "0\n", "{line}{run}");
    }
}
