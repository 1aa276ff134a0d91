//! Reversible encodings with maps.
//!
//! A URL reference is nested in several syntaxes. Each is a [`Layer`]: raw bytes are decoded to
//! text with a [`Map`] from decoded offsets to raw offsets, and edits of the text are lifted to
//! edits of the bytes. If nothing is escaped the text borrows the bytes and the map is the
//! identity, so the common case costs nothing.
//!
//! The crate does not depend on documents, URLs or files.
//!
//! # Examples
//!
//! ```
//! use relink_layers::{Charset, Edit, Edits, Guards, Layer, Quote, Span};
//!
//! let (raw, layer) = (b"a&amp;b".as_slice(), Layer::Attribute(Quote::Double));
//! let decoded = layer.decode(raw, Charset::UTF_8);
//! assert_eq!(decoded.text, "a&b");
//! let edit = Edit { span: Span::new(1, 3), text: b"&c".as_slice().into(), id: 0 };
//! let lifted = layer.lift(raw, Charset::UTF_8, &decoded, &[edit], Guards::default());
//! assert_eq!(Edits::new(lifted.edits, raw.len())?.apply(raw), b"a&amp;c");
//! # Ok::<(), relink_layers::Disorder>(())
//! ```

pub mod base64;
pub mod charref;
mod charset;
pub mod css;
mod fast_path;
pub mod field;
pub mod field_code;
mod find_byte;
pub mod flowed;
pub mod js;
pub mod json;
mod lift;
mod line;
mod map;
pub mod markdown;
pub mod quoted_printable;
mod span;
pub mod unencoded;
mod units;
pub mod utf7;
pub mod uuencode;
pub mod wrapped;
pub mod xml;

pub use charset::Charset;
pub use css::CssForm;
pub use find_byte::find_byte;
pub use js::JsQuote;
pub use lift::{Layer, Quote};
pub use line::{LineEnd, LineGuards};
pub use map::{Decoded, Map, Widened};
pub use markdown::MarkdownForm;
pub use span::{Disorder, Edit, Edits, Guards, Lifted, Span, Unliftable};
pub use units::{MapUnit, Step};
pub use xml::{XmlNames, XmlPlace};
