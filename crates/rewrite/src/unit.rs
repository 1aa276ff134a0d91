//! The types of a unit: one document of a file, and the result of rewriting it.

use basectx::message::ContentType;
use std::mem;

use basectx::{BaseUrl, Context};
use layers::Edits;

use crate::digests::{LoadedFiles, TextDigests};
use crate::format::spec::FormatId;
use crate::options::OptIn;
use crate::report::{Report, VerifyError};
use crate::slots::JsonType;

/// The supported media types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Media {
    /// A document of one of the formats in [`FORMATS`](crate::FORMATS).
    Document(FormatId),
    /// `message/rfc822`: a message, or a page saved as one (MHTML).
    Message(MessageFraming),
    /// `message/http`: responses saved with their header sections.
    Http(Http),
}

/// The media types of messages in lower case, the canonical one first.
const MESSAGE_TYPES: [&str; 3] = ["message/rfc822", "message/global", "message/news"];

/// The format of the lines of a text (RFC 3676, section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextFormat {
    /// Each line is complete.
    #[default]
    Fixed,
    /// A line that ends with a space continues on the next line.
    Flowed {
        /// True if that space is not part of the text (`DelSp=yes`).
        deletes_space: bool,
    },
}

/// The framing around the bytes of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MessageFraming {
    /// No framing: the message is a file of its own.
    #[default]
    None,
    /// A mailbox: lines that begin with `From ` separate messages, and `Content-Length` may count
    /// the bytes of the body.
    Mailbox,
}

impl Media {
    /// `text/html`
    pub const HTML: Media = Media::Document(FormatId::HTML);
    /// `text/css`
    pub const CSS: Media = Media::Document(FormatId::CSS);
    /// `application/xml`: XHTML, SVG, feeds, sitemaps and all other XML.
    pub const XML: Media = Media::Document(FormatId::XML);
    /// `text/javascript`, read as a module.
    pub const SCRIPT: Media = Media::Document(FormatId::SCRIPT);
    /// `text/markdown`
    pub const MARKDOWN: Media = Media::Document(FormatId::MARKDOWN);

    /// Returns the media type of plain text with such lines.
    pub const fn text(lines: TextFormat) -> Media {
        Media::Document(match lines {
            TextFormat::Fixed => FormatId::TEXT,
            TextFormat::Flowed { deletes_space: false } => FormatId::FLOWED,
            TextFormat::Flowed { deletes_space: true } => FormatId::FLOWED_WITHOUT_SPACE,
        })
    }

    /// Returns the media type of a type of JSON.
    pub const fn json(json: JsonType) -> Media {
        Media::Document(FormatId::json(json))
    }

    /// Returns the media type with this name, which is in lower case; `None` if it is unsupported.
    /// Saved HTTP responses have none that is used for nothing else.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_rewrite::Media;
    ///
    /// assert_eq!(Media::from_name("text/css"), Some(Media::CSS));
    /// assert_eq!(Media::from_name("image/png"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Media> {
        match FormatId::from_media_type(name) {
            Some(format) => Some(Media::Document(format)),
            None => MESSAGE_TYPES.contains(&name).then_some(Media::Message(MessageFraming::None)),
        }
    }

    /// Returns the media type of a part of a message; `None` if it is unsupported.
    pub(crate) fn of_part(content_type: &ContentType) -> Option<Media> {
        let ContentType { is_flowed, deletes_space, .. } = *content_type;
        match Media::from_name(&content_type.media_type)? {
            Media::Document(FormatId::TEXT) if is_flowed => {
                Some(Media::text(TextFormat::Flowed { deletes_space }))
            }
            media => Some(media),
        }
    }

    /// Returns its format, if it is a document and not a message.
    pub const fn format(self) -> Option<FormatId> {
        match self {
            Media::Document(format) => Some(format),
            Media::Message(_) | Media::Http(_) => None,
        }
    }

    /// Returns its type of JSON, if it is JSON.
    pub fn json_type(self) -> Option<JsonType> {
        JsonType::of_media_type(self.name())
    }

    /// Returns the name of `--also` that documents of this type need, if they are off by default.
    pub fn opt_in_name(self) -> Option<&'static str> {
        self.format().and_then(|format| format.spec().opt_in)
    }

    /// Returns true if documents of this type are read: some types are read only with an option.
    pub fn is_enabled_by(self, opt_in: OptIn) -> bool {
        self.opt_in_name().is_none_or(|name| opt_in.has(name))
    }

    /// Returns true if references in a document of this type may be relative to its own URL.
    pub(crate) fn needs_url(self) -> bool {
        self.format().is_none_or(|format| format.spec().has_relative)
    }

    /// Returns true if the URL of the file is the retrieval URL of its references. The path of a
    /// message says nothing about the URLs of its parts.
    pub const fn has_file_url(self) -> bool {
        !matches!(self, Media::Message(_))
    }

    /// Returns the name of the media type.
    pub fn name(self) -> &'static str {
        match self {
            Media::Document(format) => format.spec().name(),
            Media::Message(_) => MESSAGE_TYPES[0],
            Media::Http(_) => "message/http",
        }
    }
}

/// The bytes of a document with the facts known about it from outside.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Context, Media, Unit};
///
/// let context = Context::retrieval("http://h/a.html".parse()?, "test");
/// let unit = Unit::new(b"<a href=b>", Media::HTML, &context);
/// assert_eq!((unit.own_url, unit.new_place.is_none()), (Some("http://h/a.html"), true));
/// # Ok::<(), relink_rewrite::BaseError>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Unit<'u> {
    /// All bytes of the file, including a byte order mark.
    pub bytes: &'u [u8],
    /// The media type.
    pub media: Media,
    /// The retrieval context, or [`Context::none`].
    pub context: &'u Context<'u>,
    /// The document's own URL if it is known: that of its context, unless another is set.
    pub own_url: Option<&'u str>,
    /// The location in the output if the tree moves.
    pub new_place: Option<NewPlace<'u>>,
    /// The name of the charset of a document, if it is known from outside. A byte order mark wins
    /// over it. Messages and saved responses declare those of their bodies themselves.
    pub charset: Option<&'u str>,
    /// True if a server sends the document for other URLs too, at any depth: an error page. A
    /// reference keeps its target only if that does not depend on the path of the document.
    pub is_error_page: bool,
    /// True if it is from a record of a web archive: no header field of its response gives a base,
    /// as in browsers.
    pub is_captured: bool,
    /// The package that it is a member of, if it has a URL below that of the package.
    pub package: Option<Package<'u>>,
    /// The base of its hyperlinks, if it is a member of a document of Office that has one. Another
    /// member contains it, and is converted in the same way.
    pub hyperlink_base: Option<&'u str>,
    /// The files that it loads, if digests of them are renewed or removed.
    pub loaded_files: Option<&'u dyn LoadedFiles>,
    /// The digests of its texts, if its policies are edited.
    pub(crate) text_digests: Option<&'u TextDigests>,
}

impl<'u> Unit<'u> {
    /// Returns a unit that is not moved. `context` is its retrieval context, which gives its own
    /// URL, or [`Context::none`].
    #[must_use]
    pub fn new(bytes: &'u [u8], media: Media, context: &'u Context<'u>) -> Self {
        Unit {
            bytes,
            media,
            context,
            own_url: context.document_url(),
            new_place: None,
            charset: None,
            is_error_page: false,
            is_captured: false,
            package: None,
            hyperlink_base: None,
            loaded_files: None,
            text_digests: None,
        }
    }

    /// Returns the unit with another own URL, such as that of a part of a message.
    #[must_use]
    pub fn with_own_url(self, own_url: &'u str) -> Self {
        Unit { own_url: Some(own_url), ..self }
    }

    /// Returns the unit with its location in the output.
    #[must_use]
    pub fn with_new_place(self, new_place: impl Into<Option<NewPlace<'u>>>) -> Self {
        Unit { new_place: new_place.into(), ..self }
    }

    /// Returns the unit as an error page, or as another document.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_rewrite::{Context, Media, Options, Relative, Unit, relativize};
    ///
    /// let context = Context::retrieval("http://h/404.html".parse()?, "test");
    /// let unit = Unit::new(b"<a href=/>", Media::HTML, &context);
    /// let relative = Relative::below("http://h/");
    /// let output = |unit| relativize(unit, &Options::default(), &relative).into_output();
    /// assert_eq!(output(unit), Some(b"<a href=./>".to_vec()));
    /// assert_eq!(output(unit.with_error_page(true)), None);
    /// # Ok::<(), relink_rewrite::BaseError>(())
    /// ```
    #[must_use]
    pub fn with_error_page(self, is_error_page: bool) -> Self {
        Unit { is_error_page, ..self }
    }

    /// Returns the unit with the files that it loads, for
    /// [`Options::integrity`](crate::Options::integrity).
    #[must_use]
    pub fn with_loaded_files(self, loaded_files: Option<&'u dyn LoadedFiles>) -> Self {
        Unit { loaded_files, ..self }
    }

    /// Returns the unit as a member of a package. Relative references to other members stay.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_rewrite::{Context, Media, Options, Package, Unit, absolutize};
    ///
    /// let context = Context::retrieval("http://h/a.odt/content.xml".parse()?, "test");
    /// let text = b"<a xmlns:x='http://www.w3.org/1999/xlink' x:href='b.png'/>";
    /// let unit = Unit::new(text, Media::XML, &context);
    /// let package = Package { url: "http://h/a.odt/", is_closed: false };
    /// let output = |unit| absolutize(unit, &Options::default()).into_output();
    /// assert!(output(unit).is_some());
    /// assert_eq!(output(unit.with_package(package)), None);
    /// # Ok::<(), relink_rewrite::BaseError>(())
    /// ```
    #[must_use]
    pub fn with_package(self, package: impl Into<Option<Package<'u>>>) -> Self {
        Unit { package: package.into(), ..self }
    }

    /// Returns the unit with the base of its hyperlinks. What is no absolute URL is none.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_rewrite::{Context, Media, Options, Unit, absolutize};
    ///
    /// let context = Context::retrieval("http://h/a.docx".parse()?, "test");
    /// let text = b"<w:fldSimple xmlns:w='http://purl.oclc.org/ooxml/wordprocessingml/main' \
    ///     w:instr='HYPERLINK b'/>";
    /// let unit = Unit::new(text, Media::XML, &context).with_hyperlink_base("http://i/");
    /// let output = absolutize(unit, &Options::default()).into_output().unwrap();
    /// assert!(output.ends_with(b"w:instr='HYPERLINK http://i/b'/>"));
    /// # Ok::<(), relink_rewrite::BaseError>(())
    /// ```
    #[must_use]
    pub fn with_hyperlink_base(self, hyperlink_base: impl Into<Option<&'u str>>) -> Self {
        Unit { hyperlink_base: hyperlink_base.into(), ..self }
    }

    /// Returns the unit as one that is, or is not, from a record of a web archive.
    #[must_use]
    pub const fn with_is_captured(self, is_captured: bool) -> Self {
        Unit { is_captured, ..self }
    }

    /// Returns true if it is as a server sent it, as a saved response is: what looks like a
    /// template is filled in by nobody, and a base is read as browsers read it.
    pub(crate) const fn is_sent(&self) -> bool {
        self.is_captured || matches!(self.media, Media::Http(Http::Response(_)))
    }

    /// Returns the unit with the charset of its document. An unknown name is ignored.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_rewrite::{Context, Media, Options, Unit, references};
    ///
    /// let context = Context::retrieval("http://h/".parse()?, "test");
    /// let unit = Unit::new(b"<a href=\xE9>", Media::HTML, &context).with_charset("iso-8859-1");
    /// let mut texts = Vec::new();
    /// references(unit, &Options::default(), |site| texts.push(site.text.to_owned()));
    /// assert_eq!(texts, ["\u{E9}"]);
    /// # Ok::<(), relink_rewrite::BaseError>(())
    /// ```
    #[must_use]
    pub fn with_charset(self, charset: impl Into<Option<&'u str>>) -> Self {
        Unit { charset: charset.into(), ..self }
    }
}

/// The location of a document in the output.
#[derive(Clone, Copy, Debug)]
pub struct NewPlace<'u> {
    /// The URL of the document.
    pub url: &'u BaseUrl,
    /// The URL of the tree, ending with a slash. It only represents the future location of the
    /// tree: no reference leads out of it and back.
    pub root: &'u str,
}

/// A file that contains the members of one document, such as an EPUB.
#[derive(Clone, Copy, Debug)]
pub struct Package<'u> {
    /// Its URL, with a slash at its end. Those of its members are below it.
    pub url: &'u str,
    /// True if no relative reference leads out of it, as in an EPUB (EPUB 3.3, section 4.2.5).
    pub is_closed: bool,
}

/// A unit whose references have been rewritten.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Context, Media, Options, Outcome, Unit, absolutize};
///
/// let context = Context::retrieval("http://h/a".parse()?, "test");
/// let page = b"<a href=b><a href=http://i/>";
/// let rewritten = absolutize(Unit::new(page, Media::HTML, &context), &Options::default());
/// assert_eq!(rewritten.output(), Some(&*rewritten.edits.apply(page)));
/// let counts = rewritten.report.counts;
/// assert_eq!((counts.get(Outcome::Rewritten), counts.get(Outcome::Kept)), (1, 1));
/// # Ok::<(), relink_rewrite::BaseError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Rewritten {
    /// The edits of the file, empty unless its bytes change.
    pub edits: Edits,
    /// The bytes of the file in the output.
    pub bytes: NewBytes,
    /// The outcome of its references.
    pub report: Report,
}

/// The bytes of a unit in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewBytes {
    /// Those of the input: no reference had to change.
    Unchanged,
    /// These, with the edits applied.
    Changed(Vec<u8>),
    /// Those of the input: the unit was not read, or not to its end. [`Report::skipped`] says why.
    Skipped,
    /// Those of the input: the output would not have been as decided.
    Rejected(VerifyError),
}

impl Rewritten {
    /// Returns a unit whose bytes stay.
    pub(crate) fn without_edits(bytes: NewBytes, report: Report) -> Self {
        Rewritten { edits: Edits::default(), bytes, report }
    }

    /// Returns the bytes with the edits applied, if there are edits.
    pub fn output(&self) -> Option<&[u8]> {
        match &self.bytes {
            NewBytes::Changed(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Takes the bytes with the edits applied, if there are edits.
    pub fn take_output(&mut self) -> Option<Vec<u8>> {
        match &mut self.bytes {
            NewBytes::Changed(bytes) => Some(mem::take(bytes)),
            _ => None,
        }
    }

    /// Returns the bytes with the edits applied, if there are edits.
    pub fn into_output(mut self) -> Option<Vec<u8>> {
        self.take_output()
    }

    /// Returns the reason why the output was discarded, if it was.
    pub fn verify_error(&self) -> Option<&VerifyError> {
        match &self.bytes {
            NewBytes::Rejected(error) => Some(error),
            _ => None,
        }
    }
}

/// The form in which HTTP responses were saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Http {
    /// Responses one after another, each with its body, and the fallback format of a body without a
    /// `Content-Type`.
    Response(Option<FormatId>),
    /// Only header sections, of content that is in another file. The URL of the unit is the URL of
    /// that file.
    Headings,
}
