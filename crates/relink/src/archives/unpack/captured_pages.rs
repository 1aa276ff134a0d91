//! Captures of web archives, by number: what the index knows of each. Their texts may be in a
//! temporary file.

use std::mem::take;

use super::hosts::Hosts;
use crate::os::digest::Short;
use crate::os::failure::Failure;
use crate::os::text_store::{TextSpan, TextStore};

/// The place of a record in its archive: its offset, and its number among the records with that
/// offset, such as those of one gzip member.
pub(crate) type Place = (u64, u64);

/// The time of a capture, as a number of 14 digits.
pub(crate) type CaptureTime = u64;

/// Returns a time, given as digits.
pub(super) fn capture_time(digits: &str) -> CaptureTime {
    format!("{digits:0<14.14}").parse().unwrap_or_default()
}

/// A capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    /// Its URL.
    pub(crate) url: String,
    /// The time of the capture, as digits.
    pub(crate) time: String,
    /// Its media type, in lower case; `None` if the record gives none.
    pub(crate) media_type: Option<String>,
    pub(crate) charset: Option<String>,
    /// The record that has its content.
    pub(crate) source: RecordSource,
}

/// A record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RecordSource {
    /// The position of its archive.
    pub(crate) archive: u32,
    /// Its place there.
    pub(crate) place: Place,
    /// The hash of the digest of its content, if the record has it.
    pub(crate) digest: Option<Short>,
    /// True if its block is an HTTP response.
    pub(crate) is_http: bool,
    /// True if the charset of the capture is that which a program found, and not a declared one.
    pub(crate) guesses_charset: bool,
}

/// Captures, in a few bytes of memory each.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    rows: Vec<(TextSpan, RecordSource)>,
    /// Time, media type and charset with a line feed after each, and the URL.
    texts: TextStore,
    /// The hosts of all that were added.
    pub(crate) hosts: Hosts,
}

impl Pages {
    /// Returns their number.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds a capture.
    pub(crate) fn push(&mut self, page: &Page) {
        let Page { url, time, media_type, charset, source } = page;
        let span = self.texts.add(|texts| {
            for field in [Some(time), media_type.as_ref(), charset.as_ref()] {
                // No name of a type or charset has a line feed.
                let field = field.filter(|field| !field.contains('\n'));
                texts.extend_from_slice(field.map_or(b"", |field| field.as_bytes()));
                texts.push(b'\n');
            }
            texts.extend_from_slice(url.as_bytes());
        });
        self.hosts.add(url);
        self.rows.push((span, *source));
    }

    /// Returns a capture.
    pub(crate) fn get(&self, idx: usize) -> Page {
        self.read(self.rows[idx])
    }

    fn read(&self, (span, source): (TextSpan, RecordSource)) -> Page {
        let text = self.texts.get(span);
        let text = String::from_utf8_lossy(&text);
        let mut fields = text.splitn(4, '\n').map(str::to_owned);
        let mut next = || fields.next().unwrap_or_default();
        let [time, media_type, charset, url] = std::array::from_fn(|_| next());
        let [media_type, charset] =
            [media_type, charset].map(|name| Some(name).filter(|name| !name.is_empty()));
        Page { url, time, media_type, charset, source }
    }

    /// Returns the record that has the content of a capture.
    pub(crate) fn source(&self, idx: usize) -> &RecordSource {
        &self.rows[idx].1
    }

    /// Returns the time of a capture.
    pub(crate) fn time(&self, idx: usize) -> String {
        let text = self.texts.get(self.rows[idx].0);
        let time = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        String::from_utf8_lossy(time).into_owned()
    }

    /// Returns all captures.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Page> {
        (0..self.len()).map(|idx| self.get(idx))
    }

    /// Keeps chosen captures, in this order: the position of each, and that of the capture whose
    /// content it has, which may be the same.
    pub(crate) fn choose(&mut self, chosen: &[(u32, u32)]) {
        let old = take(&mut self.rows);
        self.rows.reserve_exact(chosen.len());
        for (idx, content) in chosen {
            let row = old[*idx as usize];
            if idx == content {
                self.rows.push(row);
                continue;
            }
            let (page, content) = (self.read(row), self.read(old[*content as usize]));
            let of_charset = if page.charset.is_some() { page.source } else { content.source };
            self.push(&Page {
                media_type: page.media_type.or(content.media_type),
                charset: page.charset.or(content.charset),
                source: RecordSource {
                    digest: page.source.digest,
                    guesses_charset: of_charset.guesses_charset,
                    ..content.source
                },
                ..page
            });
        }
    }

    /// Returns the error that made a capture wrong: see [`TextStore::check`].
    ///
    /// # Errors
    ///
    /// [`Failure`] with the directory of the temporary file.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        self.texts.check()
    }
}
