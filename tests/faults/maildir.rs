//! Messages in a Maildir, whose names have their sizes: a run is killed at each of its system
//! calls, and so are `resume` and `undo`. No message is ever seen under a name with a wrong size.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::calls::{Fault, each_call, has_strace, kill_at};
use crate::tree::{Case, Node, Place, Tree};

const MAILDIR: Case = Case::new("absolutize site --in-place -q", "site");
const KEPT: Case = Case::new("absolutize site --in-place --backup --durable -q", "site");

fn message(n_links: usize) -> String {
    let body = "<a href=/y>\n".repeat(n_links);
    format!("Content-Base: http://h.example/m/\nContent-Type: text/html\n\n{body}")
}

/// A Maildir with three messages, and one that is not delivered yet.
fn maildir() -> Tree {
    let mut tree = Tree::new();
    let mut add = |path: String, text: &str| {
        let (bytes, modified) = (text.as_bytes().to_vec(), SystemTime::UNIX_EPOCH);
        tree.insert(PathBuf::from(path), Node::File { bytes, mode: 0o600, modified });
    };
    for (number, directory) in [(1, "cur"), (2, "new"), (3, "cur")] {
        let (text, flags) = (message(number), if directory == "cur" { ":2,S" } else { "" });
        let sizes = format!("S={},W={}", text.len(), text.len() + 3 + number);
        add(format!("site/{directory}/{number}.M1P2.host,{sizes}{flags}"), &text);
    }
    add("site/tmp/4.M1P2.host".to_owned(), "Subject: 4\n");
    tree
}

/// Checks that each name with a size has the size of its file.
fn check_sizes(now: &Tree, after: &str) {
    let mut n_sizes = 0;
    for (path, node) in now {
        let name = path.to_string_lossy();
        let (Some((_, rest)), Node::File { bytes, .. }) = (name.split_once(",S="), node) else {
            continue;
        };
        let size: usize = rest.split(',').next().unwrap().parse().unwrap();
        assert_eq!(size, bytes.len(), "{after}: {name}");
        n_sizes += 1;
    }
    assert!(n_sizes >= 3, "{after}: {n_sizes} messages");
}

#[test]
fn sizes_are_right_at_each_call() {
    if !has_strace() {
        return;
    }
    for case in if crate::is_long() { vec![&MAILDIR, &KEPT] } else { vec![&MAILDIR] } {
        let place = Place::in_memory(case, maildir());
        check_sizes(&place.last, "an undisturbed run");
        each_call(&place, "first", case.line, Fault::Killed, |after, output| {
            check_sizes(&place.tree(), after);
            place.survives(after, output);
        });
    }
}

/// What goes on with a run, and what puts back, is killed at each call too.
#[test]
fn sizes_are_right_while_a_run_is_resumed_or_undone() {
    if !has_strace() {
        return;
    }
    let place = Place::in_memory(&KEPT, maildir());
    // Between the two names of the second message.
    let is_it = |name: &str, arguments: &str| {
        let path = arguments.split('"').nth(1).map(Path::new).and_then(Path::file_name);
        let is_message = path.is_some_and(|path| path.to_string_lossy().contains("2.M1P2.host,S="));
        name.starts_with("unlink") && is_message
    };
    kill_at(&place, is_it, |_| 0);
    let n_names = fs::read_dir(place.path().join("site/new")).unwrap().count();
    assert_eq!(n_names, 3, "both names, and the backup");
    assert!(place.has_journal());
    place.save("amid");
    // What is restored is a copy, which is trusted only with `--trust`.
    for repair in ["resume", "undo -q"] {
        let line = format!("{repair} {} --trust", KEPT.name);
        each_call(&place, "amid", &line, Fault::Killed, |after, output| {
            check_sizes(&place.tree(), after);
            place.survives(after, output);
        });
    }
}
