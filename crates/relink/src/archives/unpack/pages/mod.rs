//! The pages that show mail and web archives: one for each message, and lists of messages and of
//! captured pages.
//!
//! Nothing of a message is markup here: it is escaped, and the policy of each page allows no script
//! but those of this program, and no request to the network.

mod list;
mod message;
mod site;

use std::borrow::Cow;
use std::path::Path;

use rewrite::Resolver;
use urlcore::{BaseIs, Dialect, Relativizer, Style};

pub(crate) use self::list::{ContentsRow, MailboxPart, MailboxRow, contents, mailbox, row_name};
pub(crate) use self::message::{Attachment, MessageBody, MessagePage, fragment, message};
pub(crate) use self::site::{IN_PART, ListPart, SiteHead, SitePage, names};
use super::targets::url_of;
use crate::os::design::{self, isolated, visible};
use crate::os::messages::escaped;

/// The style sheet of all pages, which begins with that of the design.
const STYLE: &str = concat!(include_str!("../../../os/design/base.css"), include_str!("pages.css"));

/// The script of a message.
const MESSAGE: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("keys.js"),
    include_str!("message.js"),
    "})();\n"
);

/// The script of a list.
const LIST: &str = concat!("\"use strict\";\n(() => {\n", include_str!("list.js"), "})();\n");

/// The maximum number of characters of a title.
const LONGEST_TITLE: usize = 300;

/// Returns the start of a page up to its heading, which its `class` names a kind of. `more` is what
/// the page may load besides its style sheet and its script.
fn start(title: &str, class: &str, script: &str, more: &str) -> String {
    let title = limited(title);
    let (heading, title) = (isolated(&title), visible(&title));
    let policy = design::policy(STYLE, &[script], more);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"generator\" content=\"relink\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body class=\"{class}\">\n\
         <header>\n<div class=\"bar\">\n<h1>{heading}</h1>\n"
    )
}

/// Returns the end of a page with a script.
fn end(script: &str) -> String {
    format!("</main>\n<script>{script}</script>\n</body>\n</html>\n")
}

/// Returns a title, subject or URL with at most a number of characters.
pub(crate) fn limited(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_TITLE) {
        Some((end, _)) => Cow::Owned(format!("{}\u{2026}", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Returns the start of a page with a list of `n` rows (`nouns` for one and more of them) that can
/// be searched without a server, by what the user sees of a row. `nav` are links below the heading.
/// The page ends with [`end`].
fn list_start(title: &str, n: usize, nouns: [&str; 2], searched: &str, nav: &str) -> String {
    let noun = nouns[usize::from(n != 1)];
    let prompt = format!("Search {searched}");
    format!(
        "{}<span class=\"soft\" role=\"status\"><span id=\"count\">{n}</span> {noun}</span>\n\
         <input id=\"search\" class=\"search\" type=\"search\" hidden aria-label=\"{prompt}\" \
         placeholder=\"{prompt}\">\n</div>\n{nav}</header>\n<main>\n",
        start(title, "list", LIST, "frame-src 'self' file:; ")
    )
}

/// Returns the links to all parts of a list, with its token, by which a search reads them; `more`
/// returns what follows the number of a part.
fn part_links<P: AsRef<Path>>(
    parts: &[P],
    here: usize,
    token: &str,
    more: impl Fn(usize) -> String,
) -> String {
    let link = |(idx, part): (usize, &P)| {
        let current = if idx == here { " aria-current=\"page\"" } else { "" };
        let reference = href(parts[here].as_ref(), part.as_ref());
        let reference = if reference.is_empty() { "#" } else { &reference };
        format!("<li><a href=\"{reference}\"{current}>{}{}</a></li>\n", idx + 1, more(idx))
    };
    let links: String = parts.iter().enumerate().map(link).collect();
    let hidden = if parts.len() == 1 { " hidden" } else { "" };
    format!(
        "<nav aria-label=\"Parts\"{hidden}><ul id=\"parts\" data-token=\"{token}\">\n{links}</ul></nav>\n"
    )
}

/// Returns the row of a page in a list, given the reference to it, its title and URL, its date, and
/// what follows the link. All are HTML.
fn page_row(href: &str, [title, url]: [String; 2], date: &str, more: &str) -> String {
    format!(
        "<li class=\"m\"><a href=\"{href}\"><span class=\"what\">{title}</span>\
         <span class=\"who\">{url}</span><time>{date}</time></a>{more}</li>\n"
    )
}

/// Returns the reference, escaped for an attribute, from one file of the output to another.
fn href(from: &Path, to: &Path) -> String {
    escaped(&reference(from, to))
}

/// Returns the reference from one file of the output to another.
pub(crate) fn reference(from: &Path, to: &Path) -> String {
    let (from, to) = (url_of(from), url_of(to));
    let mut relativizer = Relativizer::default();
    let relative = Resolver::new(&from, Dialect::Web).ok().and_then(|from| {
        let found = relativizer.relativize(&from, &to, Style::Relative, BaseIs::Document);
        found.ok().map(|found| found.text.to_owned())
    });
    relative.unwrap_or_default()
}
