//! `relink refs`: every reference, one per line.

use std::borrow::Cow;
use std::io::Write;

use layers::Span;
use rewrite::{Options, Site, SlotId, references};
use serde::Serialize;
use urlcore::{Resolution, ResolveError};

use super::listing::{self, ListSummary, Listed};
use super::{Lines, Named, of_fault, of_skipped, pair, unread};
use crate::events::Events;
use crate::events::detail::RecordPlace;
use crate::events::summary;
use crate::files::walk::Entry;
use crate::os::format::Format;
use crate::os::messages;
use crate::os::spool::Spool;
use crate::plan::Refs;
use crate::plan::exit::Error;
use crate::tree::input::{Document, Input};
use crate::urls::mirror::disk::Preference;

/// One reference in JSON; the fields are those of `docs/json.md`.
#[derive(Serialize)]
struct Line<'l> {
    root: usize,
    path: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<&'l str>,
    unit: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<&'l RecordPlace>,
    part: Option<&'l str>,
    embedded: Vec<Embedded<'l>>,
    line: usize,
    column: usize,
    span: [usize; 2],
    /// `false` if the span contains more than the reference: in base64, three bytes are written as
    /// one group.
    #[serde(skip_serializing_if = "Option::is_none")]
    span_exact: Option<bool>,
    slot: &'l str,
    kind: &'l str,
    text: &'l str,
    base: Option<&'l str>,
    base_source: &'l str,
    target: Option<&'l str>,
    /// The other URL that it points to, if a `<base>` comes after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_target: Option<&'l str>,
    /// How the relative references of a document of a mirror are read.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<&'static str>,
}

/// An embedded document that contains a reference.
#[derive(Serialize)]
pub(super) struct Embedded<'l> {
    slot: &'l str,
    span: [usize; 2],
}

impl<'l> Embedded<'l> {
    pub(super) fn new(
        (slot, span): &(SlotId, Span),
        options: &'l Options,
        document: &Document,
    ) -> Self {
        let span = pair(*span).map(|at| document.in_file(at));
        Embedded { slot: options.extras.name_of(*slot), span }
    }
}

impl Refs {
    /// Lists them as [`Event::Output`](crate::Event::Output), in path order.
    ///
    /// # Errors
    ///
    /// [`Error`] if it cannot begin, or if the receiver of the output fails.
    pub fn run(&self, events: &mut dyn Events) -> Result<ListSummary, Error> {
        listing::run(&self.tree, events, |entry, input| Ok(file(self, entry, input)))
    }
}

fn file(config: &Refs, entry: &Entry, input: &Input) -> Listed {
    let document = match input {
        Input::Document(document) => document,
        input => {
            let messages: Vec<String> = unread(&config.tree, entry, input).into_iter().collect();
            return Listed { n_unresolved: messages.len(), messages, ..Listed::default() };
        }
    };
    // Pages of documentation have about as many bytes of references with their targets.
    let output = Spool::for_octets(document.bytes.len());
    let mut listed = Listed { output, ..Listed::default() };
    let mut printer = Printer::new(config, entry, document);
    let report = document.with_unit(None, |unit| {
        references(unit, &config.tree.options, |site| {
            listed.n_unresolved += printer.print(site, &mut listed.output)
        })
    });
    listed.messages.extend(note(entry, document));
    for fault in &report.faults {
        let (line, column) = printer.lines.position(fault.at);
        listed.messages.push(of_fault(entry, line, column, fault));
    }
    for left in &report.skipped {
        let (line, column) = printer.lines.position(left.at);
        listed.messages.push(of_skipped(entry, line, column, left));
        listed.is_failed |= summary::is_failure(left);
        listed.n_unresolved += 1;
    }
    listed
}

/// Returns the note on how a document of a mirror is read.
pub(super) fn note(entry: &Entry, document: &Document) -> Option<String> {
    document.note().map(|note| messages::of_path(&entry.path, &note))
}

/// Writes the references of one file.
struct Printer<'f> {
    format: Format,
    options: &'f Options,
    entry: &'f Entry,
    named: Named,
    document: &'f Document,
    lines: Lines<'f>,
    target: String,
    /// True if the line for the record has been printed, or none is necessary.
    is_begun: bool,
    /// The path, as it is printed.
    path: String,
    start: LineStart,
}

impl<'f> Printer<'f> {
    fn new(config: &'f Refs, entry: &'f Entry, document: &'f Document) -> Self {
        let (format, options) = (config.format, &config.tree.options);
        let path = messages::visible(&entry.path.to_string_lossy()).into_owned();
        Printer {
            format,
            options,
            entry,
            named: Named::new(entry),
            document,
            lines: Lines::of_document(document),
            target: String::new(),
            is_begun: document.record().is_none(),
            start: LineStart::new(&path),
            path,
        }
    }

    /// Prints the line for the record of a web archive, once.
    fn begin(&mut self, out: &mut Spool) {
        self.is_begun = true;
        let Some(record) = self.document.record() else { return };
        let or_none = |text: &Option<String>| match text {
            Some(text) => messages::visible(text).into_owned(),
            None => "-".to_owned(),
        };
        let [url, date, id] = [&record.url, &record.date, &record.id].map(or_none);
        // The spool remembers an error.
        drop(writeln!(out, "{}: {url} {date} {id}", self.path));
    }

    /// Prints a reference, and returns 1 if it should have a target and has none.
    fn print(&mut self, site: &Site<'_>, out: &mut Spool) -> usize {
        let slot = self.options.extras.name_of(site.slot);
        if !self.options.filter.allows(slot) {
            return 0;
        }
        if self.format == Format::Text && !self.is_begun {
            self.begin(out);
        }
        let target = target(site, self.document, &mut self.target);
        let other = site.other_target();
        let span = site.frame.raw(site.span);
        let (line, column) = self.lines.position(span.start);
        match self.format {
            Format::Text => {
                let mut digits = Digits::default();
                let (start, column) = (self.start.of(line), digits.write(column, b": "));
                let target = target.filter(|target| *target != site.text);
                let before = [start, column, slot.as_bytes()];
                match (target, &other) {
                    (Some(target), Some(other)) => {
                        let both = format!("{target} or {other}");
                        out.append(|out| text_line(out, before, site.text, Some(&both)));
                    }
                    _ => out.append(|out| text_line(out, before, site.text, target)),
                }
            }
            Format::Json => {
                let documents = site.frame.embedded();
                let name = |embedded| Embedded::new(embedded, self.options, self.document);
                let base = site.context.base().map(|base| self.document.web_url(base));
                let line = Line {
                    root: self.entry.root,
                    path: &self.named.path,
                    path_bytes: self.named.path_bytes.as_deref(),
                    unit: self.document.number(),
                    record: self.document.record(),
                    part: site.frame.part(),
                    embedded: documents.iter().map(name).collect(),
                    line,
                    column,
                    span: pair(span).map(|at| self.document.in_file(at)),
                    span_exact: (!site.frame.is_exact()).then_some(false),
                    slot,
                    kind: site.kind.name(),
                    text: site.text,
                    base: base.as_deref(),
                    base_source: site.context.base_source().name(),
                    target,
                    other_target: other.as_deref(),
                    reading: self.document.reading().map(Preference::name),
                };
                drop(messages::write_json(out, &line));
            }
        }
        usize::from(target.is_none() && site.kind.has_target() && !site.is_beside())
    }
}

/// Appends the line of a reference: path and line, column, slot, its text, and its target if that
/// differs.
fn text_line(out: &mut Vec<u8>, before: [&[u8]; 3], text: &str, target: Option<&str>) {
    let begin = out.len();
    let mut parts = |text: &str, target: Option<&str>| {
        out.truncate(begin);
        let arrow: &[u8] = if target.is_some() { b" -> " } else { b"" };
        let [start, column, slot] = before;
        let target = target.unwrap_or_default().as_bytes();
        let n_before = start.len() + column.len() + slot.len();
        out.reserve(n_before + text.len() + arrow.len() + target.len() + 2);
        out.extend_from_slice(start);
        out.extend_from_slice(column);
        out.extend_from_slice(slot);
        out.push(b' ');
        out.extend_from_slice(text.as_bytes());
        out.extend_from_slice(arrow);
        out.extend_from_slice(target);
        messages::is_printable_ascii(&out[begin + n_before..])
    };
    // Most references are of ASCII.
    if !parts(text, target) {
        let target = target.map(messages::visible);
        parts(&messages::visible(text), target.as_deref());
    }
    out.push(b'\n');
}

/// The start of lines of output: the path and a line, mostly that of the reference before.
struct LineStart {
    text: Vec<u8>,
    n_path: usize,
    line: Option<usize>,
}

impl LineStart {
    fn new(path: &str) -> Self {
        LineStart { text: path.as_bytes().to_vec(), n_path: path.len(), line: None }
    }

    /// Returns `PATH:LINE:`.
    fn of(&mut self, line: usize) -> &[u8] {
        if self.line != Some(line) {
            self.line = Some(line);
            self.text.truncate(self.n_path);
            self.text.push(b':');
            self.text.extend_from_slice(Digits::default().write(line, b":"));
        }
        &self.text
    }
}

/// The digits of a number: `write!` takes a tenth of a run.
#[derive(Default)]
struct Digits([u8; 24]);

impl Digits {
    /// Returns a number and the characters after it.
    fn write(&mut self, number: usize, end: &[u8]) -> &[u8] {
        let mut at = self.0.len() - end.len();
        self.0[at..].copy_from_slice(end);
        let mut put = |octet: u8| {
            at -= 1;
            self.0[at] = octet;
        };
        let mut rest = number;
        loop {
            put(b'0' + u8::try_from(rest % 10).unwrap_or_default());
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        &self.0[at..]
    }
}

/// Returns the target of a reference, if it is known. A resource that was saved with a page is not
/// at a URL of the original site, and entities are not expanded.
fn target<'t>(site: &Site<'_>, document: &Document, target: &'t mut String) -> Option<&'t str> {
    let has_target = site.kind.has_target() && !site.is_beside() && !site.has_entity();
    if !has_target || resolved(site, target).is_err() {
        return None;
    }
    if let Cow::Owned(web) = document.web_url(target) {
        *target = web;
    }
    Some(target)
}

/// Resolves a reference into a buffer, if its base is known. The document that a same-document
/// reference identifies is known if the base is its URL.
pub(super) fn resolved<'t>(
    site: &Site<'_>,
    target: &'t mut String,
) -> Result<Resolution<&'t str>, ResolveError> {
    let Some(resolver) = site.resolver else {
        urlcore::resolve_without_base(site.text, site.dialect, target)?;
        return Ok(Resolution::Url(target));
    };
    if let Resolution::SameDocument { .. } = resolver.resolve_into(site.text, target)? {
        if !site.is_base_own {
            let fragment = target.strip_prefix('#');
            return Ok(Resolution::SameDocument { fragment });
        }
        target.insert_str(0, resolver.base().split('#').next().unwrap_or_default());
    }
    site.request(target);
    Ok(Resolution::Url(target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_display_writes_them() {
        let mut start = LineStart::new("a.html");
        for number in [0, 1, 9, 9, 10, 1234567890, usize::MAX, 1] {
            assert_eq!(Digits::default().write(number, b": "), format!("{number}: ").as_bytes());
            assert_eq!(start.of(number), format!("a.html:{number}:").as_bytes());
        }
    }

    #[test]
    fn lines_are_visible() {
        let line = |text: &str, target| {
            let mut out = b"before\n".to_vec();
            text_line(&mut out, [b"a.html:1:", b"2: ", b"a[href]"], text, target);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(line("b", None), "before\na.html:1:2: a[href] b\n");
        assert_eq!(line("b", Some("http://h/b")), "before\na.html:1:2: a[href] b -> http://h/b\n");
        let escaped = "before\na.html:1:2: a[href] \u{FC}%1B -> http://h/%7F\n";
        assert_eq!(line("\u{FC}\x1B", Some("http://h/\x7F")), escaped);
    }
}
