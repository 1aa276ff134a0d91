//! The errors of a plan: invalid options, found before the first file is opened.

use std::path::PathBuf;

use basectx::BadRetrieval;
use rewrite::{BadLimit, Extras, Limits, NoSuchSlot, OptIn};

use crate::files::globs::GlobError;
use crate::files::media::TypeError;
use crate::os::messages::invalid_value;
use crate::os::{command_line, messages};
use crate::plan::destination::OutputError;
use crate::plan::destination::manifest::ManifestError;
use crate::plan::move_plan::MoveError;
use crate::plan::options::excludes::Excluded;
use crate::urls::renames::RenameError;
use crate::urls::renames::redirects::BadTarget;
use crate::urls::url_mapping::MappingError;

/// The reason why a URL of the tree is refused as an old one.
const CURRENT: &str = "it is the current URL of the tree; use an old URL of it";

/// Options that are invalid, or that exclude each other. Messages name them as the command line
/// does.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The URLs of the tree are invalid.
    #[error(transparent)]
    Mapping(#[from] MappingError),
    /// A pattern for the names of documents is invalid.
    #[error(transparent)]
    Glob(#[from] GlobError),
    /// A media type is invalid.
    #[error(transparent)]
    Type(#[from] TypeError),
    /// The move is not possible.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The renames are not possible.
    #[error(transparent)]
    Rename(Box<RenameError>),
    /// The file of redirects is not named with its server.
    #[error(transparent)]
    Redirects(#[from] BadTarget),
    /// Files cannot have their new names; the reason is a whole message.
    #[error("{0}")]
    Names(String),
    /// Files get names that say what they are, and references do not point to files.
    #[error(
        "cannot use --rename here; references do not point to files; use `--for file` or `--for static-host`"
    )]
    NamesWithoutFiles,
    /// Files are renamed, and no renames are set.
    #[error(
        "cannot use --rename-files alone; nothing is renamed; use `--renames FILE` or `--rule RULE` to say what"
    )]
    RenameFilesWithoutRenames,
    /// The output cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The manifest cannot be written.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A manifest is to be written of a run that writes to standard output.
    #[error(
        "cannot use --manifest with standard output; a manifest lists files; use `-o FILE` to write a file"
    )]
    ManifestOfStdout,
    /// A PATH is a URL.
    #[error("{}: cannot read a URL; relink reads files and fetches nothing; download it first", .0.display())]
    UrlAsPath(PathBuf),
    /// There is a scheme of hosts, and there are no hosts.
    #[error(
        "cannot use --scheme here; it applies to --layout wget and --layout httrack without --base; remove it"
    )]
    SchemeWithoutHosts,
    /// This is not the name of an optional format or slot.
    #[error("{}", invalid_value("--also", .0, expected_also(.0)))]
    Also(String),
    /// A limit is invalid.
    #[error("{}", invalid_value("--limit", limit, format_args!("{error}{}", similar_limit(limit))))]
    Limit {
        /// `NAME=VALUE`.
        limit: String,
        /// The reason.
        #[source]
        error: BadLimit,
    },
    /// A slot does not exist.
    #[error("{0}{similar}", similar = similar_slot(.0))]
    Slot(#[from] NoSuchSlot),
    /// Standard input is one of several PATHs.
    #[error(
        "cannot read standard input (-) together with other PATHs; it is one document; use a run of its own for it"
    )]
    StdinWithOthers,
    /// Standard input is to be unpacked, which reads it twice.
    #[error(
        "cannot unpack standard input (-); it would be read twice; save it to a file, and use that"
    )]
    StdinTwice,
    /// The output has the journal of a run.
    #[error("{out}: a run was interrupted here, or is active; use `relink resume {out}` to continue it", out = command_line::quoted(.0.as_os_str()))]
    HasJournal(PathBuf),
    /// This is not a time.
    #[error("{}", invalid_value("--at", .0, "expected a date or time, such as 2021-06-01"))]
    Time(String),
    /// A file of a list is not below the PATH.
    #[error("{}: cannot be one of several files; it is not below the current directory, which has the URL; use a relative path without `..`, or `--map PATH=URL`", .0.display())]
    FileNotBelow(PathBuf),
    /// There is a list of files, and there is not one PATH.
    #[error("a list of files needs one PATH; its paths are below that")]
    FilesOfSeveral,
    /// There is an alias of the URL of the tree, and no such URL.
    #[error(
        "cannot use --same-as without --base; it declares an alias of the URL at --base; use `--base URL` to set that URL"
    )]
    AliasWithoutBase,
    /// An alias is invalid.
    #[error("{}", invalid_value("--same-as", url, error))]
    Alias {
        /// The URL.
        url: String,
        /// The reason.
        #[source]
        error: BadRetrieval,
    },
    /// An alias in a mirror of several hosts is that of none of them.
    #[error(
        "{}",
        invalid_value(
            "--same-as",
            url,
            "no directory of the mirror has the name of its host, with or without `www.`"
        )
    )]
    AliasOfNoHost {
        /// The URL.
        url: String,
    },
    /// No option gives the URL of the tree.
    #[error(
        "the URL of the tree is unknown; no option sets it; use `--base URL` or `--map PATH=URL` to set it"
    )]
    NoUrl,
    /// No option gives the URL of the tree, and a reference cannot be written without it.
    #[error(
        "the URL of the tree is unknown, and a reference needs it: {reference}; use `--base URL` to set it, or `--missing keep` if only files are missing"
    )]
    NeedsUrl {
        /// Its file, line, slot and text.
        reference: String,
    },
    /// No option gives the URL of the tree, and a reference from the root may lead to a renamed
    /// file.
    #[error("{}: the root of references such as {path} is unknown, and they may lead to a renamed file; the tree has files for {n_below} of {n_all} such references; use `--base URL` to set its URL, such as http://localhost/ for a root", tree.display())]
    SiteRoot {
        /// The tree.
        tree: PathBuf,
        /// The path of the reference.
        path: String,
        /// The number of paths from the root that have a file in the tree.
        n_below: usize,
        /// The number of paths from the root.
        n_all: usize,
    },
    /// No option gives the URL of the tree, and no document contains provenance metadata.
    #[error(
        "the URL of the tree is unknown; no option sets it, and no document contains provenance metadata; use `--base URL` or `--map PATH=URL` to set it"
    )]
    NoHint,
    /// References cannot have this style in the output of `relativize`.
    #[error("cannot write this --style; use relative, absolute-path or shortest")]
    Style,
    /// References point to files, and another style is set too.
    #[error(
        "cannot combine --for file with another --style or --base-element; it writes relative paths and empties bases; remove these options"
    )]
    ForFilesWithStyle,
    /// References point to files, and the input is standard input.
    #[error(
        "cannot use --for file with standard input; it needs to know which files exist; use a PATH instead"
    )]
    ForFilesOfStdin,
    /// Documents are moved again, and are not written over.
    #[error(
        "cannot use --again without --in-place; other runs do not record moves; add --in-place or remove --again"
    )]
    AgainNotInPlace,
    /// Old documents are kept, and no documents are written over.
    #[error(
        "cannot use --backup without --in-place; other runs do not replace documents; add --in-place or remove --backup"
    )]
    BackupNotInPlace,
    /// Hard-linked documents are replaced, and no documents are written over.
    #[error(
        "cannot use --break-hardlinks without --in-place; other runs do not replace documents; add --in-place or remove --break-hardlinks"
    )]
    BreakHardlinksNotInPlace,
    /// No output is set.
    #[error(
        "no output is set; relink does not guess where to write; use `-o OUT` or `--in-place` to write, or `--dry-run` or `--diff` to write nothing"
    )]
    NoOutput,
    /// Two options exclude each other.
    #[error(transparent)]
    Excluded(#[from] Excluded),
    /// Only changed files are to be written, and no output is set.
    #[error("--update needs an output; use `-o OUT` to set that of an earlier run")]
    UpdateWithoutOutput,
    /// Other files are to be removed from the output, which is not updated.
    #[error("--delete needs --update; it removes from OUT what PATH does not contain")]
    DeleteWithoutUpdate,
    /// Standard input is to be checked.
    #[error(
        "cannot check standard input; `check` needs to know which files exist; use a PATH instead"
    )]
    CheckOfStdin,
    /// An old URL of the tree is invalid.
    #[error("{}", invalid_value("--stale", url, error))]
    Stale {
        /// The URL.
        url: String,
        /// The reason.
        #[source]
        error: BadRetrieval,
    },
    /// An old URL of the tree is its current one.
    #[error("{}", invalid_value("--stale", .0, CURRENT))]
    StaleIsCurrent(String),
    /// What is to be packed is not a file.
    #[error("{}: cannot be packed; it is not a file; use the path of a page, or `--tree DIR` for all pages of a directory", .0.display())]
    NoPage(PathBuf),
    /// This is not a directory, or cannot be read.
    #[error("{}: cannot be the root; it is not a directory that can be read; use another DIR", .0.display())]
    NoDirectory(PathBuf),
    /// A page that is to be packed is not below its root.
    #[error("{}: cannot be packed; it is not below the root {}; use another `--root DIR`", page.display(), root.display())]
    PageOutsideRoot {
        /// The page.
        page: PathBuf,
        /// The root.
        root: PathBuf,
    },
    /// The pages of a directory are to be packed, and no output is set.
    #[error(
        "no output is set; the messages of several pages need a directory; use `-o OUTDIR` to set it, or `--dry-run` to write nothing"
    )]
    NoPackOutput,
}

impl PlanError {
    /// Returns true if the message begins with a path.
    pub(crate) fn is_about_path(&self) -> bool {
        match self {
            PlanError::Mapping(error) => error.is_about_path(),
            PlanError::Output(error) => error.is_about_path(),
            PlanError::Rename(error) => error.is_about_path(),
            PlanError::Names(_) => true,
            PlanError::UrlAsPath(_) | PlanError::FileNotBelow(_) | PlanError::Manifest(_) => true,
            PlanError::NoPage(_) | PlanError::NoDirectory(_) => true,
            PlanError::PageOutsideRoot { .. } | PlanError::SiteRoot { .. } => true,
            _ => false,
        }
    }
}

impl From<RenameError> for PlanError {
    fn from(error: RenameError) -> Self {
        PlanError::Rename(Box::new(error))
    }
}

/// Returns what `--also` takes, with the name that is similar to the one given.
fn expected_also(name: &str) -> String {
    let presets = Extras::PRESETS.map(|(name, _)| name);
    let names = [&OptIn::NAMES[..], &presets].concat();
    format!(
        "expected {}, or the name of an attribute, such as data-src, [source] or img[source]{}",
        names.join(", "),
        messages::similar(name, names.iter().copied())
    )
}

/// Returns a suggestion for `NAME=VALUE` if there is no limit with this name.
fn similar_limit(limit: &str) -> String {
    let name = limit.split('=').next().unwrap_or_default();
    let names = Limits::NAMES;
    if names.contains(&name) { String::new() } else { messages::similar(name, names) }
}

/// Returns a suggestion for a pattern that matches no slot.
fn similar_slot(NoSuchSlot(pattern): &NoSuchSlot) -> String {
    messages::similar(pattern, rewrite::SLOTS.iter().map(|slot| slot.name))
}
