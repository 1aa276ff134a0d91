//! Every document of XML below `/usr/share/doc` and in the documentation of Rust.

use std::fs;
use std::path::PathBuf;

use super::trees;
use crate::tools;

const EXTENSIONS: &[&str] = &[
    "svg", "xml", "xhtml", "xht", "rss", "atom", "rdf", "xsl", "xslt", "opf", "ncx", "opml", "kml",
    "xspf", "wsdl", "docbook", "dbk", "dita", "ditamap",
];

/// `RELINK_XML` names more directories, with `:` between them.
fn directories() -> Vec<PathBuf> {
    let more = std::env::var_os("RELINK_XML").unwrap_or_default();
    [tools::others("/usr/share/doc"), tools::rust_documentation()]
        .into_iter()
        .chain(std::env::split_paths(&more).filter(|path| !path.as_os_str().is_empty()))
        .collect()
}

#[test]
fn real_documents() {
    if !tools::has("python3", &["--version"]) {
        return;
    }
    let scratch = tempfile::tempdir().expect("a directory");
    let tree = scratch.path().join("tree");
    fs::create_dir(&tree).unwrap();
    for directory in directories() {
        let mut n_files = 0;
        for entry in walkdir::WalkDir::new(&directory).into_iter().filter_map(Result::ok) {
            let path = entry.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            let is_one = extension.is_some_and(|extension| EXTENSIONS.contains(&extension));
            if !is_one || !entry.file_type().is_file() {
                continue;
            }
            let copy = tree.join(path.strip_prefix("/").unwrap());
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::copy(path, copy).unwrap();
            n_files += 1;
        }
        println!("{}: {n_files} files", directory.display());
    }
    if trees::files(&tree).is_empty() {
        tools::skipped("there is no XML in the documentation on this machine");
        return;
    }
    trees::check("real files", &tree);
}
