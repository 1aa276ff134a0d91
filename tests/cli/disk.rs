//! Trees made for a disk, where it is hard: what is left under a base, second runs, several PATHs,
//! maps inside maps, hostile paths.

use crate::dir::TestDir;
use crate::words::{self, NOT_IN_TREE};

/// Runs `relink LINE` on a tree and compares one file, and runs it again, which changes nothing.
#[track_caller]
fn check(files: &[(&str, &str)], line: &str, name: &str, expected: &str) {
    let dir = TestDir::with(files);
    for run in ["first", "second"] {
        dir.relink(&format!("{line} --in-place -q")).exits(0).reports("");
        assert_eq!(dir.text(name), expected, "the {run} run of {line}");
    }
}

const BASED: &[(&str, &str)] = &[
    ("s/d/b.html", ""),
    ("s/b.html", ""),
    ("s/a.html", "<base href='/d/'><a href='b.html'></a><img src='b.html'>"),
];

#[test]
fn what_is_left_under_a_base_keeps_it() {
    let line = "relativize s --base http://h.example/ --for file";
    let kept = "<base href='/d/'><a href='b.html'></a><img src='http://h.example/d/b.html'>";
    check(BASED, &format!("{line} --only img"), "s/a.html", kept);
    // What is left keeps its target under a base that is made relative.
    let made = "<base href='d/'><a href='b.html'></a><img src='b.html'>";
    check(BASED, &format!("{line} --skip a"), "s/a.html", made);
    let kept = "<base href='/d/'><a href='http://h.example/d/b.html'></a><img src='http://h.example/d/b.html'>";
    check(BASED, &format!("{line} --skip base"), "s/a.html", kept);
    let emptied = "<base href=''><a href='d/b.html'></a><img src='d/b.html'>";
    check(BASED, line, "s/a.html", emptied);
    let template =
        [("s/d/b.html", ""), ("s/a.html", "<base href=/d/><a href={{x}}><a href=b.html>")];
    let made = "<base href=d/><a href={{x}}><a href=b.html>";
    check(&template, line, "s/a.html", made);
}

#[test]
fn a_missing_file_in_a_srcdoc_is_not_one_beside_the_page() {
    let line = "relativize s --base http://h.example/ --for file";
    let page = |base: &str, url: &str| {
        format!("<base href='{base}'><iframe srcdoc='<img src=\"{url}\">'></iframe>")
    };
    let files = [("s/i.png", ""), ("s/a.html", &*page("/d/", "i.png"))];
    check(&files, line, "s/a.html", &page("", "http://h.example/d/i.png"));
}

#[test]
fn what_is_reported_stays_what_it_is() {
    let files = [("s/x.html", ""), ("s/a.html", "<base href=\"/d/\"><a href=\"x.html\">")];
    let line = "relativize s --base http://h.example/ --for file --missing report";
    check(&files, line, "s/a.html", "<base href=\"\"><a href=\"http://h.example/d/x.html\">");
    let dir = TestDir::with(&files);
    for place in ["1:27: 'x.html'", "1:24: 'http://h.example/d/x.html'"] {
        let run = dir.relink(&format!("{line} -i -v --strict")).exits(1);
        let message = format!("s/a.html:{place} unchanged; {NOT_IN_TREE}");
        assert!(run.has_line(&message), "{run}");
    }
}

#[test]
fn a_second_run_knows_what_the_first_wrote() {
    let files = [("s/i.html", "<a href=http://b.example/p.html>"), ("s/blog/p.html", "")];
    let line = "relativize s --base http://h.example/ --map s/blog=http://b.example/ --for file";
    let dir = TestDir::with(&files);
    let reported = "error: cannot use --base with several PATHs";
    assert!(!dir.relink(&format!("{line} --dry-run")).stderr.contains(reported));
    check(&files, line, "s/i.html", "<a href=blog/p.html>");
    let files = [("a/i.html", "<a href=http://h.example/y/p.html>"), ("b/p.html", "")];
    let line =
        "relativize a b --map a=http://h.example/x/q/ --map b=http://h.example/y/ --for file";
    check(&files, line, "a/i.html", "<a href=../b/p.html>");
    let files = [
        ("k/h.example/a.html", "<a href=http://k.example/gone.html><a href=http://k.example/?x=1>"),
        ("k/k.example/b.html", ""),
    ];
    let line = "relativize k --layout wget --for file --missing keep";
    let expected = "<a href=../k.example/gone.html><a href=../k.example/index.html%3Fx=1>";
    check(&files, line, "k/h.example/a.html", expected);
}

#[test]
fn several_paths_are_where_they_are() {
    let files = [
        ("x/one/i.html", "<a href=http://b.example/p.html>"),
        ("y/two/p.html", "<a href=http://a.example/i.html>"),
    ];
    let line = "relativize x/one y/two --map x/one=http://a.example/ --map y/two=http://b.example/ --for file";
    check(&files, line, "x/one/i.html", "<a href=../../y/two/p.html>");
    check(&files, line, "y/two/p.html", "<a href=../../x/one/i.html>");
    let files = [("d/a.html", "<a href=b.html>"), ("d/b.html", "<a href=http://a.example/a.html>")];
    let line = "relativize d/a.html d/b.html --map d=http://a.example/ --for file";
    check(&files, line, "d/b.html", "<a href=a.html>");
    let dir = TestDir::with(&files);
    dir.relink(&format!("{line} -o out -q")).exits(0);
    assert_eq!(
        (dir.text("out/a.html"), dir.text("out/b.html")),
        ("<a href=b.html>".into(), "<a href=a.html>".into())
    );
}

#[test]
fn a_file_with_a_url_of_its_own() {
    let files = [
        ("site/blog/other.html", ""),
        ("site/blog/x.html", ""),
        (
            "site/index.html",
            "<a href=blog/other.html><a href=http://k.example/other.html><a href=http://k.example/x.html>",
        ),
    ];
    let maps = "--base http://h.example/ --map site/blog/x.html=http://k.example/x.html";
    let expected =
        "<a href=blog/other.html><a href=http://k.example/other.html><a href=blog/x.html>";
    check(&files, &format!("relativize site {maps} --for file"), "site/index.html", expected);
    TestDir::with(&files).relink(&format!("check site {maps} -q")).exits(0).prints("");
}

#[test]
fn what_httrack_wrote_is_right() {
    let note = |url: &str, text: &str| {
        format!("<!-- Mirrored from h.example/{url} by HTTrack Website Copier/3.49-2 -->{text}")
    };
    let page = note("page.php", "<a href=page-2.html>");
    let other = note("page.html", "<a href=page.html><a href=http://h.example/page.php>");
    let files = [("m/h.example/page.html", &*page), ("m/h.example/page-2.html", &*other)];
    let line = "relativize m --layout httrack --for file";
    check(&files, line, "m/h.example/page.html", &page);
    let expected = note("page.html", "<a href=page.html><a href=page.html>");
    check(&files, line, "m/h.example/page-2.html", &expected);
}

/// HTTrack keeps `news/?page=3` with `-K4`; the file of that page has a name of its own, and a
/// server of static files would answer with the index.
#[test]
fn a_directory_with_a_query_is_a_page_of_httrack() {
    let note = |url: &str| format!("<!-- Mirrored from {url} by HTTrack Website Copier/3.x -->");
    let second = note("a.example/news/?page=2") + "<a href=\"?page=3\"></a><a href=\"./\"></a>";
    let third = note("a.example/news/?page=3") + "<a href=\"./?page=2\"></a>";
    let index = note("a.example/news/") + "<a href=\"index.html\"></a>";
    let kept = "<a href=\"../news/?page=2#x\"></a><a href=\"/news/?page=3\"></a>\
        <a href=\"../news/?page=9\"></a><a href=\"../news/index.html?a=1\"></a>";
    let files = [
        ("m/hts-cache/new.txt", String::new()),
        ("m/a.example/news/index.html", index),
        ("m/a.example/news/index2.html", second),
        ("m/a.example/news/index3.html", third),
        ("m/a.example/x/c.html", note("a.example/x/c.html") + kept),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, &**text)).collect();
    for (target, index, news) in
        [("file", "index.html", "../news/index.html"), ("static-host", "./", "../news/")]
    {
        let line = format!("relativize m --layout httrack --for {target}");
        let links = |links: &[&str]| -> String {
            links.iter().map(|link| format!("<a href=\"{link}\"></a>")).collect()
        };
        let expected = [
            (
                "x/c.html",
                links(&[
                    "../news/index2.html#x",
                    "../news/index3.html",
                    &format!("{news}?page=9"),
                    "../news/index.html?a=1",
                ]),
            ),
            ("news/index2.html", links(&["index3.html", index])),
            ("news/index3.html", links(&["index2.html"])),
        ];
        for (name, expected) in expected {
            let name = format!("m/a.example/{name}");
            let old = files.iter().find(|(file, _)| *file == name).map_or("", |file| file.1);
            let note = &old[..old.find("<a").unwrap_or_default()];
            check(&files, &line, &name, &format!("{note}{expected}"));
        }
    }
}

#[test]
fn paths_do_not_leave_the_tree() {
    let dir = TestDir::with(&[("a.html", "<a href=http://h.example//etc/passwd>")]);
    dir.relink("relativize a.html --base http://h.example/a.html --for file -o - -q")
        .exits(0)
        .prints("<a href=http://h.example//etc/passwd>");
    dir.relink("check a.html --base http://h.example/a.html -q").exits(1);
}

#[test]
fn a_mirror_made_for_a_disk_is_whole() {
    let dir = TestDir::with(&[
        ("m/h.example/a.html", "<a href=http://k.example/x.html>"),
        ("m/k.example/x.html", ""),
    ]);
    dir.relink("relativize m --layout wget --for file -i -q").exits(0);
    dir.relink("check m --layout wget -q").exits(0).prints("");
    dir.relink("check m -q").exits(0).prints("");
}

#[test]
fn names_are_looked_for_in_documents_without_an_extension() {
    let page = "<!DOCTYPE html><html><a href=#nope>";
    for other in ["a.html", "z.html"] {
        let dir = TestDir::with(&[("t/page", page), (&format!("t/{other}"), "<a href=page#zzz>")]);
        let run = dir.relink("check t --fragments -q -j1").exits(1);
        assert_eq!(run.text().lines().count(), 2, "{run}");
    }
    let inner = "<a href=#sd><iframe srcdoc='<p id=sd>'></iframe><a href=#ie><!--[if IE]><p id=ie><![endif]-->";
    let dir = TestDir::with(&[("t/a.html", inner)]);
    assert_eq!(dir.relink("check t --fragments -q").exits(1).text().lines().count(), 2);
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text_are_found_through_links() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let dir = TestDir::with(&[("t/b.html", "<a href=/caf%E9.html><a href=/link/caf%E9.html>")]);
    let name = OsStr::from_bytes(b"caf\xE9.html");
    dir.file(std::path::Path::new("t").join(name), "");
    dir.file(std::path::Path::new("real").join(name), "");
    std::os::unix::fs::symlink("../real", dir.path("t/link")).unwrap();
    dir.relink("check t/b.html --base http://h.example/b.html -q").exits(0).prints("");
    dir.relink("check t --base http://h.example/ -q").exits(0).prints("");
}

/// What an import map or a manifest says of a directory holds for all in it, and not for the page
/// that is shown for it.
#[test]
fn what_holds_for_all_in_a_directory_names_the_directory() {
    let page = |k: &str, v: &str, scope: &str| {
        format!(
            "<script type=importmap>{{\"imports\":{{\"a/\":\"{v}\",\"{k}\":\"{v}\"}},\"scopes\":{{\"{scope}\":{{}}}}}}</script>"
        )
    };
    let manifest =
        |url: &str, scope: &str| format!("{{\"start_url\":\"{url}\",\"scope\":\"{scope}\"}}");
    let (input, app) = (page("/k/", "/v/", "/v/"), manifest("/v/", "/v/"));
    let files = [
        ("s/index.html", input.as_str()),
        ("s/m.webmanifest", app.as_str()),
        ("s/v/index.html", ""),
        ("s/k/x.js", ""),
    ];
    let line = "relativize s --base http://h.example/ --for file";
    check(&files, line, "s/index.html", &page("./k/", "./v/", "v/"));
    check(&files, line, "s/m.webmanifest", &manifest("v/index.html", "v/"));
    let names = page("/no/", "/v/", "/no/");
    let dir = TestDir::with(&[("s/index.html", names.as_str()), ("s/v/x.js", "")]);
    dir.relink("check s --base http://h.example/ -q").exits(0);
}

const CLEAN: &[(&str, &str)] = &[
    ("s/about.html", ""),
    ("s/d/index.html", ""),
    ("s/d.html", ""),
    ("s/a.html", "<a href=about><a href='about/?x#f'><a href=d/><a href=d><a href=gone>"),
];

/// A server may show `about.html` for `about` and `about/`; a file of the very name, and an index
/// file, come first.
#[test]
fn clean_urls() {
    let line = "relativize s --base http://h.example/ --for file";
    let expected = "<a href=about.html><a href='about.html?x#f'><a href=d/index.html><a href=d/index.html><a href=http://h.example/gone>";
    check(CLEAN, &format!("{line} --clean-urls"), "s/a.html", expected);
    let without = "<a href=http://h.example/about><a href='http://h.example/about/?x#f'><a href=d/index.html><a href=d/index.html><a href=http://h.example/gone>";
    check(CLEAN, line, "s/a.html", without);
    let dir = TestDir::with(CLEAN);
    let gone = &format!("s/a.html:1:65: a[href] gone: {}\n", words::no_file("gone"));
    dir.relink("check s --base http://h.example/ --clean-urls -q").exits(1).prints(gone);
    let about = &format!(
        "s/a.html:1:9: a[href] about: {}\ns/a.html:1:24: a[href] about/?x#f: {}\n",
        words::no_file("about"),
        words::no_file("about/index.html")
    );
    dir.relink("check s --base http://h.example/ -q").exits(1).prints(format!("{about}{gone}"));
}

/// In a mirror, no option is needed.
#[test]
fn clean_urls_of_a_mirror() {
    for layout in ["wget", "httrack"] {
        let dir = TestDir::with(&[
            ("m/h.example/about.html", "<p>about"),
            ("m/h.example/a.html", "<a href=/about><a href=/about/>"),
        ]);
        dir.relink(&format!("check m --layout {layout} -q")).exits(0).prints("");
        dir.relink(&format!("relativize m --layout {layout} --for file -q -i")).exits(0);
        assert_eq!(dir.text("m/h.example/a.html"), "<a href=about.html><a href=about.html>");
    }
}
