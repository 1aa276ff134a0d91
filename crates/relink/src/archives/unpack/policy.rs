//! The policy of a body of mail: no script in it runs, whatever opens it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use basectx::Context;
use layers::{Edit, Edits, Span};
use rewrite::{Fetch, Media, Options, Unit, references};

/// Allows no script, no plugin and no frame: what is in a frame has a policy of its own, or none.
const NO_SCRIPT: &str = "script-src 'none'; object-src 'none'; frame-src 'none'";

/// Also allows nothing from the network.
const NO_REMOTE: &str = "default-src 'self' file: data: 'unsafe-inline'; script-src 'none'; object-src 'none'; frame-src 'none'";

const NO_LOOKUP: &str = "<meta http-equiv=\"x-dns-prefetch-control\" content=\"off\">";

/// Where links lead without a target of their own: to the page around the frame in which the body
/// of a message is, since that may show no other site. The first element of this name with a target
/// counts (HTML standard, 4.2.3).
const BASE: &str = "base target=\"_top\"";

/// Returns a page with the policy in its first element. It comes before anything that could be a
/// script: only a document type is before it, which ends at its first `>` (HTML standard,
/// 13.2.5.53 and following).
pub(super) fn with_policy(bytes: &[u8], blocks_remote: bool) -> Cow<'static, [u8]> {
    let policy = if blocks_remote { NO_REMOTE } else { NO_SCRIPT };
    // What a page has turned off, it cannot turn on again: the names of hosts in links are not
    // looked up.
    let no_lookup = if blocks_remote { NO_LOOKUP } else { "" };
    let meta = format!(
        "<{BASE}>{no_lookup}<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">"
    );
    let (at, meta) = match bytes {
        [0xFF, 0xFE, ..] => (2, meta.bytes().flat_map(|byte| [byte, 0]).collect()),
        [0xFE, 0xFF, ..] => (2, meta.bytes().flat_map(|byte| [0, byte]).collect()),
        _ => (after_doctype(bytes), meta.into_bytes()),
    };
    [&bytes[..at], &meta, &bytes[at..]].concat().into()
}

/// Returns XHTML or SVG with the policy as the first child of its root, in an element that is the
/// `head` of the document. Without a root that is found, it stays as it is.
pub(super) fn with_policy_in_xml(bytes: Cow<'_, [u8]>, blocks_remote: bool) -> Cow<'_, [u8]> {
    let Some(RootTag { name, end, is_empty }) = root(&bytes) else { return bytes };
    let policy = if blocks_remote { NO_REMOTE } else { NO_SCRIPT };
    let head = format!(
        "<h:head xmlns:h=\"http://www.w3.org/1999/xhtml\"><h:{BASE}/><h:meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\"/></h:head>"
    );
    let (before, after) = (&bytes[..end], &bytes[end..]);
    if is_empty {
        let open = &before[..end - 2];
        [open, b">", head.as_bytes(), b"</", &bytes[name], b">", after].concat().into()
    } else {
        [before, head.as_bytes(), after].concat().into()
    }
}

/// The start tag of the root of a document of XML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RootTag {
    name: Range<usize>,
    /// The offset after it.
    end: usize,
    /// True if it is the whole element.
    is_empty: bool,
}

/// Encodings in which each byte of ASCII is a character of its own, by the start of their names.
const ASCII: [&[u8]; 5] = [b"utf-8", b"us-ascii", b"ascii", b"iso-8859-", b"windows-125"];

/// Finds the root of a document of XML (XML 1.0, production 22 and following). Returns `None` for
/// what is none, for an encoding in which its bytes may mean something else, and for a document
/// with a style sheet, which may make another document of it.
pub(super) fn root(bytes: &[u8]) -> Option<RootTag> {
    let mut at = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let find = |at: usize, end: &[u8]| {
        let found = memchr::memmem::find(bytes.get(at..)?, end)?;
        Some(at + found + end.len())
    };
    loop {
        let rest = bytes.get(at..)?;
        at += rest.len() - rest.trim_ascii_start().len();
        let rest = &bytes[at..];
        at = match rest {
            [b'<', b'!', b'-', b'-', ..] => find(at + 4, b"-->")?,
            [b'<', b'?', ..] => {
                let end = find(at + 2, b"?>")?;
                let text = bytes[at + 2..end - 2].to_ascii_lowercase();
                if text.starts_with(b"xml-stylesheet") || !is_ascii(&text) {
                    return None;
                }
                end
            }
            [b'<', b'!', ..] => after_declaration(bytes, at)?,
            [b'<', first, ..] if first.is_ascii_alphabetic() || *first == b'_' => break,
            _ => return None,
        };
    }
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
    let name = at + 1..at + bytes[at..].iter().position(is_end)?;
    let mut quote = None;
    for (idx, byte) in bytes.iter().enumerate().skip(name.end) {
        match (quote, byte) {
            (Some(open), byte) if open == *byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'<') => return None,
            (None, b'>') => {
                return Some(RootTag { name, end: idx + 1, is_empty: bytes[idx - 1] == b'/' });
            }
            _ => {}
        }
    }
    None
}

/// Returns false for the declaration of an encoding that is not one of [`ASCII`]. The text is in
/// lower case.
fn is_ascii(declaration: &[u8]) -> bool {
    let Some(at) = memchr::memmem::find(declaration, b"encoding") else { return true };
    let rest = declaration[at + b"encoding".len()..].trim_ascii_start();
    let value = rest.strip_prefix(b"=").unwrap_or_default().trim_ascii_start();
    let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'"));
    value.is_some_and(|value| ASCII.iter().any(|name| value.starts_with(name)))
}

/// Returns the offset after a document type that begins at `at`, with its internal subset.
fn after_declaration(bytes: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut idx = at + 2;
    while let Some(byte) = bytes.get(idx) {
        let skip = |end: &[u8]| Some(memchr::memmem::find(bytes.get(idx + 1..)?, end)? + end.len());
        match byte {
            b'"' | b'\'' => idx += skip(&[*byte])?,
            b'<' if bytes[idx..].starts_with(b"<!--") => idx += skip(b"-->")?,
            b'<' if bytes[idx..].starts_with(b"<?") => idx += skip(b"?>")?,
            b'<' => depth += 1,
            b'>' if depth == 0 => return Some(idx + 1),
            b'>' => depth -= 1,
            _ => {}
        }
        idx += 1;
    }
    None
}

/// Returns the offset after the byte order mark and the document type.
fn after_doctype(bytes: &[u8]) -> usize {
    let start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let text = bytes[start..].trim_ascii_start();
    let is_doctype = text.get(..9).is_some_and(|text| text.eq_ignore_ascii_case(b"<!doctype"));
    match text.iter().position(|byte| *byte == b'>').filter(|_| is_doctype) {
        Some(end) => bytes.len() - text.len() + end + 1,
        None => start,
    }
}

// What the policy of a body of mail does not govern, and still leads elsewhere: a refresh to a
// part of the message, and, where nothing may be loaded from the network, refreshes, frames, and
// hints to connect. Their references are replaced; so are those of links to documents of the
// message, which the page of the message shows in its frame. Links inside of a body stay in it.

/// The slot of a refresh.
const REFRESH: &str = "meta[refresh]";

/// Slots for which a browser connects whatever the policy forbids: frames, `preconnect`, and
/// `dns-prefetch`.
const CONNECTING: [&str; 6] = [
    "link[href]",
    "link[imagesrcset]",
    "iframe[src]",
    "frame[src]",
    "meta[http-equiv=link]",
    "portal[src]",
];

/// The slots of links.
const LINKS: [&str; 4] = ["a[href]", "area[href]", "svg a[href]", "svg a[xlink:href]"];

/// What takes the place of a reference: without quotes, an empty value would be followed by what is
/// written next.
const EMPTY: &str = "about:blank";

/// What was found in a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Quieted {
    /// The page without such references, if it had some.
    pub(super) page: Option<Vec<u8>>,
    /// The number of references to what is not loaded from the network.
    pub(super) n_blocked: usize,
}

/// Replaces such references of a page at `url`. A refresh leads to a fragment of its own page:
/// without one, it would load the page again and again. `shown` has the references that show
/// documents of the message, by their URLs.
pub(super) fn quieted(
    bytes: &[u8],
    media: Media,
    url: &str,
    options: &Options,
    (blocks_remote, shown): (bool, &HashMap<String, String>),
) -> Quieted {
    let context = url.parse().map_or(Context::none(), |url| Context::retrieval(url, "file"));
    let (mut edits, mut n_blocked): (Vec<Edit>, usize) = (Vec::new(), 0);
    references(Unit::new(bytes, media, &context), options, |site| {
        // Most references of mail are remote at first sight, whatever their target is.
        let is_web = ["http://", "https://"].iter().any(|start| site.text.starts_with(start));
        let target = if is_web { None } else { site.target() };
        let is_remote = target.as_deref().is_none_or(is_remote);
        let is_loaded = site.fetch() != Fetch::Never || CONNECTING.contains(&site.slot_name());
        n_blocked += usize::from(blocks_remote && is_remote && is_loaded);
        if !site.frame.is_exact() {
            return;
        }
        let span = site.frame.raw(site.span);
        let mut edit = |span: Span, text: &str| {
            if edits.last().is_none_or(|last: &Edit| last.span.end <= span.start) {
                edits.push(Edit { span, text: encoded(bytes, text).into(), id: site.id });
            }
        };
        match site.slot_name() {
            REFRESH if blocks_remote || !is_remote => edit(span, "#"),
            name if blocks_remote && is_remote && CONNECTING.contains(&name) => edit(span, EMPTY),
            name if LINKS.contains(&name) => {
                let target = target.as_deref().unwrap_or_default();
                let (document, fragment) = target.split_once('#').unwrap_or((target, ""));
                let is_inside = document == url && !fragment.is_empty();
                if let Some(reference) = shown.get(document).filter(|_| !is_inside) {
                    edit(span, reference);
                }
                // Links of SVG have no default.
                let text = match (is_inside, name.starts_with("svg")) {
                    (true, false) if media == Media::HTML => " target=\"_self\"",
                    (false, true) if media == Media::HTML || !has_target(bytes, span) => {
                        " target=\"_top\""
                    }
                    _ => return,
                };
                if let Some(end) = after_attribute(bytes, span) {
                    edit(Span::new(end, end), text);
                }
            }
            _ => {}
        }
    });
    let edits = Edits::new(edits, bytes.len()).ok().filter(|edits| !edits.as_slice().is_empty());
    Quieted { page: edits.map(|edits| edits.apply(bytes)), n_blocked }
}

/// Returns true if the tag of XML around a value may have a target of its own, which may not be
/// there twice. In XML, no value contains a `<`.
fn has_target(bytes: &[u8], value: Span) -> bool {
    let start = memchr::memrchr(b'<', &bytes[..value.start]).unwrap_or_default();
    let end = memchr::memchr(b'<', &bytes[value.end..]).map_or(bytes.len(), |end| value.end + end);
    memchr::memmem::find(&bytes[start..end], b"target").is_some()
}

/// Returns the offset after the attribute that has this span as its value; `None` in an encoding in
/// which its bytes may mean something else.
fn after_attribute(bytes: &[u8], value: Span) -> Option<usize> {
    if let [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] = bytes {
        return None;
    }
    match bytes[..value.start].trim_ascii_end().last()? {
        quote @ (b'"' | b'\'') => {
            Some(value.end + memchr::memchr(*quote, &bytes[value.end..])? + 1)
        }
        _ => Some(value.end),
    }
}

/// Returns true for a URL that leads to the network; so does a file on a server.
fn is_remote(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once(':') else { return false };
    if scheme.eq_ignore_ascii_case("file") {
        return rest.starts_with("//") && !rest.starts_with("///");
    }
    ["http", "https", "ftp", "ws", "wss"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// Returns a text of ASCII in the encoding of a page.
fn encoded(page: &[u8], text: &str) -> Vec<u8> {
    match page {
        [0xFF, 0xFE, ..] => text.bytes().flat_map(|byte| [byte, 0]).collect(),
        [0xFE, 0xFF, ..] => text.bytes().flat_map(|byte| [0, byte]).collect(),
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_before_the_policy() {
        for (before, after) in [
            ("", "<script>a</script>"),
            ("\u{feff}", "<p>"),
            ("\n<!DOCTYPE html \">", "<script>a</script>\">"),
            ("", "<html \"><script>a</script>"),
            ("", "<!-- --!><script>a</script> -->"),
            ("", "text"),
        ] {
            let page = with_policy(format!("{before}{after}").as_bytes(), false);
            let page = String::from_utf8(page.into_owned()).unwrap();
            let rest = page.strip_prefix(before).unwrap();
            assert!(
                rest.starts_with("<base target=\"_top\"><meta http-equiv") && rest.ends_with(after),
                "{page}"
            );
        }
        for (before, tag, after) in [
            ("", "<svg>", "<script/></svg>"),
            (
                "\u{feff}<?xml version='1.0' encoding='UTF-8'?>\n<!-- <a> --> ",
                "<s:svg a='>' b=\"'>\">",
                "x",
            ),
            ("<!DOCTYPE svg [<!ENTITY a '>]<svg>'> <!-- ' --> <?x '?>]>", "<svg>", "<script/>"),
            ("<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0//EN\" 'x>'>", "<html>", "<head>"),
        ] {
            let text = format!("{before}{tag}{after}");
            let page = with_policy_in_xml(text.as_bytes().into(), false);
            let page = String::from_utf8(page.into_owned()).unwrap();
            let start = format!("{before}{tag}<h:head ");
            assert!(page.starts_with(&start) && page.ends_with(after), "{page}");
        }
        let empty = with_policy_in_xml(b"<a:b onload='x' />".as_slice().into(), true);
        let empty = String::from_utf8(empty.into_owned()).unwrap();
        assert!(empty.starts_with("<a:b onload='x' ><h:head ") && empty.ends_with("></a:b>"));
        for other in [
            "",
            "text",
            "<",
            "<svg a='>",
            "<svg <script>",
            "<?xml-stylesheet href='x'?><svg/>",
            "<?xml version='1.0' encoding='ISO-2022-JP'?><svg/>",
            "<!DOCTYPE svg [<!ENTITY a '><svg/>",
            "\u{feff}\u{feff}<svg/>",
        ] {
            assert_eq!(root(other.as_bytes()), None, "{other}");
        }
        let wide = with_policy(b"\xFF\xFE<\0p\0", true);
        assert!(wide.starts_with(b"\xFF\xFE<\0b\0a\0s\0e\0") && wide.ends_with(b">\0<\0p\0"));
    }

    fn of(page: &str, blocks_remote: bool) -> String {
        let bytes = page.as_bytes();
        let options = Options::default();
        let shown = [("file:///tree/m/a.svg", "index.html#file-2")];
        let shown = shown.map(|(url, shown)| (url.to_owned(), shown.to_owned())).into();
        let url = "file:///tree/m/message.html";
        let quiet = quieted(bytes, Media::HTML, url, &options, (blocks_remote, &shown));
        quiet.page.map_or_else(|| page.to_owned(), |quiet| String::from_utf8(quiet).unwrap())
    }

    #[test]
    fn a_refresh_leads_to_no_part() {
        for (page, expected) in [
            ("<meta http-equiv=refresh content='0;url=s.svg'>", "'0;url=#'"),
            ("<meta http-equiv=refresh content='0;url=cid:a@b'>", "'0;url=#'"),
            ("<meta http-equiv=refresh content=\"1; URL='data:text/html,x'\">", "\"1; URL='#'\""),
            ("<iframe srcdoc='<meta http-equiv=refresh content=\"0;url=s.svg\">'>", "\"0;url=#\""),
        ] {
            let quiet = of(page, false);
            assert!(quiet.contains(expected), "{quiet}");
        }
        let remote = "<meta http-equiv=refresh content='0;url=http://h/'><link href=//h/ rel=icon>";
        assert_eq!(of(remote, false), remote);
    }

    #[test]
    fn links_to_documents_are_confined_and_others_stay() {
        for (page, expected) in [
            ("<a href=#x>", "<a href=#x target=\"_self\">"),
            ("<a href=' #x ' id=a>", "<a href=' #x ' target=\"_self\" id=a>"),
            ("<a href=\"message.html#x\">", "<a href=\"message.html#x\" target=\"_self\">"),
            ("<a href=a.svg>", "<a href=index.html#file-2>"),
            (
                "<area href='a.svg#part' target=_blank>",
                "<area href='index.html#file-2' target=_blank>",
            ),
            (
                "<svg><a xlink:href='a.svg'/></svg>",
                "<svg><a xlink:href='index.html#file-2' target=\"_top\"/></svg>",
            ),
            ("<svg><a href=http://h/>", "<svg><a href=http://h/ target=\"_top\">"),
            ("<img src=a.svg><a href=http://h/#x><a href=b.png><a href=mailto:a@b>", ""),
            ("<base href=http://h/><a href=#x>", ""),
        ] {
            let expected = if expected.is_empty() { page } else { expected };
            assert_eq!(of(page, true), expected);
        }
    }

    #[test]
    fn nothing_connects() {
        for (page, expected) in [
            ("<meta http-equiv=refresh content='0;url=http://h/'>", "content='0;url=#'"),
            ("<base href=http://h/><meta http-equiv=refresh content='0;url=x'>", "url=#"),
            ("<link rel=preconnect href='http://h/'>", "href='about:blank'"),
            ("<iframe src=https://h/ http://h/>", "src=about:blank http://h/>"),
            ("<frameset><frame src='//h/'>", "<frame src='about:blank'>"),
        ] {
            assert!(of(page, true).contains(expected), "{}", of(page, true));
        }
        let kept = "<a href=http://h/>a</a><img src=x.png><link rel=stylesheet href=x.css>";
        assert_eq!(of(kept, true), kept);
        let page = b"<img src=http://h/ srcset='//h/a 2x'><a href=http://h/><link href=http://h/>";
        let quiet = |blocks| {
            let all = (blocks, &HashMap::new());
            quieted(page, Media::HTML, "file:///tree/m.html", &Options::default(), all).n_blocked
        };
        assert_eq!([quiet(true), quiet(false)], [3, 0]);
        // Also those of style sheets and SVG; not links.
        let page = "<style>@import 'http://h/a.css';p{background:url(http://h/b.png)}</style>\
                    <p style='background:url(//h/c.png)'><svg><image href=http://h/d.png></svg>\
                    <link rel=stylesheet href=http://h/e.css><a href=http://h/>a</a>\
                    <img src=cid:a@b><form action=http://h/></form>";
        let url = "file:///tree/m.html";
        let all = (true, &HashMap::new());
        let quiet = quieted(page.as_bytes(), Media::HTML, url, &Options::default(), all);
        assert_eq!(quiet.n_blocked, 5);
    }
}
