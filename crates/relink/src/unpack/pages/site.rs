//! The page of unpacked web archives: their pages by host, to be searched without a server.

use std::mem::take;
use std::path::Path;

use super::{href, list_end, list_start};
use crate::markup::escaped;

/// The page is written in pieces of at least this number of octets.
const PIECE: usize = 64 << 10;

/// The names of the page: the first one that nothing else has.
pub(crate) const SITE: [&str; 2] = ["index.html", "web-archive.html"];

/// The page that lists all pages of web archives by their hosts, as it is written: of millions of
/// pages, it would need much memory.
pub(crate) struct SitePage<'p, W> {
    at: &'p Path,
    write: W,
    /// What is not written yet.
    text: String,
    /// True if the list of a host is not complete.
    is_in_host: bool,
}

impl<'p, E, W: FnMut(&str) -> Result<(), E>> SitePage<'p, W> {
    /// Begins the page, which has the path `at`, and lists `n` pages. `write` receives its text, in
    /// pieces.
    pub(crate) fn new(at: &'p Path, n: usize, write: W) -> Self {
        let text = list_start("Web archive", n, ["page", "pages"], "URLs and dates");
        SitePage { at, write, text, is_in_host: false }
    }

    /// Begins the list of a host.
    pub(crate) fn host(&mut self, name: &str) {
        self.end_host();
        let name = escaped(name);
        self.text.push_str(&format!("<h2>{name}</h2>\n<section><ol class=\"s\">\n"));
        self.is_in_host = true;
    }

    /// Adds a page of the host: its URL, the digits of its time, and the path of its file.
    ///
    /// # Errors
    ///
    /// That of `write`.
    pub(crate) fn row(&mut self, url: &str, time: &str, path: &Path) -> Result<(), E> {
        self.text.push_str(&format!(
            "<li class=\"m\"><span class=\"d\">{}</span><a href=\"{}\">{}</a></li>\n",
            date(time),
            href(self.at, path),
            escaped(url)
        ));
        if self.text.len() < PIECE {
            return Ok(());
        }
        (self.write)(&take(&mut self.text))
    }

    fn end_host(&mut self) {
        if take(&mut self.is_in_host) {
            self.text.push_str("</ol></section>\n");
        }
    }

    /// Ends the page.
    ///
    /// # Errors
    ///
    /// That of `write`.
    pub(crate) fn finish(mut self) -> Result<(), E> {
        self.end_host();
        self.text.push_str(&list_end());
        (self.write)(&self.text)
    }
}

/// Returns the digits of a time as a date.
fn date(digits: &str) -> String {
    match (digits.get(..4), digits.get(4..6), digits.get(6..8)) {
        (Some(year), Some(month), Some(day)) => format!("{year}-{month}-{day}"),
        _ => String::new(),
    }
}
