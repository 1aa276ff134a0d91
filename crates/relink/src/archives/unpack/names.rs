//! The paths of the files that archives become.
//!
//! A page becomes `NAME.html`, and what it contains files in `NAME_files/`, as browsers save pages.
//! A message of mail becomes a directory. Every name in an archive counts as hostile: it is one
//! name in its directory, without what a system or a URL treats specially.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::extensions::extensions;
use super::parts::MessagePart;
use crate::os::messages::with_visible_direction;
use crate::os::portable;
use crate::urls::renames::naming::{self, HTML, Unnamed};

/// The name of the page of a message or mailbox.
const PAGE: &str = "index.html";

/// The name of the list of everything next to the page of a mailbox.
const CONTENTS: &str = "contents.html";

/// The number of messages in a part of the list of a mailbox: a browser opens it at once.
pub(crate) const IN_PART: usize = 1000;

/// The maximum number of characters of a name that is taken from an archive.
const LONGEST: usize = 80;

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageKind {
    /// A saved page (MHTML).
    Page,
    /// Mail, of a file or a mailbox; the number of the message in the mailbox.
    Mail(Option<usize>),
}

/// A message to be named.
#[derive(Debug)]
pub(crate) struct NamedMessage {
    /// The path of its file below the output, with the name of its PATH if there are several.
    pub(crate) below: PathBuf,
    pub(crate) kind: MessageKind,
    /// The subject, if it has one.
    pub(crate) subject: Option<String>,
    pub(crate) parts: Vec<MessagePart>,
    /// The position in `parts` of the one that is shown first.
    pub(crate) root: Option<usize>,
    /// The URL of that part, if the message is a saved page.
    pub(crate) url: Option<String>,
    /// True if it is one of several messages that have a page together.
    pub(crate) is_in_mailbox: bool,
}

impl NamedMessage {
    /// Returns the name of its file.
    fn name(&self) -> Cow<'_, str> {
        self.below.file_name().unwrap_or_default().to_string_lossy()
    }
}

/// The paths of an archive below the output.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArchivePaths {
    /// Those of its parts, in their order.
    pub(crate) parts: Vec<PathBuf>,
    /// That of the page that shows the message, if it is mail.
    pub(crate) page: Option<PathBuf>,
}

/// A mailbox, or a directory with messages.
#[derive(Debug)]
pub(crate) struct Mailbox {
    /// The paths of the parts of its list.
    pub(crate) parts: Vec<PathBuf>,
    /// The positions of its messages.
    pub(crate) messages: Vec<usize>,
}

/// The paths of all archives, in their order, and of what lists them.
#[derive(Debug)]
pub(crate) struct NamedArchives {
    pub(crate) paths: Vec<ArchivePaths>,
    pub(crate) mailboxes: Vec<Mailbox>,
    /// The path of the list of saved pages, mailboxes and messages that are in no mailbox, if there
    /// are several.
    pub(crate) contents: Option<PathBuf>,
}

/// Returns the paths of all archives: no two paths are the same, not even without letter case.
pub(crate) fn paths(archives: &[NamedMessage]) -> NamedArchives {
    let mut wanted = WantedNames::default();
    let places = places(archives);
    let mut mailboxes: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (idx, (archive, place)) in archives.iter().zip(&places).enumerate() {
        if let (ArchivePlace::Mail { directory }, true) = (place, archive.is_in_mailbox) {
            mailboxes.entry(directory.parent().unwrap_or(directory)).or_default().push(idx);
        }
    }
    for (archive, place) in archives.iter().zip(&places) {
        match place {
            ArchivePlace::Page { directory, stem } if archive.parts.len() > 1 => {
                wanted.add_directory(&files_of(directory, stem));
            }
            ArchivePlace::Page { directory, .. } | ArchivePlace::Mail { directory } => {
                wanted.add_directory(directory);
            }
        }
    }
    for (directory, messages) in &mailboxes {
        for _ in 0..messages.len().div_ceil(IN_PART) {
            wanted.add(directory, PAGE, Some(HTML));
        }
    }
    let is_in_mailbox =
        |archive: &&NamedMessage| archive.kind != MessageKind::Page && archive.is_in_mailbox;
    let n_entries = mailboxes.len() + archives.iter().filter(|one| !is_in_mailbox(one)).count();
    if n_entries > 1 {
        let has_mailbox = mailboxes.contains_key(Path::new(""));
        wanted.add(Path::new(""), if has_mailbox { CONTENTS } else { PAGE }, Some(HTML));
    }
    for (archive, place) in archives.iter().zip(&places) {
        if let ArchivePlace::Mail { directory } = place {
            wanted.add(directory, PAGE, Some(HTML));
        }
        // The part that is shown first gets the name that it wants.
        for idx in in_order(archive) {
            let part = &archive.parts[idx];
            let known = extensions(&part.media_type, &part.head);
            let extensions = match place {
                ArchivePlace::Mail { .. } => part.opening.extensions().or(known),
                ArchivePlace::Page { .. } => known,
            };
            let (directory, name) = match (archive.root == Some(idx), place) {
                (true, ArchivePlace::Page { directory, stem }) => {
                    (directory.clone(), with_extension(stem, extensions))
                }
                (false, ArchivePlace::Page { directory, stem }) => {
                    (files_of(directory, stem), part_name(part, idx))
                }
                (true, ArchivePlace::Mail { directory })
                    if part.name.is_none() || is_usual(part) =>
                {
                    (directory.clone(), with_extension("message", extensions))
                }
                (_, ArchivePlace::Mail { directory }) => (directory.clone(), part_name(part, idx)),
            };
            wanted.add(&directory, &name, extensions);
        }
    }
    let mut named = naming::new_paths(&wanted.files).into_iter();
    let mailboxes = mailboxes.into_values().map(|messages| {
        let parts = named.by_ref().take(messages.len().div_ceil(IN_PART)).collect();
        Mailbox { parts, messages }
    });
    let mailboxes = mailboxes.collect();
    let contents = if n_entries > 1 { named.next() } else { None };
    let of_archive = |(archive, place): (&NamedMessage, &ArchivePlace)| {
        let page = if let ArchivePlace::Mail { .. } = place { named.next() } else { None };
        let mut parts = vec![PathBuf::new(); archive.parts.len()];
        in_order(archive).zip(named.by_ref()).for_each(|(idx, path)| parts[idx] = path);
        ArchivePaths { parts, page }
    };
    let paths = archives.iter().zip(&places).map(of_archive).collect();
    NamedArchives { paths, mailboxes, contents }
}

/// Returns the directory of what a page contains.
fn files_of(directory: &Path, stem: &str) -> PathBuf {
    directory.join(format!("{stem}_files"))
}

/// Returns the positions of the parts of an archive, that of its root first.
fn in_order(archive: &NamedMessage) -> impl Iterator<Item = usize> {
    let root = archive.root;
    let others = (0..archive.parts.len()).filter(move |idx| root != Some(*idx));
    root.into_iter().chain(others)
}

/// Returns a name with the first extension of its type.
fn with_extension(stem: &str, extensions: Option<naming::Extensions>) -> String {
    match extensions {
        Some([first, ..]) => format!("{stem}.{first}"),
        _ => stem.to_owned(),
    }
}

/// Returns the places of the files of all archives. Mailboxes and messages of files whose names
/// differ only in their extension have places with the whole names.
fn places(archives: &[NamedMessage]) -> Vec<ArchivePlace> {
    let mut files: HashMap<PathBuf, &Path> = HashMap::new();
    let mut shared: HashSet<PathBuf> = HashSet::new();
    for archive in archives.iter().filter(|archive| archive.kind != MessageKind::Page) {
        let directory = folded(&archive.below.with_file_name(mailbox_name(&archive.name())));
        match files.get(&directory) {
            Some(other) if *other != archive.below => drop(shared.insert(directory)),
            Some(_) => {}
            None => drop(files.insert(directory, &archive.below)),
        }
    }
    let place = |archive: &NamedMessage| {
        let directory = folded(&archive.below.with_file_name(mailbox_name(&archive.name())));
        ArchivePlace::of(archive, shared.contains(&directory))
    };
    archives.iter().map(place).collect()
}

/// The place of the files of an archive.
enum ArchivePlace {
    /// Next to each other: `STEM.html` and `STEM_files`.
    Page { directory: PathBuf, stem: String },
    /// In a directory.
    Mail { directory: PathBuf },
}

impl ArchivePlace {
    /// Returns the place of an archive. `keeps_extension` is true if mail has the whole name of its
    /// file.
    fn of(archive: &NamedMessage, keeps_extension: bool) -> ArchivePlace {
        let outer = archive.below.parent().unwrap_or(Path::new("")).to_owned();
        let name = archive.name();
        match archive.kind {
            MessageKind::Page => {
                let stem = ["mhtml", "mht", "mhtm", "eml"].iter().find_map(|extension| {
                    let at = name.len().checked_sub(extension.len() + 1)?;
                    let (stem, end) = name.split_at_checked(at)?;
                    let is_it = end[1..].eq_ignore_ascii_case(extension) && end.starts_with('.');
                    (is_it && !stem.is_empty()).then_some(stem)
                });
                let stem = single(stem.unwrap_or(&name)).unwrap_or_else(|| "page".to_owned());
                ArchivePlace::Page { directory: outer, stem }
            }
            MessageKind::Mail(number) => {
                // Those of a Maildir are in directories that say whether they were read; facts
                // about a message follow the first comma or colon of its name.
                let is_maildir = ["cur", "new"].iter().any(|state| outer.ends_with(state));
                let mut directory = match is_maildir && number.is_none() {
                    true => {
                        let unique = name.split([',', ':']).next().unwrap_or_default();
                        let outer = outer.parent().unwrap_or(Path::new(""));
                        outer.join(single(unique).unwrap_or_else(|| "mail".to_owned()))
                    }
                    false if keeps_extension => {
                        outer.join(single(&name).unwrap_or_else(|| "mail".to_owned()))
                    }
                    false => outer.join(mailbox_name(&name)),
                };
                if let Some(number) = number {
                    let subject = archive.subject.as_deref().and_then(slug);
                    let subject = subject.map_or(String::new(), |subject| format!("-{subject}"));
                    directory.push(format!("{number:05}{subject}"));
                }
                ArchivePlace::Mail { directory }
            }
        }
    }
}

/// Returns the name of the directory of a mailbox or message: without the extension that says so.
fn mailbox_name(name: &str) -> String {
    let stem = name.rsplit_once('.').filter(|(stem, extension)| {
        let is_it = |known: &str| extension.eq_ignore_ascii_case(known);
        !stem.is_empty() && ["mbox", "eml", "emlx", "mmdf", "mbx", "gz"].into_iter().any(is_it)
    });
    single(stem.map_or(name, |(stem, _)| stem)).unwrap_or_else(|| "mail".to_owned())
}

/// Returns true for the types of most bodies of mail, whose names say nothing.
fn is_usual(part: &MessagePart) -> bool {
    part.is_html() || part.media_type == "text/plain"
}

/// Returns the name that a part gives itself, or its number.
fn part_name(part: &MessagePart, idx: usize) -> String {
    let name = part.name.as_deref().and_then(single);
    name.unwrap_or_else(|| format!("part-{}", idx + 1))
}

/// Returns a text as one name in a directory; `None` if nothing is left of it.
fn single(text: &str) -> Option<String> {
    let is_blank = |char: char| char.is_control() || is_format(char);
    let name: String = with_visible_direction(text)
        .chars()
        .filter(|char| !is_blank(*char))
        .map(|char| if matches!(char, '/' | '\\' | ':') { '-' } else { char })
        .collect();
    let name = name.trim().trim_start_matches(['.', '~']).trim();
    let name = match name.rsplit_once('.') {
        Some((stem, extension)) if extension.chars().count() < LONGEST / 2 => {
            let room = LONGEST - extension.chars().count() - 1;
            format!("{}.{extension}", stem.chars().take(room).collect::<String>())
        }
        _ => name.chars().take(LONGEST).collect(),
    };
    let name = name.trim_end_matches(['.', ' ']);
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns true for characters that show nothing, and may change how others are shown.
fn is_format(char: char) -> bool {
    matches!(char, '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}')
}

/// Returns the words of a subject, with hyphens between them.
fn slug(subject: &str) -> Option<String> {
    let mut slug = String::new();
    for char in subject.chars() {
        match char {
            char if char.is_alphanumeric() => slug.extend(char.to_lowercase()),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    let slug: String = slug.chars().take(LONGEST / 2).collect();
    let slug = slug.trim_end_matches('-');
    (!slug.is_empty()).then(|| slug.to_owned())
}

/// The files to be named. Names in one directory that are the same get numbers.
#[derive(Default)]
struct WantedNames {
    files: Vec<Unnamed>,
    /// For each path without letter case, the number of files that want it.
    n_wanted: HashMap<PathBuf, usize>,
}

/// Returns a path to be compared: its last name without letter case. Directories whose names differ
/// in letter case get other names.
fn folded(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(portable::folded(&name))
}

impl WantedNames {
    /// Adds a directory, and those around it: no file gets its path.
    fn add_directory(&mut self, directory: &Path) {
        for path in directory.ancestors() {
            self.n_wanted.entry(folded(path)).or_insert(1);
        }
    }

    fn add(&mut self, directory: &Path, name: &str, extensions: Option<naming::Extensions>) {
        let mut below = directory.join(name);
        let mut folded = folded(&below);
        // Each number is tried once for a name, so that many equal names take linear time.
        while let Some(n) = self.n_wanted.get_mut(&folded) {
            *n += 1;
            below = directory.join(numbered(name, *n));
            let other = self::folded(&below);
            if !self.n_wanted.contains_key(&other) {
                folded = other;
                break;
            }
        }
        self.n_wanted.insert(folded, 1);
        self.files.push(Unnamed { below, extensions });
    }
}

/// Returns a name with a number before its extension.
pub(crate) fn numbered(name: &str, number: usize) -> String {
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => format!("{stem}-{number}.{extension}"),
        _ => format!("{name}-{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::opening::Opening;
    use super::*;

    fn part(media_type: &str, name: &str) -> MessagePart {
        let name = (!name.is_empty()).then(|| name.to_owned());
        let (keys, head) = (Vec::new(), Vec::new());
        MessagePart {
            entity: 0,
            media_type: media_type.to_owned(),
            keys,
            ids: Vec::new(),
            name,
            head,
            scope: 0,
            is_attachment: false,
            opening: Opening::Other,
        }
    }

    fn named(below: &str, kind: MessageKind, parts: Vec<MessagePart>) -> Vec<String> {
        let (below, subject) = (below.into(), Some("Re: a / b".to_owned()));
        let root = Some(0);
        let archive =
            NamedMessage { below, kind, subject, parts, root, url: None, is_in_mailbox: true };
        let found = paths(&[archive]).paths;
        found[0].parts.iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn a_page_and_its_files_are_next_to_each_other() {
        let parts = vec![
            part("text/html", "x"),
            part("image/png", "logo.png"),
            part("image/png", "logo.png"),
            part("image/png", "LOGO.png"),
            part("text/css", "style.php?v=1"),
            part("text/html", ""),
        ];
        assert_eq!(
            named("d/A page.MHT", MessageKind::Page, parts),
            [
                "d/A page.html",
                "d/A page_files/logo.png",
                "d/A page_files/logo-2.png",
                "d/A page_files/LOGO-3.png",
                "d/A page_files/style-v-1.css",
                "d/A page_files/part-6.html",
            ]
        );
    }

    #[test]
    fn no_file_gets_the_path_of_a_directory() {
        let archive = |below: &str, kind| NamedMessage {
            below: below.into(),
            kind,
            subject: None,
            parts: vec![part("text/html", ""), part("image/png", "one.png")],
            root: Some(0),
            url: None,
            is_in_mailbox: true,
        };
        let NamedArchives { paths: found, mailboxes, .. } = paths(&[
            archive("d/index.html.eml", MessageKind::Mail(None)),
            archive("d/a.mhtml", MessageKind::Page),
        ]);
        assert_eq!(found[0].page.as_deref(), Some(Path::new("d/index.html/index.html")));
        assert_eq!(mailboxes[0].parts, [Path::new("d/index-2.html")]);
        assert_eq!(found[1].parts, ["d/a.html", "d/a_files/one.png"].map(PathBuf::from));
    }

    #[test]
    fn hostile_names_stay_in_their_directory() {
        let names = [
            "../../etc/passwd",
            "/etc/passwd",
            "..",
            "C:\\x\\con",
            "a\0b\u{202E}gnp.exe",
            ".ssh",
            "a\n",
        ];
        let mut parts = vec![part("text/plain", "")];
        parts.extend(names.iter().map(|name| part("application/octet-stream", name)));
        assert_eq!(
            named("in.mbox", MessageKind::Mail(Some(7)), parts),
            [
                "in/00007-re-a-b/message.txt",
                "in/00007-re-a-b/-..-etc-passwd",
                "in/00007-re-a-b/-etc-passwd",
                "in/00007-re-a-b/part-4",
                "in/00007-re-a-b/C--x-con",
                "in/00007-re-a-b/abU+202Egnp.exe",
                "in/00007-re-a-b/ssh",
                "in/00007-re-a-b/a",
            ]
        );
        let long = "x".repeat(3000) + ".png";
        let paths = named(
            "m.eml",
            MessageKind::Mail(None),
            vec![part("a/b", ""), part("image/png", &long)],
        );
        assert!(paths[1].len() < 120 && paths[1].ends_with("x.png"), "{paths:?}");
    }
}
