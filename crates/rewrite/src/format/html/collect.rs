//! The collector that both engines pass tags, texts and comments to: it makes the values of a
//! document, in source order.

use basectx::html::{self, Content, Namespace};
use layers::{Layer, Span};

use super::index::Key;
use super::lex::Tag;
use super::{ParseOptions, attributes, charset};
use crate::format::found::{BaseChange, Found, Value, ValueEncoding};
use crate::options::AvailableMemory;
use crate::options::Integrity;
use crate::report::skip::SkipReason;
use crate::slots::{Moment, SlotId, Syntax};

pub(super) struct ValueCollector<'i> {
    input: &'i [u8],
    options: ParseOptions<'i>,
    found: Found,
    /// The element whose text is being read, if its text is relevant.
    open: Option<OpenTag>,
    /// The `base` tags with `href`: the number of the start tag, and the index of the value.
    hrefs: Vec<(usize, usize)>,
    /// The numbers of `frameset` start tags, and of the last value before each.
    framesets: Vec<(usize, usize)>,
    n_start_tags: usize,
}

struct OpenTag {
    start: usize,
    kind: OpenText,
    moment: Option<Moment>,
}

enum OpenText {
    /// The text of a raw text element.
    Raw(SlotId, Syntax),
    /// The text of an SVG `style`.
    Svg,
}

impl<'i> ValueCollector<'i> {
    /// Returns the bytes of memory that the values take.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.found.values)
    }

    pub(super) fn new(input: &'i [u8], options: ParseOptions<'i>, memory: AvailableMemory) -> Self {
        ValueCollector {
            input,
            options,
            found: Found::of_length(input.len(), memory.bytes()),
            open: None,
            hrefs: Vec::new(),
            framesets: Vec::new(),
            n_start_tags: 0,
        }
    }

    /// Receives a start tag, with the namespace of its element and the kind of the text after it.
    #[inline]
    pub(super) fn start_tag(&mut self, tag: &Tag, namespace: Namespace, content: Content) {
        if !tag.attributes.is_empty() {
            self.attributes(tag, namespace);
        }
        self.n_start_tags += 1;
        let kind = match (namespace, content) {
            (Namespace::Html, Content::RawText)
                if self.options.reads_modules && attributes::is_module(self.input, tag) =>
            {
                Some(OpenText::Raw(SlotId::SCRIPT_MODULE, Syntax::Module))
            }
            (Namespace::Html, Content::RawText)
                if self.options.reads_templates && attributes::is_template(self.input, tag) =>
            {
                Some(OpenText::Raw(SlotId::SCRIPT_TEMPLATE, Syntax::HtmlFragment))
            }
            (Namespace::Html, Content::RawText) => {
                let slot = attributes::text_slot(self.input, tag);
                slot.map(|(slot, syntax)| OpenText::Raw(slot, syntax))
            }
            (Namespace::Svg, _) if tag.key == Key::STYLE && !tag.is_self_closing => {
                attributes::is_css(self.input, tag).then_some(OpenText::Svg)
            }
            _ => None,
        };
        self.open = kind.map(|kind| OpenTag { start: tag.end, kind, moment: None });
    }

    /// Returns true if no element is known that is not in the head.
    pub(super) fn is_in_head(&self) -> bool {
        self.found.n_in_head.is_none()
    }

    /// Records that what follows is not in the head.
    pub(super) fn leave_head(&mut self) {
        self.found.n_in_head.get_or_insert(self.found.values.len());
    }

    /// Returns the number of values found so far.
    pub(super) fn n_values(&self) -> usize {
        self.found.values.len()
    }

    /// Records that the last start tag was a `frameset`, which may remove the bases so far.
    pub(super) fn frameset(&mut self) {
        let before = self.found.values.len().saturating_sub(1);
        self.framesets.push((self.n_start_tags, before));
    }

    /// Sets the moment whose base counts for the values of a start tag, from number `n_before` on
    /// and in the text after it.
    pub(super) fn set_moment(&mut self, n_before: usize, moment: Moment) {
        for value in &mut self.found.values[n_before..] {
            value.set_moment(moment);
        }
        if let Some(open) = &mut self.open {
            open.moment = Some(moment);
        }
    }

    /// Sets the moment for the `src` of an image, as [`ValueCollector::set_moment`] does.
    pub(super) fn set_moment_of_src(&mut self, n_before: usize, moment: Moment) {
        let values = &mut self.found.values[n_before..];
        values
            .iter_mut()
            .filter(|value| value.slot == SlotId::IMG_SRC)
            .for_each(|value| value.set_moment(moment));
    }

    #[inline(never)] // Inlined into the caller it takes a sixth more instructions.
    fn attributes(&mut self, tag: &Tag, namespace: Namespace) {
        let n_before = self.found.values.len();
        attributes::collect(self.input, tag, namespace, self.options.extras, &mut self.found);
        let integrity = self.options.integrity;
        if integrity != Integrity::Keep {
            attributes::add_conditions(self.input, tag, integrity, n_before, &mut self.found);
        }
        if namespace != Namespace::Html {
            return;
        }
        let values = &self.found.values;
        match tag.key {
            Key::BASE => {
                let mut added = n_before..values.len();
                let href = added.find(|idx| values[*idx].slot == SlotId::BASE_HREF);
                self.hrefs.extend(href.map(|idx| (self.n_start_tags, idx)));
            }
            Key::META if self.found.charset.is_none() => {
                self.found.charset = charset::declared(tag, self.input);
            }
            _ => {}
        }
    }

    /// Returns the start of the text of the script being read, if its text is relevant.
    pub(super) fn script(&self) -> Option<usize> {
        match self.open {
            Some(OpenTag {
                start,
                kind: OpenText::Raw(_, Syntax::Json(_) | Syntax::Module),
                ..
            }) => Some(start),
            _ => None,
        }
    }

    /// Discards the text being read because of a comment in it: only an SVG `style` can contain
    /// one, and such a text is not read.
    pub(super) fn discard(&mut self) {
        if let Some(OpenTag { start, kind: OpenText::Svg, .. }) = self.open.take() {
            self.found.skipped.push((SkipReason::BrokenStyle, start));
        }
    }

    /// Completes the text before a token that begins at `start`, or before the end of the input.
    #[inline]
    pub(super) fn close(&mut self, start: usize) {
        if self.open.is_some() {
            self.close_text(start);
        }
    }

    fn close_text(&mut self, start: usize) {
        let Some(OpenTag { start: text, kind, moment }) = self.open.take() else { return };
        let span = Span::new(text, start);
        if span.is_empty() {
            return;
        }
        let value = match kind {
            OpenText::Raw(slot, syntax) => {
                let is_fragment = syntax == Syntax::HtmlFragment;
                let written =
                    if is_fragment { ValueEncoding::Raw } else { ValueEncoding::In(Layer::Text) };
                Some(Value::text(span, written, slot, syntax))
            }
            OpenText::Svg => {
                let style = attributes::svg_style(self.input, span, start);
                if style.is_none() {
                    self.found.skipped.push((SkipReason::BrokenStyle, text));
                }
                style
            }
        };
        self.found.values.extend(value.map(|mut value| {
            moment.into_iter().for_each(|moment| value.set_moment(moment));
            value
        }));
    }

    /// Returns true if a comment with this text contains something to read.
    pub(super) fn reads_comment(&self, text: &[u8]) -> bool {
        conditional(text).is_some() || (self.options.reads_includes && include(text).is_some())
    }

    /// Receives a comment with this text: markup hidden from all but one browser is a document, and
    /// a server-side include is a value.
    pub(super) fn comment(&mut self, text: Span) {
        if let Some(inner) = conditional(text.slice(self.input)) {
            let span = inner.shifted(text.start);
            let slot = SlotId::CONDITIONAL_COMMENT;
            self.found.values.push(Value::text(
                span,
                ValueEncoding::Raw,
                slot,
                Syntax::HtmlFragment,
            ));
        } else if self.options.reads_includes
            && let Some(inner) = include(text.slice(self.input))
        {
            // For the server `--!>` does not end anything.
            if self.input[text.end..].starts_with(b"-->") {
                let (span, slot) = (inner.shifted(text.start), SlotId::SSI_VIRTUAL);
                let written = ValueEncoding::In(Layer::Text);
                self.found.values.push(Value::text(span, written, slot, Syntax::Include));
            } else {
                self.found.skipped.push((SkipReason::Include, text.start));
            }
        }
    }

    /// Returns the result, given the steps in which the base of the document changes.
    pub(super) fn finish(mut self, bases: impl IntoIterator<Item = html::BaseStep>) -> Found {
        self.close(self.input.len());
        let end = self.found.values.len();
        let value = |tags: &[(usize, usize)], tag: usize| {
            tags.binary_search_by_key(&tag, |(n_tag, _)| *n_tag).ok().map(|idx| tags[idx].1)
        };
        let step = |step: html::BaseStep| {
            let href = step.tag.and_then(|tag| value(&self.hrefs, tag));
            let from = match href {
                Some(href) if step.tag == Some(step.from) => href,
                _ => value(&self.framesets, step.from + 1).unwrap_or(end),
            };
            BaseChange { from, href }
        };
        self.found.bases = bases.into_iter().map(step).collect();
        self.found
    }
}

/// Returns the text after the `<!--#` of a server-side include, given the text of a comment, whose
/// own start may be that of the include.
fn include(raw: &[u8]) -> Option<Span> {
    const START: &[u8] = b"<!--#";
    let start = match raw.strip_prefix(b"#") {
        Some(_) => 1,
        None => memchr::memmem::find(raw, START)? + START.len(),
    };
    Some(Span::new(start, raw.len()))
}

/// Returns the markup inside the text of a conditional comment, `[if IE]>…<![endif]`. A bogus
/// comment, which ends with its first `>`, has none.
pub(super) fn conditional(raw: &[u8]) -> Option<Span> {
    if !raw.trim_ascii_start().starts_with(b"[if") || !raw.trim_ascii_end().ends_with(b"<![endif]")
    {
        return None;
    }
    let start = memchr::memmem::find(raw, b"]>")? + 2;
    let end = memchr::memmem::rfind(raw, b"<![endif]")?;
    (start < end).then(|| Span::new(start, end))
}

/// Returns true if an element may be in the head, or is the head.
#[inline]
pub(super) fn may_be_in_head(name: Key) -> bool {
    matches!(
        name,
        Key::HTML
            | Key::HEAD
            | Key::META
            | Key::TITLE
            | Key::LINK
            | Key::SCRIPT
            | Key::STYLE
            | Key::BASE
            | Key::NOSCRIPT
    )
}
