//! Commands that only read, and print what they find in each file.

use std::io::{self, Write};

use super::guarded;
use crate::exit::{Error, Status};
use crate::globs::NOTHING_FITS;
use crate::hints::{Source, Tally};
use crate::input::Item;
use crate::input::{self, Input};
use crate::spool::Spool;
use crate::tree::Tree;
use crate::units::Units;
use crate::walk::{self, Entry, EntryKind};
use crate::{messages, parallel};

/// The result for one file.
#[derive(Default)]
pub(super) struct Listed {
    pub(super) output: Spool,
    pub(super) messages: Vec<String>,
    pub(super) is_failed: bool,
    /// True if the file is a document; set by [`run`].
    pub(super) is_document: bool,
    /// The source of its URL, if that is a hint; set by [`run`].
    pub(super) hint: Option<Source>,
    /// Number of references or documents without a target or base.
    pub(super) n_unresolved: usize,
}

/// Lists what `file` finds in each file of a tree, in path order.
///
/// # Errors
///
/// [`Error`] if it cannot begin, or if standard output fails.
pub(super) fn run(
    tree: &Tree,
    file: impl Fn(&Entry, &Input) -> Result<Listed, String> + Sync,
) -> Result<Status, Error> {
    let pool = parallel::pool(tree.jobs)?;
    let entries = walk::entries(&tree.roots).filter(|entry| {
        entry.as_ref().map_or(true, |entry| {
            matches!(entry.kind, EntryKind::File | EntryKind::Stdin)
                || (entry.kind == EntryKind::Special && entry.is_single)
        })
    });
    let units = Units::new(tree, entries);
    let work = |item: Item| {
        let path = item.path().to_owned();
        let list = || {
            let (entry, input) = input::read_document(tree, item)?;
            let (is_document, hint) = match &input {
                Input::Document(document) => (true, document.hint().map(|hint| hint.source)),
                _ => (false, None),
            };
            Ok(Listed { is_document, hint, ..file(&entry, &input)? })
        };
        guarded(&path, list).unwrap_or_else(failed)
    };
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    let mut status = Status::Done;
    let mut is_empty = true;
    let mut hints = Tally::default();
    parallel::for_each(&pool, units, Item::weight, work, |listed| {
        if listed.is_failed || !tree.is_quiet {
            listed.messages.iter().for_each(|message| messages::print(message));
        }
        hints.add(listed.hint);
        is_empty &= !listed.is_document && !listed.is_failed;
        if listed.is_failed {
            status = Status::Failed;
        } else if tree.is_strict && listed.n_unresolved > 0 {
            status = status.max(Status::Found);
        }
        listed.output.print(&mut stdout)
    })?;
    stdout.flush()?;
    if !tree.is_quiet {
        hints.print();
        if is_empty && tree.globs.is_some() {
            messages::print(NOTHING_FITS);
        }
    }
    Ok(status)
}

fn failed(message: String) -> Listed {
    Listed { messages: vec![message], is_failed: true, ..Listed::default() }
}
