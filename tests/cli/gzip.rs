//! gzip files of documents: what changes in them and what stays, in every command. The output is
//! read by flate2's own reader of gzip, by Python's and by `gzip`; the program uses none of them.

use std::io::{Read, Write};
use std::process::Command;

use flate2::read::MultiGzDecoder;
use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};

use crate::dir::TestDir;
use crate::tools;
use crate::words::{self, GZIP_MEMBER, UNSUPPORTED};

const PAGE: &str = "<p>\n<a href=\"b.html\">b</a><img src=\"/c.png\">\n";
const ABSOLUTE: &str = "<p>\n<a href=\"http://h/d/b.html\">b</a><img src=\"http://h/c.png\">\n";
const BASE: &str = "--base http://h/d";

/// The shortest header: no name, no time, level 6, Unix.
const PLAIN: &[u8] = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";

/// A member with this header.
fn member(header: &[u8], text: &str) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(header.to_vec(), Compression::new(6));
    encoder.write_all(text.as_bytes()).unwrap();
    let mut member = encoder.finish().unwrap();
    let mut crc = Crc::new();
    crc.update(text.as_bytes());
    member.extend(crc.sum().to_le_bytes());
    member.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
    member
}

fn gz(text: &str) -> Vec<u8> {
    member(PLAIN, text)
}

/// The text of all members, by a reader that accepts nothing after them.
#[track_caller]
fn text_of(file: &[u8]) -> String {
    let mut text = String::new();
    MultiGzDecoder::new(file).read_to_string(&mut text).expect("gzip");
    text
}

/// A header with every field, and its own checksum.
fn full_header(extra_flags: u8) -> Vec<u8> {
    let mut header = b"\x1f\x8b\x08\x1f\x01\x02\x03\x04".to_vec();
    header.extend([extra_flags, 7]);
    header.extend(b"\x08\0XX\x04\0abcd");
    header.extend(b"a b.html\0a comment\0");
    let mut crc = Crc::new();
    crc.update(&header);
    header.extend(&crc.sum().to_le_bytes()[..2]);
    header
}

/// A tree of documents in gzip files, with other files.
fn tree() -> TestDir {
    let dir = TestDir::new();
    dir.file("t/a.html.gz", gz(PAGE));
    dir.file("t/b.CSS.GZ", gz("a { b: url(x.png) }"));
    dir.file("t/c.svgz", gz("<svg xmlns='http://www.w3.org/2000/svg'><a href='x'/></svg>"));
    let rss = "<rss><channel><item><title>t</title><link>x</link></item></channel></rss>";
    dir.file("t/feed.xml.gz", gz(rss));
    dir.file("t/feed.html.gz", gz(&rss.replace("<link>x", "<link>y")));
    dir.file("t/d.html.gz?v=2", gz("<a href=x>"));
    dir.file("t/same.html.gz", gz("<a href=http://g/>"));
    dir.file("t/e.png.gz", gz("<a href=x>"));
    dir.file("t/f.gz", gz("<a href=x>"));
    dir.file("t/g.html.gz.gz", gz("<a href=x>"));
    dir.file("t/h.mbox.gz", gz("From - Thu Aug 23 09:10:23 2018\nSubject: 1\n\n<a href=x>\n"));
    dir.file("t/i.txt.gz", gz("http://h/"));
    dir
}

#[test]
fn documents_are_found_by_the_name_without_gz() {
    let dir = tree();
    let run = dir.relink(&format!("absolutize t {BASE} -o out")).exits(0);
    assert!(run.has_line(&format!("{}, 4 unsupported files", words::changed(8, 6))), "{run}");
    assert!(run.has_line("12 lengths or checksums updated"), "{run}");
    for (name, text) in [
        ("a.html.gz", ABSOLUTE),
        ("b.CSS.GZ", "a { b: url(http://h/d/x.png) }"),
        ("c.svgz", "<svg xmlns='http://www.w3.org/2000/svg'><a href='http://h/d/x'/></svg>"),
        (
            "feed.xml.gz",
            "<rss><channel><item><title>t</title><link>http://h/d/x</link></item></channel></rss>",
        ),
        (
            "feed.html.gz",
            "<rss><channel><item><title>t</title><link>http://h/d/y</link></item></channel></rss>",
        ),
        ("d.html.gz?v=2", "<a href=http://h/d/x>"),
    ] {
        assert_eq!(text_of(&dir.bytes(format!("out/{name}"))), text, "{name}");
    }
    for name in ["same.html.gz", "e.png.gz", "f.gz", "g.html.gz.gz", "h.mbox.gz", "i.txt.gz"] {
        assert!(dir.bytes(format!("out/{name}")) == dir.bytes(format!("t/{name}")), "{name}");
    }
    // The text is the old one again; how it is compressed may differ.
    dir.relink(&format!("relativize out {BASE} -o back -q")).exits(0);
    let back = ABSOLUTE.replace("http://h/d/b.html", "b.html");
    assert_eq!(text_of(&dir.bytes("back/a.html.gz")), back);
    // Nothing is left to do, so nothing is compressed again.
    dir.relink(&format!("absolutize out {BASE} -o again -q")).exits(0);
    for name in ["a.html.gz", "b.CSS.GZ", "c.svgz"] {
        assert_eq!(dir.bytes(format!("again/{name}")), dir.bytes(format!("out/{name}")));
    }
    let run = dir.relink("refs t/i.txt.gz --also text").exits(0);
    run.prints("t/i.txt.gz:1:1: text URL http://h/\n");
}

#[test]
fn other_programs_read_what_is_written() {
    let dir = tree();
    dir.file("t/big.html.gz", gz(&PAGE.repeat(20_000)));
    dir.file("t/full.html.gz", member(&full_header(2), PAGE));
    dir.relink(&format!("absolutize t {BASE} -o out -q")).exits(0);
    let names = ["a.html.gz", "c.svgz", "big.html.gz", "full.html.gz"];
    if tools::has("gzip", &["--version"]) {
        for name in names {
            let run = Command::new("gzip").arg("-t").arg(dir.path(format!("out/{name}"))).output();
            let run = run.unwrap();
            assert!(run.status.success() && run.stderr.is_empty(), "{name}: {run:?}");
        }
    }
    if tools::has("python3", &["--version"]) {
        let script = "import gzip, sys; sys.stdout.buffer.write(gzip.open(sys.argv[1]).read())";
        for name in names {
            let path = dir.path(format!("out/{name}"));
            let run = Command::new("python3").args(["-c", script]).arg(path).output().unwrap();
            let text = String::from_utf8(run.stdout).unwrap();
            assert_eq!(text, text_of(&dir.bytes(format!("out/{name}"))), "{name}");
        }
    }
    assert!(text_of(&dir.bytes("out/big.html.gz")) == ABSOLUTE.repeat(20_000));
}

#[test]
fn the_header_and_what_follows_the_last_member_stay() {
    let dir = TestDir::new();
    let rest = b"\0\0\0\0 not gzip";
    for extra_flags in [0, 2, 4] {
        let header = full_header(extra_flags);
        dir.file("a.html.gz", [member(&header, PAGE), rest.to_vec()].concat());
        dir.relink("absolutize a.html.gz --base http://h/d/a.html.gz -o o.gz -q --force").exits(0);
        let new = dir.bytes("o.gz");
        assert!(new.starts_with(&header), "{extra_flags}");
        let file = new.strip_suffix(rest).expect("the rest");
        assert_eq!(text_of(file), ABSOLUTE);
    }
}

#[test]
fn the_level_is_that_of_the_header() {
    let dir = TestDir::new();
    let text: String =
        (0..5000_u32).map(|n| format!("{} ", n.wrapping_mul(2_654_435_761))).collect();
    let len = |extra_flags: u8| {
        let mut header = PLAIN.to_vec();
        header[8] = extra_flags;
        dir.file("a.html.gz", member(&header, &format!("<a href=x>{text}")));
        dir.relink("absolutize a.html.gz --base http://h/ -o o.gz -q --force").exits(0);
        dir.bytes("o.gz").len()
    };
    let (fastest, unknown, best) = (len(4), len(0), len(2));
    assert!(fastest > unknown.max(best) && unknown != best, "{fastest} {unknown} {best}");
}

#[test]
fn members_without_a_change_keep_their_bytes() {
    let first = member(&full_header(4), "<p>\n");
    let last = member(&full_header(2), "<p>last");
    let dir = TestDir::new();
    let make = |middle: &[u8]| [&first[..], &gz(""), middle, &last, b"tail"].concat();
    dir.file("a.html.gz", make(&gz("<a href=x>")));
    dir.relink("absolutize a.html.gz --base http://h/ -o o.gz -q").exits(0);
    let new = dir.bytes("o.gz");
    let middle = new
        .strip_prefix(&[&first[..], &gz("")].concat()[..])
        .and_then(|rest| rest.strip_suffix(&[&last[..], b"tail"].concat()[..]))
        .unwrap_or_else(|| panic!("{}", new.escape_ascii()));
    assert_eq!(text_of(middle), "<a href=http://h/x>");
    // A reference over a bound: what replaces it is in the member where it begins.
    let parts = ["<a href=", "one", "/two>", "<a href=three>"];
    dir.file("a.html.gz", parts.map(gz).concat());
    let run = dir.relink("refs a.html.gz --base http://h/").exits(0);
    run.prints(
        "a.html.gz:1:9: a[href] one/two -> http://h/one/two\na.html.gz:1:25: a[href] three -> http://h/three\n",
    );
    dir.relink("absolutize a.html.gz --base http://h/ -o o.gz -q --force").exits(0);
    let new = dir.bytes("o.gz");
    assert!(new.starts_with(&gz("<a href=")));
    assert_eq!(text_of(&new), "<a href=http://h/one/two><a href=http://h/three>");
}

#[test]
fn commands_that_read_show_the_text() {
    let dir = TestDir::new();
    dir.file("t/a.html.gz", gz("<p>\n <a href=b.html.gz><a href=none.html><a href='#q'>"));
    dir.file("t/b.html.gz", gz("<base href=/e/>"));
    let run = dir.relink(&format!("refs t {BASE}")).exits(0);
    run.prints(
        "t/a.html.gz:2:10: a[href] b.html.gz -> http://h/d/b.html.gz\n\
         t/a.html.gz:2:28: a[href] none.html -> http://h/d/none.html\n\
         t/a.html.gz:2:47: a[href] #q -> http://h/d/a.html.gz#q\n\
         t/b.html.gz:1:12: base[href] /e/ -> http://h/e/\n",
    );
    let run = dir.relink(&format!("refs t/a.html.gz {BASE}/a.html.gz --format json")).exits(0);
    let first = run.text().lines().next().unwrap();
    assert!(first.contains(r#""unit":null"#) && first.contains(r#""span":[13,22]"#), "{first}");
    let run = dir.relink(&format!("bases t {BASE} --format json")).exits(0);
    assert!(run.text().contains(r#""base":"http://h/d/a.html.gz""#), "{run}");
    assert!(run.text().contains(r#""base":"http://h/e/""#), "{run}");
    // Links to a gzip file find it under its own name.
    dir.file("t/b.html.gz", gz("<p>"));
    let run = dir.relink(&format!("check t {BASE}")).exits(1);
    assert!(run.text().starts_with("t/a.html.gz:2:28: a[href] none.html: "), "{run}");
    assert_eq!(run.text().lines().count(), 1, "{run}");
    let run = dir.relink(&format!("check t {BASE} --fragments")).exits(1);
    assert!(run.text().contains("t/a.html.gz:2:47: a[href] #q: "), "{run}");
}

#[test]
fn a_diff_shows_the_text() {
    let dir = TestDir::new();
    dir.file("t/a.html.gz", gz(PAGE));
    let tree = dir.tree("t");
    let run = dir.relink(&format!("absolutize t {BASE} --diff -q")).exits(0);
    run.prints(format!(
        "--- a/a.html.gz\n+++ b/a.html.gz\n@@ -1,2 +1,2 @@\n <p>\n-{}\n+{}\n",
        PAGE.lines().nth(1).unwrap(),
        ABSOLUTE.lines().nth(1).unwrap()
    ));
    assert!(dir.tree("t") == tree);
}

#[test]
fn standard_input_and_types_that_are_set() {
    let dir = TestDir::new();
    let run = dir.pipe(
        "absolutize - --type application/gzip --base http://h/ -q",
        &gz("<!DOCTYPE html><a href=x>"),
    );
    assert_eq!(text_of(&run.stdout), "<!DOCTYPE html><a href=http://h/x>");
    let other = gz("no document");
    dir.pipe("absolutize - --type application/gzip --base http://h/ -q", &other).prints(&other);
    dir.file("a.packed", gz("<!DOCTYPE html><a href=x>"));
    let run =
        dir.relink("absolutize a.packed --type packed=application/gzip --base http://h/ -o - -q");
    assert_eq!(text_of(&run.stdout), "<!DOCTYPE html><a href=http://h/x>");
    dir.file("a.php.gz", gz("<a href=x>"));
    let run = dir.relink("absolutize a.php.gz --type php=text/html --base http://h/ -o - -q");
    assert_eq!(text_of(&run.stdout), "<a href=http://h/x>");
}

#[test]
fn header_sections_next_to_it_give_its_base() {
    let dir = TestDir::with(&[("t/a.html.gz.headers", "Content-Base: http://i/e/\n")]);
    dir.file("t/a.html.gz", gz("<a href=x>"));
    let run = dir.relink(&format!("refs t/a.html.gz {BASE}")).exits(0);
    run.prints("t/a.html.gz:1:9: a[href] x -> http://i/e/x\n");
}

/// Files that are not valid, and the reason.
fn damaged() -> Vec<(&'static str, Vec<u8>)> {
    let change = |header: &[u8], from_end: Option<usize>, idx: usize| {
        let mut file = member(header, PAGE);
        let idx = from_end.map_or(idx, |n| file.len() - n);
        file[idx] ^= 0x40;
        file
    };
    let cut = |n: usize| gz(PAGE)[..n].to_vec();
    let checksum = "is damaged: its checksum is wrong";
    let n_file = gz(PAGE).len();
    vec![
        ("at byte 0 has an unknown method of compression", change(PLAIN, None, 2)),
        ("at byte 0 has unknown flags", change(PLAIN, None, 3)),
        (
            "at byte 0 is damaged: the checksum of its header is wrong",
            change(&full_header(0), None, 5),
        ),
        ("at byte 0 is damaged: its checksum is wrong", change(PLAIN, Some(8), 0)),
        ("at byte 0 is damaged: its size is wrong", change(PLAIN, Some(4), 0)),
        ("at byte 0 is damaged", [PLAIN, &[7; 40]].concat()),
        ("at byte 0 is incomplete", cut(2)),
        ("at byte 0 is incomplete", cut(9)),
        ("at byte 0 is incomplete", cut(20)),
        ("at byte 0 is incomplete", cut(n_file - 1)),
        ("at byte 0 is incomplete", cut(n_file - 9)),
        ("at byte 0 is incomplete", full_header(0)[..20].to_vec()),
        ("at byte 0 is incomplete", b"\x1f\x8b\x08\x04\0\0\0\0\0\x03\xff\xff".to_vec()),
        (checksum, [gz(PAGE), change(PLAIN, Some(8), 0)].concat()),
        ("is incomplete", [gz(PAGE), b"\x1f\x8b".to_vec()].concat()),
    ]
}

#[test]
fn a_damaged_file_is_skipped_and_reported() {
    for (reason, file) in damaged() {
        let dir = TestDir::with(&[("t/b.html", "<a href=x>")]);
        dir.file("t/a.html.gz", &file);
        let run = dir.relink(&format!("absolutize t {BASE} -o out -q")).exits(2).prints("");
        let start = &format!("t/a.html.gz: skipped; {GZIP_MEMBER} ");
        assert!(run.stderr.starts_with(start), "{reason}{run}");
        assert!(run.stderr.ends_with(&format!("{reason}\n")), "{reason}{run}");
        assert_eq!(run.stderr.lines().count(), 1, "{run}");
        assert!(dir.bytes("out/a.html.gz") == file);
        assert_eq!(dir.text("out/b.html"), "<a href=http://h/d/x>");
        for command in ["refs", "bases", "check"] {
            let run = dir.relink(&format!("{command} t {BASE}")).exits(2);
            assert!(run.has_line_with(start), "{run}");
        }
        let run = dir.relink(&format!("absolutize t {BASE} -i -q")).exits(2);
        assert!(run.has_line_with(start), "{run}");
        assert!(dir.bytes("t/a.html.gz") == file);
    }
    // Without the magic number it is no gzip file, whatever its name says.
    let dir = TestDir::with(&[("a.html.gz", "<a href=x>")]);
    let run = dir.relink("absolutize a.html.gz --base http://h/ -o - -q").exits(0);
    run.prints("<a href=x>");
    let run = dir.relink("refs a.html.gz --base http://h/").exits(0).prints("");
    assert!(run.has_line_with(&format!("a.html.gz: {UNSUPPORTED}")), "{run}");
}

#[test]
fn what_decompresses_to_too_much_is_skipped() {
    let dir = TestDir::new();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![b' '; 40 << 20]).unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 50_000, "{}", bomb.len());
    dir.file("t/a.html.gz", &bomb);
    let skipped = |limits: &str, reason: &str| {
        let run = dir.relink(&format!("absolutize t --base http://h/ -o out -q --force {limits}"));
        let run = run.exits(2);
        assert_eq!(run.stderr, format!("t/a.html.gz: skipped; {reason}\n"), "{run}");
        assert!(dir.bytes("out/a.html.gz") == bomb);
    };
    skipped(
        "",
        &format!(
            "it decompresses to more than 500 times its size; {}",
            words::raise("compression-ratio")
        ),
    );
    let too_large = &format!("it is larger than 1M; {}", words::raise("document-size"));
    skipped("--limit compression-ratio=none --limit document-size=1M", too_large);
    // So is a file that is larger before it is decompressed.
    let too_large = &format!("it is larger than 1K; {}", words::raise("document-size"));
    skipped("--limit document-size=1K", too_large);
    let raised = "--limit compression-ratio=none";
    dir.relink(&format!("absolutize t --base http://h/ -o out -q --force {raised}")).exits(0);
    let raised = "--limit compression-ratio=2000";
    dir.relink(&format!("absolutize t --base http://h/ -o out -q --force {raised}")).exits(0);
}

#[test]
fn a_file_with_positions_of_compressed_data_stays() {
    for (name, is_left) in [("BC", true), ("RA", true), ("XX", false)] {
        let mut header = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x0b\0zz\x01\0a".to_vec();
        header.extend(name.as_bytes());
        header.extend(b"\x02\0\x1b\0");
        let dir = TestDir::new();
        dir.file("a.html.gz", member(&header, PAGE));
        dir.relink("refs a.html.gz").exits(0);
        let run = dir.relink("absolutize a.html.gz --base http://h/d/a.html.gz -o o.gz -q");
        if is_left {
            let run = run.exits(2);
            let reason = format!(
                "a.html.gz: skipped; its extra field '{name}' contains positions of the compressed data, which would change\n"
            );
            assert_eq!(run.stderr, reason, "{run}");
            assert_eq!(dir.bytes("o.gz"), dir.bytes("a.html.gz"));
            // Without a change, there is nothing to report.
            dir.file("b.html.gz", member(&header, "<a href=http://g/>"));
            dir.relink("absolutize b.html.gz --base http://h/ -o p.gz").exits(0);
        } else {
            run.exits(0);
            assert_eq!(text_of(&dir.bytes("o.gz")), ABSOLUTE);
        }
    }
}

#[cfg(unix)]
#[test]
fn in_place_only_what_changes_is_replaced() {
    use std::os::unix::fs::MetadataExt;
    let dir = tree();
    dir.relink(&format!("absolutize t {BASE} -o out -q")).exits(0);
    let inode = |name: &str| std::fs::metadata(dir.path(name)).unwrap().ino();
    let same = inode("t/same.html.gz");
    let old = dir.bytes("t/a.html.gz");
    dir.relink(&format!("absolutize t {BASE} -i -q --backup")).exits(0);
    assert_eq!(dir.bytes("t/a.html.gz"), dir.bytes("out/a.html.gz"));
    assert_eq!(dir.bytes("t/a.html.gz.orig"), old);
    assert_eq!(inode("t/same.html.gz"), same);
    assert!(!dir.has("t/same.html.gz.orig"));
}

/// A run that was killed, with gzip files among those that it had written.
#[cfg(unix)]
mod broken_off {
    use super::*;
    use crate::journal::{
        MOVED, NESTED, PAGE as SMALL, PIPE, begun_until, long_page, many_files, nothing_is_left,
    };

    fn broken_off() -> (TestDir, Vec<u8>) {
        let dir = TestDir::with(&[("site/b.html", SMALL)]);
        let members = [
            member(&full_header(2), SMALL),
            gz("<p>"),
            gz(&SMALL.repeat(3)),
            b"\0trailing".to_vec(),
        ];
        dir.file("site/a.html.gz", members.concat());
        many_files(&dir, "site/m");
        dir.file("site/z.html", long_page(SMALL));
        let names = ["a.html.gz", "b.html", "z.html"];
        names
            .iter()
            .for_each(|name| dir.file(format!("old/{name}"), dir.bytes(format!("site/{name}"))));
        drop(begun_until(&dir, NESTED, &["site/a.html.gz", "site/b.html"], PIPE));
        std::fs::remove_file(dir.path(PIPE)).unwrap();
        assert!(dir.text("site/z.html") == long_page(SMALL));
        let file = dir.bytes("site/a.html.gz");
        let text = text_of(file.strip_suffix(b"\0trailing").expect("the rest"));
        assert_eq!(text, format!("{MOVED}<p>{}", MOVED.repeat(3)));
        (dir, file)
    }

    #[test]
    fn undo_restores_the_old_bytes() {
        let (dir, _) = broken_off();
        dir.relink("undo site -q").exits(0);
        for name in ["a.html.gz", "b.html", "z.html"] {
            let old = dir.bytes(format!("old/{name}"));
            assert!(dir.bytes(format!("site/{name}")) == old, "{name}");
        }
        nothing_is_left(&dir);
    }

    #[test]
    fn resume_gives_what_an_undisturbed_run_gives() {
        let (dir, file) = broken_off();
        dir.relink("resume site -q").exits(0);
        assert!(dir.bytes("site/a.html.gz") == file);
        assert!(dir.text("site/z.html") == long_page(MOVED));
        nothing_is_left(&dir);
        std::fs::remove_file(dir.path("old/z.html")).unwrap();
        let line = NESTED.replace("site ", "old ").replace("--in-place", "-o fresh -q");
        dir.relink(&line).exits(0);
        let bytes = |name: &str| dir.bytes(format!("fresh/{name}"));
        assert!(bytes("a.html.gz") == file && bytes("b.html") == MOVED.as_bytes());
    }
}

#[test]
fn standard_input_is_read_as_a_file_is() {
    let dir = TestDir::new();
    let head = "From a@b.example Thu Aug 23 09:10:23 2018\nContent-Type: text/html\n\n";
    let mailbox = format!("{head}<a href=http://a/>\n\n{head}<a href=x>\n\n");
    let message = "From: a@b.example\nSubject: 1\nContent-Type: text/html\n\n<a href=x>\n";
    for (name, text, own) in [
        ("a.mbox.gz", &*mailbox, "application/mbox"),
        ("a.eml.gz", message, "message/rfc822"),
        ("a.html.gz", "<!DOCTYPE html><a href=x>", "text/html"),
    ] {
        let file = gz(text);
        dir.file(name, &file);
        let base = if own == "text/html" { "--base http://h/" } else { "" };
        let read = dir.relink(&format!("refs {name} {base}")).exits(0);
        assert!(read.text().lines().count() > 0, "{read}");
        for options in ["", "--type application/gzip", &format!("--type {own}")] {
            let run = dir.pipe(&format!("refs - {options} {base}"), &file).exits(0);
            run.prints(read.text().replace(&format!("{name}:"), "-:"));
            let write = format!("absolutize - {options} --base http://h/ -q");
            let run = dir.pipe(&write, &file).exits(0);
            let edit = "<a href=http://h/x>";
            let expected = text.replace("<a href=x>", edit);
            assert_eq!(text_of(&run.stdout), expected, "{write}");
        }
    }
    // An archive in gzip is no document.
    dir.pipe("refs -", &gz("ustar")).exits(0).prints("");
}
