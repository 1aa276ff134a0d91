//! The pages that list the pages of web archives by host, to be searched without a server.

use std::collections::BTreeSet;
use std::mem::take;
use std::path::{Path, PathBuf};

use super::{LIST, end, href, limited, list_start, page_row, part_links};
use crate::archives::unpack::captured_pages::CaptureTime;
use crate::events::summary::n;
use crate::os::design::isolated;

/// The list is written in pieces of at least this number of bytes.
const PIECE: usize = 64 << 10;

/// The maximum number of pages in a part of the list: browsers are slow with more.
pub(crate) const IN_PART: usize = 5000;

/// The number of pages in a section: a browser lays out only those sections that are visible.
const IN_SECTION: usize = 200;

/// The maximum number of other captures that are listed for a page, and of URLs that are missing.
const MOST_LISTED: usize = 1000;

/// The names of the list: the first one that nothing else has.
const NAMES: [&str; 2] = ["index", "web-archive"];

/// Returns the names of a number of parts. `is_free` returns false for a name that something else
/// has.
pub(crate) fn names(n: usize, is_free: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let of = |name: &str| -> Vec<PathBuf> {
        let first = PathBuf::from(format!("{name}.html"));
        let others = (2..=n).map(|number| PathBuf::from(format!("{name}-{number}.html")));
        [first].into_iter().chain(others).collect()
    };
    let free = NAMES.iter().map(|name| of(name)).find(|all| all.iter().all(|name| is_free(name)));
    free.unwrap_or_else(|| of(NAMES[1]))
}

/// A part of the list.
pub(crate) struct ListPart {
    pub(crate) path: PathBuf,
    /// The URLs of the first and the last page.
    pub(crate) ends: [String; 2],
}

/// What all parts of the list have in common.
pub(crate) struct SiteHead<'h> {
    /// The number of all pages.
    pub(crate) n_pages: usize,
    /// The token of the list.
    pub(crate) token: &'h str,
    /// The page that was captured first: its title and path.
    pub(crate) first: Option<(&'h str, &'h Path)>,
    /// The archives, as the arguments of a command.
    pub(crate) archives: &'h str,
    /// The URLs that pages load and that no archive has, which the first part lists.
    pub(crate) missing: &'h BTreeSet<String>,
}

/// A part of the list as it is written.
pub(crate) struct SitePage<'p, W> {
    at: &'p Path,
    archives: &'p str,
    missing: Option<&'p BTreeSet<String>>,
    write: W,
    /// What is not written yet.
    text: String,
    /// True if the list of a host is not complete.
    is_in_host: bool,
    /// The number of pages in the section that is not complete.
    in_section: usize,
}

impl<'p, E, W: FnMut(&str) -> Result<(), E>> SitePage<'p, W> {
    /// Begins the part with this position. `write` receives its text, in pieces.
    pub(crate) fn new(parts: &'p [ListPart], idx: usize, head: &SiteHead<'p>, write: W) -> Self {
        let (part, SiteHead { n_pages, token, first, archives, missing }) = (&parts[idx], head);
        let mut nav = String::from("<nav aria-label=\"Pages\"><ul>");
        if let Some((title, path)) = first {
            let (href, title) = (href(&part.path, path), isolated(&limited(title)));
            nav.push_str(&format!("<li><a href=\"{href}\">First captured: {title}</a></li>"));
        }
        if !missing.is_empty() {
            let href = href(&part.path, &parts[0].path);
            let urls = n(missing.len(), "missing URL");
            nav.push_str(&format!("<li><a href=\"{href}#missing\">{urls}</a></li>"));
        }
        nav.push_str("</ul></nav>\n");
        let title = match parts {
            [_] => "Web archive".to_owned(),
            _ => format!("Web archive, part {} of {}", idx + 1, parts.len()),
        };
        let ends = |idx: usize| {
            let [first, last] = parts[idx].ends.each_ref().map(|url| isolated(&limited(url)));
            format!(" <span class=\"soft\">{first} to {last}</span>")
        };
        let paths: Vec<&Path> = parts.iter().map(|part| &*part.path).collect();
        let searched = "URLs, titles and dates";
        let text = list_start(&title, *n_pages, ["page", "pages"], searched, &nav)
            + &part_links(&paths, idx, token, ends);
        let missing = Some(*missing).filter(|missing| idx == 0 && !missing.is_empty());
        let (is_in_host, in_section) = (false, 0);
        SitePage { at: &part.path, archives, missing, write, text, is_in_host, in_section }
    }

    /// Begins the list of a host; `files` says what was captured of it.
    pub(crate) fn host(&mut self, name: &str, files: &str) {
        self.end_host();
        let name = isolated(name);
        self.text.push_str(&format!(
            "<div class=\"h\">\n<h2>{name} <span class=\"soft\">{files}</span></h2>\n"
        ));
        self.is_in_host = true;
    }

    /// Adds a page of the host: its URL, its title if that is known, the digits of its time, the
    /// times of other captures of the URL, and the path of its file.
    ///
    /// # Errors
    ///
    /// That of `write`.
    pub(crate) fn row(
        &mut self,
        (url, title): (&str, Option<&str>),
        (time, others): (&str, &[CaptureTime]),
        path: &Path,
    ) -> Result<(), E> {
        if self.in_section == IN_SECTION {
            self.end_section();
        }
        if self.in_section == 0 {
            self.text.push_str("<section class=\"pages\"><ol>\n");
        }
        self.in_section += 1;
        let shown = |text: &str| isolated(&limited(text));
        let texts = [shown(title.unwrap_or(url)), title.map_or(String::new(), |_| shown(url))];
        self.text.push_str(&page_row(
            &href(self.at, path),
            texts,
            &date(time),
            &self.captures(others),
        ));
        if self.text.len() < PIECE {
            return Ok(());
        }
        (self.write)(&take(&mut self.text))
    }

    /// Returns the list of other captures of a page, and how one of them is read.
    fn captures(&self, times: &[CaptureTime]) -> String {
        let Some(newest) = times.iter().max() else { return String::new() };
        let mut sorted = times.to_vec();
        sorted.sort_unstable_by(|one, other| other.cmp(one));
        let dates: String = sorted
            .iter()
            .take(MOST_LISTED)
            .map(|time| format!("<li>{}</li>", moment(*time)))
            .collect();
        format!(
            "<details><summary>{} more</summary><ul>{dates}</ul><p>relink unpack {} --at {} -o \
             OUT</p></details>",
            times.len(),
            self.archives,
            moment(*newest)
        )
    }

    fn end_section(&mut self) {
        if take(&mut self.in_section) > 0 {
            self.text.push_str("</ol></section>\n");
        }
    }

    fn end_host(&mut self) {
        self.end_section();
        if take(&mut self.is_in_host) {
            self.text.push_str("</div>\n");
        }
    }

    /// Adds the URLs that pages load and that no archive has, and how to get them.
    fn list_missing(&mut self) {
        let Some(urls) = self.missing else { return };
        let rows = urls.iter().take(MOST_LISTED);
        let rows: String =
            rows.map(|url| format!("<li>{}</li>\n", isolated(&limited(url)))).collect();
        let more = urls.len().saturating_sub(MOST_LISTED);
        let more = if more > 0 { format!("<li>{more} more</li>\n") } else { String::new() };
        self.text.push_str(&format!(
            "<details class=\"missing\" id=\"missing\">\n<summary>{} that pages load: not in the archive</summary>\n\
             <p>Those of its hosts, and pages to which it links: <code>relink check {} --missing-urls \
             | wget -i - --warc-file=more</code>. Then unpack both.</p>\n<ul>\n{rows}{more}</ul>\n\
             </details>\n",
            n(urls.len(), "URL"),
            self.archives
        ));
    }

    /// Ends the part.
    ///
    /// # Errors
    ///
    /// That of `write`.
    pub(crate) fn finish(mut self) -> Result<(), E> {
        self.end_host();
        self.list_missing();
        self.text.push_str(&end(LIST));
        (self.write)(&self.text)
    }
}

/// Returns the time of a capture as `--at` takes it.
fn moment(time: CaptureTime) -> String {
    let digits = format!("{time:014}");
    let part = |from: usize| &digits[from..from + 2];
    let [month, day, hour, minute, second] = [4, 6, 8, 10, 12].map(part);
    format!("{}-{month}-{day}T{hour}:{minute}:{second}", &digits[..4])
}

/// Returns the digits of a time as a date.
fn date(digits: &str) -> String {
    match (digits.get(..4), digits.get(4..6), digits.get(6..8)) {
        (Some(year), Some(month), Some(day)) => format!("{year}-{month}-{day}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_have_names_that_are_free() {
        let of = |n, taken: &[&str]| {
            let names = names(n, |name| !taken.iter().any(|taken| Path::new(taken) == name));
            names.iter().map(|name| name.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(of(1, &[]), ["index.html"]);
        assert_eq!(of(1, &["index-2.html"]), ["index.html"]);
        assert_eq!(of(1, &["index.html"]), ["web-archive.html"]);
        assert_eq!(of(2, &["index-2.html"]), ["web-archive.html", "web-archive-2.html"]);
    }

    #[test]
    fn each_part_leads_to_all() {
        let part = |path: &str, ends: [&str; 2]| ListPart {
            path: path.into(),
            ends: ends.map(str::to_owned),
        };
        let parts =
            [part("a.html", ["http://a/", "http://b/?<&"]), part("b.html", ["http://c/"; 2])];
        let mut text = String::new();
        let first = Some(("<A>", Path::new("a/x.html")));
        let missing = BTreeSet::from(["http://c/<>".to_owned()]);
        let (archives, missing) = ("a.warc", &missing);
        let head = SiteHead { n_pages: 4, token: "t", first, archives, missing };
        let mut page = SitePage::new(&parts, 1, &head, |piece: &str| {
            text.push_str(piece);
            Ok::<(), ()>(())
        });
        page.host("c", "1 page");
        let times = ("20200102030405", &[20190102030405, 20210102030405][..]);
        page.row(("http://c/", Some("<C>")), times, Path::new("c/index.html")).unwrap();
        page.finish().unwrap();
        for expected in [
            "<title>Web archive, part 2 of 2</title>",
            "<a href=\"a/x.html\">First captured: &lt;A&gt;</a>",
            "<a href=\"a.html\">1 <span class=\"soft\">http://a/ to http://b/?&lt;&amp;</span></a>",
            "<a href=\"#\" aria-current=\"page\">2 <span class=\"soft\">http://c/ to http://c/</span></a>",
            "<h2>c <span class=\"soft\">1 page</span></h2>\n<section class=\"pages\">",
            "<a href=\"c/index.html\"><span class=\"what\">&lt;C&gt;</span><span class=\"who\">http://c/</span><time>2020-01-02</time></a><details><summary>2 more</summary><ul><li>2021-01-02T03:04:05</li><li>2019-01-02T03:04:05</li></ul><p>relink unpack a.warc --at 2021-01-02T03:04:05 -o OUT</p></details></li>\n</ol></section>\n</div>\n",
            "<li><a href=\"a.html#missing\">1 missing URL</a></li>",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }
}
