//! The inverse of resolution: the reference from a base to a target.
//!
//! Invariant: no answer is ever wrong. Candidates are tried from the shortest form to the longest
//! (`search.rs`), and each is accepted only if it resolves to the target, octet by octet (RFC 1808
//! has no such algorithm; RFC 3986 4.2 and 4.4 name the forms of references).

use crate::base::Resolver;
use crate::fast_path::Plain;
use crate::form::Form;
use crate::relativize_error::RelativizeError;
use crate::scan::n_same;
use crate::search::{Buffers, Search};
use crate::style::{BaseIs, Style};

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
    let octets = target.as_bytes();
    if let None | Some(b'?' | b'#' | b';') = octets.get(at.path_end)
        && octets.get(..at.path_end) == whole.as_bytes().get(..at.path_end)
    {
        let rest = target.strip_prefix(whole.get(..at.query_end)?)?;
        let is_within = base_is == BaseIs::Document
            && rest.starts_with('#')
            && resolver.names_base()
            && resolver.is_clean(rest);
        return is_within.then_some(Plain::Fragment(rest));
    }
    let n_same = n_same(directory.as_bytes(), octets);
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
