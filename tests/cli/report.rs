//! `--report`: the data of a run, the page that shows it, and where it may be written. What the
//! page does in a browser is in `tests/browser`.

use html5ever::parse_document;
use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use serde_json::Value;

use crate::dir::TestDir;
use crate::schema::Schema;
use crate::words::{NO_DIRECTORY, USE_ANOTHER_NAME};

/// A name and a reference that would end the element of the data, or start another.
const HOSTILE: &str = "</script><script>alert(1)</script><!-- \u{2028}\u{202e}";

fn site() -> TestDir {
    TestDir::with(&[
        ("site/a.html", &format!("<base href=x/><a href='b.html'><img src=\"{HOSTILE}\">")),
        ("site/d/b.css", "a { background: url(../c.png) }"),
        ("site/d/old.html", "<a href=http://old.example/x>"),
        ("site/broken.webmanifest", "{\"scope\": x"),
    ])
}

#[track_caller]
fn data(dir: &TestDir, name: &str) -> Value {
    let data: Value = serde_json::from_str(&dir.text(name)).expect("JSON");
    Schema::new().check("report", &data);
    data
}

/// Returns the texts of the script elements of a page, as a parser of HTML finds them.
fn scripts(page: &str) -> Vec<String> {
    fn collect(node: &Handle, out: &mut Vec<String>) {
        if let NodeData::Element { name, .. } = &node.data
            && &*name.local == "script"
        {
            let texts = node.children.borrow();
            let text = |child: &Handle| match &child.data {
                NodeData::Text { contents } => contents.borrow().to_string(),
                _ => String::new(),
            };
            out.push(texts.iter().map(text).collect());
        }
        node.children.borrow().iter().for_each(|child| collect(child, out));
    }
    let dom = parse_document(RcDom::default(), Default::default()).one(page);
    let mut out = Vec::new();
    collect(&dom.document, &mut out);
    out
}

#[test]
fn the_data_has_each_reference_before_and_after() {
    let dir = site();
    dir.relink("absolutize site --base http://h/ -o out --report r.json -q").exits(2);
    let data = data(&dir, "r.json");
    assert_eq!(data["command"], "absolutize");
    assert_eq!(data["paths"], serde_json::json!(["site"]));
    let rows = data["references"].as_array().unwrap();
    let shown: Vec<String> = rows
        .iter()
        .map(|row| {
            let name = |table: &str, at: usize| {
                let idx = usize::try_from(row[at].as_u64().unwrap()).unwrap();
                data[table][idx].clone()
            };
            let texts =
                [&name("documents", 0)["path"], &name("slots", 3), &name("outcomes", 4)["name"]];
            let texts = texts.map(|text| text.as_str().unwrap().to_owned());
            format!("{} {} {}", texts.join(" "), row[6], row[7])
        })
        .collect();
    let hostile = serde_json::to_string(HOSTILE).unwrap();
    assert_eq!(shown[0], "a.html base[href] rewritten \"x/\" \"http://h/x/\"");
    assert_eq!(shown[1], "a.html a[href] rewritten \"b.html\" \"http://h/x/b.html\"");
    // `<!--` is a mark of templates.
    assert_eq!(shown[2], format!("a.html img[src] template {hostile} null"));
    assert_eq!(shown[3], "d/b.css css url() rewritten \"../c.png\" \"http://h/c.png\"");
    assert_eq!(shown[4], "d/old.html a[href] kept \"http://old.example/x\" null");
    assert_eq!(shown.len(), 5);
    let documents = data["documents"].as_array().unwrap();
    assert_eq!(documents.len(), 4);
    assert_eq!(documents[1]["failed"], true, "{documents:?}");
    let bases = data["bases"].as_array().unwrap();
    assert_eq!((&bases[0]["document"], &bases[0]["base"]), (&0.into(), &"http://h/x/".into()));
    assert_eq!(bases[0]["chain"][0]["decides"], true);
    assert_eq!(data["skipped"][0]["document"], 1);
    assert_eq!(data["summary"]["references"]["rewritten"], 3);
}

#[test]
fn a_check_reports_missing_and_old_targets() {
    let dir = site();
    let line =
        "check site --base http://h/ --stale http://old.example/ --report r.json --format json";
    let run = dir.relink(line).exits(2);
    let data = data(&dir, "r.json");
    let outcomes: Vec<&str> = data["outcomes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kind| kind["name"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["no-file", "stale"]);
    assert_eq!(data["references"].as_array().unwrap().len(), run.text().lines().count());
    // b.html and c.png do not exist; the third is the old URL.
    assert_eq!(data["summary"]["broken"], 3);
}

#[test]
fn the_page_has_the_same_data_and_no_other_markup() {
    let dir = site();
    for name in ["r.html", "r.json"] {
        dir.relink(&format!("relativize site --base http://h/ -n -q --report {name}")).exits(2);
    }
    let page = dir.text("r.html");
    let scripts = scripts(&page);
    assert_eq!(scripts.len(), 2, "text of a document became markup");
    let mut shown: Value = serde_json::from_str(&scripts[0]).expect("JSON");
    let mut written = data(&dir, "r.json");
    // The time that a run takes differs.
    for data in [&mut shown, &mut written] {
        data["summary"]["seconds"] = 0.into();
    }
    assert_eq!(shown, written);
    assert!(shown.to_string().contains("alert(1)"));
    assert!(!scripts[0].contains('\u{2028}'));
    for loads in
        ["src=", "@import", "url(", "fetch(", "XMLHttpRequest", "innerHTML", "document.write"]
    {
        assert!(!page.replace(&scripts[0], "").contains(loads), "{loads}");
    }
}

#[test]
fn a_report_is_written_where_it_replaces_nothing() {
    let dir = site();
    let line = "absolutize site --base http://h/ -o out --force -q --report ";
    let reason =
        |name: &str, reason: &str| format!("{name}: cannot write the report here; {reason}\n");
    for (name, report) in [
        ("site/a.html", reason("site/a.html", &format!("there is something else, and only an earlier report is replaced; {USE_ANOTHER_NAME}"))),
        ("out/a.html", reason("out/a.html", &format!("a file of the output has this name; {USE_ANOTHER_NAME}"))),
        ("r.txt", reason("r.txt", "its name says the form; use a name that ends in .html or .json")),
        ("none/r.html", reason("none/r.html", NO_DIRECTORY)),
        ("-", "error: cannot write a report to standard output; it is a file; use `--format json` for records on standard output\n".to_owned()),
    ] {
        dir.relink(&format!("{line}{name}")).exits(2).reports(&report);
        assert!(!dir.has("out"), "{name}");
    }
    let run = dir.relink("absolutize site/a.html --base http://h/ -o b.html --report b.html");
    run.exits(2).reports(&reason("b.html", &format!("it is the output; {USE_ANOTHER_NAME}")));
    assert_eq!(dir.text("site/a.html"), site().text("site/a.html"));
}

#[test]
fn a_report_in_a_tree_is_not_a_document_of_it() {
    let dir = site();
    dir.relink("absolutize site --base http://h/ -o out -q --report out/sub.html").exits(2);
    let report = dir.text("out/sub.html");
    dir.relink("relativize out --base http://h/ --in-place -q").exits(2);
    assert_eq!(dir.text("out/sub.html"), report);
    let run = dir.relink("refs out --base http://h/ --format json");
    assert!(!run.text().contains("sub.html"), "{run}");
    // The same command replaces it.
    dir.relink("check out --base http://h/ -q --report out/sub.html").exits(2);
    assert_ne!(dir.text("out/sub.html"), report);
    // A page that only looks similar is a document.
    dir.file("out/like.html", "<!DOCTYPE html>\n<html lang=\"en\"><a href=x>");
    let run = dir.relink("refs out --base http://h/ --format json");
    assert!(run.text().contains("like.html"), "{run}");
    let left: Vec<_> =
        dir.tree("out").into_keys().filter(|path| path.starts_with(".relink")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_report_and_records_come_from_one_run() {
    let dir = site();
    let line = "move site --from http://h/ --to http://i/ -n --format json --report r.json -q";
    let run = dir.relink(line).exits(2);
    let n = run.text().lines().filter(|line| line.starts_with("{\"type\":\"reference\"")).count();
    assert_eq!(data(&dir, "r.json")["references"].as_array().map(Vec::len), Some(n));
    assert!(n > 0);
}
