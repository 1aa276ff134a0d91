//! The media types of files that pages load, by their names, and else by their first bytes; and
//! which files are read.

use std::io;
use std::path::{Component, Path, PathBuf};

use rewrite::{Fetch, Media};

use crate::files::media::{self, FileType, Types};
use crate::os::store::{EntryKind, SharedStore};

/// The media type of a part, and how its references are found.
pub struct PartType {
    /// Its name.
    pub name: String,
    /// The format whose references are found, if it has some.
    pub media: Option<Media>,
}

/// The type of bytes of which nothing is known.
const UNKNOWN: &str = "application/octet-stream";

/// Extensions in lower case and their media types (the MIME Sniffing standard, sections 4.6 and 6;
/// the media type registry of IANA).
#[rustfmt::skip]
const EXTENSIONS: &[(&str, &str)] = &[
    ("html", "text/html"), ("htm", "text/html"), ("shtml", "text/html"),
    ("xhtml", "application/xhtml+xml"), ("xht", "application/xhtml+xml"),
    ("css", "text/css"), ("js", "text/javascript"), ("mjs", "text/javascript"),
    ("svg", "image/svg+xml"), ("png", "image/png"), ("apng", "image/apng"), ("gif", "image/gif"),
    ("jpg", "image/jpeg"), ("jpeg", "image/jpeg"), ("jpe", "image/jpeg"), ("webp", "image/webp"),
    ("avif", "image/avif"), ("bmp", "image/bmp"), ("ico", "image/x-icon"),
    ("cur", "image/x-icon"), ("tif", "image/tiff"), ("tiff", "image/tiff"),
    ("woff", "font/woff"), ("woff2", "font/woff2"), ("ttf", "font/ttf"), ("otf", "font/otf"),
    ("ttc", "font/collection"), ("eot", "application/vnd.ms-fontobject"),
    ("mp3", "audio/mpeg"), ("oga", "audio/ogg"), ("ogg", "audio/ogg"), ("opus", "audio/ogg"),
    ("wav", "audio/wav"), ("m4a", "audio/mp4"), ("aac", "audio/aac"), ("flac", "audio/flac"),
    ("mid", "audio/midi"), ("midi", "audio/midi"), ("weba", "audio/webm"),
    ("mp4", "video/mp4"), ("m4v", "video/mp4"), ("webm", "video/webm"), ("ogv", "video/ogg"),
    ("mov", "video/quicktime"), ("avi", "video/x-msvideo"), ("vtt", "text/vtt"),
    ("pdf", "application/pdf"), ("swf", "application/x-shockwave-flash"),
    ("wasm", "application/wasm"), ("txt", "text/plain"), ("json", "application/json"),
    ("webmanifest", "application/manifest+json"),
];

/// The first bytes of files whose names do not give their type (MIME Sniffing, section 6).
const STARTS: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1A\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xFF\xD8\xFF", "image/jpeg"),
    (b"BM", "image/bmp"),
    (b"\0\0\x01\0", "image/x-icon"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"\0\x01\0\0", "font/ttf"),
    (b"OTTO", "font/otf"),
    (b"%PDF-", "application/pdf"),
    (b"OggS\0", "application/ogg"),
    (b"\x1A\x45\xDF\xA3", "video/webm"),
    (b"ID3", "audio/mpeg"),
];

/// Returns the type of a file that is loaded in this way.
pub fn of_file(types: &Types, path: &Path, bytes: &[u8], fetch: Fetch) -> PartType {
    let document = |file_type| match file_type {
        FileType::Document(media @ Media::Document(_)) => Some(media),
        _ => None,
    };
    let given = types.is_given(path).then(|| document(types.of_path(path))).flatten();
    let head = &bytes[..bytes.len().min(media::SNIFFED)];
    let name = given
        .map(Media::name)
        .or_else(|| by_name(path))
        // Browsers read any file as a style sheet that is loaded as one from a disk.
        .or((fetch == Fetch::StyleSheet).then_some(Media::CSS.name()))
        .or_else(|| document(types.of_path(path)).map(Media::name))
        .or_else(|| by_content(bytes))
        .or_else(|| document(media::of_content(path, head)).map(Media::name))
        .unwrap_or(UNKNOWN);
    let media = Media::from_name(name).filter(|media| matches!(media, Media::Document(_)));
    PartType { name: name.to_owned(), media }
}

/// Returns the media type that the name of a file gives.
pub fn by_name(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    EXTENSIONS.iter().find(|(known, _)| *known == extension).map(|(_, name)| *name)
}

fn by_content(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"RIFF") {
        return match bytes.get(8..12)? {
            b"WEBP" => Some("image/webp"),
            b"WAVE" => Some("audio/wav"),
            _ => None,
        };
    }
    if bytes.get(4..8) == Some(b"ftyp") {
        return Some(if bytes[8..].starts_with(b"avif") { "image/avif" } else { "video/mp4" });
    }
    STARTS.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, name)| *name)
}

/// Returns true for the type of a page.
pub fn is_page(name: &str) -> bool {
    matches!(name, "text/html" | "application/xhtml+xml")
}

/// Returns true for the type of a script.
pub fn is_script(name: &str) -> bool {
    name == Media::SCRIPT.name()
}

/// Returns true for a type that shows in a page: a style sheet, an image or a font.
pub fn is_shown(name: &str) -> bool {
    let is_font = name.starts_with("font/") || name.ends_with("fontobject");
    name == Media::CSS.name() || name.starts_with("image/") || is_font
}

/// Returns true for a type of text, whose lines can be read in a message.
pub fn is_text(name: &str) -> bool {
    name.starts_with("text/")
        || name.ends_with("+xml")
        || name.ends_with("json")
        || matches!(name, "application/xml" | "application/javascript")
}

// Which files are read: a page that somebody else has written must not be able to name private
// files, which would be in the message then.

/// The directory whose files may be read, whatever they are.
#[derive(Clone, Debug)]
pub struct Access {
    store: SharedStore,
    /// With all links resolved.
    directory: PathBuf,
}

impl Access {
    /// Allows the files of a directory of a store.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn new(store: &SharedStore, directory: &Path) -> io::Result<Self> {
        Ok(Access { store: store.clone(), directory: store.canonical(directory)? })
    }

    /// Returns the kind of what a path leads to.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn kind(&self, path: &Path) -> io::Result<EntryKind> {
        Ok(self.store.target(path)?.0)
    }

    /// Returns true if a file may be read: one in the directory, or elsewhere one that by its name
    /// is what pages load, and neither hidden nor in a hidden directory that the page is not in.
    /// What counts is where the file is, after all links.
    ///
    /// # Errors
    ///
    /// Those of the system.
    pub fn allows(&self, path: &Path) -> io::Result<bool> {
        let real = self.store.canonical(path)?;
        if real.starts_with(&self.directory) {
            return Ok(true);
        }
        let is_same = |(one, other): &(Component<'_>, Component<'_>)| one == other;
        let n_same = real.components().zip(self.directory.components()).take_while(is_same).count();
        let is_hidden = |name: Component<'_>| name.as_os_str().as_encoded_bytes().starts_with(b".");
        let is_loaded = by_name(&real).is_some_and(|name| {
            let is_media = name.starts_with("audio/") || name.starts_with("video/");
            is_media || name == "text/vtt" || is_page(name) || is_script(name) || is_shown(name)
        });
        Ok(is_loaded && !real.components().skip(n_same).any(is_hidden))
    }
}
