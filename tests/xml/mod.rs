//! XML, judged by others: expat and xmllint on real files and on those of `fixtures/xml`,
//! roxmltree and the `url` crate on generated ones.

mod fixtures;
pub(crate) mod generate;
mod judge;
mod laws;
mod real;
mod trees;
