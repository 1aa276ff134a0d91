//! `relink absolutize` and `relink relativize`: references rewritten, proved, and written.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rewrite::{Left, NewPlace, Report, Rewritten, Undone};

use super::{Lines, guarded};
use crate::config::{Action, Convert};
use crate::destination::Output;
use crate::exit::{Error, Status};
use crate::failure::Failure;
use crate::input::{self, Document, Input};
use crate::summary::{self, Summary};
use crate::walk::{self, Entry, EntryKind};
use crate::{diff, messages, ordered, write};

/// What became of one file.
#[derive(Default)]
struct Done {
    messages: Vec<String>,
    /// Why the file, or a document in it, could not be done.
    failures: Vec<String>,
    /// Bytes for standard output: a diff, or the file itself.
    output: Vec<u8>,
    report: Report,
    n_bytes: u64,
    is_document: bool,
    is_changed: bool,
    is_unsupported: bool,
    is_other: bool,
    /// Whether it was named on the command line, and is no document.
    is_unread: bool,
}

/// Runs the command.
///
/// # Errors
///
/// [`Error`] if it cannot begin, or if standard output fails.
pub fn run(config: &Convert) -> Result<Status, Error> {
    let pool = ordered::pool(config.tree.jobs)?;
    let mut folders = write::Folders::default();
    if let Output::Below(outputs) = &config.output {
        // OUT itself: no root makes it where it holds several.
        for parent in outputs.iter().filter_map(|output| output.parent()) {
            std::fs::create_dir_all(parent)
                .map_err(|error| Error::Usage(Failure::at(parent)(error).to_string()))?;
        }
    }
    let mut summary = Summary::default();
    // Folders are made before anything is written into them: while the walk goes on, in this thread.
    let mut unmade: Vec<PathBuf> = Vec::new();
    let entries = walk::entries(&config.tree.roots).filter_map(|entry| match entry {
        // One message tells of the folder; what is in it has no place.
        Ok(entry) if unmade.iter().any(|folder| entry.path.starts_with(folder)) => None,
        Ok(entry) if entry.kind == EntryKind::Folder => {
            let to = target(config, &entry)?;
            let failure = folders.make(&entry.path, &to).err()?;
            unmade.push(entry.path);
            Some(Err(failure.to_string()))
        }
        entry => Some(entry),
    });
    let work = |entry: Result<Entry, String>| match entry {
        Ok(entry) => guarded(&entry.path, || Ok(file(config, &entry))).unwrap_or_else(failed),
        Err(message) => failed(message),
    };
    let mut stdout = io::stdout().lock();
    let told = ordered::for_each(&pool, entries, work, |done| {
        tell(done, config, &mut summary, &mut stdout)
    });
    folders.finish();
    told?;
    stdout.flush()?;
    if !config.tree.is_quiet {
        let (verb, others) = match config.output {
            Output::Nowhere => ("would be changed", "not looked into"),
            Output::InPlace(_) => ("changed", "not touched"),
            _ => ("changed", "copied"),
        };
        summary.print(verb, others, config.tree.is_verbose);
    }
    if summary.is_nowhere() {
        messages::print(
            "none of the documents has a URL; --base, --map or --layout tells where they belong",
        );
    }
    let status = summary.status(config.tree.is_strict);
    let is_found = config.tells_changes && summary.n_changed > 0;
    Ok(if is_found { status.max(Status::Found) } else { status })
}

fn failed(message: String) -> Done {
    Done { failures: vec![message], ..Done::default() }
}

/// Where an entry is written, if it is written to a file.
fn target(config: &Convert, entry: &Entry) -> Option<PathBuf> {
    match &config.output {
        Output::Nowhere | Output::Stdout | Output::InPlace(_) => None,
        Output::File(path) => Some(path.clone()),
        Output::Below(roots) if entry.is_single => Some(roots[entry.root].clone()),
        Output::Below(roots) if entry.below.as_os_str().is_empty() => {
            Some(roots[entry.root].clone())
        }
        Output::Below(roots) => Some(roots[entry.root].join(&entry.below)),
    }
}

/// Does one entry that is not a folder.
fn file(config: &Convert, entry: &Entry) -> Done {
    let to = target(config, entry);
    let result = match entry.kind {
        EntryKind::Link => to.map_or(Ok(()), |to| write::link(&entry.path, &to)).map(|()| other()),
        EntryKind::Special => {
            let message = messages::of_path(&entry.path, walk::SPECIAL);
            return match entry.is_single {
                true => failed(message),
                false => Done { messages: vec![message], ..Done::default() },
            };
        }
        EntryKind::Folder | EntryKind::File | EntryKind::Stdin => input::read(&config.tree, entry)
            .and_then(|input| convert(config, entry, input, to.as_deref())),
    };
    result.unwrap_or_else(|failure| failed(failure.to_string()))
}

fn other() -> Done {
    Done { is_other: true, ..Done::default() }
}

fn convert(
    config: &Convert,
    entry: &Entry,
    input: Input,
    to: Option<&Path>,
) -> Result<Done, Failure> {
    let mut done = match input {
        Input::Document(document) => return Ok(document_done(config, entry, &document, to)),
        Input::Unsupported(kind) => {
            let message =
                messages::of_path(&entry.path, &format!("{kind} is not read yet; left as it is"));
            let is_told = config.tree.is_verbose || entry.is_single;
            let messages = if is_told { vec![message] } else { Vec::new() };
            Done { messages, is_unsupported: true, ..Done::default() }
        }
        Input::Stream(bytes) => {
            let done = Done {
                messages: vec![messages::of_path(&entry.path, input::NO_DOCUMENT)],
                is_unread: true,
                ..other()
            };
            return match to {
                Some(to) => write::bytes(to, &bytes, None).map(|()| done),
                None => Ok(Done { output: bytes, ..done }),
            };
        }
        Input::Other if entry.is_single && config.tree.globs.allow(&entry.below) => {
            Done { messages: vec![messages::of_path(&entry.path, input::NO_DOCUMENT)], ..other() }
        }
        Input::Other => other(),
    };
    done.is_unread = entry.is_single;
    match to {
        Some(to) => write::copy(&entry.path, to)?,
        None if config.output == Output::Stdout => {
            done.output = std::fs::read(&entry.path).map_err(Failure::at(&entry.path))?;
        }
        None => {}
    }
    Ok(done)
}

fn document_done(config: &Convert, entry: &Entry, document: &Document, to: Option<&Path>) -> Done {
    let options = &config.tree.options;
    let new = match &config.action {
        Action::ForFile(_, locator) => Some((locator.new_url(entry), locator.new_root(entry))),
        Action::Absolutize | Action::Relativize(_) => None,
    };
    let new_place = new.as_ref().map(|(url, root)| NewPlace { url, root });
    let rewritten = document.with_unit(new_place, |unit| match &config.action {
        Action::Absolutize => rewrite::absolutize(unit, options),
        Action::Relativize(relative) | Action::ForFile(relative, _) => {
            rewrite::relativize(unit, options, relative)
        }
    });
    let after = rewritten.output.as_deref().unwrap_or(&document.bytes);
    let metadata = document.metadata.as_ref();
    let written = match (to, &config.output, &rewritten.output) {
        (Some(to), ..) => write::bytes(to, after, metadata),
        (None, Output::InPlace(backup), Some(after)) => {
            write::replace(&entry.path, after, metadata, backup.as_deref())
        }
        _ => Ok(()),
    };
    let output = match config.output {
        _ if config.shows_diff && rewritten.output.is_some() => {
            let path = shown_path(config, entry);
            diff::unified(&path, &document.bytes, after, &rewritten.edits, config.has_color)
        }
        Output::Stdout if !config.shows_diff => after.to_vec(),
        _ => Vec::new(),
    };
    let mut done = Done {
        output,
        n_bytes: document.bytes.len() as u64,
        is_document: true,
        is_changed: rewritten.output.is_some() && written.is_ok(),
        ..Done::default()
    };
    if let Err(failure) = written {
        done.failures.push(failure.to_string());
        return done;
    }
    explain(config, entry, document, &rewritten, &mut done);
    done.report = rewritten.report;
    done
}

/// The path in a diff: below the root, and where there are several, below what the root is called.
fn shown_path(config: &Convert, entry: &Entry) -> PathBuf {
    match &config.tree.roots[..] {
        [_] => entry.below.clone(),
        _ if entry.is_single => entry.below.clone(),
        roots => roots[entry.root].name().join(&entry.below),
    }
}

/// The messages that a document calls for.
fn explain(
    config: &Convert,
    entry: &Entry,
    document: &Document,
    rewritten: &Rewritten,
    done: &mut Done,
) {
    let mut lines = Lines::new(&document.bytes);
    let mut place = |at: usize| {
        let (line, column) = lines.of(at);
        format!("{}:{line}:{column}", entry.path.display())
    };
    if let Some(disproof) = &rewritten.disproof {
        done.failures.push(messages::of_path(
            &entry.path,
            &format!("left as it is, the proof failed: {disproof}"),
        ));
    }
    for left in &rewritten.report.left {
        // They come by the thousand where a part of the tree has no URL.
        if left.reason == Undone::NoUrl && !config.tree.is_verbose {
            continue;
        }
        let what = if left.is_embedded {
            "an embedded document is left as it is"
        } else {
            "left as it is"
        };
        let message = format!("{}: {what}: {}", place(left.at), left.reason);
        let list =
            if summary::is_failure(left.reason) { &mut done.failures } else { &mut done.messages };
        list.push(message);
    }
    if config.tree.is_verbose {
        let bases = rewritten.report.bad_bases.iter().map(|(reason, at)| (*at, reason.to_string()));
        let incidents = rewritten.report.incidents.iter();
        let incidents = incidents
            .map(|incident| (incident.at, format!("{}: {}", incident.reason, incident.reference)));
        let mut all: Vec<(usize, String)> = bases.chain(incidents).collect();
        all.sort_by_key(|(at, _)| *at);
        done.messages.extend(all.iter().map(|(at, text)| format!("{}: {text}", place(*at))));
    }
}

fn tell(
    done: Done,
    config: &Convert,
    summary: &mut Summary,
    stdout: &mut impl Write,
) -> Result<(), Error> {
    done.failures.iter().for_each(|failure| messages::print(failure));
    summary.n_failed += usize::from(!done.failures.is_empty());
    if !config.tree.is_quiet {
        done.messages.iter().for_each(|message| messages::print(message));
    }
    summary.counts.add(&done.report.counts);
    summary.engines.add(&done.report.engines);
    summary.n_documents += usize::from(done.is_document);
    summary.n_changed += usize::from(done.is_changed);
    let is_nowhere = |left: &&Left| left.reason == Undone::NoUrl;
    let n_without_url = done.report.left.iter().filter(is_nowhere).count();
    summary.n_without_url += n_without_url;
    summary.n_left += done.report.left.len() - n_without_url;
    summary.n_missing += done.report.n_missing;
    summary.n_bad_bases += done.report.bad_bases.len();
    summary.n_unsupported += usize::from(done.is_unsupported);
    summary.n_others += usize::from(done.is_other);
    summary.n_unread += usize::from(done.is_unread);
    summary.n_bytes += done.n_bytes;
    stdout.write_all(&done.output)?;
    Ok(())
}
