//! `relativize --for file` of a tree whose URL no option gives.

use crate::dir::TestDir;

/// Runs it. Returns the messages and the output of `index.html`.
#[track_caller]
fn converted(files: &[(&str, &str)], options: &str, status: i32) -> (String, String) {
    let dir = TestDir::with(files);
    let run = dir.relink(&format!("relativize --for file {options} s -o o")).exits(status);
    let texts: String = match status {
        0 => files.iter().map(|(name, _)| dir.text(name.replacen("s/", "o/", 1))).collect(),
        _ => String::new(),
    };
    // Nothing is written with the URL in place of the unknown one.
    assert!(!texts.contains("invalid"), "{texts}");
    let index = if status == 0 { dir.text("o/index.html") } else { String::new() };
    (run.stderr.clone(), index)
}

const PAGE: (&str, &str) =
    ("s/docs/a.html", "<a href=/>home</a> <a href='https://other.example/'>x</a>\n");

#[test]
fn a_tree_in_which_no_reference_needs_it() {
    let page = "<base href=/docs/><link rel=stylesheet href=/s.css><a href=a.html?x#y>A</a> <a href=/>top</a>\n";
    let files =
        [("s/index.html", page), PAGE, ("s/s.css", "p { background: url(/docs/a.html) }\n")];
    let (stderr, index) = converted(&files, "", 0);
    assert!(
        stderr.contains(
            "note: the URL of s is unknown, and no relative reference needs it; use `--base URL`"
        ),
        "{stderr}"
    );
    assert_eq!(
        index,
        "<base href=\"\"><link rel=stylesheet href=s.css><a href=docs/a.html?x#y>A</a> <a href=index.html>top</a>\n"
    );
}

#[test]
fn a_reference_that_needs_it_is_named() {
    for (reference, needs_it) in [
        ("<a href=missing.html>", "index.html:2: a[href] missing.html"),
        ("<a href=/docs/missing.html>", "index.html:2: a[href] /docs/missing.html"),
        ("<a href=../docs/a.html>", "index.html:2: a[href] ../docs/a.html"),
        ("<a href=docs/../../docs/a.html>", "docs/../../docs/a.html"),
        ("<link rel=canonical href=/>", "index.html:2: link[canonical] /"),
        ("<script src=//cdn.example/x.js></script>", "script[src] //cdn.example/x.js"),
    ] {
        let page = format!("<p>\n{reference}\n");
        let (stderr, _) = converted(&[("s/index.html", &page), PAGE], "", 2);
        assert!(stderr.contains("needs it: s/") && stderr.contains(needs_it), "{stderr}");
        assert!(stderr.contains("use `--base URL`"), "{stderr}");
    }
    let page = "<a href=missing.html> <a href=/docs/a.html>\n";
    let (_, index) = converted(&[("s/index.html", page), PAGE], "--missing keep", 0);
    assert_eq!(index, "<a href=missing.html> <a href=docs/a.html>\n");
}

const CANONICAL: &str = "<link rel=canonical href=https://h.example/d/>";
const SITEMAP: &str = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://h.example/d/docs/a</loc></url></urlset>";

#[test]
fn canonical_links_and_the_sitemap_give_it() {
    let page = format!(
        "{CANONICAL}<a href=https://h.example/d/docs/a.html>A</a> <a href=/d/docs/a.html>A</a> <a href=missing>M</a>\n"
    );
    let own = "<link rel=canonical href=https://h.example/d/docs/a><a href=../>up</a>\n";
    let files = [("s/index.html", &*page), ("s/docs/a.html", own), ("s/sitemap.xml", SITEMAP)];
    let (stderr, index) = converted(&files, "", 0);
    assert!(
        stderr.contains(
            "note: s is read as https://h.example/d/, the URL in 2 canonical links and the sitemap"
        ),
        "{stderr}"
    );
    assert_eq!(
        index,
        format!(
            "{CANONICAL}<a href=docs/a.html>A</a> <a href=docs/a.html>A</a> <a href=https://h.example/d/missing>M</a>\n"
        )
    );
}

#[test]
fn declarations_that_contradict_each_other_give_none() {
    let missing = format!("{CANONICAL}<a href=missing>\n");
    let elsewhere = "<link rel=canonical href=https://other.example/x/y>\n";
    let other = "<link rel=canonical href=https://h.example/e/docs/a.html>\n";
    for (name, text) in [
        // Another URL of the tree; of two pages, one canonical link is that of its own page, and
        // two are not; the sitemap of another site.
        ("s/docs/a.html", other),
        ("s/docs/b.html", elsewhere),
        ("s/sitemap.xml", &SITEMAP.replace("h.example", "i.example")),
    ] {
        let mut files = vec![("s/index.html", &*missing), (name, text)];
        if name.ends_with("b.html") {
            files.push(("s/docs/c.html", elsewhere));
        }
        let (stderr, _) = converted(&files, "", 2);
        assert!(stderr.contains("a reference needs it"), "{name}: {stderr}");
    }
}
