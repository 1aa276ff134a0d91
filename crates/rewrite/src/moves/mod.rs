//! The target map: the locations of the targets of references when the output is in its place.

pub(crate) mod prefix;
pub(crate) mod shares;
mod windows;

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::fmt;

use basectx::site;
use urlcore::{Dialect, escape, origin_prefix, resolve_without_base};

use self::shares::WindowsPaths;
use self::windows::{Place, push_key};

/// The location of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetLocation {
    /// In the tree, at the returned URL.
    Inside,
    /// In the tree, at the returned URL, but under another URL than the target: that of the same
    /// site with another scheme or host.
    Twin,
    /// Missing: the tree should contain it at the returned URL, but does not.
    Missing,
    /// Outside of the tree, at its old URL.
    Outside,
}

/// A map from each target to its location in the output.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{TargetLocation, TargetMap};
///
/// /// A tree whose pages get another extension.
/// #[derive(Debug)]
/// struct Renamed;
///
/// impl TargetMap for Renamed {
///     fn moved(&self, target: &str, _: bool, new: &mut String) -> TargetLocation {
///         let Some(rest) = target.strip_prefix("http://h/") else { return TargetLocation::Outside };
///         new.push_str("http://h/");
///         new.push_str(&rest.replace(".php", ".html"));
///         TargetLocation::Inside
///     }
/// }
///
/// assert_eq!(Renamed.url("http://h/a.php#b"), "http://h/a.html#b");
/// assert_eq!(Renamed.url("http://i/a.php"), "http://i/a.php");
/// ```
pub trait TargetMap: fmt::Debug + Send + Sync {
    /// Returns the location of `target`, an absolute URL. Its new URL is left in `new`, which is
    /// empty before; a target outside of the tree may have none, and then stays. `is_folder` is
    /// true if a directory is meant and not the document that a server returns for it.
    fn moved(&self, target: &str, is_folder: bool, new: &mut String) -> TargetLocation;

    /// Returns the map on which this one is based. What this one does not define is that of it.
    fn inner(&self) -> Option<&dyn TargetMap> {
        None
    }

    /// Returns the URL that a target has in the output.
    fn url(&self, target: &str) -> String {
        let mut new = String::new();
        match self.moved(target, false, &mut new) {
            TargetLocation::Outside if new.is_empty() => target.to_owned(),
            _ => new,
        }
    }

    /// Returns the URL in the output of a base in the content of a document, such as `<base>`.
    fn base(&self, base: &str) -> String {
        let mut new = String::new();
        match self.moved(base, true, &mut new) {
            TargetLocation::Outside if new.is_empty() => base.to_owned(),
            _ => new,
        }
    }

    /// Returns the target of a relative reference of the document at `from` that was written for
    /// the location of the output, by another program or by an earlier run; `None` for any other
    /// reference. As written it points to `new` (all are URLs in the output); if the file is
    /// renamed, its target is another one. Called if the target is missing or outside of the tree.
    fn for_place(&self, new: &str, from: &str) -> Option<String> {
        self.inner()?.for_place(new, from)
    }

    /// Returns the rest of a URL after that of the tree that contains it, from the final slash of
    /// the tree's URL on; it is empty for that URL without its slash. `None` if no tree contains
    /// it, or if the tree is a whole site. By it a relative reference is recognized that leaves the
    /// tree and comes back by its name: it would lead elsewhere if the tree had another URL.
    fn rest<'t>(&self, url: &'t str) -> Option<&'t str> {
        self.inner()?.rest(url)
    }

    /// Returns true if relative references were written for the location of the output wherever
    /// they have a target.
    fn trusts_paths(&self) -> bool {
        self.inner().is_some_and(TargetMap::trusts_paths)
    }

    /// Returns the target of a relative reference that points to `new`, a URL in the output, if it
    /// was written for the location of the output. Called for metadata, which is written as an
    /// absolute URL.
    fn target_of_path(&self, new: &str) -> Option<String> {
        self.inner()?.target_of_path(new)
    }

    /// Returns the shares and drives among the roots of a move.
    fn windows(&self) -> Option<&WindowsPaths> {
        self.inner()?.windows()
    }
}

/// Returns the URL of the tree that contains a URL, with its final slash, if the map knows it.
pub(crate) fn root_of<'u>(map: &dyn TargetMap, url: &'u str) -> Option<&'u str> {
    let rest = map.rest(url).filter(|rest| rest.starts_with('/'))?;
    Some(&url[..url.len() - rest.len() + 1])
}

/// Trees that stay where they are.
#[derive(Clone, Debug, Default)]
pub struct FixedRoots {
    /// The directories' own URLs, without their final slashes.
    urls: Vec<String>,
    /// All their URLs: site, and path without its final slash.
    names: Vec<String>,
    /// The numbers of the directories by the keys of these.
    numbers: HashMap<String, usize>,
    /// The lengths of these: no prefix of a URL with another length is looked up.
    lengths: BTreeSet<usize>,
}

impl FixedRoots {
    /// Adds the directory at `url` with the alias URLs `same_as`. Returns its number. A URL belongs
    /// to the first directory that it was added for.
    pub fn add(&mut self, url: &str, same_as: impl IntoIterator<Item = String>) -> usize {
        let number = self.urls.len();
        for name in std::iter::once(url.to_owned()).chain(same_as) {
            if let Some((mut key, push, rest)) = key_of_site(&name) {
                let path = rest.strip_suffix('/').unwrap_or(rest);
                push(path, &mut key);
                self.lengths.insert(key.len());
                if let Entry::Vacant(entry) = self.numbers.entry(key) {
                    entry.insert(number);
                    let (site, _) = site(&name).unwrap_or_default();
                    self.names.push(spelled(&format!("{site}{path}")).into_owned());
                }
            }
        }
        self.urls.push(url.strip_suffix('/').unwrap_or(url).to_owned());
        number
    }

    /// Returns all URLs of the directories, without their final slashes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Returns the number of the innermost directory that contains a URL, and the rest of the URL
    /// from the final slash of the directory on.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_rewrite::FixedRoots;
    /// let mut roots = FixedRoots::default();
    /// roots.add("http://h/", ["https://h/".into()]);
    /// roots.add("http://h/a/", []);
    /// assert_eq!(roots.find("https://h/a/b?c"), Some((0, "/a/b?c")));
    /// assert_eq!(roots.find("http://h/a/b?c"), Some((1, "/b?c")));
    /// assert_eq!(roots.find("http://h/a"), Some((1, "")));
    /// assert_eq!(roots.find("http://i/"), None);
    /// roots.add("http://b%C3%BCcher.de/%C3%BC/", []);
    /// assert_eq!(roots.find("http://b\u{FC}cher.de/\u{FC}/%c3%bc"), Some((2, "/%c3%bc")));
    /// ```
    pub fn find<'t>(&self, target: &'t str) -> Option<(usize, &'t str)> {
        let (mut key, push, rest) = key_of_site(target)?;
        let path = rest.split(['?', '#']).next().unwrap_or_default();
        let (mut found, mut start) = (None, 0);
        // From the site alone to longer prefixes, at the boundaries of segments.
        let ends = path.match_indices('/').map(|(at, _)| at).chain(std::iter::once(path.len()));
        for end in ends {
            push(&path[start..end], &mut key);
            if self.lengths.last().is_none_or(|longest| key.len() > *longest) {
                break;
            }
            if self.lengths.contains(&key.len())
                && let Some(number) = self.numbers.get(&key)
            {
                found = Some((*number, &rest[end..]));
            }
            start = end;
        }
        found
    }

    /// Returns a URL in the spelling in which URLs of one resource are equal: without its fragment,
    /// below the directory's own URL if one contains it, and with the escapes of URLs that are
    /// compared.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_rewrite::FixedRoots;
    /// let mut roots = FixedRoots::default();
    /// roots.add("http://h/a/", ["https://h/a/".into()]);
    /// assert_eq!(roots.canonical("https://H:443/a/\u{FC}%c3?x#y"), "http://h/a/%C3%BC%C3?x");
    /// assert_eq!(roots.canonical("http://H/b"), "http://h/b");
    /// ```
    pub fn canonical(&self, url: &str) -> String {
        let url = url.split('#').next().unwrap_or_default();
        let (mut canonical, rest) = match self.find(url) {
            Some((number, rest)) => (spelled(self.url(number)).into_owned(), rest),
            None => match site(url) {
                Some(split) => split,
                None => return url.to_owned(),
            },
        };
        canonical.push_str(&spelled(rest));
        canonical
    }

    /// Returns the directory's own URL, without its final slash.
    pub fn url(&self, root: usize) -> &str {
        &self.urls[root]
    }
}

/// Appends the key of a part of a path.
type PushKey = fn(&str, &mut String);

/// Returns the key of the site of a URL, the function that appends the key of a part of its path,
/// and the path with everything after it.
fn key_of_site(url: &str) -> Option<(String, PushKey, &str)> {
    if let Some(place) = Place::of_url(url) {
        let (key, path) = place.key(url);
        return Some((key, push_key, path));
    }
    let (site, path) = site(url)?;
    Some((spelled(&site).into_owned(), push_spelled, path))
}

fn push_spelled(part: &str, key: &mut String) {
    key.push_str(&spelled(part));
}

/// Returns a URL, or a part of one, in the spelling that is compared: characters that a browser
/// would escape in a path (URL Standard, "path percent-encode set"), such as non-ASCII bytes, are
/// escaped, with upper-case hexadecimal digits (RFC 3986 6.2.2.1).
pub fn spelled(url: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"%\"<>^`{}".contains(&byte);
    if url.bytes().all(is_plain) {
        return Cow::Borrowed(url);
    }
    let mut text = String::with_capacity(url.len());
    let mut n_digits = 0;
    for char in url.chars() {
        let is_digit = n_digits > 0 && char.is_ascii_hexdigit();
        n_digits = match char {
            '%' => 2,
            _ if is_digit => n_digits - 1,
            _ => 0,
        };
        match char {
            _ if is_digit => text.push(char.to_ascii_uppercase()),
            '%' => text.push(char),
            _ if u8::try_from(char).is_ok_and(is_plain) => text.push(char),
            _ => escape::encode_path_segment(char.encode_utf8(&mut [0; 4]).as_bytes(), &mut text),
        }
    }
    Cow::Owned(text)
}

impl TargetMap for FixedRoots {
    /// Without any directory the whole site is in the tree.
    fn moved(&self, target: &str, _: bool, new: &mut String) -> TargetLocation {
        if self.urls.is_empty() {
            new.push_str(target);
            return TargetLocation::Inside;
        }
        let Some((root, rest)) = self.find(target) else { return TargetLocation::Outside };
        new.push_str(self.url(root));
        new.push_str(rest);
        TargetLocation::Inside
    }

    fn rest<'t>(&self, url: &'t str) -> Option<&'t str> {
        self.find(url).map(|(_, rest)| rest)
    }
}

// URLs in the web archive: a timestamp, and the URL that was archived.
//
// `https://web.archive.org/web/20200102030405im_/http://h/x`: up to fourteen digits, or `*`, then
// a modifier of letters and `_` that selects how the response is rewritten (help.archive.org,
// "Using The Wayback Machine"; the same in pywb's "Rewriter Configuration").

/// The hosts of the archive.
const HOSTS: [&str; 3] = ["web.archive.org", "wayback.archive.org", "www.web.archive.org"];

/// The maximum number of times that a URL may have been archived: deeper URLs are not unwrapped, as
/// each round reads the whole rest.
const DEEPEST: usize = 8;

/// Returns the archived URL if `url` is a URL in the archive. A fragment belongs to it.
///
/// The archive accepts URLs without a scheme, and with one slash instead of two, as users type
/// them.
///
/// # Examples
///
/// ```
/// let url = "https://web.archive.org/web/20200102030405im_/http://h.example/i.png";
/// assert_eq!(relink_rewrite::unarchived(url).as_deref(), Some("http://h.example/i.png"));
/// assert_eq!(relink_rewrite::unarchived("http://h.example/i.png"), None);
/// ```
pub fn unwrapped(url: &str) -> Option<String> {
    let mut inner: Option<String> = None;
    // An archived URL may itself be a URL in the archive; each is shorter than the one around it.
    for _ in 0..DEEPEST {
        let Some(next) = once(inner.as_deref().unwrap_or(url)) else { return inner };
        inner = Some(next);
    }
    match inner.as_deref().and_then(once) {
        Some(_) => None,
        None => inner,
    }
}

fn once(url: &str) -> Option<String> {
    let (site, rest) = origin_prefix(url, Dialect::Web)?;
    let host = site.strip_prefix("https://").or(site.strip_prefix("http://"))?;
    if !HOSTS.contains(&host) {
        return None;
    }
    let (moment, inner) = rest.strip_prefix("/web/")?.split_once('/')?;
    if !is_moment(moment) || inner.is_empty() {
        return None;
    }
    let inner = with_scheme(inner)?;
    let mut spelled = String::new();
    resolve_without_base(&inner, Dialect::Web, &mut spelled).ok()?;
    // Only a shorter result guarantees that the loop above ends.
    (spelled.len() < url.len()).then_some(spelled)
}

/// Returns true if a segment is a timestamp: `2020`, `20200102030405`, `20200102030405if_`, `*`.
fn is_moment(segment: &str) -> bool {
    let mark = segment.trim_start_matches(|char: char| char.is_ascii_digit());
    let n_digits = segment.len() - mark.len();
    let is_mark = mark.is_empty()
        || mark.strip_suffix('_').is_some_and(|name| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase())
        });
    segment == "*" || ((1..=14).contains(&n_digits) && is_mark)
}

/// Returns the archived URL with its scheme completed.
fn with_scheme(inner: &str) -> Option<String> {
    let end = inner.find(|char: char| !char.is_ascii_alphanumeric() && !"+-.".contains(char));
    let (scheme, rest) = inner.split_at(end.unwrap_or(inner.len()));
    match rest.strip_prefix(':') {
        // `host:8080/x`
        Some(port) if port.starts_with(|char: char| char.is_ascii_digit()) => {
            Some(format!("http://{inner}"))
        }
        Some(rest) => {
            if ["http", "https", "ftp"].iter().any(|name| scheme.eq_ignore_ascii_case(name)) {
                Some(format!("{scheme}://{}", rest.trim_start_matches('/')))
            } else {
                None
            }
        }
        None if scheme.contains('.') => Some(format!("http://{inner}")),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_come_out_of_the_archive() {
        for (url, inner) in [
            ("https://web.archive.org/web/20200102030405/http://h/x?a#b", Some("http://h/x?a#b")),
            (
                "http://web.archive.org/web/20200102030405im_/https://h/i.png",
                Some("https://h/i.png"),
            ),
            ("https://WEB.archive.org:443/web/2020/h.example/x", Some("http://h.example/x")),
            ("https://web.archive.org/web/*/http://h/", Some("http://h/")),
            ("https://web.archive.org/web/2020id_/http:/h/x", Some("http://h/x")),
            ("https://web.archive.org/web/2020/h.example:8080/x", Some("http://h.example:8080/x")),
            (
                "https://web.archive.org/web/2020/https://web.archive.org/web/1999/http://h/",
                Some("http://h/"),
            ),
            ("https://web.archive.org/web/2020/ftp://h/x", Some("ftp://h/x")),
            ("https://web.archive.org/web/2020/", None),
            ("https://web.archive.org/web/http://h/", None),
            ("https://web.archive.org/web/20200102030405IM_/http://h/", None),
            ("https://web.archive.org/web/202001020304056/http://h/", None),
            ("https://web.archive.org/web/2020/mailto:u@h", None),
            ("https://web.archive.org/save/http://h/", None),
            ("https://archive.org/web/2020/http://h/", None),
            ("ftp://web.archive.org/web/2020/http://h/", None),
            ("/web/2020/http://h/", None),
        ] {
            assert_eq!(unwrapped(url).as_deref(), inner, "{url}");
        }
    }

    #[test]
    fn what_is_archived_too_often_stays() {
        let archived = |n| format!("{}http://h/x", "https://web.archive.org/web/2020/".repeat(n));
        assert_eq!(unwrapped(&archived(DEEPEST)).as_deref(), Some("http://h/x"));
        assert_eq!(unwrapped(&archived(DEEPEST + 1)), None);
        assert_eq!(unwrapped(&archived(20_000)), None);
    }
}
