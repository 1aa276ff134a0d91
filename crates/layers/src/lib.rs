//! Reversible encodings with maps.
//!
//! A URL reference sits inside syntaxes inside syntaxes. Each is a [`Layer`]: raw bytes are decoded to text with a [`Map`] from decoded
//! offsets to raw offsets, and edits of the text are lifted to edits of the bytes. Where nothing is escaped the text borrows the bytes and
//! the map is the identity, so the common case costs nothing.
//!
//! The crate knows nothing of documents, URLs or files.

pub mod base64;
pub mod charref;
mod charset;
pub mod css;
pub mod field;
pub mod flowed;
pub mod js;
pub mod json;
mod lift;
mod line;
mod map;
pub mod markdown;
mod names;
mod plain;
mod query;
pub mod quoted_printable;
mod sets;
mod shift_lift;
mod shift_write;
mod shifting;
mod span;
pub mod unencoded;
mod wide;
pub mod wrapped;
pub mod xml;

pub use charset::Charset;
pub use css::CssForm;
pub use js::JsQuote;
pub use lift::{Guards, Layer, Lifted, Quote, Unliftable};
pub use line::{LineEnd, LineGuards};
pub use map::{Decoded, Map, Step, Unit, Widened};
pub use markdown::MarkdownForm;
pub use span::{Disorder, Edit, Edits, Span};
pub use xml::{XmlNames, XmlPlace};
