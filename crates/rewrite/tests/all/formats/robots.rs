//! `robots.txt`.

use relink_rewrite::{FormatId, Media};

use super::{absolute, check, convert, options};

const ROBOTS: &str = "text/x-robots-txt";

#[test]
fn sitemaps() {
    let text = "User-agent: *\nDisallow: /x\nSitemap: https://o/s.xml # all\r\nsitemap:/t.xml\r\
                SITEMAP : ../u.xml\nSitemap:\nSitemap: a b\n# Sitemap: v\nSitemaps: w\n";
    check(
        ROBOTS,
        &[],
        text,
        &["robots Sitemap https://o/s.xml", "robots Sitemap /t.xml", "robots Sitemap ../u.xml"],
    );
    let expected = text.replace("/t.xml", "http://h/t.xml").replace("../u", "http://h/u");
    assert_eq!(absolute(ROBOTS, &[], text), expected);
    // Crawlers read only absolute URLs.
    let media = Media::from_name(ROBOTS).expect(ROBOTS);
    let rewritten = convert(expected.as_bytes(), media, &options(&[]), true);
    assert_eq!((rewritten.output(), rewritten.verify_error()), (None, None));
}

#[test]
fn the_name_of_the_file_gives_the_format() {
    assert_eq!(FormatId::from_file_name("robots.txt"), FormatId::from_media_type(ROBOTS));
    assert_eq!(FormatId::from_file_name("my-robots.txt"), None);
}
