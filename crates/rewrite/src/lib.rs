//! From the bytes of one document to the edits that make its references absolute, relative, or right for a new root, and the proof that they do.
//!
//! A pure function: no files, no threads, no printing. [`references`] shows every reference with its span, slot and base;
//! [`absolutize`], [`relativize`] and [`relocate`] give a sorted list of edits and the output, read again and proved.
//!
//! Inside, data flows one way: bytes, document, values ([`Syntax`]), references ([`Site`]), decisions, edits, bytes.

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

pub use api::Command;
pub use basectx::message::Profile;
pub use decide::relocate::{Move, MoveStyle};
pub use format::html::{Engine, HeadItem, HeadItemKind, HeadMetadata, ReadBy};
pub use moves::prefix::{Conflict, PrefixMap};
pub use moves::{FixedRoots, TargetLocation, TargetMap};
pub use options::extras::Extras;
pub use options::limits::{BadLimit, Limit, Limits, Met};
pub use options::relative::{BaseElement, Missing, Relative};
pub use options::{Filter, Mail, NoSuchSlot, OptIn, Options, Verify, XmlBase};
pub use report::skip::{Declined, SkipReason, SyntaxError};
pub use report::{
    Counts, Engines, Incident, Outcome, PartDefect, Report, SkipScope, Skipped, VerifyError,
};
pub use slots::{Fetch, Format, JsonType, Kind, SLOTS, Slot, SlotId, Syntax};
pub use unit::{
    Media, MessageFraming, NewPlace, Rewritten, TextFormat, Unit, absolutize, documents, is_script,
    references, relativize, relocate,
};
pub use walk::frame::Frame;
pub use walk::message::{Http, Untold};
pub use walk::site::{DocumentSite, Refused, Site};
pub use words::UnknownWord;
