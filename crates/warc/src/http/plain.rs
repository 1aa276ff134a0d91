//! Bodies that were decoded when they were saved, and kept the header field that names a coding
//! without a signature: they are recognized as texts, or by the signatures of common files.

/// The number of octets that are looked at.
const HEAD: usize = 1 << 10;
/// The number of octets from which on a text may have any charset: data of a coding contain control
/// characters by then.
const LONG: usize = 128;

/// The first octets of images, fonts, and other files.
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
