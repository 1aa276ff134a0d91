//! The page of a message: its header fields, its body, and the files that came with it.

use std::path::Path;

use urlcore::text::find;

use super::{MESSAGE, end, href, start};
use crate::archives::unpack::elsewhere::ExternalPart;
use crate::archives::unpack::mail::MailHeader;
use crate::events::summary::n;
use crate::os::design::isolated;
use crate::os::messages::escaped;

/// The schemes of URLs in a text that become links.
const SCHEMES: [&str; 4] = ["http", "https", "ftp", "mailto"];

/// The text of a body that is longer is not shown in the page, only its file.
const LONGEST: usize = 1 << 20;

/// The header fields that are shown at once; the others are below them, closed.
const FIRST: [&str; 5] = ["From", "To", "Cc", "Date", "Newsgroups"];

/// What a frame with a document of a message allows besides showing it (HTML standard, 7.1.5). No
/// script runs, and no form is sent. `allow-same-origin` lets the document load its own pictures; a
/// link that is clicked leads the whole page, or a new window, which is as free as any other, or
/// saves a file.
const SANDBOX: &str = "allow-same-origin allow-popups allow-popups-to-escape-sandbox \
                       allow-top-navigation-by-user-activation allow-downloads";

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
    /// Its position among the parts.
    pub(crate) idx: usize,
    pub(crate) path: &'a Path,
    pub(crate) media_type: &'a str,
    /// Its length, in bytes.
    pub(crate) size: usize,
    /// True if a browser shows it as a document, which is confined in the frame of the page.
    pub(crate) is_document: bool,
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
    /// The page of the mailbox that has the row of the message, and the name of the row.
    pub(crate) row: Option<(&'p Path, String)>,
    /// The pages of the messages before and after it in the mailbox.
    pub(crate) previous: Option<&'p Path>,
    pub(crate) next: Option<&'p Path>,
    /// The pages of the messages that it answers.
    pub(crate) answers: Vec<(&'p Path, String)>,
}

/// Returns the fragment of the page of a message that shows a document of it, by its position among
/// the parts.
pub(crate) fn fragment(idx: usize) -> String {
    format!("file-{}", idx + 1)
}

/// Returns the page of a message. Its body is shown in a frame in which no script can run.
pub(crate) fn message(page: &MessagePage<'_>) -> String {
    let MessagePage { at, header, fields, body, attachments, externals, answers, .. } = page;
    let title = header.subject.as_deref().unwrap_or("(no subject)");
    let class = if let MessageBody::Page(_) = body { "message framed" } else { "message" };
    let mut out = start(title, class, MESSAGE, "frame-src 'self' file:; ");
    out.push_str("</div>\n");
    out.push_str(&links(page));
    out.push_str("</header>\n<main>\n");
    let (first, more): (Vec<_>, Vec<_>) = fields.iter().partition(|(name, _)| FIRST.contains(name));
    let answers = answers.iter().map(|(path, subject)| {
        let link = format!("<a href=\"{}\">{}</a>", href(at, path), isolated(subject));
        ("Answers", link)
    });
    let shown = |(name, value): &(&'static str, String)| (*name, isolated(value));
    out.push_str(&list(first.into_iter().map(shown).chain(answers)));
    if !more.is_empty() {
        let more = list(more.into_iter().map(shown));
        out.push_str(&format!("<details><summary>More fields</summary>\n{more}</details>\n"));
    }
    if !attachments.is_empty() || !externals.is_empty() {
        out.push_str("<ul class=\"files\" aria-label=\"Files\">\n");
        attachments.iter().for_each(|attachment| out.push_str(&item(at, attachment)));
        for ExternalPart { url, name, .. } in *externals {
            out.push_str(&format!(
                "<li><a href=\"{}\">{}</a> <span class=\"soft\">not in the message</span></li>\n",
                escaped(url),
                isolated(name)
            ));
        }
        out.push_str("</ul>\n");
    }
    match body {
        MessageBody::Text(text) if text.len() <= LONGEST => {
            out.push_str(&format!("<pre>{}</pre>\n", with_links(text)));
        }
        _ => {}
    }
    let source = match body {
        MessageBody::Page(path) => Some(format!("src=\"{}\"", href(at, path))),
        _ => attachments.iter().any(|file| file.is_document).then(|| "hidden".to_owned()),
    };
    if let Some(source) = source {
        out.push_str(&format!(
            "<iframe sandbox=\"{SANDBOX}\" title=\"The body of the message\" {source}></iframe>\n"
        ));
    }
    out.push_str(&end(MESSAGE));
    out
}

/// Returns the links to the mailbox and to the messages around a message.
fn links(page: &MessagePage<'_>) -> String {
    let MessagePage { at, row, previous, next, .. } = page;
    let Some((list, row)) = row else { return String::new() };
    let mut out = format!(
        "<nav aria-label=\"Messages\"><ul>\n<li><a data-key=\"u\" title=\"Key: u\" href=\"{}#{row}\">All messages</a></li>\n",
        href(at, list)
    );
    for (page, key, rel, name) in [(previous, "k", "prev", "Previous"), (next, "j", "next", "Next")]
    {
        if let Some(page) = page {
            out.push_str(&format!(
                "<li><a data-key=\"{key}\" title=\"Key: {key}\" rel=\"{rel}\" href=\"{}\">{name}</a></li>\n",
                href(at, page)
            ));
        }
    }
    out.push_str("</ul></nav>\n");
    out
}

/// Returns a list of names and values, which are HTML.
fn list(rows: impl Iterator<Item = (&'static str, String)>) -> String {
    let row = |(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>\n");
    format!("<dl class=\"fields\">\n{}</dl>\n", rows.map(row).collect::<String>())
}

/// Returns the item of a file. A document is opened by the script of the page, in its frame.
fn item(at: &Path, file: &Attachment<'_>) -> String {
    let Attachment { idx, path, media_type, size, is_document } = file;
    let (name, reference) = (path.file_name().unwrap_or_default(), href(at, path));
    let link = match is_document {
        true => format!("href=\"#{}\" data-file=\"{reference}\"", fragment(*idx)),
        false => format!("href=\"{reference}\""),
    };
    format!(
        "<li id=\"{}\"><a {link}>{}</a> <span class=\"soft\">{}, {}</span></li>\n",
        fragment(*idx),
        isolated(&name.to_string_lossy()),
        isolated(media_type),
        n(*size, "byte")
    )
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
}
