//! `fixtures/xml`: what the examples of the specifications show, there and back; and what is not
//! well-formed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::trees::{self, BASE};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/xml")
}

#[test]
fn there_and_back() {
    if !crate::tools::has("python3", &["--version"]) {
        return;
    }
    let verdict = trees::check("fixtures/xml", &directory());
    assert!(verdict.n("references") > 200 && verdict.n("changed") > 150);
}

/// Every slot of XML is in a document, and each document that has a relative reference is changed.
#[test]
fn every_slot_is_there() {
    let directory = directory();
    let path = directory.to_str().unwrap();
    let json = |args: &[&str]| -> Vec<Value> {
        let output = trees::relink(args);
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let name = |value: &Value| value["slot"].as_str().unwrap().to_owned();
    let references = json(&["refs", path, "--base", BASE, "--format", "json", "-q"]);
    let embedded = references.iter().flat_map(|line| line["embedded"].as_array().unwrap());
    let found: BTreeSet<String> = references.iter().chain(embedded).map(name).collect();
    let formats = [
        "*[",
        "atom ",
        "math ",
        "ncx ",
        "opensearch ",
        "opf ",
        "opml ",
        "rng:",
        "rss ",
        "sitemap ",
        "svg ",
        "xi:",
        "xml",
        "xs:",
        "xsl:",
    ];
    let slots = json(&["slots", "--format", "json"]);
    let is_xml = |slot: &String| formats.iter().any(|format| slot.starts_with(format));
    let missing: Vec<String> =
        slots.iter().map(name).filter(is_xml).filter(|slot| !found.contains(slot)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_judge_in_python_sees_what_is_wrong() {
    crate::tools::passes("tests/xml/trees_test.py");
}

/// Each broken document is reported as `broken/expected.txt` has it, and stays as it is; the others
/// are done.
#[test]
fn what_is_not_well_formed_is_reported() {
    let scratch = tempfile::tempdir().unwrap();
    let broken = directory().join("broken");
    let tree = scratch.path().join("tree");
    fs::create_dir(&tree).unwrap();
    let mut expected = Vec::new();
    for line in fs::read_to_string(broken.join("expected.txt")).unwrap().lines() {
        let name = line.split(':').next().unwrap();
        fs::copy(broken.join(name), tree.join(name)).unwrap();
        expected.push(line.to_owned());
    }
    assert_eq!(expected.len() + 1, trees::files(&broken).len());
    fs::write(tree.join("fine.xml"), "<rss><link>x</link></rss>").unwrap();
    let out = scratch.path().join("out");
    let args = [tree.to_str().unwrap(), "-o", out.to_str().unwrap(), "--base", BASE];
    let run = trees::relink(&[&["absolutize"], &args[..]].concat());
    assert_eq!(run.status.code(), Some(2));
    let report = trees::reported_malformed(&run, &tree);
    let lines: Vec<String> = report
        .iter()
        .map(|(path, (line, column, reason))| format!("{path}:{line}:{column}: {reason}"))
        .collect();
    assert_eq!(lines, expected);
    let (before, after) = (trees::files(&tree), trees::files(&out));
    for (path, bytes) in &after {
        let is_fine = path == Path::new("fine.xml");
        assert_eq!(is_fine, *bytes != before[path], "{}", path.display());
    }
}
