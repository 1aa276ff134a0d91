//! ISO-2022-JP, in which the same bytes represent ASCII or other characters, depending on the
//! escape before them: read as in the Encoding standard (section 13.2), and with JIS X 0212 (RFC
//! 1554).
//!
//! Invariant: a piece, and the state after it, follow from the state before it and its own bytes;
//! only a stray escape depends on up to three bytes after it.

use std::array;
use std::sync::OnceLock;

use crate::map::Builder;
use crate::{Charset, Span};

/// A set of characters that bytes represent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Iso2022Set {
    #[default]
    Ascii,
    /// JIS X 0201, left half: ASCII except for the yen sign and the overline.
    Roman,
    /// JIS X 0201, right half.
    Katakana,
    /// JIS X 0208 of 1978, which is read as that of 1983.
    Jis78,
    /// JIS X 0208 of 1983.
    Jis83,
    /// JIS X 0212.
    Jis212,
}

/// The state of a decoder after some bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Iso2022State {
    pub(crate) set: Iso2022Set,
    /// True right after an escape, where another one is an error.
    pub(crate) is_escaped: bool,
}

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextPiece {
    /// ASCII characters.
    Plain,
    Char(char),
    /// An escape, which represents nothing, and changes the state.
    Escape,
    /// Invalid bytes.
    Invalid,
}

pub(crate) const ESCAPE: u8 = 0x1B;

/// The escapes, and the sets that they switch to.
const ESCAPES: [(Iso2022Set, &[u8]); 6] = [
    (Iso2022Set::Ascii, b"\x1B(B"),
    (Iso2022Set::Roman, b"\x1B(J"),
    (Iso2022Set::Katakana, b"\x1B(I"),
    (Iso2022Set::Jis78, b"\x1B$@"),
    (Iso2022Set::Jis83, b"\x1B$B"),
    (Iso2022Set::Jis212, b"\x1B$(D"),
];

/// Returns true if a byte is not an ASCII character in any state.
pub(crate) fn is_special(byte: u8) -> bool {
    matches!(byte, ESCAPE | 0x0E | 0x0F) || !byte.is_ascii()
}

/// Returns the piece at the start of `bytes`, which are not empty, and its length in bytes.
pub(crate) fn read(state: &mut Iso2022State, bytes: &[u8]) -> (TextPiece, usize) {
    let escaped = std::mem::take(&mut state.is_escaped);
    if bytes[0] == ESCAPE {
        let Some((set, escape)) = ESCAPES.iter().find(|(_, escape)| bytes.starts_with(escape))
        else {
            return (TextPiece::Invalid, 1);
        };
        (state.set, state.is_escaped) = (*set, true);
        return (if escaped { TextPiece::Invalid } else { TextPiece::Escape }, escape.len());
    }
    match state.set {
        Iso2022Set::Ascii | Iso2022Set::Roman => ascii(state.set, bytes),
        Iso2022Set::Katakana => match bytes[0] {
            byte @ 0x21..=0x5F => (half_katakana(byte), 1),
            _ => (TextPiece::Invalid, 1),
        },
        Iso2022Set::Jis78 | Iso2022Set::Jis83 | Iso2022Set::Jis212 => pair(state.set, bytes),
    }
}

/// Reads a stretch of ASCII.
fn ascii(set: Iso2022Set, bytes: &[u8]) -> (TextPiece, usize) {
    let is_roman = set == Iso2022Set::Roman;
    let is_end = |byte: &u8| is_special(*byte) || is_roman && matches!(byte, b'\\' | b'~');
    match (bytes.iter().position(is_end).unwrap_or(bytes.len()), bytes[0]) {
        (0, b'\\') if is_roman => (TextPiece::Char('¥'), 1),
        (0, b'~') if is_roman => (TextPiece::Char('‾'), 1),
        (0, _) => (TextPiece::Invalid, 1),
        (len, _) => (TextPiece::Plain, len),
    }
}

/// Reads one character of two bytes.
fn pair(set: Iso2022Set, bytes: &[u8]) -> (TextPiece, usize) {
    match (bytes[0], bytes.get(1)) {
        (row, _) if !is_graphic(row) => (TextPiece::Invalid, 1),
        (_, None | Some(&ESCAPE)) => (TextPiece::Invalid, 1),
        // The decoder of the Encoding standard consumes both bytes, also if the second is invalid.
        (row, Some(cell)) => {
            (char_of_pair(set, row, *cell).map_or(TextPiece::Invalid, TextPiece::Char), 2)
        }
    }
}

/// Returns a character of the right half of JIS X 0201.
fn half_katakana(byte: u8) -> TextPiece {
    char::from_u32(0xFF61 + u32::from(byte) - 0x21).map_or(TextPiece::Invalid, TextPiece::Char)
}

/// Appends the decoded `raw[span]`, which begins in ASCII, to `builder`.
pub(crate) fn decode_onto(raw: &[u8], span: Span, builder: &mut Builder) {
    let (mut state, mut at) = (Iso2022State::default(), span.start);
    while at < span.end {
        let (piece, len) = read(&mut state, &raw[at..span.end]);
        let span = Span::new(at, at + len);
        match piece {
            TextPiece::Plain => {
                builder.plain(std::str::from_utf8(span.slice(raw)).unwrap_or_default());
            }
            TextPiece::Char(char) => builder.character(span, char),
            TextPiece::Escape => builder.unit(span, ""),
            TextPiece::Invalid => builder.invalid_bytes(raw, span),
        }
        at += len;
    }
}

/// The characters of a set of 94 × 94, row by row. Each row is read when it is first needed: texts
/// need few of them.
type CharacterRows = [OnceLock<[Option<char>; N]>; N];

/// The number of rows of a set, and of characters in a row.
const N: usize = 94;

static JIS_208: CharacterRows = [const { OnceLock::new() }; N];
static JIS_212: CharacterRows = [const { OnceLock::new() }; N];

/// Returns true if a byte may be half of a pair.
fn is_graphic(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7E)
}

/// Returns the character of a pair of bytes, if they are in the set.
fn char_of_pair(set: Iso2022Set, row: u8, cell: u8) -> Option<char> {
    if !is_graphic(row) || !is_graphic(cell) {
        return None;
    }
    let is_212 = set == Iso2022Set::Jis212;
    let rows = if is_212 { &JIS_212 } else { &JIS_208 };
    let read_row = || {
        let mut cells = 0x21..=0x7E;
        array::from_fn(|_| cells.next().and_then(|cell| char_of_euc(is_212, row, cell)))
    };
    rows[usize::from(row - 0x21)].get_or_init(read_row)[usize::from(cell - 0x21)]
}

/// Reads a pair as in EUC-JP, where it has eighth bits (ISO 2022): the tables are those of the
/// Encoding standard.
fn char_of_euc(is_212: bool, row: u8, cell: u8) -> Option<char> {
    let prefix: &[u8] = if is_212 { &[0x8F] } else { &[] };
    let bytes = [prefix, &[row | 0x80, cell | 0x80]].concat();
    let mut text = String::new();
    Charset::EUC_JP.first(&bytes, &mut text).ok().filter(|len| *len == bytes.len())?;
    let mut chars = text.chars();
    // Cells for private use belong to the wider charset, not to these sets.
    let is_public = |char: &char| !matches!(char, '\u{E000}'..='\u{F8FF}');
    chars.next().filter(is_public).filter(|_| chars.next().is_none())
}

/// Returns the bytes of a character in JIS X 0208, if it has it and they are decoded to it again;
/// nothing is written in JIS X 0212.
pub(crate) fn pair_of_char(char: char) -> Option<[u8; 2]> {
    let mut bytes = Vec::new();
    Charset::EUC_JP.encode(char.encode_utf8(&mut [0; 4]), &mut bytes).ok()?;
    let [row, cell] = <[u8; 2]>::try_from(bytes).ok()?.map(|byte| byte & 0x7F);
    Some([row, cell]).filter(|_| char_of_pair(Iso2022Set::Jis83, row, cell) == Some(char))
}

/// Returns the escape that switches to a set.
pub(crate) fn escape_to(set: Iso2022Set) -> &'static [u8] {
    ESCAPES.iter().find(|(other, _)| *other == set).map_or(b"", |(_, bytes)| bytes)
}
