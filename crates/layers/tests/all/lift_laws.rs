//! The law of lifting: decoding the raw bytes with the lifted edits applied gives the decoded text
//! with the edits applied; the result is legal in place of the raw bytes; an edit that cannot be
//! written is refused as a whole.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::RngSeed;
use relink_layers::{
    Charset, Decoded, Edit, Edits, Guards, Layer, MarkdownForm, Quote, Span, Unliftable,
};

use crate::generate;

/// The new texts.
#[rustfmt::skip]
const TEXTS: &[&str] = &[
    "", "a", "1", "41", "f", "x", ";", "amp;", "&", "&amp;", "#", "=", "\\", "\"", "'", " ", "\n", "\t", "<", ">", "(", ")", "%", "/", "http://h/", "é", "日",
    "\r", "`", "[", "]", "-", "-- ", "¥", "‾", "©", "\u{7F}", "@", "|", "0", "ｱ", "가", "語", "~", "{", "}", "\u{1B}", "$B", "\u{E}", "😀",
];

/// Generates edits of `decoded.text`, sorted and disjoint, on character boundaries.
fn edits(decoded: &Decoded<'_>) -> impl Strategy<Value = Vec<Edit>> + use<> {
    let len = decoded.text.len();
    let borders = decoded.text.char_indices().map(|(at, _)| at).chain([len]);
    // Each border occurs three times, so that edits may touch, and several insertions may be at one
    // offset.
    let borders: Vec<usize> = borders.flat_map(|at| [at, at, at]).collect();
    let n_cuts = 0..=borders.len().min(8);
    (subsequence(borders, n_cuts), vec(vec(select(TEXTS), 0..3), 4)).prop_map(|(cuts, texts)| {
        let pairs = cuts.chunks_exact(2).zip(texts).enumerate();
        let edit = |(id, (cut, text)): (usize, (&[usize], Vec<&str>))| Edit {
            span: Span::new(cut[0], cut[1]),
            text: text.concat().into_bytes().into(),
            id,
        };
        pairs.map(edit).collect()
    })
}

/// Generates raw bytes of a layer in a charset, with edits of the decoded text.
fn case() -> impl Strategy<Value = (Layer, Charset, Vec<u8>, Vec<Edit>)> {
    with_edits(generate::any())
}

fn with_edits(
    texts: impl Strategy<Value = (Layer, Charset, Vec<u8>)>,
) -> impl Strategy<Value = (Layer, Charset, Vec<u8>, Vec<Edit>)> {
    texts.prop_flat_map(|(layer, charset, raw)| {
        let edits = edits(&layer.decode(&raw, charset));
        (Just(layer), Just(charset), Just(raw), edits)
    })
}

/// Returns the text with the edits applied that are not refused.
fn edited(decoded: &Decoded<'_>, edits: &[Edit], refused: &[(usize, Unliftable)]) -> String {
    let mut text = decoded.text.to_string();
    for edit in edits.iter().rev() {
        if refused.iter().all(|(id, _)| *id != edit.id) {
            let new = String::from_utf8(edit.text.to_vec()).expect("the texts are UTF-8");
            text.replace_range(edit.span.start..edit.span.end, &new);
        }
    }
    text
}

/// Returns true if an edit of a `format=flowed` text may be impossible: a line begins or ends with
/// a character that determines how lines flow.
fn may_change_flow(decoded: &Decoded<'_>, edit: &Edit) -> bool {
    let text = &decoded.text;
    let (before, after) = (&text[..edit.span.start], &text[edit.span.end..]);
    let output = [before, &String::from_utf8_lossy(&edit.text), after].concat();
    let ends_with_space = |text: &str| text.lines().any(|line| line.ends_with(' '));
    let cut = &text[edit.span.start..edit.span.end];
    output.contains("--")
        || ends_with_space(text)
        || ends_with_space(&output)
        || text.contains('\r')
        || cut.contains('\n')
}

/// Returns the configuration of a property test: `RELINK_CASES` sets the number of cases,
/// `RELINK_SEED` the seed; without it the cases are the same on every machine.
fn cases() -> ProptestConfig {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let cases = number("RELINK_CASES").and_then(|cases| u32::try_from(cases).ok());
    let rng_seed = RngSeed::Fixed(number("RELINK_SEED").unwrap_or(1808));
    let cases = cases.unwrap_or(if cfg!(miri) { 5 } else { 20_000 });
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

/// Checks the law for one list of edits.
fn check(layer: Layer, charset: Charset, raw: &[u8], edits: &[Edit]) -> Result<(), TestCaseError> {
    prop_assert!(generate::is_legal(layer, raw), "the case is not legal");
    let decoded = layer.decode(raw, charset);
    let lifted = layer.lift(raw, charset, &decoded, edits, Guards::default());
    let list = Edits::new(lifted.edits, raw.len());
    prop_assert!(list.is_ok(), "{:?}", list);
    let list = list.expect("sorted and disjoint");
    let output = list.apply(raw);
    let shown = output.escape_ascii();
    let expected = edited(&decoded, edits, &lifted.refused);
    let read = generate::read(layer, charset, &output);
    prop_assert_eq!(read, Some(expected), "written: {}", shown);
    prop_assert!(list.explain(raw, &output));
    for edit in list.as_slice() {
        prop_assert!(
            edit.span.is_empty() || edit.span.slice(raw) != &*edit.text,
            "an edit of nothing"
        );
        prop_assert!(lifted.refused.iter().all(|(id, _)| *id != edit.id), "refused and done");
    }
    Ok(())
}

/// Characters with and without a meaning in a value.
const IN_A_VALUE: &[char] =
    &['a', 'm', 'p', 'x', 'z', '&', ';', '#', '"', '\'', '<', '>', ' ', 'é'];

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn lifting_and_decoding_commute((layer, charset, raw, edits) in case()) {
        check(layer, charset, &raw, &edits)?;
    }

    #[test]
    fn lifting_and_decoding_commute_in_charsets_read_as_a_whole(
        (layer, charset, raw, edits) in with_edits(generate::whole()),
    ) {
        check(layer, charset, &raw, &edits)?;
    }

    #[test]
    fn without_edits_nothing_is_written((layer, charset, raw, _) in case()) {
        let decoded = layer.decode(&raw, charset);
        let lifted = layer.lift(&raw, charset, &decoded, &[], Guards::default());
        prop_assert!(lifted.edits.is_empty() && lifted.refused.is_empty());
    }

    /// Layers other than whole documents decode charsets that are read as a whole to any text, and
    /// lift nothing in them.
    #[test]
    fn other_layers_lift_nothing_in_charsets_read_as_a_whole(
        (layer, (_, charset, raw)) in (select(&generate::LAYERS[1..5]), generate::whole()),
        text in select(TEXTS),
    ) {
        let decoded = layer.decode(&raw, charset);
        let edit = Edit { span: Span::new(0, 0), text: text.as_bytes().into(), id: 0 };
        let lifted = layer.lift(&raw, charset, &decoded, &[edit], Guards::default());
        prop_assert_eq!(lifted.refused, vec![(0, Unliftable::Charset)]);
        prop_assert!(lifted.edits.is_empty());
    }

    /// A single edit can always be written in UTF-8; otherwise it is refused only if the charset
    /// lacks a character, or the layer cannot represent all texts.
    #[test]
    fn a_single_edit_is_refused_for_a_character_only((layer, charset, raw, edits) in case()) {
        let decoded = layer.decode(&raw, charset);
        for edit in edits {
            let is_none_here = |reason: Unliftable| match (layer, reason) {
                (Layer::Wrapped, Unliftable::Unencodable(char)) => char.is_whitespace(),
                (Layer::Flowed { .. }, Unliftable::Unencodable(char)) => "\r\n".contains(char),
                (Layer::Flowed { .. }, Unliftable::Flow) => may_change_flow(&decoded, &edit),
                (Layer::Markdown(MarkdownForm::Bare), Unliftable::Empty) => {
                    edit.text.is_empty() && edit.span.len() == decoded.text.len()
                }
                _ => false,
            };
            let edits = std::slice::from_ref(&edit);
            let lifted = layer.lift(&raw, charset, &decoded, edits, Guards::default());
            let is_character = |(_, reason): &(usize, Unliftable)| {
                let is_xml = matches!(layer, Layer::Xml(..) | Layer::CData);
                let is_control =
                    |reason| matches!(reason, Unliftable::Unencodable('\0'..='\x1F'));
                is_xml && is_control(*reason)
                    || charset != Charset::UTF_8 && matches!(reason, Unliftable::Unencodable(_))
                    || charset.reads_as_whole() && *reason == Unliftable::Charset
                    || is_none_here(*reason)
            };
            prop_assert!(lifted.refused.iter().all(is_character), "{:?}", lifted.refused);
        }
    }

    /// ASCII in place of plain ASCII, far from everything else, is written in any charset, and
    /// changes nothing else.
    #[test]
    fn plain_text_is_edited_in_its_place((layer, charset, raw) in generate::bytewise(), n_dots in 41..60usize) {
        let mut raw = raw;
        let start = raw.len() + n_dots;
        raw.resize(start + n_dots, b'.');
        let decoded = layer.decode(&raw, charset);
        let at = decoded.text.len() - n_dots;
        let edit = Edit { span: Span::new(at, at + 1), text: b"a/b"[..].into(), id: 3 };
        let lifted = layer.lift(&raw, charset, &decoded, &[edit], Guards::default());
        let expected = Edit { span: Span::new(start, start + 1), text: b"a/b"[..].into(), id: 3 };
        prop_assert_eq!(lifted.edits, vec![expected]);
    }

    /// An attribute without a value gets a value in double quotes.
    #[test]
    fn a_missing_value_is_written_in_quotes(text in vec(select(IN_A_VALUE), 1..9).prop_map(String::from_iter)) {
        for (quote, front) in [(Quote::Missing, "\""), (Quote::NameOnly, "=\"")] {
            let layer = Layer::Attribute(quote);
            let decoded = layer.decode(b"", Charset::UTF_8);
            prop_assert_eq!(&*decoded.text, "");
            let edit = Edit { span: Span::new(0, 0), text: text.as_bytes().into(), id: 0 };
            let lifted = layer.lift(b"", Charset::UTF_8, &decoded, &[edit], Guards::default());
            let output = Edits::new(lifted.edits, 0).expect("one edit").apply(b"");
            let output = String::from_utf8(output).expect("it is UTF-8");
            let value = output.strip_prefix(front).and_then(|rest| rest.strip_suffix('"'));
            let value = value.expect("the value is quoted");
            let double = Layer::Attribute(Quote::Double);
            prop_assert!(generate::is_legal(double, value.as_bytes()), "{}", value);
            prop_assert_eq!(&*double.decode(value.as_bytes(), Charset::UTF_8).text, &text);
        }
    }
}
