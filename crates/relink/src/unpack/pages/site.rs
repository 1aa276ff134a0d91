//! The page of unpacked web archives: their pages by host, to be searched without a server.

use std::collections::BTreeMap;
use std::path::Path;

use super::{href, start};
use crate::digest;
use crate::markup::escaped;

/// The script that searches.
const SEARCH: &str = include_str!("search.js");

/// The names of the page: the first one that nothing else has.
pub(crate) const SITE: [&str; 2] = ["index.html", "web-archive.html"];

/// A page in an archive.
pub(crate) struct CaptureRow<'r> {
    pub(crate) url: &'r str,
    /// The time of the capture, as digits.
    pub(crate) time: &'r str,
    /// The path of its file.
    pub(crate) path: &'r Path,
}

/// Returns the page, which has the path `at`, that lists all pages by their hosts.
pub(crate) fn site(at: &Path, hosts: &BTreeMap<&Path, Vec<CaptureRow<'_>>>) -> String {
    let policy = format!("script-src 'sha256-{}'; ", digest::base64_of_bytes(SEARCH.as_bytes()));
    let mut page = start("Web archive", &policy);
    let n: usize = hosts.values().map(Vec::len).sum();
    let noun = if n == 1 { "page" } else { "pages" };
    page.push_str(&format!(
        "<p><input id=\"search\" type=\"search\" hidden aria-label=\"Search URLs and dates\" \
         placeholder=\"Search URLs and dates\"></p>\n\
         <p role=\"status\"><span id=\"count\">{n}</span> {noun}</p>\n"
    ));
    for (host, rows) in hosts {
        page.push_str(&format!(
            "<h2>{}</h2>\n<section><ol class=\"s\">\n",
            escaped(&host.to_string_lossy())
        ));
        for CaptureRow { url, time, path } in rows {
            page.push_str(&format!(
                "<li class=\"m\"><span class=\"d\">{}</span><a href=\"{}\">{}</a></li>\n",
                date(time),
                href(at, path),
                escaped(url)
            ));
        }
        page.push_str("</ol></section>\n");
    }
    page.push_str(&format!("<script>{SEARCH}</script>\n</body>\n</html>\n"));
    page
}

/// Returns the digits of a time as a date.
fn date(digits: &str) -> String {
    match (digits.get(..4), digits.get(4..6), digits.get(6..8)) {
        (Some(year), Some(month), Some(day)) => format!("{year}-{month}-{day}"),
        _ => String::new(),
    }
}
