//! The tree that runs are interrupted over, and what must be true of it after that.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use walkdir::WalkDir;

use crate::copies::{copy, in_memory, set_modified};
use crate::directories::{self, Directories};
use crate::held::{Held, ONE_THREAD};

/// What is at a path.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Node {
    File { bytes: Vec<u8>, mode: u32, modified: SystemTime },
    Link(PathBuf),
}

/// Every file and link of a tree, by its path.
pub(crate) type Tree = BTreeMap<PathBuf, Node>;

/// A command, and what it is over.
pub(crate) struct Case {
    pub(crate) line: &'static str,
    /// What names the run for `resume` and `undo`.
    pub(crate) name: &'static str,
    /// Returns the new path of a file, if the run renames files.
    pub(crate) new_path: Option<fn(&Path) -> PathBuf>,
}

impl Case {
    pub(crate) const fn new(line: &'static str, name: &'static str) -> Self {
        Case { line, name, new_path: None }
    }
}

pub(crate) const ABSOLUTE: Case =
    Case::new("absolutize site --base http://h.example/ --in-place -q", "site");
pub(crate) const RELATIVE: Case =
    Case::new("relativize site --base http://h.example/ --in-place --backup -q", "site");
/// What would be moved twice if it were done twice.
pub(crate) const NESTED: Case = Case::new(
    "move site --base http://h.example/ --from http://h.example/ --to http://h.example/archive/ --in-place -q",
    "site",
);
pub(crate) const KEPT: Case = Case::new(
    "move site --base http://h.example/ --from http://h.example/ --to https://n.example/a/ --in-place --backup -q",
    "site/",
);
/// All at once: two PATHs, nested, kept, durable.
pub(crate) const ALL: Case = Case::new(
    "move site more --map site=http://h.example/ --map more=http://h.example/more/ --from http://h.example/ --to http://h.example/archive/ --in-place --backup --durable -q",
    "more",
);

pub(crate) const CASES: [&Case; 5] = [&ABSOLUTE, &RELATIVE, &NESTED, &KEPT, &ALL];

/// A file that is written over keeps the time.
pub(crate) fn long_ago(n: usize) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(800_000_000 + n as u64)
}

fn page(number: usize, n_links: usize) -> String {
    let mut text = format!("<base href=\"http://h.example/base{number}/\">\n");
    for link in 0..n_links {
        writeln!(
            text,
            "<a href=\"http://h.example/p{link}\">p</a> <a href=/q{link}>q</a> <a href=r>r</a>"
        )
        .unwrap();
    }
    text
}

/// A tree of all that is written in a way of its own: pages, a style sheet, header sections beside
/// pages, a mailbox (piece by piece), a message whose name says its size, UTF-16, links; and what
/// is none of these.
pub(crate) fn first_tree(n_pages: usize, n_messages: usize) -> Tree {
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    let mut add = |path: &str, bytes: &[u8]| files.push((path.into(), bytes.to_vec()));
    if n_pages > 10 {
        // A run that is held waits here.
        add("site/a.html", page(0, 2).as_bytes());
    }
    for number in 0..n_pages {
        let path = format!("site/d{}/page{number}.html", number % 7);
        add(&path, page(number, if n_pages > 10 { 200 } else { 3 }).as_bytes());
        if number % 5 == 0 {
            add(&format!("{path}.headers"), b"Content-Base: http://h.example/k/\n");
        }
    }
    add("site/style.css", b"@import \"http://h.example/x.css\"; a { b: url(/y) }\n");
    add("site/uses.html", b"<link rel=stylesheet href=style.css integrity=sha256-+AxIVOTfudLqF0PCwIApHnkJ9/3AljIE/soLkWKQlHU=>");
    let wide = format!("\u{feff}{}", page(1, 2));
    add("site/wide.html", &wide.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    let mail = "From a@b Thu Jan  1 00:00:00 1998\nContent-Base: http://h.example/m/\nContent-Type: text/html\n\n<a href=http://h.example/x>\n<a href=/y>\n\n";
    add("site/box.mbox", mail.repeat(n_messages).as_bytes());
    let mail = &mail[mail.find('\n').unwrap() + 1..];
    add(&format!("site/mail/cur/1.a.b,S={}:2,S", mail.len()), mail.as_bytes());
    // Directories beside that one make a Maildir of it.
    add("site/mail/new/2.a.b", b"");
    add("site/mail/tmp/3.a.b", b"");
    add("site/picture.png", b"\x89PNG not a picture");
    add("more/page.html", page(0, 2).as_bytes());
    let mut tree: Tree = (files.into_iter().enumerate())
        .map(|(idx, (path, bytes))| {
            let mode = if idx % 2 == 0 { 0o640 } else { 0o644 };
            (path, Node::File { bytes, mode, modified: long_ago(idx) })
        })
        .collect();
    tree.insert("site/inside.html".into(), Node::Link("d0/page0.html".into()));
    tree.insert("site/outside.html".into(), Node::Link("../outside.html".into()));
    let outside = b"<a href=http://h.example/o>".to_vec();
    let outside = Node::File { bytes: outside, mode: 0o644, modified: long_ago(0) };
    tree.insert("outside.html".into(), outside);
    tree
}

/// A directory in which runs take place, always under the same name, as a journal holds it.
pub(crate) struct Place {
    directory: TempDir,
    pub(crate) first: Tree,
    pub(crate) last: Tree,
    pub(crate) case: &'static Case,
    /// What an undisturbed run notes of what has moved.
    noted: BTreeSet<String>,
    /// The directories before and after an undisturbed run.
    directories: [Directories; 2],
    /// True if a directory that could not be removed may stay, empty.
    pub(crate) may_leave_directories: std::cell::Cell<bool>,
    pub(crate) n_files: std::cell::Cell<u64>,
    /// True if a journal that is there now is a copy, which is trusted only with `--trust`.
    is_copy: std::cell::Cell<bool>,
    n_survived: std::cell::Cell<u64>,
}

impl Place {
    /// Writes the tree, and sees what an undisturbed run makes of it.
    pub(crate) fn new(case: &'static Case, first: Tree) -> Place {
        Place::on(tempfile::tempdir().unwrap(), case, first)
    }

    /// As [`Place::new`]; in the short form on a disk in memory, for tests of many runs, where the
    /// system has one.
    pub(crate) fn in_memory(case: &'static Case, first: Tree) -> Place {
        let directory = (!crate::is_long()).then(in_memory).flatten();
        Place::on(directory.unwrap_or_else(|| tempfile::tempdir().unwrap()), case, first)
    }

    fn on(directory: TempDir, case: &'static Case, first: Tree) -> Place {
        let (last, noted) = (Tree::new(), BTreeSet::new());
        let n_files = std::cell::Cell::new(0);
        let (is_copy, n_survived) = (std::cell::Cell::new(false), std::cell::Cell::new(0));
        let may_leave_directories = std::cell::Cell::new(false);
        let directories = [Directories::new(), Directories::new()];
        let mut place = Place {
            directory,
            first,
            last,
            case,
            noted,
            directories,
            may_leave_directories,
            n_files,
            is_copy,
            n_survived,
        };
        place.write();
        place.directories[0] = directories::read(&place.path());
        place.save("first");
        let output = place.run(case.line);
        assert!(output.status.success(), "{}: {}", case.line, report(&output));
        place.last = place.tree();
        place.noted = place.notes();
        place.directories[1] = directories::read(&place.path());
        assert!(place.last != place.first);
        place.nothing_is_left("an undisturbed run");
        place.restore("first");
        assert!(place.tree() == place.first);
        place
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("w")
    }

    /// Where it may keep something.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self) {
        for (path, node) in &self.first {
            let path = self.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match node {
                Node::Link(to) => symlink(to, path).unwrap(),
                Node::File { bytes, mode, modified } => {
                    fs::write(&path, bytes).unwrap();
                    fs::set_permissions(&path, Permissions::from_mode(*mode)).unwrap();
                    set_modified(&path, *modified);
                }
            }
        }
        if self.case.new_path.is_some() {
            directories::write(&self.path());
        }
    }

    /// Keeps all as it is now.
    pub(crate) fn save(&self, name: &str) {
        copy(&self.path(), &self.beside(name));
    }

    /// Makes all as it was then; a manifest beside it is of another run.
    pub(crate) fn restore(&self, name: &str) {
        drop(fs::remove_file(self.beside("m.jsonl")));
        copy(&self.beside(name), &self.path());
        self.is_copy.set(name != "first");
    }

    /// What is there now, without notes of this program and half-written files of killed runs.
    pub(crate) fn tree(&self) -> Tree {
        read(&self.path())
    }

    fn notes(&self) -> BTreeSet<String> {
        let files = self.own(&self.path()).into_iter();
        files
            .filter_map(|path| {
                let name = path.file_name()?.to_string_lossy().into_owned();
                // It is where the journal was: next to PATH, or in it.
                let name = if name.ends_with(MANIFEST) { MANIFEST.to_owned() } else { name };
                let is_note = name == MANIFEST || name.ends_with(".relink-moves");
                is_note.then(|| (name, fs::read_to_string(path).unwrap()))
            })
            .flat_map(|(name, text)| {
                // Its place is another one in each directory.
                let lines = text.lines().filter(|line| !line.contains("\"record\":\"kept\""));
                lines.map(|line| format!("{name}: {line}")).collect::<Vec<_>>()
            })
            .collect()
    }

    /// Returns true if nothing is recorded of a run.
    pub(crate) fn has_no_notes(&self) -> bool {
        self.own(&self.path()).is_empty()
    }

    pub(crate) fn command(&self, runner: &[&str], line: &str) -> Command {
        let program = env!("CARGO_BIN_EXE_relink");
        let mut command = match runner {
            [] => Command::new(program),
            [first, rest @ ..] => {
                let mut command = Command::new(first);
                command.args(rest).arg(program);
                command
            }
        };
        command.args(line.split(' ')).current_dir(self.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    /// Begins a run that waits amid its work, when something is written.
    pub(crate) fn held(&self, line: &str) -> Held {
        // A base that is guessed would be the first message: each case gives one.
        let command = self.command(&ONE_THREAD, &line.replace("-q", "-v"));
        Held::begin(command, || self.tree() != self.first)
    }

    pub(crate) fn run(&self, line: &str) -> Output {
        self.command(&[], line).output().unwrap()
    }

    /// Every file is wholly old or wholly new, and nothing else is there but backups that are
    /// whole.
    pub(crate) fn all_is_whole(&self, after: &str) -> Tree {
        let now = self.tree();
        self.whole(&now, after);
        now
    }

    /// The same of a tree that was kept.
    pub(crate) fn whole(&self, now: &Tree, after: &str) {
        self.n_files.set(self.n_files.get() + now.len() as u64);
        if let Some(new_path) = self.case.new_path {
            crate::renames::each_is_there([&self.first, &self.last], now, new_path, after);
            return;
        }
        for (path, node) in &self.first {
            let is_whole = match now.get(path) {
                Some(there) => there == node || Some(there) == self.last.get(path),
                // It has its new name already.
                None => !self.last.contains_key(path),
            };
            assert!(is_whole, "{after}: {} is neither old nor new", path.display());
        }
        for (path, node) in now.iter().filter(|(path, _)| !self.first.contains_key(*path)) {
            assert!(self.last.get(path) == Some(node), "{after}: {} is there", path.display());
        }
        // What has no name any more would be lost.
        let n_names = |tree: &Tree| tree.keys().filter(|path| !is_kept(path)).count();
        assert!(n_names(now) >= n_names(&self.first), "{after}: a name is lost");
    }

    /// The directories are those expected, with their modes; with `has_times` also their times.
    fn has_directories(&self, expected: &Directories, has_times: bool, after: &str) {
        let now = directories::read(&self.path());
        let others = directories::others(&now, expected, has_times);
        let may_leave = self.may_leave_directories.get();
        let is_wrong = |path: &&PathBuf| !may_leave || expected.contains_key(*path);
        let others: Vec<&PathBuf> = others.into_iter().filter(is_wrong).collect();
        assert!(others.is_empty(), "{after}: other directories: {others:?}");
    }

    pub(crate) fn has_journal(&self) -> bool {
        self.has_journal_in("w")
    }

    /// Whether a journal is in what was kept.
    pub(crate) fn has_journal_in(&self, name: &str) -> bool {
        let own = self.own(&self.beside(name));
        let mut journals =
            own.iter().filter(|path| path.to_string_lossy().ends_with(".relink-journal"));
        // One that was just made says nothing yet, and nothing was written over.
        journals.any(|path| {
            let text = fs::read_to_string(path).unwrap();
            let run = text.split_once("\n{\"record\":\"run\"");
            run.is_some_and(|(_, rest)| rest.contains('\n'))
        })
    }

    fn own(&self, directory: &Path) -> Vec<PathBuf> {
        let entries = WalkDir::new(directory).into_iter().map(Result::unwrap);
        entries.filter(|entry| is_own(entry.path())).map(|entry| entry.into_path()).collect()
    }

    /// No journal and no half-written file.
    pub(crate) fn nothing_is_left(&self, after: &str) {
        let is_left = |path: &PathBuf| {
            let name = path.to_string_lossy();
            let kept = [".relink-moves", ".relink-unpacked", ".relink-stamps", MANIFEST];
            kept.iter().all(|end| !name.ends_with(end))
        };
        let left: Vec<PathBuf> = self.own(&self.path()).into_iter().filter(is_left).collect();
        assert!(left.is_empty(), "{after}: {left:?} is left");
    }

    /// `resume` ends what was begun as an undisturbed run does.
    pub(crate) fn resumes(&self, after: &str) {
        let line = format!("resume {}{}", self.case.name, self.trust());
        let output = self.run(&line);
        assert!(output.status.success(), "{after}, resume: {}", report(&output));
        self.is_last(&format!("{after}, resume"));
    }

    fn trust(&self) -> &'static str {
        if self.is_copy.get() { " --trust" } else { "" }
    }

    pub(crate) fn is_last(&self, after: &str) {
        same(&self.tree(), &self.last, after);
        self.has_directories(&self.directories[1], false, after);
        let notes = self.notes();
        let other: Vec<&String> = notes.symmetric_difference(&self.noted).collect();
        assert!(other.is_empty(), "{after}: other notes: {other:#?}");
        self.nothing_is_left(after);
    }

    /// `undo` puts back the first tree.
    pub(crate) fn undoes(&self, after: &str) {
        let output = self.run(&format!("undo {} -q{}", self.case.name, self.trust()));
        assert!(output.status.success(), "{after}, undo: {}", report(&output));
        self.is_first(&format!("{after}, undo"));
    }

    pub(crate) fn is_first(&self, after: &str) {
        same(&self.tree(), &self.first, after);
        let has_times = self.case.new_path.is_some() && !self.may_leave_directories.get();
        self.has_directories(&self.directories[0], has_times, after);
        assert_eq!(self.notes(), BTreeSet::new(), "{after}: notes");
        self.nothing_is_left(after);
    }

    /// What must be true after a run that ended in whatever way: all is whole, `resume` goes on to
    /// the last tree, and `undo` back to the first. Whether there was anything to be resumed.
    pub(crate) fn survives(&self, after: &str, output: &Output) -> bool {
        let now = self.all_is_whole(after);
        if !self.has_journal() {
            // What one of several files has left is found by the run that comes next. What is
            // done goes back with its manifest.
            let has_manifest = self.notes().iter().any(|line| line.contains(MANIFEST));
            let first = self.case.line.split(' ').nth(1).unwrap();
            let path = if has_manifest { first } else { self.case.name };
            let undo = self.run(&format!("undo {path}"));
            if has_manifest {
                assert!(undo.status.success(), "{after}, undo: {}", report(&undo));
                self.is_first(&format!("{after}, undo"));
            } else {
                assert!(
                    report(&undo).contains("no run to revert found")
                        || report(&undo).contains("no journal and no manifest of a run found"),
                    "{after}: {}",
                    report(&undo)
                );
            }
            // Nothing was begun, or all is done; or it reported that something could not be done,
            // and the same command does the rest.
            if now != self.first && now != self.last {
                assert!(
                    output.status.code() == Some(2) && !output.stderr.is_empty(),
                    "{after}: {}",
                    report(output)
                );
            }
            if now != self.last || has_manifest {
                let again = self.run(self.case.line);
                assert!(again.status.success(), "{after}, again: {}", report(&again));
                same(&self.tree(), &self.last, after);
                self.nothing_is_left(after);
            }
            return false;
        }
        self.save("broken");
        // Each in turn works on the tree itself, the other on a copy.
        match self.n_survived.replace(self.n_survived.get() + 1) % 2 {
            0 => {
                self.resumes(after);
                self.restore("broken");
                self.undoes(after);
            }
            _ => {
                self.undoes(after);
                self.restore("broken");
                self.resumes(after);
            }
        }
        true
    }
}

pub(crate) fn report(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    // Without the messages of the programs that started the run.
    let is_of_runner = |line: &&str| ["sh: ", "strace: "].iter().any(|name| line.starts_with(name));
    let lines: Vec<&str> = text.lines().filter(|line| !is_of_runner(line)).collect();
    format!("{}: {}", output.status, lines.join("\n"))
}

fn is_kept(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "orig")
}

/// The end of the name of a manifest.
const MANIFEST: &str = ".relink-manifest";

/// Whether a file is one of this program's own.
fn is_own(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // A document has such a name between two others.
    (name.starts_with(".relink-") && !name.starts_with(".relink-rename-"))
        || name.ends_with(".relink-journal")
        || name.ends_with(".relink-moves")
        || name.ends_with(".relink-manifest")
        || name.ends_with(".relink-stamps")
}

pub(crate) fn read(directory: &Path) -> Tree {
    let entries = WalkDir::new(directory).into_iter().map(Result::unwrap);
    let entries = entries.filter(|entry| !entry.file_type().is_dir() && !is_own(entry.path()));
    entries
        .map(|entry| {
            let below = entry.path().strip_prefix(directory).unwrap().to_owned();
            let metadata = entry.path().symlink_metadata().unwrap();
            if metadata.is_symlink() {
                return (below, Node::Link(fs::read_link(entry.path()).unwrap()));
            }
            let mode = metadata.permissions().mode() & 0o7777;
            let modified = crate::renames::time_of(entry.path(), &metadata);
            (below, Node::File { bytes: fs::read(entry.path()).unwrap(), mode, modified })
        })
        .collect()
}

/// Two trees are the same: names, bytes, modes and times.
#[track_caller]
pub(crate) fn same(one: &Tree, other: &Tree, after: &str) {
    for name in one.keys().chain(other.keys()) {
        let is_same = one.get(name) == other.get(name);
        assert!(is_same, "{after}: {} is another", name.display());
    }
}
