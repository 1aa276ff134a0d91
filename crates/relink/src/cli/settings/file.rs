//! Reading a configuration file: TOML with the names of the options, and a table for each command.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{PREFIX, Setting};
use crate::os::failure::Failure;
use crate::plan::exit::Error;

/// The maximum length of a configuration file, in bytes.
const LONGEST: u64 = 1 << 20;

/// The value of an option.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValue {
    /// `true` or `false`.
    Switch(bool),
    /// A string or a number, or several.
    Text(Vec<String>),
}

/// Reads the options in a configuration file, sorted by their names.
///
/// # Errors
///
/// [`Error::Path`] and [`Error::Usage`] if it cannot be read, or is not such a file.
pub fn read(path: &Path) -> Result<Vec<Setting>, Error> {
    let failed = Failure::reading(path);
    let file = File::open(path).map_err(&failed)?;
    let mut text = String::new();
    file.take(LONGEST + 1).read_to_string(&mut text).map_err(&failed)?;
    if text.len() as u64 > LONGEST {
        return Err(Error::at(path, "cannot use this configuration; it is longer than 1 MiB"));
    }
    let settings = settings(&text, &path.display().to_string());
    settings.map_err(|(place, reason)| wrong(&place, &reason))
}

/// A place in a file, and what is wrong there.
type SettingFault = (String, String);

/// Returns the options in a text.
fn settings(text: &str, name: &str) -> Result<Vec<Setting>, SettingFault> {
    let place = |at: usize| {
        let before = text.get(..at).unwrap_or(text);
        format!("{name}:{}", before.matches('\n').count() + 1)
    };
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        (place(at), format!("cannot be read as TOML; {}", error.message()))
    })?;
    let mut settings = Vec::new();
    for (key, value) in table.get_ref() {
        match value.get_ref() {
            DeValue::Table(table) => {
                for (inner, value) in table {
                    let command = Some(key.get_ref().to_string());
                    settings.push(setting(
                        command,
                        inner.get_ref(),
                        value,
                        place(inner.span().start),
                    )?);
                }
            }
            _ => settings.push(setting(None, key.get_ref(), value, place(key.span().start))?),
        }
    }
    Ok(settings)
}

fn setting(
    command: Option<String>,
    name: &str,
    value: &Spanned<DeValue<'_>>,
    source: String,
) -> Result<Setting, SettingFault> {
    let value = match value.get_ref() {
        DeValue::Boolean(is_set) => Some(SettingValue::Switch(*is_set)),
        DeValue::Array(values) => {
            let values: Option<Vec<String>> =
                values.iter().map(|value| text(value.get_ref())).collect();
            values.map(SettingValue::Text)
        }
        value => text(value).map(|value| SettingValue::Text(vec![value])),
    };
    let Some(value) = value else {
        let reason = format!(
            "cannot use this value of {name}; expected a string, a number, true, false, or a list of strings"
        );
        return Err((source, reason));
    };
    Ok(Setting { command, name: name.to_owned(), value, source })
}

fn text(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the error about an option that is not typed.
pub(super) fn wrong(source: &str, reason: &str) -> Error {
    if source.starts_with(PREFIX) {
        Error::Usage(format!("{source}: {reason}"))
    } else {
        Error::at(Path::new(source), reason)
    }
}

// The place of the configuration of a user: a pure function of the system and its variables.

/// A kind of system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux, BSD and other Unix systems.
    Xdg,
    /// macOS.
    Apple,
    /// Windows.
    Windows,
}

/// The kind of this system.
pub const SYSTEM: System = match () {
    () if cfg!(windows) => System::Windows,
    () if cfg!(target_os = "macos") => System::Apple,
    () => System::Xdg,
};

/// Returns the configuration file of a user: `relink/config.toml` in the directory that the system
/// has for such files (XDG Base Directory Specification; File System Programming Guide of Apple;
/// known folder `RoamingAppData` of Windows). `None` without a home directory.
pub fn of_user(system: System, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let directory = |name| variable(name).map(PathBuf::from).filter(|path| path.has_root());
    let configurations = match system {
        System::Xdg => directory("XDG_CONFIG_HOME")
            .or_else(|| directory("HOME").map(|home| home.join(".config"))),
        System::Apple => {
            directory("HOME").map(|home| home.join("Library").join("Application Support"))
        }
        System::Windows => variable("APPDATA").filter(|path| !path.is_empty()).map(PathBuf::from),
    };
    configurations.map(|directory| directory.join("relink").join("config.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_values_and_places() {
        let text = "also = [\"markdown\", \"lazy\"]\njobs = 4\n\n[check]\nfragments = true\n";
        let settings = settings(text, "c").unwrap();
        let shown: Vec<(&str, &str)> =
            settings.iter().map(|setting| (&*setting.name, &*setting.source)).collect();
        assert_eq!(shown, [("also", "c:1"), ("fragments", "c:5"), ("jobs", "c:2")]);
        assert_eq!(settings[0].value, SettingValue::Text(vec!["markdown".into(), "lazy".into()]));
        assert_eq!(settings[2].value, SettingValue::Text(vec!["4".into()]));
        assert_eq!(settings[1].command.as_deref(), Some("check"));
    }

    #[test]
    fn other_texts_are_refused() {
        for (text, message) in [
            ("a = ", "c:1: cannot be read as TOML; "),
            ("a = 1\na = 2", "c:2: cannot be read as TOML; "),
            ("\na = 1979-05-27", "c:2: cannot use this value of a; expected a string"),
            ("[a]\nb = {c = 1}", "c:2: cannot use this value of b; expected a string"),
            ("a = [[1]]", "c:1: cannot use this value of a; expected a string"),
        ] {
            let (place, reason) = settings(text, "c").unwrap_err();
            let error = format!("{place}: {reason}");
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }

    #[test]
    fn each_system_has_its_place() {
        let of = |system, variables: &[(&str, &str)]| {
            let variable = |name: &str| {
                variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into())
            };
            of_user(system, variable).map(|path| path.to_string_lossy().replace('\\', "/"))
        };
        let home = ("HOME", "/home/me");
        assert_eq!(of(System::Xdg, &[home]).unwrap(), "/home/me/.config/relink/config.toml");
        assert_eq!(
            of(System::Xdg, &[home, ("XDG_CONFIG_HOME", "/c")]).unwrap(),
            "/c/relink/config.toml"
        );
        // A relative path is invalid, and is ignored.
        assert_eq!(
            of(System::Xdg, &[home, ("XDG_CONFIG_HOME", "c")]).unwrap(),
            "/home/me/.config/relink/config.toml"
        );
        assert_eq!(
            of(System::Apple, &[home]).unwrap(),
            "/home/me/Library/Application Support/relink/config.toml"
        );
        assert_eq!(
            of(System::Windows, &[("APPDATA", r"C:\Users\me\AppData\Roaming")]).unwrap(),
            "C:/Users/me/AppData/Roaming/relink/config.toml"
        );
        assert_eq!(of(System::Xdg, &[]), None);
    }
}
