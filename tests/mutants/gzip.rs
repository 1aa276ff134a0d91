//! Damaged gzip files: each is refused, or read and converted as flate2's own reader of gzip reads
//! it, and members that do not change keep their bytes. The text obeys the law by the same oracle
//! as other documents.

use std::io::{Read, Write};

use basectx::Context;
use flate2::bufread::GzDecoder;
use flate2::{Compression, GzBuilder};
use relink::container::{Container, Edited, Gzip, PieceText, Pieces};
use rewrite::{Limits, Unit, Verify, absolutize};

use super::documents::Document;
use super::sabotage::Numbers;
use super::{URL, number, options, oracle, pieces};

/// A member with this part of a text, with some header.
fn member(numbers: &mut Numbers, text: &[u8]) -> Vec<u8> {
    let level = Compression::new([0, 1, 6, 9][numbers.below(4)]);
    let mut builder = GzBuilder::new().mtime(7);
    if numbers.below(2) == 0 {
        builder = builder.filename("a b");
    }
    if numbers.below(3) == 0 {
        builder = builder.extra(*b"xy\x01\0z").comment("c");
    }
    let mut encoder = builder.write(Vec::new(), level);
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// The members of a file and their texts, by a reader that shares no code with the program; `None`
/// if one of them is damaged.
fn members(mut file: &[u8]) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
    let mut members = Vec::new();
    while members.is_empty() || file.starts_with(b"\x1F\x8B") {
        let mut decoder = GzDecoder::new(file);
        let mut text = Vec::new();
        decoder.read_to_end(&mut text).ok()?;
        let rest = decoder.into_inner();
        members.push((file[..file.len() - rest.len()].to_vec(), text));
        file = rest;
    }
    Some(members)
}

/// A file with a document in it, damaged or not.
fn file(numbers: &mut Numbers, document: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut rest = document;
    for _ in 0..numbers.below(3) {
        let (part, after) = rest.split_at(numbers.below(rest.len() + 1));
        file.extend(member(numbers, part));
        rest = after;
    }
    file.extend(member(numbers, rest));
    let at = numbers.below(file.len());
    let other = numbers.below(file.len());
    match numbers.below(16) {
        0 => file[at] ^= 1 << numbers.below(8),
        1 => drop(file.remove(at)),
        2 => file.truncate(at),
        3 => file.insert(at, 0),
        4 => file.extend_from_within(at..),
        5 => drop(file.drain(at.min(other)..at.max(other))),
        // Fields of the first header, and a checksum.
        6 => file[[2, 3, 8, 9][numbers.below(4)]] ^= 1 << numbers.below(8),
        7 => {
            let end = file.len() - 1 - numbers.below(8);
            file[end] ^= 1;
        }
        8 => file.extend_from_slice([&b"\0\0"[..], b"\x1F", b"\x1F\x8B\x09"][numbers.below(3)]),
        _ => {}
    }
    file
}

/// What became of a file.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Refused,
    Same,
    Changed,
}

fn check(document: &Document, file: &[u8]) -> Fate {
    let shown = || format!("{} {}", document.bytes.escape_ascii(), file.escape_ascii());
    let mut found = Pieces::new(&Gzip, file);
    if file.is_empty() {
        assert!(found.next().is_none());
        return Fate::Refused;
    }
    let piece = found.next().expect("a piece").expect("it can be read");
    assert!(found.next().is_none() && piece.bytes == file);
    let read = members(file);
    let content = match Gzip.content(&piece, &Limits::default()) {
        Ok(content) => content,
        Err(reason) => {
            // flate2 reads reserved flags, and headers whose checksum is wrong.
            let is_strict =
                reason.to_string().contains("flags") || reason.to_string().contains("header");
            assert!(read.is_none() || is_strict, "{reason}: {}", shown());
            return Fate::Refused;
        }
    };
    let PieceText::Decoded(old) = content.text else { panic!("decoded") };
    let read = read.unwrap_or_else(|| panic!("flate2 refuses {}", shown()));
    assert!(old == read.iter().flat_map(|(_, text)| text.clone()).collect::<Vec<u8>>());
    let context = Context::retrieval(URL.parse().unwrap(), "test");
    let unit = Unit::new(&old, document.media, &context);
    let rewritten = absolutize(unit, &options(document.media, Verify::Full));
    assert_eq!(rewritten.verify_error(), None, "{}", shown());
    let Some(new) = rewritten.output().map(<[u8]>::to_vec) else { return Fate::Same };
    let edited = Edited {
        piece: file,
        span: 0..file.len(),
        old: &old,
        new: &new,
        edits: &rewritten.edits,
        member: None,
        is_seen: file.len().is_multiple_of(2),
    };
    let rebuilt = Gzip.rebuild(&edited).expect("it is rebuilt");
    let written = members(&rebuilt.bytes).expect("flate2 reads it");
    assert!(written.iter().flat_map(|(_, text)| text.clone()).eq(new.iter().copied()));
    assert_eq!(written.len(), read.len(), "{}", shown());
    for ((bytes, text), (old_bytes, old_text)) in written.iter().zip(&read) {
        assert!(text != old_text || bytes == old_bytes, "{}", shown());
    }
    // Half a document is one that the oracle may read otherwise.
    if old == document.bytes {
        let documents = [&*old, &*new];
        let verdict = oracle::judge(document.format, document.media, documents, URL, None);
        let faults = verdict.map(|(faults, _)| faults).unwrap_or_default();
        assert!(faults.is_empty(), "{faults:?} {} {}", new.escape_ascii(), shown());
    }
    let mut undone = Vec::new();
    let mut reader = std::io::BufReader::new(std::io::Cursor::new(&rebuilt.bytes));
    let len = rebuilt.bytes.len() as u64;
    rebuilt.changes.undo(&mut reader, len, &mut undone).expect("it can be undone");
    assert!(undone == file, "{}", shown());
    Fate::Changed
}

#[test]
fn damaged_files() {
    let n_cases = number("RELINK_CASES").unwrap_or(2_000) / 4;
    let mut numbers = Numbers(number("RELINK_SEED").unwrap_or(1808) | 1);
    let mut counts = [0_usize; 3];
    while (counts.iter().sum::<usize>() as u64) < n_cases {
        for document in pieces::documents(&mut numbers) {
            let file = file(&mut numbers, &document.bytes);
            counts[check(&document, &file) as usize] += 1;
        }
    }
    let [refused, same, changed] = counts;
    println!("damaged gzip files: {refused} refused, {same} the same, {changed} changed");
    assert!(refused * 5 > counts.iter().sum() && changed * 5 > counts.iter().sum(), "{counts:?}");
}
