//! The errors of the URLs of a tree: `--base`, `--map` and the hosts of a mirror.

use std::io;
use std::path::PathBuf;

use basectx::BadRetrieval;

use crate::os::messages::{self, url_suggestion};
use crate::os::option_names::texts;

/// The reason why a URL cannot be that of a path.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlaceError {
    /// The URL is invalid.
    #[error(transparent)]
    Url(BadRetrieval),
    /// It is a path with the letter of a drive; the path with `/`.
    #[error("it is a path; did you mean file:///{0}?")]
    Drive(String),
    /// It is the URL of a page; that of its directory.
    #[error("{}", instead(.0))]
    Page(String),
    /// The path has another URL; both as `PATH=URL`.
    #[error("{first} and {second} are two URLs of one path; remove one")]
    TwoUrls {
        /// The place that was given first.
        first: String,
        /// The other one.
        second: String,
    },
}

/// An error of the URLs of a tree.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MappingError {
    /// The URL of the only PATH (`--base`) is invalid.
    Base {
        /// The URL.
        url: String,
        /// The reason.
        #[source]
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
        #[source]
        reason: PlaceError,
    },
    /// The directories of a mirror of several hosts cannot be listed.
    ListHosts {
        /// The mirror.
        path: PathBuf,
        /// The error.
        #[source]
        error: io::Error,
    },
    /// A directory of a mirror cannot have the URL of its host.
    Host {
        /// The mirror.
        path: PathBuf,
        /// The reason.
        #[source]
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

texts!(MappingError {
    MappingError::Base { url, reason } => "invalid value '{}' for --base; {}", url, of_base(url, reason);
    MappingError::BaseOfSeveral => "cannot use --base with several PATHs; it is the URL of one PATH; use `--map PATH=URL` for each PATH";
    MappingError::MapSyntax { map } => "invalid value '{}' for --map; expected PATH=URL with an absolute URL", map;
    MappingError::MapOutside { map, path } => "invalid value '{}' for --map; {} is not in any PATH of this run", map, path.display();
    MappingError::Map { map, reason } => "invalid value '{}' for --map; {}", map, reason;
    MappingError::ListHosts { path, error } => "{}: cannot list the hosts of the mirror; {}; use the directory that contains the directories of the hosts, or `--base URL`", path.display(), messages::reason(error);
    MappingError::Host { path, reason } => "{}: {}", path.display(), reason;
    MappingError::OneHost { path } => "{}: cannot find the hosts of the mirror; it has the name of one host; use the directory that contains it, or `--base URL`", path.display();
    MappingError::NoHost { path } => "{}: cannot find the hosts of the mirror; no directory in it has the name of a host; use `--base URL` for the mirror of one host", path.display();
    MappingError::Overlap { first, second, url } => "{} and {} overlap; two paths would have the URL {}; use other URLs", first, second, url;
});

impl MappingError {
    /// Returns true if the message begins with a path.
    pub(crate) fn is_about_path(&self) -> bool {
        use MappingError::{Host, ListHosts, NoHost, OneHost};
        matches!(self, Host { .. } | ListHosts { .. } | NoHost { .. } | OneHost { .. })
    }
}

/// Returns the reason why the URL of the only PATH is invalid, with a suggestion if there is one.
fn of_base(url: &str, reason: &PlaceError) -> String {
    match reason {
        PlaceError::Url(_) => format!("{reason}{}", url_suggestion(url)),
        reason => reason.to_string(),
    }
}

/// Returns the reason why the URL of a page is refused.
pub fn instead(directory: &str) -> String {
    format!("it looks like the URL of a page; use the URL of its directory, {directory}")
}
