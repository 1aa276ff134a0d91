//! What the system has little of: room on the disk, and open files.

use crate::dir::{Run, TestDir};
use crate::words::{CANNOT_WRITE, NO_SPACE};

const PAGE: &str = "<p><a href=x>";

/// Returns the size of a page of memory, by which a disk in memory is filled: on most machines
/// 4096.
fn memory_page() -> usize {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    let size = maps.lines().find_map(|line| line.strip_prefix("KernelPageSize:"));
    let kibibytes = size.and_then(|size| size.trim().strip_suffix(" kB")?.parse().ok());
    kibibytes.unwrap_or(4_usize) * 1024
}

/// Returns the number of references of a document, which fills half a page of memory, and with
/// absolute references not more than one.
fn n_references() -> usize {
    memory_page() / (2 * PAGE.len())
}

/// A tree of so many documents, in ten directories one in the other.
fn tree(n: usize) -> TestDir {
    let (dir, n_references) = (TestDir::new(), n_references());
    for idx in 0..n {
        let directory = "d/".repeat(idx % 10);
        dir.file(format!("site/{directory}{idx:03}.html"), PAGE.repeat(n_references));
    }
    dir
}

/// Runs a command with a disk of so many pages at `at`, which gets a copy of `site` if it is to be
/// written over.
fn on_small_disk(dir: &TestDir, at: &str, n_pages: usize, line: &str) -> Option<Run> {
    if !crate::tools::runs("unshare", &["-m", "mount", "-t", "tmpfs", "none", "/mnt"]) {
        crate::tools::skipped("no disk can be mounted here");
        return None;
    }
    dir.directory(at);
    dir.directory("after");
    let n_octets = n_pages * memory_page();
    let script = format!(
        "mount -t tmpfs -o size={n_octets} none {at} || exit 99\n\
         test {at} = out || cp -a site {at} || exit 98\n\
         \"$0\" \"$@\"; status=$?\n\
         cp -a {at} after\n\
         exit $status"
    );
    Some(dir.relink_by(&["unshare", "-m", "sh", "-c", &script], line))
}

/// The number of files below a directory that contain a text.
fn n_with(dir: &TestDir, name: &str, text: &str) -> usize {
    let nodes = dir.tree(name).into_values();
    nodes
        .filter(|node| match node {
            crate::dir::Node::File { bytes, .. } => String::from_utf8_lossy(bytes).contains(text),
            _ => false,
        })
        .count()
}

/// The number of files that a message says were not processed.
#[track_caller]
fn n_not_done(run: &Run) -> usize {
    let words: Vec<&str> = run.stderr.split("; ").collect();
    let report = words
        .iter()
        .find(|words| words.ends_with(" were not processed"))
        .or(words.iter().find(|words| words.ends_with(" were not processed\n")));
    let n = report.and_then(|report| report.split(' ').next()).and_then(|n| n.parse().ok());
    n.unwrap_or_else(|| panic!("no count{run}"))
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_with_one_message() {
    for jobs in [1, 2] {
        let dir = tree(100);
        let line = format!("absolutize site --base http://h/ -o out -q -j {jobs}");
        let Some(run) = on_small_disk(&dir, "out", 50, &line) else { return };
        let run = run.exits(2);
        assert_eq!(run.stderr.lines().count(), 1, "{run}");
        assert!(run.stderr.contains(&format!(": {CANNOT_WRITE}; {NO_SPACE}; ")), "{run}");
        let n_done = n_with(&dir, "after/out", "href=http://h/");
        assert!(n_done > 10, "{run}");
        assert_eq!(n_done + n_not_done(&run), 100, "{run}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_a_run_over_documents_with_one_message() {
    let dir = tree(100);
    dir.file("site/other.txt", "not a document");
    let line = "absolutize w/site --base http://h/ -i -q";
    let Some(run) = on_small_disk(&dir, "w", 120, line) else { return };
    let run = run.exits(2);
    assert_eq!(run.stderr.lines().count(), 1, "{run}");
    assert!(run.stderr.contains(&format!(": {CANNOT_WRITE}; {NO_SPACE}; ")), "{run}");
    assert!(
        run.stderr.contains(
            "; use `relink resume w/site` to continue, or `relink undo w/site` to revert\n"
        ),
        "{run}"
    );
    let n_done = n_with(&dir, "after/w/site", "href=http://h/");
    assert_eq!(n_done + n_not_done(&run), 100, "{run}");
}

#[test]
fn few_open_files_make_few_threads() {
    let dir = tree(150);
    let limited = ["sh", "-c", "ulimit -n 32; exec \"$0\" \"$@\""];
    for line in [
        "absolutize site --base http://h/ -o out",
        "relativize site --base http://h/ -i",
        "refs site --base http://h/",
        "check site",
        "absolutize site --base http://h/ -i --backup --durable",
    ] {
        let run = dir.relink_by(&limited, &format!("{line} -q -j 64"));
        let run = run.exits(i32::from(line.starts_with("check"))).reports("");
        if line.starts_with("refs") {
            assert_eq!(run.text().lines().count(), 150 * n_references());
        }
    }
    for name in ["out", "site"] {
        assert_eq!(n_with(&dir, name, "href=http://h/"), 150, "{name}");
    }
    // A soft limit is raised.
    let limited = ["sh", "-c", "ulimit -S -n 32; exec \"$0\" \"$@\""];
    dir.relink_by(&limited, "refs site -q -j 64").exits(0).reports("");
}
