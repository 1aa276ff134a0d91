//! Broken records: each is reported with its offset, and the others are read.

use std::io::{self, Read};

use relink_warc::{ErrorKind, LOOK_BACK, MAX_FIELDS, MAX_HEADER, Reader};

use crate::writer::{Written, facts, member, read};

fn good(number: usize) -> Written {
    Written::new("resource", &format!("http://h/{number}"), format!("block {number}\r\n"))
}

/// The URLs of the records that are read, and the errors.
fn outcome(file: &[u8]) -> (Vec<String>, Vec<String>) {
    let (mut urls, mut errors) = (Vec::new(), Vec::new());
    for record in read(file) {
        match record {
            Ok(record) => urls.push(facts(record).1),
            Err(error) => errors.push(error),
        }
    }
    (urls, errors)
}

/// Puts bytes between two good records, plain and as gzip members.
fn between(broken: &[u8]) -> [(Vec<u8>, usize); 2] {
    let parts = [good(1).warc(), broken.to_vec(), good(2).warc()];
    let at = parts[0].len();
    let members = parts.each_ref().map(|part| member(part));
    [(parts.concat(), at), (members.concat(), members[0].len())]
}

#[test]
fn each_defect_is_reported_and_costs_one_record() {
    let many =
        format!("WARC/1.1\r\n{}Content-Length: 0\r\n\r\n\r\n\r\n", "A: b\r\n".repeat(MAX_FIELDS));
    let long =
        format!("WARC/1.1\r\nA: {}\r\nContent-Length: 0\r\n\r\n\r\n\r\n", "b".repeat(MAX_HEADER));
    for (broken, reason) in [
        ("WARC/1.x\r\nContent-Length: 0\r\n\r\n\r\n\r\n", "does not begin as a record"),
        ("WARK/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n", "does not begin as a record"),
        ("WARC/1.1\r\nWARC-Type: resource\r\n\r\n\r\n\r\n", "its length is missing"),
        ("WARC/1.1\r\nContent-Length: -1\r\n\r\n\r\n\r\n", "is not a number"),
        ("WARC/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na\r\n\r\n", "several"),
        ("WARC/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n\r\n\r\n", "is not a number"),
        ("WARC/1.1\r\nContent-Length: 2\r\n\r\nabcdefgh\r\n\r\n", "its length is wrong"),
        ("WARC/1.1\r\nContent-Length: 900\r\n\r\nabc\r\n\r\n", "it is truncated"),
        (&many, "too many fields"),
        (&long, "its header section is too long"),
    ] {
        for (file, at) in between(broken.as_bytes()) {
            let (urls, errors) = outcome(&file);
            let broken = &broken[..broken.len().min(80)];
            assert_eq!(urls, ["http://h/1", "http://h/2"], "{broken}: {errors:?}");
            assert_eq!(errors.len(), 1, "{broken}: {errors:?}");
            let place = format!("record at byte {at}: ");
            assert!(errors[0].starts_with(&place), "{broken}: {}", errors[0]);
            assert!(errors[0].contains(reason), "{broken}: {}", errors[0]);
        }
    }
}

#[test]
fn a_file_that_is_cut_gives_what_is_complete() {
    let records: Vec<Vec<u8>> = (0..5).map(|number| good(number).warc()).collect();
    for parts in [records.clone(), records.iter().map(|record| member(record)).collect()] {
        let file = parts.concat();
        let mut ends = vec![0];
        for part in &parts {
            ends.push(ends[ends.len() - 1] + part.len());
        }
        for cut in 0..file.len() {
            let (urls, errors) = outcome(&file[..cut]);
            let n_complete = ends.iter().filter(|end| **end <= cut).count() - 1;
            // The last line ends may be missing.
            assert!(urls.len() == n_complete || urls.len() == n_complete + 1, "{cut}");
            let is_at_end = ends.contains(&cut) || urls.len() > n_complete;
            assert_eq!(errors.is_empty(), is_at_end, "{cut}: {errors:?}");
        }
    }
}

#[test]
fn files_that_are_something_else_have_no_records() {
    for file in [&b"<p>"[..], b"PK\x03\x04", &member(b"<p>"), &[0x1F, 0x8B, 8], &[0; 999]] {
        let (urls, errors) = outcome(file);
        assert_eq!((urls.len(), errors.len()), (0, 1), "{errors:?}");
    }
}

#[test]
fn records_after_other_bytes_are_found() {
    let junk = b"\x1f\x8b\x08\x1f\x8b\x08\x00WARC/\nWARC/1\nWARC".repeat(1_000);
    let (urls, errors) = outcome(&[b"junk", &junk[..], b"\n", &good(7).warc()].concat());
    assert_eq!((urls, errors.len() > 1), (vec!["http://h/7".to_owned()], true), "{errors:?}");
    let members = [member(&good(1).warc()), junk, member(&good(2).warc())].concat();
    assert_eq!(outcome(&members).0, ["http://h/1", "http://h/2"]);
}

/// A record that claims to be longer than it is hides those that are further away than the reader
/// goes back, and no others.
#[test]
fn the_reader_goes_back_by_a_bounded_number_of_bytes() {
    let lie = b"WARC/1.1\r\nContent-Length: 9000000000\r\n\r\nabc\r\n\r\n";
    let filler = Written::new("resource", "http://h/filler", vec![b'x'; LOOK_BACK]).warc();
    let file = [&lie[..], &good(1).warc(), &filler, &good(2).warc()].concat();
    assert_eq!(outcome(&file).0, ["http://h/2"]);
    let file = [&lie[..], &good(1).warc(), &filler[..LOOK_BACK / 2], b"\n", &good(2).warc()];
    assert_eq!(outcome(&file.concat()).0, ["http://h/1", "http://h/2"]);
}

/// Records that each claim the rest of the file do not make the time quadratic. After each error
/// the reader reads at most [`LOOK_BACK`] bytes again, so that errors are its steps: as many as
/// the file has such stretches, and not as many as it has records.
#[test]
fn going_back_does_not_repeat() {
    let lie = b"WARC/1.1\r\nContent-Length: 9000000000\r\n\r\n";
    for n_stretches in [2, 4, 8] {
        let file = lie.repeat(n_stretches * LOOK_BACK / lie.len());
        let mut reader = Reader::new(&file[..]);
        let mut n_errors = 0;
        while let Some(record) = reader.next_record() {
            n_errors += usize::from(record.is_err());
            assert!(n_errors <= n_stretches + 3, "{n_errors} errors in {n_stretches} stretches");
        }
        assert!(n_errors > n_stretches, "{n_errors} errors in {n_stretches} stretches");
    }
}

#[test]
fn the_errors_of_the_file_end_it() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("no disk"))
        }
    }
    let file = good(1).warc();
    let mut reader = Reader::new((&file[..40]).chain(Failing));
    let error = reader.next_record().unwrap().err().unwrap();
    assert!(matches!(error.kind, ErrorKind::Io(_)) && error.kind.is_last());
    assert!(error.to_string().ends_with("no disk"), "{error}");
    assert!(reader.next_record().is_none());
}
