//! The reported span of a reference covers what would be replaced: every edit is inside the span of
//! its reference, in all charsets.

use basectx::Context;
use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, ISO_2022_JP, SHIFT_JIS, UTF_8, WINDOWS_1251,
};
use layers::{Edits, Span};
use proptest::prelude::*;
use relink_rewrite::{Media, Options, Relative, Unit, absolutize, references, relativize};

const URL: &str = "http://h/d/p";

fn unit<'u>(bytes: &'u [u8], context: &'u Context<'u>) -> Unit<'u> {
    Unit::new(bytes, Media::HTML, context)
}

/// Returns the spans of the references, and the edits of both commands.
fn spans_and_edits(page: &[u8]) -> (Vec<Span>, [Edits; 2]) {
    let context = Context::retrieval(URL.parse().unwrap(), "--base");
    let (unit, options) = (unit(page, &context), Options::default());
    let mut spans = Vec::new();
    references(unit, &options, |site| spans.push(site.frame.raw(site.span)));
    let absolute = absolutize(unit, &options);
    let relative = relativize(unit, &options, &Relative::below("http://h/"));
    (spans, [absolute.edits, relative.edits])
}

/// Returns true if every edit is in the span of its reference.
fn are_inside(page: &[u8]) -> bool {
    let (spans, edits) = spans_and_edits(page);
    edits.iter().flat_map(|edits| edits.as_slice()).all(|edit| {
        let span = spans[edit.id];
        span.start <= edit.span.start && edit.span.end <= span.end
    })
}

#[test]
fn the_escape_before_a_reference_is_part_of_its_span() {
    let page = b"<meta charset=iso-2022-jp><a href=\"\x1B$BF|K\\\x1B(B\">";
    let (spans, [absolute, _]) = spans_and_edits(page);
    assert_eq!(spans, [Span::new(35, 45)]);
    assert_eq!(absolute.as_slice()[0].span, Span::new(35, 35));
    assert!(are_inside(page));
    // The text around the reference keeps its escapes.
    let page = b"<meta charset=iso-2022-jp><p title=\"\x1B$BF|K\\\x1B(B\"><a href=\"x\">";
    let (spans, _) = spans_and_edits(page);
    assert_eq!(spans[0].slice(page), b"x");
    assert!(are_inside(page));
}

/// Returns a page of links, images and styles with this text around and in its references.
fn page(label: &str, texts: &[String]) -> String {
    let mut page = format!("<meta charset={label}>");
    for (idx, text) in texts.iter().enumerate() {
        page += &match idx % 5 {
            0 => format!("{text}<a title=\"{text}\" href=\"{text}\">{text}</a>"),
            1 => format!("<a href='http://h/d/{text}'>"),
            2 => format!("<img srcset=\"{text}1 1x, {text}2 2x\" src=\" {text} \">"),
            3 => format!("<p style=\"background: url({text}); /*{text}*/\">{text}</p>"),
            _ => format!("<a ping=\"{text} {text}\" href=\"../{text}/x\">"),
        };
    }
    page
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "b", "/", "../", "日", "本", "語", "é", "б", "¥", "‾", "ｱ", "한", "中", "%41",
        "&amp;", "?q", "#f", "&#26085;", "\u{A0}",
    ]);
    prop::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat())
}

fn escapes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        &b"\x1B$B"[..],
        b"\x1B$@",
        b"\x1B(B",
        b"\x1B(J",
        b"\x1B(I",
        b"\x1B",
        b"F|K\\",
        b"F|",
        b"x",
        b"\\",
        b"\x80",
    ]);
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

const CHARSETS: [&Encoding; 8] =
    [UTF_8, ISO_2022_JP, SHIFT_JIS, EUC_JP, EUC_KR, GB18030, BIG5, WINDOWS_1251];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn edits_lie_in_the_reported_spans(
        idx in 0..CHARSETS.len(),
        texts in prop::collection::vec(text(), 1..6),
    ) {
        let charset = CHARSETS[idx];
        let mut page = page(charset.name(), &texts);
        if charset == SHIFT_JIS || charset == EUC_JP {
            // These charsets write it as `\`, which begins an escape in CSS: another text than
            // intended here.
            page = page.replace('¥', "");
        }
        let (bytes, ..) = charset.encode(&page);
        prop_assert!(are_inside(&bytes), "{}: {}", charset.name(), page);
        let wide: Vec<u8> =
            format!("\u{FEFF}{page}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        prop_assert!(are_inside(&wide), "UTF-16: {}", page);
    }

    #[test]
    fn edits_lie_in_the_reported_spans_whatever_is_shifted(
        values in prop::collection::vec(escapes(), 1..5),
    ) {
        let mut page = b"<meta charset=iso-2022-jp>".to_vec();
        for value in &values {
            page.extend_from_slice(b"\x1B(B<a href=\"");
            page.extend_from_slice(value);
            page.extend_from_slice(b"x\x1B(B\">");
        }
        prop_assert!(are_inside(&page), "{:?}", String::from_utf8_lossy(&page));
    }
}
