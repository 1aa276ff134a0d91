//! The renames of a run, as options.

use std::io::Write;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::error::RenameError;
use super::error::RenamePlace;
use super::row::{self, Row};
use crate::os::digest::Hasher;
use crate::os::failure::Failure;
use crate::os::format::RENAMES;
use crate::os::stored;

/// The renames of a run, as options.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct RenameOptions {
    /// Rename pages and directories: FILE has a line `OLD<TAB>NEW` for each
    ///
    /// Both are URLs, paths from the root of the site, or paths below PATH; those of directories
    /// end with a slash. With the ending .csv, commas separate the fields. References follow. Lines
    /// `rule<TAB>RULE` are rules. May be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", help_heading = RENAMES))]
    #[serde(with = "stored")]
    pub renames: Vec<PathBuf>,

    /// Rename pages by a rule: s|PATTERN|REPLACEMENT|
    ///
    /// PATTERN is a regular expression for the escaped path and query, and $1 is its first group. A
    /// line for the page itself counts first, then one for a directory, then the first rule that
    /// matches. May be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "RULE", help_heading = RENAMES, hide_short_help = true))]
    pub rule: Vec<String>,

    /// Rename the files themselves too
    #[cfg_attr(feature = "cli", arg(long, help_heading = RENAMES))]
    pub rename_files: bool,

    /// Write redirects from the old URLs to the new ones for a server
    ///
    /// SERVER is nginx, apache, caddy, netlify or csv. May be given several times.
    #[cfg_attr(feature = "cli", arg(long, value_name = "SERVER=FILE", help_heading = RENAMES))]
    pub redirects: Vec<String>,

    /// Files and directories below the only PATH that are renamed, each with its new path.
    #[cfg_attr(feature = "cli", arg(skip))]
    #[serde(rename = "pair", with = "stored")]
    pub pairs: Vec<(PathBuf, PathBuf)>,

    /// True if the files of the pairs have their new names already.
    #[cfg_attr(feature = "cli", arg(skip))]
    #[serde(rename = "pairs-done")]
    pub are_pairs_done: bool,

    /// The digest that the lists must have, if the run continues another one.
    #[cfg_attr(feature = "cli", arg(skip))]
    pub renames_digest: Option<String>,
}

impl RenameOptions {
    /// Returns true if nothing is renamed.
    pub fn is_empty(&self) -> bool {
        self.renames.is_empty() && self.rule.is_empty() && self.pairs.is_empty()
    }

    /// Returns the digest of the lists; `None` if there are none.
    ///
    /// # Errors
    ///
    /// [`RenameError`] if a list cannot be read.
    pub(crate) fn digest_of_lists(&self) -> Result<Option<String>, RenameError> {
        let mut hasher = Hasher::default();
        for list in &self.renames {
            let failed = |error| RenameError::Unreadable(Failure::reading(list)(error));
            hasher.write_all(&row::bytes(list)?).map_err(failed)?;
        }
        Ok((!self.renames.is_empty()).then(|| hasher.finish().to_string()))
    }

    /// Reads the lists, and returns all rows in the order in which rules are tried: those of the
    /// options first.
    ///
    /// # Errors
    ///
    /// [`RenameError`] if a list cannot be read.
    pub(super) fn rows(&self) -> Result<Vec<Row>, RenameError> {
        let rules = self.rule.iter().map(|text| {
            let place = RenamePlace::Option("--rule");
            Row::Rule { text: text.clone(), place }
        });
        let mut rows: Vec<Row> = rules.collect();
        for list in &self.renames {
            rows.extend(row::read(list)?);
        }
        Ok(rows)
    }
}
