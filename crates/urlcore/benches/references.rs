//! Resolution into a reused buffer and relativization, compared with other crates: `cargo bench -p
//! urlcore`.
//!
//! The references are those of pages of Rust's documentation, if it is installed, else a list of
//! the same kinds. The results are ratios. All subjects take turns on the same references in one
//! run, and the least time of each counts.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results and panics on errors"
)]

use std::collections::BTreeSet;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use fluent_uri::{Uri, UriRef};
use iri_string::types::{UriAbsoluteStr, UriReferenceStr};
use oxiri::{Iri, IriRef};
use url::Url;
use urlcore::{BaseIs, Dialect, Relativizer, Resolver, Style};

/// References from documentation, from old pages, and from the specifications; each is valid in
/// every dialect and every crate.
const REFERENCES: &[&str] = &[
    "struct.Vec.html",
    "../../std/primitive.slice.html#method.iter",
    "../alloc/vec/index.html",
    "../../static.files/rustdoc-ca0dd0c4.css",
    "https://doc.rust-lang.org/1.95.0/std/",
    "#method.push",
    "../../../api/java.base/java/lang/Object.html#equals(java.lang.Object)",
    "package-summary.html",
    "/images/logo.png",
    "images/bar.gif",
    "//mirror.example/pub/file.zip",
    "?sort=name&order=down",
    "./here/",
    "mailto:joe@isp.example",
    "cgi-bin/counter.cgi?df=joe&dd=A",
    "http://www.geocities.example/Area51/1234/",
    "page%201.html",
    "g;x=1/../y",
    "../..",
    "",
];

/// The URL of the documentation, and the pages of it that are read.
const ROOT: &str = "https://doc.rust-lang.org/1.95.0/";
const PAGES: [&str; 4] = [
    "std/vec/index.html",
    "std/vec/struct.Vec.html",
    "book/ch04-01-what-is-ownership.html",
    "reference/types.html",
];

/// The number of references that are resolved in a round, and the number of rounds.
const N_REFERENCES: usize = 40_000;
const N_ROUNDS: usize = 25;

/// A page and the references in it.
struct Page {
    base: String,
    references: Vec<String>,
    targets: Vec<String>,
    /// The targets as the crate `url` parses them.
    urls: Vec<Url>,
}

impl Page {
    /// Creates a page with the references that every crate accepts.
    fn new(base: String, references: impl Iterator<Item = String>) -> Page {
        let base_url = Url::parse(&base).unwrap();
        let is_taken = |reference: &String| {
            base_url.join(reference).is_ok() && UriRef::parse(reference.as_str()).is_ok()
        };
        let references: Vec<String> = references.filter(is_taken).collect();
        let urls: Vec<Url> = references.iter().map(|text| base_url.join(text).unwrap()).collect();
        let targets = urls.iter().map(|url| url.to_string()).collect();
        Page { base, references, targets, urls }
    }
}

/// Returns pages of the documentation in the compiler's directory, or one page with the list above.
fn pages() -> Vec<Page> {
    let directory = || {
        let output = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
        let sysroot = String::from_utf8(output.stdout).ok()?;
        Some(Path::new(sysroot.trim()).join("share/doc/rust/html"))
    };
    let directory: PathBuf = directory().unwrap_or_default();
    let pages = PAGES.iter().filter_map(|name| {
        let html = std::fs::read_to_string(directory.join(name)).ok()?;
        let values = html.split(" href=\"").chain(html.split(" src=\"")).skip(1);
        let values = values.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()));
        Some(Page::new(format!("{ROOT}{name}"), values.filter(|value| value.len() < 500)))
    });
    let pages: Vec<Page> = pages.collect();
    if !pages.is_empty() {
        return pages;
    }
    println!("The documentation of Rust is not installed: a list of references takes its place.");
    vec![Page::new(format!("{ROOT}std/vec/index.html"), REFERENCES.iter().map(ToString::to_string))]
}

/// A measured function of a crate: it takes a page and processes each reference. The sum of the
/// lengths of the results keeps the work from being optimized away.
struct Subject {
    name: &'static str,
    run: fn(&Page) -> usize,
}

fn resolve(page: &Page, dialect: Dialect) -> usize {
    let resolver = Resolver::new(&page.base, dialect).unwrap();
    let mut target = String::new();
    let mut length = 0;
    for reference in &page.references {
        let _ = resolver.resolve_into(black_box(reference), &mut target);
        length += target.len();
    }
    length
}

fn relativize(page: &Page, dialect: Dialect) -> usize {
    let resolver = Resolver::new(&page.base, dialect).unwrap();
    let mut relativizer = Relativizer::default();
    let targets = page.targets.iter();
    let lengths = targets.map(|target| {
        let target = black_box(target);
        let found = relativizer.relativize(&resolver, target, Style::Relative, BaseIs::Document);
        found.map_or(0, |relative| relative.text.len())
    });
    lengths.sum()
}

const RESOLVE: &[Subject] = &[
    Subject { name: "urlcore, web", run: |page| resolve(page, Dialect::Web) },
    Subject { name: "urlcore, rfc3986", run: |page| resolve(page, Dialect::Rfc3986) },
    Subject { name: "urlcore, rfc1808", run: |page| resolve(page, Dialect::Rfc1808) },
    Subject { name: "urlcore, 1996", run: |page| resolve(page, Dialect::UrlSyntax1996) },
    Subject { name: "urlcore, 1993", run: |page| resolve(page, Dialect::Url1993) },
    Subject {
        name: "url",
        run: |page| {
            let base = Url::parse(&page.base).unwrap();
            let targets = page.references.iter().map(|text| base.join(black_box(text)).unwrap());
            targets.map(|target| target.as_str().len()).sum()
        },
    },
    Subject {
        name: "fluent-uri",
        run: |page| {
            let base = Uri::parse(page.base.as_str()).unwrap();
            let references = page.references.iter();
            let targets = references.map(|text| {
                let reference = UriRef::parse(black_box(text.as_str())).unwrap();
                reference.resolve_against(&base).unwrap()
            });
            targets.map(|target| target.as_str().len()).sum()
        },
    },
    Subject {
        name: "iri-string",
        run: |page| {
            let base: &UriAbsoluteStr = UriAbsoluteStr::new(&page.base).unwrap();
            let references = page.references.iter();
            let targets = references.map(|text| {
                let reference = UriReferenceStr::new(black_box(text.as_str())).unwrap();
                reference.resolve_against(base).to_string()
            });
            targets.map(|target| target.len()).sum()
        },
    },
    Subject {
        name: "oxiri, unchecked",
        run: |page| {
            let base = Iri::parse(page.base.as_str()).unwrap();
            let mut target = String::new();
            let mut length = 0;
            for text in &page.references {
                target.clear();
                let reference = IriRef::parse_unchecked(black_box(text.as_str()));
                base.resolve_into_unchecked(&reference, &mut target);
                length += target.len();
            }
            length
        },
    },
];

const RELATIVIZE: &[Subject] = &[
    Subject { name: "urlcore, web", run: |page| relativize(page, Dialect::Web) },
    Subject { name: "urlcore, rfc3986", run: |page| relativize(page, Dialect::Rfc3986) },
    Subject { name: "urlcore, rfc1808", run: |page| relativize(page, Dialect::Rfc1808) },
    Subject {
        name: "url",
        run: |page| {
            let base = Url::parse(&page.base).unwrap();
            let targets = page.urls.iter();
            let found = targets.map(|target| base.make_relative(black_box(target)));
            found.map(|found| found.map_or(0, |found| found.len())).sum()
        },
    },
    Subject {
        name: "url, with parsing",
        run: |page| {
            let base = Url::parse(&page.base).unwrap();
            let found = page.targets.iter().map(|target| {
                let target = Url::parse(black_box(target)).unwrap();
                base.make_relative(&target).map_or(0, |found| found.len())
            });
            found.sum()
        },
    },
    Subject {
        name: "oxiri",
        run: |page| {
            let base = Iri::parse(page.base.as_str()).unwrap();
            let found = page.targets.iter().map(|target| {
                let target = Iri::parse_unchecked(black_box(target.as_str()));
                base.relativize(&target).map_or(0, |found: IriRef<String>| found.as_str().len())
            });
            found.sum()
        },
    },
];

/// Prints the least time of each subject, and its ratios to those of the first two.
fn compare(what: &str, subjects: &[Subject], pages: &[Page]) {
    let n_references: usize = pages.iter().map(|page| page.references.len()).sum();
    let n_times = N_REFERENCES.div_ceil(n_references);
    let mut least = vec![Duration::MAX; subjects.len()];
    for _ in 0..N_ROUNDS {
        for (least, subject) in least.iter_mut().zip(subjects) {
            let started = Instant::now();
            for _ in 0..n_times {
                pages.iter().for_each(|page| _ = black_box((subject.run)(page)));
            }
            *least = started.elapsed().min(*least);
        }
    }
    let n = (n_times * n_references) as f64;
    println!(
        "\n{what} (nanoseconds, and how many times as fast urlcore is in its web and RFC 3986 dialects)"
    );
    for (subject, time) in subjects.iter().zip(&least) {
        let ratio = |idx: usize| time.as_secs_f64() / least[idx].as_secs_f64();
        let nanoseconds = time.as_secs_f64() * 1e9 / n;
        println!("{:<20}{nanoseconds:>8.1}{:>8.1}x{:>8.1}x", subject.name, ratio(0), ratio(1));
    }
}

fn main() {
    let pages = pages();
    let all: BTreeSet<&String> = pages.iter().flat_map(|page| &page.references).collect();
    println!("{} pages, {} references", pages.len(), all.len());
    compare("resolve a reference", RESOLVE, &pages);
    compare("relativize a target", RELATIVIZE, &pages);
}
