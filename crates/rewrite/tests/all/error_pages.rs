//! Documents that a server sends for other URLs too, at any depth.

use relink_rewrite::{
    BaseElement, Context, Media, Move, MoveStyle, NewPlace, Options, Outcome, PrefixMap, Relative,
    Rewritten, Unit, Verify, absolutize, relativize, relocate,
};

const URL: &str = "http://h/t/404.html";

fn converted(
    document: &str,
    convert: impl Fn(Unit<'_>, &Options) -> Rewritten,
) -> (String, Vec<usize>) {
    let context = Context::retrieval(URL.parse().unwrap(), "test");
    let unit = Unit::new(document.as_bytes(), Media::HTML, &context);
    let options = Options::default().with_verify(Verify::Full);
    let rewritten = convert(unit.with_error_page(true), &options);
    assert_eq!(rewritten.verify_error(), None, "{document}");
    let output = rewritten.output().unwrap_or(document.as_bytes()).to_vec();
    let counts =
        [Outcome::ErrorPage, Outcome::PathDependent].map(|it| rewritten.report.counts.get(it));
    (String::from_utf8(output).unwrap(), counts.to_vec())
}

/// Asserts what each command makes of a document: `relativize` leaves all of it.
#[track_caller]
fn check(document: &str, absolute: &str, moved: &str, n_dependent: usize) {
    let (output, counts) = converted(document, absolutize);
    assert_eq!((output.as_str(), counts[1]), (absolute, n_dependent));
    for base_element in [BaseElement::Empty, BaseElement::Relative] {
        let relative = Relative::below("http://h/t/").with_base_element(base_element);
        let (output, counts) =
            converted(document, |unit, options| relativize(unit, options, &relative));
        assert_eq!((output.as_str(), counts[1]), (document, n_dependent));
    }
    let mut moves = PrefixMap::default();
    moves.add("http://h/t/", "http://n/docs/", []).unwrap();
    for style in [MoveStyle::Keep, MoveStyle::Relative] {
        let to = Move::by(moves.clone()).with_style(style);
        let place = NewPlace { url: &"http://n/docs/404.html".parse().unwrap(), root: "" };
        let (output, counts) =
            converted(document, |unit, options| relocate(unit.with_new_place(place), options, &to));
        assert_eq!((output.as_str(), counts[1]), (moved, n_dependent), "{style:?}");
    }
}

#[test]
fn references_that_do_not_depend_on_the_path_keep_their_form() {
    check(
        "<link rel=stylesheet href=/t/a.css><a href=http://h/t/x>",
        "<link rel=stylesheet href=http://h/t/a.css><a href=http://h/t/x>",
        "<link rel=stylesheet href=/docs/a.css><a href=http://n/docs/x>",
        0,
    );
    // What is out of the tree stays at the old host.
    check("<a href=/other>", "<a href=http://h/other>", "<a href=http://h/other>", 0);
}

#[test]
fn references_that_depend_on_the_path_stay_and_are_reported() {
    let document = "<img src=a.png><a href=../x><p style='background:url(b.png)'>";
    check(document, document, document, 3);
    // These name the page itself, whatever its URL.
    let document = "<a href='#x'><a href='?q'><a href=''>";
    check(document, document, document, 0);
}

#[test]
fn a_page_in_an_error_page_has_its_urls() {
    check(
        "<iframe srcdoc='<img src=/t/a.png><a href=http://h/t/x>'></iframe>",
        "<iframe srcdoc='<img src=http://h/t/a.png><a href=http://h/t/x>'></iframe>",
        "<iframe srcdoc='<img src=/docs/a.png><a href=http://n/docs/x>'></iframe>",
        0,
    );
    let document = "<iframe srcdoc='<img src=a.png><a href=#x>'></iframe>";
    check(document, document, document, 1);
    // Its own base, and that of the page around it.
    check(
        "<iframe srcdoc='<base href=/t/d/><img src=a.png>'></iframe>",
        "<iframe srcdoc='<base href=http://h/t/d/><img src=http://h/t/d/a.png>'></iframe>",
        "<iframe srcdoc='<base href=/docs/d/><img src=a.png>'></iframe>",
        0,
    );
    let document = "<iframe srcdoc='<base href=d/><img src=a.png>'></iframe>";
    check(document, document, document, 2);
}

#[test]
fn a_base_that_does_not_depend_on_the_path_is_kept() {
    check(
        "<base href=/t/><link rel=stylesheet href=a.css><a href=#x>",
        "<base href=http://h/t/><link rel=stylesheet href=http://h/t/a.css><a href=#x>",
        "<base href=/docs/><link rel=stylesheet href=a.css><a href=#x>",
        0,
    );
    // One that does makes all relative references depend on it.
    let document = "<base href=d/><img src=a.png>";
    check(document, document, document, 2);
    // Before it, an image is loaded from the path of the page.
    let late = "<img src=a.png><base href=/t/><a href=x>";
    let (output, counts) = converted(late, absolutize);
    assert_eq!(output, "<img src=a.png><base href=http://h/t/><a href=http://h/t/x>");
    assert_eq!(counts[1], 1);
}
