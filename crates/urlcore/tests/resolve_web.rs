//! Resolution in the web dialect: a browser must read the target as the URL that it would have found itself.
//!
//! The cases are those of the web platform tests, as the crate `url` ships them; what that crate reads in a target
//! must be the `href` of the case. `web_exceptions.txt` lists the cases where it is not, with the reason; a case
//! that stands there and passes fails too.

#![allow(clippy::expect_used, clippy::panic, reason = "a test stops where it cannot go on")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use url::Url;
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

/// The folder of the package `url`, as cargo unpacked it.
fn url_package() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints metadata");
    let packages = metadata["packages"].as_array().expect("packages is a list");
    let package =
        packages.iter().find(|package| package["name"] == "url").expect("url is a dependency");
    let manifest = package["manifest_path"].as_str().expect("a package has a manifest");
    PathBuf::from(manifest).parent().expect("a manifest is in a folder").to_owned()
}

/// The listed cases, each with its reason.
fn exceptions() -> BTreeMap<&'static str, &'static str> {
    include_str!("web_exceptions.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once(" -- ").unwrap_or_else(|| panic!("no reason: {line}")))
        .collect()
}

/// What is wrong with our targets of a case, if anything. One without base that fails must also fail under a base,
/// unless the case names the bases under which it does not.
fn check_case(case: &Value) -> Result<(), String> {
    check_case_under(case["base"].as_str(), case)?;
    if case["base"].is_string() || case["href"].is_string() {
        return Ok(());
    }
    let input = case["input"].as_str().expect("input is a string");
    let hierarchical = ["http://example.org/", "https://example.org/"];
    for (bases, resolves) in [
        (&["about:blank"][..], case["relativeTo"] == "any-base"),
        (&hierarchical[..], !case["relativeTo"].is_null()),
    ] {
        if !resolves {
            bases.iter().try_for_each(|base| check_case_under(Some(base), case))?;
        } else if bases.iter().all(|base| resolve(Some(base), input).is_err()) {
            return Err(format!("expected a target under one of {bases:?}"));
        }
    }
    Ok(())
}

/// What is wrong with our target of a case under a base, if anything.
fn check_case_under(base: Option<&str>, case: &Value) -> Result<(), String> {
    let input = case["input"].as_str().expect("input is a string");
    let ours = resolve(base, input);
    let read = ours.as_ref().map(|ours| Url::parse(ours).map(String::from));
    match case["href"].as_str() {
        Some(href) => match read {
            _ if ours.as_deref() == Ok(href) => Ok(()),
            Ok(Ok(read)) if read == href => Ok(()),
            read => Err(format!("expected {href:?}, resolved {ours:?}, read {read:?}")),
        },
        None => match read {
            Ok(Ok(_)) => Err(format!("expected failure, resolved {ours:?}")),
            _ => Ok(()),
        },
    }
}

#[test]
fn web_platform_tests() {
    let text = std::fs::read_to_string(url_package().join("tests/urltestdata.json"))
        .expect("the file is there");
    let data: Value = serde_json::from_str(&text).expect("the file is JSON");
    let mut unused = exceptions();
    let mut failures = Vec::new();
    let mut n_cases = 0;
    for case in data.as_array().expect("a list").iter().filter(|case| case.is_object()) {
        n_cases += 1;
        let base = case["base"].as_str().unwrap_or("");
        let name = format!(
            "<{}> against <{}>",
            case["input"].as_str().unwrap_or("").escape_default(),
            base.escape_default()
        );
        let listed = unused.remove(name.as_str());
        match (check_case(case), listed) {
            (Ok(()), None) | (Err(_), Some(_)) => {}
            (Ok(()), Some(_)) => failures.push(format!("{name}: passes, but is listed")),
            (Err(why), None) => failures.push(format!("{name}: {why}")),
        }
    }
    assert!(n_cases > 700, "only {n_cases} cases");
    assert!(failures.is_empty(), "{} of {n_cases}:\n{}", failures.len(), failures.join("\n"));
    assert!(unused.is_empty(), "listed, but no case: {unused:#?}");
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
fn slashes_are_made_two() {
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
    // It would be trimmed if it stayed as it is.
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
fn resolver_tells_what_it_was_given() {
    let resolver = Resolver::new(" HTTP:/h/../a ", Dialect::Web).expect("a base");
    assert_eq!(
        (resolver.base(), resolver.scheme(), resolver.rules()),
        (" HTTP:/h/../a ", "HTTP", Dialect::Web.rules())
    );
}
