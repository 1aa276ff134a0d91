//! Any list of renames in any small tree, by the library: it is refused and nothing is written, or
//! no file is lost, every reference reaches its file, and `undo` restores every byte.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use relink::{Event, MoveOptions, Plan, RenameOptions, TreeOptions, Undo, undo};

use super::lists::{Renames, directories};
use super::reached;
use super::trees::{self, Files, escaped};

const BASE: &str = "http://h.example/s/";

/// Names of files, and of directories.
const NAMES: [&str; 12] = [
    "a.html",
    "b.html",
    "A.html",
    "index.html",
    "d",
    "e",
    "d.html",
    "a b.html",
    "%41.html",
    "\u{e9}.html",
    "q?.html",
    "#",
];

/// How often lists were accepted and refused.
static N_ACCEPTED: AtomicUsize = AtomicUsize::new(0);
static N_REFUSED: AtomicUsize = AtomicUsize::new(0);

fn path() -> impl Strategy<Value = String> {
    let names = prop::collection::vec(select(NAMES.to_vec()), 1..4);
    names.prop_map(|names| names.join("/"))
}

/// References: the number of a file, and what is made of its path.
fn tree() -> impl Strategy<Value = Files> {
    let references = prop::collection::vec((any::<prop::sample::Index>(), 0..10usize), 0..6);
    prop::collection::btree_map(path(), references, 1..8).prop_map(|drawn| {
        // A file cannot be a directory too.
        let outer = directories(drawn.keys());
        let drawn: BTreeMap<_, _> =
            drawn.into_iter().filter(|(path, _)| !outer.contains(path)).collect();
        let paths: Vec<String> = drawn.keys().cloned().collect();
        let text = |(path, references): (&String, &Vec<(prop::sample::Index, usize)>)| {
            let mut text = format!("<!doctype html><html><!-- {path} -->\n");
            for (index, form) in references {
                let url = reference(path, index.get::<String>(&paths), *form);
                text.push_str(&format!("<a href=\"{url}\">a</a>\n"));
            }
            (path.clone(), text.into_bytes())
        };
        drawn.iter().map(text).collect()
    })
}

fn reference(from: &str, to: &str, form: usize) -> String {
    let up = "../".repeat(from.matches('/').count());
    let directory = to.rsplit_once('/').map_or("", |(directory, _)| directory);
    let to = escaped(to);
    match form {
        0 => format!("{BASE}{to}"),
        1 => format!("/s/{to}?q#x"),
        2 => format!("/s/{}/", escaped(directory)).replace("//", "/"),
        3 => format!("{up}{to}.none"),
        4 => format!("{up}../o"),
        5 => "#x".to_owned(),
        6 => format!("./{up}{}", escaped(directory)),
        _ => format!("{up}{to}#x"),
    }
}

/// A row: names, and whether each ends with a slash.
type Row = (String, bool, String, bool);

/// Rows, most of whose old names are those of files and directories of the tree.
fn rows() -> impl Strategy<Value = Vec<(prop::sample::Index, Row, u8)>> {
    let row = (path(), any::<bool>(), path(), any::<bool>());
    prop::collection::vec((any::<prop::sample::Index>(), row, 0..10u8), 1..5)
}

/// Returns the rows with their old names.
fn rows_of(files: &Files, rows: Vec<(prop::sample::Index, Row, u8)>) -> Vec<Row> {
    let outer = directories(files.keys());
    let names: Vec<&String> = files.keys().chain(&outer).collect();
    let row = |(index, (old, is_old, new, is_new), kind): (prop::sample::Index, Row, u8)| {
        let known = (*index.get(&names)).clone();
        match kind {
            0 => (old, is_old, new, is_new),
            // A chain, or an exchange.
            1 | 2 => (known, is_old, (*index.get(&names[names.len() / 2..])).clone(), is_new),
            _ => {
                let is_directory = outer.contains(&known);
                (known, is_directory, new, is_directory)
            }
        }
    };
    rows.into_iter().map(row).collect()
}

/// Returns what the rows mean.
fn meaning(files: &Files, rows: &[Row]) -> Renames {
    let outer = directories(files.keys());
    let mut renames = Renames::default();
    for (old, is_directory, new, is_new_directory) in rows {
        let is_directory = !files.contains_key(old) && (outer.contains(old) || *is_directory);
        match is_directory {
            true => renames.directories.insert(old.clone(), new.clone()),
            false if *is_new_directory => {
                renames.pages.insert(old.clone(), format!("{new}/index.html"))
            }
            false => renames.pages.insert(old.clone(), new.clone()),
        };
    }
    renames
}

fn check(files: &Files, rows: &[Row]) {
    let directory = tempfile::tempdir().expect("a directory");
    let site = directory.path().join("site");
    trees::write(&site, files);
    let before = trees::directories(&site);
    let slash = |is_set: bool| if is_set { "/" } else { "" };
    let line = |(old, is_old, new, is_new): &Row| {
        format!("./{}{}\t./{}{}\n", escaped(old), slash(*is_old), escaped(new), slash(*is_new))
    };
    let list: String = rows.iter().map(line).collect();
    let path = directory.path().join("list.tsv");
    fs::write(&path, &list).expect("a file");
    let mut messages: Vec<String> = Vec::new();
    let mut events = |event: Event<'_>| {
        if let Event::Message(message) = event {
            messages.push(message.text.to_owned());
        }
        Ok(())
    };
    let options =
        RenameOptions { lists: vec![path], renames_files: true, ..RenameOptions::default() };
    let tree = TreeOptions::new([&site]).base(BASE).jobs(1);
    let plan = Plan::relocate(tree, MoveOptions::new().renames(options)).in_place();
    let plan = plan.keep_manifest().build(&mut events);
    let done = plan
        .map_err(|error| error.to_string())
        .and_then(|plan| plan.run(&mut events).map_err(|error| error.to_string()));
    let after = trees::read(&site);
    let own = || {
        let names = fs::read_dir(directory.path()).expect("a directory");
        let names = names.map(|entry| entry.expect("an entry").file_name());
        names.filter(|name| name != "site" && name != "list.tsv").collect::<Vec<_>>()
    };
    match done {
        Err(reason) => {
            N_REFUSED.fetch_add(1, Ordering::Relaxed);
            assert!(!reason.contains("please report"), "{reason}\n{list}");
            assert!(after == *files, "refused ({reason}), and files changed\n{list}");
            assert_eq!(own(), [""; 0], "{reason}\n{list}");
            return;
        }
        Ok(summary) => {
            assert_eq!(summary.n_failed, 0, "{messages:?}\n{list}");
            N_ACCEPTED.fetch_add(1, Ordering::Relaxed);
        }
    }
    let names: BTreeSet<&String> = files.keys().collect();
    let sums = reached::judge(files, &after, &meaning(files, rows), BASE, false);
    assert!(
        sums.faults.is_empty(),
        "{:#?}\n{list}{names:?}\n{:?}",
        sums.faults,
        after.keys().collect::<Vec<_>>()
    );
    if after != *files {
        let options = Undo { paths: vec![site.clone()], ..Undo::default() };
        let summary = undo(&options, &mut |_: Event<'_>| Ok(()));
        assert_eq!(summary.map_err(|error| error.to_string()).map(|sum| sum.n_failed), Ok(0));
        assert!(trees::read(&site) == *files, "undo\n{list}{names:?}");
    }
    assert_eq!(trees::directories(&site), before, "directories\n{list}{names:?}");
    assert_eq!(own(), [""; 0], "{list}");
}

fn cases() -> ProptestConfig {
    let number = |name: &str| super::number(name).and_then(|number| u32::try_from(number).ok());
    let is_full = std::env::var_os("RELINK_FULL").is_some();
    let cases = number("RELINK_CASES").unwrap_or(if is_full { 20_000 } else { 1_000 });
    let rng_seed = RngSeed::Fixed(super::number("RELINK_SEED").unwrap_or(1996));
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn any_list_of_renames((files, rows) in (tree(), rows())) {
        let rows = rows_of(&files, rows);
        check(&files, &rows);
        let [n_accepted, n_refused] =
            [&N_ACCEPTED, &N_REFUSED].map(|n| n.load(Ordering::Relaxed));
        let n_all = n_accepted + n_refused;
        if n_all.is_multiple_of(500) {
            println!("{n_accepted} lists accepted, {n_refused} refused");
            assert!(n_accepted > n_all / 5, "{n_accepted} of {n_all} accepted");
        }
    }
}
