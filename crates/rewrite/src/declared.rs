//! What a document declares about itself: its charset and its title.

use layers::{Charset, charref};

use crate::format::html::{self, HeadItemKind, HeadMetadata};
use crate::unit::Media;
use crate::walk::charset;

/// Returns the name of the charset that a document declares itself: by a byte order mark, `<meta>`,
/// `@charset` or an XML declaration. A charset is never guessed.
///
/// # Examples
///
/// ```
/// use relink_rewrite::{Media, declared_charset};
/// let charset = |media, bytes: &[u8]| declared_charset(media, bytes);
/// assert_eq!(charset(Media::HTML, b"<meta charset=latin1>"), Some("windows-1252"));
/// assert_eq!(charset(Media::CSS, b"@charset \"utf-8\";"), Some("UTF-8"));
/// assert_eq!(charset(Media::XML, b"<a/>"), None);
/// ```
pub fn declared_charset(media: Media, bytes: &[u8]) -> Option<&'static str> {
    charset::declared(media.format()?, bytes).map(Charset::name)
}

/// Returns the title of a page, with white space as in `document.title`; `None` if the head has
/// none.
///
/// # Examples
///
/// ```
/// let page = "<!doctype html><meta charset=utf-8><title>\n A &amp; Ä\n</title><h1>x</h1>";
/// assert_eq!(relink_rewrite::title(page.as_bytes()).as_deref(), Some("A & Ä"));
/// assert_eq!(relink_rewrite::title(b"<p><title>x</title>"), None);
/// ```
pub fn title(page: &[u8]) -> Option<String> {
    let (charset, length) = Charset::for_bom(page).unwrap_or_else(|| (html::sniff(page), 0));
    let decoded = charset.reads_as_whole().then(|| charset.decode(&page[length..]));
    let (page, charset) = match &decoded {
        Some(decoded) => (decoded.text.as_bytes(), Charset::UTF_8),
        None => (&page[length..], charset),
    };
    let is_title = |kind| kind == HeadItemKind::Title;
    let title = HeadMetadata::new(page).find(|item| is_title(item.kind))?;
    let text = charref::decode(title.span.slice(page), charset, charref::CharrefPlace::Text).text;
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    Some(words.join(" ")).filter(|title| !title.is_empty())
}
