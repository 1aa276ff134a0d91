//! URLs in the web archive: a timestamp, and the URL that was archived.
//!
//! `https://web.archive.org/web/20200102030405im_/http://h/x`: up to fourteen digits, or `*`, then
//! a modifier of letters and `_` that selects how the response is rewritten (help.archive.org,
//! "Using The Wayback Machine"; the same in pywb's "Rewriter Configuration").

use urlcore::{Dialect, origin_prefix, resolve_without_base};

/// The hosts of the archive.
const HOSTS: [&str; 3] = ["web.archive.org", "wayback.archive.org", "www.web.archive.org"];

/// The maximum number of times that a URL may have been archived: deeper URLs are not unwrapped, as
/// each round reads the whole rest.
const DEEPEST: usize = 8;

/// Returns the archived URL if `url` is a URL in the archive. A fragment belongs to it.
///
/// The archive accepts URLs without a scheme, and with one slash instead of two, as users type
/// them.
///
/// # Examples
///
/// ```
/// let url = "https://web.archive.org/web/20200102030405im_/http://h.example/i.png";
/// assert_eq!(relink_rewrite::unarchived(url).as_deref(), Some("http://h.example/i.png"));
/// assert_eq!(relink_rewrite::unarchived("http://h.example/i.png"), None);
/// ```
pub fn unwrapped(url: &str) -> Option<String> {
    let mut inner: Option<String> = None;
    // An archived URL may itself be a URL in the archive; each is shorter than the one around it.
    for _ in 0..DEEPEST {
        let Some(next) = once(inner.as_deref().unwrap_or(url)) else { return inner };
        inner = Some(next);
    }
    match inner.as_deref().and_then(once) {
        Some(_) => None,
        None => inner,
    }
}

fn once(url: &str) -> Option<String> {
    let (site, rest) = origin_prefix(url, Dialect::Web)?;
    let host = site.strip_prefix("https://").or(site.strip_prefix("http://"))?;
    if !HOSTS.contains(&host) {
        return None;
    }
    let (moment, inner) = rest.strip_prefix("/web/")?.split_once('/')?;
    if !is_moment(moment) || inner.is_empty() {
        return None;
    }
    let inner = with_scheme(inner)?;
    let mut spelled = String::new();
    resolve_without_base(&inner, Dialect::Web, &mut spelled).ok()?;
    // Only a shorter result guarantees that the loop above ends.
    (spelled.len() < url.len()).then_some(spelled)
}

/// Returns true if a segment is a timestamp: `2020`, `20200102030405`, `20200102030405if_`, `*`.
fn is_moment(segment: &str) -> bool {
    let mark = segment.trim_start_matches(|char: char| char.is_ascii_digit());
    let n_digits = segment.len() - mark.len();
    let is_mark = mark.is_empty()
        || mark.strip_suffix('_').is_some_and(|name| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase())
        });
    segment == "*" || ((1..=14).contains(&n_digits) && is_mark)
}

/// Returns the archived URL with its scheme completed.
fn with_scheme(inner: &str) -> Option<String> {
    let end = inner.find(|char: char| !char.is_ascii_alphanumeric() && !"+-.".contains(char));
    let (scheme, rest) = inner.split_at(end.unwrap_or(inner.len()));
    match rest.strip_prefix(':') {
        // `host:8080/x`
        Some(port) if port.starts_with(|char: char| char.is_ascii_digit()) => {
            Some(format!("http://{inner}"))
        }
        Some(rest) => {
            if ["http", "https", "ftp"].iter().any(|name| scheme.eq_ignore_ascii_case(name)) {
                Some(format!("{scheme}://{}", rest.trim_start_matches('/')))
            } else {
                None
            }
        }
        None if scheme.contains('.') => Some(format!("http://{inner}")),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_come_out_of_the_archive() {
        for (url, inner) in [
            ("https://web.archive.org/web/20200102030405/http://h/x?a#b", Some("http://h/x?a#b")),
            (
                "http://web.archive.org/web/20200102030405im_/https://h/i.png",
                Some("https://h/i.png"),
            ),
            ("https://WEB.archive.org:443/web/2020/h.example/x", Some("http://h.example/x")),
            ("https://web.archive.org/web/*/http://h/", Some("http://h/")),
            ("https://web.archive.org/web/2020id_/http:/h/x", Some("http://h/x")),
            ("https://web.archive.org/web/2020/h.example:8080/x", Some("http://h.example:8080/x")),
            (
                "https://web.archive.org/web/2020/https://web.archive.org/web/1999/http://h/",
                Some("http://h/"),
            ),
            ("https://web.archive.org/web/2020/ftp://h/x", Some("ftp://h/x")),
            ("https://web.archive.org/web/2020/", None),
            ("https://web.archive.org/web/http://h/", None),
            ("https://web.archive.org/web/20200102030405IM_/http://h/", None),
            ("https://web.archive.org/web/202001020304056/http://h/", None),
            ("https://web.archive.org/web/2020/mailto:u@h", None),
            ("https://web.archive.org/save/http://h/", None),
            ("https://archive.org/web/2020/http://h/", None),
            ("ftp://web.archive.org/web/2020/http://h/", None),
            ("/web/2020/http://h/", None),
        ] {
            assert_eq!(unwrapped(url).as_deref(), inner, "{url}");
        }
    }

    #[test]
    fn what_is_archived_too_often_stays() {
        let archived = |n| format!("{}http://h/x", "https://web.archive.org/web/2020/".repeat(n));
        assert_eq!(unwrapped(&archived(DEEPEST)).as_deref(), Some("http://h/x"));
        assert_eq!(unwrapped(&archived(DEEPEST + 1)), None);
        assert_eq!(unwrapped(&archived(20_000)), None);
    }
}
