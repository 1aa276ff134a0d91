//! Generated archives: what is written is read, however it is split, and any damage costs no record
//! but those that it is in.

use std::io::{self, Read};

use proptest::prelude::*;
use relink_warc::{DecodeLimits, HttpResponse, Reader};

use crate::writer::{MOST, Written, facts, member, read};

/// A file that gives a few bytes at a time.
struct Split<'f> {
    file: &'f [u8],
    sizes: Vec<usize>,
    next: usize,
}

impl Read for Split<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[self.next % self.sizes.len()];
        self.next += 1;
        let n_octets = size.min(out.len()).min(self.file.len());
        let (part, rest) = self.file.split_at(n_octets);
        out[..n_octets].copy_from_slice(part);
        self.file = rest;
        Ok(n_octets)
    }
}

fn block() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..300),
        2 => "[a-f<>=\" \r\n]{0,400}".prop_map(String::into_bytes),
        1 => "(HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n|3\r\nabc\r\n|WARC/|\r\n){0,9}"
            .prop_map(String::into_bytes),
        1 => (1_usize..200_000, any::<u8>()).prop_map(|(n, octet)| vec![octet; n]),
    ]
}

fn records() -> impl Strategy<Value = Vec<Written>> {
    let kind = prop::sample::select(vec!["response", "resource", "request", "metadata"]);
    let record = (kind, block());
    prop::collection::vec(record, 1..8).prop_map(|records| {
        let written = records.into_iter().enumerate();
        written
            .map(|(idx, (kind, block))| Written::new(kind, &format!("http://h/{idx}"), block))
            .collect()
    })
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Plain,
    Members,
    Whole,
}

fn forms() -> impl Strategy<Value = Form> {
    prop::sample::select(vec![Form::Plain, Form::Members, Form::Whole])
}

/// The file, and the end of each record in it.
fn file(records: &[Written], form: Form) -> (Vec<u8>, Vec<usize>) {
    let mut parts: Vec<Vec<u8>> = records.iter().map(Written::warc).collect();
    match form {
        Form::Plain => {}
        Form::Members => parts = parts.iter().map(|part| member(part)).collect(),
        Form::Whole => parts = vec![member(&parts.concat())],
    }
    let ends = parts.iter().scan(0, |end, part| {
        *end += part.len();
        Some(*end)
    });
    (parts.concat(), ends.collect())
}

fn expected(written: &Written) -> (&'static str, String, Vec<u8>) {
    (written.record_type, written.url.clone(), written.block.clone())
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        records in records(),
        form in forms(),
        sizes in prop::collection::vec(1_usize..5_000, 1..9),
    ) {
        let (file, _) = file(&records, form);
        let reader = Reader::new(Split { file: &file, sizes, next: 0 });
        let all: Vec<_> = reader.records(MOST).map(|record| facts(record.unwrap())).collect();
        prop_assert_eq!(all, records.iter().map(expected).collect::<Vec<_>>());
    }

    #[test]
    fn a_damaged_byte_costs_the_record_that_it_is_in(
        records in records(),
        is_plain in any::<bool>(),
        at in any::<prop::sample::Index>(),
        value in 1_u8..,
    ) {
        let form = if is_plain { Form::Plain } else { Form::Members };
        let (mut file, ends) = file(&records, form);
        let at = at.index(file.len());
        file[at] ^= value;
        let damaged = ends.iter().filter(|end| **end <= at).count();
        let all: Vec<_> = read(&file).into_iter().flatten().map(facts).collect();
        for (idx, written) in records.iter().enumerate() {
            prop_assert!(idx == damaged || all.contains(&expected(written)), "{} of {}", idx, damaged);
        }
    }

    #[test]
    fn no_bytes_are_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..2_000), start in 0..5) {
        let starts = [&b""[..], b"WARC/1.0\r\nContent-Length: 5\r\n", b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
            b"\x28\xB5\x2F\xFD", b"http://h/ 10.0.0.1 20200102030405 text/html 9\n"];
        let file = [starts[usize::try_from(start).unwrap()], &bytes].concat();
        read(&file);
        for coding in ["gzip", "deflate", "br", "zstd"] {
            let fields = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: {coding}\r\n\r\n");
            let block = [fields.as_bytes(), &bytes].concat();
            let response = HttpResponse::read(&block).unwrap();
            let _ = response.decoded_message(&DecodeLimits::default());
        }
    }
}
