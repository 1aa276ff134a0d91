//! Any bytes, read as any format: a move is proved, changes nothing but what it says, is the same
//! without the proof, and a second run changes nothing.

use basectx::Context;
use rewrite::{
    Media, Move, MoveStyle, NewPlace, Outcome, PrefixMap, Rewritten, TargetMap, Unit, Verify,
    VerifyError, relocate,
};

use super::corollaries::edits_are_all;
use super::formats::{media, options};

/// The second byte says where it moves, and how.
fn way(second: u8) -> ([&'static str; 2], MoveStyle) {
    let roots = match second & 3 {
        0 => ["http://h.example/", "ftp://f.example/pub/"],
        1 => ["http://h.example/a/", "file:///srv/"],
        2 => ["http://h.example/", "https://h.example/b/"],
        _ => ["file:///h/", "http://h.example/"],
    };
    let style = match (second >> 2) % 3 {
        0 => MoveStyle::Keep,
        1 => MoveStyle::Absolute,
        _ => MoveStyle::Relative,
    };
    (roots, style)
}

/// The first byte says what is read, the second how it moves.
pub(crate) fn check(input: &[u8]) {
    let [first, second, bytes @ ..] = input else { return };
    let (media, ([from, to], style)) = (media(*first).unwrap_or(Media::HTML), way(*second));
    let mut moves = PrefixMap::default();
    if moves.add(from, to, []).is_err() {
        return;
    }
    let url = format!("{from}a/p.html?q");
    let new = moves.url(&url);
    let context = Context::retrieval(url.parse().unwrap(), "--base");
    let to = Move::by(moves).with_style(style);
    let moved = |bytes: &[u8], verify| -> Rewritten {
        let new_place = Some(NewPlace { url: &new.parse().unwrap(), root: "" });
        let unit = Unit::new(bytes, media, &context).with_new_place(new_place);
        relocate(unit, &options(verify), &to)
    };
    let proved = moved(bytes, Verify::Fast);
    // What is no base here may be one there, and takes along what cannot follow; and a base that
    // would need a character that the charset does not have (U+FFFD for a NUL) stays, and all that
    // is resolved against it.
    if proved.verify_error().is_some() {
        let is_strange = !bytes.is_ascii() || bytes.contains(&0);
        let is_base = proved.verify_error() == Some(&VerifyError::Base) && is_strange;
        assert!(is_base || !proved.report.bad_bases.is_empty(), "{:?}", proved.verify_error());
        return;
    }
    let awakes = [
        Outcome::Unresolvable,
        Outcome::NoBase,
        Outcome::Unwritable,
        Outcome::Template,
        Outcome::Part,
    ];
    edits_are_all(bytes, &proved);
    let counts = &proved.report.counts;
    let is_whole = proved.report.skipped.is_empty()
        && proved.report.bad_bases.is_empty()
        && awakes.iter().all(|outcome| counts.get(*outcome) == 0);
    if !is_whole {
        return;
    }
    let shown = |made: &Rewritten| made.output().map(|out| out.escape_ascii().to_string());
    let unproved = moved(bytes, Verify::None);
    assert_eq!(
        shown(&unproved),
        shown(&proved),
        "only the proof saw what is wrong: {:?}",
        proved.report
    );
    if let Some(output) = proved.into_output() {
        let again = moved(&output, Verify::Fast).into_output();
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(again.as_deref().map(shown), None, "a second run of {:?}", shown(&output));
    }
}
