//! Digests of style sheets and scripts in pages: a browser blocks a file with another content.

use crate::dir::TestDir;
use crate::words::MAY_BLOCK;

const STYLE: &str = "body{background:url(/i.png)}";

// Printed by `openssl dgst -sha256 -binary | openssl base64 -A`, for the style sheet, for
// `body{background:url(i.png)}`, `body{background:url(http://n/d/i.png)}` and
// `body{background:url(j.png)}`; and for `run()`, which stays.
const OLD: &str = "sha256-x2PJSrfvF0S1txW8E72NQLm7O5cYyRyL2b/QbhWluIY=";
const RELATIVE: &str = "sha256-IzdCebiY/sWJ7D1DDSjPvboGgQpR17J2rwpwE6Z+63E=";
const RENAMED: &str = "sha256-Um7879Cjn9VOjrwu2vQ5PKtEEh5QQHZ835oJaExxWx0=";
const SCRIPT: &str = "sha256-AvyuiL0SD1mVY3NNxR+V2uo+lhk6RMFrytWmRt6CrJQ=";

fn page(style: &str) -> String {
    format!(
        "<link rel=stylesheet href=a.css integrity={style}>\
         <script src=j.js integrity={SCRIPT} crossorigin></script>\
         <link rel=stylesheet href=https://cdn.example/x.css integrity=sha256-x crossorigin>"
    )
}

fn dir() -> TestDir {
    let files = [
        ("site/a.css", STYLE),
        ("site/index.html", &page(OLD)),
        ("site/j.js", "run()"),
        ("site/z/page.html", &format!("<link rel=stylesheet href=/a.css integrity={OLD}>")),
        ("site/i.png", ""),
    ];
    TestDir::with(&files)
}

#[test]
fn digests_of_edited_files_are_renewed() {
    let dir = dir();
    let run = dir.relink("relativize site --base http://h/ -o out").exits(0);
    assert!(run.has_line("2 attributes of integrity or crossorigin updated"), "{run}");
    assert_eq!(dir.text("out/index.html"), page(RELATIVE));
    let inner = format!("<link rel=stylesheet href=../a.css integrity={RELATIVE}>");
    assert_eq!(dir.text("out/z/page.html"), inner);
    // The style sheet comes before the pages, and is written after them.
    dir.relink("relativize site --base http://h/ --in-place -q").exits(0).reports("");
    for file in ["a.css", "index.html", "z/page.html"] {
        assert_eq!(dir.text(format!("site/{file}")), dir.text(format!("out/{file}")), "{file}");
    }
    dir.relink("undo site -q").exits(0);
    assert_eq!(dir.text("site/index.html"), page(OLD));
}

#[test]
fn digests_follow_a_move_and_a_rename() {
    let dir = dir();
    dir.relink("move site --from http://h/ --to http://n/d/ --style absolute -q -o moved").exits(0);
    assert_eq!(dir.text("moved/a.css"), "body{background:url(http://n/d/i.png)}");
    let moved = "sha256-uMlqNUdI4hZojUcJnbICZ+Fnmo0UlHuJ+3DJGMpcZ9A=";
    assert!(dir.text("moved/index.html").contains(moved));
    dir.relink("mv --tree site --base http://h/ site/i.png site/j.png -q").exits(0);
    assert_eq!(dir.text("site/a.css"), "body{background:url(/j.png)}");
    assert_eq!(dir.text("site/index.html"), page(RENAMED));
    assert!(dir.text("site/z/page.html").contains(RENAMED));
}

/// The pages of `absolutize` load the files of the site, which stay.
#[test]
fn digests_stay_where_the_site_is_loaded() {
    let dir = dir();
    let run = dir.relink("absolutize site --base http://h/ -o out").exits(0);
    assert!(run.has_line_with(&format!("{MAY_BLOCK} a.css;")), "{run}");
    assert!(dir.text("out/index.html").contains(OLD));
}

/// Browsers enforce the digests of scripts in SVG, with both attributes.
#[test]
fn digests_of_scripts_in_svg_are_renewed() {
    // Of `import '/i.js'` and `import './i.js'`.
    let old = "sha256-g1xVNQlZZgt2oh9a0yZN0SOAbgWYiTTOQvL9fKnS7Q0=";
    let new = "sha256-97LdnNg5X62xXGMJQDtvBYvAlziLsoLwZNWs9nrw8NM=";
    let page = |digest: &str| {
        format!("<svg><script type=module xlink:href=m.js integrity={digest}></script></svg>")
    };
    let image = |digest: &str| {
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg'><script href='m.js' integrity='{digest}'/></svg>"
        )
    };
    let (page_before, image_before) = (page(old), image(old));
    let dir = TestDir::with(&[
        ("site/a.html", &page_before),
        ("site/b.svg", &image_before),
        ("site/m.js", "import '/i.js'"),
        ("site/i.js", ""),
    ]);
    let run = dir.relink("relativize site --base http://h/ --also js-modules -o out").exits(0);
    assert!(run.has_line("2 attributes of integrity or crossorigin updated"), "{run}");
    assert_eq!(dir.text("out/m.js"), "import './i.js'");
    assert_eq!(dir.text("out/a.html"), page(new));
    assert_eq!(dir.text("out/b.svg"), image(new));
    dir.relink("relativize site --base http://h/ --for file --also js-modules -o disk -q").exits(0);
    assert!(dir.text("disk/b.svg").contains(" data-integrity="));
    // What stays is reported.
    dir.file("site/a.html", "");
    let run = dir.relink("absolutize site --base http://h/ --also js-modules -o abs").exits(0);
    assert!(run.has_line_with(&format!("{MAY_BLOCK} m.js;")), "{run}");
}

#[test]
fn a_digest_that_was_wrong_is_reported() {
    let dir = dir();
    dir.file("site/index.html", page("sha256-x"));
    let run = dir.relink("relativize site --base http://h/ -o out").exits(0);
    assert!(run.has_line_with(&format!("{MAY_BLOCK} a.css;")), "{run}");
    assert_eq!(dir.text("out/index.html"), page("sha256-x"));
}

/// From a disk, a browser loads nothing that has a digest or an origin.
#[test]
fn pages_for_a_disk_have_no_digests_of_files() {
    let dir = dir();
    let run = dir.relink("relativize site --base http://h/ --for file -o out").exits(0);
    let line = "4 attributes of integrity or crossorigin renamed to data-*";
    assert!(run.has_line(line), "{run}");
    let page = dir.text("out/index.html");
    assert!(page.contains(&format!("a.css data-integrity={OLD}")), "{page}");
    assert!(page.contains(&format!("j.js data-integrity={SCRIPT} data-crossorigin")), "{page}");
    assert!(page.contains("x.css integrity=sha256-x crossorigin"), "{page}");
    dir.relink("relativize site --base http://h/ --for static-host -q -o hosted").exits(0);
    assert!(dir.text("hosted/index.html").contains(RELATIVE));
}

/// Modules, masks, subtitles and what SVG uses are not loaded from a disk at all.
#[test]
fn what_no_browser_loads_from_a_disk_is_counted() {
    let page = "<script type=module src=/m.js></script><link rel=modulepreload href=m.js>\
                <script src=m.js></script><script type=Module src=https://cdn.example/m.js></script>\
                <svg id=b><use href=a.svg#a /><use xlink:href='#b'/><use href=none.svg#a /><g filter='url(a.svg#f) url(#b)' cursor='url(i.png)'/></svg>\
                <style>p{MASK:url(i.png);background:url(i.png)}b{-webkit-mask-image:url(i.png);mask:url(data:,)}</style>\
                <video src=v.mp4 crossorigin><track src=t.vtt></video><audio src=v.mp4></audio>";
    let mut files = vec![("site/index.html", page), ("site/a.svg", "<svg/>")];
    files.extend(["site/m.js", "site/i.png", "site/v.mp4", "site/t.vtt"].map(|name| (name, "")));
    let dir = TestDir::with(&files);
    let line = "7 references that no browser loads from a disk (modules, masks, subtitles, what SVG uses); use a web server, or `--for static-host`";
    let run = dir.relink("relativize site --base http://h/ --for file -o out").exits(0);
    assert!(run.has_line(line), "{run}");
    let output = dir.text("out/index.html");
    assert!(output.contains("<video src=v.mp4 data-crossorigin><track src=t.vtt>"), "{output}");
    for other in ["--base http://h/ --for static-host", "--base http://h/"] {
        let run = dir.relink(&format!("relativize site {other} -n")).exits(0);
        assert!(!run.stderr.contains("from a disk"), "{run}");
    }
}

#[test]
fn a_style_sheet_of_a_packed_page_keeps_its_digest() {
    let dir = dir();
    dir.relink("pack site/index.html -q -o page.mhtml").exits(0);
    let message = dir.text("page.mhtml");
    let style = message.split("text/css").nth(1).unwrap();
    let encoding = style.split("\r\n").find(|line| line.starts_with("Content-Transfer-Encoding:"));
    assert_eq!(encoding, Some("Content-Transfer-Encoding: base64"));
    dir.relink("unpack page.mhtml -q -o out").exits(0);
    let pages = dir.tree("out");
    assert!(pages.keys().any(|path| path.ends_with("a.css")), "{:?}", pages.keys());
    let page = pages.keys().find(|path| path.extension().is_some_and(|it| it == "html")).unwrap();
    let page = dir.text(std::path::Path::new("out").join(page));
    assert!(page.contains(&format!("data-integrity={OLD}")), "{page}");
}

/// The hash of the style sheet is that of a `style` with the same text.
#[test]
fn hashes_of_edited_texts_in_a_policy_are_renewed() {
    let page = |hash: &str, style: &str| {
        format!(
            "<meta http-equiv=Content-Security-Policy content=\"style-src 'sha256-x' '{hash}'\"><style>{style}</style>"
        )
    };
    let dir = TestDir::with(&[("site/index.html", &page(OLD, STYLE))]);
    let run = dir.relink("relativize site --base http://h/ -o out").exits(0);
    let line = "hashes of edited styles or scripts updated in 1 Content-Security-Policy";
    assert!(run.has_line(line), "{run}");
    assert_eq!(dir.text("out/index.html"), page(RELATIVE, "body{background:url(i.png)}"));
    // The policy of `absolutize` is about the page itself.
    let run = dir.relink("absolutize site --base http://n/d/ -o absolute").exits(0);
    assert!(run.has_line(line), "{run}");
    let skip = "--skip meta[http-equiv=content-security-policy]";
    let run = dir.relink(&format!("relativize site --base http://h/ {skip} -o skipped")).exits(0);
    let line = "1 document has a Content-Security-Policy with hashes that may block edited styles or scripts; write new hashes";
    assert!(run.has_line(line), "{run}");
    assert_eq!(dir.text("skipped/index.html"), page(OLD, "body{background:url(i.png)}"));
    // No hash of a text that was edited.
    let dir = TestDir::with(&[("site/index.html", &page("sha384-x", STYLE))]);
    let run = dir.relink("relativize site --base http://h/ -o out").exits(0);
    assert!(!run.has_line_with("hashes"), "{run}");
}

#[test]
fn digests_in_headers_are_renewed() {
    let headers = |url: &str, digest: &str| {
        format!(
            "/*\n  Link: <{url}>; rel=preload; integrity=\"{digest}\", <https://cdn.example/a.css>; integrity={OLD}\n"
        )
    };
    let dir = dir();
    dir.file("site/_headers", headers("/a.css", OLD));
    dir.relink("relativize site --base http://h/ --in-place -q").exits(0).reports("");
    assert_eq!(dir.text("site/_headers"), headers("http://h/a.css", RELATIVE));
    let dir = self::dir();
    dir.file("site/_headers", headers("/a.css", OLD));
    dir.relink("relativize site --base http://h/ --for file -o disk -q").exits(0);
    assert_eq!(dir.text("disk/_headers"), headers("http://h/a.css", OLD));
}

/// What is not computed again is named, if a file was edited of which it is the digest.
#[test]
fn other_digests_of_edited_files_are_reported() {
    let policy = "/*\n  Content-Security-Policy: style-src 'sha256-x'\n";
    let response =
        "HTTP/1.1 200 OK\r\nContent-Type: text/css\r\nLink: </a.css>; integrity=sha256-x\r\n\r\n";
    let may_block = format!("{MAY_BLOCK} a.css;");
    for (name, text, hint) in [
        ("b.css", "@import url(a.css) integrity('sha256-x');", &*may_block),
        ("b.css", "@import url('a.css' integrity('sha256-x'));", &*may_block),
        ("b.css", "@import url(b.css) integrity('sha256-x');", ""),
        ("b.http", response, &may_block),
        ("ngsw.json", "{\"hashTable\":{}}", "ngsw.json lists digests of files that were edited"),
        ("sw.js", "x.precacheAndRoute([])", "sw.js lists digests of files that were edited"),
        ("_headers", policy, "_headers has a Content-Security-Policy with hashes of them"),
    ] {
        let page = "<style>a{b:url(/c)}</style>";
        let files = [("site/a.css", STYLE), ("site/p.html", page), (&format!("site/{name}"), text)];
        let dir = TestDir::with(&files);
        let run = dir.relink("relativize site --base http://h/ --type http=application/http --also js-modules -o out").exits(0);
        let found = run.stderr.lines().find(|line| line.starts_with("hint: ")).unwrap_or_default();
        assert_eq!(found.is_empty(), hint.is_empty(), "{name}: {run}");
        assert!(found.contains(hint), "{name}: {run}");
    }
}
