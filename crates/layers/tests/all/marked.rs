//! A notation for a raw text and its decoding: `a{&amp;→&}b` is the raw text `a&amp;b`, the text
//! `a&b`, and one unit.

use relink_layers::{Decoded, MapUnit, Span};

/// A raw text, its decoded text and its units.
pub(crate) struct Marked {
    pub(crate) raw: String,
    pub(crate) text: String,
    pub(crate) units: Vec<MapUnit>,
}

impl Marked {
    /// Parses `{raw→text}` as a unit, and everything else as plain text.
    pub(crate) fn parse(marked: &str) -> Marked {
        let (mut raw, mut text, mut units) = (String::new(), String::new(), Vec::new());
        let mut rest = marked;
        while let Some((plain, unit)) = rest.split_once('{') {
            let (from, unit) = unit.split_once('→').expect("a unit has an arrow");
            let (to, after) = unit.split_once('}').expect("a unit is closed");
            raw.push_str(plain);
            text.push_str(plain);
            units.push(MapUnit {
                decoded: Span::new(text.len(), text.len() + to.len()),
                raw: Span::new(raw.len(), raw.len() + from.len()),
                is_invalid: false,
                step: None,
            });
            raw.push_str(from);
            text.push_str(to);
            rest = after;
        }
        raw.push_str(rest);
        text.push_str(rest);
        Marked { raw, text, units }
    }

    /// Asserts that `decoded` has this text and these units.
    #[track_caller]
    pub(crate) fn assert_is(&self, decoded: &Decoded<'_>) {
        assert_eq!(decoded.text, self.text, "{:?}", self.raw);
        assert_eq!(decoded.map.units(), self.units, "{:?}", self.raw);
    }
}
