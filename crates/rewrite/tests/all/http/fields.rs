//! Header fields in both directions, and the fields that define the base.

use relink_rewrite::{Mail, OptIn, Options, Outcome, Profile, SkipReason, SkipScope, Skipped};

use super::{
    RESPONSE, absolute_with, check, check_absolute, check_kept, check_list, check_relative, list,
};
use crate::listing::{at_url, make_absolute, unit};

#[test]
fn fields_of_one_url() {
    // These are absolute in a relocatable tree too.
    check("Location: ../x", "Location: http://h/x", "Location: http://h/x");
    check_kept("Location: http://h/x");
    check(
        "Content-Location: x",
        "Content-Location: http://h/d/x",
        "Content-Location: http://h/d/x",
    );
    check_kept("Content-Location: http://h/d/x");
    check("SourceMap: x.map", "SourceMap: http://h/d/x.map", "SourceMap: x.map");
    check("X-SourceMap: http://h/x.map", "X-SourceMap: http://h/x.map", "X-SourceMap: ../x.map");
    check(
        "Speculation-Rules: \"/x\", \"y\"",
        "Speculation-Rules: \"http://h/x\", \"http://h/d/y\"",
        "Speculation-Rules: \"../x\", \"y\"",
    );
    for (field, absolute, relative) in [
        (
            "speculation-rules:\"/x\"",
            "speculation-rules:\"http://h/x\"",
            "speculation-rules:\"../x\"",
        ),
        (
            "Speculation-Rules: \"x?y\";a=1",
            "Speculation-Rules: \"http://h/d/x?y\";a=1",
            "Speculation-Rules: \"x?y\";a=1",
        ),
        (
            "Speculation-Rules: \"//h/d/x\"",
            "Speculation-Rules: \"http://h/d/x\"",
            "Speculation-Rules: \"x\"",
        ),
        (
            "Speculation-Rules: \"http://i/x\" , \"/d/\"",
            "Speculation-Rules: \"http://i/x\" , \"http://h/d/\"",
            "Speculation-Rules: \"http://i/x\" , \"./\"",
        ),
    ] {
        check(field, absolute, relative);
    }
    check(
        "Reporting-Endpoints: a=\"/x\";p=\"/no\", b=\"http://i/\"",
        "Reporting-Endpoints: a=\"http://h/x\";p=\"/no\", b=\"http://i/\"",
        "Reporting-Endpoints: a=\"../x\";p=\"/no\", b=\"http://i/\"",
    );
    check("X-Pingback: /x", "X-Pingback: http://h/x", "X-Pingback: http://h/x");
    check("location:/x", "location:http://h/x", "location:http://h/x");
    // These are bases only if they are absolute, and are never made so.
    check_kept("Content-Base: /x/");
    check_kept("Base: x/");
    check_kept("Content-Base: http://h/x/");
    for name in ["Referer", "ETag", "Via", "X-Location", "Set-Cookie", "Content-Disposition"] {
        check_kept(&format!("{name}: /x"));
    }
}

#[test]
fn links_and_their_anchors() {
    check(
        "Link: <a>; rel=\"next\", </b>;rel=\"x, y\"; title=\"<c>\",<http://h/d/e>",
        "Link: <http://h/d/a>; rel=\"next\", <http://h/b>;rel=\"x, y\"; title=\"<c>\",<http://h/d/e>",
        "Link: <a>; rel=\"next\", <../b>;rel=\"x, y\"; title=\"<c>\",<e>",
    );
    check(
        "Link: <a>; anchor=\"b\", <c>; rel=x; ANCHOR=\"http://h/d/e#f\"",
        "Link: <http://h/d/a>; anchor=\"http://h/d/b\", <http://h/d/c>; rel=x; ANCHOR=\"http://h/d/e#f\"",
        "Link: <a>; anchor=\"b\", <c>; rel=x; ANCHOR=\"e#f\"",
    );
    // These refer to this document.
    check_kept("Link: <#x>; anchor=\"#foo\"");
    check("Link: <a\r\nLink: <a>", "Link: <a\r\nLink: <http://h/d/a>", "Link: <a\r\nLink: <a>");
}

#[test]
fn refreshes() {
    check("Refresh: 5; url=x", "Refresh: 5; url=http://h/d/x", "Refresh: 5; url=x");
    check("Refresh: 0;URL='/x'", "Refresh: 0;URL='http://h/x'", "Refresh: 0;URL='../x'");
    check_kept("Refresh: 5");
}

#[test]
fn what_archives_keep_of_the_first_response() {
    let original = "Link: <http://old/a/b>; rel=\"original\", <http://h/d/m>; rel=\"memento\"";
    let fields = format!("{original}\r\nX-Archive-Orig-Location: c\r\nX-Archive-Orig-Link: <c>");
    let text = format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n");
    check_list(
        &text,
        &[
            "HEADER header Link http://old/a/b -> http://old/a/b",
            "HEADER header Link http://h/d/m -> http://h/d/m",
            "HEADER header X-Archive-Orig-Location c -> http://old/a/c",
            "HEADER header X-Archive-Orig-Link c -> http://old/a/c",
        ],
    );
    check_absolute(&text, &text);
    let options = Options::default().with_opt_in(OptIn::default().with_ids(true));
    assert_eq!(
        absolute_with(RESPONSE, &options, &text),
        text.replace("Location: c", "Location: http://old/a/c")
            .replace("Link: <c>", "Link: <http://old/a/c>")
    );
    // The resource that these belong to is unknown.
    check_list(
        "HTTP/1.1 200 OK\nX-Archive-Orig-Content-Location: c\n\n",
        &["HEADER header X-Archive-Orig-Content-Location c -> none"],
    );
}

#[test]
fn white_space_in_a_url_has_two_readings() {
    for fields in ["Location: a b", "Location: a\r\n b", "Link: <a b>", "Content-Location: a\tb"] {
        let text = format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n");
        let context = at_url();
        let rewritten =
            make_absolute(unit(text.as_bytes(), RESPONSE, &context), &Options::default());
        assert_eq!(rewritten.output(), None, "{fields:?}");
        assert_eq!(rewritten.report.counts.get(Outcome::Ambiguous), 1, "{fields:?}");
    }
    // A fold between links is not part of them.
    check("Link: <a>,\r\n <b>", "Link: <http://h/d/a>,\r\n <http://h/d/b>", "Link: <a>,\r\n <b>");
}

#[test]
fn lines_may_be_long() {
    let long = "x".repeat(1200);
    let (text, expected) =
        (format!("Link: <{long}>, <a>"), format!("Link: <http://h/d/{long}>, <http://h/d/a>"));
    check(&text, &expected, &text);
    let nearly = "x".repeat(980);
    check(
        &format!("Link: <{nearly}>"),
        &format!("Link: <http://h/d/{nearly}>"),
        &format!("Link: <{nearly}>"),
    );
}

#[test]
fn content_base_and_base_give_the_base() {
    let text = |base: &str, link: &str, location: &str, href: &str| {
        format!(
            "HTTP/1.1 200 OK\r\n{base}\r\nLink: <{link}>\r\nContent-Location: {location}\r\nLocation: http://h/l\r\nContent-Type: text/html\r\n\r\n<a href={href}>"
        )
    };
    for base in [
        "Content-Base: http://i/x/",
        "Base: <URL:http://i/x/>",
        "Base: /j\r\nBase: x\r\nContent-Base: http://i/x/#f",
    ] {
        check_absolute(
            &text(base, "a", "b", "c"),
            &text(base, "http://i/x/a", "http://i/x/b", "http://i/x/c"),
        );
    }
    let both = "Base: http://j/\r\nContent-Base: http://i/x/";
    check_absolute(
        &text(both, "a", "b", "c"),
        &text(both, "http://i/x/a", "http://i/x/b", "http://i/x/c"),
    );
    let other = "Content-Base: http://h/e/";
    check_relative(
        &text(other, "http://h/d/a", "http://h/d/b", "http://h/e/c"),
        &text(other, "../d/a", "http://h/d/b", "c"),
    );
    // These are relative to the requested URL (RFC 9110 10.2.2).
    check_absolute(
        "HTTP/1.1 201 Created\nContent-Base: http://i/\nLocation: x\nSourceMap: y\n\n",
        "HTTP/1.1 201 Created\nContent-Base: http://i/\nLocation: http://h/d/x\nSourceMap: http://h/d/y\n\n",
    );
}

#[test]
fn content_location_is_no_base_but_in_old_texts() {
    let text =
        "HTTP/1.1 200 OK\nContent-Location: http://i/x/\nContent-Type: text/html\n\n<a href=y>";
    for (profile, target) in [
        (Profile::Relink, "http://h/d/y"),
        (Profile::Rfc1808, "http://h/d/y"),
        (Profile::UrlSyntax00, "http://i/x/y"),
        (Profile::Rfc2110, "http://i/x/y"),
        (Profile::Rfc2557, "http://i/x/y"),
    ] {
        let mail = Mail::default().with_profile(profile);
        let options = Options::default().with_mail(mail);
        let expected = text.replace("href=y", &format!("href={target}"));
        assert_eq!(absolute_with(RESPONSE, &options, text), expected, "{profile:?}");
    }
}

#[test]
fn what_is_no_response_is_skipped() {
    for text in [
        "",
        "<a href=x>",
        "GET / HTTP/1.1\nHost: h\nLocation: x\n\n",
        "Location: x\n\n",
        "HTTP/1.1 2x0\nLocation: x\n\n",
    ] {
        let (lines, skipped) = list(RESPONSE, text, &Options::default());
        assert_eq!(lines, [""; 0], "{text:?}");
        assert_eq!(
            skipped,
            [Skipped {
                reason: SkipReason::NoResponse,
                at: 0,
                extent: SkipScope::Unit,
                part: None
            }]
        );
    }
}

#[test]
fn lines_that_are_no_fields_are_reported() {
    let text = "HTTP/1.1 200 OK\nA: b\nno field\nBase: x\nLocation: y\n\n";
    let context = at_url();
    let report = relink_rewrite::references(
        unit(text.as_bytes(), RESPONSE, &context),
        &Options::default(),
        |_| {},
    );
    let faults: Vec<(usize, &str, &str)> =
        report.faults.iter().map(|fault| (fault.at, &*fault.part, &*fault.reason)).collect();
    assert_eq!(
        faults,
        [
            (21, "HEADER", "this line of the header section is not a header field"),
            (36, "HEADER", "Base ignored; its value gives no base")
        ]
    );
    check_absolute(text, &text.replace(" y", " http://h/d/y"));
}
