//! URL references: splitting, resolving and escaping them, in the dialects of several specifications.
//!
//! ```
//! use urlcore::{Dialect, Resolver};
//!
//! let resolver = Resolver::new("http://example.org/a/b", Dialect::Web)?;
//! assert_eq!(resolver.resolve(r"..\c d").unwrap(), "http://example.org/c d");
//! # Ok::<(), urlcore::BaseError>(())
//! ```
//!
//! # Terminology
//!
//! * A **reference** ([RFC 3986 4.1]) is absolute, or relative to a base; see [`Form`].
//! * Its components are **scheme**, **authority**, **path**, **query** and **fragment** ([RFC 3986 3]); RFC 1808 also
//!   has **params**. See [`Reference`].
//! * A **base** ([RFC 3986 5.1]) has a scheme; see [`Resolver`].
//! * The **target** ([RFC 3986 5.2]) is what a reference resolves to.
//! * A **dialect** is a specification; what it means is a table of switches, [`Rules`].
//!
//! # Invariants
//!
//! * Splitting never fails and loses no octet.
//! * Targets keep the spelling: case, percent-escapes, default ports and international names are as written.
//! * No text makes any function panic.
//!
//! [RFC 3986 3]: https://www.rfc-editor.org/rfc/rfc3986#section-3
//! [RFC 3986 4.1]: https://www.rfc-editor.org/rfc/rfc3986#section-4.1
//! [RFC 3986 5.1]: https://www.rfc-editor.org/rfc/rfc3986#section-5.1
//! [RFC 3986 5.2]: https://www.rfc-editor.org/rfc/rfc3986#section-5.2

#![no_std]

extern crate alloc;

mod base;
mod below;
mod classes;
mod clean;
mod compose;
mod dialect;
mod dots;
mod drive;
pub mod escape;
mod expressible;
mod form;
mod host;
mod ip;
mod relativize;
mod resolution;
mod resolve;
mod rules;
mod scheme;
mod search;
mod split;

pub use base::{BaseError, Resolver};
pub use below::{below, site_of};
pub use clean::clean;
pub use dialect::{Dialect, UnknownDialect};
pub use expressible::{NotExpressible, NotExpressibleReason};
pub use form::Form;
pub use host::{HostError, HostErrorKind, host_is_usable};
pub use relativize::{BaseIs, Relative, Relativizer, Style};
pub use resolution::Resolution;
pub use resolve::{ResolveError, is_absolute, is_absolute_anywhere, resolve_without_base};
pub use rules::{
    AuthorityEnd, Empty, EmptyBasePath, EmptyReference, Excess, QueryOnly, Rules, SameScheme,
};
pub use scheme::{SchemeKind, SchemeTest};
pub use split::Reference;
