//! The errors of the URLs of a tree: `--base`, `--map` and the hosts of a mirror.

use std::fmt;
use std::io;
use std::path::PathBuf;

use basectx::BadRetrieval;

use super::page;
use crate::os::messages::{self, invalid_value, url_suggestion};

/// The reason why a URL cannot be that of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlaceError {
    /// The URL is invalid.
    Url(BadRetrieval),
    /// It is a path with the letter of a drive; the path with `/`.
    Drive(String),
    /// It is the URL of a page; that of its directory.
    Page(String),
    /// The path has another URL; both as `PATH=URL`.
    TwoUrls {
        /// The place that was given first.
        first: String,
        /// The other one.
        second: String,
    },
}

impl fmt::Display for PlaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceError::Url(error) => error.fmt(f),
            PlaceError::Drive(path) => write!(f, "it is a path; did you mean file:///{path}?"),
            PlaceError::Page(directory) => f.write_str(&page::instead(directory)),
            PlaceError::TwoUrls { first, second } => {
                write!(f, "{first} and {second} are two URLs of one path; remove one")
            }
        }
    }
}

/// An error of the URLs of a tree.
#[derive(Debug)]
#[non_exhaustive]
pub enum MappingError {
    /// The URL of the only PATH (`--base`) is invalid.
    Base {
        /// The URL.
        url: String,
        /// The reason.
        reason: PlaceError,
    },
    /// There is one URL, and there are several PATHs.
    BaseOfSeveral,
    /// A value of `--map` is not `PATH=URL`.
    MapSyntax {
        /// The value.
        map: String,
    },
    /// A value of `--map` is of a path that is not in the tree.
    MapOutside {
        /// The value.
        map: String,
        /// The path.
        path: PathBuf,
    },
    /// The URL in a value of `--map` is invalid.
    Map {
        /// The value.
        map: String,
        /// The reason.
        reason: PlaceError,
    },
    /// The directories of a mirror of several hosts cannot be listed.
    ListHosts {
        /// The mirror.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// A directory of a mirror cannot have the URL of its host.
    Host {
        /// The mirror.
        path: PathBuf,
        /// The reason.
        reason: PlaceError,
    },
    /// The path is the directory of one host.
    OneHost {
        /// The path.
        path: PathBuf,
    },
    /// No directory has the name of a host.
    NoHost {
        /// The path.
        path: PathBuf,
    },
    /// Two paths would have the same URL.
    Overlap {
        /// The outer place, as `PATH=URL`.
        first: String,
        /// The inner one.
        second: String,
        /// The URL.
        url: String,
    },
}

impl MappingError {
    /// Returns true if the message begins with a path.
    pub(crate) fn is_about_path(&self) -> bool {
        use MappingError::{Host, ListHosts, NoHost, OneHost};
        matches!(self, Host { .. } | ListHosts { .. } | NoHost { .. } | OneHost { .. })
    }
}

impl fmt::Display for MappingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_map = |map, reason: fmt::Arguments<'_>| invalid_value("--map", map, reason);
        f.write_str(&match self {
            MappingError::Base { url, reason: reason @ PlaceError::Url(_) } => {
                invalid_value("--base", url, format_args!("{reason}{}", url_suggestion(url)))
            }
            MappingError::Base { url, reason } => invalid_value("--base", url, reason),
            MappingError::BaseOfSeveral => "cannot use --base with several PATHs; it is the URL of one PATH; use `--map PATH=URL` for each PATH".to_owned(),
            MappingError::MapSyntax { map } => {
                of_map(map, format_args!("expected PATH=URL with an absolute URL"))
            }
            MappingError::MapOutside { map, path } => {
                of_map(map, format_args!("{} is not in any PATH of this run", path.display()))
            }
            MappingError::Map { map, reason } => of_map(map, format_args!("{reason}")),
            MappingError::ListHosts { path, error } => messages::of_path(
                path,
                &format!(
                    "cannot list the hosts of the mirror; {}; use the directory that contains the directories of the hosts, or `--base URL`",
                    messages::reason(error)
                ),
            ),
            MappingError::Host { path, reason } => messages::of_path(path, &reason.to_string()),
            MappingError::OneHost { path } => messages::of_path(
                path,
                "cannot find the hosts of the mirror; it has the name of one host; use the directory that contains it, or `--base URL`",
            ),
            MappingError::NoHost { path } => messages::of_path(
                path,
                "cannot find the hosts of the mirror; no directory in it has the name of a host; use `--base URL` for the mirror of one host",
            ),
            MappingError::Overlap { first, second, url } => format!(
                "{first} and {second} overlap; two paths would have the URL {url}; use other URLs"
            ),
        })
    }
}

impl std::error::Error for MappingError {}
