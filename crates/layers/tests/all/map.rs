//! The map: widening to whole units against a naive model that lists every border, and the
//! identity.

use proptest::prelude::*;
use relink_layers::{
    Charset, CssForm, Decoded, Layer, Map, MapUnit, Quote, Span, Step, Widened, css,
};

use crate::generate;
use crate::marked::Marked;

/// Returns every border as (raw offset, decoded offset), in order: all offsets outside units, the
/// two ends of each unit, and each step inside.
fn borders(units: &[MapUnit], raw_len: usize) -> Vec<(usize, usize)> {
    let (mut raw, mut decoded) = (0, 0);
    let mut borders = vec![(0, 0)];
    for unit in units {
        while raw < unit.raw.start {
            (raw, decoded) = (raw + 1, decoded + 1);
            borders.push((raw, decoded));
        }
        while let Some(step) = unit.step
            && raw + usize::from(step.raw) < unit.raw.end
        {
            (raw, decoded) = (raw + usize::from(step.raw), decoded + usize::from(step.decoded));
            borders.push((raw, decoded));
        }
        (raw, decoded) = (unit.raw.end, unit.decoded.end);
        borders.push((raw, decoded));
    }
    while raw < raw_len {
        (raw, decoded) = (raw + 1, decoded + 1);
        borders.push((raw, decoded));
    }
    borders
}

/// Widens a span as the model does: to the last border at or before the start, and the first at or
/// after the end; an insertion at a border remains one.
fn widened(borders: &[(usize, usize)], span: Span) -> Widened {
    let last = |border: &&(usize, usize)| border.1 <= span.start;
    let start = *borders.iter().rev().find(last).expect("0 is a border");
    if span.is_empty() && start.1 == span.start {
        return Widened { raw: Span::new(start.0, start.0), decoded: span };
    }
    let first = |border: &&(usize, usize)| border.1 >= span.end;
    let end = *borders.iter().find(first).expect("the end is a border");
    Widened { raw: Span::new(start.0, end.0), decoded: Span::new(start.1, end.1) }
}

/// Checks that a span of the decoded text is widened to `raw`, which decodes to `decoded`.
#[track_caller]
fn check(marked: &str, span: (usize, usize), raw: &str, decoded: &str) {
    let marked = Marked::parse(marked);
    let read = css::decode(&marked.raw, CssForm::DoubleQuoted);
    marked.assert_is(&read);
    let widened = read.map.widen(Span::new(span.0, span.1));
    assert_eq!(&marked.raw[widened.raw.start..widened.raw.end], raw);
    assert_eq!(&marked.text[widened.decoded.start..widened.decoded.end], decoded);
}

#[test]
fn a_span_is_widened_to_whole_units() {
    check(r"ab{\29→)}xy", (0, 1), "a", "a");
    check(r"ab{\29→)}xy", (1, 3), r"b\29", "b)");
    check(r"ab{\29→)}xy", (2, 3), r"\29", ")");
    check(r"ab{\29→)}xy", (3, 5), "xy", "xy");
    check(r"ab{\e9→é}xy", (3, 3), r"\e9", "é");
    check(r"ab{\e9→é}xy", (3, 5), r"\e9x", "éx");
    check(r"ab{\e9→é}xy", (2, 2), "", "");
    check(r"ab{\e9→é}xy", (4, 4), "", "");
    check(r"{\29→)}{\28→(}", (0, 2), r"\29\28", ")(");
    check(r"{\29→)}{\28→(}", (1, 2), r"\28", "(");
}

#[test]
fn units_that_decode_to_nothing_are_left_out_at_the_ends() {
    check("a{\\\n→}b", (0, 1), "a", "a");
    check("a{\\\n→}b", (1, 2), "b", "b");
    check("a{\\\n→}b", (0, 2), "a\\\nb", "ab");
    check("a{\\\n→}b", (1, 1), "", "");
    check("{\\\n→}{\\\n→}b{\\\n→}", (0, 1), "b", "b");
}

#[test]
fn the_identity_changes_no_span() {
    assert!(Map::IDENTITY.is_identity() && Map::IDENTITY.units().is_empty());
    let plain = Decoded::plain("abc");
    for (start, end) in [(0, 0), (0, 3), (1, 2), (3, 3)] {
        let span = Span::new(start, end);
        assert_eq!(plain.map.widen(span), Widened { raw: span, decoded: span });
        assert_eq!(plain.map.decoded_of(start), start);
        assert_eq!(plain.map.unit_ending_at(end), None);
    }
}

fn decoded() -> impl Strategy<Value = (Layer, Charset, Vec<u8>)> {
    generate::any()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 10 } else { 3_000 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn units_are_sorted_disjoint_and_inside((layer, charset, raw) in decoded()) {
        let decoded = layer.decode(&raw, charset);
        let (mut at, mut to) = (0, 0);
        for unit in decoded.map.units() {
            prop_assert!(at <= unit.raw.start && unit.raw.start < unit.raw.end);
            prop_assert!(unit.decoded.start <= unit.decoded.end);
            // The bytes between two units are the same on both sides.
            let gap = Span::new(to, unit.decoded.start);
            prop_assert_eq!(&raw[at..unit.raw.start], gap.slice(decoded.text.as_bytes()));
            (at, to) = (unit.raw.end, unit.decoded.end);
        }
        prop_assert!(at <= raw.len() && to <= decoded.text.len());
        prop_assert_eq!(&raw[at..], decoded.text[to..].as_bytes());
    }

    #[test]
    fn widening_is_as_in_the_model((layer, charset, raw) in decoded()) {
        let decoded = layer.decode(&raw, charset);
        let borders = borders(&decoded.map.units(), raw.len());
        let len = decoded.text.len();
        for start in 0..=len {
            for end in start..=len {
                let span = Span::new(start, end);
                let got = decoded.map.widen(span);
                prop_assert_eq!(got, widened(&borders, span), "{:?}", span);
                prop_assert!(got.raw.end <= raw.len());
                prop_assert!(got.decoded.start <= start && end <= got.decoded.end);
            }
        }
    }

    #[test]
    fn widening_is_monotone((layer, charset, raw) in decoded()) {
        let decoded = layer.decode(&raw, charset);
        let len = decoded.text.len();
        for at in 1..=len {
            let [before, after] = [at - 1, at].map(|at| decoded.map.widen(Span::new(at, at)).raw);
            prop_assert!(before.start <= after.start);
            let [shorter, longer] = [at - 1, at].map(|at| decoded.map.widen(Span::new(0, at)).raw);
            prop_assert!(shorter.end <= longer.end);
        }
    }

    #[test]
    fn raw_borders_map_back((layer, charset, raw) in decoded()) {
        let decoded = layer.decode(&raw, charset);
        for (at, expected) in borders(&decoded.map.units(), raw.len()) {
            prop_assert_eq!(decoded.map.decoded_of(at), expected);
        }
        for at in 0..=raw.len() {
            let units = decoded.map.units();
            let expected = units.iter().find(|unit| unit.raw.start < at && at <= unit.raw.end);
            let expected = expected.and_then(|unit| match unit.step {
                None => Some(*unit).filter(|unit| unit.raw.end == at),
                Some(step) => ((at - unit.raw.start) % usize::from(step.raw) == 0).then(|| {
                    let end = decoded.map.decoded_of(at);
                    let raw = Span::new(at - usize::from(step.raw), at);
                    MapUnit { raw, decoded: Span::new(end - usize::from(step.decoded), end), ..*unit }
                }),
            });
            prop_assert_eq!(decoded.map.unit_ending_at(at), expected);
        }
    }

    /// A run has as many characters on both sides, all of one length.
    #[test]
    fn steps_divide_their_units((layer, charset, raw) in decoded()) {
        let decoded = layer.decode(&raw, charset);
        for unit in decoded.map.units() {
            let Some(step) = unit.step else { continue };
            let text = &decoded.text[unit.decoded.start..unit.decoded.end];
            if unit.is_invalid {
                let escapes: String =
                    unit.raw.slice(&raw).iter().map(|byte| format!("%{byte:02X}")).collect();
                prop_assert_eq!((text, step), (&*escapes, Step { decoded: 3, raw: 1 }));
                continue;
            }
            prop_assert!(text.chars().all(|char| char.len_utf8() == usize::from(step.decoded)));
            prop_assert_eq!(unit.raw.len(), text.chars().count() * usize::from(step.raw));
        }
        let units = decoded.map.units();
        let joined = units.windows(2).find(|units| {
            units[0].step.is_some()
                && units[0].step == units[1].step
                && units[0].raw.end == units[1].raw.start
        });
        prop_assert_eq!(joined, None);
    }
}

#[test]
fn every_layer_is_generated() {
    assert!(generate::LAYERS.contains(&Layer::Attribute(Quote::None)));
    for layer in generate::LAYERS {
        assert!(generate::is_legal(layer, b"a"));
        assert_eq!(generate::read(layer, Charset::UTF_8, b"a").as_deref(), Some("a"));
    }
}
