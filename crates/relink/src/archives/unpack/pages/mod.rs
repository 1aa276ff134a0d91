//! The pages that show mail: one for each message, and one for each mailbox.
//!
//! Nothing of a message is markup here: it is escaped, and the policy of each page allows no script
//! but that of this program, and no request to the network.

mod message;
mod site;

use std::path::Path;

use rewrite::Resolver;
use urlcore::{BaseIs, Dialect, Relativizer, Style};

pub(crate) use self::message::{
    Attachment, MailboxRow, MessageBody, MessagePage, mailbox, message,
};
pub(crate) use self::site::{IN_PART, ListPart, SitePage, names};
use super::targets::url_of;
use crate::os::digest;
use crate::os::messages::{changes_direction, escaped};

/// The style sheet of both kinds of pages.
const STYLE: &str = include_str!("style.css");

/// Returns the start of a page up to its heading. `policy` is what the page may load besides its
/// style sheet.
fn start(title: &str, policy: &str) -> String {
    let (heading, title) = (isolated(title), visible(title));
    let style = digest::base64_of_bytes(STYLE.as_bytes());
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'sha256-{style}'; {policy}base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta name=\"generator\" content=\"relink\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{heading}</h1>\n"
    )
}

/// Returns a text as HTML, with characters that change the direction of text (UAX 9, section 2)
/// visible.
fn visible(text: &str) -> String {
    if text.is_ascii() {
        return escaped(text);
    }
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            char if changes_direction(char) => {
                out.push_str(&format!("\\u{:04x}", u32::from(char)));
            }
            char => out.push(char),
        }
    }
    escaped(&out)
}

/// Returns the same, so that its direction does not change that of the text around it.
fn isolated(text: &str) -> String {
    if text.is_ascii() { escaped(text) } else { format!("<bdi>{}</bdi>", visible(text)) }
}

/// The script that searches a list.
const SEARCH: &str = include_str!("search.js");

/// Returns the start of a page with a list of `n` rows (`nouns` for one and more of them) that can
/// be searched without a server, by what the user sees of a row. The page ends with [`list_end`].
fn list_start(title: &str, n: usize, nouns: [&str; 2], searched: &str) -> String {
    let policy = format!("script-src 'sha256-{}'; ", digest::base64_of_bytes(SEARCH.as_bytes()));
    let noun = nouns[usize::from(n != 1)];
    let prompt = format!("Search {searched}");
    format!(
        "{}<p><input id=\"search\" type=\"search\" hidden aria-label=\"{prompt}\" \
         placeholder=\"{prompt}\"></p>\n\
         <p role=\"status\"><span id=\"count\">{n}</span> {noun}</p>\n",
        start(title, &policy)
    )
}

/// Returns the end of a page that begins with [`list_start`].
fn list_end() -> String {
    format!("<script>{SEARCH}</script>\n</body>\n</html>\n")
}

/// Returns the reference, escaped for an attribute, from one file of the output to another.
fn href(from: &Path, to: &Path) -> String {
    let (from, to) = (url_of(from), url_of(to));
    let mut relativizer = Relativizer::default();
    let relative = Resolver::new(&from, Dialect::Web).ok().and_then(|from| {
        let found = relativizer.relativize(&from, &to, Style::Relative, BaseIs::Document);
        found.ok().map(|found| found.text.to_owned())
    });
    escaped(&relative.unwrap_or_default())
}
