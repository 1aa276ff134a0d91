//! Containers: what their pieces are, and the laws that hold for any bytes.

mod emlx;
mod generate;
mod gzip;
mod laws;
mod length;
mod maildir;
mod mbox;
mod mmdf;
mod real;
mod separator;
mod sniff;

use relink::container::{Container, Fault, Piece, Pieces};

/// The pieces of a file that is read all at once.
fn pieces(container: &dyn Container, file: &[u8]) -> Vec<Piece> {
    Pieces::new(container, file).map(|piece| piece.expect("bytes can be read")).collect()
}

/// The message of a piece.
fn message(piece: &Piece) -> Option<&[u8]> {
    piece.unit.clone().map(|message| &piece.bytes[message])
}

/// The messages of a file as text.
fn messages(container: &dyn Container, file: &str) -> Vec<String> {
    let pieces = pieces(container, file.as_bytes());
    let messages = pieces.iter().filter_map(message);
    messages.map(|message| String::from_utf8_lossy(message).into_owned()).collect()
}

/// Compares the messages of a file, also with CRLF for LF, and what is wrong with them.
#[track_caller]
fn check(container: &dyn Container, file: &str, expected: &[&str], faults: &[Fault]) {
    let found: Vec<Fault> =
        pieces(container, file.as_bytes()).iter().filter_map(|piece| piece.fault).collect();
    assert_eq!((messages(container, file), found), (owned(expected), faults.to_vec()), "{file:?}");
}

/// The same with LF, with CRLF and with CR as line ends; for files that count no bytes.
#[track_caller]
fn check_line_ends(container: &dyn Container, file: &str, expected: &[&str], faults: &[Fault]) {
    for line_end in ["\n", "\r\n", "\r"] {
        let expected: Vec<String> =
            expected.iter().map(|message| message.replace('\n', line_end)).collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check(container, &file.replace('\n', line_end), &expected, faults);
    }
}

fn owned(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}
