//! Members of packages: what stays inside stays as it is written, and what leads out follows the
//! rules of each command.

use basectx::Context;
use relink_rewrite::{
    Dialect, Media, Move, NewPlace, Options, Outcome, Package, PrefixMap, Relative, Rewritten,
    Unit, absolutize, references, relativize, relocate,
};

const URL: &str = "http://h/t/a.odt/Object%201/content.xml";

/// References of such a member: two inside, three that lead out, and an absolute one.
const TEXTS: [&str; 6] =
    ["../b.png", "#c", "../../d.odt", "/t/e", "//i/f", "http://h/t/a.odt/g.html"];

#[track_caller]
fn check(is_closed: bool, expected: [&str; 6], convert: impl Fn(Unit<'_>) -> Rewritten) {
    let page = |texts: [&str; 6]| {
        let links = texts.map(|text| format!("<p x:href='{text}'/>"));
        format!("<o xmlns:x='http://www.w3.org/1999/xlink'>{}</o>", links.concat()).into_bytes()
    };
    let context = Context::retrieval(URL.parse().unwrap(), "test");
    let old = page(TEXTS);
    let package = Package { url: "http://h/t/a.odt/", is_closed };
    let rewritten = convert(Unit::new(&old, Media::XML, &context).with_package(package));
    assert_eq!(rewritten.verify_error(), None);
    let n_kept = rewritten.report.counts.get(Outcome::Package);
    let n_out = rewritten.report.counts.get(Outcome::Unresolvable);
    assert_eq!((n_kept, n_out), (2, if is_closed { 3 } else { 0 }));
    let new = String::from_utf8_lossy(rewritten.output().unwrap_or(&old)).into_owned();
    assert_eq!(new, String::from_utf8(page(expected)).unwrap());
}

fn moves() -> Move {
    let mut map = PrefixMap::default();
    map.add("http://h/t/", "http://g/u/v/", []).unwrap();
    Move::by(map)
}

#[test]
fn what_is_inside_stays() {
    let [a, b, ..] = TEXTS;
    let absolute = [a, b, "http://h/t/d.odt", "http://h/t/e", "http://i/f", TEXTS[5]];
    check(false, absolute, |unit| absolutize(unit, &Options::default()));
    let relative = [a, b, TEXTS[2], "../../e", "http://i/f", "../g.html"];
    let below = Relative::below("http://h/t/");
    check(false, relative, |unit| relativize(unit, &Options::default(), &below));
    let moved = [a, b, TEXTS[2], "../../e", "//i/f", "http://g/u/v/a.odt/g.html"];
    let url = URL.replace("http://h/t/", "http://g/u/v/").parse().unwrap();
    let place = NewPlace { url: &url, root: "http://g/u/v/" };
    check(false, moved, |unit| relocate(unit.with_new_place(place), &Options::default(), &moves()));
}

#[test]
fn nothing_relative_leaves_a_closed_package() {
    check(true, TEXTS, |unit| absolutize(unit, &Options::default()));
    let below = Relative::below("http://h/t/");
    check(true, TEXTS, |unit| relativize(unit, &Options::default(), &below));
    let [a, b, c, d, e, _] = TEXTS;
    let moved = [a, b, c, d, e, "http://g/u/v/a.odt/g.html"];
    check(true, moved, |unit| relocate(unit, &Options::default(), &moves()));
}

#[test]
fn what_leaves_a_closed_package_has_no_target() {
    let context = Context::retrieval(URL.parse().unwrap(), "test");
    let text = b"<o xmlns:x='http://www.w3.org/1999/xlink' x:href='../../b'/>";
    let targets = |is_closed, dialect| {
        let package = Package { url: "http://h/t/a.odt/", is_closed };
        let unit = Unit::new(text, Media::XML, &context).with_package(package);
        let mut targets = Vec::new();
        let options = Options::default().with_dialect(dialect);
        references(unit, &options, |site| targets.push((site.target(), site.leaves_package())));
        targets
    };
    for dialect in [Dialect::Web, Dialect::Rfc3986] {
        assert_eq!(targets(true, dialect), [(None, true)]);
        assert_eq!(targets(false, dialect), [(Some("http://h/t/b".to_owned()), false)]);
    }
}

#[test]
fn a_base_elsewhere_leads_out() {
    let context = Context::retrieval("http://h/a.epub/b.xhtml".parse().unwrap(), "test");
    let page = "<html xmlns='http://www.w3.org/1999/xhtml'><head><base href='http://i/'/></head>\
                <a href='c'/></html>";
    let package = Package { url: "http://h/a.epub/", is_closed: true };
    let unit = Unit::new(page.as_bytes(), Media::XML, &context).with_package(package);
    let output = absolutize(unit, &Options::default()).into_output().unwrap();
    assert_eq!(output, page.replace("'c'", "'http://i/c'").into_bytes());
}
