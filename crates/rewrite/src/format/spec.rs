//! The row of a format: its media types and file names, and how its documents are read.

use urlcore::Dialect;

use crate::format::FORMATS;
use crate::format::found::Found;
use crate::options::{AvailableMemory, Options};
use crate::report::skip::SkipReason;
use crate::slots::{JsonType, is_same};

/// The values of a text, or the reason why it is not read and the offset of the cause.
pub(crate) type FoundIn = Result<Found, (SkipReason, usize)>;

/// The row of a format.
#[derive(Debug)]
#[non_exhaustive]
pub struct FormatSpec {
    /// Its media types in lower case, the canonical one first. One that begins with `+` is the
    /// suffix of any number of media types.
    pub media_types: &'static [&'static str],
    /// The extensions of its files in lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// The names of its files in lower case, if the extension alone does not give it: complete
    /// ones, and ends of names after a `*`.
    pub file_names: &'static [&'static str],
    /// The name of `--also` that it needs, if it is off by default.
    pub opt_in: Option<&'static str>,
    /// Returns true if a document of this format begins with these bytes.
    pub(crate) sniff: Option<fn(&[u8]) -> bool>,
    /// The dialect of its references, if it is not that of the run.
    pub(crate) dialect: Option<Dialect>,
    /// True if a reference may be relative to the URL of the document.
    pub(crate) has_relative: bool,
    pub(crate) charset: CharsetRule,
    pub(crate) reader: FormatReader,
}

/// The function that reads the documents of a format.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FormatReader {
    /// HTML is read as bytes, because a `<meta>` may declare its charset late.
    Html,
    /// Finds the values of the decoded text.
    Text(fn(&str, &Options, AvailableMemory) -> FoundIn),
}

/// The rule for the charset of a document without a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CharsetRule {
    /// A declaration outside, then a `<meta>`.
    Html,
    /// A declaration outside, then `@charset`.
    Css,
    /// A declaration outside, then that of the XML declaration.
    Xml,
    /// A declaration outside; without one it is guessed.
    Guess,
    /// UTF-8, whatever is declared outside.
    Utf8,
    /// UTF-8, even if there is a byte order mark of another charset.
    OnlyUtf8,
}

impl FormatSpec {
    /// A format without names that is read as UTF-8, with the common defaults.
    pub(crate) const fn text(
        media_types: &'static [&'static str],
        find: fn(&str, &Options, AvailableMemory) -> FoundIn,
    ) -> FormatSpec {
        FormatSpec {
            media_types,
            extensions: &[],
            file_names: &[],
            opt_in: None,
            sniff: None,
            dialect: None,
            has_relative: true,
            charset: CharsetRule::Utf8,
            reader: FormatReader::Text(find),
        }
    }

    /// Returns the canonical media type.
    pub const fn name(&self) -> &'static str {
        self.media_types[0]
    }
}

/// A format: the index of its row in [`FORMATS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FormatId(u8);

impl FormatId {
    /// `text/html`
    pub const HTML: FormatId = FormatId::named("text/html");
    /// `text/css`
    pub const CSS: FormatId = FormatId::named("text/css");
    /// `application/xml`: XHTML, SVG, feeds, sitemaps and all other XML.
    pub const XML: FormatId = FormatId::named("application/xml");
    /// `text/javascript`, read as a module.
    pub const SCRIPT: FormatId = FormatId::named("text/javascript");
    /// `text/plain`
    pub const TEXT: FormatId = FormatId::named("text/plain");
    /// `text/plain` whose lines continue after a space at their end (RFC 3676).
    pub const FLOWED: FormatId = FormatId(FormatId::TEXT.0 + 1);
    /// The same, and that space is not part of the text (`DelSp=yes`).
    pub const FLOWED_WITHOUT_SPACE: FormatId = FormatId(FormatId::TEXT.0 + 2);
    /// `text/markdown`
    pub const MARKDOWN: FormatId = FormatId::named("text/markdown");

    const MANIFEST: FormatId = FormatId::named(JsonType::Manifest.media_type());
    const IMPORT_MAP: FormatId = FormatId::named(JsonType::ImportMap.media_type());
    const SPECULATION_RULES: FormatId = FormatId::named(JsonType::SpeculationRules.media_type());
    const LINKED_DATA: FormatId = FormatId::named(JsonType::LinkedData.media_type());
    const FEED: FormatId = FormatId::named(JsonType::Feed.media_type());

    /// Returns the format of a type of JSON.
    pub const fn json(json: JsonType) -> FormatId {
        match json {
            JsonType::Manifest => FormatId::MANIFEST,
            JsonType::ImportMap => FormatId::IMPORT_MAP,
            JsonType::SpeculationRules => FormatId::SPECULATION_RULES,
            JsonType::LinkedData => FormatId::LINKED_DATA,
            JsonType::Feed => FormatId::FEED,
        }
    }

    /// Returns the first format with this canonical media type; a name that is not in the table
    /// does not compile.
    #[allow(clippy::cast_possible_truncation)] // The table has some dozens of rows.
    pub(crate) const fn named(name: &str) -> FormatId {
        let mut idx = 0;
        while !is_same(FORMATS[idx].name(), name) {
            idx += 1;
        }
        FormatId(idx as u8)
    }

    /// Returns its row.
    pub fn spec(self) -> &'static FormatSpec {
        &FORMATS[usize::from(self.0)]
    }

    /// Returns the format with this media type, which is in lower case.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_rewrite::FormatId;
    /// assert_eq!(FormatId::from_media_type("application/ecmascript"), Some(FormatId::SCRIPT));
    /// assert_eq!(FormatId::from_media_type("image/svg+xml"), Some(FormatId::XML));
    /// assert_eq!(FormatId::from_media_type("application/json"), None);
    /// ```
    pub fn from_media_type(name: &str) -> Option<FormatId> {
        let has_suffix = |own: &&str| own.starts_with('+') && name.ends_with(*own);
        first(|spec| spec.media_types.contains(&name))
            .or_else(|| first(|spec| spec.media_types.iter().any(has_suffix)))
    }

    /// Returns the format of a file with this extension, which is in lower case and without a dot.
    pub fn from_extension(extension: &str) -> Option<FormatId> {
        first(|spec| spec.extensions.contains(&extension))
    }

    /// Returns the format of a file with this complete name, which is in lower case.
    pub fn from_file_name(name: &str) -> Option<FormatId> {
        let is_it = |own: &&str| match own.strip_prefix('*') {
            Some(end) => name.ends_with(end),
            None => name == *own,
        };
        first(|spec| spec.file_names.iter().any(is_it))
    }

    /// Returns the format of a document by its first bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use relink_rewrite::FormatId;
    /// assert_eq!(FormatId::from_content(b"<!-- x --> <!DOCTYPE html>"), Some(FormatId::HTML));
    /// assert_eq!(FormatId::from_content(b"<?xml version='1.0'?><feed>"), Some(FormatId::XML));
    /// assert_eq!(FormatId::from_content(b"text"), None);
    /// ```
    pub fn from_content(head: &[u8]) -> Option<FormatId> {
        first(|spec| spec.sniff.is_some_and(|is_it| is_it(head)))
    }
}

/// Returns the first format whose row passes a test.
#[allow(clippy::cast_possible_truncation)] // The table has some dozens of rows.
fn first(test: impl Fn(&FormatSpec) -> bool) -> Option<FormatId> {
    FORMATS.iter().position(test).map(|idx| FormatId(idx as u8))
}

// HTML and XML by their first bytes: the patterns of the MIME Sniffing standard, section 7.1,
// after white space and comments.

/// The number of bytes that are examined.
const EXAMINED: usize = 1024;

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

/// Returns true if a document begins as HTML does. A page that is XML too was mostly served as
/// HTML, and is read as HTML if its name does not give the type.
pub(super) fn is_html(head: &[u8]) -> bool {
    let Some(rest) = after_comments(head) else { return false };
    let begins_html = |rest: &[u8]| TAGS.iter().any(|tag| begins(rest, tag));
    let is_page = || {
        let end = rest.windows(2).position(|ending| ending == b"?>");
        begins(rest, "<?xml")
            && end.is_some_and(|end| begins_html(rest[end + 2..].trim_ascii_start()))
    };
    begins_html(rest) || (is_page() && !is_feed(head))
}

/// Returns true if a document is a feed or begins with an XML declaration. It may be HTML too.
pub(super) fn is_xml(head: &[u8]) -> bool {
    is_feed(head) || after_comments(head).is_some_and(|rest| begins(rest, "<?xml"))
}

/// Returns the bytes after a byte order mark, white space and comments; `None` if a comment does
/// not end.
fn after_comments(head: &[u8]) -> Option<&[u8]> {
    let mut rest = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    while let Some(comment) = rest.strip_prefix(b"<!--") {
        let end = comment.windows(3).position(|ending| ending == b"-->")?;
        rest = comment[end + 3..].trim_ascii_start();
    }
    Some(rest)
}

fn begins(rest: &[u8], tag: &str) -> bool {
    let (start, after) = rest.split_at(rest.len().min(tag.len()));
    start.eq_ignore_ascii_case(tag.as_bytes())
        && after.first().is_some_and(|byte| b" \t\r\n\x0C>".contains(byte))
}

/// Returns true if a file called HTML is a feed, by the algorithm of browsers: MIME Sniffing
/// standard, section 8.3 ("sniff a mislabeled feed"). Mirrors keep feeds as `feed/index.html`.
///
/// # Examples
///
/// ```
/// use relink_rewrite::is_feed;
/// assert!(is_feed(b"<?xml version='1.0'?>\n<!-- by a program --><rss version='2.0'>"));
/// assert!(!is_feed(b"<?xml version='1.0'?><!DOCTYPE html><html>"));
/// ```
pub fn is_feed(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(EXAMINED)];
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
    use crate::options::OptIn;

    #[test]
    fn names_belong_to_one_format_and_are_in_lower_case() {
        for column in [
            |spec: &'static FormatSpec| spec.media_types,
            |spec: &'static FormatSpec| spec.extensions,
            |spec: &'static FormatSpec| spec.file_names,
        ] {
            // A parameter of the media type selects these.
            let flowed = [FormatId::FLOWED, FormatId::FLOWED_WITHOUT_SPACE].map(|id| id.0.into());
            let specs = FORMATS.iter().enumerate().filter(|(idx, _)| !flowed.contains(idx));
            let mut names: Vec<&str> = specs.flat_map(|(_, spec)| column(spec)).copied().collect();
            assert!(names.iter().all(|name| *name == name.to_lowercase()));
            let n_names = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), n_names);
        }
    }

    #[test]
    fn every_name_of_also_exists() {
        for spec in FORMATS {
            assert!(spec.opt_in.is_none_or(|name| OptIn::NAMES.contains(&name)), "{spec:?}");
        }
    }

    #[test]
    fn the_rows_of_flowed_text_follow_that_of_fixed_text() {
        for format in [FormatId::FLOWED, FormatId::FLOWED_WITHOUT_SPACE] {
            assert_eq!(format.spec().name(), "text/plain");
        }
        assert!(FormatId::MARKDOWN != FormatId::FLOWED_WITHOUT_SPACE);
    }
}
