//! Messages: the tree of their entities, with the position of every header section, field and body
//! (RFC 2045, RFC 2046).
//!
//! Invariant: a message is never refused and nothing is copied. A defect is a [`Diagnostic`], and
//! the rest of the message is still read. The time is linear in the length of any input, and
//! nothing recurses.

mod base;
mod entity;
mod field;
pub mod http;
mod media;
mod walk;

pub use base::{Around, BadField, Contexts, Profile, UnknownProfile, joined, location_in, url_of};
pub use entity::{Defect, Diagnostic, Entity, Message};
pub use field::Field;
pub use media::{ContentType, Encoding, Undecoded, without_comments};
pub use walk::MessageLimits;
