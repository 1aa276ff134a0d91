//! Bodies as they were transferred, and as they were saved.
//!
//! The chunked transfer coding (RFC 9112, section 7.1), read as browsers do.
//!
//! Bodies that were decoded when they were saved, and kept the header field that names a coding
//! without a signature: they are recognized as texts, or by the signatures of common files.

use std::borrow::Cow;

/// The maximum number of digits of the size of a chunk.
const DIGITS: usize = 16;

/// Returns a body without the chunked coding, and whether its last chunk was there. A body that is
/// not chunked is returned as it is.
pub(super) fn decode(body: &[u8]) -> (Cow<'_, [u8]>, bool) {
    let mut text = Vec::new();
    match is_chunked(body) {
        Some(is_complete) => {
            chunks(body, |chunk| text.extend_from_slice(chunk));
            (Cow::Owned(text), is_complete)
        }
        None => (Cow::Borrowed(body), true),
    }
}

/// Returns whether the last chunk of a body is there; `None` if the body is not chunked: it was
/// decoded when it was saved, and kept its header field.
///
/// It is chunked if all of it can be read so. If only its start can, its first chunk must be
/// complete, and the body must not be a list of numbers, in which each line looks like a size.
pub(super) fn is_chunked(body: &[u8]) -> Option<bool> {
    let mut n_chunks = 0;
    let is_complete = chunks(body, |_| n_chunks += 1)?;
    let is_number = |byte: &u8| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace();
    let is_cut_off = || n_chunks > 1 && !body.iter().all(is_number);
    let is_chunked = match () {
        () if n_chunks == 0 => is_last_chunk(body),
        () => is_complete || is_cut_off(),
    };
    is_chunked.then_some(is_complete)
}

/// Returns true if a body is a last chunk: after its size, there are only fields and empty lines.
fn is_last_chunk(body: &[u8]) -> bool {
    let mut lines = body.split(|byte| *byte == b'\n').skip(1);
    lines.all(|line| line.trim_ascii().is_empty() || line.contains(&b':'))
}

/// Passes on the chunks of a body, and what follows those that are complete. Returns whether the
/// last chunk was there; `None` if the body does not begin with a size.
fn chunks<'b>(body: &'b [u8], mut take: impl FnMut(&'b [u8])) -> Option<bool> {
    let (mut size, mut at) = size_line(body, 0)?;
    loop {
        let rest = body.get(at..).unwrap_or_default();
        if size == 0 {
            return Some(true);
        }
        let Some(chunk) = usize::try_from(size).ok().and_then(|size| rest.get(..size)) else {
            take(rest);
            return Some(false);
        };
        take(chunk);
        at += chunk.len();
        let end = match &body[at..] {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => 0,
        };
        match size_line(body, at + end) {
            Some(next) => (size, at) = next,
            None => {
                take(&[]);
                return Some(false);
            }
        }
    }
}

/// Reads the size of a chunk at an offset, and returns it with the offset of its data.
fn size_line(body: &[u8], at: usize) -> Option<(u64, usize)> {
    let rest = body.get(at..)?;
    // Extensions are passed over; their line is not longer than a header section.
    let line = &rest[..rest.len().min(crate::MAX_HTTP_HEADER)];
    let n_line = memchr::memchr(b'\n', line)? + 1;
    let size = line[..n_line].split(|byte| *byte == b';').next()?.trim_ascii();
    if size.is_empty() || size.len() > DIGITS {
        return None;
    }
    let size = u64::from_str_radix(std::str::from_utf8(size).ok()?, 16).ok()?;
    // `from_str_radix` accepts a sign.
    let is_digit = rest.iter().find(|byte| !byte.is_ascii_whitespace())?.is_ascii_hexdigit();
    is_digit.then_some((size, at + n_line))
}

/// The number of bytes that are looked at.
const HEAD: usize = 1 << 10;
/// The number of bytes from which on a text may have any charset: data of a coding contain control
/// characters by then.
const LONG: usize = 128;

/// The first bytes of images, fonts, and other files.
const SIGNATURES: [&[u8]; 9] = [
    b"\x89PNG\r\n",
    b"GIF8",
    b"\xFF\xD8\xFF",
    b"RIFF",
    b"%PDF-",
    b"wOFF",
    b"wOF2",
    b"PK\x03\x04",
    b"\0\0\x01\0",
];

/// Returns true if a body is a text, or begins as a common type of files.
pub(super) fn is_plain(body: &[u8]) -> bool {
    if SIGNATURES.iter().any(|signature| body.starts_with(signature)) {
        return true;
    }
    let head = &body[..body.len().min(HEAD)];
    // MIME Sniffing standard, section 3: what is no text has one of these.
    let is_binary = |byte: &u8| matches!(byte, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F);
    let is_utf_8 = match std::str::from_utf8(head) {
        Ok(_) => true,
        // A character may go on after the head.
        Err(error) => error.error_len().is_none() && head.len() == HEAD,
    };
    // Markup of any charset.
    let is_markup = || head.trim_ascii_start().starts_with(b"<");
    !head.iter().any(is_binary) && (is_utf_8 || head.len() >= LONG || is_markup())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> (String, bool) {
        let (text, is_complete) = decode(body.as_bytes());
        (String::from_utf8_lossy(&text).into_owned(), is_complete)
    }

    #[test]
    fn chunks_are_read_as_browsers_read_them() {
        for (body, expected, is_complete) in [
            ("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", "abcde", true),
            ("3\nabc\n0\n\n", "abc", true),
            ("003  \r\nabc\r\n0\r\nTrailer: x\r\n\r\n", "abc", true),
            ("3\r\nabc0\r\n\r\n", "abc", true),
            ("3\r\n<p>\r\n", "<p>", false),
            ("3\r\nabc\r\nxyz\r\n", "abc", false),
            ("3\r\nabc\r\nff\r\nxyz", "abcxyz", false),
            // These are not chunked.
            ("face\r\nto face", "face\r\nto face", true),
            ("ffffffffffffffff\r\nabc", "ffffffffffffffff\r\nabc", true),
            ("0\r\n\r\n", "", true),
            ("0\r\nTrailer: x\r\n\r\n", "", true),
            ("0\r\n10\r\n", "0\r\n10\r\n", true),
            ("10\r\n20\r\n30\r\n", "10\r\n20\r\n30\r\n", true),
            ("1\r\n2\r\n3\r\n4\r\n", "1\r\n2\r\n3\r\n4\r\n", true),
            ("<p>abc", "<p>abc", true),
            ("+3\r\nabc\r\n0\r\n", "+3\r\nabc\r\n0\r\n", true),
            ("11111111111111111\r\nabc", "11111111111111111\r\nabc", true),
            ("3", "3", true),
            ("", "", true),
        ] {
            assert_eq!(read(body), (expected.to_owned(), is_complete), "{body:?}");
        }
    }

    #[test]
    fn texts_and_common_files_are_recognized() {
        let latin = b"caf\xE9 ".repeat(50);
        let long = "\u{e9}".repeat(1_000);
        for (body, expected) in [
            (&b"<a href=x>"[..], true),
            (b"caf\xC3\xA9", true),
            (long.as_bytes(), true),
            (&long.as_bytes()[1..], true),
            (&latin, true),
            (&latin[..6], false),
            (b" <p>caf\xE9", true),
            (b"\x89PNG\r\n\x1A\n", true),
            (b"\x0B\x02\x80text\x03", false),
            (b"text\0", false),
        ] {
            assert_eq!(is_plain(body), expected, "{body:?}");
        }
    }
}
