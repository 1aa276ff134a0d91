//! Messages made to mislead: what is written must be read alike by everyone.

use crate::dir::TestDir;
use crate::words;

/// What becomes of a message when it is made absolute.
#[track_caller]
fn absolute(message: impl AsRef<[u8]>, options: &str) -> String {
    let dir = TestDir::new();
    dir.file("a.eml", message.as_ref());
    let run = dir.relink(&format!("absolutize a.eml -q -o - {options}")).exits(0);
    let again = dir.pipe(&format!("absolutize - --type message/rfc822 -q {options}"), &run.stdout);
    assert_eq!(again.exits(0).text(), run.text(), "a second run");
    run.text().to_owned()
}

#[test]
fn a_cr_alone_ends_no_line_where_others_end_with_lf() {
    let message = format!(
        "Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<a href=3D\"p.html\">{}</a>\r\r\n<p>\r\r\n",
        "y".repeat(40)
    );
    let output = absolute(message, "--base http://www.example.org/some/folder/that/is/long/x.eml");
    assert!(
        output.contains("=\r\n") && !output.contains("=\r\r") && !output.contains("=\rp"),
        "{output:?}"
    );
}

#[test]
fn what_is_past_the_limit_of_parts_is_of_none() {
    let start = "Content-Type: multipart/mixed; boundary=b\n\n".to_owned();
    let parts = "--b\nContent-Type: text/html\n\n\n".repeat(100_001);
    let signed = "--b\nContent-Type: multipart/signed; boundary=c\n\n--c\nContent-Type: text/html\n\n<a href=\"x\">s</a>\n--c\n\nsig\n--c--\n--b--\n";
    let message = start + &parts + signed;
    let dir = TestDir::new();
    dir.file("a.eml", &message);
    // Parts of 30 bytes are smaller than what is known of them.
    let args = "absolutize a.eml --base http://h/ --limit memory-growth=none -o -";
    let run = dir.relink(args).exits(2);
    let report =
        &format!("more than 100000 parts (later ones are not read); {}", words::raise("parts"));
    assert!(run.stderr.contains(report), "{run}");
    assert!(run.text() == message, "something was edited");
}

#[test]
fn a_parameter_without_quotes_holds_no_url() {
    let message = "Content-Type: message/external-body; access-type=URL; URL=c\n\nContent-Type: image/gif\n\n";
    assert_eq!(absolute(message, "--base http://h/d/"), message);
    let quoted = message.replace("=c", "=\"c\"");
    assert_eq!(
        absolute(&quoted, "--base http://h/d/"),
        quoted.replace("\"c\"", "\"http://h/d/c\"")
    );
}

#[test]
fn a_base_that_does_not_count_stays() {
    let message = "Content-Type: text/html\nContent-Location: http://h/d/p.html\n\n<base href=\"sub/\"><p itemscope itemid=i><a href=\"{{n}}\"><a href=x><a href=#f>\n";
    for profile in ["rfc1808", "urlsyntax00", "rfc2110", "rfc2557"] {
        let output = absolute(message, &format!("--profile {profile}"));
        assert!(output.contains("<base href=\"sub/\">"), "{output}");
        let is_known = profile != "rfc1808";
        assert_eq!(output.contains("<a href=http://h/d/x>"), is_known, "{profile}: {output}");
    }
    let output = absolute(message, "");
    assert!(output.contains("<base href=\"http://h/d/sub/\">"), "{output}");
    assert!(output.contains("<a href=http://h/d/sub/x>"), "{output}");
    let opaque =
        "Content-Location: cid:x\nContent-Type: text/html\n\n<base href=\"http:rel/\"><a href=y>\n";
    assert_eq!(absolute(opaque, "--profile rfc2557"), opaque);
}

#[test]
fn a_count_does_not_come_to_fit_another_message() {
    let first = "<a href=x>\n";
    let second = "From b@b Mon Jan  1 00:00:00 2001\nContent-Type: text/html\n\n<a href=/y>\n\n";
    // It is right if only this message grows.
    let count = first.len() + "http://h/d/".len() + 1 + second.len() - 1 + "http://h".len();
    let mailbox = format!(
        "From a@a Mon Jan  1 00:00:00 2001\nContent-Type: text/html\nContent-Length: {count}\n\n{first}\n{second}From c@c Mon Jan  1 00:00:00 2001\nSubject: 3\n\nthird\n"
    );
    let dir = TestDir::with(&[("a.mbox", &*mailbox)]);
    dir.relink("absolutize a.mbox --base http://h/d/ -o b.mbox -q").exits(0);
    let run = dir.relink("absolutize b.mbox --base http://h/d/ --dry-run").exits(0);
    assert!(run.stderr.contains(&words::would_change(3, 0)), "{run}");
}

#[test]
fn what_is_signed_is_all_but_the_last_part() {
    let signed = |between: &str| {
        format!(
            "Content-Type: multipart/signed; boundary=b\n\n--b\n{between}Content-Type: text/html\n\n<a href=x>\n--b\nContent-Type: application/pgp-signature\n\nsig\n--b--\n"
        )
    };
    // Not everyone ends a part at each of these lines.
    for between in ["", "--b\n", "Content-Type: text/plain\n\n--b\x0C\n", "\n--b\t\n"] {
        let message = signed(between);
        assert_eq!(absolute(&message, "--base http://h/"), message);
    }
}

#[test]
fn a_transfer_encoding_that_is_too_long_to_be_read_is_unknown() {
    let message = format!(
        "Content-Type: text/html\nContent-Transfer-Encoding: ({})\n quoted-printable\n\n<a href=3D\"x\">\n",
        "c".repeat(70_000)
    );
    let dir = TestDir::with(&[("a.eml", &message)]);
    let run = dir.relink("absolutize a.eml --base http://h/ -o - -q").exits(2);
    run.prints(&message);
}

#[test]
fn a_relative_location_stays_where_the_document_that_is_shown_has_another_base() {
    let message = |heading: &str, html: &str| {
        format!(
            "Content-Type: multipart/related; boundary=b\n\n--b\nContent-Type: text/html\n{heading}\n{html}<img src=img.png><img src=other.png>\n--b\nContent-Type: image/png\nContent-Location: img.png\n\nx\n--b--\n"
        )
    };
    for (heading, html) in
        [("Content-Base: http://h/a/\n", ""), ("", "<base href=\"http://h/a/\">")]
    {
        let message = message(heading, html);
        let expected = message.replace("=other.png", "=http://h/a/other.png");
        assert_eq!(absolute(&message, "--base http://z/m.eml"), expected);
    }
    // Where both mean the same, both are written in full.
    let message = message("", "");
    let expected = message
        .replace("=img.png", "=http://z/img.png")
        .replace("=other.png", "=http://z/other.png");
    let expected = expected.replace("Location: img.png", "Location: http://z/img.png");
    assert_eq!(absolute(&message, "--base http://z/m.eml"), expected);
}

#[test]
fn prose_is_no_url() {
    let message = "X-URL: see the page\nLocation: Building 4\n\n";
    assert_eq!(absolute(message, "--base http://h/"), message);
}
