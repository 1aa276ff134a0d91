//! Markdown: links, images, definitions, autolinks, and the HTML in it.
//!
//! pulldown-cmark finds the links with their start and end; the position and the escapes of
//! destinations are determined here, and each decoded destination is compared with that of
//! pulldown-cmark. A link whose destination is not found so is skipped and reported. CommonMark
//! 0.31, sections 4.6, 4.7, 6.3 to 6.6. This is the only file that imports pulldown-cmark.

use std::ops::Range;

use layers::{Layer, Span, markdown};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::format::found::{Delimiters, Found, Value, ValueEncoding};
use crate::format::spec::{CharsetRule, FormatSpec};
use crate::options::AvailableMemory;
use crate::options::limits::{Limit, Limits};
use crate::report::skip::SkipReason;
use crate::slots::{SlotId, Syntax};

/// Markdown.
pub(super) const FORMAT: FormatSpec = FormatSpec {
    extensions: &["md", "markdown"],
    opt_in: Some("markdown"),
    charset: CharsetRule::Guess,
    ..FormatSpec::text(&["text/markdown"], |text, options, memory| {
        find(text, &options.limits, memory)
    })
};

/// The extensions of CommonMark that affect links. Of two definitions of one label parsers use the
/// first; the other is text, and stays.
const EXTENSIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_GFM);

/// Finds the references of a Markdown document, and the HTML in it.
///
/// # Errors
///
/// Returns [`SkipReason::Limit`] and its offset for a document that pulldown-cmark would need too
/// much time or memory for.
pub(crate) fn find(
    text: &str,
    limits: &Limits,
    memory: AvailableMemory,
) -> Result<Found, (SkipReason, usize)> {
    if let Some(at) = too_deep(text, limits.get(Limit::MarkdownDepth)) {
        return Err((SkipReason::Limit(limits.met(Limit::MarkdownDepth)), at));
    }
    if memory_of(text) > memory.bytes() {
        return Err((SkipReason::Limit(memory.met()), 0));
    }
    let start = front_matter(text);
    let events = Parser::new_ext(&text[start..], EXTENSIONS).into_offset_iter();
    let (found, open, html) = (Found::within(memory.bytes()), Vec::new(), Html::default());
    let mut scan = MarkdownScan { text, found, open, n_images: 0, html };
    for (_, definition) in events.reference_definitions().iter() {
        scan.definition(shifted(&definition.span, start), &definition.dest);
    }
    for (event, range) in events {
        scan.event(event, shifted(&range, start));
    }
    scan.flush();
    // pulldown-cmark reports definitions before everything else.
    scan.found.values.sort_by_key(|value| value.span);
    scan.found.skipped.sort_by_key(|(_, at)| *at);
    Ok(scan.found)
}

/// Returns the length of the front matter of a text, which is not Markdown: lines of YAML between
/// `---` and `---` or `...`, or of TOML between `+++` and `+++`, the first of them not blank.
fn front_matter(text: &str) -> usize {
    let mut lines = text.split_inclusive('\n').map(|line| (line.trim_end(), line.len()));
    let Some((fence @ ("---" | "+++"), mut len)) = lines.next() else { return 0 };
    for (idx, (line, line_len)) in lines.enumerate() {
        len += line_len;
        match line {
            "" if idx == 0 => return 0,
            "..." if fence == "---" => return len,
            _ if line == fence => return len,
            _ => {}
        }
    }
    0
}

fn shifted(range: &Range<usize>, by: usize) -> Span {
    Span::new(range.start + by, range.end + by)
}

/// An open link or image.
struct OpenLink {
    slot: SlotId,
    /// Its destination, if it is inside the link.
    destination: Option<String>,
    /// The end of the part of its text that has been read.
    read: usize,
}

/// Pieces of HTML that belong together.
#[derive(Default)]
struct Html {
    pieces: Vec<Span>,
    /// True if they are lines of one block.
    is_block: bool,
}

struct MarkdownScan<'t> {
    text: &'t str,
    found: Found,
    open: Vec<OpenLink>,
    /// The number of open images. The text of an image is shown without markup.
    n_images: usize,
    html: Html,
}

impl MarkdownScan<'_> {
    fn event(&mut self, event: Event<'_>, span: Span) {
        let closed = match event {
            Event::End(TagEnd::Link | TagEnd::Image) => self.open.pop(),
            _ => None,
        };
        self.n_images -= usize::from(matches!(event, Event::End(TagEnd::Image)));
        if let Some(around) = self.open.last_mut() {
            // pulldown-cmark omits the brackets of `[label][]`.
            let is_collapsed = closed.is_some() && self.text[span.end..].starts_with("[]");
            around.read = around.read.max(span.end + if is_collapsed { 2 } else { 0 });
        }
        if !self.html.is_block && !matches!(event, Event::InlineHtml(_)) {
            self.flush();
        }
        match event {
            Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                if link_type == LinkType::Autolink && self.n_images == 0 {
                    self.autolink(span, &dest_url);
                }
                let destination = (link_type == LinkType::Inline).then(|| dest_url.into_string());
                let slot = SlotId::MARKDOWN_LINK;
                self.open.push(OpenLink { slot, destination, read: span.start + "[".len() });
            }
            Event::Start(Tag::Image { link_type, dest_url, .. }) => {
                let destination = (link_type == LinkType::Inline).then(|| dest_url.into_string());
                let slot = SlotId::MARKDOWN_IMAGE;
                self.n_images += 1;
                self.open.push(OpenLink { slot, destination, read: span.start + "![".len() });
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                let Some(OpenLink { slot, destination: Some(destination), read }) = closed else {
                    return;
                };
                let rest = self.text[..span.end].get(read..).unwrap_or_default();
                let inside = rest.trim_start_matches(is_between).strip_prefix("](");
                if !destination.is_empty() && self.n_images == 0 {
                    self.destination(span, inside, &destination, slot);
                }
            }
            Event::Start(Tag::HtmlBlock) => self.html.is_block = true,
            Event::End(TagEnd::HtmlBlock) => {
                self.flush();
                self.html.is_block = false;
            }
            Event::Html(_) => self.piece(span),
            Event::InlineHtml(html) if self.n_images == 0 => self.inline_html(&html, span),
            _ => {}
        }
    }

    /// Adds an autolink: `<http://h/>`.
    fn autolink(&mut self, span: Span, expected: &str) {
        let inner = Span::new(span.start + 1, span.end - 1);
        if self.text.get(inner.start..inner.end) == Some(expected) {
            let slot = SlotId::MARKDOWN_AUTOLINK;
            self.found.values.push(Value::item(inner, slot, Delimiters::Autolink));
        } else {
            self.found.skipped.push((SkipReason::Unlocated, span.start));
        }
    }

    /// Adds a definition: `[label]: destination`.
    fn definition(&mut self, span: Span, expected: &str) {
        let text = &self.text[span.start..span.end];
        let mut is_escaped = false;
        let end = text.bytes().position(|byte| {
            let is_end = byte == b']' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        });
        let rest = end.and_then(|end| text[end..].strip_prefix("]:"));
        self.destination(span, rest, expected, SlotId::MARKDOWN_DEFINITION);
    }

    /// Adds the destination of the link at `span`: it begins, after white space, at the start of
    /// `rest`, which ends with the link.
    fn destination(&mut self, span: Span, rest: Option<&str>, expected: &str, slot: SlotId) {
        let located = rest.and_then(|rest| {
            let rest = after_separator(rest);
            let (form, inner) = markdown::destination(rest)?;
            let at = span.end - rest.len();
            let is_it = markdown::decode(&rest[inner.start..inner.end]).text == expected;
            is_it.then_some((form, inner.shifted(at), at))
        });
        let Some((form, span, at)) = located else {
            self.found.skipped.push((SkipReason::Unlocated, span.start));
            return;
        };
        if span.is_empty() {
            return;
        }
        let before = self.text[..at].trim_end_matches([' ', '\t', '>']);
        let is_first = before.ends_with(['\n', '\r']);
        let delimiters = match () {
            () if expected.contains('\\') => Delimiters::Ambiguous,
            () if is_first => Delimiters::First(form),
            () => Delimiters::None,
        };
        let written = ValueEncoding::In(Layer::Markdown(form));
        self.found.values.push(Value { written, ..Value::item(span, slot, delimiters) });
    }

    /// Adds a tag or a comment inside text. The prefixes of its lines that belong to a block around
    /// it are not part of it.
    fn inline_html(&mut self, html: &str, span: Span) {
        if html.len() == span.len() {
            return self.piece(span);
        }
        let mut lines = html.split_inclusive('\n');
        let mut at = span.start;
        for raw in self.text[span.start..span.end].split_inclusive('\n') {
            let Some(line) = lines.next().filter(|line| raw.ends_with(line)) else {
                self.found.skipped.push((SkipReason::Unlocated, at));
                return;
            };
            at += raw.len();
            self.html.pieces.push(Span::new(at - line.len(), at));
        }
    }

    fn piece(&mut self, span: Span) {
        match self.html.pieces.last_mut() {
            // pulldown-cmark omits the CR of a line end.
            Some(last) if matches!(&self.text[last.end..span.start], "" | "\r") => {
                last.end = span.end;
            }
            // Inside text only adjacent pieces belong together.
            Some(_) if !self.html.is_block => {
                self.flush();
                self.html.pieces.push(span);
            }
            _ if span.is_empty() => {}
            _ => self.html.pieces.push(span),
        }
    }

    /// Adds the HTML that was read as a document of its own, if it may contain references.
    fn flush(&mut self) {
        let pieces = std::mem::take(&mut self.html.pieces);
        let is_block = self.html.is_block;
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return };
        let span = Span::new(first.start, last.end);
        // In a table `\|` is an escape, and `|` alone would end the cell.
        if !is_block && let Some(at) = self.text[span.start..span.end].find("\\|") {
            self.found.skipped.push((SkipReason::Unlocated, span.start + at));
            return;
        }
        let may_hold =
            |piece: &Span| self.text[piece.start..piece.end].contains(['=', '(', '"', '\'']);
        if !pieces.iter().any(may_hold) {
            return;
        }
        let written = match &pieces[..] {
            [_] => ValueEncoding::Raw,
            pieces => {
                let offset = |at: usize| at - span.start;
                let gap = |pair: &[Span]| Span::new(offset(pair[0].end), offset(pair[1].start));
                let gaps = pieces.windows(2).map(gap).collect();
                let Some(idx) = self.found.add_cuts(Layer::Text, gaps) else { return };
                ValueEncoding::Cut(idx)
            }
        };
        let value = Value::text(span, written, SlotId::MARKDOWN_HTML, Syntax::HtmlFragment);
        self.found.values.push(value);
    }
}

/// Returns true if a character may be between the text of a link and its end: white space, and the
/// marks of block quotes around it.
fn is_between(char: char) -> bool {
    char.is_ascii_whitespace() || char == '>'
}

/// Returns the rest after the white space before a destination: at most one line end, and the marks
/// of block quotes after it.
fn after_separator(text: &str) -> &str {
    let text = text.trim_start_matches([' ', '\t']);
    let rest = text.strip_prefix("\r\n").or_else(|| text.strip_prefix(['\n', '\r']));
    rest.map_or(text, |rest| rest.trim_start_matches([' ', '\t', '>']))
}

// The cost of a text for pulldown-cmark: the nesting of its blocks, quotes and lists, and memory.
//
// pulldown-cmark checks for every open block if the next line belongs to it, so deep nesting takes
// the time of all lines for each level. CommonMark 0.31, sections 4.1, 5.1, 5.2.

/// Returns the start of the first line in which blocks may nest deeper than `most`. This is an
/// upper bound, not the depth itself: everything that looks like the start of a block counts as
/// one, even in code.
fn too_deep(text: &str, most: usize) -> Option<usize> {
    let (mut at, mut deepest) = (0, 0);
    for line in text.split_inclusive(['\n', '\r']) {
        let (n_columns, n_marks) = opened(line.as_bytes());
        // White space only continues open lists, each of which takes two columns of it.
        deepest = deepest.max(deepest.min(n_columns / 2) + n_marks);
        if deepest > most {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// Bytes of memory that pulldown-cmark uses for a mark: a node of its tree, one for the text after
/// it, and an entry in a list of open marks.
const MARK_SIZE: usize = 96;

/// Returns about the bytes of memory that pulldown-cmark uses for the tree of a text.
fn memory_of(text: &str) -> usize {
    let is_mark = |byte: &u8| {
        matches!(
            byte,
            b'[' | b']'
                | b'*'
                | b'_'
                | b'~'
                | b'`'
                | b'<'
                | b'>'
                | b'&'
                | b'\\'
                | b'|'
                | b'\n'
                | b'\r'
        )
    };
    text.bytes().filter(is_mark).count() * MARK_SIZE
}

/// Returns the columns of white space and the number of marks of quotes and list items at the start
/// of a line.
fn opened(line: &[u8]) -> (usize, usize) {
    let (mut n_columns, mut n_marks, mut at) = (0, 0, 0);
    let is_space =
        |byte: Option<&u8>| byte.is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    let mut may_be_rule = true;
    while let Some(byte) = line.get(at) {
        match byte {
            b' ' => n_columns += 1,
            b'\t' => n_columns += 4,
            b'>' => n_marks += 1,
            b'-' | b'*' | b'+' if is_space(line.get(at + 1)) => {
                // `- - -` is a rule; this is checked once in a line.
                if may_be_rule
                    && *byte != b'+'
                    && line[at..].iter().all(|other| other == byte || is_space(Some(other)))
                {
                    return (n_columns, n_marks + 1);
                }
                may_be_rule = false;
                n_marks += 1;
            }
            b'0'..=b'9' => {
                let n_digits =
                    line[at..].iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
                let is_item = matches!(line.get(at + n_digits), Some(b'.' | b')'))
                    && is_space(line.get(at + n_digits + 1));
                if !is_item {
                    break;
                }
                n_marks += 1;
                at += n_digits;
            }
            _ => break,
        }
        at += 1;
    }
    (n_columns, n_marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_deep_nesting_is_too_deep() {
        let lists =
            |n: usize| (0..n).map(|idx| format!("{}- a\n", "  ".repeat(idx))).collect::<String>();
        for (fine, deep) in [
            (">".repeat(100), ">".repeat(101)),
            ("> ".repeat(100), format!("a\n{}", "> ".repeat(101))),
            (format!("{}x", "- ".repeat(100)), format!("{}x", "- ".repeat(101))),
            (format!("{}x", "1. + ".repeat(50)), format!("{}x", "1) * ".repeat(51))),
            (lists(100), lists(101)),
        ] {
            assert_eq!(too_deep(&fine, 100), None, "{fine}");
            assert!(too_deep(&deep, 100).is_some(), "{deep}");
        }
        // Rules, underlines and code do not nest.
        for fine in [
            "- ".repeat(500),
            "-".repeat(500),
            " ".repeat(900) + "x",
            "* a\n".repeat(500),
            "1".repeat(500),
        ] {
            assert_eq!(too_deep(&fine, 100), None);
        }
    }
}
