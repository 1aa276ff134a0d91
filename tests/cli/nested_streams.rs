//! Large archives in a zip file, which commands that write nothing read as streams. Python makes
//! and judges them (`tests/cli/nested_streams.py`).

use std::path::Path;
use std::process::Command;

use crate::dir::TestDir;
use crate::tools;
use crate::words;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/nested_streams.py");

/// Runs the script, and returns what it prints.
#[track_caller]
fn python(dir: &TestDir, args: &[&str]) -> String {
    let mut command = Command::new("python3");
    let run = command.arg(Path::new(SCRIPT)).args(args).current_dir(dir.path(".")).output();
    let run = run.unwrap();
    assert!(run.status.success(), "{args:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

/// Web archives and mailboxes, of 600 MiB each with `RELINK_FULL`, are in a zip file, deflated or
/// stored, and a WACZ file, which is read anywhere, is deflated too. No limit depends on their size
/// but that of temporary files.
#[test]
fn large_archives_in_a_zip_file_are_read_in_little_memory() {
    if !tools::has("python3", &["--version"]) {
        return;
    }
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    let size = if is_full { "600" } else { "3" };
    let dir = TestDir::new();
    python(&dir, &["make", "x.zip", size]);
    let expected = python(&dir, &["targets", "x.zip"]);
    let measured = ["python3", SCRIPT, "run"];
    for jobs in ["-j 1", "-j 4"] {
        let run =
            dir.relink_by(&measured, &format!("refs x.zip --limit document-size=300K {jobs}"));
        let run = run.exits(0);
        let target = |line: &str| {
            let name = line.strip_prefix("x.zip!")?.split(':').next()?;
            Some(format!("{name} {}\n", line.rsplit(' ').next()?))
        };
        let lines = run.text().lines().filter(|line| line.contains(" a[href] "));
        let found: String = lines.filter_map(target).collect();
        assert!(found == expected, "{} {}", found.len(), expected.len());
        let peak = run.stderr.lines().find_map(|line| line.strip_prefix("peak: ")).unwrap();
        let peak: usize = peak.parse().unwrap();
        assert!(!is_full || peak < 200 << 10, "{peak} KiB");
    }
    // The WACZ file that is deflated is copied to a temporary file.
    let limited = "refs x.zip --limit archive-size=1M";
    let run = dir.relink(limited).exits(2);
    let n_others = expected.lines().filter(|line| !line.starts_with("deflated.wacz")).count();
    assert_eq!(run.text().matches(" a[href] ").count(), n_others);
    let reason = "x.zip!deflated.wacz: skipped; the archives in it are larger than 1M; ";
    assert!(run.has_line_with(&(reason.to_owned() + &words::raise("archive-size"))), "{run}");
}

/// What is damaged is reported where it is, and the rest of the zip file is read.
#[test]
fn damaged_streams_are_reported() {
    if !tools::has("python3", &["--version"]) {
        return;
    }
    let dir = TestDir::new();
    python(&dir, &["make", "x.zip", "1"]);
    let file = dir.bytes("x.zip");
    let place = |text: &[u8]| file.windows(text.len()).position(|part| part == text).unwrap();
    // A stored one is read anywhere: nothing of it is read if its checksum is wrong.
    let sums = "skipped; its data are damaged: their checksum or size is wrong";
    for (name, reason) in [
        ("plain.warc", "cannot read; its data are damaged"),
        ("m.mbox", "cannot read; its data are damaged"),
        ("d/m.mbox.gz", sums),
        ("stored.wacz", sums),
    ] {
        let mut damaged = file.clone();
        let start = place(name.as_bytes());
        damaged[start + 4_000..][..300].fill(0xFF);
        dir.file("y.zip", damaged);
        let run = dir.relink("refs y.zip").exits(2);
        let message = format!("y.zip!{name}: {reason}");
        assert!(run.has_line_with(&message), "{run}");
        let is_found = |name: &str| run.text().contains(&format!("y.zip!{name}:"));
        assert_eq!(is_found("stored.wacz"), name != "stored.wacz", "{run}");
        assert!(is_found("deflated.wacz"), "{run}");
    }
}
