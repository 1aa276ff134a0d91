//! The spelling in which URLs of resources are compared, and what follows from it.

use std::borrow::Cow;

use urlcore::escape::percent_decode;
use urlcore::{Dialect, Normalization, normalize};

use crate::os::digest::{Short, short};
use crate::urls::twins::{host_of, without_www};

/// Returns a URL in the spelling in which URLs of resources are compared: without fragment,
/// normalized; that of a part without escapes (RFC 2392, section 2).
pub(crate) fn key(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    if is_in_that_spelling(url) { url.to_owned() } else { respelled(url) }
}

/// Returns a URL without a fragment in that spelling.
fn respelled(url: &str) -> String {
    if let Some((scheme, id)) = url.split_once(':')
        && ["cid", "mid"].iter().any(|name| scheme.eq_ignore_ascii_case(name))
    {
        let id = percent_decode(id);
        return format!("{}:{}", scheme.to_ascii_lowercase(), String::from_utf8_lossy(&id));
    }
    let url = normalize(url, Dialect::Web, Normalization::Scheme);
    // Hosts in the spelling in which browsers request them.
    let url = match rewrite::site(&url) {
        Some((site, rest)) if !url.starts_with(&*site) => format!("{site}{rest}"),
        _ => url,
    };
    // Escapes of characters that need none, and an empty query, make no other resource.
    let mut url = normalize(&url, Dialect::Rfc3986, Normalization::Syntax);
    if url.ends_with('?') {
        url.pop();
    }
    // Browsers and other programs disagree which of these are escaped.
    if url.bytes().any(|byte| ESCAPED.contains(&byte)) {
        let query = url.find('?').unwrap_or(url.len());
        let mut escaped = String::with_capacity(url.len() + 8);
        for (at, letter) in url.char_indices() {
            match u8::try_from(letter).ok().filter(|byte| ESCAPED.contains(byte)) {
                // In a path, a browser leaves an apostrophe as it is.
                Some(byte) if byte != b'\'' || at > query => {
                    escaped.push_str(&format!("%{byte:02X}"));
                }
                _ => escaped.push(letter),
            }
        }
        url = escaped;
    }
    url
}

/// Returns the host of a URL that has no other spelling, whatever the rest is, and what follows the
/// slash after it; `None` where that is not seen at once.
fn spelled_host(url: &str) -> Option<(&str, &str)> {
    let rest = url.strip_prefix("https://").or(url.strip_prefix("http://"))?;
    let (host, path) = rest.split_once('/')?;
    let is_host =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte);
    // A number at the end is an address, and other characters are written with `--`.
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_spelled = last.starts_with(|char: char| char.is_ascii_lowercase())
        && host.bytes().all(is_host)
        && !host.contains("--");
    is_spelled.then_some((host, path))
}

/// Returns true for URLs that are their own [`key`] at first sight, which most are: nothing in them
/// has another spelling.
fn is_in_that_spelling(url: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_~/".contains(&byte);
    let Some((_, path)) = spelled_host(url) else { return false };
    let (path, query) = path.split_once('?').unwrap_or((path, "-"));
    path.bytes().all(|byte| is_plain(byte) || byte == b'.')
        && !path.starts_with('.')
        && !path.contains("/.")
        && !query.is_empty()
        && query.bytes().all(|byte| is_plain(byte) || b".=&".contains(&byte))
}

/// Returns what the host of a URL and those of its twins have in common; `None` if it has none.
pub(super) fn host(url: &str) -> Option<Cow<'_, str>> {
    let spelled = spelled_host(url).map(|(host, _)| without_www(host).into());
    spelled.or_else(|| host_of(&key(url)).map(Cow::Owned))
}

/// Returns the same, given a function to the [`key`] of the URL; `None` too for a host that may
/// have other spellings.
pub(crate) fn plain_host<'u, 'k>(
    url: &'u str,
    key: impl FnOnce() -> &'k str,
) -> Option<Cow<'u, str>> {
    // A URL is read as a whole for its host only if it has to be.
    if let Some((host, _)) = spelled_host(url) {
        return Some(without_www(host).into());
    }
    let is_plain = |host: &String| {
        let (name, port) = host.split_once(':').unwrap_or((host, "1"));
        let is_name =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._".contains(&byte);
        !name.is_empty()
            && name.bytes().all(is_name)
            && !name.ends_with('.')
            && port.bytes().all(|byte| byte.is_ascii_digit())
    };
    let host = host_of(key()).filter(is_plain).filter(|host| host_of(url).as_ref() == Some(host));
    host.map(Cow::Owned)
}

/// Characters that are escaped in the URLs that are compared.
const ESCAPED: &[u8] = b"'^`{|}";

/// Returns the identifier of a URL: the hash of its [`key`].
pub(crate) fn id(url: &str) -> Short {
    short(key(url).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::urls::twins::twins;

    #[test]
    fn urls_are_compared_in_one_spelling() {
        for (url, expected) in [
            ("http://H.example:80/a/../b?c#d", "http://h.example/b?c"),
            ("http://h.example/%7ea%2f?#", "http://h.example/~a%2F"),
            ("http://h/a|b'^?x={'y'}", "http://h/a%7Cb'%5E?x=%7B%27y%27%7D"),
            ("http://h/a%7cb'%5e?x=%7b%27y%27%7d", "http://h/a%7Cb'%5E?x=%7B%27y%27%7D"),
            ("http://b\u{fc}cher.example/", "http://xn--bcher-kva.example/"),
            ("http://127.1/", "http://127.0.0.1/"),
            ("CID:a%40b@c", "cid:a@b@c"),
            ("mid:a@b/c%20d", "mid:a@b/c d"),
        ] {
            assert_eq!(key(url), expected);
        }
    }

    #[test]
    fn what_seems_to_be_in_that_spelling_is() {
        let hosts =
            ["h", "www.h2.example", "a-b.c", "h.", ".h", "a..b", "-.h", "1.h", "h.1", "0x7f"];
        let paths =
            ["", "a", "a//b", "a/../b", ".a", "a.b/~c_d-", "a/.b", "a/..", "A", "%41", "a'"];
        let queries = ["", "?", "?a=b&c=/../d", "?a?b", "?A=%41", "?a'", "?.", "?a=~-_"];
        let mut n_seeming = 0;
        for scheme in ["http", "https", "HTTP", "ftp", "cid"] {
            for (host, path) in hosts.iter().flat_map(|host| paths.map(|path| (host, path))) {
                for query in queries {
                    let url = format!("{scheme}://{host}/{path}{query}");
                    if is_in_that_spelling(&url) {
                        n_seeming += 1;
                        assert_eq!(respelled(&url), url);
                    }
                }
            }
        }
        assert!(n_seeming > 100, "{n_seeming}");
    }

    #[test]
    fn what_seems_to_be_a_host_is_one() {
        let hosts = ["h", "www.h2.example", "www.www.h", "a-b.c", "H", "h.", ".h", "1.h", "h.1"];
        let rests =
            ["", "/", "/a@b/c", "\\@b/", "/\t", "/%2f:80", "/ \u{fc}", "?b", "#b", ":80/", "@b/"];
        let mut n_seeming = 0;
        for scheme in ["http:", "https:", "HTTP:", "ftp:", "http:\t"] {
            for (host, rest) in hosts.iter().flat_map(|host| rests.map(|rest| (host, rest))) {
                let url = format!("{scheme}//{host}{rest}");
                let Some((host, _)) = spelled_host(&url) else { continue };
                n_seeming += 1;
                assert_eq!(host_of(&url).as_deref(), Some(without_www(host)), "{url}");
                assert_eq!(host_of(&key(&url)).as_deref(), Some(without_www(host)), "{url}");
            }
        }
        assert_eq!(n_seeming, 2 * 6 * 5);
    }

    #[test]
    fn one_resource_has_one_host_in_all_spellings() {
        let hosts = ["h.example", "H.Example", "h.example.", "www.h.example", "h%2Eexample"];
        let others = ["b\u{fc}cher.example", "xn--bcher-kva.example", "127.1", "[::1]", "[0::1]"];
        let hosts: Vec<&str> = hosts.into_iter().chain(others).chain(["h..", "a b", ""]).collect();
        let mut n_hosts = 0;
        for scheme in ["http", "https", "HTTPS", "ftp"] {
            for (host, port) in hosts
                .iter()
                .flat_map(|host| ["", ":", ":80", ":443", ":8080", ":x"].map(|port| (host, port)))
            {
                for (user, slashes, path) in
                    [("", "//", "/a"), ("u:p@", "//", "/a"), ("", "\\\\", "\\a"), ("", "/", "?b")]
                {
                    let url = format!("{scheme}:{slashes}{user}{host}{port}{path}");
                    let key_of_it = key(&url);
                    let Some(host) = plain_host(&url, || &key_of_it) else { continue };
                    n_hosts += 1;
                    for twin in twins(&url) {
                        assert_eq!(host_of(&key(&twin)).as_deref(), Some(&*host), "{url}, {twin}");
                    }
                }
            }
        }
        assert!(n_hosts > 100, "{n_hosts}");
    }
}
