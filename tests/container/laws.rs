//! Laws: the pieces are the file, whatever is in it and however it is read, and messages that were
//! put in come out.

use super::generate::{Random, Slowly};
use relink::container::{Container, Emlx, Mbox, Mmdf, Piece, Pieces, length};

const KINDS: [&dyn Container; 3] = [&Mbox, &Mmdf, &Emlx];

/// What files are made of.
const PARTS: &[&str] = &[
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "\r\n\r\n",
    "\n\n",
    " ",
    "x",
    "text",
    "From ",
    "From",
    "From - Thu Aug 23 09:10:23 2018\n",
    "From - Thu Aug 23 09:10:23 2018\r\n",
    "From a@b\n",
    "\n\nFrom - Thu Aug 23 09:10:23 2018\n",
    "\n\nFrom a@b Thu Aug 23 09:10:23 2018\nA: b\n\n",
    "\r\n\r\nFrom a@b Thu Aug 23 09:10:23 2018\r\nA: b\r\n\r\n",
    "\rFrom a@b 1 Jan 2001 0:00\r",
    ">From x",
    "Subject: y\n",
    "Content-Length: 5\n",
    "Content-Length: 40\n",
    "content-length : 2\r\n",
    "Content-Length: 99999999999999999999\n",
    "\u{1}",
    "\u{1}\u{1}\u{1}\u{1}\n",
    "\u{1}\u{1}\u{1}\u{1}\r\n",
    "\n\u{1}\u{1}\u{1}\u{1}\n\u{1}\u{1}\u{1}\u{1}\n",
    "12\n",
    "40   \n",
    "<?xml",
    "<plist>",
    "</plist>",
    "\u{FEFF}",
];

fn read(container: &dyn Container, file: &[u8], step: usize, chunk: usize) -> Vec<Piece> {
    let reader = Slowly { bytes: file, step, n_calls: 0 };
    Pieces::with_chunk(container, reader, chunk).map(|piece| piece.expect("a piece")).collect()
}

fn n_lines(bytes: &[u8]) -> u64 {
    let is_end = |at: usize| match bytes[at] {
        b'\n' => at == 0 || bytes[at - 1] != b'\r',
        octet => octet == b'\r',
    };
    (0..bytes.len()).filter(|at| is_end(*at)).count() as u64
}

/// The laws of pieces that need no knowledge of the container.
#[track_caller]
fn check_pieces(container: &dyn Container, file: &[u8], pieces: &[Piece]) {
    let mut at = 0;
    for piece in pieces {
        let end = at + piece.bytes.len();
        assert_eq!(file.get(at..end), Some(&piece.bytes[..]), "{container:?} at {at}");
        assert!(!piece.bytes.is_empty());
        assert_eq!(piece.at, at as u64);
        assert_eq!(piece.n_lines, n_lines(&file[..at]), "lines before {at}");
        let message = piece.unit.as_ref().map(|range| &piece.bytes[range.clone()]);
        if let Some(digits) = &piece.length {
            let message = message.expect("what is counted");
            let counted = match container.spec().extensions {
                ["emlx"] => message.len(),
                _ => message.len() - length::body_start(message),
            };
            let digits = &piece.bytes[digits.clone()];
            assert!(length::rewritten(digits, counted, 7).is_some(), "{digits:?} {counted}");
        }
        at = end;
    }
    assert_eq!(at, file.len(), "{container:?}");
}

#[test]
fn pieces_are_the_file_however_it_is_read() {
    for seed in 0..6000 {
        let mut random = Random::new(seed);
        let file = random.some(PARTS, 40);
        for container in KINDS {
            let all = read(container, &file, usize::MAX, 1 << 20);
            check_pieces(container, &file, &all);
            let (step, chunk) = (random.below(9) + 1, random.below(90) + 1);
            for (step, chunk) in [(1, 1), (step, chunk), (3, chunk), (usize::MAX, 5)] {
                let few = read(container, &file, step, chunk);
                assert_eq!(few, all, "{container:?}, seed {seed}, {step}, {chunk}");
            }
        }
    }
}

#[test]
fn any_octets() {
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let n_octets = random.below(300);
        let file: Vec<u8> =
            (0..n_octets).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
        for container in KINDS {
            check_pieces(container, &file, &read(container, &file, 10, 20));
        }
    }
}

/// A message with a heading and a body.
fn message(random: &mut Random, line_end: &str, body: &[&str]) -> Vec<u8> {
    let fields =
        ["Subject: a", "To: b@example.org", "X-Long: c\n\td", "Content-Type: text/html", "Cc: d"];
    let mut out = String::new();
    for _ in 0..=random.below(5) {
        out.push_str(random.one(&fields));
        out.push('\n');
    }
    out.push('\n');
    for _ in 0..random.below(12) {
        out.push_str(random.one(body));
        out.push('\n');
    }
    out.replace('\n', line_end).into_bytes()
}

const BODY: &[&str] =
    &["", "", "text", "From what I hear", ">From you", "From", " From - ", "\u{1}\u{1}\u{1}"];
const SENDERS: &[&str] = &[
    "From - Thu Aug 23 09:10:23 2018",
    "From id@xxx",
    "From MAILER-DAEMON Fri Jul  8 12:08:34 2011",
    "From ???@??? Thu Jan 01 00:00:00 1998",
    "From me@example.org Thu, 23 Aug 2018 09:10:23 +0000",
    "From me at example.org  Thu Aug 23 09:10:23 2018",
];

#[test]
fn messages_that_were_put_in_an_mbox_come_out() {
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let line_end = random.one(&["\n", "\r\n"]);
        let is_counted = random.below(2) == 0;
        let mut body = BODY.to_vec();
        if is_counted {
            body.extend(["\nFrom - Thu Aug 23 09:10:23 2018", "\nFrom a@b\nSubject: no"]);
        }
        let mut file = Vec::new();
        let mut put = Vec::new();
        for _ in 0..random.below(6) {
            let mut one = message(&mut random, line_end, &body);
            if is_counted {
                let n_octets = one.len() - length::body_start(&one);
                let count = format!("Content-Length: {n_octets}{line_end}");
                one.splice(0..0, count.into_bytes());
            }
            file.extend([random.one(SENDERS), line_end].concat().into_bytes());
            file.extend(&one);
            file.extend(line_end.as_bytes());
            put.push(one);
        }
        let pieces = read(&Mbox, &file, 50, random.below(200) + 1);
        check_pieces(&Mbox, &file, &pieces);
        let out: Vec<&[u8]> = pieces.iter().filter_map(super::message).collect();
        assert_eq!(out, put, "seed {seed}");
        let is_well = |piece: &Piece| piece.fault.is_none() && piece.length.is_some() == is_counted;
        assert!(pieces.iter().all(is_well), "seed {seed}: {pieces:?}");
    }
}

#[test]
fn messages_that_were_put_in_an_mmdf_come_out() {
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let line_end = random.one(&["\n", "\r\n"]);
        let mark = format!("\u{1}\u{1}\u{1}\u{1}{line_end}");
        let has_sender = random.below(2) == 0;
        let (mut file, mut put) = (Vec::new(), Vec::new());
        for _ in 0..random.below(6) {
            let one = message(&mut random, line_end, BODY);
            file.extend(mark.as_bytes());
            if has_sender {
                file.extend([random.one(SENDERS), line_end].concat().into_bytes());
            }
            file.extend(&one);
            file.extend(mark.as_bytes());
            put.push(one);
        }
        let pieces = read(&Mmdf, &file, 50, random.below(200) + 1);
        check_pieces(&Mmdf, &file, &pieces);
        let out: Vec<&[u8]> = pieces.iter().filter_map(super::message).collect();
        assert_eq!(out, put, "seed {seed}");
        assert!(pieces.iter().all(|piece| piece.fault.is_none()));
    }
}

#[test]
fn the_message_that_was_put_in_an_emlx_comes_out() {
    for seed in 0..1000 {
        let mut random = Random::new(seed);
        let one = message(&mut random, "\n", &["", "text", "<?xml version=\"1.0\"?>", "</plist>"]);
        let blanks = " ".repeat(random.below(8));
        let list = random.one(&["", "<?xml version=\"1.0\"?>\n<plist>\n</plist>\n"]);
        for (report, is_right) in [(one.len(), true), (one.len() + 100_000, false)] {
            let line = format!("{report}{blanks}\n");
            let file = [line.as_bytes(), &one, list.as_bytes()].concat();
            let pieces = read(&Emlx, &file, 50, random.below(200) + 1);
            check_pieces(&Emlx, &file, &pieces);
            assert_eq!(pieces.len(), 1);
            assert_eq!(pieces[0].fault.is_none(), is_right);
            let ends_like_one = list.is_empty() && one.ends_with(b"</plist>\n");
            if is_right || !ends_like_one {
                assert_eq!(super::message(&pieces[0]), Some(&one[..]), "seed {seed}");
            }
        }
    }
}
