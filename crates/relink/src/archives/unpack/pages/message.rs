//! The page of a message: its header fields, its body, and the files that came with it; and the
//! page of a mailbox.

use std::path::Path;

use urlcore::text::find;

use super::{href, isolated, list_end, list_start, start};
use crate::archives::unpack::elsewhere::ExternalPart;
use crate::archives::unpack::mail::{self, InThread, MailHeader};
use crate::events::summary::n;
use crate::os::messages::escaped;

/// The schemes of URLs in a text that become links.
const SCHEMES: [&str; 4] = ["http", "https", "ftp", "mailto"];

/// The text of a body that is longer is not shown in the page, only its file.
const LONGEST: usize = 1 << 20;

/// The body of a message.
pub(crate) enum MessageBody<'b> {
    /// A page of its own.
    Page(&'b Path),
    /// Text.
    Text(String),
    /// None, or one that a browser does not show.
    Other,
}

/// A file of a message.
pub(crate) struct Attachment<'a> {
    pub(crate) path: &'a Path,
    pub(crate) media_type: &'a str,
    /// Its length, in bytes.
    pub(crate) size: usize,
}

/// What the page of a message shows.
pub(crate) struct MessagePage<'p> {
    /// The path of the page.
    pub(crate) at: &'p Path,
    pub(crate) header: &'p MailHeader,
    /// The header fields that are shown.
    pub(crate) fields: Vec<(&'static str, String)>,
    pub(crate) body: MessageBody<'p>,
    pub(crate) attachments: Vec<Attachment<'p>>,
    /// The parts whose content has a URL.
    pub(crate) externals: &'p [ExternalPart],
    /// The pages of the mailbox, and of the messages that it answers.
    pub(crate) mailbox: Option<&'p Path>,
    pub(crate) answers: Vec<(&'p Path, String)>,
}

/// Returns the page of a message. Its body is shown in a frame in which no script can run.
pub(crate) fn message(page: &MessagePage<'_>) -> String {
    let MessagePage { at, header, fields, body, attachments, externals, mailbox, answers } = page;
    let title = header.subject.as_deref().unwrap_or("(no subject)");
    let mut out = start(title, "frame-src 'self' file:; ");
    if let Some(mailbox) = mailbox {
        out.push_str(&format!("<p><a href=\"{}\">All messages</a></p>\n", href(at, mailbox)));
    }
    out.push_str("<table>\n");
    for (name, value) in fields {
        out.push_str(&format!("<tr><th>{name}</th><td>{}</td></tr>\n", isolated(value)));
    }
    for (path, subject) in answers {
        out.push_str(&format!(
            "<tr><th>Answers</th><td><a href=\"{}\">{}</a></td></tr>\n",
            href(at, path),
            isolated(subject)
        ));
    }
    out.push_str("</table>\n");
    match body {
        MessageBody::Page(path) => out.push_str(&format!("<p><iframe sandbox=\"allow-same-origin allow-popups\" title=\"The body of the message\" src=\"{}\"></iframe></p>\n",
            href(at, path)
        )),
        MessageBody::Text(text) if text.len() <= LONGEST => {
            out.push_str(&format!("<pre>{}</pre>\n", with_links(text)));
        }
        MessageBody::Text(_) | MessageBody::Other => {}
    }
    if !attachments.is_empty() || !externals.is_empty() {
        out.push_str("<h2>Files</h2>\n<ul>\n");
        for Attachment { path, media_type, size } in attachments {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            out.push_str(&format!(
                "<li><a href=\"{}\">{}</a> <span class=\"d\">{}, {}</span></li>\n",
                href(at, path),
                isolated(&name),
                isolated(media_type),
                n(*size, "byte")
            ));
        }
        for ExternalPart { url, name, .. } in *externals {
            out.push_str(&format!(
                "<li><a href=\"{}\">{}</a> <span class=\"d\">not in the message</span></li>\n",
                escaped(url),
                isolated(name)
            ));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// Returns a text as HTML, with its URLs as links.
fn with_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut at = 0;
    for found in find(text) {
        let (scheme, _) = found.url.split_once(':').unwrap_or_default();
        if !SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            continue;
        }
        let shown = escaped(&text[found.span.clone()]);
        out.push_str(&escaped(&text[at..found.span.start]));
        out.push_str(&format!("<a href=\"{}\">{shown}</a>", escaped(&found.url)));
        at = found.span.end;
    }
    out.push_str(&escaped(&text[at..]));
    out
}

// The page of a mailbox: its messages in the order of threads, to be searched without a server.

/// The number of messages in a section: a browser lays out only those sections that are visible.
const IN_SECTION: usize = 200;

/// More levels of answers are shown as this one.
const DEEPEST: usize = 6;

/// A message of a mailbox.
pub(crate) struct MailboxRow<'r> {
    pub(crate) header: &'r MailHeader,
    /// The path of its page.
    pub(crate) page: &'r Path,
}

/// Returns the page of a mailbox, which has the path `at`.
pub(crate) fn mailbox(name: &str, at: &Path, rows: &[MailboxRow<'_>]) -> String {
    let nouns = ["message", "messages"];
    let mut page = list_start(name, rows.len(), nouns, "date, sender and subject");
    let headers: Vec<&MailHeader> = rows.iter().map(|row| row.header).collect();
    let threads = mail::threads(&headers);
    for section in threads.chunks(IN_SECTION) {
        page.push_str("<section><ol>\n");
        for InThread { idx, depth } in section {
            let MailboxRow { header, page: path } = &rows[*idx];
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
    fn urls_in_a_text_are_links() {
        for (text, expected) in [
            (
                "see http://h/a?b&c, or\n<https://i/\"x>",
                "see <a href=\"http://h/a?b&amp;c\">http://h/a?b&amp;c</a>, or\n\
                 &lt;<a href=\"https://i/&quot;x\">https://i/&quot;x</a>&gt;",
            ),
            ("(mailto:a@b)", "(<a href=\"mailto:a@b\">mailto:a@b</a>)"),
            (
                "<javascript:alert(1)> & \"data:text/html,<p>\"",
                "&lt;javascript:alert(1)&gt; &amp; &quot;data:text/html,&lt;p&gt;&quot;",
            ),
        ] {
            assert_eq!(with_links(text), expected);
        }
    }

    #[test]
    fn nothing_of_a_message_is_markup() {
        let header = MailHeader {
            subject: Some("</li><script>alert(1)</script>\" onload=\"x".to_owned()),
            from: Some("\"<img src=x>\" <a@b>".to_owned()),
            time: Some(0),
            ..MailHeader::default()
        };
        let row = MailboxRow { header: &header, page: Path::new("m/1/'index.html") };
        let page = mailbox("<b>", Path::new("m/index.html"), &[row]);
        assert_eq!(page.matches("<script>").count(), 1, "{page}");
        assert!(!page.contains("<img") && !page.contains("<b>"), "{page}");
        assert!(page.contains("href=\"1/'index.html\""), "{page}");
    }

    #[test]
    fn texts_do_not_change_the_direction_of_others() {
        let header = MailHeader {
            subject: Some("a\u{202E}fdp.exe".to_owned()),
            from: Some("\u{5D0}\u{2066}< <a@b>".to_owned()),
            ..MailHeader::default()
        };
        let row = MailboxRow { header: &header, page: Path::new("m/1/index.html") };
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
