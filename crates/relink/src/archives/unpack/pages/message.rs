//! The page of a message: its header fields, its body, and the files that came with it.

use std::path::Path;

use urlcore::text::find;

use super::{href, isolated, start};
use crate::archives::unpack::elsewhere::External;
use crate::archives::unpack::mail::Header;
use crate::events::summary::n;
use crate::os::markup::escaped;

/// The schemes of URLs in a text that become links.
const SCHEMES: [&str; 4] = ["http", "https", "ftp", "mailto"];

/// The text of a body that is longer is not shown in the page, only its file.
const LONGEST: usize = 1 << 20;

/// The body of a message.
pub(crate) enum Body<'b> {
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
    pub(crate) header: &'p Header,
    /// The header fields that are shown.
    pub(crate) fields: Vec<(&'static str, String)>,
    pub(crate) body: Body<'p>,
    pub(crate) attachments: Vec<Attachment<'p>>,
    /// The parts whose content has a URL.
    pub(crate) externals: &'p [External],
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
        Body::Page(path) => out.push_str(&format!("<p><iframe sandbox=\"allow-same-origin allow-popups\" title=\"The body of the message\" src=\"{}\"></iframe></p>\n",
            href(at, path)
        )),
        Body::Text(text) if text.len() <= LONGEST => {
            out.push_str(&format!("<pre>{}</pre>\n", with_links(text)));
        }
        Body::Text(_) | Body::Other => {}
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
        for External { url, name, .. } in *externals {
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
