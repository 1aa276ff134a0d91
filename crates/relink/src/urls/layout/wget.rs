//! The names that wget gives to files, in each of its modes, and back.

use urlcore::escape::{encode_path_segment, percent_decode};

use super::LayoutName;

/// Returns the names that wget may give to the file of a URL. `decoded` is its path without
/// escapes and without the slash in front; `indexes` are the names of the files that are shown for
/// directories.
pub(super) fn names(
    decoded: &[u8],
    query: Option<&str>,
    is_directory: bool,
    indexes: &[String],
) -> Vec<LayoutName> {
    let mut names = WgetNames::default();
    let bytes = query.map(percent_decode);
    names.add_all(decoded, bytes.as_deref(), is_directory, indexes);
    match query {
        // wget writes the mark of an empty query too, where it does not drop it.
        Some("") => names.add_all(decoded, None, is_directory, indexes),
        None => names.add_all(decoded, Some(b""), is_directory, indexes),
        // In a page in ISO 8859-1, so is a character of a query.
        Some(query) if !query.is_ascii() => {
            if let Some(query) = in_latin_1(query) {
                names.add_all(decoded, Some(&query), is_directory, indexes);
            }
        }
        Some(_) => {}
    }
    // `?x=1` in `about.html` may be a query of `about`, to whose name wget added the extension.
    if let (Some(page), Some(query)) = (decoded.strip_suffix(b".html"), bytes.as_deref()) {
        names.add(page, Some(query), &[".html"]);
    }
    names.0
}

/// The names that wget may give to the file of a URL.
#[derive(Default)]
struct WgetNames(Vec<LayoutName>);

impl WgetNames {
    fn add_all(
        &mut self,
        decoded: &[u8],
        query: Option<&[u8]>,
        is_directory: bool,
        indexes: &[String],
    ) {
        for stem in stems(decoded) {
            if !is_directory {
                self.add(&stem, query, ADJUSTED);
            }
            let slash: &[u8] = if is_directory { b"" } else { b"/" };
            for index in indexes {
                self.add(&[&*stem, slash, index.as_bytes()].concat(), query, ADJUSTED);
            }
            // A server may show `about.html` for `about/`. The file `about` is there if a redirect
            // led from `about` to `about/`, and wget knew only the first.
            if let Some(page) = stem.strip_suffix(b"/").filter(|page| !page.is_empty()) {
                self.add(page, query, &["", ".html"]);
            }
        }
    }

    /// Adds the names of a path and its query in each manner, with each extension.
    fn add(&mut self, stem: &[u8], query: Option<&[u8]>, extensions: &[&str]) {
        for (mark, quote, is_lowered) in MANNERS {
            let mut name = quote(stem, b"");
            if let Some(query) = query {
                name.push(*mark);
                name.extend(quote(query, b"/"));
            }
            for extension in extensions {
                let path = [&name, extension.as_bytes()].concat();
                if self.0.iter().all(|name| name.path != path) {
                    self.0.push(LayoutName {
                        path,
                        keeps_query: false,
                        is_guess: false,
                        is_lowered: *is_lowered,
                    });
                }
            }
        }
    }
}

/// Returns the decoded path of a URL in the forms that wget makes of it: as it is; with its escapes
/// decoded twice; with characters of ISO 8859-1 in UTF-8; and with empty names left out.
fn stems(path: &[u8]) -> Vec<Vec<u8>> {
    let mut stems = vec![path.to_vec()];
    let mut push = |stem: Vec<u8>| {
        if !stems.contains(&stem) {
            stems.push(stem);
        }
    };
    match std::str::from_utf8(path) {
        Ok(text) => push(decoded(text)),
        Err(_) => push(path.iter().copied().map(char::from).collect::<String>().into_bytes()),
    }
    let is_name = |name: &&[u8]| !name.is_empty();
    let names: Vec<&[u8]> = path.split(|byte| *byte == b'/').filter(is_name).collect();
    let mut joined = names.join(&b'/');
    if path.ends_with(b"/") && !joined.is_empty() {
        joined.push(b'/');
    }
    push(joined);
    stems
}

/// Returns a query without escapes, with its characters in ISO 8859-1, if that has them all.
fn in_latin_1(query: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(query.len());
    for piece in query.split_inclusive(|char: char| !char.is_ascii()) {
        let end = piece.char_indices().next_back().filter(|(_, char)| !char.is_ascii());
        let (text, last) = piece.split_at(end.map_or(piece.len(), |(at, _)| at));
        out.extend_from_slice(&percent_decode(text));
        for char in last.chars() {
            out.push(u8::try_from(char).ok()?);
        }
    }
    Some(out)
}

/// The extensions that `--adjust-extension` adds, and none.
const ADJUSTED: &[&str] = &["", ".html", ".css"];

/// Writes a name in one of wget's modes; the second argument has more bytes to be escaped.
type QuoteName = fn(&[u8], &[u8]) -> Vec<u8>;

/// The mark before the query, the function that quotes, and true if it changes letter case:
/// `unix,nocontrol`, `unix`, `windows`, `unix,ascii`, `unix,lowercase`, `windows,lowercase`.
const MANNERS: &[(u8, QuoteName, bool)] = &[
    (b'?', |name, more| quoted(name, |byte| more.contains(&byte)), false),
    (b'?', unix, false),
    (b'@', windows, false),
    (b'?', ascii, false),
    (b'?', |name, more| unix(name, more).to_ascii_lowercase(), true),
    (b'@', |name, more| windows(name, more).to_ascii_lowercase(), true),
];

fn ascii(name: &[u8], more: &[u8]) -> Vec<u8> {
    quoted(name, |byte| more.contains(&byte) || is_control(byte) || !byte.is_ascii())
}

fn unix(name: &[u8], more: &[u8]) -> Vec<u8> {
    quoted(name, |byte| more.contains(&byte) || is_control(byte))
}

fn windows(name: &[u8], more: &[u8]) -> Vec<u8> {
    quoted(name, |byte| more.contains(&byte) || is_control(byte) || FORBIDDEN.contains(&byte))
}

/// The characters that Windows forbids in names.
const FORBIDDEN: &[u8] = b"\\|:?\"*<>";

/// Returns true for the bytes that wget escapes by default: the control characters of ISO 8859-1.
fn is_control(byte: u8) -> bool {
    byte < 0x20 || (0x80..0xA0).contains(&byte)
}

fn quoted(name: &[u8], is_escaped: impl Fn(u8) -> bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    for byte in name {
        if is_escaped(*byte) {
            out.extend(format!("%{byte:02X}").bytes());
        } else {
            out.push(*byte);
        }
    }
    out
}

/// Decodes in a name the escapes that wget writes for forbidden characters; any other belongs to
/// the URL's own name.
pub(super) fn unquoted(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((first, after)) = rest.split_first() {
        let escape = rest.get(..3).and_then(|escape| std::str::from_utf8(escape).ok());
        match escape.map(percent_decode).as_deref() {
            Some([byte]) if is_control(*byte) || FORBIDDEN.contains(byte) || *byte == b'/' => {
                out.push(*byte);
                rest = &rest[3..];
            }
            _ => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}

/// Appends a query without escapes to a URL.
pub(super) fn push_query(query: &[u8], url: &mut String) {
    url.push('?');
    for piece in query.split_inclusive(|byte| b"/?".contains(byte)) {
        let (text, mark) = match piece.split_last() {
            Some((mark, text)) if b"/?".contains(mark) => (text, Some(char::from(*mark))),
            _ => (piece, None),
        };
        encode_path_segment(text, url);
        url.extend(mark);
    }
}

/// Returns a path of a URL as file names: with its percent-escapes decoded. An escaped slash stays
/// escaped: no name contains one.
pub fn decoded(path: &str) -> Vec<u8> {
    if !path.contains('%') {
        return path.as_bytes().to_vec();
    }
    let mut out = Vec::with_capacity(path.len());
    for (idx, segment) in path.split('/').enumerate() {
        if idx > 0 {
            out.push(b'/');
        }
        let name = percent_decode(segment);
        let is_name = !name.iter().any(|byte| b"/\0".contains(byte));
        out.extend_from_slice(if is_name { &name } else { segment.as_bytes() });
    }
    out
}
