//! The archives and packages of a release: the program, its manual pages and completions, the
//! licences, and the checksums; the same inputs give the same bytes. And what the sources of a
//! crate say of its modules.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "its tasks read and write files of this repository"
)]

pub mod archive;
pub mod code;
mod deb;
pub mod graph;
mod manifests;
mod npm;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use archive::{Entry, tar_gz, zip};

/// The version of the program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The files of the repository that are in each archive.
const FILES: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// The shells with completions, and the names of their files.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "relink.bash"),
    ("zsh", "_relink"),
    ("fish", "relink.fish"),
    ("powershell", "relink.ps1"),
    ("nushell", "relink.nu"),
];

/// What is packed.
#[derive(Clone, Debug)]
pub struct Release {
    /// The program.
    pub program: PathBuf,
    /// The target that it was built for, such as `x86_64-unknown-linux-gnu`.
    pub triple: String,
    /// The directory of the archive; it is created.
    pub directory: PathBuf,
}

/// Returns the directory of the repository.
pub fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().and_then(Path::parent).unwrap_or(own).to_owned()
}

/// Returns the target of this machine, as the compiler names it; `unknown` without one.
pub fn host() -> String {
    let output = Command::new("rustc").arg("-vV").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or("unknown").to_owned()
}

/// Writes `relink-VERSION-TRIPLE.tar.gz`, or `.zip` for Windows; the package for npm of a target;
/// and the Debian package of a static program. Next to each is the same name with `.sha256`, which
/// `sha256sum -c` reads. Returns the path of the archive.
///
/// # Errors
///
/// Those of the file system, and if the program cannot be run: manual pages and completions are
/// left out only for another system or processor.
pub fn pack(release: &Release) -> io::Result<PathBuf> {
    let name = format!("relink-{VERSION}-{}", release.triple);
    fs::create_dir_all(&release.directory)?;
    let mut entries = contents(release)?;
    if let Some((name, package)) = npm::program(&entries, VERSION, &release.triple)? {
        write(&release.directory, &name, &package)?;
    }
    if let Some(architecture) = deb::architecture(&release.triple) {
        let package = deb::package(&entries, VERSION, architecture)?;
        write(&release.directory, &format!("relink_{VERSION}_{architecture}.deb"), &package)?;
    }
    for entry in &mut entries {
        entry.path = format!("{name}/{}", entry.path);
    }
    let archive = if is_windows(&release.triple) { zip(&entries)? } else { tar_gz(&entries)? };
    write(&release.directory, &archive_name(&release.triple), &archive)
}

/// Writes what all targets have in common: the package `relink-cli` for npm, which runs the program
/// of one of the targets whose archives are in the directory. With the URL of the directory where
/// they are published, also manifests of Homebrew, winget and containers, which name all archives.
/// Returns the path of the package.
///
/// # Errors
///
/// Those of the file system, and if there is no such archive.
pub fn packages(directory: &Path, url: Option<&str>) -> io::Result<PathBuf> {
    let triples: Vec<&str> =
        targets().filter(|triple| directory.join(archive_name(triple)).is_file()).collect();
    if triples.is_empty() {
        let message = format!("{}: no archive of a target of releases", directory.display());
        return Err(io::Error::other(message));
    }
    let manifests = url.map(|url| manifests::manifests(directory, VERSION, url)).transpose()?;
    for (name, text) in manifests.unwrap_or_default() {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap_or(directory))?;
        fs::write(path, text)?;
    }
    let mut files = Vec::new();
    for file in FILES {
        files.push(Entry::file(file, fs::read(root().join(file))?));
    }
    let (name, package) = npm::runner(&triples, VERSION, files)?;
    write(directory, &name, &package)
}

/// Returns the targets of releases.
pub fn targets() -> impl Iterator<Item = &'static str> {
    npm::PLATFORMS.iter().map(|platform| platform.0)
}

/// Returns the name of the archive of a target.
fn archive_name(triple: &str) -> String {
    let extension = if is_windows(triple) { "zip" } else { "tar.gz" };
    format!("relink-{VERSION}-{triple}.{extension}")
}

/// Returns the files of a release.
fn contents(release: &Release) -> io::Result<Vec<Entry>> {
    let name = if is_windows(&release.triple) { "relink.exe" } else { "relink" };
    let mut entries = vec![Entry::program(name, fs::read(&release.program)?)];
    for file in FILES {
        entries.push(Entry::file(file, fs::read(root().join(file))?));
    }
    if system(&release.triple) == system(&host()) {
        for (shell, file) in SHELLS {
            let script = output(&release.program, &["completions", shell])?;
            entries.push(Entry::file(format!("completions/{file}"), script));
        }
        let directory = release.directory.join("man");
        output(&release.program, &["man", &directory.to_string_lossy()])?;
        let mut pages = fs::read_dir(&directory)?.collect::<io::Result<Vec<_>>>()?;
        pages.sort_by_key(fs::DirEntry::file_name);
        for page in pages {
            let name = page.file_name();
            let path = format!("man/man1/{}", name.to_string_lossy());
            entries.push(Entry::file(path, fs::read(page.path())?));
        }
    }
    Ok(entries)
}

/// Returns the processor and the system of a target: on Linux, the program for musl runs where the
/// one for glibc does.
fn system(triple: &str) -> (Option<&str>, Option<&str>) {
    let mut parts = triple.split('-');
    (parts.next(), parts.nth(1))
}

fn is_windows(triple: &str) -> bool {
    system(triple).1 == Some("windows")
}

/// Writes a file, and next to it its checksum. Returns its path.
fn write(directory: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let path = directory.join(name);
    fs::write(&path, bytes)?;
    let digits: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(directory.join(format!("{name}.sha256")), format!("{digits}  {name}\n"))?;
    Ok(path)
}

fn output(program: &Path, args: &[&str]) -> io::Result<Vec<u8>> {
    let output = Command::new(program).args(args).output()?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
    }
}
