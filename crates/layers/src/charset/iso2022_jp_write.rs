//! New text in ISO-2022-JP, from the state before it to the state that the bytes after it need.

use crate::Unliftable;
use crate::charset::iso2022_jp::{
    Iso2022Set, Iso2022State, Piece, escape_to, is_special, pair_of_char, read,
};

/// Writes `text` in the state `from` so that the state afterwards is `to`. Returns the bytes, and
/// the actual state after them. Whether the text ends with an escape must match `to` only if
/// another escape follows, as `is_followed` says.
///
/// # Errors
///
/// [`Unliftable::Unencodable`] for a character that the charset does not have;
/// [`Unliftable::Charset`] if `to` cannot be reached, or the bytes would be read as something else.
pub(crate) fn write(
    (from, to): (Iso2022State, Iso2022State),
    text: &str,
    is_followed: bool,
) -> Result<(Vec<u8>, Iso2022State), Unliftable> {
    let mut writer = Iso2022Writer { set: from.set, out: Vec::with_capacity(text.len() + 8) };
    for char in text.chars() {
        writer.char(char).ok_or(Unliftable::Unencodable(char))?;
    }
    // Without this, an escape that is an error would be valid.
    let keeps_error = is_followed && to.is_escaped;
    if keeps_error && writer.set == to.set {
        writer.out.extend_from_slice(escape_to(to.set));
    }
    writer.switch_to(to.set);
    let state = read_back(from, &writer.out, text).ok_or(Unliftable::Charset)?;
    let is_escaped = if keeps_error { state.is_escaped } else { to.is_escaped };
    if (Iso2022State { is_escaped, ..state }) == to {
        Ok((writer.out, state))
    } else {
        Err(Unliftable::Charset)
    }
}

/// Returns the state after `bytes`, if they are read as `text`.
fn read_back(from: Iso2022State, bytes: &[u8], text: &str) -> Option<Iso2022State> {
    let (mut state, mut at, mut rest) = (from, 0, text);
    while at < bytes.len() {
        let (piece, len) = read(&mut state, &bytes[at..]);
        rest = match piece {
            Piece::Plain => {
                rest.strip_prefix(std::str::from_utf8(&bytes[at..at + len]).unwrap_or_default())?
            }
            Piece::Char(char) => rest.strip_prefix(char)?,
            Piece::Escape => rest,
            Piece::Invalid => return None,
        };
        at += len;
    }
    rest.is_empty().then_some(state)
}

struct Iso2022Writer {
    set: Iso2022Set,
    out: Vec<u8>,
}

impl Iso2022Writer {
    fn switch_to(&mut self, set: Iso2022Set) {
        if self.set != set {
            self.out.extend_from_slice(escape_to(set));
            self.set = set;
        }
    }

    /// Writes a character, or returns `None` if the charset does not have it.
    fn char(&mut self, char: char) -> Option<()> {
        match char {
            '\0'..='\x7F' => {
                let byte = u8::try_from(char).ok().filter(|byte| !is_special(*byte))?;
                if self.set != Iso2022Set::Roman || matches!(char, '\\' | '~') {
                    self.switch_to(Iso2022Set::Ascii);
                }
                self.out.push(byte);
            }
            '¥' | '‾' => {
                self.switch_to(Iso2022Set::Roman);
                self.out.push(if char == '¥' { b'\\' } else { b'~' });
            }
            '\u{FF61}'..='\u{FF9F}' => {
                self.switch_to(Iso2022Set::Katakana);
                self.out.push(u8::try_from(u32::from(char) - 0xFF61 + 0x21).ok()?);
            }
            _ => {
                let pair = pair_of_char(char)?;
                self.switch_to(if self.set == Iso2022Set::Jis78 {
                    Iso2022Set::Jis78
                } else {
                    Iso2022Set::Jis83
                });
                self.out.extend_from_slice(&pair);
            }
        }
        Some(())
    }
}
