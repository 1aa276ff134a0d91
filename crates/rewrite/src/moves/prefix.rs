//! The target map of trees that move: from each root to another, by the longest matching prefix.
//!
//! The part of a URL after the root stays as it is, byte by byte, except the type of a transfer
//! (RFC 1738 3.2.2), which exists only in `ftp`.

use basectx::with_ascii_host;
use urlcore::escape::{Component, complete};
use urlcore::{Dialect, origin_prefix};

use crate::moves;
use crate::moves::shares::{WindowsPaths, is_file};
use crate::moves::{FixedRoots, TargetLocation, TargetMap, spelled};

/// Trees that move.
#[derive(Clone, Debug, Default)]
pub struct PrefixMap {
    roots: FixedRoots,
    /// The new roots, by the numbers of the old ones.
    to: Vec<NewRoot>,
    /// The new roots, for lookup by URL.
    new_roots: FixedRoots,
    /// True if URLs in the web archive are replaced by the archived ones.
    unwraps: bool,
    /// The shares and drives among the roots.
    windows: Option<WindowsPaths>,
}

#[derive(Clone, Debug)]
struct NewRoot {
    /// The URL as given, with its final slash.
    url: String,
    /// The URL without it.
    folder: String,
    is_ftp: bool,
    /// True if the tree came from `ftp`.
    is_from_ftp: bool,
    /// True if it was a whole site, whose name without a slash is equivalent (RFC 3986 6.2.3).
    is_from_site: bool,
    /// True if names of files become a path of a server: what a URL does not allow is escaped.
    is_from_files: bool,
}

/// The error for one root that would move to two places.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{from} already moves to {to}")]
pub struct Conflict {
    /// The root.
    pub from: String,
    /// The new root that was set before.
    pub to: String,
}

impl PrefixMap {
    /// Moves the contents of the directory at `from`, with the alias URLs `same_as`, to the
    /// directory at `to`. All URLs end with a slash.
    ///
    /// # Errors
    ///
    /// Returns [`Conflict`] if one of the URLs already moves elsewhere.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_rewrite::{PrefixMap, TargetMap};
    /// let mut moves = PrefixMap::default();
    /// moves.add("http://h/", "https://n/", ["https://h/".into()])?;
    /// moves.add("http://h/a/", "ftp://n/", [])?;
    /// assert_eq!(moves.url("https://H:443/x?y#z"), "https://n/x?y#z");
    /// assert_eq!(moves.url("http://h/a/b"), "ftp://n/b");
    /// assert_eq!(moves.url("http://h/ab"), "https://n/ab");
    /// assert_eq!(moves.url("http://i/"), "http://i/");
    /// assert!(moves.add("http://H:80/", "http://m/", []).is_err());
    /// # Ok::<(), relink_rewrite::Conflict>(())
    /// ```
    pub fn add(
        &mut self,
        from: &str,
        to: &str,
        same_as: impl IntoIterator<Item = String>,
    ) -> Result<(), Conflict> {
        let names: Vec<String> = std::iter::once(from.to_owned()).chain(same_as).collect();
        for name in &names {
            if let Some((number, "" | "/")) = self.roots.find(name)
                && self.to[number].url != with_ascii_host(to)
            {
                return Err(Conflict { from: name.clone(), to: self.to[number].url.clone() });
            }
        }
        let mut names = names.into_iter();
        let from = names.next().unwrap_or_default();
        let to = &*with_ascii_host(to);
        let is_from_windows = WindowsPaths::has(&from);
        for url in [&from, to].into_iter().filter(|url| WindowsPaths::has(url)) {
            self.windows.get_or_insert_default().add_root(url);
        }
        self.to.push(NewRoot {
            url: to.to_owned(),
            folder: to.strip_suffix('/').unwrap_or(to).to_owned(),
            is_ftp: is_ftp(to),
            is_from_ftp: is_ftp(&from),
            is_from_site: is_site(&from),
            is_from_files: is_from_windows && !is_file(to),
        });
        self.roots.add(&from, names);
        self.new_roots.add(to, []);
        Ok(())
    }

    /// Declares that a drive is another name of a directory on a share: `S` of `file://host/share/`.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_rewrite::{PrefixMap, TargetMap};
    /// let mut moves = PrefixMap::default();
    /// moves.add_drive('S', "file://old/share/");
    /// moves.add("file://old/share/docs/", "file://new/pub/", [])?;
    /// assert_eq!(moves.url("file:///s|/DOCS/a"), "file://new/pub/a");
    /// assert_eq!(moves.url("file:////OLD/Share/docs/a"), "file:////new/pub/a");
    /// # Ok::<(), relink_rewrite::Conflict>(())
    /// ```
    pub fn add_drive(&mut self, letter: char, url: &str) {
        self.windows.get_or_insert_default().add_drive(letter, url);
    }

    /// Treats URLs in the web archive as the archived ones.
    pub fn unwrap_archive(&mut self) {
        self.unwraps = true;
    }

    /// Returns true if a second run of these moves may move URLs again: where a new root is inside
    /// an old one, or contains it.
    pub fn may_move_twice(&self) -> bool {
        let is_in = |root: &str, url: &str| {
            let mut roots = FixedRoots::default();
            roots.add(root, []);
            roots.find(url).is_some()
        };
        self.to.iter().any(|to| {
            let new = spelled(&to.url);
            self.roots.names().any(|from| {
                let is_same = is_in(from, &new) && is_in(&new, from);
                let goes_there =
                    || self.roots.find(from).is_some_and(|(n, _)| self.to[n].url == to.url);
                (is_in(from, &new) || is_in(&new, from)) && !(is_same && goes_there())
            })
        })
    }
}

fn is_ftp(url: &str) -> bool {
    url.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("ftp:"))
}

fn is_site(url: &str) -> bool {
    origin_prefix(url, Dialect::Web).is_some_and(|(_, path)| matches!(path, "" | "/"))
}

impl TargetMap for PrefixMap {
    fn moved(&self, target: &str, _: bool, new: &mut String) -> TargetLocation {
        let inner = if self.unwraps { moves::unwrapped(target) } else { None };
        let target = inner.as_deref().unwrap_or(target);
        let on_share = self.windows.as_ref().and_then(|windows| windows.on_share(target));
        let place = on_share.as_deref().unwrap_or(target);
        let Some((number, rest)) = self.roots.find(place) else {
            new.push_str(target);
            // A target in a new root is in the tree after the move.
            return match self.new_roots.find(place) {
                Some(_) => TargetLocation::Inside,
                None => TargetLocation::Outside,
            };
        };
        let to = &self.to[number];
        new.push_str(&to.folder);
        let (path, tail) = rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()));
        // `file://` alone is not a directory.
        if path.is_empty() && (to.is_from_site || to.folder.ends_with('/')) {
            new.push('/');
        }
        match transfer_type(path) {
            // In other schemes the type would be part of the name.
            Some(name) if to.is_from_ftp && !to.is_ftp => new.push_str(name),
            Some(name) if to.is_ftp && !to.is_from_ftp => {
                new.push_str(name);
                new.push_str("%3B");
                new.push_str(&path[name.len() + 1..]);
            }
            _ if to.is_from_files => {
                new.push_str(&complete(
                    &path.replace('\\', "/"),
                    Component::Path,
                    Dialect::Rfc3986,
                ));
            }
            _ => new.push_str(path),
        }
        new.push_str(tail);
        if let Some(windows) = &self.windows {
            windows.spell_like(target, new);
        }
        TargetLocation::Inside
    }

    fn windows(&self) -> Option<&WindowsPaths> {
        self.windows.as_ref()
    }
}

/// Returns the path before `;type=`, if it ends with that (RFC 1738 3.2.2, "ftptype").
fn transfer_type(path: &str) -> Option<&str> {
    let at = path.len().checked_sub(";type=i".len())?;
    let (name, parameter) = path.split_at_checked(at)?;
    let is_type = matches!(parameter.as_bytes(), [.., b'a' | b'A' | b'i' | b'I' | b'd' | b'D']);
    (is_type && parameter[..6].eq_ignore_ascii_case(";type=")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(pairs: &[(&str, &str)]) -> PrefixMap {
        let mut moves = PrefixMap::default();
        for (from, to) in pairs {
            moves.add(from, to, []).unwrap();
        }
        moves
    }

    #[test]
    fn what_only_ftp_knows() {
        let to_http = moves(&[("ftp://h/pub/", "http://n/")]);
        assert_eq!(to_http.url("ftp://h/pub/a.zip;type=I"), "http://n/a.zip");
        assert_eq!(to_http.url("ftp://h/pub/a;type=x"), "http://n/a;type=x");
        assert_eq!(to_http.url("ftp://h/pub/a;type=i/b?c;type=i"), "http://n/a;type=i/b?c;type=i");
        assert_eq!(to_http.url("ftp://u@h/pub/a"), "ftp://u@h/pub/a");
        let to_ftp = moves(&[("http://h/", "ftp://n/pub/")]);
        assert_eq!(to_ftp.url("http://h/a;type=d#b"), "ftp://n/pub/a%3Btype=d#b");
        let in_ftp = moves(&[("ftp://h/", "ftp://u:p@n/%2Fpub/")]);
        assert_eq!(in_ftp.url("ftp://h/a;type=a"), "ftp://u:p@n/%2Fpub/a;type=a");
    }

    #[test]
    fn a_site_without_its_slash_is_the_site() {
        let moves = moves(&[("http://a/", "http://b/n/"), ("http://c/d/", "http://b/")]);
        assert_eq!(moves.url("http://a"), "http://b/n/");
        assert_eq!(moves.url("http://a?q#f"), "http://b/n/?q#f");
        assert_eq!(moves.url("http://c/d?q"), "http://b?q");
    }

    #[test]
    fn what_follows_a_root() {
        let moves = moves(&[("http://h/a/", "file:///"), ("file:///C:/x/", "file://host/share/")]);
        assert_eq!(moves.url("http://h/a"), "file:///");
        assert_eq!(moves.url("http://h/a/"), "file:///");
        assert_eq!(moves.url("http://h/a?b"), "file:///?b");
        assert_eq!(moves.url("http://h/a/%7e/./b"), "file:///%7e/./b");
        assert_eq!(moves.url("file://localhost/C:/x/y"), "file://host/share/y");
    }

    #[test]
    fn roots_are_found_in_any_spelling_of_their_bytes() {
        let again = moves(&[("http://h/%c3%bc/", "http://h/\u{FC}/x/")]);
        let moves = moves(&[
            ("http://b%C3%BCcher.de/%C3%BC/", "http://n/"),
            ("http://h/%7e/", "http://m/"),
            ("http://h/a%20%7Bb%7D/", "http://o/"),
        ]);
        assert_eq!(moves.url("http://B\u{FC}cher.de/\u{FC}/x\u{FC}%c3"), "http://n/x\u{FC}%c3");
        assert_eq!(moves.url("http://b%c3%bccher.de/%c3%bc"), "http://n");
        assert_eq!(moves.url("http://h/%7E/a"), "http://m/a");
        assert_eq!(moves.url("http://h/~/a"), "http://h/~/a");
        assert_eq!(moves.url("http://h/a {b}/c d"), "http://o/c d");
        assert_eq!(moves.url("http://h/%7/a"), "http://h/%7/a");
        assert!(again.may_move_twice());
    }

    #[test]
    fn what_a_second_run_would_move_again() {
        let again = |pairs: &[(&str, &str)]| moves(pairs).may_move_twice();
        assert!(again(&[("https://h/", "https://h/archive/")]));
        assert!(again(&[("https://h/archive/", "https://h/")]));
        assert!(again(&[("http://a/", "http://b/"), ("http://b/", "http://a/")]));
        assert!(again(&[("http://a/", "http://b/"), ("http://b/", "http://c/")]));
        assert!(!again(&[("http://a/", "http://b/"), ("http://c/", "http://b/x/")]));
        assert!(!again(&[("http://a/", "http://A:80/")]));
        assert!(again(&[("file://a/b/", "file:////A/B/c/")]));
        assert!(!again(&[("http://a/x/", "http://a/y/")]));
    }
}
