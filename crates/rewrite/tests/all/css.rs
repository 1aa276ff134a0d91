//! Style sheets, token by token: CSS Syntax level 3, section 4; CSS Values level 4, section 4.5;
//! CSS Images level 4, section 2.4.

use relink_rewrite::Kind;

use crate::listing::{css, html};

/// Asserts the references of a style sheet: each as the first letter of its slot (`@`, `i`mage-set,
/// `s`rc, `u`rl), its text, and the raw text where it differs.
#[track_caller]
fn check(sheet: &str, expected: &[&str]) {
    let shown: Vec<String> = css(sheet)
        .iter()
        .map(|found| {
            let raw = std::str::from_utf8(found.span.slice(sheet.as_bytes())).expect("UTF-8");
            let name = found.slot.strip_prefix("css ").expect("a slot of style sheets");
            let written = if raw == found.text { "" } else { raw };
            format!("{} {} {written}", &name[..1], found.text).trim_end().to_owned()
        })
        .collect();
    assert_eq!(shown, expected, "{sheet:?}");
}

#[test]
fn bare_urls() {
    check("a{b:url(x)}", &["u x"]);
    check("a{b:url( x )}", &["u x"]);
    check("a{b:url(\n\t x\r\n)}", &["u x"]);
    check("a{b:url(x),url(y)url(z)}", &["u x", "u y", "u z"]);
    check("url(x?a=b&c#d,e;f)", &["u x?a=b&c#d,e;f"]);
    check("url(//h/*y*/)", &["u //h/*y*/"]);
    check("url(é)", &["u é"]);
    check("URL(x) Url(y) uRl('z')", &["u x", "u y", "u z"]);
    check("url()url( )url('')", &[]);
}

#[test]
fn quoted_urls() {
    check("url('x')url(\"y\")", &["u x", "u y"]);
    check("url( \n'x' )", &["u x"]);
    check("url('a b(c)d\"e')", &["u a b(c)d\"e"]);
    check("url(\"it's\")", &["u it's"]);
    check("url('x' mod(1) 'y')", &["u x"]);
    check("url(' x ')", &["u x"]);
    check("src('x')src( \"y\" )", &["s x", "s y"]);
    check("src(x)src(var(--x))", &[]);
}

#[test]
fn escapes() {
    check(r"url(a\29 b)", &[r"u a)b a\29 b"]);
    check(r"url(a\)b)", &[r"u a)b a\)b"]);
    check(r"url(a\ b)", &[r"u a b a\ b"]);
    check(r"url('a\'b')", &[r"u a'b a\'b"]);
    check(r#"url("a\"b")"#, &[r#"u a"b a\"b"#]);
    check(r"url('\000078y')", &[r"u xy \000078y"]);
    check(r"url('\0000789')", &[r"u x9 \0000789"]);
    check("url('x\\\ny')", &["u xy x\\\ny"]);
    check("url('x\\\r\ny')", &["u xy x\\\r\ny"]);
    check("url(\\78\ty)", &["u xy \\78\ty"]);
    check(r"url('\0\D800\110000')", &["u \u{FFFD}\u{FFFD}\u{FFFD} \\0\\D800\\110000"]);
    check("url(a\0b)", &["u a\u{FFFD}b a\0b"]);
    check(r"url('a\\')url(b\\)", &[r"u a\ a\\", r"u b\ b\\"]);
}

#[test]
fn escaped_names() {
    check(r"\75rl(x)", &["u x"]);
    check(r"\75 rl('x')", &["u x"]);
    check(r"u\72l(x)u\72 l(y)ur\6c(z)", &["u x", "u y", "u z"]);
    check(r"\55\52\4c(x)", &["u x"]);
    check(r"@\69mport 'x'", &["@ x"]);
    check(r"@impor\74  url(x)", &["@ x"]);
    check(r"image\2dset('x')", &["i x"]);
    check(r"@names\70 ace 'x'", &[]);
    check(r"\u rl(x)url\(x)curl(y)url-prefix(z)urls('w')", &[]);
}

// 4.3.6, 4.3.14: a bad URL extends to the next parenthesis that is not escaped.
#[test]
fn bad_urls() {
    check("url(a b)url(x)", &["u x"]);
    check("url(a\"b)url(x)", &["u x"]);
    check("url(a'b)url(x)", &["u x"]);
    check("url(a(b)url(x)", &["u x"]);
    check("url(a\\\nb)url(x)", &["u x"]);
    check("url(a\u{1}b)url(\u{7F})url(x)", &["u x"]);
    check(r"url(a b\)url(y)url(x)", &["u x"]);
    // Comments are not recognized there.
    check("url(/*c*/x)", &["u /*c*/x"]);
    check("url(/*c*/'x')url(y)", &["u y"]);
    check("url(a /*)*/url(x)", &["u x"]);
    check("url(x y", &[]);
}

// 4.3.5: a line end ends a bad string; the end of the sheet ends a good one.
#[test]
fn strings_that_are_not_ended() {
    check("url('x", &["u x"]);
    check("@import \"x", &["@ x"]);
    check("url(x", &["u x"]);
    check("url(x ", &["u x"]);
    check("url('x'", &["u x"]);
    check("url('x\\", &["u x"]);
    check("url(x\\", &["u x\u{FFFD} x\\"]);
    check("url('x\\'", &["u x' x\\'"]);
    check("@import 'x\n;a{b:url(y)}", &["u y"]);
    check("url('x\n')url(y)", &[]);
    check("url('x\n)url(y)", &["u y"]);
    check("url(", &[]);
    check("url('", &[]);
    check("/* url(x)", &[]);
}

#[test]
fn imports() {
    check("@import 'x';@import \"y\"", &["@ x", "@ y"]);
    check("@import url(x);@import url('y')", &["@ x", "@ y"]);
    check("@import src('x');", &["@ x"]);
    check("@import'x'screen;", &["@ x"]);
    check("@import/**/ /**/url(x)", &["@ x"]);
    check("@IMPORT URL( x );", &["@ x"]);
    check("@import 'x' layer(a) supports(display: grid) screen and (width > 1px);", &["@ x"]);
    check("@import url(x) layer supports(font-format(\"y\")) 'z';", &["@ x"]);
    check("@import x 'y';@import;'z'", &[]);
    check("@import {'x'}@import ['y'];@imports 'z';import 'w'", &[]);
    check("@import url(x) url(y)", &["@ x", "u y"]);
    check("@import ) 'x';", &[]);
}

#[test]
fn namespaces_are_names() {
    check("@namespace 'x';@namespace p url(y);@namespace p url('z');a{b:url(c)}", &["u c"]);
    check("@NameSpace p src('x') (url(y));url(c)", &["u c"]);
    check("@namespace url(x){a:url(c)}", &["u c"]);
}

#[test]
fn image_sets() {
    check("image-set('x' 1x,\"y\" 2x)", &["i x", "i y"]);
    check("image-set(url(x) 1x,url('y') 2x,'z')", &["u x", "u y", "i z"]);
    check("-webkit-image-set(url(x)1x,'y' 2x)", &["u x", "i y"]);
    check("IMAGE-SET('x')-WebKit-Image-Set('y')", &["i x", "i y"]);
    check("image-set('x' type(\"image/png\")1x,'y' type('z'))", &["i x", "i y"]);
    check("image-set(linear-gradient(red,blue)1x,'x' calc((1x)))", &["i x"]);
    check("image-set('x',(image-set('y')'z'))'w'", &["i x", "i y"]);
    check("-moz-image-set('x')image-sets('y')image-set 'z'", &[]);
    check("image-set('x", &["i x"]);
}

#[test]
fn other_strings_and_places() {
    check("@charset \"utf-8\";a{b:url(x)}", &["u x"]);
    check("a::after{content:'x'}a[href='x']{quotes:'x' \"y\"}", &[]);
    check("@font-face{src:url(x)format('y'),local('z')}", &["u x"]);
    check("a{--x:url(x);--y:'y';--z:image-set('z')}", &["u x", "i z"]);
    check("<!-- a{b:url(x)} -->", &["u x"]);
    check("a{b:url(x)/*url(y)'*/}/**/c{d:url(z)}/***/", &["u x", "u z"]);
    check("@media print{@supports (a:b){a{b:url(x)}}}", &["u x"]);
    check("@document url(x),url-prefix(y){}", &["u x"]);
    check("}])url(x)", &["u x"]);
    check("url/**/(x)url (y)'url(z)'", &[]);
    check("", &[]);
}

#[test]
fn local_ones() {
    let kind = |sheet: &str| css(sheet)[0].kind;
    for sheet in ["url(#x)", "url('#x')", "url( #x )", r"url(\23 x)", "src('#')"] {
        assert_eq!(kind(sheet), Kind::Local, "{sheet:?}");
    }
    assert_eq!((kind("url(x#y)"), kind("url('?#y')")), (Kind::Url, Kind::Url));
}

#[test]
fn nesting_without_end() {
    let deep = |open: &str| format!("{}url(x)", open.repeat(100_000));
    for open in ["(", "[", "{", "a(", "url('y'", "image-set(", "@import("] {
        assert_eq!(css(deep(open)).last().unwrap().text, "x", "{open:?}");
    }
    check(&format!("{}{}url(x)", "(".repeat(100_000), ")".repeat(100_000)), &["u x"]);
}

#[test]
fn in_attributes_and_elements() {
    let texts = |document: &str| -> Vec<String> {
        html(document).into_iter().map(|found| format!("{} {}", found.slot, found.text)).collect()
    };
    assert_eq!(texts("<p style=\"b:url('x')\">"), ["css url() x"]);
    assert_eq!(texts("<p style='b:url(&#39;x&#39;)'>"), ["css url() x"]);
    assert_eq!(texts("<p style='b:url(&quot;x&amp;y&quot;)'>"), ["css url() x&y"]);
    assert_eq!(texts("<p style=b:&#117;rl&lpar;x)>"), ["css url() x"]);
    assert_eq!(texts("<p style='b:ur\\6c\n(x)'>"), ["css url() x"]);
    assert_eq!(texts("<style>b:url(x&amp;y)</style>"), ["css url() x&amp;y"]);
    assert_eq!(texts("<style><!-- @import 'x'; --></style>"), ["css @import x"]);
    assert_eq!(texts("<style>url('x</style><a href=y>"), ["css url() x", "a[href] y"]);
    assert_eq!(texts("<style>/*</style><a href=y>"), ["a[href] y"]);
}

// CSS Syntax 3.2: byte order mark, then `@charset`, then a guess from the bytes.
#[test]
fn charsets() {
    let text = |sheet: &[u8]| css(sheet)[0].text.clone();
    assert_eq!(text(b"\xEF\xBB\xBFurl(\xC3\xA9)"), "é");
    assert_eq!(text(b"url(\xC3\xA9)"), "é");
    assert_eq!(text(b"url(\xE9)"), "é");
    assert_eq!(text(b"@charset \"windows-1251\";url(\xE9)"), "й");
    assert_eq!(text(b"@charset \"shift_jis\";url(\x83\x5C.png)"), "ソ.png");
    assert_eq!(text(b"@charset \"utf-16\";url(\xC3\xA9)"), "é");
    assert_eq!(text(b"@charset \"utf-8\";url(\xE9)"), "%E9");
    // It is not written in the required form, so it is ignored.
    assert_eq!(text(b"@charset 'windows-1251';url(\xE9)"), "é");
    assert_eq!(text(b" @charset \"windows-1251\";url(\xE9)"), "é");
    assert_eq!(text(b"@charset \"windows-1251\" ;url(\xE9)"), "é");
    assert_eq!(css(b"\xEF\xBB\xBFurl(x)")[0].span, layers::Span::new(7, 8));
}
