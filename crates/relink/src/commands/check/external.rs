//! `check --list-external`: the URLs outside of the tree that references point to, each once, for
//! programs that fetch them.
//!
//! Invariant: memory grows with the number of different URLs, not with that of references.

use std::collections::HashMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::events::detail::{DocumentPlace, ReferenceDetail};
use crate::events::keys::{Keyed, OF_EXTERNAL};
use crate::os::format::Format;
use crate::os::messages;
use crate::urls::fetched::fetched;

/// The first reference that points to a URL, and its document.
pub(super) type Cited = (DocumentPlace, ReferenceDetail);

/// The URLs of a file or of a run, in the order in which they were first seen.
#[derive(Debug, Default)]
pub(super) struct External {
    /// The indices of the URLs.
    numbers: HashMap<String, usize>,
    /// The number of references to each, and the first, if it is to be reported.
    found: Vec<(usize, Option<Cited>)>,
}

/// One URL in JSON.
#[derive(Serialize)]
struct Line<'l> {
    url: &'l str,
    count: usize,
    #[serde(flatten)]
    first: Option<Keyed<'l>>,
}

impl External {
    /// Adds a URL with its number of references; `first` returns the first. Returns
    /// true if the URL is new.
    fn add(&mut self, url: String, count: usize, first: impl FnOnce() -> Option<Cited>) -> bool {
        let number = *self.numbers.entry(url).or_insert(self.found.len());
        if let Some((n, _)) = self.found.get_mut(number) {
            *n += count;
            return false;
        }
        self.found.push((count, first()));
        true
    }

    /// Returns the number of different URLs.
    pub(super) fn n_urls(&self) -> usize {
        self.found.len()
    }

    /// Adds a target, if it can be fetched.
    pub(super) fn add_target(&mut self, target: &str, first: impl FnOnce() -> Option<Cited>) {
        if let Some(url) = fetched(target) {
            self.add(url, 1, first);
        }
    }

    /// Adds the URLs of a file, and writes the new ones.
    ///
    /// # Errors
    ///
    /// That of the writer.
    pub(super) fn merge(
        &mut self,
        file: External,
        format: Format,
        out: &mut impl Write,
    ) -> io::Result<()> {
        for (url, (count, first)) in file.sorted() {
            let line = (format == Format::Text).then(|| format!("{url}\n"));
            if self.add(url, count, || first)
                && let Some(line) = line
            {
                out.write_all(line.as_bytes())?;
            }
        }
        Ok(())
    }

    /// Writes the lines that depend on all files.
    ///
    /// # Errors
    ///
    /// That of the writer.
    pub(super) fn finish(self, format: Format, out: &mut impl Write) -> io::Result<()> {
        if format == Format::Json {
            for (url, (count, first)) in self.sorted() {
                let first = first.as_ref().map(|(place, reference)| Keyed {
                    place,
                    reference,
                    keys: OF_EXTERNAL,
                });
                messages::write_json(out, &Line { url: &url, count, first })?;
            }
        }
        Ok(())
    }

    fn sorted(self) -> impl Iterator<Item = (String, (usize, Option<Cited>))> {
        let mut urls: Vec<(usize, String)> =
            self.numbers.into_iter().map(|(url, number)| (number, url)).collect();
        urls.sort_unstable();
        urls.into_iter().map(|(_, url)| url).zip(self.found)
    }
}
