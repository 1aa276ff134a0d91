//! Mutation tests of the proof: the edits of an honest rewriter are spoilt, in every format and
//! command, and every output that is not thrown away must be lawful. Who says so is not the proof:
//! `tests/judge`, and the crate `url`.

mod documents;
mod gzip;
mod lines;
mod oracle;
mod pieces;
mod sabotage;
mod vocabularies;
mod zip;

use std::collections::BTreeMap;
use std::panic::catch_unwind;

use basectx::Context;
use layers::{Edits, Span};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use rewrite::{
    BaseElement, Command, Media, MessageFraming, Move, MoveStyle, NewPlace, OptIn, Options,
    PrefixMap, Relative, TargetMap, TextFormat, Unit, Verify, VerifyError, references,
};
use url::Url;
use urlcore::Style;

use crate::judge;
use crate::laws::{generate, json};
use crate::mail::generate as mail;
use crate::mail::walker::{self, Item};
use crate::xml::generate as xml;
use documents::Document;
use sabotage::{Numbers, spoilt};

const URL: &str = "http://h.example/a/b.html?q";
const ROOTS: [(&str, &str); 2] =
    [("http://h.example/", "https://n.example/pub/"), ("http://h.example/a/", "file:///srv/x/")];

/// What the walker of messages can read.
const GENERATED_MESSAGE: &str = "generated message";

/// One run: what is asked, and where the document is in the output.
struct Run<'r> {
    name: &'static str,
    command: Command<'r>,
    new_place: Option<NewPlace<'r>>,
    /// The roots, where the tree moves.
    roots: Option<(&'static str, &'static str)>,
}

/// What became of the mutants of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    n_caught: usize,
    /// The honest output all the same.
    n_same: usize,
    /// Another, and lawful.
    n_lawful: usize,
}

type Table = BTreeMap<&'static str, Counts>;

fn options(media: Media, verify: Verify) -> Options {
    // The judge of HTML reads no modules in it.
    let js_modules = media == Media::SCRIPT;
    let opt_in = OptIn::default().with_text(true).with_markdown(true).with_js_modules(js_modules);
    Options::default().with_verify(verify).with_opt_in(opt_in)
}

/// A reference as it is read: its kind of place, text, base, and raw span.
struct Read {
    slot: String,
    has_target: bool,
    text: String,
    base: Option<String>,
    is_ambiguous: bool,
    span: Span,
}

fn read(bytes: &[u8], media: Media, url: &str) -> Vec<Read> {
    let (context, options) =
        (Context::retrieval(url.parse().unwrap(), "test"), options(media, Verify::Fast));
    let unit = Unit::new(bytes, media, &context);
    let mut list = Vec::new();
    references(unit, &options, |site| {
        list.push(Read {
            slot: format!("{} {}", options.extras.name_of(site.slot), site.kind),
            has_target: site.kind.has_target(),
            text: site.text.to_owned(),
            base: site.context.base().map(str::to_owned),
            is_ambiguous: site.is_ambiguous(),
            span: site.frame.raw(site.span),
        });
    });
    list
}

/// The bytes between references.
fn between<'b>(bytes: &'b [u8], references: &[Read]) -> Vec<&'b [u8]> {
    let starts = references.iter().map(|one| one.span.start).chain([bytes.len()]);
    let ends = [0].into_iter().chain(references.iter().map(|one| one.span.end));
    ends.zip(starts).map(|(start, end)| bytes.get(start..end).unwrap_or_default()).collect()
}

/// Where a reference leads, as the crate `url` has it.
fn target(one: &Read) -> Option<Url> {
    match &one.base {
        Some(base) => Url::parse(base).ok()?.join(&one.text).ok(),
        None => Url::parse(&one.text).ok(),
    }
}

/// Whether a reference gives a base to others.
fn is_base(one: &Read) -> bool {
    const SLOTS: [&str; 7] = [
        "base[href]",
        "dash BaseURL",
        "xml:base",
        "codebase",
        "header Content-Location",
        "header Content-Base",
        "header Base",
    ];
    SLOTS.iter().any(|slot| one.slot.contains(slot))
}

/// Whether a reference leads to its own base: in a message that is the location of its part.
fn names_base(one: &Read) -> bool {
    let base = one.base.as_deref().and_then(|base| Url::parse(base).ok());
    base.is_some() && target(one) == base
}

/// Whether the walker of messages reads the same outside of references. Escapes in those it does
/// not know, and no charset but UTF-8.
fn is_read_alike(honest: &[u8], output: &[u8], url: &str) -> bool {
    let url = Url::parse(url).ok();
    let items = |bytes| catch_unwind(|| walker::items(bytes, url.as_ref())).ok();
    let (Some(old), Some(new)) = (items(honest), items(output)) else { return true };
    let is_same = |(old, new): (&Item, &Item)| match (old, new) {
        (Item::Fixed(old), Item::Fixed(new)) => old == new,
        (Item::Reference { slot, .. }, Item::Reference { slot: other, .. }) => slot == other,
        (Item::Raw { n_items, .. }, Item::Raw { n_items: other, .. }) => n_items == other,
        _ => false,
    };
    old.len() == new.len() && old.iter().zip(&new).all(is_same)
}

/// Why an output that was let pass is not lawful; `honest` is what it should be, which other tests
/// judge.
fn fault(document: &Document, run: &Run<'_>, honest: &[u8], output: &[u8]) -> Option<String> {
    let url = run.new_place.map_or(URL, |place| place.url.as_str());
    let [old, new] = [honest, output].map(|bytes| read(bytes, document.media, url));
    if old.len() != new.len() {
        return Some(format!("{} references instead of {}", new.len(), old.len()));
    }
    // What is written in another way and read the same is no other text.
    let flowed = [true, false].map(|deletes_space| TextFormat::Flowed { deletes_space });
    let is_encoded = matches!(document.media, Media::Message(_))
        || flowed.map(Media::text).contains(&document.media);
    let first = read(&document.bytes, document.media, URL);
    if !is_encoded {
        let gaps = [(&*document.bytes, &first), (honest, &old), (output, &new)]
            .map(|(bytes, references)| between(bytes, references));
        // Quotes and escapes come only beside what the honest one edits.
        let is_kept = |at: usize| gaps[2][at] == gaps[0][at] || gaps[2][at] == gaps[1][at];
        if !(0..gaps[2].len()).all(is_kept) {
            return Some("bytes between references differ".to_owned());
        }
    }
    if document.format == GENERATED_MESSAGE && !is_read_alike(honest, output, url) {
        return Some("the walker of messages reads another".to_owned());
    }
    let is_kept = |idx: usize, new: &Read| first.get(idx).is_some_and(|old| old.text == new.text);
    let bases_stay = new.iter().enumerate().all(|(idx, new)| !is_base(new) || is_kept(idx, new));
    for (idx, (old, new)) in old.iter().zip(&new).enumerate() {
        if run.roots.is_some() && is_kept(idx, new) && old.slot == new.slot {
            // A base that does not move with its tree is lawful where nothing under it leads
            // elsewhere. Where all stay, identifiers are what they were, and what names its own
            // part still does.
            let names_part = || names_base(&first[idx]) && names_base(new);
            // Below alternatives the base is not known, and the target that `target` gives is that
            // of the first of them. What the program cannot resolve it leaves and counts.
            let is_unknown = old.is_ambiguous && new.is_ambiguous;
            let may_stay = || old.slot.ends_with(" id") || names_part() || is_unknown;
            if is_base(old) || bases_stay && may_stay() {
                continue;
            }
        }
        let is_same = match old.has_target && !old.slot.starts_with("base[href]") {
            true => target(old) == target(new) && (target(old).is_some() || old.text == new.text),
            // What a base is for, those say that stand under it.
            false if old.slot.starts_with("base[href]") => true,
            false => old.text == new.text,
        };
        if old.slot != new.slot || !is_same {
            return Some(format!(
                "{} {} {:?}: {} {:?}",
                old.slot, old.text, old.base, new.text, new.base
            ));
        }
    }
    if let Some(fault) = foretold(document, run, output) {
        return Some(fault);
    }
    if run.roots.is_some() {
        return None;
    }
    let bytes = &*document.bytes;
    // An escape may be spelled in another way, in an identifier too, which the judge of JSON takes
    // for text.
    let value = |bytes: &[u8]| {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        serde_json::from_slice::<serde_json::Value>(bytes).ok()
    };
    if value(honest).is_some() && value(honest) == value(output) {
        return None;
    }
    let verdict = match (document.media, document.media.json_type()) {
        (Media::HTML, _) if document.format == "HTML" => {
            judge::judge_relative_html(bytes, output, URL)
        }
        (Media::CSS, _) => judge::judge_css_tokens(bytes, output, URL),
        (_, Some(format)) if document.format == "JSON" => {
            judge::judge_json(bytes, output, URL, json::data(format))
        }
        _ => return None,
    };
    (!verdict.violations.is_empty()).then(|| format!("{:?}", verdict.violations))
}

/// What an oracle that shares no code with the program says of an output.
fn foretold(document: &Document, run: &Run<'_>, output: &[u8]) -> Option<String> {
    let url = run.new_place.map_or(URL, |place| place.url.as_str());
    let documents = [&*document.bytes, output];
    let (faults, _) = oracle::judge(document.format, document.media, documents, url, run.roots)?;
    (!faults.is_empty()).then(|| format!("the oracle: {faults:?}"))
}

/// All mutants of one document, in every command.
fn check(document: &Document, numbers: &mut Numbers, table: &mut Table, faults: &mut Vec<String>) {
    let relatives = [
        ("relativize", Style::Relative, BaseElement::Empty),
        ("relativize, shortest", Style::Shortest, BaseElement::Relative),
    ];
    let relatives = relatives.map(|(name, style, base_element)| {
        (
            name,
            Relative::below("http://h.example/").with_style(style).with_base_element(base_element),
        )
    });
    let moves = ROOTS.map(|(from, to)| {
        let mut moves = PrefixMap::default();
        moves.add(from, to, []).unwrap();
        let url = moves.url(URL).parse().unwrap();
        (url, to, Move::by(moves).with_style(MoveStyle::Keep))
    });
    let stays = |name, command| Run { name, command, new_place: None, roots: None };
    let mut runs = vec![stays("absolutize", Command::Absolutize)];
    runs.extend(relatives.iter().map(|(name, by)| stays(name, Command::Relativize(by))));
    for ((url, root, by), roots) in moves.iter().zip(ROOTS) {
        let new_place = Some(NewPlace { url, root });
        let command = Command::Relocate(by);
        runs.push(Run { name: "move", command, new_place, roots: Some(roots) });
    }
    let context = Context::retrieval(URL.parse().unwrap(), "test");
    let bytes = &*document.bytes;
    let spans: Vec<Span> = read(bytes, document.media, URL).iter().map(|one| one.span).collect();
    for run in &runs {
        let unit = Unit::new(bytes, document.media, &context).with_new_place(run.new_place);
        let verify = if numbers.below(4) == 0 { Verify::Full } else { Verify::Fast };
        let options = options(document.media, verify);
        let honest = run.command.run(unit, &options);
        let shown = || format!("{} {}: {}", document.format, run.name, bytes.escape_ascii());
        if honest.verify_error().is_some() {
            // What leads nowhere may lead somewhere in another place.
            assert!(run.roots.is_some(), "{:?} {}", honest.verify_error(), shown());
            continue;
        }
        let edits = honest.edits.as_slice();
        let output = honest.output().unwrap_or(bytes);
        assert_eq!(foretold(document, run, output), None, "{} {}", shown(), output.escape_ascii());
        let again = run.command.prove(unit, &options, edits);
        assert_eq!(again.verify_error(), None, "honest edits {}", shown());
        assert_eq!(again.output(), honest.output(), "honest edits {}", shown());
        for (kind, spoilt) in spoilt(bytes, edits, &spans, numbers) {
            let counts = table.entry(kind).or_default();
            let rewritten = run.command.prove(unit, &options, &spoilt);
            if let Some(verify_error) = &rewritten.verify_error() {
                counts.n_caught += 1;
                // It costs nothing: the input is kept, and the reference is named.
                assert!(rewritten.output().is_none() && rewritten.edits.is_empty(), "{kind}");
                if let VerifyError::Target { at, reference, .. } = verify_error {
                    assert!(verify_error.to_string().contains(reference.as_str()), "{kind}");
                    assert!(*at < bytes.len() + 100_000, "{kind}");
                }
                continue;
            }
            let mutant = rewritten.into_output().unwrap_or_else(|| bytes.to_vec());
            let by_hand = Edits::new(spoilt, bytes.len()).map(|edits| edits.apply(bytes));
            assert_eq!(by_hand.as_ref(), Ok(&mutant), "{kind} {}", shown());
            if mutant == output {
                counts.n_same += 1;
            } else if let Some(fault) = fault(document, run, output, &mutant) {
                faults.push(format!("{kind}, {fault}\n  {}\n  {}", shown(), mutant.escape_ascii()));
            } else {
                counts.n_lawful += 1;
            }
        }
    }
}

/// Prints what was counted, and fails if something slipped through.
fn report(name: &str, table: &Table, faults: &[String]) {
    let mut all = Counts::default();
    for (kind, counts) in table {
        println!("{name}: {kind}: {counts:?}");
        all.n_caught += counts.n_caught;
        all.n_same += counts.n_same;
        all.n_lawful += counts.n_lawful;
    }
    println!("{name}: {all:?}, {} slipped through", faults.len());
    let first = faults.iter().take(40).map(|fault| &fault[..fault.len().min(6000)]);
    assert!(
        faults.is_empty(),
        "{} of them:\n{}",
        faults.len(),
        first.collect::<Vec<_>>().join("\n")
    );
    assert!(all.n_caught > 10 * all.n_lawful, "{all:?}");
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|number| number.parse().ok())
}

#[test]
fn every_format() {
    let (mut table, mut faults) = (Table::new(), Vec::new());
    let mut numbers = Numbers(number("RELINK_SEED").unwrap_or(1808) | 1);
    let n_rounds = number("RELINK_CASES").unwrap_or(20_000).div_ceil(20_000);
    let step = if number("RELINK_CASES").is_some() { 1 } else { 3 };
    for _ in 0..n_rounds {
        for document in documents::made().iter().chain(documents::fixtures().iter().step_by(step)) {
            check(document, &mut numbers, &mut table, &mut faults);
        }
    }
    report("every format", &table, &faults);
}

#[test]
fn generated_formats() {
    // At least one, however few are wanted: without a case nothing is tested.
    let n_cases = number("RELINK_CASES").unwrap_or(5_000).div_ceil(1000);
    let mut numbers = Numbers(number("RELINK_SEED").unwrap_or(1808) | 1);
    let mut tables = BTreeMap::<&str, (Table, Vec<String>)>::new();
    for _ in 0..n_cases {
        for document in pieces::documents(&mut numbers) {
            let (table, faults) = tables.entry(document.format).or_default();
            check(&document, &mut numbers, table, faults);
        }
    }
    assert!(!tables.is_empty(), "no case of any format");
    for (format, (table, faults)) in &tables {
        report(format, table, faults);
    }
}

#[test]
fn generated_documents() {
    let n_cases = number("RELINK_CASES").unwrap_or(5_000).div_ceil(500);
    let seed = number("RELINK_SEED").unwrap_or(1808);
    let config = Config { rng_seed: RngSeed::Fixed(seed), ..Config::default() };
    let mut runner = TestRunner::new(config);
    let mut numbers = Numbers(seed | 1);
    let (mut table, mut faults) = (Table::new(), Vec::new());
    for _ in 0..n_cases {
        let html = generate::html().new_tree(&mut runner).unwrap().current();
        let css = generate::css().new_tree(&mut runner).unwrap().current();
        let (format, text) = json::document().new_tree(&mut runner).unwrap().current();
        let (xml, charset) = xml::document(&mut xml::Random::new(numbers.below(1 << 40) as u64));
        let tape: Vec<u8> = (0..400).map(|_| u8::try_from(numbers.below(256)).unwrap()).collect();
        // The judge reads no page as windows-1252 that is none.
        let is_html = std::str::from_utf8(&html).is_ok();
        let format_of_html = if is_html && html.is_ascii() { "HTML" } else { "HTML, any bytes" };
        let documents = [
            (format_of_html, Media::HTML, html),
            ("CSS", Media::CSS, css.into_bytes()),
            ("JSON", Media::json(format), text.into_bytes()),
            ("XML", Media::XML, xml::encoded(&xml, charset)),
            (
                GENERATED_MESSAGE,
                Media::Message(MessageFraming::None),
                mail::message(&mut mail::Tape::new(&tape)),
            ),
        ];
        for (format, media, bytes) in documents {
            let document = Document { format, media, bytes };
            check(&document, &mut numbers, &mut table, &mut faults);
        }
    }
    report("generated", &table, &faults);
}
