//! Pages that a server sends for other URLs than their own.

use crate::dir::TestDir;

const PAGE: &str = "<link rel=stylesheet href=/css/site.css><a href=/>home</a>";

fn dir(name: &str, more: &[(&str, &str)]) -> TestDir {
    let files = [
        (name, PAGE),
        ("site/index.html", "<a href=/css/site.css>x</a>"),
        ("site/css/site.css", ""),
    ];
    TestDir::with(&[&files, more].concat())
}

/// Asserts that a page is converted as an error page for a reason, and is left by `relativize`.
#[track_caller]
fn is_one(name: &str, more: &[(&str, &str)], reason: &str) {
    let dir = dir(name, more);
    let run = dir.relink("relativize site --base http://h/ -o out").exits(0);
    let note = format!(
        "note: {name}: converted as an error page; {reason}; use `--no-error-pages` if it has one URL\n"
    );
    assert!(run.stderr.contains(&note), "{}", run.stderr);
    assert_eq!(dir.text(name.replace("site/", "out/")), PAGE);
    assert_eq!(dir.text("out/index.html"), "<a href=css/site.css>x</a>");
}

#[test]
fn pages_for_what_is_missing_keep_their_form() {
    let by_name = |name: &str| format!("servers send {name} for what is missing");
    is_one("site/404.html", &[], &by_name("404.html"));
    is_one("site/de/404.html", &[], &by_name("de/404.html"));
    is_one("site/app.html", &[("site/_redirects", "/* /app.html 200\n")], "_redirects names it");
    is_one(
        "site/gone.html",
        &[("site/.htaccess", "ErrorDocument 404 /gone.html\n")],
        ".htaccess names it",
    );
    is_one(
        "site/gone.html",
        &[("site/docs/a/.htaccess", "ErrorDocument 404 /gone.html\n")],
        "docs/a/.htaccess names it",
    );
    is_one("site/500.html", &[], "no page links to 500.html");
    // An ordinary page.
    for (name, more) in [
        ("site/offline.html", &[][..]),
        ("site/docs/404.html", &[]),
        ("site/500.html", &[("site/x.html", "<a href=500.html>x</a>")]),
    ] {
        let dir = dir(name, more);
        dir.relink("relativize site --base http://h/ -q -o out").exits(0).reports("");
        assert_ne!(dir.text(name.replace("site/", "out/")), PAGE, "{name}");
    }
}

#[test]
fn they_move_with_their_form() {
    let dir = dir("site/404.html", &[]);
    dir.relink("move site --from http://h/ --to http://h/docs/ -q -o out").exits(0);
    let moved = "<link rel=stylesheet href=/docs/css/site.css><a href=/docs/>home</a>";
    assert_eq!(dir.text("out/404.html"), moved);
    dir.relink("relativize site --base http://h/ --for static-host -q -o hosted").exits(0);
    assert_eq!(dir.text("hosted/404.html"), PAGE);
    dir.relink("relativize site --base http://h/ --for file -q -o disk").exits(0);
    let on_disk = "<link rel=stylesheet href=css/site.css><a href=index.html>home</a>";
    assert_eq!(dir.text("disk/404.html"), on_disk);
}

#[test]
fn options_decide() {
    let dir = dir("site/404.html", &[("site/x/lost.html", PAGE)]);
    let relative = "<link rel=stylesheet href=css/site.css><a href=./>home</a>";
    dir.relink("relativize site --base http://h/ --no-error-pages -q -o out").exits(0).reports("");
    assert_eq!(dir.text("out/404.html"), relative);
    dir.relink("relativize site --base http://h/ --error-page lost.html -q -o named").exits(0);
    assert_eq!(
        (dir.text("named/x/lost.html"), dir.text("named/404.html")),
        (PAGE.into(), PAGE.into())
    );
    dir.relink("relativize site --base http://h/ --error-page [ -o no").exits(2);
}

#[test]
fn what_depends_on_the_path_is_reported() {
    let dir = TestDir::with(&[("site/404.html", "<img src=a.png>"), ("site/a.png", "")]);
    dir.relink("absolutize site --base http://h/ -q --strict -o strict").exits(1);
    let run = dir.relink("absolutize site --base http://h/ -v -o out").exits(0);
    let report = &run.stderr;
    assert!(report.contains("at each it leads elsewhere"), "{report}");
    assert!(report.contains("1 that depend on the path of an error page"), "{report}");
}
