//! Where the output of `absolutize` goes: standard output, nowhere, over what is there; and
//! standard input.

use crate::dir::TestDir;
use crate::words::{
    self, CANNOT_WRITE_HERE, INVALID_VALUE, ON_REQUEST, REWRITTEN, UNKNOWN_TYPE, UNSUPPORTED,
};

fn site() -> TestDir {
    TestDir::with(&[("site/a.html", "<a href=x>\n"), ("site/s.css", "a{b:url(y)}\n")])
}

#[test]
fn a_file_is_written_to_standard_output() {
    let dir = site();
    dir.relink("absolutize site/a.html --base http://h/d/ -o - -q")
        .exits(0)
        .reports("")
        .prints("<a href=http://h/d/x>\n");
    dir.relink("absolutize site/s.css --base http://h/d/ -o - -q")
        .exits(0)
        .prints("a{b:url(http://h/d/y)}\n");
}

#[test]
fn a_document_that_is_not_changed_is_still_written() {
    let dir = TestDir::with(&[("a.html", "<p>nothing\r\n\0 here")]);
    dir.relink("absolutize a.html --base http://h/ -o - -q")
        .exits(0)
        .prints("<p>nothing\r\n\0 here");
}

#[test]
fn standard_input_goes_to_standard_output() {
    let dir = TestDir::new();
    dir.pipe("absolutize - --base http://h/a/b.html -q", b"<p>\xE9<a href=c>\r\n")
        .exits(0)
        .reports("")
        .prints(b"<p>\xE9<a href=http://h/a/c>\r\n");
    dir.pipe("absolutize - --base http://h/a/b.html -o - -q", b"<p><a href=c>")
        .exits(0)
        .prints("<p><a href=http://h/a/c>");
    dir.pipe("absolutize - --base http://h/ --type text/css -q", b"@import 'a.css';")
        .exits(0)
        .reports("")
        .prints("@import 'http://h/a.css';");
    dir.pipe("absolutize - --base http://h/ -o new.html -q", b"<p><a href=c>").exits(0).prints("");
    assert_eq!(dir.text("new.html"), "<p><a href=http://h/c>");
}

#[test]
fn the_url_of_standard_input_may_have_a_query() {
    TestDir::new()
        .pipe("absolutize - --base http://h/a?b=c -q", b"<p><a href=?d><a href=#e>")
        .exits(0)
        .prints("<p><a href=http://h/a?d><a href=#e>");
}

#[test]
fn standard_input_that_is_no_html_passes_and_is_reported() {
    let report = &format!("-: {UNKNOWN_TYPE}\n");
    let run = TestDir::new().pipe("absolutize - --base http://h/", b"a{b:url(c)}").exits(0);
    assert!(run.stderr.starts_with(report), "{run}");
    run.prints("a{b:url(c)}");
}

#[test]
fn what_is_named_and_not_read_is_reported_and_counts_under_strict() {
    let dir = TestDir::with(&[
        ("a.txt", "text"),
        ("b.svgz", "<svg/>"),
        ("c.bin", "text"),
        ("site/c.txt", "text"),
    ]);
    let compressed = format!("b.svgz: {UNSUPPORTED}: compressed file or archive");
    let report = [
        (
            "a.txt",
            "a.txt: skipped; documents of this type are read on request only; use `--also text` to read them",
        ),
        (
            "c.bin",
            "c.bin: skipped; not a known type of document; use `--type EXT=MEDIA/TYPE` to set its type",
        ),
        ("b.svgz", compressed.as_str()),
    ];
    for (path, report) in report {
        let run = dir.relink(&format!("absolutize {path} --base http://h/ -o - --strict")).exits(1);
        assert!(run.stderr.starts_with(report), "{run}");
        run.prints(dir.text(path));
        dir.relink(&format!("absolutize {path} --base http://h/ -o -")).exits(0);
        let run = dir.relink(&format!("refs {path} --strict")).exits(1).prints("");
        assert!(run.stderr.starts_with(report), "{run}");
    }
    dir.pipe("absolutize - --base http://h/ --strict", b"text").exits(1).prints("text");
    let run = dir.pipe("absolutize - --type text/markdown --base http://h/", b"[a](b)").exits(0);
    let report = &format!("-: {ON_REQUEST}; use `--also markdown` to read them\n");
    assert!(run.stderr.starts_with(report), "{run}");
    dir.relink("absolutize site --base http://h/ -o out --strict").exits(0);
}

#[test]
fn fragments_in_a_pipe_are_html() {
    let dir = TestDir::new();
    for tag in ["<base href=a>", "<img src=a>", "<link href=a>", "<meta charset=utf-8>"] {
        let run =
            dir.pipe("absolutize - --base http://h/ -q", format!("{tag}<a href=b>").as_bytes());
        assert!(run.exits(0).stdout.ends_with(b"href=http://h/b>"), "{tag}");
    }
}

#[test]
fn names_with_a_query_are_what_they_are_without_it() {
    let dir = TestDir::with(&[
        ("site/a.css?ver=5.1", "a{b:url(c)}"),
        ("site/d.css@ver=5.1", "a{b:url(c)}"),
        ("site/e.php?f=g.html", "<p><a href=h>"),
    ]);
    dir.relink("absolutize site --base http://h/ -o out -q").exits(0);
    for path in ["out/a.css?ver=5.1", "out/d.css@ver=5.1"] {
        assert_eq!(dir.text(path), "a{b:url(http://h/c)}");
    }
    assert_eq!(dir.text("out/e.php?f=g.html"), "<p><a href=http://h/h>");
}

#[test]
fn empty_standard_input_is_empty_standard_output() {
    let dir = TestDir::new();
    dir.pipe("absolutize - --base http://h/ --type text/html -q", b"")
        .exits(0)
        .reports("")
        .prints("");
}

#[test]
fn a_dry_run_writes_nothing_and_reports_what_it_would_do() {
    let dir = site();
    dir.file("site/t.txt", "text");
    let before = dir.tree("");
    let run = dir.relink("absolutize site --base http://h/ -o out --dry-run").exits(0).prints("");
    assert_eq!(dir.tree(""), before);
    let report = &format!(
        "2 documents, 2 would be changed; 1 other file not examined\n\
                2 references: 2 {REWRITTEN}\n"
    );
    assert!(run.stderr.starts_with(report), "{run}");
    dir.relink("absolutize site --base http://h/ --dry-run -q").exits(0).reports("").prints("");
    assert_eq!(dir.tree(""), before);
}

#[test]
fn a_diff_alone_writes_nothing() {
    let dir = site();
    let before = dir.tree("");
    dir.relink("absolutize site --base http://h/ --diff -q").exits(0).reports("").prints(
        "--- a/a.html\n+++ b/a.html\n@@ -1 +1 @@\n-<a href=x>\n+<a href=http://h/x>\n\
         --- a/s.css\n+++ b/s.css\n@@ -1 +1 @@\n-a{b:url(y)}\n+a{b:url(http://h/y)}\n",
    );
    assert_eq!(dir.tree(""), before);
}

#[test]
fn a_diff_with_an_output_writes_it_too() {
    let dir = site();
    let run = dir.relink("absolutize site --base http://h/ --diff -o out -q").exits(0);
    assert!(run.text().contains("+<a href=http://h/x>"), "{run}");
    assert_eq!(dir.text("out/a.html"), "<a href=http://h/x>\n");
}

#[test]
fn force_writes_over_what_is_there_and_leaves_the_rest() {
    let dir = site();
    dir.file("out/a.html", "old");
    dir.file("out/other/kept.html", "<a href=kept>");
    dir.relink("absolutize site --base http://h/ -o out -q").fails(&format!(
        "out: {CANNOT_WRITE_HERE}; the directory is not empty; use `--force` to write into it"
    ));
    assert_eq!(dir.text("out/a.html"), "old");
    dir.relink("absolutize site --base http://h/ -o out --force -q")
        .exits(0)
        .reports("")
        .prints("");
    assert_eq!(dir.text("out/a.html"), "<a href=http://h/x>\n");
    assert_eq!(dir.text("out/s.css"), "a{b:url(http://h/y)}\n");
    assert_eq!(dir.text("out/other/kept.html"), "<a href=kept>");
}

#[test]
fn an_empty_output_directory_needs_no_force() {
    let dir = site();
    dir.directory("out");
    dir.relink("absolutize site --base http://h/ -o out -q").exits(0).reports("");
    assert_eq!(dir.text("out/a.html"), "<a href=http://h/x>\n");
}

#[test]
fn force_writes_over_a_file() {
    let dir = site();
    dir.file("b.html", "old");
    let line = "absolutize site/a.html --base http://h/ -o b.html -q";
    dir.relink(line).fails(&format!(
        "b.html: {CANNOT_WRITE_HERE}; the file exists; use `--force` to replace it"
    ));
    assert_eq!(dir.text("b.html"), "old");
    dir.relink(&format!("{line} --force")).exits(0).reports("");
    assert_eq!(dir.text("b.html"), "<a href=http://h/x>\n");
    dir.pipe("absolutize - --base http://h/ -o b.html -q --force", b"<p>").exits(0);
    assert_eq!(dir.text("b.html"), "<p>");
}

#[test]
fn a_directory_in_the_way_of_a_file_costs_that_file_only() {
    let dir = site();
    dir.file("out/a.html/in the way", "x");
    let run = dir.relink("absolutize site --base http://h/ -o out --force -q").exits(2).prints("");
    let mut lines = run.stderr.lines();
    let line = lines.next().unwrap_or_default();
    assert!(line.starts_with("out/a.html: ") && lines.next().is_none(), "{run}");
    let names: Vec<_> = dir.tree("out").into_keys().collect();
    assert_eq!(names.len(), 4, "something was left behind: {names:?}");
    assert_eq!(dir.text("out/s.css"), "a{b:url(http://h/y)}\n");
}

#[test]
fn a_file_in_the_way_of_a_directory_costs_what_is_in_it_only() {
    let dir = TestDir::with(&[("site/a.html", "<a href=x>"), ("site/sub/b.html", "<a href=x>")]);
    dir.file("out/sub", "in the way");
    let run = dir.relink("absolutize site --base http://h/ -o out --force -q").exits(2).prints("");
    assert!(run.stderr.lines().all(|line| line.starts_with("out/sub")), "{run}");
    assert_eq!(dir.text("out/sub"), "in the way");
    assert_eq!(dir.text("out/a.html"), "<a href=http://h/x>");
}

#[test]
fn relativize_makes_a_tree_portable() {
    let dir = TestDir::with(&[
        (
            "site/a/b.html",
            "<base href='http://h/c/'><a href=d.html><a href=http://i/><a href=/a/b.html#x>",
        ),
        ("site/c/d.css", "@import 'http://h/a/e.css'; a{b:url(/f.png)}"),
    ]);
    let run = dir.relink("relativize site --base http://h/ -o out").exits(0).prints("");
    assert_eq!(
        dir.text("out/a/b.html"),
        "<base href=''><a href=../c/d.html><a href=http://i/><a href=#x>"
    );
    assert_eq!(dir.text("out/c/d.css"), "@import '../a/e.css'; a{b:url(../f.png)}");
    assert!(
        run.stderr.contains(&format!("6 references: 5 {REWRITTEN}, 1 out of the tree")),
        "{run}"
    );
    dir.relink("relativize out --base http://h/ -o again -q").exits(0);
    assert_eq!(dir.tree("again"), dir.tree("out"));
    dir.relink(
        "relativize site --base http://h/a -o part -q --style absolute-path --base-element keep",
    )
    .exits(0);
    assert_eq!(dir.text("part/c/d.css"), "@import '/a/e.css'; a{b:url(http://h/f.png)}");
}

#[test]
fn relativize_needs_to_know_where_the_tree_belongs() {
    let dir = TestDir::with(&[
        ("site/a.html", "<a href=http://h/x>"),
        ("site/b/c.html", "<a href=http://h/b/x>"),
    ]);
    dir.relink("relativize site -o out").fails(
        "error: the URL of the tree is unknown; no option sets it, and no document contains provenance metadata; use `--base URL` or `--map PATH=URL` to set it",
    );
    let run = dir.relink("relativize site --map site/b=http://h/b/ -o out").exits(0);
    assert!(
        run.stderr.starts_with(&format!("{}, 1 without a URL\n", words::changed(2, 1))),
        "{run}"
    );
    assert_eq!(dir.text("out/b/c.html"), "<a href=x>");
    let run = dir.relink("relativize site --map site/b=http://h/b/ -o out3 -v --strict").exits(1);
    let report = "site/a.html:1:1: skipped; its URL is unknown\n";
    assert!(run.stderr.starts_with(report), "{run}");
    // A root that no document is in.
    dir.directory("site/empty");
    dir.relink("relativize site --map site/empty=http://h/ -o out4 -q").fails(
        "error: no document has a known URL; relative references depend on it; use `--base`, `--map` or `--layout` to set the URLs",
    );
    assert_eq!(dir.text("out4/b/c.html"), "<a href=http://h/b/x>");
    dir.relink("relativize site --map elsewhere=http://h/ -o out5")
        .fails(&format!("error: {INVALID_VALUE} 'elsewhere=http://h/' for --map; elsewhere is not in any PATH of this run"));
    dir.relink("relativize site --base http://h/ --style sideways -o out2").exits(2);
}
