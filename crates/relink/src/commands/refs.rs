//! `relink refs`: every reference, one per line.

use std::borrow::Cow;
use std::io::Write;
use std::mem;

use rewrite::{Options, Site, references};
use urlcore::{Resolution, ResolveError};

use super::listing::{self, FileListing, ListSummary};
use super::{LineCounter, in_file, of_fault, of_skipped, place_of, set_reference, unread};
use crate::events::Events;
use crate::events::detail::{DocumentPlace, Finding, ReferenceDetail};
use crate::events::keys::Lines;
use crate::events::summary;
use crate::files::walk::Entry;
use crate::os::format::Format;
use crate::os::messages::{self, Digits};
use crate::os::spool::Spool;
use crate::plan::Refs;
use crate::plan::exit::Error;
use crate::tree::input::{Document, Input};
use crate::urls::mirror::disk::Preference;

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

fn file(config: &Refs, entry: &Entry, input: &Input) -> FileListing {
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
    // Pages of documentation have about as many bytes of references with their targets, and twice
    // as many of JSON.
    let times = if config.format == Format::Json { 2 } else { 1 };
    let output = Spool::for_bytes(times * document.bytes.len());
    let mut listed = FileListing { output, ..FileListing::default() };
    let mut printer = Printer::new(config, entry, document);
    let report = document.with_unit(None, |unit| {
        references(unit, &config.tree.options, |site| {
            listed.n_unresolved += printer.print(site, &mut listed.output)
        })
    });
    let Printer { place, references, .. } = &mut printer;
    listed.references = references.take().map(|references| (mem::take(place), references));
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
    place: DocumentPlace,
    document: &'f Document,
    lines: LineCounter<'f>,
    target: String,
    /// True if the line for the record has been printed, or none is necessary.
    is_begun: bool,
    /// The path, as it is printed.
    path: String,
    start: LineStart,
    json: Option<Lines>,
    /// The last reference that was described.
    detail: ReferenceDetail,
    /// The references, if they are sent as events.
    references: Option<Vec<ReferenceDetail>>,
}

impl<'f> Printer<'f> {
    fn new(config: &'f Refs, entry: &'f Entry, document: &'f Document) -> Self {
        let (format, options) = (config.format, &config.tree.options);
        let path = messages::visible(&entry.path.to_string_lossy()).into_owned();
        let place = place_of(entry, document);
        let json = (format == Format::Json).then(|| Lines::new(place.clone()));
        Printer {
            format,
            options,
            place,
            document,
            lines: LineCounter::of_document(document),
            target: String::new(),
            is_begun: document.record().is_none(),
            start: LineStart::new(&path),
            json,
            path,
            detail: ReferenceDetail::default(),
            references: config.lists_details.then(Vec::new),
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
        if self.format == Format::Text {
            let position = self.lines.position(site.frame.raw(site.span).start);
            self.start.print(position, slot, site.text, (target, other.as_deref()), out);
        }
        let has_target = target.is_some();
        if self.json.is_some() || self.references.is_some() {
            let detail = &mut self.detail;
            set_reference(detail, site, self.document, self.options, &mut self.lines);
            let reading = self.document.reading().map(Preference::name);
            detail.span = in_file(detail.span, self.document);
            detail.finding = Finding::Listed { other_target: other, reading };
            let old = detail.target.take().unwrap_or_default();
            detail.target = has_target.then(|| mem::replace(&mut self.target, old));
            if let Some(lines) = &mut self.json {
                out.append(|out| lines.append(detail, out));
            }
            self.references.iter_mut().for_each(|list| list.push(detail.clone()));
        }
        usize::from(!has_target && site.kind.has_target() && !site.is_beside())
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

    /// Prints a reference, and the targets that it may have.
    fn print(
        &mut self,
        (line, column): (usize, usize),
        slot: &str,
        text: &str,
        (target, other): (Option<&str>, Option<&str>),
        out: &mut Spool,
    ) {
        let mut digits = Digits::default();
        let before = [self.of(line), digits.write(column as u64, b": "), slot.as_bytes()];
        match (target.filter(|target| *target != text), other) {
            (Some(target), Some(other)) => {
                let both = format!("{target} or {other}");
                out.append(|out| text_line(out, before, text, Some(&both)));
            }
            (target, _) => out.append(|out| text_line(out, before, text, target)),
        }
    }

    /// Returns `PATH:LINE:`.
    fn of(&mut self, line: usize) -> &[u8] {
        if self.line != Some(line) {
            self.line = Some(line);
            self.text.truncate(self.n_path);
            self.text.push(b':');
            self.text.extend_from_slice(Digits::default().write(line as u64, b":"));
        }
        &self.text
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
    if site.leaves_package() {
        target.clear();
        return Err(ResolveError::ExcessDots);
    }
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
            let digits = format!("{number}: ");
            assert_eq!(Digits::default().write(number as u64, b": "), digits.as_bytes());
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
