//! `relink bases`: the base contexts of each document, and their reasons.

pub(super) mod detail;
mod draw;

use std::io::{self, Write};

use rewrite::{DocumentSite, SkipReason, documents};
use serde::Serialize;

use self::draw::Drawing;
use super::listing::{self, ListSummary, Listed};
use super::refs::note;
use super::{Lines, of_fault, of_skipped, place_of, unread};
use crate::events::Events;
use crate::events::detail::{BaseDetail, ContextDetail, DocumentPlace};
use crate::events::summary;
use crate::files::walk::Entry;
use crate::os::format::BasesFormat;
use crate::os::messages;
use crate::os::spool::Spool;
use crate::plan::Bases;
use crate::plan::boxes::Boxes;
use crate::plan::exit::Error;
use crate::tree::input::{Document, Input};
use crate::urls::mirror::reading::Preference;

/// One document in JSON; the fields are those of `docs/json.md`.
#[derive(Serialize)]
struct Line<'l> {
    #[serde(flatten)]
    place: &'l DocumentPlace,
    #[serde(flatten)]
    base: &'l BaseDetail,
}

impl Bases {
    /// Lists them as [`Event::Output`](crate::Event::Output), in path order.
    ///
    /// # Errors
    ///
    /// [`Error`] if it cannot begin, or if the receiver of the output fails.
    pub fn run(&self, events: &mut dyn Events) -> Result<ListSummary, Error> {
        let list = |events: &mut dyn Events| {
            listing::run(&self.tree, events, |entry, input| Ok(file(self, entry, input)))
        };
        match Drawing::new(self.format, &self.tree.roots, events) {
            Ok(mut drawing) => list(&mut drawing),
            Err(events) => list(events),
        }
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
    let place = place_of(entry, document);
    let mut lines = Lines::of_document(document);
    let mut drawn = Vec::new();
    let report = document.with_web_unit(None, |unit| {
        documents(unit, &config.tree.options, |site| {
            let found = detail::base(&config.tree.options, document, site, &mut lines);
            listed.n_unresolved += usize::from(found.base.is_none());
            // The spool remembers an error.
            drop(match config.format {
                BasesFormat::Json => {
                    let line = Line { place: &place, base: &found };
                    messages::write_json(&mut listed.output, &line)
                }
                BasesFormat::Text => {
                    let title = title(config, entry, document, site, &mut lines);
                    text(config, &title, &found, &mut listed.output)
                }
                BasesFormat::Svg | BasesFormat::Html | BasesFormat::Dot => {
                    drawn.push(found);
                    Ok(())
                }
            });
        })
    });
    listed.bases = (!drawn.is_empty()).then_some((place, drawn));
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
    lines: &mut Lines<'_>,
) -> String {
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
