//! Charsets with shift sequences: in ISO-2022-JP, -KR, -CN and HZ the same bytes represent ASCII or
//! other characters, depending on the bytes before them.
//!
//! Invariant: a piece, and the state after it, follow from the state before it and its own bytes;
//! only a stray escape depends on up to three bytes after it.
//!
//! ISO-2022-JP is read as in the Encoding standard (section 13.2), and with JIS X 0212 (RFC 1554);
//! ISO-2022-KR: RFC 1557; ISO-2022-CN: RFC 1922; HZ: RFC 1843.

use crate::Span;
use crate::charset::double_byte::{Pairs, is_graphic};
use crate::map::Builder;

/// A charset with shift sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shifting {
    Iso2022Jp,
    Iso2022Kr,
    /// ISO-2022-CN. The sets of ISO-2022-CN-EXT are distinguished, but only GB 2312 is read.
    Iso2022Cn,
    Hz,
}

/// A set of characters that bytes represent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Set {
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
    /// The only set besides ASCII, or the designated one.
    Other,
}

/// The state of a decoder after some bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) set: Set,
    /// The last bytes of the designations of G1, G2 and G3 (KR and CN); 0 if there is none.
    pub(crate) designated: [u8; 3],
    /// True right after an escape of ISO-2022-JP, where another one is an error.
    pub(crate) is_escaped: bool,
}

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// ASCII characters.
    Plain,
    Char(char),
    /// Bytes that represent nothing, and may change the state.
    Shift,
    /// Bytes that represent nothing, and join two lines (HZ).
    Continuation,
    /// Invalid bytes.
    Invalid,
}

const ESCAPE: u8 = 0x1B;
const SHIFT_OUT: u8 = 0x0E;
const SHIFT_IN: u8 = 0x0F;

/// The escapes of ISO-2022-JP.
const ESCAPES: [(Set, &[u8]); 6] = [
    (Set::Ascii, b"\x1B(B"),
    (Set::Roman, b"\x1B(J"),
    (Set::Katakana, b"\x1B(I"),
    (Set::Jis78, b"\x1B$@"),
    (Set::Jis83, b"\x1B$B"),
    (Set::Jis212, b"\x1B$(D"),
];

/// The sequences that designate a set to G1, G2 and G3, without the last byte.
pub(crate) const DESIGNATORS: [&[u8]; 3] = [b"\x1B$)", b"\x1B$*", b"\x1B$+"];

impl Shifting {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Shifting::Iso2022Jp => "ISO-2022-JP",
            Shifting::Iso2022Kr => "ISO-2022-KR",
            Shifting::Iso2022Cn => "ISO-2022-CN",
            Shifting::Hz => "HZ-GB-2312",
        }
    }

    /// Returns the bytes that shift to a set.
    pub(crate) fn shift_to(self, set: Set) -> &'static [u8] {
        let is_ascii = set == Set::Ascii;
        match self {
            Shifting::Iso2022Jp => {
                ESCAPES.iter().find(|(other, _)| *other == set).map_or(b"", |(_, bytes)| bytes)
            }
            Shifting::Hz => {
                if is_ascii {
                    b"~}"
                } else {
                    b"~{"
                }
            }
            _ => {
                if is_ascii {
                    &[SHIFT_IN]
                } else {
                    &[SHIFT_OUT]
                }
            }
        }
    }

    /// Updates the state at a line end: it is reset to ASCII, except in ISO-2022-JP; in ISO-2022-CN
    /// the designations end too (RFC 1922, section 4.2).
    pub(crate) fn end_line(self, state: &mut State) {
        match self {
            Shifting::Iso2022Jp => {}
            Shifting::Iso2022Kr | Shifting::Hz => state.set = Set::Ascii,
            Shifting::Iso2022Cn => *state = State::default(),
        }
    }

    /// Returns the current double-byte set, if it is one that is read.
    fn pairs(self, state: &State) -> Option<Pairs> {
        match (state.set, self, state.designated[0]) {
            (Set::Jis78 | Set::Jis83, ..) => Some(Pairs::Jis208),
            (Set::Jis212, ..) => Some(Pairs::Jis212),
            (_, Shifting::Iso2022Kr, _) => Some(Pairs::Ks),
            (_, Shifting::Iso2022Cn, b'A') | (_, Shifting::Hz, _) => Some(Pairs::Gb),
            _ => None,
        }
    }

    /// Returns true if a byte is not an ASCII character in any state.
    pub(crate) fn is_special(self, byte: u8) -> bool {
        match self {
            Shifting::Hz => byte == b'~' || !byte.is_ascii(),
            _ => matches!(byte, ESCAPE | SHIFT_OUT | SHIFT_IN) || !byte.is_ascii(),
        }
    }

    /// Returns the piece at the start of `bytes`, which are not empty, and its length in bytes.
    pub(crate) fn read(self, state: &mut State, bytes: &[u8]) -> (Piece, usize) {
        let escaped = std::mem::take(&mut state.is_escaped);
        match (self, bytes[0]) {
            (Shifting::Iso2022Jp, ESCAPE) => {
                let Some((set, escape)) =
                    ESCAPES.iter().find(|(_, escape)| bytes.starts_with(escape))
                else {
                    return (Piece::Invalid, 1);
                };
                (state.set, state.is_escaped) = (*set, true);
                (if escaped { Piece::Invalid } else { Piece::Shift }, escape.len())
            }
            (Shifting::Hz, b'~') => tilde(state, bytes),
            (Shifting::Iso2022Kr | Shifting::Iso2022Cn, ESCAPE) => self.designation(state, bytes),
            (Shifting::Iso2022Kr | Shifting::Iso2022Cn, byte @ (SHIFT_OUT | SHIFT_IN)) => {
                state.set = if byte == SHIFT_IN { Set::Ascii } else { Set::Other };
                (Piece::Shift, 1)
            }
            _ => match state.set {
                Set::Ascii | Set::Roman => self.ascii(state, bytes),
                Set::Katakana => match bytes[0] {
                    byte @ 0x21..=0x5F => (half_katakana(byte), 1),
                    _ => (Piece::Invalid, 1),
                },
                _ => self.pair(state, bytes),
            },
        }
    }

    /// Reads a stretch of ASCII, up to the end of the line if that changes the state.
    fn ascii(self, state: &mut State, bytes: &[u8]) -> (Piece, usize) {
        let is_roman = state.set == Set::Roman;
        let is_end = |byte: &u8| self.is_special(*byte) || is_roman && matches!(byte, b'\\' | b'~');
        let ends_lines = self != Shifting::Iso2022Jp;
        let is_last = |byte: &u8| is_end(byte) || ends_lines && *byte == b'\n';
        let found = bytes.iter().position(is_last);
        let len = found.map_or(bytes.len(), |at| at + usize::from(bytes[at] == b'\n'));
        match bytes[0] {
            _ if len > 0 => {
                if bytes[len - 1] == b'\n' {
                    self.end_line(state);
                }
                (Piece::Plain, len)
            }
            b'\\' if is_roman => (Piece::Char('¥'), 1),
            b'~' if is_roman => (Piece::Char('‾'), 1),
            _ => (Piece::Invalid, 1),
        }
    }

    /// Reads one character of two bytes; white space and control characters are read as in ASCII,
    /// but not in ISO-2022-JP.
    fn pair(self, state: &mut State, bytes: &[u8]) -> (Piece, usize) {
        let is_jp = self == Shifting::Iso2022Jp;
        match (bytes[0], bytes.get(1)) {
            (row, _) if !is_graphic(row) => {
                if is_jp || !row.is_ascii() || self.is_special(row) {
                    return (Piece::Invalid, 1);
                }
                if row == b'\n' {
                    self.end_line(state);
                }
                (Piece::Plain, 1)
            }
            (_, None | Some(&ESCAPE)) => (Piece::Invalid, 1),
            (row, Some(cell)) if is_graphic(*cell) => {
                let char = self.pairs(state).and_then(|pairs| pairs.char(row, *cell));
                (char.map_or(Piece::Invalid, Piece::Char), 2)
            }
            // The decoder of the Encoding standard consumes both bytes.
            (_, Some(_)) => (Piece::Invalid, if is_jp { 2 } else { 1 }),
        }
    }

    /// Reads a designation, or a character of G2 or G3, which are not supported.
    fn designation(self, state: &mut State, bytes: &[u8]) -> (Piece, usize) {
        let is_cn = self == Shifting::Iso2022Cn;
        let designator = DESIGNATORS.iter().position(|designator| bytes.starts_with(designator));
        match (designator, bytes.get(3)) {
            (Some(idx), Some(last)) => {
                let is_known = match idx {
                    0 if is_cn => matches!(last, b'A' | b'E' | b'G'),
                    0 => *last == b'C',
                    1 => is_cn && *last == b'H',
                    _ => is_cn && matches!(last, b'I'..=b'M'),
                };
                if is_known {
                    state.designated[idx] = *last;
                    return (Piece::Shift, 4);
                }
                (Piece::Invalid, 1)
            }
            _ => match bytes {
                [_, b'N' | b'O', row, cell, ..]
                    if is_cn && is_graphic(*row) && is_graphic(*cell) =>
                {
                    (Piece::Invalid, 4)
                }
                _ => (Piece::Invalid, 1),
            },
        }
    }

    /// Appends the decoded `raw[span]`, which begins in ASCII, to `builder`.
    pub(crate) fn decode_onto(self, raw: &[u8], span: Span, builder: &mut Builder) {
        let (mut state, mut at) = (State::default(), span.start);
        while at < span.end {
            let (piece, len) = self.read(&mut state, &raw[at..span.end]);
            let span = Span::new(at, at + len);
            match piece {
                Piece::Plain => {
                    builder.plain(std::str::from_utf8(span.slice(raw)).unwrap_or_default())
                }
                Piece::Char(char) => builder.character(span, char),
                Piece::Shift | Piece::Continuation => builder.unit(span, ""),
                Piece::Invalid => builder.invalid_bytes(raw, span),
            }
            at += len;
        }
    }
}

/// Reads a sequence that begins with `~` in HZ. A CR without LF is part of it, so that no edit can
/// make an LF follow.
fn tilde(state: &mut State, bytes: &[u8]) -> (Piece, usize) {
    match bytes {
        [_, b'{', ..] => state.set = Set::Other,
        [_, b'}', ..] => state.set = Set::Ascii,
        [_, b'~', ..] => return (Piece::Char('~'), 2),
        [_, b'\n', ..] => return (Piece::Continuation, 2),
        [_, b'\r', b'\n', ..] => return (Piece::Continuation, 3),
        [_, b'\r', ..] => return (Piece::Invalid, 2),
        _ => return (Piece::Invalid, 1),
    }
    (Piece::Shift, 2)
}

/// Returns a character of the right half of JIS X 0201.
fn half_katakana(byte: u8) -> Piece {
    char::from_u32(0xFF61 + u32::from(byte) - 0x21).map_or(Piece::Invalid, Piece::Char)
}
