//! From messages and web archives to files that a browser opens.
//!
//! Data flows one way: `parts.rs` lists the parts of a message and their URLs (`ids.rs` compares
//! identifiers, `elsewhere.rs` has parts whose content is not in the message), `names.rs` gives
//! them paths (with `extensions.rs` for their types), `targets.rs` keeps them and maps URLs to
//! them (in the spelling of `keys.rs`, at the hosts of `hosts.rs`), and `file.rs` makes the file of
//! a part: its decoded body, with its charset (`charset.rs`) and its shadow trees declared, and its
//! references relative to the file.
//!
//! `commands/unpack/` reads the input twice: the first pass lists everything, the second one
//! writes. Mail also gets `pages/`, by the facts and threads of `mail.rs` and the first
//! words that `beginning.rs` finds; `policy.rs` forbids the
//! scripts in its bodies and empties what no policy forbids, and `opening.rs` says which files a
//! browser shows as documents. Of web archives, `record.rs` reads the records, `captures.rs`
//! indexes the captures (`captured_pages.rs`), `ranking.rs` chooses among those of a URL, also of
//! those that others repeat (`record.rs` knows records that are none), and `capture_names.rs` gives
//! them paths.

pub(crate) mod beginning;
pub(crate) mod capture_names;
pub(crate) mod captured_pages;
pub(crate) mod captures;
mod charset;
pub(crate) mod elsewhere;
mod extensions;
pub(crate) mod file;
mod hosts;
pub(crate) mod ids;
pub(crate) mod keys;
pub(crate) mod mail;
pub(crate) mod names;
mod opening;
pub(crate) mod pages;
pub(crate) mod parts;
mod policy;
mod ranking;
pub(crate) mod record;
pub(crate) mod response_fields;
pub(crate) mod targets;
