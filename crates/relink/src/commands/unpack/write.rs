//! The second pass: the files of a message.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use basectx::message::{Defect, Diagnostic, Undecoded};
use layers::flowed;
use rewrite::{Counts, Limit, Media};

use super::attachments::attachment;
use super::listed::{Planned, PlannedArchive, key};
use super::out::{FileOrigin, Out};
use crate::archives::unpack::file::{self, AllFiles};
use crate::archives::unpack::names::MessageKind;
use crate::archives::unpack::pages::{self, Attachment, MessageBody, MessagePage};
use crate::archives::unpack::parts::{self, MessagePart, Read};
use crate::commands::{LineCounter, guarded, outside};
use crate::files::walk::Entry;
use crate::os::digest;
use crate::os::messages;
use crate::plan::Unpack;
use crate::recovery::write::FileWrite;
use crate::tree::ProgressStep;
use crate::tree::input::{self, Document, Input, Item};

/// What was done for a message.
#[derive(Default)]
pub(super) struct MessageResult {
    pub(super) step: ProgressStep,
    /// True if a message was unpacked.
    pub(super) is_unpacked: bool,
    /// The length of the message, in bytes.
    pub(super) n_bytes: u64,
    pub(super) messages: Vec<String>,
    /// What was not done.
    pub(super) failures: Vec<String>,
    pub(super) n_files: usize,
    pub(super) n_current: usize,
    pub(super) counts: Counts,
    pub(super) n_twins: usize,
    pub(super) n_blocked: usize,
}

/// Writes the files of a message; `None` if an item is none, or failed in the first pass.
pub(super) fn write(
    run: &Unpack,
    planned: &Planned,
    out: &Out<'_>,
    item: Item,
) -> Option<MessageResult> {
    let step = ProgressStep::new(&item);
    let outside = outside(&run.tree, &item, "it is in no file");
    let act = || {
        let (entry, input) = input::read_document(&run.tree, item)?;
        let Input::Document(document) = &input else { return Ok(None) };
        if !matches!(document.media, Media::Message(_)) {
            return Ok(None);
        }
        let archive = planned.by_key.get(&key(&entry, document));
        let archive = archive.map(|idx| &planned.archives[*idx]);
        let mut done =
            MessageResult { n_bytes: document.unit().len() as u64, ..MessageResult::default() };
        match archive.filter(|archive| archive.digest == digest::of_bytes(document.unit())) {
            Some(archive) => {
                done.is_unpacked = true;
                let detached =
                    |part: &str, name: Option<&str>| attachment(&run.tree, &entry, part, name);
                let notes = document.with_unit(None, |unit| {
                    parts::read(unit, &run.tree.options, &detached, |read| {
                        let mut notes = notes(run, read);
                        MessageWriter { run, planned, out, archive }
                            .all(read, &mut done, &mut notes);
                        notes
                    })
                });
                done.add(notes, &entry, document);
            }
            None => done.failures.push(messages::of_path(
                &entry.path,
                "skipped; it was changed during the run; run relink again",
            )),
        }
        Ok(Some(done))
    };
    let path = step.path.clone();
    match guarded(&path, act) {
        Ok(None) => outside.map(|text| MessageResult {
            step,
            messages: vec![text],
            ..MessageResult::default()
        }),
        Ok(done) => done.map(|done| MessageResult { step, ..done }),
        // The first pass may have reported it.
        Err(error) => {
            let error = error.to_string();
            let is_new = !planned.reported.contains(&error);
            let failures = is_new.then_some(error).into_iter().collect();
            Some(MessageResult { step, failures, ..MessageResult::default() })
        }
    }
}

/// Something about a part of a message that its files do not show.
struct PartNote {
    /// The offset in the message.
    at: usize,
    /// The number of the part; empty for the message.
    part: String,
    reason: String,
    /// True if it was not done.
    is_failure: bool,
}

impl PartNote {
    fn new(read: Read<'_>, entity: usize, at: usize, reason: impl Into<String>) -> Self {
        let part = read.message.part(entity);
        PartNote { at, part, reason: reason.into(), is_failure: false }
    }
}

impl MessageResult {
    /// Adds messages about the parts of a message, in the order of the text.
    fn add(&mut self, mut notes: Vec<PartNote>, entry: &Entry, document: &Document) {
        notes.sort_by_key(|note| note.at);
        let mut lines = LineCounter::of_document(document);
        for PartNote { at, part, reason, is_failure } in notes {
            let (line, column) = lines.position(at);
            let part = if part.is_empty() { String::new() } else { format!(" part {part}:") };
            let numbered = document.numbered();
            let message =
                numbered.map_or(String::new(), |(noun, number)| format!(" {noun} {number}:"));
            let path = entry.path.display();
            let text = format!("{path}:{line}:{column}:{message}{part} {reason}");
            let list = if is_failure { &mut self.failures } else { &mut self.messages };
            list.push(text);
        }
    }
}

/// Returns what is wrong with the parts of a message. What exceeds a limit is not written.
fn notes(run: &Unpack, read: Read<'_>) -> Vec<PartNote> {
    let limits = &run.tree.options.limits;
    let defect = |Diagnostic { entity, at, defect }: &Diagnostic| {
        let limit = match defect {
            Defect::TooDeep => Some(Limit::PartDepth),
            Defect::TooMany => Some(Limit::Parts),
            Defect::LongField => Some(Limit::FieldSize),
            _ => None,
        };
        let reason =
            limit.map_or_else(|| defect.to_string(), |limit| limits.met(limit).to_string());
        PartNote { is_failure: limit.is_some(), ..PartNote::new(read, *entity, *at, reason) }
    };
    let absent = |idx: usize| {
        let start = read.entity(idx).headers.start;
        PartNote::new(read, idx, start, ABSENT)
    };
    let is_absent = |idx: &usize| read.is_absent(*idx);
    let defects = read.message.diagnostics.iter().map(defect);
    defects.chain(read.message.leaves().filter(is_absent).map(absent)).collect()
}

/// Returns the message about what of a part is not decoded.
fn of_undecoded(read: Read<'_>, entity: usize, undecoded: Undecoded) -> PartNote {
    let start = read.entity(entity).body.start;
    let (at, reason) = match undecoded {
        Undecoded::Rest(at) => (start + at, "text after the encoded data; it is in no file"),
        Undecoded::Invalid => (start, "it is not in its transfer encoding; written as it is"),
        Undecoded::Unsupported => (start, "unsupported transfer encoding; written as it is"),
    };
    PartNote::new(read, entity, at, reason)
}

/// The message about a part whose content Apple Mail keeps elsewhere.
const ABSENT: &str =
    "not unpacked; its content is not in this file, and no file of `../Attachments` has it";

/// The message about a text that the page of its message does not show.
const UNREADABLE: &str = "its text is in its file only; unsupported charset";

/// The header fields that the page of a message shows.
const FIELDS: [&str; 9] =
    ["From", "To", "Cc", "Date", "Reply-To", "Newsgroups", "List-Id", "Archived-At", "Message-ID"];

struct MessageWriter<'w> {
    run: &'w Unpack,
    planned: &'w Planned,
    out: &'w Out<'w>,
    archive: &'w PlannedArchive,
}

impl<'w> MessageWriter<'w> {
    /// Writes all parts of a message.
    fn all(&self, read: Read<'_>, done: &mut MessageResult, notes: &mut Vec<PartNote>) {
        let MessageWriter { run, planned, archive, .. } = *self;
        let styles = if run.options.raw { HashMap::new() } else { read.bases_of_styles() };
        let (own, shared) = (Arc::clone(&archive.files), Arc::clone(&planned.shared));
        let is_mail = archive.kind != MessageKind::Page;
        let blocks_remote = !run.options.allow_remote;
        let has_twins = run.options.has_twins();
        let shown = archive.shown_documents();
        let files = AllFiles { own, shared, styles, is_mail, blocks_remote, shown, has_twins };
        let mut sizes = Vec::with_capacity(archive.parts.len());
        for (part, path) in archive.parts.iter().zip(&archive.paths) {
            if run.options.raw {
                let (body, undecoded) = read.body_and_rest(part.entity);
                notes.extend(undecoded.map(|rest| of_undecoded(read, part.entity, rest)));
                self.file(path, &body, None, done);
                continue;
            }
            let file = file::make(read, part, path, &files);
            notes.extend(file.undecoded.map(|rest| of_undecoded(read, part.entity, rest)));
            done.n_blocked += file.n_blocked;
            let (failure, skipped) = file.left();
            let message = |reason: String| messages::of_path(&run.out().join(path), &reason);
            done.failures.extend(failure.map(message));
            done.messages.extend(skipped.map(message));
            if let Some(report) = &file.report {
                done.counts.add(&report.counts);
                done.n_twins += report.n_twins;
            }
            self.file(path, file.bytes(), Some((&file.body, &file.edits)), done);
            sizes.push(file.bytes().len());
        }
        if let Some(at) = &archive.page {
            let page = self.page(at, read, &sizes, notes);
            self.file(at, page.as_bytes(), None, done);
        }
    }

    /// Returns the page of a message of mail, given the lengths of its files.
    fn page(
        &self,
        at: &Path,
        read: Read<'_>,
        sizes: &[usize],
        notes: &mut Vec<PartNote>,
    ) -> String {
        let MessageWriter { planned, archive, .. } = *self;
        let PlannedArchive { parts, externals, paths, header, place, .. } = archive;
        let root = archive.root.map(|root| (root, &parts[root]));
        let body = match root {
            Some((root, part)) if part.is_html() => MessageBody::Page(&paths[root]),
            Some((_, part)) if part.media_type.starts_with("text/") => {
                let entity = read.entity(part.entity);
                let content_type = &entity.content_type;
                match read.body_text(part.entity) {
                    Some(text) if content_type.is_flowed => {
                        MessageBody::Text(flowed::joined(&text, content_type.deletes_space))
                    }
                    Some(text) => MessageBody::Text(text),
                    None => {
                        let at = entity.body.start;
                        notes.push(PartNote::new(read, part.entity, at, UNREADABLE));
                        MessageBody::Other
                    }
                }
            }
            _ => MessageBody::Other,
        };
        let attachment = |(idx, part): (usize, &'w MessagePart)| Attachment {
            idx,
            path: &paths[idx],
            is_document: file::is_document(&paths[idx]),
            media_type: &part.media_type,
            size: sizes.get(idx).copied().unwrap_or_default(),
        };
        let is_here = |(_, part): &(usize, &MessagePart)| read.external(part.entity).is_none();
        let answered = |id: &String| {
            let archive = &planned.archives[*planned.by_id.get(id)?];
            let subject = archive.header.subject.as_ref().unwrap_or(id);
            Some((archive.page.as_deref()?, subject.clone()))
        };
        let page_of = |idx: usize| planned.archives[idx].page.as_deref();
        let page = MessagePage {
            at,
            header,
            fields: FIELDS.iter().filter_map(|name| Some((*name, read.text(0, name)?))).collect(),
            body,
            externals,
            attachments: parts.iter().enumerate().filter(is_here).map(attachment).collect(),
            row: place
                .as_ref()
                .map(|place| (place.list.as_path(), pages::row_name(place.position))),
            previous: place.as_ref().and_then(|place| page_of(place.previous?)),
            next: place.as_ref().and_then(|place| page_of(place.next?)),
            answers: header.answers.iter().rev().filter_map(answered).take(1).collect(),
        };
        pages::message(&page)
    }

    fn file(&self, path: &Path, bytes: &[u8], origin: FileOrigin<'_>, done: &mut MessageResult) {
        match self.out.write(path, bytes, origin) {
            Ok(FileWrite::New) => done.n_files += 1,
            Ok(FileWrite::Current) => done.n_current += 1,
            Err(failure) => done.failures.push(failure.to_string()),
        }
    }
}
