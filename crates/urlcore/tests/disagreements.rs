//! Where the dialects disagree: a table of base, reference and the target in each, worked out apart from this code.
//!
//! The table is not part of the crate. It is read from the folder that `RELINK_SHARED_DATA` names, or from
//! `../shared/data` beside the workspace; without it the test says that it was skipped.

#![allow(clippy::expect_used, reason = "a test stops where it cannot go on")]

use std::path::{Path, PathBuf};

use serde_json::Value;
use url::Url;
use urlcore::{Dialect, Resolver};

/// The recompose hole of RFC 3986, which the table leaves open and the dialect closes.
const GUARDED: [&str; 2] = ["foo:/a/b", "/.//g"];

/// The table, if it is there.
fn table() -> Option<PathBuf> {
    let folder = match std::env::var_os("RELINK_SHARED_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    Some(folder.join("url/disagreements.json")).filter(|path| path.exists())
}

/// What a browser reads in a text, or `FAILURE`.
fn read(text: &str) -> String {
    Url::parse(text).map_or_else(|_| "FAILURE".to_owned(), String::from)
}

#[test]
fn table_of_disagreements() {
    let Some(path) = table() else {
        #[expect(clippy::print_stderr, reason = "a test that does nothing says so")]
        {
            eprintln!("skipped: disagreements.json is not there");
        }
        return;
    };
    let text = std::fs::read_to_string(path).expect("the table is readable");
    let rows: Value = serde_json::from_str(&text).expect("the table is JSON");
    let mut n_compared = 0;
    for row in rows.as_array().expect("a list") {
        let (base, reference) =
            (row["base"].as_str().expect("a base"), row["ref"].as_str().expect("a reference"));
        for &dialect in Dialect::ALL {
            let Some(expected) = row["results"][dialect.name()].as_str() else { continue };
            let ours = Resolver::new(base, dialect).expect("a base").resolve(reference);
            let ours = ours.unwrap_or_else(|_| "FAILURE".to_owned());
            n_compared += 1;
            if dialect == Dialect::Web {
                assert_eq!(
                    read(&ours),
                    read(expected),
                    "{reference:?} against {base:?} in {dialect}"
                );
            } else if dialect == Dialect::Rfc3986 && [base, reference] == GUARDED {
                assert_eq!((ours.as_str(), expected), ("foo:/.//g", "foo://g"));
            } else {
                assert_eq!(ours, expected, "{reference:?} against {base:?} in {dialect}");
            }
        }
    }
    assert!(n_compared > 400, "only {n_compared} results compared");
}
