//! The charset of the names of members (APPNOTE.TXT 6.3.10, appendix D).

use std::borrow::Cow;

use crate::files::container::deflate::checksum;

/// The characters of the bytes from 0x80 on in code page 437.
const CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}";

/// The extra field with the name in UTF-8 (section 4.6.9): a version, the CRC-32 of the name in the
/// header, and the name.
const UNICODE_PATH: u16 = 0x7075;

/// Returns a name: in UTF-8 if a flag or an extra field says so, else in code page 437.
pub(super) fn decoded<'f>(
    name: &[u8],
    is_utf8: bool,
    mut fields: impl Iterator<Item = (u16, &'f [u8])>,
) -> String {
    let is_ascii = name.is_ascii();
    if is_utf8 || is_ascii {
        return String::from_utf8_lossy(name).into_owned();
    }
    let of_field = fields.find_map(|(id, data)| {
        let (crc, text) = data.strip_prefix(&[1])?.split_first_chunk::<4>()?;
        let is_current = id == UNICODE_PATH && u32::from_le_bytes(*crc) == checksum(name);
        is_current.then(|| String::from_utf8_lossy(text)).map(Cow::into_owned)
    });
    of_field.unwrap_or_else(|| name.iter().map(|byte| of_cp437(*byte)).collect())
}

fn of_cp437(byte: u8) -> char {
    let high = byte.checked_sub(0x80).and_then(|idx| CP437.chars().nth(idx.into()));
    high.unwrap_or(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_one_of_two_charsets() {
        assert_eq!(CP437.chars().count(), 128);
        let of = |name: &[u8], is_utf8| decoded(name, is_utf8, std::iter::empty());
        assert_eq!(of("a/é.html".as_bytes(), true), "a/é.html");
        assert_eq!(of(b"\x82\x80\xE1\xFF", false), "éÇß\u{A0}");
        let name = b"\x82.html";
        let field = [&[1][..], &checksum(name).to_le_bytes(), "ě.html".as_bytes()].concat();
        let with = |field: &[u8]| decoded(name, false, [(UNICODE_PATH, field)].into_iter());
        assert_eq!(with(&field), "ě.html");
        // The name was changed without the field.
        assert_eq!(with(&[&[1, 0][..], &field[2..]].concat()), "é.html");
    }
}
