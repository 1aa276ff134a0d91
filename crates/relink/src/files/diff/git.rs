//! Patches for `git apply`: the lines with which git begins the changes of a file, and contents
//! that are not text, as git writes them.
//!
//! Such contents are whole, before and after, so that a patch can be reverted: compressed as zlib
//! does (RFC 1950), in base 85. git compares them with the names in the line `index`.

use std::path::Path;

use memchr::memchr;

use super::{BOLD, Look, PLAIN, quoted};
use crate::files::container::{ContentError, zlib};
use crate::os::digest;

/// The contents that a patch changes.
#[derive(Clone, Copy, Debug)]
pub enum Contents<'c> {
    /// All bytes of a file, before and after.
    File([&'c [u8]; 2]),
    /// All bytes of a file in which the document is encoded: a diff of the document is not one of
    /// the file.
    Encoded([&'c [u8]; 2]),
    /// A piece of a file, the rest of which is not in memory.
    Piece,
}

/// The number of bytes in a line of base 85.
const PER_LINE: usize = 52;

/// The digits of base 85.
const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// Returns the patch of a file or piece; `unified` makes the diff of it.
///
/// # Errors
///
/// [`ContentError`] if there is not enough memory.
pub fn patch(
    path: &Path,
    contents: Contents<'_>,
    look: Look,
    unified: impl FnOnce() -> Vec<u8>,
) -> Result<Vec<u8>, ContentError> {
    let paint = |style: &'static str| if look == Look::Coloured { style } else { "" };
    let (start, end) = (paint(BOLD), paint(PLAIN));
    let (old, new) = (quoted("a", path), quoted("b", path));
    let mut out = format!("{start}diff --git {old} {new}{end}\n").into_bytes();
    let (both, is_text) = match contents {
        Contents::File(both) => (Some(both), both.iter().all(|text| memchr(0, text).is_none())),
        Contents::Encoded(both) => (Some(both), false),
        Contents::Piece => (None, true),
    };
    if let Some([before, after]) = both {
        let names = [before, after].map(digest::git_blob).join("..");
        out.extend_from_slice(format!("{start}index {names}{end}\n").as_bytes());
    }
    match both.filter(|_| !is_text) {
        Some([before, after]) => {
            out.extend_from_slice(b"GIT binary patch\n");
            // The second one is for `git apply --reverse`.
            for content in [after, before] {
                write_literal(content, &mut out)?;
            }
        }
        None => out.append(&mut unified()),
    }
    Ok(out)
}

/// Writes a whole content.
fn write_literal(content: &[u8], out: &mut Vec<u8>) -> Result<(), ContentError> {
    out.extend_from_slice(format!("literal {}\n", content.len()).as_bytes());
    for line in zlib(content)?.chunks(PER_LINE) {
        // Its number of bytes: A to Z for 1 to 26, a to z for 27 to 52.
        let len = u8::try_from(line.len()).unwrap_or_default();
        out.push(if len <= 26 { b'A' + len - 1 } else { b'a' + len - 27 });
        for four in line.chunks(4) {
            out.extend_from_slice(&base85(four));
        }
        out.push(b'\n');
    }
    out.push(b'\n');
    Ok(())
}

/// Returns the digits of up to four bytes; zeros are added to fewer.
fn base85(bytes: &[u8]) -> [u8; 5] {
    let byte = |idx: usize| bytes.get(idx).copied().unwrap_or(0);
    let mut number = u32::from_be_bytes([byte(0), byte(1), byte(2), byte(3)]);
    let mut digits = [0; 5];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(number % 85) as usize];
        number /= 85;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_base_85() {
        assert_eq!(&base85(&[0, 0, 0, 0]), b"00000");
        assert_eq!(&base85(&[0, 0, 0, 85]), b"00010");
        // 4294967295 = 82·85⁴ + 23·85³ + 54·85² + 12·85 + 0
        assert_eq!(&base85(&[0xFF; 4]), b"|NsC0");
        assert_eq!(base85(&[1]), base85(&[1, 0, 0, 0]));
    }

    #[test]
    fn text_is_a_diff_and_other_contents_are_whole() {
        let path = Path::new("a b");
        let diff = || b"--- and so on\n".to_vec();
        let text = patch(path, Contents::File([b"x\n", b"y\n"]), Look::Exact, diff).unwrap();
        // `printf 'x\n' | git hash-object --stdin`, and the same for `y`.
        let expected = "diff --git a/a b b/a b\nindex 587be6b4c3f93f93c489c0111bba5596147a26cb..975fbec8256d3e8a3797e7a3611380f27c49f4ac\n--- and so on\n";
        assert_eq!(String::from_utf8_lossy(&text), expected);
        let piece = patch(path, Contents::Piece, Look::Exact, diff).unwrap();
        assert_eq!(piece, b"diff --git a/a b b/a b\n--- and so on\n");
        for contents in [Contents::File([b"x\0", b"y"]), Contents::Encoded([b"xx", b"y"])] {
            let patch = patch(path, contents, Look::Exact, diff).unwrap();
            let patch = String::from_utf8(patch).unwrap();
            let (_, literals) = patch.split_once("\nGIT binary patch\nliteral 1\n").unwrap();
            assert!(literals.contains("\n\nliteral 2\n") && literals.ends_with("\n\n"), "{patch}");
        }
    }
}
