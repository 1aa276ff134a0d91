//! `--in-place`: documents are written over, each in one step, and nothing else is touched.
//! `--backup`, `--exit-code`, `--color`.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::dir::{Node, TestDir};
use crate::held::{Held, MANY, ONE_THREAD};
use crate::words::{self, CANNOT_WRITE, INVALID_VALUE};

const PAGE: &str = "<a href=x>\n";
const ABSOLUTE: &str = "<a href=http://h/x>\n";
const RUN: &str = "absolutize site --base http://h/ --in-place -q";

fn site() -> TestDir {
    TestDir::with(&[
        ("site/a.html", PAGE),
        ("site/done.html", "<a href=http://h/y>\n"),
        ("site/picture.png", "not a picture"),
    ])
}

#[test]
fn only_documents_that_change_are_written() {
    let dir = site();
    let inode = |name: &str| fs::metadata(dir.path(name)).unwrap().ino();
    let before = ["site/done.html", "site/picture.png"].map(inode);
    let run = dir.relink("absolutize site --base http://h/ --in-place").exits(0).prints("");
    let report = &format!("{}; 1 other file unchanged\n", words::changed(2, 1));
    assert!(run.stderr.starts_with(report), "{run}");
    assert_eq!(dir.text("site/a.html"), ABSOLUTE);
    assert_eq!(["site/done.html", "site/picture.png"].map(inode), before);
    let tree = dir.tree("site");
    dir.relink(RUN).exits(0).reports("").prints("");
    assert_eq!(dir.tree("site"), tree);
}

#[test]
fn a_document_keeps_all_but_its_references() {
    let dir = site();
    let path = dir.path("site/a.html");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(800_000_000);
    fs::File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
    let has_attributes = xattr::set(&path, "user.origin", b"http://h/a\0b").is_ok();
    if !has_attributes {
        crate::tools::skipped("no extended attributes on this file system");
    }
    // Only the super-user can give files away, and then the owner must stay.
    let is_given = std::os::unix::fs::chown(&path, Some(1234), Some(4321)).is_ok();
    dir.relink(RUN).exits(0).reports("");
    assert_eq!(dir.text("site/a.html"), ABSOLUTE);
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!(metadata.mode() & 0o7777, 0o640);
    assert_eq!(metadata.modified().unwrap(), long_ago);
    if is_given {
        assert_eq!((metadata.uid(), metadata.gid()), (1234, 4321));
    }
    if has_attributes {
        let value = xattr::get(&path, "user.origin").unwrap();
        assert_eq!(value.as_deref(), Some(&b"http://h/a\0b"[..]));
    }
    let names: Vec<_> = dir.tree("site").into_keys().collect();
    assert_eq!(names.len(), 4, "nothing is left behind: {names:?}");
}

#[test]
fn backups() {
    let dir = site();
    dir.relink(&format!("{RUN} --backup")).exits(0).reports("");
    assert_eq!(dir.text("site/a.html.orig"), PAGE);
    assert!(!dir.has("site/done.html.orig"));
    // The older one is the more precious.
    dir.file("site/a.html", "<a href=z>");
    dir.relink(&format!("{RUN} --backup")).fails(
        "site/a.html.orig: cannot create the backup; a file with this name exists already; use `relink undo` to revert the run that made it, move it away, or use `--backup=SUFFIX` to set another suffix",
    );
    assert_eq!(
        (dir.text("site/a.html"), dir.text("site/a.html.orig")),
        ("<a href=z>".into(), PAGE.into())
    );
    let run = dir.relink(&format!("{RUN} --backup --format json")).exits(2);
    let summary = run.summary();
    assert_eq!((&summary["changed"], &summary["failed"]), (&0.into(), &1.into()), "{run}");
    dir.relink(&format!("{RUN} --backup=~")).exits(0).reports("");
    assert_eq!(
        (dir.text("site/a.html"), dir.text("site/a.html~")),
        ("<a href=http://h/z>".into(), "<a href=z>".into())
    );
    // What was kept is no document, whatever it looks like.
    dir.file("site/b.html", "<!doctype html><a href=z>");
    dir.file("site/c.html~", "<!doctype html><a href=z>");
    dir.relink(&format!("{RUN} --backup=~")).exits(0).reports("");
    assert_eq!(dir.text("site/c.html~"), "<!doctype html><a href=z>");
    for read in [".htm", ".mbox", ".warc", ".gz", ".eml"] {
        dir.relink(&format!("{RUN} --backup={read}"))
            .fails(&format!("error: {INVALID_VALUE} '{read}' for --backup; backups with this suffix would be read as documents; use a suffix such as .orig"));
    }
    for wrong in ["", "/x"] {
        dir.relink(&format!("{RUN} --backup={wrong}"))
            .fails(&format!("error: {INVALID_VALUE} '{wrong}' for --backup; expected the end of a file name, such as .orig"));
    }
}

#[test]
fn links_are_not_written_through() {
    let dir = site();
    dir.file("outside/b.html", PAGE);
    symlink("../outside/b.html", dir.path("site/link.html")).unwrap();
    symlink("../outside", dir.path("site/folder")).unwrap();
    dir.relink(RUN).exits(0).reports("");
    assert_eq!(dir.text("outside/b.html"), PAGE);
    assert_eq!(
        dir.tree("site")[std::path::Path::new("link.html")],
        Node::Link("../outside/b.html".into())
    );
    dir.relink("absolutize site/link.html --base http://h/ --in-place")
        .fails("site/link.html: cannot write in place; it is a symbolic link; use the file that it points to");
    // A directory may be named by a link.
    symlink("outside", dir.path("shortcut")).unwrap();
    dir.relink("absolutize shortcut --base http://h/ --in-place -q").exits(0).reports("");
    assert_eq!(dir.text("outside/b.html"), ABSOLUTE);
}

#[test]
fn read_only_files() {
    let dir = site();
    dir.file("site/b/c.html", PAGE);
    fs::set_permissions(dir.path("site/a.html"), fs::Permissions::from_mode(0o444)).unwrap();
    dir.relink(RUN)
        .fails("site/a.html: cannot write; the file is read-only; make it writable to convert it");
    assert_eq!(
        (dir.text("site/a.html"), dir.text("site/b/c.html")),
        (PAGE.into(), "<a href=http://h/b/x>\n".into())
    );
}

#[test]
fn the_exit_code_reports_of_changes() {
    let dir = site();
    let dry = "absolutize site --base http://h/ --dry-run -q";
    dir.relink(dry).exits(0);
    dir.relink(&format!("{dry} --exit-code")).exits(1).reports("").prints("");
    dir.relink(&format!("{RUN} --exit-code")).exits(1);
    dir.relink(&format!("{RUN} --exit-code")).exits(0);
    dir.file("site/deep.html", "<p>".repeat(10) + &"<div>".repeat(600));
    dir.relink(&format!("{RUN} --engine reference --exit-code")).exits(2);
}

#[test]
fn a_diff_beside_the_writing() {
    let dir = site();
    let diff = "--- a/a.html\n+++ b/a.html\n@@ -1 +1 @@\n-<a href=x>\n+<a href=http://h/x>\n";
    dir.relink("absolutize site --base http://h/ --diff --dry-run --in-place -q")
        .exits(0)
        .prints(diff);
    dir.relink("absolutize site --base http://h/ --diff -q").exits(0).prints(diff);
    assert_eq!(dir.text("site/a.html"), PAGE);
    let colours = "\x1b[1m--- a/a.html\x1b[m\n\x1b[1m+++ b/a.html\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n\
                   \x1b[31m-<a href=x>\x1b[m\n\x1b[32m+<a href=\x1b[7mhttp://h/\x1b[27mx>\x1b[m\n";
    dir.relink(&format!("{RUN} --diff --color always")).exits(0).prints(colours);
    assert_eq!(dir.text("site/a.html"), ABSOLUTE);
}

#[test]
fn what_cannot_be_requested() {
    let dir = site();
    dir.pipe("absolutize - --base http://h/ --in-place", b"<p>")
        .fails("error: cannot use --in-place with standard input; it is not a file; use `-o OUT` to write a file");
    for line in
        ["--in-place -o out", "--in-place --force", "-o out --backup", "-o out --scheme https"]
    {
        dir.relink(&format!("absolutize site --base http://h/ {line}")).exits(2).prints("");
    }
    assert_eq!(dir.text("site/a.html"), PAGE);
}

/// A run that is killed leaves whole files: old ones, new ones, and no broken ones. It is killed
/// when some are written over, which it reports one by one, and others are not.
#[test]
fn a_run_that_is_killed_leaves_whole_files() {
    let dir = TestDir::new();
    let page = "<a href=x>\n".repeat(2000);
    let name = |idx: usize| format!("site/{idx:03}.html");
    (0..3 * MANY).for_each(|idx| dir.file(name(idx), &page));
    let mut command: Command = dir.command(&ONE_THREAD);
    command.args(RUN.replace("-q", "-v").split(' '));
    drop(Held::begin(command, || dir.text(name(0)) != page));
    let absolute = page.replace("=x", "=http://h/x");
    let texts: Vec<String> = (0..3 * MANY).map(|idx| dir.text(name(idx))).collect();
    for (idx, text) in texts.iter().enumerate() {
        assert!(*text == page || *text == absolute, "{idx}");
    }
    assert!(texts.contains(&page) && texts.contains(&absolute));
}

#[test]
fn a_document_of_several_names_is_skipped_without_an_option() {
    let dir = TestDir::with(&[("site/a.html", PAGE), ("site/z.html", PAGE)]);
    fs::hard_link(dir.path("site/a.html"), dir.path("elsewhere.html")).unwrap();
    let run = dir.relink(RUN).exits(2);
    let report = format!(
        "site/a.html: {CANNOT_WRITE}; the file has 2 hard links, and the others would keep the old content; use `--break-hardlinks` to replace this link by a separate file\n"
    );
    assert_eq!(run.stderr, report);
    assert_eq!([dir.text("site/a.html"), dir.text("elsewhere.html")], [PAGE, PAGE]);
    assert_eq!(dir.text("site/z.html"), ABSOLUTE);
    assert_eq!(fs::read_dir(dir.path("site")).unwrap().count(), 2, "nothing is left behind");
    dir.relink(&format!("{RUN} --break-hardlinks --backup")).exits(0).reports("");
    assert_eq!(dir.text("site/a.html"), ABSOLUTE);
    assert_eq!([dir.text("site/a.html.orig"), dir.text("elsewhere.html")], [PAGE, PAGE]);
    dir.relink("absolutize site --base http://h/ --break-hardlinks -o out")
        .fails("error: cannot use --break-hardlinks without --in-place; other runs do not replace documents; add --in-place or remove --break-hardlinks");
}

/// The name of a backup that a run which was killed has made is none of the document's.
#[test]
fn the_name_of_a_backup_does_not_count() {
    let dir = TestDir::with(&[("site/a.html", PAGE)]);
    fs::hard_link(dir.path("site/a.html"), dir.path("site/a.html.orig")).unwrap();
    dir.relink(&format!("{RUN} --backup")).exits(0).reports("");
    assert_eq!([dir.text("site/a.html"), dir.text("site/a.html.orig")], [ABSOLUTE, PAGE]);
}

#[test]
fn what_is_durable_is_the_same() {
    let dir = site();
    dir.relink("absolutize site --base http://h/ -o out -q").exits(0).reports("");
    dir.relink("absolutize site --base http://h/ -o durable --durable -q").exits(0).reports("");
    assert_eq!(dir.tree("durable"), dir.tree("out"));
    dir.relink(&format!("{RUN} --durable")).exits(0).reports("");
    assert_eq!(dir.text("site/a.html"), ABSOLUTE);
}
