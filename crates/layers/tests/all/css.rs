//! Escapes of CSS Syntax level 3, section 4.3.7 ("consume an escaped code point"), with the
//! preprocessing of section 3.3, in strings (4.3.5) and in unquoted urls (4.3.6); each case with
//! its units.
//!
//! `{\41 →A}` is a unit: the raw text before the arrow, the decoded text after it.

use std::borrow::Cow;

use relink_layers::{Charset, CssForm, Layer, css};

use crate::marked::Marked;

const FORMS: [CssForm; 3] = [CssForm::DoubleQuoted, CssForm::SingleQuoted, CssForm::Url];

/// Checks the decoding in all three forms.
#[track_caller]
fn check(marked: &str) {
    FORMS.iter().for_each(|form| check_in(*form, marked));
}

/// Checks the decoding in strings, of texts that are a bad url in the third form.
#[track_caller]
fn check_strings(marked: &str) {
    FORMS[..2].iter().for_each(|form| check_in(*form, marked));
}

#[track_caller]
fn check_in(form: CssForm, marked: &str) {
    let marked = Marked::parse(marked);
    marked.assert_is(&Layer::Css(form).decode(marked.raw.as_bytes(), Charset::UTF_8));
}

/// Checks that the bare url ends at the `|`, which is not part of the text.
#[track_caller]
fn check_len(marked: &str) {
    let (url, rest) = marked.split_once('|').expect("the end is marked");
    assert_eq!(css::bare_url_len(&format!("{url}{rest}")), url.len(), "{marked:?}");
}

#[test]
fn one_to_six_hexadecimal_digits() {
    check("{\\9→\t}g");
    check(r"{\41→A}{\041→A}{\0041→A}{\00041→A}{\000041→A}");
    check(r"{\000041→A}1{\00004A→J}f{\00004a→J}9");
    check(r"{\e9→é}{\E9→é}{\1F600→😀}");
    check(r"{\41→A}g{\41→A}/{\41→A}é");
    check(r"x{\28→(}y{\29→)}");
}

#[test]
fn one_white_space_after_the_digits_belongs_to_the_escape() {
    check("{\\41 →A}1");
    check("{\\41\t→A}1{\\41\n→A}1{\\41\r→A}1{\\41\x0C→A}1");
    check("{\\41\r\n→A}1");
    check("{\\000041 →A}1{\\000041\r\n→A}1");
    check_strings("{\\41 →A} 1");
    check_strings("{\\41→A}\u{A0}1{\\41→A}\x0B");
}

#[test]
fn escaped_line_breaks_of_strings_are_nothing() {
    check_strings("a{\\\n→}b");
    check_strings("a{\\\r\n→}b");
    check_strings("a{\\\r→}b{\\\x0C→}c");
    check_strings("{\\\n→}{\\\n→}");
    check_strings("{\\41→A}{\\\n→}1");
}

#[test]
fn other_escaped_characters_are_themselves() {
    check(r#"{\"→"}{\'→'}{\(→(}{\)→)}{\\→\}"#);
    check(r"{\ → }{\g→g}{\Z→Z}{\-→-}{\/→/}");
    check(r"{\é→é}{\日→日}{\😀→😀}");
    check(r"{\\→\}41");
    check("{\\\u{A0}→\u{A0}}{\\\u{2028}→\u{2028}}");
}

#[test]
fn numbers_that_are_no_characters() {
    check("{\\0→\u{FFFD}}{\\000000→\u{FFFD}}{\\0 →\u{FFFD}}");
    check("{\\110000→\u{FFFD}}{\\ffffff→\u{FFFD}}");
    check("{\\D800→\u{FFFD}}{\\dfff→\u{FFFD}}{\\d7ff→\u{D7FF}}{\\e000→\u{E000}}");
    check("{\\10ffff→\u{10FFFF}}");
}

#[test]
fn nul_is_a_replacement_character() {
    check("a{\0→\u{FFFD}}b");
    check("{\\\0→\u{FFFD}}");
    check("{\\41→A}{\0→\u{FFFD}}");
}

#[test]
fn a_backslash_at_the_end_of_the_style_sheet() {
    // CSS Syntax 4.3.5: "if the next input code point is EOF, do nothing".
    check_strings("a{\\→}");
    // CSS Syntax 4.3.8 and 4.3.7: it is a valid escape, and represents U+FFFD.
    check_in(CssForm::Url, "a{\\→\u{FFFD}}");
}

#[test]
fn a_text_without_escapes_is_borrowed() {
    for raw in ["", "a/b?c", "é日"] {
        let decoded = css::decode(raw, CssForm::DoubleQuoted);
        assert!(matches!(decoded.text, Cow::Borrowed(text) if text == raw));
        assert!(decoded.map.is_identity());
    }
}

#[test]
fn a_bare_url_ends_at_white_space_or_a_parenthesis() {
    check_len("a.png|)");
    check_len("|)");
    check_len("|");
    check_len("a.png|");
    check_len("a| )");
    check_len("a|\t)");
    check_len("a|\n)");
    check_len("a|\r\n)");
    check_len("a|\x0C)");
    check_len("a\u{A0}b|)");
    check_len("é日😀| )");
}

#[test]
fn escapes_do_not_end_a_bare_url() {
    check_len(r"a\)b|)");
    check_len(r"a\ b|)");
    check_len(r"a\\|)");
    check_len(r"a\29 b|)");
    check_len(r"a\29 | )");
    check_len("a\\29\r\nb|)");
    check_len(r"a\000029 b|)");
    check_len(r"a\0000290| b)");
    check_len(r"\é|)");
    check_len("a\\|");
    check_len(r"a\41|)");
}
