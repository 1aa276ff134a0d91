//! `relink mv` walks only documents that may name a renamed file. Of thousands of pages that name
//! one in an odd spelling, all follow: the tree becomes the same if each document is walked, as it
//! is where each reference is listed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use walkdir::WalkDir;

use crate::dir::TestDir;
use crate::update::Random;

/// The files that are renamed, and names that resemble theirs.
const PATHS: [&str; 14] = [
    "d/name.html",
    "d/name.html",
    "d/name",
    "d/a_b-c.css",
    "d/a_b-c.css",
    // After an escape of six digits, it begins within them for whoever only searches for it.
    "d/2f2f.html",
    "d/2f2f.html",
    "e~f",
    "e~f/inner.html",
    "e~f/",
    "d/other.html",
    "d/xname.html",
    "d/name.htm",
    "d/",
];

/// A language in which a reference is written, with its own escapes.
#[derive(Clone, Copy, PartialEq)]
enum Language {
    Html,
    Css,
    Script,
}

/// Writes text with a few escapes and line breaks of a URL and of a language.
fn spelled(random: &mut Random, text: &str, language: Language, odds: usize) -> String {
    let mut out = String::new();
    for char in text.chars() {
        let code = u32::from(char);
        if random.below(odds) > 0 {
            out.push(char);
            continue;
        }
        let is_letter = char.is_ascii_alphanumeric();
        out.push_str(&match (language, random.below(7)) {
            (_, 0) if char != '/' => format!("%{code:02x}"),
            (_, 1) if char != '/' => format!("%{code:02X}"),
            (Language::Html, 2) => format!("&#{code};"),
            (Language::Html, 3) => format!("&#x{code:X};"),
            (Language::Html, 4) => format!("{char}&Tab;"),
            (Language::Html, 5) => format!("{char}\r\n\t"),
            (Language::Html, _) if char == '.' => "&period;".to_owned(),
            (Language::Html, _) if char != '/' => format!("&#37;{code:02x}"),
            (Language::Css, 2) => format!("\\{code:x} "),
            (Language::Css, 3) if random.below(2) == 0 => format!("\\{code:06X}"),
            (Language::Css, 3) => format!("\\{code:06x}"),
            (Language::Css, 4) if !char.is_ascii_hexdigit() => format!("\\{char}"),
            (Language::Css, 5) => format!("{char}\\\n"),
            (Language::Css, _) => format!("{char}\\a "),
            (Language::Script, 2) => format!("\\x{code:02x}"),
            (Language::Script, 3) => format!("\\u{code:04X}"),
            (Language::Script, 4) => format!("\\u{{{code:x}}}"),
            (Language::Script, 5) if !is_letter => format!("\\{char}"),
            (Language::Script, _) => format!("{char}\\n"),
            _ => char.to_string(),
        });
    }
    out
}

/// Returns a page, and true for a style sheet.
fn document(random: &mut Random) -> (String, bool) {
    let odds = [2, 6, 1000][random.below(3)];
    let path = PATHS[random.below(PATHS.len())];
    let path = ["../", "./../", "/"][random.below(3)].to_owned() + path;
    let css = |random: &mut Random| spelled(random, &path, Language::Css, odds);
    let kind = random.below(10);
    let (script, sheet) = (spelled(random, &path, Language::Script, odds), css(random));
    let html = |random: &mut Random, text: &str| spelled(random, text, Language::Html, odds);
    let inner = html(random, &format!("<a href='{path}'>"));
    (
        match kind {
            0 => return (format!("@import \"{sheet}\";\n"), true),
            1 => return (format!("a {{ background: url(\"{sheet}\") }}\n"), true),
            2 => format!("<p style=\"background: url('{}')\">", html(random, &sheet)),
            3 => format!("<style>p {{ background: url('{sheet}') }}</style>"),
            4 => format!("<script type=module>import '{script}';</script>"),
            5 => format!("<iframe srcdoc=\"{}\"></iframe>", inner.replace('"', "&quot;")),
            6 => format!("<base href='{}'><img src='x.png'>", html(random, &path)),
            7 => format!("<img srcset='x.png 1x, {} 2x'>", path.replace('_', "%5f")),
            8 => format!("<meta http-equiv=refresh content='0; url={}'>", html(random, &path)),
            _ => format!("<p>some\ntext &amp; 100%\\n\n<a href='{}#x'>", html(random, &path)),
        },
        false,
    )
}

fn files(at: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = WalkDir::new(at).into_iter().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    files
        .map(|entry| {
            let below = entry.path().strip_prefix(at).unwrap().display().to_string();
            (below, fs::read(entry.path()).unwrap())
        })
        .collect()
}

#[test]
fn documents_that_are_passed_over_name_nothing_that_is_renamed() {
    let n_documents = if std::env::var_os("RELINK_FULL").is_some() { 100_000 } else { 4_000 };
    let mut random = Random(0x5851_f42d_4c95_7f2d);
    let (all, few) = (TestDir::new(), TestDir::new());
    for dir in [&all, &few] {
        dir.file("site/d/name.html", "<a href=other.html>x</a>");
        dir.file("site/d/a_b-c.css", "");
        dir.file("site/d/2f2f.html", "");
        dir.file("site/d/other.html", "");
        dir.file("site/e~f/inner.html", "<a href=../d/name.html>x</a>");
    }
    for number in 0..n_documents {
        let (text, is_css) = document(&mut random);
        let name = format!("site/p/{number}.{}", if is_css { "css" } else { "html" });
        all.file(&name, &text);
        few.file(&name, &text);
    }
    let moves = "site/d/name.html site/d/a_b-c.css site/d/2f2f.html site/e~f site/moved/";
    all.relink(&format!("mv --tree site --format json --no-manifest {moves}")).exits(0);
    let run = few.relink(&format!("mv --tree site --no-manifest {moves}")).exits(0);
    assert!(run.stderr.contains("name no renamed file"), "{}", run.stderr);
    let (all, few) = (files(&all.path("site")), files(&few.path("site")));
    let differ = all.iter().find(|(name, bytes)| few.get(*name) != Some(bytes));
    let shown = differ.map(|(name, bytes)| {
        let other = few.get(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        format!("{name}: {} and {other:?}", String::from_utf8_lossy(bytes))
    });
    assert_eq!(shown, None);
    assert_eq!(all.len(), few.len());
}

#[test]
fn documents_are_opened_once() {
    if !crate::tools::has("strace", &["-f", "-o", "/dev/null", "true"]) {
        return;
    }
    let dir = TestDir::with(&[
        ("site/name.html", ""),
        ("site/links.html", "<a href=name.html>x</a>"),
        ("site/other.html", "<a href=links.html>x</a>"),
        ("site/plain.css", "a { background: url(x.png) }"),
    ]);
    let runner = ["strace", "-f", "-qq", "-e", "trace=openat", "-o", "trace"];
    let moves = "mv --tree site --no-manifest site/name.html site/new.html";
    let run = dir.relink_by(&runner, moves).exits(0);
    assert!(run.stderr.contains("2 name no renamed file"), "{}", run.stderr);
    assert_eq!(dir.text("site/links.html"), "<a href=new.html>x</a>");
    let trace = dir.text("trace");
    let n_opened = |name: &str| trace.lines().filter(|line| line.contains(name)).count();
    assert_eq!([n_opened("other.html"), n_opened("plain.css")], [1, 1], "{trace}");
}
