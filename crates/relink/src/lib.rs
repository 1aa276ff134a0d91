//! The program `relink`, and its library: makes references in a tree of documents absolute,
//! relative, or correct for another URL, and changes no other byte.
//!
//! A [`Plan`] is built from values and checked before the first file is opened. Its run sends
//! [events](Event) to the caller (messages, finished documents, progress, output) and returns a
//! [`Summary`]. Nothing is printed: the command line ([`run`]) is a caller that prints the events.
//! [`Refs`], [`Bases`] and [`Check`] only read, and send their lists; [`undo`] reverts an
//! interrupted run that wrote over documents, and [`verify`] compares a tree with the manifest of
//! a run. [`Pack`] writes a page and what it loads as one message.
//!
//! The crate `rewrite`, a pure function, edits a document; everything that touches files and
//! threads is here.
//!
//! # Examples
//!
//! Make the references of a tree absolute, in a new directory:
//!
//! ```
//! use relink::{Event, Outcome, Plan, TreeOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let directory = tempfile::tempdir()?;
//! let (site, out) = (directory.path().join("site"), directory.path().join("out"));
//! std::fs::create_dir(&site)?;
//! std::fs::write(site.join("index.html"), "<a href='a/'>a</a> <a href='#b'>b</a>")?;
//!
//! let mut n_changed = 0;
//! let mut receive = |event: Event<'_>| {
//!     match event {
//!         Event::Document(document) => n_changed += usize::from(document.is_changed),
//!         Event::Message(message) => println!("{message}"),
//!         _ => {}
//!     }
//!     Ok(())
//! };
//! let tree = TreeOptions::new([&site]).base("https://example.org/docs/");
//! let plan = Plan::absolutize(tree).output(&out).build(&mut receive)?;
//! let summary = plan.run(&mut receive)?;
//!
//! assert_eq!(n_changed, 1);
//! assert_eq!((summary.n_documents, summary.n_failed), (1, 0));
//! println!("{} of {} references", summary.counts.get(Outcome::Rewritten), summary.counts.total());
//! assert_eq!(
//!     std::fs::read_to_string(out.join("index.html"))?,
//!     "<a href='https://example.org/docs/a/'>a</a> <a href='#b'>b</a>"
//! );
//! # Ok(())
//! # }
//! ```

// The modules are private: `pub` in them means that other modules use it. The public API is the
// list of names below.
#![allow(unreachable_pub)]

mod anchors;
mod archive_documents;
mod attributes;
mod base;
mod boxes;
mod cli;
mod command_line;
mod commands;
mod config;
// For the tests of containers; without stability.
#[doc(hidden)]
pub mod container;
mod descriptors;
mod destination;
mod diff;
mod digest;
mod dirs;
mod error_pages;
mod events;
mod exit;
mod external;
mod failure;
mod file_list;
mod files;
mod fixes;
mod format;
mod git;
mod globs;
mod hints;
mod home_index;
mod ignored;
mod input;
mod integrity;
mod interrupt;
mod journal;
mod layout;
mod leftovers;
mod lint;
mod lists;
mod loads;
mod locate;
mod located;
mod manifest;
mod markdown;
mod markup;
mod media;
mod mentions;
mod messages;
mod mirror;
mod move_log;
mod move_plan;
mod not_read;
mod origins;
mod other_names;
mod own_files;
mod pack;
mod parallel;
mod paths;
mod plan;
mod portable;
mod problem;
mod program;
mod progress;
mod receivers;
mod records;
mod renames;
mod report;
mod settings;
mod sidecar;
mod signs;
mod snippet;
mod spool;
mod stale_text;
mod status;
mod suggest;
mod summary;
mod temp_names;
mod terminal;
mod text_store;
mod tree;
mod twins;
mod unarchived;
mod undo_log;
mod units;
mod unpack;
mod url_mapping;
mod walk;
mod write;

pub use rewrite::{
    BadLimit, BaseElement, Counts, Engine, Engines, Missing, MoveStyle, NoSuchSlot, Outcome,
    Profile, Verify, XmlBase,
};
pub use urlcore::{Dialect, Style};

pub use self::archive_documents::{ArchiveDocument, ArchiveDocuments, BadRecord};
pub use self::commands::check::CheckSummary;
pub use self::commands::listing::ListSummary;
pub use self::commands::pack::PackSummary;
pub use self::commands::undo::{Undo, UndoSummary, undo};
pub use self::commands::unpack::UnpackSummary;
pub use self::commands::verify::{VerifySummary, verify};
pub use self::destination::OutputError;
pub use self::destination::manifest::ManifestError;
pub use self::diff::{Diff, Look};
pub use self::events::detail::{
    BaseDetail, ContextDetail, ContextPlace, DocumentPlace, EmbeddedPlace, ProblemDetail,
    RecordPlace, ReferenceDetail, ScopeDetail, SkippedDetail, UndoneDetail,
};
pub use self::events::{Event, Events, FinishedDocument, Message, Progress, Severity};
pub use self::exit::Error;
pub use self::failure::Failure;
pub use self::format::{BasesFormat, CheckFormat, DiffFormat, Format};
pub use self::globs::GlobError;
pub use self::hints::Tally;
pub use self::interrupt::Interrupt;
pub use self::layout::Layout;
pub use self::media::{TypeError, of_document as media_of};
pub use self::move_plan::{MoveError, MoveOptions, RootError};
pub use self::plan::{
    Bases, Check, CheckOptions, Explain, Pack, PackOptions, Plan, PlanBuilder, PlanError, Refs,
    RelativizeOptions, TreeOptions, Unpack, UnpackOptions, Which,
};
pub use self::program::{run, status_of};
pub use self::renames::{RenameError, RenameOptions};
pub use self::status::Status;
pub use self::summary::{Summary, Written};
pub use self::url_mapping::{MappingError, PlaceError};
