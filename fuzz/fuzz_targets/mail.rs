//! Messages and their transfer encodings, on any bytes: entities are nested, and lifted edits are the edits.

#![no_main]

use basectx::message::Message;
use layers::{Edit, Edits, Lifted, LineEnd, LineGuards, Span, base64, quoted_printable};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, u8, &[u8], &[u8])| {
    let (at, length, text, raw) = input;
    tree(raw);
    quoted_printable_edit(raw, usize::from(at), usize::from(length), text);
    base64_edit(raw, usize::from(at), usize::from(length), text);
});

fn tree(bytes: &[u8]) {
    let message = Message::read(bytes);
    for (idx, entity) in message.entities.iter().enumerate() {
        assert!(entity.heading.start <= entity.heading.end);
        assert_eq!(entity.heading.end, entity.body.start);
        assert!(entity.body.start <= entity.body.end && entity.body.end <= bytes.len());
        let mut from = entity.body.start;
        for child in entity.children.iter().map(|child| &message.entities[*child]) {
            assert!(child.parent == Some(idx) && child.heading.start >= from);
            assert!(child.body.end <= entity.body.end);
            from = child.body.end;
        }
        for field in &entity.fields {
            assert!(field.name.start >= entity.heading.start && field.value.end <= entity.heading.end);
            let _ = field.text(bytes);
        }
        let _ = (message.part(idx), message.heading_name(idx));
    }
}

/// An edit of some decoded bytes, and what they are with it.
fn edit(decoded: &[u8], at: usize, length: usize, text: &[u8]) -> (Edit, Vec<u8>) {
    let start = at.min(decoded.len());
    let end = (start + length).min(decoded.len());
    let edit = Edit { span: Span::new(start, end), text: text.into(), id: 0 };
    (edit, [&decoded[..start], text, &decoded[end..]].concat())
}

fn made(raw: &[u8], lifted: Lifted) -> Option<Vec<u8>> {
    let edits = Edits::new(lifted.edits, raw.len()).expect("in order");
    lifted.refused.is_empty().then(|| edits.apply(raw))
}

fn quoted_printable_edit(raw: &[u8], at: usize, length: usize, text: &[u8]) {
    let decoded = quoted_printable::decode(raw);
    let (edit, expected) = edit(&decoded.bytes, at, length, text);
    let guards = LineGuards { dashes: at % 2 == 0, from: at % 3 == 0, line_end: LineEnd::Lf };
    if let Some(output) = made(raw, quoted_printable::lift(raw, &decoded, &[edit], guards)) {
        assert_eq!(*quoted_printable::decode(&output).bytes, expected[..]);
    }
}

fn base64_edit(raw: &[u8], at: usize, length: usize, text: &[u8]) {
    let body = base64::decode(raw);
    let (edit, expected) = edit(&body.bytes, at, length, text);
    if let Some(output) = made(raw, base64::lift(raw, &body, &[edit], LineEnd::Lf)) {
        assert_eq!(base64::decode(&output).bytes, expected);
    }
}
