//! `relink check` for many problems, and for other programs: by target, and as annotations.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::dir::TestDir;
use crate::schema::Schema;
use crate::words::{self, EXCLUDES, LEAVES_TREE};

const SITE: &[(&str, &str)] = &[
    ("site/a.html", "<a href=no.html>1</a><a href=no.html#x>2</a><img src=none.png>"),
    ("site/d/b.html", "<a href=../no.html>3</a>\n<a href=../../out.html>4</a><a href=b.html>b</a>"),
];

#[test]
fn problems_are_grouped_by_target() {
    let dir = TestDir::with(SITE);
    let run = dir.relink("check site --top 2").exits(1).prints(format!(
        "3 references: a[href] no.html: {}; first in site/a.html:1:9\n\
         1 reference: a[href] ../../out.html: {LEAVES_TREE}; first in site/d/b.html:2:9\n\
         and 1 more target\n",
        words::no_file("no.html")
    ));
    let sums = words::checked(2, 6, &[(1, "leaves-tree"), (4, "no-file")]);
    assert!(run.has_line(&format!("{sums}; 2 missing files")), "{run}");
    // Each problem is in one group.
    let run = dir.relink("check site --top 99 --format json -q").exits(1);
    let count = |line: &str| {
        let (_, rest) = line.split_once("\"count\":").expect("a count");
        rest.split(',').next().and_then(|count| count.parse::<usize>().ok()).expect("a number")
    };
    assert_eq!(run.text().lines().map(count).sum::<usize>(), 5, "{run}");
    assert!(run.text().starts_with("{\"problem\":\"no-file\",\"target\":"), "{run}");
    for option in ["--list-external", "--missing-urls"] {
        let run = dir.relink(&format!("check site --top 2 {option}")).exits(2).prints("");
        assert!(run.stderr.contains(EXCLUDES), "{run}");
    }
}

/// The references to one missing file have many spellings, fragments and queries: they are one row
/// of the list and of the report, and the summary counts files.
#[test]
fn a_missing_file_is_one_row() {
    let spellings = [
        "w/changelog.html",
        "w/changelog.html#1.0",
        "./w/changelog.html#%C3%A9",
        "x/../w/changelog.html",
        "w/%63hangelog.html",
        "w/changelog.html?v=1",
        "http://h.example/w/changelog.html",
        "/w/changelog.html",
    ];
    let links = |prefix: &str| -> String {
        let of = |text: &&str| {
            if text.starts_with(['h', '/']) {
                format!("<a href={text}>")
            } else {
                format!("<a href={prefix}{text}>")
            }
        };
        spellings.iter().map(of).collect()
    };
    let dir = TestDir::with(&[("site/a.html", &links("")), ("site/d/b.html", &links("../"))]);
    dir.file("site/c.html", "<a href=none/>1</a><a href=none/#x>2</a><a href=d/>3</a><a href=d>");
    let line = "check site --base http://h.example/ --report r.json";
    let run = dir.relink(&format!("{line} --top 9")).exits(1).prints(
        "16 references: a[href] w/changelog.html: there is no file w/changelog.html; first in site/a.html:1:9\n\
         2 references: a[href] none/: there is no file none/index.html; first in site/c.html:1:9\n\
         2 references: a[href] d/: the directory d/ has no index file; first in site/c.html:1:49\n",
    );
    let sums = words::checked(3, 20, &[(18, "no-file"), (2, "no-index")]);
    assert!(run.has_line(&format!("{sums}; 3 missing files")), "{run}");
    let report: Value = serde_json::from_str(&dir.text("r.json")).expect("JSON");
    let column = report["columns"].as_array().expect("names");
    let column = column.iter().position(|name| name == "file").expect("a column");
    let rows = report["references"].as_array().expect("rows");
    let files: BTreeSet<&str> = rows.iter().filter_map(|row| row[column].as_str()).collect();
    assert_eq!(files, BTreeSet::from(["d/", "none/index.html", "w/changelog.html"]));
    let run = dir.relink("check site --base http://h.example/ --top 1 --format json -q").exits(1);
    let row: Value = serde_json::from_str(run.text().trim_end()).expect("JSON");
    assert_eq!((&row["file"], &row["count"]), (&"w/changelog.html".into(), &16.into()));
    Schema::new().check("check-top", &row);
}

#[test]
fn many_lines_about_few_targets_are_a_hint() {
    let dir = TestDir::new();
    dir.file("site/a.html", "<a href=no.html>1</a>\n".repeat(60) + "<a href=x.html>x</a>");
    let run = dir.relink("check site").exits(1);
    let hint = "hint: 61 lines are about 2 targets; use `--top 20` to list the most frequent";
    assert!(run.has_line(hint), "{run}");
    for options in ["--top 20", "--format json"] {
        let run = dir.relink(&format!("check site {options}")).exits(1);
        assert!(!run.stderr.contains("hint:"), "{run}");
    }
}

#[test]
fn annotations_have_escaped_values() {
    let dir = TestDir::new();
    dir.file("a,b%.html", "<p>\n<a href='no.html'>1</a>");
    dir.relink("check . --format github -q").exits(1).prints(format!(
        "::error file=./a%2Cb%25.html,line=2,col=10,title=no-file::a[href] no.html: {}\n",
        words::no_file("no.html")
    ));
}

#[test]
fn data_of_version_control_is_not_read() {
    let dir = TestDir::with(&[
        ("site/.git/page.html", "<a href=x.html>x</a>"),
        ("site/sub/.svn/page.html", "<a href=x.html>x</a>"),
        ("site/a.html", "<a href=b.html>b</a>"),
        ("site/.github/b.html", "<a href=b.html>b</a>"),
    ]);
    let base = "--base http://h.example/";
    dir.relink(&format!("absolutize site {base} -o out -q")).exits(0);
    for name in [".git/page.html", "sub/.svn/page.html"] {
        assert_eq!(dir.text(format!("out/{name}")), "<a href=x.html>x</a>", "{name} is copied");
    }
    assert!(dir.text("out/.github/b.html").contains("href=http://h.example/.github/b.html"));
    dir.relink(&format!("absolutize site {base} --in-place --hidden-vcs -q")).exits(0);
    assert!(dir.text("site/.git/page.html").contains("href=http://h.example/.git/x.html"));
    // A PATH that is named is read.
    dir.relink("check out/.git -q").exits(1);
}
