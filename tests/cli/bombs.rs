//! Web archives that are small and become large: memory is limited while they are read, each defect
//! is reported with its offset, and the other records are unpacked.

use std::io::Write;

use flate2::write::GzEncoder;
use flate2::{Compress, Compression, Crc, FlushCompress};

use crate::dir::{Run, TestDir};
use crate::tools;
use crate::words::{END_IS_MISSING, GZIP_MEMBER, RECORD_AT_BYTE};

/// The memory of a run, in KiB of addresses: more than the program takes for itself, and less than
/// any of these files needs as a whole.
const MEMORY: &str = "400000";

/// The bytes of zero in one part of a file.
const PART: usize = 1 << 20;

/// One gzip member.
fn member(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A gzip member with a text, many bytes of zero, and a text.
fn with_zeros(start: &[u8], n_octets: usize, end: &[u8]) -> Vec<u8> {
    let deflated = |text: &[u8], flush| {
        let mut out = Vec::with_capacity(PART);
        Compress::new(Compression::best(), false).compress_vec(text, &mut out, flush).unwrap();
        out
    };
    let (zeros, mut crc, mut of_part) = (vec![0; PART], Crc::new(), Crc::new());
    let mut file = b"\x1F\x8B\x08\0\0\0\0\0\0\xFF".to_vec();
    file.extend(deflated(start, FlushCompress::Full));
    crc.update(start);
    of_part.update(&zeros);
    let part = deflated(&zeros, FlushCompress::Full);
    for _ in 0..n_octets / PART {
        file.extend_from_slice(&part);
        crc.combine(&of_part);
    }
    file.extend(deflated(end, FlushCompress::Finish));
    crc.update(end);
    file.extend(crc.sum().to_le_bytes());
    file.extend(crc.amount().to_le_bytes());
    file
}

/// The header section of a record with a response.
fn head(url: &str, length: usize) -> String {
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n\
         WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n\
         Content-Length: {length}\r\n\r\n"
    )
}

fn response(url: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{fields}\r\n");
    let head = head(url, http.len() + body.len());
    [head.as_bytes(), http.as_bytes(), body, b"\r\n\r\n"].concat()
}

/// Unpacks what is between two pages in little memory; both pages are there, and lead to each
/// other.
fn unpacked(dir: &TestDir, middle: &[u8], options: &str, status: i32) -> Run {
    let pages = [("a", "b"), ("b", "a")].map(|(name, to)| {
        let body = format!("<a href={to}>{to}</a>");
        member(&response(&format!("http://h/{name}"), "", body.as_bytes()))
    });
    dir.file("a.warc.gz", [&pages[0], middle, &pages[1]].concat());
    let limited = format!("ulimit -v {MEMORY} && exec \"$0\" \"$@\"");
    let run =
        dir.relink_by(&["sh", "-c", &limited], &format!("unpack a.warc.gz -o out -j 1 {options}"));
    let run = run.exits(status);
    assert_eq!(dir.text("out/h/a.html"), "<a href=b.html>b</a>", "{run}");
    assert_eq!(dir.text("out/h/b.html"), "<a href=a.html>a</a>", "{run}");
    let place = format!("{RECORD_AT_BYTE} {} ", pages[0].len());
    assert!(run.stderr.contains(&place) || status == 0, "{run}");
    let listed = dir.relink_by(&["sh", "-c", &limited], "refs a.warc.gz --also text -j 1");
    assert!(listed.text().contains(" a[href] b -> http://h/b"), "{listed}");
    assert!(listed.text().contains(" a[href] a -> http://h/a"), "{listed}");
    run
}

#[test]
fn a_record_of_zeros_is_refused_in_little_memory() {
    let dir = TestDir::new();
    let http = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n";
    let n_octets = 600 * PART;
    let start = head("http://h/zeros.png", n_octets + http.len()) + http;
    let bomb = with_zeros(start.as_bytes(), n_octets, b"\r\n\r\n");
    assert!(bomb.len() < 2 * PART, "{} bytes", bomb.len());
    let run = unpacked(&dir, &bomb, "--limit document-size=64M", 2);
    assert!(run.stderr.contains(": its block is longer than 67108864 bytes"), "{run}");
    assert!(!dir.has("out/h/zeros.png"));
}

#[test]
fn a_body_of_zeros_is_refused_in_little_memory() {
    let zeros = with_zeros(b"", 100 * PART, b"");
    let twice = member(&zeros);
    for (coding, body) in [("gzip", &zeros), ("gzip, gzip", &twice)] {
        let dir = TestDir::new();
        let record = response("http://h/z", &format!("Content-Encoding: {coding}\r\n"), body);
        let run = unpacked(&dir, &member(&record), "", 2);
        assert!(run.stderr.contains(" times as long as its body"), "{run}");
        let run = unpacked(&dir, &member(&record), "--limit document-size=16M --update", 2);
        assert!(!dir.has("out/h/z.html"), "{run}");
    }
}

#[test]
fn many_members_are_read_in_little_memory() {
    let dir = TestDir::new();
    unpacked(&dir, &member(b"").repeat(100_000), "", 0);
    let dir = TestDir::new();
    let n_pages = 2_000;
    let page = |number: usize| member(&response(&format!("http://h/p/{number}"), "", b"<p>"));
    let pages: Vec<u8> = (0..n_pages).flat_map(page).collect();
    let run = unpacked(&dir, &pages, "", 0);
    assert!(run.stderr.starts_with("2002 captures: 2003 files written\n"), "{run}");
}

#[test]
fn a_header_section_without_an_end_is_reported() {
    let dir = TestDir::new();
    let run = unpacked(&dir, &with_zeros(b"WARC/1.1\r\nA: ", 100 * PART, b"\r\n"), "", 2);
    assert!(run.stderr.contains("its header section is too long, or does not end"), "{run}");
}

#[test]
fn a_member_that_is_cut_is_reported() {
    let body = b"<p>text".repeat(999);
    let whole = member(&response("http://h/z", "", &body));
    for n_octets in [5, 40] {
        let dir = TestDir::new();
        let run = unpacked(&dir, &whole[..n_octets], "", 2);
        assert!(run.stderr.contains(&format!("{GZIP_MEMBER} ")), "{n_octets}{run}");
        assert!(!dir.has("out/h/z.html"), "{n_octets}{run}");
    }
    for n_octets in [whole.len() - 20, whole.len() - 9, whole.len() - 1] {
        let dir = TestDir::new();
        dir.file("a.warc.gz", &whole[..n_octets]);
        let run = dir.relink("unpack a.warc.gz -o out").exits(0);
        assert!(run.stderr.contains(&format!("{END_IS_MISSING}; {RECORD_AT_BYTE} ")), "{run}");
        let page = dir.bytes("out/h/z.html");
        assert!(page.len() > 2_000 && body.starts_with(&page), "{n_octets}{run}");
    }
}

/// A body whose chunks lie is as long as browsers read it, and a body that ends too early is
/// reported.
#[test]
fn lengths_of_bodies_that_lie_are_reported() {
    let chunked = "Transfer-Encoding: chunked\r\n";
    for (fields, body, expected) in [
        (chunked, "3\r\nabc\r\n0\r\n\r\n", "abc"),
        (chunked, "3\r\n<p>\r\n", "<p>"),
        (chunked, "3\r\nabc\r\n-5\r\nabc\r\n0\r\n\r\n", "abc"),
        (chunked, "3\r\n<p>\r\nffffffffffffffff\r\nd", "<p>d"),
        (chunked, "3\r\n<p>\r\n10000000000000000\r\nd\r\n0\r\n\r\n", "<p>"),
        // This is not chunked.
        (chunked, "fffff\r\nabc\r\n0\r\n\r\n", "fffff\r\nabc\r\n0\r\n\r\n"),
        ("Content-Length: 9\r\n", "abc", "abc"),
        ("Content-Length: 18446744073709551615\r\n", "abc", "abc"),
        ("Content-Length: 2\r\n", "abc", "abc"),
    ] {
        let dir = TestDir::new();
        let record = member(&response("http://h/z", fields, body.as_bytes()));
        let run = unpacked(&dir, &record, "", 0);
        assert_eq!(dir.text("out/h/z.html"), expected, "{body}");
        let is_sound =
            body.ends_with("abc\r\n0\r\n\r\n") && !body.contains('-') || fields.ends_with("2\r\n");
        let warning =
            run.stderr.contains(&format!("z.html: its end is missing; {RECORD_AT_BYTE} "));
        assert_eq!(warning, !is_sound, "{body}{run}");
    }
}

/// Equal files share storage where the file system can do that (`TMPDIR` names one), and do not
/// count; they are never hard links.
#[test]
fn large_equal_files_share_storage() {
    let dir = TestDir::new();
    // Pages, of which each has a file of its own.
    let text: String = (0..4000).map(|number| format!("{number}{}", " ".repeat(2000))).collect();
    let body = member(text.as_bytes());
    let page = |number: usize| {
        response(&format!("http://h/b/{number}"), "Content-Encoding: gzip\r\n", &body)
    };
    let archive = member(&(0..50).flat_map(page).collect::<Vec<u8>>());
    dir.file("a.warc.gz", &archive);
    dir.file("x", "x");
    let reflink = dir.path("y").display().to_string();
    let x = dir.path("x").display().to_string();
    let has_reflinks = tools::runs("cp", &["--reflink=always", &x, &reflink]);
    // 256 MiB are free.
    let n_fitting = (archive.len() * 100 + (256 << 20)) / text.len();
    let run = dir.relink("unpack a.warc.gz -o out -j 1").exits(if has_reflinks { 0 } else { 2 });
    let n_written = if has_reflinks { 50 } else { n_fitting };
    assert!((33..45).contains(&n_fitting), "{n_fitting}");
    assert!(run.stderr.contains(&format!(": {} files written", n_written + 1)), "{run}");
    // They are up to date, and count as before.
    let run = dir.relink("unpack a.warc.gz -o out --update -j 1");
    let words = format!(": 0 files written, {} current", n_written + 1);
    assert!(run.stderr.contains(&words), "{run}");
    let written = (0..50).filter_map(|number| {
        let path = dir.path(format!("out/h/b/{number}.html"));
        path.is_file().then(|| std::fs::read(path).unwrap())
    });
    assert!(written.clone().count() == n_written);
    for bytes in written {
        assert!(bytes == text.as_bytes());
    }
    #[cfg(unix)]
    for number in 0..50 {
        use std::os::unix::fs::MetadataExt;
        let status = std::fs::metadata(dir.path(format!("out/h/b/{number}.html")));
        assert!(status.is_err() || status.is_ok_and(|status| status.nlink() == 1));
    }
}

/// Each record is small enough, and all of them together are not.
#[test]
fn many_small_bombs_have_a_limit_of_their_own() {
    let zeros = member(&vec![b' '; 900_000]);
    let page = |number: usize| {
        response(&format!("http://h/b/{number}"), "Content-Encoding: gzip\r\n", &zeros)
    };
    let pages: Vec<u8> = (0..400).flat_map(page).collect();
    let archive = member(&pages);
    for options in ["", "-n"] {
        let dir = TestDir::new();
        dir.file("a.warc.gz", &archive);
        let run = dir.relink(&format!("unpack a.warc.gz -o out {options}")).exits(2);
        let limit = "the files would be more than 100 times as large as the archives";
        let n_failed = run.stderr.matches(limit).count();
        // 256 MiB are free.
        assert!((50..110).contains(&n_failed), "{n_failed} {run}");
        let run = dir.relink("unpack a.warc.gz -o o2 --limit output-ratio=100000 -n").exits(0);
        assert!(run.stderr.starts_with("400 captures"), "{run}");
    }
}
