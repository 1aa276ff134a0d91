//! A command line that a journal records, and its arguments as people type them.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::messages;

/// A command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The directory in which it was typed.
    pub directory: PathBuf,
    /// Its arguments, without the name of the program.
    pub words: Vec<OsString>,
}

impl CommandLine {
    /// Returns the arguments as they may be typed in a shell.
    pub fn shown(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        words.join(" ")
    }
}

/// Returns an argument of a command line as it may be typed in a shell. Characters that cannot be
/// typed or shown are escaped (POSIX.1-2024, XCU 2.2.4, "dollar-single-quotes").
pub fn quoted(word: &OsStr) -> String {
    let bytes = word.as_encoded_bytes();
    let word = match word.to_str() {
        Some(word) if !word.chars().any(messages::drives_terminal) => word,
        _ => {
            let escaped = bytes.iter().map(|byte| match byte {
                b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
                b' '..=b'~' => char::from(*byte).to_string(),
                byte => format!("\\{byte:03o}"),
            });
            return format!("$'{}'", escaped.collect::<String>());
        }
    };
    let is_plain = |char: char| char.is_alphanumeric() || "-_./:=@%+,~".contains(char);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_as_a_shell_reads_them() {
        let of = |word: &str| quoted(OsStr::new(word));
        assert_eq!(
            [of("a-b/é.html"), of(""), of("a b"), of("it's")],
            ["a-b/é.html", "''", "'a b'", "'it'\\''s'"]
        );
        assert_eq!(of("e\x1b[1m\\'é"), r"$'e\033[1m\\\'\303\251'");
    }
}
