//! Schemes: typed views of the parts of their URLs, and properties of each.
//!
//! A view reads the text of a [`Reference`](crate::Reference) after its scheme, in any dialect, and
//! its `Display` writes the text again. A text that lacks a part that its scheme requires has no
//! view, but is a reference all the same. Nothing is decoded; use
//! [`percent_decode`](crate::escape::percent_decode) for that.
//!
//! # Examples
//!
//! ```
//! use urlcore::{Dialect, Reference, scheme::Gopher};
//!
//! let r = Reference::split("gopher://h/11/a", Dialect::Rfc3986);
//! assert_eq!(Gopher::parse(&r).unwrap().selector, "1/a");
//! ```
//!
//! # Contradictions of 1993
//!
//! The draft of 1993 contradicts itself twice, and is read so: `nntp://host/group/number`, which
//! its prose describes, and `nntp:group/number`, which its BNF has, are both accepted; the doubled
//! colon of `mailto::` in its BNF is one colon.
//!
//! Sections: 1993 "Specific Schemes" and BNF; RFC 1738 3; RFC 1808 2.3; RFC 3986 6.2.3.

mod server;
mod services;
mod view;

pub use server::{File, Ftp, HttpUrl, Session};
pub use services::{Gopher, Mailto, News, NewsPart, Nntp, Prospero, ProsperoField, Wais, WaisPart};
pub use view::View;

pub use crate::rules::SchemeTest;
pub use crate::scheme_kind::SchemeKind;

/// The relation of a scheme to relative URLs (RFC 1808 2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relativity {
    /// `mailto`, `news`, `telnet`: "can never be used with relative URLs". The same holds for
    /// `rlogin` and `tn3270`, which 1993 treats like `telnet`.
    Never,
    /// `gopher`, `prospero`, `wais`: relative if their paths are hierarchies.
    Sometimes,
    /// `file`, `ftp`, `http`, `nntp`: always with relative URLs.
    Always,
}

/// The schemes of the specifications: default port, if one is known, and relation to relative URLs.
const SCHEMES: [(&str, Option<&str>, Option<Relativity>); 19] = [
    ("http", Some("80"), Some(Relativity::Always)),
    ("https", Some("443"), None),
    ("ftp", Some("21"), Some(Relativity::Always)),
    ("file", None, Some(Relativity::Always)),
    ("news", None, Some(Relativity::Never)),
    ("nntp", Some("119"), Some(Relativity::Always)),
    ("mailto", None, Some(Relativity::Never)),
    ("telnet", Some("23"), Some(Relativity::Never)),
    ("rlogin", Some("513"), Some(Relativity::Never)),
    ("tn3270", Some("23"), Some(Relativity::Never)),
    ("gopher", Some("70"), Some(Relativity::Sometimes)),
    ("wais", Some("210"), Some(Relativity::Sometimes)),
    ("prospero", Some("1525"), Some(Relativity::Sometimes)),
    ("ws", Some("80"), None),
    ("wss", Some("443"), None),
    ("urn", None, None),
    ("afs", None, None),
    ("mid", None, None),
    ("cid", None, None),
];

fn known(
    scheme: &str,
) -> Option<&'static (&'static str, Option<&'static str>, Option<Relativity>)> {
    SCHEMES.iter().find(|(name, ..)| name.eq_ignore_ascii_case(scheme))
}

/// Returns true for the schemes that RFC 1738 and related specifications name, in any case.
pub(crate) fn is_known(scheme: &str) -> bool {
    known(scheme).is_some()
}

/// Returns the port that is used if a URL has none (RFC 1738 3; WHATWG URL 4.2). The case of the
/// scheme does not matter.
///
/// # Examples
///
/// ```
/// use urlcore::scheme::default_port;
///
/// assert_eq!(default_port("Gopher"), Some("70"));
/// assert_eq!(default_port("mailto"), None);
/// ```
#[must_use]
pub fn default_port(scheme: &str) -> Option<&'static str> {
    known(scheme)?.1
}

/// Returns the relation of a scheme to relative URLs, if RFC 1808 2.3 gives it. 1996 (F.4) requires
/// only that the base has a hierarchy.
///
/// # Examples
///
/// ```
/// use urlcore::scheme::{Relativity, relativity};
///
/// assert_eq!(relativity("ftp"), Some(Relativity::Always));
/// assert_eq!(relativity("wais"), Some(Relativity::Sometimes));
/// assert_eq!(relativity("news"), Some(Relativity::Never));
/// assert_eq!(relativity("data"), None);
/// ```
#[must_use]
pub fn relativity(scheme: &str) -> Option<Relativity> {
    known(scheme)?.2
}

/// Returns true for experimental schemes, which begin with `x-` (1993 "Registration of naming
/// schemes"; RFC 1738 4).
///
/// # Examples
///
/// ```
/// assert!(urlcore::scheme::is_experimental("x-foo"));
/// ```
#[must_use]
pub fn is_experimental(scheme: &str) -> bool {
    scheme.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("x-"))
}

/// Returns true for `urn`, which is reserved for names (1993 "Registration of naming schemes"), and
/// for `url`, which is a prefix (RFC 1738, appendix).
///
/// # Examples
///
/// ```
/// assert!(urlcore::scheme::is_reserved("URN"));
/// ```
#[must_use]
pub fn is_reserved(scheme: &str) -> bool {
    ["urn", "url"].iter().any(|name| name.eq_ignore_ascii_case(scheme))
}

/// Returns the URL without a prefix `URL:` in any case, which is not part of it (1993
/// `prefixedurl`; RFC 1738, appendix; 1996 appendix E: "with or without a trailing space").
///
/// # Examples
///
/// ```
/// use urlcore::scheme::without_prefix;
///
/// assert_eq!(without_prefix("URL:http://info.cern.ch/"), "http://info.cern.ch/");
/// assert_eq!(without_prefix("url: http://h/"), "http://h/");
/// assert_eq!(without_prefix("http://h/"), "http://h/");
/// ```
#[must_use]
pub fn without_prefix(text: &str) -> &str {
    match text.get(..4) {
        Some(prefix) if prefix.eq_ignore_ascii_case("url:") => text[4..].trim_start(),
        _ => text,
    }
}
