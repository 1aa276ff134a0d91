//! The errors of a plan: invalid options, found before the first file is opened.

use std::fmt;
use std::path::PathBuf;

use basectx::BadRetrieval;
use rewrite::{BadLimit, Extras, Limits, NoSuchSlot, OptIn};

use crate::files::globs::GlobError;
use crate::files::media::TypeError;
use crate::os::command_line;
use crate::os::messages::{self, invalid_value};
use crate::os::suggest;
use crate::plan::destination::OutputError;
use crate::plan::destination::manifest::ManifestError;
use crate::plan::move_plan::MoveError;
use crate::urls::renames::RenameError;
use crate::urls::renames::redirects::BadTarget;
use crate::urls::url_mapping::MappingError;

/// The reason why a URL of the tree is refused as an old one.
const CURRENT: &str = "it is the current URL of the tree; use an old URL of it";

/// Options that are invalid, or that exclude each other. Messages name them as the command line
/// does.
#[derive(Debug)]
#[non_exhaustive]
pub enum PlanError {
    /// The URLs of the tree are invalid.
    Mapping(MappingError),
    /// A pattern for the names of documents is invalid.
    Glob(GlobError),
    /// A media type is invalid.
    Type(TypeError),
    /// The move is not possible.
    Move(MoveError),
    /// The renames are not possible.
    Rename(Box<RenameError>),
    /// The file of redirects is not named with its server.
    Redirects(BadTarget),
    /// Files cannot have their new names; the reason is a whole message.
    Names(String),
    /// Files get names that say what they are, and references do not point to files.
    NamesWithoutFiles,
    /// Files are renamed, and no renames are set.
    RenameFilesWithoutRenames,
    /// The output cannot be written.
    Output(OutputError),
    /// The manifest cannot be written.
    Manifest(ManifestError),
    /// A manifest is to be written of a run that writes to standard output.
    ManifestOfStdout,
    /// A PATH is a URL.
    UrlAsPath(PathBuf),
    /// There is a scheme of hosts, and there are no hosts.
    SchemeWithoutHosts,
    /// This is not the name of an optional format or slot.
    Also(String),
    /// A limit is invalid.
    Limit {
        /// `NAME=VALUE`.
        limit: String,
        /// The reason.
        error: BadLimit,
    },
    /// A slot does not exist.
    Slot(NoSuchSlot),
    /// Standard input is one of several PATHs.
    StdinWithOthers,
    /// Standard input is to be unpacked, which reads it twice.
    StdinTwice,
    /// The output has the journal of a run.
    HasJournal(PathBuf),
    /// This is not a time.
    Time(String),
    /// A file of a list is not below the PATH.
    FileNotBelow(PathBuf),
    /// There is a list of files, and there is not one PATH.
    FilesOfSeveral,
    /// There is an alias of the URL of the tree, and no such URL.
    AliasWithoutBase,
    /// An alias is invalid.
    Alias {
        /// The URL.
        url: String,
        /// The reason.
        error: BadRetrieval,
    },
    /// An alias in a mirror of several hosts is that of none of them.
    AliasOfNoHost {
        /// The URL.
        url: String,
    },
    /// No option gives the URL of the tree.
    NoUrl,
    /// No option gives the URL of the tree, and a reference cannot be written without it.
    NeedsUrl {
        /// Its file, line, slot and text.
        reference: String,
    },
    /// No option gives the URL of the tree, and a reference from the root may lead to a renamed
    /// file.
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
    NoHint,
    /// References cannot have this style in the output of `relativize`.
    Style,
    /// References point to files, and another style is set too.
    ForFilesWithStyle,
    /// References point to files, and the input is standard input.
    ForFilesOfStdin,
    /// Documents are moved again, and are not written over.
    AgainNotInPlace,
    /// Old documents are kept, and no documents are written over.
    BackupNotInPlace,
    /// Hard-linked documents are replaced, and no documents are written over.
    BreakHardlinksNotInPlace,
    /// No output is set.
    NoOutput,
    /// The documents are written over, and there is another output.
    TwoOutputs,
    /// Only changed files are to be written, and no output is set.
    UpdateWithoutOutput,
    /// Other files are to be removed from the output, which is not updated.
    DeleteWithoutUpdate,
    /// Standard input is to be checked.
    CheckOfStdin,
    /// An old URL of the tree is invalid.
    Stale {
        /// The URL.
        url: String,
        /// The reason.
        error: BadRetrieval,
    },
    /// An old URL of the tree is its current one.
    StaleIsCurrent(String),
    /// What is to be packed is not a file.
    NoPage(PathBuf),
    /// This is not a directory, or cannot be read.
    NoDirectory(PathBuf),
    /// A page that is to be packed is not below its root.
    PageOutsideRoot {
        /// The page.
        page: PathBuf,
        /// The root.
        root: PathBuf,
    },
    /// The pages of a directory are to be packed, and no output is set.
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

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            PlanError::Mapping(error) => return error.fmt(f),
            PlanError::Glob(error) => return error.fmt(f),
            PlanError::Type(error) => return error.fmt(f),
            PlanError::Move(error) => return error.fmt(f),
            PlanError::Rename(error) => return error.fmt(f),
            PlanError::Names(text) => text,
            PlanError::Redirects(error) => return error.fmt(f),
            PlanError::Output(error) => return error.fmt(f),
            PlanError::Manifest(error) => return error.fmt(f),
            PlanError::Slot(error) => {
                let names = rewrite::SLOTS.iter().map(|slot| slot.name);
                return write!(f, "{error}{}", suggest::similar(&error.0, names));
            }
            PlanError::HasJournal(out) => {
                let out = command_line::quoted(out.as_os_str());
                return write!(
                    f,
                    "{out}: a run was interrupted here, or is active; use `relink resume {out}` to continue it"
                );
            }
            PlanError::Time(time) => {
                let reason = "expected a date or time, such as 2021-06-01";
                return f.write_str(&invalid_value("--at", time, reason));
            }
            PlanError::UrlAsPath(path) => {
                return f.write_str(&messages::of_path(
                    path,
                    "cannot read a URL; relink reads files and fetches nothing; download it first",
                ));
            }
            PlanError::FileNotBelow(path) => {
                return f.write_str(&messages::of_path(
                    path,
                    "cannot be one of several files; it is not below the current directory, which has the URL; use a relative path without `..`, or `--map PATH=URL`",
                ));
            }
            PlanError::NoPage(path) => {
                return f.write_str(&messages::of_path(
                    path,
                    "cannot be packed; it is not a file; use the path of a page, or `--tree DIR` for all pages of a directory",
                ));
            }
            PlanError::NoDirectory(path) => {
                return f.write_str(&messages::of_path(
                    path,
                    "cannot be the root; it is not a directory that can be read; use another DIR",
                ));
            }
            PlanError::PageOutsideRoot { page, root } => {
                let reason = format!(
                    "cannot be packed; it is not below the root {}; use another `--root DIR`",
                    root.display()
                );
                return f.write_str(&messages::of_path(page, &reason));
            }
            PlanError::SiteRoot { tree, path, n_below, n_all } => {
                let reason = format!(
                    "the root of references such as {path} is unknown, and they may lead to a renamed file; the tree has files for {n_below} of {n_all} such references; use `--base URL` to set its URL, such as http://localhost/ for a root"
                );
                return f.write_str(&messages::of_path(tree, &reason));
            }
            PlanError::NoPackOutput => {
                "no output is set; the messages of several pages need a directory; use `-o OUTDIR` to set it, or `--dry-run` to write nothing"
            }
            PlanError::FilesOfSeveral => "a list of files needs one PATH; its paths are below that",
            PlanError::Also(name) => {
                let presets = Extras::PRESETS.map(|(name, _)| name);
                let names = [&OptIn::NAMES[..], &presets].concat();
                let reason = format_args!(
                    "expected {}, or the name of an attribute, such as data-src, [source] or img[source]{}",
                    names.join(", "),
                    suggest::similar(name, names.iter().copied())
                );
                return f.write_str(&invalid_value("--also", name, reason));
            }
            PlanError::Limit { limit, error } => {
                let name = limit.split('=').next().unwrap_or_default();
                let names = Limits::NAMES;
                let suggestion = if names.contains(&name) {
                    String::new()
                } else {
                    suggest::similar(name, names)
                };
                let reason = format_args!("{error}{suggestion}");
                return f.write_str(&invalid_value("--limit", limit, reason));
            }
            PlanError::Alias { url, error } => {
                return f.write_str(&invalid_value("--same-as", url, error));
            }
            PlanError::AliasOfNoHost { url } => {
                let reason =
                    "no directory of the mirror has the name of its host, with or without `www.`";
                return f.write_str(&invalid_value("--same-as", url, reason));
            }
            PlanError::Stale { url, error } => {
                return f.write_str(&invalid_value("--stale", url, error));
            }
            PlanError::StaleIsCurrent(url) => {
                return f.write_str(&invalid_value("--stale", url, CURRENT));
            }
            PlanError::SchemeWithoutHosts => {
                "cannot use --scheme here; it applies to --layout wget and --layout httrack without --base; remove it"
            }
            PlanError::StdinTwice => {
                "cannot unpack standard input (-); it would be read twice; save it to a file, and use that"
            }
            PlanError::StdinWithOthers => {
                "cannot read standard input (-) together with other PATHs; it is one document; use a run of its own for it"
            }
            PlanError::AliasWithoutBase => {
                "cannot use --same-as without --base; it declares an alias of the URL at --base; use `--base URL` to set that URL"
            }
            PlanError::NoUrl => {
                "the URL of the tree is unknown; no option sets it; use `--base URL` or `--map PATH=URL` to set it"
            }
            PlanError::NeedsUrl { reference } => {
                return write!(
                    f,
                    "the URL of the tree is unknown, and a reference needs it: {reference}; use `--base URL` to set it, or `--missing keep` if only files are missing"
                );
            }
            PlanError::NoHint => {
                "the URL of the tree is unknown; no option sets it, and no document contains provenance metadata; use `--base URL` or `--map PATH=URL` to set it"
            }
            PlanError::Style => {
                "cannot write this --style; use relative, absolute-path or shortest"
            }
            PlanError::ForFilesWithStyle => {
                "cannot combine --for file with another --style or --base-element; it writes relative paths and empties bases; remove these options"
            }
            PlanError::ForFilesOfStdin => {
                "cannot use --for file with standard input; it needs to know which files exist; use a PATH instead"
            }
            PlanError::NamesWithoutFiles => {
                "cannot use --rename here; references do not point to files; use `--for file` or `--for static-host`"
            }
            PlanError::RenameFilesWithoutRenames => {
                "cannot use --rename-files alone; nothing is renamed; use `--renames FILE` or `--rule RULE` to say what"
            }
            PlanError::AgainNotInPlace => {
                "cannot use --again without --in-place; other runs do not record moves; add --in-place or remove --again"
            }
            PlanError::BackupNotInPlace => {
                "cannot use --backup without --in-place; other runs do not replace documents; add --in-place or remove --backup"
            }
            PlanError::BreakHardlinksNotInPlace => {
                "cannot use --break-hardlinks without --in-place; other runs do not replace documents; add --in-place or remove --break-hardlinks"
            }
            PlanError::ManifestOfStdout => {
                "cannot use --manifest with standard output; a manifest lists files; use `-o FILE` to write a file"
            }
            PlanError::NoOutput => {
                "no output is set; relink does not guess where to write; use `-o OUT` or `--in-place` to write, or `--dry-run` or `--diff` to write nothing"
            }
            PlanError::UpdateWithoutOutput => {
                "--update needs an output; use `-o OUT` to set that of an earlier run"
            }
            PlanError::DeleteWithoutUpdate => {
                "--delete needs --update; it removes from OUT what PATH does not contain"
            }
            PlanError::TwoOutputs => {
                "cannot use --in-place with --output; a run has one output; remove one"
            }
            PlanError::CheckOfStdin => {
                "cannot check standard input; `check` needs to know which files exist; use a PATH instead"
            }
        };
        f.write_str(text)
    }
}

impl std::error::Error for PlanError {}

impl From<MappingError> for PlanError {
    fn from(error: MappingError) -> Self {
        PlanError::Mapping(error)
    }
}

impl From<GlobError> for PlanError {
    fn from(error: GlobError) -> Self {
        PlanError::Glob(error)
    }
}

impl From<TypeError> for PlanError {
    fn from(error: TypeError) -> Self {
        PlanError::Type(error)
    }
}

impl From<MoveError> for PlanError {
    fn from(error: MoveError) -> Self {
        PlanError::Move(error)
    }
}

impl From<RenameError> for PlanError {
    fn from(error: RenameError) -> Self {
        PlanError::Rename(Box::new(error))
    }
}

impl From<BadTarget> for PlanError {
    fn from(error: BadTarget) -> Self {
        PlanError::Redirects(error)
    }
}

impl From<ManifestError> for PlanError {
    fn from(error: ManifestError) -> Self {
        PlanError::Manifest(error)
    }
}

impl From<OutputError> for PlanError {
    fn from(error: OutputError) -> Self {
        PlanError::Output(error)
    }
}

impl From<NoSuchSlot> for PlanError {
    fn from(error: NoSuchSlot) -> Self {
        PlanError::Slot(error)
    }
}
