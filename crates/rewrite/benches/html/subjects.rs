//! The subjects of the benchmark: functions that read one document.

use std::borrow::Cow;
use std::sync::LazyLock;

use basectx::Context;
use html5ever::tendril::{StrTendril, TendrilSink};
use html5gum::{Token, Tokenizer};
use lol_html::html_content::Element;
use lol_html::{ElementContentHandlers, HandlerResult, HtmlRewriter, Selector, Settings};
use markup5ever_rcdom::RcDom;
use rewrite::{Media, Options, Unit, Verify};
use urlcore::{Dialect, Resolution, Resolver};

const BASE: &str = "https://docs.example/a/b/page.html";

pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// Reads a document. Returns a number that depends on it, so that the work is not optimized
    /// away.
    pub(crate) run: fn(&[u8]) -> usize,
}

pub(crate) const FINDING: &[Subject] = &[
    Subject { name: "relink, finding", run: relink_find },
    Subject { name: "html5ever + rcdom", run: html5ever_tree },
    Subject { name: "lol_html, handlers that do nothing", run: lol_html_find },
    Subject { name: "html5gum, tokens only", run: html5gum_tokens },
];

pub(crate) const REWRITING: &[Subject] = &[
    Subject {
        name: "relink, with proof",
        run: |document| relink_absolutize(document, Verify::Fast),
    },
    Subject {
        name: "relink, without proof",
        run: |document| relink_absolutize(document, Verify::None),
    },
    Subject { name: "lol_html, setting the same attributes", run: lol_html_absolutize },
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

fn unit<'u>(bytes: &'u [u8], context: &'u Context<'u>) -> Unit<'u> {
    Unit::new(bytes, Media::HTML, context).with_own_url(BASE)
}

fn relink_find(document: &[u8]) -> usize {
    let context = Context::retrieval(BASE, "--base");
    let mut n = 0;
    rewrite::references(unit(document, &context), &Options::default(), |site| n += site.text.len());
    n
}

fn relink_absolutize(document: &[u8], verify: Verify) -> usize {
    let context = Context::retrieval(BASE, "--base");
    let options = Options::default().with_verify(verify);
    let rewritten = rewrite::absolutize(unit(document, &context), &options);
    assert!(rewritten.verify_error.is_none());
    rewritten.output.map_or(0, |output| output.len())
}

/// Returns the number of documents that the fast engine declines, including embedded ones, and the
/// number of all.
pub(crate) fn declined(documents: &[Vec<u8>]) -> (usize, usize) {
    let context = Context::retrieval(BASE, "--base");
    let (mut n_declined, mut n_fast) = (0, 0);
    for document in documents {
        let report = rewrite::references(unit(document, &context), &Options::default(), |_| {});
        n_declined += report.engines.declined.values().sum::<usize>();
        n_fast += report.engines.n_fast;
    }
    (n_declined, n_declined + n_fast)
}

fn html5ever_tree(document: &[u8]) -> usize {
    let text = StrTendril::from(std::str::from_utf8(document).unwrap());
    let dom = html5ever::parse_document(RcDom::default(), Default::default()).one(text);
    dom.document.children.borrow().len()
}

fn html5gum_tokens(document: &[u8]) -> usize {
    Tokenizer::new(document)
        .flatten()
        .filter(|token| matches!(token, Token::StartTag(tag) if !tag.attributes.is_empty()))
        .count()
}

/// Parsed once, not for each document.
static SELECTED: LazyLock<Vec<(Selector, &str)>> = LazyLock::new(|| {
    SELECTORS.iter().map(|(selector, attribute)| (selector.parse().unwrap(), *attribute)).collect()
});

fn lol_html_find(document: &[u8]) -> usize {
    lol_html(document, |_, _| Ok(()))
}

fn lol_html_absolutize(document: &[u8]) -> usize {
    let resolver = Resolver::new(BASE, Dialect::Web).unwrap();
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
    document: &[u8],
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
    rewriter.write(document).unwrap();
    rewriter.end().unwrap();
    n
}
