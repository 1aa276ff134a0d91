//! Packages for npm: one for each system and processor, with the program, and `relink-cli`, which
//! has them as optional dependencies and runs the one that was installed.

use std::io;

use super::archive::{Entry, tar_gz};

/// Targets, and their names of systems and processors in Node.js. The programs for Linux are
/// static.
pub(crate) const PLATFORMS: [(&str, &str, &str); 5] = [
    ("x86_64-unknown-linux-musl", "linux", "x64"),
    ("aarch64-unknown-linux-musl", "linux", "arm64"),
    ("x86_64-apple-darwin", "darwin", "x64"),
    ("aarch64-apple-darwin", "darwin", "arm64"),
    ("x86_64-pc-windows-msvc", "win32", "x64"),
];

const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Returns the name and the package of a target, from the files of its archive; `None` if there is
/// no such package.
///
/// # Errors
///
/// Those of [`tar_gz`].
pub(crate) fn program(
    entries: &[Entry],
    version: &str,
    triple: &str,
) -> io::Result<Option<(String, Vec<u8>)>> {
    let platform = PLATFORMS.iter().find(|platform| platform.0 == triple);
    let Some((_, os, cpu)) = platform else { return Ok(None) };
    let fields = format!(
        r#",
  "description": "The program of relink-cli for {os} on {cpu}",
  "os": ["{os}"],
  "cpu": ["{cpu}"],
  "preferUnplugged": true"#
    );
    let programs = entries.iter().filter(|entry| entry.mode == 0o755);
    let programs =
        programs.map(|entry| Entry { path: format!("bin/{}", entry.path), ..entry.clone() });
    let licences = entries.iter().filter(|entry| LICENCES.contains(&&*entry.path)).cloned();
    let files = programs.chain(licences).collect();
    package(&format!("relink-cli-{os}-{cpu}"), version, &fields, files).map(Some)
}

/// Returns the name and the package that runs the program, with the packages of these targets as
/// its optional dependencies. `files` are added.
///
/// # Errors
///
/// Those of [`tar_gz`].
pub(crate) fn runner(
    triples: &[&str],
    version: &str,
    mut files: Vec<Entry>,
) -> io::Result<(String, Vec<u8>)> {
    let platforms = PLATFORMS.iter().filter(|platform| triples.contains(&platform.0));
    let dependencies: Vec<String> = platforms
        .map(|(_, os, cpu)| format!(r#"    "relink-cli-{os}-{cpu}": "{version}""#))
        .collect();
    let fields = format!(
        r#",
  "description": "{}",
  "bin": {{ "relink": "bin/relink.js" }},
  "engines": {{ "node": ">=18" }},
  "optionalDependencies": {{
{}
  }}"#,
        "Makes references in HTML, CSS, XML, mail and other documents absolute, relative, or correct for a new URL",
        dependencies.join(",\n")
    );
    files.push(Entry::program("bin/relink.js", include_str!("relink.js")));
    package("relink-cli", version, &fields, files)
}

/// Returns the name of the file that `npm pack` would write, and its contents.
fn package(
    name: &str,
    version: &str,
    fields: &str,
    mut files: Vec<Entry>,
) -> io::Result<(String, Vec<u8>)> {
    let manifest = format!(
        r#"{{
  "name": "{name}",
  "version": "{version}",
  "license": "MIT OR Apache-2.0"{fields}
}}
"#
    );
    files.insert(0, Entry::file("package.json", manifest));
    for file in &mut files {
        file.path = format!("package/{}", file.path);
    }
    Ok((format!("{name}-{version}.tgz"), tar_gz(&files)?))
}
