//! Members of packages: what stays inside stays as it is written, and what leads out follows the
//! rules of each command; hyperlinks, fields and formulas of Office.

use basectx::Context;
use relink_rewrite::{
    Dialect, Extras, Filter, Media, Move, NewPlace, Options, Outcome, Package, PrefixMap, Relative,
    Rewritten, SkipReason, Unit, absolutize, references, relativize, relocate,
};

use crate::listing::{at_url, unit};
use crate::xml::{becomes_absolute, output, skipped};

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

/// Returns relationships and field codes with these references: hyperlinks, and one picture.
fn hyperlinks(texts: [&str; 3]) -> Vec<u8> {
    let [a, b, c] = texts;
    format!(
        "<a xmlns:w='http://purl.oclc.org/ooxml/wordprocessingml/main'><Relationship \
         xmlns='http://schemas.openxmlformats.org/package/2006/relationships' Type='http://i/hyperlink' \
         TargetMode='External' Target='{a}'/><w:instrText>HYPERLINK \"{b}\"</w:instrText>\
         <w:instrText>INCLUDEPICTURE \"{c}\"</w:instrText></a>"
    )
    .into_bytes()
}

#[test]
fn hyperlinks_of_office_have_a_base_of_their_own() {
    const BASE: &str = "http://h/t/e/";
    let context = Context::retrieval("http://h/t/d/a.docx".parse().unwrap(), "test");
    let convert = |base: Option<&str>, texts, convert: &dyn Fn(Unit<'_>) -> Rewritten| {
        let old = hyperlinks(texts);
        let rewritten = convert(Unit::new(&old, Media::XML, &context).with_hyperlink_base(base));
        assert_eq!(rewritten.verify_error(), None);
        String::from_utf8(rewritten.output().unwrap_or(&old).to_vec()).unwrap()
    };
    let text = |texts| String::from_utf8(hyperlinks(texts)).unwrap();
    let absolute = |unit: Unit<'_>| absolutize(unit, &Options::default());
    let new = convert(Some(BASE), ["b", "../c", "e"], &absolute);
    assert_eq!(new, text(["http://h/t/e/b", "http://h/t/c", "http://h/t/d/e"]));
    // What is no absolute URL is no base.
    let new = convert(Some("e/"), ["b", "../c", "e"], &absolute);
    assert_eq!(new, text(["http://h/t/d/b", "http://h/t/c", "http://h/t/d/e"]));
    let below = Relative::below("http://h/t/");
    let relative = |unit: Unit<'_>| relativize(unit, &Options::default(), &below);
    let new = convert(Some(BASE), ["http://h/t/e/b", "http://h/t/c", "http://h/t/d/e"], &relative);
    assert_eq!(new, text(["b", "../c", "e"]));
    // A base that moves takes what is below it with it.
    let mut map = PrefixMap::default();
    map.add("http://h/t/e/", "http://g/u/", []).unwrap();
    let moves = Move::by(map);
    let moved = |unit: Unit<'_>| relocate(unit, &Options::default(), &moves);
    let new = convert(Some(BASE), ["b", "../c", "../e/f"], &moved);
    assert_eq!(new, text(["b", "http://h/t/c", "http://g/u/f"]));
    // It stays if the user selects other slots.
    let filter = Filter::new(vec!["opc".to_owned()], Vec::new(), &Extras::default()).unwrap();
    let options = Options::default().with_filter(filter);
    let new = convert(Some(BASE), ["b", "../c", "e"], &|unit| relocate(unit, &options, &moves));
    assert_eq!(new, text(["http://g/u/b", "../c", "e"]));
}

#[test]
fn a_base_of_hyperlinks_is_a_reference() {
    const TYPE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties";
    let text = |base: &str| {
        format!("<Properties xmlns='{TYPE}'><HyperlinkBase>{base}</HyperlinkBase></Properties>")
    };
    let context = Context::retrieval("http://h/t/a.docx".parse().unwrap(), "test");
    for (old, new) in
        [("http://h/t/e/", "http://g/u/v/e/"), ("http://i/", "http://i/"), ("e/", "e/")]
    {
        let old = text(old);
        let unit = Unit::new(old.as_bytes(), Media::XML, &context);
        let output = relocate(unit, &Options::default(), &moves()).into_output();
        assert_eq!(output.unwrap_or(old.clone().into()), text(new).into_bytes());
        let below = Relative::below("http://h/t/");
        assert_eq!(relativize(unit, &Options::default(), &below).into_output(), None);
        assert_eq!(absolutize(unit, &Options::default()).into_output(), None);
    }
}

/// Returns a field in Word, whose code is in these runs, in other fields.
fn field(runs: &[&str]) -> String {
    let run = |text: &&str| match *text {
        "{" => r#"<w:r><w:fldChar w:fldCharType="begin"/></w:r>"#.to_owned(),
        "|" => r#"<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:t>x</w:t>"#.to_owned(),
        "}" => r#"<w:r><w:fldChar w:fldCharType='end'/></w:r>"#.to_owned(),
        text => {
            format!("<w:r><w:rPr/><w:instrText xml:space='preserve'>{text}</w:instrText></w:r>")
        }
    };
    let runs: String = runs.iter().map(run).collect();
    format!(
        "<w:p xmlns:w='http://purl.oclc.org/ooxml/wordprocessingml/main'><w:r><w:fldChar \
         w:fldCharType='begin'/></w:r>{runs}<w:fldChar w:fldCharType='end'/></w:p>"
    )
}

#[test]
fn a_field_code_in_runs_is_one_code() {
    for (code, absolute) in [
        (&[" ", "HYPERLINK ", "\"x\" "][..], &[" ", "HYPERLINK ", "\"http://h/d/x\" "][..]),
        (
            &["HYPER", "LINK \"../", "y&amp;", "z\""],
            &["HYPER", "LINK \"http://h/", "y&amp;", "z\""],
        ),
        (&["HYPERLINK \"x/", "../y\""], &["HYPERLINK \"http://h/d", "/y\""]),
        (
            &["HYPERLINK \"x/", ".", "", ".", "/y\""],
            &["HYPERLINK \"http://h/d", "", "", "", "/y\""],
        ),
        (&["RD ", "x&#38;", "y"], &["RD ", "http://h/d/x&#38;", "y"]),
        (
            &["HYPERLINK \"x", "\" \\o \"", "{", "REF ", "a", "}", "\""],
            &["HYPERLINK \"http://h/d/x", "\" \\o \"", "{", "REF ", "a", "}", "\""],
        ),
        (
            &["IF 1 = \"", "{", "RD ", "x", "|", "}", "\""],
            &["IF 1 = \"", "{", "RD ", "http://h/d/x", "|", "}", "\""],
        ),
        (
            &["RD x", "|", "{", "RD ", "y", "}"],
            &["RD http://h/d/x", "|", "{", "RD ", "http://h/d/y", "}"],
        ),
        (
            &["HYPERLINK x", " \\o ", "y", "{", "REF a", "}"],
            &["HYPERLINK http://h/d/x", " \\o ", "y", "{", "REF a", "}"],
        ),
    ] {
        becomes_absolute(&field(code), &field(absolute));
    }
    for code in [
        &["HYPERLINK \"http://h/", "{", "REF a", "}", "\""][..],
        &["HYPERLINK", " "],
        &["HYPERLINK ../d/", "{", "REF a", "}"],
        &["HYPERLINK .", ".", "", "{", "REF a", "}", "./x"],
        &["HYPERLINK .", "<![CDATA[./x ]]>"],
    ] {
        let skipped = skipped(&field(code)).into_iter().map(|(reason, ..)| reason);
        assert_eq!(skipped.collect::<Vec<_>>(), [SkipReason::FieldCode], "{code:?}");
    }
    // What is not in a code is not joined.
    becomes_absolute(
        &field(&["RD x", "|", "RD y"]),
        &field(&["RD http://h/d/x", "|", "RD http://h/d/y"]),
    );
}

#[test]
fn formulas_are_read_on_request() {
    let sheet = |formula: &str| {
        format!(
            "<c xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><f>{formula}</f></c>"
        )
    };
    let table = |formula: &str| {
        format!(
            "<t:table-cell xmlns:t='urn:oasis:names:tc:opendocument:xmlns:table:1.0' \
             t:formula='of:={}'/>",
            formula.replace(',', ";")
        )
    };
    let read = |document: &str| {
        let opt_in = relink_rewrite::OptIn::default().with_formulas(true);
        let context = at_url();
        let input = unit(document.as_bytes(), Media::XML, &context);
        assert_eq!(absolutize(input, &Options::default()).into_output(), None);
        let rewritten = absolutize(input, &Options::default().with_opt_in(opt_in));
        String::from_utf8(output(rewritten, document.as_bytes())).unwrap()
    };
    for (formula, absolute) in [
        (r#"HYPERLINK("x","y")"#, r#"HYPERLINK("http://h/d/x","y")"#),
        (r#"if(A1,hyperlink ( "x") , "y")"#, r#"if(A1,hyperlink ( "http://h/d/x") , "y")"#),
        (r##"HYPERLINK("#A1","y")"##, r##"HYPERLINK("#A1","y")"##),
        (r#"HYPERLINK("x"&amp;A1,"y")"#, r#"HYPERLINK("x"&amp;A1,"y")"#),
        (r#"HYPERLINK("[x.xlsx]A!B1")"#, r#"HYPERLINK("[x.xlsx]A!B1")"#),
        (r#""HYPERLINK(""x"")""#, r#""HYPERLINK(""x"")""#),
        (r#"MYHYPERLINK("x")&amp;HYPERLINK(A1,"x")"#, r#"MYHYPERLINK("x")&amp;HYPERLINK(A1,"x")"#),
        (r#"HYPERLINK("x"#, r#"HYPERLINK("x"#),
    ] {
        assert_eq!(read(&sheet(formula)), sheet(absolute));
        assert_eq!(read(&table(formula)), table(absolute));
    }
}
