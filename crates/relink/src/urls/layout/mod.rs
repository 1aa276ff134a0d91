//! The layouts of mirrors: from URLs to file names, and back.
//!
//! `wget` makes a directory for each host and keeps the query in the name of the file; its manual
//! describes the names, in "Directory Options" and "HTTP Options" (`--restrict-file-names`,
//! `--adjust-extension`, `--default-page`). `httrack` makes directories for hosts too, gives files
//! names of its own, and records in each page where it is from. `wayback_machine_downloader` names
//! the files of a site as its URLs are, without escapes.

pub mod httrack;
mod wayback;
mod wget;

use std::borrow::Cow;
use std::path::Path;

use basectx::RetrievalUrl;
use urlcore::escape::percent_decode;

pub use self::wget::decoded;

/// A layout of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// File names are the paths of URLs.
    #[default]
    Plain,
    /// As `wget -r` or `wget -m` writes them.
    Wget,
    /// As `httrack` writes them.
    Httrack,
    /// As `wayback_machine_downloader` writes them.
    Wayback,
}

/// The names to which wget added an extension (`--adjust-extension`).
#[derive(Clone, Copy, Debug)]
pub struct Adjusted {
    /// True for those of pages with a query.
    pub queries: bool,
    /// True for those of programs on the server: `page.php.html`.
    pub programs: bool,
    /// True if it was added to this name, false if not; `None` if only the name says so.
    pub own: Option<bool>,
}

/// A name that the file of a URL may have, below the directory of its tree or host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutName {
    /// The path, in the bytes of the file system, with `/` between names.
    pub path: Vec<u8>,
    /// True if the query is not part of the name: a server would interpret or ignore it.
    pub keeps_query: bool,
    /// True if neither a server nor a browser would look for this name: another program wrote it.
    pub is_guess: bool,
    /// True if it is in lower case, unlike the URL.
    pub is_lowered: bool,
}

impl Layout {
    /// Returns the name: `plain`, `wget`, `httrack`, `wayback`.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Plain => "plain",
            Layout::Wget => "wget",
            Layout::Httrack => "httrack",
            Layout::Wayback => "wayback",
        }
    }

    /// Returns true if the top directories are hosts.
    pub(crate) fn has_hosts(self) -> bool {
        self != Layout::Plain
    }

    /// Returns true if the query of a URL is in the name of its file.
    pub(crate) fn has_queries(self) -> bool {
        matches!(self, Layout::Wget | Layout::Wayback)
    }

    /// Returns true if this path below its PATH belongs to the mirror's own bookkeeping.
    pub(crate) fn is_bookkeeping(self, below: &Path) -> bool {
        match self {
            Layout::Plain | Layout::Wayback => false,
            Layout::Wget => below.extension().is_some_and(|extension| extension == "orig"),
            Layout::Httrack => below.components().any(|name| name.as_os_str() == "hts-cache"),
        }
    }

    /// Returns the URL of the host whose directory has this name, if it is one.
    pub(crate) fn host_url(self, name: &[u8], scheme: &str) -> Option<String> {
        let name = std::str::from_utf8(name).ok()?;
        // If a name cannot contain `:`, the port follows a `+`, or `_` (httrack).
        let port = name
            .rsplit_once(['+', ':', '_'])
            .filter(|(_, port)| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
        let host = port.map_or(name, |(host, _)| host);
        let is_name = host.starts_with(|char: char| char.is_ascii_alphanumeric());
        let is_host =
            host == "localhost" || host.starts_with('[') || (is_name && host.contains('.'));
        let authority = match port {
            Some((host, port)) => Cow::Owned(format!("{host}:{port}")),
            None => Cow::Borrowed(name),
        };
        let is_usable = || urlcore::is_valid_host(&authority, scheme).is_ok();
        (is_host && !authority.contains('@') && is_usable())
            .then(|| format!("{scheme}://{authority}/"))
    }

    /// Returns the URL of the file below `directory` whose path has the given names.
    pub(crate) fn url(
        self,
        directory: &RetrievalUrl,
        names: &[&[u8]],
        adjusted: Adjusted,
    ) -> String {
        let Some((last, outer)) = names.split_last() else { return directory.as_str().to_owned() };
        match self {
            Layout::Plain | Layout::Httrack => return directory.join(names.iter().copied()),
            Layout::Wayback => return wayback::url(directory, names),
            Layout::Wget => {}
        }
        let last = adjusted.without_added(last);
        let (own, query) = match query_mark(last) {
            Some(mark) => (&last[..mark], Some(&last[mark + 1..])),
            None => (last, None),
        };
        // wget's name for a page whose URL ends with a slash (`--default-page`).
        let own: &[u8] = if own == b"index.html" { b"" } else { own };
        let names: Vec<Vec<u8>> = outer.iter().copied().chain([own]).map(wget::unquoted).collect();
        let mut url = directory.join(names.iter().map(Vec::as_slice));
        if let Some(query) = query {
            wget::push_query(&wget::unquoted(query), &mut url);
        }
        url
    }

    /// Returns the names that the file of a URL may have, the most likely first. `path` has no
    /// slash in front; `indexes` are the names of the files that are shown for directories.
    pub(crate) fn names(
        self,
        path: &str,
        query: Option<&str>,
        indexes: &[String],
    ) -> Vec<LayoutName> {
        let decoded = decoded(path);
        let is_directory = decoded.is_empty() || decoded.ends_with(b"/");
        match self {
            Layout::Plain | Layout::Httrack => plain(&decoded, path, query, is_directory, indexes),
            Layout::Wget => wget::names(&decoded, query, is_directory, indexes),
            Layout::Wayback => wayback::names(path, query, indexes),
        }
    }
}

/// Returns the start of the query in a name by wget: at a `?`, or if names must not contain that,
/// at an `@` before text with a `=`, or after wget's own name for a directory.
pub(crate) fn query_mark(name: &[u8]) -> Option<usize> {
    let find = |mark: u8| name.iter().position(|byte| *byte == mark);
    let is_query = |at: &usize| name[*at..].contains(&b'=') || &name[..*at] == b"index.html";
    find(b'?').or_else(|| find(b'@').filter(is_query))
}

impl Adjusted {
    /// Returns a name without the extension that was added to it.
    fn without_added(self, name: &[u8]) -> &[u8] {
        let is_added = match (self.own, query_mark(name)) {
            (Some(is_added), _) => is_added,
            (None, Some(_)) => self.queries,
            (None, None) => self.programs && program(name).is_some(),
        };
        let added = EXTENSIONS.iter().find_map(|extension| name.strip_suffix(*extension));
        added.filter(|_| is_added).unwrap_or(name)
    }
}

/// The extensions that `--adjust-extension` adds.
const EXTENSIONS: [&[u8]; 2] = [b".html", b".css"];

/// Returns true if the name of a file has a query, and then whether an extension follows it that
/// `--adjust-extension` may have added.
pub fn query_extension(name: &[u8]) -> Option<bool> {
    let query = &name[query_mark(name)?..];
    Some(EXTENSIONS.iter().any(|extension| query.ends_with(extension)))
}

/// Returns the name of a program on the server, given the name of its output to which
/// `--adjust-extension` has added an extension: `page.php.html`.
pub fn program(name: &[u8]) -> Option<&[u8]> {
    const PROGRAMS: [&str; 12] =
        ["php", "php3", "php4", "php5", "phtml", "asp", "aspx", "cgi", "pl", "jsp", "cfm", "do"];
    let stem = EXTENSIONS.iter().find_map(|extension| name.strip_suffix(*extension))?;
    let extension = stem.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    let is_program = extension.len() < stem.len()
        && PROGRAMS.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(extension));
    is_program.then_some(stem)
}

fn plain(
    decoded: &[u8],
    raw: &str,
    query: Option<&str>,
    is_directory: bool,
    indexes: &[String],
) -> Vec<LayoutName> {
    let mut names = Vec::with_capacity(4);
    if let Some(query) = query.filter(|query| !query.is_empty() && !is_directory) {
        names.push(LayoutName {
            path: [decoded, b"?", &percent_decode(query)].concat(),
            keeps_query: false,
            is_guess: true,
            is_lowered: false,
        });
    }
    let mut push = |path: Vec<u8>, is_guess| {
        names.push(LayoutName { path, keeps_query: true, is_guess, is_lowered: false });
    };
    if !is_directory {
        push(decoded.to_vec(), false);
    }
    let slash: &[u8] = if is_directory { b"" } else { b"/" };
    indexes.iter().for_each(|index| push([decoded, slash, index.as_bytes()].concat(), false));
    // Some programs write names as they are in URLs.
    if !is_directory && raw.as_bytes() != decoded {
        push(raw.as_bytes().to_vec(), true);
    }
    names
}

/// Returns the name of the file that a server shows for the path of a clean URL: `about.html` for
/// `about` and `about/`. `path` has no slash in front.
pub fn of_clean_url(path: &str) -> Option<LayoutName> {
    let mut name = decoded(path.strip_suffix('/').unwrap_or(path));
    if name.is_empty() || name.ends_with(b"/") {
        return None;
    }
    name.extend(b".html");
    Some(LayoutName { path: name, keeps_query: true, is_guess: false, is_lowered: false })
}

/// Returns the URL that HTTrack records in a page, without its scheme: `<!-- Mirrored from
/// h.example/a?b by HTTrack Website Copier/3.x …`.
pub fn httrack_origin(head: &[u8]) -> Option<&str> {
    const COMMENT: &[u8] = b"<!--";
    let at = memchr::memmem::find(head, b"<!-- Mirrored from ")? + COMMENT.len();
    httrack_note(&head[at..]).map(without_scheme)
}

/// Returns the URL that HTTrack records in a comment, as written; `text` is the text after `<!--`.
pub fn httrack_note(text: &[u8]) -> Option<&str> {
    let rest = text.trim_ascii_start().strip_prefix(b"Mirrored from ")?;
    let end = memchr::memmem::find(rest, b" by HTTrack ")?;
    let origin = std::str::from_utf8(&rest[..end]).ok()?;
    let is_url = !origin.is_empty() && !origin.contains(['\n', '<', '>']);
    is_url.then_some(origin)
}

/// Returns a URL without its scheme and the slashes after it.
pub fn without_scheme(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(layout: Layout, path: &str, query: Option<&str>) -> Vec<String> {
        let names = layout.names(path, query, &["index.html".into()]);
        names.iter().map(|name| String::from_utf8_lossy(&name.path).into_owned()).collect()
    }

    #[track_caller]
    fn holds(layout: Layout, path: &str, query: Option<&str>, expected: &[&str]) {
        let names = names(layout, path, query);
        for name in expected {
            assert!(names.iter().any(|known| known == name), "{name} in {names:?}");
        }
    }

    const ADJUSTED_NAMES: Adjusted = Adjusted { queries: false, programs: true, own: None };

    #[test]
    fn plain_names() {
        assert_eq!(names(Layout::Plain, "a%20b", None), ["a b", "a b/index.html", "a%20b"]);
        assert_eq!(names(Layout::Plain, "a/", None), ["a/index.html"]);
        assert_eq!(names(Layout::Plain, "", Some("q")), ["index.html"]);
        assert_eq!(
            names(Layout::Plain, "a.css", Some("v=%31")),
            ["a.css?v=1", "a.css", "a.css/index.html"]
        );
        assert_eq!(names(Layout::Plain, "a%2Fb", None), ["a%2Fb", "a%2Fb/index.html"]);
    }

    #[test]
    fn wget_names() {
        holds(
            Layout::Wget,
            "p.php",
            Some("id=3"),
            &["p.php?id=3", "p.php?id=3.html", "p.php@id=3", "p.php@id=3.html"],
        );
        holds(Layout::Wget, "d/", Some("u=/a%2Fb"), &["d/index.html?u=%2Fa%2Fb"]);
        holds(Layout::Wget, "a%3Ab", None, &["a:b", "a%3Ab", "a:b.html"]);
        holds(Layout::Wget, "caf%C3%89", None, &["caf\u{C9}", "caf\u{FFFD}%89"]);
        holds(Layout::Wget, "d", None, &["d", "d.html", "d/index.html"]);
        // As wget 1.21 and wget2 2.0 write them.
        holds(Layout::Wget, "sans.eot", Some(""), &["sans.eot?", "sans.eot@", "sans.eot"]);
        holds(Layout::Wget, "pct%2525.html", None, &["pct%25.html", "pct%.html"]);
        holds(Layout::Wget, "caf%E9.html", None, &["caf%E9.html", "caf\u{E9}.html"]);
        let latin = Layout::Wget.names("q", Some("q=\u{E9}%C3"), &[]);
        assert!(latin.iter().any(|name| name.path == b"q?q=\xE9\xC3"));
        holds(Layout::Wget, "u1/", None, &["u1/index.html", "u1", "u1.html", "u1/index.html?"]);
        holds(Layout::Wget, "A", None, &["A", "a"]);
        holds(Layout::Wget, "about.html", Some("x=1"), &["about.html?x=1", "about?x=1.html"]);
        let lower = ["q?u=http:%2f%2fx%2f", "q@u=http%3a%2f%2fx%2f"];
        holds(Layout::Wget, "Q", Some("u=http://x/"), &lower);
        holds(Layout::Wget, "/dots//a", None, &["dots/a"]);
        holds(Layout::Wget, "about/", None, &["about/index.html", "about.html"]);
        // A page with another query is another page.
        assert!(!names(Layout::Wget, "p.php", Some("id=3")).contains(&"p.php".to_owned()));
    }

    #[test]
    fn urls_of_names() {
        let directory = RetrievalUrl::from_directory("http://h/").expect("a URL");
        let url = |layout: Layout, names: &[&str]| {
            layout.url(
                &directory,
                &names.iter().map(|name| name.as_bytes()).collect::<Vec<_>>(),
                ADJUSTED_NAMES,
            )
        };
        assert_eq!(
            url(Layout::Wget, &["a b", "p.php?u=%2Fx y#"]),
            "http://h/a%20b/p.php?u=/x%20y%23"
        );
        assert_eq!(url(Layout::Wget, &["p.php@id=3.html"]), "http://h/p.php?id=3.html");
        assert_eq!(url(Layout::Wget, &["p.php.html"]), "http://h/p.php");
        assert_eq!(url(Layout::Wget, &["d", "index.html"]), "http://h/d/");
        assert_eq!(url(Layout::Wget, &["index.html?q"]), "http://h/?q");
        assert_eq!(url(Layout::Wget, &["v1.2.html"]), "http://h/v1.2.html");
        assert_eq!(url(Layout::Wget, &["a%22b", "c%80%41.html"]), "http://h/a%22b/c%80%2541.html");
        assert_eq!(url(Layout::Wget, &["me@h.html"]), "http://h/me@h.html");
        assert_eq!(url(Layout::Plain, &["p.php?id=3"]), "http://h/p.php%3Fid=3");
        assert_eq!(url(Layout::Wget, &[]), "http://h/");
    }

    #[test]
    fn hosts() {
        let url = |name: &str| Layout::Wget.host_url(name.as_bytes(), "http");
        assert_eq!(url("h.example").as_deref(), Some("http://h.example/"));
        assert_eq!(url("127.0.0.1:8080").as_deref(), Some("http://127.0.0.1:8080/"));
        assert_eq!(url("h.example+8080").as_deref(), Some("http://h.example:8080/"));
        assert_eq!(url("localhost").as_deref(), Some("http://localhost/"));
        for no_host in ["css", ".", "..", "a b.c", "u@h.example", "hts-cache"] {
            assert_eq!(url(no_host), None, "{no_host}");
        }
    }

    #[test]
    fn what_httrack_notes() {
        let page = b"<html>\n<!-- Mirrored from h.example/a?b by HTTrack Website Copier/3.49-2 [XR&CO'2014], Sat -->";
        assert_eq!(httrack_origin(page), Some("h.example/a?b"));
        assert_eq!(httrack_origin(b"<!-- Mirrored from x -->"), None);
    }
}
