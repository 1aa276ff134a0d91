//! References as people typed them in the years of the drafts: delimiters, the prefix, white space.

use urlcore::{Dialect, Strictness, typed};

const EARLY: [Dialect; 4] =
    [Dialect::Url1993, Dialect::Rfc1808Draft05, Dialect::Rfc1808, Dialect::UrlSyntax1996];

#[track_caller]
fn check(text: &str, dialects: &[Dialect], expected: &str) {
    for &dialect in dialects {
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            let found = typed(text, dialect, strictness);
            assert_eq!(found.reference, expected, "{text:?} in {dialect}");
        }
    }
}

#[test]
fn the_prefix_is_not_part_of_a_url() {
    // 1993 "prefixedurl"; RFC 1738, appendix; RFC 1808 5: "<URL:g:h>".
    check("URL:http://info.cern.ch/", &EARLY, "http://info.cern.ch/");
    check("url: http://info.cern.ch/", &EARLY, "http://info.cern.ch/");
    check("<URL:g:h>", &EARLY, "g:h");
    check("<URL:../g>", &EARLY, "../g");
    check("<URL:ftp://ds.internic.net/rfc/>", &EARLY, "ftp://ds.internic.net/rfc/");
    check("URL:", &EARLY, "");
    check("urn:x", &EARLY, "urn:x");
    check("URL:http://h/", &[Dialect::Rfc2396, Dialect::Rfc3986, Dialect::Web], "URL:http://h/");
    check("<URL:g>", &[Dialect::Rfc2396, Dialect::Rfc3986, Dialect::Web], "<URL:g>");
}

#[test]
fn delimiters_are_not_part_of_a_url() {
    check("<http://h/>", &EARLY, "http://h/");
    check(" <http://h/> ", &EARLY, "http://h/");
    check("<>", &EARLY, "");
    check("<http://h/", &EARLY, "<http://h/");
    check("<", &EARLY, "<");
    check("\"", &EARLY, "\"");
    check("\"http://www.w3.org/pub/WWW/\"", &EARLY[1..], "http://www.w3.org/pub/WWW/");
    // Quotes are characters of URLs in 1993 ("extra").
    check("\"g\"", &EARLY[..1], "\"g\"");
}

#[test]
fn white_space_is_not_part_of_a_url() {
    // The example of 1996, appendix E.
    let broken = "<ftp://ds.internic.\nnet/rfc/>";
    check(broken, &EARLY, "ftp://ds.internic.net/rfc/");
    let broken = "<http://ds.internic.net/\n    instructions/overview.html#WARNING>";
    check(broken, &EARLY, "http://ds.internic.net/instructions/overview.html#WARNING");
    check("http://h/a\r\n  b", &EARLY, "http://h/ab");
    check("<http://h/a \t b>", &EARLY[1..], "http://h/ab");
    check("URL: http://h/a b", &EARLY[1..], "http://h/ab");
    // A space is a character of URLs in 1993: "<gopher://…/00>About Gopher/About Gopher>".
    check("<URL:gopher://h/00/About Gopher>", &EARLY[..1], "gopher://h/00/About Gopher");
    for dialect in &EARLY[1..] {
        let read = |strictness| typed("http://h/a b", *dialect, strictness).reference;
        assert_eq!(read(Strictness::Lenient), "http://h/ab");
        assert_eq!(read(Strictness::Strict), "http://h/a b");
    }
}

#[test]
fn a_hyphen_at_the_end_of_a_line_may_be_the_typesetters() {
    for dialect in EARLY {
        let found = typed("<http://h/long-\n  name>", dialect, Strictness::Strict);
        assert_eq!(found.reference, "http://h/long-name");
        assert_eq!(found.without_hyphens.as_deref(), Some("http://h/longname"));
        assert_eq!(typed("<http://h/a-b>", dialect, Strictness::Strict).without_hyphens, None);
    }
}
