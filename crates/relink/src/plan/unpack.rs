//! The options of `unpack`, and their checks.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rewrite::Integrity;

use super::options::excludes;
use super::{PlanError, TreeOptions, UnpackOptions};
use crate::events::Events;
use crate::files::own_files;
use crate::os::command_line::{CommandLine, options_of};
use crate::os::interrupt::Interrupt;
use crate::os::paths::{self, Root};
use crate::plan::destination::{self, OutputError};
use crate::tree::Tree;

/// The messages of a tree, and the directory for their parts.
pub struct Unpack {
    pub(crate) tree: Tree,
    pub(crate) options: UnpackOptions,
    /// The directory that is written.
    out: PathBuf,
    pub(crate) interrupt: Interrupt,
    /// The command in the journal.
    pub(crate) line: CommandLine,
}

impl Unpack {
    /// Checks the options.
    ///
    /// # Errors
    ///
    /// [`PlanError`] for options that are invalid, or that exclude each other.
    pub fn new(
        tree: TreeOptions,
        mut options: UnpackOptions,
        events: &mut dyn Events,
    ) -> Result<Self, PlanError> {
        let out = match options.output.take() {
            Some(out) => out,
            None => {
                let out = default_out(&tree)?;
                let text =
                    format!("note: the output is {}; use `-o OUT` for another", out.display());
                events.note(&text);
                out
            }
        };
        if out.as_os_str() == "-" {
            return Err(OutputError::DirectoryToStdout.into());
        }
        options.output = Some(out.clone());
        let mut line = tree.recorded("unpack");
        line.options.extend(options_of(&options));
        excludes::check(&line.options)?;
        options.manifest = options.manifest.filter(|_| !options.dry_run);
        let mut tree = tree.check(events)?;
        tree.options.resolves_uses_here = true;
        tree.options.integrity = Integrity::Remove;
        if tree.roots.contains(&Root::Stdin) {
            return Err(PlanError::StdinTwice);
        }
        if let Some(time) = options.at.as_ref().filter(|time| !is_time(time)) {
            return Err(PlanError::Time(time.clone()));
        }
        if options.delete && !options.update {
            return Err(PlanError::DeleteWithoutUpdate);
        }
        let may_have_files = options.force || options.update;
        let checked = destination::directory(&tree.roots, &out, may_have_files, true);
        checked.map_err(|error| {
            if own_files::has_journal(&out) {
                PlanError::HasJournal(out.clone())
            } else {
                error.into()
            }
        })?;
        if let Some(manifest) = &options.manifest {
            let real = paths::from_root(&out);
            let real = real.canonicalize().unwrap_or_else(|_| paths::absolute(&out));
            let trees = tree.roots.iter().filter_map(Root::real).chain([&*real]);
            destination::manifest::check(manifest, trees, may_have_files)?;
        }
        Ok(Unpack { tree, options, out, interrupt: Interrupt::default(), line })
    }

    /// Sets the switch that ends the run early.
    #[must_use]
    pub fn interrupt(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = interrupt;
        self
    }

    /// Returns the directory that is written.
    pub(crate) fn out(&self) -> &PathBuf {
        &self.out
    }
}

/// Returns the directory that is written if no option sets it: a new one in the current directory
/// with the name of the only PATH, without the extensions of a file.
fn default_out(tree: &TreeOptions) -> Result<PathBuf, PlanError> {
    let ([path], None) = (&*tree.paths, &tree.files) else {
        return Err(PlanError::NoUnpackOutput);
    };
    // These have messages of their own.
    if paths::is_url(path) && !path.exists() {
        return Err(PlanError::UrlAsPath(path.clone()));
    }
    if path.as_os_str() == "-" {
        return Err(PlanError::StdinTwice);
    }
    let name = Root::new(path.clone()).name();
    let stem = |name: &Path| name.file_stem().map(PathBuf::from).unwrap_or_default();
    let is_compressed = |extension: &OsStr| extension == "gz" || extension == "zst";
    let plain =
        if name.extension().is_some_and(is_compressed) { stem(&name) } else { name.clone() };
    let mut out = stem(&plain);
    if out == name || path.is_dir() {
        out = name;
        out.as_mut_os_string().push(".unpacked");
    }
    match out.symlink_metadata() {
        Ok(_) if own_files::has_journal(&out) => Err(PlanError::HasJournal(out)),
        Ok(_) => Err(PlanError::UnpackedExists(out)),
        Err(_) => Ok(out),
    }
}

/// Returns true for a time as archives write it, or the start of one: a year, a month, a day.
fn is_time(text: &str) -> bool {
    let Some((year, mut rest)) = number(text, 4) else { return false };
    let mut month = 0;
    let ends = |rest: &str| rest.is_empty() || rest == "Z";
    let parts: [(&[char], u32, u32); 5] =
        [(&['-'], 1, 12), (&['-'], 1, 31), (&['T', ' '], 0, 23), (&[':'], 0, 59), (&[':'], 0, 60)];
    for (idx, (separators, first, last)) in parts.into_iter().enumerate() {
        if ends(rest) {
            return true;
        }
        let digits = rest.strip_prefix(separators).unwrap_or(rest);
        let Some((value, after)) = number(digits, 2) else { return false };
        let last = if idx == 1 { days(year, month) } else { last };
        if value < first || value > last {
            return false;
        }
        if idx == 0 {
            month = value;
        }
        rest = after;
    }
    let fraction = rest.strip_prefix('.').unwrap_or_default();
    let is_digit = |char: char| char.is_ascii_digit();
    ends(rest) || (fraction.starts_with(is_digit) && ends(fraction.trim_start_matches(is_digit)))
}

/// Returns a number of `n_digits` digits at the start of a text, and the rest.
fn number(text: &str, n_digits: usize) -> Option<(u32, &str)> {
    let digits =
        text.get(..n_digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    Some((digits.parse().ok()?, &text[n_digits..]))
}

/// Returns the number of days of a month.
fn days(year: u32, month: u32) -> u32 {
    let is_multiple = |of: u32| year.is_multiple_of(of);
    let is_leap = is_multiple(4) && (!is_multiple(100) || is_multiple(400));
    match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_a_calendar() {
        for time in [
            "2021",
            "202102",
            "2021-02",
            "2021-02-28",
            "20240229",
            "2021-06-01T10",
            "2021-06-01 10:30",
            "20210601103059",
            "2021-06-01T10:30:59Z",
            "2021-06-01T10:30:59.123Z",
            "20161231235960",
            "2021Z",
        ] {
            assert!(is_time(time), "{time}");
        }
        for time in [
            "",
            "21",
            "20210",
            "2021-02-30",
            "2021-13",
            "2021-00",
            "2100-02-29",
            "2021-04-31",
            "2021-6-1",
            "2021-06-01T24",
            "2021-06-01T10:60",
            "2021-06-01T10:30:59.",
            "2021-06-01T10:30:59+01",
            "yesterday",
            "2021-06-01x",
            "\u{661}\u{662}\u{663}\u{664}",
        ] {
            assert!(!is_time(time), "{time}");
        }
    }
}
