//! `relink unpack` and the commands that read: WACZ files, made here byte by byte and by other
//! programs, and files that only look like archives.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::write::{DeflateEncoder, GzEncoder};
use flate2::{Compression, Crc};

use crate::dir::TestDir;
use crate::tools;

/// The host of the archives that other programs get.
const HOST: &str = "http://h.example";

/// Returns a gzip member with a record of a page.
fn page(url: &str, text: &str) -> Vec<u8> {
    let record = format!(
        "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: {url}\r\n\
         WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: text/html\r\n\
         Content-Length: {}\r\n\r\n{text}\r\n\r\n",
        text.len()
    );
    member(&record)
}

/// Returns a text as a gzip member.
fn member(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// Returns a gzip member with a record of an HTTP response.
fn response(url: &str, head: &str, body: &str) -> Vec<u8> {
    let message = format!("HTTP/1.1 {head}\r\n\r\n{body}");
    let record = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{url}>\r\n\
         WARC-Target-URI: {url}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n\
         Content-Type: application/http; msgtype=response\r\n\
         Content-Length: {}\r\n\r\n{message}\r\n\r\n",
        message.len()
    );
    member(&record)
}

/// Returns a zip file (APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16): names, contents, and
/// whether these are compressed.
fn zip(members: &[(&str, &[u8], bool)]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, content, is_compressed) in members {
        let data = if *is_compressed {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        } else {
            content.to_vec()
        };
        let mut crc = Crc::new();
        crc.update(content);
        let long = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
        let short = |n: usize| u16::try_from(n).unwrap().to_le_bytes();
        // The version, the flags, the method, the time and the date; then sizes and lengths.
        let common = [
            &short(20)[..],
            &short(0),
            &short(if *is_compressed { 8 } else { 0 }),
            &short(0),
            &short(0x21),
            &crc.sum().to_le_bytes(),
            &long(data.len()),
            &long(content.len()),
            &short(name.len()),
            &short(0),
        ]
        .concat();
        let offset = long(file.len());
        file.extend([&b"PK\x03\x04"[..], &common, name.as_bytes(), &data].concat());
        let more = [&[0; 6][..], &[0; 4], &offset, name.as_bytes()].concat();
        directory.extend([&b"PK\x01\x02"[..], &short(20), &common, &more].concat());
    }
    let n = u16::try_from(members.len()).unwrap().to_le_bytes();
    let start = u32::try_from(file.len()).unwrap().to_le_bytes();
    let len = u32::try_from(directory.len()).unwrap().to_le_bytes();
    let end = [&b"PK\x05\x06\0\0\0\0"[..], &n, &n, &len, &start, &[0, 0]].concat();
    [file, directory, end].concat()
}

const PAGES: &str = "{\"format\":\"json-pages-1.0\",\"id\":\"pages\",\"title\":\"All Pages\"}\n\
    {\"url\":\"http://h.example/\",\"title\":\"Harbour <1>\",\"ts\":\"2020-01-01T00:00:00Z\"}\n";

/// Returns two archives that lead to each other.
fn archives() -> [Vec<u8>; 2] {
    let first = page("http://h.example/", "<a href=/next>n</a>");
    let second = page("http://h.example/next", "<a href=/>h</a>");
    [first, second]
}

#[test]
fn a_wacz_file_is_unpacked_as_its_archives() {
    for pages_are_compressed in [false, true] {
        let [first, second] = archives();
        let dir = TestDir::new();
        dir.file(
            "x.wacz",
            zip(&[
                ("pages/pages.jsonl", PAGES.as_bytes(), pages_are_compressed),
                ("archive/1.warc.gz", &first, false),
                ("archive/2.warc.gz", &second, false),
                ("indexes/index.cdx.gz", b"x", false),
                ("datapackage.json", b"{}", true),
            ]),
        );
        dir.file("in/1.warc.gz", &first);
        dir.file("in/2.warc.gz", &second);
        let run = dir.relink("unpack x.wacz -o out").exits(0);
        assert!(run.stderr.starts_with("2 captures: 3 files written\n"), "{run}");
        dir.relink("unpack in -o expected -q").exits(0);
        for path in ["h.example/index.html", "h.example/next.html"] {
            let [found, expected] =
                ["out", "expected"].map(|out| dir.text(format!("{out}/{path}")));
            assert_eq!(found, expected);
        }
        assert_eq!(dir.tree("out").len(), dir.tree("expected").len());
        let list = dir.text("out/index.html");
        let title = ">Harbour &lt;1&gt;</span><span class=\"who\">http://h.example/</span>";
        assert!(list.contains(title), "{list}");
        assert!(!dir.text("expected/index.html").contains("Harbour"));
        // Offsets are those in the file.
        let run = dir.relink("refs x.wacz").exits(0);
        let file = dir.bytes("x.wacz");
        for (archive, line) in
            [(&first, "/next -> http://h.example/next"), (&second, "/ -> http://h.example/")]
        {
            let at = file.windows(archive.len()).position(|part| part == archive).unwrap();
            assert!(run.text().contains(&format!("x.wacz:{at}:1:9: a[href] {line}\n")), "{run}");
        }
        dir.relink("bases x.wacz").exits(0);
        let run = dir.relink("check --list-external x.wacz").exits(0);
        assert!(run.text().contains("http://h.example/next\n"), "{run}");
        // Each archive has the URL to which the other refers.
        dir.relink("check --missing-urls x.wacz -q").exits(0).prints("");
        dir.file("y.wacz", zip(&[("archive/1.warc.gz", &first, false)]));
        dir.relink("check --missing-urls y.wacz -q").exits(0).prints("http://h.example/next\n");
    }
}

#[test]
fn what_is_wrong_with_a_wacz_file_is_reported() {
    let [first, second] = archives();
    let whole = zip(&[
        ("archive/1.warc.gz", &first, false),
        ("archive/2.warc.gz", &second, true),
        ("datapackage-digest.json", b"{\"signedData\":{\"signature\":\"x\"}}", false),
    ]);
    let dir = TestDir::new();
    dir.file("x.wacz", &whole);
    let run = dir.relink("unpack x.wacz -o out").exits(2);
    for message in [
        "x.wacz: its datapackage is signed; the signature is not verified\n",
        "x.wacz/archive/2.warc.gz: skipped; it is compressed, which WACZ does not allow\n",
    ] {
        assert!(run.stderr.contains(message), "{run}");
    }
    assert!(dir.has("out/h.example/index.html"), "{run}");
    dir.file("cut.wacz", &whole[..whole.len() - 30]);
    for command in ["unpack cut.wacz -o o2", "refs cut.wacz"] {
        let run = dir.relink(command).exits(2);
        assert!(run.stderr.starts_with("cut.wacz: cannot read"), "{run}");
        assert_eq!(run.stderr.matches("cut.wacz").count(), 1, "{run}");
    }
    let run = dir.pipe("refs - --type wacz", &whole);
    assert!(!run.stderr.is_empty(), "{run}");
}

#[test]
fn files_of_browsers_that_are_not_read_are_named() {
    let dir = TestDir::with(&[
        ("d/a.har", "{\"log\":{}}"),
        ("d/b.webarchive", "bplist00"),
        ("d/c.zip", "PK\x03\x04"),
        ("d/d.pst", "!BDN"),
        ("d/e.pst", "!BDN"),
    ]);
    for (name, words) in [
        ("d/a.har", "HAR file, which is not read; convert it to WARC"),
        ("d/b.webarchive", "Safari webarchive, which is not read; open it with Safari"),
        ("d/d.pst", "Outlook data file, which is not read; export its messages as mbox or EML"),
        ("d/c.zip", "it cannot be read as a zip file: "),
    ] {
        let run = dir.relink(&format!("unpack {name} -o out")).exits(2);
        assert!(run.stderr.starts_with(&format!("{name}: cannot unpack; {words}")), "{run}");
    }
    // In a tree they are counted.
    for command in
        ["unpack d -o out -n", "unpack d -o out", "refs d", "absolutize d --base http://h/ -n"]
    {
        let run = dir.relink(command).exits(0);
        for hint in [
            "hint: 1 HAR file was not read, d/a.har; convert it to WARC\n",
            "hint: 2 Outlook data files were not read, such as d/d.pst; export their messages as mbox or EML\n",
            "hint: 1 Safari webarchive was not read, d/b.webarchive; open it with Safari, and save the page in another format\n",
            if command.starts_with("unpack") {
                "hint: 1 archive was not read, d/c.zip; unpack it to process the documents in it\n"
            } else {
                "hint: 1 zip file was not read, d/c.zip; use `--also zip` to process the documents in it\n"
            },
        ] {
            assert_eq!(run.stderr.matches(hint).count(), 1, "{run}");
        }
    }
    dir.relink("unpack d -o strict --strict").exits(1);
}

/// Files of the package wacz of PyPI, and of js-wacz of npm.
#[test]
fn files_of_other_programs_are_unpacked_as_their_archives() {
    if let Some(python) = tools::python_with("archives", "wacz") {
        for n_archives in [1, 2, 3] {
            let mut command = Command::new(&python);
            command.args(["-m", "wacz.main", "create", "-p", "pages/pages.jsonl", "-o", "x.wacz"]);
            command.args((0..n_archives).map(|number| format!("in/{number}.warc.gz")));
            is_unpacked_as_its_archives(n_archives, command);
        }
    }
    if let Some(js_wacz) = tools::node_program("archives", "js-wacz") {
        for n_archives in [1, 3] {
            let mut command = Command::new(&js_wacz);
            command.args(["create", "-f", "in/*.warc.gz", "-p", "pages", "-o", "x.wacz"]);
            is_unpacked_as_its_archives(n_archives, command);
        }
    }
}

/// Lets a program make `x.wacz` of archives: only the list of pages may differ from theirs.
#[track_caller]
fn is_unpacked_as_its_archives(n_archives: usize, mut maker: Command) {
    let dir = TestDir::new();
    let mut pages = "{\"format\":\"json-pages-1.0\",\"id\":\"pages\",\"title\":\"x\"}\n".to_owned();
    for number in 0..n_archives {
        pages.push_str(&format!(
            "{{\"url\":\"{HOST}/{number}\",\"ts\":\"2020-01-01T00:00:00Z\",\"title\":\"T{number}\"}}\n"
        ));
        let next = (number + 1) % n_archives;
        let text = format!(
            "<title>P</title><a href=/{next}>n</a><img src=/{number}.png><a href=/go>g</a>"
        );
        let records = [
            response(&format!("{HOST}/{number}"), "200 OK\r\nContent-Type: text/html", &text),
            response(&format!("{HOST}/{number}.png"), "200 OK\r\nContent-Type: image/png", "x"),
            response(&format!("{HOST}/go"), "302 Found\r\nLocation: /0", ""),
            page(&format!("{HOST}/resource{number}"), &text),
        ];
        dir.file(format!("in/{number}.warc.gz"), records.concat());
    }
    dir.file("pages/pages.jsonl", pages);
    let made = maker.current_dir(dir.path("")).output().unwrap();
    assert!(made.status.success(), "{maker:?}: {}", String::from_utf8_lossy(&made.stderr));
    let run = dir.relink("unpack x.wacz -o out").exits(0);
    dir.relink("unpack in -o expected -q").exits(0);
    let tree = |out: &str| {
        let is_file = |path: &Path| {
            dir.path(out).join(path).is_file() && !path.starts_with(".relink-unpacked")
        };
        let paths = dir.tree(out).into_keys().filter(|path| is_file(path));
        paths.map(|path| (dir.bytes(format!("{out}/{}", path.display())), path)).collect::<Vec<_>>()
    };
    let mut trees = ["out", "expected"].map(tree);
    let lists = trees.each_mut().map(|tree| {
        let is_list = |(_, path): &(Vec<u8>, PathBuf)| path == Path::new("index.html");
        let at = tree.iter().position(is_list).expect("a list of pages");
        String::from_utf8(tree.remove(at).0).expect("UTF-8")
    });
    assert_eq!(trees[0], trees[1], "{maker:?}");
    assert_eq!(trees[0].len(), 3 * n_archives, "{run}");
    // The lists have the same pages, and that of the WACZ file has their titles.
    for number in 0..n_archives {
        assert!(
            lists.iter().all(|list| list.contains(&format!(">{HOST}/{number}</span>"))),
            "{lists:?}"
        );
        let title = format!(">T{number}</span><span class=\"who\">{HOST}/{number}</span>");
        assert!(lists[0].contains(&title), "{maker:?}: {}", lists[0]);
    }
}
