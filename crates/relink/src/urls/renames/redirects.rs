//! Redirects from old URLs to new ones, in the format of a server.
//!
//! What the servers compare: nginx the decoded path, in a `map` without letter case unless the key
//! is a regular expression; Apache (`RewriteRule`) the decoded path, by a regular expression; Caddy
//! the decoded path, with `path_regexp` in letter case; Netlify the path as it is written. The
//! query of a request is kept, except where the old URL has one. Where the old URLs have several
//! hosts, each rule asks for its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use urlcore::escape::percent_decode;
use urlcore::{Dialect, Reference, origin_prefix};

use crate::os::option_names::texts;

/// The format in which a server reads redirects.
#[derive(Debug)]
struct ServerFormat {
    /// The name of the server on the command line.
    name: &'static str,
    /// The start of every file that was written for it.
    start: &'static str,
    /// Returns the text of the file with this path.
    text: fn(&Redirects, &Path) -> String,
}

/// The start of a file, in formats with comments.
const START: &str = "# Redirects by relink";

static SERVERS: [ServerFormat; 5] = [
    // A `map`, for `include` in the block `http`.
    ServerFormat { name: "nginx", start: START, text: Redirects::nginx },
    // Rules of `mod_rewrite`, for a server or for `.htaccess`.
    ServerFormat {
        name: "apache",
        start: START,
        text: |redirects, _| {
            redirects.listed(", for Apache with mod_rewrite\nRewriteEngine On\n", apache)
        },
    },
    // Matchers and `redir`, for `import` in a Caddyfile.
    ServerFormat {
        name: "caddy",
        start: START,
        text: |redirects, _| {
            redirects.listed(", for Caddy: import this file in the block of the site\n", caddy)
        },
    },
    // Lines of a file `_redirects`.
    ServerFormat {
        name: "netlify",
        start: START,
        text: |redirects, _| {
            redirects.listed(", for Netlify: the file _redirects of the site\n", netlify)
        },
    },
    // Two columns with URLs.
    ServerFormat { name: "csv", start: "old,new\n", text: |redirects, _| redirects.csv() },
];

/// A file of redirects, as an option.
#[derive(Clone, Debug)]
pub struct RedirectsFile {
    /// The format of the server that reads it.
    server: &'static ServerFormat,
    /// Its path.
    pub path: PathBuf,
}

/// The error for a text that is not `SERVER=FILE`.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub struct BadTarget(pub String);

texts!(BadTarget {
    BadTarget(text) => "invalid value '{}' for --redirects; expected SERVER=FILE, with one of {}", text, SERVERS.each_ref().map(|server| server.name).join(", ");
});

impl RedirectsFile {
    /// Parses `SERVER=FILE`.
    ///
    /// # Errors
    ///
    /// [`BadTarget`] for any other text.
    pub fn parse(text: &str) -> Result<Self, BadTarget> {
        let (name, path) = text.split_once('=').ok_or_else(|| BadTarget(text.to_owned()))?;
        let server = SERVERS.iter().find(|server| server.name == name && !path.is_empty());
        let server = server.ok_or_else(|| BadTarget(text.to_owned()))?;
        Ok(RedirectsFile { server, path: path.into() })
    }

    /// Returns true if nothing is lost when the file is written: it does not exist, or an earlier
    /// run has written it.
    pub fn may_be_written(&self) -> bool {
        let start = self.server.start;
        // A pipe is not waited for.
        if self.path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return false;
        }
        let mut head = Vec::new();
        match File::open(&self.path) {
            Ok(file) => {
                let read = file.take(start.len() as u64).read_to_end(&mut head);
                read.is_ok() && (head.is_empty() || head == start.as_bytes())
            }
            Err(_) => !Path::exists(&self.path),
        }
    }
}

/// Redirects: the new URL of each old one.
#[derive(Debug, Default)]
pub struct Redirects {
    new: BTreeMap<String, String>,
    /// The URLs that stay.
    kept: BTreeSet<String>,
}

impl Redirects {
    /// Adds a URL of the old site, and its new URL.
    pub fn add(&mut self, old: &str, new: &str) {
        if old == new {
            self.kept.insert(old.to_owned());
        } else {
            self.new.entry(old.to_owned()).or_insert_with(|| new.to_owned());
        }
    }

    /// Returns the text of a file for a server.
    pub fn text(&self, file: &RedirectsFile) -> String {
        (file.server.text)(self, &file.path)
    }

    /// Returns a text that has the lines of each redirect after its head.
    fn listed(&self, head: &str, lines: fn(usize, &Redirect<'_>) -> String) -> String {
        let all = self.each();
        let all = all.iter().enumerate().map(|(number, redirect)| lines(number, redirect));
        format!("{START}{head}{}", all.collect::<String>())
    }

    /// Returns the redirects; of those that a server takes for one the first.
    fn each(&self) -> Vec<Redirect<'_>> {
        let hosts: BTreeSet<String> = self.new.keys().map(|old| host(&split(old).0)).collect();
        let mut known = BTreeSet::new();
        let mut all = Vec::new();
        for (old, new) in &self.new {
            let (site, path, query) = split(old);
            let host = (hosts.len() > 1).then(|| host(&site));
            if !known.insert((host.clone(), decoded(path), query)) {
                continue;
            }
            let new = match split(new) {
                (new_site, path, query) if new_site == site => {
                    query.map_or(path.to_owned(), |query| format!("{path}?{query}"))
                }
                _ => new.clone(),
            };
            all.push(Redirect { site, host, path, query, new });
        }
        all
    }

    /// Two files can be read by one server, whatever its settings: the variables are those of the
    /// file, and no setting of the server is changed.
    fn nginx(&self, path: &Path) -> String {
        let variable = variable(path);
        let mut folded: HashMap<String, BTreeSet<&str>> = HashMap::new();
        for url in self.new.keys().chain(&self.kept) {
            let (_, path, _) = split(url);
            folded.entry(path.to_lowercase()).or_default().insert(path);
        }
        let all = self.each();
        let has_hosts = all.first().is_some_and(|one| one.host.is_some());
        let key = |one: &Redirect<'_>| {
            let is_only = folded.get(&one.path.to_lowercase()).is_none_or(|all| all.len() < 2);
            let text = one.host_and_path();
            let is_plain = text.len() <= LONGEST_KEY && !text.contains(char::is_control);
            if is_only && is_plain {
                quoted(&text, "")
            } else {
                quoted(&format!("~^{}$", pattern(&text)), "")
            }
        };
        // A dollar sign begins a variable, and has no escape.
        let value = |new: &str| new.replace('$', "%24");
        let (mut pages, mut queries) = (String::new(), String::new());
        for one in &all {
            match one.query {
                Some(query) => {
                    let text = format!("{}?{query}", one.host_and_path());
                    let key = quoted(&format!("~^{}$", pattern(&text)), "");
                    queries.push_str(&format!("    {key} {};\n", quoted(&value(&one.new), "")));
                }
                None => {
                    let arguments = if one.new.contains('?') { "" } else { "$is_args$args" };
                    let (key, value) = (key(one), quoted(&value(&one.new), arguments));
                    pages.push_str(&format!("    {key} {value};\n"));
                }
            }
        }
        let host = if has_hosts { "$host" } else { "" };
        format!(
            "{START}, for nginx: include this file in the block http, and in the block server\n\
             # write: if (${variable}) {{ return 301 ${variable}; }}\n\
             map {host}$uri ${variable}_page {{\n    default \"\";\n{pages}}}\n\
             map {host}$uri?$args ${variable} {{\n    default ${variable}_page;\n{queries}}}\n"
        )
    }

    fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Writing into memory does not fail.
        drop(writer.write_record(["old", "new"]));
        self.new.iter().for_each(|pair| drop(writer.write_record([pair.0, pair.1])));
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }
}

/// A redirect.
struct Redirect<'r> {
    /// The scheme and the authority of the old URL.
    site: String,
    /// Its host, if there are several.
    host: Option<String>,
    /// Its path.
    path: &'r str,
    /// Its query.
    query: Option<&'r str>,
    /// Where it leads: a path if the site is the same.
    new: String,
}

impl Redirect<'_> {
    /// Returns the host, if there are several, and the decoded path.
    fn host_and_path(&self) -> String {
        format!("{}{}", self.host.as_deref().unwrap_or_default(), decoded(self.path))
    }
}

/// Returns the rule of a redirect and its conditions.
fn apache(_: usize, Redirect { host, path, query, new, .. }: &Redirect<'_>) -> String {
    let path = decoded(path);
    let path = pattern(path.strip_prefix('/').unwrap_or(&path));
    // A percent sign and a dollar sign begin a variable of the substitution.
    let new = new.replace('%', "\\%").replace('$', "\\$");
    let host = host.as_deref().map_or(String::new(), |host| {
        format!("RewriteCond %{{HTTP_HOST}} \"^{}(:[0-9]+)?$\" [NC]\n", pattern(host))
    });
    let condition = query.map_or(String::new(), |query| {
        format!("RewriteCond %{{QUERY_STRING}} \"^{}$\"\n", pattern(query))
    });
    let drops_query = if query.is_some() || new.contains('?') { ",QSD" } else { "" };
    // mod_rewrite reads no escapes in its quotes, and a URL has no quotes.
    format!("{host}{condition}RewriteRule \"^/?{path}$\" \"{new}\" [R=301,L,NE{drops_query}]\n")
}

/// Returns the matcher of a redirect, and the redirect.
fn caddy(number: usize, Redirect { host, path, query, new, .. }: &Redirect<'_>) -> String {
    let pattern = ticked(&format!("^{}$", pattern(&decoded(path))));
    // A brace begins a placeholder.
    let new = ticked(&new.replace('{', "%7B").replace('}', "%7D"));
    let host = host.as_deref().map_or(String::new(), |host| format!("\thost {host}\n"));
    let pairs = query.iter().flat_map(|query| query.split('&')).map(|pair| {
        let end = if pair.contains('=') { "" } else { "=" };
        format!("\tquery {}\n", ticked(&format!("{pair}{end}")))
    });
    let pairs: String = pairs.collect();
    format!(
        "@relink{number} {{\n\tpath_regexp {pattern}\n{host}{pairs}}}\nredir @relink{number} {new} 301\n"
    )
}

/// Returns the line of a redirect.
fn netlify(_: usize, Redirect { site, host, path, query, new }: &Redirect<'_>) -> String {
    // A colon begins the name of any value, and a name without `=` is no condition.
    let pairs = query.iter().flat_map(|query| query.split('&')).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = value.strip_prefix(':').map_or(value.to_owned(), |rest| format!("%3A{rest}"));
        format!(" {name}={value}")
    });
    let pairs: String = pairs.collect();
    let site = if host.is_some() { site } else { "" };
    // An asterisk is for any text, and a colon begins the name of a segment.
    let plain = |path: &str| path.replace('*', "%2A").replace("/:", "/%3A");
    format!("{site}{}{pairs} {} 301!\n", plain(path), plain(new))
}

/// Returns the host of a site in lower case, without a port.
fn host(site: &str) -> String {
    let authority = Reference::split(site, Dialect::Web).authority().unwrap_or_default();
    urlcore::Server::split(authority).host.to_ascii_lowercase()
}

/// The maximum length of a key in bytes that nginx takes into a bucket of 64, which is the size
/// unless a server sets another one: a pointer, a length of two bytes, and the pointer at the end.
const LONGEST_KEY: usize = 46;

/// Returns the name of the variable of a file, without the dollar sign.
fn variable(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let is_word = |char: char| char.is_ascii_alphanumeric();
    let word = |char: char| if is_word(char) { char.to_ascii_lowercase() } else { '_' };
    format!("relink_{}", stem.chars().map(word).collect::<String>())
}

/// Returns a regular expression for a text. A control character would end a line of the file, a
/// backtick the quotes of Caddy, and a double quote those of Apache.
fn pattern(text: &str) -> String {
    let mut pattern = String::new();
    for char in regex::escape(text).chars() {
        match char {
            '`' | '"' | '\0'..='\x1F' | '\x7F' => {
                pattern.push_str(&format!("\\x{:02X}", u32::from(char)));
            }
            char => pattern.push(char),
        }
    }
    pattern
}

/// Returns the site, the path and the query of a URL.
fn split(url: &str) -> (String, &str, Option<&str>) {
    let (site, rest) = origin_prefix(url, Dialect::Web).unwrap_or((String::new(), url));
    match rest.split_once('?') {
        Some((path, query)) => (site, path, Some(query)),
        None => (site, if rest.is_empty() { "/" } else { rest }, None),
    }
}

/// Returns a path without its escapes, as a server compares it.
fn decoded(path: &str) -> String {
    String::from_utf8_lossy(&percent_decode(path)).into_owned()
}

/// Returns a text in double quotes, followed inside of them by `tail`, which is not escaped.
fn quoted(text: &str, tail: &str) -> String {
    format!("\"{}{tail}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns a text in backticks, in which Caddy reads no escapes.
fn ticked(text: &str) -> String {
    format!("`{}`", text.replace('`', "%60"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Redirects {
        let mut redirects = Redirects::default();
        redirects.add("http://h/Page.html", "http://h/b.html");
        redirects.add("http://h/page.html", "http://h/page.html");
        redirects.add("http://h/a%20b.html", "http://h/c/$.html");
        redirects.add("http://h/item.php?id=1", "https://n/items/1.html");
        redirects
    }

    fn text(redirects: &Redirects, server: &str) -> String {
        redirects.text(&RedirectsFile::parse(&format!("{server}=a/my-site.conf")).unwrap())
    }

    #[test]
    fn nginx_compares_letter_case_where_it_matters() {
        let text = text(&sample(), "nginx");
        assert!(text.contains(r#"    "~^/Page\\.html$" "/b.html$is_args$args";"#), "{text}");
        assert!(text.contains(r#"    "/a b.html" "/c/%24.html$is_args$args";"#), "{text}");
        assert!(
            text.contains(r#"    "~^/item\\.php\\?id=1$" "https://n/items/1.html";"#),
            "{text}"
        );
        assert!(!text.contains("page.html\" \""), "{text}");
    }

    #[test]
    fn other_servers() {
        let redirects = sample();
        let apache = text(&redirects, "apache");
        assert!(apache.contains("RewriteCond %{QUERY_STRING} \"^id=1$\"\nRewriteRule \"^/?item\\.php$\" \"https://n/items/1.html\" [R=301,L,NE,QSD]\n"), "{apache}");
        let caddy = text(&redirects, "caddy");
        assert!(caddy.contains("\tpath_regexp `^/item\\.php$`\n\tquery `id=1`\n}\n"), "{caddy}");
        let netlify = text(&redirects, "netlify");
        assert!(netlify.contains("\n/item.php id=1 https://n/items/1.html 301!\n"), "{netlify}");
        let csv = text(&redirects, "csv");
        assert!(csv.starts_with("old,new\nhttp://h/Page.html,http://h/b.html\n"), "{csv}");
        assert_eq!(csv.lines().count(), 4);
    }

    #[test]
    fn each_file_of_nginx_has_its_own_variables_and_no_setting() {
        let mut redirects = sample();
        redirects.add(&format!("http://h/{}", "x".repeat(45)), "http://h/y");
        redirects.add(&format!("http://h/{}", "z".repeat(46)), "http://h/y");
        let text = text(&redirects, "nginx");
        assert!(text.contains("if ($relink_my_site) { return 301 $relink_my_site; }"), "{text}");
        assert!(text.contains("map $uri $relink_my_site_page {"), "{text}");
        assert!(text.contains("\"/xxx") && text.contains("\"~^/zzz"), "{text}");
        assert!(!text.contains("map_hash"), "{text}");
    }

    #[test]
    fn control_characters_and_backticks_stay_in_their_line() {
        let mut redirects = Redirects::default();
        redirects.add("http://h/a%0Ab%60.html", "http://h/c%0A%60.html");
        redirects.add("http://h/:a/*.html", "http://h/:b/*.html");
        redirects.add("http://h/q?flag&u=:x=y", "http://h/q.html");
        for (server, expected) in [
            ("nginx", r#"    "~^/a\\x0Ab\\x60\\.html$" "/c%0A%60.html$is_args$args";"#),
            ("apache", r#"RewriteRule "^/?a\x0Ab\x60\.html$" "/c\%0A\%60.html" [R=301,L,NE]"#),
            ("caddy", r"	path_regexp `^/a\x0Ab\x60\.html$`"),
            ("netlify", "/a%0Ab%60.html /c%0A%60.html 301!"),
            ("netlify", "/%3Aa/%2A.html /%3Ab/%2A.html 301!"),
            ("netlify", "/q flag= u=%3Ax=y /q.html 301!"),
        ] {
            let text = text(&redirects, server);
            assert!(text.lines().any(|line| line == expected), "{text}");
        }
    }

    #[test]
    fn each_host_has_its_rules() {
        let mut redirects = Redirects::default();
        for old in ["http://h/a", "https://h:8443/a", "http://G.example/a", "http://h/b?q"] {
            redirects.add(old, &format!("{}.html", old.replace("b?q", "b")));
        }
        for (server, expected) in [
            (
                "nginx",
                &[
                    "map $host$uri $relink_my_site_page {",
                    "map $host$uri?$args $relink_my_site {",
                    r#"    "g.example/a" "/a.html$is_args$args";"#,
                    r#"    "h/a" "/a.html$is_args$args";"#,
                    r#"    "~^h/b\\?q$" "/b.html";"#,
                ][..],
            ),
            ("apache", &[r#"RewriteCond %{HTTP_HOST} "^g\.example(:[0-9]+)?$" [NC]"#]),
            ("caddy", &["	host g.example", "	path_regexp `^/a$`"]),
            ("netlify", &["http://g.example/a /a.html 301!", "http://h/b q= /b.html 301!"]),
        ] {
            let text = text(&redirects, server);
            for expected in expected {
                assert!(text.lines().any(|line| line == *expected), "{expected}: {text}");
            }
            assert_eq!(text.matches("/a.html").count(), 2, "{text}");
        }
    }

    #[test]
    fn options_are_parsed() {
        let target = RedirectsFile::parse("nginx=a=b.conf").unwrap();
        assert_eq!((target.server.name, target.path), ("nginx", PathBuf::from("a=b.conf")));
        for wrong in ["nginx", "nginx=", "iis=a"] {
            assert_eq!(RedirectsFile::parse(wrong).unwrap_err(), BadTarget(wrong.to_owned()));
        }
    }
}
