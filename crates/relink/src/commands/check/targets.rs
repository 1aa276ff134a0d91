//! The problems of a check by the missing file, and others by target: for `--top`, and to count the
//! files.

use std::collections::btree_map::{BTreeMap, Entry as MapEntry};
use std::collections::{HashSet, hash_map::DefaultHasher};
use std::hash::{Hash, Hasher};
use std::io::{self, Write};

use serde::Serialize;

use crate::events::detail::{Finding, ReferenceDetail};
use crate::events::summary;
use crate::files::walk::Entry;
use crate::os::format::CheckFormat;
use crate::os::messages;
use crate::plan::Check;

/// The number of lines from which on a hint recommends `--top`, if they have few targets.
const MANY_LINES: usize = 50;

/// The problems by target.
#[derive(Default)]
pub(super) struct Targets {
    /// The missing files, and the number of references to them.
    files: Distinct,
    n_to_files: usize,
    /// The number of lines, and their targets, if these are only counted.
    n_lines: usize,
    counted: Distinct,
    /// The targets, if problems are grouped by them.
    groups: BTreeMap<Key, Group>,
}

/// The name of the problem; the missing file, by the number of its PATH and its path below it; or
/// else the target, or the reference if it has none. References to one file are spelled in many
/// ways, and have fragments.
type Key = (&'static str, Option<usize>, String);

/// The references to one target.
struct Group {
    n_references: usize,
    reason: String,
    /// The target of the first of them.
    target: String,
    first: First,
}

/// The first reference to a target.
#[derive(Serialize)]
struct First {
    root: usize,
    path: String,
    line: usize,
    column: usize,
    slot: String,
    text: String,
}

/// A target in JSON.
#[derive(Serialize)]
struct Line<'l> {
    problem: &'l str,
    target: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'l str>,
    reason: &'l str,
    count: usize,
    first: &'l First,
}

/// Hashes of different things.
#[derive(Default)]
struct Distinct {
    all: HashSet<u64>,
    /// Those of one file, as often as it has them: adding to a list takes less time.
    of_file: Vec<u64>,
}

impl Distinct {
    fn close(&mut self) {
        self.of_file.sort_unstable();
        self.of_file.dedup();
    }
}

impl Targets {
    /// Adds a problem.
    pub(super) fn add(&mut self, config: &Check, entry: &Entry, reference: &ReferenceDetail) {
        let Finding::Problem { problem, file } = &reference.finding else { return };
        let target = &**reference.target.as_ref().unwrap_or(&reference.text);
        let (root, name) = match file {
            Some((root, file)) => (Some(*root), &**file),
            None => (None, target),
        };
        let of_target = hash(&(root, name));
        if root.is_some() {
            self.n_to_files += 1;
            self.files.of_file.push(of_target);
        }
        if config.top.is_none() {
            self.n_lines += 1;
            self.counted.of_file.push(hash(&(problem.kind().name, of_target)));
            return;
        }
        let group = || Group {
            n_references: 0,
            reason: problem.to_string(),
            target: target.to_owned(),
            first: First {
                root: entry.root,
                path: entry.path.to_string_lossy().into_owned(),
                line: reference.line,
                column: reference.column,
                slot: reference.slot.clone().into_owned(),
                text: reference.text.clone(),
            },
        };
        let key = (problem.kind().name, root, name.to_owned());
        self.groups.entry(key).or_insert_with(group).n_references += 1;
    }

    /// Ends the problems of a file.
    pub(super) fn close(&mut self) {
        self.files.close();
        self.counted.close();
    }

    /// Adds the problems of a later file.
    pub(super) fn merge(&mut self, file: Targets) {
        self.files.all.extend(file.files.of_file);
        self.n_to_files += file.n_to_files;
        self.n_lines += file.n_lines;
        self.counted.all.extend(file.counted.of_file);
        for (key, group) in file.groups {
            match self.groups.entry(key) {
                MapEntry::Occupied(mut known) => known.get_mut().n_references += group.n_references,
                MapEntry::Vacant(place) => drop(place.insert(group)),
            }
        }
    }

    /// Returns the number of missing files, and that of the references to them.
    pub(super) fn n_files(&self) -> (usize, usize) {
        (self.files.all.len(), self.n_to_files)
    }

    /// Returns a hint if many lines have few targets.
    pub(super) fn hint(&self) -> Option<String> {
        let n_targets = self.counted.all.len();
        (self.n_lines >= MANY_LINES && n_targets * 4 <= self.n_lines).then(|| {
            format!(
                "hint: {} are about {}; use `--top 20` to list the most frequent",
                summary::n(self.n_lines, "line"),
                summary::n(n_targets, "target")
            )
        })
    }

    /// Prints the targets with the most references.
    ///
    /// # Errors
    ///
    /// That of the writer.
    pub(super) fn print(self, config: &Check, out: &mut impl Write) -> io::Result<()> {
        let Some(n_targets) = config.top else { return Ok(()) };
        let mut groups: Vec<(Key, Group)> = self.groups.into_iter().collect();
        // The order of equal ones is that of problems and targets.
        groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.n_references));
        let n_more = groups.len().saturating_sub(n_targets);
        for ((problem, root, name), group) in groups.iter().take(n_targets) {
            let Group { n_references, reason, target, first } = group;
            match config.format {
                CheckFormat::Json => {
                    let (count, file) = (*n_references, root.map(|_| name.as_str()));
                    let line = Line { problem, target, file, reason, count, first };
                    messages::write_json(out, &line)?;
                }
                CheckFormat::Text | CheckFormat::Full | CheckFormat::Github => {
                    let First { path, line, column, slot, text, .. } = first;
                    let n_references = summary::n(*n_references, "reference");
                    let subject = format!("{slot} {text}");
                    let line = format!(
                        "{n_references}: {}: {reason}; first in {path}:{line}:{column}",
                        subject.trim_end()
                    );
                    writeln!(out, "{}", messages::visible(&line))?;
                }
            }
        }
        if n_more > 0 && matches!(config.format, CheckFormat::Text | CheckFormat::Full) {
            writeln!(out, "and {}", summary::n(n_more, "more target"))?;
        }
        Ok(())
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
