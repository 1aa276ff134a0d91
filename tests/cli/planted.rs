//! Files with the names of relink's own files that somebody else put there, and journals that came
//! with a tree.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::dir::TestDir;
use crate::journal::{
    MOVED, NESTED, PAGE, begun, broken_off, is_same, long_page, long_tree, nothing_is_left,
};
use crate::words::{
    self, CANNOT_READ, CANNOT_START, COPIED, IF_RIGHT, JOURNAL_NOT_TRUSTED, MOVE_IT_AWAY,
};

const MOVE: &str = "move site --from http://old/ --to http://old/a/ --in-place";

/// The commands that look at a journal or a note of moves beside a PATH.
const COMMANDS: [&str; 5] = [
    MOVE,
    "absolutize site --base http://old/ --in-place",
    "absolutize site --base http://old/ --dry-run",
    "undo site",
    "resume site",
];

fn make(dir: &TestDir, program: &str, args: &[&str]) {
    let status = Command::new(program).args(args).current_dir(dir.path(".")).status().unwrap();
    assert!(status.success(), "{program} {args:?}");
}

#[test]
fn a_pipe_is_not_waited_for() {
    for name in [".site.relink-journal", ".site.relink-moves"] {
        let dir = TestDir::with(&[("site/a.html", PAGE)]);
        make(&dir, "mkfifo", &[name]);
        for command in COMMANDS {
            // A run that hangs fails the test.
            dir.relink(command);
        }
        let run = dir.relink(MOVE).exits(2);
        assert!(run.stderr.contains(name) && run.stderr.contains(MOVE_IT_AWAY), "{run}");
        assert_eq!(dir.text("site/a.html"), PAGE);
    }
}

#[test]
fn a_link_is_not_followed() {
    for name in [".site.relink-journal", ".site.relink-moves"] {
        for target in ["/dev/zero", "mine"] {
            let dir = TestDir::with(&[("site/a.html", PAGE), ("mine", "mine\n")]);
            symlink(target, dir.path(name)).unwrap();
            for command in COMMANDS {
                dir.relink(command);
            }
            let run = dir.relink(MOVE).exits(2);
            assert!(run.stderr.contains(name) && run.stderr.contains(MOVE_IT_AWAY), "{run}");
            assert_eq!(dir.text("site/a.html"), PAGE);
            assert_eq!(dir.text("mine"), "mine\n");
        }
    }
}

/// Nine gigabytes of nothing, with and without the first line of a journal or a note.
#[test]
fn a_huge_file_takes_no_memory() {
    for (name, start) in [
        (".site.relink-journal", ""),
        (".site.relink-journal", "{\"record\":\"relink-journal\",\"version\":5}\n"),
        (".site.relink-moves", ""),
        (
            ".site.relink-moves",
            "{\"record\":\"relink-moves\",\"version\":1,\"moves\":[[\"http://a/\",\"http://b/\"]]}\n",
        ),
    ] {
        let dir = TestDir::with(&[("site/a.html", PAGE), (name, start)]);
        make(&dir, "truncate", &["--size", "9G", name]);
        make(&dir, "chmod", &["600", name]);
        for command in ["undo site", MOVE] {
            let relink = env!("CARGO_BIN_EXE_relink");
            // One thread, as each reserves memory for itself.
            // Nor is it read to its end: that takes many seconds of the processor.
            let limited =
                format!("ulimit -t 8; ulimit -n 32; ulimit -v 2000000; {relink} {command}");
            let run = Command::new("sh")
                .args(["-c", &limited])
                .current_dir(dir.path("."))
                .output()
                .unwrap();
            let report = String::from_utf8_lossy(&run.stderr);
            let is_known = matches!(run.status.code(), Some(0 | 2));
            assert!(is_known && !report.contains("memory"), "{name} {command}: {report}");
        }
    }
}

/// A file without an end, or one that would fill the memory, is no list, and what is no regular
/// file is not written over.
#[cfg(target_os = "linux")]
#[test]
fn lists_have_an_end_and_targets_are_files() {
    let dir = TestDir::with(&[("site/a.html", PAGE)]);
    let first = dir.tree("site");
    for line in [
        "move site --base http://h/ --renames /dev/zero -n",
        "move site --base http://h/ --renames /dev/zero --rename-files --in-place",
    ] {
        dir.relink(line).fails("/dev/zero: cannot read; it is longer than 256 MiB; use several");
    }
    let zero = |line: &str| {
        dir.relink_by(&["sh", "-c", "exec \"$0\" \"$@\" < /dev/zero"], line)
            .exits(2)
            .fails("-: cannot read; it is longer than 256 MiB; use several")
    };
    zero("url find");
    zero("url parse --batch");
    dir.file("names.tsv", "a.html\tb.html\n");
    // Another program reads it.
    let words = ["sh", "-c", "\"$0\" \"$@\" | cat"];
    let run = dir.relink_by(&words, "move site --base http://h/ --renames names.tsv --rename-files --in-place --redirects nginx=/dev/stdout");
    assert!(run.stderr.contains("cannot write redirects here"), "{run}");
    assert!(dir.tree("site") == first);
}

/// Returns a tree with an interrupted run, unpacked elsewhere from an archive.
fn unpacked() -> Option<(TestDir, TestDir)> {
    if !crate::tools::has("tar", &["--version"]) {
        return None;
    }
    let dir = long_tree();
    broken_off(&dir, NESTED);
    let copy = TestDir::new();
    make(&dir, "tar", &["-cf", "site.tar", "site", ".site.relink-journal"]);
    let archive = dir.path("site.tar");
    make(&copy, "tar", &["-xf", archive.to_str().unwrap()]);
    Some((dir, copy))
}

#[test]
fn a_journal_that_was_unpacked_is_not_believed() {
    let Some((dir, copy)) = unpacked() else { return };
    let tree = copy.tree("site");
    for command in ["resume site", "undo site", "resume", "undo"] {
        let run = copy.relink(command).exits(2);
        let name = command.split(' ').next().unwrap();
        let end = format!(
            "{}: cannot {name}; the journal is not trusted: it was copied, unpacked or restored; if the lines above are right, use `relink {name} --trust`, else remove the journal\n",
            copy.real(".site.relink-journal")
        );
        assert!(run.stderr.ends_with(&end), "{run}");
        let path = dir.path("site").canonicalize().unwrap();
        assert!(run.stderr.contains(path.to_str().unwrap()), "{run}");
    }
    // No message advises what would be refused.
    let run = copy.relink("absolutize site --base http://h/ --in-place").exits(2);
    assert!(
        run.has_line(&format!(
            "site: {CANNOT_START}; the journal {} of an interrupted run is not trusted: {COPIED}; remove it, or see `--trust` in `relink undo --help`",
            copy.real(".site.relink-journal")
        )),
        "{run}"
    );
    assert!(!run.stderr.contains("relink resume"), "{run}");
    assert!(copy.tree("site") == tree);
    assert_eq!(dir.text("site/a.html"), MOVED);
    copy.relink("undo site --trust").exits(0);
    assert_eq!(copy.text("site/a.html"), PAGE);
    nothing_is_left(&copy);
    dir.relink("undo site").exits(0);
}

/// The command of the journal is about another directory of this user.
#[test]
fn a_journal_that_was_unpacked_writes_nowhere_else() {
    let Some((dir, copy)) = unpacked() else { return };
    let tree = dir.tree("site");
    fs::remove_file(dir.path(".site.relink-journal")).unwrap();
    for command in ["resume site", "resume site --trust"] {
        copy.relink(command).exits(2);
        assert!(dir.tree("site") == tree, "{command}");
    }
}

/// A tree that was renamed together with its journal is the same tree.
#[test]
fn a_renamed_tree_is_believed() {
    let dir = long_tree();
    let tree = dir.tree("site");
    broken_off(&dir, NESTED);
    fs::create_dir(dir.path("there")).unwrap();
    for name in ["site", ".site.relink-journal"] {
        fs::rename(dir.path(name), dir.path("there").join(name)).unwrap();
    }
    dir.relink("undo there/site -q").exits(0).reports("");
    assert!(is_same(&dir.tree("there/site"), &tree));
}

/// A tree that was replaced by another one is not.
#[test]
fn another_tree_in_its_place_is_not_touched() {
    let dir = long_tree();
    broken_off(&dir, NESTED);
    fs::rename(dir.path("site"), dir.path("old")).unwrap();
    make(&dir, "cp", &["-a", "old", "site"]);
    let tree = dir.tree("site");
    for command in ["resume site", "undo site"] {
        let run = dir.relink(command).exits(2);
        let reason = format!(
            "; {JOURNAL_NOT_TRUSTED}: {} is not the directory of the run; {IF_RIGHT}, ",
            dir.real("site")
        );
        assert!(run.stderr.contains(&reason), "{run}");
    }
    assert!(dir.tree("site") == tree);
}

/// What another version records may mean something else.
#[test]
fn a_journal_of_another_version_is_refused() {
    let dir = long_tree();
    broken_off(&dir, NESTED);
    let (tree, journal) = (dir.tree("site"), dir.text(".site.relink-journal"));
    for version in [4, 6] {
        let other = journal.replacen("\"version\":5", &format!("\"version\":{version}"), 1);
        fs::write(dir.path(".site.relink-journal"), &other).unwrap();
        for command in ["resume site --trust", "undo site --trust", NESTED] {
            let run = dir.relink(command).exits(2);
            let reason = words::of_other_version(version);
            assert!(run.stderr.contains(&reason), "{run}");
        }
        assert!(is_same(&dir.tree("site"), &tree) && dir.text(".site.relink-journal") == other);
    }
}

#[test]
fn a_record_of_another_version_is_refused() {
    let dir = TestDir::with(&[("site/a.html", PAGE)]);
    dir.relink(&format!("{MOVE} -q")).exits(0);
    let (name, tree) = (".site.relink-moves", dir.tree("site"));
    let other = dir.text(name).replacen("\"version\":1", "\"version\":2", 1);
    dir.file(name, &other);
    for run in [MOVE.to_owned(), format!("{MOVE} --again")] {
        let run = dir.relink(&run).exits(2);
        let reason = format!("/{name}: {CANNOT_READ}; {}\n", words::of_other_version(2));
        assert!(run.stderr.ends_with(&reason), "{run}");
    }
    assert!(is_same(&dir.tree("site"), &tree) && dir.text(name) == other);
}

/// What a relative path leads to depends on where the command is typed.
#[test]
fn a_relative_path_needs_trust() {
    let dir = long_tree();
    broken_off(&dir, NESTED);
    let journal = dir.text(".site.relink-journal");
    let root = dir.path("site").canonicalize().unwrap();
    let path = |path: &str| format!("\"path\":\"{path}\"");
    let relative = journal.replace(&path(&root.display().to_string()), &path("site"));
    assert_ne!(journal, relative);
    fs::write(dir.path(".site.relink-journal"), relative).unwrap();
    for command in ["resume site", "undo site"] {
        let run = dir.relink(command).exits(2);
        let reason = &format!("; {JOURNAL_NOT_TRUSTED}: it contains the relative path site; ");
        assert!(run.stderr.contains(reason), "{run}");
    }
}

#[test]
fn a_trusted_journal_is_resumed() {
    let dir = long_tree();
    broken_off(&dir, NESTED);
    let journal = fs::read(dir.path(".site.relink-journal")).unwrap();
    // The content is the same, the file is not.
    fs::rename(dir.path(".site.relink-journal"), dir.path("old")).unwrap();
    fs::write(dir.path(".site.relink-journal"), journal).unwrap();
    make(&dir, "chmod", &["600", ".site.relink-journal"]);
    dir.relink("resume site").exits(2);
    dir.relink("resume site --trust").exits(0);
    fs::remove_file(dir.path("old")).unwrap();
    assert!(dir.text("site/z.html") == long_page(MOVED));
    nothing_is_left(&dir);
}

/// The link is resolved once, when the run begins.
#[test]
fn a_path_that_is_a_link_is_resolved_once() {
    let dir = long_tree();
    fs::rename(dir.path("site"), dir.path("r1")).unwrap();
    symlink("r1", dir.path("site")).unwrap();
    make(&dir, "cp", &["-a", "r1", "r2"]);
    let other = dir.tree("r2");
    let held = begun(&dir, NESTED);
    symlink("r2", dir.path("new")).unwrap();
    fs::rename(dir.path("new"), dir.path("site")).unwrap();
    assert!(held.go_on().status.success());
    assert!(dir.tree("r2") == other);
    assert!(dir.text("r1/z.html") == long_page(MOVED));
}
