//! Markdown: each kind of link in both directions, the syntax of destinations, texts that are not
//! links, and links that are skipped.

use relink_rewrite::{
    Kind, Media, Options, Outcome, Relative, Rewritten, SkipReason, Verify, absolutize, relativize,
};

use crate::listing::{URL, at_url, list, unit};

fn options() -> Options {
    Options::default().with_verify(Verify::Full)
}

#[track_caller]
fn text(document: &str, rewritten: &Rewritten) -> String {
    assert_eq!(rewritten.verify_error(), None, "{document}");
    assert_eq!(rewritten.report.skipped, [], "{document}");
    let output = rewritten.output().unwrap_or(document.as_bytes());
    String::from_utf8_lossy(output).into_owned()
}

/// Returns a document at `http://h/d/p`, made absolute.
#[track_caller]
fn absolute(document: &str) -> String {
    let context = at_url();
    let unit = unit(document.as_bytes(), Media::MARKDOWN, &context);
    text(document, &absolutize(unit, &options()))
}

/// Returns a document at `http://h/d/p`, made relative.
#[track_caller]
fn relative(document: &str) -> String {
    let context = at_url();
    let unit = unit(document.as_bytes(), Media::MARKDOWN, &context);
    text(document, &relativize(unit, &options(), &Relative::default()))
}

/// Asserts that `short` made absolute is `long`, and `long` made relative is `short`.
#[track_caller]
fn both(short: &str, long: &str) {
    assert_eq!(absolute(short), long);
    assert_eq!(relative(long), short);
    assert_eq!(absolute(long), long, "a second run");
    assert_eq!(relative(short), short, "a second run");
}

#[track_caller]
fn becomes(document: &str, expected: &str) {
    assert_eq!(absolute(document), expected);
}

/// Returns slot, kind and text of each reference.
#[track_caller]
fn found(document: &str) -> Vec<(String, Kind, String)> {
    let (list, report) =
        list(unit(document.as_bytes(), Media::MARKDOWN, &at_url()), &Options::default());
    assert_eq!(report.skipped, [], "{document}");
    list.into_iter().map(|found| (found.slot, found.kind, found.text)).collect()
}

#[track_caller]
fn finds(document: &str, slot: &str, text: &str) {
    assert_eq!(found(document), [(slot.to_owned(), Kind::Url, text.to_owned())], "{document}");
}

#[track_caller]
fn finds_nothing(document: &str) {
    assert_eq!(found(document), [], "{document}");
    assert_eq!(absolute(document), document);
}

#[test]
fn every_slot_in_both_directions() {
    both("[a](b.md)", "[a](http://h/d/b.md)");
    both("![a](../i.png)", "![a](http://h/i.png)");
    both("[a]\n\n[a]: b.md", "[a]\n\n[a]: http://h/d/b.md");
    both("<img src=\"i.png\">", "<img src=\"http://h/d/i.png\">");
    both("a <b><a href='b'>", "a <b><a href='http://h/d/b'>");
    for (document, slot, text) in [
        ("[a](x)", "markdown link", "x"),
        ("![a](x)", "markdown image", "x"),
        ("[a]: x", "markdown definition", "x"),
        ("<http://h/>", "markdown autolink", "http://h/"),
        ("<a href=x>", "a[href]", "x"),
    ] {
        finds(document, slot, text);
    }
    // An autolink is never relative.
    assert_eq!(relative("<http://h/d/x>"), "<http://h/d/x>");
    let embedded = list(unit(b"<a href=x>", Media::MARKDOWN, &at_url()), &Options::default());
    assert_eq!(embedded.0[0].embedded, ["markdown html"]);
}

#[test]
fn forms_and_titles() {
    both("[a](<b c>)", "[a](<http://h/d/b c>)");
    both("[a](b 't')", "[a](http://h/d/b 't')");
    both("[a]( b \"](c)\" )", "[a]( http://h/d/b \"](c)\" )");
    both("[a](\nb\n(t))", "[a](\nhttp://h/d/b\n(t))");
    both("[a](b(c)d)", "[a](http://h/d/b(c)d)");
    both("[a](b\\(c)", "[a](http://h/d/b\\(c)");
    both("[a](b\\_c&amp;d)", "[a](http://h/d/b\\_c&amp;d)");
    both("[a](?b=1&c=2)", "[a](http://h/d/p?b=1&c=2)");
    both("[a]:\n  <../b c>\n  't'\n", "[a]:\n  <http://h/b c>\n  't'\n");
    // New text is escaped so that it is read literally.
    let new = |document: &str| {
        let context =
            basectx::Context::retrieval("http://h/a(b)&amp;c/p.md".parse().unwrap(), "test");
        text(
            document,
            &absolutize(unit(document.as_bytes(), Media::MARKDOWN, &context), &options()),
        )
    };
    assert_eq!(new("[a](b)"), "[a](http://h/a\\(b\\)&amp;amp;c/b)");
    assert_eq!(new("[a](<b>)"), "[a](<http://h/a(b)&amp;amp;c/b>)");
    assert_eq!(
        new("| a |\n|---|\n| [a](?x\\|y) |"),
        "| a |\n|---|\n| [a](http://h/a\\(b\\)&amp;amp;c/p.md?x\\|y) |"
    );
}

#[test]
fn blocks_and_nesting() {
    both("> [a](\n> b)", "> [a](\n> http://h/d/b)");
    both("- > [a]:\n  > b", "- > [a]:\n  > http://h/d/b");
    both("[![a](i)](b)", "[![a](http://h/d/i)](http://h/d/b)");
    both("[*a* `]` \\] &amp; ~~b~~](b)", "[*a* `]` \\] &amp; ~~b~~](http://h/d/b)");
    both("| a |\n|---|\n| [a](b) |", "| a |\n|---|\n| [a](http://h/d/b) |");
    both("[^1]\n\n[^1]: [a](b)", "[^1]\n\n[^1]: [a](http://h/d/b)");
    both("- [ ] [a](b)", "- [ ] [a](http://h/d/b)");
    both("---\na: 1\n---\n[a](b)", "---\na: 1\n---\n[a](http://h/d/b)");
    both("[a](b)\r\n[c]( \r\n d)\r\n", "[a](http://h/d/b)\r\n[c]( \r\n http://h/d/d)\r\n");
    both("> <a\n> href=\"b\">\n> <!-- x", "> <a\n> href=\"http://h/d/b\">\n> <!-- x");
    both("- x <a\n  href='b'>", "- x <a\n  href='http://h/d/b'>");
    both("- <div>\n\n  <img src=\"b\">\n", "- <div>\n\n  <img src=\"http://h/d/b\">\n");
    // The prefix of a line that belongs to the block around is not part of an attribute.
    finds("> <a href='b\n> c'>", "a[href]", "b\nc");
    becomes("> <a href='b\n> c'>", "> <a href='http://h/d/b\n> c'>");
}

#[test]
fn what_is_no_reference() {
    for document in [
        "[a]()",
        "[a](<>)",
        "![]()",
        "`[a](b)`",
        "    [a](b)",
        "```\n[a](b)\n```",
        "~~~\n<a href=x>",
        "\\[a](b)",
        "[a](b c)",
        "[a] (b)",
        "[a][b]",
        "[a](b",
        "<!-- [a](b) <a href=x> -->",
        "<pre>\n[a](b)\n</pre>",
        "<a@b.c>",
        "http://h/",
        "[^1]: b",
        "---\n[a]: b\n---\n",
        "+++\n[a](b)\n+++\n",
        "![[a](b) <a href=x>]()",
    ] {
        finds_nothing(document);
    }
    // Of two definitions of one label parsers use the first.
    finds("[a]: x\n[A]: y", "markdown definition", "x");
    // A definition without a use is a reference too, and one with many uses is one reference.
    finds("[a] [a] [b][a]\n\n[a]: x", "markdown definition", "x");
    // The text of an image is shown as text.
    finds("![[b](c) <a href=x> <http://h/>](y)", "markdown image", "y");
}

#[test]
fn the_document_itself_and_templates_stay() {
    let stays = |document: &str, outcome| {
        let context = at_url();
        let rewritten =
            absolutize(unit(document.as_bytes(), Media::MARKDOWN, &context), &options());
        assert_eq!(rewritten.report.counts.get(outcome), 1, "{document}");
        assert_eq!(text(document, &rewritten), document);
    };
    stays("[a](#b)", Outcome::SameDocument);
    stays("[a]({{b}}/c)", Outcome::Template);
    // What generators of sites replace, at the beginning.
    for text in ["{filename}/b.md", "{static}/b.png", "{attach}b.png", "@site/b.md", "@/b.md"] {
        stays(&format!("[a]({text})"), Outcome::Template);
        stays(&format!("[a]: {text}"), Outcome::Template);
    }
    for text in ["{b}/c", "@b/c", "c/@/b", "%7Bstatic%7D/b"] {
        assert_ne!(absolute(&format!("[a]({text})")), format!("[a]({text})"));
    }
    stays("[a](mailto:b@c)", Outcome::Kept);
    // Markdown renderers escape it, and browsers read it as a slash.
    stays("[a](b\\c)", Outcome::Ambiguous);
    assert_eq!(relative(&format!("[a]({URL}#b)")), "[a](#b)");
}

#[test]
fn a_line_stays_what_it_is() {
    let refused = |document: &str| {
        let context = at_url();
        let rewritten = relativize(
            unit(document.as_bytes(), Media::MARKDOWN, &context),
            &options(),
            &Relative::default(),
        );
        assert_eq!(rewritten.report.counts.get(Outcome::Unwritable), 1, "{document}");
        assert_eq!(text(document, &rewritten), document);
    };
    refused("[a](\nhttp://h/d/-\n)");
    refused("[a](\nhttp://h/d/1.\n)");
    refused("[a](\n<http://h/d/div>)");
    both("[a](\nb\n)", "[a](\nhttp://h/d/b\n)");
}

#[test]
fn what_cannot_be_found_in_the_bytes_is_skipped_and_reported() {
    // In a table pulldown-cmark removes two backslashes before a bar.
    let document = b"| a |\n|---|\n| [a](b\\\\|c) [d](e) |";
    let context = at_url();
    let rewritten = absolutize(unit(document, Media::MARKDOWN, &context), &options());
    assert_eq!(rewritten.verify_error(), None);
    let [skipped] = &rewritten.report.skipped[..] else { unreachable!("one is left") };
    assert_eq!((skipped.reason, skipped.at), (SkipReason::Unlocated, 14));
    let output = rewritten.into_output().unwrap_or_default();
    assert_eq!(output, b"| a |\n|---|\n| [a](b\\\\|c) [d](http://h/d/e) |");
}

#[test]
fn charsets() {
    let convert = |bytes: &[u8]| {
        let context = at_url();
        let rewritten = absolutize(unit(bytes, Media::MARKDOWN, &context), &options());
        assert_eq!((rewritten.verify_error(), &rewritten.report.skipped[..]), (None, &[][..]));
        rewritten.into_output()
    };
    assert_eq!(
        convert(b"\xEF\xBB\xBF[a](b)").as_deref(),
        Some(&b"\xEF\xBB\xBF[a](http://h/d/b)"[..])
    );
    assert_eq!(
        convert(b"caf\xE9\n\n[a](b\xE9)").as_deref(),
        Some(&b"caf\xE9\n\n[a](http://h/d/b\xE9)"[..])
    );
    assert_eq!(convert(b"\xFF\xFE[\0a\0]\0(\0b\0)\0").map(|output| output.len()), Some(36));
    // Shift_JIS: the second byte of a character is not a backslash.
    let text = b"\x93\xFA\x96{\x8C\xEA\x82\xCC\x95\xB6\x8F\x91\x82\xC5\x82\xB7\x81B\n\n[\x95\\](\x95\\.md)\n";
    let expected = b"\x93\xFA\x96{\x8C\xEA\x82\xCC\x95\xB6\x8F\x91\x82\xC5\x82\xB7\x81B\n\n[\x95\\](http://h/d/\x95\\.md)\n";
    assert_eq!(convert(text).as_deref(), Some(&expected[..]));
}

/// Parsers of tables replace `\|` by `|` before anything else; a tag that contains one is skipped,
/// but not the other references.
#[test]
fn a_pipe_that_is_escaped_in_a_tag_of_a_table() {
    let table =
        |link: &str| format!("| a | b |\n|---|---|\n| [x]({link}) | <a href=\"c\\|d\"> |\n");
    let context = at_url();
    let document = table("y");
    let rewritten = absolutize(unit(document.as_bytes(), Media::MARKDOWN, &context), &options());
    assert_eq!(rewritten.verify_error(), None);
    assert_eq!(rewritten.output().map(<[u8]>::to_vec), Some(table("http://h/d/y").into_bytes()));
    let skipped: Vec<SkipReason> =
        rewritten.report.skipped.iter().map(|skipped| skipped.reason).collect();
    assert_eq!(skipped, [SkipReason::Unlocated]);
}

/// It depends on the renderer if a `<base>` reaches the page, so the references after it are
/// uncertain.
#[test]
fn a_base_element_is_not_emptied() {
    let document = "<base href=\"http://i/\">\n\n[a](b)\n";
    assert_eq!(relative(document), document);
}

/// A `<base>` in the HTML of Markdown stays, and applies in the document that contains it (found by
/// fuzzing).
#[test]
fn a_base_in_a_document_in_html_stays() {
    let document = "<iframe srcdoc='<base href=http://h/d/x/><a href=http://h/d/x/y><a href=z>'>";
    let expected = "<iframe srcdoc='<base href=http://h/d/x/><a href=y><a href=z>'>";
    let context = at_url();
    for verify in [Verify::None, Verify::Fast, Verify::Full] {
        let unit = unit(document.as_bytes(), Media::MARKDOWN, &context);
        let options = options().with_verify(verify);
        assert_eq!(text(document, &relativize(unit, &options, &Relative::default())), expected);
    }
}
