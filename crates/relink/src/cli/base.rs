//! The URL of PATH, from the first of these sources: `--base`, `--base-file`, the variable
//! `RELINK_BASE`.
//!
//! A file and a variable keep a password in the URL off the command line, which other users see.
//! The record of a run contains no password either, but a hash of the URL, and [`read_again`] reads
//! file and variable again.

use std::env;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::cli::args::Command;
use crate::events::Events;
use crate::os::failure::Failure;
use crate::plan::exit::Error;
use crate::plan::move_plan::has_password;
use crate::plan::options::TreeOptions;
use crate::plan::tree::hash_of;

/// The environment variable with the URL.
const VARIABLE: &str = "RELINK_BASE";

/// The maximum length of a file with a URL, in bytes.
const LONGEST: u64 = 64 << 10;

/// Sets the URL of PATH of a command from its source. Sends a warning about a password that is on
/// the command line, or that will be in the documents.
///
/// # Errors
///
/// [`Error::Usage`] if the file cannot be read, or is not one line.
pub fn read(command: &mut Command, events: &mut dyn Events) -> Result<(), Error> {
    let is_written = matches!(command, Command::Absolutize(_));
    let Some(args) = command.tree() else { return Ok(()) };
    let is_typed = args.base.is_some();
    let source = from_source(args)?;
    let Some(base) = args.base.as_deref().filter(|base| has_password(base)) else { return Ok(()) };
    if is_typed {
        events.warning(&format!(
            "warning: other users can see the password in --base {}; command lines are public; use `--base-file FILE` or the variable {VARIABLE} to hide it",
            without_password(base)
        ));
    }
    if is_written {
        events.warning(&format!(
            "warning: the password in {source} {} will be written into the documents; absolute references contain the base URL; use a base URL without a password to avoid it",
            without_password(base)
        ));
    }
    Ok(())
}

/// Sets the URL of PATH of a command from a journal: from file or variable, if it came from there,
/// or if its `--base` has a password.
///
/// # Errors
///
/// [`Error::Usage`] as for [`read`], and if there is no URL, or if it is another one now.
pub fn read_again(command: &mut Command, directory: &Path) -> Result<(), Error> {
    let Some(args) = command.tree() else { return Ok(()) };
    let Some(hash) = args.base_hash.clone() else { return Ok(()) };
    let source = from_source(args)?;
    match &args.base {
        Some(base) if hash_of(base, directory) == hash => Ok(()),
        Some(_) => Err(Error::Usage(format!(
            "cannot resume; {source} is not the base URL of the interrupted run; set it to that URL, or use `relink undo` to revert the run"
        ))),
        None => Err(Error::Usage(format!(
            "cannot resume; {VARIABLE} is not set, and the journal does not contain the base URL; set it to the base URL of the interrupted run"
        ))),
    }
}

/// Sets the URL from file or variable unless the option gives it. Returns the name of the source.
fn from_source(args: &mut TreeOptions) -> Result<String, Error> {
    if args.base.is_some() {
        return Ok("--base".to_owned());
    }
    if let Some(path) = &args.base_file {
        let source = format!("--base-file {}", path.display());
        args.base = Some(from_file(path)?);
        args.is_base_secret = true;
        return Ok(source);
    }
    if let Some(value) = env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        let value = value.into_string();
        let value = value.map_err(|_| {
            Error::Usage(format!(
                "cannot use the value of {VARIABLE}; it is not UTF-8; set it to a URL"
            ))
        })?;
        args.base = Some(value);
        args.is_base_secret = true;
    }
    Ok(VARIABLE.to_owned())
}

/// Returns the only line of a file.
fn from_file(path: &Path) -> Result<String, Error> {
    let wrong = |reason: &str| Error::at(path, reason);
    let failed = Failure::reading(path);
    let file = File::open(path).map_err(&failed)?;
    let mut bytes = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(&failed)?;
    if bytes.len() as u64 > LONGEST {
        return Err(wrong(
            "cannot use this file as --base-file; it is longer than 64 KiB; expected one line with a URL",
        ));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        wrong("cannot use this file as --base-file; it is not UTF-8; expected one line with a URL")
    })?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    if line.contains(['\n', '\r']) {
        return Err(wrong(
            "cannot use this file as --base-file; it has more than one line; expected one line with a URL",
        ));
    }
    if line.is_empty() {
        return Err(wrong(
            "cannot use this file as --base-file; it is empty; expected one line with a URL",
        ));
    }
    Ok(line.to_owned())
}

/// Returns a URL with its password replaced by `***`.
fn without_password(url: &str) -> String {
    let start = url.find("//").map_or(0, |at| at + 2);
    let end = url[start..].find(['/', '?', '#']).map_or(url.len(), |at| start + at);
    let at = url[start..end].rfind('@').map(|at| start + at);
    let colon = at.and_then(|at| url[start..at].find(':').map(|colon| (start + colon, at)));
    match colon {
        Some((colon, at)) => format!("{}***{}", &url[..=colon], &url[at..]),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(without_password("http://u:p:w@h:80/a@b"), "http://u:***@h:80/a@b");
        assert_eq!(without_password("http://u@h/:"), "http://u@h/:");
        assert_eq!(without_password("mailto:a:b@c"), "mailto:***@c");
    }
}
