//! Headings that lie beside what they were sent with: `page.html.headers` or `page.html.hdr` beside
//! `page.html`.
//!
//! Such a file tells the base of the other as the heading of a response does, and is a document
//! itself, whose URL is that of the other. Invariant: a heading is read before any worker may have
//! written it anew; where no file is named so, nothing but the names in a folder is read, once.

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

use crate::dirs::{Directory, Location};

/// What follows the name of the other file. The first that is there counts.
const EXTENSIONS: [&str; 2] = ["headers", "hdr"];

/// Longer files are no headings.
const LONGEST: u64 = 1 << 20;

/// A file of headings, as it was when the other was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sidecar {
    name: String,
    bytes: Vec<u8>,
}

/// The files of headings in the folders that have been asked for: by the path of the other file.
#[derive(Debug, Default)]
pub struct Sidecars {
    folders: RefCell<HashMap<PathBuf, HashMap<OsString, &'static str>>>,
}

impl Sidecars {
    /// Returns the extension of the file with the header fields of another, if it has one.
    fn extension_of(&self, name: &OsStr, location: &Location) -> io::Result<Option<&'static str>> {
        let folder = location.directory().path();
        if let Some(found) = self.folders.borrow().get(folder) {
            return Ok(found.get(name).copied());
        }
        let found = names(location.directory())?;
        let extension = found.get(name).copied();
        self.folders.borrow_mut().insert(folder.to_owned(), found);
        Ok(extension)
    }

    /// Returns true if a file is named as the headings of another.
    ///
    /// # Errors
    ///
    /// Those of the system, if it cannot be known.
    pub fn is_one(&self, location: &Location) -> io::Result<bool> {
        let name = Path::new(location.name());
        let (Some(extension), Some(page)) = (extension(name), name.file_stem()) else {
            return Ok(false);
        };
        Ok(self.extension_of(page, location)? == Some(extension))
    }

    /// The headings of a file.
    ///
    /// # Errors
    ///
    /// The path of what cannot be read, and why.
    pub fn of(&self, location: &Location) -> Result<Option<Arc<Sidecar>>, (PathBuf, io::Error)> {
        let extension = self.extension_of(location.name(), location);
        let extension = extension.map_err(|error| (location.path().to_owned(), error))?;
        let Some(extension) = extension else { return Ok(None) };
        let mut name = location.name().to_owned();
        name.push(".");
        name.push(extension);
        let sidecar = location.sibling(&name);
        let mut bytes = Vec::new();
        let read =
            sidecar.open().and_then(|(file, _)| file.take(LONGEST + 1).read_to_end(&mut bytes));
        if let Err(error) = read {
            return Err((sidecar.path().to_owned(), error));
        }
        let name = name.to_string_lossy().into_owned();
        Ok(is_one(&bytes).then(|| Arc::new(Sidecar { name, bytes })))
    }
}

/// Returns true if a file that is named so is one of headings.
pub fn is_one(bytes: &[u8]) -> bool {
    bytes.len() as u64 <= LONGEST && is_header_file(bytes)
}

/// The path of what a document is about: of headings the other file.
pub fn subject(path: &Path, media: Media) -> PathBuf {
    match media {
        Media::Http(Http::Headings) => page_of(path),
        _ => path.to_owned(),
    }
}

/// The file that headings at this path lie beside.
pub fn page_of(path: &Path) -> PathBuf {
    path.with_extension("")
}

fn extension(path: &Path) -> Option<&'static str> {
    let extension = path.extension()?;
    EXTENSIONS.into_iter().find(|known| extension == OsStr::new(known))
}

/// The files of a folder that have headings beside them, and the extensions of those. Links are not
/// followed. A folder that nobody may look into tells of none; but one that cannot be read though
/// that is allowed may hold headings, and without them a base would be wrong.
fn names(directory: &Directory) -> io::Result<HashMap<OsString, &'static str>> {
    let entries = match directory.entries() {
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
    /// Calls `act` with the context that the last of the headings opens inside another.
    pub fn within<T>(
        &self,
        around: &Context<'_>,
        profile: Profile,
        act: impl FnOnce(&Context<'_>) -> T,
    ) -> T {
        let Some(last) = responses(&self.bytes).pop() else { return act(around) };
        let contexts = Contexts::new(&last.message, profile.of_http());
        let around_message = Around { context: around, part: "", raw: &|span| span };
        // What is wrong is told of the file itself.
        drop(contexts.fill(&last.message, &self.bytes, around_message));
        match contexts.get(0) {
            Some(context) => act(&context.clone().in_part(self.name.clone()).elsewhere()),
            None => act(around),
        }
    }
}
