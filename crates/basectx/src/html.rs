//! The one pass of html5ever over a document.
//!
//! html5ever yields tags and builds the tree, but gives no positions of tags in the input. The
//! input is therefore fed in slices cut after each `>`: a tag token arrives exactly while the slice
//! with its own `>` is fed, which anchors its end. Bytes above 0x7F are fed as U+0080 to U+00FF,
//! one for one, so that names, values and comments can be mapped back to their bytes.
//!
//! html5ever is quadratic on deep nesting, so it is fed under a [`Budget`]; if that is exceeded,
//! the pass ends with [`Overrun`]. Scripting is on, as in a browser. Only this file and
//! `tree.rs` import html5ever and its tree.

mod tree;

use std::cell::{Cell, RefCell};
use std::ops::Range;

use html5ever::interface::Tracer;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, CommentToken, DoctypeToken, StartTag, Tag, TagToken, Token, TokenSink,
    TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, LocalName, QualName, TokenizerResult, local_name, ns};
use markup5ever_rcdom::{Handle, Node, NodeData, RcDom};
use memchr::memchr;

use self::tree::{BaseTree, LINKS_SIZE};
pub use self::tree::{Budget, Overrun};
use crate::attribute_count::{AttributeCount, TagText};

/// The namespace of the element that is created for a start tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Namespace {
    /// HTML; also for a tag that the tree builder ignores.
    Html,
    /// SVG.
    Svg,
    /// MathML.
    MathMl,
}

/// The kind of text after a start tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Markup: tags, comments and text.
    Markup,
    /// Text up to the matching end tag: `script`, `style`, `title`, `textarea`, `noscript`,
    /// `iframe` …
    RawText,
}

/// The element that is created for a start tag, and what comes after the tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// The namespace of the element.
    pub namespace: Namespace,
    /// The kind of text after the tag.
    pub content: Content,
    /// True if it is in the content of a `template`, which is parsed and not loaded: this is only
    /// known in a document with a `base`. A declarative shadow root is loaded.
    pub is_inert: bool,
}

/// A moment at which the base of a document changes while it is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BaseStep {
    /// The number of the start tag from which on the base holds.
    pub from: usize,
    /// The number of the start tag of the `base` element; `None` if there is none any more.
    pub tag: Option<usize>,
}

/// The attributes of a tag, widened: byte 0xNN of the input is U+00NN.
pub struct Attributes<'t>(&'t [Attribute]);

impl<'t> Attributes<'t> {
    /// Iterates over names (in lower case, as the tokenizer returns them) and decoded values, in
    /// order, without duplicates.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&'t str, &'t str)> + use<'t> {
        self.0.iter().map(|attr| (&*attr.name.local, &*attr.value))
    }
}

/// A receiver of the tags and comments of a document in source order. Offsets are in bytes of the
/// input of [`read`].
pub trait Events {
    /// Receives a start tag whose `>` is the byte before `end`. Its [`Events::settled`] follows
    /// before any other event.
    fn start_tag(&mut self, end: usize, name: &str, attributes: Attributes<'_>);
    /// Receives what the tree builder made of the last start tag.
    fn settled(&mut self, element: Element);
    /// Receives an end tag whose `>` is the byte before `end`.
    fn end_tag(&mut self, end: usize, name: &str);
    /// Receives a comment whose last byte is the one before `end`; `text` is widened.
    fn comment(&mut self, end: usize, text: &str);
    /// Returns the bytes of memory that the receiver takes, which are part of [`Budget::memory`].
    fn memory(&self) -> usize {
        0
    }
}

/// Reads a document (without its byte order mark) and passes its tags and comments to `events`.
///
/// Returns the steps in which the base of the document changes, in order; tags are counted from 0
/// over all start tags. At each moment the first `base` element with `href` in tree order gives the
/// base (HTML standard, section 2.4.3, "document base URL"): a later one comes before it if it is
/// moved out of a table. The last step gives the base of the whole document. A `base` inside a
/// `template` is not in the tree.
///
/// # Errors
///
/// [`Overrun`] if the budget is exceeded; the events received so far are then of no use.
///
/// # Examples
///
/// ```
/// use basectx::html::{Attributes, BaseStep, Budget, Element, Events, read};
///
/// #[derive(Default)]
/// struct Ends(Vec<(usize, String)>);
///
/// impl Events for Ends {
///     fn start_tag(&mut self, end: usize, name: &str, _: Attributes<'_>) {
///         self.0.push((end, name.to_owned()));
///     }
///     fn settled(&mut self, _: Element) {}
///     fn end_tag(&mut self, _: usize, _: &str) {}
///     fn comment(&mut self, _: usize, _: &str) {}
/// }
///
/// let mut ends = Ends::default();
/// let bases = read(b"<p><base href=a>", false, Budget::default(), &mut ends).unwrap();
/// assert_eq!(ends.0, [(3, "p".to_owned()), (16, "base".to_owned())]);
/// assert_eq!(bases, [BaseStep { from: 1, tag: Some(1) }]);
/// ```
pub fn read(
    input: &[u8],
    is_srcdoc: bool,
    budget: Budget,
    events: &mut dyn Events,
) -> Result<Vec<BaseStep>, Overrun> {
    let opts =
        TreeBuilderOpts { iframe_srcdoc: is_srcdoc, scripting_enabled: true, ..Default::default() };
    let tree =
        BaseTree { dom: RcDom::default(), is_kept: may_hold_base(input), ..BaseTree::default() };
    let sink = Sink {
        builder: TreeBuilder::new(tree, opts),
        events: RefCell::new(events),
        end: Cell::new(0),
        n_tags: Cell::new(0),
        was_token: Cell::new(false),
        raw_text: RefCell::new(None),
        is_exhausted: Cell::new(false),
        budget,
    };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let queue = BufferQueue::default();
    let (mut at, mut widened, mut n_attributes) = (0, String::new(), AttributeCount::default());
    while at < input.len() {
        let end = memchr(b'>', &input[at..]).map_or(input.len(), |idx| at + idx + 1);
        let counted = tokenizer.sink.count_attributes(&mut n_attributes, input, at..end);
        if counted > budget.attributes {
            return Err(Overrun::TooManyAttributes);
        }
        tokenizer.sink.end.set(end);
        queue.push_back(widen(&input[at..end], &mut widened));
        while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
        let tree = &tokenizer.sink.builder.sink;
        if tokenizer.sink.is_exhausted.get()
            || tree.n_siblings.get() / budget.siblings_per_byte > input.len() + 4096
        {
            return Err(Overrun::TooDeep);
        }
        if tree.is_kept {
            let elements = tree.n_created.get() * (size_of::<Node>() + LINKS_SIZE);
            let bases = tree.bases.borrow().len() * (size_of::<Attribute>() + LINKS_SIZE);
            let inert = tree.inert.borrow().capacity() * size_of::<*const Node>();
            if elements + bases + inert + tokenizer.sink.events.borrow().memory() > budget.memory {
                return Err(Overrun::TooLarge);
            }
        }
        if tokenizer.sink.was_token.replace(false) {
            n_attributes.reset();
        }
        at = end;
    }
    // Tokens from here on were cut off by the end of the input, and have no end of their own.
    tokenizer.sink.end.set(usize::MAX);
    tokenizer.end();
    Ok(tokenizer.sink.builder.sink.base_steps())
}

/// Returns true if a document contains `<base`. Without it no tree is needed.
fn may_hold_base(input: &[u8]) -> bool {
    let mut at = 0;
    while let Some(next) = memchr(b'<', &input[at..]).map(|idx| at + idx + 1) {
        if input.get(next..next + 4).is_some_and(|name| name.eq_ignore_ascii_case(b"base")) {
            return true;
        }
        at = next;
    }
    false
}

fn widen(slice: &[u8], buffer: &mut String) -> StrTendril {
    match std::str::from_utf8(slice) {
        Ok(text) if text.len() == slice.len() && slice.is_ascii() => StrTendril::from_slice(text),
        _ => {
            buffer.clear();
            buffer.extend(slice.iter().map(|byte| char::from(*byte)));
            StrTendril::from_slice(buffer)
        }
    }
}

/// The token sink between the tokenizer and the tree builder, which passes tags and comments to the
/// receiver.
struct Sink<'e> {
    builder: TreeBuilder<Handle, BaseTree>,
    events: RefCell<&'e mut dyn Events>,
    /// The end of the slice that is being fed; `usize::MAX` at the end of the input.
    end: Cell<usize>,
    n_tags: Cell<usize>,
    /// True if a tag, comment or doctype arrived since the last slice.
    was_token: Cell<bool>,
    /// The name of the raw text element whose text is being read.
    raw_text: RefCell<Option<LocalName>>,
    is_exhausted: Cell<bool>,
    budget: Budget,
}

impl Sink<'_> {
    /// Counts the attributes of the tag that `input[slice]` begins or continues.
    fn count_attributes(
        &self,
        count: &mut AttributeCount,
        input: &[u8],
        slice: Range<usize>,
    ) -> usize {
        let raw_text = self.raw_text.borrow();
        let around = match &*raw_text {
            Some(name) => TagText::RawText(name),
            None if self.builder.adjusted_current_node_present_but_not_in_html_namespace() => {
                TagText::Foreign
            }
            None => TagText::Html,
        };
        count.feed(input, slice.start, slice.end, around)
    }

    fn check_budget(&self) {
        let tree = &self.builder.sink;
        let n_tags = self.n_tags.get();
        if tree.n_created.get()
            > self.budget.elements_per_tag.saturating_mul(n_tags).saturating_add(4096)
        {
            self.is_exhausted.set(true);
        }
        if n_tags.is_multiple_of(16) {
            let count = HandleCount(Cell::new(0));
            self.builder.trace_handles(&count);
            if count.0.get() > self.budget.open_elements {
                self.is_exhausted.set(true);
            }
        }
    }
}

/// A counter of the handles that the tree builder holds.
struct HandleCount(Cell<usize>);

impl Tracer for HandleCount {
    type Handle = Handle;

    fn trace_handle(&self, _: &Handle) {
        self.0.set(self.0.get() + 1);
    }
}

/// Returns the token for the tree builder, without the attributes of `meta`. The tree builder
/// searches every `meta` for a charset, and html5ever 0.39 panics if the value ends with `charset`;
/// the tree needs no attributes of it.
fn harmless(token: Token) -> Token {
    match token {
        TagToken(mut tag) if &*tag.name == "meta" => {
            tag.attrs.clear();
            TagToken(tag)
        }
        token => token,
    }
}

impl TokenSink for Sink<'_> {
    type Handle = Handle;

    fn process_token(&self, token: Token, line_number: u64) -> TokenSinkResult<Handle> {
        let end = self.end.get();
        if self.is_exhausted.get() {
            return TokenSinkResult::Continue;
        }
        self.was_token.set(
            self.was_token.get()
                || matches!(token, TagToken(_) | CommentToken(_) | DoctypeToken(_)),
        );
        match &token {
            TagToken(tag) => {
                self.raw_text.replace(None);
                self.n_tags.set(self.n_tags.get() + 1);
                self.check_budget();
                if tag.kind == StartTag {
                    self.events.borrow_mut().start_tag(end, &tag.name, Attributes(&tag.attrs));
                    let name = tag.name.clone();
                    let tree = &self.builder.sink;
                    tree.created.take();
                    tree.is_shadow_root.set(is_shadow_root(tag));
                    let result = self.builder.process_token(harmless(token), line_number);
                    tree.note_base();
                    tree.n_start_tags.set(tree.n_start_tags.get() + 1);
                    let (mut namespace, mut is_inert) = (Namespace::Html, false);
                    if let Some(element) = tree.created.take()
                        && let NodeData::Element { name: element_name, .. } = &element.data
                        && is_of(element_name, &name)
                    {
                        namespace = namespace_of(element_name);
                        is_inert = tree.is_inert(&element);
                    }
                    let content = match result {
                        TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext => {
                            self.raw_text.replace(Some(name));
                            Content::RawText
                        }
                        _ => Content::Markup,
                    };
                    let element = Element { namespace, content, is_inert };
                    self.events.borrow_mut().settled(element);
                    return result;
                }
                self.events.borrow_mut().end_tag(end, &tag.name);
            }
            CommentToken(text) if end != usize::MAX => self.events.borrow_mut().comment(end, text),
            _ => {}
        }
        self.builder.process_token(token, line_number)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Returns true if an element was created for a tag of this name, and not implied or reopened by
/// it. SVG changes letter case, `image` becomes `img`.
fn is_of(element: &QualName, tag: &str) -> bool {
    str::eq_ignore_ascii_case(&element.local, tag)
}

/// Returns true if a tag begins a declarative shadow root (HTML standard, section 13.2.6.4.4).
fn is_shadow_root(tag: &Tag) -> bool {
    let is_mode = |attribute: &Attribute| {
        let is = |mode: &str| attribute.value.eq_ignore_ascii_case(mode);
        &*attribute.name.local == "shadowrootmode" && (is("open") || is("closed"))
    };
    tag.name == local_name!("template") && tag.attrs.iter().any(is_mode)
}

fn namespace_of(element: &QualName) -> Namespace {
    match element.ns {
        ns!(svg) => Namespace::Svg,
        ns!(mathml) => Namespace::MathMl,
        _ => Namespace::Html,
    }
}
