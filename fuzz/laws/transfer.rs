//! The transfer encodings of mail, on any bytes: lifted edits are the edits, and no line comes into
//! being that the message around would read as its own.

use layers::{Edit, LineEnd, LineGuards, base64, quoted_printable, unencoded};

use super::layers::{Mark, edits, made};

/// What is asked of one encoding: what the lines around are, the edits, and the raw bytes.
type Law = fn(u8, &[Mark<'_>], &[u8]);

/// Those of all encodings.
pub(super) const LAWS: [Law; 3] = [quoted, based, plain];

fn guards(around: u8) -> LineGuards {
    let line_end = match around >> 2 & 3 {
        0 => LineEnd::CrLf,
        1 => LineEnd::Lf,
        _ => LineEnd::Cr,
    };
    LineGuards { dashes: around & 1 != 0, from: around & 2 != 0, line_end }
}

/// No more lines are delimiters or separators than before, and none is longer than lines may be
/// (RFC 5322 2.1.1) that was not. Without an encoding, one that is too long already may become
/// longer.
fn keeps_lines(raw: &[u8], output: &[u8], guards: LineGuards, has_encoding: bool) {
    let lines = |bytes: &[u8]| {
        let is_guarded = |line: &&[u8]| {
            guards.dashes && line.starts_with(b"--") || guards.from && line.starts_with(b"From ")
        };
        let lines = bytes.split(|byte| matches!(byte, b'\n' | b'\r'));
        let longest = lines.clone().map(<[u8]>::len).max().unwrap_or(0);
        (lines.filter(is_guarded).count(), longest)
    };
    let ((n_before, longest), (n_after, longest_after)) = (lines(raw), lines(output));
    assert!(n_after <= n_before, "a line of the message: {}", output.escape_ascii());
    let is_long_already = !has_encoding && longest > 998;
    let is_kept = longest_after <= longest.max(998) || is_long_already;
    assert!(is_kept, "a long line: {}", output.escape_ascii());
}

fn at_any(marks: &[Mark<'_>], decoded: &[u8]) -> Vec<Edit> {
    edits(marks, decoded.len(), |_| true)
}

fn quoted(around: u8, marks: &[Mark<'_>], raw: &[u8]) {
    let (body, guards) = (quoted_printable::decode(raw), guards(around));
    let edits = at_any(marks, &body.bytes);
    let lifted = quoted_printable::lift(raw, &body, &edits, guards);
    let (output, expected) = made(raw, &body.bytes, edits, lifted);
    let found = quoted_printable::decode(&output).bytes.into_owned();
    assert_eq!(found.escape_ascii().to_string(), expected.escape_ascii().to_string());
    keeps_lines(raw, &output, guards, true);
}

fn based(around: u8, marks: &[Mark<'_>], raw: &[u8]) {
    let (body, guards) = (base64::decode(raw), guards(around));
    let edits = at_any(marks, &body.bytes);
    let lifted = base64::lift(raw, &body, &edits, guards.line_end);
    let (output, expected) = made(raw, &body.bytes, edits, lifted);
    assert_eq!(base64::decode(&output).bytes, expected);
    keeps_lines(raw, &output, guards, true);
}

fn plain(around: u8, marks: &[Mark<'_>], raw: &[u8]) {
    let guards = guards(around);
    let edits = at_any(marks, raw);
    let lifted = unencoded::lift(raw, edits.clone(), guards);
    let (output, expected) = made(raw, raw, edits, lifted);
    assert_eq!(output, expected);
    keeps_lines(raw, &output, guards, false);
}
