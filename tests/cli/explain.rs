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
  absolutize  writes http://h.example/p/x&amp;y.html

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
    let run = dir().relink("explain site/a.html /z").exits(0);
    for line in [
        "  base        unknown",
        "  target      none; the reference is relative and there is no base",
        "  absolutize  leaves it unchanged",
    ] {
        assert!(run.text().lines().any(|other| other == line), "{line}{run}");
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
    let run = dir.relink("explain a b c").exits(2).prints("");
    run.reports("error: one file and one reference can be explained; use one run for each\n");
}
