//! Runs without a journal are killed at each of their calls: they write single files, into an OUT
//! that exists or beside it. Each file is wholly old or wholly new, and the same command, typed
//! again, ends as an undisturbed run does and leaves nothing behind.

use std::fs;
use std::path::Path;

use crate::calls::{Fault, each_call, has_strace, traced};
use crate::tree::{ABSOLUTE, Case, Place, Tree, first_tree, report, same};

/// The names of temporary files begin with this.
const TEMPORARY: &str = ".relink-";

/// A file with its manifest, files and reports beside a directory that exists, redirects, a
/// message.
const CASES: [Case; 5] = [
    Case::new(
        "absolutize site/d0/page0.html --base http://h.example/ -o outside.html --force --manifest run.jsonl -q",
        "",
    ),
    Case::new(
        "absolutize site --base http://h.example/ -o more --update --report report.html -q",
        "",
    ),
    UPDATE,
    Case::new(
        "move site --base http://h.example/ --rule s|^/d1/|/new/| --redirects nginx=redirects.conf -o more --force -q",
        "",
    ),
    Case::new("pack site/uses.html --base http://h.example/ -o page.mhtml --force -q", ""),
];

/// It keeps stamps.
const UPDATE: Case = Case::new("absolutize site --base http://h.example/ -o more --update -q", "");

/// The files without the report, which says when it was written.
fn comparable(tree: &Tree) -> Tree {
    let mut tree = tree.clone();
    tree.remove(Path::new("report.html"));
    tree
}

/// An update opens no file of either tree if nothing has changed, and all if something has.
#[test]
fn an_update_without_changes_opens_no_file() {
    if !has_strace() {
        return;
    }
    let place = Place::new(&UPDATE, first_tree(3, 3));
    assert!(place.run(UPDATE.line).status.success());
    let opened = || {
        let output = traced(&place, UPDATE.line, None);
        assert!(output.status.success(), "{}", report(&output));
        let log = fs::read_to_string(place.beside("log")).unwrap();
        let is_file = |line: &&str| line.contains("openat(") && !line.contains("O_DIRECTORY");
        let is_in_tree = |line: &&str| ["/site/", "/more/"].iter().any(|root| line.contains(root));
        log.lines().filter(is_file).filter(is_in_tree).count()
    };
    assert_eq!(opened(), 0);
    fs::write(place.path().join("site/new.txt"), "new").unwrap();
    let n_files = place.tree().len();
    assert!(opened() > n_files / 4, "{n_files} files");
    assert_eq!(opened(), 0);
}

/// An undo opens each document once, and the first one also to recognize the tree; it reads a small
/// one in one piece. `verify` too.
#[test]
fn undo_and_verify_read_each_document_once() {
    if !has_strace() {
        return;
    }
    const MANIFEST: &str = "../manifest.jsonl";
    let run = format!("{} --manifest {MANIFEST}", ABSOLUTE.line);
    let place = Place::new(&ABSOLUTE, first_tree(3, 3));
    let first = place.tree();
    assert!(place.run(&run).status.success());
    let now = place.tree();
    let n_changed = first.iter().filter(|(path, node)| now.get(*path) != Some(node)).count();
    for command in ["verify", "undo"] {
        let line = format!("{command} --manifest {MANIFEST} site");
        let output = traced(&place, &line, None);
        assert!(output.status.success(), "{}", report(&output));
        let log = fs::read_to_string(place.beside("log")).unwrap();
        let is_directory = |line: &&str| line.contains("O_DIRECTORY");
        let calls = || log.lines().filter(|line| line.contains("/site") && !is_directory(line));
        let count = |call: &str| calls().filter(|line| line.contains(call)).count();
        assert_eq!(count("O_RDONLY|O_NONBLOCK"), n_changed + 1, "{line}: {log}");
        assert_eq!(count(" read("), n_changed + 1, "{line}: {log}");
    }
    same(&place.tree(), &first, "undone");
}

#[test]
fn each_call_is_the_last() {
    if !has_strace() {
        return;
    }
    let mut n_left = 0;
    for case in &CASES {
        let place = Place::in_memory(case, first_tree(3, 3));
        let (first, last) = (comparable(&place.first), comparable(&place.last));
        let left = std::cell::Cell::new(0);
        each_call(&place, "first", case.line, Fault::Killed, |after, _| {
            let now = comparable(&place.tree());
            for (path, node) in &now {
                let is_whole = [&first, &last].iter().any(|tree| tree.get(path) == Some(node));
                assert!(is_whole, "{after}: {} is neither old nor new", path.display());
            }
            assert!(first.keys().all(|path| now.contains_key(path)), "{after}: a file is lost");
            left.set(left.get() + u32::from(!place.has_no_notes()));
            let again = place.run(case.line);
            assert!(again.status.success(), "{after}, again: {}", report(&again));
            same(&comparable(&place.tree()), &last, after);
            place.nothing_is_left(after);
        });
        n_left += left.get();
    }
    assert!(n_left > 0, "no killed run has left a file {TEMPORARY}…");
}
