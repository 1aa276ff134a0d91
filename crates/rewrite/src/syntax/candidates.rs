//! Image candidates: HTML standard, section 4.8.4.2.1 ("parse a srcset attribute").

use layers::Span;

use crate::found::{Delimiters, Value};
use crate::slots::SlotId;

/// Finds the URLs of a `srcset`, descriptors skipped. A comma inside a URL belongs to it; commas at its end do not.
pub(crate) fn candidates(text: &str, slot: SlotId, values: &mut Vec<Value>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at += run(&bytes[at..], |byte| byte.is_ascii_whitespace() || byte == b',');
        if at == bytes.len() {
            return;
        }
        let start = at;
        at += run(&bytes[at..], |byte| !byte.is_ascii_whitespace());
        let url = text[start..at].trim_end_matches(',');
        values.push(Value::item(Span::new(start, start + url.len()), slot, Delimiters::Candidate));
        if start + url.len() == at {
            at += descriptors(&bytes[at..]);
        }
    }
}

fn run(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !is(*byte)).unwrap_or(bytes.len())
}

/// The length of the descriptors up to the comma that ends them; a comma in parentheses does not.
fn descriptors(bytes: &[u8]) -> usize {
    let mut is_in_parens = false;
    let mut is_ended = |byte: &u8| {
        match byte {
            b'(' => is_in_parens = true,
            b')' => is_in_parens = false,
            _ => {}
        }
        *byte == b',' && !is_in_parens
    };
    bytes.iter().position(&mut is_ended).map_or(bytes.len(), |idx| idx + 1)
}
