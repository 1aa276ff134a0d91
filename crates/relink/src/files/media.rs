//! The media type of a file: by its extension, then by its content.

use std::collections::BTreeMap;
use std::path::Path;

use basectx::message::http;
use rewrite::{FormatId, Http, Media, OptIn};

pub use crate::files::container::FileType;
use crate::files::container::sniff::unsupported_mailbox;
use crate::files::container::{self, ARCHIVE, ContainerForm, ContainerId};
use crate::os::option_names::texts;

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

/// An invalid value of `--type`.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypeError {
    /// It is not `EXT=MEDIA/TYPE` with a known media type.
    Expected(String),
    /// Its extension is empty.
    NoExtension(String),
}

texts!(TypeError {
    TypeError::Expected(value) => "invalid value '{}' for --type; expected EXT=MEDIA/TYPE, such as php=text/html, or MEDIA/TYPE for standard input", value;
    TypeError::NoExtension(value) => "invalid value '{}' for --type; the extension is empty", value;
});

impl Types {
    /// Reads `EXT=MEDIA/TYPE`, or `MEDIA/TYPE` alone, which is for standard input. Some types are
    /// read only with `--also`.
    ///
    /// # Errors
    ///
    /// [`TypeError`] for an invalid value.
    pub fn new(asked: &[String], opt_in: &OptIn) -> Result<Self, TypeError> {
        let mut types = Types { opt_in: *opt_in, ..Types::default() };
        for entry in asked {
            let (extension, media) = match entry.split_once('=') {
                Some((extension, media)) => (Some(extension.trim_start_matches('.')), media),
                None => (None, entry.as_str()),
            };
            let file_type =
                of_media_type(media).ok_or_else(|| TypeError::Expected(entry.clone()))?;
            match extension {
                Some("") => {
                    return Err(TypeError::NoExtension(entry.clone()));
                }
                Some(extension) => {
                    types.asked.insert(extension.to_ascii_lowercase(), file_type);
                }
                None => types.stdin = Some(file_type),
            }
        }
        Ok(types)
    }

    /// Returns true if `--type` gives the type of the files with the extension of this one.
    pub fn is_given(&self, path: &Path) -> bool {
        let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
        let is_given = |name: &str| self.given(name).is_some();
        name.is_some_and(|name| is_given(&name) || is_given(before_query(&name)))
    }

    /// Returns the type that `--type` gives to files with this name, in lower case: of its
    /// extensions, such as `mbox.gz` and `gz`, the longest counts.
    fn given(&self, name: &str) -> Option<FileType> {
        let mut dots = name.match_indices('.').filter(|(at, _)| *at > 0);
        dots.find_map(|(at, _)| self.asked.get(&name[at + 1..]).copied())
    }

    /// Returns the type of a file by its name.
    pub fn of_path(&self, path: &Path) -> FileType {
        self.read(self.of_path_with_all(path))
    }

    fn of_name(&self, name: &str) -> FileType {
        let name = name.to_ascii_lowercase();
        match self.of_plain_name(&name) {
            FileType::Container(container, None) => self.in_container(container, &name),
            file_type => file_type,
        }
    }

    /// Returns the type of a container with this name, in lower case: the name gives the type of
    /// the document in it.
    fn in_container(&self, container: ContainerId, name: &str) -> FileType {
        let Some(own) = self.own_type(container, name) else {
            return FileType::Container(container, None);
        };
        match own {
            FileType::Document(media) => FileType::Container(container, Some(media)),
            // The type of the documents in the end.
            FileType::Container(_, media) => FileType::Container(container, media),
            _ => FileType::Unsupported(ARCHIVE),
        }
    }

    /// Returns the type that the name of a container, in lower case, gives to what is in it: a
    /// document, or a mailbox. `None` if it gives none.
    fn own_type(&self, container: ContainerId, name: &str) -> Option<FileType> {
        let own = container.spec().document_name.and_then(|document_name| document_name(name))?;
        let file_type = match self.of_plain_name(&own) {
            FileType::Unknown => self.of_plain_name(before_query(&own)),
            file_type => file_type,
        };
        Some(match self.read(file_type) {
            FileType::Container(inner, _) if inner.spec().form != ContainerForm::Many => {
                FileType::Other
            }
            file_type => file_type,
        })
    }

    /// Returns the type of what is in a container of one document at a path, by its name; of others
    /// it is not known.
    pub fn in_document(&self, container: ContainerId, path: &Path) -> FileType {
        let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
        let of_name = |name: &str| self.own_type(container, name);
        let found = name.and_then(|name| of_name(&name).or_else(|| of_name(before_query(&name))));
        found.unwrap_or(FileType::Unknown)
    }

    /// Returns the type of a file by its name, in lower case; a container whose documents have
    /// several types is not examined further.
    fn of_plain_name(&self, name: &str) -> FileType {
        let extension = match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => Some(extension),
            _ => None,
        };
        // For most JSON files, the extension does not give the format.
        let named = || FormatId::from_file_name(name).map(of_format);
        let doubled = || of_double_extension(name);
        let typed = self.given(name).or_else(named).or_else(doubled);
        typed.or_else(|| extension.map(of_extension)).unwrap_or(FileType::Unknown)
    }

    /// Returns the type of a file by its name, if every name of `--also` is given.
    fn of_path_with_all(&self, path: &Path) -> FileType {
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
        match path.map(|path| self.of_path_with_all(path)).or(self.stdin)? {
            FileType::Document(media) if !media.is_enabled_by(self.opt_in) => media.opt_in_name(),
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

/// Requests and responses that a browser has logged (HTTP Archive 1.2).
pub const HAR: &str = "HAR file";
/// A page with its resources as a property list, which Safari saves.
pub const WEBARCHIVE: &str = "Safari webarchive";

/// The types of files that are neither documents of a format nor containers, with their media types
/// and extensions in lower case.
#[rustfmt::skip]
const OTHERS: &[(FileType, &[&str], &[&str])] = &[
    (RESPONSE, &["message/http", "application/http"], &[]),
    (FileType::Unsupported("Outlook data file"), &[], &["pst", "ost"]),
    (FileType::Unsupported("Outlook Express mailbox"), &[], &["dbx"]),
    (FileType::Unsupported("Outlook for Mac archive"), &[], &["olm"]),
    (FileType::Unsupported(HAR), &[], &["har"]),
    (FileType::Unsupported(WEBARCHIVE), &[], &["webarchive"]),
    (FileType::Other, &[], &[
        "png", "gif", "jpg", "jpeg", "webp", "avif", "ico", "bmp", "json", "map",
        // Pieces of XML may begin like a document.
        "dtd", "ent",
        "wasm", "woff", "woff2", "ttf", "otf", "eot", "pdf", "ps", "rst", "mp3",
        "mp4", "webm", "ogg", "wav", "tar", "bz2", "xz", "zst", "orig",
    ]),
];

const fn of_format(format: FormatId) -> FileType {
    FileType::Document(Media::Document(format))
}

/// Returns the type of the files of a container.
fn of_container(container: ContainerId) -> FileType {
    let spec = container.spec();
    match (spec.form, spec.media) {
        (ContainerForm::WholeFile, Some(media)) => FileType::Document(media),
        (_, media) => FileType::Container(container, media),
    }
}

fn of_media_type(media: &str) -> Option<FileType> {
    let (kind, subtype) = media.split_once('/')?;
    if kind.is_empty() || subtype.is_empty() || media.contains(char::is_whitespace) {
        return None;
    }
    let media = &*media.to_ascii_lowercase();
    let other = || OTHERS.iter().find(|(_, media_types, _)| media_types.contains(&media));
    let named = Media::from_name(media).map(FileType::Document);
    let named = named.or_else(|| container::of_media_type(media).map(of_container));
    Some(named.unwrap_or_else(|| other().map_or(FileType::Other, |(file_type, ..)| *file_type)))
}

/// Returns the type for an extension in lower case.
pub fn of_extension(extension: &str) -> FileType {
    let other = || OTHERS.iter().find(|(.., extensions)| extensions.contains(&extension));
    let named = FormatId::from_extension(extension).map(of_format);
    let named = named.or_else(|| container::of_extension(extension).map(of_container));
    named.unwrap_or_else(|| other().map_or(FileType::Unknown, |(file_type, ..)| *file_type))
}

/// Returns the type of a file whose last two extensions, in lower case, are those of a container:
/// `a.warc.gz`.
fn of_double_extension(name: &str) -> Option<FileType> {
    let (before, last) = name.rsplit_once('.')?;
    let (stem, first) = before.rsplit_once('.')?;
    let double = name.get(name.len() - first.len() - last.len() - 1..)?;
    container::of_extension(double).filter(|_| !stem.is_empty()).map(of_container)
}

/// The first bytes of a compound file ([MS-CFB] 2.2), in which Outlook stores a message.
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

/// Returns the type of a file by its first bytes and the index next to it. `has_index` returns true
/// if a file is there whose name has this text after the name of the file.
pub fn of_content_with_index(head: &[u8], has_index: impl Fn(&str) -> bool) -> FileType {
    container::of_content_with_index(head, has_index).map_or(FileType::Other, of_container)
}

/// The number of bytes of a file that [`sniff`] examines.
pub const SNIFFED: usize = 1024;

/// Returns the type of a file by its first bytes: a response, a document of a format, a container.
pub fn sniff(head: &[u8]) -> FileType {
    if let Some(kind) = unsupported_mailbox(head) {
        return FileType::Unsupported(kind);
    }
    if http::is_response(head) {
        return RESPONSE;
    }
    if let Some(format) = FormatId::from_content(head) {
        return of_format(format);
    }
    container::of_content(head).map_or(FileType::Other, of_container)
}

/// Returns the media type of a document: the declared one, or else that of its first bytes; `None`
/// if neither is supported.
///
/// # Examples
///
/// ```
/// use rewrite::Media;
///
/// assert_eq!(relink::media_of(None, b"<!DOCTYPE html>"), Some(Media::HTML));
/// assert_eq!(relink::media_of(Some(Media::HTML), b"<rss version='2.0'>"), Some(Media::XML));
/// assert_eq!(relink::media_of(None, b"\x89PNG"), None);
/// ```
pub fn of_document(declared: Option<Media>, bytes: &[u8]) -> Option<Media> {
    let media = declared.or_else(|| match sniff(&bytes[..bytes.len().min(SNIFFED)]) {
        FileType::Document(media) => Some(media),
        _ => None,
    })?;
    Some(of_named(media, bytes))
}

/// Returns the media type of a document whose name says `media`: a feed may be called HTML (MIME
/// Sniffing standard, section 8.3).
pub fn of_named(media: Media, bytes: &[u8]) -> Media {
    let media = if media == Media::HTML && rewrite::is_feed(bytes) { Media::XML } else { media };
    of_bytes(media, bytes)
}

/// The extensions of media files with which sites also name pages about them: `File:Logo.png`.
const NAMES_OF_MEDIA: [&str; 19] = [
    "png", "gif", "jpg", "jpeg", "webp", "avif", "bmp", "tif", "tiff", "svg", "pdf", "djvu", "mp3",
    "mp4", "ogg", "ogv", "oga", "webm", "wav",
];

/// The extensions of pages that are files on the server, not made by a program.
const NAMES_OF_PAGES: [&str; 4] = ["html", "htm", "xhtml", "xht"];

/// Returns true if a program on the server may have made the file with this name, so that its type
/// is another than that of pages: `style.php`.
pub fn may_be_made_by_program(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
    let extension = name.as_deref().and_then(|name| before_query(name).rsplit_once('.'));
    extension.is_none_or(|(_, extension)| !NAMES_OF_PAGES.contains(&extension))
}

/// Returns true if a file with the name of a media file may be a page about it.
pub fn may_be_page_about_media(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| {
        let extension = before_query(extension).to_ascii_lowercase();
        NAMES_OF_MEDIA.contains(&&*extension)
    })
}

/// Returns the type of a file at this path, if its place gives it. `is_directory` decides which
/// paths are directories.
pub fn of_place(path: &Path, is_directory: &dyn Fn(&Path) -> bool) -> Option<FileType> {
    container::of_place(path, is_directory).map(of_container)
}

/// Returns the type of a document whose name, or whose first bytes, say `media`: its bytes may be
/// more specific. `wget --save-headers` gives a response the name of its body.
pub fn of_bytes(media: Media, bytes: &[u8]) -> Media {
    match media {
        // The type of the body if the header section does not give it; of several responses, the
        // last has it.
        Media::Http(Http::Response(None)) => {
            let last = http::responses(bytes).pop();
            let body = last.map_or(&[][..], |last| last.entity().body.slice(bytes));
            let fallback = match sniff(&body[..body.len().min(SNIFFED)]) {
                FileType::Document(media) => media.format(),
                _ => None,
            };
            Media::Http(Http::Response(fallback))
        }
        Media::Message(_) | Media::Http(_) => media,
        Media::Document(format) if http::is_response(bytes) => {
            Media::Http(Http::Response(Some(format)))
        }
        Media::Document(_) => media,
    }
}

#[cfg(test)]
mod tests {
    use rewrite::{JsonType, TextFormat};

    use super::*;

    #[test]
    fn other_mailboxes_with_the_extension_are_unsupported() {
        assert!(unsupported_mailbox(b"*mbx*\r\n4d5e6f7000000002\r\n").is_some());
        assert_eq!(unsupported_mailbox(b"From ???@??? Thu Jan 01 00:00:00 1998\r\n"), None);
    }

    #[test]
    fn html_is_recognized_by_its_content() {
        let html = FileType::Document(Media::HTML);
        for head in
            ["<!DOCTYPE html>", " \n<HTML lang=en>", "<!-- x --> <!-- y --><body>", "\u{FEFF}<p>"]
        {
            assert_eq!(sniff(head.as_bytes()), html, "{head}");
        }
        let xhtml =
            "<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' ''>";
        assert_eq!(sniff(xhtml.as_bytes()), html);
        let xml = FileType::Document(Media::XML);
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
    fn a_given_extension_may_be_double() {
        let given = ["page.txt=text/html", ".WARC.gz=text/html", "txt=image/png"];
        let types = Types::new(&given.map(str::to_owned), &OptIn::default()).unwrap();
        let html = FileType::Document(Media::HTML);
        for name in ["b/a.b.Page.TXT", "a.page.txt?v=2", "a.warc.gz"].map(Path::new) {
            assert!(types.of_path(name) == html && types.is_given(name), "{}", name.display());
        }
        assert_eq!(types.of_path(Path::new("page.txt")), FileType::Other);
    }

    #[test]
    fn json_is_recognized_by_its_name() {
        let types = Types::new(&["json=text/plain".into()], &OptIn::default()).unwrap();
        assert_eq!(types.of_path(Path::new("a/manifest.json")), FileType::Other);
        let json = |format| FileType::Document(Media::json(format));
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
        assert_eq!(types.of_path(Path::new("a/b.php")), FileType::Document(Media::HTML));
        assert_eq!(types.of_path(Path::new("a/b.CSS")), FileType::Other);
        assert_eq!(types.of_path(Path::new("a/b")), FileType::Unknown);
        assert_eq!(types.of_path(Path::new("a/.php")), FileType::Unknown);
        for query in ["?v=1.2", "@v=1.2", "%3Fv=1.2", "?a@b"] {
            let path = format!("a.b/c.php{query}");
            assert_eq!(types.of_path(Path::new(&path)), FileType::Document(Media::HTML), "{path}");
        }
        assert_eq!(types.of_path(Path::new("me@h.php")), FileType::Document(Media::HTML));
        assert_eq!(types.of_path(Path::new("a.html?b.png")), FileType::Other);
        assert_eq!(types.of_stdin(), FileType::Document(Media::CSS));
        for wrong in ["php", "php=html", "=text/html", "php=text/"] {
            assert!(Types::new(&[wrong.into()], &OptIn::default()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn texts_and_markdown_are_documents_on_request_only() {
        let text = FileType::Document(Media::text(TextFormat::Fixed));
        let markdown = FileType::Document(Media::MARKDOWN);
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
            assert_eq!(of(OptIn::default().with_text(true), name), only_text, "{name}");
            assert_eq!(of(OptIn::default().with_markdown(true), name), only_markdown, "{name}");
        }
    }
}
