//! What `relink check` remembers of references changes nothing: a page is found to be what it is if
//! no other page is read, and a reference if its page has no other one; the targets are those of
//! `relink refs`, which remembers nothing.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::dir::TestDir;
use crate::update::Random;

const NAMES: [&str; 9] = [
    "a.html",
    "b.html",
    "index.html",
    "d%20e.html",
    "d/a.html",
    "d/b.html",
    "d/c.html",
    "d/e/a.html",
    "d/e/b.html",
];

/// Bases of pages: most have none.
const BASES: [&str; 16] = [
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "x/",
    "/d/",
    "../",
    "http://o.example/p/",
    "?q",
    "b.html",
    "http://h.example/d/;p",
    "//h.example/",
    "/d/e/x?y",
];

const TEXTS: [&str; 42] = [
    "a.html",
    "b.html",
    "../a.html",
    "d/",
    "./",
    ".",
    "x",
    "x#a",
    "x#b?c",
    "x#",
    "d%20e.html#a",
    "d%20e.html#b",
    "x?q=\u{43f}",
    "?\u{43f}",
    "x?q=a",
    "#a",
    "#a",
    "#b",
    "#c d",
    "#",
    "",
    "/d/e/a.html#f",
    "?q",
    "//o.example/x?\u{43f}",
    "//o.example",
    "http:b.html",
    "http:",
    "HTTP://H.EXAMPLE/d/a.html",
    "x;y",
    "%2e%2e/x",
    "a.html%23",
    "\\d\\x",
    "\u{43f}.html",
    "http://h.example/d/../x",
    "https://h.example/x",
    "C:/x",
    "d//x",
    "mailto:a@b",
    "a.html#a",
    "b.html#a",
    "http://o.example/x.png",
    "/b.html#b",
];

/// The number of references in a page.
const N_REFERENCES: usize = 12;

/// Returns the lines of a page, and its charset. The references, in slots of their own kinds, are
/// the last lines, each with one.
fn page(random: &mut Random) -> (Vec<String>, &'static str) {
    let charset = ["utf-8", "windows-1251"][random.below(2)];
    let base = BASES[random.below(BASES.len())];
    let mut page = vec![format!("<!doctype html><meta charset={charset}>")];
    if !base.is_empty() {
        page.push(format!("<base href='{base}'>"));
    }
    if random.below(2) == 0 {
        page.push("<p id=a>".to_owned());
    }
    for _ in 0..N_REFERENCES {
        let text = TEXTS[random.below(TEXTS.len())];
        page.push(match random.below(7) {
            0 => format!("<img src='{text}'>"),
            1 => format!("<link rel=preconnect href='{text}'>"),
            2 => format!("<p style='background: url(\"{text}\")'>"),
            3 => format!("<iframe srcdoc='<a href=\"{text}\">x</a>'></iframe>"),
            4 => format!("<iframe src='{text}'></iframe>"),
            _ => format!("<a href='{text}'>x</a>"),
        });
    }
    (page, charset)
}

/// The bytes of a page, with all of its references or with that of one number.
fn bytes((lines, charset): &(Vec<String>, &str), only: Option<usize>) -> Vec<u8> {
    let start = lines.len() - N_REFERENCES;
    let is_there = |idx: usize| only.is_none_or(|only| idx < start || idx == start + only);
    let shown = |(idx, line): (usize, &String)| match is_there(idx) {
        true => format!("{line}\n"),
        false => "\n".to_owned(),
    };
    let page: String = lines.iter().enumerate().map(shown).collect();
    match *charset {
        "utf-8" => page.into_bytes(),
        _ => page.chars().map(|char| u8::try_from(char).unwrap_or(0xEF)).collect(),
    }
}

/// The lines of a command, each with the value of a line of JSON.
fn lines(dir: &TestDir, scheme: &str, command: &str) -> Vec<Value> {
    let base = format!("{scheme}://h.example/");
    let run = dir.relink(&format!("{command} site --base {base} --format json -q --jobs 1"));
    run.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns a line without what depends on the other references of the page.
fn without_span(mut line: Value) -> Value {
    line["span"] = Value::Null;
    line
}

fn place(line: &Value) -> String {
    ["path", "line", "column"].map(|key| line[key].to_string()).join(" ")
}

#[test]
fn what_is_remembered_of_references_changes_nothing() {
    let n_seeds = if std::env::var_os("RELINK_FULL").is_some() { 500 } else { 6 };
    let (mut n_problems, mut n_escapes) = (0, 0);
    for seed in 1..=n_seeds {
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let dir = TestDir::new();
        // A page by `https` may not load what comes by `http`.
        let scheme = ["http", "https"][random.below(2)];
        let lines = |command: &str| lines(&dir, scheme, command);
        let pages = NAMES.map(|name| (name, page(&mut random)));
        let write = |only: Option<usize>| {
            for (name, page) in &pages {
                dir.file(format!("site/{name}"), bytes(page, only));
            }
        };
        write(None);
        let targets: BTreeMap<String, Value> =
            lines("refs").iter().map(|line| (place(line), line["target"].clone())).collect();
        let of_each = |command: &str| -> Vec<Value> {
            let each = |name: &&str| lines(&format!("{command} --include /{name}"));
            NAMES.iter().flat_map(each).collect()
        };
        let by_place = |found: &[Value]| -> BTreeMap<String, Value> {
            found.iter().map(|line| (place(line), line.clone())).collect()
        };
        let found = lines("check");
        assert_eq!(by_place(&found), by_place(&of_each("check")), "seed {seed}");
        for line in &found {
            let target = line["target"].as_str().filter(|target| !target.is_empty());
            let expected = targets[&place(line)].as_str();
            assert!(target.is_none() || target == expected, "seed {seed}: {line}: {expected:?}");
            // The correct reference has the fragment of this one.
            if line["problem"] == "escape" {
                let fragment = line["text"].as_str().and_then(|text| text.split_once('#'));
                let fragment =
                    fragment.map_or(String::new(), |(_, fragment)| format!("#{fragment}"));
                let reason = line["reason"].as_str().unwrap();
                assert!(reason.ends_with(&format!("e.html{fragment}")), "seed {seed}: {line}");
                n_escapes += 1;
            }
        }
        n_problems += found.len();
        let urls = |found: Vec<Value>| -> BTreeSet<String> {
            found.iter().map(|line| line["url"].to_string()).collect()
        };
        // More is asked of references than whether they have a problem.
        for command in ["check --fragments", "check --stale http://o.example/p/"] {
            let found = by_place(&lines(command));
            assert_eq!(found, by_place(&of_each(command)), "seed {seed}: {command}");
        }
        let external = "check --list-external";
        assert_eq!(urls(lines(external)), urls(of_each(external)), "seed {seed}");
        let of_one = |number: usize| {
            write(Some(number));
            lines("check")
        };
        let of_each: Vec<Value> = (0..N_REFERENCES).flat_map(of_one).map(without_span).collect();
        let found: Vec<Value> = found.into_iter().map(without_span).collect();
        assert_eq!(by_place(&found), by_place(&of_each), "seed {seed}");
    }
    assert!(n_problems > 20 && n_escapes > 2, "{n_problems} {n_escapes}");
}
