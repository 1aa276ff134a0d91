//! Quoted-printable, the transfer encoding of most HTML in mail (RFC 2045 6.7): bytes to bytes, with a way back.
//!
//! Invariant: decoding the raw bytes with the lifted edits made gives the decoded bytes with the edits made, or the edit is refused. No line is
//! reflowed: soft line breaks are put into new text only, or right after it. Line ends stay as they are, and what is no escape stands for itself.

mod decode;
mod lift;

pub use decode::{Body, decode};
pub use lift::lift;

/// Whether a byte is a blank: a space or a tab (RFC 2045 6.7 (3)).
fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn n_blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| is_blank(**byte)).count()
}

fn n_blanks_before(bytes: &[u8]) -> usize {
    bytes.iter().rev().take_while(|byte| is_blank(**byte)).count()
}
