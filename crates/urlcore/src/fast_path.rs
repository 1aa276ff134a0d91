//! The fast path for plain references: some `../` and a rest that is read as written, or only a
//! fragment.
//!
//! Invariant: for a plain reference the resolver gets the same target as by its full rules: the
//! directory of the base without as many segments, and the rest, byte by byte. So the inverse is
//! plain too. Most references of real documents are plain.

use crate::base::Resolver;
use crate::dots::n_leading_climbs;
use crate::host;
use crate::rules::{Empty, EmptyReference};
use crate::scan::{first_of, has_below, may_have_pair};
use crate::scheme_kind::SchemeKind;

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
        let (rules, octets) = (&self.rules, rest.as_bytes());
        let mut first = 0;
        // After `../` an empty segment or a colon is allowed.
        if n_up == 0 {
            first = first_of(octets, [b'/', b':', b'?', b'#', b'\\']);
            if first == 0 || matches!(octets.get(first), Some(b':' | b'\\')) {
                return false;
            }
        }
        let rest = &octets[first..];
        // Any other delimiter that matters is before the end of the path.
        let (length, is_whole) = if rules.special_schemes {
            let length = first_of(rest, [b'?', b'#', b'\\']);
            (length, rest.get(length) != Some(&b'\\'))
        } else {
            (
                first_of(rest, [b'?', b'#']),
                !rules.params || first_of(octets, [b';']) == octets.len(),
            )
        };
        let path = &octets[..first + length];
        let has_tail = path.len() < octets.len();
        is_whole
            && !(has_tail && (rules.empty != Empty::Defined || rules.dots_in_query))
            && !matches!(path.first(), None | Some(b'.' | b'%'))
            && !may_have_pair(path, b'/', [b'.', b'%'])
    }

    /// Returns true if the text after a scheme is an authority, and it and everything after it are
    /// read as written.
    pub(crate) fn is_plain_network(&self, rest: &str) -> bool {
        let (rules, kind) = (&self.rules, self.at.kind);
        let Some(octets) = rest.as_bytes().strip_prefix(b"//") else { return false };
        let host_end = first_of(octets, [b'/', b'?', b'#', b'\\']);
        let tail = &octets[host_end..];
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
