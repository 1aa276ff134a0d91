//! `--manifest`: what it lists, in what form, and where it is written; the edits in it are applied
//! by the test itself. `manifest_verify` has what `verify` makes of it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::dir::TestDir;
use crate::journal::{NESTED, begun, broken_off, long_tree};
use crate::words::{CANNOT_USE_MANIFEST, MANIFEST_HERE, NO_DIRECTORY};

pub(crate) const MBOX: &str = "From a@b Thu Jan  1 00:00:00 1998\nContent-Type: text/html\nContent-Base: http://h/m/\n\n<a href=x>\n<a href=/y>\n\nFrom a@b Thu Jan  1 00:00:00 1998\nContent-Location: http://h/n/\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<a href=3Dq>caf=E9\n\n";

/// A tree of all that is written in a way of its own.
pub(crate) fn tree() -> TestDir {
    let dir = TestDir::with(&[
        ("site/index.html", "<a href=d/>d</a> <img src=\"/i.png\"> <a href=http://other/>o</a>\n"),
        ("site/d/index.html", "<base href=\"../\">\r\n<a href=\"index.html#x\">\r\n"),
        ("site/d/same.html", "<a href='http://other/'>\n"),
        ("site/style.css", "@import \"d/more.css\";\na { background: url(/b.png) }\n"),
        (
            "site/feed.xml",
            "<?xml version=\"1.0\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\"><link href=\"e/1\"/></feed>\n",
        ),
        ("site/mail.mbox", MBOX),
        ("site/read.me", "no document\n"),
    ]);
    let mut gz = GzEncoder::new(Vec::new(), Compression::new(6));
    gz.write_all(b"<a href=\"zipped.html\">z</a>\n".repeat(20).as_slice()).unwrap();
    dir.file("site/page.html.gz", gz.finish().unwrap());
    dir.file("site/latin1.html", b"<meta charset=iso-8859-1><a href=\"caf\xe9\">\n");
    dir.file(Path::new("site").join(OsStr::from_bytes(b"no\xfftext.html")), "<a href=x>\n");
    dir
}

/// A manifest as a reader of JSON sees it: each file with its edits, by path.
pub(crate) struct Read {
    pub(crate) header: Value,
    pub(crate) files: BTreeMap<PathBuf, (Value, Vec<Value>)>,
    pub(crate) end: Value,
}

pub(crate) fn path_of(file: &Value, key: &str) -> PathBuf {
    match file[format!("{key}_bytes")].as_str() {
        None => PathBuf::from(file[key].as_str().expect("a path")),
        Some(encoded) => {
            let bytes = urlcore::escape::percent_decode(encoded).into_owned();
            PathBuf::from(OsStr::from_bytes(&bytes))
        }
    }
}

#[track_caller]
pub(crate) fn read(dir: &TestDir, name: &str) -> Read {
    let text = dir.text(name);
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert!(text.ends_with('\n'));
    let (header, end) = (lines[0].clone(), lines[lines.len() - 1].clone());
    let mut files: BTreeMap<PathBuf, (Value, Vec<Value>)> = BTreeMap::new();
    let mut last = None;
    for line in &lines[1..lines.len() - 1] {
        match line["record"].as_str().expect("a record") {
            "edit" => files.get_mut(last.as_ref().unwrap()).expect("a file").1.push(line.clone()),
            _ => {
                let path = path_of(line, "path");
                assert!(last.as_ref().is_none_or(|last| *last < path), "{path:?} is out of order");
                last = Some(path.clone());
                files.insert(path, (line.clone(), Vec::new()));
            }
        }
    }
    Read { header, files, end }
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The old content of a file, from its new content and its edits.
pub(crate) fn undone(new: &[u8], edits: &[Value]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::new(), 0);
    for edit in edits {
        let number = |key: &str| usize::try_from(edit[key].as_u64().unwrap()).unwrap();
        out.extend(&new[at..number("at")]);
        match edit["old"].as_str() {
            Some(old) => out.extend(old.as_bytes()),
            None => {
                out.extend(
                    layers::base64::decode(edit["old_base64"].as_str().unwrap().as_bytes()).bytes,
                );
            }
        }
        at = number("at") + number("length");
    }
    out.extend(&new[at..]);
    out
}

/// Every file of the manifest is in `after`, and its edits give what is in `before`.
#[track_caller]
fn goes_back(read: &Read, before: &TestDir, old: &str, after: &TestDir, new: &str) {
    for (path, (file, edits)) in &read.files {
        let bytes = after.bytes(Path::new(new).join(path));
        let was = if file["path_before"].is_null() {
            before.bytes(Path::new(old).join(path))
        } else {
            before.bytes(Path::new(old).join(path_of(file, "path_before")))
        };
        let content =
            |bytes: &[u8]| serde_json::json!({ "sha256": sha256(bytes), "length": bytes.len() });
        assert_eq!(file["after"], content(&bytes), "{path:?}");
        assert_eq!(file["before"], content(&was), "{path:?}");
        assert_eq!(file["edits"], edits.len(), "{path:?}");
        assert!(undone(&bytes, edits) == was, "{path:?}");
    }
}

const RUN: &str = "absolutize site --base http://h/ -q";

#[test]
fn a_manifest_of_an_output_lists_all_files_and_the_way_back() {
    let dir = tree();
    std::os::unix::fs::symlink("../d", dir.path("site/d/link")).unwrap();
    dir.relink(&format!("{RUN} -o out --manifest m.jsonl")).exits(0).reports("");
    let mut read = read(&dir, "m.jsonl");
    let link = read.files.remove(Path::new("d/link")).unwrap().0;
    assert_eq!(link["target"], "../d");
    let files = dir.tree("out");
    let is_file =
        |(_, node): &(&PathBuf, &crate::dir::Node)| matches!(node, crate::dir::Node::File { .. });
    assert!(read.files.keys().eq(files.iter().filter(is_file).map(|(path, _)| path)));
    goes_back(&read, &dir, "site", &dir, "out");
    assert_eq!(
        read.header,
        serde_json::json!({
            "record": "relink-manifest",
            "version": 1,
            "relink": env!("CARGO_PKG_VERSION"),
            "command": "relink absolutize --base=http://h/ site",
            "roots": 1,
            "files": "all",
        })
    );
    let n_edits: usize = read.files.values().map(|(_, edits)| edits.len()).sum();
    let text = dir.text("m.jsonl");
    let end = text.rfind("{\"record\":\"end\"").unwrap();
    assert_eq!(
        read.end,
        serde_json::json!({
            "record": "end",
            "files": read.files.len() + 1,
            "edits": n_edits,
            "sha256": sha256(&text.as_bytes()[..end]),
        })
    );
    // What was not changed has no edits, and what is not text is in base64.
    assert_eq!(read.files[Path::new("read.me")].0["edits"], 0);
    assert!(read.files[Path::new("page.html.gz")].1[0]["old_base64"].is_string());
    let odd = &read.files[Path::new(OsStr::from_bytes(b"no\xfftext.html"))].0;
    assert_eq!(odd["path"], "no\u{fffd}text.html");
    assert_eq!(odd["path_bytes"], "no%FFtext.html");
}

#[test]
fn a_manifest_in_place_lists_what_was_changed() {
    let (dir, old) = (tree(), tree());
    dir.relink(&format!("{RUN} --in-place --backup --manifest m.jsonl")).exits(0).reports("");
    let read = read(&dir, "m.jsonl");
    goes_back(&read, &old, "site", &dir, "site");
    assert_eq!(read.header["files"], "changed");
    let changed: Vec<PathBuf> = old
        .tree("site")
        .into_keys()
        .filter(|path| old.path("site").join(path).is_file())
        .filter(|path| {
            dir.bytes(Path::new("site").join(path)) != old.bytes(Path::new("site").join(path))
        })
        .collect();
    assert!(changed.len() >= 8, "{changed:?}");
    assert!(read.files.keys().eq(&changed), "{:?}", read.files.keys());
    for (path, (file, _)) in &read.files {
        let mut kept = path.clone().into_os_string();
        kept.push(".orig");
        assert_eq!(path_of(file, "backup"), PathBuf::from(kept));
    }
    // A run that changes nothing has nothing to list.
    dir.relink(&format!("{RUN} --in-place --manifest n.jsonl")).exits(0).reports("");
    assert_eq!(crate::manifest::read(&dir, "n.jsonl").files.len(), 0);
}

#[test]
fn the_same_input_and_command_give_the_same_manifest() {
    let dir = tree();
    for number in 0..60 {
        let page = "<a href=x>\n".repeat(number % 17 * 40 + 1);
        dir.file(format!("site/p/{}/{number}.html", number % 9), page);
    }
    for (name, jobs) in [("one", "-j1"), ("two", "-j2"), ("three", "--jobs=7 -v")] {
        let run = format!("absolutize site --base http://h/ -o {name} --manifest {name}.jsonl");
        dir.relink(&format!("{run} {jobs}")).exits(0);
    }
    let expected = dir.text("one.jsonl");
    assert!(expected.lines().count() > 3_000);
    assert!(dir.text("two.jsonl") == expected && dir.text("three.jsonl") == expected);
    // Nested moves record the documents too, in their order.
    let mut texts = Vec::new();
    for jobs in ["-j1", "-j2", "-j5"] {
        let copy = tree();
        for number in 0..60 {
            copy.file(
                format!("site/p/{number}.html"),
                "<a href=http://h/x>\n".repeat(number % 7 * 100),
            );
        }
        let run = "move site --from http://h/ --to http://h/a/ -i -q --manifest m.jsonl";
        copy.relink(&format!("{run} {jobs}")).exits(0);
        texts.push((copy.text("m.jsonl"), copy.text(".site.relink-moves")));
    }
    assert!(texts[0].0.contains("{\"record\":\"moves\",\"root\":0,"));
    assert!(texts[0] == texts[1] && texts[1] == texts[2]);
}

#[test]
fn several_paths_are_listed_by_their_numbers_or_below_the_output() {
    let dir = TestDir::with(&[("a/x.html", "<a href=y>\n"), ("b/x.html", "<a href=z>\n")]);
    dir.file("c.html", "<a href=c>\n");
    let maps = "--map a=http://a/ --map b=http://b/ --map c.html=http://c/ -q";
    dir.relink(&format!("absolutize a b c.html {maps} -o out --manifest o.jsonl")).exits(0);
    let read = read(&dir, "o.jsonl");
    let names = ["a/x.html", "b/x.html", "c.html"].map(PathBuf::from);
    assert!(read.files.keys().eq(&names), "{:?}", read.files.keys());
    assert_eq!(read.header["roots"], 1);
    dir.relink("verify out --manifest o.jsonl -q").exits(0).reports("").prints("");
    dir.relink(&format!("absolutize a b c.html {maps} -i --manifest i.jsonl")).exits(0);
    let text = dir.text("i.jsonl");
    for place in [
        "\"root\":0,\"path\":\"x.html\"",
        "\"root\":1,\"path\":\"x.html\"",
        "\"root\":2,\"path\":\"c.html\"",
    ] {
        assert!(text.contains(place), "{place}: {text}");
    }
    dir.relink("verify a b c.html --manifest i.jsonl -q").exits(0).reports("").prints("");
    dir.relink("verify a b --manifest i.jsonl").fails(
        &format!("i.jsonl: {CANNOT_USE_MANIFEST}; it is of a run with 3 PATHs, and 2 are given; use the PATHs of the run, in the same order"),
    );
}

#[test]
fn single_files_and_new_names_are_listed() {
    let mail = "Content-Type: text/html\nContent-Base: http://h/\n\n<a href=x>\n";
    let dir = TestDir::with(&[("in/page.html", "<a href=x>\n")]);
    let name = format!("1.a.b,S={}:2,S", mail.len());
    dir.file(format!("mail/cur/{name}"), mail);
    ["mail/new", "mail/tmp"].iter().for_each(|name| dir.directory(name));
    dir.relink("absolutize in/page.html --base http://h/ -o other.html --manifest m.jsonl -q")
        .exits(0);
    let one = read(&dir, "m.jsonl");
    assert!(one.files.keys().eq([Path::new("other.html")]));
    dir.relink("verify other.html --manifest m.jsonl -q").exits(0).prints("");
    for (line, tree) in [("-o out", "out"), ("-i", "mail")] {
        let old = dir.bytes(format!("mail/cur/{name}"));
        dir.relink(&format!("absolutize mail {line} --manifest n.jsonl -q")).exits(0).reports("");
        let read = read(&dir, "n.jsonl");
        let (path, (file, edits)) = read.files.iter().next().unwrap();
        assert!(path.to_str().unwrap().contains(&format!(",S={}:", mail.len() + 9)), "{path:?}");
        assert_eq!(path_of(file, "path_before"), Path::new("cur").join(&name));
        assert!(undone(&dir.bytes(Path::new(tree).join(path)), edits) == old);
        dir.relink(&format!("verify {tree} --manifest n.jsonl -q")).exits(0).prints("");
        fs::remove_file(dir.path("n.jsonl")).unwrap();
    }
}

#[test]
fn a_secret_base_is_not_in_the_manifest() {
    let dir = tree();
    dir.file("base", "http://me:secret@h/\n");
    for (idx, line) in ["--base http://me:secret@h/", "--base-file base"].iter().enumerate() {
        dir.relink(&format!("relativize site {line} -o out{idx} --manifest {idx}.jsonl")).exits(0);
        let text = dir.text(format!("{idx}.jsonl"));
        assert!(text.contains("relink relativize --base-"), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}

#[test]
fn a_manifest_is_written_outside_of_the_tree_and_over_no_other_file() {
    let dir = tree();
    dir.file("mine", "mine\n");
    dir.directory("d");
    let inside = "it is inside of PATH or OUT, and would be a file of the tree; use a path outside";
    for (path, reason) in [
        ("site/m.jsonl", inside),
        ("out/m.jsonl", NO_DIRECTORY),
        ("none/m.jsonl", NO_DIRECTORY),
        ("d", "it exists, and is not a regular file; use another path"),
        ("mine", "the file exists, and is not a manifest; use another path"),
    ] {
        for output in ["-o out", "-i"] {
            dir.relink(&format!("{RUN} {output} --manifest {path}"))
                .fails(&format!("{path}: {MANIFEST_HERE}; {reason}"));
        }
    }
    dir.directory("out");
    dir.relink(&format!("{RUN} -o out --manifest out/m.jsonl"))
        .fails(&format!("out/m.jsonl: {MANIFEST_HERE}; {inside}"));
    dir.relink("absolutize site/index.html --base http://h/ -o - --manifest m.jsonl").fails(
        "error: cannot use --manifest with standard output; a manifest lists files; use `-o FILE` to write a file",
    );
    // A dry run writes nothing.
    dir.relink(&format!("{RUN} -n --manifest m.jsonl")).exits(0);
    assert!(!dir.has("m.jsonl"));
    dir.relink(&format!("{RUN} -o out --manifest m.jsonl")).exits(0).reports("");
    let first = dir.text("m.jsonl");
    let taken = "m.jsonl: cannot write the manifest here; it exists, and is the manifest of another run; use another path, or remove it if that run is not to be reverted";
    let tree = dir.tree("site");
    dir.relink(&format!("{RUN} -i --manifest m.jsonl")).fails(taken);
    assert!(dir.tree("site") == tree && !dir.has(".site.relink-journal"));
    dir.relink(&format!("{RUN} -o out2 --manifest m.jsonl")).fails(taken);
    // An update lists what it finds up to date, too.
    dir.relink(&format!("{RUN} -o out --update --manifest m.jsonl")).exits(0).reports("");
    assert!(dir.text("m.jsonl") == first);
}

#[test]
fn a_resumed_run_ends_with_the_whole_manifest() {
    let whole = long_tree();
    let line = format!("{NESTED} --manifest m.jsonl");
    whole.relink(&line).exits(0);
    let expected = whole.text("m.jsonl");
    assert_eq!(read_moves(&expected), 1);
    for way in ["resume site", &line] {
        let dir = long_tree();
        broken_off(&dir, &line);
        assert!(!dir.has("m.jsonl"));
        dir.relink(way).exits(0);
        assert!(dir.text("m.jsonl") == expected, "{way}");
    }
    // Ctrl-C leaves no half of it either.
    let dir = long_tree();
    let held = begun(&dir, &line);
    held.signal("INT");
    assert_eq!(held.go_on().status.code(), Some(130));
    assert!(dir.has(".site.relink-journal") && !dir.has("m.jsonl"));
    dir.relink("resume site").exits(0);
    assert!(dir.text("m.jsonl") == expected);
}

fn read_moves(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with("{\"record\":\"moves\"")).count()
}

/// A document that was recorded and could not be replaced is as it was, and not listed.
#[test]
fn what_could_not_be_written_is_not_listed() {
    let dir = TestDir::with(&[("site/a.html", "<a href=x>\n"), ("site/b.html", "<a href=x>\n")]);
    fs::hard_link(dir.path("site/a.html"), dir.path("other")).unwrap();
    dir.relink(&format!("{RUN} -i --manifest m.jsonl")).exits(2);
    let read = read(&dir, "m.jsonl");
    assert!(read.files.keys().eq([Path::new("b.html")]), "{:?}", read.files.keys());
    dir.relink("verify site --manifest m.jsonl -q").exits(0).prints("");
}
