//! Files of a tree that are not read, and attributes that are not, although the caller may expect
//! it. They become hints.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use regex::bytes::Regex;
use rewrite::Options;

use crate::events::summary;
use crate::files::container::{ARCHIVE, NO_OFFICE, NO_PACKAGE, TOO_DEEP, WEB_ARCHIVE, ZIP};
use crate::files::media::{HAR, WEBARCHIVE};
use crate::os::messages;

/// References in pages that are read on request: the name of `--also`, what they are, and an
/// attribute that it reads, if it reads attributes.
const IN_PAGES: [(Sign, &str, &str, Option<&str>); 3] = [
    (Sign::Lazy, "lazy", "attributes of lazy loaders, such as data-src", Some("data-src")),
    (Sign::Htmx, "htmx", "attributes of htmx, such as hx-get", Some("hx-get")),
    (Sign::Include, "ssi", "server-side includes", None),
];

/// Returns what can be done about a file of an unsupported type, by the name of the type.
pub fn advice(unsupported: &str) -> &'static str {
    match unsupported {
        ARCHIVE => "unpack it to process the documents in it",
        TOO_DEEP => "use `--limit archive-depth=VALUE` to raise the limit",
        ZIP => "use `--also zip` to process the documents in it",
        NO_OFFICE | NO_PACKAGE => "open it with its program, and save it unencrypted",
        HAR => "convert it to WARC",
        WEBARCHIVE => "open it with Safari, and save the page in another format",
        _ => "export its messages as mbox or EML",
    }
}

/// What the documents of a tree are, if they are not read.
#[derive(Debug, Default)]
pub struct NotRead {
    /// Files by the name of `--also` that adds their type.
    optional: Mutex<BTreeMap<&'static str, usize>>,
    /// Files of unsupported types by the name of their type: the number of them, and the first.
    unsupported: Mutex<BTreeMap<&'static str, (usize, PathBuf)>>,
    /// The number of documents that git ignores.
    n_ignored: AtomicUsize,
    /// True if a file that is no document matches the patterns.
    has_selected: AtomicBool,
    /// True for those of [`IN_PAGES`] that a page contains.
    in_pages: [AtomicBool; IN_PAGES.len()],
}

impl NotRead {
    /// Adds a file that matches the patterns, and is not read. `name` is the name of `--also` that
    /// adds its type.
    pub fn add(&self, name: Option<&'static str>) {
        self.has_selected.store(true, Ordering::Relaxed);
        if let Some(name) = name {
            *lock(&self.optional).entry(name).or_default() += 1;
        }
    }

    /// Adds a file of an unsupported type, which has this name.
    pub fn add_unsupported(&self, name: &'static str, path: &Path) {
        add(&mut lock(&self.unsupported), name, (1, path.to_owned()));
    }

    /// Adds a file that git ignores, if it is a document.
    pub fn add_ignored(&self, is_document: bool) {
        self.n_ignored.fetch_add(usize::from(is_document), Ordering::Relaxed);
    }

    /// Returns the note on documents that git ignores.
    pub fn note_on_ignored(&self) -> Option<String> {
        let n_ignored = self.n_ignored.load(Ordering::Relaxed);
        (n_ignored > 0).then(|| {
            let them = if n_ignored == 1 { "it" } else { "them" };
            format!(
                "note: {} not read, which git ignores; use `--no-ignore` to read {them}",
                was(n_ignored, "document")
            )
        })
    }

    /// Returns the number of files of unsupported types.
    pub fn n_unsupported(&self) -> usize {
        lock(&self.unsupported).values().map(|(n_files, _)| n_files).sum()
    }

    /// Returns true if a file is a web archive.
    pub fn has_web_archives(&self) -> bool {
        lock(&self.unsupported).contains_key(WEB_ARCHIVE)
    }

    /// Returns the signs in HTML of references that these options do not read, but for those that
    /// were found already.
    pub fn signs(&self, options: &Options) -> Signs {
        let rows = IN_PAGES.iter().zip(&self.in_pages);
        let wanted = rows.filter(|((_, name, _, attribute), is_found)| {
            let is_read = match attribute {
                Some(attribute) => options.extras.has(attribute),
                None => options.opt_in.has(name),
            };
            !is_read && !is_found.load(Ordering::Relaxed)
        });
        wanted.map(|((sign, ..), _)| *sign).collect()
    }

    /// Notes the signs that were found in a page.
    pub fn note(&self, found: &Signs) {
        for ((sign, ..), is_found) in IN_PAGES.iter().zip(&self.in_pages) {
            if found.has(*sign) {
                is_found.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Returns the hints at the end of a run. If no document was read, `patterns` are those that
    /// were given, in words; `changes_text` is true if the command can change plain text.
    pub fn hints(&self, patterns: Option<&str>, changes_text: bool) -> Vec<String> {
        let mut hints = Vec::new();
        if let Some(patterns) = patterns {
            hints.push(if self.has_selected.load(Ordering::Relaxed) {
format!(
                    "hint: files {patterns}, but none of them is a known type of document; use `--type EXT=MEDIA/TYPE` to set their type"
                )
} else {
format!("hint: no documents {patterns}")
});
        }
        let optional = lock(&self.optional);
        // Most sites have scripts without references.
        for (name, noun) in [("markdown", "Markdown file"), ("text", "text file")] {
            let n_files = optional.get(name).copied().unwrap_or_default();
            if n_files > 0 && (name != "text" || changes_text) {
                hints.push(format!(
                    "hint: {} not read; use `--also {name}` to read {}",
                    was(n_files, noun),
                    if n_files == 1 { "it" } else { "them" }
                ));
            }
        }
        hints.extend(self.unsupported_hints(true));
        hints.extend(self.hints_in_pages());
        hints
    }

    /// Returns the hints for files of unsupported types; of web archives only if they are not read.
    pub fn unsupported_hints(&self, has_web_archives: bool) -> Vec<String> {
        let hint = |(name, (n_files, first)): (&&str, &(usize, PathBuf))| {
            let noun = if *name == ARCHIVE { "archive" } else { name };
            let mut advice = advice(name).to_owned();
            if *n_files > 1 {
                advice = advice.replace(" its ", " their ").replace(" it", " them");
            }
            let such = if *n_files > 1 { "such as " } else { "" };
            let first = messages::visible(&first.to_string_lossy()).into_owned();
            format!("hint: {} not read, {such}{first}; {advice}", was(*n_files, noun))
        };
        let mut counts = lock(&self.unsupported).clone();
        if let Some(files) = counts.remove(WEB_ARCHIVE).filter(|_| has_web_archives) {
            add(&mut counts, ARCHIVE, files);
        }
        counts.iter().map(hint).collect()
    }

    /// Returns the hints for references in pages.
    pub fn hints_in_pages(&self) -> impl Iterator<Item = String> {
        let found = self.in_pages.iter().map(|is_found| is_found.load(Ordering::Relaxed));
        IN_PAGES.iter().zip(found).filter(|(_, is_found)| *is_found).map(
            |((_, name, what, _), _)| {
                format!(
                    "hint: pages contain {what}; use `--also {name}` to process their references"
                )
            },
        )
    }
}

/// Adds files to those of a type.
fn add(
    counts: &mut BTreeMap<&'static str, (usize, PathBuf)>,
    name: &'static str,
    (n_files, first): (usize, PathBuf),
) {
    let files = counts.entry(name).or_insert_with(|| (0, first.clone()));
    *files = (files.0 + n_files, first.min(std::mem::take(&mut files.1)));
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns `1 file was`, `2 files were`.
fn was(count: usize, noun: &str) -> String {
    format!("{} {}", summary::n(count, noun), if count == 1 { "was" } else { "were" })
}

// Texts by which documents show what is not read. All are found in one pass.

/// What a text is a sign of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// An attribute of a lazy loader.
    Lazy,
    /// An attribute of htmx.
    Htmx,
    /// A server-side include.
    Include,
    /// A URL whose host begins with a dot.
    DotHost,
}

/// The texts, and what they are signs of.
const TEXTS: [(&str, Sign); 5] = [
    (" data-src", Sign::Lazy),
    (" data-lazy", Sign::Lazy),
    (" hx-get=", Sign::Htmx),
    ("<!--#include ", Sign::Include),
    ("://.", Sign::DotHost),
];

/// Finds any of them.
static ANY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let texts = TEXTS.map(|(text, _)| regex::escape(text));
    Regex::new(&texts.join("|")).ok()
});

/// A few different signs.
#[derive(Debug, Default)]
pub struct Signs(Vec<Sign>);

impl Signs {
    pub fn has(&self, sign: Sign) -> bool {
        self.0.contains(&sign)
    }

    /// Returns those of these signs that a document has.
    pub fn found_in(&self, bytes: &[u8]) -> Signs {
        let mut found = Signs::default();
        let matches = ANY.iter().flat_map(|any| any.find_iter(bytes));
        for text in matches {
            let sign = TEXTS.iter().find(|(sign, _)| sign.as_bytes() == text.as_bytes());
            let sign = sign.map(|(_, sign)| *sign).filter(|sign| self.has(*sign));
            found.0.extend(sign.filter(|sign| !found.has(*sign)));
            if found.0.len() == self.0.len() {
                break;
            }
        }
        found
    }
}

impl FromIterator<Sign> for Signs {
    fn from_iter<T: IntoIterator<Item = Sign>>(signs: T) -> Self {
        Signs(signs.into_iter().collect())
    }
}

impl Extend<Sign> for Signs {
    fn extend<T: IntoIterator<Item = Sign>>(&mut self, signs: T) {
        self.0.extend(signs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_wanted_is_found() {
        let wanted = |signs: &[Sign]| signs.iter().copied().collect::<Signs>();
        let bytes = b"<img data-src=x data-lazy=y><a hx-get=z href=http://./x>\xff<!--#include x";
        let all = [Sign::Lazy, Sign::Htmx, Sign::DotHost, Sign::Include];
        assert_eq!(wanted(&all).found_in(bytes).0, all);
        assert_eq!(wanted(&[Sign::Include]).found_in(bytes).0, [Sign::Include]);
        assert_eq!(wanted(&[]).found_in(bytes).0, []);
        assert_eq!(wanted(&all).found_in(b"<img data-srx> hx-get http://x.").0, []);
    }
}
