//! The reference measurement of `benches/mailbox`: mailparse splits each message of an mbox and
//! decodes every body.
//!
//! `mailparse FILE` reads a piece at a time, as a program with little memory would, and prints
//! counts.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a measurement prints its results")]

use std::fs::File;
use std::io::{self, Read};
use std::process::ExitCode;

use mailparse::ParsedMail;
use memchr::memmem::Finder;

/// The number of octets that are read in one call.
const PIECE: usize = 4 << 20;

/// The counts; printing them keeps the compiler from optimizing the work away.
#[derive(Default)]
struct Seen {
    n_messages: usize,
    n_failed: usize,
    n_bodies: usize,
    n_bytes: usize,
    n_decoded: usize,
}

impl Seen {
    /// Reads one message, beginning with its `From ` line.
    fn message(&mut self, bytes: &[u8]) {
        let start = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1);
        self.n_messages += 1;
        self.n_bytes += bytes.len();
        match mailparse::parse_mail(&bytes[start..]) {
            Ok(mail) => self.part(&mail),
            Err(_) => self.n_failed += 1,
        }
    }

    fn part(&mut self, part: &ParsedMail<'_>) {
        if part.subparts.is_empty() {
            match part.get_body_raw() {
                Ok(body) => {
                    self.n_bodies += 1;
                    self.n_decoded += body.len();
                }
                Err(_) => self.n_failed += 1,
            }
        }
        part.subparts.iter().for_each(|part| self.part(part));
    }
}

fn read(path: &str) -> io::Result<Seen> {
    let mut file = File::open(path)?;
    let mut seen = Seen::default();
    let separator = Finder::new(b"\nFrom ");
    let mut buffer = Vec::new();
    loop {
        let n_read = Read::by_ref(&mut file).take(PIECE as u64).read_to_end(&mut buffer)?;
        let mut start = 0;
        while let Some(at) = separator.find(&buffer[start..]) {
            let end = start + at + 1;
            seen.message(&buffer[start..end]);
            start = end;
        }
        if n_read == 0 {
            if start < buffer.len() {
                seen.message(&buffer[start..]);
            }
            return Ok(seen);
        }
        buffer.drain(..start);
    }
}

fn main() -> ExitCode {
    let Some(path) = std::env::args().skip(1).find(|argument| argument != "--bench") else {
        println!("skipped: benches/mailbox calls this with an mbox");
        return ExitCode::SUCCESS;
    };
    match read(&path) {
        Ok(seen) => {
            println!(
                "{} messages, {} bodies, {} of {} bytes decoded, {} failed",
                seen.n_messages, seen.n_bodies, seen.n_decoded, seen.n_bytes, seen.n_failed
            );
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}
