//! The map from decoded offsets to raw offsets.
//!
//! Most of a text stands in its raw bytes as it is; only *units* (a character reference, a CSS escape, a character of an old charset) differ.
//! A [`Map`] lists the units; between them the offsets run side by side. A map without units is the identity and costs nothing.
//!
//! Invariant: units are sorted and disjoint on both sides.

use std::borrow::Cow;

use crate::Span;

/// A stretch that is written differently in the raw bytes: `raw` decodes to `decoded`, and no border lies inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Where it stands in the decoded text; empty for an escaped line break of CSS.
    pub decoded: Span,
    /// Where it stands in the raw bytes.
    pub raw: Span,
    /// Whether the raw bytes are no character of the charset, and are shown as percent-escapes.
    pub is_invalid: bool,
}

/// From offsets in a decoded text to offsets in the raw bytes that it was decoded from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map {
    units: Vec<Unit>,
}

/// A decoded span on its way out, widened to whole units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widened {
    /// The smallest raw span of whole units whose decoding holds the asked span.
    pub raw: Span,
    /// What `raw` decodes to: the asked span, or more.
    pub decoded: Span,
}

impl Map {
    /// The map of a text that stands in its raw bytes as it is.
    pub const IDENTITY: Map = Map { units: Vec::new() };

    /// The map with these units, which are sorted and disjoint on both sides.
    pub(crate) fn from_units(units: Vec<Unit>) -> Map {
        Map { units }
    }

    /// Whether decoded offsets are raw offsets.
    pub fn is_identity(&self) -> bool {
        self.units.is_empty()
    }

    /// The units, in order.
    pub fn units(&self) -> &[Unit] {
        &self.units
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

    /// Raw and decoded offset of the border at or before `at`, after units that decode to nothing.
    fn start_of(&self, at: usize) -> (usize, usize) {
        let before = self.units.partition_point(|unit| unit.decoded.start <= at);
        match before.checked_sub(1).map(|idx| self.units[idx]) {
            None => (at, at),
            Some(unit) if at < unit.decoded.end => (unit.raw.start, unit.decoded.start),
            Some(unit) => (unit.raw.end + (at - unit.decoded.end), at),
        }
    }

    /// Raw and decoded offset of the border at or after `at`, before units that decode to nothing.
    fn end_of(&self, at: usize) -> (usize, usize) {
        let before = self.units.partition_point(|unit| unit.decoded.start < at);
        match before.checked_sub(1).map(|idx| self.units[idx]) {
            None => (at, at),
            Some(unit) if at <= unit.decoded.end => (unit.raw.end, unit.decoded.end),
            Some(unit) => (unit.raw.end + (at - unit.decoded.end), at),
        }
    }

    /// The unit that ends at the raw offset `at`, if one does.
    pub fn unit_ending_at(&self, at: usize) -> Option<Unit> {
        let before = self.units.partition_point(|unit| unit.raw.end <= at);
        before.checked_sub(1).map(|idx| self.units[idx]).filter(|unit| unit.raw.end == at)
    }

    /// The unit that begins at the raw offset `at`, if one does.
    pub(crate) fn unit_starting_at(&self, at: usize) -> Option<Unit> {
        let before = self.units.partition_point(|unit| unit.raw.start < at);
        self.units.get(before).copied().filter(|unit| unit.raw.start == at)
    }

    /// Where the last unit that ends at the raw offset `at` or before it ends; 0 if none does.
    pub(crate) fn unit_ending_before(&self, at: usize) -> usize {
        let before = self.units.partition_point(|unit| unit.raw.end <= at);
        before.checked_sub(1).map_or(0, |idx| self.units[idx].raw.end)
    }

    /// Where an edit that begins at the raw offset `at` must begin so that nothing new is drawn into a character by a byte before it
    /// that is none: at that byte, or before it and a digit, which may be the second byte of four (gb18030).
    pub(crate) fn after_invalid(&self, raw: &[u8], at: usize) -> usize {
        let is_invalid = |unit: &Unit| unit.is_invalid;
        let n_digits = usize::from(at > 0 && raw[at - 1].is_ascii_digit());
        let unit = self.unit_ending_at(at).filter(is_invalid);
        unit.or_else(|| self.unit_ending_at(at - n_digits).filter(is_invalid))
            .map_or(at, |unit| unit.raw.start)
    }

    /// The decoded offset of a raw offset that lies on a border.
    pub fn decoded_of(&self, at: usize) -> usize {
        let before = self.units.partition_point(|unit| unit.raw.end <= at);
        match before.checked_sub(1).map(|idx| self.units[idx]) {
            None => at,
            Some(unit) => unit.decoded.end + (at - unit.raw.end),
        }
    }
}

/// A text with the map back to the bytes that it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text; borrowed where nothing was escaped.
    pub text: Cow<'a, str>,
    /// From offsets in `text` to offsets in the raw bytes.
    pub map: Map,
}

impl<'a> Decoded<'a> {
    /// A text that stands in its raw bytes as it is.
    pub fn plain(text: &'a str) -> Self {
        Decoded { text: Cow::Borrowed(text), map: Map::IDENTITY }
    }
}

/// Collects a decoded text and its units from left to right.
#[derive(Default)]
pub(crate) struct Builder {
    text: String,
    units: Vec<Unit>,
}

impl Builder {
    pub(crate) fn with_capacity(len: usize) -> Self {
        Builder { text: String::with_capacity(len), units: Vec::new() }
    }

    /// Text that stands in the raw bytes as it is.
    pub(crate) fn plain(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// A unit: `text` is what the raw bytes in `raw` decode to.
    pub(crate) fn unit(&mut self, raw: Span, text: &str) {
        self.push(raw, text, false);
    }

    /// A unit of bytes that are no character; `text` shows them.
    pub(crate) fn invalid(&mut self, raw: Span, text: &str) {
        self.push(raw, text, true);
    }

    fn push(&mut self, raw: Span, text: &str, is_invalid: bool) {
        let start = self.text.len();
        self.text.push_str(text);
        self.units.push(Unit { decoded: Span::new(start, self.text.len()), raw, is_invalid });
    }

    pub(crate) fn finish<'a>(self) -> Decoded<'a> {
        Decoded { text: Cow::Owned(self.text), map: Map { units: self.units } }
    }
}
