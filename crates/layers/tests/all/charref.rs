//! Character references: the cases of the HTML standard, 13.2.5.72 to 13.2.5.80, each with its
//! units, in an attribute value and in text.
//!
//! `{&amp;→&}` is a unit: the raw text before the arrow, the decoded text after it.

use relink_layers::charref::{self, CharrefPlace};
use relink_layers::{Charset, Layer, Quote};

use crate::marked::Marked;

/// Checks the decoding in one place.
#[track_caller]
fn check(place: CharrefPlace, marked: &str) {
    let marked = Marked::parse(marked);
    let raw = marked.raw.as_bytes();
    marked.assert_is(&charref::decode(raw, Charset::UTF_8, place));
    let layers: &[Layer] = match place {
        CharrefPlace::Attribute => &[
            Layer::Attribute(Quote::Double),
            Layer::Attribute(Quote::Single),
            Layer::Attribute(Quote::None),
        ],
        CharrefPlace::Text => &[Layer::Content],
    };
    for layer in layers {
        marked.assert_is(&layer.decode(raw, Charset::UTF_8));
    }
}

/// Checks the same decoding in both places.
#[track_caller]
fn both(marked: &str) {
    check(CharrefPlace::Attribute, marked);
    check(CharrefPlace::Text, marked);
}

/// Checks decodings that differ between an attribute value and text.
#[track_caller]
fn differs(attribute: &str, text: &str) {
    check(CharrefPlace::Attribute, attribute);
    check(CharrefPlace::Text, text);
}

#[test]
fn named_references_with_semicolon() {
    both("{&amp;→&}");
    both("a{&lt;→<}b{&gt;→>}c{&quot;→\"}d{&apos;→'}");
    both("{&copy;→©}=1{&copy;→©}x");
    both("{&notin;→∉}{&not;→¬}in;");
    both("{&amp;→&}amp;");
    both("{&there4;→∴}{&frac12;→½}{&sup1;→¹}");
    both("{&AMP;→&}{&LT;→<}{&COPY;→©}{&REG;→®}{&QUOT;→\"}");
    both("{&Aacute;→Á}{&aacute;→á}");
    both("{&Tab;→\t}{&NewLine;→\n}{&nbsp;→\u{A0}}{&shy;→\u{AD}}");
    both("{&CounterClockwiseContourIntegral;→∳}");
    both("{&parallel;→∥}{&para;→¶}{&centerdot;→·}{&prod;→∏}");
    both("{&zwj;→\u{200D}}{&zwnj;→\u{200C}}{&Zscr;→\u{1D4B5}}");
}

#[test]
fn named_references_of_two_characters() {
    both("{&NotEqualTilde;→\u{2242}\u{338}}");
    both("{&bne;→=\u{20E5}}{&nvlt;→<\u{20D2}}{&fjlig;→fj}");
    both("{&ThickSpace;→\u{205F}\u{200A}}");
}

#[test]
fn legacy_names_need_no_semicolon() {
    both("{&amp→&}");
    both("{&AMP→&}");
    both("{&copy→©}");
    both("{&copy→©} {&lt→<}.{&gt→>}-{&quot→\"}");
    both("{&amp→&}&");
    both("{&amp→&}{&amp→&}{&amp;→&}");
    both("{&yen→¥}/{&frac12→½}?{&Aacute→Á}#{&sup1→¹}_");
    both("{&amp→&}é");
}

#[test]
fn legacy_names_before_a_letter_a_digit_or_an_equals_sign() {
    differs("&copy=d", "{&copy→©}=d");
    differs("&copy1", "{&copy→©}1");
    differs("&copyx;", "{&copy→©}x;");
    differs("&notit;", "{&not→¬}it;");
    differs("&notin", "{&not→¬}in");
    differs("&noti", "{&not→¬}i");
    differs("&ampamp;", "{&amp→&}amp;");
    differs("&amp=", "{&amp→&}=");
    differs("a?b&copy=1&reg=2&lang=3&sect=4", "a?b{&copy→©}=1{&reg→®}=2&lang=3{&sect→§}=4");
    differs("&parallel", "{&para→¶}llel");
    differs("&frac12x", "{&frac12→½}x");
    differs("&ltimes", "{&lt→<}imes");
    differs("&timesX", "{&times→×}X");
    differs("&AMPersand", "{&AMP→&}ersand");
}

#[test]
fn no_references() {
    for raw in
        ["&", "a&", "&;", "&#", "&#;", "&#x", "&#x;", "&#xg;", "&#X;", "&#a", "& amp;", "&=", "&é;"]
    {
        both(raw);
    }
    for raw in [
        "&am",
        "&am;",
        "&Amp",
        "&Amp;",
        "&aMP",
        "&apos",
        "&lang=3",
        "&x;",
        "&hellip",
        "&1",
        "&unknown;",
    ] {
        both(raw);
    }
    both("&&&");
    both("&a{&amp;→&}");
    both("&#{&amp;→&}&#x{&lt;→<}");
    both("&zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz;");
    differs(
        "&ampzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz;",
        "{&amp→&}zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz;",
    );
}

#[test]
fn numeric_references() {
    both("{&#38;→&}{&#x26;→&}{&#X26;→&}");
    both("{&#38→&}{&#x26→&}g{&#38→&}a{&#38→&}x;");
    both("{&#65→A}=1");
    both("{&#0000000000000000000000000000000000000000000065;→A}");
    both("{&#xe9;→é}{&#xE9;→é}{&#233→é}");
    both("{&#x1F600;→\u{1F600}}{&#x10FFFF;→\u{10FFFF}}");
    both("{&#10;→\n}{&#9;→\t}{&#x0D;→\r}{&#x1;→\u{1}}{&#x7F;→\u{7F}}");
}

#[test]
fn numbers_that_are_no_characters() {
    both("{&#0;→\u{FFFD}}{&#x0;→\u{FFFD}}{&#00→\u{FFFD}}");
    both("{&#x110000;→\u{FFFD}}{&#1114112;→\u{FFFD}}");
    both("{&#xD800;→\u{FFFD}}{&#xDFFF;→\u{FFFD}}{&#xD7FF;→\u{D7FF}}{&#xE000;→\u{E000}}");
    both("{&#99999999999999999999999999;→\u{FFFD}}{&#xFFFFFFFFFFFFFFFFF26;→\u{FFFD}}");
    both("{&#4294967334;→\u{FFFD}}{&#x100000026;→\u{FFFD}}");
    // Noncharacters are an error, but are unchanged.
    both("{&#xFDD0;→\u{FDD0}}{&#xFFFE;→\u{FFFE}}{&#x1FFFF;→\u{1FFFF}}");
}

/// The table of 13.2.5.80: the replacements of the C1 controls, and the five numbers without
/// replacement.
#[test]
fn numbers_of_windows_1252() {
    let table = "80 20AC 82 201A 83 192 84 201E 85 2026 86 2020 87 2021 88 2C6 89 2030 8A 160 8B 2039 8C 152 8E 17D 91 2018 \
                 92 2019 93 201C 94 201D 95 2022 96 2013 97 2014 98 2DC 99 2122 9A 161 9B 203A 9C 153 9E 17E 9F 178 \
                 81 81 8D 8D 8F 8F 90 90 9D 9D A0 A0";
    let numbers: Vec<u32> = table
        .split_whitespace()
        .map(|hex| u32::from_str_radix(hex, 16).expect("the table is hexadecimal"))
        .collect();
    assert_eq!(numbers.len(), 2 * 33);
    for pair in numbers.chunks(2) {
        let char = char::from_u32(pair[1]).expect("the table holds characters");
        both(&format!("{{&#{};→{char}}}{{&#x{:x};→{char}}}", pair[0], pair[0]));
    }
    both("{&#128→€}");
}

#[test]
fn nul_is_a_replacement_character() {
    both("a{\0→\u{FFFD}}b");
    both("{\0→\u{FFFD}}{&amp;→&}{\0→\u{FFFD}}");
    both("&am{\0→\u{FFFD}}p;");
    both("&#{\0→\u{FFFD}}38;");
    both("{&amp→&}{\0→\u{FFFD}}");
}

#[test]
fn references_next_to_other_characters() {
    both("é{&amp;→&}é");
    both("日{&#26412;→本}語");
    both("");
    both("plain");
}

#[test]
fn a_text_without_references_is_borrowed() {
    for raw in ["plain", "é", ""] {
        let decoded = charref::decode(raw.as_bytes(), Charset::UTF_8, CharrefPlace::Attribute);
        assert!(matches!(decoded.text, std::borrow::Cow::Borrowed(text) if text == raw));
        assert!(decoded.map.is_identity());
    }
}

#[test]
fn references_and_old_charsets_are_read_in_one_pass() {
    let decode = |raw, label| {
        let charset = Charset::for_label(label).expect("a charset");
        charref::decode(raw, charset, CharrefPlace::Attribute).text.into_owned()
    };
    assert_eq!(decode(b"\xE9&amp;\xE9&eacute;", b"windows-1252"), "é&éé");
    assert_eq!(decode(b"\x83\x5C&amp;\x95\x5C", b"shift_jis"), "ソ&表");
    // A lead byte does not swallow the ampersand: the decoder does not consume an ASCII byte.
    assert_eq!(decode(b"\x83&amp;", b"shift_jis"), "%83&");
    assert_eq!(decode(b"\x81&amp;\x810", b"gb18030"), "%81&%810");
    // A name that contains a byte of another character is not a reference.
    assert_eq!(decode(b"&am\x83p;", b"shift_jis"), "&amパ;");
}
