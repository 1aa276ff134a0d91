//! The first pass: the parts of all messages, their paths, and the URLs by which they are reached.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::Media;

use super::MessageKey;
use super::attachments::attachment;
use crate::archives::unpack::elsewhere::ExternalPart;
use crate::archives::unpack::mail::MailHeader;
use crate::archives::unpack::names::{self, Mailbox, MessageKind, NamedMessage};
use crate::archives::unpack::parts::{self, MessagePart, Read};
use crate::archives::unpack::targets::{Files, scoped};
use crate::commands::{FileError, guarded};
use crate::files::container::{self, ARCHIVE, WEB_ARCHIVE};
use crate::files::media;
use crate::files::walk::Entry;
use crate::os::digest::{self, short};
use crate::os::messages;
use crate::os::paths::Root;
use crate::tree::Tree;
use crate::tree::input::{self, Document, Input, Item};

/// The extensions of saved pages.
const PAGES: [&str; 3] = ["mhtml", "mht", "mhtm"];

/// The extensions of mail.
const MAIL: [&str; 3] = ["eml", "emlx", "nws"];

/// A message of the input.
pub(super) struct ListedMessage {
    key: MessageKey,
    /// The digest of its bytes.
    digest: String,
    archive: NamedMessage,
    externals: Vec<ExternalPart>,
    header: MailHeader,
}

/// Lists the parts of a message; `None` if an item is none.
///
/// # Errors
///
/// [`FileError`] for a file that was not read.
pub(super) fn list(tree: &Tree, item: Item) -> Result<Option<ListedMessage>, FileError> {
    let path = item.path().to_owned();
    let read = || {
        let (entry, input) = input::read_document(tree, item)?;
        let Input::Document(document) = &input else { return unread(&entry, &input) };
        if !matches!(document.media, Media::Message(_)) {
            return unread(&entry, &input);
        }
        let detached = |part: &str, name: Option<&str>| attachment(tree, &entry, part, name);
        let (archive, externals, header) = document.with_unit(None, |unit| {
            parts::read(unit, &tree.options, &detached, |read| {
                (archive(tree, &entry, document, read), read.externals(), MailHeader::new(read))
            })
        });
        let digest = digest::of_bytes(document.unit());
        Ok(Some(ListedMessage { key: key(&entry, document), digest, archive, externals, header }))
    };
    guarded(&path, read)
}

/// A file that is named on the command line must be a message.
fn unread(entry: &Entry, input: &Input) -> Result<Option<ListedMessage>, FileError> {
    let what = match input {
        Input::Unsupported(kind) if ![ARCHIVE, WEB_ARCHIVE].contains(kind) => {
            format!("{kind}, which is not read; {}", media::advice(kind))
        }
        Input::Document(_) | Input::Unsupported(_) | Input::Stream(_) | Input::Other => {
            NO_ARCHIVE.to_owned()
        }
        Input::TooLarge(_) | Input::Around(..) | Input::End(_) => return Ok(None),
    };
    if entry.is_single {
        let reason = format!("cannot unpack; {what}");
        Err(FileError::Unread(messages::of_path(&entry.path, &reason)))
    } else {
        Ok(None)
    }
}

/// What a file is that is not unpacked.
const NO_ARCHIVE: &str = "it is neither a message nor a web archive; unpack reads MHTML files, mail, mailboxes, WARC, ARC and WACZ";

/// Returns the key of a message.
pub(super) fn key(entry: &Entry, document: &Document) -> MessageKey {
    let number = document.numbered().map(|(_, number)| number);
    (entry.path.clone(), number)
}

fn archive(tree: &Tree, entry: &Entry, document: &Document, read: Read<'_>) -> NamedMessage {
    let number = document.numbered().map(|(_, number)| number);
    let extension = entry.below.extension().unwrap_or_default().to_string_lossy();
    let has_name = |names: &[&str]| names.iter().any(|name| extension.eq_ignore_ascii_case(name));
    // In MH, a message has a number.
    let name = entry.below.file_name().unwrap_or_default().as_encoded_bytes();
    let is_number = !name.is_empty() && name.iter().all(u8::is_ascii_digit);
    let is_place = container::of_place(&entry.path, &Path::is_dir).is_some();
    let has_mail_name = has_name(&MAIL) || is_number || is_place;
    let kind = if number.is_none() && read.is_page(has_name(&PAGES), has_mail_name) {
        MessageKind::Page
    } else {
        MessageKind::Mail(number)
    };
    let mut below = PathBuf::new();
    if let [_, _, ..] = &*tree.roots {
        below.push(tree.roots[entry.root].name());
    }
    match tree.roots[entry.root] {
        Root::Stdin => below.push("stdin"),
        // With several PATHs, the name of a file is that of its PATH.
        Root::Path { .. } if entry.is_single && tree.roots.len() > 1 => {}
        Root::Path { .. } => below.push(&entry.below),
    }
    let parts = read.parts();
    let root = read.root();
    // Mail may have attachments only.
    let is_root = |part: &MessagePart| {
        part.entity == root && (kind == MessageKind::Page || read.may_be_body(part))
    };
    let root = parts.iter().position(is_root);
    let subject = read.text(0, "Subject");
    let is_in_mailbox = number.is_some() || !entry.is_single;
    NamedMessage { below, kind, subject, parts, root, is_in_mailbox }
}

/// A message with the paths of its files.
pub(super) struct PlannedArchive {
    pub(super) digest: String,
    pub(super) kind: MessageKind,
    pub(super) parts: Vec<MessagePart>,
    /// The parts whose content has a URL.
    pub(super) externals: Vec<ExternalPart>,
    /// The position in `parts` of the one that is shown first.
    pub(super) root: Option<usize>,
    /// The paths of the parts.
    pub(super) paths: Vec<PathBuf>,
    /// The path of the page that shows the message, if it has one.
    pub(super) page: Option<PathBuf>,
    /// The path of the page of its mailbox.
    pub(super) mailbox: Option<Arc<Path>>,
    pub(super) header: MailHeader,
    /// The files by the URLs of the parts.
    pub(super) files: Arc<Files>,
}

/// All messages with the paths of their files.
pub(super) struct Planned {
    pub(super) archives: Vec<PlannedArchive>,
    /// The positions of the messages.
    pub(super) by_key: HashMap<MessageKey, usize>,
    /// The files that messages may refer to in others.
    pub(super) shared: Arc<Files>,
    /// The positions of mail, by the identifiers.
    pub(super) by_id: HashMap<String, usize>,
    /// The mailboxes that have pages.
    pub(super) mailboxes: Vec<Mailbox>,
    /// The errors of the first pass.
    pub(super) reported: HashSet<String>,
}

impl Planned {
    /// Returns the paths of all files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> + Clone {
        let archives = self.archives.iter();
        let files = archives.flat_map(|archive| archive.paths.iter().chain(&archive.page));
        let pages = self.mailboxes.iter().map(|mailbox| &mailbox.page);
        files.chain(pages).map(PathBuf::as_path)
    }

    /// Gives the parts of all messages their paths. `reported` are the errors of the first pass.
    pub(super) fn new(listed: Vec<ListedMessage>, reported: HashSet<String>, is_raw: bool) -> Self {
        let mut keys = Vec::with_capacity(listed.len());
        let mut archives = Vec::with_capacity(listed.len());
        for ListedMessage { key, digest, archive, externals, header } in listed {
            keys.push((key, digest, externals, header));
            archives.push(archive);
        }
        let (all_paths, mailboxes) = names::paths(&archives);
        let mut planned = Planned {
            archives: Vec::with_capacity(archives.len()),
            by_key: HashMap::with_capacity(archives.len()),
            shared: Arc::default(),
            by_id: HashMap::new(),
            mailboxes: if is_raw { Vec::new() } else { mailboxes },
            reported,
        };
        let mut shared = Files::default();
        for (((key, digest, externals, header), archive), paths) in
            keys.into_iter().zip(archives).zip(all_paths)
        {
            let mut files = Files::default();
            for (part, path) in archive.parts.iter().zip(&paths.parts) {
                for key in part.keys.iter().chain(&part.ids) {
                    let id = short(key.as_bytes());
                    files.add(scoped(part.scope, &id), path);
                    files.add(id, path);
                }
            }
            for ExternalPart { url, ids, scope, .. } in &externals {
                for key in ids {
                    let id = short(key.as_bytes());
                    files.add_url(scoped(*scope, &id), url);
                    files.add_url(id, url);
                }
            }
            // Another page may refer to this one, but not to what it contains.
            if let Some(root) = archive.root.filter(|_| archive.kind == MessageKind::Page) {
                for key in &archive.parts[root].keys {
                    shared.add(short(key.as_bytes()), &paths.parts[root]);
                }
            }
            // Messages are referred to by their identifiers.
            let page = paths.page.filter(|_| !is_raw);
            if let Some(page) = &page {
                if let Some(id) = &header.id {
                    planned.by_id.entry(id.clone()).or_insert(planned.archives.len());
                }
                for key in header.keys() {
                    shared.add(short(key.as_bytes()), page);
                }
            }
            planned.by_key.insert(key, planned.archives.len());
            let NamedMessage { kind, parts, root, .. } = archive;
            let (paths, files, mailbox) = (paths.parts, Arc::new(files), None);
            planned.archives.push(PlannedArchive {
                digest,
                kind,
                parts,
                externals,
                root,
                paths,
                page,
                mailbox,
                header,
                files,
            });
        }
        for Mailbox { page, messages } in &planned.mailboxes {
            let page: Arc<Path> = Arc::from(&**page);
            for idx in messages {
                planned.archives[*idx].mailbox = Some(Arc::clone(&page));
            }
        }
        planned.shared = Arc::new(shared);
        planned
    }
}
