//! Messages and mailboxes: what `refs` and `bases` say about `fixtures/mail`, blessed; its spans,
//! read again by a small decoder of their own; and how messages are known for what they are.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::dir::TestDir;
use crate::refs::{self, Line};
use crate::words::ENCRYPTED;

/// Returns what is reported about the fixtures, on standard error.
fn reported() -> String {
    format!(
        "\
mail/relative-locations-no-base.mhtml:8:19: part 1.MIME: Content-Location ignored; its value gives no base
mail/relative-locations-no-base.mhtml:14:19: part 2.MIME: Content-Location ignored; its value gives no base
mail/signed.eml:36:1: part 3 skipped; {ENCRYPTED}
"
    )
}

fn list(line: &str) -> String {
    TestDir::with_fixture("mail").relink(line).exits(0).reports(&reported()).text().to_owned()
}

fn references() -> Vec<Line> {
    refs::lines(&list("refs mail --format json"))
}

#[test]
fn the_references_are_as_blessed() {
    crate::check_blessed("refs/mail.jsonl", &list("refs mail --format json"));
}

#[test]
fn the_bases_are_as_blessed() {
    crate::check_blessed("bases/mail.jsonl", &list("bases mail --format json"));
}

#[cfg(unix)]
#[test]
fn the_boxes_are_as_blessed() {
    let run = TestDir::with_fixture("mail").relink_by(&["env", "LC_ALL=C"], "bases mail").exits(0);
    crate::check_blessed("bases/mail.txt", run.reports(&reported()).text());
}

/// The layers around a reference, from the file inward.
#[derive(Clone, Copy)]
enum Written {
    Plain,
    QuotedPrintable,
    Base64,
    /// Base64 around quoted-printable.
    Both,
    /// Base64 around UTF-16, the smaller byte first.
    Utf16,
    Iso2022Jp,
    Field,
}

/// How the parts of the fixtures are written; `Plain` where nothing is said.
fn written(line: &Line) -> Written {
    let part = line.part.as_deref().expect("a part");
    match (line.path.as_str(), part) {
        ("base64-message.eml", "2.2") => Written::Both,
        ("base64-message.eml", _) => Written::Base64,
        (_, part) if part.ends_with("HEADER") || part.ends_with("MIME") => Written::Field,
        ("saved-page.mhtml", "1" | "2" | "5") | ("newsletter.eml", "2") | ("mboxrd.mbox", _) => {
            match line.unit {
                Some(1) => Written::Plain,
                _ => Written::QuotedPrintable,
            }
        }
        ("base64-html.eml", _) => Written::Base64,
        ("utf-16.eml", _) => Written::Utf16,
        ("iso-2022-jp.eml", _) => Written::Iso2022Jp,
        _ => Written::Plain,
    }
}

/// RFC 2045 6.7: `=` and two digits is a byte, `=` at the end of a line is nothing.
fn quoted_printable(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = raw;
    loop {
        rest = match rest {
            [] => return out,
            [b'=', b'\r', b'\n', after @ ..] | [b'=', b'\n', after @ ..] => after,
            [b'=', high, low, after @ ..] => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).expect("digits");
                out.push(u8::from_str_radix(digits, 16).expect("an escape"));
                after
            }
            [byte, after @ ..] => {
                out.push(*byte);
                after
            }
        };
    }
}

/// RFC 2045 6.8: six bits a character, eight a byte.
pub(crate) fn base64(raw: &[u8]) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bits = String::new();
    for byte in raw {
        if let Some(value) = ALPHABET.iter().position(|char| char == byte) {
            bits.push_str(&format!("{value:06b}"));
        }
    }
    let octet = |idx: usize| u8::from_str_radix(&bits[idx * 8..idx * 8 + 8], 2).expect("bits");
    (0..bits.len() / 8).map(octet).collect()
}

/// A field's value: white space and folds count for nothing, and there is one encoded word with
/// something that is not ASCII.
fn field(raw: &[u8]) -> String {
    let text: String = std::str::from_utf8(raw).expect("ASCII").split_ascii_whitespace().collect();
    match text.strip_prefix("=?us-ascii?Q?fog/?==?utf-8?Q?") {
        Some(rest) => format!("fog/{}", rest.trim_end_matches("?=").replace('=', "%")),
        None => text,
    }
}

#[test]
fn the_bytes_of_a_span_decode_to_the_text() {
    let dir = TestDir::with_fixture("mail");
    let lines = references();
    assert!(lines.len() > 80, "only {} references", lines.len());
    for line in &lines {
        let file = dir.bytes(PathBuf::from("mail").join(&line.path));
        let raw = &file[line.span[0]..line.span[1]];
        let written = written(line);
        let is_quanta = matches!(written, Written::Base64 | Written::Both | Written::Utf16);
        assert_eq!(line.span_exact, is_quanta.then_some(false), "{line:?}");
        let utf8 = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        let text = match written {
            Written::Plain => utf8(raw.to_vec()),
            Written::Field => field(raw),
            Written::QuotedPrintable => utf8(quoted_printable(raw)),
            Written::Base64 => utf8(base64(raw)),
            Written::Both => utf8(quoted_printable(&base64(raw))),
            Written::Utf16 => {
                let bytes = base64(raw);
                let wanted: Vec<u8> = line.text.encode_utf16().flat_map(u16::to_le_bytes).collect();
                let has_it = bytes.windows(wanted.len()).any(|window| window == wanted);
                assert!(has_it && bytes.len() < wanted.len() + 6, "{line:?}");
                continue;
            }
            // Both escape sequences are part of the span; 0x45 0x74 is row 37, cell 84.
            Written::Iso2022Jp => utf8(raw.to_vec()).replace("\x1B$BEt\x1B(B", "\u{706F}"),
        };
        let text = text.replace("&amp;", "&");
        if is_quanta {
            // At most two octets more on both sides, and what a quantum of quoted-printable leaves.

            assert!(text.contains(&line.text) && text.len() <= line.text.len() + 6, "{text}")
        } else {
            assert_eq!(text, line.text, "{line:?}")
        }
    }
}

#[test]
fn lines_and_columns_are_those_of_the_span() {
    let dir = TestDir::with_fixture("mail");
    for line in references() {
        let file = dir.bytes(PathBuf::from("mail").join(&line.path));
        let before = &file[..line.span[0]];
        let n_lines = before.iter().filter(|byte| **byte == b'\n').count();
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        assert_eq!((line.line, line.column), (n_lines + 1, before.len() - start + 1), "{line:?}");
    }
}

#[test]
fn the_target_is_what_the_url_crate_resolves_to() {
    for line in references() {
        let base = line.base.as_deref().map(|base| url::Url::parse(base).expect("a URL"));
        let target = line.target.as_deref().map(|target| url::Url::parse(target).expect("a URL"));
        let expected = url::Url::options().base_url(base.as_ref()).parse(&line.text).ok();
        assert_eq!(target, expected, "{line:?}");
    }
}

/// The base of a reference in a body is that which `bases` says about the part.
#[test]
fn refs_and_bases_agree() {
    let key = |line: &Value| format!("{} {} {}", line["path"], line["unit"], line["part"]);
    let lines = |text: String| -> Vec<Value> {
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let bases: BTreeMap<String, Value> = lines(list("bases mail --format json"))
        .into_iter()
        .map(|line| (key(&line), line))
        .collect();
    let mut n_compared = 0;
    for line in lines(list("refs mail --format json")) {
        let Some(document) = bases.get(&key(&line)) else {
            let part = line["part"].as_str().unwrap_or_default();
            assert!(part.ends_with("HEADER") || part.ends_with("MIME"), "{line}");
            continue;
        };
        if line["slot"] != "base[href]" {
            assert_eq!(line["base"], document["base"], "{line}");
            n_compared += 1;
        }
    }
    assert!(n_compared > 40, "{n_compared}");
}

/// Slot, part and target of each reference.
fn report(dir: &TestDir, line: &str, stdin: &[u8]) -> Vec<String> {
    let run = dir.pipe(line, stdin).exits(0);
    let lines = refs::lines(run.text()).into_iter();
    lines
        .map(|Line { unit, part, slot, target, .. }| {
            format!("{unit:?} {part:?} {slot} {}", target.unwrap_or_default())
        })
        .collect()
}

#[test]
fn standard_input_is_what_it_is_said_to_be() {
    let dir = TestDir::with_fixture("mail");
    for (file, media) in [
        ("saved-page.mhtml", "message/rfc822"),
        ("saved-page.mhtml", "multipart/related"),
        ("newsletter.eml", "message/rfc822"),
        ("mboxrd.mbox", "application/mbox"),
        ("mboxcl.mbox", "application/mbox"),
    ] {
        let expected = report(&dir, &format!("refs mail/{file} --format json -q"), b"");
        let bytes = dir.bytes(format!("mail/{file}"));
        let found = report(&dir, &format!("refs - --type {media} --format json -q"), &bytes);
        assert_eq!(found, expected, "{file}");
        // Nor is the type needed.
        let sniffed = report(&dir, "refs - --format json -q", &bytes);
        assert_eq!(sniffed, expected, "{file} sniffed");
        dir.relink(&format!("absolutize mail/{file} -o out-{file} --force -q")).exits(0);
        let run = dir.pipe(&format!("absolutize - --type {media} -q"), &bytes).exits(0);
        run.prints(dir.bytes(format!("out-{file}")));
    }
    let message = b"Content-Type: text/html\n\n<a href=a>";
    let found =
        report(&dir, "refs - --type message/rfc822 --base http://h/d/ --format json", message);
    assert_eq!(found, ["None Some(\"1\") a[href] http://h/d/a"]);
}

#[test]
fn files_without_an_extension_are_looked_into() {
    let dir = TestDir::with_fixture("mail");
    for file in ["saved-page.mhtml", "newsletter.eml", "mboxrd.mbox", "two.mmdf"] {
        let expected = report(&dir, &format!("refs mail/{file} --format json -q"), b"");
        dir.file("plain/inbox", dir.bytes(format!("mail/{file}")));
        assert!(!expected.is_empty());
        assert_eq!(report(&dir, "refs plain --format json -q", b""), expected, "{file}");
    }
    // What is no heading is none.
    dir.file("plain/inbox", "To be read: <a href=x>\nand this: is no heading\n\n<a href=y>");
    dir.file("plain/note", "From here\nContent-Type: text/html\n\n<a href=y>");
    dir.relink("refs plain").exits(0).prints("");
}

/// RFC 3501 6.4.5: what is in a part of type `message/rfc822` is numbered under it, and the body of
/// a message that is no multipart is part 1.
#[test]
fn a_message_that_is_all_of_a_message_is_its_first_part() {
    let message = "Content-Type: message/rfc822\nX-URL: http://h/a\n\nContent-Type: text/html\n\
                   X-URL: http://h/b\n\n<a href=http://h/c>";
    let dir = TestDir::with(&[("a.eml", message)]);
    let expected = [
        "None Some(\"HEADER\") header X-URL http://h/a",
        "None Some(\"1.HEADER\") header X-URL http://h/b",
        "None Some(\"1.1\") a[href] http://h/c",
    ];
    assert_eq!(report(&dir, "refs a.eml --format json", b""), expected);
}

#[test]
fn an_extension_may_be_reported() {
    let dir = TestDir::with(&[("a.saved", "Content-Type: text/css\n\na{b:url(c)}")]);
    let line = "refs a.saved --type saved=message/rfc822 --base http://h/ --format json";
    assert_eq!(report(&dir, line, b""), ["None Some(\"1\") css url() http://h/c"]);
    dir.file("a.eml", "Content-Type: text/css\n\na{b:url(c)}");
    dir.relink("refs a.eml --type eml=text/plain").exits(0).prints("");
}
