//! Packed pages, judged by Python's `email` package: small trees are generated, packed, and the
//! parts of each message must be the files that the page loads, byte by byte, under the URLs to
//! which the references resolve. The judge resolves and finds references with code of its own
//! (`judge.py`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use walkdir::WalkDir;

/// The files of a generated tree, by their paths.
type Tree = Vec<(String, Vec<u8>)>;

/// Names of directories and files, some of which need escapes in URLs.
const DIRECTORIES: [&str; 5] = ["", "a/", "a/b/", "c d/", "é/"];
const NAMES: [&str; 6] =
    ["x", "y z", "ü", "q%", "long-name-that-is-cut-by-the-encoder-of-lines", "p"];
const ENDS: [&str; 3] = ["\n", "\r\n", "\r"];

/// Returns text that is hard to encode: any bytes of a line, and any line end.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[ -~]{0,90}".prop_map(String::into_bytes),
        "[ \t=.]{1,4}".prop_map(String::into_bytes),
        Just(b"From me ".to_vec()),
        Just("é日".as_bytes().to_vec()),
        prop::sample::select(ENDS.to_vec()).prop_map(|end| end.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..20),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// Returns text of a comment, which contains no reference.
fn comment() -> impl Strategy<Value = Vec<u8>> {
    content().prop_map(|mut bytes| {
        bytes.retain(|byte| !b"<>-*/@\0".contains(byte));
        bytes
    })
}

/// Returns the files of a tree: the kind of each, its place, what it loads, and filling.
fn tree() -> impl Strategy<Value = Tree> {
    let file = (
        0..DIRECTORIES.len(),
        0..NAMES.len(),
        0..4_usize,
        prop::collection::vec((any::<prop::sample::Index>(), 0..6_usize), 0..5),
        comment(),
        content(),
    );
    prop::collection::vec(file, 1..9).prop_map(|files| {
        let extension = |idx: usize, kind: usize| match (idx, kind) {
            (0, _) | (_, 0) => "html",
            (_, 1) => "css",
            (_, 2) => "png",
            _ => "js",
        };
        let paths: Vec<String> = files
            .iter()
            .enumerate()
            .map(|(idx, (directory, name, kind, ..))| {
                let name = format!("{}{idx}.{}", NAMES[*name], extension(idx, *kind));
                format!("{}{name}", DIRECTORIES[*directory])
            })
            .collect();
        let content = |idx: usize| {
            let (directory, _, kind, loads, comment, content) = &files[idx];
            let up = "../".repeat(DIRECTORIES[*directory].matches('/').count());
            let url = |(target, form): &(prop::sample::Index, usize)| {
                let path = &paths[target.index(paths.len())];
                let escaped = escaped(path);
                match form {
                    0 => format!("{up}{escaped}"),
                    1 => format!("./{up}{escaped}?v={form}"),
                    2 => format!("{up}{escaped}#part"),
                    3 => format!("{up}missing/{escaped}"),
                    4 => format!("{up}x/../{escaped}"),
                    _ => format!("https://h.example/{escaped}"),
                }
            };
            let urls: Vec<String> = loads.iter().map(url).collect();
            match extension(idx, *kind) {
                "html" => {
                    let tags = urls.iter().enumerate().map(|(number, url)| match number % 4 {
                        0 => format!("<img src=\"{url}\">"),
                        1 => format!("<link rel=stylesheet href=\"{url}\">"),
                        2 => format!("<iframe src='{url}'></iframe>"),
                        _ => format!("<img srcset=\"{url} 2x\"><a href='{url}'>link</a>"),
                    });
                    let tags: String = tags.collect();
                    [
                        b"<!doctype html><meta charset=utf-8><!--",
                        &**comment,
                        b"-->",
                        tags.as_bytes(),
                    ]
                    .concat()
                }
                "css" => {
                    let rules = urls.iter().enumerate().map(|(number, url)| match number % 2 {
                        0 => format!("@import \"{url}\";"),
                        _ => format!("p {{ background: url('{url}') }}"),
                    });
                    let mut rules: Vec<String> = rules.collect();
                    rules.sort_by_key(|rule| !rule.starts_with('@'));
                    [b"@charset \"utf-8\";/*", &**comment, b"*/", rules.concat().as_bytes()]
                        .concat()
                }
                _ => content.clone(),
            }
        };
        (0..paths.len()).map(|idx| (paths[idx].clone(), content(idx))).collect()
    })
}

/// Returns a path as it is written in a URL.
fn escaped(path: &str) -> String {
    path.bytes()
        .map(|byte| match byte {
            byte if byte.is_ascii_alphanumeric() || b"-._/".contains(&byte) => {
                char::from(byte).to_string()
            }
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

/// Writes a tree.
fn write(directory: &Path, tree: &Tree) {
    for (path, bytes) in tree {
        let path = directory.join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, bytes).expect("a file");
    }
}

/// Runs the judge for pages of a root and their messages.
fn judge(root: &Path, messages: &[(PathBuf, PathBuf)]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pack/judge.py");
    let paths = messages.iter().flat_map(|(page, message)| [page, message]);
    let output = Command::new("python3").arg(script).arg(root).args(paths).output();
    let output = output.expect("python3 starts");
    let report = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{}{}", report[0], report[1]);
}

/// Packs every page of a tree, and returns the pages and their messages.
fn pack(root: &Path, out: &Path, base: &str) -> Vec<(PathBuf, PathBuf)> {
    let run = Command::new(env!("CARGO_BIN_EXE_relink"))
        .args(["pack", "--base", base, "-o"])
        .arg(out)
        .arg("--tree")
        .arg(root)
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .output()
        .expect("the program starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let pages = WalkDir::new(root).sort_by_file_name().into_iter().filter_map(Result::ok);
    let pages = pages.map(walkdir::DirEntry::into_path);
    let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "html"));
    let message = |page: PathBuf| {
        let below = page.strip_prefix(root).expect("a page of the tree").with_extension("mhtml");
        (page, out.join(below))
    };
    pages.map(message).collect()
}

#[test]
fn python_reads_the_files_that_generated_pages_load() {
    if !crate::tools::has("python3", &["--version"]) {
        return;
    }
    let cases = std::env::var("RELINK_CASES").ok().and_then(|cases| cases.parse().ok());
    let is_full = std::env::var("RELINK_FULL").is_ok_and(|value| value == "1");
    let cases = cases.unwrap_or(if is_full { 500 } else { 24 });
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    let result = runner.run(&tree(), |tree| {
        let directory = tempfile::tempdir().expect("a directory");
        let (root, out) = (directory.path().join("site"), directory.path().join("out"));
        write(&root, &tree);
        let messages = pack(&root, &out, "https://h.test/d/");
        prop_assert!(!messages.is_empty());
        judge(&root, &messages);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// Pages of the documentation of Python, if it is on this machine.
#[test]
fn python_reads_the_files_that_pages_of_its_documentation_load() {
    if !crate::tools::has("python3", &["--version"]) {
        return;
    }
    let html = crate::tools::others("/usr/share/doc/python3.11/html");
    if !html.is_dir() {
        crate::tools::skipped("the documentation of Python is not on this machine");
        return;
    }
    let root = html.canonicalize().expect("a directory");
    let directory = tempfile::tempdir().expect("a directory");
    let messages = pack(&root, &directory.path().join("out"), "https://h.test/d/");
    let is_full = std::env::var("RELINK_FULL").is_ok_and(|value| value == "1");
    let step = if is_full { 1 } else { messages.len().div_ceil(20).max(1) };
    let sample: Vec<(PathBuf, PathBuf)> = messages.into_iter().step_by(step).collect();
    judge(&root, &sample);
}
