//! The options of `unpack`, and their checks.

use std::ffi::OsString;
use std::path::PathBuf;

use rewrite::Integrity;

use super::{PlanError, TreeOptions};
use crate::events::Events;
use crate::files::own_files;
use crate::os::command_line::CommandLine;
use crate::os::interrupt::Interrupt;
use crate::os::paths::{self, Root};
use crate::plan::destination;
use crate::tree::Tree;

/// How messages are unpacked. Each method sets what the option of the command line with its name
/// sets.
#[derive(Clone, Debug)]
pub struct UnpackOptions {
    out: PathBuf,
    is_forced: bool,
    pub(crate) is_update: bool,
    pub(crate) deletes: bool,
    /// The path of the manifest.
    pub(crate) manifest: Option<PathBuf>,
    pub(crate) is_dry: bool,
    pub(crate) is_durable: bool,
    pub(crate) is_raw: bool,
    pub(crate) blocks_remote: bool,
    /// The time at which web archives are wanted.
    pub(crate) at: Option<String>,
    /// True if a server shows the files of web archives.
    pub(crate) has_server: bool,
    /// True if URLs are also searched for under another scheme or host.
    pub(crate) has_twins: bool,
}

impl UnpackOptions {
    /// Creates the options of a run that writes into the directory `out`, which is new or empty.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        UnpackOptions {
            out: out.into(),
            is_forced: false,
            is_update: false,
            deletes: false,
            manifest: None,
            is_dry: false,
            is_durable: false,
            is_raw: false,
            blocks_remote: true,
            at: None,
            has_server: false,
            has_twins: true,
        }
    }

    /// Writes into the directory even if it is not empty.
    #[must_use]
    pub fn force(mut self) -> Self {
        self.is_forced = true;
        self
    }

    /// Writes into the output of an earlier run, and only the files that differ from those there.
    #[must_use]
    pub fn update(mut self) -> Self {
        self.is_update = true;
        self
    }

    /// With [`update`](Self::update), removes from the directory what the run does not write.
    #[must_use]
    pub fn delete(mut self) -> Self {
        self.deletes = true;
        self
    }

    /// Writes a manifest of the run to this path: every file that is written, with its digest and
    /// that of the decoded body in the archive, and the edits that restore it.
    #[must_use]
    pub fn manifest(mut self, path: impl Into<PathBuf>) -> Self {
        self.manifest = Some(path.into());
        self
    }

    /// Writes nothing; the events say what would be written.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.is_dry = true;
        self
    }

    /// Waits until each file is on the disk before going on.
    #[must_use]
    pub fn durable(mut self) -> Self {
        self.is_durable = true;
        self
    }

    /// Writes the decoded bytes of parts as they are: no reference, no charset and no script is
    /// changed, and no pages are added.
    #[must_use]
    pub fn raw(mut self) -> Self {
        self.is_raw = true;
        self
    }

    /// Takes the captures of web archives at a time, such as `2021-06-01`, instead of the newest.
    #[must_use]
    pub fn at(mut self, time: impl Into<String>) -> Self {
        self.at = Some(time.into());
        self
    }

    /// Writes references in web archives for a server of static files: those to index files lead to
    /// their directories.
    #[must_use]
    pub fn for_static_host(mut self) -> Self {
        self.has_server = true;
        self
    }

    /// Leaves references to URLs that the archives have only with the other one of `http` and
    /// `https`, or only with or without `www.`.
    #[must_use]
    pub fn no_twins(mut self) -> Self {
        self.has_twins = false;
        self
    }

    /// Lets the bodies of mail load images and styles from the network. Saved pages always do.
    #[must_use]
    pub fn allow_remote(mut self) -> Self {
        self.blocks_remote = false;
        self
    }
}

/// The messages of a tree, and the directory for their parts.
pub struct Unpack {
    pub(crate) tree: Tree,
    pub(crate) options: UnpackOptions,
    pub(crate) interrupt: Interrupt,
    line: Option<CommandLine>,
    /// The command in the manifest.
    pub(crate) command: Option<String>,
}

impl Unpack {
    /// Checks the options.
    ///
    /// # Errors
    ///
    /// [`PlanError`] for options that are invalid, or that exclude each other.
    pub fn new(
        tree: TreeOptions,
        options: UnpackOptions,
        events: &mut dyn Events,
    ) -> Result<Self, PlanError> {
        let mut tree = tree.check(events)?;
        tree.options.resolves_uses_here = true;
        tree.options.integrity = Integrity::Remove;
        if tree.roots.contains(&Root::Stdin) {
            return Err(PlanError::StdinTwice);
        }
        if let Some(time) = options.at.as_ref().filter(|time| !is_time(time)) {
            return Err(PlanError::Time(time.clone()));
        }
        if options.deletes && !options.is_update {
            return Err(PlanError::DeleteWithoutUpdate);
        }
        let may_have_files = options.is_forced || options.is_update;
        let checked = destination::directory(&tree.roots, &options.out, may_have_files, true);
        checked.map_err(|error| match own_files::has_journal(&options.out) {
            true => PlanError::HasJournal(options.out.clone()),
            false => error.into(),
        })?;
        if let Some(manifest) = &options.manifest {
            let out = paths::from_root(&options.out);
            let out = out.canonicalize().unwrap_or_else(|_| paths::absolute(&options.out));
            let trees = tree.roots.iter().filter_map(Root::real).chain([&*out]);
            destination::manifest::check(manifest, trees, may_have_files)?;
        }
        let (interrupt, line, command) = (Interrupt::default(), None, None);
        Ok(Unpack { tree, options, interrupt, line, command })
    }

    /// Sets the switch that ends the run early.
    #[must_use]
    pub fn interrupt(mut self, interrupt: Interrupt) -> Self {
        self.interrupt = interrupt;
        self
    }

    /// Sets the command that `relink resume` executes in `directory`, with `--update`, to continue
    /// the run, if it is interrupted. Without one, the same plan with
    /// [`update`](UnpackOptions::update) continues it.
    #[must_use]
    pub fn command_line(mut self, directory: PathBuf, words: Vec<OsString>) -> Self {
        self.line = Some(CommandLine { directory, words });
        self
    }

    /// Returns the command for the journal.
    pub(crate) fn line(&self) -> CommandLine {
        self.line.clone().unwrap_or_else(|| CommandLine {
            directory: std::env::current_dir().unwrap_or_default(),
            words: vec!["unpack".into()],
        })
    }

    /// Returns the command for the manifest.
    pub(crate) fn command(&self) -> String {
        self.command.clone().unwrap_or_else(|| format!("relink {}", self.line().shown()))
    }

    /// Returns the directory that is written.
    pub(crate) fn out(&self) -> &PathBuf {
        &self.options.out
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
