//! The comments in which browsers, SingleFile and HTTrack record the origin of a page.

use super::{Noted, Source};
use crate::urls::layout;

/// Returns the source and URL in a comment; `text` is the text between `<!--` and `-->`.
pub(super) fn parse(text: &[u8]) -> Option<(Source, Noted)> {
    let words = text.trim_ascii_start();
    match () {
        () if words.starts_with(SAVED_FROM) => Some((Source::SavedFrom, saved_from(text)?)),
        () if SINGLE_FILE.iter().any(|words_of| words.starts_with(words_of)) => {
            Some((Source::SingleFile, single_file(text)?))
        }
        () => Some((Source::Httrack, httrack(text)?)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(Source, &str)>) {
        let found = parse(text.as_bytes());
        assert_eq!(found.as_ref().map(|(source, noted)| (*source, &*noted.url)), expected);
        if let Some((_, noted)) = found.filter(|(source, _)| *source != Source::Httrack) {
            assert_eq!(text[noted.span.start..noted.span.end].replace("-%2D", "--"), noted.url);
        }
    }

    #[test]
    fn the_length_says_where_a_url_with_blanks_ends() {
        let saved = |url| Some((Source::SavedFrom, url));
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
        check(text, Some((Source::SingleFile, "https://h.test/a?b=c")));
        check("\r\n Archive processed by SingleFile \r\n url:http://h.test/", {
            Some((Source::SingleFile, "http://h.test/"))
        });
        check("Page saved with SingleFile url: http://h.test/", None);
    }

    #[test]
    fn httrack_leaves_out_the_scheme() {
        let text = |origin| {
            format!(" Mirrored from {origin} by HTTrack Website Copier/3.x [XR&CO'2014], Sat ")
        };
        check(&text("h.test/a?b"), Some((Source::Httrack, "http://h.test/a?b")));
        check(&text("https://h.test/a"), Some((Source::Httrack, "https://h.test/a")));
        check(" Mirrored from h.test/ ", None);
    }
}
