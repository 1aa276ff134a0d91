//! Damaged zip files: each is refused, or read and written so that Python's zipfile finds the new
//! documents, and every other member byte for byte.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::number;
use super::sabotage::Numbers;
use crate::corpus::laws::zip::{ADDED, edited};
use crate::tools;

/// The number of accepted files that Python judges.
const MOST_JUDGED: usize = 400;

/// Returns a file with some damage, mostly in headers.
fn damaged(numbers: &mut Numbers, file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    let headers: Vec<usize> = memchr::memmem::find_iter(&file, b"PK").collect();
    let start = headers[numbers.below(headers.len())];
    let at = (start + numbers.below(48)).min(file.len() - 1);
    let other = numbers.below(file.len());
    let (low, high) = (at.min(other), at.max(other));
    match numbers.below(12) {
        0 => file[other] ^= 1 << numbers.below(8),
        1 => drop(file.remove(at)),
        2 => file.truncate(other),
        3 => file.insert(at, 0),
        4 => drop(file.drain(low..high)),
        5 => file.extend_from_within(low..high),
        6 => file[at] = 0xFF,
        // A stretch over another one.
        7 => {
            let len = (file.len() - other.max(start)).min(4);
            file.copy_within(start..start + len, other);
        }
        8 => file.extend_from_slice(b"more"),
        _ => file[at] ^= 1 << numbers.below(8),
    }
    file
}

#[test]
fn damaged_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cases = fs::read_dir(root.join("fuzz/cases/zip")).expect("cases");
    let mut cases: Vec<_> = cases.map(|case| case.expect("a case").path()).collect();
    cases.sort();
    let cases: Vec<Vec<u8>> = cases.iter().map(|case| fs::read(case).expect("a case")).collect();
    let n_cases = number("RELINK_CASES").map_or(2_000, |n| usize::try_from(n).expect("a number"));
    let mut numbers = Numbers(number("RELINK_SEED").unwrap_or(1808) | 1);
    let dir = tempfile::tempdir().expect("a directory");
    let mut n_accepted = 0;
    for _ in 0..n_cases {
        let case = &cases[numbers.below(cases.len())];
        let file = damaged(&mut numbers, case);
        let Some(new) = edited(&file) else { continue };
        n_accepted += 1;
        if n_accepted <= MOST_JUDGED {
            for (bytes, suffix) in [(&file, "old"), (&new, "new")] {
                fs::write(dir.path().join(format!("{n_accepted}.{suffix}")), bytes)
                    .expect("written");
            }
        }
    }
    println!("damaged zip files: {n_cases}, {n_accepted} accepted");
    assert!(n_accepted * 20 > n_cases, "{n_accepted}");
    if tools::has("python3", &["--version"]) {
        let mut judge = Command::new("python3");
        judge.arg(root.join("tests/cli/zip.py")).arg("added").arg(dir.path()).arg(ADDED);
        let run = judge.output().expect("python3 starts");
        let report = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{report}");
        let n_read: usize = String::from_utf8_lossy(&run.stdout).trim().parse().expect("a number");
        assert!(n_read * 2 > n_accepted.min(MOST_JUDGED), "{n_read} of {n_accepted}");
    }
}
