//! XML in the program: references with their spans, scopes of `xml:base`, feeds that are read from
//! a disk, and what is not well-formed.

use serde_json::Value;

use crate::dir::{Run, TestDir};
use crate::words::{self, ENTITY, NOT_WELL_FORMED, REWRITTEN};

const FEED: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/blog/">
<link href="a"/>
<entry xml:base="2003/"><link href="b"/><summary type="html">&lt;a href="c&amp;amp;d">&lt;/a></summary></entry>
</feed>
"#;

fn lines(run: &Run) -> Vec<Value> {
    run.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[track_caller]
fn holds(dir: &TestDir, name: &str, expected: &str) {
    assert_eq!(dir.text(name), expected, "{name}");
}

fn span(value: &Value) -> std::ops::Range<usize> {
    let at = |idx: usize| usize::try_from(value[idx].as_u64().expect("a number")).unwrap();
    at(0)..at(1)
}

#[test]
fn references_are_listed_with_what_they_stand_in() {
    let dir = TestDir::with(&[("feed.atom", FEED)]);
    let line = "refs feed.atom --base http://h.example/f/feed.atom";
    let run = dir.relink(line).exits(0);
    run.prints(
        "feed.atom:1:53: *[xml:base] /blog/ -> http://h.example/blog/\n\
         feed.atom:2:13: atom link[href] a -> http://h.example/blog/a\n\
         feed.atom:3:18: *[xml:base] 2003/ -> http://h.example/blog/2003/\n\
         feed.atom:3:37: atom link[href] b -> http://h.example/blog/2003/b\n\
         feed.atom:3:74: a[href] c&d -> http://h.example/blog/2003/c&d\n",
    );
    let run = dir.relink(&format!("{line} --format json -q")).exits(0);
    let raw = ["/blog/", "a", "2003/", "b", "c&amp;amp;d"];
    let listed = lines(&run);
    assert_eq!(listed.len(), raw.len());
    for (reference, raw) in listed.iter().zip(raw) {
        assert_eq!(&FEED[span(&reference["span"])], raw, "{reference}");
        let is_inside = raw.starts_with('c');
        assert_eq!(reference["embedded"].as_array().map(Vec::len), Some(usize::from(is_inside)));
    }
    let embedded = &listed[4]["embedded"][0];
    assert_eq!(embedded["slot"], "atom summary");
    assert_eq!(&FEED[span(&embedded["span"])], "&lt;a href=\"c&amp;amp;d\">&lt;/a>");
}

#[cfg(unix)]
#[test]
fn scopes_are_boxes_in_boxes() {
    let dir = TestDir::with(&[("a.xml", "<a xml:base='b/'>\n<c xml:base='../d/'/></a>")]);
    let expected = "
a.xml: http://h.example/a.xml
  .---------------------------------------------------.
  | * --base: http://h.example/a.xml (RFC 3986 5.1.3) |
  `---------------------------------------------------'
a.xml:1:14 xml:base: http://h.example/b/
  .----------------------------------------------------------.
  | .------------------------------------------------------. |
  | | * xml:base at 1:14: http://h.example/b/ (XML Base 4) | |
  | `------------------------------------------------------' |
  |   --base: http://h.example/a.xml (RFC 3986 5.1.3)        |
  `----------------------------------------------------------'
a.xml:2:14 xml:base: http://h.example/d/
  .--------------------------------------------------------------.
  | .----------------------------------------------------------. |
  | | .------------------------------------------------------. | |
  | | | * xml:base at 2:14: http://h.example/d/ (XML Base 4) | | |
  | | `------------------------------------------------------' | |
  | |   xml:base at 1:14: http://h.example/b/ (XML Base 4)     | |
  | `----------------------------------------------------------' |
  |   --base: http://h.example/a.xml (RFC 3986 5.1.3)            |
  `--------------------------------------------------------------'
";
    let run = dir.relink_by(&["env", "LC_ALL=C"], "bases a.xml --base http://h.example/a.xml");
    run.exits(0).reports("").prints(&expected[1..]);
}

#[test]
fn scopes_in_json_are_those_of_the_references() {
    let dir = TestDir::with(&[("feed.atom", FEED)]);
    let run = dir.relink("bases feed.atom --base http://h.example/ --format json -q").exits(0);
    let documents = lines(&run);
    let media: Vec<_> = documents.iter().map(|document| &document["media_type"]).collect();
    assert_eq!(media, ["application/xml", "text/html"]);
    let scopes: Vec<(&str, Vec<&str>)> = documents[0]["scopes"]
        .as_array()
        .expect("scopes")
        .iter()
        .map(|scope| {
            let chain = scope["chain"].as_array().expect("a chain");
            let urls = chain.iter().filter_map(|context| context["url"].as_str()).collect();
            (&FEED[span(&scope["span"])], urls)
        })
        .collect();
    assert_eq!(
        scopes,
        [
            ("/blog/", vec!["http://h.example/blog/", "http://h.example/"]),
            (
                "2003/",
                vec!["http://h.example/blog/2003/", "http://h.example/blog/", "http://h.example/"]
            ),
        ]
    );
    // What is embedded is in the innermost.
    assert_eq!(documents[1]["base"], "http://h.example/blog/2003/");
}

#[test]
fn absolute_and_back() {
    let dir = TestDir::with(&[("site/blog/feed.atom", FEED)]);
    dir.relink("absolutize site --base http://h.example/ -o out -q").exits(0).reports("");
    let absolute = FEED
        .replace("\"/blog/", "\"http://h.example/blog/")
        .replace("\"2003/", "\"http://h.example/blog/2003/")
        .replace("\"a\"", "\"http://h.example/blog/a\"")
        .replace("\"b\"", "\"http://h.example/blog/2003/b\"")
        .replace("\"c&", "\"http://h.example/blog/2003/c&");
    holds(&dir, "out/blog/feed.atom", &absolute);
    dir.relink("relativize out --base http://h.example/ -o back").exits(0);
    let back = FEED.replace("\"/blog/", "\"./");
    holds(&dir, "back/blog/feed.atom", &back);
}

/// What is in the tree is relative to the file; `loc`, RSS links and the HTML in RSS are absolute
/// for ever.
#[test]
fn for_a_disk() {
    let dir = TestDir::with(&[
        (
            "site/feed.xml",
            "<rss xml:base='/d/'><link>e.html</link><description>&lt;a href='e.html'></description></rss>",
        ),
        (
            "site/drawing.svg",
            "<svg xmlns='http://www.w3.org/2000/svg'><a href='/d/'/><image href='/d/no.png'/></svg>",
        ),
        ("site/d/e.html", ""),
        ("site/d/index.html", ""),
    ]);
    dir.relink("relativize site --base http://h.example/ --for file -o out").exits(0);
    holds(
        &dir,
        "out/feed.xml",
        "<rss xml:base=''><link>http://h.example/d/e.html</link><description>&lt;a href='http://h.example/d/e.html'></description></rss>",
    );
    holds(
        &dir,
        "out/drawing.svg",
        "<svg xmlns='http://www.w3.org/2000/svg'><a href='d/index.html'/><image href='http://h.example/d/no.png'/></svg>",
    );
}

#[test]
fn broken_references_are_reported() {
    let dir = TestDir::with(&[
        ("site/feed.xml", "<rss xml:base='d/'><link>e.html</link><url>no.gif</url></rss>"),
        ("site/d/e.html", ""),
    ]);
    dir.relink("check site --base http://h.example/ -q")
        .exits(1)
        .prints(format!("site/feed.xml:1:44: rss url no.gif: {}\n", words::no_file("d/no.gif")));
}

#[test]
fn standard_input() {
    let dir = TestDir::new();
    for media in ["application/rss+xml", "application/xml", "text/xml", "image/svg+xml"] {
        let line = format!("absolutize - --base http://h.example/ --type {media} -q");
        let run = dir.pipe(&line, b"<rss><link>x</link></rss>").exits(0).reports("");
        run.prints("<rss><link>http://h.example/x</link></rss>");
    }
    let run = dir.pipe(
        "absolutize - --base http://h.example/ -q",
        b"<?xml version='1.0'?><rss><link>x</link></rss>",
    );
    run.exits(0).prints("<?xml version='1.0'?><rss><link>http://h.example/x</link></rss>");
}

#[test]
fn what_is_not_well_formed_is_reported_and_left() {
    const BROKEN: &str = "<rss>\n <link>x</lin>\n</rss>";
    let dir = TestDir::with(&[
        ("site/a.xml", BROKEN),
        ("site/b.xml", "<rss><link>x</link></rss>"),
        ("site/c.dtd", "<?xml encoding='utf-8'?>\n<!ELEMENT a ANY>"),
    ]);
    let report = &format!(
        "site/a.xml:2:9: skipped; {NOT_WELL_FORMED}: end tag without a matching start tag\n"
    );
    dir.relink("absolutize site --base http://h.example/ -o out -q").exits(2).reports(report);
    holds(&dir, "out/a.xml", BROKEN);
    holds(&dir, "out/b.xml", "<rss><link>http://h.example/x</link></rss>");
    for command in ["refs", "check"] {
        let run = dir.relink(&format!("{command} site --base http://h.example/ -q"));
        run.exits(2).reports(report);
    }
    let run =
        dir.pipe("absolutize - --base http://h.example/ --type text/xml -q", BROKEN.as_bytes());
    run.exits(2).prints(BROKEN);
}

/// A reference with an entity is counted, and listed by `-v`; under a base with one nothing is
/// known.
#[test]
fn entities_are_reported_and_never_expanded() {
    let rss = |inner: &str| format!("<!DOCTYPE rss [<!ENTITY e 'http://i.example/'>]>\n{inner}");
    let (text, base) = (
        rss("<rss><link>&e;x</link><url>y</url></rss>"),
        rss("<rss xml:base='&e;'><url>y</url></rss>"),
    );
    let dir = TestDir::with(&[("site/a.xml", &text), ("site/b.xml", &base)]);
    let report = &format!(
        "site/a.xml:2:12: '&e;x' unchanged; it contains an entity, which is not expanded\n\
                site/a.xml: 2 references: 1 {REWRITTEN}, 1 with an entity, which is not expanded\n\
                site/b.xml:2:16: skipped; its base contains an entity, or is a default of its document type\n"
    );
    dir.relink("absolutize site --base http://h.example/ -o out -q").exits(0);
    let run = dir.relink("absolutize site --base http://h.example/ --dry-run -v").exits(0);
    assert!(run.stderr.starts_with(report), "{run}");
    dir.relink("absolutize site --base http://h.example/ --dry-run --strict -q").exits(1);
    holds(&dir, "out/a.xml", &text.replace("<url>", "<url>http://h.example/"));
    holds(&dir, "out/b.xml", &base);
}

/// Browsers ignore `xml:base`; documents where that makes a difference are counted.
#[test]
fn an_xml_base_that_browsers_ignore() {
    const PAGE: &str = "<html xmlns='http://www.w3.org/1999/xhtml'>\n<p xml:base='c/'><a href='x'/><a href='y'/></p></html>";
    const DRAWING: &str =
        "<svg xmlns='http://www.w3.org/2000/svg' xml:base='c/'><a href='http://i/'/></svg>";
    let dir = TestDir::with(&[("site/a.xhtml", PAGE), ("site/b.svg", DRAWING)]);
    let run = dir.relink("absolutize site --base http://h/ -o out -v").exits(0);
    let place = "site/a.xhtml:2:27: xml:base ignored from here on, as in browsers; by XML Base this reference has another target; use `--xml-base everywhere` to apply xml:base\n";
    let count = "1 document with xml:base attributes ignored, as in browsers; use `--xml-base everywhere` to apply them\n";
    assert!(run.stderr.contains(place) && run.stderr.contains(count), "{run}");
    let absolute = PAGE.replace("'c/'", "'http://h/c/'");
    let with = |base: &str| {
        absolute.replace("'x'", &format!("'{base}x'")).replace("'y'", &format!("'{base}y'"))
    };
    holds(&dir, "out/a.xhtml", &with("http://h/"));
    let line = "absolutize site --base http://h/ -o there --xml-base everywhere -v";
    let run = dir.relink(line).exits(0);
    assert!(!run.stderr.contains("xml:base"), "{run}");
    holds(&dir, "there/a.xhtml", &with("http://h/c/"));
    // Only what holds is shown.
    let run = dir.relink("bases site --base http://h/ -q").exits(0);
    assert!(!run.text().contains("xml:base"), "{run}");
    let run = dir.relink("bases site --base http://h/ -q --xml-base everywhere").exits(0);
    assert!(run.text().contains("xml:base"), "{run}");
    dir.relink("refs site --xml-base nowhere").exits(2);
}

#[test]
fn a_reference_with_an_entity_is_listed_without_a_target() {
    const PAGE: &str = "<!DOCTYPE html [<!ENTITY a 'b'>]>\n<html xmlns='http://www.w3.org/1999/xhtml'><a href='q&a;r'/></html>";
    let dir = TestDir::with(&[("a.xhtml", PAGE)]);
    let line = "refs a.xhtml --base http://h/a.xhtml";
    dir.relink(line).exits(0).reports("").prints("a.xhtml:2:53: a[href] q&a;r\n");
    dir.relink(&format!("{line} --strict")).exits(1);
    let listed = lines(&dir.relink(&format!("{line} --format json")).exits(0));
    assert_eq!((&listed[0]["text"], &listed[0]["target"]), (&"q&a;r".into(), &Value::Null));
    let run = dir.relink("absolutize a.xhtml --base http://h/a.xhtml -o - -v --strict").exits(1);
    assert_eq!(run.text(), PAGE);
    let place = &format!("a.xhtml:2:53: 'q&a;r' {ENTITY}\n");
    assert!(run.stderr.starts_with(place), "{run}");
    let sum = "1 reference: 1 with an entity, which is not expanded\n";
    assert!(run.stderr.contains(sum), "{run}");
    dir.relink("check a.xhtml --base http://h/a.xhtml").exits(0).prints("");
}
