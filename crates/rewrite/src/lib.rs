//! From the bytes of one document to the edits that make its references absolute, relative, or right for a new root, and the proof that they do.
//!
//! A pure function: no files, no threads, no printing. [`references`] shows every reference with its span, slot and base;
//! [`absolutize`], [`relativize`] and [`relocate`] give a sorted list of edits and the output, read again and proved.
//!
//! Inside, data flows one way: bytes, document, values ([`Syntax`]), references ([`Site`]), decisions, edits, bytes.

mod absolutize;
mod budget;
mod charset;
mod codebase;
mod convert;
mod decision;
mod document;
mod expectations;
mod extra;
mod found;
mod frame;
mod html;
mod keep;
mod limits;
mod locality;
mod memory;
mod message;
mod moves;
mod options;
mod prefix_map;
mod proof;
mod recent;
mod relative;
mod relativize;
mod relocate;
mod report;
mod saved_resources;
mod scope;
mod shrink;
mod site;
mod skip;
mod slots;
mod syntax;
mod traverse;
mod unit;
mod verify_edits;
mod wayback;
mod words;
mod xml_base;

pub use basectx::message::Profile;
pub use extra::Extras;
pub use frame::Frame;
pub use html::{Engine, HeadItem, HeadItemKind, HeadMetadata, ReadBy};
pub use limits::{BadLimit, Limit, Limits, Met};
pub use message::{Http, Untold};
pub use moves::{FixedRoots, TargetLocation, TargetMap};
pub use options::{Filter, Mail, NoSuchSlot, OptIn, Options, Verify, XmlBase};
pub use prefix_map::{Conflict, PrefixMap};
pub use relative::{BaseElement, Missing, Relative};
pub use relocate::{Move, MoveStyle};
pub use report::{
    Counts, Engines, Incident, Outcome, PartDefect, Report, SkipScope, Skipped, VerifyError,
};
pub use site::{DocumentSite, Refused, Site};
pub use skip::{Declined, SkipReason, SyntaxError};
pub use slots::{Fetch, Format, JsonType, Kind, SLOTS, Slot, SlotId, Syntax};
pub use unit::{
    Media, MessageFraming, NewPlace, Rewritten, TextFormat, Unit, absolutize, documents, is_script,
    references, relativize, relocate,
};
pub use verify_edits::Command;
pub use words::UnknownWord;
