//! The brotli coding (RFC 7932): the only file that imports brotli-decompressor.

use std::io::{self, Read};

use brotli_decompressor::Decompressor;

use crate::limits::PART;

/// Decompresses a body, and passes the text on in parts until `take` returns false.
///
/// # Errors
///
/// The error for data that are not valid, not complete, or followed by other octets; `None` if
/// `take` refused.
pub(super) fn decode(
    body: &[u8],
    take: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<(), Option<io::Error>> {
    let mut reader = Decompressor::new(body, PART);
    let mut part = vec![0; PART];
    loop {
        match reader.read(&mut part) {
            Ok(0) => return Ok(()),
            Ok(n_octets) if take(&part[..n_octets]) => {}
            Ok(_) => return Err(None),
            Err(error) => return Err(Some(error)),
        }
    }
}
