//! The first pass: the parts of all messages, their paths, and the URLs by which they are reached.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::Media;

use super::MessageKey;
use super::attachments::attachment;
use crate::archives::unpack::elsewhere::ExternalPart;
use crate::archives::unpack::file;
use crate::archives::unpack::mail::{self, InThread, MailHeader};
use crate::archives::unpack::names::{
    self, IN_PART, Mailbox, MessageKind, NamedArchives, NamedMessage,
};
use crate::archives::unpack::pages::{self, ContentsRow};
use crate::archives::unpack::parts::{self, MessagePart, Read};
use crate::archives::unpack::targets::{Files, url_of};
use crate::commands::{FileError, guarded};
use crate::events::summary::n;
use crate::files::container::{self, ARCHIVE, WEB_ARCHIVE};
use crate::files::walk::Entry;
use crate::os::digest::{self, ContentHash};
use crate::os::messages;
use crate::os::paths::Root;
use crate::tree::Tree;
use crate::tree::input::{self, Document, Input, Item};
use crate::tree::not_read;

/// The extensions of saved pages.
const PAGES: [&str; 3] = ["mhtml", "mht", "mhtm"];

/// The extensions of mail.
const MAIL: [&str; 3] = ["eml", "emlx", "nws"];

/// A message of the input.
pub(super) struct ListedMessage {
    key: MessageKey,
    /// The digest of its bytes.
    digest: ContentHash,
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
                let archive = archive(tree, &entry, document, read);
                let body = archive.root.filter(|_| archive.is_in_mailbox);
                let header = MailHeader::new(read, body.map(|body| &archive.parts[body]));
                (archive, read.externals(), header)
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
            format!("{kind}, which is not read; {}", not_read::advice(kind))
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
const NO_ARCHIVE: &str = "it is neither a message nor a web archive; unpack reads MHTML files, mail, mailboxes, WARC, ARC, WACZ, and a PATH that is a zip file, EPUB or OpenDocument";

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
    let page = root.filter(|_| kind == MessageKind::Page);
    let url = page.and_then(|page| read.own_url(parts[page].entity));
    let subject = read.text(0, "Subject");
    let is_in_mailbox = number.is_some() || !entry.is_single;
    NamedMessage { below, kind, subject, parts, root, url, is_in_mailbox }
}

/// A message with the paths of its files.
pub(super) struct PlannedArchive {
    pub(super) digest: ContentHash,
    pub(super) kind: MessageKind,
    pub(super) parts: Vec<MessagePart>,
    /// The parts whose content has a URL.
    pub(super) externals: Vec<ExternalPart>,
    /// The position in `parts` of the one that is shown first.
    pub(super) root: Option<usize>,
    /// The URL of the page, if it is a saved page.
    url: Option<String>,
    /// The paths of the parts.
    pub(super) paths: Vec<PathBuf>,
    /// The path of the page that shows the message, if it has one.
    pub(super) page: Option<PathBuf>,
    /// Its place in the mailbox that contains it.
    pub(super) place: Option<PlaceInMailbox>,
    pub(super) header: MailHeader,
    /// The files by the URLs of the parts.
    pub(super) files: Arc<Files>,
}

impl PlannedArchive {
    /// Returns the references by which the page of a message shows the documents of it, by the URLs
    /// of their files. The body is what the page shows without a fragment.
    pub(super) fn shown_documents(&self) -> HashMap<String, String> {
        let Some(page) = &self.page else { return HashMap::new() };
        let documents = self.paths.iter().enumerate().filter(|(_, path)| file::is_document(path));
        let shown = |(idx, path): (usize, &PathBuf)| {
            let page = pages::reference(path, page);
            let is_body = self.root == Some(idx) && self.parts[idx].is_html();
            let fragment =
                if is_body { String::new() } else { format!("#{}", pages::fragment(idx)) };
            (url_of(path), page + &fragment)
        };
        documents.map(shown).collect()
    }
}

/// The place of a message in its mailbox.
pub(super) struct PlaceInMailbox {
    /// The path of the part of the list that has it.
    pub(super) list: PathBuf,
    /// Its position in the order of threads.
    pub(super) position: usize,
    /// The positions in [`Planned`] of the messages before and after it in that order.
    pub(super) previous: Option<usize>,
    pub(super) next: Option<usize>,
}

/// A mailbox with the order in which its page lists the messages.
pub(super) struct ListedMailbox {
    /// The paths of the parts of its list.
    pub(super) parts: Vec<PathBuf>,
    /// What only the pages of the mailbox have: a hash of all messages.
    pub(super) token: String,
    /// The positions of its messages in [`Planned`].
    pub(super) messages: Vec<usize>,
    /// The order of threads: positions in `messages`.
    pub(super) order: Vec<InThread>,
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
    pub(super) mailboxes: Vec<ListedMailbox>,
    /// The path of the list of everything, if there are several entries.
    pub(super) contents: Option<PathBuf>,
    /// The errors of the first pass.
    pub(super) reported: HashSet<String>,
}

impl Planned {
    /// Returns the paths of all files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> + Clone {
        let archives = self.archives.iter();
        let files = archives.flat_map(|archive| archive.paths.iter().chain(&archive.page));
        let pages = self.mailboxes.iter().flat_map(|mailbox| &mailbox.parts);
        files.chain(pages).chain(&self.contents).map(PathBuf::as_path)
    }

    /// Returns the URLs of saved pages, by the positions of their files in `paths`.
    pub(super) fn urls(&self) -> HashMap<usize, &str> {
        let mut n_before = 0;
        let mut urls = HashMap::new();
        for archive in &self.archives {
            let place = archive.root.map(|root| n_before + root);
            urls.extend(place.zip(archive.url.as_deref()));
            n_before += archive.paths.len() + usize::from(archive.page.is_some());
        }
        urls
    }

    /// Returns the rows of the list of everything: saved pages, messages that are in no mailbox,
    /// and mailboxes, in the order of their paths.
    pub(super) fn entries<'a>(&'a self) -> Vec<ContentsRow<'a>> {
        let archives = self.archives.iter().filter(|archive| archive.place.is_none());
        let of_archive = |archive: &'a PlannedArchive| {
            let root = archive.root.map(|root| &*archive.paths[root]);
            let page = archive.page.as_deref().or(root)?;
            let source = page.to_string_lossy();
            let title =
                archive.header.subject.as_ref().map_or(source.clone(), |title| title.into());
            Some(ContentsRow { title, source, time: archive.header.time, page })
        };
        let of_mailbox = |mailbox: &'a ListedMailbox| {
            let page: &Path = &mailbox.parts[0];
            let title = match page.parent() {
                Some(directory) if directory != Path::new("") => directory.to_string_lossy(),
                _ => "Messages".into(),
            };
            let source = n(mailbox.messages.len(), "message").into();
            ContentsRow { title, source, time: None, page }
        };
        let mut rows: Vec<ContentsRow<'a>> = archives.filter_map(of_archive).collect();
        rows.extend(self.mailboxes.iter().map(of_mailbox));
        rows.sort_by_key(|row| row.page);
        rows
    }

    /// Gives the parts of all messages their paths. `reported` are the errors of the first pass.
    pub(super) fn new(listed: Vec<ListedMessage>, reported: HashSet<String>, is_raw: bool) -> Self {
        let mut keys = Vec::with_capacity(listed.len());
        let mut archives = Vec::with_capacity(listed.len());
        for ListedMessage { key, digest, archive, externals, header } in listed {
            keys.push((key, digest, externals, header));
            archives.push(archive);
        }
        let NamedArchives { paths: all_paths, mailboxes, contents } = names::paths(&archives);
        let mut planned = Planned {
            archives: Vec::with_capacity(archives.len()),
            by_key: HashMap::with_capacity(archives.len()),
            shared: Arc::default(),
            by_id: HashMap::new(),
            mailboxes: Vec::new(),
            contents: contents.filter(|_| !is_raw),
            reported,
        };
        let mut shared = Files::default();
        for (((key, digest, externals, header), archive), paths) in
            keys.into_iter().zip(archives).zip(all_paths)
        {
            let mut files = Files::default();
            for (part, path) in archive.parts.iter().zip(&paths.parts) {
                for key in part.keys.iter().chain(&part.ids) {
                    files.add(key, Some(part.scope), path);
                }
            }
            for ExternalPart { url, ids, scope, .. } in &externals {
                for key in ids {
                    files.add_url(key, *scope, url);
                }
            }
            // Another page may refer to this one, but not to what it contains.
            if let Some(root) = archive.root.filter(|_| archive.kind == MessageKind::Page) {
                for key in &archive.parts[root].keys {
                    shared.add(key, None, &paths.parts[root]);
                }
            }
            // Messages are referred to by their identifiers.
            let page = paths.page.filter(|_| !is_raw);
            if let Some(page) = &page {
                if let Some(id) = &header.id {
                    planned.by_id.entry(id.clone()).or_insert(planned.archives.len());
                }
                for key in header.keys() {
                    shared.add(&key, None, page);
                }
            }
            planned.by_key.insert(key, planned.archives.len());
            let NamedMessage { kind, parts, root, url, .. } = archive;
            let (paths, files, place) = (paths.parts, Arc::new(files), None);
            planned.archives.push(PlannedArchive {
                digest,
                kind,
                parts,
                externals,
                root,
                url,
                paths,
                page,
                place,
                header,
                files,
            });
        }
        for mailbox in mailboxes.into_iter().filter(|_| !is_raw) {
            planned.add(mailbox);
        }
        planned.shared = Arc::new(shared);
        planned
    }

    /// Adds a mailbox, and gives its messages their places.
    fn add(&mut self, mailbox: Mailbox) {
        let Mailbox { parts, messages } = mailbox;
        let headers: Vec<&MailHeader> =
            messages.iter().map(|idx| &self.archives[*idx].header).collect();
        let order = mail::threads(&headers);
        let digests = messages.iter().map(|idx| self.archives[*idx].digest.to_string());
        let token = digest::of_bytes(digests.collect::<String>().as_bytes()).to_string();
        let at = |position: usize| order.get(position).map(|found| messages[found.idx]);
        for position in 0..order.len() {
            self.archives[messages[order[position].idx]].place = Some(PlaceInMailbox {
                list: parts[position / IN_PART].clone(),
                position,
                previous: position.checked_sub(1).and_then(at),
                next: at(position + 1),
            });
        }
        self.mailboxes.push(ListedMailbox { parts, token, messages, order });
    }
}
