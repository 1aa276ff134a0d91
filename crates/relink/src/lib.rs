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
// What only the command line uses, and the names of its options. WebAssembly has no disk: there,
// the crate is what is below `plan`.
#![cfg_attr(any(not(feature = "cli"), target_family = "wasm"), allow(dead_code, unused_imports))]

mod archives;
#[cfg(all(feature = "cli", not(target_family = "wasm")))]
mod cli;
#[cfg(not(target_family = "wasm"))]
mod commands;
mod events;
mod files;
mod os;
#[cfg(not(target_family = "wasm"))]
mod plan;
#[cfg(not(target_family = "wasm"))]
mod recovery;
mod tree;
mod urls;

pub use rewrite::{
    BadLimit, BaseElement, BaseSource, Counts, Engine, Engines, Kind, Limit, Limits, Missing,
    MoveStyle, NoSuchSlot, Outcome, Profile, Span, Verify, XmlBase,
};
pub use urlcore::{Dialect, Style};

#[cfg(all(feature = "cli", not(target_family = "wasm")))]
pub use self::cli::program::{run, status_of};
pub use self::events::detail::{
    BaseDetail, ContextDetail, ContextPlace, DocumentPlace, EmbeddedPlace, Finding, RecordPlace,
    ReferenceDetail, ScopeDetail, SkippedDetail, UndoneDetail,
};
pub use self::events::problem::Problem;
pub use self::events::problem_kinds::ProblemKind;
pub use self::events::summary::{Summary, Written};
pub use self::events::{Event, Events, FinishedDocument, Message, Progress, Severity};
pub use crate::events::Status;
// For the tests of containers; without stability.
pub use self::files::archive_documents::{ArchiveDocument, ArchiveDocuments, BadRecord};
#[doc(hidden)]
pub use self::files::container;
pub use self::files::diff::{Diff, Look};
pub use self::files::globs::GlobError;
pub use self::files::media::{TypeError, of_document as media_of};
pub use self::os::failure::Failure;
pub use self::os::format::{CheckFormat, DiffFormat, Format};
pub use self::urls::hints::Tally;
pub use self::urls::layout::Layout;
pub use self::urls::renames::{RenameError, RenameOptions};
pub use self::urls::url_mapping::{MappingError, PlaceError};
#[cfg(not(target_family = "wasm"))]
pub use self::{
    commands::check::CheckSummary,
    commands::listing::ListSummary,
    commands::pack::PackSummary,
    commands::undo::{Undo, UndoSummary, undo},
    commands::unpack::UnpackSummary,
    commands::verify::{VerifySummary, verify},
    os::interrupt::Interrupt,
    plan::destination::OutputError,
    plan::destination::manifest::ManifestError,
    plan::exit::Error,
    plan::move_plan::{MoveError, RootError},
    plan::options::excludes::Excluded,
    plan::{
        Bases, Check, CheckOptions, Explain, MoveOptions, Pack, PackOptions, Plan, PlanBuilder,
        PlanError, Refs, RelativizeOptions, TreeOptions, Unpack, UnpackOptions, Which,
    },
};
