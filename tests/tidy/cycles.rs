//! No import cycle between the top modules of a crate: each can be read without those that use it.
//! The top modules of the program are storeys: each imports those below it only, and the modules of a
//! storey have no cycle either.

use std::collections::{BTreeMap, BTreeSet};

use crate::code::{code, modules_of_tests};

/// The crates that are checked: all but `xtask`, which is one file.
const CRATES: [&str; 7] = ["urlcore", "layers", "basectx", "rewrite", "warc", "relink", "python"];

/// The storeys of the program, from the lowest to the highest.
pub(super) const STOREYS: [&str; 10] =
    ["os", "files", "urls", "events", "tree", "archives", "plan", "recovery", "commands", "cli"];

/// Modules and those that each imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Returns the files of a crate, with their paths below `src`.
fn files(crate_name: &str) -> Vec<(String, String)> {
    let src = format!("crates/{crate_name}/src/");
    let sources = super::sources().into_iter();
    let files = sources
        .filter_map(|(path, text)| Some((path.to_str()?.strip_prefix(&src)?.to_owned(), text)));
    files.collect()
}

/// Returns the path of the modules below a file: `a/b/` for `a/b.rs` and `a/b/mod.rs`.
fn directory(path: &str) -> String {
    let stem = path.trim_end_matches(".rs");
    let (parent, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    match name {
        "mod" | "lib" | "main" if parent.is_empty() => String::new(),
        "mod" => format!("{parent}/"),
        _ => format!("{stem}/"),
    }
}

/// Returns the name of the top module that a path below `src` belongs to.
fn top(path: &str) -> String {
    path.split('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned()
}

/// Returns the top modules of a crate, or of a module, and those that each imports, tests left out.
/// Paths from the top begin with `start`, such as `crate::`.
fn imports(files: &[(String, String)], start: &str) -> Imports {
    let tests: Vec<String> = files
        .iter()
        .flat_map(|(path, text)| {
            let directory = directory(path);
            modules_of_tests(text).into_iter().map(move |name| format!("{directory}{name}"))
        })
        .collect();
    let is_test = |path: &str| {
        tests.iter().any(|test| {
            let rest = path.strip_prefix(test.as_str());
            rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        })
    };
    let files: Vec<(&str, String)> = (files.iter())
        .filter(|(path, _)| !is_test(path))
        .map(|(path, text)| (path.as_str(), code(text)))
        .collect();
    let modules: BTreeSet<String> = files.iter().map(|(path, _)| top(path)).collect();
    // What the root of the crate exports is of the module from which the root takes it.
    let is_root = |path: &str| matches!(path, "lib.rs" | "main.rs" | "mod.rs");
    let root = files.iter().find(|(path, _)| is_root(path)).map_or("", |(_, code)| code);
    let uses = root.split(';').filter_map(|item| item.trim().strip_prefix("pub use "));
    let uses = uses.map(|path| path.strip_prefix("self::").unwrap_or(path));
    let mut exports: BTreeMap<&str, &str> = BTreeMap::new();
    for (module, names) in uses.filter_map(|path| path.split_once("::")) {
        let names = names.split(|char: char| !char.is_alphanumeric() && char != '_');
        exports.extend(names.map(|name| (name, module)));
    }
    let module = |name: String| match exports.get(name.as_str()) {
        Some(module) if !modules.contains(&name) => (*module).to_owned(),
        _ => name,
    };
    let mut imports = Imports::new();
    for (path, code) in &files {
        let from = top(path);
        if is_root(path) {
            continue;
        }
        // So many times `super` is the root of the crate.
        let to_root = "super::".repeat(directory(path).matches('/').count());
        let starts = [start, to_root.as_str()];
        let found = starts.iter().flat_map(|start| {
            let places = code.match_indices(start).filter(|(at, _)| {
                let before = code[..*at].chars().next_back();
                !before.is_some_and(|char| char.is_alphanumeric() || "_:".contains(char))
            });
            places.flat_map(|(at, start)| {
                let rest = &code[at + start.len()..];
                match rest.strip_prefix('{') {
                    Some(group) => in_group(group),
                    None => vec![name(rest)],
                }
            })
        });
        let found = found.map(&module).filter(|to| modules.contains(to) && *to != from);
        imports.entry(from.clone()).or_default().extend(found);
    }
    imports
}

/// Returns the modules that import themselves by way of others.
fn cyclic(imports: &Imports) -> Vec<&str> {
    let is_cyclic = |module: &&String| reached(imports, module).contains(*module);
    imports.keys().filter(is_cyclic).map(String::as_str).collect()
}

/// The identifier with which a text begins.
fn name(text: &str) -> String {
    text.chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect()
}

/// The first identifier of each path in a group of imports, `a::b, c}`.
fn in_group(group: &str) -> Vec<String> {
    let (mut names, mut depth, mut is_start) = (Vec::new(), 0, true);
    for (at, char) in group.char_indices() {
        match char {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => is_start = true,
            char if is_start && !char.is_whitespace() => {
                names.push(name(&group[at..]));
                is_start = false;
            }
            _ => {}
        }
    }
    names
}

/// All modules that `from` imports, directly or not.
fn reached(imports: &BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(module) = open.pop() {
        for to in imports.get(&module).into_iter().flatten() {
            if reached.insert(to.clone()) {
                open.push(to.clone());
            }
        }
    }
    reached
}

#[test]
fn top_modules_do_not_import_each_other() {
    for crate_name in CRATES {
        let imports = imports(&files(crate_name), "crate::");
        assert!(imports.len() > 3, "{crate_name}: {imports:?}");
        let cyclic = cyclic(&imports);
        assert!(cyclic.is_empty(), "modules of {crate_name} that import each other: {cyclic:?}");
    }
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

#[test]
fn modules_of_a_storey_do_not_import_each_other() {
    let all = files("relink");
    for storey in STOREYS {
        let below = format!("{storey}/");
        let inside = all
            .iter()
            .filter_map(|(path, text)| Some((path.strip_prefix(&below)?.to_owned(), text.clone())));
        let imports = imports(&inside.collect::<Vec<_>>(), &format!("crate::{storey}::"));
        assert!(imports.len() > 1, "{storey}: {imports:?}");
        let cyclic = cyclic(&imports);
        assert!(cyclic.is_empty(), "modules of {storey} that import each other: {cyclic:?}");
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
    let three = [("a.rs", "use crate::b;"), ("b.rs", "use crate::c;"), ("c.rs", "use crate::a;")];
    assert_eq!(cyclic_of(&three), "a b c");
}

#[test]
fn groups_of_imports_are_read() {
    assert_eq!(in_group("a, b::{c, d}, e::f, self}"), ["a", "b", "e", "self"]);
}
