//! Lists of URLs: by spaces, by commas, and the pairs of `msapplication-task`.

use relink_rewrite::Kind;

use crate::listing::html;

/// Asserts the URLs of an attribute value, and that their spans contain their texts, in order.
#[track_caller]
fn check(document: &str, kind: Kind, expected: &[&str]) {
    let found = html(document);
    let texts: Vec<&str> = found.iter().map(|reference| &*reference.text).collect();
    assert_eq!(texts, expected, "{document:?}");
    for reference in found {
        assert_eq!(reference.kind, kind, "{document:?}");
        assert_eq!(reference.span.slice(document.as_bytes()), reference.text.as_bytes());
    }
}

#[track_caller]
fn by_spaces(value: &str, expected: &[&str]) {
    check(&format!("<a ping=\"{value}\">"), Kind::List, expected);
    check(&format!("<area ping=\"{value}\">"), Kind::List, expected);
    check(&format!("<img attributionsrc=\"{value}\">"), Kind::List, expected);
    check(&format!("<object archive=\"{value}\">"), Kind::List, expected);
    check(&format!("<p itemtype=\"{value}\">"), Kind::Id, expected);
    check(&format!("<head profile=\"{value}\">"), Kind::Id, expected);
}

#[track_caller]
fn by_commas(value: &str, expected: &[&str]) {
    check(&format!("<applet archive=\"{value}\">"), Kind::List, expected);
}

#[track_caller]
fn task(value: &str, expected: &[&str]) {
    check(&format!("<meta name=msapplication-task content=\"{value}\">"), Kind::Url, expected);
}

// HTML standard 2.3.7, "split a string on ASCII whitespace".
#[test]
fn separated_by_white_space() {
    by_spaces("x", &["x"]);
    by_spaces("x y", &["x", "y"]);
    by_spaces(" \tx\n\ny\r\nz\x0C", &["x", "y", "z"]);
    by_spaces("x,y z;", &["x,y", "z;"]);
    by_spaces("", &[]);
    by_spaces(" \n", &[]);
    by_spaces("x\u{A0}y", &["x\u{A0}y"]);
}

// HTML 4.01, section 13.4: "a comma-separated list of URIs".
#[test]
fn separated_by_commas() {
    by_commas("x", &["x"]);
    by_commas("x,y", &["x", "y"]);
    by_commas(" x.jar ,\n y.jar ", &["x.jar", "y.jar"]);
    by_commas("x y,z", &["x y", "z"]);
    by_commas(",x,,y,", &["x", "y"]);
    by_commas("", &[]);
    by_commas(" , ,", &[]);
}

#[test]
fn pairs_of_a_task() {
    task("name=Check;action-uri=./check;icon-uri=./check.ico", &["./check", "./check.ico"]);
    task("icon-uri=i; name=N; action-uri=a", &["i", "a"]);
    task(" Action-URI = a ;ICON-URI= i;", &["a", "i"]);
    task("name=action-uri;window-type=self", &[]);
    task("action-uri;icon-uri=", &[]);
    task("action-uri=a?b=c;x-action-uri=d", &["a?b=c"]);
    task("", &[]);
}

#[test]
fn with_character_references_between() {
    let document = "<a ping='x&#32;y&amp;z&#x9;w'>";
    let found = html(document);
    let shown: Vec<(&str, &[u8])> =
        found.iter().map(|found| (&*found.text, found.span.slice(document.as_bytes()))).collect();
    let expected: [(&str, &[u8]); 3] = [("x", b"x"), ("y&z", b"y&amp;z"), ("w", b"w")];
    assert_eq!(shown, expected);
}
