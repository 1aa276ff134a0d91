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

mod gopher;
mod known;
mod mail;
mod news;
mod prospero;
mod server;
mod view;
mod wais;

pub use gopher::Gopher;
pub(crate) use known::is_known;
pub use known::{
    Relativity, default_port, is_experimental, is_reserved, relativity, without_prefix,
};
pub use mail::Mailto;
pub use news::{News, NewsPart, Nntp};
pub use prospero::{Prospero, ProsperoField};
pub use server::{File, Ftp, HttpUrl, Session};
pub use view::View;
pub use wais::{Wais, WaisPart};

pub use crate::rules::SchemeTest;
pub use crate::scheme_kind::SchemeKind;
