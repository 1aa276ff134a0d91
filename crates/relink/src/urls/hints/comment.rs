//! What programs record in a document of its origin: comments of browsers, SingleFile and HTTrack;
//! a script of the Wayback Machine, which calls `__wm.wombat` with the archived URL, the time, and
//! the archive's own URL; and `Snapshot-Content-Location`, the header field in which Blink records
//! the URL of a page that it saves as MHTML.

use basectx::message::{Message, url_of};
use layers::js;
use memchr::memmem;
use urlcore::{Dialect, Reference};

use super::{Hint, HintSource, Noted};
use crate::urls::layout;

/// Returns the source and URL in a comment; `text` is the text between `<!--` and `-->`.
pub(super) fn parse(text: &[u8]) -> Option<(HintSource, Noted)> {
    let words = text.trim_ascii_start();
    match () {
        () if words.starts_with(SAVED_FROM) => Some((HintSource::SavedFrom, saved_from(text)?)),
        () if SINGLE_FILE.iter().any(|words_of| words.starts_with(words_of)) => {
            Some((HintSource::SingleFile, single_file(text)?))
        }
        () => Some((HintSource::Httrack, httrack(text)?)),
    }
}

const SAVED_FROM: &[u8] = b"saved from url=(";

/// Reads ` saved from url=(0014)http://h.example/ `: the number is the length of the URL in
/// characters. Internet Explorer introduced it ("Mark of the Web"), and others followed. A URL with
/// blanks is used only if the number gives its end.
fn saved_from(text: &[u8]) -> Option<Noted> {
    let rest = text.trim_ascii_start().strip_prefix(SAVED_FROM)?;
    let end = rest.iter().position(|byte| *byte == b')').filter(|end| (1..10).contains(end))?;
    let len: usize = std::str::from_utf8(&rest[..end]).ok()?.parse().ok()?;
    let url = std::str::from_utf8(rest[end + 1..].trim_ascii_end()).ok()?;
    let is_counted = url.len() == len || url.chars().count() == len;
    if url.contains(char::is_whitespace) && !is_counted {
        return None;
    }
    let mut noted = Noted::within(url, text);
    // Blink writes `--`, which a comment cannot contain, as `-%2D`; to a server that is the same
    // (RFC 3986 6.2.2.2).
    noted.url = noted.url.replace("-%2D", "--");
    Some(noted)
}

/// The start of the comment of SingleFile, now and formerly.
const SINGLE_FILE: [&[u8]; 2] = [b"Page saved with SingleFile", b"Archive processed by SingleFile"];

/// Reads a line `url: …` after the first.
fn single_file(text: &[u8]) -> Option<Noted> {
    let lines = text.trim_ascii_start().split(|byte| matches!(byte, b'\n' | b'\r')).skip(1);
    let url = lines.map(<[u8]>::trim_ascii).find_map(|line| line.strip_prefix(b"url:"))?;
    Some(Noted::within(std::str::from_utf8(url.trim_ascii()).ok()?, text))
}

/// Reads the comment of HTTrack, which omits `http://`.
fn httrack(text: &[u8]) -> Option<Noted> {
    let origin = layout::httrack_note(text)?;
    let mut noted = Noted::within(origin, text);
    if !origin.contains("://") {
        noted.url.insert_str(0, "http://");
    }
    Some(noted)
}

// Pages from the Wayback Machine of the Internet Archive: a script that it puts before the page
// calls `__wm.wombat` with the archived URL, the time, and the archive's own URL.
//
// Such a page has a URL in the archive,
// `https://web.archive.org/web/20200101000000/http://h.example/`, and its references are written
// to point there.

const CALL: &[u8] = b"__wm.wombat(";

/// Returns the URL of a page in the archive; `text` is the script that calls `wombat`. The span is
/// that of the archived URL.
pub(in crate::urls::hints) fn archived(text: &[u8]) -> Option<Noted> {
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

// `Snapshot-Content-Location`: the header field in which Blink records the URL of a page that it
// saves as MHTML.
//
// No specification defines it as a base. MHTML by Blink has an absolute `Content-Location` for
// each part, which is a base; if no header section of a message declares a base, this field gives
// the URL of the message.

pub(super) const FIELD: &str = "Snapshot-Content-Location";

/// Returns the hint of a message.
pub(super) fn snapshot_location(bytes: &[u8]) -> Option<Hint> {
    let head = &bytes[..bytes.len().min(super::HEAD)];
    // Mailboxes contain many messages without the field, so only the header section is searched.
    let end = memchr::memchr_iter(b'\n', head).find_map(|at| match head[at + 1..] {
        [b'\n', ..] => Some(at + 2),
        [b'\r', b'\n', ..] => Some(at + 3),
        _ => None,
    })?;
    // Only Blink writes it, in this spelling.
    memmem::find(&head[..end], FIELD.as_bytes())?;
    // The parts are examined only if the message has the field.
    let header = &bytes[..end];
    let message = Message::read(header);
    let field = message.entities.first()?.field(FIELD, header)?;
    let hint = Hint::new(HintSource::Snapshot, &url_of(field, header)?, Some(field.value))?;
    let message = Message::read(bytes);
    let has_base = message.entities.iter().any(|entity| {
        let fields = BASES.iter().filter_map(|name| entity.field(name, bytes));
        fields.filter_map(|field| url_of(field, bytes)).any(|url| is_base(&url))
    });
    (!has_base).then_some(hint)
}

/// The fields that declare a base, in one profile or another.
const BASES: [&str; 3] = ["Content-Base", "Base", "Content-Location"];

fn is_base(url: &str) -> bool {
    let reference = Reference::split(url, Dialect::Rfc3986);
    reference.is_absolute()
        && (reference.authority().is_some() || reference.path().starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(HintSource, &str)>) {
        let found = parse(text.as_bytes());
        assert_eq!(found.as_ref().map(|(source, noted)| (*source, &*noted.url)), expected);
        if let Some((_, noted)) = found.filter(|(source, _)| *source != HintSource::Httrack) {
            assert_eq!(text[noted.span.start..noted.span.end].replace("-%2D", "--"), noted.url);
        }
    }

    #[test]
    fn the_length_says_where_a_url_with_blanks_ends() {
        let saved = |url| Some((HintSource::SavedFrom, url));
        check(" saved from url=(0014)http://h.test/ ", saved("http://h.test/"));
        check(" saved from url=(0014)http://h.test/", saved("http://h.test/"));
        check(" saved from url=(0017)http://h.test/a b ", saved("http://h.test/a b"));
        check(" saved from url=(0016)http://h.test/\u{E9}b ", saved("http://h.test/\u{E9}b"));
        check(" saved from url=(00016)http://h.test/\u{E9} ", saved("http://h.test/\u{E9}"));
        // An incorrect number.
        check(" saved from url=(0003)http://h.test/ ", saved("http://h.test/"));
        check(" saved from url=(9999)http://h.test/ ", saved("http://h.test/"));
        for none in ["(0014)http://h.test/a b", "(x)http://h.test/", "()http://h.test/", "(0014"] {
            check(&format!(" saved from url={none} "), None);
        }
        check(" saved from url=(0019)http://h.test/a-%2Db ", saved("http://h.test/a--b"));
    }

    #[test]
    fn single_file_has_a_line() {
        let text =
            "\n Page saved with SingleFile \n url: https://h.test/a?b=c \n saved date: Sat\n";
        check(text, Some((HintSource::SingleFile, "https://h.test/a?b=c")));
        check("\r\n Archive processed by SingleFile \r\n url:http://h.test/", {
            Some((HintSource::SingleFile, "http://h.test/"))
        });
        check("Page saved with SingleFile url: http://h.test/", None);
    }

    #[test]
    fn httrack_leaves_out_the_scheme() {
        let text = |origin| {
            format!(" Mirrored from {origin} by HTTrack Website Copier/3.x [XR&CO'2014], Sat ")
        };
        check(&text("h.test/a?b"), Some((HintSource::Httrack, "http://h.test/a?b")));
        check(&text("https://h.test/a"), Some((HintSource::Httrack, "https://h.test/a")));
        check(" Mirrored from h.test/ ", None);
    }

    #[track_caller]
    fn check_wayback(arguments: &str, expected: Option<&str>) {
        let text = format!("__wm.init(\"x\");\n  __wm.wombat({arguments});");
        assert_eq!(archived(text.as_bytes()).map(|noted| noted.url).as_deref(), expected);
    }

    #[test]
    fn the_url_in_the_archive() {
        let page = "https://web.archive.org/web/20200101000000/http://h.test/a?b&c";
        check_wayback(
            r#""http://h.test/a?b&amp;c","20200101000000","https://web.archive.org/","web","/_static/",
	      "1577836800""#,
            Some(page),
        );
        check_wayback(r#""http://h.test/a?b&c", "20200101000000""#, Some(page));
        check_wayback(r#"'http:\/\/h.test\/a?b\u0026c','20200101000000'"#, Some(page));
        check_wayback(
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
            check_wayback(none, None);
        }
    }
}
