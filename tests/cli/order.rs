//! What does not depend on how a run is made: on the number of threads, on the proof; and what it
//! says at its end.

use crate::dir::{Run, TestDir};
use crate::words::{self, UNKNOWN_BASE};

/// A tree of many files of uneven size, some of which call for messages.
fn forest() -> TestDir {
    let dir = TestDir::new();
    for n in 0..160_usize {
        let links = "<p><a href=x>x</a>\n".repeat(1 + (n * 7919) % 400);
        let page = match n % 16 {
            3 => format!("{links}<a href='http://[/'>"),
            7 => "<div>".repeat(700) + &links,
            11 => format!("<base href='data:,x'>{links}"),
            _ => links,
        };
        dir.file(format!("site/d{}/p{n}.html", n % 9), page);
    }
    dir
}

/// Standard error without its last line, which contains the time, with `-v`.
#[track_caller]
fn timeless(run: &Run) -> String {
    let (rest, last) = run.stderr.trim_end().rsplit_once('\n').unwrap_or_default();
    assert!(
        last.starts_with(|char: char| char.is_ascii_digit()) && last.contains(" MB in "),
        "no speed in '{last}'{run}"
    );
    rest.to_owned()
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let dir = forest();
    let runs = [1, 8].map(|jobs| {
        dir.relink(&format!(
            "absolutize site --base http://h/ --engine reference -o out{jobs} -v -j {jobs}"
        ))
        .exits(2)
    });
    assert_eq!(dir.tree("out1"), dir.tree("out8"));
    let report = runs.each_ref().map(timeless);
    assert_eq!(report[0], report[1]);
    // With one core no other thread is used.
    if crate::tools::has("taskset", &["-c", "0", "true"]) {
        let line = "absolutize site --base http://h/ --engine reference -o out -v";
        let run = dir.relink_by(&["taskset", "-c", "0"], line).exits(2);
        assert_eq!(dir.tree("out"), dir.tree("out8"));
        assert_eq!(timeless(&run), report[1]);
    }
    for (words, n) in [
        ("more than 576 open or moved elements", 10),
        ("'http://[/' unchanged; it cannot be resolved against its base URL", 0),
        (" data: ", 0),
    ] {
        assert!(report[0].matches(words).count() >= n, "{words}: {}", report[0]);
    }
    let paths = |line: &str| line.split(':').next().unwrap_or_default().trim().to_owned();
    let report: Vec<_> = report[0].lines().map(paths).filter(|path| path.contains('/')).collect();
    assert!(report.len() >= 10 && report.is_sorted(), "not in the order of paths: {report:?}");

    let refs =
        [1, 8].map(|jobs| dir.relink(&format!("refs site -j {jobs} --engine reference")).exits(2));
    assert!(refs[0].stdout == refs[1].stdout && refs[0].stderr == refs[1].stderr);
    let diffs = [1, 8].map(|jobs| {
        dir.relink(&format!(
            "absolutize site --base http://h/ --engine reference --diff -q -j {jobs}"
        ))
        .exits(2)
    });
    assert!(!diffs[0].stdout.is_empty());
    assert!(diffs[0].stdout == diffs[1].stdout && diffs[0].stderr == diffs[1].stderr);
}

#[test]
fn the_proof_makes_no_difference() {
    let dir = TestDir::with_site();
    let run = |verify: &str| {
        let line = format!("absolutize site --base http://h/d -o out-{verify} --verify {verify}");
        let run = dir.relink(&line).exits(0);
        (dir.tree(format!("out-{verify}")), run.stderr)
    };
    let fast = run("fast");
    assert!(run("none") == fast && run("full") == fast);
}

#[test]
fn the_end_of_a_run_reports_what_became_of_everything() {
    let dir = TestDir::with(&[
        ("site/a.html", "<a href=x><a href=http://g/><a href=#y><a href='{{z}}'><p itemid=q>"),
        ("site/b.html", "<base href='data:,'><applet code=A archive=b><svg><use href=#c>"),
        ("site/c.svgz", "<svg/>"),
        ("site/d.txt", "text"),
    ]);
    let run = dir.relink("absolutize site --base http://h/ -o out").exits(0).prints("");
    let report = "2 documents, 2 changed, 1 unsupported file; 1 other file copied\n\
                9 references: 2 rewritten, 2 already correct, 1 local, \
                1 to their own document, 1 used as identifiers, 1 with template marks, 1 naming a class\n\
                1 <base> element ignored (invalid href); use `-n -v` to list them\n\
                hint: 1 archive was not read, site/c.svgz; unpack it to process the documents in it";
    assert_eq!(run.stderr.trim_end(), report, "{run}");
}

#[test]
fn a_tree_without_a_base_gets_a_hint() {
    let dir = TestDir::with(&[("site/a.html", "<a href=x><a href=/y>")]);
    let run = dir.relink("absolutize site -o out").exits(0);
    let report = "1 document, 0 changed\n\
                2 references: 2 without a base URL; use `-n -v` to list those that could not be handled\n\
                hint: use `--base URL` to set the URL of the tree";
    assert_eq!(run.stderr.trim_end(), report, "{run}");
}

#[test]
fn verbose_lists_each_reference_that_could_not_be_handled() {
    let dir =
        TestDir::with(&[("site/a.html", "<p>\n<a href=x>\r\n<base href='data:,'><img src=y>")]);
    let run = dir.relink("absolutize site -o out -v").exits(0);
    let lines: Vec<_> = run.stderr.lines().filter(|line| line.contains("site/a.html:")).collect();
    assert_eq!(lines.len(), 3, "{run}");
    for line in [
        "site/a.html:2:9: 'x' unchanged; its base URL is unknown; use `--base URL` to set it",
        &format!("site/a.html:3:30: 'y' {UNKNOWN_BASE}"),
    ] {
        assert!(lines.contains(&line), "{line}{run}");
    }
    assert!(lines.iter().any(|line| line.starts_with("site/a.html:3:13: ")), "{run}");
    assert!(!run.stderr.contains("`-v`"), "-v was given{run}");
}

#[test]
fn quiet_reports_errors_only() {
    let dir = TestDir::with(&[("site/a.html", "<a href=x>"), ("site/b.svg", "<svg/>")]);
    dir.relink("absolutize site -o one --quiet").exits(0).reports("").prints("");
    dir.relink("absolutize site missing -o two -q").fails(&words::missing("missing"));
    dir.pipe("absolutize - -q", b"no HTML").exits(0).reports("").prints("no HTML");
    dir.relink("refs missing -q").fails(&words::missing("missing"));
    let run = dir.relink("absolutize site -o three -q -v").exits(2).prints("");
    assert!(run.stderr.contains("--quiet") && run.stderr.contains("--verbose"), "{run}");
    assert!(!dir.has("three"));
}

#[test]
fn strict_makes_status_1_of_what_could_not_be_handled() {
    let fine = TestDir::with(&[("site/a.html", "<a href=http://g/><a href=x>")]);
    fine.relink("absolutize site --base http://h/ --dry-run -q --strict").exits(0).reports("");
    fine.relink("refs site --base http://h/ --strict").exits(0).reports("");
    fine.relink("absolutize site --dry-run -q --strict").exits(1).reports("");
    fine.relink("refs site --strict").exits(1).reports("");
    // Status 2 wins.
    fine.relink("absolutize site missing --dry-run -q --strict").exits(2);
    fine.relink("refs site missing --strict").exits(2);
    fine.relink("refs missing site --strict").exits(2);
}

#[test]
fn strict_counts_a_document_that_is_not_read() {
    let dir = TestDir::new();
    dir.file("site/a.html", b"<meta charset=hz-gb-2312><a href=http://h/>");
    dir.relink("absolutize site --base http://h/ --dry-run -q").exits(0);
    dir.relink("absolutize site --base http://h/ --dry-run -q --strict").exits(1);
    dir.relink("refs site --base http://h/ --strict").exits(1);
}
