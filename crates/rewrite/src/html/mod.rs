//! HTML: which values a document holds, and where.

mod attributes;
mod charset;
mod lex;
mod reference;

pub(crate) use charset::sniff;
pub(crate) use reference::find;
