//! The tables in `fixtures/url`, in every dialect: the examples of the specifications,
//! disagreements of the dialects, the components of references, and the shortest references between
//! URLs.

use url::Url;
use urlcore::{BaseIs, Dialect, EmptyReference, Reference, Relativizer, Resolver, Style};

use crate::fixtures::rows;

/// Returns the cells of the seven dialects, with `=` replaced by the cell that it repeats.
fn cells(cells: &[String]) -> Vec<String> {
    assert_eq!(cells.len(), Dialect::ALL.len(), "{cells:?}");
    let mut full: Vec<String> = Vec::new();
    for cell in cells {
        full.push(match (cell.as_str(), full.last()) {
            ("=", Some(before)) => before.clone(),
            _ => cell.clone(),
        });
    }
    full
}

/// Returns the target of a reference, in the notation of the files.
fn resolved(dialect: Dialect, base: &str, reference: &str) -> String {
    let resolver = Resolver::new(base, dialect).expect("a base");
    match resolver.resolve(reference) {
        Ok(resolution) => match resolution.clone().url() {
            Some(url) => url,
            None => format!("(current document){resolution}"),
        },
        Err(_) => "(failure)".to_owned(),
    }
}

#[test]
fn examples_of_the_specifications() {
    let rows = rows("examples.tsv");
    for row in &rows {
        let [dialect, section, base, reference, target] = &row[..] else { panic!("{row:?}") };
        let dialect = dialect.parse().expect("a dialect");
        assert_eq!(&resolved(dialect, base, reference), target, "{dialect} {section}: {reference}");
    }
    assert_eq!(rows.len(), 217);
}

#[test]
fn disagreements() {
    /// RFC 3986 5.3 would write `foo://g`, which is another URL; the dialect guards the path.
    const GUARDED: (&str, &str) = ("foo:/a/b", "/.//g");
    let rows = rows("disagreements.tsv");
    for row in rows.iter().step_by(if cfg!(miri) { 7 } else { 1 }) {
        let (base, reference) = (row[0].as_str(), row[1].as_str());
        for (dialect, expected) in Dialect::ALL.iter().zip(cells(&row[2..])) {
            let ours = resolved(*dialect, base, reference);
            match dialect {
                Dialect::Web => {
                    let read =
                        |text: &str| Url::parse(text).map_or("(failure)".to_owned(), String::from);
                    assert_eq!(read(&ours), read(&expected), "{reference:?} against {base}");
                }
                Dialect::Rfc3986 if (base, reference) == GUARDED => {
                    assert_eq!((ours.as_str(), expected.as_str()), ("foo:/.//g", "foo://g"));
                }
                _ => assert_eq!(ours, expected, "{reference:?} against {base} in {dialect}"),
            }
        }
    }
    assert_eq!(rows.len(), 156);
}

#[test]
fn splitting() {
    let rows = rows("split.tsv");
    for group in rows.chunks(3) {
        let [input, rfc1808, others] = group else { panic!("{group:?}") };
        for &dialect in Dialect::ALL {
            let expected = match dialect {
                Dialect::Web => continue,
                Dialect::Rfc1808 | Dialect::Rfc1808Draft05 => &rfc1808[1..],
                _ => &others[1..],
            };
            let r = Reference::split(&input[1], dialect);
            let found = [
                ("scheme", r.scheme()),
                ("authority", r.authority()),
                ("path", Some(r.path()).filter(|path| !path.is_empty())),
                ("params", r.params()),
                ("query", r.query()),
                ("fragment", r.fragment()),
            ];
            let is_listed = |component: &&str| !component.is_empty() || !dialect.rules().params;
            let found: Vec<String> = found
                .iter()
                .filter_map(|(name, component)| Some((name, component.filter(is_listed)?)))
                .map(|(name, component)| format!("{name}={component}"))
                .collect();
            assert_eq!(found, expected, "{:?} in {dialect}", input[1]);
            assert_eq!(r.to_string(), input[1]);
        }
    }
    assert_eq!(rows.len(), 3 * 60);
}

/// The rows for which the answer differs from the table, with the reason.
const EXCEPTIONS: [&str; 5] = [
    // An absolute URL is copied with its empty fragment (1993 1.2; RFC 1808 4 step 2b). The table
    // treats it as absent.
    "frag-empty url-1993: http://a/b/c#, not (none)",
    "frag-empty rfc1808-draft05: http://a/b/c#, not ",
    "frag-empty rfc1808: http://a/b/c#, not ",
    // The dialect guards a path that begins with two slashes, but the table does not (RFC 3986
    // 5.3).
    "noauth-dslash rfc3986: ..//x, not (none)",
    "noauth-dslash2 rfc3986: z, not (none)",
];

#[test]
fn shortest_references() {
    let rows = rows("relativize.tsv");
    let mut differing = Vec::new();
    let mut n_answers = 0;
    for row in &rows {
        for (dialect, expected) in Dialect::ALL.iter().zip(cells(&row[3..])) {
            if expected == "-" {
                continue;
            }
            let resolver = Resolver::new(&row[1], *dialect).expect("a base");
            let is_document = dialect.rules().empty_reference != EmptyReference::SameDocument;
            let base_is = if is_document { BaseIs::Document } else { BaseIs::Other };
            let mut relativizer = Relativizer::default();
            let found = relativizer.relativize(&resolver, &row[2], Style::Shortest, base_is);
            n_answers += 1;
            match found {
                Ok(found) => {
                    assert_eq!(resolver.resolve(found.text).expect("it resolves"), row[2].as_str());
                    if found.text.len() != expected.len() || expected == "(none)" {
                        differing
                            .push(format!("{} {dialect}: {}, not {expected}", row[0], found.text));
                    }
                }
                Err(error) if expected != "(none)" => {
                    differing.push(format!("{} {dialect}: {error}, not {expected}", row[0]));
                }
                Err(_) => {}
            }
        }
    }
    assert!(n_answers > 600, "{n_answers} answers");
    assert_eq!(differing, EXCEPTIONS);
}
