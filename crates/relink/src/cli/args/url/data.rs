//! Arguments of the commands of `relink url` for file names and for data: `from-path`, `to-path`,
//! `escape`, `unescape`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};
use urlcore::Dialect;
use urlcore::escape::Component;
use urlcore::local::PathStyle;

use crate::os::format::ValueError;

/// The syntax of paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PathSyntax {
    /// Names of any bytes, separated by slashes
    Unix,
    /// Drive letters, shares and backslashes
    Windows,
}

impl PathSyntax {
    /// The syntax of the system on which the program runs.
    const HERE: PathSyntax = if cfg!(windows) { PathSyntax::Windows } else { PathSyntax::Unix };
}

impl From<PathSyntax> for PathStyle {
    fn from(system: PathSyntax) -> Self {
        match system {
            PathSyntax::Unix => PathStyle::Unix,
            PathSyntax::Windows => PathStyle::Windows,
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

/// Where the input of `from-path` and `to-path` comes from, and the syntax of paths.
#[derive(Debug, Args)]
pub struct SystemArgs {
    /// Read lines from standard input, and print an answer for each
    #[arg(long)]
    pub batch: bool,

    /// The syntax of paths [default: that of this system]
    ///
    /// unix     names of any bytes, separated by slashes
    /// windows  drive letters, shares and backslashes
    #[arg(
        long,
        value_enum,
        value_name = "unix|windows",
        hide_possible_values = true,
        default_value_t = PathSyntax::HERE,
        hide_default_value = true,
        verbatim_doc_comment
    )]
    pub system: PathSyntax,
}

/// Arguments of `url escape`.
#[derive(Debug, Args)]
pub struct EscapeArgs {
    /// The data
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub data: Option<OsString>,

    /// One line or many, and the component.
    #[command(flatten)]
    pub place: ComponentArgs,

    /// The rules for the characters that are allowed
    ///
    /// web              as browsers do (the URL standard)
    /// rfc3986          RFC 3986 (2005)
    /// rfc2396          RFC 2396 (1998)
    /// url-syntax-1996  the draft "Generic Syntax" of December 1996
    /// rfc1808          RFC 1808 (1995)
    /// rfc1808-draft05  the draft 05 of RFC 1808 (January 1995)
    /// url-1993         the draft "Uniform Resource Locators" of 1993
    #[arg(long, value_name = "DIALECT", default_value_t = Dialect::Web, verbatim_doc_comment)]
    pub dialect: Dialect,
}

/// Arguments of `url unescape`.
#[derive(Debug, Args)]
pub struct UnescapeArgs {
    /// The text with escapes
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    pub text: Option<OsString>,

    /// One line or many, and the component.
    #[command(flatten)]
    pub place: ComponentArgs,
}

/// Where the input of `escape` and `unescape` comes from, and its component.
#[derive(Debug, Args)]
pub struct ComponentArgs {
    /// Read lines from standard input, and print an answer for each
    #[arg(long)]
    pub batch: bool,

    /// The component that contains the data
    ///
    /// user      a user, or a password
    /// segment   a segment of a path
    /// path      a path: slashes stay
    /// query     a query, or a name or value in one
    /// fragment  a fragment
    ///
    /// Each component has its own delimiters.
    #[arg(
        long,
        value_name = "user|segment|path|query|fragment",
        default_value = "segment",
        value_parser = component,
        verbatim_doc_comment
    )]
    pub component: Component,
}

fn component(name: &str) -> Result<Component, ValueError> {
    let component = Component::ALL.into_iter().find(|(known, _)| *known == name);
    let names = Component::ALL.map(|(name, _)| name).join(", ");
    component.map(|(_, component)| component).ok_or(ValueError::Expected(names))
}
