//! Several files below one URL, `--files-from`, `--ignore-files`.

use crate::dir::TestDir;
use crate::words::{self, CANNOT_READ, EXCLUDES};

const PAGE: &str = "<a href=x/>";

fn tree() -> TestDir {
    TestDir::with(&[
        ("a.html", PAGE),
        ("b c.html", PAGE),
        ("d/e.html", PAGE),
        ("d/f.html", PAGE),
        ("d/g/h.html", PAGE),
        ("other.html", PAGE),
    ])
}

/// A page whose reference was made absolute below this URL.
fn absolute(directory: &str) -> String {
    format!("<a href=http://h.example/{directory}x/>")
}

#[test]
fn each_of_several_files_has_the_url_of_its_path() {
    let dir = tree();
    let run = dir.relink("absolutize ./d/f.html a.html d/g -o out --base http://h.example/");
    run.exits(0);
    assert_eq!(dir.text("out/a.html"), absolute(""));
    assert_eq!(dir.text("out/d/f.html"), absolute("d/"));
    assert_eq!(dir.text("out/d/g/h.html"), absolute("d/g/"));
    // Nothing else is read or copied.
    assert!(!dir.has("out/other.html") && !dir.has("out/d/e.html"));
    // What exists next to them counts.
    dir.file("to.html", "<a href=http://h.example/d/e.html><a href=http://h.example/no.html>");
    let run = dir.relink(
        "relativize to.html a.html --base http://h.example/ --for file --diff -q --missing report",
    );
    assert!(run.text().contains("+<a href=d/e.html><a href=http://h.example/no.html>"), "{run}");
}

#[test]
fn a_path_that_is_not_below_the_directory_is_refused() {
    let dir = tree();
    dir.directory("in");
    let absolute_path = dir.path("a.html");
    let absolute_path = absolute_path.to_str().expect("UTF-8");
    for path in ["../a.html", "d/../a.html", absolute_path] {
        dir.relink(&format!("refs b.html {path} --base http://h.example/")).fails(&format!(
            "{path}: cannot be one of several files; it is not below the current directory, which has the URL; use a relative path without `..`, or `--map PATH=URL`"
        ));
    }
}

#[test]
fn files_are_read_from_a_list() {
    let dir = tree();
    dir.file("list", "d/e.html\n\n./b c.html\r\nd/e.html\nd\n");
    dir.relink("absolutize --files-from list -o out --base http://h.example/").exits(0);
    assert_eq!(dir.text("out/b c.html"), absolute(""));
    assert_eq!(dir.text("out/d/g/h.html"), absolute("d/g/"));
    assert!(!dir.has("out/a.html"));
    // From a pipe, with zero bytes.
    let run = dir.pipe("refs --files-from - -0 --base http://h.example/", b"d/f.html\0b c.html\0");
    run.exits(0).prints(
        "./b c.html:1:9: a[href] x/ -> http://h.example/x/\n./d/f.html:1:9: a[href] x/ -> http://h.example/d/x/\n",
    );
    // The other options of URLs.
    let run = dir.relink("refs --files-from list --map d=http://d.example/");
    assert!(run.text().contains("./d/e.html:1:9: a[href] x/ -> http://d.example/x/"), "{run}");
}

#[test]
fn lists_that_cannot_be_used() {
    let dir = tree();
    dir.file("empty", "\n");
    dir.file("zero", "a.html\0");
    dir.file("missing", "a.html\nno.html\n");
    dir.relink("refs --files-from empty").fails(
        "empty: cannot use this list of files; it is empty; expected the path of a file on each line",
    );
    dir.relink("refs --files-from zero").fails(
        "zero: cannot use this list of files; it contains a zero byte; use --null if one follows each path",
    );
    dir.relink("refs --files-from no").fails(&words::missing("no"));
    // The other files go on.
    let run = dir.relink("refs --files-from missing --base http://h.example/").exits(2);
    assert!(run.text().contains("./a.html:1:9: a[href] x/"), "{run}");
    assert!(run.has_line_with(&format!("./no.html: {CANNOT_READ}")), "{run}");
    let run = dir.relink("refs a.html --files-from missing").exits(2);
    assert!(run.stderr.contains(EXCLUDES), "{run}");
}

#[test]
fn a_list_in_place_is_one_run() {
    let dir = TestDir::new();
    dir.file("in/a.html", PAGE);
    dir.file("in/d/e.html", PAGE);
    dir.file("in/other.html", PAGE);
    dir.file("list", "a.html\nd/e.html\n");
    let command = dir.path("in");
    let relink = |line: &str| {
        let status = std::process::Command::new(env!("CARGO_BIN_EXE_relink"))
            .args(line.split(' '))
            .current_dir(&command)
            .status();
        assert!(status.expect("the program starts").success(), "{line}");
    };
    relink("absolutize --files-from ../list --base http://h.example/ --in-place --backup");
    assert_eq!(dir.text("in/a.html"), absolute(""));
    assert_eq!(dir.text("in/d/e.html"), absolute("d/"));
    assert_eq!(dir.text("in/other.html"), PAGE);
    for file in ["a.html", "d/e.html"] {
        assert_eq!(dir.text(format!("in/{file}.orig")), PAGE, "{file}");
    }
    // A second run reads the list in the same way, and finds nothing to do.
    relink("absolutize --files-from ../list --base http://h.example/ --in-place");
    assert!(!dir.has(".in.relink-journal"));
}

#[test]
fn ignore_files_exclude_documents() {
    let dir = TestDir::with(&[
        ("site/.gitignore", "build/\n*.tmp.html\n!keep.tmp.html\n"),
        ("site/a.html", PAGE),
        ("site/b.tmp.html", PAGE),
        ("site/keep.tmp.html", PAGE),
        ("site/build/c.html", PAGE),
        ("site/d/.ignore", "e.html\n"),
        ("site/d/e.html", PAGE),
        ("site/d/f.html", PAGE),
        ("site/.hidden.html", PAGE),
    ]);
    dir.relink("absolutize site --base http://h.example/ --ignore-files -o out").exits(0);
    for (file, is_converted) in [
        ("a.html", true),
        ("b.tmp.html", false),
        ("keep.tmp.html", true),
        ("build/c.html", false),
        ("d/e.html", false),
        ("d/f.html", true),
        (".hidden.html", true),
    ] {
        assert_eq!(dir.text(format!("out/{file}")) != PAGE, is_converted, "{file}");
    }
    // Without the option, they do not count.
    dir.relink("absolutize site --base http://h.example/ -o all").exits(0);
    assert_ne!(dir.text("all/build/c.html"), PAGE);
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_typed_is_the_current_directory() {
    let dir = TestDir::with(&[("a.html", "<a href=sub/b.html>"), ("sub/b.html", "<a href=x>")]);
    let by_shell = |line: &str, redirected: &str| {
        dir.relink_by(&["sh", "-c", &format!("exec \"$0\" \"$@\" {redirected}")], line)
    };
    for line in ["refs", "check", "bases", "relativize --base http://h/ --diff"] {
        let (name, options) = line.split_once(' ').unwrap_or((line, ""));
        let typed = by_shell(&format!("{name} . {options}"), "< /dev/null");
        assert!(!typed.stdout.is_empty() || line.starts_with("relativize"), "{typed}");
        // Nothing waits there.
        for redirected in ["< /dev/null", "<&-"] {
            let run = by_shell(line, redirected);
            assert_eq!((&run.stdout, &run.stderr), (&typed.stdout, &typed.stderr), "{run}");
        }
        for redirected in ["< a.html", ""] {
            let run = by_shell(line, redirected);
            run.fails("error: no PATH is given, and standard input is a pipe or a file; use `-` to read it, or `.` for the current directory");
        }
    }
    // These read no PATH, or write.
    dir.relink("check --explain no-file").exits(0);
    dir.relink("absolutize --base http://h/ --diff").exits(2);
    dir.relink("unpack -o out").exits(2);
}
