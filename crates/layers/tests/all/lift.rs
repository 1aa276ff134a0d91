//! Lifting, case by case: the new bytes if an edit touches an escape, and the edits that are
//! refused.

use relink_layers::{
    Charset, CssForm, Edit, Edits, Guards, Layer, MarkdownForm, Quote, Span, Unliftable,
};

const DOUBLE: Layer = Layer::Attribute(Quote::Double);
const SINGLE: Layer = Layer::Attribute(Quote::Single);
const UNQUOTED: Layer = Layer::Attribute(Quote::None);
const STRING: Layer = Layer::Css(CssForm::DoubleQuoted);
const URL: Layer = Layer::Css(CssForm::Url);

/// Checks the raw text after a span of the decoded text was replaced by `text`.
#[track_caller]
fn check(layer: Layer, raw: &str, (start, end, text): (usize, usize, &str), expected: &str) {
    check_in("utf-8", layer, raw.as_bytes(), &[(start, end, text)], Ok(expected.as_bytes()));
}

/// Checks several edits, in any charset; `Err` is the reason why the last of them is refused.
#[track_caller]
fn check_in(
    label: &str,
    layer: Layer,
    raw: &[u8],
    edits: &[(usize, usize, &str)],
    expected: Result<&[u8], Unliftable>,
) {
    let charset = Charset::for_label(label.as_bytes()).expect("a label");
    check_guarded(charset, layer, raw, edits, &[], expected);
}

#[track_caller]
fn check_guarded(
    charset: Charset,
    layer: Layer,
    raw: &[u8],
    edits: &[(usize, usize, &str)],
    forbidden: &'static [&'static str],
    expected: Result<&[u8], Unliftable>,
) {
    let decoded = layer.decode(raw, charset);
    let edit = |(id, (start, end, text)): (usize, &(usize, usize, &str))| Edit {
        span: Span::new(*start, *end),
        text: text.as_bytes().into(),
        id,
    };
    let edits: Vec<Edit> = edits.iter().enumerate().map(edit).collect();
    let lifted = layer.lift(raw, charset, &decoded, &edits, Guards { forbidden });
    match expected {
        Ok(expected) => {
            assert_eq!(lifted.refused, [], "nothing is refused");
            let edits = Edits::new(lifted.edits, raw.len()).expect("the edits are in order");
            let output = edits.apply(raw);
            assert_eq!(output.escape_ascii().to_string(), expected.escape_ascii().to_string());
        }
        Err(reason) => assert_eq!(lifted.refused, [(edits.len() - 1, reason)]),
    }
}

#[test]
fn new_text_is_escaped() {
    check(DOUBLE, "a", (0, 1, "x&y\"'<> é"), "x&amp;y&quot;'<> é");
    check(SINGLE, "a", (0, 1, "x&y\"'<>"), "x&amp;y\"&#39;<>");
    check(UNQUOTED, "a", (1, 1, "\t\"'<>` \n="), "a&#9;&quot;&#39;&lt;&gt;&#96;&#32;&#10;=");
    check(Layer::Content, "a", (0, 1, "x&y<\">"), "x&amp;y&lt;\">");
    check(Layer::Text, "a", (0, 1, "x&y<\">\\"), "x&y<\">\\");
    check(STRING, "a", (0, 1, "\"'()\\ \n"), "\\\"'()\\\\ \\a ");
    check(Layer::Css(CssForm::SingleQuoted), "a", (0, 1, "\"'()"), "\"\\'()");
    check(URL, "a", (0, 1, "\"'()\\ \t"), "\\\"\\'\\(\\)\\\\\\ \\9 ");
}

/// A CR in the bytes would be read as LF (HTML standard 13.2.3.5).
#[test]
fn a_carriage_return_is_written_as_a_reference() {
    check(DOUBLE, "a&#13", (2, 2, "5"), "a&#13;5");
}

/// HTML standard 13.2.5.36, CSS Syntax 3.3, CommonMark 2.3, XML 2.2: in any notation NUL is read as
/// another character, or not at all (found by fuzzing).
#[test]
fn no_nul_is_written() {
    let markdown = Layer::Markdown(MarkdownForm::Angle);
    for layer in [DOUBLE, SINGLE, UNQUOTED, Layer::Content, STRING, URL, markdown, Layer::CData] {
        check_in("utf-8", layer, b"abc", &[(1, 2, "\0")], Err(Unliftable::Unencodable('\0')));
    }
}

#[test]
fn kept_text_is_unchanged() {
    check(DOUBLE, "a&#38;b/c", (4, 5, "d"), "a&#38;b/d");
    check(DOUBLE, "&amp;&copy;&#x26;z", (4, 5, "y"), "&amp;&copy;&#x26;y");
    check(STRING, "\\61 b\\000063 d", (3, 4, "e"), "\\61 b\\000063 e");
    check_in("utf-8", DOUBLE, b"\xFFa\xFF/b", &[(8, 9, "c")], Ok(b"\xFFa\xFF/c"));
}

#[test]
fn an_edit_to_the_same_text_is_none() {
    check(DOUBLE, "a&amp;b", (1, 2, "&"), "a&amp;b");
    check(DOUBLE, "abc", (1, 2, "b"), "abc");
    check(STRING, "abc", (1, 1, ""), "abc");
}

#[test]
fn after_an_unfinished_character_reference() {
    check(DOUBLE, "&copy", (2, 2, "=1"), "©=1");
    check(DOUBLE, "&copy.", (2, 3, "x"), "©x");
    check(DOUBLE, "&copy.", (2, 3, "/"), "©/");
    check(DOUBLE, "&amp", (1, 1, ";"), "&amp;;");
    check(DOUBLE, "&#38", (1, 1, "5"), "&amp;5");
    check(DOUBLE, "&", (1, 1, "amp;"), "&amp;amp;");
    check(DOUBLE, "&am", (3, 3, "p;"), "&amp;amp;");
    check(DOUBLE, "&#", (2, 2, "38;"), "&amp;#38;");
    check(DOUBLE, "&#x2", (1, 1, "6"), "\u{2}6");
    check(Layer::Content, "&notit;", (2, 3, "n"), "¬nt;");
    check(DOUBLE, "&notit;", (5, 6, "n"), "&amp;notin;");
    check(DOUBLE, "a&copy=d", (6, 8, ""), "a&amp;copy");
    check(DOUBLE, "&a-b", (3, 4, "c"), "&a-c");
}

/// Numbers may be of any length (HTML standard 13.2.5.78 and 13.2.5.79).
#[test]
fn after_an_unfinished_long_number() {
    let zeros = "0".repeat(60);
    check(DOUBLE, &format!("&#{zeros}65"), (1, 1, "5"), "A5");
    check(DOUBLE, &format!("&#x{zeros}41"), (1, 1, ";"), "A;");
}

#[test]
fn after_two_unfinished_escapes() {
    check(DOUBLE, "&am&#112", (4, 4, ";"), "&amp;amp;");
    check(Layer::Content, "&#6&#53", (2, 2, "0"), "\u{6}50");
    check(STRING, r"\41\42", (2, 2, "1"), "AB1");
    check(STRING, r"\41\000042", (2, 2, "g"), "ABg");
}

#[test]
fn a_deletion_does_not_join_a_reference() {
    check(DOUBLE, "a&-amp;b", (2, 3, ""), "a&amp;amp;b");
    check(DOUBLE, "&#/38;", (2, 3, ""), "&amp;#38;");
    check(DOUBLE, "&co//py", (3, 5, ""), "&amp;copy");
    check(Layer::Content, "&/lt;", (1, 2, ""), "&amp;lt;");
}

#[test]
fn after_an_unfinished_css_escape() {
    check(STRING, r"\41", (1, 1, "1"), "A1");
    check(STRING, r"\41", (1, 1, " x"), "A x");
    check(STRING, r"\41 ", (1, 1, "1"), r"\41 1");
    check(STRING, r"\41g1", (1, 2, ""), "A1");
    check(URL, r"\28/1", (1, 2, ""), r"\(1");
    check(STRING, "a\\\nb", (1, 1, "c"), "a\\\ncb");
    check(STRING, "a\\\nb", (0, 2, "c"), "c");
    check(STRING, r"\g", (1, 1, "1"), r"\g1");
    // A lone backslash at the end of the style sheet represents nothing, and would escape text that
    // is inserted after it.
    check(STRING, "a\\", (1, 1, "b"), "ab");
}

#[test]
fn an_edit_inside_a_unit_replaces_the_whole_unit() {
    check(DOUBLE, "a&NotEqualTilde;b", (1, 4, "="), "a=\u{338}b");
    check(DOUBLE, "&fjlig;", (1, 1, "-"), "f-j");
    check_in("utf-8", DOUBLE, b"a\xE9b", &[(2, 4, "20")], Ok(b"a%20b"));
    check_in("utf-8", DOUBLE, b"a\xE9b", &[(1, 2, "%25")], Ok(b"a%25E9b"));
    let twice: &[_] = &[(1, 2, "x"), (2, 3, "y")];
    check_in("utf-8", DOUBLE, b"a\xE9b", twice, Err(Unliftable::Overlap));
}

/// An invalid byte must not become the first byte of a character.
#[test]
fn next_to_an_invalid_byte() {
    check_in("utf-8", Layer::Text, b"\xC3/\xA9", &[(3, 4, "")], Ok(b"%C3\xA9"));
    check_in("shift_jis", Layer::Text, b"\x83", &[(3, 3, "a")], Ok(b"%83a"));
    check_in("big5", DOUBLE, b"\xA5", &[(3, 3, "\\")], Ok(b"%A5\\"));
}

#[test]
fn charsets_write_the_characters_that_they_have() {
    check_in("windows-1252", DOUBLE, b"\xE9&eacute", &[(2, 4, "")], Ok(b"\xE9"));
    check_in("windows-1252", DOUBLE, b"&eacute", &[(2, 2, "=")], Ok(b"\xE9="));
    check_in("shift_jis", Layer::Text, b"\x83\x5C/", &[(3, 4, "ソ")], Ok(b"\x83\x5C\x83\x5C"));
    let no_cyrillic = Err(Unliftable::Unencodable('я'));
    check_in("windows-1252", DOUBLE, b"a", &[(0, 1, "я")], no_cyrillic);
}

/// The encoders of Shift_JIS and EUC-JP write U+00A5 and U+203E as `\` and `~`, which are read as
/// these.
#[test]
fn a_character_that_is_not_read_back_is_not_written() {
    for label in ["shift_jis", "euc-jp"] {
        check_in(label, Layer::Text, b"a", &[(0, 1, "¥")], Err(Unliftable::Unencodable('¥')));
        check_in(label, Layer::Text, b"a", &[(0, 1, "‾")], Err(Unliftable::Unencodable('‾')));
        check_in(label, Layer::Text, b"a", &[(0, 1, "−")], Err(Unliftable::Unencodable('−')));
    }
}

/// HTML standard 13.2.5.37: after `=` a quote opens a value, and white space is skipped, up to the
/// next attribute.
#[test]
fn an_unquoted_value_remains_valid() {
    check(UNQUOTED, "abc", (0, 3, ""), "\"\"");
    check(UNQUOTED, "a\"b\"", (0, 1, ""), "&quot;b\"");
    check(UNQUOTED, "a'b", (0, 1, ""), "&#39;b");
    check_in("utf-8", UNQUOTED, b"ab", &[(0, 1, ""), (1, 2, "")], Ok(b"\"\""));
}

#[test]
fn an_attribute_without_a_value_gets_quotes() {
    check(Layer::Attribute(Quote::Missing), "", (0, 0, "a\"b"), "\"a&quot;b\"");
    check(Layer::Attribute(Quote::NameOnly), "", (0, 0, "a&b"), "=\"a&amp;b\"");
}

/// The style sheet must not end its element.
#[test]
fn forbidden_sequences_are_refused() {
    const STYLE: &[&str] = &["</style", "-->"];
    let check = |raw: &str, edit, expected: Result<&str, &'static str>| {
        let expected = expected.map(str::as_bytes).map_err(Unliftable::Forbidden);
        check_guarded(Charset::UTF_8, Layer::Text, raw.as_bytes(), &[edit], STYLE, expected);
    };
    check("a/b", (1, 2, "</style>"), Err("</style"));
    check("a/b", (1, 2, "</STYLE"), Err("</style"));
    check("</sty-le", (5, 6, ""), Err("</style"));
    check("a/style", (0, 1, "<"), Err("</style"));
    check("a<b", (2, 3, "/style"), Err("</style"));
    check("a/>", (0, 2, "--"), Err("-->"));
    check("a", (0, 1, "</styl"), Ok("</styl"));
    check("a<b", (2, 3, "/styl"), Ok("a</styl"));
}
