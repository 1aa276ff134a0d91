//! `--update` and `--delete`: an output that follows its input, and files in it that stay.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::dir::TestDir;
use crate::words::{EXCLUDES, NOTHING_REMOVED};

const UPDATE: &str = "absolutize site --base http://h.example/a/ -o out --update";

const FILES: &[(&str, &str)] = &[
    ("site/a.html", "<a href=b.html>b</a>"),
    ("site/d/b.html", "<a href=../a.html>a</a>"),
    ("site/d/t.txt", "text"),
    ("site/mail.mbox", "From a@h Mon Jun  3 12:50:27 1996\n\n<a href=x>\n"),
];

/// The inodes of the files below a directory.
fn inodes(root: &Path) -> BTreeMap<PathBuf, u64> {
    let entries = WalkDir::new(root).into_iter().filter_map(Result::ok);
    entries
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let inode = entry.metadata().unwrap().ino();
            (entry.path().strip_prefix(root).unwrap().to_owned(), inode)
        })
        .collect()
}

#[test]
fn a_second_run_writes_nothing() {
    let dir = TestDir::with(FILES);
    dir.relink("absolutize site --base http://h.example/a/ -o out -q").exits(0);
    let (before, tree) = (inodes(&dir.path("out")), dir.tree("out"));
    let run = dir.relink(UPDATE).exits(0);
    assert!(
        run.stderr.contains("\n4 files up to date in the output, 0 removed from it\n"),
        "{}",
        run.stderr
    );
    assert_eq!(inodes(&dir.path("out")), before);
    assert_eq!(dir.tree("out"), tree);
}

#[test]
fn only_what_differs_is_written() {
    let dir = TestDir::with(FILES);
    dir.relink(UPDATE).exits(0);
    let before = inodes(&dir.path("out"));
    dir.file("site/a.html", "<a href=c.html>c</a>");
    dir.file("site/new.html", "<a href=a.html>a</a>");
    fs::remove_file(dir.path("site/d/t.txt")).unwrap();
    dir.relink(UPDATE).exits(0);
    assert_eq!(dir.text("out/a.html"), "<a href=http://h.example/a/c.html>c</a>");
    assert_eq!(dir.text("out/new.html"), "<a href=http://h.example/a/a.html>a</a>");
    // Without `--delete`, what the input does not contain stays.
    assert_eq!(dir.text("out/d/t.txt"), "text");
    let after = inodes(&dir.path("out"));
    let same = before.iter().filter(|(path, inode)| after.get(*path) == Some(*inode));
    let same: Vec<_> = same.map(|(path, _)| path.to_str().unwrap()).collect();
    assert_eq!(same, ["d/b.html", "d/t.txt", "mail.mbox"]);
    let run = dir.relink(&format!("{UPDATE} --delete -v")).exits(0);
    assert!(!dir.has("out/d/t.txt"));
    let removed = "out/d/t.txt: removed; PATH does not contain it\n";
    assert!(run.stderr.contains(removed), "{}", run.stderr);
    let sums = "\n4 files up to date in the output, 1 removed from it\n";
    assert!(run.stderr.contains(sums), "{}", run.stderr);
}

#[test]
fn nothing_is_removed_if_a_file_fails() {
    let dir = TestDir::with(FILES);
    dir.relink(UPDATE).exits(0);
    fs::remove_file(dir.path("site/d/t.txt")).unwrap();
    dir.file("site/bad.xml", "<a href='x'>");
    let run = dir.relink(&format!("{UPDATE} --delete")).exits(2);
    assert!(dir.has("out/d/t.txt"));
    let note = NOTHING_REMOVED;
    assert!(run.stderr.contains(note), "{}", run.stderr);
}

#[test]
fn a_link_out_of_the_output_is_removed_and_not_followed() {
    let dir = TestDir::with(FILES);
    dir.relink(UPDATE).exits(0);
    dir.file("elsewhere/kept.txt", "kept");
    symlink(dir.path("elsewhere"), dir.path("out/link")).unwrap();
    fs::remove_dir_all(dir.path("out/d")).unwrap();
    symlink(dir.path("elsewhere"), dir.path("out/d")).unwrap();
    dir.relink(&format!("{UPDATE} --delete")).exits(0);
    assert!(!dir.has("out/link"));
    assert_eq!(dir.text("out/d/t.txt"), "text");
    assert_eq!(dir.text("elsewhere/kept.txt"), "kept");
    assert!(!dir.has("elsewhere/t.txt"));
}

#[test]
fn options_that_do_not_fit() {
    let dir = TestDir::with(FILES);
    for (line, message) in [
        ("absolutize site --base http://h/ --in-place --update", EXCLUDES),
        ("absolutize site --base http://h/ --diff --update", "--output <OUT>"),
        ("absolutize site --base http://h/ -o out --delete", "--update"),
    ] {
        let run = dir.relink(line).exits(2);
        assert!(run.stderr.contains(message), "{line}: {}", run.stderr);
    }
}

/// A generator of numbers, so that a seed is a series of changes (xorshift64*).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(high).unwrap() % n
    }
}

/// Changes an entry of a tree: its content, mode, kind or name; or adds one.
fn change(random: &mut Random, root: &Path) {
    let entries: Vec<PathBuf> = WalkDir::new(root)
        .min_depth(1)
        .sort_by_file_name()
        .into_iter()
        .filter_map(Result::ok)
        .map(walkdir::DirEntry::into_path)
        .collect();
    let number = random.below(1000);
    let Some(path) = entries.get(random.below(entries.len().max(1))) else {
        return fs::write(root.join("first.html"), "<a href=x>").unwrap();
    };
    let directory = if path.is_dir() { path } else { path.parent().unwrap() };
    let remove = || {
        if path.symlink_metadata().unwrap().is_dir() {
            fs::remove_dir_all(path).unwrap()
        } else {
            fs::remove_file(path).unwrap()
        }
    };
    let page = format!("<a href='p{number}.html'>{number}</a>");
    match random.below(9) {
        0 | 1 => fs::write(directory.join(format!("p{number}.html")), page).unwrap(),
        2 => fs::write(directory.join(format!("t{number}.txt")), page).unwrap(),
        3 => fs::create_dir_all(directory.join(format!("d{number}/e"))).unwrap(),
        4 => remove(),
        5 => {
            // A directory becomes a file, and a file a directory.
            let was_directory = path.symlink_metadata().unwrap().is_dir();
            remove();
            if was_directory {
                fs::write(path, page).unwrap()
            } else {
                fs::create_dir(path).unwrap();
                fs::write(path.join("in.html"), page).unwrap();
            }
        }
        // The name may be that of a directory.
        6 => drop(fs::rename(path, path.with_file_name(format!("n{number}.html")))),
        7 if path.symlink_metadata().unwrap().is_file() => {
            let mode = [0o644, 0o600, 0o755][number % 3];
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        _ => {
            remove();
            symlink("p1.html", path).unwrap();
        }
    }
}

/// After each of many series of changes, the output is what a new run writes, and files that are
/// the same were not written.
#[test]
fn an_update_equals_a_new_run() {
    let n_seeds = if std::env::var_os("RELINK_FULL").is_some() { 100 } else { 5 };
    for seed in 1..=n_seeds {
        let dir = TestDir::with(FILES);
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        for round in 0..3 {
            let (before, was) = (inodes(&dir.path("out")), tree_of(&dir, "out"));
            for _ in 0..50 {
                change(&mut random, &dir.path("site"));
            }
            dir.relink(&format!("{UPDATE} --delete -q")).exits(0);
            dir.relink("absolutize site --base http://h.example/a/ -o fresh -q").exits(0);
            let fresh = dir.tree("fresh");
            assert_eq!(dir.tree("out"), fresh, "seed {seed}, round {round}");
            fs::remove_dir_all(dir.path("fresh")).unwrap();
            let after = inodes(&dir.path("out"));
            for (path, inode) in before {
                let is_same = was.get(&path) == fresh.get(&path);
                assert!(
                    !is_same || after.get(&path) == Some(&inode),
                    "seed {seed}, round {round}: {} was written again",
                    path.display()
                );
            }
        }
    }
}

/// After few changes, or none, on either side: the output is what a new run writes, and what the
/// run says does not depend on whether it has read the documents.
#[test]
fn an_update_after_few_changes_equals_a_new_run() {
    let n_seeds = if std::env::var_os("RELINK_FULL").is_some() { 100 } else { 4 };
    let mut n_unread = 0;
    for seed in 1..=n_seeds {
        let dir = TestDir::with(FILES);
        dir.file("site/more.docx", "x");
        let mut random = Random(0x2545_f491_4f6c_dd1d_u64.wrapping_mul(seed));
        for round in 0..8 {
            for _ in 0..random.below(3) {
                change(&mut random, &dir.path("site"));
            }
            if round > 0 && random.below(3) == 0 {
                change(&mut random, &dir.path("out"));
            }
            dir.relink(&format!("{UPDATE} --delete -q")).exits(0);
            dir.relink("absolutize site --base http://h.example/a/ -o fresh -q").exits(0);
            assert_eq!(dir.tree("out"), dir.tree("fresh"), "seed {seed}, round {round}");
            fs::remove_dir_all(dir.path("fresh")).unwrap();
            n_unread += usize::from(dir.has(STAMPS));
            let second = dir.relink(&format!("{UPDATE} --delete")).exits(0);
            let read = dir.relink(&format!("{UPDATE} --delete --checksum")).exits(0);
            assert_eq!(second.stderr, read.stderr, "seed {seed}, round {round}");
        }
    }
    assert!(n_unread > 0);
}

const STAMPS: &str = ".out.relink-stamps";

/// A file whose size and time are as before has another stamp, and so has a run with other options.
#[test]
fn stamps_are_not_those_of_another_content_or_run() {
    let dir = TestDir::with(FILES);
    let update = || dir.relink(&format!("{UPDATE} -q")).exits(0);
    let is_new = |page: &str| dir.text("out/a.html").contains(page);
    update();
    assert!(dir.has(STAMPS) && is_new("a/b.html"));
    let cases = [("site/a.html", "c.html", "a/c.html"), ("out/a.html", "d.html", "a/b.html")];
    for (file, page, expected) in cases {
        let time = dir.path(file).metadata().unwrap().modified().unwrap();
        dir.file(file, dir.text(file).replace("b.html", page));
        fs::File::open(dir.path(file)).unwrap().set_modified(time).unwrap();
        update();
        assert!(is_new(expected), "{file}");
        dir.file("site/a.html", FILES[0].1);
        update();
        assert!(is_new("a/b.html"), "{file}");
    }
    dir.relink("absolutize site --base http://o.example/ -o out --update -q").exits(0);
    assert!(is_new("http://o.example/b.html"));
    update();
    assert!(is_new("http://h.example/a/b.html"));
    // What is not of this program stays, and is not used.
    dir.file(STAMPS, "mine");
    dir.file("site/a.html", "<a href=e.html>e</a>");
    update();
    assert!(is_new("a/e.html") && dir.text(STAMPS) == "mine");
}

/// A file that is not listed may matter: here, whether it is there.
#[test]
fn a_list_of_files_has_no_stamps() {
    let dir =
        TestDir::with(&[("site/a.html", "<a href=/site/b.html>b</a>"), ("list", "site/a.html\n")]);
    let line =
        "relativize --for file --base http://h.example/ --files-from list -o out --update -q";
    dir.relink(line).exits(0);
    let out = "out/site/a.html";
    let before = dir.text(out);
    dir.file("site/b.html", "");
    dir.relink(line).exits(0);
    assert!(!dir.has(STAMPS) && dir.text(out) != before, "{before}");
}

fn tree_of(dir: &TestDir, name: &str) -> BTreeMap<PathBuf, crate::dir::Node> {
    if dir.has(name) { dir.tree(name) } else { BTreeMap::new() }
}
