//! Percent-escapes: nothing is escaped twice, and browsers read the same URL. `resolve_laws.rs`
//! compares `ascii_web` with another implementation.

use std::borrow::Cow;

use urlcore::escape::{ascii_web, encode_path_segment, percent_decode};

#[track_caller]
fn check_ascii(text: &str, expected: &str) {
    assert_eq!(ascii_web(text), expected);
    assert_eq!(ascii_web(expected), expected);
}

#[test]
fn decoding() {
    assert_eq!(&*percent_decode("a%2fB%C3%a9%00"), b"a/B\xC3\xA9\0");
    assert_eq!(&*percent_decode("%%2%2g%g2%é"), "%%2%2g%g2%é".as_bytes());
    assert_eq!(&*percent_decode("%2541"), b"%41");
    assert!(matches!(percent_decode("a+b"), Cow::Borrowed(b"a+b")));
}

#[test]
fn file_names() {
    for byte in 0..=u8::MAX {
        let mut segment = String::new();
        encode_path_segment(&[byte], &mut segment);
        assert_eq!(&*percent_decode(&segment), [byte]);
        let kept = byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte);
        let expected = if kept { char::from(byte).to_string() } else { format!("%{byte:02X}") };
        assert_eq!(segment, expected);
    }
    let mut path = String::from("/a/");
    encode_path_segment(b"b/\xFF", &mut path);
    assert_eq!(path, "/a/b%2F%FF");
}

#[test]
fn ascii_by_component() {
    check_ascii(
        "http://é{@é{/é{^`?é{^`#é{^`",
        "http://%C3%A9%7B@%C3%A9{/%C3%A9%7B^%60?%C3%A9{^`#%C3%A9{^%60",
    );
    check_ascii("/a b\"<>", "/a%20b%22%3C%3E");
    check_ascii("?a b\"<>'", "?a%20b%22%3C%3E'");
    check_ascii("#a b\"<>", "#a%20b%22%3C%3E");
    check_ascii("/\u{1}\u{7f}?\u{1}#\u{1}x", "/%01%7F?%01#%01x");
    // An opaque path keeps its spaces.
    check_ascii("data:a b<é>?c d", "data:a b<%C3%A9>?c%20d");
    check_ascii("foo:/a b", "foo:/a%20b");
}

#[test]
fn ascii_borrows() {
    for text in ["", "http://h/a%20b?c#d", "a|b\\c[d]", "%é".trim_end_matches('é')] {
        assert!(matches!(ascii_web(text), Cow::Borrowed(ascii) if ascii == text), "{text:?}");
    }
    assert!(matches!(ascii_web(" a "), Cow::Borrowed("a")));
    assert!(matches!(ascii_web("?{"), Cow::Borrowed("?{")));
    assert_eq!(ascii_web("a\tb"), "ab");
}
