//! Runs that rename files are killed, and so are their repairs, and `undo` of complete runs: each
//! file has its old or its new name, and none is lost.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::calls::{Fault, each_call, has_strace, repairs_survive, survives_each_call};
use crate::kills::kill_often_over;
use crate::tree::{Case, Node, Place, Tree, report};

const RENAMED: Case = Case {
    line: "move site --base http://h.example/ --renames list.tsv --rename-files --redirects nginx=redirects.conf --in-place -q",
    name: "site",
    new_path: Some(new_path),
};

/// The same with a manifest where the user wants it, which belongs to the run.
const RECORDED: Case = Case {
    line: "move site --base http://h.example/ --renames list.tsv --rename-files --in-place --manifest run.jsonl -q",
    ..RENAMED
};

/// A chain, files that become directories and the reverse, and a directory.
const LIST: &str = "a.html\tb.html\nb.html\tc.html\nabout\tabout/\nnews/index.html\tnews\ndocs/\tguide/new/\ndocs/e.html\te.html\n";

/// The time of a file that counts: that of redirects and manifests is when they were written.
pub(crate) fn time_of(path: &Path, metadata: &Metadata) -> SystemTime {
    if path.ends_with("redirects.conf") || path.ends_with("run.jsonl") {
        SystemTime::UNIX_EPOCH
    } else {
        metadata.modified().unwrap()
    }
}

/// Returns the new path by [`LIST`], written apart from the program's.
fn new_path(old: &Path) -> PathBuf {
    let text = old.to_str().unwrap();
    match text {
        "site/a.html" => "site/b.html".into(),
        "site/a.html.headers" => "site/b.html.headers".into(),
        "site/b.html" => "site/c.html".into(),
        "site/about" => "site/about/index.html".into(),
        "site/news/index.html" => "site/news".into(),
        "site/docs/e.html" => "site/e.html".into(),
        _ => match text.strip_prefix("site/docs/") {
            Some(rest) => Path::new("site/guide/new").join(rest),
            None => old.to_owned(),
        },
    }
}

/// A tree of all that is renamed in a way of its own; `n_pages` more pages are in a directory.
fn first_tree(n_pages: usize) -> Tree {
    let mut tree = Tree::new();
    let mut add = |path: &str, text: String| {
        let age = Duration::from_secs(800_000_000 + tree.len() as u64);
        let modified = SystemTime::UNIX_EPOCH + age;
        tree.insert(path.into(), Node::File { bytes: text.into_bytes(), mode: 0o640, modified });
    };
    add("list.tsv", LIST.to_owned());
    add("site/a.html", "<a href=b.html>b</a><a href=a.html#x>a</a>".to_owned());
    add("site/a.html.headers", "HTTP/1.1 200 OK\r\nLink: <about>; rel=next\r\n\r\n".to_owned());
    add("site/b.html", "<a href=a.html>a</a><img src=docs/img/p.png>".to_owned());
    add("site/about", "<!doctype html><html><a href=docs/x.html>x</a>".to_owned());
    add("site/news/index.html", "<a href=../about>about</a>".to_owned());
    add("site/docs/e.html", "<a href=./>d</a><a href=../kept.html>k</a>".to_owned());
    add("site/docs/x.html", "<a href=e.html>e</a><a href=y/z.html>z</a>".to_owned());
    add("site/docs/y/z.html", "<p>nothing".to_owned());
    add("site/docs/img/p.png", "PNG".to_owned());
    add("site/kept.html", "<a href=news/>n</a><a href=docs/img/p.png>p</a>".to_owned());
    for number in 0..n_pages {
        let links = "<a href=../../a.html>a</a>\n".repeat(50);
        add(&format!("site/docs/d{}/p{number}.html", number % 5), format!("{number}{links}"));
    }
    tree.insert("site/docs/link.html".into(), Node::Link("x.html".into()));
    tree
}

/// Checks that each file of the first tree is there, with its old or its new content, under its old
/// or its new name, or under one in between; and that nothing else is there but the redirects. At
/// most one file has two names: it was getting the second one.
pub(crate) fn each_is_there(
    [first, last]: [&Tree; 2],
    now: &Tree,
    new_path: fn(&Path) -> PathBuf,
    after: &str,
) {
    let is_between = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(".relink-rename-")
    };
    let mut explained: BTreeSet<&PathBuf> = BTreeSet::new();
    let mut n_double = 0;
    for (old, node) in first {
        let new = new_path(old);
        let renamed = &last[&new];
        let is_it = |(path, found): &(&PathBuf, &Node)| match () {
            () if *path == old => *found == node || *found == renamed,
            () => (**path == new || is_between(path)) && *found == renamed,
        };
        let places: Vec<&PathBuf> = now.iter().filter(is_it).map(|(path, _)| path).collect();
        assert!(!places.is_empty(), "{after}: {} is lost", old.display());
        n_double += places.len() - 1;
        explained.extend(places);
    }
    assert!(n_double <= 1, "{after}: {n_double} files have two names");
    // What the run makes besides.
    let is_made = |path: &PathBuf| {
        let is_of_file = first.keys().any(|old| new_path(old) == *path);
        !is_of_file && last.contains_key(path) && last.get(path) == now.get(path)
    };
    let other = now.keys().filter(|path| !explained.contains(path) && !is_made(path));
    let other: Vec<_> = other.collect();
    assert!(other.is_empty(), "{after}: {other:?} is there");
}

fn place() -> Place {
    Place::in_memory(&RENAMED, first_tree(1))
}

#[test]
fn each_call_is_the_last() {
    if has_strace() {
        survives_each_call(&place(), Fault::Killed);
        survives_each_call(&Place::in_memory(&RECORDED, first_tree(1)), Fault::Killed);
    }
}

#[test]
fn each_call_fails() {
    if !has_strace() {
        return;
    }
    let place = place();
    // Nothing is lost if an empty directory stays.
    place.may_leave_directories.set(true);
    survives_each_call(&place, Fault::Fails("EIO"));
    if crate::is_long() {
        survives_each_call(&place, Fault::Fails("ENOSPC"));
    }
}

/// While documents are written, and while files get their new names.
#[test]
fn repairs_are_interrupted_too() {
    if has_strace() {
        repairs_survive(&place(), "link");
        if crate::is_long() {
            repairs_survive(&place(), "rename");
        }
    }
}

/// `undo` of a complete run is killed at each of its calls. Then the same command goes on.
#[test]
fn undo_of_a_complete_run_is_interrupted() {
    if !has_strace() {
        return;
    }
    let place = place();
    assert!(place.run(RENAMED.line).status.success());
    place.is_last("a run");
    place.save("complete");
    let n_repeated = Cell::new(0);
    each_call(&place, "complete", "undo site -q --trust", Fault::Killed, |after, _| {
        place.all_is_whole(after);
        if place.tree() != place.first || !place.has_no_notes() {
            let output = place.run("undo site -q --trust");
            assert!(output.status.success(), "{after}, again: {}", report(&output));
            n_repeated.set(n_repeated.get() + 1);
        }
        place.is_first(&format!("{after}, again"));
    });
    let least = if crate::is_long() { 20 } else { 3 };
    assert!(n_repeated.get() > least, "{} were repeated", n_repeated.get());
}

#[test]
fn kills_at_random_moments() {
    kill_often_over(&RENAMED, first_tree(crate::sized(200)));
}
