//! The fast engine: from `<` to `<`, without a tree.
//!
//! It lexes as the HTML tokenizer does (HTML standard, section 13.2.5) and models the few ways in which the tree builder changes what the
//! tokenizer does: raw text after certain tags, foreign elements and their CDATA sections, the first `base`. Where a document could take
//! another turn it *declines*, and the reference engine is asked. It never gives another answer than that engine: tests hold it so.

use std::fmt;

use basectx::html::{Content, Namespace};
use layers::Span;
use memchr::{memchr, memmem};

use super::collect::Collector;
use super::lex::{self, Tag};
use crate::extra::Extras;
use crate::found::Found;

/// Why the fast engine does not read a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Declined {
    /// A `base` with `href` that may not be the first in tree order: it stands after the head has ended.
    Base,
    /// An HTML element inside SVG or MathML closes what is open there.
    Breakout,
    /// Elements inside an element of SVG or MathML that holds HTML (`foreignObject`, `desc`, `mi` …).
    IntegrationPoint,
    /// An end tag inside SVG or MathML that closes nothing there.
    ForeignEndTag,
    /// Raw text or foreign content after `frameset`, which may be ignored.
    Frameset,
    /// Raw text or foreign content inside `select`, where browsers differ.
    Select,
    /// Raw text or foreign content after a `col` in a `template`, which may be ignored.
    TemplateColumn,
    /// Elements nest deeper than the reference engine reads.
    Deep,
}

impl fmt::Display for Declined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Declined::Base => "a <base> after the head",
            Declined::Breakout => "HTML inside SVG or MathML",
            Declined::IntegrationPoint => "an element of SVG or MathML that holds HTML",
            Declined::ForeignEndTag => "an end tag inside SVG or MathML that closes nothing there",
            Declined::Frameset => "raw text after <frameset>",
            Declined::Select => "raw text inside <select>",
            Declined::TemplateColumn => "raw text after a <col> in a <template>",
            Declined::Deep => "deep SVG or MathML",
        })
    }
}

/// Finds the values of an HTML document whose byte order mark is cut.
///
/// # Errors
///
/// [`Declined`]: what was found then is of no use.
pub(crate) fn find(input: &[u8], extras: &Extras) -> Result<Found, Declined> {
    let mut engine = Engine {
        input,
        collector: Collector::new(input, extras),
        tag: Tag::default(),
        foreign: Vec::new(),
        n_start_tags: 0,
        head: Head::Open,
        base: None,
        has_frameset: false,
        is_in_select: false,
        template: Template::None,
    };
    let mut at = 0;
    while let Some(start) = memchr(b'<', &input[at..]).map(|idx| at + idx) {
        if engine.head == Head::Open && !input[at..start].trim_ascii().is_empty() {
            engine.head = Head::Over;
        }
        at = engine.token(start)?;
    }
    Ok(engine.collector.finish(engine.base))
}

/// An open foreign element.
struct Foreign {
    name: Span,
    namespace: Namespace,
    /// Whether it is an integration point: a start tag inside is HTML.
    holds_html: bool,
}

/// How far the head has been read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Head {
    /// Only what belongs there has come: a `base` is a child of `head`, and the first one with `href` is the first in tree order.
    Open,
    Over,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Template {
    None,
    Seen,
    /// A `col` or `colgroup` came after it.
    WithColumn,
}

struct Engine<'i> {
    input: &'i [u8],
    collector: Collector<'i>,
    tag: Tag,
    foreign: Vec<Foreign>,
    n_start_tags: usize,
    head: Head,
    /// The number of the start tag of the first `base` with `href`.
    base: Option<usize>,
    has_frameset: bool,
    is_in_select: bool,
    template: Template,
}

impl Engine<'_> {
    /// Reads the token at a `<`, if it is one, and returns the offset after it.
    fn token(&mut self, start: usize) -> Result<usize, Declined> {
        let input = self.input;
        let end = input.len();
        match input.get(start + 1) {
            Some(byte) if byte.is_ascii_alphabetic() => {
                if !self.tag.lex(input, start + 1) {
                    return Ok(end);
                }
                self.collector.close(start);
                self.start_tag()
            }
            Some(b'/') => match input.get(start + 2) {
                Some(byte) if byte.is_ascii_alphabetic() => {
                    if !self.tag.lex(input, start + 2) {
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

    /// A bogus comment or a doctype, which both end with the first `>`.
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
        let mut buffer = [0; 16];
        let name = lower(self.tag.name.of(self.input), &mut buffer);
        if self.foreign.is_empty() {
            self.html_start_tag(name, n_tag)
        } else {
            self.foreign_start_tag(name)
        }
    }

    fn html_start_tag(&mut self, name: &[u8], n_tag: usize) -> Result<usize, Declined> {
        let raw = raw_text(name);
        let is_foreign = matches!(name, b"svg" | b"math");
        if raw.is_some() || is_foreign {
            self.check(name)?;
        }
        match name {
            b"base" if self.tag.attribute(self.input, b"href").is_some() => match self.head {
                Head::Over if self.base.is_none() => return Err(Declined::Base),
                _ => self.base = self.base.or(Some(n_tag)),
            },
            b"frameset" => self.has_frameset = true,
            b"select" => self.is_in_select = true,
            b"template" if self.template == Template::None => self.template = Template::Seen,
            b"col" | b"colgroup" if self.template == Template::Seen => {
                self.template = Template::WithColumn
            }
            _ => {}
        }
        if !matches!(
            name,
            b"html"
                | b"head"
                | b"meta"
                | b"title"
                | b"link"
                | b"script"
                | b"style"
                | b"base"
                | b"noscript"
        ) {
            self.head = Head::Over;
        }
        if is_foreign {
            let namespace = if name == b"svg" { Namespace::Svg } else { Namespace::MathMl };
            self.collector.start_tag(&self.tag, namespace, Content::Markup);
            self.open_foreign(name, namespace)?;
            return Ok(self.tag.end);
        }
        let Some(raw) = raw else {
            self.collector.start_tag(&self.tag, Namespace::Html, Content::Markup);
            return Ok(self.tag.end);
        };
        self.collector.start_tag(&self.tag, Namespace::Html, Content::RawText);
        let from = self.tag.end;
        let end = match raw {
            Raw::Plain => None,
            Raw::Text => end_of_raw(self.input, from, name),
            Raw::Script => end_of_script(self.input, from),
        };
        // The end tag is read as any other; without one the text goes to the end.
        Ok(end.unwrap_or(self.input.len()))
    }

    /// Whether a tag that changes what follows is certainly not ignored by the tree builder.
    fn check(&self, name: &[u8]) -> Result<(), Declined> {
        match () {
            () if self.has_frameset && name != b"noframes" => Err(Declined::Frameset),
            () if self.is_in_select && name != b"script" => Err(Declined::Select),
            () if self.template == Template::WithColumn => Err(Declined::TemplateColumn),
            () => Ok(()),
        }
    }

    fn foreign_start_tag(&mut self, name: &[u8]) -> Result<usize, Declined> {
        let Some(current) = self.foreign.last() else { return Ok(self.tag.end) };
        if current.holds_html {
            return Err(Declined::IntegrationPoint);
        }
        if is_breakout(name) || (name == b"font" && self.is_breakout_font()) {
            return Err(Declined::Breakout);
        }
        let namespace = current.namespace;
        self.collector.start_tag(&self.tag, namespace, Content::Markup);
        self.open_foreign(name, namespace)?;
        Ok(self.tag.end)
    }

    fn is_breakout_font(&self) -> bool {
        [&b"color"[..], b"face", b"size"]
            .iter()
            .any(|name| self.tag.attribute(self.input, name).is_some())
    }

    fn open_foreign(&mut self, name: &[u8], namespace: Namespace) -> Result<(), Declined> {
        if self.tag.is_self_closing {
            return Ok(());
        }
        // Far below where the reference engine gives up.
        if self.foreign.len() >= 128 {
            return Err(Declined::Deep);
        }
        let holds_html = match namespace {
            Namespace::Svg => matches!(name, b"foreignobject" | b"desc" | b"title"),
            Namespace::MathMl => {
                matches!(name, b"mi" | b"mo" | b"mn" | b"ms" | b"mtext" | b"annotation-xml")
            }
            Namespace::Html => false,
        };
        self.foreign.push(Foreign { name: self.tag.name, namespace, holds_html });
        Ok(())
    }

    fn end_tag(&mut self) -> Result<(), Declined> {
        let name = self.tag.name.of(self.input);
        if self.foreign.is_empty() {
            if name.eq_ignore_ascii_case(b"select") {
                self.is_in_select = false;
            } else if name.eq_ignore_ascii_case(b"head") || !is_head_end(name) {
                self.head = Head::Over;
            }
            return Ok(());
        }
        if name.eq_ignore_ascii_case(b"p") || name.eq_ignore_ascii_case(b"br") {
            return Err(Declined::Breakout);
        }
        let open = self
            .foreign
            .iter()
            .rposition(|element| element.name.of(self.input).eq_ignore_ascii_case(name));
        match open {
            Some(idx) => {
                self.foreign.truncate(idx);
                Ok(())
            }
            None => Err(Declined::ForeignEndTag),
        }
    }
}

/// End tags of what may stand in the head.
fn is_head_end(name: &[u8]) -> bool {
    [&b"title"[..], b"script", b"style", b"noscript"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
}

/// What the text after a start tag is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Raw {
    /// To the matching end tag.
    Text,
    /// To the matching end tag, with the escapes of scripts.
    Script,
    /// To the end of the document.
    Plain,
}

fn raw_text(name: &[u8]) -> Option<Raw> {
    match name {
        b"script" => Some(Raw::Script),
        b"style" | b"title" | b"textarea" | b"noscript" | b"iframe" | b"noframes" | b"noembed"
        | b"xmp" => Some(Raw::Text),
        b"plaintext" => Some(Raw::Plain),
        _ => None,
    }
}

/// The start tags of HTML that close foreign elements (HTML standard 13.2.6.5).
fn is_breakout(name: &[u8]) -> bool {
    const NAMES: &[&[u8]] = &[
        b"b",
        b"big",
        b"blockquote",
        b"body",
        b"br",
        b"center",
        b"code",
        b"dd",
        b"div",
        b"dl",
        b"dt",
        b"em",
        b"embed",
        b"h1",
        b"h2",
        b"h3",
        b"h4",
        b"h5",
        b"h6",
        b"head",
        b"hr",
        b"i",
        b"img",
        b"li",
        b"listing",
        b"menu",
        b"meta",
        b"nobr",
        b"ol",
        b"p",
        b"pre",
        b"ruby",
        b"s",
        b"small",
        b"span",
        b"strike",
        b"strong",
        b"sub",
        b"sup",
        b"table",
        b"tt",
        b"u",
        b"ul",
        b"var",
    ];
    NAMES.contains(&name)
}

/// The name in lower case; a longer one than any that matters is cut, and matches none.
fn lower<'b>(name: &[u8], buffer: &'b mut [u8; 16]) -> &'b [u8] {
    let len = name.len().min(buffer.len());
    buffer[..len].copy_from_slice(&name[..len]);
    buffer[..len].make_ascii_lowercase();
    &buffer[..len]
}

/// Whether `</name` or `<name` is followed by what makes it a tag.
fn is_tag(input: &[u8], at: usize, name: &[u8]) -> bool {
    input.get(at..at + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
        && input
            .get(at + name.len())
            .is_some_and(|byte| lex::is_space(*byte) || matches!(byte, b'/' | b'>'))
}

/// The offset of the end tag of this name (HTML standard 13.2.5.9 to 13.2.5.14).
fn end_of_raw(input: &[u8], from: usize, name: &[u8]) -> Option<usize> {
    let mut at = from;
    while let Some(start) = memchr(b'<', &input[at..]).map(|idx| at + idx) {
        if input.get(start + 1) == Some(&b'/') && is_tag(input, start + 2, name) {
            return Some(start);
        }
        at = start + 1;
    }
    None
}

/// The offset of the end tag of a script, whose comments may hide one (HTML standard 13.2.5.15 to 13.2.5.31).
fn end_of_script(input: &[u8], from: usize) -> Option<usize> {
    #[derive(PartialEq)]
    enum State {
        Plain,
        Escaped,
        DoubleEscaped,
    }
    let mut state = State::Plain;
    let mut at = from;
    loop {
        let start = match state {
            State::Plain => at + memchr(b'<', &input[at..])?,
            State::Escaped | State::DoubleEscaped => {
                at + memchr::memchr2(b'<', b'-', &input[at..])?
            }
        };
        let rest = &input[start..];
        at = start + 1;
        match state {
            State::Plain if rest.starts_with(b"<!--") => {
                state = State::Escaped;
                // The dashes may be those of the end.
                at = start + 2;
            }
            State::Escaped | State::DoubleEscaped if rest.starts_with(b"-->") => {
                state = State::Plain;
                at = start + 3;
            }
            State::Plain | State::Escaped
                if rest.starts_with(b"</") && is_tag(input, start + 2, b"script") =>
            {
                return Some(start);
            }
            State::Escaped if is_tag(input, start + 1, b"script") => state = State::DoubleEscaped,
            State::DoubleEscaped
                if rest.starts_with(b"</") && is_tag(input, start + 2, b"script") =>
            {
                state = State::Escaped;
            }
            _ => {}
        }
    }
}
