//! Trees that move: the output of references and of their bases, format by format.

use basectx::Context;
use relink_rewrite::{
    Extras, Filter, Http, Media, MessageFraming, Move, MoveStyle, NewPlace, OptIn, Options,
    Outcome, PrefixMap, Rewritten, TextFormat, Unit, Verify, VerifyError, relocate,
};

const OLD: &str = "http://old/";
const NEW: &str = "ftp://new/pub/b/";
const URL: &str = "http://old/d/p.html";

fn by(pairs: &[(&str, &str)]) -> PrefixMap {
    let mut moves = PrefixMap::default();
    for (from, to) in pairs {
        moves.add(from, to, []).unwrap();
    }
    moves
}

fn with(input: &str, media: Media, to: &Move, options: &Options, url: Option<&str>) -> Rewritten {
    let new = url.map(|url| to.map.url(url).parse().unwrap());
    let context =
        url.map_or(Context::none(), |url| Context::retrieval(url.parse().unwrap(), "--base"));
    let new_place = new.as_ref().map(|url| NewPlace { url, root: "" });
    let bytes = input.as_bytes();
    relocate(Unit::new(bytes, media, &context).with_new_place(new_place), options, to)
}

#[track_caller]
fn text_of(rewritten: Rewritten, input: &str) -> String {
    assert_eq!(rewritten.verify_error(), None, "{input}");
    rewritten.into_output().map_or(input.to_owned(), |output| String::from_utf8(output).unwrap())
}

/// Asserts the output of a document in a tree that moves from `OLD` to `NEW`.
#[track_caller]
fn becomes(media: Media, input: &str, expected: &str) {
    let to = Move::by(by(&[(OLD, NEW)]));
    let moved = with(input, media, &to, &Options::default(), Some(URL));
    assert_eq!(text_of(moved, input), expected);
}

#[test]
fn references_by_their_form() {
    for (old, new) in [
        // A right reference stays, however it is written.
        ("c.html", "c.html"),
        ("../", "../"),
        ("./x/../y", "./x/../y"),
        ("#x", "#x"),
        ("?q", "?q"),
        ("p.html#x", "p.html#x"),
        // Absolute ones move; they match from the root on.
        ("http://old/", "ftp://new/pub/b/"),
        ("http://old", "ftp://new/pub/b/"),
        ("HTTP://OLD:80/a?b#c", "ftp://new/pub/b/a?b#c"),
        ("http://old:8080/", "http://old:8080/"),
        ("https://old/", "https://old/"),
        ("http://older/", "http://older/"),
        ("http://u@old/", "http://u@old/"),
        ("http://old/%7Ea/./b/../c", "ftp://new/pub/b/%7Ea/c"),
        // A path from the root means another one at the new location, and meant one at the old.
        ("/c", "../c"),
        ("/d/c", "c"),
        ("/", "../"),
        ("/d/p.html", "p.html"),
        ("//old/c", "ftp://new/pub/b/c"),
        ("//other/c", "http://other/c"),
        // At the old location there was nothing above the root.
        ("../../c", "../c"),
        ("../../../", "../"),
        // A scheme equal to that of the base is ignored (URL standard, "scheme state").
        ("http:c", "c"),
        ("mailto:u@old", "mailto:u@old"),
        ("urn:x", "urn:x"),
        // An ftp client reads this as a type, a web server as a name (RFC 1738 3.2.2).
        ("http://old/c;type=i", "ftp://new/pub/b/c%3Btype=i"),
    ] {
        let (old, new) = (format!("<a href=\"{old}\">"), format!("<a href=\"{new}\">"));
        becomes(Media::HTML, &old, &new);
    }
}

#[test]
fn bases_follow() {
    for (old, new) in [
        (
            "<base href=http://old/x/><a href=c><a href=/c>",
            "<base href=ftp://new/pub/b/x/><a href=c><a href=../c>",
        ),
        // A base that is a path from the root is written in full, because other references depend
        // on it.
        ("<base href=/x/><a href=c>", "<base href=ftp://new/pub/b/x/><a href=c>"),
        (
            "<base href=sub/><a href=c><a href=../../c>",
            "<base href=sub/><a href=c><a href=../../c>",
        ),
        (
            "<base href=//cdn/x/><a href=c><a href=/c><a href=http://old/c>",
            "<base href=http://cdn/x/><a href=c><a href=/c><a href=ftp://new/pub/b/c>",
        ),
        (
            "<base href=mailto:x><a href=c><a href=http://old/c>",
            "<base href=mailto:x><a href=c><a href=ftp://new/pub/b/c>",
        ),
        // Only the first one is a base; the second is a reference like any other.
        (
            "<base href=x/><base href=http://old/y/><a href=c>",
            "<base href=x/><base href=ftp://new/pub/b/y/><a href=c>",
        ),
        // A value that is not a base of anything stays if it is a template.
        (
            "<a href=http://old/c><template><base href='http:{{ b }}'></template>",
            "<a href=ftp://new/pub/b/c><template><base href='http:{{ b }}'></template>",
        ),
        (
            "<base href='{{ b }}'><a href=c><a href=http://old/c>",
            "<base href='{{ b }}'><a href=c><a href=ftp://new/pub/b/c>",
        ),
        (
            "<base href=http://old/x/><iframe srcdoc='<a href=c><base href=/y/><a href=d>'></iframe>",
            "<base href=ftp://new/pub/b/x/><iframe srcdoc='<a href=c><base href=ftp://new/pub/b/y/><a href=d>'></iframe>",
        ),
    ] {
        becomes(Media::HTML, old, new);
    }
}

#[test]
fn a_base_that_is_to_stay_takes_its_references_along() {
    let to = Move::by(by(&[(OLD, NEW)]));
    let filter = Filter::new(vec![], vec!["base".into()], &Extras::default()).unwrap();
    let options = Options::default().with_filter(filter);
    for (old, new) in [
        (
            "<base href=http://old/x/><a href=c>",
            "<base href=http://old/x/><a href=ftp://new/pub/b/x/c>",
        ),
        ("<base href=x/><a href=c><a href=/c>", "<base href=x/><a href=c><a href=../../c>"),
    ] {
        assert_eq!(text_of(with(old, Media::HTML, &to, &options, Some(URL)), old), new);
    }
    // As written it has another target, and it must not be edited.
    let old = "<base href=/x/><a href=c>";
    assert_eq!(
        with(old, Media::HTML, &to, &options, Some(URL)).verify_error(),
        Some(&VerifyError::Base)
    );
}

#[test]
fn other_places_in_html() {
    for (old, new) in [
        (
            "<link rel=canonical href=/d/p.html>",
            "<link rel=canonical href=ftp://new/pub/b/d/p.html>",
        ),
        (
            "<meta property=og:url content=http://old/d/>",
            "<meta property=og:url content=ftp://new/pub/b/d/>",
        ),
        (
            "<img srcset='http://old/a 1x, b 2x, /c 3x'>",
            "<img srcset='ftp://new/pub/b/a 1x, b 2x, ../c 3x'>",
        ),
        (
            "<p style=\"background:url(http://old/i)\">",
            "<p style=\"background:url(ftp://new/pub/b/i)\">",
        ),
        (
            "<meta http-equiv=refresh content='1;url=http://old/x'>",
            "<meta http-equiv=refresh content='1;url=ftp://new/pub/b/x'>",
        ),
        (
            "<object codebase=http://old/o/ classid=c archive='a /b'>",
            "<object codebase=ftp://new/pub/b/o/ classid=c archive='a ../b'>",
        ),
        ("<object codebase=/o/ classid=c>", "<object codebase=ftp://new/pub/b/o/ classid=c>"),
        (
            "<applet codebase=http://old/o/ archive=a.jar code=A>",
            "<applet codebase=ftp://new/pub/b/o/ archive=a.jar code=A>",
        ),
        ("<p itemid=http://old/x>", "<p itemid=http://old/x>"),
        ("<a href='http://old/{{ x }}'>", "<a href='http://old/{{ x }}'>"),
        (
            "<svg><use href='#x'/><a href='http://old/#x'/></svg>",
            "<svg><use href='#x'/><a href='ftp://new/pub/b/#x'/></svg>",
        ),
        ("<a href=&#104;ttp://old/&amp;x>", "<a href=ftp://new/pub/b/&amp;x>"),
        (
            "<script type=importmap>{\"imports\":{\"a\":\"/m/a.js\",\"http://old/x/\":\"./x/\"}}</script>",
            "<script type=importmap>{\"imports\":{\"a\":\"../m/a.js\",\"ftp://new/pub/b/x/\":\"./x/\"}}</script>",
        ),
    ] {
        becomes(Media::HTML, old, new);
    }
}

#[test]
fn styles() {
    let old = "<base href=/x/><a href=c><a href=/c><a href=http://old/d/p.html#x><a href=http://i/><link rel=canonical href=http://old/d/>";
    let to = |style| Move::by(by(&[(OLD, NEW)])).with_style(style);
    let moved =
        |style| text_of(with(old, Media::HTML, &to(style), &Options::default(), Some(URL)), old);
    assert_eq!(
        moved(MoveStyle::Absolute),
        "<base href=ftp://new/pub/b/x/><a href=ftp://new/pub/b/x/c><a href=ftp://new/pub/b/c><a href=ftp://new/pub/b/d/p.html#x><a href=http://i/><link rel=canonical href=ftp://new/pub/b/d/>"
    );
    assert_eq!(
        moved(MoveStyle::Relative),
        "<base href=ftp://new/pub/b/x/><a href=c><a href=../c><a href=../d/p.html#x><a href=http://i/><link rel=canonical href=ftp://new/pub/b/d/>"
    );
}

#[test]
fn other_formats() {
    let json = Media::json(relink_rewrite::JsonType::Manifest);
    for (media, old, new) in [
        (
            Media::CSS,
            "@import '/a.css';b{c:url(http://old/d)}",
            "@import '../a.css';b{c:url(ftp://new/pub/b/d)}",
        ),
        (
            Media::XML,
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>http://old/a</loc></url></urlset>",
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>ftp://new/pub/b/a</loc></url></urlset>",
        ),
        (
            Media::XML,
            "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://old/x/'><id>http://old/1</id><link href='c'/><entry xml:base='/y/'><link href='d'/><link href='../e'/></entry></feed>",
            "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='ftp://new/pub/b/x/'><id>http://old/1</id><link href='c'/><entry xml:base='ftp://new/pub/b/y/'><link href='d'/><link href='../e'/></entry></feed>",
        ),
        (
            Media::XML,
            "<rss version='2.0'><channel><link>http://old/</link><item><guid isPermaLink='false'>http://old/1</guid><description>&lt;a href=\"/c\"></description></item></channel></rss>",
            "<rss version='2.0'><channel><link>ftp://new/pub/b/</link><item><guid isPermaLink='false'>http://old/1</guid><description>&lt;a href=\"ftp://new/pub/b/c\"></description></item></channel></rss>",
        ),
        (
            json,
            r#"{"start_url":"http://old/app","scope":"/"}"#,
            r#"{"start_url":"ftp://new/pub/b/app","scope":"../"}"#,
        ),
    ] {
        becomes(media, old, new);
    }
}

#[test]
fn identifiers_and_text_if_they_are_enabled() {
    let to = Move::by(by(&[(OLD, NEW)]));
    let opt_in = OptIn::default().with_ids(true).with_text(true).with_markdown(true);
    let options = Options::default().with_opt_in(opt_in);
    for (media, old, new) in [
        (Media::HTML, "<p itemid=http://old/x>", "<p itemid=ftp://new/pub/b/x>"),
        (
            Media::text(TextFormat::Fixed),
            "See <URL:http://old/a>, http://old/b. Not http://older/.\n",
            "See <URL:ftp://new/pub/b/a>, ftp://new/pub/b/b. Not http://older/.\n",
        ),
        (
            Media::MARKDOWN,
            "[a](http://old/a) [b](/b \"t\") <http://old/c>\n\n[d]: http://old/d\n",
            "[a](ftp://new/pub/b/a) [b](../b \"t\") <ftp://new/pub/b/c>\n\n[d]: ftp://new/pub/b/d\n",
        ),
        // Only a URL with a scheme is a reference there.
        (Media::MARKDOWN, "<http:c>\n", "<ftp://new/pub/b/d/c>\n"),
    ] {
        assert_eq!(text_of(with(old, media, &to, &options, Some(URL)), old), new);
    }
}

const MESSAGE: Media = Media::Message(MessageFraming::None);

/// A page saved with its picture.
#[test]
fn messages_move_with_their_header_fields() {
    let old = "MIME-Version: 1.0\r\nSnapshot-Content-Location: http://old/d/p.html\r\nContent-Type: multipart/related; boundary=x\r\n\r\n\
        --x\r\nContent-Type: text/html\r\nContent-Location: http://old/d/p.html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
        <img src=3D\"http://old/i.png\"><a href=3D\"/c\">c</a><a href=3Dd>d</a>\r\n\
        --x\r\nContent-Type: image/png\r\nContent-Location: http://old/i.png\r\n\r\npng\r\n--x--\r\n";
    let new = "MIME-Version: 1.0\r\nSnapshot-Content-Location: ftp://new/pub/b/d/p.html\r\nContent-Type: multipart/related; boundary=x\r\n\r\n\
        --x\r\nContent-Type: text/html\r\nContent-Location: ftp://new/pub/b/d/p.html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
        <img src=3D\"ftp://new/pub/b/i.png\"><a href=3D\"../c\">c</a><a href=3Dd>d</a>\r\n\
        --x\r\nContent-Type: image/png\r\nContent-Location: ftp://new/pub/b/i.png\r\n\r\npng\r\n--x--\r\n";
    becomes(MESSAGE, old, new);
}

#[test]
fn bases_of_header_fields_follow_at_every_level() {
    let old = "Content-Base: http://old/x/\nContent-Type: multipart/mixed; boundary=x\n\n\
        --x\nContent-Type: text/html\nContent-Location: y/z.html\n\n<a href=c><a href=/c>\n\
        --x\nContent-Type: message/rfc822\n\nBase: http://old/m/\nContent-Type: text/html\n\n<a href=c><a href=http://old/e>\n\
        --x\nContent-Type: text/css\nContent-Base: http://cdn/s/\n\na{b:url(c)}d{e:url(http://old/f)}\n--x--\n";
    let new = "Content-Base: ftp://new/pub/b/x/\nContent-Type: multipart/mixed; boundary=x\n\n\
        --x\nContent-Type: text/html\nContent-Location: y/z.html\n\n<a href=c><a href=../../c>\n\
        --x\nContent-Type: message/rfc822\n\nBase: ftp://new/pub/b/m/\nContent-Type: text/html\n\n<a href=c><a href=ftp://new/pub/b/e>\n\
        --x\nContent-Type: text/css\nContent-Base: http://cdn/s/\n\na{b:url(c)}d{e:url(ftp://new/pub/b/f)}\n--x--\n";
    becomes(MESSAGE, old, new);
}

#[test]
fn a_message_without_a_base_has_its_absolute_links_moved() {
    let to = Move::by(by(&[(OLD, NEW)]));
    let old = "Archived-At: <http://old/a>\nList-Help: <http://old/h>, <mailto:u@old>\nContent-Type: text/html\n\n<a href=http://old/b><a href=c>\n";
    let new = "Archived-At: <ftp://new/pub/b/a>\nList-Help: <ftp://new/pub/b/h>, <mailto:u@old>\nContent-Type: text/html\n\n<a href=ftp://new/pub/b/b><a href=c>\n";
    let moved = with(old, MESSAGE, &to, &Options::default(), None);
    assert_eq!(moved.report.counts.get(Outcome::NoBase), 1);
    assert_eq!(text_of(moved, old), new);
}

#[test]
fn what_is_signed_stays() {
    let old = "Content-Base: http://old/\nContent-Type: multipart/mixed; boundary=y\n\n--y\n\
        Content-Type: multipart/signed; boundary=x; protocol=\"application/pgp-signature\"\n\n\
        --x\nContent-Type: text/html\nContent-Base: http://old/q/\n\n<a href=http://old/a>\n\
        --x\nContent-Type: application/pgp-signature\n\nsig\n--x--\n\
        --y\nContent-Type: text/html\n\n<a href=http://old/b><a href=c>\n--y--\n";
    let new = old
        .replace("Content-Base: http://old/\n", "Content-Base: ftp://new/pub/b/\n")
        .replace("http://old/b", "ftp://new/pub/b/b");
    becomes(MESSAGE, old, &new);
}

#[test]
fn other_roots() {
    let moved = |pairs: &[(&str, &str)], url: &str, old: &str| {
        let to = Move::by(by(pairs));
        text_of(with(old, Media::HTML, &to, &Options::default(), Some(url)), old)
    };
    // A longer root takes precedence over a shorter one, and one tree may become two.
    let pairs = [("http://old/", "http://n/"), ("http://old/img/", "http://cdn/i/")];
    assert_eq!(
        moved(&pairs, URL, "<a href=/c><a href=../img/x><img src=http://old/img/y><a href=../img>"),
        "<a href=/c><a href=http://cdn/i/x><img src=http://cdn/i/y><a href=http://cdn/i>"
    );
    // From an ftp server, whose clients support types.
    assert_eq!(
        moved(
            &[("ftp://old/pub/", "https://n/")],
            "ftp://old/pub/d/p.html",
            "<a href=x.zip;type=i><a href=/pub/y><a href=/z>"
        ),
        "<a href=x.zip><a href=../y><a href=ftp://old/z>"
    );
    // From a disk with drives, and from a file server (RFC 8089, appendices E.2 and E.3).
    assert_eq!(
        moved(
            &[("file:///C:/site/", "http://n/")],
            "file:///C:/site/p.html",
            "<a href=C|/site/x><a href=file:///C|/site/x><a href=file:c:/site/y><a href=/C:/site/z><a href=file://localhost/C:/site/w>"
        ),
        "<a href=x><a href=http://n/x><a href=y><a href=z><a href=http://n/w>"
    );
    assert_eq!(
        moved(
            &[("file://server/share/", "file:///srv/")],
            "file://server/share/p.html",
            "<a href='\\\\server\\share\\x'><a href=file://SERVER/share/y><a href=/share/z>"
        ),
        "<a href='file:///srv/x'><a href=file:///srv/y><a href=share/z>"
    );
    // The same root with and without `www`, secure and not.
    let mut moves = PrefixMap::default();
    let names =
        ["https://old/".to_owned(), "http://www.old/".to_owned(), "http://old/%7eme/".to_owned()];
    moves.add("http://old/~me/", "https://n/", names).unwrap();
    let old = "<a href=http://www.old/x><a href=https://OLD/y><a href=http://old/%7eme/z><a href=http://old/w>";
    let to = Move::by(moves);
    assert_eq!(
        text_of(
            with(old, Media::HTML, &to, &Options::default(), Some("http://old/~me/p.html")),
            old
        ),
        "<a href=https://n/x><a href=https://n/y><a href=https://n/z><a href=http://old/w>"
    );
}

#[test]
fn a_page_from_the_archive() {
    let mut moves = by(&[("http://h/", "https://n/")]);
    moves.unwrap_archive();
    let to = Move::by(moves);
    let old = "<a href=/web/2020/http://h/x><a href=y><img src=https://web.archive.org/web/2020im_/http://i/z><a href=/save/x>";
    let url = "https://web.archive.org/web/20200101000000/http://h/d/p.html";
    assert_eq!(
        text_of(with(old, Media::HTML, &to, &Options::default(), Some(url)), old),
        "<a href=../x><a href=y><img src=http://i/z><a href=https://web.archive.org/save/x>"
    );
}

#[test]
fn a_document_that_stays_and_leads_to_what_moves() {
    let to = Move::by(by(&[("http://friend/", "https://friend/")]));
    let old = "<a href=http://friend/x><a href=y><a href=//friend/z>";
    let new = "<a href=https://friend/x><a href=y><a href=https://friend/z>";
    assert_eq!(
        text_of(with(old, Media::HTML, &to, &Options::default(), Some("http://me/p")), old),
        new
    );
    // The URL of the document itself may be unknown.
    let (old, new) =
        ("<base href=http://friend/a/><a href=x>", "<base href=https://friend/a/><a href=x>");
    assert_eq!(text_of(with(old, Media::HTML, &to, &Options::default(), None), old), new);
}

/// A reference that cannot be written at its position stays, and the others move.
#[test]
fn a_reference_that_cannot_be_written_stays_alone() {
    let to = Move::by(by(&[("http://old/", "https://new/")]));
    // NUL is read as U+FFFD, which the charset does not contain; and browsers read `\` as `/`.
    let old = "<meta charset=windows-1252><a href='\\\\o\0\\x'><a href=http://old/a>";
    let moved = with(old, Media::HTML, &to, &Options::default(), Some(URL));
    assert_eq!(moved.report.counts.get(Outcome::Unwritable), 1);
    assert_eq!(text_of(moved, old), old.replace("http://old/", "https://new/"));
}

/// A base that stays because it has two readings keeps the references that depend on it, with or
/// without verification.
#[test]
fn a_base_that_can_be_read_in_two_ways_stays() {
    let to = Move::by(by(&[(OLD, NEW)]));
    let old = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Base: http://old/b c/\r\n\r\n<a href=http://old/b%20c/d><a href=d>";
    let media = Media::Http(Http::Response(None));
    let moved = |verify| {
        let options = Options::default().with_verify(verify);
        text_of(with(old, media, &to, &options, Some(URL)), old)
    };
    assert_eq!(moved(Verify::None), moved(Verify::Fast));
}

/// A `<base>` in the HTML of Markdown stays, and the references that depend on it point to the new
/// locations of their targets.
#[test]
fn a_base_in_a_document_in_markdown() {
    let input = "<iframe srcdoc='<base href=http://old/x/><a href=http://old/x/c><a href=d>'>";
    let expected = "<iframe srcdoc='<base href=http://old/x/><a href=ftp://new/pub/b/x/c><a href=ftp://new/pub/b/x/d>'>";
    let opt_in = OptIn::default().with_markdown(true);
    for verify in [Verify::None, Verify::Fast, Verify::Full] {
        let options = Options::default().with_opt_in(opt_in).with_verify(verify);
        let to = Move::by(by(&[(OLD, NEW)]));
        assert_eq!(
            text_of(with(input, Media::MARKDOWN, &to, &options, Some(URL)), input),
            expected
        );
    }
}
