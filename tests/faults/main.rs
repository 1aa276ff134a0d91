//! No byte is lost, whatever happens: runs are killed, interrupted, and meet full disks, calls that
//! fail, and files that change meanwhile.
//!
//! After each fault every file is wholly old or wholly new, `resume` ends as an undisturbed run
//! does, and `undo` gives back the first tree: names, bytes, modes and times (`tree.rs`).
//! `RELINK_KILLS=200 cargo test --release --test faults -- --nocapture` for the long form, which
//! says what it counted: kills amid a run and at random moments (`kills.rs`), faults at each system
//! call (`calls.rs`), of which the short form takes a sample, full disks (`disk.rs`), what others
//! write meanwhile (`changing.rs`), names in a Maildir (`maildir.rs`), files that get new names
//! (`renames.rs`), what is forbidden (`rights.rs`), odd names of PATHs and places of journals
//! (`places.rs`). Runs of `unpack`, which write nothing over, continue (`unpack.rs`), and a new OUT
//! is complete when it appears (`new_out.rs`). Runs without a journal leave nothing (`single.rs`).

#![cfg(unix)]
#![cfg_attr(
    not(unix),
    allow(unused_imports, dead_code, reason = "helpers of tests that are not built")
)]
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test stops where it cannot go on, and tells what it saw"
)]

mod archives;
mod calls;
mod changing;
mod copies;
mod directories;
mod disk;
#[path = "../tools/held.rs"]
mod held;
mod kills;
mod maildir;
mod new_out;
mod places;
mod renames;
mod rights;
mod single;
mod swaps;
#[path = "../tools/mod.rs"]
mod tools;
mod tree;
mod unpack;
#[path = "../tools/zip_file.rs"]
mod zip_file;

/// How many runs are killed.
fn n_kills() -> u64 {
    std::env::var("RELINK_KILLS").ok().and_then(|number| number.parse().ok()).unwrap_or(12)
}

/// The size of a tree whose runs are killed at random moments: in the short form, two fifths of it.
fn sized(whole: usize) -> usize {
    if is_long() { whole } else { whole * 2 / 5 }
}

fn is_long() -> bool {
    n_kills() >= 200
}
