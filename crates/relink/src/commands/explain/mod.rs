//! `relink explain`: how one reference is read, decoded, resolved, and written.

mod json;
mod steps;

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use layers::{Edit, Edits, Span};
use rewrite::{Site, absolutize, references};
use urlcore::{Dialect, Resolution, Resolver};

use self::json::Explanation;
use self::steps::steps;
use super::bases::detail::chain;
use super::bases::labels;
use super::listing::{self, ListSummary, Listed};
use super::refs::{note, resolved};
use super::{Lines, unread};
use crate::events::Events;
use crate::files::walk::Entry;
use crate::os::format::Format;
use crate::os::messages;
use crate::plan::exit::Error;
use crate::plan::{Explain, Which};
use crate::tree::input::{Document, Input};

/// The column of values.
const INDENT: usize = 14;

impl Explain {
    /// Explains the references as [`Event::Output`](crate::Event::Output).
    ///
    /// # Errors
    ///
    /// [`Error`] if it cannot begin, or if the receiver of the output fails.
    pub fn run(&self, events: &mut dyn Events) -> Result<ListSummary, Error> {
        let n_found = AtomicUsize::new(0);
        let summary = listing::run(&self.tree, events, |entry, input| {
            Ok(file(self, entry, input, &n_found))
        })?;
        if n_found.load(Ordering::Relaxed) == 0 && summary.n_failed == 0 {
            events.error(&format!(
                "error: no reference {}; use `relink refs FILE` to list all references",
                self.which
            ));
            return Ok(ListSummary { n_failed: 1, ..summary });
        }
        Ok(summary)
    }
}

fn file(config: &Explain, entry: &Entry, input: &Input, n_found: &AtomicUsize) -> Listed {
    let Input::Document(document) = input else {
        let messages = unread(&config.tree, entry, input).into_iter().collect();
        return Listed { messages, ..Listed::default() };
    };
    let mut listed = Listed::default();
    let edits = document.with_unit(None, |unit| absolutize(unit, &config.tree.options).edits);
    let mut lines = Lines::of_document(document);
    document.with_unit(None, |unit| {
        references(unit, &config.tree.options, |site| {
            let raw = site.frame.raw(site.span);
            let (line, column) = lines.position(raw.start);
            let written = &document.unit()[raw.start..raw.end];
            let is_meant = match &config.which {
                Which::Line(wanted) => line == *wanted,
                Which::Place(wanted, at) => {
                    line == *wanted && (column..column + raw.len().max(1)).contains(at)
                }
                Which::Text(text) => text == site.text || text.as_bytes() == written,
            };
            if !is_meant {
                return;
            }
            n_found.fetch_add(1, Ordering::Relaxed);
            let new = rewritten(document.unit(), raw, &edits);
            let explained =
                Explained { config, entry, document, site, written, place: (line, column) };
            let new = new.as_deref();
            // The spool remembers an error.
            drop(match config.format {
                Format::Text => listed.output.write_all(explained.text(new, &mut lines).as_bytes()),
                Format::Json => {
                    let explanation = Explanation::new(&explained, new, &mut lines);
                    messages::write_json(&mut listed.output, &explanation)
                }
            });
        })
    });
    listed.messages.extend(note(entry, document));
    listed
}

/// A reference that is explained.
struct Explained<'e> {
    config: &'e Explain,
    entry: &'e Entry,
    document: &'e Document,
    site: &'e Site<'e>,
    /// Its bytes in the file.
    written: &'e [u8],
    place: (usize, usize),
}

impl Explained<'_> {
    /// Returns the text; `new` is what `absolutize` writes, if it changes the reference.
    fn text(&self, new: Option<&[u8]>, lines: &mut Lines<'_>) -> String {
        let Explained { config, entry, document, site, written, place: (line, column) } = self;
        let mut out = format!(
            "{}:{line}:{column}: {}\n",
            messages::visible(&entry.path.to_string_lossy()),
            site.slot_name()
        );
        let mut row = |name: &str, value: &str| {
            out.push_str(&format!(
                "  {name:<width$}{}\n",
                messages::visible(value),
                width = INDENT - 2
            ));
        };
        if let Some(number) = document.number() {
            row("message", &number.to_string());
        }
        if let Some(part) = site.frame.part() {
            row("part", part);
        }
        for (slot, span) in site.frame.embedded() {
            let (line, column) = lines.position(span.start);
            let name = config.tree.options.extras.name_of(slot);
            row("inside", &format!("{name} at {line}:{column}"));
        }
        row("written", &String::from_utf8_lossy(written));
        if *written != site.text.as_bytes() {
            row("bytes", &hex(written));
            row("decoded", site.text);
        }
        row("base", site.context.base().unwrap_or("unknown"));
        let boxes = config.boxes.after(INDENT - 2);
        for line in boxes.draw(&labels(&chain(site.context, document, lines))).lines() {
            out.push_str(&" ".repeat(INDENT - 2));
            out.push_str(line);
            out.push('\n');
        }
        self.resolution(&mut out);
        self.target(new, &mut out);
        out.push('\n');
        out
    }

    /// Adds the steps of the resolution, and with `--all-dialects` the results of all dialects.
    fn resolution(&self, out: &mut String) {
        let Explained { config, site, .. } = self;
        let Some(resolver) = site.resolver.filter(|_| site.kind.has_target()) else { return };
        let (name, blank) = (site.dialect.name(), " ".repeat(INDENT));
        out.push_str(&format!("  {:<width$}by the dialect {name}:\n", "steps", width = INDENT - 2));
        for (idx, line) in steps(site.text, resolver, site.dialect).iter().enumerate() {
            out.push_str(&format!("{blank}{}. {}\n", idx + 1, messages::visible(line)));
        }
        let others = if config.has_all_dialects { Dialect::ALL } else { &[] };
        for dialect in others {
            let resolved = Resolver::new(resolver.base(), *dialect)
                .map_err(|error| error.to_string())
                .and_then(|base| base.resolve(site.text).map_err(|error| error.to_string()));
            let result = match resolved {
                Ok(Resolution::Url(url)) => url,
                Ok(same) => format!("(current document){same}"),
                Err(error) => format!("(none: {error})"),
            };
            let result = messages::visible(&result).into_owned();
            out.push_str(&format!("{blank}{:<17}{result}\n", dialect.name()));
        }
    }

    /// Adds the target, and what `absolutize` does.
    fn target(&self, new: Option<&[u8]>, out: &mut String) {
        let Explained { site, document, .. } = self;
        let mut target = String::new();
        let value = if site.kind.has_target() && !site.is_beside() && !site.has_entity() {
            match resolved(site, &mut target) {
                Ok(Resolution::Url(url)) => document.web_url(url).into_owned(),
                Ok(Resolution::SameDocument { .. }) => "the document itself".to_owned(),
                Err(error) => format!("none; {error}"),
            }
        } else {
            format!("none; it is {}", site.kind.name())
        };
        let mut row = |name: &str, value: &str| {
            out.push_str(&format!(
                "  {name:<width$}{}\n",
                messages::visible(value),
                width = INDENT - 2
            ));
        };
        row("target", &value);
        match new {
            Some(new) => row("absolutize", &format!("writes {}", String::from_utf8_lossy(new))),
            None => row("absolutize", "leaves it unchanged"),
        }
    }
}

/// Returns the bytes of a span with the edits inside of it applied, if there are any.
fn rewritten(unit: &[u8], raw: Span, edits: &Edits) -> Option<Vec<u8>> {
    let (mut new, mut end) = (Vec::new(), raw.start);
    let inside = |edit: &&Edit| edit.span.start >= raw.start && edit.span.end <= raw.end;
    for edit in edits.as_slice().iter().filter(inside) {
        new.extend_from_slice(&unit[end..edit.span.start]);
        new.extend_from_slice(&edit.text);
        end = edit.span.end;
    }
    new.extend_from_slice(&unit[end..raw.end]);
    (new != unit[raw.start..raw.end]).then_some(new)
}

/// Returns the bytes as hexadecimal numbers; at most 64 of them.
fn hex(bytes: &[u8]) -> String {
    const MOST: usize = 64;
    let octets: Vec<String> = bytes.iter().take(MOST).map(|byte| format!("{byte:02x}")).collect();
    let more = if bytes.len() > MOST { " …" } else { "" };
    octets.join(" ") + more
}
