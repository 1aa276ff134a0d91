//! Runs that create OUT are killed, and their calls fail: OUT is complete when it appears, `resume`
//! and the same command complete it, and `undo` removes what was written.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use walkdir::WalkDir;

use crate::calls::{Fault, each_call, has_strace, is_interrupted_twice, kill_at};
use crate::kills::{Moments, send};
use crate::n_kills;
use crate::tools;
use crate::tree::{Case, Node, Place, first_tree, report, same};

const CREATED: Case = Case::new("absolutize site --base http://h.example/ -o out -q", "out");

/// Several PATHs, whose directories are in OUT, all of it flushed to the disk, and a manifest,
/// which is written when OUT has its name.
const DURABLE: Case = Case::new(
    "absolutize site more --map site=http://h.example/ --map more=http://h.example/more/ -o out --durable -q --manifest ../m.jsonl",
    "out",
);

/// Redirects, which are outside of OUT.
const MOVED: Case = Case::new(
    "move site --base http://h.example/ --rule s|^/d1/|/new/| --redirects nginx=redirects.conf -o out -q",
    "out",
);

/// The journal of a run, next to OUT.
const JOURNAL: &str = ".out.relink-journal";

/// The directory of an output that is not complete begins with this.
const UNFINISHED: &str = ".out.relink-";

/// Runs that are interrupted, and what an undisturbed one makes.
struct Created {
    place: Place,
    /// The directories of a complete output.
    directories: BTreeSet<PathBuf>,
    /// Its manifest, if it has one.
    manifest: Option<Vec<u8>>,
    n_survived: Cell<usize>,
}

impl Created {
    fn new(place: Place) -> Self {
        // The place has run it before.
        take_manifest(&place);
        assert!(place.run(place.case.line).status.success());
        let directories = directories(&place.path());
        let manifest = take_manifest(&place);
        place.restore("first");
        Created { place, directories, manifest, n_survived: Cell::new(0) }
    }

    /// Returns the directory of the output that is not complete.
    fn unfinished(&self) -> Option<PathBuf> {
        let entries = fs::read_dir(self.place.path()).unwrap().map(|entry| entry.unwrap().path());
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let mut found = entries.filter(|path| {
            let name = name(path);
            name.starts_with(UNFINISHED) && name != JOURNAL
        });
        let unfinished = found.next();
        assert!(found.next().is_none(), "several unfinished outputs");
        unfinished
    }

    /// The input is as it was. OUT has only files that an undisturbed run makes, and all of them if
    /// `is_whole`. An output that is not complete has a journal.
    fn is_whole(&self, after: &str, is_whole: bool) {
        let is_in_out = |path: &Path| path.starts_with("out");
        let now = self.place.tree();
        for (path, node) in &now {
            let is_known = match () {
                () if is_in_out(path) => self.place.last.get(path) == Some(node),
                () if path.to_string_lossy().starts_with(UNFINISHED) => true,
                () if path == Path::new("redirects.conf") => {
                    self.place.last.get(path) == Some(node)
                }
                () => self.place.first.get(path) == Some(node),
            };
            assert!(is_known, "{after}: {} is there", path.display());
        }
        for path in self.place.first.keys() {
            assert!(now.contains_key(path), "{after}: {} is lost", path.display());
        }
        if is_whole && self.place.path().join("out").exists() {
            let now = now.into_iter().filter(|(path, _)| is_in_out(path)).collect();
            let last = self.place.last.clone().into_iter();
            let last = last.filter(|(path, _)| is_in_out(path)).collect();
            same(&now, &last, after);
        }
        let has_journal = self.place.path().join(JOURNAL).exists();
        assert!(has_journal || self.unfinished().is_none(), "{after}: no journal");
    }

    fn is_last(&self, after: &str) {
        same(&self.place.tree(), &self.place.last, after);
        assert!(directories(&self.place.path()) == self.directories, "{after}: directories");
        self.place.nothing_is_left(after);
        assert!(take_manifest(&self.place) == self.manifest, "{after}: the manifest");
    }

    fn runs(&self, after: &str, line: &str) {
        let output = self.place.run(line);
        assert!(output.status.success(), "{after}, {line}: {}", report(&output));
    }

    /// What an interrupted run has left is completed, or removed, in turn. `trust` is for a copy.
    fn goes_on(&self, after: &str, trust: &str) {
        let n = self.n_survived.replace(self.n_survived.get() + 1);
        let (line, resume) = (self.place.case.line, format!("resume out{trust}"));
        let is_complete = self.place.path().join("out").exists();
        match (self.place.has_journal(), is_complete, n % 3) {
            (true, _, 0) => self.runs(after, &resume),
            (true, _, 1) if trust.is_empty() => self.runs(after, line),
            (true, true, _) => self.runs(after, &format!("undo out{trust}")),
            (true, false, _) => {
                self.runs(after, &format!("undo out{trust}"));
                assert!(self.place.has_no_notes() && self.unfinished().is_none(), "{after}, undo");
                same(&self.place.tree(), &self.place.first, after);
                self.runs(after, line);
            }
            (false, true, _) => {}
            (false, false, _) => self.runs(after, line),
        }
        self.is_last(after);
    }

    fn survives(&self, after: &str, output: &Output, fault: Fault) {
        let out = self.place.path().join("out");
        match (fault, output.status.code()) {
            (Fault::Killed, _) | (Fault::Fails(_), Some(0 | 2 | 127)) => {}
            (Fault::Interrupted, Some(130)) if is_interrupted_twice(&self.place) => {}
            (Fault::Interrupted, Some(130)) => {
                let end = match self.unfinished() {
                    Some(_) => "or `relink undo out` to remove it",
                    None => "note: interrupted; no file was written",
                };
                assert!(report(output).ends_with(end), "{after}: {}", report(output));
            }
            (Fault::Interrupted, Some(0) | None) => {}
            _ => panic!("{after}: {}", report(output)),
        }
        let has_failed = matches!(fault, Fault::Fails(_)) && output.status.code() != Some(0);
        self.is_whole(after, !has_failed);
        if !has_failed {
            return self.goes_on(after, "");
        }
        // A file that could not be read or written is reported, if messages can be written, and is
        // not in OUT.
        assert!(!output.stderr.is_empty() || after.contains("=write:"), "{after}");
        if self.place.has_journal() {
            self.runs(after, "resume out");
        }
        let update = if out.exists() { " --update" } else { "" };
        self.runs(after, &format!("{}{update}", self.place.case.line));
        self.is_last(after);
    }
}

/// Returns the manifest of a run, and removes it: the next run writes its own.
fn take_manifest(place: &Place) -> Option<Vec<u8>> {
    let path = place.path().join("../m.jsonl");
    let bytes = fs::read(&path).ok();
    drop(fs::remove_file(&path));
    bytes
}

fn directories(root: &Path) -> BTreeSet<PathBuf> {
    let entries = WalkDir::new(root).into_iter().map(Result::unwrap);
    let directories = entries.filter(|entry| entry.file_type().is_dir());
    directories.map(|entry| entry.into_path()).collect()
}

/// Tests each call of both commands in the long form, and of one of them in the short one.
fn each(fault: Fault, short: &'static Case) {
    if !has_strace() {
        return;
    }
    let all = vec![&CREATED, &DURABLE, &MOVED];
    for case in if crate::is_long() { all } else { vec![short] } {
        let created = Created::new(Place::in_memory(case, first_tree(3, 3)));
        each_call(&created.place, "first", case.line, fault, |after, output| {
            created.survives(after, output, fault);
        });
    }
}

#[test]
fn each_call_is_the_last() {
    each(Fault::Killed, &DURABLE);
}

#[test]
fn each_call_is_the_last_of_a_run_with_redirects() {
    if !crate::is_long() {
        each(Fault::Killed, &MOVED);
    }
}

#[test]
fn each_call_fails() {
    each(Fault::Fails("EIO"), &CREATED);
    if crate::is_long() {
        each(Fault::Fails("ENOSPC"), &CREATED);
    }
}

#[test]
fn each_call_is_interrupted() {
    if crate::is_long() {
        each(Fault::Interrupted, &CREATED);
    }
}

/// Kills a run at the middle one of its calls with this name.
fn kill_amid(created: &Created, name: &str) {
    kill_at(&created.place, |call, _| call.starts_with(name), |calls| calls.len() / 2);
}

/// Kills a run at the call that gives OUT its name.
fn kill_before_the_end(created: &Created) {
    let is_it =
        |name: &str, arguments: &str| name.starts_with("renameat") && arguments.contains("\"out\"");
    kill_at(&created.place, is_it, |calls| calls.len() - 1);
}

/// The run that continues, and the one that removes, are killed at each of their calls.
#[test]
fn repairs_are_interrupted_too() {
    if !has_strace() {
        return;
    }
    let created = Created::new(Place::in_memory(&CREATED, first_tree(2, 2)));
    for name in ["utimensat", "the name of OUT"] {
        match name {
            "utimensat" => kill_amid(&created, name),
            _ => kill_before_the_end(&created),
        }
        created.is_whole(name, true);
        assert!(created.place.has_journal(), "{name}");
        created.place.save("amid");
        for line in ["resume out -q --trust", "undo out -q --trust"] {
            each_call(&created.place, "amid", line, Fault::Killed, |after, _| {
                created.is_whole(after, true);
                created.goes_on(after, " --trust");
            });
        }
    }
}

/// Ends the program that traces a process, which goes on without it.
fn end_tracer(process: u32) {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:")).unwrap().trim();
    assert_ne!(tracer, "0");
    assert!(Command::new("kill").args(["-KILL", tracer]).status().unwrap().success());
}

/// An OUT that somebody else creates during the run is never written over.
#[test]
fn an_out_that_others_create_meanwhile_stays() {
    if !has_strace() {
        return;
    }
    let created = Created::new(Place::in_memory(&CREATED, first_tree(3, 3)));
    let place = &created.place;
    for is_file in [true, false] {
        place.restore("first");
        // The call that gives OUT its name waits for an hour: until the tracer is ended.
        let (log, inject) = (place.beside("log"), "inject=renameat2:delay_enter=3600000000");
        fs::write(&log, "").unwrap();
        let [file, trace] = [log.to_str().unwrap(), "trace=renameat2"];
        let runner = ["strace", "-D", "-f", "-qq", "-o", file, "-e", trace, "-e", inject];
        let mut run = place.command(&runner, CREATED.line).spawn().unwrap();
        tools::wait_until("OUT gets its name", || {
            assert!(run.try_wait().unwrap().is_none(), "the run has ended");
            fs::read_to_string(&log).unwrap().contains("renameat2(")
        });
        assert!(created.unfinished().is_some());
        let out = place.path().join("out");
        if is_file {
            fs::write(&out, "mine").unwrap()
        } else {
            fs::create_dir(&out).unwrap()
        }
        end_tracer(run.id());
        let output = run.wait_with_output().unwrap();
        let unfinished = created.unfinished().unwrap();
        let name = unfinished.file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(output.status.code(), Some(2), "{}", report(&output));
        assert!(report(&output).contains(&name), "{}", report(&output));
        assert!(is_file == out.is_file() && is_file != out.is_dir());
        assert!(place.has_journal() && directories(&unfinished).len() > 3);
        // Nor by the run that continues.
        let output = place.run("resume out");
        assert_eq!(output.status.code(), Some(2), "{}", report(&output));
        if is_file {
            assert_eq!(fs::read_to_string(&out).unwrap(), "mine");
            fs::remove_file(&out).unwrap();
        } else {
            fs::remove_dir(&out).unwrap()
        }
        created.goes_on("OUT was moved away", "");
    }
}

/// A directory that another program has put in the place of the unfinished one gets no name.
#[test]
fn what_others_put_in_its_place_is_not_completed() {
    if !has_strace() {
        return;
    }
    let created = Created::new(Place::in_memory(&CREATED, first_tree(3, 3)));
    kill_amid(&created, "utimensat");
    let unfinished = created.unfinished().unwrap();
    fs::rename(&unfinished, created.place.path().join("elsewhere")).unwrap();
    fs::create_dir(&unfinished).unwrap();
    fs::write(unfinished.join("mine"), "mine").unwrap();
    for line in ["resume out", "undo out", CREATED.line] {
        let output = created.place.run(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", report(&output));
        assert_eq!(fs::read_to_string(unfinished.join("mine")).unwrap(), "mine", "{line}");
        assert!(!created.place.path().join("out").exists(), "{line}");
    }
}

#[test]
fn kills_at_random_moments() {
    let created =
        Created::new(Place::new(&CREATED, first_tree(crate::sized(120), crate::sized(400))));
    let place = &created.place;
    assert!(place.last.values().any(|node| matches!(node, Node::Link(_))));
    let mut moments = Moments::of_a_run(1808, || drop(place.run(CREATED.line)));
    let mut n_within = 0;
    let n_times = n_kills().div_ceil(3);
    for number in 0..n_times {
        place.restore("first");
        if number == 0 {
            // It waits amid its work.
            drop(place.held(CREATED.line));
            assert!(place.has_journal() && created.unfinished().is_some());
        } else {
            let child = place.command(&[], CREATED.line).spawn().unwrap();
            moments.wait();
            send(&child, "KILL");
            child.wait_with_output().unwrap();
        }
        n_within += u64::from(place.has_journal());
        let after = format!("kill {number} of {}", CREATED.line);
        created.is_whole(&after, true);
        created.goes_on(&after, "");
    }
    println!("{n_times} times KILL, {n_within} of them amid the run");
}
