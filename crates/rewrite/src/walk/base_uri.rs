//! Whether a security policy allows a `<base>` (CSP 3, section 6.3.1, "base-uri"): browsers ignore
//! one that it does not allow.

use basectx::site;

/// Returns true if a security policy of a document allows a base URL.
pub(super) fn allows(policy: &str, base: &str, document: Option<&str>) -> bool {
    policy.split(',').all(|policy| {
        let directives = policy.split(';').map(str::split_ascii_whitespace);
        let mut sources = directives.filter_map(|mut words| {
            words.next().is_some_and(|name| name.eq_ignore_ascii_case("base-uri")).then_some(words)
        });
        let sources = sources.next();
        sources.is_none_or(|mut sources| sources.any(|source| is_in(source, base, document)))
    })
}

/// Returns true if a source of a directive matches a URL (CSP 3, section 6.7.2.8).
fn is_in(source: &str, url: &str, document: Option<&str>) -> bool {
    let (origin, path) = origin_of(url);
    let (scheme, authority) = parts(&origin);
    let own = document.map(|document| origin_of(document).0);
    let own = own.as_deref().map(parts);
    let is_own_scheme = || own.is_none_or(|(own, _)| includes(own, scheme));
    if source.eq_ignore_ascii_case("'self'") {
        return is_own_scheme() && own.is_none_or(|(_, own)| own == authority);
    }
    if source == "*" {
        return matches!(scheme, "http" | "https" | "ws" | "wss") || is_own_scheme();
    }
    if source.starts_with('\'') {
        return false;
    }
    if let Some(source) = source.strip_suffix(':') {
        return includes(source, scheme);
    }
    let (source_scheme, source) = match source.split_once("://") {
        Some((scheme, source)) => (Some(scheme), source),
        None => (None, source),
    };
    let is_scheme = source_scheme.map_or_else(is_own_scheme, |source| includes(source, scheme));
    let (source, source_path) = source.split_at(source.find('/').unwrap_or(source.len()));
    is_scheme && is_authority(source, authority) && is_path(source_path, path)
}

/// Returns the site of a URL and the rest of it. All files have one.
fn origin_of(url: &str) -> (String, &str) {
    site(url).unwrap_or_else(|| {
        let (scheme, rest) = url.split_once(':').unwrap_or((url, ""));
        (scheme.to_ascii_lowercase(), rest)
    })
}

/// Returns the scheme and the authority of a site.
fn parts(site: &str) -> (&str, &str) {
    site.split_once("://").unwrap_or((site, ""))
}

/// Returns true if a scheme in a policy includes that of a URL: `http` includes `https` (CSP 3,
/// section 6.7.2.9).
fn includes(source: &str, scheme: &str) -> bool {
    source.eq_ignore_ascii_case(scheme)
        || (source.eq_ignore_ascii_case("http") && scheme == "https")
}

/// Returns true if the host and the port in a policy match those of a URL, which has no port if it
/// is that of the scheme (CSP 3, sections 6.7.2.10 and 6.7.2.11).
fn is_authority(source: &str, authority: &str) -> bool {
    let split = |text: &str| match text.rsplit_once(':') {
        Some((host, port)) => (host.to_ascii_lowercase(), port.to_owned()),
        None => (text.to_ascii_lowercase(), String::new()),
    };
    let ((source, source_port), (host, port)) = (split(source), split(authority));
    let is_host = match source.strip_prefix('*') {
        Some("") => true,
        Some(end) => host.ends_with(end) && end.starts_with('.'),
        None => source == host,
    };
    let is_default = port.is_empty() && matches!(&*source_port, "80" | "443");
    is_host && (source_port == port || source_port == "*" || is_default)
}

/// Returns true if the path in a policy matches that of a URL (CSP 3, section 6.7.2.12).
fn is_path(source: &str, path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    match source {
        "" | "/" => true,
        source if source.ends_with('/') => path.starts_with(source),
        source => path == source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_allow_sources() {
        let allows = |sources: &str, base: &str| {
            let policy = format!("default-src 'none'; BASE-URI {sources};base-uri *");
            allows(&policy, base, Some("http://h/p/x.html"))
        };
        for (sources, base) in [
            ("'self'", "http://h/d/"),
            ("'SELF'", "https://h/d/"),
            ("*", "https://other/"),
            ("https:", "https://other/"),
            ("h", "http://h/d/"),
            ("x 'none' H:80", "http://h/d/"),
            ("http://h/d/", "http://h/d/e"),
            ("*.h", "http://a.h/"),
            ("other:*/d/e", "http://other:81/d/e?q"),
        ] {
            assert!(allows(sources, base), "{sources} {base}");
        }
        for (sources, base) in [
            ("", "http://h/d/"),
            ("'none'", "http://h/d/"),
            ("'self'", "http://h:81/d/"),
            ("'self'", "http://other/d/"),
            ("https:", "http://h/d/"),
            ("*.h", "http://h/"),
            ("https://h", "http://h/"),
            ("h/d", "http://h/d/"),
            ("'nonce-x' 'sha256-x'", "http://h/"),
        ] {
            assert!(!allows(sources, base), "{sources} {base}");
        }
        assert!(super::allows("base-uri 'self'", "file:///a/", Some("file:///b/c.html")));
        assert!(super::allows("default-src 'none'", "http://other/", None));
        assert!(!super::allows("img-src *, base-uri 'none'", "http://h/", None));
    }
}
