//! Mailboxes: what their messages become, with counts and names made right; what is not touched;
//! diffs; runs in place.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::dir::{Node, Run, TestDir};
use crate::words::{self, TO_LIST_THEM, UNSUPPORTED};

/// The file of the fixtures, made absolute with `-o`, is the old one with these texts exchanged; a
/// second run changes nothing.
#[track_caller]
fn check(name: &str, changes: &[(&str, &str)]) -> Run {
    let dir = TestDir::with_fixture("mail");
    let mut expected = dir.text(format!("mail/{name}"));
    for (old, new) in changes {
        assert_eq!(expected.matches(old).count(), 1, "{old}");
        expected = expected.replace(old, new);
    }
    let run = dir.relink(&format!("absolutize mail/{name} -o out")).exits(0);
    assert_eq!(dir.text("out"), expected, "{run}");
    let extension = name.rsplit('.').next().unwrap_or_default();
    fs::rename(dir.path("out"), dir.path(format!("out.{extension}"))).unwrap();
    dir.relink(&format!("absolutize out.{extension} -o again -q")).exits(0);
    assert_eq!(dir.text("again"), expected);
    run
}

#[test]
fn mboxrd_keeps_its_quotes() {
    let changes = [
        ("\"1.html\"", "\"http://one.example/1.html\""),
        ("=2.html", "=http://one.example/2.html"),
        ("\"3.html\"", "\"http://three.example/3.html\""),
    ];
    let run = check("mboxrd.mbox", &changes);
    assert!(run.stderr.starts_with(&format!("{}\n", words::changed(3, 2))), "{run}");
    assert!(!run.stderr.contains("updated"), "{run}");
}

#[test]
fn mboxcl_counts_octets_again() {
    // 47 bytes, and twice the base: 23 for the first, 18 for the path from the root.
    let changes = [
        ("\"1.html\"", "\"http://one.example/dir/1.html\""),
        ("\"/2.html\"", "\"http://one.example/2.html\""),
        ("Content-Length: 47", "Content-Length: 88"),
    ];
    let run = check("mboxcl.mbox", &changes);
    assert!(run.has_line("1 length or checksum updated"), "{run}");
}

#[test]
fn a_wrong_count_is_made_right() {
    let mailbox = |length: &str, reference: &str| {
        format!(
            "From a@b Mon Mar  1 08:00:00 2004\nContent-Length: {length}\nContent-Base: http://h/\n\
             Content-Type: text/html\n\n<a href={reference}>\n\n"
        )
    };
    let dir = TestDir::new();
    // Some writers count the empty line at the end too, some not even the line end before it. A
    // count that is wrong could come to fit where a later message ends.
    for (old, new) in
        [("11", "20"), ("12", "21"), ("10", "19"), ("9", "20"), ("13", "20"), ("x", "x"), ("", "")]
    {
        dir.file("a.mbox", mailbox(old, "a"));
        dir.relink("absolutize a.mbox -o - -q").exits(0).prints(mailbox(new, "http://h/a"));
    }
    // Outside a mailbox the field is none of a mailbox.
    let message = "Content-Length: 11\nContent-Type: text/html\n\n<a href=a>\n";
    dir.file("a.eml", message);
    let run = dir.relink("absolutize a.eml -o - -q --base http://h/").exits(0);
    run.prints(message.replace("=a>", "=http://h/a>"));
}

#[test]
fn mmdf_and_emlx() {
    let first = ("\"1.html\"", "\"http://one.example/1.html\"");
    check("two.mmdf", &[first, ("\"2.html\"", "\"http://two.example/2.html\"")]);
    // 115 bytes and 19 more, in as many columns as before.
    let run = check("4711.emlx", &[first, ("115       \n", "134       \n")]);
    assert!(run.has_line("1 length or checksum updated"), "{run}");
}

#[test]
fn a_mailbox_is_what_its_messages_are() {
    let dir = TestDir::with_fixture("mail");
    let names = [
        "newsletter.eml",
        "nested-bases.eml",
        "base64-message.eml",
        "digest.eml",
        "signed.eml",
        "dkim.eml",
        "utf-16.eml",
        "words-and-folds.eml",
    ];
    for (jobs, command) in [(1, "absolutize"), (4, "absolutize"), (2, "relativize")] {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for name in names {
            let separator = b"From a@b.example Mon Mar  1 08:00:00 2004\n";
            let message = dir.bytes(format!("mail/{name}"));
            let run = dir.relink(&format!("{command} mail/{name} -o - -q"));
            old.extend([&separator[..], &message, b"\n"].concat());
            new.extend([&separator[..], &run.stdout, b"\n"].concat());
        }
        dir.file("all.mbox", &old);
        let run = dir.relink(&format!("{command} all.mbox -o out.mbox --force -q -j {jobs}"));
        assert_eq!(dir.text("out.mbox"), String::from_utf8_lossy(&new), "{run}");
    }
}

#[test]
fn names_in_a_maildir_have_the_new_sizes() {
    let dir = TestDir::with_fixture("mail");
    let old = "1078128000.M1P2.light,S=115,W=121";
    let message = dir.text(format!("mail/maildir/cur/{old}"));
    let expected = message.replace("\"1.html\"", "\"http://one.example/1.html\"");
    // 19 bytes more, and no more lines.
    let new = "1078128000.M1P2.light,S=134,W=140";
    let other = "new/1078128001.M2P2.light,S=73,W=78";
    dir.relink("absolutize mail/maildir -o out -q").exits(0);
    assert_eq!(dir.text(format!("out/cur/{new}")), expected);
    assert!(!dir.has(format!("out/cur/{old}")) && dir.has(format!("mail/maildir/cur/{old}")));
    assert_eq!(dir.text(format!("out/{other}")), dir.text(format!("mail/maildir/{other}")));

    let untouched = dir.tree(format!("mail/maildir/{other}"));
    dir.relink("absolutize mail/maildir -i -q").exits(0);
    assert_eq!(dir.text(format!("mail/maildir/cur/{new}")), expected);
    assert!(!dir.has(format!("mail/maildir/cur/{old}")));
    assert_eq!(dir.tree(format!("mail/maildir/{other}")), untouched);
    let tree = dir.tree("mail/maildir");
    dir.relink("absolutize mail/maildir -i -q").exits(0);
    assert!(dir.tree("mail/maildir") == tree, "a second run changes nothing");
}

#[cfg(unix)]
#[test]
fn flags_in_a_maildir_stay() {
    let message = "Content-Base: http://h/\nContent-Type: text/html\n\n<a href=a>\n";
    let dir = TestDir::new();
    let name = |n_octets: usize| format!("box/cur/1.M1P2.light,S={n_octets}:2,RS");
    dir.file(name(message.len()), message);
    dir.directory("box/new");
    dir.directory("box/tmp");
    dir.relink("absolutize box -i -q").exits(0);
    let expected = message.replace("=a>", "=http://h/a>");
    assert_eq!(dir.text(name(expected.len())), expected);
    assert!(!dir.has(name(message.len())));
}

/// A backup has the old name, with its suffix; a message in `tmp` is not one yet.
#[test]
fn backups_in_a_maildir() {
    let message = "Content-Base: http://h/\nContent-Type: text/html\n\n<a href=a>\n";
    let dir = TestDir::with(&[("box/new/1.M1P2.light,S=60", message), ("box/tmp/2", message)]);
    assert_eq!(message.len(), 60);
    dir.directory("box/cur");
    dir.relink("absolutize box -i --backup -q --exclude tmp/**").exits(0);
    assert_eq!(dir.text("box/new/1.M1P2.light,S=60.orig"), message);
    assert!(dir.has("box/new/1.M1P2.light,S=69") && !dir.has("box/new/1.M1P2.light,S=60"));
    assert_eq!(dir.text("box/tmp/2"), message);
}

#[cfg(unix)]
#[test]
fn in_place_nothing_is_touched_that_does_not_change() {
    use std::os::unix::fs::MetadataExt;
    let dir = TestDir::with_fixture("mail");
    dir.relink("absolutize mail -o done -q").exits(0);
    let inode = |name: &str| fs::metadata(dir.path(name)).unwrap().ino();
    let names = ["done/mboxrd.mbox", "done/two.mmdf", "done/4711.emlx", "done/saved-page.mhtml"];
    // The times of directories say about temporary files.
    let files = || -> BTreeMap<PathBuf, Node> {
        let is_file = |node: &Node| matches!(node, Node::File { .. });
        dir.tree("done").into_iter().filter(|(_, node)| is_file(node)).collect()
    };
    let (before, tree) = (names.map(inode), files());
    let run = dir.relink("absolutize done -i --backup --format json").exits(0);
    assert_eq!(run.summary()["changed"], 0, "{run}");
    assert_eq!(names.map(inode), before);
    assert!(files() == tree, "{run}");
    // One that changes is written over in one step, and the old one kept.
    let old = dir.bytes("mail/mboxrd.mbox");
    dir.relink("absolutize mail/mboxrd.mbox -i --backup -q").exits(0);
    assert_eq!(dir.bytes("mail/mboxrd.mbox"), dir.bytes("done/mboxrd.mbox"));
    assert_eq!(dir.bytes("mail/mboxrd.mbox.orig"), old);
    // What was kept is no mailbox.
    let run = dir.relink("absolutize mail -i --backup -q").exits(0);
    assert_eq!(dir.bytes("mail/mboxrd.mbox.orig"), old, "{run}");
    assert!(!dir.has("mail/mboxrd.mbox.orig.orig"));
}

#[test]
fn a_dry_run_writes_nothing() {
    let dir = TestDir::with_fixture("mail");
    let tree = dir.tree("mail");
    let run = dir.relink("absolutize mail --dry-run --exit-code").exits(1).prints("");
    // All but those that have nothing to do, or no base: two messages of mailboxes, one in the
    // Maildir, and one MHTML.
    assert!(run.stderr.contains(&words::would_change(25, 21)), "{run}");
    assert_eq!(dir.tree("mail"), tree);
}

/// `patch` makes of the old files what `-o` writes.
#[cfg(unix)]
#[test]
fn diffs_of_mailboxes_can_be_applied() {
    if !crate::tools::has("patch", &["--version"]) {
        return;
    }
    let dir = TestDir::with_fixture("mail");
    // Names that change, and charsets that are no text to `patch`, are left out.
    let files = "--exclude maildir/** --exclude iso-2022-jp.eml";
    for command in ["absolutize", "relativize --base http://one.example/"] {
        let run = dir.relink(&format!("{command} mail {files} --diff -q"));
        fs::write(dir.path("the.diff"), &run.stdout).unwrap();
        dir.relink(&format!("{command} mail {files} -o out --force -q"));
        Command::new("cp")
            .args(["-r", "mail", "patched"])
            .current_dir(dir.path("."))
            .status()
            .unwrap();
        let patch = Command::new("patch")
            .args(["-p1", "--binary", "--batch", "-i", "../the.diff"])
            .current_dir(dir.path("patched"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(patch.status.success(), "{}{run}", String::from_utf8_lossy(&patch.stdout));
        for name in ["mboxrd.mbox", "mboxcl.mbox", "two.mmdf", "4711.emlx", "saved-page.mhtml"] {
            let [patched, expected] =
                ["patched", "out"].map(|directory| dir.text(format!("{directory}/{name}")));
            assert_eq!(patched, expected, "{name}{run}");
        }
        fs::remove_dir_all(dir.path("patched")).unwrap();
    }
}

#[test]
fn lines_of_a_mailbox_that_would_end_a_message_are_not_made() {
    let message = |from: &str, encoding: &str, text: &str| {
        format!("{from}Content-Type: text/html\n{encoding}\n<a href=\n{text}\n\n")
    };
    let from = "From a@b Mon Mar  1 08:00:00 2004\n";
    let old = "http://h/From title=x>";
    let dir = TestDir::new();
    dir.file("a.mbox", message(from, "", old));
    let run = dir.relink("relativize a.mbox --base http://h/ -o -").exits(0);
    assert!(run.stderr.contains("1 that cannot be written in their place"), "{run}");
    run.prints(message(from, "", old));
    dir.file("a.eml", message("", "", old));
    let run = dir.relink("relativize a.eml --base http://h/ -o - -q").exits(0);
    run.prints(message("", "", "From title=x>"));
}

#[test]
fn several_mailboxes_and_pages_in_one_run() {
    let dir = TestDir::with_fixture("mail");
    dir.file("mail/page.html", "<a href=x>");
    let run = dir.relink("refs mail --base http://h/ -q").exits(0);
    assert!(run.text().contains("mail/page.html:1:9: a[href] x -> http://h/x\n"), "{run}");
    // A message without a base has that of its file.
    let line = "mail/relative-locations-no-base.mhtml:10:11: img[src] page_files/a.gif -> http://h/page_files/a.gif";
    assert!(run.text().contains(line), "{run}");
    assert!(run.text().contains("mail/saved-page.mhtml:52:13: a[href] mast.html"), "{run}");
}

/// A message of a mailbox with a base and a reference, and what becomes of it.
fn with_base(separator: &str, host: &str, reference: &str) -> String {
    format!(
        "{separator}X-Mozilla-Status: 0001\nContent-Base: http://{host}/\n\
         Content-Type: text/html\n\n<a href={reference}>\n"
    )
}

#[test]
fn a_separator_without_an_empty_line_before_it_separates() {
    let separator = "From - Mon Jun  3 12:50:27 1996\n";
    let file = |a: &str, b: &str, c: &str| {
        let [one, two, three] =
            [("one", a), ("two", b), ("three", c)].map(|(host, x)| with_base(separator, host, x));
        format!("{one}From here we go\n{two} \t\n{three}")
    };
    let dir = TestDir::with(&[("a.mbox", &file("x", "x", "x"))]);
    let run = dir.relink("absolutize a.mbox -o out --strict").exits(0);
    assert_eq!(dir.text("out"), file("http://one/x", "http://two/x", "http://three/x"), "{run}");
    assert!(run.has_line(&words::changed(3, 3)), "{run}");
    let summary = &format!(
        "2 messages have no empty line before the separator; use `-n -v` {TO_LIST_THEM}\n"
    );
    assert!(run.stderr.contains(summary), "{run}");
    let run = dir.relink("absolutize a.mbox -o - -v").exits(0);
    for (line, number) in [(9, 2), (16, 3)] {
        let listed = format!(
            "a.mbox:{line}:1: message {number} has no empty line before its separator; \
             it is read as a message because a header field follows\n"
        );
        assert!(run.stderr.contains(&listed), "{listed}{run}");
    }
    assert!(run.has_line("2 messages have no empty line before the separator"));
    // Written over in place, and put back.
    dir.relink("absolutize a.mbox -i -q").exits(0);
    assert_eq!(dir.text("a.mbox"), file("http://one/x", "http://two/x", "http://three/x"));
    // A separator after an empty line is nothing to report.
    dir.file("b.mbox", ["one", "two"].map(|host| with_base(separator, host, "x")).join("\n"));
    let run = dir.relink("absolutize b.mbox -o - -v").exits(0);
    assert!(run.has_line(&words::changed(2, 2)), "{run}");
    assert!(!run.stderr.contains("empty line"), "{run}");
}

/// Thunderbird writes nothing else in the line that begins a message.
#[test]
fn each_message_after_a_line_without_a_sender_has_its_own_base() {
    for line_end in ["\n", "\r\n"] {
        let file = |one: &str, two: &str, three: &str| {
            let all =
                [("From \n", "one", one), ("From - \n", "two", two), ("From \n", "three", three)];
            let all = all.map(|(separator, host, x)| with_base(separator, host, x));
            // A body ends with its multipart, and with text.
            let multipart = |message: &str, host: &str| {
                message.replace(
                    "Content-Type: text/html\n\n",
                    &format!("Content-Type: multipart/mixed; boundary={host}\n\n--{host}\nContent-Type: text/html\n\n"),
                ) + &format!("--{host}--\n")
            };
            format!("{}{}\n{}", multipart(&all[0], "one"), all[1], all[2]).replace('\n', line_end)
        };
        let files = ["Inbox", "a.mbox", "Sent.2023"].map(|name| (name, file("x", "x", "x")));
        let dir = TestDir::new();
        files.iter().for_each(|(name, text)| dir.file(format!("mail/{name}"), text));
        let run = dir.relink("absolutize mail -o out").exits(0);
        assert!(run.has_line(&words::changed(9, 9)), "{run}");
        for (name, _) in files {
            let expected = file("http://one/x", "http://two/x", "http://three/x");
            assert_eq!(dir.text(format!("out/{name}")), expected, "{name}");
        }
    }
}

#[test]
fn text_outside_of_messages_is_reported() {
    let file = format!("See http://h/.\n\n{}", with_base("From \n", "one", "x"));
    let dir = TestDir::with(&[("mail/a.mbox", &file), ("mail/b.mbox", "no message\n")]);
    for command in ["absolutize mail -o out", "refs mail", "bases mail", "check mail"] {
        let run = dir.relink(command);
        for name in ["a", "b"] {
            let line = "1:1: text outside of messages; its references are not read";
            assert!(run.has_line(&format!("mail/{name}.mbox:{line}")), "{command}: {run}");
        }
    }
    assert_eq!(dir.text("out/a.mbox"), file.replace("href=x", "href=http://one/x"));
}

#[test]
fn an_index_next_to_a_file_says_that_it_is_a_mailbox() {
    let text =
        "From \nX-Account-Key: a\nContent-Base: http://h/\nContent-Type: text/html\n\n<a href=x>\n";
    let dir = TestDir::with(&[
        ("mail/Drafts", text),
        ("mail/Sent", text),
        ("mail/Sent.msf", ""),
        ("mail/Trash", "text\n"),
        ("mail/Trash.msf", ""),
    ]);
    let run = dir.relink("refs mail --format json").exits(0);
    let found: Vec<&str> = run.text().lines().filter(|line| line.contains("http://h/x")).collect();
    assert_eq!(found.len(), 1, "{run}");
    assert!(found[0].contains("\"path\":\"Sent\""), "{run}");
}

/// A group of Usenet in one file, without an extension.
#[test]
fn an_archive_of_usenet_is_as_many_messages_as_it_holds() {
    let message = |number: &str, host: &str, reference: &str| {
        format!(
            "From {number}\nX-Google-Language: ENGLISH,ASCII-7-bit\nContent-Base: http://{host}/\n\
             Content-Type: text/html\n\n<a href={reference}>\n\n"
        )
    };
    for line_end in ["\n", "\r\n"] {
        let file = |a, b, c| {
            let one = message("6103345283479340288", "one", a);
            let two = message("-5322109842107641288", "two", b);
            let three = message("8421076412889012", "three", c);
            format!("{one}{two}{three}").replace('\n', line_end)
        };
        let dir = TestDir::with(&[("group/comp.lang.c", &file("x", "x", "x"))]);
        let run = dir.relink("absolutize group -o out").exits(0);
        assert!(run.has_line(&words::changed(3, 3)), "{run}");
        let expected = file("http://one/x", "http://two/x", "http://three/x");
        assert_eq!(dir.text("out/comp.lang.c"), expected);
    }
}

#[test]
fn formats_of_mail_that_are_not_read_are_counted() {
    let dir = TestDir::new();
    let outlook = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
    let mbx = b"*mbx*\r\n4d5e6f7000000002\r\n";
    let babyl = b"BABYL OPTIONS: -*- rmail -*-\nVersion: 5\nLabels:\n\x1F";
    let unsupported: [(&str, &[u8]); 10] = [
        ("RMAIL", babyl),
        ("a.dbx", b"x"),
        ("a.mbox", mbx),
        ("a.mbx", mbx),
        ("a.msg", outlook),
        ("a.olm", b"PK"),
        ("a.ost", b"!BDN"),
        ("a.pst", b"!BDN"),
        ("b", outlook),
        ("c", mbx),
    ];
    for (name, bytes) in unsupported {
        dir.file(format!("mail/{name}"), bytes);
    }
    // Of other programs, or of none.
    for (name, bytes) in [("a.doc", &outlook[..]), ("empty.msg", b""), ("z", b"BABYL")] {
        dir.file(format!("mail/{name}"), bytes);
    }
    let message = |x: &str| {
        format!(
            "From: a@b\nMIME-Version: 1.0\nX-URL: http://h/\nContent-Base: http://h/\nContent-Type: text/html\n\n<a href={x}>\n"
        )
    };
    let eudora = |x: &str| format!("From ???@??? Thu Jan 01 00:00:00 1998\n{}", message(x));
    dir.file("mail/letter.msg", message("x"));
    dir.file("mail/In.mbx", eudora("x"));
    let run = dir.relink("absolutize mail -o out -v").exits(0);
    assert!(
        run.stderr
            .contains(&format!("{}, 10 unsupported files; 3 other files", words::changed(2, 2))),
        "{run}"
    );
    for (name, bytes) in unsupported {
        assert!(run.has_line_with(&format!("mail/{name}: {UNSUPPORTED}: ")), "{name} {run}");
        assert_eq!(dir.bytes(format!("out/{name}")), bytes, "{name}");
    }
    assert_eq!(dir.text("out/letter.msg"), message("http://h/x"));
    assert_eq!(dir.text("out/In.mbx"), eudora("http://h/x"));
    dir.relink("refs mail/a.mbx --strict")
        .exits(1)
        .reports(&format!("mail/a.mbx: {UNSUPPORTED}: mbx mailbox\n"));
}
