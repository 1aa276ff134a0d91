//! The page of a mailbox: its messages in the order of threads, to be searched without a server.

use std::path::Path;

use super::{href, isolated, list_end, list_start};
use crate::archives::unpack::mail::{self, Header, InThread};

/// The number of messages in a section: a browser lays out only those sections that are visible.
const IN_SECTION: usize = 200;

/// More levels of answers are shown as this one.
const DEEPEST: usize = 6;

/// A message of a mailbox.
pub(crate) struct Row<'r> {
    pub(crate) header: &'r Header,
    /// The path of its page.
    pub(crate) page: &'r Path,
}

/// Returns the page of a mailbox, which has the path `at`.
pub(crate) fn mailbox(name: &str, at: &Path, rows: &[Row<'_>]) -> String {
    let nouns = ["message", "messages"];
    let mut page = list_start(name, rows.len(), nouns, "date, sender and subject");
    let headers: Vec<&Header> = rows.iter().map(|row| row.header).collect();
    let threads = mail::threads(&headers);
    for section in threads.chunks(IN_SECTION) {
        page.push_str("<section><ol>\n");
        for InThread { idx, depth } in section {
            let Row { header, page: path } = &rows[*idx];
            let date = header.time.map_or(String::new(), mail::date);
            let from = header.from.as_deref().map_or(String::new(), name_of);
            let subject = header.subject.as_deref().unwrap_or("(no subject)");
            let depth = (*depth).min(DEEPEST);
            page.push_str(&format!(
                "<li class=\"m\"><span class=\"d\">{date}</span><span>{}</span>\
                 <a class=\"i{depth}\" href=\"{}\">{}</a></li>\n",
                isolated(&from),
                href(at, path),
                isolated(subject)
            ));
        }
        page.push_str("</ol></section>\n");
    }
    page.push_str(&list_end());
    page
}

/// Returns the name of a sender, or the address without one.
fn name_of(from: &str) -> String {
    let name = from.split('<').next().unwrap_or_default().trim().trim_matches('"').trim();
    if name.is_empty() { from.trim_matches(['<', '>']).to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_message_is_markup() {
        let header = Header {
            subject: Some("</li><script>alert(1)</script>\" onload=\"x".to_owned()),
            from: Some("\"<img src=x>\" <a@b>".to_owned()),
            time: Some(0),
            ..Header::default()
        };
        let row = Row { header: &header, page: Path::new("m/1/'index.html") };
        let page = mailbox("<b>", Path::new("m/index.html"), &[row]);
        assert_eq!(page.matches("<script>").count(), 1, "{page}");
        assert!(!page.contains("<img") && !page.contains("<b>"), "{page}");
        assert!(page.contains("href=\"1/'index.html\""), "{page}");
    }

    #[test]
    fn texts_do_not_change_the_direction_of_others() {
        let header = Header {
            subject: Some("a\u{202E}fdp.exe".to_owned()),
            from: Some("\u{5D0}\u{2066}< <a@b>".to_owned()),
            ..Header::default()
        };
        let row = Row { header: &header, page: Path::new("m/1/index.html") };
        let page = mailbox("\u{202D}m", Path::new("m/index.html"), &[row]);
        for text in [
            "<title>\\u202dm</title>",
            "<h1><bdi>\\u202dm</bdi></h1>",
            "<span><bdi>\u{5D0}\\u2066</bdi></span>",
            "><bdi>a\\u202efdp.exe</bdi></a>",
        ] {
            assert!(page.contains(text), "{text}: {page}");
        }
    }
}
