//! A file that is written piece by piece: a new one, or one that replaces a document.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::path::Path;

use super::{
    FileWrite, SourceFile, WriteOptions, create, finish, persist, prepare, temporary, update,
};
use crate::files::properties::Properties;
use crate::os::attributes;
use crate::os::digest::{self, ContentHash};
use crate::os::dirs::{Location, Status, Temp};
use crate::os::failure::Failure;
use crate::plan::destination::Replacing;

/// The reason why a document is not written that another program has changed.
const CHANGED: &str = "the file changed during the run; run the command again";

/// Writes a document over itself, with the mode, owner, times and extended attributes that it had.
/// If it is to be renamed, the old name never has the new bytes; the new name must be free.
///
/// # Errors
///
/// [`Failure`] with the path; the document is as it was then.
pub fn replace(
    at: &Location,
    bytes: &[u8],
    source: SourceFile<'_>,
    replacing: &Replacing,
    renamed: Option<&OsStr>,
    is_durable: bool,
) -> Result<(), Failure> {
    check_not_read_only(source.metadata).map_err(Failure::writing(at.path()))?;
    let properties = Properties::with_list(source.metadata.clone());
    let mut stream = StreamedFile::over(at, Some(properties), is_durable)?;
    stream.write(bytes)?;
    stream.replace(Some(source.file), replacing, renamed)
}

/// A file that is written piece by piece, and gets its name when it is finished.
#[derive(Debug)]
pub struct StreamedFile {
    temp: Temp,
    at: Location,
    properties: Option<Properties>,
    options: WriteOptions,
    len: u64,
}

impl StreamedFile {
    /// Begins a new file, with the mode and times of the input, if it has some.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub fn new(
        at: &Location,
        properties: Option<Properties>,
        options: WriteOptions,
    ) -> Result<Self, Failure> {
        let temp = create(at, properties.as_ref(), options).map_err(Failure::writing(at.path()))?;
        Ok(StreamedFile { temp, at: at.clone(), properties, options, len: 0 })
    }

    /// Begins the file that is to replace a document.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub fn over(
        at: &Location,
        properties: Option<Properties>,
        is_durable: bool,
    ) -> Result<Self, Failure> {
        // It gets the list too.
        let properties = properties.map(|given| Properties::with_list(given.metadata));
        let temp = temporary(at, properties.as_ref())
            .map_err(Failure::to("cannot create a file in its directory", at.path()))?;
        let options = WriteOptions::durable(is_durable);
        Ok(StreamedFile { temp, at: at.clone(), properties, options, len: 0 })
    }

    /// Writes more.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.len += bytes.len() as u64;
        self.temp.file_mut().write_all(bytes).map_err(Failure::writing(self.at.path()))
    }

    /// Returns the path that messages name.
    pub fn path(&self) -> &Path {
        self.at.path()
    }

    /// Returns the file, which has a temporary name.
    pub fn file(&self) -> &File {
        self.temp.file()
    }

    /// Returns the number of bytes written.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Writes the first `len` bytes of another file.
    ///
    /// # Errors
    ///
    /// [`Failure`] with its path; also if the other file is shorter.
    pub fn write_start(&mut self, from: &Location, len: u64) -> Result<(), Failure> {
        let mut start = from.open().map_err(Failure::reading(from.path()))?.0.take(len);
        let n_copied =
            io::copy(&mut start, self.temp.file_mut()).map_err(Failure::writing(self.at.path()))?;
        self.len += n_copied;
        if n_copied == len {
            Ok(())
        } else {
            Err(Failure::reading(from.path())(io::Error::other(CHANGED)))
        }
    }

    /// Returns the hash of all that was written.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path.
    pub fn hash(&mut self) -> Result<ContentHash, Failure> {
        use std::io::{Seek, SeekFrom};
        let file = self.temp.file_mut();
        let mut hash = || {
            file.seek(SeekFrom::Start(0))?;
            let hash = digest::of_reader(&mut *file)?;
            file.seek(SeekFrom::End(0))?;
            Ok(hash)
        };
        hash().map_err(Failure::writing(self.at.path()))
    }

    /// Gives a new file its name.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path; nothing is left behind.
    pub fn finish(self) -> Result<FileWrite, Failure> {
        let StreamedFile { temp, at, properties, options, .. } = self;
        let properties = properties.as_ref();
        let finish = || {
            if options.is_update && update::has_content(&at, temp.file(), properties, None)? {
                return Ok(FileWrite::Current);
            }
            finish(temp, &at, properties, options)
        };
        finish().map_err(Failure::writing(at.path()))
    }

    /// Replaces the document, as [`replace`] does. `old` is its file, if that is still open. If it
    /// gets a new name (`renamed`), the old name never has the new bytes; the new one must be free.
    ///
    /// # Errors
    ///
    /// [`Failure`] with the path that it is about; the document is as it was then.
    pub fn replace(
        self,
        old: Option<&File>,
        replacing: &Replacing,
        renamed: Option<&OsStr>,
    ) -> Result<(), Failure> {
        let StreamedFile { temp, at, properties, options, .. } = self;
        let is_durable = options.is_durable;
        let failed = Failure::writing(at.path());
        let properties = match properties {
            Some(properties) => properties,
            None => Properties::with_list(at.open().map_err(&failed)?.1),
        };
        let metadata = properties.metadata.clone();
        let then = Status::from_metadata(&metadata);
        let kept = replacing.kept(at.name()).map(|name| at.sibling(&name));
        if kept.is_some() {
            // A backup is made only of the document that was read.
            check_same(&at, &metadata).map_err(&failed)?;
        }
        let check_links = |status: &Status| {
            if replacing.breaks_hardlinks { Ok(()) } else { check_names(status, kept.as_ref()) }
        };
        check_links(&then).map_err(&failed)?;
        match old {
            Some(old) => attributes::keep(&at, old, &then, temp.file()),
            None => at.open().and_then(|(old, _)| attributes::keep(&at, &old, &then, temp.file())),
        }
        .map_err(&failed)?;
        let made = match &kept {
            Some(kept) => back_up(&at, kept)
                .map_err(Failure::to("cannot create the backup", kept.path()))?
                .then_some(kept),
            None => None,
        };
        let finished = prepare(&temp, Some(&properties), is_durable)
            // As late as possible: it may have taken long until all of it was on the disk.
            .and_then(|()| check_same(&at, &metadata))
            .and_then(|now| check_links(&now))
            .and_then(|()| at.check_directory())
            .and_then(|()| match renamed {
                Some(new) => persist_renamed(temp, &at, new, &metadata, is_durable),
                None => persist(temp, &at, is_durable),
            });
        if let (Err(_), Some(kept)) = (&finished, made)
            && at.status().is_ok_and(|now| now.id == then.id)
        {
            drop(kept.remove());
        }
        finished.map_err(&failed)
    }
}

/// Keeps a document under another name. Returns true if that name is new: a backup of an earlier
/// run is kept.
fn back_up(at: &Location, kept: &Location) -> io::Result<bool> {
    match at.link(kept) {
        Ok(()) => Ok(true),
        // An interrupted run had created it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if has_same_bytes(at, kept) {
                Ok(false)
            } else {
                Err(io::Error::other(
                    "a file with this name exists already; use `relink undo` to revert the run that made it, move it away, or use `--backup=SUFFIX` to set another suffix",
                ))
            }
        }
        Err(_) => copy_new(at, kept).map(|()| true),
    }
}

/// Checks that a document has no other name (hard link) under which it would not change. The name
/// of its backup does not count.
fn check_names(old: &Status, kept: Option<&Location>) -> io::Result<()> {
    let is_kept = kept.is_some_and(|kept| kept.status().is_ok_and(|kept| kept.id == old.id));
    match old.n_names - u64::from(is_kept) {
        0 | 1 => Ok(()),
        n => Err(io::Error::other(format!(
            "the file has {n} hard links, and the others would keep the old content; use `--break-hardlinks` to replace this link by a separate file"
        ))),
    }
}

/// Returns true if two files have the same bytes.
fn has_same_bytes(one: &Location, other: &Location) -> bool {
    match (one.open(), other.open()) {
        (Ok((one, one_data)), Ok((other, other_data))) if one_data.len() == other_data.len() => {
            matches!((digest::of_reader(one), digest::of_reader(other)), (Ok(one), Ok(other)) if one == other)
        }
        _ => false,
    }
}

/// Checks that a document was writable when it was read.
fn check_not_read_only(read: &Metadata) -> io::Result<()> {
    if read.permissions().readonly() {
        Err(io::Error::other("the file is read-only; make it writable to convert it"))
    } else {
        Ok(())
    }
}

/// Checks that a document is the one that was read, and may be written over. Returns its current
/// status.
fn check_same(at: &Location, read: &Metadata) -> io::Result<Status> {
    check_not_read_only(read)?;
    let (now, then) = (at.status()?, Status::from_metadata(read));
    let is_same = now.len == then.len && now.modified == then.modified && now.id == then.id;
    if is_same && now.owner == then.owner && now.is_file {
        Ok(now)
    } else {
        Err(io::Error::other(CHANGED))
    }
}

/// Copies a file to a name that is not used yet.
fn copy_new(from: &Location, to: &Location) -> io::Result<()> {
    let (mut old, metadata) = from.open()?;
    let properties = Properties::with_list(metadata.clone());
    let mut temp = temporary(to, Some(&properties))?;
    io::copy(&mut old, temp.file_mut())?;
    attributes::keep(from, &old, &Status::from_metadata(&metadata), temp.file())?;
    temp.file().set_permissions(metadata.permissions())?;
    temp.file().set_times(properties.times())?;
    temp.persist_new(to.name())
}

/// Gives a file a new name, and then removes the document of the old name: at each moment both
/// names have their own content. An existing new name is an error.
fn persist_renamed(
    temp: Temp,
    at: &Location,
    new: &OsStr,
    metadata: &Metadata,
    is_durable: bool,
) -> io::Result<()> {
    let sync = || if is_durable { at.sync() } else { Ok(()) };
    temp.persist_new(new)?;
    let removed = sync()
        // Its program may have changed it, or its name.
        .and_then(|()| check_same(at, metadata))
        .and_then(|_| at.remove());
    if let Err(error) = removed {
        drop(at.sibling(new).remove());
        return Err(error);
    }
    sync()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::os::dirs::beside;

    /// What others do after a document was read, and before it is replaced.
    #[test]
    fn a_document_that_others_change_before_it_is_replaced_stays() {
        let change = |what: usize, path: &Path| match what {
            0 => fs::write(path, "other").unwrap(),
            1 => fs::hard_link(path, path.with_extension("link")).unwrap(),
            2 => fs::remove_file(path).unwrap(),
            _ => fs::rename(path.parent().unwrap(), path.parent().unwrap().with_extension("x"))
                .unwrap(),
        };
        for what in 0..4 {
            let temp = tempfile::tempdir().unwrap();
            let path = temp.path().canonicalize().unwrap().join("d/a.html");
            fs::create_dir(path.parent().unwrap()).unwrap();
            fs::write(&path, "old").unwrap();
            let at = beside(&path).unwrap();
            let (file, metadata) = at.open().unwrap();
            let mut stream =
                StreamedFile::over(&at, Some(Properties::with_list(metadata)), false).unwrap();
            stream.write(b"new").unwrap();
            change(what, &path);
            stream.replace(Some(&file), &Replacing::default(), None).unwrap_err();
            let entries = at.directory().entries().unwrap();
            let is_temporary = |name: &OsStr| name.to_string_lossy().starts_with(".relink-");
            assert!(!entries.iter().any(|(name, _)| is_temporary(name)), "{what}");
            assert!(at.open().is_err() == (what == 2), "{what}");
        }
    }
}
