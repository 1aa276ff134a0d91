//! Lists that are read as a whole, up to a length: `/dev/zero` has no end.

use std::io::{self, Read};

/// The longest list, or line of a list without an end, in bytes.
pub const LONGEST: u64 = 256 << 20;

/// Reads a list.
///
/// # Errors
///
/// Those of the reader; also if it is too long.
pub fn read(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LONGEST + 1).read_to_end(&mut bytes)?;
    check(bytes.len()).map(|_| bytes)
}

/// Returns the length of what was read of a list.
///
/// # Errors
///
/// If it is too long.
pub fn check(len: usize) -> io::Result<usize> {
    if len as u64 > LONGEST {
        Err(io::Error::other("it is longer than 256 MiB; use several"))
    } else {
        Ok(len)
    }
}
