//! Local headers of members, and what follows their data: a member with another document.

use std::io::{self, Read, SeekFrom};
use std::ops::Range;

use super::directory::Method;
use crate::files::container::deflate::{TextSums, compress};
use crate::files::container::rebuilding::{Scratch, Seekable};
use crate::files::container::{ContentError, PieceFact};

/// The signature of a local header (APPNOTE.TXT 6.3.10, section 4.3.7).
pub(super) const LOCAL: &[u8] = b"PK\x03\x04";
/// The length of its fixed part.
const FIXED: usize = 30;
/// The signature of a data descriptor (section 4.3.9), which it need not have.
const DESCRIPTOR: &[u8] = b"PK\x07\x08";
/// The maximum length of a data descriptor.
pub(super) const LONGEST_DESCRIPTOR: u64 = 24;
/// The flag for a data descriptor, and those for encryption.
pub(super) const HAS_DESCRIPTOR: u16 = 1 << 3;
pub(super) const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
/// The value of a field that is in the extra field for zip64.
const IN_ZIP64: u64 = 0xFFFF_FFFF;
/// The extra field for zip64 (section 4.5.3).
const ZIP64: u16 = 1;
/// The level of compression of an edited document.
pub(super) const LEVEL: u32 = 6;

/// The places in a header of the CRC-32, of the length of the data and of the text.
pub(super) struct SumFields {
    pub(super) crc: Range<usize>,
    pub(super) n_encoded: Range<usize>,
    pub(super) size: Range<usize>,
}

/// Returns the number at a place; 0 if it is outside of the bytes.
pub(super) fn number(bytes: &[u8], place: Range<usize>) -> u64 {
    let bytes = bytes.get(place).unwrap_or_default();
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Writes a number to a place.
///
/// # Errors
///
/// [`ContentError::TooLong`] if it has no room there.
pub(super) fn set(bytes: &mut [u8], place: Range<usize>, number: u64) -> Result<(), ContentError> {
    let digits = number.to_le_bytes();
    let field = bytes.get_mut(place).ok_or(ContentError::TooLong)?;
    let (low, high) = digits.split_at(field.len().min(digits.len()));
    let is_reserved = field.len() == 4 && number == IN_ZIP64;
    if is_reserved || high.iter().any(|byte| *byte != 0) {
        return Err(ContentError::TooLong);
    }
    field.copy_from_slice(low);
    Ok(())
}

/// Returns the places of numbers: of 4 bytes in a header, or of 8 bytes in its extra field for
/// zip64, in the same order. `extra` is the place of all extra fields of the header.
pub(super) fn in_zip64(
    bytes: &[u8],
    extra: Range<usize>,
    fields: impl IntoIterator<Item = Range<usize>>,
) -> Vec<Range<usize>> {
    let mut next = zip64(bytes, extra);
    fields
        .into_iter()
        .map(|field| {
            let is_there = number(bytes, field.clone()) == IN_ZIP64;
            match &mut next {
                Some(rest) if is_there && rest.len() >= 8 => {
                    let place = rest.start..rest.start + 8;
                    rest.start += 8;
                    place
                }
                _ => field,
            }
        })
        .collect()
}

/// Returns the data of the extra field for zip64.
fn zip64(bytes: &[u8], extra: Range<usize>) -> Option<Range<usize>> {
    let mut at = extra.start;
    while at + 4 <= extra.end {
        let [id, len] = [at..at + 2, at + 2..at + 4].map(|place| number(bytes, place));
        let end = at + 4 + usize::try_from(len).ok()?;
        if end > extra.end {
            return None;
        }
        if id == u64::from(ZIP64) {
            return Some(at + 4..end);
        }
        at = end;
    }
    None
}

/// A local header.
pub(super) struct LocalHeader {
    /// Its length with the name and the extra field.
    pub(super) len: usize,
    pub(super) flags: u16,
    pub(super) method: Method,
    pub(super) name: Range<usize>,
    pub(super) sums: SumFields,
}

impl LocalHeader {
    /// Reads the header with which these bytes begin.
    pub(super) fn read(bytes: &[u8]) -> Option<LocalHeader> {
        if !bytes.starts_with(LOCAL) || bytes.len() < FIXED {
            return None;
        }
        let [flags, method, n_name, n_extra] =
            [6..8, 8..10, 26..28, 28..30].map(|place| number(bytes, place));
        let name = FIXED..FIXED + usize::try_from(n_name).ok()?;
        let extra = name.end..name.end + usize::try_from(n_extra).ok()?;
        if extra.end > bytes.len() {
            return None;
        }
        let method = match method {
            0 => Method::Stored,
            8 => Method::Deflate,
            _ => Method::Other,
        };
        let [size, n_encoded] =
            <[Range<usize>; 2]>::try_from(in_zip64(bytes, extra.clone(), [22..26, 18..22])).ok()?;
        let sums = SumFields { crc: 14..18, n_encoded, size };
        Some(LocalHeader { len: extra.end, flags: u16::try_from(flags).ok()?, method, name, sums })
    }

    /// Reads the header with which a member begins. Also returns its bytes.
    pub(super) fn read_from(file: &mut (impl Read + ?Sized)) -> io::Result<(Vec<u8>, LocalHeader)> {
        let mut bytes = vec![0; FIXED];
        file.read_exact(&mut bytes)?;
        let rest = number(&bytes, 26..28) + number(&bytes, 28..30);
        file.take(rest).read_to_end(&mut bytes)?;
        let header = LocalHeader::read(&bytes).ok_or(ContentError::Unverified)?;
        Ok((bytes, header))
    }

    /// Returns true if the sums in it are those of the directory, or none, which only a data
    /// descriptor allows.
    pub(super) fn has_sums(&self, bytes: &[u8], fact: PieceFact) -> bool {
        let has_none = self.flags & HAS_DESCRIPTOR != 0;
        self.sums.all(fact).all(|(place, value)| {
            let found = number(bytes, place);
            found == value || (has_none && (found == 0 || found == IN_ZIP64))
        })
    }
}

impl SumFields {
    /// Returns each place with its value.
    pub(super) fn all(&self, fact: PieceFact) -> impl Iterator<Item = (Range<usize>, u64)> {
        [
            (self.crc.clone(), fact.crc.into()),
            (self.n_encoded.clone(), fact.n_encoded),
            (self.size.clone(), fact.size),
        ]
        .into_iter()
    }
}

/// Returns the places of the sums in the data descriptor with which these bytes begin, and its
/// length, if it has these sums. Its lengths have 4 or 8 bytes.
pub(super) fn descriptor(bytes: &[u8], fact: PieceFact) -> Option<(SumFields, usize)> {
    let layout = |start: usize, width: usize| {
        let crc = start..start + 4;
        let n_encoded = crc.end..crc.end + width;
        let size = n_encoded.end..n_encoded.end + width;
        let end = size.end;
        (SumFields { crc, n_encoded, size }, end)
    };
    let starts: &[usize] = if bytes.starts_with(DESCRIPTOR) { &[4, 0] } else { &[0] };
    starts.iter().flat_map(|start| [layout(*start, 4), layout(*start, 8)]).find(|(sums, end)| {
        *end <= bytes.len() && sums.all(fact).all(|(place, value)| number(bytes, place) == value)
    })
}

/// Writes a member with another text: its header, the data, and its data descriptor. The text is
/// compressed at a level if the old one is compressed. Returns what its header says, and what the
/// directory says about it.
pub(super) fn with_text(
    member: &mut dyn Seekable,
    old: PieceFact,
    (text, level): (&mut dyn Seekable, u32),
    out: &mut dyn Scratch,
) -> io::Result<(LocalHeader, PieceFact)> {
    member.rewind()?;
    let (mut bytes, header) = LocalHeader::read_from(member)?;
    out.write_all(&bytes)?;
    let level = (header.method != Method::Stored).then_some(level);
    text.rewind()?;
    let TextSums { crc, size, n_encoded } = compress(text, level, out)?;
    let new = PieceFact { crc, size, n_encoded };
    let mut rest = Vec::new();
    member.seek(SeekFrom::Start((header.len as u64).saturating_add(old.n_encoded)))?;
    // Only a data descriptor is after the data.
    member.take(LONGEST_DESCRIPTOR).read_to_end(&mut rest)?;
    if let Some((sums, _)) = descriptor(&rest, old).filter(|_| header.flags & HAS_DESCRIPTOR != 0) {
        for (place, after) in sums.all(new) {
            set(&mut rest, place, after)?;
        }
    }
    out.write_all(&rest)?;
    for ((place, before), (_, after)) in header.sums.all(old).zip(header.sums.all(new)) {
        // With a data descriptor, the header may have no sums.
        if number(&bytes, place.clone()) == before {
            set(&mut bytes, place, after)?;
        }
    }
    out.rewind()?;
    out.write_all(&bytes)?;
    Ok((header, new))
}
