//! The inverse of resolution: the reference that leads from a base to a target.
//!
//! Invariant: no answer is ever wrong. Candidates are tried from the shortest kind to the longest, and each is accepted
//! only if it resolves to the target, octet by octet (RFC 1808 has no such algorithm; RFC 3986 4.2 and 4.4 name the
//! kinds of references).

use alloc::string::String;
use core::fmt;

use crate::base::Resolver;
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

/// Writes references that lead from one base to targets, with buffers that are used again.
///
/// ```
/// use urlcore::{Dialect, Relativizer, Resolver, Style};
///
/// let resolver = Resolver::new("http://h/a/b/c?q", Dialect::Web)?;
/// let mut relativizer = Relativizer::new(&resolver);
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
///     assert_eq!(relativizer.relativize(target, Style::Relative, true), Ok(relative));
///     assert_eq!(relativizer.relativize(target, Style::Shortest, true), Ok(shortest));
/// }
/// # Ok::<(), urlcore::BaseError>(())
/// ```
#[derive(Debug)]
pub struct Relativizer<'r> {
    resolver: &'r Resolver<'r>,
    /// The path of the base's directory: that of the target of `./`.
    directory: String,
    /// The reference that is tried.
    candidate: String,
    /// What it resolves to.
    target: String,
    /// The shortest so far.
    best: String,
}

impl<'r> Relativizer<'r> {
    /// Prepares for references under a base.
    #[must_use]
    pub fn new(resolver: &'r Resolver<'r>) -> Self {
        let mut target = String::new();
        let mut directory = String::new();
        // Only the resolver knows the directory: the path of a base may hold dot segments.
        if resolver.resolve_into("./", &mut target).is_ok() {
            directory.push_str(unguarded(&Reference::split_by(&target, resolver.rules, None)));
        }
        let (candidate, best) = (String::new(), String::new());
        Relativizer { resolver, directory, candidate, target, best }
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
        target: &str,
        style: Style,
        same_document: bool,
    ) -> Result<&str, NotExpressible> {
        let rules = self.resolver.rules;
        let r = Reference::split_by(target, rules, None);
        let base = Reference::split_by(&self.resolver.whole, rules, None);
        let has_same_scheme = r.scheme() == base.scheme();
        let has_same_authority = has_same_scheme && r.authority() == base.authority();
        let is_found = match style {
            _ if !has_same_authority => false,
            Style::Absolute | Style::NetworkPath => false,
            Style::AbsolutePath => self.absolute_path(&r),
            Style::Relative => {
                self.without_path(&r, &base, same_document)
                    || self.relative_path(&r, false)
                    || self.absolute_path(&r)
            }
            Style::Shortest => self.shortest(&r, &base, same_document),
        };
        let is_network_path = has_same_scheme && style != Style::Absolute;
        if is_found || (is_network_path && self.network_path(&r)) || self.is(target, &[target]) {
            Ok(&self.candidate)
        } else {
            Err(NotExpressible)
        }
    }

    /// Whether the pieces, put together, resolve to the target.
    fn is(&mut self, target: &str, pieces: &[&str]) -> bool {
        self.candidate.clear();
        pieces.iter().for_each(|piece| self.candidate.push_str(piece));
        let resolved = self.resolver.resolve_into(&self.candidate, &mut self.target);
        resolved.is_ok() && self.target == target
    }

    /// Same-document references, and those that keep the path of the base: `""`, `#s`, `?q`, and `;p` of RFC 1808.
    fn without_path(
        &mut self,
        r: &Reference<'_>,
        base: &Reference<'_>,
        same_document: bool,
    ) -> bool {
        if r.path() != base.path() {
            return false;
        }
        let (text, at) = (r.text(), &r.at);
        (same_document && self.is(text, &[&text[at.query_end..]]))
            || (at.query_end > at.params_end && self.is(text, &[&text[at.params_end..]]))
            || (at.params_end > at.path_end && self.is(text, &[&text[at.path_end..]]))
    }

    /// From the directory of the base up as far as needed, and down. With `is_short` a final slash is left out where
    /// it can be.
    fn relative_path(&mut self, r: &Reference<'_>, is_short: bool) -> bool {
        let (text, path, tail) = (r.text(), unguarded(r), r.tail());
        let directory = core::mem::take(&mut self.directory);
        let common = common_directory(&directory, path);
        let n_up = directory[common..].bytes().filter(|byte| *byte == b'/').count();
        self.directory = directory;
        let rest = &path[common..];
        let up = "../".repeat(n_up);
        match (n_up, rest) {
            (0, "") => (is_short && self.is(text, &[".", tail])) || self.is(text, &["./", tail]),
            (0, _) => {
                // A base without path has no slash of its own.
                let rest = if common == 0 { rest.strip_prefix('/').unwrap_or(rest) } else { rest };
                let first = rest.split('/').next().unwrap_or_default();
                // A colon is mostly no scheme's, but readers differ.
                let is_plain = !first.is_empty() && (is_short || !first.contains(':'));
                (is_plain && self.is(text, &[rest, tail])) || self.is(text, &["./", rest, tail])
            }
            (_, "") if is_short && self.is(text, &[&up[..up.len() - 1], tail]) => true,
            _ => self.is(text, &[&up, rest, tail]),
        }
    }

    fn absolute_path(&mut self, r: &Reference<'_>) -> bool {
        let (text, path, tail) = (r.text(), r.path(), r.tail());
        match path.as_bytes() {
            [b'/', b'/', ..] => self.is(text, &["/.", path, tail]),
            [b'/', ..] => self.is(text, &[path, tail]),
            _ => false,
        }
    }

    fn network_path(&mut self, r: &Reference<'_>) -> bool {
        let Some(authority) = r.authority() else { return false };
        self.is(r.text(), &["//", authority, r.path(), r.tail()])
    }

    /// The shortest of all that need no authority.
    fn shortest(&mut self, r: &Reference<'_>, base: &Reference<'_>, same_document: bool) -> bool {
        if self.without_path(r, base, same_document) {
            return true;
        }
        let has_relative = self.relative_path(r, true);
        if has_relative {
            core::mem::swap(&mut self.best, &mut self.candidate);
        }
        let has_absolute = self.absolute_path(r);
        if has_relative && (!has_absolute || self.best.len() <= self.candidate.len()) {
            core::mem::swap(&mut self.best, &mut self.candidate);
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
