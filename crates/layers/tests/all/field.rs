//! The law of lifting in header fields: decoding the raw value with the lifted edits applied gives
//! the decoded text with the edits applied; an edit that cannot be written is refused as a whole.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::RngSeed;
use relink_layers::field::Blanks;
use relink_layers::{Charset, Edit, Edits, Guards, Layer, Span};

/// The pieces of generated values.
const WORDS: &[&[u8]] = &[
    b"=?utf-8?Q?a=C3=A9?=",
    b"=?us-ascii?B?Yg==?=",
    b"=?iso-8859-1*fr?q?_=3f?=",
    b"=?klingon?Q?a?=",
    b"=?utf-8?Q?a",
    b"=?",
    b"?=",
    b"?",
    b"=",
    b" ",
    b"\r\n ",
    b"\n\t",
    b"x",
    b"/",
    b"http://h/",
    b"<",
    b">",
    b"\xC3\xA9",
    b"\xE9",
    b"\0",
];

/// The new texts.
const TEXTS: &[&str] = &["", "y", "=", "?", "=?", "Q?", " ", "http://i/", "é", "\n", "%"];

fn case() -> impl Strategy<Value = (Blanks, Vec<u8>, Vec<Edit>)> {
    let raw = vec(select(WORDS), 0..8).prop_map(|words| words.concat());
    (select(vec![Blanks::Kept, Blanks::Dropped]), raw).prop_flat_map(|(blanks, raw)| {
        let text = Layer::Field(blanks).decode(&raw, Charset::UTF_8).text.into_owned();
        let borders = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let borders: Vec<usize> = borders.flat_map(|at| [at, at, at]).collect();
        let n_cuts = 0..=borders.len().min(6);
        let edits = (subsequence(borders, n_cuts), vec(vec(select(TEXTS), 0..3), 3)).prop_map(
            |(cuts, texts)| {
                let pairs = cuts.chunks_exact(2).zip(texts).enumerate();
                let edit = |(id, (cut, text)): (usize, (&[usize], Vec<&str>))| Edit {
                    span: Span::new(cut[0], cut[1]),
                    text: text.concat().into_bytes().into(),
                    id,
                };
                pairs.map(edit).collect::<Vec<_>>()
            },
        );
        (Just(blanks), Just(raw), edits)
    })
}

/// Returns the configuration of a property test: `RELINK_CASES` sets the number of cases,
/// `RELINK_SEED` the seed; without it the cases are the same on every machine.
fn cases(cases: u32) -> ProptestConfig {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let n_cases = number("RELINK_CASES").and_then(|cases| u32::try_from(cases).ok());
    let rng_seed = RngSeed::Fixed(number("RELINK_SEED").unwrap_or(2045));
    let cases = n_cases.unwrap_or(if cfg!(miri) { 10 } else { cases });
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(20_000))]

    #[test]
    fn lifting_and_decoding_commute((blanks, raw, edits) in case()) {
        let layer = Layer::Field(blanks);
        let decoded = layer.decode(&raw, Charset::UTF_8);
        let lifted = layer.lift(&raw, Charset::UTF_8, &decoded, &edits, Guards::default());
        let list = Edits::new(lifted.edits, raw.len()).expect("sorted and disjoint");
        let output = list.apply(&raw);
        let mut expected = decoded.text.to_string();
        for edit in edits.iter().rev() {
            if lifted.refused.iter().all(|(id, _)| *id != edit.id) {
                let new = String::from_utf8(edit.text.to_vec()).expect("the texts are UTF-8");
                expected.replace_range(edit.span.start..edit.span.end, &new);
            }
        }
        let read = layer.decode(&output, Charset::UTF_8);
        prop_assert_eq!(&*read.text, expected, "written: {}", output.escape_ascii());
        for edit in list.as_slice() {
            prop_assert!(edit.text.iter().all(u8::is_ascii), "{:?}", edit);
        }
    }
}
