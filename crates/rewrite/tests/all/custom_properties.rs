//! URLs in CSS that are resolved where they are used, and not where they stand.

use relink_rewrite::{
    Media, Move, Options, Outcome, PrefixMap, Relative, Verify, absolutize, relativize, relocate,
};

use crate::listing::{at_url, unit};

/// Asserts what the commands make of a document at `http://h/d/p`, and how many references are left
/// because they are resolved elsewhere.
#[track_caller]
fn check(media: Media, document: &str, absolute: &str, n_left: usize) {
    let context = at_url();
    let options = Options::default().with_verify(Verify::Full);
    let unit = unit(document.as_bytes(), media, &context);
    let rewritten = absolutize(unit, &options);
    assert_eq!(rewritten.verify_error(), None);
    let output = rewritten.output().unwrap_or(document.as_bytes()).to_vec();
    assert_eq!(String::from_utf8_lossy(&output), absolute);
    assert_eq!(rewritten.report.counts.get(Outcome::PlaceDependent), n_left, "{document}");
    let rewritten = relativize(unit, &options, &Relative::below("http://h/"));
    assert_eq!(rewritten.report.counts.get(Outcome::PlaceDependent), n_left, "{document}");
}

#[track_caller]
fn is_left(sheet: &str) {
    check(Media::CSS, sheet, sheet, 1);
}

#[track_caller]
fn is_read(sheet: &str) {
    check(
        Media::CSS,
        sheet,
        &sheet.replace("(x", "(http://h/d/x").replace("'x", "'http://h/d/x"),
        0,
    );
}

#[test]
fn custom_properties() {
    is_left(":root{--x:url(x)}");
    is_left(":root{ --x : no-repeat url( '/x' ) }");
    is_left(":root{color:red;--x:url(x)}");
    is_left(":root{/* a */ --x:url(x)}");
    is_left(":root{--x:image-set('x' 1x)}");
    is_left("@keyframes k{from{--x:url(//i/x)}}");
    is_left(":root{--a:url(data:image/png;base64,AA==),url(x)}");
    // The name may be written with escapes.
    is_left(":root{\\2d-x:url(x)}");
    is_left(":root{\\2d\\2D x/**/:url(x)}");
    is_left(":root{-\\-x :url(x)}");
    is_left(":root{\\--x:url(x)}");
    is_left("@f\\75nction --f(){result:url(x)}");
    is_read(":root{\\2e-x:url(x)}");
    // An absolute URL is the same everywhere.
    check(Media::CSS, ":root{--x:url(http://i/x)}", ":root{--x:url(http://i/x)}", 0);
    check(Media::CSS, ":root{--x:url(#x)}", ":root{--x:url(#x)}", 0);
    // These are resolved where they stand.
    is_read(":root{--x:1;background:url(x)}");
    is_read("a{background:var(--x, url(x))}");
    is_read("a{--x:{} background:url(x)}");
    is_read("a-- b{background:url(x)}");
    is_read("-->url(x)");
    is_read("--x url(x)");
    is_read("@import url(x);");
    is_read("@media (--m){a{background:url(x)}}");
}

/// One that leads into the tree stays absolute, since the property may be used in any directory.
#[test]
fn absolute_urls_into_the_tree_are_counted() {
    let sheet = b":root{--x:url(http://h/x);--y:url(http://i/x)}";
    let context = at_url();
    let unit = unit(sheet, Media::CSS, &context);
    let rewritten = relativize(unit, &Options::default(), &Relative::below("http://h/"));
    assert_eq!(rewritten.output(), None);
    let counts = &rewritten.report.counts;
    assert_eq!((counts.get(Outcome::PlaceDependent), counts.get(Outcome::Outside)), (1, 1));
}

#[test]
fn definitions() {
    is_left("@function --f(){result:url(x)}");
    is_left("@function --f(--a: url(x)){result:var(--a)}");
    is_left("@property --p{syntax:'<image>';inherits:false;initial-value:url(x)}");
    is_read("@function --f(){result:1} a{background:url(x)}");
}

/// They are compared with the text of the property, which is left.
#[test]
fn style_queries() {
    is_left("@container style(--x: url(x)){a{color:red}}");
    is_left("@container (width > 1px) and Style((--x: url(x)) or (--y: 1)){a{color:red}}");
    is_left("a{color:if(style(--x: url(x)): red; else: blue)}");
    is_read("@container style(--x: 1){a{background:url(x)}}");
    is_read("a{background:if(style(--x: 1): url(x); else: none)}");
}

/// Internet Explorer resolves it against the page.
#[test]
fn behavior() {
    is_left("a{behavior:url(x.htc)}");
    is_left("a{-ms-behavior:url(x.htc)}");
    is_read("a{behaviors:url(x)}");
}

/// So are the images of its filters.
#[test]
fn filters() {
    let filter = |src: &str| {
        format!("progid:DXImageTransform.Microsoft.AlphaImageLoader({src},sizingMethod='scale')")
    };
    for src in ["src='x'", "enabled=true, SRC = \"x\"", "src=\"x\",a='y'"] {
        is_left(&format!("a{{filter:alpha(opacity=50) {}}}", filter(src)));
    }
    is_left(&format!("a{{-ms-filter:\"{}\"}}", filter("src='x'")));
    is_left(&format!("a{{-ms-filter:'{} alpha()'}}", filter("enabled=true,src = \"x(1)\"")));
    let absolute = "a{filter:AlphaImageLoader(src='http://i/d/x');-ms-filter:'AlphaImageLoader(src=\"http://i/d/x\")'}";
    check(Media::CSS, absolute, absolute, 0);
    let mut moves = PrefixMap::default();
    moves.add("http://i/", "http://n/", []).unwrap();
    let context = at_url();
    let unit = unit(absolute.as_bytes(), Media::CSS, &context);
    let moved = relocate(unit, &Options::default().with_verify(Verify::Full), &Move::by(moves));
    let expected = absolute.replace("http://i/", "http://n/");
    assert_eq!(String::from_utf8_lossy(&moved.into_output().unwrap_or_default()), expected);
    // Neither is one of these.
    let none =
        "a{filter:AlphaImageLoader(asrc='x',sizing='y')}b{content:\"AlphaImageLoader(src='x')\"}";
    check(Media::CSS, none, none, 0);
    // The page is the place of its own.
    let page = "<style>a{filter:AlphaImageLoader(src='x')}b{c:var(--d)}</style>";
    check(Media::HTML, page, &page.replace("'x'", "'http://h/d/x'"), 0);
}

#[test]
fn a_page_with_all_uses_in_it_is_their_place() {
    let page = |rest: &str, url: &str| {
        format!("<style>:root{{--x:url({url})}}a{{background:var(--x)}}</style>{rest}")
    };
    check(Media::HTML, &page("<a>", "x"), &page("<a>", "http://h/d/x"), 0);
    let style = "<p style='--x:url(x);background:var(--x)'>";
    check(Media::HTML, style, &style.replace("(x)", "(http://h/d/x)"), 0);
    let call =
        |url| format!("<style>@function --f(){{result:url({url})}}a{{background:--f()}}</style>");
    check(Media::HTML, &call("x"), &call("http://h/d/x"), 0);
    // A style sheet or a script may use it elsewhere.
    for rest in ["<link rel=stylesheet href=http://h/s.css>", "<script>a()</script>"] {
        check(Media::HTML, &page(rest, "x"), &page(rest, "x"), 1);
    }
    // So may a style of the page, if a base begins before it.
    let base = "<base href=http://h/d/e/>";
    let early = |url| format!("{base}{}", page("<p style='background:var(--x)'>", url));
    check(Media::HTML, &early("x"), &early("http://h/d/e/x"), 0);
    let late = |url| page(&format!("{base}<p style='background:var(--x)'>"), url);
    check(Media::HTML, &late("x"), &late("x"), 1);
    let (page, context) = (late("http://h/d/x"), at_url());
    let unit = unit(page.as_bytes(), Media::HTML, &context);
    let rewritten = relativize(unit, &Options::default(), &Relative::below("http://h/"));
    assert_eq!(rewritten.report.counts.get(Outcome::PlaceDependent), 1);
}
