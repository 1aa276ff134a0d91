//! What the system forbids. The super-user is forbidden nothing, so for him the program is run
//! without those rights, where that can be done.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::dir::{Run, TestDir};
use crate::tools;
use crate::words::{CANNOT_READ, CANNOT_WRITE, DENIED};

const PAGE: &str = "<a href=x>";

/// What to run the program by, so that the modes of files bind it; `None`, and a word about it, if
/// nothing does that.
fn binding(dir: &TestDir) -> Option<&'static [&'static str]> {
    const RUNNERS: [&[&str]; 2] = [
        &["env"],
        &["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-all"],
    ];
    dir.file("forbidden", "");
    chmod(dir, "forbidden", 0);
    let is_bound = |runner: &&[&str]| {
        let runs = |what: &[&str]| tools::runs(runner[0], &[&runner[1..], what].concat());
        let path = dir.path("forbidden");
        !runs(&["cat", path.to_str().unwrap()]) && runs(&["true"])
    };
    let found = RUNNERS.into_iter().find(is_bound);
    if found.is_none() {
        tools::skipped("modes do not bind the super-user, and there is no 'setpriv' to be less");
    }
    found
}

fn chmod(dir: &TestDir, name: &str, mode: u32) {
    fs::set_permissions(dir.path(name), fs::Permissions::from_mode(mode)).unwrap();
}

#[track_caller]
fn check_lines(run: &Run, expected: &[&str]) {
    let expected: String = expected.iter().map(|line| format!("{line}\n")).collect();
    assert!(run.stderr == expected, "expected\n{expected}{run}");
}

#[test]
fn a_read_only_tree_stays_as_it_is() {
    let dir =
        TestDir::with(&[("site/a.html", PAGE), ("site/b/c.html", PAGE), ("site/d.html", "<p>")]);
    let Some(runner) = binding(&dir) else { return };
    ["site/b", "site"].iter().for_each(|name| chmod(&dir, name, 0o555));
    let before = dir.tree("site");
    let lines = ["site/a.html", "site/b/c.html"]
        .map(|name| format!("{name}: cannot create a file in its directory; {DENIED}"));
    let run = dir.relink_by(runner, "absolutize site --base http://h/ --in-place --backup -q");
    check_lines(&run.exits(2).prints(""), &lines.each_ref().map(String::as_str));
    assert_eq!(dir.tree("site"), before);
    ["site", "site/b"].iter().for_each(|name| chmod(&dir, name, 0o755));
}

#[test]
fn files_and_directories_that_cannot_be_read_are_reported_in_their_place() {
    let dir = TestDir::with(&[
        ("site/a.html", PAGE),
        ("site/b.html", PAGE),
        ("site/closed/c.html", PAGE),
        ("site/d.html", PAGE),
        ("site/e", "<p><a href=x>"),
        ("site/f.png", "picture"),
    ]);
    let Some(runner) = binding(&dir) else { return };
    let closed = ["site/b.html", "site/closed", "site/e", "site/f.png"];
    closed.iter().for_each(|name| chmod(&dir, name, 0));
    let lines = closed.map(|name| format!("{name}: {CANNOT_READ}; {DENIED}"));
    let lines = lines.each_ref().map(String::as_str);
    let run =
        dir.relink_by(runner, "absolutize site --base http://h/ -o out -q").exits(2).prints("");
    check_lines(&run, &lines);
    for name in ["a.html", "d.html"] {
        assert_eq!(dir.text(format!("out/{name}")), "<a href=http://h/x>");
    }
    for name in ["b.html", "e", "f.png"] {
        assert!(!dir.has(format!("out/{name}")), "{name} is half-written{run}");
    }
    let run = dir.relink_by(runner, "refs site").exits(2);
    check_lines(&run, &lines[..3]);
    assert_eq!(run.text().lines().count(), 2, "{run}");
    for name in ["site/closed", "out/closed"] {
        if dir.has(name) {
            chmod(&dir, name, 0o755);
        }
    }
}

#[test]
fn an_output_that_cannot_be_made_is_reported_once() {
    let dir =
        TestDir::with(&[("site/a.html", PAGE), ("site/sub/b.html", PAGE), ("site/t.txt", "x")]);
    let Some(runner) = binding(&dir) else { return };
    dir.directory("locked");
    chmod(&dir, "locked", 0o555);
    dir.relink_by(runner, "absolutize site --base http://h/ -o locked/out -q")
        .fails("locked/out: cannot create the directory; permission denied");
    dir.relink_by(runner, "absolutize site/a.html --base http://h/ -o locked/b.html -q")
        .fails(&format!("locked/b.html: {CANNOT_WRITE}; {DENIED}"));
    assert_eq!(dir.tree("locked").len(), 1);
    chmod(&dir, "locked", 0o755);
}

#[test]
fn a_directory_of_the_output_that_is_locked_costs_what_is_in_it_only() {
    let dir =
        TestDir::with(&[("site/a.html", PAGE), ("site/sub/b.html", PAGE), ("site/z.html", PAGE)]);
    let Some(runner) = binding(&dir) else { return };
    dir.directory("out/sub");
    chmod(&dir, "out/sub", 0o555);
    let run = dir
        .relink_by(runner, "absolutize site --base http://h/ -o out --force -q")
        .exits(2)
        .prints("");
    check_lines(&run, &[&format!("out/sub/b.html: {CANNOT_WRITE}; {DENIED}")]);
    assert!(dir.has("out/a.html") && dir.has("out/z.html") && !dir.has("out/sub/b.html"), "{run}");
    chmod(&dir, "out/sub", 0o755);
}

#[test]
fn a_read_only_file_is_written_over_when_forced() {
    let dir = TestDir::with(&[("a.html", PAGE), ("b.html", "old")]);
    let Some(runner) = binding(&dir) else { return };
    chmod(&dir, "b.html", 0o444);
    // The directory may be written to, and a file is replaced, not opened.
    dir.relink_by(runner, "absolutize a.html --base http://h/ -o b.html --force -q")
        .exits(0)
        .reports("");
    assert_eq!(dir.text("b.html"), "<a href=http://h/x>");
}

/// A directory that may be written lets its files be replaced, whosoever they are; a file that its
/// owner keeps for himself is not.
#[test]
fn a_file_of_somebody_else_stays() {
    use std::os::unix::fs::{MetadataExt, chown};
    const NOBODY: &[&str] = &["setpriv", "--reuid", "65534", "--clear-groups"];
    let dir = TestDir::with(&[("site/a.html", PAGE), ("site/b.html", PAGE)]);
    chmod(&dir, ".", 0o755);
    chmod(&dir, "site/a.html", 0o644);
    chmod(&dir, "site/b.html", 0o666);
    let is_there = tools::runs(NOBODY[0], &[&NOBODY[1..], &["true"]].concat());
    if chown(dir.path("site"), Some(65534), None).is_err() || !is_there {
        tools::skipped("this user cannot be another");
        return;
    }
    let owner = |name: &str| fs::metadata(dir.path(name)).unwrap().uid();
    let own = owner("site/a.html");
    let line = "absolutize site --base http://h/ --in-place -q";
    let report = format!(
        "site/a.html: {CANNOT_WRITE}; the file belongs to another user and is not writable ({DENIED}); run relink as that user"
    );
    check_lines(&dir.relink_by(NOBODY, line).exits(2), &[&report]);
    assert_eq!([dir.text("site/a.html"), dir.text("site/b.html")], [PAGE, "<a href=http://h/x>"]);
    // Where the system lets nobody give a file away, the owner cannot stay.
    assert_eq!((owner("site/a.html"), owner("site/b.html")), (own, 65534));
}

/// An access list: `user::rw-`, `user:12345:r-x`, `group::r--` or less, `mask::r-x`, `other::---`.
/// The mode that the system shows has the mask for the group.
fn list(group: u16) -> Vec<u8> {
    const NONE: u32 = u32::MAX;
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, id) in
        [(1, 6, NONE), (2, 5, 12345), (4, group, NONE), (16, 5, NONE), (32, 0, NONE)]
    {
        list.extend([tag, rights].map(u16::to_le_bytes).concat());
        list.extend(u32::to_le_bytes(id));
    }
    list
}

/// A directory may give each new file an access list: one that is written over has only its own.
#[test]
fn the_list_of_a_directory_gives_nobody_more() {
    let dir = TestDir::with(&[("site/a.html", PAGE), ("site/b.html", PAGE), ("site/o.txt", "o")]);
    dir.directory("out");
    for name in ["site", "out"] {
        // A user of its own may do everything, and all others nothing.
        if xattr::set(dir.path(name), "system.posix_acl_default", &list(7)).is_err() {
            tools::skipped("the file system has no access lists");
            return;
        }
    }
    let modes = [("a.html", 0o640), ("b.html", 0o644), ("o.txt", 0o600)];
    modes.iter().for_each(|(name, mode)| chmod(&dir, &format!("site/{name}"), *mode));
    let check = |directory: &str, after: &str| {
        for (name, mode) in modes {
            let path = dir.path(directory).join(name);
            assert_eq!(xattr::get(&path, "system.posix_acl_access").unwrap(), None, "{after}");
            let found = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(found, mode, "{after}: {name}");
        }
    };
    dir.relink("absolutize site --base http://h/ -o out --update -q").exits(0);
    check("out", "-o");
    dir.relink("absolutize site --base http://h/ -o new -q").exits(0);
    check("new", "a new one");
    dir.relink("absolutize site --base http://h/ --in-place --backup -q").exits(0);
    check("site", "in place");
    dir.relink("undo site -q").exits(0);
    check("site", "undo");
    dir.relink("mv --tree site site/a.html site/c.html -q").exits(0);
    dir.relink("undo site -q").exits(0);
    check("site", "mv and undo");
}

/// A new file has no list, and its group no right that only a user of the list had.
#[test]
fn an_access_list_gives_nobody_more() {
    let dir = TestDir::with(&[("site/d/a.html", PAGE), ("site/d/b.txt", "B"), ("site/m.mbox", "")]);
    dir.file("site/m.mbox", "From a@h Thu Jan  1 00:00:00 1970\nSubject: s\n\nhttp://h/ <a>\n");
    let lists = [("site/d", 4), ("site/d/a.html", 4), ("site/d/b.txt", 0), ("site/m.mbox", 4)];
    for (name, group) in lists {
        if xattr::set(dir.path(name), "system.posix_acl_access", &list(group)).is_err() {
            tools::skipped("the file system has no access lists");
            return;
        }
    }
    let mode = |name: &str| fs::metadata(dir.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("site/d/a.html"), 0o650, "the mask");
    let names = ["out/d", "out/d/a.html", "out/d/b.txt", "out/m.mbox"];
    for options in ["", "--update"] {
        dir.relink(&format!("absolutize site --base http://h/ -o out -q {options}")).exits(0);
        assert_eq!(names.map(mode), [0o640, 0o640, 0o600, 0o640], "{options}");
    }
    // In place, the list stays as it is.
    dir.relink("absolutize site --base http://h/ --in-place -q").exits(0);
    let kept = xattr::get(dir.path("site/d/a.html"), "system.posix_acl_access").unwrap();
    assert_eq!(kept.as_deref(), Some(&*list(4)));
    assert_eq!(mode("site/d/a.html"), 0o650);
}
