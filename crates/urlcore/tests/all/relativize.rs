//! The inverse of resolution: required answers (for mistakes of other relativizers), and its laws
//! on generated pairs.

use proptest::prelude::*;
use urlcore::{
    BaseIs, Dialect, Empty, Form, Reference, RelativizeError, RelativizeErrorReason, Relativizer,
    Resolution, Resolver, Style,
};

use crate::generate;

fn relativize(
    dialect: Dialect,
    base: &str,
    target: &str,
    style: Style,
) -> Result<String, RelativizeError> {
    let resolver = Resolver::new(base, dialect).expect("a base");
    let mut relativizer = Relativizer::default();
    let found = relativizer.relativize(&resolver, target, style, BaseIs::Document);
    found.map(|relative| relative.text.to_owned())
}

/// Checks the relative and the shortest reference against a base.
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
    // The empty reference of RFC 1808 inherits the fragment of the base.
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
    // The same name in another directory.
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
                relativize(dialect, "http://a/b/c", target, Style::Relative)
                    .map_err(|error| error.reason),
                Err(RelativizeErrorReason::DotSegments)
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
    for (target, expected) in [("http://a/b/c#s", "c#s"), ("http://a/b/c", "c")] {
        let mut relativizer = Relativizer::default();
        let found = relativizer.relativize(&resolver, target, Style::Relative, BaseIs::Other);
        assert_eq!(found.map(|relative| relative.text), Ok(expected));
    }
}

/// Returns the rank of a form by how much it depends on the base.
fn rank(form: Form) -> usize {
    let forms = [Form::SameDocument, Form::RelativePath, Form::AbsolutePath, Form::NetworkPath];
    forms.iter().position(|known| *known == form).unwrap_or(forms.len())
}

/// Relativizes a target in a style, and checks the result against the law.
fn check_law(
    resolver: &Resolver<'_>,
    relativizer: &mut Relativizer,
    target: &str,
    style: Style,
    base_is: BaseIs,
) -> Option<(String, Form)> {
    let written = relativizer.relativize(resolver, target, style, base_is).ok()?;
    let context = || format!("{:?} under {} in {style:?}", written.text, resolver.base());
    match resolver.resolve(written.text).expect("it resolves") {
        Resolution::Url(url) => assert_eq!(url, target, "{}", context()),
        same => {
            assert_eq!(base_is, BaseIs::Document, "{}", context());
            let document = resolver.base().split('#').next().unwrap_or_default();
            assert_eq!(format!("{document}{same}"), target, "{}", context());
        }
    }
    let is_bare = written.text.is_empty() || written.text.starts_with('#');
    assert!(base_is == BaseIs::Document || !is_bare, "{}", context());
    let is_read = Reference::split(written.text, Dialect::Rfc3986).form() == written.form;
    assert!(
        is_read || resolver.rules().special_schemes || written.text.contains(':'),
        "{}",
        context()
    );
    Some((written.text.to_owned(), written.form))
}

/// For all short references: the target of each has a written reference, and one that is at least
/// as relative and not longer.
#[test]
fn no_short_reference_is_missed() {
    const PIECES: [&str; 15] =
        ["", ".", "..", "/", "a", "b", "c:d", "?", "?y", "#", "#s", ";p", "//", "h", "?/../"];
    const BASES: [&str; 16] = [
        "http://a/b/c/d",
        "http://a/b/c?q",
        "http://a/b/;p?q",
        "http://a",
        "http://a/",
        "http://a?q",
        "http://a/b#f",
        "http://a//b//c",
        "http://a/b/../c/./d",
        "http://a/b/..",
        "http://a/c:d/b?/../y",
        "foo:a/b",
        "foo:a",
        "foo:/a/b",
        "file:///a/b",
        "foo:///a//b",
    ];
    let mut references = std::collections::BTreeSet::new();
    let most = if cfg!(miri) { 1 } else { 4 };
    for pieces in (0..PIECES.len().pow(most)).map(|n| (0..4).map(move |i| n / PIECES.len().pow(i)))
    {
        references.insert(pieces.map(|n| PIECES[n % PIECES.len()]).collect::<String>());
    }
    let mut relativizer = Relativizer::default();
    let mut longer = std::collections::BTreeMap::<_, Vec<String>>::new();
    let bases = BASES.iter().step_by(if cfg!(miri) { 5 } else { 1 });
    let pairs = bases.flat_map(|base| Dialect::ALL.iter().map(move |d| (base, d)));
    // In the short form a third, with each base and each dialect.
    let step = if std::env::var_os("RELINK_FULL").is_some() { 1 } else { 3 };
    for (base, dialect) in pairs.step_by(step) {
        let resolver = Resolver::new(base, *dialect).expect("a base");
        let base_authority = Reference::split(base, *dialect).authority();
        // The best reference to each target.
        let mut best = std::collections::BTreeMap::<String, (usize, &str)>::new();
        for reference in &references {
            // Readers disagree on whether an empty fragment is defined: it is not written.
            if reference.ends_with('#') && dialect.rules().empty != Empty::Defined {
                continue;
            }
            let Ok(resolution) = resolver.resolve(reference) else { continue };
            let Some(target) = resolution.url() else { continue };
            let r = Reference::split_under(reference, *dialect, resolver.scheme());
            // A target may be split differently from how it was composed (`http://ag` of 1996):
            // such references to another host are not written.
            let own = r.authority().filter(|own| !own.is_empty() || !dialect.rules().params);
            let authority = own.or(base_authority);
            let is_read_so = Reference::split(&target, *dialect).authority() == authority;
            // From a rootless base `..` and `.//` give a root too, but `/` is clearer.
            let gets_root = base.starts_with("foo:a") && target.starts_with("foo:/");
            let rank = match r.form() {
                _ if !is_read_so => 4,
                Form::RelativePath if gets_root => 2,
                form => rank(form),
            };
            let (best_rank, shortest) = best.entry(target).or_insert((rank, reference));
            *best_rank = rank.min(*best_rank);
            if rank <= 2 && (reference.len() < shortest.len() || *best_rank > 2) {
                *shortest = reference;
            }
        }
        for (target, (best_rank, example)) in &best {
            let relative =
                check_law(&resolver, &mut relativizer, target, Style::Relative, BaseIs::Document);
            let (text, form) = relative.unwrap_or_else(|| {
                panic!("{dialect}: nothing leads from {base} to {target}, but {example}")
            });
            assert!(
                rank(form) <= *best_rank,
                "{dialect}: {text:?} leads from {base} to {target}, as {example:?} does"
            );
            let shortest =
                check_law(&resolver, &mut relativizer, target, Style::Shortest, BaseIs::Document);
            let (text, _) = shortest.expect("there is a relative one");
            if text.len() > example.len() && *best_rank <= 2 {
                longer
                    .entry(dialect.name())
                    .or_default()
                    .push(format!("{base} {target}: {text}, but {example}"));
            }
        }
    }
    for (dialect, longer) in &longer {
        println!(
            "{dialect}: {}\n  {}",
            longer.len(),
            longer.iter().take(20).cloned().collect::<Vec<_>>().join("\n  ")
        );
    }
    assert!(longer.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: generate::n_cases(), failure_persistence: None, ..ProptestConfig::default() })]

    /// Every possible target has a reference in every style, which resolves to it.
    #[test]
    fn written_references_resolve_to_the_target(base in generate::base(), reference in generate::reference()) {
        let mut relativizer = Relativizer::default();
        for dialect in Dialect::ALL.iter().copied() {
            let Ok(resolver) = Resolver::new(&base, dialect) else { continue };
            let Some(target) = resolver.resolve(&reference).ok().and_then(Resolution::url) else { continue };
            for (name, style) in Style::ALL {
                for base_is in [BaseIs::Other, BaseIs::Document] {
                    if check_law(&resolver, &mut relativizer, &target, style, base_is).is_some() {
                        continue;
                    }
                    // Only the path of a base is copied with its dot segments.
                    let is_itself = resolver.resolve(&target).is_ok_and(|found| found == target.as_str());
                    let is_short = matches!(style, Style::Relative | Style::Shortest);
                    let must_be = is_itself || (is_short && base_is == BaseIs::Document);
                    prop_assert!(!must_be, "{dialect} {name} {base:?} {target:?}");
                }
            }
        }
    }
}
