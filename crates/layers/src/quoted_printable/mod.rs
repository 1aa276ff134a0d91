//! Quoted-printable, the transfer encoding of most HTML in mail (RFC 2045 6.7), from bytes to
//! bytes, with a map back.
//!
//! Invariant: decoding the raw bytes with the lifted edits applied gives the decoded bytes with the
//! edits applied, or the edit is refused. No line is reflowed: soft line breaks are inserted only
//! into new text, or right after it. Line ends are unchanged, and bytes that begin no escape are
//! kept.

mod decode;
mod lift;

pub use decode::{QuotedPrintableBody, decode};
pub use lift::lift;

/// Returns true if a byte is a blank: a space or a tab (RFC 2045 6.7 (3)).
fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn n_blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| is_blank(**byte)).count()
}

fn n_blanks_before(bytes: &[u8]) -> usize {
    bytes.iter().rev().take_while(|byte| is_blank(**byte)).count()
}
