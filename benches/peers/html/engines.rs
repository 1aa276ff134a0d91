//! The engines of the benchmark: functions that read one document.

use std::borrow::Cow;
use std::sync::LazyLock;

use basectx::Context;
use html5ever::tendril::{StrTendril, TendrilSink};
use html5gum::{Token, Tokenizer};
use lol_html::html_content::Element;
use lol_html::{ElementContentHandlers, HandlerResult, HtmlRewriter, Selector, Settings};
use markup5ever_rcdom::RcDom;
use rewrite::{Media, Options, Relative, Rewritten, Site, Unit, Verify};
use urlcore::{Dialect, Resolution, Resolver};

use crate::Document;

/// Reads a document. Returns a number that depends on it, so that the work is not optimized away.
type Run = fn(&Document) -> usize;

/// The engines of each work.
pub(crate) const WORKS: &[(&str, &[(&str, Run)])] = &[
    (
        "find",
        &[
            ("relink", relink_find),
            ("html5ever + rcdom", html5ever_tree),
            ("lol_html, empty handlers", lol_html_find),
            ("html5gum, tokens only", html5gum_tokens),
        ],
    ),
    (
        "absolutize",
        &[
            ("relink", |document| relink_absolutize(document, Verify::Fast)),
            ("relink --verify none", |document| relink_absolutize(document, Verify::None)),
            ("lol_html, set_attribute", lol_html_absolutize),
        ],
    ),
    (
        "relativize",
        &[
            ("relink", |document| relink_relativize(document, Verify::Fast)),
            ("relink --verify none", |document| relink_relativize(document, Verify::None)),
        ],
    ),
];

/// The attributes selected for lol_html: those with nearly all references of the measured
/// documents.
const SELECTORS: [(&str, &str); 12] = [
    ("a[href]", "href"),
    ("area[href]", "href"),
    ("link[href]", "href"),
    ("base[href]", "href"),
    ("img[src]", "src"),
    ("script[src]", "src"),
    ("iframe[src]", "src"),
    ("frame[src]", "src"),
    ("input[src]", "src"),
    ("form[action]", "action"),
    ("body[background]", "background"),
    ("object[data]", "data"),
];

fn unit<'u>(document: &'u Document, context: &'u Context<'u>) -> Unit<'u> {
    Unit::new(document.html.as_bytes(), Media::HTML, context)
}

fn context(document: &Document) -> Context<'_> {
    Context::retrieval(document.url.parse().unwrap(), "--base")
}

fn relink_find(document: &Document) -> usize {
    let context = context(document);
    let mut n = 0;
    rewrite::references(unit(document, &context), &Options::default(), |site| n += site.text.len());
    n
}

fn relink_absolutize(document: &Document, verify: Verify) -> usize {
    let context = context(document);
    let options = Options::default().with_verify(verify);
    length(rewrite::absolutize(unit(document, &context), &options))
}

fn relink_relativize(document: &Document, verify: Verify) -> usize {
    let context = context(document);
    let options = Options::default().with_verify(verify);
    length(rewrite::relativize(unit(document, &context), &options, &Relative::default()))
}

fn length(rewritten: Rewritten) -> usize {
    assert!(rewritten.verify_error().is_none());
    rewritten.into_output().map_or(0, |output| output.len())
}

/// Returns the number of references, and that of documents that the fast engine declines, including
/// embedded ones.
pub(crate) fn counts(documents: &[Document]) -> (usize, usize) {
    let (mut n_references, mut n_declined) = (0, 0);
    for document in documents {
        let context = context(document);
        let count = |_: &Site<'_>| n_references += 1;
        let report = rewrite::references(unit(document, &context), &Options::default(), count);
        n_declined += report.engines.declined.values().sum::<usize>();
    }
    (n_references, n_declined)
}

fn html5ever_tree(document: &Document) -> usize {
    let text = StrTendril::from(&*document.html);
    let dom = html5ever::parse_document(RcDom::default(), Default::default()).one(text);
    dom.document.children.borrow().len()
}

fn html5gum_tokens(document: &Document) -> usize {
    Tokenizer::new(&document.html)
        .flatten()
        .filter(|token| matches!(token, Token::StartTag(tag) if !tag.attributes.is_empty()))
        .count()
}

/// Parsed once, not for each document.
static SELECTED: LazyLock<Vec<(Selector, &str)>> = LazyLock::new(|| {
    SELECTORS.iter().map(|(selector, attribute)| (selector.parse().unwrap(), *attribute)).collect()
});

fn lol_html_find(document: &Document) -> usize {
    lol_html(document, |_, _| Ok(()))
}

fn lol_html_absolutize(document: &Document) -> usize {
    let resolver = Resolver::new(&document.url, Dialect::Web).unwrap();
    lol_html(document, |element, attribute| {
        let value = element.get_attribute(attribute).unwrap_or_default();
        let is_kept =
            urlcore::is_absolute(&value, Dialect::Web, Some("https")) || value.starts_with('#');
        if !is_kept && let Ok(Resolution::Url(target)) = resolver.resolve(&value) {
            element.set_attribute(attribute, &target)?;
        }
        Ok(())
    })
}

fn lol_html(
    document: &Document,
    handle: impl Fn(&mut Element<'_, '_>, &str) -> HandlerResult,
) -> usize {
    let handle = &handle;
    let settings = SELECTED.iter().fold(Settings::new(), |settings, (selector, attribute)| {
        let handlers = ElementContentHandlers::default()
            .element(move |element: &mut Element<'_, '_>| handle(element, attribute));
        settings.append_element_content_handler((Cow::Borrowed(selector), handlers))
    });
    let mut n = 0;
    let mut rewriter = HtmlRewriter::new(settings, |chunk: &[u8]| n += chunk.len());
    rewriter.write(document.html.as_bytes()).unwrap();
    rewriter.end().unwrap();
    n
}
