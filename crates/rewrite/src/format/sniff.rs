//! HTML and XML by their first bytes: the patterns of the MIME Sniffing standard, section 7.1,
//! after white space and comments.

/// The number of bytes that are examined.
const EXAMINED: usize = 1024;

const TAGS: [&str; 19] = [
    "<!doctype html",
    "<html",
    "<head",
    "<script",
    "<iframe",
    "<h1",
    "<div",
    "<font",
    "<table",
    "<a",
    "<style",
    "<title",
    "<body",
    "<p",
    // Not in the standard: the start of a fragment in a pipe.
    "<base",
    "<img",
    "<link",
    "<meta",
    "<frameset",
];

/// Returns true if a document begins as HTML does. A page that is XML too was mostly served as
/// HTML, and is read as HTML if its name does not give the type.
pub(super) fn is_html(head: &[u8]) -> bool {
    let Some(rest) = after_comments(head) else { return false };
    let begins_html = |rest: &[u8]| TAGS.iter().any(|tag| begins(rest, tag));
    let is_page = || {
        let end = rest.windows(2).position(|ending| ending == b"?>");
        begins(rest, "<?xml")
            && end.is_some_and(|end| begins_html(rest[end + 2..].trim_ascii_start()))
    };
    begins_html(rest) || (is_page() && !is_feed(head))
}

/// Returns true if a document is a feed or begins with an XML declaration. It may be HTML too.
pub(super) fn is_xml(head: &[u8]) -> bool {
    is_feed(head) || after_comments(head).is_some_and(|rest| begins(rest, "<?xml"))
}

/// Returns the bytes after a byte order mark, white space and comments; `None` if a comment does
/// not end.
fn after_comments(head: &[u8]) -> Option<&[u8]> {
    let mut rest = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    while let Some(comment) = rest.strip_prefix(b"<!--") {
        let end = comment.windows(3).position(|ending| ending == b"-->")?;
        rest = comment[end + 3..].trim_ascii_start();
    }
    Some(rest)
}

fn begins(rest: &[u8], tag: &str) -> bool {
    let (start, after) = rest.split_at(rest.len().min(tag.len()));
    start.eq_ignore_ascii_case(tag.as_bytes())
        && after.first().is_some_and(|byte| b" \t\r\n\x0C>".contains(byte))
}

/// Returns true if a file called HTML is a feed, by the algorithm of browsers: MIME Sniffing
/// standard, section 8.3 ("sniff a mislabeled feed"). Mirrors keep feeds as `feed/index.html`.
///
/// # Examples
///
/// ```
/// use relink_rewrite::is_feed;
/// assert!(is_feed(b"<?xml version='1.0'?>\n<!-- by a program --><rss version='2.0'>"));
/// assert!(!is_feed(b"<?xml version='1.0'?><!DOCTYPE html><html>"));
/// ```
pub fn is_feed(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(EXAMINED)];
    let mut rest = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    loop {
        rest = match rest.trim_ascii_start().strip_prefix(b"<") {
            Some(rest) => rest,
            None => return false,
        };
        let ending: &[u8] = match rest {
            [b'!', b'-', b'-', ..] => b"-->",
            [b'!', ..] => b">",
            [b'?', ..] => b"?>",
            _ => break,
        };
        match rest.windows(ending.len()).position(|found| found == ending) {
            Some(end) => rest = &rest[end + ending.len()..],
            None => return false,
        }
    }
    let holds = |word: &[u8]| rest.windows(word.len()).any(|found| found == word);
    rest.starts_with(b"rss")
        || rest.starts_with(b"feed")
        || rest.starts_with(b"rdf:RDF")
            && holds(b"http://purl.org/rss/1.0/")
            && holds(b"http://www.w3.org/1999/02/22-rdf-syntax-ns#")
}
