//! Lists of edits: valid and invalid ones, the result of applying them, and the check of an output.
//! The model is a `Vec` that is spliced from the last edit to the first.

use proptest::prelude::*;
use relink_layers::{Disorder, Edit, Edits, Span};

fn edit(start: usize, end: usize, text: &[u8]) -> Edit {
    Edit { span: Span { start, end }, text: text.into(), id: start }
}

/// Checks that [`Edits::new`] accepts `spans` in a source of `len` bytes; `Err` is the index of the
/// first that it must refuse.
#[track_caller]
fn check_new(spans: &[(usize, usize)], len: usize, expected: Result<(), usize>) {
    let edits: Vec<Edit> = spans.iter().map(|&(start, end)| edit(start, end, b"x")).collect();
    let got = Edits::new(edits.clone(), len);
    let expected = expected.map_err(|index| Disorder { index });
    assert_eq!(got.as_ref().map(|_| ()).map_err(|disorder| *disorder), expected, "{spans:?}");
    if let Ok(got) = got {
        assert_eq!(got.as_slice(), edits);
        assert_eq!((got.len(), got.is_empty()), (edits.len(), edits.is_empty()));
    }
}

#[track_caller]
fn check_apply(source: &str, edits: &[(usize, usize, &str)], expected: &str) {
    let edits = edits.iter().map(|&(start, end, text)| edit(start, end, text.as_bytes()));
    let edits = Edits::new(edits.collect(), source.len()).expect("the edits are in order");
    assert_eq!(String::from_utf8_lossy(&edits.apply(source.as_bytes())), expected);
    assert!(edits.explain(source.as_bytes(), expected.as_bytes()));
}

#[test]
fn a_list_is_sorted_disjoint_and_inside() {
    check_new(&[], 0, Ok(()));
    check_new(&[(0, 0)], 0, Ok(()));
    check_new(&[(0, 3)], 3, Ok(()));
    check_new(&[(0, 1), (1, 2)], 3, Ok(()));
    check_new(&[(1, 1), (1, 1), (1, 2)], 3, Ok(()));
    check_new(&[(1, 2), (2, 2)], 3, Ok(()));
    check_new(&[(0, 4)], 3, Err(0));
    check_new(&[(4, 4)], 3, Err(0));
    check_new(&[(2, 1)], 3, Err(0));
    check_new(&[(0, 2), (1, 3)], 3, Err(1));
    check_new(&[(0, 1), (2, 3), (1, 1)], 3, Err(2));
    check_new(&[(1, 2), (1, 1)], 3, Err(1));
    check_new(&[(0, 1), (0, 1)], 3, Err(1));
}

#[test]
fn edits_are_made_in_place() {
    check_apply("abc", &[], "abc");
    check_apply("", &[(0, 0, "x")], "x");
    check_apply("abc", &[(0, 0, "x"), (3, 3, "y")], "xabcy");
    check_apply("abc", &[(0, 3, "")], "");
    check_apply("abc", &[(0, 1, "xx"), (1, 2, ""), (2, 3, "y")], "xxy");
    check_apply("abc", &[(1, 1, "x"), (1, 1, "y"), (1, 2, "z")], "axyzc");
}

#[test]
fn the_message_names_the_edit() {
    let error = Edits::new(vec![edit(0, 2, b""), edit(1, 2, b"")], 2).expect_err("they overlap");
    assert_eq!(error.to_string(), "edit 1 overlaps the edit before it or leaves the source");
}

#[test]
fn spans_count_and_cut_bytes() {
    let span = Span::new(1, 3);
    assert_eq!((span.len(), span.is_empty(), span.slice(b"abcd")), (2, false, &b"bc"[..]));
    assert_eq!(span.shifted(2), Span::new(3, 5));
    assert!(Span::new(2, 2).is_empty() && Span::new(4, 4).slice(b"abcd").is_empty());
}

/// Applies edits as the model does, from the last edit to the first, so that no offset changes.
fn spliced(source: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut out = source.to_vec();
    for edit in edits.iter().rev() {
        out.splice(edit.span.start..edit.span.end, edit.text.iter().copied());
    }
    out
}

/// Returns the index of the first invalid edit of a list, by comparing each with all before it.
fn first_disorder(edits: &[Edit], len: usize) -> Option<usize> {
    edits.iter().enumerate().position(|(idx, edit)| {
        let Span { start, end } = edit.span;
        start > end || end > len || edits[..idx].iter().any(|before| before.span.end > start)
    })
}

/// Generates a source of few letters, so that wrong bytes are often equal bytes, and edits in
/// order.
fn source_and_edits() -> impl Strategy<Value = (Vec<u8>, Vec<Edit>)> {
    let letters = || proptest::collection::vec(b'a'..=b'c', 0..4);
    let steps = proptest::collection::vec((0..4usize, 0..4usize, letters()), 0..6);
    (proptest::collection::vec(b'a'..=b'c', 0..24), steps).prop_map(|(source, steps)| {
        let mut at = 0;
        let place = |(gap, cut, text): (usize, usize, Vec<u8>)| {
            let start = (at + gap).min(source.len());
            at = (start + cut).min(source.len());
            edit(start, at, &text)
        };
        let edits = steps.into_iter().map(place).collect();
        (source, edits)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 10 } else { 2_000 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_list_is_refused_where_the_model_refuses_it(
        spans in proptest::collection::vec((0..12usize, 0..12usize), 0..4), len in 0..12usize,
    ) {
        let edits: Vec<Edit> = spans.iter().map(|&(start, end)| edit(start, end, b"")).collect();
        let got = Edits::new(edits.clone(), len).err().map(|disorder| disorder.index);
        prop_assert_eq!(got, first_disorder(&edits, len));
    }

    #[test]
    fn applying_is_splicing((source, edits) in source_and_edits()) {
        let expected = spliced(&source, &edits);
        let edits = Edits::new(edits, source.len()).expect("they are in order");
        prop_assert_eq!(edits.apply(&source), expected);
    }

    #[test]
    fn only_the_one_output_is_explained(
        (source, edits) in source_and_edits(), at in any::<proptest::sample::Index>(), other in b'a'..=b'd',
    ) {
        let output = spliced(&source, &edits);
        let edits = Edits::new(edits, source.len()).expect("they are in order");
        prop_assert!(edits.explain(&source, &output));
        let mut longer = output.clone();
        longer.insert(at.index(output.len() + 1), other);
        prop_assert!(!edits.explain(&source, &longer));
        if !output.is_empty() {
            let at = at.index(output.len());
            let mut changed = output.clone();
            changed[at] = other;
            prop_assert_eq!(edits.explain(&source, &changed), changed == output);
            let mut shorter = output.clone();
            shorter.remove(at);
            prop_assert!(!edits.explain(&source, &shorter));
        }
    }

    #[test]
    fn no_byte_may_change_outside_or_inside_the_edits((source, edits) in source_and_edits()) {
        let output = spliced(&source, &edits);
        let edits = Edits::new(edits, source.len()).expect("they are in order");
        for at in 0..output.len() {
            let mut changed = output.clone();
            changed[at] ^= 0x20;
            prop_assert!(!edits.explain(&source, &changed), "byte {}", at);
        }
    }
}
