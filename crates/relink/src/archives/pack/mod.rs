//! A page and what it loads, as one MHTML message (RFC 2557): the inverse of unpacking one.
//!
//! `resources.rs` finds the files, `media_type.rs` decides which of them may be read and has their
//! types, `mime.rs` writes the message, and `proof.rs` reads it again. `inline.rs` writes a file of
//! HTML instead.
//!
//! Invariant: documents keep their bytes, but for a relative `<base>`. Each part has the URL to
//! which the references to it resolve, so that every reference has the same target as before: a
//! file is packed once for each of its URLs.

pub mod inline;
pub mod media_type;
mod mime;
mod proof;
mod resources;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use basectx::Context;
use rewrite::{
    BadBase, Extras, Filter, Media, Met, Options, Outcome, SkipReason, Unit, VerifyError,
    absolutize, references,
};

pub use self::media_type::Access;
use self::mime::Heading;
use self::proof::Difference;
pub use self::resources::Collector;
use crate::os::failure::Failure;

/// The URL of a tree that has none. No host has this name (RFC 2606, section 2), and references
/// resolve against it as against that of any web server.
pub const MADE_UP: &str = "http://relink.invalid/";

/// The made-up URL of the directory that contains all files of a page. It is below that of its
/// host, so that a reference that leads out of the directory does not lead to a part.
const MADE_UP_DIRECTORY: &str = "http://relink.invalid/tree/";

/// A file of a message.
#[derive(Debug)]
pub struct PackedFile {
    /// Its URL, as references to it resolve.
    pub url: String,
    /// The URL by which it is found among the files; another one if the URLs are made up.
    file_url: String,
    /// Its file.
    pub path: PathBuf,
    /// Its media type.
    pub media_type: String,
    /// Its format, if it may have references.
    media: Option<Media>,
    /// The charset that it declares itself.
    pub charset: Option<&'static str>,
    /// True if its lines can be read in a message.
    is_text: bool,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
    /// Its bytes in the message, if they differ.
    edited: Option<Vec<u8>>,
    /// The references in it that a browser fetches, by their numbers in the document.
    loaded: Vec<Loaded>,
    /// The number of files through which the page loads it.
    depth: usize,
}

impl PackedFile {
    /// Returns its bytes in the message.
    fn body(&self) -> &[u8] {
        self.edited.as_deref().unwrap_or(&self.bytes)
    }
}

/// A reference that a browser fetches.
#[derive(Debug)]
struct Loaded {
    /// The number of the reference in its document.
    id: usize,
    /// Its offset in the document.
    at: usize,
    /// True if it is what SVG uses: no browser reads that from a data URL.
    is_use: bool,
    /// True if it is a document in a frame of its own.
    is_frame: bool,
    /// The index of the part that it is to lead to, if it leads to one.
    part: Option<usize>,
    /// Its target among the files.
    file_url: Option<String>,
}

/// The reason why a reference of a page does not lead to a part, or why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum PackProblemKind {
    /// There is no such file.
    #[error("not packed; there is no file {}", .0.display())]
    Missing(PathBuf),
    /// There is a directory.
    #[error("not packed; {} is a directory", .0.display())]
    Directory(PathBuf),
    /// The file may not be read.
    #[error("not packed; {} is outside the directory of the page and not a file that pages load; use `--root DIR` to include it", .0.display())]
    Refused(PathBuf),
    /// Reading the file failed.
    #[error("not packed; {0}")]
    Failed(#[source] Failure),
    /// It leads out of the directory of the files.
    #[error("not packed; {0} is outside the root; use `--root DIR` to include it")]
    Outside(String),
    /// Its URL in the message would be that of another file.
    #[error("not packed; its URL in the message is that of another file than {}; use `--root DIR` to set the root", .0.display())]
    Taken(PathBuf),
    /// References are not read here.
    #[error("what it loads is not packed; {0}")]
    Unread(SkipReason),
    /// SVG uses it.
    #[error("not inside of the page; browsers use no SVG from a data URL: {}", .0.display())]
    Use(PathBuf),
    /// It is too large for a frame.
    #[error("not inside of the page; browsers show no data URL of more than 2 MiB in a frame: {}", .0.display())]
    Frame(PathBuf),
    /// It has no bytes.
    #[error("not inside of the page; it is empty: {}", .0.display())]
    Empty(PathBuf),
    /// The file loads what loads it.
    #[error("not inside of the page; it loads {} again", .0.display())]
    Cycle(PathBuf),
    /// A policy of the page may forbid data URLs.
    #[error("the Content-Security-Policy may block what is inside of the page; check the policy")]
    Policy,
    /// A relative base cannot be written as an absolute one.
    #[error(
        "<base> stays relative; browsers resolve it against the file of the message, and do not find what depends on it"
    )]
    Base,
    /// A policy forbids the base of the page in a message.
    #[error(
        "the Content-Security-Policy (base-uri) forbids the <base> in a message; browsers do not find what relative references lead to"
    )]
    ForbiddenBase,
}

/// A problem, and where it is.
#[derive(Debug)]
pub struct PackProblem {
    /// The index of the part.
    pub part: usize,
    /// The offset in its bytes.
    pub at: usize,
    /// The slot and the text of the reference, if it is about one.
    pub reference: Option<(String, String)>,
    /// The kind.
    pub kind: PackProblemKind,
}

impl PackProblem {
    /// Returns true if something that the page loads is missing in the message.
    pub fn is_loss(&self) -> bool {
        !matches!(self.kind, PackProblemKind::Unread(_))
    }
}

/// The reason why a page cannot be packed.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// The page exceeds a limit.
    #[error("{page}: not packed; {1}", page = .0.display())]
    Limit(PathBuf, Met),
    /// The file is not a page.
    #[error("{}: not packed; it is not a page; use `--type EXT=text/html` if it is one", .0.display())]
    NoPage(PathBuf),
    /// The name of the output is not that of such a page: its extension.
    #[error("{page}: not packed; browsers read it otherwise under that name; use `-o` with the extension .{1}", page = .0.display())]
    Extension(PathBuf, &'static str),
    /// A file with what it loads cannot be verified.
    #[error("{page}: not packed; verification failed: {1}; please report it with this page", page = .0.display())]
    Unverified(PathBuf, #[source] VerifyError),
    /// The message of the page, read again, is not what was packed.
    #[error("{page}: not packed; verification failed: {1}; please report it with this page", page = .0.display())]
    Unproved(PathBuf, #[source] Difference),
}

/// A page and what it loads.
#[derive(Debug, Default)]
pub struct Collected {
    /// The files, the page first.
    pub parts: Vec<PackedFile>,
    /// What is not packed.
    pub problems: Vec<PackProblem>,
    /// The URLs outside the tree that the page loads, in the order of the first reference.
    pub external: Vec<String>,
}

/// Returns the message of a page, verified: read again, it has the same parts, and each reference
/// that the page loads leads to the part of its file. `origin` is the URL of the page if its
/// references are local; it becomes no base.
///
/// # Errors
///
/// [`PackError`] if it does not.
pub fn message(
    collector: &Collector<'_>,
    collected: &Collected,
    date: Option<SystemTime>,
    origin: Option<&str>,
) -> Result<Vec<u8>, PackError> {
    let parts = &collected.parts;
    let Some(page) = parts.first() else { return Err(PackError::NoPage(PathBuf::new())) };
    let title = match page.media {
        Some(Media::HTML) => rewrite::title(&page.bytes),
        _ => None,
    };
    let name = || page.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let heading = Heading {
        subject: &title.unwrap_or_else(name),
        date,
        snapshot: Some(&*page.url).filter(|url| !url.starts_with(MADE_UP)).or(origin),
    };
    let message = mime::message(&heading, parts);
    let proved = proof::check(&message, parts, &collector.tree.options);
    let unproved = |difference| PackError::Unproved(page.path.clone(), difference);
    proved.map(|()| message).map_err(unproved)
}

// The `<base>` of the page of a message. Chromium resolves it against the URL of the file of the
// message and not against that of the page, so a relative one is made absolute.

/// The slot of a base.
const BASE: &str = "base[href]";

/// A URL of the file of a message. Policies compare bases with it.
const MESSAGE: &str = "file:///page.mhtml";

/// Makes the bases of the page absolute, the first of `parts`. Returns a problem if one cannot be
/// written so, or if a policy forbids it in a message: then Chromium finds no part by a relative
/// reference.
fn make_absolute(parts: &mut [PackedFile], options: &Options) -> Option<PackProblem> {
    let page = parts.first_mut()?;
    // Few pages have a base.
    let is_start = |at: usize| page.bytes.get(at..at + 4).is_some_and(is_base);
    let at = memchr::memchr2_iter(b'b', b'B', &page.bytes).find(|at| is_start(*at))?;
    let (media, bytes) = (page.media?, &page.bytes);
    let filter = Filter::new(vec![BASE.to_owned()], Vec::new(), &Extras::default()).ok()?;
    let options = options.clone().with_filter(filter);
    let context = Context::retrieval(page.url.parse().ok()?, "pack");
    let unit = Unit::new(bytes, media, &context);
    let absolute = absolutize(unit, &options);
    let is_refused = absolute.report.counts.get(Outcome::Unwritable) > 0;
    let is_refused = is_refused || absolute.verify_error().is_some();
    page.edited = absolute.into_output();
    let problem = |at, kind| Some(PackProblem { part: 0, at, reference: None, kind });
    if is_refused {
        return problem(at, PackProblemKind::Base);
    }
    let in_message = Context::retrieval(MESSAGE.parse().ok()?, "pack");
    let unit = Unit::new(page.body(), media, &in_message);
    let bad_bases = references(unit, &options, |_| ()).bad_bases;
    let forbidden = bad_bases.iter().find(|(reason, _)| *reason == BadBase::Forbidden)?;
    problem(forbidden.1, PackProblemKind::ForbiddenBase)
}

/// Returns true for the name of a base.
fn is_base(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"base")
}
