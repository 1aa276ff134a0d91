//! `relink mv` and `relink move --from-git` without the URL of the tree, and references from the
//! root of a site, such as `/a.html`.

use std::process::Command;

use crate::dir::TestDir;

/// The start of the note that the tree is the root.
const NOTE: &str = "is read as the root of references such as /a.html";

/// The start of the message that the root is unknown.
const UNCLEAR: &str = "the root of references such as";

fn site() -> TestDir {
    TestDir::with(&[
        (
            "site/index.html",
            "<a href=/docs/a.html#x>A</a> <a href='/docs/?q'>D</a> <link href=/s.css rel=stylesheet>\n",
        ),
        ("site/docs/a.html", "<a href=/docs/b.html>B</a> <a href=../../out.html>out</a>\n"),
        ("site/docs/b.html", "<a href=/>up</a> <a href=a.html>A</a> <a href=/docs/a>A</a>\n"),
        ("site/docs/index.html", "<base href=/docs/><a href=a.html>A</a><a href=/x>x</a>\n"),
        ("site/s.css", "p { background: url(/i.svg) }\n"),
        ("site/i.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>\n"),
    ])
}

#[test]
fn references_from_the_root_follow_and_keep_their_form() {
    let dir = site();
    let names = ["site/index.html", "site/docs/a.html", "site/docs/b.html", "site/docs/index.html"];
    let first = names.map(|name| dir.text(name));
    let run = dir.relink("mv --tree site site/docs/a.html site/guide/new/alpha.html").exits(0);
    assert!(
        run.stderr.contains(&format!("note: site {NOTE}; it has files for 7 of 8 of them")),
        "{run}"
    );
    assert_eq!(
        dir.text("site/index.html"),
        "<a href=/guide/new/alpha.html#x>A</a> <a href='/docs/?q'>D</a> <link href=/s.css rel=stylesheet>\n"
    );
    // What leads out of the tree does so on the disk.
    assert_eq!(
        dir.text("site/guide/new/alpha.html"),
        "<a href=/docs/b.html>B</a> <a href=../../../out.html>out</a>\n"
    );
    assert_eq!(
        dir.text("site/docs/b.html"),
        "<a href=/>up</a> <a href=../guide/new/alpha.html>A</a> <a href=/docs/a>A</a>\n"
    );
    assert_eq!(
        dir.text("site/docs/index.html"),
        "<base href=/docs/><a href=../guide/new/alpha.html>A</a><a href=/x>x</a>\n"
    );
    dir.relink("undo site -q").exits(0);
    assert_eq!(names.map(|name| dir.text(name)), first);
}

#[test]
fn a_directory_moves_with_its_index_page_and_the_index_page_of_the_root_too() {
    let dir = site();
    dir.relink("mv --tree site site/docs site/guide -q").exits(0);
    assert_eq!(
        dir.text("site/index.html"),
        "<a href=/guide/a.html#x>A</a> <a href='/guide/?q'>D</a> <link href=/s.css rel=stylesheet>\n"
    );
    assert_eq!(
        dir.text("site/guide/index.html"),
        "<base href=/guide/><a href=a.html>A</a><a href=/x>x</a>\n"
    );
    dir.relink("mv --tree site site/i.svg site/s.css site/assets/ -q").exits(0);
    assert_eq!(dir.text("site/assets/s.css"), "p { background: url(/assets/i.svg) }\n");
    dir.relink("mv --tree site site/index.html site/home.html -q").exits(0);
    assert_eq!(
        dir.text("site/guide/b.html"),
        "<a href=/home.html>up</a> <a href=a.html>A</a> <a href=/guide/a>A</a>\n"
    );
}

/// Moves a page in a tree of three pages, of which one refers to `path`.
fn moved(path: &str, page: &str) -> (TestDir, String) {
    let dir = TestDir::with(&[
        ("www/site/index.html", &format!("<a href={path}>x</a>\n")),
        ("www/site/docs/a.html", ""),
        ("www/site/docs/other.html", ""),
    ]);
    let new = page.replace(".html", "-new.html");
    (dir, format!("mv --tree www/site www/site/{page} www/site/{new}"))
}

#[test]
fn a_run_is_refused_if_a_renamed_file_may_be_meant_and_the_root_is_unknown() {
    // The name of the tree is the first in the path; or no more than one of three paths has a file.
    let unknown = "/docs/a.html><a href=/x/1><a href=/x/2";
    for path in ["/site/docs/a.html", "/site/docs/", unknown] {
        let (dir, command) = moved(path, "docs/a.html");
        let first = dir.tree(".");
        let is_named = path != "/site/docs/";
        if is_named {
            let run = dir.relink(&command).exits(2);
            assert!(
                run.stderr.contains(UNCLEAR) && run.stderr.contains("use `--base URL`"),
                "{run}"
            );
            assert_eq!(dir.tree("."), first, "{path}");
        }
        // No reference can mean another page.
        let other = command.replace("docs/a", "docs/other");
        let run = dir.relink(&other).exits(0);
        assert!(!run.stderr.contains(NOTE), "{path}");
        assert_eq!(dir.text("www/site/index.html"), format!("<a href={path}>x</a>\n"));
    }
    let (dir, command) = moved("/site/docs/a.html", "docs/a.html");
    dir.relink(&format!("{command} --base http://h/site/ -q")).exits(0);
    assert_eq!(dir.text("www/site/index.html"), "<a href=/site/docs/a-new.html>x</a>\n");
}

fn git(dir: &TestDir, args: &str) {
    let settings = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    let mut git = Command::new("git");
    git.args(settings).args(args.split(' ')).current_dir(dir.path("."));
    assert!(git.output().unwrap().status.success(), "git {args}");
}

#[test]
fn a_directory_around_the_tree_may_be_the_root() {
    if !crate::tools::has("git", &["--version"]) {
        return;
    }
    let (dir, command) = moved("/www/site/docs/a.html", "docs/a.html");
    // Without a working tree, the path leads nowhere.
    dir.relink(&format!("{command} -n")).exits(0);
    git(&dir, "init -q");
    let run = dir.relink(&command).exits(2);
    assert!(run.stderr.contains(UNCLEAR), "{run}");
    dir.relink("mv www/site/docs/a.html www/site/docs/a-new.html -q").exits(0);
    assert_eq!(dir.text("www/site/index.html"), "<a href=/www/site/docs/a-new.html>x</a>\n");
}

#[test]
fn references_from_the_root_follow_git() {
    if !crate::tools::has("git", &["--version"]) {
        return;
    }
    let dir = site();
    git(&dir, "init -q");
    git(&dir, "add .");
    git(&dir, "commit -q -m first");
    git(&dir, "mv site/docs/a.html site/alpha.html");
    let run = dir.relink("move site --from-git --in-place").exits(0);
    assert!(run.stderr.contains(NOTE), "{run}");
    assert_eq!(
        dir.text("site/index.html"),
        "<a href=/alpha.html#x>A</a> <a href='/docs/?q'>D</a> <link href=/s.css rel=stylesheet>\n"
    );
    assert_eq!(
        dir.text("site/alpha.html"),
        "<a href=/docs/b.html>B</a> <a href=../out.html>out</a>\n"
    );
}

/// A base from the root, and escaped slashes, lead from the root too.
#[test]
fn a_base_and_escaped_slashes_lead_from_the_root() {
    for (page, expected) in [
        ("<base href='/'><a href='d/name.html'>x</a><a href='/o.html'>", "'e/fresh.html'"),
        ("<base href=/d/><a href=name.html>x</a><a href='/o.html'>", "fresh.html>"),
        ("<a href='/o.html'>\n<a href='&#x2F;d&#x2F;name.html'>", "e/fresh.html'"),
        ("<a href='/o.html'>\n<a href='&sol;d/name.html'>", "e/fresh.html'"),
        ("<a href='\\o.html'>\n<a href='\\d\\name.html'>", "/e/fresh.html'"),
    ] {
        let dir = TestDir::with(&[
            ("site/d/name.html", "x"),
            ("site/o.html", "x"),
            ("site/a.html", page),
        ]);
        let run = dir.relink("mv --tree site site/d/name.html site/e/fresh.html").exits(0);
        let found = dir.text("site/a.html");
        assert!(found.contains(expected), "{found}: {run}");
    }
}
