//! The pages of a mailbox: its messages in the order of threads, in parts that a browser opens at
//! once, to be searched without a server.
//!
//! A search in one part loads the others into frames. The script of a part sends its rows to the
//! page around it if the fragment of its URL is the token of the mailbox, which only its pages
//! have: no other file that a browser opens reads them.

use std::borrow::Cow;
use std::path::Path;

use super::{LIST, end, href, limited, list_start, page_row, part_links};
use crate::archives::unpack::mail::{self, MailHeader};
use crate::events::summary::n;
use crate::os::design::isolated;

/// The number of messages in a section: a browser lays out only those sections that are visible.
const IN_SECTION: usize = 200;

/// More levels of answers are shown as this one.
const DEEPEST: usize = 6;

/// A message of a mailbox.
pub(crate) struct MailboxRow<'r> {
    pub(crate) header: &'r MailHeader,
    /// The path of its page.
    pub(crate) page: &'r Path,
    /// The number of its attachments.
    pub(crate) n_attachments: usize,
}

/// A part of the list of a mailbox.
pub(crate) struct MailboxPart<'p, P> {
    /// The name of the mailbox.
    pub(crate) name: &'p str,
    /// The number of its messages.
    pub(crate) n_messages: usize,
    /// The paths of all parts, which are in one directory, and the position of this one.
    pub(crate) parts: &'p [P],
    pub(crate) idx: usize,
    /// The token of the mailbox.
    pub(crate) token: &'p str,
    /// The position of its first message in the order of threads.
    pub(crate) first: usize,
}

/// Returns the name of a row in its page, by the position in the order of threads.
pub(crate) fn row_name(position: usize) -> String {
    format!("m{}", position + 1)
}

/// Returns a part of the list of a mailbox, given the messages in it with their levels in threads.
pub(crate) fn mailbox<'r, P: AsRef<Path>>(
    part: &MailboxPart<'_, P>,
    rows: impl Iterator<Item = (MailboxRow<'r>, usize)>,
) -> String {
    let MailboxPart { name, n_messages, parts, idx, token, first } = part;
    let nouns = ["message", "messages"];
    let searched = "subjects, senders and first words";
    let (nav, at) = (part_links(parts, *idx, token, |_| String::new()), parts[*idx].as_ref());
    let mut page = list_start(name, *n_messages, nouns, searched, &nav);
    for (place, (row, depth)) in rows.enumerate() {
        if place % IN_SECTION == 0 {
            page.push_str(if place > 0 { "</ol></section>\n" } else { "" });
            page.push_str("<section><ol>\n");
        }
        page.push_str(&item(at, &row, first + place, depth));
    }
    page.push_str("</ol></section>\n");
    page.push_str(&end(LIST));
    page
}

/// A row of the list of everything that was unpacked.
pub(crate) struct ContentsRow<'r> {
    pub(crate) title: Cow<'r, str>,
    /// What it was made of.
    pub(crate) source: Cow<'r, str>,
    pub(crate) time: Option<i64>,
    /// The path of its page.
    pub(crate) page: &'r Path,
}

/// Returns the list of everything that was unpacked, which has the path `at`.
pub(crate) fn contents(at: &Path, rows: &[ContentsRow<'_>]) -> String {
    let nouns = ["entry", "entries"];
    let mut page = list_start("Contents", rows.len(), nouns, "titles, files and dates", "");
    for section in rows.chunks(IN_SECTION) {
        page.push_str("<section class=\"pages\"><ol>\n");
        for ContentsRow { title, source, time, page: path } in section {
            let date = time.map_or(String::new(), mail::date);
            let texts = [title, source].map(|text| isolated(&limited(text)));
            page.push_str(&page_row(
                &href(at, path),
                texts,
                date.split(' ').next().unwrap_or(""),
                "",
            ));
        }
        page.push_str("</ol></section>\n");
    }
    page.push_str(&end(LIST));
    page
}

fn item(at: &Path, row: &MailboxRow<'_>, position: usize, depth: usize) -> String {
    let MailboxRow { header, page, n_attachments } = row;
    let date = header.time.map_or(String::new(), mail::date);
    let from = header.from.as_deref().map_or(String::new(), name_of);
    let subject = header.subject.as_deref().unwrap_or("(no subject)");
    let class = if depth > 0 { "m answer" } else { "m" };
    let files = if *n_attachments > 0 { n(*n_attachments, "file") } else { String::new() };
    format!(
        "<li class=\"{class}\" id=\"{}\"><a href=\"{}\"><span class=\"who\">{}</span>\
         <span class=\"what i{}\">{}</span><span class=\"clip\">{files}</span><time>{date}</time>\
         <span class=\"start\">{}</span></a></li>\n",
        row_name(position),
        href(at, page),
        isolated(&limited(&from)),
        depth.min(DEEPEST),
        isolated(&limited(subject)),
        isolated(&header.beginning)
    )
}

/// Returns the name of a sender, or the address without one.
fn name_of(from: &str) -> String {
    let name = from.split('<').next().unwrap_or_default().trim().trim_matches('"').trim();
    if name.is_empty() { from.trim_matches(['<', '>']).to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(name: &str, header: &MailHeader, page: &str) -> String {
        let parts = ["m/index.html", "m/index-2.html"];
        let part =
            MailboxPart { name, n_messages: 1, parts: &parts, idx: 0, token: "t", first: 1000 };
        let row = MailboxRow { header, page: Path::new(page), n_attachments: 2 };
        mailbox(&part, std::iter::once((row, 0)))
    }

    #[test]
    fn nothing_of_a_message_is_markup() {
        let header = MailHeader {
            subject: Some("</li><script>alert(1)</script>\" onload=\"x".to_owned()),
            from: Some("\"<img src=x>\" <a@b>".to_owned()),
            time: Some(0),
            beginning: "<img src=y>".to_owned(),
            ..MailHeader::default()
        };
        let page = page("<b>", &header, "m/1/'index.html");
        assert_eq!(page.matches("<script>").count(), 1, "{page}");
        assert!(!page.contains("<img") && !page.contains("<b>"), "{page}");
        assert!(page.contains("id=\"m1001\"><a href=\"1/'index.html\""), "{page}");
        assert!(page.contains("<a href=\"index-2.html\">2</a>"), "{page}");
    }

    #[test]
    fn texts_do_not_change_the_direction_of_others() {
        let header = MailHeader {
            subject: Some("a\u{202E}fdp.exe".to_owned()),
            from: Some("\u{5D0}\u{2066}< <a@b>".to_owned()),
            ..MailHeader::default()
        };
        let page = page("\u{202D}m", &header, "m/1/index.html");
        for text in [
            "<title>\\u202dm</title>",
            "<h1><bdi>\\u202dm</bdi></h1>",
            "<span class=\"who\"><bdi>\u{5D0}\\u2066</bdi></span>",
            "<bdi>a\\u202efdp.exe</bdi></span>",
        ] {
            assert!(page.contains(text), "{text}: {page}");
        }
    }

    #[test]
    fn a_long_subject_is_cut() {
        let header = MailHeader { subject: Some("\u{e9}".repeat(9000)), ..MailHeader::default() };
        let page = page("m", &header, "m/1/index.html");
        assert!(page.contains(&format!("<bdi>{}\u{2026}</bdi>", "\u{e9}".repeat(300))), "{page}");
    }
}
