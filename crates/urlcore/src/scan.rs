//! Searches for bytes, eight at a time, and the classes of bytes.
//!
//! Invariant: the answer is the same as that of comparing one byte after the other. There is no
//! table and no guess: each word is compared with each byte that is searched for.

/// Returns a word of eight bytes that are all the same.
const fn repeated(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Returns a word in which the highest bit of the first byte that is among `wanted` is set, and
/// possibly that of some bytes after it. The first byte is the lowest.
#[inline]
fn hits<const N: usize>(word: u64, wanted: [u8; N]) -> u64 {
    let mut hits = 0;
    for byte in wanted {
        let zero_if_same = word ^ repeated(byte);
        hits |= zero_if_same.wrapping_sub(repeated(1)) & !zero_if_same;
    }
    hits & repeated(0x80)
}

/// Returns the words of eight bytes, without the bytes after the last one.
#[inline]
fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let word = |chunk: &[u8]| chunk.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    bytes.chunks_exact(8).map(word)
}

/// Returns the index of the first byte that is among `wanted`, or the length if there is none.
///
/// # Examples
///
/// ```
/// assert_eq!(urlcore::scan::first_of(b"a?b#c", [b'?', b'#']), 1);
/// assert_eq!(urlcore::scan::first_of(b"abc", [b'?', b'#']), 3);
/// ```
#[inline]
pub fn first_of<const N: usize>(bytes: &[u8], wanted: [u8; N]) -> usize {
    for (idx, word) in words(bytes).enumerate() {
        let hits = hits(word, wanted);
        if hits != 0 {
            return 8 * idx + hits.trailing_zeros() as usize / 8;
        }
    }
    let n_rest = bytes.len() % 8;
    if bytes.len() > n_rest {
        // The last eight bytes overlap the last word, which is known to have no hit.
        let last = bytes.last_chunk::<8>().map_or(0, |word| u64::from_le_bytes(*word));
        let known = 8 * (8 - n_rest);
        let hits = if known < 64 { hits(last, wanted) >> known << known } else { 0 };
        return match hits {
            0 => bytes.len(),
            _ => bytes.len() - 8 + hits.trailing_zeros() as usize / 8,
        };
    }
    bytes.iter().position(|byte| wanted.contains(byte)).unwrap_or(bytes.len())
}

/// Returns the number of bytes at the start of both texts that are the same.
#[inline]
pub(crate) fn n_same(a: &[u8], b: &[u8]) -> usize {
    let length = a.len().min(b.len());
    for (idx, (a, b)) in words(&a[..length]).zip(words(&b[..length])).enumerate() {
        let differing = a ^ b;
        if differing != 0 {
            return 8 * idx + differing.trailing_zeros() as usize / 8;
        }
    }
    let start = length / 8 * 8;
    start + a[start..length].iter().zip(&b[start..length]).take_while(|(a, b)| a == b).count()
}

/// Returns true if a byte is below a limit, which is at most 128.
#[inline]
pub(crate) fn has_below(bytes: &[u8], limit: u8) -> bool {
    let below = |word: u64| word.wrapping_sub(repeated(limit)) & !word & repeated(0x80);
    let in_words = words(bytes).fold(0, |all, word| all | below(word));
    if bytes.len() % 8 == 0 {
        return in_words != 0;
    }
    match bytes.last_chunk::<8>() {
        Some(last) => in_words | below(u64::from_le_bytes(*last)) != 0,
        None => bytes.iter().any(|byte| *byte < limit),
    }
}

/// Returns true if a byte that is `first` may be followed by one of those in `second`. If it
/// returns false, there is no such pair.
#[inline]
pub(crate) fn may_have_pair<const N: usize>(bytes: &[u8], first: u8, second: [u8; N]) -> bool {
    let Some((_, after)) = bytes.split_first() else { return false };
    let before = &bytes[..after.len()];
    let pair = |a: u64, b: u64| hits(a, [first]) & hits(b, second);
    let in_words = words(before).zip(words(after)).fold(0, |all, (a, b)| all | pair(a, b));
    if before.len() % 8 == 0 {
        return in_words != 0;
    }
    match (before.last_chunk::<8>(), after.last_chunk::<8>()) {
        (Some(a), Some(b)) => in_words | pair(u64::from_le_bytes(*a), u64::from_le_bytes(*b)) != 0,
        _ => before.iter().zip(after).any(|(a, b)| *a == first && second.contains(b)),
    }
}

// The character classes of bytes, and the byte that an escape represents.

/// The class of the bytes of schemes: letters, digits, `+`, `-` and `.` (RFC 3986 3.1).
pub(crate) const SCHEME: u8 = 1;

/// The classes of each byte, as a bit set.
pub(crate) static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'+' | b'-' | b'.' => SCHEME,
            _ if byte.is_ascii_alphanumeric() => SCHEME,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// Returns the byte that the two hexadecimal digits at the start represent (RFC 3986 2.1).
pub(crate) fn escaped_byte(digits: &[u8]) -> Option<u8> {
    let digit = |i: usize| digits.get(i).and_then(|&byte| char::from(byte).to_digit(16));
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_after_the_other() {
        let alphabet = [b'/', b'?', b'#', b'.', b'>', b'@', 0x80, 0xBF, 0xA3, 0, 1, 0xFF];
        let mut seed = 1_u64;
        let mut bytes = [0; 30];
        for _ in 0..if cfg!(miri) { 200 } else { 200_000 } {
            for byte in &mut bytes {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let is_plain = seed >> 60 != 0;
                *byte =
                    if is_plain { b'a' } else { alphabet[(seed >> 33) as usize % alphabet.len()] };
            }
            let bytes = &bytes[..(seed >> 40) as usize % 31];
            let slow = |wanted: &[u8]| {
                bytes.iter().position(|byte| wanted.contains(byte)).unwrap_or(bytes.len())
            };
            assert_eq!(first_of(bytes, [b'?', b'#']), slow(b"?#"), "{bytes:?}");
            assert_eq!(first_of(bytes, [0x80]), slow(&[0x80]), "{bytes:?}");
            for limit in [1, 2, b'/', 0x80] {
                let is_below = bytes.iter().any(|byte| *byte < limit);
                assert_eq!(has_below(bytes, limit), is_below, "{bytes:?} {limit}");
            }
            let has_pair = bytes.windows(2).any(|pair| pair[0] == b'/' && b".?".contains(&pair[1]));
            assert!(!has_pair || may_have_pair(bytes, b'/', [b'.', b'?']), "{bytes:?}");
            let mut other = [0; 30];
            other[..bytes.len()].copy_from_slice(bytes);
            if let Some(byte) = other.get_mut((seed >> 50) as usize % 31) {
                *byte ^= 1;
            }
            let other = &other[..bytes.len()];
            let same = bytes.iter().zip(other).take_while(|(a, b)| a == b).count();
            assert_eq!(n_same(bytes, other), same, "{bytes:?}");
            assert_eq!(n_same(bytes, &bytes[..same]), same, "{bytes:?}");
            let plain = bytes.iter().all(|byte| *byte == b'a' || *byte == b'/');
            assert!(!plain || !may_have_pair(bytes, b'/', [b'.', b'?']), "{bytes:?}");
            assert_eq!(first_of(bytes, [b'/', b'?', b'#', 0]), slow(b"/?#\0"), "{bytes:?}");
        }
    }
}
