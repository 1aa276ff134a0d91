//! Symbolic links: made again, never followed, never written through; only one that is itself named
//! on the command line is followed.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::dir::{Node, TestDir};
use crate::words::{CANNOT_READ, CANNOT_WRITE_HERE, IN_THE_INPUT, IS_THE_INPUT, NOT_FOUND};

const PAGE: &str = "<a href=x>";

/// A tree with links of all kinds, to files and directories that stand beside it.
fn site() -> TestDir {
    let dir = TestDir::with(&[
        ("site/a.html", PAGE),
        ("site/sub/b.html", PAGE),
        ("outside/c.html", PAGE),
        ("outside/folder/d.html", PAGE),
    ]);
    let absolute = dir.path("outside/c.html");
    for (to, name) in [
        ("../outside/c.html", "file.html"),
        ("../outside/folder", "folder"),
        ("nowhere", "dangling.html"),
        ("loop.html", "loop.html"),
        ("a.html", "inside.html"),
        ("..", "sub/up"),
        (absolute.to_str().unwrap(), "absolute.html"),
    ] {
        symlink(to, dir.path("site").join(name)).unwrap();
    }
    dir
}

#[test]
fn links_are_made_again_and_not_followed() {
    let dir = site();
    let outside = dir.tree("outside");
    dir.relink("absolutize site --base http://h/ -o out -q").exits(0).reports("").prints("");
    let links = |name: &str| -> Vec<(PathBuf, PathBuf)> {
        let link = |(path, node)| match node {
            Node::Link(to) => Some((path, to)),
            _ => None,
        };
        dir.tree(name).into_iter().filter_map(link).collect()
    };
    assert_eq!(links("site").len(), 7);
    assert_eq!(links("out"), links("site"));
    assert!(dir.tree("out").keys().eq(dir.tree("site").keys()));
    assert_eq!(dir.tree("outside"), outside);
    assert_eq!(dir.text("out/a.html"), "<a href=http://h/x>");
}

#[test]
fn links_are_neither_listed_nor_compared() {
    let dir = site();
    let run = dir.relink("refs site").exits(0).reports("");
    assert_eq!(run.text().lines().count(), 2, "{run}");
    let run = dir.relink("absolutize site --base http://h/ --diff -q").exits(0).reports("");
    assert_eq!(run.text().matches("+++").count(), 2, "{run}");
}

#[test]
fn a_link_that_is_named_is_followed() {
    let dir = site();
    symlink("site/sub", dir.path("linked")).unwrap();
    symlink("site/a.html", dir.path("linked.html")).unwrap();
    dir.relink("absolutize linked --base http://h/ -o out -q").exits(0).reports("");
    assert_eq!(dir.text("out/b.html"), "<a href=http://h/x>");
    dir.relink("absolutize linked.html --base http://h/ -o out.html -q").exits(0).reports("");
    assert_eq!(dir.text("out.html"), "<a href=http://h/x>");
    assert!(matches!(&dir.tree("out.html")[&PathBuf::new()], Node::File { .. }));
    assert_eq!(dir.text("site/a.html"), PAGE);
}

#[test]
fn a_named_link_that_leads_nowhere_is_reported() {
    let dir = site();
    for name in ["site/dangling.html", "site/loop.html"] {
        let reason = match name {
            "site/loop.html" => "too many levels of symbolic links",
            _ => NOT_FOUND,
        };
        dir.relink(&format!("refs {name}")).fails(&format!("{name}: {CANNOT_READ}; {reason}"));
        dir.relink(&format!("absolutize {name} --base http://h/ -o out -q"))
            .fails(&format!("{name}: {CANNOT_READ}; {reason}"));
        assert!(!dir.has("out"));
    }
}

#[test]
fn a_link_in_the_place_of_a_file_is_replaced() {
    let dir = site();
    let outside = dir.tree("outside");
    dir.directory("out");
    symlink("../outside/c.html", dir.path("out/a.html")).unwrap();
    symlink("nowhere", dir.path("out/inside.html")).unwrap();
    dir.relink("absolutize site --base http://h/ -o out --force -q").exits(0).reports("");
    assert_eq!(dir.tree("outside"), outside);
    assert!(matches!(&dir.tree("out/a.html")[&PathBuf::new()], Node::File { .. }));
    assert_eq!(dir.tree("out/inside.html")[&PathBuf::new()], Node::Link("a.html".into()));
}

#[test]
fn a_link_in_the_place_of_a_directory_is_not_written_through() {
    let dir = site();
    let outside = dir.tree("outside");
    dir.directory("out");
    symlink("../outside", dir.path("out/sub")).unwrap();
    let run = dir.relink("absolutize site --base http://h/ -o out --force -q").exits(2).prints("");
    assert_eq!(dir.tree("outside"), outside, "{run}");
    assert!(run.stderr.lines().all(|line| line.starts_with("out/sub")), "{run}");
    assert_eq!(dir.text("out/a.html"), "<a href=http://h/x>");
}

#[test]
fn an_output_that_is_a_link_to_a_file_is_replaced() {
    let dir = site();
    symlink("outside/c.html", dir.path("out.html")).unwrap();
    dir.relink("absolutize site/a.html --base http://h/ -o out.html --force -q")
        .exits(0)
        .reports("");
    assert_eq!(dir.text("outside/c.html"), PAGE);
    assert_eq!(dir.text("out.html"), "<a href=http://h/x>");
}

#[test]
fn another_name_of_the_input_keeps_its_bytes() {
    let dir = site();
    fs::hard_link(dir.path("site/a.html"), dir.path("other.html")).unwrap();
    dir.relink("absolutize site/a.html --base http://h/ -o other.html --force -q")
        .exits(0)
        .reports("");
    assert_eq!(dir.text("site/a.html"), PAGE);
    assert_eq!(dir.text("other.html"), "<a href=http://h/x>");
}

#[test]
fn an_output_that_is_a_link_to_the_input_is_the_input() {
    let dir = site();
    symlink("site", dir.path("alias")).unwrap();
    symlink("site/sub", dir.path("alias-sub")).unwrap();
    let before = dir.tree("site");
    for (out, reason) in [
        ("alias", IS_THE_INPUT),
        ("alias/new", "cannot write the output here; it is inside the input; use another OUT"),
        ("alias-sub", IN_THE_INPUT),
    ] {
        dir.relink(&format!("absolutize site --base http://h/ -o {out} --force -q"))
            .fails(&format!("{out}: {reason}"));
    }
    dir.relink("absolutize site/a.html --base http://h/ -o alias/a.html --force -q")
        .fails("alias/a.html: cannot write the output here; it is the input; use another OUT, or `--in-place`");
    assert_eq!(dir.tree("site"), before);
}

/// After a link `..` is the directory that the system finds, and not the one that the text says.
#[test]
fn a_directory_above_a_link_is_the_one_that_the_system_finds() {
    let dir = TestDir::with(&[("ext/s/p.html", "<a href=x>"), ("s/n.html", "<a href=x>")]);
    dir.directory("ext/deep");
    symlink("ext/deep", dir.path("l")).unwrap();
    let run = dir.relink("absolutize ext/s --base http://h/ -o l/../s/out").exits(2);
    assert!(run.stderr.contains(&format!("l/../s/out: {IN_THE_INPUT}")), "{run}");
    // There its temporary files are, too.
    fs::remove_dir_all(dir.path("s")).unwrap();
    dir.relink("absolutize l/../s --base http://h/ -i -q").exits(0).reports("");
    assert_eq!(dir.text("ext/s/p.html"), "<a href=http://h/x>");
}

#[test]
fn an_output_that_is_a_link_is_reported() {
    let dir = TestDir::with(&[("s/p.html", "<a href=x>"), ("p.html", "<a href=x>")]);
    dir.directory("empty");
    symlink("empty", dir.path("l")).unwrap();
    symlink("nowhere", dir.path("dangling.html")).unwrap();
    let run = dir.relink("absolutize s --base http://h/ -o l").exits(2);
    run.reports(&format!(
        "l: {CANNOT_WRITE_HERE}; it is a symbolic link; use the directory that it points to\n"
    ));
    let line = "absolutize p.html --base http://h/ -o dangling.html";
    let run = dir.relink(line).exits(2);
    run.reports(&format!("dangling.html: {CANNOT_WRITE_HERE}; it is a symbolic link to a missing file; use `--force` to replace it\n"));
    dir.relink(&format!("{line} --force -q")).exits(0).reports("");
    assert_eq!(dir.text("dangling.html"), "<a href=http://h/x>");
    assert!(!dir.has("nowhere"));
}
