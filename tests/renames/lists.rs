//! Renames of a tree: which ones are possible, and in which forms they are given.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::model::{Files, Renames, directories, escaped};
use super::trees::Random;

/// The form in which renames are given.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Pages and directories in a list.
    List,
    /// One file or directory, or several that go into one directory.
    Sources,
    /// Files, whose new names no file had.
    Files,
}

impl Renames {
    /// Draws renames that are possible.
    pub(super) fn draw(random: &mut Random, files: &Files, form: Form) -> Self {
        let mut renames = Renames::default();
        let names: Vec<&String> = files.keys().collect();
        let directories: Vec<String> = directories(files.keys()).into_iter().collect();
        let n_wanted = match form {
            Form::Sources => 1 + random.below(3),
            _ => 1 + random.below(12),
        };
        let into = new_directory(random, &directories);
        for _ in 0..n_wanted * 10 {
            let n_drawn = renames.pages.len() + renames.directories.len();
            if n_drawn >= n_wanted {
                break;
            }
            let is_directory = !directories.is_empty() && random.is_one_in(4);
            let old = if is_directory {
                directories[random.below(directories.len())].clone()
            } else {
                names[random.below(names.len())].clone()
            };
            let new = match is_directory {
                _ if form == Form::Sources && n_wanted > 1 => {
                    format!("{into}{}", old.rsplit('/').next().unwrap_or_default())
                }
                true => {
                    let directory = new_directory(random, &directories);
                    format!("{directory}{}", random.one_of(&["", "v1.2", "a+b", "d"]))
                }
                false => new_page(random, &old, &directories, &renames.pages),
            };
            let new = new.trim_end_matches('/').to_owned();
            let map = if is_directory { &mut renames.directories } else { &mut renames.pages };
            if new == old || new.is_empty() || map.contains_key(&old) {
                continue;
            }
            map.insert(old.clone(), new.clone());
            if !renames.is_possible(files, form) {
                let map = if is_directory { &mut renames.directories } else { &mut renames.pages };
                map.remove(&old);
            }
        }
        if form == Form::Files {
            let all = renames.files(files);
            renames.pages = all.into_iter().filter(|(old, new)| old != new).collect();
            renames.directories.clear();
        }
        if renames.pages.is_empty() && renames.directories.is_empty() {
            renames.pages.insert(names[0].clone(), format!("zz/{}", names[0]));
        }
        renames
    }

    /// Returns true if no two files get one name, not even in other letter case, no file is also a
    /// directory, and no names are exchanged.
    fn is_possible(&self, files: &Files, form: Form) -> bool {
        let all = self.files(files);
        let new: BTreeSet<&String> = all.values().collect();
        let is_kept = |new: &String| all.get(new) == Some(new);
        let mut folded: BTreeMap<String, &String> = BTreeMap::new();
        let is_distinct = all.values().all(|new| {
            let other = folded.insert(new.to_lowercase(), new);
            other.is_none_or(|other| other != new && is_kept(other) && is_kept(new))
        });
        let outer = directories(all.values());
        if !is_distinct || new.len() != all.len() || new.iter().any(|new| outer.contains(*new)) {
            return false;
        }
        if ![&all, &self.pages, &self.directories].into_iter().all(has_no_cycle) {
            return false;
        }
        let renamed: Vec<&String> =
            all.iter().filter(|(old, new)| old != new).map(|(_, new)| new).collect();
        match form {
            Form::List => true,
            // What is there is not written over.
            Form::Sources => {
                let old = directories(files.keys());
                let is_free = |new: &String| !files.contains_key(new) && !old.contains(new);
                let is_in_itself =
                    |(old, new): (&String, &String)| new.starts_with(&format!("{old}/"));
                self.pages.values().chain(self.directories.values()).all(is_free)
                    && !self.directories.iter().any(is_in_itself)
                    && self.is_apart(files)
            }
            // Such a name is a changed file for git.
            Form::Files => renamed.iter().all(|new| !files.contains_key(*new)),
        }
    }

    /// Returns true if no source is inside of another, and no new name inside of a file.
    fn is_apart(&self, files: &Files) -> bool {
        let all = || self.pages.iter().chain(&self.directories);
        all().all(|(old, new)| {
            let is_inside = |other: &String| old.starts_with(&format!("{other}/"));
            !all().any(|(other, _)| is_inside(other))
                && !files.keys().any(|file| new.starts_with(&format!("{file}/")))
        })
    }

    /// Returns the list of renames.
    pub(super) fn list(&self, random: &mut Random) -> String {
        let mut rows: Vec<String> = Vec::new();
        for (old, new) in &self.pages {
            let new = match new.strip_suffix("index.html") {
                Some(directory) if directory.ends_with('/') && random.is_one_in(2) => directory,
                _ => new,
            };
            // A name in the tree is read as it is, unless its line is a comment.
            let is_escaped = !random.is_one_in(2) || old.starts_with('#');
            let old = if is_escaped { format!("./{}", escaped(old)) } else { old.clone() };
            rows.push(format!("{old}\t{}", escaped(new)));
        }
        for (old, new) in &self.directories {
            rows.push(format!("{}/\t{}/", escaped(old), escaped(new)));
        }
        let start = random.below(rows.len());
        rows.rotate_left(start);
        rows.join("\n") + "\n"
    }

    /// Returns the arguments of `mv`.
    pub(super) fn sources(&self) -> Vec<String> {
        let all: Vec<(&String, &String)> = self.pages.iter().chain(&self.directories).collect();
        let mut args: Vec<String> = all.iter().map(|(old, _)| format!("site/{old}")).collect();
        args.push(match &*all {
            [(_, new)] => format!("site/{new}"),
            several => {
                let into = several[0].1.rsplit_once('/').map_or("", |(into, _)| into);
                format!("site/{into}/")
            }
        });
        args
    }

    /// Renames the files of a tree, as a user would.
    pub(super) fn take_files(&self, site: &Path, files: &Files) {
        let mut later = Vec::new();
        for (number, (old, new)) in self.files(files).into_iter().enumerate() {
            if old != new {
                let between = site.join(format!("between-{number}"));
                fs::rename(site.join(old), &between).expect("a file");
                later.push((between, site.join(new)));
            }
        }
        for (between, new) in later {
            let directory = new.parent().expect("a directory");
            remove_empty(site);
            fs::create_dir_all(directory).expect("a directory");
            fs::rename(between, new).expect("a file");
        }
        remove_empty(site);
    }
}

/// Removes the empty directories of a tree.
fn remove_empty(site: &Path) {
    let entries = walkdir::WalkDir::new(site).min_depth(1).contents_first(true).into_iter();
    let directories = entries.filter_map(Result::ok).filter(|entry| entry.file_type().is_dir());
    for directory in directories {
        let is_git = directory.path().strip_prefix(site).is_ok_and(|path| path.starts_with(".git"));
        if !is_git {
            // One that is not empty stays.
            drop(fs::remove_dir(directory.path()));
        }
    }
}

fn has_no_cycle(map: &BTreeMap<String, String>) -> bool {
    map.keys().all(|start| {
        let mut at = start;
        let mut n_steps = 0;
        while let Some(next) = map.get(at).filter(|next| *next != at) {
            n_steps += 1;
            if next == start || n_steps > map.len() {
                return false;
            }
            at = next;
        }
        true
    })
}

/// Returns the path of a directory, with a slash at its end; it may be new.
fn new_directory(random: &mut Random, all: &[String]) -> String {
    let mut any = || {
        if all.is_empty() { String::new() } else { format!("{}/", all[random.below(all.len())]) }
    };
    let (one, other) = (any(), any());
    let odd = ["", "moved/", "moved/x/", "a b/", "\u{fc}/100%/", "x.html/", "q?/#/", "New/"];
    match random.below(4) {
        0 => one,
        1 => format!("{other}sub/"),
        _ => random.one_of(&odd).to_owned(),
    }
}

/// Returns a new path for a page, with the same extension.
fn new_page(
    random: &mut Random,
    old: &str,
    directories: &[String],
    pages: &BTreeMap<String, String>,
) -> String {
    let (outer, name) = old.rsplit_once('/').unwrap_or(("", old));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let dot = if extension.is_empty() { "" } else { "." };
    let directory = new_directory(random, directories);
    let outer = if outer.is_empty() { String::new() } else { format!("{outer}/") };
    let odd = random.one_of(&["new", "a b", "\u{e9}", "%2F", "x?y", "#", "a:b", "INDEX", "index"]);
    match random.below(7) {
        // The old name of another page, which is renamed too.
        0 => {
            let number = random.below(pages.len());
            let same = |other: &&String| other.ends_with(&format!("{dot}{extension}"));
            pages.keys().nth(number).filter(same).map_or_else(String::new, String::clone)
        }
        1 if extension == "html" => format!("{outer}{stem}/index.html"),
        1 | 2 if extension == "html" || extension.is_empty() => format!("{old}/index.html"),
        3 => format!("{directory}{name}"),
        4 => format!("{outer}{}{dot}{extension}", stem.to_uppercase()),
        5 => format!("{outer}{odd}{dot}{extension}"),
        _ => format!("{directory}{odd}{dot}{extension}"),
    }
}
