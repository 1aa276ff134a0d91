//! The archive of a release: the program, its manual pages and completions, the licences, and the
//! checksum; the same inputs give the same bytes. And what the sources of a crate say of its modules.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "its tasks read and write files of this repository"
)]

pub mod code;
pub mod graph;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};

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

/// Writes `relink-VERSION-TRIPLE.tar.gz`, and next to it the same name with `.sha256`, which
/// `sha256sum -c` reads. Returns the path of the archive. The manual pages and completions are also
/// written, to `files/man` and `files/completions`, for packages of systems.
///
/// # Errors
///
/// Those of the file system, and if the program cannot be run: manual pages and completions are
/// left out only for another system.
pub fn pack(release: &Release) -> io::Result<PathBuf> {
    let name = format!("relink-{}-{}", env!("CARGO_PKG_VERSION"), release.triple);
    fs::create_dir_all(&release.directory)?;
    let path = release.directory.join(format!("{name}.tar.gz"));
    // Without a time and a name, so that the bytes depend on the contents alone.
    let gzip = GzBuilder::new().mtime(0).write(File::create(&path)?, Compression::best());
    let mut archive = tar::Builder::new(gzip);
    let program = release.program.file_name().unwrap_or(OsStr::new("relink"));
    let program = program.to_string_lossy();
    add(&mut archive, &format!("{name}/{program}"), &fs::read(&release.program)?, 0o755)?;
    for file in FILES {
        add(&mut archive, &format!("{name}/{file}"), &fs::read(root().join(file))?, 0o644)?;
    }
    if release.triple == host() {
        for (file, script) in completions(release)? {
            add(&mut archive, &format!("{name}/completions/{file}"), &script, 0o644)?;
        }
        for (file, page) in manual(release)? {
            add(&mut archive, &format!("{name}/man/man1/{file}"), &page, 0o644)?;
        }
    }
    archive.into_inner()?.finish()?.sync_all()?;
    let digest = Sha256::digest(fs::read(&path)?);
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(
        release.directory.join(format!("{name}.tar.gz.sha256")),
        format!("{digits}  {name}.tar.gz\n"),
    )?;
    Ok(path)
}

/// Writes the completions. Returns their scripts, by name.
fn completions(release: &Release) -> io::Result<Vec<(&'static str, Vec<u8>)>> {
    let directory = release.directory.join("files/completions");
    fs::create_dir_all(&directory)?;
    let mut scripts = Vec::new();
    for (shell, file) in SHELLS {
        let script = output(&release.program, &["completions", shell])?;
        fs::write(directory.join(file), &script)?;
        scripts.push((file, script));
    }
    Ok(scripts)
}

/// Writes the manual pages. Returns them, by name.
fn manual(release: &Release) -> io::Result<Vec<(String, Vec<u8>)>> {
    let directory = release.directory.join("files/man");
    output(&release.program, &["man", &directory.to_string_lossy()])?;
    let mut pages = Vec::new();
    for entry in fs::read_dir(&directory)? {
        let entry = entry?;
        pages.push((entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path())?));
    }
    pages.sort();
    Ok(pages)
}

fn output(program: &Path, args: &[&str]) -> io::Result<Vec<u8>> {
    let output = Command::new(program).args(args).output()?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
    }
}

fn add(
    archive: &mut tar::Builder<impl io::Write>,
    path: &str,
    bytes: &[u8],
    mode: u32,
) -> io::Result<()> {
    let mut header = tar::Header::new_ustar();
    header.set_size(bytes.len() as u64);
    header.set_mode(mode);
    header.set_mtime(0);
    archive.append_data(&mut header, path, bytes)
}
