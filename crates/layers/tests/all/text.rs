//! URLs broken over lines, flowed text, and link destinations of Markdown, case by case.

use relink_layers::{Charset, Decoded, Edit, Edits, Guards, Layer, MarkdownForm, Span, Unliftable};

const BARE: Layer = Layer::Markdown(MarkdownForm::Bare);
const ANGLE: Layer = Layer::Markdown(MarkdownForm::Angle);
const KEPT: Layer = Layer::Flowed { deletes_space: false };
const DELETED: Layer = Layer::Flowed { deletes_space: true };

/// Returns the raw bytes after `old` in the text of `raw` was replaced by `new`.
fn edited(layer: Layer, raw: &str, old: &str, new: &str) -> Result<String, Unliftable> {
    let decoded = layer.decode(raw.as_bytes(), Charset::UTF_8);
    let start = decoded.text.find(old).unwrap();
    let span = Span::new(start, start + old.len());
    let edit = Edit { span, text: new.as_bytes().into(), id: 0 };
    let lifted = layer.lift(raw.as_bytes(), Charset::UTF_8, &decoded, &[edit], Guards::default());
    if let Some((_, reason)) = lifted.refused.first() {
        return Err(*reason);
    }
    let output = Edits::new(lifted.edits, raw.len()).unwrap().apply(raw.as_bytes());
    let expected = decoded.text.replacen(old, new, 1);
    assert_eq!(layer.decode(&output, Charset::UTF_8).text, expected, "{raw:?}");
    Ok(String::from_utf8(output).unwrap())
}

#[track_caller]
fn writes(layer: Layer, raw: &str, old: &str, new: &str, expected: &str) {
    assert_eq!(edited(layer, raw, old, new).as_deref(), Ok(expected), "{raw:?}");
}

#[track_caller]
fn refuses(layer: Layer, raw: &str, old: &str, new: &str, reason: Unliftable) {
    assert_eq!(edited(layer, raw, old, new), Err(reason), "{raw:?}");
}

#[track_caller]
fn shows(layer: Layer, raw: &str, expected: &str) {
    assert_eq!(layer.decode(raw.as_bytes(), Charset::UTF_8).text, expected, "{raw:?}");
}

/// RFC 3986, appendix C: white space is ignored when the URL is read.
#[test]
fn a_url_broken_over_lines() {
    const RAW: &str = "http://h/long/\r\n   path/\r\n   name";
    let layer = Layer::Wrapped;
    shows(layer, RAW, "http://h/long/path/name");
    // Only the prefix changes: the breaks are kept.
    writes(layer, RAW, "http://h/", "ftp://i/", "ftp://i/long/\r\n   path/\r\n   name");
    // An edit that ends at a break keeps it.
    writes(layer, RAW, "h/long/", "i/", "http://i/\r\n   path/\r\n   name");
    // An edit that begins at a break keeps it too.
    writes(layer, RAW, "path/", "p/", "http://h/long/\r\n   p/\r\n   name");
    // An edit across a break removes it, and no other.
    writes(layer, RAW, "long/pa", "a", "http://h/ath/\r\n   name");
    // An insertion at a break is written after it.
    writes(layer, "http://h/\nb", "", "x", "xhttp://h/\nb");
    let decoded = layer.decode(b"a\nb", Charset::UTF_8);
    let edit = Edit { span: Span::new(1, 1), text: b"x"[..].into(), id: 0 };
    let lifted = layer.lift(b"a\nb", Charset::UTF_8, &decoded, &[edit], Guards::default());
    assert_eq!(Edits::new(lifted.edits, 3).unwrap().apply(b"a\nb"), b"a\nxb");
    refuses(layer, RAW, "h", "a b", Unliftable::Unencodable(' '));
}

/// RFC 3676, sections 4.1 to 4.5.
#[test]
fn flowed_lines() {
    shows(KEPT, "a \r\nb \r\nc\r\nd", "a b c\r\nd");
    shows(DELETED, "a \r\nb  \r\nc\r\nd", "ab c\r\nd");
    shows(KEPT, "a \nb\n", "a b\n");
    // Stuffing, and quote marks.
    shows(KEPT, " a\r\n >b\r\n", "a\r\n>b\r\n");
    shows(KEPT, "> a \r\n>b\r\n>> c\r\n> >d", "a b\r\nc\r\n>d");
    // A line with another quote depth does not continue the one before it.
    shows(KEPT, "> a \r\nb \r\n>> c", "a \r\nb \r\nc");
    // Neither does the line before a signature separator, nor the separator.
    shows(DELETED, "a \r\n-- \r\nb \r\nc", "a \r\n-- \r\nbc");
    shows(DELETED, "> -- \r\n> b", "-- \r\nb");
    // The end of the text ends the last line.
    shows(DELETED, "a ", "a ");
    shows(DELETED, "a \r\n", "a \r\n");
    assert!(matches!(DELETED.decode(b"", Charset::UTF_8), Decoded { text, .. } if text.is_empty()));
}

#[test]
fn edits_of_flowed_lines() {
    writes(
        DELETED,
        "> <http://h/ \r\n> a/b>\r\n",
        "http://h",
        "ftp://i",
        "> <ftp://i/ \r\n> a/b>\r\n",
    );
    writes(DELETED, "<http://h/a/ \r\nb>", "h/a/b", "i", "<http://i>");
    writes(KEPT, "<http://h/a/ \r\nb>", "h/a/", "i/", "<http://i/ \r\nb>");
    // The soft line break is removed with its space.
    writes(KEPT, "<http://h/a/ \r\nb>", "a/ ", "c/", "<http://h/c/b>");
    // Text that comes to the start of a line is stuffed.
    writes(KEPT, "a>b", "a", "", " >b");
    writes(KEPT, "> a b", "a", "", ">  b");
    writes(KEPT, ">a", "a", ">", "> >");
    // No line may become flowed.
    refuses(KEPT, "a \r\n> b\r\nc\r\n", "c", "d ", Unliftable::Flow);
    refuses(KEPT, "a bc\r\nd", "bc", "", Unliftable::Flow);
    refuses(KEPT, "-- \r\nb", "-- ", "- ", Unliftable::Flow);
    refuses(KEPT, "a", "a", "b\nc", Unliftable::Unencodable('\n'));
}

/// CommonMark 0.31, sections 2.4, 2.5, 6.3.
#[test]
fn destinations_of_markdown() {
    shows(BARE, r"a\_b\\c\d\\", r"a_b\c\d\");
    shows(BARE, "a&amp;b&copy;&#65;&#x42;&#0;&#x110000;", "a&b©AB\u{FFFD}\u{FFFD}");
    // Without a semicolon, or with more digits, it is not a reference; and numbers below 160 are
    // not replaced.
    shows(
        BARE,
        "&copy&amp=&#65 &#12345678;&#x1234567;&none;",
        "&copy&amp=&#65 &#12345678;&#x1234567;&none;",
    );
    shows(ANGLE, "&#128;&Copy;&ngE;", "\u{80}&Copy;≧\u{338}");
    writes(BARE, "../x", "..", "http://h", "http://h/x");
    writes(BARE, "x", "x", "a(b", r"a\(b");
    writes(ANGLE, "x", "x", "a(b c", "a(b c");
    writes(BARE, "x", "x", "a b\t", "a&#32;b&#9;");
    writes(ANGLE, "x", "x", "<a>\n|`\\", r"&lt;a&gt;&#10;\|&#96;\\");
    writes(BARE, "x", "x", "?a=1&b=2", "?a=1&b=2");
    writes(BARE, "x", "x", "?a&amp;b&c;", "?a&amp;amp;b&amp;c;");
    // The text around cannot turn new text into a reference or an escape.
    writes(BARE, "xcopy;", "x", "&", "&amp;copy;");
    writes(BARE, "&cox;", "x", "py", "&amp;copy;");
    writes(BARE, r"a\xb", "x", "(", r"a\\\(b");
    writes(BARE, r"a\x)", "x", "", r"a\\)");
    refuses(BARE, "x", "x", "\0", Unliftable::Unencodable('\0'));
}

#[test]
fn a_bare_destination_remains_valid() {
    // A parenthesis that loses its partner is written again, with the text between them.
    writes(BARE, "a(b)c", "a(", "", r"b\)c");
    writes(BARE, "a(b(c)d)e", "d)e", "", r"a\(b\(c\)");
    writes(BARE, "a(b)c", "(b)", "", "ac");
    writes(BARE, "a<b", "a", "", "&lt;b");
    refuses(BARE, "a", "a", "", Unliftable::Empty);
    writes(ANGLE, "a", "a", "", "");
}
