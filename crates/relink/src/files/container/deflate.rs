//! Compressed data (RFC 1951), and CRC-32. Only this file of the program imports flate2.

use std::io::{self, Read, Write};

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};

use super::ContentError;

/// The number of bytes that are read at once.
pub(super) const PART: usize = 64 << 10;

/// The reason why data cannot be decompressed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DeflateError {
    /// They are not valid.
    Damaged,
    /// They end too early.
    Cut,
}

/// The fastest level of compression that compresses.
pub(super) const FASTEST: u32 = 1;

/// The number of bytes that are compressed at once. The compressed data depend on it, if a text is
/// longer.
const AT_ONCE: usize = 8 << 20;

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

    /// Returns the first bytes of the text of the data, as far as it can be read.
    pub(super) fn start(mut self, n_bytes: usize) -> Vec<u8> {
        let (mut start, mut at) = (vec![0; n_bytes], 0);
        while at < n_bytes {
            match self.inflate(&mut start[at..]) {
                Ok(Ok(n_read)) if n_read > 0 => at += n_read,
                _ => break,
            }
        }
        start.truncate(at);
        start
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

/// What a text is compressed to, or copied to.
pub(super) struct TextSums {
    /// The CRC-32 of the text.
    pub(super) crc: u32,
    /// The length of the text in bytes.
    pub(super) size: u64,
    /// The length in bytes of what was written.
    pub(super) n_encoded: u64,
}

/// Writes a text compressed at a level from 0 to 9, or without a level as it is. The data do not
/// depend on how much of the text a call of the reader gives.
pub(super) fn compress(
    text: &mut dyn Read,
    level: Option<u32>,
    out: &mut dyn Write,
) -> io::Result<TextSums> {
    let mut state = level.map(|level| Compress::new(Compression::new(level), false));
    let (mut crc, mut size) = (Crc32::default(), 0);
    let mut part = Vec::new();
    loop {
        part.clear();
        let n_bytes = text.take(AT_ONCE as u64).read_to_end(&mut part)?;
        crc.add(&part);
        size += n_bytes as u64;
        match &mut state {
            Some(state) => deflate(state, &part, n_bytes < AT_ONCE, out)?,
            None => out.write_all(&part)?,
        }
        if n_bytes < AT_ONCE {
            let n_encoded = state.map_or(size, |state| state.total_out());
            return Ok(TextSums { crc: crc.value(), size, n_encoded });
        }
    }
}

/// Writes what the next part of a text is compressed to.
fn deflate(
    state: &mut Compress,
    mut part: &[u8],
    is_end: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let flush = if is_end { FlushCompress::Finish } else { FlushCompress::None };
    let mut data = Vec::with_capacity(PART);
    loop {
        let before = state.total_in();
        // No text fails to be compressed.
        let status = state.compress_vec(part, &mut data, flush).map_err(io::Error::other)?;
        part = &part[offset(state.total_in() - before)..];
        out.write_all(&data)?;
        let is_done = match is_end {
            true => status == Status::StreamEnd,
            false => part.is_empty() && data.len() < data.capacity(),
        };
        if is_done {
            return Ok(());
        }
        data.clear();
    }
}

/// Reads bytes into a buffer. Returns their number; 0 at the end.
pub(super) fn read_part(file: &mut (impl Read + ?Sized), part: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read(part) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Returns data in the format of zlib (RFC 1950), as patches contain them.
///
/// # Errors
///
/// [`ContentError`] if there is not enough memory.
pub fn zlib(data: &[u8]) -> Result<Vec<u8>, ContentError> {
    let mut state = Compress::new(Compression::default(), true);
    let mut out = Vec::new();
    out.try_reserve(data.len() / 4 + PART)?;
    deflate(&mut state, data, true, &mut out).map_err(|_| ContentError::Unverified)?;
    Ok(out)
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

    fn decompressed(data: &[u8]) -> Result<(Vec<u8>, u64), DeflateError> {
        let (mut text, mut inflating) = (Vec::new(), Inflating::new(data));
        let mut part = [0; 999];
        loop {
            match inflating.inflate(&mut part).unwrap()? {
                0 => return Ok((text, inflating.offset())),
                n_bytes => text.extend_from_slice(&part[..n_bytes]),
            }
        }
    }

    /// Reads at most this number of bytes at once.
    struct Slow<'t>(&'t [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let most = out.len().min(self.1);
            self.0.read(&mut out[..most])
        }
    }

    #[test]
    fn what_is_compressed_is_decompressed() {
        let long = AT_ONCE + 777;
        for (n_bytes, level) in [(0, 6), (1, 9), (PART - 1, 1), (PART, 6), (PART, 9), (long, 1)] {
            // Numbers that do not repeat do not compress.
            let number = |idx: usize| (idx as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let noise: Vec<u8> = (0..n_bytes).map(|idx| number(idx).to_be_bytes()[0]).collect();
            let words = (0..n_bytes).map(|idx| b"ab cd ef"[offset(number(idx / 3) % 8)]).collect();
            for text in [&noise, &words] {
                let mut data = Vec::new();
                let sums = compress(&mut &text[..], Some(level), &mut data).unwrap();
                let n_data = data.len() as u64;
                let expected = (checksum(text), n_bytes as u64, n_data);
                assert_eq!((sums.crc, sums.size, sums.n_encoded), expected);
                let mut at_once = Vec::with_capacity(n_bytes + PART);
                Compress::new(Compression::new(level), false)
                    .compress_vec(text, &mut at_once, FlushCompress::Finish)
                    .unwrap();
                assert!(data == at_once || n_bytes >= AT_ONCE, "{n_bytes} {level}");
                let mut slowly = Vec::new();
                compress(&mut Slow(text, 777), Some(level), &mut slowly).unwrap();
                assert!(data == slowly, "{n_bytes} {level}");
                data.extend(b"more");
                assert!(decompressed(&data) == Ok((text.clone(), n_data)));
                data.truncate(slowly.len() - 1);
                assert!(decompressed(&data) == Err(DeflateError::Cut));
            }
        }
        assert_eq!(decompressed(&[7; 99]), Err(DeflateError::Damaged));
        assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
    }
}
