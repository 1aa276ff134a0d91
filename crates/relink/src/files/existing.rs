//! The existing files: the names of everything in the tree, read once.

use std::collections::{HashMap, HashSet};
use std::io::SeekFrom;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewrite::{Limit, Limits};

use crate::files::container::{ContainerId, MemberPlace, Source};
use crate::files::walk::{self, EntryKind};
use crate::os::paths;
use crate::os::paths::Root;
use crate::os::store::range::FileRange;
use crate::os::store::{OpenFile, SharedStore};

/// The names of one PATH. For a single file, they are those in the directory that contains it, and
/// for a list those in its directory, looked up only when needed.
#[derive(Debug, Default)]
struct Names {
    files: HashSet<Box<[u8]>>,
    directories: HashSet<Box<[u8]>>,
    /// Links to directories: their contents are looked up when needed.
    linked: Vec<(Box<[u8]>, PathBuf)>,
    /// The directory of a single file, or one of which not everything could be listed.
    around: Option<PathBuf>,
    /// The name of the single file that the PATH is.
    single: Option<Box<[u8]>>,
    /// Names without letter case, and the original names.
    folded: HashMap<Vec<u8>, Vec<Box<[u8]>>>,
    /// The members of containers, each with the length of the path of the file.
    members: HashMap<Box<[u8]>, (usize, Arc<Member>)>,
    /// What they are read from, and the directory there.
    store: Option<(SharedStore, PathBuf)>,
}

/// A member of a container.
#[derive(Debug)]
pub struct Member {
    /// Its name below that of the file; in a container that is a member, below the name of that.
    name: String,
    container: ContainerId,
    place: MemberPlace,
    /// The member that its container is, if that is one.
    outer: Option<Arc<Member>>,
}

impl Member {
    /// Returns its content, if it can be read in this file.
    fn read(&self, file: &mut dyn OpenFile, limits: &Limits) -> Option<Vec<u8>> {
        match &self.outer {
            Some(outer) => self.read_in(&mut *outer.open(file, limits)?, limits),
            None => self.read_in(file, limits),
        }
    }

    /// Returns it as a file, if it can be read in this file.
    fn open(&self, file: &mut dyn OpenFile, limits: &Limits) -> Option<Box<dyn OpenFile>> {
        match &self.outer {
            Some(outer) => self.open_in(&*outer.open(file, limits)?, &mut { *limits }),
            None => self.open_in(file, &mut { *limits }),
        }
    }

    fn open_in(&self, container: &dyn OpenFile, limits: &mut Limits) -> Option<Box<dyn OpenFile>> {
        let range = FileRange::new(container, self.place.range.clone()).ok()?;
        let (range, fact) = (Source::File(Box::new(range)), Some(self.place.fact));
        self.container.get().open(range, fact, limits).ok()?.into_file(limits).ok()
    }

    fn read_in(&self, container: &mut dyn OpenFile, limits: &Limits) -> Option<Vec<u8>> {
        let range = &self.place.range;
        let len = usize::try_from(range.end - range.start).ok()?;
        if len > limits.get(Limit::DocumentSize) {
            return None;
        }
        let mut bytes = vec![0; len];
        container.seek(SeekFrom::Start(range.start)).ok()?;
        container.read_exact(&mut bytes).ok()?;
        self.container.get().content_of_member(&self.place, bytes, limits).ok()
    }
}

/// What is necessary to find the members of containers.
pub struct MembersOf<'m> {
    /// The limits of the run; those that are sums over all containers of a file are lowered.
    pub limits: Limits,
    /// Returns the container that a member with this name is, if it is read.
    pub container_of: &'m dyn Fn(&str) -> Option<ContainerId>,
}

impl MembersOf<'_> {
    /// Returns the members of a container, and of those in it.
    pub fn find(mut self, container: ContainerId, file: &mut dyn OpenFile) -> Vec<Arc<Member>> {
        let mut found = Vec::new();
        let depth = self.limits.get(Limit::ArchiveDepth);
        self.add(container, file, None, depth, &mut found);
        found
    }

    /// Adds them. The depth, which has a limit, is that of recursion.
    fn add(
        &mut self,
        container: ContainerId,
        file: &mut dyn OpenFile,
        outer: Option<&Arc<Member>>,
        depth: usize,
        found: &mut Vec<Arc<Member>>,
    ) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let places = container.get().members(file, &self.limits).unwrap_or_default();
        let left = self.limits.get(Limit::ArchiveMembers).saturating_sub(places.len());
        self.limits.lower(Limit::ArchiveMembers, left);
        for place in places {
            let above = outer.map_or(String::new(), |outer| format!("{}/", outer.name));
            let name = above + &place.name;
            let member = Member { name, container, place, outer: outer.cloned() };
            let member = Arc::new(member);
            found.push(Arc::clone(&member));
            if let Some(inner) = (self.container_of)(&member.place.name).filter(|_| depth > 0)
                && let Some(mut file) = member.open_in(file, &mut self.limits)
            {
                self.add(inner, &mut *file, Some(&member), depth, found);
            }
        }
    }
}

/// The names of all files and directories of a run, by the index of their PATH and their path below
/// it.
#[derive(Debug, Default)]
pub struct Files {
    names: Vec<Names>,
}

impl Files {
    /// Reads the names. Errors are reported when the tree is walked. With `folds_case`, names can
    /// also be found in other letter case.
    pub fn read(roots: &[Root], folds_case: bool) -> Self {
        Files { names: roots.iter().map(|root| Names::read(root, folds_case)).collect() }
    }

    /// Adds the members of containers, below the names of their files. `is_one` returns true for
    /// the names of containers, `members_of` the members of one.
    pub fn add_members(
        &mut self,
        is_one: impl Fn(&[u8]) -> bool,
        members_of: impl Fn(&Path, &SharedStore) -> Vec<Arc<Member>>,
    ) {
        for names in &mut self.names {
            let Some((store, directory)) = &names.store else { continue };
            let files = names.files.iter().chain(&names.single);
            let files: Vec<Box<[u8]>> = files.filter(|file| is_one(file)).cloned().collect();
            for file in files {
                let path = paths::from_bytes(&file).map(|path| directory.join(path));
                let found = path.map(|path| members_of(&path, store));
                for member in found.into_iter().flatten() {
                    let name = &member.name;
                    let below = [&*file, b"/", name.as_bytes()].concat();
                    let ends = name.match_indices('/').map(|(at, _)| file.len() + 1 + at);
                    names.directories.extend(ends.map(|end| Box::from(&below[..end])));
                    if !below.ends_with(b"/") {
                        let below: Box<[u8]> = below.into();
                        names.files.insert(below.clone());
                        names.members.insert(below, (file.len(), member));
                    }
                }
            }
        }
    }

    /// Returns the content of a member of a container, if it can be read.
    pub fn member(&self, root: usize, below: &[u8], limits: &Limits) -> Option<Vec<u8>> {
        let (n_file, member) = self.names[root].members.get(below)?;
        member.read(&mut *self.open(root, &below[..*n_file])?, limits)
    }

    /// Returns true if there is a file with this name, or a link to one.
    pub fn has_file(&self, root: usize, below: &[u8]) -> bool {
        let names = &self.names[root];
        names.files.contains(below) || names.leads_to(below, EntryKind::File)
    }

    /// Returns true if there is a directory with this name, with or without a slash at its end.
    pub fn has_directory(&self, root: usize, below: &[u8]) -> bool {
        let below = below.strip_suffix(b"/").unwrap_or(below);
        let names = &self.names[root];
        below.is_empty()
            || names.directories.contains(below)
            || names.leads_to(below, EntryKind::Directory)
    }

    /// Returns a file or directory whose name differs in letter case.
    pub fn in_other_case(&self, root: usize, below: &[u8]) -> Option<&[u8]> {
        let below = below.strip_suffix(b"/").unwrap_or(below);
        let first = self.names[root].folded.get(&folded(below))?.first()?;
        Some(&**first).filter(|name| *name != below)
    }

    /// Returns all files whose names differ in letter case.
    pub fn all_in_other_case(&self, root: usize, below: &[u8]) -> Vec<&[u8]> {
        let names = self.names[root].folded.get(&folded(below)).into_iter().flatten();
        names
            .map(|name| &**name)
            .filter(|name| *name != below && self.has_file(root, name))
            .collect()
    }

    /// Opens a file for reading, if it can be. A link is not followed.
    pub fn open(&self, root: usize, below: &[u8]) -> Option<Box<dyn OpenFile>> {
        let (store, path) = self.names[root].path_of(below)?;
        store.open(&path).ok()
    }

    /// Returns the length of a file, in bytes.
    pub fn length(&self, root: usize, below: &[u8]) -> Option<u64> {
        let (store, path) = self.names[root].path_of(below)?;
        store.target(&path).ok().map(|(_, length)| length)
    }

    /// Returns the files of a PATH, by name.
    pub fn sorted(&self, root: usize) -> Vec<&[u8]> {
        let mut files: Vec<&[u8]> = self.names[root].files.iter().map(|name| &**name).collect();
        files.sort_unstable();
        files
    }
}

impl Names {
    fn read(root: &Root, folds_case: bool) -> Self {
        let mut names = Names::default();
        let Root::Path { typed: path, store, .. } = root else { return names };
        let directory = root.directory().unwrap_or_default();
        names.store = Some((store.clone(), directory.clone()));
        if !store.is_directory(path) || root.files().is_some() {
            names.around = Some(directory);
            let name = path.file_name().map(|name| Box::from(name.as_encoded_bytes()));
            names.single = name.filter(|_| root.files().is_none());
            return names;
        }
        for entry in walk::entries(std::slice::from_ref(root)) {
            let Ok(entry) = entry else {
                // What is in a directory that cannot be listed is looked up when needed.
                names.around = Some(directory.clone());
                continue;
            };
            let name: Box<[u8]> = paths::bytes(&entry.below).into();
            if folds_case {
                names.folded.entry(folded(&name)).or_default().push(name.clone());
            }
            let is_directory = match entry.kind {
                EntryKind::Link => match store.target(&entry.path) {
                    Ok((kind, _)) => kind == EntryKind::Directory,
                    // Its target does not exist.
                    Err(_) => continue,
                },
                kind => kind == EntryKind::Directory,
            };
            if is_directory && entry.kind == EntryKind::Link {
                names.linked.push((name.clone(), entry.path));
            }
            if is_directory { &mut names.directories } else { &mut names.files }.insert(name);
        }
        names
    }

    /// Returns the path of a file, and what it is read from.
    fn path_of(&self, below: &[u8]) -> Option<(&SharedStore, PathBuf)> {
        let (store, directory) = self.store.as_ref()?;
        Some((store, directory.join(paths::from_bytes(below)?)))
    }

    /// Returns true if a path that was not listed leads to an entry of this kind.
    fn leads_to(&self, below: &[u8], kind: EntryKind) -> bool {
        self.through_link(below).zip(self.store.as_ref()).is_some_and(|(path, (store, _))| {
            store.target(&path).is_ok_and(|(found, _)| found == kind)
        })
    }

    /// Returns the path of a file inside a linked directory, next to a single file, or of one that
    /// was not listed.
    fn through_link(&self, below: &[u8]) -> Option<PathBuf> {
        if let Some(directory) = &self.around {
            return Some(directory.join(paths::from_bytes(below)?));
        }
        self.linked.iter().find_map(|(name, directory)| {
            let rest = below.strip_prefix(&**name)?.strip_prefix(b"/")?;
            Some(directory.join(paths::from_bytes(rest)?))
        })
    }
}

fn folded(name: &[u8]) -> Vec<u8> {
    std::str::from_utf8(name)
        .map_or_else(|_| name.to_ascii_lowercase(), |name| name.to_lowercase().into_bytes())
}
