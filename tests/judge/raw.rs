//! What a parsed tree does not show: quotes, letter case, line ends, spaces inside tags.
//!
//! Both files are read in parallel. Where they part, the whole run between white space or angle
//! brackets on both sides has to be the place of an edit, and behind it they agree again.

use super::Verdict;

/// Compares the bytes around the edits. `quotes` says that a new reference may hold `'`.
pub(crate) fn compare(verdict: &mut Verdict, before: &[u8], after: &[u8], quotes: bool) {
    let (mut i, mut j) = (0, 0);
    loop {
        let rest = before[i..].iter().zip(&after[j..]);
        let shared = rest.take_while(|(old, new)| old == new).count();
        i += shared;
        j += shared;
        if i == before.len() && j == after.len() {
            return;
        }
        let back = before[i - shared..i].iter().rev().take_while(|byte| !is_border(**byte)).count();
        let start = (i - back, j - back);
        let run = |bytes: &[u8], from: usize| {
            from + bytes[from..].iter().take_while(|byte| !is_border(**byte)).count()
        };
        (i, j) = (run(before, i), run(after, j));
        if let Some(why) = wrong(&before[start.0..i], &after[start.1..j], quotes) {
            report(verdict, before, after, start.0, start.1, why);
            return;
        }
        if before.get(i) != after.get(j) {
            report(verdict, before, after, i, j, "bytes around a reference changed");
            return;
        }
    }
}

fn is_border(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0C' | b'<' | b'>')
}

/// Why a run cannot be the edit of a reference.
fn wrong(old: &[u8], new: &[u8], quotes: bool) -> Option<&'static str> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let count = |bytes: &[u8], wanted: u8| bytes.iter().filter(|byte| **byte == wanted).count();
    if count(old, b'"') != count(new, b'"') || !quotes && count(old, b'\'') != count(new, b'\'') {
        return Some("quotes changed");
    }
    if old == new {
        return None;
    }
    if old.eq_ignore_ascii_case(new) {
        return Some("letter case changed");
    }
    // What comes and goes with a change of style: a scheme, an authority, dot segments.
    let url_like = |bytes: &[u8]| {
        bytes.contains(&b':') || bytes.windows(2).any(|two| two == b"//" || two == b"./")
    };
    if url_like(old) || url_like(new) { None } else { Some("bytes changed outside references") }
}

fn report(verdict: &mut Verdict, before: &[u8], after: &[u8], i: usize, j: usize, why: &str) {
    let near = |bytes: &[u8], at: usize| {
        let part = bytes.get(at.saturating_sub(20)..).unwrap_or_default();
        part.get(..60).unwrap_or(part).escape_ascii().to_string()
    };
    verdict.violation(|| {
        format!("byte {i}: {why}: \"{}\" -> \"{}\"", near(before, i), near(after, j))
    });
}
