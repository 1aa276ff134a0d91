//! The differences between the dialects: one `const` table of switches for each.
//!
//! Invariant: everything on which two dialects disagree is a field here, with the section that says
//! so. A new dialect is a new table, and a new value of a switch where no dialect had it before.
//!
//! "1993" is the draft "Uniform Resource Locators" of that year (appendix 1.2 and its BNF), "1996"
//! the draft "Uniform Resource Locators (URL): Generic Syntax" of December 1996.

/// The switches of one dialect. Obtained from [`Dialect::rules`](crate::Dialect::rules); where a
/// specification leaves a choice open, it is made by setting a field and passing the table to
/// [`Resolver::with_rules`](crate::Resolver::with_rules).
///
/// # Examples
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
    /// True if C0 controls and spaces at both ends are trimmed, tab, LF and CR are removed
    /// anywhere, before anything else is read (WHATWG URL 4.4, steps 1 to 3 of the basic parser).
    /// The RFCs leave this to the context.
    pub cleans: bool,
    /// The test for what counts as a scheme before the first `:` (RFC 1808 2.4.2; RFC 3986 appendix
    /// B; WHATWG URL 4.4).
    pub scheme: SchemeTest,
    /// True if some schemes have rules of their own (WHATWG URL 4.2, "special"): `\` is read as
    /// `/`, the number of slashes before the authority is free, and the URL is never opaque. The
    /// RFCs treat all schemes alike.
    pub special_schemes: bool,
    /// How a reference that begins with the scheme of its base is read, as `http:g`.
    pub same_scheme: SameScheme,
    /// Where the authority ends (RFC 1808 2.4.3: at the next slash; RFC 3986 3.2).
    pub authority_end: AuthorityEnd,
    /// True if a host that no browser accepts makes the URL unusable (WHATWG URL 3.5). The RFCs do
    /// not check hosts.
    pub checks_hosts: bool,
    /// True if `;params` is a separate component, which no path rule touches (RFC 1808 2.1, 2.4.5).
    /// Since 1996 (4.3.2) they are part of a segment.
    pub params: bool,
    /// The components that are undefined if they are empty.
    pub empty: Empty,
    /// The meaning of the empty reference (RFC 1808 4 step 2a; 1996 5.2 step 2; RFC 3986 4.4 and
    /// 5.2.2).
    pub empty_reference: EmptyReference,
    /// The treatment of the base's path for a reference like `?y`.
    pub query_only: QueryOnly,
    /// True if a rootless path after a scheme is opaque: it is copied, and only references that
    /// begin with `#` can be resolved against it (WHATWG URL 4.4, "opaque path state"). The RFCs
    /// resolve against it.
    pub opaque_paths: bool,
    /// True if dot segments are removed from every path that is not inherited whole, also from
    /// absolute-path references and absolute ones (RFC 3986 5.2.2). If false, such references are
    /// copied (RFC 1808 4 steps 2b, 3, 4).
    pub removes_all_dots: bool,
    /// True if dot segments are removed from the query of a relative path too, as if it were a part
    /// of it (1993 1.2; 1996 5.2 steps 6c to 6i).
    pub dots_in_query: bool,
    /// True if dot segments are removed from the base before it is used (WHATWG URL: a base is a
    /// parsed URL). The RFCs inherit its path as written.
    pub resolves_base: bool,
    /// True if `%2e` is read as `.` in dot segments (WHATWG URL 4.4, "single-dot URL path
    /// segment").
    pub escaped_dots: bool,
    /// The treatment of a `..` that has no segment to remove.
    pub excess: Excess,
    /// True if a dot segment at the end leaves the slash before it, so that `..` is the directory
    /// (RFC 1808 4 steps 6b and 6d). 1993 1.2 removes `/.` and `/xxx/..`, so that `..` against
    /// `http://a/b/c/d` is `http://a/b`.
    pub final_dots_leave_slash: bool,
    /// True if `..` removes an empty segment (RFC 1808 4 step 6c). 1993 1.2 only mentions `xxx/..`:
    /// there the empty segment is kept.
    pub climbs_empty_segments: bool,
    /// True if removing the first segment of a rootless path leaves a slash: with base `foo:a/b`,
    /// `../g` is `foo:/g` in RFC 3986 5.2.4 (true), `foo:g` in RFC 1808 4 step 6c (false).
    pub rootless_climb_leaves_slash: bool,
    /// The separator between an authority and the path of a reference when the base has no path
    /// (RFC 1808 2.1; RFC 3986 5.2.3).
    pub empty_base_path: EmptyBasePath,
    /// True if a path that begins with `//` without an authority is written `/.//…`, since it would
    /// be read as an authority (WHATWG URL 4.5, step 3 of the serializer). The RFCs say nothing of
    /// this; the table of RFC 3986 sets it too.
    pub guards_double_slash: bool,
}

/// The characters that are allowed before a `:` that ends a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemeTest {
    /// One or more of letters, digits, `+`, `-`, `.` (RFC 1808 2.4.2).
    SchemeCharacters,
    /// One or more of anything but `:`, `/`, `?`, `#` (the expression of RFC 3986 appendix B).
    NoDelimiter,
    /// A letter, then letters, digits, `+`, `-`, `.` (RFC 3986 3.1; WHATWG URL "scheme start
    /// state").
    AlphaFirst,
}

/// The reading of a reference that begins with the scheme of its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SameScheme {
    /// Absolute. The RFCs call anything else a loophole (RFC 1808 5.2; RFC 3986 5.2.2 "strict").
    Absolute,
    /// Relative if the scheme is special and fewer than two slashes follow (WHATWG URL 4.4,
    /// "special relative or authority state").
    RelativeIfSpecial,
    /// Read as if the scheme were absent (RFC 3986 5.2.2, not strict; RFC 2396 5.2 step 3).
    Ignored,
}

/// The components that are undefined if they are empty.
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

/// The treatment of the base's path for a reference that is only a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueryOnly {
    /// The path is inherited (RFC 1808 4 step 5; RFC 3986 5.2.2).
    KeepsPath,
    /// The last segment of the path is replaced by nothing, as by any relative path (1993 1.2; 1996
    /// 5.2 step 6; RFC 2396 5.2 step 6).
    ReplacesLastSegment,
}

/// The end of the authority of a reference. In special schemes a `\` ends it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthorityEnd {
    /// At the next `/` (RFC 1808 2.4.3), or at the fragment, which has been cut off before (2.4.1).
    Slash,
    /// At the next `/`, `?` or `#` (1996 appendix B; RFC 3986 3.2).
    Delimiter,
}

/// The meaning of an empty reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmptyReference {
    /// The whole base including its fragment (RFC 1808 4 step 2a).
    WholeBase,
    /// The base without its fragment (RFC 3986 5.2.2).
    BaseWithoutFragment,
    /// The current document, whatever the base (1996 5.2 step 2; RFC 2396 4.2). The same holds for
    /// references that are only a fragment.
    SameDocument,
}

/// The treatment of a `..` for which no segment is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Excess {
    /// It is kept in the path (RFC 1808 5.2; RFC 2396 5.2 step 6g, "retaining").
    Kept,
    /// It is dropped (RFC 3986 5.2.4 step 2C; RFC 2396 5.2 step 6g, "removing them").
    Dropped,
    /// It is kept, but a second one removes it: `<segment>` of `<segment>/../` may be `..` itself
    /// (the draft 05 of RFC 1808, 4 step 6c).
    Cancelling,
    /// The reference has no target (RFC 2396 5.2 step 6g, "avoiding traversal"). Only relative
    /// paths are checked, as there.
    Refused,
}

/// The separator between an authority without path and a relative path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EmptyBasePath {
    /// A `/` (RFC 3986 5.2.3), above which dot segments cannot go.
    Slash,
    /// A `/` if the path is not empty after the removal of dot segments (the layout of RFC 1808
    /// 2.1): with base `http://a`, `g` is `http://a/g` and `.` is `http://a`.
    SlashIfAny,
    /// Nothing, by the letter of 1996 and RFC 2396 (5.2 steps 6a and 7): with base `http://a`, `g`
    /// is `http://ag`.
    Nothing,
}

/// The draft of 1993, appendix 1.2, as implementations followed it: `xxx/..` and `/.` are removed
/// with the slash before them. By the letter `../g` would be `http://a/b//g`.
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

/// The draft 05 of RFC 1808 (30 January 1995), sections 2.4 and 4.
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
