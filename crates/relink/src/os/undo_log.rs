//! The contents that edits removed from a document: enough to restore it.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::ops::Range;

use layers::Edits;

/// Old bytes longer than this are written in pieces.
pub const PIECE: usize = 1 << 20;

/// The number of bytes of a document that are written at once.
const AT_ONCE: usize = 1 << 16;

/// A range of the new document, and the number of bytes that it replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    /// Its offset in the new document.
    at: u64,
    /// Its length in the new document.
    len: u64,
    /// Its length in the old document.
    n_old: usize,
}

/// The changes of a document, in the order of its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    list: Vec<Change>,
    /// The replaced bytes, one range after the other.
    old: Vec<u8>,
}

impl Changes {
    /// Computes the changes from `before` to `after`, given the edits. If the edits do not explain
    /// `after`, the range between the first and the last byte that differ is one change.
    pub fn new(before: &[u8], after: &[u8], edits: &Edits) -> Self {
        if !edits.explain(before, after) {
            return Changes::between(before, after);
        }
        let mut changes = Changes::default();
        let (mut at, mut copied) = (0, 0);
        for edit in edits.as_slice() {
            at += (edit.span.start - copied) as u64;
            let len = edit.text.len() as u64;
            changes.push(at, len, &before[edit.span.start..edit.span.end]);
            at += len;
            copied = edit.span.end;
        }
        changes
    }

    /// Computes one change, from the first byte that differs to the last.
    pub fn between(before: &[u8], after: &[u8]) -> Self {
        let n_same = |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| {
            pairs.take_while(|(one, other)| one == other).count()
        };
        let start = n_same(&mut before.iter().zip(after));
        let end = n_same(&mut before[start..].iter().rev().zip(after[start..].iter().rev()));
        let mut changes = Changes::default();
        let old = &before[start..before.len() - end];
        changes.push(start as u64, (after.len() - end - start) as u64, old);
        changes
    }

    /// Adds a range after all others.
    pub fn push(&mut self, at: u64, len: u64, old: &[u8]) {
        self.list.push(Change { at, len, n_old: old.len() });
        self.old.extend_from_slice(old);
    }

    /// Returns the number of ranges.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if nothing has changed.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Iterates over the ranges of the new document, with the bytes that they replaced.
    pub fn iter(&self) -> impl Iterator<Item = (Range<u64>, &[u8])> {
        let mut old = &*self.old;
        self.list.iter().map(move |change| {
            let (taken, rest) = old.split_at(change.n_old);
            old = rest;
            (change.at..change.at + change.len, taken)
        })
    }

    /// Iterates over the same ranges; where the old bytes are many, over pieces of them, of which
    /// all but the first are inserted.
    pub fn pieces(&self) -> impl Iterator<Item = (Range<u64>, &[u8])> {
        self.iter().flat_map(|(span, old)| {
            let (first, rest) = old.split_at(old.len().min(PIECE));
            let inserted = span.end..span.end;
            let rest = rest.chunks(PIECE).map(move |piece| (inserted.clone(), piece));
            std::iter::once((span, first)).chain(rest)
        })
    }

    /// Writes the old document in large pieces, read from the new one, which has `len` bytes.
    ///
    /// # Errors
    ///
    /// Those of the reader and the writer, and an error if the new document ends before a change
    /// does.
    pub fn undo(
        &self,
        new: &mut BufReader<impl Read + Seek>,
        len: u64,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(AT_ONCE, out);
        let mut at = 0;
        for (span, old) in self.iter() {
            let n_kept = span.start.checked_sub(at).ok_or(io::ErrorKind::InvalidData)?;
            copy(new, n_kept, &mut out)?;
            out.write_all(old)?;
            let n_new = i64::try_from(span.end - span.start).map_err(io::Error::other)?;
            new.seek_relative(n_new)?;
            at = span.end;
        }
        io::copy(&mut new.take(len.saturating_sub(at)), &mut out)?;
        out.flush()
    }
}

/// Copies the next bytes. A document has thousands of spans, most of them short, for each of which
/// [`io::copy`] would ask how to copy.
fn copy(from: &mut impl BufRead, mut n_bytes: u64, to: &mut impl Write) -> io::Result<()> {
    while n_bytes > 0 {
        let part = match from.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            part => part?,
        };
        let part = &part[..part.len().min(usize::try_from(n_bytes).unwrap_or(usize::MAX))];
        if part.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        to.write_all(part)?;
        let n_copied = part.len();
        from.consume(n_copied);
        n_bytes -= n_copied as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use layers::{Edit, Span};

    use super::*;

    fn undone(changes: &Changes, after: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut new = BufReader::new(Cursor::new(after));
        changes.undo(&mut new, after.len() as u64, &mut out).unwrap();
        out
    }

    #[test]
    fn changes_put_back_what_edits_took_away() {
        let before = b"<a href=x><img src=/y>z";
        let edit = |start, end, text: &str| Edit {
            span: Span::new(start, end),
            text: text.as_bytes().into(),
            id: 0,
        };
        let edits = vec![edit(8, 8, "http://h/"), edit(19, 21, "q"), edit(23, 23, "!")];
        let edits = Edits::new(edits, before.len()).unwrap();
        let after = edits.apply(before);
        let changes = Changes::new(before, &after, &edits);
        assert_eq!(changes.len(), 3);
        assert_eq!(undone(&changes, &after), before);
    }

    #[test]
    fn without_edits_that_explain_it_one_stretch_has_changed() {
        for (before, after) in
            [("abcd", "abXd"), ("aaaa", "aa"), ("aa", "aaaa"), ("", "x"), ("x", ""), ("xy", "xy")]
        {
            let (before, after) = (before.as_bytes(), after.as_bytes());
            let changes = Changes::new(before, after, &Edits::default());
            assert_eq!(undone(&changes, after), before);
        }
    }
}
