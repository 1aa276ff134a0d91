//! The base URL of every document, however deeply it is nested.
//!
//! A base is told by the document itself (`<base>`), by what holds it, by where it was retrieved from, or by nobody (RFC 3986 section 5.1).
//! Each of these is a [`Context`] in a chain, with the reason why it holds. The crate also owns the one pass of html5ever over a document
//! ([`html::read`]), because only the tree tells which `<base>` is the first.
//!
//! The crate opens no files and prints nothing.

mod attribute_count;
mod context;
pub mod html;
pub mod message;
pub mod raw_text;
mod retrieval;

pub use context::{BadBase, BaseSource, Context, is_template};
pub use retrieval::{BadRetrieval, RetrievalUrl};
