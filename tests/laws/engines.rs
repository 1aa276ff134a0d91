//! The fast engine never gives another answer than the reference engine: the same references with the same spans, slots, kinds, texts, bases
//! and embedded documents, or it declines.

use basectx::Context;
use layers::Span;
use rewrite::{Engine, Media, Options, Undone, Unit, references};

/// All that is told of one reference.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    slot: String,
    kind: String,
    text: String,
    span: Span,
    embedded: Vec<(String, Span)>,
    base: Option<String>,
}

/// What one engine tells of a document; `None` if it declines, or cannot read it.
fn told(html: &[u8], engine: Engine) -> Option<Vec<Told>> {
    let context = Context::retrieval(super::URL, "--base");
    let options = Options { engine, ..Options::default() };
    let mut list = Vec::new();
    let report = references(
        Unit { bytes: html, media: Media::Html, context: &context, own_url: None },
        &options,
        |site| {
            let name = |slot| options.extras.name_of(slot).to_owned();
            let embedded =
                site.frame.embedded().into_iter().map(|(slot, span)| (name(slot), span)).collect();
            list.push(Told {
                slot: name(site.slot),
                kind: site.kind.to_string(),
                text: site.text.to_owned(),
                span: site.frame.raw(site.span),
                embedded,
                base: site.context.base().map(str::to_owned),
            });
        },
    );
    let is_read = |reason: Undone| !matches!(reason, Undone::Declined(_) | Undone::TooDeep);
    report.left.iter().all(|left| is_read(left.reason)).then_some(list)
}

/// Compares the engines; true if both read the document.
#[track_caller]
pub(crate) fn check(html: &[u8]) -> bool {
    let (Some(fast), Some(reference)) = (told(html, Engine::Fast), told(html, Engine::Reference))
    else {
        return false;
    };
    assert_eq!(fast, reference, "{}", String::from_utf8_lossy(html));
    true
}

#[test]
fn what_the_fast_engine_declines() {
    let declines = |html: &str| told(html.as_bytes(), Engine::Fast).is_none();
    for html in [
        "<p>x<base href=y>",
        "<svg><p>",
        "<svg><foreignObject><a href=x>",
        "<svg></div>",
        "<frameset><style>a{b:url(c)}</style>",
        "<select><style>a{b:url(c)}</style>",
        "<template><col><style>a{b:url(c)}</style>",
        "<math><mi><a href=x>",
        "<svg><font size=1>",
    ] {
        assert!(declines(html), "{html}");
    }
    for html in [
        "<base href=y><p>x<base href=z>",
        "<title>x</title><meta charset=utf-8><base href=y>",
        "<svg><title>x</title><desc>y</desc></svg>",
        "<svg><font><a href=x></a></font></svg>",
        "<svg><![CDATA[</svg>]]><a href=x></svg>",
        "<frameset><frame src=x><noframes><a href=y></noframes></frameset>",
        "<select><option><script>x</script></select><style>a{b:url(c)}</style>",
        "<script><!--<script></script>--></script><a href=x>",
    ] {
        assert!(!declines(html), "{html}");
        assert!(check(html.as_bytes()), "{html}");
    }
}
