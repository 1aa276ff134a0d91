//! Plain text, in files and in messages: the URLs that are found, their spans, and text outside of
//! them that must not change; flowed text.

use relink_rewrite::{
    Kind, Media, MessageFraming, OptIn, Options, Outcome, Relative, TextFormat, absolutize,
    references, relativize,
};

use crate::listing::{at_url, list, unit};

const FIXED: Media = Media::text(TextFormat::Fixed);

/// Returns the raw text of each reference in the file, and its target.
#[track_caller]
fn found(media: Media, document: &str) -> Vec<(&str, Option<String>)> {
    let context = at_url();
    let unit = unit(document.as_bytes(), media, &context);
    let (list, report) = list(unit, &Options::default());
    assert_eq!(report.skipped, []);
    for rewritten in [
        absolutize(unit, &Options::default()),
        relativize(unit, &Options::default(), &Relative::default()),
        relativize(unit, &Options::default(), &Relative::default()),
    ] {
        assert_eq!((rewritten.output(), rewritten.verify_error()), (None, None));
        assert_eq!(rewritten.report.skipped, []);
    }
    assert!(list.iter().all(|found| found.slot == "text URL" && found.kind == Kind::Url));
    list.into_iter()
        .map(|found| (&document[found.span.start..found.span.end], found.target))
        .collect()
}

#[track_caller]
fn finds(document: &str, expected: &[(&str, &str)]) {
    let expected: Vec<_> =
        expected.iter().map(|(text, target)| (*text, Some((*target).to_owned()))).collect();
    assert_eq!(found(FIXED, document), expected);
}

#[test]
fn urls_in_text() {
    finds(
        "See http://a/b. (Or <http://c/>.)",
        &[("http://a/b", "http://a/b"), ("http://c/", "http://c/")],
    );
    finds(
        "<URL:ftp://a/b/\r\n   c> \"http://d/\"",
        &[("ftp://a/b/\r\n   c", "ftp://a/b/c"), ("http://d/", "http://d/")],
    );
    // A relative reference is not a URL here; nor is HTML or Markdown syntax.
    finds("../a <b> [c](d) <a href=e> \"f.html\" #g", &[]);
    // It is read according to RFC 3986: a backslash is not a slash.
    finds("<http://a/b\\..\\c>", &[("http://a/b\\..\\c", "http://a/b\\..\\c")]);
}

/// 1996, appendix E: the hyphen may come from line breaking.
#[test]
fn a_hyphen_where_a_line_ends() {
    let document = "<http://a/b-\nc>";
    finds(document, &[("http://a/b-\nc", "http://a/b-c")]);
    let context = at_url();
    let rewritten = absolutize(unit(document.as_bytes(), FIXED, &context), &Options::default());
    assert_eq!(rewritten.report.counts.get(Outcome::Ambiguous), 1);
    references(unit(document.as_bytes(), FIXED, &context), &Options::default(), |site| {
        assert!(site.is_ambiguous());
    });
}

#[test]
fn text_that_flows() {
    let deletes = Media::text(TextFormat::Flowed { deletes_space: true });
    let keeps = Media::text(TextFormat::Flowed { deletes_space: false });
    let document = "> see http://a/b/ \r\n> c. <http://d/ \r\n> e>\r\n";
    let found = |media| found(media, document);
    let pair = |text, target: &str| (text, Some(target.to_owned()));
    assert_eq!(
        found(deletes),
        [pair("http://a/b/ \r\n> c", "http://a/b/c"), pair("http://d/ \r\n> e", "http://d/e")]
    );
    assert_eq!(
        found(keeps),
        [pair("http://a/b/", "http://a/b/"), pair("http://d/ \r\n> e", "http://d/e")]
    );
    // Without a declaration it is unknown that `>` is a quote mark.
    let two = [pair("http://a/b/", "http://a/b/"), pair("http://d/", "http://d/")];
    assert_eq!(found(FIXED), two);
}

/// Returns the references in a message, by part, text and target.
fn in_message(message: &str, opt_in: OptIn) -> Vec<(String, String)> {
    let context = basectx::Context::none();
    let media = Media::Message(MessageFraming::None);
    let unit = unit(message.as_bytes(), media, &context);
    let mut list = Vec::new();
    references(unit, &Options::default().with_opt_in(opt_in), |site| {
        list.push((site.frame.part().unwrap_or_default().to_owned(), site.text.to_owned()));
    });
    list
}

const MESSAGE: &str = "Content-Type: multipart/mixed; boundary=b\n\n\
    --b\nContent-Type: text/plain; format=Flowed; delsp=YES\n\nhttp://a/ \nb\n\
    --b\nContent-Type: text/plain; delsp=yes\nContent-Transfer-Encoding: quoted-printable\n\nhttp://a/=\nc \nd\n\
    --b\n\nhttp://a/e\n\
    --b\nContent-Type: text/markdown\n\n[a](http://a/f)\n\
    --b\nContent-Type: text/x-other\n\nhttp://a/g\n--b--\n";

#[test]
fn parts_of_messages_are_read_if_they_are_enabled() {
    let text = [("1", "http://a/b"), ("2", "http://a/c"), ("3", "http://a/e")];
    let owned = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        list.iter().map(|(part, text)| ((*part).to_owned(), (*text).to_owned())).collect()
    };
    assert_eq!(in_message(MESSAGE, OptIn::default()), []);
    assert_eq!(in_message(MESSAGE, OptIn::default().with_text(true)), owned(&text));
    let markdown = OptIn::default().with_markdown(true);
    assert_eq!(in_message(MESSAGE, markdown), owned(&[("4", "http://a/f")]));
    assert_eq!(
        in_message("\nhttp://a/", OptIn::default().with_text(true)),
        owned(&[("1", "http://a/")])
    );
}

#[test]
fn charsets_of_text() {
    let context = at_url();
    let targets = |bytes: &[u8]| {
        let (list, report) = list(unit(bytes, FIXED, &context), &Options::default());
        assert_eq!(report.skipped, []);
        list.into_iter().map(|found| found.text).collect::<Vec<_>>()
    };
    assert_eq!(targets("http://h/é".as_bytes()), ["http://h/é"]);
    assert_eq!(targets(b"http://h/\xE9"), ["http://h/é"]);
    let wide: Vec<u8> =
        "\u{FEFF}<http://h/\na>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(targets(&wide), ["http://h/a"]);
}
