//! The resolution of references against a base.
//!
//! Invariant: the target is absolute, and it is written in one pass into the caller's buffer. In
//! [`Dialect::Web`] it is a fixed point: against any base it resolves to itself. Sections: RFC 1808
//! 4; RFC 3986 5.2; WHATWG URL 4.4.

use alloc::string::String;
use core::fmt;

use crate::base::{Plain, Resolver};
use crate::compose;
use crate::dialect::Dialect;
use crate::dots::{self, OpenPath};
use crate::host::HostError;
use crate::rules::{Empty, EmptyBasePath, EmptyReference, Excess, QueryOnly, SameScheme};
use crate::scheme_kind::SchemeKind;
use crate::split::{Reference, clean_by};

/// The reason why a reference has no target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResolveError {
    /// The reference is relative, and there is no base.
    NoBase,
    /// The reference is relative and does not begin with `#`, and the path of the base is opaque,
    /// as in `mailto:u@h`.
    OpaqueBase,
    /// The reference has more `..` than there are segments, and such references are
    /// [refused](crate::Excess::Refused).
    ExcessDots,
    /// No browser accepts the host of the reference.
    Host(HostError),
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBase => f.write_str("the reference is relative and there is no base"),
            Self::OpaqueBase => {
                f.write_str("the reference is relative and the path of the base is opaque")
            }
            Self::ExcessDots => f.write_str("the reference points above the root of the base"),
            Self::Host(error) => write!(f, "unusable reference: {error}"),
        }
    }
}

impl core::error::Error for ResolveError {}

impl From<HostError> for ResolveError {
    fn from(error: HostError) -> Self {
        Self::Host(error)
    }
}

impl Resolver<'_> {
    /// Resolves a reference into a buffer (RFC 3986 5.2). The buffer is cleared first and then
    /// holds the text of the resolution. Another allocation is needed only for a tab or line break
    /// within the reference.
    ///
    /// # Errors
    ///
    /// [`ResolveError`]; the buffer is empty then. In the RFC dialects every reference has a target
    /// unless [`Excess::Refused`](crate::Excess::Refused) is set.
    ///
    /// # Examples
    ///
    /// ```
    /// use urlcore::{Dialect, Resolution, Resolver};
    ///
    /// let resolver = Resolver::new("http://a/b/c?q", Dialect::UrlSyntax1996)?;
    /// let mut text = String::new();
    /// assert_eq!(resolver.resolve_into("?y", &mut text), Ok(Resolution::Url("http://a/b/?y")));
    /// let same = Resolution::SameDocument { fragment: Some("s") };
    /// assert_eq!(resolver.resolve_into("#s", &mut text), Ok(same));
    /// assert_eq!(text, "#s");
    /// # Ok::<(), urlcore::BaseError>(())
    /// ```
    #[inline]
    pub fn resolve_into<'t>(
        &self,
        reference: &str,
        target: &'t mut String,
    ) -> Result<Resolution<&'t str>, ResolveError> {
        target.clear();
        let text = clean_by(reference, &self.rules);
        if let Some(plain) = self.plain(&text) {
            self.write_plain(&plain, target);
            return Ok(Resolution::Url(target));
        }
        let r = self.split(&text);
        if self.rules.empty_reference == EmptyReference::SameDocument && r.is_same_document() {
            compose::write_tail(&r, &self.rules, target);
            return Ok(Resolution::SameDocument { fragment: target.get(1..) });
        }
        if let Err(error) = self.write(&r, target) {
            target.clear();
            return Err(error);
        }
        compose::escape_end(target, &self.rules);
        Ok(Resolution::Url(target))
    }

    /// Resolves a reference into a new string (RFC 3986 5.2).
    ///
    /// # Errors
    ///
    /// As [`resolve_into`](Self::resolve_into).
    ///
    /// # Examples
    ///
    /// ```
    /// use urlcore::{Dialect, ResolveError, Resolver};
    ///
    /// let resolver = Resolver::new("mailto:u@h", Dialect::Web)?;
    /// assert_eq!(resolver.resolve("#s").unwrap(), "mailto:u@h#s");
    /// assert_eq!(resolver.resolve("g"), Err(ResolveError::OpaqueBase));
    /// # Ok::<(), urlcore::BaseError>(())
    /// ```
    pub fn resolve(&self, reference: &str) -> Result<Resolution<String>, ResolveError> {
        let mut target = String::with_capacity(self.whole.len() + reference.len());
        match self.resolve_into(reference, &mut target)? {
            Resolution::Url(_) => Ok(Resolution::Url(target)),
            same => Ok(same.map(String::from)),
        }
    }

    #[inline]
    fn write_plain(&self, plain: &Plain<'_>, target: &mut String) {
        let (before, rest) = match *plain {
            Plain::Fragment(fragment) => (&self.whole[..self.at.query_end], fragment),
            Plain::Path { n_up, rest } => (self.above(n_up), rest),
            Plain::Network(rest) => (&self.whole[..=self.scheme().len()], rest),
        };
        target.reserve(before.len() + rest.len());
        target.push_str(before);
        target.push_str(rest);
        if self.at.authority.is_none() {
            compose::guard(target, self.root, false, &self.rules);
        }
    }

    /// Writes the target, by the cases of RFC 3986 5.2.2 in its order.
    #[inline]
    fn write(&self, r: &Reference<'_>, target: &mut String) -> Result<(), ResolveError> {
        let rules = &self.rules;
        if r.is_absolute() {
            return Ok(compose::write_absolute(r, rules, target)?);
        }
        if self.is_opaque() && !(r.is_same_document() && r.fragment().is_some()) {
            return Err(ResolveError::OpaqueBase);
        }
        match r.authority() {
            Some(authority) if !(rules.empty == Empty::Undefined && authority.is_empty()) => {
                target.push_str(self.scheme());
                target.push(':');
                return Ok(compose::write_from_authority(r, rules, target)?);
            }
            _ => {}
        }
        let path = r.path();
        let keeps_path = rules.query_only == QueryOnly::KeepsPath || r.query().is_none();
        if path.is_empty() && keeps_path {
            self.write_inherited_path(r, target);
            return Ok(());
        }

        let begins_with_drive =
            |path: &str| r.kind() == SchemeKind::File && dots::begins(path.as_bytes());
        let open = |rooted| OpenPath { rules, kind: r.kind(), root: self.root, rooted };
        if r.is_rooted() {
            let drive = if begins_with_drive(&path[1..]) { 0 } else { self.drive_length() };
            target.push_str(&self.whole[..self.root + drive]);
            if rules.removes_all_dots {
                open(true).append(target, path, r.at.plain_from);
            } else {
                target.push_str(path);
            }
        } else if begins_with_drive(path) {
            target.push_str(&self.whole[..self.root]);
            target.push('/');
            open(true).append(target, path, r.at.plain_from);
        } else {
            return self.write_merged(r, target);
        }
        compose::guard(target, self.root, self.at.authority.is_some(), rules);
        compose::write_tail(r, rules, target);
        Ok(())
    }

    /// Writes the target of a relative-path reference: its path is appended to the directory of the
    /// base.
    fn write_merged(&self, r: &Reference<'_>, target: &mut String) -> Result<(), ResolveError> {
        let rules = &self.rules;
        target.push_str(&self.directory);
        let open = OpenPath { rules, kind: r.kind(), root: self.root, rooted: self.rooted };
        let has_dots_in_query = rules.dots_in_query && r.query().is_some();
        if has_dots_in_query {
            let merged = r.path_and_query();
            open.append(target, merged, merged.len());
        } else {
            open.append(target, r.path(), r.at.plain_from);
        }
        let joined = self.has_authority && self.at.path_start == self.at.path_end;
        if joined && rules.empty_base_path == EmptyBasePath::SlashIfAny && target.len() > self.root
        {
            target.insert(self.root, '/');
        }
        if rules.excess == Excess::Refused {
            let path = &target[self.root..];
            let path = path.strip_prefix('/').unwrap_or(path);
            if path == ".." || path.starts_with("../") {
                return Err(ResolveError::ExcessDots);
            }
        }
        compose::guard(target, self.root, self.at.authority.is_some(), rules);
        if has_dots_in_query {
            compose::write_fragment(r, rules, target);
        } else {
            compose::write_tail(r, rules, target);
        }
        Ok(())
    }

    /// Writes the target of a reference without path: it inherits the path of the base, and those
    /// of the components after it that it does not have itself.
    fn write_inherited_path(&self, r: &Reference<'_>, target: &mut String) {
        let rules = &self.rules;
        if r.text().is_empty() && rules.empty_reference == EmptyReference::WholeBase {
            target.push_str(&self.whole);
            return;
        }
        if rules.empty != Empty::Undefined {
            let end = if r.query().is_some() { self.at.path_end } else { self.at.query_end };
            target.push_str(&self.whole[..end]);
            target.push_str(r.tail());
            return;
        }
        // RFC 1808 4 step 5: the first component of the reference that is not empty ends the
        // inheritance.
        let base = Reference::split_by(&self.whole, rules, None);
        let is_own =
            |component: Option<&str>| component.is_some_and(|component| !component.is_empty());
        let own_params = is_own(r.params());
        let own_query = own_params || is_own(r.query());
        target.push_str(&self.whole[..self.at.path_end]);
        compose::write_component(';', if own_params { r.params() } else { base.params() }, target);
        compose::write_component('?', if own_query { r.query() } else { base.query() }, target);
        compose::write_component('#', r.fragment(), target);
    }
}

/// Resolves a reference for which there is no base. An absolute one is treated as with any base;
/// the buffer is cleared first.
///
/// # Errors
///
/// [`ResolveError::NoBase`] if the reference is relative, [`ResolveError::Host`] if its host is
/// unusable; the buffer is empty then.
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, ResolveError, resolve_without_base};
///
/// let mut target = String::new();
/// resolve_without_base("http:/a/../b", Dialect::Web, &mut target)?;
/// assert_eq!(target, "http://a/b");
/// resolve_without_base("http:/a/../b", Dialect::Rfc3986, &mut target)?;
/// assert_eq!(target, "http:/b");
/// assert_eq!(resolve_without_base("b", Dialect::Web, &mut target), Err(ResolveError::NoBase));
/// # Ok::<(), ResolveError>(())
/// ```
pub fn resolve_without_base(
    reference: &str,
    dialect: Dialect,
    target: &mut String,
) -> Result<(), ResolveError> {
    target.clear();
    let rules = dialect.rules();
    let text = clean_by(reference, rules);
    let r = Reference::split_by(&text, rules, None);
    if !r.is_absolute() {
        return Err(ResolveError::NoBase);
    }
    let written = compose::write_absolute(&r, rules, target);
    if written.is_err() {
        target.clear();
    }
    compose::escape_end(target, rules);
    Ok(written?)
}

/// Returns true if the target of the reference does not depend on the base. Only the scheme of the
/// base, if there is one, matters to this.
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, is_absolute};
///
/// assert!(is_absolute("http:g", Dialect::Rfc3986, Some("http")));
/// assert!(!is_absolute("http:g", Dialect::Web, Some("http")));
/// assert!(is_absolute("http:g", Dialect::Web, Some("https")));
/// assert!(is_absolute("http://g", Dialect::Web, Some("http")));
/// assert!(!is_absolute("//g", Dialect::Web, None));
/// ```
#[must_use]
pub fn is_absolute(reference: &str, dialect: Dialect, base_scheme: Option<&str>) -> bool {
    let rules = dialect.rules();
    let text = clean_by(reference, rules);
    let base = base_scheme.map(|scheme| (scheme, rules.kind_of(scheme)));
    Reference::split_by(&text, rules, base).is_absolute()
}

/// Returns true if the target of a reference is the same against every base.
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, is_absolute_for_any_base};
///
/// assert!(is_absolute_for_any_base("http://g", Dialect::Web));
/// assert!(is_absolute_for_any_base("mailto:g", Dialect::Web));
/// assert!(!is_absolute_for_any_base("http:g", Dialect::Web));
/// assert!(is_absolute_for_any_base("http:g", Dialect::Rfc3986));
/// assert!(!is_absolute_for_any_base("//g", Dialect::Web));
/// ```
#[must_use]
pub fn is_absolute_for_any_base(reference: &str, dialect: Dialect) -> bool {
    let rules = dialect.rules();
    // Most absolute references begin with one of these.
    if rules.same_scheme != SameScheme::Ignored
        && (reference.starts_with("https://") || reference.starts_with("http://"))
    {
        return true;
    }
    let text = clean_by(reference, rules);
    let Some(end) = rules.scheme_end(text.as_bytes()) else { return false };
    match rules.same_scheme {
        SameScheme::Absolute => true,
        SameScheme::Ignored => false,
        SameScheme::RelativeIfSpecial => {
            let kind = rules.kind_of(&text[..end]);
            kind == SchemeKind::Other || kind.leading_slashes(&text.as_bytes()[end + 1..]) >= 2
        }
    }
}

// The result of resolving a reference: a URL, or the document that contains the reference.
//
// Invariant: a [`Resolution::Url`] is absolute. The text of a resolution, which `Display` writes,
// is complete: the URL, or a same-document reference. Sections: 1996 5.2 step 2; RFC 2396 4.2 and
// 5.2 step 2.

/// The result of resolving a reference. `T` is `&str` if the text is in a buffer of the caller,
/// else `String`.
///
/// # Examples
///
/// ```
/// use urlcore::{Dialect, Resolution, Resolver};
///
/// let resolve = |dialect| Resolver::new("http://a/b", dialect).unwrap().resolve("#s").unwrap();
/// assert_eq!(resolve(Dialect::Rfc3986), "http://a/b#s");
/// let fragment = Some("s".to_owned());
/// assert_eq!(resolve(Dialect::Rfc2396), Resolution::SameDocument { fragment });
/// assert_eq!(resolve(Dialect::Rfc2396).to_string(), "#s");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resolution<T> {
    /// A URL: the target (RFC 3986 5.2).
    Url(T),
    /// The current document, which need not be what the base names (1996 5.2 step 2; RFC 2396 4.2).
    /// [`Dialect::Url1993`](crate::Dialect::Url1993), which does not define it, is read the same
    /// way.
    SameDocument {
        /// The fragment, without its `#`.
        fragment: Option<T>,
    },
}

impl<T> Resolution<T> {
    /// Returns the URL, or `None` for the current document.
    #[must_use]
    pub fn url(self) -> Option<T> {
        match self {
            Self::Url(url) => Some(url),
            Self::SameDocument { .. } => None,
        }
    }

    /// Converts the text, and keeps the variant.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> Resolution<U> {
        match self {
            Self::Url(url) => Resolution::Url(change(url)),
            Self::SameDocument { fragment } => {
                Resolution::SameDocument { fragment: fragment.map(change) }
            }
        }
    }
}

impl<T: AsRef<str>> PartialEq<str> for Resolution<T> {
    /// Returns true if the resolution is the given URL.
    fn eq(&self, url: &str) -> bool {
        matches!(self, Self::Url(own) if own.as_ref() == url)
    }
}

impl<T: AsRef<str>> PartialEq<&str> for Resolution<T> {
    /// Returns true if the resolution is the given URL.
    fn eq(&self, url: &&str) -> bool {
        *self == **url
    }
}

impl<T: fmt::Display> fmt::Display for Resolution<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(url) => url.fmt(f),
            Self::SameDocument { fragment: Some(fragment) } => write!(f, "#{fragment}"),
            Self::SameDocument { fragment: None } => Ok(()),
        }
    }
}
