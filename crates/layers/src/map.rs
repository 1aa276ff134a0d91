//! The map from decoded offsets to raw offsets.
//!
//! Most of a text is in its raw bytes unchanged; only *units* (a character reference, a CSS escape,
//! a character of an old charset) differ. A [`Map`] lists the units; between them decoded and raw
//! offsets advance together. A map without units is the identity and costs nothing. Consecutive
//! characters of the same lengths (usually the whole of a text in UTF-16) make one unit with a
//! [`Step`], which keeps maps short.
//!
//! Invariant: units are sorted and disjoint on both sides; the length of a unit with a step is a
//! multiple of the step on both sides, and the multiple is the same.

use std::borrow::Cow;

use crate::Span;
use crate::units::{MapUnit, Step, Units};

/// The digits of percent-escapes.
const HEX_DIGITS: &[u8; 16] = b"0123456789ABCDEF";

/// A map from offsets in a decoded text to offsets in the raw bytes from which it was decoded.
///
/// # Examples
///
/// ```
/// use relink_layers::{Charset, Layer, Quote, Span};
///
/// let decoded = Layer::Attribute(Quote::Double).decode(b"a&amp;b", Charset::UTF_8);
/// assert_eq!(decoded.text, "a&b");
/// assert_eq!(decoded.map.widen(Span::new(1, 2)).raw, Span::new(1, 6));
/// assert_eq!(decoded.map.decoded_of(6), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map {
    units: Units,
}

/// A span that was widened to whole units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widened {
    /// The smallest raw span of whole units whose decoding contains the given span.
    pub raw: Span,
    /// The decoded span of `raw`: the given span, or a longer one.
    pub decoded: Span,
}

impl Map {
    /// The map of a text that is in its raw bytes unchanged.
    pub const IDENTITY: Map = Map { units: Units::NONE };

    /// Returns true if decoded offsets are raw offsets.
    pub fn is_identity(&self) -> bool {
        self.units.is_empty()
    }

    /// Returns the units, in order.
    pub fn units(&self) -> Vec<MapUnit> {
        (0..self.units.len()).filter_map(|idx| self.units.get(idx)).collect()
    }

    /// Widens a span of the decoded text to whole units.
    pub fn widen(&self, span: Span) -> Widened {
        let (raw_start, start) = self.start_of(span.start);
        if span.is_empty() && start == span.start {
            return Widened { raw: Span::new(raw_start, raw_start), decoded: span };
        }
        let (raw_end, end) = self.end_of(span.end);
        Widened {
            raw: Span::new(raw_start, raw_end.max(raw_start)),
            decoded: Span::new(start, end),
        }
    }

    /// Returns the raw and the decoded offset of the border at or before `at`, after units that
    /// decode to nothing.
    fn start_of(&self, at: usize) -> (usize, usize) {
        let before = self.units.partition_point(|unit| unit.decoded.start <= at);
        match before.checked_sub(1).and_then(|idx| self.units.get(idx)) {
            None => (at, at),
            Some(unit) if at < unit.decoded.end => unit
                .border(unit.step.map_or(0, |step| {
                    (at - unit.decoded.start) / usize::from(step.decoded.max(1))
                })),
            Some(unit) => (unit.raw.end + (at - unit.decoded.end), at),
        }
    }

    /// Returns the raw and the decoded offset of the border at or after `at`, before units that
    /// decode to nothing.
    fn end_of(&self, at: usize) -> (usize, usize) {
        let before = self.units.partition_point(|unit| unit.decoded.start < at);
        match before.checked_sub(1).and_then(|idx| self.units.get(idx)) {
            None => (at, at),
            Some(unit @ MapUnit { step: Some(step), .. }) if at <= unit.decoded.end => {
                unit.border((at - unit.decoded.start).div_ceil(usize::from(step.decoded.max(1))))
            }
            Some(unit) if at <= unit.decoded.end => (unit.raw.end, unit.decoded.end),
            Some(unit) => (unit.raw.end + (at - unit.decoded.end), at),
        }
    }

    /// Returns the last unit that begins before the raw offset `at`, and the number of its steps
    /// that end at or before `at`: 0 if it is indivisible.
    fn before_raw(&self, at: usize) -> Option<(MapUnit, usize)> {
        let before = self.units.partition_point(|unit| unit.raw.start < at);
        let unit = self.units.get(before.checked_sub(1)?)?;
        let n_steps = unit.step.map_or(0, |step| {
            (at.min(unit.raw.end) - unit.raw.start) / usize::from(step.raw.max(1))
        });
        Some((unit, n_steps))
    }

    /// Returns the unit that ends at the raw offset `at`, if one does; in a run, the character that
    /// does.
    pub fn unit_ending_at(&self, at: usize) -> Option<MapUnit> {
        let unit = match self.before_raw(at)? {
            (unit, 0) => unit,
            (run, n_steps) => run.character(n_steps),
        };
        Some(unit).filter(|unit| unit.raw.end == at)
    }

    /// Returns the indivisible unit that begins at the raw offset `at`, if one does.
    pub(crate) fn whole_unit_at(&self, at: usize) -> Option<MapUnit> {
        let before = self.units.partition_point(|unit| unit.raw.start < at);
        let unit = self.units.get(before);
        unit.filter(|unit| unit.raw.start == at && unit.step.is_none())
    }

    /// Returns the offset at which an edit at the raw offset `at` must begin so that an invalid
    /// byte before it does not join new text to a character: the offset of that byte, also with a
    /// digit after it, which may be the second byte of four (gb18030).
    pub(crate) fn after_invalid(&self, raw: &[u8], at: usize) -> usize {
        let is_invalid = |unit: &MapUnit| unit.is_invalid;
        let n_digits = usize::from(at > 0 && raw[at - 1].is_ascii_digit());
        let unit = self.unit_ending_at(at).filter(is_invalid);
        unit.or_else(|| self.unit_ending_at(at - n_digits).filter(is_invalid))
            .map_or(at, |unit| unit.raw.start)
    }

    /// Returns the decoded offset of a raw offset that is a border.
    pub fn decoded_of(&self, at: usize) -> usize {
        match self.before_raw(at) {
            None => at,
            Some((unit, _)) if unit.raw.end <= at => unit.decoded.end + (at - unit.raw.end),
            Some((unit, n_steps)) => unit.border(n_steps).1,
        }
    }
}

/// A decoded text with the map back to its raw bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text; borrowed if nothing was escaped.
    pub text: Cow<'a, str>,
    /// The map from offsets in `text` to offsets in the raw bytes.
    pub map: Map,
}

impl<'a> Decoded<'a> {
    /// Creates a text that is in its raw bytes unchanged.
    pub fn plain(text: &'a str) -> Self {
        Decoded { text: Cow::Borrowed(text), map: Map::IDENTITY }
    }

    /// Returns the bytes of memory that the text and its map were given.
    pub fn memory(&self) -> usize {
        let text = match &self.text {
            Cow::Owned(text) => text.capacity(),
            Cow::Borrowed(_) => 0,
        };
        text + self.map.units.memory()
    }
}

/// A builder of a decoded text and its units, from left to right.
#[derive(Default)]
pub(crate) struct Builder {
    text: String,
    units: Units,
}

impl Builder {
    pub(crate) fn with_capacity(len: usize) -> Self {
        Builder::with_capacities(len, 0)
    }

    pub(crate) fn with_capacities(len: usize, n_units: usize) -> Self {
        Builder { text: String::with_capacity(len), units: Units::with_capacity(n_units) }
    }

    /// Appends text that is in the raw bytes unchanged.
    pub(crate) fn plain(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends what the raw bytes from `at` on decode to.
    pub(crate) fn decoded(&mut self, at: usize, decoded: &Decoded<'_>) {
        let start = self.text.len();
        self.text.push_str(&decoded.text);
        for unit in decoded.map.units() {
            let (decoded, raw) = (unit.decoded.shifted(start), unit.raw.shifted(at));
            self.units.push(MapUnit { decoded, raw, ..unit });
        }
    }

    /// Appends a unit: the raw bytes in `raw` decode to `text`.
    pub(crate) fn unit(&mut self, raw: Span, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        let decoded = Span::new(start, self.text.len());
        self.units.push(MapUnit { decoded, raw, is_invalid: false, step: None });
    }

    /// Appends a unit of invalid bytes, shown as percent-escapes.
    pub(crate) fn invalid_bytes(&mut self, raw: &[u8], span: Span) {
        let decoded = self.escapes(span.slice(raw));
        self.units.push(MapUnit { decoded, raw: span, is_invalid: true, step: None });
    }

    /// Appends invalid bytes of UTF-8, each shown as a percent-escape; they make a run.
    pub(crate) fn invalid_utf8(&mut self, raw: &[u8], span: Span) {
        let decoded = self.escapes(span.slice(raw));
        let step = Some(Step { decoded: 3, raw: 1 });
        self.extend(MapUnit { decoded, raw: span, is_invalid: true, step });
    }

    /// Appends percent-escapes of bytes. Returns their span.
    fn escapes(&mut self, bytes: &[u8]) -> Span {
        let start = self.text.len();
        for byte in bytes {
            let [high, low] = [byte >> 4, byte & 0xF].map(|digit| HEX_DIGITS[usize::from(digit)]);
            self.text.extend(['%', char::from(high), char::from(low)]);
        }
        Span::new(start, self.text.len())
    }

    /// Appends characters of one step each, to which the raw bytes in `raw` decode. They extend a
    /// run that ends right before them.
    pub(crate) fn run(&mut self, raw: Span, chars: impl Iterator<Item = char>, step: Step) {
        let start = self.text.len();
        self.text.extend(chars);
        let decoded = Span::new(start, self.text.len());
        self.extend(MapUnit { decoded, raw, is_invalid: false, step: Some(step) });
    }

    /// Appends a run, which may be the rest of the one before.
    fn extend(&mut self, run: MapUnit) {
        let last = self.units.len().checked_sub(1).and_then(|idx| self.units.get(idx));
        match last {
            _ if run.raw.is_empty() => {}
            Some(last) if last.is_continued_by(&run) => {
                let raw = Span::new(last.raw.start, run.raw.end);
                let decoded = Span::new(last.decoded.start, run.decoded.end);
                self.units.replace_last(MapUnit { decoded, raw, ..last });
            }
            _ => self.units.push(run),
        }
    }

    /// Appends one character; consecutive ones of the same lengths make a run.
    pub(crate) fn character(&mut self, raw: Span, char: char) {
        match (u8::try_from(char.len_utf8()), u8::try_from(raw.len())) {
            (Ok(decoded), Ok(length)) => {
                self.run(raw, std::iter::once(char), Step { decoded, raw: length });
            }
            _ => self.unit(raw, char.encode_utf8(&mut [0; 4])),
        }
    }

    pub(crate) fn finish<'a>(self) -> Decoded<'a> {
        Decoded { text: Cow::Owned(self.text), map: Map { units: self.units } }
    }
}
