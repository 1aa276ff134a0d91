//! The documents of the benchmark: samples of real trees, chosen by hash, and generated tag soup.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::soup;

/// The number of bytes of each tree that are measured.
const N_BYTES: usize = 16 << 20;

pub(crate) struct Corpus {
    pub(crate) name: &'static str,
    pub(crate) documents: Vec<Vec<u8>>,
}

impl Corpus {
    pub(crate) fn n_bytes(&self) -> usize {
        self.documents.iter().map(Vec::len).sum()
    }
}

/// Returns the corpora that are on this machine.
pub(crate) fn all() -> Vec<Corpus> {
    let sysroot = Command::new("rustc")
        .args(["--print", "sysroot"])
        .output()
        .map(|out| out.stdout)
        .unwrap_or_default();
    let rustdoc =
        PathBuf::from(String::from_utf8_lossy(&sysroot).trim()).join("share/doc/rust/html");
    let trees = [
        ("rustdoc", rustdoc),
        ("openjdk-17-doc", PathBuf::from("/usr/share/doc/openjdk-17-jre-headless")),
    ];
    let mut corpora = Vec::new();
    for (name, tree) in trees {
        let documents = sample(&tree);
        if documents.is_empty() {
            println!("skipped: {name} is not at {}", tree.display());
        } else {
            corpora.push(Corpus { name, documents });
        }
    }
    corpora.push(Corpus { name: "soup", documents: soup::pages(N_BYTES) });
    corpora
}

/// Returns HTML files of a tree in the order of the hashes of their paths, up to [`N_BYTES`].
fn sample(tree: &Path) -> Vec<Vec<u8>> {
    let mut files: Vec<(u64, PathBuf)> = walkdir::WalkDir::new(tree)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| {
            entry.file_type().is_file()
                && entry.path().extension().is_some_and(|extension| extension == "html")
        })
        .map(|entry| (hash(entry.path().strip_prefix(tree).unwrap_or(tree)), entry.into_path()))
        .collect();
    files.sort();
    let mut len = 0;
    let mut documents = Vec::new();
    for (_, path) in files {
        // html5ever would decode these differently, so the results would not be comparable.
        let Some(bytes) =
            std::fs::read(path).ok().filter(|bytes| std::str::from_utf8(bytes).is_ok())
        else {
            continue;
        };
        len += bytes.len();
        documents.push(bytes);
        if len >= N_BYTES {
            break;
        }
    }
    documents
}

fn hash(path: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    hasher.finish()
}
