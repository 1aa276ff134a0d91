//! Messages of any bytes are unpacked into OUT and nowhere else, under names that every system
//! allows; a second run writes nothing; and `--raw` writes the same files, but for documents and
//! added pages. If the first byte is at least 0x80, the others describe a web archive.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use relink::{Event, TreeOptions, Unpack, UnpackOptions, UnpackSummary};

use super::captures;

/// The input as the files of a tree: by the first byte one file, or one with several names, some of
/// which want names of others in the output.
const TREES: [&[&str]; 4] = [
    &["in/a.mhtml"],
    &["in/a.eml"],
    &["in/a.mbox"],
    &[
        "in/a.mhtml",
        "in/a.eml",
        "in/a.html.eml",
        "in/a_files.eml",
        "in/index.html.eml",
        "in/d/a.mbox",
        "in/d/con.mhtml",
        "in/d/con.eml",
        "in/d/cur/1.x:2,S",
        "in/d.mbox",
    ],
];

/// Extensions that no document has: the same bytes are expected with and without `--raw`.
const NO_DOCUMENTS: [&str; 7] = ["png", "gif", "jpg", "pdf", "zip", "mp3", "eml"];

pub(crate) fn check(input: &[u8]) {
    let Some((first, message)) = input.split_first() else { return };
    if *first >= 0x80 {
        return captures::check(message);
    }
    let directory = tempfile::tempdir().expect("a directory");
    let place = directory.path();
    for path in TREES[usize::from(*first) % TREES.len()] {
        // Windows does not allow all of them.
        let path = path.replace(':', if cfg!(windows) { ";" } else { ":" });
        let path = place.join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("it is made");
        fs::write(path, message).expect("a file");
    }
    let before = read(&place.join("in"));
    let given = match TREES[usize::from(*first) % TREES.len()] {
        [file] => place.join(file),
        _ => place.join("in"),
    };
    let unpack = |options| unpack(&given, options);
    let (all, raw) = (place.join("out"), place.join("raw"));
    unpack(UnpackOptions::new(&all));
    let first = read(&all);
    first.keys().for_each(|path| assert_name(path));
    no_two_are_alike(first.keys());
    let again = unpack(UnpackOptions::new(&all).update());
    assert_eq!(again.n_files, 0, "a second run writes");
    assert!(read(&all) == first, "a second run changes files");
    unpack(UnpackOptions::new(&raw).raw());
    let raw = read(&raw);
    for (path, content) in &raw {
        let unpacked = first.get(path);
        assert!(unpacked.is_some(), "{} is there with --raw only", path.display());
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let is_document = !NO_DOCUMENTS.contains(&&*extension);
        assert!(is_document || unpacked == Some(content), "{} differs", path.display());
    }
    for path in first.keys().filter(|path| !raw.contains_key(*path)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_list = ["index", "contents"].iter().any(|start| name.starts_with(start));
        let is_page = is_list && name.ends_with(".html");
        assert!(is_page, "{} is there without --raw only", path.display());
    }
    assert!(read(&place.join("in")) == before, "the input was changed");
    let names = fs::read_dir(place).expect("a directory");
    let mut names = names.map(|entry| entry.expect("an entry").file_name());
    assert!(
        names.all(|name| name == "in" || name == "out" || name == "raw"),
        "another file is there"
    );
}

/// Unpacks the input. Whatever it is, no file of the output fails.
pub(super) fn unpack(given: &Path, options: UnpackOptions) -> UnpackSummary {
    let mut messages = Vec::new();
    let mut events = |event: Event<'_>| {
        if let Event::Message(message) = event {
            messages.push(message.text.to_owned());
        }
        Ok(())
    };
    let tree = TreeOptions::new([given]).jobs(1);
    let unpack = Unpack::new(tree, options, &mut events).expect("valid options");
    let summary = unpack.run(&mut events).expect("a run");
    for text in messages {
        let is_defect = text.contains("please report")
            || (text.contains("cannot") && !text.contains("cannot unpack"))
            || text.contains("changed during the run");
        assert!(!is_defect, "{text}");
    }
    summary
}

/// All files of a directory, by their paths below it; an archive without captures makes none.
pub(super) fn read(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    if !directory.exists() {
        return BTreeMap::new();
    }
    let entries =
        walkdir::WalkDir::new(directory).into_iter().map(|entry| entry.expect("an entry"));
    entries
        .filter(|entry| !entry.file_type().is_dir())
        .map(|entry| {
            assert!(entry.file_type().is_file(), "{} is no file", entry.path().display());
            let below = entry.path().strip_prefix(directory).expect("it is below").to_owned();
            (below, fs::read(entry.path()).expect("a file"))
        })
        .collect()
}

/// Each name of a path is one that Windows allows ("Naming Files, Paths, and Namespaces").
pub(super) fn assert_name(path: &Path) {
    for name in path {
        let name = name.to_str().expect("UTF-8");
        let is_allowed = |char: char| !char.is_control() && !"<>:\"/\\|?*".contains(char);
        assert!(name.chars().all(is_allowed), "{name:?} has a character that is not allowed");
        assert!(!name.ends_with(['.', ' ']), "{name:?} ends with a dot or a blank");
        assert!(name.encode_utf16().count() <= 255, "{name:?} is too long");
        let stem = name.split('.').next().unwrap_or_default().trim_end().to_uppercase();
        let is_numbered = ["COM", "LPT"].iter().any(|device| {
            let number = stem.strip_prefix(device).unwrap_or_default();
            let mut digits = number.chars();
            digits.next().is_some_and(|digit| "0123456789\u{b9}\u{b2}\u{b3}".contains(digit))
                && digits.next().is_none()
        });
        let is_device = is_numbered || ["CON", "PRN", "AUX", "NUL"].contains(&&*stem);
        assert!(!is_device, "{name:?} is a device");
    }
}

/// No two names in a directory differ in letter case only.
pub(super) fn no_two_are_alike<'p>(paths: impl Iterator<Item = &'p PathBuf>) {
    let outer = |path: &'p PathBuf| path.ancestors().filter(|path| !path.as_os_str().is_empty());
    let all: BTreeSet<&Path> = paths.flat_map(outer).collect();
    for fold in [str::to_lowercase, str::to_uppercase] {
        let mut folded = BTreeMap::new();
        for path in &all {
            let other = folded.insert(fold(&path.to_string_lossy()), path);
            assert!(other.is_none(), "{path:?} and {other:?}");
        }
    }
}
