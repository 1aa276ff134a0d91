//! A Debian package (deb(5), Debian Policy 4.7) of the static program: no dependencies, no scripts.

use std::collections::BTreeSet;
use std::io;

use super::archive::{Entry, gzip, tar_gz};

const MAINTAINER: &str = "The authors of relink <relink@localhost>";

const DESCRIPTION: &str =
    "makes references in documents absolute, relative, or correct for a new URL
 relink walks a tree, finds the base URL of every document, however deeply it is
 nested, and makes every reference absolute, relative, or correct for a new root.
 It changes nothing but the bytes of references, and checks the result before it
 writes it.";

/// Where the files of an archive are in a system, with the starts of their paths.
const PLACES: [(&str, &str); 6] = [
    ("relink", "usr/bin/relink"),
    ("man/man1/", "usr/share/man/man1/"),
    ("completions/relink.bash", "usr/share/bash-completion/completions/relink"),
    ("completions/_relink", "usr/share/zsh/vendor-completions/_relink"),
    ("completions/relink.fish", "usr/share/fish/vendor_completions.d/relink.fish"),
    ("README.md", "usr/share/doc/relink/README.md"),
];

/// Returns the name of the architecture in Debian, of a target with a static program.
pub(crate) fn architecture(triple: &str) -> Option<&'static str> {
    match triple {
        "x86_64-unknown-linux-musl" => Some("amd64"),
        "aarch64-unknown-linux-musl" => Some("arm64"),
        _ => None,
    }
}

/// Returns the package of the files of an archive.
///
/// # Errors
///
/// Those of [`tar_gz`].
pub(crate) fn package(entries: &[Entry], version: &str, architecture: &str) -> io::Result<Vec<u8>> {
    let mut files = Vec::new();
    for entry in entries {
        let place = PLACES
            .iter()
            .find_map(|(from, to)| entry.path.strip_prefix(from).map(|name| format!("{to}{name}")));
        let Some(path) = place else { continue };
        files.push(if path.starts_with("usr/share/man/") {
            Entry::file(format!("{path}.gz"), gzip(&entry.bytes)?)
        } else {
            Entry { path, ..entry.clone() }
        });
    }
    let text = |name: &str| {
        let entry = entries.iter().find(|entry| entry.path == name);
        entry.map(|entry| String::from_utf8_lossy(&entry.bytes).into_owned()).unwrap_or_default()
    };
    files.push(Entry::file("usr/share/doc/relink/copyright", copyright(&text("LICENSE-MIT"))));
    let changes = gzip(text("CHANGELOG.md").as_bytes())?;
    files.push(Entry::file("usr/share/doc/relink/changelog.gz", changes));
    let size = files.iter().map(|file| file.bytes.len().div_ceil(1024)).sum::<usize>();
    let control = format!(
        "Package: relink\nVersion: {version}\nArchitecture: {architecture}\nSection: web\n\
         Priority: optional\nMaintainer: {MAINTAINER}\nInstalled-Size: {size}\n\
         Description: {DESCRIPTION}\n"
    );
    let mut archive = b"!<arch>\n".to_vec();
    for (name, bytes) in [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", tar_gz(&[Entry::file("control", control)])?),
        ("data.tar.gz", tar_gz(&with_directories(files))?),
    ] {
        let size = bytes.len();
        let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, "100644");
        archive.extend(header.bytes().chain(bytes));
        archive.resize(archive.len().next_multiple_of(2), b'\n');
    }
    Ok(archive)
}

/// Adds the directories, which dpkg does not create otherwise, each before what it contains.
fn with_directories(mut files: Vec<Entry>) -> Vec<Entry> {
    let directories: BTreeSet<String> = files
        .iter()
        .flat_map(|file| file.path.match_indices('/').map(|(at, _)| file.path[..=at].to_owned()))
        .collect();
    let directories = directories.into_iter().map(|path| Entry::program(path, ""));
    files.splice(..0, directories);
    files
}

/// Returns the copyright file (its format 1.0): what MIT asks for is there, and Apache-2.0 is in
/// each system.
fn copyright(mit: &str) -> String {
    let mut paragraphs = mit.trim().splitn(3, "\n\n");
    let holder = paragraphs.nth(1).unwrap_or_default().trim_start_matches("Copyright (c) ");
    let terms = paragraphs.next().unwrap_or_default();
    let terms: String = terms
        .lines()
        .map(|line| if line.is_empty() { " .\n".to_owned() } else { format!(" {line}\n") })
        .collect();
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: relink\n\n\
         Files: *\nCopyright: {holder}\nLicense: Expat or Apache-2.0\n\n\
         License: Expat\n{terms}\n\
         License: Apache-2.0\n It is in /usr/share/common-licenses/Apache-2.0.\n"
    )
}
