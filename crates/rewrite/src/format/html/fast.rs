//! The fast engine: a scan from `<` to `<`, without a tree.
//!
//! It lexes as the HTML tokenizer does (HTML standard, section 13.2.5) and models the few ways in
//! which the tree builder affects the tokenizer: raw text after certain tags, foreign elements and
//! their CDATA sections, the first `base`. If a document could be parsed in another way it
//! *declines*, and the reference engine reads the document. Its result never differs from that of
//! the reference engine; tests verify that.

use basectx::html::{BaseStep, Content, Namespace};
use layers::Span;
use memchr::{memchr, memmem};

use super::ParseOptions;
use super::collect::{ValueCollector, may_be_in_head};
use super::index::{self, Key};
use super::lex::{self, Raw, Tag};
use crate::format::found::Found;
use crate::options::AvailableMemory;
use crate::report::skip::Declined;

/// Finds the values of an HTML document whose byte order mark is cut.
///
/// # Errors
///
/// Returns [`Declined`], the reason why the engine does not read the document; the values found so
/// far are discarded.
pub(crate) fn find(
    input: &[u8],
    options: ParseOptions<'_>,
    memory: AvailableMemory,
) -> Result<Found, Declined> {
    let mut engine = FastEngine {
        input,
        keeps_all: !options.extras.is_empty(),
        collector: ValueCollector::new(input, options, memory),
        tag: Tag::default(),
        foreign: Vec::new(),
        n_start_tags: 0,
        head: HeadProgress::Open,
        base: None,
        has_frameset: false,
        is_in_select: false,
        template: Template::None,
    };
    let mut at = 0;
    while let Some(start) = lex::find(input, at, b'<') {
        if engine.head == HeadProgress::Open && !input[at..start].trim_ascii().is_empty() {
            engine.head = HeadProgress::Over;
        }
        at = engine.token(start)?;
    }
    Ok(engine.collector.finish(engine.base.map(|tag| BaseStep { from: tag, tag: Some(tag) })))
}

/// An open foreign element.
struct Foreign {
    name: Span,
    namespace: Namespace,
    /// True if it is an integration point: a start tag inside is HTML.
    holds_html: bool,
}

/// The progress through the head.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeadProgress {
    /// Only elements of the head have been read: a `base` is a child of `head`, and the first one
    /// with `href` is the first in tree order.
    Open,
    Over,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Template {
    None,
    Seen,
    /// A `col` or `colgroup` came after the head.
    WithColumn,
}

struct FastEngine<'i> {
    input: &'i [u8],
    /// True if attributes outside of the table are read.
    keeps_all: bool,
    collector: ValueCollector<'i>,
    tag: Tag,
    foreign: Vec<Foreign>,
    n_start_tags: usize,
    head: HeadProgress,
    /// The number of the start tag of the first `base` with `href`.
    base: Option<usize>,
    has_frameset: bool,
    is_in_select: bool,
    template: Template,
}

impl FastEngine<'_> {
    /// Reads the token at a `<`, if it is one. Returns the offset after it.
    fn token(&mut self, start: usize) -> Result<usize, Declined> {
        let input = self.input;
        let end = input.len();
        match input.get(start + 1) {
            Some(byte) if byte.is_ascii_alphabetic() => {
                let keeps_all = self.keeps_all;
                let is_kept = |name| keeps_all || index::may_matter(name);
                if !self.tag.lex_some(input, start + 1, is_kept) {
                    return Ok(end);
                }
                self.collector.close(start);
                self.start_tag()
            }
            Some(b'/') => match input.get(start + 2) {
                Some(byte) if byte.is_ascii_alphabetic() => {
                    if self.ignores_end_tags()
                        && let Some(end) = lex::end_of_plain_tag(input, start + 2)
                    {
                        self.collector.close(start);
                        return Ok(end);
                    }
                    if !self.tag.lex_some(input, start + 2, |_| false) {
                        return Ok(end);
                    }
                    self.collector.close(start);
                    self.end_tag()?;
                    Ok(self.tag.end)
                }
                Some(b'>') => Ok(start + 3),
                Some(_) => Ok(self.bogus(start)),
                None => Ok(end),
            },
            Some(b'!') if input[start..].starts_with(b"<!--") => match lex::comment(input, start) {
                Some((text, after)) => {
                    self.collector.discard();
                    self.collector.comment(text);
                    Ok(after)
                }
                None => Ok(end),
            },
            Some(b'!') if !self.foreign.is_empty() && input[start..].starts_with(b"<![CDATA[") => {
                let from = start + b"<![CDATA[".len();
                Ok(memmem::find(&input[from..], b"]]>").map_or(end, |idx| from + idx + 3))
            }
            Some(b'!' | b'?') => Ok(self.bogus(start)),
            _ => Ok(start + 1),
        }
    }

    /// Reads a bogus comment or a doctype, which both end with the first `>`.
    fn bogus(&mut self, start: usize) -> usize {
        match memchr(b'>', &self.input[start..]) {
            Some(idx) => {
                let is_doctype = self.input[start..]
                    .get(..9)
                    .is_some_and(|tag| tag.eq_ignore_ascii_case(b"<!doctype"));
                if !is_doctype {
                    self.collector.discard();
                }
                start + idx + 1
            }
            None => self.input.len(),
        }
    }

    fn start_tag(&mut self) -> Result<usize, Declined> {
        let n_tag = self.n_start_tags;
        self.n_start_tags += 1;
        let name = self.tag.key;
        if self.foreign.is_empty() {
            self.html_start_tag(name, n_tag)
        } else {
            self.foreign_start_tag(name)
        }
    }

    #[inline]
    fn html_start_tag(&mut self, name: Key, n_tag: usize) -> Result<usize, Declined> {
        if self.head == HeadProgress::Open && !may_be_in_head(name) {
            self.head = HeadProgress::Over;
        }
        // Most elements only add references.
        if !may_be_special(name) {
            self.collector.start_tag(&self.tag, Namespace::Html, Content::Markup);
            return Ok(self.tag.end);
        }
        self.special_start_tag(name, n_tag)
    }

    fn special_start_tag(&mut self, name: Key, n_tag: usize) -> Result<usize, Declined> {
        let raw = Raw::after(name);
        let is_foreign = matches!(name, Key::SVG | Key::MATH);
        if raw.is_some() || is_foreign {
            self.check(name)?;
        }
        match name {
            Key::BASE if self.tag.attribute(Key::HREF).is_some() => match self.head {
                HeadProgress::Over if self.base.is_none() => return Err(Declined::Base),
                _ => self.base = self.base.or(Some(n_tag)),
            },
            Key::FRAMESET => self.has_frameset = true,
            Key::SELECT => self.is_in_select = true,
            Key::TEMPLATE if self.template == Template::None => self.template = Template::Seen,
            Key::COL | Key::COLGROUP if self.template == Template::Seen => {
                self.template = Template::WithColumn
            }
            _ => {}
        }
        if is_foreign {
            let namespace = if name == Key::SVG { Namespace::Svg } else { Namespace::MathMl };
            self.collector.start_tag(&self.tag, namespace, Content::Markup);
            self.open_foreign(name, namespace)?;
            return Ok(self.tag.end);
        }
        let Some(raw) = raw else {
            self.collector.start_tag(&self.tag, Namespace::Html, Content::Markup);
            return Ok(self.tag.end);
        };
        self.collector.start_tag(&self.tag, Namespace::Html, Content::RawText);
        let end = raw.end(self.input, &self.tag);
        // The end tag is read like any other; without one the text extends to the end.
        Ok(end.unwrap_or(self.input.len()))
    }

    /// Checks that the tree builder does not ignore a tag that affects the text after it.
    fn check(&self, name: Key) -> Result<(), Declined> {
        match () {
            () if self.has_frameset && name != Key::NOFRAMES => Err(Declined::Frameset),
            () if self.is_in_select && name != Key::SCRIPT => Err(Declined::Select),
            () if self.template == Template::WithColumn => Err(Declined::TemplateColumn),
            () => Ok(()),
        }
    }

    fn foreign_start_tag(&mut self, name: Key) -> Result<usize, Declined> {
        let Some(current) = self.foreign.last() else { return Ok(self.tag.end) };
        if current.holds_html {
            return Err(Declined::IntegrationPoint);
        }
        if is_breakout(name) || (name == Key::FONT && self.is_breakout_font()) {
            return Err(Declined::Breakout);
        }
        let namespace = current.namespace;
        self.collector.start_tag(&self.tag, namespace, Content::Markup);
        self.open_foreign(name, namespace)?;
        Ok(self.tag.end)
    }

    fn is_breakout_font(&self) -> bool {
        [Key::COLOR, Key::FACE, Key::SIZE]
            .into_iter()
            .any(|name| self.tag.attribute(name).is_some())
    }

    fn open_foreign(&mut self, name: Key, namespace: Namespace) -> Result<(), Declined> {
        if self.tag.is_self_closing {
            return Ok(());
        }
        // This is far below the limit of the reference engine.
        if self.foreign.len() >= 128 {
            return Err(Declined::Deep);
        }
        let holds_html = match namespace {
            Namespace::Svg => matches!(name, Key::FOREIGN_OBJECT | Key::DESC | Key::TITLE),
            Namespace::MathMl => {
                matches!(
                    name,
                    Key::MI | Key::MO | Key::MN | Key::MS | Key::MTEXT | Key::ANNOTATION_XML
                )
            }
            Namespace::Html => false,
        };
        self.foreign.push(Foreign { name: self.tag.name, namespace, holds_html });
        Ok(())
    }

    /// Returns true if no end tag changes anything, as in most of a document.
    fn ignores_end_tags(&self) -> bool {
        self.head == HeadProgress::Over && !self.is_in_select && self.foreign.is_empty()
    }

    fn end_tag(&mut self) -> Result<(), Declined> {
        if self.foreign.is_empty() {
            match self.tag.key {
                Key::SELECT => self.is_in_select = false,
                Key::TITLE | Key::SCRIPT | Key::STYLE | Key::NOSCRIPT => {}
                _ => self.head = HeadProgress::Over,
            }
            return Ok(());
        }
        if matches!(self.tag.key, Key::P | Key::BR) {
            return Err(Declined::Breakout);
        }
        let name = self.tag.name.slice(self.input);
        let open = self
            .foreign
            .iter()
            .rposition(|element| element.name.slice(self.input).eq_ignore_ascii_case(name));
        match open {
            Some(idx) => {
                self.foreign.truncate(idx);
                Ok(())
            }
            None => Err(Declined::ForeignEndTag),
        }
    }
}

/// The start tags that need more than reading their attributes.
const SPECIAL: [Key; 18] = [
    Key::BASE,
    Key::COL,
    Key::COLGROUP,
    Key::FRAMESET,
    Key::IFRAME,
    Key::MATH,
    Key::NOEMBED,
    Key::NOFRAMES,
    Key::NOSCRIPT,
    Key::PLAINTEXT,
    Key::SCRIPT,
    Key::SELECT,
    Key::STYLE,
    Key::SVG,
    Key::TEMPLATE,
    Key::TEXTAREA,
    Key::TITLE,
    Key::XMP,
];

/// Returns true if a start tag may be in [`SPECIAL`]; false for almost all that are not.
#[inline]
fn may_be_special(name: Key) -> bool {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    static MARKS: [bool; 256] = {
        let mut marks = [false; 256];
        let mut idx = 0;
        while idx < SPECIAL.len() {
            marks[SPECIAL[idx].hash(MULTIPLIER, 8)] = true;
            idx += 1;
        }
        marks
    };
    MARKS[name.hash(MULTIPLIER, 8)]
}

/// Returns true for the HTML start tags that close foreign elements (HTML standard 13.2.6.5).
#[rustfmt::skip]
fn is_breakout(name: Key) -> bool {
    matches!(
        name,
        Key::B | Key::BIG | Key::BLOCKQUOTE | Key::BODY | Key::BR | Key::CENTER | Key::CODE | Key::DD | Key::DIV | Key::DL | Key::DT
            | Key::EM | Key::EMBED | Key::H1 | Key::H2 | Key::H3 | Key::H4 | Key::H5 | Key::H6 | Key::HEAD | Key::HR | Key::I | Key::IMG
            | Key::LI | Key::LISTING | Key::MENU | Key::META | Key::NOBR | Key::OL | Key::P | Key::PRE | Key::RUBY | Key::S | Key::SMALL
            | Key::SPAN | Key::STRIKE | Key::STRONG | Key::SUB | Key::SUP | Key::TABLE | Key::TT | Key::U | Key::UL | Key::VAR
    )
}
