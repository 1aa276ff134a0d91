//! Standard output as the program got it: closed, or open.
//!
//! The runtime of Rust opens `/dev/null` for reading and writing in place of a closed descriptor 0
//! to 2 before `main`, and from then on writes succeed and are lost. This module detects that
//! descriptor: shells open `/dev/null` for writing only (`>/dev/null`), and so do most programs.

use std::io;

use crate::exit::Error;

/// Checks that standard output can be written.
///
/// # Errors
///
/// [`Error::Stream`] if standard output was closed when the program started.
pub fn check_stdout() -> Result<(), Error> {
    match is_stdout_closed() {
        true => Err(Error::Stream(io::Error::other(
            "it is closed; redirect it to a file or to /dev/null",
        ))),
        false => Ok(()),
    }
}

/// Returns true if descriptor 1 is the one that the runtime opened in place of a closed one.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "it is looked at before a run")]
fn is_stdout_closed() -> bool {
    use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat, major, minor};

    let stdout = io::stdout();
    // `/dev/null` is the device 1:3 on Linux.
    let is_null = fstat(&stdout).is_ok_and(|stat| {
        FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice
            && (major(stat.st_rdev), minor(stat.st_rdev)) == (1, 3)
    });
    let is_read_too =
        fcntl_getfl(&stdout).is_ok_and(|flags| flags & OFlags::ACCMODE == OFlags::RDWR);
    is_null && is_read_too && !parent_opens_null_for_both()
}

/// Returns true if the parent process is one that discards output with a `/dev/null` that is open
/// for reading and writing: Python (`subprocess.DEVNULL`) and Node (`stdio: 'ignore'`).
#[cfg(target_os = "linux")]
fn parent_opens_null_for_both() -> bool {
    const NAMES: [&str; 5] = ["python", "pypy", "node", "bun", "deno"];
    let Some(parent) = rustix::process::getppid() else { return true };
    let directory = format!("/proc/{}", parent.as_raw_nonzero());
    // Another user's program is known by its short name only.
    let name = std::fs::read_link(format!("{directory}/exe"))
        .ok()
        .and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .or_else(|| std::fs::read_to_string(format!("{directory}/comm")).ok());
    name.is_none_or(|name| NAMES.iter().any(|known| name.starts_with(known)))
}

/// Returns false: it is not known on other systems.
#[cfg(not(target_os = "linux"))]
fn is_stdout_closed() -> bool {
    false
}
