//! The clock of the time limit: that of the system where there is one, or one given by the caller.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The clock by which the time limit of a document ([`Limit::Time`](crate::Limit::Time)) is
/// checked.
///
/// The default is the monotonic clock of the system. On `wasm32-unknown-unknown`, where reading
/// that clock traps, the default is [no clock](Clock::none), and there is no time limit until the
/// caller gives a clock.
///
/// # Examples
///
/// A clock that lets each document be checked ten times, however long that takes:
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use std::time::Duration;
///
/// use relink_rewrite::{Clock, Limits, Options};
///
/// let n_readings = AtomicU64::new(0);
/// let clock = Clock::new(move || Duration::from_secs(n_readings.fetch_add(1, Ordering::Relaxed)));
/// let mut limits = Limits::default();
/// limits.set("time", "10s")?;
/// let options = Options::default().with_clock(clock).with_limits(limits);
/// # Ok::<(), relink_rewrite::BadLimit>(())
/// ```
#[derive(Clone)]
pub struct Clock(ClockSource);

/// A function that returns the time since a fixed moment.
type Now = dyn Fn() -> Duration + Send + Sync;

#[derive(Clone)]
enum ClockSource {
    None,
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    System,
    Given(Arc<Now>),
}

impl Clock {
    /// Returns a clock that is read by calling `now`, which returns the time since any moment that
    /// stays the same. It is called at intervals while a document is read.
    pub fn new(now: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Clock(ClockSource::Given(Arc::new(now)))
    }

    /// Returns no clock: the time that a document takes is not limited.
    pub const fn none() -> Self {
        Clock(ClockSource::None)
    }

    /// Returns the time since the fixed moment of the clock, if there is a clock.
    pub(crate) fn now(&self) -> Option<Duration> {
        match &self.0 {
            ClockSource::None => None,
            #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
            ClockSource::System => Some(system::now()),
            ClockSource::Given(now) => Some(now()),
        }
    }
}

impl Default for Clock {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    fn default() -> Self {
        Clock(ClockSource::System)
    }

    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    fn default() -> Self {
        Clock::none()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            ClockSource::None => "Clock(none)",
            #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
            ClockSource::System => "Clock(system)",
            ClockSource::Given(_) => "Clock(given)",
        })
    }
}

/// The monotonic clock of the system.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "the only clock")]
mod system {
    use std::sync::LazyLock;
    use std::time::{Duration, Instant};

    /// The moment of the first reading, since an [`Instant`] is no number.
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);

    pub(super) fn now() -> Duration {
        START.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_the_system_is_the_default_and_goes_forward() {
        let clock = Clock::default();
        let (first, second) = (clock.now().unwrap(), clock.now().unwrap());
        assert!(first <= second);
        assert_eq!(format!("{clock:?}"), "Clock(system)");
    }

    #[test]
    fn a_given_clock_is_read_and_no_clock_gives_no_time() {
        let clock = Clock::new(|| Duration::from_millis(7));
        assert_eq!(clock.now(), Some(Duration::from_millis(7)));
        assert_eq!(Clock::none().now(), None);
    }
}
