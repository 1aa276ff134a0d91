//! No import cycle between the modules of a folder, at any depth: each can be read without those
//! that use it. A folder is `src`, or the modules below another one; what is below a module is a
//! part of it. The file of a folder, `mod.rs`, is one of its modules where functions are concerned:
//! it calls those of the others, so they call none of it. They may use its types.
//! The top modules of the program are storeys: each imports those below it only.

use std::collections::BTreeSet;

use xtask::graph::{self, Files, cyclic, imports};

/// The crates that are checked: all but `xtask`, which is no part of the program.
const CRATES: [&str; 7] = ["urlcore", "layers", "basectx", "rewrite", "warc", "relink", "python"];

/// The storeys of the program, from the lowest to the highest.
pub(super) const STOREYS: [&str; 10] =
    ["os", "files", "urls", "events", "tree", "archives", "plan", "recovery", "commands", "cli"];

/// The folders whose file and modules call each other, and why.
const KNOTS: [(&str, &str); 3] = [
    ("rewrite/src/slots", "the rows of the tables are made by one function, and are in one table"),
    ("relink/src/cli/url", "its subcommands print their answers in one way"),
    ("relink/src/recovery/journal", "the errors of journals are made in one place"),
];

/// Returns the files of a crate, with their paths below `src`.
fn files(crate_name: &str) -> Files {
    graph::files(&xtask::root().join("crates").join(crate_name).join("src")).unwrap()
}

#[test]
fn modules_of_a_folder_do_not_import_each_other() {
    let mut n_knots = 0;
    for crate_name in CRATES {
        let files = files(crate_name);
        let top = imports(&files, "crate::");
        assert!(top.len() > 3, "{crate_name}: {top:?}");
        let below = graph::folders(&files).into_iter();
        let below = below.map(|folder| (folder, graph::inside(&files, folder)));
        for (folder, mut imports) in below.chain([("", top)]) {
            let place = format!("{crate_name}/src/{folder}");
            if KNOTS.iter().any(|(known, _)| *known == place) {
                n_knots += usize::from(cyclic(&imports).contains(&"mod"));
                imports.remove("mod");
            }
            let cyclic = cyclic(&imports);
            assert!(cyclic.is_empty(), "modules of {place} that import each other: {cyclic:?}");
        }
    }
    assert_eq!(n_knots, KNOTS.len(), "a folder has no cycle any more");
}

#[test]
fn storeys_import_those_below() {
    let files = files("relink");
    let imports = imports(&files, "crate::");
    let expected: BTreeSet<&str> = STOREYS.into_iter().collect();
    assert_eq!(imports.keys().map(String::as_str).collect::<BTreeSet<_>>(), expected);
    let mut above = BTreeSet::new();
    for storey in STOREYS.into_iter().rev() {
        let up: Vec<&String> = imports[storey].iter().filter(|to| above.contains(*to)).collect();
        assert!(up.is_empty(), "{storey} imports {up:?}, which are above it");
        above.insert(storey.to_owned());
    }
}

/// No crate is forgotten.
#[test]
fn all_crates_with_modules_are_checked() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let entries = std::fs::read_dir(directory).expect("a directory").map(|entry| entry.unwrap());
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect();
    names.retain(|name| name != "xtask" && name != "features" && !name.contains('.'));
    names.sort();
    let mut checked = CRATES.to_vec();
    checked.sort_unstable();
    assert_eq!(names, checked);
}

#[test]
fn cycles_are_found() {
    let cyclic_of = |files: &[(&str, &str)]| {
        let files: Vec<(String, String)> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        cyclic(&imports(&files, "crate::")).join(" ")
    };
    let back = ("b.rs", "use crate::a::A;\n");
    for (first, is_cyclic) in [
        (("a.rs", "use crate::b::B;\n"), true),
        (("a.rs", "use crate::{c, b::B};\n"), true),
        (("a.rs", "fn a() -> crate::b::B {}\n"), true),
        (("a.rs", "use super::b::B;\n"), true),
        (("a/d.rs", "use super::super::b::B;\n"), true),
        (("a/mod.rs", "use super::b::B;\n"), true),
        // After an item of a test.
        (("a.rs", "#[cfg(test)]\nmod tests;\nuse crate::b::B;\n"), true),
        // By way of the root.
        (("a.rs", "use crate::B;\n"), true),
        (("a/d.rs", "use super::b::B;\n"), false),
        (("a.rs", "use crate::c;\n"), false),
        (("a.rs", "// use crate::b::B;\n#[cfg(test)]\nuse crate::b::B;\n"), false),
        (("a/tests.rs", "use crate::b::B;\n"), false),
    ] {
        let root = ("lib.rs", "mod a;\npub use b::{B, C};\n");
        let files = [root, first, back, ("a.rs", "#[cfg(test)]\nmod tests;\n"), ("c.rs", "")];
        let expected = if is_cyclic { "a b" } else { "" };
        assert_eq!(cyclic_of(&files), expected, "{first:?}");
    }
    let below = [("a/mod.rs", ""), ("a/b.rs", "use super::c;"), ("a/c/d.rs", "use crate::a::b;")];
    let below = below.map(|(path, text)| (path.to_owned(), text.to_owned()));
    assert_eq!(cyclic(&graph::inside(&below, "a")), ["b", "c"]);
    assert_eq!(graph::folders(&below).into_iter().collect::<Vec<_>>(), ["a", "a/c"]);
    let knot = [("a/mod.rs", "use self::b::B;\nfn f() {}"), ("a/b.rs", "use super::f;")];
    let knot = knot.map(|(path, text)| (path.to_owned(), text.to_owned()));
    assert_eq!(cyclic(&graph::inside(&knot, "a")), ["b", "mod"]);
    let three = [("a.rs", "use crate::b;"), ("b.rs", "use crate::c;"), ("c.rs", "use crate::a;")];
    assert_eq!(cyclic_of(&three), "a b c");
}
