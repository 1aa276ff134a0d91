//! Units: the stretches of a text that differ in its raw bytes; and the list of those of a map.
//!
//! Texts with many units are large, so offsets take 32 bits each; a text with longer offsets has a
//! list with whole ones.

use crate::Span;

/// The length of each character in a run of characters of equal length; or of each invalid byte of
/// UTF-8, shown as a percent-escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The length of a character in the decoded text, in bytes; not 0.
    pub decoded: u8,
    /// The length of a character in the raw bytes; not 0.
    pub raw: u8,
}

/// A stretch that differs in the raw bytes: `raw` decodes to `decoded`. There is no border inside,
/// or one at each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapUnit {
    /// Its span in the decoded text; empty for an escaped line break of CSS.
    pub decoded: Span,
    /// Its span in the raw bytes.
    pub raw: Span,
    /// True if the raw bytes are invalid in the charset, and are shown as percent-escapes.
    pub is_invalid: bool,
    /// The step, if the stretch is a run of characters: one per step. `None` if the unit is
    /// indivisible.
    pub step: Option<Step>,
}

impl MapUnit {
    /// Returns the raw and the decoded offset of the border inside that is `n` steps from the
    /// start.
    pub(crate) fn border(self, n: usize) -> (usize, usize) {
        let step = self.step.unwrap_or(Step { decoded: 0, raw: 0 });
        (
            self.raw.start + n * usize::from(step.raw),
            self.decoded.start + n * usize::from(step.decoded),
        )
    }

    /// Returns true if `next` is the rest of the same run.
    pub(crate) fn is_continued_by(self, next: &MapUnit) -> bool {
        self.step.is_some()
            && (self.step, self.is_invalid) == (next.step, next.is_invalid)
            && (self.raw.end, self.decoded.end) == (next.raw.start, next.decoded.start)
    }

    /// Returns the character of the run that ends `n` steps from the start; `n` is not 0.
    pub(crate) fn character(self, n: usize) -> MapUnit {
        let ((raw_start, start), (raw_end, end)) = (self.border(n - 1), self.border(n));
        MapUnit { decoded: Span::new(start, end), raw: Span::new(raw_start, raw_end), ..self }
    }
}

/// A unit whose offsets fit into 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Narrow {
    decoded: [u32; 2],
    raw: [u32; 2],
    is_invalid: bool,
    step: Option<Step>,
}

impl Narrow {
    fn new(unit: &MapUnit) -> Option<Self> {
        let MapUnit { decoded, raw, is_invalid, step } = *unit;
        let offsets =
            |span: Span| Some([u32::try_from(span.start).ok()?, u32::try_from(span.end).ok()?]);
        Some(Narrow { decoded: offsets(decoded)?, raw: offsets(raw)?, is_invalid, step })
    }

    fn unit(self) -> MapUnit {
        let span = |[start, end]: [u32; 2]| Span::new(start as usize, end as usize);
        let Narrow { decoded, raw, is_invalid, step } = self;
        MapUnit { decoded: span(decoded), raw: span(raw), is_invalid, step }
    }
}

/// Units, sorted and disjoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Units {
    Narrow(Vec<Narrow>),
    Wide(Vec<MapUnit>),
}

impl Default for Units {
    fn default() -> Self {
        Units::NONE
    }
}

impl Units {
    /// An empty list.
    pub(crate) const NONE: Units = Units::Narrow(Vec::new());

    pub(crate) fn with_capacity(len: usize) -> Self {
        Units::Narrow(Vec::with_capacity(len))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Units::Narrow(units) => units.len(),
            Units::Wide(units) => units.len(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes of memory that the list takes.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Units::Narrow(units) => units.capacity() * size_of::<Narrow>(),
            Units::Wide(units) => units.capacity() * size_of::<MapUnit>(),
        }
    }

    pub(crate) fn get(&self, idx: usize) -> Option<MapUnit> {
        match self {
            Units::Narrow(units) => units.get(idx).map(|unit| unit.unit()),
            Units::Wide(units) => units.get(idx).copied(),
        }
    }

    /// Returns the number of units at the start for which `is_before` returns true; it must return
    /// false for all others.
    pub(crate) fn partition_point(&self, is_before: impl Fn(&MapUnit) -> bool) -> usize {
        match self {
            Units::Narrow(units) => units.partition_point(|unit| is_before(&unit.unit())),
            Units::Wide(units) => units.partition_point(is_before),
        }
    }

    pub(crate) fn push(&mut self, unit: MapUnit) {
        match (&mut *self, Narrow::new(&unit)) {
            (Units::Narrow(units), Some(narrow)) => units.push(narrow),
            (Units::Wide(units), _) => units.push(unit),
            (Units::Narrow(_), None) => {
                self.widen();
                self.push(unit);
            }
        }
    }

    /// Replaces the last unit.
    pub(crate) fn replace_last(&mut self, unit: MapUnit) {
        match self {
            Units::Narrow(units) => drop(units.pop()),
            Units::Wide(units) => drop(units.pop()),
        }
        self.push(unit);
    }

    /// Gives all units whole offsets.
    #[cold]
    fn widen(&mut self) {
        if let Units::Narrow(units) = self {
            *self = Units::Wide(units.iter().map(|unit| unit.unit()).collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_with_long_offsets_are_the_same() {
        let at = |start: usize| {
            let (decoded, raw) = (Span::new(start, start + 1), Span::new(2 * start, 2 * start + 6));
            let step = start.is_multiple_of(2).then_some(Step { decoded: 1, raw: 6 });
            MapUnit { decoded, raw, is_invalid: start.is_multiple_of(3), step }
        };
        let starts: Vec<usize> =
            (0..40).map(|n| n << 28).chain([1 << 40, usize::MAX >> 2]).collect();
        let mut units = Units::with_capacity(1);
        for (n, start) in starts.iter().enumerate() {
            units.push(at(*start));
            assert_eq!(units.len(), n + 1);
            assert!((0..=n).all(|idx| units.get(idx) == Some(at(starts[idx]))));
            assert_eq!(units.partition_point(|unit| unit.decoded.start < *start), n);
            units.replace_last(at(start + 1));
            assert_eq!(units.get(n), Some(at(start + 1)));
            units.replace_last(at(*start));
        }
        assert!(matches!(units, Units::Wide(_)) && units.get(starts.len()).is_none());
    }
}
