//! Rewriting of one document: from its bytes to the edits that make its references absolute,
//! relative, or valid under a new root, with verification of the output.
//!
//! Everything here is a pure function: no files, no threads, no printing. [`references`] shows
//! every reference with its span, slot and base; [`absolutize`], [`relativize`] and [`relocate`]
//! return a sorted list of edits and the output, which has been read again and verified.
//!
//! Inside, data flows in one direction: bytes, document, values ([`Syntax`]), references
//! ([`Site`]), decisions, edits, bytes.

mod api;
mod convert;
mod decide;
mod expectations;
mod format;
mod moves;
mod options;
mod report;
mod slots;
mod unit;
mod verify;
mod walk;
mod words;

pub use api::{Command, absolutize, documents, references, relativize, relocate};
pub use basectx::message::Profile;
pub use decide::relocate::{Move, MoveStyle};
pub use format::html::{HeadItem, HeadItemKind, HeadMetadata};
pub use moves::prefix::{Conflict, PrefixMap};
pub use moves::{FixedRoots, TargetLocation, TargetMap};
pub use options::extras::Extras;
pub use options::limits::{BadLimit, Limit, Limits, Met};
pub use options::relative::{BaseElement, Missing, Relative};
pub use options::{Engine, Filter, Mail, NoSuchSlot, OptIn, Options, Verify, XmlBase};
pub use report::skip::{Declined, SkipReason, SyntaxError};
pub use report::{
    Counts, Engines, Incident, Outcome, PartDefect, ReadBy, Report, SkipScope, Skipped, VerifyError,
};
pub use slots::{Fetch, Format, JsonType, Kind, SLOTS, Slot, SlotId, Syntax};
pub use unit::{
    Http, Media, MessageFraming, NewPlace, Rewritten, TextFormat, Unit, Untold, is_script,
};
pub use walk::frame::Frame;
pub use walk::site::{DocumentSite, Refused, Site};
pub use words::UnknownWord;
