//! Ranges of a file: wherever it is cut, each record and each defect belongs to one range.

use std::ops::Range;

use relink_warc::Reader;

use crate::writer::{MOST, Written, facts, member, read};

/// Returns the URLs of the records of a range, and the errors.
fn outcome(file: &[u8], range: Range<usize>) -> (Vec<String>, Vec<String>) {
    let offsets = range.start as u64..range.end as u64;
    let reader = Reader::of_range(&file[range.start..], offsets).unwrap();
    let (mut urls, mut errors) = (Vec::new(), Vec::new());
    for record in reader.records(MOST) {
        match record {
            Ok(record) => {
                let offset = record.extent.offset;
                urls.push(format!("{offset} {}", facts(record).1));
            }
            Err(error) => errors.push(error.to_string()),
        }
    }
    (urls, errors)
}

fn record(number: usize) -> Vec<u8> {
    let url = format!("http://h/{number}");
    Written::new("resource", &url, "block ".repeat(number % 5)).warc()
}

/// Checks that the ranges between some cuts have the records of the whole file.
#[track_caller]
fn check(file: &[u8], cuts: &[usize]) {
    let whole = outcome(file, 0..file.len());
    let (mut urls, mut errors) = (Vec::new(), Vec::new());
    let mut start = 0;
    for end in cuts.iter().copied().chain([file.len()]) {
        let (more_urls, more_errors) = outcome(file, start..end);
        urls.extend(more_urls);
        errors.extend(more_errors);
        start = end;
    }
    assert_eq!((urls, errors), whole, "cut at {cuts:?}");
}

/// Checks every cut into two ranges, and into many of the same length.
fn check_all(file: &[u8]) {
    (1..file.len()).for_each(|cut| check(file, &[cut]));
    for length in [1, 7, 100, 301] {
        check(file, &(length..file.len()).step_by(length).collect::<Vec<_>>());
    }
}

#[test]
fn each_record_belongs_to_one_range_wherever_the_file_is_cut() {
    let file: Vec<u8> = (0..8).flat_map(|number| member(&record(number))).collect();
    let (urls, errors) = outcome(&file, 0..file.len());
    assert_eq!((urls.len(), errors.len()), (8, 0));
    assert_eq!(read(&file).len(), 8);
    check_all(&file);
}

#[test]
fn members_with_several_records_or_a_part_of_one_are_not_cut() {
    let two = [record(1), record(2)].concat();
    let long = record(4);
    let (half, rest) = long.split_at(long.len() - 10);
    let parts = [&record(3)[..], &two, half, rest, &record(5)];
    let file: Vec<u8> = parts.iter().flat_map(|part| member(part)).collect();
    assert_eq!(outcome(&file, 0..file.len()).0.len(), 5);
    check_all(&file);
}

#[test]
fn a_broken_record_is_reported_by_one_range() {
    let mut members: Vec<Vec<u8>> = (0..9).map(|number| member(&record(number))).collect();
    // A damaged trailer, a text that is no record, a damaged start, a wrong length, and the end of
    // the file.
    let trailer = members[1].len() - 6;
    members[1][trailer] ^= 1;
    members[3] = member(b"no record");
    members[4][12] ^= 0xFF;
    members[6] = member(b"WARC/1.1\r\nContent-Length: 2\r\n\r\nabcdefgh\r\n\r\n");
    members[8].truncate(60);
    let file = members.concat();
    let (urls, errors) = outcome(&file, 0..file.len());
    assert_eq!(errors.len(), 5, "{errors:?}");
    assert!(urls.len() >= 4, "{urls:?}");
    check_all(&file);
}

#[test]
fn a_file_that_is_not_gzip_belongs_to_the_range_at_its_start() {
    let file = [record(1), record(2), record(3)].concat();
    check_all(&file);
    assert_eq!(outcome(&file, 0..5).0.len(), 3);
}

/// A reader ends where that of the next range begins, unless a record reaches beyond it.
#[test]
fn a_reader_names_the_record_after_its_range() {
    let members: Vec<Vec<u8>> = (0..8).map(|number| member(&record(number))).collect();
    let mut starts = vec![0];
    for member in &members {
        starts.push(starts[starts.len() - 1] + member.len() as u64);
    }
    let n_bytes = starts.pop().unwrap();
    let file = members.concat();
    for (start, end) in (0..n_bytes).flat_map(|start| [1, 70, 300].map(|n| (start, start + n))) {
        let from = usize::try_from(start).unwrap();
        let mut reader = Reader::of_range(&file[from..], start..end).unwrap();
        let mut found = Vec::new();
        while let Some(record) = reader.next_record() {
            found.push(record.unwrap().header().offset);
        }
        let own = starts.iter().copied().filter(|offset| (start..end).contains(offset));
        assert!(own.eq(found.iter().copied()), "{start} {end}");
        assert!(!reader.has_failed());
        let Some(first) = found.first().copied() else { continue };
        let next = starts.iter().copied().find(|offset| *offset >= end);
        assert_eq!(reader.next_range(), next, "{start} {end}");
        let file = &file[usize::try_from(first).unwrap()..];
        let records = Reader::at_record(file, first..end).records(MOST);
        assert!(records.map(|record| record.unwrap().extent.offset).eq(found), "{start} {end}");
    }
}
