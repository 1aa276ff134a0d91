//! What the system forbids: it is reported, the rest is done, and nothing is half done.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::tools;
use crate::tree::{CASES, Node, Place, Tree, first_tree, report, same};

/// Takes rights of some files and directories away, runs, and gives them back.
fn forbidden(runner: &[&str], forbid: &[&str], allow: &[&str], paths: &[&str]) {
    for case in CASES {
        let place = Place::new(case, first_tree(8, 3));
        let change = |words: &[&str]| {
            for path in paths {
                let mut command = Command::new(words[0]);
                command.args(&words[1..]).arg(place.path().join(path));
                assert!(command.status().unwrap().success());
            }
        };
        change(forbid);
        let output = place.command(runner, case.line).output().unwrap();
        change(allow);
        let after = format!("{}, {forbid:?}", case.line);
        assert_eq!(output.status.code(), Some(2), "{after}: {}", report(&output));
        for path in paths {
            assert!(report(&output).contains(path), "{after}: {}", report(&output));
        }
        // The others are done, and these are what they were; the journal is gone, as no other run
        // would do better.
        let is_left = |path: &std::path::Path| paths.iter().any(|left| path.starts_with(left));
        let expected: Tree = (place.last.iter().filter(|(path, _)| !is_left(path)))
            .chain(place.first.iter().filter(|(path, _)| is_left(path)))
            .map(|(path, node)| (path.clone(), node.clone()))
            .filter(|(path, _)| {
                !path.with_extension("").to_str().is_some_and(|page| {
                    path.ends_with(format!("{page}.orig")) && paths.contains(&page)
                })
            })
            .collect();
        let (mut now, mut expected) = (place.tree(), expected);
        // Headings stay where their page stays.
        for tree in [&mut now, &mut expected] {
            tree.retain(|path, node| {
                let name = path.to_string_lossy();
                let is_beside = paths.iter().any(|left| name.starts_with(&format!("{left}.")));
                assert!(!is_beside || !name.ends_with(".orig") || !matches!(node, Node::Link(_)));
                !is_beside
            });
        }
        same(&now, &expected, &after);
        place.nothing_is_left(&after);
        // What was written goes back.
        let undo = place.run(&format!("undo {}", case.line.split(' ').nth(1).unwrap()));
        assert!(undo.status.success(), "{after}: {}", report(&undo));
    }
}

const PATHS: [&str; 2] = ["site/d0/page0.html", "site/style.css"];

#[test]
fn files_that_nobody_may_change() {
    let probe = tempfile::NamedTempFile::new().unwrap();
    let path = probe.path().to_str().unwrap();
    if !tools::runs("chattr", &["+i", path]) {
        tools::skipped("no file can be made immutable here");
        return;
    }
    assert!(tools::runs("chattr", &["-i", path]));
    forbidden(&[], &["chattr", "+i"], &["chattr", "-i"], &PATHS);
}

#[test]
fn files_that_are_read_only() {
    let place = Place::new(CASES[1], first_tree(3, 3));
    let path = place.path().join(PATHS[0]);
    fs::set_permissions(&path, Permissions::from_mode(0o440)).unwrap();
    let output = place.run(CASES[1].line);
    assert_eq!(output.status.code(), Some(2));
    let report = report(&output);
    assert!(report.ends_with("site/d0/page0.html: cannot write; the file is read-only; make it writable to convert it"), "{report}");
    assert!(!path.with_extension("html.orig").exists());
    place.nothing_is_left("read-only");
}

/// The super-user may read everything, unless that right is taken from him.
#[test]
fn files_and_directories_that_cannot_be_read() {
    let runner =
        ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-all"];
    if !tools::runs(runner[0], &[&runner[1..], &["true"]].concat()) {
        tools::skipped("there is no 'setpriv' here");
        return;
    }
    forbidden(&runner, &["chmod", "0"], &["chmod", "640"], &[PATHS[0]]);
    forbidden(&runner, &["chmod", "0"], &["chmod", "755"], &["site/d1"]);
}
