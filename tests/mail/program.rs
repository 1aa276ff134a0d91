//! The program, run in a directory of its own.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the program with the words of a line, in a folder, with bytes on standard input.
pub(crate) fn relink(folder: &Path, line: &str, stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_relink"))
        .args(line.split_whitespace())
        .current_dir(folder)
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

/// The same; the program must end well, or tell only that nothing has a URL.
#[track_caller]
pub(crate) fn done(folder: &Path, line: &str) -> Output {
    let output = relink(folder, line, b"");
    let told = String::from_utf8_lossy(&output.stderr);
    let is_nowhere =
        told.contains("error: no document has a known URL; relative references depend on it; ");
    assert!(output.status.success() || is_nowhere, "{line}: {told}");
    output
}
