//! A site of which half of the pages get other names by rules: nginx redirects each old URL to its
//! page, and no reference of the new site is missing that was not missing before.
//!
//! Every page contains a number of its own, so that a page is recognized under any name.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use url::Url;

use super::clients::{Place, wget};
use super::serve::Web;
use super::{copy, files, nginx, relink};

const TREES: [&str; 2] =
    ["/usr/share/doc/postgresql-doc-15/html", "/usr/share/doc/python3.11/html"];

/// Pages whose names differ in letter case only, and names with odd characters.
const GENERATED: [(&str, &str); 8] = [
    ("Case/Page.html", "<a href=page.html>p</a>"),
    ("Case/page.html", "<a href=Page.html>P</a><a href=PAGE.html>PP</a>"),
    ("Case/PAGE.html", "<a href=page.html>p</a>"),
    ("odd/index.html", "<a href='a%20b%24.html'>a</a><a href='100%25+&amp;.html'>b</a>"),
    ("odd/a b$.html", "<a href=./>odd</a>"),
    ("odd/100%+&.html", "<a href=./>odd</a>"),
    ("odd/\u{e9}\u{ef}.html", "<a href=./>odd</a>"),
    ("odd/q?u\"o;te{}.html", "<a href=./>odd</a>"),
];

/// Rules for half of the pages, and rows for the generated ones.
const LIST: &str = "rule\ts|^/((?:[^/]*/)*)([^/]*[a-r])\\.html$|/moved/$2/${1}page.html|\n\
    Case/Page.html\tcases/upper.html\n\
    Case/page.html\tcases/$lower.html\n\
    odd/\tstrange/\u{fc} x/\n\
    odd/a b$.html\tstrange/c d$.html\n";

/// The answer of a server.
struct Answer {
    status: u16,
    location: Option<String>,
    body: String,
}

/// Requests a path.
fn get(web: &Web, path: &str) -> Answer {
    answer(&nginx::get(web.port, path).expect("an answer"))
}

fn answer(bytes: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let location = head.lines().find_map(|line| line.strip_prefix("Location: "));
    Answer { status, location: location.map(str::to_owned), body: body.to_owned() }
}

/// Returns the path of a file in a URL.
fn escaped(path: &Path) -> String {
    let mut text = String::from("/");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                text.push(char::from(*byte));
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// Returns the number in a page.
fn number(text: &str) -> Option<&str> {
    text.rsplit_once("<!-- number ")?.1.split_once(" -->").map(|(number, _)| number)
}

/// Writes a number into each page, and adds the generated pages. Returns the paths of all files.
fn prepare(first: &Path) -> Vec<PathBuf> {
    for (name, text) in GENERATED {
        let path = first.join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, format!("<!doctype html><title>x</title>{text}")).expect("a file");
    }
    let index = first.join("index.html");
    let mut text = fs::read(&index).expect("an index page");
    for (name, _) in GENERATED {
        let name = escaped(Path::new(name));
        text.extend_from_slice(format!("<a href=\"{}\">x</a>\n", &name[1..]).as_bytes());
    }
    fs::write(index, text).expect("a file");
    let all: Vec<PathBuf> = files(first).into_keys().collect();
    for (number, path) in all.iter().enumerate() {
        if path.extension().is_some_and(|extension| extension == "html") {
            let mut file = fs::File::options().append(true).open(first.join(path)).expect("a file");
            write!(file, "\n<!-- number {number} -->\n").expect("a number");
        }
    }
    all
}

#[test]
fn a_site_whose_pages_get_other_names() {
    let skip = |what: &str| crate::tools::skipped(format_args!("{what} is not on this machine"));
    let has_index = |tree: &PathBuf| tree.join("index.html").is_file();
    let Some(tree) = TREES.map(crate::tools::others).into_iter().find(has_index) else {
        return skip("documentation");
    };
    if !crate::tools::runs("wget", &["--version"]) {
        return skip("wget");
    }
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().canonicalize().expect("a directory").join(name);
    let word = |path: PathBuf| path.to_str().expect("UTF-8").to_owned();
    let [first, out, redirects] = ["first", "out", "redirects.conf"].map(path);
    copy(&tree, &first, true);
    let all = prepare(&first);
    fs::write(path("list.tsv"), LIST).expect("a file");
    for name in ["nginx", "scratch", "nginx-new"] {
        fs::create_dir_all(path(name)).expect("a directory");
    }
    let Some(before) = Web::start(&path("nginx"), &first) else { return skip("nginx") };
    let base = format!("http://127.0.0.1:{}/", before.port);
    let list = format!("--renames={}", word(path("list.tsv")));
    let option = format!("--redirects=nginx={}", word(redirects.clone()));
    let (first_word, out_word) = (word(first.clone()), word(out.clone()));
    let args = ["move", &first_word, "--base", &base, &list, "--rename-files", &option];
    relink(&[&args[..], &["-o", &out_word, "-q"]].concat(), &[0]);
    let http = format!("include {};", redirects.display());
    let lines = [&*http, "if ($relink_redirects) { return 301 $relink_redirects; }"];
    let after = Web::start_with(&path("nginx-new"), &out, lines).expect("nginx starts");

    // Each old URL leads to its page.
    let (mut n_moved, mut n_kept) = (0, 0);
    let numbers: BTreeMap<&PathBuf, Answer> =
        all.iter().map(|path| (path, get(&before, &escaped(path)))).collect();
    for (old, was) in &numbers {
        assert_eq!(was.status, 200, "{}", old.display());
        let mut is = get(&after, &escaped(old));
        let is_moved = !out.join(old).is_file();
        if is_moved {
            assert_eq!(is.status, 301, "{}", old.display());
            n_moved += 1;
            let location = is.location.expect("a location");
            is = get(&after, Url::parse(&location).expect("a URL").path());
            assert_eq!(is.status, 200, "{}: {location}", old.display());
            // The query of the request is kept.
            let with_query = get(&after, &format!("{}?a=b", escaped(old))).location;
            assert_eq!(with_query, Some(format!("{location}?a=b")), "{}", old.display());
        } else {
            assert_eq!(is.status, 200, "{}", old.display());
            n_kept += 1;
        }
        assert_eq!(number(&is.body), number(&was.body), "{}", old.display());
        if old.extension().is_some_and(|extension| extension == "png") {
            assert!(is.body == was.body, "{}: another file", old.display());
        }
    }
    let answer = get(&after, "/odd/");
    assert_eq!(answer.status, 301);
    assert!(answer.location.expect("a location").ends_with("/strange/%C3%BC%20x/"));
    let tree = tree.display();
    println!("{tree}: {n_moved} old URLs redirect to their files, {n_kept} have stayed");
    let n_pages = numbers.values().filter(|page| number(&page.body).is_some()).count();
    assert!(n_moved * 5 > n_pages * 2, "{n_moved} of {n_pages} pages are renamed");

    // From the first page, as many are reached, and no more are missing.
    let asked = [(&before, &first), (&after, &out)].map(|(web, root)| {
        let url = format!("http://127.0.0.1:{}/", web.port);
        wget(web, &Place { directory: root.clone(), url }, &path("scratch"))
    });
    let [was, is] = &asked;
    println!(
        "reached {} and {}, missing {}",
        was.reached.len(),
        is.reached.len(),
        is.missing.len()
    );
    assert_eq!(is.reached.len(), was.reached.len(), "{:?}\n{:?}", was.missing, is.missing);
    assert_eq!(is.missing.len(), was.missing.len(), "{:?}\n{:?}", was.missing, is.missing);
    assert!(was.reached.len() > 100, "{} are reached", was.reached.len());
}

/// One server includes the redirects of two runs, with its own settings for maps.
#[test]
fn two_files_of_redirects_in_one_server() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().canonicalize().expect("a directory").join(name);
    let word = |path: PathBuf| path.to_str().expect("UTF-8").to_owned();
    let long = format!("{}.html", "n".repeat(200));
    let odd = ["a`b.html", "c\nd.html", "e\u{7f}f.html", long.as_str()];
    fs::create_dir_all(path("site/docs")).expect("a directory");
    fs::create_dir_all(path("nginx")).expect("a directory");
    let names: Vec<String> = (0..300).map(|number| format!("page-{number}.html")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).chain(odd).collect();
    for name in &names {
        fs::write(path("site").join(name), "<!doctype html><title>x</title>").expect("a file");
        fs::write(path("site/docs").join(name), "<!doctype html>").expect("a file");
    }
    let site = word(path("site"));
    let mut includes = String::new();
    let mut answers = String::new();
    for (stem, rule) in [("pages", "s|^/([^/]*)$|/new/$1|"), ("docs", "s|^/docs/(.*)$|/guide/$1|")]
    {
        let option = format!("--redirects=nginx={}", word(path(&format!("{stem}.conf"))));
        let out = word(path(&format!("out-{stem}")));
        let args =
            ["move", &site, "--base", "http://h/", "--rule", rule, &option, "-o", &out, "-q"];
        relink(&args, &[0]);
        includes.push_str(&format!("include {};\n", path(&format!("{stem}.conf")).display()));
        answers.push_str(&format!("if ($relink_{stem}) {{ return 301 $relink_{stem}; }}\n"));
    }
    // The pages of two hosts have the same paths.
    let hosts = ["h.example", "g.example"];
    for host in hosts {
        fs::create_dir_all(path("mirror").join(host)).expect("a directory");
        fs::write(path("mirror").join(host).join("about"), "<!doctype html>").expect("a file");
    }
    let option = format!("--redirects=nginx={}", word(path("hosts.conf")));
    let (mirror, out) = (word(path("mirror")), word(path("out-hosts")));
    let args = ["relativize", &mirror, "--layout", "wget", "--for", "static-host", "--rename"];
    relink(&[&args[..], &[&option, "-o", &out, "-q"]].concat(), &[0]);
    includes.push_str(&format!("include {};\n", path("hosts.conf").display()));
    answers.push_str("if ($relink_hosts) { return 301 $relink_hosts; }\n");
    let http = format!("map_hash_bucket_size 64; map_hash_max_size 512;\n{includes}");
    let Some(web) = Web::start_with(&path("nginx"), &path("site"), [&http, &answers]) else {
        return crate::tools::skipped(format_args!("nginx is not on this machine"));
    };
    for name in &names {
        let name = escaped(Path::new(name));
        for (old, new) in [(name.clone(), "/new"), (format!("/docs{name}"), "/guide")] {
            let answer = get(&web, &old);
            assert_eq!(answer.status, 301, "{old}");
            let location = answer.location.expect("a location");
            assert!(location.ends_with(&format!("{new}{name}")), "{old}: {location}");
        }
    }
    for (host, status) in hosts.into_iter().map(|host| (host, 301)).chain([("i.example", 404)]) {
        let answer = answer(&nginx::get_of(web.port, host, "/about?q").expect("an answer"));
        assert_eq!(answer.status, status, "{host}");
        let location = answer.location.unwrap_or_default();
        assert!(status == 404 || location.ends_with("/about.html?q"), "{host}: {location}");
    }
}

/// Redirects of a site with odd names, and of a mirror of two hosts.
#[test]
fn redirects_lead_to_the_pages_in_apache() {
    redirects_in("apache", None);
}

#[test]
fn redirects_lead_to_the_pages_in_caddy() {
    redirects_in("caddy", None);
}

/// The parser of Netlify, which `.ci/run --install` installs, reads them.
#[test]
fn redirects_lead_to_the_pages_in_netlify() {
    let packages = crate::tools::installed("servers");
    if !packages.join("node_modules/@netlify/redirect-parser").is_dir() {
        return crate::tools::skipped("@netlify/redirect-parser is not installed");
    }
    if crate::tools::has("node", &["--version"]) {
        redirects_in("netlify", Some(&packages));
    }
}

/// Runs the script for a server, which may be a package of npm in a directory.
fn redirects_in(server: &str, packages: Option<&Path>) {
    if crate::tools::has("python3", &["--version"]) {
        let mut script = std::process::Command::new("python3");
        script.arg(super::script("redirects.py")).arg(server).args(packages);
        crate::browser::passes(&mut script);
    }
}
