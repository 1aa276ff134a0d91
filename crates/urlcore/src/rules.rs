//! What the dialects differ in: one `const` table of switches for each.
//!
//! Invariant: everything on which two dialects disagree is a field here, with the section that says so. A new
//! dialect is a new table, and a new value of a switch where no dialect had it before.
//!
//! "1993" is the draft "Uniform Resource Locators" of that year (appendix 1.2 and its BNF), "1996" the draft "Uniform
//! Resource Locators (URL): Generic Syntax" of December 1996.

use crate::scheme::SchemeTest;

/// The switches of one dialect. Obtained from [`Dialect::rules`](crate::Dialect::rules); what a text leaves open can be
/// chosen by setting a field, and given to [`Resolver::with_rules`](crate::Resolver::with_rules).
///
/// ```
/// use urlcore::{Dialect, Excess, ResolveError, Resolver};
///
/// let mut rules = *Dialect::Rfc2396.rules();
/// let resolve = |rules| Resolver::with_rules("http://a/b", rules).unwrap().resolve("../g");
/// assert_eq!(resolve(rules).unwrap(), "http://a/../g");
/// rules.excess = Excess::Dropped;
/// assert_eq!(resolve(rules).unwrap(), "http://a/g");
/// rules.excess = Excess::Refused;
/// assert_eq!(resolve(rules), Err(ResolveError::ExcessDots));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rules {
    /// C0 controls and spaces at both ends are trimmed, tab, LF and CR are removed anywhere, before anything
    /// else is read (WHATWG URL 4.4, steps 1 to 3 of the basic parser). The RFCs leave that to the context.
    pub cleans: bool,
    /// What counts as a scheme before the first `:` (RFC 1808 2.4.2; RFC 3986 appendix B; WHATWG URL 4.4).
    pub scheme: SchemeTest,
    /// Some schemes have rules of their own (WHATWG URL 4.2, "special"): `\` is read as `/`, the number of slashes
    /// before the authority is free, and the URL is never opaque. The RFCs know no scheme.
    pub special_schemes: bool,
    /// What a reference is that begins with the scheme of its base, as `http:g`.
    pub same_scheme: SameScheme,
    /// Where the authority ends (RFC 1808 2.4.3: at the next slash; RFC 3986 3.2).
    pub authority_end: AuthorityEnd,
    /// A host that no browser accepts makes the URL unusable (WHATWG URL 3.5). The RFCs do not look at hosts.
    pub checks_hosts: bool,
    /// `;params` is a component of its own, which no path rule touches (RFC 1808 2.1, 2.4.5). Since 1996 (4.3.2) they
    /// are part of a segment.
    pub params: bool,
    /// Which empty components are the same as none.
    pub empty: Empty,
    /// What the empty reference means (RFC 1808 4 step 2a; 1996 5.2 step 2; RFC 3986 4.4 and 5.2.2).
    pub empty_reference: EmptyReference,
    /// What becomes of the path of the base under a reference like `?y`.
    pub query_only: QueryOnly,
    /// A rootless path after a scheme is opaque: it is copied, and as a base serves only references that begin
    /// with `#` (WHATWG URL 4.4, "opaque path state"). The RFCs resolve against it.
    pub opaque_paths: bool,
    /// Dot segments are removed from every path that is not inherited whole, also from absolute-path references
    /// and absolute ones (RFC 3986 5.2.2). Where not, such references are copied (RFC 1808 4 steps 2b, 3, 4).
    pub removes_all_dots: bool,
    /// Dot segments are removed from the query of a relative path too, as if it were a part of it (1993 1.2; 1996 5.2
    /// steps 6c to 6i).
    pub dots_in_query: bool,
    /// The base loses its dot segments before it is used (WHATWG URL: a base is a parsed URL). The RFCs inherit
    /// its path as written.
    pub resolves_base: bool,
    /// `%2e` is read as `.` in dot segments (WHATWG URL 4.4, "single-dot URL path segment").
    pub escaped_dots: bool,
    /// What becomes of a `..` that finds nothing to climb.
    pub excess: Excess,
    /// A dot segment at the end leaves the slash before it: `..` is the folder (RFC 1808 4 steps 6b and 6d). 1993 1.2
    /// removes `/.` and `/xxx/..`, so that under `http://a/b/c/d` `..` is `http://a/b`.
    pub final_dots_leave_slash: bool,
    /// An empty segment is one that `..` can climb (RFC 1808 4 step 6c). 1993 1.2 writes of `xxx/..`: there it stays.
    pub climbs_empty_segments: bool,
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

/// What a reference is that begins with the scheme of its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SameScheme {
    /// Absolute. The RFCs call anything else a loophole (RFC 1808 5.2; RFC 3986 5.2.2 "strict").
    Absolute,
    /// Relative if the scheme is special and fewer than two slashes follow (WHATWG URL 4.4, "special relative or
    /// authority state").
    RelativeIfSpecial,
    /// As if the scheme were not there (RFC 3986 5.2.2, not strict; RFC 2396 5.2 step 3).
    Ignored,
}

/// Which empty components are the same as undefined ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Empty {
    /// None: `?` at the end is an empty query (1996 5.2 step 7; RFC 3986 5.3).
    Defined,
    /// The fragment: "a void fragment-id with or without the hash" (1993 1.1).
    FragmentUndefined,
    /// Authority, params, query and fragment (RFC 1808 2.4.1, 2.4.4, 2.4.5, 4 steps 3 and 5).
    Undefined,
}

/// What becomes of the path of the base under a reference that is nothing but a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueryOnly {
    /// It is inherited (RFC 1808 4 step 5; RFC 3986 5.2.2).
    KeepsPath,
    /// Its last segment is replaced by nothing, as by any relative path (1993 1.2; 1996 5.2 step 6; RFC 2396 5.2
    /// step 6).
    ReplacesLastSegment,
}

/// Where the authority of a reference ends. In special schemes it ends at `\` too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthorityEnd {
    /// At the next `/` (RFC 1808 2.4.3), or at the fragment, which has been cut off before (2.4.1).
    Slash,
    /// At the next `/`, `?` or `#` (1996 appendix B; RFC 3986 3.2).
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
    /// The current document, whatever the base (1996 5.2 step 2; RFC 2396 4.2). So do references of nothing but a
    /// fragment.
    SameDocument,
}

/// What becomes of a `..` for which no segment is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Excess {
    /// It stays in the path (RFC 1808 5.2; RFC 2396 5.2 step 6g, "retaining").
    Kept,
    /// It is dropped (RFC 3986 5.2.4 step 2C; RFC 2396 5.2 step 6g, "removing them").
    Dropped,
    /// It stays, but a second one removes it: `<segment>` of `<segment>/../` may be `..` itself (the draft 05 of RFC
    /// 1808, 4 step 6c).
    Cancelling,
    /// The reference has no target (RFC 2396 5.2 step 6g, "avoiding traversal"). Relative paths are looked at, as there.
    Refused,
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
    /// Nothing, by the letter of 1996 and RFC 2396 (5.2 steps 6a and 7): with base `http://a`, `g` is `http://ag`.
    Nothing,
}

/// The draft of 1993, appendix 1.2, as it was practised: `xxx/..` and `/.` are removed with the slash before them. By the
/// letter `../g` would be `http://a/b//g`.
pub(crate) const URL1993: Rules = Rules {
    cleans: false,
    scheme: SchemeTest::NoDelimiter,
    special_schemes: false,
    same_scheme: SameScheme::Absolute,
    authority_end: AuthorityEnd::Delimiter,
    checks_hosts: false,
    params: false,
    empty: Empty::FragmentUndefined,
    empty_reference: EmptyReference::SameDocument,
    query_only: QueryOnly::ReplacesLastSegment,
    opaque_paths: false,
    removes_all_dots: false,
    dots_in_query: true,
    resolves_base: false,
    escaped_dots: false,
    excess: Excess::Kept,
    final_dots_leave_slash: false,
    climbs_empty_segments: false,
    rootless_climb_leaves_slash: false,
    empty_base_path: EmptyBasePath::Slash,
    guards_double_slash: false,
};

/// The draft 05 of RFC 1808 (November 1994), sections 2.4 and 4.
pub(crate) const RFC1808_DRAFT05: Rules = Rules { excess: Excess::Cancelling, ..RFC1808 };

/// RFC 1808, sections 2.4 and 4.
pub(crate) const RFC1808: Rules = Rules {
    cleans: false,
    scheme: SchemeTest::SchemeCharacters,
    special_schemes: false,
    same_scheme: SameScheme::Absolute,
    authority_end: AuthorityEnd::Slash,
    checks_hosts: false,
    params: true,
    empty: Empty::Undefined,
    empty_reference: EmptyReference::WholeBase,
    query_only: QueryOnly::KeepsPath,
    opaque_paths: false,
    removes_all_dots: false,
    dots_in_query: false,
    resolves_base: false,
    escaped_dots: false,
    excess: Excess::Kept,
    final_dots_leave_slash: true,
    climbs_empty_segments: true,
    rootless_climb_leaves_slash: false,
    empty_base_path: EmptyBasePath::SlashIfAny,
    guards_double_slash: false,
};

/// The draft of 1996, sections 4.4 and 5.2, appendix B.
pub(crate) const URL_SYNTAX1996: Rules = Rules { dots_in_query: true, ..RFC2396 };

/// RFC 2396, section 5.2, appendix B.
pub(crate) const RFC2396: Rules = Rules {
    scheme: SchemeTest::NoDelimiter,
    authority_end: AuthorityEnd::Delimiter,
    params: false,
    empty: Empty::Defined,
    empty_reference: EmptyReference::SameDocument,
    query_only: QueryOnly::ReplacesLastSegment,
    empty_base_path: EmptyBasePath::Nothing,
    ..RFC1808
};

/// RFC 3986, sections 5.2.2 to 5.3, strict.
pub(crate) const RFC3986: Rules = Rules {
    cleans: false,
    scheme: SchemeTest::NoDelimiter,
    special_schemes: false,
    same_scheme: SameScheme::Absolute,
    authority_end: AuthorityEnd::Delimiter,
    checks_hosts: false,
    params: false,
    empty: Empty::Defined,
    empty_reference: EmptyReference::BaseWithoutFragment,
    query_only: QueryOnly::KeepsPath,
    opaque_paths: false,
    removes_all_dots: true,
    dots_in_query: false,
    resolves_base: false,
    escaped_dots: false,
    excess: Excess::Dropped,
    final_dots_leave_slash: true,
    climbs_empty_segments: true,
    rootless_climb_leaves_slash: true,
    empty_base_path: EmptyBasePath::Slash,
    guards_double_slash: true,
};

/// The basic URL parser of the WHATWG URL standard, section 4.4.
pub(crate) const WEB: Rules = Rules {
    cleans: true,
    scheme: SchemeTest::AlphaFirst,
    special_schemes: true,
    same_scheme: SameScheme::RelativeIfSpecial,
    checks_hosts: true,
    opaque_paths: true,
    resolves_base: true,
    escaped_dots: true,
    ..RFC3986
};
