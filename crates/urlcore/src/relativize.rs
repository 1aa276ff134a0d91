//! The inverse of resolution: the reference that leads from a base to a target.
//!
//! Invariant: no answer is ever wrong. Candidates are tried from the shortest kind to the longest, and each is accepted
//! only if it resolves to the target, octet by octet (RFC 1808 has no such algorithm; RFC 3986 4.2 and 4.4 name the
//! kinds of references).

use alloc::string::String;
use core::fmt;

use crate::base::Resolver;
use crate::dialect::Dialect;
use crate::split::Reference;

/// How a reference is to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Style {
    /// With its scheme: `http://h/a/b`.
    Absolute,
    /// As a network-path reference, `//h/a/b`, where the schemes are the same.
    NetworkPath,
    /// As an absolute-path reference, `/a/b`, where the authorities are the same too.
    AbsolutePath,
    /// As a relative-path reference, `../b`, or a same-document one, `#s`.
    #[default]
    Relative,
    /// The shorter of the last two.
    Shortest,
}

impl Style {
    /// All styles, with the words of command lines.
    pub const ALL: [(&'static str, Style); 5] = [
        ("absolute", Style::Absolute),
        ("network-path", Style::NetworkPath),
        ("absolute-path", Style::AbsolutePath),
        ("relative", Style::Relative),
        ("shortest", Style::Shortest),
    ];
}

/// No reference resolves to the target: it is not what resolution gives, as with dot segments in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotExpressible;

impl fmt::Display for NotExpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no reference resolves to the target")
    }
}

impl core::error::Error for NotExpressible {}

/// Writes references that lead from bases to targets, with buffers that are used again.
///
/// ```
/// use urlcore::{Dialect, Relativizer, Resolver, Style};
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
///     assert_eq!(relativizer.relativize(&resolver, target, Style::Relative, true), Ok(relative));
///     assert_eq!(relativizer.relativize(&resolver, target, Style::Shortest, true), Ok(shortest));
/// }
/// # Ok::<(), urlcore::BaseError>(())
/// ```
#[derive(Debug, Default)]
pub struct Relativizer {
    /// The base that was asked for last, and its dialect.
    base: String,
    dialect: Option<Dialect>,
    /// The path of its directory: that of the target of `./`.
    directory: String,
    /// The reference that is tried.
    candidate: String,
    /// What it resolves to.
    target: String,
    /// The shortest so far.
    best: String,
}

impl Relativizer {
    /// Finds the directory of a base. Only the resolver knows it: the path of a base may hold dot segments.
    fn enter(&mut self, resolver: &Resolver<'_>) {
        if self.dialect == Some(resolver.dialect()) && self.base == *resolver.whole {
            return;
        }
        self.dialect = Some(resolver.dialect());
        self.base.clear();
        self.base.push_str(&resolver.whole);
        self.directory.clear();
        if resolver.resolve_into("./", &mut self.target).is_ok() {
            let r = Reference::split_by(&self.target, resolver.rules, None);
            self.directory.push_str(unguarded(&r));
        }
    }

    /// The reference in the wanted style, or in the next longer one that there is, that resolves to `target`.
    /// Unless `same_document`, none without a path or query is written: `""` and `#s` mean the document that they
    /// stand in to those who do not ask for the base.
    ///
    /// # Errors
    ///
    /// [`NotExpressible`] if not even the target itself does.
    pub fn relativize(
        &mut self,
        resolver: &Resolver<'_>,
        target: &str,
        style: Style,
        same_document: bool,
    ) -> Result<&str, NotExpressible> {
        self.enter(resolver);
        let split = |text| Reference::split_by(text, resolver.rules, None);
        let (r, base) = (split(target), split(&resolver.whole));
        let mut search = Search { own: self, resolver, r, base };
        if search.find(style, same_document) { Ok(&self.candidate) } else { Err(NotExpressible) }
    }
}

/// The search for one reference.
struct Search<'s, 'b> {
    own: &'s mut Relativizer,
    resolver: &'s Resolver<'b>,
    /// The target.
    r: Reference<'s>,
    base: Reference<'s>,
}

impl Search<'_, '_> {
    /// Leaves a reference of the wanted style, or the next longer one, in `candidate`.
    fn find(&mut self, style: Style, same_document: bool) -> bool {
        let has_same_scheme = self.r.scheme() == self.base.scheme();
        let has_same_authority = has_same_scheme && self.r.authority() == self.base.authority();
        let is_found = match style {
            _ if !has_same_authority => false,
            Style::Absolute | Style::NetworkPath => false,
            Style::AbsolutePath => self.absolute_path(),
            Style::Relative => {
                self.without_path(same_document)
                    || self.relative_path(false)
                    || self.absolute_path()
            }
            Style::Shortest => self.shortest(same_document),
        };
        is_found
            || (has_same_scheme && style != Style::Absolute && self.network_path())
            || self.is(&[self.r.text()])
    }

    /// Whether the pieces, put together, resolve to the target.
    fn is(&mut self, pieces: &[&str]) -> bool {
        let Relativizer { candidate, target, .. } = &mut *self.own;
        candidate.clear();
        pieces.iter().for_each(|piece| candidate.push_str(piece));
        self.resolver.resolve_into(candidate, target).is_ok() && *target == self.r.text()
    }

    /// Same-document references, and those that keep the path of the base: `""`, `#s`, `?q`, and `;p` of RFC 1808.
    fn without_path(&mut self, same_document: bool) -> bool {
        if self.r.path() != self.base.path() {
            return false;
        }
        let (text, at) = (self.r.text(), self.r.at);
        (same_document && self.is(&[&text[at.query_end..]]))
            || (at.query_end > at.params_end && self.is(&[&text[at.params_end..]]))
            || (at.params_end > at.path_end && self.is(&[&text[at.path_end..]]))
    }

    /// From the directory of the base up as far as needed, and down. With `is_short` a final slash is left out where
    /// it can be.
    fn relative_path(&mut self, is_short: bool) -> bool {
        let (path, tail) = (unguarded(&self.r), self.r.tail());
        let directory = &self.own.directory;
        let common = common_directory(directory, path);
        let n_up = directory[common..].bytes().filter(|byte| *byte == b'/').count();
        let rest = &path[common..];
        let up = "../".repeat(n_up);
        match (n_up, rest) {
            (0, "") => (is_short && self.is(&[".", tail])) || self.is(&["./", tail]),
            (0, _) => {
                // A base without path has no slash of its own.
                let rest = if common == 0 { rest.strip_prefix('/').unwrap_or(rest) } else { rest };
                let first = rest.split('/').next().unwrap_or_default();
                // A colon is mostly no scheme's, but readers differ.
                let is_plain = !first.is_empty() && (is_short || !first.contains(':'));
                (is_plain && self.is(&[rest, tail])) || self.is(&["./", rest, tail])
            }
            (_, "") if is_short && self.is(&[&up[..up.len() - 1], tail]) => true,
            _ => self.is(&[&up, rest, tail]),
        }
    }

    fn absolute_path(&mut self) -> bool {
        let (path, tail) = (self.r.path(), self.r.tail());
        match path.as_bytes() {
            [b'/', b'/', ..] => self.is(&["/.", path, tail]),
            [b'/', ..] => self.is(&[path, tail]),
            _ => false,
        }
    }

    fn network_path(&mut self) -> bool {
        let Some(authority) = self.r.authority() else { return false };
        self.is(&["//", authority, self.r.path(), self.r.tail()])
    }

    /// The shortest of all that need no authority.
    fn shortest(&mut self, same_document: bool) -> bool {
        if self.without_path(same_document) {
            return true;
        }
        let has_relative = self.relative_path(true);
        if has_relative {
            core::mem::swap(&mut self.own.best, &mut self.own.candidate);
        }
        let has_absolute = self.absolute_path();
        let Relativizer { best, candidate, .. } = &mut *self.own;
        if has_relative && (!has_absolute || best.len() <= candidate.len()) {
            core::mem::swap(best, candidate);
        }
        has_relative || has_absolute
    }
}

/// The path without the `/.` that keeps two slashes from being read as those of an authority.
fn unguarded<'a>(r: &Reference<'a>) -> &'a str {
    let path = r.path();
    let is_guarded = r.authority().is_none() && path.starts_with("/.//");
    if is_guarded { &path[2..] } else { path }
}

/// The length of the longest directory with which both paths begin.
fn common_directory(directory: &str, path: &str) -> usize {
    let pairs = directory.bytes().zip(path.bytes());
    let n_same = pairs.take_while(|(a, b)| a == b).count();
    directory[..n_same].rfind('/').map_or(0, |slash| slash + 1)
}
