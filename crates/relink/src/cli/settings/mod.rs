//! Options that are not typed: of the variables `RELINK_…`, and of a configuration file.
//!
//! Both have the names of the options of the command line, and are the defaults of these in one
//! run, so that the journal of the run records them too. What is typed counts before a variable,
//! that before the table of the command in a file, and that before what the file sets for all
//! commands. They cannot decide what is written, or where.

mod file;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

use self::file::{SettingValue, wrong};
use crate::os::messages;
use crate::plan::exit::Error;

/// The options that are only typed: those that decide what is written, where, or from whom an
/// order is accepted, and those that are only for one run.
const TYPED_ONLY: [&str; 26] = [
    "again",
    "backup",
    "break-hardlinks",
    "checksum",
    "config",
    "delete",
    "explain",
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
    value: SettingValue,
    /// Where it is from: `FILE:LINE`, or the name of a variable.
    source: String,
}

/// Adds the options of variables and of the configuration file to those that are typed. `root` has
/// parsed the words of the command line, its own name first.
///
/// # Errors
///
/// [`Error::Usage`] and [`Error::Path`] if a file or variable cannot be used.
pub fn merge(
    root: &mut Command,
    words: &[OsString],
    typed: ArgMatches,
) -> Result<ArgMatches, Error> {
    let Some((name, own)) = typed.subcommand() else { return Ok(typed) };
    let mut settings = match config_file(&typed) {
        Some(path) => read(&path, root)?,
        None => Vec::new(),
    };
    settings.retain(|setting| setting.command.as_ref().is_none_or(|command| command == name));
    settings.sort_by_key(|setting| setting.command.is_some());
    let Some(command) = root.find_subcommand_mut(name) else { return Ok(typed) };
    settings.extend(variables(command)?);
    let defaults = defaults(command, own, &settings)?;
    if defaults.is_empty() {
        return Ok(typed);
    }
    // The command was used, and is not checked again: a value that it does not accept is an error
    // of the user.
    *command = with_defaults(std::mem::take(command), &defaults);
    let merged = root.try_get_matches_from_mut(words);
    merged.map_err(|error| explained(&error.to_string(), &settings))
}

/// Sets defaults of a command, and of its own commands, which have its global options too.
fn with_defaults(command: Command, defaults: &BTreeMap<String, Vec<String>>) -> Command {
    let command = command.mut_args(|arg| match defaults.get(arg.get_id().as_str()) {
        Some(values) => arg.default_values(values),
        None => arg,
    });
    command.mut_subcommands(|command| with_defaults(command, defaults))
}

/// Returns the values of the options that are not typed, by the identifiers of their arguments. Of
/// several settings of one option, the last counts.
fn defaults(
    command: &Command,
    typed: &ArgMatches,
    settings: &[Setting],
) -> Result<BTreeMap<String, Vec<String>>, Error> {
    let of_command =
        settings.iter().filter_map(|setting| Some((argument(command, &setting.name)?, setting)));
    let by_name: BTreeMap<&str, (&Arg, &Setting)> =
        of_command.map(|(arg, setting)| (&*setting.name, (arg, setting))).collect();
    let excludes = |a: &Arg, b: &Arg| {
        let has = |a: &Arg, b: &Arg| command.get_arg_conflicts_with(a).contains(&b);
        has(a, b) || has(b, a)
    };
    let typed: Vec<&Arg> = command.get_arguments().filter(|arg| is_typed(typed, arg)).collect();
    let mut defaults = BTreeMap::new();
    let mut others: Vec<(&Arg, &Setting)> = Vec::new();
    for (arg, setting) in by_name.into_values() {
        if typed.iter().any(|typed| typed.get_id() == arg.get_id() || excludes(typed, arg)) {
            continue;
        }
        let values = values(setting, arg)?;
        if values.is_empty() {
            continue;
        }
        if let Some((other, first)) = others.iter().find(|(other, _)| excludes(other, arg)) {
            let reason = format!("the argument '{other}' cannot be used with '{arg}'");
            return Err(wrong(&first.source, &reason));
        }
        others.push((arg, setting));
        defaults.insert(arg.get_id().to_string(), values);
    }
    Ok(defaults)
}

/// Returns the configuration file of a command line: the one that is named, or that of the user.
fn config_file(matches: &ArgMatches) -> Option<PathBuf> {
    if matches.get_flag("no_config") {
        return None;
    }
    let named = matches.get_one::<PathBuf>("config").cloned();
    named.or_else(|| {
        file::of_user(file::SYSTEM, |name| env::var_os(name)).filter(|path| path.exists())
    })
}

/// Reads a configuration file, and checks its names.
fn read(path: &Path, root: &Command) -> Result<Vec<Setting>, Error> {
    let settings = file::read(path)?;
    for setting in &settings {
        let wrong = |reason: String| Err(wrong(&setting.source, &reason));
        let Setting { name, .. } = setting;
        let commands: Vec<&Command> = match &setting.command {
            None => root.get_subcommands().collect(),
            Some(command) => match root.find_subcommand(command) {
                Some(command) => vec![command],
                None => {
                    let names = root.get_subcommands().map(Command::get_name);
                    let suggestion = messages::similar(command, names);
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
            let suggestion = messages::similar(name, names);
            return wrong(format!(
                "{name} is not an option{suggestion}; the names are those of the options of the command line"
            ));
        }
    }
    Ok(settings)
}

/// Returns the options that variables set.
fn variables(command: &Command) -> Result<Vec<Setting>, Error> {
    let mut settings = Vec::new();
    for (name, arg) in options(command).filter(|(name, _)| *name != BASE) {
        let source = format!("{PREFIX}{}", name.to_ascii_uppercase().replace('-', "_"));
        let Some(value) = env::var_os(&source).filter(|value| !value.is_empty()) else { continue };
        let value = value
            .into_string()
            .map_err(|_| wrong(&source, "cannot use its value; it is not UTF-8; unset it"))?;
        let value = match is_switch(arg) {
            false if !is_optional(arg) => SettingValue::Text(vec![value]),
            is_switch => match &*value.to_ascii_lowercase() {
                "1" | "true" | "yes" | "on" => SettingValue::Switch(true),
                "0" | "false" | "no" | "off" => SettingValue::Switch(false),
                _ if !is_switch => SettingValue::Text(vec![value]),
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
fn options(command: &Command) -> impl Iterator<Item = (&str, &Arg)> {
    let options = command.get_arguments().filter_map(|arg| Some((arg.get_long()?, arg)));
    options.filter(|(name, _)| !TYPED_ONLY.contains(name))
}

fn argument<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    options(command).find(|(long, _)| *long == name).map(|(_, arg)| arg)
}

fn is_switch(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
}

/// Returns true if an option may have a value, or none.
fn is_optional(arg: &Arg) -> bool {
    arg.get_num_args().is_some_and(|number| number.min_values() == 0 && number.takes_values())
}

/// Returns true if an argument is typed.
fn is_typed(typed: &ArgMatches, arg: &Arg) -> bool {
    let id = arg.get_id().as_str();
    typed.try_contains_id(id).unwrap_or(false)
        && typed.value_source(id) == Some(ValueSource::CommandLine)
}

/// Returns the values of an option, as they are typed; none for a switch that is off.
fn values(setting: &Setting, arg: &Arg) -> Result<Vec<String>, Error> {
    let Setting { name, value, source, .. } = setting;
    let expected = |expected: &str| {
        Err(wrong(source, &format!("cannot use this value of {name}; expected {expected}")))
    };
    match value {
        SettingValue::Switch(false) if is_switch(arg) || is_optional(arg) => Ok(Vec::new()),
        SettingValue::Switch(true) if is_switch(arg) => Ok(vec!["true".to_owned()]),
        // Without a value, an option has the first one.
        SettingValue::Switch(true) if is_optional(arg) => {
            let first = arg.get_possible_values().into_iter().next();
            Ok(first.iter().map(|value| value.get_name().to_owned()).collect())
        }
        SettingValue::Switch(_) => expected("a string or a number"),
        SettingValue::Text(_) if is_switch(arg) => expected("true or false"),
        SettingValue::Text(values)
            if values.len() > 1 && !matches!(arg.get_action(), ArgAction::Append) =>
        {
            expected("one value")
        }
        SettingValue::Text(values) => Ok(values.clone()),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args;

    #[test]
    fn each_option_that_is_only_typed_exists() {
        let root = args::command();
        // `--manifest` and `--report` are of other crates' features; `help` is clap's.
        for name in TYPED_ONLY {
            let has =
                |command: &Command| command.get_arguments().any(|arg| arg.get_long() == Some(name));
            let is_known = name == "help" || has(&root) || root.get_subcommands().any(has);
            assert!(is_known || ["manifest", "report"].contains(&name), "{name}");
        }
    }
}
