//! The reference engine: html5ever finds the tags, this module locates them.
//!
//! html5ever anchors the *end* of every tag ([`basectx::html`]). The start is the leftmost `<`
//! after the previous token from which our lexer ends at that `>` and reads html5ever's name,
//! attribute list and values. If there is no such `<`, the document is skipped as unanchored. This
//! equality, checked for every tag, makes the engine independent of the lexer.

use basectx::html::{self, Attributes, Budget, Element, Events, Namespace, Overrun};
use layers::{Charset, charref};
use memchr::memchr;

use super::collect::{ValueCollector, may_be_in_head};
use super::index::Key;
use super::lex::{self, Tag};
use super::{ParseOptions, attributes};
use crate::format::found::Found;
use crate::options::AvailableMemory;
use crate::options::limits::{Limit, Limits};
use crate::report::skip::SkipReason;
use crate::slots::Moment;

/// Finds the values of an HTML document without its byte order mark.
///
/// # Errors
///
/// Returns [`SkipReason::Limit`] or [`SkipReason::Unanchored`]; the values found so far are
/// discarded.
pub(crate) fn find(
    input: &[u8],
    is_srcdoc: bool,
    options: ParseOptions<'_>,
    memory: AvailableMemory,
) -> Result<Found, SkipReason> {
    let collector = ValueCollector::new(input, options, memory);
    let mut engine = ReferenceEngine {
        input,
        collector,
        tag: Tag::default(),
        previous_end: 0,
        work: 0,
        is_lost: false,
        is_after_source: false,
    };
    let bases = html::read(input, is_srcdoc, budget(options.limits, memory), &mut engine).map_err(
        |overrun| {
            SkipReason::Limit(match overrun {
                Overrun::TooDeep => options.limits.met(Limit::HtmlDepth),
                Overrun::TooManyAttributes => options.limits.met(Limit::TagAttributes),
                Overrun::TooLarge => memory.met(),
            })
        },
    )?;
    if engine.is_lost { Err(SkipReason::Unanchored) } else { Ok(engine.collector.finish(bases)) }
}

/// Returns the limits for html5ever. The deeper elements may nest, the more of them may be created
/// and moved.
fn budget(limits: &Limits, memory: AvailableMemory) -> Budget {
    let (depth, default) = (limits.get(Limit::HtmlDepth), Budget::default());
    let at_least = |least: usize| least.max((depth / default.open_elements).saturating_mul(least));
    Budget {
        open_elements: depth,
        elements_per_tag: at_least(default.elements_per_tag),
        attributes: limits.get(Limit::TagAttributes),
        siblings_per_byte: at_least(default.siblings_per_byte),
        memory: memory.bytes(),
    }
}

struct ReferenceEngine<'i> {
    input: &'i [u8],
    collector: ValueCollector<'i>,
    /// The last anchored tag.
    tag: Tag,
    /// The offset after the last token.
    previous_end: usize,
    /// The number of bytes lexed in search of tags.
    work: usize,
    is_lost: bool,
    /// True if the last start tag was that of a `source`: an image after it is that of a `picture`.
    is_after_source: bool,
}

impl ReferenceEngine<'_> {
    /// Finds the token that ends before `end`: `is_it` lexes at a `<` and returns true if that is
    /// the token.
    fn anchor(
        &mut self,
        end: usize,
        mut is_it: impl FnMut(&mut Tag, usize) -> Option<usize>,
    ) -> Option<usize> {
        let mut at = self.previous_end;
        let limit = 8 * self.input.len() + 4096;
        while let Some(start) = memchr(b'<', &self.input[at..end]).map(|idx| at + idx) {
            if let Some(lexed) = is_it(&mut self.tag, start) {
                self.work += lexed;
                if lexed == end - start {
                    self.previous_end = end;
                    return Some(start);
                }
                // Each wrong candidate costs time; a document made of them is skipped rather than
                // read in quadratic time.
                if self.work > limit + self.previous_end {
                    break;
                }
            }
            at = start + 1;
        }
        self.is_lost = true;
        None
    }
}

/// Returns true if there is text between two tags, besides white space and document types.
fn has_text(mut between: &[u8]) -> bool {
    loop {
        between = between.trim_ascii_start();
        match between.split_at_checked(DOCTYPE.len()) {
            Some((start, rest)) if start.eq_ignore_ascii_case(DOCTYPE) => {
                between = memchr(b'>', rest).map_or(&[][..], |end| &rest[end + 1..]);
            }
            _ => return !between.is_empty(),
        }
    }
}

/// The start of a document type.
const DOCTYPE: &[u8] = b"<!doctype";

impl Events for ReferenceEngine<'_> {
    fn memory(&self) -> usize {
        self.collector.memory()
    }

    fn start_tag(&mut self, end: usize, name: &str, expected: Attributes<'_>) {
        if self.is_lost || end > self.input.len() {
            return;
        }
        let (input, before) = (self.input, self.previous_end);
        let start = self.anchor(end, |tag, start| {
            if !begins(&input[start + 1..end], name) {
                return None;
            }
            if !tag.lex(&input[..end], start + 1) {
                return Some(end - start + 1);
            }
            tag.drop_duplicates(input);
            let is_same = tag.end == end
                && is_name(tag.name.slice(input), name)
                && are_same(input, tag, &expected);
            Some(if is_same { end - start } else { tag.end - start + usize::from(tag.end == end) })
        });
        if let Some(start) = start {
            self.collector.close(start);
            let may_end = self.collector.is_in_head();
            if may_end && (!may_be_in_head(Key::new(name)) || has_text(&input[before..start])) {
                self.collector.leave_head();
            }
        }
    }

    fn settled(&mut self, element: Element) {
        if self.is_lost {
            return;
        }
        let Element { namespace, content, is_inert } = element;
        let n_before = self.collector.n_values();
        self.collector.start_tag(&self.tag, namespace, content);
        let follows_source = std::mem::replace(&mut self.is_after_source, false);
        match self.tag.key {
            // A script clones it later, and inserts it.
            _ if is_inert => self.collector.set_moment(n_before, Moment::Final),
            Key::FRAMESET => self.collector.frameset(),
            Key::SOURCE => self.is_after_source = true,
            Key::IMG | Key::IMAGE
                if namespace == Namespace::Html
                    && (follows_source || attributes::may_load_later(self.input, &self.tag)) =>
            {
                self.collector.set_moment_of_src(n_before, Moment::Either);
            }
            _ => {}
        }
    }

    fn end_tag(&mut self, end: usize, name: &str) {
        if self.is_lost || end > self.input.len() {
            return;
        }
        let input = self.input;
        // Text that looks like the end of a script may be inside its comments.
        if let Some(start) = self.collector.script() {
            self.previous_end = lex::end_of_script(input, start).unwrap_or(end).min(end);
        }
        let start = self.anchor(end, |tag, start| {
            if input.get(start + 1) != Some(&b'/') || !begins(&input[start + 2..end], name) {
                return None;
            }
            if !tag.lex(&input[..end], start + 2) {
                return Some(end - start + 1);
            }
            let is_same = tag.end == end && is_name(tag.name.slice(input), name);
            Some(if is_same { end - start } else { tag.end - start + usize::from(tag.end == end) })
        });
        if let Some(start) = start {
            self.collector.close(start);
        }
    }

    fn comment(&mut self, end: usize, text: &str) {
        if self.is_lost || end > self.input.len() {
            return;
        }
        if !self.collector.reads_comment(text.as_bytes()) {
            self.collector.discard();
            self.previous_end = end;
            return;
        }
        let input = self.input;
        let mut inner = None;
        let start = self.anchor(end, |_, start| {
            if !input[start..].starts_with(b"<!--") {
                // Any other content only looks like one: `<!#include virtual="x">`.
                let bogus = bogus(&input[start..end])?;
                let is_same = is_text(bogus, text, &mut Vec::new());
                return Some(if is_same { end - start } else { bogus.len() });
            }
            let (span, comment_end) = lex::comment(&input[..end], start)?;
            inner = Some(span);
            let is_same = comment_end == end && is_text(span.slice(input), text, &mut Vec::new());
            Some(if is_same {
                end - start
            } else {
                comment_end - start + usize::from(comment_end == end)
            })
        });
        if start.is_some() {
            self.collector.discard();
            if let Some(inner) = inner {
                self.collector.comment(inner);
            }
        }
    }
}

/// Returns the text of a bogus comment that covers all of `raw` (HTML standard 13.2.5.41).
fn bogus(raw: &[u8]) -> Option<&[u8]> {
    let inner = match raw.get(1)? {
        b'?' => raw.get(1..raw.len() - 1)?,
        b'!' | b'/' => raw.get(2..raw.len() - 1)?,
        _ => return None,
    };
    memchr(b'>', inner).is_none().then_some(inner)
}

/// Returns true if raw bytes begin with a tag of this name: a test that is cheaper than lexing the
/// tag.
fn begins(raw: &[u8], name: &str) -> bool {
    let (found, after) = raw.split_at(raw.len().min(name.chars().count()));
    is_name(found, name)
        && after.first().is_some_and(|byte| lex::is_space(*byte) || matches!(byte, b'/' | b'>'))
}

/// Returns true if the raw name is the one that html5ever read.
fn is_name(raw: &[u8], expected: &str) -> bool {
    let lower = |byte: &u8| match byte {
        0 => '\u{FFFD}',
        byte => char::from(byte.to_ascii_lowercase()),
    };
    raw.iter().map(lower).eq(expected.chars())
}

/// Returns true if the lexed attributes are those that html5ever read.
fn are_same(input: &[u8], tag: &Tag, expected: &Attributes<'_>) -> bool {
    let mut buffer = Vec::new();
    let expected = expected.iter();
    expected.len() == tag.attributes.len()
        && tag.attributes.iter().zip(expected).all(|(attribute, (name, value))| {
            is_name(attribute.name.slice(input), name)
                && is_value(attribute.value.slice(input), value, &mut buffer)
        })
}

/// Returns true if a raw attribute value decodes to the one that html5ever read.
fn is_value(raw: &[u8], expected: &str, buffer: &mut Vec<u8>) -> bool {
    if raw == expected.as_bytes() && !raw.iter().any(|byte| matches!(byte, b'&' | b'\r')) {
        return true;
    }
    let raw = normalize(raw, buffer);
    charref::decode(raw, Charset::WIDENED, charref::CharrefPlace::Attribute).text == expected
}

/// Returns true if raw text without character references is the text that html5ever read.
fn is_text(raw: &[u8], expected: &str, buffer: &mut Vec<u8>) -> bool {
    let text = |byte: &u8| if *byte == 0 { '\u{FFFD}' } else { char::from(*byte) };
    normalize(raw, buffer).iter().map(text).eq(expected.chars())
}

/// Returns the bytes with their line ends as LF (HTML standard 13.2.3.5): this is done before a CR
/// can come from a character reference.
fn normalize<'t>(raw: &'t [u8], buffer: &'t mut Vec<u8>) -> &'t [u8] {
    if memchr(b'\r', raw).is_none() {
        return raw;
    }
    buffer.clear();
    for (at, byte) in raw.iter().enumerate() {
        match byte {
            b'\r' if raw.get(at + 1) == Some(&b'\n') => {}
            b'\r' => buffer.push(b'\n'),
            _ => buffer.push(*byte),
        }
    }
    buffer
}
