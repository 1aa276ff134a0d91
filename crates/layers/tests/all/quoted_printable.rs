//! Quoted-printable: decoding, and lifting of edits.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use relink_layers::LineGuards;
use relink_layers::quoted_printable::{decode, lift};
use relink_layers::{Edit, Edits, Lifted, Span};

#[track_caller]
fn decodes(raw: &[u8], expected: &[u8]) {
    let body = decode(raw);
    let bytes = &body.bytes;
    assert_eq!(&**bytes, expected, "{:?}", String::from_utf8_lossy(raw));
    // Every span of the decoded bytes comes from raw bytes that decode to it.
    for start in 0..=bytes.len() {
        for end in start..=bytes.len() {
            let span = body.widen(Span::new(start, end)).raw;
            assert!(span.end <= raw.len());
        }
    }
}

#[test]
fn decoding() {
    decodes(b"", b"");
    decodes(b"plain\r\ntext\n", b"plain\r\ntext\n");
    decodes(b"=41=c3=A9=3D", "A\u{e9}=".as_bytes());
    decodes(b"a=\r\nb=\nc= \t\r\nd=\re=", b"abcde");
    decodes(b"a \t\r\nb\t\n  c  ", b"a\r\nb\n  c");
    decodes(b"= =4 =zz ==41 =\xe9", b"= =4 =zz =A =\xe9");
    decodes(b"=20 \n=20=\n", b" \n ");
    decodes(b"\r=\r\r", b"\r\r");
    assert!(matches!(decode(b"a b\r\n").bytes, std::borrow::Cow::Borrowed(_)));
}

/// Returns the raw bytes after one edit of the decoded bytes.
fn edited(raw: &[u8], span: (usize, usize), text: &[u8], guards: LineGuards) -> Option<Vec<u8>> {
    let edit = Edit { span: Span::new(span.0, span.1), text: text.into(), id: 0 };
    let Lifted { edits, refused } = lift(raw, &decode(raw), &[edit], guards);
    refused.is_empty().then(|| Edits::new(edits, raw.len()).expect("in order").apply(raw))
}

#[track_caller]
fn lifts(raw: &str, span: (usize, usize), text: &str, expected: &str) {
    let found =
        edited(raw.as_bytes(), span, text.as_bytes(), LineGuards::default()).expect("an edit");
    assert_eq!(String::from_utf8_lossy(&found), expected);
}

#[test]
fn lifting() {
    lifts("a href=3D\"x\"", (8, 9), "http://h/?a=b", "a href=3D\"http://h/?a=3Db\"");
    // A soft line break inside the replaced text is removed with it; one after it is kept.
    lifts("u=\r\nrl=\r\n y", (0, 3), "v", "v=\r\n y");
    // Line ends and blanks of the new text are escaped, a blank only at the end of a line.
    lifts("x y\n", (0, 1), "a b\n", "a b=0A y\n");
    lifts("x\n", (0, 1), "a ", "a=20\n");
    // A blank in the middle of a line comes to its end, and would be dropped.
    lifts("a  x\n", (3, 4), "", "a =20\n");
    // Dropped blanks are not restored.
    lifts("a  \n", (1, 1), "b", "ab\n");
    // A stray "=" does not become an escape or a soft line break.
    lifts("=x1", (1, 2), "4", "=3D41");
    lifts("=4x", (2, 3), "1", "=3D41");
    lifts("= x\n", (2, 3), "", "=3D=20\n");
}

/// A blank written by the previous edit would be dropped at the end of its line (found by fuzzing).
#[test]
fn edits_that_touch() {
    let edit = |id, start, text: &str| Edit {
        span: Span::new(start, start + 1),
        text: text.as_bytes().into(),
        id,
    };
    for (raw, text, refused, expected) in
        [("ab\n", "x ", 1, "x b\n"), ("ab", "\t", 1, "\tb"), ("ab\n", "x", 0, "x\n")]
    {
        let edits = [edit(0, 0, text), edit(1, 1, "")];
        let lifted = lift(raw.as_bytes(), &decode(raw.as_bytes()), &edits, LineGuards::default());
        assert_eq!(lifted.refused.len(), refused);
        let output = Edits::new(lifted.edits, raw.len()).expect("in order").apply(raw.as_bytes());
        assert_eq!(String::from_utf8_lossy(&output), expected);
    }
}

#[test]
fn long_lines() {
    let line = format!("{}x{}", "a".repeat(40), "b".repeat(35));
    let raw = format!("{line}\r\nmore\r\n");
    // The text fits: nothing else changes.
    lifts(&raw, (40, 41), "y", &raw.replace('x', "y"));
    let found =
        edited(raw.as_bytes(), (40, 41), &[b'y'; 100], LineGuards::default()).expect("an edit");
    let text = String::from_utf8(found).expect("ASCII");
    assert!(text.lines().all(|line| line.len() <= 76), "{text}");
    assert!(text.starts_with(&"a".repeat(40)) && text.ends_with("bbb\r\nmore\r\n"), "{text}");
    assert!(text.matches("=\r\n").count() >= 2, "{text}");
    // Escapes are not split.
    let found =
        edited(raw.as_bytes(), (40, 41), &[0xE9; 100], LineGuards::default()).expect("an edit");
    assert_eq!(decode(&found).bytes.iter().filter(|byte| **byte == 0xE9).count(), 100);
    assert!(found.split(|byte| *byte == b'\n').all(|line| line.len() <= 77));
    // If the body has longer lines, new ones may be as long.
    let raw = format!("{}\n{line}", "c".repeat(90));
    lifts(&raw, (131, 132), "yyyyyyyyyyyyyy", &raw.replace('x', "yyyyyyyyyyyyyy"));
}

#[test]
fn guards() {
    let guards = LineGuards { dashes: true, from: true, ..LineGuards::default() };
    let edited = |raw: &str, span, text: &str| {
        edited(raw.as_bytes(), span, text.as_bytes(), guards)
            .map(|raw| String::from_utf8(raw).expect("ASCII"))
    };
    assert_eq!(edited("x y", (0, 1), "--b").as_deref(), Some("-=2Db y"));
    assert_eq!(edited("x y", (0, 1), "From ").as_deref(), Some("From=20 y"));
    assert_eq!(edited("a x", (2, 3), "--b").as_deref(), Some("a --b"));
    // The text after the edit is escaped as far as needed.
    assert_eq!(edited("x--b", (0, 1), "").as_deref(), Some("=2D-b"));
    assert_eq!(edited("a\nxFrom me", (2, 3), "").as_deref(), Some("a\n=46rom me"));
    assert_eq!(edited("-x-b", (1, 2), "").as_deref(), Some("-=2Db"));
    assert_eq!(edited("x-b", (0, 1), "").as_deref(), Some("-b"));
    assert_eq!(edited("--x", (2, 3), "y").as_deref(), Some("--y"));
    // The soft line break would include the LF.
    assert_eq!(edited("\n=\r-\r\n", (1, 3), ""), None);
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
    #![proptest_config(cases(40_000))]

    /// Decoding the output gives the decoded bytes with the edits applied; no line becomes longer
    /// than allowed; no guarded line results.
    #[test]
    fn lifted_edits_are_the_edits(
        pieces in prop::collection::vec(prop::sample::select(&["a", "=41", "=3D", "=", "4", "=\r\n", "=\n", "\r\n", "\n", "\r", " ", "\t", "= \n", "-", "--", "From ", "F", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "\u{e9}"][..]), 0..24),
        marks in prop::collection::vec((0_usize..200, 0_usize..6, prop::sample::select(&["", "a", "=", "4", " ", "\n", "-", "--b", "From x", "\u{e9}", "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"][..])), 0..4),
        dashes in any::<bool>(),
        from in any::<bool>(),
    ) {
        let raw = pieces.concat().into_bytes();
        let decoded = decode(&raw);
        let mut edits = Vec::new();
        let mut end = 0;
        let mut marks = marks;
        marks.sort_unstable();
        for (at, length, text) in marks {
            let start = at.min(decoded.bytes.len());
            if start < end || (start == end && !edits.is_empty()) {
                continue;
            }
            end = (start + length).min(decoded.bytes.len());
            edits.push(Edit { span: Span::new(start, end), text: text.as_bytes().into(), id: edits.len() });
        }
        let lifted = lift(&raw, &decoded, &edits, LineGuards { dashes, from, ..LineGuards::default() });
        let made: Vec<Edit> = edits.iter().filter(|edit| lifted.refused.iter().all(|(id, _)| *id != edit.id)).cloned().collect();
        let expected = Edits::new(made, decoded.bytes.len()).expect("in order").apply(&decoded.bytes);
        let output = Edits::new(lifted.edits.clone(), raw.len()).expect("in order").apply(&raw);
        let found = decode(&output).bytes.into_owned();
        prop_assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(&expected), "{:?} {:?}", String::from_utf8_lossy(&raw), String::from_utf8_lossy(&output));
        // The number of guarded lines does not change.
        let n_guarded = |bytes: &[u8]| {
            let lines = bytes.split(|byte| matches!(byte, b'\n' | b'\r'));
            lines.filter(|line| (dashes && line.starts_with(b"--")) || (from && line.starts_with(b"From "))).count()
        };
        prop_assert!(n_guarded(&output) <= n_guarded(&raw), "{:?} {:?}", String::from_utf8_lossy(&raw), String::from_utf8_lossy(&output));
        if edits.is_empty() {
            prop_assert_eq!(output, raw);
        }
    }

    #[test]
    fn any_bytes_are_decoded(raw in prop::collection::vec(any::<u8>(), 0..200)) {
        let decoded = decode(&raw);
        prop_assert!(decoded.bytes.len() <= raw.len());
    }
}
