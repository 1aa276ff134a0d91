//! The limit of open files, and the number of threads that it allows.

/// The maximum number of files that a thread has open at once: a document, the source of its URL,
/// its replacement, its backup, and their directories.
#[cfg(unix)]
const PER_THREAD: u64 = 8;

/// The files that all threads share: the three standard streams, the journal with its lock, the
/// pipe of signals, and the directories of the walk, which has at most ten open.
#[cfg(unix)]
const SHARED: u64 = 20;

/// Returns how many of the threads can run at once: all of them, if the limit of open files allows
/// it or can be raised far enough, and at least one.
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

/// Returns `wanted`: other systems have no such limit.
#[cfg(not(unix))]
pub fn threads(wanted: usize) -> usize {
    wanted
}
