//! `refs`: the whole list of `fixtures/site`, blessed, and the ways to ask for it.

use serde::{Deserialize, Serialize};

use crate::dir::TestDir;
use crate::words::UNKNOWN_TYPE;

/// Where `fixtures/site` comes from.
pub(crate) const BASE: &str = "http://www.harbour-light.example/";

/// One line of `--format json`: these fields, in this order, and no other.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    pub(crate) root: usize,
    pub(crate) path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path_bytes: Option<String>,
    pub(crate) unit: Option<usize>,
    pub(crate) part: Option<String>,
    pub(crate) embedded: Vec<Embedded>,
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) span: [usize; 2],
    /// `false` where the span holds whole quanta of base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) span_exact: Option<bool>,
    pub(crate) slot: String,
    pub(crate) kind: String,
    pub(crate) text: String,
    pub(crate) base: Option<String>,
    pub(crate) base_source: String,
    pub(crate) target: Option<String>,
}

/// A document that a reference is embedded in.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Embedded {
    pub(crate) slot: String,
    pub(crate) span: [usize; 2],
}

/// The lines of a run.
#[track_caller]
pub(crate) fn lines(json: &str) -> Vec<Line> {
    let line =
        |text: &str| serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    json.lines().map(line).collect()
}

/// The list of `fixtures/site` in JSON.
pub(crate) fn of_site() -> String {
    let hint = "hint: pages contain attributes of lazy loaders, such as data-src; use `--also lazy` to process their references\n";
    let run = TestDir::with_site()
        .relink(&format!("refs site --format json --base {BASE}"))
        .exits(0)
        .reports(hint);
    run.text().to_owned()
}

#[test]
fn the_references_of_the_site_are_as_blessed() {
    crate::check_blessed("refs/site.jsonl", &of_site());
}

#[test]
fn the_fields_are_those_of_the_format_in_its_order() {
    let json = of_site();
    for (text, line) in json.lines().zip(lines(&json)) {
        assert_eq!(serde_json::to_string(&line).unwrap(), text);
        assert!((line.root, line.unit, &line.part) == (0, None, &None), "{text}");
        let kinds = ["url", "local", "list", "candidates", "id", "template", "class"];
        assert!(kinds.contains(&&*line.kind), "{text}");
        assert!(["embedded", "retrieval"].contains(&&*line.base_source), "{text}");
    }
}

#[test]
fn lines_are_in_the_order_of_paths_and_places() {
    let lines = lines(&of_site());
    let key = |line: &Line| (std::path::PathBuf::from(&line.path), line.span);
    assert!(lines.iter().map(key).is_sorted());
    let mut paths: Vec<_> = lines.into_iter().map(|line| line.path).collect();
    paths.dedup();
    assert_eq!(paths.len(), 22, "{paths:?}");
}

#[test]
fn the_list_for_people_says_the_same() {
    let json = lines(&of_site());
    let run = TestDir::with_site().relink(&format!("refs site --base {BASE}")).exits(0);
    let text: Vec<_> = run.text().lines().collect();
    assert_eq!(text.len(), json.len());
    for (text, line) in text.into_iter().zip(json) {
        let Line { path, line, column, slot, text: reference, target, .. } = line;
        let reference = reference.replace('\n', "%0A");
        let arrow = match target {
            Some(target) if target != reference => format!(" -> {target}"),
            _ => String::new(),
        };
        assert_eq!(text, format!("site/{path}:{line}:{column}: {slot} {reference}{arrow}"));
    }
}

#[test]
fn filters_choose_from_the_list() {
    let all = lines(&of_site());
    for (options, slots) in [
        ("--only css", &["css "][..]),
        ("--only img[src]", &["img[src]"]),
        ("--only svg,math", &["svg ", "math "]),
    ] {
        let line = format!("refs site --format json --base {BASE} {options}");
        let run = TestDir::with_site().relink(&line).exits(0);
        let is_asked = |line: &&Line| slots.iter().any(|slot| line.slot.starts_with(slot));
        let expected: Vec<_> = all.iter().filter(is_asked).map(|line| line.span).collect();
        assert!(!expected.is_empty(), "{options}");
        let found: Vec<_> = lines(run.text()).iter().map(|line| line.span).collect();
        assert_eq!(found, expected, "{options}{run}");
    }
    let line = format!("refs site --format json --base {BASE} --skip css --exclude log/**");
    let run = TestDir::with_site().relink(&line).exits(0);
    let is_left = |line: &&Line| !line.slot.starts_with("css") && !line.path.starts_with("log/");
    assert_eq!(lines(run.text()).len(), all.iter().filter(is_left).count());
}

#[test]
fn other_attributes_are_listed_on_request() {
    let dir = TestDir::with(&[("a.html", "<img data-src=x data-srcset='y 1x'>")]);
    dir.relink("refs a.html").exits(0).prints("");
    dir.relink("refs a.html --also data-src,data-srcset --base http://h/").exits(0).prints(
        "a.html:1:15: *[data-src] x -> http://h/x\na.html:1:30: *[data-srcset] y -> http://h/y\n",
    );
    dir.relink("refs a.html --also data-src,data-srcset --only *[data-src]")
        .exits(0)
        .prints("a.html:1:15: *[data-src] x\n");
}

#[test]
fn a_single_file_is_called_by_its_name() {
    let dir = TestDir::with(&[("deep/down/a.html", "<a href=x>")]);
    let run = dir.relink("refs deep/down/a.html --format json --base http://h/").exits(0);
    assert_eq!(lines(run.text())[0].path, "a.html");
    dir.relink("refs deep/down/a.html").exits(0).prints("deep/down/a.html:1:9: a[href] x\n");
}

#[test]
fn standard_input_is_called_by_a_dash() {
    let dir = TestDir::new();
    let run = dir.pipe("refs - --format json", b"<p>\n<a href=x>").exits(0).reports("").prints(
        "{\"root\":0,\"path\":\"-\",\"unit\":null,\"part\":null,\"embedded\":[],\"line\":2,\"column\":9,\
         \"span\":[12,13],\"slot\":\"a[href]\",\"kind\":\"url\",\"text\":\"x\",\"base\":null,\
         \"base_source\":\"none\",\"target\":null}\n",
    );
    assert_eq!(lines(run.text()).len(), 1);
    dir.pipe("refs - --base http://h/a?b", b"<p><a href=?x>")
        .exits(0)
        .prints("-:1:12: a[href] ?x -> http://h/a?x\n");
    dir.pipe("refs - --type text/css", b"a{b:url(x)}").exits(0).prints("-:1:9: css url() x\n");
    dir.pipe("refs -", b"no HTML").exits(0).prints("").reports(&format!("-: {UNKNOWN_TYPE}\n"));
}

#[test]
fn the_root_is_the_index_of_the_path() {
    let page = "<a href=x>";
    let dir = TestDir::with(&[("b/1.html", page), ("a/2.html", page), ("c.html", page)]);
    let run = dir.relink("refs b a c.html --format json --map a=http://a/").exits(0);
    let found: Vec<_> = lines(run.text())
        .into_iter()
        .map(|line| (line.root, line.path, line.base_source, line.target))
        .collect();
    let line = |root, path: &str, source: &str, target: Option<&str>| {
        (root, path.to_owned(), source.to_owned(), target.map(str::to_owned))
    };
    let expected = [
        line(0, "1.html", "none", None),
        line(1, "2.html", "retrieval", Some("http://a/x")),
        line(2, "c.html", "none", None),
    ];
    assert_eq!(found, expected);
}

#[cfg(unix)]
#[test]
fn a_path_that_is_no_utf8_is_given_in_bytes_too() {
    use std::os::unix::ffi::OsStrExt;
    let dir = TestDir::new();
    let name = std::ffi::OsStr::from_bytes(b"a b/caf\xE9.html");
    dir.file(std::path::Path::new("site").join(name), "<a href=x>");
    dir.file("site/\u{E9}.html", "<a href=x>");
    let run = dir.relink("refs site --format json --base http://h/").exits(0);
    let lines = lines(run.text());
    assert_eq!(lines[0].path, "a b/caf\u{FFFD}.html");
    assert_eq!(lines[0].path_bytes.as_deref(), Some("a%20b/caf%E9.html"));
    assert_eq!(lines[0].base.as_deref(), Some("http://h/a%20b/caf%E9.html"));
    assert_eq!((lines[1].path.as_str(), &lines[1].path_bytes), ("\u{E9}.html", &None));
}
