//! What files are by how they begin.

use relink::container::sniff::{HEAD, SniffedFormat, of_content};

#[track_caller]
fn check(head: &str, expected: Option<SniffedFormat>) {
    assert_eq!(of_content(head.as_bytes()), expected, "{head:?}");
    let head = head.replace('\n', "\r\n");
    assert_eq!(of_content(head.as_bytes()), expected, "{head:?}");
}

#[test]
fn messages() {
    for head in [
        "Return-Path: <a@b>\nReceived: from c\n by d\nSubject: e\n\nbody",
        "From: <Saved by Blink>\nSnapshot-Content-Location: http://a/\nSubject: b\nMIME-Version: 1.0\nContent-Type: multipart/related;\n\tboundary=\"c\"\n\n",
        "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b",
        "From: me@example.org\nTo: you@example.org\n\n",
        "Path: a!b!not-for-mail\nFrom: me\nNewsgroups: c.d\n\nbody",
        "Path: a!b\nSubject: c\n\n",
        "X-Odd: 1\nDelivered-To: a\nDate: Mon, 1 Jun 2009 04:28:28 +0000\n",
        "\u{FEFF}Received: a\nFrom: b\n\n",
        "received: a\nFrom: b\n\nno: field",
        "Received: a\nFrom: b\nno field",
    ] {
        check(head, if head.ends_with("no field") { None } else { Some(SniffedFormat::Message) });
    }
}

#[test]
fn a_head_that_is_cut() {
    let mut head = "Received: a\nSubject: b\nX-Long: ".to_owned();
    head.push_str(&"c".repeat(HEAD));
    check(&head, Some(SniffedFormat::Message));
    let start = format!("Received: a\nSubject: b\nX-Long: {}\n", "c".repeat(900));
    let cut = format!("{start}{}", "D".repeat(HEAD));
    assert_eq!(of_content(cut.as_bytes()), Some(SniffedFormat::Message));
    let cut = format!("{start}no field\n{}", "D".repeat(HEAD));
    assert_eq!(of_content(cut.as_bytes()), None);
}

#[test]
fn mailboxes() {
    for head in [
        "From - Thu Aug 23 09:10:23 2018\nX-Mozilla-Status: 0001\n",
        "From a@b Thu Aug 23 09:10:23 2018\n>From c Thu Aug 23 09:10:23 2018 remote from d\n",
        "From 1844347792267117879@xxx\nMIME-Version: 1.0\n",
        "From 6103345283479340288\nX-Google-Language: ENGLISH,ASCII-7-bit\n",
        "From -6103345283479340288\nPath: a!b\n",
        "From -1\nX-Google-Thread: 114c65,24fe0e8f1e8b1ad9\n",
        "\u{FEFF}From - Thu Aug 23 09:10:23 2018\nFrom: a\n",
        "\nFrom - Thu Aug 23 09:10:23 2018\nFrom: a\n",
        "From \nX-Mozilla-Status: 0001\nX-Mozilla-Status2: 00000000\n",
        "\u{FEFF}From \nFrom: me@example.org\nSubject: a\n\nbody",
    ] {
        check(head, Some(SniffedFormat::Mbox));
    }
    for head in [
        "From what I hear\nNote: this is no mailbox\n",
        "From - Thu Aug 23 09:10:23 2018\nprose\n",
        "From 6103345283479340288\nprose\n",
        "From 6103345283479340288 on\nNote: this is no mailbox\n",
        "From 2018\nNote: this is no mailbox\n",
        "From - Thu Aug 23 09:10:23 2018",
        "From ",
        "From \nNote: this is no mailbox\n",
        "From \nFrom: here\nTo: there\n",
    ] {
        check(head, None);
    }
    check("\u{1}\u{1}\u{1}\u{1}\nReceived: a\n", Some(SniffedFormat::Mmdf));
    check("\u{1}\u{1}\u{1}\u{1}", None);
    check("\u{1}\u{1}\u{1}\u{1}\u{1}\n", None);
}

#[test]
fn other_texts() {
    for head in [
        "",
        "\n",
        "\nReceived: a\nSubject: b\n\n",
        " Received: a\nSubject: b\n\n",
        // HTTP
        "HTTP/1.1 200 OK\nDate: Mon, 01 Jun 2009 04:28:28 GMT\nContent-Type: text/html\nFrom: a@b\n\n",
        "Date: Mon, 01 Jun 2009 04:28:28 GMT\nContent-Type: text/html\nETag: \"a\"\n\n",
        "Date: Mon, 01 Jun 2009 04:28:28 GMT\nContent-Type: text/html\n\n",
        "GET / HTTP/1.1\nHost: a\nFrom: a@b\n\n",
        "Host: a\nFrom: a@example.org\nSubject: b\nReceived: c\n\n",
        // Source
        "#include <a.h>\nFrom: a@b\nTo: c@d\n",
        "from: a@b\nimport: b\n",
        "//! Received: a\n//! Subject: b\n",
        "switch (a) {\ncase 1:\n  Received: b();\n}\n",
        "label:\n\tSubject: goto label;\n",
        // RFC
        "Network Working Group                        P. Resnick, Editor\nRequest for Comments: 5322\nObsoletes: 2822\n\nReceived: a\nFrom: b@c\n",
        "\n\n\n\nInternet Engineering Task Force (IETF)\nFrom: b@c\nReceived: a\n",
        // YAML, and text of names and values
        "---\nfrom: a@b.c\nto: d@e.f\nsubject: g\n---\n",
        "date: 2009-06-01\npath: /a/b\nsubject: c\nfrom: me@example.org\n",
        "Subject: a\nDate: today\nStatus: open\n\ntext",
        "From: here\nTo: there\nDate: 2009-06-01\n",
        "From: a@example.org\nname: b\n- c\n",
        "From: a@example.org\nColor: b\n\n",
        "Received: a\nSubject: b\u{0}\n\n",
        // Packages
        "Package: a\nVersion: 1\nMaintainer: B <b@example.org>\nFrom: c@example.org\nReceived: d\n",
        "Format: 1.8\nDate: Mon, 01 Jun 2009 04:28:28 +0000\nSource: a\nBinary: b\nArchitecture: all\nMaintainer: a <a@b>\n",
        "Metadata-Version: 2.1\nName: a\nSummary: b\nKeywords: c\nAuthor-email: d@e\n\n",
        "Manifest-Version: 1.0\nCreated-By: 1\n\n",
        "BEGIN:VCALENDAR\nVERSION:2.0\nSUMMARY:a\nSTATUS:b\n",
        "commit 0123\nAuthor: A <a@b>\nDate:   Mon Jun 1\n\n    Subject: b\n",
    ] {
        check(head, None);
    }
}

#[test]
fn nothing_panics() {
    let parts = [
        "From ",
        "\n",
        "\r",
        ": ",
        "Received",
        "a",
        " ",
        "\u{1}\u{1}\u{1}\u{1}",
        "Thu Aug 23 09:10:23 2018",
        "\u{FEFF}",
        ":",
        "@",
    ];
    for seed in 0..20_000 {
        let bytes = super::generate::Random::new(seed).some(&parts, 30);
        of_content(&bytes);
    }
}
