//! The PATHs of a run that are not typed: the current directory, which is the default, and lists:
//! several PATHs below one URL, and `--files-from`.
//!
//! Those of a list are paths below the current directory, which has the URL. So the path of a file
//! decides its URL and its place in the output, and a run has one journal.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
#[cfg(unix)]
use std::os::{fd::AsFd, unix::fs::FileTypeExt};
use std::path::{Path, PathBuf};

#[cfg(windows)]
use winapi_util::HandleRef;

use crate::cli::args::{CheckArgs, Command, HERE_BY_DEFAULT};
use crate::os::command_line;
use crate::os::failure::Failure;
use crate::os::paths::os_str;
use crate::os::{messages, paths};
use crate::plan::exit::Error;
use crate::plan::options::TreeOptions;

/// The maximum length of a list, in bytes.
const LONGEST: u64 = 1 << 30;

/// Sets the PATH of a command that has none, and needs none: the current directory. What waits on
/// standard input may be what is meant, as in `cat page.html | relink refs`.
///
/// # Errors
///
/// [`Error::Usage`] if standard input is a pipe or a file.
pub fn set_default(command: &mut Command) -> Result<(), Error> {
    // It reads no file.
    let explains = matches!(command, Command::Check(CheckArgs { explain: Some(_), .. }));
    let has_default = HERE_BY_DEFAULT.contains(&command.name()) && !explains;
    let Some(args) = command.tree().filter(|_| has_default) else { return Ok(()) };
    if args.paths.is_empty() && args.files_from.is_none() {
        if has_input() {
            return Err(Error::Usage(
                "no PATH is given, and standard input is a pipe or a file; use `-` to read it, or `.` for the current directory".to_owned(),
            ));
        }
        args.paths = vec![PathBuf::from(".")];
    }
    Ok(())
}

/// Returns true if standard input is a pipe, a socket or a file. A terminal, `/dev/null` and a
/// closed one are none of these.
#[cfg(unix)]
fn has_input() -> bool {
    let Ok(stdin) = io::stdin().as_fd().try_clone_to_owned() else { return false };
    File::from(stdin).metadata().is_ok_and(|metadata| {
        let kind = metadata.file_type();
        kind.is_file() || kind.is_fifo() || kind.is_socket()
    })
}

/// Returns true if standard input is a pipe, a socket or a file.
#[cfg(windows)]
fn has_input() -> bool {
    let kind = winapi_util::file::typ(HandleRef::stdin());
    kind.is_ok_and(|kind| kind.is_disk() || kind.is_pipe())
}

/// Reads the list of a command, if it has one: its PATH is the current directory then.
///
/// # Errors
///
/// [`Error::Usage`] and [`Error::Path`] if the list cannot be read, or is empty.
pub fn read(command: &mut Command) -> Result<(), Error> {
    // The second argument of `explain` is a reference.
    if matches!(command, Command::Explain(_)) {
        return Ok(());
    }
    let Some(args) = command.tree() else { return Ok(()) };
    let is_below_base =
        args.base.is_some() && args.paths.len() > 1 && !args.paths.contains(&PathBuf::from("-"));
    let files = match &args.files_from {
        Some(list) => paths_in(list, args)?,
        None if is_below_base => std::mem::take(&mut args.paths),
        None => return Ok(()),
    };
    args.paths = vec![PathBuf::from(".")];
    args.files = Some(files);
    Ok(())
}

/// Checks that the PATHs of a run that writes files exist. `words` is the command line as typed.
/// Files of a list are not checked: a program may have made it before some of them were removed.
///
/// # Errors
///
/// [`Error::Path`] for the first PATH that cannot be read.
pub fn check_paths(command: &mut Command, words: &[OsString]) -> Result<(), Error> {
    let Some(args) = command.conversion() else { return Ok(()) };
    if args.dry_run || !(args.in_place || args.output.is_some()) {
        return Ok(());
    }
    // A URL has a message of its own.
    let is_file = |path: &&PathBuf| path.as_os_str() != "-" && !paths::is_url(path);
    for path in args.tree.paths.iter().filter(is_file) {
        if let Err(error) = path.metadata() {
            let (reason, value) = (messages::reason(&error), value_of_option(path, words));
            let reason = format!("cannot read; {reason}{}", value.unwrap_or_default());
            return Err(Error::at(path, reason));
        }
    }
    Ok(())
}

/// Returns a suggestion for a PATH that comes after an option whose value, if it has one, follows a
/// `=`.
fn value_of_option(path: &Path, words: &[OsString]) -> Option<String> {
    let at = words.iter().position(|word| word == path.as_os_str())?;
    let option = words.get(at.checked_sub(1)?)?;
    let option = ["--backup", "--diff"].into_iter().find(|name| option == name)?;
    let value = command_line::quoted(path.as_os_str());
    Some(format!("; use `{option}={value}` if it is the value of {option}"))
}

/// Returns the paths in a list: one per line, or with a zero byte after each (`--null`). `-` is
/// standard input.
fn paths_in(list: &Path, args: &TreeOptions) -> Result<Vec<PathBuf>, Error> {
    let wrong = |reason: &str| Error::at(list, reason);
    let failed = Failure::reading(list);
    let mut bytes = Vec::new();
    if list.as_os_str() == "-" {
        let stdin = io::stdin();
        if stdin.is_terminal() {
            return Err(Error::Usage(
                "cannot read the list of files from standard input; it is a terminal; use a pipe, or the name of a file".to_owned(),
            ));
        }
        stdin.lock().take(LONGEST + 1).read_to_end(&mut bytes).map_err(&failed)?;
    } else {
        let file = File::open(list).map_err(&failed)?;
        file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(&failed)?;
    }
    if bytes.len() as u64 > LONGEST {
        return Err(wrong("cannot use this list of files; it is longer than 1 GiB; use several"));
    }
    if !args.null && bytes.contains(&0) {
        return Err(wrong(
            "cannot use this list of files; it contains a zero byte; use --null if one follows each path",
        ));
    }
    let files: Option<Vec<PathBuf>> = names(&bytes, args.null)
        .map(|name| os_str(name).map(|name| PathBuf::from(OsString::from(name))))
        .collect();
    match files {
        Some(files) if files.is_empty() => Err(wrong(
            "cannot use this list of files; it is empty; expected the path of a file on each line",
        )),
        Some(files) => Ok(files),
        None => Err(wrong("cannot use this list of files; a path in it is not UTF-8")),
    }
}

/// Splits a list. Lines may end with CR LF.
fn names(bytes: &[u8], is_null: bool) -> impl Iterator<Item = &[u8]> {
    let end = if is_null { 0 } else { b'\n' };
    let names = bytes
        .split(move |byte| *byte == end)
        .map(move |line| if is_null { line } else { line.strip_suffix(b"\r").unwrap_or(line) });
    names.filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn lists_are_split() {
        let of = |text: &'static str, is_null| names(text.as_bytes(), is_null).collect::<Vec<_>>();
        assert_eq!(of("a b\n\nc\r\n", false), [&b"a b"[..], b"c"]);
        assert_eq!(of("a\nb\0c\r", true), [&b"a\nb"[..], b"c\r"]);
        assert!(of("\n", false).is_empty());
    }
}
