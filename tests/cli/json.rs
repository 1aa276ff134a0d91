//! Sites with documents in JSON: manifests, import maps, feeds, linked data in pages; and what is
//! no JSON.

use crate::dir::TestDir;
use crate::words::{self, EMBEDDED_SKIPPED, INVALID_JSON};

const PAGE: &str = "<link rel=manifest href=/app.webmanifest>\n\
    <script type=importmap>\n{ \"imports\": { \"app\": \"./js/app.mjs\", \"/lib/\": \"https:\\/\\/cdn.example\\/lib/\" } }\n</script>\n\
    <script type=\"application/ld+json\">{\"@id\": \"#a\", \"url\": \"./\"}</script>\n";

const MANIFEST: &str = "{\n  \"start_url\": \"..\\/\",\n  \"icons\": [ {\"src\":\"i\\u002Epng\", \"sizes\": \"1x1\"} ],\n  \"protocol_handlers\": [{\"url\": \"/?u=%s\"}]\n}\n";

fn site() -> TestDir {
    TestDir::with(&[
        ("site/d/index.html", PAGE),
        ("site/d/app.webmanifest", MANIFEST),
        (
            "site/d/feed.json",
            "{\"items\":[{\"url\":\"a\",\"content_html\":\"<img src=\\\"b\\\">\"}]}",
        ),
        ("site/d/package.json", "{\"url\":\"x\""),
        ("site/ext/manifest.json", "{\"manifest_version\":3,\"icons\":[{\"src\":\"x\"}]}"),
    ])
}

#[test]
fn a_site_there_and_back() {
    let dir = site();
    let run = dir.relink("absolutize site --base http://h/ -o out").exits(0).prints("");
    assert!(
        run.stderr.starts_with(&format!("{}; 1 other file copied\n", words::changed(4, 3))),
        "{run}"
    );
    assert_eq!(
        dir.text("out/d/index.html"),
        PAGE.replace("href=/app", "href=http://h/app")
            .replace("./js/", "http://h/d/js/")
            .replace("\"/lib/\"", "\"http://h/lib/\"")
            .replace("\"./\"", "\"http://h/d/\"")
    );
    assert_eq!(
        dir.text("out/d/app.webmanifest"),
        MANIFEST
            .replace("..\\/", "http://h\\/")
            .replace("\"i\\", "\"http://h/d/i\\")
            .replace("/?u=%s", "http://h/?u=%s")
    );
    assert_eq!(
        dir.text("out/d/feed.json"),
        "{\"items\":[{\"url\":\"http://h/d/a\",\"content_html\":\"<img src=\\\"http://h/d/b\\\">\"}]}"
    );
    assert_eq!(dir.text("out/ext/manifest.json"), dir.text("site/ext/manifest.json"));
    dir.relink("relativize out --base http://h/ -o back -q").exits(0).reports("");
    assert_eq!(
        dir.text("back/d/index.html"),
        PAGE.replace("href=/app", "href=../app")
            .replace("\"/lib/\"", "\"../lib/\"")
            .replace("\"./\"", "\"http://h/d/\"")
    );
    assert_eq!(dir.text("back/d/app.webmanifest"), MANIFEST.replace("/?u=%s", "../?u=%s"));
}

#[test]
fn references_of_json_are_listed() {
    let dir = site();
    dir.relink("refs site/d/app.webmanifest --base http://h/d/app.webmanifest").exits(0).prints(
        "site/d/app.webmanifest:2:17: manifest start_url ../ -> http://h/\n\
         site/d/app.webmanifest:3:22: manifest icons.src i.png -> http://h/d/i.png\n\
         site/d/app.webmanifest:4:34: manifest protocol_handlers.url /?u=%s -> http://h/?u=%s\n",
    );
    let run = dir.pipe(
        "refs - --type application/ld+json --format json --base http://h/d/",
        b"[{\"url\":\"x\"}]",
    );
    assert!(run.text().contains("\"span\":[9,10],"), "{run}");
}

#[test]
fn slots_of_json_are_chosen_by_their_first_word() {
    let dir = TestDir::with(&[("a.html", PAGE)]);
    let run =
        dir.relink("absolutize a.html --base http://h/d/a.html --only importmap -o -").exits(0);
    let expected =
        PAGE.replace("./js/", "http://h/d/js/").replace("\"/lib/\"", "\"http://h/lib/\"");
    assert_eq!(run.text(), expected, "{run}");
}

#[test]
fn a_file_that_is_no_json_is_reported_and_fails() {
    let dir = TestDir::with(&[
        ("site/a.webmanifest", "{\n \"scope\": \"x\",\n}"),
        ("site/b.html", "<a href=x>"),
    ]);
    dir.relink("absolutize site --base http://h/ -o out -q")
        .fails("site/a.webmanifest:3:1: skipped; not well-formed: invalid JSON");
    assert_eq!(dir.text("out/a.webmanifest"), dir.text("site/a.webmanifest"));
    assert_eq!(dir.text("out/b.html"), "<a href=http://h/x>");
    let run = dir.relink("absolutize site --base http://h/ --dry-run").exits(2);
    assert!(run.stderr.contains(&format!("{}, 1 failed\n", words::would_change(2, 1))), "{run}");
    dir.relink("refs site/a.webmanifest")
        .exits(2)
        .reports(&format!("site/a.webmanifest:3:1: skipped; {INVALID_JSON}\n"));
}

#[test]
fn a_script_that_is_no_json_is_reported_and_counts_under_strict() {
    let page = "<script type=importmap>{{ map }}</script><a href=x>";
    let dir = TestDir::with(&[("a.html", page)]);
    let report = &format!("a.html:1:25: {EMBEDDED_SKIPPED}; {INVALID_JSON}\n");
    let run = dir.relink("absolutize a.html --base http://h/a.html -o out.html").exits(0);
    assert!(run.stderr.starts_with(report), "{run}");
    assert!(
        run.stderr.contains(&format!("{}; 1 {EMBEDDED_SKIPPED}", words::changed(1, 1))),
        "{run}"
    );
    assert_eq!(dir.text("out.html"), page.replace("href=x", "href=http://h/x"));
    dir.relink("absolutize a.html --base http://h/a.html -o out2.html --strict -q").exits(1);
    let run = dir.relink("refs a.html").exits(0);
    assert!(run.stderr.starts_with(report), "{run}");
    let run = dir.relink("check a.html").exits(1);
    assert!(run.stderr.starts_with(report), "{run}");
}
