//! Users of `rewrite` need one crate: it re-exports the types of the crates below it that occur in
//! its signatures.

use std::collections::BTreeSet;

use xtask::code::code;

/// The crates whose types a user of `rewrite` would otherwise have to import.
const BELOW: [&str; 3] = ["basectx", "layers", "urlcore"];

/// Returns the declarations that are public: functions up to their bodies, fields, and whole enums
/// and traits. The compiler warns about `pub` where an item cannot be reached.
fn public(code: &str) -> Vec<&str> {
    let starts = code.match_indices("pub ").map(|(at, _)| at);
    let starts = starts.filter(|at| code[..*at].ends_with([' ', '\n']));
    let declarations = starts.map(|at| {
        let rest = &code[at..];
        let has_body = ["pub enum ", "pub trait "].iter().any(|start| rest.starts_with(start));
        let end = if has_body {
            rest.find("\n}")
        } else {
            rest.find(['{', ';']).into_iter().chain(rest.find(",\n")).min()
        };
        // The parameters of a function may be on lines of their own.
        let is_function = rest.starts_with("pub fn ") || rest.starts_with("pub const fn ");
        let end = if is_function { rest.find(['{', ';']) } else { end };
        &rest[..end.unwrap_or(rest.len())]
    });
    declarations.filter(|declaration| !declaration.starts_with("pub use ")).collect()
}

/// Returns the identifiers in a text.
fn identifiers(text: &str) -> BTreeSet<&str> {
    text.split(|char: char| !char.is_alphanumeric() && char != '_').collect()
}

/// Returns the types that `use` items import from the crates below.
fn imported(code: &str) -> BTreeSet<&str> {
    let items = code.split(';').filter_map(|item| {
        let item = item.trim_start();
        let path = item.strip_prefix("use ").or(item.strip_prefix("pub use "))?;
        BELOW.iter().any(|name| path.starts_with(&format!("{name}::"))).then_some(path)
    });
    let is_type = |name: &&str| name.starts_with(|char: char| char.is_uppercase());
    items.flat_map(identifiers).filter(is_type).collect()
}

#[test]
fn rewrite_reexports_the_types_of_its_signatures() {
    let sources = super::sources();
    let files = sources.iter().filter(|(path, _)| path.starts_with("crates/rewrite/src"));
    let files: Vec<(String, String)> =
        files.map(|(path, text)| (path.display().to_string(), code(text))).collect();
    let root = files.iter().find(|(path, _)| path.ends_with("src/lib.rs")).unwrap();
    let exported = imported(&root.1);
    let (mut used, mut missing) = (BTreeSet::new(), Vec::new());
    for (path, code) in &files {
        let imported = imported(code);
        for declaration in public(code) {
            for name in identifiers(declaration).intersection(&imported) {
                used.insert(*name);
                if !exported.contains(name) {
                    missing.push(format!("{path}: {name} in {declaration}"));
                }
            }
        }
    }
    assert!(used.len() > 8, "{used:?}");
    super::none("types that users of rewrite would import from other crates", &missing);
}

#[test]
fn declarations_are_found() {
    let code = "use layers::{Edit, field::Blanks};\npub fn a(\n    b: Edit,\n) -> C {\n    pub_d();\n}\n\
                pub(crate) fn e() {}\npub struct F {\n    pub g: Span,\n    h: I,\n}\npub enum J {\n    K(L),\n}\n";
    let found = [
        "pub fn a(\n    b: Edit,\n) -> C ",
        "pub struct F ",
        "pub g: Span",
        "pub enum J {\n    K(L),",
    ];
    assert_eq!(public(code), found);
    assert_eq!(imported(code), BTreeSet::from(["Blanks", "Edit"]));
}
