//! Sets of 94 times 94 characters, each written with two bytes from 0x21 to 0x7E in the charsets that shift.
//!
//! Invariant: a pair is that of the EUC charset without its eighth bits (ISO 2022), so that the tables are those of the Encoding standard.

use std::sync::LazyLock;

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

type Table = LazyLock<Vec<Option<char>>>;

static JIS_208: Table = LazyLock::new(|| table(Pairs::Jis208));
static JIS_212: Table = LazyLock::new(|| table(Pairs::Jis212));
static KS: Table = LazyLock::new(|| table(Pairs::Ks));
static GB: Table = LazyLock::new(|| table(Pairs::Gb));

/// All characters of a set, row by row.
fn table(pairs: Pairs) -> Vec<Option<char>> {
    let prefix: &[u8] = if pairs == Pairs::Jis212 { &[0x8F] } else { &[] };
    let cells = (0x21..=0x7E_u8).flat_map(|row| (0x21..=0x7E_u8).map(move |cell| (row, cell)));
    let char = |(row, cell)| {
        let bytes = [prefix, &[row | 0x80, cell | 0x80]].concat();
        let mut text = String::new();
        pairs.euc().first(&bytes, &mut text).ok().filter(|len| *len == bytes.len())?;
        let mut chars = text.chars();
        // Cells for private use belong to the wider charsets, not to these sets.
        let is_public = |char: &char| !matches!(char, '\u{E000}'..='\u{F8FF}');
        chars.next().filter(is_public).filter(|_| chars.next().is_none())
    };
    cells.map(char).collect()
}

impl Pairs {
    fn euc(self) -> Charset {
        match self {
            Pairs::Jis208 | Pairs::Jis212 => Charset::EUC_JP,
            Pairs::Ks => Charset::EUC_KR,
            Pairs::Gb => Charset::GBK,
        }
    }

    /// The character of a pair of bytes, if they are one of this set.
    pub(crate) fn char(self, row: u8, cell: u8) -> Option<char> {
        let table = match self {
            Pairs::Jis208 => &JIS_208,
            Pairs::Jis212 => &JIS_212,
            Pairs::Ks => &KS,
            Pairs::Gb => &GB,
        };
        if !is_graphic(row) || !is_graphic(cell) {
            return None;
        }
        let idx = usize::from(row - 0x21) * 94 + usize::from(cell - 0x21);
        table.get(idx).copied().flatten()
    }

    /// The bytes of a character, if the set has it and they are read back; nothing is written in JIS X 0212.
    pub(crate) fn pair(self, char: char) -> Option<[u8; 2]> {
        let mut bytes = Vec::new();
        self.euc().encode(char.encode_utf8(&mut [0; 4]), &mut bytes).ok()?;
        let [row, cell] = <[u8; 2]>::try_from(bytes).ok()?.map(|byte| byte & 0x7F);
        Some([row, cell]).filter(|_| self.char(row, cell) == Some(char))
    }
}

/// Whether a byte may be half of a pair.
pub(crate) fn is_graphic(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7E)
}
