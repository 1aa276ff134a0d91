//! Pages that a server sends for other URLs than their own: error pages, and pages of programs in
//! one page. Their references cannot depend on their path.
//!
//! The names are those that web servers and hosts of static sites look up themselves (GitHub Pages,
//! Netlify, Cloudflare Pages, GitLab Pages, nginx's `50x.html`), and those that the files name by
//! which a site is configured.

mod configured;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use memchr::memmem;
use urlcore::{Dialect, Reference};

use self::configured::{read, text};
use crate::files::globs::{GlobError, Globs};
use crate::files::walk::{self, EntryKind};
use crate::os::paths::Root;
use crate::os::store::Store;
use crate::urls::url_mapping::UrlMapping;

/// The names of pages that servers send for what is missing, or for their own errors.
const NAMES: [&str; 2] = ["404.html", "50x.html"];

/// Names that may also be those of ordinary pages: they are error pages if no page links to them.
const UNLINKED: [(&str, &str); 3] =
    [("404/index.html", "404/"), ("500.html", "500.html"), ("200.html", "200.html")];

/// A page for a browser without a connection, if a service worker names it.
const OFFLINE: &str = "offline.html";

/// Names of service workers.
const WORKERS: [&str; 4] = ["sw.js", "service-worker.js", "serviceworker.js", "service_worker.js"];

/// The extensions of files that link to pages.
const PAGES: [&str; 4] = ["html", "htm", "xhtml", "xml"];

/// The error pages of the PATHs of a run.
#[derive(Debug, Default)]
pub struct ErrorPages {
    /// The reasons, by the number of the PATH and the path below it.
    pages: BTreeMap<(usize, PathBuf), String>,
    /// Those that an option names.
    globs: Option<Globs>,
}

impl ErrorPages {
    /// Finds the error pages of each directory, and notes those that patterns name. `places` has
    /// the URLs of the directories.
    ///
    /// # Errors
    ///
    /// [`GlobError`] for an invalid pattern.
    pub fn read(
        roots: &[Root],
        places: &UrlMapping,
        patterns: &[String],
    ) -> Result<Self, GlobError> {
        let globs = if patterns.is_empty() {
            None
        } else {
            Some(Globs::of_option("--error-page", patterns)?)
        };
        let mut pages = BTreeMap::new();
        for (idx, root) in roots.iter().enumerate() {
            let Root::Path { real: directory, store, .. } = root else { continue };
            if !store.is_directory(directory) {
                continue;
            }
            let url = places.url_by_path(directory).map(|(url, _)| url);
            let top = url.as_deref().map_or("/", |url| Reference::split(url, Dialect::Web).path());
            for (path, reason) in of_directory(root, &**store, directory, top) {
                pages.entry((idx, path)).or_insert(reason);
            }
        }
        Ok(ErrorPages { pages, globs })
    }

    /// Returns true if a file is an error page.
    pub fn contains(&self, root: usize, below: &Path) -> bool {
        let is_named = || self.globs.as_ref().is_some_and(|globs| globs.allow(below));
        (!self.pages.is_empty() && self.pages.contains_key(&(root, below.to_owned()))) || is_named()
    }

    /// Returns the pages that were recognized, each with the reason: its number of a PATH, its path
    /// below it, and a phrase.
    pub fn found(&self) -> impl Iterator<Item = (usize, &Path, &str)> {
        self.pages.iter().map(|((root, path), reason)| (*root, &**path, &**reason))
    }
}

/// Returns the error pages of a directory, by their paths below it, and the reasons. `top` is the
/// path of its URL.
fn of_directory(
    root: &Root,
    store: &dyn Store,
    directory: &Path,
    top: &str,
) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut add = |path: PathBuf, reason: String| {
        if store.is_file(&directory.join(&path)) {
            found.entry(path).or_insert(reason);
        }
    };
    let by_name = |path: &Path| format!("servers send {} for what is missing", path.display());
    for name in NAMES {
        let languages = languages(store, directory).into_iter().map(|language| language.join(name));
        for path in std::iter::once(PathBuf::from(name)).chain(languages) {
            let reason = by_name(&path);
            add(path, reason);
        }
    }
    let is_candidate = |(path, _): &&(&str, &str)| {
        store.is_file(&directory.join(path)) && !has_neighbour(store, directory, path)
    };
    let candidates: Vec<_> = UNLINKED.iter().filter(is_candidate).collect();
    if !candidates.is_empty() {
        let linked = linked(root, store, directory, &candidates);
        for (path, link) in candidates.into_iter().filter(|(_, link)| !linked.contains(link)) {
            add(path.into(), format!("no page links to {link}"));
        }
    }
    if store.is_file(&directory.join(OFFLINE)) {
        let names_it = |worker: &&&str| {
            text(store, &directory.join(worker)).is_some_and(|text| text.contains(OFFLINE))
        };
        if let Some(worker) = WORKERS.iter().find(names_it) {
            add(OFFLINE.into(), format!("{worker} names it"));
        }
    }
    for (path, file) in configured::pages(root, store, directory, top) {
        add(path, format!("{} names it", file.display()));
    }
    found
}

/// Returns the directories of languages at the top of a tree: `de`, `pt-BR`.
fn languages(store: &dyn Store, directory: &Path) -> Vec<PathBuf> {
    let is_language = |name: &OsStr| {
        let name = name.to_str().unwrap_or_default();
        let (language, region) = name.split_once(['-', '_']).unwrap_or((name, ""));
        let is_word = |word: &str, lengths: &[usize]| {
            lengths.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphabetic())
        };
        is_word(language, &[2, 3])
            && language.bytes().all(|byte| byte.is_ascii_lowercase())
            && (region.is_empty() || is_word(region, &[2, 4]))
    };
    let entries = store.names(directory).into_iter().flatten();
    let directories = entries.filter(|(_, kind)| *kind == EntryKind::Directory);
    let mut names: Vec<PathBuf> = directories
        .map(|(name, _)| PathBuf::from(name))
        .filter(|name| is_language(name.as_os_str()))
        .collect();
    names.sort_unstable();
    names
}

/// Returns true if a page is one of a series: 201.html is beside 200.html.
fn has_neighbour(store: &dyn Store, directory: &Path, path: &str) -> bool {
    let number = path.strip_suffix(".html").and_then(|number| number.parse::<usize>().ok());
    number.is_some_and(|number| {
        let has = |number: usize| store.target(&directory.join(format!("{number}.html"))).is_ok();
        has(number - 1) || has(number + 1)
    })
}

/// Returns the names that occur in pages of a tree other than the candidates themselves.
fn linked<'n>(
    root: &Root,
    store: &dyn Store,
    directory: &Path,
    candidates: &[&(&str, &'n str)],
) -> BTreeSet<&'n str> {
    let mut linked = BTreeSet::new();
    for entry in walk::entries(std::slice::from_ref(root)).flatten() {
        let extension = entry.path.extension().and_then(OsStr::to_str).unwrap_or_default();
        if entry.kind != EntryKind::File || !PAGES.contains(&extension) {
            continue;
        }
        let path = directory.join(&entry.below);
        if candidates.iter().any(|(candidate, _)| directory.join(candidate) == path) {
            continue;
        }
        let Ok(bytes) = read(store, &path) else { continue };
        let is_there = |link: &str| memmem::find(&bytes, link.as_bytes()).is_some();
        linked.extend(candidates.iter().map(|(_, link)| *link).filter(|link| is_there(link)));
        if linked.len() == candidates.len() {
            break;
        }
    }
    linked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::store::SharedStore;
    use crate::os::store::memory::Memory;

    /// Returns the error pages of a site of empty pages and these files.
    fn found(pages: &[&str], files: &[(&str, &str)]) -> Vec<String> {
        found_at("/", pages, files)
    }

    /// Returns those of a tree whose URL has this path.
    fn found_at(top: &str, pages: &[&str], files: &[(&str, &str)]) -> Vec<String> {
        let pages = pages.iter().map(|name| (*name, ""));
        let files = pages.chain(files.iter().copied());
        let files = files.map(|(name, text)| (Path::new("/site").join(name), text));
        let store = SharedStore::new(files.collect::<Memory>());
        let root = Root::in_store(&store, "/site".into());
        let found = of_directory(&root, &*store, Path::new("/site"), top).into_keys();
        found.map(|path| path.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn pages_are_recognized_by_their_names() {
        let pages = ["404.html", "de/404.html", "pt-BR/404.html", "docs/404.html", "x/404.html"];
        assert_eq!(found(&pages, &[]), ["404.html", "de/404.html", "pt-BR/404.html"]);
        assert_eq!(found(&["50x.html", "errors.html", "index.html"], &[]), ["50x.html"]);
    }

    #[test]
    fn pages_that_are_linked_are_ordinary() {
        let pages = ["500.html", "200.html", "404/index.html"];
        assert_eq!(found(&pages, &[]), ["200.html", "404/index.html", "500.html"]);
        let linked = [("index.html", "<a href=500.html>x</a> <a href=/404/>y</a>")];
        assert_eq!(found(&pages, &linked), ["200.html"]);
        assert_eq!(found(&["200.html", "201.html", "500.html"], &[]), ["500.html"]);
    }

    #[test]
    fn a_page_without_a_connection_needs_a_service_worker() {
        assert!(found(&["offline.html"], &[]).is_empty());
        let worker = ("sw.js", "cache.add('/offline.html')");
        assert_eq!(found(&["offline.html"], &[worker]), ["offline.html"]);
    }

    #[test]
    fn pages_that_configurations_name() {
        let pages = ["app.html", "index.html", "gone.html", "a/b.html", "about.html"];
        for (file, text, expected) in [
            ("_redirects", "/* /app.html 200\n/x /about.html 301\n", &["app.html"][..]),
            ("_redirects", "# /* /app.html 200\n/y /index.html 404!", &["index.html"]),
            (".htaccess", "ErrorDocument 404 /gone.html\n", &["gone.html"]),
            (".htaccess", "FallbackResource /index.html\n", &["index.html"]),
            (".htaccess", "RewriteRule . /index.html [L]\n", &["index.html"]),
            (".htaccess", "RewriteRule ^x$ /about.html [R=301,L]\n", &[]),
            (".htaccess", "ErrorDocument 404 \"Not found\"\n", &[]),
            (".htaccess", "ErrorDocument 404 about.html\n", &[]),
            ("a/.htaccess", "ErrorDocument 404 /gone.html\n", &["gone.html"]),
            ("x/y/.htaccess", "errordocument 404 \"/a/b.html\"\n", &["a/b.html"]),
            ("a/.htaccess", "RewriteRule . b.html [L]\n", &["a/b.html"]),
            ("a/.htaccess", "RewriteBase /\nRewriteRule . about.html [L]\n", &["about.html"]),
            ("a/_redirects", "/* /app.html 200\n", &[]),
            ("a/web.config", "<error statusCode=\"404\" path=\"b.html\"/>", &["a/b.html"]),
            (
                "netlify.toml",
                "[[redirects]]\nfrom = \"/*\"\nto = \"/index.html\"\nstatus = 200\n\
                 [[redirects]]\nfrom = \"/a\"\nto = \"/about.html\"\n",
                &["index.html"],
            ),
            (
                "vercel.json",
                "{\"rewrites\":[{\"source\":\"/(.*)\",\"destination\":\"/app.html\"}]}",
                &["app.html"],
            ),
            (
                "firebase.json",
                "{\"hosting\":{\"rewrites\":[{\"source\":\"**\",\"destination\":\"/index.html\"}]}}",
                &["index.html"],
            ),
            (
                "staticwebapp.config.json",
                "{\"navigationFallback\":{\"rewrite\":\"/index.html\"},\"responseOverrides\":{\"404\":{\"rewrite\":\"/gone.html\"}}}",
                &["gone.html", "index.html"],
            ),
            (
                "web.config",
                "<configuration><httpErrors><error statusCode=\"404\" path=\"/a/b.html\" responseMode=\"ExecuteURL\"/></httpErrors><action type=\"Rewrite\" url=\"/app.html\"/></configuration>",
                &["a/b.html", "app.html"],
            ),
        ] {
            assert_eq!(found(&pages, &[(file, text)]), expected, "{file}: {text}");
        }
        // The path of the tree's URL is a part of that in the file.
        for (path, expected) in [("/docs/gone.html", &["gone.html"][..]), ("/docs/x.html", &[])] {
            let file = ("a/.htaccess", &*format!("ErrorDocument 404 {path}\n"));
            assert_eq!(found_at("/docs/", &pages, &[file]), expected, "{path}");
        }
    }
}
