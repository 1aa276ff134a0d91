//! Wordings of messages that more than one test recognizes, each under a name. One test compares
//! each of them as a whole line; the others are about something else, and use the name.

// The paths of the command line.
pub(crate) const CANNOT_READ: &str = "cannot read";
pub(crate) const NOT_FOUND: &str = "no such file or directory";
pub(crate) const NO_SUCH_FILE: &str = "cannot read; no such file or directory";
pub(crate) const CANNOT_WRITE: &str = "cannot write";
pub(crate) const DENIED: &str = "permission denied";
pub(crate) const NO_SPACE: &str = "no space left on device";
pub(crate) const NO_DIRECTORY: &str = "its directory does not exist; create it first";
pub(crate) const USE_ANOTHER_NAME: &str = "use another name";
pub(crate) const MOVE_IT_AWAY: &str = "move it away";

// Where the output goes.
pub(crate) const NO_OUTPUT: &str = "error: no output is set";
pub(crate) const CANNOT_WRITE_HERE: &str = "cannot write the output here";
pub(crate) const IS_THE_INPUT: &str =
    "cannot write the output here; it is the input; use another OUT, or `--in-place`";
pub(crate) const IN_THE_INPUT: &str =
    "cannot write the output here; it is inside the input; use another OUT";
pub(crate) const NOT_EMPTY: &str =
    "cannot write the output here; the directory is not empty; use `--force` to write into it";
pub(crate) const FILE_EXISTS: &str =
    "cannot write the output here; the file exists; use `--force` to replace it";
pub(crate) const CANNOT_WRITE_IN_PLACE: &str = "cannot write in place";
pub(crate) const GIVEN_TWICE: &str = "this PATH is given twice; remove one";
pub(crate) const BACKUP_EXISTS: &str = "cannot create the backup; a file with this name exists already; use `relink undo` to revert the run that made it, move it away, or use `--backup=SUFFIX` to set another suffix";
pub(crate) const NOTHING_REMOVED: &str =
    "note: nothing was removed from OUT; the run is incomplete\n";

// Values of options; the second and the third are wordings of the parser of arguments.
pub(crate) const INVALID_VALUE: &str = "invalid value";
pub(crate) const NOT_ACCEPTED: &str = "invalid value";
pub(crate) const EXCLUDES: &str = "cannot be used with";
pub(crate) const INVALID_BASE: &str = "error: invalid base URL";
pub(crate) const NOT_ABSOLUTE: &str = "not an absolute URL";
pub(crate) const NO_SCHEME: &str = "it has no scheme";
pub(crate) const BASE_WITHOUT_SCHEME: &str = "the base has no scheme";
pub(crate) const NO_HOSTS: &str = "cannot find the hosts of the mirror";

// Files and references that are left unchanged.
pub(crate) const UNKNOWN_BASE: &str =
    "unchanged; its base URL is unknown; use `--base URL` to set it";
pub(crate) const NOT_IN_TREE: &str = "the tree has no such file";
pub(crate) const MADE_ABSOLUTE: &str = "made absolute; the tree has no such file";
pub(crate) const LEFT_ABSOLUTE: &str = "left absolute; the tree has no such file";
pub(crate) const ENTITY: &str = "unchanged; it contains an entity, which is not expanded";
pub(crate) const UNKNOWN_TYPE: &str =
    "skipped; not a known type of document; use `--type EXT=MEDIA/TYPE` to set its type";
pub(crate) const ON_REQUEST: &str = "skipped; documents of this type are read on request only";
pub(crate) const UNSUPPORTED: &str = "skipped; unsupported type of file";
pub(crate) const NO_PLAIN_FILE: &str = "skipped; it is a pipe, a socket or a device";
pub(crate) const NOT_WELL_FORMED: &str = "not well-formed";
pub(crate) const INVALID_JSON: &str = "not well-formed: invalid JSON";
pub(crate) const EMBEDDED_SKIPPED: &str = "embedded document skipped";
pub(crate) const PART_SKIPPED: &str = "part skipped";
pub(crate) const COMPRESSED: &str = "it is compressed";
pub(crate) const RECORD_AT_BYTE: &str = "record at byte";
pub(crate) const END_IS_MISSING: &str = "the end of this record is missing";
pub(crate) const WRONG_LENGTH: &str = "the declared length of this record is wrong";
pub(crate) const TRUNCATED: &str = "the record was truncated when it was saved";
pub(crate) const GZIP_MEMBER: &str = "its gzip member";
pub(crate) const LAZY: &str = "hint: pages contain attributes of lazy loaders";
pub(crate) const NO_BOUNDARY: &str = "multipart without a boundary; it is read as one part";
pub(crate) const SIGNED: &str = "it is signed; use `--break-signatures` to edit it";
pub(crate) const SIGNED_BY_DKIM: &str =
    "it is signed by DKIM or ARC; remove `--keep-dkim` to edit it";
pub(crate) const ENCRYPTED: &str = "it is encrypted, or enclosed in a signature";
pub(crate) const SEAL_INVALID: &str =
    "invalid now; the signed content was changed; use `--keep-dkim` to skip such messages";
pub(crate) const TO_RAISE_THE_LIMIT: &str = "to raise the limit";
pub(crate) const MAY_BLOCK: &str = "hint: browsers may block";
pub(crate) const NOT_PACKED: &str = "not packed";
pub(crate) const NEEDS_ROOT: &str = "hint: references that begin with / lead to the root of the disk; use `--root DIR` to name the directory of the site";

// What `check` finds.
pub(crate) const LEAVES_TREE: &str = "it points out of the tree";
pub(crate) const ON_THIS_MACHINE: &str = "it points to a file on this machine";
pub(crate) const TO_FILE_SERVER: &str = "without a scheme it points to a file server";

// Mirrors.
pub(crate) const READ_AS_MIRROR: &str = "read as a mirror";
pub(crate) const HOST_IN_BASE: &str = "the host in --base";
pub(crate) const ELSEWHERE: &str = "use `--base URL` if it is elsewhere";

// Runs that were interrupted, or that are reverted.
pub(crate) const CANNOT_START: &str = "cannot start";
pub(crate) const RUNS_ALREADY: &str =
    "cannot start; another run is active here; wait until it has ended";
pub(crate) const WAS_INTERRUPTED: &str = "cannot start; a run was interrupted here";
pub(crate) const MOVED_ALREADY: &str =
    "was already moved by the same move; use `--again` to move it once more";
pub(crate) const NO_RUN: &str =
    "no run to revert found; there is neither a journal nor a manifest; use a PATH of the run";
pub(crate) const NOT_RESTORED: &str = "not restored";
pub(crate) const FROM_BACKUP: &str = "restore it from a backup";
pub(crate) const JOURNAL_NOT_TRUSTED: &str = "the journal is not trusted";
pub(crate) const COPIED: &str = "it was copied, unpacked or restored";
pub(crate) const IF_RIGHT: &str = "if the lines above are right";

/// The reason why a journal, a manifest or a record of moves of another version is not used.
pub(crate) fn of_other_version(version: u32) -> String {
    format!(
        "another version of relink wrote it (format {version}); use that version, or remove the file"
    )
}

// Manifests.
pub(crate) const CANNOT_USE_MANIFEST: &str = "cannot use the manifest";
pub(crate) const MANIFEST_HERE: &str = "cannot write the manifest here";
pub(crate) const LISTS_ALL: &str = "the manifest lists all files of the output";

// The summary: what became of references, as in `sum`.
pub(crate) const REWRITTEN: &str = "rewritten";
pub(crate) const CORRECT: &str = "already correct";
pub(crate) const IN_SEALED_PARTS: &str = "in parts that must not change";
pub(crate) const OUT_OF_TREE: &str = "out of the tree";
pub(crate) const TO_LIST_THEM: &str = "to list them";

/// Returns a number with the word for what it counts.
fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Returns what begins the summary of a run that writes.
pub(crate) fn changed(n_documents: usize, n_changed: usize) -> String {
    format!("{}, {n_changed} changed", counted(n_documents, "document"))
}

/// Returns what begins the summary of a run that writes nothing.
pub(crate) fn would_change(n_documents: usize, n_changed: usize) -> String {
    format!("{}, {n_changed} would be changed", counted(n_documents, "document"))
}

/// Returns the line of the summary that says what became of all references.
pub(crate) fn sum(outcomes: &[(usize, &str)]) -> String {
    let n_references = outcomes.iter().map(|(n, _)| n).sum();
    let each: Vec<_> = outcomes.iter().map(|(n, outcome)| format!("{n} {outcome}")).collect();
    format!("{}: {}", counted(n_references, "reference"), each.join(", "))
}

/// Returns the summary of `check`, with the number of problems of each kind.
pub(crate) fn checked(
    n_documents: usize,
    n_references: usize,
    problems: &[(usize, &str)],
) -> String {
    let n_broken: usize = problems.iter().map(|(n, _)| n).sum();
    let kinds: Vec<_> = problems.iter().map(|(n, kind)| format!("{n} {kind}")).collect();
    let kinds = if kinds.is_empty() { "".into() } else { format!(" ({})", kinds.join(", ")) };
    let documents = counted(n_documents, "document");
    format!("{documents}, {}: {n_broken} broken{kinds}", counted(n_references, "reference"))
}

/// Returns the summary of `undo`.
pub(crate) fn restored(n_documents: usize) -> String {
    format!("{} restored", counted(n_documents, "document"))
}

/// Returns the line about a path that does not exist.
pub(crate) fn missing(path: &str) -> String {
    format!("{path}: {NO_SUCH_FILE}")
}

/// Returns what `check` says of a reference to a file that does not exist.
pub(crate) fn no_file(name: &str) -> String {
    format!("there is no file {name}")
}

/// Returns what `check` says of a reference to an old URL of the tree.
pub(crate) fn stale(url: &str) -> String {
    format!("it points to the old URL {url}")
}

/// Returns what `check` says of an old URL in text that is no reference.
pub(crate) fn stale_text(url: &str) -> String {
    format!("it contains the old URL {url}, and is not a reference that relink knows")
}

/// Returns the end of a message about a limit.
pub(crate) fn raise(limit: &str) -> String {
    format!("use `--limit {limit}=VALUE` {TO_RAISE_THE_LIMIT}")
}

/// Returns what a tree is read as if its directories are hosts, and why.
pub(crate) fn mirror(layout: &str, why: &str) -> String {
    format!(
        "{READ_AS_MIRROR} with a directory for each host (`--layout {layout}`); {why}; use `--layout plain` if it is not one"
    )
}

/// Returns the note that a directory is read as a tree.
pub(crate) fn read_as_tree(path: &str, url: &str) -> String {
    format!("note: {path} is read as the tree at {url} (--from); {ELSEWHERE}")
}

/// Returns what can be done about a run that was interrupted.
pub(crate) fn go_on(path: &str) -> String {
    format!("use `relink resume {path}` to continue it, or `relink undo {path}` to revert it")
}

/// Returns the reason why nothing runs where the run of a command was interrupted.
pub(crate) fn interrupted(command: &str, path: &str) -> String {
    format!("{WAS_INTERRUPTED} (relink {command}); {}", go_on(path))
}

/// Returns the hint that ends a run in place.
pub(crate) fn undo(path: &str) -> String {
    format!("hint: use `relink undo {path}` to revert the run")
}
