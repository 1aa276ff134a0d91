//! Searches for bytes, eight at a time, and the classes of bytes.
//!
//! Invariant: the answer is the same as that of comparing one byte after the other. There is no
//! table and no guess: each word is compared with each byte that is searched for.

/// Returns a word of eight bytes that are all the same.
const fn repeated(octet: u8) -> u64 {
    u64::from_ne_bytes([octet; 8])
}

/// Returns a word in which the highest bit of the first byte that is among `wanted` is set, and
/// possibly that of some bytes after it. The first byte is the lowest.
#[inline]
fn hits<const N: usize>(word: u64, wanted: [u8; N]) -> u64 {
    let mut hits = 0;
    for octet in wanted {
        let zero_if_same = word ^ repeated(octet);
        hits |= zero_if_same.wrapping_sub(repeated(1)) & !zero_if_same;
    }
    hits & repeated(0x80)
}

/// Returns the words of eight bytes, without the bytes after the last one.
#[inline]
fn words(octets: &[u8]) -> impl Iterator<Item = u64> {
    let word = |chunk: &[u8]| chunk.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    octets.chunks_exact(8).map(word)
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
pub fn first_of<const N: usize>(octets: &[u8], wanted: [u8; N]) -> usize {
    for (idx, word) in words(octets).enumerate() {
        let hits = hits(word, wanted);
        if hits != 0 {
            return 8 * idx + hits.trailing_zeros() as usize / 8;
        }
    }
    let n_rest = octets.len() % 8;
    if octets.len() > n_rest {
        // The last eight bytes overlap the last word, which is known to have no hit.
        let last = octets.last_chunk::<8>().map_or(0, |word| u64::from_le_bytes(*word));
        let known = 8 * (8 - n_rest);
        let hits = if known < 64 { hits(last, wanted) >> known << known } else { 0 };
        return match hits {
            0 => octets.len(),
            _ => octets.len() - 8 + hits.trailing_zeros() as usize / 8,
        };
    }
    octets.iter().position(|octet| wanted.contains(octet)).unwrap_or(octets.len())
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
pub(crate) fn has_below(octets: &[u8], limit: u8) -> bool {
    let below = |word: u64| word.wrapping_sub(repeated(limit)) & !word & repeated(0x80);
    let in_words = words(octets).fold(0, |all, word| all | below(word));
    if octets.len() % 8 == 0 {
        return in_words != 0;
    }
    match octets.last_chunk::<8>() {
        Some(last) => in_words | below(u64::from_le_bytes(*last)) != 0,
        None => octets.iter().any(|octet| *octet < limit),
    }
}

/// Returns true if a byte that is `first` may be followed by one of those in `second`. If it
/// returns false, there is no such pair.
#[inline]
pub(crate) fn may_have_pair<const N: usize>(octets: &[u8], first: u8, second: [u8; N]) -> bool {
    let Some((_, after)) = octets.split_first() else { return false };
    let before = &octets[..after.len()];
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
    let mut octet = 0_u8;
    while octet < 128 {
        classes[octet as usize] = match octet {
            b'+' | b'-' | b'.' => SCHEME,
            _ if octet.is_ascii_alphanumeric() => SCHEME,
            _ => 0,
        };
        octet += 1;
    }
    classes
};

/// Returns the byte that the two hexadecimal digits at the start represent (RFC 3986 2.1).
pub(crate) fn escaped_octet(digits: &[u8]) -> Option<u8> {
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
        let mut octets = [0; 30];
        for _ in 0..if cfg!(miri) { 200 } else { 200_000 } {
            for octet in &mut octets {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let is_plain = seed >> 60 != 0;
                *octet =
                    if is_plain { b'a' } else { alphabet[(seed >> 33) as usize % alphabet.len()] };
            }
            let octets = &octets[..(seed >> 40) as usize % 31];
            let slow = |wanted: &[u8]| {
                octets.iter().position(|octet| wanted.contains(octet)).unwrap_or(octets.len())
            };
            assert_eq!(first_of(octets, [b'?', b'#']), slow(b"?#"), "{octets:?}");
            assert_eq!(first_of(octets, [0x80]), slow(&[0x80]), "{octets:?}");
            for limit in [1, 2, b'/', 0x80] {
                let is_below = octets.iter().any(|octet| *octet < limit);
                assert_eq!(has_below(octets, limit), is_below, "{octets:?} {limit}");
            }
            let has_pair =
                octets.windows(2).any(|pair| pair[0] == b'/' && b".?".contains(&pair[1]));
            assert!(!has_pair || may_have_pair(octets, b'/', [b'.', b'?']), "{octets:?}");
            let mut other = [0; 30];
            other[..octets.len()].copy_from_slice(octets);
            if let Some(octet) = other.get_mut((seed >> 50) as usize % 31) {
                *octet ^= 1;
            }
            let other = &other[..octets.len()];
            let same = octets.iter().zip(other).take_while(|(a, b)| a == b).count();
            assert_eq!(n_same(octets, other), same, "{octets:?}");
            assert_eq!(n_same(octets, &octets[..same]), same, "{octets:?}");
            let plain = octets.iter().all(|octet| *octet == b'a' || *octet == b'/');
            assert!(!plain || !may_have_pair(octets, b'/', [b'.', b'?']), "{octets:?}");
            assert_eq!(first_of(octets, [b'/', b'?', b'#', 0]), slow(b"/?#\0"), "{octets:?}");
        }
    }
}
