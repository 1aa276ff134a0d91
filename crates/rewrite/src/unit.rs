//! A unit: one document of a file, and what is done with it.

use basectx::Context;
use basectx::message::ContentType;
use layers::{Edit, Edits};
use urlcore::Dialect;

use crate::convert::{convert, walk};
use crate::decide::absolutize::Absolutize;
use crate::decide::relativize::Relativize;
use crate::decide::relocate::{Move, Relocate};
use crate::options::relative::{BaseElement, Relative};
use crate::options::{OptIn, Options};
use crate::report::skip::SkipReason;
use crate::report::{Note, Report, SkipScope, Skipped, VerifyError};
use crate::slots::{JsonType, Kind, SlotId, Syntax};
use crate::walk::message::Http;
use crate::walk::scope::Bases;
use crate::walk::site::{DocumentSite, Refused, Site, Visitor};

/// The media types that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Media {
    /// `text/html`
    Html,
    /// `text/css`
    Css,
    /// `application/xml`: XHTML, SVG, feeds, sitemaps and everything else that is XML.
    Xml,
    /// `text/javascript`: read as a module.
    Script,
    /// `text/plain`
    Text(TextFormat),
    /// `text/markdown`
    Markdown,
    /// A document in JSON.
    Json(JsonType),
    /// `message/rfc822`: a message, or a page that is saved as one (MHTML).
    Message(MessageFraming),
    /// `message/http`: responses, as they were saved with their headings.
    Http(Http),
}

/// Whether a media type, in lower case, is one of JavaScript (MIME Sniffing standard, section 4.6).
pub fn is_script(media_type: &str) -> bool {
    let subtype = media_type.strip_prefix("text/").or(media_type.strip_prefix("application/"));
    let is_text = media_type.starts_with("text/");
    match subtype {
        Some("javascript" | "ecmascript" | "x-javascript" | "x-ecmascript") => true,
        Some("jscript" | "livescript") => is_text,
        Some(subtype) => {
            is_text
                && subtype
                    .strip_prefix("javascript1.")
                    .is_some_and(|version| matches!(version, "0" | "1" | "2" | "3" | "4" | "5"))
        }
        None => false,
    }
}

/// What the lines of a text are (RFC 3676 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextFormat {
    /// They are what they are.
    #[default]
    Fixed,
    /// Those that end with a space go on in the next.
    Flowed {
        /// Whether that space is no text (`DelSp=yes`).
        deletes_space: bool,
    },
}

/// What is around the bytes of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MessageFraming {
    /// Nothing: it is a file of its own.
    #[default]
    None,
    /// A mailbox: lines that begin with `From ` separate messages, and `Content-Length` may count the octets of the body.
    Mailbox,
}

impl Media {
    /// What a part of a message is.
    pub(crate) fn of_part(content_type: &ContentType) -> Option<Media> {
        let ContentType { is_flowed, deletes_space, .. } = *content_type;
        match &*content_type.media_type {
            "text/html" => Some(Media::Html),
            "text/css" => Some(Media::Css),
            media if is_script(media) => Some(Media::Script),
            "message/rfc822" | "message/global" | "message/news" => {
                Some(Media::Message(MessageFraming::None))
            }
            "text/xml" | "application/xml" => Some(Media::Xml),
            media if media.ends_with("+xml") => Some(Media::Xml),
            "text/plain" if is_flowed => Some(Media::Text(TextFormat::Flowed { deletes_space })),
            "text/plain" => Some(Media::Text(TextFormat::Fixed)),
            "text/markdown" => Some(Media::Markdown),
            media_type => JsonType::of_media_type(media_type).map(Media::Json),
        }
    }

    /// Whether documents of this type are read: some are only if that is asked for.
    pub const fn is_enabled_by(self, opt_in: OptIn) -> bool {
        match self {
            Media::Script => opt_in.js_modules,
            Media::Text(_) => opt_in.text,
            Media::Markdown => opt_in.markdown,
            Media::Html | Media::Css | Media::Xml | Media::Json(_) => true,
            Media::Message(_) | Media::Http(_) => true,
        }
    }

    /// How a document of this type is written, for those that are decoded before they are read.
    pub(crate) const fn syntax(self) -> Option<Syntax> {
        match self {
            Media::Css => Some(Syntax::Stylesheet),
            Media::Xml => Some(Syntax::Xml),
            Media::Script => Some(Syntax::Module),
            Media::Text(_) => Some(Syntax::PlainText),
            Media::Markdown => Some(Syntax::Markdown),
            Media::Json(format) => Some(Syntax::Json(format)),
            Media::Html | Media::Message(_) | Media::Http(_) => None,
        }
    }

    /// The rules by which its references are read (DESIGN section 5), if `asked` is what is asked for documents.
    pub(crate) const fn dialect(self, asked: Dialect) -> Dialect {
        match self {
            Media::Text(_) => Dialect::Rfc3986,
            _ => asked,
        }
    }

    /// Whether references in it may be relative to its own URL.
    pub(crate) const fn needs_url(self) -> bool {
        !matches!(self, Media::Text(_))
    }

    /// The media type.
    pub const fn name(self) -> &'static str {
        match self {
            Media::Html => "text/html",
            Media::Css => "text/css",
            Media::Xml => "application/xml",
            Media::Script => "text/javascript",
            Media::Text(_) => "text/plain",
            Media::Markdown => "text/markdown",
            Media::Json(format) => format.media_type(),
            Media::Message(_) => "message/rfc822",
            Media::Http(_) => "message/http",
        }
    }
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
    /// Its place in the output, if that is another: where the tree moves.
    pub new_place: Option<NewPlace<'u>>,
}

/// Where a document is in the output.
#[derive(Clone, Copy, Debug)]
pub struct NewPlace<'u> {
    /// Its URL.
    pub url: &'u str,
    /// The URL of the tree, with a slash at its end. It only stands for where the tree will be: no reference leads out of it and back.
    pub root: &'u str,
}

impl Unit<'_> {
    /// The retrieval context in the output, if that is another.
    pub(crate) fn new_context(&self) -> Option<Context<'static>> {
        self.new_place.map(|place| Context::retrieval(place.url, "move map"))
    }
}

impl Unit<'_> {
    /// The context of a heading in another file, inside `outside`, in the output: where the tree moves, what tells the base there moves too.
    pub(crate) fn new_heading<'c>(
        &self,
        outside: Option<&'c Context<'c>>,
        bases: Bases<'_>,
        options: &Options,
    ) -> Option<Context<'c>> {
        let (Bases::Follow(map) | Bases::Stay(map)) = bases else { return None };
        let field = SlotId::of_header(self.context.origin().as_bytes());
        let is_edited = field.is_none_or(|slot| options.edits_slot(slot));
        let moved = |url: &str| if is_edited { map.url(url) } else { url.to_owned() };
        let is_heading = self.context.part().is_some();
        is_heading.then(|| self.context.moved(outside.unwrap_or(&NOWHERE), moved))
    }
}

/// Where nothing is known of the place of a unit.
static NOWHERE: Context<'static> = Context::none();

/// A unit with its references rewritten.
#[derive(Debug)]
pub struct Rewritten {
    /// The edits of the file, empty if nothing is to be changed or if the proof failed.
    pub edits: Edits,
    /// The file with the edits made; `None` if there are none.
    pub output: Option<Vec<u8>>,
    /// What became of its references.
    pub report: Report,
    /// Why the output was thrown away.
    pub verify_error: Option<VerifyError>,
}

/// Shows every reference of a unit, in source order.
///
/// ```
/// use basectx::Context;
/// use rewrite::{Media, Options, Unit, references};
/// let context = Context::retrieval("http://h/a/b.html", "--base");
/// let unit = Unit { bytes: b"<a href=c>", media: Media::Html, context: &context, own_url: None, new_place: None };
/// let mut targets = Vec::new();
/// references(unit, &Options::default(), |site| {
///     targets.push(site.resolver.unwrap().resolve(site.text).unwrap());
/// });
/// assert_eq!(targets, ["http://h/a/c"]);
/// ```
pub fn references(unit: Unit<'_>, options: &Options, show: impl FnMut(&Site<'_>)) -> Report {
    let mut visitor = Show { show, report: Report::default() };
    walk(unit, options, options.engine, Bases::KEPT, &mut visitor);
    visitor.report
}

/// Shows every document of a unit, the file itself first, with the contexts that tell its base.
///
/// ```
/// use basectx::Context;
/// use rewrite::{Media, Options, Unit, documents};
/// let context = Context::retrieval("http://h/a/b.html", "--base");
/// let bytes = b"<base href=c/><iframe srcdoc='<a href=d>'>";
/// let unit = Unit { bytes, media: Media::Html, context: &context, own_url: None, new_place: None };
/// let mut chains = Vec::new();
/// documents(unit, &Options::default(), |document| {
///     chains.push(document.context.chain().map(|context| context.origin().to_owned()).collect::<Vec<_>>());
/// });
/// assert_eq!(chains, [vec!["base[href]", "--base"], vec!["iframe[srcdoc]", "base[href]", "--base"]]);
/// ```
pub fn documents(unit: Unit<'_>, options: &Options, show: impl FnMut(&DocumentSite<'_>)) -> Report {
    let mut visitor = ShowDocuments { show, report: Report::default() };
    walk(unit, options, options.engine, Bases::KEPT, &mut visitor);
    visitor.report
}

/// Makes the references of a unit absolute, and proves it.
///
/// Never fails: what could not be done is told in the report, and stays as it was.
///
/// ```
/// use basectx::Context;
/// use rewrite::{Media, Options, Unit, absolutize};
/// let context = Context::retrieval("http://h/a/b.html", "--base");
/// let unit = Unit { bytes: b"<a href=../c>", media: Media::Html, context: &context, own_url: None, new_place: None };
/// let rewritten = absolutize(unit, &Options::default());
/// assert_eq!(rewritten.output.as_deref(), Some(&b"<a href=http://h/c>"[..]));
/// ```
pub fn absolutize(unit: Unit<'_>, options: &Options) -> Rewritten {
    absolutize_as(unit, options, None)
}

/// Makes references absolute by the `given` edits, if there are any.
pub(crate) fn absolutize_as(
    unit: Unit<'_>,
    options: &Options,
    given: Option<&[Edit]>,
) -> Rewritten {
    convert(unit, options, Bases::KEPT, Absolutize::new(options), given)
}

/// Makes the references of a unit relative, as far as they lead into the tree, and proves it.
///
/// Never fails: what could not be done is told in the report, and stays as it was. A unit whose own URL is not known is left.
///
/// ```
/// use basectx::Context;
/// use rewrite::{Media, Options, Relative, Unit, relativize};
/// let url = "http://h/a/b.html";
/// let context = Context::retrieval(url, "--base");
/// let bytes = b"<base href=http://h/x/><a href=c>";
/// let own_url = Some(url);
/// let unit = Unit { bytes, media: Media::Html, context: &context, own_url, new_place: None };
/// let rewritten = relativize(unit, &Options::default(), &Relative::default());
/// assert_eq!(rewritten.output.as_deref(), Some(&b"<base href=\"\"><a href=../x/c>"[..]));
/// ```
pub fn relativize(unit: Unit<'_>, options: &Options, relative: &Relative) -> Rewritten {
    relativize_as(unit, options, relative, None)
}

/// Makes references relative by the `given` edits, if there are any.
pub(crate) fn relativize_as(
    unit: Unit<'_>,
    options: &Options,
    relative: &Relative,
    given: Option<&[Edit]>,
) -> Rewritten {
    // Parts of a message may have URLs of their own.
    let has_parts = matches!(unit.media, Media::Message(_));
    if unit.own_url.is_none() && unit.media.needs_url() && !has_parts {
        let (reason, extent) = (SkipReason::NoUrl, SkipScope::Unit);
        let skipped = vec![Skipped { reason, at: 0, extent, part: None }];
        let report = Report { skipped, ..Report::default() };
        return Rewritten { edits: Edits::default(), output: None, report, verify_error: None };
    }
    let by = |base_element| {
        let relative = Relative { base_element, ..relative.clone() };
        let decision = Relativize::new(options, &relative);
        convert(unit, options, Bases::Written(base_element), decision, given)
    };
    let is_edited = options.edits(SlotId::BASE_HREF, Kind::Url);
    let rewritten = by(if is_edited { relative.base_element } else { BaseElement::Keep });
    // Where a reference cannot be written as an emptied base asks for, the base stays.
    match rewritten.verify_error {
        Some(_) => by(BaseElement::Keep),
        None => rewritten,
    }
}

/// Makes the references of a unit right for the place where they and it are in the output, and proves it.
///
/// Never fails: what could not be done is told in the report, and stays as it was. Without a place of its own in the output a unit is where
/// it was.
///
/// ```
/// use basectx::Context;
/// use rewrite::{Media, Move, Moves, NewPlace, Options, Unit, relocate};
/// let mut moves = Moves::default();
/// moves.add("http://old/", "ftp://new/pub/", [])?;
/// let url = "http://old/a/b.html";
/// let context = Context::retrieval(url, "--base");
/// let bytes = b"<base href=http://old/x/><a href=c><a href=/d><a href=http://i/>";
/// let new_place = Some(NewPlace { url: "ftp://new/pub/a/b.html", root: "ftp://new/pub/" });
/// let unit = Unit { bytes, media: Media::Html, context: &context, own_url: Some(url), new_place };
/// let moved = relocate(unit, &Options::default(), &Move::by(moves));
/// let output = b"<base href=ftp://new/pub/x/><a href=c><a href=../d><a href=http://i/>";
/// assert_eq!(moved.output.as_deref(), Some(&output[..]));
/// # Ok::<(), rewrite::Conflict>(())
/// ```
pub fn relocate(unit: Unit<'_>, options: &Options, to: &Move) -> Rewritten {
    relocate_as(unit, options, to, None)
}

/// Makes references right for a new place by the `given` edits, if there are any.
pub(crate) fn relocate_as(
    unit: Unit<'_>,
    options: &Options,
    to: &Move,
    given: Option<&[Edit]>,
) -> Rewritten {
    let by = |bases, moves_bases| {
        convert(unit, options, bases, Relocate::new(options, to, moves_bases), given)
    };
    let rewritten = by(Bases::Follow(&*to.map), true);
    // Where a base cannot be written as its move asks for, all of them stay.
    let mut rewritten = match rewritten.verify_error {
        Some(_) => by(Bases::Stay(&*to.map), false),
        None => rewritten,
    };
    rewritten.report.may_break_policy &= has_policy(unit.bytes);
    rewritten
}

/// Whether a document may hold a Content Security Policy, or be sent with one: in `<meta http-equiv>` or a heading.
fn has_policy(bytes: &[u8]) -> bool {
    const NAME: &[u8] = b"content-security-policy";
    memchr::memchr2_iter(b'c', b'C', bytes).any(|at| {
        bytes.get(at..at + NAME.len()).is_some_and(|name| name.eq_ignore_ascii_case(NAME))
    })
}

/// The receiver that only looks.
struct Show<F> {
    show: F,
    report: Report,
}

impl<F: FnMut(&Site<'_>)> Visitor for Show<F> {
    fn reference(&mut self, site: &Site<'_>) -> Option<&str> {
        (self.show)(site);
        None
    }

    fn refused(&mut self, _: usize, _: Refused) {}

    fn note(&mut self, note: Note) {
        // It edits nothing.
        if !matches!(note, Note::Sealed(_)) {
            self.report.note(note);
        }
    }
}

/// The receiver that only looks at documents.
struct ShowDocuments<F> {
    show: F,
    report: Report,
}

impl<F: FnMut(&DocumentSite<'_>)> Visitor for ShowDocuments<F> {
    fn reference(&mut self, _: &Site<'_>) -> Option<&str> {
        None
    }

    fn refused(&mut self, _: usize, _: Refused) {}

    fn document(&mut self, document: &DocumentSite<'_>) {
        (self.show)(document);
    }

    fn note(&mut self, note: Note) {
        if !matches!(note, Note::Sealed(_) | Note::ReadBy(_)) {
            self.report.note(note);
        }
    }
}
