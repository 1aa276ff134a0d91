//! A unit: one document of a file, and what is done with it.

use basectx::Context;
use basectx::message::ContentType;
use layers::Edits;
use urlcore::Dialect;

use crate::options::OptIn;
use crate::report::{Report, VerifyError};
use crate::slots::{JsonType, Syntax};

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

/// What is saved of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Http {
    /// Responses one after another, each with its body; and what a body is whose heading does not tell.
    Response(Option<Untold>),
    /// Only the headings, of what stands in another file. The URL of the unit is that file's.
    Headings,
}

/// What a body is whose heading does not tell: any document but a message.
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
    /// The type; `None` for messages.
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
