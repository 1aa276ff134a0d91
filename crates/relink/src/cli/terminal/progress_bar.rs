//! The progress of a run, in the last line of a terminal.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{env, thread};

use console::Term;
use indicatif::{HumanBytes, HumanCount, HumanDuration, ProgressDrawTarget, ProgressStyle};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::events::Progress;
use crate::files::walk;
#[cfg(unix)]
use crate::os::interrupt;
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
    /// The PATHs, to which the paths that are shown are relative.
    paths: Vec<PathBuf>,
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
        let (counted, shown, counted_paths) = (Arc::clone(&shared), bar.clone(), paths.clone());
        let started = Instant::now();
        // Without a thread, no total is known, and the first file that is finished shows the bar.
        let result = thread::Builder::new().name("count".to_owned()).spawn(move || {
            let n_total = walk::count_files(&counted_paths, &counted.is_over);
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
        #[cfg(unix)]
        {
            let (shared, bar) = (Arc::clone(&shared), bar.clone());
            interrupt::before_end(move || clear(&shared, &bar));
        }
        ProgressBar { bar, paths, started, shared }
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
        let line = line(progress, n_total, elapsed);
        let below = self.paths.iter().find_map(|path| progress.path.strip_prefix(path).ok());
        let path = below.filter(|below| !below.as_os_str().is_empty()).unwrap_or(progress.path);
        let path = path.to_string_lossy();
        // The spinner, and a space after it and after the line.
        let width = usize::from(Term::stderr().size().1).saturating_sub(line.width() + 3);
        self.bar.set_message(cut(&messages::visible(&path), width));
        self.bar.set_prefix(line);
    }

    /// Calls `print` while the line is not shown.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Removes the line.
    pub fn clear(&self) {
        clear(&self.shared, &self.bar);
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Removes the line, which is not shown again.
fn clear(shared: &Shared, bar: &indicatif::ProgressBar) {
    let mut is_shown = shared.lock();
    shared.is_over.store(true, Ordering::Relaxed);
    shared.ended.notify_all();
    *is_shown = false;
    bar.finish_and_clear();
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

/// Returns a text that fits into some columns, without its middle if it is longer: the name of a
/// file is at the end of its path.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let left = width.saturating_sub(1);
    let fits = |chars: &mut dyn Iterator<Item = char>, width: usize| {
        let mut n_columns = 0;
        let is_in = |char: &char| {
            n_columns += char.width().unwrap_or(0);
            n_columns <= width
        };
        chars.take_while(is_in).collect::<Vec<char>>()
    };
    let start: String = fits(&mut text.chars(), left / 3).into_iter().collect();
    let end = fits(&mut text.chars().rev(), left - left / 3);
    start + "…" + &end.into_iter().rev().collect::<String>()
}

/// The number of columns of the bar.
const BAR: usize = 10;

/// Returns the line without the path: files, a bar and per cent if their number is known, length,
/// and later rate and time left.
fn line(progress: &Progress<'_>, n_total: Option<usize>, elapsed: Duration) -> String {
    let Progress { n_files, part, n_bytes, .. } = *progress;
    let mut line = HumanCount(n_files as u64).to_string();
    let n_total = n_total.map(|n_total| n_total.max(n_files));
    match n_total {
        Some(n_total) => line.push_str(&format!("/{} files", HumanCount(n_total as u64))),
        None => line.push_str(if n_files == 1 { " file" } else { " files" }),
    }
    let part = part.filter(|(_, length)| *length > 0);
    #[allow(clippy::cast_precision_loss, reason = "three digits are shown")]
    let done = {
        let part = part.map_or(0.0, |(end, length)| (end as f64 / length as f64).min(1.0));
        n_files as f64 + part
    };
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is from 0 to 100"
    )]
    if let Some(n_total) = n_total.filter(|n_total| *n_total > 0) {
        let percent = (100.0 * done / n_total as f64).clamp(0.0, 100.0) as usize;
        let n_full = percent * BAR / 100;
        line.push_str(&format!("  [{}{}]", "#".repeat(n_full), "-".repeat(BAR - n_full)));
        line.push_str(&format!(" {percent:>2} %"));
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
        assert_eq!(
            shown(Some(1500), seconds(1)),
            "1,000/1,500 files  [######----] 66 %  10.00 MiB"
        );
        assert_eq!(
            shown(Some(1500), seconds(10)),
            "1,000/1,500 files  [######----] 66 %  10.00 MiB  1.00 MiB/s  5s left"
        );
        // Files were added after they had been counted.
        let all = "1,000/1,000 files  [##########] 100 %  10.00 MiB  1.00 MiB/s";
        assert_eq!(shown(Some(900), seconds(10)), all);
    }

    #[test]
    fn the_middle_of_a_long_path_is_cut() {
        assert_eq!(cut("a/b.html", 8), "a/b.html");
        assert_eq!(cut("first/second/third/file.html", 16), "first…/file.html");
        // Two columns each.
        assert_eq!(cut("\u{4e00}\u{4e01}\u{4e02}\u{4e03}", 6), "…\u{4e02}\u{4e03}");
        for width in 0..30 {
            let text = cut("a/\u{4e00}\u{301}/b/c/\u{4e03}.html", width);
            assert!(text.width() <= width.max(1), "{text}");
        }
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
        assert_eq!(line, "0/1 files  [##--------] 25 %  10.00 MiB  1.00 MiB/s  30s left");
    }
}
