//! What the dialects differ in: one `const` table of switches for each.
//!
//! Invariant: everything on which two dialects disagree is a field here, with the section that says so. A new
//! dialect is a new table, and a new value of a switch where no dialect had it before.

use crate::scheme::{SchemeKind, SchemeTest};

/// The switches of one dialect. Obtained from [`Dialect::rules`](crate::Dialect::rules).
///
/// ```
/// use urlcore::{Dialect, Excess};
///
/// assert_eq!(Dialect::Rfc1808.rules().excess, Excess::Kept);
/// assert_eq!(Dialect::Web.rules().excess, Excess::Dropped);
/// ```
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rules {
    /// C0 controls and spaces at both ends are trimmed, tab, LF and CR are removed anywhere, before anything
    /// else is read (WHATWG URL 4.4, steps 1 to 3 of the basic parser). The RFCs leave that to the context.
    pub cleans: bool,
    /// What counts as a scheme before the first `:` (RFC 1808 2.4.2; RFC 3986 appendix B; WHATWG URL 4.4).
    pub scheme: SchemeTest,
    /// Schemes with rules of their own (WHATWG URL 4.2, "special"): `\` is read as `/`, the number of slashes
    /// before the authority is free, and the URL is never opaque. Empty in the RFCs, which know no scheme.
    pub special_schemes: &'static [(&'static str, SchemeKind)],
    /// A reference with the special scheme of its base and fewer than two slashes, as in `http:g`, is relative
    /// (WHATWG URL 4.4, "special relative or authority state"). The RFCs call that a loophole (1808 5.2,
    /// 3986 5.2.2 "strict").
    pub same_scheme_is_relative: bool,
    /// Where the authority ends (RFC 1808 2.4.3: at the next slash; RFC 3986 3.2).
    pub authority_end: AuthorityEnd,
    /// A host that no browser accepts makes the URL unusable (WHATWG URL 3.5). The RFCs do not look at hosts.
    pub checks_hosts: bool,
    /// `;params` is a component of its own, which no path rule touches (RFC 1808 2.1, 2.4.5).
    pub params: bool,
    /// An empty component is the same as none: `?` at the end is no query (RFC 1808 2.4.1, 2.4.4, 2.4.5,
    /// 4 steps 3 and 5). RFC 3986 5.2.2 tells them apart.
    pub empty_is_undefined: bool,
    /// What the empty reference means (RFC 1808 4 step 2a; RFC 3986 4.4 and 5.2.2).
    pub empty_reference: EmptyReference,
    /// A rootless path after a scheme is opaque: it is copied, and as a base serves only references that begin
    /// with `#` (WHATWG URL 4.4, "opaque path state"). The RFCs resolve against it.
    pub opaque_paths: bool,
    /// Dot segments are removed from every path that is not inherited whole, also from absolute-path references
    /// and absolute ones (RFC 3986 5.2.2). Where not, such references are copied (RFC 1808 4 steps 2b, 3, 4).
    pub removes_all_dots: bool,
    /// The base loses its dot segments before it is used (WHATWG URL: a base is a parsed URL). The RFCs inherit
    /// its path as written.
    pub resolves_base: bool,
    /// `%2e` is read as `.` in dot segments (WHATWG URL 4.4, "single-dot URL path segment").
    pub escaped_dots: bool,
    /// What becomes of a `..` that finds nothing to climb (RFC 1808 5.2; RFC 3986 5.2.4 step 2C).
    pub excess: Excess,
    /// What climbing out of the first segment of a rootless path leaves: with `foo:a/b` as base, `../g` is
    /// `foo:/g` in RFC 3986 5.2.4 (true), `foo:g` in RFC 1808 4 step 6c (false).
    pub rootless_climb_leaves_slash: bool,
    /// What stands between an authority and the path of a reference when the base has no path (RFC 1808 2.1;
    /// RFC 3986 5.2.3).
    pub empty_base_path: EmptyBasePath,
    /// A path that begins with `//` where there is no authority is written `/.//…`, since it would be read as
    /// an authority (WHATWG URL 4.5, step 3 of the serializer). The RFCs say nothing; 3986 is guarded too.
    pub guards_double_slash: bool,
}

/// Where the authority of a reference ends. In special schemes it ends at `\` too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthorityEnd {
    /// At the next `/` (RFC 1808 2.4.3), or at the fragment, which has been cut off before (2.4.1).
    Slash,
    /// At the next `/`, `?` or `#` (RFC 3986 3.2).
    Delimiter,
}

/// What an empty reference means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmptyReference {
    /// The whole base, its fragment too (RFC 1808 4 step 2a).
    WholeBase,
    /// The base without its fragment (RFC 3986 5.2.2).
    BaseWithoutFragment,
}

/// What becomes of a `..` for which no segment is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Excess {
    /// It stays in the path (RFC 1808 5.2).
    Kept,
    /// It is dropped (RFC 3986 5.2.4).
    Dropped,
}

/// What joins an authority without path to a relative path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmptyBasePath {
    /// A `/` (RFC 3986 5.2.3), from which dot segments cannot climb.
    Slash,
    /// A `/` when something is left of the path (the layout of RFC 1808 2.1): with base `http://a`, `g` is
    /// `http://a/g` and `.` is `http://a`.
    SlashIfAny,
}

/// RFC 1808, sections 2.4 and 4.
pub(crate) const RFC1808: Rules = Rules {
    cleans: false,
    scheme: SchemeTest::SchemeCharacters,
    special_schemes: &[],
    same_scheme_is_relative: false,
    authority_end: AuthorityEnd::Slash,
    checks_hosts: false,
    params: true,
    empty_is_undefined: true,
    empty_reference: EmptyReference::WholeBase,
    opaque_paths: false,
    removes_all_dots: false,
    resolves_base: false,
    escaped_dots: false,
    excess: Excess::Kept,
    rootless_climb_leaves_slash: false,
    empty_base_path: EmptyBasePath::SlashIfAny,
    guards_double_slash: false,
};

/// RFC 3986, sections 5.2.2 to 5.3, strict.
pub(crate) const RFC3986: Rules = Rules {
    cleans: false,
    scheme: SchemeTest::NoDelimiter,
    special_schemes: &[],
    same_scheme_is_relative: false,
    authority_end: AuthorityEnd::Delimiter,
    checks_hosts: false,
    params: false,
    empty_is_undefined: false,
    empty_reference: EmptyReference::BaseWithoutFragment,
    opaque_paths: false,
    removes_all_dots: true,
    resolves_base: false,
    escaped_dots: false,
    excess: Excess::Dropped,
    rootless_climb_leaves_slash: true,
    empty_base_path: EmptyBasePath::Slash,
    guards_double_slash: true,
};

/// The basic URL parser of the WHATWG URL standard, section 4.4.
pub(crate) const WEB: Rules = Rules {
    cleans: true,
    scheme: SchemeTest::AlphaFirst,
    special_schemes: &[
        ("http", SchemeKind::Special),
        ("https", SchemeKind::Special),
        ("file", SchemeKind::File),
        ("ftp", SchemeKind::Special),
        ("ws", SchemeKind::Special),
        ("wss", SchemeKind::Special),
    ],
    same_scheme_is_relative: true,
    authority_end: AuthorityEnd::Delimiter,
    checks_hosts: true,
    params: false,
    empty_is_undefined: false,
    empty_reference: EmptyReference::BaseWithoutFragment,
    opaque_paths: true,
    removes_all_dots: true,
    resolves_base: true,
    escaped_dots: true,
    excess: Excess::Dropped,
    rootless_climb_leaves_slash: true,
    empty_base_path: EmptyBasePath::Slash,
    guards_double_slash: true,
};
