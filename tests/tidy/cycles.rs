//! No import cycle between the top modules of a crate: each can be read without those that use it.

use std::collections::{BTreeMap, BTreeSet};

/// The top modules of a crate and those that each imports, tests left out.
fn imports(crate_name: &str) -> BTreeMap<String, BTreeSet<String>> {
    let src = format!("crates/{crate_name}/src/");
    let files: Vec<(String, String)> = super::sources()
        .iter()
        .filter_map(|(path, text)| {
            let path = path.to_str()?.strip_prefix(&src)?.to_owned();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let is_code = |line: &&str| !line.trim_start().starts_with("//");
            Some((path, code.lines().filter(is_code).collect::<Vec<_>>().join("\n")))
        })
        .collect();
    let top = |path: &str| path.split('/').next().unwrap_or_default().replace(".rs", "");
    let modules: BTreeSet<String> = files.iter().map(|(path, _)| top(path)).collect();
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, code) in &files {
        let from = top(path);
        if from == "lib" || from == "main" {
            continue;
        }
        let found = code.match_indices("crate::").flat_map(|(at, start)| {
            let rest = &code[at + start.len()..];
            match rest.strip_prefix('{') {
                Some(group) => in_group(group),
                None => vec![name(rest)],
            }
        });
        let found = found.filter(|to| modules.contains(to) && *to != from);
        imports.entry(from.clone()).or_default().extend(found);
    }
    imports
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
    for crate_name in ["urlcore", "layers", "basectx", "rewrite", "relink", "python"] {
        let imports = imports(crate_name);
        assert!(imports.len() > 3, "{crate_name}: {imports:?}");
        let cyclic: BTreeSet<&str> = (imports.keys())
            .filter(|module| reached(&imports, module).contains(*module))
            .map(String::as_str)
            .collect();
        assert!(cyclic.is_empty(), "modules of {crate_name} that import each other: {cyclic:?}");
    }
}

#[test]
fn groups_of_imports_are_read() {
    assert_eq!(in_group("a, b::{c, d}, e::f, self}"), ["a", "b", "e", "self"]);
}
