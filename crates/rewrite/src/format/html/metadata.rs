//! Metadata in the head of a page: comments and scripts, in which programs that save pages record
//! their URLs, the links and metadata that name the URL of the page, and its title.
//!
//! Invariant: one pass in linear time; nothing in a comment, a script or a title is read as a tag,
//! and nothing in a tag is read as a comment.

use layers::{Layer, Span};
use memchr::memchr;

use super::index::Key;
use super::lex::{self, Tag};

/// The kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeadItemKind {
    /// The text of a comment.
    Comment,
    /// The text of a script.
    Script,
    /// The text of the title.
    Title,
    /// The value of `<link rel=canonical href>` (RFC 6596).
    Canonical,
    /// The value of `<meta property="og:url" content>` (Open Graph protocol).
    OpenGraph,
}

/// An item in a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeadItem {
    /// The kind.
    pub kind: HeadItemKind,
    /// The span of its text.
    pub span: Span,
    /// The layer that the text is written in.
    pub layer: Layer,
}

/// An iterator over the metadata before the body of a page, in source order. It ends with the first
/// tag that cannot be in a head, or at an unclosed construct.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{HeadItemKind, HeadMetadata};
/// let page = b"<!DOCTYPE html><html lang='<!--1-->'><!--2--><title><!--3--></title>\
///     <script>4</script><p><!--5-->";
/// let items = HeadMetadata::new(page).map(|item| (item.kind, item.span.slice(page)));
/// let expected = [
///     (HeadItemKind::Comment, &b"2"[..]),
///     (HeadItemKind::Title, b"<!--3-->"),
///     (HeadItemKind::Script, b"4"),
/// ];
/// assert_eq!(items.collect::<Vec<_>>(), expected);
/// ```
#[derive(Debug)]
pub struct HeadMetadata<'h> {
    head: &'h [u8],
    at: usize,
    tag: Tag,
}

/// The elements that occur in a head or around one (HTML standard 13.2.6.4.4, "in head"), and true
/// if their content is text.
const IN_HEAD: [(&str, bool); 11] = [
    ("html", false),
    ("head", false),
    ("base", false),
    ("link", false),
    ("meta", false),
    ("template", true),
    ("title", true),
    ("style", true),
    ("noscript", true),
    ("noframes", true),
    ("script", true),
];

impl<'h> HeadMetadata<'h> {
    /// Returns the metadata of a page that begins with `head`, without its byte order mark.
    pub fn new(head: &'h [u8]) -> Self {
        HeadMetadata { head, at: 0, tag: Tag::default() }
    }

    /// Skips a tag, and the text of its element if it has some.
    fn tag(&mut self, name: usize, is_end: bool) -> Option<Option<HeadItem>> {
        let head = self.head;
        if !self.tag.lex(head, name) {
            return None;
        }
        self.at = self.tag.end;
        if is_end {
            return Some(None);
        }
        let name = self.tag.name.slice(head);
        let is_named = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        let (name, is_text) = IN_HEAD.into_iter().find(|(known, _)| is_named(known))?;
        if !is_text {
            return Some(self.url());
        }
        let start = self.at;
        let is_script = name == "script";
        let end = if is_script {
            lex::end_of_script(head, start)?
        } else {
            lex::end_of_text(head, start, name.as_bytes())?
        };
        self.at = end;
        let kind = match name {
            "script" => HeadItemKind::Script,
            "title" => HeadItemKind::Title,
            _ => return Some(None),
        };
        Some(Some(HeadItem { kind, span: Span::new(start, end), layer: Layer::Text }))
    }

    /// Returns the item if the tag names the URL of the page.
    fn url(&self) -> Option<HeadItem> {
        let is_named =
            |name: &str| self.tag.name.slice(self.head).eq_ignore_ascii_case(name.as_bytes());
        let value =
            |key: Key| self.tag.attribute(key).map(|attribute| attribute.value.slice(self.head));
        let is_canonical = || {
            let words = value(Key::REL).unwrap_or_default().split(|byte| lex::is_space(*byte));
            words.into_iter().any(|word| word.eq_ignore_ascii_case(b"canonical"))
        };
        let is_url =
            |key| value(key).is_some_and(|name| name.trim_ascii().eq_ignore_ascii_case(b"og:url"));
        let (kind, key) = match () {
            () if is_named("link") && is_canonical() => (HeadItemKind::Canonical, Key::HREF),
            () if is_named("meta") && (is_url(Key::PROPERTY) || is_url(Key::NAME)) => {
                (HeadItemKind::OpenGraph, Key::CONTENT)
            }
            () => return None,
        };
        let attribute = self.tag.attribute(key)?;
        Some(HeadItem { kind, span: attribute.value, layer: Layer::Attribute(attribute.quote) })
    }
}

impl Iterator for HeadMetadata<'_> {
    type Item = HeadItem;

    fn next(&mut self) -> Option<HeadItem> {
        loop {
            let start = self.at + memchr(b'<', self.head.get(self.at..)?)?;
            let rest = &self.head[start..];
            let is_letter = |idx: usize| rest.get(idx).is_some_and(u8::is_ascii_alphabetic);
            if rest.starts_with(b"<!--") {
                let (span, end) = lex::comment(self.head, start)?;
                self.at = end;
                let (kind, layer) = (HeadItemKind::Comment, Layer::Text);
                return Some(HeadItem { kind, span, layer });
            }
            let is_end = rest.get(1) == Some(&b'/');
            if is_letter(1 + usize::from(is_end)) {
                if let Some(item) = self.tag(start + 1 + usize::from(is_end), is_end)? {
                    return Some(item);
                }
            } else if matches!(rest.get(1), Some(b'!' | b'?' | b'/')) {
                self.at = start + memchr(b'>', rest)? + 1;
            } else {
                self.at = start + 1;
            }
        }
    }
}
