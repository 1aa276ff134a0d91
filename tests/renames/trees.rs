//! The trees of the cases: samples of documentation, and generated ones with odd names.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::model::disk::names;
use super::model::{Files, escaped};

/// Larger files are not in a sample.
const MOST_OCTETS: u64 = 300_000;

/// Numbers that are the same on every machine.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a number that is less than `n`.
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("a number") % n.max(1)
    }

    pub(super) fn is_one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(super) fn one_of<'t, T: ?Sized>(&mut self, all: &[&'t T]) -> &'t T {
        all[self.below(all.len())]
    }
}

/// A tree of which samples are taken; without files, a generated one.
pub(super) struct Source {
    pub(super) name: &'static str,
    pub(super) base: String,
    directory: PathBuf,
    files: Vec<String>,
}

/// Returns the generated tree.
pub(super) fn generated() -> Source {
    Source {
        name: "a generated tree",
        base: "http://h.example/s/".to_owned(),
        directory: PathBuf::new(),
        files: Vec::new(),
    }
}

/// Returns the trees of this machine, and the generated one.
pub(super) fn sources() -> Vec<Source> {
    let mut sources = vec![generated()];
    for (name, directory, base) in [
        (
            "the Rust documentation",
            crate::tools::rust_documentation().join("rust/html"),
            "https://doc.rust-lang.org/",
        ),
        (
            "postgresql-doc-15",
            crate::tools::others("/usr/share/doc/postgresql-doc-15/html"),
            "https://www.postgresql.org/docs/15/",
        ),
        (
            "python3.11-doc",
            crate::tools::others("/usr/share/doc/python3.11/html"),
            "https://docs.python.org/3.11/",
        ),
    ] {
        let is_small = |path: &Path| {
            path.metadata().is_ok_and(|file| file.is_file() && file.len() < MOST_OCTETS)
        };
        let files: Vec<String> = names(&directory)
            .into_iter()
            .filter(|name| name.ends_with(".html") || is_small(&directory.join(name)))
            .collect();
        match files.iter().filter(|name| name.ends_with(".html")).count() {
            n_pages if n_pages > 20 => {
                sources.push(Source { name, base: base.to_owned(), directory, files });
            }
            _ => println!("{name} is not on this machine"),
        }
    }
    sources
}

impl Source {
    /// Returns a sample: files that are next to each other, and some from anywhere.
    pub(super) fn sample(&self, random: &mut Random) -> Files {
        if self.files.is_empty() {
            return generate(random);
        }
        let n_files = self.files.len();
        let n_near = 20 + random.below(60);
        let start = random.below(n_files);
        let near = (start..start + n_near).map(|idx| idx % n_files).collect::<Vec<_>>();
        let any = (0..20).map(|_| random.below(n_files)).collect::<Vec<_>>();
        let is_small = |path: &Path| path.metadata().is_ok_and(|file| file.len() < MOST_OCTETS);
        let mut files = Files::new();
        for idx in near.into_iter().chain(any) {
            let name = &self.files[idx];
            let path = self.directory.join(name);
            if is_small(&path) {
                files.insert(name.clone(), fs::read(path).expect("a file"));
            }
        }
        files
    }
}

/// Makes the tree that of the root of a site: what was in its directory begins with a slash. Adds a
/// page with a reference from the root to each file.
pub(super) fn make_root(files: &mut Files) {
    let links = files.keys().map(|path| format!("<a href=\"/{}\">x</a>\n", escaped(path)));
    let links: String = links.collect();
    for bytes in files.values_mut() {
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        // What is at the host itself is not known to be in the tree; nor is what is above it.
        let text = text.replace("h.example/s/", "o.example/").replace("\"/s/", "\"/");
        let text = text.replace("\"../../../o\"", "\"o\"").replace("\"../../..\"", "\".\"");
        let text = text.replace("\"..\"", "\".\"");
        // Under a base in another directory, references lead above the tree.
        *bytes = text
            .lines()
            .filter(|line| !line.starts_with("<base"))
            .collect::<Vec<_>>()
            .join("\n")
            .into_bytes();
    }
    files.insert("links.html".to_owned(), format!("<!doctype html>\n{links}").into_bytes());
}

/// Removes empty files, and those whose content another one has: git recognizes files by it.
pub(super) fn make_different(files: &mut Files) {
    let mut seen: BTreeSet<Vec<u8>> = BTreeSet::new();
    files.retain(|_, bytes| !bytes.is_empty() && seen.insert(bytes.clone()));
}

/// Returns a small tree whose pages refer to each other in every form.
fn generate(random: &mut Random) -> Files {
    const DIRECTORIES: [&str; 8] = ["", "", "d/", "d/e/", "D/", "a b/", "\u{e9}/", "x%20/y#/"];
    const PAGES: [&str; 12] = [
        "index.html",
        "a.html",
        "A.html",
        "b c.html",
        "p?q.html",
        "100%.html",
        "x:y.html",
        "\u{fc}.html",
        "%41.html",
        "#.html",
        "about",
        "a&amp;'.html",
    ];
    let mut paths: BTreeSet<String> = BTreeSet::new();
    for _ in 0..20 + random.below(20) {
        paths.insert(format!("{}{}", random.one_of(&DIRECTORIES), random.one_of(&PAGES)));
    }
    for name in ["s.css", "p.png"] {
        paths.insert(format!("{}{name}", random.one_of(&DIRECTORIES)));
    }
    let all: Vec<&str> = paths.iter().map(String::as_str).collect();
    let page = |path: &String, random: &mut Random| {
        let mut text = if path.ends_with(".css") {
            String::new()
        } else {
            "<!doctype html><html>\n".to_owned()
        };
        if !path.ends_with(".css") && random.is_one_in(8) {
            let base = reference(path, random.one_of(&all), random);
            text.push_str(&format!("<base href=\"{base}\">\n"));
        }
        for number in 0..12 {
            let url = reference(path, random.one_of(&all), random);
            if path.ends_with(".css") {
                text.push_str(&format!("a{{b:url(\"{url}\")}}\n"))
            } else {
                text.push_str(&format!("<a href=\"{url}\">{number}</a>\n"))
            }
        }
        text.push_str(&format!("<!-- {path} -->"));
        text.into_bytes()
    };
    let mut files = Files::new();
    for path in &paths {
        let bytes = if path.ends_with(".png") { b"PNG".to_vec() } else { page(path, random) };
        files.insert(path.clone(), bytes);
    }
    files
}

/// Returns a reference from one file to another, to its directory, to none, or out of the tree.
fn reference(from: &str, to: &str, random: &mut Random) -> String {
    let to = match random.below(12) {
        0 => to.rsplit_once('/').map_or("", |(directory, _)| directory).to_owned() + "/",
        1 => format!("{to}.none"),
        2 => to.rsplit_once('/').map_or("none", |(directory, _)| directory).to_owned(),
        _ => to.to_owned(),
    };
    let path = escaped(to.trim_start_matches('/'));
    let up = "../".repeat(from.matches('/').count());
    let end = random.one_of(&["", "", "", "#x", "?q=1", "?q#x", "#"]);
    match random.below(14) {
        0 => format!("http://h.example/s/{path}{end}"),
        1 => format!("/s/{path}{end}"),
        2 => format!("//h.example/s/{path}{end}"),
        3 => random.one_of(&["#x", "?q", ".", "..", "./", "../../..", "mailto:a@b"]).to_owned(),
        4 => random.one_of(&["http://o.example/", "/o", "../../../o", "/s"]).to_owned(),
        _ if path.is_empty() && up.is_empty() => format!("./{end}"),
        _ => format!("{up}{path}{end}"),
    }
}
