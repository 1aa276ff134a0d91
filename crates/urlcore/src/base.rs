//! Bases, split and resolved once for all references that depend on them.
//!
//! Invariant: a base has a scheme, and in [`Dialect::Web`] a host that a browser accepts; it is
//! never changed after it was read. Sections: RFC 3986 5.1; RFC 1808 3; WHATWG URL 4.4, where a
//! base is a parsed URL.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::compose;
use crate::dialect::Dialect;
use crate::dots::{self, OpenPath, n_leading_climbs};
use crate::host::{self, HostError};
use crate::rules::{Empty, EmptyBasePath, EmptyReference, Excess, Rules};
use crate::scan::{first_of, has_below, may_have_pair};
use crate::scheme_kind::SchemeKind;
use crate::split::{Offsets, Reference, clean_by};

/// The reason why a text cannot be a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BaseError {
    /// The text has no scheme (RFC 3986 5.1).
    NotAbsolute,
    /// No browser accepts the host.
    Host(HostError),
}

impl fmt::Display for BaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAbsolute => f.write_str("the base has no scheme"),
            Self::Host(error) => write!(f, "unusable base: {error}"),
        }
    }
}

impl core::error::Error for BaseError {}

/// A base, ready to resolve references in one dialect.
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, Resolver};
///
/// let resolver = Resolver::new("http://example.org/a/b?q#f", Dialect::Web)?;
/// let mut target = String::new();
/// for (reference, expected) in [
///     ("c", "http://example.org/a/c"),
///     ("../c/", "http://example.org/c/"),
///     ("?", "http://example.org/a/b?"),
///     ("#s", "http://example.org/a/b?q#s"),
///     ("//h", "http://h"),
///     ("mailto:u@h", "mailto:u@h"),
/// ] {
///     resolver.resolve_into(reference, &mut target).unwrap();
///     assert_eq!(target, expected);
/// }
/// # Ok::<(), urlcore::BaseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Resolver<'b> {
    base: &'b str,
    pub(crate) rules: Rules,
    /// The base that references inherit from: resolved if the dialect resolves bases, else as
    /// given.
    pub(crate) whole: Cow<'b, str>,
    pub(crate) at: Offsets,
    /// The base up to the last slash of its path, without dot segments; relative paths are appended
    /// to it.
    pub(crate) directory: String,
    /// The ends of the directory, level by level: the last is its end, and each `..` removes one.
    /// Levels for which a `..` has any other effect are not in the list, so it may be empty.
    pub(crate) levels: Vec<usize>,
    /// True if the base has an authority, in the sense of the dialect.
    pub(crate) has_authority: bool,
    /// True if a merged path begins with a slash before dot segments are removed.
    pub(crate) rooted: bool,
    /// The offset of the path in `whole` and in `directory`.
    pub(crate) root: usize,
}

impl<'b> Resolver<'b> {
    /// Splits a base (RFC 3986 5.1). It may have a fragment.
    ///
    /// # Errors
    ///
    /// [`BaseError`] if the base has no scheme or, in [`Dialect::Web`], an unusable host. An opaque
    /// path is not an error: `#s` can be resolved against it.
    ///
    /// # Examples
    ///
    /// ```
    /// use urlcore::{BaseError, Dialect, Resolver};
    ///
    /// assert_eq!(Resolver::new("/a", Dialect::Web).unwrap_err(), BaseError::NotAbsolute);
    /// assert!(Resolver::new("http://a b/", Dialect::Web).is_err());
    /// assert!(Resolver::new("http://a b/", Dialect::Rfc3986).is_ok());
    /// ```
    pub fn new(base: &'b str, dialect: Dialect) -> Result<Self, BaseError> {
        Self::with_rules(base, *dialect.rules())
    }

    /// Splits a base as [`new`](Self::new) does, with a table of switches. Fields of the table may
    /// have been set where a specification leaves a choice open.
    ///
    /// # Errors
    ///
    /// [`BaseError`], as [`new`](Self::new).
    ///
    /// # Examples
    ///
    /// ```
    /// use urlcore::{Dialect, Resolver, SameScheme};
    ///
    /// let mut rules = *Dialect::Rfc3986.rules();
    /// rules.same_scheme = SameScheme::Ignored;
    /// let resolver = Resolver::with_rules("http://a/b/c", rules)?;
    /// assert_eq!(resolver.resolve("http:g").unwrap(), "http://a/b/g");
    /// # Ok::<(), urlcore::BaseError>(())
    /// ```
    pub fn with_rules(base: &'b str, rules: Rules) -> Result<Self, BaseError> {
        let own = rules;
        let rules = &own;
        let mut whole = clean_by(base, rules);
        let r = Reference::split_by(&whole, rules, None);
        if !r.is_absolute() {
            return Err(BaseError::NotAbsolute);
        }
        if rules.resolves_base {
            let mut resolved = String::with_capacity(whole.len() + 3);
            compose::write_absolute(&r, rules, &mut resolved).map_err(BaseError::Host)?;
            compose::escape_end(&mut resolved, rules);
            whole = Cow::Owned(resolved);
        }

        let r = Reference::split_by(&whole, rules, None);
        let has_authority = r
            .authority()
            .is_some_and(|authority| !(rules.empty == Empty::Undefined && authority.is_empty()));
        let path = r.path();
        let root = r.at.path_start;
        let from_slash =
            path.is_empty() && has_authority && rules.empty_base_path == EmptyBasePath::Slash;
        let rooted = path.starts_with('/') || from_slash;
        let mut directory = String::from(&whole[..root]);
        let open = OpenPath { rules, kind: r.kind(), root, rooted };
        if r.kind() == SchemeKind::File && path.len() == 3 && dots::root_length(path) == 3 {
            open.append(&mut directory, path, 0);
            directory.push('/');
        } else if let Some(slash) = path.rfind('/') {
            open.append(&mut directory, &path[..=slash], r.at.plain_from);
        } else if from_slash {
            directory.push('/');
        }
        let at = r.at;
        let is_opaque = rules.opaque_paths && !rooted && r.authority().is_none();
        let levels = if is_opaque { Vec::new() } else { levels(&directory, root, r.kind(), rules) };
        Ok(Self { levels, base, rules: own, whole, at, directory, has_authority, rooted, root })
    }

    /// Returns the base as given.
    #[must_use]
    pub fn base(&self) -> &str {
        self.base
    }

    /// Returns the switches in force.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the scheme of the base without its `:`, as spelled.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.whole[..self.at.colon.unwrap_or(0)]
    }

    /// Returns the base up to the last slash of its path. All bases with the same directory give
    /// the same targets to the references for which [`is_by_directory`](Self::is_by_directory)
    /// returns true. `None` if more of the base matters.
    ///
    /// # Examples
    ///
    /// ```
    /// use urlcore::{Dialect, Resolver};
    ///
    /// let resolver = Resolver::new("http://h/a/b?c/d#e", Dialect::Web)?;
    /// assert_eq!(resolver.directory(), Some("http://h/a/"));
    /// assert!(resolver.is_by_directory("../f?g"));
    /// assert!(!resolver.is_by_directory("?g"));
    /// assert_eq!(Resolver::new("mailto:u@h", Dialect::Web)?.directory(), None);
    /// # Ok::<(), urlcore::BaseError>(())
    /// ```
    #[must_use]
    pub fn directory(&self) -> Option<&str> {
        let slash = self.whole[self.root..self.at.path_end].rfind('/')?;
        // What follows the first slash may be a drive letter.
        let is_known = slash > 0 || self.at.kind != SchemeKind::File;
        is_known.then(|| &self.whole[..=self.root + slash])
    }

    /// Returns true if the target of a reference depends on nothing of the base but its
    /// [`directory`](Self::directory): it inherits no path, query or fragment.
    #[must_use]
    pub fn is_by_directory(&self, reference: &str) -> bool {
        let text = clean_by(reference, &self.rules);
        let r = self.split(&text);
        let has_host = || r.authority().is_some_and(|authority| !authority.is_empty());
        r.is_absolute() || !r.path().is_empty() || has_host()
    }

    /// Splits a reference as it is read with this base.
    #[inline]
    pub(crate) fn split<'r>(&self, reference: &'r str) -> Reference<'r> {
        Reference::split_by(reference, &self.rules, Some((self.scheme(), self.at.kind)))
    }

    /// Returns true if only fragments can be resolved against the base.
    pub(crate) fn is_opaque(&self) -> bool {
        self.rules.opaque_paths && !self.rooted && self.at.authority.is_none()
    }

    /// Returns the length of the slash and drive letter that absolute-path references inherit, or
    /// 0, in bytes.
    pub(crate) fn drive_length(&self) -> usize {
        match self.at.kind {
            SchemeKind::File => dots::root_length(&self.whole[self.root..self.at.path_end]),
            _ => 0,
        }
    }
}

/// Returns the offsets at which a directory ends when its last segments are removed one by one, as
/// far as a `..` removes exactly one segment.
fn levels(directory: &str, root: usize, kind: SchemeKind, rules: &Rules) -> Vec<usize> {
    let mut levels = Vec::with_capacity(8);
    // A drive letter stops `..`; a slash may have to be inserted; an excess `..` may be refused.
    let is_plain = kind != SchemeKind::File && rules.excess != Excess::Refused;
    if !is_plain || directory.len() == root {
        return levels;
    }
    let mut start = root;
    for (at, _) in directory[root..].match_indices('/') {
        let end = root + at + 1;
        let segment = &directory[start..end - 1];
        let is_climbed = match segment {
            ".." => false,
            "" => rules.climbs_empty_segments && start > root,
            _ => true,
        };
        if !is_climbed {
            levels.clear();
        }
        levels.push(end);
        start = end;
    }
    levels
}

// The fast path for plain references: some `../` and a rest that is read as written, or only a
// fragment.
//
// Invariant: for a plain reference the resolver gets the same target as by its full rules: the
// directory of the base without as many segments, and the rest, byte by byte. So the inverse is
// plain too. Most references of real documents are plain.

/// A plain reference.
pub(crate) enum Plain<'r> {
    /// Only a fragment, with its `#`.
    Fragment(&'r str),
    /// A path that goes up `n_up` directories, and down from there.
    Path { n_up: usize, rest: &'r str },
    /// An authority and everything after it, with the slashes before it.
    Network(&'r str),
}

impl Resolver<'_> {
    /// Returns the parts of a [cleaned](crate::clean) reference if it is plain, else `None`.
    #[inline]
    pub(crate) fn plain<'r>(&self, reference: &'r str) -> Option<Plain<'r>> {
        if reference.starts_with('#') {
            return self.names_base().then_some(Plain::Fragment(reference));
        }
        let n_up = n_leading_climbs(reference.as_bytes());
        let rest = &reference[3 * n_up..];
        let is_plain = n_up < self.levels.len() && self.is_plain(rest, n_up);
        is_plain.then_some(Plain::Path { n_up, rest })
    }

    /// Returns the directory of the base without its last `n_up` segments.
    #[inline]
    pub(crate) fn above(&self, n_up: usize) -> &str {
        &self.directory[..self.levels[self.levels.len() - 1 - n_up]]
    }

    /// Returns true if a fragment is only appended to the base.
    pub(crate) fn names_base(&self) -> bool {
        let rules = &self.rules;
        rules.empty == Empty::Defined
            && rules.empty_reference == EmptyReference::BaseWithoutFragment
            && !self.is_opaque()
    }

    /// Returns true if the text after some `../` is read as written: a path that is not empty and
    /// has no dot segments and no backslash, in which, if nothing precedes it, no colon could end a
    /// scheme; and a query or fragment that is kept.
    #[inline]
    pub(crate) fn is_plain(&self, rest: &str, n_up: usize) -> bool {
        let (rules, bytes) = (&self.rules, rest.as_bytes());
        let mut first = 0;
        // After `../` an empty segment or a colon is allowed.
        if n_up == 0 {
            first = first_of(bytes, [b'/', b':', b'?', b'#', b'\\']);
            if first == 0 || matches!(bytes.get(first), Some(b':' | b'\\')) {
                return false;
            }
        }
        let rest = &bytes[first..];
        // Any other delimiter that matters is before the end of the path.
        let (length, is_whole) = if rules.special_schemes {
            let length = first_of(rest, [b'?', b'#', b'\\']);
            (length, rest.get(length) != Some(&b'\\'))
        } else {
            (first_of(rest, [b'?', b'#']), !rules.params || first_of(bytes, [b';']) == bytes.len())
        };
        let path = &bytes[..first + length];
        let has_tail = path.len() < bytes.len();
        is_whole
            && !(has_tail && (rules.empty != Empty::Defined || rules.dots_in_query))
            && !matches!(path.first(), None | Some(b'.' | b'%'))
            && !may_have_pair(path, b'/', [b'.', b'%'])
    }

    /// Returns true if the text after a scheme is an authority, and it and everything after it are
    /// read as written.
    pub(crate) fn is_plain_network(&self, rest: &str) -> bool {
        let (rules, kind) = (&self.rules, self.at.kind);
        let Some(bytes) = rest.as_bytes().strip_prefix(b"//") else { return false };
        let host_end = first_of(bytes, [b'/', b'?', b'#', b'\\']);
        let tail = &bytes[host_end..];
        let path_end = first_of(tail, [b'?', b'#', b'\\']);
        rules.empty == Empty::Defined
            && kind != SchemeKind::File
            && host_end > 0
            && tail.get(path_end) != Some(&b'\\')
            && !may_have_pair(&tail[..path_end], b'/', [b'.', b'%'])
            && (!rules.checks_hosts || host::check(&rest[2..2 + host_end], kind).is_ok())
    }

    /// Returns true if [`clean`](crate::clean) would leave a text as it is.
    #[inline]
    pub(crate) fn is_clean(&self, text: &str) -> bool {
        !self.rules.cleans || !has_below(text.as_bytes(), b'!')
    }
}
