//! Base64: decoding, and lifting of edits.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use relink_layers::base64::{Base64Body, decode, lift};
use relink_layers::{Edit, Edits, Lifted, LineEnd, Span, Unliftable};

#[test]
fn decoding() {
    for (raw, bytes) in [
        ("", ""),
        ("TQ==", "M"),
        ("TWE=", "Ma"),
        ("TWFu", "Man"),
        ("TWFu\r\nTWFu\r\n", "ManMan"),
        ("T W\tF u", "Man"),
        ("TWE", "Ma"),
        ("TQ==TWFu", "MMan"),
        ("TWFu!TQ--", "ManM"),
        ("=", ""),
        ("T", ""),
    ] {
        assert_eq!(String::from_utf8_lossy(&decode(raw.as_bytes()).bytes), bytes, "{raw}");
    }
}

#[track_caller]
fn lifts(raw: &str, span: (usize, usize), text: &str, expected: &str) {
    let edit = Edit { span: Span::new(span.0, span.1), text: text.as_bytes().into(), id: 0 };
    let Lifted { edits, refused } =
        lift(raw.as_bytes(), &decode(raw.as_bytes()), &[edit], LineEnd::Lf);
    assert_eq!(refused, []);
    let found = Edits::new(edits, raw.len()).expect("in order").apply(raw.as_bytes());
    assert_eq!(String::from_utf8_lossy(&found), expected);
}

#[test]
fn lifting() {
    // The same length: only the touched groups change.
    lifts("TWFu\nTWFu\nTWFu\n", (3, 4), "X", "TWFu\nWGFu\nTWFu\n");
    // Otherwise everything from there on changes, in the lines of the body.
    lifts("TWFu\r\nTWFu\r\nTQ==\r\n", (1, 2), "", "TW5N\r\nYW5N\r\n");
    lifts("TWFu\r\nTWFu\r\n\r\n", (6, 6), "Man", "TWFu\r\nTWFu\r\nTWFu\r\n\r\n");
    // A single line remains one, and an unpadded body remains so.
    lifts("TWFuTWE", (0, 1), "MM", "TU1hbk1h");
    lifts("TWFuTWE", (4, 5), "aa", "TWFuTWFh");
    lifts("TWFuTWFu", (5, 6), "", "TWFuTWE=");
    lifts("", (0, 0), "M", "TQ==");
}

#[test]
fn edits_of_unclean_bodies_are_refused() {
    for raw in ["TQ==TWFu", "TWFu!TQ==", "TWFuT", "TW Fu"] {
        let edit = Edit { span: Span::new(0, 1), text: b"x"[..].into(), id: 7 };
        let body = decode(raw.as_bytes());
        assert_eq!(
            lift(raw.as_bytes(), &body, &[edit], LineEnd::Lf).refused,
            [(7, Unliftable::Unclean)],
            "{raw}"
        );
        assert_eq!(body.raw_of(Span::new(0, 1)), None);
    }
}

/// Encodes bytes in lines, by a second implementation.
fn encoded(bytes: &[u8], width: usize, line_end: &str) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u8> =
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    let mut text: String = bits
        .chunks(6)
        .map(|bits| bits.iter().enumerate().fold(0, |value, (idx, bit)| value | bit << (5 - idx)))
        .map(|value: u8| char::from(ALPHABET[usize::from(value)]))
        .collect();
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    let lines: Vec<String> = text
        .as_bytes()
        .chunks(width)
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .collect();
    lines.iter().map(|line| format!("{line}{line_end}")).collect()
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
    fn lifted_edits_are_the_edits(
        bytes in prop::collection::vec(any::<u8>(), 0..60),
        width in prop::sample::select(&[4_usize, 8, 20, 76][..]),
        line_end in prop::sample::select(&["\n", "\r\n"][..]),
        marks in prop::collection::vec((0_usize..60, 0_usize..6, prop::collection::vec(any::<u8>(), 0..8)), 0..4),
    ) {
        let raw = encoded(&bytes, width, line_end).into_bytes();
        let body: Base64Body = decode(&raw);
        prop_assert_eq!(&body.bytes, &bytes);
        let mut marks = marks;
        marks.sort_unstable();
        let mut edits = Vec::new();
        let mut end = 0;
        for (start, length, text) in marks {
            let start = start.min(bytes.len());
            if start < end || (start == end && !edits.is_empty()) {
                continue;
            }
            end = (start + length).min(bytes.len());
            edits.push(Edit { span: Span::new(start, end), text: text.into(), id: edits.len() });
        }
        let lifted = lift(&raw, &body, &edits, LineEnd::Lf);
        prop_assert!(lifted.refused.is_empty());
        let output = Edits::new(lifted.edits, raw.len()).expect("in order").apply(&raw);
        let expected = Edits::new(edits, bytes.len()).expect("in order").apply(&bytes);
        prop_assert_eq!(&decode(&output).bytes, &expected);
        // The lines are those of the body.
        if raw.len() > width + line_end.len() && !expected.is_empty() {
            let text = String::from_utf8(output).expect("ASCII");
            let expected = encoded(&expected, width, line_end);
            prop_assert_eq!(text.trim_end(), expected.trim_end());
        }
        // The raw span of a decoded one decodes to bytes that contain it.
        for (start, byte) in bytes.iter().enumerate() {
            let span = body.raw_of(Span::new(start, start + 1)).expect("it is clean");
            let found = decode(span.slice(&raw)).bytes;
            prop_assert!(found.contains(byte) && found.len() <= 3);
        }
    }

    #[test]
    fn any_bytes_are_decoded(raw in prop::collection::vec(any::<u8>(), 0..100), at in 0_usize..80) {
        let body = decode(&raw);
        let at = at.min(body.bytes.len());
        let edit = Edit { span: Span::new(at, at), text: b"xy"[..].into(), id: 0 };
        let _ = (lift(&raw, &body, &[edit], LineEnd::Lf), body.raw_of(Span::new(0, at)));
    }
}
