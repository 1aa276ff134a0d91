//! The selection of documents by their names, and of the Markdown that commands read unasked.

use std::ffi::OsString;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::os::command_line::quoted;
use crate::os::option_names::{Text, texts};

/// The selection of documents by their path below the root.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
    /// The patterns, as options of a command line.
    options: String,
    /// The suffix of old documents that are kept.
    pub kept: Option<OsString>,
}

/// An invalid pattern for the names of documents.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum GlobError {
    /// A pattern is invalid.
    Pattern {
        /// `--include` or `--exclude`.
        option: &'static str,
        /// The pattern.
        pattern: String,
        /// The reason.
        reason: String,
    },
    /// The patterns of an option cannot be used together: they are too large.
    Patterns {
        /// `--include` or `--exclude`.
        option: &'static str,
        /// The reason.
        reason: String,
    },
}

texts!(GlobError {
    GlobError::Pattern { option, pattern, reason } => "invalid value '{}' for {}; {}", pattern, Text(option), reason;
    GlobError::Patterns { option, reason } => "cannot use the patterns of {}; {}", Text(option), reason;
});

impl Globs {
    /// Reads the patterns of both options.
    ///
    /// # Errors
    ///
    /// [`GlobError`] for an invalid one.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, GlobError> {
        let option =
            |name: &'static str| move |glob: &String| format!("{name} {}", quoted(glob.as_ref()));
        let options = include.iter().map(option("--include"));
        let options: Vec<String> = options.chain(exclude.iter().map(option("--exclude"))).collect();
        Ok(Globs {
            include: globs("--include", include)?,
            exclude: globs("--exclude", exclude)?,
            options: options.join(" "),
            kept: None,
        })
    }

    /// Reads the patterns of another option.
    ///
    /// # Errors
    ///
    /// [`GlobError`] for an invalid one.
    pub fn of_option(option: &'static str, patterns: &[String]) -> Result<Self, GlobError> {
        Ok(Globs { include: globs(option, patterns)?, ..Globs::default() })
    }

    /// Returns the patterns in words, if there are any: `match --include '*.htm'`.
    pub fn words(&self) -> Option<String> {
        match (&self.include, &self.exclude) {
            (None, None) => None,
            (Some(_), None) => Some(format!("match {}", self.options)),
            (_, Some(_)) => Some(format!("are left by {}", self.options)),
        }
    }

    /// Returns true if the document at this path below its root is selected.
    pub fn allow(&self, path: &Path) -> bool {
        self.include.as_ref().is_none_or(|globs| globs.is_match(path))
            && !self.exclude.as_ref().is_some_and(|globs| globs.is_match(path))
            && !self.kept.as_ref().is_some_and(|suffix| {
                path.as_os_str().as_encoded_bytes().ends_with(suffix.as_encoded_bytes())
            })
    }
}

/// Compiles patterns. One without `/` matches names at any depth; `*` does not match `/`, `**`
/// does.
fn globs(option: &'static str, patterns: &[String]) -> Result<Option<GlobSet>, GlobError> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let wrong = |pattern: &str, error: &globset::Error| {
        let (pattern, reason) = (pattern.to_owned(), error.kind().to_string());
        GlobError::Pattern { option, pattern, reason }
    };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let anywhere = if pattern.contains('/') { "" } else { "**/" };
        let glob = GlobBuilder::new(&format!("{anywhere}{}", pattern.trim_start_matches('/')))
            .literal_separator(true)
            .build()
            .map_err(|error| wrong(pattern, &error))?;
        set.add(glob);
    }
    let set = set.build().map(Some);
    set.map_err(|error| GlobError::Patterns { option, reason: error.kind().to_string() })
}
