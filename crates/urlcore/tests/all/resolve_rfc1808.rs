//! Resolution in the dialect of RFC 1808: its examples, and cases that they omit. The letter of the
//! algorithm is compared in `resolve_laws.rs`.

use urlcore::{Dialect, Resolver};

/// The base of the examples (section 5).
const BASE: &str = "http://a/b/c/d;p?q#f";

#[track_caller]
fn check_under(base: &str, reference: &str, expected: &str) {
    let resolver = Resolver::new(base, Dialect::Rfc1808).expect("the base is absolute");
    let mut target = String::from("what was there before");
    assert!(resolver.resolve_into(reference, &mut target).is_ok());
    assert_eq!(target, expected, "{reference:?} against {base:?}");
}

#[track_caller]
fn check(reference: &str, expected: &str) {
    check_under(BASE, reference, expected);
}

#[test]
fn normal_examples() {
    // 5.1
    check("g:h", "g:h");
    check("g", "http://a/b/c/g");
    check("./g", "http://a/b/c/g");
    check("g/", "http://a/b/c/g/");
    check("/g", "http://a/g");
    check("//g", "http://g");
    check("?y", "http://a/b/c/d;p?y");
    check("g?y", "http://a/b/c/g?y");
    check("g?y/./x", "http://a/b/c/g?y/./x");
    check("#s", "http://a/b/c/d;p?q#s");
    check("g#s", "http://a/b/c/g#s");
    check("g#s/./x", "http://a/b/c/g#s/./x");
    check("g?y#s", "http://a/b/c/g?y#s");
    check(";x", "http://a/b/c/d;x");
    check("g;x", "http://a/b/c/g;x");
    check("g;x?y#s", "http://a/b/c/g;x?y#s");
    check(".", "http://a/b/c/");
    check("./", "http://a/b/c/");
    check("..", "http://a/b/");
    check("../", "http://a/b/");
    check("../g", "http://a/b/g");
    check("../..", "http://a/");
    check("../../", "http://a/");
    check("../../g", "http://a/g");
}

#[test]
fn abnormal_examples() {
    // 5.2
    check("", "http://a/b/c/d;p?q#f");
    check("../../../g", "http://a/../g");
    check("../../../../g", "http://a/../../g");
    check("/./g", "http://a/./g");
    check("/../g", "http://a/../g");
    check("g.", "http://a/b/c/g.");
    check(".g", "http://a/b/c/.g");
    check("g..", "http://a/b/c/g..");
    check("..g", "http://a/b/c/..g");
    check("./../g", "http://a/b/g");
    check("./g/.", "http://a/b/c/g/");
    check("g/./h", "http://a/b/c/g/h");
    check("g/../h", "http://a/b/c/h");
    check("http:g", "http:g");
    check("http:", "http:");
}

#[test]
fn empty_is_undefined() {
    // 2.4.1, 2.4.4, 2.4.5 and step 5
    check("#", "http://a/b/c/d;p?q");
    check("?", "http://a/b/c/d;p?q");
    check(";", "http://a/b/c/d;p?q");
    check("?#s", "http://a/b/c/d;p?q#s");
    check("g;?#", "http://a/b/c/g");
    check("//", "http://a/b/c/d;p?q");
    check("///g", "http://a/g");
    check_under("http://a/b;?", "#s", "http://a/b#s");
}

#[test]
fn params_are_not_part_of_the_path() {
    // Section 4, last paragraphs
    check("g;x=1/../y", "http://a/b/c/g;x=1/../y");
    check(";x?y", "http://a/b/c/d;x?y");
    check_under("http://a/b/c/d;p=1/2?q", "g", "http://a/b/c/g");
    check_under("ftp://h/d/f;type=a", ";type=i", "ftp://h/d/f;type=i");
    check_under("ftp://h/d/f;type=a", "?x", "ftp://h/d/f;type=a?x");
}

#[test]
fn network_location_ends_at_the_slash() {
    // 2.4.3
    check("//g?y", "http://g?y");
    check("//g;x#s", "http://g;x#s");
    check_under("http://a?q", "g", "http://a?q/g");
    check_under("http://a?q/r/s", "../g", "http://a?q/g");
}

#[test]
fn base_without_path() {
    // The layout of 2.1
    check_under("http://a", "g", "http://a/g");
    check_under("http://a", ".", "http://a");
    check_under("http://a", "..", "http://a/..");
    check_under("http://a", "?y", "http://a?y");
    check_under("foo:", "g", "foo:g");
}

#[test]
fn base_without_network_location() {
    check_under("file:///d/e/f", "../g", "file:///d/g");
    check_under("file:///d/e/f", "//g/h", "file://g/h");
    check_under("foo:a/b", "../g", "foo:g");
    check_under("foo:a/b", "../../g", "foo:../g");
    check_under("foo:a", "..", "foo:..");
    // A gap in the specification, which this dialect keeps.
    check_under("foo:/a/b", "..//g", "foo://g");
}

#[test]
fn absolute_references_are_copied() {
    check("g:a/../b?#", "g:a/../b?#");
    check("1g:x", "1g:x");
    check("g_h:x", "http://a/b/c/g_h:x");
}
