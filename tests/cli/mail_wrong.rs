//! Messages that are wrong: what is wrong is reported with file, part and line, all other parts are
//! done, and nothing but references changes.

use crate::dir::TestDir;
use crate::words::{NO_BOUNDARY, PART_SKIPPED, UNKNOWN_BASE};

/// Converts a file that is wrong in one way: what of it changes, and what is reported about it.
/// Python reads the same parts.
#[track_caller]
fn check(message: &[u8], changes: &[(&str, &str)], lines: &[&str]) {
    let dir = TestDir::new();
    dir.file("a.eml", message);
    let run = dir.relink("absolutize a.eml -o b.eml -v").exits(0);
    let mut expected = String::from_utf8_lossy(message).into_owned();
    for (old, new) in changes {
        assert!(expected.contains(old), "{old}");
        expected = expected.replace(old, new);
    }
    assert_eq!(String::from_utf8_lossy(&dir.bytes("b.eml")), expected, "{run}");
    // The line of `-v` for the document has no position.
    let has_position = |line: &&str| line.starts_with("a.eml:") && !line.starts_with("a.eml: ");
    let report: Vec<&str> = run.stderr.lines().filter(has_position).collect();
    assert_eq!(report, lines, "{run}");
    dir.relink("absolutize b.eml -o c.eml -q").exits(0);
    assert_eq!(dir.bytes("c.eml"), dir.bytes("b.eml"), "a second run changes nothing");
    dir.relink("refs a.eml -q").exits(0);
    dir.relink("bases a.eml -q").exits(0);
    judged(&dir);
}

/// Python's email package finds the same parts in both, and nothing other than references changed.
#[track_caller]
fn judged(dir: &TestDir) {
    for name in ["a", "b"] {
        let run = dir.relink(&format!("refs {name}.eml --format json -q")).exits(0);
        dir.file(format!("{name}.jsonl"), &run.stdout);
    }
    let judge = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mail/parts.py");
    let files = ["a.eml", "b.eml", "a.jsonl", "b.jsonl"].map(|name| dir.path(name));
    if !crate::tools::has("python3", &["--version"]) {
        return;
    }
    let output = std::process::Command::new("python3").arg(judge).args(files).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn no_boundary() {
    check(
        b"Content-Base: http://h/\nContent-Type: multipart/mixed\n\n--b\nContent-Type: text/html\n\n<a href=a>\n--b--\n",
        &[],
        &["a.eml:1:1: part HEADER: multipart without a boundary; it is read as one part"],
    );
    check(
        b"Content-Base: http://h/\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/alternative\n\n--c\nx\n--b\nContent-Type: text/html\n\n<a href=a>\n--b--\n",
        &[("href=a", "href=http://h/a")],
        &[&format!("a.eml:5:1: part 1.MIME: {NO_BOUNDARY}")],
    );
}

#[test]
fn a_boundary_that_never_comes() {
    check(
        b"Content-Base: http://h/\nContent-Type: multipart/mixed; boundary=b\n\nno part: <a href=a>\n",
        &[],
        &["a.eml:5:1: part 1 skipped; its boundary does not occur"],
    );
    check(
        b"Content-Base: http://h/\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=c\n\n--d\nx\n--b\nContent-Type: text/html\n\n<a href=a>\n--b--\n",
        &[("href=a", "href=http://h/a")],
        &["a.eml:9:1: part 1 skipped; its boundary does not occur"],
    );
}

#[test]
fn a_boundary_that_never_comes_is_not_handled() {
    let message = |body: &str| {
        format!("Content-Base: http://h/\nContent-Type: multipart/mixed; boundary=b\n\n{body}")
    };
    let dir = TestDir::with(&[("mail/a.eml", &message("no part: <a href=a>\n"))]);
    dir.relink("absolutize mail -o out").exits(0);
    for command in ["absolutize mail -o out --force", "refs mail", "bases mail"] {
        let run = dir.relink(&format!("{command} --strict")).exits(1);
        assert!(!run.stderr.contains("failed"), "{run}");
    }
    let run = dir.relink("absolutize mail -o out --force").exits(0);
    assert!(run.stderr.contains(&format!("; 1 {PART_SKIPPED}\n")), "{run}");
    // Nothing is left of a body that is empty, or of a multipart that is not closed.
    for body in ["", "\n \n", "--b\nContent-Type: text/html\n\n<a href=a>\n"] {
        dir.file("mail/a.eml", message(body));
        dir.relink("absolutize mail -o out --force --strict").exits(0);
    }
}

#[test]
fn the_end_comes_too_early() {
    let report = ["a.eml:11:15: this multipart has no closing boundary"];
    check(
        b"Content-Base: http://h/\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<a href=a>\n--b\nContent-Type: text/html\n\n<a href=b> cut",
        &[("href=a", "href=http://h/a"), ("href=b", "href=http://h/b")],
        &report,
    );
    check(
        b"Content-Base: http://h/\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<a href=a>\n--b\nContent-Type: text/html\n\n<a href=\"b",
        &[("href=a", "href=http://h/a")],
        &["a.eml:11:11: this multipart has no closing boundary"],
    );
    // Amid an escape, and amid a quantum.
    check(
        b"Content-Base: http://h/\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<a href=3Da>=3",
        &[("href=3Da", "href=3Dhttp://h/a")],
        &[],
    );
}

#[test]
fn rubbish_in_base64() {
    let message = b"Content-Base: http://h/\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\
        Content-Transfer-Encoding: base64\n\n!!! PGEg aHJlZj1h===Pg==\n--b\nContent-Type: text/html\n\n<a href=b>\n--b--\n";
    let dir = TestDir::with(&[("a.eml", std::str::from_utf8(message).unwrap())]);
    let run = dir.relink("absolutize a.eml -o b.eml -v").exits(0);
    let expected = String::from_utf8_lossy(message).replace("=b>", "=http://h/b>");
    assert_eq!(dir.text("b.eml"), expected);
    assert!(run.has_line_with("a.eml:8:"), "{run}");
    assert!(run.stderr.contains("1 that cannot be written in their place"), "{run}");
    judged(&dir);
}

#[test]
fn rubbish_in_base64_is_reported() {
    let message = "Content-Base: http://h/\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\n!!! PGEg aHJlZj1h===Pg==\n";
    let dir = TestDir::with(&[("a.eml", message)]);
    let run = dir.relink("absolutize a.eml -o b.eml").exits(0);
    assert!(run.stderr.starts_with("a.eml:5:1:") && run.stderr.contains("part 1: "), "{run}");
}

#[test]
fn nothing_but_a_heading() {
    check(
        b"Content-Base: http://h/\nContent-Type: text/html",
        &[],
        &["a.eml:2:24: part 1: the text ends inside a header section"],
    );
    check(
        b"Content-Base: http://h/\nX-URL: a\nContent-Type: text/html\n\n",
        &[("URL: a", "URL: http://h/a")],
        &[],
    );
    check(b"", &[], &["a.eml:1:1: part 1: the text ends inside a header section"]);
    check(b"\n", &[], &[]);
    check(b"\r\n\r\n<a href=a>", &[], &[]);
}

#[test]
fn an_empty_mailbox() {
    let dir = TestDir::with(&[("a.mbox", ""), ("b.mbox", "\n"), ("c.mmdf", ""), ("d.emlx", "")]);
    for name in ["a.mbox", "b.mbox", "c.mmdf", "d.emlx"] {
        dir.relink(&format!("absolutize {name} -o out-{name} -q")).exits(0);
        assert_eq!(dir.bytes(format!("out-{name}")), dir.bytes(name), "{name}");
        dir.relink(&format!("refs {name} -q")).exits(0).prints("");
    }
}

#[test]
fn octets_that_are_zero() {
    check(
        b"Content-Base: http://h/\nX: \0\nContent-Type: text/html\n\n\0<a href=a>\0<b\0 href=b><a href=\"c\">",
        &[("href=a", "href=http://h/a"), ("\"c\"", "\"http://h/c\"")],
        &[],
    );
    check(
        b"\0\0\0\0",
        &[],
        &[
            "a.eml:1:1: part 1: this line of the header section is not a header field",
            "a.eml:1:5: part 1: the text ends inside a header section",
        ],
    );
}

#[test]
fn headings_with_lines_that_are_no_field() {
    check(
        b"Content-Base: a\nno field at all\nSubject: x\nContent-Type: text/html\n\n<a href=http://h/b>\n",
        &[],
        &[
            "a.eml:2:1: part HEADER: this line of the header section is not a header field",
            "a.eml:1:15: part HEADER: Content-Base ignored; its value gives no base",
            &format!("a.eml:1:15: 'a' {UNKNOWN_BASE}"),
        ],
    );
}

#[test]
fn the_other_messages_of_a_mailbox_are_done() {
    let mailbox = "From a@b Mon Mar  1 08:00:00 2004\nContent-Type: multipart/mixed\n\n--b\n\n<a href=a>\n\n\
                   From a@b Mon Mar  1 09:00:00 2004\nContent-Base: http://h/\nContent-Type: text/html\n\n<a href=b>\n\n";
    let dir = TestDir::with(&[("a.mbox", mailbox)]);
    let run = dir.relink("absolutize a.mbox -o b.mbox -v").exits(0);
    assert_eq!(dir.text("b.mbox"), mailbox.replace("href=b", "href=http://h/b"));
    let report = &format!("a.mbox:2:1: part HEADER: {NO_BOUNDARY}\n");
    assert!(run.stderr.starts_with(report), "{run}");
}

/// A colon would make it a field: the line stays, and all others are converted.
#[test]
fn the_first_line_after_fields_without_a_blank_line() {
    let fields = "Content-Base: http://w.example/\nContent-Type: text/html\n";
    for (more, equals) in [("", "="), ("Content-Transfer-Encoding: quoted-printable\n", "=3D")] {
        for between in ["", "no field\n", "\n"] {
            let page = |url: &str| format!("<a href{equals}\"{url}\">x</a>\n");
            let first = format!("{fields}{more}{between}{}", page("b.html"));
            let dir = TestDir::with(&[("a.eml", &*format!("{first}{}", page("c.html")))]);
            dir.relink("absolutize a.eml -i -q").exits(0);
            let is_kept = between.is_empty();
            let first =
                if is_kept { first } else { first.replace("b.html", "http://w.example/b.html") };
            assert_eq!(dir.text("a.eml"), first + &page("http://w.example/c.html"), "{between:?}");
        }
    }
}
