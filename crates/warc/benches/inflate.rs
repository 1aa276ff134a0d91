//! The reference measurement of web archives: all members of a gzip file are decompressed, and
//! nothing else is done.
//!
//! `inflate FILE` prints the number of bytes of the text.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it is a program")]
#![allow(clippy::print_stdout, reason = "a measurement prints its results")]

use std::fs::File;
use std::io::{self, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

/// The number of bytes that are decompressed in one call.
const PIECE: usize = 64 << 10;

fn main() -> io::Result<()> {
    let Some(path) = std::env::args().skip(1).find(|argument| argument != "--bench") else {
        println!("skipped: benches/figures calls this with a web archive");
        return Ok(());
    };
    let mut text = MultiGzDecoder::new(BufReader::with_capacity(PIECE, File::open(path)?));
    let mut piece = vec![0; PIECE];
    let mut n_octets = 0;
    loop {
        match text.read(&mut piece)? {
            0 => break,
            n_read => n_octets += n_read,
        }
    }
    println!("{n_octets} bytes");
    Ok(())
}
