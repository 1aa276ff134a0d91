//! The law and its corollaries on generated XML: identity, locality, idempotence, the way back, and
//! trees that move.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use basectx::Context;
use layers::Span;
use rayon::prelude::*;
use rewrite::{
    BaseElement, Media, Missing, NewPlace, Options, Relative, Rewritten, SkipReason, SkipScope,
    TargetLocation, TargetMap, Unit, absolutize, references, relativize,
};
use url::Url;
use urlcore::Style;

use super::generate::{self, Random};
use super::{judge, trees};

const URL: &str = "http://h.example/a/b.xml?q";
const ROOT: &str = "http://h.example/";
const NEW_URL: &str = "file:///t/a/b.xml";
const NEW_ROOT: &str = "file:///t/";

/// A site that comes to lie on a disk.
#[derive(Debug)]
struct OnDisk;

impl TargetMap for OnDisk {
    fn moved(&self, target: &str, _: bool, new: &mut String) -> TargetLocation {
        let Some(rest) = target.strip_prefix(ROOT) else { return TargetLocation::Outside };
        new.push_str(NEW_ROOT);
        new.push_str(rest);
        TargetLocation::Inside
    }
}

/// Where a target is then.
fn on_disk(target: &Url) -> Option<Url> {
    let fragment = |url: &str| match target.fragment() {
        Some(fragment) => format!("{url}#{fragment}"),
        None => url.to_owned(),
    };
    let is_own = target.as_str().split('#').next() == Some(URL);
    if is_own {
        return Url::parse(&fragment(NEW_URL)).ok();
    }
    Url::parse(&format!("{NEW_ROOT}{}", target.as_str().strip_prefix(ROOT)?)).ok()
}

fn unit<'u>(
    bytes: &'u [u8],
    context: &'u Context<'u>,
    new_place: Option<NewPlace<'u>>,
) -> Unit<'u> {
    Unit::new(bytes, Media::XML, context).with_new_place(new_place)
}

/// Slot, target or text, and raw span of every reference.
fn listed(bytes: &[u8]) -> Vec<(String, String, Span)> {
    let context = Context::retrieval(URL.parse().unwrap(), "--base");
    let options = Options::default();
    let mut list = Vec::new();
    references(unit(bytes, &context, None), &options, |site| {
        let target = site.resolver.and_then(|resolver| resolver.resolve(site.text).ok());
        let target = target.filter(|_| site.kind.has_target());
        let target = target.map_or_else(|| site.text.to_owned(), |target| target.to_string());
        let slot = format!("{} {}", options.extras.name_of(site.slot), site.kind);
        list.push((slot, target, site.frame.raw(site.span)));
    });
    list
}

/// The edits applied without the program, with nothing of the crate `layers` but their fields; each
/// must lie in a reference.
fn applied(bytes: &[u8], rewritten: &Rewritten, references: &[(String, String, Span)]) -> Vec<u8> {
    // A reference to a character, or a character of four bytes, may be what the edit would
    // otherwise join.
    const UNIT: usize = 40;
    let mut out = Vec::new();
    let mut at = 0;
    for edit in rewritten.edits.as_slice() {
        assert!(edit.span.start >= at, "edits are sorted and disjoint");
        let is_inside = |(_, _, span): &(String, String, Span)| {
            span.start.saturating_sub(UNIT) <= edit.span.start && edit.span.end <= span.end
        };
        assert!(references.iter().any(is_inside), "{:?} is outside of references", edit.span);
        out.extend_from_slice(&bytes[at..edit.span.start]);
        out.extend_from_slice(&edit.text);
        at = edit.span.end;
    }
    out.extend_from_slice(&bytes[at..]);
    out
}

/// What a run of the checks counted.
#[derive(Debug, Default)]
struct Sums {
    n_references: usize,
    n_changed: usize,
    n_moved: usize,
    n_skipped: usize,
}

impl Sums {
    fn add(mut self, other: Sums) -> Sums {
        self.n_references += other.n_references;
        self.n_changed += other.n_changed;
        self.n_moved += other.n_moved;
        self.n_skipped += other.n_skipped;
        self
    }
}

/// Every corollary for one document.
fn check(text: &str, charset: &str) -> Sums {
    let bytes = generate::encoded(text, charset);
    let context = Context::retrieval(URL.parse().unwrap(), "--base");
    let options = Options::default();
    let before = listed(&bytes);
    let mut sums = Sums::default();
    let mut checked = |name: &str, rewritten: Rewritten, from: &[u8], new_url: &str| -> Vec<u8> {
        assert_eq!(rewritten.verify_error(), None, "{name}");
        let is_whole = |skipped: &&rewrite::Skipped| skipped.extent == SkipScope::Unit;
        if let Some(skipped) = rewritten.report.skipped.iter().find(is_whole) {
            assert_eq!(skipped.reason, SkipReason::BaseEntity, "{name}");
            assert!(rewritten.output().is_none(), "{name}");
            return from.to_vec();
        }
        sums.n_skipped += rewritten.report.skipped.len();
        let references = if from == bytes { before.clone() } else { listed(from) };
        let output = applied(from, &rewritten, &references);
        let reported = rewritten.into_output().unwrap_or_else(|| from.to_vec());
        assert!(output == reported, "{name}: the edits are not the output");
        let after = generate::decoded(&output, charset);
        let moves: Option<judge::Move<'_>> = (new_url == NEW_URL).then_some(&on_disk);
        let verdict = judge::compare(text, &after, [URL, new_url], moves);
        assert!(verdict.faults.is_empty(), "{name}: {:?}\n-> {after}", verdict.faults);
        sums.n_references += verdict.n_references;
        sums.n_changed += verdict.n_changed;
        sums.n_moved += verdict.n_moved;
        output
    };

    // No edit: the bytes are the same.
    let nowhere = Context::none();
    let bare = Unit::new(&bytes, Media::XML, &nowhere);
    let rewritten = relativize(bare, &options, &Relative::below(ROOT));
    assert!(rewritten.output().is_none() && rewritten.edits.is_empty(), "without a URL");

    let absolute = |from: &[u8]| absolutize(unit(from, &context, None), &options);
    let output = checked("absolutize", absolute(&bytes), &bytes, URL);
    let again = checked("again", absolute(&output), &output, URL);
    assert!(again == output, "absolutize: a second run");
    for (style, base_element) in [
        (Style::Relative, BaseElement::Empty),
        (Style::Shortest, BaseElement::Relative),
        (Style::AbsolutePath, BaseElement::Keep),
    ] {
        let relative = Relative::below(ROOT).with_style(style).with_base_element(base_element);
        for from in [&bytes, &output] {
            let name = format!("relativize {style:?} {base_element:?}");
            let rewritten = relativize(unit(from, &context, None), &options, &relative);
            let back = checked(&name, rewritten, from, URL);
            let rewritten = relativize(unit(&back, &context, None), &options, &relative);
            let again = rewritten.into_output().unwrap_or_else(|| back.clone());
            assert_eq!(
                generate::decoded(&again, charset),
                generate::decoded(&back, charset),
                "{name}: a second run"
            );
        }
    }
    for base_element in [BaseElement::Empty, BaseElement::Keep] {
        let place = NewPlace { url: &NEW_URL.parse().unwrap(), root: NEW_ROOT };
        let relative = Relative::default()
            .with_base_element(base_element)
            .with_missing(Missing::Keep)
            .with_map(Arc::new(OnDisk));
        let rewritten = relativize(unit(&bytes, &context, Some(place)), &options, &relative);
        checked(&format!("moved {base_element:?}"), rewritten, &bytes, NEW_URL);
    }
    sums
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|number| number.parse().ok())
}

/// `RELINK_CASES` asks for more cases, `RELINK_SEED` for others; without it they are the same on
/// every machine.
#[test]
fn generated_documents() {
    let n_cases = number("RELINK_CASES").unwrap_or(1_000);
    let first = number("RELINK_SEED").unwrap_or(1808) << 32;
    let sums = (first..first + n_cases)
        .into_par_iter()
        .map(|seed| {
            let (text, charset) = generate::document(&mut Random::new(seed));
            catch_unwind(AssertUnwindSafe(|| check(&text, charset))).unwrap_or_else(|panic| {
                println!("case {seed} of {first}, in {charset}:\n{text}");
                resume_unwind(panic)
            })
        })
        .reduce(Sums::default, Sums::add);
    println!("{n_cases} generated documents: {sums:?}");
    assert!(sums.n_references > 100 * usize::try_from(n_cases).unwrap() / 10, "{sums:?}");
    assert!(
        sums.n_changed > sums.n_references / 20 && sums.n_moved > 0 && sums.n_skipped > 0,
        "{sums:?}"
    );
}

/// What expat, and a reader of HTML that is not ours, say about generated documents.
#[test]
fn generated_documents_for_expat() {
    if !crate::tools::has("python3", &["--version"]) {
        return;
    }
    let n_cases = number("RELINK_CASES").unwrap_or(1_000) / 10;
    let first = number("RELINK_SEED").unwrap_or(1738) << 32;
    let scratch = tempfile::tempdir().unwrap();
    let tree = scratch.path().join("tree");
    std::fs::create_dir(&tree).unwrap();
    for seed in first..first + n_cases {
        let (text, charset) = generate::document(&mut Random::new(seed));
        std::fs::write(tree.join(format!("{seed}.xml")), generate::encoded(&text, charset))
            .unwrap();
    }
    let mut from = tree.clone();
    for command in ["absolutize", "relativize"] {
        let to = scratch.path().join(command);
        let [old, new] = [&from, &to].map(|path| path.to_str().unwrap());
        let output = trees::relink(&[command, old, "--base", trees::BASE, "-o", new, "-q"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let verdict = trees::judge_events(&tree, &to);
        let (references, changed) = (verdict.n("references"), verdict.n("changed"));
        println!(
            "{command}: {n_cases} documents, {references} references, {changed} values changed"
        );
        assert!(changed * 2 > n_cases, "{command}");
        from = to;
    }
}

/// A document that is cut off, or has lost or gained a mark, is reported to be broken if expat
/// refuses it, and only then. What declarations of a document type hold is not looked at so
/// closely.
#[test]
fn broken_documents() {
    const MARKS: &[&str] = &[
        "<",
        ">",
        "&",
        "\"",
        "'",
        "/",
        "]]>",
        "--",
        "<!--",
        "<![CDATA[",
        "=",
        "\u{1}",
        " ",
        "</a>",
        "&no;",
        "?>",
        "<?",
        ":",
        "#",
        ";",
        "\u{FFFF}",
        "x",
        "<!DOCTYPE a>",
    ];
    if !crate::tools::has("python3", &["--version"]) {
        return;
    }
    let n_cases = number("RELINK_CASES").unwrap_or(1_000) / 5;
    let first = number("RELINK_SEED").unwrap_or(1123) << 32;
    let scratch = tempfile::tempdir().unwrap();
    let [tree, out] = ["tree", "out"].map(|name| scratch.path().join(name));
    std::fs::create_dir(&tree).unwrap();
    let mut inside = BTreeSet::new();
    for seed in first..first + n_cases {
        let random = &mut Random::new(seed);
        let (text, charset) = generate::document(random);
        if charset != "utf-8" {
            continue;
        }
        let name = format!("{seed}.xml");
        let prolog = text.find("] >").map_or(text.find("?>").map_or(0, |at| at + 2), |at| at + 3);
        let is_inside = !random.once_in(5);
        let mut text = text;
        let places = text.char_indices().map(|(at, _)| at).filter(|at| !is_inside || *at >= prolog);
        let places: Vec<usize> = places.collect();
        let at = places[random.below(places.len())];
        match random.below(4) {
            0 => text.truncate(at),
            1 => drop(text.remove(at)),
            _ => text.insert_str(at, random.of(MARKS)),
        }
        std::fs::write(tree.join(&name), text).unwrap();
        if is_inside {
            inside.insert(name);
        }
    }
    let [from, to] = [&tree, &out].map(|path| path.to_str().unwrap());
    let output = trees::relink(&["absolutize", from, "--base", trees::BASE, "-o", to, "-q"]);
    let reported = trees::reported_malformed(&output, &tree);
    let verdict = trees::judge_events(&tree, &tree);
    let refused = verdict.files("malformed").unwrap();
    let read = |name: &String| std::fs::read_to_string(tree.join(name)).unwrap();
    for (name, reason) in &reported {
        // Other versions than 1.x are no error to expat.
        let is_known = refused.contains_key(name) || reason.2.contains("XML declaration");
        assert!(is_known, "{name}: {reason:?}, and expat reads it: {}", read(name));
    }
    for (name, reason) in refused.iter().filter(|(name, _)| inside.contains(*name)) {
        assert!(reported.contains_key(name), "{name}: {reason}, and it was read: {}", read(name));
    }
    println!("{} documents, {} not well-formed", trees::files(&tree).len(), reported.len());
    assert!(reported.len() * 5 > trees::files(&tree).len());
}
