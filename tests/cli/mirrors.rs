//! `relativize --for file`, `--layout`, `--same-as`, `--index`: trees that are opened from a disk,
//! and mirrors.

use crate::dir::TestDir;
use crate::words::{HOST_IN_BASE, INVALID_VALUE, MADE_ABSOLUTE, NO_HOSTS, TO_LIST_THEM};

/// What becomes of the first line of `site/a.html`, reported by the diff, without the mark in
/// front; the line itself if nothing does.
#[track_caller]
fn line(dir: &TestDir, options: &str) -> String {
    let run = dir.relink(&format!("relativize site --diff -q {options}")).exits(0);
    let added = run.text().lines().find(|line| line.starts_with('+') && !line.starts_with("+++"));
    added.map_or_else(|| dir.text("site/a.html"), |line| line[1..].to_owned())
}

#[track_caller]
fn check(files: &[(&str, &str)], options: &str, document: &str, expected: &str) {
    let dir = TestDir::with(files);
    dir.file("site/a.html", document);
    assert_eq!(line(&dir, options), expected, "{document} with {options}");
}

const BASE: &str = "--base http://h.example/ --for file";

#[test]
fn directories_point_to_their_index_files() {
    let files = [("site/index.html", ""), ("site/d/index.html", ""), ("site/e/default.htm", "")];
    check(&files, BASE, "<a href=/>", "<a href=index.html>");
    check(&files, BASE, "<a href=d/?q#s>", "<a href=d/index.html?q#s>");
    check(&files, BASE, "<a href=d>", "<a href=d/index.html>");
    check(&files, BASE, "<a href=http://h.example>", "<a href=index.html>");
    check(&files, BASE, "<a href=e/>", "<a href=http://h.example/e/>");
    let index = "--base http://h.example/ --for file --index default.htm";
    check(&files, index, "<a href=e/>", "<a href=e/default.htm>");
    // A codebase is a directory, and stays one; what is on it stays on it.
    let applet = "<applet codebase=http://h.example/d/ archive=x.jar>";
    check(&files, BASE, applet, "<applet codebase=d/ archive=x.jar>");
}

#[test]
fn names_are_found_by_what_escapes_stand_for() {
    let files = [
        ("site/a b.html", ""),
        ("site/50%.html", ""),
        ("site/x%20y.html", ""),
        ("site/q?1#2.html", ""),
        ("site/s.css?v=3", ""),
        ("site/t.css", ""),
    ];
    check(&files, BASE, "<a href=/a%20b.html>", "<a href=a%20b.html>");
    check(&files, BASE, "<a href=%61%20b.html>", "<a href=a%20b.html>");
    check(&files, BASE, "<a href='a b.html'>", "<a href='a%20b.html'>");
    check(&files, BASE, "<a href=50%.html>", "<a href=50%25.html>");
    check(&files, BASE, "<a href=x%20y.html>", "<a href=x%2520y.html>");
    check(&files, BASE, "<a href=q%3F1%232.html>", "<a href=q%3F1%232.html>");
    check(&files, BASE, "<link href=s.css?v=3>", "<link href=s.css%3Fv=3>");
    check(&files, BASE, "<link href=t.css?v=3>", "<link href=t.css?v=3>");
    check(&files, BASE, "<link href=/t.css?v=3#x>", "<link href=t.css?v=3#x>");
}

#[test]
fn missing_files() {
    let files = [("site/b.html", "")];
    let document = "<a href=/b.html><a href=/x.html#s>";
    let absolute = "<a href=b.html><a href=http://h.example/x.html#s>";
    check(&files, BASE, document, absolute);
    check(&files, &format!("{BASE} --missing absolute"), document, absolute);
    check(&files, &format!("{BASE} --missing keep"), document, "<a href=b.html><a href=x.html#s>");
    let dir = TestDir::with(&files);
    dir.file("site/a.html", document);
    let report = format!("relativize site {BASE} --missing report --strict -o out -v");
    let run = dir.relink(&report).exits(1);
    assert!(
        run.stderr
            .starts_with("site/a.html:1:25: '/x.html#s' unchanged; the tree has no such file\n"),
        "{run}"
    );
    assert_eq!(dir.text("out/a.html"), "<a href=b.html><a href=/x.html#s>");
}

#[test]
fn bases_are_emptied() {
    let files = [("site/d/b.html", "")];
    check(&files, BASE, "<base href=/d/><a href=b.html>", "<base href=\"\"><a href=d/b.html>");
    check(&files, BASE, "<base href=d/><a href=b.html>", "<base href=d/><a href=b.html>");
    check(
        &files,
        BASE,
        "<base href=http://i.example/><a href=b.html>",
        "<base href=\"\"><a href=http://i.example/b.html>",
    );
}

#[test]
fn the_document_itself() {
    let files = [("site/index.html", "")];
    check(
        &files,
        BASE,
        "<a href=#x><a href=''><a href=a.html#y>",
        "<a href=#x><a href=''><a href=a.html#y>",
    );
    check(&files, BASE, "<a href=/a.html#x>", "<a href=#x>");
    check(
        &files,
        BASE,
        "<link rel=canonical href=/a.html>",
        "<link rel=canonical href=http://h.example/a.html>",
    );
}

#[test]
fn other_urls_of_the_tree() {
    let same =
        "--base http://h.example/ --same-as https://h.example/ --same-as http://www.h.example";
    let document = "<a href=https://h.example/x><a href=HTTP://WWW.h.example:80/y#s><a href=https://www.h.example/>";
    check(&[], same, document, "<a href=x><a href=y#s><a href=https://www.h.example/>");
    check(&[], "--base http://H.example:80/", "<a href=http://h.example/x>", "<a href=x>");
    let files = [("site/x/index.html", "")];
    check(
        &files,
        &format!("{same} --for file"),
        "<a href=https://h.example/x/>",
        "<a href=x/index.html>",
    );
}

/// Two hosts, and the names that wget gives to files with queries, with ports, and where names may
/// not hold everything.
fn mirror() -> TestDir {
    TestDir::with(&[
        ("site/h.example/index.html", ""),
        ("site/h.example/p.php?id=3", ""),
        ("site/h.example/q.php?id=3.html", ""),
        ("site/h.example/r.php@id=3&u=%2Fa.html", ""),
        ("site/h.example/old.html.orig", "<a href=/>"),
        ("site/i.example:8080/x.html", ""),
        ("site/j.example+81/x.html", ""),
    ])
}

#[track_caller]
fn check_mirror(document: &str, expected: &str) {
    let dir = mirror();
    dir.file("site/h.example/d/a.html", document);
    dir.relink("relativize site --layout wget --for file -o out -q").exits(0).reports("");
    assert_eq!(dir.text("out/h.example/d/a.html"), expected);
    let again = dir.relink("relativize out --layout wget --for file --diff -q").exits(0);
    again.prints("");
    assert_eq!(dir.text("out/h.example/old.html.orig"), "<a href=/>");
}

#[test]
fn a_mirror_by_wget() {
    check_mirror("<a href=/>", "<a href=../index.html>");
    check_mirror("<a href=/p.php?id=3>", "<a href=../p.php%3Fid=3>");
    check_mirror("<a href=/p.php?id=4>", "<a href=http://h.example/p.php?id=4>");
    check_mirror("<a href=/q.php?id=3#s>", "<a href=../q.php%3Fid=3.html#s>");
    check_mirror("<a href='/r.php?id=3&amp;u=/a'>", "<a href='../r.php@id=3&amp;u=%252Fa.html'>");
    check_mirror("<a href=//i.example:8080/x.html>", "<a href=../../i.example:8080/x.html>");
    check_mirror("<a href=http://j.example:81/x.html>", "<a href=../../j.example+81/x.html>");
    check_mirror("<a href=https://h.example/>", "<a href=../index.html>");
    check_mirror("<a href=http://k.example/>", "<a href=http://k.example/>");
    // wget has written these already.
    check_mirror("<a href=../q.php%3Fid=3.html>", "<a href=../q.php%3Fid=3.html>");
    check_mirror("<a href=../../i.example:8080/x.html>", "<a href=../../i.example:8080/x.html>");
}

#[test]
fn a_mirror_without_for_file_keeps_its_urls() {
    let dir = mirror();
    dir.file(
        "site/h.example/d/a.html",
        "<a href=/p.php?id=3><a href=http://i.example:8080/x.html>",
    );
    dir.relink("absolutize site --layout wget --scheme https -o out -q").exits(0).reports("");
    assert_eq!(
        dir.text("out/h.example/d/a.html"),
        "<a href=https://h.example/p.php?id=3><a href=http://i.example:8080/x.html>"
    );
}

/// `wget -nH` leaves out the directory of the host, and so does who names it as PATH.
#[test]
fn a_mirror_of_one_host() {
    let dir = TestDir::with(&[
        ("site/p.php?id=3", "<a href=?id=4><a href=http://h.example/>"),
        ("site/p.php?id=4", ""),
        ("site/index.html", "<a href=https://www.h.example/p.php?id=3>"),
    ]);
    let place = "--layout wget --base http://h.example/ --same-as http://www.h.example/,https://www.h.example/";
    dir.relink(&format!("relativize site {place} --for file -o out -q")).exits(0).reports("");
    assert_eq!(dir.text("out/p.php?id=3"), "<a href=p.php%3Fid=4><a href=index.html>");
    assert_eq!(dir.text("out/index.html"), "<a href=p.php%3Fid=3>");
    dir.relink("check site --layout wget --base http://h.example/ -q").exits(0).prints("");
    let reported = "error: cannot use --same-as without --base; it declares an alias of the URL at --base; use `--base URL` to set that URL\n";
    dir.relink("relativize site --map site=http://h/ --same-as http://i/ -o x")
        .exits(2)
        .reports(reported);
    dir.directory("m/h.example");
    dir.relink("relativize m/h.example --layout wget -o x")
        .fails("m/h.example: cannot find the hosts of the mirror; it has the name of one host; use the directory that contains it, or `--base URL`");
    let run = dir.relink("relativize m --base http://h.example/ -o x");
    let reported = &format!(
        "m: contains the directory h.example, {HOST_IN_BASE}; it may be a mirror with a directory for each host; use `--layout wget` without `--base` if it is\n"
    );
    assert!(run.stderr.starts_with(reported), "{run}");
}

#[test]
fn what_is_missing_is_reported() {
    let dir =
        TestDir::with(&[("site/a.html", "<a href=b.html>"), ("site/c.html", "<a href=a.html>")]);
    let run = dir.relink(&format!("relativize site {BASE} -o out")).exits(0);
    let reported =
        &format!("1 reference to a missing file is absolute; use `-n -v` {TO_LIST_THEM}\n");
    assert!(run.stderr.contains(reported), "{run}");
    let run = dir.relink(&format!("relativize site {BASE} -o out2 -v")).exits(0);
    let reported = "site/a.html:1:9: 'b.html' made absolute; the tree has no such file\n";
    assert!(run.stderr.starts_with(reported), "{run}");
    // The output exists now: the same command would be refused without `-n`.
    dir.file("site/a.html", "<a href=b.html><a href=http://h.example/d.html>");
    let run = dir.relink(&format!("relativize site {BASE} -o out -n -v")).exits(0);
    let reported = &format!(
        "site/a.html:1:9: 'b.html' {MADE_ABSOLUTE}\n\
        site/a.html:1:24: 'http://h.example/d.html' left absolute; the tree has no such file\n"
    );
    assert!(run.stderr.starts_with(reported), "{run}");
    let run = dir.relink(&format!("relativize site {BASE} -n")).exits(0);
    let reported =
        &format!("2 references to missing files are absolute; use `-v` {TO_LIST_THEM}\n");
    assert!(run.stderr.contains(reported), "{run}");
}

#[test]
fn a_mirror_by_httrack() {
    let note = "<!-- Mirrored from h.example/p.php?id=3 by HTTrack Website Copier/3.49-2 -->";
    let dir = TestDir::with(&[
        ("site/h.example/p9c1d.html", note),
        ("site/h.example/a.html", "<a href=http://h.example/p.php?id=3#s><a href=p9c1d.html>"),
        ("site/hts-cache/new.html", "<a href=http://h.example/a.html>"),
    ]);
    dir.relink("relativize site --layout httrack --for file -o out -q").exits(0).reports("");
    assert_eq!(dir.text("out/h.example/a.html"), "<a href=p9c1d.html#s><a href=p9c1d.html>");
    assert_eq!(dir.text("out/hts-cache/new.html"), "<a href=http://h.example/a.html>");
}

#[test]
fn several_trees() {
    let dir = TestDir::with(&[
        ("x/a.html", "<a href=http://i.example/b.html><a href=http://i.example/>"),
        ("y/b.html", "<a href=http://h.example/s/a.html>"),
    ]);
    dir.relink(
        "relativize x y --map x=http://h.example/s/ --map y=http://i.example/ --for file -o out -q",
    )
    .exits(0);
    assert_eq!(dir.text("out/x/a.html"), "<a href=../y/b.html><a href=http://i.example/>");
    assert_eq!(dir.text("out/y/b.html"), "<a href=../x/a.html>");
}

#[test]
fn a_directory_with_a_url_of_its_own() {
    let dir = TestDir::with(&[
        (
            "site/blog/x.html",
            "<a href=http://h.example/y.html><a href=http://h.example/blog/x.html>",
        ),
        ("site/y.html", "<a href=http://blog.example/x.html>"),
    ]);
    dir.relink("relativize site --base http://h.example/ --map site/blog=http://blog.example/ --for file -o out -q")
        .exits(0);
    // Nothing is at /blog/ of the site: that directory is the blog's.
    assert_eq!(
        dir.text("out/blog/x.html"),
        "<a href=../y.html><a href=http://h.example/blog/x.html>"
    );
    assert_eq!(dir.text("out/y.html"), "<a href=blog/x.html>");
}

#[test]
fn maps_that_overlap() {
    let dir = TestDir::with(&[("a/s/x.html", ""), ("b/x.html", "")]);
    let path = |name: &str| dir.path(name).display().to_string();
    dir.relink("relativize a b --map a=http://h/ --map b=http://h/ -o out").fails(&format!(
        "error: {}=http://h/ and {}=http://h/ overlap; two paths would have the URL http://h/; use other URLs",
        path("a"),
        path("b")
    ));
    dir.relink("relativize a b --map a=http://h/ --map b=http://h/s/ -o out").fails(&format!(
        "error: {}=http://h/ and {}=http://h/s/ overlap; two paths would have the URL http://h/s/; use other URLs",
        path("a"),
        path("b")
    ));
    dir.relink("relativize a b --map a=http://h/ --map b=http://h/t/ -o out -q").exits(0);
    dir.relink("absolutize a --base http://h/ --map a=http://i/ -o out2").fails(&format!(
        "error: {INVALID_VALUE} 'a=http://i/' for --map; {}=http://h/ and {}=http://i/ are two URLs of one path; remove one",
        path("a"),
        path("a")
    ));
}

#[test]
fn what_cannot_be_requested() {
    let dir = TestDir::with(&[("site/css/a.css", ""), ("a.html", "")]);
    dir.relink("relativize site --layout wget -o out")
        .fails(&format!("site: {NO_HOSTS}; no directory in it has the name of a host; use `--base URL` for the mirror of one host"));
    dir.relink("relativize a.html --layout wget -o out")
        .fails("a.html: cannot list the hosts of the mirror; a component of the path is not a directory; use the directory that contains the directories of the hosts, or `--base URL`");
    let wrong = "error: cannot combine --for file with another --style or --base-element; it writes relative paths and empties bases; remove these options";
    dir.relink("relativize site --base http://h/ --for file --style shortest -o out").fails(wrong);
    dir.relink("relativize site --base http://h/ --for file --base-element keep -o out")
        .fails(wrong);
    dir.relink("relativize - --base http://h/ --for file")
        .fails("error: cannot use --for file with standard input; it needs to know which files exist; use a PATH instead");
    dir.relink("relativize site --base http://h/ --same-as mailto:x -o out").fails(&format!(
        "error: {INVALID_VALUE} 'mailto:x' for --same-as; URLs of this scheme have no directories"
    ));
    for line in [
        "relativize site --base http://h/ --missing keep -o out",
        "relativize site --layout wget --same-as http://h/ -o out",
        "relativize site --base http://h/ --layout wget --scheme https -o out",
        "relativize site --same-as http://h/ -o out",
        "relativize site --base http://h/ --for web -o out",
    ] {
        dir.relink(line).exits(2).prints("");
    }
    assert!(!dir.has("out"));
}

/// Mirroring programs record no redirect from one host to the other.
#[test]
fn a_url_of_a_mirror_is_found_under_another_host() {
    let page = "<a href=http://www.h.example/a.html>a</a><a href=https://www.h.example/b.html#x>b</a>\
        <a href=http://www.h.example/none.html>n</a><a href=http://www.h.example:8080/b.html>p</a>\
        <a href=ftp://www.h.example/b.html>f</a><a href=mailto:www.h.example/b.html>m</a>";
    let dir = TestDir::with(&[
        ("m/h.example/a.html", page),
        ("m/h.example/b.html", "<p id=x>"),
        ("m/www.i.example/x.html", "<script src=https://i.example/s.js integrity=x></script>"),
        ("m/www.i.example/s.js", ""),
    ]);
    let line = "relativize m --layout wget --for";
    for (target, script) in [
        ("file", "<script src=s.js data-integrity=x></script>"),
        ("static-host", "<script src=s.js integrity=x></script>"),
    ] {
        let run = dir.relink(&format!("{line} {target} -o {target}")).exits(0);
        let rest = page.split_once("<a href=http://www.h.example/none").unwrap().1;
        let expected = format!(
            "<a href=a.html>a</a><a href=b.html#x>b</a><a href=http://www.h.example/none{rest}"
        );
        assert_eq!(dir.text(format!("{target}/h.example/a.html")), expected);
        assert_eq!(dir.text(format!("{target}/www.i.example/x.html")), script);
        assert!(run.has_line("3 references found under another scheme or host"), "{run}");
    }
    let run = dir.relink(&format!("{line} file --no-twins -o none")).exits(0);
    assert_eq!(dir.text("none/h.example/a.html"), page);
    assert!(!run.stderr.contains("found under"), "{run}");
    // `check` does not list what a mirror has.
    let listed = |options: &str| {
        let run = dir.relink(&format!("check m --layout wget --list-external -q {options}"));
        run.text().lines().filter(|line| line.starts_with("http")).count()
    };
    assert_eq!((listed(""), listed("--no-twins")), (2, 5));
    // Another site may have the URL of the tree.
    dir.relink("relativize m/h.example --base http://h.example/ --for file -o base").exits(0);
    assert_eq!(dir.text("base/a.html"), page);
}

#[test]
fn a_url_of_a_mirror_counts_before_its_twins() {
    let page = "<a href=//h.example/a.html>a</a><a href=//www.h.example/a.html>w</a>\
        <a href=//www.h.example/b.html>b</a><a href=//www.h.example/p?q>q</a>";
    let dir = TestDir::with(&[
        ("m/h.example/start.html", page),
        ("m/h.example/a.html", "<p>1"),
        ("m/h.example/b.html", "<p>3"),
        ("m/h.example/p?q", "<p>4"),
        ("m/www.h.example/a.html", "<p>2"),
        // A guess: wget adds the extension.
        ("m/www.h.example/p?q.html", "<p>5"),
    ]);
    let run = dir.relink("relativize m --layout wget --for file -o out").exits(0);
    assert_eq!(
        dir.text("out/h.example/start.html"),
        "<a href=a.html>a</a><a href=../www.h.example/a.html>w</a>\
        <a href=b.html>b</a><a href=../www.h.example/p%3Fq.html>q</a>"
    );
    assert!(run.has_line("1 reference found under another scheme or host"), "{run}");
    let run = dir.relink("check m --layout wget");
    assert!(!run.text().contains("b.html"), "{run}");
    let run = dir.relink("check m --layout wget --no-twins");
    assert!(run.text().contains("b.html"), "{run}");
}

/// A wiki has pages with the names of pictures, and wget keeps them.
#[test]
fn a_page_with_the_name_of_a_picture() {
    let page = "<!doctype html><img src=//i.example/logo.png>";
    let dir = TestDir::with(&[
        ("m/h.example/File:Logo.png", page),
        ("m/h.example/File:Logo.svg?x", page),
        ("m/i.example/logo.png", "\u{89}PNG<!doctype html><img src=//i.example/logo.png>"),
    ]);
    dir.relink("relativize m --layout wget --for file -o out -q").exits(0);
    let relative = "<!doctype html><img src=../i.example/logo.png>";
    assert_eq!(dir.text("out/h.example/File:Logo.png"), relative);
    assert_eq!(dir.text("out/h.example/File:Logo.svg?x"), relative);
    assert_eq!(dir.text("out/i.example/logo.png"), dir.text("m/i.example/logo.png"));
    // Elsewhere, a name is believed.
    dir.relink("relativize m/h.example --base http://h.example/ --layout plain -o plain -q");
    assert_eq!(dir.text("plain/File:Logo.png"), page);
}

/// wget stores what a redirect from `u` to `u/` answered as `u`, and writes the mark of an empty
/// query.
#[test]
fn files_that_wget_names_by_other_urls() {
    let dir = TestDir::with(&[
        ("m/h.example/u", "<!doctype html>"),
        ("m/h.example/d/index.html?", "<!doctype html>"),
        (
            "m/h.example/a.html",
            "<a href=u/>u</a><a href=d/#x>d</a><a href=http://h.example/d/>d</a><a href=v/>v</a>",
        ),
    ]);
    dir.relink("relativize m --layout wget --for file -o out -q").exits(0);
    assert_eq!(
        dir.text("out/h.example/a.html"),
        "<a href=u>u</a><a href=d/index.html%3F#x>d</a><a href=d/index.html%3F>d</a><a href=http://h.example/v/>v</a>"
    );
}

/// Browsers write the characters of a query in the charset of the page.
#[cfg(target_os = "linux")]
#[test]
fn a_query_in_the_charset_of_the_page() {
    use std::os::unix::ffi::OsStrExt;

    let dir = TestDir::new();
    let name = std::ffi::OsStr::from_bytes(b"m/h.example/s.php?q=\xE9.html");
    dir.file(name, "<!doctype html>");
    dir.file("m/h.example/a.html", b"<meta charset=iso-8859-1><a href='s.php?q=\xE9'>s</a>");
    dir.relink("relativize m --layout wget --for file -o out -q").exits(0);
    assert_eq!(
        dir.text("out/h.example/a.html"),
        "<meta charset=iso-8859-1><a href='s.php%3Fq=%E9.html'>s</a>"
    );
}

#[test]
fn style_sheets_made_by_a_program_are_known_by_what_loads_them() {
    let css = "b { background: url(/i.png) }";
    let files = [
        ("m/a.example/index.html", "<link rel=stylesheet href='style.cgi?theme=dark'>"),
        ("m/a.example/style.cgi?theme=dark", "@import '/css.php'; b { background: url(/i.png) }"),
        ("m/a.example/css.php", css),
        // A link that is no style sheet, another host's reference, and pages.
        ("m/a.example/page", "<html><a href='text.cgi?x=1'>x</a><style>@import '//b.example/x';"),
        ("m/a.example/text.cgi?x=1", css),
        ("m/a.example/other.php", css),
        ("m/b.example/x", css),
        ("m/a.example/i.png", "\u{1}"),
    ];
    let dir = TestDir::with(&files);
    dir.relink("relativize m --layout wget --for file -o out").exits(0);
    let converted = "b { background: url(i.png) }";
    assert_eq!(
        dir.text("out/a.example/style.cgi?theme=dark"),
        format!("@import 'css.php'; {converted}")
    );
    assert_eq!(dir.text("out/a.example/css.php"), converted);
    assert_eq!(dir.text("out/b.example/x"), "b { background: url(http://b.example/i.png) }");
    for file in ["text.cgi?x=1", "other.php"] {
        assert_eq!(dir.text(format!("out/a.example/{file}")), css, "{file}");
    }
    // The output is read in the same way: references to the files lead to them still.
    dir.relink("relativize out --layout wget --for file -o again").exits(0);
    for (file, _) in &files[..7] {
        let file = file.strip_prefix("m/").unwrap();
        assert_eq!(dir.text(format!("out/{file}")), dir.text(format!("again/{file}")), "{file}");
    }
    // The option decides.
    dir.relink("relativize m --layout wget --for file --type php=text/html -o typed").exits(0);
    assert_eq!(dir.text("typed/a.example/css.php"), css);
}
