//! Runs that are interrupted: `resume`, `undo`, the lock, Ctrl-C.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::dir::{Node, TestDir};
use crate::held::{Held, MANY, ONE_THREAD};
use crate::tools;
use crate::words::{
    self, CANNOT_START, CANNOT_WRITE_IN_PLACE, GIVEN_TWICE, NO_RUN, NO_SUCH_FILE, NOT_RESTORED,
    RUNS_ALREADY,
};

pub(crate) const PAGE: &str = "<a href=http://old/x>\n";
pub(crate) const MOVED: &str = "<a href=http://old/a/x>\n";
/// With a base that is not guessed, which would be the first message.
pub(crate) const NESTED: &str =
    "move site --base http://old/ --from http://old/ --to http://old/a/ --in-place";

/// The same as it is recorded.
const NESTED_RECORDED: &str =
    "move --base=http://old/ --from=http://old/ --in-place --to=http://old/a/ site";

/// The name that `t.html` has until it is complete.
pub(crate) const TEMPORARY: &str = ".relink-1897b6caefdbf6a9-e2a530cda08cbbac";

/// The text of the last page of a long tree.
pub(crate) fn long_page(line: &str) -> String {
    line.repeat(1 << 12)
}

/// A tree whose last page comes after so many files that a run which is held has not begun it.
pub(crate) fn long_tree() -> TestDir {
    let dir = TestDir::with(&[("site/a.html", PAGE), ("site/d/b.html", PAGE), ("site/n.txt", "x")]);
    many_files(&dir, "site/m");
    dir.file("site/z.html", long_page(PAGE));
    dir
}

/// Fills a directory with so many files that a run which is held before them does not come to what
/// is behind them.
pub(crate) fn many_files(dir: &TestDir, name: &str) {
    (0..MANY).for_each(|n| dir.file(format!("{name}/{n}.txt"), "x"));
}

/// Whether the files of two trees are the same; directories keep no times where files in them are
/// written again.
pub(crate) fn is_same(one: &BTreeMap<PathBuf, Node>, other: &BTreeMap<PathBuf, Node>) -> bool {
    let is_file = |(_, node): &(&PathBuf, &Node)| !matches!(node, Node::Directory { .. });
    one.iter().filter(is_file).eq(other.iter().filter(is_file))
}

/// What the run reports first, behind the first pages of a tree: it is held there.
pub(crate) const PIPE: &str = "site/e.pipe";

/// Begins a run, and holds it when the first page is written over.
#[track_caller]
pub(crate) fn begun(dir: &TestDir, line: &str) -> Held {
    begun_until(dir, line, &["site/a.html"], PIPE)
}

/// Begins a run, and holds it when these pages are written over, by a message about a pipe.
#[track_caller]
pub(crate) fn begun_until(dir: &TestDir, line: &str, pages: &[&str], pipe: &str) -> Held {
    if !dir.has(pipe) {
        assert!(tools::runs("mkfifo", &[dir.path(pipe).to_str().unwrap()]));
    }
    let old: Vec<Vec<u8>> = pages.iter().map(|page| dir.bytes(page)).collect();
    let mut command = dir.command(&ONE_THREAD);
    command.args(line.split(' '));
    Held::begin(command, || pages.iter().zip(&old).all(|(page, old)| dir.bytes(page) != *old))
}

/// A run that was killed amid the writing.
#[track_caller]
pub(crate) fn broken_off(dir: &TestDir, line: &str) {
    let pages = ["site/a.html", "site/d/b.html"];
    // A run that reports the documents is held by the first one.
    let is_whole = line.starts_with("move site ") && !line.contains("--verbose");
    drop(begun_until(dir, line, if is_whole { &pages } else { &pages[..1] }, PIPE));
    fs::remove_file(dir.path(PIPE)).unwrap();
    assert_eq!(dir.text("site/a.html"), MOVED);
    assert!(dir.text("site/z.html") == long_page(PAGE), "the last page is written over");
}

/// No journal and no half-written file is left.
#[track_caller]
pub(crate) fn nothing_is_left(dir: &TestDir) {
    nothing_is_left_in(dir, ".");
}

#[track_caller]
pub(crate) fn nothing_is_left_in(dir: &TestDir, directory: &str) {
    let names = walkdir::WalkDir::new(dir.path(directory)).into_iter().map(Result::unwrap);
    let left: Vec<_> = names
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with(".relink") || name.ends_with(".relink-journal"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_run_that_was_broken_off_goes_on() {
    let dir = long_tree();
    broken_off(&dir, NESTED);
    assert!(dir.has(".site.relink-journal"));
    let run = dir.relink("resume site").exits(0);
    let skipped = "note: 2 documents skipped; already converted by the interrupted run";
    assert!(run.has_line(skipped), "{run}");
    assert_eq!([dir.text("site/a.html"), dir.text("site/d/b.html")], [MOVED, MOVED]);
    assert!(dir.text("site/z.html") == long_page(MOVED));
    nothing_is_left(&dir);
    // What has moved is noted as if nothing had happened.
    assert_eq!(dir.text(".site.relink-moves").lines().count(), 5);
    let run = dir.relink(NESTED).exits(2);
    let moved = &format!(
        "{CANNOT_START}; site was already moved by the same move; use `--again` to move it once more"
    );
    assert!(run.has_line(&format!("{}: {moved}", dir.real(".site.relink-moves"))), "{run}");
    dir.relink("resume site")
        .exits(2)
        .reports("site: no interrupted run found; there is no journal; use a PATH of the run\n");
    // It need not say what the run would have reported.
    let dir = long_tree();
    broken_off(&dir, &format!("{NESTED} --verbose"));
    dir.relink("resume site -q").exits(0).reports("");
    assert!(dir.text("site/z.html") == long_page(MOVED));
}

#[test]
fn the_same_command_goes_on_and_another_does_not() {
    let dir = long_tree();
    broken_off(&dir, NESTED);
    let report = format!(
        "site: cannot start; a run was interrupted here (relink {NESTED_RECORDED}); use `relink resume site` to continue it, or `relink undo site` to revert it\n"
    );
    let tree = dir.tree("site");
    for line in ["absolutize site --base http://old/ -i", "relativize site --base http://old/ -i"] {
        dir.relink(line).exits(2).reports(&report);
    }
    // Nor in it, nor around it.
    let run = dir.relink("absolutize site/d --base http://old/d/ -i").exits(2);
    let interrupted =
        |path: &str, name: &str| format!("{path}: {}", words::interrupted(NESTED_RECORDED, name));
    let site = dir.real("site");
    assert!(run.has_line(&interrupted(&site, &site)), "{run}");
    dir.file("other/n.html", PAGE);
    let run = dir.relink("absolutize . --base http://old/ -i").exits(2);
    assert!(run.has_line(&interrupted(&site, &site)), "{run}");
    assert!(dir.tree("site") == tree);
    // What writes elsewhere may.
    dir.relink("absolutize site --base http://old/ -o out -q").exits(0).reports("");
    // What is reported, and how fast a run is, makes no other command.
    dir.relink(&format!("{NESTED} -v --jobs 1 --color=never")).exits(0);
    assert!(dir.text("site/z.html") == long_page(MOVED));
    nothing_is_left(&dir);
}

/// A file that is only named like a temporary file of relink is a file like any other.
#[test]
fn a_file_named_like_a_temporary_file_is_copied() {
    let dir = TestDir::with(&[("site/a.html", PAGE), ("site/n.txt", "x")]);
    let name = TEMPORARY.replace('e', "f");
    dir.file(format!("site/d/{name}"), "<!doctype html><a href=x>");
    let run = dir.relink("absolutize site --base http://old/ -o out --update").exits(0);
    assert!(run.stderr.contains(" 1 other file copied\n"), "{run}");
    let text = "<!doctype html><a href=http://old/d/x>";
    assert_eq!(dir.text(format!("out/d/{name}")), text);
    dir.relink("absolutize site --base http://old/ -i -q").exits(0).reports("");
    assert_eq!(dir.text(format!("site/d/{name}")), text);
}

/// What a killed run has left goes when the file is written that it was to become, and not before
/// the run has ended.
#[test]
fn a_temporary_file_of_an_active_run_stays() {
    let dir = TestDir::with(&[("t.html", PAGE), ("o/.keep", "")]);
    let line = "absolutize t.html --base http://old/ -o o/t.html --force -q";
    dir.file(format!("o/{TEMPORARY}"), "half");
    let active = fs::File::open(dir.path("o").join(TEMPORARY)).unwrap();
    active.lock().unwrap();
    dir.relink(line).exits(0).reports("");
    assert_eq!(dir.text(format!("o/{TEMPORARY}")), "half");
    active.unlock().unwrap();
    dir.relink(line).exits(0).reports("");
    nothing_is_left_in(&dir, "o");
    assert_eq!(dir.text("o/t.html"), PAGE);
}

/// So is one that is only named like a journal or a note.
#[test]
fn a_file_named_like_a_journal_is_copied() {
    let dir = TestDir::with(&[("site/a.html", PAGE)]);
    for name in ["d/.x.relink-journal", "d/.x.relink-moves"] {
        dir.file(format!("site/{name}"), "mine");
    }
    dir.relink("absolutize site --base http://old/ -o out -q").exits(0).reports("");
    for name in ["d/.x.relink-journal", "d/.x.relink-moves"] {
        assert_eq!(dir.text(format!("out/{name}")), "mine");
    }
}

/// The temporary files of a run are not copied.
#[test]
fn temporary_files_of_an_interrupted_run_are_not_copied() {
    let dir = long_tree();
    broken_off(&dir, NESTED);
    dir.file(format!("site/d/{TEMPORARY}"), "half");
    dir.relink("absolutize site --base http://old/ -o out -q").exits(0);
    nothing_is_left_in(&dir, "out");
    dir.relink("resume site").exits(0);
    nothing_is_left(&dir);
}

/// The temporary file is in a directory that was renamed during the run, and comes back later.
#[test]
fn a_directory_that_comes_back_is_cleaned() {
    let dir = long_tree();
    broken_off(&dir, NESTED);
    dir.file(format!("site/d/{TEMPORARY}"), "half");
    fs::rename(dir.path("site/d"), dir.path("d")).unwrap();
    // The journal stays as long as the directory is away.
    dir.relink("resume site").exits(2);
    fs::rename(dir.path("d"), dir.path("site/d")).unwrap();
    dir.relink("resume site").exits(0);
    nothing_is_left(&dir);
}

#[test]
fn a_run_that_was_broken_off_is_undone() {
    for line in [NESTED, &format!("{NESTED} --backup")] {
        let dir = long_tree();
        let tree = dir.tree("site");
        broken_off(&dir, line);
        // It may lie elsewhere by now.
        fs::rename(dir.path("site"), dir.path("there")).unwrap();
        fs::rename(dir.path(".site.relink-journal"), dir.path(".there.relink-journal")).unwrap();
        let run = dir.relink("undo there").exits(0);
        let line = format!("{}; 0 documents not changed by the run", words::restored(2));
        assert!(run.has_line(&line), "{run}");
        assert!(is_same(&dir.tree("there"), &tree));
        nothing_is_left(&dir);
        dir.relink("undo there").exits(2).reports(&format!("there: {NO_RUN}\n"));
    }
}

#[test]
fn what_was_changed_since_stays() {
    let dir = long_tree();
    broken_off(&dir, NESTED);
    dir.file("site/a.html", "mine");
    let run = dir.relink("undo site").exits(2);
    let lost =
        &format!("{NOT_RESTORED}; the file was removed or changed since the interrupted run");
    let rest = &format!("error: some documents were {NOT_RESTORED}; use `relink undo");
    let journal = dir.real(".site.relink-journal");
    let site = dir.real("site");
    assert!(run.has_line(&format!("{site}/a.html: {lost}")), "{run}");
    assert!(
        run.has_line(&format!(
            "{rest} {site}` to try again, or remove {journal} to keep them as they are"
        )),
        "{run}"
    );
    assert_eq!([dir.text("site/a.html"), dir.text("site/d/b.html")], ["mine", PAGE]);
    assert!(dir.has(".site.relink-journal"));
    let run = dir.relink("resume site").exits(2);
    let report = "site/a.html: skipped; the file has changed since the interrupted run; check its references";
    assert!(run.has_line(report), "{run}");
    assert_eq!([dir.text("site/a.html"), dir.text("site/d/b.html")], ["mine", MOVED]);
}

#[test]
fn two_runs_do_not_meet_in_one_tree() {
    let dir = long_tree();
    dir.file("other/n.html", PAGE);
    dir.directory("site/empty");
    let held = begun(&dir, NESTED);
    let report = format!("{RUNS_ALREADY}\n");
    for line in [
        NESTED,
        "absolutize site --base http://old/ -i",
        "absolutize other site --map site=http://old/ --map other=http://h/ -i",
        "absolutize site/d --base http://old/d/ -i",
        "absolutize site/a.html --base http://old/a.html -i",
        "absolutize . --base http://old/ -i",
        "absolutize other --base http://h/ -o site/d/out",
        "absolutize other --base http://h/ -o site/n/e/w",
        "absolutize other --base http://h/ -o site/empty",
        "absolutize other --base http://h/ -o site/d --update",
        "absolutize other --base http://h/ -o site/d --force",
        "absolutize other/n.html --base http://h/ -o site/d/f.html",
        "unpack other -o site/d/out",
        "unpack other -o site/n/e/w",
        "pack other/n.html -o site/d/o.mhtml",
        "pack --tree other -o site/n/e/w",
        "resume site",
        "undo site",
    ] {
        let run = dir.relink(line).exits(2);
        assert!(run.stderr.ends_with(&report), "{line}: {run}");
    }
    assert!(!dir.has("site/d/out") && !dir.has("site/n"));
    // Beside it they may, and what writes nothing over may.
    dir.relink("absolutize other --base http://h/ -i -q").exits(0).reports("");
    dir.relink("refs site/d --only img -q").exits(0);
    assert!(held.go_on().status.success());
    assert!(dir.text("site/z.html") == long_page(MOVED));
    nothing_is_left(&dir);
}

#[test]
fn ctrl_c_finishes_what_is_in_hand() {
    for (name, status) in [("INT", 130), ("TERM", 143)] {
        let dir = long_tree();
        let held = begun(&dir, NESTED);
        held.signal(name);
        let output = held.go_on();
        let report = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{report}");
        let end = "note: interrupted; all written files are complete; use `relink resume site` to continue, or `relink undo site` to revert\n";
        assert!(report.ends_with(end), "{report}");
        assert_eq!(dir.text("site/a.html"), MOVED);
        assert!(dir.text("site/z.html") == long_page(PAGE));
        dir.relink("resume site -x").exits(2);
        dir.relink("resume").exits(0);
        assert!(dir.text("site/z.html") == long_page(MOVED));
        nothing_is_left(&dir);
    }
}

#[test]
fn several_paths_have_one_journal() {
    let dir = long_tree();
    let line = "move site more site2/p.html --map more=http://old/more/ --map site=http://old/ --map site2/p.html=http://old/p.html --from http://old/ --to http://old/a/ --in-place";
    for path in ["more/a.html", "site2/p.html"] {
        dir.file(path, PAGE);
    }
    let trees = ["site", "more", "site2"].map(|name| dir.tree(name));
    broken_off(&dir, line);
    assert!(dir.has(".more.relink-journal") && !dir.has("site2/.p.html.relink-journal"));
    let run = dir.relink("absolutize more --base http://h/ -i").exits(2);
    let recorded = "move --from=http://old/ --in-place --map=more=http://old/more/ --map=site=http://old/ --map=site2/p.html=http://old/p.html --to=http://old/a/ site more site2/p.html";
    assert!(run.has_line(&format!("more: {}", words::interrupted(recorded, "more"))), "{run}");
    dir.relink("undo more").exits(0);
    for (name, tree) in ["site", "more", "site2"].iter().zip(&trees) {
        assert!(is_same(&dir.tree(name), tree), "{name}");
    }
    nothing_is_left(&dir);
}

#[test]
fn files_by_name_have_one_journal_too() {
    let dir = long_tree();
    let line = "move site/a.html site/e.pipe site/m site/z.html --map site=http://old/ --from http://old/ --to http://old/a/ --in-place";
    let tree = dir.tree("site");
    broken_off(&dir, line);
    assert!(dir.has("site/.a.html.relink-journal"));
    dir.relink("undo site/z.html -q").exits(0).reports("");
    assert!(is_same(&dir.tree("site"), &tree));
    nothing_is_left(&dir);
}

#[test]
fn paths_that_overlap_are_not_written_over() {
    let dir = TestDir::with(&[("site/d/a.html", PAGE)]);
    let tree = dir.tree("site");
    for (paths, report) in [
        ("site site", "site: cannot write in place; this PATH is given twice; remove one"),
        ("site ./site", format!(": {CANNOT_WRITE_IN_PLACE}; {GIVEN_TWICE}").as_str()),
        (
            "site/d site",
            format!("site/d: {CANNOT_WRITE_IN_PLACE}; it is inside site, which is another PATH; remove one of them").as_str(),
        ),
        (
            "site site/d/a.html",
            format!("site/d/a.html: {CANNOT_WRITE_IN_PLACE}; it is inside site, which is another PATH; remove one of them").as_str(),
        ),
    ] {
        let line = format!("absolutize {paths} --map site=http://old/ -i");
        let run = dir.relink(&line).exits(2);
        assert!(run.stderr.contains(report), "{run}");
    }
    assert!(dir.tree("site") == tree);
    nothing_is_left(&dir);
}

#[test]
fn runs_that_do_not_write_over_leave_no_journal() {
    let dir = TestDir::with(&[("site/a.html", PAGE), ("site/b.html", "<a href=y>")]);
    for line in [
        "absolutize site --base http://old/ -o out",
        "absolutize site --base http://old/ -i --dry-run",
        "relativize site --base http://elsewhere/ --skip a -i",
        "absolutize site --base http://old/ -i --no-manifest",
        "absolutize site/b.html --base http://old/b.html -i --no-manifest",
    ] {
        dir.relink(line).exits(0);
        nothing_is_left(&dir);
    }
    dir.relink("undo site")
        .exits(2)
        .reports("site: no run to revert found; there is neither a journal nor a manifest; use a PATH of the run\n");
    dir.relink("undo gone").exits(2).reports(&format!("gone: {NO_SUCH_FILE}\n"));
    dir.relink("resume")
        .exits(2)
        .reports(".: no interrupted run found; there is no journal; use a PATH of the run\n");
}

#[test]
fn a_journal_that_is_none_ends_the_run() {
    let dir = TestDir::with(&[("site/a.html", PAGE), (".site.relink-journal", "mine\n")]);
    for line in ["absolutize site --base http://old/ -i", "undo site", "resume site"] {
        let run = dir.relink(line).exits(2);
        assert!(
            run.stderr.ends_with("/.site.relink-journal: cannot use this journal; it is not a journal of relink; move it away\n"),
            "{run}"
        );
    }
    assert_eq!([dir.text("site/a.html"), dir.text(".site.relink-journal")], [PAGE, "mine\n"]);
    // A link is not written through.
    fs::remove_file(dir.path(".site.relink-journal")).unwrap();
    dir.file("mine", "mine\n");
    std::os::unix::fs::symlink(dir.path("mine"), dir.path(".site.relink-journal")).unwrap();
    dir.relink("absolutize site --base http://old/ -i").exits(2);
    assert_eq!([dir.text("site/a.html"), dir.text("mine")], [PAGE, "mine\n"]);
}

/// One tree by two names, as a container sees a directory of its host.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[test]
fn two_runs_do_not_meet_in_one_tree_by_two_mounts() {
    let runs = |words: &str| tools::runs("unshare", &words.split(' ').collect::<Vec<_>>());
    if !runs("-m mount -t tmpfs none /mnt") {
        tools::skipped("nothing can be mounted here");
        return;
    }
    let dir = long_tree();
    dir.directory("mounted");
    let held = begun(&dir, NESTED);
    let report = format!("mounted: {RUNS_ALREADY}\n");
    for line in ["absolutize mounted --base http://old/ -i", "unpack m.eml -o mounted --force"] {
        dir.file("m.eml", "Subject: s\n\ntext\n");
        let script = "mount --bind site mounted || exit 99; exec \"$0\" \"$@\"";
        let run = dir.relink_by(&["unshare", "-m", "sh", "-c", script], line).exits(2);
        assert!(run.stderr.ends_with(&report), "{line}: {run}");
    }
    assert!(held.go_on().status.success());
    nothing_is_left(&dir);
}

/// What is around a mount point may be thrown away with a container: all that a run keeps is in
/// PATH, and is no part of the tree.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[test]
fn in_a_mount_point_a_run_keeps_its_notes_in_it() {
    if !tools::runs("unshare", &["-m", "mount", "-t", "tmpfs", "none", "/mnt"]) {
        tools::skipped("nothing can be mounted here");
        return;
    }
    let dir = TestDir::with(&[("site/a.html", PAGE)]);
    dir.directory("mounted");
    let script =
        "mount --bind site mounted || exit 99; \"$0\" \"$@\" || exit; \"$0\" refs mounted -q";
    let line =
        "move mounted --base http://old/ --from http://old/ --to http://old/a/ --in-place -q";
    dir.relink_by(&["unshare", "-m", "sh", "-c", script], line).exits(0);
    for note in [".relink-manifest", ".relink-moves"] {
        let path = dir.path("site").join(note);
        let mode = fs::metadata(&path).unwrap_or_else(|_| panic!("{note}")).permissions().mode();
        assert_eq!(mode & 0o077, 0, "{note}");
    }
    let names = |name: &str| fs::read_dir(dir.path(name)).unwrap().count();
    assert_eq!([names("."), names("mounted"), names("site")], [2, 0, 3], "nothing is beside it");
    // Without the mount it is found too, and is not copied.
    dir.relink("absolutize site --base http://h/ -o out -q").exits(0);
    assert_eq!(names("out"), 1);
    dir.relink("undo site -q").exits(0);
    assert_eq!(dir.text("site/a.html"), PAGE);
}
