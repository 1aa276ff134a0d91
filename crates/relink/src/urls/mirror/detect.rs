//! Recognizes mirrors whose top directories are hosts, for `--layout auto`.
//!
//! Invariant: the answer is the same before and after a conversion of the tree. References that
//! lead from one host to another count in both readings, and notes of mirroring programs stay. A
//! mirror of one host that only links name, and no metadata, is not recognized again after these
//! links are relative.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;

use basectx::Context;
use rewrite::{Media, Options, Site, Unit, references, unarchived};
use urlcore::escape::encode_path_segment;
use urlcore::{Dialect, Resolver, clean};

use crate::files::existing::Files;
use crate::files::media::{self, FileType, Types};
use crate::os::paths;
use crate::os::paths::Root;
use crate::os::store::EntryKind;
use crate::urls::hints::in_wayback;
use crate::urls::layout::{self, Layout, without_scheme};
use crate::urls::origins;
use crate::urls::twins::host_of as host_of_twins;

/// The number of references from one host to another that make a tree a mirror.
const ENOUGH: usize = 2;

/// The number of documents in which references to a web archive are counted.
const SAMPLE: usize = 100;

/// The length of the longest document that is read, in bytes.
const LONGEST: u64 = 16 << 20;

/// The files that HTTrack leaves next to the directories of the hosts.
const HTTRACK: [&[u8]; 2] = [b"hts-cache/new.txt", b"hts-log.txt"];

/// What the names and documents of a tree say about its layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detected {
    /// A mirror with this layout, and the reason.
    Mirror(Layout, &'static str),
    /// The names of the directories could be hosts, and nothing else says so.
    HostNames,
    /// No mirror of hosts.
    Other,
}

/// The top directories of a PATH whose names are hosts: the URL of each host.
type Hosts = BTreeMap<Vec<u8>, String>;

/// Looks for a mirror. With `has_no_hints`, notes of mirroring programs do not count.
pub fn detect(roots: &[Root], types: &Types, options: &Options, has_no_hints: bool) -> Detected {
    let hosts: Vec<Hosts> = roots.iter().map(hosts).collect();
    if hosts.iter().any(Hosts::is_empty) {
        return Detected::Other;
    }
    let files = Files::read(roots, false);
    if !has_only_hosts(&hosts, &files, types) {
        return Detected::Other;
    }
    let is_noted = |root| HTTRACK.iter().any(|name| files.has_file(root, name));
    if !has_no_hints && (0..roots.len()).any(is_noted) {
        return Detected::Mirror(Layout::Httrack, "HTTrack has left its notes in it");
    }
    let authorities = hosts.iter().flat_map(Hosts::values).filter_map(|url| authority(url));
    let authorities: HashSet<String> = authorities.collect();
    let names = hosts.iter().flat_map(Hosts::values).filter_map(|url| host_of_twins(url)).collect();
    let search = HostSearch { files: &files, options, authorities, names };
    let is_single = hosts.iter().map(Hosts::len).sum::<usize>() == 1;
    let (mut sum, mut n_read) = (HostCounts::default(), 0);
    for (root, hosts) in hosts.iter().enumerate() {
        for below in files.sorted(root) {
            let Some((top, host)) = host_of(hosts, below) else { continue };
            let Some(path) = paths::from_bytes(below) else { continue };
            let FileType::Document(media) = types.of_path(&path) else { continue };
            let own = Own { hosts, root, below, top, url: url(host, below, top) };
            let open = || files.open(root, below);
            let noted = || origins::noted(open, media == Media::HTML, &own.url);
            if let Some((layout, reason)) = (!has_no_hints).then(noted).flatten() {
                return Detected::Mirror(layout, reason);
            }
            let Some(bytes) = read(&files, root, below) else { continue };
            if !has_no_hints && search.is_of_wayback(&bytes) {
                return Detected::Mirror(
                    Layout::Wayback,
                    "pages have the script of the Wayback Machine",
                );
            }
            search.count(&bytes, media, &own, &mut sum);
            n_read += 1;
            let is_clear = sum.n_crossing >= ENOUGH || (is_single && sum.n_absolute > 0);
            if is_clear && (sum.n_archived == 0 || n_read >= SAMPLE) {
                return sum.finding();
            }
        }
    }
    sum.finding()
}

/// The numbers of references that say something about the layout of a tree.
#[derive(Clone, Copy, Debug, Default)]
struct HostCounts {
    /// From one host to another.
    n_crossing: usize,
    /// To captures of the hosts in the Wayback Machine.
    n_archived: usize,
    /// To URLs of the hosts with a scheme.
    n_absolute: usize,
}

impl HostCounts {
    fn finding(self) -> Detected {
        // A site may refer to captures of its own old pages.
        if self.n_archived >= ENOUGH && self.n_archived > self.n_absolute {
            let reason = "references lead to captures of its pages in the Wayback Machine";
            return Detected::Mirror(Layout::Wayback, reason);
        }
        match (self.n_crossing, self.n_absolute) {
            (ENOUGH.., _) => Detected::Mirror(Layout::Wget, "references lead from one to another"),
            (_, 1..) => Detected::Mirror(Layout::Wget, "references name its host"),
            _ => Detected::HostNames,
        }
    }
}

/// Returns true if each document of a tree is in a directory whose name is a host, or directly in
/// the PATH.
pub fn is_of_hosts(roots: &[Root], types: &Types) -> bool {
    let hosts: Vec<Hosts> = roots.iter().map(hosts).collect();
    !hosts.iter().any(Hosts::is_empty) && has_only_hosts(&hosts, &Files::read(roots, false), types)
}

fn hosts(root: &Root) -> Hosts {
    let names = root.store().zip(root.path()).and_then(|(store, path)| store.names(path).ok());
    let entry = |(name, kind): (OsString, EntryKind)| {
        let name = name.into_encoded_bytes();
        let url = Layout::Wget.host_url(&name, "http")?;
        (kind == EntryKind::Directory).then_some((name, url))
    };
    names.into_iter().flatten().filter_map(entry).collect()
}

fn has_only_hosts(hosts: &[Hosts], files: &Files, types: &Types) -> bool {
    let mut n_documents = 0;
    for (root, hosts) in hosts.iter().enumerate() {
        for below in files.sorted(root) {
            let Some(path) = paths::from_bytes(below) else { continue };
            if !is_document(&path, types) || Layout::Httrack.is_bookkeeping(&path) {
                continue;
            }
            match (host_of(hosts, below), below.contains(&b'/')) {
                (Some(_), _) => n_documents += 1,
                (None, true) => return false,
                (None, false) => {}
            }
        }
    }
    n_documents > 0
}

fn is_document(path: &Path, types: &Types) -> bool {
    matches!(types.of_path(path), FileType::Document(_) | FileType::Container(..))
}

/// Returns the top directory of a file and the URL of its host.
fn host_of<'h>(hosts: &'h Hosts, below: &[u8]) -> Option<(&'h [u8], &'h str)> {
    let slash = below.iter().position(|byte| *byte == b'/')?;
    hosts.get_key_value(&below[..slash]).map(|(top, url)| (&**top, &**url))
}

/// Returns the URL of a file in the directory `top` of its host.
fn url(host: &str, below: &[u8], top: &[u8]) -> String {
    let mut url = host.to_owned();
    push_path(&below[top.len() + 1..], &mut url);
    url
}

fn push_path(path: &[u8], url: &mut String) {
    for (idx, name) in path.split(|byte| *byte == b'/').enumerate() {
        url.push_str(if idx > 0 { "/" } else { "" });
        encode_path_segment(name, url);
    }
}

fn authority(url: &str) -> Option<String> {
    rewrite::site(url).map(|(origin, _)| without_scheme(&origin).to_owned())
}

/// Returns the bytes of a file, unless it is too long.
pub(super) fn read(files: &Files, root: usize, below: &[u8]) -> Option<Vec<u8>> {
    let file = files.open(root, below).filter(|file| file.length() < LONGEST)?;
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns the first bytes of a file.
pub(super) fn head_of(files: &Files, root: usize, below: &[u8]) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    let file = files.open(root, below)?;
    file.take(media::SNIFFED as u64).read_to_end(&mut head).ok()?;
    Some(head)
}

/// A document in the directory of a host.
struct Own<'o> {
    hosts: &'o Hosts,
    root: usize,
    below: &'o [u8],
    top: &'o [u8],
    url: String,
}

/// The search for references that lead from one host to another.
struct HostSearch<'s> {
    files: &'s Files,
    options: &'s Options,
    /// The hosts of the mirror, with their ports.
    authorities: HashSet<String>,
    /// The same, without `www.`.
    names: HashSet<String>,
}

impl HostSearch<'_> {
    /// Returns true if a page has the script of the Wayback Machine, and is of a host of the tree.
    fn is_of_wayback(&self, bytes: &[u8]) -> bool {
        in_wayback(bytes).and_then(|url| unarchived(&url)).is_some_and(|url| self.has_name(&url))
    }

    /// Returns true if the host of a URL, with or without `www.`, is one of the mirror.
    fn has_name(&self, url: &str) -> bool {
        host_of_twins(url).is_some_and(|host| self.names.contains(&host))
    }

    /// Counts the references of a document.
    fn count(&self, bytes: &[u8], media: Media, own: &Own<'_>, sum: &mut HostCounts) {
        let mut disk = "http://disk.invalid/".to_owned();
        push_path(own.below, &mut disk);
        let (Ok(disk), Some(host), Ok(url)) =
            (Resolver::new(&disk, Dialect::Web), authority(&own.url), own.url.parse())
        else {
            return;
        };
        let context = Context::retrieval(url, "--layout");
        let unit = Unit::new(bytes, media, &context);
        references(unit, self.options, |site| {
            if !site.kind.is_link() || site.has_entity() {
                return;
            }
            if sum.n_crossing < ENOUGH {
                let leads = self.leads_to_url(site, &host) || self.leads_to_path(site, &disk, own);
                sum.n_crossing += usize::from(leads);
            }
            // Of a reference from the root, the host is that of the page.
            let in_archive = match site.text.strip_prefix("/web/") {
                Some(rest) => unarchived(&format!("https://web.archive.org/web/{rest}")),
                None if site.text.contains("/web/") => {
                    site.target().and_then(|url| unarchived(&url))
                }
                None => None,
            };
            match in_archive {
                Some(url) => sum.n_archived += usize::from(self.has_name(&url)),
                None => {
                    let names_host = || site.target().is_some_and(|url| self.has_name(&url));
                    sum.n_absolute += usize::from(site.text.contains("//") && names_host());
                }
            }
        });
    }

    /// Returns true if a reference, as a URL reference, leads to another host of the mirror.
    fn leads_to_url(&self, site: &Site<'_>, own: &str) -> bool {
        let url = site.resolver.and_then(|resolver| resolver.resolve(site.text).ok()?.url());
        let authority = url.and_then(|url| authority(&url));
        authority.is_some_and(|other| other != own && self.authorities.contains(&other))
    }

    /// Returns true if a reference, as a path on the disk, leads to a file of another host.
    fn leads_to_path(&self, site: &Site<'_>, disk: &Resolver<'_>, own: &Own<'_>) -> bool {
        if !site.is_base_own {
            return false;
        }
        let text = clean(site.text, site.dialect);
        let text = text.split(['?', '#']).next().unwrap_or_default();
        // Only such a path leads out of the directory of the host.
        if !text.starts_with("../") {
            return false;
        }
        let Some(url) = disk.resolve(text).ok().and_then(|url| url.url()) else { return false };
        let Some(path) = url.strip_prefix("http://disk.invalid/") else { return false };
        let path = layout::decoded(path);
        host_of(own.hosts, &path).is_some_and(|(top, _)| top != own.top)
            && (self.files.has_file(own.root, &path) || self.files.has_directory(own.root, &path))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rewrite::OptIn;

    use super::*;
    use crate::files::walk;
    use crate::os::store::SharedStore;
    use crate::os::store::disk::disk;
    use crate::os::store::memory::Memory;
    use crate::urls::locate::Locator;
    use crate::urls::located::{LetterCase, LocatorOptions};
    use crate::urls::url_mapping::UrlMapping;

    const FILES: [(&str, &str); 5] = [
        ("a.example/index.html", "<a href=../b.example/p.html>b</a> <img src=i.png>"),
        ("a.example/i.png", ""),
        ("b.example/d/about.html", "<a href=http://a.example/>a</a>"),
        ("b.example/p.html", "<a href=../a.example/index.html>a</a>"),
        ("notes.txt", "of nobody"),
    ];

    /// Returns what is found in a mirror: its layout, its files with their URLs, and what targets
    /// lead to.
    fn found(store: &SharedStore, top: &Path) -> Vec<String> {
        let roots = [Root::in_store(store, top.to_owned())];
        let types = Types::new(&[], &OptIn::default()).unwrap();
        let finding = detect(&roots, &types, &Options::default(), false);
        let mapping = UrlMapping::of_hosts(store, &[top.to_owned()], Layout::Wget, "http").unwrap();
        let entries = walk::entries(&roots).map(|entry| {
            let entry = entry.unwrap();
            format!("{:?} {:?} {:?}", entry.kind, entry.below, mapping.url_of(&entry.path))
        });
        let options = LocatorOptions { letter_case: LetterCase::Folded, ..Default::default() };
        let locator = Locator::new(&roots, &mapping, &types, options);
        let targets = ["a.example/", "b.example/d", "b.example/P.html", "b.example/q", "c.example"];
        let located =
            targets.map(|url| format!("{:?}", locator.locate(&format!("http://{url}"), true)));
        std::iter::once(format!("{finding:?}")).chain(entries).chain(located).collect()
    }

    #[test]
    fn a_mirror_in_memory_is_that_on_the_disk() {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path().canonicalize().unwrap();
        let files = FILES.map(|(below, text)| (top.join(below), text));
        for (path, text) in &files {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let on_disk = found(&disk(), &top);
        directory.close().unwrap();
        let in_memory = found(&SharedStore::new(Memory::from_iter(files)), &top);
        assert_eq!(in_memory, on_disk);
        let reason = "references lead from one to another";
        assert_eq!(in_memory[0], format!("{:?}", Detected::Mirror(Layout::Wget, reason)));
        assert_eq!(in_memory.len(), 1 + 9 + 5, "{in_memory:?}");
    }
}
