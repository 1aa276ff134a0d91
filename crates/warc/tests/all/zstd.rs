//! `.warc.zst`: frames, and their dictionary. The files were written by the library `zstandard` of
//! Python.

use relink_warc::{Compression, Reader};

use crate::writer::{facts, read};

const FRAMES: &[u8] = include_bytes!("../data/frames.warc.zst");
const DICTIONARY: &[u8] = include_bytes!("../data/dictionary.warc.zst");
const COMPRESSED: &[u8] = include_bytes!("../data/compressed-dictionary.warc.zst");
const NONE: &[u8] = include_bytes!("../data/no-dictionary.warc.zst");

#[test]
fn frames_are_read_with_and_without_a_dictionary() {
    for file in [FRAMES, DICTIONARY, COMPRESSED] {
        assert_eq!(Reader::new(file).compression().unwrap(), Compression::Zstd);
        let all: Vec<_> = read(file).into_iter().map(Result::unwrap).collect();
        assert_eq!(all.len(), 3);
        for (number, record) in all.into_iter().enumerate() {
            let (record_type, url, block) = facts(record);
            assert_eq!((record_type, url), ("resource", format!("http://h/{number}")));
            assert!(block.starts_with(format!("<p>record {number} ").as_bytes()));
        }
    }
}

#[test]
fn frames_without_their_dictionary_are_an_error() {
    let all = read(NONE);
    assert_eq!(all.len(), 1);
    let error = all[0].as_ref().unwrap_err();
    assert!(error.contains("needs dictionary"), "{error}");
}

#[test]
fn damaged_frames_are_an_error() {
    for file in [FRAMES, DICTIONARY, COMPRESSED] {
        for at in (0..file.len()).step_by(file.len() / 40) {
            let mut damaged = file.to_vec();
            damaged[at] ^= 0x55;
            read(&damaged);
            read(&file[..at]);
        }
    }
    // Frames that are skipped are not a stack overflow.
    let skipped = b"\x50\x2A\x4D\x18\0\0\0\0".repeat(200_000);
    assert!(read(&[&FRAMES[..0], b"\x5D\x2A\x4D\x18\0\0\0\0", &skipped].concat()).len() <= 1);
}
