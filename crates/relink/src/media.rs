//! The media type of a file: by its extension, then by its content.

use std::collections::BTreeMap;
use std::path::Path;

use basectx::message::http;
use rewrite::{Http, JsonType, Media, MessageFraming, OptIn, TextFormat, Untold, is_script};

use crate::container::{Container, sniff as mail};

/// The type of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileType {
    /// A document that is read.
    Document(Media),
    /// A file that contains messages.
    Container(Container),
    /// A document in an unsupported format, and its name.
    Unsupported(&'static str),
    /// Something else.
    Other,
    /// The name does not give the type; the content may.
    Unknown,
}

/// A message that is a file of its own.
pub const MESSAGE: FileType = FileType::Document(Media::Message(MessageFraming::None));

/// HTTP responses, whose header sections give the types of their bodies.
pub const RESPONSE: FileType = FileType::Document(Media::Http(Http::Response(None)));

/// Extensions and their types, with those given on the command line.
#[derive(Clone, Debug, Default)]
pub struct Types {
    /// Extension in lower case, without the dot.
    asked: BTreeMap<String, FileType>,
    stdin: Option<FileType>,
    /// The types that are read only with `--also`.
    opt_in: OptIn,
}

impl Types {
    /// Reads `EXT=MEDIA/TYPE`, or `MEDIA/TYPE` alone, which is for standard input. Some types are
    /// read only with `--also`.
    ///
    /// # Errors
    ///
    /// A sentence that describes the error.
    pub fn new(asked: &[String], opt_in: &OptIn) -> Result<Self, String> {
        let mut types = Types { opt_in: *opt_in, ..Types::default() };
        for entry in asked {
            let (extension, media) = match entry.split_once('=') {
                Some((extension, media)) => (Some(extension.trim_start_matches('.')), media),
                None => (None, entry.as_str()),
            };
            let file_type = of_media_type(media).ok_or_else(|| {
                format!("--type {entry}: expected EXT=MEDIA/TYPE, such as php=text/html, or for standard input text/css")
            })?;
            match extension {
                Some("") => return Err(format!("--type {entry}: the extension is empty")),
                Some(extension) => {
                    types.asked.insert(extension.to_ascii_lowercase(), file_type);
                }
                None => types.stdin = Some(file_type),
            }
        }
        Ok(types)
    }

    /// Returns the type of a file by its name.
    pub fn of_path(&self, path: &Path) -> FileType {
        let Some(name) = path.file_name().map(|name| name.to_string_lossy()) else {
            return FileType::Unknown;
        };
        match self.of_name(&name) {
            // Mirrors keep the query in the name: `style.css?ver=5`, and `style.css@ver=5` if names
            // cannot contain `?`.
            FileType::Unknown => self.of_name(before_query(&name)),
            file_type => file_type,
        }
    }

    fn of_name(&self, name: &str) -> FileType {
        let extension = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => extension.to_ascii_lowercase(),
            _ => return FileType::Unknown,
        };
        let asked = self.asked.get(&extension).copied();
        let asked = asked.or_else(|| of_file_name(name));
        self.read(asked.unwrap_or_else(|| of_extension(&extension)))
    }

    /// A document that is read only with `--also` is [`FileType::Other`] without it.
    fn read(&self, file_type: FileType) -> FileType {
        match file_type {
            FileType::Document(media) if !media.is_enabled_by(self.opt_in) => FileType::Other,
            file_type => file_type,
        }
    }

    /// Returns the name of `--also` that adds documents of this type; with `None`, that of the type
    /// given for standard input.
    pub fn asks_for(&self, path: Option<&Path>) -> Option<&'static str> {
        let all = OptIn { text: true, markdown: true, js_modules: true, ..self.opt_in };
        let types = Types { opt_in: all, ..self.clone() };
        let file_type = path.map_or_else(|| types.of_stdin(), |path| types.of_path(path));
        match file_type {
            FileType::Document(media) if media.is_enabled_by(self.opt_in) => None,
            FileType::Document(Media::Script) => Some("js-modules"),
            FileType::Document(Media::Text(_)) => Some("text"),
            FileType::Document(Media::Markdown) => Some("markdown"),
            _ => None,
        }
    }

    /// Returns the type given for standard input.
    pub fn of_stdin(&self) -> FileType {
        self.read(self.stdin.unwrap_or(FileType::Unknown))
    }
}

/// Returns the name up to its query.
fn before_query(name: &str) -> &str {
    let end = [name.find(['?', '@']), name.find("%3F"), name.find("%3f")];
    end.into_iter().flatten().min().map_or(name, |end| &name[..end])
}

fn of_media_type(media: &str) -> Option<FileType> {
    let (kind, subtype) = media.split_once('/')?;
    if kind.is_empty() || subtype.is_empty() || media.contains(char::is_whitespace) {
        return None;
    }
    Some(match media.to_ascii_lowercase().as_str() {
        "text/html" => FileType::Document(Media::Html),
        "text/css" => FileType::Document(Media::Css),
        "text/plain" => FileType::Document(Media::Text(TextFormat::Fixed)),
        "text/markdown" => FileType::Document(Media::Markdown),
        media if is_script(media) => FileType::Document(Media::Script),
        "application/mbox" => FileType::Container(Container::Mbox),
        "application/mmdf" | "application/x-mmdf" => FileType::Container(Container::Mmdf),
        "message/x-emlx" => FileType::Container(Container::Emlx),
        "application/xml" | "text/xml" => FileType::Document(Media::Xml),
        media if media.ends_with("+xml") => FileType::Document(Media::Xml),
        "message/rfc822"
        | "message/global"
        | "message/news"
        | "multipart/related"
        | "application/x-mimearchive" => MESSAGE,
        "message/http" | "application/http" => RESPONSE,
        media => match JsonType::of_media_type(media) {
            Some(format) => FileType::Document(Media::Json(format)),
            None => FileType::Other,
        },
    })
}

/// Returns the type for a complete file name: for most JSON files, the extension does not give it.
fn of_file_name(name: &str) -> Option<FileType> {
    let format = match &*name.to_ascii_lowercase() {
        "manifest.json" => JsonType::Manifest,
        "importmap.json" => JsonType::ImportMap,
        "speculation-rules.json" | "speculationrules.json" => JsonType::SpeculationRules,
        "feed.json" => JsonType::Feed,
        _ => return None,
    };
    Some(FileType::Document(Media::Json(format)))
}

fn of_extension(extension: &str) -> FileType {
    match extension {
        "html" | "htm" | "shtml" | "shtm" => FileType::Document(Media::Html),
        "css" => FileType::Document(Media::Css),
        "xml" | "xhtml" | "xht" | "svg" | "rss" | "atom" | "rdf" | "opml" | "xsl" | "xslt"
        | "xsd" | "rng" | "mml" | "opf" | "ncx" | "osd" => FileType::Document(Media::Xml),
        "js" | "mjs" => FileType::Document(Media::Script),
        "txt" => FileType::Document(Media::Text(TextFormat::Fixed)),
        "md" | "markdown" => FileType::Document(Media::Markdown),
        "webmanifest" => FileType::Document(Media::Json(JsonType::Manifest)),
        "importmap" => FileType::Document(Media::Json(JsonType::ImportMap)),
        "jsonld" => FileType::Document(Media::Json(JsonType::LinkedData)),
        "mht" | "mhtml" | "eml" | "nws" => MESSAGE,
        "mbox" | "mbx" => FileType::Container(Container::Mbox),
        "mmdf" => FileType::Container(Container::Mmdf),
        "emlx" => FileType::Container(Container::Emlx),
        "pst" | "ost" => FileType::Unsupported("Outlook data file"),
        "dbx" => FileType::Unsupported("Outlook Express folder"),
        "olm" => FileType::Unsupported("archive of Outlook for Mac"),
        "zip" | "epub" | "warc" | "gz" | "svgz" => FileType::Unsupported("compressed file or archive"),
        "png" | "gif" | "jpg" | "jpeg" | "webp" | "avif" | "ico" | "bmp" | "json" | "map"
        // Pieces of XML may begin like a document.
        | "dtd" | "ent"
        | "wasm" | "woff" | "woff2" | "ttf" | "otf" | "eot" | "pdf" | "ps" | "rst" | "mp3"
        | "mp4" | "webm" | "ogg" | "wav" | "tar" | "bz2" | "xz" | "zst" | "orig" => FileType::Other,
        _ => FileType::Unknown,
    }
}

/// The first bytes of a compound file of Microsoft ([MS-CFB] 2.2), in which Outlook stores a
/// message.
const COMPOUND_FILE: &[u8] = b"\xD0\xCF\x11\xE0";

/// Returns the type of a file by its first bytes, if its name does not give it. Compound files with
/// other extensions than that of Outlook are mostly of other programs.
pub fn of_content(path: &Path, head: &[u8]) -> FileType {
    let extension = path.extension();
    let may_be_outlook = extension.is_none_or(|extension| extension.eq_ignore_ascii_case("msg"));
    if head.starts_with(COMPOUND_FILE) && may_be_outlook {
        return FileType::Unsupported("Outlook message");
    }
    sniff(head)
}

/// Returns the name of the format of a mailbox that is not an mbox and is not supported, by its
/// first bytes.
///
/// ```
/// use relink::media::unsupported_mailbox;
/// assert!(unsupported_mailbox(b"*mbx*\r\n4d5e6f7000000002\r\n").is_some());
/// assert_eq!(unsupported_mailbox(b"From ???@??? Thu Jan 01 00:00:00 1998\r\n"), None);
/// ```
pub fn unsupported_mailbox(head: &[u8]) -> Option<&'static str> {
    // UW-IMAP; the mailboxes of Eudora have the same extension.
    let is_mbx = head.starts_with(b"*mbx*");
    let is_babyl = || head.starts_with(b"BABYL OPTIONS:");
    is_mbx.then_some("mbx mailbox").or_else(|| is_babyl().then_some("Babyl mailbox"))
}

/// The number of octets of a file that [`sniff`] examines.
pub const SNIFFED: usize = 1024;

/// Returns the type of a file by its first bytes: the patterns of the MIME Sniffing standard,
/// section 7.1, after white space and comments; then those of mail.
pub fn sniff(head: &[u8]) -> FileType {
    let mut rest = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    while let Some(comment) = rest.strip_prefix(b"<!--") {
        match comment.windows(3).position(|ending| ending == b"-->") {
            Some(end) => rest = comment[end + 3..].trim_ascii_start(),
            None => return FileType::Other,
        }
    }
    const TAGS: [&str; 19] = [
        "<!doctype html",
        "<html",
        "<head",
        "<script",
        "<iframe",
        "<h1",
        "<div",
        "<font",
        "<table",
        "<a",
        "<style",
        "<title",
        "<body",
        "<p",
        // Not in the standard: the start of a fragment in a pipe.
        "<base",
        "<img",
        "<link",
        "<meta",
        "<frameset",
    ];
    let begins = |rest: &[u8], tag: &str| {
        let (start, after) = rest.split_at(rest.len().min(tag.len()));
        start.eq_ignore_ascii_case(tag.as_bytes())
            && after.first().is_some_and(|byte| b" \t\r\n\x0C>".contains(byte))
    };
    let is_html = |rest: &[u8]| TAGS.iter().any(|tag| begins(rest, tag));
    if let Some(kind) = unsupported_mailbox(head) {
        return FileType::Unsupported(kind);
    }
    match mail::of_content(head) {
        _ if http::is_response(head) => RESPONSE,
        _ if is_html(rest) => FileType::Document(Media::Html),
        _ if is_feed(head) => FileType::Document(Media::Xml),
        // A page that is XML too was mostly served as HTML, and is read as HTML if its name does
        // not give the type.
        _ if begins(rest, "<?xml") => {
            let end = rest.windows(2).position(|ending| ending == b"?>");
            let page = end.map(|end| rest[end + 2..].trim_ascii_start());
            let is_html = page.is_some_and(is_html);
            FileType::Document(if is_html { Media::Html } else { Media::Xml })
        }
        Some(mail::Kind::Mbox) => FileType::Container(Container::Mbox),
        Some(mail::Kind::Mmdf) => FileType::Container(Container::Mmdf),
        Some(mail::Kind::Message) => MESSAGE,
        None => FileType::Other,
    }
}

/// Returns the type of a document whose name, or whose first bytes, say `media`: its bytes may be
/// more specific. `wget --save-headers` gives a response the name of its body.
pub fn of_bytes(media: Media, bytes: &[u8]) -> Media {
    match media {
        // The type of the body if the header section does not give it; of several responses, the
        // last has it.
        Media::Http(Http::Response(None)) => {
            let last = http::responses(bytes).pop();
            let body = last.map_or(&[][..], |last| last.entity().body.of(bytes));
            let untold = match sniff(&body[..body.len().min(SNIFFED)]) {
                FileType::Document(media) => Untold::of(media),
                _ => None,
            };
            Media::Http(Http::Response(untold))
        }
        Media::Message(_) | Media::Http(_) => media,
        media if http::is_response(bytes) => Media::Http(Http::Response(Untold::of(media))),
        media => media,
    }
}

/// Returns true if a file called HTML is a feed, by the algorithm of browsers: MIME Sniffing
/// standard, section 8.3 ("sniff a mislabeled feed"). Mirrors keep feeds as `feed/index.html`.
///
/// ```
/// use relink::media::is_feed;
/// assert!(is_feed(b"<?xml version='1.0'?>\n<!-- by a program --><rss version='2.0'>"));
/// assert!(!is_feed(b"<?xml version='1.0'?><!DOCTYPE html><html>"));
/// ```
pub fn is_feed(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(SNIFFED)];
    let mut rest = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    loop {
        rest = match rest.trim_ascii_start().strip_prefix(b"<") {
            Some(rest) => rest,
            None => return false,
        };
        let ending: &[u8] = match rest {
            [b'!', b'-', b'-', ..] => b"-->",
            [b'!', ..] => b">",
            [b'?', ..] => b"?>",
            _ => break,
        };
        match rest.windows(ending.len()).position(|found| found == ending) {
            Some(end) => rest = &rest[end + ending.len()..],
            None => return false,
        }
    }
    let holds = |word: &[u8]| rest.windows(word.len()).any(|found| found == word);
    rest.starts_with(b"rss")
        || rest.starts_with(b"feed")
        || rest.starts_with(b"rdf:RDF")
            && holds(b"http://purl.org/rss/1.0/")
            && holds(b"http://www.w3.org/1999/02/22-rdf-syntax-ns#")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_tells_html() {
        let html = FileType::Document(Media::Html);
        for head in
            ["<!DOCTYPE html>", " \n<HTML lang=en>", "<!-- x --> <!-- y --><body>", "\u{FEFF}<p>"]
        {
            assert_eq!(sniff(head.as_bytes()), html, "{head}");
        }
        let xhtml =
            "<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' ''>";
        assert_eq!(sniff(xhtml.as_bytes()), html);
        let xml = FileType::Document(Media::Xml);
        assert_eq!(sniff(b"\n<?xml version='1.0'?><rss>"), xml);
        assert_eq!(sniff(b"HTTP/1.1 200 OK\nServer: x\n\n"), RESPONSE);
        assert_eq!(sniff(b"HTTP/1.1 200 OK\nis no heading\n"), FileType::Other);
        for head in [
            "",
            "<",
            "<pre>",
            "<?xml-stylesheet ?>",
            "<!-- html",
            "<?php",
            "<svg>",
            "text <html>",
            "<html",
        ] {
            assert_eq!(sniff(head.as_bytes()), FileType::Other, "{head}");
        }
    }

    #[test]
    fn names_tell_json() {
        let types = Types::new(&["json=text/plain".into()], &OptIn::default()).unwrap();
        assert_eq!(types.of_path(Path::new("a/manifest.json")), FileType::Other);
        let json = |format| FileType::Document(Media::Json(format));
        for (name, expected) in [
            ("site.webmanifest", json(JsonType::Manifest)),
            ("Manifest.json", json(JsonType::Manifest)),
            ("manifest.json?v=2", json(JsonType::Manifest)),
            ("a.importmap", json(JsonType::ImportMap)),
            ("importmap.json", json(JsonType::ImportMap)),
            ("a.jsonld", json(JsonType::LinkedData)),
            ("feed.json", json(JsonType::Feed)),
            ("speculation-rules.json", json(JsonType::SpeculationRules)),
            ("speculationrules.json", json(JsonType::SpeculationRules)),
            ("package.json", FileType::Other),
            ("my-manifest.json", FileType::Other),
        ] {
            assert_eq!(Types::default().of_path(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn asked_extensions_win() {
        let types = Types::new(
            &["PHP=text/html".into(), ".css=text/plain".into(), "text/css".into()],
            &OptIn::default(),
        )
        .unwrap();
        assert_eq!(types.of_path(Path::new("a/b.php")), FileType::Document(Media::Html));
        assert_eq!(types.of_path(Path::new("a/b.CSS")), FileType::Other);
        assert_eq!(types.of_path(Path::new("a/b")), FileType::Unknown);
        assert_eq!(types.of_path(Path::new("a/.php")), FileType::Unknown);
        for query in ["?v=1.2", "@v=1.2", "%3Fv=1.2", "?a@b"] {
            let path = format!("a.b/c.php{query}");
            assert_eq!(types.of_path(Path::new(&path)), FileType::Document(Media::Html), "{path}");
        }
        assert_eq!(types.of_path(Path::new("me@h.php")), FileType::Document(Media::Html));
        assert_eq!(types.of_path(Path::new("a.html?b.png")), FileType::Other);
        assert_eq!(types.of_stdin(), FileType::Document(Media::Css));
        for wrong in ["php", "php=html", "=text/html", "php=text/"] {
            assert!(Types::new(&[wrong.into()], &OptIn::default()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn texts_and_markdown_are_documents_only_if_they_are_asked_for() {
        let text = FileType::Document(Media::Text(TextFormat::Fixed));
        let markdown = FileType::Document(Media::Markdown);
        let asked = ["log=text/plain".into(), "mkd=text/markdown".into()];
        let of = |opt_in: OptIn, name: &str| {
            Types::new(&asked, &opt_in).unwrap().of_path(Path::new(name))
        };
        for (name, only_text, only_markdown) in [
            ("a.txt", text, FileType::Other),
            ("a.LOG", text, FileType::Other),
            ("a.md", FileType::Other, markdown),
            ("a.markdown", FileType::Other, markdown),
            ("a.mkd", FileType::Other, markdown),
        ] {
            assert_eq!(of(OptIn::default(), name), FileType::Other, "{name}");
            assert_eq!(of(OptIn { text: true, ..OptIn::default() }, name), only_text, "{name}");
            assert_eq!(
                of(OptIn { markdown: true, ..OptIn::default() }, name),
                only_markdown,
                "{name}"
            );
        }
    }
}
