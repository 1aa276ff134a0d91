//! `relink bases`: the base contexts of each document, and their reasons.

use std::io::{self, Write};

use basectx::BaseSource;
use rewrite::{DocumentSite, ListedContext, ListedDocument, Options, SkipReason, documents};

use super::listing::{self, FileListing, ListSummary};
use super::refs::note;
use super::{LineCounter, embedded, in_file, of_fault, of_skipped, pair, place_of, unread};
use crate::events::detail::{BaseDetail, ContextDetail, ContextPlace, OfDocument, ScopeDetail};
use crate::events::{Events, summary};
use crate::files::walk::Entry;
use crate::os::format::Format;
use crate::os::messages;
use crate::os::spool::Spool;
use crate::plan::Bases;
use crate::plan::boxes::Boxes;
use crate::plan::exit::Error;
use crate::tree::input::{Document, Input};
use crate::urls::hints::HintKind;
use crate::urls::mirror::disk::Preference;

impl Bases {
    /// Lists them as [`Event::Output`](crate::Event::Output), in path order.
    ///
    /// # Errors
    ///
    /// [`Error`] if it cannot begin, or if the receiver of the output fails.
    pub fn run(&self, events: &mut dyn Events) -> Result<ListSummary, Error> {
        listing::run(&self.tree, events, |entry, input| Ok(file(self, entry, input)))
    }
}

fn file(config: &Bases, entry: &Entry, input: &Input) -> FileListing {
    let document = match input {
        Input::Document(document) => document,
        input => {
            let messages: Vec<String> = unread(&config.tree, entry, input).into_iter().collect();
            return FileListing {
                n_unresolved: messages.len(),
                messages,
                ..FileListing::default()
            };
        }
    };
    let mut listed = FileListing::default();
    let place = place_of(entry, document);
    let mut lines = LineCounter::of_document(document);
    let report = document.with_web_unit(None, |unit| {
        documents(unit, &config.tree.options, |site| {
            let found = base(&config.tree.options, document, site.listed(), &mut lines);
            listed.n_unresolved += usize::from(found.base.is_none());
            // The spool remembers an error.
            drop(match config.format {
                Format::Json => {
                    let line = OfDocument { place: &place, detail: &found };
                    messages::write_json(&mut listed.output, &line)
                }
                Format::Text => {
                    let title = title(config, entry, document, site, &mut lines);
                    text(config, &title, &found, &mut listed.output)
                }
            });
        })
    });
    for (reason, at) in &report.bad_bases {
        let (line, column) = lines.position(*at);
        listed.messages.push(format!("{}:{line}:{column}: {reason}", entry.path.display()));
    }
    listed.messages.extend(note(entry, document));
    for fault in &report.faults {
        let (line, column) = lines.position(fault.at);
        listed.messages.push(of_fault(entry, line, column, fault));
    }
    for skipped in &report.skipped {
        let (line, column) = lines.position(skipped.at);
        listed.messages.push(of_skipped(entry, line, column, skipped));
        listed.is_failed |= summary::is_failure(skipped);
        listed.n_unresolved += usize::from(skipped.reason == SkipReason::NoDelimiter);
    }
    listed
}

/// Returns the name of a document that the walk shows.
fn title(
    config: &Bases,
    entry: &Entry,
    document: &Document,
    site: &DocumentSite<'_>,
    lines: &mut LineCounter<'_>,
) -> String {
    let mut title = entry.path.to_string_lossy().into_owned();
    if let Some((noun, number)) = document.numbered() {
        title.push_str(&format!(": {noun} {number}"));
    }
    if let Some(part) = site.frame.part() {
        title.push_str(&format!(": part {part}"));
    }
    for embedded in site.frame.embedded() {
        let (line, column) = lines.position(embedded.1.start);
        title.push_str(&format!(
            ":{line}:{column} {}",
            config.tree.options.extras.name_of(embedded.0)
        ));
    }
    title
}

/// Writes the boxes of RFC 1808, section 3: each context inside the one that it falls back to.
fn text(config: &Bases, title: &str, found: &BaseDetail, out: &mut Spool) -> io::Result<()> {
    let base = found.base.as_deref().unwrap_or("unknown");
    writeln!(out, "{}: {}", messages::visible(title), messages::visible(base))?;
    out.write_all(config.boxes.draw(&labels(&found.chain)).as_bytes())?;
    if found.reading == Some(Preference::Disk.name()) {
        out.write_all(b"  relative references are read as paths on the disk\n")?;
    }
    for scope in &found.scopes {
        let (line, column) = scope.position;
        let base = scope.base.as_deref().unwrap_or("unknown");
        let words = format!("{title}:{line}:{column} {}: {base}", scope.origin);
        writeln!(out, "{}", messages::visible(&words))?;
        out.write_all(config.boxes.draw(&labels(&scope.chain)).as_bytes())?;
    }
    Ok(())
}

/// Returns the label of each context, innermost first; the one that decides is marked.
pub(super) fn labels(chain: &[ContextDetail]) -> Vec<String> {
    let label = |context: &ContextDetail| {
        let mark = if context.decides { Boxes::MARK } else { " " };
        let label = format!("{mark} {} ({})", context.words, context.section);
        messages::visible(&label).into_owned()
    };
    chain.iter().map(label).collect()
}

// The bases of one document and of the documents in it, as values.

/// Returns the bases of a document and of the documents in it, the document itself first.
pub(in crate::commands) fn bases_of(document: &Document, options: &Options) -> Vec<BaseDetail> {
    let mut found = Vec::new();
    document.with_web_unit(None, |unit| documents(unit, options, |site| found.push(site.listed())));
    described(found, document, options)
}

/// Returns the bases of the documents of a walk.
pub(in crate::commands) fn described(
    found: Vec<ListedDocument>,
    document: &Document,
    options: &Options,
) -> Vec<BaseDetail> {
    let mut lines = LineCounter::of_document(document);
    found.into_iter().map(|it| base(options, document, it, &mut lines)).collect()
}

/// Returns the base of a document of a walk.
fn base(
    options: &Options,
    document: &Document,
    found: ListedDocument,
    lines: &mut LineCounter<'_>,
) -> BaseDetail {
    let base = |chain: &[ListedContext]| {
        let context = ListedContext::of_base(chain)?;
        Some((context.url.clone()?, context.source))
    };
    let scope = |contexts: Vec<ListedContext>| {
        let (span, origin) =
            contexts.first().map(|it| (it.span, it.origin.clone())).unwrap_or_default();
        ScopeDetail {
            span: span.map(|span| pair(in_file(span, document))),
            position: span.map_or((1, 1), |span| lines.position(span.start)),
            origin,
            base: base(&contexts).map(|(url, _)| url),
            chain: chain(contexts, document, lines),
        }
    };
    let scopes = found.scopes.into_iter().map(scope).collect();
    let (base, source) = base(&found.chain).unzip();
    BaseDetail {
        part: found.part,
        embedded: embedded(&found.embedded, options, document),
        media_type: found.media_type,
        base,
        base_source: source.unwrap_or(BaseSource::None).name(),
        chain: chain(found.chain, document, lines),
        scopes,
        reading: document.reading().map(Preference::name),
    }
}

/// Returns the contexts of a chain, innermost first.
pub(in crate::commands) fn chain(
    contexts: Vec<ListedContext>,
    document: &Document,
    lines: &mut LineCounter<'_>,
) -> Vec<ContextDetail> {
    let hint = document.hint().map(|hint| hint.source.kind());
    let mut is_decided = false;
    let link = |context: ListedContext| {
        let decides = !is_decided && context.decides;
        is_decided |= decides;
        ContextDetail {
            source: context.source.name(),
            r#where: place(&context, hint, document),
            section: context.section,
            decides,
            words: words(&context, lines),
            url: context.url,
        }
    };
    contexts.into_iter().map(link).collect()
}

/// Returns the place that sets the base of a context.
fn place(context: &ListedContext, hint: Option<HintKind>, document: &Document) -> ContextPlace {
    let is_retrieval = context.source == BaseSource::Retrieval;
    let is_field = context.part.is_some();
    let hint = hint.filter(|_| context.source == BaseSource::Hint);
    let origin = Some(&context.origin).filter(|origin| !origin.is_empty());
    let if_is = |is: bool| origin.filter(|_| is).cloned();
    let of_kind = |kind| if_is(hint == Some(kind));
    let is_inside = !is_retrieval && !is_field && hint.is_none();
    ContextPlace {
        part: context.part.clone(),
        field: if_is(is_field || hint == Some(HintKind::Field)),
        element: if_is(is_inside || hint == Some(HintKind::Element)),
        option: if_is(is_retrieval && !is_field),
        attribute: of_kind(HintKind::Attribute),
        comment: of_kind(HintKind::Comment),
        script: of_kind(HintKind::Script),
        span: context.span.map(|span| pair(in_file(span, document))),
    }
}

/// Returns where a context is and what it sets, in words.
fn words(context: &ListedContext, lines: &mut LineCounter<'_>) -> String {
    let place = context.span.map_or(String::new(), |span| {
        let (line, column) = lines.position(span.start);
        format!(" at {line}:{column}")
    });
    let value = match (&context.url, context.source) {
        (Some(url), _) => url.to_owned(),
        (None, BaseSource::None) => "no base URL is known".to_owned(),
        (None, BaseSource::Encapsulating) if context.part.is_some() => "gives no base".to_owned(),
        (None, BaseSource::Encapsulating) => "the base of the enclosing document".to_owned(),
        (None, _) if context.decides => "a template; the base is unknown".to_owned(),
        (None, _) => "gives no base".to_owned(),
    };
    let origin = match &context.part {
        Some(part) => format!("{part} {}", context.origin),
        None => context.origin.clone(),
    };
    let origin = match context.source {
        BaseSource::Hint => format!("hint: {origin}"),
        _ => origin,
    };
    let origin = origin.trim_end();
    let separator = if origin.is_empty() { "" } else { ": " };
    format!("{origin}{place}{separator}{value}")
}
