//! The dialects: a name for each specification of URL references, and its table of switches.
//!
//! Invariant: a dialect is a name and nothing else. Its meaning is in its [`Rules`]; the parser and
//! the resolver read the table and never ask which dialect they serve.

use core::fmt;
use core::str::FromStr;

use crate::rules::{
    RFC1808, RFC1808_DRAFT05, RFC2396, RFC3986, Rules, URL_SYNTAX1996, URL1993, WEB,
};

/// A specification of URL references: how they are split and how they are resolved.
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, Resolver};
///
/// let base = "http://a/b/c/d;p?q";
/// let resolve = |dialect| Resolver::new(base, dialect).unwrap().resolve("../../../g").unwrap();
/// assert_eq!(resolve(Dialect::Rfc1808), "http://a/../g");
/// assert_eq!(resolve(Dialect::Rfc3986), "http://a/g");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// The draft "Uniform Resource Locators" of 1993, BNF and appendix 1.2, as implementations
    /// followed it.
    Url1993,
    /// The draft 05 of RFC 1808 (30 January 1995), sections 2.4 and 4.
    Rfc1808Draft05,
    /// RFC 1808 (June 1995), sections 2.4 and 4.
    Rfc1808,
    /// The draft "Uniform Resource Locators (URL): Generic Syntax" of December 1996, sections 4.4
    /// and 5.2.
    UrlSyntax1996,
    /// RFC 2396 (August 1998), section 5.2. Excess dot segments are [kept](crate::Excess::Kept).
    Rfc2396,
    /// RFC 3986 (January 2005), section 5.2, strict.
    Rfc3986,
    /// The behaviour of browsers (WHATWG URL), with the spelling kept: the result need not be
    /// normalized, but a browser reads it as the URL that it would have resolved the reference to
    /// itself.
    #[default]
    Web,
}

impl Dialect {
    /// All dialects, oldest first.
    ///
    /// # Examples
    ///
    /// ```
    /// use urlcore::Dialect;
    ///
    /// assert!(Dialect::ALL.iter().all(|dialect| dialect.name().parse() == Ok(*dialect)));
    /// ```
    pub const ALL: &'static [Dialect] = &[
        Self::Url1993,
        Self::Rfc1808Draft05,
        Self::Rfc1808,
        Self::UrlSyntax1996,
        Self::Rfc2396,
        Self::Rfc3986,
        Self::Web,
    ];

    /// Returns the name used on command lines and in data files.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(urlcore::Dialect::Rfc3986.name(), "rfc3986");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Url1993 => "url-1993",
            Self::Rfc1808Draft05 => "rfc1808-draft05",
            Self::Rfc1808 => "rfc1808",
            Self::UrlSyntax1996 => "url-syntax-1996",
            Self::Rfc2396 => "rfc2396",
            Self::Rfc3986 => "rfc3986",
            Self::Web => "web",
        }
    }

    /// Returns the table of switches that defines the dialect.
    ///
    /// # Examples
    ///
    /// ```
    /// use urlcore::Dialect;
    ///
    /// assert!(Dialect::Rfc1808.rules().params);
    /// assert!(!Dialect::Rfc3986.rules().params);
    /// ```
    #[must_use]
    pub const fn rules(self) -> &'static Rules {
        match self {
            Self::Url1993 => &URL1993,
            Self::Rfc1808Draft05 => &RFC1808_DRAFT05,
            Self::Rfc1808 => &RFC1808,
            Self::UrlSyntax1996 => &URL_SYNTAX1996,
            Self::Rfc2396 => &RFC2396,
            Self::Rfc3986 => &RFC3986,
            Self::Web => &WEB,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    /// Parses the [name](Dialect::name) of a dialect; case matters.
    ///
    /// # Errors
    ///
    /// [`UnknownDialect`] if no dialect has that name.
    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        Self::ALL.iter().copied().find(|dialect| dialect.name() == name).ok_or(UnknownDialect)
    }
}

/// The error of parsing a name that is not that of a dialect. Its message lists the known names.
///
/// # Examples
///
/// ```
/// use urlcore::Dialect;
///
/// let error = "rfc1809".parse::<Dialect>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "unknown dialect (known: url-1993, rfc1808-draft05, rfc1808, url-syntax-1996, rfc2396, \
///      rfc3986, web)"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownDialect;

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown dialect (known: ")?;
        for (i, dialect) in Dialect::ALL.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{dialect}")?;
        }
        f.write_str(")")
    }
}

impl core::error::Error for UnknownDialect {}
