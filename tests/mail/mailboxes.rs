//! Where mailboxes are split: a table of separators with LF and CRLF, and archives whose bodies
//! quote `From `. Python's `mailbox` is the judge; it splits at each line that begins with `From `.

use std::fs;
use std::path::Path;
use std::process::Command;

use relink::container::{Mbox, Pieces};

/// How programs write the line that begins a message, and whether it needs no empty line before it
/// in a mailbox that begins with such a line.
const STYLES: &[(&str, bool)] = &[
    // Netscape, Thunderbird
    ("From - Thu Aug 23 09:10:23 2018", true),
    ("From - ", true),
    ("From ", true),
    ("From - Mon Jan 06", false),
    // RFC 4155, sendmail, Mailman
    ("From me@example.org Thu Aug 23 09:10:23 2018", true),
    ("From a-return-1-b=example.org@example.org Mon Jun 01 04:28:28 2009", true),
    // Python, Dovecot
    ("From MAILER-DAEMON Fri Jul  8 12:08:34 2011", true),
    // Eudora
    ("From ???@??? Thu Jan 01 00:00:00 1998", true),
    // Pipermail
    ("From me at example.org  Mon Jun  1 04:28:28 2009", true),
    // Gmail
    ("From 1844347792267117879@xxx Fri Sep 26 17:18:40 +0000 2025", true),
    ("From 1844347792267117879@xxx", false),
    // git format-patch
    ("From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001", true),
    // Senders that are quoted, empty or missing
    ("From \"a b\"@example.org Mon Jun  1 04:28:28 2009", true),
    ("From <> Mon Jun  1 04:28:28 2009", true),
    ("From  Mon Jun  1 04:28:28 2009", true),
    // Zones
    ("From me Mon Jun  1 04:28:28 PDT 2009", true),
    ("From me Mon Jun  1 04:28:28 2009 -0700 (PDT)", true),
    // Other dates
    ("From root Mon Jun  1 04:28 2009", false),
    ("From me@example.org Mon, 1 Jun 2009 04:28:28 +0000", false),
    ("From me@example.org 2009-06-01 04:28:28", false),
    ("From me@example.org 2009-06-01T04:28:28Z", false),
    // Archives of Usenet
    ("From 6103345283479340288", true),
    ("From -6103345283479340288", true),
    ("From 2018", false),
    // UUCP
    ("From uucp Mon Jun  1 04:28 1987 remote from seismo", false),
];

/// The styles that separate in any mailbox: numbers do so only in archives of Usenet.
fn general_styles() -> impl Iterator<Item = &'static str> {
    let is_number = |style: &str| style[5..].parse::<i64>().is_ok();
    STYLES.iter().map(|(style, _)| *style).filter(move |style| !is_number(style))
}

/// Messages whose bodies quote separators, and quote quotes.
fn messages(line_end: &str) -> Vec<String> {
    let bodies = [
        "one\n",
        ">From - Thu Aug 23 09:10:23 2018\nSubject: a\n",
        "two\n\n>From me@example.org Mon Jun  1 04:28:28 2009\nSubject: b\n\n>>From you\n",
        " From - Thu Aug 23 09:10:23 2018\nFrom: me\n\nFrom, and so on\nFromage\n",
        "--b\nContent-Type: text/html\n\n<p>\n--b--\n",
    ];
    let message = |(number, body)| format!("Subject: {number}\nFrom: a@b\n\n{body}");
    bodies.iter().enumerate().map(message).map(|text| text.replace('\n', line_end)).collect()
}

/// Reads the messages of a mailbox.
fn read(file: &[u8]) -> Vec<String> {
    let pieces = Pieces::new(&Mbox, file).map(|piece| piece.expect("a piece"));
    let message = |bytes: &[u8]| bytes.iter().map(|octet| char::from(*octet)).collect();
    pieces.filter_map(|piece| Some(message(&piece.bytes[piece.unit?]))).collect()
}

/// Runs the Python script. `None` if there is no Python.
fn python(args: &[&str], paths: &[&Path]) -> Option<String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mail/mailboxes.py");
    if !crate::tools::has("python3", &["--version"]) {
        return None;
    }
    let output = Command::new("python3").arg(script).args(args).args(paths).output();
    let output = output.expect("python3 starts");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}

/// Checks that Python finds the same messages in mailboxes. It takes CRLF for no empty line, and an
/// empty line that ends a header section for that of the mailbox: line ends at the end do not
/// count.
fn judge(mailboxes: &[String]) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = |idx: usize| directory.path().join(format!("{idx}.mbox"));
    let paths: Vec<_> = (0..mailboxes.len()).map(path).collect();
    for (path, mailbox) in paths.iter().zip(mailboxes) {
        fs::write(path, mailbox).expect("a file");
    }
    let paths: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
    let Some(lines) = python(&["read"], &paths) else { return };
    assert_eq!(lines.lines().count(), mailboxes.len());
    for (line, mailbox) in lines.lines().zip(mailboxes) {
        let expected: Vec<String> = serde_json::from_str(line).expect("JSON");
        let trimmed = |list: &[String]| -> Vec<String> {
            list.iter().map(|text| text.trim_end_matches(['\r', '\n']).to_owned()).collect()
        };
        assert_eq!(trimmed(&read(mailbox.as_bytes())), trimmed(&expected), "{mailbox:?}");
    }
}

/// A mailbox of messages, with something between each of them and the next separator.
fn mailbox(style: &str, messages: &[String], between: &str, line_end: &str) -> String {
    let one = |message: &String| format!("{style}{line_end}{message}{between}");
    messages.iter().map(one).collect()
}

#[test]
fn each_style_separates_after_an_empty_line() {
    let mut all = Vec::new();
    for (style, _) in STYLES {
        for line_end in ["\n", "\r\n"] {
            let messages = messages(line_end);
            let mailbox = mailbox(style, &messages, line_end, line_end);
            assert_eq!(read(mailbox.as_bytes()), messages, "{style} {line_end:?}");
            all.push(mailbox);
        }
    }
    judge(&all);
}

#[test]
fn some_styles_separate_without_an_empty_line() {
    let mut all = Vec::new();
    for (style, is_certain) in STYLES {
        for line_end in ["\n", "\r\n"] {
            for between in ["", " \t"] {
                let blanks = if between.is_empty() { "" } else { &format!("{between}{line_end}") };
                let messages = messages(line_end);
                let mailbox = mailbox(style, &messages, blanks, line_end);
                let expected: Vec<String> = if *is_certain {
                    messages.iter().map(|text| format!("{text}{blanks}")).collect()
                } else {
                    vec![mailbox[style.len() + line_end.len()..].to_owned()]
                };
                assert_eq!(read(mailbox.as_bytes()), expected, "{style} {line_end:?}");
                if *is_certain {
                    all.push(mailbox);
                }
            }
        }
    }
    judge(&all);
}

/// A message whose body is a multipart that is closed in its last line.
fn multipart(number: usize, line_end: &str) -> String {
    format!(
        "Subject: {number}\nContent-Type: multipart/mixed;\n boundary=\"=_{number}\"\n\n\
         --=_{number}\n\nhere\n--=_{number}--\n"
    )
    .replace('\n', line_end)
}

#[test]
fn each_style_separates_after_the_delimiter_that_closes_a_message() {
    let mut all = Vec::new();
    for style in general_styles() {
        for line_end in ["\n", "\r\n"] {
            let messages: Vec<String> = (0..3).map(|number| multipart(number, line_end)).collect();
            let first = format!("From - Thu Aug 23 09:10:23 2018{line_end}");
            let rest = mailbox(style, &messages[1..], "", line_end);
            let mailbox = format!("{first}{}{rest}", messages[0]);
            assert_eq!(read(mailbox.as_bytes()), messages, "{style} {line_end:?}");
            all.push(mailbox);
        }
    }
    judge(&all);
}

#[test]
fn styles_are_mixed_in_a_mailbox() {
    let mut all = Vec::new();
    for line_end in ["\n", "\r\n"] {
        let styles: Vec<&str> = general_styles().collect();
        for start in 0..styles.len() {
            let (mut mailbox, mut put) = (String::new(), Vec::new());
            for idx in 0..styles.len() {
                let style = styles[(start + idx) % styles.len()];
                for message in messages(line_end) {
                    mailbox.push_str(&format!("{style}{line_end}{message}{line_end}"));
                    put.push(message);
                }
            }
            assert_eq!(read(mailbox.as_bytes()), put, "{}", styles[start]);
            all.push(mailbox);
        }
    }
    judge(&all);
}

#[test]
fn archives_that_python_writes() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (path, list) = (directory.path().join("a.mbox"), directory.path().join("messages.json"));
    let unquoted = "Subject: 6\n\nFrom here we go\n\nFrom - Thu Aug 23 09:10:23 2018\nSubject: 7\n";
    let mut put = messages("\n");
    put.push(unquoted.to_owned());
    fs::write(&list, serde_json::to_string(&put).expect("JSON")).expect("a file");
    if python(&["write"], &[&path, &list]).is_none() {
        return;
    }
    let file = fs::read_to_string(&path).expect("UTF-8");
    let quoted = "Subject: 6\n\n>From here we go\n\n>From - Thu Aug 23 09:10:23 2018\nSubject: 7\n";
    put.pop();
    put.push(quoted.to_owned());
    assert_eq!(read(file.as_bytes()), put);
    judge(&[file]);
}
