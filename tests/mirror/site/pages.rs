//! The resources of the site, by URL, and what the site answers.

use std::collections::BTreeMap;

use encoding_rs::WINDOWS_1252;
use url::Url;

use super::super::octets;

/// The kind of a resource, which decides its media type and how its references are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Html,
    /// HTML in ISO 8859-1.
    Latin,
    Css,
    Script,
    Picture,
    Svg,
    Font,
    Manifest,
}

impl Kind {
    pub(super) fn media_type(self) -> &'static str {
        match self {
            Kind::Html => "text/html; charset=utf-8",
            Kind::Latin => "text/html; charset=iso-8859-1",
            Kind::Css => "text/css",
            Kind::Script => "text/javascript",
            Kind::Picture => "image/png",
            Kind::Svg => "image/svg+xml",
            Kind::Font => "font/woff2",
            Kind::Manifest => "application/manifest+json",
        }
    }

    pub(super) fn is_page(self) -> bool {
        matches!(self, Kind::Html | Kind::Latin)
    }
}

/// A resource of the site. Its body contains its number, so that it is known again.
pub(super) struct Resource {
    pub(super) url: Url,
    pub(super) kind: Kind,
    pub(super) body: Vec<u8>,
}

/// The answer to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// 200, with the resource of this number.
    Resource(usize),
    /// 302 to another URL.
    Redirect(Url),
    /// 404
    Nothing,
    /// Not a host of the site.
    Foreign,
}

/// The host, the bytes of the path, and those of the query.
type Key = (String, Vec<u8>, Option<Vec<u8>>);

/// The hosts of the site: the first is the home, and the last one may redirect to the one before.
pub(super) const HOSTS: [&str; 4] = ["a.example", "www.a.example", "b.example", "www.b.example"];

/// The site: what each URL answers.
#[derive(Default)]
pub(super) struct Site {
    pub(super) resources: Vec<Resource>,
    by_key: BTreeMap<Key, usize>,
    redirects: BTreeMap<Key, Url>,
}

fn key(url: &Url) -> Key {
    let query = url.query().filter(|query| !query.is_empty()).map(octets);
    (url.host_str().unwrap_or_default().to_owned(), octets(url.path()), query)
}

impl Site {
    /// Adds a resource without a body, and returns its number.
    pub(super) fn add(&mut self, kind: Kind, url: &str) -> usize {
        let url = Url::parse(&format!("http://{url}")).expect("a URL");
        let id = self.resources.len();
        let old = self.by_key.insert(key(&url), id);
        assert!(old.is_none(), "two resources at {url}");
        self.resources.push(Resource { url, kind, body: Vec::new() });
        id
    }

    /// Sets the body of a resource. Every element of `text` with attributes gets a number, by which
    /// it is known again in a converted page.
    pub(super) fn write(&mut self, id: usize, text: &str) {
        let resource = &mut self.resources[id];
        let text = format!("{}{}", mark(resource.kind, id), text);
        resource.body = match resource.kind {
            Kind::Html | Kind::Svg => numbered(&text).into_bytes(),
            Kind::Latin => WINDOWS_1252.encode(&numbered(&text)).0.into_owned(),
            Kind::Picture => {
                [&include_bytes!("../../../fixtures/site/img/dot.png")[..], text.as_bytes()]
                    .concat()
            }
            Kind::Css | Kind::Script | Kind::Font | Kind::Manifest => text.into_bytes(),
        };
    }

    /// Adds a redirect.
    pub(super) fn redirect(&mut self, from: &str, to: &str) {
        let from = Url::parse(&format!("http://{from}")).expect("a URL");
        let to = Url::parse(&format!("http://{to}")).expect("a URL");
        self.redirects.insert(key(&from), to);
    }

    /// The URLs that redirect.
    pub(super) fn redirecting(&self) -> Vec<Url> {
        let url = |(host, path, query): &Key| {
            let path = String::from_utf8_lossy(path);
            let query = query.as_ref().map(|query| format!("?{}", String::from_utf8_lossy(query)));
            Url::parse(&format!("http://{host}{path}{}", query.unwrap_or_default()))
        };
        self.redirects.keys().map(|key| url(key).expect("a URL")).collect()
    }

    /// Returns true if a URL without its scheme redirects to another page than itself with a slash.
    pub(super) fn is_redirecting(&self, url: &str) -> bool {
        let url = Url::parse(&format!("http://{url}"));
        url.is_ok_and(|url| matches!(self.ask(&url), Found::Redirect(_)))
    }

    /// The answer to a request.
    pub(super) fn ask(&self, url: &Url) -> Found {
        let key = key(url);
        if url.scheme() != "http" || url.port().is_some() || !HOSTS.contains(&&*key.0) {
            return Found::Foreign;
        }
        if let Some(to) = self.redirects.get(&key) {
            return Found::Redirect(to.clone());
        }
        // A program answers for its queries only, a file for any.
        let is_file = !url.path().contains(".php") && !url.path().contains("cgi");
        let file = (key.0.clone(), key.1.clone(), None);
        let id = self.by_key.get(&key).or_else(|| self.by_key.get(&file).filter(|_| is_file));
        id.map_or(Found::Nothing, |id| Found::Resource(*id))
    }

    /// The answer, redirects followed.
    pub(super) fn follow(&self, url: &Url) -> Found {
        let mut found = self.ask(url);
        for _ in 0..5 {
            let Found::Redirect(to) = &found else { break };
            found = self.ask(to);
        }
        found
    }
}

/// The text that says which resource a file is, in the syntax of its kind.
fn mark(kind: Kind, id: usize) -> String {
    match kind {
        Kind::Html => {
            format!("<!doctype html>\n<!-- resource:{id}; -->\n<meta charset=utf-8>\n")
        }
        Kind::Latin => {
            format!("<!doctype html>\n<!-- resource:{id}; -->\n<meta charset=iso-8859-1>\n")
        }
        Kind::Css | Kind::Script => format!("/* resource:{id}; */\n"),
        Kind::Svg => format!("<!-- resource:{id}; -->\n"),
        Kind::Picture | Kind::Font => format!("resource:{id};"),
        Kind::Manifest => format!("{{\"name\": \"resource:{id};\",\n"),
    }
}

/// The number of the resource that a file is a copy of.
pub(super) fn marked(bytes: &[u8]) -> Option<usize> {
    const MARK: &[u8] = b"resource:";
    let at = bytes.windows(MARK.len()).position(|word| word == MARK)? + MARK.len();
    let digits = bytes[at..].split(|byte| *byte == b';').next()?;
    str::from_utf8(digits).ok()?.parse().ok()
}

/// Adds `data-n` to every start tag with attributes.
fn numbered(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text;
    let mut n = 0;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at + 1);
        out.push_str(before);
        let name = tag.bytes().take_while(u8::is_ascii_alphanumeric).count();
        out.push_str(&tag[..name]);
        if name > 0 && tag[name..].starts_with(' ') {
            n += 1;
            out.push_str(&format!(" data-n=\"{n}\""));
        }
        rest = &tag[name..];
    }
    out + rest
}
