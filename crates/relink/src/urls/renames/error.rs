//! The errors of renames.

use std::fmt;

use crate::os::failure::Failure;
use crate::os::option_names::{Text, texts, write};

/// The reason why renames cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenameError {
    /// The list cannot be read.
    #[error(transparent)]
    Unreadable(Failure),
    /// The lists were changed since the run that this one continues.
    Changed,
    /// A row is not UTF-8.
    NotUtf8(RenamePlace),
    /// A row does not have two fields.
    Fields {
        /// The place of the row.
        place: RenamePlace,
        /// The number of its fields.
        n_fields: usize,
        /// The delimiter, in words.
        delimiter: &'static str,
    },
    /// A rule is not a substitution.
    Rule {
        /// The place of the rule.
        place: RenamePlace,
        /// What is wrong with it.
        #[source]
        reason: BadRule,
    },
    /// A name is neither a path nor a URL.
    Name {
        /// The place of the name.
        place: RenamePlace,
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A page would become a directory, or the reverse.
    Kinds {
        /// The place of the rename.
        place: RenamePlace,
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
        new: Box<[(String, RenamePlace); 2]>,
    },
    /// Two pages get one name.
    TwoSources {
        /// The new name.
        new: String,
        /// The old names, each with its place.
        old: Box<[(String, Option<RenamePlace>); 2]>,
    },
    /// Two new names differ in letter case only.
    LetterCase {
        /// The names, each with its place.
        new: Box<[(String, Option<RenamePlace>); 2]>,
    },
    /// The new name of each page is the old name of another.
    Cycle {
        /// The names, each with its place.
        names: Vec<(String, RenamePlace)>,
    },
    /// A file with the new name exists, and keeps it.
    Taken {
        /// The old name.
        old: String,
        /// The new name.
        new: String,
        /// The place of the rename.
        place: RenamePlace,
    },
    /// A file would have the name of a directory that contains others.
    FileAndDirectory {
        /// The name.
        new: String,
        /// The place of the rename.
        place: RenamePlace,
    },
    /// A file would leave the tree, or have no name.
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

texts!(RenameError {
    RenameError::Unreadable(failure) => "{}", failure;
    RenameError::Changed => "cannot continue; the list in --renames was changed since the interrupted run; restore it, or use `relink undo` to revert the run";
    RenameError::NotUtf8(place) => "{}: the line is not UTF-8; save the list as UTF-8", place;
    RenameError::Fields { place, n_fields, delimiter } => "{}: expected two fields with {} between them, the old and the new name; found {}", place, delimiter, n_fields;
    RenameError::Rule { place, reason } => "{}: {}; a rule has the form s|PATTERN|REPLACEMENT|, such as 's|^/a/(.*)$|/b/$1|'", place, reason;
    RenameError::Name { place, name, reason } => "{}: cannot use the name '{}'; {}", place, name, Text(reason);
    RenameError::Kinds { place, old, new } => "{}: cannot rename the directory {} to {}; use a new name with a slash at its end", place, old, new;
    RenameError::Contradiction { old, new } => "{}: {} is renamed to {} here and to {} at {}; remove one of the two", new[1].1, old, new[1].0, new[0].0, new[0].1;
    RenameError::TwoSources { new, old } => "{} would be the new name of both {} and {}; use two names", new, At(&old[0]), At(&old[1]);
    RenameError::LetterCase { new } => "the names {} and {} would differ in letter case only, which some file systems ignore; use other names", At(&new[0]), At(&new[1]);
    RenameError::Cycle { names } => "the renames are a cycle: {}; rename in two runs, with another name in between", All(names);
    RenameError::Taken { old, new, place } => "{}: cannot rename {} to {}; a file with this name exists; rename that too, or use another name", place, old, new;
    RenameError::FileAndDirectory { new, place } => "{}: {} would be both a file and a directory; use another name", place, new;
    RenameError::NoPath { old, url, place, reason } => "{}: cannot rename the file {} to {}; {}", place, old, url, reason;
});

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

/// A name with its place. Places that are not known are those of files that keep their names.
struct At<'p>(&'p (String, Option<RenamePlace>));

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            (name, Some(place)) => write(f, "{} (at {})", &[name, place]),
            (name, None) => write(f, "{} (keeps its name)", &[name]),
        }
    }
}

/// The names of a cycle, each with its place.
struct All<'p>(&'p [(String, RenamePlace)]);

impl fmt::Display for All<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(idx, (name, place))| {
            let start = if idx == 0 { "" } else { ", " };
            write(f, "{}{} ({})", &[&start, name, place])
        })
    }
}

/// The place where a rename is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenamePlace {
    /// An option.
    Option(&'static str),
    /// An argument.
    Argument(String),
    /// A file, and the number of the line in it.
    Line(String, u64),
}

impl RenamePlace {
    /// Returns true for a line of a file.
    pub(super) fn is_line(&self) -> bool {
        matches!(self, RenamePlace::Line(..))
    }
}

impl fmt::Display for RenamePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RenamePlace::Option(option) => Text(option).fmt(f),
            RenamePlace::Argument(argument) => f.write_str(argument),
            RenamePlace::Line(file, line) => write!(f, "{file}:{line}"),
        }
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
