//! gzip: pieces, and laws of what is put back, for any edits of any members.

use std::io::{Read, Write};

use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use layers::{Edit, Edits, Span};
use relink::container::{Container, ContentError, Edited, Fault, Gzip, PieceText, Pieces};
use rewrite::Limits;

use super::generate::Random;

/// A member with some header.
fn member(random: &mut Random, text: &[u8]) -> Vec<u8> {
    let level = Compression::new([1, 6, 9][random.below(3)]);
    let mut builder = GzBuilder::new().mtime(7);
    if random.below(2) == 0 {
        builder = builder.filename("a b").extra(*b"xy\x01\0z");
    }
    if random.below(2) == 0 {
        builder = builder.comment("c");
    }
    let mut encoder: GzEncoder<Vec<u8>> = builder.write(Vec::new(), level);
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// The bytes of a member, and its text.
type Member = (Vec<u8>, Vec<u8>);

/// The members of a file, and what follows them, by a reader that shares no code with the program.
fn members(mut file: &[u8]) -> (Vec<Member>, Vec<u8>) {
    let mut members = Vec::new();
    while file.starts_with(b"\x1f\x8b") {
        let mut decoder = GzDecoder::new(file);
        let mut text = Vec::new();
        decoder.read_to_end(&mut text).expect("a member");
        let rest = decoder.into_inner();
        members.push((file[..file.len() - rest.len()].to_vec(), text));
        file = rest;
    }
    (members, file.to_vec())
}

/// Some edits of a text.
fn edits(random: &mut Random, text: &[u8]) -> Edits {
    let mut edits = Vec::new();
    let mut at = 0;
    while at < text.len() && random.below(4) > 0 {
        let start = at + random.below(text.len() - at + 1);
        let end = start + random.below((text.len() - start).min(9) + 1);
        let new = "n".repeat(random.below(5));
        edits.push(Edit { span: Span::new(start, end), text: new.into_bytes().into(), id: 0 });
        at = end + 1;
    }
    Edits::new(edits, text.len()).expect("edits in order")
}

#[test]
fn members_that_no_edit_touches_keep_their_bytes() {
    let (mut n_kept, mut n_changed) = (0, 0);
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let texts: Vec<Vec<u8>> = (0..=random.below(5))
            .map(|_| random.some(&["text ", "\n", "<p>", "", "xyz"], 12))
            .collect();
        let parts: Vec<Vec<u8>> = texts.iter().map(|text| member(&mut random, text)).collect();
        let rest = random.one(&[&b""[..], b"\0\0", b"\x1f", b"rest"]);
        let file = [parts.concat(), rest.to_vec()].concat();
        let mut pieces = Pieces::with_chunk(&Gzip, &file[..], random.below(50) + 1);
        let piece = pieces.next().expect("a piece").expect("it can be read");
        assert!(pieces.next().is_none() && piece.bytes == file, "seed {seed}");
        let content = Gzip.content(&piece, &Limits::default()).expect("a document");
        let PieceText::Decoded(old) = content.text else { panic!("decoded") };
        assert_eq!(old, texts.concat(), "seed {seed}");
        let edits = edits(&mut random, &old);
        let new = edits.apply(&old);
        // Also if it is not known which edits give the new text.
        let known = if random.below(4) == 0 { Edits::default() } else { edits };
        let span = 0..file.len();
        // Its length matters to nobody, if nobody sees it: all else is as it is otherwise.
        let is_seen = random.below(4) != 0;
        let (piece, edits) = (&file, &known);
        let edited = Edited { piece, span, old: &old, new: &new, edits, member: None, is_seen };
        let rebuilt = Gzip.rebuild(&edited).expect("it is rebuilt");
        let (found, after) = members(&rebuilt.bytes);
        assert_eq!(after, rest);
        assert_eq!(found.len(), parts.len(), "seed {seed}");
        let found_text: Vec<u8> = found.iter().flat_map(|(_, text)| text.clone()).collect();
        assert_eq!(found_text, new, "seed {seed}");
        for ((bytes, text), (old_bytes, old_text)) in found.iter().zip(parts.iter().zip(&texts)) {
            let header = |bytes: &[u8]| GzDecoder::new(bytes).header().cloned();
            let [now, before] = [bytes, old_bytes].map(|bytes| header(bytes).expect("a header"));
            assert_eq!(now.extra(), before.extra());
            assert_eq!(
                (now.filename(), now.comment(), now.mtime(), now.operating_system()),
                (before.filename(), before.comment(), before.mtime(), before.operating_system())
            );
            if text == old_text {
                assert!(bytes == old_bytes, "seed {seed}")
            } else {
                n_changed += 1
            }
            n_kept += usize::from(bytes == old_bytes);
        }
        let mut undone = Vec::new();
        let mut reader = std::io::BufReader::new(std::io::Cursor::new(&rebuilt.bytes));
        let len = rebuilt.bytes.len() as u64;
        rebuilt.changes.undo(&mut reader, len, &mut undone).expect("it can be undone");
        assert!(undone == file, "seed {seed}");
    }
    assert!(n_kept > 1000 && n_changed > 1000, "{n_kept} {n_changed}");
}

#[test]
fn any_octets_are_read_or_refused() {
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let mut file = member(&mut random, b"<a href=x>some text and more text</a>");
        for _ in 0..=random.below(3) {
            let at = random.below(file.len());
            file[at] = u8::try_from(random.below(256)).unwrap();
        }
        file.truncate(random.below(2) * file.len() + random.below(file.len()));
        for piece in Pieces::new(&Gzip, &file[..]) {
            let piece = piece.expect("it can be read");
            assert!(piece.bytes == file);
            if let Err(reason) = Gzip.content(&piece, &Limits::default()) {
                assert!(matches!(reason, ContentError::Damaged { .. }), "{reason}");
            }
        }
    }
}

#[test]
fn a_file_that_is_too_large_is_cut() {
    let file = [7; 100];
    for chunk in [1, 7, 64, 1000] {
        let pieces = Pieces::with_chunk(&Gzip, &file[..], chunk).within(40, String::new());
        let pieces: Vec<_> = pieces.map(|piece| piece.expect("a piece")).collect();
        assert_eq!(pieces[0].fault, Some(Fault::TooLarge));
        assert!(pieces.iter().all(|piece| piece.unit.is_none()));
        assert!(pieces.iter().all(|piece| piece.bytes.len() <= 40 + chunk || chunk == 1000));
        assert_eq!(pieces.iter().map(|piece| piece.bytes.len()).sum::<usize>(), 100);
    }
}
