//! Resolution into a reused buffer and relativization of the references of a whole tree, compared
//! with other crates.
//!
//! `cargo bench --bench references -- [--runs N] [DIRECTORY]`, in `benches/peers`. All engines
//! take turns, and each pass over the references of all pages, in the order of the files, is a line
//! of JSON. Without DIRECTORY a list of references is used. `python3 benches/figures` makes a
//! table.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it is a program")]
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its results and panics on errors"
)]

#[path = "../figures/driver.rs"]
mod driver;

use std::hint::black_box;

use driver::Arguments;
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

/// The URL of the tree.
const ROOT: &str = "https://doc.rust-lang.org/1.95.0/";

/// A page and the references in it. The texts of a page are side by side in memory, as in a list.
struct Page {
    base: String,
    references: Vec<&'static str>,
    targets: Vec<&'static str>,
}

impl Page {
    /// Creates a page with the references that every crate accepts, if all accept its URL.
    fn new<'r>(base: String, references: impl Iterator<Item = &'r str>) -> Option<Page> {
        let base_url = Url::parse(&base).ok()?;
        let base_uri = Uri::parse(base.as_str()).ok()?;
        let base_iri = Iri::parse(base.as_str()).ok()?;
        UriAbsoluteStr::new(&base).ok()?;
        let target = |reference: &str| {
            UriRef::parse(reference).ok()?.resolve_against(&base_uri).ok()?;
            UriReferenceStr::new(reference).ok()?;
            base_iri.resolve(&IriRef::parse(reference).ok()?).ok()?;
            let target = base_url.join(reference).ok()?;
            // Relativization takes targets of every crate.
            Uri::parse(target.as_str()).ok()?;
            Some(String::from(target))
        };
        let (mut kept, mut targets) = (Vec::new(), Vec::new());
        for reference in references {
            if let Some(target) = target(reference) {
                kept.push(reference);
                targets.push(target);
            }
        }
        let (references, targets) = (side_by_side(&kept), side_by_side(&targets));
        Some(Page { base, references, targets })
    }
}

/// Copies texts into one text that lives as long as the process.
fn side_by_side(texts: &[impl AsRef<str>]) -> Vec<&'static str> {
    let joined: String = texts.iter().map(AsRef::as_ref).collect();
    let mut rest: &'static str = joined.leak();
    let mut copies = Vec::with_capacity(texts.len());
    for text in texts {
        let (copy, after) = rest.split_at(text.as_ref().len());
        copies.push(copy);
        rest = after;
    }
    copies
}

/// Returns the values of the attributes `href` and `src` of a page, in their order.
fn values(html: &str) -> impl Iterator<Item = &str> {
    html.match_indices("=\"").filter_map(|(at, mark)| {
        let is_reference = [" href", " src"].iter().any(|name| html[..at].ends_with(name));
        let rest = &html[at + mark.len()..];
        let value = rest.split_once('"').filter(|_| is_reference)?.0;
        (value.len() < 2000).then_some(value)
    })
}

/// Returns the pages of the tree, or one page with the list above.
fn pages(arguments: &Arguments) -> Vec<Page> {
    let Some(directory) = &arguments.directory else {
        let page = Page::new(format!("{ROOT}std/vec/index.html"), REFERENCES.iter().copied());
        return Vec::from_iter(page);
    };
    let (pages, _) = driver::pages(directory);
    let page = |page: &driver::Page| Page::new(format!("{ROOT}{}", page.path), values(&page.html));
    pages.iter().filter_map(page).collect()
}

/// A measured function of a crate: it takes a page and processes each reference. The sum of the
/// lengths of the results keeps the work from being optimized away.
struct Engine {
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

const RESOLVE: &[Engine] = &[
    Engine { name: "urlcore, web", run: |page| resolve(page, Dialect::Web) },
    Engine { name: "urlcore, rfc3986", run: |page| resolve(page, Dialect::Rfc3986) },
    Engine { name: "urlcore, rfc1808", run: |page| resolve(page, Dialect::Rfc1808) },
    Engine { name: "urlcore, 1996", run: |page| resolve(page, Dialect::UrlSyntax1996) },
    Engine { name: "urlcore, 1993", run: |page| resolve(page, Dialect::Url1993) },
    Engine {
        name: "url",
        run: |page| {
            let base = Url::parse(&page.base).unwrap();
            let targets = page.references.iter().map(|text| base.join(black_box(text)).unwrap());
            targets.map(|target| target.as_str().len()).sum()
        },
    },
    Engine {
        name: "fluent-uri",
        run: |page| {
            let base = Uri::parse(page.base.as_str()).unwrap();
            let references = page.references.iter();
            let targets = references.map(|text| {
                let reference = UriRef::parse(black_box(*text)).unwrap();
                reference.resolve_against(&base).unwrap()
            });
            targets.map(|target| target.as_str().len()).sum()
        },
    },
    Engine {
        name: "iri-string",
        run: |page| {
            let base: &UriAbsoluteStr = UriAbsoluteStr::new(&page.base).unwrap();
            let references = page.references.iter();
            let targets = references.map(|text| {
                let reference = UriReferenceStr::new(black_box(*text)).unwrap();
                reference.resolve_against(base).to_string()
            });
            targets.map(|target| target.len()).sum()
        },
    },
    Engine {
        name: "oxiri",
        run: |page| {
            let base = Iri::parse(page.base.as_str()).unwrap();
            let mut target = String::new();
            let mut length = 0;
            for text in &page.references {
                target.clear();
                let reference = IriRef::parse(black_box(*text)).unwrap();
                base.resolve_into(&reference, &mut target).unwrap();
                length += target.len();
            }
            length
        },
    },
    Engine {
        name: "oxiri, unchecked",
        run: |page| {
            let base = Iri::parse(page.base.as_str()).unwrap();
            let mut target = String::new();
            let mut length = 0;
            for text in &page.references {
                target.clear();
                let reference = IriRef::parse_unchecked(black_box(*text));
                base.resolve_into_unchecked(&reference, &mut target);
                length += target.len();
            }
            length
        },
    },
];

const RELATIVIZE: &[Engine] = &[
    Engine { name: "urlcore, web", run: |page| relativize(page, Dialect::Web) },
    Engine { name: "urlcore, rfc3986", run: |page| relativize(page, Dialect::Rfc3986) },
    Engine { name: "urlcore, rfc1808", run: |page| relativize(page, Dialect::Rfc1808) },
    Engine {
        name: "url",
        run: |page| {
            let base = Url::parse(&page.base).unwrap();
            let found = page.targets.iter().map(|target| {
                let target = Url::parse(black_box(*target)).unwrap();
                base.make_relative(&target).map_or(0, |found| found.len())
            });
            found.sum()
        },
    },
    Engine {
        name: "oxiri",
        run: |page| {
            let base = Iri::parse(page.base.as_str()).unwrap();
            let found = page.targets.iter().map(|target| {
                let target = Iri::parse_unchecked(black_box(*target));
                base.relativize(&target).map_or(0, |found: IriRef<String>| found.as_str().len())
            });
            found.sum()
        },
    },
];

fn main() {
    let arguments = Arguments::read();
    let pages = pages(&arguments);
    let n_references: usize = pages.iter().map(|page| page.references.len()).sum();
    println!(r#"{{"documents":{},"references":{n_references}}}"#, pages.len());
    for (work, engines) in [("resolve", RESOLVE), ("relativize", RELATIVIZE)] {
        let engines: Vec<driver::Engine<'_>> = (engines.iter())
            .map(|engine| {
                let pass = || pages.iter().map(engine.run).sum();
                (engine.name, Box::new(pass) as Box<dyn Fn() -> usize>)
            })
            .collect();
        driver::alternate(work, arguments.n_runs, &engines);
    }
}
