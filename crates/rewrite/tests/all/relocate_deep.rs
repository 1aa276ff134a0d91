//! Trees that move, under deep bases: if a new relative spelling would be far longer than the URL,
//! `keep` writes the URL.

use basectx::Context;
use proptest::prelude::*;
use relink_rewrite::{
    Media, Move, MoveStyle, NewPlace, Options, PrefixMap, TargetMap, Unit, references, relocate,
};

const FROM: &str = "http://old/";
const TO: &str = "ftp://new/pub/";

/// Moves a document at `p.html` from `FROM` to `TO`.
fn moved(page: &str, style: MoveStyle) -> String {
    let mut moves = PrefixMap::default();
    moves.add(FROM, TO, []).unwrap();
    let (url, new_url) = (format!("{FROM}p.html"), format!("{TO}p.html"));
    let context = Context::retrieval(url.parse().unwrap(), "--base");
    let new_place = Some(NewPlace { url: &new_url.parse().unwrap(), root: TO });
    let unit = Unit::new(page.as_bytes(), Media::HTML, &context).with_new_place(new_place);
    let rewritten = relocate(unit, &Options::default(), &Move::by(moves).with_style(style));
    assert_eq!((rewritten.verify_error(), &*rewritten.report.skipped), (None, &[][..]), "{page}");
    rewritten.into_output().map_or(page.to_owned(), |output| String::from_utf8(output).unwrap())
}

/// Returns each reference of a page at `url`: its text, and its target.
fn listed(page: &str, url: &str) -> Vec<(String, Option<String>)> {
    let context = Context::retrieval(url.parse().unwrap(), "--base");
    let unit = Unit::new(page.as_bytes(), Media::HTML, &context);
    let mut list = Vec::new();
    references(unit, &Options::default(), |site| {
        let target = site.resolver.and_then(|base| base.resolve(site.text).ok()?.url());
        list.push((site.text.to_owned(), target));
    });
    list
}

/// Returns the page with a base in `depth` directories.
fn page(depth: usize, references: &str) -> String {
    format!("<base href=\"{FROM}{}\">{references}", "a/".repeat(depth))
}

#[test]
fn the_absolute_url_is_written_where_the_relative_one_is_256_octets_longer() {
    let link = "<a href=/d/y>";
    // `ftp://new/pub/d/y` has 17 bytes, and `d/y` 3.
    for (depth, is_relative) in [(1, true), (90, true), (91, false), (1000, false)] {
        let keep = moved(&page(depth, link), MoveStyle::Keep);
        let (relative, absolute) =
            (format!("href={}d/y>", "../".repeat(depth)), "href=ftp://new/pub/d/y>");
        assert!(keep.ends_with(if is_relative { &relative } else { absolute }), "{depth}: {keep}");
        assert!(moved(&page(depth, link), MoveStyle::Relative).ends_with(&relative), "{depth}");
    }
}

#[test]
fn what_is_right_as_it_is_written_stays_however_long_it_is() {
    let links = format!("<a href={}c>", "../".repeat(500));
    assert!(moved(&page(500, &links), MoveStyle::Keep).ends_with(&links));
}

fn reference() -> impl Strategy<Value = String> {
    let path = prop::collection::vec("[a-c]|\\.\\.", 0..4).prop_map(|path| path.join("/"));
    let front = prop_oneof![
        Just(String::new()),
        Just("/".to_owned()),
        Just("//old/".to_owned()),
        Just("http://old/".to_owned()),
        Just("http://out/".to_owned()),
        Just("#".to_owned()),
        (0..400_usize).prop_map(|n| "../".repeat(n)),
    ];
    (front, path).prop_map(|(front, path)| format!("{front}{path}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_second_run_changes_nothing(
        depth in 0..400_usize,
        references in prop::collection::vec(reference(), 1..6),
    ) {
        let links: String = references.iter().map(|url| format!("<a href=\"{url}\">")).collect();
        let page = page(depth, &links);
        let output = moved(&page, MoveStyle::Keep);
        prop_assert_eq!(moved(&output, MoveStyle::Keep), &*output, "{}", page);
        let mut moves = PrefixMap::default();
        moves.add(FROM, TO, []).unwrap();
        let (old, new) = (listed(&page, "http://old/p.html"), listed(&output, "ftp://new/pub/p.html"));
        prop_assert_eq!(old.len(), new.len());
        for ((was, from), (is, to)) in old.iter().zip(&new) {
            prop_assert_eq!(from.as_deref().map(|url| moves.url(url)), to.clone(), "{}", page);
            let longest = to.as_deref().map_or(0, str::len) + 256;
            prop_assert!(is == was || is.len() <= longest, "{} of {}", is, page);
        }
    }
}
