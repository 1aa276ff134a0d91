//! `--diff`: what `patch -p1` makes of it is what `-o` writes.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::dir::{Run, TestDir};

/// Applies the output of a run to the directory; false, and a word about it, where there is no
/// `patch`.
#[track_caller]
fn is_patched(dir: &TestDir, directory: &str, run: &Run) -> bool {
    if !crate::tools::has("patch", &["--version"]) {
        return false;
    }
    fs::write(dir.path("the.diff"), &run.stdout).unwrap();
    let patch = Command::new("patch")
        .args(["-p1", "--binary", "--batch", "-i", "../the.diff"])
        .current_dir(dir.path(directory))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&patch.stdout).into_owned();
    assert!(patch.status.success(), "patch says:\n{said}{run}");
    true
}

/// Diffs `site`, applies that to it, and compares with the output of `-o`.
#[track_caller]
fn check(dir: &TestDir, base: &str) {
    let run = dir.relink(&format!("absolutize site --base {base} --diff -q")).exits(0);
    dir.relink(&format!("absolutize site --base {base} -o out -q")).exits(0);
    if is_patched(dir, "site", &run) {
        for (path, node) in dir.tree("out") {
            use crate::dir::Node::File;
            let File { bytes: expected, .. } = node else { continue };
            let is_same = dir.bytes(Path::new("site").join(&path)) == expected;
            assert!(is_same, "{} differs{run}", path.display());
        }
        assert!(dir.tree("site").keys().eq(dir.tree("out").keys()));
    }
}

#[test]
fn a_patched_site_is_the_output() {
    check(&TestDir::with_site(), "http://www.harbour-light.example/");
}

#[test]
fn line_ends_and_bytes_that_are_no_text_stay() {
    let dir = TestDir::new();
    dir.file("site/crlf.html", "<p>\r\n<a href=x>\r\n<p>\r\n");
    dir.file("site/cr.html", "<p>\r<a href=x>\r<p>\r");
    dir.file("site/mixed.html", "<p>\r\n<a href=x>\n<p>\r<a href=y>\r\r\n");
    dir.file("site/latin1.html", b"<p>caf\xE9\n<a href=caf\xE9>\n");
    dir.file("site/nul.html", b"<p>\0\n<a href=x>\n\x1A\n");
    dir.file("site/open.html", "<p>\n<a href=x>");
    dir.file("site/long.html", "<p>1\n2\n3\n4\n<a href=x>\n5\n6\n7\n8\n9\n<a href=y>\n10\n");
    check(&dir, "http://h/");
}

#[test]
fn names_with_spaces_can_be_patched() {
    let dir = TestDir::with(&[("site/a folder/a page.html", "<a href=x>\n")]);
    check(&dir, "http://h/");
}

#[test]
fn names_with_control_characters_or_no_text_can_be_patched() {
    let dir = TestDir::new();
    for name in [&b"tab\there.html"[..], b"new\nline.html", b"caf\xE9.html", b"quo\"te\\.html"] {
        dir.file(Path::new("site").join(OsStr::from_bytes(name)), "<a href=x>\n");
    }
    check(&dir, "http://h/");
}

#[test]
fn names_of_several_paths_are_those_below_the_output() {
    let dir =
        TestDir::with(&[("in/one/a.html", "<a href=x>\n"), ("in/two/a.html", "<a href=y>\n")]);
    let maps = "--map in/one=http://one/ --map in/two=http://two/";
    let run =
        dir.relink(&format!("absolutize in/one in/two {maps} --diff -q")).exits(0).reports("");
    let names: Vec<_> = run.text().lines().filter(|line| line.starts_with("+++")).collect();
    assert_eq!(names, ["+++ b/one/a.html", "+++ b/two/a.html"]);
    if is_patched(&dir, "in", &run) {
        assert_eq!(dir.text("in/two/a.html"), "<a href=http://two/y>\n");
    }
}

#[test]
fn a_single_file_has_its_name_in_the_diff() {
    let dir = TestDir::with(&[("in/a.html", "<a href=x>\n")]);
    let run = dir.relink("absolutize in/a.html --base http://h/ --diff -q").exits(0).reports("");
    assert!(run.text().starts_with("--- a/a.html\n+++ b/a.html\n"), "{run}");
    if is_patched(&dir, "in", &run) {
        assert_eq!(dir.text("in/a.html"), "<a href=http://h/x>\n");
    }
}

#[test]
fn nothing_to_change_is_an_empty_diff() {
    let dir = TestDir::with(&[("site/a.html", "<a href=http://h/x>"), ("site/t.txt", "x")]);
    dir.relink("absolutize site --base http://h/ --diff -q").exits(0).reports("").prints("");
}
