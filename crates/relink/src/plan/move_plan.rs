//! The roots of a move: old and new URLs, checked before the first file is opened.

use std::path::Path;

use basectx::{BadRetrieval, RetrievalUrl};
use rewrite::{Conflict, PrefixMap, TargetMap};
use urlcore::local::{LocalError, PathStyle, url_of};
use urlcore::scheme::{Relativity, is_reserved, relativity};
use urlcore::{Dialect, Reference};

use crate::events::Severity;
use crate::os::messages::url_suggestion;
use crate::os::option_names::{Text, texts};
use crate::os::paths::Root;
use crate::plan::options::{MoveOptions, aliases};
use crate::urls::url_mapping::{error, page};

/// Schemes without trees, besides those for which the specifications say so.
const WITHOUT_TREES: [&str; 11] = [
    "about",
    "blob",
    "cid",
    "data",
    "geo",
    "javascript",
    "mid",
    "sms",
    "tel",
    "urn",
    "view-source",
];

/// A move that is not possible.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MoveError {
    /// Nothing moves.
    NoMove,
    /// There is an alias, and nothing of which it is one.
    AliasWithoutMove,
    /// The old and the new URL are this one.
    SameUrl(String),
    /// The URL of a root is invalid.
    Root {
        /// `--from`, `--to` or `--same-as`.
        option: &'static str,
        /// The URL.
        url: String,
        /// The reason.
        reason: RootError,
    },
    /// The value of `--drive` is not a letter and a share.
    Drive(String),
    /// Two moves exclude each other.
    Conflict {
        /// The old URL.
        from: String,
        /// The new URL.
        to: String,
        /// The other move.
        conflict: Conflict,
    },
    /// An old URL is one of the web archive that the run unwraps.
    Wrapped {
        /// The old URL.
        from: String,
        /// The archived URL.
        inner: String,
    },
}

texts!(MoveError {
    MoveError::NoMove => "no move is set; the old and the new URL are unknown; use `--from URL` and `--to URL` to set them";
    MoveError::AliasWithoutMove => "cannot use --same-as without --from; it declares an alias of the URL at --from; use `--from URL` to set that URL";
    MoveError::SameUrl(url) => "--from and --to are both {}; nothing would move; use two URLs", url;
    MoveError::Root { option, url, reason } => "invalid value '{}' for {}; {}", url, Text(option), reason;
    MoveError::Drive(drive) => "invalid value '{}' for --drive; it is not the letter of a drive and a share; use a value such as S:=\\\\server\\share", drive;
    MoveError::Conflict { from, to, conflict } => "--from {} cannot move to {}; {}; remove one", from, to, conflict;
    MoveError::Wrapped { from, inner } => "invalid value '{}' for --from; --unwrap reads it as {}; use that URL", from, inner;
});

/// The reason why a URL cannot be a root of a move.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RootError {
    /// It is empty.
    #[error("the URL is empty")]
    Empty,
    /// It has no scheme. The field is a suggestion, or empty.
    #[error("not an absolute URL: it has no scheme{0}")]
    NoScheme(String),
    /// It is a path that has no URL.
    #[error("{0}")]
    Path(#[source] LocalError),
    /// It is a path with the letter of a drive; the path with `/`.
    #[error("it is a path; did you mean file:///{0}?")]
    Drive(String),
    /// URLs of its scheme have no directories.
    #[error("URLs of the scheme {0} have no directories")]
    Scheme(String),
    /// It is invalid. The second field is a suggestion, or empty.
    #[error("{0}{1}")]
    Url(#[source] BadRetrieval, String),
    /// It is the URL of a page; that of its directory.
    #[error("{}", error::instead(.0))]
    Page(String),
}

/// The move of a run.
#[derive(Debug)]
pub struct Moving {
    /// The old and new URLs of the roots.
    pub moves: PrefixMap,
    /// The pairs as interpreted, in their order.
    pub pairs: Vec<(String, String)>,
    /// The aliases of the first old URL, as interpreted.
    pub same_as: Vec<String>,
    /// Messages for the user about them.
    pub notes: Vec<(Severity, String)>,
}

impl Moving {
    /// Creates the move from the options.
    ///
    /// # Errors
    ///
    /// [`MoveError`] if it is not possible.
    pub fn new(options: &MoveOptions) -> Result<Self, MoveError> {
        let has_renames = !options.renames.is_empty() || options.fix;
        if options.from.is_empty() && options.unwrap.is_none() && !has_renames {
            return Err(MoveError::NoMove);
        }
        if options.from.is_empty() && !options.same_as.is_empty() && !has_renames {
            return Err(MoveError::AliasWithoutMove);
        }
        let mut notes = Vec::new();
        let mut moves = PrefixMap::default();
        for typed in &options.drive {
            let (letter, share) = drive(typed).ok_or_else(|| MoveError::Drive(typed.clone()))?;
            moves.add_drive(letter, &share);
        }
        let mut pairs = Vec::with_capacity(options.from.len());
        let root = |option, typed: &str, notes: &mut Vec<_>| {
            let url = root(option, typed, &options.index, &moves)?;
            if url != typed {
                let note = format!("note: {option} {typed} is read as the directory {url}");
                notes.push((Severity::Note, note));
            }
            Ok::<_, MoveError>(url)
        };
        for (from, typed) in options.from.iter().zip(&options.to) {
            let from = root("--from", from, &mut notes)?;
            let to = root("--to", typed, &mut notes)?;
            if from == to {
                return Err(MoveError::SameUrl(from));
            }
            if let Some(host) = file_host(&to).filter(|_| !typed.contains('\\')) {
                notes.push((Severity::Warning, format!(
                    "warning: --to {to} is on the file server {host}; only file URLs without a host are on this machine; use `--to file:///…` if this machine is meant"
                )));
            }
            if has_password(&to) {
                notes.push((Severity::Warning, format!(
                    "warning: the password in --to {to} will be written into the documents; absolute references contain the new URL; use a URL without a password to avoid it"
                )));
            }
            pairs.push((from, to));
        }
        let same_as: Vec<String> = (aliases(&options.same_as).iter())
            .map(|url| root("--same-as", url, &mut notes))
            .collect::<Result<_, _>>()?;
        for (idx, (from, to)) in pairs.iter().enumerate() {
            let names = if idx == 0 { same_as.clone() } else { Vec::new() };
            moves.add(from, to, names).map_err(|conflict| {
                let (from, to) = (from.clone(), to.clone());
                MoveError::Conflict { from, to, conflict }
            })?;
        }
        if options.unwrap.is_some() {
            let mut archive = PrefixMap::default();
            archive.unwrap_archive();
            let is_wrapped = |(from, _): &&(String, String)| archive.url(from) != *from;
            if let Some((from, _)) = pairs.iter().find(is_wrapped) {
                let inner = archive.url(from);
                return Err(MoveError::Wrapped { from: from.clone(), inner });
            }
            moves.unwrap_archive();
        }
        Ok(Moving { moves, pairs, same_as, notes })
    }
}

/// Returns the URL of the only PATH, if no other option gives it: the first root, or a file in it.
/// Also returns a message for the user.
pub fn place(pairs: &[(String, String)], path: &Path) -> Option<(String, String)> {
    let (from, _) = pairs.first()?;
    if path.as_os_str() != "-" && !path.exists() {
        return None;
    }
    let root = Root::new(path.to_owned());
    let url = match &root {
        Root::Stdin => from.clone(),
        Root::Path { real, .. } if real.is_dir() => from.clone(),
        Root::Path { .. } => {
            let directory = RetrievalUrl::from_directory(from).ok()?;
            directory.join([root.name().as_os_str().as_encoded_bytes()])
        }
    };
    let (name, noun) = match &root {
        Root::Stdin => ("standard input".to_owned(), "document"),
        Root::Path { typed, real, .. } => {
            (typed.display().to_string(), if real.is_dir() { "tree" } else { "document" })
        }
    };
    let note = format!(
        "note: {name} is read as the {noun} at {url} (--from); use `--base URL` if it is elsewhere"
    );
    Some((url, note))
}

/// Returns the URL of a root, with a slash at its end.
fn root(
    option: &'static str,
    typed: &str,
    index: &[String],
    moves: &PrefixMap,
) -> Result<String, MoveError> {
    let on_share = |url: &str| moves.windows()?.on_share(url);
    let wrong = |reason| Err(MoveError::Root { option, url: typed.to_owned(), reason });
    if typed.trim().is_empty() {
        return wrong(RootError::Empty);
    }
    let path = match url_of(typed.as_bytes(), PathStyle::Windows) {
        Ok(url) if typed.starts_with("\\\\") => Some(url),
        Err(error) if typed.starts_with("\\\\") => return wrong(RootError::Path(error)),
        url => url.ok().filter(|url| on_share(url).is_some()),
    };
    let typed_path = path.as_deref().unwrap_or(typed);
    let Some(scheme) = Reference::split(typed_path, Dialect::Web).scheme() else {
        return wrong(RootError::NoScheme(url_suggestion(typed)));
    };
    if scheme.len() == 1 {
        return wrong(RootError::Drive(typed.replace('\\', "/")));
    }
    let is_without = relativity(scheme) == Some(Relativity::Never)
        || is_reserved(scheme)
        || WITHOUT_TREES.iter().any(|name| name.eq_ignore_ascii_case(scheme));
    if is_without {
        return wrong(RootError::Scheme(scheme.to_owned()));
    }
    let directory = page::without_index(typed_path, index).unwrap_or(typed_path);
    let url = match RetrievalUrl::from_directory(directory) {
        Ok(url) => url,
        Err(error) => return wrong(RootError::Url(error, url_suggestion(typed))),
    };
    if directory == typed_path && page::is_page(typed_path) {
        return wrong(RootError::Page(page::directory(typed_path).to_owned()));
    }
    Ok(on_share(url.as_str()).unwrap_or_else(|| url.as_str().to_owned()))
}

/// Returns the letter of `S:=\\server\share` and the URL of the share.
fn drive(typed: &str) -> Option<(char, String)> {
    let (drive, share) = typed.split_once('=')?;
    let (letter, "") = drive.split_once(':')? else { return None };
    let mut letters = letter.chars().filter(char::is_ascii_alphabetic);
    let letter = letters.next().filter(|_| letter.len() == 1)?;
    let url = url_of(share.as_bytes(), PathStyle::Windows).unwrap_or_else(|_| share.to_owned());
    let url = RetrievalUrl::from_directory(&url).ok()?.as_str().to_owned();
    file_host(&url).is_some().then_some((letter, url))
}

/// Returns the file server that a URL names.
fn file_host(url: &str) -> Option<&str> {
    let reference = Reference::split(url, Dialect::Web);
    let is_file = reference.scheme()?.eq_ignore_ascii_case("file");
    reference.authority().filter(|host| is_file && !host.is_empty() && *host != "localhost")
}

/// Returns true if a URL has a password.
pub(crate) fn has_password(url: &str) -> bool {
    let authority = Reference::split(url, Dialect::Web).authority().unwrap_or_default();
    let user = authority.rfind('@').map_or("", |at| &authority[..at]);
    user.contains(':')
}
