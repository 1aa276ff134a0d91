//! Real messages and mailboxes, where they are at hand, and those of the fixtures: Python's email
//! package reads nothing other than references in what becomes of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;
use serde_json::Value;

use super::program::done;
use crate::tools::shared;

/// Where the files are said to be, in a second round.
const BASE: &str = "--base http://base.example/dir/message.html";

/// The messages and mailboxes of the fixtures, and of the shared data where they are at hand.
fn files() -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mail");
    let directories = [Some(fixtures), shared("mail")];
    let entries =
        directories.into_iter().flatten().flat_map(|directory| fs::read_dir(directory).unwrap());
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    let is_message = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension != "json" && extension != "mmdf")
    };
    files.retain(is_message);
    files.sort();
    assert!(files.len() > 15, "{} files", files.len());
    files
}

/// The options of the rounds: each file has one of both unless `RELINK_FULL=1`.
fn rounds(number: usize) -> impl Iterator<Item = &'static str> {
    let all = if number.is_multiple_of(2) { ["", BASE] } else { [BASE, ""] };
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    all.into_iter().take(if is_full { 2 } else { 1 })
}

/// A copy of a file in a directory of its own, called `old` with its extension.
struct Copied {
    directory: tempfile::TempDir,
    extension: String,
    name: String,
}

impl Copied {
    fn of(file: &Path) -> Copied {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let extension = file.extension().and_then(|extension| extension.to_str());
        let extension = extension.expect("an extension").to_owned();
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let copied = Copied { directory, extension, name };
        fs::copy(file, copied.path("old")).expect("the file can be copied");
        copied
    }

    fn path(&self, stem: &str) -> PathBuf {
        self.directory.path().join(format!("{stem}.{}", self.extension))
    }

    fn bytes(&self, stem: &str) -> Vec<u8> {
        fs::read(self.path(stem)).expect("the file is there")
    }

    /// Makes one file of another.
    #[track_caller]
    fn convert(&self, command: &str, from: &str, to: &str) {
        let Copied { extension, name, .. } = self;
        println!("{name}: {command} {from} to {to}");
        let line = format!("{command} {from}.{extension} -o {to}.{extension} --force -q");
        done(self.directory.path(), &line);
    }

    /// What `refs` lists of a file; it is also written beside it.
    #[track_caller]
    fn references(&self, stem: &str, options: &str) -> Vec<Value> {
        let line = format!("refs {stem}.{} --format json -q {options}", self.extension);
        let output = done(self.directory.path(), &line);
        fs::write(self.directory.path().join(format!("{stem}.jsonl")), &output.stdout)
            .expect("a file");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// Python's judgment on what became of the old file: the names of the new ones.
    #[track_caller]
    fn judge(&self, old: &str, new: &[String]) {
        let judge = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mail/parts.py");
        let mut python = Command::new("python3");
        python.arg(judge);
        for new in new {
            python.args([self.path(old), self.path(new)]);
            python.args([old, new].map(|stem| self.directory.path().join(format!("{stem}.jsonl"))));
        }
        let python = python.output().expect("python3 starts");
        let said = String::from_utf8_lossy(&python.stdout);
        let complaint = String::from_utf8_lossy(&python.stderr);
        assert!(python.status.success(), "{}: {said}{complaint}", self.name);
        print!("{said}");
    }
}

/// Part, slot and target of each reference; what has no target, by its text. A `<base>` may be
/// emptied.
fn targets(references: &[Value]) -> Vec<String> {
    let is_base = |line: &&Value| line["slot"] != "base[href]";
    let report = |line: &Value| {
        let target = line["target"].as_str().or(line["text"].as_str()).unwrap_or_default();
        format!("{} {} {} {target}", line["unit"], line["part"], line["slot"])
    };
    references.iter().filter(is_base).map(report).collect()
}

#[test]
fn without_edits_nothing_changes() {
    files().into_par_iter().for_each(|file| {
        let copied = Copied::of(&file);
        for command in ["absolutize", "relativize"] {
            for options in ["--only style", "--only style --break-signatures"] {
                copied.convert(&format!("{command} {BASE} {options}"), "old", "same");
                assert!(copied.bytes("old") == copied.bytes("same"), "{}", copied.name);
            }
        }
    });
}

#[test]
fn the_judge_in_python_sees_what_is_wrong() {
    crate::tools::passes("tests/mail/parts_test.py");
}

#[test]
fn nothing_changes_but_references() {
    let has_python = crate::tools::has("python3", &["--version"]);
    // Python takes the most time: it reads half of the files unless `RELINK_FULL=1`.
    let step = if std::env::var_os("RELINK_FULL").is_some() { 1 } else { 2 };
    files().into_par_iter().step_by(step).enumerate().for_each(|(number, file)| {
        let copied = Copied::of(&file);
        for options in rounds(number) {
            copied.references("old", options);
            let commands = ["absolutize", "relativize", "relativize --style shortest"];
            let new = commands.map(|command| {
                let new = format!("new {command}").replace(' ', "-");
                let command = format!("{command} {options}");
                copied.convert(&command, "old", &new);
                copied.references(&new, options);
                copied.convert(&command, &new, "again");
                let is_same = copied.bytes(&new) == copied.bytes("again");
                assert!(is_same, "{}: a second run of {command}", copied.name);
                new
            });
            if has_python {
                copied.judge("old", &new);
            }
        }
    });
}

#[test]
fn references_lead_where_they_led() {
    let mut n_references = BTreeMap::new();
    for (number, file) in files().iter().enumerate() {
        let copied = Copied::of(file);
        for options in rounds(number) {
            let before = targets(&copied.references("old", options));
            copied.convert(&format!("absolutize {options}"), "old", "absolute");
            let after = targets(&copied.references("absolute", options));
            assert_eq!(before, after, "{} {options}: absolute", copied.name);
            copied.convert(&format!("relativize {options}"), "absolute", "relative");
            let after = targets(&copied.references("relative", options));
            assert_eq!(before, after, "{} {options}: relative again", copied.name);
            n_references.insert(copied.name.clone(), before.len());
        }
    }
    let all: usize = n_references.values().sum();
    assert!(
        all > 80 && (n_references.len() < 40 || all > 1000),
        "{all} references: {n_references:?}"
    );
}
