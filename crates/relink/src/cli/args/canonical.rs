//! A command line in one form: for the manifest, which depends only on what the run does.

use std::ffi::{OsStr, OsString};

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, CommandFactory};

use super::Cli;
use crate::os::command_line::quoted;

/// The options that do not change what is written, but where, and what is reported.
const NOT_SHOWN: [&str; 19] = [
    "output",
    "force",
    "update",
    "delete",
    "durable",
    "manifest",
    "no_manifest",
    "diff",
    "format",
    "report",
    "config",
    "no_config",
    "jobs",
    "redirects",
    "rename_map",
    "quiet",
    "verbose",
    "color",
    "exit_code",
];

/// Returns a command line as it may be typed in a shell: the options in the order of the help, each
/// with its long name, then the PATHs. Returns `None` if it is not one of this program.
pub fn command(words: &[OsString]) -> Option<String> {
    let program = [OsString::from("relink")];
    let cli = Cli::command();
    let matches = cli.clone().try_get_matches_from(program.iter().chain(words)).ok()?;
    let (name, matches) = matches.subcommand()?;
    let command = cli.find_subcommand(name)?;
    let is_typed = |arg: &&Arg| {
        let id = arg.get_id().as_str();
        !NOT_SHOWN.contains(&id) && matches.value_source(id) == Some(ValueSource::CommandLine)
    };
    let typed: Vec<&Arg> = command.get_arguments().filter(is_typed).collect();
    let mut text = format!("relink {name}");
    let mut add = |word: &OsStr| {
        text.push(' ');
        text.push_str(&quoted(word));
    };
    for arg in typed.iter().filter(|arg| !arg.is_positional()) {
        let option = format!("--{}", arg.get_long()?);
        if arg.get_num_args().is_some_and(|n| n.min_values() == 2) {
            let pairs: Vec<&OsStr> = values(matches, arg).collect();
            for pair in pairs.chunks(2) {
                add(option.as_ref());
                pair.iter().for_each(|value| add(value));
            }
            continue;
        }
        match arg.get_action().takes_values() {
            true => values(matches, arg).for_each(|value| {
                let mut word = OsString::from(format!("{option}="));
                word.push(value);
                add(&word);
            }),
            false => add(option.as_ref()),
        }
    }
    let paths: Vec<&OsStr> = typed
        .iter()
        .filter(|arg| arg.is_positional())
        .flat_map(|arg| values(matches, arg))
        .collect();
    if paths.iter().any(|path| path.as_encoded_bytes().starts_with(b"-") && *path != "-") {
        add("--".as_ref());
    }
    paths.into_iter().for_each(add);
    Some(text)
}

/// Returns the values of an argument as typed.
fn values<'m>(matches: &'m ArgMatches, arg: &Arg) -> impl Iterator<Item = &'m OsStr> + use<'m> {
    matches.get_raw(arg.get_id().as_str()).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_write_the_same_are_the_same() {
        let of = |line: &str| {
            command(&line.split(' ').map(OsString::from).collect::<Vec<_>>()).unwrap_or_default()
        };
        let one = "relink absolutize --in-place --backup=.orig --base=http://h/ site";
        assert_eq!(of("absolutize site --base http://h/ -i --backup"), one);
        assert_eq!(of("absolutise --base=http://h/ -qij2 --backup=.orig site --manifest m"), one);
        assert_eq!(of("absolutize -o out --base a b"), of("absolutize b -o x --force --base a"));
        assert_eq!(of("absolutize -i --backup --base http://h/ --color always -v site -j1"), one);
        assert_eq!(
            of("move a b --to http://x/ --from http://y/ --same-as http://c/,http://d/ -o o"),
            "relink move --from=http://y/ --to=http://x/ --same-as=http://c/ --same-as=http://d/ a b"
        );
        assert_eq!(of("absolutize -n -- -a"), "relink absolutize --dry-run -- -a");
        assert_eq!(of("nothing of the kind"), "");
    }
}
