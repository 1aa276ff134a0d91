//! Members as streams.

use std::io::{self, Read, Seek, SeekFrom, Take};

use rewrite::Limits;

use super::header::LocalHeader;
use super::{Method, PieceFact, Source};
use crate::files::container::ContentError;
use crate::files::container::deflate::{Crc32, Inflating, PART, read_part};
use crate::files::container::stream::TextLength;
use crate::os::store::range::FileRange;

/// Returns the text of a member: a range of the file if it is stored, and otherwise a stream. An
/// error, at its end if it is a stream, says that its length or its checksum is wrong.
pub(super) fn open(piece: Source, fact: Option<PieceFact>, limits: &Limits) -> io::Result<Source> {
    let (Source::File(mut file), Some(fact)) = (piece, fact) else {
        return Err(ContentError::Unverified.into());
    };
    let header = LocalHeader::read_from(&mut file)?.1;
    let start = header.len as u64;
    file.seek(SeekFrom::Start(start))?;
    if header.method != Method::Stored {
        return Ok(Source::Stream(Box::new(MemberText::new(file, &header, fact, Some(limits)))));
    }
    // It may be read anywhere, so that its checksum is computed before.
    let mut text = MemberText::new(&mut file, &header, fact, Some(limits));
    let mut part = vec![0; PART];
    while read_part(&mut text, &mut part)? > 0 {}
    let range = start..start.saturating_add(fact.size);
    Ok(Source::File(Box::new(FileRange::new(&*file, range)?)))
}

const DAMAGED: ContentError = ContentError::Member("are damaged");
const WRONG_SUMS: ContentError =
    ContentError::Member("are damaged: their checksum or size is wrong");

/// The text of a member, which is decompressed as it is read.
pub(super) struct MemberText<R> {
    data: MemberData<R>,
    fact: PieceFact,
    size: u64,
    /// Its length, if it is limited.
    length: Option<TextLength>,
    crc: Crc32,
}

/// The data of a member.
enum MemberData<R> {
    Stored(Take<R>),
    Deflated(Inflating<Take<R>>),
    Unknown,
}

impl<R: Read> MemberText<R> {
    /// Returns the text of a member with this header, of which the data are next.
    pub(super) fn new(
        file: R,
        header: &LocalHeader,
        fact: PieceFact,
        limits: Option<&Limits>,
    ) -> Self {
        let file = file.take(fact.n_encoded);
        let data = match header.method {
            Method::Stored => MemberData::Stored(file),
            Method::Deflate => MemberData::Deflated(Inflating::new(file)),
            Method::Other => MemberData::Unknown,
        };
        let length = limits.map(|limits| TextLength::new(Some(fact.n_encoded), limits));
        MemberText { data, fact, size: 0, length, crc: Crc32::default() }
    }
}

impl<R> MemberText<R> {
    /// Returns the length of the text, as far as its data can become so long.
    pub(super) fn expected_length(&self) -> u64 {
        let most = self.length.as_ref().and_then(TextLength::most);
        most.map_or(self.fact.size, |most| self.fact.size.min(most))
    }
}

impl<R: Read> Read for MemberText<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        let (n_bytes, n_data) = match &mut self.data {
            MemberData::Stored(file) => {
                let n_bytes = file.read(out)?;
                (n_bytes, self.fact.n_encoded - file.limit())
            }
            MemberData::Deflated(data) => (data.inflate(out)?.map_err(|_| DAMAGED)?, data.offset()),
            MemberData::Unknown => {
                return Err(ContentError::Member("have an unknown compression").into());
            }
        };
        self.crc.add(&out[..n_bytes]);
        self.size += n_bytes as u64;
        if let Some(length) = &mut self.length {
            length.add(n_bytes, n_data)?;
        }
        let is_wrong = match n_bytes {
            0 => {
                let is_all = n_data == self.fact.n_encoded;
                !is_all || self.size != self.fact.size || self.crc.value() != self.fact.crc
            }
            _ => self.size > self.fact.size,
        };
        if is_wrong { Err(WRONG_SUMS.into()) } else { Ok(n_bytes) }
    }
}
