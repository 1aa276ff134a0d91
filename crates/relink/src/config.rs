//! The meaning of a command line: every option is checked before the first file is opened.

use basectx::RetrievalUrl;

use crate::cli::MemberArgs;
use crate::exit::Error;
use crate::locate::Locator;
use crate::tree::Tree;

pub use self::convert::{Action, Convert, NotesMoves, absolutize, relativize, relocate};
pub use self::look::{Bases, Check, Refs, bases, check, refs};
use self::tree::tree;

mod convert;
mod look;
mod tree;

/// Returns the URLs of `--same-as`, as URLs of directories.
fn same_as(member: &MemberArgs, tree: &Tree) -> Result<Vec<String>, Error> {
    if !member.same_as.is_empty() && !tree.places.has_base() {
        return Err(usage("--same-as is another URL of the tree at --base: give that too"));
    }
    let url = |url: &String| {
        let url = RetrievalUrl::from_directory(url)
            .map_err(|error| usage(format!("--same-as {url}: {error}")))?;
        Ok(url.as_str().to_owned())
    };
    member.same_as.iter().map(url).collect()
}

fn locator(
    tree: &Tree,
    member: &MemberArgs,
    same_as: &[String],
    folds_case: bool,
    has_output: bool,
) -> Locator {
    let mut indexes = member.index.clone();
    if !indexes.iter().any(|name| name == "index.html") {
        indexes.push("index.html".to_owned());
    }
    Locator::new(&tree.roots, &tree.places, &tree.types, indexes, same_as, folds_case, has_output)
}

fn usage(reason: impl Into<String>) -> Error {
    Error::Usage(reason.into())
}
