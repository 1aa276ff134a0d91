//! The central directory of a zip file and the records at its end, updated after members were
//! edited.

use std::ops::Range;

use super::directory::ZipDirectory;
use super::header::{SumFields, in_zip64, number, set};
use crate::files::container::{ContentError, PlacedPiece};

/// The signatures of a record of the directory, of the end records of zip64, and of the end record
/// (APPNOTE.TXT 6.3.10, sections 4.3.12, 4.3.14, 4.3.15, 4.3.16).
const RECORD: &[u8] = b"PK\x01\x02";
const ZIP64_END: &[u8] = b"PK\x06\x06";
const ZIP64_LOCATOR: &[u8] = b"PK\x06\x07";
const END: &[u8] = b"PK\x05\x06";

/// The lengths of the fixed parts of these records.
const FIXED_RECORD: usize = 46;
const FIXED_ZIP64_END: usize = 56;
const FIXED_LOCATOR: usize = 20;
const FIXED_END: usize = 22;

/// The places of the numbers that depend on the members.
pub(super) struct TailFields {
    /// For each member, in the order of the directory: the offset of its local header, and its
    /// sums.
    members: Vec<(Range<usize>, SumFields)>,
    /// The offsets of the directory.
    directory: Vec<Range<usize>>,
    /// The offset of the end record of zip64, and its place.
    zip64: Option<(Range<usize>, usize)>,
}

impl TailFields {
    /// Finds them in a directory and what follows it; `None` if anything else is there, or the
    /// lengths in it are wrong.
    pub(super) fn read(tail: &[u8]) -> Option<TailFields> {
        let mut members = Vec::new();
        let mut at = 0;
        while tail.get(at..)?.starts_with(RECORD) {
            let [n_name, n_extra, n_comment] =
                [at + 28..at + 30, at + 30..at + 32, at + 32..at + 34]
                    .map(|place| number(tail, place));
            let extra_start = at + FIXED_RECORD + usize::try_from(n_name).ok()?;
            let extra = extra_start..extra_start + usize::try_from(n_extra).ok()?;
            let end = extra.end + usize::try_from(n_comment).ok()?;
            if end > tail.len() {
                return None;
            }
            let fields = [at + 24..at + 28, at + 20..at + 24, at + 42..at + 46];
            let fields: [Range<usize>; 3] = in_zip64(tail, extra, fields).try_into().ok()?;
            let [size, n_encoded, offset] = fields;
            members.push((offset, SumFields { crc: at + 16..at + 20, n_encoded, size }));
            at = end;
        }
        let n_directory = at as u64;
        let (mut directory, mut zip64) = (Vec::new(), None);
        if tail.get(at..)?.starts_with(ZIP64_END) {
            let len = number(tail, at + 4..at + 12);
            let end = at + 12 + usize::try_from(len).ok().filter(|len| *len <= tail.len())?;
            let has_length = number(tail, at + 40..at + 48) == n_directory;
            let locator = tail.get(end..end + FIXED_LOCATOR)?;
            if end < at + FIXED_ZIP64_END || !has_length || !locator.starts_with(ZIP64_LOCATOR) {
                return None;
            }
            directory.push(at + 48..at + 56);
            zip64 = Some((end + 8..end + 16, at));
            at = end + FIXED_LOCATOR;
        }
        let end = tail.get(at..).filter(|end| end.starts_with(END))?;
        let n_comment = number(end, 20..22);
        let is_end = end.len() as u64 == FIXED_END as u64 + n_comment;
        let is_value = |place: Range<usize>, expected: u64| {
            let (value, all) = (number(end, place.clone()), u64::MAX >> (64 - 8 * place.len()));
            value == expected || (value == all && zip64.is_some())
        };
        let has_numbers = number(end, 4..8) == 0
            && is_value(10..12, members.len() as u64)
            && is_value(12..16, n_directory);
        if !is_end || !has_numbers {
            return None;
        }
        // The offset may be in the end record of zip64 only.
        if directory.is_empty() || number(end, 16..20) != 0xFFFF_FFFF {
            directory.push(at + 16..at + 20);
        }
        Some(TailFields { members, directory, zip64 })
    }

    /// Returns true if the numbers in a tail are those of a directory, and its offsets where that
    /// is.
    pub(super) fn agree(&self, tail: &[u8], directory: &ZipDirectory) -> bool {
        let n_prefix = self.n_prefix(tail, directory.at);
        let is_at = |place: &Range<usize>, offset: u64| {
            number(tail, place.clone()).checked_add(n_prefix) == Some(offset)
        };
        let mut members = self.members.iter().zip(&directory.members);
        n_prefix <= directory.at
            && self.members.len() == directory.members.len()
            && self.directory.iter().all(|place| is_at(place, directory.at))
            && self.zip64.iter().all(|(place, end)| is_at(place, directory.at + *end as u64))
            && members.all(|((offset, sums), member)| {
                let mut sums = sums.all(member.fact());
                is_at(offset, member.at) && sums.all(|(place, sum)| number(tail, place) == sum)
            })
    }

    /// Returns the length of the prefix that the offsets of a tail do not count; `at` is its
    /// offset.
    fn n_prefix(&self, tail: &[u8], at: u64) -> u64 {
        let stored = self.directory.first().map_or(0, |place| number(tail, place.clone()));
        at.wrapping_sub(stored)
    }
}

/// Returns the tail with the offsets and sums of the edited members, `placed`. `at` was its offset
/// in the old file. A prefix before the first member may or may not count in its offsets.
pub(super) fn updated(
    tail: &[u8],
    at: u64,
    placed: &[PlacedPiece],
) -> Result<Vec<u8>, ContentError> {
    let fields = TailFields::read(tail).ok_or(ContentError::Unverified)?;
    let n_prefix = fields.n_prefix(tail, at);
    let mut out = tail.to_vec();
    let mut move_by = |place: Range<usize>| {
        let old = number(tail, place.clone());
        let new = moved(placed, old.wrapping_add(n_prefix)).wrapping_sub(n_prefix);
        set(&mut out, place, new)
    };
    let offsets = fields.members.iter().map(|(offset, _)| offset);
    let ends = fields.zip64.iter().map(|(place, _)| place);
    for place in offsets.chain(&fields.directory).chain(ends) {
        move_by(place.clone())?;
    }
    for (offset, sums) in &fields.members {
        let start = number(tail, offset.clone()).wrapping_add(n_prefix);
        if let Ok(idx) = placed.binary_search_by_key(&start, |piece| piece.old.start) {
            for (place, value) in sums.all(placed[idx].fact) {
                set(&mut out, place, value)?;
            }
        }
    }
    Ok(out)
}

/// Returns where an offset of the old file is in the new one, outside of edited pieces.
fn moved(placed: &[PlacedPiece], offset: u64) -> u64 {
    let n_before = placed.partition_point(|piece| piece.old.start < offset);
    match placed[..n_before].last() {
        Some(piece) => piece.new.end + (offset - piece.old.end),
        None => offset,
    }
}
