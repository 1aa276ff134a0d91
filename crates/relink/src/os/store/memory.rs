//! Files in memory as a store: for a page in a browser, and for tests.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Cursor};
use std::ops::Bound;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::{EntryKind, FoundEntries, FoundEntry, IsLeftOut, OpenFile, Store};

/// Files by their paths; what is above a file is a directory.
#[derive(Debug, Default)]
pub struct Memory {
    files: BTreeMap<PathBuf, Arc<[u8]>>,
}

impl<P: AsRef<Path>, B: AsRef<[u8]>> FromIterator<(P, B)> for Memory {
    fn from_iter<I: IntoIterator<Item = (P, B)>>(files: I) -> Self {
        let file = |(path, bytes): (P, B)| (path.as_ref().to_owned(), bytes.as_ref().into());
        Memory { files: files.into_iter().map(file).collect() }
    }
}

impl Memory {
    /// Returns the files at a path and below, as paths below it.
    fn below(&self, path: &Path) -> impl Iterator<Item = &Path> {
        let files = self.files.range::<Path, _>((Bound::Included(path), Bound::Unbounded));
        files.map_while(move |(file, _)| file.strip_prefix(path).ok())
    }

    fn add_walked(&self, entry: FoundEntry, is_left_out: IsLeftOut, found: &mut Vec<FoundEntry>) {
        let (path, kind, depth) = entry;
        if is_left_out(self, &path, kind, depth) {
            return;
        }
        found.push((path.clone(), kind, depth));
        for (name, kind) in self.names(&path).into_iter().flatten() {
            self.add_walked((path.join(name), kind, depth + 1), is_left_out, found);
        }
    }
}

impl Store for Memory {
    fn kind(&self, path: &Path) -> io::Result<EntryKind> {
        match self.below(path).next() {
            Some(rest) if rest.as_os_str().is_empty() => Ok(EntryKind::File),
            Some(_) => Ok(EntryKind::Directory),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn target(&self, path: &Path) -> io::Result<(EntryKind, u64)> {
        let length = self.files.get(path).map_or(0, |bytes| bytes.len() as u64);
        Ok((self.kind(path)?, length))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.kind(path).map(|_| path.to_owned())
    }

    fn names(&self, directory: &Path) -> io::Result<Vec<(OsString, EntryKind)>> {
        if self.kind(directory)? != EntryKind::Directory {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let entry = |below: &Path| {
            let mut names = below.components().map(Component::as_os_str);
            let first = names.next()?.to_owned();
            let kind = names.next().map_or(EntryKind::File, |_| EntryKind::Directory);
            Some((first, kind))
        };
        let mut names: Vec<_> = self.below(directory).filter_map(entry).collect();
        names.dedup();
        Ok(names)
    }

    fn walk<'s>(&'s self, top: &Path, is_left_out: IsLeftOut) -> FoundEntries<'s> {
        let mut found = Vec::new();
        match self.kind(top) {
            Ok(kind) => self.add_walked((top.to_owned(), kind, 0), is_left_out, &mut found),
            Err(error) => return Box::new(std::iter::once(Err((top.to_owned(), error)))),
        }
        Box::new(found.into_iter().map(Ok))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn OpenFile>> {
        let bytes = self.files.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(Cursor::new(Arc::clone(bytes))))
    }

    fn open_target(&self, path: &Path) -> io::Result<Box<dyn OpenFile>> {
        self.open(path)
    }
}
