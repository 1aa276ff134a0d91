//! Archives that warcio and wget write, compared with what warcio reads in them
//! (`tests/judge.py`).

use std::fs;
use std::path::Path;
use std::process::Command;

use flate2::Crc;
use relink_warc::{DecodeLimits, HttpResponse, StoredRecord};

use crate::tools;
use crate::writer::read;

/// The line of a record, as the judge prints it.
fn line(record: StoredRecord) -> String {
    let StoredRecord { header, block, extent } = record;
    let limits = DecodeLimits::default();
    let body = match HttpResponse::read(&block) {
        Ok(response) => response.decoded_body(&limits).expect("a body").into_owned(),
        Err(_) if is_request(&block) => Vec::new(),
        Err(_) => block,
    };
    let mut crc = Crc::new();
    crc.update(&body);
    let length = extent.length.expect("a length");
    let (date, url) = (header.date().unwrap_or("None"), header.target_uri().unwrap_or("-"));
    let (record_type, n_octets) = (header.record_type.name(), body.len());
    format!("{} {length} {record_type} {date} {url} {n_octets} {}", extent.offset, crc.sum())
}

fn is_request(block: &[u8]) -> bool {
    block.starts_with(b"GET ") && block.ends_with(b"\r\n\r\n")
}

#[test]
fn archives_of_warcio_and_wget_are_read_as_warcio_reads_them() {
    let Some(python) = tools::python_with("archives", "warcio") else { return };
    let directory = std::env::temp_dir().join(format!("relink-warc-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judge.py");
    let run = |args: &[&str]| {
        let output = Command::new(&python).arg(&script).args(args).output().expect("it starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    tools::skipped_by(run(&["make", directory.to_str().unwrap()]).as_bytes());
    let entries = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path());
    let mut n_records = 0;
    for path in entries.filter(|path| path.is_file()) {
        let expected = run(&["read", path.to_str().unwrap()]);
        let all = read(&fs::read(&path).unwrap());
        let all: Vec<String> = all.into_iter().map(|one| line(one.expect("a record"))).collect();
        let mut expected: Vec<String> = expected.lines().map(str::to_owned).collect();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        // warcio does not give the first record of ARC as it is in the file, and in a file that is
        // not compressed it does not count the line ends after a record.
        if name.contains(".arc") {
            expected[0].clone_from(&all[0]);
        }
        let without_length = |line: &String| {
            let words = line.split(' ').enumerate().filter(|(idx, _)| *idx != 1);
            words.map(|(_, word)| word).collect::<Vec<_>>().join(" ")
        };
        let [all, expected] = match name {
            name if name.ends_with(".gz") => [all, expected],
            _ => [all, expected].map(|lines| lines.iter().map(without_length).collect()),
        };
        assert_eq!(all, expected, "{}", path.display());
        n_records += all.len();
    }
    fs::remove_dir_all(&directory).unwrap();
    println!("{n_records} records");
    assert!(n_records > 150, "{n_records} records");
}
