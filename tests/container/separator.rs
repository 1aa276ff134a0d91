//! Which lines begin a message in an mbox.

use super::messages;
use relink::container::Mbox;

const FIRST: &str = "From - Thu Aug 23 09:10:23 2018\nA: 1\n\none\n\n";

/// How many messages there are, with the line after an empty line, and another after it.
fn n_messages(line: &str, next: &str) -> usize {
    messages(&Mbox, &format!("{FIRST}{line}\n{next}\n\ntext\n")).len()
}

#[track_caller]
fn check(line: &str, is_before_prose: bool, is_before_field: bool) {
    assert_eq!(n_messages(line, "Thus it was:") == 2, is_before_prose, "{line} before prose");
    assert_eq!(n_messages(line, "Subject: b") == 2, is_before_field, "{line} before a field");
}

#[test]
fn a_full_date_is_enough() {
    for line in [
        "From - Thu Aug 23 09:10:23 2018",
        "From MAILER-DAEMON Fri Jul  8 12:08:34 2011",
        "From ???@??? Thu Jan 01 00:00:00 1998",
        "From a-return-14700-b=example.org@example.org Mon Jun 01 04:28:28 2009",
        "From 1844347792267117879@xxx Fri Sep 26 17:18:40 +0000 2025",
        "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001",
        "From me at example.org  Mon Jun  1 04:28:28 2009",
        "From \"a b\"@example.org Mon Jun  1 04:28:28 2009",
        "From  Mon Jun  1 04:28:28 2009",
        "From <> Mon Jun  1 04:28:28 2009",
        "From\u{20}root Mon Jun  1 04:28 2009",
        "From me Mon Jun  1 04:28:28 PDT 2009",
        "From me Mon Jun  1 04:28:28 2009 -0700 (PDT)",
        "From me@example.org Mon, 1 Jun 2009 04:28:28 +0000",
        "From me@example.org 1 Jun 2009 04:28:28 GMT",
        "From me@example.org Mon, 1 Jun 98 04:28:28 GMT",
        "From me@example.org 2009-06-01 04:28:28",
        "From me@example.org 2009-06-01T04:28:28Z",
        "From uucp Mon Jun  1 04:28 1987 remote from seismo",
    ] {
        check(line, true, true);
    }
}

#[test]
fn less_needs_a_field_after_it() {
    for line in [
        "From id@xxx",
        "From 1844347792267117879@xxx",
        "From -",
        "From - ",
        "From MAILER-DAEMON",
        "From ",
        "From - Mon Jan 06",
        "From root Mon Jun  1",
        "From me@example.org 2009.06.01",
        "From me@example.org Lun Giu  1 04:28:28 2009",
        "From me@example.org Mon Jun  1 2009",
    ] {
        check(line, false, true);
    }
}

#[test]
fn prose_begins_no_message() {
    for line in [
        "From what I hear",
        "From what I hear, this is true.",
        "From",
        "From:",
        "From  ",
        "From Monday on",
        "From Mon to Fri 10:00 we are there",
        "From 10 to 12 people",
        "From 2009 to 2010",
        "From 2009-06-01 on it was so",
        "From Mon Jun 1 04:28:28 2009 on it was so",
        "From version 2 on",
        "From page 12 Jan writes",
        "From John",
        "From John Smith 1 Jun 2009",
        "From me@example.org:",
        "From me@example.org, who wrote",
        "From me@example.org I have this",
        "From one to the other of us and then on to some more it was on Mon Jun 1 04:28:28 2009",
        "from - Thu Aug 23 09:10:23 2018",
        ">From - Thu Aug 23 09:10:23 2018",
        " From - Thu Aug 23 09:10:23 2018",
        "From\t- Thu Aug 23 09:10:23 2018",
    ] {
        check(line, false, false);
    }
}

#[test]
fn what_is_no_field() {
    for next in ["http://example.org/", "two words: 1", ": 1", "", "\u{e9}: 1"] {
        assert_eq!(n_messages("From id@xxx", next), 1, "{next}");
    }
    for next in ["A: 1", "A : 1", "X-A_b!:1", ">From me Mon Jun 1 04:28 1987 remote from seismo"] {
        assert_eq!(n_messages("From id@xxx", next), 2, "{next}");
    }
    assert_eq!(n_messages("From id@xxx", &format!("{}: 1", "n".repeat(200))), 1);
}

#[test]
fn a_long_line_begins_no_message() {
    let line = |n_octets: usize| format!("From {} Thu Aug 23 09:10:23 2018", "a".repeat(n_octets));
    check(&line(900), true, true);
    check(&line(1100), false, false);
}

#[test]
fn the_first_line_of_a_file_may_be_any() {
    let first =
        |line: &str, next: &str| messages(&Mbox, &format!("{line}\n{next}\n\ntext\n")).len();
    assert_eq!(first("From someone on some day", "Subject: b"), 1);
    assert_eq!(first("From someone on some day", "it came."), 0);
}

/// How many messages there are in an archive of Usenet with such a line after an empty line, and
/// with it after text; another line follows it.
fn n_in_archive(line: &str, next: &str) -> [usize; 2] {
    const FIRST: &str = "From 6103345283479340288\nX-Google-Language: ENGLISH,ASCII-7-bit\n\none\n";
    ["\n", ""]
        .map(|between| messages(&Mbox, &format!("{FIRST}{between}{line}\n{next}\n\ntext\n")).len())
}

#[test]
fn numbers_separate_where_the_first_line_has_one() {
    for number in ["6103345283479340288", "-6103345283479340288", "6103345283479340288 "] {
        let line = format!("From {number}");
        assert_eq!(n_in_archive(&line, "Path: a!b"), [2, 2], "{line}");
        assert_eq!(n_in_archive(&line, "Thus it was:"), [1, 1], "{line}");
        check(&line, false, false);
    }
    // A short number may be one of prose.
    assert_eq!(n_in_archive("From 2018", "Path: a!b"), [2, 1]);
    assert_eq!(n_in_archive("From 2018", "X-Google-Thread: 114c65,24fe0e8f1e8b1ad9"), [2, 2]);
    for line in ["From --12", "From 12 13", "From 12a", "From 1,200", "From -"] {
        let is_other = usize::from(line == "From -");
        assert_eq!(n_in_archive(line, "Path: a!b"), [1 + is_other, 1], "{line}");
    }
    // All other separators do too.
    assert_eq!(n_in_archive("From - Thu Aug 23 09:10:23 2018", "Subject: b"), [2, 2]);
}
