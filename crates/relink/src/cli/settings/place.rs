//! The place of the configuration of a user: a pure function of the system and its variables.

use std::ffi::OsString;
use std::path::PathBuf;

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
