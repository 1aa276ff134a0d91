//! Generated messages move from root to root: with their headings, at every level, and back.

use basectx::Context;
use proptest::prelude::*;
use rewrite::{
    Media, MessageFraming, Move, NewPlace, Options, Outcome, PrefixMap, TargetMap, Unit,
    VerifyError, relocate,
};
use url::Url;

use super::generate::{self, Tape};
use super::laws::cases;
use super::walker::{self, Item};

const OLD: &str = "http://a.example/";
const NEW: &str = "ftp://n.example/pub/b/";
const URLS: [Option<&str>; 2] = [None, Some("http://a.example/dir/message.eml")];

fn moves(from: &str, to: &str) -> PrefixMap {
    let mut moves = PrefixMap::default();
    moves.add(from, to, []).unwrap();
    moves
}

/// The message in its new place, and whether all of it could be moved.
#[track_caller]
fn moved(message: &[u8], url: Option<&str>, moves: PrefixMap) -> (Vec<u8>, bool) {
    let context =
        url.map_or(Context::none(), |url| Context::retrieval(url.parse().unwrap(), "--base"));
    let new = url.map(|url| moves.url(url).parse().unwrap());
    let new_place = new.as_ref().map(|url| NewPlace { url, root: "" });
    let media = Media::Message(MessageFraming::None);
    let unit = Unit::new(message, media, &context).with_new_place(new_place);
    let rewritten = relocate(unit, &Options::default(), &Move::by(moves));
    let counts = &rewritten.report.counts;
    let is_whole = rewritten.report.skipped.is_empty()
        && [
            Outcome::Unwritable,
            Outcome::Sealed,
            Outcome::Part,
            Outcome::Filtered,
            Outcome::Unresolvable,
        ]
        .iter()
        .all(|outcome| counts.get(*outcome) == 0);
    assert!(
        rewritten.verify_error().is_none()
            || !is_whole && rewritten.verify_error() == Some(&VerifyError::Base),
        "{:?} {}",
        rewritten.verify_error(),
        String::from_utf8_lossy(message)
    );
    (rewritten.into_output().unwrap_or_else(|| message.to_vec()), is_whole)
}

/// Where a target is in the output.
fn expected(target: &str) -> String {
    match target.strip_prefix(OLD) {
        Some(rest) => format!("{NEW}{rest}"),
        None => target.to_owned(),
    }
}

#[track_caller]
fn check(message: &[u8], url: Option<&str>) -> usize {
    let (new, is_whole) = moved(message, url, moves(OLD, NEW));
    let new_url = url.map(expected);
    let items = |message: &[u8], url: Option<&str>| {
        let base = url.map(|url| Url::parse(url).unwrap());
        walker::items(message, base.as_ref())
    };
    let (before, after) = (items(message, url), items(&new, new_url.as_deref()));
    let shown = || {
        let [old, new] = [message, &new].map(String::from_utf8_lossy);
        format!("\n--- was\n{old}\n--- is\n{new}\n---")
    };
    assert_eq!(before.len(), after.len(), "other pieces{}", shown());
    let mut n_moved = 0;
    for (old, new) in before.iter().zip(&after) {
        match (old, new) {
            (Item::Fixed(old), Item::Fixed(new)) => {
                let [old, new] = [old, new].map(|bytes| String::from_utf8_lossy(bytes));
                // The walker takes an absolute base for what never changes.
                let is_base = old
                    .trim_start_matches([' ', '"', '<'])
                    .trim_start_matches("URL:")
                    .starts_with(OLD)
                    && is_whole;
                let old = if is_base { old.replacen(OLD, NEW, 1) } else { old.into_owned() };
                assert!(old == new || !is_whole, "{old} -> {new}{}", shown());
            }
            (
                Item::Reference { slot, text, target: Some(target) },
                Item::Reference { text: new_text, target: new_target, .. },
            ) if is_whole => {
                let target = expected(target);
                n_moved += usize::from(text != new_text);
                assert_eq!(
                    new_target.as_deref(),
                    Some(&*target),
                    "{slot} {text} -> {new_text}{}",
                    shown()
                );
            }
            _ => {}
        }
    }
    let (again, _) = moved(&new, url, moves(OLD, NEW));
    assert_eq!(
        String::from_utf8_lossy(&again),
        String::from_utf8_lossy(&new),
        "a second run{}",
        shown()
    );
    let (home, is_home) = moved(&new, new_url.as_deref(), moves(NEW, OLD));
    for (old, home) in before.iter().zip(&items(&home, url)) {
        if let (Item::Reference { target: Some(old), .. }, Item::Reference { target: home, .. }) =
            (old, home)
            && is_whole
            && is_home
        {
            assert_eq!(Some(old), home.as_ref(), "back{}", shown());
        }
    }
    n_moved
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn generated_messages_move(numbers in prop::collection::vec(any::<u8>(), 0..400)) {
        let message = generate::message(&mut Tape::new(&numbers));
        for url in URLS {
            check(&message, url);
        }
    }
}

#[test]
fn many_references_of_generated_messages_move() {
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let numbers = prop::collection::vec(any::<u8>(), 200..400);
    let n: usize = (0..300)
        .map(|_| {
            let numbers = numbers.new_tree(&mut runner).unwrap().current();
            check(&generate::message(&mut Tape::new(&numbers)), URLS[1])
        })
        .sum();
    assert!(n > 150, "{n} references moved");
}
