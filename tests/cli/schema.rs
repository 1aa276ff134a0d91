//! `--format json`: every line of every command is as `docs/schema/relink.json` says, and what the
//! records of a run say is what the run did.

use std::path::Path;

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

use crate::dir::{Run, TestDir};
use crate::words::{INVALID_JSON, LEFT_ABSOLUTE, MADE_ABSOLUTE};

/// The schema, compiled for some of its definitions.
pub(crate) struct Schema {
    schemas: Schemas,
    compiler: Compiler,
}

impl Schema {
    pub(crate) fn new() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema/relink.json");
        let text = std::fs::read_to_string(path).expect("the schema");
        let schema: Value = serde_json::from_str(&text).expect("JSON");
        let mut compiler = Compiler::new();
        compiler.add_resource("urn:relink:output:1", schema).expect("a schema");
        Schema { schemas: Schemas::new(), compiler }
    }

    fn index(&mut self, definition: &str) -> SchemaIndex {
        let place = format!("urn:relink:output:1#/$defs/{definition}");
        self.compiler.compile(&place, &mut self.schemas).expect("a definition")
    }

    /// Returns true if a value is as a definition says.
    fn accepts(&mut self, definition: &str, value: &Value) -> bool {
        let index = self.index(definition);
        self.schemas.validate(value, index).is_ok()
    }

    #[track_caller]
    pub(crate) fn check(&mut self, definition: &str, value: &Value) {
        let index = self.index(definition);
        if let Err(error) = self.schemas.validate(value, index) {
            panic!("{definition}: {value}\n{error:#}");
        }
    }
}

/// The lines of a run; each is as the definition says.
#[track_caller]
fn lines(run: &Run, definition: &str) -> Vec<Value> {
    let mut schema = Schema::new();
    let lines: Vec<Value> =
        run.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(!lines.is_empty(), "{run}");
    lines.iter().for_each(|line| schema.check(definition, line));
    lines
}

/// The records of a run: the first describes it, and the last has its sums.
#[track_caller]
fn records(run: &Run, command: &str) -> Vec<Value> {
    let records = lines(run, "record");
    assert_eq!((&records[0]["type"], &records[0]["command"]), (&"run".into(), &command.into()));
    assert_eq!((&records[0]["format"], &records[0]["version"]), (&"relink".into(), &1.into()));
    records
}

fn of_type<'r>(records: &'r [Value], name: &str) -> Vec<&'r Value> {
    records.iter().filter(|record| record["type"] == name).collect()
}

const PAGE: &str = "<base href=/x/>\n<a href='a?b&amp;c'>a</a> <a href='#d'>\n<iframe srcdoc='<a href=e>'></iframe>\n<a href='//['>";

fn site() -> TestDir {
    TestDir::with(&[
        ("site/a.html", PAGE),
        ("site/b.css", "a { background: url(c.png) }"),
        ("site/broken.webmanifest", "{\"scope\": x"),
        ("site/c.png", "no picture"),
    ])
}

#[test]
fn the_lists_of_all_commands_are_as_the_schema_says() {
    let dir = TestDir::with_site();
    dir.file("letter.eml", std::fs::read(crate::fixture("mail/related.eml")).unwrap_or_default());
    dir.file("m.mbox", "From a\nContent-Type: text/html\n\n<a href=x>\n\nFrom b\n\nhttp://h/\n");
    for (line, definition) in [
        ("refs site --base http://h/ --format json", "refs"),
        ("refs m.mbox --format json", "refs"),
        ("bases site --base http://h/ --format json", "bases"),
        ("bases m.mbox --format json", "bases"),
        ("slots --format json", "slots"),
        ("url find http://h/x --format json", "url-find"),
        ("check site --format json --stale http://old.example/", "check"),
        ("check site --format json --top 3", "check-top"),
        ("check site --format json --list-external", "check-url"),
    ] {
        lines(&dir.relink(line), definition);
    }
}

#[test]
fn a_conversion_reports_each_reference_with_its_outcome() {
    let dir = site();
    let run = dir.relink("absolutize site --base http://h/ -o out --format json").exits(2);
    assert!(run.stderr.contains("site/broken.webmanifest:1:11: skipped;"), "{run}");
    let records = records(&run, "absolutize");
    let references: Vec<String> = of_type(&records, "reference")
        .iter()
        .map(|record| {
            let text = |key: &str| record[key].as_str().unwrap_or("-").to_owned();
            let place = format!("{}:{}:{}", text("path"), record["line"], record["column"]);
            let texts = [text("slot"), text("text"), text("new_text"), text("outcome")];
            format!("{place} {}", texts.join(" "))
        })
        .collect();
    assert_eq!(
        references,
        [
            "a.html:1:12 base[href] /x/ http://h/x/ rewritten",
            "a.html:2:10 a[href] a?b&c http://h/x/a?b&c rewritten",
            "a.html:2:36 a[href] #d http://h/x/#d rewritten",
            "a.html:3:25 a[href] e http://h/x/e rewritten",
            "a.html:4:10 a[href] //[ - unresolvable",
            "b.css:1:21 css url() c.png http://h/c.png rewritten",
        ]
    );
    let documents = of_type(&records, "document");
    assert_eq!(documents.len(), 3);
    assert_eq!((&documents[0]["changed"], &documents[2]["failed"]), (&true.into(), &true.into()));
    let skipped = of_type(&records, "skipped");
    assert_eq!(skipped.len(), 1, "{skipped:?}");
    assert_eq!(skipped[0]["path"], "broken.webmanifest");
    assert_eq!(skipped[0]["reason"], INVALID_JSON);
    assert_eq!((&skipped[0]["extent"], &skipped[0]["failed"]), (&"document".into(), &true.into()));
    let last = records.last().unwrap();
    assert_eq!((&last["type"], &last["documents"]), (&"summary".into(), &3.into()));
    assert_eq!(last["references"]["rewritten"], 5);
    assert_eq!(last["references"]["unresolvable"], 1);
    // The messages are those of standard error.
    let messages = of_type(&records, "message");
    assert!(
        messages.iter().all(|message| run.stderr.contains(message["text"].as_str().unwrap())),
        "{run}"
    );
    assert!(dir.text("out/a.html").contains("http://h/x/a?b&amp;c"));
}

#[test]
fn each_command_that_writes_prints_records() {
    let dir = site();
    let relativize = "relativize site --base http://h/ --dry-run --format json";
    records(&dir.relink(relativize).exits(2), "relativize");
    let records =
        records(&dir.relink("move site --from http://h/ --to http://i/ -n --format json"), "move");
    let kept = |record: &&&Value| record["outcome"] == "kept" && record["text"] == "a?b&c";
    assert_eq!(of_type(&records, "reference").iter().filter(kept).count(), 1, "{records:?}");
}

#[test]
fn a_reference_without_a_file_says_why_it_is_absolute() {
    let dir = TestDir::with(&[
        ("site/a.html", "<a href=none.html><a href=b.html><a href=http://h/none>"),
        ("site/b.html", ""),
    ]);
    let line = "relativize site --base http://h/ --for file -o out --format json";
    let records = records(&dir.relink(line).exits(0), "relativize");
    let references = of_type(&records, "reference");
    assert_eq!(references[0]["reason"], MADE_ABSOLUTE);
    assert_eq!(references[1]["reason"], Value::Null);
    assert_eq!(references[2]["reason"], LEFT_ABSOLUTE);
    assert_eq!(records.last().unwrap()["made_absolute"], 2);
}

#[test]
fn an_explanation_is_a_record() {
    let dir = site();
    let line = "explain site/a.html:2 --base http://h/a.html --format json --all-dialects";
    let records = records(&dir.relink(line).exits(0), "explain");
    let [link, fragment] = of_type(&records, "explanation")[..] else { panic!("{records:?}") };
    assert_eq!((&link["written"], &link["text"]), (&"a?b&amp;c".into(), &"a?b&c".into()));
    assert_eq!(link["bytes"], "613f6226616d703b63");
    assert_eq!(link["absolutized"], "http://h/x/a?b&amp;c");
    assert_eq!(link["dialects"]["rfc3986"]["target"], "http://h/x/a?b&c");
    assert_eq!(fragment["dialects"]["rfc2396"]["target"], Value::Null);
    assert_eq!(fragment["dialects"]["rfc2396"]["reason"], "the document itself");
    assert_eq!(records.last().unwrap()["type"], "summary");
    let run = dir.relink("explain site/a.html:9 --format json").exits(2);
    let records = self::records(&run, "explain");
    assert_eq!(records[1]["severity"], "error");
}

#[test]
fn standard_output_has_records_or_documents() {
    let dir = site();
    let message = "error: cannot use --format json with a document or a diff on standard output; it has the records; use `-o OUT` to name a file or directory, and remove --diff\n";
    for line in [
        "absolutize site/a.html --base http://h/ -o - --format json",
        "absolutize site --base http://h/ --diff --format json",
        "absolutize site --base http://h/ -o out --diff --format json",
        "relativize - --base http://h/ --format json",
    ] {
        let run = dir.pipe(line, b"<a href=b>").exits(2).reports(message);
        assert!(!dir.has("out"), "{run}");
        let records = lines(&run, "record");
        assert_eq!(records.last().unwrap()["severity"], "error");
    }
}

#[cfg(unix)]
#[test]
fn what_was_undone_and_resumed_is_listed() {
    use crate::journal::{NESTED, broken_off, long_tree};

    let dir = long_tree();
    let before = dir.tree("site");
    broken_off(&dir, NESTED);
    let undone = dir.relink("undo site --format json").exits(0);
    let records = records(&undone, "undo");
    let documents = of_type(&records, "undone");
    let restored = documents.iter().filter(|record| record["restored"] == true).count();
    assert!(restored > 0, "{records:?}");
    assert_eq!(records.last().unwrap()["restored"], restored);
    assert!(crate::journal::is_same(&dir.tree("site"), &before));
    broken_off(&dir, NESTED);
    // The large page would take long; now it is another one.
    dir.file("site/z.html", "<a href=http://old/y>");
    let records = self::records(&dir.relink("resume site --format json"), "move");
    assert_eq!(records.last().unwrap()["type"], "summary");
}

#[test]
fn the_schema_rejects_what_is_not_documented() {
    let mut schema = Schema::new();
    let message = serde_json::json!({"type": "message", "severity": "note", "text": "x"});
    assert!(schema.accepts("record", &message));
    for (key, value) in [("severity", "loud".into()), ("more", Value::Null), ("type", "m".into())] {
        let mut other = message.clone();
        other[key] = value;
        assert!(!schema.accepts("record", &other), "{other}");
    }
}
