//! Rewriting of one document: from its bytes to the edits that make its references absolute,
//! relative, or valid under a new root, with verification of the output.
//!
//! Everything here is a pure function: no files, no threads, no printing. [`references`] shows
//! every reference with its span, slot and base; [`absolutize`], [`relativize`] and [`relocate`]
//! return a sorted list of edits and the output, which has been verified.
//!
//! A caller needs no other crate: the types of `basectx`, `layers` and `urlcore` that occur in a
//! signature are re-exported here. The time limit is checked by the [`Clock`] of the options, so
//! the crate also works where there is no clock, such as on `wasm32-unknown-unknown`.
//!
//! # Examples
//!
//! ```
//! use relink_rewrite::{Context, Media, Options, Relative, Unit, absolutize, references, relativize};
//!
//! // The base is the URL of the page, unless the page has a `<base>` of its own.
//! let context = Context::retrieval("http://example.org/a/page.html".parse()?, "the file");
//! let page = b"<img src=b.png><a href='../c?d&amp;e'>";
//! let unit = Unit::new(page, Media::HTML, &context);
//! let options = Options::default();
//!
//! let mut targets = Vec::new();
//! references(unit, &options, |site| targets.extend(site.target()));
//! assert_eq!(targets, ["http://example.org/a/b.png", "http://example.org/c?d&e"]);
//!
//! let absolute = absolutize(unit, &options).into_output().unwrap();
//! let expected = b"<img src=http://example.org/a/b.png><a href='http://example.org/c?d&amp;e'>";
//! assert_eq!(absolute, expected);
//!
//! // The way back.
//! let unit = Unit::new(&absolute, Media::HTML, &context);
//! let relative = Relative::below("http://example.org/");
//! assert_eq!(relativize(unit, &options, &relative).into_output().unwrap(), page);
//! # Ok::<(), relink_rewrite::BaseError>(())
//! ```
//!
//! Inside, data flows in one direction: bytes, document, values ([`Syntax`]), references
//! ([`Site`]), decisions, edits, bytes.

mod api;
mod convert;
mod decide;
mod digests;
mod expectations;
mod format;
mod moves;
mod options;
mod policy;
mod report;
mod slots;
mod unit;
mod verify;
mod walk;

pub use api::{
    Command, absolutize, absolutize_by, declared_charset, documents, inline, references,
    relativize, relocate, title,
};
pub use basectx::message::Profile;
pub use basectx::{BadBase, BaseSource, BaseUrl, Context};
pub use basectx::{site, with_ascii_host};
pub use decide::relocate::{Move, MoveStyle};
pub use digests::{FileDigests, LoadedFiles};
pub use format::html::{HeadItem, HeadItemKind, HeadMetadata, LinkElements};
pub use format::spec::{FormatId, FormatSpec};
pub use format::{FORMATS, is_feed, xml_elements};
pub use layers::{Edit, Edits, Layer, Span, Unliftable};
pub use moves::prefix::{Conflict, PrefixMap};
pub use moves::shares::{TreeNames, WindowsPaths};
pub use moves::unwrapped as unarchived;
pub use moves::{FixedRoots, TargetLocation, TargetMap, spelled};
pub use options::builder::ParseChoiceError;
pub use options::clock::Clock;
pub use options::extras::Extras;
pub use options::limits::{BadLimit, Limit, Limits, Met};
pub use options::relative::{BaseElement, Missing, Relative};
pub use options::{Engine, Filter, Integrity, Mail, NoSuchSlot, OptIn, Options, Verify, XmlBase};
pub use policy::has_policy_hashes;
pub use report::listed::{ListedContext, ListedDocument, ListedReference};
pub use report::skip::{Declined, SkipReason, SyntaxError};
pub use report::{
    Counts, Engines, Incident, Outcome, PartDefect, ReadBy, Report, SkipScope, Skipped, VerifyError,
};
pub use slots::{Fetch, Format, JsonType, Kind, Moment, SLOTS, Slot, SlotId, Syntax};
pub use unit::{
    Http, Media, MessageFraming, NewBytes, NewPlace, Package, Rewritten, TextFormat, Unit,
};
pub use urlcore::{BaseError, Dialect, Resolver, Style};
pub use walk::frame::{Frame, Refused};
pub use walk::site::{DocumentSite, Site};

/// The README, included so that its example is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
