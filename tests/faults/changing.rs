//! Files that others change, lengthen, remove and replace while a run goes on: what they wrote is
//! never lost.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Duration;

use crate::held::Held;
use crate::tools;
use crate::tree::{KEPT, NESTED, Node, Place, first_tree, report};

/// What somebody does to a page.
#[derive(Clone, Copy)]
enum Change {
    Write,
    Lengthen,
    Replace,
    Remove,
    Directory,
    Link,
}

const CHANGES: [Change; 6] = [
    Change::Write,
    Change::Lengthen,
    Change::Replace,
    Change::Remove,
    Change::Directory,
    Change::Link,
];

#[test]
fn what_others_write_meanwhile_stays() {
    let mut n_changes = 0;
    for case in [&NESTED, &KEPT] {
        let place = Place::new(case, first_tree(120, 400));
        for time in 0..usize::try_from(crate::n_kills() / 4).unwrap().max(1) {
            place.restore("first");
            let pages: Vec<PathBuf> = (0..120)
                .step_by(10)
                .map(|n| PathBuf::from(format!("site/d{}/page{n}.html", n % 7)))
                .collect();
            // The first run waits amid its work until all is done, the others go on meanwhile.
            let held = (time == 0).then(|| place.held(case.line));
            let child = (time > 0).then(|| place.command(&[], case.line).spawn().unwrap());
            let mut mine = BTreeMap::new();
            for (idx, page) in pages.iter().enumerate() {
                if child.is_some() {
                    tools::pause(Duration::from_millis(1 + time as u64 % 7));
                }
                let path = place.path().join(page);
                let text = format!("mine {idx} {time}").into_bytes();
                let change = CHANGES[(idx + time) % CHANGES.len()];
                match change {
                    Change::Write => fs::write(&path, &text).unwrap(),
                    Change::Lengthen => {
                        use std::io::Write;
                        let file = fs::File::options().append(true).open(&path);
                        file.unwrap().write_all(&text).unwrap();
                    }
                    Change::Replace => {
                        let new = place.beside("new");
                        fs::write(&new, &text).unwrap();
                        fs::rename(new, &path).unwrap();
                    }
                    Change::Remove => fs::remove_file(&path).unwrap(),
                    Change::Directory => {
                        fs::remove_file(&path).unwrap();
                        fs::create_dir(&path).unwrap();
                    }
                    Change::Link => {
                        fs::remove_file(&path).unwrap();
                        symlink("../outside.html", &path).unwrap();
                    }
                }
                n_changes += 1;
                mine.insert(page.clone(), (change, text));
            }
            let output = held.map(Held::go_on);
            let output = output.or(child.map(|child| child.wait_with_output().unwrap())).unwrap();
            let after = format!("{} while others write", case.line);
            assert!(matches!(output.status.code(), Some(0 | 2)), "{after}: {}", report(&output));
            let now = place.tree();
            for (path, node) in &place.first {
                let there = now.get(path);
                let Some((change, text)) = mine.get(path) else {
                    let is_whole = there == Some(node) || there == place.last.get(path);
                    assert!(is_whole, "{after}: {} is neither old nor new", path.display());
                    continue;
                };
                let bytes = match there {
                    Some(Node::File { bytes, .. }) => Some(bytes),
                    _ => None,
                };
                let stays = match change {
                    Change::Write | Change::Replace => bytes == Some(text),
                    // If it had been written over before, what it had become was lengthened.
                    Change::Lengthen => bytes.is_some_and(|bytes| bytes.ends_with(text)),
                    Change::Remove => there.is_none(),
                    Change::Directory => place.path().join(path).is_dir(),
                    Change::Link => matches!(there, Some(Node::Link(_))),
                };
                assert!(stays, "{after}: what somebody wrote to {} is lost", path.display());
            }
            place.nothing_is_left(&after);
        }
    }
    println!("{n_changes} files changed by others meanwhile, 0 of these changes lost");
}
