//! What is neither a plain file nor a directory in a tree that is written over, and names that are
//! taken.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::process::Command;

use crate::dir::{Node, TestDir};
use crate::words::{BACKUP_EXISTS, CANNOT_WRITE, NO_PLAIN_FILE};

const PAGE: &str = "<a href=x>\n";
const ABSOLUTE: &str = "<a href=http://h/x>\n";
const RUN: &str = "absolutize site --base http://h/ --in-place";

#[test]
fn sockets_and_devices_are_reported_and_left() {
    let dir = TestDir::with(&[("site/a.html", PAGE)]);
    let _listener = UnixListener::bind(dir.path("site/s.html")).unwrap();
    let node = dir.path("site/d.html");
    let made = Command::new("mknod").arg(&node).args(["c", "1", "3"]).output();
    let has_device = made.is_ok_and(|output| output.status.success());
    let mut report = String::new();
    if has_device {
        report += &format!("site/d.html: {NO_PLAIN_FILE}\n")
    } else {
        crate::tools::skipped("no device can be made here")
    }
    report += &format!("site/s.html: {NO_PLAIN_FILE}\n");
    let run = dir.relink(RUN).exits(0);
    assert!(run.stderr.starts_with(&report), "{run}");
    assert_eq!(dir.text("site/a.html"), ABSOLUTE);
    assert!(fs::metadata(dir.path("site/s.html")).unwrap().file_type().is_socket());
    assert!(!has_device || fs::metadata(node).unwrap().file_type().is_char_device());
}

#[test]
fn a_backup_is_not_written_through_a_link_nor_into_a_directory() {
    let dir = TestDir::with(&[("site/a.html", PAGE), ("site/b.html", PAGE), ("outside", "mine")]);
    symlink("../outside", dir.path("site/a.html.orig")).unwrap();
    dir.directory("site/b.html.orig");
    let report = |name: &str| format!("site/{name}.orig: {BACKUP_EXISTS}\n");
    dir.relink(&format!("{RUN} --backup -q"))
        .exits(2)
        .reports(&(report("a.html") + &report("b.html")));
    assert_eq!([dir.text("site/a.html"), dir.text("site/b.html")], [PAGE, PAGE]);
    assert_eq!(dir.text("outside"), "mine");
    assert_eq!(
        dir.tree("site")[std::path::Path::new("a.html.orig")],
        Node::Link("../outside".into())
    );
}

#[test]
fn two_names_in_one_tree_become_two_files() {
    let dir = TestDir::with(&[("site/a.html", PAGE)]);
    dir.directory("site/d");
    fs::hard_link(dir.path("site/a.html"), dir.path("site/d/b.html")).unwrap();
    let run = dir.relink(&format!("{RUN} -q")).exits(2);
    assert_eq!(run.stderr.lines().count(), 2, "{run}");
    assert_eq!([dir.text("site/a.html"), dir.text("site/d/b.html")], [PAGE, PAGE]);
    dir.relink(&format!("{RUN} --break-hardlinks -q")).exits(0).reports("");
    // Each is right where it lies.
    assert_eq!(dir.text("site/a.html"), ABSOLUTE);
    assert_eq!(dir.text("site/d/b.html"), "<a href=http://h/d/x>\n");
}

/// A file may be longer than the disk, with little in it: so is its copy.
#[test]
fn a_copy_has_the_holes_of_the_file() {
    use std::os::unix::fs::FileExt;
    const LEN: u64 = 1 << 28;
    let dir = TestDir::with(&[("site/a.html", PAGE)]);
    for (name, at) in
        [("none", None), ("start", Some(0)), ("middle", Some(LEN / 2)), ("end", Some(LEN - 3))]
    {
        let file = fs::File::create(dir.path(format!("site/{name}.bin"))).unwrap();
        file.set_len(LEN).unwrap();
        at.map_or(Ok(()), |at| file.write_all_at(b"abc", at)).unwrap();
    }
    let n_used = |name: &str| dir.path(name).metadata().unwrap().blocks() * 512;
    if n_used("site/middle.bin") > LEN / 2 {
        crate::tools::skipped("the file system has no holes");
        return;
    }
    dir.relink("absolutize site --base http://h/ -o out -q").exits(0);
    for (name, at) in [("none", 0), ("start", 0), ("middle", LEN / 2), ("end", LEN - 3)] {
        let (old, new) = (format!("site/{name}.bin"), format!("out/{name}.bin"));
        assert!(n_used(&new) <= LEN / 64, "{name}: {}", n_used(&new));
        let read = |path: &str| {
            let mut bytes = [0; 3];
            let file = fs::File::open(dir.path(path)).unwrap();
            file.read_exact_at(&mut bytes, at).unwrap();
            (bytes, file.metadata().unwrap().len())
        };
        assert_eq!(read(&old), read(&new), "{name}");
    }
}

/// A directory that gives its group to what is made in it takes no file from its own.
#[test]
fn the_group_stays_in_a_directory_that_gives_its_own() {
    let dir = TestDir::with(&[("site/a.html", PAGE)]);
    if std::os::unix::fs::chown(dir.path("site"), None, Some(4321)).is_err() {
        crate::tools::skipped("only the super-user may give folders away");
        return;
    }
    fs::set_permissions(dir.path("site"), fs::Permissions::from_mode(0o2775)).unwrap();
    let before = fs::metadata(dir.path("site/a.html")).unwrap();
    dir.relink(&format!("{RUN} -q")).exits(0).reports("");
    let after = fs::metadata(dir.path("site/a.html")).unwrap();
    assert_eq!(
        (after.uid(), after.gid(), after.mode()),
        (before.uid(), before.gid(), before.mode())
    );
    assert_eq!(dir.text("site/a.html"), ABSOLUTE);
}

/// The system would end the program by a signal.
#[test]
fn a_file_that_may_not_grow_so_far_is_reported() {
    let dir = TestDir::new();
    dir.file("site/a.html", "<a href=x>".repeat(10_000));
    let tree = dir.tree("site");
    let runner = ["sh", "-c", "ulimit -f 16; exec \"$0\" \"$@\""];
    let run = dir.relink_by(&runner, "absolutize site --base http://h/ -o out -q").exits(2);
    run.reports(&format!("out/a.html: {CANNOT_WRITE}; file too large\n"));
    dir.relink_by(&runner, "absolutize site --base http://h/ -i -q").exits(2);
    dir.relink("undo site -q");
    assert_eq!(dir.tree("site"), tree);
}
