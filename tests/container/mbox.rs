//! What the pieces of an mbox are.

use std::cell::Cell;
use std::io::{self, Read};

use super::{check, check_line_ends, pieces};
use relink::container::{Fault, Mbox, Pieces};

const SEPARATOR: &str = "From a@example.org Thu Aug 23 09:10:23 2018\n";

#[test]
fn messages_end_before_the_empty_line_before_a_separator() {
    let two = format!("{SEPARATOR}A: 1\n\none\n\n{SEPARATOR}A: 2\n\ntwo\n");
    check_line_ends(&Mbox, &two, &["A: 1\n\none\n", "A: 2\n\ntwo\n"], &[]);
    check_line_ends(&Mbox, &format!("{two}\n"), &["A: 1\n\none\n", "A: 2\n\ntwo\n"], &[]);
    check_line_ends(&Mbox, &format!("{two}\n\n"), &["A: 1\n\none\n", "A: 2\n\ntwo\n\n"], &[]);
    let unfinished = format!("{SEPARATOR}A: 1\n\none");
    check_line_ends(&Mbox, &unfinished, &["A: 1\n\none"], &[]);
}

#[test]
fn the_empty_line_that_ends_a_heading_belongs_to_the_message() {
    let file = format!("{SEPARATOR}A: 1\n\n{SEPARATOR}A: 2\n\n");
    check_line_ends(&Mbox, &file, &["A: 1\n\n", "A: 2\n\n"], &[]);
    let file = format!("{SEPARATOR}\n{SEPARATOR}");
    check_line_ends(&Mbox, &file, &["\n", ""], &[]);
}

#[test]
fn a_separator_of_certain_form_needs_no_empty_line() {
    let file = format!("{SEPARATOR}A: 1\n\none\n{SEPARATOR}A: 2\n\ntwo\n\n{SEPARATOR}A: 3\n");
    let messages = ["A: 1\n\none\n", "A: 2\n\ntwo\n", "A: 3\n"];
    check_line_ends(&Mbox, &file, &messages, &[]);
    let follow_text: Vec<bool> =
        pieces(&Mbox, file.as_bytes()).iter().map(|piece| piece.follows_text).collect();
    assert_eq!(follow_text, [false, true, false]);
    // A line of blanks is not empty; it belongs to the message.
    let file = format!("{SEPARATOR}A: 1\n\none\n \t\n{SEPARATOR}A: 2\n\ntwo\n");
    check_line_ends(&Mbox, &file, &["A: 1\n\none\n \t\n", "A: 2\n\ntwo\n"], &[]);
    assert!(pieces(&Mbox, file.as_bytes())[1].follows_text);
    // A multipart, as Netscape wrote it.
    let netscape = "From - Mon Jun  3 12:50:27 1996\nX-Mozilla-Status: 0001\n\n";
    let file = format!("{netscape}--b\n\none\n--b--\n{netscape}two\n");
    let fields = "X-Mozilla-Status: 0001\n\n";
    let first = format!("{fields}--b\n\none\n--b--\n");
    check_line_ends(&Mbox, &file, &[&first, &format!("{fields}two\n")], &[]);
    // Text before the first message.
    let file = format!("prose\n{SEPARATOR}A: 1\n\none\n");
    check_line_ends(&Mbox, &file, &["A: 1\n\none\n"], &[Fault::Stray]);
    assert!(pieces(&Mbox, file.as_bytes())[1].follows_text);
}

#[test]
fn any_other_separator_needs_an_empty_line() {
    for line in [
        "From here we go",
        "From me@example.org",
        "From - ",
        "From 6103345283479340288",
        "From me@example.org Mon, 23 Aug 2018 09:10:23 +0000",
        "From me@example.org Aug 23 09:10:23 2018",
        "From me@example.org 2018-08-23 09:10:23",
        "From me Thu Aug 23 09:10 2018",
        "From me Thu Aug 23 09:10:23 18",
        "From me Thu Aug 23 09:10:23",
        "From me Thu Aug 23 09:10:23 2018 it was so",
        "From me to you and to all the others Thu Aug 23 09:10:23 2018",
        "from me Thu Aug 23 09:10:23 2018",
    ] {
        for between in ["", " \n"] {
            let message = format!("A: 1\n\none\n{between}{line}\nA: 2\n\ntwo\n");
            check_line_ends(&Mbox, &format!("{SEPARATOR}{message}"), &[&message], &[]);
        }
    }
    // A date, and no header field after it.
    let message = format!("A: 1\n\none\n{SEPARATOR}prose\n");
    check_line_ends(&Mbox, &format!("{SEPARATOR}{message}"), &[&message], &[]);
}

#[test]
fn a_separator_in_a_content_length_that_fits_is_text() {
    let body = format!("one\n{SEPARATOR}B: 1\n \n{SEPARATOR}B: 2\n\n");
    let next = format!("{SEPARATOR}A: 2\n\ntwo\n");
    let head = format!("A: 1\nContent-Length: {}\n\n", body.len());
    let file = format!("{SEPARATOR}{head}{body}{next}");
    check(&Mbox, &file, &[&format!("{head}{body}"), "A: 2\n\ntwo\n"], &[]);
    assert!(pieces(&Mbox, file.as_bytes()).iter().all(|piece| !piece.follows_text));
    // One that does not fit does not count.
    let head = format!("A: 1\nContent-Length: {}\n\n", body.len() - 7);
    let file = format!("{SEPARATOR}{head}{body}{next}");
    let messages = [&*format!("{head}one\n"), "B: 1\n \n", "B: 2\n\n", "A: 2\n\ntwo\n"];
    check(&Mbox, &file, &messages, &[Fault::WrongLength]);
}

#[test]
fn a_message_may_be_cut_off_in_its_header_section() {
    let file = format!("{SEPARATOR}A: 1\n{SEPARATOR}A: 2\nContent-Length: 1\n\ntwo\n");
    let second = "A: 2\nContent-Length: 1\n\ntwo\n";
    check_line_ends(&Mbox, &file, &["A: 1\n", second], &[Fault::WrongLength]);
    // Lines right after a separator belong to the header section, quoted or not.
    for quote in ["", ">"] {
        let message = format!("{quote}{SEPARATOR}{SEPARATOR}A: 1\n\none\n");
        check_line_ends(&Mbox, &format!("{SEPARATOR}{message}"), &[&message], &[]);
    }
}

#[test]
fn quoted_separators_stay_as_they_are() {
    let file = format!("{SEPARATOR}A: 1\n\n\n>{SEPARATOR}\n>>{SEPARATOR}\n {SEPARATOR}");
    check_line_ends(&Mbox, &file, &[file.strip_prefix(SEPARATOR).unwrap()], &[]);
}

#[test]
fn what_comes_before_the_first_separator_is_no_message() {
    let one = format!("{SEPARATOR}A: 1\n\none\n");
    check(&Mbox, &format!("\u{FEFF}{one}"), &["A: 1\n\none\n"], &[]);
    check_line_ends(&Mbox, &format!("\n\n{one}"), &["A: 1\n\none\n"], &[]);
    check_line_ends(&Mbox, &format!("prose\n\n{one}"), &["A: 1\n\none\n"], &[Fault::Stray]);
    check_line_ends(&Mbox, "prose\n", &[], &[Fault::Stray]);
    check(&Mbox, "", &[], &[]);
    let parts = pieces(&Mbox, format!("\n\r\n{one}").as_bytes());
    assert_eq!((&*parts[0].bytes, parts[1].at, parts[1].n_lines), (&b"\n\r\n"[..], 3, 2));
}

#[test]
fn much_that_is_no_message_is_cut() {
    let mut file = "prose\n\n".repeat(400_000).into_bytes();
    let n_octets = file.len() as u64;
    file.extend(format!("{SEPARATOR}A: 1\n\none\n").bytes());
    for chunk in [1 << 20, 700_001] {
        let parts: Vec<_> =
            Pieces::with_chunk(&Mbox, &file[..], chunk).map(|piece| piece.unwrap()).collect();
        assert!(parts.iter().all(|piece| piece.bytes.len() <= 1 << 20));
        let last = parts.last().unwrap();
        assert_eq!((last.at, last.n_lines), (n_octets, 800_000));
        assert_eq!(parts.iter().filter(|piece| piece.unit.is_some()).count(), 1);
        assert_eq!(parts.iter().filter(|piece| piece.fault.is_some()).count(), 1);
    }
}

#[test]
fn a_separator_at_the_border_of_what_is_cut() {
    for line_end in ["\n", "\r\n"] {
        for n_before in (1 << 20) - 60..(1 << 20) + 10 {
            let mut file = vec![b'x'; n_before];
            let rest = format!("\n\n{SEPARATOR}A: 1\n").replace('\n', line_end);
            file.extend(rest.bytes());
            let parts = pieces(&Mbox, &file);
            let at = (n_before + 2 * line_end.len()) as u64;
            assert_eq!(parts.last().map(|piece| piece.at), Some(at), "{n_before}");
        }
    }
}

#[test]
fn a_right_content_length_counts() {
    let body = format!("one\n\n{SEPARATOR}B: 1\n\n");
    let n_octets = body.len();
    let file = |n_octets: usize, after: &str| {
        format!("{SEPARATOR}A: 1\nContent-Length: {n_octets}\n\n{body}{after}")
    };
    let next = format!("{SEPARATOR}A: 2\n\ntwo\n");
    let first = format!("A: 1\nContent-Length: {n_octets}\n\n{body}");
    for between in ["", "\n", "\r\n", "\n\n"] {
        let file = file(n_octets, &format!("{between}{next}"));
        check(&Mbox, &file, &[&first, "A: 2\n\ntwo\n"], &[]);
        let length = pieces(&Mbox, file.as_bytes())[0].length.clone().unwrap();
        assert_eq!(file[length], n_octets.to_string());
    }
    for after in ["", "\n", "\r\n"] {
        check(&Mbox, &file(n_octets, after), &[&first], &[]);
    }
    for wrong in [0, n_octets - 5, n_octets + 5, n_octets + next.len() + 1, usize::MAX] {
        let first = format!("A: 1\nContent-Length: {wrong}\n\none\n");
        let file = file(wrong, &next);
        check(&Mbox, &file, &[&first, "B: 1\n\n", "A: 2\n\ntwo\n"], &[Fault::WrongLength]);
        assert!(pieces(&Mbox, file.as_bytes()).iter().all(|piece| piece.length.is_none()));
    }
    check(
        &Mbox,
        &file(n_octets, "more\n").replace("B: 1", "B"),
        &[&format!("A: 1\nContent-Length: {n_octets}\n\none\n"), "B\n\nmore\n"],
        &[Fault::WrongLength],
    );
}

#[test]
fn an_unclear_content_length_does_not_count() {
    for fields in ["Content-Length: 3x", "Content-Length:", "Content-Length: 4\nContent-Length: 4"]
    {
        let message = format!("{fields}\n\none\n");
        check(&Mbox, &format!("{SEPARATOR}{message}"), &[&message], &[Fault::UnclearLength]);
    }
    // A field of the body, or of another name.
    for message in ["A: 1\n\nContent-Length: 4\n\none\n", "Content-Lengths: 4\n\none and more\n"] {
        check(&Mbox, &format!("{SEPARATOR}{message}"), &[message], &[]);
    }
}

/// A reader that says how much has been read.
struct Counted<'c>(&'c [u8], &'c Cell<usize>);

impl Read for Counted<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let n_read = self.0.read(room)?;
        self.1.set(self.1.get() + n_read);
        Ok(n_read)
    }
}

#[test]
fn a_content_length_does_not_make_much_be_read() {
    let head = |n_octets: usize| format!("{SEPARATOR}Content-Length: {n_octets}\n\n");
    let next = format!("\n{SEPARATOR}A: 1\n\n");
    // Right, with a separator in the body; 64 MiB after that are looked at, and not more.
    for (n_octets, is_right) in [(60 << 20, true), (66 << 20, false)] {
        let mut file = head(n_octets).into_bytes();
        let body = file.len();
        file.extend(next.bytes());
        file.resize(body + n_octets - 1, b'x');
        file.push(b'\n');
        file.extend(next.bytes());
        let n_read = Cell::new(0);
        let mut parts = Pieces::new(&Mbox, Counted(&file, &n_read));
        let first = parts.next().unwrap().unwrap();
        assert_eq!(first.length.is_some(), is_right);
        assert_eq!(first.bytes.len() > n_octets, is_right);
        assert!(is_right || n_read.get() <= 1 << 20, "{} bytes", n_read.get());
        assert_eq!(parts.count(), if is_right { 1 } else { 2 });
    }
}

#[test]
fn wrong_content_lengths_cost_little() {
    // Each of the messages points far ahead; what is in memory must not be moved or searched for
    // each.
    let one = format!("{SEPARATOR}Content-Length: 60000000\n\none\n\n");
    let file = one.repeat(400_000);
    let parts = Pieces::new(&Mbox, file.as_bytes());
    let n_wrong = parts.filter(|piece| piece.as_ref().unwrap().fault.is_some()).count();
    assert_eq!(n_wrong, 400_000);
}

#[test]
fn a_heading_without_end_costs_little() {
    let file = [SEPARATOR, &"A: 1\n".repeat(2_000_000), &format!("\n{SEPARATOR}A: 1\n")].concat();
    assert_eq!(pieces(&Mbox, file.as_bytes()).len(), 2);
}

#[test]
fn an_error_is_reported_and_ends_the_pieces() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }
    let reader = SEPARATOR.as_bytes().chain(Broken);
    let mut parts = Pieces::new(&Mbox, reader);
    assert_eq!(parts.next().unwrap().unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    assert!(parts.next().is_none());
}
