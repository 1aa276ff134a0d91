//! Web archives that warcio and wget write (`crates/warc/tests/judge.py`), unpacked: the same URLs
//! as warcio finds in them, and the same content.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use flate2::Crc;

use crate::dir::{Node, TestDir};
use crate::tools;

/// The length and the CRC-32 of a content.
type Sum = (usize, u32);

fn sum(content: &[u8]) -> Sum {
    let mut crc = Crc::new();
    crc.update(content);
    (content.len(), crc.sum())
}

/// The content of the newest capture of each URL, as warcio reads it: pages by their URLs, and
/// other files.
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
    if !dir.has("out/index.html") {
        return Default::default();
    }
    let list = dir.text("out/index.html");
    let mut files: BTreeMap<String, Sum> = BTreeMap::new();
    for (path, node) in dir.tree("raw") {
        if let Node::File { bytes, .. } = node
            && path != Path::new(".relink-unpacked")
        {
            files.insert(path.display().to_string(), sum(&bytes));
        }
    }
    let rows = list.split("<a href=\"").skip(1).filter_map(|row| {
        let (path, rest) = row.split_once("\"><span class=\"what\">")?;
        let (title, rest) = rest.split_once("</span><span class=\"who\">")?;
        let (url, _) = rest.split_once("</span>")?;
        let url = if url.is_empty() { title } else { url };
        Some((path.to_owned(), url.replace("&amp;", "&")))
    });
    let rows: Vec<(String, String)> = rows.collect();
    let pages = rows.iter().map(|(path, url)| (url.clone(), files[path])).collect();
    rows.iter().for_each(|(path, _)| _ = files.remove(path));
    (pages, files.into_values().collect())
}

/// Runs the judge in a directory.
fn judge(python: &Path, dir: &TestDir, args: &[&str]) -> String {
    let script = tools::checkout().unwrap().join("crates/warc/tests/judge.py");
    let mut command = Command::new(python);
    let output = command.arg(&script).args(args).current_dir(dir.path("")).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Unpacks an archive, with and without its references as they are, and compares the content of
/// each URL with what warcio reads. Returns the number of pages.
#[track_caller]
fn is_unpacked_as_warcio_reads(python: &Path, dir: &TestDir, name: &str) -> usize {
    let (pages, files) = expected(&judge(python, dir, &["captures", name]));
    let run = dir.relink(&format!("unpack {name} -o out -q"));
    dir.relink(&format!("unpack {name} -o raw -q --raw"));
    let (found_pages, found_files) = unpacked(dir);
    assert_eq!(found_pages, pages, "{name}: {run}");
    assert_eq!(found_files, files, "{name}: {run}");
    for name in ["out", "raw"].into_iter().filter(|name| dir.has(name)) {
        std::fs::remove_dir_all(dir.path(name)).unwrap();
    }
    pages.len()
}

#[test]
fn the_archives_of_warcio_and_wget_are_unpacked_as_warcio_reads_them() {
    let Some(python) = tools::python_with("archives", "warcio") else { return };
    let dir = TestDir::new();
    dir.directory("made");
    tools::skipped_by(judge(&python, &dir, &["make", "made"]).as_bytes());
    let mut n_pages = 0;
    for name in std::fs::read_dir(dir.path("made")).unwrap() {
        let name = format!("made/{}", name.unwrap().file_name().to_str().unwrap());
        if !name.contains("arc") {
            continue;
        }
        n_pages += is_unpacked_as_warcio_reads(&python, &dir, &name);
        let refs = dir.relink(&format!("refs {name}")).exits(0);
        let n_refs = refs.text().lines().filter(|line| line.contains(" a[href] ")).count();
        let external = dir.relink(&format!("check --list-external {name}")).exits(0);
        assert!(n_refs > 300 && external.text().contains("/next.html"), "{name}: {n_refs}");
    }
    println!("{n_pages} pages");
    assert!(n_pages > 80, "{n_pages} pages");
}

/// Archives of pywb that warcio reads otherwise (docs/decisions.md, "Archives that warcio reads
/// otherwise").
const READ_OTHERWISE: [&str; 2] = ["example-bad.warc.gz.bad", "example-extra.warc"];

/// The archives that pywb tests with, which `.ci/run --install` fetches.
#[test]
fn the_archives_of_pywb_are_unpacked_as_warcio_reads_them() {
    let Some(python) = tools::python_with("archives", "warcio") else { return };
    let directory = tools::installed("foreign").join("pywb-2.10.0/sample_archive/warcs");
    let Ok(entries) = std::fs::read_dir(tools::others(directory)) else {
        return tools::skipped("the archives of pywb are not present");
    };
    let dir = TestDir::new();
    let (mut n_archives, mut n_pages) = (0, 0);
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !name.contains("arc") || READ_OTHERWISE.contains(&name) {
            continue;
        }
        dir.file(name, std::fs::read(&path).unwrap());
        n_pages += is_unpacked_as_warcio_reads(&python, &dir, name);
        n_archives += 1;
    }
    println!("{n_archives} archives, {n_pages} pages");
    assert!(n_archives > 10 && n_pages > 20, "{n_archives} archives, {n_pages} pages");
}
