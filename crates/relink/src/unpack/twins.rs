//! The URLs at which sites have the same resources: with the other one of `http` and `https`, with
//! or without `www.`.

/// Returns the twins of a URL, the most similar one first; none for URLs of other schemes. Ports
/// that are the default of either scheme do not count.
pub(crate) fn twins(url: &str) -> impl Iterator<Item = String> {
    let parts = rewrite::site(url).and_then(|(site, rest)| {
        let (scheme, server) = site.split_once("://")?;
        let is_secure = match scheme {
            "http" => false,
            "https" => true,
            _ => return None,
        };
        let host = server.strip_suffix(":80").or(server.strip_suffix(":443")).unwrap_or(server);
        Some((is_secure, host.to_owned(), host.len() < server.len(), rest))
    });
    parts.into_iter().flat_map(|(is_secure, host, has_port, rest)| {
        let other = match host.strip_prefix("www.") {
            Some(other) => other.to_owned(),
            None => format!("www.{host}"),
        };
        let url = move |is_secure: bool, host: &str| {
            format!("{}://{host}{rest}", if is_secure { "https" } else { "http" })
        };
        let same = has_port.then(|| url(is_secure, &host));
        let others = [url(!is_secure, &host), url(is_secure, &other), url(!is_secure, &other)];
        same.into_iter().chain(others)
    })
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
            ("ftp://h/", &[]),
            ("mailto:a@b", &[]),
            ("x", &[]),
        ] {
            assert_eq!(twins(url).collect::<Vec<_>>(), expected, "{url}");
        }
    }
}
