//! `relink check --lint`: what the specifications of URLs warn of. Nothing of it is broken.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::dir::{Run, TestDir};
use crate::schema::Schema;
use crate::words;

/// The codes of each reference, by its text, sorted.
fn codes(run: &Run) -> BTreeMap<String, Vec<String>> {
    let mut codes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in run.text().lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        Schema::new().check("check", &line);
        assert!(line["source"].as_str().is_some_and(|source| source.contains(' ')), "{line}");
        let text = |key: &str| line[key].as_str().expect("a text").to_owned();
        codes.entry(text("text")).or_default().push(text("problem"));
    }
    codes.values_mut().for_each(|codes| codes.sort());
    codes
}

/// A page with a link to each URL.
fn page(urls: &[&str]) -> String {
    urls.iter().map(|url| format!("<a href=\"{}\">x</a>\n", url.replace('&', "&amp;"))).collect()
}

#[test]
#[cfg(unix)]
fn warnings_have_codes_and_the_status_stays() {
    let dir = TestDir::with(&[
        ("site/a.html", "<base href='ftp://u:p@h.example/pub;type=d'><p>"),
        (
            "site/b.html",
            "<a href='Talk:Tides'>1</a><a href='Talk:Other'>2</a><a href='b.html'>3</a>",
        ),
        ("site/Talk:Tides", ""),
        ("site/c.css", "a { background: url(http://h.example:25/%0D%0AQUIT) }"),
        ("site/d.html", "<a href=http://h.example/{x}/caf\u{e9}>1</a>"),
    ]);
    let run = dir.relink("check site --lint --format json -q").exits(0);
    let expected = [
        ("Talk:Tides", vec!["colon-in-first-segment"]),
        ("ftp://u:p@h.example/pub;type=d", vec!["password", "type-in-base"]),
        ("http://h.example/{x}/caf\u{e9}", vec!["national-character", "unwise-character"]),
        ("http://h.example:25/%0D%0AQUIT", vec!["escaped-line-end", "other-port"]),
    ];
    let expected = expected.map(|(text, codes)| {
        (text.to_owned(), codes.into_iter().map(str::to_owned).collect::<Vec<_>>())
    });
    assert_eq!(codes(&run), BTreeMap::from(expected), "{run}");
    // For people, and as annotations; without the option, nothing.
    let run = dir.relink("check site --lint --include c.css").exits(0).prints(
        "site/c.css:1:21: css url() http://h.example:25/%0D%0AQUIT: port 25 is that of smtp (other-port, url-syntax-1996 6)\n\
         site/c.css:1:21: css url() http://h.example:25/%0D%0AQUIT: it contains an escaped line end, which servers may read as one (escaped-line-end, url-syntax-1996 6)\n",
    );
    let sums = words::checked(1, 1, &[]) + "; 2 warnings (1 escaped-line-end, 1 other-port)";
    assert!(run.has_line(&sums), "{run}");
    let run = dir.relink("check site --lint --format github --include c.css -q").exits(0);
    assert!(run.text().lines().all(|line| line.starts_with("::warning file=")), "{run}");
    dir.relink("check site").exits(0).prints("");
    // What is broken stays so, and is reported once.
    dir.file("site/e.html", "<a href=none|.html>1</a>");
    let run = dir.relink("check site --lint --top 9 -q").exits(1);
    assert!(run.text().contains("1 reference: a[href] none|.html: it contains |"), "{run}");
    for option in ["--list-external", "--missing-urls", "--fix -n"] {
        dir.relink(&format!("check site --lint {option}")).exits(2);
    }
}

/// URLs about whose parts Python's parser is asked.
const URLS: [&str; 24] = [
    "http://h.example/",
    "http://user@h.example/",
    "http://user:secret@h.example/",
    "http://:secret@h.example/",
    "http://user:@h.example/",
    "https://user:a:b@h.example:443/",
    "ftp://anonymous:me%40home@h.example/pub/",
    "ftp://h.example:25/",
    "ftp://h.example:21/",
    "ftp://h.example:2121/",
    "gopher://h.example:70/1",
    "gopher://h.example:25/0HELO%0D%0AMAIL",
    "gopher://u:p@h.example:119/",
    "telnet://user:pw@h.example:23",
    "telnet://h.example:80",
    "nntp://h.example:119/group/1",
    "nntp://h.example:25/group/1%0a",
    "http://h.example:80/a?b@c:d",
    "http://h.example:8080/a:25/",
    "http://h.example/@u:p/",
    "http://h.example:443/?x=%0A",
    "http://h.example/#%0A",
    "http://[2001:db8::1]:6667/x",
    "http://h.example/%0D",
];

/// Judges URLs by `urllib.parse`: a line for each, with its codes.
const JUDGE: &str = r#"
import re, sys
from urllib.parse import urlsplit
services = {25: "smtp", 119: "nntp", 80: "http", 443: "https", 6667: "ircd", 23: "telnet", 21: "ftp", 70: "gopher"}
defaults = {"http": 80, "https": 443, "ftp": 21, "gopher": 70, "telnet": 23, "nntp": 119}
for line in sys.stdin:
    url = line.rstrip("\n")
    parts = urlsplit(url)
    found = []
    if re.search("%0[ad]", parts.netloc + parts.path + "?" + parts.query, re.I):
        found.append("escaped-line-end")
    if parts.port in services and defaults[parts.scheme] != parts.port:
        found.append("other-port")
    if parts.password:
        found.append("password")
    print(url, *found)
"#;

#[test]
fn passwords_and_ports_are_those_that_python_reads() {
    if !crate::tools::has("python3", &["--version"]) {
        return;
    }
    let dir = TestDir::with(&[("site/a.html", &page(&URLS)), ("urls", &(URLS.join("\n") + "\n"))]);
    let input = fs::File::open(dir.path("urls")).expect("a file");
    let output = Command::new("python3").args(["-c", JUDGE]).stdin(input).output();
    let output = output.expect("python runs").stdout;
    let judged = String::from_utf8(output).expect("UTF-8");
    let mut expected = BTreeMap::new();
    for line in judged.lines() {
        let mut words = line.split(' ').map(str::to_owned);
        let url = words.next().expect("a URL");
        let codes: Vec<String> = words.collect();
        if !codes.is_empty() {
            expected.insert(url, codes);
        }
    }
    assert!(expected.len() > 10, "{judged}");
    let run = dir.relink("check site --lint --format json -q").exits(0);
    assert_eq!(codes(&run), expected, "{run}");
}
