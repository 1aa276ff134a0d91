//! The spans of values in an HTML document, and tags that are not tags: HTML standard, sections
//! 13.2.5 (tokens) and 13.2.6 (the tree).

use crate::listing::html;

/// Asserts the references of a document with a `⟦` and a `⟧` around each of them, which are removed
/// first; `expected` is their slots, in order.
#[track_caller]
fn check(marked: &str, expected: &str) {
    let (mut document, mut spans) = (String::new(), Vec::new());
    for (idx, piece) in marked.split('⟦').enumerate() {
        let (reference, rest) =
            if idx == 0 { ("", piece) } else { piece.split_once('⟧').expect("a reference ends") };
        let start = document.len();
        document.push_str(reference);
        if idx > 0 {
            spans.push((start, document.len()));
        }
        document.push_str(rest);
    }
    let found = html(&document);
    let slots: Vec<&str> = found.iter().map(|found| &*found.slot).collect();
    assert_eq!(slots.join(" "), expected, "{document:?}");
    let got: Vec<(usize, usize)> =
        found.iter().map(|found| (found.span.start, found.span.end)).collect();
    assert_eq!(got, spans, "{document:?}");
}

/// Asserts the decoded texts of the references.
#[track_caller]
fn check_texts(document: &str, expected: &[&str]) {
    let found = html(document);
    let texts: Vec<&str> = found.iter().map(|found| &*found.text).collect();
    assert_eq!(texts, expected, "{document:?}");
}

#[test]
fn quoting() {
    check("<a href=⟦x⟧>", "a[href]");
    check("<a href=\"⟦x⟧\">", "a[href]");
    check("<a href='⟦x⟧'>", "a[href]");
    check("<a href = \n\t'⟦x⟧' >", "a[href]");
    check("<a href=⟦x⟧ id=y>", "a[href]");
    check("<a id=\"y\"href='⟦x⟧'id=z>", "a[href]");
    check("<a href=\" \n⟦x y⟧\t \">", "a[href]");
    check("<a href='⟦x\"y>z⟧'>", "a[href]");
    check("<a href=⟦x\"y'z`<=⟧>", "a[href]");
    check("<a href='⟦é⟧'>", "a[href]");
}

#[test]
fn without_a_value() {
    check("<a href⟦⟧>", "a[href]");
    check("<a href=⟦⟧>", "a[href]");
    check("<a href= ⟦⟧>", "a[href]");
    check("<a href⟦⟧ id>", "a[href]");
    check("<a href⟦⟧/>", "a[href]");
    check("<a href=\"⟦⟧\">", "a[href]");
    check("<a href='  ⟦⟧'>", "a[href]");
}

#[test]
fn odd_signs() {
    check("<a href=⟦/x/⟧>", "a[href]");
    check("<a/href=⟦x⟧>", "a[href]");
    check("<a//href=⟦x/⟧>", "a[href]");
    check("<a / href=⟦x⟧ />", "a[href]");
    check("<a =href=x>", "");
    check("<a href=⟦=x⟧>", "a[href]");
    check("<a = href=⟦x⟧>", "a[href]");
    check("<a \"href=x>", "");
    check("<a '\" href=⟦x⟧>", "a[href]");
    check("<a<href=x>", "");
    check("<a <href=x href=⟦y⟧>", "a[href]");
    check("<a\u{C}href=⟦x⟧>", "a[href]");
    check("<a\u{B}href=x>", "");
    check("<A HreF=⟦x⟧>", "a[href]");
    check("<\u{212A}a href=x>< a href=x><1 href=x><=a href=x>", "");
    check("<<a href=⟦x⟧>", "a[href]");
}

#[test]
fn the_first_of_a_name_holds() {
    check("<a href=⟦x⟧ href=y>", "a[href]");
    check("<a href=⟦x⟧ HREF=y>", "a[href]");
    check("<a href⟦⟧ href=y>", "a[href]");
    check("<img src=⟦x⟧ alt src=y lowsrc=⟦z⟧ src=w>", "img[src] img[lowsrc]");
    let many: String = (0..40).map(|number| format!(" a{number}=b")).collect();
    check(&format!("<a{many} href=⟦x⟧{many} href=y>"), "a[href]");
}

#[test]
fn tags_that_quotes_and_brackets_split() {
    check("<a title='>' href=⟦x⟧>", "a[href]");
    check("<a title=\"<a href='y'>\" href=⟦x⟧>", "a[href]");
    check("<a title=<b href=⟦x⟧>", "a[href]");
    check("<a title=a'b href=⟦x⟧>'", "a[href]");
    check("<a title='\n<a href=\n>\n' href='⟦x⟧'><a href=⟦y⟧>", "a[href] a[href]");
    check("<p title='><p href=x><a href=y>", "");
    check("<a href=⟦x⟧><a href=y", "a[href]");
    check("<a href=⟦x⟧><a href='y>", "a[href]");
}

#[test]
fn end_tags_hold_none() {
    check("</a href=x></img src=x><a href=⟦y⟧>", "a[href]");
    check("</ a href=x></><a href=⟦y⟧>", "a[href]");
}

#[test]
fn what_is_decoded() {
    check_texts("<a href='x&amp;y&lt;&#x41;&#66;'>", &["x&y<AB"]);
    check_texts("<a href=x&ampy><a href=x&amp=y><a href=x&amp>", &["x&ampy", "x&amp=y", "x&"]);
    check_texts("<a href=&Tab;x&NewLine;>", &["x"]);
    check_texts("<a href='x\0y'>", &["x\u{FFFD}y"]);
    check("<a href='⟦x\0y⟧'><a\0 href=x><a hr\0ef=x><a href=⟦z\0⟧>", "a[href] a[href]");
    check("<a href='⟦x\ny\r\nz\rw⟧'>", "a[href]");
    check("<a\r\nhref\r=\r\n⟦x⟧\r>", "a[href]");
    check("<a href='⟦x&amp;y⟧&#32;'>", "a[href]");
}

#[test]
fn raw_text() {
    check("<script><a href=x></script><a href=⟦y⟧>", "a[href]");
    check("<title><a href=x></title><textarea><a href=x></textarea><a href=⟦y⟧>", "a[href]");
    check("<xmp><a href=x></xmp><style><a href=x></style><a href=⟦y⟧>", "a[href]");
    check("<title></titles><a href=x></title/><a href=⟦y⟧>", "a[href]");
    check("<textarea></textarea <a href=x>><a href=⟦y⟧>", "a[href]");
    check("<title/><a href=x></title><script/><a href=x></script>", "");
    check("<plaintext><a href=x></plaintext><a href=x>", "");
    check("<pre><a href=⟦y⟧></pre><listing><a href=⟦y⟧></listing>", "a[href] a[href]");
    check("<style><a href=x></style", "");
}

// 13.2.5.18 to 13.2.5.31: comments inside scripts.
#[test]
fn script_escapes() {
    check("<script><!--<a href=x>--></script><a href=⟦y⟧>", "a[href]");
    check("<script><!--</script><a href=⟦y⟧>-->", "a[href]");
    check("<script><!--<script></script><a href=x></script><a href=⟦y⟧>", "a[href]");
    check("<script><!--<script>--></script><a href=⟦y⟧>", "a[href]");
    check("<script><!--script></script><a href=⟦y⟧>", "a[href]");
    check("<script><!-- a-script> </script><a href=⟦y⟧>", "a[href]");
    check("<script><!--><script></script><a href=⟦y⟧>", "a[href]");
    check("<script><!---><script></script><a href=⟦y⟧>", "a[href]");
    check("<script><!--<scripts></script><a href=⟦y⟧>", "a[href]");
    check("<script><!--<script ></script\n><a href=x></SCRIPT><a href=⟦y⟧>", "a[href]");
    check("<script><script></script><a href=⟦y⟧>", "a[href]");
    check("<script><!--<script></script><a href=x>", "");
    check("<script>a</script b='><a href=x>'><a href=⟦y⟧>", "a[href]");
}

#[test]
fn comments() {
    check("<!-- <a href=x> --><a href=⟦y⟧>", "a[href]");
    check("<!--><a href=⟦y⟧><!---><a href=⟦y⟧>-->", "a[href] a[href]");
    check("<!-- > -- > <a href=x> --!><a href=⟦y⟧>", "a[href]");
    check("<!--a--!--><a href=⟦y⟧>", "a[href]");
    check("<!--<!--><a href=⟦y⟧>", "a[href]");
    check("<!-- <!-- --> <a href=⟦y⟧> -->", "a[href]");
    check("<!a '><a href=⟦y⟧><?a \"><a href=⟦y⟧></!a><a href=⟦y⟧>", "a[href] a[href] a[href]");
    check("<!doctype a '><a href=⟦y⟧>", "a[href]");
    check("<!-- <a href=x>", "");
    check("<a href=⟦x⟧><!--", "a[href]");
}

#[test]
fn cdata() {
    check("<![CDATA[<a href=x>]]><a href=⟦y⟧>", "a[href]");
    check("<![CDATA[><a href=⟦x⟧>]]>", "a[href]");
    check("<svg><![CDATA[><a href=x>]]><a href=⟦y⟧>", "svg a[href]");
    check("<math><![CDATA[<a href=x>]]]><mi href=⟦y⟧>", "math *[href]");
    check("<svg><![cdata[><a href=⟦x⟧>]]>", "svg a[href]");
    check("<svg><desc><![CDATA[><a href=x>]]><a href=⟦y⟧>", "a[href]");
    check("<svg><desc><b><![CDATA[><a href=⟦x⟧>]]>", "a[href]");
    check("<svg></svg><![CDATA[><a href=⟦x⟧>]]>", "a[href]");
    check("<svg><![CDATA[<a href=x>", "");
}
