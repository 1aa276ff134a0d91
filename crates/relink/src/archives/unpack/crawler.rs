//! Records in which programs that save sites keep what they found out: screenshots, texts and
//! structures of pages, lists of what a page loaded, and name lookups. They are apart from the
//! site.

use std::borrow::Cow;

use urlcore::escape::percent_decode;

/// Schemes of URLs that are never those of pages. Browsertrix and ArchiveWeb.page use `urn`,
/// Brozzler `screenshot` and `thumbnail`, warcprox and wpull `metadata` and `urn`, Heritrix `dns`
/// and `whois`.
const SCHEMES: [&str; 8] =
    ["urn", "dns", "whois", "metadata", "screenshot", "thumbnail", "onreadydom", "filedesc"];

/// The start of the URL of a page.
const PAGES: [&str; 2] = ["http://", "https://"];

/// Returns true if a URL is that of a record of such a program: it has a scheme of its own, or one
/// before the URL of a page. `blob:` and `view-source:` are schemes of browsers.
pub(crate) fn is_record(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once(':') else { return false };
    let is = |name: &&str| scheme.eq_ignore_ascii_case(name);
    SCHEMES.iter().any(is)
        || (PAGES.iter().any(|page| rest.starts_with(page))
            && !["blob", "view-source", "filesystem"].iter().any(is))
}

/// Returns the URL of the page that such a record is about.
pub(crate) fn page_of(url: &str) -> Option<Cow<'_, str>> {
    if let Some((_, page)) = url.split_once("url=") {
        let page = String::from_utf8(percent_decode(page).into_owned()).ok()?;
        return PAGES.iter().any(|start| page.starts_with(start)).then_some(page.into());
    }
    let at = PAGES.iter().filter_map(|start| url.find(start)).min()?;
    Some(url[at..].into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_programs_are_recognized() {
        for (url, page) in [
            ("urn:view:https://a.example/", Some("https://a.example/")),
            ("urn:pageinfo:http://a.example/?u=https://b/", Some("http://a.example/?u=https://b/")),
            ("URN:X-wpull:snapshot?url=https%3A%2F%2Fa.example%2F", Some("https://a.example/")),
            ("screenshot:https://a.example/", Some("https://a.example/")),
            ("dom-snapshot:https://a.example/", Some("https://a.example/")),
            ("metadata://gnu.org/software/wget/warc/MANIFEST.txt", None),
            ("dns:a.example", None),
        ] {
            assert!(is_record(url), "{url}");
            assert_eq!(page_of(url).as_deref(), page, "{url}");
        }
        for url in [
            "http://a.example/",
            "https://a.example/?u=https://b/",
            "ftp://a.example/urn:x",
            "blob:https://a.example/1",
            "www.a.example/x",
            "data:,x",
        ] {
            assert!(!is_record(url), "{url}");
        }
    }
}
