//! What the benches of the libraries share: the pages of a tree, and engines that take turns on
//! them. Each pass is a line of JSON.

#![allow(dead_code, reason = "each bench needs a part of it")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The arguments of a bench: `[--runs N] [DIRECTORY]`.
pub(crate) struct Arguments {
    /// The number of passes of each engine.
    pub(crate) n_runs: usize,
    /// The tree whose pages are read.
    pub(crate) directory: Option<PathBuf>,
}

impl Arguments {
    /// Reads the arguments of this process.
    ///
    /// # Panics
    ///
    /// Panics if the number of runs is missing or no number.
    pub(crate) fn read() -> Arguments {
        let mut read = Arguments { n_runs: 10, directory: None };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match &*argument {
                // Cargo adds it.
                "--bench" => {}
                "--runs" => read.n_runs = arguments.next().unwrap().parse().unwrap(),
                _ => read.directory = Some(argument.into()),
            }
        }
        read
    }
}

/// A page of a tree.
pub(crate) struct Page {
    /// The path below the root of the tree, with slashes.
    pub(crate) path: String,
    pub(crate) html: String,
}

/// Returns all HTML files of a tree in the order of their paths, and the number of those that are
/// not in UTF-8: engines that only read UTF-8 cannot be compared on them.
pub(crate) fn pages(root: &Path) -> (Vec<Page>, usize) {
    let mut n_other = 0;
    let entries = walkdir::WalkDir::new(root).sort_by_file_name().into_iter().flatten();
    let is_html = |path: &Path| path.extension().is_some_and(|name| name == "html");
    let files = entries.filter(|entry| entry.file_type().is_file() && is_html(entry.path()));
    let pages = files.filter_map(|entry| {
        let html = String::from_utf8(std::fs::read(entry.path()).ok()?).ok();
        n_other += usize::from(html.is_none());
        let path = entry.path().strip_prefix(root).ok()?.to_str()?.replace('\\', "/");
        Some(Page { path, html: html? })
    });
    (pages.collect(), n_other)
}

/// An engine: its name, and a pass over all documents. The result depends on all that the pass
/// computes, so that nothing is optimized away.
pub(crate) type Engine<'e> = (&'e str, Box<dyn Fn() -> usize + 'e>);

/// Lets engines take turns, A B C A B C, and prints a line for each pass.
pub(crate) fn alternate(work: &str, n_runs: usize, engines: &[Engine<'_>]) {
    for run in 0..n_runs {
        for (name, pass) in engines {
            let (cpu, started) = (on_processor(), Instant::now());
            black_box(pass());
            let wall = started.elapsed().as_nanos();
            let cpu = on_processor().zip(cpu).map(|(end, start)| end - start);
            let cpu = cpu.map_or("null".to_owned(), |cpu| cpu.to_string());
            println!(
                r#"{{"run":{run},"work":"{work}","engine":"{name}","wall_ns":{wall},"cpu_ns":{cpu}}}"#
            );
        }
    }
}

/// Returns the nanoseconds that this thread was on a processor, on Linux.
fn on_processor() -> Option<u64> {
    // Otherwise the kernel counts up to the last tick of its clock.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}
