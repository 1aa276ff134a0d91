//! The bases of one document and of the documents in it, as values.

use basectx::{BaseSource, Context};
use rewrite::{DocumentSite, Options, SlotId, documents};

use super::super::{Lines, pair};
use crate::events::detail::{BaseDetail, ContextDetail, ContextPlace, EmbeddedPlace, ScopeDetail};
use crate::tree::input::Document;
use crate::urls::hints::Kind;
use crate::urls::mirror::reading::Preference;

/// Returns the bases of a document and of the documents in it, the document itself first.
pub(in crate::commands) fn bases_of(document: &Document, options: &Options) -> Vec<BaseDetail> {
    let mut lines = Lines::of_document(document);
    let mut found = Vec::new();
    document.with_web_unit(None, |unit| {
        documents(unit, options, |site| found.push(base(options, document, site, &mut lines)))
    });
    found
}

/// Returns the base of a document that the walk shows.
pub(super) fn base(
    options: &Options,
    document: &Document,
    site: &DocumentSite<'_>,
    lines: &mut Lines<'_>,
) -> BaseDetail {
    let scope = |context: &&Context<'_>| ScopeDetail {
        span: span(context, document),
        position: context.span().map_or((1, 1), |(start, _)| lines.position(start)),
        origin: context.origin().to_owned(),
        base: context.base().map(str::to_owned),
        chain: chain(context, document, lines),
    };
    let scopes = site.scopes.iter().map(scope).collect();
    BaseDetail {
        part: site.frame.part().map(str::to_owned),
        embedded: embedded(&site.frame.embedded(), options, document),
        media_type: site.media.name(),
        base: site.context.base().map(str::to_owned),
        base_source: site.context.base_source().name(),
        chain: chain(site.context, document, lines),
        scopes,
        reading: document.reading().map(Preference::name),
    }
}

/// Returns the embedded documents that contain something.
pub(in crate::commands) fn embedded(
    places: &[(SlotId, layers::Span)],
    options: &Options,
    document: &Document,
) -> Vec<EmbeddedPlace> {
    let place = |(slot, span): &(SlotId, layers::Span)| EmbeddedPlace {
        slot: options.extras.name_of(*slot).to_owned(),
        span: pair(*span).map(|at| document.in_file(at)),
    };
    places.iter().map(place).collect()
}

/// Returns the span of the bytes that open a context.
fn span(context: &Context<'_>, document: &Document) -> Option<[usize; 2]> {
    context.span().map(|(start, end)| [start, end].map(|at| document.in_file(at)))
}

/// Returns the contexts of a chain, innermost first.
pub(in crate::commands) fn chain(
    context: &Context<'_>,
    document: &Document,
    lines: &mut Lines<'_>,
) -> Vec<ContextDetail> {
    let hint = document.hint().map(|hint| hint.source.kind());
    let mut is_decided = false;
    let link = |context: &Context<'_>| {
        let decides = !is_decided && context.decides();
        is_decided |= decides;
        ContextDetail {
            source: context.source().name(),
            r#where: place(context, hint, document),
            url: context.url().map(str::to_owned),
            section: context.section(),
            decides,
            words: words(context, lines),
        }
    };
    context.chain().map(link).collect()
}

/// Returns the place that sets the base of a context.
fn place(context: &Context<'_>, hint: Option<Kind>, document: &Document) -> ContextPlace {
    let is_retrieval = context.source() == BaseSource::Retrieval;
    let is_field = context.part().is_some();
    let hint = hint.filter(|_| context.source() == BaseSource::Hint);
    let origin = Some(context.origin()).filter(|origin| !origin.is_empty());
    let if_is = |is: bool| origin.filter(|_| is).map(str::to_owned);
    let of_kind = |kind| if_is(hint == Some(kind));
    let is_inside = !is_retrieval && !is_field && hint.is_none();
    ContextPlace {
        part: context.part().map(str::to_owned),
        field: if_is(is_field || hint == Some(Kind::Field)),
        element: if_is(is_inside || hint == Some(Kind::Element)),
        option: if_is(is_retrieval && !is_field),
        attribute: of_kind(Kind::Attribute),
        comment: of_kind(Kind::Comment),
        script: of_kind(Kind::Script),
        span: span(context, document),
    }
}

/// Returns where a context is and what it sets, in words.
fn words(context: &Context<'_>, lines: &mut Lines<'_>) -> String {
    let place = context.span().map_or(String::new(), |(start, _)| {
        let (line, column) = lines.position(start);
        format!(" at {line}:{column}")
    });
    let value = match (context.url(), context.source()) {
        (Some(url), _) => url.to_owned(),
        (None, BaseSource::None) => "no base URL is known".to_owned(),
        (None, BaseSource::Encapsulating) if context.part().is_some() => "gives no base".to_owned(),
        (None, BaseSource::Encapsulating) => "the base of the enclosing document".to_owned(),
        (None, _) if context.decides() => "a template; the base is unknown".to_owned(),
        (None, _) => "gives no base".to_owned(),
    };
    let origin = match context.part() {
        Some(part) => format!("{part} {}", context.origin()),
        None => context.origin().to_owned(),
    };
    let origin = match context.source() {
        BaseSource::Hint => format!("hint: {origin}"),
        _ => origin,
    };
    let origin = origin.trim_end();
    let separator = if origin.is_empty() { "" } else { ": " };
    format!("{origin}{place}{separator}{value}")
}
