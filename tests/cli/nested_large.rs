//! Large mailboxes in zip files and gzip, edited in little memory. Python makes and judges them
//! (`tests/cli/nested_large.py`).

use std::path::Path;
use std::process::Command;

use crate::dir::{Run, TestDir};
use crate::tools;
use crate::words;

/// Runs a script of this directory, and returns what it prints.
#[track_caller]
fn python(dir: &TestDir, args: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/nested_large.py");
    let run = Command::new("python3").arg(script).args(args).current_dir(dir.path(".")).output();
    let run = run.unwrap();
    assert!(run.status.success(), "{args:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

/// Mailboxes of 2 MB, and with `RELINK_FULL` one of 300 MB, are edited in a zip file, in gzip, and
/// in a zip file in a zip file: to a new directory, in place, and back.
#[test]
fn large_mailboxes_in_archives_are_edited_in_little_memory() {
    if !tools::has("python3", &["--version"]) {
        return;
    }
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    let dir = TestDir::new();
    python(&dir, &["make", "t", if is_full { "300000" } else { "2000" }]);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/nested_streams.py");
    let relink = |command: &str| {
        let limits = "--limit document-size=300K --limit compression-ratio=20";
        dir.relink_by(&["python3", script, "run"], &format!("{command} {limits}")).exits(0)
    };
    let in_little_memory = |run: &Run| {
        let peak = run.stderr.lines().find_map(|line| line.strip_prefix("peak: ")).unwrap();
        let peak: usize = peak.parse().unwrap();
        assert!(!is_full || peak < 100 << 10, "{peak} KiB");
    };
    let options = "--base http://h/t/ --also zip";
    in_little_memory(&relink(&format!("absolutize t -o out {options} --manifest m.jsonl")));
    let n_links = python(&dir, &["judge", "t", "out", "http://h/t/"]);
    assert!(n_links.trim().parse::<usize>().unwrap() > 100, "{n_links}");
    dir.relink("verify out --manifest m.jsonl").exits(0);
    // In place, and back.
    python(&dir, &["copy", "t", "old"]);
    in_little_memory(&relink(&format!("absolutize t -i {options}")));
    python(&dir, &["same", "out", "t"]);
    dir.relink("undo t").exits(0);
    python(&dir, &["same", "old", "t"]);
    // Again, nothing changes.
    in_little_memory(&relink(&format!("absolutize out -o again {options}")));
    python(&dir, &["same", "out", "again"]);
}

/// What is copied to temporary files has a limit, and is left as it is.
#[test]
fn large_archives_in_archives_have_a_limit() {
    if !tools::has("python3", &["--version"]) {
        return;
    }
    let dir = TestDir::new();
    python(&dir, &["make", "t", "1200"]);
    let command = "absolutize t -o out --base http://h/t/ --also zip";
    let run = dir.relink(&format!("{command} --limit archive-size=1M")).exits(2);
    for name in ["z.zip!m.mbox", "z.zip!in.zip", "g.mbox.gz"] {
        let reason = format!("t/{name}: skipped; the archives in it are larger than 1M; ");
        assert!(run.has_line_with(&(reason + &words::raise("archive-size"))), "{name}: {run}");
    }
    // A stored one is no copy.
    dir.relink("refs out/z.zip").exits(0);
    let run = dir.relink("refs out/z.zip").exits(0);
    assert!(run.text().contains("z.zip!d/s.mbox:5:9: a[href] http://h/t/z.zip/d/d/"), "{run}");
    assert!(!run.text().contains("z.zip!m.mbox:5:9: a[href] http:"), "{run}");
}
