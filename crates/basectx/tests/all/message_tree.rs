//! The tree of a message: the positions of its parts, and its defects.

use std::process::Command;

use basectx::message::{Defect, Encoding, Message, MessageLimits};
use proptest::prelude::*;
use serde_json::Value;

/// Returns the entities as lines: part, header section, type, and the first bytes of a leaf.
fn tree(text: &str) -> Vec<String> {
    let message = Message::read(text.as_bytes());
    let lines = message.entities.iter().enumerate().map(|(idx, entity)| {
        let body = String::from_utf8_lossy(entity.body.slice(text.as_bytes()));
        let shown = if entity.children.is_empty() { format!(" {body:?}") } else { String::new() };
        format!("{} {}{shown}", message.header_section_name(idx), entity.content_type.media_type)
    });
    lines.collect()
}

fn defects(text: &str) -> Vec<Defect> {
    Message::read(text.as_bytes()).diagnostics.iter().map(|diagnostic| diagnostic.defect).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str], expected_defects: &[Defect]) {
    for text in [text.to_owned(), text.replace('\n', "\r\n"), text.replace('\n', "\r")] {
        let expected: Vec<String> = expected
            .iter()
            .map(|line| match text.contains('\r') {
                true if text.contains('\n') => line.replace("\\n", "\\r\\n"),
                true => line.replace("\\n", "\\r"),
                false => (*line).to_owned(),
            })
            .collect();
        assert_eq!(tree(&text), expected, "{text:?}");
        assert_eq!(defects(&text), expected_defects, "{text:?}");
    }
}

const MULTIPART: &str = "Content-Type: multipart/mixed; boundary=b\n\n";

#[test]
fn one_part() {
    check("Subject: s\n\nbody\n", &["HEADER text/plain \"body\\n\""], &[]);
    check("Content-Type: TEXT/HTML; charset=x\n\n<p>", &["HEADER text/html \"<p>\""], &[]);
    check("\nbody", &["HEADER text/plain \"body\""], &[]);
    let message = Message::read(b"A: b\n\nx");
    assert_eq!((message.part(0).as_str(), message.leaves().count()), ("1", 1));
}

#[test]
fn parts() {
    let text = format!(
        "{MULTIPART}preamble\n--b\nContent-Type: text/html\n\none\n--b\n\ntwo\n\n--b--\nepilogue\n--b\nno"
    );
    check(
        &text,
        &["HEADER multipart/mixed", "1.MIME text/html \"one\"", "2.MIME text/plain \"two\\n\""],
        &[],
    );
    // Padding after a delimiter, no line end after the last, a part without an empty line.
    check(
        &format!("{MULTIPART}--b \t\n\none\n--b\n--b\nContent-Type: text/x-y\n--b--"),
        &[
            "HEADER multipart/mixed",
            "1.MIME text/plain \"one\"",
            "2.MIME text/plain \"\"",
            "3.MIME text/x-y \"\"",
        ],
        &[],
    );
    // Lines that look like delimiters.
    check(
        &format!("{MULTIPART}--b\n\n--bb\n --b\n--b-\n--\n--B\nx--b\n--b--"),
        &["HEADER multipart/mixed", "1.MIME text/plain \"--bb\\n --b\\n--b-\\n--\\n--B\\nx--b\""],
        &[],
    );
    // Only the header section of a message in a digest (found by fuzzing).
    let text = "Content-Type: multipart/digest; boundary=b\n\n--b\nA: b\n\n--b--";
    let message = Message::read(text.as_bytes());
    let [part, inner] = [1, 2].map(|idx| &message.entities[idx]);
    assert!(inner.headers.start >= part.body.start && inner.body.end <= part.body.end);
    // A field without a value at the end of a part (found by fuzzing): the line end after it
    // belongs to the delimiter.
    let text = "Content-Type: multipart/mixed; boundary=b\n\n--b\nA: \n--b--";
    let message = Message::read(text.as_bytes());
    let (part, value) = (&message.entities[1], message.entities[1].fields[0].value);
    assert!(value.is_empty() && value.end <= part.headers.end, "{value:?} {:?}", part.headers);
    // A multipart without parts.
    check(&format!("{MULTIPART}--b--\nx"), &["HEADER multipart/mixed \"--b--\\nx\""], &[]);
}

#[test]
fn nested_parts() {
    let inner =
        "Content-Type: multipart/alternative; boundary=\"b_alt\"\n\n--b_alt\n\none\n--b_alt--\n";
    check(
        &format!("{MULTIPART}--b\n{inner}--b\n\ntwo\n--b--"),
        &[
            "HEADER multipart/mixed",
            "1.MIME multipart/alternative",
            "1.1.MIME text/plain \"one\"",
            "2.MIME text/plain \"two\"",
        ],
        &[],
    );
    // The inner one is not closed; the same boundary again.
    check(
        &format!(
            "{MULTIPART}--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\none\n--b\n\ntwo\n--b--"
        ),
        &[
            "HEADER multipart/mixed",
            "1.MIME multipart/mixed",
            "1.1.MIME text/plain \"one\"",
            "2.MIME text/plain \"two\"",
        ],
        &[Defect::NotClosed],
    );
    check(
        &format!("{MULTIPART}--b\n{MULTIPART}--b\n\none\n--b--\n--b\n\ntwo\n--b--"),
        &[
            "HEADER multipart/mixed",
            "1.MIME multipart/mixed",
            "1.1.MIME text/plain \"one\"",
            "2.MIME text/plain \"two\"",
        ],
        &[],
    );
}

#[test]
fn messages_in_messages() {
    // The example of RFC 3501 6.4.5.
    let text = "Content-Type: multipart/mixed; boundary=a\n\n--a\n\n1\n--a\nContent-Type: message/rfc822\n\nSubject: s\n\n2.1\n--a\n\
                Content-Type: message/rfc822\n\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\n3.1\n--b\nContent-Type: text/html\n\n3.2\n--b--\n--a--";
    check(
        text,
        &[
            "HEADER multipart/mixed",
            "1.MIME text/plain \"1\"",
            "2.MIME message/rfc822",
            "2.HEADER text/plain \"2.1\"",
            "3.MIME message/rfc822",
            "3.HEADER multipart/mixed",
            "3.1.MIME text/plain \"3.1\"",
            "3.2.MIME text/html \"3.2\"",
        ],
        &[],
    );
    let message = Message::read(text.as_bytes());
    let parts: Vec<String> = message.leaves().map(|idx| message.part(idx)).collect();
    assert_eq!(parts, ["1", "2.1", "3.1", "3.2"]);
    // In a digest parts are messages; encoded messages are leaves.
    check(
        "Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: s\n\none\n--b--",
        &["HEADER multipart/digest", "1.MIME message/rfc822", "1.HEADER text/plain \"one\""],
        &[],
    );
    check(
        "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nQTpi",
        &["HEADER message/rfc822 \"QTpi\""],
        &[],
    );
}

#[test]
fn defects_are_reported() {
    check("", &["HEADER text/plain \"\""], &[Defect::HeadersNotEnded]);
    check("A: b\n", &["HEADER text/plain \"\""], &[Defect::HeadersNotEnded]);
    check(
        "Content-Type: multipart/mixed\n\n--b\n\nx",
        &["HEADER multipart/mixed \"--b\\n\\nx\""],
        &[Defect::NoBoundary],
    );
    check(
        &format!("{MULTIPART}x\n"),
        &["HEADER multipart/mixed \"x\\n\""],
        &[Defect::BoundaryNotSeen],
    );
    check(
        &format!("{MULTIPART}--b\n\none\n"),
        &["HEADER multipart/mixed", "1.MIME text/plain \"one\\n\""],
        &[Defect::NotClosed],
    );
    let after = |text: &str, expected: &[Defect]| {
        let body = format!("--b\n\none\n--b--\n{text}");
        check(
            &format!("{MULTIPART}{body}"),
            &["HEADER multipart/mixed", "1.MIME text/plain \"one\""],
            expected,
        );
        // Also where it is the epilogue of a part.
        check(
            &format!("{MULTIPART}--c\n{MULTIPART}--b\n\none\n--b--\n{text}\n--c--")
                .replacen("=b", "=c", 1),
            &["HEADER multipart/mixed", "1.MIME multipart/mixed", "1.1.MIME text/plain \"one\""],
            expected,
        );
    };
    for text in [
        "",
        "\n \t\n",
        "____\nusers mailing list\nTo unsubscribe: mailto:a@b\n",
        "Subscribe: <http://h/>\nUnsubscribe: <http://i/>\nSubject: help\n",
        "Subject: one\n\nFrom: two\n",
        "From: me\nfrom: me\n",
        &"x".repeat(2000),
    ] {
        after(text, &[]);
    }
    for text in [
        "From: me\nSubject: you\n",
        "____\nlist\n\nReceived: from a\n by b\n\tfor c\nX-Odd: d\nDate: today\n\ntext\n",
        "From - \nX-Mozilla-Status : 0001\nmessage-ID: <a@b>\n",
    ] {
        after(text, &[Defect::FieldsInEpilogue]);
    }
    after(&"x".repeat(2001), &[Defect::LongEpilogue]);
    let message =
        Message::read(b"Content-Type: multipart/mixed; boundary=b\n\n--b--\n\nTo: a\nCc: b");
    assert_eq!(message.diagnostics[0].at, 50);
    check(" x\nA: b\njunk\n: y\n\nz", &["HEADER text/plain \"z\""], &[Defect::NotAField; 3]);
    check("\u{FEFF}Content-Type: text/html\n\nx", &["HEADER text/html \"x\""], &[]);
    // The charset of the parameter is not known (RFC 2231).
    check(
        "Content-Type: multipart/mixed; boundary*=\"ansi-x3.4-1968''b%20c\"\n\n--b c\n\none\n--b c--",
        &["HEADER multipart/mixed", "1.MIME text/plain \"one\""],
        &[],
    );
    // Text that no empty line separates from the fields, or without any field.
    let (stray, unended) = (Defect::NotAField, Defect::HeadersNotEnded);
    check("A: b\njunk\n", &["HEADER text/plain \"junk\\n\""], &[stray, unended]);
    check("From a@b\nA: b\njunk", &["HEADER text/plain \"junk\""], &[stray, unended]);
    check("From a@b\n\nx", &["HEADER text/plain \"x\""], &[]);
    check(
        "To you\n this\n\nand: that",
        &["HEADER text/plain \"To you\\n this\\n\\nand: that\""],
        &[stray],
    );
    check(
        &format!("{MULTIPART}--b\none\n--b\nContent-Type: text/html\ntwo\n--b--"),
        &["HEADER multipart/mixed", "1.MIME text/plain \"one\"", "2.MIME text/html \"two\""],
        &[stray; 2],
    );
    check("A: \0\n\n\0\0", &["HEADER text/plain \"\\0\\0\""], &[]);
    check("Content-Type: html\n\nx", &["HEADER text/plain \"x\""], &[]);
}

#[test]
fn fields() {
    let text = "Content-Type : text/html (x); charset=\"a\"\r\nX:\r\n\tfolded \r\n here\r\nContent-Transfer-Encoding: (c) Base64\r\nSubject: =?utf-8?q?=C3=A9?= =?utf-8?q?x?=\r\n\r\n";
    let message = Message::read(text.as_bytes());
    let entity = &message.entities[0];
    assert_eq!(entity.content_type.media_type, "text/html");
    assert_eq!(entity.content_type.charset.as_deref(), Some("a"));
    assert_eq!(entity.encoding, Encoding::Base64);
    let field = |name: &str| entity.field(name, text.as_bytes()).expect(name);
    assert_eq!(field("x").value.slice(text.as_bytes()), b"folded \r\n here");
    assert_eq!(field("x").text(text.as_bytes()), "folded  here");
    assert_eq!(field("SUBJECT").text(text.as_bytes()), "éx");
}

#[test]
fn excess_depth_and_number_are_reported() {
    let nested: String = (0..10_000)
        .map(|n| format!("Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n"))
        .collect();
    assert!(defects(&nested).contains(&Defect::TooDeep));
    let messages = "Content-Type: message/rfc822\n\n".repeat(10_000);
    assert!(defects(&messages).contains(&Defect::TooDeep));
    let parts = format!("{MULTIPART}{}", "--b\n\nx\n".repeat(100_001));
    assert!(defects(&parts).contains(&Defect::TooMany));
    assert!(Message::read(parts.as_bytes()).entities.len() <= 100_000);
    // A message in the last part that is read.
    let limits = MessageLimits { entities: 2, ..MessageLimits::default() };
    let message = format!("{MULTIPART}--b\nContent-Type: message/rfc822\n\nA: b\n\nx\n--b--\n");
    let message = Message::read_within(message.as_bytes(), limits);
    assert_eq!(
        message.diagnostics.iter().map(|one| one.defect).collect::<Vec<_>>(),
        [Defect::TooMany]
    );
}

#[test]
fn many_defects_do_not_hide_those_that_leave_text_unread() {
    let long = format!("X: {}\nContent-Type: multipart/mixed; boundary=c\n", "y".repeat(50));
    let text = format!("{MULTIPART}--b\n{}\n--b\n{long}\n--d\n", "no field\n".repeat(2000));
    let limits = MessageLimits { field: 40, ..MessageLimits::default() };
    let message = Message::read_within(text.as_bytes(), limits);
    let n = |defect| message.diagnostics.iter().filter(|one| one.defect == defect).count();
    assert_eq!(
        (n(Defect::NotAField), n(Defect::BoundaryNotSeen), n(Defect::LongField)),
        (1000, 1, 1)
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Entities are in the bodies of those around them, in order, and lose nothing.
    #[test]
    fn spans_are_nested(text in "(--b|--c|--b--|--c--|\n|\r\n|\r|x|:| |\t|Content-Type: |multipart/mixed; boundary=b\n|multipart/mixed; boundary=c\n|message/rfc822\n|\n\n){0,30}") {
        let message = Message::read(text.as_bytes());
        for (idx, entity) in message.entities.iter().enumerate() {
            prop_assert!(entity.headers.start <= entity.headers.end && entity.headers.end == entity.body.start);
            prop_assert!(entity.body.end <= text.len());
            let mut from = entity.body.start;
            for child in entity.children.iter().map(|child| &message.entities[*child]) {
                prop_assert_eq!(child.parent, Some(idx));
                prop_assert!(child.headers.start >= from && child.body.end <= entity.body.end, "{:?} in {:?}", child, entity);
                from = child.body.end;
            }
            for field in &entity.fields {
                prop_assert!(field.name.start >= entity.headers.start && field.value.end <= entity.headers.end);
                prop_assert!(field.name.end < field.value.start + 1);
            }
            let _ = (message.part(idx), message.header_section_name(idx));
        }
    }

    #[test]
    fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let message = Message::read(&bytes);
        prop_assert!(!message.entities.is_empty());
    }
}

/// Compares an entity with the offsets reported by another program.
fn check_offsets(message: &Message, idx: usize, begin: usize, expected: &Value) {
    let entity = &message.entities[idx];
    let offset =
        |name: &str| usize::try_from(expected[name].as_u64().expect(name)).expect(name) - begin;
    assert_eq!(entity.headers.start, offset("beginOffset"));
    assert_eq!(entity.headers.end, offset("headersEndOffset"));
    assert_eq!(entity.content_type.media_type, expected["mimeType"].as_str().expect("a type"));
    let children = expected["children"].as_array().map_or(&[][..], |list| list);
    assert_eq!(entity.children.len(), children.len());
    if children.is_empty() {
        assert_eq!(entity.body.end, offset("endOffset"));
    }
    for (child, expected) in entity.children.iter().zip(children) {
        check_offsets(message, *child, begin, expected);
    }
}

#[test]
fn offsets_of_a_real_mbox() {
    let Some(directory) = crate::tools::shared("mail") else { return };
    let bytes = std::fs::read(directory.join("mbox-issue1189.mbox")).expect("the file is there");
    let offsets =
        std::fs::read(directory.join("mbox-issue1189.unix-offsets.json")).expect("offsets");
    let offsets: Value = serde_json::from_slice(&offsets).expect("JSON");
    let list = offsets.as_array().expect("a list");
    for expected in list {
        let offset =
            |name: &str| usize::try_from(expected[name].as_u64().expect(name)).expect(name);
        let (begin, end) = (offset("beginOffset"), offset("endOffset"));
        let message = Message::read(&bytes[begin..end]);
        check_offsets(&message, 0, begin, &expected["body"]);
    }
    assert_eq!(list.len(), 4);
}

/// A script that prints the types of the entities in order, as read by Python's `email` package.
const PYTHON: &str = r#"
import email, email.policy, sys
message = email.message_from_binary_file(open(sys.argv[1], 'rb'), policy=email.policy.compat32)
for part in message.walk():
    print(part.get_content_type(), len(part.keys()))
"#;

#[test]
fn trees_of_real_messages_as_python_reads_them() {
    /// The messages for which Python reads another tree, with the reason.
    const DIFFERENT: [(&str, &str); 1] = [(
        "nest-base64-rfc822-twice.eml",
        "Python reads base64 as the header section of a message",
    )];
    let Some(directory) = crate::tools::shared("mail") else { return };
    if !crate::tools::has("python3", &["--version"]) {
        return;
    }
    let mut n_compared = 0;
    let mut differing = Vec::new();
    let mut files: Vec<_> =
        std::fs::read_dir(directory).expect("a directory").filter_map(Result::ok).collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    for file in files {
        let name = file.file_name().to_string_lossy().into_owned();
        let is_message = [".eml", ".mht", ".mhtml"].iter().any(|end| name.ends_with(end));
        if !is_message {
            continue;
        }
        let bytes = std::fs::read(file.path()).expect("the file is readable");
        let message = Message::read(&bytes);
        let ours: String = message
            .entities
            .iter()
            .map(|entity| format!("{} {}\n", entity.content_type.media_type, entity.fields.len()))
            .collect();
        let output = Command::new("python3").args(["-c", PYTHON]).arg(file.path()).output();
        let theirs = String::from_utf8_lossy(&output.expect("python3 runs").stdout).into_owned();
        n_compared += 1;
        if ours != theirs && !DIFFERENT.iter().any(|(known, _)| *known == name) {
            differing.push(format!("{name}:\nours\n{ours}theirs\n{theirs}"));
        }
    }
    println!("{n_compared} messages");
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(n_compared > 25, "{n_compared} messages");
}
