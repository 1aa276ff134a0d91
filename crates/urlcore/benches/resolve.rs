//! Resolving references into a reused buffer, beside other crates: `cargo bench -p urlcore`.
//!
//! What is told are ratios. All subjects take turns on the same references in one run, and the least time of each counts.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints, and stops where it cannot go on"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use fluent_uri::{Uri, UriRef};
use iri_string::types::{UriAbsoluteStr, UriReferenceStr};
use oxiri::{Iri, IriRef};
use url::Url;
use urlcore::{Dialect, Resolver};

/// References as they stand in documentation, in old pages, and in the texts; each is one in every dialect and in every crate.
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

const BASE: &str = "https://doc.example.org/std/vec/index.html?a=b";

/// How many times the references are resolved in a round, and how many rounds there are.
const N_TIMES: usize = 2_000;
const N_ROUNDS: usize = 25;

struct Subject {
    name: &'static str,
    /// Resolves all references; the sum of the lengths of the targets keeps the work from being optimized away.
    run: Box<dyn Fn() -> usize>,
}

fn subject(
    name: &'static str,
    mut resolve: impl FnMut(&str) -> usize + Clone + 'static,
) -> Subject {
    resolve(REFERENCES[0]);
    let run = move || {
        let mut resolve = resolve.clone();
        (0..N_TIMES).flat_map(|_| REFERENCES).map(|reference| resolve(black_box(reference))).sum()
    };
    Subject { name, run: Box::new(run) }
}

fn relink(dialect: Dialect) -> impl FnMut(&str) -> usize + Clone + 'static {
    let resolver = Resolver::new(BASE, dialect).unwrap();
    let mut target = String::new();
    move |reference| {
        resolver.resolve_into(reference, &mut target).unwrap();
        target.len()
    }
}

fn subjects() -> Vec<Subject> {
    let url = Url::parse(BASE).unwrap();
    let fluent = Uri::parse(BASE).unwrap();
    let iri: &UriAbsoluteStr = UriAbsoluteStr::new(BASE).unwrap();
    let oxiri = Iri::parse(BASE).unwrap();
    let mut target = String::new();
    vec![
        subject("urlcore, web", relink(Dialect::Web)),
        subject("urlcore, rfc3986", relink(Dialect::Rfc3986)),
        subject("urlcore, rfc1808", relink(Dialect::Rfc1808)),
        subject("url", move |reference| url.join(reference).unwrap().as_str().len()),
        subject("fluent-uri", move |reference| {
            let reference = UriRef::parse(reference).unwrap();
            reference.resolve_against(&fluent).unwrap().as_str().len()
        }),
        subject("iri-string", move |reference| {
            UriReferenceStr::new(reference).unwrap().resolve_against(iri).to_string().len()
        }),
        subject("oxiri, unchecked", move |reference| {
            target.clear();
            oxiri.resolve_into_unchecked(&IriRef::parse_unchecked(reference), &mut target);
            target.len()
        }),
    ]
}

fn main() {
    let subjects = subjects();
    let mut least = vec![Duration::MAX; subjects.len()];
    for _ in 0..N_ROUNDS {
        for (least, subject) in least.iter_mut().zip(&subjects) {
            let started = Instant::now();
            black_box((subject.run)());
            *least = started.elapsed().min(*least);
        }
    }
    let n = (N_TIMES * REFERENCES.len()) as f64;
    println!(
        "\nresolve a reference (nanoseconds, and how many times as fast urlcore is in its web and RFC 3986 dialects)"
    );
    for (subject, time) in subjects.iter().zip(&least) {
        let ratio = |idx: usize| time.as_secs_f64() / least[idx].as_secs_f64();
        println!(
            "{:<20}{:>8.1}{:>8.1}x{:>8.1}x",
            subject.name,
            time.as_secs_f64() * 1e9 / n,
            ratio(0),
            ratio(1)
        );
    }
}
