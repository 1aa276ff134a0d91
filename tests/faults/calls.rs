//! Every system call on the tree fails once, or is the last one of a run that is killed there: each
//! in turn, by `strace`.

use std::collections::HashMap;
use std::fs;
use std::process::Output;

use crate::tree::{ABSOLUTE, ALL, CASES, Case, KEPT, Place, first_tree, report};

/// The calls that change something, or without which nothing can be changed.
const CALLS: &str = "openat,write,writev,pwrite64,rename,renameat,renameat2,link,linkat,unlink,unlinkat,fsync,fdatasync,fchmod,fchmodat,utimensat,mkdirat,ftruncate,fchown,flock,read,getdents64,copy_file_range,sendfile";

/// What becomes of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    Fails(&'static str),
    Killed,
    Interrupted,
}

impl Fault {
    fn text(self) -> String {
        match self {
            Fault::Fails(error) => format!("error={error}"),
            Fault::Killed => "signal=KILL".to_owned(),
            Fault::Interrupted => "signal=INT".to_owned(),
        }
    }
}

pub(crate) fn has_strace() -> bool {
    let options = ["-f", "-qq", "-y", "--seccomp-bpf", "-o", "/dev/null", "true"];
    crate::tools::has("strace", &options)
}

/// Runs a command under strace, which writes what it saw to a file.
pub(crate) fn traced(place: &Place, line: &str, inject: Option<&str>) -> Output {
    let (log, calls) = (place.beside("log"), format!("trace={CALLS}"));
    let log = log.to_str().unwrap();
    let one_core = one_core();
    let mut runner: Vec<&str> = one_core.iter().map(String::as_str).collect();
    runner.extend(["strace", "-f", "-qq", "-y", "-o", log, "-e", &calls]);
    // Where a filter stops it no signal can be given.
    if !inject.is_some_and(|inject| inject.contains("signal=")) {
        runner.push("--seccomp-bpf");
    }
    runner.extend(inject.iter().flat_map(|inject| ["-e", inject]));
    // One thread: the calls come in the same order.
    let jobs = if place.case.line == line { " -j 1" } else { "" };
    place.command(&runner, &format!("{line}{jobs}")).output().unwrap()
}

/// Returns the words that run a command on one core, where `taskset` exists: `resume` has no option
/// for the number of its threads, and starts one per core.
fn one_core() -> Vec<String> {
    if !crate::tools::runs("taskset", &["--version"]) {
        return Vec::new();
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let cores = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let first = cores.and_then(|cores| cores.trim().split([',', '-']).next());
    first.map_or_else(Vec::new, |core| ["taskset", "-c", core].map(str::to_owned).to_vec())
}

/// Each call on what is in the directory: its name, and the how manieth of that name it is in its
/// thread.
fn calls_in_directory(place: &Place) -> Vec<(String, u32)> {
    let directory = place.path();
    let directory = directory.to_str().unwrap();
    // A single file is opened by a name that is relative.
    calls(place, |_, arguments| {
        arguments.contains(directory)
            || ["\"site", "\"more"].iter().any(|start| arguments.contains(start))
    })
}

/// Each call that is wanted by its name and arguments, in the same form.
pub(crate) fn calls(place: &Place, is_wanted: impl Fn(&str, &str) -> bool) -> Vec<(String, u32)> {
    let log = fs::read_to_string(place.beside("log")).unwrap();
    let mut counts: HashMap<(String, String), u32> = HashMap::new();
    let mut calls = Vec::new();
    for line in log.lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let Some((name, arguments)) = rest.trim_start().split_once('(') else { continue };
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            continue;
        }
        let count = counts.entry((thread.to_owned(), name.to_owned())).or_default();
        *count += 1;
        let call = (name.to_owned(), *count);
        if is_wanted(name, arguments) && !calls.contains(&call) {
            calls.push(call);
        }
    }
    calls
}

/// Every call of `line` in turn, each time from what is saved as `from`.
pub(crate) fn each_call(
    place: &Place,
    from: &str,
    line: &str,
    fault: Fault,
    check: impl Fn(&str, &Output),
) {
    place.restore(from);
    let undisturbed = traced(place, line, None);
    assert!(undisturbed.status.success(), "{line}: {}", report(&undisturbed));
    let calls = calls_in_directory(place);
    assert!(calls.len() > 20, "{line}: only {} calls", calls.len());
    let mut n_killed = 0;
    for (name, number) in &calls {
        place.restore(from);
        let inject = format!("inject={name}:{}:when={number}", fault.text());
        let output = traced(place, line, Some(&inject));
        n_killed += usize::from(output.status.code().is_none());
        check(&format!("{line}: {inject}"), &output);
    }
    // Which thread makes a call, and so its number, may be another.
    let is_met = fault != Fault::Killed || n_killed * 10 > calls.len() * 9;
    assert!(is_met, "{line}: only {n_killed} of {} were killed", calls.len());
    let n_files = place.n_files.take();
    println!(
        "{line}: {} at each of {} calls, {n_files} files checked, 0 bytes lost",
        fault.text(),
        calls.len()
    );
}

fn case_survives(case: &'static Case, fault: Fault) {
    survives_each_call(&Place::new(case, first_tree(3, 3)), fault);
}

/// The command of a case survives a fault at each of its calls.
pub(crate) fn survives_each_call(place: &Place, fault: Fault) {
    let case = place.case;
    each_call(place, "first", case.line, fault, |after, output| {
        let is_broken_off = place.survives(after, output);
        match (fault, output.status.code()) {
            (Fault::Interrupted, Some(130)) | (Fault::Fails(_), Some(0 | 2)) => {}
            // It came before the run was ready for it, or when all was done.
            (Fault::Interrupted, Some(0) | None) => assert!(!is_broken_off, "{after}"),
            (Fault::Killed, _) => {}
            // The loader cannot do without its calls.
            (Fault::Fails(_), Some(127)) => assert!(!is_broken_off, "{after}"),
            _ => panic!("{after}: {}", report(output)),
        }
    });
}

/// The long form has every command and every fault; the short one those that reach most.
fn cases() -> Vec<&'static Case> {
    if crate::is_long() { CASES.to_vec() } else { vec![&ALL] }
}

#[test]
fn each_call_fails() {
    if !has_strace() {
        return;
    }
    let cases = if crate::is_long() { CASES.to_vec() } else { vec![&ABSOLUTE, &ALL] };
    cases.iter().for_each(|case| case_survives(case, Fault::Fails("EIO")));
    if crate::is_long() {
        cases.iter().for_each(|case| case_survives(case, Fault::Fails("ENOSPC")));
    }
}

#[test]
fn each_call_is_the_last() {
    if has_strace() {
        cases().into_iter().for_each(|case| case_survives(case, Fault::Killed));
    }
}

#[test]
fn each_call_is_interrupted() {
    if has_strace() && crate::is_long() {
        cases().into_iter().for_each(|case| case_survives(case, Fault::Interrupted));
    }
}

/// `resume` and `undo` are killed at each of their own calls. Then either goes its way to the end.
#[test]
fn repairs_are_interrupted_too() {
    if !has_strace() {
        return;
    }
    for case in if crate::is_long() { CASES.to_vec() } else { vec![&KEPT] } {
        repairs_survive(&Place::new(case, first_tree(3, 3)), "rename");
    }
}

/// Kills a run at the middle one of its calls with this name. Then `resume` and `undo` survive that
/// they are killed at each of theirs.
pub(crate) fn repairs_survive(place: &Place, middle: &str) {
    let case = place.case;
    traced(place, case.line, None);
    let calls = calls_in_directory(place);
    let renamed: Vec<&(String, u32)> =
        calls.iter().filter(|call| call.0.starts_with(middle)).collect();
    let (name, number) = &renamed[renamed.len() / 2];
    let inject = format!("inject={name}:signal=KILL:when={number}");
    place.restore("first");
    let killed = traced(place, case.line, Some(&inject));
    assert_eq!(killed.status.code(), None, "{inject}: {}", report(&killed));
    let now = place.all_is_whole(&inject);
    assert!(now != place.first && now != place.last && place.has_journal(), "{inject}");
    place.save("amid");
    // What is saved is a copy.
    for command in ["resume", "undo -q"] {
        let line = format!("{command} {} --trust", case.name);
        each_call(place, "amid", &line, Fault::Killed, |after, output| {
            place.survives(after, output);
        });
    }
}
