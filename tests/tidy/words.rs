//! Wordings of messages in the tests of the program: each is written in few tests. The others use
//! its name in `tests/cli/words.rs`, so a message can be reworded without changing many tests.

use std::collections::{BTreeMap, BTreeSet};

/// Modules of `tests/cli` about the words themselves, and the one that gives them names.
const ABOUT_WORDS: &[&str] = &[
    "usage.rs",
    "suggestions.rs",
    "help.rs",
    "hints.rs",
    "hints_wild.rs",
    "readme.rs",
    "words.rs",
];

/// A wording is at least so long; shorter ones are words that anything can contain.
const LENGTH: usize = 12;

/// A wording is written in at most so many tests.
const PLACES: usize = 2;

/// What ends a number of the summary. The program puts the number and the word together, so no
/// literal of it has both.
const COUNTS: &[&str] = &["changed", "would be changed", "broken", "rewritten", "restored"];

/// First words of command lines, which the help of the program contains too.
const COMMANDS: &[&str] = &[
    "absolutize",
    "relativize",
    "check",
    "move",
    "mv",
    "pack",
    "unpack",
    "refs",
    "bases",
    "slots",
    "explain",
    "undo",
    "resume",
    "verify",
    "url",
    "relink",
];

/// Returns the string literals of a source with their offsets, and their escapes resolved as far as
/// wordings need it.
fn literals(source: &str) -> Vec<(usize, String)> {
    let bytes = source.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &source[at..];
        let skipped = match bytes[at] {
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'\'' if rest.starts_with("'\"'") => 3,
            b'\'' if rest.starts_with("'\\\"'") => 4,
            b'r' if rest.starts_with("r#\"") => {
                let end = rest[3..].find("\"#").map_or(rest.len(), |end| end + 3);
                found.push((at, rest[3.min(end)..end].to_owned()));
                end + 2
            }
            b'"' => {
                let (text, length) = literal(&rest[1..]);
                found.push((at, text));
                length + 2
            }
            _ => 1,
        };
        at += skipped;
        while at < bytes.len() && !source.is_char_boundary(at) {
            at += 1;
        }
    }
    found
}

/// Returns the text of a literal, and how many bytes of the source it takes, without its quotes.
fn literal(rest: &str) -> (String, usize) {
    let mut text = String::new();
    let mut chars = rest.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return (text, at),
            '\\' => match chars.next() {
                // The line goes on after the white space.
                Some((_, '\n')) => {
                    while chars.next_if(|(_, char)| char.is_ascii_whitespace()).is_some() {}
                }
                Some((_, 'n')) => text.push('\n'),
                Some((_, escaped)) => text.push(escaped),
                None => {}
            },
            char => text.push(char),
        }
    }
    (text, rest.len())
}

/// Returns the wordings of a literal: what is between the parts that vary.
fn wordings(literal: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut depth = 0_usize;
    for char in literal.chars() {
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth > 0 => continue,
            _ => {}
        }
        plain.push(if matches!(char, '{' | '}' | '`' | '\'') { '\n' } else { char });
    }
    let clauses = plain.split('\n').flat_map(|line| line.split("; "));
    let clauses = clauses.flat_map(|clause| clause.split(": ")).flat_map(|part| part.split(", "));
    clauses.map(|clause| clause.trim_matches([' ', '.', ',', ';', ':']).to_owned()).collect()
}

/// Returns true if a clause could be part of a message: several words, and no command or markup.
fn is_wording(clause: &str) -> bool {
    let first = clause.split(' ').next().unwrap_or_default();
    clause.len() >= LENGTH
        && clause.contains(' ')
        && !clause.contains(['<', '=', '/', '\\'])
        && !first.starts_with('-')
        && !COMMANDS.contains(&first)
}

/// Returns the number of the summary that a clause is, without the number.
fn count_of(clause: &str) -> Option<&'static str> {
    let (number, rest) = clause.split_once(' ')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let ends = |count: &&&str| {
        rest == **count || rest.strip_prefix(**count).is_some_and(|rest| rest.starts_with(" ("))
    };
    COUNTS.iter().find(|count| is_number && ends(count)).copied()
}

/// Returns the name of the function that contains an offset of a source.
fn function(source: &str, at: usize) -> &str {
    let before = &source[..at];
    let start = ["\nfn ", "\npub(crate) fn ", "\n    fn "];
    let start = start.iter().filter_map(|start| Some(before.rfind(start)? + start.len())).max();
    let name = &source[start.unwrap_or_default()..];
    name.split(|char: char| !char.is_alphanumeric() && char != '_').next().unwrap_or_default()
}

/// Returns the wordings of the program that more tests contain than [`PLACES`], with these tests.
fn repeated(program: &[String], tests: &[(String, String)]) -> Vec<String> {
    let program: Vec<String> =
        program.iter().flat_map(|source| literals(source)).map(|(_, text)| text).collect();
    let program = program.join("\n");
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, source) in tests {
        for (at, literal) in literals(source) {
            let clauses =
                wordings(&literal).into_iter().filter_map(|clause| match count_of(&clause) {
                    Some(count) => Some(format!("N {count}")),
                    None => (is_wording(&clause) && program.contains(&clause)).then_some(clause),
                });
            for clause in clauses {
                let place = format!("{file}::{}", function(source, at));
                places.entry(clause).or_default().insert(place);
            }
        }
    }
    let repeated = places.into_iter().filter(|(_, places)| places.len() > PLACES);
    repeated
        .map(|(clause, places)| {
            format!("'{clause}': {}", places.into_iter().collect::<Vec<_>>().join(", "))
        })
        .collect()
}

#[test]
fn a_wording_is_written_in_few_tests_of_the_program() {
    let (mut program, mut tests) = (Vec::new(), Vec::new());
    for (path, text) in crate::sources() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_in = |directory: &str| path.components().any(|part| part.as_os_str() == directory);
        if path.starts_with("tests/cli") && !ABOUT_WORDS.contains(&name.as_str()) {
            tests.push((name, text));
        } else if is_in("src") && !is_in("python") && !is_in("xtask") {
            program.push(text);
        }
    }
    assert!(program.len() > 100 && tests.len() > 50, "{} {}", program.len(), tests.len());
    crate::none("wordings without a name in `tests/cli/words.rs`", &repeated(&program, &tests));
}

#[test]
fn wordings_that_many_tests_contain_are_found() {
    let program = [
        "fn fail() -> String {\n    format!(\"{path}: cannot be read; \\\n        there is no such file\")\n}\n"
            .to_owned(),
        "// \"the text of a comment\"\nconst OTHER: &str = \"more than one of them\";\n".to_owned(),
    ];
    let in_tests = |literal: &str, n: usize| {
        let tests = (0..n).map(|n| {
            let source =
                format!("//! Tests.\n\n#[test]\nfn test_{n}() {{\n    let a = '\"';\n    check(\"{literal}\");\n    check(\"{literal}\");\n}}\n");
            (format!("m{n}.rs"), source)
        });
        repeated(&program, &tests.collect::<Vec<_>>())
    };
    let found = in_tests("d/a: there is no such file; {WHY}\\n", 3);
    assert_eq!(found, ["'there is no such file': m0.rs::test_0, m1.rs::test_1, m2.rs::test_2"]);
    assert_eq!(in_tests("2 documents, 1 changed; 1 skipped", 3).len(), 1);
    assert_eq!(in_tests("2 documents: 3 broken (3 no-file)", 3).len(), 1);
    // In few tests, in no message of the program, under a name, too short, a command.
    assert_eq!(in_tests("there is no such file", 2), [""; 0]);
    for literal in [
        "there is no such directory",
        "the text of a comment",
        "{THERE_IS_NO_FILE}",
        "than one",
        "2 files, 1 changed since then",
    ] {
        assert_eq!(in_tests(literal, 3), [""; 0], "{literal}");
    }
}
