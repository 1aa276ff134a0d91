//! Finds a text in the quoted-printable body of an HTML mail, and the bytes that it is written in.
//!
//! The argument is the text; the body is read from standard input:
//!
//! ```text
//! $ printf 'Gr=C3=BC&szlig;=\ne aus K&ouml;ln' |
//!     cargo run -q -p relink-layers --example find_encoded -- 'Grüße'
//! bytes 0 to 18: Gr=C3=BC&szlig;=\ne
//! ```
//!
//! A text in which nothing is encoded is found by `grep`; here `ü` is two escaped bytes, `ß` is a
//! character reference, and a line break is inside of the word. Each layer is decoded with a map
//! back, so the span is exact: a program can replace these bytes and leave all others unchanged.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "it is a program")]

use std::error::Error;
use std::io::{self, Read, Write};

use relink_layers::{Charset, Layer, Span, quoted_printable};

fn main() -> Result<(), Box<dyn Error>> {
    let wanted = std::env::args().nth(1).ok_or("usage: find_encoded TEXT < BODY")?;
    let mut raw = Vec::new();
    io::stdin().read_to_end(&mut raw)?;
    run(&raw, &wanted, &mut io::stdout().lock())
}

/// Writes a line for each place at which the text occurs.
pub(crate) fn run(raw: &[u8], wanted: &str, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // The outer layer: from the bytes of the mail to those of the page.
    let page = quoted_printable::decode(raw);
    // The inner layer: from the bytes of the page to its text, with character references decoded.
    let text = Layer::Content.decode(&page.bytes, Charset::UTF_8);
    for (start, found) in text.text.match_indices(wanted) {
        // Back, from the inside out: each span is widened to whole escapes.
        let in_page = text.map.widen(Span::new(start, start + found.len())).raw;
        let in_mail = page.widen(in_page).raw;
        let bytes = in_mail.slice(raw).escape_ascii();
        writeln!(out, "bytes {} to {}: {bytes}", in_mail.start, in_mail.end)?;
    }
    Ok(())
}
