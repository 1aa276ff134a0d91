//! Twenty pages of a site are renamed by `mv` without its URL: each link leads to the file to which
//! it led, or to its new name, as Python's parsers see it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{MAP, relink};

const HOST: &str = "example.org";

/// So many pages have a site.
const N_PAGES: usize = 24;

/// So many of them are renamed.
const N_RENAMED: usize = 20;

/// What a generator makes of its project.
struct Site {
    name: &'static str,
    /// The program and its arguments, if it is one.
    program: Option<(&'static str, &'static str, &'static [&'static str])>,
    /// The files of the project around its pages.
    files: &'static [(&'static str, &'static str)],
    /// The name and text of a page, given its number and the page to which it links.
    page: fn(usize, usize) -> (String, String),
    /// The directory of the output.
    output: &'static str,
    /// The path of a page below it, or of its directory.
    path: fn(usize) -> String,
}

/// The section of a page: there are three.
fn section(page: usize) -> usize {
    page % 3
}

const SITES: &[Site] = &[
    Site {
        name: "MkDocs",
        program: Some(("mkdocs", "--version", &["build", "--strict", "--quiet"])),
        files: &[
            ("mkdocs.yml", "site_name: Tides\nsite_url: https://example.org/\n"),
            ("docs/index.md", "# Tides\n\n[One](s1/p1.md) ![map](map.svg)\n"),
            ("docs/map.svg", MAP),
        ],
        page: |n, other| {
            let text = format!(
                "# Page {n}\n\n[Other](../s{}/p{other}.md#x), [home](../index.md)\n",
                section(other)
            );
            (format!("docs/s{}/p{n}.md", section(n)), text)
        },
        output: "site",
        path: |n| format!("s{}/p{n}/", section(n)),
    },
    Site {
        name: "Hugo",
        program: Some(("hugo", "version", &["--quiet"])),
        files: &[
            ("config.toml", "baseURL = 'https://example.org/'\ntitle = 'Tides'\n"),
            (
                "layouts/_default/single.html",
                "<!DOCTYPE html><title>{{ .Title }}</title>{{ .Content }}<a href=\"{{ \"\" | relURL }}\">Home</a><img src=\"{{ \"map.svg\" | relURL }}\">\n",
            ),
            (
                "layouts/_default/list.html",
                "<!DOCTYPE html><title>{{ .Title }}</title>{{ range .Pages }}<a href=\"{{ .RelPermalink }}\">{{ .Title }}</a>{{ end }}\n",
            ),
            ("static/map.svg", MAP),
        ],
        page: |n, other| {
            let text = format!(
                "---\ntitle: Page {n}\n---\n[Other]({{{{< ref \"s{}/p{other}.md\" >}}}})\n[Also]({{{{< relref \"s{}/p{other}.md\" >}}}})\n",
                section(other),
                section(other)
            )
            .replace("< ref", "< relref");
            (format!("content/s{}/p{n}.md", section(n)), text)
        },
        output: "public",
        path: |n| format!("s{}/p{n}/", section(n)),
    },
    // As Docusaurus writes it: paths from the root, without a slash at the end.
    Site {
        name: "Docusaurus",
        program: None,
        files: &[
            ("build/index.html", "<!doctype html><a href=/s1/p1>One</a><img src=/img/map.svg>\n"),
            ("build/404.html", "<!doctype html><a href=/>Home</a><img src=/img/map.svg>\n"),
            ("build/img/map.svg", MAP),
        ],
        page: |n, other| {
            let text = format!(
                "<!doctype html><link rel=canonical href=https://example.org/s{0}/p{n}><a href=/>Home</a> <a class=menu__link href=/s{1}/p{other}>Other</a> <a href=\"/s{1}/p{other}#x\">Part</a><img src=/img/map.svg>\n",
                section(n),
                section(other)
            );
            (format!("build/s{}/p{n}/index.html", section(n)), text)
        },
        output: "build",
        path: |n| format!("s{}/p{n}/", section(n)),
    },
];

impl Site {
    /// Makes the site in a directory. Returns its root.
    fn make(&self, directory: &Path) -> PathBuf {
        let pages = (0..N_PAGES).map(|n| (self.page)(n, (n + 5) % N_PAGES));
        let files = self.files.iter().map(|(name, text)| (name.to_string(), text.to_string()));
        for (name, text) in files.chain(pages) {
            let path = directory.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        if let Some((program, _, args)) = self.program {
            let built = Command::new(program).args(args).current_dir(directory).output().unwrap();
            assert!(built.status.success(), "{}: {built:?}", self.name);
        }
        directory.join(self.output)
    }

    fn is_here(&self) -> bool {
        self.program.is_none_or(|(program, version, _)| crate::tools::has(program, &[version]))
            && crate::tools::has("python3", &["--version"])
    }
}

/// The links of a site by page, in their order: text, and file or `-`.
type Links = BTreeMap<String, Vec<(String, String)>>;

fn links(root: &Path) -> Links {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generators/links.py");
    let output = Command::new("python3").arg(script).arg(root).arg(HOST).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut links = Links::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let [page, text, file] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        links.entry(page.to_owned()).or_default().push((text.to_owned(), file.to_owned()));
    }
    links
}

/// The new directory of a page.
fn new_path(page: usize) -> String {
    format!("new/deep/page-{page}/")
}

/// Renames twenty pages of a site, one by one; `base` is its URL, if that is typed. Returns the
/// number of links, and that of links with the URL of the site that lead to an old name.
fn rename_and_compare(site: &Site, base: Option<&str>) -> [usize; 2] {
    let directory = tempfile::tempdir().unwrap();
    let root = site.make(directory.path());
    let before = links(&root);
    let renamed = |file: &str| {
        let is_renamed = |n: &usize| file.starts_with(&(site.path)(*n));
        match (0..N_RENAMED).find(is_renamed) {
            Some(n) => file.replacen(&(site.path)(n), &new_path(n), 1),
            None => file.to_owned(),
        }
    };
    let mut is_hinted = false;
    for n in 0..N_RENAMED {
        let of_disk = |path: String| root.join(path.trim_end_matches('/'));
        let [old, new] = [(site.path)(n), new_path(n)].map(of_disk);
        let mut args = vec!["mv", "--tree", root.to_str().unwrap()];
        args.extend([&old, &new].map(|path| path.to_str().unwrap()));
        args.extend(base.iter().flat_map(|base| ["--base", base]));
        let run = relink(directory.path(), &args);
        assert!(run.status.success(), "{}: {run:?}", site.name);
        let stderr = String::from_utf8(run.stderr).unwrap();
        is_hinted |= stderr.contains(&format!("use `--base https://{HOST}/` if that is the URL"));
    }
    let after = links(&root);
    assert!(before.len() >= N_PAGES, "{}", site.name);
    let (mut n_links, mut n_old) = (0, 0);
    for (page, links) in &before {
        let page = renamed(page);
        let new_links = &after[&page];
        assert_eq!(links.len(), new_links.len(), "{}: {page}", site.name);
        for ((text, file), (new_text, new_file)) in links.iter().zip(new_links) {
            n_links += 1;
            let is_old = base.is_none() && text.starts_with("https:") && renamed(file) != *file;
            n_old += usize::from(is_old);
            let expected = if is_old { "-".to_owned() } else { renamed(file) };
            assert_eq!(*new_file, expected, "{}: {page}: {text}, {new_text}", site.name);
        }
    }
    // Without the URL of the site nothing shows that these are links into it. A sitemap has them
    // too.
    assert!(if base.is_some() { !is_hinted } else { is_hinted || n_old == 0 }, "{}", site.name);
    [n_links, n_old]
}

#[test]
fn twenty_pages_are_renamed_without_the_url_of_the_site_and_with_it() {
    for site in SITES.iter().filter(|site| site.is_here()) {
        let [n_links, n_old] = rename_and_compare(site, None);
        assert!(n_links > 3 * N_PAGES, "{}: {n_links}", site.name);
        let with_url = rename_and_compare(site, Some(&format!("https://{HOST}/")));
        assert_eq!(with_url, [n_links, 0], "{}", site.name);
        println!(
            "{}: {n_links} links, {N_RENAMED} pages renamed, none leads elsewhere but {n_old} with the URL of the site, which are hinted",
            site.name
        );
    }
}

#[test]
fn links_of_a_part_of_a_site_stay_right() {
    for site in SITES.iter().filter(|site| site.is_here()) {
        let directory = tempfile::tempdir().unwrap();
        let root = site.make(directory.path());
        let before = links(&root);
        let part = root.join("s1");
        let [part, old, new] = [part.clone(), part.join("p1"), part.join("first")]
            .map(|path| path.to_str().unwrap().to_owned());
        let run = relink(directory.path(), &["mv", "--tree", &part, &old, &new]);
        let after = links(&root);
        if run.status.code() == Some(2) {
            assert_eq!(after, before, "{}", site.name);
            assert!(String::from_utf8_lossy(&run.stderr).contains("--base"), "{run:?}");
            println!("{}: refused", site.name);
            continue;
        }
        assert!(run.status.success(), "{}: {run:?}", site.name);
        let renamed = |path: &str| path.replacen("s1/p1/", "s1/first/", 1);
        for (page, links) in &before {
            for ((text, file), (new_text, new_file)) in links.iter().zip(&after[&renamed(page)]) {
                // What is out of the part is not edited, and may lead to the old name; and nothing
                // gives the URL of the part.
                let is_left = (!page.starts_with("s1/") || text.starts_with("https:"))
                    && renamed(file) != *file;
                assert!(
                    *new_file == renamed(file) || is_left,
                    "{}: {page}: {text} led to {file}, {new_text} leads to {new_file}",
                    site.name
                );
            }
        }
        println!("{}: renamed", site.name);
    }
}
