//! The laws of resolution, on generated references: each dialect against the letter of its
//! specification and against another implementation, the fixed point of the web, and the absence of
//! panics.

use proptest::prelude::*;
use url::Url;
use urlcore::{
    BaseError, Dialect, HostError, HostErrorKind, Reference, Resolution, ResolveError, Resolver,
    clean, escape, is_absolute, is_valid_host, resolve_without_base,
};

use crate::generate;
use crate::oracle::{rfc1808, rfc2396, rfc3986, url1993, whatwg};

/// Resolves in a dialect that resolves everything; `None` if the base has no scheme.
fn resolve(base: &str, reference: &str, dialect: Dialect) -> Option<String> {
    let resolver = Resolver::new(base, dialect).ok()?;
    let resolution = resolver.resolve(reference).expect("every reference has a target");
    Some(match &resolution {
        Resolution::Url(url) => url.clone(),
        Resolution::SameDocument { .. } => format!("(current document){resolution}"),
    })
}

/// Returns the target by [`rfc3986`], with the guard that it lacks: a path `//…` without authority
/// gets `/.` before it.
fn expected_rfc3986(base: &str, reference: &str) -> String {
    let mut t = rfc3986::transform(&rfc3986::parse(base), &rfc3986::parse(reference));
    if t.authority.is_none() && t.path.starts_with("//") {
        t.path.insert_str(0, "/.");
    }
    rfc3986::recompose(&t)
}

/// Returns our target in the web dialect; `Ok(None)` for failure, `Err` if only the host is
/// invalid, which [`whatwg`] does not check.
fn resolve_web(base: &str, reference: &str) -> Result<Option<String>, HostError> {
    match Resolver::new(base, Dialect::Web).map(|resolver| resolver.resolve(reference)) {
        Ok(Ok(target)) => Ok(target.url()),
        Err(BaseError::Host(error)) | Ok(Err(ResolveError::Host(error)))
            if error.kind() != HostErrorKind::Empty =>
        {
            Err(error)
        }
        Err(_) | Ok(Err(_)) => Ok(None),
    }
}

/// Returns true if the crate `url` differs from the standard. These references are compared with
/// [`whatwg`] only.
fn url_differs(base: &str, reference: &str) -> bool {
    let [base, reference] = [base, reference].map(|text| clean(text, Dialect::Web));
    // `///g` with an `http` base has no host in the crate `url`.
    let three_slashes = reference.starts_with("//") && reference[2..].starts_with(['/', '\\']);
    let other = |text: &str| {
        // Slashes at the start of a `file` path are collapsed; a drive letter stops a `..` in any
        // special scheme; there may be no host after `@`.
        let has_no_host = |text: &str| {
            text.ends_with('@') || ["@/", "@?", "@#", "@\\"].iter().any(|end| text.contains(end))
        };
        let drive = |w: &[u8]| {
            !w[0].is_ascii_alphanumeric()
                && w[1].is_ascii_alphabetic()
                && matches!(w[2], b':' | b'|')
        };
        text.contains("file:")
            || format!("/{text}").as_bytes().windows(3).any(drive)
            || has_no_host(text)
    };
    three_slashes || other(&base) || other(&reference) || url_takes_backslash(&base, &reference)
}

/// Returns true if the crate `url` reads a `\` as a slash and the standard does not: in relative
/// references and after ports if the scheme is not special.
fn url_takes_backslash(base: &str, reference: &str) -> bool {
    let has = |pattern| base.contains(pattern) || reference.contains(pattern);
    has("\\") && (has("foo:") || has("mailto:"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: generate::n_cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_directory_decides_on_paths(
        base in generate::base(),
        end in prop::sample::select(vec!["", "x", "x?y/z", "#x/", "C:", "C|", "x;y", "%2e", "?", "@"]),
        reference in generate::reference(),
    ) {
        for dialect in Dialect::ALL {
            let Ok(resolver) = Resolver::new(&base, *dialect) else { continue };
            let Some(directory) = resolver.directory() else { continue };
            let other = format!("{directory}{end}");
            let Ok(other) = Resolver::new(&other, *dialect) else { continue };
            if resolver.is_by_directory(&reference) && other.directory() == Some(directory) {
                prop_assert_eq!(resolver.resolve(&reference), other.resolve(&reference));
            }
        }
    }

    #[test]
    fn a_fragment_is_added_to_the_target_of_a_path(
        base in generate::base(),
        reference in generate::reference(),
        fragment in "[!-~]{1,3}",
    ) {
        for dialect in Dialect::ALL {
            let Ok(resolver) = Resolver::new(&base, *dialect) else { continue };
            let path = reference.split('#').next().unwrap_or_default();
            if path.bytes().all(|byte| byte > b' ') && resolver.is_by_directory(path) {
                let whole = resolver.resolve(&format!("{path}#{fragment}"));
                let added = resolver.resolve(path).map(|it| it.map(|it| format!("{it}#{fragment}")));
                prop_assert_eq!(whole, added, "{:?}", dialect);
            }
        }
    }

    #[test]
    fn rfc3986_is_its_pseudo_code(base in generate::base(), reference in generate::reference()) {
        let ours = resolve(&base, &reference, Dialect::Rfc3986);
        prop_assert_eq!(ours, Some(expected_rfc3986(&base, &reference)));
    }

    #[test]
    fn rfc1808_is_its_steps(base in generate::base(), reference in generate::reference()) {
        let ours = resolve(&base, &reference, Dialect::Rfc1808);
        prop_assert_eq!(ours, Some(rfc1808::resolve(&base, &reference, false)));
    }

    #[test]
    fn draft05_is_its_steps(base in generate::base(), reference in generate::reference()) {
        let ours = resolve(&base, &reference, Dialect::Rfc1808Draft05);
        prop_assert_eq!(ours, Some(rfc1808::resolve(&base, &reference, true)));
    }

    #[test]
    fn rfc2396_is_its_steps(base in generate::base(), reference in generate::reference()) {
        let ours = resolve(&base, &reference, Dialect::Rfc2396);
        prop_assert_eq!(ours, Some(rfc2396::resolve(&base, &reference, false)));
    }

    #[test]
    fn url_syntax_1996_is_its_steps(base in generate::base(), reference in generate::reference()) {
        let ours = resolve(&base, &reference, Dialect::UrlSyntax1996);
        prop_assert_eq!(ours, Some(rfc2396::resolve(&base, &reference, true)));
    }

    #[test]
    fn url_1993_is_its_rules(base in generate::base(), reference in generate::reference()) {
        let ours = resolve(&base, &reference, Dialect::Url1993);
        prop_assert_eq!(ours, Some(url1993::resolve(&base, &reference)));
    }

    #[test]
    fn web_is_its_states(base in generate::base(), reference in generate::reference(), other in generate::base()) {
        let Ok(ours) = resolve_web(&base, &reference) else { return Ok(()) };
        let expected = whatwg::parse(&base, None).and_then(|base| whatwg::parse(&reference, Some(&base)));
        prop_assert_eq!(ours.as_ref().and_then(|ours| whatwg::parse(ours, None)), expected.clone(), "{:?}", ours);
        let other = whatwg::parse(&other, None);
        prop_assert_eq!(ours.as_ref().and_then(|ours| whatwg::parse(ours, other.as_ref())), expected, "{:?}", ours);
    }

    #[test]
    fn web_is_what_the_crate_url_reads(
        base in generate::base(), reference in generate::reference(),
    ) {
        if url_differs(&base, &reference) {
            return Ok(());
        }
        let theirs = Url::parse(&base).ok().map(|base| base.join(&reference).map(String::from));
        let ours = Resolver::new(&base, Dialect::Web).ok().map(|base| base.resolve(&reference));
        let read = ours.clone().map(|ours| ours.ok().and_then(Resolution::url).map(|ours| Url::parse(&ours).map(String::from)));
        match (theirs, read) {
            (Some(Ok(theirs)), read) => prop_assert_eq!(read, Some(Some(Ok(theirs))), "{:?}", ours),
            (None | Some(Err(_)), read) => prop_assert!(!matches!(read, Some(Some(Ok(_)))), "{:?}", ours),
        }
    }

    #[test]
    fn web_target_is_a_fixed_point(base in generate::base(), reference in generate::reference(), other in generate::base()) {
        let Ok(resolver) = Resolver::new(&base, Dialect::Web) else { return Ok(()) };
        let Some(target) = resolver.resolve(&reference).ok().and_then(Resolution::url) else { return Ok(()) };
        prop_assert_eq!(resolver.resolve(&target), Ok(Resolution::Url(target.clone())));
        if let Ok(other) = Resolver::new(&other, Dialect::Web) {
            prop_assert_eq!(other.resolve(&target), Ok(Resolution::Url(target.clone())));
            prop_assert!(is_absolute(&target, Dialect::Web, Some(other.scheme())));
        }
        let mut again = String::new();
        prop_assert_eq!(resolve_without_base(&target, Dialect::Web, &mut again), Ok(()));
        prop_assert_eq!(&again, &target);
        // As a base the target is unchanged except for its fragment.
        let same = Resolver::new(&target, Dialect::Web).map(|base| base.resolve("#"));
        let without_fragment = target.split('#').next().unwrap_or("");
        prop_assert_eq!(same, Ok(Ok(Resolution::Url(format!("{without_fragment}#")))));
    }

    #[test]
    fn absolute_references_ignore_the_base(
        base in generate::base(), other in generate::base(), reference in generate::reference(),
    ) {
        for &dialect in Dialect::ALL {
            let (Ok(base), Ok(other)) = (Resolver::new(&base, dialect), Resolver::new(&other, dialect)) else { continue };
            if is_absolute(&reference, dialect, Some(base.scheme())) && is_absolute(&reference, dialect, Some(other.scheme())) {
                prop_assert_eq!(base.resolve(&reference), other.resolve(&reference), "{}", dialect);
            }
        }
    }

    #[test]
    fn ascii_is_the_same_url(base in generate::base(), reference in generate::characters("a é<>`{}^\"?#/@:|%'\\\u{7f}\u{1}", 12)) {
        let Ok(base) = Url::parse(&base) else { return Ok(()) };
        if url_takes_backslash(base.as_str(), &reference) {
            return Ok(());
        }
        let ascii = escape::ascii_web(&reference);
        prop_assert!(ascii.is_ascii());
        prop_assert_eq!(escape::ascii_web(&ascii), ascii.clone());
        // The crate does not escape `^` in paths; the standard does.
        let read = |text: &str| base.join(text).map(|url| url.as_str().replace('^', "%5E"));
        prop_assert_eq!(read(&ascii), read(&reference), "{}", ascii);
    }

    #[test]
    fn nothing_panics(a in generate::any_text(), b in generate::any_text(), reference in generate::reference()) {
        let mut target = String::new();
        for &dialect in Dialect::ALL {
            prop_assert_eq!(Reference::split(&a, dialect).to_string(), a.as_str());
            let _ = clean(&a, dialect);
            let _ = is_absolute(&a, dialect, Some(&b));
            for base in [format!("http://h/{b}"), format!("file:{b}"), format!("{reference}{b}"), b.clone()] {
                let Ok(resolver) = Resolver::new(&base, dialect) else { continue };
                for reference in [&a, &b, &reference] {
                    if resolver.resolve_into(reference, &mut target).is_err() {
                        prop_assert_eq!(target.as_str(), "");
                    }
                }
            }
        }
        let _ = (escape::percent_decode(&a), escape::ascii_web(&a), is_valid_host(&a, "http"), is_valid_host(&b, "foo"));
    }
}
