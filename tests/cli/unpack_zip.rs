//! Zip files and packages, unpacked: their members are files with the same bytes, and nothing is
//! outside of the output. Python's `zipfile` unpacks them too.

use std::path::Path;
use std::process::Command;

use walkdir::WalkDir;

use crate::dir::TestDir;
use crate::tools;
use crate::words;
use crate::zip_file::{Member, stored, zip};

/// The files of a directory: their paths below it, in order, and their bytes.
fn files(dir: &TestDir, name: &str) -> Vec<(String, Vec<u8>)> {
    let top = dir.path(name);
    let entries = WalkDir::new(&top).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    let below = |path: &Path| path.strip_prefix(&top).unwrap().to_str().unwrap().to_owned();
    let file = |entry: walkdir::DirEntry| (below(entry.path()), std::fs::read(entry.path()));
    let found = files.map(file).map(|(path, bytes)| (path, bytes.unwrap()));
    found.filter(|(path, _)| path != ".relink-unpacked").collect()
}

/// A book with two pages.
const BOOK: [(&str, &str); 5] = [
    ("mimetype", "application/epub+zip"),
    (
        "META-INF/container.xml",
        "<container><rootfiles><rootfile full-path='O/p.opf' media-type='application/oebps-package+xml'/></rootfiles></container>",
    ),
    (
        "O/p.opf",
        "<package xmlns='http://www.idpf.org/2007/opf'><manifest><item href='a.html' media-type='text/html'/></manifest></package>",
    ),
    ("O/a.html", "<a href='d/b.html'>"),
    ("O/d/b.html", "<a href='../a.html'>"),
];

#[test]
fn members_become_files_with_the_same_bytes() {
    let dir = TestDir::new();
    let deflated = |text: &[u8]| {
        let mut encoder =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut encoder, text).unwrap();
        encoder.finish().unwrap()
    };
    let page = b"<a href=../b.html><a href=/c>";
    let members: [Member<'_>; 4] = [
        ("d/a.html", page, Some(&deflated(page))),
        ("b.html", b"", None),
        ("e/", b"", None),
        ("inner.zip", b"PK", None),
    ];
    dir.file("x.zip", zip(members).0);
    let run = dir.relink("unpack x.zip").exits(0);
    assert!(run.stderr.contains("note: the output is x; "), "{run}");
    assert!(run.has_line("3 members: 3 files written"), "{run}");
    let expected = [("b.html", &b""[..]), ("d/a.html", page), ("inner.zip", b"PK")];
    let expected = expected.map(|(name, bytes)| (name.to_owned(), bytes.to_vec()));
    assert_eq!(files(&dir, "x"), expected);
    dir.file("t/b.epub", stored(&BOOK).0);
    if tools::has("python3", &["--version"]) {
        for (file, out) in [("x.zip", "x"), ("t/b.epub", "b")] {
            let args = ["-m", "zipfile", "-e", file, "judge"];
            let run = Command::new("python3").args(args).current_dir(dir.path(".")).status();
            assert!(run.unwrap().success());
            if out == "b" {
                dir.relink("unpack t/b.epub -q").exits(0);
            }
            assert_eq!(files(&dir, out), files(&dir, "judge"));
            std::fs::remove_dir_all(dir.path("judge")).unwrap();
        }
        // Links are right.
        dir.relink("check b").exits(0);
    }
    // Several, each in its directory; a manifest, and an update.
    let line = "unpack x.zip t/b.epub -o out --manifest m.jsonl";
    let run = dir.relink(line).exits(0);
    assert!(run.has_line("8 members: 8 files written"), "{run}");
    assert_eq!(dir.text("out/b.epub/O/a.html"), "<a href='d/b.html'>");
    dir.relink("verify out --manifest m.jsonl").exits(0);
    std::fs::remove_file(dir.path("out/x.zip/b.html")).unwrap();
    let run = dir.relink("unpack x.zip t/b.epub -o out --update --delete").exits(0);
    assert!(run.has_line("8 members: 1 file written, 7 current"), "{run}");
}

#[test]
fn names_that_are_no_file_everywhere_are_reported() {
    let dir = TestDir::new();
    let names = [
        "A.html",
        "a.HTML",
        "b",
        "b/c",
        "d\\e",
        "C:f",
        "g//h",
        "./i",
        "j.",
        "nul.txt",
        ".relink-unpacked",
        "k/.x.relink-journal",
        "L/m",
        "l/n",
        "ok",
    ];
    dir.file("x.zip", stored(&names.map(|name| (name, name))).0);
    let run = dir.relink("unpack x.zip -o out").exits(2);
    let expected = ["A.html", "L/m", "b/c", "ok"].map(|name| (name.to_owned(), name.into()));
    assert_eq!(files(&dir, "out"), expected);
    for (name, reason) in [
        ("a.HTML", "its name differs from A.html in letter case only"),
        ("b", "its name is that of a directory, too"),
        ("d\\e", "its name is no plain path"),
        ("C:f", "its name is no plain path"),
        ("g//h", "its name is no plain path"),
        ("./i", "its name is no plain path"),
        ("j.", "its name ends with a dot or a space"),
        ("nul.txt", "its name is that of the device NUL"),
        (".relink-unpacked", "its name is that of a file of relink"),
        ("k/.x.relink-journal", "its name is that of a file of relink"),
        ("l/n", "its name differs from L in letter case only"),
    ] {
        assert!(run.has_line(&format!("x.zip!{name}: skipped; {reason}")), "{name}: {run}");
    }
    // These are not read at all.
    for name in ["../p", "/p", "d/../../p"] {
        dir.file("y.zip", stored(&[(name, "p"), ("q", "q")]).0);
        let run = dir.relink("unpack y.zip -o no").exits(2);
        assert!(run.stderr.contains("; the name of its member "), "{run}");
        assert!(!dir.path("no").exists() && !dir.path("p").exists());
    }
}

#[test]
fn what_is_too_large_broken_or_of_office_is_reported() {
    let dir = TestDir::new();
    let page = vec![b' '; 40 << 20];
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut encoder, &page).unwrap();
    let bomb = encoder.finish().unwrap();
    dir.file("x.zip", zip([("a", &page[..], Some(&*bomb)), ("b", b"b", None)]).0);
    let run = dir.relink("unpack x.zip -o out").exits(2);
    let ratio = words::raise("compression-ratio");
    let line =
        format!("x.zip!a: skipped; it decompresses to more than 500 times its size; {ratio}");
    assert!(run.has_line(&line), "{run}");
    assert_eq!(files(&dir, "out"), [("b".to_owned(), b"b".to_vec())]);
    let (mut damaged, places) = stored(&[("a", "aaaa"), ("b", "b")]);
    damaged[places[0].end - 1] ^= 1;
    dir.file("y.zip", damaged);
    let run = dir.relink("unpack y.zip -o out2").exits(2);
    assert!(run.has_line_with("y.zip!a: skipped; its data are damaged"), "{run}");
    assert_eq!(files(&dir, "out2"), [("b".to_owned(), b"b".to_vec())]);
    dir.file("z.docx", stored(&[("[Content_Types].xml", "<Types/>")]).0);
    let run = dir.relink("unpack z.docx -o out3").exits(2);
    assert!(run.stderr.contains("; references in Office files resolve at "), "{run}");
    assert!(!dir.path("out3").exists());
}

#[test]
fn each_of_several_zip_files_has_a_directory_of_its_own() {
    let dir = TestDir::new();
    for name in ["a", "b"] {
        let (page, own) = (format!("from {name}"), format!("only-{name}"));
        let members = [("p.html", page.as_bytes(), None), (own.as_str(), b"".as_slice(), None)];
        dir.file(format!("{name}/z.zip"), zip(members).0);
    }
    let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\ncaptured";
    dir.file(
        "c.warc",
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://z-2.zip/p.html\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        ),
    );
    for command in
        ["unpack a/z.zip b/z.zip c.warc -o out", "unpack a/z.zip b/z.zip c.warc -o out --update"]
    {
        dir.relink(command).exits(0);
        let page = |name: &str| dir.text(format!("out/{name}/p.html"));
        assert_eq!([page("z.zip"), page("z-3.zip")], ["from a", "from b"]);
        assert!(page("z-2.zip").contains("captured"));
        assert!(dir.has("out/z.zip/only-a") && dir.has("out/z-3.zip/only-b"));
    }
}
