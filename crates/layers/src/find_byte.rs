//! Searches for bytes that are usually near: sixteen at a time, without the start-up costs of a
//! search through long texts.

use wide::u8x16;

/// Returns the index of the first byte that is among `wanted`.
///
/// # Examples
///
/// ```
/// assert_eq!(relink_layers::find_byte(b"a{b<", [b'<', b'{']), Some(1));
/// ```
#[inline]
pub fn find_byte<const N: usize>(bytes: &[u8], wanted: [u8; N]) -> Option<usize> {
    let (chunks, rest) = bytes.as_chunks::<16>();
    for (idx, chunk) in chunks.iter().enumerate() {
        let found = found(chunk, wanted);
        if found != 0 {
            return Some(16 * idx + found.trailing_zeros() as usize);
        }
    }
    match bytes.last_chunk() {
        // The last sixteen bytes overlap those before them, among which there is none.
        Some(last) if !rest.is_empty() => {
            let found = found(last, wanted);
            let start = bytes.len() - last.len();
            (found != 0).then(|| start + found.trailing_zeros() as usize)
        }
        Some(_) => None,
        None => rest.iter().position(|byte| wanted.contains(byte)),
    }
}

/// Returns a bit for each of sixteen bytes, the lowest for the first: 1 if it is among `wanted`.
#[inline]
pub(crate) fn found<const N: usize>(chunk: &[u8; 16], wanted: [u8; N]) -> u32 {
    let bytes = u8x16::new(*chunk);
    let is_wanted = |found, byte| found | bytes.simd_eq(u8x16::splat(byte));
    wanted.into_iter().fold(u8x16::splat(0), is_wanted).to_bitmask()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_several_bytes_is_found() {
        for len in 0..50 {
            let bytes = vec![b'a'; len];
            assert_eq!(find_byte(&bytes, [b'=', b'\n']), None);
            for at in 0..len {
                let mut bytes = bytes.clone();
                bytes[at..].fill(b'=');
                bytes[at] = b'\n';
                assert_eq!(find_byte(&bytes, [b'=', b'\n']), Some(at));
                assert_eq!(find_byte(&bytes, [b'b', b'=']), (at + 1 < len).then_some(at + 1));
            }
        }
    }
}
