//! `relink mv`, `relink move --from-git` and `relink check --fix`: all of them become a `move`, the
//! first two with the renamed files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Output};

use crate::cli::args::{CheckArgs, Command, MoveArgs, MvArgs};
use crate::events::Events;
use crate::os::failure::Failure;
use crate::os::format::FormatArgs;
use crate::os::paths::os_str;
use crate::os::{messages, paths};
use crate::plan::exit::Error;
use crate::plan::options::{ConvertOptions, MoveOptions, TreeOptions};
use crate::urls::renames::RenameOptions;

/// Replaces `mv` and `check --fix` by the `move` that they are, and adds the renames to one with
/// `--from-git`. The record of a run has that command, so that a run that continues it does not
/// look for them again. Returns `None` if there is nothing to do.
///
/// # Errors
///
/// [`Error`] if a file does not exist or is not in the tree, or if git fails.
pub fn as_move(command: Command, events: &mut dyn Events) -> Result<Option<Command>, Error> {
    Ok(Some(match command {
        Command::Mv(args) => Command::Move(renamed(args)?),
        Command::Check(args) if args.fix => Command::Move(corrected(args)),
        Command::Move(mut args) if args.options.from_git.is_some() => {
            let revisions = args.options.from_git.clone().unwrap_or_default();
            let [tree] = &*args.convert.tree.paths else {
                let reason = "--from-git needs one PATH, a directory in the working tree of git";
                return Err(Error::Usage(reason.to_owned()));
            };
            let pairs = renamed_by_git(tree, &revisions)?;
            if pairs.is_empty() {
                let text = format!("git has renamed no file here since {revisions}");
                events.note(&messages::of_path(tree, &text));
                return Ok(None);
            }
            let renames = &mut args.options.renames;
            (renames.pairs, renames.are_pairs_done) = (pairs, true);
            Command::Move(args)
        }
        command => command,
    }))
}

/// Returns the `move` that `mv` is.
fn renamed(args: MvArgs) -> Result<MoveArgs, Error> {
    let renames = RenameOptions {
        pairs: pairs(&args.tree, &args.paths)?,
        rename_files: true,
        redirects: args.redirects,
        ..RenameOptions::default()
    };
    let tree = TreeOptions {
        base: args.base,
        also: args.also,
        strict: args.strict,
        quiet: args.quiet,
        verbose: args.verbose,
        color: args.color,
        ..TreeOptions::new([args.tree])
    };
    let convert = ConvertOptions {
        in_place: !args.dry_run && args.diff.is_none(),
        dry_run: args.dry_run,
        diff: args.diff,
        durable: args.durable,
        manifest: args.manifest,
        no_manifest: args.no_manifest,
        format: FormatArgs { format: args.format },
        tree,
        ..ConvertOptions::default()
    };
    let options = MoveOptions { same_as: args.same_as, renames, ..MoveOptions::default() };
    Ok(MoveArgs { options, convert })
}

/// Returns the `move` that `check --fix` is.
fn corrected(args: CheckArgs) -> MoveArgs {
    let member = args.options.member.clone();
    let options = MoveOptions {
        fix: true,
        same_as: member.same_as,
        index: member.index,
        clean_urls: member.clean_urls,
        ..MoveOptions::default()
    };
    let convert = ConvertOptions {
        output: args.output,
        in_place: args.in_place,
        diff: args.diff,
        dry_run: args.dry_run,
        format: FormatArgs { format: args.options.format.of_urls() },
        tree: args.tree,
        ..ConvertOptions::default()
    };
    MoveArgs { options, convert }
}

/// Returns the paths of files and directories below the tree, and their new ones.
fn pairs(tree: &Path, paths: &[PathBuf]) -> Result<Vec<(PathBuf, PathBuf)>, Error> {
    let Some((last, sources)) = paths.split_last() else { return Ok(Vec::new()) };
    let root = real(tree).map_err(Failure::reading(tree))?;
    let has_slash = last.as_os_str().as_encoded_bytes().ends_with(b"/");
    let is_into = last.is_dir() || has_slash || sources.len() > 1;
    if sources.len() > 1 && !last.is_dir() && !has_slash {
        let reason = "not a directory; several files are moved into one; add a slash to create it";
        return Err(Error::at(last, reason));
    }
    let below = |path: &Path| {
        // The last name may be a link, which is moved itself.
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let name =
            path.file_name().ok_or_else(|| Error::at(path, "cannot move this; it has no name"))?;
        let directory = directory.unwrap_or(Path::new("."));
        let directory = existing(directory).map_err(Failure::reading(directory))?;
        let below = directory.strip_prefix(&root).map(|below| below.join(name));
        below.map_err(|_| {
            let reason = format!(
                "not below the tree {}; use `--tree DIRECTORY` to name the tree whose references follow",
                tree.display()
            );
            Error::at(path, reason)
        })
    };
    let mut pairs = Vec::with_capacity(sources.len());
    for source in sources {
        source.symlink_metadata().map_err(Failure::reading(source))?;
        let name = source.file_name().unwrap_or_default();
        let new = if is_into { below(&last.join(name))? } else { below(last)? };
        let old = below(source)?;
        if new == old {
            return Err(Error::at(source, "cannot move this; it is there already"));
        }
        if new.starts_with(&old) && source.is_dir() {
            return Err(Error::at(source, "cannot move a directory into itself"));
        }
        if root.join(&new).symlink_metadata().is_ok() {
            let reason = format!("cannot move this; {} exists already", new.display());
            return Err(Error::at(source, reason));
        }
        pairs.push((old, new));
    }
    Ok(pairs)
}

/// Returns the path of a directory with all links resolved.
fn real(path: &Path) -> std::io::Result<PathBuf> {
    paths::from_root(path).canonicalize()
}

/// Returns the path of a directory that may not exist yet.
fn existing(path: &Path) -> std::io::Result<PathBuf> {
    match (real(path), path.parent(), path.file_name()) {
        (Ok(real), ..) => Ok(real),
        (Err(_), Some(parent), Some(name)) => {
            let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
            Ok(existing(parent)?.join(name))
        }
        (Err(error), ..) => Err(error),
    }
}

/// Returns the files below a directory that git has renamed: their old and new paths below it.
fn renamed_by_git(tree: &Path, revisions: &str) -> Result<Vec<(PathBuf, PathBuf)>, Error> {
    if revisions.starts_with('-') {
        return Err(Error::Usage(format!("'{revisions}' is not a revision")));
    }
    let mut pairs = Vec::new();
    // The index has the content of a file when it was renamed, before its references were changed.
    if !revisions.contains("..") {
        pairs = diff(tree, revisions, &["--cached"])?;
    }
    let known: HashSet<PathBuf> = pairs.iter().map(|(_, new)| new.clone()).collect();
    let others = diff(tree, revisions, &[])?;
    pairs.extend(others.into_iter().filter(|(_, new)| !known.contains(new)));
    Ok(pairs)
}

fn git(tree: &Path) -> Process {
    let mut git = Process::new("git");
    git.arg("-C").arg(tree);
    git
}

fn output(git: &mut Process, tree: &Path) -> Result<Output, Error> {
    git.output().map_err(|error| {
        let reason = format!("cannot run git; {}", messages::reason(&error));
        Error::at(tree, reason)
    })
}

/// Returns the names of the filters that git would run on files of the work tree
/// (gitattributes(5)).
fn filters(tree: &Path) -> Result<Vec<String>, Error> {
    let settings = output(
        git(tree).args(["config", "--null", "--name-only", "--get-regexp", r"^filter\."]),
        tree,
    )?;
    let mut filters: Vec<String> = Vec::new();
    for name in settings.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let name = std::str::from_utf8(name).ok().filter(|name| !name.contains('='));
        let filter = name.and_then(|name| name.strip_prefix("filter.")?.rsplit_once('.'));
        let Some((filter, _)) = filter else {
            // It cannot be set on the command line.
            let reason = "a filter of git has a name with `=` or without a key; rename it in the configuration of git";
            return Err(Error::at(tree, reason));
        };
        filters.push(filter.to_owned());
    }
    filters.dedup();
    Ok(filters)
}

/// Returns the renames that one `git diff` finds.
fn diff(tree: &Path, revisions: &str, options: &[&str]) -> Result<Vec<(PathBuf, PathBuf)>, Error> {
    // Settings of the repository must not start another program: a monitor; a hook, when the index
    // is written; filters.
    let mut settings = vec!["core.fsmonitor=false".into(), "diff.autoRefreshIndex=false".into()];
    for filter in filters(tree)? {
        let keys = ["clean=", "process=", "smudge=", "required=false"];
        settings.extend(keys.map(|key| format!("filter.{filter}.{key}")));
    }
    let mut git = git(tree);
    // Nothing is fetched either, as what a partial clone does not have (git(1), "Environment").
    git.env("GIT_ALLOW_PROTOCOL", "");
    git.args(settings.iter().flat_map(|setting| ["-c", setting]));
    // A submodule has settings of its own.
    git.args(["diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"]);
    git.args(["-M", "--diff-filter=R", "--name-status", "--relative", "-z"]).args(options);
    let output = output(git.args([revisions, "--", "."]), tree)?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let text = text.lines().next().unwrap_or("no message").trim_start_matches("fatal: ");
        let reason = format!("git cannot compare the tree with {revisions}; {text}");
        return Err(Error::at(tree, reason));
    }
    let fields: Vec<&[u8]> = output.stdout.split(|byte| *byte == 0).collect();
    let path = |field: &[u8]| os_str(field).map(PathBuf::from);
    let rename = |fields: &[&[u8]]| match fields {
        [status, old, new] if status.starts_with(b"R") => Some((path(old)?, path(new)?)),
        _ => None,
    };
    Ok(fields.chunks_exact(3).filter_map(rename).collect())
}
