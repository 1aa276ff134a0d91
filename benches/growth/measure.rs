//! One measurement: the program does its work some times in a process of its own, which reports the
//! least processor time and the most memory.
//!
//! Processor time does not count what other programs do on a busy machine, and the least of several
//! runs counts its caches least.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use std::{env, fs, iter};

/// What this program is called with to measure, and not to judge.
pub(crate) const MEASURE: &str = "--measure";

/// What is measured instead of the program where its name is this, to see that the judge is just.
pub(crate) const STAND_IN: &str = "stand-in";

/// What is between the arguments of two runs of the program that are measured together.
pub(crate) const AND: &str = "--and";

/// What one size of a shape takes.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    /// Processor time of all threads.
    pub(crate) time: Duration,
    /// The most memory that was in use, in bytes, with that of the program itself.
    pub(crate) peak: u64,
}

/// Measures the program with some arguments, which write `out`.
pub(crate) fn cost(args: &[OsString], out: &Path, rounds: usize) -> Cost {
    let measured = tempfile::NamedTempFile::new().unwrap();
    let status = Command::new(env::current_exe().unwrap())
        .arg(MEASURE)
        .args([measured.path(), out])
        .arg(rounds.to_string())
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{args:?}: nothing was measured");
    let measured = fs::read_to_string(measured.path()).unwrap();
    let (time, peak) = measured.split_once(' ').unwrap();
    Cost { time: Duration::from_nanos(time.parse().unwrap()), peak: peak.parse().unwrap() }
}

/// So many rounds are one that is not timed: valgrind does not know the clock.
const UNTIMED: &str = "0";

/// Returns true if valgrind is there.
pub(crate) fn can_count() -> bool {
    let mut command = Command::new("valgrind");
    command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Returns the instructions of one run, if valgrind can count them.
pub(crate) fn instructions(args: &[OsString], out: &Path) -> Option<f64> {
    let measured = tempfile::NamedTempFile::new().unwrap();
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(env::current_exe().unwrap())
        .arg(MEASURE)
        .args([measured.path(), out])
        .arg(UNTIMED)
        .args(args)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let measured = String::from_utf8_lossy(&output.stderr);
    measured
        .lines()
        .find_map(|line| line.split_once("I   refs:")?.1.trim().replace(',', "").parse().ok())
}

/// Measures in this process, and writes it to a file: the side of the child.
pub(crate) fn measure(mut args: impl Iterator<Item = OsString>) {
    let measured = PathBuf::from(args.next().unwrap());
    let out = PathBuf::from(args.next().unwrap());
    let rounds: usize = args.next().unwrap().to_str().unwrap().parse().unwrap();
    let args: Vec<OsString> = args.collect();
    if rounds == 0 {
        remove(&out);
        return work(&args);
    }
    let mut least = Duration::MAX;
    let mut all = Duration::ZERO;
    for round in 0.. {
        // Short runs are measured more often.
        if round >= rounds && (rounds == 1 || all > Duration::from_millis(20) || round >= 20) {
            break;
        }
        remove(&out);
        let started = processor_time();
        work(&args);
        let time = processor_time() - started;
        least = least.min(time);
        all += time;
        let is_written = out.exists() || !args.iter().any(|arg| arg == "-o");
        assert!(is_written, "the program has not written what it should");
    }
    fs::write(measured, format!("{} {}", least.as_nanos(), peak())).unwrap();
}

fn work(args: &[OsString]) {
    match args {
        [stand_in, growth, file, out] if stand_in == STAND_IN => {
            let bytes = fs::read(file).unwrap();
            // A byte of 32 is compared with each other one, or with itself only.
            let sample: Vec<u8> = bytes.iter().copied().step_by(32).collect();
            let is_quadratic = growth == "quadratic";
            let equal = |byte: &u8| {
                if is_quadratic {
                    sample.iter().filter(|other| std::hint::black_box(**other) == *byte).count()
                } else {
                    (0..64).filter(|n| std::hint::black_box(*n) == *byte).count()
                }
            };
            let n: usize = sample.iter().map(equal).sum();
            fs::write(out, n.to_string()).unwrap();
        }
        args => {
            for args in args.split(|arg| arg == AND) {
                let name = OsString::from("relink");
                std::hint::black_box(relink::run(iter::once(name).chain(args.iter().cloned())));
            }
        }
    }
}

fn remove(out: &Path) {
    if out.is_dir() { fs::remove_dir_all(out).unwrap() } else { drop(fs::remove_file(out)) }
}

#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap()
}

/// No clock of the process is at hand: the time that passes.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// The most memory that this process has had (`proc_pid_status(5)`).
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or_default() * 1024
}
