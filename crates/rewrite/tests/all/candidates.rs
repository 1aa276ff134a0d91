//! Image candidates, step by step: HTML standard, section 4.8.4.3.9 ("parse a srcset attribute").

use relink_rewrite::Kind;

use crate::listing::html;

/// Asserts the URLs of a `srcset`.
#[track_caller]
fn check(srcset: &str, expected: &[&str]) {
    let document = format!("<img srcset=\"{srcset}\">");
    let found = html(&document);
    let texts: Vec<&str> = found.iter().map(|reference| &*reference.text).collect();
    assert_eq!(texts, expected, "{srcset:?}");
    for reference in &found {
        assert_eq!((&*reference.slot, reference.kind), ("img[srcset]", Kind::Candidates));
        assert_eq!(reference.span.slice(document.as_bytes()), reference.text.as_bytes());
    }
}

#[test]
fn one_and_several() {
    check("a", &["a"]);
    check("a 1x", &["a"]);
    check("a 1x, b 2x", &["a", "b"]);
    check("a, b 2x", &["a", "b"]);
    check("a 100w 50h, b 200w", &["a", "b"]);
    check("a 1x,\n\t b 2x,\r\n c", &["a", "b", "c"]);
    check("a\x0C1x,b\x0C2x", &["a", "b"]);
}

#[test]
fn nothing() {
    check("", &[]);
    check(" \n\t", &[]);
    check(",", &[]);
    check(" , ,,\n, ", &[]);
}

// Step 4: white space and commas before a URL are skipped.
#[test]
fn commas_and_white_space_in_front() {
    check(" a 1x", &["a"]);
    check(",a 1x", &["a"]);
    check(" ,, ,a 1x, ,,b 2x", &["a", "b"]);
    check("a 1x,,,b 2x", &["a", "b"]);
}

// Step 6: a URL extends to the next white space.
#[test]
fn commas_inside_a_url() {
    check("a,b 1x", &["a,b"]);
    check("a,b", &["a,b"]);
    check("a.png,b.png 2x", &["a.png,b.png"]);
    check("w_1,h_2/a 1x, w_3,h_4/b 2x", &["w_1,h_2/a", "w_3,h_4/b"]);
    check("a(b,c) 1x, d", &["a(b,c)", "d"]);
    // Here the parenthesis is part of a URL, and `b` is a descriptor.
    check("a( b, c) 1x", &["a(", "c)"]);
}

// Step 8: commas at the end of a URL end the candidate.
#[test]
fn commas_at_the_end_of_a_url() {
    check("a,", &["a"]);
    check("a, b", &["a", "b"]);
    check("a, 1x", &["a", "1x"]);
    check("a,,, b 1x", &["a", "b"]);
    check("a,b,, c,d,", &["a,b", "c,d"]);
    check("a ,b ,c", &["a", "b", "c"]);
    check("a , b", &["a", "b"]);
}

// Step 8, "otherwise": the descriptor tokenizer.
#[test]
fn no_space_after_the_comma_of_a_descriptor() {
    check("a 1x,b 2x,c", &["a", "b", "c"]);
    check("a 1x 2w,b", &["a", "b"]);
    check("a  1x  ,b", &["a", "b"]);
}

#[test]
fn descriptors_with_parentheses() {
    check("a f(1,2)x, b", &["a", "b"]);
    check("a f(1, 2, b), c", &["a", "c"]);
    check("a (,), b", &["a", "b"]);
    check("a x) , b", &["a", "b"]);
    // They do not nest: the first one closes.
    check("a f((1), b)", &["a", "b)"]);
    // One that is never closed extends to the end.
    check("a f(1, b, c", &["a"]);
    check("a 1x f(, b", &["a"]);
}

#[test]
fn data_urls() {
    check("data:image/png;base64,AAAA 1x, b 2x", &["data:image/png;base64,AAAA", "b"]);
    check("data:,a 1x, data:,b 2x", &["data:,a", "data:,b"]);
    check("data:, b", &["data:", "b"]);
}

#[test]
fn white_space_is_that_of_ascii() {
    check("a\u{A0}b 1x, c\u{3000}d", &["a\u{A0}b", "c\u{3000}d"]);
    check("a\u{B}b 1x", &["a\u{B}b"]);
}

#[test]
fn in_source_and_link() {
    let document = "<source srcset='a 1x, b'><link imagesrcset='c, d 2x'><img data-srcset='e'>";
    let found = html(document);
    let shown: Vec<String> =
        found.iter().map(|found| format!("{} {}", found.slot, found.text)).collect();
    let expected = ["source[srcset] a", "source[srcset] b", "link[imagesrcset] c"];
    assert_eq!(shown, [&expected[..], &["link[imagesrcset] d"]].concat());
}
