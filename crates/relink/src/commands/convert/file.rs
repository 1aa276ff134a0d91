//! The work on one file, or on one message of a container.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;

use rewrite::{Media, NewPlace, Relative, Rewritten, SkipReason, SkipScope};

use super::{After, Done, Of, Run, failed};
use crate::commands::{Lines, guarded, of_fault};
use crate::config::{Action, Convert};
use crate::container::length;
use crate::container::maildir::{self, Sizes};
use crate::destination::{Output, Replacing};
use crate::diff::{self, Subject};
use crate::dirs::Location;
use crate::failure::Failure;
use crate::input::Item;
use crate::input::{self, Document, Input, Placed};
use crate::journal::record;
use crate::journal::undo_log::Changes;
use crate::walk::{self, Entry, EntryKind};
use crate::write::{self, Source};
use crate::{digest, messages, sidecar, summary};

/// The message of a verbose run for a message whose separator does not follow an empty line.
const AFTER_TEXT: &str = "has no empty line before its separator; it is separated all the same, as the separator is complete and a header field follows";

/// The message for a document in which XML Base gives other targets than browsers.
const IGNORED_XML_BASE: &str = "xml:base is ignored here and below, as in browsers; by XML Base this reference leads elsewhere; --xml-base everywhere follows it";

/// Returns the path to which an entry is written, if it is written to a file.
pub(super) fn target(config: &Convert, entry: &Entry) -> Option<PathBuf> {
    match &config.output {
        Output::Nowhere | Output::Stdout | Output::InPlace(_) => None,
        Output::File(path) => Some(path.clone()),
        Output::Below(roots) if entry.is_single => Some(roots[entry.root].clone()),
        Output::Below(roots) if entry.below.as_os_str().is_empty() => {
            Some(roots[entry.root].clone())
        }
        Output::Below(roots) => Some(roots[entry.root].join(&entry.below)),
    }
}

/// Returns the location where an entry is written, if it is written to a file.
pub(super) fn location(run: &Run<'_>, entry: &Entry) -> Result<Option<Location>, Failure> {
    let Some(shown) = target(run.config, entry) else { return Ok(None) };
    let root = match &run.config.output {
        Output::File(_) => 0,
        _ => entry.root,
    };
    run.out.locate(root, &entry.below, &shown).map(Some).map_err(Failure::at(&shown))
}

/// Processes one file, or one piece of a container.
pub(super) fn item(run: &Run<'_>, item: Item) -> Done {
    let config = run.config;
    if let Some(failure) = input::too_large(&config.tree, &item)
        && let Item::Piece(opened, _, piece) = item
    {
        let of = Of::Piece(opened, piece.at, After::same(piece.bytes));
        return Done { of, failures: vec![failure], ..Done::default() };
    }
    if let Item::Piece(..) | Item::End(..) = item {
        return match input::read(&config.tree, item) {
            Ok((entry, Input::Document(document))) => piece(run, &entry, *document),
            Ok((_, Input::Around(opened, at, bytes))) => {
                Done { of: Of::Piece(opened, at, After::same(bytes)), ..Done::default() }
            }
            Ok((_, Input::End(opened, result))) => {
                let failures = result.err().map(|failure| failure.to_string());
                let failures = failures.into_iter().collect();
                Done { of: Of::End(opened), failures, ..Done::default() }
            }
            Ok(_) => Done::default(),
            Err(message) => failed(message),
        };
    }
    let path = item.path().to_owned();
    guarded(&path, || Ok(file(run, item))).unwrap_or_else(failed)
}

/// Processes one message of a container. If it fails, the message stays unchanged.
fn piece(run: &Run<'_>, entry: &Entry, document: Document) -> Done {
    let result = guarded(&entry.path, || Ok(rewritten(run, entry, &document)));
    let Document { bytes, piece, .. } = document;
    let (mut done, after) = result.unwrap_or_else(|message| (failed(message), None));
    if let Some(placed) = piece {
        let after = after.unwrap_or_else(|| After::same(bytes));
        done.of = Of::Piece(placed.opened, placed.at, after);
    }
    done
}

/// Processes one entry that is not a directory.
fn file(run: &Run<'_>, item: Item) -> Done {
    let config = run.config;
    let kind = match &item {
        Item::Entry(entry, _) => entry.kind,
        _ => EntryKind::File,
    };
    let (entry, input) = match input::read(&config.tree, item) {
        Ok(read) => read,
        Err(message) => return failed(message),
    };
    let entry = &entry;
    let to = match location(run, entry) {
        Ok(to) => to,
        Err(failure) => return Done::not_written(&entry.path, failure),
    };
    let link = |to: Option<&Location>| match to {
        Some(to) => config.tree.locate(entry).and_then(|from| write::link(&from, to)),
        None => Ok(()),
    };
    let result = match kind {
        EntryKind::Link => link(to.as_ref()).map(|()| other()),
        EntryKind::Special => {
            let message = messages::of_path(&entry.path, walk::SPECIAL);
            return match entry.is_single {
                true => failed(message),
                false => Done { messages: vec![message], ..Done::default() },
            };
        }
        EntryKind::Directory | EntryKind::File | EntryKind::Stdin => {
            convert(run, entry, input, to.as_ref())
        }
    };
    result.unwrap_or_else(|failure| Done::not_written(&entry.path, failure))
}

/// Returns the result for an entry that is not a document.
fn other() -> Done {
    Done { is_other: true, ..Done::default() }
}

fn convert(
    run: &Run<'_>,
    entry: &Entry,
    input: Input,
    to: Option<&Location>,
) -> Result<Done, Failure> {
    let config = run.config;
    let mut done = match input {
        Input::Document(document) => return Ok(document_done(run, entry, &document, to)),
        Input::Unsupported(kind) => {
            let message =
                messages::of_path(&entry.path, &format!("{kind} is not read yet; left as it is"));
            let is_reported = config.tree.is_verbose || entry.is_single;
            let messages = if is_reported { vec![message] } else { Vec::new() };
            Done { messages, is_unsupported: true, ..Done::default() }
        }
        Input::TooLarge(met) => {
            let failure = messages::of_path(&entry.path, &format!("left as it is: {met}"));
            if config.output == Output::Stdout {
                return Ok(failed(failure));
            }
            Done { failures: vec![failure], ..Done::default() }
        }
        Input::Stream(bytes) => {
            let done = Done {
                messages: vec![input::no_document(&config.tree, entry)],
                is_unread: true,
                ..other()
            };
            return match to {
                Some(to) => write::bytes(to, &bytes, None, config.is_durable).map(|()| done),
                None => Ok(Done { output: bytes, ..done }),
            };
        }
        Input::Other if config.tree.finished.contains(&entry.path) => return Ok(other()),
        Input::Other if entry.is_single && config.tree.globs.allow(&entry.below) => {
            Done { messages: vec![input::no_document(&config.tree, entry)], ..other() }
        }
        Input::Around(..) | Input::End(..) | Input::Other => other(),
    };
    done.is_unread = entry.is_single;
    match to {
        Some(to) => write::copy(&config.tree.locate(entry)?, to, config.is_durable)?,
        None if config.output == Output::Stdout => {
            done.output =
                input::small(&config.tree, &entry.path).map_err(Failure::at(&entry.path))?;
        }
        None => {}
    }
    Ok(done)
}

/// Processes a document that is a file, and writes it.
fn document_done(run: &Run<'_>, entry: &Entry, document: &Document, to: Option<&Location>) -> Done {
    let config = run.config;
    let (mut done, output) = rewritten(run, entry, document);
    let after = output.as_ref().map_or(&*document.bytes, |after| &after.bytes);
    let metadata = document.file.as_ref().map(|(_, metadata)| metadata);
    // The name of a message in a Maildir contains its length.
    let renamed = matches!(document.media, Media::Message(_))
        .then(|| {
            maildir::renamed(entry.below.file_name()?, Sizes::of(&document.bytes), Sizes::of(after))
        })
        .flatten();
    let written = match (to, &config.output, &output) {
        (Some(to), Output::Below(_), _) => {
            let to = renamed.map_or_else(|| to.clone(), |name| to.sibling(&name));
            write::bytes(&to, after, metadata, config.is_durable)
        }
        (Some(to), ..) => write::bytes(to, after, metadata, config.is_durable),
        (None, Output::InPlace(replacing), Some(after)) => {
            over(run, entry, document, after, renamed.as_deref(), replacing)
        }
        _ => Ok(()),
    };
    if config.output == Output::Stdout && !config.shows_diff {
        done.output = after.to_vec();
    }
    if let Err(failure) = written {
        let Done { output, n_bytes, .. } = done;
        return Done {
            output,
            n_bytes,
            is_document: true,
            ..Done::not_written(&entry.path, failure)
        };
    }
    done
}

/// Writes a document over itself, or under its new name, if it gets one.
fn over(
    run: &Run<'_>,
    entry: &Entry,
    document: &Document,
    after: &After,
    renamed: Option<&OsStr>,
    replacing: &Replacing,
) -> Result<(), Failure> {
    let Some((file, metadata)) = &document.file else { return Ok(()) };
    let at = run.config.tree.locate(entry)?;
    // A recorded document counts as the work of this run.
    if let Some(taken) = renamed.filter(|name| !at.sibling(name).is_free()) {
        return Err(Failure::at(&entry.path)(name_is_taken(taken)));
    }
    note(run, entry, &at, renamed, &document.bytes, after)?;
    let source = Source { file, metadata };
    write::replace(&at, &after.bytes, source, replacing, renamed, run.config.is_durable)
}

/// Returns the error for a message of a Maildir whose name with the new size exists.
fn name_is_taken(name: &OsStr) -> io::Error {
    io::Error::other(format!(
        "left as it is: its new size belongs in its name, and there is a file {} already; remove or rename one of them",
        name.to_string_lossy()
    ))
}

/// Records in the journal what a document becomes.
fn note(
    run: &Run<'_>,
    entry: &Entry,
    at: &Location,
    renamed: Option<&OsStr>,
    before: &[u8],
    after: &After,
) -> Result<(), Failure> {
    let Some(journal) = &run.journal else { return Ok(()) };
    let document = record::Document {
        root: entry.root,
        below: entry.below.clone(),
        old: digest::of_bytes(before),
        new: digest::of_bytes(&after.bytes),
        renamed: renamed.map(OsStr::to_owned),
        kept: kept(run.config, at),
    };
    journal.note(&document, &after.changes)
}

/// Returns the name under which the old document will be kept, unless a file has it already.
pub(super) fn kept(config: &Convert, at: &Location) -> Option<OsString> {
    let Output::InPlace(replacing) = &config.output else { return None };
    let kept = replacing.kept(at.name())?;
    at.sibling(&kept).is_free().then_some(kept)
}

/// Rewrites a document in memory: returns the result, and the new bytes if they differ. Writes no
/// file.
fn rewritten(run: &Run<'_>, entry: &Entry, document: &Document) -> (Done, Option<After>) {
    let config = run.config;
    let options = &config.tree.options;
    let is_message = matches!(document.media, Media::Message(_));
    let new = match &config.action {
        // The path of a message does not determine the place of its parts.
        Action::ForFile(_, locator) if !is_message => {
            let subject = Entry {
                path: sidecar::subject(&entry.path, document.media),
                below: sidecar::subject(&entry.below, document.media),
                ..entry.clone()
            };
            Some((locator.new_url(&subject), locator.new_root(&subject)))
        }
        Action::Move(to) => document.url().map(|url| (to.map.url(url), String::new())),
        _ => None,
    };
    let new_place = new.as_ref().map(|(url, root)| NewPlace { url, root });
    let mut rewritten = document.with_unit(new_place, |unit| match &config.action {
        Action::Absolutize => rewrite::absolutize(unit, options),
        Action::Move(to) => rewrite::relocate(unit, options, to),
        Action::ForFile(relative, _) if is_message => {
            let Relative { map, missing, .. } = Relative::default();
            rewrite::relativize(unit, options, &Relative { map, missing, ..relative.clone() })
        }
        Action::Relativize(relative) | Action::ForFile(relative, _) => {
            rewrite::relativize(unit, options, relative)
        }
    });
    let output = rewritten.output.take().map(|bytes| match &document.piece {
        Some(placed) => around(document, placed, &bytes, &mut rewritten),
        None => {
            let changes = match run.journal {
                Some(_) => Changes::of(&document.bytes, &bytes, &rewritten.edits),
                None => Changes::default(),
            };
            After { bytes, changes }
        }
    });
    let mut done = Done {
        n_bytes: document.bytes.len() as u64,
        is_document: true,
        is_changed: output.is_some(),
        hint: document.hint().map(|hint| hint.source),
        ..Done::default()
    };
    if let Some(after) = output.as_ref().filter(|_| config.shows_diff) {
        let path = shown_path(config, entry);
        let n_lines = document.piece.as_ref().map_or(0, |placed| placed.n_lines);
        let n_lines = usize::try_from(n_lines).unwrap_or_default();
        let subject = Subject { path: &path, n_lines, at: document.span().start };
        done.output =
            diff::unified(subject, &document.bytes, &after.bytes, &rewritten.edits, config.look);
    }
    explain(config, entry, document, &rewritten, &mut done);
    done.report = rewritten.report;
    (done, output)
}

/// Returns a piece with its message rewritten.
fn around(
    document: &Document,
    placed: &Placed,
    message: &[u8],
    rewritten: &mut Rewritten,
) -> After {
    let Document { bytes, .. } = document;
    let Placed { message: old, length, .. } = placed;
    let mut out = Vec::with_capacity(bytes.len() + message.len() - old.len());
    let mut changes = Changes::default();
    let digits = length.clone().and_then(|length| {
        let digits = length::rewritten(&bytes[length.clone()], old.len(), message.len())?;
        Some((length, digits))
    });
    match digits {
        Some((span, digits)) => {
            rewritten.report.n_derived += 1;
            out.extend_from_slice(&bytes[..span.start]);
            out.extend_from_slice(&digits);
            changes.push(span.start as u64, digits.len() as u64, &bytes[span.clone()]);
            out.extend_from_slice(&bytes[span.end..old.start]);
        }
        None => out.extend_from_slice(&bytes[..old.start]),
    }
    let start = out.len() as u64;
    for (span, old) in Changes::of(&bytes[old.clone()], message, &rewritten.edits).iter() {
        changes.push(start + span.start, span.end - span.start, old);
    }
    out.extend_from_slice(message);
    out.extend_from_slice(&bytes[old.end..]);
    After { bytes: out, changes }
}

/// Returns the path in a diff: below the root, and with several roots, below the name of the root.
pub(super) fn shown_path(config: &Convert, entry: &Entry) -> PathBuf {
    match &config.tree.roots[..] {
        [_] => entry.below.clone(),
        _ if entry.is_single => entry.below.clone(),
        roots => roots[entry.root].name().join(&entry.below),
    }
}

/// Returns the messages for a document.
fn explain(
    config: &Convert,
    entry: &Entry,
    document: &Document,
    rewritten: &Rewritten,
    done: &mut Done,
) {
    let mut lines = Lines::of_document(document);
    let mut place = |at: usize| {
        let (line, column) = lines.of(at);
        format!("{}:{line}:{column}", entry.path.display())
    };
    if let Some(verify_error) = &rewritten.verify_error {
        let message = document.number().map_or(String::new(), |n| format!("message {n} is "));
        done.failures.push(messages::of_path(
            &entry.path,
            &format!("{message}left as it is, the proof failed: {verify_error}"),
        ));
    }
    // Such reports come by the thousand if there are thousands of messages.
    let reports_all = config.tree.is_verbose || (entry.is_single && document.piece.is_none());
    let fault = document.piece.as_ref().and_then(|placed| placed.fault);
    if let Some(fault) = fault.filter(|_| reports_all) {
        done.messages.push(format!("{}: {fault}", place(0)));
    }
    done.follows_text = document.piece.as_ref().is_some_and(|placed| placed.follows_text);
    if done.follows_text && config.tree.is_verbose {
        let number = document.number().unwrap_or_default();
        let message = format!("{}: message {number} {AFTER_TEXT}", place(0));
        done.messages.push(message);
    }
    for fault in rewritten.report.faults.iter().filter(|_| reports_all) {
        let (line, column) = lines.of(fault.at);
        done.messages.push(of_fault(entry, line, column, fault));
    }
    let mut place = |at: usize| {
        let (line, column) = lines.of(at);
        format!("{}:{line}:{column}", entry.path.display())
    };
    for skipped in &rewritten.report.skipped {
        let is_reported = match skipped.reason {
            SkipReason::NoUrl => config.tree.is_verbose,
            _ => reports_all || skipped.extent != SkipScope::Part || summary::is_failure(skipped),
        };
        if !is_reported {
            continue;
        }
        let what = match skipped.extent {
            SkipScope::Part if skipped.is_field() => "a header field is left as it is",
            SkipScope::Unit => "left as it is",
            SkipScope::Part => "a part is left as it is",
            SkipScope::Embedded => "an embedded document is left as it is",
        };
        let part = skipped.part.as_ref().map_or(String::new(), |part| format!(" part {part}:"));
        let message = format!("{}:{part} {what}: {}", place(skipped.at), skipped.reason);
        let list =
            if summary::is_failure(skipped) { &mut done.failures } else { &mut done.messages };
        list.push(message);
    }
    if config.tree.is_verbose && rewritten.report.n_broken_seals > 0 {
        done.messages.push(format!("{}: its signature (DKIM, ARC) no longer holds", place(0)));
    }
    if config.tree.is_verbose {
        let bases = rewritten.report.bad_bases.iter().map(|(reason, at)| (*at, reason.to_string()));
        let incidents = rewritten.report.incidents.iter();
        let incidents = incidents
            .map(|incident| (incident.at, format!("{}: {}", incident.reason, incident.reference)));
        let ignored = rewritten.report.ignored_xml_base.iter();
        let ignored = ignored.map(|at| (*at, IGNORED_XML_BASE.to_owned()));
        let mut all: Vec<(usize, String)> = bases.chain(incidents).chain(ignored).collect();
        all.sort_by_key(|(at, _)| *at);
        done.messages.extend(all.iter().map(|(at, text)| format!("{}: {text}", place(*at))));
    }
}
