//! The URL that a program fetches for a target.

use urlcore::escape::ascii_web;
use urlcore::{Dialect, origin_prefix};

/// The schemes of URLs that can be fetched.
const SCHEMES: [&str; 3] = ["http:", "https:", "ftp:"];

/// Returns the URL that a client requests for a target: without the fragment, in ASCII, with scheme
/// and host in their normal form.
pub(crate) fn fetched(target: &str) -> Option<String> {
    let start = target.get(..target.find(':')? + 1)?;
    if !SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(start)) {
        return None;
    }
    let url = ascii_web(target.split('#').next().unwrap_or_default());
    let (mut site, rest) = origin_prefix(&url, Dialect::Web)?;
    if !rest.starts_with('/') {
        site.push('/');
    }
    site.push_str(rest);
    Some(site)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fetched() {
        for (target, url) in [
            ("http://h", Some("http://h/")),
            ("HTTP://H.Example:80/A?b#c", Some("http://h.example/A?b")),
            ("https://h?x", Some("https://h/?x")),
            ("ftp://u@h:2121/a b", Some("ftp://u@h:2121/a%20b")),
            ("http://h/\u{E9}", Some("http://h/%C3%A9")),
            ("mailto:u@h", None),
            ("urn:x:y", None),
            ("file:///x", None),
            ("", None),
        ] {
            assert_eq!(fetched(target).as_deref(), url, "{target}");
        }
    }
}
