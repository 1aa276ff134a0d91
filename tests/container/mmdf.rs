//! What the pieces of an MMDF mailbox are.

use super::{check_line_ends, pieces};
use relink::container::{Fault, Mmdf, Pieces};

const MARK: &str = "\u{1}\u{1}\u{1}\u{1}\n";

#[test]
fn messages_stand_between_marks() {
    let one = format!("{MARK}A: 1\n\none\n{MARK}");
    check_line_ends(&Mmdf, &one, &["A: 1\n\none\n"], &[]);
    let two = format!("{one}{MARK}A: 2\n\ntwo\n\n{MARK}");
    check_line_ends(&Mmdf, &two, &["A: 1\n\none\n", "A: 2\n\ntwo\n\n"], &[]);
    check_line_ends(&Mmdf, two.trim_end(), &["A: 1\n\none\n", "A: 2\n\ntwo\n\n"], &[]);
    check_line_ends(&Mmdf, &format!("{two}\n\n"), &["A: 1\n\none\n", "A: 2\n\ntwo\n\n"], &[]);
    assert_eq!(pieces(&Mmdf, two.as_bytes()).len(), 2);
}

#[test]
fn one_mark_between_messages_is_enough() {
    let file = format!("{MARK}A: 1\n\none\n{MARK}A: 2\n\ntwo\n{MARK}A: 3\n\n{MARK}");
    check_line_ends(&Mmdf, &file, &["A: 1\n\none\n", "A: 2\n\ntwo\n", "A: 3\n\n"], &[]);
}

#[test]
fn a_mark_is_a_whole_line() {
    let body = "A: 1\n\n\u{1}\u{1}\u{1}\n\u{1}\u{1}\u{1}\u{1}\u{1}\nx\u{1}\u{1}\u{1}\u{1}\n";
    let file = format!("{MARK}{body}\u{1}\u{1}\u{1}\u{1} \n{MARK}");
    check_line_ends(&Mmdf, &file, &[&format!("{body}\u{1}\u{1}\u{1}\u{1} \n")], &[]);
    let run = "\u{1}".repeat(1_000_000);
    check_line_ends(&Mmdf, &format!("{MARK}{run}\n{MARK}"), &[&format!("{run}\n")], &[]);
}

#[test]
fn a_line_from_is_not_of_the_message() {
    let from = "From a@b Thu Aug 23 09:10:23 2018\n";
    let file = format!("{MARK}{from}A: 1\n\n{from}{MARK}");
    check_line_ends(&Mmdf, &file, &[&format!("A: 1\n\n{from}")], &[]);
}

#[test]
fn what_is_wrong() {
    check_line_ends(
        &Mmdf,
        &format!("{MARK}A: 1\n\none\n"),
        &["A: 1\n\none\n"],
        &[Fault::NotClosed],
    );
    check_line_ends(&Mmdf, &format!("prose\n{MARK}A: 1\n\n{MARK}"), &["A: 1\n\n"], &[Fault::Stray]);
    check_line_ends(&Mmdf, "prose\n", &[], &[Fault::Stray]);
    check_line_ends(&Mmdf, &format!("\n{MARK}A: 1\n\n{MARK}{MARK}"), &["A: 1\n\n"], &[]);
    let wrong = "Content-Length: 4\n\none\ntwo\n";
    check_line_ends(&Mmdf, &format!("{MARK}{wrong}{MARK}"), &[wrong], &[Fault::WrongLength]);
    let file = format!("{MARK}Content-Length: 4\n\none\n{MARK}");
    assert_eq!(pieces(&Mmdf, file.as_bytes())[0].length, Some(21..22));
}

#[test]
fn much_that_is_no_message_is_cut() {
    for n_before in (1 << 20) - 10..(1 << 20) + 10 {
        let mut file = vec![b'x'; n_before];
        // Not at the start of a line.
        file.extend(MARK.bytes());
        file.extend(MARK.bytes());
        file.extend(b"A: 1\n\n");
        file.extend(MARK.bytes());
        let parts: Vec<_> =
            Pieces::with_chunk(&Mmdf, &file[..], 300_000).map(|piece| piece.unwrap()).collect();
        let last = parts.last().unwrap();
        assert_eq!((last.at, &last.unit), (n_before as u64 + 5, &Some(5..11)), "{n_before}");
        assert!(parts.iter().rev().skip(1).all(|piece| piece.unit.is_none()));
        assert!(parts.iter().all(|piece| piece.bytes.len() <= 1 << 20));
    }
}
