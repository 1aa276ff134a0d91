//! Directories of XML, converted by the program and judged by `trees.py`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

pub(crate) const BASE: &str = "https://docs.example/tree/";

pub(crate) fn relink(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_relink")).args(args).output().expect("the program starts")
}

/// What the judge says about two directories.
pub(crate) struct Verdict {
    pub(crate) report: Value,
}

impl Verdict {
    pub(crate) fn n(&self, name: &str) -> u64 {
        self.report[name].as_u64().expect("a number")
    }

    /// The files that are not well-formed, as expat (`malformed`) or xmllint says; none if the tool
    /// is not here.
    pub(crate) fn files(&self, name: &str) -> Option<BTreeMap<String, String>> {
        let files = self.report[name].as_object()?;
        let text = |(path, reason): (&String, &Value)| {
            (path.clone(), reason.as_str().unwrap_or_default().to_owned())
        };
        Some(files.iter().map(text).collect())
    }
}

/// Compares two directories; where `wants_absolute`, no reference that has a base may be relative.
#[track_caller]
fn judge(old: &Path, new: &Path, wants_absolute: bool) -> Verdict {
    judge_with(old, new, wants_absolute.then_some("--absolute"))
}

/// The same without xmllint, which takes a process for each file.
#[track_caller]
pub(crate) fn judge_events(old: &Path, new: &Path) -> Verdict {
    judge_with(old, new, Some("--events"))
}

#[track_caller]
fn judge_with(old: &Path, new: &Path, option: Option<&str>) -> Verdict {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/xml/trees.py");
    let mut command = Command::new("python3");
    command.arg(script).args(option);
    let output = command.args([old, new]).arg(BASE).output().expect("Python starts");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let first: String = stdout.lines().take(20).map(|line| format!("{line}\n")).collect();
    assert!(
        output.status.success(),
        "{}{}{first}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    let last = stdout.lines().last().unwrap_or_default();
    Verdict { report: serde_json::from_str(last).expect("JSON") }
}

/// Files below a directory, with their paths in it.
pub(crate) fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    walkdir::WalkDir::new(root)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(root).expect("below").to_owned();
            (path, fs::read(entry.path()).expect("it can be read"))
        })
        .collect()
}

/// The files that the program says to be left as they are because they are not well-formed, with
/// line and column.
pub(crate) fn reported_malformed(
    output: &Output,
    root: &Path,
) -> BTreeMap<String, (u64, u64, String)> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let prefix = format!("{}/", root.display());
    let mut report = BTreeMap::new();
    for line in stderr.lines().filter_map(|line| line.strip_prefix(&prefix)) {
        let Some((place, reason)) = line.split_once(": skipped; not well-formed: ") else {
            continue;
        };
        let mut parts = place.rsplitn(3, ':');
        let column = parts.next().and_then(|column| column.parse().ok()).expect("a column");
        let number = parts.next().and_then(|line| line.parse().ok()).expect("a line");
        let path = parts.next().expect("a path").to_owned();
        assert!(number > 0 && column > 0, "{line}");
        report.insert(path, (number, column, reason.to_owned()));
    }
    report
}

/// Converts a directory there and back, with every check. Returns what the judge reported of the
/// first way.
#[track_caller]
pub(crate) fn check(name: &str, tree: &Path) -> Verdict {
    let scratch = tempfile::tempdir().expect("a directory");
    let directory = |name: &str| scratch.path().join(name);
    let (absolute, relative) = (directory("absolute"), directory("relative"));
    let run = |command: &str, from: &Path, to: &Path| -> Output {
        let [from, to] = [from, to].map(|path| path.to_str().unwrap());
        let output = relink(&[command, from, "--base", BASE, "-o", to]);
        assert!(
            matches!(output.status.code(), Some(0 | 2)),
            "{name}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output
    };
    let report = run("absolutize", tree, &absolute);
    let verdict = judge(tree, &absolute, true);
    println!(
        "{name}: {} documents, {} references, {} values changed by absolutize",
        verdict.n("documents"),
        verdict.n("references"),
        verdict.n("changed")
    );
    compare_malformed(name, &report, tree, &verdict);
    run("relativize", &absolute, &relative);
    let back = judge(tree, &relative, false);
    println!("{name}: relative again, {} values are written otherwise", back.n("changed"));
    for (command, first) in [("absolutize", &absolute), ("relativize", &relative)] {
        let again = directory(&format!("{command} again"));
        run(command, first, &again);
        let (first, again) = (files(first), files(&again));
        let changed: Vec<_> =
            first.iter().filter(|(path, bytes)| again[*path] != **bytes).collect();
        assert!(changed.is_empty(), "{name}: a second {command} changed {:?}", changed[0].0);
    }
    verdict
}

/// The files that are left because they are not well-formed are those that expat and xmllint
/// refuse.
#[track_caller]
fn compare_malformed(name: &str, output: &Output, tree: &Path, verdict: &Verdict) {
    let report = reported_malformed(output, tree);
    let ours: BTreeSet<&String> = report.keys().collect();
    let expat = verdict.files("malformed").expect("a list");
    assert_eq!(
        ours,
        expat.keys().collect(),
        "{name}: not well-formed for expat\n{report:?}\n{expat:?}"
    );
    let Some(mut xmllint) = verdict.files("xmllint") else {
        crate::tools::skipped(format_args!("{name}: xmllint is not installed"));
        return;
    };
    // It misses declarations that stand in another file, where XML does not (section 4.1, "Entity
    // Declared").
    xmllint.retain(|path, reason| !reason.ends_with("not defined") || expat.contains_key(path));
    assert_eq!(ours, xmllint.keys().collect(), "{name}: not well-formed for xmllint\n{xmllint:?}");
    println!("{name}: {} are not well-formed, for this program, expat and xmllint", report.len());
}
