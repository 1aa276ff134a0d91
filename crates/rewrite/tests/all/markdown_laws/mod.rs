//! The law and its corollaries on generated Markdown: the view of a reader stays the same, and
//! links keep their targets.

mod generate;
mod judge;

use std::cell::Cell;

use basectx::Context;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use relink_rewrite::{
    Media, Options, Outcome, Relative, Rewritten, Unit, Verify, absolutize, references, relativize,
};

const URL: &str = "http://h.example/d/p.md";

fn unit<'u>(text: &'u str, context: &'u Context<'u>) -> Unit<'u> {
    Unit::new(text.as_bytes(), Media::MARKDOWN, context)
}

fn by(text: &str, convert: impl Fn(Unit<'_>, &Options) -> Rewritten) -> (String, Rewritten) {
    let context = Context::retrieval(URL.parse().unwrap(), "test");
    let options = Options::default().with_verify(Verify::Full);
    let rewritten = convert(unit(text, &context), &options);
    let output = rewritten.output().unwrap_or(text.as_bytes()).to_vec();
    (String::from_utf8(output).expect("it is UTF-8"), rewritten)
}

/// Returns the spans of all references.
fn spans(text: &str) -> Vec<layers::Span> {
    let context = Context::retrieval(URL.parse().unwrap(), "test");
    let mut spans = Vec::new();
    let options = Options::default();
    references(unit(text, &context), &options, |site| spans.push(site.frame.raw(site.span)));
    spans
}

/// Checks that nothing changes outside of references; an edit may begin or end at the boundaries of
/// the encoding of its reference.
fn check_locality(text: &str, rewritten: &Rewritten) -> Result<(), TestCaseError> {
    const UNIT: usize = 8;
    let mut spans = spans(text).into_iter().peekable();
    for edit in rewritten.edits.as_slice() {
        while spans.next_if(|span| span.end < edit.span.start).is_some() {}
        let span = spans.peek().copied().unwrap_or_default();
        let is_inside = edit.span.start + UNIT >= span.start && edit.span.end <= span.end + UNIT;
        prop_assert!(is_inside, "an edit at {:?} outside of {span:?}", edit.span);
    }
    Ok(())
}

/// The numbers of rewritten references in both directions, of documents, and of links that could
/// not be located.
#[derive(Default)]
struct Tally {
    rewritten: Cell<usize>,
    documents: Cell<usize>,
    skipped: Cell<usize>,
}

fn add(cell: &Cell<usize>, n: usize) {
    cell.set(cell.get() + n);
}

fn check(front: &str, body: &str, tally: &Tally) -> Result<(), TestCaseError> {
    let text = format!("{front}{body}");
    let same = |output: &str| {
        let output = output.strip_prefix(front);
        prop_assert!(output.is_some(), "the metadata changed");
        prop_assert_eq!(judge::seen(output.unwrap_or_default(), URL), judge::seen(body, URL));
        Ok(())
    };
    let (absolute, made) = by(&text, absolutize);
    prop_assert_eq!(&made.verify_error(), &None);
    add(&tally.documents, 1);
    add(&tally.skipped, made.report.skipped.len());
    add(&tally.rewritten, made.report.counts.get(Outcome::Rewritten));
    same(&absolute)?;
    check_locality(&text, &made)?;
    let (again, made_again) = by(&absolute, absolutize);
    prop_assert_eq!(&again, &absolute, "a second run");
    prop_assert_eq!(made_again.report.counts.total(), made.report.counts.total());
    let to_relative =
        |unit: Unit<'_>, options: &Options| relativize(unit, options, &Relative::default());
    for start in [&text, &absolute] {
        let (relative, made) = by(start, to_relative);
        prop_assert_eq!(&made.verify_error(), &None);
        add(&tally.rewritten, made.report.counts.get(Outcome::Rewritten));
        same(&relative)?;
        check_locality(start, &made)?;
        let (again, _) = by(&relative, to_relative);
        prop_assert_eq!(&again, &relative, "a second run");
    }
    Ok(())
}

#[test]
fn readers_see_the_same_and_links_lead_where_they_led() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let cases = number("RELINK_CASES").and_then(|cases: u64| u32::try_from(cases).ok());
    let config = Config {
        cases: cases.unwrap_or(3_000),
        rng_seed: RngSeed::Fixed(number("RELINK_SEED").unwrap_or(1808)),
        failure_persistence: None,
        ..Config::default()
    };
    let tally = Tally::default();
    let mut runner = TestRunner::new(config);
    let result = runner.run(&generate::document(), |(front, body)| check(front, &body, &tally));
    if let Err(error) = result {
        assert_eq!(error.to_string(), "", "a document breaks the law");
    }
    let (n_documents, n_skipped) = (tally.documents.get(), tally.skipped.get());
    println!("{n_documents} documents, {} rewritten, {n_skipped} left", tally.rewritten.get());
    assert!(tally.rewritten.get() > 2 * n_documents, "the documents hold too little");
    assert!(n_skipped * 10_000 < tally.rewritten.get(), "{n_skipped} links were not found");
}

/// Real documents, below the directory that `RELINK_MARKDOWN` names, such as the sources that cargo
/// has fetched.
#[test]
fn real_documents() {
    let Some(directory) = std::env::var_os("RELINK_MARKDOWN") else {
        return crate::tools::skipped("RELINK_MARKDOWN names no directory");
    };
    let tally = Tally::default();
    for entry in walkdir::WalkDir::new(directory).into_iter().filter_map(Result::ok) {
        let is_one = entry.path().extension().is_some_and(|extension| extension == "md");
        let text = if is_one { std::fs::read_to_string(entry.path()).ok() } else { None };
        // The judge does not recognize front matter.
        let Some(text) = text.filter(|text| !text.starts_with(['-', '+'])) else { continue };
        let judged = check("", &text, &tally);
        assert!(judged.is_ok(), "{}: {judged:?}", entry.path().display());
    }
    let Tally { rewritten, documents, skipped } = tally;
    println!(
        "{} documents, {} rewritten, {} left",
        documents.get(),
        rewritten.get(),
        skipped.get()
    );
    assert!(documents.get() > 0 && skipped.get() == 0);
}

/// The judge detects wrong outputs.
#[test]
fn the_judge_sees() {
    let seen = |text: &str| judge::seen(text, URL);
    assert_eq!(seen("[a](b.md 't')"), seen("[a](http://h.example/d/b.md \"t\")"));
    for (before, after) in [
        ("[a](b.md)", "[a](c.md)"),
        ("[a](b.md)", "[a](b.md) "),
        ("[a](b.md 't')", "[a](b.md 'u')"),
        ("[a](b.md)", "[a]\\(b.md)"),
        ("[a]\n\n[a]: b", "[a]\n\n[a]: c"),
        ("<img src=a>", "<img src=b>"),
        ("`[a](b)`", "`[a](http://h.example/d/b)`"),
    ] {
        let is_same = seen(before) == seen(after);
        assert_eq!(is_same, before == after.trim_end(), "{before} {after}");
    }
}
