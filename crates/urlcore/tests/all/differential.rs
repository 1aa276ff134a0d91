//! Comparison with other crates: RFC 3986 as resolved by `fluent-uri`, `iri-string` and `oxiri`,
//! and pairs of base and reference from the web as resolved by `url` and `oxiri`. Intended
//! differences are listed.

use fluent_uri::{Uri, UriRef};
use iri_string::types::{UriAbsoluteStr, UriReferenceStr};
use oxiri::{Iri, IriRef};
use proptest::prelude::*;
use url::Url;
use urlcore::{BaseIs, Dialect, Reference, Relativizer, Resolver, Style};

use crate::{generate, packages};

fn rfc3986(base: &str, reference: &str) -> Option<String> {
    Some(Resolver::new(base, Dialect::Rfc3986).ok()?.resolve(reference).ok()?.to_string())
}

/// 10,000 pairs of base and reference that were found on web pages.
fn pairs_of_the_web() -> Vec<(String, String)> {
    let path = packages::package("oxiri").join("benches/relative_urls_cc_10k.csv");
    let text = std::fs::read_to_string(path).expect("the file is there");
    let mut lines = text.lines().skip(1);
    let mut pairs = Vec::new();
    let field = |rest: &mut &str| {
        if let Some(quoted) = rest.strip_prefix('"') {
            let end = quoted.replace("\"\"", "..").find('"').unwrap_or(quoted.len());
            let value = quoted[..end].replace("\"\"", "\"");
            *rest = quoted.get(end + 2..).unwrap_or_default();
            return value;
        }
        let (value, after) = rest.split_once(',').unwrap_or((rest, ""));
        *rest = after;
        value.to_owned()
    };
    for line in &mut lines {
        let mut rest = line;
        let base = field(&mut rest);
        pairs.push((base, field(&mut rest)));
    }
    pairs
}

#[test]
#[cfg_attr(miri, ignore = "runs cargo to find the package")]
fn pairs_of_the_web_as_url_and_oxiri_resolve_them() {
    let pairs = pairs_of_the_web();
    assert_eq!(pairs.len(), 10_000);
    let (mut n_url, mut n_oxiri) = (0, 0);
    let mut relativizer = Relativizer::default();
    for (base, reference) in &pairs {
        let theirs = Url::parse(base).ok().map(|url| url.join(reference));
        let resolver = Resolver::new(base, Dialect::Web);
        let ours = resolver.as_ref().ok().map(|resolver| resolver.resolve(reference));
        match (theirs, ours) {
            (Some(Ok(theirs)), Some(Ok(ours))) => {
                let ours = ours.to_string();
                assert_eq!(Url::parse(&ours).as_ref(), Ok(&theirs), "{reference} against {base}");
                n_url += 1;
                // The inverse: a reference to the target.
                let resolver = resolver.as_ref().expect("a base");
                let back =
                    relativizer.relativize(resolver, &ours, Style::Shortest, BaseIs::Document);
                let back = resolver.resolve(back.expect("a reference").text);
                assert_eq!(back.expect("it resolves"), ours.as_str(), "{reference} against {base}");
            }
            (None | Some(Err(_)), None | Some(Err(_))) => {}
            (theirs, ours) => panic!("{reference} against {base}: {theirs:?}, {ours:?}"),
        }
        let theirs = || {
            let reference = IriRef::parse(reference.as_str()).ok()?;
            Iri::parse(base.as_str()).ok()?.resolve(&reference).ok()
        };
        if let Some(theirs) = theirs() {
            assert_eq!(
                rfc3986(base, reference).as_deref(),
                Some(theirs.as_str()),
                "{reference} against {base}"
            );
            n_oxiri += 1;
        }
    }
    assert!(n_url > 9_900 && n_oxiri > 9_000, "{n_url} by url, {n_oxiri} by oxiri");
}

/// Returns true if the path of a target begins with two slashes and there is no authority, so that
/// a guard is needed.
fn is_guarded(target: &str) -> bool {
    let r = Reference::split(target, Dialect::Rfc3986);
    r.authority().is_none() && r.path().starts_with("/.//")
}

/// Returns true if a path without a slash at its start has dot segments that could leave it.
fn is_rootless(base: &str, reference: &str) -> bool {
    let is_rootless = |text: &str| {
        let r = Reference::split(text, Dialect::Rfc3986);
        r.scheme().is_some() && r.authority().is_none() && !r.path().starts_with('/')
    };
    is_rootless(base) || is_rootless(reference)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: generate::n_cases(), failure_persistence: None, ..ProptestConfig::default() })]

    /// fluent-uri accepts no base with a fragment, none without hierarchy, keeps the dots of
    /// rootless paths, reads `%2e` as a dot, and removes the dots of its base first (erratum 4789).
    #[test]
    fn fluent_uri(base in generate::base(), reference in generate::reference()) {
        let (Ok(their_base), Ok(r)) = (Uri::parse(base.as_str()), UriRef::parse(reference.as_str())) else { return Ok(()) };
        let Ok(theirs) = r.resolve_against(&their_base) else { return Ok(()) };
        let has_escaped_dots = format!("{base}{reference}").to_lowercase().contains("%2e");
        let has_dots = their_base.path().as_str().split('/').any(|segment| segment == "." || segment == "..");
        if !has_escaped_dots && !has_dots && !is_rootless(&base, &reference) {
            let ours = rfc3986(&base, &reference);
            prop_assert_eq!(ours.as_deref(), Some(theirs.as_str()));
        }
    }

    /// iri-string accepts no base with a fragment, and reads `%2e` as a dot.
    #[test]
    fn iri_string(base in generate::base(), reference in generate::reference()) {
        let (Ok(their_base), Ok(r)) = (UriAbsoluteStr::new(&base), UriReferenceStr::new(&reference)) else { return Ok(()) };
        if !format!("{base}{reference}").to_lowercase().contains("%2e") {
            let theirs = r.resolve_against(their_base).to_string();
            prop_assert_eq!(rfc3986(&base, &reference), Some(theirs));
        }
    }

    /// oxiri refuses a target whose path would be read as an authority; we guard it.
    #[test]
    fn oxiri(base in generate::base(), reference in generate::reference()) {
        let (Ok(their_base), Ok(r)) = (Iri::parse(base.as_str()), IriRef::parse(reference.as_str())) else { return Ok(()) };
        let ours = rfc3986(&base, &reference).unwrap_or_default();
        match their_base.resolve(&r) {
            Ok(theirs) => prop_assert_eq!(ours, theirs.as_str()),
            Err(_) => prop_assert!(is_guarded(&ours), "{}", ours),
        }
    }
}
