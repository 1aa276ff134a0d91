//! Resolution in the dialect of RFC 3986: its examples, and cases that they omit. The letter of the
//! algorithm is compared in `resolve_laws.rs`.

use urlcore::{BaseError, Dialect, Resolver};

/// The base of the examples (5.4).
const BASE: &str = "http://a/b/c/d;p?q";

#[track_caller]
fn check_under(base: &str, reference: &str, expected: &str) {
    let resolver = Resolver::new(base, Dialect::Rfc3986).expect("the base is absolute");
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
    // 5.4.1
    check("g:h", "g:h");
    check("g", "http://a/b/c/g");
    check("./g", "http://a/b/c/g");
    check("g/", "http://a/b/c/g/");
    check("/g", "http://a/g");
    check("//g", "http://g");
    check("?y", "http://a/b/c/d;p?y");
    check("g?y", "http://a/b/c/g?y");
    check("#s", "http://a/b/c/d;p?q#s");
    check("g#s", "http://a/b/c/g#s");
    check("g?y#s", "http://a/b/c/g?y#s");
    check(";x", "http://a/b/c/;x");
    check("g;x", "http://a/b/c/g;x");
    check("g;x?y#s", "http://a/b/c/g;x?y#s");
    check("", "http://a/b/c/d;p?q");
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
    // 5.4.2
    check("../../../g", "http://a/g");
    check("../../../../g", "http://a/g");
    check("/./g", "http://a/g");
    check("/../g", "http://a/g");
    check("g.", "http://a/b/c/g.");
    check(".g", "http://a/b/c/.g");
    check("g..", "http://a/b/c/g..");
    check("..g", "http://a/b/c/..g");
    check("./../g", "http://a/b/g");
    check("./g/.", "http://a/b/c/g/");
    check("g/./h", "http://a/b/c/g/h");
    check("g/../h", "http://a/b/c/h");
    check("g;x=1/./y", "http://a/b/c/g;x=1/y");
    check("g;x=1/../y", "http://a/b/c/y");
    check("g?y/./x", "http://a/b/c/g?y/./x");
    check("g?y/../x", "http://a/b/c/g?y/../x");
    check("g#s/./x", "http://a/b/c/g#s/./x");
    check("g#s/../x", "http://a/b/c/g#s/../x");
    // For strict parsers.
    check("http:g", "http:g");
}

#[test]
fn empty_is_not_undefined() {
    check("?", "http://a/b/c/d;p?");
    check("#", "http://a/b/c/d;p?q#");
    check("//", "http://");
    check("g?#", "http://a/b/c/g?#");
    check_under("http://a/b?", "", "http://a/b?");
}

#[test]
fn fragment_of_the_base_is_unused() {
    check_under("http://a/b#f", "", "http://a/b");
    check_under("http://a/b#f/g", "g", "http://a/g");
    check_under("http://a/b?q#f", "#s", "http://a/b?q#s");
}

#[test]
fn base_without_path() {
    // 5.2.3
    check_under("http://a", "g", "http://a/g");
    check_under("http://a", "..", "http://a/");
    check_under("http://a?q", "?y", "http://a?y");
    check_under("http://a?q/r", "g", "http://a/g");
    check_under("foo:", "g", "foo:g");
}

#[test]
fn base_is_inherited_as_written() {
    check_under("HTTP://A/b/../c/./d", "", "HTTP://A/b/../c/./d");
    check_under("HTTP://A/b/../c/./d", "g", "HTTP://A/c/g");
    // Erratum 4789.
    check_under("http://a/b/..", "g", "http://a/b/g");
}

#[test]
fn rootless_paths() {
    check_under("foo:a/b", "g", "foo:a/g");
    // Removing the first segment leaves a slash (5.2.4, step 2C).
    check_under("foo:a/b", "../g", "foo:/g");
    check_under("foo:a", "../g", "foo:g");
    check_under("foo:a", ".", "foo:");
    check_under("mailto:u@h", "v@h", "mailto:v@h");
    check("g:a/../b", "g:/b");
}

#[test]
fn no_path_becomes_an_authority() {
    // The letter gives `foo://g`, which has an authority.
    check_under("foo:/a/b", "..//g", "foo:/.//g");
    check_under("foo:/a/b", "/.//g", "foo:/.//g");
    check_under("foo:/.//a/b", "g", "foo:/.//a/g");
    check_under("foo:/.//a/b", "../../g", "foo:/g");
    check_under("foo:/a/b", "//g", "foo://g");
    check_under("foo://h/a/b", "..//g", "foo://h//g");
}

#[test]
fn no_web_rules() {
    check("g\\h", "http://a/b/c/g\\h");
    check("%2e%2e/g", "http://a/b/c/%2e%2e/g");
    check(" g ", "http://a/b/c/ g ");
    check("1g:x", "1g:x");
    check(":x", "http://a/b/c/:x");
}

#[test]
fn relative_base_is_refused() {
    for base in ["", "a", "/a", "//a", "?a:b", ":a"] {
        assert_eq!(
            Resolver::new(base, Dialect::Rfc3986).map(|_| ()),
            Err(BaseError::NotAbsolute),
            "{base:?}"
        );
    }
}
