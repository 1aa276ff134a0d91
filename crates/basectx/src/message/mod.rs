//! Messages: the tree of their entities, with the place of every heading, field and body (RFC 2045, RFC 2046).
//!
//! Invariant: a message is never refused and nothing is copied. What is wrong with it is a [`Diagnostic`], and what could be read stands.
//! The time is linear in the length, whatever it holds, and nothing recurses.

mod base;
mod entity;
mod field;
pub mod http;
mod media;
mod walk;

pub use base::{Around, BadField, Contexts, Profile, UnknownProfile, joined, location_in, url_of};
pub use entity::{Diagnostic, Entity, Fault, Message};
pub use field::Field;
pub use media::{ContentType, Encoding};
pub use walk::Caps;
