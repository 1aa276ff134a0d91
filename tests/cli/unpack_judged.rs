//! Web archives that warcio and wget write (`crates/warc/tests/judge.py`), unpacked: the same URLs as
//! warcio finds in them, and the same content.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use flate2::Crc;

use crate::dir::{Node, TestDir};

/// The length and the CRC-32 of a content.
type Sum = (usize, u32);

fn sum(content: &[u8]) -> Sum {
    let mut crc = Crc::new();
    crc.update(content);
    (content.len(), crc.sum())
}

/// The content of the newest capture of each URL, as warcio reads it: pages by their URLs, and other
/// files.
fn expected(lines: &str) -> (BTreeMap<String, Sum>, BTreeSet<Sum>) {
    let (mut pages, mut files) = (BTreeMap::new(), BTreeSet::new());
    for line in lines.lines() {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let sum = (words[1].parse().unwrap(), words[2].parse().unwrap());
        match words[0] {
            "text/html" => _ = pages.insert(words[3].to_owned(), sum),
            _ => _ = files.insert(sum),
        }
    }
    (pages, files)
}

/// The pages that the list of the site names, by their URLs, with their content, and the content of
/// the other files.
fn unpacked(dir: &TestDir) -> (BTreeMap<String, Sum>, BTreeSet<Sum>) {
    let list = dir.text("out/index.html");
    let mut files: BTreeMap<String, Sum> = BTreeMap::new();
    for (path, node) in dir.tree("raw") {
        if let Node::File { bytes, .. } = node {
            files.insert(path.display().to_string(), sum(&bytes));
        }
    }
    let rows = list.split("<a href=\"").skip(1).filter_map(|row| {
        let (path, rest) = row.split_once("\">")?;
        let (url, _) = rest.split_once("</a>")?;
        Some((path.to_owned(), url.replace("&amp;", "&")))
    });
    let rows: Vec<(String, String)> = rows.collect();
    let pages = rows.iter().map(|(path, url)| (url.clone(), files[path])).collect();
    rows.iter().for_each(|(path, _)| _ = files.remove(path));
    (pages, files.into_values().collect())
}

#[test]
fn the_archives_of_warcio_and_wget_are_unpacked_as_warcio_reads_them() {
    let Some(python) = crate::tools::python_with("archives", "warcio") else { return };
    let dir = TestDir::new();
    dir.directory("made");
    let script = crate::tools::checkout().unwrap().join("crates/warc/tests/judge.py");
    let judge = |args: &[&str]| {
        let mut command = Command::new(&python);
        let output = command.arg(&script).args(args).current_dir(dir.path("")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    crate::tools::skipped_by(judge(&["make", "made"]).as_bytes());
    let mut n_pages = 0;
    for name in std::fs::read_dir(dir.path("made")).unwrap() {
        let name = format!("made/{}", name.unwrap().file_name().to_str().unwrap());
        if !name.contains("arc") {
            continue;
        }
        let (pages, files) = expected(&judge(&["captures", &name]));
        dir.relink(&format!("unpack {name} -o out -q")).exits(0);
        dir.relink(&format!("unpack {name} -o raw -q --raw")).exits(0);
        let (found_pages, found_files) = unpacked(&dir);
        assert_eq!(found_pages, pages, "{name}");
        assert_eq!(found_files, files, "{name}");
        let refs = dir.relink(&format!("refs {name}")).exits(0);
        let n_refs = refs.text().lines().filter(|line| line.contains(" a[href] ")).count();
        let external = dir.relink(&format!("check --list-external {name}")).exits(0);
        assert!(n_refs > 300 && external.text().contains("/next.html"), "{name}: {n_refs}");
        n_pages += pages.len();
        for name in ["out", "raw"] {
            std::fs::remove_dir_all(dir.path(name)).unwrap();
        }
    }
    println!("{n_pages} pages");
    assert!(n_pages > 80, "{n_pages} pages");
}
