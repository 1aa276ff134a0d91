//! Pages with odd names: their URLs in many spellings, what says them apart, and the files that
//! hold them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use url::Url;

use super::octets;

/// A generator of numbers: the same on every machine.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// From 0 up to, not including, `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(number).expect("31 bits") % n
    }

    pub(crate) fn one_of<'t, T: ?Sized>(&mut self, all: &[&'t T]) -> &'t T {
        all[self.below(all.len())]
    }

    pub(crate) fn is(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

/// How a tree is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Plain,
    /// Names as `wget` gives them: with the extension of the media type added, or with what Windows
    /// forbids escaped.
    Wget {
        adjusts: bool,
        windows: bool,
    },
}

/// A page, or a picture or style sheet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Page {
    pub(crate) host: &'static str,
    /// The names of its directories and its own, in bytes. An own name that is empty is the
    /// directory's page.
    pub(crate) names: Vec<Vec<u8>>,
    pub(crate) query: Option<&'static str>,
}

pub(crate) const FOLDERS: &[&[u8]] =
    &[b"d", b"e f", b"50%", b"g?h", b"i#j", b"\xFF\xFE", b"D", b"k'l\"m", b"n;o", b"q@r"];
pub(crate) const NAMES: &[&[u8]] = &[
    b"",
    b"",
    b"a.html",
    b"b c.html",
    b"100%.html",
    b"x%20y.html",
    b"q?1.html",
    b"h#2.html",
    b"\xC3\xA9.html",
    b"\xE9.html",
    b"\xC3\x80.html",
    b"n:m.html",
    b"A.html",
    b"&amp;.html",
    b"p.php",
    b"r[1].html",
    b"..s.html",
    b"t\\u.html",
    b"v,w.html",
    b"$`{|}~^.html",
    b"style.css",
];
pub(crate) const QUERIES: &[&str] = &["id=3", "u=/a/b", "x", "a=1&b=%41 %2F", "t=c:d*e"];
pub(crate) const HOSTS: &[&str] = &["h.example", "i.example:8080"];

/// Escapes what a path cannot hold, and now and then what it could, in either case.
pub(crate) fn escaped(name: &[u8], numbers: &mut Numbers) -> String {
    let mut out = String::new();
    for byte in name {
        let is_safe = byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
        let is_allowed = is_safe || b"!$&'()*+,;=:@".contains(byte);
        if is_allowed && (*byte == b'.' || !numbers.is(12)) {
            out.push(char::from(*byte));
        } else if numbers.is(4) {
            out.push_str(&format!("%{byte:02x}"));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

impl Page {
    pub(crate) fn generate(manner: Manner, numbers: &mut Numbers) -> Page {
        let mut names: Vec<Vec<u8>> =
            (0..numbers.below(3)).map(|_| numbers.one_of(FOLDERS).to_vec()).collect();
        names.push(numbers.one_of(NAMES).to_vec());
        if manner == Manner::Plain {
            return Page { host: HOSTS[0], names, query: None };
        }
        let query = numbers.is(3).then(|| numbers.one_of(QUERIES));
        Page { host: numbers.one_of(HOSTS), names, query }
    }

    pub(crate) fn is_css(&self) -> bool {
        self.names.last().is_some_and(|name| name.ends_with(b".css"))
    }

    /// The path and query of its URL, with escapes chosen again.
    pub(crate) fn path(&self, manner: Manner, numbers: &mut Numbers) -> String {
        let mut path = root(manner).to_owned();
        for (idx, name) in self.names.iter().enumerate() {
            if idx > 0 {
                path.push('/');
            }
            path.push_str(&escaped(name, numbers));
        }
        if let Some(query) = self.query {
            path.push('?');
            path.push_str(query);
        }
        path
    }

    pub(crate) fn url(&self, manner: Manner, numbers: &mut Numbers) -> String {
        format!("http://{}{}", self.host, self.path(manner, numbers))
    }

    /// Its URL with the escapes that are needed, and no other: the names of files do not say in
    /// what spelling it was requested.
    pub(crate) fn own_url(&self, manner: Manner) -> String {
        let mut url = format!("http://{}{}", self.host, root(manner));
        for (idx, name) in self.names.iter().enumerate() {
            if idx > 0 {
                url.push('/');
            }
            for byte in name {
                if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(byte) {
                    url.push(char::from(*byte))
                } else {
                    url.push_str(&format!("%{byte:02X}"))
                }
            }
        }
        if let Some(query) = self.query {
            url.push('?');
            url.push_str(query);
        }
        url
    }

    /// What says pages apart: the host, and the bytes of the path and the query.
    pub(crate) fn key(&self, manner: Manner) -> Key {
        let mut path = root(manner).as_bytes().to_vec();
        path.extend(self.names.join(&b'/'));
        (self.host.to_owned(), path, self.query.map(octets))
    }

    /// Where the file is, below the tree.
    pub(crate) fn file(&self, manner: Manner) -> PathBuf {
        let mut names = self.names.clone();
        let own = names.pop().expect("a name");
        let mut own = if own.is_empty() { b"index.html".to_vec() } else { own };
        let Manner::Wget { adjusts, windows } = manner else {
            names.push(own);
            return path(&names);
        };
        let quote = |name: &[u8], more: &[u8]| {
            let mut out = Vec::new();
            for byte in name {
                let is_control = *byte < 32 || (128..160).contains(byte);
                let is_forbidden = windows && b"\\|:?\"*<>".contains(byte);
                if is_control || is_forbidden || more.contains(byte) {
                    out.extend(format!("%{byte:02X}").bytes())
                } else {
                    out.push(*byte)
                }
            }
            out
        };
        own = quote(&own, b"");
        if let Some(query) = self.query {
            own.push(if windows { b'@' } else { b'?' });
            own.extend(quote(&octets(query), b"/"));
        }
        if adjusts && self.is_css() && !own.ends_with(b".css") {
            own.extend(b".css");
        } else if adjusts && !self.is_css() && !own.ends_with(b".html") {
            own.extend(b".html");
        }
        let mut names: Vec<Vec<u8>> = names.iter().map(|name| quote(name, b"")).collect();
        let host = if windows { self.host.replace(':', "+") } else { self.host.to_owned() };
        names.insert(0, host.into_bytes());
        names.push(own);
        path(&names)
    }
}

pub(crate) type Key = (String, Vec<u8>, Option<Vec<u8>>);

pub(crate) fn path(names: &[Vec<u8>]) -> PathBuf {
    names.iter().map(|name| Path::new(OsStr::from_bytes(name))).collect()
}

pub(crate) fn root(manner: Manner) -> &'static str {
    if manner == Manner::Plain { "/root/" } else { "/" }
}

/// The key of a URL's target.
pub(crate) fn key_of(url: &Url) -> Key {
    let host = match url.port() {
        Some(port) => format!("{}:{port}", url.host_str().unwrap_or_default()),
        None => url.host_str().unwrap_or_default().to_owned(),
    };
    (host, octets(url.path()), url.query().map(octets))
}
