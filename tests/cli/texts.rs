//! Plain text and Markdown, which have to be requested: `--also text`, `--also markdown`.

use crate::dir::TestDir;
use crate::words::{self, LEAVES_TREE};

const MARKDOWN: &str =
    "# [a](b.md)\n\n![i](../i.png 't') [d]\n\n[d]: <c d.html>\n\n<a href=\"e\">\n";
const TEXT: &str = "See <http://h/t/\n  x.md> and http://other.example/.\n";
const MAIL: &str =
    "Content-Type: text/plain; format=flowed; delsp=yes\n\n> see http://h/t/ \n> x.html\n";

fn site() -> TestDir {
    TestDir::with(&[
        ("site/a.md", MARKDOWN),
        ("site/sub/b.txt", TEXT),
        ("site/m.eml", MAIL),
        ("site/b.md", ""),
        ("site/e", ""),
    ])
}

#[test]
fn nothing_of_it_is_read_without_an_option() {
    let dir = site();
    dir.relink("refs site --base http://h/t/").exits(0).prints("");
    dir.relink("refs site --base http://h/t/ --type md=text/markdown,txt=text/plain")
        .exits(0)
        .prints("");
    // `check` reads a folder of Markdown (see `check_markdown`).
    let run = dir.relink("check site --base http://h/t/ -q");
    assert!(run.text().lines().all(|line| line.starts_with("site/a.md:")), "{run}");
    dir.relink("absolutize site -o out --base http://h/t/ -q").exits(0);
    for name in ["a.md", "sub/b.txt", "m.eml"] {
        assert_eq!(dir.text(format!("out/{name}")), dir.text(format!("site/{name}")), "{name}");
    }
}

#[test]
fn references_are_listed() {
    let dir = site();
    dir.relink("refs site --base http://h/t/ --also markdown").exits(0).prints(
        "site/a.md:1:7: markdown link b.md -> http://h/t/b.md
site/a.md:3:6: markdown image ../i.png -> http://h/i.png
site/a.md:5:7: markdown definition c d.html -> http://h/t/c d.html
site/a.md:7:10: a[href] e -> http://h/t/e
",
    );
    // What is on two lines is shown as one; in the message the marks of quotes go too.
    dir.relink("refs site --base http://h/t/ --also text").exits(0).prints(
        "site/m.eml:3:7: text URL http://h/t/x.html
site/sub/b.txt:1:6: text URL http://h/t/x.md
site/sub/b.txt:2:13: text URL http://other.example/
",
    );
    let json = dir.relink("refs site/m.eml --format json --also text").exits(0).text().to_owned();
    let line: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(line["part"], "1");
    let span = |idx: usize| usize::try_from(line["span"][idx].as_u64().unwrap()).unwrap();
    assert_eq!(&MAIL[span(0)..span(1)], "http://h/t/ \n> x.html");
}

#[test]
fn markdown_goes_both_ways_and_text_stays() {
    let dir = site();
    dir.relink("absolutize site -o out --base http://h/t/ --also markdown,text -q")
        .exits(0)
        .reports("");
    assert_eq!(
        dir.text("out/a.md"),
        "# [a](http://h/t/b.md)\n\n![i](http://h/i.png 't') [d]\n\n[d]: <http://h/t/c d.html>\n\n<a href=\"http://h/t/e\">\n"
    );
    dir.relink("relativize out -o back --base http://h/t/ --also markdown,text -q")
        .exits(0)
        .reports("");
    // What leads out of the tree is absolute.
    assert_eq!(dir.text("back/a.md"), MARKDOWN.replace("../i.png", "http://h/i.png"));
    for name in ["sub/b.txt", "m.eml"] {
        assert_eq!(dir.text(format!("out/{name}")), dir.text(format!("site/{name}")), "{name}");
        assert_eq!(dir.text(format!("back/{name}")), dir.text(format!("site/{name}")), "{name}");
    }
}

#[test]
fn slots_can_be_chosen() {
    let dir = site();
    let only = |only: &str| {
        let line = format!("refs site/a.md --base http://h/t/a.md --also markdown --only {only}");
        dir.relink(&line).exits(0).text().lines().count()
    };
    assert_eq!((only("markdown"), only("a"), only("img")), (3, 1, 0));
}

#[test]
fn what_is_broken_is_reported() {
    let dir = site();
    dir.file("site/sub/c.txt", "<http://h/t/no-\n  hyphen> <http://h/t/no.html>");
    let run = dir.relink("check site --base http://h/t/ --also text,markdown -q").exits(1);
    run.prints(format!(
        "site/a.md:3:6: markdown image ../i.png: {LEAVES_TREE}
site/a.md:5:7: markdown definition c d.html: {}
site/m.eml:3:7: text URL http://h/t/x.html: {}
site/sub/b.txt:1:6: text URL http://h/t/x.md: {}
site/sub/c.txt:2:12: text URL http://h/t/no.html: {}
",
        words::no_file("c d.html"),
        words::no_file("x.html"),
        words::no_file("x.md"),
        words::no_file("no.html")
    ));
}

#[test]
fn standard_input_and_other_names() {
    let dir = TestDir::with(&[("a.mkd", "[a](b)")]);
    let base = "--base http://h/d/x --also markdown";
    dir.pipe(&format!("absolutize - --type text/markdown {base} -q"), b"[a](b)")
        .exits(0)
        .prints("[a](http://h/d/b)");
    dir.relink(&format!("absolutize a.mkd -o - --type mkd=text/markdown {base} -q"))
        .exits(0)
        .prints("[a](http://h/d/b)");
}

#[test]
fn what_is_left_is_reported() {
    let deep = format!("{}[a](b)", ">".repeat(200));
    let dir = TestDir::with(&[("a.md", &deep)]);
    let run = dir.relink("absolutize a.md -o - --base http://h/ --also markdown -q").exits(2);
    run.reports(&format!(
        "a.md:1:1: skipped; more than 100 nested quotes and lists; {}\n",
        words::raise("markdown-depth")
    ));
}
