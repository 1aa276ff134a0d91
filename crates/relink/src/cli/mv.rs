//! `relink mv`, `relink move --from-git` and `relink check --fix`: all of them become a `move`, the
//! first two with the renamed files.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Output};

use clap::{Parser, ValueEnum};

use crate::cli::args::{Cli, Command, MvArgs};
use crate::events::Events;
use crate::os::command_line::CommandLine;
use crate::os::failure::Failure;
use crate::os::paths::os_str;
use crate::os::{messages, paths};
use crate::plan::exit::Error;

/// Replaces `mv` and `check --fix` by the `move` that they are, and adds the renames to one with
/// `--from-git`. The journal of a run records that command, so that a run that continues it does
/// not look for them again. Returns false if there is nothing to do.
///
/// # Errors
///
/// [`Error`] if a file does not exist or is not in the tree, or if git fails.
pub fn settle(
    command: &mut Command,
    line: &mut CommandLine,
    events: &mut dyn Events,
) -> Result<bool, Error> {
    match command {
        Command::Mv(args) => {
            line.words = words(args)?;
            *command = parsed(line)?;
        }
        Command::Check(args) if args.fix => {
            // Both have the same options about the tree and the output.
            if let Some(word) = line.words.iter_mut().find(|word| **word == "check") {
                *word = "move".into();
            }
            *command = parsed(line)?;
        }
        Command::Move(args) if args.pair.is_empty() => {
            let Some(revisions) = &args.from_git else { return Ok(true) };
            let [tree] = &*args.convert.tree.paths else {
                let reason = "--from-git needs one PATH, a directory in the working tree of git";
                return Err(Error::Usage(reason.to_owned()));
            };
            let pairs = renamed_by_git(tree, revisions)?;
            if pairs.is_empty() {
                let text = format!("git has renamed no file here since {revisions}");
                events.note(&messages::of_path(tree, &text));
                return Ok(false);
            }
            add_pairs(&mut line.words, &pairs);
            line.words.push("--pairs-done".into());
            *command = parsed(line)?;
        }
        _ => {}
    }
    Ok(true)
}

/// Parses a command line that was completed.
fn parsed(line: &CommandLine) -> Result<Command, Error> {
    let words = std::iter::once(OsString::from("relink")).chain(line.words.iter().cloned());
    let cli = Cli::try_parse_from(words).map_err(|error| {
        let text = error.to_string();
        let text = text.lines().next().unwrap_or_default();
        Error::Usage(text.strip_prefix("error: ").unwrap_or(text).to_owned())
    })?;
    Ok(cli.command)
}

/// Adds renames to a command line.
fn add_pairs(words: &mut Vec<OsString>, pairs: &[(PathBuf, PathBuf)]) {
    for (old, new) in pairs {
        words.extend(["--pair".into(), old.into(), new.into()]);
    }
}

/// Returns the words of the `move` that `mv` is.
fn words(args: &MvArgs) -> Result<Vec<OsString>, Error> {
    let MvArgs {
        paths,
        tree,
        base,
        same_as,
        redirects,
        also,
        dry_run,
        diff,
        durable,
        manifest,
        no_manifest,
        format,
        strict,
        quiet,
        verbose,
        color,
    } = args;
    let mut words: Vec<OsString> = vec!["move".into()];
    let mut value = |name: &str, value: &OsStr| {
        let mut word = OsString::from(format!("--{name}="));
        word.push(value);
        words.push(word);
    };
    base.iter().for_each(|url| value("base", url.as_ref()));
    same_as.iter().for_each(|url| value("same-as", url.as_ref()));
    redirects.iter().for_each(|target| value("redirects", target.as_ref()));
    also.iter().for_each(|name| value("also", name.as_ref()));
    manifest.iter().for_each(|path| value("manifest", path.as_ref()));
    diff.iter().for_each(|diff| value("diff", name_of(diff).as_ref()));
    value("format", name_of(format).as_ref());
    value("color", name_of(&color.color).as_ref());
    for (is_set, name) in [
        (*dry_run, "--dry-run"),
        (!*dry_run && diff.is_none(), "--in-place"),
        (*durable, "--durable"),
        (*no_manifest, "--no-manifest"),
        (*strict, "--strict"),
        (*quiet, "--quiet"),
        (*verbose, "--verbose"),
        (true, "--rename-files"),
    ] {
        if is_set {
            words.push(name.into());
        }
    }
    add_pairs(&mut words, &pairs(tree, paths)?);
    words.extend(["--".into(), tree.into()]);
    Ok(words)
}

/// Returns the name of a value on the command line.
fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
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
