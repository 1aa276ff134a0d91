//! Runs that are killed: no file is ever half-written, and the same command goes on to the tree of a run that nobody disturbed.
//!
//! `RELINK_KILLS=200 cargo test --release --test faults -- --nocapture` for the long form.

#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test stops where it cannot go on, and tells what it saw"
)]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use walkdir::WalkDir;

/// Every file of a tree, by its path.
type Tree = BTreeMap<PathBuf, Vec<u8>>;

/// Pages, style sheets, headings beside pages, and a mailbox: what is written in one go and what is written piece by piece.
fn first_tree() -> Tree {
    let mut tree = Tree::new();
    for page in 0..120 {
        let mut text = format!("<base href=\"http://h.example/base{page}/\">\n");
        for link in 0..200 {
            writeln!(
                text,
                "<a href=\"http://h.example/p{link}\">p</a> <a href=/q{link}>q</a> <a href=r>r</a>"
            )
            .unwrap();
        }
        let folder = PathBuf::from(format!("d{}", page % 7));
        tree.insert(folder.join(format!("page{page}.html")), text.into_bytes());
        if page % 5 == 0 {
            let name = format!("page{page}.html.headers");
            tree.insert(folder.join(name), b"Content-Base: http://h.example/k/\n".to_vec());
        }
    }
    tree.insert(
        "style.css".into(),
        b"@import \"http://h.example/x.css\"; a { b: url(/y) }\n".to_vec(),
    );
    let mail = "From a@b Thu Jan  1 00:00:00 1998\nContent-Base: http://h.example/m/\nContent-Type: text/html\n\n<a href=http://h.example/x>\n<a href=/y>\n\n";
    tree.insert("box.mbox".into(), mail.repeat(400).into_bytes());
    tree
}

fn written(tree: &Tree) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in tree {
        let path = folder.path().join("site").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

/// What is in the tree now; but half-written files that a killed run has left beside the documents.
fn read(folder: &Path) -> Tree {
    let site = folder.join("site");
    let files = WalkDir::new(&site).into_iter().map(Result::unwrap);
    let files = files.filter(|entry| {
        entry.file_type().is_file() && !entry.file_name().to_string_lossy().starts_with(".relink-")
    });
    files
        .map(|entry| {
            let below = entry.path().strip_prefix(&site).unwrap().to_owned();
            (below, fs::read(entry.path()).unwrap())
        })
        .collect()
}

fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_relink"));
    command.args(line.split(' ')).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn run(folder: &Path, line: &str) -> Output {
    command(folder, line).output().unwrap()
}

/// Numbers that are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

fn n_kills() -> u64 {
    std::env::var("RELINK_KILLS").ok().and_then(|number| number.parse().ok()).unwrap_or(20)
}

/// Kills runs of a command at random moments. Each time every file is what it was or what it becomes, and the same command ends what was begun.
fn kill_often(line: &str) {
    let first = first_tree();
    let undisturbed = written(&first);
    let started = Instant::now();
    let output = run(undisturbed.path(), line);
    let length = started.elapsed();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    let last = read(undisturbed.path());
    assert!(last != first);
    let mut random = Random(1996);
    let (mut n_within, mut n_files) = (0, 0);
    for kill in 0..n_kills() {
        let folder = written(&first);
        let mut child = command(folder.path(), line).spawn().unwrap();
        let length = u64::try_from(length.as_micros()).unwrap();
        thread::sleep(Duration::from_micros(random.below(length.max(1))));
        child.kill().unwrap();
        child.wait().unwrap();
        let now = read(folder.path());
        for (path, bytes) in &first {
            let is_whole = now.get(path) == Some(bytes) || now.get(path) == last.get(path);
            assert!(is_whole, "kill {kill} of {line}: {} is neither old nor new", path.display());
            n_files += 1;
        }
        n_within += u64::from(now != first && now != last);
        let again = run(folder.path(), line);
        let told = String::from_utf8_lossy(&again.stderr).into_owned();
        let was_done = told.contains("was moved so already");
        assert!(again.status.success() || was_done, "kill {kill} of {line}: {told}");
        let end = read(folder.path());
        for (path, bytes) in &last {
            let is_same = end.get(path) == Some(bytes);
            assert!(is_same, "kill {kill} of {line}: {} is another at last", path.display());
        }
        assert_eq!(end.len(), last.len(), "kill {kill} of {line}");
    }
    println!(
        "{line}: {} kills, {n_within} of them amid the writing, {n_files} files whole",
        n_kills()
    );
    assert!(n_within > 0, "{line}: no run was killed amid the writing");
}

#[test]
fn moves_that_would_be_made_twice() {
    kill_often("move site --from http://h.example/ --to http://h.example/archive/ --in-place -q");
}

#[test]
fn moves_with_backups() {
    kill_often(
        "move site --from http://h.example/ --to https://n.example/a/ --in-place --backup -q",
    );
}

#[test]
fn absolute_references() {
    kill_often("absolutize site --base http://h.example/ --in-place -q");
}

#[test]
fn relative_references_with_backups() {
    kill_often("relativize site --base http://h.example/ --in-place --backup -q");
}
