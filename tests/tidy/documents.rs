//! The documentation: its size, and the links between its files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The files with links that are checked, besides those in `docs/`.
const FILES: [&str; 5] =
    ["README.md", "ARCHITECTURE.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"];

/// Returns the names and texts of all documents, relative to the root.
fn documents() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| {
        let name = entry.unwrap().file_name();
        format!("docs/{}", name.to_str().expect("a name in UTF-8"))
    });
    let names = FILES.map(str::to_owned).into_iter().chain(docs);
    names
        .filter(|name| name.ends_with(".md"))
        .map(|name| {
            let text = fs::read_to_string(root.join(&name));
            (name.clone(), text.unwrap_or_else(|error| panic!("{name}: {error}")))
        })
        .collect()
}

/// Returns the lines of a document that are not code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_fenced = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        !is_fenced && !is_fence && !line.starts_with("    ")
    })
}

/// Returns the anchors of the headings, as GitHub forms them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for line in prose(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let anchor: String = title
            .trim()
            .to_lowercase()
            .chars()
            .filter(|char| char.is_alphanumeric() || " -_".contains(*char))
            .map(|char| if char == ' ' { '-' } else { char })
            .collect();
        let numbered = (1..).map(|n| format!("{anchor}-{n}"));
        let mut candidates = std::iter::once(anchor.clone()).chain(numbered);
        anchors.extend(candidates.find(|candidate| !anchors.contains(candidate)));
    }
    anchors
}

/// Returns the targets of the links in a document, without those in code.
fn links(text: &str) -> Vec<String> {
    // Links may be broken over lines between words.
    let text: String = prose(text).flat_map(|line| [line, "\n"]).collect();
    let outside: String = text.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let targets = outside.split("](").skip(1);
    targets.filter_map(|rest| rest.split_once(')').map(|(target, _)| target.to_owned())).collect()
}

/// Returns what is wrong with the relative links of the documents.
fn broken_links(
    documents: &BTreeMap<String, String>,
    exists: impl Fn(&Path) -> bool,
) -> Vec<String> {
    let mut broken = Vec::new();
    for (name, text) in documents {
        for link in links(text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (path, fragment) = match link.split_once('#') {
                Some((path, fragment)) => (path, Some(fragment)),
                None => (link.as_str(), None),
            };
            let target = match path {
                "" => name.clone(),
                path => join(name, path),
            };
            if !exists(Path::new(&target)) {
                broken.push(format!("{name}: {link}: there is no file {target}"));
                continue;
            }
            let Some(fragment) = fragment else { continue };
            let has_anchor =
                documents.get(&target).is_some_and(|text| anchors(text).contains(fragment));
            if !has_anchor {
                broken.push(format!("{name}: {link}: {target} has no such heading"));
            }
        }
    }
    broken
}

/// Resolves a relative path against the document that contains it.
fn join(document: &str, path: &str) -> String {
    let mut segments: Vec<&str> = document.split('/').collect();
    segments.pop();
    for segment in path.split('/') {
        match segment {
            ".." => drop(segments.pop()),
            "." => {}
            segment => segments.push(segment),
        }
    }
    segments.join("/")
}

#[test]
fn the_readme_is_short() {
    let n = documents()["README.md"].len();
    assert!(n <= 8192, "README.md has {n} bytes: details belong in docs/");
}

#[test]
fn the_architecture_can_be_read_at_once() {
    let n = documents()["ARCHITECTURE.md"].lines().count();
    assert!(n <= 250, "ARCHITECTURE.md has {n} lines: how to add something is in CONTRIBUTING.md");
}

/// What only contributors need is in their part of the book.
#[test]
fn the_pages_for_users_are_short() {
    let documents = documents();
    let summary = &documents["docs/SUMMARY.md"];
    let (users, contributors) =
        summary.split_once("# For contributors").expect("the part for contributors");
    assert!(users.contains("# For users") && links(contributors).len() > 3);
    let pages = links(users).into_iter().filter(|page| !page.is_empty());
    let counts = pages.map(|page| {
        let n = documents[&format!("docs/{page}")].split_whitespace().count();
        (n, page)
    });
    let mut counts: Vec<(usize, String)> = counts.collect();
    counts.sort();
    let n: usize = counts.iter().map(|(n, _)| n).sum();
    assert!(counts.len() > 10 && n <= 25_000, "{n} words: {counts:?}");
}

#[test]
fn relative_links_lead_to_files_and_headings() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let documents = documents();
    let n_links: usize = documents.values().map(|text| links(text).len()).sum();
    assert!(n_links > 50, "{n_links} links");
    crate::none("broken links", &broken_links(&documents, |path| root.join(path).exists()));
}

#[test]
fn the_readme_links_every_page_of_the_documentation() {
    let documents = documents();
    let linked = links(&documents["README.md"]);
    let missing: Vec<String> = (documents.keys())
        // The table of contents of the book.
        .filter(|name| !["README.md", "docs/SUMMARY.md"].contains(&name.as_str()))
        .filter(|name| !linked.contains(name))
        .cloned()
        .collect();
    crate::none("pages that README.md does not link", &missing);
}

#[test]
fn files_that_the_documents_name_exist() {
    const DIRECTORIES: [&str; 6] = ["crates/", "tests/", "benches/", "fuzz/", "fixtures/", "docs/"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let documents = documents();
    let mut missing = Vec::new();
    for document in ["CONTRIBUTING.md", "SECURITY.md"] {
        let text: Vec<&str> = prose(&documents[document]).collect();
        let text = text.join("\n");
        let names: Vec<&str> = (text.split('`').skip(1).step_by(2))
            .filter(|code| DIRECTORIES.iter().any(|directory| code.starts_with(directory)))
            .filter(|code| !code.contains([' ', '*', '{']))
            .collect();
        assert!(names.len() > 10, "{document}: {names:?}");
        let absent = names.into_iter().filter(|name| !root.join(name).exists());
        missing.extend(absent.map(|name| format!("{document}: {name}")));
    }
    crate::none("files that are named and do not exist", &missing);
}

/// A decision names its tests; a name of a test has at least three words.
#[test]
fn tests_that_the_decisions_name_exist() {
    let documents = documents();
    let decisions = &documents["docs/decisions.md"];
    let is_test = |code: &&str| {
        let is_name =
            |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_';
        code.chars().all(is_name) && code.matches('_').count() >= 2
    };
    let named: Vec<&str> = decisions.split('`').skip(1).step_by(2).filter(is_test).collect();
    assert!(named.len() > 100, "{} names", named.len());
    let sources = super::sources();
    let functions: BTreeSet<&str> = (sources.iter())
        .flat_map(|(_, text)| text.split("fn ").skip(1))
        .filter_map(|rest| rest.split(['(', '<']).next())
        .collect();
    let absent = named.into_iter().filter(|name| !functions.contains(name));
    let absent: Vec<String> = absent.map(ToOwned::to_owned).collect();
    crate::none("tests that docs/decisions.md names and that do not exist", &absent);
}

#[test]
fn broken_links_are_found() {
    let text = "# A `b` -- c!\n# X\n## X\n[a](#a-b----c) [b](#x-1) [c](docs/b.md#one)\n\
                [d](docs/none.md) [e](#x-2) [f](docs/b.md#two) [g](https://h.example/#y)\n\
                `[h](none)`\n\n    [i](none)\n```\n[j](none)\n```\n";
    let documents = BTreeMap::from([
        ("README.md".to_owned(), text.to_owned()),
        ("docs/b.md".to_owned(), "# One\n[a](../README.md#x) [b](b.md) [c](one)\n".to_owned()),
    ]);
    let exists = |path: &Path| documents.contains_key(path.to_str().unwrap());
    assert_eq!(
        broken_links(&documents, exists),
        [
            "README.md: docs/none.md: there is no file docs/none.md",
            "README.md: #x-2: README.md has no such heading",
            "README.md: docs/b.md#two: docs/b.md has no such heading",
            "docs/b.md: one: there is no file docs/one",
        ]
    );
}
