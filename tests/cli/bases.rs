//! `relink bases`: the chain of contexts of each document, as boxes and as JSON Lines.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::dir::TestDir;

const PAGE: &str = "<base href=\"/x/\">\n<iframe srcdoc=\"<base href='y/'>&lt;p>\"></iframe><object codebase=c/ archive=d>\n";

#[cfg(unix)]
#[test]
fn boxes_as_in_rfc_1808() {
    let dir = TestDir::with(&[("a.html", PAGE)]);
    let line = "bases a.html --base http://h.example/a.html";
    let expected = "
a.html: http://h.example/x/
  .------------------------------------------------------------.
  | .--------------------------------------------------------. |
  | | * base[href] at 1:13: http://h.example/x/ (HTML 4.2.3) | |
  | `--------------------------------------------------------' |
  |   --base: http://h.example/a.html (RFC 3986 5.1.3)         |
  `------------------------------------------------------------'
a.html:2:67 codebase: http://h.example/x/c/
  .----------------------------------------------------------------------.
  | .------------------------------------------------------------------. |
  | | .--------------------------------------------------------------. | |
  | | | * codebase at 2:67: http://h.example/x/c/ (HTML 4.01 13.3.2) | | |
  | | `--------------------------------------------------------------' | |
  | |   base[href] at 1:13: http://h.example/x/ (HTML 4.2.3)           | |
  | `------------------------------------------------------------------' |
  |   --base: http://h.example/a.html (RFC 3986 5.1.3)                   |
  `----------------------------------------------------------------------'
a.html:2:17 iframe[srcdoc]: http://h.example/x/y/
  .-----------------------------------------------------------------------------------.
  | .-------------------------------------------------------------------------------. |
  | | .---------------------------------------------------------------------------. | |
  | | | .----------------------------------------------------------.              | | |
  | | | | * base[href] at 2:29: http://h.example/x/y/ (HTML 4.2.3) |              | | |
  | | | `----------------------------------------------------------'              | | |
  | | |   iframe[srcdoc] at 2:17: the base of the enclosing document (HTML 2.4.3) | | |
  | | `---------------------------------------------------------------------------' | |
  | |   base[href] at 1:13: http://h.example/x/ (HTML 4.2.3)                        | |
  | `-------------------------------------------------------------------------------' |
  |   --base: http://h.example/a.html (RFC 3986 5.1.3)                                |
  `-----------------------------------------------------------------------------------'
";
    dir.relink_by(&["env", "LC_ALL=C"], line).exits(0).reports("").prints(&expected[1..]);
    // LC_ALL wins, then LC_CTYPE, then LANG.
    let run = dir.relink_by(&["env", "-u", "LC_ALL", "LC_CTYPE=C", "LANG=en_US.UTF-8"], line);
    run.prints(&expected[1..]);
    let run = dir.relink_by(&["env", "LC_ALL=", "LC_CTYPE=", "LANG=de_DE.utf8"], line).exits(0);
    let boxes: String = expected[1..]
        .lines()
        .map(|line| {
            let corner = |line: &str, from: &str, to: &str| line.replace(from, to);
            let line = corner(&corner(line, ".-", "\u{250C}-"), "-.", "-\u{2510}");
            let line = corner(&corner(&line, "`-", "\u{2514}-"), "-'", "-\u{2518}");
            // Lines of a box are two hyphens or more; the options and media types have fewer.
            let is_border = line.contains("---");
            let line = if is_border { line.replace('-', "\u{2500}") } else { line };
            line.replace('|', "\u{2502}") + "\n"
        })
        .collect();
    run.prints(boxes);
}

#[test]
fn a_document_without_a_base() {
    let dir = TestDir::with(&[
        ("a.css", "a{b:url(c)}"),
        ("b.html", "<base href=data:x>"),
        ("c.html", "<base href='{{x}}'>"),
    ]);
    let run = dir.relink("bases a.css b.html c.html --format json").exits(0);
    let report = "b.html:1:12: <base> ignored; a data: or javascript: URL cannot be a base URL\n\
                c.html:1:13: base URL unknown; the href of <base> is a template\n";
    let run = run.reports(report);
    let documents: Vec<Value> =
        run.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let media: Vec<_> = documents.iter().map(|document| &document["media_type"]).collect();
    assert_eq!(media, ["text/css", "text/html", "text/html"]);
    for document in &documents {
        assert_eq!((&document["base"], &document["base_source"]), (&Value::Null, &"none".into()));
    }
    assert_eq!(documents[0]["chain"].as_array().map(Vec::len), Some(1));
    dir.relink("bases a.css b.html -q --strict").exits(1).reports("");
    dir.relink("bases a.css --base http://h/a.css -q --strict").exits(0);
}

#[test]
fn json() {
    let run = TestDir::with_site()
        .relink("bases site --base http://www.harbour-light.example/ --format json -q")
        .exits(0);
    crate::check_blessed("bases/site.jsonl", run.text());
}

/// The bases are those that `refs` shows, and each span is that of what it is said to be.
#[test]
fn what_is_reported_is_what_holds() {
    let dir = TestDir::with_site();
    let list = |command: &str| -> Vec<Value> {
        let line =
            format!("{command} site --base http://www.harbour-light.example/ --format json -q");
        let run = dir.relink(&line).exits(0);
        run.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let key = |line: &Value| format!("{} {}", line["path"], line["embedded"]);
    let bases: BTreeMap<String, Value> =
        list("bases").into_iter().map(|line| (key(&line), line)).collect();
    let mut n_compared = 0;
    for reference in list("refs") {
        let (Some(document), Some(slot)) =
            (bases.get(&key(&reference)), reference["slot"].as_str())
        else {
            continue;
        };
        let is_on_codebase =
            ["object[archive]", "object[classid]", "applet[archive]"].contains(&slot);
        if slot != "base[href]" && !is_on_codebase {
            assert_eq!(reference["base"], document["base"], "{reference}");
            n_compared += 1;
        }
    }
    assert!(n_compared > 100, "{n_compared}");
    let mut n_spans = 0;
    for document in bases.values() {
        let file = dir.bytes(format!("site/{}", document["path"].as_str().unwrap_or_default()));
        for context in document["chain"].as_array().into_iter().flatten() {
            let Some(span) = context["where"]["span"].as_array() else { continue };
            let offset =
                |idx: usize| usize::try_from(span[idx].as_u64().unwrap_or_default()).unwrap();
            let (start, end) = (offset(0), offset(1));
            let before =
                String::from_utf8_lossy(&file[start.saturating_sub(20)..start]).to_lowercase();
            let element = context["where"]["element"].as_str().unwrap_or_default();
            let attribute = if element == "base[href]" { "href" } else { "srcdoc" };
            let before = before.trim_end_matches(['"', '\'']).trim_end().trim_end_matches('=');
            assert!(
                before.trim_end().ends_with(attribute),
                "{before} before {start}..{end}: {context}"
            );
            n_spans += 1;
        }
    }
    assert!(n_spans >= 8, "{n_spans}");
}

#[cfg(target_os = "linux")]
#[test]
fn boxes_fit_the_terminal() {
    let dir = TestDir::with(&[(
        "page.html",
        "<base href=/a/long/path/to/the/pages/of/a/site/>\n<a href=x>",
    )]);
    let base = "--base http://www.example.org/page.html";
    for (line, n_columns) in [
        (format!("relink bases page.html {base}"), 60),
        (format!("relink bases page.html {base}"), 44),
        (format!("relink explain page.html:2 {base}"), 70),
    ] {
        let Some(shown) = crate::terminal::on_terminal(&dir, n_columns, &line) else { return };
        let boxes = shown.lines().filter(|line| line.contains(['|', '\u{2502}']));
        let widths: Vec<usize> = boxes.map(|line| line.trim_end().chars().count()).collect();
        assert!(widths.len() > 3, "{shown}");
        assert!(widths.iter().all(|width| *width <= n_columns), "{n_columns}: {shown}");
    }
    // Elsewhere lines are not wrapped.
    let run = dir.relink(&format!("bases page.html {base}")).exits(0);
    assert!(
        run.text()
            .contains("http://www.example.org/a/long/path/to/the/pages/of/a/site/ (HTML 4.2.3)"),
        "{run}"
    );
}
