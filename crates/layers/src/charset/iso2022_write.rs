//! New text in a charset with shift sequences, from the state before it to the state that the bytes
//! after it need.

use crate::Unliftable;
use crate::charset::double_byte::Pairs;
use crate::charset::iso2022::{DESIGNATORS, Piece, Set, Shifting, State};

/// Writes `text` in the state `from` so that the state afterwards is `to`. Returns the bytes, and
/// the actual state after them. Whether the text ends with an escape must match `to` only if
/// another escape follows, as `is_followed` says.
///
/// # Errors
///
/// [`Unliftable::Unencodable`] for a character that the charset does not have;
/// [`Unliftable::Charset`] if `to` cannot be reached, or the bytes would be read as something else.
pub(crate) fn write(
    charset: Shifting,
    (from, to): (State, State),
    text: &str,
    is_followed: bool,
) -> Result<(Vec<u8>, State), Unliftable> {
    let mut writer = Writer { charset, state: from, out: Vec::with_capacity(text.len() + 8) };
    // This is first, so that a designation for the whole document remains at its start.
    writer.designate(to.designated);
    for char in text.chars() {
        writer.char(char)?;
    }
    writer.designate(to.designated);
    // Without this, an escape that is an error would be valid.
    let keeps_error = is_followed && to.is_escaped;
    if keeps_error && writer.state.set == to.set {
        writer.out.extend_from_slice(charset.shift_to(to.set));
    }
    writer.shift_to(to.set);
    let state = read_back(charset, from, &writer.out, text).ok_or(Unliftable::Charset)?;
    let is_escaped = if keeps_error { state.is_escaped } else { to.is_escaped };
    if (State { is_escaped, ..state }) == to {
        Ok((writer.out, state))
    } else {
        Err(Unliftable::Charset)
    }
}

/// Returns the state after `bytes`, if they are read as `text`.
fn read_back(charset: Shifting, from: State, bytes: &[u8], text: &str) -> Option<State> {
    let (mut state, mut at, mut rest) = (from, 0, text);
    while at < bytes.len() {
        let (piece, len) = charset.read(&mut state, &bytes[at..]);
        rest = match piece {
            Piece::Plain => {
                rest.strip_prefix(std::str::from_utf8(&bytes[at..at + len]).unwrap_or_default())?
            }
            Piece::Char(char) => rest.strip_prefix(char)?,
            Piece::Shift => rest,
            Piece::Continuation | Piece::Invalid => return None,
        };
        at += len;
    }
    rest.is_empty().then_some(state)
}

struct Writer {
    charset: Shifting,
    state: State,
    out: Vec<u8>,
}

impl Writer {
    fn shift_to(&mut self, set: Set) {
        if self.state.set != set {
            self.out.extend_from_slice(self.charset.shift_to(set));
            self.state.set = set;
        }
    }

    fn designate(&mut self, designated: [u8; 3]) {
        for (idx, last) in designated.into_iter().enumerate() {
            if last != 0 && self.state.designated[idx] != last {
                self.out.extend_from_slice(DESIGNATORS[idx]);
                self.out.push(last);
                self.state.designated[idx] = last;
            }
        }
    }

    fn char(&mut self, char: char) -> Result<(), Unliftable> {
        if char.is_ascii() {
            self.ascii(char)
        } else {
            self.other(char).ok_or(Unliftable::Unencodable(char))
        }
    }

    fn ascii(&mut self, char: char) -> Result<(), Unliftable> {
        let byte = char as u8;
        let is_tilde = self.charset == Shifting::Hz && char == '~';
        if self.charset.is_special(byte) && !is_tilde {
            return Err(Unliftable::Unencodable(char));
        }
        if self.state.set != Set::Roman || matches!(char, '\\' | '~') {
            self.shift_to(Set::Ascii);
        }
        self.out.push(byte);
        if is_tilde {
            self.out.push(byte);
        }
        if char == '\n' {
            self.charset.end_line(&mut self.state);
        }
        Ok(())
    }

    fn other(&mut self, char: char) -> Option<()> {
        let (set, pairs) = match self.charset {
            Shifting::Iso2022Jp => match char {
                '¥' | '‾' => {
                    self.shift_to(Set::Roman);
                    self.out.push(if char == '¥' { b'\\' } else { b'~' });
                    return Some(());
                }
                '\u{FF61}'..='\u{FF9F}' => {
                    self.shift_to(Set::Katakana);
                    self.out.push(u8::try_from(u32::from(char) - 0xFF61 + 0x21).ok()?);
                    return Some(());
                }
                _ if self.state.set == Set::Jis78 => (Set::Jis78, Pairs::Jis208),
                _ => (Set::Jis83, Pairs::Jis208),
            },
            // Its only designation is at the start of the document, or there is none (RFC 1557).
            Shifting::Iso2022Kr if self.state.designated[0] != b'C' => return None,
            Shifting::Iso2022Kr => (Set::Other, Pairs::Ks),
            Shifting::Iso2022Cn | Shifting::Hz => (Set::Other, Pairs::Gb),
        };
        let pair = pairs.pair(char)?;
        if self.charset == Shifting::Iso2022Cn {
            let [_, second, third] = self.state.designated;
            self.designate([b'A', second, third]);
        }
        self.shift_to(set);
        self.out.extend_from_slice(&pair);
        Some(())
    }
}
