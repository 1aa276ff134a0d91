//! The selection of documents by their names.

use std::ffi::OsString;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::exit::Error;

/// The hint if no document matches.
pub const NOTHING_FITS: &str = "hint: no document fits --include and --exclude";

/// The selection of documents by their path below the root.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
    /// The suffix of old documents that are kept.
    pub kept: Option<OsString>,
}

impl Globs {
    /// Reads the patterns of both options.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for an invalid one.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, Error> {
        Ok(Globs {
            include: globs("--include", include)?,
            exclude: globs("--exclude", exclude)?,
            kept: None,
        })
    }

    /// Returns true if there are patterns.
    pub fn is_some(&self) -> bool {
        self.include.is_some() || self.exclude.is_some()
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
fn globs(option: &str, patterns: &[String]) -> Result<Option<GlobSet>, Error> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let wrong = |pattern: &str, error: &globset::Error| {
        Error::Usage(format!("{option} {pattern}: {}", error.kind()))
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
    set.build().map(Some).map_err(|error| Error::Usage(format!("{option}: {}", error.kind())))
}
