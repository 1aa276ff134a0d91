//! The elements around the references of a page: their `rel`, and the text of links.
//!
//! Tags are found as the fast engine finds them, without a tree.

use layers::charref::{self, CharrefPlace};
use layers::{Charset, Decoded, Span};
use memchr::memchr;

use super::index::Key;
use super::lex::{self, Raw, Tag};
use super::sniff;

/// The elements of a page that contain references: `rel`, and the text of `a` elements.
///
/// The text is that between the start tag and the next start or end tag of an `a`: with character
/// references decoded, white space collapsed, and at most [`LinkElements::MOST`] characters. A tag
/// separates words, unless it is one of the text, such as `b` or `span`. Comments, scripts, style
/// sheets, and whatever else is not read as markup, are not part of it.
///
/// # Examples
///
/// ```
/// use relink_rewrite::LinkElements;
///
/// let page = b"<a href=b rel='nofollow  ugc'>One <b>&amp;</b><br>two</a> three";
/// let mut anchors = LinkElements::new(page, 0, None);
/// assert_eq!(anchors.rel(8), Some("nofollow ugc"));
/// assert_eq!(anchors.text(8), Some("One & two"));
/// assert_eq!(anchors.text(40), None);
/// ```
#[derive(Debug)]
pub struct LinkElements<'p> {
    /// The page in UTF-8, if its charset is decoded as a whole.
    decoded: Option<Decoded<'p>>,
    page: &'p [u8],
    /// The offset of the page in the bytes of the caller.
    start: usize,
    charset: Charset,
    /// The offset in the text after the last tag, or after the text of its element.
    at: usize,
    /// The last tag, and its span in the bytes of the caller.
    tag: Tag,
    span: Span,
    /// What was read of its element.
    rel: Option<Option<String>>,
    text: Option<Option<String>>,
}

/// Tags in a text that do not separate words.
const IN_WORDS: [&[u8]; 28] = [
    b"abbr", b"b", b"bdi", b"bdo", b"big", b"cite", b"code", b"del", b"em", b"font", b"i", b"ins",
    b"kbd", b"mark", b"q", b"s", b"samp", b"small", b"span", b"strike", b"strong", b"sub", b"sup",
    b"tspan", b"tt", b"u", b"var", b"wbr",
];

/// A tag or comment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Markup {
    Start,
    End,
    Comment,
}

impl<'p> LinkElements<'p> {
    /// The largest number of characters of a text.
    pub const MOST: usize = 1000;

    /// Returns the elements of the page that begins at `start` of `bytes`, and whose charset is
    /// `charset`, or else the one that it declares.
    pub fn new(bytes: &'p [u8], start: usize, charset: Option<&str>) -> Self {
        let page = bytes.get(start..).unwrap_or_default();
        let outer = charset.and_then(|name| Charset::for_label(name.as_bytes()));
        let (charset, length) =
            Charset::for_bom(page).unwrap_or_else(|| (outer.unwrap_or_else(|| sniff(page)), 0));
        let (page, start) = (&page[length..], start + length);
        let decoded = charset.reads_as_whole().then(|| charset.decode(page));
        let charset = if decoded.is_some() { Charset::UTF_8 } else { charset };
        let (tag, span) = (Tag::default(), Span::default());
        LinkElements { decoded, page, start, charset, at: 0, tag, span, rel: None, text: None }
    }

    /// Returns the attribute `rel` of the element whose start tag contains this offset, with white
    /// space collapsed. Offsets must not decrease from call to call.
    pub fn rel(&mut self, offset: usize) -> Option<&str> {
        self.seek(offset)?;
        if self.rel.is_none() {
            let attribute = self.tag.attribute(Key::REL);
            let rel = attribute.map(|attribute| {
                let raw = attribute.value.slice(self.input());
                let mut words = CollapsedText::default();
                words.push(&charref::decode(raw, self.charset, CharrefPlace::Attribute).text);
                words.text
            });
            self.rel = Some(rel);
        }
        self.rel.as_ref()?.as_deref()
    }

    /// Returns the text of the `a` element whose start tag contains this offset. Offsets must not
    /// decrease from call to call.
    pub fn text(&mut self, offset: usize) -> Option<&str> {
        self.seek(offset)?;
        if self.text.is_none() {
            let is_anchor = is_anchor(&self.tag, self.input());
            self.text = Some(is_anchor.then(|| text_from(self.input(), self.at, self.charset)));
        }
        self.text.as_ref()?.as_deref()
    }

    fn input(&self) -> &[u8] {
        self.decoded.as_ref().map_or(self.page, |decoded| decoded.text.as_bytes())
    }

    /// Reads tags up to the one that contains an offset; `None` if there is none.
    fn seek(&mut self, offset: usize) -> Option<()> {
        while offset >= self.span.end {
            let input = match &self.decoded {
                Some(decoded) => decoded.text.as_bytes(),
                None => self.page,
            };
            let Some(start) = lex::find(input, self.at, b'<') else { break };
            match token(input, start, &mut self.tag) {
                Some((Markup::Start, after)) => {
                    self.at = after;
                    let span = Span::new(start, self.tag.end);
                    let raw = self.decoded.as_ref().map_or(span, |text| text.map.widen(span).raw);
                    self.span = raw.shifted(self.start);
                    (self.rel, self.text) = (None, None);
                }
                Some((_, after)) => self.at = after,
                None => self.at = start + 1,
            }
        }
        (self.span.start..self.span.end).contains(&offset).then_some(())
    }
}

fn is_anchor(tag: &Tag, input: &[u8]) -> bool {
    tag.name.slice(input).eq_ignore_ascii_case(b"a")
}

/// Reads the token at a `<`. Returns it with the offset after it, and after the text of an element
/// that is not read as markup; `None` if it is text. A token that does not end has the rest.
fn token(input: &[u8], start: usize, tag: &mut Tag) -> Option<(Markup, usize)> {
    let rest = (Markup::Comment, input.len());
    let is_letter = |at: usize| input.get(at).is_some_and(u8::is_ascii_alphabetic);
    match input.get(start + 1)? {
        byte if byte.is_ascii_alphabetic() => {
            if !tag.lex_some(input, start + 1, |key| key == Key::REL) {
                return Some(rest);
            }
            let after = match Raw::after(tag.key) {
                Some(raw) => raw.end(input, tag).unwrap_or(input.len()),
                None => tag.end,
            };
            Some((Markup::Start, after))
        }
        b'/' if is_letter(start + 2) => match tag.lex_some(input, start + 2, |_| false) {
            true => Some((Markup::End, tag.end)),
            false => Some(rest),
        },
        b'!' if input[start..].starts_with(b"<!--") => {
            Some(lex::comment(input, start).map_or(rest, |(_, after)| (Markup::Comment, after)))
        }
        b'!' | b'?' | b'/' => {
            let end = memchr(b'>', &input[start..]);
            Some(end.map_or(rest, |idx| (Markup::Comment, start + idx + 1)))
        }
        _ => None,
    }
}

/// Returns the text from `from` to the next tag of an `a` element.
fn text_from(input: &[u8], from: usize, charset: Charset) -> String {
    let (mut words, mut tag) = (CollapsedText::default(), Tag::default());
    // The text from `from` on is not yet added; `at` is where the next token is searched.
    let (mut from, mut at) = (from, from);
    while !words.is_full() {
        let start = lex::find(input, at, b'<').unwrap_or(input.len());
        let read = if start < input.len() { token(input, start, &mut tag) } else { None };
        if read.is_none() && start < input.len() {
            at = start + 1;
            continue;
        }
        words.push(&charref::decode(&input[from..start], charset, CharrefPlace::Text).text);
        let Some((token, after)) = read else { break };
        if token != Markup::Comment {
            if is_anchor(&tag, input) {
                break;
            }
            let name = tag.name.slice(input);
            words.is_new |= !IN_WORDS.iter().any(|known| name.eq_ignore_ascii_case(known));
        }
        (from, at) = (after, after);
    }
    words.text
}

/// CollapsedText with one space between them.
#[derive(Default)]
struct CollapsedText {
    text: String,
    n_chars: usize,
    /// True if the next character begins a word.
    is_new: bool,
}

impl CollapsedText {
    fn is_full(&self) -> bool {
        self.n_chars >= LinkElements::MOST
    }

    /// Adds a text, as far as there is room.
    fn push(&mut self, text: &str) {
        for char in text.chars() {
            if char.is_ascii_whitespace() {
                self.is_new = true;
                continue;
            }
            if std::mem::take(&mut self.is_new) && !self.text.is_empty() {
                self.add(' ');
            }
            if self.is_full() {
                return;
            }
            self.add(char);
        }
    }

    fn add(&mut self, char: char) {
        self.text.push(char);
        self.n_chars += 1;
    }
}
