//! Compressed data (RFC 1951), and CRC-32. Only this file of the program imports flate2.

use std::io::{self, Read};

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};

use super::ContentError;

/// The number of bytes of text that are passed on at once.
const PART: usize = 64 << 10;

/// Decompresses data.
pub(super) struct RawInflater {
    state: Decompress,
    part: Vec<u8>,
}

/// The reason why data cannot be decompressed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DeflateError {
    /// They are not valid.
    Damaged,
    /// They end too early.
    Cut,
    /// The receiver of the text refused it.
    Refused(ContentError),
}

impl RawInflater {
    pub(super) fn new() -> Self {
        RawInflater { state: Decompress::new(false), part: vec![0; PART] }
    }

    /// Decompresses the data with which `data` begins, and passes the text on in parts. Returns
    /// the length of the data.
    pub(super) fn inflate(
        &mut self,
        data: &[u8],
        take: &mut dyn FnMut(&[u8]) -> Result<(), ContentError>,
    ) -> Result<usize, DeflateError> {
        self.state.reset(false);
        let mut n_data = 0;
        loop {
            let (before_in, before_out) = (self.state.total_in(), self.state.total_out());
            let rest = data.get(n_data..).unwrap_or_default();
            let status = self.state.decompress(rest, &mut self.part, FlushDecompress::None);
            let status = status.map_err(|_| DeflateError::Damaged)?;
            let n_read = offset(self.state.total_in() - before_in);
            let n_text = offset(self.state.total_out() - before_out);
            n_data += n_read;
            take(&self.part[..n_text]).map_err(DeflateError::Refused)?;
            match status {
                Status::StreamEnd => return Ok(n_data),
                Status::Ok | Status::BufError if n_read + n_text > 0 => {}
                Status::Ok | Status::BufError => return Err(DeflateError::Cut),
            }
        }
    }
}

/// Decompresses data that are read as they are needed, from a reader with other bytes before and
/// after them.
pub(super) struct Inflating<R> {
    reader: R,
    state: Decompress,
    /// The bytes that were read; those before `at` are used.
    bytes: Vec<u8>,
    at: usize,
    /// The offset of `bytes` in the reader.
    base: u64,
}

impl<R: Read> Inflating<R> {
    pub(super) fn new(reader: R) -> Self {
        Inflating { reader, state: Decompress::new(false), bytes: Vec::new(), at: 0, base: 0 }
    }

    /// Returns the bytes that were read and are not used.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    /// Returns the offset in the reader of the next byte that is not used.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Passes over bytes that were read.
    pub(super) fn consume(&mut self, n_bytes: usize) {
        self.at = self.bytes.len().min(self.at + n_bytes);
    }

    /// Reads more bytes. Returns false if there are none.
    pub(super) fn more(&mut self) -> io::Result<bool> {
        self.bytes.drain(..self.at);
        self.base += self.at as u64;
        self.at = 0;
        self.bytes.try_reserve(PART)?;
        Ok(self.reader.by_ref().take(PART as u64).read_to_end(&mut self.bytes)? > 0)
    }

    /// Reads until this number of bytes is not used. Returns false if there are fewer.
    pub(super) fn reach(&mut self, n_bytes: usize) -> io::Result<bool> {
        while self.rest().len() < n_bytes {
            if !self.more()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Begins with compressed data.
    pub(super) fn begin(&mut self) {
        self.state.reset(false);
    }

    /// Decompresses more of the data into a buffer that is not empty. Returns the number of bytes;
    /// 0 at the end of the data.
    pub(super) fn inflate(&mut self, out: &mut [u8]) -> io::Result<Result<usize, DeflateError>> {
        loop {
            if self.rest().is_empty() {
                self.more()?;
            }
            let (before_in, before_out) = (self.state.total_in(), self.state.total_out());
            let rest = &self.bytes[self.at..];
            let Ok(status) = self.state.decompress(rest, out, FlushDecompress::None) else {
                return Ok(Err(DeflateError::Damaged));
            };
            let n_read = offset(self.state.total_in() - before_in);
            let n_text = offset(self.state.total_out() - before_out);
            self.at += n_read;
            if n_text > 0 || status == Status::StreamEnd {
                return Ok(Ok(n_text));
            }
            if n_read == 0 {
                return Ok(Err(DeflateError::Cut));
            }
        }
    }
}

/// Returns the text compressed at a level from 0 to 9.
pub(super) fn compress(text: &[u8], level: u32) -> Result<Vec<u8>, ContentError> {
    compressed(text, Compress::new(Compression::new(level), false))
}

/// Returns data in the format of zlib (RFC 1950), as patches contain them.
///
/// # Errors
///
/// [`ContentError`] if there is not enough memory.
pub fn zlib(data: &[u8]) -> Result<Vec<u8>, ContentError> {
    compressed(data, Compress::new(Compression::default(), true))
}

fn compressed(text: &[u8], mut state: Compress) -> Result<Vec<u8>, ContentError> {
    let mut data = Vec::new();
    loop {
        let rest = text.get(offset(state.total_in())..).unwrap_or_default();
        // Text compresses to a quarter or less.
        data.try_reserve(rest.len() / 4 + PART)?;
        let status = state.compress_vec(rest, &mut data, FlushCompress::Finish);
        // No text fails to be compressed.
        match status.map_err(|_| ContentError::Unverified)? {
            Status::StreamEnd => return Ok(data),
            Status::Ok | Status::BufError => {}
        }
    }
}

/// Returns a number of bytes in memory.
fn offset(n_bytes: u64) -> usize {
    usize::try_from(n_bytes).unwrap_or(usize::MAX)
}

/// The CRC-32 of a text that comes in parts.
#[derive(Default)]
pub(super) struct Crc32(Crc);

impl Crc32 {
    pub(super) fn add(&mut self, part: &[u8]) {
        self.0.update(part);
    }

    pub(super) fn value(&self) -> u32 {
        self.0.sum()
    }
}

/// Returns the CRC-32 of a text.
pub(super) fn checksum(text: &[u8]) -> u32 {
    let mut checksum = Crc32::default();
    checksum.add(text);
    checksum.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compressed_is_decompressed() {
        for n_bytes in [0, 1, PART - 1, PART, 5 * PART + 7] {
            // Numbers that do not repeat do not compress.
            let text: Vec<u8> = (0..n_bytes)
                .map(|idx| (idx as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()[0])
                .collect();
            for level in [1, 6, 9] {
                let mut data = compress(&text, level).unwrap();
                let n_data = data.len();
                data.extend(b"more");
                let mut out = Vec::new();
                let mut take = |part: &[u8]| {
                    out.extend_from_slice(part);
                    Ok(())
                };
                let mut inflater = RawInflater::new();
                assert_eq!(inflater.inflate(&data, &mut take), Ok(n_data));
                assert!(out == text);
                let cut = &data[..n_data - 1];
                assert_eq!(inflater.inflate(cut, &mut |_| Ok(())), Err(DeflateError::Cut));
            }
        }
        assert_eq!(
            RawInflater::new().inflate(&[7; 99], &mut |_| Ok(())),
            Err(DeflateError::Damaged)
        );
        assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
    }
}
