//! `unpack` is killed, and its calls fail: a file is whole or not there, nothing outside of OUT
//! changes, and a run that continues ends as an undisturbed run does, byte for byte.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Output};

use walkdir::WalkDir;

use crate::archives::archives;
use crate::calls::{Fault, each_call, has_strace, is_interrupted_twice, kill_at};
use crate::kills::Moments;
use crate::tools;
use crate::tree::{Case, Node, Place, Tree, long_ago, report};
use crate::zip_file::stored;
use crate::{n_kills, sized};

const UNPACKED: Case = Case::new("unpack site -o out -q", "out");

/// The members of a zip file.
const MEMBERS: Case = Case::new("unpack x.zip -o out -q", "out");

/// The journal of a run, next to OUT.
const JOURNAL: &str = ".out.relink-journal";

const PAGE: &str = "Subject: A page\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=B\n\n--B\nContent-Type: text/html; charset=utf-8\nContent-Location: http://h/p.html\n\n<link rel=stylesheet href=a.css><img src=\"cid:one@x\"><a href=other.html>o</a>\n--B\nContent-Type: image/png; name=one.png\nContent-ID: <one@x>\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n--B\nContent-Type: text/css\nContent-Location: http://h/a.css\n\np { background: url(b.png) }\n--B--\n";

/// Returns a message of a mailbox; the first ones have attachments.
fn mail(number: usize) -> String {
    let text = format!("Message {number} about <http://h/{number}>\n").repeat(40);
    let head = format!(
        "From a@b Thu Jan  1 00:00:00 1998\nFrom: a@b\nMessage-ID: <m{number}@b>\nIn-Reply-To: <m{}@b>\nSubject: Number {number}\n",
        number / 2
    );
    match number {
        0..3 => format!(
            "{head}Content-Type: multipart/mixed; boundary=M\n\n--M\nContent-Type: text/html\n\n<script>1</script><img src=http://h/i.png>{text}\n--M\nContent-Type: application/pdf; name=a.pdf\n\nPDF\n--M--\n\n"
        ),
        _ => format!("{head}\n{text}\n"),
    }
}

/// A page in MHTML, a mailbox, and web archives with as many pages.
fn first_tree(n_messages: usize) -> Tree {
    let mut tree = Tree::new();
    let mut add = |path: &str, bytes: Vec<u8>| {
        let modified = long_ago(tree.len());
        tree.insert(path.into(), Node::File { bytes, mode: 0o644, modified });
    };
    add("site/page.mhtml", PAGE.into());
    add("site/deep/box.mbox", (0..n_messages).map(mail).collect::<String>().into());
    archives(n_messages).into_iter().for_each(|(path, bytes)| add(path, bytes));
    add("site/notes.txt", b"no message".to_vec());
    add("outside.html", b"<a href=x>".to_vec());
    tree
}

/// Everything in a directory; `None` for directories.
type All = BTreeMap<PathBuf, Option<Vec<u8>>>;

fn all(directory: &Path) -> All {
    let entries = WalkDir::new(directory).into_iter().map(Result::unwrap);
    let content = |path: &Path| (!path.is_dir()).then(|| fs::read(path).unwrap());
    entries
        .map(|entry| {
            let below = entry.path().strip_prefix(directory).unwrap().to_owned();
            (below, content(entry.path()))
        })
        .collect()
}

/// Runs that are interrupted, and what an undisturbed one makes.
struct Unpacked {
    place: Place,
    line: &'static str,
    first: All,
    last: All,
    /// What runs make that cannot read some of the files, and report that: references to what is in
    /// them stay absolute, and lists have no rows of it.
    partial: Vec<All>,
    n_resumed: Cell<usize>,
    n_updated: Cell<usize>,
}

impl Unpacked {
    fn new(place: Place) -> Self {
        let first = all(&place.path());
        assert!(place.run(UNPACKED.line).status.success());
        let last = all(&place.path());
        let files = [
            "w.example/index.html",
            "w.example/a/b.html",
            "w.example/again.html",
            "w.example/same.png",
            "index.html",
        ];
        for file in files {
            assert!(last.contains_key(&Path::new("out").join(file)), "{file} is not there");
        }
        let mut inputs = vec!["site/page.mhtml".to_owned(), "site/deep/box.mbox".to_owned()];
        inputs.extend(archives(0).map(|(path, _)| path.to_owned()));
        let partial = (1..1 << inputs.len()).map(|missing: usize| {
            place.restore("first");
            let is_missing = |(idx, _): &(usize, &String)| missing >> idx & 1 == 1;
            for (_, input) in inputs.iter().enumerate().filter(is_missing) {
                fs::remove_file(place.path().join(input)).unwrap();
            }
            place.run(UNPACKED.line);
            all(&place.path())
        });
        let partial: Vec<All> = partial.collect();
        place.restore("first");
        let (n_resumed, n_updated) = (Cell::new(0), Cell::new(0));
        Unpacked { place, line: UNPACKED.line, first, last, partial, n_resumed, n_updated }
    }

    /// The files of members do not depend on each other.
    fn of_members() -> Self {
        let mut tree = Tree::new();
        let page = "<a href=b.html>".repeat(200);
        let members = [("a.html", &*page), ("d/b.html", "<a href=../a.html>"), ("d/e/i.png", "")];
        let node = Node::File { bytes: stored(&members).0, mode: 0o644, modified: long_ago(0) };
        tree.insert("x.zip".into(), node);
        let place = Place::in_memory(&MEMBERS, tree);
        let first = all(&place.path());
        assert!(place.run(MEMBERS.line).status.success());
        let last = all(&place.path());
        assert!(last.contains_key(Path::new("out/d/e/i.png")));
        place.restore("first");
        let (n_resumed, n_updated) = (Cell::new(0), Cell::new(0));
        let partial = Vec::new();
        Unpacked { place, line: MEMBERS.line, first, last, partial, n_resumed, n_updated }
    }

    /// Each file is one of an undisturbed run, and complete; only a journal is next to OUT, and
    /// temporary files are in it.
    fn is_whole(&self, after: &str, is_partial: bool) {
        for (path, content) in all(&self.place.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_own = path == Path::new(JOURNAL)
                || (path.starts_with("out") && name.starts_with(".relink-"));
            let is_known = if path.starts_with("out") {
                let is_in = |all: &All| all.get(&path) == Some(&content);
                is_in(&self.last) || is_partial && self.partial.iter().any(is_in)
            } else {
                self.first.get(&path) == Some(&content)
            };
            assert!(is_own || is_known, "{after}: {} is there", path.display());
        }
        for path in self.first.keys() {
            assert!(self.place.path().join(path).exists(), "{after}: {} is lost", path.display());
        }
    }

    /// Another run continues: by the journal and by `--update`, in turn.
    fn continues(&self, after: &str, trust: &str) {
        let n = self.n_resumed.get() + self.n_updated.get();
        let (line, counter) = if self.place.has_journal() && n.is_multiple_of(2) {
            (format!("resume out -q{trust}"), &self.n_resumed)
        } else {
            (format!("{} --update", self.line), &self.n_updated)
        };
        counter.set(counter.get() + 1);
        let output = self.place.run(&line);
        assert!(output.status.success(), "{after}, {line}: {}", report(&output));
        self.is_last(&format!("{after}, {line}"));
    }

    fn is_last(&self, after: &str) {
        let now = all(&self.place.path());
        let is_other = |path: &&PathBuf| now.get(*path) != self.last.get(*path);
        let other: Vec<&PathBuf> = now.keys().chain(self.last.keys()).filter(is_other).collect();
        assert!(other.is_empty(), "{after}: {other:?} differ");
    }

    /// A run ended by itself after one of its calls had failed, or was killed.
    fn survives(&self, after: &str, output: &Output, fault: Fault) {
        match (fault, output.status.code()) {
            (Fault::Killed, _) | (Fault::Fails(_), Some(0 | 2 | 127)) => {}
            (Fault::Interrupted, Some(130)) if is_interrupted_twice(&self.place) => {}
            (Fault::Interrupted, Some(130)) => {
                let end = if self.place.has_journal() {
                    "interrupted; use `relink resume out` to continue"
                } else {
                    "note: interrupted; no file was written"
                };
                assert!(report(output).ends_with(end), "{after}: {}", report(output));
            }
            // It came before the run was ready for it, or when all was done.
            (Fault::Interrupted, Some(0) | None) => assert!(!self.place.has_journal(), "{after}"),
            _ => panic!("{after}: {}", report(output)),
        }
        if output.status.success() {
            self.is_last(after);
        }
        self.is_whole(after, output.status.code() == Some(2));
        self.continues(after, "");
    }
}

#[test]
fn each_call_is_the_last() {
    if !has_strace() {
        return;
    }
    let unpacked = Unpacked::new(Place::in_memory(&UNPACKED, first_tree(3)));
    each_call(&unpacked.place, "first", UNPACKED.line, Fault::Killed, |after, output| {
        unpacked.survives(after, output, Fault::Killed);
    });
    let (n_resumed, n_updated) = (unpacked.n_resumed.get(), unpacked.n_updated.get());
    println!("{n_resumed} were resumed, {n_updated} updated");
    let least = if crate::is_long() { 20 } else { 3 };
    assert!(n_resumed > least && n_updated > least, "{n_resumed} and {n_updated}");
}

#[test]
fn each_call_fails() {
    if !has_strace() {
        return;
    }
    let unpacked = Unpacked::new(Place::in_memory(&UNPACKED, first_tree(2)));
    for error in if crate::is_long() { &["EIO", "ENOSPC"][..] } else { &["EIO"] } {
        let fault = Fault::Fails(error);
        each_call(&unpacked.place, "first", UNPACKED.line, fault, |after, output| {
            unpacked.survives(after, output, fault);
        });
    }
}

#[test]
fn each_call_of_a_run_over_a_zip_file_is_the_last_or_fails() {
    if !has_strace() {
        return;
    }
    let unpacked = Unpacked::of_members();
    for fault in [Fault::Killed, Fault::Fails("EIO")] {
        each_call(&unpacked.place, "first", unpacked.line, fault, |after, output| {
            unpacked.survives(after, output, fault);
        });
    }
}

#[test]
fn each_call_is_interrupted() {
    if !has_strace() || !crate::is_long() {
        return;
    }
    let (unpacked, fault) =
        (Unpacked::new(Place::in_memory(&UNPACKED, first_tree(3))), Fault::Interrupted);
    each_call(&unpacked.place, "first", UNPACKED.line, fault, |after, output| {
        unpacked.survives(after, output, fault);
    });
}

/// The run that continues is killed at each of its calls.
#[test]
fn runs_that_continue_are_interrupted_too() {
    if !has_strace() {
        return;
    }
    let unpacked = Unpacked::new(Place::in_memory(&UNPACKED, first_tree(2)));
    let place = &unpacked.place;
    // At the middle one of its renames, a temporary file is there.
    let inject = kill_at(place, |name, _| name.starts_with("rename"), |calls| calls.len() / 2);
    unpacked.is_whole(&inject, false);
    let is_temporary = |path: &PathBuf| path.to_string_lossy().contains("/.relink-");
    assert!(all(&place.path()).keys().any(is_temporary), "{inject}: no temporary file");
    place.save("amid");
    for line in ["resume out -q --trust".to_owned(), format!("{} --update", UNPACKED.line)] {
        each_call(place, "amid", &line, Fault::Killed, |after, _| {
            unpacked.is_whole(after, false);
            unpacked.continues(after, " --trust");
        });
    }
}

/// The first run is killed when its journal is there, again and again until one has not ended
/// before; the others are killed at random moments.
#[test]
fn kills_at_random_moments() {
    let unpacked = Unpacked::new(Place::new(&UNPACKED, first_tree(sized(400))));
    let place = &unpacked.place;
    let mut moments = Moments::of_a_run(2557, || drop(place.run(UNPACKED.line)));
    let kill = |wait: &mut dyn FnMut(&mut Child)| {
        place.restore("first");
        let mut child = place.command(&[], UNPACKED.line).spawn().unwrap();
        wait(&mut child);
        child.kill().unwrap();
        child.wait_with_output().unwrap();
        place.has_journal()
    };
    let n_times = n_kills().div_ceil(3);
    let mut n_within = 0;
    for number in 0..n_times {
        if number == 0 {
            let journal = place.path().join(JOURNAL);
            let mut wait = |child: &mut Child| {
                let has_ended = |child: &mut Child| child.try_wait().unwrap().is_some();
                tools::wait_until("a journal", || journal.exists() || has_ended(child));
            };
            tools::wait_until("a run is broken off", || kill(&mut wait));
        } else {
            kill(&mut |_| moments.wait());
        }
        n_within += u64::from(place.has_journal());
        let after = format!("kill {number} of {}", UNPACKED.line);
        unpacked.is_whole(&after, false);
        unpacked.continues(&after, "");
    }
    println!("{n_times} times KILL, {n_within} of them amid the run");
}
