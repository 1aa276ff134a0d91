//! The problems of references into a tree, and references to what HTTrack did not save.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rewrite::{Fetch, Options, Unit, references};
use urlcore::escape::encode_path_segment;
use urlcore::{Dialect, Form, Reference, Resolver, Server, below, clean};

use crate::events::problem_kinds::{self as kinds, ProblemKind};
use crate::events::summary::n;
use crate::os::paths;
use crate::urls::locate::{Located, Locator};

/// A problem of a reference. The correct reference is reported if it is known, and never assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// It is not a URL.
    NoUrl(String),
    /// There is no file.
    NoFile(String),
    /// There is a file whose name has other letter case.
    LetterCase(String),
    /// There is a file whose name contains the escapes, or the query, literally; and the reference
    /// to it, if there is one in the same form.
    Escape(String, Option<String>),
    /// It is a directory without an index file.
    NoIndex(String),
    /// It is relative, and points out of the tree.
    LeavesTree,
    /// It is relative, and points out of a package that nothing relative leads out of.
    LeavesPackage,
    /// It points to a file of this machine.
    ThisMachine,
    /// It is a file URL with this host.
    FileServer(String),
    /// It points to another host because it has no scheme: on a disk, `//host/x` is on a file
    /// server.
    NoScheme,
    /// The file exists, and no element in it has this name.
    NoFragment(String),
    /// It is to a part of its message, which has none with this identifier.
    NoPart(String),
    /// A `<base>` that gives no base.
    NoBase(String),
    /// The page is loaded by `https`, and this resource of it is not. True if browsers request it
    /// by `https` instead.
    MixedContent(bool),
    /// It points to an old place of the tree.
    Stale(String),
    /// It is text that contains an old URL of the tree, and not a reference that relink knows.
    StaleText(String),
    /// A specification warns of it; the sentence.
    Lint(&'static ProblemKind, String),
}

impl Problem {
    /// Returns true if the tree should contain a file and does not.
    pub fn is_missing(&self) -> bool {
        matches!(
            self,
            Problem::NoFile(_) | Problem::LetterCase(_) | Problem::Escape(..) | Problem::NoIndex(_)
        )
    }

    /// Returns true if the problem is a broken reference.
    pub fn is_counted(&self) -> bool {
        !matches!(self, Problem::StaleText(_) | Problem::Lint(..))
    }

    /// Returns what is said of all problems of its kind.
    pub fn kind(&self) -> &'static ProblemKind {
        match self {
            Problem::NoUrl(_) => &kinds::NO_URL,
            Problem::NoFile(_) => &kinds::NO_FILE,
            Problem::LetterCase(_) => &kinds::LETTER_CASE,
            Problem::Escape(..) => &kinds::ESCAPE,
            Problem::NoIndex(_) => &kinds::NO_INDEX,
            Problem::LeavesTree | Problem::LeavesPackage => &kinds::LEAVES_TREE,
            Problem::ThisMachine | Problem::FileServer(_) => &kinds::THIS_MACHINE,
            Problem::NoScheme => &kinds::NO_SCHEME,
            Problem::NoFragment(_) => &kinds::NO_FRAGMENT,
            Problem::NoPart(_) => &kinds::NO_PART,
            Problem::NoBase(_) => &kinds::NO_BASE,
            Problem::MixedContent(_) => &kinds::MIXED_CONTENT,
            Problem::Stale(_) => &kinds::STALE,
            Problem::StaleText(_) => &kinds::STALE_TEXT,
            Problem::Lint(kind, _) => kind,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::NoUrl(reason) | Problem::NoBase(reason) => f.write_str(reason),
            Problem::NoFile(path) => write!(f, "there is no file {path}"),
            Problem::LetterCase(path) => write!(f, "no file has this name; {path} differs in letter case only"),
            Problem::Escape(path, reference) => {
                write!(f, "no file has this name; the file is named {path}; ")?;
                match reference {
                    Some(reference) => write!(f, "write {reference}"),
                    None => f.write_str("escape its name in the reference"),
                }
            }
            Problem::NoIndex(path) if path.is_empty() => {
                f.write_str("the tree itself has no index file")
            }
            Problem::NoIndex(path) => write!(f, "the directory {path} has no index file"),
            Problem::LeavesTree => f.write_str("it points out of the tree"),
            Problem::LeavesPackage => {
                f.write_str("it points out of the package, in which `..` and `/` end")
            }
            Problem::ThisMachine => f.write_str("it points to a file on this machine"),
            Problem::FileServer(host) => write!(
                f,
                "it is a file URL on the server {host}; readers on the web cannot open it"
            ),
            Problem::NoScheme => f.write_str("without a scheme it points to a file server"),
            Problem::NoFragment(name) => write!(f, "no element of its target has the name {name}"),
            Problem::NoPart(id) => write!(f, "no part of the message has the Content-ID <{id}>"),
            Problem::MixedContent(true) => f.write_str(
                "the page is loaded by https, and this image, audio or video by http; browsers load it by https instead",
            ),
            Problem::MixedContent(false) => {
                f.write_str("the page is loaded by https, and this resource by http; browsers block it")
            }
            Problem::Stale(root) => write!(f, "it points to the old URL {root}"),
            Problem::StaleText(root) => {
                write!(f, "it contains the old URL {root}, and is not a reference that relink knows")
            }
            Problem::Lint(kind, reason) => {
                write!(f, "{reason} ({}, {})", kind.name, kind.source.unwrap_or_default())
            }
        }
    }
}

/// The file that a reference points to, if it is in the tree, or the problem.
pub type Found = Result<Option<(usize, Arc<[u8]>)>, Problem>;

/// Returns the file that a reference points to, if it is in the tree, or the problem.
///
/// `text` is the reference, `target` its target, and `base` its base. For a target that is never
/// fetched itself, only its place in the tree is checked, not the existence of an index file.
/// `has_url` is true if the URL of the tree is given: a tree at `file:///x/` contains everything
/// below that.
pub fn examine(
    text: &str,
    target: &str,
    base: Option<&str>,
    is_unfetched: bool,
    has_url: bool,
    dialect: Dialect,
    locator: &Locator,
) -> Found {
    let text = clean(text, dialect);
    let form = || Reference::split(&text, dialect).form();
    let authority = || Reference::split(target, dialect).authority();
    let is_on_disk = || base.is_some_and(|base| scheme(base).eq_ignore_ascii_case("file"));
    let of_target = scheme(target);
    let is_file = of_target.eq_ignore_ascii_case("file");
    // To a browser, `C:\x` has a scheme; to its author, it has a drive.
    let is_drive =
        of_target.len() == 1 && text.get(2..).is_some_and(|rest| rest.starts_with(['/', '\\']));
    let is_own = || has_url && locator.knows(target);
    let is_alien = || is_file && !is_own() && (!is_on_disk() || form() == Form::Absolute);
    if is_drive || is_alien() {
        let host = authority().map(|authority| Server::split(authority).host);
        let host = host.filter(|host| !is_drive && !host.is_empty() && *host != "localhost");
        return Err(match host {
            Some(host) => Problem::FileServer(host.to_owned()),
            None => Problem::ThisMachine,
        });
    }
    let has_host = || authority().is_some_and(|host| !host.is_empty());
    if is_file && form() == Form::NetworkPath && has_host() && !is_own() {
        return Err(Problem::NoScheme);
    }
    if is_leftover(target) {
        let reason = "no server has the host `.`; HTTrack writes it for pages that it did not save";
        return Err(Problem::NoUrl(reason.to_owned()));
    }
    let of_twin = || match locator.of_twin(target, false) {
        Some(Located::File { root, path, .. }) => Some((root, path)),
        _ => None,
    };
    match locator.locate(target, false) {
        Located::File { root, path, .. } => Ok(Some((root, path))),
        Located::Directory { .. } | Located::Missing { .. } if is_unfetched => Ok(None),
        Located::Directory { path: directory, .. } => match of_twin() {
            None => Err(Problem::NoIndex(paths::shown(&directory))),
            twin => Ok(twin),
        },
        Located::Missing { root, path: missing } => {
            // Another file with a similar name does not matter then.
            if let Some(twin) = of_twin() {
                return Ok(Some(twin));
            }
            let other = locator.files.in_other_case(root, &missing);
            match (other, locator.locate(target, true)) {
                (Some(other), _) => Err(Problem::LetterCase(paths::shown(other))),
                (_, Located::File { root, path, keeps_query }) => {
                    let reference = escaped(&text, &path, keeps_query);
                    let target = base
                        .and_then(|base| Resolver::new(base, dialect).ok())
                        .and_then(|base| base.resolve(&reference).ok()?.url());
                    let found = target.map(|target| locator.locate(&target, false));
                    let is_right = matches!(
                        found,
                        Some(Located::File { root: in_root, path: found, .. })
                            if (in_root, &found) == (root, &path)
                    );
                    let reference = Some(reference).filter(|_| is_right);
                    Err(Problem::Escape(paths::shown(&path), reference))
                }
                _ => Err(Problem::NoFile(paths::shown(&missing))),
            }
        }
        Located::Outside if matches!(form(), Form::Absolute | Form::NetworkPath) => Ok(of_twin()),
        Located::Outside
            if base
                .is_some_and(|base| locator.knows(base) && is_same_site(base, target, dialect)) =>
        {
            Err(Problem::LeavesTree)
        }
        Located::Outside => Ok(None),
    }
}

/// Returns a reference to the file at `path` in the form of `text`: the segments that name it are
/// escaped.
fn escaped(text: &str, path: &[u8], keeps_query: bool) -> String {
    let (before, fragment) = text.split_at(text.find('#').unwrap_or(text.len()));
    let (before, query) = before.split_at(before.find('?').unwrap_or(before.len()));
    let mut segments: Vec<Cow<'_, str>> = before.split('/').map(Cow::Borrowed).collect();
    for (segment, name) in segments.iter_mut().rev().zip(path.rsplit(|byte| *byte == b'/')) {
        if matches!(&**segment, "" | "." | "..") {
            break;
        }
        let mut written = String::new();
        encode_path_segment(name, &mut written);
        *segment = written.into();
    }
    let query = if keeps_query { query } else { "" };
    format!("{}{query}{fragment}", segments.join("/"))
}

/// Returns true if a URL has the scheme `http`.
pub fn is_insecure(url: &str) -> bool {
    url.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("http:"))
}

/// Returns a problem if `target`, loaded by a page at `https`, is mixed content: W3C Mixed Content,
/// sections 4.1 and 4.4. Resources on this machine are trusted (Secure Contexts, section 3.1).
pub fn mixed(target: &str, fetch: impl FnOnce() -> Fetch) -> Option<Problem> {
    // Most targets have another scheme.
    if !is_insecure(target) {
        return None;
    }
    let fetch = fetch();
    if fetch == Fetch::Never {
        return None;
    }
    let authority = Reference::split(target, Dialect::Web).authority()?;
    let host = Server::split(authority).host.to_ascii_lowercase();
    let name = host.strip_suffix('.').unwrap_or(&host);
    let literal = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let v6: Option<Ipv6Addr> = literal.and_then(|host| host.parse().ok());
    let v4: Option<Ipv4Addr> = name.parse().ok();
    let is_this_machine = name == "localhost"
        || name.ends_with(".localhost")
        || v4.is_some_and(|address| address.is_loopback())
        || v6.is_some_and(|address| address.is_loopback());
    // An address has no certificate: it is not upgraded.
    let is_upgraded = fetch == Fetch::Upgradeable && v4.is_none() && v6.is_none();
    (!is_this_machine).then_some(Problem::MixedContent(is_upgraded))
}

/// Returns true if a base and a target are on the same host.
fn is_same_site(base: &str, target: &str, dialect: Dialect) -> bool {
    let reference = Reference::split(base, dialect);
    let end = base.find(['?', '#']).unwrap_or(base.len()) - reference.path().len();
    below(&format!("{}/", &base[..end]), target, dialect).is_some()
}

/// Returns the scheme of an absolute URL.
pub fn scheme(url: &str) -> &str {
    url.split_once(':').map_or("", |(scheme, _)| scheme)
}

/// Returns the fragment of a target in the forms that may be written in the document: itself, and
/// with its escapes decoded. Returns `None` if it is valid in any document.
pub fn fragment(target: &str) -> Option<(&str, Cow<'_, str>)> {
    let (_, fragment) = target.split_once('#')?;
    // HTML 7.4.6.4, "find a potential indicated element"; and text fragments, which need no
    // element.
    let fragment = fragment.split(":~:").next().unwrap_or_default();
    if fragment.is_empty() || fragment.eq_ignore_ascii_case("top") {
        return None;
    }
    let decoded = urlcore::escape::percent_decode(fragment);
    let decoded = match decoded {
        Cow::Borrowed(_) => Cow::Borrowed(fragment),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    };
    Some((fragment, decoded))
}

// References to URLs whose host is a dot: HTTrack writes them for pages that it did not save. No
// command can correct them, so they become a hint.

/// The URLs of this kind in the documents of a tree, without their fragments.
#[derive(Debug, Default)]
pub struct Leftovers(Mutex<BTreeSet<String>>);

impl Leftovers {
    /// Searches a document, which has [`Sign::DotHost`](crate::tree::not_read::Sign::DotHost).
    pub fn search(&self, unit: Unit<'_>, options: &Options) {
        references(unit, options, |site| {
            let target = site.target().filter(|target| is_leftover(target));
            if let Some(url) = target.as_deref().and_then(|target| target.split('#').next()) {
                self.lock().insert(url.to_owned());
            }
        });
    }

    /// Returns the hint at the end of a run, if there are such URLs.
    pub fn hint(&self) -> Option<String> {
        let urls = self.lock();
        let first = urls.first()?;
        Some(format!(
            "hint: references point to {} without a host, such as {first}, which HTTrack writes for pages that it did not save; correct them by hand",
            n(urls.len(), "URL")
        ))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns true if the host of a URL is a dot.
pub fn is_leftover(url: &str) -> bool {
    url.split_once("://").is_some_and(|(_, rest)| rest == "." || rest.starts_with("./"))
}

#[cfg(test)]
mod laws;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_are_trusted() {
        let mixed = |target| mixed(target, || Fetch::Upgradeable);
        for trusted in [
            "http://localhost/x",
            "http://LocalHost.:8080/x",
            "http://a.localhost/x",
            "http://127.0.0.1/x",
            "http://u@127.9.9.9:1/x",
            "http://[::1]/x",
            "https://h/x",
            "data:,x",
        ] {
            assert_eq!(mixed(trusted), None, "{trusted}");
        }
        for (upgraded, is_upgraded) in [
            ("HTTP://h/x", true),
            ("http://128.0.0.1/x", false),
            ("http://[::2]/x", false),
            ("http://notlocalhost/x", true),
        ] {
            assert_eq!(mixed(upgraded), Some(Problem::MixedContent(is_upgraded)), "{upgraded}");
        }
    }
}
