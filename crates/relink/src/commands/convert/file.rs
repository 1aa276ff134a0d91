//! The work on one file, or on one document of a container.

use std::ffi::OsStr;
use std::io;

use rewrite::{Integrity, Rewritten, SkipReason, SkipScope};

use super::details::Details;
use super::listed::DocumentNames;
use super::loads::Loads;
use super::output::{kept, location, options};
use super::references::NewUrls;
use super::result::{OutputBytes, PiecePlace, ResultKind, UnitResult, failed};
use super::run::Run;
use super::{references, renaming, shown};
use crate::commands::{LineCounter, NOT_READ, guarded, of_fault, of_skipped, outside, unsupported};
use crate::events::summary;
use crate::files::container::{self, ContentError, Fault, FileType, Rebuilt};
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::dirs::Location;
use crate::os::failure::Failure;
use crate::os::messages;
use crate::os::undo_log::Changes;
use crate::plan::Convert;
use crate::plan::destination::{Output, Replacing};
use crate::recovery::write::{self, SourceFile, WriteOptions};
use crate::tree::input::{self, Document, DocumentSource, Input, Item, Placed};

/// The message for a document in which XML Base gives other targets than browsers.
const IGNORED_XML_BASE: &str = "xml:base ignored from here on, as in browsers; by XML Base this reference has another target; use `--xml-base everywhere` to apply xml:base";

/// The message for a message whose signatures are broken.
const BROKEN_SEAL: &str = "its signature (DKIM, ARC) is invalid now; the signed content was changed; use `--keep-dkim` to skip such messages";

/// Processes one file, or one piece of a container.
pub(super) fn item(run: &Run<'_>, item: Item) -> UnitResult {
    let config = run.config;
    let outside = outside(&config.tree, &item, NOT_READ);
    let item = match item {
        Item::Piece(opened, number, read) => {
            let path = &opened.entry.path;
            let place = PiecePlace::of(&read);
            let content = guarded(path, || Ok(input::content(&opened, &read)?));
            let content = match content {
                Ok(content) => content,
                Err(error) => {
                    let kind = ResultKind::Piece(opened, place, OutputBytes::same(read.bytes));
                    return UnitResult {
                        kind,
                        failures: vec![error.to_string()],
                        ..UnitResult::default()
                    };
                }
            };
            let entry = opened.entry_of_member(&read);
            let is_unsupported = matches!(read.fault, Some(Fault::Unsupported(_)));
            return match input::of_piece(&config.tree, opened, number, read, content) {
                Input::Document(document) => piece(run, &entry, place, *document),
                Input::Around(opened, bytes) => UnitResult {
                    kind: ResultKind::Piece(opened, place, OutputBytes::same(bytes)),
                    messages: outside.into_iter().collect(),
                    is_unsupported,
                    ..UnitResult::default()
                },
                _ => UnitResult::default(),
            };
        }
        Item::End(opened, result) => {
            let failures = result.err().map(|failure| failure.to_string());
            let failures = failures.into_iter().collect();
            return UnitResult { kind: ResultKind::End(opened), failures, ..UnitResult::default() };
        }
        item => item,
    };
    let path = item.path().to_owned();
    guarded(&path, || Ok(file(run, item))).unwrap_or_else(failed)
}

/// Returns true if digests of files in pages are computed again.
pub(super) fn has_digests(config: &Convert) -> bool {
    config.tree.options.integrity == Integrity::Renew
}

/// Processes one document of a container. If it fails, its piece stays unchanged.
fn piece(run: &Run<'_>, entry: &Entry, place: PiecePlace, document: Document) -> UnitResult {
    let result = guarded(&entry.path, || Ok(rewritten(run, entry, &document)));
    let Document { bytes, source, .. } = document;
    let (mut done, after) = result.unwrap_or_else(|message| (failed(message), None));
    if let DocumentSource::Piece(placed) = source {
        let Placed { opened, encoded, .. } = *placed;
        let after = after.unwrap_or_else(|| OutputBytes::same(encoded.unwrap_or(bytes)));
        done.kind = ResultKind::Piece(opened, place, after);
    }
    done
}

/// Processes one entry that is not a directory.
fn file(run: &Run<'_>, item: Item) -> UnitResult {
    let config = run.config;
    let kind = match &item {
        Item::Entry(entry, FileType::Document(_))
            if entry.kind == EntryKind::File && config.has_no_names(entry, None) =>
        {
            return without_names(0);
        }
        Item::Entry(entry, _) => entry.kind,
        _ => EntryKind::File,
    };
    let (entry, input) = match input::read(&config.tree, item) {
        Ok(read) => read,
        Err(failure) => {
            // Files are renamed, and those of which pages have digests are written, when all
            // documents are: the run can be continued.
            let needs_all = config.file_renames().is_some() || has_digests(config);
            let is_of_disk = needs_all && failure.is_of_disk();
            return UnitResult { is_of_disk, ..failed(failure) };
        }
    };
    let entry = &entry;
    let to = match location(run, entry) {
        Ok(to) => to,
        Err(failure) => return UnitResult::not_written(&entry.path, failure),
    };
    let link = |to: &Location| {
        let from = config.tree.locate(entry)?;
        let written = write::link(&from, to, options(config))?;
        run.note_link(entry, to).map(|()| Some(written))
    };
    let result = match kind {
        EntryKind::Link => {
            let written = to.as_ref().map_or(Ok(None), link);
            written.map(|written| other().written(written))
        }
        EntryKind::Special => {
            let message = messages::of_path(&entry.path, walk::SPECIAL);
            let report = |text| UnitResult { messages: vec![text], ..UnitResult::default() };
            return if entry.is_single { failed(message) } else { report(message) };
        }
        EntryKind::Directory | EntryKind::File | EntryKind::Stdin => {
            convert(run, entry, input, to.as_ref())
        }
    };
    result.unwrap_or_else(|failure| UnitResult::not_written(&entry.path, failure))
}

/// Returns the result for an entry that is not a document.
fn other() -> UnitResult {
    UnitResult { is_other: true, ..UnitResult::default() }
}

/// Returns the result for a document that names no renamed file, of which so many bytes were read.
fn without_names(n_bytes: u64) -> UnitResult {
    UnitResult { n_bytes, is_document: true, has_no_names: true, ..UnitResult::default() }
}

fn convert(
    run: &Run<'_>,
    entry: &Entry,
    input: Input,
    to: Option<&Location>,
) -> Result<UnitResult, Failure> {
    let config = run.config;
    let mut done = match input {
        Input::Document(document) => return Ok(document_done(run, entry, &document, to)),
        Input::Unsupported(kind) => {
            let message = messages::of_path(&entry.path, &unsupported(kind));
            let is_reported = config.tree.is_verbose || entry.is_single;
            let messages = if is_reported { vec![message] } else { Vec::new() };
            UnitResult { messages, is_unsupported: true, ..UnitResult::default() }
        }
        Input::TooLarge(limit) => {
            let failure = messages::of_path(&entry.path, &format!("skipped; {limit}"));
            if config.output == Output::Stdout {
                return Ok(failed(failure));
            }
            UnitResult { failures: vec![failure], ..UnitResult::default() }
        }
        Input::Stream(bytes) => {
            let done = UnitResult {
                messages: vec![input::no_document(&config.tree, entry)],
                is_unread: true,
                ..other()
            };
            return match to {
                Some(to) => {
                    let options = WriteOptions { keeps_origin: false, ..options(config) };
                    let written = write::bytes(to, &bytes, None, options)?;
                    run.note_copy(entry, to)?;
                    Ok(done.written(Some(written)))
                }
                None => Ok(UnitResult { output: bytes, ..done }),
            };
        }
        Input::Other if config.tree.finished.contains(&entry.path) => return Ok(other()),
        Input::Other if entry.is_single && config.tree.allows(entry) => {
            UnitResult { messages: vec![input::no_document(&config.tree, entry)], ..other() }
        }
        Input::Around(..) | Input::End(..) | Input::Other => other(),
    };
    done.is_unread = entry.is_single;
    match to {
        Some(to) => {
            let written = write::copy(&config.tree.locate(entry)?, to, options(config))?;
            run.note_copy(entry, to)?;
            done = done.written(Some(written));
        }
        None if config.output == Output::Stdout => {
            done.output =
                input::small(&config.tree, &entry.path).map_err(Failure::reading(&entry.path))?;
        }
        None => {}
    }
    Ok(done)
}

/// Processes a document that is a file, and writes it.
fn document_done(
    run: &Run<'_>,
    entry: &Entry,
    document: &Document,
    to: Option<&Location>,
) -> UnitResult {
    let config = run.config;
    let (mut done, output) = rewritten(run, entry, document);
    let after = output.as_ref().map_or(&*document.bytes, |after| &after.bytes);
    let source = document.file().map(|(file, metadata)| SourceFile { file, metadata });
    let options = options(config);
    let renamed = container::of_whole_file(document.media)
        .and_then(|container| container.renamed(entry.below.file_name()?, &document.bytes, after));
    let written = match (to, &config.output, &output) {
        (Some(to), place, _) => {
            let renamed = renamed.filter(|_| matches!(place, Output::Below(_)));
            if let (Some(expected), Some(name)) = (&run.expected, &renamed) {
                let below = config.output_path(entry.root, &entry.below);
                expected.rename(entry.root, below, below.with_file_name(name));
            }
            let names = DocumentNames { renamed: renamed.as_deref(), kept: None };
            let none = Changes::default();
            let changes = output.as_ref().map_or(&none, |output| &output.changes);
            let to = renamed.as_ref().map_or_else(|| to.clone(), |name| to.sibling(name));
            run.note(entry, names, &document.bytes, after, changes)
                .and_then(|()| write::bytes(&to, after, source, options))
                .map(Some)
        }
        (None, Output::InPlace(replacing), Some(after)) => {
            over(run, entry, document, after, renamed.as_deref(), replacing).map(|()| None)
        }
        _ => Ok(None),
    };
    if written.is_ok() && (to.is_some() || output.is_some()) {
        run.set_written(entry);
    }
    if config.output == Output::Stdout && !config.shows_diff {
        done.output = after.to_vec();
    }
    match written {
        Ok(written) => done.written(written),
        Err(failure) => {
            let UnitResult { output, n_bytes, .. } = done;
            let failed = UnitResult::not_written(&entry.path, failure);
            UnitResult { output, n_bytes, is_document: true, ..failed }
        }
    }
}

/// Writes a document over itself, or under its new name, if it gets one.
fn over(
    run: &Run<'_>,
    entry: &Entry,
    document: &Document,
    after: &OutputBytes,
    renamed: Option<&OsStr>,
    replacing: &Replacing,
) -> Result<(), Failure> {
    let Some((file, metadata)) = document.file() else { return Ok(()) };
    let at = run.config.tree.locate(entry)?;
    // A recorded document counts as the work of this run.
    if let Some(taken) = renamed.filter(|name| !at.sibling(name).is_free()) {
        return Err(Failure::writing(&entry.path)(name_is_taken(taken)));
    }
    let names = DocumentNames { renamed, kept: kept(run.config, &at) };
    run.note(entry, names, &document.bytes, &after.bytes, &after.changes)?;
    let source = SourceFile { file, metadata };
    write::replace(&at, &after.bytes, source, replacing, renamed, run.config.is_durable)
}

/// Returns the error for a document whose new name, which contains its size, exists.
fn name_is_taken(name: &OsStr) -> io::Error {
    io::Error::other(format!(
        "its new name {}, which contains its size, exists already; remove or rename one of the two files",
        name.to_string_lossy()
    ))
}

/// Rewrites a document in memory: returns the result, and the new bytes if they differ. Writes no
/// file.
fn rewritten(
    run: &Run<'_>,
    entry: &Entry,
    document: &Document,
) -> (UnitResult, Option<OutputBytes>) {
    let config = run.config;
    if config.has_no_names(entry, Some(document)) {
        return (without_names(document.bytes.len() as u64), None);
    }
    let new = references::new_place(config, entry, document);
    let new_place = new.as_ref().map(NewUrls::place);
    let loads = Loads::new(config, document);
    let mut rewritten = references::rewritten(document, entry, config, new_place, Some(&loads));
    if let Some(failure) = loads.failure() {
        return (UnitResult::not_written(&entry.path, failure), None);
    }
    if config.loads.is_unread(entry.root, &entry.below) {
        let text = "skipped; a page has its digest, which could not be computed";
        return (UnitResult::not_written(&entry.path, Failure::because(&entry.path, text)), None);
    }
    let mut done = UnitResult {
        n_bytes: document.bytes.len() as u64,
        is_document: true,
        is_further: !document.is_counted(),
        hint: document.hint().map(|hint| hint.source),
        is_shown_as_text: renaming::is_shown_as_text(config, entry, document),
        ..UnitResult::default()
    };
    let output = match rewritten.take_output() {
        Some(new) => match rebuild(run, document, new, &mut rewritten) {
            Ok(output) => Some(output),
            Err(reason) => {
                let reason = format!("{}skipped; {reason}", label(document));
                done.failures.push(messages::of_path(&entry.path, &reason));
                return (done, None);
            }
        },
        None => None,
    };
    if let Some((after, decoded)) = output.as_ref().filter(|_| config.shows_diff) {
        let decoded = decoded.as_deref();
        match shown::diff(config, entry, document, after, decoded, &rewritten.edits) {
            Ok(diff) => done.output = diff,
            Err(reason) => {
                let reason = format!("{}skipped; {reason}", label(document));
                done.failures.push(messages::of_path(&entry.path, &reason));
                return (done, None);
            }
        }
    }
    let output = output.map(|(after, _)| after);
    done.is_changed = output.is_some();
    explain(config, entry, document, &rewritten, &mut done);
    done.details = config.lists_details.then(|| {
        let (options, report) = (&config.tree.options, &mut rewritten.report);
        Box::new(Details::new(entry, document, options, report, config.prepares))
    });
    done.report = rewritten.report;
    (done, output)
}

/// Returns the output for a new document: itself, or its piece with it. If the document is encoded
/// in the piece, returns the new document too.
fn rebuild(
    run: &Run<'_>,
    document: &Document,
    new: Vec<u8>,
    rewritten: &mut Rewritten,
) -> Result<(OutputBytes, Option<Vec<u8>>), ContentError> {
    let is_seen = run.config.shows_bytes();
    let Some(rebuilt) = document.rebuild(&new, &rewritten.edits, is_seen) else {
        let changes = match run.log() {
            Some(_) => Changes::new(&document.bytes, &new, &rewritten.edits),
            None => Changes::default(),
        };
        return Ok((OutputBytes { bytes: new.into(), changes, fact: None }, None));
    };
    let Rebuilt { bytes, changes, n_derived, fact } = rebuilt?;
    rewritten.report.n_derived += n_derived;
    let is_encoded = document.piece().is_some_and(|placed| placed.encoded.is_some());
    Ok((OutputBytes { bytes: bytes.into(), changes, fact }, is_encoded.then_some(new)))
}

/// Returns the words with which a message about a numbered document of a container begins.
fn label(document: &Document) -> String {
    document.numbered().map_or(String::new(), |(noun, number)| format!("{noun} {number} "))
}

/// Returns the messages for a document.
fn explain(
    config: &Convert,
    entry: &Entry,
    document: &Document,
    rewritten: &Rewritten,
    done: &mut UnitResult,
) {
    let mut lines = LineCounter::of_document(document);
    let mut place = |at: usize| {
        let (line, column) = lines.position(at);
        format!("{}:{line}:{column}", entry.path.display())
    };
    if let Some(verify_error) = rewritten.verify_error() {
        let message = label(document);
        done.failures.push(messages::of_path(
            &entry.path,
            &format!(
                "{message}skipped; verification failed: {verify_error}; please report this with the file"
            ),
        ));
    }
    if let Some(note) = document.note() {
        done.messages.push(messages::of_path(&entry.path, &note));
    }
    // Such reports come by the thousand if there are thousands of documents.
    let reports_all = config.tree.is_verbose || (entry.is_single && document.numbered().is_none());
    let fault = document.piece().and_then(|placed| placed.fault);
    if let Some(fault) = fault.filter(|_| reports_all) {
        done.messages.push(format!("{}: {fault}", place(0)));
    }
    let doubt = document.piece().and_then(|placed| placed.doubt);
    done.follows_text = doubt.is_some();
    if let Some(doubt) = doubt.filter(|_| config.tree.is_verbose) {
        done.messages.push(format!("{}: {}{doubt}", place(0), label(document)));
    }
    for fault in rewritten.report.faults.iter().filter(|_| reports_all) {
        let (line, column) = lines.position(fault.at);
        done.messages.push(of_fault(entry, line, column, fault));
    }
    for skipped in &rewritten.report.skipped {
        let is_reported = match skipped.reason {
            SkipReason::NoUrl => config.tree.is_verbose,
            _ => reports_all || skipped.extent != SkipScope::Part || summary::is_failure(skipped),
        };
        if !is_reported {
            continue;
        }
        let (line, column) = lines.position(skipped.at);
        let message = of_skipped(entry, line, column, skipped);
        // Nobody corrects them, and a file that is renamed here is rarely in them.
        let is_foreign = || {
            let files = config.tree.markdown.as_ref().filter(|_| config.renames.is_some());
            skipped.extent == SkipScope::Unit
                && files.is_some_and(|files| files.is_foreign(entry, &config.tree.roots))
        };
        match summary::is_failure(skipped) {
            false => done.messages.push(message),
            true if is_foreign() => {
                done.is_foreign = true;
                done.messages.push(message);
            }
            true => done.failures.push(message),
        }
    }
    let mut place = |at: usize| {
        let (line, column) = lines.position(at);
        format!("{}:{line}:{column}", entry.path.display())
    };
    if config.tree.is_verbose && rewritten.report.n_broken_seals > 0 {
        done.messages.push(format!("{}: {BROKEN_SEAL}", place(0)));
    }
    if config.tree.is_verbose {
        let bases = rewritten.report.bad_bases.iter().map(|(reason, at)| (*at, reason.to_string()));
        let incidents = rewritten.report.incidents.iter();
        let incidents = incidents.map(|incident| {
            (incident.at, format!("'{}' {}", incident.reference, incident.message))
        });
        let ignored = rewritten.report.ignored_xml_base.iter();
        let ignored = ignored.map(|at| (*at, IGNORED_XML_BASE.to_owned()));
        let mut all: Vec<(usize, String)> = bases.chain(incidents).chain(ignored).collect();
        all.sort_by_key(|(at, _)| *at);
        done.messages.extend(all.iter().map(|(at, text)| format!("{}: {text}", place(*at))));
    }
}
