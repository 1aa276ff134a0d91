//! Options of `absolutize` that choose: which documents, which references, what they are, and where
//! they belong.

use crate::dir::TestDir;

/// Files of `out` after a run on `site`, as lines `name: text`, those that are as they were left
/// out.
#[track_caller]
fn changed(dir: &TestDir, options: &str) -> Vec<String> {
    dir.relink(&format!("absolutize site -o out -q {options}")).exits(0).reports("").prints("");
    let (before, after) = (dir.tree("site"), dir.tree("out"));
    assert!(before.keys().eq(after.keys()), "{options}");
    std::fs::remove_dir_all(dir.path("out")).unwrap();
    after
        .iter()
        .filter_map(|(path, node)| match node {
            crate::dir::Node::File { bytes, .. } if before[path] != *node => {
                Some(format!("{}: {}", path.display(), String::from_utf8_lossy(bytes)))
            }
            _ => None,
        })
        .collect()
}

/// The names of the changed files.
#[track_caller]
fn names(dir: &TestDir, options: &str) -> Vec<String> {
    let name = |line: String| line.split(':').next().unwrap_or_default().to_owned();
    changed(dir, &format!("--base http://h/ {options}")).into_iter().map(name).collect()
}

#[test]
fn globs_choose_documents_by_their_path_below_the_root() {
    let page = "<a href=x>";
    let dir = TestDir::with(&[
        ("site/a.html", page),
        ("site/b.htm", page),
        ("site/sub/a.html", page),
        ("site/sub/deep/c.html", page),
    ]);
    let all = ["a.html", "b.htm", "sub/a.html", "sub/deep/c.html"];
    for (options, expected) in [
        ("", &all[..]),
        ("--include a.html", &["a.html", "sub/a.html"]),
        ("--include /a.html", &["a.html"]),
        ("--include sub/*", &["sub/a.html"]),
        ("--include sub/**", &["sub/a.html", "sub/deep/c.html"]),
        ("--include **/deep/*", &["sub/deep/c.html"]),
        ("--include *.htm --include c.*", &["b.htm", "sub/deep/c.html"]),
        ("--exclude *.html", &["b.htm"]),
        ("--exclude sub/**", &["a.html", "b.htm"]),
        ("--include *.html --exclude sub/deep/**", &["a.html", "sub/a.html"]),
        ("--include {b,c}.*", &["b.htm", "sub/deep/c.html"]),
        ("--include site/a.html", &[]),
        ("--include *.HTML", &[]),
    ] {
        assert_eq!(names(&dir, options), expected, "{options}");
    }
}

#[test]
fn only_and_skip_choose_references_by_slot() {
    let page = "<a href=1><img src=2 style='b:url(3)'><svg><use href=4 /></svg><form action=5>";
    let dir = TestDir::with(&[("site/a.html", page)]);
    for (options, expected) in [
        ("--only a", "1"),
        ("--only a[href]", "1"),
        ("--only [href]", "14"),
        ("--only img", "2"),
        ("--only css", "3"),
        ("--only svg", "4"),
        ("--only a,form[action]", "15"),
        ("--only a --only css", "13"),
        ("--skip a", "2345"),
        ("--skip css --skip svg", "125"),
        ("--skip [src],[action]", "134"),
        ("--only [href] --skip svg", "1"),
    ] {
        let changed = changed(&dir, &format!("--base http://h/ {options}")).concat();
        let edited: String =
            ('1'..='5').filter(|c| changed.contains(&format!("http://h/{c}"))).collect();
        assert_eq!(edited, expected, "{options}");
        let kept: String = ('1'..='5').filter(|c| !expected.contains(*c)).collect();
        let is_kept = |c: char| !changed.contains(&format!("/{c}")) && changed.contains(c);
        assert!(kept.chars().all(is_kept), "{options}: {changed}");
    }
}

#[test]
fn ids_templates_and_other_attributes_are_edited_on_request() {
    let page = "<p itemid=1><a href='{{2}}'><img data-src=3 data-srcset='4 1x, 5 2x' data-x=6>";
    let dir = TestDir::with(&[("site/a.html", page)]);
    assert!(names(&dir, "").is_empty());
    for (options, expected) in [
        ("--also ids", page.replace("id=1", "id=http://h/1")),
        ("--also templates", page.replace("'{{2}}'", "'http://h/{{2}}'")),
        ("--also data-src", page.replace("src=3", "src=http://h/3")),
        (
            "--also DATA-X,data-src",
            page.replace("src=3", "src=http://h/3").replace("x=6", "x=http://h/6"),
        ),
        ("--also data-srcset", page.replace("'4 1x, 5 2x'", "'http://h/4 1x, http://h/5 2x'")),
    ] {
        let expected = format!("a.html: {expected}");
        assert_eq!(changed(&dir, &format!("--base http://h/ {options}")), [expected], "{options}");
    }
}

#[test]
fn a_template_in_a_list_of_candidates_is_left_whole() {
    let page = "<img srcset='{{ pick a, b }} 1x, c.png 2x'>";
    let dir = TestDir::with(&[("site/a.html", page)]);
    let changed = changed(&dir, "--base http://h/").concat();
    assert!(changed.is_empty() || changed.contains("'{{ pick a, b }} 1x, "), "{changed}");
}

#[test]
fn maps_give_parts_of_the_tree_another_url() {
    let page = "<a href=x>";
    let dir = TestDir::with(&[
        ("site/a.html", page),
        ("site/blog/b.html", page),
        ("site/blog/old/c.html", page),
        ("site/one.html", page),
    ]);
    let maps = "--map site/blog=http://blog/ --map ./site/blog/old/=ftp://old/pub/ \
                --map site/one.html=http://one/a/b?c=d";
    let expected = [
        "a.html: <a href=http://h/x>",
        "blog/b.html: <a href=http://blog/x>",
        "blog/old/c.html: <a href=ftp://old/pub/x>",
        "one.html: <a href=http://one/a/x>",
    ];
    assert_eq!(changed(&dir, &format!("--base http://h/ {maps}")), expected);
    // Without --base the rest has none.
    assert_eq!(changed(&dir, maps), expected[1..]);
    // A directory above the root gives its URL too.
    assert_eq!(changed(&dir, "--map .=http://up/")[0], "a.html: <a href=http://up/site/x>");
}

#[test]
fn extensions_are_read_as_they_are_reported() {
    let dir = TestDir::with(&[
        ("site/a.php", "<?php x ?><a href=x>"),
        ("site/b.PHP", "<?php x ?><a href=x>"),
        ("site/c.html", "<a href=x>"),
        ("site/d.less", "a{b:url(x)}"),
        ("site/e", "<p><a href=x>"),
    ]);
    assert_eq!(names(&dir, ""), ["c.html", "e"]);
    assert_eq!(names(&dir, "--type php=text/html"), ["a.php", "b.PHP", "c.html", "e"]);
    assert_eq!(names(&dir, "--type .less=text/css"), ["c.html", "d.less", "e"]);
    assert_eq!(names(&dir, "--type html=text/plain"), ["e"]);
    assert_eq!(names(&dir, "--type php=text/html --type LESS=TEXT/CSS").len(), 5);
}

#[test]
fn the_dialect_is_that_of_the_option() {
    let dir = TestDir::with(&[("site/a.html", "<a href='http:g'><a href='\\x'>")]);
    let web = "a.html: <a href='http://h/g'><a href='http://h/x'>";
    assert_eq!(changed(&dir, "--base http://h/"), [web]);
    assert_eq!(changed(&dir, "--base http://h/ --dialect web"), [web]);
    let rfc = "a.html: <a href='http:g'><a href='http://h/\\x'>";
    assert_eq!(changed(&dir, "--base http://h/ --dialect rfc3986"), [rfc]);
}
