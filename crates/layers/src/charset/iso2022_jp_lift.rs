//! The lifting of edits into ISO-2022-JP: if the state is not ASCII, new text switches to ASCII and
//! back, or replaces the escapes around it.
//!
//! Invariant: before and after an edit the state is unchanged, so that everything else is read as
//! before.
//!
//! New text in ISO-2022-JP, from the state before it to the state that the bytes after it need.

use std::sync::Arc;

use crate::charset::iso2022_jp::{
    ESCAPE, Iso2022Set, Iso2022State, TextPiece, escape_to, is_special, pair_of_char, read,
};
use crate::map::{Decoded, Map};
use crate::{Edit, Guards, Lifted, Span, Unliftable};

/// The maximum number of bytes between a stray escape and bytes that would complete it.
const REACH: usize = 2;

/// Lifts sorted, disjoint edits of `decoded.text`, in one pass.
pub(crate) fn lift(raw: &[u8], decoded: &Decoded<'_>, edits: &[Edit], guards: Guards) -> Lifted {
    let state = Iso2022State::default();
    let mut lift =
        Iso2022Lift { raw, decoded, guards, free_from: 0, written: state, known: (0, state) };
    let mut lifted = Lifted::default();
    for edit in edits {
        match lift.edit(edit) {
            Ok(edit) => lifted.edits.extend(edit),
            Err(reason) => lifted.refused.push((edit.id, reason)),
        }
    }
    lifted
}

/// Returns the raw bytes that an edit of `span` of the decoded text may replace: those of the text,
/// and the escapes around it.
pub(crate) fn reach(raw: &[u8], map: &Map, span: Span) -> Span {
    Borders { raw, map }.around(map.widen(span).raw, 0)
}

/// The offsets in the raw bytes at which an edit may begin and end.
struct Borders<'b> {
    raw: &'b [u8],
    map: &'b Map,
}

impl Borders<'_> {
    /// Returns `span` with the escapes around it that do not begin before `free_from`.
    fn around(&self, span: Span, free_from: usize) -> Span {
        Span::new(self.left_of(span.start, free_from), self.right_of(span.end))
    }

    /// Returns the start of an edit at `at`: before escapes, and before invalid bytes that
    /// could become part of a character.
    fn left_of(&self, at: usize, free_from: usize) -> usize {
        let mut at = at;
        loop {
            let units = (0..=REACH).filter_map(|back| {
                let end = at.checked_sub(back).filter(|end| *end > free_from)?;
                let is_near = back == 0;
                self.map.unit_ending_at(end).filter(|unit| {
                    let is_stray_escape = unit.raw.slice(self.raw) == [ESCAPE];
                    unit.is_invalid && (is_near || is_stray_escape)
                        || is_near && unit.decoded.is_empty()
                })
            });
            match units.map(|unit| unit.raw.start).min() {
                Some(start) => at = start,
                None => return at,
            }
        }
    }

    /// Returns the end of an edit at `at`: after escapes.
    fn right_of(&self, at: usize) -> usize {
        let mut at = at;
        while let Some(unit) = self.map.whole_unit_at(at).filter(|unit| unit.decoded.is_empty()) {
            at = unit.raw.end;
        }
        at
    }
}

/// The lifting of one list of edits.
struct Iso2022Lift<'l> {
    raw: &'l [u8],
    decoded: &'l Decoded<'l>,
    guards: Guards,
    /// The end of the previous edit, and the state after its new text.
    free_from: usize,
    written: Iso2022State,
    /// The state of the raw bytes at an offset before which no later edit begins.
    known: (usize, Iso2022State),
}

impl Iso2022Lift<'_> {
    fn edit(&mut self, edit: &Edit) -> Result<Option<Edit>, Unliftable> {
        let Decoded { text: shown, map } = self.decoded;
        let widened = map.widen(edit.span);
        if widened.raw.start < self.free_from {
            return Err(Unliftable::Overlap);
        }
        let borders = Borders { raw: self.raw, map };
        let whole = borders.around(widened.raw, self.free_from);
        let kept_start = map.decoded_of(whole.start).min(widened.decoded.start);
        let kept_end = widened.decoded.end.max(edit.span.end);
        let mut text = shown[kept_start..edit.span.start].to_owned();
        text.push_str(&String::from_utf8_lossy(&edit.text));
        text.push_str(&shown[edit.span.end..kept_end]);
        if text == shown[kept_start..kept_end] {
            return Ok(None);
        }

        let before = self.state_at(whole.start);
        let after = self.advanced((whole.start, before), whole.end);
        let from = if whole.start == self.free_from { self.written } else { before };
        let is_followed = self.raw.get(whole.end) == Some(&ESCAPE);
        let (bytes, state) = write((from, after), &text, is_followed)?;
        self.guards.check(shown.as_bytes(), Span::new(kept_start, kept_end), text.as_bytes())?;
        let (span, bytes) = self.without_kept_escapes(whole, &bytes);
        if bytes == span.slice(self.raw) {
            return Ok(None);
        }
        (self.free_from, self.written) = (whole.end, state);
        let text = if *bytes == *edit.text { Arc::clone(&edit.text) } else { bytes.into() };
        Ok(Some(Edit { span, text, id: edit.id }))
    }

    /// Returns the state of the raw bytes at a border.
    fn state_at(&mut self, at: usize) -> Iso2022State {
        let from = if self.known.0 <= at { self.known } else { (0, Iso2022State::default()) };
        let state = self.advanced(from, at);
        self.known = (at, state);
        state
    }

    fn advanced(&self, (mut at, mut state): (usize, Iso2022State), to: usize) -> Iso2022State {
        while at < to {
            at += read(&mut state, &self.raw[at..to]).1;
        }
        state
    }

    /// Returns the edit without the escapes at its ends that it does not change.
    fn without_kept_escapes<'b>(&self, span: Span, bytes: &'b [u8]) -> (Span, &'b [u8]) {
        let map = &self.decoded.map;
        let (mut span, mut bytes) = (span, bytes);
        while let Some(unit) = map.whole_unit_at(span.start)
            && unit.decoded.is_empty()
            && unit.raw.end <= span.end
            && let Some(rest) = bytes.strip_prefix(unit.raw.slice(self.raw))
        {
            (span.start, bytes) = (unit.raw.end, rest);
        }
        while let Some(unit) = map.unit_ending_at(span.end)
            && unit.decoded.is_empty()
            && unit.raw.start >= span.start
            && let Some(rest) = bytes.strip_suffix(unit.raw.slice(self.raw))
        {
            (span.end, bytes) = (unit.raw.start, rest);
        }
        (span, bytes)
    }
}

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
            TextPiece::Plain => {
                rest.strip_prefix(std::str::from_utf8(&bytes[at..at + len]).unwrap_or_default())?
            }
            TextPiece::Char(char) => rest.strip_prefix(char)?,
            TextPiece::Escape => rest,
            TextPiece::Invalid => return None,
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
