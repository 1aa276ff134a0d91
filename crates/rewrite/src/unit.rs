//! A unit: one document of a file, and what is done with it.

use basectx::{BadBase, Context};
use layers::{Charset, Edit, Edits};

use crate::absolutize::{Absolutize, Targets};
use crate::found::Undone;
use crate::html::{self, Engine, ReadBy};
use crate::options::{Options, Verify};
use crate::proof::Prover;
use crate::report::{Disproof, Left, Report};
use crate::site::{Receiver, Refused, Site};
use crate::traverse::Walk;

/// The media types that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Media {
    /// `text/html`
    Html,
    /// `text/css`
    Css,
}

/// The bytes of a document, and what is known of it from outside.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'u> {
    /// All bytes of the file, byte order mark included.
    pub bytes: &'u [u8],
    /// What they are.
    pub media: Media,
    /// The retrieval context, or [`Context::none`].
    pub context: &'u Context<'u>,
    /// The document's own URL, if it is known.
    pub own_url: Option<&'u str>,
}

/// A unit with its references made absolute.
#[derive(Debug)]
pub struct Rewritten {
    /// The edits of the file, empty if nothing is to be changed or if the proof failed.
    pub edits: Edits,
    /// The file with the edits made; `None` if there are none.
    pub output: Option<Vec<u8>>,
    /// What became of its references.
    pub report: Report,
    /// Why the output was thrown away.
    pub disproof: Option<Disproof>,
}

/// Shows every reference of a unit, in source order.
///
/// ```
/// use basectx::Context;
/// use rewrite::{Media, Options, Unit, references};
/// let context = Context::retrieval("http://h/a/b.html", "--base");
/// let unit = Unit { bytes: b"<a href=c>", media: Media::Html, context: &context, own_url: None };
/// let mut targets = Vec::new();
/// references(unit, &Options::default(), |site| {
///     targets.push(site.resolver.map(|resolver| resolver.resolve(site.text)));
/// });
/// assert_eq!(targets, [Some(Ok("http://h/a/c".to_owned()))]);
/// ```
pub fn references(unit: Unit<'_>, options: &Options, show: impl FnMut(&Site<'_>)) -> Report {
    let mut receiver = Show { show, report: Report::default() };
    walk(unit, options, options.engine, &mut receiver);
    receiver.report
}

/// Makes the references of a unit absolute, and proves it.
///
/// Never fails: what could not be done is told in the report, and stays as it was.
///
/// ```
/// use basectx::Context;
/// use rewrite::{Media, Options, Unit, absolutize};
/// let context = Context::retrieval("http://h/a/b.html", "--base");
/// let unit = Unit { bytes: b"<a href=../c>", media: Media::Html, context: &context, own_url: None };
/// let rewritten = absolutize(unit, &Options::default());
/// assert_eq!(rewritten.output.as_deref(), Some(&b"<a href=http://h/c>"[..]));
/// ```
pub fn absolutize(unit: Unit<'_>, options: &Options) -> Rewritten {
    let mut receiver = Absolutize::new(options);
    let edits = walk(unit, options, options.engine, &mut receiver);
    let Absolutize { report, targets, .. } = receiver;
    let n_left = report.left.len();
    let rewritten = |edits, output, disproof| Rewritten { edits, output, report, disproof };
    let edits = match Edits::new(edits, unit.bytes.len()) {
        Ok(edits) => edits,
        Err(_) => return rewritten(Edits::default(), None, Some(Disproof::Locality)),
    };
    if edits.is_empty() {
        return rewritten(edits, None, None);
    }
    let output = edits.apply(unit.bytes);
    let proof = match options.verify {
        Verify::None => Ok(()),
        Verify::Fast | Verify::Full => prove(unit, &output, &edits, &targets, options, n_left),
    };
    match proof {
        Ok(()) => rewritten(edits, Some(output), None),
        Err(disproof) => rewritten(Edits::default(), None, Some(disproof)),
    }
}

fn prove(
    unit: Unit<'_>,
    output: &[u8],
    edits: &Edits,
    targets: &Targets,
    options: &Options,
    n_left: usize,
) -> Result<(), Disproof> {
    if !edits.explain(unit.bytes, output) {
        return Err(Disproof::Locality);
    }
    let mut prover = Prover::new(targets);
    let engine = if options.verify == Verify::Full { Engine::Reference } else { options.engine };
    walk(Unit { bytes: output, ..unit }, options, engine, &mut prover);
    prover.finish(n_left)
}

fn walk<R: Receiver>(
    unit: Unit<'_>,
    options: &Options,
    engine: Engine,
    receiver: &mut R,
) -> Vec<Edit> {
    let (charset, bom) = charset(unit);
    if !charset.is_supported() {
        receiver.left(Undone::Charset, 0, false);
        return Vec::new();
    }
    let mut walk = Walk::new(receiver, options, engine, unit.bytes.len());
    match unit.media {
        Media::Html => walk.html(unit.bytes, bom, charset, unit.context, unit.own_url),
        Media::Css => walk.stylesheet(unit.bytes, bom, charset, unit.context, unit.own_url),
    }
}

/// The charset of a unit, and the length of its byte order mark.
fn charset(unit: Unit<'_>) -> (Charset, usize) {
    if let Some(told) = Charset::for_bom(unit.bytes) {
        return told;
    }
    let charset = match unit.media {
        Media::Html => html::sniff(unit.bytes),
        Media::Css => css_charset(unit.bytes),
    };
    (charset, 0)
}

/// The charset of a style sheet: CSS Syntax level 3, section 3.2. Without a declaration, what its bytes look like.
fn css_charset(bytes: &[u8]) -> Charset {
    let declared = bytes
        .strip_prefix(b"@charset \"")
        .and_then(|rest| {
            rest.split(|byte| *byte == b'"')
                .next()
                .filter(|label| rest[label.len()..].starts_with(b"\";"))
        })
        .and_then(Charset::for_label);
    match declared {
        Some(charset) if charset.name().starts_with("UTF-16") => Charset::UTF_8,
        Some(charset) => charset,
        None if std::str::from_utf8(bytes).is_ok() => Charset::UTF_8,
        None => Charset::WINDOWS_1252,
    }
}

/// The receiver that only looks.
struct Show<F> {
    show: F,
    report: Report,
}

impl<F: FnMut(&Site<'_>)> Receiver for Show<F> {
    fn reference(&mut self, site: &Site<'_>) -> Option<String> {
        (self.show)(site);
        None
    }

    fn refused(&mut self, _: usize, _: Refused) {}

    fn left(&mut self, reason: Undone, at: usize, is_embedded: bool) {
        self.report.left.push(Left { reason, at, is_embedded });
    }

    fn read_by(&mut self, engine: ReadBy) {
        self.report.engines.count(engine);
    }

    fn bad_base(&mut self, reason: BadBase, at: usize) {
        self.report.bad_bases.push((reason, at));
    }
}
