//! House rules that a machine can see.

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

#[cfg(unix)]
mod ci;
mod containers;
mod cycles;
mod documents;
mod exports;
mod layers;
mod lints;
mod prose;
mod skips;
#[path = "../tools/mod.rs"]
mod tools;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

/// Every Rust file of the project with its text, paths relative to the root.
fn sources() -> Vec<(PathBuf, String)> {
    texts(&["crates", "tests", "benches", "fuzz"], &["rs"])
}

/// Returns the texts below some directories that have one of some extensions.
fn texts(directories: &[&str], extensions: &[&str]) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_asked = |path: &Path| {
        let extension = path.extension().unwrap_or_default();
        extensions.iter().any(|asked| extension == *asked)
            && path.components().all(|component| component.as_os_str() != "target")
    };
    let files = directories
        .iter()
        .flat_map(|directory| walkdir::WalkDir::new(root.join(directory)).sort_by_file_name());
    files
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file() && is_asked(entry.path()))
        .map(|entry| {
            let text = fs::read_to_string(entry.path()).unwrap();
            (entry.path().strip_prefix(root).unwrap().to_owned(), text)
        })
        .collect()
}

#[track_caller]
fn none(what: &str, faults: &[String]) {
    assert!(faults.is_empty(), "{what}:\n  {}", faults.join("\n  "));
}

#[test]
fn every_file_opens_with_what_it_is() {
    let sources = sources();
    assert!(sources.len() > 60, "{} files", sources.len());
    let faults: Vec<String> = sources
        .iter()
        .filter(|(_, text)| {
            !text.starts_with("//! ") || text.lines().next().is_some_and(|line| line.len() < 15)
        })
        .map(|(path, _)| path.display().to_string())
        .collect();
    none("files without a first line that tells what they are", &faults);
}

#[test]
fn no_line_ends_with_a_space_and_no_file_without_a_line_end() {
    let faults: Vec<String> = sources()
        .iter()
        .filter(|(_, text)| {
            text.lines().any(|line| line.ends_with([' ', '\t'])) || !text.ends_with('\n')
        })
        .map(|(path, _)| path.display().to_string())
        .collect();
    none("files with trailing space", &faults);
}

#[test]
fn files_are_small() {
    let faults: Vec<String> = sources()
        .iter()
        .filter(|(_, text)| text.lines().count() > 500)
        .map(|(path, text)| format!("{}: {} lines", path.display(), text.lines().count()))
        .collect();
    none("long files", &faults);
}

#[test]
fn names_say_something() {
    const EMPTY: &[&str] = &["utils", "util", "helpers", "helper", "common", "manager", "types"];
    let faults: Vec<String> = sources()
        .iter()
        .filter(|(path, _)| {
            path.file_stem().is_some_and(|stem| EMPTY.iter().any(|name| stem == *name))
        })
        .map(|(path, _)| path.display().to_string())
        .collect();
    none("files with empty names", &faults);
}

#[test]
fn each_foreign_parser_is_imported_in_one_module() {
    for (parser, home) in [
        ("html5ever", "crates/basectx/src/html.rs"),
        ("markup5ever_rcdom", "crates/basectx/src/html.rs"),
        ("mailparse", "crates/basectx/src/message/field.rs"),
        ("cssparser", "crates/rewrite/src/format/css.rs"),
        ("pulldown_cmark", "crates/rewrite/src/format/markdown.rs"),
        ("quick_xml", "crates/rewrite/src/format/xml/scan/judge.rs"),
        // The program writes JSON in many places, and reads that of logs and of their commands, of
        // stamps, of the configurations of sites, of WACZ files and of WAT files in one each.
        ("serde_json", "crates/rewrite/src/format/json/mod.rs"),
        ("encoding_rs", "crates/layers/src/charset.rs"),
        ("walkdir", "crates/relink/src/os/store/disk.rs"),
        ("brotli_decompressor", "crates/warc/src/http/coding.rs"),
        ("ruzstd", "crates/warc/src/zstd.rs"),
        ("rawzip", "crates/relink/src/files/container/zip/directory.rs"),
    ] {
        let imports = [format!("use {parser}::"), format!(" {parser}::")];
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        let users: Vec<String> = sources()
            .iter()
            .filter(|(path, _)| path.components().any(|component| component.as_os_str() == "src"))
            // Its tasks are not part of the program.
            .filter(|(path, _)| !path.starts_with("crates/xtask"))
            .filter(|(path, _)| {
                let readers = [
                    "cli/args/recorded.rs",
                    "files/wat.rs",
                    "os/command_line.rs",
                    "os/stored.rs",
                    "recovery/records/mod.rs",
                    "recovery/stamps.rs",
                    "tree/error_pages/configured.rs",
                    "commands/unpack/sources.rs",
                ];
                let is_reader = |file: &&str| *path == Path::new("crates/relink/src").join(file);
                parser != "serde_json" || !readers.iter().any(is_reader)
            })
            .filter(|(_, text)| {
                text.lines()
                    .filter(is_code)
                    .filter(|line| !line.contains("serde_json::to_writer("))
                    .any(|line| imports.iter().any(|import| line.contains(import.as_str())))
            })
            .map(|(path, _)| path.display().to_string())
            .collect();
        let is_part = |user: &&String| user.starts_with(home.trim_end_matches(".rs"));
        assert!(users.iter().any(|user| user == home), "no file imports {parser}");
        let others: Vec<_> = users.iter().filter(|user| !is_part(user)).collect();
        assert!(others.is_empty(), "{others:?} import {parser}");
    }
}

/// The program and the crate of web archives each import flate2 in one file.
#[test]
fn flate2_is_imported_in_one_file_of_each_crate() {
    let users: Vec<String> = sources()
        .iter()
        .filter(|(path, text)| {
            let is_source = path.components().any(|component| component.as_os_str() == "src");
            is_source && !path.starts_with("crates/xtask") && text.contains("use flate2::")
        })
        .map(|(path, _)| path.display().to_string())
        .collect();
    assert_eq!(users, ["crates/relink/src/files/container/deflate.rs", "crates/warc/src/gzip.rs"]);
}

/// A tool is looked for by running it to a good end: one that merely starts may be a stub that
/// fails.
#[test]
fn tests_take_no_tool_that_only_starts() {
    let starts = [".is_err()", ".is_ok()"];
    let faults: Vec<String> = sources()
        .iter()
        .filter(|(path, _)| path.components().any(|part| part.as_os_str() == "tests"))
        .flat_map(|(path, text)| {
            let is_fault = |line: &&str| {
                line.contains("Command::new(") && starts.iter().any(|test| line.contains(test))
            };
            text.lines()
                .filter(is_fault)
                .map(|line| format!("{}: {}", path.display(), line.trim()))
                .collect::<Vec<_>>()
        })
        .collect();
    none("tools that are taken to be there because they start", &faults);
}

#[test]
fn crates_import_only_those_above_them() {
    const ORDER: &[&str] = &["urlcore", "layers", "basectx", "rewrite", "warc"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (idx, name) in ORDER.iter().enumerate() {
        let manifest =
            fs::read_to_string(root.join("crates").join(name).join("Cargo.toml")).unwrap();
        let dependencies = manifest
            .split("[dependencies]")
            .nth(1)
            .and_then(|rest| rest.split("\n[").next())
            .unwrap();
        for lower in &ORDER[idx..] {
            let imports = dependencies.lines().any(|line| line.starts_with(&format!("{lower}.")));
            assert!(!imports, "{name} imports {lower}");
        }
        if *name == "urlcore" {
            assert_eq!(dependencies.trim(), "", "urlcore has no dependency");
        }
    }
}
