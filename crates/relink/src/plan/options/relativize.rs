//! The options of `relativize`.

use std::path::PathBuf;

use rewrite::{BaseElement, Missing};
use serde::{Deserialize, Serialize};
use urlcore::Style;

use super::{MemberOptions, setters};
use crate::os::format::{FORM, RENAMES, ValueError};
use crate::os::stored;
use crate::urls::renames::RenameOptions;

/// How references are made relative.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
#[must_use]
pub struct RelativizeOptions {
    /// The form of references
    ///
    /// This applies to references into the tree; others become absolute.
    ///
    /// relative       relative to the document: ../a/b
    /// absolute-path  from the root of the host: /a/b
    /// shortest       the shorter of the two
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "relative|absolute-path|shortest",
        value_parser = relative_style,
        default_value = "relative",
        help_heading = FORM,
        verbatim_doc_comment
    ))]
    #[serde(with = "stored")]
    pub(crate) style: Style,

    /// Write references for a tree on a disk
    ///
    /// With `file`, for a tree that is opened without a server, references point to the files
    /// themselves: docs/ becomes docs/index.html, and page.php?id=3 becomes the file of that name.
    /// With `static-host`, for a server that shows files as they are, docs/ stays docs/.
    #[cfg_attr(feature = "cli", arg(
        long = "for",
        value_enum,
        value_name = "file|static-host",
        hide_possible_values = true,
        help_heading = FORM
    ))]
    #[serde(rename = "for")]
    pub(crate) target: Option<Target>,

    /// Give files names that say what they are, with --for
    ///
    /// item.php?id=1 becomes item-id-1.html, and about becomes about.html. No name has a character
    /// that Windows or a server of static files refuses, and no two differ in letter case only.
    #[cfg_attr(feature = "cli", arg(
        long,
        requires = "target",
        help_heading = RENAMES
    ))]
    pub(crate) rename: bool,

    /// Write the new names to FILE, a list for --renames (TSV, or CSV by its ending)
    #[cfg_attr(feature = "cli", arg(long, requires = "rename", value_name = "FILE", help_heading = RENAMES, hide_short_help = true))]
    #[serde(with = "stored")]
    pub(crate) rename_map: Option<PathBuf>,

    /// With --for file, the form of references to missing files
    ///
    /// keep      as if the file existed
    /// absolute  absolute
    /// report    left unchanged, and reported
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "keep|absolute|report",
        default_value = "absolute",
        requires = "target",
        help_heading = FORM,
        hide_short_help = true,
        verbatim_doc_comment
    ))]
    #[serde(with = "stored")]
    pub(crate) missing: Missing,

    /// The treatment of <base href>
    ///
    /// empty     it is emptied, unless it is a relative path
    /// relative  it is made relative
    /// keep      it is left unchanged
    ///
    /// References that depend on it keep their targets.
    #[cfg_attr(feature = "cli", arg(
        long,
        value_name = "empty|relative|keep",
        default_value = "empty",
        help_heading = FORM,
        hide_short_help = true,
        verbatim_doc_comment
    ))]
    #[serde(with = "stored")]
    pub(crate) base_element: BaseElement,

    /// Renames.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub(crate) renames: RenameOptions,

    /// What is in the tree.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub(crate) member: MemberOptions,
}

/// The place for which references are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// A tree on a disk
    #[default]
    #[cfg_attr(feature = "cli", value(alias = "disk"))]
    File,
    /// A tree on a server of static files
    StaticHost,
}

/// Reads a style that `relativize` writes.
fn relative_style(name: &str) -> Result<Style, ValueError> {
    let found = Style::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, style)| style);
    match found {
        Some(style @ (Style::Relative | Style::AbsolutePath | Style::Shortest)) => Ok(style),
        _ => Err(ValueError::Expected("relative, absolute-path, shortest".to_owned())),
    }
}

impl RelativizeOptions {
    /// Creates the options of a run that writes paths relative to each document.
    pub fn new() -> Self {
        RelativizeOptions::default()
    }

    /// Writes references for a tree that is opened without a server: they point to the files
    /// themselves.
    pub fn for_files(mut self) -> Self {
        self.target = Some(Target::File);
        self
    }

    /// Writes references for a tree that a server of static files shows: they point to the files,
    /// and those to index files to their directories.
    pub fn for_static_host(mut self) -> Self {
        self.target = Some(Target::StaticHost);
        self
    }

    /// Returns true if URLs are also searched for under another scheme or host.
    pub(crate) fn has_twins(&self) -> bool {
        self.target.is_some() && !self.member.no_twins
    }
}

setters!(RelativizeOptions {
    /// Sets the form of references into the tree: [`Style::Relative`], [`Style::AbsolutePath`] or
    /// [`Style::Shortest`].
    style: Style => style;
    /// Gives the files names that say what they are, in a tree for files or for a static host.
    name_files: true => rename;
    /// Sets the form of references to missing files, in a tree for files.
    missing: Missing => missing;
    /// Sets the treatment of `<base href>`.
    base_element: BaseElement => base_element;
    /// Renames pages and directories of the tree.
    renames: RenameOptions => renames;
});
