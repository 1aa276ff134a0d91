//! The progress of a run, in the last line of a terminal.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{env, thread};

use indicatif::{HumanBytes, HumanCount, HumanDuration, ProgressDrawTarget, ProgressStyle};

use crate::events::Progress;
use crate::files::walk;
use crate::os::messages;

/// A run that ends before this time shows no progress.
const DELAY: Duration = Duration::from_millis(400);

/// The time between two frames of the spinner, which moves while a large file is processed.
const TICK: Duration = Duration::from_millis(150);

/// The rate and the time left are not shown before this time.
const WARM_UP: Duration = Duration::from_secs(2);

/// The line with the progress of a run. Without a terminal, nothing is printed.
pub struct ProgressBar {
    bar: indicatif::ProgressBar,
    started: Instant,
    shared: Arc<Shared>,
}

/// What the thread that counts the files shares with the bar.
#[derive(Default)]
struct Shared {
    /// Number of files of the run; 0 until it is known.
    n_total: AtomicUsize,
    is_over: AtomicBool,
    /// True if the line is shown. Held while that changes, and while the run ends.
    is_shown: Mutex<bool>,
    /// Wakes the thread that waits for [`DELAY`] when the run is over.
    ended: Condvar,
}

impl Shared {
    /// Locks what is shown.
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the run has taken longer than a moment, or is over.
    fn wait(&self, started: Instant) {
        let left = DELAY.saturating_sub(started.elapsed());
        let is_going = |_: &mut bool| !self.is_over.load(Ordering::Relaxed);
        drop(self.ended.wait_timeout_while(self.lock(), left, is_going));
    }
}

/// Returns true if standard error can show progress.
#[expect(clippy::disallowed_methods, reason = "the command line looks at its terminal")]
pub fn is_possible() -> bool {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stderr().is_terminal() && !is_dumb && !is_set("CI")
}

impl ProgressBar {
    /// Starts the bar of a run over `paths`. A thread counts their files, and shows the bar when
    /// the run takes longer than a moment.
    pub fn start(paths: Vec<PathBuf>) -> Self {
        let bar = indicatif::ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        // The template is constant, and valid.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {wide_msg:.dim}") {
            bar.set_style(style);
        }
        let shared = Arc::new(Shared::default());
        let (counted, shown) = (Arc::clone(&shared), bar.clone());
        let started = Instant::now();
        // Without a thread, no total is known, and the first file that is finished shows the bar.
        let result = thread::Builder::new().name("count".to_owned()).spawn(move || {
            let n_total = walk::count_files(&paths, &counted.is_over);
            counted.n_total.store(n_total, Ordering::Relaxed);
            shown.set_prefix(if n_total > 0 {
                format!("0/{} files", HumanCount(n_total as u64))
            } else {
                String::new()
            });
            counted.wait(started);
            show(&counted, &shown);
        });
        drop(result);
        ProgressBar { bar, started, shared }
    }

    /// Shows that a file is finished.
    pub fn advance(&self, progress: &Progress<'_>) {
        let elapsed = self.started.elapsed();
        if elapsed < DELAY {
            return;
        }
        show(&self.shared, &self.bar);
        let counted = self.shared.n_total.load(Ordering::Relaxed);
        let n_total = progress.n_total.or((counted > 0).then_some(counted));
        self.bar.set_prefix(line(progress, n_total, elapsed));
        let path = progress.path.to_string_lossy();
        self.bar.set_message(messages::visible(&path).into_owned());
    }

    /// Calls `print` while the line is not shown.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Removes the line.
    pub fn clear(&self) {
        let mut is_shown = self.shared.lock();
        self.shared.is_over.store(true, Ordering::Relaxed);
        self.shared.ended.notify_all();
        *is_shown = false;
        self.bar.finish_and_clear();
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Shows the line, unless the run is over.
fn show(shared: &Shared, bar: &indicatif::ProgressBar) {
    let mut is_shown = shared.lock();
    if !*is_shown && !shared.is_over.load(Ordering::Relaxed) {
        *is_shown = true;
        bar.set_draw_target(ProgressDrawTarget::stderr());
        bar.enable_steady_tick(TICK);
    }
}

/// Returns the line without the path: files, length, and later rate and time left.
fn line(progress: &Progress<'_>, n_total: Option<usize>, elapsed: Duration) -> String {
    let Progress { n_files, part, n_bytes, .. } = *progress;
    let mut line = HumanCount(n_files as u64).to_string();
    let n_total = n_total.map(|n_total| n_total.max(n_files));
    match n_total {
        Some(n_total) => line.push_str(&format!("/{} files", HumanCount(n_total as u64))),
        None => line.push_str(if n_files == 1 { " file" } else { " files" }),
    }
    line.push_str(&format!("  {}", HumanBytes(n_bytes)));
    if elapsed < WARM_UP {
        return line;
    }
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "three digits are shown"
    )]
    let rate = (n_bytes as f64 / elapsed.as_secs_f64()) as u64;
    line.push_str(&format!("  {}/s", HumanBytes(rate)));
    #[allow(clippy::cast_precision_loss, reason = "two digits are shown")]
    if let Some(n_total) = n_total {
        let part = part.filter(|(_, length)| *length > 0);
        let part = part.map_or(0.0, |(end, length)| (end as f64 / length as f64).min(1.0));
        let done = n_files as f64 + part;
        let left = elapsed.as_secs_f64() * (n_total as f64 - done) / done;
        // None or a few files are no measure, and neither is a tree that grows.
        if left.is_finite() && left > 0.0 && left < 1e6 {
            let left = HumanDuration(Duration::from_secs_f64(left.max(1.0)));
            line.push_str(&format!("  {left:#} left"));
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_line_has_files_length_rate_and_time() {
        let progress = Progress {
            path: Path::new("a"),
            n_files: 1000,
            n_total: None,
            part: None,
            n_documents: 600,
            n_bytes: 10 << 20,
        };
        let seconds = Duration::from_secs;
        let shown = |n_total, elapsed| line(&progress, n_total, elapsed);
        assert_eq!(shown(None, seconds(1)), "1,000 files  10.00 MiB");
        assert_eq!(shown(Some(1500), seconds(1)), "1,000/1,500 files  10.00 MiB");
        assert_eq!(
            shown(Some(1500), seconds(10)),
            "1,000/1,500 files  10.00 MiB  1.00 MiB/s  5s left"
        );
        // Files were added after they had been counted.
        assert_eq!(shown(Some(900), seconds(10)), "1,000/1,000 files  10.00 MiB  1.00 MiB/s");
    }

    #[test]
    fn a_mailbox_is_a_part_of_a_file() {
        let progress = Progress {
            path: Path::new("a"),
            n_files: 0,
            n_total: Some(1),
            part: Some((25, 100)),
            n_documents: 600,
            n_bytes: 10 << 20,
        };
        let line = line(&progress, Some(1), Duration::from_secs(10));
        assert_eq!(line, "0/1 files  10.00 MiB  1.00 MiB/s  30s left");
    }
}
