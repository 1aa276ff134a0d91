//! Finding and rewriting references in the HTML of a whole tree in memory, compared with html5ever
//! with a tree, lol_html and html5gum.
//!
//! `cargo bench --bench html -- [--runs N] [DIRECTORY]`, in `benches/peers`. All engines take turns
//! on the same documents; each pass over all of them is a line of JSON. Without DIRECTORY the
//! documents are generated tag soup. `python3 benches/figures` makes a table of several trees.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it is a program")]
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints, and stops where it cannot go on"
)]

#[path = "../../figures/driver.rs"]
mod driver;
mod engines;
#[path = "../../../crates/rewrite/benches/soup/mod.rs"]
mod soup;

use driver::{Arguments, Page};

/// The number of bytes of tag soup.
const N_SOUP: usize = 16 << 20;

/// The URL of the tree.
const ROOT: &str = "https://docs.example/a/";

/// A document and its URL.
struct Document {
    url: String,
    html: String,
}

fn main() {
    let arguments = Arguments::read();
    let (pages, n_other) = arguments.directory.as_deref().map_or_else(soup, driver::pages);
    let documents: Vec<Document> = (pages.into_iter())
        .map(|page| Document { url: format!("{ROOT}{}", page.path), html: page.html })
        .collect();
    let n_bytes: usize = documents.iter().map(|document| document.html.len()).sum();
    let (n_references, n_declined) = engines::counts(&documents);
    println!(
        r#"{{"documents":{},"bytes":{n_bytes},"references":{n_references},"declined by the fast engine":{n_declined},"not in UTF-8":{n_other}}}"#,
        documents.len()
    );
    let documents = &documents;
    for (work, engines) in engines::WORKS {
        let engines: Vec<driver::Engine<'_>> = (engines.iter())
            .map(|&(name, run)| {
                let pass = move || documents.iter().map(run).sum();
                (name, Box::new(pass) as Box<dyn Fn() -> usize>)
            })
            .collect();
        driver::alternate(work, arguments.n_runs, &engines);
    }
}

fn soup() -> (Vec<Page>, usize) {
    let pages = soup::pages(N_SOUP).into_iter().enumerate();
    let page =
        |(idx, html)| Page { path: format!("{idx}.html"), html: String::from_utf8(html).unwrap() };
    (pages.map(page).collect(), 0)
}
