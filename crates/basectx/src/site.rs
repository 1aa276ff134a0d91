//! Scheme and authority of a URL, in one spelling for all that browsers take for the same.
//!
//! Of the schemes that browsers treat specially, hosts are compared as the host parser of the URL
//! Standard reads them (section 3.5): `bücher.example`, `BÜCHER.example`, `b%C3%BCcher.example` and
//! `xn--bcher-kva.example` are one host, and so are `127.1` and `127.0.0.1`. Hosts that are none
//! are equal only if their bytes are. `h.` is not `h`.

use std::borrow::Cow;

use url::Host;
use urlcore::{Dialect, origin_prefix};

/// Returns the scheme and the authority of an absolute URL in one spelling for all that browsers
/// take for the same, and the rest of the URL. Returns `None` for a relative reference.
///
/// # Examples
///
/// ```
/// let site = |url| basectx::site(url).map(|(site, _)| site);
/// assert_eq!(site("http://B\u{DC}CHER.example/x"), site("http://xn--bcher-kva.example:80/"));
/// assert_eq!(site("http://b%C3%BCcher.example/"), site("http://b\u{FC}cher.example/"));
/// assert_eq!(site("http://@h\u{AD}.example./"), Some("http://h.example.".to_owned()));
/// assert_ne!(site("http://stra\u{DF}e.example/"), site("http://strasse.example/"));
/// ```
pub fn site(url: &str) -> Option<(String, &str)> {
    let (site, rest) = origin_prefix(url, Dialect::Web)?;
    match in_ascii(&site) {
        Cow::Borrowed(_) => Some((site, rest)),
        Cow::Owned(site) => Some((site, rest)),
    }
}

/// Returns a URL with its host as browsers request it: in ASCII.
pub fn with_ascii_host(url: &str) -> Cow<'_, str> {
    let Some((site, rest)) = origin_prefix(url, Dialect::Web) else { return Cow::Borrowed(url) };
    if site.is_ascii() && !site.contains('%') {
        Cow::Borrowed(url)
    } else {
        Cow::Owned(format!("{}{rest}", in_ascii(&site)))
    }
}

/// Returns a site, as [`origin_prefix`] returns it, with its host in ASCII.
fn in_ascii(site: &str) -> Cow<'_, str> {
    let Some((scheme, authority)) = site.split_once("://") else { return Cow::Borrowed(site) };
    if !matches!(scheme, "http" | "https" | "ftp" | "ws" | "wss") || is_plain(authority) {
        return Cow::Borrowed(site);
    }
    let (user, server) = authority.rsplit_once('@').unwrap_or(("", authority));
    // An empty password is none (section 4.5, "URL serializing").
    let user = match user.split_once(':') {
        Some((name, "")) => name,
        _ => user,
    };
    let (host, port) = match server.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
        _ => (server, ""),
    };
    let Ok(host) = Host::parse(host) else { return Cow::Borrowed(site) };
    let mut ascii = format!("{scheme}://");
    if !user.is_empty() {
        ascii.push_str(user);
        ascii.push('@');
    }
    ascii.push_str(&host.to_string());
    if !port.is_empty() {
        ascii.push(':');
        ascii.push_str(port);
    }
    Cow::Owned(ascii)
}

/// Returns true if an authority is written as the host parser would return it: most are.
fn is_plain(authority: &str) -> bool {
    let is_part =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.:".contains(&byte);
    // The host parser reads a number as an address, and checks what `xn--` begins.
    let last = authority.split(':').next().unwrap_or_default().trim_end_matches('.');
    let last = last.rsplit('.').next().unwrap_or_default();
    authority.bytes().all(is_part)
        && !last.starts_with(|char: char| char.is_ascii_digit())
        && !authority.contains("xn--")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_browsers_take_for_the_same() {
        let same = |a: &str, b: &str| {
            let of = |host: &str| site(&format!("http://{host}/")).unwrap().0;
            of(a) == of(b)
        };
        for [a, b] in [
            ["b\u{FC}cher.example", "xn--bcher-kva.example"],
            ["B\u{DC}CHER.example", "b%C3%BCcher.example"],
            ["h%2eexample", "h.example"],
            ["h\u{FF0E}example", "h.example"],
            ["h\u{3002}example", "h.example"],
            ["@h.example", "h.example"],
            [":@h.example", "h.example"],
            ["u:@h.example", "u@h.example"],
            ["h\u{AD}.example:80", "h.example"],
            ["127.1", "127.0.0.1"],
            ["0x7f.1", "127.0.0.1"],
            ["u@b\u{FC}cher.example:8080", "u@xn--bcher-kva.example:8080"],
        ] {
            assert!(same(a, b), "{a} {b}");
        }
        for [a, b] in [
            ["stra\u{DF}e.example", "strasse.example"],
            ["h.example.", "h.example"],
            ["h.example:8080", "h.example"],
            ["u@h.example", "h.example"],
            [":p@h.example", "h.example"],
            ["u:p:@h.example", "u:p@h.example"],
            ["a_b", "a-b"],
            ["h^", "h"],
        ] {
            assert!(!same(a, b), "{a} {b}");
        }
        // Only in these schemes hosts are domains.
        assert_ne!(site("x://b\u{FC}/"), site("x://xn--b-jga/"));
    }

    #[test]
    fn hosts_are_written_as_they_are_requested() {
        let written = with_ascii_host("http://b\u{FC}cher.example/\u{FC}?q");
        assert_eq!(written, "http://xn--bcher-kva.example/\u{FC}?q");
        assert_eq!(with_ascii_host("http://b%C3%BCcher.example/"), "http://xn--bcher-kva.example/");
        assert_eq!(with_ascii_host("HTTP://H.example/"), "HTTP://H.example/");
    }
}
