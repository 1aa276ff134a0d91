//! Arguments of the commands of `relink url` for names of files and for data: `from-path`, `to-path`,
//! `escape`, `unescape`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};
use urlcore::Dialect;
use urlcore::escape::Component;
use urlcore::local::PathStyle;

/// A kind of system, by how it writes paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum System {
    /// Names of any octets, with slashes between them
    Unix,
    /// Drive letters, shares and backslashes
    Windows,
}

impl System {
    /// The kind of system that the program runs on.
    const HERE: System = if cfg!(windows) { System::Windows } else { System::Unix };
}

impl From<System> for PathStyle {
    fn from(system: System) -> Self {
        match system {
            System::Unix => PathStyle::Unix,
            System::Windows => PathStyle::Windows,
        }
    }
}

/// Arguments of `url from-path`.
#[derive(Debug, Args)]
pub struct FromPathArgs {
    /// An absolute path
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub path: Option<OsString>,

    /// One line or many, and the system.
    #[command(flatten)]
    pub input: SystemArgs,
}

/// Arguments of `url to-path`.
#[derive(Debug, Args)]
pub struct ToPathArgs {
    /// A URL of a file
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub url: Option<String>,

    /// One line or many, and the system.
    #[command(flatten)]
    pub input: SystemArgs,
}

/// Where the input of `from-path` and `to-path` comes from, and how paths are written.
#[derive(Debug, Args)]
pub struct SystemArgs {
    /// Read lines from standard input, and print an answer for each
    #[arg(long)]
    pub batch: bool,

    /// How paths are written [default: as on this system]
    #[arg(long, value_enum, value_name = "unix|windows", hide_possible_values = true, default_value_t = System::HERE, hide_default_value = true)]
    pub system: System,
}

/// Arguments of `url escape`.
#[derive(Debug, Args)]
pub struct EscapeArgs {
    /// The data
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub data: Option<OsString>,

    /// Where the data are, and whether there are many.
    #[command(flatten)]
    pub place: ComponentArgs,

    /// The rules of which characters may be there: web, rfc3986, rfc2396, url-syntax-1996, rfc1808, rfc1808-draft05 or
    /// url-1993
    #[arg(long, value_name = "DIALECT", default_value_t = Dialect::Web)]
    pub dialect: Dialect,
}

/// Arguments of `url unescape`.
#[derive(Debug, Args)]
pub struct UnescapeArgs {
    /// The text with escapes
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub text: Option<OsString>,

    /// Where the text is, and whether there are many.
    #[command(flatten)]
    pub place: ComponentArgs,
}

/// Where the input of `escape` and `unescape` comes from, and where it is in a URL.
#[derive(Debug, Args)]
pub struct ComponentArgs {
    /// Read lines from standard input, and print an answer for each
    #[arg(long)]
    pub batch: bool,

    /// Where the data are: each component has its own delimiters
    #[arg(long, value_name = "user|segment|path|query|fragment", default_value = "segment", value_parser = component)]
    pub component: Component,
}

fn component(name: &str) -> Result<Component, String> {
    let component = Component::ALL.into_iter().find(|(known, _)| *known == name);
    let names = Component::ALL.map(|(name, _)| name).join(", ");
    component.map(|(_, component)| component).ok_or_else(|| format!("expected one of {names}"))
}
