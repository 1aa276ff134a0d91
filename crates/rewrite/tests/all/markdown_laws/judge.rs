//! The view of a Markdown reader: the HTML of pulldown-cmark, read by html5ever's tokenizer, with
//! the `url` crate for targets.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use pulldown_cmark::{Event, Options, Parser, Tag as MarkdownTag, TagEnd, html};
use url::Url;

/// The tokens in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Text(String),
    /// A comment, or an end tag.
    Other(String),
    /// A start tag: its name and its attributes, with the targets of those that contain a URL.
    Tag(String, Vec<(String, String)>),
}

/// The attributes in generated documents that contain a URL.
const URLS: [&str; 3] = ["href", "src", "background"];

#[derive(Default)]
struct Sink {
    tokens: RefCell<Vec<Token>>,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        self.tokens.borrow_mut().push(token);
        TokenSinkResult::Continue
    }
}

/// Returns the document as HTML, in pieces: raw HTML is separate, so that a comment in it without
/// an end hides nothing.
fn pieces(markdown: &str) -> Vec<String> {
    let mut options = Options::empty();
    options.insert(Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_TASKLISTS);
    options.insert(Options::ENABLE_STRIKETHROUGH | Options::ENABLE_GFM);
    let events: Vec<Event<'_>> = Parser::new_ext(markdown, options).collect();
    let is_raw = |event: &Event<'_>| matches!(event, Event::Html(_) | Event::InlineHtml(_));
    // In the text of an image HTML is text.
    let mut n_images = 0_usize;
    let mut is_raw = |event: &Event<'_>| {
        n_images += usize::from(matches!(event, Event::Start(MarkdownTag::Image { .. })));
        n_images -= usize::from(matches!(event, Event::End(TagEnd::Image)));
        is_raw(event) && n_images == 0
    };
    let marked: Vec<(bool, Event<'_>)> =
        events.into_iter().map(|event| (is_raw(&event), event)).collect();
    let piece = |events: &[(bool, Event<'_>)]| {
        let mut out = String::new();
        html::push_html(&mut out, events.iter().map(|(_, event)| event.clone()));
        out
    };
    marked.chunk_by(|one, other| one.0 == other.0).map(piece).collect()
}

fn tokens(html: &str) -> Vec<Token> {
    let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(html));
    while !queue.is_empty() {
        drop(tokenizer.feed(&queue));
    }
    tokenizer.end();
    tokenizer.sink.tokens.take()
}

/// Returns the target of a reference, or its text if it has none.
fn target(base: &Url, text: &str) -> String {
    // Templates and empty values are not references.
    let is_none = text.is_empty() || text.contains("{{") || text.contains("%7B%7B");
    match base.join(text) {
        Ok(url) if !is_none => url.to_string(),
        _ => format!("as it is: {text}"),
    }
}

/// Returns the value of a `srcset` or `style`, with each URL resolved: here they are simple.
fn resolved(base: &Url, name: &str, value: &str) -> String {
    match name {
        "srcset" => {
            let candidate = |item: &str| {
                let (url, rest) = item.trim().split_once(' ').unwrap_or((item, ""));
                format!("{} {rest}", target(base, url))
            };
            value.split(',').map(candidate).collect::<Vec<_>>().join(",")
        }
        "style" => match value.split_once("url(").and_then(|(before, rest)| {
            let (url, after) = rest.split_once(')')?;
            Some(format!("{before}url({}){after}", target(base, url)))
        }) {
            Some(value) => value,
            None => value.to_owned(),
        },
        _ if URLS.contains(&name) => target(base, value),
        _ => value.to_owned(),
    }
}

/// Returns the view of a reader of a document at `base`.
pub(crate) fn seen(markdown: &str, base: &str) -> Vec<Seen> {
    let base = Url::parse(base).expect("the base is a URL");
    let mut seen = Vec::new();
    for token in pieces(markdown).iter().flat_map(|piece| tokens(piece)) {
        match token {
            Token::TagToken(Tag { kind: TagKind::StartTag, name, attrs, .. }) => {
                let attr = |attr: html5ever::Attribute| {
                    let name = attr.name.local.to_string();
                    let value = resolved(&base, &name, &attr.value);
                    (name, value)
                };
                seen.push(Seen::Tag(name.to_string(), attrs.into_iter().map(attr).collect()));
            }
            Token::TagToken(tag) => seen.push(Seen::Other(tag.name.to_string())),
            Token::CharacterTokens(text) => match seen.last_mut() {
                Some(Seen::Text(last)) => last.push_str(&text),
                _ => seen.push(Seen::Text(text.to_string())),
            },
            Token::CommentToken(text) => seen.push(Seen::Other(text.to_string())),
            _ => {}
        }
    }
    // The URL of a style sheet is text here.
    for item in &mut seen {
        if let Seen::Text(text) = item {
            *text = text.replace("url(http://h.example/d/s.png)", "url(s.png)");
        }
    }
    seen
}
