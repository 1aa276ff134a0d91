//! The types of a unit: one document of a file, and the result of rewriting it.

use basectx::Context;
use basectx::message::ContentType;
use layers::Edits;
use urlcore::Dialect;

use crate::options::OptIn;
use crate::report::{Report, VerifyError};
use crate::slots::{JsonType, Syntax};

/// The supported media types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Media {
    /// `text/html`
    Html,
    /// `text/css`
    Css,
    /// `application/xml`: XHTML, SVG, feeds, sitemaps and all other XML.
    Xml,
    /// `text/javascript`, read as a module.
    Script,
    /// `text/plain`
    Text(TextFormat),
    /// `text/markdown`
    Markdown,
    /// A JSON document.
    Json(JsonType),
    /// `message/rfc822`: a message, or a page saved as one (MHTML).
    Message(MessageFraming),
    /// `message/http`: responses saved with their header sections.
    Http(Http),
}

/// Returns true if a media type in lower case is a JavaScript media type (MIME Sniffing standard,
/// section 4.6).
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
    /// the octets of the body.
    Mailbox,
}

impl Media {
    /// Returns the media type of a part of a message; `None` if it is unsupported.
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

    /// Returns true if documents of this type are read: some types are read only with an option.
    pub const fn is_enabled_by(self, opt_in: OptIn) -> bool {
        match self {
            Media::Script => opt_in.js_modules,
            Media::Text(_) => opt_in.text,
            Media::Markdown => opt_in.markdown,
            Media::Html | Media::Css | Media::Xml | Media::Json(_) => true,
            Media::Message(_) | Media::Http(_) => true,
        }
    }

    /// Returns the syntax of documents of this type, for those that are decoded before they are
    /// read.
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

    /// Returns the dialect of references in this type; `selected` is the dialect of the run. URLs
    /// in plain text always follow RFC 3986, as browsers do not read them.
    pub(crate) const fn dialect(self, selected: Dialect) -> Dialect {
        match self {
            Media::Text(_) => Dialect::Rfc3986,
            _ => selected,
        }
    }

    /// Returns true if references in a document of this type may be relative to its own URL.
    pub(crate) const fn needs_url(self) -> bool {
        !matches!(self, Media::Text(_))
    }

    /// Returns the name of the media type.
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

/// The bytes of a document with the facts known about it from outside.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'u> {
    /// All bytes of the file, including a byte order mark.
    pub bytes: &'u [u8],
    /// The media type.
    pub media: Media,
    /// The retrieval context, or [`Context::none`].
    pub context: &'u Context<'u>,
    /// The document's own URL if it is known.
    pub own_url: Option<&'u str>,
    /// The location in the output if the tree moves.
    pub new_place: Option<NewPlace<'u>>,
}

/// The location of a document in the output.
#[derive(Clone, Copy, Debug)]
pub struct NewPlace<'u> {
    /// The URL of the document.
    pub url: &'u str,
    /// The URL of the tree, ending with a slash. It only represents the future location of the
    /// tree: no reference leads out of it and back.
    pub root: &'u str,
}

/// A unit whose references have been rewritten.
#[derive(Debug)]
pub struct Rewritten {
    /// The edits of the file, empty if nothing changes or if verification failed.
    pub edits: Edits,
    /// The file with the edits applied; `None` if there are no edits.
    pub output: Option<Vec<u8>>,
    /// The outcome of its references.
    pub report: Report,
    /// The reason why the output was discarded.
    pub verify_error: Option<VerifyError>,
}

/// The form in which HTTP responses were saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Http {
    /// Responses one after another, each with its body, and the fallback media type of a body
    /// without a `Content-Type`.
    Response(Option<Untold>),
    /// Only header sections, of content that is in another file. The URL of the unit is the URL of
    /// that file.
    Headings,
}

/// The fallback media type of a body without a `Content-Type`: any type but messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "they are those of `Media`")]
pub enum Untold {
    Html,
    Css,
    Xml,
    Script,
    Text(TextFormat),
    Markdown,
    Json(JsonType),
}

impl Untold {
    /// Returns the fallback media type; `None` for messages.
    pub const fn of(media: Media) -> Option<Self> {
        match media {
            Media::Html => Some(Untold::Html),
            Media::Css => Some(Untold::Css),
            Media::Xml => Some(Untold::Xml),
            Media::Script => Some(Untold::Script),
            Media::Text(format) => Some(Untold::Text(format)),
            Media::Markdown => Some(Untold::Markdown),
            Media::Json(format) => Some(Untold::Json(format)),
            Media::Message(_) | Media::Http(_) => None,
        }
    }

    pub(crate) const fn media(self) -> Media {
        match self {
            Untold::Html => Media::Html,
            Untold::Css => Media::Css,
            Untold::Xml => Media::Xml,
            Untold::Script => Media::Script,
            Untold::Text(format) => Media::Text(format),
            Untold::Markdown => Media::Markdown,
            Untold::Json(format) => Media::Json(format),
        }
    }
}
