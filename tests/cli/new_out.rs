//! A new OUT is a directory with another name until it is complete.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::dir::TestDir;
use crate::held::{Held, ONE_THREAD};
use crate::journal::{PAGE, long_tree, nothing_is_left};
use crate::unpack;
use crate::words::{self, RUNS_ALREADY, WAS_INTERRUPTED};

const CREATE: &str = "absolutize site --base http://h/ -o out -v";

/// Returns the directory of an output that is not complete.
fn unfinished(dir: &TestDir) -> Option<PathBuf> {
    let paths = fs::read_dir(dir.path(".")).unwrap().map(|entry| entry.unwrap().path());
    let mut found = paths.filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with(".out.relink-") && path.is_dir()
    });
    found.next()
}

/// The first page, which the run changes and so reports.
const FIRST: &str = "<a href=x>\n";

/// A tree whose run is held when its first page is written.
fn tree() -> TestDir {
    let dir = long_tree();
    dir.file("site/a.html", FIRST);
    dir
}

/// Begins a run, and holds it when the first page of the output is written.
fn begun(dir: &TestDir) -> Held {
    let mut command = dir.command(&ONE_THREAD);
    command.args(CREATE.split(' '));
    Held::begin(command, || unfinished(dir).is_some_and(|path| path.join("a.html").exists()))
}

/// A directory with an output that a killed run has left.
fn broken_off() -> TestDir {
    let dir = tree();
    drop(begun(&dir));
    assert!(unfinished(&dir).is_some_and(|path| !path.join("z.html").exists()) && !dir.has("out"));
    dir
}

#[test]
fn ctrl_c_leaves_no_out_and_the_run_is_completed_from_anywhere() {
    let dir = tree();
    let held = begun(&dir);
    held.signal("INT");
    let output = held.go_on();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let path = unfinished(&dir).unwrap_or_else(|| panic!("it is complete: {stderr}"));
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    let note = format!(
        "note: interrupted; the output is incomplete, in {name}; use `relink resume out` to complete it, or `relink undo out` to remove it\n"
    );
    assert!(stderr.ends_with(&note), "{stderr}");
    assert!(!dir.has("out"));
    let run = Command::new(env!("CARGO_BIN_EXE_relink"))
        .args(["resume", "../out", "-q"])
        .current_dir(dir.path("site"))
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let (out, path) = (dir.tree("out"), dir.path("again"));
    dir.relink("absolutize site --base http://h/ -o again -q").exits(0);
    assert!(out == dir.tree(path), "the trees differ");
    assert!(unfinished(&dir).is_none());
    nothing_is_left(&dir);
}

#[test]
fn other_commands_are_refused_until_it_is_removed() {
    let dir = broken_off();
    let hint = &words::go_on("out");
    for line in ["absolutize site --base http://other/ -o out", "relativize site --base / -o out"] {
        let run = dir.relink(line).exits(2);
        assert!(run.stderr.contains(hint) || run.stderr.contains("--base"), "{run}");
        assert!(unfinished(&dir).is_some(), "{line}");
    }
    dir.file("mail.eml", "Content-Type: text/html\n\n<p>\n");
    let run = dir.relink("unpack mail.eml -o out").exits(2);
    assert!(run.stderr.contains(hint) && !dir.has("out"), "{run}");
    let run = dir.relink("undo out").exits(0);
    assert!(run.stderr.contains("removed; the run had not completed its output"), "{run}");
    assert!(unfinished(&dir).is_none());
    nothing_is_left(&dir);
}

#[test]
fn the_same_command_completes_it_with_another_number_of_threads() {
    let dir = broken_off();
    dir.relink("absolutize site --base http://h/ -o out -j1 -q").exits(0);
    dir.relink("absolutize site --base http://h/ -o again -q").exits(0);
    assert!(dir.tree("out") == dir.tree("again"), "the trees differ");
    nothing_is_left(&dir);
}

#[test]
fn what_the_input_has_lost_is_not_completed() {
    let dir = broken_off();
    fs::remove_file(dir.path("site/a.html")).unwrap();
    dir.relink("resume out").exits(0);
    dir.relink("absolutize site --base http://h/ -o again -q").exits(0);
    assert!(!dir.has("out/a.html") && dir.tree("out") == dir.tree("again"));
}

/// What is not complete is not read as a part of the tree around it, and that is not changed.
#[test]
fn it_is_no_part_of_another_tree() {
    let dir = broken_off();
    let around = dir.path(".").canonicalize().unwrap();
    let away = TestDir::new();
    let line = format!("absolutize {} --base http://h/ -o copy -q", around.display());
    away.relink(&line).exits(0);
    let names = fs::read_dir(away.path("copy")).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["site"]);
    let line = format!("absolutize {} --base http://h/ --in-place", around.display());
    let run = away.relink(&line).exits(2);
    assert!(run.stderr.contains(WAS_INTERRUPTED), "{run}");
    assert_eq!(dir.text("site/a.html"), FIRST);
    // Without its journal, it is a directory as any other.
    fs::remove_file(dir.path(".out.relink-journal")).unwrap();
    let line = format!("absolutize {} --base http://h/ -o more -q", around.display());
    away.relink(&line).exits(0);
    assert_eq!(fs::read_dir(away.path("more")).unwrap().count(), 2);
}

#[test]
fn two_runs_do_not_create_one_out() {
    let dir = tree();
    let held = begun(&dir);
    dir.relink(CREATE).exits(2).reports(&format!("out: {RUNS_ALREADY}\n"));
    dir.relink("resume out").exits(2);
    assert!(held.go_on().status.success());
    assert!(dir.has("out/z.html") && unfinished(&dir).is_none());
    nothing_is_left(&dir);
}

#[test]
fn a_name_that_has_no_room_for_more_is_written_directly() {
    let dir = TestDir::with(&[("site/d/a.html", PAGE)]);
    for len in [230, 238, 239, 240, 255] {
        let out = "o".repeat(len);
        dir.relink(&format!("absolutize site --base http://h/ -o {out} -q")).exits(0).reports("");
        assert!(dir.has(format!("{out}/d/a.html")));
    }
    assert_eq!(fs::read_dir(dir.path(".")).unwrap().count(), 6);
}

#[test]
fn directories_around_a_new_out_are_created() {
    let dir = TestDir::with(&[("site/a.html", PAGE), ("more/b.html", PAGE)]);
    let line =
        "absolutize site more --map site=http://h/ --map more=http://i/ -o x/y/out --manifest m -q";
    dir.relink(line).exits(0).reports("");
    assert!(dir.has("x/y/out/site/a.html") && dir.has("x/y/out/more/b.html"));
    assert_eq!(fs::read_dir(dir.path("x/y")).unwrap().count(), 1);
    dir.relink("verify x/y/out --manifest m").exits(0);
}

#[test]
fn unpack_without_an_output_names_it_after_the_input() {
    let message = "Subject: a\r\nContent-Type: text/html\r\n\r\n<p>a";
    let mailbox = format!("From a@b Thu Jan  1 00:00:00 1970\n{message}\n");
    let dir = TestDir::with(&[
        ("in/page.mhtml", unpack::PAGE),
        ("in/Inbox", &mailbox),
        ("one/a.eml", message),
    ]);
    let before = dir.tree("in");
    for (line, out) in [
        ("unpack in/page.mhtml", "page"),
        ("unpack in/Inbox", "Inbox.unpacked"),
        ("unpack one", "one.unpacked"),
    ] {
        let typed = dir.relink(&format!("{line} -o typed-{out}")).exits(0);
        let run = dir.relink(line).exits(0);
        let note = format!(
            "note: the output is {out}; use `-o OUT` for another\n{}",
            typed.stderr.replace("typed-", "")
        );
        assert_eq!(run.stderr.replace(out, "OUT"), note.replace(out, "OUT"), "{run}");
        let files = |of: &str| dir.tree(of).into_keys().collect::<Vec<PathBuf>>();
        assert_eq!(files(out), files(&format!("typed-{out}")));
        // What is there stays.
        let first = dir.tree(out);
        let exists = format!("{out}: cannot unpack here without an output; it exists already; ");
        for options in ["", " --update", " --force"] {
            let run = dir.relink(&format!("{line}{options}")).exits(2);
            assert!(run.stderr.starts_with(&exists), "{run}");
        }
        assert_eq!(dir.tree(out), first);
    }
    assert!(dir.tree("in") == before);
    let several = "error: no output is set; several PATHs have no default; use `-o OUT` to set it";
    dir.relink("unpack in/page.mhtml in/Inbox").fails(several);
    dir.relink("unpack in/page.mhtml in/Inbox --base http://h/").fails(several);
    assert!(dir.relink("unpack -").exits(2).stderr.contains("cannot unpack standard input"));
    assert!(dir.relink("unpack http://h/x.warc.gz").exits(2).stderr.contains("cannot read a URL"));
}
