//! Files of a tree that are not read, and attributes that are not, although the caller may expect
//! it. They become hints.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use memchr::memmem::Finder;

use crate::summary;

/// The hint for attributes of lazy loaders.
const LAZY: &str = "hint: pages contain attributes of lazy loaders, such as data-src; use `--also lazy` to process their references";

/// Names of attributes of lazy loaders, or the beginnings of their names.
static LAZY_ATTRIBUTES: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [" data-src", " data-lazy"].map(|name| Finder::new(name.as_bytes())));

/// What the documents of a tree are, if they are not read.
#[derive(Debug, Default)]
pub struct NotRead {
    /// Files by the name of `--also` that adds their type.
    optional: Mutex<BTreeMap<&'static str, usize>>,
    n_archives: AtomicUsize,
    /// True if a file that is no document matches the patterns.
    has_selected: AtomicBool,
    has_lazy: AtomicBool,
}

impl NotRead {
    /// Adds a file that matches the patterns, and is not read. `name` is the name of `--also` that
    /// adds its type.
    pub fn add(&self, name: Option<&'static str>, is_archive: bool) {
        self.has_selected.store(true, Ordering::Relaxed);
        self.n_archives.fetch_add(usize::from(is_archive), Ordering::Relaxed);
        if let Some(name) = name {
            let mut optional = self.optional.lock().unwrap_or_else(PoisonError::into_inner);
            *optional.entry(name).or_default() += 1;
        }
    }

    /// Returns true if a file is an archive.
    pub fn has_archives(&self) -> bool {
        self.n_archives.load(Ordering::Relaxed) > 0
    }

    /// Searches HTML for attributes of lazy loaders, until one is found.
    pub fn search(&self, html: &[u8]) {
        let has_one = || LAZY_ATTRIBUTES.iter().any(|finder| finder.find(html).is_some());
        if !self.has_lazy.load(Ordering::Relaxed) && has_one() {
            self.has_lazy.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the hints at the end of a run. If no document was read, `patterns` are those that
    /// were given, in words; `changes_text` is true if the command can change plain text.
    pub fn hints(&self, patterns: Option<&str>, changes_text: bool) -> Vec<String> {
        let mut hints = Vec::new();
        if let Some(patterns) = patterns {
            hints.push(match self.has_selected.load(Ordering::Relaxed) {
                true => format!(
                    "hint: files {patterns}, but none of them is a known type of document; use `--type EXT=MEDIA/TYPE` to set their type"
                ),
                false => format!("hint: no documents {patterns}"),
            });
        }
        let optional = self.optional.lock().unwrap_or_else(PoisonError::into_inner);
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
        let n_archives = self.n_archives.load(Ordering::Relaxed);
        if n_archives > 0 {
            let them = if n_archives == 1 { "it" } else { "them" };
            hints.push(format!(
                "hint: {} not read; unpack {them} to process the documents in {them}",
                was(n_archives, "archive")
            ));
        }
        hints.extend(self.lazy_hint().map(str::to_owned));
        hints
    }

    /// Returns the hint for attributes of lazy loaders, if a page has some.
    pub fn lazy_hint(&self) -> Option<&'static str> {
        self.has_lazy.load(Ordering::Relaxed).then_some(LAZY)
    }
}

/// Returns `1 file was`, `2 files were`.
fn was(count: usize, noun: &str) -> String {
    format!("{} {}", summary::n(count, noun), if count == 1 { "was" } else { "were" })
}
