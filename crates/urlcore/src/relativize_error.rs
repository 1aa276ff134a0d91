//! The reason why no reference resolves to a target.
//!
//! Invariant: the reason is searched for only after every reference has failed, so it never keeps
//! one from being found. Sections: RFC 3986 4.3, 5.2.2, 5.2.4.

use alloc::string::String;
use core::fmt;

use crate::base::Resolver;
use crate::dots::has_dot_segments;
use crate::host::HostError;
use crate::resolve::ResolveError;
use crate::split::Reference;

/// The error of relativizing a target to which no reference resolves.
///
/// # Examples
///
/// ```
/// use urlcore::{BaseIs, Dialect, RelativizeErrorReason, Relativizer, Resolver, Style};
///
/// let resolver = Resolver::new("http://h/a", Dialect::Rfc3986)?;
/// let mut relativizer = Relativizer::default();
/// let found =
///     relativizer.relativize(&resolver, "http://h/./b", Style::Relative, BaseIs::Document);
/// assert_eq!(found.unwrap_err().reason, RelativizeErrorReason::DotSegments);
/// # Ok::<(), urlcore::BaseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RelativizeError {
    /// The reason why there is no such reference.
    pub reason: RelativizeErrorReason,
}

/// The reason why no reference resolves to a target: see [`RelativizeError`].
///
/// # Examples
///
/// ```
/// use urlcore::{BaseIs, Dialect, RelativizeErrorReason, Relativizer, Resolver, Style};
///
/// let resolver = Resolver::new("http://h/a", Dialect::Web)?;
/// let mut relativizer = Relativizer::default();
/// let found = relativizer.relativize(&resolver, "b", Style::Relative, BaseIs::Document);
/// assert_eq!(found.unwrap_err().reason, RelativizeErrorReason::NotAbsolute);
/// # Ok::<(), urlcore::BaseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RelativizeErrorReason {
    /// The target has no scheme: it is itself a relative reference.
    NotAbsolute,
    /// The target has a host that no browser accepts.
    Host(HostError),
    /// The target has dot segments, which resolution removes from every path (RFC 3986 5.2.2).
    DotSegments,
    /// The target has the scheme of the base and no authority, and the scheme is ignored (RFC 3986
    /// 5.2.2, not strict).
    SameScheme,
    /// Resolution changes the spelling of the target.
    Respelled,
}

impl fmt::Display for RelativizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no reference in that style resolves to the target: ")?;
        match self.reason {
            RelativizeErrorReason::NotAbsolute => f.write_str("it has no scheme"),
            RelativizeErrorReason::Host(error) => write!(f, "{error}"),
            RelativizeErrorReason::DotSegments => {
                f.write_str("its dot segments are always removed")
            }
            RelativizeErrorReason::SameScheme => {
                f.write_str("it has no authority, and the scheme of the base is ignored")
            }
            RelativizeErrorReason::Respelled => f.write_str("its spelling is always changed"),
        }
    }
}

impl core::error::Error for RelativizeError {}

impl RelativizeError {
    /// Finds the reason why no reference resolves to the target against the base. `found` is a
    /// buffer.
    pub(crate) fn new(resolver: &Resolver<'_>, target: &str, found: &mut String) -> Self {
        RelativizeError { reason: reason(resolver, target, found) }
    }
}

fn reason(resolver: &Resolver<'_>, target: &str, found: &mut String) -> RelativizeErrorReason {
    let r = Reference::split_by(target, &resolver.rules, None);
    if !r.is_absolute() {
        return RelativizeErrorReason::NotAbsolute;
    }
    match resolver.resolve_into(target, found) {
        Err(ResolveError::Host(error)) => return RelativizeErrorReason::Host(error),
        _ if !resolver.split(target).is_absolute() => return RelativizeErrorReason::SameScheme,
        _ => {}
    }
    let found = Reference::split_by(found, &resolver.rules, None);
    if found.path() != r.path() && has_dot_segments(r.path(), &resolver.rules) {
        return RelativizeErrorReason::DotSegments;
    }
    RelativizeErrorReason::Respelled
}
