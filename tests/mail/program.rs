//! The program, run in a directory of its own.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the program with the words of a line, in a directory, with bytes on standard input.
pub(crate) fn relink(directory: &Path, line: &str, stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_relink"))
        .args(line.split_whitespace())
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        scope.spawn(move || drop(input.write_all(stdin)));
        child.wait_with_output().expect("the program ends")
    })
}

/// The same; the program must end well, or say only that nothing has a URL.
#[track_caller]
pub(crate) fn done(directory: &Path, line: &str) -> Output {
    let output = relink(directory, line, b"");
    let report = String::from_utf8_lossy(&output.stderr);
    let is_nowhere =
        report.contains("error: no document has a known URL; relative references depend on it; ");
    assert!(output.status.success() || is_nowhere, "{line}: {report}");
    output
}
