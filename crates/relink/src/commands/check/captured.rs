//! The URLs that the web archives of a run have: `--missing-urls` lists those that they lack.
//!
//! A URL that was captured again without its content (`revisit`), or under a twin, is there. Memory
//! is some 50 bytes for each URL. What cannot be read is reported when the documents are read.

use std::collections::HashSet;

use crate::archives::unpack::targets::id;
use crate::files::container::Form;
use crate::files::media::FileType;
use crate::files::walk::{self, Entry, EntryKind};
use crate::os::digest::Short;
use crate::tree::Tree;
use crate::tree::units::Units;
use crate::urls::twins::{host_of, twins};

/// The URLs of captures.
#[derive(Debug, Default)]
pub(super) struct CapturedUrls {
    ids: HashSet<Short>,
    /// Their hosts, without `www.`.
    hosts: HashSet<String>,
}

impl CapturedUrls {
    /// Reads the URLs of all web archives of a tree.
    pub(super) fn read(tree: &Tree) -> Self {
        let mut urls = CapturedUrls::default();
        let units = Units::new(tree, std::iter::empty()).with_records(true);
        let is_file = |entry: &Entry| entry.kind == EntryKind::File;
        for entry in walk::entries(&tree.roots).filter_map(Result::ok).filter(is_file) {
            let Ok(FileType::Container(container, _)) = units.type_at(&entry) else { continue };
            let container = container.get();
            if container.spec().form != Form::Records {
                continue;
            }
            let file = tree.locate(&entry).ok().and_then(|location| location.open().ok());
            if let Some((mut file, _)) = file {
                container.captured_urls(&mut file, &mut |url| urls.add(url));
            }
        }
        urls
    }

    fn add(&mut self, url: &str) {
        if let Some(host) = host_of(url) {
            if !self.hosts.contains(&host) {
                self.hosts.insert(host);
            }
            self.ids.insert(id(url));
        }
    }

    /// Returns true if no capture has this URL, and one is of its host.
    pub(super) fn lack(&self, url: &str) -> bool {
        let has = |url: &str| self.ids.contains(&id(url));
        host_of(url).is_some_and(|host| self.hosts.contains(&host))
            && !has(url)
            && !twins(url).any(|twin| has(&twin))
    }
}
