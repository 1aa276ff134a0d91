//! Places on Windows machines: one key for all spellings of a path, and the way back to each.
//!
//! A share is written as `\\host\share`, `//host/share`, and as a `file` URL with two, four or more
//! slashes, each of which may be a backslash (RFC 8089 E.3.2); a drive as `S:\`, `file:///S:/` and
//! `file:///S|/` (E.2). Names are equal if their simple mappings to upper case are, as NTFS compares
//! them. Short names (8.3) are other names.

use std::borrow::Cow;

use urlcore::escape::percent_decode;

/// What separates the names of a path.
pub(super) const SEPARATORS: [char; 2] = ['/', '\\'];

/// The start of a place: a machine or a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start<'t> {
    /// A host; the first name after it is a share.
    Host(&'t str),
    /// A letter, and the `:` or `|` after it.
    Drive(char, char),
}

/// A path or `file` URL of a place on a Windows machine, split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place<'t> {
    /// The text before the start: the scheme and the slashes, which make the spelling.
    pub(super) prefix: &'t str,
    pub(super) start: Start<'t>,
    /// The text after the start: a separator and names, a query and a fragment.
    pub(super) rest: &'t str,
}

impl<'t> Place<'t> {
    /// Splits a path or a URL. Returns `None` for every other text.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        const LOCAL: &str = "localhost";
        let is_url = text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
        let scheme = if is_url { "file:".len() } else { 0 };
        let mut after = text[scheme..].trim_start_matches(SEPARATORS);
        let n_slashes = text.len() - scheme - after.len();
        let is_local = is_url
            && n_slashes == 2
            && after.get(..LOCAL.len()).is_some_and(|host| host.eq_ignore_ascii_case(LOCAL))
            && after[LOCAL.len()..].starts_with(SEPARATORS);
        if is_local {
            after = &after[LOCAL.len() + 1..];
        }
        let prefix = &text[..text.len() - after.len()];
        let name_end = after.find(['/', '\\', '?', '#']).unwrap_or(after.len());
        let (name, rest) = after.split_at(name_end);
        let start = match *name.as_bytes() {
            [letter, mark @ (b':' | b'|')] if letter.is_ascii_alphabetic() => {
                let is_path = prefix.is_empty() && rest.starts_with(SEPARATORS);
                let is_drive = is_path || (is_url && n_slashes > 0);
                is_drive.then_some(Start::Drive(letter.into(), mark.into()))
            }
            _ => {
                let names_host = n_slashes == 2 || (is_url && n_slashes > 3);
                (names_host && !is_local && is_host(name)).then_some(Start::Host(name))
            }
        };
        Some(Place { prefix, start: start?, rest })
    }

    /// Splits a URL. Returns `None` for every other text, and for other schemes at once.
    #[inline]
    pub(super) fn of_url(url: &'t str) -> Option<Self> {
        let is_file = matches!(url.as_bytes(), [b'f' | b'F', _, _, _, b':', ..]);
        if is_file { Place::of(url) } else { None }
    }

    /// Returns true if it is written as a path and not as a URL.
    pub(super) fn is_path(self) -> bool {
        !self.prefix.contains(':')
    }

    /// Returns the host in upper case, if any, as the start of a key, and the rest of `text`, the
    /// URL that was split, from the separator after the host or before the drive on.
    pub(super) fn key(self, text: &'t str) -> (String, &'t str) {
        let mut key = "file://".to_owned();
        match self.start {
            Start::Host(host) => {
                key.extend(host.chars().map(upper));
                (key, self.rest)
            }
            Start::Drive(..) => (key, &text[self.prefix.len() - 1..]),
        }
    }
}

/// Appends names, each after a separator, to a key.
///
/// Two paths have one key exactly if all their names are equal on Windows.
pub(super) fn push_key(names: &str, key: &mut String) {
    for (idx, name) in names.split(SEPARATORS).enumerate() {
        if idx > 0 {
            key.push('/');
        }
        match &*decoded(name) {
            // An old spelling of a drive letter; no name contains `|`.
            [letter, b'|'] if letter.is_ascii_alphabetic() => {
                key.extend([char::from(letter.to_ascii_uppercase()), ':']);
            }
            bytes => match std::str::from_utf8(bytes) {
                Ok(name) => key.extend(name.chars().map(upper)),
                // No name contains a backslash.
                Err(_) => key.extend(["\\", &name.to_ascii_uppercase()]),
            },
        }
    }
}

/// Returns a name without escapes; as it is if that would have a separator.
pub(super) fn decoded(name: &str) -> Cow<'_, [u8]> {
    let decoded = percent_decode(name);
    if decoded.contains(&b'/') || decoded.contains(&b'\\') {
        name.as_bytes().into()
    } else {
        decoded
    }
}

/// Returns the rest of a URL below another, from a separator on; `None` if it is not below it or
/// one of them is not of a Windows machine. `root` has no separator at its end.
pub(super) fn below<'u>(root: &str, url: &'u str) -> Option<&'u str> {
    let key = |names: &str, host: String| {
        let mut key = host;
        push_key(names, &mut key);
        key
    };
    let (host, names) = Place::of_url(root)?.key(root);
    let (own_host, own) = Place::of_url(url)?.key(url);
    let n_names = names.matches(SEPARATORS).count();
    let end = own[..path_end(own)].match_indices(SEPARATORS).nth(n_names).map(|(at, _)| at);
    let end = end.unwrap_or(path_end(own));
    (key(names, host) == key(&own[..end], own_host)).then(|| &own[end..])
}

/// Returns the offset of the query or fragment of a URL or path, or its length.
pub(super) fn path_end(text: &str) -> usize {
    text.find(['?', '#']).unwrap_or(text.len())
}

/// Returns the simple mapping of a character to upper case (Unicode, section 5.18). NTFS compares
/// units of UTF-16, so it maps no characters above them.
fn upper(char: char) -> char {
    let mut full = char.to_uppercase();
    match (char, full.next(), full.next()) {
        ('\u{10000}'.., ..) => char,
        (_, Some(one), None) => one,
        // The full mapping of Greek letters with an iota has two characters.
        ('\u{1F80}'..='\u{1FAF}', ..) => char::from_u32(u32::from(char) | 8).unwrap_or(char),
        ('\u{1FB3}' | '\u{1FC3}' | '\u{1FF3}', ..) => {
            char::from_u32(u32::from(char) + 9).unwrap_or(char)
        }
        _ => char,
    }
}

/// Returns true for the name of a host. Names that consist of dots are devices.
fn is_host(name: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || "-._".contains(char);
    name.chars().all(is_part) && name.contains(|char: char| char != '.')
}
