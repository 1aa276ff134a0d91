//! The inverse of resolution: the reference from a base to a target.
//!
//! Invariant: no answer is ever wrong. Candidates are tried from the shortest form to the longest
//! (`search.rs`), and each is accepted only if it resolves to the target, byte by byte (RFC 1808
//! has no such algorithm; RFC 3986 4.2 and 4.4 name the forms of references).
//!
//! The reason why no reference resolves to a target.
//!
//! Invariant: the reason is searched for only after every reference has failed, so it never keeps
//! one from being found. Sections: RFC 3986 4.3, 5.2.2, 5.2.4.
//!
//! Forms of references: the parts of the base on which a reference depends, as it is written.
//!
//! Invariant: the form follows from which components are defined, and from nothing else. Sections:
//! RFC 3986 4.1, 4.2, 4.4.

use alloc::string::String;
use core::fmt;

use crate::base::{Plain, Resolver};
use crate::dots::has_dot_segments;
use crate::host::HostError;
use crate::resolve::ResolveError;
use crate::scan::n_same;
use crate::search::{BaseIs, Buffers, Search, Style};
use crate::split::Reference;

/// A reference that resolves to a target against a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relativized<'r> {
    /// The reference.
    pub text: &'r str,
    /// The form of the reference: the parts of the base on which it depends.
    pub form: Form,
}

/// The writer of references from bases to targets, with buffers that are reused.
///
/// # Examples
///
/// ```
/// use urlcore::{BaseIs, Dialect, Relativizer, Resolver, Style};
///
/// let resolver = Resolver::new("http://h/a/b/c?q", Dialect::Web)?;
/// let mut relativizer = Relativizer::default();
/// for (target, relative, shortest) in [
///     ("http://h/a/b/d", "d", "d"),
///     ("http://h/a/", "../", ".."),
///     ("http://h/a/b/", "./", "."),
///     ("http://h/x", "../../x", "/x"),
///     ("http://h/a/b/c?q#s", "#s", "#s"),
///     ("http://h/a/b/c", "c", "c"),
///     ("http://h/a/b/x:y", "./x:y", "./x:y"),
///     ("http://i/x", "//i/x", "//i/x"),
///     ("mailto:u@h", "mailto:u@h", "mailto:u@h"),
/// ] {
///     for (style, text) in [(Style::Relative, relative), (Style::Shortest, shortest)] {
///         let found = relativizer.relativize(&resolver, target, style, BaseIs::Document).unwrap();
///         assert_eq!(found.text, text);
///     }
/// }
/// # Ok::<(), urlcore::BaseError>(())
/// ```
#[derive(Debug, Default)]
pub struct Relativizer {
    buffers: Buffers,
}

impl Relativizer {
    /// Returns the reference to `target` in the given style, or in the next longer one that exists.
    ///
    /// # Errors
    ///
    /// [`RelativizeError`] if no reference resolves to the target, not even the target itself.
    ///
    /// # Examples
    ///
    /// ```
    /// use urlcore::{BaseIs, Dialect, Form, RelativizeErrorReason, Relativizer, Resolver, Style};
    ///
    /// let resolver = Resolver::new("http://h/a/b", Dialect::Rfc2396)?;
    /// let mut relativizer = Relativizer::default();
    /// let mut relativize = |target, base_is| {
    ///     let found = relativizer.relativize(&resolver, target, Style::Relative, base_is);
    ///     found.map(|relative| (relative.text.to_owned(), relative.form))
    /// };
    /// let (same, other) = (BaseIs::Document, BaseIs::Other);
    /// assert_eq!(relativize("http://h/a/b#s", same), Ok(("#s".to_owned(), Form::SameDocument)));
    /// assert_eq!(relativize("http://h/a/b#s", other), Ok(("b#s".to_owned(), Form::RelativePath)));
    /// assert_eq!(relativize("b", other).unwrap_err().reason, RelativizeErrorReason::NotAbsolute);
    /// # Ok::<(), urlcore::BaseError>(())
    /// ```
    pub fn relativize<'r>(
        &'r mut self,
        resolver: &Resolver<'_>,
        target: &'r str,
        style: Style,
        base_is: BaseIs,
    ) -> Result<Relativized<'r>, RelativizeError> {
        match plain_way(resolver, target, style, base_is) {
            Some(Plain::Fragment(text)) => {
                return Ok(Relativized { text, form: Form::SameDocument });
            }
            Some(Plain::Network(text)) => return Ok(Relativized { text, form: Form::NetworkPath }),
            Some(Plain::Path { n_up, rest }) => {
                return Ok(Relativized { text: self.up(n_up, rest), form: Form::RelativePath });
            }
            None => {}
        }
        let mut search = Search::new(&mut self.buffers, resolver, target, base_is);
        if !search.find(style) {
            return Err(RelativizeError::new(resolver, target, &mut self.buffers.target));
        }
        let form = resolver.split(&self.buffers.candidate).form();
        Ok(Relativized { text: &self.buffers.candidate, form })
    }

    /// Returns the reference that goes up `n_up` directories, and down from there.
    fn up<'r>(&'r mut self, n_up: usize, rest: &'r str) -> &'r str {
        if n_up == 0 {
            return rest;
        }
        self.buffers.candidate.clear();
        (0..n_up).for_each(|_| self.buffers.candidate.push_str("../"));
        self.buffers.candidate.push_str(rest);
        &self.buffers.candidate
    }
}

/// Returns the parts of the reference to a target if it is plain: the base without its fragment and
/// an appended rest, or its directory without some segments and a rest, are the target of the
/// reference. Both are compared with the target here, and most targets need no more.
#[inline]
fn plain_way<'t>(
    resolver: &Resolver<'_>,
    target: &'t str,
    style: Style,
    base_is: BaseIs,
) -> Option<Plain<'t>> {
    let Resolver { directory, levels, rules, at, whole, root, .. } = resolver;
    // Without an authority a path could be read as an authority.
    if !matches!(style, Style::Relative | Style::Shortest) || at.authority.is_none() {
        return None;
    }
    let bytes = target.as_bytes();
    if let None | Some(b'?' | b'#' | b';') = bytes.get(at.path_end)
        && bytes.get(..at.path_end) == whole.as_bytes().get(..at.path_end)
    {
        let rest = target.strip_prefix(whole.get(..at.query_end)?)?;
        let is_within = base_is == BaseIs::Document
            && rest.starts_with('#')
            && resolver.names_base()
            && resolver.is_clean(rest);
        return is_within.then_some(Plain::Fragment(rest));
    }
    let n_same = n_same(directory.as_bytes(), bytes);
    let after_scheme = resolver.scheme().len() + 1;
    if n_same < *root && n_same >= after_scheme {
        let rest = &target[after_scheme..];
        let is_plain = resolver.is_plain_network(rest) && resolver.is_clean(rest);
        return is_plain.then_some(Plain::Network(rest));
    }
    let level = levels.iter().rposition(|end| *end <= n_same)?;
    let n_up = levels.len() - 1 - level;
    let rest = &target[levels[level]..];
    if !resolver.is_plain(rest, n_up) || !resolver.is_clean(rest) {
        return None;
    }
    let is_shortest = || {
        n_up == 0 || (rules.final_dots_leave_slash && 3 * n_up + rest.len() <= target.len() - root)
    };
    (style != Style::Shortest || is_shortest()).then_some(Plain::Path { n_up, rest })
}

/// The error of relativizing a target to which no reference resolves.
///
/// # Examples
///
/// ```
/// use urlcore::{BaseIs, Dialect, RelativizeErrorReason, Relativizer, Resolver, Style};
///
/// let resolver = Resolver::new("http://h/a", Dialect::Rfc3986)?;
/// let mut relativizer = Relativizer::default();
/// let found =
///     relativizer.relativize(&resolver, "http://h/./b", Style::Relative, BaseIs::Document);
/// assert_eq!(found.unwrap_err().reason, RelativizeErrorReason::DotSegments);
/// # Ok::<(), urlcore::BaseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RelativizeError {
    /// The reason why there is no such reference.
    pub reason: RelativizeErrorReason,
}

/// The reason why no reference resolves to a target: see [`RelativizeError`].
///
/// # Examples
///
/// ```
/// use urlcore::{BaseIs, Dialect, RelativizeErrorReason, Relativizer, Resolver, Style};
///
/// let resolver = Resolver::new("http://h/a", Dialect::Web)?;
/// let mut relativizer = Relativizer::default();
/// let found = relativizer.relativize(&resolver, "b", Style::Relative, BaseIs::Document);
/// assert_eq!(found.unwrap_err().reason, RelativizeErrorReason::NotAbsolute);
/// # Ok::<(), urlcore::BaseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RelativizeErrorReason {
    /// The target has no scheme: it is itself a relative reference.
    NotAbsolute,
    /// The target has a host that no browser accepts.
    Host(HostError),
    /// The target has dot segments, which resolution removes from every path (RFC 3986 5.2.2).
    DotSegments,
    /// The target has the scheme of the base and no authority, and the scheme is ignored (RFC 3986
    /// 5.2.2, not strict).
    SameScheme,
    /// Resolution changes the spelling of the target.
    Respelled,
}

impl fmt::Display for RelativizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no reference in that style resolves to the target: ")?;
        match self.reason {
            RelativizeErrorReason::NotAbsolute => f.write_str("it has no scheme"),
            RelativizeErrorReason::Host(error) => write!(f, "{error}"),
            RelativizeErrorReason::DotSegments => {
                f.write_str("its dot segments are always removed")
            }
            RelativizeErrorReason::SameScheme => {
                f.write_str("it has no authority, and the scheme of the base is ignored")
            }
            RelativizeErrorReason::Respelled => f.write_str("its spelling is always changed"),
        }
    }
}

impl core::error::Error for RelativizeError {}

impl RelativizeError {
    /// Finds the reason why no reference resolves to the target against the base. `found` is a
    /// buffer.
    pub(crate) fn new(resolver: &Resolver<'_>, target: &str, found: &mut String) -> Self {
        RelativizeError { reason: reason(resolver, target, found) }
    }
}

fn reason(resolver: &Resolver<'_>, target: &str, found: &mut String) -> RelativizeErrorReason {
    let r = Reference::split_by(target, &resolver.rules, None);
    if !r.is_absolute() {
        return RelativizeErrorReason::NotAbsolute;
    }
    match resolver.resolve_into(target, found) {
        Err(ResolveError::Host(error)) => return RelativizeErrorReason::Host(error),
        _ if !resolver.split(target).is_absolute() => return RelativizeErrorReason::SameScheme,
        _ => {}
    }
    let found = Reference::split_by(found, &resolver.rules, None);
    if found.path() != r.path() && has_dot_segments(r.path(), &resolver.rules) {
        return RelativizeErrorReason::DotSegments;
    }
    RelativizeErrorReason::Respelled
}

/// The form of a reference: the parts of the base on which it depends, as it is written (RFC 3986
/// 4.1, 4.2, 4.4).
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, Form, Reference};
///
/// assert_eq!(Reference::split("//h/a", Dialect::Rfc3986).form(), Form::NetworkPath);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// A reference with a scheme, such as `http://host/path`.
    Absolute,
    /// A reference with an authority, such as `//host/path`.
    NetworkPath,
    /// A reference with a path from the root, such as `/path`.
    AbsolutePath,
    /// A reference with any other path, or without path but with a query, such as `path` or
    /// `?query`.
    RelativePath,
    /// A reference that is only a fragment, or empty.
    SameDocument,
}

impl Reference<'_> {
    /// Returns the form of the reference (RFC 3986 4.2).
    ///
    /// # Examples
    ///
    /// ```
    /// use urlcore::{Dialect, Form, Reference};
    ///
    /// let form = |text| Reference::split(text, Dialect::Web).form();
    /// assert_eq!([form("a:b"), form("//b")], [Form::Absolute, Form::NetworkPath]);
    /// assert_eq!([form("/b"), form("b")], [Form::AbsolutePath, Form::RelativePath]);
    /// assert_eq!([form("?b"), form("#b")], [Form::RelativePath, Form::SameDocument]);
    /// ```
    #[must_use]
    pub fn form(&self) -> Form {
        if self.is_absolute() {
            Form::Absolute
        } else if self.at.authority.is_some() {
            Form::NetworkPath
        } else if self.is_rooted() {
            Form::AbsolutePath
        } else if self.at.path_start == self.at.query_end {
            Form::SameDocument
        } else {
            Form::RelativePath
        }
    }
}
