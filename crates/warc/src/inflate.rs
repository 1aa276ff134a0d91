//! Compressed data (RFC 1951, RFC 1950) and CRC-32: the only file that imports flate2.

use flate2::{Crc, Decompress, FlushDecompress, Status};

/// Decompresses data in steps.
pub(crate) struct Inflater(Decompress);

/// What one step has read and written, in octets.
pub(crate) struct InflateStep {
    pub(crate) n_read: usize,
    pub(crate) n_written: usize,
    /// True if the data have ended.
    pub(crate) is_end: bool,
}

/// Data that are not valid.
#[derive(Debug)]
pub(crate) struct Damaged;

impl Inflater {
    /// Creates a decompressor of data without a header.
    pub(crate) fn raw() -> Self {
        Inflater(Decompress::new(false))
    }

    /// Creates a decompressor of data in the format of zlib.
    pub(crate) fn zlib() -> Self {
        Inflater(Decompress::new(true))
    }

    /// Begins with new data without a header.
    pub(crate) fn reset(&mut self) {
        self.0.reset(false);
    }

    /// Decompresses some of the data. Without progress, more data or more room are necessary.
    pub(crate) fn step(&mut self, data: &[u8], out: &mut [u8]) -> Result<InflateStep, Damaged> {
        let (n_in, n_out) = (self.0.total_in(), self.0.total_out());
        let status = self.0.decompress(data, out, FlushDecompress::None).map_err(|_| Damaged)?;
        let length = |n_octets: u64| usize::try_from(n_octets).unwrap_or(usize::MAX);
        Ok(InflateStep {
            n_read: length(self.0.total_in() - n_in).min(data.len()),
            n_written: length(self.0.total_out() - n_out).min(out.len()),
            is_end: status == Status::StreamEnd,
        })
    }
}

/// The CRC-32 of a text that comes in parts.
#[derive(Default)]
pub(crate) struct Checksum(Crc);

impl Checksum {
    pub(crate) fn add(&mut self, part: &[u8]) {
        self.0.update(part);
    }

    /// Returns true if the trailer of a gzip member has this checksum and this length.
    pub(crate) fn is_in(&self, trailer: &[u8]) -> bool {
        trailer.get(..4) == Some(&self.0.sum().to_le_bytes()[..])
            && trailer.get(4..8) == Some(&self.0.amount().to_le_bytes()[..])
    }
}
