//! What the documentation says of the problems of `check` is what `check --explain` says.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::dir::TestDir;

/// What `--explain` says first of a problem.
struct Explained {
    name: String,
    /// What follows "the reference".
    words: String,
    /// The specification that warns of it.
    source: Option<String>,
}

/// Returns the problems, as `--explain` lists and explains them.
fn explained() -> Vec<Explained> {
    let relink = |line: &str| TestDir::new().relink(line);
    let unknown = relink("check --explain none").exits(2).stderr.clone();
    let (_, names) = unknown.split_once("expected ").expect("the names of problems");
    let names = names.split([';', '\n']).next().expect("a list").split(", ");
    let explain = |name: &str| {
        let run = relink(&format!("check --explain {name}")).exits(0);
        let line = run.text().lines().nth(2).expect("a line");
        let line = line.strip_prefix("The reference ").and_then(|line| line.strip_suffix('.'));
        let line = line.expect("a sentence");
        let last = run.text().lines().last().expect("a line");
        let source = last.strip_prefix("Source: ").map(str::to_owned);
        Explained { name: name.to_owned(), words: line.replace('|', "\\|"), source }
    };
    names.map(explain).collect()
}

/// Compares what is between two marks in a file; with `RELINK_BLESS=1` writes it instead.
fn has_between(path: &Path, marks: (&str, &str), expected: &str) {
    let document = fs::read_to_string(path).expect("the document");
    let parts: Vec<&str> = document.split(marks.0).collect();
    let mut written = parts[0].to_owned();
    assert!(parts.len() > 1, "{}: no {}", path.display(), marks.0);
    for part in &parts[1..] {
        let (_, after) = part.split_once(marks.1).expect("a mark at the end");
        written.extend([marks.0, expected, marks.1, after]);
    }
    if std::env::var_os("RELINK_BLESS").is_some() {
        fs::write(path, written).expect("written");
        return;
    }
    assert!(document == written, "{}: other problems; RELINK_BLESS=1 writes them", path.display());
}

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn the_documentation_has_the_problems() {
    let mut problems = "\n| problem | the reference |\n|---|---|\n".to_owned();
    let mut warnings = "\n| code | the reference | source |\n|---|---|---|\n".to_owned();
    let all = explained();
    assert!(all.len() > 20, "{}", all.len());
    for Explained { name, words, source } in &all {
        match source {
            Some(source) => writeln!(warnings, "| `{name}` | {words} | {source} |"),
            None => writeln!(problems, "| `{name}` | {words} |"),
        }
        .expect("it is written");
    }
    let page = in_repository("docs/commands.md");
    let marks = ("<!-- problems -->\n", "\n<!-- end of problems -->");
    has_between(&page, marks, &problems);
    has_between(&page, ("<!-- lint -->\n", "\n<!-- end of lint -->"), &warnings);
}

#[test]
fn the_schema_has_the_problems() {
    let names: Vec<_> = explained().iter().map(|problem| format!("\"{}\"", problem.name)).collect();
    let expected = names.join(",\n            ");
    let marks = ("\"problem\": {\n          \"enum\": [\n            ", "\n          ]");
    has_between(&in_repository("docs/schema/relink.json"), marks, &expected);
}
