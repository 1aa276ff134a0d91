//! The errors of renames.

use std::fmt;

use super::row::Place;
use super::rule::BadRule;
use crate::os::failure::Failure;

/// The reason why renames cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum RenameError {
    /// The list cannot be read.
    Unreadable(Failure),
    /// The lists were changed since the run that this one continues.
    Changed,
    /// A row is not UTF-8.
    NotUtf8(Place),
    /// A row does not have two fields.
    Fields {
        /// The place of the row.
        place: Place,
        /// The number of its fields.
        n_fields: usize,
        /// The delimiter, in words.
        delimiter: &'static str,
    },
    /// A rule is not a substitution.
    Rule {
        /// The place of the rule.
        place: Place,
        /// What is wrong with it.
        reason: BadRule,
    },
    /// A name is neither a path nor a URL.
    Name {
        /// The place of the name.
        place: Place,
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A page would become a directory, or the reverse.
    Kinds {
        /// The place of the rename.
        place: Place,
        /// The old name.
        old: String,
        /// The new name.
        new: String,
    },
    /// One page gets two names.
    Contradiction {
        /// The old name.
        old: String,
        /// The new names, each with its place.
        new: Box<[(String, Place); 2]>,
    },
    /// Two pages get one name.
    TwoSources {
        /// The new name.
        new: String,
        /// The old names, each with its place.
        old: Box<[(String, Option<Place>); 2]>,
    },
    /// Two new names differ in letter case only.
    LetterCase {
        /// The names, each with its place.
        new: Box<[(String, Option<Place>); 2]>,
    },
    /// The new name of each page is the old name of another.
    Cycle {
        /// The names, each with its place.
        names: Vec<(String, Place)>,
    },
    /// A file with the new name exists, and keeps it.
    Taken {
        /// The old name.
        old: String,
        /// The new name.
        new: String,
        /// The place of the rename.
        place: Place,
    },
    /// A file would have the name of a directory that contains others.
    FileAndDirectory {
        /// The name.
        new: String,
        /// The place of the rename.
        place: Place,
    },
    /// A file would leave the tree, or have no name.
    NoPath {
        /// The old name.
        old: String,
        /// The new URL.
        url: String,
        /// The place of the rename.
        place: Place,
        /// What is wrong with the URL.
        reason: &'static str,
    },
}

impl RenameError {
    /// Returns true if the message begins with a path.
    pub(crate) fn is_about_path(&self) -> bool {
        match self {
            RenameError::Unreadable(_) => true,
            RenameError::NotUtf8(place)
            | RenameError::Fields { place, .. }
            | RenameError::Rule { place, .. }
            | RenameError::Name { place, .. }
            | RenameError::Kinds { place, .. }
            | RenameError::Taken { place, .. }
            | RenameError::FileAndDirectory { place, .. }
            | RenameError::NoPath { place, .. } => place.is_line(),
            RenameError::Contradiction { new, .. } => new[1].1.is_line(),
            RenameError::Changed
            | RenameError::TwoSources { .. }
            | RenameError::LetterCase { .. }
            | RenameError::Cycle { .. } => false,
        }
    }
}

impl fmt::Display for RenameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Places that are not known are those of files that keep their names.
        let at = |place: &Option<Place>| {
            place.as_ref().map_or("keeps its name".to_owned(), |place| format!("at {place}"))
        };
        match self {
            RenameError::Unreadable(failure) => failure.fmt(f),
            RenameError::Changed => f.write_str(
                "cannot continue; the list in --renames was changed since the interrupted run; restore it, or use `relink undo` to revert the run",
            ),
            RenameError::NotUtf8(place) => {
                write!(f, "{place}: the line is not UTF-8; save the list as UTF-8")
            }
            RenameError::Fields { place, n_fields, delimiter } => write!(
                f,
                "{place}: expected two fields with {delimiter} between them, the old and the new name; found {n_fields}"
            ),
            RenameError::Rule { place, reason } => write!(
                f,
                "{place}: {reason}; a rule has the form s|PATTERN|REPLACEMENT|, such as 's|^/a/(.*)$|/b/$1|'"
            ),
            RenameError::Name { place, name, reason } => {
                write!(f, "{place}: cannot use the name '{name}'; {reason}")
            }
            RenameError::Kinds { place, old, new } => write!(
                f,
                "{place}: cannot rename the directory {old} to {new}; use a new name with a slash at its end"
            ),
            RenameError::Contradiction { old, new } => {
                let [(one, first), (other, second)] = &**new;
                write!(
                    f,
                    "{second}: {old} is renamed to {other} here and to {one} at {first}; remove one of the two"
                )
            }
            RenameError::TwoSources { new, old } => {
                let [(one, first), (other, second)] = &**old;
                let (first, second) = (at(first), at(second));
                write!(
                    f,
                    "{new} would be the new name of both {one} ({first}) and {other} ({second}); use two names"
                )
            }
            RenameError::LetterCase { new } => {
                let [(one, first), (other, second)] = &**new;
                let (first, second) = (at(first), at(second));
                write!(
                    f,
                    "the names {one} ({first}) and {other} ({second}) would differ in letter case only, which some file systems ignore; use other names"
                )
            }
            RenameError::Cycle { names } => {
                let names: Vec<String> =
                    names.iter().map(|(name, place)| format!("{name} ({place})")).collect();
                write!(
                    f,
                    "the renames are a cycle: {}; rename in two runs, with another name in between",
                    names.join(", ")
                )
            }
            RenameError::Taken { old, new, place } => write!(
                f,
                "{place}: cannot rename {old} to {new}; a file with this name exists; rename that too, or use another name"
            ),
            RenameError::FileAndDirectory { new, place } => write!(
                f,
                "{place}: {new} would be both a file and a directory; use another name"
            ),
            RenameError::NoPath { old, url, place, reason } => {
                write!(f, "{place}: cannot rename the file {old} to {url}; {reason}")
            }
        }
    }
}

impl std::error::Error for RenameError {}
