//! `relink unpack` of mail, judged by Python's email package (`unpacked.py`): the bytes and names
//! of parts, and the targets of references to them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Messages that Python's package reads otherwise: boundaries that are wrong, a message that is
/// encoded in another, and a part that gets the line end before a delimiter. relink reads them as
/// mail programs do (`real.rs`).
const READ_OTHERWISE: [&str; 6] = [
    "bnd-multi-bad.eml",
    "bnd-trailing-spaces.eml",
    "bnd-very-long.eml",
    "cl-relative-bad-close.eml",
    "nest-base64-rfc822-twice.eml",
    "nest-rfc822-x4-deep.eml",
];

/// The real messages, where they are present.
fn files() -> Vec<PathBuf> {
    let Some(directory) = crate::tools::shared("mail") else { return Vec::new() };
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "eml"))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default();
            !READ_OTHERWISE.iter().any(|other| name == *other)
        })
        .collect();
    files.sort();
    files
}

#[test]
fn parts_are_those_that_python_reads() {
    if !crate::tools::has("python3", &["--version"]) {
        return;
    }
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mail/unpacked.py");
    let output = Command::new("python3")
        .arg(script)
        .arg(if is_full { "3000" } else { "300" })
        .args(files())
        .env("RELINK_BIN", env!("CARGO_BIN_EXE_relink"))
        .output()
        .expect("python3 starts");
    let report = String::from_utf8_lossy(&output.stdout);
    println!("{report}");
    assert!(output.status.success(), "{report}{}", String::from_utf8_lossy(&output.stderr));
}
