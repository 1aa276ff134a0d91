//! Files that cannot be done: a line each in its place, status 2, the others done; and what is left
//! out.

use std::io::{BufRead, BufReader, Read};

use crate::dir::TestDir;
use crate::words::{
    self, CANNOT_READ, CANNOT_WRITE_HERE, EMBEDDED_SKIPPED, NO_PLAIN_FILE, NO_SUCH_FILE,
};

const PAGE: &str = "<a href=x>";
const DONE: &str = "<a href=http://h/x>";

#[test]
fn a_path_that_is_missing_ends_a_run_that_writes() {
    let dir = TestDir::with(&[("one/a.html", PAGE), ("two/b.html", PAGE)]);
    let maps = "--map one=http://h/ --map two=http://h/";
    for output in ["-o out", "-i", "-o out -q"] {
        dir.relink(&format!("absolutize one missing two {maps} {output}"))
            .fails("missing: cannot read; no such file or directory");
    }
    assert!(!dir.has("out") && dir.text("one/a.html") == PAGE);
    // The value of an option follows a `=`.
    for option in ["--backup", "--diff"] {
        for base in ["--base http://h/", maps] {
            let line = format!("absolutize one two {base} -i {option} bak");
            dir.relink(&line).fails(&format!(
                "bak: {NO_SUCH_FILE}; use `{option}=bak` if it is the value of {option}"
            ));
        }
    }
    assert_eq!([dir.text("one/a.html"), dir.text("two/b.html")], [PAGE, PAGE]);
    // Others that write nothing do the rest.
    let run = dir.relink(&format!("absolutize one missing two {maps} --diff -q")).exits(2);
    assert_eq!(run.stderr, format!("missing: {NO_SUCH_FILE}\n"), "{run}");
    assert_eq!(run.text().matches(DONE).count(), 2, "{run}");
    let run = dir.relink("refs one missing two").exits(2);
    assert_eq!(run.stderr, format!("missing: {NO_SUCH_FILE}\n"), "{run}");
    assert_eq!(run.text().lines().count(), 2, "{run}");
    dir.relink("absolutize missing/a.html --base http://h/ -o new.html -q")
        .fails(&words::missing("missing/a.html"));
    dir.relink("absolutize one/a.html/b --base http://h/ -o new.html -q")
        .fails(&format!("one/a.html/b: {CANNOT_READ}; a component of the path is not a directory"));
    assert!(!dir.has("new.html"));
}

#[test]
fn the_summary_counts_what_could_not_be_done() {
    let dir = TestDir::with(&[("site/a.html", PAGE)]);
    let run = dir.relink("absolutize site missing --map site=http://h/ -n").exits(2).prints("");
    let report = &format!(
        "missing: {NO_SUCH_FILE}\n\
                {}, 1 failed\n",
        words::would_change(1, 1)
    );
    assert!(run.stderr.starts_with(report), "{run}");
}

#[test]
fn an_output_without_a_directory_to_be_in_is_named() {
    let dir = TestDir::with(&[("a.html", PAGE)]);
    let run = dir.relink("absolutize a.html --base http://h/ -o missing/b.html -q").prints("");
    run.fails(&format!(
        "missing/b.html: {CANNOT_WRITE_HERE}; its directory does not exist; create it first"
    ));
    assert!(!dir.has("missing"));
}

#[test]
fn html_that_is_too_deep_is_copied_and_reported() {
    let deep = format!("{}{PAGE}", "<div>".repeat(2000));
    let dir =
        TestDir::with(&[("site/a.html", PAGE), ("site/deep.html", &deep), ("site/z.html", PAGE)]);
    dir.relink("absolutize site --base http://h/ --engine reference -o out -q")
        .fails("site/deep.html:1:1: skipped; more than 576 open or moved elements; use `--limit html-depth=VALUE` to raise the limit");
    assert_eq!(dir.text("out/deep.html"), deep);
    assert_eq!(
        (dir.text("out/a.html"), dir.text("out/z.html")),
        (DONE.to_owned(), DONE.to_owned())
    );
    let run = dir.relink("refs site --engine reference").exits(2).reports(&format!(
        "site/deep.html:1:1: skipped; more than 576 open or moved elements; {}\n",
        words::raise("html-depth")
    ));
    assert_eq!(run.text().lines().count(), 2, "{run}");
}

#[test]
fn css_may_be_deep() {
    let deep = format!("a{{b:{}url(x){}}}", "(".repeat(1000), ")".repeat(1000));
    let dir = TestDir::with(&[("site/deep.css", &deep)]);
    dir.relink("absolutize site --base http://h/ -o out -q").exits(0).reports("");
    assert_eq!(dir.text("out/deep.css"), deep.replace('x', "http://h/x"));
}

#[test]
fn documents_that_nest_too_deeply_are_reported_and_the_rest_is_done() {
    let mut page = PAGE.to_owned();
    for _ in 0..18 {
        page = format!("<iframe srcdoc=\"{}\">", page.replace('&', "&amp;").replace('"', "&quot;"));
    }
    let dir = TestDir::with(&[("a.html", &format!("{PAGE}{page}"))]);
    let run = dir.relink("absolutize a.html --base http://h/ -o b.html -q").exits(2).prints("");
    let is_reported = run.stderr.starts_with("a.html:1:")
        && run.stderr.ends_with(&format!(
            ": {EMBEDDED_SKIPPED}; more than 16 nested documents; {}\n",
            words::raise("embedded-depth")
        ));
    assert!(is_reported && run.stderr.lines().count() == 1, "{run}");
    assert!(dir.text("b.html").starts_with(DONE));
    assert!(dir.text("b.html").ends_with(&page), "it is not skipped{run}");
}

#[test]
fn a_charset_that_cannot_be_edited_is_reported_and_copied() {
    let dir = TestDir::with(&[("site/a.html", PAGE)]);
    let utf16 =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    dir.file("site/b.html", utf16("\u{FEFF}<a href=x>"));
    let korean = b"<meta charset=iso-2022-kr><a href=x>";
    dir.file("site/c.html", korean);
    let report = "site/c.html:1:1: skipped; unsupported charset\n";
    let run = dir.relink("absolutize site --base http://h/ -o out").exits(0).prints("");
    assert!(run.stderr.starts_with(report), "{run}");
    assert!(run.stderr.contains(&format!("{}, 1 skipped", words::changed(3, 2))), "{run}");
    assert_eq!(dir.bytes("out/b.html"), utf16("\u{FEFF}<a href=http://h/x>"));
    assert_eq!(dir.bytes("out/c.html"), korean);
    assert_eq!(dir.text("out/a.html"), DONE);
}

#[cfg(unix)]
fn mkfifo(dir: &TestDir, name: &str) -> bool {
    let made = std::process::Command::new("mkfifo").arg(dir.path(name)).status();
    let is_made = made.is_ok_and(|status| status.success());
    if !is_made {
        crate::tools::skipped("there is no 'mkfifo' here");
    }
    is_made
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_tree_is_left_out_and_reported() {
    let dir = TestDir::with(&[("site/a.html", PAGE)]);
    if !mkfifo(&dir, "site/p.html") {
        return;
    }
    let run = dir.relink("absolutize site --base http://h/ -o out").exits(0).prints("");
    let report = "site/p.html: skipped; it is a pipe, a socket or a device\n";
    assert!(run.stderr.starts_with(report), "{run}");
    assert!(!dir.has("out/p.html"));
    assert_eq!(dir.text("out/a.html"), DONE);
    let run = dir.relink("refs site").exits(0).reports("");
    assert_eq!(run.text().lines().count(), 1, "{run}");
}

#[cfg(unix)]
#[test]
fn a_pipe_that_is_named_could_not_be_done() {
    let dir = TestDir::new();
    if !mkfifo(&dir, "p.html") {
        return;
    }
    let report = &format!("p.html: {NO_PLAIN_FILE}\n");
    dir.relink("absolutize p.html --base http://h/ -o out -q").exits(2).prints("").reports(report);
    dir.relink("refs p.html").exits(2).prints("").reports(report);
    assert!(!dir.has("out"));
}

#[cfg(unix)]
#[test]
fn an_output_that_is_a_pipe_or_a_device_is_not_replaced() {
    let dir = TestDir::with(&[("a.html", PAGE)]);
    if !mkfifo(&dir, "pipe") {
        return;
    }
    let before = dir.tree("pipe");
    let run = dir.relink("absolutize a.html --base http://h/ -o pipe --force -q").prints("");
    assert_eq!(dir.tree("pipe"), before, "{run}");
    assert!(run.stderr.starts_with("pipe: ") && run.stderr.lines().count() == 1, "{run}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_standard_output_that_is_full_is_an_error() {
    let dir = TestDir::with(&[("a.html", PAGE)]);
    for line in
        ["refs a.html", "absolutize a.html --base http://h/ -o - -q", "slots", "url parse x"]
    {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let run = dir.command(&[]).args(line.split(' ')).stdout(full).output().unwrap();
        let report = String::from_utf8_lossy(&run.stderr);
        assert_eq!(
            (run.status.code(), &*report),
            (Some(2), "error: cannot write to standard output; no space left on device\n"),
            "{line}"
        );
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let dir = TestDir::with(&[("a.html", &format!("{PAGE}\n").repeat(50_000))]);
    let lines = [
        "refs a.html",
        "refs a.html --format json",
        "absolutize a.html --base http://h/ -o - -q",
        "absolutize a.html --base http://h/ --diff -q",
    ];
    for line in lines {
        let mut child = dir.command(&[]).args(line.split(' ')).spawn().unwrap();
        let mut first = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut first).unwrap();
        drop(stdout);
        let status = child.wait().unwrap();
        let mut report = String::new();
        child.stderr.take().unwrap().read_to_string(&mut report).unwrap();
        assert!(!first.is_empty() && report.is_empty(), "{line}: '{first}' {report}");
        assert_eq!(status.code(), Some(0), "{line}");
    }
}
