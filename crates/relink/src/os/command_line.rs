//! The command of a run as its records keep it: a value, which can be printed as it may be typed.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::os::{messages, stored};

/// The options of a command by their names, without those that have their defaults.
pub type OptionValues = Map<String, Value>;

/// The options that change only how fast a run is, and what it prints.
const OF_NO_EFFECT: [&str; 4] = ["checksum", "jobs", "quiet", "verbose"];

/// The options that do not change what is written, but where, and what is reported.
const NOT_IN_MANIFESTS: [&str; 17] = [
    "output",
    "force",
    "update",
    "checksum",
    "delete",
    "durable",
    "manifest",
    "no_manifest",
    "diff",
    "format",
    "report",
    "redirects",
    "rename_map",
    "exit_code",
    "jobs",
    "quiet",
    "verbose",
];

/// The options with the PATHs, which have no name: a list of files counts before the directory in
/// which they are.
const PATHS: [&str; 2] = ["files", "paths"];

/// A command, and the directory in which it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandLine {
    /// The directory.
    #[serde(with = "stored")]
    pub directory: PathBuf,
    /// The name of the command.
    pub command: String,
    /// Its options.
    #[serde(default)]
    pub options: OptionValues,
}

impl CommandLine {
    /// Returns a command without options that runs anywhere.
    pub fn named(command: &str) -> Self {
        let (directory, command) = ("/".into(), command.to_owned());
        CommandLine { directory, command, options: OptionValues::default() }
    }

    /// Returns true if another command does the same in the same directory: they may differ in the
    /// number of threads and in what is reported.
    pub fn does_the_same(&self, other: &CommandLine) -> bool {
        self.directory == other.directory
            && self.command == other.command
            && self.without(&OF_NO_EFFECT).eq(other.without(&OF_NO_EFFECT))
    }

    /// Returns the command and the options of which the stamps of its output depend.
    pub fn of_stamps(&self) -> String {
        let options: OptionValues = self
            .without(&OF_NO_EFFECT)
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let (directory, command) = (stored::store_text(self.directory.as_os_str()), &self.command);
        Value::from(vec![directory, command.as_str().into(), options.into()]).to_string()
    }

    /// Returns true if a switch is set.
    pub fn has(&self, option: &str) -> bool {
        self.options.get(option) == Some(&Value::Bool(true))
    }

    fn without(&self, names: &[&str]) -> impl Iterator<Item = (&String, &Value)> {
        self.options.iter().filter(|(name, _)| !names.contains(&name.as_str()))
    }

    /// Returns the command as it may be typed in a shell.
    pub fn shown(&self) -> String {
        self.typed(&[])
    }

    /// Returns the command for a manifest, which depends only on what the run does.
    pub fn in_manifest(&self) -> String {
        self.typed(&NOT_IN_MANIFESTS)
    }

    fn typed(&self, hidden: &[&str]) -> String {
        let mut words: Vec<OsString> = vec!["relink".into(), self.command.as_str().into()];
        let options = self.without(hidden).filter(|(name, _)| !PATHS.contains(&name.as_str()));
        options.for_each(|(name, value)| push_option(&mut words, name, value));
        let paths = PATHS.into_iter().find_map(|name| self.options.get(name)?.as_array());
        let paths: Vec<OsString> =
            paths.into_iter().flatten().filter_map(stored::restore_text).collect();
        if paths.iter().any(|path| path.as_encoded_bytes().starts_with(b"-") && path != "-") {
            words.push("--".into());
        }
        words.extend(paths);
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        words.join(" ")
    }
}

/// Returns the options that differ from the defaults.
pub fn options_of<T: Serialize + Default>(options: &T) -> OptionValues {
    let values = |options: &T| match serde_json::to_value(options) {
        Ok(Value::Object(values)) => values,
        _ => OptionValues::default(),
    };
    let (mut values, defaults) = (values(options), values(&T::default()));
    values.retain(|name, value| defaults.get(name) != Some(value));
    values
}

/// Adds an option as it is typed. One with several values is repeated.
fn push_option(words: &mut Vec<OsString>, name: &str, value: &Value) {
    let option = format!("--{}", name.replace('_', "-"));
    match value {
        Value::Array(values) => {
            for value in values {
                match value.as_array() {
                    // Two values, each a word.
                    Some(pair) => {
                        words.push((&option).into());
                        words.extend(pair.iter().filter_map(stored::restore_text));
                    }
                    None => push_option(words, name, value),
                }
            }
        }
        Value::Bool(_) => words.push(option.into()),
        Value::Number(number) => words.push(format!("{option}={number}").into()),
        value => {
            let mut word = OsString::from(option + "=");
            word.push(stored::restore_text(value).unwrap_or_default());
            words.push(word);
        }
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
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(options: Value) -> CommandLine {
        let Value::Object(options) = options else { panic!("not an object") };
        CommandLine { directory: "/".into(), command: "move".to_owned(), options }
    }

    #[test]
    fn what_is_reported_makes_no_other_command() {
        let one = of(json!({"paths": ["a"], "from": ["b"], "to": ["c"], "in_place": true}));
        let mut same = one.clone();
        same.options.insert("jobs".to_owned(), 3.into());
        same.options.insert("quiet".to_owned(), true.into());
        assert!(one.does_the_same(&same));
        same.options.insert("strict".to_owned(), true.into());
        assert!(!one.does_the_same(&same));
        let elsewhere = CommandLine { directory: "/x".into(), ..one.clone() };
        assert!(!one.does_the_same(&elsewhere));
    }

    #[test]
    fn commands_are_printed_as_they_are_typed() {
        let bytes = json!({"base64": "/w=="});
        let line = of(json!({
            "paths": ["-a", bytes], "from": ["http://a/", "http://b/"], "in_place": true,
            "pair": [["a b", "c"]], "jobs": 2,
        }));
        assert_eq!(
            line.shown(),
            r"relink move --from=http://a/ --from=http://b/ --in-place --jobs=2 --pair 'a b' c -- -a $'\377'"
        );
        assert_eq!(of(json!({"output": "x", "paths": ["-"]})).in_manifest(), "relink move -");
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
