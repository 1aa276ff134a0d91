//! What a move between shares needs besides a map of URLs: references that programs of Windows read
//! in another way than browsers, and the spellings in which they are written again.

use std::fmt;
use std::sync::{Arc, OnceLock};

use urlcore::{Dialect, Form, Reference, resolve_without_base};

use super::windows::{Place, SEPARATORS, Start, below, decoded, path_end};

/// The names of the files of a tree, which decide whether a `#` is part of a name.
pub trait TreeNames: fmt::Debug + Send + Sync {
    /// Returns true if the tree has a file at a URL, or a file or directory.
    fn contains(&self, url: &str, or_directory: bool) -> bool;
}

/// The reason why a reference is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeftReason {
    /// It leads above the share that its document or itself names.
    AboveShare,
    /// Its `#` begins a fragment or is part of a name.
    NumberSign,
}

/// The shares and drives of a move.
///
/// Maps have it if a root is on a share or a drive. Only `file` URLs, paths with backslashes and
/// letters of these drives are read differently then.
#[derive(Clone, Debug, Default)]
pub struct WindowsPaths {
    /// The drives that are names of directories on shares: letter, and URL without a final slash.
    drives: Vec<(char, String)>,
    /// The letters of all drives.
    letters: String,
    /// True if a root is on a share.
    has_share: bool,
    names: OnceLock<Arc<dyn TreeNames>>,
}

impl WindowsPaths {
    /// Declares a drive that is another name of the directory at `url`.
    pub(super) fn add_drive(&mut self, letter: char, url: &str) {
        let url = url.strip_suffix('/').unwrap_or(url).to_owned();
        self.letters.push(letter.to_ascii_uppercase());
        self.drives.push((letter.to_ascii_uppercase(), url));
    }

    /// Returns true if a URL is that of a share or a drive.
    pub(super) fn has(url: &str) -> bool {
        Place::of_url(url).is_some()
    }

    /// Adds a root of the move.
    pub(super) fn add_root(&mut self, url: &str) {
        match Place::of_url(url).map(|place| place.start) {
            Some(Start::Drive(letter, _)) => self.letters.push(letter.to_ascii_uppercase()),
            Some(Start::Host(_)) => self.has_share = true,
            None => {}
        }
    }

    /// Sets the names of the tree that moves. Only the first call has an effect.
    pub fn set_names(&self, names: Arc<dyn TreeNames>) {
        // Others have the same names.
        let _ = self.names.set(names);
    }

    /// Returns the URL on the share of a URL on a declared drive.
    pub fn on_share(&self, url: &str) -> Option<String> {
        let place = Place::of_url(url)?;
        let Start::Drive(letter, _) = place.start else { return None };
        let is_own = |drive: &&(char, String)| drive.0 == letter.to_ascii_uppercase();
        let (_, share) = self.drives.iter().find(is_own)?;
        Some(format!("{share}{}", place.rest))
    }

    /// Returns the letter of the drive of a target if it is not declared and a root is on a share.
    pub fn unknown_drive(&self, target: &str) -> Option<char> {
        let Start::Drive(letter, _) = Place::of(target).filter(|_| self.has_share)?.start else {
            return None;
        };
        Some(letter.to_ascii_uppercase()).filter(|letter| !self.letters.contains(*letter))
    }

    /// Changes `new`, the new URL of `old`, to the spelling of that: as many slashes before the
    /// host, or a drive.
    pub(super) fn spell_like(&self, old: &str, new: &mut String) {
        let (Some(place), Some(to)) = (Place::of_url(old), Place::of_url(new)) else { return };
        match (place.start, to.start) {
            (Start::Host(_), Start::Host(_)) => {
                new.replace_range(..to.prefix.len(), place.prefix);
            }
            (Start::Drive(_, mark), Start::Host(_)) => {
                let rest = |(letter, share): &(char, String)| {
                    below(share, new).map(|rest| format!("{}{letter}{mark}{rest}", place.prefix))
                };
                if let Some(url) = self.drives.iter().filter_map(rest).min_by_key(String::len) {
                    *new = url;
                }
            }
            _ => {}
        }
    }

    /// Returns the target of a reference that Windows reads in another way than URLs are resolved:
    /// of a path on a known drive, of `\\host\share` without a base, and of a reference that begins
    /// at the root of its share. `None` for every other reference, and a reason for one that leads
    /// above its share.
    pub(crate) fn read(
        &self,
        text: &str,
        base: Option<&str>,
        dialect: Dialect,
    ) -> Option<Result<String, LeftReason>> {
        let left = Some(Err(LeftReason::AboveShare));
        let url = match Place::of(text) {
            Some(Place { start: Start::Host(_), rest, .. }) if climbs(rest, 0, true) => {
                return left.filter(|_| is_file(text) || base.is_none_or(is_file));
            }
            Some(place) if place.is_path() => match place.start {
                Start::Drive(letter, mark)
                    if self.letters.contains(letter.to_ascii_uppercase()) =>
                {
                    format!("file:///{letter}{mark}{}", place.rest)
                }
                Start::Host(host) if base.is_none() => format!("file://{host}{}", place.rest),
                _ => return None,
            },
            Some(_) => return None,
            None => {
                let base = base.filter(|base| is_file(base))?;
                let form = Reference::split_under(text, dialect, "file").form();
                let is_path = matches!(form, Form::RelativePath | Form::AbsolutePath);
                if !is_path || (form == Form::RelativePath && !climbs(text, 0, false)) {
                    return None;
                }
                let Place { start: Start::Host(_), rest, .. } = Place::of_url(base)? else {
                    return None;
                };
                let mut ends = rest[..path_end(rest)].match_indices(SEPARATORS).map(|(at, _)| at);
                let (_, share) = (ends.next()?, ends.next()?);
                let depth = if form == Form::RelativePath { ends.count() } else { 0 };
                if climbs(text, depth, false) {
                    return left;
                }
                if form == Form::RelativePath {
                    return None;
                }
                format!("{}{text}", &base[..base.len() - rest.len() + share])
            }
        };
        let mut target = String::new();
        resolve_without_base(&url, Dialect::Web, &mut target).ok()?;
        Some(Ok(target))
    }

    /// Returns the target that a path has if each `#` in it is part of a name; `None` if it is
    /// written as a URL or has none. `target` is its target with a fragment.
    pub(crate) fn with_number_signs(&self, text: &str, target: &str) -> Option<String> {
        let at = text.find('#').filter(|at| text[..*at].contains('\\'))?;
        Place::of(&text[..at])?;
        Place::of_url(target)?;
        let (path, fragment) = target.split_once('#')?;
        Some(format!("{path}%23{}", fragment.replace('\\', "/").replace('#', "%23")))
    }

    /// Returns true if the tree has a file or directory at `name`, and false if it has a file at
    /// `document`; `None` if it has both or none of them.
    pub(crate) fn is_name(&self, name: &str, document: &str) -> Option<bool> {
        let names = self.names.get()?;
        let contains = |url: &str, or_directory| {
            names.contains(self.on_share(url).as_deref().unwrap_or(url), or_directory)
        };
        let is_name = contains(name, true);
        (is_name != contains(document, false)).then_some(is_name)
    }

    /// Returns a reference that is written as a path or `file` URL, with the place of `output`
    /// instead of that of `target`, in the same spelling. The names that both have at their ends
    /// stay as they are written. `None` if `output` is no place on a Windows machine.
    pub(crate) fn respelled(&self, text: &str, target: &str, output: &str) -> Option<String> {
        let (place, to) = (Place::of(text)?, Place::of_url(output)?);
        let (target, tail) = target.split_at(path_end(target));
        let names = &to.rest[..path_end(to.rest)];
        if to.rest[names.len()..] != *tail {
            return None;
        }
        let old_names = Place::of_url(target)?.rest;
        let n_same = names
            .rsplit(SEPARATORS)
            .zip(old_names.rsplit(SEPARATORS))
            .take_while(|(one, other)| one == other)
            .count()
            .min(names.matches(SEPARATORS).count())
            .min(old_names.matches(SEPARATORS).count());
        let (path, tail) = place.rest.split_at(path_end(place.rest));
        let start_of = |path: &str| match n_same {
            0 => Some(path.len()),
            _ => path.rmatch_indices(SEPARATORS).nth(n_same - 1).map(|(at, _)| at),
        };
        let (new, kept) = (&names[..start_of(names)?], &path[start_of(path)?..]);
        let separator = place.rest.chars().next().or(place.prefix.chars().last());
        let separator = separator.filter(|char| SEPARATORS.contains(char)).unwrap_or('\\');
        let mut respelled = match (place.start, to.start) {
            (Start::Host(_), Start::Host(host)) => format!("{}{host}", place.prefix),
            (Start::Drive(_, mark), Start::Drive(letter, _)) => {
                format!("{}{letter}{mark}", place.prefix)
            }
            (Start::Drive(..), Start::Host(host)) if place.is_path() => format!(r"\\{host}"),
            (Start::Drive(..), Start::Host(host)) => format!("file://{host}"),
            (Start::Host(_), Start::Drive(letter, _)) if place.is_path() => format!("{letter}:"),
            (Start::Host(_), Start::Drive(letter, _)) => format!("file:///{letter}:"),
        };
        let is_escaped = text.contains('%') || !(place.is_path() || text.contains(' '));
        for name in new.split(SEPARATORS).skip(1) {
            respelled.push(separator);
            match std::str::from_utf8(&decoded(name)) {
                Ok(plain) if !is_escaped && !plain.contains(['%', '#', '?']) => {
                    respelled.push_str(plain);
                }
                _ => respelled.push_str(name),
            }
        }
        Some([&*respelled, kept, tail].concat())
    }
}

/// Returns true if two URLs are of one place on a Windows machine, with one query and fragment.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    let (path, tail) = one.split_at(path_end(one));
    below(path, other).is_some_and(|rest| rest == tail)
}

/// Returns true for a `file` URL.
pub(super) fn is_file(url: &str) -> bool {
    url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

/// Returns true if a path has more `..` than names before them and `depth` more; `has_share` is
/// true if its first name is a share.
fn climbs(path: &str, depth: usize, has_share: bool) -> bool {
    let path = &path[..path_end(path)];
    // Most have none.
    if !path.contains("..") && !path.contains('%') {
        return false;
    }
    let mut depth = depth;
    let names = path.split(SEPARATORS).filter(|name| !matches!(*name, "" | "."));
    for name in names.skip(usize::from(has_share)) {
        let is_climb = name.len() <= "%2e%2e".len() && *decoded(name) == *b"..";
        depth = match depth.checked_sub(1) {
            None if is_climb => return true,
            Some(less) if is_climb => less,
            _ => depth + 1,
        };
    }
    false
}
