//! Pages that a browser saved as MHTML open in it as before when they are made absolute or relative: `mhtml.py` serves, saves, converts, looks.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test stops where it cannot go on, and tells what it saw"
)]
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

#[test]
fn a_saved_page_opens_in_a_browser_as_before() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: python3 is not installed");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/mhtml.py");
    let output = Command::new("python3")
        .arg(script)
        .env("RELINK_BIN", env!("CARGO_BIN_EXE_relink"))
        .output()
        .expect("python3 starts");
    let told = String::from_utf8_lossy(&output.stdout);
    let wrong: Vec<&str> = told.lines().filter(|line| !line.contains("\"right\": true")).collect();
    if output.status.success() {
        wrong.iter().for_each(|line| println!("{line}"));
        println!("{} checks", told.lines().count() - wrong.len());
    }
    assert!(
        output.status.success(),
        "{}\n{}",
        wrong.join("\n"),
        String::from_utf8_lossy(&output.stderr)
    );
}
