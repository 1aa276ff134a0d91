//! `relink check`: what is broken, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use walkdir::WalkDir;

use crate::dir::{Run, TestDir};
use crate::words::{self, LEAVES_TREE, NO_SUCH_FILE, ON_THIS_MACHINE, UNKNOWN_TYPE};

/// `path:line problem` of every line of a tree that says what is broken in it: `<!--! no-file -->`,
/// `/*! no-file */`.
fn expected(root: &Path) -> BTreeSet<String> {
    let mut expected = BTreeSet::new();
    for entry in WalkDir::new(root).into_iter().filter_map(Result::ok) {
        let Ok(text) = fs::read_to_string(entry.path()) else { continue };
        let path = entry.path().strip_prefix(root).expect("below").display().to_string();
        for (number, line) in (1..).zip(text.lines()) {
            let mark = line.split_once("<!--! ").or_else(|| line.split_once("/*! "));
            if let Some((_, rest)) = mark {
                let problem = rest.split(' ').next().unwrap_or_default();
                expected.insert(format!("{path}:{number} {problem}"));
            }
        }
    }
    expected
}

fn found(run: &Run) -> Vec<String> {
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        format!("{}:{} {}", text("path"), line["line"], text("problem"))
    };
    run.text().lines().map(line).collect()
}

/// What is in `fixtures/broken` is there with its kind, line by line.
#[test]
fn every_kind_of_breakage_and_no_other() {
    let dir = TestDir::with_fixture("broken");
    if cfg!(unix) {
        dir.file("broken/list.html?page=2", "");
    }
    let run = dir
        .relink("check broken --base http://h.example/ --fragments --format json -q")
        .exits(1)
        .reports("");
    let found = found(&run);
    let set: BTreeSet<String> = found.iter().cloned().collect();
    let expected = expected(&dir.path("broken"));
    assert!(expected.len() >= 40);
    let missed: Vec<_> = expected.difference(&set).collect();
    let too_much: Vec<_> = set.difference(&expected).collect();
    assert!(
        missed.is_empty() && too_much.is_empty(),
        "missed {missed:?}, too much {too_much:?}{run}"
    );
    assert_eq!(found.len(), expected.len(), "each once{run}");
}

#[track_caller]
fn check(files: &[(&str, &str)], options: &str, document: &str, expected: &str) {
    let dir = TestDir::with(files);
    dir.file("site/a.html", document);
    let run = dir.relink(&format!("check site -q {options}")).reports("");
    let run = run.exits(if expected.is_empty() { 0 } else { 1 });
    run.prints(expected);
}

#[test]
fn what_is_resolved_at_another_place_or_moment_is_not_broken_there() {
    let files = [("site/s.css", "p{background:var(--x)}"), ("site/d/b.html", "")];
    for document in [
        // Where a custom property is used is not known.
        "<link rel=stylesheet href=s.css><p style='--x:url(gone.png)'>",
        "<link rel=stylesheet href=s.css><style>:root{--x:url(../gone.png)}</style>",
        "<link rel=stylesheet href=s.css><style>@property --x{initial-value:url(/gone.png)}</style>",
        "<style>@import 's.css';@function --x(){result:url(gone.png)}</style>",
        "<link rel=stylesheet href=s.css><svg><style>a{--x:image-set('gone.png' 1x)}</style></svg>",
        // A base comes later.
        "<link rel=stylesheet href=s.css><base href=d/><a href=b.html>",
        "<iframe src=s.css></iframe><base href=d/>",
        "<style>@import 's.css';</style><base href=d/>",
        "<p style='background:url(s.css)'><base href=d/>",
        "<script src=s.css></script><base href=d/>",
    ] {
        check(&files, "", document, "");
    }
    let gone = words::no_file("d/s.css");
    let late = "<base href=d/><iframe src=s.css></iframe>";
    check(&files, "", late, &format!("site/a.html:1:27: iframe[src] s.css: {gone}\n"));
    let known = "<style>:root{--x:url(gone.png)}p{background:var(--x)}</style>";
    let gone = words::no_file("gone.png");
    check(&files, "", known, &format!("site/a.html:1:22: css url() gone.png: {gone}\n"));
}

#[test]
fn a_tree_on_a_disk() {
    let files = [("site/b.html", ""), ("site/d/index.html", "")];
    check(
        &files,
        "",
        "<a href=b.html><a href=./><a href=d/>",
        "site/a.html:1:24: a[href] ./: the tree itself has no index file\n",
    );
    check(&files, "", "<a href=b.html><a href=d/><base href=http://h/><a href=/x>", "");
    check(
        &files,
        "",
        "<a href=../b.html>\n<a href=/b.html>\n<a href=//h/b.html>\n<a href=file:b.html>",
        "site/a.html:1:9: a[href] ../b.html: it points out of the tree\n\
         site/a.html:2:9: a[href] /b.html: it points out of the tree\n\
         site/a.html:3:9: a[href] //h/b.html: without a scheme it points to a file server\n\
         site/a.html:4:9: a[href] file:b.html: it points to a file on this machine\n",
    );
    check(
        &files,
        "",
        "<a href=B.html><a href=b.htm><a href=d%2F>",
        "site/a.html:1:9: a[href] B.html: no file has this name; b.html differs in letter case only\n\
         site/a.html:1:24: a[href] b.htm: there is no file b.htm\n\
         site/a.html:1:38: a[href] d%2F: there is no file d%2F\n",
    );
}

#[test]
fn file_urls_of_servers() {
    check(
        &[],
        "--base http://h/",
        "<a href=file://server/share/b.html>\n<a href=file://localhost/b.html>\n<a href=file:///S:/b.html>",
        &format!(
            "site/a.html:1:9: a[href] file://server/share/b.html: it is a file URL on the server server; readers on the web cannot open it\n\
         site/a.html:2:9: a[href] file://localhost/b.html: {ON_THIS_MACHINE}\n\
         site/a.html:3:9: a[href] file:///S:/b.html: {ON_THIS_MACHINE}\n"
        ),
    );
}

#[test]
fn a_name_with_escapes_is_reported_with_a_reference_to_it() {
    let files = [("site/ship.php?id=1", ""), ("site/d/a%20b.html", ""), ("site/%41/x.html", "")];
    let escape = |at: usize, text: &str, file: &str, reference: &str| {
        format!(
            "site/a.html:{at}:9: a[href] {text}: no file has this name; the file is named {file}; write {reference}\n"
        )
    };
    let document = "<a href=ship.php?id=1#x>\n<a href=./d/a%20b.html?v=2>\n<a href=http://h/%41/x.html>\n<a href=/ship.php?id=1>";
    let expected = [
        escape(1, "ship.php?id=1#x", "ship.php?id=1", "ship.php%3Fid=1#x"),
        escape(2, "./d/a%20b.html?v=2", "d/a%20b.html", "./d/a%2520b.html?v=2"),
        escape(3, "http://h/%41/x.html", "%41/x.html", "http://h/%2541/x.html"),
        escape(4, "/ship.php?id=1", "ship.php?id=1", "/ship.php%3Fid=1"),
    ];
    check(&files, "--base http://h/", document, &expected.concat());
}

#[test]
fn what_leaves_the_tree() {
    let document = "<a href=../x>\n<a href=/x>\n<a href=http://h.example/x>\n<a href=//h.example/x>\n<a href=//i/x>";
    check(
        &[],
        "--base http://h.example/d/",
        document,
        &format!(
            "site/a.html:1:9: a[href] ../x: {LEAVES_TREE}\n\
         site/a.html:2:9: a[href] /x: {LEAVES_TREE}\n"
        ),
    );
    check(
        &[("site/b.html", "")],
        "--base http://h.example/ --same-as https://h.example/",
        "<a href=https://h.example/b.html>",
        "",
    );
    check(
        &[],
        "--base http://h.example/ --same-as https://h.example/",
        "<a href=https://h.example/b.html>",
        &format!(
            "site/a.html:1:9: a[href] https://h.example/b.html: {}\n",
            words::no_file("b.html")
        ),
    );
}

#[test]
fn index_files_are_reported() {
    let files = [("site/d/welcome.htm", "")];
    let broken = "site/a.html:1:9: a[href] d/: the directory d/ has no index file\n";
    check(&files, "--base http://h/", "<a href=d/>", broken);
    check(&files, "--base http://h/ --index welcome.htm", "<a href=d/>", "");
}

#[test]
fn a_mirror_is_checked_by_its_layout() {
    let dir = TestDir::with(&[
        (
            "m/h.example/index.html",
            "<a href=p.php?id=1>\n<a href=p.php?id=2>\n<a href=http://i.example/>\n<a href=http://i.example/x>\n<a href=http://j.example/>",
        ),
        ("m/h.example/p.php?id=1", ""),
        ("m/i.example/index.html", ""),
    ]);
    dir.relink("check m --layout wget -q").exits(1).prints(format!(
        "m/h.example/index.html:2:9: a[href] p.php?id=2: {}\n\
         m/h.example/index.html:4:9: a[href] http://i.example/x: {}\n",
        words::no_file("h.example/p.php?id=2"),
        words::no_file("i.example/x")
    ));
}

#[test]
fn a_single_file_is_checked_with_what_is_beside_it() {
    let dir = TestDir::with(&[
        ("d/a.html", "<a href=b.html#x><a href=c.html><a href=e/f.html>"),
        ("d/b.html", "<p id=x>"),
        ("d/e/f.html", ""),
    ]);
    let broken = &format!("d/a.html:1:26: a[href] c.html: {}\n", words::no_file("c.html"));
    dir.relink("check d/a.html --fragments -q").exits(1).prints(broken);
    dir.relink("check d/a.html --base http://h/d/a.html --fragments -q").exits(1).prints(broken);
}

#[test]
fn json() {
    let dir = TestDir::with(&[("site/a.html", "<p>\n<a href=x#y>")]);
    dir.relink("check site --base http://h/ --format json -q").exits(1).prints(
        format!("{{\"root\":0,\"path\":\"a.html\",\"line\":2,\"column\":9,\"span\":[12,15],\"slot\":\"a[href]\",\"text\":\"x#y\",\
         \"target\":\"http://h/x#y\",\"problem\":\"no-file\",\"reason\":\"{}\",\"file\":\"x\"}}\n", words::no_file("x")),
    );
}

#[test]
fn slots_can_be_chosen_and_the_sum_is_reported() {
    let dir = TestDir::with(&[
        ("site/a.html", "<a href=x><img src=y>"),
        ("site/b.html", "<a href=a.html>"),
    ]);
    let broken = &format!("site/a.html:1:20: img[src] y: {}\n", words::no_file("y"));
    dir.relink("check site --only img")
        .exits(1)
        .prints(broken)
        .reports("2 documents, 1 reference: 1 broken (1 no-file)\n");
    dir.relink("check site --skip img --skip a")
        .exits(0)
        .prints("")
        .reports(&format!("{}\n", words::checked(2, 0, &[])));
    dir.relink("check site --exclude a.html")
        .exits(0)
        .prints("")
        .reports(&format!("{}\n", words::checked(1, 1, &[])));
    for (options, hint) in [
        ("--include no.html", "hint: no documents match --include no.html"),
        ("--exclude *", "hint: no documents are left by --exclude '*'"),
    ] {
        let run = dir.relink(&format!("check site {options}")).exits(2).prints("");
        assert!(run.has_line(&words::checked(0, 0, &[])) && run.has_line(hint), "{run}");
    }
    let hint = "hint: no documents match --include no.html\n";
    dir.relink("refs site --include no.html").exits(0).prints("").reports(hint);
    let run = dir.relink("absolutize site --base http://h/ --dry-run --include no.html").exits(0);
    assert!(run.stderr.ends_with("hint: no documents match --include no.html\n"), "{run}");
}

#[test]
fn what_check_cannot_know_is_reported() {
    let message = "Content-Type: text/html\n\n<a href=x>\n";
    let dir = TestDir::with(&[("site/a.html", "<a href=/a.html>"), ("site/b.eml", message)]);
    dir.relink("check site").exits(1).reports(
        &format!("{}\n\
         hint: references that begin with / lead out of a tree on a disk; use `--base URL` to set the URL of the tree\n", words::checked(2, 2, &[(1, "leaves-tree")])),
    );
    // With the URL of the tree, the message has one too.
    dir.relink("check site --base http://h/")
        .exits(1)
        .prints(format!("site/b.eml:3:9: a[href] x: {}\n", words::no_file("x")))
        .reports(&format!("{}\n", words::checked(2, 2, &[(1, "no-file")])));
}

#[test]
fn what_cannot_be_checked() {
    let dir = TestDir::with(&[("site/a.html", "<a href=x>"), ("a.png", "")]);
    dir.pipe("check -", b"<a href=x>")
        .fails("error: cannot check standard input; `check` needs to know which files exist; use a PATH instead");
    dir.relink("check nothing -q").fails(&words::missing("nothing"));
    dir.relink("check a.png -q").fails(&format!("a.png: {UNKNOWN_TYPE}"));
    dir.relink("check site nothing -q").exits(2).reports(&format!("nothing: {NO_SUCH_FILE}\n"));
    dir.relink("check site --same-as http://h/").exits(2).prints("");
}

#[cfg(unix)]
#[test]
fn links_and_odd_names() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    let dir = TestDir::with(&[
        ("outside/x.html", ""),
        (
            "site/a.html",
            "<a href=link.html><a href=folder/x.html><a href=folder/y.html><a href=dangling><a href=%FF.html><a href=%FE.html>",
        ),
    ]);
    symlink("../outside/x.html", dir.path("site/link.html")).unwrap();
    symlink("../outside", dir.path("site/folder")).unwrap();
    symlink("nowhere", dir.path("site/dangling")).unwrap();
    dir.file(Path::new("site").join(OsStr::from_bytes(b"\xFF.html")), "<a href=z>");
    dir.relink("check site -q").exits(1).prints(format!(
        "site/a.html:1:49: a[href] folder/y.html: {}\n\
         site/a.html:1:71: a[href] dangling: {}\n\
         site/a.html:1:105: a[href] %FE.html: {}\n\
         site/\u{FFFD}.html:1:9: a[href] z: {}\n",
        words::no_file("folder/y.html"),
        words::no_file("dangling"),
        words::no_file("%FE.html"),
        words::no_file("z")
    ));
}

const MHTML: &str = "Message-ID: <m@h>\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\nContent-Location: http://h.example/a/\r\n\r\n<img src=i.png><img src=cid:i@h>\r\n<img src=cid:no@h><a href=other.html><a href=mid:m@h/no@h>\r\n--b\r\nContent-Type: image/png\r\nContent-ID: <i@h>\r\nContent-Location: i.png\r\n\r\nx\r\n--b--\r\n";

#[test]
fn references_to_parts_of_messages_are_checked() {
    let dir = TestDir::new();
    dir.file("page.mhtml", MHTML);
    let run = dir.relink("check page.mhtml").exits(1);
    run.prints(
        "page.mhtml:9:10: img[src] cid:no@h: no part of the message has the Content-ID <no@h>\n\
         page.mhtml:9:46: a[href] mid:m@h/no@h: no part of the message has the Content-ID <no@h>\n",
    )
    .reports(&format!("{}\n", words::checked(1, 7, &[(2, "no-part")])));
    // A message of a site: its other references lead to files.
    dir.file("site/page.mhtml", MHTML);
    let run = dir.relink("check site --base http://h.example/a/").exits(1);
    assert!(
        run.text().contains(&format!(
            "page.mhtml:9:27: a[href] other.html: {}\n",
            words::no_file("other.html")
        )),
        "{run}"
    );
}

#[test]
fn problems_are_shown_in_their_lines() {
    let dir = TestDir::with(&[
        ("site/a.html", "<p>\r\n<a href=x.html>x</a>\n"),
        ("site/b.css", "b{background:url(no.png)}"),
    ]);
    dir.relink("check site --format full").exits(1).prints(format!(
        "site/a.html:2:9: a[href] x.html: {}
  2 | <a href=x.html>x</a>
    |         ^^^^^^
site/b.css:1:18: css url() no.png: {}
  1 | b{{background:url(no.png)}}
    |                  ^^^^^^
",
        words::no_file("x.html"),
        words::no_file("no.png")
    ));
}

#[test]
fn problems_are_explained() {
    let dir = TestDir::new();
    let run = dir.relink("check --explain letter-case").exits(0).reports("");
    assert!(run.text().starts_with("letter-case\n\nThe reference points into the tree"), "{run}");
    let run = dir.relink("check --explain lettercase").exits(2);
    assert!(
        run.stderr.contains("'lettercase' for --explain")
            && run.stderr.contains("did you mean 'letter-case'?"),
        "{run}"
    );
}
