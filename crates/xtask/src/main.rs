//! `cargo xtask dist`: builds the program for a release, and makes the archive and its checksum.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it builds the archive of a release"
)]

use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use xtask::{Release, pack};

const USAGE: &str = "\
Usage: cargo xtask dist [--target TRIPLE]

Builds relink with the profile dist, and writes an archive with the program, its manual pages and
completions, and a file with its checksum, to target/dist-archives.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match &*words {
        ["dist"] => dist(None),
        ["dist", "--target", triple] => dist(Some(triple)),
        ["--help" | "-h"] => Ok(USAGE.to_owned()),
        _ => Err(io::Error::other(format!("unknown arguments\n\n{USAGE}"))),
    };
    #[allow(clippy::print_stdout, clippy::print_stderr, reason = "it is the command line")]
    match result {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Builds and packs the program. Returns the path of the archive.
fn dist(triple: Option<&str>) -> io::Result<String> {
    let root = xtask::root();
    let mut build = Command::new(env!("CARGO"));
    build.current_dir(&root).args(["build", "--locked", "--profile", "dist", "--bin", "relink"]);
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let mut built = target.clone();
    if let Some(triple) = triple {
        build.args(["--target", triple]);
        built.push(triple);
    }
    let status = build.status()?;
    if !status.success() {
        return Err(io::Error::other("the build failed"));
    }
    let triple = triple.map_or_else(xtask::host, str::to_owned);
    let name = if triple.contains("windows") { "relink.exe" } else { "relink" };
    let program = built.join("dist").join(name);
    let release = Release { program, triple, directory: target.join("dist-archives") };
    let archive = pack(&release)?;
    Ok(archive.display().to_string())
}
