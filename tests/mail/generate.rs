//! Messages that nobody would send: nested multiparts with boundaries that begin alike, bodies by
//! several writers, base headings on every level. All of it is drawn from a tape of numbers, so
//! that what fails is made small by shortening the tape.

use std::fmt::Write as _;

/// Numbers to choose by; where it ends, all choices are the first.
pub(crate) struct Tape<'t> {
    numbers: &'t [u8],
    at: usize,
}

impl<'t> Tape<'t> {
    pub(crate) fn new(numbers: &'t [u8]) -> Self {
        Tape { numbers, at: 0 }
    }

    fn below(&mut self, n: usize) -> usize {
        let number = self.numbers.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        usize::from(number) % n
    }

    fn one<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn is_once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }
}

const HOSTS: &[&str] = &["a.example", "b.example", "c.example:8080", "www.d.example"];
const FOLDERS: &[&str] =
    &["", "d/", "d/e/", "a%20b/", "a=b/c/", "a-very-long-name-of-a-folder/and-another-one-in-it/"];
const PAGES: &[&str] = &["", "page.html", "x?y=1"];
const REFERENCES: &[&str] = &[
    "x.html",
    "../a/b.gif",
    "./",
    "/r?x=1&amp;y=2",
    "?q=%20",
    "#f",
    "d/../e.html#g",
    "//other.example/p",
    "http://abs.example/",
    "mailto:x@y.example",
    "cid:a@b.example",
    "page.html",
    "a=b.html",
    "\u{FC}.html",
    "../../../up",
    "http://a.example/d/e/f.html",
    "long/long/long/long/long/long/long/long/long/long/long/long/long/long/name.html",
];
const WORDS: &[&str] = &[
    "word",
    " ",
    "\n",
    "=",
    "\u{E9}\u{706F}",
    "From here on",
    "-- ",
    "a longer text that fills the line ",
    "<p>",
    "\t",
    "--b1 is no delimiter here",
];
const BOUNDARIES: &[&str] = &["b", "b1", "b12", "b-", "\"b 1\"", "B", "=_b", "\"b\'()+_,-./:=?\""];

/// A message with one kind of line ends, in a mailbox or alone.
pub(crate) fn message(tape: &mut Tape<'_>) -> Vec<u8> {
    let line_end = tape.one(&["\n", "\r\n"]);
    message_with(tape, line_end)
}

/// A message with these line ends.
pub(crate) fn message_with(tape: &mut Tape<'_>, line_end: &str) -> Vec<u8> {
    let text = format!("From: a@b.example\n{}", entity(tape, &mut Vec::new(), 0));
    text.replace('\n', line_end).into_bytes()
}

fn base(tape: &mut Tape<'_>) -> String {
    format!("http://{}/{}{}", tape.one(HOSTS), tape.one(FOLDERS), tape.one(PAGES))
}

/// Fields that say a base, and some that do not.
fn base_fields(tape: &mut Tape<'_>) -> String {
    let mut fields = String::new();
    for _ in 0..tape.below(3) {
        let url = base(tape);
        match tape.below(9) {
            0 | 1 => writeln!(fields, "Content-Base: {url}"),
            2 => writeln!(fields, "Content-base : \"{url}\""),
            3 => writeln!(fields, "Base: <URL:{url}>"),
            4 => writeln!(fields, "Content-Location: {url}"),
            5 => writeln!(
                fields,
                "Content-Location: {}",
                tape.one(&["page.html", "d/p.gif", "../x.html", "/x"])
            ),
            6 => writeln!(fields, "Content-Base: relative/"),
            7 => writeln!(fields, "Content-ID: <a@b.example>\nSubject: no <a href=\"x\">"),
            _ => writeln!(
                fields,
                "List-Archive: <{}>",
                tape.one(&["../archive/", "http://l.example/", "x"])
            ),
        }
        .expect("memory");
    }
    // Of two fields of a name the first counts; the judge reads one.
    let mut names = Vec::new();
    let is_first = |line: &&str| {
        let name = line.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
        let is_new = !names.contains(&name);
        names.push(name);
        is_new
    };
    fields.lines().filter(is_first).map(|line| format!("{line}\n")).collect()
}

/// Heading and body, without the line end after it.
fn entity(tape: &mut Tape<'_>, open: &mut Vec<&'static str>, depth: usize) -> String {
    let fields = base_fields(tape);
    let kind = match depth {
        0 => tape.one(&[6, 7, 6, 4, 5, 0, 2]),
        1..4 => tape.below(8),
        _ => tape.below(3),
    };
    match kind {
        0 | 1 => {
            let page = html(tape);
            leaf(tape, &fields, "text/html; charset=utf-8", &page)
        }
        2 => {
            let sheet = css(tape);
            leaf(tape, &fields, "text/css", &sheet)
        }
        3 => format!("{fields}Content-Type: text/plain\n\n<a href=\"x\"> {}", tape.one(WORDS)),
        4 => format!("{fields}Content-Type: message/rfc822\n\n{}", entity(tape, open, depth + 1)),
        5 => {
            // What is encoded knows no boundary of the outside.
            let inner = entity(tape, &mut Vec::new(), depth + 1);
            let encoded = base64(inner.as_bytes(), tape.one(&[76, 60]));
            format!(
                "{fields}Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n{encoded}"
            )
        }
        _ => multipart(tape, &fields, open, depth),
    }
}

fn multipart(
    tape: &mut Tape<'_>,
    fields: &str,
    open: &mut Vec<&'static str>,
    depth: usize,
) -> String {
    let free: Vec<&'static str> =
        BOUNDARIES.iter().copied().filter(|name| !open.contains(name)).collect();
    let name = tape.one(&free);
    let boundary = name.trim_matches('"');
    open.push(name);
    let kind = tape.one(&["mixed", "related", "alternative", "x-unknown"]);
    let name = if boundary.contains('=') { format!("\"{boundary}\"") } else { name.to_owned() };
    let mut text = format!("{fields}Content-Type: multipart/{kind}; boundary={name}\n\n");
    text.push_str(tape.one(&["", "", "A preamble with <a href=\"x\">\n", "\n"]));
    for _ in 0..=tape.below(3) {
        let padding = if tape.is_once_in(6) { "  " } else { "" };
        text.push_str(&format!("--{boundary}{padding}\n{}\n", entity(tape, open, depth + 1)));
    }
    text.push_str(&format!("--{boundary}--"));
    text.push_str(tape.one(&["", "\n", "\nAn epilogue: url(\"x\")\n"]));
    open.pop();
    text
}

fn html(tape: &mut Tape<'_>) -> String {
    let mut page = String::new();
    if tape.is_once_in(5) {
        let base = if tape.is_once_in(2) { "sub/".to_owned() } else { base(tape) };
        write!(page, "<base href=\"{base}\">").expect("memory");
    }
    for _ in 0..tape.below(8) {
        match tape.below(4) {
            0 | 1 => write!(page, "<a href=\"{}\">", tape.one(REFERENCES)),
            2 => write!(page, "<img alt='' src=\"{}\">", tape.one(REFERENCES)),
            _ => write!(page, "{}", tape.one(WORDS)),
        }
        .expect("memory");
    }
    page
}

fn css(tape: &mut Tape<'_>) -> String {
    let mut sheet = String::new();
    if tape.is_once_in(2) {
        writeln!(sheet, "@import \"{}\";", tape.one(REFERENCES).replace("&amp;", "&"))
            .expect("memory");
    }
    for _ in 0..tape.below(5) {
        let reference = tape.one(REFERENCES).replace("&amp;", "&");
        // A local reference is none that depends on the base.
        let reference = if reference.starts_with('#') { "z" } else { &reference };
        writeln!(sheet, "a {{ background: url(\"{reference}\") }} /* {} */", tape.one(WORDS))
            .expect("memory");
    }
    sheet
}

fn leaf(tape: &mut Tape<'_>, fields: &str, content_type: &str, text: &str) -> String {
    let heading = format!("{fields}Content-Type: {content_type}\n");
    match tape.below(4) {
        0 => format!("{heading}\n{text}"),
        1 => {
            let width = tape.one(&[76, 60, 4, 100_000]);
            let text =
                if tape.is_once_in(2) { text.replace('\n', "\r\n") } else { text.to_owned() };
            let mut encoded = base64(text.as_bytes(), width);
            if tape.is_once_in(3) {
                encoded = encoded.trim_end().to_owned();
            }
            format!("{heading}Content-Transfer-Encoding: base64\n\n{encoded}")
        }
        _ => {
            let encoded = quoted_printable(tape, text);
            format!("{heading}Content-Transfer-Encoding: Quoted-Printable\n\n{encoded}")
        }
    }
}

pub(crate) fn base64(bytes: &[u8], width: usize) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let octet = |idx: usize| u32::from(group.get(idx).copied().unwrap_or_default());
        let bits = octet(0) << 16 | octet(1) << 8 | octet(2);
        for idx in 0..4 {
            let value = usize::try_from(bits >> (18 - 6 * idx) & 63).expect("six bits");
            out.push(if idx <= group.len() { char::from(ALPHABET[value]) } else { '=' });
        }
    }
    let lines = out.as_bytes().chunks(width).map(|line| String::from_utf8_lossy(line).into_owned());
    lines.map(|line| line + "\n").collect()
}

/// Writers differ: lines are broken anywhere, at blanks only, or not at all; hexadecimal digits are
/// large or small; all signs are escaped.
fn quoted_printable(tape: &mut Tape<'_>, text: &str) -> String {
    let breaks_at = tape.below(3);
    let limit = tape.one(&[75, 75, 71, 40]);
    let is_small = tape.is_once_in(4);
    let escapes_signs = tape.is_once_in(4);
    let mut out = String::new();
    for (idx, line) in text.split('\n').enumerate() {
        if idx > 0 {
            out.push('\n');
        }
        let mut column = 0;
        for (at, byte) in line.bytes().enumerate() {
            let is_last = at + 1 == line.len();
            let is_kept = match byte {
                b' ' | b'\t' => !is_last,
                b'=' => false,
                b'!'..=b'~' => !escapes_signs || byte.is_ascii_alphanumeric(),
                _ => false,
            };
            let unit = match is_kept {
                true => char::from(byte).to_string(),
                false if is_small => format!("={byte:02x}"),
                false => format!("={byte:02X}"),
            };
            let is_full = column + unit.len() > limit;
            if is_full && (breaks_at == 0 || (breaks_at == 1 && byte == b' ')) {
                out.push_str("=\n");
                column = 0;
            }
            column += unit.len();
            out.push_str(&unit);
        }
    }
    out
}
