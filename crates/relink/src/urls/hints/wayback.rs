//! Pages from the Wayback Machine of the Internet Archive: a script that it puts before the page
//! calls `__wm.wombat` with the archived URL, the time, and the archive's own URL.
//!
//! Such a page has a URL in the archive,
//! `https://web.archive.org/web/20200101000000/http://h.example/`, and its references are written
//! to point there.

use layers::js;
use memchr::memmem;

use super::Noted;

const CALL: &[u8] = b"__wm.wombat(";

/// Returns the URL of a page in the archive; `text` is the script that calls `wombat`. The span is
/// that of the archived URL.
pub(in crate::urls::hints) fn parse(text: &[u8]) -> Option<Noted> {
    let start = memmem::find(text, CALL)? + CALL.len();
    let mut rest = &text[start..];
    let archived = string(&mut rest)?;
    let time = string(&mut rest)?;
    let archive = string(&mut rest).unwrap_or("https://web.archive.org/");
    let collection = string(&mut rest).unwrap_or("web");
    let is_time = (4..=14).contains(&time.len()) && time.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = !collection.is_empty()
        && collection.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    let is_archive = archive.starts_with("http") && archive.ends_with('/');
    if !is_time || !is_name || !is_archive {
        return None;
    }
    // The archive writes the URL with the escapes of HTML.
    let url = js::decode(archived).text.replace("&amp;", "&");
    let span = Noted::within(archived, text).span;
    Some(Noted { url: format!("{archive}{collection}/{time}/{url}"), span })
}

/// Returns the content of the string that is the next argument.
fn string<'t>(rest: &mut &'t [u8]) -> Option<&'t str> {
    let text = rest.trim_ascii_start();
    let text = text.strip_prefix(b",").unwrap_or(text).trim_ascii_start();
    let (quote, text) = text.split_first().filter(|(quote, _)| b"\"'".contains(quote))?;
    let mut is_escaped = false;
    let end = text.iter().position(|byte| {
        let is_end = byte == quote && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    })?;
    *rest = &text[end + 1..];
    std::str::from_utf8(&text[..end]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &str, expected: Option<&str>) {
        let text = format!("__wm.init(\"x\");\n  __wm.wombat({arguments});");
        assert_eq!(parse(text.as_bytes()).map(|noted| noted.url).as_deref(), expected);
    }

    #[test]
    fn the_url_in_the_archive() {
        let page = "https://web.archive.org/web/20200101000000/http://h.test/a?b&c";
        check(
            r#""http://h.test/a?b&amp;c","20200101000000","https://web.archive.org/","web","/_static/",
	      "1577836800""#,
            Some(page),
        );
        check(r#""http://h.test/a?b&c", "20200101000000""#, Some(page));
        check(r#"'http:\/\/h.test\/a?b\u0026c','20200101000000'"#, Some(page));
        check(
            r#""http://h.test/","2001","http://archive.test/","all""#,
            Some("http://archive.test/all/2001/http://h.test/"),
        );
        for none in [
            r#""http://h.test/","today""#,
            r#""http://h.test/""#,
            r#"url,"20200101000000""#,
            r#""http://h.test/","20200101000000","javascript:/""#,
            r#""http://h.test/\"#,
        ] {
            check(none, None);
        }
    }
}
