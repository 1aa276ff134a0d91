//! Any list of renames in any small tree, in place: it is refused and nothing is written, or no
//! file is lost or written over, every reference reaches its file, and `undo` restores every byte,
//! after a run that was interrupted too.

#[path = "../../tests/renames/model/mod.rs"]
mod model;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use relink::{Event, Interrupt, MoveOptions, Plan, RenameOptions, TreeOptions, Undo, undo};
use url::Url;

use model::reached::{Site, is_right};
use model::{Files, Renames, directories, disk, escaped};

const BASE: &str = "http://h.example/s/";

/// Names of files, and of directories.
const NAMES: [&str; 12] = [
    "a.html",
    "b.html",
    "A.html",
    "index.html",
    "d",
    "e",
    "d.html",
    "a b.html",
    "%41.html",
    "\u{e9}.html",
    "q?.html",
    "#",
];

/// What became of a list of renames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    Refused,
    /// Wholly applied, and undone.
    Applied,
    /// Applied, undone, interrupted at a later file, and undone again.
    Interrupted,
}

pub(crate) fn check(input: &[u8]) {
    apply(input);
}

/// Draws a tree and a list from the input, and applies the list.
pub(crate) fn apply(input: &[u8]) -> Done {
    let mut numbers = Numbers(input);
    let files = draw_tree(&mut numbers);
    let rows = draw_rows(&mut numbers, &files);
    let interrupted_after = numbers.below(6);
    let place = Place::new(files, &rows);
    match place.run(None) {
        Err(reason) => {
            assert!(!reason.contains("please report"), "{reason}\n{place}");
            place.is_as_before(&reason);
            return Done::Refused;
        }
        Ok(is_complete) => assert!(is_complete, "it is not complete\n{place}"),
    }
    let after = disk::read(&place.site);
    place.check_references(&after, &meaning(&place.files, &rows));
    if after != place.files {
        place.undo();
    }
    place.is_as_before("undo");
    if interrupted_after == 0 {
        return Done::Applied;
    }
    let is_complete = place.run(Some(interrupted_after)).unwrap_or_default();
    let now = disk::read(&place.site);
    place.each_file_is_whole(&now, &after);
    if now != place.files {
        place.undo();
    }
    place.is_as_before("undo of an interrupted run");
    if is_complete { Done::Applied } else { Done::Interrupted }
}

/// The input as numbers: zeros follow its end.
struct Numbers<'i>(&'i [u8]);

impl Numbers<'_> {
    /// Returns a number that is less than `n`.
    fn below(&mut self, n: usize) -> usize {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        usize::from(*first) % n.max(1)
    }

    fn path(&mut self) -> String {
        let names: Vec<&str> =
            (0..=self.below(3)).map(|_| NAMES[self.below(NAMES.len())]).collect();
        names.join("/")
    }
}

/// Draws pages that refer to each other. Each says in a comment which one it is.
fn draw_tree(numbers: &mut Numbers<'_>) -> Files {
    let n_files = 1 + numbers.below(7);
    let drawn: BTreeMap<String, Vec<[usize; 2]>> = (0..n_files)
        .map(|_| {
            let path = numbers.path();
            let n_references = numbers.below(6);
            let references = (0..n_references).map(|_| [numbers.below(256), numbers.below(10)]);
            (path, references.collect())
        })
        .collect();
    // A file cannot be a directory too.
    let outer = directories(drawn.keys());
    let paths: Vec<&String> = drawn.keys().filter(|path| !outer.contains(*path)).collect();
    let text = |path: &String| {
        let mut text = format!("<!doctype html><html><!-- {path} -->\n");
        for [to, form] in &drawn[path] {
            let url = reference(path, paths[to % paths.len()], *form);
            text.push_str(&format!("<a href=\"{url}\">a</a>\n"));
        }
        text.into_bytes()
    };
    paths.iter().map(|path| ((*path).clone(), text(path))).collect()
}

fn reference(from: &str, to: &str, form: usize) -> String {
    let up = "../".repeat(from.matches('/').count());
    let directory = to.rsplit_once('/').map_or("", |(directory, _)| directory);
    let to = escaped(to);
    match form {
        0 => format!("{BASE}{to}"),
        1 => format!("/s/{to}?q#x"),
        2 => format!("/s/{}/", escaped(directory)).replace("//", "/"),
        3 => format!("{up}{to}.none"),
        4 => format!("{up}../o"),
        5 => "#x".to_owned(),
        6 => format!("./{up}{}", escaped(directory)),
        _ => format!("{up}{to}#x"),
    }
}

/// A row: names, and whether each ends with a slash.
struct Row {
    old: String,
    is_old_directory: bool,
    new: String,
    is_new_directory: bool,
}

/// Draws rows, most of whose old names are those of files and directories of the tree.
fn draw_rows(numbers: &mut Numbers<'_>, files: &Files) -> Vec<Row> {
    let outer = directories(files.keys());
    let names: Vec<&String> = files.keys().chain(&outer).collect();
    let n_rows = 1 + numbers.below(4);
    (0..n_rows)
        .map(|_| {
            let kind = numbers.below(10);
            let known = names[numbers.below(names.len())].clone();
            let (is_old_directory, is_new_directory) =
                (numbers.below(2) == 1, numbers.below(2) == 1);
            match kind {
                0 => Row {
                    old: numbers.path(),
                    is_old_directory,
                    new: numbers.path(),
                    is_new_directory,
                },
                // A chain, or an exchange.
                1 | 2 => {
                    let new = names[numbers.below(names.len())].clone();
                    Row { old: known, is_old_directory, new, is_new_directory }
                }
                _ => {
                    let is_directory = outer.contains(&known);
                    Row {
                        old: known,
                        is_old_directory: is_directory,
                        new: numbers.path(),
                        is_new_directory: is_directory,
                    }
                }
            }
        })
        .collect()
}

/// Returns what the rows mean.
fn meaning(files: &Files, rows: &[Row]) -> Renames {
    let outer = directories(files.keys());
    let mut renames = Renames::default();
    for Row { old, is_old_directory, new, is_new_directory } in rows {
        let is_directory = !files.contains_key(old) && (outer.contains(old) || *is_old_directory);
        match is_directory {
            true => renames.directories.insert(old.clone(), new.clone()),
            false if *is_new_directory => {
                renames.pages.insert(old.clone(), format!("{new}/index.html"))
            }
            false => renames.pages.insert(old.clone(), new.clone()),
        };
    }
    renames
}

/// A directory with the tree and the list.
struct Place {
    directory: tempfile::TempDir,
    site: PathBuf,
    list: String,
    files: Files,
    directories: BTreeSet<PathBuf>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "files: {:?}", self.files.keys())?;
        f.write_str(&self.list)
    }
}

/// Runs something again for as long as it finds the tree locked. A process that another test starts
/// has all open files of this one for a moment, and with them the lock of a run that has ended.
fn when_unlocked<T>(run: impl Fn() -> Result<T, String>) -> Result<T, String> {
    let started = Instant::now();
    loop {
        let result = run();
        let is_locked = result.as_ref().is_err_and(|error| error.contains("another run is active"));
        if !is_locked || started.elapsed() > Duration::from_secs(300) {
            return result;
        }
        std::thread::yield_now();
    }
}

impl Place {
    fn new(files: Files, rows: &[Row]) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let site = directory.path().join("site");
        disk::write(&site, &files);
        let slash = |is_set: bool| if is_set { "/" } else { "" };
        let line = |row: &Row| {
            let [old, new] = [&row.old, &row.new].map(|path| escaped(path));
            let slashes = [row.is_old_directory, row.is_new_directory].map(slash);
            format!("./{old}{}\t./{new}{}\n", slashes[0], slashes[1])
        };
        let list: String = rows.iter().map(line).collect();
        fs::write(directory.path().join("list.tsv"), &list).expect("a file");
        let directories = disk::directories(&site);
        Place { directory, site, list, files, directories }
    }

    /// Runs the list, and interrupts the run after a number of documents. Returns whether it is
    /// complete, or why it was refused.
    fn run(&self, interrupted_after: Option<usize>) -> Result<bool, String> {
        when_unlocked(|| self.run_once(interrupted_after))
    }

    fn run_once(&self, interrupted_after: Option<usize>) -> Result<bool, String> {
        let interrupt = Interrupt::default();
        let mut n_documents = 0;
        let mut messages: Vec<String> = Vec::new();
        let mut events = |event: Event<'_>| {
            match event {
                Event::Message(message) => messages.push(message.text.to_owned()),
                Event::Document(_) => n_documents += 1,
                _ => {}
            }
            if interrupted_after == Some(n_documents) {
                interrupt.stop();
            }
            Ok(())
        };
        let options = RenameOptions {
            renames: vec![self.directory.path().join("list.tsv")],
            rename_files: true,
            ..RenameOptions::default()
        };
        let tree = TreeOptions::new([&self.site]).base(BASE).jobs(1);
        let plan = Plan::relocate(tree, MoveOptions::new().renames(options)).in_place();
        let plan = plan.keep_manifest().build(&mut events).map_err(|error| error.to_string())?;
        let plan = plan.interrupt(interrupt.clone());
        let summary = plan.run(&mut events).map_err(|error| error.to_string())?;
        let is_interrupted = interrupted_after.is_some() && interrupt.is_set();
        assert!(is_interrupted || summary.n_failed == 0, "{messages:?}\n{self}");
        Ok(!is_interrupted)
    }

    fn undo(&self) {
        let options = Undo { paths: vec![self.site.clone()], ..Undo::default() };
        let n_failed = when_unlocked(|| {
            let summary = undo(&options, &mut |_: Event<'_>| Ok(()));
            summary.map_err(|error| error.to_string()).map(|summary| summary.n_failed)
        });
        assert_eq!(n_failed, Ok(0), "undo\n{self}");
    }

    /// The tree is as it was, and nothing is beside it.
    fn is_as_before(&self, after: &str) {
        assert!(disk::read(&self.site) == self.files, "{after}: files changed\n{self}");
        assert_eq!(disk::directories(&self.site), self.directories, "{after}\n{self}");
        let entries = fs::read_dir(self.directory.path()).expect("a directory");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let other: Vec<_> = names.filter(|name| name != "site" && name != "list.tsv").collect();
        assert!(other.is_empty(), "{after}: {other:?}\n{self}");
    }

    /// Each file has its new name, nothing changed but references, and these reach what they
    /// reached. The pages are of one form, so quotation marks are enough to find references.
    fn check_references(&self, after: &Files, renames: &Renames) {
        let new_paths = renames.files(&self.files);
        let mut expected: Vec<&String> = new_paths.values().collect();
        expected.sort();
        assert_eq!(after.keys().collect::<Vec<_>>(), expected, "names of files\n{self}");
        let base = Url::parse(BASE).expect("a URL");
        let sites = [&self.files, after].map(|files| Site::new(&base, files));
        for (old, new) in &new_paths {
            let pages = [(old, &self.files[old]), (new, &after[new])];
            let urls = pages.map(|(path, _)| base.join(&escaped(path)).expect("a URL"));
            let texts = pages.map(|(_, bytes)| std::str::from_utf8(bytes).expect("a text"));
            let pieces = texts.map(|text| text.split('"').collect::<Vec<_>>());
            assert_eq!(pieces[0].len(), pieces[1].len(), "{old}: {}\n{self}", texts[1]);
            for (idx, (was, is)) in pieces[0].iter().zip(&pieces[1]).enumerate() {
                if idx % 2 == 0 {
                    assert_eq!(was, is, "{old}: no reference\n{self}");
                    continue;
                }
                let target = |url: &Url, text: &str| url.join(text).expect("a URL");
                let targets = [target(&urls[0], was), target(&urls[1], is)];
                let reached = sites[0].reached(&targets[0]);
                assert!(
                    is_right(targets.each_ref(), false, &reached, &sites[1], renames),
                    "{old}: {was} -> {is} led to {} ({reached:?}), leads to {} ({:?})\n{self}",
                    targets[0],
                    targets[1],
                    sites[1].reached(&targets[1])
                );
            }
        }
    }

    /// Each file is there, as it was or as it becomes.
    fn each_file_is_whole(&self, now: &Files, after: &Files) {
        let comment = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').next().map(<[u8]>::to_vec);
        let by_comment = |files: &Files| -> BTreeMap<_, Vec<u8>> {
            files.values().map(|bytes| (comment(bytes), bytes.clone())).collect()
        };
        let (first, last, now) = (by_comment(&self.files), by_comment(after), by_comment(now));
        assert_eq!(now.len(), first.len(), "a file is lost\n{self}");
        for (comment, bytes) in &now {
            let is_whole = first.get(comment) == Some(bytes) || last.get(comment) == Some(bytes);
            assert!(is_whole, "neither old nor new: {}\n{self}", String::from_utf8_lossy(bytes));
        }
    }
}
