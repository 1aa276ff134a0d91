//! A command line that a journal records, and its arguments as people type them.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::os::messages;

/// Options without a value that change only what is reported.
const FLAGS: [&[u8]; 4] = [b"-q", b"--quiet", b"-v", b"--verbose"];

/// Options with a value that change only how fast a run is, and how a report looks.
const VALUED: [&[u8]; 3] = [b"-j", b"--jobs", b"--color"];

/// A command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The directory in which it was typed.
    pub directory: PathBuf,
    /// Its arguments, without the name of the program.
    pub words: Vec<OsString>,
}

impl CommandLine {
    /// Returns true if another command line does the same in the same directory: they may differ in
    /// the number of threads and in what is reported.
    pub fn does_the_same(&self, other: &CommandLine) -> bool {
        self.directory == other.directory && self.essence().eq(other.essence())
    }

    /// Returns the arguments but for the options that change only how fast a run is, and what it
    /// reports. Several short ones in a word stay.
    fn essence(&self) -> impl Iterator<Item = &OsStr> {
        let (mut is_value, mut is_path) = (false, false);
        self.words.iter().map(OsString::as_os_str).filter(move |word| {
            let bytes = word.as_encoded_bytes();
            if is_path || std::mem::take(&mut is_value) {
                return is_path;
            }
            is_path = bytes == b"--";
            is_value = VALUED.contains(&bytes);
            let has_value = VALUED.iter().any(|name| match bytes.strip_prefix(*name) {
                Some(rest) if name.starts_with(b"--") => rest.starts_with(b"="),
                rest => rest.is_some(),
            });
            !is_value && !has_value && !FLAGS.contains(&bytes)
        })
    }

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
    fn what_is_reported_makes_no_other_command() {
        let of = |line: &str| CommandLine {
            directory: PathBuf::from("/"),
            words: line.split(' ').map(OsString::from).collect(),
        };
        let one = of("move a --from b --to c -i");
        for same in [
            "-v move a --from b -j1 --to c -i",
            "move -j 1 a --from b --to c --jobs=2 -i --color always",
            "move a --color=never --from b --to c -i --jobs 3 --quiet -q --verbose",
        ] {
            assert!(one.does_the_same(&of(same)), "{same}");
        }
        for other in [
            "move a --from b --to c",
            "move a --from b --to c -i -- -q",
            "move a --from b --to c -i --jobsx",
            "move a --from b --to c -i --strict",
            "move a --from b --to c -qi",
        ] {
            assert!(!one.does_the_same(&of(other)), "{other}");
        }
        let elsewhere = CommandLine { directory: PathBuf::from("/x"), ..one.clone() };
        assert!(!one.does_the_same(&elsewhere));
    }

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
