//! The program, run in a folder of its own; and the shared data, where they are.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A file below the folder that `RELINK_SHARED_DATA` names, or below `../shared/data` beside the checkout.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("RELINK_SHARED_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
        PathBuf::from,
    );
    let path = Some(folder.join(name)).filter(|path| path.exists());
    if path.is_none() {
        println!("skipped: {name} is not there");
    }
    path
}

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
    let is_nowhere = told.contains("none of the documents has a URL");
    assert!(output.status.success() || is_nowhere, "{line}: {told}");
    output
}
