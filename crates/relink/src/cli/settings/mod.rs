//! Options that are not typed: of the variables `RELINK_…`, and of a configuration file.
//!
//! Both have the names of the options of the command line, and become words of it, so that the
//! journal of a run records them too. What is typed counts before a variable, and that before a
//! file. They cannot decide what is written, or where.

mod file;
mod place;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, CommandFactory, Parser};

use self::file::Value;
use crate::cli::args::Cli;
use crate::os::suggest;
use crate::plan::exit::Error;

/// The options that are only typed: those that decide what is written, where, or from whom an
/// order is accepted, and those that are only for one run.
const TYPED_ONLY: [&str; 24] = [
    "again",
    "backup",
    "break-hardlinks",
    "config",
    "delete",
    "files-from",
    "fix",
    "force",
    "from-git",
    "help",
    "in-place",
    "manifest",
    "no-config",
    "null",
    "output",
    "redirects",
    "rename",
    "rename-files",
    "rename-map",
    "renames",
    "report",
    "rule",
    "trust",
    "update",
];

/// The start of the names of variables.
const PREFIX: &str = "RELINK_";

/// The option whose variable another module reads, since it may contain a password.
const BASE: &str = "base";

/// An option that is not typed.
#[derive(Clone, Debug, PartialEq)]
struct Setting {
    /// The command that it is for, if it is only for one.
    command: Option<String>,
    /// The name of the option.
    name: String,
    value: Value,
    /// Where it is from: `FILE:LINE`, or the name of a variable.
    source: String,
}

/// Adds the options of variables and of the configuration file to the arguments of a command line,
/// its own name first. Arguments that are invalid are returned as they are.
///
/// # Errors
///
/// [`Error::Usage`] and [`Error::Path`] if a file or variable cannot be used.
pub fn apply(args: Vec<OsString>) -> Result<Vec<OsString>, Error> {
    let Ok(matches) = Cli::command().try_get_matches_from(&args) else { return Ok(args) };
    let Some((name, typed)) = matches.subcommand() else { return Ok(args) };
    let mut root = Cli::command();
    root.build();
    let Some(command) = root.find_subcommand(name) else { return Ok(args) };
    // The file first: what a variable sets again replaces it.
    let mut settings = match config_file(&matches) {
        Some(path) => read(&path, &root)?,
        None => Vec::new(),
    };
    let variables = variables(command)?;
    let is_replaced = |setting: &Setting| variables.iter().any(|other| other.name == setting.name);
    settings.retain(|setting| !is_replaced(setting));
    settings.extend(variables);
    let is_specific = |name: &str| {
        settings.iter().any(|setting| setting.name == name && setting.command.is_some())
    };
    let mut words = Vec::new();
    for setting in &settings {
        let is_for_this = setting.command.as_ref().is_none_or(|command| command == name);
        // A table of the command replaces what is set for all.
        let is_replaced = setting.command.is_none() && is_specific(&setting.name);
        let Some(arg) = argument(command, &setting.name).filter(|_| is_for_this && !is_replaced)
        else {
            continue;
        };
        if !is_typed(typed, command, arg) {
            words.extend(words_of(setting, arg)?);
        }
    }
    let Some(at) = place_of_command(&args, command).filter(|_| !words.is_empty()) else {
        return Ok(args);
    };
    let mut all = args;
    all.splice(at + 1..at + 1, words);
    match Cli::try_parse_from(&all) {
        Ok(_) => Ok(all),
        Err(error) => Err(explained(&error.to_string(), &settings)),
    }
}

/// Returns the configuration file of a command line: the one that is named, or that of the user.
fn config_file(matches: &ArgMatches) -> Option<PathBuf> {
    if matches.get_flag("no_config") {
        return None;
    }
    let named = matches.get_one::<PathBuf>("config").cloned();
    named.or_else(|| {
        place::of_user(place::SYSTEM, |name| env::var_os(name)).filter(|path| path.exists())
    })
}

/// Reads a configuration file, and checks its names.
fn read(path: &Path, root: &clap::Command) -> Result<Vec<Setting>, Error> {
    let settings = file::read(path)?;
    for setting in &settings {
        let wrong = |reason: String| Err(wrong(&setting.source, &reason));
        let Setting { name, .. } = setting;
        let commands: Vec<&clap::Command> = match &setting.command {
            None => root.get_subcommands().collect(),
            Some(command) => match root.find_subcommand(command) {
                Some(command) => vec![command],
                None => {
                    let names = root.get_subcommands().map(clap::Command::get_name);
                    let suggestion = suggest::similar(command, names);
                    return wrong(format!(
                        "[{command}] is not a command{suggestion}; a table has the name of a command, and the options for it"
                    ));
                }
            },
        };
        if TYPED_ONLY.contains(&&**name) {
            return wrong(format!(
                "cannot set {name} in a configuration file; it can only be typed; use `--{name}`"
            ));
        }
        if !commands.iter().any(|command| argument(command, name).is_some()) {
            let names: Vec<&str> = commands
                .iter()
                .flat_map(|command| options(command))
                .map(|(name, _)| name)
                .collect();
            let suggestion = suggest::similar(name, names);
            return wrong(format!(
                "{name} is not an option{suggestion}; the names are those of the options of the command line"
            ));
        }
    }
    Ok(settings)
}

/// Returns the options that variables set.
fn variables(command: &clap::Command) -> Result<Vec<Setting>, Error> {
    let mut settings = Vec::new();
    for (name, arg) in options(command).filter(|(name, _)| *name != BASE) {
        let source = format!("{PREFIX}{}", name.to_ascii_uppercase().replace('-', "_"));
        let Some(value) = env::var_os(&source).filter(|value| !value.is_empty()) else { continue };
        let value = value
            .into_string()
            .map_err(|_| wrong(&source, "cannot use its value; it is not UTF-8; unset it"))?;
        let value = match is_switch(arg) {
            false if !is_optional(arg) => Value::Text(vec![value]),
            is_switch => match &*value.to_ascii_lowercase() {
                "1" | "true" | "yes" | "on" => Value::Switch(true),
                "0" | "false" | "no" | "off" => Value::Switch(false),
                _ if !is_switch => Value::Text(vec![value]),
                _ => {
                    let reason = format!("cannot use its value '{value}'; expected true or false");
                    return Err(wrong(&source, &reason));
                }
            },
        };
        settings.push(Setting { command: None, name: name.to_owned(), value, source });
    }
    Ok(settings)
}

/// Returns the options of a command that need not be typed, by their names.
fn options(command: &clap::Command) -> impl Iterator<Item = (&str, &Arg)> {
    let options = command.get_arguments().filter_map(|arg| Some((arg.get_long()?, arg)));
    options.filter(|(name, _)| !TYPED_ONLY.contains(name))
}

fn argument<'c>(command: &'c clap::Command, name: &str) -> Option<&'c Arg> {
    options(command).find(|(long, _)| *long == name).map(|(_, arg)| arg)
}

fn is_switch(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
}

/// Returns true if an option may have a value, or none.
fn is_optional(arg: &Arg) -> bool {
    arg.get_num_args().is_some_and(|number| number.min_values() == 0 && number.takes_values())
}

/// Returns true if an option, or another one that it excludes, is typed.
fn is_typed(typed: &ArgMatches, command: &clap::Command, arg: &Arg) -> bool {
    let is_typed = |arg: &Arg| {
        let id = arg.get_id().as_str();
        typed.try_contains_id(id).unwrap_or(false)
            && typed.value_source(id) == Some(ValueSource::CommandLine)
    };
    let excludes = |a: &Arg, b: &Arg| {
        command.get_arg_conflicts_with(a).iter().any(|other| other.get_id() == b.get_id())
    };
    let mut others = command.get_arguments().filter(|other| is_typed(other));
    is_typed(arg) || others.any(|other| excludes(arg, other) || excludes(other, arg))
}

/// Returns the words of an option on the command line.
fn words_of(setting: &Setting, arg: &Arg) -> Result<Vec<OsString>, Error> {
    let Setting { name, value, source, .. } = setting;
    let wrong = |reason: &str| Err(wrong(source, reason));
    match (value, is_switch(arg)) {
        (Value::Switch(false), _) if is_optional(arg) => Ok(Vec::new()),
        (Value::Switch(true), _) if is_optional(arg) => Ok(vec![format!("--{name}").into()]),
        (Value::Switch(false), true) => Ok(Vec::new()),
        (Value::Switch(true), true) => Ok(vec![format!("--{name}").into()]),
        (_, true) => wrong(&format!("cannot use this value of {name}; expected true or false")),
        (Value::Switch(_), false) => {
            wrong(&format!("cannot use this value of {name}; expected a string or a number"))
        }
        (Value::Text(values), false) => {
            let is_list = matches!(arg.get_action(), ArgAction::Append);
            if values.len() > 1 && !is_list {
                return wrong(&format!("cannot use this value of {name}; expected one value"));
            }
            Ok(values.iter().map(|value| format!("--{name}={value}").into()).collect())
        }
    }
}

/// Returns the index of the word that names the command.
fn place_of_command(args: &[OsString], command: &clap::Command) -> Option<usize> {
    let is_name = |word: &OsString| {
        word.to_str().is_some_and(|word| {
            word == command.get_name() || command.get_all_aliases().any(|alias| alias == word)
        })
    };
    // The value of an option before it is not the command.
    let is_value = |idx: usize| matches!(args[idx - 1].to_str(), Some("--config"));
    (1..args.len()).find(|idx| is_name(&args[*idx]) && !is_value(*idx))
}

/// Returns the error for options that clap does not accept, with the place that one is from.
fn explained(error: &str, settings: &[Setting]) -> Error {
    let reason = error.lines().next().unwrap_or_default();
    let reason = reason.strip_prefix("error: ").unwrap_or(reason);
    let is_named = |setting: &&Setting| {
        let option = format!("--{}", setting.name);
        let mut words = reason.split(|char: char| !char.is_ascii_alphanumeric() && char != '-');
        words.any(|word| word == option)
    };
    match settings.iter().find(is_named) {
        Some(setting) => wrong(&setting.source, reason),
        None => Error::Usage(format!("cannot use the options that are not typed; {reason}")),
    }
}

/// Returns the error about an option that is not typed.
fn wrong(source: &str, reason: &str) -> Error {
    if source.starts_with(PREFIX) {
        Error::Usage(format!("{source}: {reason}"))
    } else {
        Error::at(Path::new(source), reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_that_is_only_typed_exists() {
        let root = Cli::command();
        // `--manifest` and `--report` are of other crates' features; `help` is clap's.
        for name in TYPED_ONLY {
            let has = |command: &clap::Command| {
                command.get_arguments().any(|arg| arg.get_long() == Some(name))
            };
            let is_known = name == "help" || has(&root) || root.get_subcommands().any(has);
            assert!(is_known || ["manifest", "report"].contains(&name), "{name}");
        }
    }

    #[test]
    fn the_command_is_found_after_options() {
        let root = Cli::command();
        let command = root.find_subcommand("check").unwrap();
        let words = |line: &str| -> Vec<OsString> { line.split(' ').map(OsString::from).collect() };
        assert_eq!(place_of_command(&words("relink check check"), command), Some(1));
        assert_eq!(place_of_command(&words("relink --config check check x"), command), Some(3));
    }
}
