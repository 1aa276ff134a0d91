//! gzip files (RFC 1952) that contain one document.
//!
//! Invariant: a member whose text does not change keeps its bytes, and so does what follows the
//! last member. A member that changes keeps its header (name, time, flags, extra field, comment);
//! its data are compressed again at the level that the header names, and its checksum and size are
//! updated. The new file is decompressed and compared before it is used.

mod member;
mod stream;

use std::io::{self, Read, Seek, SeekFrom};

use rewrite::Limits;

use self::stream::{GzipText, Member};
use super::deflate::{FASTEST, PART, compress};
use super::rebuilding::{
    self, Changed, EditedFile, EditedSpan, RebuiltSums, Scratch, copy, is_same,
};
use super::stream::{TextLength, in_memory};
use super::{
    ARCHIVE, Container, ContainerForm, ContainerSpec, ContentError, Edited, Piece, PieceDocument,
    PieceFact, PieceText, Rebuilt, Source,
};

/// A document that is compressed. If the file has several members, they are one document, in which
/// each keeps its part.
#[derive(Clone, Copy, Debug)]
pub struct Gzip;

static SPEC: ContainerSpec = ContainerSpec {
    media_types: &["application/gzip", "application/x-gzip"],
    extensions: &["gz", "svgz"],
    unsupported: Some(|head| (!member::is_start(head)).then_some(ARCHIVE)),
    document_name: Some(document_name),
    ..ContainerSpec::new("document", ContainerForm::One, None)
};

/// Returns the name without the extension of gzip.
fn document_name(name: &str) -> Option<String> {
    match name.rsplit_once('.')? {
        (stem, "gz") => Some(stem.to_owned()),
        (stem, "svgz") => Some(format!("{stem}.svg")),
        _ => None,
    }
}

impl Container for Gzip {
    fn spec(&self) -> &'static ContainerSpec {
        &SPEC
    }

    fn content(&self, piece: &Piece, limits: &Limits) -> Result<PieceDocument, ContentError> {
        let length = TextLength::new(Some(piece.bytes.len() as u64), limits);
        let text = in_memory(GzipText::new(&*piece.bytes, Some(length)), 0, limits)?;
        Ok(PieceDocument::new(PieceText::Decoded(text), None))
    }

    fn open(&self, piece: Source, _: Option<PieceFact>, limits: &Limits) -> io::Result<Source> {
        let length = TextLength::new(piece.length(), limits);
        Ok(Source::Stream(Box::new(GzipText::new(piece, Some(length)))))
    }

    fn rebuild(&self, edited: &Edited<'_>) -> Result<Rebuilt, ContentError> {
        rebuilding::in_memory(self, edited)
    }

    fn rebuild_file(
        &self,
        mut edited: EditedFile<'_>,
        out: &mut dyn Scratch,
        changed: &mut Changed<'_>,
    ) -> io::Result<RebuiltSums> {
        let n_derived = with_text(&mut edited, out, changed)?;
        out.rewind()?;
        edited.new.rewind()?;
        match is_same(&mut GzipText::new(out, None), &mut edited.new)? {
            true => Ok(RebuiltSums { n_derived, fact: None }),
            false => Err(ContentError::Unverified.into()),
        }
    }
}

/// Writes the file with a new text. Each member gets the part of the new text that the edits make
/// of its old part. Returns the number of sums that were updated.
fn with_text(
    EditedFile { piece, old, new, edits, is_seen, .. }: &mut EditedFile<'_>,
    out: &mut dyn Scratch,
    changed: &mut Changed<'_>,
) -> io::Result<usize> {
    let (mut file, mut old) = (piece.reader()?, old.reader()?);
    let mut bounds = Bounds::new(&mut **edits);
    // The old text is known; only the places of its members are not.
    let mut members = GzipText::new(piece.reader()?, None);
    let n_new_text = new.seek(SeekFrom::End(0))?;
    let (mut n_old, mut n_new, mut end, mut n_derived) = (0, 0, 0, 0);
    let mut part = vec![0; PART];
    while let Some(Member { range, data, n_text, level, index }) = members.member(&mut part)? {
        let is_last = members.is_end()?;
        old.seek(SeekFrom::Start(n_old))?;
        new.seek(SeekFrom::Start(n_new))?;
        n_old += n_text;
        let new_end = if is_last { n_new_text } else { bounds.position(n_old)? };
        let n_new_part = new_end.saturating_sub(n_new);
        let parts = (&mut old.by_ref().take(n_text), &mut new.by_ref().take(n_new_part));
        let is_kept = n_text == n_new_part && is_same(parts.0, parts.1)?;
        end = range.end;
        if is_kept {
            copy(&mut *file, range, out)?;
        } else if let Some(index) = index {
            return Err(ContentError::Positions(index).into());
        } else {
            copy(&mut *file, range.start..data, out)?;
            let start = out.stream_position()?;
            new.seek(SeekFrom::Start(n_new))?;
            let level = if *is_seen { level } else { level.min(FASTEST) };
            let sums = compress(&mut new.by_ref().take(n_new_part), Some(level), out)?;
            out.write_all(&sums.crc.to_le_bytes())?;
            out.write_all(&member::size(sums.size).to_le_bytes())?;
            changed(data..range.end, start..out.stream_position()?)?;
            n_derived += 2;
        }
        n_new = new_end;
    }
    copy(&mut *file, end..piece.length(), out)?;
    Ok(n_derived)
}

/// The places of offsets of the old text in the new one, for ascending offsets.
struct Bounds<'e> {
    /// The next of the edits, and those after it.
    next: Option<EditedSpan>,
    edits: &'e mut dyn Iterator<Item = io::Result<EditedSpan>>,
    /// The end of the last edit that was passed.
    end: u64,
    /// The lengths of the old and the new texts of those edits.
    n_old: u64,
    n_new: u64,
}

impl<'e> Bounds<'e> {
    fn new(edits: &'e mut dyn Iterator<Item = io::Result<EditedSpan>>) -> Self {
        Bounds { next: None, edits, end: 0, n_old: 0, n_new: 0 }
    }

    /// Returns the place of an offset. What replaces a span around it is before it.
    fn position(&mut self, offset: u64) -> io::Result<u64> {
        loop {
            let next = match self.next.take() {
                Some(next) => Some(next),
                None => self.edits.next().transpose()?,
            };
            match next {
                Some((old, new)) if old.start < offset => {
                    self.n_old += old.end - old.start;
                    self.n_new += new.end - new.start;
                    self.end = old.end;
                }
                next => {
                    self.next = next;
                    return Ok(offset.max(self.end) - self.n_old + self.n_new);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_over_a_bound_is_before_it() {
        // abcdefgh -> aBBBcXf!gh?
        let edits = [(1..2, 1..4), (3..5, 5..6), (6..6, 7..8), (8..8, 10..11)];
        let positions = |offsets: &[u64]| {
            let mut edits = edits.iter().cloned().map(Ok);
            let mut bounds = Bounds::new(&mut edits);
            offsets.iter().map(|at| bounds.position(*at).unwrap()).collect::<Vec<u64>>()
        };
        // a | BBBc | X (4 is inside of the second edit) | f | !g
        assert_eq!(positions(&[1, 3, 4, 6, 7]), [1, 5, 6, 7, 9]);
        // Offset 4 again, alone: what replaces `de` is before it.
        assert_eq!(positions(&[4]), [6]);
    }
}
