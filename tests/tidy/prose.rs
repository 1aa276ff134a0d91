//! Plain English in documentation and comments: standard terms, and lines that fit on a screen.

use std::fs;
use std::path::Path;

use xtask::code::literals;

/// Words that readers of this project had to learn, or that say less than the standard term.
const WORDS: &[(&str, &str)] = &[
    ("told", "reported, given, known"),
    ("tell", "report, say, give"),
    ("tells", "reports, says, gives"),
    ("telling", "reporting"),
    ("stands", "is, is written"),
    ("mended", "fixed"),
    ("mend", "fix"),
    ("anew", "again"),
    ("is asked for", "is requested, is enabled"),
    ("are asked for", "are requested, are enabled"),
    ("asked for by name", "named by --also"),
    ("held back", "delayed"),
    ("hold back", "delay"),
];

/// Words that messages do not use, besides [`WORDS`].
const MESSAGE_WORDS: &[(&str, &str)] = &[
    ("folder", "directory"),
    ("folders", "directories"),
    ("broken off", "interrupted"),
    ("left as it is", "skipped, unchanged"),
    ("left out", "skipped"),
    ("believed", "trusted"),
    ("the way to", "use `--option` to"),
    ("leads to", "points to"),
    ("leads out", "points out"),
];

/// The sources that are checked.
const PLAIN: &[&str] = &[
    "crates/urlcore/src",
    "crates/layers/src",
    "crates/basectx/src",
    "crates/rewrite/src",
    "crates/warc/src",
    "crates/python/src",
    "crates/relink/src",
];

/// A comment has at most so many columns.
const COLUMNS: usize = 100;

/// Returns the comment on a line of Rust that is only a comment.
fn comment(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("//")
}

/// Returns the text without what is in backticks: names are quoted as they are.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// Returns a word of [`WORDS`] that occurs in a text.
fn word_in(text: &str) -> Option<&'static (&'static str, &'static str)> {
    one_in(WORDS, text)
}

/// Returns a word of a list that occurs in a text.
fn one_in(
    words: &'static [(&'static str, &'static str)],
    text: &str,
) -> Option<&'static (&'static str, &'static str)> {
    let text = without_code(text).to_ascii_lowercase();
    let is_letter = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
    words.iter().find(|(word, _)| {
        text.match_indices(word).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + word.len()..]);
            !is_letter(before.chars().next_back()) && !is_letter(after.chars().next())
        })
    })
}

fn plain_sources() -> Vec<(String, String)> {
    let sources = super::sources().into_iter();
    let sources = sources.map(|(path, text)| (path.display().to_string(), text));
    sources.filter(|(path, _)| PLAIN.iter().any(|plain| path.starts_with(plain))).collect()
}

#[test]
fn comments_fit_on_a_screen() {
    let mut faults = Vec::new();
    let others = ["py", "pyi", "js", "css", "toml", "yml", "sh"];
    let directories = ["crates", "tests", "benches", "fuzz", ".github", ".ci", ".cargo"];
    let files = super::sources().into_iter().chain(super::texts(&directories, &others));
    for (path, text) in files {
        let begins: &[&str] = match path.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => &["//"],
            Some("js" | "css") => &["//", "/*", "*"],
            _ => &["# "],
        };
        let mut is_code = false;
        for (idx, line) in text.lines().enumerate() {
            let is_comment = begins.iter().any(|begin| line.trim_start().starts_with(begin));
            is_code ^= is_comment && line.contains("```");
            // Examples, tables and links cannot be broken.
            let is_long = line.chars().count() > COLUMNS && !line.contains("://");
            if is_comment && is_long && !is_code {
                faults.push(format!("{}:{}", path.display(), idx + 1));
            }
        }
    }
    assert!(faults.is_empty(), "comments of more than {COLUMNS} columns:\n{}", faults.join("\n"));
}

#[test]
fn comments_and_names_of_functions_are_plain_english() {
    let mut faults = Vec::new();
    for (path, text) in super::sources() {
        // Its words are those that are searched for.
        if path.ends_with("tests/tidy/prose.rs") {
            continue;
        }
        for (idx, line) in text.lines().enumerate() {
            let name = line.split_once("fn ").map(|(_, rest)| rest.split('(').next());
            let name = name.flatten().unwrap_or_default().replace('_', " ");
            if let Some((word, better)) = comment(line).and_then(word_in).or(word_in(&name)) {
                let path = path.display();
                faults.push(format!("{path}:{}: '{word}' (better: {better})", idx + 1));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn messages_are_plain_english() {
    let mut faults = Vec::new();
    let mut n_literals = 0;
    for (path, text) in plain_sources() {
        for (line, literal) in literals(&text) {
            n_literals += 1;
            // A name of Python, such as that of a method of its files.
            if path.starts_with("crates/python") && !literal.contains(' ') {
                continue;
            }
            let word = word_in(&literal).or_else(|| one_in(MESSAGE_WORDS, &literal));
            if let Some((word, better)) = word {
                faults.push(format!("{path}:{line}: '{word}' (better: {better})"));
            }
        }
    }
    assert!(n_literals > 1000, "{n_literals} literals");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The first column of the table, cut where the text varies.
#[test]
fn the_messages_of_the_documentation_are_those_of_the_program() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/messages.md"));
    let page = page.expect("the page can be read");
    let sources = plain_sources();
    let literals: Vec<String> =
        sources.iter().flat_map(|(_, text)| literals(text)).map(|(_, literal)| literal).collect();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let rows: Vec<&str> = rows.collect();
    assert!(rows.len() > 20, "{rows:?}");
    let is_known = |piece: &str| literals.iter().any(|literal| literal.contains(piece));
    let unknown: Vec<&str> =
        rows.into_iter().filter(|row| !row.split('…').map(str::trim).all(is_known)).collect();
    assert!(unknown.is_empty(), "messages that the program does not print: {unknown:#?}");
}

#[test]
fn documentation_is_plain_english() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = |directory: &Path| -> Vec<_> {
        let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
    };
    let pages = [pages(root), pages(&root.join("docs"))].concat();
    assert!(pages.len() > 10, "{pages:?}");
    let mut faults = Vec::new();
    for path in pages {
        for (idx, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            if let Some((word, better)) = word_in(line) {
                faults.push(format!("{}:{}: '{word}' (better: {better})", path.display(), idx + 1));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn words_are_found_between_other_characters() {
    assert!(word_in("It is told.").is_some() && word_in("Tells, it").is_some());
    assert!(word_in("a `told` name").is_none() && word_in("untold, teller").is_none());
}

#[test]
fn each_file_says_what_it_is() {
    let faults: Vec<String> = super::sources()
        .iter()
        .filter(|(_, text)| !text.starts_with("//!"))
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert!(faults.is_empty(), "files whose first line is no `//!`:\n{}", faults.join("\n"));
}
