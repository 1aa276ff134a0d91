//! `relink bases`: the base contexts of each document, and their reasons.

use std::io::Write;

use basectx::{BaseSource, Context};
use rewrite::{DocumentSite, Options, SkipReason, documents};
use serde::Serialize;

use super::listing::{self, ListSummary, Listed};
use super::refs::{Embedded, note};
use super::{Lines, Named, of_fault, of_skipped, unread};
use crate::boxes::Boxes;
use crate::events::Events;
use crate::exit::Error;
use crate::format::Format;
use crate::hints::Kind;
use crate::input::{Document, Input};
use crate::mirror::reading::Preference;
use crate::plan::Bases;
use crate::spool::Spool;
use crate::walk::Entry;
use crate::{messages, summary};

/// One document in JSON; the fields are those of `docs/json.md`.
#[derive(Serialize)]
struct Line<'l> {
    root: usize,
    path: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<&'l str>,
    unit: Option<usize>,
    part: Option<&'l str>,
    embedded: Vec<Embedded<'l>>,
    media_type: &'static str,
    base: Option<&'l str>,
    base_source: &'static str,
    chain: Vec<Link<'l>>,
    scopes: Vec<Scope<'l>>,
    /// How the relative references of a document of a mirror are read.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<&'static str>,
}

/// One context.
#[derive(Serialize)]
struct Link<'l> {
    source: &'static str,
    r#where: Where<'l>,
    url: Option<&'l str>,
    section: &'static str,
}

/// The source of a context.
#[derive(Serialize)]
struct Where<'l> {
    part: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    option: Option<&'l str>,
    /// The attribute or other source of a hint, if it is none of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    attribute: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    script: Option<&'l str>,
    span: Option<[usize; 2]>,
}

/// A place in the document that has a base of its own.
#[derive(Serialize)]
struct Scope<'l> {
    span: Option<[usize; 2]>,
    chain: Vec<Link<'l>>,
}

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

fn file(config: &Bases, entry: &Entry, input: &Input) -> Listed {
    let document = match input {
        Input::Document(document) => document,
        input => {
            let messages: Vec<String> = unread(&config.tree, entry, input).into_iter().collect();
            return Listed { n_unresolved: messages.len(), messages, ..Listed::default() };
        }
    };
    let mut listed = Listed::default();
    let named = Named::new(entry);
    let mut lines = Lines::of_document(document);
    let report = document.with_web_unit(None, |unit| {
        documents(unit, &config.tree.options, |site| {
            listed.n_unresolved += usize::from(site.context.base().is_none());
            match config.format {
                Format::Json => {
                    json(&config.tree.options, entry, &named, document, site, &mut listed.output);
                }
                Format::Text => text(config, entry, document, site, &mut lines, &mut listed.output),
            }
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

fn json(
    options: &Options,
    entry: &Entry,
    named: &Named,
    document: &Document,
    site: &DocumentSite<'_>,
    out: &mut Spool,
) {
    let embedded = site.frame.embedded();
    let scopes = site
        .scopes
        .iter()
        .map(|context| Scope { span: span(context, document), chain: chain(context, document) });
    let line = Line {
        root: entry.root,
        path: &named.path,
        path_bytes: named.path_bytes.as_deref(),
        unit: document.number(),
        part: site.frame.part(),
        embedded: embedded.iter().map(|place| Embedded::new(place, options, document)).collect(),
        media_type: site.media.name(),
        base: site.context.base(),
        base_source: site.context.base_source().name(),
        chain: chain(site.context, document),
        scopes: scopes.collect(),
        reading: document.reading().map(Preference::name),
    };
    // The spool remembers an error.
    drop(messages::write_json(out, &line));
}

/// Returns the span of the bytes that open a context.
fn span(context: &Context<'_>, document: &Document) -> Option<[usize; 2]> {
    context.span().map(|(start, end)| [start, end].map(|at| document.in_file(at)))
}

fn chain<'c>(context: &'c Context<'c>, document: &Document) -> Vec<Link<'c>> {
    let hint = document.hint().map(|hint| hint.source.kind());
    let link = |context: &'c Context<'c>| {
        let is_retrieval = context.source() == BaseSource::Retrieval;
        let is_heading = context.part().is_some();
        let hint = hint.filter(|_| context.source() == BaseSource::Hint);
        let origin = Some(context.origin()).filter(|origin| !origin.is_empty());
        let of_kind = |kind| origin.filter(|_| hint == Some(kind));
        let is_inside = !is_retrieval && !is_heading && hint.is_none();
        Link {
            source: context.source().name(),
            r#where: Where {
                part: context.part(),
                field: origin.filter(|_| is_heading || hint == Some(Kind::Field)),
                element: origin.filter(|_| is_inside || hint == Some(Kind::Element)),
                option: origin.filter(|_| is_retrieval && !is_heading),
                attribute: of_kind(Kind::Attribute),
                comment: of_kind(Kind::Comment),
                script: of_kind(Kind::Script),
                span: span(context, document),
            },
            url: context.url(),
            section: context.section(),
        }
    };
    context.chain().map(link).collect()
}

/// Writes the boxes of RFC 1808, section 3: each context inside the one that it falls back to.
fn text(
    config: &Bases,
    entry: &Entry,
    document: &Document,
    site: &DocumentSite<'_>,
    lines: &mut Lines<'_>,
    out: &mut Spool,
) {
    let mut title = entry.path.to_string_lossy().into_owned();
    if let Some(number) = document.number() {
        title.push_str(&format!(": message {number}"));
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
    let base = site.context.base().unwrap_or("unknown");
    drop(writeln!(out, "{}: {}", messages::visible(&title), messages::visible(base)));
    drop(out.write_all(config.boxes.draw(&labels(site.context, lines)).as_bytes()));
    if document.reading() == Some(Preference::Disk) {
        drop(out.write_all(b"  relative references are read as paths on the disk\n"));
    }
    for scope in site.scopes {
        let at = scope.span().map_or((1, 1), |(start, _)| lines.position(start));
        let base = scope.base().unwrap_or("unknown");
        let words = format!("{title}:{}:{} {}: {base}", at.0, at.1, scope.origin());
        drop(writeln!(out, "{}", messages::visible(&words)));
        drop(out.write_all(config.boxes.draw(&labels(scope, lines)).as_bytes()));
    }
}

/// Returns the label of each context, innermost first; the one that decides is marked.
pub(super) fn labels(context: &Context<'_>, lines: &mut Lines<'_>) -> Vec<String> {
    let mut is_decided = false;
    let mut labels = Vec::new();
    for context in context.chain() {
        let is_deciding = !is_decided && context.decides();
        is_decided |= is_deciding;
        let mark = if is_deciding { Boxes::MARK } else { " " };
        let place = context.span().map_or(String::new(), |(start, _)| {
            let (line, column) = lines.position(start);
            format!(" at {line}:{column}")
        });
        let value = match (context.url(), context.source()) {
            (Some(url), _) => url.to_owned(),
            (None, BaseSource::None) => "no base URL is known".to_owned(),
            (None, BaseSource::Encapsulating) if context.part().is_some() => {
                "gives no base".to_owned()
            }
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
        let label = format!("{mark} {origin}{place}{separator}{value} ({})", context.section());
        labels.push(messages::visible(&label).into_owned());
    }
    labels
}
