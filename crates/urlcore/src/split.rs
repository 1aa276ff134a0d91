//! The splitting of a reference into its components, which are offsets into the text.
//!
//! Invariant: splitting never fails and never loses a byte: the components with their delimiters
//! are the text, from left to right. Sections: RFC 1808 2.4; RFC 3986 3 and appendix B; WHATWG URL
//! 4.4.

use alloc::borrow::Cow;
use core::fmt;

use crate::dialect::Dialect;
use crate::dots::{self, n_leading_climbs};
use crate::rules::{AuthorityEnd, Rules, SameScheme};
use crate::scan::{first_of, has_below, may_have_pair};
use crate::scheme_kind::SchemeKind;

/// A reference, split into its components. Each is a slice of the text; an undefined component
/// (`None`) and an empty one differ. `Display` writes the text.
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, Reference};
///
/// let r = Reference::split("//example.org/a;b?#", Dialect::Rfc3986);
/// assert_eq!((r.scheme(), r.authority(), r.path()), (None, Some("example.org"), "/a;b"));
/// assert_eq!((r.query(), r.fragment()), (Some(""), Some("")));
/// assert_eq!(r.to_string(), "//example.org/a;b?#");
///
/// let r = Reference::split("a;b?c", Dialect::Rfc1808);
/// assert_eq!((r.path(), r.params(), r.query()), ("a", Some("b"), Some("c")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'a> {
    text: &'a str,
    pub(crate) at: Offsets,
}

/// The positions of the components of a text, in bytes.
///
/// Invariant: `colon < authority <= path_start <= path_end <= params_end <= query_end <=
/// text.len()`, each on the boundary of a character. Params, query and fragment are defined where
/// the span before the offset is not empty; its first byte is the delimiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offsets {
    /// The position of the `:` after the scheme. `None` if there is no scheme, or one that is
    /// ignored (`http:g`).
    pub(crate) colon: Option<usize>,
    /// The authority, without the slashes before it.
    pub(crate) authority: Option<(usize, usize)>,
    pub(crate) path_start: usize,
    pub(crate) path_end: usize,
    pub(crate) params_end: usize,
    pub(crate) query_end: usize,
    pub(crate) kind: SchemeKind,
    /// The offset in the path, counted from its start, from which there is nothing to remove: no
    /// segment after it begins with `.` or `%`, and there is no `\` that is a slash.
    pub(crate) plain_from: usize,
}

impl<'a> Reference<'a> {
    /// Splits a reference whose base is not known. The text should be [cleaned](crate::clean)
    /// before.
    ///
    /// In [`Dialect::Web`] a relative reference is then read as with an `http` base, and `http:g`
    /// has the authority `g`: see [`split_under`](Self::split_under).
    #[must_use]
    pub fn split(text: &'a str, dialect: Dialect) -> Self {
        Self::split_by(text, dialect.rules(), None)
    }

    /// Splits a reference whose base has the given scheme (WHATWG URL 4.4, "no scheme state" and
    /// "special relative or authority state"). Without special schemes the base makes no
    /// difference.
    ///
    /// # Examples
    ///
    /// ```
    /// use urlcore::{Dialect, Reference};
    ///
    /// let r = Reference::split_under("http:g", Dialect::Web, "http");
    /// assert_eq!((r.scheme(), r.authority(), r.path()), (None, None, "g"));
    /// let r = Reference::split_under("http:g", Dialect::Web, "https");
    /// assert_eq!((r.scheme(), r.authority(), r.path()), (Some("http"), Some("g"), ""));
    /// let r = Reference::split_under(r"\\g", Dialect::Web, "foo");
    /// assert_eq!((r.authority(), r.path()), (None, r"\\g"));
    /// ```
    #[must_use]
    pub fn split_under(text: &'a str, dialect: Dialect, base_scheme: &str) -> Self {
        let rules = dialect.rules();
        Self::split_by(text, rules, Some((base_scheme, rules.kind_of(base_scheme))))
    }

    /// [`split_under`](Self::split_under) for a table of switches; `base` is the scheme of the base
    /// and its kind.
    #[inline]
    pub(crate) fn split_by(text: &'a str, rules: &Rules, base: Option<(&str, SchemeKind)>) -> Self {
        let bytes = text.as_bytes();
        let mut kind = base.map_or_else(|| rules.kind_without_base(), |(_, kind)| kind);
        let mut colon = None;
        let mut start = 0;
        let first = first_of(bytes, [b':', b'/', b'?', b'#']);
        if let Some(end) = rules.scheme_end_at(bytes, first) {
            let scheme = &text[..end];
            kind = rules.kind_of(scheme);
            start = end + 1;
            let can_be_ignored = match rules.same_scheme {
                SameScheme::Absolute => false,
                SameScheme::RelativeIfSpecial => {
                    kind != SchemeKind::Other && kind.leading_slashes(&bytes[start..]) < 2
                }
                SameScheme::Ignored => true,
            };
            let ignored =
                can_be_ignored && base.is_some_and(|(base, _)| base.eq_ignore_ascii_case(scheme));
            colon = (!ignored).then_some(end);
        }

        let slashes = kind.leading_slashes(&bytes[start..]);
        let (mut authority, mut path_start) = (None, start);
        if slashes >= 2 || (kind == SchemeKind::Special && colon.is_some()) {
            let from = start + if kind == SchemeKind::Special { slashes } else { 2 };
            let to = from + authority_length(&bytes[from..], rules.authority_end, kind);
            // WHATWG URL "file host state": a drive letter in place of the host is the first
            // segment of the path.
            path_start = if kind == SchemeKind::File && dots::is_letter(&bytes[from..to]) {
                from
            } else {
                to
            };
            authority = Some((from, path_start));
        }

        // No byte before the first delimiter ends the path.
        let known = first.saturating_sub(path_start);
        let (path_length, plain_from) =
            path_length(&bytes[path_start..], known, rules.params, kind);
        let path_end = path_start + path_length;
        let params_end = path_end
            + if rules.params && bytes.get(path_end) == Some(&b';') {
                first_of(&bytes[path_end..], [b'?', b'#'])
            } else {
                0
            };
        let query_end = params_end
            + if bytes.get(params_end) == Some(&b'?') {
                first_of(&bytes[params_end..], [b'#'])
            } else {
                0
            };
        let at = Offsets {
            colon,
            authority,
            path_start,
            path_end,
            params_end,
            query_end,
            kind,
            plain_from,
        };
        Self { text, at }
    }

    /// Returns the whole text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the scheme without its `:`, as spelled.
    #[must_use]
    pub fn scheme(&self) -> Option<&'a str> {
        self.at.colon.map(|colon| &self.text[..colon])
    }

    /// Returns the authority without the slashes before it, as spelled. RFC 1808 calls it
    /// `net_loc`.
    #[must_use]
    pub fn authority(&self) -> Option<&'a str> {
        self.at.authority.map(|(start, end)| &self.text[start..end])
    }

    /// Returns the path, with its leading slash if it has one; never undefined, but possibly empty.
    #[must_use]
    pub fn path(&self) -> &'a str {
        &self.text[self.at.path_start..self.at.path_end]
    }

    /// Returns the parameters without their `;`. Defined only in dialects where they are a
    /// component (RFC 1808 2.1).
    #[must_use]
    pub fn params(&self) -> Option<&'a str> {
        self.after_delimiter(self.at.path_end, self.at.params_end)
    }

    /// Returns the query without its `?`.
    #[must_use]
    pub fn query(&self) -> Option<&'a str> {
        self.after_delimiter(self.at.params_end, self.at.query_end)
    }

    /// Returns the fragment without its `#`.
    #[must_use]
    pub fn fragment(&self) -> Option<&'a str> {
        self.after_delimiter(self.at.query_end, self.text.len())
    }

    /// Returns the kind of the scheme, or of that of the base if the reference has none.
    #[must_use]
    pub fn kind(&self) -> SchemeKind {
        self.at.kind
    }

    /// Returns true if the reference has a scheme, so that its target does not depend on the base.
    #[must_use]
    pub fn is_absolute(&self) -> bool {
        self.at.colon.is_some()
    }

    /// Returns true if the path begins with a separator.
    pub(crate) fn is_rooted(&self) -> bool {
        self.path().bytes().next().is_some_and(|byte| self.at.kind.is_slash(byte))
    }

    /// Returns true if no component but possibly the fragment is defined (RFC 3986 4.4).
    pub(crate) fn is_same_document(&self) -> bool {
        self.at.colon.is_none()
            && self.at.authority.is_none()
            && self.at.path_start == self.at.query_end
    }

    /// Returns the path and everything up to the fragment.
    pub(crate) fn path_and_query(&self) -> &'a str {
        &self.text[self.at.path_start..self.at.query_end]
    }

    /// Returns params, query and fragment with their delimiters.
    pub(crate) fn tail(&self) -> &'a str {
        &self.text[self.at.path_end..]
    }

    /// Returns the component in a span that begins with its delimiter; undefined if the span is
    /// empty.
    fn after_delimiter(&self, start: usize, end: usize) -> Option<&'a str> {
        (start < end).then(|| &self.text[start + 1..end])
    }
}

impl fmt::Display for Reference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text)
    }
}

/// Returns the length of the authority at the start of the bytes.
fn authority_length(bytes: &[u8], end: AuthorityEnd, kind: SchemeKind) -> usize {
    match (end, kind) {
        (AuthorityEnd::Slash, _) => first_of(bytes, [b'/', b'#']),
        (AuthorityEnd::Delimiter, SchemeKind::Other) => first_of(bytes, [b'/', b'?', b'#']),
        (AuthorityEnd::Delimiter, _) => first_of(bytes, [b'/', b'?', b'#', b'\\']),
    }
}

/// Returns the length of the path at the start of the bytes, and the offset from which it is
/// [plain](Offsets::plain_from). The first `known` bytes are known to be in the path.
#[inline]
fn path_length(bytes: &[u8], known: usize, params: bool, kind: SchemeKind) -> (usize, usize) {
    let length = if params {
        first_of(bytes, [b'?', b'#', b';'])
    } else {
        known + first_of(&bytes[known..], [b'?', b'#'])
    };
    let path = &bytes[..length];
    let n_climbs = n_leading_climbs(path);
    let start = 3 * n_climbs;
    // A dot segment may follow if one of these is true.
    let begins_dotted = matches!(path.get(start), Some(b'.' | b'%'));
    let has_dotted = may_have_pair(&path[start..], b'/', [b'.', b'%']);
    let has_backslash =
        kind != SchemeKind::Other && first_of(&path[start..], [b'\\']) < length - start;
    if !(begins_dotted | has_dotted | has_backslash) {
        return (length, start.saturating_sub(2));
    }
    let is_slash = |byte: u8| kind.is_slash(byte);
    let last_dotted = (0..length).rev().find(|&at| {
        let is_dot = matches!(path[at], b'.' | b'%') && (at == 0 || is_slash(path[at - 1]));
        is_dot || (path[at] == b'\\' && is_slash(b'\\'))
    });
    (length, last_dotted.map_or(0, |at| at + 1))
}

// The cleaning of a reference: the removal of ignored characters before it is read.
//
// Invariant: the result borrows the text unless it contains a tab, LF or CR inside. Cleaning is
// idempotent. Section: WHATWG URL 4.4, steps 1 to 3 of the basic URL parser.

/// Returns the reference without the characters that the dialect ignores: in [`Dialect::Web`] C0
/// controls and spaces at both ends, and tab, LF and CR anywhere; in the RFC dialects nothing.
///
/// # Examples
///
/// ```
/// use std::borrow::Cow;
/// use urlcore::{Dialect, clean};
///
/// assert_eq!(clean(" g\t/\nh ", Dialect::Web), "g/h");
/// assert_eq!(clean(" g ", Dialect::Rfc3986), " g ");
/// assert!(matches!(clean(" g ", Dialect::Web), Cow::Borrowed("g")));
/// ```
#[must_use]
pub fn clean(text: &str, dialect: Dialect) -> Cow<'_, str> {
    clean_by(text, dialect.rules())
}

/// Cleans as [`clean`] does, for a table of switches.
#[inline]
pub(crate) fn clean_by<'a>(text: &'a str, rules: &Rules) -> Cow<'a, str> {
    if !rules.cleans {
        return Cow::Borrowed(text);
    }
    let is_space = |byte: Option<&u8>| byte.is_some_and(|&byte| byte <= b' ');
    let (first, last) = (text.as_bytes().first(), text.as_bytes().last());
    let text =
        if is_space(first) || is_space(last) { text.trim_matches(|c| c <= ' ') } else { text };
    if has_below(text.as_bytes(), b'\r' + 1) && text.bytes().any(is_removed) {
        let kept = text.chars().filter(|&c| !matches!(c, '\t' | '\n' | '\r'));
        return Cow::Owned(kept.collect());
    }
    Cow::Borrowed(text)
}

/// Returns true for the bytes that are removed anywhere in a reference.
fn is_removed(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r')
}
