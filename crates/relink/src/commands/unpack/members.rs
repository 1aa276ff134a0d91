//! Zip files and packages: their members become files with the same bytes, at their names. Links
//! between them are relative already.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rewrite::{Limit, Limits};

use super::UnpackSummary;
use super::out::Out;
use crate::archives::unpack::names::numbered;
use crate::events::Events;
use crate::files::container::{Container, ContainerForm, MemberPlace, PackageBase, Zip};
use crate::files::own_files;
use crate::files::walk::Entry;
use crate::os::failure::Failure;
use crate::os::portable::NamesOfPath;
use crate::plan::Unpack;
use crate::tree::Counter;

/// Why files of Office are not unpacked.
const OFFICE: &str = "cannot unpack; references in Office files resolve at the file itself, and would lead elsewhere from its parts";

/// A zip file of a run, and the files that its members become.
#[derive(Debug)]
pub(super) struct MemberArchive {
    pub(super) entry: Entry,
    /// The directory of the files in the output; empty if that is the output itself.
    directory: PathBuf,
    /// The members by the paths of their files below it.
    members: BTreeMap<PathBuf, MemberPlace>,
}

impl Unpack {
    /// Returns the files that the members of a zip file become, and the errors of others. One that
    /// cannot be read has none.
    pub(super) fn member_archive(
        &self,
        entry: Entry,
        form: ContainerForm,
    ) -> (MemberArchive, Vec<Failure>) {
        let (members, failures) = match self.members(&entry, form) {
            Ok(found) => found,
            Err(failure) => (BTreeMap::new(), vec![failure]),
        };
        (MemberArchive { entry, directory: PathBuf::new(), members }, failures)
    }

    /// Gives each zip file a directory of its own, if there are several PATHs. `others` are the
    /// paths of all other files of the output.
    pub(super) fn name_directories<'p>(
        &self,
        zips: &mut [MemberArchive],
        others: impl Iterator<Item = Cow<'p, Path>>,
    ) {
        if self.tree.roots.len() < 2 || zips.is_empty() {
            return;
        }
        let folded = |path: &Path| path.to_string_lossy().to_lowercase();
        let top =
            |path: Cow<'_, Path>| Some(folded(Path::new(path.components().next()?.as_os_str())));
        let mut taken: HashSet<String> = others.filter_map(top).collect();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        for zip in zips {
            let name = self.tree.roots[zip.entry.root].name();
            let number = numbers.entry(folded(&name)).or_insert(1);
            zip.directory = name.clone();
            while !taken.insert(folded(&zip.directory)) {
                *number += 1;
                zip.directory = numbered(&name.to_string_lossy(), *number).into();
            }
        }
    }

    fn members(
        &self,
        entry: &Entry,
        form: ContainerForm,
    ) -> Result<(BTreeMap<PathBuf, MemberPlace>, Vec<Failure>), Failure> {
        let failed = Failure::reading(&entry.path);
        if form == ContainerForm::Package(PackageBase::File) {
            return Err(Failure::because(&entry.path, OFFICE));
        }
        let mut file = self.tree.file_at(entry)?.open().map_err(&failed)?;
        let found = Zip.members(&mut *file, &self.tree.options.limits);
        let found = found
            .map_err(|error| Failure::because(&entry.path, format!("cannot unpack; {error}")))?;
        let (mut members, mut failures) = (BTreeMap::new(), Vec::new());
        let skipped = |place: &MemberPlace, reason: &str| {
            Failure::because(&shown(entry, place), format!("skipped; {reason}"))
        };
        for place in found.into_iter().filter(|place| !place.name.ends_with('/')) {
            match is_plain(&place.name) {
                true => drop(members.insert(PathBuf::from(&place.name), place)),
                false => failures.push(skipped(&place, "its name is no plain path")),
            }
        }
        for (path, reason) in faults(members.keys().map(|path| &**path)) {
            failures.extend(members.remove(&path).map(|place| skipped(&place, &reason)));
        }
        Ok((members, failures))
    }
}

/// Returns the path of a member for messages.
fn shown(entry: &Entry, place: &MemberPlace) -> PathBuf {
    let mut path = entry.path.clone();
    path.as_mut_os_string().push(format!("!{}", place.name));
    path
}

/// Returns true if a name is a path below its directory, in one spelling, on every system.
fn is_plain(name: &str) -> bool {
    let is_plain = |name: &str| !matches!(name, "" | "." | "..") && !name.contains(['\\', ':']);
    name.split('/').all(is_plain)
}

/// Returns those of the paths that would not be a file each on every system, with the reason.
fn faults<'m>(paths: impl Iterator<Item = &'m Path> + Clone) -> Vec<(PathBuf, String)> {
    let ancestors = |path: &'m Path| path.ancestors().filter(|path| !path.as_os_str().is_empty());
    let all: BTreeSet<&Path> = paths.clone().flat_map(ancestors).collect();
    let directories: HashSet<&Path> =
        paths.clone().flat_map(|path| ancestors(path).skip(1)).collect();
    let mut names = NamesOfPath::default();
    let bad: HashMap<&Path, String> =
        all.into_iter().filter_map(|path| Some((path, names.fault(path)?))).collect();
    let reason = |path: &'m Path| match path.file_name() {
        Some(name) if own_files::has_name(name) => {
            Some("its name is that of a file of relink".to_owned())
        }
        _ if directories.contains(path) => Some("its name is that of a directory, too".to_owned()),
        _ => ancestors(path).find_map(|path| bad.get(path).cloned()),
    };
    paths.filter_map(|path| Some((path.to_owned(), reason(path)?))).collect()
}

impl MemberArchive {
    /// Returns the paths of the files.
    pub(super) fn paths(&self) -> impl Iterator<Item = PathBuf> + Clone {
        self.members.keys().map(|path| self.directory.join(path))
    }

    /// Writes the files.
    pub(super) fn write(
        &self,
        run: &Unpack,
        out: &Out<'_>,
        summary: &mut UnpackSummary,
        events: &mut dyn Events,
    ) {
        let mut counter = Counter::with_total(self.members.len());
        let mut file = run.tree.locate(&self.entry).and_then(|location| {
            let opened = location.open().map_err(Failure::reading(&self.entry.path))?;
            Ok(opened.0)
        });
        for (path, place) in &self.members {
            if run.interrupt.is_set() {
                break;
            }
            let file = match &mut file {
                Ok(file) => file,
                Err(failure) => {
                    summary.n_failed += 1;
                    events.error(&failure.to_string());
                    break;
                }
            };
            let text = read(&self.entry, file, place, &run.tree.options.limits);
            let path = self.directory.join(path);
            let written = text.and_then(|text| out.write(&path, &text, None));
            summary.count(written, events);
            summary.n_members += 1;
            counter.add_file(&path, events);
        }
        summary.signal = run.interrupt.signal();
    }
}

/// Returns the text of a member.
fn read(
    entry: &Entry,
    file: &mut File,
    place: &MemberPlace,
    limits: &Limits,
) -> Result<Vec<u8>, Failure> {
    let shown = shown(entry, place);
    let len = usize::try_from(place.range.end - place.range.start).unwrap_or(usize::MAX);
    if len > limits.get(Limit::DocumentSize) {
        let met = limits.met(Limit::DocumentSize);
        return Err(Failure::because(&shown, format!("skipped; {met}")));
    }
    let mut bytes = Vec::new();
    let mut read = || -> io::Result<usize> {
        bytes.try_reserve_exact(len)?;
        file.seek(SeekFrom::Start(place.range.start))?;
        file.by_ref().take(len as u64).read_to_end(&mut bytes)
    };
    read().map_err(Failure::reading(&shown))?;
    let text = Zip.content_of_member(place, bytes, limits);
    text.map_err(|reason| Failure::because(&shown, format!("skipped; {reason}")))
}
