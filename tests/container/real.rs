//! Real mailboxes, where they are at hand.
//!
//! The counts are those of Python's `mailbox` module: `len(mailbox.mbox(path))`.

use super::pieces;
use crate::tools::shared;
use relink::container::{Emlx, Fault, Mbox, length, sniff};

#[test]
fn mailboxes() {
    let Some(directory) = shared("mail") else { return };
    for (name, n_messages) in [
        ("mbox-apache-list.mbox", 3),
        ("mbox-issue1189.mbox", 4),
        ("mbox-mboxrd.mbox", 2),
        ("mbox-thunderbird-space-quoted.mbox", 2),
    ] {
        let file = std::fs::read(directory.join(name)).expect("the file is there");
        let parts = pieces(&Mbox, &file);
        assert_eq!(parts.len(), n_messages, "{name}");
        assert!(parts.iter().all(|piece| piece.unit.is_some() && piece.fault.is_none()));
        let all: Vec<u8> = parts.iter().flat_map(|piece| piece.bytes.to_vec()).collect();
        assert!(all == file, "{name}");
        assert_eq!(sniff::of_content(&file), Some(sniff::SniffedFormat::Mbox), "{name}");
    }
}

/// Begin and end of the messages as MimeKit says them, in `mbox-issue1189.unix-offsets.json`.
#[test]
fn offsets_of_messages() {
    let Some(directory) = shared("mail") else { return };
    let file = std::fs::read(directory.join("mbox-issue1189.mbox")).expect("the file is there");
    let offsets: Vec<(u64, usize, usize, u64)> = pieces(&Mbox, &file)
        .into_iter()
        .map(|piece| {
            let message = piece.unit.expect("a message");
            let at = usize::try_from(piece.at).expect("a small file");
            (piece.at, at + message.start, at + message.end, piece.n_lines + 2)
        })
        .collect();
    let expected =
        [(0, 29, 558, 2), (559, 588, 6445, 23), (6446, 6475, 7004, 54), (7005, 7034, 7563, 75)];
    assert_eq!(offsets, expected);
}

#[test]
fn a_message_of_apple() {
    let Some(directory) = shared("mail") else { return };
    let file = std::fs::read(directory.join("apple.emlx")).expect("the file is there");
    let parts = pieces(&Emlx, &file);
    let [piece] = &parts[..] else { panic!("{} pieces", parts.len()) };
    let message = super::message(piece).expect("a message");
    assert_eq!((message.len(), piece.fault, piece.length.clone()), (1795, None, Some(0..4)));
    assert!(message.starts_with(b"From: ") && message.ends_with(b" online.\n\n"));
    let digits = &piece.bytes[piece.length.clone().expect("a length")];
    assert_eq!(length::rewritten(digits, 1795, 12345).as_deref(), Some(&b"12345"[..]));
    // With a number that is wrong the property list says where the message ends.
    let wrong = [b"1700", &file[4..]].concat();
    let parts = pieces(&Emlx, &wrong);
    assert_eq!(super::message(&parts[0]), Some(message));
    assert_eq!(parts[0].fault, Some(Fault::WrongLength));
}

/// Saved pages and messages are reported by their content to be messages. Some begin with the line
/// of a mailbox; some have no field that is of mail only.
#[test]
fn messages_are_known_by_their_content() {
    let Some(directory) = shared("mail") else { return };
    let mut others = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if !matches!(extension, Some("eml" | "mht" | "mhtml")) {
            continue;
        }
        let file = std::fs::read(&path).expect("the file is there");
        let kind = sniff::of_content(&file);
        if kind != Some(sniff::SniffedFormat::Message) {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            others.push((name, kind));
        }
    }
    others.sort_by(|one, other| one.0.cmp(&other.0));
    let expected = [
        ("bnd-trailing-spaces.eml", None),
        ("bnd-very-long.eml", None),
        ("cb-thunderbird-feed-conflict.eml", Some(sniff::SniffedFormat::Mbox)),
        ("cl-bad-android-mms.eml", Some(sniff::SniffedFormat::Mbox)),
    ];
    let others: Vec<_> = others.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
    assert_eq!(others, expected);
}
