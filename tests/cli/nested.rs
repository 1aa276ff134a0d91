//! Containers in one another, in every command. Python makes and judges them
//! (`tests/cli/nested.py`).

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};

use crate::dir::TestDir;
use crate::tools;
use crate::words::{self, UNSUPPORTED};
use crate::zip_file::{stored, zip};

/// Runs `tests/cli/nested.py`, and returns what it prints; `None` if there is no Python.
#[track_caller]
fn python(dir: &TestDir, args: &[&str]) -> Option<String> {
    if !tools::has("python3", &["--version"]) {
        return None;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/nested.py");
    let mut command = Command::new("python3");
    let run = command.arg(script).args(args).current_dir(dir.path(".")).output().unwrap();
    let report = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{args:?}: {report}");
    Some(String::from_utf8(run.stdout).unwrap())
}

/// One gzip member.
fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A zip file of stored members.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    zip(members.iter().map(|(name, text)| (*name, *text, None))).0
}

/// A message of a mailbox with this page.
fn message(page: &str) -> String {
    format!("From a@b.example Thu Aug 23 09:10:23 2018\nContent-Type: text/html\n\n{page}\n\n")
}

const LINK: &str = "<a href=x>";

#[test]
fn python_finds_every_target_at_every_depth() {
    let dir = TestDir::new();
    let n_cases = std::env::var("RELINK_CASES").unwrap_or("20".into());
    let Some(_) = python(&dir, &["make", "t", &n_cases]) else { return };
    let base = "--base http://h/t/ --also zip";
    let run = dir.relink(&format!("refs t {base}")).exits(0);
    let mut found: Vec<String> = Vec::new();
    for line in run.text().lines() {
        let (place, rest) = line.split_once(": ").unwrap();
        let path = place.rsplitn(3, ':').last().unwrap();
        found.push(format!("{path} {}", rest.rsplit(' ').next().unwrap()));
    }
    let targets = python(&dir, &["targets", "t", "http://h/t/"]).unwrap();
    let mut expected: Vec<&str> = targets.lines().collect();
    found.sort();
    expected.sort_unstable();
    assert_eq!(found, expected);

    dir.relink(&format!("absolutize t -o out -q {base}")).exits(0);
    let judge = |old, new, to, command| {
        let counts = python(&dir, &["judge", old, new, "http://h/t/", to, command]).unwrap();
        let (n_targets, n_edited) = counts.trim().split_once(' ').unwrap();
        assert_eq!(n_targets, expected.len().to_string());
        assert_ne!(n_edited, "0");
    };
    judge("t", "out", "http://h/t/", "absolutize");
    dir.relink(&format!("move t -o moved -q --from http://h/t/ --to http://g/u/ {base}")).exits(0);
    judge("t", "moved", "http://g/u/", "move");
    dir.relink(&format!("relativize out -o back -q {base}")).exits(0);
    judge("out", "back", "http://h/t/", "relativize");
    // Again, nothing changes; in place, and back.
    dir.relink(&format!("absolutize out -o again -q {base}")).exits(0);
    let files = |top: &str| {
        let names = std::fs::read_dir(dir.path(top)).unwrap();
        let names = names.map(|name| name.unwrap().file_name().into_string().unwrap());
        let names: BTreeSet<String> = names.filter(|name| !name.starts_with('.')).collect();
        let file = |name: String| (dir.bytes(format!("{top}/{name}")), name);
        names.into_iter().map(file).collect::<Vec<_>>()
    };
    let (old, new) = (files("t"), files("out"));
    assert!(files("again") == new);
    dir.relink(&format!("absolutize t -i -q {base}")).exits(0);
    assert!(files("t") == new);
    dir.relink("undo t -q").exits(0);
    assert!(files("t") == old);
}

#[test]
fn each_level_has_a_place_in_every_command() {
    let dir = TestDir::new();
    let boxed = [message(LINK), message("<a href=d/y>")].concat();
    let inner = archive(&[("d/a.html", LINK.as_bytes()), ("m.mbox", boxed.as_bytes())]);
    let file = archive(&[("in/b.zip", &inner), ("z.mbox.gz", &gzip(boxed.as_bytes()))]);
    dir.file("t/x.zip", &file);
    let refs = "t/x.zip!in/b.zip!d/a.html:1:9: a[href] x -> http://h/x.zip/in/b.zip/d/x\n\
         t/x.zip!in/b.zip!m.mbox:4:9: a[href] x -> http://h/x.zip/in/b.zip/x\n\
         t/x.zip!in/b.zip!m.mbox:9:9: a[href] d/y -> http://h/x.zip/in/b.zip/d/y\n\
         t/x.zip!z.mbox.gz:4:9: a[href] x -> http://h/x.zip/x\n\
         t/x.zip!z.mbox.gz:9:9: a[href] d/y -> http://h/x.zip/d/y\n";
    dir.relink("refs t/x.zip --base http://h/x.zip").exits(0).prints(refs);
    let run = dir.relink("refs t --base http://h/ --also zip --format json").exits(0);
    assert!(run.text().contains("\"path\":\"x.zip!in/b.zip!m.mbox\",\"unit\":2"), "{run}");
    let run = dir.relink("bases t --base http://h/ --also zip").exits(0);
    assert!(run.text().contains("t/x.zip!in/b.zip!m.mbox"), "{run}");
    let run = dir.relink("check t --base http://h/ --also zip").exits(1);
    assert!(run.stderr.contains("5 no-file"), "{run}");
    let run = dir.relink("absolutize t --base http://h/ --also zip --diff -q").exits(0);
    let names = "--- a/x.zip!in/b.zip!m.mbox\n+++ b/x.zip!in/b.zip!m.mbox\n";
    assert_eq!(run.text().matches(names).count(), 1, "{run}");
    let run = dir.relink("absolutize t --base http://h/ --also zip --diff=git -q").exits(2);
    assert!(run.has_line_with("t/x.zip!in/b.zip!m.mbox: message 1 skipped; a patch for"), "{run}");
    let out = "absolutize t -o out --manifest m.jsonl --base http://h/ --also zip -q";
    dir.relink(out).exits(0);
    dir.relink("verify out --manifest m.jsonl").exits(0);
    // In place, and back.
    let run = dir.relink("absolutize t -i --base http://h/ --also zip").exits(0);
    assert!(run.has_line_with(&words::changed(5, 5)), "{run}");
    let run = dir.relink("refs t --base http://h/ --also zip").exits(0);
    assert!(run.text().contains("m.mbox:9:9: a[href] http://h/x.zip/in/b.zip/d/y\n"), "{run}");
    dir.relink("undo t -q").exits(0);
    assert!(dir.bytes("t/x.zip") == file);
    // Renamed.
    dir.relink("mv --tree t t/x.zip t/s/y.zip --base http://h/ --also zip -q").exits(0);
    let run = dir.relink("refs t --base http://h/ --also zip").exits(0);
    assert!(run.text().contains(" x -> http://h/s/y.zip/in/b.zip/d/x\n"), "{run}");
}

#[test]
fn check_knows_the_members_of_members() {
    let dir = TestDir::new();
    let page = "<a href=c.html#y><a href=c.html><a href=../b.html><a href=n.html>";
    let inner = stored(&[("a.html", page), ("c.html", "<p id=x>")]).0;
    dir.file("t/x.zip", archive(&[("d.zip", &inner), ("b.html", b"<a href=d.zip/a.html>")]));
    for path in ["t --also zip", "t/x.zip"] {
        let run = dir.relink(&format!("check {path} --fragments")).exits(1);
        let lines: Vec<&str> = run.text().lines().collect();
        assert!(
            matches!(lines[..], [fragment, missing]
            if fragment.contains("x.zip!d.zip!a.html:1:9: a[href] c.html#y: ")
            && missing.contains("x.zip!d.zip!a.html:1:59: a[href] n.html: ")),
            "{run}"
        );
    }
}

#[test]
fn a_mailbox_in_gzip_keeps_the_members_without_a_change() {
    let dir = TestDir::new();
    let [first, second, third] =
        ["<a href=http://o/>", LINK, "<p>"].map(|page| gzip(message(page).as_bytes()));
    let file = [&*first, &second, &third].concat();
    dir.file("t/m.mbox.gz", &file);
    dir.relink("absolutize t -i -q --base http://h/").exits(0);
    let new = dir.bytes("t/m.mbox.gz");
    assert!(new.starts_with(&first) && new.ends_with(&third));
    let run = dir.relink("refs t").exits(0);
    assert!(run.text().ends_with("t/m.mbox.gz:9:9: a[href] http://h/x\n"), "{run}");
    dir.relink("undo t -q").exits(0);
    assert!(dir.bytes("t/m.mbox.gz") == file);
    // Positions in an extra field would be wrong.
    let bgzip = [b"\x1F\x8B\x08\x04\0\0\0\0\0\xFF\x06\0BC\x02\0\x10\0", &second[10..]].concat();
    dir.file("t/m.mbox.gz", &bgzip);
    let run = dir.relink("absolutize t -i --base http://h/").exits(2);
    assert!(run.has_line_with("t/m.mbox.gz: skipped; its extra field 'BC'"), "{run}");
    assert!(run.has_line_with(&words::changed(1, 0)), "{run}");
    assert!(dir.bytes("t/m.mbox.gz") == bgzip);
}

/// What a dry run compresses is seen nowhere, and need not be short.
#[test]
fn a_dry_run_says_what_the_run_says() {
    let page = format!("{}{LINK}", "some text ".repeat(500));
    let mut deflated = DeflateEncoder::new(Vec::new(), Compression::best());
    deflated.write_all(page.as_bytes()).unwrap();
    let deflated = deflated.finish().unwrap();
    let (inner, _) = zip([("a.html", page.as_bytes(), Some(&deflated[..]))]);
    let dir = TestDir::new();
    dir.file("t/a.zip", &inner);
    dir.file("t/b.zip", archive(&[("in.zip", &inner), ("c.html.gz", &gzip(page.as_bytes()))]));
    dir.file("t/d.html.gz", gzip(page.as_bytes()));
    let said = |how: &str| {
        let line = format!("absolutize t --base http://h/t/ --also zip --format json {how}");
        let run = dir.relink(&line).exits(0);
        let counts = &run.stderr;
        assert!(counts.contains("12 lengths or checksums updated"), "{counts}");
        let is_same = |line: &&str| ["message", "summary"].iter().all(|kind| !line.contains(kind));
        run.text().lines().filter(is_same).collect::<Vec<_>>().join("\n")
    };
    let dry = said("-n");
    assert_eq!(dry.matches(r#""new_text":"http://h/t/"#).count(), 4, "{dry}");
    assert_eq!(dry, said("-i"));
}

#[test]
fn what_is_not_read_in_an_archive_is_named_and_copied() {
    let dir = TestDir::new();
    let broken = b"PK\x03\x04".to_vec();
    let warc = b"WARC/1.0\r\n\r\n".to_vec();
    let members: [(&str, &[u8]); 5] = [
        ("a.tar.gz", &gzip(b"x")),
        ("b.zip", &broken),
        ("c.warc", &warc),
        ("d.docx", b"\xD0\xCF\x11\xE0"),
        ("e.html", LINK.as_bytes()),
    ];
    dir.file("t/x.zip", archive(&members));
    let run = dir.relink("absolutize t -o out --base http://h/ --also zip -v").exits(2);
    for name in ["a.tar.gz", "c.warc", "d.docx"] {
        assert!(run.has_line_with(&format!("t/x.zip!{name}: {UNSUPPORTED}")), "{name}: {run}");
    }
    assert!(run.has_line_with("t/x.zip!b.zip: skipped; it cannot be read as a zip"), "{run}");
    let counts = format!("{}, 1 failed, 3 unsupported files", words::changed(1, 1));
    assert!(run.has_line_with(&counts), "{run}");
    let expected = [&members[..4], &[("e.html", b"<a href=http://h/x.zip/x>")]].concat();
    assert!(dir.bytes("out/x.zip") == archive(&expected));
}

#[test]
fn limits_are_sums_over_all_levels() {
    let dir = TestDir::new();
    let page = [("a.html", LINK.as_bytes())];
    let mut file = archive(&page);
    for _ in 0..3 {
        file = archive(&[("b.zip", &file), ("c.html", LINK.as_bytes())]);
    }
    dir.file("x.zip", &file);
    dir.relink("refs x.zip").exits(0);
    let deepest = "x.zip!b.zip!b.zip!b.zip";
    let run = dir.relink("refs x.zip --limit archive-depth=3").exits(0);
    let hint = format!("hint: 1 too deeply nested archive was not read, {deepest}; ");
    assert!(run.has_line_with(&(hint + "use `--limit archive-depth=VALUE`")), "{run}");
    for (limit, most, path, reason) in [
        ("archive-members", "6", deepest, "it has more than 6 members; "),
        ("archive-directory", "400", deepest, "its directory is larger than 400; "),
    ] {
        let run = dir.relink(&format!("refs x.zip --limit {limit}={most}")).exits(2);
        run.reports(&format!("{path}: skipped; {reason}{}\n", words::raise(limit)));
    }
    // No level is in memory.
    let limit = "--limit document-size=100";
    dir.relink(&format!("refs x.zip {limit}")).exits(0);
    dir.relink(&format!("absolutize x.zip -o o --base http://h/ {limit}")).exits(0);
    // Each level alone would be within the ratio.
    let deflated = |text: &[u8]| {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    let page = [LINK.as_bytes(), &vec![b' '; 8 << 20]].concat();
    let many: Vec<u8> = zip([("a.html", &page[..], Some(&*deflated(&page)))]).0;
    let many = [&many[..]; 1].concat();
    let inner = archive(&[("b.zip", &many), ("pad", &vec![b' '; 64 << 10])]);
    dir.file("y.zip", zip([("c.zip", &inner[..], Some(&*deflated(&inner)))]).0);
    dir.file("z.zip", &many);
    dir.relink("refs z.zip --limit compression-ratio=1100").exits(0);
    let run = dir.relink("refs y.zip --limit compression-ratio=1100").exits(2);
    run.reports(&format!(
        "y.zip!c.zip!b.zip!a.html: skipped; it decompresses to more than 1100 times its size; {}\n",
        words::raise("compression-ratio")
    ));
}

/// Sixteen files in each of sixteen zip files, and so on: the members of all that are opened are
/// counted, so that the work has a limit.
#[test]
fn a_bomb_of_zip_files_opens_a_limited_number_of_members() {
    /// The number of pages that are read before the limit, with this number of members left.
    fn n_pages(depth: usize, left: &mut usize) -> usize {
        if *left < 16 {
            return 0;
        }
        *left -= 16;
        if depth == 1 { 16 } else { (0..16).map(|_| n_pages(depth - 1, left)).sum() }
    }
    let dir = TestDir::new();
    let sixteen = |extension: &str, text: &[u8]| {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text).unwrap();
        let data = encoder.finish().unwrap();
        let names: Vec<String> = (0..16).map(|number| format!("{number}.{extension}")).collect();
        zip(names.iter().map(|name| (&**name, text, Some(&*data)))).0
    };
    let mut file = sixteen("html", LINK.as_bytes());
    for _ in 1..6 {
        file = sixteen("zip", &file);
    }
    dir.file("x.zip", &file);
    for most in [100, 3_000] {
        let limits = format!("--limit archive-depth=6 --limit archive-members={most}");
        for command in ["refs", "absolutize -n -v"] {
            let run = dir.relink(&format!("{command} x.zip --base http://h/x.zip {limits}"));
            let run = run.exits(2);
            let expected = n_pages(6, &mut most.clone());
            let is_found = match command {
                "refs" => run.text().lines().count() == expected,
                _ => run.has_line_with(&format!("{expected} documents, ")),
            };
            assert!(is_found, "{most}: {expected} {run}");
        }
    }
}

#[test]
fn a_book_in_a_web_archive_is_read() {
    let dir = TestDir::new();
    let book = archive(&[
        ("META-INF/container.xml", b"<container><rootfiles><rootfile full-path='O/p.opf' media-type='application/oebps-package+xml'/></rootfiles></container>"),
        ("O/p.opf", b"<package xmlns='http://www.idpf.org/2007/opf'><manifest><item href='a.html' media-type='text/html'/></manifest></package>"),
        ("O/a.html", b"<a href='http://o/'>"),
    ]);
    let record = |kind: &str, media_type: &str, block: &[u8]| {
        let head = format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://h/d/b.epub\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\n\r\n",
            block.len()
        );
        [head.as_bytes(), block, b"\r\n\r\n"].concat()
    };
    let head =
        b"HTTP/1.1 200 OK\r\nContent-Type: application/epub+zip\r\nContent-Encoding: gzip\r\n\r\n";
    let response = [&head[..], &gzip(&book)].concat();
    let first = record("response", "application/http; msgtype=response", &response);
    let second = record("resource", "application/epub+zip", &book);
    dir.file("x.warc", [&*first, &second].concat());
    let second = first.len();
    dir.relink("refs x.warc").exits(0).prints(format!(
        "x.warc:0!O/p.opf:1:69: opf item[href] a.html -> http://h/d/b.epub/O/a.html\n\
         x.warc:0!O/a.html:1:10: a[href] http://o/\n\
         x.warc:{second}!O/p.opf:1:69: opf item[href] a.html -> http://h/d/b.epub/O/a.html\n\
         x.warc:{second}!O/a.html:1:10: a[href] http://o/\n"
    ));
    // The archive in a zip file, and in one more.
    let zipped = archive(&[("y.zip", &archive(&[("x.warc", &dir.bytes("x.warc"))]))]);
    dir.file("z.zip", zipped);
    let run = dir.relink("refs z.zip").exits(0);
    assert!(
        run.text().contains("z.zip!y.zip!x.warc:0!O/a.html:1:10: a[href] http://o/\n"),
        "{run}"
    );
    assert_eq!(run.text().lines().count(), 4, "{run}");
}

#[test]
fn standard_input_may_be_a_zip_file() {
    let dir = TestDir::new();
    let file = archive(&[("b.zip", &archive(&[("a.html", LINK.as_bytes())]))]);
    let run = dir.pipe("refs - --also zip --base http://h/x.zip", &file).exits(0);
    run.prints("-!b.zip!a.html:1:9: a[href] x -> http://h/x.zip/b.zip/x\n");
    let run = dir.pipe("absolutize - --also zip --base http://h/x.zip -q", &file).exits(0);
    dir.file("y.zip", &run.stdout);
    let run = dir.relink("refs y.zip").exits(0);
    run.prints("y.zip!b.zip!a.html:1:9: a[href] http://h/x.zip/b.zip/x\n");
    let run = dir.pipe("refs - --also zip --limit document-size=100", &file).exits(2);
    assert!(run.stderr.contains("it is larger than 100; "), "{run}");
}
