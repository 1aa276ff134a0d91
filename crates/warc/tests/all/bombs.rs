//! Files that are small and become large, and files that lie about lengths: time grows with the
//! file and its text, memory does not.

use std::io::{self, Read};

use flate2::{Compress, Compression, Crc, FlushCompress};
use relink_warc::{ErrorKind, Reader};

use crate::writer::{Written, member, read};

/// The bytes of a block that one part of a [`Zeros`] becomes.
const PART: usize = 1 << 20;

/// A gzip member whose text is a text and many bytes of zero: the same compressed part again and
/// again.
struct Zeros {
    start: io::Cursor<Vec<u8>>,
    part: Vec<u8>,
    n_parts: usize,
    end: io::Cursor<Vec<u8>>,
    at: usize,
}

/// Compresses a text to the end of a byte.
fn deflated(text: &[u8], flush: FlushCompress) -> Vec<u8> {
    let mut out = Vec::with_capacity(PART);
    Compress::new(Compression::best(), false).compress_vec(text, &mut out, flush).unwrap();
    out
}

impl Zeros {
    fn new(start: &[u8], n_parts: usize) -> Self {
        let zeros = vec![0; PART];
        let mut crc = Crc::new();
        crc.update(start);
        let mut of_part = Crc::new();
        of_part.update(&zeros);
        (0..n_parts).for_each(|_| crc.combine(&of_part));
        let mut end = deflated(b"\r\n\r\n", FlushCompress::Finish);
        crc.update(b"\r\n\r\n");
        end.extend(crc.sum().to_le_bytes());
        end.extend(crc.amount().to_le_bytes());
        let header = b"\x1F\x8B\x08\0\0\0\0\0\0\xFF";
        let start = [&header[..], &deflated(start, FlushCompress::Full)].concat();
        let part = deflated(&zeros, FlushCompress::Full);
        Zeros { start: io::Cursor::new(start), part, n_parts, end: io::Cursor::new(end), at: 0 }
    }
}

impl Read for Zeros {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.start.read(out)? {
            0 => {}
            n_octets => return Ok(n_octets),
        }
        if self.n_parts == 0 {
            return self.end.read(out);
        }
        let n_octets = (&self.part[self.at..]).read(out)?;
        self.at += n_octets;
        if self.at == self.part.len() {
            (self.at, self.n_parts) = (0, self.n_parts - 1);
        }
        Ok(n_octets)
    }
}

fn good(number: usize) -> Written {
    Written::new("resource", &format!("http://h/{number}"), format!("block {number}\r\n"))
}

/// 400 MiB of zeros in one record are passed over, refused, and read in parts.
#[test]
fn a_record_of_zeros_takes_no_memory() {
    let n_parts = 400;
    let length = n_parts * PART;
    let head = format!("WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: {length}\r\n\r\n");
    let file = || {
        let members = [1, 2].map(|number| io::Cursor::new(member(&good(number).warc())));
        let [first, last] = members;
        first.chain(Zeros::new(head.as_bytes(), n_parts)).chain(last)
    };
    let refused: Vec<_> = Reader::new(file()).records(PART).collect();
    assert!(matches!(refused[1].as_ref().unwrap_err().kind, ErrorKind::TooLarge(1_048_576)));
    assert!(refused.len() == 3 && refused[0].is_ok() && refused[2].is_ok(), "{refused:?}");
    let mut read = Reader::new(file());
    read.next_record().unwrap().unwrap();
    let mut record = read.next_record().unwrap().unwrap();
    assert_eq!(io::copy(&mut record, &mut io::sink()).unwrap(), length as u64);
    assert!(record.finish().is_ok());
}

/// Members without text, between records and inside of one, and members with one byte each.
#[test]
fn many_members_are_read_one_after_another() {
    let n_members = 200_000;
    let [first, last] = [1, 2].map(|number| member(&good(number).warc()));
    let text = Written::new("resource", "http://h/x", vec![b'x'; n_members]).warc();
    let start = text.len() - n_members - 4;
    let empty = member(b"").repeat(n_members);
    for middle in [
        empty.clone(),
        [member(&text[..start + 1]), empty, member(&text[start + 1..])].concat(),
        [member(&text[..start]), member(b"x").repeat(n_members), member(b"\r\n\r\n")].concat(),
    ] {
        let all = read(&[&first[..], &middle, &last].concat());
        let errors: Vec<_> = all.iter().filter_map(|one| one.as_ref().err()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        assert!([2, 3].contains(&all.len()), "{}", all.len());
    }
}

/// A header section that does not end: one line, many lines, in a gzip member, in ARC.
#[test]
fn a_header_section_without_an_end_costs_one_record() {
    let n_octets = 20 << 20;
    for filler in [vec![b'x'; n_octets], b"A: b\r\n".repeat(n_octets / 6), vec![b'\n'; n_octets]] {
        let broken = [b"WARC/1.1\r\n:", &filler[..], b"\r\n"].concat();
        let texts = [good(1).warc(), broken, good(2).warc()];
        let at = texts[0].len();
        let members = texts.each_ref().map(|text| member(text));
        for (file, at) in [(texts.concat(), at), (members.concat(), members[0].len())] {
            let all = read(&file);
            let errors: Vec<_> = all.iter().filter_map(|one| one.as_ref().err()).collect();
            let place = format!("record at byte {at}: ");
            assert!(errors.len() == 1 && errors[0].starts_with(&place), "{errors:?}");
            assert_eq!(all.len(), 3);
        }
    }
    let first = b"filedesc://a.arc 0.0.0.0 20200102030405 text/plain 1\na\n";
    let file = [&first[..], &vec![b'x'; n_octets], b"\n", &good(2).arc()].concat();
    let all = read(&file);
    assert!(all.len() == 3 && all[1].is_err() && all[2].is_ok(), "{} records", all.len());
}
