//! Every system call on the tree fails once, or is the last one of a run that is killed there: each
//! in turn, by `strace`. The short form takes each eighth call, others with another `RELINK_SEED`,
//! on a disk in memory; the long one takes all of them.

use std::collections::HashMap;
use std::fs;
use std::process::Output;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::held::ONE_THREAD;
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
    // One thread, so that the calls come in the same order.
    let core = Core::take();
    let mut runner: Vec<&str> = ONE_THREAD.to_vec();
    runner.extend(core.0.iter().flat_map(|core| ["taskset", "-c", core]));
    runner.extend(["strace", "-f", "-qq", "-y", "-o", log, "-e", &calls]);
    // Where a filter stops it no signal can be given.
    if !inject.is_some_and(|inject| inject.contains("signal=")) {
        runner.push("--seccomp-bpf");
    }
    runner.extend(inject.iter().flat_map(|inject| ["-e", inject]));
    place.command(&runner, line).output().unwrap()
}

/// A core for one run, if there is one left and `taskset` exists: a program on one core works in
/// the thread that also reads the tree. No two runs are given the same core.
struct Core(Option<String>);

/// The cores that no run has.
fn free_cores() -> &'static Mutex<Vec<String>> {
    static FREE: OnceLock<Mutex<Vec<String>>> = OnceLock::new();
    FREE.get_or_init(|| {
        let cores =
            if crate::tools::runs("taskset", &["--version"]) { cores() } else { Vec::new() };
        Mutex::new(cores)
    })
}

/// Returns the cores that this process may use.
fn cores() -> Vec<String> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let ranges = line.unwrap_or_default().trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse::<u32>().ok()?..=last.parse().ok()?)
    });
    ranges.flatten().map(|core| core.to_string()).collect()
}

impl Core {
    fn take() -> Self {
        Core(free_cores().lock().unwrap_or_else(PoisonError::into_inner).pop())
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        free_cores().lock().unwrap_or_else(PoisonError::into_inner).extend(self.0.take());
    }
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

/// Returns true if the last run was interrupted twice, and so ended at once and without a word:
/// each thread has its own first, second and third call of a name.
pub(crate) fn is_interrupted_twice(place: &Place) -> bool {
    let log = fs::read_to_string(place.beside("log")).unwrap();
    log.matches("--- SIGINT").count() > 1
}

/// Which calls the short form takes: each of this number, beginning with the one that `RELINK_SEED`
/// chooses.
const STEP: usize = 8;

/// Returns the calls that are tested: all of them in the long form, a sample in the short one.
fn sample(calls: &[(String, u32)]) -> Vec<&(String, u32)> {
    let seed = std::env::var("RELINK_SEED").ok().and_then(|number| number.parse::<usize>().ok());
    let (first, step) = if crate::is_long() { (0, 1) } else { (seed.unwrap_or(0) % STEP, STEP) };
    calls.iter().skip(first).step_by(step).collect()
}

/// Kills a run at a call that an undisturbed one makes, which is chosen among those that are wanted
/// by their names and arguments, and checks that it is met at such a call.
pub(crate) fn kill_at(
    place: &Place,
    is_wanted: impl Fn(&str, &str) -> bool,
    choose: impl Fn(&[(String, u32)]) -> usize,
) -> String {
    let line = place.case.line;
    place.restore("first");
    let undisturbed = traced(place, line, None);
    assert!(undisturbed.status.success(), "{line}: {}", report(&undisturbed));
    let all = calls(place, &is_wanted);
    let call = &all[choose(&all)];
    place.restore("first");
    let inject = format!("inject={}:signal=KILL:when={}", call.0, call.1);
    let killed = traced(place, line, Some(&inject));
    assert_eq!(killed.status.code(), None, "{inject}: {}", report(&killed));
    assert!(calls(place, &is_wanted).contains(call), "{inject}: another call is met");
    inject
}

/// Returns how many calls of this name the thread with most of them has made, by the log.
fn n_made(place: &Place, name: &str) -> u32 {
    let made = calls(place, |other, _| other == name);
    made.iter().map(|(_, number)| *number).max().unwrap_or(0)
}

/// Every call of `line` in turn (a sample of them in the short form), each time from what is saved
/// as `from`. Whether the call is met is read from the log of the same run: with renames, runs open
/// directories more or less often, so that one may end before a call that another one makes.
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
    let n_all = calls.len();
    let calls = sample(&calls);
    let mut n_met = 0;
    for (name, number) in &calls {
        place.restore(from);
        let inject = format!("inject={name}:{}:when={number}", fault.text());
        let output = traced(place, line, Some(&inject));
        let n_made = n_made(place, name);
        let is_met = n_made >= *number;
        let is_killed = output.status.code().is_none();
        assert!(
            fault != Fault::Killed || is_killed == is_met,
            "{line}: {inject}, {n_made} calls: {}",
            report(&output)
        );
        n_met += usize::from(is_met);
        check(&format!("{line}: {inject}"), &output);
    }
    assert!(n_met > calls.len() / 2, "{line}: only {n_met} of {} calls are met", calls.len());
    let n_files = place.n_files.take();
    println!(
        "{line}: {} at {n_met} of {n_all} calls, {n_files} files checked, 0 bytes lost",
        fault.text()
    );
}

fn case_survives(case: &'static Case, fault: Fault) {
    survives_each_call(&Place::in_memory(case, first_tree(3, 3)), fault);
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
        repairs_survive(&Place::in_memory(case, first_tree(3, 3)), "rename");
    }
}

/// Kills a run at the middle one of its calls with this name. Then `resume` and `undo` survive that
/// they are killed at each of theirs.
pub(crate) fn repairs_survive(place: &Place, middle: &str) {
    let case = place.case;
    let inject = kill_at(place, |name, _| name.starts_with(middle), |calls| calls.len() / 2);
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
