//! What `relink check` says about a real tree is what html5ever, the `url` crate and the file
//! system say: no more, and no less.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::Value;
use url::Url;

use super::{Kind, files, kind, relink, url_of};
use crate::judge::{self, Moved};

/// The broken references of a tree, by path and target, with the number of each.
type Broken = BTreeMap<(PathBuf, String), usize>;

/// What the program says.
fn report(tree: &Path, base: &str) -> Broken {
    let output =
        relink(&["check", tree.to_str().unwrap(), "--base", base, "--format", "json", "-q"]);
    let is_found = output.status.code() == Some(1);
    assert!(is_found || super::is_done(&output), "{}", super::stderr(&output));
    let mut broken = Broken::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let Some(target) = line["target"].as_str() else { continue };
        let target = Url::parse(target).map_or_else(|_| target.to_owned(), String::from);
        let path = PathBuf::from(line["path"].as_str().unwrap());
        if matches!(kind(&path, &[]), Some(Kind::Xml)) {
            continue;
        }
        *broken.entry((path, target)).or_default() += 1;
    }
    broken
}

/// What others say.
fn expected(tree: &Path, base: &str) -> Broken {
    let root = Url::parse(base).unwrap();
    let lists: Vec<Vec<(PathBuf, String)>> = files(tree)
        .into_par_iter()
        .map(|path| {
            let bytes = fs::read(tree.join(&path)).unwrap();
            let url = url_of(base, &path);
            let verdict = match kind(&path, &bytes) {
                Some(Kind::Html) => judge::judge_moved_html(&bytes, &bytes, &url, &url),
                Some(Kind::Css) => judge::judge_moved_css(&bytes, &bytes, &url, &url),
                Some(Kind::Xml) | None => return Vec::new(),
            };
            let moved = verdict.moved.into_iter().flatten();
            moved
                .filter(|moved| is_broken(moved, tree, &root))
                .map(|moved| (path.clone(), String::from(moved.targets[0].clone())))
                .collect()
        })
        .collect();
    let mut broken = Broken::new();
    for found in lists.into_iter().flatten() {
        *broken.entry(found).or_default() += 1;
    }
    broken
}

fn is_broken(moved: &Moved, tree: &Path, root: &Url) -> bool {
    let target = &moved.targets[0];
    // A name, and directories.
    if ["[itemid]", "[codebase]", "base[href]"].iter().any(|slot| moved.slot.ends_with(slot)) {
        return false;
    }
    // A page of a server cannot lead to a disk.
    if target.scheme() == "file" || target.scheme().len() == 1 {
        return true;
    }
    if target.origin() != root.origin() {
        return false;
    }
    let Some(below) = target.path().strip_prefix(root.path().trim_end_matches('/')) else {
        let text = &moved.texts[0];
        return Url::parse(text).is_err() && !text.starts_with("//");
    };
    let path = Url::parse(&format!("file:///{}", below.trim_start_matches('/')));
    let Ok(path) = path.unwrap().to_file_path() else { return true };
    let file = tree.join(path.strip_prefix("/").unwrap());
    if below.ends_with('/') || file.is_dir() {
        return !file.join("index.html").is_file();
    }
    !file.is_file()
}

/// The judge reads old charsets byte for byte, and cannot say what names those mean.
fn is_text(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| str::from_utf8(&bytes).is_ok())
}

/// Compares both, and returns how many are broken.
#[track_caller]
pub(crate) fn check(name: &str, tree: &Path, base: &str) -> usize {
    let [report, expected] = [report(tree, base), expected(tree, base)].map(|mut broken| {
        broken.retain(|(path, _), _| is_text(&tree.join(path)));
        broken
    });
    let differ = |a: &Broken, b: &Broken| -> Vec<String> {
        let only = a.iter().filter(|(key, n)| b.get(*key) != Some(*n));
        only.take(10)
            .map(|((path, target), n)| format!("{}: {target} ({n})", path.display()))
            .collect()
    };
    let (too_much, missed) = (differ(&report, &expected), differ(&expected, &report));
    assert!(
        too_much.is_empty() && missed.is_empty(),
        "{name}: told and not broken {too_much:#?}\nbroken and not told {missed:#?}"
    );
    report.values().sum()
}
