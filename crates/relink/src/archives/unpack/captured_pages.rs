//! Captures of web archives, by number: what the index knows of each, and which of them others
//! repeat. Their texts may be in a temporary file.

use std::collections::HashMap;
use std::mem::take;

use super::captures::Place;
use super::ranking::Row;
use super::record::{Class, Kind, moment};
use crate::os::digest::Short;
use crate::os::failure::Failure;
use crate::os::text_store::{Span, TextStore};

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
    pub(crate) source: Source,
}

/// A record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Source {
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
    rows: Vec<(Span, Source)>,
    /// Time, media type and charset with a line feed after each, and the URL.
    texts: TextStore,
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
        self.rows.push((span, *source));
    }

    /// Returns a capture.
    pub(crate) fn get(&self, idx: usize) -> Page {
        self.read(self.rows[idx])
    }

    fn read(&self, (span, source): (Span, Source)) -> Page {
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
    pub(crate) fn source(&self, idx: usize) -> &Source {
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
                source: Source {
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

// The captures that others repeat (`revisit` records; WARC 1.1, section 6.7).

/// The captures with the content that others repeat, by their digests, and by their [`moment`]s or
/// the hashes of their identifiers.
#[derive(Debug, Default)]
pub(super) struct Originals {
    by_digest: HashMap<Short, Option<Original>>,
    by_moment: HashMap<Short, Option<Original>>,
}

/// A capture that others repeat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Original {
    /// Its position.
    pub(super) capture: u32,
    /// True if there are others that may do instead.
    pub(super) has_others: bool,
}

impl Originals {
    pub(super) fn new(rows: &[Row], pages: &Pages) -> Self {
        let mut found = Originals::default();
        for (idx, row) in rows.iter().enumerate() {
            if let Kind::Revisit(named) = row.kind {
                found.by_moment.extend(named.map(|moment| (moment, None)));
                found.by_digest.extend(pages.source(idx).digest.map(|digest| (digest, None)));
            }
        }
        let Originals { by_digest, by_moment } = &mut found;
        if by_digest.is_empty() && by_moment.is_empty() {
            return found;
        }
        let class = |idx: u32| rows[idx as usize].class;
        // The first one of the best class.
        let set = |original: &mut Option<Original>, idx: u32| {
            let has_others = original.is_some();
            let other = original.filter(|other| class(other.capture) <= class(idx));
            let capture = other.map_or(idx, |other| other.capture);
            *original = Some(Original { capture, has_others });
        };
        let has_content =
            |(_, row): &(u32, &Row)| matches!(row.kind, Kind::Content) && row.class != Class::Other;
        for (idx, row) in (0..).zip(rows).filter(has_content) {
            if let Some(digest) = pages.source(idx as usize).digest
                && let Some(original) = by_digest.get_mut(&digest)
            {
                set(original, idx);
            }
            if !by_moment.is_empty() {
                if let Some(original) = row.names.own.and_then(|own| by_moment.get_mut(&own)) {
                    set(original, idx);
                }
                let Page { time, .. } = pages.get(idx as usize);
                if let Some(original) = by_moment.get_mut(&moment(row.id, &time)) {
                    set(original, idx);
                }
            }
        }
        found
    }

    /// Returns the capture with a moment, or else the first one with a digest.
    pub(super) fn get(&self, moment: Option<Short>, digest: Option<Short>) -> Option<Original> {
        let named = moment.and_then(|moment| self.by_moment.get(&moment).copied().flatten());
        named.or_else(|| self.by_digest.get(&digest?).copied().flatten())
    }
}
