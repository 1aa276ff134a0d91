//! Pieces whose text was edited, put together again a part at a time: text and piece are files.

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use super::deflate::read_part;
use super::{Container, ContentError, Edited, PieceFact, PieceMember, Rebuilt};
use crate::os::store::OpenFile;
use crate::os::undo_log::Changes;

/// The number of bytes that are compared at once.
const PART: usize = 8 << 10;

/// What is read from any place.
pub trait Seekable: Read + Seek {}
impl<F: Read + Seek + ?Sized> Seekable for F {}

/// What is written, and read again.
pub trait Scratch: Read + Write + Seek {}
impl<F: Read + Write + Seek + ?Sized> Scratch for F {}

/// Bytes that several readers read.
pub trait Readable {
    /// Returns a reader of the bytes, at their start.
    ///
    /// # Errors
    ///
    /// Those of the file.
    fn reader(&self) -> io::Result<Box<dyn Seekable + '_>>;

    /// Returns their number.
    fn length(&self) -> u64;
}

impl Readable for &[u8] {
    fn reader(&self) -> io::Result<Box<dyn Seekable + '_>> {
        Ok(Box::new(Cursor::new(*self)))
    }

    fn length(&self) -> u64 {
        self.len() as u64
    }
}

impl Readable for Box<dyn OpenFile> {
    fn reader(&self) -> io::Result<Box<dyn Seekable + '_>> {
        let mut file = self.again()?;
        file.rewind()?;
        Ok(Box::new(file))
    }

    fn length(&self) -> u64 {
        (**self).length()
    }
}

/// A span of the old text, and the span of the new one that replaces it.
pub type EditedSpan = (Range<u64>, Range<u64>);

/// A function that receives the changes of a piece in their order: a range of it, and the range of
/// the new piece that replaces it.
pub type Changed<'c> = dyn FnMut(Range<u64>, Range<u64>) -> io::Result<()> + 'c;

/// A piece of which the text, a document or a container, was edited.
pub struct EditedFile<'e> {
    /// The piece, as it is in the file.
    pub piece: &'e dyn Readable,
    /// The old text.
    pub old: &'e dyn Readable,
    /// The new text.
    pub new: &'e mut dyn Seekable,
    /// The edits that give the new text, in their order.
    pub edits: &'e mut dyn Iterator<Item = io::Result<EditedSpan>>,
    /// The member that the piece is, in a container of members.
    pub member: Option<&'e PieceMember>,
    /// False if its new bytes are seen nowhere: they need not be short.
    pub is_seen: bool,
}

/// The sums of a piece that was put together again.
#[derive(Clone, Copy, Debug, Default)]
pub struct RebuiltSums {
    /// The number of lengths and checksums that were updated.
    pub n_derived: usize,
    /// What the tail of the container says about the piece, if it has a tail that does.
    pub fact: Option<PieceFact>,
}

/// Returns a piece in memory with its document edited, by [`Container::rebuild_file`].
pub(super) fn in_memory(
    container: &dyn Container,
    edited: &Edited<'_>,
) -> Result<Rebuilt, ContentError> {
    let Edited { piece, old, new, edits, member, is_seen, .. } = edited;
    let mut spans = match edits.explain(old, new) {
        true => Changes::new(old, new, edits),
        false => Changes::between(old, new),
    };
    let edits = &mut edited_spans(&spans, 0).into_iter().map(Ok);
    let (new, mut out) = (&mut Cursor::new(*new), Cursor::new(Vec::new()));
    let (member, is_seen) = (*member, *is_seen);
    let file = EditedFile { piece, old, new, edits, member, is_seen };
    spans = Changes::default();
    let offset = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    let sums = container.rebuild_file(file, &mut out, &mut |old, new| {
        let old = piece.get(offset(old.start)..offset(old.end)).unwrap_or_default();
        spans.push(new.start, new.end - new.start, old);
        Ok(())
    })?;
    let RebuiltSums { n_derived, fact } = sums;
    Ok(Rebuilt { bytes: out.into_inner(), changes: spans, n_derived, fact })
}

/// Returns the spans of changes of a text that begins at an offset of a longer one.
pub fn edited_spans(changes: &Changes, at: u64) -> Vec<EditedSpan> {
    let (mut old_at, mut new_at) = (at, 0);
    let spans = changes.iter().map(|(new, old)| {
        let start = old_at + (new.start - new_at);
        (old_at, new_at) = (start + old.len() as u64, new.end);
        (start..old_at, new)
    });
    spans.collect()
}

/// Copies a range of a file.
pub(super) fn copy(
    file: &mut dyn Seekable,
    range: Range<u64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let n_bytes = range.end.saturating_sub(range.start);
    file.seek(SeekFrom::Start(range.start))?;
    match io::copy(&mut file.take(n_bytes), out)? == n_bytes {
        true => Ok(()),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Returns true if two readers give the same bytes.
pub(super) fn is_same(one: &mut impl Read, other: &mut (impl Read + ?Sized)) -> io::Result<bool> {
    let (mut part, mut expected) = (vec![0; PART], vec![0; PART]);
    loop {
        let n_bytes = read_part(one, &mut part)?;
        if n_bytes == 0 {
            return Ok(read_part(other, &mut expected)? == 0);
        }
        let n_other = full_part(other, &mut expected[..n_bytes])?;
        if part[..n_bytes] != expected[..n_other] {
            return Ok(false);
        }
    }
}

/// Reads until a buffer is full, or to the end. Returns the number of bytes.
fn full_part(file: &mut (impl Read + ?Sized), part: &mut [u8]) -> io::Result<usize> {
    let mut n_bytes = 0;
    while n_bytes < part.len() {
        match read_part(file, &mut part[n_bytes..])? {
            0 => break,
            n_read => n_bytes += n_read,
        }
    }
    Ok(n_bytes)
}

/// Returns the ranges of two files from the first byte that differs to the last.
pub(super) fn between(
    one: &mut dyn Seekable,
    other: &mut (impl Seekable + ?Sized),
) -> io::Result<[Range<u64>; 2]> {
    let [n_one, n_other] = [one.seek(SeekFrom::End(0))?, other.seek(SeekFrom::End(0))?];
    let [mut parts_of_one, mut parts_of_other] = [PART, PART].map(|len| vec![0; len]);
    let (mut start, mut n_end) = (0, 0);
    one.rewind()?;
    other.rewind()?;
    loop {
        let n_bytes = full_part(one, &mut parts_of_one)?;
        let n_bytes = full_part(other, &mut parts_of_other[..n_bytes])?;
        let pairs = parts_of_one[..n_bytes].iter().zip(&parts_of_other);
        let n_same = pairs.take_while(|(one, other)| one == other).count();
        start += n_same as u64;
        if n_same < PART {
            break;
        }
    }
    let most = n_one.min(n_other) - start;
    while n_end < most {
        let len = usize::try_from(most - n_end).map_or(PART, |len| len.min(PART));
        let at = |n_bytes: u64| SeekFrom::Start(n_bytes - n_end - len as u64);
        one.seek(at(n_one))?;
        other.seek(at(n_other))?;
        one.read_exact(&mut parts_of_one[..len])?;
        other.read_exact(&mut parts_of_other[..len])?;
        let pairs = parts_of_one[..len].iter().rev().zip(parts_of_other[..len].iter().rev());
        let n_same = pairs.take_while(|(one, other)| one == other).count();
        n_end += n_same as u64;
        if n_same < len {
            break;
        }
    }
    Ok([start..n_one - n_end, start..n_other - n_end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_changes_between_files_are_those_between_texts() {
        let number = |idx: u32| (idx.wrapping_mul(idx) / 7).to_le_bytes()[0];
        let noise: Vec<u8> = (0..300_000).map(number).collect();
        for (start, removed, added, end) in [
            (0, 0, 0, 0),
            (0, 5, 0, 0),
            (PART, 0, 3, 9),
            (PART - 1, 1, 1, PART + 1),
            (7, 70_000, 1, 150_000),
            (130_000, 2, PART + 2, PART),
        ] {
            let (tail, change) = (&noise[300_000 - end..], vec![255; added]);
            let one = [&noise[..start + removed], tail].concat();
            let other = [&noise[..start], &change, tail].concat();
            let [old, new] = between(&mut Cursor::new(&one), &mut Cursor::new(&other)).unwrap();
            let changes = Changes::between(&one, &other);
            let expected: Vec<EditedSpan> = edited_spans(&changes, 0);
            assert_eq!([(old, new)], *expected);
            let is_equal = is_same(&mut &*one, &mut &*other).unwrap();
            assert_eq!(is_equal, one == other);
        }
    }
}
