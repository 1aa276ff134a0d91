//! `relink check --fix`: references with exactly one right answer are corrected, and no others.

use crate::dir::TestDir;
use crate::words::NO_OUTPUT;

fn site() -> TestDir {
    TestDir::with(&[
        (
            "site/index.html",
            "<a href=About.html#x>case</a> <a href=item.php?id=1>query</a> <a href=contact>clean</a>\n\
             <a href=none.html>none</a> <a href=two.HTML>two</a> <a href=about.html>right</a> <a href=http://o/>o</a>\n",
        ),
        ("site/about.html", "<a href=Docs/A.html?q>case</a>\n"),
        ("site/contact.html", ""),
        ("site/Two.html", ""),
        ("site/TWO.html", ""),
        ("site/item.php?id=1", ""),
        ("site/docs/a.html", ""),
    ])
}

#[test]
fn what_has_one_answer_is_corrected_and_nothing_else() {
    let dir = site();
    dir.relink("check site --fix -o out -q").exits(0);
    assert_eq!(
        dir.text("out/index.html"),
        "<a href=about.html#x>case</a> <a href=item.php%3Fid=1>query</a> <a href=contact.html>clean</a>\n\
         <a href=none.html>none</a> <a href=two.HTML>two</a> <a href=about.html>right</a> <a href=http://o/>o</a>\n"
    );
    assert_eq!(dir.text("out/about.html"), "<a href=docs/a.html?q>case</a>\n");
    let before = dir.relink("check site --base http://h/").exits(1);
    let after = dir.relink("check out --base http://h/").exits(1);
    let n_broken = |text: &str| text.lines().filter(|line| line.contains("a[href]")).count();
    assert_eq!(n_broken(before.text()), 6, "{before}");
    assert_eq!(n_broken(after.text()), 2, "{after}");
    // What is right now stays.
    dir.relink("check out --fix -o again -q").exits(0);
    assert_eq!(dir.text("again/index.html"), dir.text("out/index.html"));
}

#[test]
fn it_is_written_in_place_and_undone() {
    let dir = site();
    let first = dir.text("site/index.html");
    let run = dir.relink("check --fix site --base http://h/ --diff").exits(0);
    assert!(run.text().contains("+<a href=about.html#x>case</a>"), "{run}");
    assert_eq!(dir.text("site/index.html"), first);
    dir.relink("check site --base http://h/ --fix --in-place -q").exits(0);
    assert!(dir.text("site/index.html").starts_with("<a href=about.html#x>"));
    dir.relink("undo site -q").exits(0);
    assert_eq!(dir.text("site/index.html"), first);
}

/// It is a `move`, and its records are those of one.
#[test]
fn it_prints_records() {
    let run = site().relink("check site --fix -n --format json").exits(0);
    let start = r#"{"type":"run","format":"relink","version":1,"#;
    assert!(run.text().starts_with(start), "{run}");
    assert!(run.text().contains(r#""command":"move""#), "{run}");
    assert!(run.text().contains(r#""new_text":"about.html#x""#), "{run}");
}

#[test]
fn an_output_is_needed_and_other_checks_exclude_it() {
    let dir = site();
    let run = dir.relink("check site --fix").exits(2);
    assert!(run.stderr.starts_with(NO_OUTPUT), "{run}");
    dir.relink("check site --fix -n --fragments").exits(2);
    dir.relink("check site -n").exits(2);
}
