//! The base URL of every document, however deeply it is nested.
//!
//! A base is declared by the document itself (`<base>`), by the entity that contains it, by the URL
//! from which it was retrieved, or not at all (RFC 3986 section 5.1). Each of these is a
//! [`Context`] in a chain, with its source and the section that defines it. The crate also has the
//! one pass of html5ever over a document ([`html::read`]), because only the tree decides which
//! `<base>` is the first.
//!
//! The crate opens no files and prints nothing.
//!
//! # Examples
//!
//! ```
//! use basectx::{BaseSource, Context};
//! use urlcore::Dialect;
//!
//! let outside = Context::retrieval("http://example.org/a/b.html".parse()?, "--base");
//! let (document, problem) = outside.html_base("../c/", Dialect::Web);
//! assert_eq!((document.base(), problem), (Some("http://example.org/c/"), None));
//! assert_eq!((document.base_source(), document.section()), (BaseSource::Embedded, "HTML 4.2.3"));
//! # Ok::<(), urlcore::BaseError>(())
//! ```

mod attribute_count;
mod bad_base;
mod base_url;
mod context;
pub mod html;
pub mod message;
pub mod raw_text;
mod retrieval;
mod site;
mod template;

pub use bad_base::BadBase;
pub use base_url::BaseUrl;
pub use context::{BaseSource, Context};
pub use retrieval::{BadRetrieval, RetrievalUrl};
pub use site::{site, with_ascii_host};
pub use template::is_template;
