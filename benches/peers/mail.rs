//! The reference measurements of mailboxes: mailparse or mail-parser splits each message of an mbox
//! and decodes every body.
//!
//! `mail mailparse FILE` and `mail mail-parser FILE` read a piece at a time, as a program with
//! little memory would, and print counts.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it is a program")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a measurement prints its results")]

use std::fs::File;
use std::io::{self, Read};
use std::process::ExitCode;

use mail_parser::{MessageParser, PartType};
use mailparse::ParsedMail;
use memchr::memmem::Finder;

/// The number of bytes that are read in one call.
const PIECE: usize = 4 << 20;

/// Parses and decodes one message.
type Parse = fn(&mut Seen, &[u8]);

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
    fn message(&mut self, bytes: &[u8], parse: Parse) {
        let start = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1);
        self.n_messages += 1;
        self.n_bytes += bytes.len();
        parse(self, &bytes[start..]);
    }

    fn with_mailparse(&mut self, message: &[u8]) {
        match mailparse::parse_mail(message) {
            Ok(mail) => self.part(&mail),
            Err(_) => self.n_failed += 1,
        }
    }

    /// Bodies of text are converted to UTF-8 too: this crate has no other way.
    fn with_mail_parser(&mut self, message: &[u8]) {
        let Some(mail) = MessageParser::default().parse(message) else {
            self.n_failed += 1;
            return;
        };
        for part in mail.parts.iter().filter(|part| !matches!(part.body, PartType::Multipart(_))) {
            self.n_bodies += 1;
            self.n_decoded += part.contents().len();
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

fn read(path: &str, parse: Parse) -> io::Result<Seen> {
    let mut file = File::open(path)?;
    let mut seen = Seen::default();
    let separator = Finder::new(b"\nFrom ");
    let mut buffer = Vec::new();
    loop {
        let n_read = Read::by_ref(&mut file).take(PIECE as u64).read_to_end(&mut buffer)?;
        let mut start = 0;
        while let Some(at) = separator.find(&buffer[start..]) {
            let end = start + at + 1;
            seen.message(&buffer[start..end], parse);
            start = end;
        }
        if n_read == 0 {
            if start < buffer.len() {
                seen.message(&buffer[start..], parse);
            }
            return Ok(seen);
        }
        buffer.drain(..start);
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let (Some(library), Some(path)) = (arguments.next(), arguments.next()) else {
        println!("skipped: benches/figures calls this with a library and an mbox");
        return ExitCode::SUCCESS;
    };
    let parse: Parse = match &*library {
        "mailparse" => Seen::with_mailparse,
        "mail-parser" => Seen::with_mail_parser,
        _ => {
            eprintln!("unknown library {library}");
            return ExitCode::FAILURE;
        }
    };
    match read(&path, parse) {
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
