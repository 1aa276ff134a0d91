//! How many files the system lets the program have open, and how many threads that is enough for.

/// A thread has at most so many files open at once: a document, what tells its URL, what is written
/// in its place, the copy that is kept, and their directories.
const PER_THREAD: u64 = 8;

/// What all threads share: the three standard streams, the journal with its lock, what signals are
/// read by, and the directories of the walk, which has at most ten open.
const SHARED: u64 = 20;

/// Returns how many of the threads may run at once: all of them, if the limit of open files allows
/// it or can be raised far enough, and one at least.
#[cfg(unix)]
pub fn threads(wanted: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let needed = SHARED + PER_THREAD * u64::try_from(wanted).unwrap_or(u64::MAX / 16);
    let limit = getrlimit(Resource::Nofile);
    // `None` is no limit.
    let Some(mut current) = limit.current.filter(|current| *current < needed) else {
        return wanted;
    };
    let raised = limit.maximum.map_or(needed, |maximum| maximum.min(needed));
    if raised > current {
        let raise = Rlimit { current: Some(raised), maximum: limit.maximum };
        if setrlimit(Resource::Nofile, raise).is_ok() {
            current = raised;
        }
    }
    let n = usize::try_from(current.saturating_sub(SHARED) / PER_THREAD).unwrap_or(wanted);
    n.clamp(1, wanted)
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub fn threads(wanted: usize) -> usize {
    wanted
}
