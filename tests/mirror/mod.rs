//! Trees made to be read from a disk, `relativize --for file`, judged by others: every reference
//! must lead to the file that was made for its target, or stay at its target where there is none.
//!
//! `generated`: trees whose names and references are as odd as can be, plain and in each manner of
//! wget. `served`: a site behind a web server, mirrored by `wget`, converted by this program and by
//! `wget -k`, and opened from the disk in a browser. `site`: a large site of three hosts, mirrored
//! by wget, wget2 and HTTrack.

mod browser;
mod converted;
mod generated;
mod pages;
mod served;
mod site;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use url::Url;

/// Runs the program.
fn relink(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_relink")).args(args).output().expect("the program starts")
}

/// Runs the program, which must end well, and returns what it says.
#[track_caller]
fn relink_well(args: &[&str]) -> String {
    let output = relink(args);
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "relink {}:\n{report}", args.join(" "));
    report
}

/// The URL of a file on the disk.
fn file_url(path: &Path) -> Url {
    Url::from_file_path(path).expect("an absolute path")
}

/// The path of a `file:` URL, if it is one.
fn path_of(url: &Url) -> Option<PathBuf> {
    (url.scheme() == "file").then(|| url.to_file_path().ok()).flatten()
}

/// The bytes that a text with percent-escapes means.
fn octets(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let escape = bytes.get(at + 1..at + 3).and_then(|digits| str::from_utf8(digits).ok());
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if bytes[at] == b'%' => {
                out.push(byte);
                at += 3;
            }
            _ => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    out
}
