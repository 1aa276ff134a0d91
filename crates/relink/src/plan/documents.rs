//! What all documents of a tree have, read before a run.

use std::convert::Infallible;

use crate::files::media::FileType;
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::parallel;
use crate::tree::Tree;
use crate::tree::input::{self, Document, Input, Item};
use crate::tree::units::Units;

/// Calls `find` for each document of a tree, in several threads, and `add` with what it returns, in
/// path order. What cannot be read is left out: the run reports it.
pub(super) fn of_each<T: Send + Default>(
    tree: &Tree,
    find: impl Fn(&Entry, &Document) -> T + Sync,
    mut add: impl FnMut(T),
) {
    let is_read = |item: &Item| match item {
        Item::Entry(entry, FileType::Document(_)) => entry.kind == EntryKind::File,
        Item::Piece(..) => true,
        _ => false,
    };
    let items = Units::new(tree, walk::entries(&tree.roots)).filter(is_read);
    let work = |item: Item| match input::read(tree, item) {
        Ok((entry, Input::Document(document))) => find(&entry, &document),
        _ => T::default(),
    };
    let Ok(pool) = parallel::pool(tree.jobs) else { return };
    let read = parallel::for_each(&pool, items, Item::weight, work, |found| {
        add(found);
        Ok::<(), Infallible>(())
    });
    read.unwrap_or_else(|never| match never {});
}
