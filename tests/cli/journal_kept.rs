//! Runs that are interrupted, and what has happened since: trees that were moved or copied,
//! documents that are gone, journals that were cut or come from somebody else, PATHs that other
//! runs are over.

use std::fs;
use std::process::Command;

use crate::dir::TestDir;
use crate::journal::{
    MOVED, NESTED, PAGE, PIPE, begun, begun_until, broken_off, is_same, long_page, long_tree,
    many_files, nothing_is_left, nothing_is_left_in,
};
use crate::words::{
    COPIED, FROM_BACKUP, IF_RIGHT, JOURNAL_NOT_TRUSTED, MOVE_IT_AWAY, NOT_RESTORED, RUNS_ALREADY,
};

/// The run would have been over the whole tree: half of it is not copied without a word.
#[test]
fn what_is_read_from_a_tree_that_was_broken_off_is_reported() {
    let dir = long_tree();
    broken_off(&dir, NESTED);
    let run = dir.relink("absolutize site --base http://old/ -o out").exits(0);
    let report = "site: read as it is now; a run with --in-place was interrupted or is active here; use `relink resume` or `relink undo` first to get a consistent tree\n";
    assert!(run.stderr.starts_with(report), "{run}");
    dir.relink("undo site -q").exits(0).reports("");
    let run = dir.relink("absolutize site --base http://old/ --dry-run").exits(0);
    assert!(!run.stderr.contains("interrupted"), "{run}");
}

/// Files of several directories: a later one is locked as the first is.
#[test]
fn no_run_over_one_of_several_files_meets_another() {
    let dir = long_tree();
    for path in ["x/p.html", "y/p.html", "y/q.html"] {
        dir.file(path, PAGE);
    }
    let line = "move site/a.html site/z.html x/p.html y/p.html --map site=http://old/ --map x/p.html=http://old/x/p --map y/p.html=http://old/y/p --from http://old/ --to http://old/a/ --in-place -v";
    let trees = ["site", "x", "y"].map(|name| dir.tree(name));
    let others = [
        "absolutize y/p.html --base http://old/ -i",
        "absolutize y --base http://old/ -i",
        "absolutize . --base http://old/ -i",
        "absolutize x/p.html --base http://old/ -i",
        "absolutize y/q.html x/p.html --map y/q.html=http://q/1 --map x/p.html=http://q/2 -i",
    ];
    let held = begun(&dir, line);
    for other in others {
        let run = dir.relink(other).exits(2);
        let busy = &format!(": {RUNS_ALREADY}\n");
        assert!(run.stderr.ends_with(busy), "{other}: {run}");
    }
    drop(held);
    fs::remove_file(dir.path(PIPE)).unwrap();
    for other in others {
        let run = dir.relink(other).exits(2);
        assert!(
            run.stderr.contains(
                "a run was interrupted here (relink move --from=http://old/ --in-place --map="
            ),
            "{other}: {run}"
        );
    }
    for path in ["y/p.html", "y", "x"] {
        let copy = TestDir::new();
        copy_tree(&dir, &copy);
        // The copy is not the tree that its journal is about, with or without trust.
        copy.relink(&format!("undo {path}")).exits(2);
        copy.relink(&format!("undo {path} --trust")).exits(2);
        assert_eq!(dir.text("site/a.html"), MOVED, "{path}");
    }
    dir.relink("undo y/p.html -q").exits(0).reports("");
    for (name, tree) in ["site", "x", "y"].iter().zip(&trees) {
        assert!(is_same(&dir.tree(name), tree), "{name}");
    }
    nothing_is_left(&dir);
}

fn copy_tree(from: &TestDir, to: &TestDir) {
    let status =
        Command::new("cp").arg("-a").args([from.path("."), to.path(".")]).status().unwrap();
    assert!(status.success());
}

/// In a copy, and after a move, what lay beside the first PATH is put back there, and not where it
/// was.
#[test]
fn further_paths_go_along_with_the_first() {
    let dir = TestDir::new();
    let tree = long_tree();
    copy_tree(&tree, &dir);
    dir.file("w/more/a.html", PAGE);
    fs::rename(dir.path("site"), dir.path("w/site")).unwrap();
    let old = dir.tree("w");
    let line = "move w/more w/site --map w/more=http://old/more/ --map w/site=http://old/ --from http://old/ --to http://old/a/ --in-place -j1";
    drop(begun_until(&dir, line, &["w/site/a.html"], "w/site/e.pipe"));
    fs::remove_file(dir.path("w/site/e.pipe")).unwrap();
    let half = dir.tree("w");
    let status =
        Command::new("cp").arg("-a").args([dir.path("w"), dir.path("copy")]).status().unwrap();
    assert!(status.success());
    let run = dir.relink("undo copy/site").exits(2);
    assert!(
        run.has_line(&format!(
            "copy/site: this is a copy of the tree of the run; {} belongs to the original; use the first PATH of the copy",
            dir.real("w/.more.relink-journal")
        )),
        "{run}"
    );
    // A copy of a journal is trusted only if the user says so.
    let run = dir.relink("undo copy/more").exits(2);
    let journal = dir.real("copy/.more.relink-journal");
    assert!(
        run.has_line(&format!(
            "{journal}: cannot undo; {JOURNAL_NOT_TRUSTED}: {COPIED}; {IF_RIGHT}, use `relink undo --trust`, else remove the journal"
        )),
        "{run}"
    );
    let [is, was] = ["copy/site", "w/site"].map(|name| dir.real(name));
    assert!(run.has_line(&format!("{journal}: records changes in {is}, which was {was}")), "{run}");
    dir.relink("undo copy/more -q --trust").exits(0).reports("");
    assert!(dir.tree("w") == half);
    assert!(is_same(&dir.tree("copy"), &old));
    nothing_is_left_in(&dir, "copy");
    // Of a copy of the first alone what lies elsewhere is not touched.
    fs::create_dir(dir.path("alone")).unwrap();
    for name in ["more", ".more.relink-journal"] {
        let status = Command::new("cp")
            .arg("-a")
            .args([dir.path("w").join(name), dir.path("alone")])
            .status()
            .unwrap();
        assert!(status.success());
    }
    let run = dir.relink("undo alone/more --trust").exits(2);
    assert!(
        run.has_line(&format!(
            "{}: {NOT_RESTORED}; the journal was moved or copied without this PATH; move them together and run `relink undo` again",
            dir.real("w/site/a.html")
        )),
        "{run}"
    );
    assert_eq!([dir.text("alone/more/a.html"), dir.text("w/site/a.html")], [PAGE, MOVED]);
    assert!(dir.tree("w") == half);
    let old_journal = dir.real("w/.more.relink-journal");
    fs::rename(dir.path("w"), dir.path("there")).unwrap();
    let run = dir.relink("undo there/site").exits(2);
    assert!(
        run.has_line(&format!(
            "there/site: cannot find the journal of the run; {} does not exist; use the first PATH of the run where it is now, or remove {}",
            old_journal,
            dir.real("there/.site.relink-journal")
        )),
        "{run}"
    );
    dir.relink("undo there/more -q").exits(0).reports("");
    assert!(is_same(&dir.tree("there"), &old));
    nothing_is_left_in(&dir, "there");
}

/// Whatever a journal has lost: what it does not say about any more is not passed over.
#[test]
fn a_journal_that_has_lost_something_is_reported() {
    let dir = long_tree();
    // The documents are noted in their order then.
    let line = format!("{NESTED} -j1");
    broken_off(&dir, &line);
    let journal = fs::read(dir.path(".site.relink-journal")).unwrap();
    let copy = |end: usize, more: &[u8]| {
        let copy = TestDir::new();
        copy_tree(&dir, &copy);
        copy.file(".site.relink-journal", [&journal[..end], more].concat());
        copy
    };
    let starts: Vec<usize> =
        memchr::memmem::find_iter(&journal, b"\n{\"record\":\"file\"").map(|at| at + 1).collect();
    let (first, second) = (starts[0], starts[1]);
    // In the edits of the first document, and at their end.
    let cut = memchr::memmem::find(&journal, b"\n{\"record\":\"edit\"").unwrap() + 8;
    for (end, more) in [(cut, &b""[..]), (cut, &[0; 600]), (second - 2, b"")] {
        let copy = copy(end, more);
        let run = copy.relink("undo site --trust").exits(2);
        assert!(
            run.has_line(&format!(
                "{}: {NOT_RESTORED}; the file was replaced, and its record in the journal is incomplete, perhaps like those of other files; {FROM_BACKUP}",
                copy.real("site/a.html")
            )),
            "{run}"
        );
        assert_eq!(copy.text("site/a.html"), MOVED);
        assert!(copy.has(".site.relink-journal"));
        // And it is not moved twice.
        copy.relink(&line).exits(0);
        assert_eq!(copy.text("site/a.html"), MOVED);
    }
    // Of which PATH a document is, and what the run was.
    let text = String::from_utf8(journal.clone()).unwrap();
    let (start, rest) = text.split_at(first);
    let mut lines = start.lines();
    let [head, root] = [lines.next(), lines.next()].map(Option::unwrap);
    let run = lines.find(|line| line.starts_with("{\"record\":\"run\"")).unwrap();
    assert!(root.starts_with("{\"record\":\"kept\""));
    let copy = copy(0, format!("{head}\n{run}\n{rest}").as_bytes());
    let run = copy.relink("undo site --trust").exits(2);
    assert!(
        run.has_line(&format!("a.html: {NOT_RESTORED}; the journal is damaged and does not contain the directory of this file; {FROM_BACKUP}")),
        "{run}"
    );
    assert!(copy.has(".site.relink-journal"));
    copy.file(".site.relink-journal", format!("{head}\n{root}\n{{\"record\":\"run\"}}\n{rest}"));
    copy.relink("resume site --trust").exits(2);
    copy.relink("undo site -q --trust").exits(0);
    assert_eq!(copy.text("site/a.html"), PAGE);
}

/// What a run has noted and does not find any more is not passed over either.
#[test]
fn what_is_gone_keeps_the_journal() {
    let dir = long_tree();
    let tree = dir.tree("site");
    broken_off(&dir, NESTED);
    fs::rename(dir.path("site/d"), dir.path("d")).unwrap();
    for _ in 0..2 {
        let run = dir.relink("resume site").exits(2);
        let report = "site/d/b.html: not found; it was removed since the interrupted run, or is behind a symbolic link now\n";
        assert!(run.stderr.contains(report), "{run}");
        let end = format!(
            "error: the run is incomplete; files that it had converted are missing; restore them and use `relink resume` to continue, or remove {} to give them up\n",
            dir.real(".site.relink-journal")
        );
        assert!(run.stderr.ends_with(&end), "{run}");
        assert!(dir.has(".site.relink-journal"));
        // Nor is it looked for behind a link.
        drop(std::os::unix::fs::symlink("../d", dir.path("site/d")));
    }
    assert!(dir.text("site/z.html") == long_page(MOVED));
    fs::remove_file(dir.path("site/d")).unwrap();
    fs::rename(dir.path("d"), dir.path("site/d")).unwrap();
    dir.relink("undo site -q").exits(0).reports("");
    assert!(is_same(&dir.tree("site"), &tree));
    nothing_is_left(&dir);
}

/// A journal is trusted only where nobody else can have written it.
#[test]
fn the_journal_of_somebody_else_is_not_believed() {
    use std::os::unix::fs::PermissionsExt;
    let dir = TestDir::with(&[("site/a.html", PAGE), (".site.relink-journal", "")]);
    let journal = dir.path(".site.relink-journal");
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o666)).unwrap();
    for line in ["absolutize site --base http://old/ -i", "undo site", "resume site"] {
        let run = dir.relink(line).exits(2);
        assert!(
            run.stderr.ends_with(&format!("/.site.relink-journal: cannot use this journal; it is not trusted because another user owns it or can write it; {MOVE_IT_AWAY}, or run relink as its owner\n")),
            "{run}"
        );
    }
    assert_eq!(dir.text("site/a.html"), PAGE);
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o600)).unwrap();
    dir.relink("absolutize site --base http://old/ -i").exits(0);
    nothing_is_left(&dir);
}

/// Beside a directory with the longest name there is no place for a longer one.
#[test]
fn long_names_have_their_journal_inside() {
    let dir = long_tree();
    let name = "n".repeat(250);
    fs::rename(dir.path("site"), dir.path(&name)).unwrap();
    dir.relink(&format!("absolutize {name} --base http://h/ -i -q")).exits(0).reports("");
    nothing_is_left(&dir);
}

/// A single file that is done already is no file that is not known.
#[test]
fn a_single_file_that_is_done_is_none_that_is_unknown() {
    let dir = TestDir::with(&[("p.html", PAGE), ("q.html", PAGE)]);
    many_files(&dir, "site/m");
    dir.file("site/z.html", PAGE);
    let line = "move p.html q.html site --map p.html=http://old/p --map q.html=http://old/q --map site=http://old/ --from http://old/ --to http://old/a/ -i -j1";
    drop(begun_until(&dir, line, &["p.html", "q.html"], PIPE));
    fs::remove_file(dir.path(PIPE)).unwrap();
    assert_eq!(dir.text("site/z.html"), PAGE);
    let run = dir.relink("resume").exits(0);
    assert!(
        run.has_line("note: 2 documents skipped; already converted by the interrupted run"),
        "{run}"
    );
    assert!(!run.stderr.contains("known type"), "{run}");
    nothing_is_left(&dir);
}
