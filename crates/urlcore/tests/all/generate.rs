//! Texts for property tests: strings of the pieces that matter for resolution.

use proptest::prelude::*;

/// The pieces of generated references.
const PIECES: [&str; 44] = [
    "a",
    "b",
    ".",
    ".",
    "..",
    "..",
    "/",
    "/",
    "/",
    "/..",
    "/.",
    "//",
    "../",
    "./",
    "?",
    "#",
    "?y",
    "#s",
    ";",
    "x;y",
    "c:d",
    "%2e",
    "%2E",
    "/.%2e",
    "%",
    "\\",
    "\\",
    "\t",
    "\n",
    " ",
    "C|",
    "C:",
    "/C|",
    "/d:/",
    "http:",
    "HTTP:",
    "https:",
    "file:",
    "foo:",
    "mailto:",
    "@",
    ":",
    "localhost",
    "é",
];

/// The starts of generated bases.
const BASES: [&str; 22] = [
    "http://a",
    "http://a/b/c/d;p?q",
    "http://a/b/../c/./d?q#f",
    "http:\\\\a\\b",
    "https://u:p@h:8080/a/",
    "ftp://h",
    "file:///a/b",
    "file:///C:/a",
    "file:///C|",
    "file://host/C:/a/b",
    "file://host",
    "file:",
    "file:////a",
    "foo:/a/b",
    "foo:/.//a/b",
    "foo://h",
    "foo://h/a/b?q#f",
    "foo:///a",
    "foo:a/b",
    "foo:",
    "mailto:u@h?q",
    "foo:.//a/../b",
];

/// Returns the number of cases of a property test: 40,000, or the value of `RELINK_CASES`.
pub(crate) fn n_cases() -> u32 {
    std::env::var("RELINK_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(if cfg!(miri) {
        10
    } else {
        40_000
    })
}

/// Generates up to 31 characters of any kind.
///
/// Here and below there are no regular expressions: proptest parses them again for each case, which
/// takes Miri seconds.
pub(crate) fn any_text() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<char>(), 0..32).prop_map(String::from_iter)
}

/// Generates strings of up to `most` of these characters.
pub(crate) fn characters(alphabet: &'static str, most: usize) -> impl Strategy<Value = String> {
    let alphabet: Vec<char> = alphabet.chars().collect();
    prop::collection::vec(prop::sample::select(alphabet), 0..=most).prop_map(String::from_iter)
}

/// Generates strings of up to `most` of these words.
pub(crate) fn words(words: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(words), 0..=most).prop_map(|words| words.concat())
}

/// Generates references of up to eight pieces.
pub(crate) fn reference() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..8)
        .prop_map(|pieces| pieces.concat())
}

/// Generates texts that begin like a base, with up to eight pieces after it.
pub(crate) fn base() -> impl Strategy<Value = String> {
    (prop::sample::select(&BASES[..]), prop_oneof![Just(String::new()), reference()])
        .prop_map(|(start, rest)| format!("{start}{rest}"))
}
