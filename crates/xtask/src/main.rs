//! `cargo xtask dist`: builds the program for a release, and makes its archive and packages.
//! `cargo xtask packages`: makes the packages that all targets have in common.
//! `cargo xtask graph`: prints which modules of a crate import which.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "its tasks read and write files of this repository"
)]

use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use xtask::{Release, graph, pack};

const USAGE: &str = "\
Usage: cargo xtask dist [--target TRIPLE]
       cargo xtask packages [URL]
       cargo xtask graph CRATE [MODULE]

dist builds relink with the profile dist, and writes to target/dist-archives an archive with the
program, its manual pages and completions, a package of the target for npm, for musl a Debian package,
and their checksums.

packages writes there the package for npm that runs the program of any target with an archive there.
With the URL of the directory where the archives are published, also a formula of Homebrew, manifests
of winget and a container file; these need the archives of all targets.

graph prints which top modules of a crate import which, or which modules of a module, such as
commands/check, in the language of Graphviz: a line for each import.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match &*words {
        ["dist"] => dist(None),
        ["dist", "--target", triple] => dist(Some(triple)),
        ["packages"] => packages(None),
        ["packages", url] => packages(Some(url)),
        ["graph", crate_name] => graph(crate_name, None),
        ["graph", crate_name, module] => graph(crate_name, Some(module)),
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
    let mut build = Command::new(env!("CARGO"));
    build.current_dir(xtask::root()).args([
        "build",
        "--locked",
        "--profile",
        "dist",
        "--bin",
        "relink",
    ]);
    let target = target();
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

/// Makes the packages of all targets. Returns the path of that for npm.
fn packages(url: Option<&str>) -> io::Result<String> {
    let package = xtask::packages(&target().join("dist-archives"), url)?;
    Ok(package.display().to_string())
}

/// Returns the directory of what is built.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or(xtask::root().join("target"), PathBuf::from)
}

/// Returns the imports between the top modules of a crate, or between those of a module.
fn graph(crate_name: &str, module: Option<&str>) -> io::Result<String> {
    let src = xtask::root().join("crates").join(crate_name).join("src");
    let files = graph::files(&src)
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", src.display())))?;
    let imports = match module {
        Some(module) => graph::inside(&files, module),
        None => graph::imports(&files, "crate::"),
    };
    if imports.is_empty() {
        return Err(io::Error::other("there are no such modules"));
    }
    Ok(graph::dot(&imports))
}
