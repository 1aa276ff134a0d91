//! Messages that other projects test their readers with, unpacked as Python reads them
//! (`unpacked.py`): those of the crates `mail-parser` and `mailparse`, of the Python package
//! mail-parser, and of Python's own tests. `.ci/run --install` fetches them.
//!
//! docs/decisions.md explains the differences ("Messages that Python reads otherwise").

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use walkdir::WalkDir;

use crate::tools;

/// Messages whose parts or bytes are not those that Python reads, by kind.
const DIFFERENCES: &[(&str, &[&str])] = &[
    (
        "no closing delimiter",
        &[
            "malformed/001.eml",
            "malformed/006.eml",
            "malformed/008.eml",
            "malformed/009.eml",
            "malformed/011.eml",
            "malformed/012.eml",
            "malformed/016.eml",
            "thirdparty/005.eml",
        ],
    ),
    (
        "one boundary for two multiparts",
        &[
            "malformed/003.eml",
            "malformed/005.eml",
            "malformed/013.eml",
            "mails/mail_malformed_1",
            "data/msg_15.txt",
            "data/msg_39.txt",
        ],
    ),
    (
        "a line of a header section that is no field",
        &["malformed/007.eml", "malformed/019.eml", "thirdparty/015.eml", "data/msg_38.txt"],
    ),
    ("parts without content", &["malformed/000.eml", "data/msg_37.txt", "data/msg_42.txt"]),
    (
        "types of messages",
        &[
            "rfc/001.eml",
            "rfc/008.eml",
            "thirdparty/009.eml",
            "mails/mail_malformed_2",
            "data/msg_16.txt",
            "data/msg_36.txt",
            "data/msg_43.txt",
        ],
    ),
    ("white space in fields", &["thirdparty/003.eml", "thirdparty/012.eml"]),
    ("deep nesting", &["files/nested.eml"]),
];

/// Returns the directories of messages of all projects that are present.
fn directories() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let registries = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok());
    let registries = registries.into_iter().flatten().flatten().map(|entry| entry.path());
    let registry = registries.last().unwrap_or_default();
    let foreign = tools::installed("foreign");
    let all = [
        registry.join("mail-parser-0.11.9/resources"),
        registry.join("mailparse-0.18.0/tests/files"),
        foreign.join("mail_parser-4.8.0/tests/mails"),
        foreign.join("usr/lib/python3.11/test/test_email/data"),
    ];
    let is_present = |directory: &PathBuf| {
        let is_present = directory.is_dir();
        if !is_present {
            tools::skipped(format_args!("{} is not present", directory.display()));
        }
        is_present
    };
    all.into_iter().map(tools::others).filter(is_present).collect()
}

/// Returns true for files that are messages.
fn is_message(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if path.parent().is_some_and(|parent| parent.ends_with("cur") || parent.ends_with("new")) {
        return true;
    }
    match path.extension() {
        Some(extension) => {
            let is_text = name.starts_with("msg_") || name.starts_with("test_email");
            extension == "eml" || (extension == "txt" && is_text)
        }
        None => name.starts_with("mail_test") || name.starts_with("mail_malformed"),
    }
}

#[test]
fn messages_of_other_projects_are_unpacked_as_python_reads_them() {
    let directories = directories();
    if directories.is_empty() || !tools::has("python3", &["--version"]) {
        return;
    }
    let entries =
        directories.iter().flat_map(|directory| WalkDir::new(directory).sort_by_file_name());
    let paths = entries.map(|entry| entry.expect("an entry").into_path());
    let files: Vec<PathBuf> = paths.filter(|path| path.is_file() && is_message(path)).collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mail/unpacked.py");
    let mut command = Command::new("python3");
    command.arg(script).arg("1").args(&files).env("RELINK_BIN", env!("CARGO_BIN_EXE_relink"));
    let output = command.output().expect("python3 starts");
    let report = String::from_utf8_lossy(&output.stdout);
    println!("{report}{}", String::from_utf8_lossy(&output.stderr));
    // The directory and the name of a file.
    let short = |path: &Path| -> String {
        let names = path.iter().rev().take(2).map(|name| name.to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.reverse();
        names.join("/")
    };
    let present: BTreeSet<String> = files.iter().map(|path| short(path)).collect();
    let of_line = |line: &str| line.split_once(": ").map(|(path, _)| short(Path::new(path)));
    let found: BTreeSet<String> =
        report.lines().filter_map(of_line).filter(|name| present.contains(name)).collect();
    let expected = DIFFERENCES.iter().flat_map(|(_, names)| *names).map(|name| (*name).to_owned());
    let expected: BTreeSet<String> = expected.filter(|name| present.contains(name)).collect();
    assert_eq!(found, expected);
}
