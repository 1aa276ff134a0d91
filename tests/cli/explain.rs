//! `relink explain`: one reference, from its bytes to its target.

use crate::dir::TestDir;

const PAGE: &str = "<!doctype html>\n<base href='d/'>\n<p><a href='../x&amp;y.html'>x</a> <a href=/z>z</a>\n<iframe srcdoc=\"<a href='#s'>s</a>\"></iframe>\n";

fn dir() -> TestDir {
    TestDir::with(&[("site/a.html", PAGE)])
}

#[test]
fn a_reference_is_explained_from_its_bytes_to_its_target() {
    let expected = "\
site/a.html:3:13: a[href]
  written     ../x&amp;y.html
  bytes       2e 2e 2f 78 26 61 6d 70 3b 79 2e 68 74 6d 6c
  decoded     ../x&y.html
  base        http://h.example/p/d/
              .--------------------------------------------------------------.
              | .----------------------------------------------------------. |
              | | * base[href] at 2:13: http://h.example/p/d/ (HTML 4.2.3) | |
              | `----------------------------------------------------------' |
              |   --base: http://h.example/p/a.html (RFC 3986 5.1.3)         |
              `--------------------------------------------------------------'
  steps       by the dialect web:
              1. its path is relative: the path of the base is used up to its last slash, /p/d/
              2. joined: /p/d/../x&y.html
              3. without . and .. segments, and normalized: /p/x&y.html
  target      http://h.example/p/x&y.html
  file        site/x&y.html does not exist
  absolutize  writes http://h.example/p/x&amp;y.html
  relativize  leaves it unchanged
  move        to https://new.example/: leaves it unchanged

";
    let dir = dir();
    for which in ["site/a.html:3:13", "site/a.html:3:27", "site/a.html ../x&y.html"] {
        let line = format!("explain {which} --base http://h.example/p/a.html");
        dir.relink_by(&["env", "LC_ALL=C"], &line).exits(0).reports("").prints(expected);
    }
    // As it is written, and as messages name its line.
    for which in ["site/a.html ../x&amp;y.html", "site/a.html:3:13:"] {
        let line = format!("explain {which} --map site=http://h.example/p/");
        let run = dir.relink_by(&["env", "LC_ALL=C"], &line).exits(0);
        assert!(
            run.text().contains("|   --map: http://h.example/p/a.html (RFC 3986 5.1.3)"),
            "{run}"
        );
    }
}

#[test]
fn all_references_of_a_line_and_all_dialects() {
    let dir = dir();
    let line = "explain site/a.html:3 --base http://h.example/p/a.html --all-dialects";
    let run = dir.relink(line).exits(0);
    let titles = run.text().lines().filter(|line| line.starts_with("site/"));
    let expected = ["site/a.html:3:13: a[href]", "site/a.html:3:44: a[href]"];
    assert_eq!(titles.collect::<Vec<_>>(), expected, "{run}");
    for dialect in ["url-1993", "rfc2396", "web"] {
        let line = format!("              {dialect:<17}http://h.example/z");
        assert_eq!(run.text().lines().filter(|other| *other == line).count(), 1, "{line}{run}");
    }
}

#[test]
fn what_is_around_it_is_shown() {
    let run = dir().relink("explain site/a.html #s --base http://h.example/p/a.html").exits(0);
    for line in [
        "  inside      iframe[srcdoc] at 4:17",
        "              1. it is only a fragment: it means a place in the document",
        "  absolutize  writes http://h.example/p/d/#s",
    ] {
        assert!(run.text().lines().any(|other| other == line), "{line}{run}");
    }
}

/// Without a URL a reference is explained as a browser follows it on the disk.
#[test]
fn without_a_url_a_tree_is_explained_on_the_disk() {
    let dir = TestDir::with(&[
        (
            "site/b/p.html",
            "<a href=../a.html#x>1</a><a href=c.html>2</a><a href=http://h.example/>3</a>",
        ),
        ("site/a.html", ""),
        ("mail.eml", "Content-Type: text/html\n\n<a href=d.html>4</a>"),
    ]);
    let place = dir.path("site/a.html");
    let target = format!("  target      file://{}#x", place.display());
    let needs = "needs the URL of the tree; use `--base URL`";
    let (absolutize, relativize) =
        (format!("  absolutize  {needs}"), format!("  relativize  {needs}"));
    let run = dir.relink("explain site/b/p.html ../a.html#x").exits(0).reports("");
    for line in [&*target, "  file        site/a.html exists", &absolutize, &relativize] {
        assert!(run.text().lines().any(|other| other == line), "{line}{run}");
    }
    for (which, file) in [
        ("site/b/p.html c.html", "site/b/c.html does not exist"),
        ("site ../a.html#x", "site/a.html exists"),
        ("site/b ../a.html#x", "site/a.html exists"),
        ("site/b/p.html ../a.html#x --base http://h.example/b/p.html", "site/a.html exists"),
        ("site ../a.html#x --base http://h.example/", "site/a.html exists"),
    ] {
        let run = dir.relink(&format!("explain {which}")).exits(0);
        let line = format!("  file        {file}");
        assert!(run.text().lines().any(|other| other == line), "{line}{run}");
    }
    // Where a message lies says nothing, and a URL needs no base.
    for (which, line) in [
        ("mail.eml d.html", "  target      none; the reference is relative and there is no base"),
        ("site/b/p.html http://h.example/", "  absolutize  leaves it unchanged"),
    ] {
        let run = dir.relink(&format!("explain {which}")).exits(0);
        assert!(run.text().lines().any(|other| other == line), "{line}{run}");
        assert!(!run.text().contains("  file  "), "{run}");
    }
}

/// What the explanation says of a command is what the command does.
#[test]
fn the_commands_write_what_is_explained() {
    let page = "<a href=/b.html>b</a><a href=http://i.example/>i</a><a href=c>c</a>\n";
    for (reference, written) in [
        ("/b.html", ["http://h.example/b.html", "../b.html", "/b.html"]),
        ("http://i.example/", ["http://i.example/"; 3]),
        ("c", ["http://h.example/x/c", "c", "c"]),
    ] {
        let dir = TestDir::with(&[("site/x/a.html", page)]);
        let line = format!("explain site {reference} --base http://h.example/ --format json");
        let run = dir.relink(&line).exits(0);
        let record = run.text().lines().find(|line| line.contains("\"type\":\"explanation\""));
        let record: serde_json::Value = serde_json::from_str(record.unwrap()).unwrap();
        for (at, (key, command)) in [
            ("absolutized", "absolutize site --base http://h.example/"),
            ("relativized", "relativize site --base http://h.example/"),
            ("moved", "move site --from http://h.example/ --to https://new.example/"),
        ]
        .iter()
        .enumerate()
        {
            let new = record[key].as_str().unwrap_or(reference);
            assert_eq!(new, written[at], "{key} {record}");
            dir.relink(&format!("{command} -o {key}")).exits(0);
            assert!(dir.text(format!("{key}/x/a.html")).contains(&format!("<a href={new}>")));
        }
    }
}

#[test]
fn references_that_are_not_there() {
    let dir = dir();
    let list = "use `relink refs FILE` to list all references";
    for (which, what) in [
        ("site/a.html:1", "begins on line 1"),
        ("site/a.html:3:1", "is at 3:1"),
        ("site/a.html nothing", "is 'nothing'"),
    ] {
        let run = dir.relink(&format!("explain {which}")).exits(2).prints("");
        run.reports(&format!("error: no reference {what}; {list}\n"));
    }
    let run = dir.relink("explain site/a.html").exits(2).prints("");
    run.reports("error: no reference is named; use `relink explain site/a.html:LINE`, or give the text of the reference after the file\n");
    let run = dir.relink("explain ../a.html").exits(2).prints("");
    run.reports("error: '../a.html' is no file; a reference is explained where it is written; use `relink explain FILE '../a.html'`, or `relink url resolve BASE '../a.html'`\n");
    let run = dir.relink("explain a b c").exits(2).prints("");
    run.reports("error: one file and one reference can be explained; use one run for each\n");
}
