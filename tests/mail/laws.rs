//! The law on generated messages: references lead where they led, nothing else changes, a second
//! run changes nothing, the way back leads to the same targets, and a mailbox of several is each
//! alone.

use basectx::Context;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rewrite::{Media, MessageFraming, Options, Relative, Rewritten, Unit, absolutize, relativize};
use url::Url;
use urlcore::Style;

use super::generate::{self, Tape};
use super::program::relink;
use super::walker::{self, Item};

const URL: &str = "http://retrieved.example/dir/message.eml";

fn converted(
    message: &[u8],
    url: Option<&str>,
    convert: impl FnOnce(Unit<'_>) -> Rewritten,
) -> Vec<u8> {
    let context =
        url.map_or(Context::none(), |url| Context::retrieval(url.parse().unwrap(), "--base"));
    let media = Media::Message(MessageFraming::None);
    let unit = Unit::new(message, media, &context);
    let rewritten = convert(unit);
    assert_eq!(rewritten.verify_error(), None, "{}", String::from_utf8_lossy(message));
    rewritten.into_output().unwrap_or_else(|| message.to_vec())
}

fn absolute(message: &[u8], url: Option<&str>) -> Vec<u8> {
    converted(message, url, |unit| absolutize(unit, &Options::default()))
}

fn relative(message: &[u8], url: Option<&str>, style: Style) -> Vec<u8> {
    let relative = Relative::below("http://a.example/").with_style(style);
    converted(message, url, |unit| relativize(unit, &Options::default(), &relative))
}

/// Whether a reference may stay relative although its base is known: it is one to the document
/// itself, or the same text as a relative location, which stays where the document that is shown
/// has another base.
fn may_stay(text: &str, items: &[Item]) -> bool {
    let is_location = |item: &Item| matches!(item, Item::Reference { slot: "header", text: location, .. } if text == location);
    text.starts_with('#') || items.iter().any(is_location)
}

/// Compares two versions piece by piece. In the new one all references are absolute, if that is
/// asked.
#[track_caller]
fn compare(old: &[u8], new: &[u8], url: Option<&str>, is_absolute: bool) {
    let base = url.map(|url| Url::parse(url).expect("a URL"));
    let [before, after] = [old, new].map(|message| walker::items(message, base.as_ref()));
    let shown = || {
        let [old, new] = [old, new].map(String::from_utf8_lossy);
        format!("\n--- was\n{old}\n--- is\n{new}\n---")
    };
    assert_eq!(before.len(), after.len(), "other pieces{}", shown());
    for (idx, (old, new)) in before.iter().zip(&after).enumerate() {
        match (old, new) {
            (Item::Fixed(old), Item::Fixed(new)) => {
                let [old, new] = [old, new].map(|bytes| String::from_utf8_lossy(bytes));
                assert_eq!(old, new, "{}", shown());
            }
            (
                Item::Reference { slot, text, target },
                Item::Reference { slot: new_slot, text: new_text, target: new_target },
            ) => {
                assert_eq!(slot, new_slot, "{}", shown());
                // An absolute base may be emptied; what is under it says whether that was right.
                if *slot != "base" {
                    assert_eq!(target, new_target, "{slot} {text} -> {new_text}{}", shown());
                }
                if is_absolute && target.is_some() && !may_stay(text, &before) {
                    assert!(Url::parse(new_text).is_ok(), "{slot} {text} -> {new_text}{}", shown());
                }
            }
            (Item::Raw { raw: old, n_items }, Item::Raw { raw: new, n_items: n_new }) => {
                assert_eq!(n_items, n_new, "{}", shown());
                // What was made absolute and relative again may have kept its new line breaks.
                if is_absolute {
                    let is_same = before[idx - n_items..idx] == after[idx - n_items..idx];
                    assert!(!is_same || old == new, "a body that does not change{}", shown());
                    body(old, new, &shown);
                }
            }
            _ => panic!("{old:?} and {new:?}{}", shown()),
        }
    }
}

/// What is written again is written as the old body was: its line ends, and lines no longer than
/// they may be.
#[track_caller]
fn body(old: &[u8], new: &[u8], shown: &dyn Fn() -> String) {
    let n_alone = |bytes: &[u8]| {
        let n = |part: &[u8]| bytes.windows(part.len()).filter(|window| *window == part).count();
        (n(b"\n") - n(b"\r\n"), n(b"\r"))
    };
    let (has_lf, has_cr) = (n_alone(old).0 > 0, n_alone(old).1 > 0);
    if has_lf && !has_cr {
        assert_eq!(n_alone(new).1, 0, "CRLF among LF{}", shown());
    }
    if has_cr && !has_lf {
        assert_eq!(n_alone(new).0, 0, "LF among CRLF{}", shown());
    }
    let longest = |bytes: &[u8]| {
        bytes
            .split(|byte| *byte == b'\n')
            .map(|line| line.trim_ascii_end().len())
            .max()
            .unwrap_or(0)
    };
    // One line alone says nothing of how long lines are.
    if old.trim_ascii_end().contains(&b'\n') {
        let limit = longest(old).max(76);
        assert!(longest(new) <= limit, "lines of {} characters{}", longest(new), shown());
    }
}

#[track_caller]
fn check(message: &[u8], url: Option<&str>) {
    let new = absolute(message, url);
    compare(message, &new, url, true);
    assert!(absolute(&new, url) == new, "a second run: {}", String::from_utf8_lossy(&new));
    for style in [Style::Relative, Style::Shortest] {
        for from in [message, &new] {
            let back = relative(from, url, style);
            compare(message, &back, url, false);
            let again = relative(&back, url, style);
            let shown = [&back, &again].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            assert!(again == back, "a second run, {style:?}: {}\n---\n{}", shown[0], shown[1]);
        }
    }
}

/// `RELINK_CASES` asks for more cases, `RELINK_SEED` for others; without it they are the same on
/// every machine.
pub(crate) fn cases() -> ProptestConfig {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let cases = number("RELINK_CASES").and_then(|cases| u32::try_from(cases).ok()).unwrap_or(500);
    let rng_seed = RngSeed::Fixed(number("RELINK_SEED").unwrap_or(2557));
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

fn tape() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 4..160)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn generated_messages(numbers in tape(), has_url in any::<bool>()) {
        let message = generate::message(&mut Tape::new(&numbers));
        check(&message, has_url.then_some(URL));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases().cases / 250, ..cases() })]

    #[test]
    fn a_mailbox_of_several_is_each_alone(
        numbers in prop::collection::vec(tape(), 1..6),
        is_crlf in any::<bool>(),
    ) {
        let line_end = if is_crlf { "\r\n" } else { "\n" };
        let separator = format!("From a@b.example Mon Mar  1 08:00:00 2004{line_end}");
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for numbers in &numbers {
            let mut message = generate::message_with(&mut Tape::new(numbers), line_end);
            message.extend_from_slice(line_end.as_bytes());
            let absolute = absolute(&message, Some(URL));
            for (mailbox, message) in [(&mut old, &message), (&mut new, &absolute)] {
                mailbox.extend([separator.as_bytes(), message, line_end.as_bytes()].concat());
            }
        }
        let directory = tempfile::tempdir().expect("a temporary directory");
        let line = format!("absolutize - --type application/mbox -q --base {URL}");
        let output = relink(directory.path(), &line, &old);
        prop_assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        prop_assert_eq!(String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&new));
    }
}

#[test]
fn the_generator_reaches_what_it_is_made_for() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut n_references, mut n_relative, mut n_nested) = (0, 0, 0);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..1000 {
        let numbers = tape().new_tree(&mut runner).unwrap().current();
        let message = generate::message(&mut Tape::new(&numbers));
        let items = walker::items(&message, None);
        for (slot, text, target) in walker::references(&items) {
            n_references += 1;
            n_relative += usize::from(target.is_some() && Url::parse(text).is_err());
            seen.insert(slot);
        }
        let text = String::from_utf8_lossy(&message);
        n_nested += usize::from(text.matches("boundary=").count() > 2);
    }
    assert!(n_references > 2000, "{n_references} references");
    assert!(n_relative > 1000, "{n_relative} of {n_references} relative, with a base");
    assert!(n_nested > 50, "{n_nested} nested deep");
    assert_eq!(Vec::from_iter(seen), ["base", "css import", "css url", "header", "href", "src"]);
}

/// The judge sees what was done wrong.
#[test]
fn the_judge_reports_messages_apart() {
    let text = "Content-Base: http://h/\nContent-Type: text/html\n\
                Content-Transfer-Encoding: quoted-printable\n\n<a href=3D\"x\">=\ny\n";
    let absolute = text.replace("\"x\"", "\"http://h/x\"");
    compare(text.as_bytes(), absolute.as_bytes(), None, true);
    assert_eq!(absolute, String::from_utf8_lossy(&super::laws::absolute(text.as_bytes(), None)));
    for (from, to) in [
        ("http://h/x", "http://h/y"),
        ("http://h/x", "x"),
        (">=\ny", ">=\nz"),
        ("Base: http://h/", "Base: http://g/"),
        (">=\ny", ">y"),
        ("printable\n", "printable\nX: y\n"),
    ] {
        let new = absolute.replace(from, to);
        assert_ne!(new, absolute);
        let judge = || compare(absolute.as_bytes(), new.as_bytes(), None, true);
        let result = std::panic::catch_unwind(judge);
        assert!(result.is_err(), "{from} -> {to}");
    }
    assert_eq!(walker::base64(generate::base64(b"abcde", 4).as_bytes()), b"abcde");
    assert_eq!(walker::quoted_printable(b"a=3Db =\r\nc \r\n=C3="), b"a=b c\r\n\xC3");
}
