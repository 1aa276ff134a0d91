//! Generated trees: pages with odd names, under bases of every form, with references to each other
//! in every style.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use url::Url;

use super::pages::{Key, Manner, Numbers, Page, key_of};
use super::{file_url, octets, path_of, relink_well};
use crate::judge::{self, Moved};

/// A base element of every form, and where in the document it is: in front, or behind.
fn base(numbers: &mut Numbers, pages: &[Page], manner: Manner, own: &Page) -> (String, String) {
    let page = &pages[numbers.below(pages.len())];
    let url = match numbers.below(10) {
        0 => page.url(manner, numbers),
        1 => page.path(manner, numbers),
        2 => "sub/".to_owned(),
        3 => "../".to_owned(),
        4 => own.url(manner, numbers),
        5 => "http://out.example/z/".to_owned(),
        6 => "//out.example/z/".to_owned(),
        7 => "data:text/html,x".to_owned(),
        8 => String::new(),
        _ => return (String::new(), String::new()),
    };
    let element = format!("<base href=\"{}\">\n", attribute(&url));
    match numbers.below(8) {
        // Late, in body.
        0 => (String::new(), format!("<p>{element}")),
        // A second one does not count.
        1 => (format!("{element}<base href=\"http://no.example/\">\n"), String::new()),
        // Nor do these.
        2 => (
            format!("<noscript><base href=\"http://no.example/\"></noscript>{element}"),
            String::new(),
        ),
        3 => (
            format!("<svg><base href=\"http://no.example/\"></base></svg>{element}"),
            String::new(),
        ),
        4 => (format!("<base target=x>{element}"), String::new()),
        _ => (element, String::new()),
    }
}

fn attribute(value: &str) -> String {
    value.replace('&', "&amp;").replace('"', "&quot;")
}

/// A reference to a page, to one that is not there, or out of the tree.
fn reference(numbers: &mut Numbers, pages: &[Page], manner: Manner) -> String {
    let page = if numbers.is(6) {
        Page::generate(manner, numbers)
    } else {
        pages[numbers.below(pages.len())].clone()
    };
    let (host, mut path) = (page.host, page.path(manner, numbers));
    if manner == Manner::Plain && numbers.is(6) {
        path.push_str("?v=7");
    }
    if numbers.is(3) {
        path.push_str(numbers.one_of(&["#s", "#", "#a?b", "#%20c"]));
    }
    match numbers.below(12) {
        0 => format!("HTTP://{}{path}", host.to_uppercase()),
        1 | 2 => format!("//{host}{path}"),
        3 | 4 => path,
        5 => "http://out.example/a/b".to_owned(),
        6 => numbers
            .one_of(&["#s", "", "?id=3", ".", "..", "../..", "./a.html", "mailto:u@h.example"])
            .to_owned(),
        7 => path
            .rsplit('/')
            .next()
            .filter(|name| !name.contains(':'))
            .unwrap_or_default()
            .to_owned(),
        _ => format!("http://{host}{path}"),
    }
}

fn document(numbers: &mut Numbers, pages: &[Page], manner: Manner, own: &Page) -> String {
    if own.is_css() {
        let mut text = String::new();
        for _ in 0..4 {
            let url = reference(numbers, pages, manner);
            let url = url.replace('\\', "\\\\").replace('"', "\\\"").replace('\'', "\\'");
            text.push_str(&format!("a{{b:url(\"{url}\")}}\n"));
        }
        return text;
    }
    let (front, behind) = base(numbers, pages, manner, own);
    let mut text = format!("<!doctype html>\n{front}");
    for _ in 0..8 {
        let url = reference(numbers, pages, manner);
        let (plain, quoted) = (url.replace(' ', "%20"), attribute(&url));
        text.push_str(&match numbers.below(8) {
            0 => format!("<img src=\"{quoted}\">\n"),
            1 => format!("<link rel=canonical href=\"{quoted}\">\n"),
            // Before a late base it may have two targets, and then keeps the base.
            2 if !url.is_empty() && behind.is_empty() => {
                format!("<img srcset=\"{} 1x\">\n", attribute(&plain))
            }
            3 if !url.contains(['\'', '(', ')', '\\', ' ']) => {
                format!("<p style=\"b:url('{quoted}')\">\n")
            }
            4 => format!("<form action=\"{quoted}\"></form>\n"),
            _ => format!("<a href=\"{quoted}\">x</a>\n"),
        });
    }
    text + &behind
}

/// A tree, as it was made.
struct Tree {
    manner: Manner,
    pages: Vec<Page>,
    /// The files by what leads to them.
    files: BTreeMap<Key, PathBuf>,
}

impl Tree {
    /// Writes a generated tree to a directory.
    fn generate(manner: Manner, numbers: &mut Numbers, directory: &Path) -> Tree {
        let mut pages: Vec<Page> = Vec::new();
        let mut files: BTreeMap<Key, PathBuf> = BTreeMap::new();
        for _ in 0..10 {
            let page = Page::generate(manner, numbers);
            let file = page.file(manner);
            // A name cannot be that of a directory and of a file.
            let is_taken =
                files.values().any(|other| other.starts_with(&file) || file.starts_with(other));
            if !is_taken {
                files.insert(page.key(manner), file);
                pages.push(page);
            }
        }
        for page in &pages {
            let path = directory.join(page.file(manner));
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(path, document(numbers, &pages, manner, page)).expect("a file");
        }
        Tree { manner, pages, files }
    }

    /// The file that a target is: a directory's is that of its page, with a slash or without.
    fn file(&self, target: &Url) -> Option<&Path> {
        let (host, path, query) = key_of(target);
        let host = match host.as_str() {
            "h.example" | "i.example:8080" => host,
            _ => return None,
        };
        let mut directory = path.clone();
        directory.push(b'/');
        let keys = match self.manner {
            Manner::Plain => [(host.clone(), path, None), (host, directory, None)],
            Manner::Wget { .. } => [(host.clone(), path, query.clone()), (host, directory, query)],
        };
        let index = |key: &Key| {
            let mut path = key.1.clone();
            let is_index = path.ends_with(b"/index.html");
            path.truncate(path.len() - if is_index { b"index.html".len() } else { 0 });
            (key.0.clone(), path, key.2.clone())
        };
        let found = |keys: &[Key]| {
            keys.iter()
                .find_map(|key| self.files.get(key).or_else(|| self.files.get(&index(key))))
                .map(PathBuf::as_path)
        };
        // wget may write a name of ISO 8859-1 in UTF-8.
        let in_utf8 = |(host, path, query): &Key| {
            let path = path.iter().copied().map(char::from).collect::<String>().into_bytes();
            (host.clone(), path, query.clone())
        };
        let is_latin = str::from_utf8(&keys[0].1).is_err() && self.manner != Manner::Plain;
        found(&keys).or_else(|| found(&keys.each_ref().map(in_utf8)).filter(|_| is_latin))
    }

    /// Whether the name of a page's file can be read as another page's.
    fn is_ambiguous(&self, own: &Url) -> bool {
        let name = own.path().rsplit('/').next().unwrap_or_default().replace("%40", "@");
        match self.manner {
            Manner::Plain => false,
            Manner::Wget { windows, .. } => {
                name.contains("%3F") || (windows && (name.contains('@') || own.query().is_some()))
            }
        }
    }

    /// What is wrong with a reference of a converted page.
    fn fault(&self, moved: &Moved, own: &Url, out: &Path) -> Option<String> {
        let [was, is] = &moved.targets;
        let reported = |what: &str| Some(format!("{what}: {moved:?}"));
        let is_metadata =
            moved.texts[0].is_empty() || matches!(&*moved.slot, "link[href]" | "base[href]");
        // In what spelling a page itself was requested names do not say, nor always where a query
        // begins in them.
        let was_own = moved.texts[0].trim_start_matches(['#', '?']) != moved.texts[0];
        if was_own && (moved.slot == "link[href]" || self.is_ambiguous(own)) {
            return None;
        }
        let bare = |url: &Url| url.as_str().split('#').next().unwrap_or_default().to_owned();
        let own_file = path_of(own);
        let expected = match self.file(was) {
            _ if bare(was) == bare(own) => own_file,
            Some(file) => Some(out.join(file)),
            None => None,
        };
        match (expected, path_of(is)) {
            (None, None) if was == is => None,
            (None, None) => reported("leads to another URL"),
            (Some(expected), Some(path)) if expected == path => {
                (was.fragment() != is.fragment()).then(|| format!("another fragment: {moved:?}"))
            }
            // A canonical link stays what it is.
            (Some(_), None) if is_metadata && was == is => None,
            (Some(expected), _) => reported(&format!("should lead to {}", expected.display())),
            (None, Some(_)) => reported("leads to a file that was not made for it"),
        }
    }
}

fn check_tree(manner: Manner, seed: u64) -> usize {
    let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let directory = tempfile::tempdir().expect("a directory");
    let [site, out, again] = ["site", "out", "again"].map(|name| directory.path().join(name));
    let tree = Tree::generate(manner, &mut numbers, &site);
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let convert = |from: &Path, to: &Path, missing: &str| {
        let (from, to) = (text(from), text(to));
        let place: &[&str] = match manner {
            Manner::Plain => &["--base", "http://h.example/root/"],
            Manner::Wget { .. } => &["--layout", "wget"],
        };
        let options = ["--for", "file", "--missing", missing, "--type", "php=text/html"];
        relink_well(&[&["relativize", &from, "-o", &to], &options[..], place].concat());
    };
    convert(&site, &out, "absolute");
    convert(&out, &again, "absolute");
    // What is missing is dealt with alike in all trees: some show it.
    let policies: &[&str] = if seed.is_multiple_of(4) { &["keep", "report"] } else { &[] };
    for missing in policies {
        let [once, twice] = ["once", "twice"].map(|name| directory.path().join(missing).join(name));
        fs::create_dir(directory.path().join(missing)).expect("a directory");
        convert(&site, &once, missing);
        convert(&once, &twice, missing);
        for page in &tree.pages {
            let [once, twice] =
                [&once, &twice].map(|tree| fs::read(tree.join(page.file(manner))).expect("a file"));
            let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            assert_eq!(
                shown(&once),
                shown(&twice),
                "{manner:?} seed {seed}, missing files: {missing}"
            );
        }
    }
    let mut n_references = 0;
    for page in &tree.pages {
        let file = page.file(manner);
        let [before, after, second] =
            [&site, &out, &again].map(|tree| fs::read(tree.join(&file)).expect("a file"));
        let url = page.own_url(manner);
        let new_url = file_url(&out.join(&file));
        let verdict = if page.is_css() {
            judge::judge_moved_css(&before, &after, &url, new_url.as_str())
        } else {
            judge::judge_moved_html(&before, &after, &url, new_url.as_str())
        };
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let context = || {
            let names: Vec<_> = tree.files.values().collect();
            format!(
                "{manner:?} seed {seed}, {url} in {}\n{}\nbecame\n{}\n{names:#?}",
                file.display(),
                shown(&before),
                shown(&after)
            )
        };
        assert!(verdict.violations.is_empty(), "{:?} in {}", verdict.violations, context());
        for moved in verdict.moved.iter().flatten() {
            let own = Url::parse(&url).expect("a URL");
            // The judge says the document's own URL by the file that it is now.
            let own =
                if moved.targets[0].as_str().split('#').next() == own.as_str().split('#').next() {
                    let mut own = own;
                    own.set_fragment(None);
                    if path_of(&moved.targets[1]) == path_of(&new_url) {
                        continue;
                    }
                    own
                } else {
                    own
                };
            if moved.is_either && moved.targets[0] == moved.targets[1] {
                continue;
            }
            if let Some(fault) = tree.fault(moved, &own, &out) {
                panic!("{fault}\n{}", context());
            }
        }
        assert_eq!(shown(&second), shown(&after), "a second run changes nothing: {}", context());
        n_references += verdict.references;
    }
    match manner {
        Manner::Plain => check_round_trip(&tree, directory.path(), seed),
        Manner::Wget { .. } => check_converted(&tree, directory.path(), seed),
    }
    n_references
}

/// Checks that a mirror that was converted for the disk is read as such: its references lead where
/// they led before, made absolute once and twice, and made right for the disk again.
fn check_converted(tree: &Tree, directory: &Path, seed: u64) {
    let path = |name: &str| directory.join(name).to_str().expect("UTF-8").to_owned();
    let run = |command: &[&str], from: &str, to: &str| {
        let (from, to) = (path(from), path(to));
        let options = ["-o", &to, "--layout", "wget", "--type", "php=text/html"];
        relink_well(&[command, &[&from], &options].concat());
    };
    let for_file = ["relativize", "--for", "file"];
    run(&["absolutize"], "out", "live");
    run(&["absolutize"], "live", "live again");
    run(&for_file, "live", "back");
    run(&for_file, "back", "back again");
    for page in &tree.pages {
        let file = page.file(tree.manner);
        let bytes = |name: &str| fs::read(directory.join(name).join(&file)).expect("a file");
        let [before, out, live, back] = ["site", "out", "live", "back"].map(bytes);
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let context = || {
            let names: Vec<_> = tree.files.values().collect();
            let texts = [&before, &out, &live, &back].map(|bytes| shown(bytes)).join("\nbecame\n");
            format!("seed {seed}, {}\n{texts}\n{names:#?}", file.display())
        };
        assert_eq!(shown(&live), shown(&bytes("live again")), "absolute again: {}", context());
        assert_eq!(shown(&back), shown(&bytes("back again")), "for the disk again: {}", context());
        let url = page.own_url(tree.manner);
        let own = Url::parse(&url).expect("a URL");
        if tree.is_ambiguous(&own) {
            continue;
        }
        let verdict = if page.is_css() {
            judge::judge_moved_css(&before, &live, &url, &url)
        } else {
            judge::judge_moved_html(&before, &live, &url, &url)
        };
        assert!(verdict.violations.is_empty(), "{:?} in {}", verdict.violations, context());
        for moved in verdict.moved.iter().flatten() {
            let [was, is] = &moved.targets;
            // A name does not say where its query begins if an escaped `?` is in the path, nor, for
            // Windows, whether `a@b` has one.
            let is_unclear = octets(was.path()).contains(&b'?')
                || match tree.manner {
                    Manner::Wget { windows: true, .. } => {
                        let query = was.query().filter(|query| !query.contains('='));
                        query.is_some() || was.path().contains('@')
                    }
                    _ => false,
                };
            if is_unclear {
                continue;
            }
            let is_right = match (tree.file(was), tree.file(is)) {
                (Some(was_file), Some(is_file)) => {
                    was_file == is_file && was.fragment() == is.fragment()
                }
                (None, None) => was == is,
                _ => false,
            };
            assert!(is_right, "{moved:?} in {}", context());
        }
    }
}

/// The tree made absolute and relative again leads where it led, and both say nothing more when
/// they are asked again.
fn check_round_trip(tree: &Tree, directory: &Path, seed: u64) {
    let path = |name: &str| directory.join(name).to_str().expect("UTF-8").to_owned();
    let run = |command: &str, from: &str, to: &str| {
        relink_well(&[
            command,
            &path(from),
            "-o",
            &path(to),
            "--base",
            "http://h.example/root/",
            "--type",
            "php=text/html",
        ]);
    };
    run("absolutize", "site", "absolute");
    run("absolutize", "absolute", "absolute again");
    run("relativize", "absolute", "relative");
    run("relativize", "relative", "relative again");
    for page in &tree.pages {
        let file = page.file(tree.manner);
        let bytes = |name: &str| fs::read(directory.join(name).join(&file)).expect("a file");
        // A file's own URL has its name, whatever a server shows it for.
        let name = if page.names.last().is_some_and(Vec::is_empty) { "index.html" } else { "" };
        let (before, url) = (bytes("site"), page.own_url(tree.manner) + name);
        let verdicts = if page.is_css() {
            ["absolute", "relative"]
                .map(|name| judge::judge_css_tokens(&before, &bytes(name), &url))
        } else {
            [
                judge::judge_html_tree(&before, &bytes("absolute"), &url),
                judge::judge_relative_html(&before, &bytes("relative"), &url),
            ]
        };
        for verdict in verdicts {
            assert!(verdict.violations.is_empty(), "seed {seed}, {url}: {:?}", verdict.violations);
        }
        assert_eq!(bytes("absolute"), bytes("absolute again"), "seed {seed}, {url}");
        assert_eq!(bytes("relative"), bytes("relative again"), "seed {seed}, {url}");
    }
}

fn check_all(manner: Manner) {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let n_trees = number("RELINK_CASES").map_or(8, |cases| cases.div_ceil(100));
    let first = number("RELINK_SEED").unwrap_or(1808);
    let n_references: usize = (first..first + n_trees).map(|seed| check_tree(manner, seed)).sum();
    println!("{manner:?}: {n_trees} trees, {n_references} references, all lead where they should");
}

#[test]
fn plain_trees() {
    check_all(Manner::Plain);
}

#[test]
fn mirrors_by_wget() {
    check_all(Manner::Wget { adjusts: false, windows: false });
}

#[test]
fn mirrors_with_extensions() {
    check_all(Manner::Wget { adjusts: true, windows: false });
}

#[test]
fn mirrors_for_windows() {
    check_all(Manner::Wget { adjusts: true, windows: true });
}
