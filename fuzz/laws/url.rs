//! The laws of URLs, in every dialect, on any base and reference.

#[path = "../../crates/urlcore/tests/all/oracle/mod.rs"]
mod oracle;

use urlcore::{
    BaseIs, Dialect, Normalization, Reference, Relativizer, Resolution, Resolver, Strictness,
    Style, header, normalize, text, validate,
};

use oracle::{rfc1808, rfc2396, rfc3986, url1993};

/// The lines of the input are a base and a reference.
pub(crate) fn check(input: &[u8]) {
    let Ok(input) = std::str::from_utf8(input) else { return };
    let (base, reference) = input.split_once('\n').unwrap_or(("http://a/b/c/d;p?q", input));
    for text in [base, reference] {
        laws_of_one(text);
    }
    for &dialect in Dialect::ALL {
        laws_of_two(base, reference, dialect);
    }
}

fn laws_of_one(input: &str) {
    let mut from = 0;
    for found in text::find(input) {
        assert!(from <= found.wrapped.start && found.wrapped.start <= found.span.start);
        assert!(found.span.end <= found.wrapped.end);
        let text: String = input[found.span].split_whitespace().collect();
        assert_eq!(text, found.url);
        from = found.wrapped.end;
    }
    for url in
        header::location(input).into_iter().chain(header::links(input).map(|link| link.target))
    {
        let text: String = input[url.span].split_whitespace().collect();
        assert_eq!(text, url.text);
    }
    let _ = header::refresh(input).map(|found| input[found.span].len());
    for &dialect in Dialect::ALL {
        assert_eq!(Reference::split(input, dialect).to_string(), input);
        if let Err(error) = validate(input, dialect, Strictness::Strict) {
            assert!(error.index <= input.len());
        }
        for level in [Normalization::Syntax, Normalization::Scheme] {
            let normal = normalize(input, dialect, level);
            assert_eq!(normalize(&normal, dialect, level), normal, "{dialect}");
        }
    }
}

/// What the literal algorithm of a dialect says, if there is one.
fn expected(base: &str, reference: &str, dialect: Dialect) -> Option<String> {
    Some(match dialect {
        Dialect::Url1993 => url1993::resolve(base, reference),
        Dialect::Rfc1808Draft05 => rfc1808::resolve(base, reference, true),
        Dialect::Rfc1808 => rfc1808::resolve(base, reference, false),
        Dialect::UrlSyntax1996 => rfc2396::resolve(base, reference, true),
        Dialect::Rfc2396 => rfc2396::resolve(base, reference, false),
        Dialect::Rfc3986 => {
            let mut t = rfc3986::transform(&rfc3986::parse(base), &rfc3986::parse(reference));
            if t.authority.is_none() && t.path.starts_with("//") {
                t.path.insert_str(0, "/.");
            }
            rfc3986::recompose(&t)
        }
        _ => return None,
    })
}

fn laws_of_two(base: &str, reference: &str, dialect: Dialect) {
    let Ok(resolver) = Resolver::new(base, dialect) else { return };
    let resolved = resolver.resolve(reference);
    if let Some(expected) = expected(base, reference, dialect) {
        let ours = match resolved.clone().expect("every reference has a target") {
            Resolution::Url(url) => url,
            same => format!("(current document){same}"),
        };
        assert_eq!(ours, expected, "{dialect}");
    }
    let Some(target) = resolved.ok().and_then(Resolution::url) else { return };
    if dialect == Dialect::Web {
        assert_eq!(resolver.resolve(&target).expect("a fixed point"), target.as_str());
    }
    let mut relativizer = Relativizer::default();
    for (_, style) in Style::ALL {
        let written = relativizer.relativize(&resolver, &target, style, BaseIs::Other);
        let Ok(written) = written else {
            let itself = resolver.resolve(&target).expect("it resolves");
            assert!(itself != target.as_str(), "{dialect} {style:?}");
            continue;
        };
        let back = resolver.resolve(written.text).expect("it resolves");
        assert_eq!(back, target.as_str(), "{dialect} {style:?} {:?}", written.text);
    }
}
