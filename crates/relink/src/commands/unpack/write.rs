//! The second pass: the files of a message.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use basectx::message::{Defect, Diagnostic};
use rewrite::{Counts, Limit, Media};

use super::listed::{Planned, PlannedArchive, key};
use super::out::{Origin, Out};
use super::{Key, of_file};
use crate::commands::guarded;
use crate::digest;
use crate::input::{self, Input, Item};
use crate::messages;
use crate::plan::Unpack;
use crate::progress::Step;
use crate::unpack::file::{self, AllFiles};
use crate::unpack::names::Kind;
use crate::unpack::pages::{self, Attachment, Body, MessagePage};
use crate::unpack::parts::{self, Part, Read};
use crate::write::Written;

/// What was done for a message.
#[derive(Default)]
pub(super) struct Done {
    pub(super) step: Step,
    /// True if a message was unpacked.
    pub(super) is_unpacked: bool,
    /// The length of the message, in octets.
    pub(super) n_bytes: u64,
    pub(super) messages: Vec<String>,
    /// What was not done.
    pub(super) failures: Vec<String>,
    pub(super) n_files: usize,
    pub(super) n_current: usize,
    pub(super) counts: Counts,
}

/// Writes the files of a message; `None` if an item is none, or failed in the first pass.
pub(super) fn write(run: &Unpack, planned: &Planned, out: &Out<'_>, item: Item) -> Option<Done> {
    let step = Step::new(&item);
    let act = || {
        let (entry, input) = input::read_document(&run.tree, item)?;
        let Input::Document(document) = &input else { return Ok(None) };
        if !matches!(document.media, Media::Message(_)) {
            return Ok(None);
        }
        let archive = planned.by_key.get(&key(&entry, document));
        let archive = archive.map(|idx| &planned.archives[*idx]);
        let mut done = Done { n_bytes: document.unit().len() as u64, ..Done::default() };
        match archive.filter(|archive| archive.digest == digest::of_bytes(document.unit())) {
            Some(archive) => {
                done.is_unpacked = true;
                document.with_unit(None, |unit| {
                    parts::read(unit, &run.tree.options, |read| {
                        report_defects(run, &key(&entry, document), read, &mut done);
                        Writer { run, planned, out, archive }.all(read, &mut done)
                    })
                });
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
        Ok(done) => done.map(|done| Done { step, ..done }),
        // The first pass may have reported it.
        Err(error) => {
            let error = error.to_string();
            let is_new = !planned.reported.contains(&error);
            let failures = is_new.then_some(error).into_iter().collect();
            Some(Done { step, failures, ..Done::default() })
        }
    }
}

/// Reports what is wrong with the parts of a message. What exceeds a limit is not written.
fn report_defects(run: &Unpack, (path, number): &Key, read: Read<'_>, done: &mut Done) {
    let limits = &run.tree.options.limits;
    for Diagnostic { entity, defect, .. } in &read.message.diagnostics {
        let limit = match defect {
            Defect::TooDeep => Some(Limit::PartDepth),
            Defect::TooMany => Some(Limit::Parts),
            Defect::LongField => Some(Limit::FieldSize),
            _ => None,
        };
        let part = read.message.part(*entity);
        let part = if part.is_empty() { String::new() } else { format!("part {part}: ") };
        let message = number.map_or(String::new(), |number| format!("message {number}: "));
        let reason =
            limit.map_or_else(|| defect.to_string(), |limit| limits.met(limit).to_string());
        let text = messages::of_path(path, &format!("{message}{part}{reason}"));
        match limit {
            Some(_) => done.failures.push(text),
            None => done.messages.push(text),
        }
    }
}

/// The header fields that the page of a message shows.
const FIELDS: [&str; 9] =
    ["From", "To", "Cc", "Date", "Reply-To", "Newsgroups", "List-Id", "Archived-At", "Message-ID"];

struct Writer<'w> {
    run: &'w Unpack,
    planned: &'w Planned,
    out: &'w Out<'w>,
    archive: &'w PlannedArchive,
}

impl<'w> Writer<'w> {
    /// Writes all parts of a message.
    fn all(&self, read: Read<'_>, done: &mut Done) {
        let Writer { run, planned, archive, .. } = *self;
        let styles = match run.options.is_raw {
            true => HashMap::new(),
            false => read.bases_of_styles(),
        };
        let (own, shared) = (Arc::clone(&archive.files), Arc::clone(&planned.shared));
        let is_mail = archive.kind != Kind::Page;
        let blocks_remote = run.options.blocks_remote;
        let files = AllFiles { own, shared, styles, is_mail, blocks_remote };
        let mut sizes = Vec::with_capacity(archive.parts.len());
        for (part, path) in archive.parts.iter().zip(&archive.paths) {
            if run.options.is_raw {
                let body = read.body(part.entity);
                self.file(path, &body, None, done);
                continue;
            }
            let file = file::make(read, part, path, &files);
            let (failure, skipped) = file.left();
            let message = |reason: String| of_file(run.out(), path, &reason);
            done.failures.extend(failure.map(message));
            done.messages.extend(skipped.map(message));
            file.report.iter().for_each(|report| done.counts.add(&report.counts));
            self.file(path, file.bytes(), Some((&file.body, &file.edits)), done);
            sizes.push(file.bytes().len());
        }
        if let Some(at) = &archive.page {
            let page = self.page(at, read, &sizes);
            self.file(at, page.as_bytes(), None, done);
        }
    }

    /// Returns the page of a message of mail, given the lengths of its files.
    fn page(&self, at: &Path, read: Read<'_>, sizes: &[usize]) -> String {
        let Writer { planned, archive, .. } = *self;
        let PlannedArchive { parts, paths, header, mailbox, .. } = archive;
        let root = archive.root.map(|root| (root, &parts[root]));
        let body = match root {
            Some((root, part)) if part.is_html() => Body::Page(&paths[root]),
            Some((_, part)) if part.media_type.starts_with("text/") => {
                Body::Text(read.body_text(part.entity))
            }
            _ => Body::Other,
        };
        let attachment = |(idx, part): (usize, &'w Part)| Attachment {
            path: &paths[idx],
            media_type: &part.media_type,
            size: sizes.get(idx).copied().unwrap_or_default(),
        };
        let answered = |id: &String| {
            let archive = &planned.archives[*planned.by_id.get(id)?];
            let subject = archive.header.subject.as_ref().unwrap_or(id);
            Some((archive.page.as_deref()?, subject.clone()))
        };
        let page = MessagePage {
            at,
            header,
            fields: FIELDS.iter().filter_map(|name| Some((*name, read.text(0, name)?))).collect(),
            body,
            attachments: parts.iter().enumerate().map(attachment).collect(),
            mailbox: mailbox.as_deref(),
            answers: header.answers.iter().rev().filter_map(answered).take(1).collect(),
        };
        pages::message(&page)
    }

    fn file(&self, path: &Path, bytes: &[u8], origin: Origin<'_>, done: &mut Done) {
        match self.out.write(path, bytes, origin) {
            Ok(Written::New) => done.n_files += 1,
            Ok(Written::Current) => done.n_current += 1,
            Err(failure) => done.failures.push(failure.to_string()),
        }
    }
}
