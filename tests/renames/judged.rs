//! What references reach before and after the renames, according to the judge.

use std::collections::BTreeSet;

use url::Url;

use super::model::reached::{Reached, Site, is_right};
use super::model::{Files, Renames, escaped};
use crate::judge::{self, Moved, Verdict};

/// What the judge found in a tree.
#[derive(Debug, Default)]
pub(super) struct Sums {
    pub(super) n_renamed: usize,
    pub(super) n_documents: usize,
    pub(super) n_references: usize,
    /// References in renamed documents, and references to renamed files.
    pub(super) n_affected: usize,
    pub(super) faults: Vec<String>,
}

impl Sums {
    pub(super) fn add(&mut self, other: Sums) {
        self.n_renamed += other.n_renamed;
        self.n_documents += other.n_documents;
        self.n_references += other.n_references;
        self.n_affected += other.n_affected;
        self.faults.extend(other.faults);
    }
}

/// Compares a tree before and after renames. `may_be_corrected` is true if a reference without a
/// target counts as corrected already if it has one in the renamed tree.
pub(super) fn judge(
    before: &Files,
    after: &Files,
    renames: &Renames,
    base: &str,
    may_be_corrected: bool,
) -> Sums {
    let mut sums = Sums::default();
    let new_paths = renames.files(before);
    let expected: BTreeSet<&String> = new_paths.values().collect();
    let found: BTreeSet<&String> = after.keys().collect();
    let other: Vec<_> = expected.symmetric_difference(&found).collect();
    if !other.is_empty() {
        sums.faults.push(format!("names of files: {other:?}"));
    }
    let base = Url::parse(base).expect("a URL");
    let sites = [before, after].map(|files| Site::new(&base, files));
    for (old, new) in &new_paths {
        sums.n_renamed += usize::from(old != new);
        let Some(bytes) = after.get(new) else { continue };
        let was = &before[old];
        let urls = [old, new].map(|path| format!("{base}{}", escaped(path)));
        let verdict = match kind(old, was) {
            Kind::Html => judge::judge_moved_html(was, bytes, &urls[0], &urls[1]),
            Kind::Css => judge::judge_moved_css(was, bytes, &urls[0], &urls[1]),
            Kind::Xml => continue,
            Kind::Other => {
                if was != bytes {
                    sums.faults.push(format!("{old}: changed, and no document"));
                }
                continue;
            }
        };
        let Verdict { violations, moved, .. } = verdict;
        let moved = moved.unwrap_or_default();
        sums.n_documents += 1;
        sums.n_references += moved.len();
        sums.faults.extend(violations.iter().map(|fault| format!("{old}: {fault}")));
        for reference in &moved {
            let reached = sites[0].reached(&reference.targets[0]);
            let is_to_renamed = matches!(&reached, Reached::File(path) if new_paths[path] != *path);
            sums.n_affected += usize::from(old != new || is_to_renamed);
            let is_kept = reference.texts[0] == reference.texts[1];
            let may_stay = may_be_corrected && is_kept && matches!(reached, Reached::Missing(_));
            let Moved { slot, texts, targets, .. } = reference;
            let is_base = slot == "base[href]";
            if may_stay || is_right(targets.each_ref(), is_base, &reached, &sites[1], renames) {
                continue;
            }
            sums.faults.push(format!(
                "{old}: {slot} {:?} -> {:?} led to {} ({reached:?}), leads to {} ({:?})",
                texts[0],
                texts[1],
                targets[0],
                targets[1],
                sites[1].reached(&targets[1])
            ));
        }
    }
    sums
}

enum Kind {
    Html,
    Css,
    /// `tests/xml` judges it.
    Xml,
    Other,
}

fn kind(path: &str, bytes: &[u8]) -> Kind {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).as_deref() {
        Some("html" | "htm") => Kind::Html,
        Some("css") => Kind::Css,
        Some("svg" | "xml" | "xhtml" | "xht" | "rss" | "atom") => Kind::Xml,
        None => {
            let head = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).to_lowercase();
            if head.contains("<html") { Kind::Html } else { Kind::Other }
        }
        _ => Kind::Other,
    }
}
