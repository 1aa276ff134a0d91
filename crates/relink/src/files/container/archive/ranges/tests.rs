//! The law of ranges: several threads find the records that one reader finds.

use std::io::Cursor;

use super::super::super::deflate::compress;
use super::*;

/// A generator of numbers (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    /// Bytes that cannot be compressed.
    fn bytes(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most)).map(|_| u8::try_from(self.below(256)).unwrap()).collect()
    }
}

fn member(text: &[u8]) -> Vec<u8> {
    packed(text, 1)
}

/// A gzip member (RFC 1952) of this level; 0 is not compressed.
fn packed(text: &[u8], level: u32) -> Vec<u8> {
    let mut member = b"\x1F\x8B\x08\0\0\0\0\0\0\xFF".to_vec();
    let sums = compress(&mut &*text, Some(level), &mut member).unwrap();
    let length = u32::try_from(sums.size).unwrap();
    [&*member, &sums.crc.to_le_bytes(), &length.to_le_bytes()].concat()
}

/// A record with a document, with another file, or without a block that is read; an odd one may be
/// broken.
fn record(numbers: &mut Numbers, is_odd: bool) -> Vec<u8> {
    let block = numbers.bytes(600);
    let media_type = ["text/html", "image/png", "text/css"][numbers.below(3)];
    let record_type = ["resource", "resource", "request"][numbers.below(3)];
    let length = match numbers.below(60) {
        _ if !is_odd => block.len(),
        0 => block.len() + numbers.below(90),
        1 => block.len() / 2,
        _ => block.len(),
    };
    let mut text = format!(
        "WARC/1.1\r\nWARC-Type: {record_type}\r\nWARC-Target-URI: http://h/{}\r\n\
         Content-Type: {media_type}\r\nContent-Length: {length}\r\n\r\n",
        numbers.below(1 << 30)
    );
    if is_odd && numbers.below(80) == 0 {
        text = "no record\r\n".to_owned();
    }
    [text.as_bytes(), &block, b"\r\n\r\n"].concat()
}

fn resource(media_type: &str, block: &[u8]) -> Vec<u8> {
    let header = format!(
        "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://h/\r\n\
         Content-Type: {media_type}\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [header.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// An archive, perhaps a damaged one.
fn archive(numbers: &mut Numbers) -> Vec<u8> {
    let mut file = Vec::new();
    let oddities = numbers.below(4);
    for _ in 0..numbers.below(60) {
        let record = record(numbers, oddities > 1);
        match numbers.below(40 << (6 - 2 * oddities)) {
            // Two records in a member, one in two members, a gzip file in a record, and text.
            0 => file.extend(member(&[record, self::record(numbers, false)].concat())),
            1 => {
                let (start, end) = record.split_at(record.len() / 2);
                file.extend([member(start), member(end)].concat());
            }
            2 => file.extend(packed(&resource("text/html", &member(&record)), 0)),
            3 => file.extend(record),
            _ => file.extend(member(&record)),
        }
    }
    for _ in 0..[0, 0, 1, 3][oddities] {
        if !file.is_empty() {
            let at = numbers.below(file.len());
            match numbers.below(3) {
                0 => file.truncate(at),
                _ => file[at] ^= 1 << numbers.below(8),
            }
        }
    }
    file
}

/// What a piece is, for comparison.
fn shown(piece: io::Result<Piece>) -> String {
    format!("{piece:?}")
}

#[test]
fn several_threads_find_the_records_that_one_finds() {
    let n_files = if std::env::var_os("RELINK_FULL").is_some() { 100_000 } else { 500 };
    let limits = Limits::default();
    let (mut n_whole, mut n_stopped) = (0, 0);
    for seed in 1..=n_files {
        let mut numbers = Numbers(u64::wrapping_mul(seed, 0x9E37_79B9_7F4A_7C15));
        let file: Arc<[u8]> = archive(&mut numbers).into();
        let one = ArchiveRecords::new(Reader::new(Cursor::new(Arc::clone(&file))), &limits);
        let one: Vec<String> = one.map(shown).collect();
        let (n_threads, range) = (1 + numbers.below(4), 1 + numbers.below(3_000));
        let file: Box<dyn OpenFile> = Box::new(Cursor::new(file));
        if !is_gzip(&*file).unwrap() {
            continue;
        }
        let mut several = ArchiveRanges::new(file, &limits, n_threads, range as u64);
        let found: Vec<String> = several.by_ref().map(shown).collect();
        assert!(one == found, "seed {seed}, ranges of {range} bytes");
        match several.rest {
            Some(_) => n_stopped += 1,
            None => n_whole += 1,
        }
    }
    assert!(n_whole > n_files / 4 && n_stopped > n_files / 4, "{n_whole} {n_stopped}");
}

/// A record of a long block waits until those before it were taken.
#[test]
fn long_blocks_are_read_in_their_turn() {
    let block = vec![b'x'; 1 << 20];
    let record = member(&resource("text/html", &block));
    let file: Arc<[u8]> = record.repeat(20).into();
    let file: Box<dyn OpenFile> = Box::new(Cursor::new(file));
    let mut several = ArchiveRanges::new(file, &Limits::default(), 4, record.len() as u64);
    assert_eq!(several.by_ref().map(|piece| piece.unwrap().bytes.len()).sum::<usize>(), 20 << 20);
    assert!(several.rest.is_none());
}
