//! Restores the old content of documents.

use std::ffi::OsStr;
use std::io::{self, Write};

use super::Undone;
use crate::files::properties::Properties;
use crate::os::digest::{ContentHash, Hasher};
use crate::os::dirs::Location;
use crate::os::failure::Failure;
use crate::os::parallel;
use crate::os::undo_log::Changes;
use crate::plan::destination::Replacing;
use crate::plan::exit::Error;
use crate::recovery::open_document::OpenDocument;
use crate::recovery::write::StreamedFile;

/// Works on documents in parallel, and passes the results to `report` in the order of the
/// documents.
///
/// # Errors
///
/// [`Error`] if the threads cannot be started.
pub(super) fn each<T: Send, R: Send>(
    documents: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
    mut report: impl FnMut(R),
) -> Result<(), Error> {
    let pool = parallel::pool(None)?;
    parallel::for_each(
        &pool,
        documents.into_iter(),
        |_| 0,
        work,
        |done| {
            report(done);
            Ok(())
        },
    )
}

/// Writes the old document over the new one, which is open, after the hash of the old one has
/// proved that the changes give it. The document gets `renamed` as its new name, if there is one.
pub(super) fn write_old(
    location: &Location,
    mut new: OpenDocument,
    renamed: Option<&OsStr>,
    hash: ContentHash,
    changes: &Changes,
    is_durable: bool,
) -> Result<Undone, Failure> {
    let properties = Some(Properties::with_list(new.metadata().clone()));
    let stream = StreamedFile::over(location, properties, is_durable)?;
    let mut out = HashedStream { stream, hasher: Hasher::default() };
    new.undo(changes, &mut out).map_err(Failure::writing(location.path()))?;
    if out.hasher.finish() != hash {
        let reason = "not restored; its recorded edits do not give the old content; restore it from a backup";
        return Err(Failure::because(location.path(), reason));
    }
    let replacing = Replacing { backup: None, breaks_hardlinks: true };
    out.stream.replace(Some(new.file()), &replacing, renamed)?;
    Ok(Undone::Restored)
}

/// A writer that hashes its output.
struct HashedStream {
    stream: StreamedFile,
    hasher: Hasher,
}

impl Write for HashedStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hasher.write_all(bytes)?;
        self.stream.write(bytes).map_err(Failure::into_cause)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
