//! The comparison of what would be written with what an earlier run has written (`--update`).
//!
//! A file is current if a new one would have the same content, mode, time and recorded URL.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use crate::files::properties::Properties;
use crate::os::dirs::Location;
use crate::os::origin;

/// The number of bytes that are compared at once.
const CHUNK: usize = 1 << 16;

/// Returns true if the file at `at` has these bytes, and the mode, time and recorded URL that a new
/// one would have. `properties` are those of the input, `origin` the input if its recorded URL is
/// copied.
pub fn has_bytes(
    at: &Location,
    bytes: &[u8],
    properties: Option<&Properties>,
    origin: Option<&File>,
) -> bool {
    let Ok((old, status)) = at.open() else { return false };
    status.len() == bytes.len() as u64
        && properties.is_none_or(|given| has_properties(&old, &status, given, origin))
        && is_same(&old, bytes).unwrap_or(false)
}

/// Returns true if the file at `at` has the content of `new`, and the mode, time and recorded URL
/// that a copy would have, as [`has_bytes`] does. `new` is at its start afterwards.
///
/// # Errors
///
/// Those of reading `new`.
pub fn has_content(
    at: &Location,
    mut new: &File,
    properties: Option<&Properties>,
    origin: Option<&File>,
) -> io::Result<bool> {
    let Ok((old, status)) = at.open() else { return Ok(false) };
    let has_properties =
        properties.is_none_or(|given| has_properties(&old, &status, given, origin));
    if status.len() != new.metadata()?.len() || !has_properties {
        return Ok(false);
    }
    new.seek(SeekFrom::Start(0))?;
    let is_same = is_same(&old, BufReader::with_capacity(CHUNK, new));
    new.seek(SeekFrom::Start(0))?;
    is_same
}

/// Returns true if a file has the mode, time and recorded URL that a new one would have.
fn has_properties(
    old: &File,
    status: &Metadata,
    properties: &Properties,
    origin: Option<&File>,
) -> bool {
    status.permissions() == properties.permissions
        && matches!((status.modified(), properties.metadata.modified()), (Ok(old), Ok(new)) if old == new)
        && origin::of(old) == origin.and_then(origin::of)
}

/// Returns true if two sources of bytes are the same.
pub(super) fn is_same(old: &File, mut new: impl Read) -> io::Result<bool> {
    let mut old = BufReader::with_capacity(CHUNK, old);
    let (mut one, mut other) = (vec![0; CHUNK], vec![0; CHUNK]);
    loop {
        let n = read(&mut old, &mut one)?;
        let n_new = read(&mut new, &mut other)?;
        if one[..n] != other[..n_new] {
            return Ok(false);
        }
        if n == 0 {
            return Ok(true);
        }
    }
}

/// Fills the buffer as far as there are bytes, and returns their number.
fn read(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut n = 0;
    while n < buffer.len() {
        match from.read(&mut buffer[n..]) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(n)
}
