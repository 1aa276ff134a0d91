//! Readers for the tables in `fixtures/url`.

use std::path::Path;

/// Returns the rows of a file, split at tabs.
pub(crate) fn rows(name: &str) -> Vec<Vec<String>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/url");
    let text = std::fs::read_to_string(directory.join(name)).expect("the file is there");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split('\t').map(unescaped).collect()).collect()
}

fn unescaped(field: &str) -> String {
    let mut text = String::new();
    let mut characters = field.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some('t') => text.push('\t'),
                Some('n') => text.push('\n'),
                Some('r') => text.push('\r'),
                Some('\\') => text.push('\\'),
                other => panic!("an escape {other:?}"),
            },
            _ => text.push(c),
        }
    }
    text
}
