//! What of messages is left as it is, and reported: what is signed, encrypted, counted, or encoded
//! in a way that nobody here reads.

use crate::dir::TestDir;
use crate::words::{
    self, ENCRYPTED, PART_SKIPPED, REWRITTEN, SEAL_INVALID, SIGNED, SIGNED_BY_DKIM, TO_LIST_THEM,
};

/// What becomes of a message on standard input, and what is reported about it.
#[track_caller]
fn check(line: &str, message: &str, expected: &str, lines: &str) {
    let command = format!("{line} - --type message/rfc822");
    let run = TestDir::new().pipe(&command, message.as_bytes()).exits(0).prints(expected);
    assert_eq!(run.stderr.trim_end(), lines.trim_end(), "{run}");
}

const HERE: &str = "http://www.harbour-light.example/";

#[test]
fn signed_parts_stay() {
    let dir = TestDir::with_fixture("mail");
    let text = dir.text("mail/signed.eml");
    let expected = text.replace("\"footer.html\"", &format!("\"{HERE}footer.html\""));
    let run = dir.relink("absolutize mail/signed.eml -o out.eml").exits(0);
    assert_eq!(dir.text("out.eml"), expected);
    let lines = &format!(
        "\
mail/signed.eml:18:1: part 1.1.1 skipped; it is signed; use `--break-signatures` to edit it
mail/signed.eml:36:1: part 3 skipped; it is encrypted, or enclosed in a signature
{}; 2 parts skipped
4 references: 1 {REWRITTEN}, 1 already correct, 2 in parts that must not change",
        words::changed(1, 1)
    );
    assert_eq!(run.stderr.trim_end(), lines, "{run}");
    dir.relink("absolutize mail/signed.eml --strict --dry-run -q").exits(1);

    let broken = expected
        .replace("\"a.html\"", &format!("\"{HERE}a.html\""))
        .replace("Location: signed", &format!("Location: {HERE}signed"));
    let run = dir.relink("absolutize mail/signed.eml -o broken.eml --break-signatures").exits(0);
    assert_eq!(dir.text("broken.eml"), broken);
    let lines = &format!(
        "\
mail/signed.eml:36:1: part 3 skipped; {ENCRYPTED}
{}; 1 {PART_SKIPPED}
{}",
        words::changed(1, 1),
        words::sum(&[(3, REWRITTEN), (1, words::CORRECT)])
    );
    assert_eq!(run.stderr.trim_end(), lines, "{run}");
}

#[test]
fn what_is_signed_within_itself_stays() {
    let message = |reference: &str| {
        format!(
            "Content-Base: http://h/\nContent-Type: text/html\n\n<pre>\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n\
             <a href={reference}>\n-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----\n"
        )
    };
    let lines = &format!(
        "\
-:4:1: part 1 skipped; {SIGNED}
{}; 1 {PART_SKIPPED}
{}",
        words::changed(1, 0),
        words::sum(&[(1, words::CORRECT), (1, words::IN_SEALED_PARTS)])
    );
    check("absolutize", &message("a"), &message("a"), lines);
    let lines = &format!(
        "\
{}
{}",
        words::changed(1, 1),
        words::sum(&[(1, REWRITTEN), (1, words::CORRECT)])
    );
    check("absolutize --break-signatures", &message("a"), &message("http://h/a"), lines);
}

#[test]
fn what_is_encrypted_stays() {
    let message = "Content-Base: http://h/\nContent-Type: multipart/mixed; boundary=o\n\n--o\n\
                   Content-Type: multipart/encrypted; protocol=\"application/pgp-encrypted\"; boundary=b\n\n--b\n\
                   Content-Type: application/pgp-encrypted\n\nVersion: 1\n--b\nContent-Type: application/octet-stream\n\n\
                   -----BEGIN PGP MESSAGE-----\n--b--\n--o\nContent-Type: application/pkcs7-mime\n\n<a href=a>\n--o--\n";
    let lines = &format!(
        "\
-:7:1: part 1 skipped; {ENCRYPTED}
-:19:1: part 2 skipped; {ENCRYPTED}
{}; 2 parts skipped
{}",
        words::changed(1, 0),
        words::sum(&[(1, words::CORRECT)])
    );
    check("absolutize", message, message, lines);
    check("absolutize --break-signatures", message, message, lines);
    let lines = lines.replace(words::CORRECT, words::OUT_OF_TREE);
    check("relativize --base http://h/", message, message, &lines);
}

#[test]
fn what_is_reported_to_be_left_is_left() {
    let message = "Content-Type: multipart/encrypted; boundary=b\n\n--b\nContent-Type: text/html\n\n<a href=a>\n--b--\n";
    let run = TestDir::new()
        .pipe("absolutize - --type message/rfc822 --base http://h/", message.as_bytes())
        .exits(0);
    assert!(!run.stderr.contains("part  "), "{run}");
    run.prints(message);
}

#[test]
fn dkim_is_counted_or_kept() {
    let dir = TestDir::with_fixture("mail");
    let text = dir.text("mail/dkim.eml");
    let run = dir.relink("absolutize mail/dkim.eml -o out.eml").exits(0);
    assert_eq!(dir.text("out.eml"), text.replace("\"a.html\"", &format!("\"{HERE}a.html\"")));
    let lines = &format!("\
{}
{}
1 signature of DKIM or ARC is invalid now; the signed content was changed; use `--keep-dkim` to skip such messages, or `-n -v` to list them", words::changed(1, 1), words::sum(&[(1, REWRITTEN), (1, words::CORRECT)]));
    assert_eq!(run.stderr.trim_end(), lines, "{run}");

    let run = dir.relink("absolutize mail/dkim.eml -o kept.eml --keep-dkim").exits(0);
    assert_eq!(dir.text("kept.eml"), text);
    let lines = &format!(
        "\
mail/dkim.eml:10:1: part 1 skipped; it is signed by DKIM or ARC; remove `--keep-dkim` to edit it
{}; 1 part skipped
{}",
        words::changed(1, 0),
        words::sum(&[(2, words::IN_SEALED_PARTS)])
    );
    assert_eq!(run.stderr.trim_end(), lines, "{run}");
    let run = dir.relink("absolutize mail/dkim.eml --dry-run -v").exits(0);
    let line = &format!("mail/dkim.eml:1:1: its signature (DKIM, ARC) is {SEAL_INVALID}\n");
    assert!(run.stderr.starts_with(line), "{run}");
    // Nothing is broken where nothing changes.
    let run = dir.relink("absolutize out.eml -o again.eml").exits(0);
    assert!(!run.stderr.contains("DKIM"), "{run}");
}

/// What is around a message in a message is free; what is in it is not.
#[test]
fn the_seal_of_a_message_is_its_own() {
    let message = |outer: &str, inner: &str| {
        format!(
            "Content-Base: http://h/\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<a href={outer}>\n\
             --b\nContent-Type: message/rfc822\n\nARC-Message-Signature: i=1\nContent-Type: text/html\n\n<a href={inner}>\n--b--\n"
        )
    };
    let lines = &format!(
        "\
-:14:1: part 2.1 skipped; {SIGNED_BY_DKIM}
{}; 1 {PART_SKIPPED}
{}",
        words::changed(1, 1),
        words::sum(&[(1, REWRITTEN), (1, words::CORRECT), (1, words::IN_SEALED_PARTS)])
    );
    check("absolutize --keep-dkim", &message("a", "b"), &message("http://h/a", "b"), lines);
    let lines = &format!(
        "\
{}
{}
1 signature of DKIM or ARC is {SEAL_INVALID}, or `-n -v` {TO_LIST_THEM}",
        words::changed(1, 1),
        words::sum(&[(2, REWRITTEN), (1, words::CORRECT)])
    );
    check("absolutize", &message("a", "b"), &message("http://h/a", "http://h/b"), lines);
    let lines = &format!(
        "\
{}
{}",
        words::changed(1, 1),
        words::sum(&[(1, REWRITTEN), (2, words::CORRECT)])
    );
    check("absolutize", &message("a", "http://x/"), &message("http://h/a", "http://x/"), lines);
}

#[test]
fn counted_parts_stay() {
    let dir = TestDir::with_fixture("mail");
    let text = dir.text("mail/checksum.eml");
    let run = dir.relink("absolutize mail/checksum.eml -o out.eml").exits(0);
    assert_eq!(dir.text("out.eml"), text.replace("\"b.html\"", &format!("\"{HERE}b.html\"")));
    let lines = &format!(
        "\
mail/checksum.eml:11:1: part 1 skipped; it has a checksum, which an edit would make wrong
{}; 1 {PART_SKIPPED}
{}",
        words::changed(1, 1),
        words::sum(&[(1, REWRITTEN), (1, words::CORRECT), (1, words::IN_SEALED_PARTS)])
    );
    assert_eq!(run.stderr.trim_end(), lines, "{run}");
    for name in ["Content-Digest", "Repr-Digest", "digest"] {
        let message = format!(
            "{name}: sha-256=:AAAA:\nContent-Base: http://h/\nContent-Type: text/html\n\n<a href=a>\n"
        );
        let run = TestDir::new().pipe("absolutize - --type message/rfc822 -q", message.as_bytes());
        run.exits(0).prints(&message);
    }
}

#[test]
fn unknown_transfer_encodings_stay() {
    let message = |encoding: &str| {
        format!(
            "Content-Base: http://h/\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\
             Content-Transfer-Encoding: {encoding}\n\n<a href=a>\n--b\nContent-Type: text/html\n\n<a href=b>\n--b--\n"
        )
    };
    let lines = &format!(
        "\
-:8:1: part 1 skipped; unsupported or invalid transfer encoding
{}; 1 {PART_SKIPPED}
{}",
        words::changed(1, 1),
        words::sum(&[(1, REWRITTEN), (1, words::CORRECT)])
    );
    for encoding in ["x-uuencode", "quoted printable", "8-bit"] {
        let message = message(encoding);
        check("absolutize", &message, &message.replace("=b>", "=http://h/b>"), lines);
    }
    let lines = &format!(
        "\
{}
{}",
        words::changed(1, 1),
        words::sum(&[(2, REWRITTEN), (1, words::CORRECT)])
    );
    for encoding in ["7BIT", "8bit", "binary", " (a comment) 7bit (another)"] {
        let message = message(encoding);
        let expected = message.replace("=b>", "=http://h/b>").replace("=a>", "=http://h/a>");
        check("absolutize", &message, &expected, lines);
    }
}
