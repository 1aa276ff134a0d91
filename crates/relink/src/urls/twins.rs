//! The URLs at which sites have the same resources: with the other one of `http` and `https`, with
//! or without `www.`.

/// Returns the twins of a URL, the most similar one first; none for URLs of other schemes. Ports
/// that are the default of either scheme do not count, nor does a dot at the end of the host.
pub(crate) fn twins(url: &str) -> impl Iterator<Item = String> {
    let parts = rewrite::site(url).and_then(|(site, rest)| {
        let (is_secure, server) = server(&site)?;
        let host = plain(server);
        Some((is_secure, host.to_owned(), host.len() < server.len(), rest))
    });
    parts.into_iter().flat_map(|(is_secure, host, is_longer, rest)| {
        let other = other_host(&host);
        let url = move |is_secure: bool, host: &str| {
            format!("{}://{host}{rest}", if is_secure { "https" } else { "http" })
        };
        let same = is_longer.then(|| url(is_secure, &host));
        let others = [url(!is_secure, &host), url(is_secure, &other), url(!is_secure, &other)];
        same.into_iter().chain(others)
    })
}

/// Returns a host with `www.`, or without it if it has that.
pub(crate) fn other_host(host: &str) -> String {
    match host.strip_prefix("www.") {
        Some(other) => other.to_owned(),
        None => format!("www.{host}"),
    }
}

/// Returns what all twins of a URL have in common: their host without `www.`, and its port.
pub(crate) fn host_of(url: &str) -> Option<String> {
    let (site, _) = rewrite::site(url)?;
    Some(without_www(plain(server(&site)?.1)).to_owned())
}

/// Returns a host without `www.` before it.
pub(crate) fn without_www(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

/// Returns true for `https` and false for `http`, with the host and its port.
fn server(site: &str) -> Option<(bool, &str)> {
    let (scheme, server) = site.split_once("://")?;
    match scheme {
        "http" => Some((false, server)),
        "https" => Some((true, server)),
        _ => None,
    }
}

/// Returns a host without a default port and a dot at its end.
fn plain(server: &str) -> &str {
    let host = server.strip_suffix(":80").or(server.strip_suffix(":443")).unwrap_or(server);
    host.strip_suffix('.').unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twins_differ_in_scheme_and_in_www() {
        for (url, expected) in [
            (
                "http://h.example/a?b#c",
                &[
                    "https://h.example/a?b#c",
                    "http://www.h.example/a?b#c",
                    "https://www.h.example/a?b#c",
                ][..],
            ),
            (
                "https://www.h.example:8080/",
                &[
                    "http://www.h.example:8080/",
                    "https://h.example:8080/",
                    "http://h.example:8080/",
                ],
            ),
            ("https://h:80/", &["https://h/", "http://h/", "https://www.h/", "http://www.h/"]),
            ("http://h./", &["http://h/", "https://h/", "http://www.h/", "https://www.h/"]),
            ("ftp://h/", &[]),
            ("mailto:a@b", &[]),
            ("x", &[]),
        ] {
            assert_eq!(twins(url).collect::<Vec<_>>(), expected, "{url}");
        }
    }

    #[test]
    fn twins_have_the_same_host() {
        for url in ["http://h.example/a", "https://WWW.h.example:443/", "http://h.example.:80"] {
            assert_eq!(host_of(url).as_deref(), Some("h.example"), "{url}");
        }
        assert_eq!(host_of("https://h:8080/").as_deref(), Some("h:8080"));
        assert_eq!(host_of("ftp://h/"), None);
    }
}
