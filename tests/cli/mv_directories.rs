//! Directories are part of the tree: those that files leave or come to keep their rights, times,
//! attributes and empty directories, and after `undo` all are what they were.

#![cfg(unix)]

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::dir::{Node, TestDir};

/// A site with a directory of its own for everything that a run could lose.
fn site() -> TestDir {
    let dir = TestDir::with(&[
        ("site/index.html", "<a href=private/a.html>A</a> <a href=docs/b.html>B</a>\n"),
        ("site/private/a.html", "<a href=../docs/b.html>B</a>\n"),
        ("site/docs/b.html", "<a href=../private/a.html>A</a>\n"),
        ("site/docs/deep/c.html", "<a href=../b.html>B</a>\n"),
        ("site/busy/d.html", "D\n"),
    ]);
    dir.directory("site/archive");
    dir.directory("site/docs/empty/inner");
    for (idx, (name, mode)) in [
        ("docs/empty/inner", 0o700),
        ("docs/empty", 0o750),
        ("docs/deep", 0o2755),
        ("docs", 0o711),
        ("private", 0o700),
        ("archive", 0o750),
        ("busy", 0o755),
        ("", 0o755),
    ]
    .into_iter()
    .enumerate()
    {
        let path = dir.path("site").join(name);
        let age = Duration::from_secs(900_000_000 + idx as u64);
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        File::open(&path).unwrap().set_modified(SystemTime::UNIX_EPOCH + age).unwrap();
    }
    dir
}

#[test]
fn after_undo_directories_are_what_they_were() {
    for line in [
        // An empty directory that was there.
        "site/private/a.html site/archive",
        // The last file of a private directory.
        "site/private/a.html site/busy",
        // A directory as a whole, to a name that is new, or into another one.
        "site/docs site/manual",
        "site/docs site/busy",
        "site/docs site/private site/new/",
        // To places of which several parts are new.
        "site/docs/deep/c.html site/n/e/w.html",
    ] {
        let dir = site();
        let first = dir.tree("site");
        dir.relink(&format!("mv --tree site {line} -q")).exits(0);
        assert!(dir.tree("site") != first, "{line}");
        dir.relink("undo site -q").exits(0);
        let last = dir.tree("site");
        let is_other = |path: &&PathBuf| first.get(*path) != last.get(*path);
        let other: Vec<_> = first.keys().chain(last.keys()).filter(is_other).collect();
        assert!(other.is_empty(), "{line}: {other:?}");
    }
}

/// Rights that somebody has changed since the run stay, as files that were changed since do; those
/// of a directory that did not exist any more come back.
#[test]
fn rights_that_were_changed_since_stay() {
    let dir = site();
    dir.relink("mv --tree site site/private/a.html site/archive -q").exits(0);
    let mode = |name: &str| dir.path(name).metadata().unwrap().mode() & 0o7777;
    fs::set_permissions(dir.path("site/archive"), Permissions::from_mode(0o770)).unwrap();
    fs::set_permissions(dir.path("site/docs"), Permissions::from_mode(0o700)).unwrap();
    dir.relink("undo site -q").exits(0);
    let modes = ["site/archive", "site/docs", "site/private"].map(mode);
    assert_eq!(modes, [0o770, 0o700, 0o700]);
}

#[test]
fn a_directory_that_is_renamed_keeps_what_it_has() {
    let dir = site();
    let path = dir.path("site/docs");
    let has_attributes = xattr::set(&path, "user.note", b"a\0b").is_ok();
    // Only the superuser may give another group.
    let has_group = chown(&path, None, Some(4)).is_ok();
    fs::set_permissions(&path, Permissions::from_mode(0o2771)).unwrap();
    let first = dir.tree("site/docs");
    let old = path.metadata().unwrap();
    dir.relink("mv --tree site site/docs site/manual -q").exits(0);
    assert!(!dir.has("site/docs"), "nothing is left");
    let new = dir.path("site/manual").metadata().unwrap();
    assert_eq!((new.mode(), new.mtime()), (old.mode(), old.mtime()));
    if has_group {
        assert_eq!(new.gid(), 4);
    }
    if has_attributes {
        let value = xattr::get(dir.path("site/manual"), "user.note").unwrap();
        assert_eq!(value.as_deref(), Some(&b"a\0b"[..]));
    }
    // The empty ones are there too, each as it was.
    let last = dir.tree("site/manual");
    let directories = |tree: &std::collections::BTreeMap<_, Node>| {
        let is_directory = |node: &Node| matches!(node, Node::Directory { .. });
        tree.iter().filter(|(_, node)| is_directory(node)).count()
    };
    assert_eq!(directories(&first), directories(&last));
    for (path, node) in first.iter().filter(|(_, node)| matches!(node, Node::Directory { .. })) {
        assert!(last.get(path) == Some(node), "{}", path.display());
    }
}

/// What a program that watches a directory, or has it open, sees.
#[test]
fn a_directory_that_is_moved_whole_is_renamed_by_one_call() {
    let dir = site();
    let id = |name: &str| dir.path(name).metadata().unwrap().ino();
    let old = ["site/docs", "site/docs/deep", "site/docs/empty/inner"].map(id);
    dir.relink("mv --tree site site/docs site/new/manual -q").exits(0);
    let moved = ["site/new/manual", "site/new/manual/deep", "site/new/manual/empty/inner"];
    assert_eq!(moved.map(id), old);
    dir.relink("undo site -q").exits(0);
    assert_eq!(["site/docs", "site/docs/deep", "site/docs/empty/inner"].map(id), old);
    // A file that stays keeps the directory; what is whole in it goes by one call.
    dir.file("list.tsv", "/docs/b.html\t/manual/b.html\n/docs/deep/\t/manual/deep/\n");
    dir.file("site/docs/a.html", "A\n");
    dir.relink("move site --base http://h/ --renames list.tsv --rename-files --in-place -q")
        .exits(0);
    assert_eq!([id("site/docs"), id("site/manual/deep")], [old[0], old[1]]);
    assert!(dir.has("site/docs/a.html") && dir.has("site/manual/b.html"));
}

/// A directory gets the name of one that gets another name: each file goes once.
#[test]
fn what_comes_into_a_directory_is_not_moved_with_it() {
    let files =
        [("site/d/a.html", "<a href=../e/b.html>"), ("site/e/b.html", "<a href=../d/a.html>")];
    let lists = [
        ("/d/\t/e/\n/e/\t/f/\n", "site/e/a.html"),
        ("/e/\t/f/\n/d/\t/e/\n", "site/e/a.html"),
        ("/d/\t/e/k/\n/e/\t/f/\n", "site/e/k/a.html"),
        ("/d/a.html\t/e/a.html\n/e/\t/f/\n", "site/e/a.html"),
    ];
    for (list, new) in lists {
        let dir = TestDir::with(&files);
        dir.file("list.tsv", list);
        dir.relink("move site --base http://h/ --renames list.tsv --rename-files --in-place -q")
            .exits(0);
        let up = if new.contains("/k/") { "../../" } else { "../" };
        assert_eq!(dir.text(new), format!("<a href={up}f/b.html>"), "{list}");
        let back = new.strip_prefix("site/").unwrap_or(new);
        assert_eq!(dir.text("site/f/b.html"), format!("<a href=../{back}>"), "{list}");
        dir.relink("undo site -q").exits(0);
        files.iter().for_each(|(name, text)| assert_eq!(dir.text(name), *text, "{list}"));
        assert!(!dir.has("site/f") && !dir.has("site/e/k"), "{list}");
    }
}

/// A directory whose files go to several places, of other depths, has none in its place.
#[test]
fn a_directory_that_is_taken_apart_leaves_no_other() {
    for list in [
        "/e/e/a.html\t/a/b/a.html\n/e/e/x.html\t/b/x.html\n",
        "/e/e/x.html\t/b/x.html\n/e/e/a.html\t/a/b/a.html\n",
        "/e/e/\t/b/\n/e/e/a.html\t/a/b/a.html\n",
        "/e/e/a.html\t/a.html\n/e/e/x.html\t/a/b/x.html\n",
    ] {
        let dir = TestDir::with(&[
            ("site/e/e/a.html", "<a href=x.html>"),
            ("site/e/e/x.html", "<a href=a.html>"),
        ]);
        let first = dir.tree("site");
        dir.file("list.tsv", list);
        dir.relink("move site --base http://h/ --renames list.tsv --rename-files --in-place -q")
            .exits(0);
        let empty = |name: &PathBuf| {
            let path = dir.path("site").join(name);
            fs::read_dir(path).is_ok_and(|mut inner| inner.next().is_none())
        };
        let left: Vec<_> = dir.tree("site").into_keys().filter(|name| empty(name)).collect();
        assert!(left.is_empty() && !dir.has("site/e"), "{list}: {left:?}");
        dir.relink("undo site -q").exits(0);
        let back = dir.tree("site");
        assert!(back.keys().eq(first.keys()), "{list}: {:?}", back.keys());
    }
}

/// A file that is moved into another directory takes along no directory that was beside it.
#[test]
fn empty_directories_beside_a_file_stay() {
    for has_same in [false, true] {
        let dir = TestDir::with(&[
            ("site/d/a.html", "<a href=../b.html>"),
            ("site/b.html", "<a href=d/a.html>"),
        ]);
        dir.directory("site/d/empty");
        dir.directory(if has_same { "site/e/empty" } else { "site/e" });
        let inner = if has_same { "site/e/empty" } else { "site/e" };
        fs::set_permissions(dir.path(inner), Permissions::from_mode(0o700)).unwrap();
        let first = dir.tree("site");
        dir.relink("mv --tree site site/d/a.html site/e -q").exits(0);
        assert!(dir.has("site/d/empty") && dir.has("site/e/empty") == has_same);
        assert_eq!(dir.path(inner).metadata().unwrap().mode() & 0o777, 0o700);
        dir.relink("undo site -q").exits(0);
        assert!(dir.tree("site") == first);
    }
}

/// What was private is never readable by others, not even between two steps.
#[test]
fn a_new_directory_has_the_rights_of_the_old_one() {
    let dir = site();
    dir.relink("mv --tree site site/private/a.html site/secret/a.html -q").exits(0);
    let mode = dir.path("site/secret").metadata().unwrap().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_directory_with_other_files_stays() {
    let dir = site();
    dir.file("site/docs/.hidden/notes.txt", "notes");
    dir.relink("mv --tree site site/docs/b.html site/manual/b.html -q").exits(0);
    assert!(dir.has("site/docs/empty/inner"));
    assert!(dir.has("site/docs/.hidden/notes.txt"));
    assert!(!dir.has("site/manual/empty"));
}
