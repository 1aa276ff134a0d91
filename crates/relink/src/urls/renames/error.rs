//! The errors of renames.

use std::fmt;

use crate::os::failure::Failure;

/// The reason why renames cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenameError {
    /// The list cannot be read.
    #[error(transparent)]
    Unreadable(Failure),
    /// The lists were changed since the run that this one continues.
    #[error(
        "cannot continue; the list in --renames was changed since the interrupted run; restore it, or use `relink undo` to revert the run"
    )]
    Changed,
    /// A row is not UTF-8.
    #[error("{0}: the line is not UTF-8; save the list as UTF-8")]
    NotUtf8(RenamePlace),
    /// A row does not have two fields.
    #[error(
        "{place}: expected two fields with {delimiter} between them, the old and the new name; found {n_fields}"
    )]
    Fields {
        /// The place of the row.
        place: RenamePlace,
        /// The number of its fields.
        n_fields: usize,
        /// The delimiter, in words.
        delimiter: &'static str,
    },
    /// A rule is not a substitution.
    #[error(
        "{place}: {reason}; a rule has the form s|PATTERN|REPLACEMENT|, such as 's|^/a/(.*)$|/b/$1|'"
    )]
    Rule {
        /// The place of the rule.
        place: RenamePlace,
        /// What is wrong with it.
        #[source]
        reason: BadRule,
    },
    /// A name is neither a path nor a URL.
    #[error("{place}: cannot use the name '{name}'; {reason}")]
    Name {
        /// The place of the name.
        place: RenamePlace,
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A page would become a directory, or the reverse.
    #[error(
        "{place}: cannot rename the directory {old} to {new}; use a new name with a slash at its end"
    )]
    Kinds {
        /// The place of the rename.
        place: RenamePlace,
        /// The old name.
        old: String,
        /// The new name.
        new: String,
    },
    /// One page gets two names.
    #[error("{}: {old} is renamed to {} here and to {} at {}; remove one of the two", new[1].1, new[1].0, new[0].0, new[0].1)]
    Contradiction {
        /// The old name.
        old: String,
        /// The new names, each with its place.
        new: Box<[(String, RenamePlace); 2]>,
    },
    /// Two pages get one name.
    #[error("{new} would be the new name of both {} and {}; use two names", at(&old[0]), at(&old[1]))]
    TwoSources {
        /// The new name.
        new: String,
        /// The old names, each with its place.
        old: Box<[(String, Option<RenamePlace>); 2]>,
    },
    /// Two new names differ in letter case only.
    #[error("the names {} and {} would differ in letter case only, which some file systems ignore; use other names", at(&new[0]), at(&new[1]))]
    LetterCase {
        /// The names, each with its place.
        new: Box<[(String, Option<RenamePlace>); 2]>,
    },
    /// The new name of each page is the old name of another.
    #[error(
        "the renames are a cycle: {}; rename in two runs, with another name in between",
        all(names)
    )]
    Cycle {
        /// The names, each with its place.
        names: Vec<(String, RenamePlace)>,
    },
    /// A file with the new name exists, and keeps it.
    #[error(
        "{place}: cannot rename {old} to {new}; a file with this name exists; rename that too, or use another name"
    )]
    Taken {
        /// The old name.
        old: String,
        /// The new name.
        new: String,
        /// The place of the rename.
        place: RenamePlace,
    },
    /// A file would have the name of a directory that contains others.
    #[error("{place}: {new} would be both a file and a directory; use another name")]
    FileAndDirectory {
        /// The name.
        new: String,
        /// The place of the rename.
        place: RenamePlace,
    },
    /// A file would leave the tree, or have no name.
    #[error("{place}: cannot rename the file {old} to {url}; {reason}")]
    NoPath {
        /// The old name.
        old: String,
        /// The new URL.
        url: String,
        /// The place of the rename.
        place: RenamePlace,
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

/// Returns a name with its place. Places that are not known are those of files that keep their
/// names.
fn at((name, place): &(String, Option<RenamePlace>)) -> String {
    match place {
        Some(place) => format!("{name} (at {place})"),
        None => format!("{name} (keeps its name)"),
    }
}

/// Returns the names of a cycle, each with its place.
fn all(names: &[(String, RenamePlace)]) -> String {
    let names: Vec<String> =
        names.iter().map(|(name, place)| format!("{name} ({place})")).collect();
    names.join(", ")
}

/// The place where a rename is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RenamePlace {
    pub(super) name: String,
    /// The number of the line in a file.
    pub(super) line: Option<u64>,
}

impl RenamePlace {
    /// Returns the place of an option or of an argument.
    pub fn option(name: impl Into<String>) -> Self {
        RenamePlace { name: name.into(), line: None }
    }

    /// Returns true for a line of a file.
    pub(super) fn is_line(&self) -> bool {
        self.line.is_some()
    }
}

impl fmt::Display for RenamePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.line.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

/// What is wrong with a rule.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadRule {
    /// It does not begin as a substitution.
    #[error("no substitution")]
    NoSubstitution,
    /// It does not have three delimiters; the delimiter.
    #[error("a substitution has three '{0}'")]
    Parts(char),
    /// A flag is unknown.
    #[error("the flag '{0}' is unknown; use i or g")]
    Flag(char),
    /// The pattern is not a regular expression; the reason.
    #[error("the pattern is not a regular expression: {0}")]
    Pattern(String),
    /// The pattern does not have a group of the replacement.
    #[error("the pattern has no group '{0}'")]
    NoGroup(String),
    /// A dollar sign in the replacement is that of no group.
    #[error("write $$ for a dollar sign")]
    Dollar,
}
