//! The tree that `absolutize` writes: the same files in the same places with the same modes and
//! times, and no byte changed but references.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::dir::{Node, TestDir};

const BASE: &str = "http://www.harbour-light.example/";

/// Gives every file and directory of a tree a time of its own, long ago.
fn age(dir: &TestDir, name: &str) {
    let paths: Vec<PathBuf> = dir.tree(name).into_keys().collect();
    // Setting the time of what is in a directory does not touch the directory.
    for (days, path) in (1..).zip(paths) {
        let path = if path.as_os_str().is_empty() {
            PathBuf::from(name)
        } else {
            Path::new(name).join(path)
        };
        let file = File::open(dir.path(path)).expect("it can be opened");
        let modified = SystemTime::UNIX_EPOCH + Duration::new(days * 86_400, 123_456_700);
        file.set_modified(modified).expect("its time can be set");
    }
}

#[cfg(unix)]
fn chmod(dir: &TestDir, name: &str, mode: u32) {
    let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
    fs::set_permissions(dir.path(name), permissions).expect("a mode can be set");
}

#[cfg(not(unix))]
fn chmod(_: &TestDir, _: &str, _: u32) {}

/// The same tree, but for the bytes of `documents`, which must differ.
#[track_caller]
fn check_same_but(dir: &TestDir, before: &str, after: &str, documents: &[&str]) {
    let (mut before, mut after) = (dir.tree(before), dir.tree(after));
    let names =
        |tree: &std::collections::BTreeMap<PathBuf, Node>| tree.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&before), names(&after));
    for document in documents {
        let nodes = [&mut before, &mut after].map(|tree| tree.get_mut(Path::new(document)));
        let [Some(Node::File { bytes: old, .. }), Some(Node::File { bytes: new, .. })] = nodes
        else {
            panic!("{document} is no file");
        };
        assert!(old != new, "{document} is as it was");
        old.clear();
        new.clear();
    }
    for (path, node) in &before {
        assert!(after[path] == *node, "{}:\n{node:?}\n{:?}", path.display(), after[path]);
    }
}

/// The documents of `fixtures/site` that hold a reference that is not absolute.
const CHANGED: [&str; 22] = [
    "about",
    "app/form.html",
    "css/main.css",
    "css/theme/night.css",
    "embed/chart.html",
    "embed/plugins.html",
    "embed/srcdoc.html",
    "frames.html",
    "gallery.html",
    "index.html",
    "jp/index.html",
    "jp/utf16.html",
    "jp/utf8bom.html",
    "log/2002/data-base.html",
    "log/2002/empty-base.html",
    "log/2002/late-base.html",
    "log/2002/march.html",
    "log/2002/scans/0309.html",
    "log/index.html",
    "menu.htm",
    "news.html",
    "photos of boats/100% true.html",
];

#[test]
fn a_tree_keeps_its_names_modes_times_and_other_files() {
    let dir = TestDir::with_site();
    dir.directory("site/nothing/in here");
    dir.file("site/.hidden.html", "<a href=x>");
    dir.file("site/.well-known/page.html", "<a href=../x>");
    dir.file("site/every-byte.bin", (0..=255).collect::<Vec<u8>>());
    dir.file("site/looks-like.js", "url(x) <a href=x>");
    dir.file("site/page.html~", "<p>a backup</p><a href=x>");
    chmod(&dir, "site/.hidden.html", 0o600);
    chmod(&dir, "site/index.html", 0o755);
    chmod(&dir, "site/every-byte.bin", 0o4711);
    chmod(&dir, "site/nothing", 0o2750);
    chmod(&dir, "site/log", 0o500);
    chmod(&dir, "site", 0o711);
    age(&dir, "site");
    dir.relink(&format!("absolutize site --base {BASE} -o out -q")).exits(0).prints("").reports("");
    chmod(&dir, "site/log", 0o700);
    chmod(&dir, "out/log", 0o700);
    let others = [".hidden.html", ".well-known/page.html", "page.html~"];
    check_same_but(&dir, "site", "out", &[&CHANGED[..], &others].concat());
    assert_eq!(
        dir.text("out/.well-known/page.html"),
        "<a href=http://www.harbour-light.example/x>"
    );
}

#[test]
fn a_directory_is_named_in_any_way() {
    let spellings =
        [("site", "out"), ("site/", "out/"), ("./site", "./out"), ("site/.", "x/../out")];
    for (path, out) in spellings {
        let dir = TestDir::with(&[("site/a/b.html", "<a href=c>"), ("x/y", "")]);
        dir.relink(&format!("absolutize {path} --base http://h/ -o {out} -q")).exits(0).reports("");
        assert_eq!(dir.text("out/a/b.html"), "<a href=http://h/a/c>", "{path} {out}");
    }
}

#[test]
fn directories_above_the_output_are_made() {
    let dir = TestDir::with(&[("site/a.html", "<a href=x>")]);
    dir.relink("absolutize site --base http://h/ -o new/and/deep -q").exits(0).reports("");
    assert_eq!(dir.text("new/and/deep/a.html"), "<a href=http://h/x>");
}

#[test]
fn a_file_is_written_to_a_file() {
    let dir = TestDir::with(&[("a.html", "<a href=b>")]);
    chmod(&dir, "a.html", 0o640);
    age(&dir, "a.html");
    dir.relink("absolutize a.html --base http://h/d/a.html -o b.html -q").exits(0).reports("");
    assert_eq!(dir.text("b.html"), "<a href=http://h/d/b>");
    check_same_but(&dir, "a.html", "b.html", &[""]);
}

#[test]
fn a_file_that_is_no_document_is_copied() {
    let dir = TestDir::with(&[("a.txt", "<a href=b>")]);
    dir.relink("absolutize a.txt --base http://h/ -o b.txt -q").exits(0).reports("");
    dir.relink("absolutize a.txt --base http://h/ -o - -q")
        .exits(0)
        .reports("")
        .prints("<a href=b>");
    assert_eq!(dir.text("b.txt"), "<a href=b>");
}

#[test]
fn several_paths_are_written_below_the_output_by_name() {
    let dir = TestDir::with(&[
        ("one/a.html", "<a href=x>"),
        ("deep/two/b.html", "<a href=x>"),
        ("deep/c.html", "<a href=x>"),
    ]);
    let maps = "--map one=http://one/ --map deep/two=http://two/ --map deep/c.html=http://c/c.html";
    dir.relink(&format!("absolutize one deep/two deep/c.html {maps} -o out -q"))
        .exits(0)
        .reports("");
    assert_eq!(dir.text("out/one/a.html"), "<a href=http://one/x>");
    assert_eq!(dir.text("out/two/b.html"), "<a href=http://two/x>");
    assert_eq!(dir.text("out/c.html"), "<a href=http://c/x>");
}

#[test]
fn several_files_need_no_directory_among_them() {
    let dir = TestDir::with(&[("a.html", "<a href=x>"), ("b.html", "<a href=y>")]);
    let maps = "--map a.html=http://h/a.html --map b.html=http://h/b.html";
    dir.relink(&format!("absolutize a.html b.html {maps} -o out -q")).exits(0).reports("");
    assert_eq!(dir.text("out/a.html"), "<a href=http://h/x>");
    assert_eq!(dir.text("out/b.html"), "<a href=http://h/y>");
}

#[test]
fn a_second_run_changes_nothing() {
    let dir = TestDir::with_site();
    dir.relink(&format!("absolutize site --base {BASE} -o once -q")).exits(0).prints("");
    dir.relink(&format!("absolutize once --base {BASE} -o twice -q")).exits(0).prints("");
    check_same_but(&dir, "once", "twice", &[]);
}

#[test]
fn the_slash_that_is_added_to_the_url_of_a_directory_is_reported() {
    let dir = TestDir::with(&[("site/a.html", "<a href=x>")]);
    let note = "site: its URL is read as http://h/d/; the URL of a directory ends with a slash\n";
    let run = dir.relink("absolutize site --base http://h/d --diff").exits(0);
    assert!(run.stderr.starts_with(note), "{run}");
    assert!(run.text().contains("+<a href=http://h/d/x>"), "{run}");
    dir.relink("absolutize site --base http://h/d -o out -q").exits(0).reports("");
    assert_eq!(dir.text("out/a.html"), "<a href=http://h/d/x>");
    // The URL of a file needs none.
    let run = dir.relink("absolutize site/a.html --base http://h/d -o -").exits(0);
    assert!(!run.stderr.contains("ends with a slash"), "{run}");
}
