//! Header sections in files next to the documents that they were sent with: `page.html.headers` or
//! `page.html.hdr` next to `page.html`.
//!
//! Such a file declares the base of the document as the header section of a response does, and is a
//! document itself, whose URL is that of the other. Invariant: a header section is read before any
//! worker may have rewritten it; if no file has such a name, only the names in a directory are
//! read, once.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use basectx::Context;
use basectx::message::http::{is_header_file, responses};
use basectx::message::{Around, Contexts, Profile};
use rewrite::{Http, Media};

use crate::os::store::FileAt;

/// The extensions after the name of the document. The first that exists counts.
const EXTENSIONS: [&str; 2] = ["headers", "hdr"];

/// The maximum length of such a file.
const LONGEST: u64 = 1 << 20;

/// A file with a header section, as it was when its document was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sidecar {
    name: String,
    bytes: Vec<u8>,
}

/// The files with header sections in the directories that were examined, by the path of the
/// document.
#[derive(Debug, Default)]
pub struct Sidecars {
    directories: RefCell<HashMap<PathBuf, HashMap<OsString, &'static str>>>,
}

impl Sidecars {
    /// Returns the extension of the file with the header fields of another, if it has one.
    fn extension_of(
        &self,
        name: &OsStr,
        location: &dyn FileAt,
    ) -> io::Result<Option<&'static str>> {
        let directory = location.directory();
        if let Some(found) = self.directories.borrow().get(directory) {
            return Ok(found.get(name).copied());
        }
        let found = names(location)?;
        let extension = found.get(name).copied();
        self.directories.borrow_mut().insert(directory.to_owned(), found);
        Ok(extension)
    }

    /// Returns true if a file has the name of the header section of another.
    ///
    /// # Errors
    ///
    /// Those of the system, if it cannot be determined.
    pub fn is_one(&self, location: &dyn FileAt) -> io::Result<bool> {
        let name = Path::new(location.name());
        let (Some(extension), Some(page)) = (extension(name), name.file_stem()) else {
            return Ok(false);
        };
        Ok(self.extension_of(page, location)? == Some(extension))
    }

    /// Returns the header section of a file.
    ///
    /// # Errors
    ///
    /// The path of the file that cannot be read, and the reason.
    pub fn find(
        &self,
        location: &dyn FileAt,
    ) -> Result<Option<Arc<Sidecar>>, (PathBuf, io::Error)> {
        let extension = self.extension_of(location.name(), location);
        let extension = extension.map_err(|error| (location.path().to_owned(), error))?;
        let Some(extension) = extension else { return Ok(None) };
        let mut name = location.name().to_owned();
        name.push(".");
        name.push(extension);
        let sidecar = location.sibling(&name);
        let mut bytes = Vec::new();
        let read = sidecar.open().and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes));
        if let Err(error) = read {
            return Err((sidecar.path().to_owned(), error));
        }
        let name = name.to_string_lossy().into_owned();
        Ok(is_one(&bytes).then(|| Arc::new(Sidecar { name, bytes })))
    }
}

/// Returns true if a file with such a name contains a header section.
pub fn is_one(bytes: &[u8]) -> bool {
    bytes.len() as u64 <= LONGEST && is_header_file(bytes)
}

/// Returns the path of the subject of a document: for a header section, the other file.
pub fn subject(path: &Path, media: Media) -> PathBuf {
    match media {
        Media::Http(Http::Headings) => page_of(path),
        _ => path.to_owned(),
    }
}

/// Returns true if a file has the name of a header section.
pub fn has_name(path: &Path) -> bool {
    extension(path).is_some()
}

/// Returns the file to which the header section at this path belongs.
pub fn page_of(path: &Path) -> PathBuf {
    path.with_extension("")
}

fn extension(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?;
    EXTENSIONS.into_iter().find(|known| extension == OsStr::new(known))
}

/// Returns the files in the directory of another one that have header sections next to them, and
/// the extensions of those. Links are not followed. A directory without read permission has none;
/// but if reading is permitted and fails, it is an error, because without the header sections a
/// base would be wrong.
fn names(location: &dyn FileAt) -> io::Result<HashMap<OsString, &'static str>> {
    let entries = match location.neighbours() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return Ok(HashMap::new());
        }
        entries => entries?,
    };
    let files = entries.into_iter().filter(|(_, is_file)| *is_file);
    let names: Vec<OsString> = files.map(|(name, _)| name).collect();
    let mut found = HashMap::new();
    for name in &names {
        let path = Path::new(name);
        if let (Some(extension), Some(stem)) = (extension(path), path.file_stem()) {
            let best = found.entry(stem.to_owned()).or_insert(extension);
            if extension == EXTENSIONS[0] {
                *best = extension;
            }
        }
    }
    if !found.is_empty() {
        let names: HashSet<&OsString> = names.iter().collect();
        found.retain(|stem, _| names.contains(stem));
    }
    Ok(found)
}

impl Sidecar {
    /// Calls `act` with the context that the last header section opens inside another.
    pub fn within<T>(
        &self,
        around: &Context<'_>,
        profile: Profile,
        act: impl FnOnce(&Context<'_>) -> T,
    ) -> T {
        let Some(last) = responses(&self.bytes).pop() else { return act(around) };
        let contexts = Contexts::new(&last.message, profile.of_http());
        let around_message = Around { context: around, part: "", raw: &|span| span };
        // Defects are reported for the file itself.
        drop(contexts.fill(&last.message, &self.bytes, around_message));
        match contexts.get(0) {
            Some(context) => act(&context.clone().in_part(self.name.clone()).elsewhere()),
            None => act(around),
        }
    }
}
