//! The characters that are removed from a reference before it is read.

use std::borrow::Cow;

use urlcore::{Dialect, clean};

#[test]
fn web_trims_and_removes() {
    assert_eq!(clean("\u{0} \u{1f}a b\u{0}\u{7f}\u{1f} ", Dialect::Web), "a b\u{0}\u{7f}");
    assert_eq!(clean("\ta\r\nb\t \n", Dialect::Web), "ab");
    assert_eq!(clean("\u{a0}a\u{3000}", Dialect::Web), "\u{a0}a\u{3000}");
    assert_eq!(clean(" \t ", Dialect::Web), "");
}

#[test]
fn borrows_unless_something_inside_is_removed() {
    assert!(matches!(clean("\t a b \n", Dialect::Web), Cow::Borrowed("a b")));
    assert!(matches!(clean("a\tb", Dialect::Web), Cow::Owned(_)));
}

#[test]
fn rfcs_clean_nothing() {
    for dialect in [Dialect::Rfc1808, Dialect::Rfc3986] {
        assert!(matches!(clean(" a\tb\n", dialect), Cow::Borrowed(" a\tb\n")));
    }
}
