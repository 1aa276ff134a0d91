//! Waiting in tests: for an event, and for a moment that no test depends on. Nothing else in a test
//! sleeps (`clippy.toml`), since what a pause is long enough for depends on the machine.

use std::fmt::Display;
use std::thread;
use std::time::{Duration, Instant};

/// What has not happened after this time never does. It is no measure of speed: no machine is so
/// slow that a test which waits for an event gives up before it. With `RELINK_FULL`, a run over
/// files of 300 MB may take longer than five minutes beside other work.
fn never() -> Duration {
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    Duration::from_secs(if is_full { 3600 } else { 300 })
}

/// Waits until `has_happened` returns true.
///
/// # Panics
///
/// Panics after five minutes, or an hour with `RELINK_FULL`, with the name of the event.
#[track_caller]
pub(crate) fn wait_until(event: impl Display, mut has_happened: impl FnMut() -> bool) {
    wait_for(event, || has_happened().then_some(()))
}

/// Waits until `result` returns a value, and returns it.
///
/// # Panics
///
/// As [`wait_until`].
#[track_caller]
pub(crate) fn wait_for<T>(event: impl Display, mut result: impl FnMut() -> Option<T>) -> T {
    let (started, never) = (Instant::now(), never());
    loop {
        if let Some(result) = result() {
            return result;
        }
        assert!(started.elapsed() < never, "this has not happened: {event}");
        pause(Duration::from_micros(200));
    }
}

/// Lets other processes go on for a time. Only for a test whose result is the same however long the
/// pause is, such as a kill at a random moment.
#[allow(clippy::disallowed_methods, reason = "the only pause of the tests")]
pub(crate) fn pause(time: Duration) {
    thread::sleep(time);
}
