//! The renames of a run, as options.

use std::io::Write;
use std::path::PathBuf;

use super::error::RenameError;
use super::redirects::Target;
use super::row::{self, Place, Row};
use crate::os::digest::Hasher;
use crate::os::failure::Failure;

/// The renames of a run, as options.
#[derive(Clone, Debug, Default)]
pub struct RenameOptions {
    /// Lists of renames.
    pub lists: Vec<PathBuf>,
    /// Rules.
    pub rules: Vec<String>,
    /// Files and directories below the only PATH that are renamed, each with its new path.
    pub pairs: Vec<(PathBuf, PathBuf)>,
    /// True if the files of the pairs have their new names already.
    pub are_pairs_done: bool,
    /// True if the files are renamed too.
    pub renames_files: bool,
    /// The list of the new names of files that is written.
    pub map: Option<PathBuf>,
    /// The files of redirects that are written.
    pub redirects: Vec<Target>,
    /// The digest that the lists must have, if the run continues another one.
    pub digest: Option<String>,
}

impl RenameOptions {
    /// Returns true if nothing is renamed.
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty() && self.rules.is_empty() && self.pairs.is_empty()
    }

    /// Returns the digest of the lists; `None` if there are none.
    ///
    /// # Errors
    ///
    /// [`RenameError`] if a list cannot be read.
    pub(crate) fn digest_of_lists(&self) -> Result<Option<String>, RenameError> {
        let mut hasher = Hasher::default();
        for list in &self.lists {
            let failed = |error| RenameError::Unreadable(Failure::reading(list)(error));
            hasher.write_all(&row::bytes(list)?).map_err(failed)?;
        }
        Ok((!self.lists.is_empty()).then(|| hasher.finish()))
    }

    /// Reads the lists, and returns all rows in the order in which rules are tried: those of the
    /// options first.
    ///
    /// # Errors
    ///
    /// [`RenameError`] if a list cannot be read.
    pub(super) fn rows(&self) -> Result<Vec<Row>, RenameError> {
        let rules = self.rules.iter().map(|text| {
            let place = Place::option("--rule");
            Row::Rule { text: text.clone(), place }
        });
        let mut rows: Vec<Row> = rules.collect();
        for list in &self.lists {
            rows.extend(row::read(list)?);
        }
        Ok(rows)
    }
}
