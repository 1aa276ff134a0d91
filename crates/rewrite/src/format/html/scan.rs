//! Search for one byte. In markup the next one is usually so near that a call costs more than an
//! inline search.

use memchr::memchr;

/// The number of bytes that are searched inline before a call.
const NEAR: usize = 32;

/// Returns the offset of the first `byte` at or after `from`.
#[inline]
pub(super) fn find(input: &[u8], from: usize, byte: u8) -> Option<usize> {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);
    let rest = input.get(from..)?;
    let Some(near) = rest.first_chunk::<NEAR>() else {
        return rest.iter().position(|found| *found == byte).map(|idx| from + idx);
    };
    let wanted = ONES * u64::from(byte);
    for (n, word) in near.as_chunks().0.iter().enumerate() {
        // A byte of `zeros` is zero where the word has the wanted one (Warren, "Hacker's Delight",
        // 6-1).
        let zeros = u64::from_le_bytes(*word) ^ wanted;
        let marks = zeros.wrapping_sub(ONES) & !zeros & HIGHS;
        if marks != 0 {
            return Some(from + 8 * n + marks.trailing_zeros() as usize / 8);
        }
    }
    memchr(byte, &rest[NEAR..]).map(|idx| from + NEAR + idx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_memchr_finds() {
        for len in 0..100 {
            for at in 0..=len {
                let mut input = vec![b'a'; len];
                if let Some(byte) = input.get_mut(at) {
                    *byte = b'<';
                }
                input.extend(b"=<\x80\xFF;");
                for from in 0..=input.len() {
                    let expected = memchr(b'<', &input[from..]).map(|idx| from + idx);
                    assert_eq!(find(&input, from, b'<'), expected, "{len} {at} {from}");
                }
            }
        }
        assert_eq!(find(b"a", 2, b'a'), None);
    }
}
