//! Old URLs of a tree in text that is not a reference: in scripts, handlers, `data-*` attributes,
//! JSON, and the files of servers. Nobody knows what such text means; it is only reported.

use std::ops::Range;

use memchr::memmem;

use crate::urls::twins::other_host;

/// The forms in which the slashes of a URL are written: plain, in JSON and scripts, and inside
/// another URL. Then those of paths of Windows, of which a URL of a file may be one.
const SLASHES: [&[u8]; 5] = [b"/", b"\\/", b"%2f", b"\\\\", b"\\"];
const N_OF_URLS: usize = 3;

/// The schemes by which programs take over a URL that they load by HTTP: readers of feeds,
/// calendars, players of podcasts, and browsers.
const BY_HTTP: [&str; 8] =
    ["feed", "googlechrome", "googlechromes", "itpc", "pcast", "podcast", "webcal", "webcals"];

/// The scheme of a URL for an Android program, whose fragment gives the scheme of the data.
const INTENT: &str = "intent";

/// The length of a URL within which the fragment of an intent is searched for, in bytes.
const LONGEST_INTENT: usize = 4096;

/// The names of files in which a host alone is an old URL.
const HOST_FILES: [&str; 2] = ["CNAME", ".htaccess"];

/// The number of bytes by which text is distinguished from other data.
const HEAD: usize = 8000;

/// Finds the old URLs of a tree in text.
#[derive(Debug)]
pub struct StaleText {
    /// The scheme and the host of each old URL, the host in lower case, with and without `www.`.
    hosts: Vec<(String, String)>,
}

impl StaleText {
    /// Creates the search for absolute URLs of directories.
    pub fn new<'u>(urls: impl IntoIterator<Item = &'u str>) -> Self {
        let host = |url: &str| {
            let (scheme, rest) = url.split_once("://")?;
            let host = rest.split('/').next().filter(|host| !host.is_empty())?;
            Some((scheme.to_owned(), host.to_ascii_lowercase()))
        };
        let with_twin = |(scheme, host): (String, String)| {
            let other = other_host(&host);
            [(scheme.clone(), host), (scheme, other)]
        };
        let mut hosts: Vec<_> = urls.into_iter().filter_map(host).flat_map(with_twin).collect();
        hosts.sort_unstable();
        hosts.dedup();
        StaleText { hosts }
    }

    /// Calls `take` with the range and the URL of each text that may be an old URL. `name` is that
    /// of the file.
    pub fn find(&self, name: &str, bytes: &[u8], mut take: impl FnMut(Range<usize>, &str)) {
        if self.hosts.is_empty() || memchr::memchr(0, &bytes[..bytes.len().min(HEAD)]).is_some() {
            return;
        }
        let is_host_file = HOST_FILES.contains(&name);
        let mut lower = bytes.to_ascii_lowercase();
        if is_host_file {
            // In patterns, a dot is escaped.
            blank_backslashes(&mut lower);
        }
        for (scheme, host) in &self.hosts {
            for at in memmem::find_iter(&lower, host.as_bytes()) {
                let n_forms = if scheme == "file" { SLASHES.len() } else { N_OF_URLS };
                let slash = SLASHES[..n_forms].iter().find(|slash| {
                    let rest = lower[..at].strip_suffix(**slash);
                    rest.is_some_and(|rest| rest.ends_with(slash))
                });
                match slash {
                    Some(slash) => {
                        let start = at - 2 * slash.len();
                        let own = scheme_before(&lower[..start]);
                        let at_scheme = start - own.map_or(0, |(_, len)| len);
                        let scheme = match own {
                            Some((own, _)) if !is_loaded_by_http(own, &lower[at..]) => own,
                            _ => scheme,
                        };
                        let (rest, len) = written(&bytes[at..], slash);
                        take(at_scheme..at + len, &format!("{scheme}://{rest}"));
                    }
                    None if is_host_file && is_alone(&lower, at, host.len()) => {
                        take(at..at + host.len(), &format!("{scheme}://{host}/"));
                    }
                    None => {}
                }
            }
        }
    }
}

/// Returns true if a program loads a URL with this scheme, and with this text after its slashes, by
/// HTTP. Both are in lower case.
fn is_loaded_by_http(scheme: &str, rest: &[u8]) -> bool {
    if scheme != INTENT {
        return BY_HTTP.contains(&scheme);
    }
    let rest = &rest[..rest.len().min(LONGEST_INTENT)];
    let is_end = |byte: &u8| *byte <= b' ' || b"\"'`<>\\".contains(byte);
    let end = rest.iter().position(is_end).unwrap_or(rest.len());
    let Some(fragment) = memmem::find(&rest[..end], b"#intent;") else { return false };
    let parameters = rest[fragment..end].split(|byte| *byte == b';');
    let mut schemes = parameters.filter_map(|parameter| parameter.strip_prefix(b"scheme="));
    schemes.next().is_some_and(|scheme| matches!(scheme, b"http" | b"https"))
}

/// Returns the scheme at the end of a text, and its length with the colon.
fn scheme_before(text: &[u8]) -> Option<(&str, usize)> {
    let colon: &[u8] = if text.ends_with(b"%3a") { b"%3a" } else { b":" };
    let rest = text.strip_suffix(colon)?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let len = rest.iter().rev().take_while(|byte| is_part(byte)).count();
    let scheme = std::str::from_utf8(&rest[rest.len() - len..]).ok()?;
    scheme
        .starts_with(|char: char| char.is_ascii_alphabetic())
        .then_some((scheme, len + colon.len()))
}

/// Moves the backslash of `\.` behind the dot, and the rest of the host with it: `a\.b` becomes
/// `a.b`, with a blank at its end, so that offsets before it stay.
fn blank_backslashes(text: &mut [u8]) {
    for line in text.split_mut(|byte| *byte == b'\n') {
        for word in line.split_mut(|byte| byte.is_ascii_whitespace()) {
            let mut kept = 0;
            for at in 0..word.len() {
                if word[at] == b'\\' && word.get(at + 1) == Some(&b'.') {
                    continue;
                }
                word[kept] = word[at];
                kept += 1;
            }
            word[kept..].fill(b' ');
        }
    }
}

/// Returns the host and path at the start of a text, with plain slashes, and their length there.
fn written(text: &[u8], slash: &[u8]) -> (String, usize) {
    let mut url = String::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.len() >= slash.len() && rest[..slash.len()].eq_ignore_ascii_case(slash) {
            url.push('/');
            at += slash.len();
            continue;
        }
        let byte = rest[0];
        if byte <= b' ' || !byte.is_ascii() || b"\"'`<>()[]{}|\\^,;$*".contains(&byte) {
            break;
        }
        url.push(char::from(byte));
        at += 1;
    }
    (url, at)
}

/// Returns true if neither the byte before a text nor the one after it can be part of a host.
fn is_alone(text: &[u8], at: usize, len: usize) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-.".contains(byte);
    let before = at.checked_sub(1).and_then(|at| text.get(at));
    !before.is_some_and(is_part) && !text.get(at + len).is_some_and(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        let stale = StaleText::new(["http://old.example/s/"]);
        stale.find(name, text.as_bytes(), |span, url| found.push((span.start, url.to_owned())));
        found
    }

    #[test]
    fn urls_in_text() {
        for (text, at, url) in [
            ("x='http://old.example/s/a'", 3, "http://old.example/s/a"),
            ("x='FTP://old.example/s/a'", 3, "ftp://old.example/s/a"),
            ("//OLD.example/s?x", 0, "http://OLD.example/s?x"),
            ("https://www.old.example/s/", 0, "https://www.old.example/s/"),
            (r#"{"u":"http:\/\/old.example\/s\/a"}"#, 6, "http://old.example/s/a"),
            ("feed://old.example/s/a", 0, "http://old.example/s/a"),
            ("webcal:\\/\\/old.example\\/s", 0, "http://old.example/s"),
            ("intent://old.example/s#Intent;scheme=https;end", 0, "http://old.example/s#Intent"),
            // Other services of the host.
            ("irc://old.example/s", 0, "irc://old.example/s"),
            ("intent://old.example/s#Intent;scheme=app;end", 0, "intent://old.example/s#Intent"),
            ("intent://old.example/s", 0, "intent://old.example/s"),
            ("?u=http%3A%2F%2Fold.example%2Fs%2Fa&b", 3, "http://old.example/s/a&b"),
        ] {
            assert_eq!(found("a.js", text), [(at, url.to_owned())], "{text}");
        }
        for text in
            ["old.example", "mail@old.example", "/old.example/", "//cold.example/", "//old.\0"]
        {
            assert_eq!(found("a.js", text), [], "{text}");
        }
    }

    #[test]
    fn hosts_in_files_of_servers() {
        let url = || "http://old.example/".to_owned();
        assert_eq!(found("CNAME", "old.example\n"), [(0, url())]);
        assert_eq!(
            found(".htaccess", "RewriteCond %{HTTP_HOST} ^old\\.example$ [NC]\n"),
            [(26, url())]
        );
        let other = || "http://www.old.example/".to_owned();
        assert_eq!(found("CNAME", "www.old.example\n"), [(0, other())]);
        assert_eq!(found("CNAME", "my.old.example\n"), []);
        assert_eq!(found("x.txt", "old.example\n"), []);
    }
}
