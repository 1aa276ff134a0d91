//! Gives the program the commit and the target that it was built from and for, for `--version`.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    println!("cargo::rustc-env=RELINK_TARGET={}", variable("TARGET"));
    // A debug build would be compiled again after each commit.
    let commit = (variable("PROFILE") == "release").then(commit).flatten();
    println!("cargo::rustc-env=RELINK_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
}

/// Returns the commit of this checkout, if it is one.
fn commit() -> Option<String> {
    // The names of branches change here, and so does the commit.
    let log = Path::new(".git/logs/HEAD");
    if log.exists() {
        println!("cargo::rerun-if-changed={}", log.display());
    }
    if !Path::new(".git").exists() {
        return None;
    }
    let output = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output().ok()?;
    let commit = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| commit.trim().to_owned())
}
