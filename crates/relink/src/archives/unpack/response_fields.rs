//! Header fields of a response that count for a page, and that its file does not have: `Refresh`,
//! `Content-Language` and `Link`. They become elements and an attribute of the page.

use std::borrow::Cow;

use layers::Charset;
use memchr::memmem;
use rewrite::Resolver;
use urlcore::Dialect;
use urlcore::header::links;
use warc::HttpResponse;

use crate::archives::head::{HeadTags, inserted};
use crate::os::messages::escaped;

/// The relations of links that are kept: a browser loads the first, and programs read the other.
const RELATIONS: [&str; 2] = ["stylesheet", "canonical"];

/// What the header section of a response says about a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ResponseFields {
    refresh: Option<String>,
    language: Option<String>,
    /// The elements for the links.
    links: String,
}

impl ResponseFields {
    /// Returns the fields of the response at a URL.
    pub(crate) fn of(response: &HttpResponse<'_>, url: &str) -> Self {
        let text = |name: &str| {
            response.values(name).next().map(|value| String::from_utf8_lossy(value).into_owned())
        };
        // Several languages are those of the readers, and not of the text.
        let is_tag = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let language = text("Content-Language");
        let language = language.filter(|tag| !tag.is_empty() && tag.bytes().all(is_tag));
        let mut kept = String::new();
        for value in response.values("Link") {
            add_links(&String::from_utf8_lossy(value), url, &mut kept);
        }
        ResponseFields { refresh: text("Refresh"), language, links: kept }
    }

    /// Returns a page that says the same. A page without content gets the `Refresh`: it leads on.
    pub(super) fn in_page<'b>(&self, page: Cow<'b, [u8]>) -> Cow<'b, [u8]> {
        let mut page = page;
        if let Some(refresh) = self.refresh.as_ref().filter(|_| page.trim_ascii().is_empty()) {
            let meta = format!("<meta http-equiv=\"refresh\" content=\"{}\">", escaped(refresh));
            page = inserted(&page, 0, meta.as_bytes());
        }
        if page.is_empty() || Charset::for_bom(&page).is_some_and(|(bom, _)| bom != Charset::UTF_8)
        {
            return page;
        }
        if !self.links.is_empty() {
            page = inserted(&page, HeadTags::of(&page).start, self.links.as_bytes());
        }
        match &self.language {
            Some(language) => with_language(page, language),
            None => page,
        }
    }

    /// Returns a page in XHTML that says the same, if it has the tags for it.
    pub(super) fn in_xhtml<'b>(&self, page: Cow<'b, [u8]>) -> Cow<'b, [u8]> {
        let HeadTags { html: Some(tag), before, start } = HeadTags::of(&page) else { return page };
        let html = &page[tag.clone()];
        let is_empty = |tag: &[u8]| tag.ends_with(b"/>");
        let is_html = html.starts_with(b"<html") && memmem::find(html, XHTML).is_some();
        if !is_html || is_empty(html) {
            return page;
        }
        let language = self.language.as_ref().filter(|_| !has_language(html));
        let has_head = page[before..start].starts_with(b"<head") && !is_empty(&page[..start]);
        let mut page = page;
        if has_head && !self.links.is_empty() {
            // Values have no quotation marks.
            page = inserted(&page, start, self.links.replace("\">", "\"/>").as_bytes());
        }
        if let Some(language) = language {
            let attributes = format!(" lang=\"{language}\" xml:lang=\"{language}\"");
            page = inserted(&page, tag.start + "<html".len(), attributes.as_bytes());
        }
        page
    }
}

/// The namespace of XHTML.
const XHTML: &[u8] = b"http://www.w3.org/1999/xhtml";

/// Adds elements for the links of a value that are kept. Their URLs are absolute: a `<base>` of the
/// page does not count for them.
fn add_links(value: &str, url: &str, kept: &mut String) {
    let base = Resolver::new(url, Dialect::Web).ok();
    for link in links(value) {
        let relation = link.param("rel").unwrap_or_default().to_ascii_lowercase();
        let words: Vec<&str> = relation.split_ascii_whitespace().collect();
        let kept_words = words.iter().filter(|word| RELATIONS.contains(word)).copied();
        let relation = kept_words.collect::<Vec<_>>().join(" ");
        // An alternate style sheet is not used.
        let is_kept = !relation.is_empty() && !words.contains(&"alternate");
        let is_kept = is_kept && link.param("anchor").is_none();
        let target = base.as_ref().filter(|_| is_kept);
        let target = target.and_then(|base| base.resolve(&link.target.text).ok()?.url());
        let Some(target) = target else { continue };
        let media = link.param("media").map(|media| format!(" media=\"{}\"", escaped(media)));
        let (href, media) = (escaped(&target), media.unwrap_or_default());
        kept.push_str(&format!("<link rel=\"{relation}\" href=\"{href}\"{media}>"));
    }
}

/// Returns a page with its language, unless it declares one.
fn with_language<'b>(page: Cow<'b, [u8]>, language: &str) -> Cow<'b, [u8]> {
    let head = HeadTags::of(&page);
    let start = &page[..page.len().min(HEAD)];
    if memmem::find(&start.to_ascii_lowercase(), b"content-language").is_some() {
        return page;
    }
    let Some(tag) = head.html else {
        return inserted(&page, head.before, format!("<html lang=\"{language}\">").as_bytes());
    };
    if has_language(&page[tag.clone()]) {
        page
    } else {
        inserted(&page, tag.start + "<html".len(), format!(" lang=\"{language}\"").as_bytes())
    }
}

/// Returns true if a tag declares a language.
fn has_language(tag: &[u8]) -> bool {
    let text = tag.to_ascii_lowercase();
    let is_before = |byte: &u8| byte.is_ascii_whitespace() || b"\"'/:".contains(byte);
    let is_after = |byte: &u8| byte.is_ascii_whitespace() || b"=/>".contains(byte);
    memmem::find_iter(&text, b"lang")
        .any(|at| is_before(&text[at - 1]) && text.get(at + 4).is_some_and(is_after))
}

/// The number of bytes of a page in which another declaration is searched for.
const HEAD: usize = 4 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn page(fields: &str, page: &str) -> String {
        let head = format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n");
        let response = HttpResponse::read(head.as_bytes()).unwrap();
        let fields = ResponseFields::of(&response, "http://h/a/b");
        String::from_utf8(fields.in_page(page.as_bytes().into()).into_owned()).unwrap()
    }

    #[test]
    fn a_language_is_declared_once() {
        let of = |text: &str| page("Content-Language: pt-BR", text);
        for (before, after) in [
            ("<!doctype html><html><p>", "<!doctype html><html lang=\"pt-BR\"><p>"),
            ("<!doctype html>\n<HTML id=x>", "<!doctype html>\n<HTML lang=\"pt-BR\" id=x>"),
            ("<!doctype html><p>x", "<!doctype html><html lang=\"pt-BR\"><p>x"),
            ("<head><title>", "<html lang=\"pt-BR\"><head><title>"),
            ("\u{feff}<p>", "\u{feff}<html lang=\"pt-BR\"><p>"),
            ("<html lang=de>", "<html lang=de>"),
            ("<html xml:lang=\"de\">", "<html xml:lang=\"de\">"),
            (
                "<html><meta http-equiv=Content-Language content=de>",
                "<html><meta http-equiv=Content-Language content=de>",
            ),
        ] {
            assert_eq!(of(before), after);
        }
        assert_eq!(page("Content-Language: de, en", "<html>"), "<html>");
        assert_eq!(page("Content-Language: \"><script>", "<html>"), "<html>");
    }

    #[test]
    fn a_page_in_xhtml_stays_well_formed() {
        let fields = "Content-Language: pt\r\nLink: <s.css?a&b>; rel=stylesheet; media=\"x\"";
        let head = format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n");
        let response = HttpResponse::read(head.as_bytes()).unwrap();
        let fields = ResponseFields::of(&response, "http://h/a/b");
        let of = |page: &str| {
            String::from_utf8(fields.in_xhtml(page.as_bytes().into()).into_owned()).unwrap()
        };
        let link = "<link rel=\"stylesheet\" href=\"http://h/a/s.css?a&amp;b\" media=\"x\"/>";
        let html = "xmlns=\"http://www.w3.org/1999/xhtml\"";
        let tags = "lang=\"pt\" xml:lang=\"pt\"";
        let start = "<?xml version=\"1.0\"?>\n<!DOCTYPE html>\n";
        assert_eq!(
            of(&format!("{start}<html {html}><head><title/></head></html>")),
            format!("{start}<html {tags} {html}><head>{link}<title/></head></html>")
        );
        assert_eq!(
            of(&format!("<html xml:lang='de' {html}><body/></html>")),
            format!("<html xml:lang='de' {html}><body/></html>")
        );
        assert_eq!(
            of(&format!("<html {html}><head/></html>")),
            format!("<html {tags} {html}><head/></html>")
        );
        for other in [
            "<html><head></head></html>".to_owned(),
            format!("<h:html xmlns:h={html}><h:head></h:head></h:html>"),
            format!(
                "<!DOCTYPE html [<!ENTITY e \"<html {html}>\">]><html {html}><head></head></html>"
            ),
            format!("<html {html}/>"),
        ] {
            assert_eq!(of(&other), other);
        }
    }

    #[test]
    fn links_that_count_for_a_page_are_kept() {
        let of = |links: &str| page(&format!("Link: {links}"), "<html><head><base href=/x/>");
        let kept = |links: &str| format!("<html><head>{links}<base href=/x/>");
        for (links, elements) in [
            ("<s.css>; rel=stylesheet", "<link rel=\"stylesheet\" href=\"http://h/a/s.css\">"),
            (
                "</s.css>; rel=\"StyleSheet\"; media=\"print\"",
                "<link rel=\"stylesheet\" href=\"http://h/s.css\" media=\"print\">",
            ),
            (
                "<n>; rel=next, <?a&b>; title=\"x; rel=y\"; rel=canonical",
                "<link rel=\"canonical\" href=\"http://h/a/b?a&amp;b\">",
            ),
            ("<s.css>; rel=\"alternate stylesheet\"", ""),
            ("<s.css>; rel=preload; as=style", ""),
            ("<s.css>; rel=stylesheet; anchor=\"#x\"", ""),
        ] {
            assert_eq!(of(links), kept(elements), "{links}");
        }
    }

    #[test]
    fn a_page_without_content_leads_on() {
        let of = |text: &str| page("Refresh: 0; url=\"/new\"", text);
        assert_eq!(of(" "), "<meta http-equiv=\"refresh\" content=\"0; url=&quot;/new&quot;\"> ");
        assert_eq!(of("<p>x"), "<p>x");
    }
}
