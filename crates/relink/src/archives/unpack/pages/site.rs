//! The pages that list the pages of web archives by host, to be searched without a server.

use std::mem::take;
use std::path::{Path, PathBuf};

use super::{LIST, end, href, limited, list_start, page_row};
use crate::os::design::isolated;

/// The list is written in pieces of at least this number of bytes.
const PIECE: usize = 64 << 10;

/// The maximum number of pages in a part of the list: browsers are slow with more.
pub(crate) const IN_PART: usize = 20_000;

/// The number of pages in a section: a browser lays out only those sections that are visible.
const IN_SECTION: usize = 200;

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
    /// The number of pages that it lists.
    pub(crate) len: usize,
    /// The URLs of the first and the last page.
    pub(crate) ends: [String; 2],
}

/// A part of the list as it is written.
pub(crate) struct SitePage<'p, W> {
    at: &'p Path,
    write: W,
    /// What is not written yet.
    text: String,
    /// True if the list of a host is not complete.
    is_in_host: bool,
    /// The number of pages in the section that is not complete.
    in_section: usize,
}

impl<'p, E, W: FnMut(&str) -> Result<(), E>> SitePage<'p, W> {
    /// Begins the part with this position. It leads to the page that was captured first, whose
    /// title and path are given. `write` receives its text, in pieces.
    pub(crate) fn new(
        parts: &'p [ListPart],
        idx: usize,
        first: Option<(&str, &Path)>,
        write: W,
    ) -> Self {
        let part = &parts[idx];
        let first = first.map_or(String::new(), |(title, path)| {
            let (href, title) = (href(&part.path, path), isolated(&limited(title)));
            format!(
                "<nav aria-label=\"First page\"><ul><li><a href=\"{href}\">First captured: {title}</a></li></ul></nav>\n"
            )
        });
        let nouns = ["page", "pages"];
        let text = match parts {
            [_] => list_start("Web archive", part.len, nouns, "URLs, titles and dates", &first),
            _ => {
                let title = format!("Web archive, part {} of {}", idx + 1, parts.len());
                list_start(&title, part.len, nouns, "URLs, titles and dates of this part", &first)
                    + &links(parts, part)
            }
        };
        SitePage { at: &part.path, write, text, is_in_host: false, in_section: 0 }
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

    /// Adds a page of the host: its URL, its title if that is known, the digits of its time, and
    /// the path of its file.
    ///
    /// # Errors
    ///
    /// That of `write`.
    pub(crate) fn row(
        &mut self,
        (url, title): (&str, Option<&str>),
        time: &str,
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
        self.text.push_str(&page_row(&href(self.at, path), texts, &date(time)));
        if self.text.len() < PIECE {
            return Ok(());
        }
        (self.write)(&take(&mut self.text))
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

    /// Ends the part.
    ///
    /// # Errors
    ///
    /// That of `write`.
    pub(crate) fn finish(mut self) -> Result<(), E> {
        self.end_host();
        self.text.push_str(&end(LIST));
        (self.write)(&self.text)
    }
}

/// Returns the links to all parts, which are on each of them.
fn links(parts: &[ListPart], here: &ListPart) -> String {
    let rows = (1..).zip(parts).map(|(number, part)| {
        let [first, last] = part.ends.each_ref().map(|url| isolated(url));
        let link = if part.path == here.path {
            "aria-current=\"page\"".to_owned()
        } else {
            format!("href=\"{}\"", href(&here.path, &part.path))
        };
        format!("<li><span class=\"soft\">{number}</span> <a {link}>{first}</a> to {last}</li>\n")
    });
    format!("<nav aria-label=\"Parts\"><ol>\n{}</ol></nav>\n", rows.collect::<String>())
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
            len: 2,
            ends: ends.map(str::to_owned),
        };
        let parts =
            [part("a.html", ["http://a/", "http://b/?<&"]), part("b.html", ["http://c/"; 2])];
        let mut text = String::new();
        let mut page =
            SitePage::new(&parts, 1, Some(("<A>", Path::new("a/x.html"))), |piece: &str| {
                text.push_str(piece);
                Ok::<(), ()>(())
            });
        page.host("c", "1 page");
        page.row(("http://c/", Some("<C>")), "20200102030405", Path::new("c/index.html")).unwrap();
        page.finish().unwrap();
        for expected in [
            "<title>Web archive, part 2 of 2</title>",
            "<a href=\"a/x.html\">First captured: &lt;A&gt;</a>",
            "<a href=\"a.html\">http://a/</a> to http://b/?&lt;&amp;",
            "<a aria-current=\"page\">http://c/</a> to http://c/",
            "<h2>c <span class=\"soft\">1 page</span></h2>\n<section class=\"pages\">",
            "<a href=\"c/index.html\"><span class=\"what\">&lt;C&gt;</span><span class=\"who\">http://c/</span><time>2020-01-02</time></a></li>\n</ol></section>\n</div>\n</main>\n<script>",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }
}
