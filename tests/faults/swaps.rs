//! A directory of the tree is exchanged with a symbolic link, again and again while a command runs:
//! nothing outside the tree is written.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::held::{Held, ONE_THREAD};
use crate::tools;

const PAGE: &str = "<a href=/x>\n";

/// How many pages the directory has that is exchanged.
const N_PAGES: usize = 60;

/// A tree `site`, and a directory `outside` that has the same names.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for tree in ["site/d", "site/e", "outside"] {
        fs::create_dir_all(place.path().join(tree)).unwrap();
        for n in 0..N_PAGES {
            fs::write(place.path().join(tree).join(format!("{n}.html")), PAGE).unwrap();
        }
    }
    symlink(place.path().join("outside"), place.path().join("link")).unwrap();
    place
}

fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.path(), fs::read(entry.path()).unwrap_or_default())).collect()
}

fn relink(place: &Path, line: &str) -> Option<i32> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_relink"));
    command.args(line.split(' ')).current_dir(place);
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().code()
}

/// Runs a command while `swapped` is exchanged with the link; returns how often it was.
fn run_with_swaps(place: &Path, line: &str, swapped: &str) -> u64 {
    let (is_done, has_begun) = (AtomicBool::new(false), AtomicBool::new(false));
    let (one, other) = (place.join(swapped), place.join("link"));
    let exchange = || renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE);
    // The system can do it, there and back.
    exchange().and_then(|()| exchange()).unwrap();
    thread::scope(|scope| {
        let swaps = scope.spawn(|| {
            let mut n_swaps = 0;
            while !is_done.load(Ordering::Relaxed) {
                n_swaps += u64::from(exchange().is_ok());
                has_begun.store(n_swaps > 0, Ordering::Relaxed);
                thread::yield_now();
            }
            n_swaps
        });
        tools::wait_until("they are exchanged", || has_begun.load(Ordering::Relaxed));
        let status = relink(place, line);
        is_done.store(true, Ordering::Relaxed);
        assert!(matches!(status, Some(0 | 2)), "{line}: {status:?}");
        swaps.join().unwrap()
    })
}

/// Returns how many runs are made of each command.
fn n_runs() -> usize {
    if crate::is_long() { 500 } else { 12 }
}

/// Runs a command over a fresh place each time. `prepare` makes the place ready.
fn check(line: &str, swapped: &str, prepare: impl Fn(&Path)) {
    let mut n_swaps = 0;
    for _ in 0..n_runs() {
        let place = place();
        prepare(place.path());
        let outside = files(&place.path().join("outside"));
        n_swaps += run_with_swaps(place.path(), line, swapped);
        assert!(files(&place.path().join("outside")) == outside, "{line}: written outside");
    }
    assert!(n_swaps > 0, "{line}: nothing was exchanged");
    println!("{line}: {} runs, {n_swaps} exchanges, 0 files outside changed", n_runs());
}

#[test]
fn a_run_in_place_writes_nothing_outside() {
    check("absolutize site --base http://h/ --in-place --quiet", "site/d", |_| {});
    check("absolutize site --base http://h/ --in-place --backup -q", "site/d", |_| {});
}

#[test]
fn a_run_into_an_output_writes_nothing_outside() {
    check("absolutize site --base http://h/ -o out --force -q", "out/d", |place| {
        fs::create_dir_all(place.join("out/d")).unwrap();
    });
    check("absolutize site --base http://h/ -o out -q", "site/d", |_| {});
}

/// Makes a run that is killed when it has written some pages, and not all.
fn interrupt(place: &Path) {
    let mut command = Command::new(ONE_THREAD[0]);
    command.args(&ONE_THREAD[1..]).arg(env!("CARGO_BIN_EXE_relink"));
    command.args(["absolutize", "site", "--base", "http://h/", "--in-place", "-v"]);
    command.current_dir(place);
    let page = place.join("site/d/0.html");
    drop(Held::begin(command, || fs::read_to_string(&page).unwrap() != PAGE));
    let files = files(&place.join("site/e"));
    assert!(files.values().any(|bytes| bytes == PAGE.as_bytes()), "all pages are written");
}

#[test]
fn undo_and_resume_write_nothing_outside() {
    // What is outside looks like what the run has written: undo would restore it, if it came there.
    let written = |place: &Path| {
        for n in 0..N_PAGES {
            let page = place.join("outside").join(format!("{n}.html"));
            fs::write(page, "<a href=http://h/x>\n").unwrap();
        }
        interrupt(place);
    };
    check("undo site -q", "site/d", written);
    check("resume site -q", "site/d", interrupt);
}
