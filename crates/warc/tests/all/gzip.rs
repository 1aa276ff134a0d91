//! gzip files whose members are not the records, or are damaged.

use crate::writer::{Written, member, read, sound};

fn record(number: usize, length: usize) -> Written {
    let block: Vec<u8> = (0..length)
        .map(|idx| ((idx + number) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()[0])
        .collect();
    Written::new("response", &format!("http://h/{number}"), block)
}

#[test]
fn a_record_may_have_several_members() {
    let records = [record(1, 10), record(2, 100_000), record(3, 0)];
    for n_octets in [1, 7, 1_000, 70_000] {
        let parts = records.iter().map(|record| record.warc());
        let members =
            parts.map(|part| part.chunks(n_octets.max(300)).map(member).collect::<Vec<_>>());
        let file = members.flatten().collect::<Vec<_>>().concat();
        let all = sound(&file);
        assert_eq!(all.len(), 3);
        assert!(all.iter().zip(&records).all(|(read, written)| read.2 == written.block));
    }
    // The length is that of all members.
    let text = records[1].warc();
    let (start, end) = text.split_at(5_000);
    let members = [member(start), member(b""), member(end)];
    let all = read(&[members.concat(), member(&records[0].warc())].concat());
    let lengths: Vec<_> = all.iter().map(|one| one.as_ref().unwrap().extent.length).collect();
    assert_eq!(lengths[0], Some(members.concat().len() as u64));
}

#[test]
fn zeros_after_the_last_member_are_passed_over() {
    let file = [member(&record(1, 9).warc()), vec![0; 700]].concat();
    assert_eq!(sound(&file).len(), 1);
    let file = [member(&record(1, 9).warc()), b"text".to_vec()].concat();
    let all = read(&file);
    assert!(all.len() == 2 && all[0].is_ok(), "{all:?}");
    assert!(all[1].as_ref().unwrap_err().contains("does not begin as gzip"), "{all:?}");
}

#[test]
fn each_damaged_member_is_named_and_costs_its_record() {
    let members: Vec<Vec<u8>> = (0..5).map(|number| member(&record(number, 900).warc())).collect();
    let at: usize = members[..2].iter().map(Vec::len).sum();
    for (place, value) in [(0, 0), (2, 9), (3, 0xFF), (3, 4), (10, 0xFF), (60, 7), (400, 0xAA)] {
        let mut file = members.concat();
        file[at + place] = value;
        let all = read(&file);
        let n_sound = all.iter().filter(|record| record.is_ok()).count();
        assert_eq!((all.len(), n_sound), (5, 4), "{place}");
        let error = all[2].as_ref().unwrap_err();
        assert!(error.starts_with(&format!("record at byte {at}: its gzip member ")), "{error}");
    }
    for from_end in 1..9 {
        let mut file = members.concat();
        file[at + members[2].len() - from_end] ^= 1;
        let all = read(&file);
        assert_eq!(all.iter().filter(|record| record.is_ok()).count(), 4);
        assert!(all[2].as_ref().unwrap_err().contains("checksum"));
    }
}
