//! The errors of a plan: invalid options, found before the first file is opened.

use std::path::PathBuf;
use std::sync::Arc;

use basectx::BadRetrieval;
use rewrite::{BadLimit, Extras, Limits, NoSuchSlot, OptIn};

use crate::files::container::WEB_ARCHIVE;
use crate::files::globs::GlobError;
use crate::files::media::TypeError;
use crate::os::option_names::texts;
use crate::os::{command_line, messages};
use crate::plan::destination::OutputError;
use crate::plan::destination::manifest::ManifestError;
use crate::plan::move_plan::MoveError;
use crate::plan::options::excludes::Excluded;
use crate::urls::renames::RenameError;
use crate::urls::renames::redirects::BadTarget;
use crate::urls::url_mapping::MappingError;

/// Options that are invalid, or that exclude each other. Messages name the methods that set them,
/// and the alternate form, `{:#}`, names the options of the command line.
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
    #[error(transparent)]
    Names(Arc<RenameError>),
    /// Files get names that say what they are, and references do not point to files.
    NamesWithoutFiles,
    /// Files are renamed, and no renames are set.
    RenameFilesWithoutRenames,
    /// The output cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The manifest cannot be written.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A manifest is to be written of a run that writes to standard output.
    ManifestOfStdout,
    /// The only PATH is a web archive, which is not rewritten.
    WebArchive(PathBuf),
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
        #[source]
        error: BadLimit,
    },
    /// A slot does not exist.
    Slot(#[from] NoSuchSlot),
    /// Standard input is one of several PATHs.
    StdinWithOthers,
    /// Standard input is to be unpacked, which reads it twice.
    StdinTwice,
    /// Several PATHs are to be unpacked, and no output is set.
    NoUnpackOutput,
    /// The directory to unpack to that no option sets exists.
    UnpackedExists(PathBuf),
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
        #[source]
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
    /// Two options exclude each other.
    #[error(transparent)]
    Excluded(#[from] Excluded),
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
        #[source]
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

texts!(PlanError {
    PlanError::Mapping(error) => "{}", error;
    PlanError::Glob(error) => "{}", error;
    PlanError::Type(error) => "{}", error;
    PlanError::Move(error) => "{}", error;
    PlanError::Rename(error) => "{}", error;
    PlanError::Redirects(error) => "{}", error;
    PlanError::Names(error) => "{}", error;
    PlanError::Output(error) => "{}", error;
    PlanError::Manifest(error) => "{}", error;
    PlanError::Excluded(error) => "{}", error;
    PlanError::NamesWithoutFiles => "cannot use --rename here; references do not point to files; use `--for file` or `--for static-host`";
    PlanError::RenameFilesWithoutRenames => "cannot use --rename-files alone; nothing is renamed; use `--renames FILE` or `--rule RULE` to say what";
    PlanError::ManifestOfStdout => "cannot use --manifest with standard output; a manifest lists files; use `-o FILE` to write a file";
    PlanError::UrlAsPath(url) => "{}: cannot read a URL; relink reads files and fetches nothing; download it first", url.display();
    PlanError::WebArchive(path) => "{}: cannot be converted; {}", path.display(), WEB_ARCHIVE;
    PlanError::SchemeWithoutHosts => "cannot use --scheme here; it applies to --layout wget and --layout httrack without --base; remove it";
    PlanError::Also(name) => "invalid value '{}' for --also; {}", name, expected_also(name);
    PlanError::Limit { limit, error } => "invalid value '{}' for --limit; {}{}", limit, error, similar_limit(limit);
    PlanError::Slot(error) => "{}{}", error, similar_slot(error);
    PlanError::StdinWithOthers => "cannot read standard input (-) together with other PATHs; it is one document; use a run of its own for it";
    PlanError::NoUnpackOutput => "no output is set; several PATHs have no default; use `-o OUT` to set it";
    PlanError::UnpackedExists(out) => "{}: cannot unpack here without an output; it exists already; use `-o OUT` to set the output", out.display();
    PlanError::StdinTwice => "cannot unpack standard input (-); it would be read twice; save it to a file, and use that";
    PlanError::HasJournal(out) => "{}: a run was interrupted here, or is active; use `relink resume {}` to continue it", command_line::quoted(out.as_os_str()), command_line::quoted(out.as_os_str());
    PlanError::Time(time) => "invalid value '{}' for --at; expected a date or time, such as 2021-06-01", time;
    PlanError::FileNotBelow(path) => "{}: cannot be one of several files; it is not below the current directory, which has the URL; use a relative path without `..`, or `--map PATH=URL`", path.display();
    PlanError::FilesOfSeveral => "a list of files needs one PATH; its paths are below that";
    PlanError::AliasWithoutBase => "cannot use --same-as without --base; it declares an alias of the URL at --base; use `--base URL` to set that URL";
    PlanError::Alias { url, error } => "invalid value '{}' for --same-as; {}", url, error;
    PlanError::AliasOfNoHost { url } => "invalid value '{}' for --same-as; no directory of the mirror has the name of its host, with or without `www.`", url;
    PlanError::NoUrl => "the URL of the tree is unknown; no option sets it; use `--base URL` or `--map PATH=URL` to set it";
    PlanError::NeedsUrl { reference } => "the URL of the tree is unknown, and a reference needs it: {}; use `--base URL` to set it, or `--missing keep` if only files are missing", reference;
    PlanError::SiteRoot { tree, path, n_below, n_all } => "{}: the root of references such as {} is unknown, and they may lead to a renamed file; the tree has files for {} of {} such references; use `--base URL` to set its URL, such as http://localhost/ for a root", tree.display(), path, n_below, n_all;
    PlanError::NoHint => "the URL of the tree is unknown; no option sets it, and no document contains provenance metadata; use `--base URL` or `--map PATH=URL` to set it";
    PlanError::Style => "cannot write this --style; use relative, absolute-path or shortest";
    PlanError::ForFilesWithStyle => "cannot combine --for file with another --style or --base-element; it writes relative paths and empties bases; remove these options";
    PlanError::ForFilesOfStdin => "cannot use --for file with standard input; it needs to know which files exist; use a PATH instead";
    PlanError::AgainNotInPlace => "cannot use --again without --in-place; other runs do not record moves; add --in-place or remove --again";
    PlanError::BackupNotInPlace => "cannot use --backup without --in-place; other runs do not replace documents; add --in-place or remove --backup";
    PlanError::BreakHardlinksNotInPlace => "cannot use --break-hardlinks without --in-place; other runs do not replace documents; add --in-place or remove --break-hardlinks";
    PlanError::NoOutput => "no output is set; relink does not guess where to write; use `-o OUT` or `--in-place` to write, or `--dry-run` or `--diff` to write nothing";
    PlanError::UpdateWithoutOutput => "--update needs an output; use `-o OUT` to set that of an earlier run";
    PlanError::DeleteWithoutUpdate => "--delete needs --update; it removes from OUT what PATH does not contain";
    PlanError::CheckOfStdin => "cannot check standard input; `check` needs to know which files exist; use a PATH instead";
    PlanError::Stale { url, error } => "invalid value '{}' for --stale; {}", url, error;
    PlanError::StaleIsCurrent(url) => "invalid value '{}' for --stale; it is the current URL of the tree; use an old URL of it", url;
    PlanError::NoPage(path) => "{}: cannot be packed; it is not a file; use the path of a page, or `--tree DIR` for all pages of a directory", path.display();
    PlanError::NoDirectory(path) => "{}: cannot be the root; it is not a directory that can be read; use another DIR", path.display();
    PlanError::PageOutsideRoot { page, root } => "{}: cannot be packed; it is not below the root {}; use another `--root DIR`", page.display(), root.display();
    PlanError::NoPackOutput => "no output is set; the messages of several pages need a directory; use `-o OUTDIR` to set it, or `--dry-run` to write nothing";
});

impl PlanError {
    /// Returns true if the message begins with a path.
    pub(crate) fn is_about_path(&self) -> bool {
        match self {
            PlanError::Mapping(error) => error.is_about_path(),
            PlanError::Output(error) => error.is_about_path(),
            PlanError::Rename(error) => error.is_about_path(),
            PlanError::Names(_) | PlanError::WebArchive(_) => true,
            PlanError::UrlAsPath(_) | PlanError::FileNotBelow(_) | PlanError::Manifest(_) => true,
            PlanError::NoPage(_) | PlanError::NoDirectory(_) | PlanError::UnpackedExists(_) => true,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::option_names::{Named, write};
    use crate::plan::options::excludes::EXCLUDES;
    use std::fmt;

    /// The sources of the types that set options.
    const SETTERS: [&str; 9] = [
        include_str!("builder.rs"),
        include_str!("options/check.rs"),
        include_str!("options/mod.rs"),
        include_str!("options/pack.rs"),
        include_str!("options/relativize.rs"),
        include_str!("options/relocate.rs"),
        include_str!("options/tree.rs"),
        include_str!("options/unpack.rs"),
        include_str!("../urls/renames/options.rs"),
    ];

    /// Returns true for a method, the parameter of one, and a public field.
    fn is_set(name: &str) -> bool {
        SETTERS.iter().flat_map(|source| source.lines()).map(str::trim_start).any(|line| {
            let is_row = line.starts_with(&format!("{name}: ")) && line.contains(" => ");
            let is_parameter =
                line.starts_with("pub fn ") && line.contains(&format!(" {name}: impl"));
            let is_method = line.starts_with(&format!("pub fn {name}("));
            is_row || is_parameter || is_method || line.starts_with(&format!("pub {name}: "))
        })
    }

    /// A text whose values are `{}`.
    struct Unfilled(&'static str, usize);

    impl fmt::Display for Unfilled {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write(f, self.0, &vec![&"{}" as &dyn fmt::Display; self.1])
        }
    }

    #[test]
    fn messages_name_methods_to_a_caller_of_the_library() {
        let mut names = Vec::new();
        let errors = [
            PlanError::TEXTS,
            MappingError::TEXTS,
            GlobError::TEXTS,
            TypeError::TEXTS,
            MoveError::TEXTS,
            RenameError::TEXTS,
            BadTarget::TEXTS,
            OutputError::TEXTS,
            Excluded::TEXTS,
        ];
        let options = ["--include", "--exclude", "--error-page", "--from", "--to", "--rule"];
        let parts = [&options[..], &["--same-as", "--rename", "another OUT, or `--in-place`"]];
        let parts = parts.concat().into_iter().map(|part| (part, 0));
        for (text, n_values) in errors.concat().into_iter().chain(parts) {
            let (library, typed) =
                (Unfilled(text, n_values).to_string(), format!("{:#}", Unfilled(text, n_values)));
            assert_eq!(typed, text);
            assert!(!library.contains("--") && !library.contains("`-"), "{library}");
            let quoted = |text: &str| {
                text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<String>>()
            };
            let kept = quoted(text);
            names.extend(quoted(&library).into_iter().filter(|name| !kept.contains(name)));
        }
        // The command line alone sets these.
        let alone = ["from_git", "quiet", "report"];
        let excluding = EXCLUDES.iter().flat_map(|(one, others)| others.iter().chain([one]));
        let excluding = excluding.filter(|name| !alone.contains(name));
        names.extend(excluding.map(|name| Named(name).to_string().replace('`', "")));
        assert!(names.len() > 100, "{names:?}");
        names.retain(|name| !is_set(name.split(' ').next().unwrap_or_default()));
        assert_eq!(names, [""; 0]);
    }

    #[test]
    fn values_in_messages_are_not_converted() {
        let value = "--base URL `-o OUT` {} --rename";
        let error = PlanError::NoPage(value.into());
        let start = format!("{value}: cannot be packed; it is not a file; ");
        let of_library = "use the path of a page, or `tree` for all pages of a directory";
        assert_eq!(error.to_string(), format!("{start}{of_library}"));
        assert_eq!(
            format!("{error:#}"),
            format!("{start}{}", of_library.replace("tree", "--tree DIR"))
        );
        let (option, pattern, reason) = ("--include", "--include".to_owned(), "x".to_owned());
        let error = PlanError::from(GlobError::Pattern { option, pattern, reason });
        assert_eq!(error.to_string(), "invalid value '--include' for `include`; x");
        assert_eq!(format!("{error:#}"), "invalid value '--include' for --include; x");
    }
}
