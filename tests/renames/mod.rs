//! Random renames of pages and directories in real trees: every reference reaches the file that it
//! reached before, under its new name, and `undo` restores every byte.
//!
//! A case is a sample of a tree that this machine has, or a generated tree with odd names, and
//! renames by a list, by `mv`, or in a repository of git. The judge (`tests/judge`) reads every
//! document before and after. `RELINK_CASES` sets the number of cases, `RELINK_SEED` the first one;
//! `RELINK_FULL=1` runs 200. `fuzz/laws/renames.rs` tries any list of renames in small trees.

mod judged;
mod lists;
mod model;
mod trees;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use self::judged::Sums;
use self::lists::Form;
use self::model::{Files, Renames, disk};
use self::trees::Random;

/// The way in which files are renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manner {
    /// A list of renames.
    List,
    /// `relink mv`.
    Mv,
    /// Files that git has renamed.
    Git,
}

const MANNERS: [Manner; 3] = [Manner::List, Manner::Mv, Manner::Git];

/// Returns the number in a variable of the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The directory of a case, with its tree `site`.
struct Case {
    directory: tempfile::TempDir,
    /// The words by which a case is found again, and its renames.
    name: String,
    renames: String,
}

impl Case {
    fn site(&self) -> PathBuf {
        self.directory.path().join("site")
    }

    /// Runs the program, which must succeed or skip only malformed XML.
    #[track_caller]
    fn relink(&self, args: &[&str]) {
        let output = Command::new(env!("CARGO_BIN_EXE_relink"))
            .args(args)
            .current_dir(self.directory.path())
            .output()
            .expect("the program starts");
        let report = String::from_utf8_lossy(&output.stderr);
        let is_done = output.status.success()
            || (output.status.code() == Some(2)
                && report.lines().all(|line| line.contains(": skipped; not well-formed: ")));
        let Case { name, renames, .. } = self;
        assert!(is_done, "{name}: {args:?}: {}\n{report}\n{renames}", output.status);
    }

    #[track_caller]
    fn git(&self, args: &[&str]) {
        let output = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"])
            .args(args)
            .current_dir(self.site())
            .output()
            .expect("git runs");
        let report = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: git {args:?}\n{report}", self.name);
    }

    /// Checks that `undo` restores a tree: its files and its directories.
    #[track_caller]
    fn undo(&self, before: &Files, directories: &BTreeSet<PathBuf>) {
        self.relink(&["undo", "site", "-q"]);
        let now = disk::read(&self.site());
        let names = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&now), names(before), "{}: the names after undo", self.name);
        let changed: Vec<&String> = now.keys().filter(|name| now[*name] != before[*name]).collect();
        assert!(changed.is_empty(), "{}: not restored: {changed:?}", self.name);
        assert_eq!(&disk::directories(&self.site()), directories, "{}: directories", self.name);
    }
}

/// Renames in one tree. With `is_root`, the tree is that of the root of a site, and relink is not
/// given its URL. Returns what the judge found.
fn run(seed: u64, manner: Manner, sources: &[trees::Source], is_root: bool) -> Sums {
    let mut random = Random::new(seed);
    let source = &sources[usize::try_from(seed).expect("a number") / MANNERS.len() % sources.len()];
    let mut case = Case {
        directory: tempfile::tempdir().expect("a directory"),
        name: format!("case {seed}, {manner:?} in {}", source.name),
        renames: String::new(),
    };
    let mut before = source.sample(&mut random);
    if is_root {
        trees::make_root(&mut before);
    }
    if manner == Manner::Git {
        trees::make_different(&mut before);
    }
    disk::write(&case.site(), &before);
    let directories = disk::directories(&case.site());
    let form = match manner {
        Manner::List => Form::List,
        Manner::Mv => Form::Sources,
        Manner::Git => Form::Files,
    };
    let renames = Renames::draw(&mut random, &before, form);
    case.renames = renames.to_string();
    // Without a URL, references are those of a disk.
    let is_on_disk = is_root || (manner != Manner::List && random.is_one_in(2));
    let site = case.site().canonicalize().expect("a directory");
    let base = match is_on_disk {
        // The judge reads it as a browser does.
        _ if is_root => "http://h.example/".to_owned(),
        true => format!("file://{}/", site.display()),
        false => source.base.clone(),
    };
    let base_option = format!("--base={base}");
    let base_options: &[&str] = if is_on_disk { &[] } else { &[&base_option] };
    let mut start = (before.clone(), directories);
    match manner {
        Manner::List => {
            fs::write(case.directory.path().join("list.tsv"), renames.list(&mut random))
                .expect("a file");
            let options = ["move", "site", &base_option, "--renames=list.tsv", "--rename-files"];
            case.relink(&[&options[..], &["-o", "out", "-q"]].concat());
            case.relink(&[&options[..], &["--in-place", "-q"]].concat());
            let out = disk::read(&case.directory.path().join("out"));
            assert!(out == disk::read(&case.site()), "{}: -o gives another tree", case.name);
        }
        Manner::Mv => {
            let sources = renames.sources();
            let mut args = vec!["mv", "--tree", "site", "-q"];
            args.extend(base_options);
            args.extend(sources.iter().map(String::as_str));
            case.relink(&args);
        }
        Manner::Git => {
            case.git(&["init", "-q"]);
            case.git(&["add", "-A"]);
            case.git(&["commit", "-qm", "first"]);
            renames.take_files(&case.site(), &before);
            case.git(&["add", "-A"]);
            start = (disk::read(&case.site()), disk::directories(&case.site()));
            let mut args = vec!["move", "site", "--from-git", "--in-place", "-q"];
            args.extend(base_options);
            case.relink(&args);
        }
    }
    let after = disk::read(&case.site());
    let sums = judged::judge(&before, &after, &renames, &base, manner == Manner::Git);
    assert!(
        sums.faults.is_empty(),
        "{}, at {base}: {} faults:\n{}\nrenames:\n{}",
        case.name,
        sums.faults.len(),
        sums.faults.iter().take(10).map(|fault| format!("  {fault}\n")).collect::<String>(),
        case.renames
    );
    if after == start.0 {
        // Nothing was renamed, and no reference depends on what was.
        assert!(manner == Manner::Git, "{}: nothing was renamed", case.name)
    } else {
        case.undo(&start.0, &start.1)
    }
    sums
}

/// The cases of one manner.
fn cases(manner: Manner) {
    if manner == Manner::Git && !crate::tools::has("git", &["--version"]) {
        return;
    }
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    let n_cases = number("RELINK_CASES").unwrap_or(if is_full { 200 } else { 10 });
    let first = number("RELINK_SEED").unwrap_or(1996);
    let sources = trees::sources();
    let mut all = Sums::default();
    let own = MANNERS.iter().position(|other| *other == manner).expect("a manner");
    let n_manners = MANNERS.len() as u64;
    for seed in (0..n_cases).filter(|case| case % n_manners == own as u64) {
        all.add(run(first + seed, manner, &sources, false));
    }
    println!(
        "{manner:?}: {} files renamed, {} documents, {} references, {} of them to or in renamed files",
        all.n_renamed, all.n_documents, all.n_references, all.n_affected
    );
}

#[test]
fn by_a_list() {
    cases(Manner::List);
}

#[test]
fn by_mv() {
    cases(Manner::Mv);
}

#[test]
fn by_git() {
    cases(Manner::Git);
}

/// Relink finds out that the tree is the root of `/x`.
#[test]
fn in_the_root_of_a_site_without_its_url() {
    let manners: &[Manner] = if crate::tools::has("git", &["--version"]) {
        &[Manner::Mv, Manner::Git]
    } else {
        &[Manner::Mv]
    };
    let n_cases = number("RELINK_CASES").unwrap_or(6);
    let first = number("RELINK_SEED").unwrap_or(1996);
    let sources = [trees::generated()];
    let mut all = Sums::default();
    for (seed, manner) in (first..first + n_cases).zip(manners.iter().cycle()) {
        all.add(run(seed, *manner, &sources, true));
    }
    assert!(all.n_affected > all.n_documents, "{} references", all.n_affected);
}

/// The judge sees a reference that reaches another file, and one that is out of the tree.
#[test]
fn the_judge_sees_what_is_wrong() {
    let files = |a: &str, name: &str, b: &str| -> Files {
        [("a.html", a), (name, b), ("d/x.html", "")]
            .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
            .into()
    };
    let before = files(
        "<a href=b.html?q#x>b</a> <a href=/o>o</a> <a href=none>none</a>",
        "b.html",
        "<a href=a.html>a</a>",
    );
    let mut renames = Renames::default();
    renames.pages.insert("b.html".to_owned(), "d/c.html".to_owned());
    let faults = |a: &str, b: &str| {
        let after = files(a, "d/c.html", b);
        judged::judge(&before, &after, &renames, "http://h/s/", false).faults.len()
    };
    let (a, b) = (
        "<a href=d/c.html?q#x>b</a> <a href=/o>o</a> <a href=none>none</a>",
        "<a href=../a.html>a</a>",
    );
    assert_eq!(faults(a, b), 0);
    for wrong in [
        a.replace("d/c.html", "b.html"),
        a.replace("d/c.html", "d/x.html"),
        a.replace("?q", ""),
        a.replace("/o", "/p"),
        a.replace("=none", "=d/none"),
        a.replacen("> <", ">  <", 1),
    ] {
        assert_eq!(faults(&wrong, b), 1, "{wrong}");
    }
    assert_eq!(faults(a, "<a href=a.html>a</a>"), 1);
}
