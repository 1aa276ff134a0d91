//! Resolution in the web dialect: a browser must read the target as the URL that it would have
//! resolved the reference to itself.
//!
//! The web platform tests have a file of their own, `platform.rs`.

use urlcore::{Dialect, ResolveError, Resolver, is_absolute, resolve_without_base};

/// Resolves in the web dialect, with or without a base.
fn resolve(base: Option<&str>, reference: &str) -> Result<String, String> {
    match base {
        Some(base) => Resolver::new(base, Dialect::Web)
            .map_err(|error| error.to_string())
            .and_then(|resolver| resolver.resolve(reference).map_err(|error| error.to_string()))
            .map(|target| target.to_string()),
        None => {
            let mut target = String::new();
            let resolved = resolve_without_base(reference, Dialect::Web, &mut target);
            resolved.map(|()| target).map_err(|error| error.to_string())
        }
    }
}

#[track_caller]
fn check(base: &str, reference: &str, expected: &str) {
    assert_eq!(
        resolve(Some(base), reference).as_deref(),
        Ok(expected),
        "{reference:?} against {base:?}"
    );
}

#[track_caller]
fn check_absolute(reference: &str, expected: &str) {
    assert_eq!(resolve(None, reference).as_deref(), Ok(expected), "{reference:?}");
    check("http://other/x", reference, expected);
}

#[track_caller]
fn check_fails(base: &str, reference: &str, expected: ResolveError) {
    let resolver = Resolver::new(base, Dialect::Web).expect("the base is usable");
    let mut target = String::from("what was there before");
    assert_eq!(
        resolver.resolve_into(reference, &mut target),
        Err(expected),
        "{reference:?} against {base:?}"
    );
    assert_eq!(target, "");
}

#[test]
fn spelling_is_kept() {
    check("HTTP://U@Example.ORG:80/A%7e", "b c", "HTTP://U@Example.ORG:80/b c");
    check("http://example.org", "", "http://example.org");
    check("http://é/é", "?é", "http://é/é?é");
    check("http://h/a?", "#", "http://h/a?#");
}

#[test]
fn slashes_are_reduced_to_two() {
    check_absolute("https:a/b", "https://a/b");
    check_absolute("https:////a/b", "https://a/b");
    check_absolute(r"https:\a\b?\", r"https://a/b?\");
    check("http://h/x/y", "http:a", "http://h/x/a");
    check("http://h/x/y", r"\a", "http://h/a");
    check("http://h/x/y", r"\\a", "http://a");
    check("foo://h/x/y", r"\a", r"foo://h/x/\a");
}

#[test]
fn dot_segments_are_removed_everywhere() {
    check_absolute("http://h/a/../b/.", "http://h/b/");
    check_absolute("http://h/a/%2E%2e/b/%2e", "http://h/b/");
    check_absolute("foo:/a/../b", "foo:/b");
    check_absolute("foo:a/../b", "foo:a/../b");
    check("http://h/a/b/../c", "", "http://h/a/c");
    check("http://h/a/b", "%2e./.%2E/g", "http://h/g");
    check("http://h/a/b", "%2e%2ea", "http://h/a/%2e%2ea");
}

#[test]
fn no_path_becomes_an_authority() {
    check("foo:/a/b", "..//g", "foo:/.//g");
    check("foo:/.//a/b", "", "foo:/.//a/b");
    check("foo:/.//a/b", "../g", "foo:/.//g");
    check("foo:/.//a/b", "/g", "foo:/g");
}

#[test]
fn opaque_bases_take_fragments_only() {
    check("mailto:u@h?q#f", "#s", "mailto:u@h?q#s");
    check("mailto:u@h", "http:a", "http://a");
    for reference in ["", "g", "?y", "/g", "//g"] {
        check_fails("mailto:u@h", reference, ResolveError::OpaqueBase);
    }
}

#[test]
fn files_and_drives() {
    check_absolute("file:a", "file:///a");
    check_absolute("file:", "file:///");
    check_absolute("file:c|/a", "file:///c:/a");
    check_absolute("file://c|/a", "file:///c:/a");
    check_absolute("file:///a/../c|/..", "file:///c:/");
    check_absolute("file:////c|/a", "file:////c|/a");
    check_absolute("file://localhost/a", "file://localhost/a");
    check("file:///c:/a/b", "../../../d", "file:///c:/d");
    check("file:///c:/a/b", "/d", "file:///c:/d");
    check("file:///c:/a/b", "/d|/e", "file:///d:/e");
    check("file:///c:/a/b", "d|", "file:///d:");
    check("file:///c:", "a", "file:///c:/a");
    check("file://h/c:/a", "file:/b", "file://h/c:/b");
    check("file://h/a/b", "d|/e", "file://h/d:/e");
    check("file://h/a/b", "//i/e", "file://i/e");
}

#[test]
fn white_space_is_removed() {
    check("http://h/a/b", " \tc\n/\r\nd\u{1} ", "http://h/a/c/d");
    check(" http://h/\na ", "b", "http://h/b");
    // Unescaped, it would be trimmed.
    check("http://h/a #f", "", "http://h/a%20");
    check("http://h/a?q\u{1}#f", "", "http://h/a?q%01");
    check("http://h/a #f", "#s", "http://h/a #s");
}

#[test]
fn unusable_hosts() {
    for reference in [
        "https:",
        "http://",
        "//",
        "https://a b/",
        "//a%00",
        "//1.2.3.256",
        "//[::1",
        "//a:x",
        "foo://a^b",
    ] {
        assert!(resolve(Some("http://h/"), reference).is_err(), "{reference:?}");
        assert!(Resolver::new(reference, Dialect::Web).is_err(), "{reference:?}");
    }
    let error = Resolver::new("http://u@a b/", Dialect::Web).map(|_| ()).expect_err("a space");
    assert_eq!(
        error.to_string(),
        "unusable base: forbidden character in host at byte 3 of the authority"
    );
}

#[test]
fn absoluteness() {
    let absolute = |reference, base| is_absolute(reference, Dialect::Web, base);
    assert!(
        absolute(" http:g", None)
            && absolute("h\nttp:g", Some("https"))
            && absolute("http:\\/g", Some("http"))
    );
    assert!(
        !absolute("http:g", Some("HTTP"))
            && !absolute("file:/g", Some("file"))
            && !absolute("g", None)
    );
    assert!(absolute("foo:g", Some("foo")) && absolute("file:///g", Some("file")));
}

#[test]
fn resolver_returns_the_given_base_and_rules() {
    let resolver = Resolver::new(" HTTP:/h/../a ", Dialect::Web).expect("a base");
    assert_eq!(
        (resolver.base(), resolver.scheme(), resolver.rules()),
        (" HTTP:/h/../a ", "HTTP", Dialect::Web.rules())
    );
}
