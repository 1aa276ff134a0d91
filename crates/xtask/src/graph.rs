//! The modules of a crate and what each imports, as found in its sources: for `cargo xtask graph`,
//! and for the tests that no module imports one that imports it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use crate::code::{code, modules_of_tests};

/// Files of Rust with their texts, by their paths below a directory.
pub type Files = Vec<(String, String)>;

/// Modules and those that each imports.
pub type Imports = BTreeMap<String, BTreeSet<String>>;

/// Returns the files of Rust in a directory and below it.
///
/// # Errors
///
/// Those of the file system.
pub fn files(directory: &Path) -> io::Result<Files> {
    let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    let mut found = Files::new();
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            let below = files(&entry.path())?.into_iter();
            found.extend(below.map(|(path, text)| (format!("{name}/{path}"), text)));
        } else if name.ends_with(".rs") {
            found.push((name, fs::read_to_string(entry.path())?));
        }
    }
    Ok(found)
}

/// Returns the modules of a folder of a crate, such as `commands/check`, and those of them that
/// each imports. The file of the folder itself, `mod.rs` or `check.rs`, is named `mod`.
pub fn inside(files: &[(String, String)], folder: &str) -> Imports {
    let (below, itself) = (format!("{folder}/"), format!("{folder}.rs"));
    let name = |path: &str| match path.strip_prefix(&below) {
        None if path == itself => Some("mod.rs".to_owned()),
        rest => rest.map(str::to_owned),
    };
    let files = files.iter().filter_map(|(path, text)| Some((name(path)?, text.clone())));
    imports(&files.collect::<Files>(), &format!("crate::{}::", folder.replace('/', "::")))
}

/// Returns the folders of a crate at every depth, such as `commands` and `commands/check`.
pub fn folders(files: &[(String, String)]) -> BTreeSet<&str> {
    let of_file = |path: &'_ str| path.match_indices('/').map(|(at, _)| at).collect::<Vec<_>>();
    files.iter().flat_map(|(path, _)| of_file(path).into_iter().map(|at| &path[..at])).collect()
}

/// Returns modules and their imports as a graph in the language of Graphviz, an import per line.
pub fn dot(imports: &Imports) -> String {
    let mut lines = String::from("digraph {\n");
    for (module, imported) in imports {
        lines.push_str(&format!("  \"{module}\"\n"));
        for to in imported {
            lines.push_str(&format!("  \"{module}\" -> \"{to}\"\n"));
        }
    }
    lines.push('}');
    lines
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

/// The name of the file of a folder among its modules.
const ITSELF: &str = "mod";

/// Returns the path that an item exports.
fn exported(item: &str) -> Option<&str> {
    let (before, path) = item.rsplit_once("use ")?;
    let is_public = before.lines().last().is_some_and(|line| line.trim_start().starts_with("pub"));
    is_public.then(|| path.strip_prefix("self::").unwrap_or(path))
}

/// Returns true if a file uses a module below it, other than to declare or to export it.
fn is_used(code: &str, module: &str) -> bool {
    let start = format!("{module}::");
    code.split(';').filter(|item| exported(item).is_none()).any(|item| {
        item.match_indices(&start).any(|(at, _)| {
            let before = item[..at].strip_suffix("self::").unwrap_or(&item[..at]);
            !before.ends_with(|char: char| char.is_alphanumeric() || "_:".contains(char))
        })
    })
}

/// Returns true if an imported name is that of a function.
fn is_function(name: &str) -> bool {
    !matches!(name, "super" | "self") && name.starts_with(|char: char| char.is_lowercase())
}

/// Returns the top modules of a crate, or of a module, and those that each imports, tests left out.
/// Paths from the top begin with `start`, such as `crate::`. Its own file is one of them, `mod`,
/// that imports those that it uses, and is imported where another one calls a function of it.
pub fn imports(files: &[(String, String)], start: &str) -> Imports {
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
    let mut exports: BTreeMap<&str, &str> = BTreeMap::new();
    let paths = root.split(';').filter_map(exported);
    for (module, names) in paths.filter_map(|path| path.split_once("::")) {
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
            let calls = |module: &&String| is_used(code, module);
            let called: BTreeSet<String> = modules.iter().filter(calls).cloned().collect();
            imports.extend((!called.is_empty()).then(|| (ITSELF.to_owned(), called)));
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
        // A function of the folder's own file.
        let module = |name: String| match module(name) {
            name if !modules.contains(&name) && is_function(&name) => ITSELF.to_owned(),
            name => name,
        };
        let is_known = |to: &String| modules.contains(to) || to == ITSELF;
        let found = found.map(module).filter(|to| is_known(to) && *to != from);
        imports.entry(from.clone()).or_default().extend(found);
    }
    imports
}

/// Returns the modules that import themselves by way of others.
pub fn cyclic(imports: &Imports) -> Vec<&str> {
    let is_cyclic = |module: &&String| reached(imports, module).contains(*module);
    imports.keys().filter(is_cyclic).map(String::as_str).collect()
}

/// Returns the identifier with which a text begins.
fn name(text: &str) -> String {
    text.chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect()
}

/// Returns the first identifier of each path in a group of imports, `a::b, c}`.
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

/// Returns all modules that `from` imports, directly or not.
fn reached(imports: &Imports, from: &str) -> BTreeSet<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_imports_are_read() {
        assert_eq!(in_group("a, b::{c, d}, e::f, self}"), ["a", "b", "e", "self"]);
    }

    #[test]
    fn a_graph_has_a_line_for_each_module_and_each_import() {
        let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let files = [file("a.rs", "use crate::b::B;\n"), file("b.rs", "")];
        let graph = dot(&imports(&files, "crate::"));
        assert_eq!(graph, "digraph {\n  \"a\"\n  \"a\" -> \"b\"\n  \"b\"\n}");
    }
}
