//! What the list of references says of bytes and URLs, worked out again by html5ever, the `url`
//! crate and manually.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fs;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::refs::{self, Line};

/// Collects the values of attributes.
#[derive(Default)]
struct Values(RefCell<Vec<String>>);

impl TokenSink for Values {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        if let Token::TagToken(tag) = token {
            self.0.borrow_mut().extend(tag.attrs.iter().map(|attr| attr.value.to_string()));
        }
        TokenSinkResult::Continue
    }
}

/// The value of an attribute that is written so, by html5ever. What the fixtures hold in texts of
/// SVG reads the same.
fn character_references(raw: &str) -> String {
    let quote = if raw.contains('"') { '\'' } else { '"' };
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from(format!("<p x={quote}{raw}{quote}>")));
    let tokenizer = Tokenizer::new(Values::default(), TokenizerOpts::default());
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink.0.into_inner().pop().unwrap_or_default()
}

/// CSS Syntax level 3, section 4.3.7: a backslash and up to six hexadecimal digits, or any other
/// character.
fn css_escapes(raw: &str) -> String {
    let mut text = String::new();
    let mut chars = raw.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\\' {
            text.push(char);
            continue;
        }
        let mut code = String::new();
        while code.len() < 6 && chars.peek().is_some_and(char::is_ascii_hexdigit) {
            code.extend(chars.next());
        }
        match u32::from_str_radix(&code, 16) {
            Ok(code) => {
                text.push(char::from_u32(code).unwrap_or('\u{FFFD}'));
                chars.next_if(|char| char.is_ascii_whitespace());
            }
            Err(_) => text.extend(chars.next().filter(|char| *char != '\n')),
        }
    }
    text
}

/// The characters of JIS X 0208 that stand in references of `jp/index.html`, read off the code
/// table: 0x95 0x5C is its row 41, cell 29.
const SHIFT_JIS: [([u8; 2], char); 7] = [
    ([0x95, 0x5C], '表'),
    ([0x83, 0x5C], 'ソ'),
    ([0x81, 0x5B], 'ー'),
    ([0x83, 0x58], 'ス'),
    ([0x94, 0x5C], '能'),
    ([0x97, 0xCD], '力'),
    ([0x8F, 0x5C], '十'),
];

fn shift_jis(raw: &[u8]) -> String {
    let mut text = String::new();
    let mut rest = raw;
    while let [first, after @ ..] = rest {
        rest = after;
        if first.is_ascii() {
            text.push(char::from(*first));
            continue;
        }
        let pair = [*first, after[0]];
        let (_, char) = SHIFT_JIS.iter().find(|(bytes, _)| *bytes == pair).expect("a known pair");
        text.push(*char);
        rest = &after[1..];
    }
    text
}

/// The text of a reference, from the bytes of its span and the places that it is in.
fn decoded(raw: &[u8], line: &Line) -> String {
    let mut text = match line.path.as_str() {
        "jp/index.html" => shift_jis(raw),
        "jp/utf16.html" => {
            let units = raw.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
            char::decode_utf16(units).map(|char| char.expect("UTF-16")).collect()
        }
        "menu.htm" => raw.iter().map(|byte| char::from(*byte)).collect(),
        _ => String::from_utf8(raw.to_vec()).expect("UTF-8"),
    };
    for slot in line.embedded.iter().map(|document| &document.slot).chain([&line.slot]) {
        text = match slot.as_str() {
            slot if slot.starts_with("css ") => css_escapes(&text),
            slot if slot.contains('[') || slot == "svg style" => character_references(&text),
            "style" | "iframe" | "noembed" | "noframes" | "noscript" | "conditional comment" => {
                text
            }
            slot => panic!("how is {slot} written?"),
        };
    }
    text
}

/// Line and column, by the rule: LF, CRLF and CR end lines, both count from 1, columns count bytes.
fn place(file: &[u8], at: usize) -> (usize, usize) {
    let (mut line, mut column) = (1, 1);
    for idx in 0..at {
        let is_end = match file[idx] {
            b'\n' => true,
            b'\r' => file.get(idx + 1) != Some(&b'\n'),
            _ => false,
        };
        (line, column) = if is_end { (line + 1, 1) } else { (line, column + 1) };
    }
    (line, column)
}

#[track_caller]
fn for_each_line(act: impl Fn(&Line, &[u8])) {
    let lines = refs::lines(&refs::of_site());
    assert!(lines.len() > 150, "only {} references", lines.len());
    for line in &lines {
        act(line, &fs::read(crate::fixture("site").join(&line.path)).expect("the fixture"));
    }
}

#[test]
fn the_bytes_of_a_span_decode_to_the_text() {
    for_each_line(|line, file| {
        let [start, end] = line.span;
        assert_eq!(decoded(&file[start..end], line), line.text, "{line:?}");
    });
}

#[test]
fn a_span_is_in_the_documents_around_it() {
    for_each_line(|line, file| {
        let spans = line.embedded.iter().map(|document| document.span).chain([line.span]);
        spans.fold([0, file.len()], |outer, inner| {
            let is_inside = outer[0] <= inner[0] && inner[1] <= outer[1] && inner[0] <= inner[1];
            assert!(is_inside, "{line:?}");
            inner
        });
    });
}

#[test]
fn nothing_but_the_reference_is_in_its_span() {
    for_each_line(|line, file| {
        let [start, end] = line.span;
        let raw = &file[start..end];
        assert!(raw == raw.trim_ascii(), "{line:?}");
        let is_quoted = raw.first().is_some_and(|byte| b"\"'(".contains(byte));
        assert!(!is_quoted, "{line:?}");
    });
}

#[test]
fn lines_and_columns_are_those_of_the_span() {
    for_each_line(|line, file| {
        assert_eq!((line.line, line.column), place(file, line.span[0]), "{line:?}");
    });
}

#[test]
fn a_retrieval_base_is_the_place_of_the_file() {
    for_each_line(|line, _| {
        if line.base_source == "retrieval" {
            let path = line.path.replace('%', "%25").replace(' ', "%20");
            assert_eq!(line.base.as_deref(), Some(&*format!("{}{path}", refs::BASE)), "{line:?}");
        }
    });
}

#[test]
fn the_target_is_what_the_url_crate_resolves_to() {
    for_each_line(|line, _| {
        let has_none = matches!(line.kind.as_str(), "template" | "class");
        match &line.target {
            _ if line.kind == "local" => {}
            None => assert!(has_none, "{line:?}"),
            Some(target) => {
                let base = url::Url::parse(line.base.as_deref().expect("a base")).unwrap();
                // Queries are sent in the charset of the page, which only these pages declare.
                let encode: fn(&str) -> Cow<'_, [u8]> = match &*line.path {
                    "jp/index.html" => |text| encoding_rs::SHIFT_JIS.encode(text).0,
                    "menu.htm" => |text| encoding_rs::WINDOWS_1252.encode(text).0,
                    _ => |text| encoding_rs::UTF_8.encode(text).0,
                };
                let options = url::Url::options().base_url(Some(&base));
                let expected = options.encoding_override(Some(&encode)).parse(&line.text).unwrap();
                assert_eq!(url::Url::parse(target).unwrap(), expected, "{line:?}");
                assert!(!has_none, "{line:?}");
            }
        }
    });
}

#[test]
fn a_local_reference_points_into_its_own_document_or_nowhere_that_is_known() {
    for_each_line(|line, _| {
        if line.kind == "local" {
            let own = format!("{}{}{}", refs::BASE, line.path, line.text);
            // A style sheet does not know the document that it is used in.
            let is_own = line.path.ends_with(".html") && line.target.as_ref() == Some(&own);
            assert!(line.target.is_none() || is_own, "{line:?}");
        }
    });
}
