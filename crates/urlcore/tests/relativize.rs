//! The inverse of resolution: what it must answer (the traps that relativizers of others fell into), and its laws on generated pairs.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a test stops where it cannot go on")]

mod generate;

use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::Value;
use urlcore::{Dialect, NotExpressible, Relativizer, Resolver, Style};

fn relativize(
    dialect: Dialect,
    base: &str,
    target: &str,
    style: Style,
) -> Result<String, NotExpressible> {
    let resolver = Resolver::new(base, dialect).expect("a base");
    Relativizer::default().relativize(&resolver, target, style, true).map(str::to_owned)
}

/// The relative and the shortest reference under a base.
#[track_caller]
fn check_in(dialects: &[Dialect], base: &str, target: &str, relative: &str, shortest: &str) {
    for dialect in dialects {
        let found = [Style::Relative, Style::Shortest].map(|style| {
            relativize(*dialect, base, target, style).unwrap_or_else(|error| error.to_string())
        });
        assert_eq!(found, [relative, shortest], "{dialect:?} {base} {target}");
    }
}

#[track_caller]
fn check(base: &str, target: &str, relative: &str, shortest: &str) {
    check_in(&[Dialect::Web, Dialect::Rfc3986, Dialect::Rfc1808], base, target, relative, shortest);
}

const WEB: &[Dialect] = &[Dialect::Web];
const RFC3986: &[Dialect] = &[Dialect::Rfc3986];
const RFC1808: &[Dialect] = &[Dialect::Rfc1808];

#[test]
fn same_document() {
    check("http://a/b/c", "http://a/b/c", "", "");
    check("http://a/b/", "http://a/b/", "", "");
    check("http://a/b/c?q", "http://a/b/c?q#s", "#s", "#s");
    check("http://a/b/c#f", "http://a/b/c#s", "#s", "#s");
    // The empty reference of RFC 1808 has the fragment of the base.
    check_in(&[Dialect::Web, Dialect::Rfc3986], "http://a/b/c#f", "http://a/b/c", "", "");
    check_in(RFC1808, "http://a/b/c#f", "http://a/b/c", "c", "c");
}

#[test]
fn queries_and_params() {
    check("http://a/b/c?x", "http://a/b/c?y", "?y", "?y");
    check("http://a/b/c?x", "http://a/b/c", "c", "c");
    check("http://a/b/?x", "http://a/b/", "./", ".");
    check("http://a/b/", "http://a/b/?a:b", "?a:b", "?a:b");
    check("http://a/b/c", "http://a/b/g?y/../x", "g?y/../x", "g?y/../x");
    check_in(RFC1808, "ftp://h/d/f;type=a", "ftp://h/d/f;type=i", ";type=i", ";type=i");
    check_in(WEB, "ftp://h/d/f;type=a", "ftp://h/d/f;type=i", "f;type=i", "f;type=i");
    check_in(RFC1808, "http://a/b/c", "http://a/b/g;x=1/../y", "g;x=1/../y", "g;x=1/../y");
}

#[test]
fn paths() {
    check("http://a/b/c", "http://a/b/g", "g", "g");
    check("http://a/b/c", "http://a/b/c/g", "c/g", "c/g");
    check("http://a/b/c/d", "http://a/b/", "../", "..");
    check("http://a/b/c/d", "http://a/b/c", "../c", "../c");
    check("http://a/b/c/d", "http://a/", "../../", "/");
    // Whole segments are compared.
    check("http://a/bc/d", "http://a/b/d", "../b/d", "/b/d");
    check("http://a/b", "http://a/bb", "bb", "bb");
    // The same name in another folder.
    check("http://a/x/f", "http://a/y/f", "../y/f", "/y/f");
    check("http://a/b/c", "http://a/b/.g", ".g", ".g");
    check("http://a/b/c", "http://a/b/..g", "..g", "..g");
}

#[test]
fn colons() {
    check("http://a/b/c", "http://a/b/x:y", "./x:y", "./x:y");
    check("http://a/b/c", "http://a/b/x/y:z", "x/y:z", "x/y:z");
    check_in(WEB, "http://a/b/c", "http://a/b/1:2", "./1:2", "1:2");
    check_in(RFC1808, "http://a/b/c", "http://a/b/1:2", "./1:2", "./1:2");
}

#[test]
fn empty_segments() {
    check("http://a/b", "http://a//x", ".//x", ".//x");
    check("http://a/b/c/d", "http://a/b//x", "..//x", "..//x");
    check("http://a/b//c", "http://a/b/x", "../x", "../x");
    check("http://a//b/c", "http://a/x", "../../x", "/x");
    check("http://a/b/c", "http://a/b/c//", "c//", "c//");
}

#[test]
fn authorities() {
    check("http://a/b", "http://h/b", "//h/b", "//h/b");
    check("http://a/b", "http://a:81/b", "//a:81/b", "//a:81/b");
    check("http://u@a/b", "http://a/c", "//a/c", "//a/c");
    check("http://a/b", "https://a/c", "https://a/c", "https://a/c");
    check("http://a", "http://a/g", "g", "g");
    check_in(RFC3986, "http://a/b", "http://a", "//a", "//a");
    check_in(WEB, "file://h/d/e", "file:///d/f", "///d/f", "///d/f");
    check_in(RFC1808, "file://h/d/e", "file:///d/f", "file:///d/f", "file:///d/f");
    check_in(RFC3986, "file:/d/e", "file:///d/f", "///d/f", "///d/f");
}

#[test]
fn dot_segments() {
    check("http://a/b/../c/d", "http://a/x", "../x", "/x");
    for target in ["http://a/../g", "http://a/b/./g"] {
        for dialect in [Dialect::Web, Dialect::Rfc3986] {
            assert_eq!(
                relativize(dialect, "http://a/b/c", target, Style::Relative),
                Err(NotExpressible)
            );
        }
    }
    check_in(RFC1808, "http://a/b/c", "http://a/b/./g", "/b/./g", "/b/./g");
}

#[test]
fn without_authority() {
    check_in(RFC3986, "foo:a/b", "foo:a/c", "c", "c");
    check_in(WEB, "foo:a/b", "foo:a/c", "foo:a/c", "foo:a/c");
    check("mailto:u@h", "mailto:u@h#s", "#s", "#s");
    check_in(WEB, "mailto:u@h", "mailto:v@h", "mailto:v@h", "mailto:v@h");
    check_in(WEB, "foo:/a/b", "foo:/.//x", "..//x", "..//x");
    check_in(WEB, "file:///C:/d/e", "file:///D:/f", "/D:/f", "/D:/f");
}

#[test]
fn styles() {
    let base = "http://a/b/c";
    let style = |target, style| relativize(Dialect::Web, base, target, style);
    for (wanted, same, other) in [
        (Style::Absolute, "http://a/b/d", "http://h/x"),
        (Style::NetworkPath, "//a/b/d", "//h/x"),
        (Style::AbsolutePath, "/b/d", "//h/x"),
        (Style::Relative, "d", "//h/x"),
        (Style::Shortest, "d", "//h/x"),
    ] {
        assert_eq!(style("http://a/b/d", wanted).as_deref(), Ok(same));
        assert_eq!(style("http://h/x", wanted).as_deref(), Ok(other));
    }
    let resolver = Resolver::new(base, Dialect::Web).expect("a base");
    let mut relativizer = Relativizer::default();
    assert_eq!(
        relativizer.relativize(&resolver, "http://a/b/c#s", Style::Relative, false),
        Ok("c#s")
    );
    assert_eq!(relativizer.relativize(&resolver, "http://a/b/c", Style::Relative, false), Ok("c"));
}

/// The vectors of a survey of relativizers, if they are there: the shortest answer of each dialect.
#[test]
fn surveyed_vectors() {
    let data = std::env::var_os("RELINK_SHARED_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let path = data.join("url/relativize_edge.json");
    let Ok(json) = std::fs::read(&path) else {
        println!("skipped: no vectors at {}", path.display());
        return;
    };
    let vectors: Value = serde_json::from_slice(&json).expect("JSON");
    let (mut n_checked, mut differing) = (0, Vec::new());
    for vector in vectors.as_array().expect("a list") {
        for (dialect, name) in
            [(Dialect::Web, "web"), (Dialect::Rfc3986, "rfc3986"), (Dialect::Rfc1808, "rfc1808")]
        {
            let text = |name: &str| vector[name].as_str();
            let (base, target) = match dialect {
                Dialect::Web => (text("whatwg_base"), text("whatwg_target")),
                _ => (text("base"), text("target")),
            };
            let (Some(base), Some(target)) = (base, target) else { continue };
            let found = relativize(dialect, base, target, Style::Shortest).ok();
            let expected = vector["results"][name]["shortest"].as_str();
            let is_as_short = found.as_deref().map(str::len) == expected.map(str::len);
            // The survey takes an empty fragment for none in RFC 1808, and knows no guard `/.` in RFC 3986.
            let is_known = matches!(
                (dialect, vector["id"].as_str()),
                (Dialect::Rfc1808, Some("frag-empty"))
                    | (Dialect::Rfc3986, Some("noauth-dslash" | "noauth-dslash2"))
            );
            if is_as_short == is_known {
                differing.push(format!("{dialect:?} {}: {found:?}, {expected:?}", vector["id"]));
            }
            n_checked += 1;
        }
    }
    println!("{n_checked} answers are as short as they can be");
    assert!(n_checked > 200);
    assert_eq!(differing, [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever can be a target is expressed in every style, and what is written resolves to it.
    #[test]
    fn what_is_written_resolves_to_the_target(base in generate::base(), reference in generate::reference()) {
        for dialect in Dialect::ALL.iter().copied() {
            let Ok(resolver) = Resolver::new(&base, dialect) else { continue };
            let Ok(target) = resolver.resolve(&reference) else { continue };
            let mut relativizer = Relativizer::default();
            for (name, style) in Style::ALL {
                for same_document in [false, true] {
                    let written = relativizer.relativize(&resolver, &target, style, same_document);
                    // The path of a base is copied with its dot segments, which nothing else can be.
                    let Ok(written) = written.map(str::to_owned) else {
                        let is_itself = resolver.resolve(&target).as_ref() == Ok(&target);
                        let is_short = matches!(style, Style::Relative | Style::Shortest);
                        let must_be = is_itself || (is_short && same_document);
                        prop_assert!(!must_be, "{name} {base:?} {target:?}");
                        continue;
                    };
                    let found = resolver.resolve(&written);
                    prop_assert_eq!(found.as_ref(), Ok(&target), "{} {:?}", name, base);
                    prop_assert!(same_document || !(written.is_empty() || written.starts_with('#')));
                }
            }
        }
    }
}
