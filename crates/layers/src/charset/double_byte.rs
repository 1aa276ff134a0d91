//! Sets of 94 × 94 characters, each written with two bytes from 0x21 to 0x7E in charsets with shift
//! sequences.
//!
//! Invariant: a pair is that of the EUC charset without its eighth bits (ISO 2022), so that the
//! tables are those of the Encoding standard.

use std::array;
use std::sync::OnceLock;

use crate::Charset;

/// A set of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pairs {
    /// JIS X 0208.
    Jis208,
    /// JIS X 0212.
    Jis212,
    /// KS C 5601, now KS X 1001.
    Ks,
    /// GB 2312.
    Gb,
}

/// The characters of a set, row by row. Each row is read when it is first needed: texts need few of
/// them.
type Rows = [OnceLock<[Option<char>; N]>; N];

/// The number of rows of a set, and of characters in a row.
const N: usize = 94;

static JIS_208: Rows = [const { OnceLock::new() }; N];
static JIS_212: Rows = [const { OnceLock::new() }; N];
static KS: Rows = [const { OnceLock::new() }; N];
static GB: Rows = [const { OnceLock::new() }; N];

impl Pairs {
    fn euc(self) -> Charset {
        match self {
            Pairs::Jis208 | Pairs::Jis212 => Charset::EUC_JP,
            Pairs::Ks => Charset::EUC_KR,
            Pairs::Gb => Charset::GBK,
        }
    }

    /// Returns the character of a pair of bytes, as read in the EUC charset.
    fn read(self, row: u8, cell: u8) -> Option<char> {
        let prefix: &[u8] = if self == Pairs::Jis212 { &[0x8F] } else { &[] };
        let bytes = [prefix, &[row | 0x80, cell | 0x80]].concat();
        let mut text = String::new();
        self.euc().first(&bytes, &mut text).ok().filter(|len| *len == bytes.len())?;
        let mut chars = text.chars();
        // Cells for private use belong to the wider charsets, not to these sets.
        let is_public = |char: &char| !matches!(char, '\u{E000}'..='\u{F8FF}');
        chars.next().filter(is_public).filter(|_| chars.next().is_none())
    }

    /// Returns the character of a pair of bytes, if they are in this set.
    pub(crate) fn char(self, row: u8, cell: u8) -> Option<char> {
        let rows = match self {
            Pairs::Jis208 => &JIS_208,
            Pairs::Jis212 => &JIS_212,
            Pairs::Ks => &KS,
            Pairs::Gb => &GB,
        };
        if !is_graphic(row) || !is_graphic(cell) {
            return None;
        }
        let read_row = || {
            let mut cells = 0x21..=0x7E;
            array::from_fn(|_| cells.next().and_then(|cell| self.read(row, cell)))
        };
        rows[usize::from(row - 0x21)].get_or_init(read_row)[usize::from(cell - 0x21)]
    }

    /// Returns the bytes of a character, if the set has it and they are decoded to it again;
    /// nothing is written in JIS X 0212.
    pub(crate) fn pair(self, char: char) -> Option<[u8; 2]> {
        let mut bytes = Vec::new();
        self.euc().encode(char.encode_utf8(&mut [0; 4]), &mut bytes).ok()?;
        let [row, cell] = <[u8; 2]>::try_from(bytes).ok()?.map(|byte| byte & 0x7F);
        Some([row, cell]).filter(|_| self.char(row, cell) == Some(char))
    }
}

/// Returns true if a byte may be half of a pair.
pub(crate) fn is_graphic(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7E)
}
