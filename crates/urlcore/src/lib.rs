//! Splits, resolves, relativizes, validates, normalizes and escapes URL references in the dialects
//! of seven specifications, finds them in text, and reads the parts of URLs that RFC 1738 defines
//! per scheme.
//!
//! # Examples
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
//! * Its components are **scheme**, **authority**, **path**, **query** and **fragment** ([RFC 3986
//!   3]); RFC 1808 also has **params**. See [`Reference`].
//! * A **base** ([RFC 3986 5.1]) has a scheme; see [`Resolver`].
//! * The **target** ([RFC 3986 5.2]) is what a reference resolves to.
//! * A **dialect** is a specification; its meaning is a table of switches, [`Rules`]. "1993" and
//!   "1996" in the documentation are [`Dialect::Url1993`] and [`Dialect::UrlSyntax1996`].
//!
//! # Invariants
//!
//! * Splitting never fails and loses no byte.
//! * What [`Relativizer`] writes resolves to its target, byte by byte.
//! * Targets keep the spelling: case, percent-escapes, default ports and internationalized names
//!   are as written.
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
mod compose;
mod dialect;
mod dots;
pub mod escape;
mod grammar;
pub mod header;
mod host;
pub mod local;
mod normalize;
mod relativize;
mod resolve;
mod rules;
pub mod scan;
pub mod scheme;
mod scheme_kind;
mod search;
mod server;
mod split;
mod surt;
pub mod text;
mod typed;
mod validate;

pub use base::{BaseError, Resolver};
pub use below::{below, origin_prefix, spelled_as};
pub use dialect::{Dialect, UnknownDialect};
pub use host::{HostError, HostErrorKind, is_valid_host};
pub use normalize::{Normalization, normalize};
pub use relativize::{Form, RelativizeError, RelativizeErrorReason, Relativized, Relativizer};
pub use resolve::{
    Resolution, ResolveError, is_absolute, is_absolute_for_any_base, resolve_without_base,
};
pub use rules::{
    AuthorityEnd, Empty, EmptyBasePath, EmptyReference, Excess, QueryOnly, Rules, SameScheme,
    SchemeTest,
};
pub use scheme_kind::SchemeKind;
pub use search::{BaseIs, Style};
pub use server::{Segment, Server};
pub use split::{Reference, clean};
pub use surt::surt_key;
pub use typed::{Typed, typed};
pub use validate::{Strictness, ValidationError, ValidationErrorKind, validate};

/// The README, included so that its example is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
