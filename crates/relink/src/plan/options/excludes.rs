//! The options that exclude each other: a run has at most one of two. The command line refuses
//! both as they are typed, and a plan as they are set.

use crate::os::command_line::OptionValues;
use crate::os::option_names::{Named, texts};

/// Options by their names in records of runs, each with those that it excludes.
pub(crate) const EXCLUDES: [(&str, &[&str]); 16] = [
    ("allow_remote", &["raw"]),
    ("error_page", &["no_error_pages"]),
    ("fix", &["fragments", "lint", "stale", "list_external", "missing_urls", "top", "report"]),
    ("from_git", &["from", "renames", "rule", "rename_files"]),
    ("in_place", &["output", "force"]),
    ("lint", &["list_external", "missing_urls"]),
    ("missing_urls", &["list_external"]),
    ("no_hints", &["trust_canonical"]),
    ("no_twins", &["raw"]),
    ("portable_names", &["in_place"]),
    ("quiet", &["verbose"]),
    ("rename", &["renames", "rule", "rename_files"]),
    ("report", &["list_external", "missing_urls"]),
    ("top", &["list_external", "missing_urls"]),
    ("tree", &["page", "root"]),
    ("update", &["in_place"]),
];

/// Returns the options that an option excludes.
pub(crate) fn of(option: &str) -> &'static [&'static str] {
    let row = EXCLUDES.iter().find(|(name, _)| *name == option);
    row.map_or(&[], |(_, others)| others)
}

/// Two options that exclude each other, by their names in records of runs.
#[derive(Debug, thiserror::Error)]
pub struct Excluded(pub &'static str, pub &'static str);

texts!(Excluded {
    Excluded(one, other) => "cannot use {} with {}; remove one", Named(one), Named(other);
});

/// Checks the options of a run, those that differ from their defaults.
pub(in crate::plan) fn check(options: &OptionValues) -> Result<(), Excluded> {
    let is_set = |name: &&str| options.contains_key(*name);
    for (name, others) in EXCLUDES.iter().filter(|(name, _)| is_set(name)) {
        if let Some(other) = others.iter().copied().find(|other| is_set(other)) {
            return Err(Excluded(name, other));
        }
    }
    Ok(())
}
