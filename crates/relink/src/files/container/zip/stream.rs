//! Members as streams.

use std::io::{self, Read, Seek, SeekFrom};

use rewrite::Limits;

use super::header::{FIXED, LocalHeader, number};
use super::{Method, PieceFact, Source};
use crate::files::container::ContentError;
use crate::files::container::deflate::{Crc32, Inflating};
use crate::files::container::stream::{TextLength, damaged};
use crate::os::store::range::FileRange;

/// Returns the text of a member: a range of the file if it is stored, and otherwise a stream. An
/// error, at its end if it is a stream, says that its length or its checksum is wrong.
pub(super) fn open(piece: Source, fact: Option<PieceFact>, limits: &Limits) -> io::Result<Source> {
    let (Source::File(mut file), Some(fact)) = (piece, fact) else {
        return Err(damaged(ContentError::Unverified));
    };
    let mut header = vec![0; FIXED];
    file.read_exact(&mut header)?;
    let rest = number(&header, 26..28) + number(&header, 28..30);
    file.by_ref().take(rest).read_to_end(&mut header)?;
    let header = LocalHeader::read(&header).ok_or(ContentError::Unverified).map_err(damaged)?;
    let start = header.len as u64;
    match header.method {
        Method::Stored if fact.size == fact.n_encoded => {
            let range = start..start.saturating_add(fact.size);
            let mut member = FileRange::new(&*file, range)?;
            // It may be read anywhere, so that its checksum is computed before.
            if crc(&mut member)? != fact.crc {
                return Err(damaged(WRONG_SUMS));
            }
            member.rewind()?;
            Ok(Source::File(Box::new(member)))
        }
        Method::Stored => Err(damaged(WRONG_SUMS)),
        Method::Deflate => {
            file.seek(SeekFrom::Start(start))?;
            let data = Inflating::new(file.take(fact.n_encoded));
            let length = TextLength::new(Some(fact.n_encoded), limits);
            let crc = Crc32::default();
            Ok(Source::Stream(Box::new(MemberText { data, fact, length, crc })))
        }
        Method::Other => Err(damaged(ContentError::Member("have an unknown compression"))),
    }
}

/// Returns the checksum of what is left of a file.
fn crc(file: &mut impl Read) -> io::Result<u32> {
    let mut crc = Crc32::default();
    let mut buffer = vec![0; CHUNK];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(crc.value()),
            Ok(n_bytes) => crc.add(&buffer[..n_bytes]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The number of bytes of a stored member that are read at once.
const CHUNK: usize = 1 << 16;

const WRONG_SUMS: ContentError =
    ContentError::Member("are damaged: their checksum or size is wrong");

/// The text of a member, which is decompressed as it is read.
struct MemberText<R> {
    data: Inflating<R>,
    fact: PieceFact,
    length: TextLength,
    crc: Crc32,
}

impl<R: Read> Read for MemberText<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        let n_bytes = self.data.inflate(out)?;
        let n_bytes = n_bytes.map_err(|_| damaged(ContentError::Member("are damaged")))?;
        self.crc.add(&out[..n_bytes]);
        let size = self.length.add(n_bytes, self.data.offset())?;
        let is_wrong = match n_bytes {
            0 => {
                let is_all = self.data.offset() == self.fact.n_encoded;
                !is_all || size != self.fact.size || self.crc.value() != self.fact.crc
            }
            _ => size > self.fact.size,
        };
        if is_wrong { Err(damaged(WRONG_SUMS)) } else { Ok(n_bytes) }
    }
}
